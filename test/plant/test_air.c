/* Aerodynamic forces of a model: signs and axes, closed forms by every solver, nothing at rest,
 * exact slopes; and gravity and air from outside.
 */
#include "plant/plant_test.h"

#include "plant/plant.h"

static const char *const solvers[] = {"dopri5, rtol: 1e-10", "dop853, rtol: 1e-10",
                                      "rk4, step: 1 ms", "stiff, rtol: 1e-10",
                                      "generalized_alpha, step: 1 ms"};
static const double tolerances[] = {1e-8, 1e-8, 1e-8, 1e-8, 2e-5};

static bench start_with(const char *body, const char *rest, const char *solver) {
    char text[3000];
    snprintf(text, sizeof text,
             "ironbird: 1\n"
             "bodies: {b: {mass: 2, inertia: [0.3, 0.2, 0.4], %s}}\n"
             "%s"
             "simulation: {end: 10, output_step: 0.1, solver: %s}\n",
             body, rest, solver);
    return start_bench(text);
}

static void read_three(bench *b, const char *name, double out[3]) {
    char channel[80];
    for (int k = 0; k < 3; k++) {
        snprintf(channel, sizeof channel, "%s.%c", name, "xyz"[k]);
        out[k] = read_channel(b, channel);
    }
}

/* ---- axes and signs ---- */

/* Each coefficient alone: along or about x forward, y right, z down, of the body or of a frame that
 * is turned half round x, so that its y and z point the other way. */
static void test_signs(void **state) {
    (void)state;
    static const char *const names[] = {"CX", "CY", "CZ", "Cl", "Cm", "Cn"};
    static const double lengths[] = {1, 1, 1, 3, 0.4, 3};
    const double pressure = 0.5 * 1.2 * 400; /* at 20 m/s */
    for (int i = 0; i < 6; i++)
        for (int turned = 0; turned < 2; turned++) {
            char rest[500];
            snprintf(rest, sizeof rest,
                     "air: {density: 1.2}\n"
                     "forces: {a: {type: aerodynamic, body1: b, reference_area: 0.5, "
                     "reference_length: 0.4, reference_span: 3, axes: body, %s coefficients: "
                     "{%s: 0.1}}}\n",
                     turned ? "orientation: [0, 1, 0, 0]," : "", names[i]);
            bench b = start_with("velocity: [20, 0, 0]", rest, "dopri5");
            double vector[3];
            read_three(&b, i < 3 ? "a.force" : "a.torque", vector);
            for (int k = 0; k < 3; k++) {
                const double sign = turned && k > 0 ? -1 : 1;
                const double wanted = k == i % 3 ? sign * pressure * 0.5 * 0.1 * lengths[i] : 0;
                ASSERT_NEAR(vector[k], wanted, 1e-12);
            }
            end_bench(&b);
        }
}

/* What the expressions see, in wind: u, v, w = 30, 4, 5 along the axes, at rates of 0.2, 0.3, 0.4.
 */
