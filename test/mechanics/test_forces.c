/* Each force's law, sign and reaction, energies of springs, and coincident points. */
#include "mechanics/mechanics_test.h"

static const double inertia[3] = {0.1, 0.2, 0.25};

enum { TIME_LEAF, INPUT_LEAF, MEASURE_LEAF, N_LEAVES = 12 };

/* Two free bodies, not in line and turned, the second one heavier. */
typedef struct bench {
    ib_mechanism *mechanism;
    ib_graph *graph;
    ib_mech_options options;
} bench;

static const double place1[3] = {0.3, -0.2, 0.5}, place2[3] = {1.5, 0.4, -0.3};
static const double turn1[4] = {0.8, 0.0, 0.6, 0.0}, turn2[4] = {0.5, -0.5, 0.5, 0.5};
static const double speed1[3] = {0.2, 0.1, -0.3}, speed2[3] = {-0.5, 0.3, 0.1};
static const double rates1[3] = {0.4, -0.6, 1.1}, rates2[3] = {-1.2, 0.3, 0.7};

static bench make_bench(ib_mech_solver solver) {
    bench b = {
        ib_mechanism_create(), ib_graph_create(),
        mech_options(solver, solver == IB_MECH_GENERALIZED_ALPHA ? IB_SECOND / 1000 : 0, 1e-10)};
    mech_body(b.mechanism, place1, turn1, speed1, rates1, 1, inertia);
    mech_body(b.mechanism, place2, turn2, speed2, rates2, 3, inertia);
    b.options.graph = b.graph;
    b.options.n_leaves = N_LEAVES;
    b.options.measure_leaf = MEASURE_LEAF;
    return b;
}

static rig start_bench(bench *b) { return rig_start(b->mechanism, &b->options); }

static void end_bench(bench *b, rig *r) {
    rig_end(r);
    ib_graph_destroy(b->graph);
}

static const double point1[3] = {0.4, 0.1, 0.6}, point2[3] = {1.2, 0.3, -0.1};

static ib_mech_force force_of(ib_mech_force_type type, ib_node law) {
    ib_mech_force force = {.name = "force", .type = type, .body1 = 0, .body2 = 1, .law = law};
    force.frame = IB_MECH_GROUND;
    memcpy(force.point1, point1, sizeof point1);
    memcpy(force.point2, point2, sizeof point2);
    return force;
}

/* Forces and torques (global, about the centres of mass) that accelerate the bodies now. */
static void wrench_on(const rig *r, int body, double mass, double force[3], double torque[3]) {
    const double *acc = ib_dynamics_acceleration(r->dynamics, body), *y = rig_body(r, body);
    double spin[3], turn[3];
    for (int k = 0; k < 3; k++) {
        force[k] = mass * acc[k];
        spin[k] = inertia[k] * y[10 + k];
        torque[k] = inertia[k] * acc[3 + k];
    }
    ib_cross(y + 10, spin, turn);
    ib_axpy(torque, 1, turn, torque);
    ib_quat_rotate(y + 3, torque, torque);
}

static void refresh(rig *r) { assert_int_equal(ib_dynamics_refresh(r->dynamics, r->diags), IB_OK); }

/* Body 1 feels `force` at point 1 and `couple`; body 2 the opposite at `place`. */
static void assert_pair(const rig *r, const double force[3], const double couple[3],
                        const double place[3]) {
    double f[3], t[3], arm[3], moment[3];
    wrench_on(r, 0, 1, f, t);
    ib_sub3(point1, place1, arm);
    ib_cross(arm, force, moment);
    ib_axpy(moment, 1, couple, moment);
    ASSERT_NEAR3(f, force, 1e-12);
    ASSERT_NEAR3(t, moment, 1e-12);
    wrench_on(r, 1, 3, f, t);
    ib_sub3(place, place2, arm);
    ib_cross(arm, force, moment);
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR(f[k], -force[k], 1e-12);
        ASSERT_NEAR(t[k], -moment[k] - couple[k], 1e-12);
    }
    ib_dynamics_force_vector(r->dynamics, 0, f, t);
    ASSERT_NEAR3(f, force, 1e-12);
    ASSERT_NEAR3(t, couple, 1e-12);
}

