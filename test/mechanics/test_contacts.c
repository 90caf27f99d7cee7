/* Contacts in motion: collisions, bounces, slides, rolls and stops against closed forms, what they
 * conserve, height fields, and how deep one may start.
 */
#include "mechanics/mechanics_test.h"

static const double g = 9.81;

/* A ball of 2 kg and 0.1 m, solid. */
static const double mass = 2, radius = 0.1, inertia[3] = {0.008, 0.008, 0.008};

static ib_mech_options tight(void) { return mech_options(IB_MECH_DOPRI5, 0, 1e-12); }

static ib_mech_contact contact_of(double stiffness) {
    ib_mech_contact c = {.name = "touch", .body2 = IB_MECH_GROUND, .radius = radius};
    c.frame[0] = c.frame[4] = c.frame[8] = 1;
    c.stiffness = stiffness;
    c.exponent = 1.5;
    c.stick_speed = 1e-3;
    c.max_depth = 1;
    return c;
}

/* A ball at `place` that touches by `contact`, whose centre it is. */
static ib_mechanism *ball(const double place[3], const double v[3], const double w[3],
                          ib_mech_contact *contact) {
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, place, no_turn, v, w, mass, inertia);
    memcpy(contact->point1, place, sizeof contact->point1);
    assert_int_equal(ib_mechanism_add_contact(m, contact), 0);
    return m;
}

/* How long d = 0 to d = 0 takes, and how deep it goes, at speed v under m d'' = m a - k d^n. */
static double elastic_time(double k, double n, double v, double a) {
    double deepest = pow((n + 1) * mass * v * v / (2 * k), 1 / (n + 1)), sum = 0;
    for (int i = 0; i < 100; i++) { /* v^2 + 2 a d = 2 k d^(n + 1) / ((n + 1) m) */
        const double f = v * v + 2 * a * deepest - 2 * k * pow(deepest, n + 1) / ((n + 1) * mass);
        deepest -= f / (2 * a - 2 * k * pow(deepest, n) / mass);
    }
    /* by the midpoint rule in s, d = deepest (1 - s^2), where the integrand is smooth */
    const int parts = 200000;
    for (int i = 0; i < parts; i++) {
        const double s = (i + 0.5) / parts, d = deepest * (1 - s * s);
        const double speed2 = v * v + 2 * a * d - 2 * k * pow(d, n + 1) / ((n + 1) * mass);
        sum += 2 * deepest * s / sqrt(speed2);
    }
    return 2 * sum / parts;
}

/* ---- collisions ---- */

/* Without damping a ball comes back at its speed, after 2 d0 / v sqrt(pi) G(1 + 1/(n + 1)) / G(1/2
 * + 1/(n + 1)) with d0 the greatest depth: 2.9433 d0 / v for Hertz's n = 1.5, half a period for 1.
 */
static void test_collision(void **state) {
    (void)state;
    static const double exponents[] = {1, 1.5, 2.2};
    for (size_t i = 0; i < IB_COUNT(exponents); i++) {
        const double n = exponents[i], k = 1e5, v = 1.5, start = 0.2, end = 0.4;
        const ib_mech_options options = tight();
        ib_mech_contact c = contact_of(k);
        c.exponent = n;
        ib_mechanism *m =
            ball((const double[3]){0, 0, start}, (const double[3]){0.3, 0, -v}, zero3, &c);
        rig r = rig_start(m, &options);
        rig_to(&r, end);
        const double deepest = pow((n + 1) * mass * v * v / (2 * k), 1 / (n + 1));
        const double share = 1 / (n + 1);
        const double time =
            2 * deepest / v * sqrt(PI) * share * tgamma(share) / tgamma(0.5 + share);
        const double *y = rig_body(&r, 0);
        ASSERT_NEAR(y[9], v, 1e-8);
        ASSERT_NEAR(y[7], 0.3, 1e-14);
        ASSERT_NEAR(y[2], radius + v * (end - (start - radius) / v - time), 1e-7);
        ASSERT_NEAR(elastic_time(k, n, v, 0), time, 1e-7 * time + 1e-9);
        rig_end(&r);
    }
}

