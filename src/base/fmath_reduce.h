/* Reduction of an angle modulo pi/2; private to fmath*.c. */
#ifndef IB_BASE_FMATH_REDUCE_H
#define IB_BASE_FMATH_REDUCE_H

#include "base/fmath_core.h"

/* An angle is quadrant * pi/2 + y.hi + y.lo modulo 2 pi, |y| <= pi/4 (a rounding more). */
struct fm_angle {
    struct fm_pair y;
    unsigned quadrant; /* only its two lowest bits mean anything */
};

/* Reduces any finite x >= 2^-9 with a relative error of y below 2^-70. Slow: the last resort. */
struct fm_angle ib_fm_reduce_exactly(double x);

#endif
