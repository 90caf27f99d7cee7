/* Hyperbolic sine, cosine and tangent.
 *
 * e^x and e^-x share one reduction and the even and odd halves of one series (the kernel of
 * fmath_exp_kernel.h otherwise); both are pairs, and so are their sum and difference. Below 1/4
 * the sine is summed directly, because the difference would cancel. The tangent is the quotient.
 * From |x| = 22 on e^-|x| no longer shows in a double beside e^|x|.
 */
#include "base/fmath.h"
#include "base/fmath_exp_kernel.h"

static struct fm_pair scale_pair(struct fm_pair a, int k) {
    double f = fm_power_of_two(k);
    return (struct fm_pair){a.hi * f, a.lo * f};
}

/* e^x / 2 and e^-x / 2 for 0 <= x <= 22. */
static void half_exponentials(double x, struct fm_pair *plus, struct fm_pair *minus) {
    struct fm_exp_reduced a = fm_exp_reduce(x, 0.0);
    double r = a.r, r2 = r * r;
    double even = r2 * (0.5 + r2 * (1.0 / 24.0));
    double odd = r2 * r * (1.0 / 6.0 + r2 * (1.0 / 120.0));
    *plus = scale_pair(fm_exp_combine(a.n, r + (even + odd)), fm_exp_exponent(a.n) - 1);
    *minus = scale_pair(fm_exp_combine(-a.n, (even - odd) - r), fm_exp_exponent(-a.n) - 1);
}

/* sinh x for 0 <= x < 1/4. */
static struct fm_pair sinh_small(double x) {
    double x2 = x * x, x4 = x2 * x2;
    double low = 1.0 / 6.0 + x2 * (1.0 / 120.0) + x4 * (1.0 / 5040.0 + x2 * (1.0 / 362880.0));
    double high = 1.0 / 39916800.0 + x2 * (1.0 / 6227020800.0);
    return fm_fast_two_sum(x, x * x2 * (low + x4 * x4 * high));
}

static struct fm_pair negated(struct fm_pair a) { return (struct fm_pair){-a.hi, -a.lo}; }

/* Both for 0 <= x <= 22. */
static void sinh_cosh(double x, struct fm_pair *sine, struct fm_pair *cosine) {
    struct fm_pair plus, minus;
    half_exponentials(x, &plus, &minus);
    *cosine = fm_pair_sum(plus, minus);
    *sine = x < 0.25 ? sinh_small(x) : fm_pair_sum(plus, negated(minus));
}

/* e^x / 2 for x > 22. */
static double half_exponential(double x) {
    if (x > 711.0)
        return fm_inf();
    struct fm_exp_reduced a = fm_exp_reduce(x, 0.0);
    struct fm_pair v = fm_exp_combine(a.n, fm_exp_series(a.r));
    return fm_round_scaled(v, fm_exp_exponent(a.n) - 1);
}

double ib_sinh(double x) {
    double size = fm_abs(x);
    if (x != x)
        return fm_nan();
    if (size < 0x1p-27)
        return x;
    if (size > 22.0)
        return fm_flip(half_exponential(size), fm_sign(x));
    if (size < 0.25)
        return fm_flip(sinh_small(size).hi, fm_sign(x));
    struct fm_pair sine, cosine;
    sinh_cosh(size, &sine, &cosine);
    return fm_flip(sine.hi, fm_sign(x));
}

double ib_cosh(double x) {
    double size = fm_abs(x);
    if (x != x)
        return fm_nan();
    if (size < 0x1p-27)
        return 1.0;
    if (size > 22.0)
        return half_exponential(size);
    struct fm_pair sine, cosine;
    sinh_cosh(size, &sine, &cosine);
    return cosine.hi;
}

double ib_tanh(double x) {
    double size = fm_abs(x);
    if (x != x)
        return fm_nan();
    if (size < 0x1p-27)
        return x;
    if (size > 22.0)
        return fm_flip(1.0, fm_sign(x));
    struct fm_pair sine, cosine;
    sinh_cosh(size, &sine, &cosine);
    return fm_flip(fm_pair_quotient(sine, cosine).hi, fm_sign(x));
}
