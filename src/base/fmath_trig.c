/* Sine, cosine and tangent.
 *
 * Reduction: below 2^20 by subtracting n pi/2 in three parts of which the first two products are
 * exact (W. J. Cody & W. Waite, "Software Manual for the Elementary Functions", 1980); beyond, and
 * where that leaves too little, by Payne & Hanek (fmath_reduce.c). Either gives y as a pair with
 * |y| <= pi/4.
 *
 * Evaluation: P. T. P. Tang, "Some software implementations of the functions sine and cosine",
 * Argonne ANL-90/3 (1990): y = t + z with t the nearest multiple of 1/128; sin t and cos t come
 * from a table in double-double, sin z and cos z - 1 from three terms of their series, and the
 * addition theorem joins them. Near zero, where sin t would be no larger than the rest, the sine is
 * summed directly. The tangent is the quotient of the two as pairs.
 */
#include "base/fmath.h"
#include "base/fmath_core.h"
#include "base/fmath_reduce.h"

#define SMALL_ANGLE 0.125 /* up to here the sine's own series converges quickly */

static const uint64_t bits_2_minus_27 = UINT64_C(0x3e40000000000000);

/* Reduces a finite x >= 0. The parts of y are not normalised: |lo| may reach 2^-48. */
static inline struct fm_angle reduce(double x) {
    if (x < FM_PI_4_HI)
        return (struct fm_angle){{x, 0.0}, 0};
    if (x >= 0x1p20)
        return ib_fm_reduce_exactly(x);
    double sum = x * FM_TWO_OVER_PI + FM_ROUND_SHIFT;
    double n = sum - FM_ROUND_SHIFT;
    double a = x - n * FM_PI_2_PART_1;
    double b = n * FM_PI_2_PART_2; /* at most 2^-14 */
    /* Where more has cancelled the third part is not enough. */
    if (fm_abs(a - b) < 0x1p-10)
        return ib_fm_reduce_exactly(x);
    struct fm_pair y = fm_fast_two_sum(a, -b);
    y.lo -= n * FM_PI_2_PART_3;
    return (struct fm_angle){y, (unsigned)fm_bits(sum)};
}

/* sin(y.hi + y.lo) for |y| <= SMALL_ANGLE. */
static inline struct fm_pair sin_small(struct fm_pair y) {
    double sum = y.hi + y.lo, y2 = sum * sum;
    double series = -1.0 / 6.0 + y2 * (1.0 / 120.0 - y2 * (1.0 / 5040.0)) +
                    (y2 * y2) * y2 * (1.0 / 362880.0 - y2 * (1.0 / 39916800.0));
    return fm_fast_two_sum(y.hi, y.lo + sum * y2 * series);
}

/* y = t + z split for the table: its entry for t, sin z and cos z - 1. */
struct split {
    const struct fm_trig_entry *at;
    double sin_z, cos_z_1;
};

/* Splits y >= 0. */
static inline struct split split_angle(struct fm_pair y) {
    double sum = y.hi + 0x1.8p45; /* rounds to a multiple of 1/128 */
    double z_hi = y.hi - (sum - 0x1.8p45);
    double z = z_hi + y.lo, z2 = z * z;
    double cube = z * z2 * (-1.0 / 6.0 + z2 * (1.0 / 120.0));
    double cos_z_1 = z2 * (-0.5 + z2 * (1.0 / 24.0 - z2 * (1.0 / 720.0)));
    return (struct split){&ib_fm_trig_table[fm_bits(sum) & 127], z_hi + (y.lo + cube), cos_z_1};
}

/* By the addition theorem sin(t + z) for odd = 0, cos(t + z) for odd = 1; without a branch,
 * because the quadrant of a running angle cannot be predicted. */
static inline struct fm_pair join(const struct split *s, unsigned odd) {
    struct fm_pair same = s->at->part[odd];
    double other = fm_flip(s->at->part[odd ^ 1].hi, (uint64_t)odd << 63);
    return fm_fast_two_sum(same.hi, same.lo + (other * s->sin_z + same.hi * s->cos_z_1));
}

static inline struct fm_pair flip_pair(struct fm_pair a, uint64_t sign) {
    return (struct fm_pair){fm_flip(a.hi, sign), fm_flip(a.lo, sign)};
}

/* Sine and cosine of a reduced angle, |y| <= pi/4, as pairs. */
static inline void sincos_pairs(struct fm_pair y, struct fm_pair *sine, struct fm_pair *cosine) {
    uint64_t sign = fm_sign(y.hi);
    struct fm_pair size = flip_pair(y, sign);
    struct split s = split_angle(size);
    *cosine = join(&s, 1);
    *sine = flip_pair(size.hi < SMALL_ANGLE ? sin_small(size) : join(&s, 0), sign);
}

/* The sine of quadrant * pi/2 + y. */
static inline double sin_in_quadrant(struct fm_pair y, unsigned quadrant) {
    unsigned odd = quadrant & 1;
    uint64_t sign = odd ? 0 : fm_sign(y.hi);
    sign ^= (uint64_t)(quadrant & 2) << 62;
    struct fm_pair size = flip_pair(y, fm_sign(y.hi));
    if (size.hi < SMALL_ANGLE && !odd)
        return fm_flip(sin_small(size).hi, sign);
    struct split s = split_angle(size);
    return fm_flip(join(&s, odd).hi, sign);
}

double ib_sin(double x) {
    uint64_t size = fm_abs_bits(x);
    if (size < bits_2_minus_27) /* x^3/6 is below half a unit in the last place */
        return x;
    if (size >= FM_INF_BITS)
        return fm_nan();
    struct fm_angle a = reduce(fm_from_bits(size));
    return fm_flip(sin_in_quadrant(a.y, a.quadrant), fm_sign(x));
}

double ib_cos(double x) {
    uint64_t size = fm_abs_bits(x);
    if (size < bits_2_minus_27)
        return 1.0;
    if (size >= FM_INF_BITS)
        return fm_nan();
    struct fm_angle a = reduce(fm_from_bits(size));
    return sin_in_quadrant(a.y, a.quadrant + 1);
}

void ib_sincos(double x, double *sine, double *cosine) {
    uint64_t size = fm_abs_bits(x);
    if (size < bits_2_minus_27 || size >= FM_INF_BITS) {
        *sine = ib_sin(x);
        *cosine = ib_cos(x);
        return;
    }
    struct fm_angle a = reduce(fm_from_bits(size));
    struct fm_pair s, c;
    sincos_pairs(a.y, &s, &c);
    uint64_t half_turn = (uint64_t)(a.quadrant & 2) << 62;
    uint64_t sign = fm_sign(x) ^ half_turn;
    if (a.quadrant & 1) {
        *sine = fm_flip(c.hi, sign);
        *cosine = fm_flip(-s.hi, half_turn);
    } else {
        *sine = fm_flip(s.hi, sign);
        *cosine = fm_flip(c.hi, half_turn);
    }
}

double ib_tan(double x) {
    uint64_t size = fm_abs_bits(x);
    if (size < bits_2_minus_27)
        return x;
    if (size >= FM_INF_BITS)
        return fm_nan();
    struct fm_angle a = reduce(fm_from_bits(size));
    struct fm_pair s, c;
    sincos_pairs(a.y, &s, &c);
    if (a.quadrant & 1) /* tan(y + pi/2) = -cos y / sin y */
        return fm_flip(-fm_pair_quotient(c, s).hi, fm_sign(x));
    return fm_flip(fm_pair_quotient(s, c).hi, fm_sign(x));
}
