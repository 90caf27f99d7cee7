/* Exponential and natural logarithm.
 *
 * exp: see fmath_exp_kernel.h.
 *
 * log: P. T. P. Tang, "Table-driven implementation of the logarithm function in IEEE floating-point
 * arithmetic", ACM TOMS 16 (1990), with a reciprocal table as in his 1992 variant. x = 2^k m with
 * m in [0.707, 1.414); c is 1/m to ten binary places and r = m c - 1, |r| < 0.006, is formed as
 * the sum of two exact products. log x = k ln2 - log c + log(1 + r). Near 1, where these terms
 * would cancel, log(1 + f) is summed directly with the square in two parts.
 *
 * Does not provide exp2, log2, log10, expm1 or log1p.
 */
#include "base/fmath.h"
#include "base/fmath_exp_kernel.h"
#include "base/fmath_log_kernel.h"

double ib_exp(double x) {
    uint64_t size = fm_abs_bits(x);
    if (size >= UINT64_C(0x4086000000000000)) { /* |x| >= 704, or not a number */
        if (size > FM_INF_BITS)
            return fm_nan();
        if (x > 710.0)
            return fm_inf();
        if (x < -746.0)
            return 0.0;
        return fm_exp_rounded(x, 0.0);
    }
    if (size < UINT64_C(0x3c90000000000000)) /* |x| < 2^-54 */
        return 1.0 + x;
    struct fm_exp_reduced a = fm_exp_reduce(x, 0.0);
    struct fm_pair t = ib_fm_exp_table[a.n & 127];
    double y = t.hi + (t.lo + t.hi * fm_exp_series(a.r));
    return y * fm_power_of_two(fm_exp_exponent(a.n));
}

/* log(1 + f) for |f| <= 2^-6. The square's leading part has 52 bits at most, so that f - head^2/2
 * can be split exactly; the rest of the series is 2^-14 of f or less. */
static double log_near_one(double f) {
    double head = fm_head(f), tail = f - head;
    struct fm_pair s = fm_fast_two_sum(f, -0.5 * (head * head));
    double f2 = f * f, f4 = f2 * f2;
    double low = 1.0 / 3.0 - f * 0.25 + f2 * (0.2 - f * (1.0 / 6.0));
    double high = 1.0 / 7.0 - f * 0.125 + f2 * (1.0 / 9.0 - f * 0.1 + f2 * (1.0 / 11.0));
    double rest = s.lo - 0.5 * (tail * (f + head));
    return s.hi + (rest + f2 * f * (low + f4 * high));
}

double ib_log(double x) {
    if (x > 1.0 - 0x1p-6 && x < 1.0 + 0x1p-6)
        return log_near_one(x - 1.0);
    uint64_t bits = fm_bits(x);
    int k = 0;
    /* One comparison finds zero, subnormal, negative, infinite and NaN arguments. */
    if (bits - (UINT64_C(1) << 52) >= FM_INF_BITS - (UINT64_C(1) << 52)) {
        if (fm_abs_bits(x) == 0)
            return -fm_inf();
        if (fm_abs_bits(x) > FM_INF_BITS || bits >> 63)
            return fm_nan();
        if (bits == FM_INF_BITS)
            return x;
        bits = fm_bits(x * 0x1p52);
        k = -52;
    }
    struct fm_log_reduced a = fm_log_reduce(bits, k);
    double r = a.r_hi + a.r_lo;
    double r2 = r * r;
    double cubic = r * (1.0 / 3.0 - r * 0.25 + r2 * (0.2 - r * (1.0 / 6.0) + r2 * (1.0 / 7.0)));
    return a.hi + a.r_hi + (a.r_lo + a.lo + r2 * (cubic - 0.5));
}