/* ---- laws ---- */

static void point_velocity(const double r[3], const double q[4], const double v[3],
                           const double rates[3], const double point[3], double out[3]) {
    double w[3], arm[3];
    ib_quat_rotate(q, rates, w);
    ib_sub3(point, r, arm);
    ib_cross(w, arm, out);
    ib_axpy(out, 1, v, out);
}

/* F = k (l - l0) + c dl/dt + preload pulls the points together. */
static void test_spring_damper(void **state) {
    (void)state;
    bench b = make_bench(IB_MECH_DOPRI5);
    ib_mech_force spring = force_of(IB_MECH_LINE, IB_NO_NODE);
    spring.stiffness = 50;
    spring.damping = 7;
    spring.free_length = 0.6;
    spring.preload = 2.5;
    ib_mechanism_add_force(b.mechanism, &spring);
    rig r = start_bench(&b);
    refresh(&r);
    double line[3], v1[3], v2[3], pull[3];
    ib_sub3(point2, point1, line);
    const double length = ib_norm(line);
    point_velocity(place1, turn1, speed1, rates1, point1, v1);
    point_velocity(place2, turn2, speed2, rates2, point2, v2);
    ib_sub3(v2, v1, v2);
    const double rate = ib_dot(line, v2) / length;
    const double value = 50 * (length - 0.6) + 7 * rate + 2.5;
    ASSERT_NEAR(ib_dynamics_force(r.dynamics, 0), value, 1e-12);
    for (int k = 0; k < 3; k++)
        pull[k] = value * line[k] / length;
    assert_pair(&r, pull, zero3, point2);
    /* potential energy: k (l - l0)^2 / 2 and the preload's share */
    const double stretch = length - 0.6;
    ASSERT_NEAR(ib_dynamics_energy(r.dynamics).potential, 25 * stretch * stretch + 2.5 * stretch,
                1e-12);
    end_bench(&b, &r);
}

static void test_free_length_is_the_initial_one(void **state) {
    (void)state;
    bench b = make_bench(IB_MECH_DOPRI5);
    ib_mech_force spring = force_of(IB_MECH_LINE, IB_NO_NODE);
    spring.stiffness = 50;
    spring.free_length = (double)NAN;
    ib_mechanism_add_force(b.mechanism, &spring);
    rig r = start_bench(&b);
    refresh(&r);
    ASSERT_NEAR(ib_dynamics_force(r.dynamics, 0), 0, 1e-13);
    end_bench(&b, &r);
}

/* ---- torsion springs ---- */

/* Of the angle about an axis that lies anywhere. */
static int add_angle(const bench *b, const double axis[3], int body2) {
    ib_mech_measure angle = {.name = "angle", .type = IB_MECH_ANGLE, .body2 = body2};
    double frame[9];
    ib_frame_from_z(axis, frame);
    for (int k = 0; k < 3; k++) {
        angle.a[k] = angle.b[k] = frame[3 * k];
        angle.c[k] = frame[3 * k + 1];
    }
    return ib_mechanism_add_measure(b->mechanism, &angle);
}

static ib_mech_force torsion_of(int measure, int body2, ib_node law) {
    ib_mech_force force = force_of(IB_MECH_ANGLE_TORQUE, law);
    force.body2 = body2;
    force.measure = measure;
    return force;
}

