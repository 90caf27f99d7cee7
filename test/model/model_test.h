/* What the tests of the model module share: cmocka, and models written as text. */
#ifndef IB_TEST_MODEL_H
#define IB_TEST_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* Lines 1 to 7 of most models here: two bodies and two measures. */
#define TWO_BODIES                                                                                 \
    "ironbird: 1\n"                                                                                \
    "bodies:\n"                                                                                    \
    "  a: {mass: 1, inertia: [1, 1, 1]}\n"                                                         \
    "  b: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 2]}\n"

typedef struct loaded {
    ib_diags *diags;
    ib_model *model;
    ib_status status;
} loaded;

static inline loaded load_set(const char *text, const ib_override *overrides, size_t n) {
    loaded l = {.diags = ib_diags_create()};
    l.status = ib_model_load_text("m.yaml", text, strlen(text), overrides, n, l.diags, &l.model);
    return l;
}

static inline loaded load(const char *text) { return load_set(text, NULL, 0); }

static inline void unload(loaded *l) {
    ib_model_destroy(l->model);
    ib_diags_destroy(l->diags);
}

/* Prints what is wrong, for the log of a failing test. */
static inline void print_diags(const loaded *l) {
    static char text[8192];
    for (size_t i = 0; i < ib_diags_count(l->diags); i++) {
        ib_diag_format(ib_diags_at(l->diags, i), false, text, sizeof(text));
        print_message("%s", text);
    }
}

/* A model that must load without a word. */
static inline loaded load_good(const char *text) {
    loaded l = load(text);
    if (l.status != IB_OK || ib_diags_count(l.diags) > 0)
        print_diags(&l);
    assert_int_equal(l.status, IB_OK);
    assert_int_equal(ib_diags_count(l.diags), 0);
    return l;
}

/* A text that must give exactly one error, and where. `said` is a part of it, or NULL. */
static inline void expect_error(const char *text, const char *id, uint32_t line, uint32_t column,
                                const char *said) {
    loaded l = load(text);
    const ib_diag *diag = ib_diags_count(l.diags) > 0 ? ib_diags_at(l.diags, 0) : NULL;
    const bool good = l.status == IB_BAD_INPUT && ib_diags_errors(l.diags) == 1 && diag &&
                      strcmp(diag->id, id) == 0 && diag->place.line == line &&
                      diag->place.column == column &&
                      (!said || strstr(diag->message, said) ||
                       (diag->suggestion && strstr(diag->suggestion, said)));
    if (!good) {
        print_message("%s\n-- wanted %s at %u:%u, '%s'; got:\n", text, id, line, column,
                      said ? said : "");
        print_diags(&l);
    }
    assert_true(good);
    assert_null(l.model);
    unload(&l);
}

static inline void assert_vector(const double *got, double x, double y, double z) {
    assert_float_equal(got[0], x, 1e-15);
    assert_float_equal(got[1], y, 1e-15);
    assert_float_equal(got[2], z, 1e-15);
}

static inline void assert_near(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%.17g, not %.17g", got, wanted);
}

/* The double itself, not one near it. */
static inline void assert_same(double got, double wanted) {
    assert_memory_equal(&got, &wanted, sizeof(got));
}

#endif
