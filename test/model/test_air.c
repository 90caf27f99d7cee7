/* Air, aerodynamic forces, thrusts and propellant: what is read, and what is said of what cannot
 * be.
 */
#include "model_test.h"

#define BODIES                                                                                     \
    "ironbird: 1\n"                                                                                \
    "bodies:\n"                                                                                    \
    "  a: {mass: 1, inertia: [1, 1, 1], orientation: {z: [0, 1, 0]}}\n"                            \
    "  b: {mass: 1, inertia: [1, 1, 1], propellant: {mass: 5}}\n"
#define FORCES "air: {}\nforces:\n"

static void refuses(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[1000];
    snprintf(text, sizeof text, BODIES FORCES "  f: {%s}\n", keys);
    expect_error(text, id, 7, column, said);
}

#define WING "type: aerodynamic, body1: a, reference_area: 2, "

static void test_aerodynamic(void **state) {
    (void)state;
    loaded l = load_good(BODIES "parameters: {c: 4}\n" FORCES "  f: {" WING
                                "reference_length: 0.4, reference_span: 3, "
                                "reference_point: [1, 2, 3], axes: wind, coefficients: {CD: 0.1, "
                                "CL: c * alpha, Cn: c}, id: W}\n");
    const ib_force *f = &l.model->forces[0];
    const ib_aerodynamic *a = f->aerodynamic;
    assert_int_equal(f->type, IB_FORCE_AERODYNAMIC);
    assert_int_equal(a->axes, IB_FLOW_WIND);
    assert_same(f->reference_area, 2);
    assert_same(f->reference_length, 0.4);
    assert_same(f->reference_span, 3);
    assert_vector(f->point1, 1, 2, 3);
    assert_int_equal(a->coefficient[1].node, IB_NO_NODE);
    assert_int_equal(l.model->n_measures, 15);
    /* its axes are the body's */
    for (int i = 0; i < 9; i++)
        assert_same(a->frame[i], i % 4 == 0 ? 1 : 0);
    assert_true(l.model->air.given);
    double value;
    assert_true(ib_graph_is_const(l.model->graph, l.model->air.density.node, &value));
    assert_same(value, 1.225);
    assert_true(ib_model_constant_count(l.model) > 0);
    bool found = false;
    for (size_t i = 0; i < ib_model_constant_count(l.model); i++)
        found = found || strcmp(ib_model_constant_name(l.model, i), "f.Cn") == 0;
    assert_true(found);
    unload(&l);
    /* given ones are turned into the body's: its z is global y, so global x, y, z are x, -z, y */
    l = load_good(BODIES FORCES "  f: {" WING "orientation: [1, 0, 0, 0], axes: body, "
                                "coefficients: {CX: 1}}\n");
    a = l.model->forces[0].aerodynamic;
    assert_vector(a->frame, 1, 0, 0);
    assert_true(fabs(fabs(a->frame[5]) - 1) < 1e-15 && fabs(fabs(a->frame[7]) - 1) < 1e-15);
    assert_same(l.model->forces[0].reference_span, 0);
    unload(&l);
}

static void test_bad_aerodynamic(void **state) {
    (void)state;
    refuses("type: aerodynamic, body1: a, axes: wind, coefficients: {}", "IB0211", 3,
            "'reference_area'");
    refuses(WING "axes: wind", "IB0211", 3, "'coefficients'");
    refuses(WING "coefficients: {}", "IB0211", 3, "'axes'");
    refuses(WING "axes: aero, coefficients: {}", "IB0215", 61, "body, stability");
    refuses(WING "axes: wind, coefficients: {CX: 1}", "IB0214", 86, "there is CD");
    refuses(WING "axes: body, coefficients: {CL: 1}", "IB0214", 86, "there is CZ");
    refuses(WING "axes: wind, coefficients: {cd: 1}", "IB0210", 82, "CD");
    refuses(WING "axes: wind, coefficients: [1]", "IB0212", 81, "map");
    refuses(WING "axes: wind, coefficients: {CD: alpa}", "IB0407", 86, "alpha");
    refuses(WING "axes: wind, coefficients: {CD: length}", "IB0413", 86, "two points");
    refuses(WING "axes: wind, coefficients: {CD: p_hat}", "IB0413", 86, "reference_span");
    refuses(WING "axes: wind, coefficients: {Cm: 1}", "IB0211", 3, "'reference_length'");
    refuses(WING "axes: wind, coefficients: {Cl: 1}", "IB0211", 3, "'reference_span'");
    refuses("type: aerodynamic, body1: a, reference_area: 0, axes: wind, coefficients: {}",
            "IB0607", 52, "not greater");
    refuses(WING "reference_span: -1, axes: wind, coefficients: {}", "IB0607", 71, "not greater");
    refuses("type: aerodynamic, body1: ground, reference_area: 1, axes: wind, coefficients: {}",
            "IB0312", 33, "not on the ground");
    refuses(WING "axes: wind, coefficients: {}, body2: b", "IB0214", 85, "body2");
    refuses("type: force, body1: a, value: [alpha, 0, 0]", "IB0413", 38, "aerodynamic");
}

/* Without air at the top there is a note, no error: a mission has air. */
static void test_no_air(void **state) {
    (void)state;
    loaded l = load(BODIES "forces:\n  f: {" WING "axes: body, coefficients: {CX: 1}}\n");
    assert_int_equal(l.status, IB_OK);
    assert_int_equal(ib_diags_count(l.diags), 1);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0334");
    unload(&l);
}