/* T = k (angle - free angle) + c rate + preload turns body 1 back; the angle is 0 at the start. */
static void test_torsion_spring(void **state) {
    (void)state;
    const double axis[3] = {0.48, 0.64, -0.6};
    for (int law = 0; law < 2; law++) {
        bench b = make_bench(IB_MECH_DOPRI5);
        const int measure = add_angle(&b, axis, 1);
        ib_mech_force spring =
            torsion_of(measure, 1, law ? ib_graph_const(b.graph, 3.25) : IB_NO_NODE);
        spring.stiffness = 50;
        spring.damping = 7;
        spring.free_length = 0.6;
        spring.preload = 2.5;
        ib_mechanism_add_force(b.mechanism, &spring);
        rig r = start_bench(&b);
        refresh(&r);
        double w1[3], w2[3], couple[3];
        ib_quat_rotate(turn1, rates1, w1);
        ib_quat_rotate(turn2, rates2, w2);
        ib_sub3(w1, w2, w1);
        const double value = law ? 3.25 : -50 * 0.6 + 7 * ib_dot(w1, axis) + 2.5;
        ASSERT_NEAR(ib_dynamics_force(r.dynamics, 0), value, 1e-12);
        for (int k = 0; k < 3; k++)
            couple[k] = -value * axis[k];
        assert_pair(&r, zero3, couple, point1);
        if (!law)
            ASSERT_NEAR(ib_dynamics_energy(r.dynamics).potential, 25 * 0.36 - 2.5 * 0.6, 1e-12);
        end_bench(&b, &r);
    }
}

/* A disc wound up over many turns and let go: J x'' + c x' + k (x - free) + preload = 0. */
static void test_torsion_turns(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_DOP853,
                                             IB_MECH_GENERALIZED_ALPHA};
    static const double tolerances[] = {1e-7, 1e-7, 2e-3};
    const double k = 1, c = 0.05, J = 0.25, spin = 80, centre = 0.8 - 0.3 / k;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = {ib_mechanism_create(), ib_graph_create(),
                   mech_options(solvers[i],
                                solvers[i] == IB_MECH_GENERALIZED_ALPHA ? IB_SECOND / 1000 : 0,
                                1e-11)};
        b.options.graph = b.graph;
        b.options.n_leaves = N_LEAVES;
        b.options.measure_leaf = MEASURE_LEAF;
        mech_body(b.mechanism, zero3, no_turn, zero3, (const double[3]){0, 0, spin}, 1, inertia);
        const int measure = add_angle(&b, (const double[3]){0, 0, 1}, IB_MECH_GROUND);
        ib_mech_force spring = torsion_of(measure, IB_MECH_GROUND, IB_NO_NODE);
        spring.stiffness = k;
        spring.damping = c;
        spring.free_length = 0.8;
        spring.preload = 0.3;
        ib_mechanism_add_force(b.mechanism, &spring);
        rig r = start_bench(&b);
        const double decay = c / (2 * J), omega = sqrt(k / J - decay * decay);
        const double sine = (spin - decay * centre) / omega;
        double most = 0;
        for (double t = 0.25; t <= 6; t += 0.25) {
            rig_to(&r, t);
            const double x =
                centre + exp(-decay * t) * (sine * sin(omega * t) - centre * cos(omega * t));
            ASSERT_NEAR(ib_dynamics_measure(r.dynamics, measure), x, tolerances[i]);
            most = fmax(most, fabs(x));
        }
        assert_true(most > 30); /* five turns */
        end_bench(&b, &r);
    }
}

/* Two free bodies tumble, coupled by torsion springs alone: their energy and angular momentum stay.
 */
