/* Every measure against the geometry of bodies in a motion that is known exactly; angles over many
 * turns, at large steps and after a restore; offsets.
 */
#include "mechanics/mechanics_test.h"

static const double inertia[3] = {0.1, 0.1, 0.1}; /* round: rates stay */

static const double place1[3] = {0.3, -0.2, 0.5}, place2[3] = {1.5, 0.4, -0.3};
static const double turn1[4] = {0.8, 0.0, 0.6, 0.0}, turn2[4] = {0.5, -0.5, 0.5, 0.5};
static const double speed1[3] = {0.2, 0.1, -0.3}, speed2[3] = {-0.5, 0.3, 0.1};
static const double rates1[3] = {0.4, -0.6, 1.1}, rates2[3] = {-1.2, 0.3, 0.7};
static const double point1[3] = {0.4, 0.1, 0.6}, point2[3] = {1.2, 0.3, -0.1};
static const double a[3] = {1, 0, 0}, b[3] = {0.6, 0.8, 0}, c[3] = {-0.8, 0.6, 0};
static const double gravity[3] = {0.5, 0, -9.81};

/* Two round bodies in free fall, turning steadily: their pose at any time in closed form. */
typedef struct pose {
    double r[3], v[3], q[4], w[3];
} pose;

static pose pose_at(int body, double t) {
    const double *r0 = body ? place2 : place1, *v0 = body ? speed2 : speed1;
    const double *q0 = body ? turn2 : turn1, *w = body ? rates2 : rates1;
    pose p;
    double e[3];
    for (int k = 0; k < 3; k++) {
        p.r[k] = r0[k] + t * v0[k] + 0.5 * t * t * gravity[k];
        p.v[k] = v0[k] + t * gravity[k];
        e[k] = t * w[k];
    }
    ib_quat_turn(q0, e, p.q);
    ib_quat_rotate(p.q, w, p.w);
    return p;
}

/* A point given at t = 0: place, velocity and acceleration at t. */
static void point_at(int body, const double point[3], double t, double out[3][3]) {
    const pose p = pose_at(body, t);
    double arm[3], turn[3];
    ib_sub3(point, body ? place2 : place1, arm);
    ib_quat_rotate_back(body ? turn2 : turn1, arm, arm);
    ib_quat_rotate(p.q, arm, arm);
    ib_cross(p.w, arm, turn);
    ib_axpy(p.r, 1, arm, out[0]);
    ib_axpy(p.v, 1, turn, out[1]);
    ib_cross(p.w, turn, turn);
    ib_axpy(gravity, 1, turn, out[2]);
}

/* A vector given at t = 0 on a body, at t. */
static void vector_at(int body, const double v[3], double t, double out[3]) {
    const pose p = pose_at(body, t);
    ib_quat_rotate_back(body ? turn2 : turn1, v, out);
    ib_quat_rotate(p.q, out, out);
}

static ib_mech_measure measure_of(ib_mech_measure_type type, int frame, int component) {
    ib_mech_measure m = {.name = "m", .type = type, .body1 = 0, .body2 = 1, .frame = frame};
    memcpy(m.point1, point1, sizeof point1);
    memcpy(m.point2, point2, sizeof point2);
    memcpy(m.a, a, sizeof a);
    memcpy(m.b, b, sizeof b);
    memcpy(m.c, c, sizeof c);
    memcpy(m.vector, b, sizeof b);
    m.axis[component] = 1;
    return m;
}

