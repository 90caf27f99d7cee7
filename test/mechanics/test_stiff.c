/* The stiff method against closed forms and properties: fast modes that no explicit step could
 * follow, steep regularised friction and contact, jumps, loops at rank loss, and what it says when
 * it cannot go on.
 */
#include "mechanics/busy.h"

enum { LEAF_X = 1, LEAF_V = 2, N_LEAVES = 3 };

/* A body that slides along x on the ground, pulled along +x by a law of time, its place x and its
 * velocity v. */
typedef struct slide {
    ib_graph *graph;
    ib_mechanism *mechanism;
    ib_mech_options options;
    ib_node t, x, v;
    rig rig;
} slide;

static slide slide_start(double rtol) {
    slide s = {.graph = ib_graph_create(), .mechanism = ib_mechanism_create()};
    s.options = mech_options(IB_MECH_STIFF, 0, rtol);
    s.options.graph = s.graph;
    s.options.n_leaves = N_LEAVES;
    s.options.measure_leaf = LEAF_X;
    s.t = ib_graph_leaf(s.graph, 0);
    s.x = ib_graph_leaf(s.graph, LEAF_X);
    s.v = ib_graph_leaf(s.graph, LEAF_V);
    return s;
}

static void slide_make(slide *s, double mass, double x, double v, ib_node law) {
    const double inertia[3] = {1, 1, 1}, axis[3] = {1, 0, 0}, r[3] = {x, 0, 0}, u[3] = {v, 0, 0};
    ib_mechanism *m = s->mechanism;
    mech_body(m, r, no_turn, u, zero3, mass, inertia);
    busy_measure(m, IB_MECH_DISPLACEMENT, 0, IB_MECH_GROUND, r, zero3);
    busy_measure(m, IB_MECH_VELOCITY, 0, IB_MECH_GROUND, r, zero3);
    mech_joint_at(m, IB_MECH_PRISMATIC, 0, IB_MECH_GROUND, r, axis);
    ib_mech_force pull = {.name = "pull", .type = IB_MECH_AXIS_FORCE, .body1 = 0, .law = law};
    pull.body2 = pull.frame = IB_MECH_GROUND;
    pull.axis[0] = 1;
    memcpy(pull.point1, r, sizeof r);
    memcpy(pull.point2, r, sizeof r);
    ib_mechanism_add_force(m, &pull);
    s->rig = rig_start(m, &s->options);
}

static void slide_end(slide *s) {
    rig_end(&s->rig);
    ib_graph_destroy(s->graph);
}

static ib_node number(const slide *s, double value) { return ib_graph_const(s->graph, value); }

static uint64_t steps_of(const slide *s) { return ib_dynamics_statistics(s->rig.dynamics).steps; }

/* ---- linear ---- */

/* m x'' + c x' + k x = 0 with k = 1e8 N/m, overdamped: roots -1010 and -98990 /s, in steps that no
 * explicit method could take. */
static void test_stiff_spring(void **state) {
    (void)state;
    const double mass = 1, k = 1e8, c = 1e5, x0 = 1e-2;
    const double root = sqrt(c * c / 4 - k), a = -c / 2 + root, b = -c / 2 - root;
    double error[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        slide s = slide_start(i ? 1e-9 : 1e-7);
        slide_make(&s, mass, x0, 0,
                   ib_sub(s.graph, ib_mul(s.graph, number(&s, -k), s.x),
                          ib_mul(s.graph, number(&s, c), s.v)));
        for (int j = 1; j <= 8; j++) {
            const double t = j < 8 ? j * 5e-4 : 10;
            rig_to(&s.rig, t);
            const double exact = x0 * (a * exp(b * t) - b * exp(a * t)) / (a - b);
            const double rate = x0 * a * b * (exp(b * t) - exp(a * t)) / (a - b);
            error[i] = fmax(error[i], fabs(rig_body(&s.rig, 0)[0] - exact));
            error[i] = fmax(error[i], fabs(rig_body(&s.rig, 0)[7] - rate) / 1000);
        }
        if (getenv("IB_SHOW"))
            printf("spring: %.3g in %d steps\n", error[i], (int)steps_of(&s));
        assert_true(error[i] < 10 * s.options.rtol);
        assert_true(steps_of(&s) < (i ? 250 : 150));
        slide_end(&s);
    }
}

