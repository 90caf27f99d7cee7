/* What the tests of mechanics share: cmocka with the headers it wants before it, a mechanism with
 * its run, and random numbers. */
#ifndef TEST_MECHANICS_TEST_H
#define TEST_MECHANICS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanics/mechanics.h"
#include "mechanics/mechanisms.h"

#define PI 3.14159265358979323846264338327950288

/* The next number of a sequence, even in (-1, 1). */
static inline double next_random(uint64_t *sequence) {
    return 2 * ib_random_uniform(77, 0, 0, (*sequence)++) - 1;
}

static inline void fill_random(uint64_t *sequence, double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        values[i] = next_random(sequence);
}

static inline void random_quat(uint64_t *sequence, double q[4]) {
    double n2;
    do {
        fill_random(sequence, q, 4);
        n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    } while (n2 > 1 || n2 < 0.01);
    ib_quat_normalize(q);
}

/* Fails with both numbers. */
static inline void assert_near_at(double a, double b, double tolerance, const char *what,
                                  const char *file, int line) {
    if (fabs(a - b) <= tolerance)
        return;
    print_error("%s: %.17g is not %.17g: off by %.3g, more than %.3g\n", what, a, b, fabs(a - b),
                tolerance);
    _fail(file, line);
}
#define ASSERT_NEAR(a, b, tolerance)                                                               \
    assert_near_at((a), (b), (tolerance), #a " == " #b, __FILE__, __LINE__)

static inline void assert_near3_at(const double *a, const double *b, double tolerance,
                                   const char *what, const char *file, int line) {
    for (int k = 0; k < 3; k++)
        assert_near_at(a[k], b[k], tolerance, what, file, line);
}
#define ASSERT_NEAR3(a, b, tolerance)                                                              \
    assert_near3_at((a), (b), (tolerance), #a " == " #b, __FILE__, __LINE__)

/* A mechanism in motion. */
typedef struct rig {
    ib_mechanism *mechanism;
    ib_dynamics *dynamics;
    ib_diags *diags;
} rig;

static inline void print_diags(const ib_diags *diags) {
    for (size_t i = 0; i < ib_diags_count(diags); i++) {
        const ib_diag *diag = ib_diags_at(diags, i);
        print_error("%s: %s\n", diag->id, diag->message);
    }
}

/* Finishes and creates, without assembling. */
static inline rig rig_make(ib_mechanism *mechanism, const ib_mech_options *options) {
    rig r = {mechanism, NULL, ib_diags_create()};
    assert_non_null(r.diags);
    if (ib_mechanism_finish(mechanism, options, r.diags) != IB_OK) {
        print_diags(r.diags);
        fail_msg("the mechanism cannot be finished");
    }
    r.dynamics = ib_dynamics_create(mechanism);
    assert_non_null(r.dynamics);
    return r;
}

static inline void rig_assemble(rig *r) {
    if (ib_dynamics_assemble(r->dynamics, r->diags) == IB_OK)
        return;
    print_diags(r->diags);
    fail_msg("the mechanism cannot be assembled");
}

static inline rig rig_start(ib_mechanism *mechanism, const ib_mech_options *options) {
    rig r = rig_make(mechanism, options);
    rig_assemble(&r);
    return r;
}

static inline ib_time to_time(double seconds) {
    ib_time time = 0;
    assert_true(ib_time_from_seconds(seconds, &time));
    return time;
}

static inline void rig_to(rig *r, double seconds) {
    if (ib_dynamics_advance(r->dynamics, to_time(seconds), NULL, NULL, r->diags) == IB_OK &&
        ib_dynamics_refresh(r->dynamics, r->diags) == IB_OK)
        return;
    print_diags(r->diags);
    fail_msg("the run fails on its way to %g s", seconds);
}

static inline void rig_end(rig *r) {
    ib_dynamics_destroy(r->dynamics);
    ib_mechanism_destroy(r->mechanism);
    ib_diags_destroy(r->diags);
}

/* 13 numbers: r, q, v, w. */
static inline const double *rig_body(const rig *r, int body) {
    return ib_dynamics_bodies(r->dynamics) + 13 * body;
}

/* True when a diagnostic with this ID names `name` in its message. */
static inline bool has_diag(const ib_diags *diags, const char *id, const char *name) {
    for (size_t i = 0; i < ib_diags_count(diags); i++) {
        const ib_diag *diag = ib_diags_at(diags, i);
        if (strcmp(diag->id, id) == 0 && strstr(diag->message, name))
            return true;
    }
    return false;
}

static const double no_turn[4] = {1, 0, 0, 0}, zero3[3] = {0, 0, 0};

#endif
