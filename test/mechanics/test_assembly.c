/* The start of a run: consistent states stay as they are, small gaps are closed by the smallest
 * mass-weighted correction and reported, everything else is refused with a name; redundant
 * constraints are counted and named.
 */
#include "mechanics/mechanics_test.h"

#include "mechanics/mechanism.h"

static const double x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};
static const double round_inertia[3] = {0.1, 0.1, 0.1};

static ib_mech_options plain(void) { return mech_options(IB_MECH_DOPRI5, 0, 1e-8); }

static int add_body(ib_mechanism *m, const char *name, const double r[3], const double v[3],
                    double mass, const double inertia[3]) {
    ib_mech_body body = {.name = name, .mass = mass, .orientation = {1, 0, 0, 0}};
    memcpy(body.inertia, inertia, 3 * sizeof *inertia);
    memcpy(body.position, r, sizeof body.position);
    memcpy(body.velocity, v, sizeof body.velocity);
    return ib_mechanism_add_body(m, &body);
}

static ib_mech_joint joint_of(const char *name, ib_mech_joint_type type, int body1, int body2,
                              const double p1[3], const double p2[3], const double axis[3]) {
    ib_mech_joint joint = {.name = name, .type = type, .body1 = body1, .body2 = body2};
    memcpy(joint.point1, p1, sizeof joint.point1);
    memcpy(joint.point2, p2, sizeof joint.point2);
    ib_frame_from_z(axis, joint.frame1);
    memcpy(joint.frame2, joint.frame1, sizeof joint.frame2);
    return joint;
}

static void add_joint(ib_mechanism *m, const char *name, ib_mech_joint_type type, int body1,
                      int body2, const double p[3], const double axis[3]) {
    const ib_mech_joint joint = joint_of(name, type, body1, body2, p, p, axis);
    ib_mechanism_add_joint(m, &joint);
}

/* Assembly must be refused with this diagnostic that names `name`. */
static void assert_refused(rig *r, const char *id, const char *name) {
    assert_int_equal(ib_dynamics_assemble(r->dynamics, r->diags), IB_BAD_INPUT);
    if (has_diag(r->diags, id, name))
        return;
    print_diags(r->diags);
    fail_msg("no %s that names '%s'", id, name);
}

/* ---- positions ---- */

static void test_consistent_state_stays(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (int i = 0; i < 4; i++) {
        double turn[4];
        random_quat(&sequence, turn);
        ib_mech_options options = mech_options(i % 2 ? IB_MECH_GENERALIZED_ALPHA : IB_MECH_DOPRI5,
                                               i % 2 ? IB_SECOND / 1000 : 0, 1e-6);
        ib_mechanism *m = mech_fourbar(2, turn, &options);
        rig r = rig_make(m, &options);
        double before[13 * 5];
        memcpy(before, ib_dynamics_bodies(r.dynamics), sizeof before);
        rig_assemble(&r);
        assert_memory_equal(before, ib_dynamics_bodies(r.dynamics), sizeof before);
        assert_false(has_diag(r.diags, "IB0634", ""));
        assert_false(has_diag(r.diags, "IB0638", ""));
        rig_end(&r);
    }
}

/* Two bodies joined at their centres share a gap in inverse proportion to their masses. */
static void test_gap_is_shared_by_mass(void **state) {
    (void)state;
    const double gap = 4e-4;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "light", zero3, zero3, 1, round_inertia);
    add_body(m, "heavy", (const double[3]){gap, 0, 0}, zero3, 3, round_inertia);
    const ib_mech_joint joint =
        joint_of("ball", IB_MECH_SPHERICAL, 0, 1, zero3, (const double[3]){gap, 0, 0}, z_axis);
    ib_mechanism_add_joint(m, &joint);
    const ib_mech_options options = plain();
    rig r = rig_start(m, &options);
    ASSERT_NEAR(rig_body(&r, 0)[0], 0.75 * gap, 1e-12);
    ASSERT_NEAR(rig_body(&r, 1)[0], 0.75 * gap, 1e-12);
    assert_true(has_diag(r.diags, "IB0634", "light"));
    rig_end(&r);
}