/* What the geometry says. */
static double wanted(const ib_mech_measure *m, double t) {
    double p1[3][3], p2[3][3], apart[3], motion[3], u[3], v[3], w[3];
    const pose pose1 = pose_at(0, t), pose2 = pose_at(1, t);
    point_at(0, point1, t, p1);
    point_at(1, point2, t, p2);
    ib_sub3(p1[0], p2[0], apart);
    ib_sub3(p1[1], p2[1], motion);
    ib_sub3(pose1.w, pose2.w, w);
    double axis[3];
    memcpy(axis, m->axis, sizeof axis);
    if (m->frame != IB_MECH_GROUND)
        ib_quat_rotate(m->frame ? pose2.q : pose1.q, axis, axis);
    switch (m->type) {
    case IB_MECH_DISPLACEMENT:
        return ib_dot(apart, axis);
    case IB_MECH_VELOCITY:
        return ib_dot(motion, axis);
    case IB_MECH_DISTANCE:
        return ib_norm(apart);
    case IB_MECH_DISTANCE_RATE:
        return ib_dot(apart, motion) / ib_norm(apart);
    case IB_MECH_ANGLE:
    case IB_MECH_ANGULAR_RATE:
    case IB_MECH_ANGULAR_RATE_LEGACY: {
        vector_at(0, m->a, t, u);
        double x, y, dx, dy, turn[3];
        vector_at(1, m->b, t, v);
        x = ib_dot(u, v);
        ib_cross(v, u, turn); /* (w1 - w2) x u . v = (w1 - w2) . (u x v) */
        dx = -ib_dot(w, turn);
        vector_at(1, m->c, t, v);
        y = ib_dot(u, v);
        ib_cross(v, u, turn);
        dy = -ib_dot(w, turn);
        const double legacy = x * dy - y * dx;
        return m->type == IB_MECH_ANGLE          ? atan2(y, x)
               : m->type == IB_MECH_ANGULAR_RATE ? legacy / (x * x + y * y)
                                                 : legacy;
    }
    case IB_MECH_DIRECTION:
        return ib_dot(m->vector, axis);
    case IB_MECH_ANGULAR_VELOCITY:
        return ib_dot(w, axis);
    case IB_MECH_ACCELERATION:
        ib_sub3(p1[2], p2[2], v);
        return ib_dot(v, axis);
    case IB_MECH_ANGULAR_ACCELERATION:
        return 0;
    case IB_MECH_SPECIFIC_FORCE:
        ib_sub3(p1[2], gravity, v);
        return ib_dot(v, axis);
    }
    return (double)NAN;
}

static ib_mechanism *build(ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, place1, turn1, speed1, rates1, 1, inertia);
    mech_body(m, place2, turn2, speed2, rates2, 3, inertia);
    memcpy(options->gravity, gravity, sizeof gravity);
    options->n_leaves = 128;
    return m;
}

/* Each type, component and frame, at several times. */
static void test_geometry(void **state) {
    (void)state;
    ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-12);
    ib_mechanism *m = build(&options);
    ib_mech_measure measures[120];
    int n = 0;
    for (int type = 0; type <= IB_MECH_SPECIFIC_FORCE; type++)
        for (int frame = -1; frame < 2; frame++)
            for (int component = 0; component < 3; component++) {
                measures[n] = measure_of((ib_mech_measure_type)type, frame, component);
                assert_int_equal(ib_mechanism_add_measure(m, &measures[n]), n);
                n++;
            }
    rig r = rig_start(m, &options);
    for (int i = 0; i < 8; i++) {
        const double t = 0.15 * i;
        rig_to(&r, t);
        for (int k = 0; k < n; k++) {
            const double value = ib_dynamics_measure(r.dynamics, k),
                         exact = wanted(&measures[k], t);
            double error = fabs(value - exact);
            if (measures[k].type == IB_MECH_ANGLE) /* whole turns are another test's */
                error = fabs(remainder(value - exact, 2 * PI));
            if (!(error <= 1e-9))
                fail_msg("type %d, frame %d, component %d at %g s: %.12g is not %.12g",
                         (int)measures[k].type, measures[k].frame, k % 3, t, value, exact);
        }
    }
    rig_end(&r);
}

/* With the ground on either side. */
static void test_ground(void **state) {
    (void)state;
    ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-12);
    ib_mechanism *m = build(&options);
    for (int side = 0; side < 2; side++)
        for (int type = 0; type < 2; type++) {
            ib_mech_measure measure =
                measure_of(type ? IB_MECH_VELOCITY : IB_MECH_DISPLACEMENT, IB_MECH_GROUND, 2);
            *(side ? &measure.body2 : &measure.body1) = IB_MECH_GROUND;
            ib_mechanism_add_measure(m, &measure);
        }
    rig r = rig_start(m, &options);
    rig_to(&r, 0.6);
    double p1[3][3], p2[3][3];
    point_at(0, point1, 0.6, p1);
    point_at(1, point2, 0.6, p2);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), point1[2] - p2[0][2], 1e-10);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 1), -p2[1][2], 1e-10);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 2), p1[0][2] - point2[2], 1e-10);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 3), p1[1][2], 1e-10);
    rig_end(&r);
}