/* The same spring carries a load that swings at 1 Hz: once the start has died away the fast modes
 * follow the slow force, x = F / k to within its inertia and damping. */
static void test_slow_load_on_stiff_spring(void **state) {
    (void)state;
    const double k = 1e8, c = 1e4, w = 2 * PI;
    slide s = slide_start(1e-8);
    ib_graph *g = s.graph;
    const ib_node load =
        ib_graph_op(g, IB_OP_SIN, ib_mul(g, number(&s, w), s.t), IB_NO_NODE, IB_NO_NODE);
    slide_make(&s, 1, 0, 0,
               ib_sub(g, ib_sub(g, ib_mul(g, number(&s, 1e6), load), ib_mul(g, number(&s, k), s.x)),
                      ib_mul(g, number(&s, c), s.v)));
    /* amplitude and phase of the forced motion of m x'' + c x' + k x = F sin w t */
    const double re = k - w * w, im = c * w, size = re * re + im * im;
    for (int j = 1; j <= 20; j++) {
        const double t = 0.5 + 0.13 * j;
        rig_to(&s.rig, t);
        const double exact = 1e6 * (re * sin(w * t) - im * cos(w * t)) / size;
        ASSERT_NEAR(rig_body(&s.rig, 0)[0], exact, 1e-8);
    }
    assert_true(steps_of(&s) < 400);
    slide_end(&s);
}

/* ---- friction ---- */

/* A block of 1 kg on an incline with regularised Coulomb friction, -mu N tanh(v / 1e-4): as long as
 * the slope's pull is less than mu N it creeps at 1e-4 atanh(pull / mu N), then slides. */
static ib_node friction(const slide *s, double size, double threshold) {
    ib_graph *g = s->graph;
    return ib_mul(g, number(s, -size),
                  ib_graph_op(g, IB_OP_TANH, ib_mul(g, number(s, 1 / threshold), s->v), IB_NO_NODE,
                              IB_NO_NODE));
}

static void test_stick(void **state) {
    (void)state;
    const double pull = 3, most = 4, threshold = 1e-4;
    slide s = slide_start(1e-6);
    slide_make(&s, 1, 0, 0, ib_add(s.graph, number(&s, pull), friction(&s, most, threshold)));
    rig_to(&s.rig, 5);
    ASSERT_NEAR(rig_body(&s.rig, 0)[7], threshold * atanh(pull / most), 1e-9);
    ASSERT_NEAR(rig_body(&s.rig, 0)[0], 5 * threshold * atanh(pull / most), 1e-6);
    assert_true(steps_of(&s) < 120);
    slide_end(&s);
}

/* Slides at 2 m/s against friction until it sticks, at t = v / (mu g), and stays. */
static void test_slip_to_stick(void **state) {
    (void)state;
    slide s = slide_start(1e-6);
    slide_make(&s, 1, 0, 2, friction(&s, 4, 1e-4));
    rig_to(&s.rig, 0.4);
    ASSERT_NEAR(rig_body(&s.rig, 0)[7], 2 - 4 * 0.4, 1e-5);
    rig_to(&s.rig, 3);
    ASSERT_NEAR(rig_body(&s.rig, 0)[7], 0, 1e-6);
    ASSERT_NEAR(rig_body(&s.rig, 0)[0], 2.0 * 2 / (2 * 4), 1e-5);
    assert_true(steps_of(&s) < 250);
    slide_end(&s);
}

