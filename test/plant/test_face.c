/* The plant interface of a model: what it describes, inputs and outputs by position, a fresh start,
 * and snapshots. */
#include "plant/plant_test.h"

static const char *const text =
    "ironbird: 1\n"
    "inputs: {push: {start: 1.5, min: -5, max: 10}, other: 0}\n"
    "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
    "measures: {x: {type: displacement, body1: cart, component: x}}\n"
    "forces:\n"
    "  pusher: {type: expression_force, body1: cart, axis: [1, 0, 0], force: push + other}\n"
    "outputs: {way: x, twice: 2 * x}\n";

typedef struct face {
    ib_diags *diags;
    ib_model *model;
    ib_plant plant;
} face;

static face start_face(void) {
    face f = {.diags = ib_diags_create()};
    f.model = load(text, f.diags);
    assert_int_equal(ib_plant_from_model(f.model, f.diags, &f.plant), IB_OK);
    return f;
}

static void end_face(face *f) {
    f->plant.functions->destroy(f->plant.self);
    ib_model_destroy(f->model);
    ib_diags_destroy(f->diags);
}

static ib_handle find(const face *f, const char *name, ib_role role) {
    const ib_variable *variables;
    const size_t n = f->plant.functions->describe(f->plant.self, &variables);
    for (size_t i = 0; i < n; i++)
        if (strcmp(variables[i].name, name) == 0 && variables[i].role == role)
            return (ib_handle)i;
    fail_msg("the plant has no '%s' of that role", name);
    return -1;
}

static double get(face *f, ib_handle variable) {
    double value = (double)NAN;
    assert_int_equal(f->plant.functions->get(f->plant.self, variable, &value, f->diags), IB_OK);
    return value;
}

static void go(face *f, double seconds) {
    ib_time reached = -1;
    assert_int_equal(
        f->plant.functions->advance(f->plant.self, to_time(seconds), &reached, f->diags), IB_OK);
    assert_int_equal(reached, to_time(seconds));
}

static void test_description(void **state) {
    (void)state;
    face f = start_face();
    const ib_variable *variables;
    const size_t n = f.plant.functions->describe(f.plant.self, &variables);
    size_t inputs = 0, outputs = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(variables[i].name && variables[i].name[0]);
        assert_non_null(variables[i].unit);
        assert_int_equal(variables[i].size, 1);
        inputs += variables[i].role == IB_ROLE_INPUT;
        outputs += variables[i].role == IB_ROLE_OUTPUT;
    }
    assert_int_equal(inputs, 2);
    assert_int_equal(outputs, 2);
    assert_true(variables[find(&f, "push", IB_ROLE_INPUT)].start == 1.5);
    assert_string_equal(variables[find(&f, "cart.velocity.x", IB_ROLE_LOCAL)].unit, "m/s");
    end_face(&f);
}

static void test_set_and_get(void **state) {
    (void)state;
    face f = start_face();
    const ib_handle push = find(&f, "push", IB_ROLE_INPUT), way = find(&f, "way", IB_ROLE_OUTPUT),
                    twice = find(&f, "twice", IB_ROLE_OUTPUT),
                    speed = find(&f, "cart.velocity.x", IB_ROLE_LOCAL);
    double value = 4;
    assert_int_equal(f.plant.functions->set(f.plant.self, push, &value, f.diags), IB_OK);
    go(&f, 1);
    ASSERT_NEAR(get(&f, way), 1, 1e-9);
    ASSERT_NEAR(get(&f, twice), 2, 1e-9);
    ASSERT_NEAR(get(&f, speed), 2, 1e-9);
    /* what is no input cannot be set, and limits hold */
    value = 11;
    assert_int_equal(f.plant.functions->set(f.plant.self, way, &value, f.diags), IB_BAD_INPUT);
    assert_int_equal(f.plant.functions->set(f.plant.self, push, &value, f.diags), IB_BAD_INPUT);
    assert_diag(f.diags, "IB0706", "push");
    assert_int_equal(f.plant.functions->set(f.plant.self, -1, &value, f.diags), IB_BAD_INPUT);
    assert_int_equal(f.plant.functions->get(f.plant.self, 100000, &value, f.diags), IB_BAD_INPUT);
    end_face(&f);
}

/* Initialising starts anew, with the start values of the inputs. */
static void test_initialize(void **state) {
    (void)state;
    face f = start_face();
    const ib_handle push = find(&f, "push", IB_ROLE_INPUT), way = find(&f, "way", IB_ROLE_OUTPUT);
    const double value = 10;
    assert_int_equal(f.plant.functions->set(f.plant.self, push, &value, f.diags), IB_OK);
    go(&f, 1);
    assert_int_equal(f.plant.functions->initialize(f.plant.self, to_time(1), f.diags),
                     IB_UNSUPPORTED);
    assert_int_equal(f.plant.functions->initialize(f.plant.self, 0, f.diags), IB_OK);
    ASSERT_NEAR(get(&f, way), 0, 0);
    go(&f, 1);
    ASSERT_NEAR(get(&f, way), 0.375, 1e-9);
    end_face(&f);
}

static void test_snapshot(void **state) {
    (void)state;
    face f = start_face();
    const size_t size = f.plant.functions->state_size(f.plant.self);
    assert_true(size > 13 * sizeof(double));
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    go(&f, 0.5);
    f.plant.functions->save(f.plant.self, snapshot);
    go(&f, 1);
    const uint64_t hash = f.plant.functions->statistics(f.plant.self).state_hash;
    assert_int_equal(f.plant.functions->restore(f.plant.self, snapshot, size), IB_OK);
    assert_true(f.plant.functions->statistics(f.plant.self).state_hash != hash);
    go(&f, 1);
    assert_true(f.plant.functions->statistics(f.plant.self).state_hash == hash);
    assert_int_equal(f.plant.functions->restore(f.plant.self, snapshot, size + 1), IB_BAD_INPUT);
    free(snapshot);
    end_face(&f);
}

/* Two plants share a model. */
static void test_shared_model(void **state) {
    (void)state;
    face f = start_face(), g = f;
    assert_int_equal(ib_plant_from_model(f.model, f.diags, &g.plant), IB_OK);
    const double value = -5;
    assert_int_equal(
        g.plant.functions->set(g.plant.self, find(&g, "push", IB_ROLE_INPUT), &value, g.diags),
        IB_OK);
    go(&g, 1);
    go(&f, 1);
    ASSERT_NEAR(get(&f, find(&f, "way", IB_ROLE_OUTPUT)), 0.375, 1e-9);
    ASSERT_NEAR(get(&g, find(&g, "way", IB_ROLE_OUTPUT)), -1.25, 1e-9);
    g.plant.functions->destroy(g.plant.self);
    end_face(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description),  cmocka_unit_test(test_set_and_get),
        cmocka_unit_test(test_initialize),   cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_shared_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
