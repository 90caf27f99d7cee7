/* An FMU advanced from outside: values of all shapes, steps, its state kept and made bytes of, and
 * its derivatives (test/fmus/keeper3.c, and keeper2.c of FMI 2).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmi.h"

typedef struct place {
    ib_diags *diags;
    ib_fmu *fmu;
    ib_fmu_instance *instance;
} place;

static ib_fmu_run_options defaults(void) {
    const double none = (double)NAN;
    return (ib_fmu_run_options){.kind = IB_FMU_CO_SIMULATION,
                                .start = none,
                                .stop = none,
                                .step = none,
                                .output_step = none,
                                .max_step = none,
                                .tolerance = none};
}

static int open_fmu(void **state, const char *path) {
    place *p = calloc(1, sizeof *p);
    const ib_fmu_run_options options = defaults();
    p->diags = ib_diags_create();
    assert_int_equal(ib_fmu_open(path, IB_FMU_STRICT, p->diags, &p->fmu), IB_OK);
    assert_int_equal(ib_fmu_instance_create(p->fmu, &options, NULL, 0, p->diags, &p->instance),
                     IB_OK);
    *state = p;
    return 0;
}

static int setup(void **state) { return open_fmu(state, IB_TEST_BUILD "/test/fmus/keeper3.fmu"); }

static int setup2(void **state) { return open_fmu(state, IB_TEST_BUILD "/test/fmus/keeper2.fmu"); }

static int teardown(void **state) {
    place *p = *state;
    ib_fmu_instance_destroy(p->instance);
    ib_fmu_close(p->fmu);
    ib_diags_destroy(p->diags);
    free(p);
    return 0;
}

static double get(const place *p, const char *name) {
    double values[2];
    assert_int_equal(ib_fmu_instance_get(p->instance, ib_fmu_find(p->fmu, name), values, p->diags),
                     IB_OK);
    return values[0];
}

static void set(const place *p, const char *name, double value) {
    assert_int_equal(ib_fmu_instance_set(p->instance, ib_fmu_find(p->fmu, name), &value, p->diags),
                     IB_OK);
}

static void advance(const place *p, double time) {
    assert_int_equal(ib_fmu_instance_advance(p->instance, time, p->diags), IB_OK);
}

/* The FMU's default experiment steps by 0.1 s; the last step is shortened. */
static void test_steps(void **state) {
    const place *p = *state;
    assert_true(ib_fmu_instance_time(p->instance) == 0);
    set(p, "u", 1);
    advance(p, 0.25);
    assert_true(ib_fmu_instance_time(p->instance) == 0.25);
    assert_true(get(p, "steps") == 3);
    assert_true(get(p, "time") == 0.25);
    advance(p, 0.25);
    assert_true(get(p, "steps") == 3);
    const double part = 0.25 / 3;
    assert_true(fabs(get(p, "x") - (1 - pow(1 - part, 3))) < 1e-15);
    assert_int_equal(ib_fmu_instance_advance(p->instance, 0.1, p->diags), IB_BAD_INPUT);
    assert_int_equal(ib_fmu_instance_advance(p->instance, (double)NAN, p->diags), IB_BAD_INPUT);
    assert_int_equal(ib_fmu_instance_statistics(p->instance).steps, 3);
    assert_false(ib_fmu_instance_ended(p->instance));
}

static void test_values(void **state) {
    const place *p = *state;
    const size_t k = ib_fmu_find(p->fmu, "k"), whole = ib_fmu_find(p->fmu, "whole");
    double pair[2] = {2, 3};
    assert_int_equal(ib_fmu_instance_size(p->instance, k), 2);
    assert_int_equal(ib_fmu_instance_size(p->instance, 1000), 0);
    assert_int_equal(ib_fmu_instance_set(p->instance, k, pair, p->diags), IB_OK);
    assert_true(get(p, "y") == 16);
    pair[0] = pair[1] = 0;
    assert_int_equal(ib_fmu_instance_get(p->instance, k, pair, p->diags), IB_OK);
    assert_true(pair[0] == 2 && pair[1] == 3);
    set(p, "whole", -2147483648.0);
    assert_true(get(p, "whole") == -2147483648.0);
    static const double none[] = {0.5, 2147483648.0, (double)NAN, -(double)INFINITY};
    for (size_t i = 0; i < IB_COUNT(none); i++)
        assert_int_equal(ib_fmu_instance_set(p->instance, whole, &none[i], p->diags), IB_BAD_INPUT);
    assert_true(get(p, "whole") == -2147483648.0);
}