/* Pulled by a spring whose end runs ahead at constant speed: sticks and slips again and again. */
static void test_stick_slip(void **state) {
    (void)state;
    slide s = slide_start(1e-6);
    ib_graph *g = s.graph;
    const double k = 100, speed = 0.1, kinetic = 2, rise = 1;
    /* friction falls from 3 N to 2 N within 0.01 m/s */
    const ib_node fall = ib_graph_op(g, IB_OP_EXP, ib_mul(g, number(&s, -1e4), ib_mul(g, s.v, s.v)),
                                     IB_NO_NODE, IB_NO_NODE);
    const ib_node size = ib_add(g, number(&s, kinetic), ib_mul(g, number(&s, rise), fall));
    const ib_node pull =
        ib_mul(g, number(&s, k), ib_sub(g, ib_mul(g, number(&s, speed), s.t), s.x));
    slide_make(&s, 1, 0, 0, ib_add(g, pull, ib_mul(g, size, friction(&s, 1, 1e-4))));
    int slips = 0;
    bool moving = false;
    for (int j = 1; j <= 1000; j++) {
        rig_to(&s.rig, 0.01 * j);
        const bool now = rig_body(&s.rig, 0)[7] > 0.01;
        slips += now && !moving;
        moving = now;
    }
    if (getenv("IB_SHOW"))
        printf("stick-slip: %d slips, %d steps\n", slips, (int)steps_of(&s));
    /* The spring winds up 2 N in 0.2 s, then the block is off for three quarters of a swing about
     * 2 N, 0.471 s; the first time at 0.3 s. Friction falls over some velocity, which costs a
     * little.
     */
    assert_in_range(slips, 14, 15);
    assert_true(steps_of(&s) < 2500);
    slide_end(&s);
}

/* ---- contact ---- */

/* A ball of 1 kg falls from 1 m onto a conservative contact k max(0, depth)^1.5: it comes back to
 * the same height, in periods of two flights and one impact. */
static void test_bounces(void **state) {
    (void)state;
    const double g0 = 9.81, k = 1e7, height = 1;
    slide s = slide_start(1e-8);
    ib_graph *g = s.graph;
    const ib_node depth =
        ib_graph_op(g, IB_OP_MAX, number(&s, 0), ib_mul(g, number(&s, -1), s.x), IB_NO_NODE);
    const ib_node push =
        ib_mul(g, number(&s, k), ib_graph_op(g, IB_OP_POW, depth, number(&s, 1.5), IB_NO_NODE));
    slide_make(&s, 1, height, 0, ib_sub(g, push, number(&s, g0)));
    /* the impact: twice the integral of dx / v from the surface to the deepest place */
    const double v0 = sqrt(2 * g0 * height);
    double deep = pow(1.25 * v0 * v0 / k, 0.4), impact = 0;
    for (int i = 0; i < 40; i++)
        deep = pow(1.25 * (v0 * v0 + 2 * g0 * deep) / k, 0.4);
    const int parts = 200000; /* x = deep (1 - u^2) takes the singular end out */
    for (int i = 0; i < parts; i++) {
        const double u = (i + 0.5) / parts, x = deep * (1 - u * u);
        const double v2 = v0 * v0 + 2 * g0 * x - 0.8 * k * pow(x, 2.5);
        impact += 2 * deep * u / sqrt(v2) / parts;
    }
    const double period = 2 * v0 / g0 + 2 * impact;
    for (int n = 1; n <= 5; n++) {
        rig_to(&s.rig, n * period);
        ASSERT_NEAR(rig_body(&s.rig, 0)[0], height, 2e-5);
        ASSERT_NEAR(rig_body(&s.rig, 0)[7], 0, 1e-4);
    }
    if (getenv("IB_SHOW"))
        printf("bounces: %.3g m off, %d steps\n", rig_body(&s.rig, 0)[0] - height,
               (int)steps_of(&s));
    assert_true(steps_of(&s) < 1500);
    slide_end(&s);
}

/* ---- jumps ---- */