/* Ratio e of the speeds after and before: chi v (1 + e) = log((1 + chi v) / (1 - chi e v)),
 * whatever the stiffness, exponent and mass (from m v dv/dd = -k d^n (1 + chi v)). */
static double restitution(double x) {
    double low = 0, high = 1;
    for (int i = 0; i < 200; i++) {
        const double e = 0.5 * (low + high);
        const bool less = x * (1 + e) > log1p(x) - log1p(-x * e);
        low = less ? e : low;
        high = less ? high : e;
    }
    return low;
}

static void test_restitution(void **state) {
    (void)state;
    static const double dissipations[] = {0.02, 0.3, 2}, exponents[] = {1, 1.5, 2};
    for (size_t i = 0; i < IB_COUNT(dissipations); i++)
        for (size_t j = 0; j < IB_COUNT(exponents); j++) {
            const ib_mech_options options = tight();
            const double v = 1.5;
            ib_mech_contact c = contact_of(1e5);
            c.dissipation = dissipations[i];
            c.exponent = exponents[j];
            ib_mechanism *m =
                ball((const double[3]){0, 0, 0.11}, (const double[3]){0, 0, -v}, zero3, &c);
            rig r = rig_start(m, &options);
            rig_to(&r, 0.4);
            const double e = restitution(dissipations[i] * v);
            assert_true(e < 0.99 && e > 0.1);
            ASSERT_NEAR(rig_body(&r, 0)[9], e * v, 1e-7);
            rig_end(&r);
        }
}

/* A ball that bounces without loss is at its height again after every 2 v / g and a contact. */
static void test_bounces(void **state) {
    (void)state;
    const double k = 1e6, height = 0.5, v = sqrt(2 * g * height);
    const double period = 2 * v / g + elastic_time(k, 1.5, v, g);
    ib_mech_options options = tight();
    options.gravity[2] = -g;
    ib_mech_contact c = contact_of(k);
    ib_mechanism *m = ball((const double[3]){0, 0, radius + height}, zero3, zero3, &c);
    rig r = rig_start(m, &options);
    for (int i = 1; i <= 5; i++) {
        const double end = ib_time_seconds((ib_time)(i * period * 1e9));
        rig_to(&r, end);
        ASSERT_NEAR(rig_body(&r, 0)[2], radius + height, 1e-7);
        ASSERT_NEAR(rig_body(&r, 0)[9], 0, 2e-5);
    }
    rig_end(&r);
}

/* With damping each flight takes 2 e v / g; of a hard ball the contacts take next to nothing. */
static void test_damped_bounces(void **state) {
    (void)state;
    const double k = 1e12, height = 0.5;
    double v = sqrt(2 * g * height), t = v / g;
    ib_mech_options options = tight();
    options.gravity[2] = -g;
    ib_mech_contact c = contact_of(k);
    c.dissipation = 0.1;
    ib_mechanism *m = ball((const double[3]){0, 0, radius + height}, zero3, zero3, &c);
    rig r = rig_start(m, &options);
    for (int i = 0; i < 4; i++) {
        t += elastic_time(k, 1.5, v, g);
        v *= restitution(0.1 * v);
        rig_to(&r, t + v / g); /* the top of this flight */
        ASSERT_NEAR(rig_body(&r, 0)[2] - radius, v * v / (2 * g), 2e-4 * height);
        ASSERT_NEAR(rig_body(&r, 0)[9], 0, 1e-3);
        t += 2 * v / g;
    }
    rig_end(&r);
}

/* Two bodies, one with a plane of its own: momentum and angular momentum stay, energy without
 * friction. */