static void test_flow(void **state) {
    (void)state;
    bench b = start_with("velocity: [27, 6, 5], angular_velocity: [0.2, 0.3, 0.4]",
                         "air: {density: 1.1, sound_speed: 320, wind: [-3, 2, 0]}\n"
                         "forces: {a: {type: aerodynamic, body1: b, reference_area: 1, "
                         "reference_length: 0.4, reference_span: 3, axes: body, coefficients: "
                         "{CX: p_hat, CY: q_hat, CZ: r_hat, Cl: alpha + 10 * beta, Cm: mach, Cn: "
                         "'airspeed + 1000 * dynamic_pressure'}}}\n",
                         "dopri5");
    const double speed = sqrt(900 + 16 + 25), pressure = 0.55 * speed * speed;
    const double alpha = atan2(5, 30), beta = atan2(4, sqrt(925));
    double force[3], torque[3];
    read_three(&b, "a.force", force);
    read_three(&b, "a.torque", torque);
    ASSERT_NEAR(read_channel(&b, "a.alpha"), alpha, 1e-15);
    ASSERT_NEAR(read_channel(&b, "a.beta"), beta, 1e-15);
    ASSERT_NEAR(read_channel(&b, "a.mach"), speed / 320, 1e-15);
    ASSERT_NEAR(read_channel(&b, "a.airspeed"), speed, 1e-13);
    ASSERT_NEAR(read_channel(&b, "a.dynamic_pressure"), pressure, 1e-12);
    ASSERT_NEAR(force[0], pressure * 0.2 * 3 / (2 * speed), 1e-12);
    ASSERT_NEAR(force[1], pressure * 0.3 * 0.4 / (2 * speed), 1e-12);
    ASSERT_NEAR(force[2], pressure * 0.4 * 3 / (2 * speed), 1e-12);
    ASSERT_NEAR(torque[0], 3 * pressure * (alpha + 10 * beta), 1e-10);
    ASSERT_NEAR(torque[1], 0.4 * pressure * speed / 320, 1e-12);
    ASSERT_NEAR(torque[2], 3 * pressure * (speed + 1000 * pressure), 1e-4);
    end_bench(&b);
}

/* Drag is against the wind that is felt, lift across it in the plane of symmetry, side force across
 * both: all three by vectors. In stability axes drag stays in the plane of symmetry. */
static void test_wind_axes(void **state) {
    (void)state;
    const double V[3] = {30, 4, 5}, speed = sqrt(941), plane = sqrt(925);
    const double scale = 0.5 * 941 * 2; /* density 1, area 2 */
    for (int wind = 0; wind < 2; wind++) {
        char rest[400];
        snprintf(rest, sizeof rest,
                 "air: {density: 1}\n"
                 "forces: {a: {type: aerodynamic, body1: b, reference_area: 2, axes: %s, "
                 "coefficients: {CD: 0.3, CY: 0.05, CL: 0.7}}}\n",
                 wind ? "wind" : "stability");
        bench b = start_with("velocity: [30, 4, 5]", rest, "dopri5");
        double force[3];
        read_three(&b, "a.force", force);
        const double lift[3] = {5 / plane, 0, -30 / plane};
        for (int k = 0; k < 3; k++) {
            const double along = wind ? V[k] / speed : k == 1 ? 0 : V[k] / plane;
            /* y of the wind axes is z x x, x the wind's: y (u^2 + w^2) - v (u, 0, w) */
            const double right =
                wind ? (k == 1 ? plane / speed : -4 * V[k] / (plane * speed)) : k == 1;
            ASSERT_NEAR(force[k], scale * (-0.3 * along + 0.05 * right + 0.7 * lift[k]), 1e-10);
        }
        end_bench(&b);
    }
}

/* ---- closed forms ---- */

/* Drag in still air: v = v0/(1 + k v0 t), x = log(1 + k v0 t)/k with k = density S CD/(2 m). */
static void test_drag(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with("velocity: [18, 0, 24]",
                             "air: {density: 1.2}\n"
                             "forces: {a: {type: aerodynamic, body1: b, reference_area: 0.1, axes: "
                             "wind, coefficients: {CD: 0.5}}}\n",
                             solvers[i]);
        advance(&b, 5);
        const double k = 1.2 * 0.1 * 0.5 / 4, share = 1 + k * 30 * 5;
        ASSERT_NEAR(read_channel(&b, "b.velocity.x"), 18 / share, tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.velocity.z"), 24 / share, tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.position.x"), 0.6 * log(share) / k, 10 * tolerances[i]);
        end_bench(&b);
    }
}

