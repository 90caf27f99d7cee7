/* Error control of the implicit methods: the error follows the tolerance, the order survives steps
 * of changing length, outputs and jumps of inputs are met exactly, and what cannot go on is named.
 */
#include "mechanics/busy.h"

/* A pendulum on an oblique hinge, with a damped spring from its tip to the ground. */
static ib_mechanism *build_pendulum(ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double inertia[3] = {0.05, 0.02, 0.06}, arm[3] = {0.4, 0.1, 0}, axis[3] = {0.6, 0, 0.8};
    double w[3], v[3];
    for (int k = 0; k < 3; k++)
        w[k] = 1.5 * axis[k];
    ib_cross(w, arm, v);
    mech_body(m, arm, no_turn, v, w, 2, inertia);
    mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, axis);
    ib_mech_force spring = {.name = "spring", .type = IB_MECH_LINE, .body1 = 0};
    spring.body2 = spring.frame = IB_MECH_GROUND;
    spring.law = IB_NO_NODE;
    spring.point1[0] = 0.8;
    spring.point2[1] = 1;
    spring.stiffness = 40;
    spring.damping = 2;
    spring.free_length = 1;
    ib_mechanism_add_force(m, &spring);
    options->gravity[2] = -9.81;
    return m;
}

static ib_mech_options options_of(ib_mech_solver solver, double rtol, bool hht) {
    ib_mech_options options = mech_options(solver, 0, rtol);
    if (hht) {
        options.alpha_m = 0;
        options.alpha_f = 0.3;
    }
    return options;
}

typedef struct ending {
    double y[IB_STATE];
    ib_mech_statistics statistics;
} ending;

static ending end_of(const rig *r) {
    ending out;
    memcpy(out.y, rig_body(r, 0), sizeof out.y);
    out.statistics = ib_dynamics_statistics(r->dynamics);
    return out;
}

/* Largest error by position and velocity. */
static double error_of(const ending *a, const ending *b) {
    double worst = 0;
    for (int k = 0; k < IB_STATE; k++)
        worst = fmax(worst, fabs(a->y[k] - b->y[k]));
    return worst;
}

static ending run_pendulum(const ib_mech_options *given, double end) {
    ib_mech_options options = *given;
    rig r = rig_start(build_pendulum(&options), &options);
    rig_to(&r, end);
    const ending out = end_of(&r);
    rig_end(&r);
    return out;
}

/* From one tolerance to the next, a tenth: so is the error, within a factor of 2, and the steps
 * show the order. */
static void follows_tolerance(ib_mech_solver solver, bool hht) {
    const ib_mech_options tight = mech_options(IB_MECH_DOP853, 0, 1e-13);
    const ending exact = run_pendulum(&tight, 3);
    double error[3];
    uint64_t steps[3];
    for (int i = 0; i < 3; i++) {
        const ib_mech_options options = options_of(solver,
                                                   i == 0   ? 1e-3
                                                   : i == 1 ? 1e-4
                                                            : 1e-5,
                                                   hht);
        const ending out = run_pendulum(&options, 3);
        error[i] = error_of(&out, &exact);
        steps[i] = out.statistics.steps;
        if (getenv("IB_SHOW"))
            printf("rtol 1e-%d: error %.3g in %d steps\n", 3 + i, error[i], (int)steps[i]);
        assert_true(error[i] < 30 * options.rtol);
    }
    for (int i = 0; i < 2; i++) {
        const double ratio = error[i] / error[i + 1];
        const double order = log(ratio) / log((double)steps[i + 1] / (double)steps[i]);
        assert_true(ratio > 5 && ratio < 20);
        assert_true(order > 1.8 && order < 2.3);
    }
}

static void test_error_follows_tolerance(void **state) {
    (void)state;
    follows_tolerance(IB_MECH_GENERALIZED_ALPHA, false);
    follows_tolerance(IB_MECH_GENERALIZED_ALPHA, true);
}

/* Targets 1, 3, 1, 2 units apart, with a tolerance that never bites: one step to each. Half the
 * unit, a quarter of the error. */
static double error_of_uneven_steps(double unit, bool hht, const ending *exact) {
    static const int parts[4] = {1, 3, 1, 2};
    ib_mech_options options = options_of(IB_MECH_GENERALIZED_ALPHA, 1, hht);
    rig r = rig_start(build_pendulum(&options), &options);
    const int n = (int)(4 * 1.4 / (7 * unit) + 0.5);
    double t = 0;
    for (int i = 0; i < n; i++) {
        t += unit * parts[i % 4];
        rig_to(&r, t);
    }
    const ending out = end_of(&r);
    assert_true(out.statistics.steps < (uint64_t)(n + 40));
    rig_end(&r);
    return error_of(&out, exact);
}

