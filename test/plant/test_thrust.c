/* Thrust and propellant of a model: closed forms by every solver, mass, centre and inertia against
 * formulas, and what the air and a rotating flow take away, against balances over the whole.
 */
#include "plant/plant_test.h"

#include "num/num.h"

static const double g0 = 9.80665;

static const char *const solvers[] = {"dopri5, rtol: 1e-11", "dop853, rtol: 1e-11",
                                      "rk4, step: 20 ms",    "stiff, rtol: 1e-11",
                                      "stiff, step: 50 ms",  "generalized_alpha, step: 1 ms"};
/* Relative; the last is of second order. */
static const double tolerances[] = {1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 2e-8};

static bench start_with(const char *body, const char *rest, const char *solver) {
    char text[3000];
    snprintf(text, sizeof text,
             "ironbird: 1\n"
             "bodies: {b: {%s}}\n"
             "%s"
             "simulation: {end: 100, output_step: 1, solver: %s}\n",
             body, rest, solver);
    return start_bench(text);
}

static void near_share(double value, double wanted, double share) {
    ASSERT_NEAR(value, wanted, share * fabs(wanted));
}

/* ---- Tsiolkovsky ---- */

/* v = c log(m0/m), x its integral, until the tank is empty at m_p c/F; then straight on. */
static void test_rocket_equation(void **state) {
    (void)state;
    const double thrust = 2e4, c = 300 * g0, dry = 500, full = 900, flow = thrust / c;
    const double burn = 400 / flow;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with("mass: 500, inertia: [50, 800, 800], propellant: {mass: 400, tank: "
                             "{shape: cylinder, position: [-2, 0, 0], axis: [1, 0, 0], radius: "
                             "0.4, length: 3}}",
                             "forces: {f: {type: thrust, body1: b, point1: [-3, 0, 0], direction: "
                             "[1, 0, 0], thrust: 2e4, isp: 300}}\n",
                             solvers[i]);
        for (double t = 20; t < 100; t += 35) {
            const double on = t < burn ? t : burn, m = full - flow * on;
            const double v = c * log(full / m);
            const double x = c * (on - m / flow * log(full / m)) + v * (t - on);
            advance(&b, t);
            near_share(read_channel(&b, "b.velocity.x"), v, tolerances[i]);
            near_share(read_channel(&b, "b.position.x"), x, tolerances[i]);
            near_share(read_channel(&b, "b.mass"), m, 1e-12);
            ASSERT_NEAR(read_channel(&b, "f.value"), t < burn ? thrust : 0, 0);
            ASSERT_NEAR(read_channel(&b, "b.angular_velocity.y"), 0, 1e-12);
        }
        ASSERT_NEAR(read_channel(&b, "b.propellant"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "b.mass"), dry, 0);
        end_bench(&b);
    }
}

/* The thrust ends in the nanosecond in which the tank does: between the two it is there and not. */
static void test_burn_out(void **state) {
    (void)state;
    const double burn = 12.3456789 * 300 * g0 / 2e4; /* of m F/(isp g0) */
    const ib_time at = (ib_time)floor(burn * 1e9);
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with("mass: 50, inertia: [1, 1, 1], propellant: {mass: 12.3456789}",
                             "forces: {f: {type: thrust, body1: b, direction: [1, 0, 0], thrust: "
                             "2e4, isp: 300}}\n",
                             solvers[i]);
        assert_int_equal(ib_system_advance(b.system, at - 1, b.diags), IB_OK);
        assert_true(read_channel(&b, "b.propellant") > 0);
        ASSERT_NEAR(read_channel(&b, "f.value"), 2e4, 0);
        assert_int_equal(ib_system_advance(b.system, at + 2, b.diags), IB_OK);
        ASSERT_NEAR(read_channel(&b, "b.propellant"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "f.value"), 0, 0);
        end_bench(&b);
    }
}