static void test_between_bodies(void **state) {
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        const ib_mech_options options = tight();
        ib_mechanism *m = ib_mechanism_create();
        const double turn[4] = {0.8, 0, 0.6, 0}, spin[3] = {2, -1, 3};
        mech_body(m, (const double[3]){0.05, 0.1, 0.2}, no_turn, (const double[3]){0.2, 0, -2},
                  spin, mass, inertia);
        mech_body(m, zero3, turn, (const double[3]){0, 0.1, 0.5}, (const double[3]){0.4, 0.3, 0.2},
                  3, (const double[3]){0.1, 0.2, 0.25});
        ib_mech_contact c = contact_of(1e5);
        const double centre[3] = {0.06, 0.08, 0.19}, normal[3] = {0.48, -0.36, 0.8};
        c.body2 = 1;
        memcpy(c.point1, centre, sizeof centre);
        ib_frame_from_z(normal, c.frame);
        c.friction = rough ? 0.4 : 0;
        ib_mechanism_add_contact(m, &c);
        rig r = rig_start(m, &options);
        const ib_mech_energy start = ib_dynamics_energy(r.dynamics);
        double most = 0;
        for (int i = 1; i <= 60; i++) {
            rig_to(&r, 0.002 * i);
            const ib_mech_energy e = ib_dynamics_energy(r.dynamics);
            ASSERT_NEAR3(e.momentum, start.momentum, 1e-9);
            ASSERT_NEAR3(e.angular_momentum, start.angular_momentum, 1e-9);
            if (!rough)
                ASSERT_NEAR(e.kinetic + e.potential, start.kinetic + start.potential, 1e-8);
            most = fmax(most, e.potential);
        }
        assert_true(most > 0.5); /* they have met */
        const ib_mech_energy e = ib_dynamics_energy(r.dynamics);
        assert_true(!rough || e.kinetic + e.potential < start.kinetic - 0.01);
        rig_end(&r);
    }
}

/* With fixed implicit steps, an impact that Newton's method cannot take in one is taken in parts:
 * the run goes on, and the ball rises as high as it should. */
static void test_fixed_steps(void **state) {
    (void)state;
    const double height = 0.5, fast = sqrt(2 * g * height), v = restitution(0.2 * fast) * fast;
    for (int i = 0; i < 2; i++)
        for (int hard = 0; hard < 2; hard++) {
            ib_mech_options options =
                mech_options(IB_MECH_GENERALIZED_ALPHA, IB_SECOND / (hard ? 10000 : 1000), 1e-6);
            options.gravity[2] = -g;
            if (i) { /* HHT */
                options.alpha_m = 0;
                options.alpha_f = 0.3;
            }
            ib_mech_contact c = contact_of(hard ? 1e8 : 1e6);
            c.dissipation = 0.2;
            c.friction = 0.4;
            c.stick_speed = 1e-4;
            ib_mechanism *m = ball((const double[3]){0, 0, radius + height},
                                   (const double[3]){1, 0, 0}, zero3, &c);
            rig r = rig_start(m, &options);
            double most = 0;
            rig_to(&r, fast / g + 0.01);
            for (double t = 0; t < v / g; t += 0.001) {
                rig_to(&r, fast / g + 0.011 + t);
                most = fmax(most, rig_body(&r, 0)[2] - radius);
            }
            if (getenv("IB_SHOW"))
                printf("fixed steps: %.4g of %.4g m, %d rejected\n", most, v * v / (2 * g),
                       (int)ib_dynamics_statistics(r.dynamics).rejections);
            ASSERT_NEAR(most, v * v / (2 * g), 0.03 * height); /* contacts are few steps long */
            rig_to(&r, 3);                                     /* many bounces, until it rolls */
            assert_true(ib_dynamics_statistics(r.dynamics).rejections > 0);
            ASSERT_NEAR(rig_body(&r, 0)[7] / radius, rig_body(&r, 0)[11], 0.05 / radius);
            rig_end(&r);
        }
}

/* ---- friction ---- */

/* The depth at which a ball rests on a slope whose normal takes this share of its weight. */
static double rest_depth(double k, double share) { return pow(mass * g * share / k, 1 / 1.5); }

/* A point mass on a slope of angle a: it slides up with v - g (sin a + mu cos a) t, stops, and if
 * mu > tan a stays but for a creep below the stick speed, x (15 - 10 x^2 + 3 x^4) / 8 = tan a / mu
 * of it; else it slides back with g (sin a - mu cos a). */
