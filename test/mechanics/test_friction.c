/* Friction in joints against closed forms and independent solutions, by every solver: slides, what
 * sticks and creeps, stick-slip, pins in their sleeves, loads that their own friction changes, and
 * a mechanism that jams.
 */
#include "mechanics/mechanics_test.h"

#include "expr/expr.h"

static const double g = 9.81;
static const double inertia[3] = {0.1, 0.2, 0.25};

typedef struct way {
    const char *name;
    ib_mech_solver solver;
    double step, rtol; /* s; 0: error control */
} way;

static const way ways[] = {
    {"dopri5", IB_MECH_DOPRI5, 0, 1e-10},
    {"dop853", IB_MECH_DOP853, 0, 1e-10},
    {"rk4", IB_MECH_RK4, 1e-4, 1e-10},
    {"generalized_alpha", IB_MECH_GENERALIZED_ALPHA, 1e-3, 1e-8},
    {"generalized_alpha, adaptive", IB_MECH_GENERALIZED_ALPHA, 0, 1e-8},
    {"stiff", IB_MECH_STIFF, 0, 1e-9},
    {"stiff, fixed", IB_MECH_STIFF, 1e-3, 1e-9},
};

static ib_mech_options options_of(const way *how) {
    return mech_options(how->solver, to_time(how->step), how->rtol);
}

static void show(const way *how, const char *what, double error) {
    if (getenv("IB_SHOW"))
        printf("%s, %s: %.3g\n", what, how->name, error);
}

/* A body at the origin in a joint of the given type with the ground, z along the axis. */
static ib_mechanism *single(ib_mech_joint_type type, const double axis[3],
                            ib_mech_friction friction, const double v[3], const double w[3],
                            double mass, const double moments[3]) {
    ib_mechanism *m = ib_mechanism_create();
    ib_mech_joint joint = {.name = "guide", .type = type, .body2 = IB_MECH_GROUND};
    mech_body(m, zero3, no_turn, v, w, mass, moments);
    ib_frame_from_z(axis, joint.frame1);
    memcpy(joint.frame2, joint.frame1, sizeof joint.frame2);
    joint.friction = friction;
    assert_int_equal(ib_mechanism_add_joint(m, &joint), 0);
    return m;
}

/* ---- an incline ---- */

/* From a speed at which friction is full: x = v t + g (sin a - mu cos a) t^2 / 2, up to what
 * solvers make of it (generalised-alpha meets a constant acceleration exactly). */
static void test_slide(void **state) {
    (void)state;
    const double slope = 0.6, mu = 0.3, v = 0.1, mass = 3, end = 0.8;
    const double axis[3] = {cos(slope), 0, -sin(slope)}, u[3] = {v * axis[0], 0, v * axis[2]};
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        ib_mech_options options = options_of(&ways[i]);
        options.gravity[2] = -g;
        rig r = rig_start(single(IB_MECH_PRISMATIC, axis, (ib_mech_friction){mu, 0, 0.05}, u, zero3,
                                 mass, inertia),
                          &options);
        rig_to(&r, end);
        const double a = g * (sin(slope) - mu * cos(slope)), x = v * end + 0.5 * a * end * end;
        double force, torque, reaction[3], moment[3];
        show(&ways[i], "slide", ib_dot(rig_body(&r, 0), axis) - x);
        ASSERT_NEAR(ib_dot(rig_body(&r, 0), axis), x, 1e-9);
        ib_dynamics_friction(r.dynamics, 0, &force, &torque);
        ASSERT_NEAR(force, -mu * mass * g * cos(slope), 1e-8);
        ASSERT_NEAR(torque, 0, 0);
        ib_dynamics_reaction(r.dynamics, 0, reaction, moment);
        ASSERT_NEAR(ib_norm(reaction), mass * g * cos(slope), 1e-8); /* without friction */
        rig_end(&r);
    }
}

/* x of x (15 - 10 x^2 + 3 x^4) / 8 = share. */
static double creep(double share) {
    double low = 0, high = 1;
    for (int i = 0; i < 100; i++) {
        const double x = 0.5 * (low + high);
        const bool less = x * (15 - 10 * x * x + 3 * x * x * x * x) / 8 < share;
        low = less ? x : low;
        high = less ? high : x;
    }
    return low;
}

/* Within the cone of friction it creeps, more slowly than the stick speed; from rest it is there
 * within a time of v_s / g. */
