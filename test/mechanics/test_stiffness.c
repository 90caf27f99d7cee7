/* Going over from an explicit method to the stiff one: where stability limits the step it happens
 * soon and the result is right; where accuracy does, or nothing, it does not, and no bit changes.
 */
#include "mechanics/busy.h"

enum { LEAF_X = 1, LEAF_V = 2, N_LEAVES = 3 };

/* A body of 1 kg that slides along x: -k x - c v - friction tanh(v / 1e-4) + load. */
typedef struct slider {
    double k, c, friction, load, x, v;
} slider;

typedef struct slide {
    ib_graph *graph;
    rig rig;
} slide;

static ib_node times(ib_graph *g, double factor, ib_node node) {
    return ib_mul(g, ib_graph_const(g, factor), node);
}

static slide start(const slider *given, ib_mech_solver solver, bool fallback, double rtol) {
    const double inertia[3] = {1, 1, 1}, r[3] = {given->x, 0, 0}, u[3] = {given->v, 0, 0};
    slide s = {.graph = ib_graph_create()};
    ib_graph *g = s.graph;
    ib_mechanism *m = ib_mechanism_create();
    ib_mech_options options = mech_options(solver, 0, rtol);
    options.fallback = fallback;
    options.graph = g;
    options.n_leaves = N_LEAVES;
    options.measure_leaf = LEAF_X;
    mech_body(m, r, no_turn, u, zero3, 1, inertia);
    busy_measure(m, IB_MECH_DISPLACEMENT, 0, IB_MECH_GROUND, r, zero3);
    busy_measure(m, IB_MECH_VELOCITY, 0, IB_MECH_GROUND, r, zero3);
    mech_joint_at(m, IB_MECH_PRISMATIC, 0, IB_MECH_GROUND, r, (const double[3]){1, 0, 0});
    const ib_node x = ib_graph_leaf(g, LEAF_X), v = ib_graph_leaf(g, LEAF_V);
    const ib_node slip = ib_graph_op(g, IB_OP_TANH, times(g, 1e4, v), IB_NO_NODE, IB_NO_NODE);
    ib_node law = ib_add(g, times(g, -given->k, x), times(g, -given->c, v));
    law = ib_add(g, law, times(g, -given->friction, slip));
    ib_mech_force pull = {.name = "pull", .type = IB_MECH_AXIS_FORCE, .body1 = 0};
    pull.law = ib_add(g, law, ib_graph_const(g, given->load));
    pull.body2 = pull.frame = IB_MECH_GROUND;
    pull.axis[0] = 1;
    memcpy(pull.point1, r, sizeof r);
    memcpy(pull.point2, r, sizeof r);
    ib_mechanism_add_force(m, &pull);
    s.rig = rig_start(m, &options);
    return s;
}

static void end(slide *s) {
    rig_end(&s->rig);
    ib_graph_destroy(s->graph);
}

static ib_mech_statistics statistics_of(const slide *s) {
    return ib_dynamics_statistics(s->rig.dynamics);
}

/* Overdamped by a strong damper: roots near -10 and -1e5 /s. */
static const slider damped = {.k = 1e6, .c = 1e5, .x = 0.01};

static void test_goes_over(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_DOP853};
    const double root = sqrt(damped.c * damped.c / 4 - damped.k);
    const double a = -damped.c / 2 + root, b = -damped.c / 2 - root;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        slide s = start(&damped, solvers[i], true, 1e-6);
        for (int j = 1; j <= 10; j++) {
            const double t = 0.1 * j;
            rig_to(&s.rig, t);
            const double exact = damped.x * (a * exp(b * t) - b * exp(a * t)) / (a - b);
            ASSERT_NEAR(rig_body(&s.rig, 0)[0], exact, 1e-6);
        }
        const ib_mech_statistics n = statistics_of(&s);
        assert_true(n.went_over_at > 0 && n.went_over_at < to_time(0.02));
        assert_true(n.steps < 600);
        end(&s);
    }
}

/* A block that sticks creeps so slowly that friction is a damper of 1e4 N s/m. */
static void test_stick_goes_over(void **state) {
    (void)state;
    const slider block = {.friction = 4, .v = 2};
    slide s = start(&block, IB_MECH_DOPRI5, true, 1e-6);
    rig_to(&s.rig, 10);
    ASSERT_NEAR(rig_body(&s.rig, 0)[0], 0.5, 2e-5);
    const ib_mech_statistics n = statistics_of(&s);
    assert_true(n.went_over_at >= to_time(0.49) && n.went_over_at < to_time(1));
    assert_true(n.steps < 2000);
    end(&s);
}

/* A stiff spring with a tenth of critical damping that is nearly at rest: nothing swings to speak
 * of, but explicit steps are short. */
