/* Contacts of a model: every key reaches the law, channels, what auto chooses, a height field from
 * a file's table, and a start that is too deep. */
#include "plant/plant_test.h"

#define BALL "ironbird: 1\ngravity: [0, 0, -9.81]\nbodies:\n"

/* A ball that goes down at 1 m/s and along at 2 m/s, 4 mm deep in a plane x = 0.3 that faces along
 * +x: the law in numbers. */
static void test_law(void **state) {
    (void)state;
    bench b = start_bench("ironbird: 1\nbodies:\n"
                          "  ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.296, 0, 0], "
                          "velocity: [-1, 0, 2], "
                          "angular_velocity: [0, 0, 3]}\n"
                          "forces:\n"
                          "  c: {type: contact, body1: ball, point1: [0.396, 0, 0], point2: [0.3, "
                          "5, 5], axis: [1, 0, "
                          "0], radius: 0.1, stiffness: 1e6, exponent: 1.2, dissipation: 0.4, mu: "
                          "0.5, stick_velocity: "
                          "4}\n"
                          "simulation: {end: 1, output_step: 0.1, record: ['*']}\n");
    const double N = 1e6 * pow(0.004, 1.2) * 1.4;
    /* the deepest point is the body's centre: its spin does not count */
    const double x = 2.0 / 4, share = x * (15 - 10 * x * x + 3 * x * x * x * x) / 8;
    ASSERT_NEAR(read_channel(&b, "c.force.x"), N, 1e-9 * N);
    ASSERT_NEAR(read_channel(&b, "c.force.y"), 0, 1e-9);
    ASSERT_NEAR(read_channel(&b, "c.force.z"), -0.5 * N * share, 1e-9 * N);
    ASSERT_NEAR(read_channel(&b, "ball.acceleration.x"), N / 2, 1e-9 * N);
    ASSERT_NEAR(read_channel(&b, "energy.potential"), 1e6 * pow(0.004, 2.2) / 2.2, 1e-9);
    assert_int_equal(ib_system_channel(b.system, "c.torque.x"), -1);
    assert_string_equal(ib_system_statistics(b.system).solver, "dopri5");
    end_bench(&b);
}

/* A ball rolls across a ground made from a table and comes to rest in its trough; a plane beside it
 * as the same ground. */
static void test_trough(void **state) {
    (void)state;
    bench b = start_bench(
        BALL
        "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.5, 0, 0.23]}\n"
        "tables:\n"
        "  trough: {type: cubic, axes: [[-2, -1, 0, 1, 2], [-1, 1]], values: [[2, 2], [0.5, 0.5], "
        "[0, "
        "0], [0.5, 0.5], [2, 2]]}\n"
        "forces:\n"
        "  c: {type: contact, body1: ball, radius: 0.1, stiffness: 1e5, dissipation: 0.5, mu: 0.8, "
        "stick_velocity: 0.01, surface: trough}\n"
        "simulation: {end: 4, output_step: 0.1, rtol: 1e-8, record: ['*']}\n");
    /* small oscillations of a rolling ball at distance R - r = 0.9 from the trough's centre of
     * curvature: 5/7 g / 0.9 */
    double last = read_channel(&b, "ball.position.x"), crossing = 0;
    const double energy = read_channel(&b, "energy.total");
    for (int i = 1; i <= 200 && crossing == 0; i++) {
        advance(&b, 0.01 * i);
        const double x = read_channel(&b, "ball.position.x");
        if (last > 0 && x <= 0)
            crossing = 0.01 * (i - x / (x - last));
        last = x;
    }
    const double quarter = acos(-1) / 2 / sqrt(5 * 9.81 / (7 * 0.9));
    assert_true(crossing > quarter && crossing < 1.15 * quarter);
    advance(&b, 4);
    assert_true(fabs(read_channel(&b, "ball.position.x")) < 0.5);
    assert_true(read_channel(&b, "energy.total") < energy);
    ASSERT_NEAR(read_channel(&b, "ball.position.y"), 0, 1e-9);
    end_bench(&b);
}