static void test_stick(void **state) {
    (void)state;
    const double slope = 0.25, mu = 0.4, stick = 1e-3, end = 0.5;
    const double axis[3] = {cos(slope), 0, -sin(slope)}, speed = stick * creep(tan(slope) / mu);
    assert_true(speed < stick);
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        ib_mech_options options = options_of(&ways[i]);
        options.gravity[2] = -g;
        rig r = rig_start(single(IB_MECH_PRISMATIC, axis, (ib_mech_friction){mu, 0, stick}, zero3,
                                 zero3, 3, inertia),
                          &options);
        rig_to(&r, end);
        show(&ways[i], "creep", ib_dot(rig_body(&r, 0) + 7, axis) - speed);
        ASSERT_NEAR(ib_dot(rig_body(&r, 0) + 7, axis), speed, 1e-8);
        ASSERT_NEAR(ib_dot(rig_body(&r, 0), axis), speed * end, stick * 1e-3);
        rig_end(&r);
    }
}

/* ---- stick-slip ---- */

/* A force 1.2 mu N sin(w t) along the axis: the block sticks until t1 = asin(1/1.2) / w, slips to
 * t2, and sticks until the force has grown as large the other way. */
static void test_stick_slip(void **state) {
    (void)state;
    const double mu = 0.5, mass = 2, w = 10, stick = 1e-4, limit = mu * mass * g;
    const double x_axis[3] = {1, 0, 0}, t1 = asin(1 / 1.2) / w;
    double low = PI / w - t1,
           high = PI / w + t1; /* the force is below friction from the first on */
    for (int i = 0; i < 100;
         i++) { /* where v = 1.2 mu g (cos w t1 - cos w t) / w - mu g (t - t1) ends */
        const double t = 0.5 * (low + high);
        const bool moves = 1.2 * (cos(w * t1) - cos(w * t)) / w - (t - t1) > 0;
        low = moves ? t : low;
        high = moves ? high : t;
    }
    const double t2 = low, t3 = PI / w + t1, slipped = t2 - t1;
    const double x = mu * g *
                     (1.2 * (cos(w * t1) * slipped - (sin(w * t2) - sin(w * t1)) / w) / w -
                      0.5 * slipped * slipped);
    assert_true(t2 < t3 - 0.01 && x > 0.005);
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        if (ways[i].solver == IB_MECH_RK4)
            continue; /* 15 mu g / (8 v_s) = 9e4 /s is too stiff for its step */
        ib_graph *graph = ib_graph_create();
        ib_mech_options options = options_of(&ways[i]);
        options.gravity[2] = -g;
        options.graph = graph;
        ib_mechanism *m = single(IB_MECH_PRISMATIC, x_axis, (ib_mech_friction){mu, 0, stick}, zero3,
                                 zero3, mass, inertia);
        const ib_node phase = ib_mul(graph, ib_graph_const(graph, w), ib_graph_leaf(graph, 0));
        ib_mech_force pull = {.name = "pull", .type = IB_MECH_AXIS_FORCE};
        pull.law = ib_mul(graph, ib_graph_const(graph, 1.2 * limit),
                          ib_graph_op(graph, IB_OP_SIN, phase, IB_NO_NODE, IB_NO_NODE));
        pull.body2 = pull.frame = IB_MECH_GROUND;
        pull.axis[0] = 1;
        ib_mechanism_add_force(m, &pull);
        rig r = rig_start(m, &options);
        rig_to(&r, t1);
        ASSERT_NEAR(rig_body(&r, 0)[0], 0, stick * t1); /* it may creep by no more than this */
        rig_to(&r, 0.5 * (t2 + t3));
        show(&ways[i], "stick-slip", rig_body(&r, 0)[0] - x);
        ASSERT_NEAR(rig_body(&r, 0)[0], x, stick * t3 + 2e-5);
        assert_true(fabs(rig_body(&r, 0)[7]) < stick);
        rig_end(&r);
        ib_graph_destroy(graph);
    }
}

/* A block pulled by a spring whose end runs ahead at V: it sticks until the spring has wound up to
 * mu N, at t0, and then moves as x = V s - V / w sin(w s), s = t - t0, since its speed V (1 - cos w
 * s) comes to rest after every period but never turns. */
