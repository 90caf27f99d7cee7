/* Sensors against closed forms, against the channels and measures that say the same in other words,
 * and against themselves turned back. */
#include "plant_test.h"

#include "plant/sensor.h"

/* A rotation matrix times an elementary one from the right. */
static void turn_about(double R[9], int axis, double angle) {
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double c = cos(angle), s = sin(angle);
    for (int row = 0; row < 3; row++) {
        const double a = R[3 * row + j], b = R[3 * row + k];
        R[3 * row + j] = c * a + s * b;
        R[3 * row + k] = c * b - s * a;
    }
}

/* Turned by its angles the identity is the rotation again, for all twelve sequences and where the
 * first and the last axis coincide. */
static void test_euler_angles(void **state) {
    (void)state;
    static const char *const sequences[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                            "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};
    const double pi = acos(-1.0);
    uint64_t bits = 3;
    for (size_t n = 0; n < IB_COUNT(sequences); n++)
        for (int i = 0; i < 300; i++) {
            const char *sequence = sequences[n];
            const bool proper = sequence[0] == sequence[2];
            double given[3], R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[4], angles[3], want[9];
            for (int k = 0; k < 3; k++) {
                bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                given[k] = ((double)(bits >> 11) * 0x1p-53 - 0.5) * 2 * pi;
            }
            given[1] = proper ? fabs(given[1]) : given[1] / 2;
            if (i % 3 == 0) /* no second angle, or all of it */
                given[1] = proper ? (i % 2 ? 0 : pi) : (i % 2 ? pi / 2 : -pi / 2);
            for (int k = 0; k < 3; k++)
                turn_about(R, sequence[k] - 'x', given[k]);
            ib_quat_from_matrix(R, q);
            ib_euler_angles(q, sequence, angles);
            const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
            memcpy(want, identity, sizeof want);
            for (int k = 0; k < 3; k++)
                turn_about(want, sequence[k] - 'x', angles[k]);
            for (int k = 0; k < 9; k++)
                ASSERT_NEAR(R[k], want[k], 1e-14);
            assert_true(fabs(angles[0]) <= pi && fabs(angles[2]) <= pi);
            assert_true(proper ? angles[1] >= 0 && angles[1] <= pi : fabs(angles[1]) <= pi / 2);
            if (i % 3 == 0)
                assert_true(angles[2] == 0);
            for (int k = 0; i % 3 != 0 && k < 3; k++)
                ASSERT_NEAR(angles[k], given[k], 1e-9);
        }
}

/* A hinge on a sledge: both move. */
static const char mechanism[] =
    "ironbird: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  sledge: {mass: 3, inertia: [1, 1, 1], orientation: {sequence: zyx, angles: [0.3, 0, 0]}}\n"
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.4, 0.2, 0.1], orientation: [0.5, "
    "0.5, "
    "0.5, 0.5]}\n"
    "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.8, 0.4, 0.1]}\n"
    "joints:\n"
    "  rail: {type: prismatic, body1: sledge, axis: [1, 0.2, 0]}\n"
    "  hinge: {type: revolute, body1: arm, body2: sledge, point: [0, 0, 0.1], axis: [0.1, 1, "
    "0.2]}\n"
    "  tube: {type: cylindrical, body1: bob, body2: arm, point: [0.6, 0.3, 0.1], axis: [1, 0.5, "
    "0]}\n"
    "measures:\n"
    "  turned: {type: angle, body1: arm, body2: sledge, orientation: {z: [0.1, 1, 0.2]}}\n"
    "  rolled: {type: angle, body1: bob, body2: arm, orientation: {z: [1, 0.5, 0]}}\n"
    "  x: {type: displacement, body1: sledge, component: x}\n"
    "forces:\n"
    "  pull: {type: spring_damper, body1: bob, body2: sledge, point2: [0, 0, 1], stiffness: 30, "
    "damping: "
    "0.5, free_length: 0.5}\n"
    "  drive: {type: expression_torque, body1: arm, body2: sledge, axis: [0.1, 1, 0.2], torque: 2 "
    "- t}\n"
    "  wind: {type: force, body1: bob, value: [t, 0.5, -0.2]}\n"
    "  coil: {type: torsion_spring, body1: bob, body2: arm, axis: [1, 0.5, 0], stiffness: 2, "
    "damping: "
    "0.2}\n"
    "  twist: {type: torque, body1: bob, value: [0.1, 0, -0.3], frame: bob}\n"
    "  back: {type: spring_damper, body1: ground, body2: sledge, point1: [-2, 0, 0], stiffness: "
    "5}\n"
    "outputs: {turned: turned, rolled: rolled, x: x}\n"
    "sensors:\n"
    "  seen: {type: orientation, body: bob, relative_to: arm, sequence: zyx}\n"
    "  far: {type: orientation, body: arm}\n"
    "  on_hinge: {type: joint, joint: hinge, frame: arm}\n"
    "  on_rail: {type: joint, joint: rail}\n"
    "  on_tube: {type: joint, joint: tube}\n"
    "  at_pull: {type: force, force: pull}\n"
    "  at_drive: {type: force, force: drive, frame: sledge}\n"
    "  at_wind: {type: force, force: wind, frame: bob}\n"
    "  at_coil: {type: force, force: coil}\n"
    "  at_twist: {type: force, force: twist, frame: bob}\n"
    "  at_back: {type: force, force: back}\n"
    "  tip: {type: point, body: bob, point: [1, 0.4, 0.1], relative_to: arm, frame: arm}\n";

static void read_vector(bench *b, const char *stem, double v[3]) {
    char name[64];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s.%c", stem, 'x' + k);
        v[k] = read_channel(b, name);
    }
}