static void test_air(void **state) {
    (void)state;
    loaded l = load_good(BODIES "air: {density: 2 * t, sound_speed: 300, pressure: 5e4, wind: [1, "
                                "t, 0]}\n");
    double value;
    assert_true(ib_graph_is_const(l.model->graph, l.model->air.sound_speed.node, &value));
    assert_same(value, 300);
    unload(&l);
    expect_error(BODIES "air: {density: -1}\n", "IB0607", 5, 16, "negative");
    expect_error(BODIES "air: {sound_speed: 0}\n", "IB0607", 5, 20, "not greater");
    expect_error(BODIES "air: {wind: [1, 2]}\n", "IB0224", 5, 13, "3 expressions");
    expect_error(BODIES "air: {rho: 1}\n", "IB0210", 5, 7, "density");
    expect_error(BODIES "air: 5\n", "IB0212", 5, 6, "map");
}

#define PUSH "type: thrust, body1: b, direction: [0, 0, 2], "

static void test_thrust(void **state) {
    (void)state;
    loaded l = load_good(BODIES FORCES "  f: {" PUSH "point1: [0, 0, 1], thrust: 1 kN, isp: 300 s, "
                                       "nozzle_area: 0.1, tank: b}\n"
                                       "  g: {" PUSH "thrust: 5}\n"
                                       "  h: {" PUSH "thrust: 5, isp: 9}\n");
    const ib_force *f = l.model->forces;
    assert_vector(f[0].direction, 0, 0, 1);
    assert_vector(f[0].point1, 0, 0, 1);
    assert_same(f[0].isp, 300);
    assert_same(f[0].nozzle_area, 0.1);
    assert_int_equal(f[0].tank, 0);
    assert_int_equal(f[1].tank, -1);
    assert_int_equal(f[2].tank, 0);
    assert_int_equal(l.model->n_tanks, 1);
    unload(&l);
}

static void test_bad_thrust(void **state) {
    (void)state;
    refuses("type: thrust, body1: b, thrust: 5", "IB0211", 3, "'direction'");
    refuses("type: thrust, body1: b, direction: [1, 0, 0]", "IB0211", 3, "'thrust'");
    refuses("type: thrust, body1: ground, direction: [1, 0, 0], thrust: 5", "IB0312", 28,
            "not on the ground");
    refuses(PUSH "thrust: 5, isp: 0", "IB0607", 69, "not greater");
    refuses(PUSH "thrust: 5, nozzle_area: -1", "IB0607", 77, "negative");
    refuses(PUSH "thrust: 5, isp: 1, tank: a", "IB0335", 78, "carries no propellant");
    refuses(PUSH "thrust: 5, isp: 1, tank: c", "IB0312", 78, "c");
    refuses(PUSH "thrust: 5, tank: b", "IB0214", 70, "'isp'");
    refuses("type: thrust, body1: b, direction: [0, 0, 0], thrust: 5", "IB0605", 42, "");
}

static void bad_tank(const char *propellant, const char *id, uint32_t column, const char *said) {
    char text[600];
    snprintf(text, sizeof text,
             "ironbird: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1],\n    "
             "propellant: %s}\n",
             propellant);
    expect_error(text, id, 4, column, said);
}

static void test_propellant(void **state) {
    (void)state;
    loaded l = load_good(
        "ironbird: 1\nparameters: {m: 3}\nbodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], position: [4, 5, 6], propellant: {mass: m}}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], propellant: {mass: 2, tank: {shape: cylinder, "
        "position: [1, 0, 0], axis: [0, 0, 3], radius: 0.5, length: 2}}}\n");
    const ib_propellant *p = &l.model->bodies[0].propellant;
    assert_int_equal(p->tank, 0);
    assert_int_equal(p->shape, IB_TANK_POINT);
    assert_same(p->mass, 3);
    assert_vector(p->position, 4, 5, 6);
    p = &l.model->bodies[1].propellant;
    assert_int_equal(p->tank, 1);
    assert_int_equal(p->shape, IB_TANK_CYLINDER);
    assert_vector(p->axis, 0, 0, 1);
    assert_same(p->radius, 0.5);
    assert_same(p->length, 2);
    assert_true(ib_model_constant_count(l.model) == 1);
    assert_string_equal(ib_model_constant_name(l.model, 0), "a.propellant.mass");
    unload(&l);
    expect_error(BODIES FORCES "  f: {type: torque, body1: a, value: [a.propellant, 0, 0]}\n",
                 "IB0413", 7, 39, "carries no propellant");
    expect_error(BODIES "parameters: {p: b.propellant}\n", "IB0413", 5, 17, "a constant");
    bad_tank("{}", "IB0211", 17, "'mass'");
    bad_tank("{mass: 0}", "IB0607", 24, "not greater");
    bad_tank("5", "IB0212", 17, "map");
    bad_tank("{mass: 1, tank: {}}", "IB0211", 33, "'shape'");
    bad_tank("{mass: 1, tank: {shape: cube}}", "IB0215", 41, "sphere");
    bad_tank("{mass: 1, tank: {shape: sphere}}", "IB0211", 33, "'radius'");
    bad_tank("{mass: 1, tank: {shape: sphere, radius: 0}}", "IB0607", 57, "not greater");
    bad_tank("{mass: 1, tank: {shape: point, radius: 1}}", "IB0214", 56, "no 'radius'");
    bad_tank("{mass: 1, tank: {shape: cylinder, radius: 1, length: 1}}", "IB0211", 33, "'axis'");
    bad_tank("{mass: 1, tank: {shape: cylinder, radius: 1, axis: [0, 0, 1]}}", "IB0211", 33,
             "'length'");
    bad_tank("{mass: 1, tanks: {}}", "IB0210", 27, "tank");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aerodynamic), cmocka_unit_test(test_bad_aerodynamic),
        cmocka_unit_test(test_no_air),      cmocka_unit_test(test_air),
        cmocka_unit_test(test_thrust),      cmocka_unit_test(test_bad_thrust),
        cmocka_unit_test(test_propellant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