static void test_pulled_block(void **state) {
    (void)state;
    enum { X = 1, LEAVES = 2 };
    const double mu = 0.3, mass = 2, k = 200, V = 0.2, stick = 1e-5, x_axis[3] = {1, 0, 0};
    const double t0 = mu * mass * g / (k * V), w = sqrt(k / mass);
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        if (ways[i].solver == IB_MECH_RK4)
            continue; /* too stiff for its step */
        ib_graph *graph = ib_graph_create();
        ib_mech_options options = options_of(&ways[i]);
        options.gravity[2] = -g;
        options.graph = graph;
        options.n_leaves = LEAVES;
        options.measure_leaf = X;
        ib_mechanism *m = single(IB_MECH_PRISMATIC, x_axis, (ib_mech_friction){mu, 0, stick}, zero3,
                                 zero3, mass, inertia);
        ib_mech_measure place = {.name = "x", .type = IB_MECH_DISPLACEMENT};
        place.body2 = place.frame = IB_MECH_GROUND;
        place.axis[0] = 1;
        ib_mechanism_add_measure(m, &place);
        const ib_node end = ib_mul(graph, ib_graph_const(graph, V), ib_graph_leaf(graph, 0));
        ib_mech_force pull = {.name = "pull", .type = IB_MECH_AXIS_FORCE};
        pull.law =
            ib_mul(graph, ib_graph_const(graph, k), ib_sub(graph, end, ib_graph_leaf(graph, X)));
        pull.body2 = pull.frame = IB_MECH_GROUND;
        pull.axis[0] = 1;
        ib_mechanism_add_force(m, &pull);
        rig r = rig_start(m, &options);
        rig_to(&r, 0.9 * t0);
        ASSERT_NEAR(rig_body(&r, 0)[0], 0, stick * t0);
        for (int n = 1; n <= 8; n++) { /* four periods */
            const double s = 0.45 * n * 2 * PI / w, x = V * s - V / w * sin(w * s);
            rig_to(&r, t0 + s);
            show(&ways[i], "pulled", rig_body(&r, 0)[0] - x);
            ASSERT_NEAR(rig_body(&r, 0)[0], x, 5e-5 * V); /* v_s / V of creep at first */
            ASSERT_NEAR(rig_body(&r, 0)[7], V * (1 - cos(w * s)), 2e-3 * V);
        }
        rig_end(&r);
        ib_graph_destroy(graph);
    }
}

/* A block thrown along the ground stops after v^2 / (2 mu g), within a fixed step, too. */
static void test_stop(void **state) {
    (void)state;
    const double mu = 0.5, v = 2, x_axis[3] = {1, 0, 0}, u[3] = {v, 0, 0}, stick = 1e-3;
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        ib_mech_options options = options_of(&ways[i]);
        options.gravity[2] = -g;
        rig r = rig_start(single(IB_MECH_PRISMATIC, x_axis, (ib_mech_friction){mu, 0, stick}, u,
                                 zero3, 2, inertia),
                          &options);
        rig_to(&r, 1);
        show(&ways[i], "stop", rig_body(&r, 0)[0] - v * v / (2 * mu * g));
        /* what is left of its speed within the stick speed dies away, with v_s^2 / (mu g) */
        ASSERT_NEAR(rig_body(&r, 0)[0], v * v / (2 * mu * g), 3e-6);
        ASSERT_NEAR(rig_body(&r, 0)[7], 0, 1e-6);
        rig_end(&r);
    }
}

/* ---- pins ---- */

/* A ring of I = m r^2 on a level shaft, sliding and turning: friction is against the slip of both,
 * which so keeps its direction and falls by mu g. */
static void test_sleeve(void **state) {
    (void)state;
    const double mu = 0.4, radius = 0.2, mass = 2, end = 0.3, v = 1.5, spin = 10;
    const double y_axis[3] = {0, 1, 0}, u[3] = {0, v, 0}, w[3] = {0, spin, 0};
    const double slip = hypot(v, radius * spin), moment = mass * radius * radius;
    const double moments[3] = {moment, moment, moment};
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        ib_mech_options options = options_of(&ways[i]);
        double force, torque;
        options.gravity[2] = -g;
        rig r = rig_start(single(IB_MECH_CYLINDRICAL, y_axis, (ib_mech_friction){mu, radius, 0.01},
                                 u, w, mass, moments),
                          &options);
        rig_to(&r, end);
        const double left = 1 - mu * g * end / slip;
        show(&ways[i], "sleeve", rig_body(&r, 0)[8] - v * left);
        ASSERT_NEAR(rig_body(&r, 0)[8], v * left, 1e-7);
        ASSERT_NEAR(rig_body(&r, 0)[11], spin * left, 1e-6);
        ASSERT_NEAR(rig_body(&r, 0)[1], v * end * 0.5 * (1 + left), 1e-7);
        ib_dynamics_friction(r.dynamics, 0, &force, &torque);
        ASSERT_NEAR(force, -mu * mass * g * v / slip, 1e-6);
        ASSERT_NEAR(torque, -mu * mass * g * radius * radius * spin / slip, 1e-6);
        rig_end(&r);
    }
}