/* A throttle that changes, two tanks that end in one step, and one that two thrusts burn. */
static void test_several_tanks(void **state) {
    (void)state;
    static const char *const names[] = {"dopri5, rtol: 1e-10", "rk4, step: 1 s",
                                        "stiff, rtol: 1e-10"};
    for (size_t i = 0; i < IB_COUNT(names); i++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "ironbird: 1\n"
            "bodies:\n"
            "  a: {mass: 10, inertia: [1, 1, 1], propellant: {mass: 4.5}}\n"
            "  b: {mass: 10, inertia: [1, 1, 1], position: [5, 0, 0], propellant: {mass: 3}}\n"
            "  c: {mass: 10, inertia: [1, 1, 1], position: [9, 0, 0], propellant: {mass: 99}}\n"
            "forces:\n" /* isp g0 = 1 m/s */
            "  fa: {type: thrust, body1: a, direction: [1, 0, 0], thrust: t, isp: 1/9.80665}\n"
            "  fb: {type: thrust, body1: b, direction: [1, 0, 0], thrust: 0.6, isp: 1/9.80665}\n"
            "  fc: {type: thrust, body1: b, direction: [0, 1, 0], thrust: 0.4, isp: 1/9.80665}\n"
            "  fd: {type: thrust, body1: c, direction: [0, 1, 0], thrust: -3, isp: 1}\n"
            "simulation: {end: 10, output_step: 1, solver: %s}\n",
            names[i]);
        bench b = start_bench(text);
        advance(&b, 2.5); /* a: 4.5 - t^2/2 ends at 3; b: 3 - t at 3, too */
        ASSERT_NEAR(read_channel(&b, "a.propellant"), 4.5 - 2.5 * 2.5 / 2, 1e-9);
        ASSERT_NEAR(read_channel(&b, "b.propellant"), 0.5, 1e-9);
        advance(&b, 3.5);
        ASSERT_NEAR(read_channel(&b, "a.propellant"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "b.propellant"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "c.propellant"), 99, 0);
        ASSERT_NEAR(read_channel(&b, "a.velocity.x"), log(14.5 / 10), i == 1 ? 3e-5 : 1e-8);
        ASSERT_NEAR(read_channel(&b, "b.velocity.x"), 0.6 * log(13.0 / 10), i == 1 ? 3e-5 : 1e-8);
        ASSERT_NEAR(read_channel(&b, "b.velocity.y"), 0.4 * log(13.0 / 10), i == 1 ? 3e-5 : 1e-8);
        ASSERT_NEAR(read_channel(&b, "c.velocity.y"), 0, 0);
        end_bench(&b);
    }
}

/* The order of each method, over a burn whose end lies inside a step; errors of a throttled rocket
 * against Tsiolkovsky's v = c log(m0/m) with m = m0 - F (t^2/2)/c. */
static double throttled_error(const char *method, double step) {
    char solver[80];
    snprintf(solver, sizeof solver, "%s, step: %.17g", method, step);
    bench b = start_with("mass: 10, inertia: [1, 1, 1], propellant: {mass: 4.5}",
                         "forces: {f: {type: thrust, body1: b, direction: [1, 0, 0], thrust: t, "
                         "isp: 1/9.80665}}\n",
                         solver);
    advance(&b, 3.7);
    const double error = fabs(read_channel(&b, "b.velocity.x") - log(1.45));
    end_bench(&b);
    return error;
}

static void test_order(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double step, order;
    } methods[] = {{"rk4", 0.8, 4}, {"dopri5", 1.8, 5}, {"generalized_alpha", 0.1, 2}};
    for (size_t i = 0; i < IB_COUNT(methods); i++) {
        const double coarse = throttled_error(methods[i].name, methods[i].step);
        const double fine = throttled_error(methods[i].name, methods[i].step / 2);
        const double order = log2(coarse / fine);
        if (!(order > methods[i].order - 0.4))
            fail_msg("%s: order %.2f (%.3g, %.3g)", methods[i].name, order, coarse, fine);
    }
}

/* ---- air ---- */

