/* Rounding to integers, and the remainder of a division: exact, in integer arithmetic.
 *
 * fmod is long division in binary: the mantissa of x is shifted up by as many places as fit in 64
 * bits and reduced modulo that of y until the difference of the exponents is used up.
 */
#include "base/fmath.h"
#include "base/fmath_core.h"

/* Bits of weight below one in the number with these bits; 0 if it has none. For |x| >= 1. */
static uint64_t fraction_mask(uint64_t bits) {
    int exponent = (int)((bits & ~FM_SIGN_BIT) >> 52) - 1023;
    return exponent >= 52 ? 0 : FM_MANTISSA_BITS >> exponent;
}

/* Cuts the fraction off; if `up`, takes the next integer away from zero unless x is one. */
static double cut(double x, int up) {
    uint64_t bits = fm_bits(x);
    if (x != x)
        return fm_nan();
    if (fm_abs_bits(x) < FM_ONE_BITS)
        return fm_flip(up && x != 0.0 ? 1.0 : 0.0, fm_sign(x));
    uint64_t mask = fraction_mask(bits);
    if (up && (bits & mask) != 0)
        bits += mask; /* carries into the integer part, and on into the exponent */
    return fm_from_bits(bits & ~mask);
}

double ib_trunc(double x) { return cut(x, 0); }

double ib_floor(double x) { return cut(x, fm_sign(x) != 0); }

double ib_ceil(double x) { return cut(x, fm_sign(x) == 0); }

double ib_round(double x) {
    uint64_t bits = fm_bits(x);
    if (x != x)
        return fm_nan();
    if (fm_abs_bits(x) < FM_ONE_BITS)
        return fm_flip(fm_abs(x) >= 0.5 ? 1.0 : 0.0, fm_sign(x));
    uint64_t mask = fraction_mask(bits);
    return fm_from_bits((bits + (mask ^ (mask >> 1))) & ~mask); /* adds one half, then cuts */
}

/* A positive number as mantissa * 2^exponent, the mantissa below 2^53. */
static uint64_t take_apart(uint64_t bits, int *exponent) {
    int e = (int)(bits >> 52);
    *exponent = e == 0 ? -1074 : e - 1075;
    return e == 0 ? bits : (bits & FM_MANTISSA_BITS) | (UINT64_C(1) << 52);
}

/* mantissa * 2^exponent as bits, for values known to be exact. */
static double put_together(uint64_t mantissa, int exponent) {
    return fm_scale((double)mantissa, exponent);
}

static double fmod_finite(uint64_t x, uint64_t y) {
    int x_exponent, y_exponent;
    uint64_t a = take_apart(x, &x_exponent), b = take_apart(y, &y_exponent);
    a %= b;
    for (int left = x_exponent - y_exponent; left > 0 && a != 0;) {
        int step = left < 11 ? left : 11;
        a = (a << step) % b;
        left -= step;
    }
    return put_together(a, y_exponent);
}

double ib_fmod(double x, double y) {
    uint64_t a = fm_abs_bits(x), b = fm_abs_bits(y);
    if (a >= FM_INF_BITS || b > FM_INF_BITS || b == 0)
        return fm_nan();
    if (a < b)
        return x;
    return fm_flip(fmod_finite(a, b), fm_sign(x));
}