typedef struct pendulum {
    double mass, arm, moment, mu, radius, stick;
} pendulum;

/* Its angular acceleration at angle a from straight down and rate w. Along the arm the pin carries
 * m (g cos a + w^2 l), across it m (l w' + g sin a), which friction changes. */
static double swing(const pendulum *p, double a, double w) {
    const double x = p->radius * w / p->stick, along = g * cos(a) + w * w * p->arm;
    const double share = x >= 1 ? 1 : x <= -1 ? -1 : x * (15 - 10 * x * x + 3 * x * x * x * x) / 8;
    double rate = 0;
    for (int i = 0; i < 200; i++) { /* contracts by mu r / l */
        const double load = p->mass * hypot(along, p->arm * rate + g * sin(a));
        rate = (-p->mass * g * p->arm * sin(a) - p->mu * p->radius * load * share) /
               (p->moment + p->mass * p->arm * p->arm);
    }
    return rate;
}

/* The classical method, in so small steps that it is good to 1e-11. */
static void swing_to(const pendulum *p, double end, int n, double *a, double *w) {
    const double h = end / n;
    for (int i = 0; i < n; i++) {
        const double w1 = *w, k1 = swing(p, *a, w1);
        const double w2 = *w + 0.5 * h * k1, k2 = swing(p, *a + 0.5 * h * w1, w2);
        const double w3 = *w + 0.5 * h * k2, k3 = swing(p, *a + 0.5 * h * w2, w3);
        const double w4 = *w + h * k3, k4 = swing(p, *a + h * w3, w4);
        *a += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
        *w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
}

/* It hangs from the origin by a pin along y, straight down, and turns at `rate`. */
static ib_mechanism *hang(const pendulum *p, double rate, ib_mech_options *options) {
    const double moments[3] = {p->moment, p->moment, p->moment}, y_axis[3] = {0, 1, 0};
    const double r[3] = {0, 0, -p->arm}, w[3] = {0, rate, 0}, v[3] = {-p->arm * rate, 0, 0};
    ib_mechanism *m = ib_mechanism_create();
    ib_mech_joint joint = {.name = "pin", .type = IB_MECH_REVOLUTE, .body2 = IB_MECH_GROUND};
    mech_body(m, r, no_turn, v, w, p->mass, moments);
    ib_frame_from_z(y_axis, joint.frame1);
    memcpy(joint.frame2, joint.frame1, sizeof joint.frame2);
    joint.friction = (ib_mech_friction){p->mu, p->radius, p->stick};
    ib_mechanism_add_joint(m, &joint);
    options->gravity[2] = -g;
    return m;
}

/* A pin as thick as it gets, so that friction weighs: against the scalar equation. */
static void test_journal(void **state) {
    (void)state;
    static const double wanted[] = {1e-8, 1e-8, 1e-7, 1e-4, 1e-5, 1e-7, 1e-7};
    const pendulum p = {2, 0.5, 0.05, 0.6, 0.15, 0.2};
    double a = 0, w = 9;
    swing_to(&p, 1, 20000, &a, &w);
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        ib_mech_options options = options_of(&ways[i]);
        ib_mechanism *m = hang(&p, 9, &options);
        rig r = rig_start(m, &options);
        rig_to(&r, 1);
        const double *y = rig_body(&r, 0);
        show(&ways[i], "journal", hypot(y[0] + p.arm * sin(a), y[2] + p.arm * cos(a)));
        ASSERT_NEAR(y[0], -p.arm * sin(a), wanted[i]);
        ASSERT_NEAR(y[2], -p.arm * cos(a), wanted[i]);
        ASSERT_NEAR(y[11], w, 30 * wanted[i]);
        rig_end(&r);
    }
}

static double energy_of(const rig *r) {
    const ib_mech_energy e = ib_dynamics_energy(r->dynamics);
    return e.kinetic + e.potential;
}

/* What the pendulum loses is what its friction takes, through several turns back, to 1e-6 of it:
 * by Simpson's rule over samples so close that its own error is below that. */
