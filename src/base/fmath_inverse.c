/* Arc tangent of one and two arguments, arc sine and arc cosine.
 *
 * Arc tangent: the angle of a point (x, y) in the first octant. With t the multiple of 1/256
 * nearest to y/x, atan(y/x) = atan t + atan u, u = (y - t x)/(x + t y), |u| <= 1/512, where atan t
 * comes from a table in double-double and atan u from three terms of its series (P. T. P. Tang,
 * "Table-lookup algorithms for elementary functions and their error analysis", ARITH 10 (1991)).
 * Below 1/16 the quotient y/x is formed as a pair and its series summed directly.
 *
 * Arc sine: up to 1/2 a Taylor polynomial about the nearest multiple of 1/128, its constant term in
 * double-double; below 1/8 the series about zero. Beyond 1/2 asin x = pi/2 - 2 asin sqrt((1 - x)/2)
 * (Cody & Waite 1980) with the root as a pair. Arc cosine is pi/2 less the arc sine, or the same
 * double arc directly where that would cancel.
 */
#include "base/fmath.h"
#include "base/fmath_core.h"

static const struct fm_pair pi = {FM_PI_HI, FM_PI_LO}, pi_2 = {FM_PI_2_HI, FM_PI_2_LO};

/* atan of the pair q for 0 <= q < 1/16 (a little more does no harm). */
static inline struct fm_pair atan_small(struct fm_pair q) {
    double q2 = q.hi * q.hi, q4 = q2 * q2;
    double low = -1.0 / 3.0 + q2 * 0.2 + q4 * (-1.0 / 7.0 + q2 * (1.0 / 9.0));
    double high = -1.0 / 11.0 + q2 * (1.0 / 13.0) - q4 * (1.0 / 15.0);
    return fm_fast_two_sum(q.hi, q.lo + q.hi * q2 * (low + q4 * q4 * high));
}

/* atan t + atan u as a pair, for t = i/256 > 0 and |u| <= 1/512. */
static inline struct fm_pair atan_table(unsigned i, double u) {
    struct fm_pair t = ib_fm_atan_table[i];
    double u2 = u * u;
    double cube = u * u2 * (-1.0 / 3.0 + u2 * 0.2);
    return fm_fast_two_sum(t.hi, t.lo + (u + cube));
}

/* The angle of the point (x, y), 0 < y <= x, both of moderate size: as a pair. */
static struct fm_pair octant_angle(double y, double x) {
    double q = y / x;
    if (q < 0x1p-4)
        return atan_small(fm_pair_quotient((struct fm_pair){y, 0.0}, (struct fm_pair){x, 0.0}));
    double sum = q + 0x1.8p44; /* rounds to a multiple of 1/256 */
    double t = sum - 0x1.8p44;
    /* t has nine bits: its products with the head and the tail are exact, y - t head too. */
    double head = fm_head(x), tail = x - head;
    double u = ((y - t * head) - t * tail) / (x + t * y);
    return atan_table((unsigned)fm_bits(sum) & 511, u);
}

static struct fm_pair minus(struct fm_pair a, struct fm_pair b) {
    return fm_pair_sum(a, (struct fm_pair){-b.hi, -b.lo});
}

/* The angle in [0, pi] of the point (x, y) with y >= 0, x positive unless x_negative. */
static double upper_angle(double y, double x, int x_negative) {
    if (y <= x) {
        struct fm_pair a = octant_angle(y, x);
        return x_negative ? minus(pi, a).hi : a.hi;
    }
    struct fm_pair a = octant_angle(x, y);
    return x_negative ? fm_pair_sum(pi_2, a).hi : minus(pi_2, a).hi;
}

/* atan x for 0 < x <= 1: octant_angle with a divisor of 1, whose quotients are free. */
static double atan_up_to_one(double x) {
    if (x < 0x1p-4)
        return atan_small((struct fm_pair){x, 0.0}).hi;
    double sum = x + 0x1.8p44;
    double t = sum - 0x1.8p44;
    return atan_table((unsigned)fm_bits(sum) & 511, (x - t) / (1.0 + t * x)).hi;
}

double ib_atan(double x) {
    if (x != x)
        return fm_nan();
    double size = fm_abs(x);
    if (size < 0x1p-27)
        return x;
    if (size <= 1.0)
        return fm_flip(atan_up_to_one(size), fm_sign(x));
    if (size > 0x1p60)
        return fm_flip(FM_PI_2_HI, fm_sign(x));
    return fm_flip(upper_angle(size, 1.0, 0), fm_sign(x));
}