/* A force that is switched on at a time the method does not know. */
static void test_jump_in_time(void **state) {
    (void)state;
    slide s = slide_start(1e-6);
    ib_graph *g = s.graph;
    const ib_node on = ib_graph_op(g, IB_OP_LT, number(&s, 1.0 / 3), s.t, IB_NO_NODE);
    slide_make(&s, 2, 0, 0, ib_mul(g, number(&s, 1e4), on));
    rig_to(&s.rig, 1);
    ASSERT_NEAR(rig_body(&s.rig, 0)[7], 1e4 / 2 * 2 / 3, 0.02);
    ASSERT_NEAR(rig_body(&s.rig, 0)[0], 1e4 / 4 * 4 / 9, 0.02);
    assert_true(steps_of(&s) < 200);
    slide_end(&s);
}

/* An input that jumps between steps costs no accuracy. */
static void test_input_jumps(void **state) {
    (void)state;
    static const double values[3] = {40, -25, 3};
    double end[3][IB_STATE * BUSY_BODIES], error[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        busy b = i ? busy_start_with(IB_MECH_STIFF, 0, i == 1 ? 1e-5 : 1e-8)
                   : busy_start_with(IB_MECH_DOP853, 0, 1e-12);
        for (int k = 0; k < 3; k++) {
            rig_to(&b.rig, 0.1 * k + 0.0637);
            ib_dynamics_leaves(b.rig.dynamics)[BUSY_INPUT] = values[k];
            assert_int_equal(ib_dynamics_inputs_changed(b.rig.dynamics, b.rig.diags), IB_OK);
        }
        rig_to(&b.rig, 0.4);
        memcpy(end[i], rig_body(&b.rig, 0), sizeof end[i]);
        for (int k = 0; i && k < IB_STATE * BUSY_BODIES; k++)
            error[i - 1] = fmax(error[i - 1], fabs(end[i][k] - end[0][k]) / (1 + fabs(end[0][k])));
        busy_end(&b);
    }
    if (getenv("IB_SHOW"))
        printf("after jumps: %.3g %.3g\n", error[0], error[1]);
    assert_true(error[0] < 3e-5 && error[1] < 3e-8);
}

/* ---- loops ---- */

/* The four-bar, turned out of every plane, through its singular places; the same as the explicit
 * method makes of it, and on its constraints. */
static void test_rank_loss(void **state) {
    (void)state;
    double turn[4] = {0.8, 0.3, -0.5, 0.2}, exact[IB_STATE * 5];
    ib_quat_normalize(turn);
    for (int i = 0; i < 4; i++) {
        const double rtol[4] = {1e-10, 1e-3, 1e-6, 1e-8};
        ib_mech_options options = mech_options(i ? IB_MECH_STIFF : IB_MECH_DOPRI5, 0, rtol[i]);
        ib_mechanism *m = mech_fourbar(2, turn, &options);
        rig r = rig_start(m, &options);
        double off = 0;
        for (int k = 1; k <= 40; k++) {
            double position, velocity;
            rig_to(&r, 0.1 * k);
            ib_dynamics_residual(r.dynamics, &position, &velocity);
            assert_true(position <= 1e-9 && velocity <= 1e-9);
        }
        for (int k = 0; k < IB_STATE * 5; k++)
            off = i ? fmax(off, fabs(rig_body(&r, 0)[k] - exact[k])) : 0;
        if (i == 0)
            memcpy(exact, rig_body(&r, 0), sizeof exact);
        if (getenv("IB_SHOW"))
            printf("four-bar, rtol %g: %.3g\n", rtol[i], off);
        assert_true(off <= 20 * rtol[i]);
        rig_end(&r);
    }
}

/* Over-constrained in space: every step keeps all six hinges. */
static void test_bricard(void **state) {
    (void)state;
    ib_mech_options options = mech_options(IB_MECH_STIFF, 0, 1e-7);
    rig r = rig_start(mech_bricard(&options), &options);
    const ib_mech_energy first = ib_dynamics_energy(r.dynamics);
    for (int k = 1; k <= 50; k++) {
        double position, velocity;
        rig_to(&r, 0.1 * k);
        ib_dynamics_residual(r.dynamics, &position, &velocity);
        const ib_mech_energy now = ib_dynamics_energy(r.dynamics);
        assert_true(position <= 1e-9 && velocity <= 1e-9);
        ASSERT_NEAR(now.kinetic + now.potential, first.kinetic + first.potential, 1e-5);
    }
    rig_end(&r);
}