static void test_dissipation(void **state) {
    (void)state;
    const pendulum p = {2, 0.5, 0.05, 0.3, 0.1, 0.1};
    const int n = 8000;
    const double end = 2;
    ib_mech_options options = mech_options(IB_MECH_DOP853, 0, 1e-11);
    rig r = rig_start(hang(&p, 4, &options), &options);
    double before = 0, taken = 0;
    for (int i = 0; i <= n; i++) {
        double force, torque;
        rig_to(&r, end * i / n);
        ib_dynamics_friction(r.dynamics, 0, &force, &torque);
        before = i ? before : energy_of(&r);
        taken += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * torque * rig_body(&r, 0)[11];
    }
    taken *= end / n / 3;
    if (getenv("IB_SHOW"))
        printf("dissipation: %.9g J of %.9g J\n", taken, energy_of(&r) - before);
    assert_true(taken < -1);
    ASSERT_NEAR(energy_of(&r) - before, taken, 1e-6 * fabs(taken));
    rig_end(&r);
}

/* ---- loads that friction changes ---- */

/* A wedge A on a level rail with friction, and B that slides down on it at 45 degrees without: the
 * force between them depends on how A gives way, and that on friction. */
static ib_mechanism *wedge(double mass_a, double mass_b, double mu, double v,
                           ib_mech_options *options) {
    const double x_axis[3] = {1, 0, 0}, down[3] = {-sqrt(0.5), 0, -sqrt(0.5)}, u[3] = {v, 0, 0};
    const double up[3] = {0.3, 0, 0.3};
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, zero3, no_turn, u, zero3, mass_a, inertia);
    mech_body(m, up, no_turn, u, zero3, mass_b, inertia);
    ib_mech_joint rail = {.name = "rail", .type = IB_MECH_PRISMATIC, .body2 = IB_MECH_GROUND};
    ib_mech_joint face = {.name = "face", .type = IB_MECH_PRISMATIC, .body1 = 1};
    ib_frame_from_z(x_axis, rail.frame1);
    memcpy(rail.frame2, rail.frame1, sizeof rail.frame2);
    ib_frame_from_z(down, face.frame1);
    memcpy(face.frame2, face.frame1, sizeof face.frame2);
    memcpy(face.point1, up, sizeof up);
    memcpy(face.point2, up, sizeof up);
    rail.friction = (ib_mech_friction){mu, 0, 1e-3};
    ib_mechanism_add_joint(m, &rail);
    ib_mechanism_add_joint(m, &face);
    options->gravity[2] = -g;
    return m;
}

/* Two cranks and a rod, a parallelogram, with friction in its four pins. */
static ib_mechanism *loop(ib_mech_options *options) {
    static const double up[3] = {0.1, 0.1, 0.1}, z[3] = {0, 0, 1}, w[3] = {0, 0, -2};
    static const double links[3][3] = {{0, 0.5, 0}, {2, 0.5, 0}, {1, 1, 0}};
    static const double v[3][3] = {{1, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    static const double pins[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {2, 1, 0}};
    static const int first[4] = {0, 1, 2, 2}, second[4] = {IB_MECH_GROUND, IB_MECH_GROUND, 0, 1};
    ib_mechanism *m = ib_mechanism_create();
    for (int b = 0; b < 3; b++)
        mech_body(m, links[b], no_turn, v[b], b < 2 ? w : zero3, 1, up);
    for (int k = 0; k < 4; k++) {
        ib_mech_joint joint = {.name = "pin", .type = IB_MECH_REVOLUTE, .body1 = first[k]};
        joint.body2 = second[k];
        memcpy(joint.point1, pins[k], sizeof joint.point1);
        memcpy(joint.point2, pins[k], sizeof joint.point2);
        ib_frame_from_z(z, joint.frame1);
        memcpy(joint.frame2, joint.frame1, sizeof joint.frame2);
        joint.friction = (ib_mech_friction){0.3, 0.05, 0.02};
        ib_mechanism_add_joint(m, &joint);
    }
    options->gravity[1] = -g;
    return m;
}

/* R = mB (g - a) / sqrt(2) across the face, N = mA g + R / sqrt(2) on the rail, and mA a = R /
 * sqrt(2) - mu N. */
static void test_wedge(void **state) {
    (void)state;
    const double A = 1, B = 2, mu = 0.3, v = 0.1, end = 0.4;
    const double a = (B * g / 2 - mu * (A + B / 2) * g) / (A + B / 2 - mu * B / 2);
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        ib_mech_options options = options_of(&ways[i]);
        ib_mechanism *m = wedge(A, B, mu, v, &options);
        rig r = rig_start(m, &options);
        double force, torque;
        rig_to(&r, end);
        show(&ways[i], "wedge", rig_body(&r, 0)[0] - v * end - 0.5 * a * end * end);
        ASSERT_NEAR(rig_body(&r, 0)[0], v * end + 0.5 * a * end * end, 1e-9);
        ib_dynamics_friction(r.dynamics, 0, &force, &torque);
        ASSERT_NEAR(force, -mu * (A * g + B * (g - a) / 2), 1e-7);
        rig_end(&r);
    }
}

/* With a light wedge and mu > 1 + 2 mA / mB each newton of load makes more than one: the rail jams.
 * Said at the start, and where a run comes to it. */
static void test_jam(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(ways); i++) {
        ib_mech_options options = options_of(&ways[i]);
        ib_mechanism *m = wedge(0.1, 10, 1.5, 0.1, &options);
        rig r = rig_make(m, &options);
        assert_int_equal(ib_dynamics_assemble(r.dynamics, r.diags), IB_SIMULATION_FAILED);
        assert_true(
            has_diag(r.diags, "IB0718", "rail: at t = 0 s its friction cannot be resolved"));
        rig_end(&r);
    }
}

