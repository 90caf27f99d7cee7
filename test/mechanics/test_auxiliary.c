/* Auxiliary states: closed forms by every solver, their order, what a rate without a value says. */
#include "mechanics/mechanics_test.h"

enum { INPUT_LEAF = 1, MEASURE_LEAF = 2, STATE_LEAF = 4, N_LEAVES = 7 };

static const double inertia[3] = {0.1, 0.2, 0.25};

typedef struct bench {
    ib_mechanism *mechanism;
    ib_graph *graph;
    ib_mech_options options;
} bench;

/* A free body of 1 kg at (1, 0, 0), its x and x' measured. */
static bench make_bench(ib_mech_solver solver, ib_time step, double rtol) {
    bench b = {ib_mechanism_create(), ib_graph_create(), mech_options(solver, step, rtol)};
    mech_body(b.mechanism, (const double[3]){1, 0, 0}, no_turn, zero3, zero3, 1, inertia);
    for (int i = 0; i < 2; i++) {
        const ib_mech_measure measure = {.name = "x",
                                         .type = i ? IB_MECH_VELOCITY : IB_MECH_DISPLACEMENT,
                                         .body2 = IB_MECH_GROUND,
                                         .frame = IB_MECH_GROUND,
                                         .point1 = {1, 0, 0},
                                         .axis = {1, 0, 0}};
        ib_mechanism_add_measure(b.mechanism, &measure);
    }
    b.options.graph = b.graph;
    b.options.n_leaves = N_LEAVES;
    b.options.measure_leaf = MEASURE_LEAF;
    b.options.auxiliary_leaf = STATE_LEAF;
    return b;
}

static void end_bench(bench *b, rig *r) {
    rig_end(r);
    ib_graph_destroy(b->graph);
}

static ib_node leaf(const bench *b, uint32_t index) { return ib_graph_leaf(b->graph, index); }

static ib_node times(const bench *b, double factor, ib_node node) {
    return ib_mul(b->graph, ib_graph_const(b->graph, factor), node);
}

static void add_state(const bench *b, ib_node rate, double start) {
    const ib_mech_auxiliary state = {.name = "lag", .rate = rate, .start = start};
    ib_mechanism_add_auxiliary(b->mechanism, &state);
}

typedef struct method {
    const char *name;
    ib_mech_solver solver;
    double step, hht_alpha;
    int order;
    double tolerance;
} method;

static const method methods[] = {
    {"dopri5", IB_MECH_DOPRI5, 0, 0, 0, 2e-8},
    {"dop853", IB_MECH_DOP853, 0, 0, 0, 2e-8},
    {"dopri5 fixed", IB_MECH_DOPRI5, 0.02, 0, 5, 1e-8},
    {"rk4", IB_MECH_RK4, 0.01, 0, 4, 1e-7},
    {"generalized_alpha", IB_MECH_GENERALIZED_ALPHA, 0.002, 0, 2, 1e-4},
    {"hht", IB_MECH_GENERALIZED_ALPHA, 0.002, -0.3, 2, 1e-4},
    {"stiff", IB_MECH_STIFF, 0, 0, 0, 2e-8},
    {"stiff fixed", IB_MECH_STIFF, 0.05, 0, 5, 1e-7},
};

static bench bench_for(const method *how, double step) {
    bench b = make_bench(how->solver, to_time(step), 1e-9);
    if (how->hht_alpha < 0) {
        b.options.alpha_m = 0;
        b.options.alpha_f = -how->hht_alpha;
    }
    return b;
}

/* ---- closed forms ---- */

/* s' = (u - s) / tau, a second one that follows the first: s2' = (s - s2) / tau. */
static void test_lag(void **state) {
    (void)state;
    const double tau = 0.25, u = 3, end = 1;
    for (size_t i = 0; i < IB_COUNT(methods); i++) {
        bench b = bench_for(&methods[i], methods[i].step);
        add_state(
            &b, times(&b, 1 / tau, ib_sub(b.graph, leaf(&b, INPUT_LEAF), leaf(&b, STATE_LEAF))), 1);
        add_state(
            &b, times(&b, 1 / tau, ib_sub(b.graph, leaf(&b, STATE_LEAF), leaf(&b, STATE_LEAF + 1))),
            0);
        rig r = rig_make(b.mechanism, &b.options);
        ib_dynamics_leaves(r.dynamics)[INPUT_LEAF] = u;
        rig_assemble(&r);
        rig_to(&r, end);
        const double decay = exp(-end / tau);
        ASSERT_NEAR(ib_dynamics_auxiliary(r.dynamics, 0), u + (1 - u) * decay,
                    methods[i].tolerance);
        ASSERT_NEAR(ib_dynamics_auxiliary(r.dynamics, 1),
                    u * (1 - decay) + (1 - u) * end / tau * decay, methods[i].tolerance);
        end_bench(&b, &r);
    }
}

