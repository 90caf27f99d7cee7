/* Rotors and buoyancy of a model against closed forms, and their channels. */
#include "plant/plant_test.h"

#include "num/num.h"

static const char *const solvers[] = {"dopri5, rtol: 1e-10", "dop853, rtol: 1e-10",
                                      "rk4, step: 1 ms", "generalized_alpha, step: 1 ms"};
static const double tolerances[] = {1e-8, 1e-8, 1e-8, 2e-5};

static bench start_with(const char *body, const char *rest, const char *solver) {
    char text[2000];
    snprintf(text, sizeof text,
             "ironbird: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "bodies: {b: {mass: 2, inertia: [0.3, 0.2, 0.4], %s}}\n"
             "%s"
             "simulation: {end: 5, output_step: 0.1, solver: %s}\n",
             body, rest, solver);
    return start_bench(text);
}

/* ---- rotors ---- */

/* Climbing against its own inflow: m v' = k w^2 - inflow w v - m g; turning against its torque. */
static void test_climb(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++)
        for (int spin = -1; spin <= 1; spin += 2) {
            char rotor[300];
            snprintf(rotor, sizeof rotor,
                     "forces: {r: {type: rotor, body1: b, axis: [0, 0, 1], spin: %d, speed: 50, "
                     "k_thrust: 0.01, k_torque: 4e-4, inflow: 0.08}}\n",
                     spin);
            bench b = start_with("velocity: [0, 0, -1]", rotor, solvers[i]);
            advance(&b, 1);
            const double top = (25 - 2 * 9.81) / 4, v = top + (-1 - top) * exp(-2);
            ASSERT_NEAR(read_channel(&b, "b.velocity.z"), v, tolerances[i]);
            ASSERT_NEAR(read_channel(&b, "b.angular_velocity.z"), -spin / 0.4, tolerances[i]);
            ASSERT_NEAR(read_channel(&b, "r.force.z"), 25 - 4 * v, 4 * tolerances[i]);
            ASSERT_NEAR(read_channel(&b, "r.torque.z"), -spin, tolerances[i]);
            ASSERT_NEAR(read_channel(&b, "b.velocity.x"), 0, tolerances[i]);
            end_bench(&b);
        }
}

/* Drag across the axis, of a rotor at the centre of mass that turns backwards: m v' = -d |w| v. */
static void test_drag(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with("velocity: [3, -4, 0]",
                             "forces: {r: {type: rotor, body1: b, axis: [0, 0, 1], speed: -50, "
                             "k_thrust: 7.848e-3, damping: 0.06}}\n",
                             solvers[i]);
        advance(&b, 1);
        ASSERT_NEAR(read_channel(&b, "b.velocity.x"), 3 * exp(-1.5), tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.velocity.y"), -4 * exp(-1.5), tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.velocity.z"), 0, tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "r.force.y"), 12 * exp(-1.5), 3 * tolerances[i]);
        end_bench(&b);
    }
}

/* Its force turns with the body and acts at its point: the torque of an arm of 0.3 m about y. */
static void test_direction(void **state) {
    (void)state;
    bench b = start_with("orientation: {sequence: zyx, angles: [0, 30 deg, 0]}",
                         "points: {hub: [0.3, 0, 0.5]}\n"
                         "forces: {r: {type: rotor, body1: b, point1: hub, axis: [1, 0, 1], speed: "
                         "10, k_thrust: 0.2, k_torque: 0.03}}\n",
                         "dopri5, rtol: 1e-10");
    const double unit = sqrt(0.5);
    ASSERT_NEAR(read_channel(&b, "r.force.x"), 20 * unit, 1e-12);
    ASSERT_NEAR(read_channel(&b, "r.force.z"), 20 * unit, 1e-12);
    ASSERT_NEAR(read_channel(&b, "r.torque.x"), -3 * unit, 1e-12);
    /* about y: 0.5 Fx - 0.3 Fz, over 0.2; the inertia's y stays y under this attitude */
    const double before = read_channel(&b, "b.angular_velocity.y");
    advance(&b, 1e-4);
    ASSERT_NEAR((read_channel(&b, "b.angular_velocity.y") - before) / 1e-4, 20 * unit * 0.2 / 0.2,
                1e-3);
    advance(&b, 0.4);
    /* on the body the direction is what it was: turn the force back */
    double q[4], force[3], axis[3] = {unit, 0, unit};
    static const char *const w[] = {"b.orientation.w", "b.orientation.x", "b.orientation.y",
                                    "b.orientation.z"};
    static const char *const f[] = {"r.force.x", "r.force.y", "r.force.z"};
    for (int k = 0; k < 4; k++)
        q[k] = read_channel(&b, w[k]);
    for (int k = 0; k < 3; k++)
        force[k] = read_channel(&b, f[k]);
    const double start[4] = {cos(acos(-1) / 12), 0, sin(acos(-1) / 12), 0};
    ib_quat_rotate_back(start, axis, axis);
    ib_quat_rotate(q, axis, axis);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(force[k], 20 * axis[k], 1e-10);
    end_bench(&b);
}