/* In a turning frame `velocity` is the global velocity's component, not the component's rate. */
static void test_velocity_in_a_turning_frame(void **state) {
    (void)state;
    ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-12);
    ib_mechanism *m = build(&options);
    const ib_mech_measure component = measure_of(IB_MECH_DISPLACEMENT, 1, 0);
    const ib_mech_measure velocity = measure_of(IB_MECH_VELOCITY, 1, 0);
    ib_mechanism_add_measure(m, &component);
    ib_mechanism_add_measure(m, &velocity);
    rig r = rig_start(m, &options);
    const double h = 1e-4;
    double value[2];
    rig_to(&r, 0.5 - h);
    value[0] = ib_dynamics_measure(r.dynamics, 0);
    rig_to(&r, 0.5);
    const double at = ib_dynamics_measure(r.dynamics, 1);
    rig_to(&r, 0.5 + h);
    value[1] = ib_dynamics_measure(r.dynamics, 0);
    ASSERT_NEAR(at, wanted(&velocity, 0.5), 1e-9);
    assert_true(fabs((value[1] - value[0]) / (2 * h) - at) > 0.1);
    rig_end(&r);
}

/* ---- offsets ---- */

static void test_offsets(void **state) {
    (void)state;
    static const ib_mech_measure_type types[] = {IB_MECH_DISPLACEMENT, IB_MECH_DISTANCE,
                                                 IB_MECH_ANGLE};
    ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-12);
    ib_mechanism *m = build(&options);
    for (size_t i = 0; i < IB_COUNT(types); i++)
        for (int k = 0; k < 3; k++) {
            ib_mech_measure measure = measure_of(types[i], 1, 1);
            measure.offset_initial = k == 1;
            measure.offset = k == 2 ? 0.75 : 0;
            ib_mechanism_add_measure(m, &measure);
        }
    rig r = rig_start(m, &options);
    double start[3];
    for (int i = 0; i < 3; i++) {
        start[i] = ib_dynamics_measure(r.dynamics, 3 * i);
        ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 3 * i + 1), 0, 0);
        ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 3 * i + 2), start[i] - 0.75, 1e-15);
    }
    rig_to(&r, 0.4);
    for (int i = 0; i < 3; i++) {
        const double now = ib_dynamics_measure(r.dynamics, 3 * i);
        assert_true(fabs(now - start[i]) > 1e-3);
        ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 3 * i + 1), now - start[i], 1e-14);
        ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 3 * i + 2), now - 0.75, 1e-14);
    }
    rig_end(&r);
}

/* ---- angles ---- */

/* A wheel on a hinge at a constant rate: the angle counts turns, both ways, whatever the step. */
static rig spin_wheel(ib_mech_solver solver, ib_time step, double rate, bool initial) {
    ib_mechanism *m = ib_mechanism_create();
    const double z[3] = {0, 0, 1};
    mech_body(m, zero3, no_turn, zero3, (const double[3]){0, 0, rate}, 1, inertia);
    ib_mech_measure measure = {.name = "turns", .type = IB_MECH_ANGLE, .body2 = IB_MECH_GROUND};
    measure.frame = IB_MECH_GROUND;
    memcpy(measure.a, a, sizeof a);
    memcpy(measure.b, initial ? a : b, sizeof b);
    const double y[3] = {0, 1, 0};
    memcpy(measure.c, initial ? y : c, sizeof c);
    ib_mechanism_add_measure(m, &measure);
    mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z);
    ib_mech_options options = mech_options(solver, step, 1e-9);
    options.n_leaves = 2;
    return rig_start(m, &options);
}