/* Thrust - A p, never below 0, burning what the vacuum thrust burns. */
static void test_nozzle(void **state) {
    (void)state;
    static const double wanted[] = {2000 - 0.01 * 5e4, 0, 0};
    static const char *const thrusts[] = {"2000", "400", "-100"};
    for (int i = 0; i < 3; i++) {
        char rest[400];
        snprintf(rest, sizeof rest,
                 "air: {pressure: 5e4}\n"
                 "forces: {f: {type: thrust, body1: b, direction: [0, 0, 1], thrust: '%s + 0 * t', "
                 "isp: 200, nozzle_area: 0.01}}\n",
                 thrusts[i]);
        bench b = start_with("mass: 50, inertia: [1, 1, 1], propellant: {mass: 20}", rest,
                             "dopri5, rtol: 1e-10");
        ASSERT_NEAR(read_channel(&b, "f.value"), wanted[i], 1e-12);
        advance(&b, 1);
        const double flow = fmax(atof(thrusts[i]), 0) / (200 * g0);
        ASSERT_NEAR(read_channel(&b, "b.propellant"), 20 - flow, 1e-9);
        end_bench(&b);
    }
    bench b = start_with("mass: 50, inertia: [1, 1, 1]", /* without air, and without a tank */
                         "forces: {f: {type: thrust, body1: b, direction: [0, 0, 1], thrust: 2000, "
                         "nozzle_area: 0.01}}\n",
                         "dopri5, rtol: 1e-10");
    assert_non_null(find_diag(b.diags, "IB0334", "f:"));
    advance(&b, 1);
    ASSERT_NEAR(read_channel(&b, "b.velocity.z"), 40, 1e-9);
    end_bench(&b);
}

/* ---- centre and inertia ---- */

/* Under its own weight about a pivot a body is a pendulum: its first swing tells m c and J. */
typedef struct filled {
    const char *tank;
    double centre, across; /* of the propellant along x, and its inertia across x, about itself */
} filled;

static void test_inertia(void **state) {
    (void)state;
    static const filled cases[] = {
        {"shape: point, position: [0.6, 0, 0]", 0.6, 0},
        {"shape: sphere, position: [0.6, 0, 0], radius: 0.3", 0.6, 0.4 * 3 * 0.09},
        {"shape: cylinder, position: [0.2, 0, 0], axis: [1, 0, 0], radius: 0.3, length: 0.5", 0.45,
         3 * (0.09 / 4 + 0.25 / 12)}};
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "ironbird: 1\n"
                 "gravity: [0, 0, -10]\n"
                 "bodies: {b: {mass: 2, inertia: [0.1, 0.2, 0.2], propellant: {mass: 3, tank: "
                 "{%s}}}}\n"
                 "joints: {hinge: {type: revolute, body1: b, point: [-0.5, 0, 0], axis: [0, 1, "
                 "0]}}\n"
                 "simulation: {end: 1, output_step: 1, solver: dop853, rtol: 1e-11, record: "
                 "['*']}\n",
                 cases[i].tank);
        bench b = start_bench(text);
        const double arm = cases[i].centre + 0.5;
        const double J = 0.2 + 2 * 0.25 + cases[i].across + 3 * arm * arm;
        const double torque = 10 * (2 * 0.5 + 3 * arm);
        ASSERT_NEAR(read_channel(&b, "b.centre_of_mass.x"), 3 * cases[i].centre / 5, 1e-14);
        ASSERT_NEAR(read_channel(&b, "b.acceleration.z"), -0.5 * torque / J, 1e-11);
        ASSERT_NEAR(read_channel(&b, "hinge.force.z"), 50 - (2 * 0.5 + 3 * arm) * torque / J,
                    1e-10);
        ASSERT_NEAR(read_channel(&b, "energy.potential"), 0, 1e-14);
        const double before = read_channel(&b, "energy.total");
        advance(&b, 1);
        ASSERT_NEAR(read_channel(&b, "energy.total"), before, 1e-9);
        end_bench(&b);
    }
}

/* Half empty: the surface of a cylinder is half way down, a ball is lighter. */
static void test_level(void **state) {
    (void)state;
    bench b = start_with("mass: 2, inertia: [0.1, 0.2, 0.2], propellant: {mass: 3, tank: {shape: "
                         "cylinder, position: [0.2, 0, 0], axis: [1, 0, 0], radius: 0.3, length: "
                         "0.5}}",
                         "forces: {f: {type: thrust, body1: b, direction: [1, 0, 0], thrust: "
                         "g, isp: 1}}\nparameters: {g: 9.80665}\n",
                         "dop853, rtol: 1e-11");
    advance(&b, 1.5);
    const double x = read_channel(&b, "b.position.x");
    ASSERT_NEAR(read_channel(&b, "b.propellant"), 1.5, 1e-12);
    ASSERT_NEAR(read_channel(&b, "b.centre_of_mass.x") - x, 1.5 * 0.325 / 3.5, 1e-12);
    end_bench(&b);
}

