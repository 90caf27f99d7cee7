/* Gears, racks and screws: motions in closed form, what they exert, many turns, any frame, and runs
 * that go on from a snapshot.
 */
#include "mechanics/mechanics_test.h"

#include "mechanics/mechanism.h"

enum { MEASURE_LEAF = 1, MAX_MEASURES = 8 };

static const double x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};
static const double round_inertia[3] = {0.2, 0.2, 0.2};

typedef struct scene {
    ib_mechanism *m;
    ib_graph *graph;
    ib_mech_options options;
} scene;

static scene start_scene(ib_mech_solver solver, double step, double rtol) {
    scene s = {.m = ib_mechanism_create(), .graph = ib_graph_create()};
    s.options = mech_options(solver, to_time(step), rtol);
    s.options.graph = s.graph;
    s.options.measure_leaf = MEASURE_LEAF;
    s.options.n_leaves = MEASURE_LEAF + MAX_MEASURES;
    return s;
}

static scene tight(void) { return start_scene(IB_MECH_DOPRI5, 0, 1e-11); }

static void end_scene(scene *s, rig *r) {
    rig_end(r);
    ib_graph_destroy(s->graph);
}

static int body(scene *s, const double r[3], double mass, const double inertia[3]) {
    mech_body(s->m, r, no_turn, zero3, zero3, mass, inertia);
    return (int)s->m->n_bodies - 1;
}

/* The angle of body 1 about an axis through body 2. */
static int angle_about(scene *s, int body1, int body2, const double axis[3]) {
    ib_mech_measure measure = {.name = "angle", .type = IB_MECH_ANGLE, .body1 = body1};
    double frame[9];
    measure.body2 = body2;
    measure.frame = IB_MECH_GROUND;
    ib_frame_from_z(axis, frame);
    for (int k = 0; k < 3; k++) {
        measure.a[k] = measure.b[k] = frame[3 * k];
        measure.c[k] = frame[3 * k + 1];
    }
    return ib_mechanism_add_measure(s->m, &measure);
}

static int displacement(scene *s, int body1, int body2, int frame, const double p1[3],
                        const double axis[3]) {
    ib_mech_measure measure = {.name = "way", .type = IB_MECH_DISPLACEMENT, .body1 = body1};
    measure.body2 = body2;
    measure.frame = frame;
    memcpy(measure.point1, p1, sizeof measure.point1);
    memcpy(measure.axis, axis, sizeof measure.axis);
    return ib_mechanism_add_measure(s->m, &measure);
}

static int couple(scene *s, const char *name, int measure1, int measure2, double ratio) {
    ib_mech_joint joint = {.name = name, .type = IB_MECH_COUPLING, .ratio = ratio};
    joint.measure1 = measure1;
    joint.measure2 = measure2;
    joint.frame1[0] = joint.frame1[4] = joint.frame1[8] = 1;
    memcpy(joint.frame2, joint.frame1, sizeof joint.frame2);
    return ib_mechanism_add_joint(s->m, &joint);
}

static void twist(scene *s, int body1, const double axis[3], double torque) {
    ib_mech_force force = {.name = "twist", .type = IB_MECH_AXIS_TORQUE, .body1 = body1};
    force.body2 = force.frame = IB_MECH_GROUND;
    force.law = ib_graph_const(s->graph, torque);
    memcpy(force.axis, axis, sizeof force.axis);
    ib_mechanism_add_force(s->m, &force);
}

/* ---- gears ---- */

/* Two wheels on parallel shafts, the second at -3 turns for one of the first: from a torque T on
 * the first, alpha1 = T / (J1 + 9 J2). Over many turns. */
