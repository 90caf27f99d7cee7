/* Building blocks of the reproducible elementary functions; private to fmath*.c.
 *
 * Bit access, and arithmetic on unevaluated sums of two doubles ("pairs") without fused
 * multiply-add: T. J. Dekker, "A floating-point technique for extending the available precision",
 * Numer. Math. 18 (1971), and D. E. Knuth, TAOCP vol. 2, 4.2.2. Everything is a static inline
 * function of its arguments. Nothing here treats infinities or NaN: callers sort those out first.
 */
#ifndef IB_BASE_FMATH_CORE_H
#define IB_BASE_FMATH_CORE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/fmath_tables.h"

#if defined(__FAST_MATH__) || (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0)
#error "fmath must be compiled without -ffast-math: its bits would depend on the compiler"
#endif
#if __FLT_EVAL_METHOD__ != 0
#error "fmath needs each operation rounded to double (no x87 arithmetic)"
#endif
/* No a * b + c in one rounding, also where the command line forgets -ffp-contract=off (the source
 * of an exported model is compiled by its importer). */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#define FM_SIGN_BIT (UINT64_C(1) << 63)
#define FM_MANTISSA_BITS ((UINT64_C(1) << 52) - 1)
#define FM_ONE_BITS (UINT64_C(1023) << 52)
#define FM_INF_BITS (UINT64_C(2047) << 52)

/* Adding and subtracting this rounds a double below 2^51 in size to an integer, and leaves that
 * integer in the low bits of the sum. */
#define FM_ROUND_SHIFT 0x1.8p52

static inline uint64_t fm_bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double fm_from_bits(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Bits of |x|: they order as the magnitudes do, NaN above infinity. */
static inline uint64_t fm_abs_bits(double x) { return fm_bits(x) & ~FM_SIGN_BIT; }

static inline uint64_t fm_sign(double x) { return fm_bits(x) & FM_SIGN_BIT; }

static inline double fm_abs(double x) { return fm_from_bits(fm_abs_bits(x)); }

/* x with its sign flipped where sign has the sign bit. */
static inline double fm_flip(double x, uint64_t sign) { return fm_from_bits(fm_bits(x) ^ sign); }

/* The one NaN ever returned. A NaN that arithmetic makes has a sign that depends on whether the
 * compiler or the processor made it, and a payload that depends on the order of operands. */
static inline double fm_nan(void) { return fm_from_bits(FM_INF_BITS | (UINT64_C(1) << 51)); }

static inline double fm_inf(void) { return fm_from_bits(FM_INF_BITS); }

/* 2^k for -1022 <= k <= 1023. */
static inline double fm_power_of_two(int k) {
    return fm_from_bits((uint64_t)(int64_t)(k + 1023) << 52);
}

/* The hardware square root: IEEE 754 requires it correctly rounded. */
static inline double fm_sqrt(double x) { return sqrt(x); }

/* The integer left by adding FM_ROUND_SHIFT. */
static inline int64_t fm_shifted_integer(double sum) {
    return (int64_t)(fm_bits(sum) - fm_bits(FM_ROUND_SHIFT));
}

/* a + b exactly, if |a| >= |b| or a is a multiple of b's unit in the last place. */
static inline struct fm_pair fm_fast_two_sum(double a, double b) {
    double s = a + b;
    return (struct fm_pair){s, b - (s - a)};
}

/* a + b exactly, for any order of size. */
static inline struct fm_pair fm_two_sum(double a, double b) {
    double s = a + b;
    double bb = s - a;
    return (struct fm_pair){s, (a - (s - bb)) + (b - bb)};
}

/* x cut after its 26 leading bits: the rest has at most 27, so that products of two cut parts and
 * of a cut part with a rest are exact. Cutting bits cannot overflow as Veltkamp's product can. */
static inline double fm_head(double x) { return fm_from_bits(fm_bits(x) & ~UINT64_C(0x7ffffff)); }

/* a * b with an error below 2^-106 of it. */
static inline struct fm_pair fm_two_product(double a, double b) {
    double p = a * b;
    double ah = fm_head(a), al = a - ah;
    double bh = fm_head(b), bl = b - bh;
    return (struct fm_pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline struct fm_pair fm_pair_product(struct fm_pair a, struct fm_pair b) {
    struct fm_pair p = fm_two_product(a.hi, b.hi);
    return fm_fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline struct fm_pair fm_pair_sum(struct fm_pair a, struct fm_pair b) {
    struct fm_pair s = fm_two_sum(a.hi, b.hi);
    return fm_fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

/* a / b: the quotient of the leading parts and one Newton correction. */
static inline struct fm_pair fm_pair_quotient(struct fm_pair a, struct fm_pair b) {
    double q = a.hi / b.hi;
    struct fm_pair p = fm_two_product(q, b.hi);
    double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
    return fm_fast_two_sum(q, rest * (1.0 / b.hi)); /* both divisions run side by side */
}

/* sqrt(a), likewise. a > 0. */
static inline struct fm_pair fm_pair_sqrt(struct fm_pair a) {
    double s = fm_sqrt(a.hi);
    struct fm_pair p = fm_two_product(s, s);
    double rest = ((a.hi - p.hi) - p.lo) + a.lo;
    return fm_fast_two_sum(s, rest * (0.5 / s));
}

/* x * 2^k in one rounding at most for results that are normal or exact; |k| <= 2098. */
static inline double fm_scale(double x, int k) {
    if (k > 1023) {
        x *= 0x1p1023;
        k = k - 1023 > 1023 ? 1023 : k - 1023;
    } else if (k < -1022) {
        x *= 0x1p-1022;
        k = k + 1022 < -1022 ? -1022 : k + 1022;
    }
    return x * fm_power_of_two(k);
}

/* (v.hi + v.lo) * 2^k rounded once, also to a subnormal number; v.hi positive and normal.
 *
 * A subnormal result is a multiple of 2^-1074. Adding 2^52 such units (taken at the scale of v)
 * makes the processor round there; the exact rest of that sum and v.lo are added before the units
 * are taken off again, so that nothing is rounded twice. */
static inline double fm_round_scaled(struct fm_pair v, int k) {
    double r = v.hi + v.lo;
    if ((int)(fm_bits(r) >> 52) + k > 0)
        return fm_scale(r, k);
    double unit52 = fm_power_of_two(-1022 - k > 1023 ? 1023 : -1022 - k);
    struct fm_pair s = fm_two_sum(unit52, v.hi);
    return fm_scale((s.hi + (s.lo + v.lo)) - unit52, k);
}

#endif