/* ---- balances ---- */

static void read_vector(bench *b, const char *name, const char *parts, double *out) {
    char channel[80];
    for (int k = 0; parts[k]; k++) {
        snprintf(channel, sizeof channel, "%s.%c", name, parts[k]);
        out[k] = read_channel(b, channel);
    }
}

static const char *const askew_body =
    "mass: 20, inertia: [2, 8, 9, 0.2, -0.1, 0.3], orientation: {sequence: zyx, angles: [0.3, "
    "-0.5, 0.2]}, velocity: [3, -1, 2], angular_velocity: [0.6, 1.1, -0.7], propellant: {mass: 30, "
    "tank: {shape: cylinder, position: [-0.6, 0.2, 0.1], axis: [1, 0.2, -0.1], radius: 0.4, "
    "length: 1.5}}";
static const char *const askew_thrust =
    "forces: {f: {type: thrust, body1: b, point1: [-1, 0.1, 0.3], direction: [1, 0.1, 0.2], "
    "thrust: 4000, isp: 250}}\n";
static const double askew_flow = 4000 / (250 * 9.80665);

/* What leaves the system in a second, and what flows inside it, of momentum (3) and angular
 * momentum about the origin (3). */
typedef struct balance {
    double have[6], rate[6];
} balance;

/* The control volume's own statement: d/dt (P + momentum of the flow inside) = F - mu v_exit, with
 * v_exit that of the nozzle, since the exhaust's speed beyond it is the thrust. */
static balance balance_at(bench *b, const double nozzle[6], const double bottom[3],
                          const double axis[3]) {
    balance at;
    double r[3], q[4], v[3], w[3], F[3], where[3], p[3], inside[3], spin[3], exit[3], arm[3],
        grown[3];
    read_vector(b, "momentum", "xyz", at.have);
    read_vector(b, "angular_momentum", "xyz", at.have + 3);
    read_vector(b, "b.position", "xyz", r);
    read_vector(b, "b.orientation", "wxyz", q);
    read_vector(b, "b.velocity", "xyz", v);
    read_vector(b, "b.angular_velocity", "xyz", w);
    const double *frame = nozzle + 3, level = 1.5 * read_channel(b, "b.propellant") / 30;
    ib_quat_rotate(q, frame, F);
    for (int k = 0; k < 3; k++) {
        F[k] *= read_channel(b, "f.value");
        where[k] = bottom[k] + level * axis[k];
        inside[k] = askew_flow * (nozzle[k] - where[k]);
    }
    ib_cross(where, nozzle, spin); /* of a straight flow from there to the nozzle */
    for (int k = 0; k < 3; k++)
        spin[k] *= askew_flow;
    ib_quat_rotate(q, inside, inside);
    ib_quat_rotate(q, spin, spin);
    ib_axpy(at.have, 1, inside, at.have);
    ib_cross(r, inside, arm);
    ib_axpy(at.have + 3, 1, arm, at.have + 3);
    ib_axpy(at.have + 3, 1, spin, at.have + 3);
    ib_cross(w, nozzle, exit);
    ib_quat_rotate(q, exit, exit);
    ib_axpy(v, 1, exit, exit);
    ib_quat_rotate(q, nozzle, p);
    ib_axpy(r, 1, p, p);
    ib_axpy(F, -askew_flow, exit, at.rate);
    ib_cross(p, at.rate, at.rate + 3);
    /* The flow counts as steady: what its column grows by as the surface falls is left out. */
    for (int k = 0; k < 3; k++)
        grown[k] = askew_flow * askew_flow * 1.5 / 30 * axis[k];
    ib_cross(nozzle, grown, spin);
    ib_quat_rotate(q, grown, grown);
    ib_quat_rotate(q, spin, spin);
    ib_cross(r, grown, arm);
    ib_axpy(at.rate, 1, grown, at.rate);
    ib_axpy(at.rate + 3, 1, arm, at.rate + 3);
    ib_axpy(at.rate + 3, 1, spin, at.rate + 3);
    return at;
}