/* Set back, and gone on with as bytes in another instance: the same bits. */
static void test_state(void **state) {
    const place *p = *state;
    ib_fmu_state *kept = NULL;
    uint8_t *bytes;
    size_t n;
    set(p, "u", 1);
    advance(p, 0.3);
    assert_int_equal(ib_fmu_instance_save(p->instance, &kept, p->diags), IB_OK);
    assert_int_equal(ib_fmu_instance_serialize(p->instance, &bytes, &n, p->diags), IB_OK);
    advance(p, 1);
    const double x = get(p, "x");
    assert_int_equal(ib_fmu_instance_restore(p->instance, kept, p->diags), IB_OK);
    assert_true(ib_fmu_instance_time(p->instance) == 0.3);
    assert_true(get(p, "steps") == 3);
    advance(p, 1);
    assert_true(get(p, "x") == x);
    ib_fmu_state_free(p->instance, kept);

    place other = *p;
    const ib_fmu_run_options options = defaults();
    assert_int_equal(ib_fmu_instance_create(p->fmu, &options, NULL, 0, p->diags, &other.instance),
                     IB_OK);
    assert_int_equal(ib_fmu_instance_deserialize(other.instance, bytes, n, p->diags), IB_OK);
    advance(&other, 1);
    assert_true(get(&other, "x") == x);
    assert_int_equal(ib_fmu_instance_deserialize(other.instance, bytes, n - 1, p->diags),
                     IB_BAD_INPUT);
    assert_int_equal(ib_fmu_instance_deserialize(other.instance, bytes, 3, p->diags), IB_BAD_INPUT);
    ib_fmu_instance_destroy(other.instance);
    free(bytes);
}

static void test_derivatives(void **state) {
    const place *p = *state;
    const size_t unknowns[2] = {ib_fmu_find(p->fmu, "y"), ib_fmu_find(p->fmu, "w")};
    const size_t knowns[2] = {ib_fmu_find(p->fmu, "u"), ib_fmu_find(p->fmu, "k")};
    const size_t none[1] = {ib_fmu_find(p->fmu, "steps")};
    const double seed[3] = {1, 10, 100};
    double result[3];
    assert_int_equal(
        ib_fmu_instance_directional(p->instance, unknowns, 2, knowns, 2, seed, result, p->diags),
        IB_OK);
    assert_true(result[0] == 423 && result[1] == 1 && result[2] == 2);
    assert_int_equal(
        ib_fmu_instance_adjoint(p->instance, unknowns, 2, knowns, 2, seed, result, p->diags),
        IB_OK);
    assert_true(result[0] == 213 && result[1] == 2 && result[2] == 4);
    assert_int_equal(
        ib_fmu_instance_directional(p->instance, none, 1, knowns, 2, seed, result, p->diags),
        IB_BAD_INPUT);
}

static void test_derivatives2(void **state) {
    const place *p = *state;
    const size_t unknown = ib_fmu_find(p->fmu, "y"), known = ib_fmu_find(p->fmu, "u");
    const double seed = 7;
    double result;
    assert_int_equal(
        ib_fmu_instance_directional(p->instance, &unknown, 1, &known, 1, &seed, &result, p->diags),
        IB_OK);
    assert_true(result == 21);
    assert_int_equal(
        ib_fmu_instance_adjoint(p->instance, &unknown, 1, &known, 1, &seed, &result, p->diags),
        IB_UNSUPPORTED);
}

/* Settings, a start of one's own, a cap on steps. */
static void test_options(void **state) {
    place other = *(const place *)*state;
    const ib_fmu_set sets[] = {{"k", "1 0"}, {"u", "2"}};
    ib_fmu_run_options options = defaults();
    options.start = 5;
    options.max_step = 0.01;
    assert_int_equal(
        ib_fmu_instance_create(other.fmu, &options, sets, 2, other.diags, &other.instance), IB_OK);
    assert_true(get(&other, "time") == 5);
    assert_true(get(&other, "y") == 8);
    advance(&other, 5.1);
    assert_true(get(&other, "steps") == 10);
    ib_fmu_instance_destroy(other.instance);
    const ib_fmu_set wrong = {"kk", "1"};
    assert_int_equal(
        ib_fmu_instance_create(other.fmu, &options, &wrong, 1, other.diags, &other.instance),
        IB_BAD_INPUT);
    assert_null(other.instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_state, setup, teardown),
        cmocka_unit_test_setup_teardown(test_derivatives, setup, teardown),
        cmocka_unit_test_setup_teardown(test_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_steps, setup2, teardown),
        cmocka_unit_test_setup_teardown(test_state, setup2, teardown),
        cmocka_unit_test_setup_teardown(test_derivatives2, setup2, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