/* A lever gives way by turning as far as its inertia lets it: a / (1/m + a^2/J) of each. */
static void test_gap_is_shared_with_rotation(void **state) {
    (void)state;
    const double gap = 2e-4, arm = 0.5, mass = 2, inertia = 0.1;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "lever", zero3, zero3, mass, (const double[3]){inertia, inertia, inertia});
    const ib_mech_joint joint =
        joint_of("ball", IB_MECH_SPHERICAL, 0, IB_MECH_GROUND, (const double[3]){arm, 0, 0},
                 (const double[3]){arm, gap, 0}, z_axis);
    ib_mechanism_add_joint(m, &joint);
    const ib_mech_options options = plain();
    rig r = rig_start(m, &options);
    const double share = (1 / mass) / (1 / mass + arm * arm / inertia);
    const double *y = rig_body(&r, 0);
    ASSERT_NEAR(y[1], share * gap, 1e-3 * gap);
    ASSERT_NEAR(2 * y[6], (1 - share) * gap / arm, 1e-3 * gap); /* about z */
    ASSERT_NEAR(y[0], 0, 1e-3 * gap);
    double position, velocity;
    ib_dynamics_residual(r.dynamics, &position, &velocity);
    assert_true(position <= 1e-12);
    rig_end(&r);
}

static void test_gap_beyond_tolerance(void **state) {
    (void)state;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "rod", zero3, zero3, 1, round_inertia);
    const ib_mech_joint joint = joint_of("pin", IB_MECH_SPHERICAL, 0, IB_MECH_GROUND, zero3,
                                         (const double[3]){3e-3, 0, 0}, z_axis);
    ib_mechanism_add_joint(m, &joint);
    ib_mech_options options = plain();
    rig r = rig_make(m, &options);
    assert_refused(&r, "IB0633", "rod");
    assert_true(has_diag(r.diags, "IB0633", "0.003"));
    rig_end(&r);
}

static void test_wider_tolerance_allows_it(void **state) {
    (void)state;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "rod", zero3, zero3, 1, round_inertia);
    const ib_mech_joint joint = joint_of("pin", IB_MECH_SPHERICAL, 0, IB_MECH_GROUND, zero3,
                                         (const double[3]){3e-3, 0, 0}, z_axis);
    ib_mechanism_add_joint(m, &joint);
    ib_mech_options options = plain();
    options.assembly_tolerance = 5e-3;
    rig r = rig_start(m, &options);
    ASSERT_NEAR(rig_body(&r, 0)[0], 3e-3, 1e-12);
    rig_end(&r);
}

/* Two links of 1 m cannot reach over 3 m. */
static void test_cannot_be_assembled(void **state) {
    (void)state;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "left", (const double[3]){0.5, 0, 0}, zero3, 1, round_inertia);
    add_body(m, "right", (const double[3]){1.5, 0, 0}, zero3, 1, round_inertia);
    add_joint(m, "start", IB_MECH_SPHERICAL, 0, IB_MECH_GROUND, zero3, z_axis);
    add_joint(m, "middle", IB_MECH_SPHERICAL, 1, 0, x_axis, z_axis);
    const ib_mech_joint joint =
        joint_of("end", IB_MECH_SPHERICAL, 1, IB_MECH_GROUND, (const double[3]){2, 0, 0},
                 (const double[3]){3, 0, 0}, z_axis);
    ib_mechanism_add_joint(m, &joint);
    const ib_mech_options options = plain();
    rig r = rig_make(m, &options);
    assert_refused(&r, "IB0632", "");
    rig_end(&r);
}

/* ---- velocities ---- */

/* The smallest mass-weighted change conserves momentum. */
static void test_velocities(void **state) {
    (void)state;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "light", zero3, (const double[3]){1, 2, 0}, 1, round_inertia);
    add_body(m, "heavy", zero3, zero3, 3, round_inertia);
    add_joint(m, "ball", IB_MECH_SPHERICAL, 0, 1, zero3, z_axis);
    const ib_mech_options options = plain();
    rig r = rig_start(m, &options);
    for (int b = 0; b < 2; b++) {
        ASSERT_NEAR(rig_body(&r, b)[7], 0.25, 1e-14);
        ASSERT_NEAR(rig_body(&r, b)[8], 0.5, 1e-14);
    }
    assert_true(has_diag(r.diags, "IB0638", "light"));
    rig_end(&r);
}