static double creep_share(double wanted) {
    double low = 0, high = 1;
    for (int i = 0; i < 100; i++) {
        const double x = 0.5 * (low + high), x2 = x * x;
        const bool less = x * (15 - 10 * x2 + 3 * x2 * x2) / 8 < wanted;
        low = less ? x : low;
        high = less ? high : x;
    }
    return low;
}

static rig slope_rig(double friction, double speed, ib_mech_solver solver, double step) {
    const double k = 1e6, a = 0.3, depth = rest_depth(k, cos(a));
    ib_mech_options options = solver == IB_MECH_DOP853 ? mech_options(solver, 0, 1e-10)
                                                       : mech_options(solver, to_time(step), 0);
    options.gravity[0] = -g * sin(a);
    options.gravity[2] = -g * cos(a);
    ib_mech_contact c = contact_of(k);
    c.radius = 0;
    c.friction = friction;
    return rig_start(
        ball((const double[3]){0, 0, -depth}, (const double[3]){speed, 0, 0}, zero3, &c), &options);
}

static void test_slide_and_stick(void **state) {
    (void)state;
    const double a = 0.3, mu = 0.5, v = 2, slow = g * (sin(a) + mu * cos(a)), stop = v / slow;
    const double creep = 1e-3 * creep_share(tan(a) / mu);
    for (int implicit = 0; implicit < 2; implicit++) {
        rig r = slope_rig(mu, v, implicit ? IB_MECH_GENERALIZED_ALPHA : IB_MECH_DOP853, 2.5e-4);
        const double tolerance = implicit ? 1e-6 : 1e-8;
        rig_to(&r, 0.25);
        ASSERT_NEAR(rig_body(&r, 0)[7], v - slow * 0.25, tolerance);
        ASSERT_NEAR(rig_body(&r, 0)[0], v * 0.25 - slow * 0.25 * 0.25 / 2, tolerance);
        double force[3], torque[3];
        ib_dynamics_load(r.dynamics, 0, force, torque);
        ASSERT_NEAR(force[0], -mu * mass * g * cos(a), 1e-6);
        ASSERT_NEAR(force[2], mass * g * cos(a), 1e-6);
        /* it stops where the closed form says, to the little that creep adds */
        rig_to(&r, stop + 0.01);
        const double place = rig_body(&r, 0)[0];
        ASSERT_NEAR(place, v * v / (2 * slow), 1e-3 * 0.02);
        rig_to(&r, stop + 1.01);
        ASSERT_NEAR(rig_body(&r, 0)[7], -creep, implicit ? 1e-8 : 1e-9);
        ASSERT_NEAR(place - rig_body(&r, 0)[0], creep * 1, 1e-6);
        assert_true(creep < 1e-3);
        rig_end(&r);
    }
    /* too smooth to stay */
    rig r = slope_rig(0.2, v, IB_MECH_DOP853, 0);
    const double up = g * (sin(a) + 0.2 * cos(a)), down = g * (sin(a) - 0.2 * cos(a));
    rig_to(&r, v / up + 1);
    ASSERT_NEAR(rig_body(&r, 0)[7], -down, 1e-3);
    ASSERT_NEAR(rig_body(&r, 0)[0], v * v / (2 * up) - down / 2, 1e-3);
    rig_end(&r);
}

/* Stick and slip: pulled by a spring whose end runs at 0.1 m/s and stops, a block stays until the
 * pull is mu N, then slides as an oscillator about the end's place less mu N / k, and stays again.
 */