/* atan2 of sizes of which one is zero or infinite: a multiple of pi/4. */
static double atan2_special(double y, double x, int x_negative) {
    int y_infinite = fm_abs_bits(y) == FM_INF_BITS, x_infinite = fm_abs_bits(x) == FM_INF_BITS;
    if (y_infinite && x_infinite) /* 3 pi/4 in double-double rounds to this sum */
        return x_negative ? FM_PI_2_HI + FM_PI_4_HI : FM_PI_4_HI;
    if (y == 0.0 || x_infinite)
        return x_negative ? FM_PI_HI : 0.0;
    return FM_PI_2_HI;
}

/* atan2 of positive finite sizes. */
static double atan2_finite(double y, double x, int x_negative) {
    int y_exponent = (int)(fm_bits(y) >> 52), x_exponent = (int)(fm_bits(x) >> 52);
    if (y_exponent > x_exponent + 64)
        return FM_PI_2_HI;
    if (x_exponent > y_exponent + 64)
        return x_negative ? FM_PI_HI : y / x;
    int k = 1023 - (y_exponent > x_exponent ? y_exponent : x_exponent);
    return upper_angle(fm_scale(y, k), fm_scale(x, k), x_negative);
}

double ib_atan2(double y, double x) {
    if (x != x || y != y)
        return fm_nan();
    uint64_t sign = fm_sign(y);
    uint64_t y_bits = fm_abs_bits(y), x_bits = fm_abs_bits(x);
    int x_negative = fm_sign(x) != 0;
    if (y_bits - 1 >= FM_INF_BITS - 1 || x_bits - 1 >= FM_INF_BITS - 1)
        return fm_flip(atan2_special(y, x, x_negative), sign);
    return fm_flip(atan2_finite(fm_abs(y), fm_abs(x), x_negative), sign);
}

/* asin of the pair y for 0 <= y <= 1/2, as a pair. */
static struct fm_pair asin_up_to_half(struct fm_pair y) {
    if (y.hi < 0.125) {
        double q = y.hi * y.hi, q2 = q * q;
        double low = 1.0 / 6.0 + q * (3.0 / 40.0) + q2 * (5.0 / 112.0 + q * (35.0 / 1152.0));
        double high = 63.0 / 2816.0 + q * (231.0 / 13312.0) +
                      q2 * (143.0 / 10240.0 + q * (6435.0 / 557056.0));
        return fm_fast_two_sum(y.hi, y.lo + y.hi * q * (low + q2 * q2 * high));
    }
    double sum = y.hi + 0x1.8p45; /* rounds to a multiple of 1/128 */
    double z = (y.hi - (sum - 0x1.8p45)) + y.lo, z2 = z * z;
    const struct fm_asin_entry *t = &ib_fm_asin_table[(fm_bits(sum) & 127) - FM_ASIN_FIRST];
    const double *c = t->term;
    double tail = (c[1] + z * c[2]) + z2 * ((c[3] + z * c[4]) + z2 * (c[5] + z * c[6]));
    return fm_fast_two_sum(t->at.hi, t->at.lo + (z + (z * c[0] + z2 * tail)));
}

/* 2 asin(sqrt((1 - x)/2)) = acos x for 1/2 < x < 1, as a pair; 1 - x is exact. */
static struct fm_pair acos_beyond_half(double x) {
    struct fm_pair half_chord = fm_pair_sqrt((struct fm_pair){0.5 * (1.0 - x), 0.0});
    struct fm_pair half = asin_up_to_half(half_chord);
    return (struct fm_pair){2.0 * half.hi, 2.0 * half.lo};
}

double ib_asin(double x) {
    double size = fm_abs(x);
    if (!(size <= 1.0))
        return fm_nan();
    if (size < 0x1p-27)
        return x;
    if (size <= 0.5)
        return fm_flip(asin_up_to_half((struct fm_pair){size, 0.0}).hi, fm_sign(x));
    if (size == 1.0)
        return fm_flip(FM_PI_2_HI, fm_sign(x));
    return fm_flip(minus(pi_2, acos_beyond_half(size)).hi, fm_sign(x));
}

double ib_acos(double x) {
    double size = fm_abs(x);
    int negative = fm_sign(x) != 0;
    if (!(size <= 1.0))
        return fm_nan();
    if (size <= 0.5) {
        struct fm_pair a = asin_up_to_half((struct fm_pair){size, 0.0});
        return negative ? fm_pair_sum(pi_2, a).hi : minus(pi_2, a).hi;
    }
    if (size == 1.0)
        return negative ? FM_PI_HI : 0.0;
    struct fm_pair a = acos_beyond_half(size);
    return negative ? minus(pi, a).hi : a.hi;
}