/* ---- flipped joints ---- */

static void turn_frame(const double turn[4], double frame[9]) {
    double R[9], out[9];
    ib_quat_matrix(turn, R);
    ib_mul33(R, frame, out);
    memcpy(frame, out, sizeof out);
}

static void refuse_flip(ib_mech_joint_type type, unsigned lock, const double turn[4]) {
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "part", zero3, zero3, 1, round_inertia);
    ib_mech_joint joint = joint_of("lid", type, 0, IB_MECH_GROUND, zero3, zero3, y_axis);
    joint.lock = lock;
    turn_frame(turn, joint.frame2);
    ib_mechanism_add_joint(m, &joint);
    const ib_mech_options options = plain();
    rig r = rig_make(m, &options);
    assert_refused(&r, "IB0635", "lid");
    rig_end(&r);
}

static void test_flipped(void **state) {
    (void)state;
    /* half turns about x, y and z; the joints' axis is y */
    static const double half[3][4] = {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        refuse_flip(IB_MECH_FIXED, 0, half[i]);
        refuse_flip(IB_MECH_PRISMATIC, 0, half[i]);
        refuse_flip(IB_MECH_GENERIC, 0x38, half[i]);
        if (i == 1)
            continue;
        refuse_flip(IB_MECH_REVOLUTE, 0, half[i]);
        refuse_flip(IB_MECH_CYLINDRICAL, 0, half[i]);
        refuse_flip(IB_MECH_GENERIC, 0x18, half[i]); /* rx ry: z stays */
    }
}

/* A half turn about the free axis is no flip. */
static void test_free_half_turn(void **state) {
    (void)state;
    static const ib_mech_joint_type types[] = {IB_MECH_REVOLUTE, IB_MECH_CYLINDRICAL,
                                               IB_MECH_SPHERICAL};
    for (size_t i = 0; i < IB_COUNT(types); i++) {
        ib_mechanism *m = ib_mechanism_create();
        add_body(m, "part", zero3, zero3, 1, round_inertia);
        ib_mech_joint joint = joint_of("hinge", types[i], 0, IB_MECH_GROUND, zero3, zero3, y_axis);
        turn_frame((const double[4]){0, 0, 1, 0}, joint.frame2);
        ib_mechanism_add_joint(m, &joint);
        const ib_mech_options options = plain();
        rig r = rig_start(m, &options);
        rig_end(&r);
    }
}

/* ---- missing mass ---- */

static void refuse_massless(double mass, ib_mech_joint_type type, ib_mech_solver solver) {
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "ghost", x_axis, zero3, mass, zero3);
    add_joint(m, "hold", type, 0, IB_MECH_GROUND, zero3, z_axis);
    ib_diags *diags = ib_diags_create();
    const ib_mech_options options = mech_options(solver, IB_SECOND / 1000, 1e-6);
    assert_int_equal(ib_mechanism_finish(m, &options, diags), IB_BAD_INPUT);
    assert_true(has_diag(diags, "IB0631", "ghost"));
    ib_diags_destroy(diags);
    ib_mechanism_destroy(m);
}

/* A point mass may turn about its ball joint's arm; a massless body may swing on its hinge. */
static void test_massless_freedom(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_RK4,
                                             IB_MECH_GENERALIZED_ALPHA};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        refuse_massless(1, IB_MECH_SPHERICAL, solvers[i]);
        refuse_massless(0, IB_MECH_REVOLUTE, solvers[i]);
        refuse_massless(0, IB_MECH_SPHERICAL, solvers[i]);
    }
}