static void test_stick_slip(void **state) {
    (void)state;
    const double k = 1e6, mu = 0.5, pull = 200, drive = 0.1, depth = rest_depth(k, 1);
    const double friction = mu * mass * g, omega = sqrt(pull / mass);
    const double release = friction / (pull * drive), last = release + 0.2;
    ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-9);
    ib_graph *graph = ib_graph_create();
    options.gravity[2] = -g;
    options.graph = graph;
    options.n_leaves = 2;
    ib_mech_contact c = contact_of(k);
    c.radius = 0;
    c.friction = mu;
    c.stick_speed = 1e-4;
    ib_mechanism *m = ball((const double[3]){0, 0, -depth}, zero3, zero3, &c);
    ib_mech_measure x = {.name = "x", .type = IB_MECH_DISPLACEMENT, .body2 = IB_MECH_GROUND};
    x.frame = IB_MECH_GROUND;
    x.axis[0] = 1;
    x.point1[2] = -depth;
    ib_mechanism_add_measure(m, &x);
    ib_mech_force spring = {.name = "pull", .type = IB_MECH_AXIS_FORCE, .body2 = IB_MECH_GROUND};
    spring.frame = IB_MECH_GROUND;
    spring.point1[2] = -depth;
    spring.axis[0] = 1;
    const ib_node t = ib_graph_op(graph, IB_OP_MIN, ib_graph_leaf(graph, 0),
                                  ib_graph_const(graph, last), IB_NO_NODE);
    spring.law = ib_mul(
        graph, ib_graph_const(graph, pull),
        ib_sub(graph, ib_mul(graph, ib_graph_const(graph, drive), t), ib_graph_leaf(graph, 1)));
    ib_mechanism_add_force(m, &spring);
    rig r = rig_start(m, &options);
    rig_to(&r, 0.9 * release);
    assert_true(rig_body(&r, 0)[7] < 1e-4 && rig_body(&r, 0)[0] < 1e-4 * release);
    /* sliding from rest under k (V (t - t0) - x): x = V (t - t0) - V / w sin w (t - t0) */
    const double place = drive * 0.2 - drive / omega * sin(omega * 0.2);
    const double speed = drive * (1 - cos(omega * 0.2));
    rig_to(&r, last);
    ASSERT_NEAR(rig_body(&r, 0)[0], place, 1e-4);
    ASSERT_NEAR(rig_body(&r, 0)[7], speed, 5e-4);
    /* then about V 0.2 until it comes to rest, where the pull is less than friction */
    const double way = place - drive * 0.2;
    const double stop = drive * 0.2 + sqrt(way * way + speed * speed / (omega * omega));
    rig_to(&r, last + 0.5);
    ASSERT_NEAR(rig_body(&r, 0)[0], stop, 1e-4);
    assert_true(fabs(rig_body(&r, 0)[7]) < 1e-4);
    rig_end(&r);
    ib_graph_destroy(graph);
}

/* A ball that is thrown without spin slides until it rolls at 5/7 of its speed, from 2 v / (7 mu g)
 * on; a share of 2/7 of its energy is gone. */
static void test_rolling(void **state) {
    (void)state;
    const double k = 1e6, mu = 0.3, v = 2, depth = rest_depth(k, 1);
    const double onset = 2 * v / (7 * mu * g);
    for (int across = 0; across < 2; across++) { /* along x and along y */
        ib_mech_options options = mech_options(IB_MECH_DOP853, 0, 1e-10);
        options.gravity[2] = -g;
        ib_mech_contact c = contact_of(k);
        c.friction = mu;
        const double speed[3] = {across ? 0 : v, across ? v : 0, 0};
        rig r =
            rig_start(ball((const double[3]){0, 0, radius - depth}, speed, zero3, &c), &options);
        const ib_mech_energy start = ib_dynamics_energy(r.dynamics);
        rig_to(&r, 0.8 * onset);
        const double *y = rig_body(&r, 0);
        const double sign = across ? -1 : 1;
        ASSERT_NEAR(y[7 + across], v - mu * g * 0.8 * onset, 1e-8);
        ASSERT_NEAR(sign * y[10 + 1 - across], 2.5 * mu * g * 0.8 * onset / radius, 1e-6);
        rig_to(&r, onset + 0.2);
        ASSERT_NEAR(y[7 + across], 5 * v / 7, 1e-6);
        ASSERT_NEAR(sign * y[10 + 1 - across] * radius, 5 * v / 7, 1e-6);
        const ib_mech_energy e = ib_dynamics_energy(r.dynamics);
        const double lost = start.kinetic + start.potential - e.kinetic - e.potential;
        ASSERT_NEAR(lost, mass * v * v / 7, 1e-6);
        rig_end(&r);
    }
}

