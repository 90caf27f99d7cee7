/* What tests of missions share: a mission from text, as if its file stood in test/world/missions.
 */
#ifndef IB_WORLD_TEST_H
#define IB_WORLD_TEST_H

#include "references/table.h"

#include <math.h>

#include "world/world.h"

#define DEGREE (3.14159265358979323846 / 180)
#define MS INT64_C(1000000)
#define FOOT 0.3048

#define ASSERT_NEAR(a, b, tolerance)                                                               \
    do {                                                                                           \
        const double a_ = (a), b_ = (b);                                                           \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%.17g is not %.17g: off by %.3g, more than %.3g", a_, b_, fabs(a_ - b_),     \
                     (double)(tolerance));                                                         \
    } while (0)

static const char mission_file[] = IB_TEST_SOURCE "/test/world/missions/mission.yaml";

static inline void print_diags(const ib_diags *diags) {
    char text[2000];
    for (size_t i = 0; i < ib_diags_count(diags); i++) {
        ib_diag_format(ib_diags_at(diags, i), false, text, sizeof text);
        print_message("%s\n", text);
    }
}

static inline ib_world *create_world(const char *text, const ib_world_options *options) {
    ib_diags *diags = ib_diags_create();
    ib_world *world;
    const ib_status status =
        ib_world_create_text(mission_file, text, strlen(text), options, diags, &world);
    if (status != IB_OK)
        print_diags(diags);
    assert_int_equal(status, IB_OK);
    ib_diags_destroy(diags);
    return world;
}

/* Ticks up to a time. */
static inline void fly_to(ib_world *world, ib_time time) {
    ib_diags *diags = ib_diags_create();
    while (ib_world_time(world) < time) {
        const ib_status status = ib_world_tick(world, diags);
        if (status != IB_OK)
            print_diags(diags);
        assert_int_equal(status, IB_OK);
    }
    ib_diags_destroy(diags);
}

static inline double channel(ib_world *world, const char *name) {
    const ib_handle handle = ib_world_channel(world, name);
    double value;
    if (handle < 0)
        fail_msg("there is no channel %s", name);
    ib_world_read(world, &handle, 1, &value);
    return value;
}

/* Where the tick failed, as the last error's last note says. */
static inline void assert_failed_in(const ib_diags *diags, const char *where) {
    const ib_diag *last = ib_diags_at(diags, ib_diags_count(diags) - 1);
    assert_true(last->n_notes > 0);
    assert_string_equal(last->notes[last->n_notes - 1].message, where);
}

/* A mission that must be refused: the first error's ID and a part of its message. */
static inline void refuse_world(const char *text, const char *id, const char *part) {
    ib_diags *diags = ib_diags_create();
    ib_world *world;
    char whole[2000];
    assert_int_equal(ib_world_create_text(mission_file, text, strlen(text), NULL, diags, &world),
                     IB_BAD_INPUT);
    assert_null(world);
    for (size_t i = 0; i < ib_diags_count(diags); i++) {
        const ib_diag *diag = ib_diags_at(diags, i);
        ib_diag_format(diag, false, whole, sizeof whole);
        if (diag->severity == IB_ERROR && strcmp(diag->id, id) == 0 && strstr(whole, part)) {
            assert_true(diag->place.line > 0);
            ib_diags_destroy(diags);
            return;
        }
    }
    print_diags(diags);
    fail_msg("no error %s with '%s'", id, part);
}

#endif