static void read_quaternion(bench *b, const char *stem, double q[4]) {
    char name[64];
    snprintf(name, sizeof name, "%s.w", stem);
    q[0] = read_channel(b, name);
    read_vector(b, stem, q + 1);
}

static void check_orientation(bench *b) {
    double seen[4], arm[4], bob[4], far[4], angles[3], again[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, R[9];
    char name[32];
    read_quaternion(b, "seen.orientation", seen);
    read_quaternion(b, "far.orientation", far);
    read_quaternion(b, "arm.orientation", arm);
    read_quaternion(b, "bob.orientation", bob);
    for (int k = 0; k < 4; k++)
        ASSERT_NEAR(far[k], arm[k], 0);
    ib_quat_mul(arm, seen, seen); /* back to global axes */
    for (int k = 0; k < 4; k++)
        ASSERT_NEAR(seen[k], bob[k], 1e-14);
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "seen.angle.%d", k + 1);
        angles[k] = read_channel(b, name);
        turn_about(again, 2 - k, angles[k]);
    }
    read_quaternion(b, "seen.orientation", seen);
    ib_quat_matrix(seen, R);
    for (int k = 0; k < 9; k++)
        ASSERT_NEAR(again[k], R[k], 1e-14);
}

/* The reaction in the frame is that in global axes, turned; coordinates are the measures'. */
static void check_joints(bench *b) {
    double arm[4], have[3], want[3];
    read_quaternion(b, "arm.orientation", arm);
    read_vector(b, "on_hinge.force", have);
    read_vector(b, "hinge.force", want);
    ib_quat_rotate_back(arm, want, want);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(have[k], want[k], 1e-12);
    read_vector(b, "on_rail.torque", have);
    read_vector(b, "rail.torque", want);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(have[k], want[k], 0);
    ASSERT_NEAR(read_channel(b, "on_hinge.angle"), read_channel(b, "turned.value"), 1e-12);
    ASSERT_NEAR(read_channel(b, "on_tube.angle"), read_channel(b, "rolled.value"), 1e-12);
    ASSERT_NEAR(read_channel(b, "on_rail.displacement") / sqrt(1.04), read_channel(b, "x.value"),
                1e-12);
}

