/* Joints that hold neither a hinge nor a slide, each against a motion in closed form or one that an
 * equation of a single freedom gives: planar, a point on a line and on a plane, parallel and
 * perpendicular axes, constant velocity, and a rod of constant length.
 */
#include "mechanics/mechanics_test.h"

static const double x_axis[3] = {1, 0, 0}, z_axis[3] = {0, 0, 1};
static const double inertia[3] = {0.1, 0.2, 0.25};
static const double gravity = 9.81;
static const mech_pose still = {{1, 0, 0, 0}, {0, 0, 0}};

static void add(ib_mechanism *m, ib_mech_joint_type type, int body1, int body2, const double p[3],
                const double axis1[3], const double axis2[3]) {
    const ib_mech_joint joint = mech_pair_of(&still, type, body1, body2, p, p, axis1, axis2);
    ib_mechanism_add_joint(m, &joint);
}

static ib_mech_options tight(void) {
    ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-11);
    options.gravity[2] = -gravity;
    return options;
}

/* A puck on a slope slides down, turns on, and presses on it with its weight's share. */
static void test_planar(void **state) {
    (void)state;
    const double normal[3] = {0.6, 0, 0.8}, down[3] = {0.8, 0, -0.6};
    double spin[3], force[3], torque[3];
    for (int swapped = 0; swapped < 2; swapped++) {
        ib_mechanism *m = ib_mechanism_create();
        for (int k = 0; k < 3; k++)
            spin[k] = 2 * normal[k];
        mech_body(m, zero3, no_turn, (const double[3]){0, 0.5, 0}, spin, 2,
                  (const double[3]){0.2, 0.2, 0.2});
        add(m, IB_MECH_PLANAR, swapped ? IB_MECH_GROUND : 0, swapped ? 0 : IB_MECH_GROUND, zero3,
            normal, normal);
        const ib_mech_options options = tight();
        rig r = rig_start(m, &options);
        rig_to(&r, 0.8);
        const double s = 0.5 * gravity * 0.6 * 0.64;
        const double place[3] = {s * down[0], 0.4, s * down[2]};
        ASSERT_NEAR3(rig_body(&r, 0), place, 1e-10);
        ASSERT_NEAR(rig_body(&r, 0)[3], cos(0.8), 1e-10); /* turned by 1.6 rad */
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(force[k], (swapped ? -1 : 1) * 2 * gravity * 0.8 * normal[k], 1e-8);
        rig_end(&r);
    }
}

/* theta'' of a rod whose end slides without friction, level, in the plane of its swing: nothing
 * moves its centre sideways. Theta is from straight down. */
static double level_slide(double theta, double rate) {
    const double mass = 1.5, length = 0.7, J = inertia[1];
    const double sine = sin(theta), cosine = cos(theta), ml2 = mass * length * length;
    return -(ml2 * sine * cosine * rate * rate + mass * gravity * length * sine) /
           (J + ml2 * sine * sine);
}

/* The angle after `end` seconds from rest at `theta`, by the classical method in small steps. */
static double slide_angle(double theta, double end) {
    const int n = 20000;
    const double h = end / n;
    double rate = 0;
    for (int i = 0; i < n; i++) {
        const double k1 = level_slide(theta, rate);
        const double k2 = level_slide(theta + 0.5 * h * rate, rate + 0.5 * h * k1);
        const double k3 =
            level_slide(theta + 0.5 * h * rate + 0.25 * h * h * k1, rate + 0.5 * h * k2);
        const double k4 = level_slide(theta + h * rate + 0.5 * h * h * k2, rate + h * k3);
        theta += h * rate + h * h * (k1 + k2 + k3) / 6;
        rate += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    }
    return theta;
}

/* A rod swings in the x-z plane from a point on a wire along x, or on a level plane. */
static void test_point_on_line_and_plane(void **state) {
    (void)state;
    static const ib_mech_joint_type types[] = {IB_MECH_POINT_ON_LINE, IB_MECH_POINT_ON_PLANE};
    const double start = 1.1, end = 0.9, theta = slide_angle(start, end);
    const double q[4] = {cos(start / 2), 0, -sin(start / 2), 0};
    const double centre[3] = {0.7 * sin(start), 0, -0.7 * cos(start)};
    for (size_t i = 0; i < IB_COUNT(types); i++) {
        ib_mechanism *m = ib_mechanism_create();
        const double *axis = types[i] == IB_MECH_POINT_ON_LINE ? x_axis : z_axis;
        mech_body(m, centre, q, zero3, zero3, 1.5, inertia);
        add(m, types[i], 0, IB_MECH_GROUND, zero3, axis, axis);
        const ib_mech_options options = tight();
        rig r = rig_start(m, &options);
        rig_to(&r, end);
        const double place[3] = {centre[0], 0, -0.7 * cos(theta)};
        double force[3], torque[3];
        ASSERT_NEAR3(rig_body(&r, 0), place, 1e-9);
        ASSERT_NEAR(2 * atan2(-rig_body(&r, 0)[5], rig_body(&r, 0)[3]), theta, 1e-9);
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        const double lift = 1.5 * (ib_dynamics_acceleration(r.dynamics, 0)[2] + gravity);
        ASSERT_NEAR(force[2], lift, 1e-8);
        ASSERT_NEAR(force[0], 0, 1e-8);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(torque[k], 0, 1e-8);
        rig_end(&r);
    }
}