/* From rest: v = vt tanh(g t/vt). Where nothing pulls it stays there. */
static void test_rest(void **state) {
    (void)state;
    static const char *const air =
        "air: {density: 1.2}\n"
        "tables: {lift: {axes: [[-2, 0, 2], [0, 1]], values: [[-1, -1], [0, 0], [1, 1]]}}\n"
        "forces: {a: {type: aerodynamic, body1: b, reference_area: 0.1, reference_length: 1, axes: "
        "wind, coefficients: {CD: 0.5 + 0 * alpha, CY: beta * p_hat, CL: 'lift(beta, mach)', Cm: "
        "-0.2 * q_hat, Cl: -p_hat, Cn: -r_hat + beta}}}\n";
    const double top = sqrt(2 * 2 * 9.81 / (1.2 * 0.1 * 0.5));
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        char text[900];
        bench b = start_with("position: [0, 0, 0]", air, solvers[i]);
        advance(&b, 1);
        ASSERT_NEAR(read_channel(&b, "a.alpha"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "a.beta"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "a.force.x"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "b.position.x"), 0, 0);
        end_bench(&b);
        snprintf(text, sizeof text, "gravity: [9.81, 0, 0]\n%s", air);
        b = start_with("position: [0, 0, 0]", text, solvers[i]);
        advance(&b, 2);
        ASSERT_NEAR(read_channel(&b, "b.velocity.x"), top * tanh(9.81 * 2 / top), tolerances[i]);
        end_bench(&b);
    }
}

/* A rolling wing: p' = -(density V S b^2/(4 Ixx)) |Clp| p. */
static void test_roll_damping(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b =
            start_with("velocity: [40, 0, 0], angular_velocity: [2, 0, 0]",
                       "air: {density: 1.2}\n"
                       "forces: {a: {type: aerodynamic, body1: b, reference_area: 0.01, "
                       "reference_span: 1.5, axes: body, coefficients: {Cl: -0.4 * p_hat}}}\n",
                       solvers[i]);
        const double rate = 0.5 * 1.2 * 1600 * 0.01 * 1.5 * 0.4 * 1.5 / (2 * 40) / 0.3;
        advance(&b, 2);
        ASSERT_NEAR(read_channel(&b, "b.angular_velocity.x"), 2 * exp(-2 * rate), tolerances[i]);
        end_bench(&b);
    }
}

/* ---- a whole aircraft ---- */

static const char *const aircraft =
    "air: {density: 1.2 * exp(z / 8000), sound_speed: 300, wind: [-3 * cos(t), 2, 0.5]}\n"
    "measures: {z: {type: displacement, body1: b, component: z}}\n"
    "inputs: {elevator: 0.02}\n"
    "splines: {drag: {x: [-0.5, 0, 0.3, 0.6], y: [0.2, 0.03, 0.08, 0.4]}}\n"
    "forces: {a: {type: aerodynamic, body1: b, reference_point: [0.02, 0.01, 0], reference_area: "
    "0.4, reference_length: 0.2, reference_span: 2, axes: wind, coefficients: {CD: drag(alpha), "
    "CY: "
    "-0.3 * beta + 0.1 * r_hat, CL: '0.2 + 4 * alpha * (1 + mach)', Cl: '-0.1 * beta - 0.4 * "
    "p_hat', Cm: '0.02 - 0.5 * alpha - 6 * q_hat - elevator', Cn: '0.08 * beta - 0.1 * r_hat'}}}\n";

static void test_agreement(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853, rtol: 1e-11", "dopri5, rtol: 1e-10",
                                          "stiff, rtol: 1e-9", "generalized_alpha, step: 4 ms",
                                          "generalized_alpha, step: 2 ms"};
    static const char *const names[] = {"b.position.x", "b.position.z", "b.velocity.y",
                                        "b.angular_velocity.y", "a.alpha"};
    double value[5][5], worst[5] = {0};
    for (int i = 0; i < 5; i++) {
        bench b = start_with("velocity: [20, 1, 2], angular_velocity: [0.5, 0.2, -0.3], "
                             "orientation: {sequence: zyx, angles: [0, 0.1, 0.2]}",
                             aircraft, methods[i]);
        advance(&b, 1);
        for (int k = 0; k < 5; k++) {
            value[i][k] = read_channel(&b, names[k]);
            worst[i] = fmax(worst[i], fabs(value[i][k] - value[0][k]));
        }
        end_bench(&b);
    }
    assert_true(worst[1] < 1e-7 && worst[2] < 1e-6);
    assert_true(worst[4] < 1e-3 && worst[3] / worst[4] > 3.6 && worst[3] / worst[4] < 4.4);
}