/* Rates by the difference of coordinates a little later. */
static void check_rates(bench *b, double at) {
    static const char *const coordinates[] = {"on_hinge.angle", "on_tube.angle",
                                              "on_tube.displacement", "on_rail.displacement"};
    static const char *const rates[] = {"on_hinge.angular_velocity", "on_tube.angular_velocity",
                                        "on_tube.velocity", "on_rail.velocity"};
    const double h = 1e-4;
    double before[4], rate[4];
    for (int k = 0; k < 4; k++)
        before[k] = read_channel(b, coordinates[k]);
    advance(b, at + h);
    for (int k = 0; k < 4; k++)
        rate[k] = read_channel(b, rates[k]);
    advance(b, at + 2 * h);
    for (int k = 0; k < 4; k++)
        ASSERT_NEAR(rate[k], (read_channel(b, coordinates[k]) - before[k]) / (2 * h), 2e-6);
}

static void check_forces(bench *b) {
    double bob[3], sledge[3], way[3], direction[3], q[4], top[3] = {0, 0, 1};
    read_vector(b, "bob.position", bob);
    read_vector(b, "sledge.position", sledge);
    read_quaternion(b, "sledge.orientation", q);
    const double start[4] = {cos(0.15), 0, 0, sin(0.15)};
    ib_quat_rotate_back(start, top, top);
    ib_quat_rotate(q, top, top);
    ib_axpy(sledge, 1, top, top);
    ib_sub3(top, bob, way);
    ib_unit(way, way);
    read_vector(b, "at_pull.direction", direction);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(direction[k], way[k], 1e-12);
    ASSERT_NEAR(read_channel(b, "at_pull.value"), read_channel(b, "pull.value"), 0);

    /* fixed on the sledge: the axis as it was given, in the sledge's axes */
    double axis[3] = {0.1, 1, 0.2};
    ib_unit(axis, axis);
    ib_quat_rotate_back(start, axis, axis);
    read_vector(b, "at_drive.direction", direction);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(direction[k], axis[k], 1e-12);
    ASSERT_NEAR(read_channel(b, "at_drive.value"), read_channel(b, "drive.value"), 0);

    /* a triple: its size and its direction, in the bob's axes */
    double force[3];
    read_vector(b, "wind.force", force);
    read_quaternion(b, "bob.orientation", q);
    ASSERT_NEAR(read_channel(b, "at_wind.value"), sqrt(ib_dot(force, force)), 1e-14);
    ib_quat_rotate_back(q, force, force);
    ib_unit(force, force);
    read_vector(b, "at_wind.direction", direction);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(direction[k], force[k], 1e-14);
    ASSERT_NEAR(read_channel(b, "at_twist.value"), sqrt(0.1), 1e-14);
    ASSERT_NEAR(read_channel(b, "at_twist.direction.z"), -0.3 / sqrt(0.1), 1e-13);

    /* a torsion spring: positive values turn bob against its angle, so against the tube's axis */
    double tube[3] = {1, 0.5, 0};
    ib_unit(tube, tube);
    const double arm_start[4] = {0.5, 0.5, 0.5, 0.5};
    ib_quat_rotate_back(arm_start, tube, tube);
    read_quaternion(b, "arm.orientation", q);
    ib_quat_rotate(q, tube, tube);
    read_vector(b, "at_coil.direction", direction);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(direction[k], -tube[k], 1e-12);

    /* from the ground: it is pulled towards the sledge */
    double anchor[3] = {-2, 0, 0};
    ib_sub3(sledge, anchor, way);
    ib_unit(way, way);
    read_vector(b, "at_back.direction", direction);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(direction[k], way[k], 1e-12);
}

/* The tip from the arm's centre of mass, by rigid body kinematics from the bodies' channels. */
static void check_point(bench *b) {
    double bob[3], arm[3], v1[3], v2[3], w[3], q[4], qa[4], s[3] = {0.2, 0, 0}, want[3], have[3],
                                                            spin[3];
    read_vector(b, "bob.position", bob);
    read_vector(b, "arm.position", arm);
    read_vector(b, "bob.velocity", v1);
    read_vector(b, "arm.velocity", v2);
    read_vector(b, "bob.angular_velocity", w);
    read_quaternion(b, "bob.orientation", q);
    read_quaternion(b, "arm.orientation", qa);
    ib_cross(w, s, spin);
    ib_quat_rotate(q, spin, spin);
    ib_quat_rotate(q, s, s);
    ib_axpy(bob, 1, s, want);
    ib_sub3(want, arm, want);
    ib_quat_rotate_back(qa, want, want);
    read_vector(b, "tip.position", have);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(have[k], want[k], 1e-13);
    ib_axpy(v1, 1, spin, want);
    ib_sub3(want, v2, want);
    ib_quat_rotate_back(qa, want, want);
    read_vector(b, "tip.velocity", have);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(have[k], want[k], 1e-13);
}