static void test_torsion_conserves(void **state) {
    (void)state;
    bench b = make_bench(IB_MECH_DOP853);
    const double axis[3] = {0.48, 0.64, -0.6};
    ib_mech_force spring = torsion_of(add_angle(&b, axis, 1), 1, IB_NO_NODE);
    spring.stiffness = 0.5;
    spring.preload = 0.1;
    ib_mechanism_add_force(b.mechanism, &spring);
    rig r = start_bench(&b);
    refresh(&r);
    const ib_mech_energy start = ib_dynamics_energy(r.dynamics);
    double most = 0;
    for (int i = 1; i <= 20; i++) {
        rig_to(&r, 0.1 * i);
        const ib_mech_energy now = ib_dynamics_energy(r.dynamics);
        ASSERT_NEAR(now.kinetic + now.potential, start.kinetic + start.potential, 1e-9);
        ASSERT_NEAR3(now.angular_momentum, start.angular_momentum, 1e-9);
        most = fmax(most, now.potential);
    }
    assert_true(most > 0.05);
    double on1[3], on2[3]; /* the axis as carried by each body has tilted apart */
    ib_quat_rotate_back(turn1, axis, on1);
    ib_quat_rotate(rig_body(&r, 0) + 3, on1, on1);
    ib_quat_rotate_back(turn2, axis, on2);
    ib_quat_rotate(rig_body(&r, 1) + 3, on2, on2);
    assert_true(ib_dot(on1, on2) < 0.7);
    end_bench(&b, &r);
}

/* Turned across until its x axis lies along the axis, the angle has no value. */
static void test_torsion_nowhere(void **state) {
    (void)state;
    bench b = make_bench(IB_MECH_DOPRI5);
    ib_mech_measure angle = {.name = "angle", .type = IB_MECH_ANGLE, .body1 = 2};
    mech_body(b.mechanism, zero3, no_turn, zero3, zero3, 1, inertia);
    angle.body2 = IB_MECH_GROUND;
    angle.a[2] = angle.b[0] = angle.c[1] = 1;
    const int measure = ib_mechanism_add_measure(b.mechanism, &angle);
    ib_mech_force spring = torsion_of(measure, IB_MECH_GROUND, IB_NO_NODE);
    spring.body1 = 2;
    spring.stiffness = 1;
    ib_mechanism_add_force(b.mechanism, &spring);
    rig r = rig_make(b.mechanism, &b.options);
    assert_int_equal(ib_dynamics_assemble(r.dynamics, r.diags), IB_SIMULATION_FAILED);
    assert_true(has_diag(r.diags, "IB0702", "force: at t = 0 s body1 is turned across"));
    end_bench(&b, &r);
}

/* A positive expression along the line pulls the points together. */
static void test_line_expression(void **state) {
    (void)state;
    bench b = make_bench(IB_MECH_DOPRI5);
    const ib_mech_force force = force_of(IB_MECH_LINE, ib_graph_leaf(b.graph, INPUT_LEAF));
    ib_mechanism_add_force(b.mechanism, &force);
    rig r = rig_make(b.mechanism, &b.options);
    ib_dynamics_leaves(r.dynamics)[INPUT_LEAF] = 4;
    rig_assemble(&r);
    refresh(&r);
    double pull[3];
    ib_sub3(point2, point1, pull);
    const double scale = 4 / ib_norm(pull);
    for (int k = 0; k < 3; k++)
        pull[k] *= scale;
    assert_pair(&r, pull, zero3, point2);
    end_bench(&b, &r);
}

/* On body 1 along +axis, the reaction on body 2 at the same place; the axis in any body's frame. */
static void test_axis_force_and_torque(void **state) {
    (void)state;
    static const int frames[3] = {IB_MECH_GROUND, 0, 1};
    for (int torque = 0; torque < 2; torque++)
        for (int i = 0; i < 3; i++) {
            bench b = make_bench(IB_MECH_DOPRI5);
            ib_mech_force force = force_of(torque ? IB_MECH_AXIS_TORQUE : IB_MECH_AXIS_FORCE,
                                           ib_graph_const(b.graph, -3));
            const double axis[3] = {0.48, 0.64, -0.6};
            force.frame = frames[i];
            memcpy(force.axis, axis, sizeof axis);
            ib_mechanism_add_force(b.mechanism, &force);
            rig r = start_bench(&b);
            refresh(&r);
            double wanted[3] = {-3 * axis[0], -3 * axis[1], -3 * axis[2]};
            if (i > 0)
                ib_quat_rotate(i == 1 ? turn1 : turn2, wanted, wanted);
            assert_pair(&r, torque ? zero3 : wanted, torque ? wanted : zero3, point1);
            ASSERT_NEAR(ib_dynamics_force(r.dynamics, 0), -3, 0);
            end_bench(&b, &r);
        }
}

