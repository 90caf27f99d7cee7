/* Decimal text of doubles and back, correctly rounded, without the C library and its locale.
 *
 * Writing: m * 2^e is an integer over a power of ten (m * 5^-e / 10^-e for negative e), so its
 * decimal digits are exact and finite; they are rounded half to even at 15, 16 or 17 digits, and
 * the first that reads back as the same double is taken.
 * Reading: the digits and the power of ten make a quotient of two integers, divided until every bit
 * of the double and one bit to round by are known. Short numbers take Clinger's route (W. D.
 * Clinger, "How to read floating point numbers accurately", PLDI 1990): both factors are exact
 * doubles, one rounding is left.
 * Beyond KEPT_DIGITS digits only "is there more" matters: no double's half-way point is longer.
 */
#include "base/base.h"

#include <math.h>
#include <string.h>

#define KEPT_DIGITS 800
#define LIMBS 96         /* 10^800 has 2658 bits, 5^1126 has 2615: 84 limbs, and room to shift */
#define DECIMAL_LIMBS 96 /* base 10^9: 2^53 * 5^1074 needs 86, 2^1024 needs 35 */
#define DECIMAL_BASE UINT32_C(1000000000)

/* ---- big integers, base 2^32, least limb first ---- */

typedef struct big {
    size_t n;
    uint32_t limb[LIMBS];
} big;

static void big_set(big *a, uint64_t value) {
    a->n = 0;
    for (; value; value >>= 32)
        a->limb[a->n++] = (uint32_t)value;
}

/* a = a * factor + add */
static void big_multiply(big *a, uint32_t factor, uint32_t add) {
    uint64_t carry = add;
    for (size_t i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        a->limb[a->n++] = (uint32_t)carry;
}

/* a = a * 5^power */
static void big_multiply_fives(big *a, int power) {
    for (; power >= 13; power -= 13)
        big_multiply(a, UINT32_C(1220703125), 0);
    uint32_t rest = 1;
    for (; power > 0; power--)
        rest *= 5;
    big_multiply(a, rest, 0);
}

static int big_bits(const big *a) {
    int bits = (int)(32 * a->n);
    for (uint32_t top = a->n ? a->limb[a->n - 1] : 0; a->n && !(top >> 31); top <<= 1)
        bits--;
    return bits;
}

static void big_shift(big *a, int shift) {
    const size_t limbs = (size_t)shift / 32;
    const int bits = shift % 32;
    if (bits)
        big_multiply(a, UINT32_C(1) << bits, 0);
    if (!limbs || !a->n)
        return;
    memmove(a->limb + limbs, a->limb, a->n * sizeof a->limb[0]);
    memset(a->limb, 0, limbs * sizeof a->limb[0]);
    a->n += limbs;
}

static int big_compare(const big *a, const big *b) {
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a = a - b for a >= b */
static void big_subtract(big *a, const big *b) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < a->n; i++) {
        const uint64_t taken = borrow + (i < b->n ? b->limb[i] : 0);
        borrow = a->limb[i] < taken;
        a->limb[i] = (uint32_t)(a->limb[i] - taken);
    }
    while (a->n && !a->limb[a->n - 1])
        a->n--;
}

/* ---- reading ---- */

/* digits * 10^exponent; `more` when nonzero digits were dropped behind. */
typedef struct decimal {
    char digit[KEPT_DIGITS]; /* values 0 to 9, the first not 0 */
    size_t n;
    int exponent;
    bool more;
} decimal;

#define EXPONENT_LIMIT 100000 /* far beyond any double and any number of kept digits */

