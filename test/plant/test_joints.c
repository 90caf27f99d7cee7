/* Joints from the file to the motion: each type of the model language becomes the joint that it
 * says. The mechanics' own tests hold the equations; these hold the way there.
 */
#include "plant/plant_test.h"

#define HEAD                                                                                       \
    "ironbird: 1\n"                                                                                \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "simulation: {rtol: 1e-10}\n"

/* One body under gravity with the joint `j` of these keys, to a time. */
static bench fallen(const char *body, const char *joint, double seconds) {
    char text[1000];
    snprintf(text, sizeof text,
             HEAD "bodies: {b: {mass: 2, inertia: [1, 1, 1], %s}}\njoints: "
                  "{j: {body1: b, %s}}\n",
             body, joint);
    bench b = start_bench(text);
    advance(&b, seconds);
    return b;
}

static void test_planar(void **state) {
    (void)state;
    bench b =
        fallen("position: [0, 0, 0]", "type: planar, point: [0, 0, 0], axis: [0.6, 0, 0.8]", 1);
    const double s = 0.5 * 9.81 * 0.6;
    ASSERT_NEAR(read_channel(&b, "b.position.x"), 0.8 * s, 1e-9);
    ASSERT_NEAR(read_channel(&b, "b.position.z"), -0.6 * s, 1e-9);
    ASSERT_NEAR(read_channel(&b, "j.force.z"), 2 * 9.81 * 0.64, 1e-8);
    end_bench(&b);
}

static void test_point_on_line(void **state) {
    (void)state;
    bench b = fallen("position: [0, 0, 0]",
                     "type: point_on_line, point: [0, 0, 0], axis: [0.8, 0, -0.6]", 1);
    const double s = 0.5 * 9.81 * 0.6;
    ASSERT_NEAR(read_channel(&b, "b.position.x"), 0.8 * s, 1e-9);
    ASSERT_NEAR(read_channel(&b, "j.force.x"), 2 * 9.81 * 0.48, 1e-8);
    end_bench(&b);
}

static void test_point_on_plane(void **state) {
    (void)state;
    bench b = fallen("velocity: [0, 1, 0]",
                     "type: point_on_plane, point: [0, 0, 0], axis: [0.6, 0, 0.8]", 1);
    const double s = 0.5 * 9.81 * 0.6;
    ASSERT_NEAR(read_channel(&b, "b.position.x"), 0.8 * s, 1e-9);
    ASSERT_NEAR(read_channel(&b, "b.position.y"), 1, 1e-9);
    end_bench(&b);
}

/* Both leave the fall alone and take away turns: all across the axis, or that across both. */
static void test_parallel_and_perpendicular_axes(void **state) {
    (void)state;
    bench b = fallen("angular_velocity: [1, 2, 3]", "type: parallel_axes, axis: [0, 0, 1]", 1);
    ASSERT_NEAR(read_channel(&b, "b.position.z"), -0.5 * 9.81, 1e-9);
    ASSERT_NEAR(read_channel(&b, "b.angular_velocity.x"), 0, 1e-9);
    ASSERT_NEAR(read_channel(&b, "b.angular_velocity.z"), 3, 1e-9);
    end_bench(&b);
    b = fallen("angular_velocity: [1, 2, 3]",
               "type: perpendicular_axes, axis1: [1, 0, 0], axis2: [0, 0, 1]", 0);
    ASSERT_NEAR(read_channel(&b, "b.angular_velocity.x"), 1, 1e-9);
    ASSERT_NEAR(read_channel(&b, "b.angular_velocity.y"), 0, 1e-9);
    ASSERT_NEAR(read_channel(&b, "b.angular_velocity.z"), 3, 1e-9);
    end_bench(&b);
}