/* A top whose tip stands on smooth ice: steady precession at W when
 * m g l = W (C n - A W cos(theta)), with A about the centre, which stays where it is. */
static void test_top_on_ice(void **state) {
    (void)state;
    const double A = 0.05, C = 0.03, mass = 0.8, arm = 0.3, theta = 0.6, W = 4;
    const double n = (mass * gravity * arm / W + A * W * cos(theta)) / C;
    const double q[4] = {cos(theta / 2), 0, sin(theta / 2), 0}; /* leans towards x */
    const double centre[3] = {arm * sin(theta), 0, arm * cos(theta)};
    const double rates[3] = {-W * sin(theta), 0, n}; /* n holds the share of W about the axis */
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, centre, q, zero3, rates, mass, (const double[3]){A, A, C});
    add(m, IB_MECH_POINT_ON_PLANE, 0, IB_MECH_GROUND, zero3, z_axis, z_axis);
    const ib_mech_options options = tight();
    rig r = rig_start(m, &options);
    for (double t = 0.25; t < 1.1; t += 0.25) {
        double axis[3], force[3], torque[3];
        rig_to(&r, t);
        ASSERT_NEAR3(rig_body(&r, 0), centre, 1e-9);
        ib_quat_rotate(rig_body(&r, 0) + 3, z_axis, axis);
        const double wanted[3] = {sin(theta) * cos(W * t), sin(theta) * sin(W * t), cos(theta)};
        ASSERT_NEAR3(axis, wanted, 1e-8);
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        ASSERT_NEAR(force[2], mass * gravity, 1e-7);
    }
    rig_end(&r);
}

/* Two bodies whose z-axes stay parallel: a torque across them turns both, one about them turns one;
 * the joint carries each body's share. */
static void test_parallel_axes(void **state) {
    (void)state;
    for (int about = 0; about < 2; about++) {
        ib_graph *graph = ib_graph_create();
        ib_mechanism *m = ib_mechanism_create();
        mech_body(m, zero3, no_turn, zero3, zero3, 1, inertia);
        mech_body(m, (const double[3]){3, 1, 2}, no_turn, zero3, zero3, 2,
                  (const double[3]){0.3, 0.4, 0.5});
        add(m, IB_MECH_PARALLEL_AXES, 0, 1, zero3, z_axis, z_axis);
        ib_mech_force twist = {.name = "twist", .type = IB_MECH_AXIS_TORQUE, .body1 = 0};
        twist.body2 = twist.frame = IB_MECH_GROUND;
        twist.law = ib_graph_const(graph, 0.6);
        memcpy(twist.axis, about ? z_axis : x_axis, sizeof twist.axis);
        ib_mechanism_add_force(m, &twist);
        ib_mech_options options = tight();
        options.graph = graph;
        rig r = rig_start(m, &options);
        rig_to(&r, 1);
        const double alpha = 0.6 / (about ? inertia[2] : inertia[0] + 0.3);
        const int turned = about ? 6 : 4;
        ASSERT_NEAR(2 * asin(rig_body(&r, 0)[turned]), 0.5 * alpha, 1e-9);
        ASSERT_NEAR(2 * asin(rig_body(&r, 1)[turned]), about ? 0 : 0.5 * alpha, 1e-9);
        double force[3], torque[3];
        const double carried[3] = {about ? 0 : -0.3 * alpha, 0, 0};
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        ASSERT_NEAR3(torque, carried, 1e-8);
        ASSERT_NEAR3(force, zero3, 1e-12);
        rig_end(&r);
        ib_graph_destroy(graph);
    }
}

/* A rotor whose axis stays level, of equal inertias across it: it keeps its spin and its turn about
 * the vertical, and the joint carries the gyroscopic torque A n W across both. */