static int clamped(int64_t exponent) {
    if (exponent > EXPONENT_LIMIT)
        return EXPONENT_LIMIT;
    return exponent < -EXPONENT_LIMIT ? -EXPONENT_LIMIT : (int)exponent;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void add_digit(decimal *d, char c, int64_t *exponent, bool in_fraction) {
    if (d->n < KEPT_DIGITS && (d->n || c != '0'))
        d->digit[d->n++] = (char)(c - '0');
    else if (d->n) {
        d->more = d->more || c != '0';
        ++*exponent;
    }
    *exponent -= in_fraction;
}

/* An exponent part at text[at..length): its end, or `at` when there is none. */
static size_t scan_exponent(const char *text, size_t at, size_t length, int64_t *exponent) {
    size_t i = at;
    if (i >= length || (text[i] != 'e' && text[i] != 'E'))
        return at;
    i++;
    const bool negative = i < length && text[i] == '-';
    if (i < length && (text[i] == '-' || text[i] == '+'))
        i++;
    if (i >= length || !is_digit(text[i]))
        return at;
    int64_t value = 0;
    for (; i < length && is_digit(text[i]); i++)
        if (value < INT64_C(1) << 53)
            value = 10 * value + (text[i] - '0');
    *exponent += negative ? -value : value;
    return i;
}

/* [digits][.digits][e[sign]digits] with at least one digit: the bytes read, or 0. */
static size_t scan(const char *text, size_t length, decimal *d) {
    size_t i = 0, n_digits = 0;
    int64_t exponent = 0;
    d->n = 0, d->more = false;
    for (; i < length && is_digit(text[i]); i++, n_digits++)
        add_digit(d, text[i], &exponent, false);
    if (i < length && text[i] == '.') {
        const size_t point = i++;
        for (; i < length && is_digit(text[i]); i++, n_digits++)
            add_digit(d, text[i], &exponent, true);
        if (i == point + 1 && !n_digits)
            return 0;
    }
    if (!n_digits)
        return 0;
    i = scan_exponent(text, i, length, &exponent);
    d->exponent = clamped(exponent);
    return i;
}

/* quotient * 2^exponent, plus something less than one unit when `more`, rounded half to even.
 * The quotient's highest bit is set. */
static double round_quotient(uint64_t quotient, int exponent, bool more) {
    /* Dropping eleven bits leaves 53; the unit of subnormal numbers stays at 2^-1074. */
    int drop = 11;
    if (exponent + drop < -1074)
        drop = -1074 - exponent;
    if (drop > 64)
        return 0;
    if (exponent + drop > 971)
        return HUGE_VAL;
    const uint64_t half = UINT64_C(1) << (drop - 1);
    const uint64_t rest = quotient & (half | (half - 1));
    uint64_t kept = drop == 64 ? 0 : quotient >> drop;
    if (rest > half || (rest == half && (more || (kept & 1))))
        kept++;
    /* The leading bit of `kept`, and a carry out of it, add themselves to the exponent field. */
    const uint64_t bits = kept + ((uint64_t)(exponent + drop + 1074) << 52);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* numerator / denominator * 2^exponent, rounded once. Spends both. */
static double divide(big *numerator, big *denominator, int exponent, bool more) {
    const int shift = big_bits(denominator) - big_bits(numerator);
    big_shift(shift > 0 ? numerator : denominator, shift > 0 ? shift : -shift);
    exponent -= shift;
    if (big_compare(numerator, denominator) < 0) {
        big_shift(numerator, 1);
        exponent--;
    }
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        if (i)
            big_shift(numerator, 1);
        quotient <<= 1;
        if (big_compare(numerator, denominator) >= 0) {
            big_subtract(numerator, denominator);
            quotient |= 1;
        }
    }
    return round_quotient(quotient, exponent - 63, more || numerator->n);
}

static double exact_power_of_ten(int power) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return powers[power];
}

/* Both the digits and the power of ten are exact doubles. */
static bool is_short(const decimal *d) {
    return d->n <= 15 && !d->more && d->exponent >= -22 && d->exponent <= 22;
}

static double short_value(const decimal *d) {
    double digits = 0;
    for (size_t i = 0; i < d->n; i++)
        digits = 10 * digits + d->digit[i];
    return d->exponent < 0 ? digits / exact_power_of_ten(-d->exponent)
                           : digits * exact_power_of_ten(d->exponent);
}

/* The double nearest to a positive decimal number; +0 for no digits. */
static double decimal_value(const decimal *d) {
    const int magnitude = (int)d->n + d->exponent; /* 10^(magnitude-1) <= value < 10^magnitude */
    if (!d->n || magnitude < -326)
        return 0;
    if (magnitude > 310)
        return HUGE_VAL;
    if (is_short(d))
        return short_value(d);
    big numerator, denominator;
    big_set(&numerator, 0);
    for (size_t i = 0; i < d->n; i++)
        big_multiply(&numerator, 10, (uint32_t)d->digit[i]);
    big_set(&denominator, 1);
    if (d->exponent >= 0)
        big_multiply_fives(&numerator, d->exponent);
    else
        big_multiply_fives(&denominator, -d->exponent);
    return divide(&numerator, &denominator, d->exponent, d->more);
}

size_t ib_number_parse(const char *text, size_t length, double *value) {
    const bool negative = length && text[0] == '-';
    const size_t sign = length && (text[0] == '-' || text[0] == '+');
    decimal d;
    const size_t read = scan(text + sign, length - sign, &d);
    if (!read)
        return 0;
    const double size = decimal_value(&d);
    *value = negative ? -size : size;
    return sign + read;
}

/* ---- writing ---- */

/* An integer in base 10^9, least limb first. */
typedef struct decimal_big {
    size_t n;
    uint32_t limb[DECIMAL_LIMBS];
} decimal_big;

static void decimal_multiply(decimal_big *a, uint32_t factor) {
    uint64_t carry = 0;
    for (size_t i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)(carry % DECIMAL_BASE);
        carry /= DECIMAL_BASE;
    }
    for (; carry; carry /= DECIMAL_BASE)
        a->limb[a->n++] = (uint32_t)(carry % DECIMAL_BASE);
}

