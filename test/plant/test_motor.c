/* Motors of a model: closed forms of rise, fall, rate limit and saturation by every solver, motors
 * that follow motors, forces and outputs that use them, kinks on the way. */
#include "plant/plant_test.h"

static const char *const solvers[] = {"dopri5, rtol: 1e-9", "dop853, rtol: 1e-9", "rk4, step: 1 ms",
                                      "generalized_alpha, step: 1 ms", "hht, step: 1 ms"};
/* of values up to 10, with kinks: a step that straddles one is of first order */
static const double tolerances[] = {1e-7, 1e-7, 1e-6, 1e-4, 1e-4};

static bench start_with(const char *forces, const char *solver) {
    char text[2000];
    snprintf(text, sizeof text,
             "ironbird: 1\n"
             "inputs: {u: 0}\n"
             "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
             "measures: {v: {type: velocity, body1: b, component: x}}\n"
             "forces:\n%s"
             "simulation: {end: 5, output_step: 0.1, solver: %s}\n",
             forces, solver);
    return start_bench(text);
}

static void set_input(bench *b, double value) {
    const ib_handle handle = ib_system_input(b->system, "u");
    assert_int_equal(ib_system_set_input(b->system, handle, value, b->diags), IB_OK);
}

/* Up in one time, down in another; the command is an input that jumps. */
static void test_rise_and_fall(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with(
            "  m: {type: motor, command: u, tau_up: 0.2, tau_down: 0.5, start: 4}\n", solvers[i]);
        ASSERT_NEAR(read_channel(&b, "m.value"), 4, 0);
        set_input(&b, 10);
        advance(&b, 0.6);
        const double top = 10 - 6 * exp(-3);
        ASSERT_NEAR(read_channel(&b, "m.value"), top, tolerances[i]);
        set_input(&b, -10);
        advance(&b, 1.1);
        ASSERT_NEAR(read_channel(&b, "m.value"), -10 + (top + 10) * exp(-1), tolerances[i]);
        end_bench(&b);
    }
}

/* Straight while the rate is limited, exponential once within limit x tau of the command, which is
 * cut off at `max`. */
static void test_limits(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with(
            "  m: {type: motor, command: u, tau_up: 0.25, rate_limit: 8, max: 6}\n", solvers[i]);
        set_input(&b, 100);
        advance(&b, 0.4);
        ASSERT_NEAR(read_channel(&b, "m.value"), 3.2, tolerances[i]);
        advance(&b, 1);
        /* 8 x 0.25 = 2 short of 6 after half a second */
        const double top = 6 - 2 * exp(-0.5 / 0.25);
        ASSERT_NEAR(read_channel(&b, "m.value"), top, 10 * tolerances[i]);
        set_input(&b, -100);
        advance(&b, 1.5);
        ASSERT_NEAR(read_channel(&b, "m.value"), top - 4, 10 * tolerances[i]);
        advance(&b, 5);
        ASSERT_NEAR(read_channel(&b, "m.value"), -6, 1e-3);
        end_bench(&b);
    }
}

/* A motor that follows another one and a measure, and the force of both on a body that starts at
 * rest: 2 v' = 3 m, m' = (1 - m) / 0.2, n' = (m + v - n) / 0.1. */
static void test_used_by_name(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with("  push: {type: expression_force, body1: b, axis: [1, 0, 0], "
                             "force: 3 * m + 0 * n}\n"
                             "  n: {type: motor, command: m + v, tau_up: 0.1}\n"
                             "  m: {type: motor, command: 1, tau_up: 0.2}\n"
                             "outputs: {twice: 2 * m, sum: n + v}\n",
                             solvers[i]);
        advance(&b, 1);
        const double decay = exp(-5), fast = exp(-10);
        const double m = 1 - decay, v = 1.5 * (1 - 0.2 * m);
        /* n = a + b t + c exp(-5 t) + d exp(-10 t) for n' = 10 (0.7 + 1.5 t - 0.7 exp(-5 t) - n) */
        const double n = 0.55 + 1.5 - 1.4 * decay + 0.85 * fast;
        ASSERT_NEAR(read_channel(&b, "m.value"), m, tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.velocity.x"), v, tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "n.value"), n, tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "push.value"), 3 * m, 3 * tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "twice.value"), 2 * m, 2 * tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "sum.value"), n + v, 2 * tolerances[i]);
        end_bench(&b);
    }
}

/* auto takes the high order for a motor that is smooth, and not where it turns round or is limited.
 */
static void test_automatic(void **state) {
    (void)state;
    static const char *const keys[] = {"tau_up: 1", "tau_up: 1, tau_down: 2", "tau_up: 1, max: 3",
                                       "tau_up: 1, rate_limit: 3"};
    for (size_t i = 0; i < IB_COUNT(keys); i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "ironbird: 1\nbodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "forces: {m: {type: motor, command: 1, %s}}\n",
                 keys[i]);
        bench b = start_bench(text);
        assert_string_equal(ib_system_statistics(b.system).solver, i ? "dopri5" : "dop853");
        end_bench(&b);
    }
}

static void test_channel(void **state) {
    (void)state;
    bench b = start_with("  m: {type: motor, command: 1, tau_up: 1, id: M1}\n", "auto");
    const ib_handle handle = ib_system_channel(b.system, "m.value");
    assert_true(handle >= 0);
    assert_true(ib_system_recorded_by_default(b.system, handle));
    assert_string_equal(ib_system_channel_info(b.system, handle).id, "M1");
    assert_string_equal(ib_system_channel_info(b.system, handle).unit, "");
    assert_int_equal(ib_system_channel(b.system, "m.force.x"), -1);
    end_bench(&b);
}

/* The state hash sees a motor, and a snapshot brings it back. */
static void test_saved(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with("  m: {type: motor, command: u, tau_up: 0.2}\n", solvers[i]);
        void *saved = malloc(ib_system_state_size(b.system));
        assert_non_null(saved);
        set_input(&b, 3);
        advance(&b, 0.3);
        ib_system_save(b.system, saved);
        const uint64_t hash = ib_system_statistics(b.system).state_hash;
        advance(&b, 0.5);
        const double value = read_channel(&b, "m.value");
        assert_true(ib_system_statistics(b.system).state_hash != hash);
        assert_int_equal(ib_system_restore(b.system, saved, ib_system_state_size(b.system)), IB_OK);
        assert_true(ib_system_statistics(b.system).state_hash == hash);
        advance(&b, 0.5);
        ASSERT_NEAR(read_channel(&b, "m.value"), value, 0);
        free(saved);
        end_bench(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rise_and_fall), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_used_by_name),  cmocka_unit_test(test_channel),
        cmocka_unit_test(test_automatic),     cmocka_unit_test(test_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