/* Against the ground only one body feels it. */
static void test_against_ground(void **state) {
    (void)state;
    bench b = make_bench(IB_MECH_DOPRI5);
    ib_mech_force force = force_of(IB_MECH_AXIS_FORCE, ib_graph_const(b.graph, 2));
    force.body1 = IB_MECH_GROUND;
    force.axis[2] = 1;
    ib_mechanism_add_force(b.mechanism, &force);
    rig r = start_bench(&b);
    refresh(&r);
    double f[3], t[3];
    wrench_on(&r, 0, 1, f, t);
    ASSERT_NEAR3(f, zero3, 1e-14);
    wrench_on(&r, 1, 3, f, t);
    ASSERT_NEAR(f[2], -2, 1e-12);
    end_bench(&b, &r);
}

/* ---- coincident points ---- */

/* Bodies whose points coincide; then a spring of zero free length is no force, and pulls back once
 * they have moved apart. */
static rig coincident_spring(bench *b, ib_mech_solver solver, double free_length, double v) {
    b->mechanism = ib_mechanism_create();
    b->graph = ib_graph_create();
    b->options =
        mech_options(solver, solver == IB_MECH_GENERALIZED_ALPHA ? IB_SECOND / 1000 : 0, 1e-9);
    mech_body(b->mechanism, zero3, no_turn, (const double[3]){v, 0, 0}, zero3, 1, inertia);
    ib_mech_force spring = force_of(IB_MECH_LINE, IB_NO_NODE);
    spring.body2 = IB_MECH_GROUND;
    memset(spring.point1, 0, sizeof spring.point1);
    memset(spring.point2, 0, sizeof spring.point2);
    spring.stiffness = 100;
    spring.free_length = free_length;
    ib_mechanism_add_force(b->mechanism, &spring);
    b->options.graph = b->graph;
    return rig_make(b->mechanism, &b->options);
}

static void test_zero_length_spring(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_GENERALIZED_ALPHA};
    for (size_t i = 0; i < IB_COUNT(solvers); i++)
        for (int moving = 0; moving < 2; moving++) {
            bench b;
            rig r = coincident_spring(&b, solvers[i], 0, moving);
            rig_assemble(&r);
            refresh(&r);
            ASSERT_NEAR(ib_dynamics_acceleration(r.dynamics, 0)[0], 0, 1e-14);
            rig_to(&r, PI / 20); /* a quarter of the period of 10 rad/s */
            ASSERT_NEAR(rig_body(&r, 0)[0], moving ? 0.1 : 0, 1e-5);
            ASSERT_NEAR(rig_body(&r, 0)[7], 0, 1e-4);
            end_bench(&b, &r);
        }
}

/* A force without a direction names itself and the time. */
static void test_no_direction(void **state) {
    (void)state;
    bench b;
    rig r = coincident_spring(&b, IB_MECH_DOPRI5, 0.5, 0);
    assert_int_equal(ib_dynamics_assemble(r.dynamics, r.diags), IB_SIMULATION_FAILED);
    assert_true(has_diag(r.diags, "IB0702", "force"));
    assert_true(has_diag(r.diags, "IB0702", "t = 0 s"));
    end_bench(&b, &r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_damper),
        cmocka_unit_test(test_free_length_is_the_initial_one),
        cmocka_unit_test(test_torsion_spring),
        cmocka_unit_test(test_torsion_turns),
        cmocka_unit_test(test_torsion_conserves),
        cmocka_unit_test(test_torsion_nowhere),
        cmocka_unit_test(test_line_expression),
        cmocka_unit_test(test_axis_force_and_torque),
        cmocka_unit_test(test_against_ground),
        cmocka_unit_test(test_zero_length_spring),
        cmocka_unit_test(test_no_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