static void test_gear_pair(void **state) {
    (void)state;
    static const struct {
        ib_mech_solver solver;
        double step, tolerance;
    } runs[] = {{IB_MECH_DOPRI5, 0, 1e-8},
                {IB_MECH_DOP853, 0, 1e-8},
                {IB_MECH_GENERALIZED_ALPHA, 0.005, 1e-7}};
    for (size_t i = 0; i < IB_COUNT(runs); i++) {
        scene s = start_scene(runs[i].solver, runs[i].step, 1e-11);
        const double J1 = 0.3, J2 = 0.05, T = 4, alpha = T / (J1 + 9 * J2);
        body(&s, zero3, 1, (const double[3]){J1, J1, J1});
        body(&s, (const double[3]){0.5, 0, 0}, 1, (const double[3]){J2, J2, J2});
        mech_joint_at(s.m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis);
        mech_joint_at(s.m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, (const double[3]){0.5, 0, 0},
                      z_axis);
        const int one = angle_about(&s, 0, IB_MECH_GROUND, z_axis);
        const int two = angle_about(&s, 1, IB_MECH_GROUND, z_axis);
        const int gear = couple(&s, "gear", two, one, -3);
        twist(&s, 0, z_axis, T);
        rig r = rig_start(s.m, &s.options);
        assert_int_equal(ib_dynamics_redundant(r.dynamics), 0);
        for (double t = 1; t < 10.5; t += 1) {
            rig_to(&r, t);
            const double angle = 0.5 * alpha * t * t; /* 42 turns at the end, 127 of the other */
            double force[3], torque[3];
            ASSERT_NEAR(ib_dynamics_measure(r.dynamics, one), angle, runs[i].tolerance * angle);
            ASSERT_NEAR(ib_dynamics_measure(r.dynamics, two), -3 * angle,
                        3 * runs[i].tolerance * angle);
            ASSERT_NEAR(ib_dynamics_joint_lambda(r.dynamics, gear), -3 * J2 * alpha, 1e-6);
            ib_dynamics_reaction(r.dynamics, gear, force, torque);
            const double moment[3] = {0, 0, -3 * J2 * alpha};
            ASSERT_NEAR3(torque, moment, 1e-6);
            ASSERT_NEAR3(force, zero3, 1e-9);
        }
        end_scene(&s, &r);
    }
}

/* A planet on an arm: it turns by `ratio` against the arm for each turn of the arm against the
 * ground, so at 1 + ratio in all. Arm and planet share body slots in the coupling. */
static void test_planet_on_an_arm(void **state) {
    (void)state;
    scene s = tight();
    const double ratio = 2.5, arm = 0.4, mass = 0.6, J = 0.02, J_arm = 0.3, T = 1.5;
    body(&s, zero3, 1, (const double[3]){J_arm, J_arm, J_arm});
    body(&s, (const double[3]){arm, 0, 0}, mass, (const double[3]){J, J, J});
    mech_joint_at(s.m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis);
    mech_joint_at(s.m, IB_MECH_REVOLUTE, 1, 0, (const double[3]){arm, 0, 0}, z_axis);
    const int planet = angle_about(&s, 1, 0, z_axis);
    const int carrier = angle_about(&s, 0, IB_MECH_GROUND, z_axis);
    const int gear = couple(&s, "gear", planet, carrier, ratio);
    twist(&s, 0, z_axis, T);
    rig r = rig_start(s.m, &s.options);
    rig_to(&r, 4);
    const double whole = J_arm + mass * arm * arm + J * (1 + ratio) * (1 + ratio);
    const double angle = 0.5 * T / whole * 16;
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, carrier), angle, 1e-8 * angle);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, planet), ratio * angle, 1e-7 * angle);
    /* on the planet: its spin; on the arm, against the ground: what is left of it */
    ASSERT_NEAR(ib_dynamics_joint_lambda(r.dynamics, gear), J * (1 + ratio) * T / whole, 1e-8);
    double force[3], torque[3];
    const double moment[3] = {0, 0, J * (1 + ratio) * T / whole};
    ib_dynamics_reaction(r.dynamics, gear, force, torque);
    ASSERT_NEAR3(torque, moment, 1e-8);
    end_scene(&s, &r);
}

/* Bevel gears on shafts at right angles; the ground is body 1 of one angle, so that it counts
 * backwards. */