static void test_order_of_uneven_steps(void **state) {
    (void)state;
    const ib_mech_options tight = mech_options(IB_MECH_DOP853, 0, 1e-13);
    const ending exact = run_pendulum(&tight, 1.4);
    for (int hht = 0; hht < 2; hht++) {
        double error[3];
        for (int i = 0; i < 3; i++)
            error[i] = error_of_uneven_steps(0.004 / (1 << i), hht, &exact);
        if (getenv("IB_SHOW"))
            printf("uneven steps: %.3g %.3g %.3g\n", error[0], error[1], error[2]);
        assert_true(error[0] / error[1] > 3.6 && error[0] / error[1] < 4.4);
        assert_true(error[1] / error[2] > 3.6 && error[1] / error[2] < 4.4);
    }
}

/* An input that jumps between steps: the run goes on from consistent accelerations. */
static double error_after_jumps(ib_mech_solver solver, double rtol, const double *exact,
                                double *end) {
    busy b = busy_start_with(solver, 0, rtol);
    double worst = 0;
    static const double values[3] = {40, -25, 3};
    for (int i = 0; i < 3; i++) {
        rig_to(&b.rig, 0.1 * i + 0.0637);
        ib_dynamics_leaves(b.rig.dynamics)[BUSY_INPUT] = values[i];
        assert_int_equal(ib_dynamics_inputs_changed(b.rig.dynamics, b.rig.diags), IB_OK);
    }
    rig_to(&b.rig, 0.4);
    for (int i = 0; i < IB_STATE * BUSY_BODIES; i++) {
        end[i] = rig_body(&b.rig, 0)[i];
        worst = exact ? fmax(worst, fabs(end[i] - exact[i]) / (1 + fabs(exact[i]))) : 0;
    }
    busy_end(&b);
    return worst;
}

static void test_input_jumps(void **state) {
    (void)state;
    double exact[IB_STATE * BUSY_BODIES], end[IB_STATE * BUSY_BODIES];
    error_after_jumps(IB_MECH_DOP853, 1e-11, NULL, exact);
    double error[2];
    for (int i = 0; i < 2; i++)
        error[i] = error_after_jumps(IB_MECH_GENERALIZED_ALPHA, i ? 1e-5 : 1e-4, exact, end);
    if (getenv("IB_SHOW"))
        printf("after jumps: %.3g %.3g\n", error[0], error[1]);
    assert_true(error[0] < 5e-3 && error[0] / error[1] > 5 && error[0] / error[1] < 20);
}

/* Positions and velocities stay on the constraints through places where these lose rank. */
static void test_constraints_hold(void **state) {
    (void)state;
    double turn[4] = {0.8, 0.3, -0.5, 0.2};
    ib_quat_normalize(turn);
    ib_mech_options options = mech_options(IB_MECH_GENERALIZED_ALPHA, 0, 1e-4);
    rig r = rig_start(mech_fourbar(2, turn, &options), &options);
    for (int i = 1; i <= 40; i++) {
        double position, velocity;
        rig_to(&r, 0.1 * i);
        ib_dynamics_residual(r.dynamics, &position, &velocity);
        assert_true(position <= 1e-9 && velocity <= 1e-9);
    }
    rig_end(&r);
}

/* A pendulum whose tip is drawn away from a post further than it reaches: at 1.5 m + 0.5 m. */
static void test_stall_is_named(void **state) {
    (void)state;
    ib_graph *graph = ib_graph_create();
    ib_mech_options options = mech_options(IB_MECH_GENERALIZED_ALPHA, 0, 1e-4);
    ib_mechanism *m = ib_mechanism_create();
    const double inertia[3] = {0.1, 0.1, 0.1}, tip[3] = {0, 1, 0}, post[3] = {-1.5, 0, 0};
    mech_body(m, (const double[3]){0, 0.5, 0}, no_turn, zero3, zero3, 1, inertia);
    mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, (const double[3]){0, 0, 1});
    const int distance = busy_measure(m, IB_MECH_DISTANCE, 0, IB_MECH_GROUND, tip, post);
    const ib_node t = ib_graph_leaf(graph, 0);
    const ib_node motion = ib_add(graph, ib_graph_const(graph, sqrt(3.25)), ib_mul(graph, t, t));
    const ib_mech_driver driver = {
        .name = "winch", .measure = distance, .motion = motion, .initial_leaf = -1};
    ib_mechanism_add_driver(m, &driver);
    options.graph = graph;
    options.n_leaves = 3;
    options.measure_leaf = 2;
    rig r = rig_start(m, &options);
    const double reach = sqrt(2.5 - sqrt(3.25));
    assert_int_equal(ib_dynamics_advance(r.dynamics, to_time(2), NULL, NULL, r.diags),
                     IB_SIMULATION_FAILED);
    ASSERT_NEAR(ib_time_seconds(ib_dynamics_time(r.dynamics)), reach, 1e-5);
    assert_true(has_diag(r.diags, "IB0704", "link: "));
    rig_end(&r);
    ib_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_follows_tolerance),
        cmocka_unit_test(test_order_of_uneven_steps),
        cmocka_unit_test(test_input_jumps),
        cmocka_unit_test(test_constraints_hold),
        cmocka_unit_test(test_stall_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