static void test_perpendicular_axes(void **state) {
    (void)state;
    const double A = 0.3, B = 0.2, n = 5, W = 1.5;
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, zero3, no_turn, zero3, (const double[3]){n, 0, W}, 1, (const double[3]){A, B, B});
    add(m, IB_MECH_PERPENDICULAR_AXES, 0, IB_MECH_GROUND, zero3, x_axis, z_axis);
    const ib_mech_options options = tight();
    rig r = rig_start(m, &options);
    for (double t = 0.4; t < 1.7; t += 0.4) {
        double axis[3], force[3], torque[3];
        rig_to(&r, t);
        ib_quat_rotate(rig_body(&r, 0) + 3, x_axis, axis);
        const double wanted[3] = {cos(W * t), sin(W * t), 0};
        ASSERT_NEAR3(axis, wanted, 1e-9);
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        const double moment[3] = {-A * n * W * sin(W * t), A * n * W * cos(W * t), 0};
        ASSERT_NEAR3(torque, moment, 1e-8);
        ASSERT_NEAR(rig_body(&r, 0)[10], n, 1e-9);
    }
    rig_end(&r);
}

/* The angle by which a body has turned about an axis through its z, from its start. */
static double turned_about(const double start[4], const double now[4]) {
    const double back[4] = {start[0], -start[1], -start[2], -start[3]};
    double turn[4];
    ib_quat_mul(back, now, turn);
    return 2 * atan2(turn[3], turn[0]);
}

/* Shafts at an angle, the first driven by a constant torque: both turn by T t^2 / (2 (J1 + J2)) at
 * any angle between them, where a cardan joint would not. */
static void test_constant_velocity(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        const double beta = 0.4 * i, torque_in = 0.4;
        const double axis2[3] = {sin(beta), 0, cos(beta)};
        const double q2[4] = {cos(beta / 2), 0, sin(beta / 2), 0};
        ib_graph *graph = ib_graph_create();
        ib_mechanism *m = ib_mechanism_create();
        mech_body(m, zero3, no_turn, zero3, zero3, 1, inertia);
        mech_body(m, axis2, q2, zero3, zero3, 1, inertia);
        add(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis, z_axis);
        add(m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, axis2, axis2, axis2);
        ib_mech_joint joint =
            mech_pair_of(&still, IB_MECH_CONSTANT_VELOCITY, 0, 1, zero3, zero3, z_axis, axis2);
        ib_quat_matrix(q2, joint.frame2); /* turned from the first about an axis across both */
        ib_mechanism_add_joint(m, &joint);
        ib_mech_force drive = {.name = "drive", .type = IB_MECH_AXIS_TORQUE, .body1 = 0};
        drive.body2 = drive.frame = IB_MECH_GROUND;
        drive.law = ib_graph_const(graph, torque_in);
        memcpy(drive.axis, z_axis, sizeof z_axis);
        ib_mechanism_add_force(m, &drive);
        ib_mech_options options = tight();
        options.graph = graph;
        rig r = rig_start(m, &options);
        assert_int_equal(ib_dynamics_redundant(r.dynamics), 3);
        for (double t = 0.5; t < 2.6; t += 0.5) {
            rig_to(&r, t);
            const double angle = 0.5 * torque_in / (2 * inertia[2]) * t * t;
            const double one = turned_about(no_turn, rig_body(&r, 0) + 3);
            const double two = turned_about(q2, rig_body(&r, 1) + 3);
            ASSERT_NEAR(one, angle, 1e-9);
            ASSERT_NEAR(two, angle, 1e-9);
        }
        rig_end(&r);
        ib_graph_destroy(graph);
    }
}

/* A round rod that hangs from the ground by such a joint and goes round in a cone: it does not turn
 * about its own axis, so W^2 = m g l / (A cos(theta) + C (1 - cos(theta))), A about the pivot, and
 * its attitude stays a rotation about a level axis. */
static void test_constant_velocity_lets_no_twist_through(void **state) {
    (void)state;
    const double theta = 0.9, arm = 0.6, mass = 1.2, C = 0.08, A = 0.1 + mass * arm * arm;
    const double W = sqrt(mass * gravity * arm / (A * cos(theta) + C * (1 - cos(theta))));
    const double q[4] = {cos(theta / 2), 0, sin(theta / 2), 0};
    const double centre[3] = {-arm * sin(theta), 0, -arm * cos(theta)};
    const double spin[3] = {-W * sin(theta), 0, W * (1 - cos(theta))};
    double rates[3], velocity[3], axis[3];
    ib_quat_rotate_back(q, spin, rates);
    ib_cross(spin, centre, velocity);
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, centre, q, velocity, rates, mass, (const double[3]){0.1, 0.1, C});
    ib_quat_rotate(q, z_axis, axis);
    ib_mech_joint joint = mech_pair_of(&still, IB_MECH_CONSTANT_VELOCITY, 0, IB_MECH_GROUND, zero3,
                                       zero3, axis, z_axis);
    ib_quat_matrix(q, joint.frame1);
    ib_mechanism_add_joint(m, &joint);
    const ib_mech_options options = tight();
    rig r = rig_start(m, &options);
    for (double t = 0.4; t < 1.7; t += 0.4) {
        rig_to(&r, t);
        const double *y = rig_body(&r, 0);
        const double place[3] = {centre[0] * cos(W * t), centre[0] * sin(W * t), centre[2]};
        const double turn[3] = {-sin(theta / 2) * sin(W * t), sin(theta / 2) * cos(W * t), 0};
        ASSERT_NEAR3(y, place, 1e-9);
        ASSERT_NEAR3(y + 4, turn, 1e-9);
    }
    rig_end(&r);
}