static void test_bevel_gear(void **state) {
    (void)state;
    scene s = tight();
    body(&s, zero3, 1, round_inertia);
    body(&s, zero3, 1, round_inertia);
    mech_joint_at(s.m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, x_axis);
    mech_joint_at(s.m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, zero3, y_axis);
    const int one = angle_about(&s, IB_MECH_GROUND, 0, x_axis);
    const int two = angle_about(&s, 1, IB_MECH_GROUND, y_axis);
    const int gear = couple(&s, "gear", one, two, 2);
    twist(&s, 1, y_axis, 3);
    rig r = rig_start(s.m, &s.options);
    rig_to(&r, 3);
    const double alpha = 3 / (0.2 + 4 * 0.2), angle = 0.5 * alpha * 9;
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, two), angle, 1e-8);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, one), 2 * angle, 1e-8);
    ASSERT_NEAR(rig_body(&r, 0)[10], -2 * alpha * 3, 1e-8);
    ASSERT_NEAR(rig_body(&r, 1)[11], alpha * 3, 1e-8);
    /* on the ground, where body 1 of the measure is: against what turns body 0 */
    double force[3], torque[3];
    const double moment[3] = {0.2 * 2 * alpha, 0, 0};
    ib_dynamics_reaction(r.dynamics, gear, force, torque);
    ASSERT_NEAR3(torque, moment, 1e-8);
    ASSERT_NEAR(ib_dynamics_joint_lambda(r.dynamics, gear), 0.2 * 2 * alpha, 1e-8);
    end_scene(&s, &r);
}

/* Offsets of the measures, and where they stand at t = 0, are in the constant. */
static void test_constant(void **state) {
    (void)state;
    scene s = tight();
    body(&s, zero3, 1, round_inertia);
    body(&s, zero3, 1, round_inertia);
    mech_joint_at(s.m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis);
    mech_joint_at(s.m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, zero3, z_axis);
    ib_mech_measure slanted = {.name = "slanted", .type = IB_MECH_ANGLE, .body1 = 0};
    slanted.body2 = slanted.frame = IB_MECH_GROUND;
    slanted.a[1] = slanted.b[0] = slanted.c[1] = 1; /* a quarter turn at t = 0 */
    slanted.offset = 0.3;
    const int one = ib_mechanism_add_measure(s.m, &slanted);
    const int two = angle_about(&s, 1, IB_MECH_GROUND, z_axis);
    couple(&s, "gear", one, two, 2);
    twist(&s, 0, z_axis, 1);
    rig r = rig_start(s.m, &s.options);
    assert_int_equal(ib_diags_count(r.diags), 0); /* nothing had to move */
    rig_to(&r, 2);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, one),
                PI / 2 - 0.3 + 2 * ib_dynamics_measure(r.dynamics, two), 1e-10);
    end_scene(&s, &r);
}

/* ---- racks ---- */

/* A rack pushed along its rail turns the pinion: a = F / (m + J / r^2). */
static void test_rack(void **state) {
    (void)state;
    for (int massless = 0; massless < 2; massless++) {
        scene s = tight();
        const double J = massless ? 0 : 0.02, radius = 0.1, mass = 2, F = 30;
        const double along[3] = {0.6, 0.8, 0}, tip[3] = {0.1, 0.2, 0.3};
        body(&s, zero3, mass, round_inertia);
        body(&s, (const double[3]){0, 0, 1}, massless ? 0 : 1, (const double[3]){J, J, J});
        mech_joint_at(s.m, IB_MECH_PRISMATIC, 0, IB_MECH_GROUND, zero3, along);
        mech_joint_at(s.m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, (const double[3]){0, 0, 1}, y_axis);
        const int way = displacement(&s, 0, IB_MECH_GROUND, IB_MECH_GROUND, tip, along);
        const int turn = angle_about(&s, 1, IB_MECH_GROUND, y_axis);
        const int rack = couple(&s, "rack", way, turn, radius);
        ib_mech_force push = {.name = "push", .type = IB_MECH_AXIS_FORCE, .body1 = 0};
        push.body2 = push.frame = IB_MECH_GROUND;
        push.law = ib_graph_const(s.graph, F);
        memcpy(push.axis, along, sizeof along);
        ib_mechanism_add_force(s.m, &push);
        rig r = rig_start(s.m, &s.options);
        assert_int_equal(s.m->general, massless); /* the pinion needs the rack to hold it */
        rig_to(&r, 2);
        const double a = F / (mass + J / (radius * radius));
        const double start = ib_dot(tip, along);
        double force[3], torque[3], wanted[3];
        ASSERT_NEAR(ib_dynamics_measure(r.dynamics, way), start + 2 * a, 1e-7);
        ASSERT_NEAR(ib_dynamics_measure(r.dynamics, turn), 2 * a / radius, 1e-6);
        ASSERT_NEAR(ib_dynamics_joint_lambda(r.dynamics, rack), mass * a - F, 1e-7);
        ib_dynamics_reaction(r.dynamics, rack, force, torque);
        for (int k = 0; k < 3; k++)
            wanted[k] = (mass * a - F) * along[k];
        ASSERT_NEAR3(force, wanted, 1e-7);
        ASSERT_NEAR3(torque, zero3, 1e-7); /* at the point of the measure */
        end_scene(&s, &r);
    }
}