/* Each law by each measure it uses against central differences; at rest they are 0 and finite. */
static void test_slopes(void **state) {
    (void)state;
    bench b = start_with("velocity: [20, 1, 2]", aircraft, "dopri5");
    const ib_model *m = b.model;
    const ib_aerodynamic *a = m->forces[0].aerodynamic;
    const size_t n = ib_leaf_count(m);
    double *leaves = calloc(n, sizeof *leaves);
    bool *used = calloc(n, sizeof *used);
    assert_true(leaves && used);
    for (int rest = 0; rest < 2; rest++) {
        uint64_t sequence = 7;
        for (size_t i = 0; i < n; i++) {
            sequence = sequence * 6364136223846793005U + 1442695040888963407U;
            leaves[i] = rest ? 0 : 0.1 + (double)(sequence >> 33) / (1U << 31);
        }
        leaves[ib_leaf_air(m, 0)] = 0;
        for (int law = 0; law < 6; law++) {
            memset(used, 0, n * sizeof *used);
            assert_true(ib_graph_depends(m->graph, a->law[law], used, n));
            size_t n_used = 0;
            for (uint32_t leaf = ib_leaf_measure(m, 0); leaf < n; leaf++) {
                ib_node slope;
                if (!used[leaf])
                    continue;
                n_used++;
                ib_graph_gradient(m->graph, a->law[law], &leaf, 1, &slope);
                const double exact = ib_graph_value(m->graph, slope, leaves, n);
                const double at = leaves[leaf], h = 1e-5;
                leaves[leaf] = at + h;
                const double up = ib_graph_value(m->graph, a->law[law], leaves, n);
                leaves[leaf] = at - h;
                const double down = ib_graph_value(m->graph, a->law[law], leaves, n);
                leaves[leaf] = at;
                /* of second order, of values near 1 and with the 1/V of the rates */
                if (rest)
                    ASSERT_NEAR(exact, 0, 0);
                else
                    ASSERT_NEAR(exact, (up - down) / (2 * h), 1e-7 * (1 + fabs(exact)));
            }
            assert_true(n_used >= 13); /* height, three velocities and nine cosines at least */
        }
    }
    free(leaves);
    free(used);
    end_bench(&b);
}

/* Turned by a quarter about z, wind and all: x to y, y to -x. */
static void test_turned(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "velocity: [20, 1, 2], angular_velocity: [0.5, 0.2, -0.3]",
        "orientation: {sequence: zyx, angles: [90 deg, 0, 0]}, velocity: [-1, 20, 2], "
        "angular_velocity: [-0.2, 0.5, -0.3]"};
    static const char *const winds[] = {"[-3, 2, 0.5]", "[-2, -3, 0.5]"};
    double place[2][3];
    for (int i = 0; i < 2; i++) {
        char rest[900];
        snprintf(rest, sizeof rest,
                 "air: {wind: %s}\n"
                 "forces: {a: {type: aerodynamic, body1: b, reference_area: 0.4, reference_length: "
                 "0.2, reference_span: 2, axes: stability, coefficients: {CD: 0.1, CY: -beta, CL: "
                 "4 * alpha, Cl: -0.4 * p_hat, Cm: -0.5 * alpha - 6 * q_hat, Cn: 0.1 * beta}}}\n",
                 winds[i]);
        bench b = start_with(bodies[i], rest, "dop853, rtol: 1e-11");
        advance(&b, 1);
        read_three(&b, "b.position", place[i]);
        end_bench(&b);
    }
    ASSERT_NEAR(place[1][0], -place[0][1], 1e-8);
    ASSERT_NEAR(place[1][1], place[0][0], 1e-8);
    ASSERT_NEAR(place[1][2], place[0][2], 1e-8);
}

/* ---- from outside ---- */