static void test_resting_spring_goes_over(void **state) {
    (void)state;
    const slider hung = {.k = 1e8, .c = 2e3, .load = 1e3, .x = 1.01e-5};
    slide s = start(&hung, IB_MECH_DOPRI5, true, 1e-6);
    rig_to(&s.rig, 1);
    ASSERT_NEAR(rig_body(&s.rig, 0)[0], 1e-5, 1e-6);
    assert_true(statistics_of(&s).went_over_at > 0);
    if (getenv("IB_SHOW"))
        printf("over at %g s, %d steps\n", ib_time_seconds(statistics_of(&s).went_over_at),
               (int)statistics_of(&s).steps);
    assert_true(statistics_of(&s).steps < 3000);
    end(&s);
}

/* Where the fast swing is the motion, accuracy limits the step, and the explicit method goes on. */
static void test_swinging_spring_stays(void **state) {
    (void)state;
    const slider swung = {.k = 1e6, .x = 1};
    for (int i = 0; i < 2; i++) {
        slide s = start(&swung, i ? IB_MECH_DOP853 : IB_MECH_DOPRI5, true, 1e-6);
        rig_to(&s.rig, 0.5);
        assert_true(statistics_of(&s).went_over_at < 0);
        end(&s);
    }
}

/* Until it goes over a run has the bits of the explicit method alone; a model that is not stiff to
 * its end. */
static void test_same_bits_before(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_DOP853};
    const slider mild = {.k = 40, .c = 0.5, .x = 1, .load = 3};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        slide one = start(&mild, solvers[i], false, 1e-7),
              two = start(&mild, solvers[i], true, 1e-7);
        rig_to(&one.rig, 20);
        rig_to(&two.rig, 20);
        assert_true(statistics_of(&two).went_over_at < 0);
        assert_memory_equal(rig_body(&one.rig, 0), rig_body(&two.rig, 0),
                            IB_STATE * sizeof(double));
        end(&one);
        end(&two);
    }
}

/* By name an explicit method goes on to the end; its statistics tell what limited it. */
static void test_limited_steps(void **state) {
    (void)state;
    const slider mild = {.k = 40, .c = 0.5, .x = 1};
    for (int i = 0; i < 4; i++) {
        slide s =
            start(i < 2 ? &damped : &mild, i % 2 ? IB_MECH_DOP853 : IB_MECH_DOPRI5, false, 1e-5);
        rig_to(&s.rig, i < 2 ? 0.2 : 5);
        const ib_mech_statistics n = statistics_of(&s);
        assert_true(n.went_over_at < 0);
        if (getenv("IB_SHOW"))
            printf("%d of %d steps limited\n", (int)n.limited_steps, (int)n.steps);
        assert_true(i < 2 ? 2 * n.limited_steps > n.steps : n.limited_steps == 0);
        end(&s);
    }
}

/* A snapshot taken before the change, and one after it, continue with the same bits. */
static void test_snapshots(void **state) {
    (void)state;
    slide s = start(&damped, IB_MECH_DOPRI5, true, 1e-6);
    rig_to(&s.rig, 0.3);
    const ib_mech_statistics n = statistics_of(&s);
    double wanted[IB_STATE];
    memcpy(wanted, rig_body(&s.rig, 0), sizeof wanted);
    end(&s);
    const double before = ib_time_seconds(n.went_over_at) / 2;
    for (int i = 0; i < 2; i++) {
        slide from = start(&damped, IB_MECH_DOPRI5, true, 1e-6);
        slide to = start(&damped, IB_MECH_DOPRI5, true, 1e-6);
        const size_t size = ib_dynamics_state_size(from.rig.dynamics);
        void *snapshot = malloc(size);
        assert_non_null(snapshot);
        rig_to(&from.rig, i ? 0.2 : before);
        assert_int_equal(statistics_of(&from).went_over_at >= 0, i);
        ib_dynamics_save(from.rig.dynamics, snapshot);
        assert_int_equal(ib_dynamics_restore(to.rig.dynamics, snapshot, size), IB_OK);
        rig_to(&from.rig, 0.3);
        rig_to(&to.rig, 0.3);
        assert_memory_equal(rig_body(&from.rig, 0), rig_body(&to.rig, 0), sizeof wanted);
        ASSERT_NEAR(rig_body(&to.rig, 0)[0], wanted[0], 1e-8);
        free(snapshot);
        end(&from);
        end(&to);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_over),
        cmocka_unit_test(test_stick_goes_over),
        cmocka_unit_test(test_resting_spring_goes_over),
        cmocka_unit_test(test_swinging_spring_stays),
        cmocka_unit_test(test_same_bits_before),
        cmocka_unit_test(test_limited_steps),
        cmocka_unit_test(test_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