/* A point mass on a hinge swings as a pendulum: w' = -g / l at the start. */
static void test_point_mass(void **state) {
    (void)state;
    for (int implicit = 0; implicit < 2; implicit++) {
        ib_mechanism *m = ib_mechanism_create();
        add_body(m, "bob", x_axis, zero3, 2, zero3);
        add_joint(m, "hinge", IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, y_axis);
        ib_mech_options options =
            implicit ? mech_options(IB_MECH_GENERALIZED_ALPHA, IB_SECOND / 1000, 0) : plain();
        options.gravity[2] = -9.81;
        rig r = rig_start(m, &options);
        assert_int_equal(ib_dynamics_refresh(r.dynamics, r.diags), IB_OK);
        ASSERT_NEAR(ib_dynamics_acceleration(r.dynamics, 0)[2], -9.81, 1e-9);
        ASSERT_NEAR(ib_dynamics_acceleration(r.dynamics, 0)[4], 9.81, 1e-9);
        double force[3], torque[3];
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        ASSERT_NEAR3(force, zero3, 1e-8);
        rig_to(&r, 0.3);
        const double *y = rig_body(&r, 0);
        ASSERT_NEAR(0.5 * (y[7] * y[7] + y[9] * y[9]) + 9.81 * y[2], 0, implicit ? 1e-4 : 1e-7);
        ASSERT_NEAR(y[0] * y[0] + y[2] * y[2], 1, 1e-9);
        rig_end(&r);
    }
}

/* Left end of a four-bar after 0.2 s, with a coupler of this mass held by a hinge and a ball. */
static void run_coupler(ib_mech_solver solver, double mass, double end[3]) {
    const double inertia = 0.1 * mass;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "left", (const double[3]){0, 0.5, 0}, zero3, 1, round_inertia);
    add_body(m, "right", (const double[3]){1, 0.5, 0}, zero3, 1, round_inertia);
    add_body(m, "coupler", (const double[3]){0.5, 1, 0}, zero3, mass,
             (const double[3]){inertia, inertia, inertia});
    add_joint(m, "a", IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis);
    add_joint(m, "b", IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, x_axis, z_axis);
    add_joint(m, "c", IB_MECH_REVOLUTE, 2, 0, y_axis, z_axis);
    add_joint(m, "d", IB_MECH_SPHERICAL, 2, 1, (const double[3]){1, 1, 0}, z_axis);
    ib_mech_options options = mech_options(solver, IB_SECOND / 1000, 1e-8);
    options.gravity[0] = 3;
    options.gravity[1] = -9.81;
    rig r = rig_start(m, &options);
    rig_to(&r, 0.2);
    memcpy(end, rig_body(&r, 0), 3 * sizeof *end);
    rig_end(&r);
}

/* A massless coupler between two bodies transmits as a light one does. */
static void test_massless_coupler(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_GENERALIZED_ALPHA};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        double massless[3], light[3];
        run_coupler(solvers[i], 0, massless);
        run_coupler(solvers[i], 1e-9, light);
        assert_true(massless[0] > 0.01);
        ASSERT_NEAR3(massless, light, 1e-7);
    }
}

/* ---- redundancy ---- */

static void test_fourbar_is_redundant(void **state) {
    (void)state;
    for (int n = 1; n <= 6; n += n < 2 ? 1 : 4) {
        ib_mech_options options = plain();
        ib_mechanism *m = mech_fourbar(n, no_turn, &options);
        rig r = rig_start(m, &options);
        assert_int_equal(ib_dynamics_redundant(r.dynamics), 3 * n);
        assert_true(has_diag(r.diags, "IB0641", "joint"));
        rig_end(&r);
    }
}

/* IFToMM A04: 5 rods and 6 hinges, whose count says 0 and which move all the same. */
static void test_bricard_is_redundant(void **state) {
    (void)state;
    ib_mech_options options = plain();
    ib_mechanism *m = mech_bricard(&options);
    rig r = rig_start(m, &options);
    assert_int_equal(ib_dynamics_redundant(r.dynamics), 1);
    rig_end(&r);
}

/* The latest-declared joint of a dependent set is the one named, and no other. */
static void test_redundant_joint_is_named(void **state) {
    (void)state;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "door", x_axis, zero3, 1, round_inertia);
    add_body(m, "bell", (const double[3]){0, 5, 0}, zero3, 1, round_inertia);
    add_joint(m, "upper hinge", IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, (const double[3]){0, 0, 1},
              z_axis);
    add_joint(m, "lower hinge", IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis);
    add_joint(m, "rope", IB_MECH_SPHERICAL, 1, IB_MECH_GROUND, (const double[3]){0, 5, 1}, z_axis);
    const ib_mech_options options = plain();
    rig r = rig_start(m, &options);
    assert_int_equal(ib_dynamics_redundant(r.dynamics), 5);
    assert_true(has_diag(r.diags, "IB0641", "lower hinge: 5"));
    assert_false(has_diag(r.diags, "IB0641", "upper hinge:"));
    assert_false(has_diag(r.diags, "IB0641", "rope"));
    rig_end(&r);
}