/* What friction takes, force times slip summed over the run, is what the energy loses. */
static void test_dissipation(void **state) {
    (void)state;
    const double k = 1e6, mu = 0.3, depth = rest_depth(k, 1), h = 2.5e-4;
    ib_mech_options options = mech_options(IB_MECH_DOP853, 0, 1e-11);
    options.gravity[2] = -g;
    ib_mech_contact c = contact_of(k);
    c.friction = mu;
    c.stick_speed = 0.01;
    rig r = rig_start(ball((const double[3]){0, 0, radius - depth}, (const double[3]){2, 0.5, 0},
                           (const double[3]){5, 0, 30}, &c),
                      &options);
    const ib_mech_energy start = ib_dynamics_energy(r.dynamics);
    double work = 0;
    for (int i = 0; i <= 4000; i++) { /* Simpson */
        double force[3], torque[3], w[3], turn[3];
        rig_to(&r, h * i);
        assert_int_equal(ib_dynamics_refresh(r.dynamics, r.diags), IB_OK);
        const double *y = rig_body(&r, 0), arm[3] = {0, 0, -radius};
        ib_dynamics_load(r.dynamics, 0, force, torque);
        ib_quat_rotate(y + 3, y + 10, w);
        ib_cross(w, arm, turn);
        const double power = -force[0] * (y[7] + turn[0]) - force[1] * (y[8] + turn[1]);
        work += h / 3 * power * (i == 0 || i == 4000 ? 1 : i % 2 ? 4 : 2);
    }
    const ib_mech_energy e = ib_dynamics_energy(r.dynamics);
    const double lost = start.kinetic + start.potential - e.kinetic - e.potential;
    assert_true(lost > 0.5);
    ASSERT_NEAR(work, lost, 1e-6 * lost);
    rig_end(&r);
}

/* ---- height fields ---- */

enum { GRID = 41 };

/* z(x, y) on a grid from -2 to 2. */
static ib_table *field(double (*z)(double x, double y)) {
    static double axis[GRID], values[GRID * GRID];
    const size_t n[2] = {GRID, GRID};
    const double *const axes[2] = {axis, axis};
    for (int i = 0; i < GRID; i++)
        axis[i] = -2 + 4.0 * i / (GRID - 1);
    for (int i = 0; i < GRID * GRID; i++)
        values[i] = z(axis[i / GRID], axis[i % GRID]);
    ib_table *table = ib_table_create(IB_TABLE_CUBIC, 2, n, axes, values);
    assert_non_null(table);
    return table;
}

static double slanted(double x, double y) { return 0.3 * x - 0.2 * y + 0.05; }
static double bowl(double x, double y) { return 0.5 * x * x + 0.3 * y * y + 0.1 * x * y; }
static double hills(double x, double y) { return 0.2 * sin(2 * x) * cos(1.5 * y); }