/* A drive through an angle of 40 degrees that is not in any plane of the axes. */
static void test_constant_velocity(void **state) {
    (void)state;
    bench b = start_bench(
        "ironbird: 1\n"
        "bodies:\n"
        "  in: {mass: 1, inertia: [1, 1, 0.2]}\n"
        "  out: {mass: 1, inertia: [1, 1, 0.3], orientation: {z: [0.4, 0.5, 0.763]}}\n"
        "joints:\n"
        "  first: {type: revolute, body1: in, point: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  second: {type: revolute, body1: out, point: [0, 0, 0], axis: [0.4, 0.5, 0.763]}\n"
        "  drive: {type: constant_velocity, body1: in, body2: out, point: [0, 0, 0], axis1: "
        "[0, 0, 1], axis2: [0.4, 0.5, 0.763]}\n"
        "measures:\n"
        "  a: {type: angle, body1: in, orientation: {z: [0, 0, 1]}}\n"
        "  b: {type: angle, body1: out, orientation: {z: [0.4, 0.5, 0.763]}}\n"
        "drivers: {motor: {measure: a, motion: 3 * t^2}}\n"
        "outputs: {slip: b - a, turned: b}\n"
        "simulation: {rtol: 1e-10}\n");
    for (double t = 0.5; t < 2.1; t += 0.5) {
        advance(&b, t);
        ASSERT_NEAR(read_channel(&b, "slip.value"), 0, 1e-9);
        ASSERT_NEAR(read_channel(&b, "turned.value"), 3 * t * t, 1e-9);
        ASSERT_NEAR(read_channel(&b, "motor.lambda"), 6 * (0.2 + 0.3), 1e-7);
    }
    end_bench(&b);
}

/* Flipped axes are refused where they stand. */
static void test_flips(void **state) {
    (void)state;
    static const char *const types[] = {"planar", "parallel_axes", "constant_velocity"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 HEAD "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\njoints:\n  hold: {type: %s, "
                      "body1: b, point: [0, 0, 0], axis1: [0, 0, 1], axis2: [0, 0, -1]}\n",
                 types[i]);
        bench b = try_bench(text);
        assert_int_equal(b.status, IB_BAD_INPUT);
        assert_int_equal(assert_diag(b.diags, "IB0635", "hold")->place.line, 6);
        end_bench(&b);
    }
}

/* A rod of a given length closes what the model leaves open; its pull is the weight it carries. */
static void test_distance(void **state) {
    (void)state;
    bench b = fallen("position: [0, 0, -1]",
                     "type: distance, point1: [0, 0, -1], point2: [0, 0, 0], length: 1.0005", 0.5);
    assert_diag(b.diags, "IB0634", "b");
    ASSERT_NEAR(read_channel(&b, "b.position.z"), -1.0005, 1e-10);
    ASSERT_NEAR(read_channel(&b, "j.force.z"), 2 * 9.81, 1e-8);
    end_bench(&b);
}

/* ---- gears, racks and screws ---- */

/* A winch: a motor turns the first wheel, its gear the drum, whose rack lifts a weight; read
 * through measures that are offset, in other units, and counted over turns. */
static const char *const winch =
    "ironbird: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  wheel: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
    "  drum: {mass: 1, inertia: [0.2, 0.2, 0.2], position: [1, 0, 0]}\n"
    "  load: {mass: 3, inertia: [1, 1, 1], position: [1.1, 0, -1]}\n"
    "joints:\n"
    "  shaft: {type: revolute, body1: wheel, point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  hub: {type: revolute, body1: drum, point: [1, 0, 0], axis: [0, 1, 0]}\n"
    "  guide: {type: prismatic, body1: load, axis: [0, 0, 1]}\n"
    "  mesh: {type: gear, measure1: turned, measure2: driven, ratio: -0.2, id: m-1}\n"
    "  rope: {type: rack_pinion, measure1: height, measure2: turned, radius: -0.1}\n"
    "measures:\n"
    "  driven: {type: angle, body1: wheel, orientation: {z: [0, 1, 0]}, offset: 1}\n"
    "  turned: {type: angle, body1: drum, orientation: {z: [0, 1, 0]}}\n"
    "  height: {type: displacement, body1: load, component: z}\n"
    "drivers: {motor: {measure: driven, motion: 12 * t^2 - 1}}\n"
    "outputs: {drum_angle: turned, lift: height}\n"
    "simulation: {rtol: 1e-10%s}\n";

