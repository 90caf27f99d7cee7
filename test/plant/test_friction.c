/* Friction in the joints of a model: every key reaches the law, channels, bodies that are welded,
 * joints to the ground from either side, and what auto makes of it. */
#include "plant/plant_test.h"

#define HEAD "ironbird: 1\ngravity: [0, 0, -9.81]\nbodies:\n"

/* A block on an incline, within the stick speed: friction in numbers, against the slip. */
static void test_law(void **state) {
    (void)state;
    bench b = start_bench(
        HEAD "  block: {mass: 2, inertia: [1, 1, 1], velocity: [0.6, 0, -0.8]}\n"
             "joints:\n"
             "  s: {type: prismatic, body1: block, axis: [0.6, 0, -0.8], friction: {mu: 0.5, "
             "stick_velocity: 2}}\n"
             "simulation: {end: 1, output_step: 0.1, record: ['*']}\n");
    const double N = 2 * 9.81 * 0.6, share = 0.5 * (15 - 10 * 0.25 + 3 * 0.0625) / 8;
    ASSERT_NEAR(read_channel(&b, "s.friction.force"), -0.5 * N * share, 1e-12 * N);
    ASSERT_NEAR(read_channel(&b, "block.acceleration.x"), 0.6 * (9.81 * 0.8 - 0.5 * N * share / 2),
                1e-9);
    ASSERT_NEAR(read_channel(&b, "s.force.x"), N * 0.8, 1e-9);
    assert_int_equal(ib_system_channel(b.system, "s.friction.torque"), -1);
    end_bench(&b);
}

/* A wheel on a level pin: the torque, and the time that it takes to stop. With mu: 0 the channel
 * is there and says nothing. */
static void test_pin(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 HEAD "  wheel: {mass: 5, inertia: [0.1, 0.2, 0.1], angular_velocity: [0, 3, 0]}\n"
                      "joints:\n"
                      "  p: {type: revolute, body1: wheel, point: [0, 0, 0], axis: [0, 1, 0], "
                      "friction: {mu: %s, radius: 20 mm}}\n"
                      "simulation: {end: 3, output_step: 0.1, record: ['*']}\n",
                 i ? "0.3" : "0");
        bench b = start_bench(text);
        const double torque = i * 0.3 * 0.02 * 5 * 9.81;
        ASSERT_NEAR(read_channel(&b, "p.friction.torque"), -torque, 1e-9);
        assert_int_equal(ib_system_channel(b.system, "p.friction.force"), -1);
        advance(&b, 1);
        ASSERT_NEAR(read_channel(&b, "wheel.angular_velocity.y"), 3 - torque / 0.2, 1e-6);
        advance(&b, 3);
        ASSERT_NEAR(read_channel(&b, "wheel.angular_velocity.y"), i ? 0 : 3, 1e-5);
        end_bench(&b);
    }
}

/* The ground as body1 or body2: what acts on body1 changes its sign, the motion does not. */
static void test_sides(void **state) {
    (void)state;
    static const char *const sides[] = {"body1: ring", "body1: ground, body2: ring"};
    double y[2], w[2], force[2], torque[2];
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 HEAD "  ring: {mass: 2, inertia: [0.05, 0.08, 0.05], velocity: [0, 1, 0], "
                      "angular_velocity: [0, 9, 0]}\n"
                      "joints:\n"
                      "  c: {type: cylindrical, %s, point: [0, 0, 0], axis: [0, 1, 0], friction: "
                      "{mu: 0.3, radius: 0.1, stick_velocity: 0.01}}\n"
                      "simulation: {end: 1, output_step: 0.1, rtol: 1e-10, record: ['*']}\n",
                 sides[i]);
        bench b = start_bench(text);
        advance(&b, 0.2);
        y[i] = read_channel(&b, "ring.position.y");
        w[i] = read_channel(&b, "ring.angular_velocity.y");
        force[i] = read_channel(&b, "c.friction.force");
        torque[i] = read_channel(&b, "c.friction.torque");
        end_bench(&b);
    }
    assert_true(force[0] < -1 && torque[0] < -0.1);
    ASSERT_NEAR(y[1], y[0], 1e-9);
    ASSERT_NEAR(w[1], w[0], 1e-8);
    ASSERT_NEAR(force[1], -force[0], 1e-7);
    ASSERT_NEAR(torque[1], -torque[0], 1e-8);
}

/* An arm of two parts, welded and so one body, or held by a generic joint; and the frame that it
 * hangs from likewise, which is then ground. */
