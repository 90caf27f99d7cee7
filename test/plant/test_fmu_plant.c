/* The plant of an FMU: what the world sees of test/fmus/keeper3.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plant/plant.h"

static const char path[] = IB_TEST_BUILD "/test/fmus/keeper3.fmu";
static const ib_time ms = 1000000;

typedef struct place {
    ib_diags *diags;
    ib_fmu *fmu;
    ib_plant plant;
} place;

static int setup(void **state) {
    place *p = calloc(1, sizeof *p);
    p->diags = ib_diags_create();
    assert_int_equal(ib_fmu_open(path, IB_FMU_STRICT, p->diags, &p->fmu), IB_OK);
    assert_int_equal(ib_plant_from_fmu(p->fmu, NULL, p->diags, &p->plant), IB_OK);
    *state = p;
    return 0;
}

static int teardown(void **state) {
    place *p = *state;
    p->plant.functions->destroy(p->plant.self);
    ib_fmu_close(p->fmu);
    ib_diags_destroy(p->diags);
    free(p);
    return 0;
}

static ib_handle find(const place *p, const char *name) {
    const ib_variable *variables;
    const size_t n = p->plant.functions->describe(p->plant.self, &variables);
    for (size_t i = 0; i < n; i++)
        if (strcmp(variables[i].name, name) == 0)
            return (ib_handle)i;
    return -1;
}

static double get(const place *p, const char *name) {
    double values[2];
    assert_int_equal(p->plant.functions->get(p->plant.self, find(p, name), values, p->diags),
                     IB_OK);
    return values[0];
}

static ib_status set(const place *p, const char *name, double value) {
    const double values[2] = {value, value};
    return p->plant.functions->set(p->plant.self, find(p, name), values, p->diags);
}

static void advance(const place *p, ib_time time) {
    ib_time reached;
    assert_int_equal(p->plant.functions->advance(p->plant.self, time, &reached, p->diags), IB_OK);
    assert_true(reached == time);
}

static void test_description(void **state) {
    const place *p = *state;
    const ib_variable *variables;
    const size_t n = p->plant.functions->describe(p->plant.self, &variables);
    assert_int_equal(n, 9); /* all but time */
    assert_int_equal(variables[find(p, "u")].role, IB_ROLE_INPUT);
    assert_int_equal(variables[find(p, "y")].role, IB_ROLE_OUTPUT);
    assert_int_equal(variables[find(p, "k")].role, IB_ROLE_PARAMETER);
    assert_int_equal(variables[find(p, "k")].size, 2);
    assert_true(variables[find(p, "k")].start == 1);
    assert_int_equal(find(p, "time"), -1);
}

/* 2 ms is the longest step; a shorter tick is one step. */
static void test_steps(void **state) {
    const place *p = *state;
    advance(p, 10 * ms);
    assert_true(get(p, "steps") == 5);
    advance(p, 11 * ms);
    assert_true(get(p, "steps") == 6);
    advance(p, 14 * ms);
    assert_true(get(p, "steps") == 8);
    assert_int_equal(p->plant.functions->statistics(p->plant.self).steps, 8);
}

/* A value that is set again is not sent again. */
static void test_inputs_are_sent_when_they_change(void **state) {
    const place *p = *state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(set(p, "u", i < 10 ? 1 : 2), IB_OK);
        advance(p, (i + 1) * ms);
    }
    assert_true(get(p, "sets") == 2);
    assert_int_equal(set(p, "y", 1), IB_BAD_INPUT);
    assert_int_equal(set(p, "nothing", 1), IB_BAD_INPUT);
}

/* Tunable parameters count at once, others from the next start on; both stay. */
static void test_parameters(void **state) {
    const place *p = *state;
    assert_int_equal(set(p, "k", 3), IB_OK);
    assert_true(get(p, "y") == 18);
    assert_int_equal(set(p, "mode", 3), IB_OK);
    assert_true(get(p, "mode") == 0);
    advance(p, 5 * ms);
    assert_int_equal(p->plant.functions->initialize(p->plant.self, 7 * ms, p->diags), IB_OK);
    assert_true(get(p, "mode") == 3 && get(p, "y") == 18 && get(p, "steps") == 0);
    advance(p, 8 * ms);
    assert_true(get(p, "steps") == 1);
}

static void test_state(void **state) {
    const place *p = *state;
    const size_t size = p->plant.functions->state_size(p->plant.self);
    void *kept = malloc(size);
    set(p, "u", 1);
    advance(p, 10 * ms);
    p->plant.functions->save(p->plant.self, kept);
    set(p, "u", 5);
    advance(p, 20 * ms);
    const double x = get(p, "x"), sets = get(p, "sets");
    assert_int_equal(p->plant.functions->restore(p->plant.self, kept, size), IB_OK);
    assert_true(get(p, "u") == 1 && get(p, "steps") == 5);
    set(p, "u", 5);
    advance(p, 20 * ms);
    assert_true(get(p, "x") == x && get(p, "sets") == sets);
    assert_int_equal(p->plant.functions->restore(p->plant.self, kept, size - 1), IB_BAD_INPUT);
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_description, setup, teardown),
        cmocka_unit_test_setup_teardown(test_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_inputs_are_sent_when_they_change, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_state, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
