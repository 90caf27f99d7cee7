/* units: "10 ms" as a number in SI.
 *
 * A unit is one or more symbols of units.def joined by '*' or '/', each with an integer exponent if
 * need be: "N*s/m", "kg*m^2", "m/s^2". Numerators and denominators are multiplied apart and divided
 * once, so that "33 ms" is the double nearest to 0.033. Offsets (degrees Celsius) are not units
 * here.
 */
#include "model/units.h"

#include "model/network.h"

#include <math.h>
#include <string.h>

#define IB_PI 3.14159265358979323846

typedef struct unit {
    const char *symbol;
    double numerator, denominator;
    int8_t exponents[4]; /* kg, m, s, rad */
} unit;

static const unit units[] = {
#define IB_UNIT(symbol, numerator, denominator, kg, m, s, rad)                                     \
    {symbol, numerator, denominator, {kg, m, s, rad}},
#include "model/units.def"
#undef IB_DIMENSION
};

static const struct {
    const char *what, *unit;
    int8_t exponents[4];
} dimensions[] = {
#define IB_DIMENSION(name, what, unit, kg, m, s, rad) {what, unit, {kg, m, s, rad}},
#include "model/units.def"
#undef IB_DIMENSION
};

const char *ib_dimension_what(ib_dimension dimension) { return dimensions[dimension].what; }
const char *ib_dimension_unit(ib_dimension dimension) { return dimensions[dimension].unit; }

/* A unit as parsed: value_SI = value * numerator / denominator. */
typedef struct parsed {
    double numerator, denominator;
    int exponents[4];
    size_t bad_at, bad_length; /* the symbol that is not known */
} parsed;

static bool is_symbol(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static const unit *find_unit(const char *text, size_t length) {
    for (size_t i = 0; i < IB_COUNT(units); i++) {
        if (strlen(units[i].symbol) == length && memcmp(units[i].symbol, text, length) == 0)
            return &units[i];
    }
    return NULL;
}

/* Superscript two or three at the end of a symbol, in UTF-8; returns the exponent or 0. */
static int superscript(const char *text, size_t length) {
    if (length < 3 || (unsigned char)text[length - 2] != 0xC2)
        return 0;
    return (unsigned char)text[length - 1] == 0xB2   ? 2
           : (unsigned char)text[length - 1] == 0xB3 ? 3
                                                     : 0;
}

/* An exponent after '^': at most one digit, perhaps with a minus. Returns the bytes read. */
static size_t parse_exponent(const char *text, int *exponent) {
    size_t n = 0;
    if (text[n] != '^')
        return 0;
    n++;
    const bool negative = text[n] == '-';
    n += negative;
    if (text[n] < '1' || text[n] > '9')
        return 0;
    *exponent = negative ? -(text[n] - '0') : text[n] - '0';
    return n + 1;
}

static void multiply(parsed *p, const unit *u, int exponent) {
    for (int i = 0; i < 4; i++)
        p->exponents[i] += u->exponents[i] * exponent;
    const int n = exponent < 0 ? -exponent : exponent;
    for (int i = 0; i < n; i++) {
        p->numerator *= exponent > 0 ? u->numerator : u->denominator;
        p->denominator *= exponent > 0 ? u->denominator : u->numerator;
    }
}

/* Parses a whole unit; false with bad_at, bad_length where it stops making sense. */
static bool parse_unit(const char *text, size_t length, parsed *p) {
    *p = (parsed){.numerator = 1, .denominator = 1};
    int sign = 1;
    for (size_t at = 0;; at++) {
        size_t n = 0;
        while (at + n < length && is_symbol(text[at + n]))
            n++;
        int exponent = superscript(text + at, n);
        const unit *u = find_unit(text + at, exponent ? n - 2 : n);
        p->bad_at = at;
        p->bad_length = n ? n : length - at;
        if (!u)
            return false;
        at += n;
        if (!exponent) {
            exponent = 1;
            at += parse_exponent(text + at, &exponent);
        }
        multiply(p, u, sign * exponent);
        if (at >= length)
            return at == length;
        p->bad_at = at;
        p->bad_length = length - at;
        if (text[at] != '*' && text[at] != '/')
            return false;
        sign = text[at] == '/' ? -1 : 1;
    }
}

static bool fits(const parsed *p, ib_dimension dimension) {
    for (int i = 0; i < 4; i++) {
        if (p->exponents[i] != dimensions[dimension].exponents[i])
            return false;
    }
    return true;
}

const char *ib_unit_what(const char *text, size_t length) {
    parsed p;
    if (!parse_unit(text, length, &p))
        return NULL;
    for (size_t i = IB_DIM_LENGTH; i < IB_DIM_COUNT; i++) {
        if (fits(&p, (ib_dimension)i))
            return dimensions[i].what;
    }
    return NULL;
}

const char *ib_unit_symbol(size_t index) {
    return index < IB_COUNT(units) ? units[index].symbol : NULL;
}

const char *ib_unit_nearest(const char *symbol) {
    const char *names[IB_COUNT(units)];
    for (size_t i = 0; i < IB_COUNT(units); i++)
        names[i] = units[i].symbol;
    return ib_nearest_name(symbol, names, IB_COUNT(names));
}

/* Splits "number blanks unit"; false when the text has another form. The blanks may be
 * missing. */
static bool split(const char *text, double *value, size_t *end_of_number, size_t *at,
                  size_t *length) {
    const bool has_sign = *text == '-' || *text == '+';
    size_t i = has_sign ? 1 : 0;
    if (!(text[i] >= '0' && text[i] <= '9') && text[i] != '.')
        return false;
    const size_t used = ib_number_parse(text + i, strlen(text + i), value);
    if (used == 0)
        return false;
    if (*text == '-')
        *value = -*value;
    i += used;
    *end_of_number = i;
    while (text[i] == ' ')
        i++;
    if (!is_symbol(text[i]))
        return false;
    size_t end = strlen(text);
    while (end > i && text[end - 1] == ' ')
        end--;
    *at = i;
    *length = end - i;
    return true;
}

ib_quantity_result ib_quantity_read(const char *text, ib_dimension dimension, double *value,
                                    size_t *at, size_t *length) {
    parsed p;
    size_t end;
    if (!split(text, value, &end, at, length))
        return IB_QUANTITY_NONE;
    if (end == *at)
        return parse_unit(text + *at, *length, &p) ? IB_QUANTITY_CLOSED : IB_QUANTITY_NONE;
    if (!parse_unit(text + *at, *length, &p)) {
        *at += p.bad_at;
        *length = p.bad_length;
        return IB_QUANTITY_UNKNOWN;
    }
    if (dimension != IB_DIM_ANY && !fits(&p, dimension))
        return IB_QUANTITY_WRONG;
    *value = *value * p.numerator / p.denominator;
    return isfinite(*value) ? IB_QUANTITY_OK : IB_QUANTITY_RANGE;
}

bool ib_quantity_value(const char *text, double *value) {
    size_t at, length;
    return ib_quantity_read(text, IB_DIM_ANY, value, &at, &length) == IB_QUANTITY_OK;
}

bool ib_unit_of(const char *text, int exponents[4], double *factor) {
    parsed p = {.numerator = 1, .denominator = 1};
    if (!text[0] || (strcmp(text, "1") != 0 && !parse_unit(text, strlen(text), &p)))
        return false;
    memcpy(exponents, p.exponents, sizeof p.exponents);
    *factor = p.numerator / p.denominator;
    return true;
}