static void test_welded(void **state) {
    (void)state;
    static const char *const joints[] = {"fixed", "generic, lock: [x, y, z, rx, ry, rz]"};
    static const char *const names[] = {"arm.position.x",      "bob.position.x", "pin.force.x",
                                        "pin.friction.torque", "w.force.x",      "pin.force.z"};
    static const char *const solvers[] = {"dop853", "stiff"};
    double value[4][6];
    for (int i = 0; i < 4; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 HEAD
                 "  frame: {mass: 10, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
                 "  arm: {mass: 1, inertia: [0.05, 0.05, 0.01], position: [0, 0, -0.3], "
                 "orientation: {sequence: yxz, angles: [0.3, 0.1, 0]}}\n"
                 "  bob: {mass: 2, inertia: [0.01, 0.02, 0.01], position: [0.4, 0, -0.3]}\n"
                 "joints:\n"
                 "  f: {body1: frame, point: [0, 1, 0], type: %s}\n"
                 "  w: {body1: bob, body2: arm, point: [0.2, 0, -0.3], type: %s}\n"
                 "  pin: {type: revolute, body1: arm, body2: frame, point: [0, 0, 0], axis: [0, 1, "
                 "0], friction: {mu: 0.4, radius: 0.05, stick_velocity: 0.01}}\n"
                 "simulation: {end: 1, output_step: 0.1, rtol: 1e-9, solver: %s}\n",
                 joints[i % 2], joints[i % 2], solvers[i / 2]);
        bench b = start_bench(text);
        advance(&b, 0.4);
        for (size_t k = 0; k < IB_COUNT(names); k++)
            value[i][k] = read_channel(&b, names[k]);
        end_bench(&b);
    }
    assert_true(fabs(value[0][3]) > 0.1);
    for (int i = 1; i < 4; i++)
        for (size_t k = 0; k < IB_COUNT(names); k++)
            ASSERT_NEAR(value[i][k], value[0][k], 1e-5);
}

/* A hard stick is stiff, be it in a joint, a contact or a law: auto goes over once the block has
 * come to rest, and gets there in few steps. */
static void test_auto(void **state) {
    (void)state;
    static const char *const models[] = {
        "joints:\n"
        "  s: {type: prismatic, body1: block, axis: [1, 0, 0], friction: {mu: 0.5, stick_velocity: "
        "1e-5}}\n",
        "joints: {s: {type: generic, body1: block, lock: [rx, ry, rz]}}\n"
        "forces:\n"
        "  f: {type: contact, body1: block, point2: [0, 0, 1.962e-4], axis: [0, 0, 1], stiffness: "
        "1e5, exponent: 1, dissipation: 1, mu: 0.5, stick_velocity: 1e-5, max_depth: 0.01}\n",
        "joints: {s: {type: prismatic, body1: block, axis: [1, 0, 0]}}\n"
        "measures: {v: {type: velocity, body1: block, component: x}}\n"
        "forces:\n"
        "  f: {type: expression_force, body1: block, axis: [1, 0, 0], force: -9.81 * tanh(v / "
        "1e-5)}\n"};
    for (size_t i = 0; i < IB_COUNT(models); i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 HEAD "  block: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}\n%s"
                      "simulation: {end: 10, output_step: 1}\n",
                 models[i]);
        bench b = start_bench(text);
        for (int t = 1; t <= 10; t++)
            advance(&b, t);
        ASSERT_NEAR(read_channel(&b, "block.position.x"), 1 / (2 * 0.5 * 9.81), 5e-6);
        assert_string_equal(ib_system_statistics(b.system).solver, "stiff");
        assert_true(ib_system_statistics(b.system).steps < 2000);
        end_bench(&b);
    }
}

/* A wedge that jams: the run says which joint. */
static void test_jam(void **state) {
    (void)state;
    bench b = try_bench(
        HEAD "  wedge: {mass: 0.1, inertia: [1, 1, 1], velocity: [0.1, 0, 0]}\n"
             "  block: {mass: 10, inertia: [1, 1, 1], position: [0.3, 0, 0.3], velocity: [0.1, 0, "
             "0]}\n"
             "joints:\n"
             "  rail: {type: prismatic, body1: wedge, axis: [1, 0, 0], friction: {mu: 1.5}}\n"
             "  face: {type: prismatic, body1: block, body2: wedge, axis: [1, 0, 1]}\n");
    assert_int_equal(b.status, IB_SIMULATION_FAILED);
    const ib_diag *diag =
        assert_diag(b.diags, "IB0718", "rail: at t = 0 s its friction cannot be resolved");
    assert_int_equal(diag->place.line, 7);
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),    cmocka_unit_test(test_pin),  cmocka_unit_test(test_sides),
        cmocka_unit_test(test_welded), cmocka_unit_test(test_auto), cmocka_unit_test(test_jam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