static void test_momentum(void **state) {
    (void)state;
    const double length = sqrt(1 + 0.04 + 0.01), push = sqrt(1 + 0.01 + 0.04);
    static const char *const methods[] = {"dop853, rtol: 1e-12", "stiff, rtol: 1e-11"};
    for (size_t i = 0; i < IB_COUNT(methods); i++) {
        char body[700], rest[300];
        snprintf(body, sizeof body, "%s", askew_body);
        snprintf(rest, sizeof rest, "%s", askew_thrust);
        bench b = start_with(body, rest, methods[i]);
        double q[4], nozzle[6] = {-1, 0.1, 0.3, 1 / push, 0.1 / push, 0.2 / push};
        double bottom[3] = {-0.6, 0.2, 0.1}, axis[3] = {1 / length, 0.2 / length, -0.1 / length};
        read_vector(&b, "b.orientation", "wxyz", q);
        ib_quat_rotate_back(q, nozzle, nozzle); /* the model is global at t = 0; the body at 0 */
        ib_quat_rotate_back(q, nozzle + 3, nozzle + 3);
        ib_quat_rotate_back(q, bottom, bottom);
        ib_quat_rotate_back(q, axis, axis);
        enum { parts = 400 };
        const double h = 0.4 / parts;
        const balance first = balance_at(&b, nozzle, bottom, axis);
        balance last = first;
        double gained[6] = {0};
        for (int k = 0; k < parts; k++) { /* Simpson's rule */
            advance(&b, h * (k + 0.5));
            const balance middle = balance_at(&b, nozzle, bottom, axis);
            advance(&b, h * (k + 1));
            const balance end = balance_at(&b, nozzle, bottom, axis);
            for (int j = 0; j < 6; j++)
                gained[j] += h / 6 * (last.rate[j] + 4 * middle.rate[j] + end.rate[j]);
            last = end;
        }
        /* Simpson's error at 1 ms and up to 40 rad/s: of 1e3 kg m/s, (w h)^4/2880 */
        for (int j = 0; j < 6; j++)
            ASSERT_NEAR(last.have[j] - first.have[j], gained[j], 1e-6);
        assert_true(fabs(gained[0]) > 100 && fabs(gained[4]) > 100);
        end_bench(&b);
    }
}

/* Jet damping alone: thrust along the axis through everything, a slow turn across it. With where =
 * s, nozzle = p on the axis: J w' = -(J' + mu p^2) w. */
static void test_jet_damping(void **state) {
    (void)state;
    bench b = start_with("mass: 20, inertia: [1, 8, 8], angular_velocity: [0, 0, 0.1], propellant: "
                         "{mass: 30, tank: {shape: point, position: [0, 0, 0]}}",
                         "forces: {f: {type: thrust, body1: b, point1: [-2, 0, 0], direction: [1, "
                         "0, 0], thrust: 4000, isp: 250}}\n",
                         "dop853, rtol: 1e-12");
    advance(&b, 5);
    ASSERT_NEAR(read_channel(&b, "b.angular_velocity.z"), 0.1 * exp(-5 * askew_flow * 4 / 8),
                1e-12);
    end_bench(&b);
}

/* Everything turned and moved gives the result turned and moved; and with a joint the implicit
 * methods agree with the explicit one. */
static void test_agreement(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853, rtol: 1e-11", "dopri5, rtol: 1e-10",
                                          "stiff, rtol: 1e-9", "generalized_alpha, step: 2 ms",
                                          "generalized_alpha, step: 1 ms"};
    static const char *const names[] = {"b.position.x", "b.position.z", "b.angular_velocity.y",
                                        "b.orientation.y"};
    double value[5][4], worst[5] = {0};
    for (int i = 0; i < 5; i++) {
        char rest[800];
        snprintf(rest, sizeof rest,
                 "gravity: [0, 1, -9.81]\n"
                 "joints: {ball: {type: spherical, body1: b, point: [1, 0.3, 0.2]}}\n%s",
                 askew_thrust);
        char body[700];
        snprintf(body, sizeof body, "%s", askew_body);
        char *velocity = strstr(body, "velocity: [3, -1, 2]");
        memcpy(velocity, "velocity: [0,  0, 0]", 20);
        char *rates = strstr(body, "angular_velocity: [0.6, 1.1, -0.7]");
        memcpy(rates, "angular_velocity: [0.0, 0.0, -0.0]", 34);
        bench b = start_with(body, rest, methods[i]);
        advance(&b, 0.6);
        for (int k = 0; k < 4; k++) {
            value[i][k] = read_channel(&b, names[k]);
            worst[i] = fmax(worst[i], fabs(value[i][k] - value[0][k]));
        }
        end_bench(&b);
    }
    assert_true(worst[1] < 1e-7 && worst[2] < 1e-7);
    assert_true(worst[4] < 1e-3);
    assert_true(worst[3] / worst[4] > 3.3 && worst[3] / worst[4] < 4.7);
}

