/* What the tests of avionics share: cmocka, reference tables, a device and a bus to step it with.
 */
#ifndef IB_TEST_AVIONICS_H
#define IB_TEST_AVIONICS_H

#include "references/table.h"

#include <math.h>

#include "avionics/avionics.h"

#define DEGREE (3.14159265358979323846 / 180)
#define MS INT64_C(1000000)

static const ib_earth wgs84 = {IB_EARTH_ELLIPSOID, IB_WGS84_RADIUS, IB_WGS84_FLATTENING,
                               IB_EARTH_RATE};

/* Fails with both values; NaN fails. */
#define ASSERT_NEAR(a, b, tolerance)                                                               \
    do {                                                                                           \
        const double a_ = (a), b_ = (b);                                                           \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%.17g is not %.17g: off by %.3g, more than %.3g", a_, b_, fabs(a_ - b_),     \
                     (double)(tolerance));                                                         \
    } while (0)

static inline ib_device make_device(const char *name, ib_time period) {
    return (ib_device){
        .address = 7, .vehicle = 1, .key = ib_stream_key(42, "stack", name), .period = period};
}

static inline ib_bus *make_bus(size_t capacity) {
    static const ib_bus_topic topics[IB_TOPIC_COUNT] = {{0}};
    ib_bus *bus = ib_bus_create(capacity, 1, 99, topics);
    assert_non_null(bus);
    return bus;
}

/* At rest and level on a flat Earth that does not turn: axes forward, right, down. */
static inline ib_truth_point at_rest(ib_time t) {
    return (ib_truth_point){
        .time = t,
        .specific_force = {0, 0, -9.80665},
        .position = {IB_WGS84_RADIUS, 0, 0},
        .ecef_from_body = {0, 0, -1, 0, 1, 0, 1, 0, 0},
        .pressure = 101325,
        .temperature = 288.15,
        .magnetic_field = {2e-5, 0, 4e-5},
        .height = 3,
    };
}

#endif