static void test_winch(void **state) {
    (void)state;
    static const char *const solvers[] = {"", ", solver: generalized_alpha, step: 0.005"};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text, winch, solvers[i]);
        bench b = start_bench(text);
        for (double t = 1; t < 3.5; t += 1) {
            advance(&b, t);
            const double drum = -0.2 * 12 * t * t, lift = -0.1 * drum, a = 0.1 * 0.2 * 24;
            ASSERT_NEAR(read_channel(&b, "drum_angle.value"), drum, 1e-8);
            ASSERT_NEAR(read_channel(&b, "lift.value"), -1 + lift, 1e-9);
            ASSERT_NEAR(read_channel(&b, "rope.lambda"), 3 * (9.81 + a), 1e-6);
            ASSERT_NEAR(read_channel(&b, "rope.force.z"), 3 * (9.81 + a), 1e-6);
            const double torque = -0.2 * 0.2 * 24 - 0.1 * 3 * (9.81 + a); /* on the drum */
            ASSERT_NEAR(read_channel(&b, "mesh.lambda"), torque, 1e-6);
            ASSERT_NEAR(read_channel(&b, "mesh.torque.y"), torque, 1e-6);
            ASSERT_NEAR(read_channel(&b, "motor.lambda"), 0.01 * 24 - 0.2 * torque, 1e-6);
        }
        const ib_channel_info info =
            ib_system_channel_info(b.system, ib_system_channel(b.system, "mesh.lambda"));
        assert_string_equal(info.unit, "N m");
        assert_string_equal(info.id, "m-1");
        assert_string_equal(
            ib_system_channel_info(b.system, ib_system_channel(b.system, "rope.lambda")).unit, "N");
        end_bench(&b);
    }
}

/* A spindle turned by a motor moves a carriage whose nut is a body that turns with the model: the
 * axis lies oblique, and the second body is not the ground. */
static void test_screw(void **state) {
    (void)state;
    bench b = start_bench(
        "ironbird: 1\n"
        "bodies:\n"
        "  frame: {mass: 1, inertia: [1, 1, 1], orientation: {sequence: zyx, angles: [1, 2, 3]}}\n"
        "  spindle: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.3, 0.1, 0]}\n"
        "joints:\n"
        "  hold: {type: fixed, body1: frame}\n"
        "  lead: {type: screw, body1: spindle, body2: frame, point: [0.3, 0.1, 0], axis: "
        "[0.6, 0, 0.8], pitch: 4 mm}\n"
        "forces:\n"
        "  motor: {type: expression_torque, body1: spindle, axis: [0.6, 0, 0.8], torque: 3}\n"
        "simulation: {rtol: 1e-10}\n");
    advance(&b, 4);
    const double c = 0.004 / 6.283185307179586476925286766559;
    const double alpha = 3 / (0.1 + 2 * c * c), way = c * 0.5 * alpha * 16; /* 38 turns */
    ASSERT_NEAR(read_channel(&b, "spindle.position.x"), 0.3 + 0.6 * way, 1e-9);
    ASSERT_NEAR(read_channel(&b, "spindle.position.z"), 0.8 * way, 1e-9);
    ASSERT_NEAR(read_channel(&b, "lead.lambda"), 2 * c * alpha, 1e-8);
    ASSERT_NEAR(read_channel(&b, "lead.force.z"), 0.8 * 2 * c * alpha, 1e-8);
    ASSERT_NEAR(read_channel(&b, "lead.torque.z"), -0.8 * c * 2 * c * alpha, 1e-8);
    end_bench(&b);
}

/* The pieces that the model does not name are no channels, and springs and ramps still find theirs
 * behind them. */
static void test_screw_beside_springs_and_ramps(void **state) {
    (void)state;
    bench b = start_bench(
        "ironbird: 1\n"
        "bodies:\n"
        "  nut: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
        "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}\n"
        "joints:\n"
        "  lead: {type: screw, body1: nut, point: [0, 0, 0], axis: [0, 0, 1], pitch: 0.1}\n"
        "  rail: {type: prismatic, body1: bob, axis: [0, 0, 1]}\n"
        "measures: {turns: {type: angle, body1: nut, orientation: {z: [0, 0, 1]}}}\n"
        "drivers: {motor: {measure: turns, motion: 20 * t, ramp: 0.5}}\n"
        "forces: {spring: {type: spring_damper, body1: bob, point2: [0, 0, 0], stiffness: 50 + "
        "length}}\n"
        "simulation: {rtol: 1e-9}\n");
    advance(&b, 1);
    ASSERT_NEAR(read_channel(&b, "nut.position.z"), 20 * 0.1 / 6.283185307179586, 1e-8);
    ASSERT_NEAR(read_channel(&b, "spring.value"), 0, 1e-9);
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar),
        cmocka_unit_test(test_point_on_line),
        cmocka_unit_test(test_point_on_plane),
        cmocka_unit_test(test_parallel_and_perpendicular_axes),
        cmocka_unit_test(test_constant_velocity),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_winch),
        cmocka_unit_test(test_screw),
        cmocka_unit_test(test_screw_beside_springs_and_ramps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
