/* x to the power y.
 *
 * x^y = e^(y log x). The exponential turns the absolute error of y log x, which reaches 745, into
 * a relative one, so that the logarithm must carry some ten bits beyond the result: here it is a
 * pair with relative error below 2^-68. After the reduction of fmath_exp.c the series
 * log(1 + r) = r - r^2/2 + r^3/3 - ... is summed with r and its square as pairs; what remains in
 * plain doubles, the cubic term and on, is 2^-16 of r. The product with y is exact to 2^-100 and
 * goes to the kernel of fmath_exp_kernel.h with both parts (P. T. P. Tang, ACM TOMS 15 (1989) and
 * 16 (1990); the double-double steps after Dekker 1971).
 *
 * Special cases follow C17 Annex F.9.4.4. Integer powers are not treated apart: where the result
 * is a double, the error before the last rounding is too small to miss it.
 */
#include "base/fmath.h"
#include "base/fmath_exp_kernel.h"
#include "base/fmath_log_kernel.h"

/* log of the positive number whose bits are given, times 2^k, as a pair. */
static struct fm_pair log_pair(uint64_t bits, int k) {
    struct fm_log_reduced a = fm_log_reduce(bits, k);
    struct fm_pair r = fm_fast_two_sum(a.r_hi, a.r_lo);
    double x = r.hi, x2 = x * x;
    double t =
        x *
        (1.0 / 3.0 - x * 0.25 +
         x2 * (0.2 - x * (1.0 / 6.0) + x2 * (1.0 / 7.0 - x * 0.125 + x2 * (1.0 / 9.0 - x * 0.1))));
    struct fm_pair square = fm_two_product(x, x);
    double cubic = square.hi * t - (0.5 * square.lo + x * r.lo);
    struct fm_pair s = fm_fast_two_sum(a.hi + a.r_hi, a.r_lo);
    struct fm_pair u = fm_fast_two_sum(s.hi, -0.5 * square.hi);
    return fm_fast_two_sum(u.hi, u.lo + (s.lo + (cubic + a.lo)));
}

/* 0: y is no integer, 1: an odd one, 2: an even one. y is finite and not zero. */
static int parity(double y) {
    uint64_t bits = fm_abs_bits(y);
    int exponent = (int)(bits >> 52) - 1023;
    if (exponent < 0)
        return 0;
    if (exponent > 52)
        return 2;
    uint64_t unit = UINT64_C(1) << (52 - exponent);
    uint64_t mantissa = bits | (UINT64_C(1) << 52); /* at exponent 0 the unit is this bit */
    if (mantissa & (unit - 1))
        return 0;
    return mantissa & unit ? 1 : 2;
}

/* y is infinite: the result depends on whether |x| is below, at or above 1. */
static double pow_infinite_exponent(double x, double y) {
    double size = fm_abs(x);
    if (size == 1.0)
        return 1.0;
    return (size > 1.0) == (y > 0.0) ? fm_inf() : 0.0;
}

/* x is zero or infinite, y finite and not zero. */
static double pow_zero_or_infinite_base(double x, double y) {
    uint64_t sign = parity(y) == 1 ? fm_sign(x) : 0;
    int grows = (fm_abs_bits(x) == FM_INF_BITS) == (y > 0.0);
    return fm_flip(grows ? fm_inf() : 0.0, sign);
}

/* Arguments of which one is zero, infinite or not a number, and base 1. */
static double pow_special(double x, double y) {
    if (fm_abs_bits(y) == 0 || x == 1.0)
        return 1.0;
    if (fm_abs_bits(x) > FM_INF_BITS || fm_abs_bits(y) > FM_INF_BITS)
        return fm_nan();
    if (fm_abs_bits(y) == FM_INF_BITS)
        return pow_infinite_exponent(x, y);
    return pow_zero_or_infinite_base(x, y);
}

/* size^y for positive finite size and finite y. */
static double pow_positive(double size, double y) {
    uint64_t bits = fm_bits(size);
    int k = 0;
    if (bits < (UINT64_C(1) << 52)) {
        bits = fm_bits(size * 0x1p52);
        k = -52;
    }
    struct fm_pair l = log_pair(bits, k);
    double approximate = y * l.hi;
    if (approximate > 710.0)
        return fm_inf();
    if (approximate < -746.0)
        return 0.0;
    if (fm_abs(approximate) < 0x1p-54)
        return 1.0 + approximate;
    struct fm_pair p = fm_two_product(y, l.hi);
    return fm_exp_rounded(p.hi, p.lo + y * l.lo);
}

double ib_pow(double x, double y) {
    uint64_t x_size = fm_abs_bits(x), y_size = fm_abs_bits(y);
    if (x_size - 1 >= FM_INF_BITS - 1 || y_size - 1 >= FM_INF_BITS - 1 || x == 1.0)
        return pow_special(x, y);
    uint64_t sign = 0;
    if (fm_sign(x)) {
        int kind = parity(y);
        if (kind == 0)
            return fm_nan();
        sign = kind == 1 ? FM_SIGN_BIT : 0;
    }
    return fm_flip(pow_positive(fm_abs(x), y), sign);
}