/* ---- when it cannot go on ---- */

/* A pendulum whose tip is drawn away from a post further than it reaches. */
static void test_stall_is_named(void **state) {
    (void)state;
    ib_graph *graph = ib_graph_create();
    ib_mech_options options = mech_options(IB_MECH_STIFF, 0, 1e-6);
    ib_mechanism *m = ib_mechanism_create();
    const double inertia[3] = {0.1, 0.1, 0.1}, tip[3] = {0, 1, 0}, post[3] = {-1.5, 0, 0};
    mech_body(m, (const double[3]){0, 0.5, 0}, no_turn, zero3, zero3, 1, inertia);
    mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, (const double[3]){0, 0, 1});
    const int distance = busy_measure(m, IB_MECH_DISTANCE, 0, IB_MECH_GROUND, tip, post);
    const ib_node t = ib_graph_leaf(graph, 0);
    const ib_mech_driver driver = {
        .name = "winch",
        .measure = distance,
        .motion = ib_add(graph, ib_graph_const(graph, sqrt(3.25)), ib_mul(graph, t, t)),
        .initial_leaf = -1};
    ib_mechanism_add_driver(m, &driver);
    options.graph = graph;
    options.n_leaves = 3;
    options.measure_leaf = 2;
    rig r = rig_start(m, &options);
    assert_int_equal(ib_dynamics_advance(r.dynamics, to_time(2), NULL, NULL, r.diags),
                     IB_SIMULATION_FAILED);
    ASSERT_NEAR(ib_time_seconds(ib_dynamics_time(r.dynamics)), sqrt(2.5 - sqrt(3.25)), 1e-3);
    assert_true(has_diag(r.diags, "IB0704", "below a nanosecond at t = 0.83"));
    rig_end(&r);
    ib_graph_destroy(graph);
}

/* A law that loses its value is named with its cause. */
static void test_fault_is_named(void **state) {
    (void)state;
    slide s = slide_start(1e-6);
    ib_graph *g = s.graph;
    slide_make(&s, 1, 0, 0,
               ib_graph_op(g, IB_OP_LOG, ib_sub(g, number(&s, 1.5), s.t), IB_NO_NODE, IB_NO_NODE));
    assert_int_equal(ib_dynamics_advance(s.rig.dynamics, to_time(2), NULL, NULL, s.rig.diags),
                     IB_SIMULATION_FAILED);
    assert_true(has_diag(s.rig.diags, "IB0701", "pull: the expression has no value at t = 1.5"));
    slide_end(&s);
}

/* Below the rounding of double precision no step is short enough: that is what it says. */
static void test_too_tight(void **state) {
    (void)state;
    ib_mech_options options = mech_options(IB_MECH_STIFF, 0, 1e-14);
    ib_mechanism *m = mech_chain(2, &options);
    rig r = rig_start(m, &options);
    assert_int_equal(ib_dynamics_advance(r.dynamics, to_time(1), NULL, NULL, r.diags),
                     IB_SIMULATION_FAILED);
    const ib_diag *diag = ib_diags_at(r.diags, ib_diags_count(r.diags) - 1);
    assert_string_equal(diag->id, "IB0704");
    assert_non_null(strstr(diag->suggestion, "rounding of double precision; try rtol: 1e-11"));
    rig_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff_spring),   cmocka_unit_test(test_slow_load_on_stiff_spring),
        cmocka_unit_test(test_stick),          cmocka_unit_test(test_slip_to_stick),
        cmocka_unit_test(test_stick_slip),     cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_jump_in_time),   cmocka_unit_test(test_input_jumps),
        cmocka_unit_test(test_rank_loss),      cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_stall_is_named), cmocka_unit_test(test_too_tight),
        cmocka_unit_test(test_fault_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