/* A height field that is a plane is as that plane: with friction, turned, on a moving body. */
static void test_flat_field(void **state) {
    (void)state;
    ib_table *table = field(slanted);
    double y[2][26];
    for (int i = 0; i < 2; i++) {
        ib_mech_options options = tight();
        options.gravity[2] = -g;
        ib_mechanism *m = ib_mechanism_create();
        const double turn[4] = {0.8, 0, 0.6, 0}, tilt[4] = {0.98, 0.1, 0.15, 0.05};
        double q[4], frame[9], local[9], height[3] = {0, 0, 0.05};
        memcpy(q, tilt, sizeof q);
        ib_quat_normalize(q);
        mech_body(m, (const double[3]){0.1, 0.2, 0.4}, no_turn, (const double[3]){0.5, 0, -2},
                  (const double[3]){3, 2, 1}, mass, inertia);
        mech_body(m, (const double[3]){0, 0, -1}, turn, zero3, (const double[3]){0.1, 0.2, 0.1}, 5,
                  (const double[3]){0.5, 0.6, 0.7});
        ib_mech_contact c = contact_of(1e5);
        const double centre[3] = {0.1, 0.2, 0.38}, origin[3] = {0, 0.1, 0.05};
        c.body2 = 1;
        c.friction = 0.4;
        c.dissipation = 0.2;
        memcpy(c.point1, centre, sizeof centre);
        memcpy(c.point2, origin, sizeof origin);
        ib_quat_matrix(q, frame);
        memcpy(c.frame, frame, sizeof frame);
        if (i) { /* the plane: its normal and point in the same frame */
            double normal[3] = {-0.3, 0.2, 1};
            ib_unit(normal, normal);
            ib_frame_from_z(normal, local);
            ib_mul33(frame, local, c.frame);
            ib_mul3v(frame, height, height);
            ib_axpy(origin, 1, height, c.point2);
        } else {
            c.surface = table;
        }
        ib_mechanism_add_contact(m, &c);
        rig r = rig_start(m, &options);
        rig_to(&r, 0.4);
        memcpy(y[i], rig_body(&r, 0), sizeof y[i]);
        assert_true(y[i][9] > -4); /* it has bounced */
        rig_end(&r);
    }
    for (int k = 0; k < 26; k++)
        ASSERT_NEAR(y[0][k], y[1][k], 2e-8);
    ib_table_destroy(table);
}

/* The distance of a point from a surface by brute force. */
static double distance_to(const ib_table *table, const double c[3]) {
    double best = 1e9, at[2] = {c[0], c[1]}, size = 0.5;
    for (int level = 0; level < 40; level++, size *= 0.6) {
        double next[2] = {at[0], at[1]};
        for (int i = -5; i <= 5; i++)
            for (int j = -5; j <= 5; j++) {
                const double x[2] = {at[0] + size * i / 5, at[1] + size * j / 5};
                const double gap[3] = {x[0] - c[0], x[1] - c[1], ib_table_eval(table, 0, x) - c[2]};
                if (ib_norm(gap) >= best)
                    continue;
                best = ib_norm(gap);
                memcpy(next, x, sizeof next);
            }
        memcpy(at, next, sizeof at);
    }
    return best;
}

/* The force at many places on a wavy ground is k d^1.5 of the depth by brute force, and points
 * along what separates centre and foot. */
static void test_depth(void **state) {
    (void)state;
    ib_table *table = field(hills);
    uint64_t sequence = 1;
    int touched = 0;
    for (int i = 0; i < 60; i++) {
        const double x = 1.5 * next_random(&sequence), y = 1.5 * next_random(&sequence);
        const double rise = next_random(&sequence);
        const double centre[3] = {x, y, hills(x, y) + radius * (0.9 + 0.3 * rise)};
        const ib_mech_options options = tight();
        ib_mech_contact c = contact_of(1e5);
        c.surface = table;
        rig r = rig_start(ball(centre, zero3, zero3, &c), &options);
        double force[3], torque[3];
        assert_int_equal(ib_dynamics_refresh(r.dynamics, r.diags), IB_OK);
        ib_dynamics_load(r.dynamics, 0, force, torque);
        const double depth = radius - distance_to(table, centre);
        const double wanted = depth > 0 ? 1e5 * pow(depth, 1.5) : 0;
        ASSERT_NEAR(ib_norm(force), wanted, 1e-7 * (wanted + 1));
        touched += wanted > 0;
        rig_end(&r);
    }
    assert_true(touched > 20 && touched < 55);
    ib_table_destroy(table);
}

/* A ball that slides in a bowl without friction, off its middle, and one that bounces over hills:
 * energy stays. */