static void test_turned(void **state) {
    (void)state;
    /* a quarter turn about z: x to y, y to -x */
    static const char *const places[2][3] = {
        {"[1, 0, 0, 0]", "[0.3, 0.2, -1]", "[0.1, 0, 1]"},
        {"[0.70710678118654752, 0, 0, 0.70710678118654752]", "[-0.2, 0.3, -1]", "[0, 0.1, 1]"}};
    double place[2][3], rates[2][3];
    for (int i = 0; i < 2; i++) {
        char body[600], rest[400];
        snprintf(body, sizeof body,
                 "mass: 20, inertia: [1, 8, 9], orientation: %s, propellant: {mass: 30, tank: "
                 "{shape: cylinder, position: %s, axis: [0, 0, 1], radius: 0.4, length: 1.5}}",
                 places[i][0], places[i][1]);
        snprintf(rest, sizeof rest,
                 "forces: {f: {type: thrust, body1: b, point1: %s, direction: %s, thrust: 4000, "
                 "isp: 250}}\n",
                 places[i][1], places[i][2]);
        bench b = start_with(body, rest, "dop853, rtol: 1e-11");
        advance(&b, 2);
        read_vector(&b, "b.position", "xyz", place[i]);
        read_vector(&b, "b.angular_velocity", "xyz", rates[i]);
        end_bench(&b);
    }
    ASSERT_NEAR(place[1][0], -place[0][1], 1e-8);
    ASSERT_NEAR(place[1][1], place[0][0], 1e-8);
    ASSERT_NEAR(place[1][2], place[0][2], 1e-8);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(rates[1][k], rates[0][k], 1e-8);
    assert_true(fabs(rates[0][0]) > 0.1);
}

/* ---- snapshots, welds ---- */

static void test_snapshot(void **state) {
    (void)state;
    bench b = start_with(askew_body, askew_thrust, "dopri5");
    advance(&b, 10);
    const size_t size = ib_system_state_size(b.system);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    ib_system_save(b.system, snapshot);
    advance(&b, 30); /* past the end of the burn at 18.4 s */
    ASSERT_NEAR(read_channel(&b, "b.propellant"), 0, 0);
    const uint64_t hash = ib_system_statistics(b.system).state_hash;
    assert_int_equal(ib_system_restore(b.system, snapshot, size), IB_OK);
    assert_true(read_channel(&b, "f.value") > 0);
    advance(&b, 30);
    assert_true(ib_system_statistics(b.system).state_hash == hash);
    free(snapshot);
    end_bench(&b);
}

/* A rocket of two welded parts, the engine on the other one, is that of one body. */
static void test_weld(void **state) {
    (void)state;
    bench b = start_bench(
        "ironbird: 1\n"
        "bodies:\n"
        "  b: {mass: 3, inertia: [0.1, 0.1, 0.1], propellant: {mass: 2}}\n"
        "  e: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [-1, 0, 0]}\n"
        "joints: {w: {type: fixed, body1: b, body2: e, point: [-1, 0, 0]}}\n"
        "forces: {f: {type: thrust, body1: e, tank: b, direction: [1, 0, 0], thrust: 9.80665, isp: "
        "1}}\n"
        "simulation: {end: 3, output_step: 1, solver: dopri5, rtol: 1e-10}\n");
    advance(&b, 3);
    ASSERT_NEAR(read_channel(&b, "e.velocity.x"), g0 * log(6.0 / 4), 1e-8);
    ASSERT_NEAR(read_channel(&b, "b.mass"), 3, 0);
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rocket_equation),
        cmocka_unit_test(test_burn_out),
        cmocka_unit_test(test_several_tanks),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_nozzle),
        cmocka_unit_test(test_inertia),
        cmocka_unit_test(test_level),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_jet_damping),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_weld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
