/* Welded bodies are computed as one and shown as many: everything that can be read is what it is
 * without merging, which a generic joint with all six directions locked does not do.
 */
#include "plant/plant_test.h"

enum { MAX_CHANNELS = 256 };

static const char *const fixed = "type: fixed";
static const char *const generic = "type: generic, lock: [x, y, z, rx, ry, rz], orientation: "
                                   "[1, 0, 0, 0]";

/* Three bodies welded in another order than they are declared in, one with tilted axes; one on the
 * wall; a flap on a hinge, a load in a part's axes, measures in and of parts. */
static const char *const model =
    "ironbird: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "inputs: {push: 1}\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03], position: [0.5, 0, 0], "
    "orientation: [0.8, 0, 0.6, 0], velocity: [0, 0.75, 0], angular_velocity: [0, 0, 1.5]}\n"
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [1.2, 0.1, 0.3], orientation: [0.5, 0.5, "
    "0.5, 0.5]}\n"
    "  flap: {mass: 0.5, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0.2]}\n"
    "  bracket: {mass: 0.3, inertia: [0.05, 0.05, 0.05], position: [0, 0, 1]}\n"
    "  e: {mass: 0.7, inertia: [0.05, 0.06, 0.07], position: [1.4, 0.5, 0.3], orientation: [0, "
    "0.6, 0, 0.8]}\n"
    "joints:\n"
    "  ball: {type: spherical, body1: a, point: [0, 0, 0]}\n"
    "  one: {%s, body1: e, body2: b, point: [1.3, 0.3, 0]}\n"
    "  two: {%s, body1: a, body2: b, point: [1, 0, 0]}\n"
    "  wall: {%s, body1: bracket, point: [0, 0, 1]}\n"
    "  hinge: {type: revolute, body1: flap, body2: b, point: [1.6, 0, 0], axis: [0, 1, 0]}\n"
    "measures:\n"
    "  x: {type: displacement, body1: flap, component: x, frame: b}\n"
    "  w: {type: angular_velocity, body1: a, component: y, frame: e}\n"
    "  swing: {type: angle, body1: flap, body2: b, orientation: {z: [0, 1, 0]}}\n"
    "  felt: {type: acceleration, body1: e, component: z, frame: b}\n"
    "forces:\n"
    "  jet: {type: force, body1: b, point1: [1.2, 0.1, 0.3], frame: b, value: [3 * sin(5 * t), w, "
    "push]}\n"
    "  spring: {type: spring_damper, body1: e, body2: bracket, point1: [1.5, 0.5, 0.3], point2: "
    "[0, 0, 1.2], stiffness: 50, damping: 1}\n"
    "  inside: {type: spring_damper, body1: e, body2: a, point1: [1.5, 0.5, 0.3], point2: [0, 0, "
    "0], stiffness: 80, free_length: 1}\n"
    "  twist: {type: expression_torque, body1: flap, body2: b, axis: [0, 1, 0], torque: -2 * swing "
    "- 0.1 * x}\n"
    "outputs: {o: x + w, p: felt}\n"
    "sensors:\n"
    "  tip: {type: point, body: e, point: [1.5, 0.6, 0.3], frame: b}\n"
    "simulation: {end: 3, %s}\n";

static bench start(const char *weld, const char *simulation) {
    char text[4096];
    snprintf(text, sizeof text, model, weld, weld, weld, simulation);
    return start_bench(text);
}

static size_t read_all(bench *b, double *values) {
    ib_handle handles[MAX_CHANNELS];
    const size_t n = ib_system_channel_count(b->system);
    assert_true(n > 0 && n <= MAX_CHANNELS);
    for (size_t i = 0; i < n; i++)
        handles[i] = (ib_handle)i;
    assert_int_equal(ib_system_read(b->system, handles, n, values, b->diags), IB_OK);
    return n;
}

static void compare(const char *simulation, double tolerance) {
    bench merged = start(fixed, simulation), whole = start(generic, simulation);
    double have[MAX_CHANNELS], want[MAX_CHANNELS];
    assert_true(ib_system_state_size(merged.system) < ib_system_state_size(whole.system));
    for (int i = 0; i <= 30; i++) {
        advance(&merged, 0.1 * i);
        advance(&whole, 0.1 * i);
        const size_t n = read_all(&merged, have);
        assert_int_equal(read_all(&whole, want), n);
        for (size_t k = 0; k < n; k++)
            if (!(fabs(have[k] - want[k]) <= tolerance * (1 + fabs(want[k]))))
                fail_msg("%s at %g s: %.15g, not %.15g",
                         ib_system_channel_info(whole.system, (ib_handle)k).name, 0.1 * i, have[k],
                         want[k]);
        if (i == 12)
            for (int k = 0; k < 2; k++) {
                bench *b = k ? &whole : &merged;
                assert_int_equal(ib_system_set_input(b->system, ib_system_input(b->system, "push"),
                                                     -7, b->diags),
                                 IB_OK);
            }
    }
    end_bench(&merged);
    end_bench(&whole);
}

static void test_explicit(void **state) {
    (void)state;
    compare("rtol: 1e-11, atol: 1e-12", 2e-9);
}

/* Positions that the integrator discretises are other ones, so its errors differ: by O(h^2). */
static void test_implicit(void **state) {
    (void)state;
    compare("solver: generalized_alpha, step: 2.5e-4", 2e-5);
}

/* A restored run has the bits of the first, in what welds transmit, too. */
static void test_snapshot(void **state) {
    (void)state;
    bench first = start(fixed, "rtol: 1e-8"), second = start(fixed, "rtol: 1e-8");
    double want[MAX_CHANNELS], have[MAX_CHANNELS];
    advance(&first, 0.4);
    const size_t size = ib_system_state_size(first.system);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    ib_system_save(first.system, snapshot);
    read_all(&first, want);
    advance(&first, 1.1);
    assert_int_equal(ib_system_restore(second.system, snapshot, size), IB_OK);
    read_all(&second, have);
    assert_memory_equal(have, want, sizeof(double) * ib_system_channel_count(first.system));
    advance(&second, 1.1);
    read_all(&first, want);
    read_all(&second, have);
    assert_memory_equal(have, want, sizeof(double) * ib_system_channel_count(first.system));
    assert_true(ib_system_statistics(first.system).state_hash ==
                ib_system_statistics(second.system).state_hash);
    free(snapshot);
    end_bench(&first);
    end_bench(&second);
}

/* A body welded to another costs what a single one does: its state is that of one. */
static void test_cost(void **state) {
    (void)state;
    bench one = start_bench("ironbird: 1\nbodies:\n  a: {mass: 2, inertia: [1, 1, 1]}\n");
    bench two = start_bench("ironbird: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
                            "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                            "joints: {w: {type: fixed, body1: a, body2: b, point: [0, 0, 0]}}\n");
    assert_int_equal(ib_system_state_size(two.system), ib_system_state_size(one.system));
    end_bench(&one);
    end_bench(&two);
}

/* What cannot be merged runs as it is: welds in a ring, whose inner forces are the least ones, and
 * a hinge between two parts of one piece. */
static void test_left_alone(void **state) {
    (void)state;
    static const char *const models[] = {
        "ironbird: 1\ngravity: [0, 0, -10]\nbodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, "
        "0]}\njoints:\n"
        "  w: {type: fixed, body1: a, body2: b, point: [0.5, 0, 0]}\n"
        "  v: {type: fixed, body1: a, body2: b, point: [0.5, 0, 0]}\n",
        "ironbird: 1\ngravity: [0, 0, -10]\nbodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, "
        "0]}\njoints:\n"
        "  w: {type: fixed, body1: a, body2: b, point: [0.5, 0, 0]}\n"
        "  h: {type: revolute, body1: a, body2: b, point: [0.5, 0, 0], axis: [0, 1, 0]}\n"};
    for (size_t i = 0; i < IB_COUNT(models); i++) {
        bench b = start_bench(models[i]);
        advance(&b, 1);
        ASSERT_NEAR(read_channel(&b, "a.position.z"), -5, 1e-9);
        ASSERT_NEAR(read_channel(&b, "b.position.z"), -5, 1e-9);
        ASSERT_NEAR(read_channel(&b, "w.force.z"), 0, 1e-9);
        end_bench(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explicit),   cmocka_unit_test(test_implicit),
        cmocka_unit_test(test_snapshot),   cmocka_unit_test(test_cost),
        cmocka_unit_test(test_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