/* A parallelogram whose bars come into one line carries no torque across: there the loads of its
 * pins grow without bounds, whatever mu is. The run says so where it stops. */
static void test_jam_on_the_way(void **state) {
    (void)state;
    static const ib_mech_solver solvers[] = {IB_MECH_DOP853, IB_MECH_STIFF};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        ib_mech_options options = mech_options(solvers[i], 0, 1e-8);
        rig r = rig_start(loop(&options), &options);
        assert_int_equal(ib_dynamics_advance(r.dynamics, to_time(3), NULL, NULL, r.diags),
                         IB_SIMULATION_FAILED);
        assert_true(has_diag(r.diags, "IB0718", "pin: at t = 0."));
        rig_end(&r);
    }
}

/* ---- properties ---- */

/* Loops with redundant rows, every hinge with friction: both kinds of solver agree. */
static void test_loop(void **state) {
    (void)state;
    double place[2][3] = {{0}};
    for (int i = 0; i < 2; i++) {
        ib_mech_options options = mech_options(i ? IB_MECH_STIFF : IB_MECH_DOP853, 0, 1e-9);
        rig r = rig_start(loop(&options), &options);
        assert_true(ib_dynamics_redundant(r.dynamics) > 0);
        rig_to(&r, 0.5);
        memcpy(place[i], rig_body(&r, 2), sizeof place[i]);
        rig_end(&r);
    }
    ASSERT_NEAR3(place[1], place[0], 1e-7);
}

/* Friction keeps no state of its own but the multipliers: a restored run gives the same bits. */
static void test_restored(void **state) {
    (void)state;
    static const way chosen[] = {{"", IB_MECH_DOP853, 0, 1e-8},
                                 {"", IB_MECH_STIFF, 0, 1e-8},
                                 {"", IB_MECH_GENERALIZED_ALPHA, 0, 1e-6}};
    for (size_t i = 0; i < IB_COUNT(chosen); i++) {
        const mech_pose still = {{1, 0, 0, 0}, {0, 0, 0}};
        ib_mech_options options = options_of(&chosen[i]);
        ib_mechanism *m = mech_rubbing(&still, &options);
        rig r = rig_start(m, &options);
        rig_to(&r, 0.2);
        const size_t size = ib_dynamics_state_size(r.dynamics);
        void *kept = malloc(size);
        assert_non_null(kept);
        ib_dynamics_save(r.dynamics, kept);
        rig_to(&r, 0.4);
        const uint64_t hash = ib_dynamics_hash(r.dynamics);
        assert_int_equal(ib_dynamics_restore(r.dynamics, kept, size), IB_OK);
        rig_to(&r, 0.4);
        assert_true(ib_dynamics_hash(r.dynamics) == hash);
        free(kept);
        rig_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slide),          cmocka_unit_test(test_stick),
        cmocka_unit_test(test_stick_slip),     cmocka_unit_test(test_pulled_block),
        cmocka_unit_test(test_stop),           cmocka_unit_test(test_sleeve),
        cmocka_unit_test(test_journal),        cmocka_unit_test(test_dissipation),
        cmocka_unit_test(test_wedge),          cmocka_unit_test(test_jam),
        cmocka_unit_test(test_jam_on_the_way), cmocka_unit_test(test_loop),
        cmocka_unit_test(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