/* |value| = a / 10^places exactly. */
static void decimal_expand(double value, decimal_big *a, int *places) {
    int exponent;
    const double mantissa = frexp(fabs(value), &exponent);
    uint64_t integer = (uint64_t)(mantissa * 0x1p53);
    exponent -= 53;
    for (; exponent < 0 && !(integer & 1); exponent++)
        integer >>= 1;
    a->n = 0;
    for (; integer; integer /= DECIMAL_BASE)
        a->limb[a->n++] = (uint32_t)(integer % DECIMAL_BASE);
    *places = exponent < 0 ? -exponent : 0;
    for (; exponent <= -13; exponent += 13)
        decimal_multiply(a, UINT32_C(1220703125)); /* 5^13 */
    for (; exponent < 0; exponent++)
        decimal_multiply(a, 5);
    for (; exponent >= 29; exponent -= 29)
        decimal_multiply(a, UINT32_C(1) << 29);
    if (exponent)
        decimal_multiply(a, UINT32_C(1) << exponent);
}

/* The leading digits (19 at least where there are so many); true for `more` when others follow. */
static void leading_digits(const decimal_big *a, int places, decimal *d) {
    d->n = 0, d->more = false;
    size_t limb = a->n;
    while (limb && a->n - limb < 3) {
        uint32_t value = a->limb[--limb];
        for (uint32_t unit = DECIMAL_BASE / 10; unit; unit /= 10) {
            if (d->n || value >= unit)
                d->digit[d->n++] = (char)(value / unit);
            value %= unit;
        }
    }
    d->exponent = (int)(9 * limb) - places;
    for (; limb; limb--)
        d->more = d->more || a->limb[limb - 1];
}

/* Rounds to at most n digits, half to even, and drops zeros at the end. */
static void round_digits(const decimal *from, size_t n, decimal *to) {
    to->n = from->n < n ? from->n : n;
    to->exponent = from->exponent + (int)(from->n - to->n);
    to->more = false;
    memcpy(to->digit, from->digit, to->n);
    if (from->n > n) {
        bool beyond = from->more;
        for (size_t i = n + 1; i < from->n; i++)
            beyond = beyond || from->digit[i];
        const bool odd = to->digit[n - 1] & 1;
        bool carry = from->digit[n] > 5 || (from->digit[n] == 5 && (beyond || odd));
        for (size_t i = n; carry && i-- > 0;) {
            carry = to->digit[i] == 9;
            to->digit[i] = carry ? 0 : (char)(to->digit[i] + 1);
        }
        if (carry) {
            to->digit[0] = 1; /* 99...9 became 100...0 */
            to->exponent++;
        }
    }
    while (to->n > 1 && !to->digit[to->n - 1]) {
        to->n--;
        to->exponent++;
    }
}

static char *put_digits(char *at, const char *digits, size_t n) {
    for (size_t i = 0; i < n; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): a double has digits */
        *at++ = (char)('0' + digits[i]);
    return at;
}

static char *put_zeros(char *at, int n) {
    for (; n > 0; n--)
        *at++ = '0';
    return at;
}

static char *put_scientific(char *at, const decimal *d, int leading) {
    at = put_digits(at, d->digit, 1);
    if (d->n > 1) {
        *at++ = '.';
        at = put_digits(at, d->digit + 1, d->n - 1);
    }
    *at++ = 'e';
    *at++ = leading < 0 ? '-' : '+';
    const int size = leading < 0 ? -leading : leading;
    if (size >= 100)
        *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return at;
}

/* `leading` is the power of ten of the first digit. */
static char *put_fixed(char *at, const decimal *d, int leading) {
    if (leading < 0) {
        *at++ = '0';
        *at++ = '.';
        return put_digits(put_zeros(at, -leading - 1), d->digit, d->n);
    }
    const size_t before = (size_t)leading + 1;
    if (d->n <= before)
        return put_zeros(put_digits(at, d->digit, d->n), (int)(before - d->n));
    at = put_digits(at, d->digit, before);
    *at++ = '.';
    return put_digits(at, d->digit + before, d->n - before);
}

/* The shortest of 15, 16 and 17 rounded digits that reads back as `size` > 0. */
static void shortest(double size, decimal *d) {
    decimal_big expanded;
    decimal all;
    int places;
    decimal_expand(size, &expanded, &places);
    leading_digits(&expanded, places, &all);
    for (size_t n = 15; n <= 17; n++) {
        round_digits(&all, n, d);
        if (n == 17 || (all.n <= n && !all.more) || decimal_value(d) == size)
            return;
    }
}

char *ib_number_text(double value, char buffer[IB_NUMBER_SIZE]) {
    char *at = buffer;
    if (isnan(value))
        return strcpy(buffer, "nan");
    if (signbit(value))
        *at++ = '-';
    if (isinf(value) || value == 0) {
        strcpy(at, value == 0 ? "0" : "inf");
        return buffer;
    }
    decimal d;
    shortest(fabs(value), &d);
    const int leading = d.exponent + (int)d.n - 1;
    at = leading >= -4 && leading < 16 ? put_fixed(at, &d, leading)
                                       : put_scientific(at, &d, leading);
    *at = '\0';
    return buffer;
}
