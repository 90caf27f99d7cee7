/* The exponential as a pair, for exp, pow and the hyperbolic functions; private to fmath*.c.
 *
 * Method: P. T. P. Tang, "Table-driven implementation of the exponential function in IEEE
 * floating-point arithmetic", ACM TOMS 15 (1989). x = (128 k + i) ln2/128 + r with |r| <= 0.00271;
 * e^x = 2^k 2^(i/128) e^r with the middle factor from a table in double-double and e^r - 1 from
 * its series. The reduction subtracts n ln2/128 in two parts (Cody & Waite, "Software Manual for
 * the Elementary Functions", 1980), the first product being exact.
 *
 * Does not check the range: |x| must be below 1,400.
 */
#ifndef IB_BASE_FMATH_EXP_KERNEL_H
#define IB_BASE_FMATH_EXP_KERNEL_H

#include "base/fmath_core.h"

struct fm_exp_reduced {
    double r; /* |r| <= 0.00271 */
    int n;    /* 128 k + i */
};

/* x + lo = n ln2/128 + r; the absolute error of r is below 2^-61. */
static inline struct fm_exp_reduced fm_exp_reduce(double x, double lo) {
    double sum = x * FM_EXP_STEPS_PER_UNIT + FM_ROUND_SHIFT;
    double n = sum - FM_ROUND_SHIFT;
    double r = (x - n * FM_EXP_STEP_HI) - (n * FM_EXP_STEP_LO - lo);
    return (struct fm_exp_reduced){r, (int)fm_shifted_integer(sum)};
}

/* Table entry 2^(i/128) times 1 + p, |p| < 0.003, as a pair with relative error below 2^-60. */
static inline struct fm_pair fm_exp_combine(int n, double p) {
    struct fm_pair t = ib_fm_exp_table[n & 127];
    return fm_fast_two_sum(t.hi, t.lo + t.hi * p);
}

/* k of the power 2^k that fm_exp_combine leaves out. */
static inline int fm_exp_exponent(int n) { return (n - (n & 127)) / 128; }

/* e^r - 1 for the reduced r, absolute error below 2^-60. */
static inline double fm_exp_series(double r) {
    double r2 = r * r;
    return r + (r2 * (0.5 + r * (1.0 / 6.0)) + (r2 * r2) * (1.0 / 24.0 + r * (1.0 / 120.0)));
}

/* e^(x + lo) rounded; for |x| below 1,400, overflow to infinity and underflow included. */
static inline double fm_exp_rounded(double x, double lo) {
    struct fm_exp_reduced a = fm_exp_reduce(x, lo);
    struct fm_pair v = fm_exp_combine(a.n, fm_exp_series(a.r));
    return fm_round_scaled(v, fm_exp_exponent(a.n));
}

#endif
