/* Doubles to text and back, fast: this is most of the work of recording and of reading results.
 *
 * Writing implements R. Giulietti, "The Schubfach way to render doubles" (2020): the shortest
 * decimal in the rounding interval of a double, nearest to it, from one table of powers of ten
 * scaled to 126 bits and three multiplications. The layout is that of ib_number_text. Reading
 * multiplies up to 19 digits by both bounds of the same power: where both products round to one
 * double, so does the number between them; the rest goes to ib_number_parse.
 *
 * The table is made here from integers and kept by the caller: nothing is global.
 */
#include "results_internal.h"

#include <string.h>

/* ---- the table ----------------------------------------------------------------------------- */

#define WORDS 40 /* 1,280 bits: 10^324 * 2^128 and 2^1216 fit */

typedef struct big {
    uint32_t word[WORDS]; /* least significant first */
} big;

static void multiply(big *x, uint32_t by) {
    uint64_t carry = 0;
    for (size_t i = 0; i < WORDS; i++) {
        carry += (uint64_t)x->word[i] * by;
        x->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void divide(big *x, uint32_t by) {
    uint64_t rest = 0;
    for (size_t i = WORDS; i-- > 0;) {
        rest = rest << 32 | x->word[i];
        x->word[i] = (uint32_t)(rest / by);
        rest %= by;
    }
}

static size_t bit_length(const big *x) {
    size_t i = WORDS;
    while (i > 0 && !x->word[i - 1])
        i--;
    size_t bits = 32 * i;
    for (uint32_t top = i ? x->word[i - 1] : 0; i && !(top >> 31); top <<= 1)
        bits--;
    return bits;
}

/* 63 bits from bit `from` upwards. */
static uint64_t bits_63(const big *x, size_t from) {
    uint64_t value = 0;
    for (size_t i = 0; i < 63; i++) {
        const size_t bit = from + i;
        value |= (uint64_t)(x->word[bit / 32] >> bit % 32 & 1) << i;
    }
    return value;
}

/* The leading 126 bits of x, plus one: an upper bound, as the method asks for. */
static ib_power leading_bits(const big *x) {
    const size_t length = bit_length(x);
    ib_power power = {bits_63(x, length - 63), bits_63(x, length - 126) + 1};
    if (power.low >> 63) {
        power.low = 0;
        power.high++;
    }
    return power;
}

void ib_decimal_prepare(ib_decimal *decimal) {
    /* Both ways the leading bits are those of the exact power: products are exact, and the floor of
     * a repeated division is the floor of the division by the product. */
    big up = {{0}}, down = {{0}};
    up.word[4] = 1;    /* 2^128 */
    down.word[38] = 1; /* 2^1216 */
    for (int p = 0; p <= IB_POWER_MOST; p++) {
        decimal->powers[p - IB_POWER_LEAST] = leading_bits(&up);
        multiply(&up, 10);
    }
    for (int p = -1; p >= IB_POWER_LEAST; p--) {
        divide(&down, 10);
        decimal->powers[p - IB_POWER_LEAST] = leading_bits(&down);
    }
}

/* ---- the shortest decimal ------------------------------------------------------------------ */

__extension__ typedef unsigned __int128 wide;

/* floor(e * log10(2)), floor(e * log10(2) + log10(3/4)) and floor(e * log2(10)) in fixed point;
 * exact over the exponents of doubles. */
static int floor_log10_pow2(int e) { return (int)((INT64_C(661971961083) * e) >> 41); }

static int floor_log10_three_quarters_pow2(int e) {
    return (int)((INT64_C(661971961083) * e - INT64_C(274743187321)) >> 41);
}

static int floor_log2_pow10(int e) { return (int)((INT64_C(913124641741) * e) >> 38); }

/* g * c / 2^127 rounded to odd: the lowest bit also stands for everything cut off. */
static uint64_t round_to_odd(ib_power g, uint64_t c) {
    const uint64_t x1 = (uint64_t)((wide)g.low * c >> 64);
    const wide y = (wide)g.high * c;
    const uint64_t z = ((uint64_t)y >> 1) + x1;
    const uint64_t mask = UINT64_MAX >> 1;
    return ((uint64_t)(y >> 64) + (z >> 63)) | (((z & mask) + mask) >> 63);
}

/* digits * 10^exponent */
typedef struct shortest {
    uint64_t digits;
    int exponent;
} shortest;

/* The shortest decimal that rounds to mantissa * 2^exponent, a positive finite double. */
static shortest find_shortest(const ib_decimal *decimal, uint64_t mantissa, int exponent) {
    /* Below a power of two the doubles are denser: the interval is shorter on that side. */
    const bool even_spacing = mantissa != UINT64_C(1) << 52 || exponent == -1074;
    const int k =
        even_spacing ? floor_log10_pow2(exponent) : floor_log10_three_quarters_pow2(exponent);
    const ib_power g = decimal->powers[-k - IB_POWER_LEAST];
    const int shift = exponent + floor_log2_pow10(-k) + 2;
    const uint64_t centre = 4 * mantissa;
    const uint64_t v = round_to_odd(g, centre << shift);
    const uint64_t left = round_to_odd(g, (centre - (even_spacing ? 2 : 1)) << shift);
    const uint64_t right = round_to_odd(g, (centre + 2) << shift);
    const uint64_t open = mantissa & 1; /* the interval's ends round to even neighbours */

    /* One digit less, if exactly one such decimal lies in the interval. */
    const uint64_t s = v / 4;
    if (s >= 10) {
        const uint64_t below = s / 10 * 10, above = below + 10;
        const bool below_in = left + open <= 4 * below;
        const bool above_in = 4 * above + open <= right;
        if (below_in != above_in)
            return (shortest){below_in ? below : above, k};
    }
    const bool s_in = left + open <= 4 * s;
    const bool next_in = 4 * (s + 1) + open <= right;
    if (s_in != next_in)
        return (shortest){s_in ? s : s + 1, k};
    /* Both lie in the interval: the nearer, the even one of a tie. */
    const uint64_t middle = 2 * (2 * s + 1);
    return (shortest){v < middle || (v == middle && s % 2 == 0) ? s : s + 1, k};
}

/* ---- layout -------------------------------------------------------------------------------- */

/* Two digits at a time halve the divisions. */
static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

/* Writes the digits of a number without leading zeros; returns how many. */
static size_t put_digits(char *text, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    for (; number >= 100; number /= 100)
        memcpy(digits + (at -= 2), digit_pairs + number % 100 * 2, 2);
    if (number >= 10)
        memcpy(digits + (at -= 2), digit_pairs + number * 2, 2);
    else
        digits[--at] = (char)('0' + number);
    memcpy(text, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

/* d.ddde-07 */
static size_t put_scientific(char *text, const char *digits, size_t n, int exponent) {
    char *t = text;
    *t++ = digits[0];
    if (n > 1) {
        *t++ = '.';
        memcpy(t, digits + 1, n - 1);
        t += n - 1;
    }
    *t++ = 'e';
    *t++ = exponent < 0 ? '-' : '+';
    const unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (size < 10)
        *t++ = '0';
    t += put_digits(t, size);
    return (size_t)(t - text);
}

/* ddd.dd, dd000 or 0.000dd */
static size_t put_fixed(char *text, const char *digits, size_t n, int exponent) {
    char *t = text;
    if (exponent < 0) {
        memcpy(t, "0.0000", 6);
        t += 1 - exponent;
        memcpy(t, digits, n);
        return (size_t)(t + n - text);
    }
    const size_t whole = (size_t)exponent + 1;
    if (n <= whole) {
        memcpy(t, digits, n);
        memset(t + n, '0', whole - n);
        return whole;
    }
    memcpy(t, digits, whole);
    t[whole] = '.';
    memcpy(t + whole + 1, digits + whole, n - whole);
    return n + 1;
}

static size_t put_finite(const ib_decimal *decimal, uint64_t mantissa, int exponent, char *text) {
    const shortest found = find_shortest(decimal, mantissa, exponent);
    char digits[20];
    size_t n = put_digits(digits, found.digits);
    const int leading = found.exponent + (int)n - 1; /* power of ten of the first digit */
    while (n > 1 && digits[n - 1] == '0')
        n--;
    if (n > 15 && mantissa == UINT64_C(1) << 52)
        return 0; /* the shortest of an uneven interval may not be the nearest of its length */
    return leading < -4 || leading >= 16 ? put_scientific(text, digits, n, leading)
                                         : put_fixed(text, digits, n, leading);
}

size_t ib_decimal_write(const ib_decimal *decimal, double value, char *text) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction = bits & (UINT64_MAX >> 12);
    const int field = (int)(bits >> 52 & 0x7ff);
    if (field == 0x7ff && fraction) {
        memcpy(text, "nan", 3);
        return 3;
    }
    size_t sign = 0;
    if (bits >> 63)
        text[sign++] = '-';
    if (field == 0x7ff) {
        memcpy(text + sign, "inf", 3);
        return sign + 3;
    }
    if (!field && !fraction) {
        text[sign] = '0';
        return sign + 1;
    }
    /* Subnormals have fewer digits than the 15 that ib_number_text begins with. */
    const uint64_t mantissa = fraction | UINT64_C(1) << 52;
    const size_t length = field ? put_finite(decimal, mantissa, field - 1075, text + sign) : 0;
    return length ? sign + length : strlen(ib_number_text(value, text));
}

size_t ib_decimal_write_time(ib_time time, char *text) {
    const uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
    char *t = text;
    if (time < 0)
        *t++ = '-';
    t += put_digits(t, size / (uint64_t)IB_SECOND);
    uint64_t fraction = size % (uint64_t)IB_SECOND;
    if (!fraction)
        return (size_t)(t - text);
    *t++ = '.';
    size_t n = 9;
    for (; fraction % 10 == 0; n--)
        fraction /= 10;
    for (size_t i = n; i-- > 0; fraction /= 10)
        t[i] = (char)('0' + fraction % 10);
    return (size_t)(t + n - text);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* A number as written: digits * 10^exponent, `length` bytes long. */
typedef struct written {
    uint64_t digits;
    int exponent;
    size_t length;
} written;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits from text[at]; false when there are more than 64 bits hold. */
static bool scan_digits(const char *text, size_t length, size_t *at, uint64_t *digits) {
    size_t i = *at;
    for (; i < length && is_digit(text[i]); i++) {
        if (*digits > UINT64_C(999999999999999999))
            return false;
        *digits = 10 * *digits + (uint64_t)(text[i] - '0');
    }
    *at = i;
    return true;
}

/* Splits an unsigned number of at most 19 digits; false for anything that needs the slow way. */
static bool scan(const char *text, size_t length, written *number) {
    size_t i = 0;
    *number = (written){0};
    if (!scan_digits(text, length, &i, &number->digits))
        return false;
    size_t n_digits = i;
    if (i < length && text[i] == '.') {
        const size_t point = ++i;
        if (!scan_digits(text, length, &i, &number->digits))
            return false;
        number->exponent = -(int)(i - point);
        n_digits += i - point;
    }
    if (!n_digits)
        return false;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        const bool negative = i < length && text[i] == '-';
        if (i < length && (text[i] == '-' || text[i] == '+'))
            i++;
        const size_t start = i;
        uint64_t power = 0;
        if (!scan_digits(text, length, &i, &power) || i == start || power > 400)
            return false;
        number->exponent += negative ? -(int)power : (int)power;
    }
    number->length = i;
    return true;
}

/* The leading 64 bits of digits * power, the lowest also standing for what was cut off, and the
 * exponent of their lowest bit less that of the power. `digits` has its top bit set. */
static uint64_t leading_product(uint64_t digits, uint64_t high, uint64_t low, int *exponent) {
    const wide upper = (wide)digits * high, lower = (wide)digits * low;
    /* The product is upper * 2^63 + lower, of 189 or 190 bits: 125 or 126 without the lowest 63. */
    const wide sum = upper + (lower >> 63);
    const int shift = sum >> 126 ? 63 : 62;
    const bool cut = (uint64_t)lower << 1 || (sum & (((wide)1 << shift) - 1));
    *exponent = 63 + shift;
    return (uint64_t)(sum >> shift) | cut;
}

/* bits * 2^exponent rounded to a normal double, half to even; false outside that range. */
static bool round_to_double(uint64_t bits, int exponent, double *value) {
    const int shift = 11; /* 64 bits to 53 */
    uint64_t mantissa = bits >> shift;
    const uint64_t rest = bits & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    mantissa += rest > half || (rest == half && (mantissa & 1));
    exponent += shift;
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    const int field = exponent + 1075;
    if (field < 1 || field > 2046)
        return false;
    const uint64_t word = (uint64_t)field << 52 | (mantissa & (UINT64_MAX >> 12));
    memcpy(value, &word, sizeof word);
    return true;
}

/* The double nearest to digits * 10^exponent when both bounds of the power agree on it. */
static bool multiply_out(const ib_decimal *decimal, uint64_t digits, int exponent, double *value) {
    if (exponent < IB_POWER_LEAST || exponent > IB_POWER_MOST)
        return false;
    int base = floor_log2_pow10(exponent) - 125;
    while (!(digits >> 63)) {
        digits <<= 1;
        base--;
    }
    const ib_power above = decimal->powers[exponent - IB_POWER_LEAST];
    const ib_power below = above.low ? (ib_power){above.high, above.low - 1}
                                     : (ib_power){above.high - 1, UINT64_MAX >> 1};
    int shift_above, shift_below;
    const uint64_t most = leading_product(digits, above.high, above.low, &shift_above);
    const uint64_t least = leading_product(digits, below.high, below.low, &shift_below);
    double other;
    return round_to_double(most, base + shift_above, value) &&
           round_to_double(least, base + shift_below, &other) && *value == other;
}

size_t ib_decimal_read(const ib_decimal *decimal, const char *text, size_t length, double *value) {
    const size_t sign = length && (text[0] == '-' || text[0] == '+');
    written number;
    if (!scan(text + sign, length - sign, &number))
        return ib_number_parse(text, length, value);
    if (!number.digits)
        *value = 0;
    else if (!multiply_out(decimal, number.digits, number.exponent, value))
        return ib_number_parse(text, length, value);
    if (sign && text[0] == '-')
        *value = -*value;
    return sign + number.length;
}