/* Error at t = 1 of a mass driven by a state that follows its place and speed: x'' = s,
 * s' = 5 (c0 x + c1 x' - s) has the poles -4 and -1/2 +- 3i. */
static double coupled_error(const method *how, double step) {
    bench b = bench_for(how, step);
    const ib_node x = leaf(&b, MEASURE_LEAF), v = leaf(&b, MEASURE_LEAF + 1);
    const ib_node wanted = ib_add(b.graph, times(&b, -7.4, x), times(&b, -2.65, v));
    add_state(&b, times(&b, 5, ib_sub(b.graph, wanted, leaf(&b, STATE_LEAF))), 0.5);
    const ib_mech_force force = {.name = "force",
                                 .type = IB_MECH_AXIS_FORCE,
                                 .body2 = IB_MECH_GROUND,
                                 .frame = IB_MECH_GROUND,
                                 .point1 = {1, 0, 0},
                                 .axis = {1, 0, 0},
                                 .law = leaf(&b, STATE_LEAF)};
    ib_mechanism_add_force(b.mechanism, &force);
    rig r = rig_start(b.mechanism, &b.options);
    rig_to(&r, 1);
    /* x = A exp(-4 t) + exp(-t/2) (B cos 3t + C sin 3t) with x = 1, x' = 0, x'' = 1/2 at 0 */
    const double A = (0.5 + 9.25) / (16 - 4 + 9.25), B = 1 - A, C = (4 * A + 0.5 * B) / 3;
    const double fast = A * exp(-4), slow = exp(-0.5), cosine = cos(3), sine = sin(3);
    const double place = fast + slow * (B * cosine + C * sine);
    const double speed = -4 * fast + slow * ((3 * C - 0.5 * B) * cosine - (3 * B + 0.5 * C) * sine);
    const double s = 16 * fast + slow * ((0.25 * B - 3 * C - 9 * B) * cosine +
                                         (0.25 * C + 3 * B - 9 * C) * sine);
    const double *y = rig_body(&r, 0);
    double error = fmax(fabs(y[0] - place), fabs(y[7] - speed));
    error = fmax(error, fabs(ib_dynamics_auxiliary(r.dynamics, 0) - s));
    ASSERT_NEAR(ib_dynamics_force(r.dynamics, 0), ib_dynamics_auxiliary(r.dynamics, 0), 0);
    end_bench(&b, &r);
    return error;
}

static void test_coupled(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(methods); i++) {
        const method *how = &methods[i];
        const double error = coupled_error(how, how->step);
        if (!(error <= 20 * how->tolerance))
            fail_msg("%s: off by %.3g", how->name, error);
        if (how->order == 0)
            continue;
        const double order =
            log2(coupled_error(how, 4 * how->step) / coupled_error(how, 2 * how->step));
        if (getenv("IB_SHOW"))
            printf("%s: %.3g, order %.3f\n", how->name, error, order);
        if (!(order > how->order - 0.2 && order < how->order + 0.5))
            fail_msg("%s: order %.3f is not %d", how->name, order, how->order);
    }
}

/* ---- stiff, and without a value ---- */

/* A lag of a thousandth of the step: generalised-alpha damps it by rho at each, without ringing on
 * for ever, and at rho = 0 at once. */
static void test_stiff(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        bench b = make_bench(IB_MECH_GENERALIZED_ALPHA, IB_SECOND / 1000, 0);
        b.options.alpha_m = i ? -1 : b.options.alpha_m;
        b.options.alpha_f = i ? 0 : b.options.alpha_f;
        add_state(&b,
                  times(&b, 1e6, ib_sub(b.graph, ib_graph_const(b.graph, 2), leaf(&b, STATE_LEAF))),
                  0);
        rig r = rig_start(b.mechanism, &b.options);
        rig_to(&r, i ? 0.003 : 0.2);
        ASSERT_NEAR(ib_dynamics_auxiliary(r.dynamics, 0), 2, i ? 1e-3 : 1e-4);
        end_bench(&b, &r);
    }
}

/* A rate that leaves its domain names the state, the time and the operation. */
static void test_no_value(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(methods); i++) {
        bench b = bench_for(&methods[i], methods[i].step);
        const ib_node left = ib_sub(b.graph, ib_graph_const(b.graph, 0.5), leaf(&b, 0));
        add_state(&b, ib_graph_op(b.graph, IB_OP_SQRT, left, IB_NO_NODE, IB_NO_NODE), 1);
        rig r = rig_start(b.mechanism, &b.options);
        assert_int_equal(ib_dynamics_advance(r.dynamics, IB_SECOND, NULL, NULL, r.diags),
                         IB_SIMULATION_FAILED);
        assert_true(has_diag(r.diags, "IB0701", "lag: the expression has no value"));
        assert_true(has_diag(r.diags, "IB0701", "sqrt of -"));
        end_bench(&b, &r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lag),
        cmocka_unit_test(test_coupled),
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