/* The same landing by the explicit and the implicit solver. */
static void test_solvers(void **state) {
    (void)state;
    static const char *const names[] = {"dopri5, rtol: 1e-9", "generalized_alpha, step: 0.2 ms",
                                        "hht, step: 0.2 ms", "rk4, step: 50 us"};
    double x[4], w[4];
    for (size_t i = 0; i < IB_COUNT(names); i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 BALL "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.11], "
                      "velocity: [1, 0, 0]}\n"
                      "forces: {c: {type: contact, body1: ball, radius: 0.1, stiffness: 1e4, "
                      "dissipation: 1, mu: 0.3, stick_velocity: 0.02}}\n"
                      "simulation: {end: 1, output_step: 0.1, solver: %s}\n",
                 names[i]);
        bench b = start_bench(text);
        advance(&b, 0.6);
        x[i] = read_channel(&b, "ball.position.x");
        w[i] = read_channel(&b, "ball.angular_velocity.y");
        end_bench(&b);
    }
    for (size_t i = 1; i < IB_COUNT(names); i++) {
        ASSERT_NEAR(x[i], x[0], 1e-4);
        ASSERT_NEAR(w[i], w[0], 1e-3);
    }
}

/* A ball on a leg, welded to it and so one body, or held by a generic joint: contact, bushing,
 * rotor and motor act on either alike. */
static void test_welded(void **state) {
    (void)state;
    static const char *const joints[] = {"fixed", "generic, lock: [x, y, z, rx, ry, rz]"};
    static const char *const names[] = {
        "leg.position.x", "leg.position.z", "leg.angular_velocity.y",
        "c.force.z",      "m.torque.y",     "ball.position.z",
        "r.force.x",      "w.value"};
    double value[2][8];
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            BALL
            "  leg: {mass: 1, inertia: [0.05, 0.05, 0.01], position: [0, 0, 0.5], orientation: "
            "{sequence: yxz, angles: [0.3, 0.1, 0]}, velocity: [1, 0, 0]}\n"
            "  ball: {mass: 0.5, inertia: [0.004, 0.004, 0.004], position: [-0.1, 0, 0.12], "
            "orientation: {z: [1, 0, 0]}, velocity: [1, 0, 0]}\n"
            "  head: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0.9], velocity: [1, "
            "0, 0]}\n"
            "joints: {j: {body1: ball, body2: leg, point: [0, 0, 0.3], type: %s}}\n"
            "forces:\n"
            "  c: {type: contact, body1: ball, radius: 0.1, stiffness: 2e4, dissipation: 0.5, mu: "
            "0.4, stick_velocity: 0.05}\n"
            "  m: {type: bushing, body1: head, body2: leg, point: [0.1, 0, 0.8], stiffness: [2e3, "
            "2e3, 4e3, 50, 50, 20], damping: [10, 10, 20, 0.5, 0.5, 0.1]}\n"
            "  r: {type: rotor, body1: ball, axis: [0, 0, 1], speed: w, k_thrust: 2e-4, k_torque: "
            "1e-6, inflow: 1e-3, damping: 2e-3}\n"
            "  w: {type: motor, command: 100, tau_up: 0.1}\n"
            "simulation: {end: 1, output_step: 0.1, rtol: 1e-10}\n",
            joints[i]);
        bench b = start_bench(text);
        advance(&b, 0.08);
        for (size_t k = 0; k < IB_COUNT(names); k++)
            value[i][k] = read_channel(&b, names[k]);
        end_bench(&b);
    }
    assert_true(value[0][3] > 1); /* it stands on the ball */
    for (size_t k = 0; k < IB_COUNT(names); k++)
        ASSERT_NEAR(value[0][k], value[1][k], 1e-5);
}

static void test_deep(void **state) {
    (void)state;
    bench b =
        try_bench(BALL "  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.07]}\n"
                       "forces: {c: {type: contact, body1: ball, radius: 0.1, stiffness: 1e4}}\n");
    assert_int_equal(b.status, IB_BAD_INPUT);
    const ib_diag *diag = assert_diag(
        b.diags, "IB0644", "c: it starts 0.03 m deep, more than its max_depth of 0.01 m");
    assert_int_equal(diag->place.line, 5);
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),     cmocka_unit_test(test_trough),
        cmocka_unit_test(test_solvers), cmocka_unit_test(test_welded),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