static void test_all(void **state) {
    (void)state;
    bench b = start_bench(mechanism);
    ASSERT_NEAR(read_channel(&b, "on_hinge.angle"), 0, 1e-15);
    ASSERT_NEAR(read_channel(&b, "on_tube.displacement"), 0, 1e-15);
    for (double at = 0; at < 2; at += 0.37) {
        advance(&b, at);
        check_orientation(&b);
        check_joints(&b);
        check_forces(&b);
        check_point(&b);
        check_rates(&b, at);
    }
    assert_true(fabs(read_channel(&b, "on_hinge.angle")) > 0.1);
    end_bench(&b);
}

/* A wheel at 7 rad/s: closed forms over many turns, through the implicit and the explicit solver,
 * with the same end after a snapshot. */
static void test_turns(void **state) {
    (void)state;
    static const char *const solvers[] = {"dopri5", "generalized_alpha"};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "ironbird: 1\nbodies: {w: {mass: 1, inertia: [1, 1, 2], angular_velocity: [0, 0, 7]}}\n"
            "joints: {axle: {type: revolute, body1: w, point: [0, 0, 0], axis: [0, 0, 1]}}\n"
            "sensors: {s: {type: joint, joint: axle}, o: {type: orientation, body: w, sequence: "
            "xyz}}\nsimulation: {solver: %s, rtol: 1e-11}\n",
            solvers[i]);
        bench b = start_bench(text);
        advance(&b, 5);
        const size_t size = ib_system_state_size(b.system);
        void *saved = malloc(size);
        assert_non_null(saved);
        ib_system_save(b.system, saved);
        advance(&b, 10);
        const double angle = read_channel(&b, "s.angle");
        ASSERT_NEAR(angle, 70, i ? 2e-5 : 1e-8); /* order 2 at 1 ms */
        ASSERT_NEAR(read_channel(&b, "s.angular_velocity"), 7, 1e-9);
        ASSERT_NEAR(read_channel(&b, "o.angle.3"), 70 - 11 * 2 * acos(-1.0), i ? 2e-5 : 1e-8);
        assert_int_equal(ib_system_restore(b.system, saved, size), IB_OK);
        advance(&b, 10);
        assert_true(read_channel(&b, "s.angle") == angle);
        free(saved);
        end_bench(&b);
    }
}

/* Which channels there are, with their units. */
static void test_channels(void **state) {
    (void)state;
    static const struct {
        const char *name, *unit;
    } there[] = {{"seen.orientation.w", "1"},   {"seen.angle.3", "rad"},
                 {"on_hinge.force.x", "N"},     {"on_hinge.torque.z", "N m"},
                 {"on_hinge.angle", "rad"},     {"on_hinge.angular_velocity", "rad/s"},
                 {"on_rail.displacement", "m"}, {"on_rail.velocity", "m/s"},
                 {"on_tube.angle", "rad"},      {"on_tube.velocity", "m/s"},
                 {"at_pull.value", "N"},        {"at_pull.direction.y", "1"},
                 {"at_drive.value", "N m"},     {"at_coil.value", "N m"},
                 {"at_twist.value", "N m"},     {"tip.acceleration.z", "m/s^2"}};
    static const char *const absent[] = {"far.angle.1", "on_hinge.displacement", "on_rail.angle",
                                         "seen.position.x"};
    bench b = start_bench(mechanism);
    for (size_t i = 0; i < IB_COUNT(there); i++) {
        const ib_handle channel = ib_system_channel(b.system, there[i].name);
        assert_true(channel >= 0);
        assert_true(ib_system_recorded_by_default(b.system, channel));
        assert_string_equal(ib_system_channel_info(b.system, channel).unit, there[i].unit);
    }
    for (size_t i = 0; i < IB_COUNT(absent); i++)
        assert_true(ib_system_channel(b.system, absent[i]) < 0);
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_euler_angles),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