/* A centre that pulls with mu = 4, and air that thins with height. */
static void centre(void *context, double t, const double r[3], double g[3], double gradient[9]) {
    const double square = ib_dot(r, r), size = sqrt(square), mu = 4;
    (void)t;
    ++*(int *)context;
    for (int i = 0; i < 3; i++) {
        g[i] = -mu * r[i] / (square * size);
        for (int j = 0; j < 3; j++)
            gradient[3 * i + j] =
                mu / (square * size) * (3 * r[i] * r[j] / square - (i == j ? 1 : 0));
    }
}

static void thin(void *context, double t, const double r[3], ib_mech_air *air) {
    ++*(int *)context;
    *air = (ib_mech_air){1.2 * exp(-r[2] / 10), 300, 1e5 * exp(-r[2] / 10), {0, t, 0}};
}

/* An ellipse of semi-axis 1.6 from its near end: after half a period, pi sqrt(a^3/mu), at the far
 * one. */
static void test_orbit(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        int count = 0;
        const ib_mech_field field = {&count, centre, NULL};
        const double a = 1.6, near = 1, speed = sqrt(4 * (2 / near - 1 / a));
        char body[200];
        snprintf(body, sizeof body, "position: [1, 0, 0], velocity: [0, %.17g, 0]", speed);
        bench b = start_with(body, "gravity: [0, 0, -9]\n", solvers[i]);
        assert_int_equal(ib_system_set_field(b.system, &field, b.diags), IB_OK);
        advance(&b, acos(-1) * sqrt(a * a * a / 4));
        ASSERT_NEAR(read_channel(&b, "b.position.x"), near - 2 * a, 10 * tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.position.y"), 0, 10 * tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.velocity.y"), -speed * near / (2 * a - near),
                    10 * tolerances[i]);
        assert_true(count > 10);
        end_bench(&b);
    }
}

/* It takes the place of the model's own; taken away, that counts again. */
static void test_air_outside(void **state) {
    (void)state;
    int count = 0;
    const ib_mech_field field = {&count, NULL, thin}, none = {&count, NULL, NULL};
    bench b = start_with("position: [0, 0, 10], velocity: [30, 0, 0]",
                         "air: {density: 1, sound_speed: 200, pressure: 2e4}\n"
                         "forces:\n"
                         "  a: {type: aerodynamic, body1: b, reference_point: [0, 0, 5], "
                         "reference_area: 1, axes: body, coefficients: {CX: -0.1}}\n"
                         "  f: {type: thrust, body1: b, point1: [0, 0, 10], direction: [1, 0, 0], "
                         "thrust: 4000, nozzle_area: 0.02}\n",
                         "dopri5");
    ASSERT_NEAR(read_channel(&b, "a.force.x"), -0.1 * 0.5 * 900, 1e-12);
    ASSERT_NEAR(read_channel(&b, "f.value"), 4000 - 400, 1e-12);
    assert_int_equal(ib_system_set_field(b.system, &field, b.diags), IB_OK);
    ASSERT_NEAR(read_channel(&b, "a.force.x"), -0.1 * 0.5 * 900 * 1.2 * exp(-0.5), 1e-12);
    ASSERT_NEAR(read_channel(&b, "a.mach"), 0.1, 1e-15);
    ASSERT_NEAR(read_channel(&b, "f.value"), 4000 - 2000 * exp(-1), 1e-11);
    advance(&b, 0.01);
    assert_int_equal(ib_system_set_field(b.system, &none, b.diags), IB_OK);
    ASSERT_NEAR(read_channel(&b, "f.value"), 4000 - 400, 1e-12);
    advance(&b, 0.02);
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs),       cmocka_unit_test(test_flow),
        cmocka_unit_test(test_wind_axes),   cmocka_unit_test(test_drag),
        cmocka_unit_test(test_rest),        cmocka_unit_test(test_roll_damping),
        cmocka_unit_test(test_agreement),   cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_turned),      cmocka_unit_test(test_orbit),
        cmocka_unit_test(test_air_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