/* A conical pendulum on a rod: W^2 = g / (L cos(theta)), pulled by m g / cos(theta). */
static void test_rod(void **state) {
    (void)state;
    const double theta = 0.7, length = 1.3, mass = 2;
    const double W = sqrt(gravity / (length * cos(theta))), radius = length * sin(theta);
    for (int swapped = 0; swapped < 2; swapped++) {
        ib_mechanism *m = ib_mechanism_create();
        const double bob[3] = {radius, 0, -length * cos(theta)};
        mech_body(m, bob, no_turn, (const double[3]){0, W * radius, 0}, zero3, mass, inertia);
        ib_mech_joint joint = {.name = "rod", .type = IB_MECH_ROD, .length = length};
        joint.body1 = swapped ? IB_MECH_GROUND : 0;
        joint.body2 = swapped ? 0 : IB_MECH_GROUND;
        memcpy(swapped ? joint.point2 : joint.point1, bob, sizeof bob);
        memcpy(joint.frame1, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof joint.frame1);
        memcpy(joint.frame2, joint.frame1, sizeof joint.frame1);
        ib_mechanism_add_joint(m, &joint);
        const ib_mech_options options = tight();
        rig r = rig_start(m, &options);
        rig_to(&r, 2);
        const double place[3] = {radius * cos(2 * W), radius * sin(2 * W), bob[2]};
        double force[3], torque[3];
        ASSERT_NEAR3(rig_body(&r, 0), place, 1e-8);
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        for (int k = 0; k < 3; k++) {
            const double pull = -mass * gravity / cos(theta) * place[k] / length;
            ASSERT_NEAR(force[k], swapped ? -pull : pull, 1e-6);
            ASSERT_NEAR(torque[k], 0, 1e-6);
        }
        rig_end(&r);
    }
}

/* ---- starts ---- */

static void test_rod_closes_a_small_gap(void **state) {
    (void)state;
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, (const double[3]){1, 0, 0}, no_turn, zero3, zero3, 1, inertia);
    ib_mech_joint joint = {.name = "rod", .type = IB_MECH_ROD, .body1 = 0, .length = 1.0004};
    joint.body2 = IB_MECH_GROUND;
    joint.point1[0] = 1;
    ib_mechanism_add_joint(m, &joint);
    const ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-8);
    rig r = rig_start(m, &options);
    ASSERT_NEAR(rig_body(&r, 0)[0], 1.0004, 1e-12);
    assert_true(has_diag(r.diags, "IB0634", "link"));
    rig_end(&r);
}

/* Axes that point apart are not the joint that was meant. */
static void test_flips(void **state) {
    (void)state;
    static const ib_mech_joint_type types[] = {IB_MECH_PLANAR, IB_MECH_PARALLEL_AXES,
                                               IB_MECH_CONSTANT_VELOCITY};
    const double down[3] = {0, 0, -1};
    for (size_t i = 0; i < IB_COUNT(types); i++) {
        ib_mechanism *m = ib_mechanism_create();
        mech_body(m, zero3, no_turn, zero3, zero3, 1, inertia);
        add(m, types[i], 0, IB_MECH_GROUND, zero3, z_axis, down);
        const ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-8);
        rig r = rig_make(m, &options);
        assert_int_equal(ib_dynamics_assemble(r.dynamics, r.diags), IB_BAD_INPUT);
        assert_true(has_diag(r.diags, "IB0635", "pair"));
        rig_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar),
        cmocka_unit_test(test_point_on_line_and_plane),
        cmocka_unit_test(test_top_on_ice),
        cmocka_unit_test(test_parallel_axes),
        cmocka_unit_test(test_perpendicular_axes),
        cmocka_unit_test(test_constant_velocity),
        cmocka_unit_test(test_constant_velocity_lets_no_twist_through),
        cmocka_unit_test(test_rod),
        cmocka_unit_test(test_rod_closes_a_small_gap),
        cmocka_unit_test(test_flips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