/* A flattened four-bar has one constraint more that depends on others there, and there only. */
static void test_singular_start(void **state) {
    (void)state;
    ib_mechanism *m = ib_mechanism_create();
    add_body(m, "crank", (const double[3]){0.5, 0, 0}, zero3, 1, round_inertia);
    add_body(m, "rocker", (const double[3]){1.5, 0, 0}, zero3, 1, round_inertia);
    add_body(m, "coupler", (const double[3]){1.5, 0, 0}, zero3, 1, round_inertia);
    add_joint(m, "a", IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z_axis);
    add_joint(m, "b", IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, x_axis, z_axis);
    add_joint(m, "c", IB_MECH_REVOLUTE, 2, 0, x_axis, z_axis);
    add_joint(m, "d", IB_MECH_REVOLUTE, 2, 1, (const double[3]){2, 0, 0}, z_axis);
    const ib_mech_options options = plain();
    rig r = rig_start(m, &options);
    assert_int_equal(ib_dynamics_redundant(r.dynamics), 3);
    assert_true(has_diag(r.diags, "IB0642", "1 constraint"));
    rig_end(&r);
}

/* A mechanism without redundancy says nothing of it. */
static void test_nothing_redundant(void **state) {
    (void)state;
    ib_mech_options options = plain();
    ib_mechanism *m = mech_chain(4, &options);
    rig r = rig_start(m, &options);
    assert_int_equal(ib_dynamics_redundant(r.dynamics), 0);
    assert_int_equal(ib_diags_count(r.diags), 0);
    rig_end(&r);
}

/* ---- drivers ---- */

/* A slider along x with its displacement and angle as measures; drivers are added to it. */
typedef struct stage {
    ib_mechanism *mechanism;
    ib_graph *graph;
    ib_mech_options options;
} stage;

static stage make_stage(void) {
    stage s = {ib_mechanism_create(), ib_graph_create(), plain()};
    add_body(s.mechanism, "slider", zero3, zero3, 1, round_inertia);
    for (int k = 0; k < 2; k++) {
        ib_mech_measure measure = {.name = k ? "height" : "way", .type = IB_MECH_DISPLACEMENT};
        measure.body2 = measure.frame = IB_MECH_GROUND;
        measure.axis[k] = 1;
        ib_mechanism_add_measure(s.mechanism, &measure);
    }
    add_joint(s.mechanism, "rail", IB_MECH_PRISMATIC, 0, IB_MECH_GROUND, zero3, x_axis);
    s.options.graph = s.graph;
    s.options.n_leaves = 4; /* time, an input, the measures */
    s.options.measure_leaf = 2;
    return s;
}

static void drive(stage *s, const char *name, int measure, ib_node motion) {
    const ib_mech_driver driver = {
        .name = name, .measure = measure, .motion = motion, .initial_leaf = -1};
    ib_mechanism_add_driver(s->mechanism, &driver);
}

static rig finish_stage(stage *s) { return rig_make(s->mechanism, &s->options); }

static void end_stage(stage *s, rig *r) {
    rig_end(r);
    ib_graph_destroy(s->graph);
}

static void test_two_drivers_on_one_freedom(void **state) {
    (void)state;
    stage s = make_stage();
    drive(&s, "first", 0, ib_graph_leaf(s.graph, 0));
    drive(&s, "second", 0, ib_graph_leaf(s.graph, 0));
    rig r = finish_stage(&s);
    assert_refused(&r, "IB0643", "second");
    assert_true(has_diag(r.diags, "IB0643", "first"));
    end_stage(&s, &r);
}

static void test_driver_on_locked_freedom(void **state) {
    (void)state;
    stage s = make_stage();
    drive(&s, "lifter", 1, ib_graph_const(s.graph, 0));
    rig r = finish_stage(&s);
    assert_refused(&r, "IB0643", "lifter");
    end_stage(&s, &r);
}