static void test_angle_counts_turns(void **state) {
    (void)state;
    static const struct {
        ib_mech_solver solver;
        double step;
    } settings[] = {{IB_MECH_DOP853, 0},
                    {IB_MECH_DOPRI5, 0},
                    {IB_MECH_DOPRI5, 0.02},
                    {IB_MECH_RK4, 0.005},
                    {IB_MECH_GENERALIZED_ALPHA, 0.001},
                    {IB_MECH_GENERALIZED_ALPHA, 0.05}};
    for (size_t i = 0; i < IB_COUNT(settings); i++)
        for (int back = 0; back < 2; back++) {
            const double rate = back ? -47 : 31;
            rig r = spin_wheel(settings[i].solver, to_time(settings[i].step), rate, true);
            ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), 0, 0);
            for (int k = 1; k <= 12; k++) {
                rig_to(&r, 0.5 * k);
                const double exact = 0.5 * k * rate;
                ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), exact, 1e-3 * fabs(exact));
                /* and the fraction of a turn is that of the attitude */
                const double *y = rig_body(&r, 0);
                const double attitude = 2 * atan2(y[6], y[3]);
                ASSERT_NEAR(remainder(ib_dynamics_measure(r.dynamics, 0) - attitude, 2 * PI), 0,
                            1e-9);
            }
            rig_end(&r);
        }
}

/* A vector and a plane: it starts at its atan2. */
static void test_angle_starts_at_atan2(void **state) {
    (void)state;
    rig r = spin_wheel(IB_MECH_DOPRI5, 0, -20, false);
    const double start = atan2(ib_dot(a, c), ib_dot(a, b));
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), start, 1e-15);
    rig_to(&r, 1);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), start - 20, 1e-6);
    rig_end(&r);
}

/* A restore brings back the turns that were counted then. */
static void test_angle_after_restore(void **state) {
    (void)state;
    rig r = spin_wheel(IB_MECH_DOPRI5, 0, 31, true);
    void *snapshot = malloc(ib_dynamics_state_size(r.dynamics));
    assert_non_null(snapshot);
    rig_to(&r, 1);
    const double then = ib_dynamics_measure(r.dynamics, 0);
    ib_dynamics_save(r.dynamics, snapshot);
    rig_to(&r, 3);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), 93, 1e-6);
    assert_int_equal(ib_dynamics_restore(r.dynamics, snapshot, ib_dynamics_state_size(r.dynamics)),
                     IB_OK);
    assert_int_equal(ib_dynamics_refresh(r.dynamics, r.diags), IB_OK);
    assert_true(ib_dynamics_measure(r.dynamics, 0) == then);
    ASSERT_NEAR(then, 31, 1e-6);
    rig_to(&r, 2);
    ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), 62, 1e-6);
    free(snapshot);
    rig_end(&r);
}

/* A law in the angle pulls a wheel back through all its turns: a torsion spring of 10 turns. */
static void test_angle_in_a_law(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_GENERALIZED_ALPHA};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        ib_graph *graph = ib_graph_create();
        ib_mechanism *m = ib_mechanism_create();
        const double z[3] = {0, 0, 1}, y[3] = {0, 1, 0};
        mech_body(m, zero3, no_turn, zero3, (const double[3]){0, 0, 126}, 1, inertia);
        ib_mech_measure measure = {.name = "turns", .type = IB_MECH_ANGLE};
        measure.body2 = measure.frame = IB_MECH_GROUND;
        memcpy(measure.a, a, sizeof a);
        memcpy(measure.b, a, sizeof a);
        memcpy(measure.c, y, sizeof y);
        ib_mechanism_add_measure(m, &measure);
        mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z);
        ib_mech_force spring = {.name = "spring", .type = IB_MECH_AXIS_TORQUE};
        spring.body2 = spring.frame = IB_MECH_GROUND;
        memcpy(spring.axis, z, sizeof z);
        spring.law =
            ib_mul(graph, ib_graph_const(graph, -0.4), ib_graph_leaf(graph, 1)); /* 2 rad/s */
        ib_mechanism_add_force(m, &spring);
        ib_mech_options options = mech_options(solvers[i], i ? IB_SECOND / 1000 : 0, 1e-9);
        options.graph = graph;
        options.n_leaves = 2;
        rig r = rig_start(m, &options);
        rig_to(&r, PI / 4); /* a quarter period: 63 rad, ten turns */
        ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), 63, i ? 1e-3 : 1e-5);
        rig_to(&r, PI / 2);
        ASSERT_NEAR(ib_dynamics_measure(r.dynamics, 0), 0, i ? 1e-3 : 1e-4);
        rig_end(&r);
        ib_graph_destroy(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_ground),
        cmocka_unit_test(test_velocity_in_a_turning_frame),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_angle_counts_turns),
        cmocka_unit_test(test_angle_starts_at_atan2),
        cmocka_unit_test(test_angle_after_restore),
        cmocka_unit_test(test_angle_in_a_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
