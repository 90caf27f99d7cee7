/* What the tests of the environment share: cmocka, reference tables, random numbers. */
#ifndef IB_TEST_ENVIRONMENT_H
#define IB_TEST_ENVIRONMENT_H

#include "references/table.h"

#include <math.h>

#include "environment/environment.h"

#define DEGREE (3.14159265358979323846 / 180)

static const ib_earth wgs84 = {IB_EARTH_ELLIPSOID, IB_WGS84_RADIUS, IB_WGS84_FLATTENING,
                               IB_EARTH_RATE};

/* The next number of a sequence, even in (low, high). */
static inline double next_random(uint64_t *sequence, double low, double high) {
    return low + (high - low) * ib_random_uniform(21, 0, 0, (*sequence)++);
}

static inline double distance3(const double a[3], const double b[3]) {
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Fails with both values; NaN fails. */
#define ASSERT_NEAR(a, b, tolerance)                                                               \
    do {                                                                                           \
        const double a_ = (a), b_ = (b);                                                           \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%.17g is not %.17g: off by %.3g, more than %.3g", a_, b_, fabs(a_ - b_),     \
                     (double)(tolerance));                                                         \
    } while (0)

#endif