/* ---- screws ---- */

static int add_screw(scene *s, int body1, int body2, const double axis[3], double pitch) {
    ib_mech_joint joint = {.name = "screw", .type = IB_MECH_SCREW, .body1 = body1, .body2 = body2};
    double in_body[3];
    ib_frame_from_z(axis, joint.frame1);
    memcpy(joint.frame2, joint.frame1, sizeof joint.frame2);
    ib_vector_to_body(s->m->bodies, body2, axis, in_body);
    joint.measure1 = displacement(s, body1, body2, body2, zero3, in_body);
    joint.measure2 = angle_about(s, body1, body2, axis);
    joint.ratio = pitch / (2 * PI);
    return ib_mechanism_add_joint(s->m, &joint);
}

/* A nut runs down a spindle by its weight: a = g sin / (1 + J (2 pi / pitch)^2 / m), through
 * hundreds of turns, left- or right-handed, whichever body is the first. */
static void test_nut(void **state) {
    (void)state;
    static const struct {
        double pitch;
        bool swapped;
        ib_mech_solver solver;
        double step;
    } runs[] = {{0.05, false, IB_MECH_DOPRI5, 0}, {-0.05, false, IB_MECH_DOPRI5, 0},
                {0.02, true, IB_MECH_DOPRI5, 0},  {0.02, false, IB_MECH_GENERALIZED_ALPHA, 0.001},
                {1e-4, false, IB_MECH_DOP853, 0}, {1e-4, true, IB_MECH_GENERALIZED_ALPHA, 0.001},
                {0.1, false, IB_MECH_RK4, 2e-4},  {-0.1, true, IB_MECH_RK4, 2e-4}};
    const double mass = 2, J = 1e-6, g = 9.81, axis[3] = {0.6, 0, 0.8};
    for (size_t i = 0; i < IB_COUNT(runs); i++) {
        scene s = start_scene(runs[i].solver, runs[i].step, 1e-9);
        const double k = 2 * PI / runs[i].pitch;
        body(&s, zero3, mass, (const double[3]){J, J, J});
        const int screw = add_screw(&s, runs[i].swapped ? IB_MECH_GROUND : 0,
                                    runs[i].swapped ? 0 : IB_MECH_GROUND, axis, runs[i].pitch);
        s.options.gravity[2] = -g;
        rig r = rig_start(s.m, &s.options);
        rig_to(&r, 1);
        const double a = -g * 0.8 / (1 + J * k * k / mass), way = 0.5 * a;
        for (int c = 0; c < 3; c++)
            ASSERT_NEAR(rig_body(&r, 0)[c], way * axis[c], 1e-7);
        const double rate = ib_dot(rig_body(&r, 0) + 10, axis);
        ASSERT_NEAR(rate, a * k, 1e-6 * fabs(a * k));
        /* on body 1: along the axis against the weight, and the torque that spins the nut */
        const double sign = runs[i].swapped ? -1 : 1, lift = mass * (a + g * 0.8);
        double force[3], torque[3];
        ib_dynamics_reaction(r.dynamics, screw, force, torque);
        ASSERT_NEAR(ib_dot(force, axis), sign * lift, 2e-6 * lift);
        ASSERT_NEAR(ib_dot(torque, axis), sign * J * a * k, 2e-6 * fabs(J * a * k));
        ASSERT_NEAR(ib_dynamics_joint_lambda(r.dynamics, screw), sign * lift, 2e-6 * lift);
        end_scene(&s, &r);
    }
}

