/* Argument reduction of the logarithm, for log and pow; private to fmath*.c.
 *
 * The method is described in fmath_exp.c. Does not sum the series: log and pow need it to
 * different accuracies.
 */
#ifndef IB_BASE_FMATH_LOG_KERNEL_H
#define IB_BASE_FMATH_LOG_KERNEL_H

#include "base/fmath_core.h"

/* log x = hi + lo + log(1 + r_hi + r_lo). hi and r_hi are multiples of 2^-42 and their sum is
 * exact; r_hi + r_lo is exact, |r| < 0.006 and |r_lo| < 2^-30; |lo| < 2^-33. Around x = 1 hi and lo
 * are zero and r_hi + r_lo = x - 1. */
struct fm_log_reduced {
    double hi, lo, r_hi, r_lo;
};

/* bits: those of a positive normal number v; the argument is v * 2^k. */
static inline struct fm_log_reduced fm_log_reduce(uint64_t bits, int k) {
    uint64_t mantissa = bits & FM_MANTISSA_BITS;
    unsigned i = (unsigned)((mantissa + (UINT64_C(1) << 44)) >> 45);
    int halve = i >= FM_LOG_SPLIT;
    k += (int)(bits >> 52) - 1023 + halve;
    struct fm_log_entry t = ib_fm_log_table[i];
    double m = fm_from_bits(mantissa | ((uint64_t)(1023 - halve) << 52));
    double m_hi = fm_from_bits(fm_bits(m) & ~UINT64_C(0x1fffff)); /* 31 places kept */
    double r_hi = m_hi * t.c - 1.0;
    double r_lo = (m - m_hi) * t.c;
    double n = (double)k;
    return (struct fm_log_reduced){n * FM_LN2_HI + t.hi, n * FM_LN2_LO + t.lo, r_hi, r_lo};
}

#endif