static void test_field_conserves(void **state) {
    (void)state;
    for (int hilly = 0; hilly < 2; hilly++) {
        ib_table *table = field(hilly ? hills : bowl);
        ib_mech_options options = tight();
        options.gravity[2] = -g;
        ib_mech_contact c = contact_of(1e5);
        c.surface = table;
        const double start[3] = {0.8, -0.3, (hilly ? 0.4 : bowl(0.8, -0.3)) + 1.1 * radius};
        rig r = rig_start(ball(start, (const double[3]){hilly ? -0.8 : 0, 0.2, 0},
                               (const double[3]){1, 2, 3}, &c),
                          &options);
        const ib_mech_energy before = ib_dynamics_energy(r.dynamics);
        double lowest = 10;
        for (int i = 1; i <= 20; i++) {
            rig_to(&r, 0.05 * i);
            const ib_mech_energy e = ib_dynamics_energy(r.dynamics);
            ASSERT_NEAR(e.kinetic + e.potential, before.kinetic + before.potential, 2e-7);
            lowest = fmin(lowest, rig_body(&r, 0)[2]);
        }
        assert_true(lowest < start[2] - 0.2);
        rig_end(&r);
        ib_table_destroy(table);
    }
}

/* Rolling down a slanted field: 5/7 g sin a along the slope, from rest. */
static void test_field_rolling(void **state) {
    (void)state;
    ib_table *table = field(slanted);
    ib_mech_options options = mech_options(IB_MECH_DOP853, 0, 1e-9);
    options.gravity[2] = -g;
    ib_mech_contact c = contact_of(1e6);
    const double up[3] = {-0.3, 0.2, 1}, size = ib_norm(up), cosine = 1 / size;
    const double gap = radius - rest_depth(1e6, cosine);
    const double start[3] = {up[0] / size * gap, up[1] / size * gap, 0.05 + up[2] / size * gap};
    c.surface = table;
    c.friction = 0.5;
    rig r = rig_start(ball(start, zero3, zero3, &c), &options);
    rig_to(&r, 0.8);
    const double sine = sqrt(1 - cosine * cosine), speed = 5 * g * sine / 7 * 0.8;
    ASSERT_NEAR(ib_norm(rig_body(&r, 0) + 7), speed, 2e-3); /* it creeps by up to 1e-3 */
    ASSERT_NEAR(ib_norm(rig_body(&r, 0) + 10) * radius, speed, 2e-3);
    rig_end(&r);
    ib_table_destroy(table);
}

/* ---- the start ---- */

/* Too deep is said with the depth; within max_depth it flies off. */
static void test_deep_start(void **state) {
    (void)state;
    ib_table *table = field(slanted);
    for (int surface = 0; surface < 2; surface++) {
        const ib_mech_options options = tight();
        ib_mech_contact c = contact_of(1e5);
        c.max_depth = 0.02;
        c.surface = surface ? table : NULL;
        const double low = surface ? 0.05 : 0;
        rig r = rig_make(ball((const double[3]){0, 0, low + 0.07}, zero3, zero3, &c), &options);
        assert_int_equal(ib_dynamics_assemble(r.dynamics, r.diags), IB_BAD_INPUT);
        assert_true(has_diag(r.diags, "IB0644",
                             surface ? "touch: it starts 0.0341495 m deep"
                                     : "touch: it starts 0.03 m deep"));
        rig_end(&r);
        c.max_depth = 0.04;
        r = rig_start(ball((const double[3]){0, 0, low + 0.07}, zero3, zero3, &c), &options);
        rig_to(&r, 0.05);
        assert_true(rig_body(&r, 0)[9] > 0.5);
        rig_end(&r);
    }
    ib_table_destroy(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collision),       cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_bounces),         cmocka_unit_test(test_fixed_steps),
        cmocka_unit_test(test_damped_bounces),  cmocka_unit_test(test_between_bodies),
        cmocka_unit_test(test_slide_and_stick), cmocka_unit_test(test_stick_slip),
        cmocka_unit_test(test_rolling),         cmocka_unit_test(test_dissipation),
        cmocka_unit_test(test_flat_field),      cmocka_unit_test(test_depth),
        cmocka_unit_test(test_field_conserves), cmocka_unit_test(test_field_rolling),
        cmocka_unit_test(test_deep_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