/* A snapshot in the middle of many turns goes on to the same bits, in another run too. */
static void test_turns_after_a_restore(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_GENERALIZED_ALPHA};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        uint64_t hash[2];
        void *snapshot = NULL;
        for (int again = 0; again < 2; again++) {
            scene s = start_scene(solvers[i], i ? 0.002 : 0, 1e-9);
            body(&s, zero3, 2, (const double[3]){1e-3, 1e-3, 1e-3});
            body(&s, (const double[3]){1, 0, 0}, 1, round_inertia);
            add_screw(&s, 0, IB_MECH_GROUND, z_axis, 0.02);
            mech_joint_at(s.m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, x_axis, y_axis);
            couple(&s, "gear", angle_about(&s, 1, IB_MECH_GROUND, y_axis),
                   angle_about(&s, 0, IB_MECH_GROUND, z_axis), 0.1);
            s.options.gravity[2] = -9.81;
            rig r = rig_start(s.m, &s.options);
            const size_t size = ib_dynamics_state_size(r.dynamics);
            if (again) {
                assert_int_equal(ib_dynamics_restore(r.dynamics, snapshot, size), IB_OK);
                free(snapshot);
            } else {
                rig_to(&r, 3);
                snapshot = malloc(size);
                assert_non_null(snapshot);
                ib_dynamics_save(r.dynamics, snapshot);
            }
            rig_to(&r, 4);
            hash[again] = ib_dynamics_hash(r.dynamics);
            assert_true(fabs(ib_dynamics_measure(r.dynamics, 1)) > 100);
            end_scene(&s, &r);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* ---- redundancy ---- */

/* The same gear twice says the same twice; a driver at either end of a gear, one too many. */
static void test_said_twice(void **state) {
    (void)state;
    for (int drivers = 0; drivers < 2; drivers++) {
        scene s = tight();
        body(&s, zero3, 1, round_inertia);
        body(&s, zero3, 1, round_inertia);
        mech_joint_at(s.m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis);
        mech_joint_at(s.m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, zero3, z_axis);
        const int one = angle_about(&s, 0, IB_MECH_GROUND, z_axis);
        const int two = angle_about(&s, 1, IB_MECH_GROUND, z_axis);
        couple(&s, "gear", one, two, 2);
        if (!drivers)
            couple(&s, "again", two, one, 0.5);
        for (int i = 0; i < 2 * drivers; i++) {
            ib_mech_driver driver = {.name = i ? "second" : "first", .measure = i ? two : one};
            driver.motion = ib_graph_leaf(s.graph, 0);
            driver.initial_leaf = -1;
            ib_mechanism_add_driver(s.m, &driver);
        }
        rig r = rig_make(s.m, &s.options);
        const ib_status status = ib_dynamics_assemble(r.dynamics, r.diags);
        assert_int_equal(status, drivers ? IB_BAD_INPUT : IB_OK);
        assert_true(drivers ? has_diag(r.diags, "IB0643", "second")
                            : has_diag(r.diags, "IB0641", "again"));
        end_scene(&s, &r);
    }
}

/* Velocities that do not fit the gear are made to. */
static void test_velocities_fit(void **state) {
    (void)state;
    scene s = tight();
    mech_body(s.m, zero3, no_turn, zero3, (const double[3]){0, 0, 6}, 1, round_inertia);
    mech_body(s.m, zero3, no_turn, zero3, zero3, 1, round_inertia);
    mech_joint_at(s.m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis);
    mech_joint_at(s.m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, zero3, z_axis);
    couple(&s, "gear", angle_about(&s, 0, IB_MECH_GROUND, z_axis),
           angle_about(&s, 1, IB_MECH_GROUND, z_axis), 2);
    rig r = rig_start(s.m, &s.options);
    ASSERT_NEAR(rig_body(&r, 0)[12], 6 * 0.8, 1e-12); /* 6 J (1, 0) onto the direction (2, 1) */
    ASSERT_NEAR(rig_body(&r, 1)[12], 6 * 0.4, 1e-12);
    assert_true(has_diag(r.diags, "IB0638", "link"));
    end_scene(&s, &r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gear_pair),      cmocka_unit_test(test_planet_on_an_arm),
        cmocka_unit_test(test_bevel_gear),     cmocka_unit_test(test_constant),
        cmocka_unit_test(test_rack),           cmocka_unit_test(test_nut),
        cmocka_unit_test(test_said_twice),     cmocka_unit_test(test_turns_after_a_restore),
        cmocka_unit_test(test_velocities_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
