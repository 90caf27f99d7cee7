/* Constants and tables of the reproducible elementary functions; private to fmath*.c.
 * Declares the tables of fmath_tables.c; holds no method and no code.
 * Made by tools/generate_fmath_tables.py: change that, not this file.
 */
#ifndef IB_BASE_FMATH_TABLES_H
#define IB_BASE_FMATH_TABLES_H

#include <stdint.h>

/* pi as a sum of two doubles. */
#define FM_PI_HI (0x1.921fb54442d18p+1)
#define FM_PI_LO (0x1.1a62633145c07p-53)

/* pi/2 as a sum of two doubles. */
#define FM_PI_2_HI (0x1.921fb54442d18p+0)
#define FM_PI_2_LO (0x1.1a62633145c07p-54)

/* pi/4 as a sum of two doubles. */
#define FM_PI_4_HI (0x1.921fb54442d18p-1)
#define FM_PI_4_LO (0x1.1a62633145c07p-55)

/* 2/pi. */
#define FM_TWO_OVER_PI (0x1.45f306dc9c883p-1)

/* pi/2 in parts of 33, 33 and 53 bits: n times either of the first two is exact for |n| < 2^20. */
#define FM_PI_2_PART_1 (0x1.921fb54400000p+0)
#define FM_PI_2_PART_2 (0x1.0b4611a600000p-34)
#define FM_PI_2_PART_3 (0x1.3198a2e037073p-69)

/* 128/ln 2. */
#define FM_EXP_STEPS_PER_UNIT (0x1.71547652b82fep+7)

/* ln 2/128, the first part a multiple of 2^-42: n times it is exact for |n| < 2^18. */
#define FM_EXP_STEP_HI (0x1.62e42fefc0000p-8)
#define FM_EXP_STEP_LO (-0x1.c610ca86c3899p-44)

/* ln 2, the first part a multiple of 2^-42: k times it is exact for |k| < 2^11. */
#define FM_LN2_HI (0x1.62e42fefa3800p-1)
#define FM_LN2_LO (0x1.ef35793c76730p-45)

/* Index in ib_fm_log_table from which the mantissa is halved. */
#define FM_LOG_SPLIT 53

/* An unevaluated sum hi + lo with |lo| at most half a unit in the last place of hi. */
struct fm_pair {
    double hi, lo;
};

struct fm_log_entry {
    double c, hi, lo;
};

/* Index of the first row of ib_fm_asin_table. */
#define FM_ASIN_FIRST 16

struct fm_asin_entry {
    struct fm_pair at;
    double term[7]; /* of z, z^2, ... */
};

struct fm_trig_entry {
    struct fm_pair part[2]; /* sine, cosine */
};

/* 2^(i/128) as a sum of two doubles. */
extern const struct fm_pair ib_fm_exp_table[128];

/* For a mantissa near 1 + i/128 (halved from i = FM_LOG_SPLIT on): its reciprocal c to ten
 * binary places, and -log c as a multiple of 2^-42 plus a rest. */
extern const struct fm_log_entry ib_fm_log_table[129];

/* sin(i/128) and cos(i/128), each as a sum of two doubles. */
extern const struct fm_trig_entry ib_fm_trig_table[103];

/* atan(i/256) as a sum of two doubles. */
extern const struct fm_pair ib_fm_atan_table[257];

/* asin(i/128 + z) - z for i = FM_ASIN_FIRST ... as a polynomial in z: the constant term as a
 * sum of two doubles, the others rounded. */
extern const struct fm_asin_entry ib_fm_asin_table[49];

/* 64 zeros and the first 1,216 binary places of 2/pi, most significant word first. */
extern const uint64_t ib_fm_two_over_pi[20];

#endif