static void test_driver_starts_elsewhere(void **state) {
    (void)state;
    stage s = make_stage();
    drive(&s, "pusher", 0, ib_graph_const(s.graph, 0.125));
    rig r = finish_stage(&s);
    assert_refused(&r, "IB0636", "pusher");
    assert_true(has_diag(r.diags, "IB0636", "0.125"));
    assert_true(has_diag(r.diags, "IB0636", "way"));
    end_stage(&s, &r);
}

/* Initial velocities are projected onto the driver, and the motion is followed. */
static void test_driver_sets_velocity(void **state) {
    (void)state;
    stage s = make_stage();
    const ib_node t = ib_graph_leaf(s.graph, 0);
    drive(&s, "pusher", 0,
          ib_add(s.graph, ib_mul(s.graph, ib_graph_const(s.graph, 3), t), ib_mul(s.graph, t, t)));
    rig r = finish_stage(&s);
    rig_assemble(&r);
    ASSERT_NEAR(rig_body(&r, 0)[7], 3, 1e-12);
    rig_to(&r, 0.5);
    ASSERT_NEAR(rig_body(&r, 0)[0], 1.75, 1e-10);
    ASSERT_NEAR(rig_body(&r, 0)[7], 4, 1e-9);
    ASSERT_NEAR(ib_dynamics_driver_lambda(r.dynamics, 0), 2, 1e-9); /* m a, towards +x */
    end_stage(&s, &r);
}

/* An input that moves a driver a little is followed; a jump is refused and changes nothing. */
static void test_input_jump(void **state) {
    (void)state;
    stage s = make_stage();
    drive(&s, "pusher", 0, ib_graph_leaf(s.graph, 1));
    rig r = finish_stage(&s);
    rig_assemble(&r);
    double before[13];
    memcpy(before, rig_body(&r, 0), sizeof before);
    ib_dynamics_leaves(r.dynamics)[1] = 0.25;
    assert_int_equal(ib_dynamics_inputs_changed(r.dynamics, r.diags), IB_BAD_INPUT);
    assert_true(has_diag(r.diags, "IB0637", "pusher"));
    assert_memory_equal(before, rig_body(&r, 0), sizeof before);
    ib_dynamics_leaves(r.dynamics)[1] = 5e-4;
    assert_int_equal(ib_dynamics_inputs_changed(r.dynamics, r.diags), IB_OK);
    ASSERT_NEAR(rig_body(&r, 0)[0], 5e-4, 1e-12);
    end_stage(&s, &r);
}

/* A residual without a value is the largest and the worst, whatever comes after it. */
static void test_no_value_is_worst(void **state) {
    (void)state;
    const double rows[] = {-1, (double)NAN, 3};
    assert_true(isnan(ib_largest(rows, 3)));
    assert_int_equal(ib_worst_row(rows, 3), 1);
    assert_int_equal(ib_worst_row(rows, 1), 0);
    assert_int_equal(ib_worst_row(rows, 0), -1);
    const double finite[] = {2, -3, 3};
    assert_true(ib_largest(finite, 3) == 3);
    assert_int_equal(ib_worst_row(finite, 3), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_consistent_state_stays),
        cmocka_unit_test(test_gap_is_shared_by_mass),
        cmocka_unit_test(test_gap_is_shared_with_rotation),
        cmocka_unit_test(test_gap_beyond_tolerance),
        cmocka_unit_test(test_wider_tolerance_allows_it),
        cmocka_unit_test(test_cannot_be_assembled),
        cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_flipped),
        cmocka_unit_test(test_free_half_turn),
        cmocka_unit_test(test_massless_freedom),
        cmocka_unit_test(test_point_mass),
        cmocka_unit_test(test_massless_coupler),
        cmocka_unit_test(test_fourbar_is_redundant),
        cmocka_unit_test(test_bricard_is_redundant),
        cmocka_unit_test(test_redundant_joint_is_named),
        cmocka_unit_test(test_singular_start),
        cmocka_unit_test(test_nothing_redundant),
        cmocka_unit_test(test_two_drivers_on_one_freedom),
        cmocka_unit_test(test_driver_on_locked_freedom),
        cmocka_unit_test(test_driver_starts_elsewhere),
        cmocka_unit_test(test_driver_sets_velocity),
        cmocka_unit_test(test_input_jump),
        cmocka_unit_test(test_no_value_is_worst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