/* At the speed of a motor: thrust k (w (1 - exp(-t / tau)))^2. */
static void test_motor(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b =
            start_with("velocity: [0, 0, 0]",
                       "forces:\n"
                       "  r: {type: rotor, body1: b, axis: [0, 0, 1], speed: m, k_thrust: 0.01}\n"
                       "  m: {type: motor, command: 60, tau_up: 0.2}\n",
                       solvers[i]);
        advance(&b, 1);
        const double e1 = exp(-5), e2 = exp(-10);
        const double impulse = 36 * (1 - 0.4 * (1 - e1) + 0.1 * (1 - e2));
        ASSERT_NEAR(read_channel(&b, "r.force.z"), 36 * (1 - e1) * (1 - e1), 10 * tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.velocity.z"), impulse / 2 - 9.81, 10 * tolerances[i]);
        end_bench(&b);
    }
}

/* Four rotors on arms, tumbling: the implicit method converges to what the explicit one gives. */
static void test_tumbling(void **state) {
    (void)state;
    static const char *const rotors =
        "inputs: {u: 1}\n"
        "forces:\n"
        "  m1: {type: motor, command: 420 + 60 * u, tau_up: 0.05, tau_down: 0.1}\n"
        "  m2: {type: motor, command: 410 + 30 * rate, tau_up: 0.05, tau_down: 0.1}\n"
        "  r1: {type: rotor, body1: b, point1: [0.3, 0, 0.1], axis: [0, 0, 1], spin: 1, speed: m1, "
        "k_thrust: 3e-5, k_torque: 6e-7, inflow: 4e-4, damping: 2e-4}\n"
        "  r2: {type: rotor, body1: b, point1: [-0.3, 0.1, 0.1], axis: [0, 0.1, 1], spin: -1, "
        "speed: "
        "m2, k_thrust: 3e-5, k_torque: 6e-7, inflow: 4e-4, damping: 2e-4}\n"
        "measures: {rate: {type: angular_velocity, body1: b, component: y, frame: b}}\n";
    static const char *const names[] = {"b.position.x", "b.position.z", "b.orientation.w",
                                        "b.angular_velocity.x", "m2.value"};
    static const char *const methods[] = {"dop853, rtol: 1e-11", "generalized_alpha, step: 1 ms",
                                          "generalized_alpha, step: 0.5 ms"};
    double value[3][5], worst[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        bench b = start_with("angular_velocity: [1, 0.5, 2]", rotors, methods[i]);
        advance(&b, 0.4);
        for (size_t k = 0; k < IB_COUNT(names); k++)
            value[i][k] = read_channel(&b, names[k]);
        end_bench(&b);
    }
    for (size_t k = 0; k < IB_COUNT(names); k++)
        for (int i = 0; i < 2; i++) {
            const double scale = k == 4 ? 400 : 1;
            worst[i] = fmax(worst[i], fabs(value[i + 1][k] - value[0][k]) / scale);
        }
    assert_true(worst[0] < 1e-4);
    assert_true(worst[0] / worst[1] > 3.5 && worst[0] / worst[1] < 4.6);
}

/* ---- buoyancy ---- */

/* A ball under water rises with (rho V g - m g) / m; one on a slope of gravity moves against it. */
static void test_rise(void **state) {
    (void)state;
    bench b = start_with("velocity: [0, 0, 0]",
                         "forces: {f: {type: buoyancy, body1: b, volume: 0.003, density: 1000}}\n",
                         "dopri5, rtol: 1e-10");
    ASSERT_NEAR(read_channel(&b, "f.value"), 29.43, 1e-12);
    advance(&b, 1);
    ASSERT_NEAR(read_channel(&b, "b.velocity.z"), 9.81 / 2, 1e-9);
    end_bench(&b);
    b = start_bench(
        "ironbird: 1\ngravity: [3, 0, -4]\n"
        "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
        "forces: {f: {type: buoyancy, body1: b, volume: 1, density: 2, point1: [0, 1, 0]}}\n"
        "simulation: {end: 1, output_step: 0.1, record: ['*']}\n");
    ASSERT_NEAR(read_channel(&b, "f.value"), 10, 1e-14);
    ASSERT_NEAR(read_channel(&b, "b.acceleration.x"), 0, 1e-14);
    advance(&b, 1e-3); /* the arm of 1 m along y turns it: torque (0, 1, 0) x (-6, 0, 8) */
    ASSERT_NEAR(read_channel(&b, "b.angular_velocity.x"), 8e-3, 1e-6);
    ASSERT_NEAR(read_channel(&b, "b.angular_velocity.z"), 6e-3, 1e-6);
    end_bench(&b);
}

/* A buoy: the volume under the surface is A (h - z), so it bobs at sqrt(rho g A / m). */
static void test_bob(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with("velocity: [0, 0, 0.5]",
                             "measures: {z: {type: displacement, body1: b, component: z}}\n"
                             "forces: {f: {type: buoyancy, body1: b, volume: 0.01 * (0.2 - z), "
                             "density: 1000}}\n",
                             solvers[i]);
        advance(&b, 1);
        const double omega = sqrt(1000 * 9.81 * 0.01 / 2);
        ASSERT_NEAR(read_channel(&b, "b.position.z"), 0.5 / omega * sin(omega), tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "f.value"), 2 * 9.81 - 2 * omega * 0.5 * sin(omega),
                    200 * tolerances[i]);
        end_bench(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_climb),     cmocka_unit_test(test_drag),
        cmocka_unit_test(test_direction), cmocka_unit_test(test_motor),
        cmocka_unit_test(test_tumbling),  cmocka_unit_test(test_rise),
        cmocka_unit_test(test_bob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
