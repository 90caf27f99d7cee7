/* What the tests of plant share: cmocka, and systems made from models written as text. */
#ifndef TEST_PLANT_TEST_H
#define TEST_PLANT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ironbird/plant.h"
#include "ironbird/system.h"

typedef struct bench {
    ib_diags *diags;
    ib_model *model;
    ib_system *system;
    ib_status status; /* of creating the system */
} bench;

static inline void print_diags(const ib_diags *diags) {
    char text[2048];
    for (size_t i = 0; i < ib_diags_count(diags); i++) {
        ib_diag_format(ib_diags_at(diags, i), false, text, sizeof text);
        print_error("%s", text);
    }
}

static inline ib_model *load(const char *text, ib_diags *diags) {
    ib_model *model;
    if (ib_model_load_text("m.yaml", text, strlen(text), NULL, 0, diags, &model) != IB_OK) {
        print_diags(diags);
        fail_msg("the model does not load");
    }
    return model;
}

/* A model that loads; the system may be refused. */
static inline bench try_bench(const char *text) {
    bench b = {.diags = ib_diags_create()};
    assert_non_null(b.diags);
    b.model = load(text, b.diags);
    b.status = ib_system_create(b.model, b.diags, &b.system);
    return b;
}

static inline bench start_bench(const char *text) {
    bench b = try_bench(text);
    if (b.status != IB_OK)
        print_diags(b.diags);
    assert_int_equal(b.status, IB_OK);
    return b;
}

static inline void end_bench(bench *b) {
    ib_system_destroy(b->system);
    ib_model_destroy(b->model);
    ib_diags_destroy(b->diags);
}

static inline ib_time to_time(double seconds) {
    ib_time time = 0;
    assert_true(ib_time_from_seconds(seconds, &time));
    return time;
}

static inline void advance(bench *b, double seconds) {
    const ib_status status = ib_system_advance(b->system, to_time(seconds), b->diags);
    if (status != IB_OK)
        print_diags(b->diags);
    assert_int_equal(status, IB_OK);
}

static inline double read_channel(bench *b, const char *name) {
    const ib_handle handle = ib_system_channel(b->system, name);
    double value = (double)NAN;
    if (handle < 0)
        fail_msg("there is no channel '%s'", name);
    assert_int_equal(ib_system_read(b->system, &handle, 1, &value, b->diags), IB_OK);
    return value;
}

/* The first diagnostic with this ID whose message holds the text, or NULL. */
static inline const ib_diag *find_diag(const ib_diags *diags, const char *id, const char *text) {
    for (size_t i = 0; i < ib_diags_count(diags); i++) {
        const ib_diag *diag = ib_diags_at(diags, i);
        if (strcmp(diag->id, id) == 0 && strstr(diag->message, text))
            return diag;
    }
    return NULL;
}

static inline const ib_diag *assert_diag(const ib_diags *diags, const char *id, const char *text) {
    const ib_diag *diag = find_diag(diags, id, text);
    if (!diag) {
        print_diags(diags);
        fail_msg("no %s that says '%s'", id, text);
    }
    return diag;
}

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

#endif
