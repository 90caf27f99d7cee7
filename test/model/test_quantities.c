/* Parameters and their order, --set, runtime inputs, drivers, outputs, sensors. */
#include "model_test.h"

#define HEAD                                                                                       \
    TWO_BODIES "measures:\n"                                                                       \
               "  z: {type: displacement, body1: a, component: z}\n"                               \
               "  v: {type: velocity, body1: a, component: z}\n"

static double parameter(const ib_model *model, const char *name) {
    for (size_t i = 0; i < ib_model_parameter_count(model); i++) {
        if (strcmp(ib_model_parameter_name(model, i), name) == 0)
            return ib_model_parameter_value(model, i);
    }
    fail_msg("there is no parameter %s", name);
    return 0;
}

/* ---- parameters ---- */

static void test_order(void **state) {
    (void)state;
    loaded l = load_good("ironbird: 1\n"
                         "parameters:\n"
                         "  area: pi * r^2      # needs what stands below\n"
                         "  r: d / 2\n"
                         "  d: 2\n"
                         "  f: e1 * 2 + 1e1\n"
                         "  e1: 5\n"
                         "  g: max(r, d)\n"
                         "bodies: {a: {mass: 3 * area, inertia: [1, 1, 1]}}\n"
                         "measures: {}\n"
                         "joints:\n");
    assert_same(parameter(l.model, "area"), 3.141592653589793);
    assert_same(parameter(l.model, "r"), 1);
    assert_same(parameter(l.model, "f"), 20);
    assert_same(parameter(l.model, "g"), 2);
    assert_same(l.model->bodies[0].mass, 3 * 3.141592653589793);
    unload(&l);
}

static void refuses_parameters(const char *parameters, const char *id, uint32_t column,
                               const char *said) {
    char text[600];
    snprintf(text, sizeof(text),
             "ironbird: 1\nparameters: {%s}\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n",
             parameters);
    expect_error(text, id, 2, column, said);
}

static void test_bad_parameters(void **state) {
    (void)state;
    refuses_parameters("a1: b, b: c + 1, c: 2 * a1, d: a1", "IB0305", 14, "a1 -> b -> c -> a1");
    refuses_parameters("a1: a1 + 1", "IB0305", 14, "a1 -> a1");
    refuses_parameters("p: q", "IB0407", 17, "'q'");
    refuses_parameters("speed: 1, p: sped", "IB0407", 27, "did you mean 'speed'?");
    refuses_parameters("p: log(0 - 1)", "IB0411", 17, "no finite value");
    refuses_parameters("p: 1 +", "IB0403", 19, NULL);
    refuses_parameters("p: t", "IB0413", 17, "constant");
    refuses_parameters("p: [1]", "IB0212", 17, "a number");
    refuses_parameters("p: .inf", "IB0216", 17, "finite");
    refuses_parameters("p: 5 parsec", "IB0217", 19, "no unit 'parsec'");
    refuses_parameters("sin: 1", "IB0302", 14, "redefined");
    refuses_parameters("t: 1", "IB0302", 14, "redefined");
    refuses_parameters("time: 1", "IB0302", 14, "redefined");
    refuses_parameters("pi: 3", "IB0302", 14, "redefined");
    refuses_parameters("a-b: 3", "IB0303", 14, "cannot be a name");
    refuses_parameters("1a: 3", "IB0303", 14, "cannot be a name");
    refuses_parameters("'': 3", "IB0303", 14, "cannot be a name");
}

/* What uses a parameter without a value is not wrong, too. */
static void test_parameters_without_cascade(void **state) {
    (void)state;
    expect_error("ironbird: 1\nparameters: {p: nothing, q: 2 * p}\n"
                 "bodies: {a: {mass: '-1 * q', inertia: [p, 1, 1]}}\n",
                 "IB0407", 2, 17, "nothing");
}

static void test_constants_refuse_variables(void **state) {
    (void)state;
    expect_error(TWO_BODIES
                 "inputs: {u: 0}\nsensors: {s: {type: point, body: a, point: [u, 0, 0]}}\n",
                 "IB0413", 6, 45, "inputs change during the run");
    expect_error(HEAD "points: {p: [0, 0, z]}\n", "IB0413", 8, 20,
                 "measures change during the run");
    expect_error(TWO_BODIES "parameters: {p: s(1)}\nsplines: {s: {x: [0, 1], y: [0, 1]}}\n",
                 "IB0413", 5, 17, "splines are made from parameters");
    loaded l = load_good(TWO_BODIES "splines: {s: {x: [0, 1], y: [0, 8], type: linear}}\n"
                                    "points: {p: [s(0.5), 0, 0]}\n"
                                    "sensors: {q: {type: point, body: a, point: p}}\n");
    assert_vector(l.model->sensors[0].point, 4, 0, 0);
    unload(&l);
}

/* ---- --set ---- */

#define SETTABLE                                                                                   \
    "ironbird: 1\nparameters: {m: 320, k: 2 * m, T: 1, mass_1: 1}\ninputs: {u: 0}\n"               \
    "bodies: {a: {mass: m, inertia: [1, 1, 1]}}\n"

static void test_set(void **state) {
    (void)state;
    const ib_override overrides[] = {{"m", "5 * T"}, {"T", "10 ms"}, {"m", "2*T + 1"}};
    loaded l = load_set(SETTABLE, overrides, IB_COUNT(overrides));
    assert_int_equal(l.status, IB_OK);
    assert_same(parameter(l.model, "T"), 0.01);
    assert_same(parameter(l.model, "m"), 1.02);
    assert_same(parameter(l.model, "k"), 2.04);
    assert_same(l.model->bodies[0].mass, 1.02);
    unload(&l);
}

static void refuses_set(const char *name, const char *value, const char *id, uint32_t column,
                        const char *said) {
    const ib_override override = {name, value};
    loaded l = load_set(SETTABLE, &override, 1);
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_int_equal(ib_diags_errors(l.diags), 1);
    const ib_diag *diag = ib_diags_at(l.diags, 0);
    const bool good =
        strcmp(diag->id, id) == 0 && diag->place.column == column &&
        (strstr(diag->message, said) || (diag->suggestion && strstr(diag->suggestion, said)));
    if (!good)
        print_diags(&l);
    assert_true(good);
    assert_int_equal(strncmp(diag->place.file, "--set", 5), 0);
    unload(&l);
}

static void test_bad_set(void **state) {
    (void)state;
    refuses_set("mass_m", "1", "IB0314", 1, "did you mean 'mass_1'?");
    refuses_set("u", "1", "IB0314", 1, "a runtime input, not a parameter");
    refuses_set("a", "1", "IB0314", 1, "is a body");
    refuses_set("a.mass", "1", "IB0314", 1, "write 'mass: p'");
    refuses_set("", "1", "IB0314", 1, "no parameter");
    refuses_set("m", "2 * q", "IB0407", 7, "'q'");
    refuses_set("m", "5 furlong", "IB0217", 5, "furlong");
    refuses_set("m", "", "IB0212", 3, "a number");
    refuses_set("m", "((((", "IB0405", 6, "not closed");
    /* The circle is reported where the parameter is declared. */
    const ib_override override = {"m", "k"};
    loaded l = load_set(SETTABLE, &override, 1);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0305");
    unload(&l);
}

/* ---- inputs ---- */

static void test_inputs(void **state) {
    (void)state;
    loaded l =
        load_good("ironbird: 1\nparameters: {p: 3}\n"
                  "inputs: {x: 2, y: {start: 1, min: 0, max: p}, w: {}, q: '2 * p', r: 5 deg}\n"
                  "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
    const ib_input *inputs = l.model->inputs;
    assert_int_equal(ib_model_input_count(l.model), 5);
    assert_string_equal(ib_model_input_name(l.model, 1), "y");
    assert_null(ib_model_input_name(l.model, 5));
    assert_same(inputs[0].start, 2);
    assert_true(isinf(inputs[0].min) && inputs[0].min < 0);
    assert_true(isinf(inputs[0].max) && inputs[0].max > 0);
    assert_same(inputs[1].start, 1);
    assert_same(inputs[1].min, 0);
    assert_same(inputs[1].max, 3);
    assert_same(inputs[2].start, 0);
    assert_same(inputs[3].start, 6);
    assert_same(inputs[4].start, 5 * 3.141592653589793 / 180);
    unload(&l);
}

static void refuses_input(const char *input, const char *id, uint32_t column, const char *said) {
    char text[300];
    snprintf(text, sizeof(text),
             "ironbird: 1\ninputs: {%s}\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n", input);
    expect_error(text, id, 2, column, said);
}

static void test_bad_inputs(void **state) {
    (void)state;
    refuses_input("u: {start: 2, max: 1}", "IB0606", 10, "outside its limits");
    refuses_input("u: {min: 2, max: 1}", "IB0606", 27, "crossed");
    refuses_input("u: [1]", "IB0212", 13, "a number");
    refuses_input("u: {stat: 2}", "IB0210", 14, "did you mean 'start'?");
    refuses_input("u: t", "IB0413", 13, "constant");
    refuses_input("cos: 0", "IB0302", 10, "redefined");
}

/* ---- drivers ---- */

static void test_driver(void **state) {
    (void)state;
    loaded l = load_good(
        HEAD "inputs: {u: 0}\n"
             "drivers:\n"
             "  d: {id: D, measure: z, motion: 0.1 * sin(2 * pi * t) + u, ramp: 500 ms}\n");
    const ib_driver *d = &l.model->drivers[0];
    assert_string_equal(d->element.id, "D");
    assert_int_equal(d->measure, 0);
    assert_int_equal(d->measure_place.line, 10);
    assert_int_equal(d->measure_place.column, 23);
    assert_same(d->ramp, 0.5);
    const double leaves[4] = {0.25, 7, 0, 0};
    assert_float_equal(ib_graph_value(l.model->graph, d->motion.node, leaves, 4), 7.1, 1e-15);
    unload(&l);
    l = load_good(HEAD "drivers: {d: {measure: z, motion: 1}}\n");
    assert_same(l.model->drivers[0].ramp, 0);
    unload(&l);
}

static void refuses_driver(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[600];
    snprintf(text, sizeof(text), HEAD "drivers:\n  d: {%s}\n", keys);
    expect_error(text, id, 9, column, said);
}

static void test_bad_drivers(void **state) {
    (void)state;
    refuses_driver("motion: t", "IB0211", 3, "'measure'");
    refuses_driver("measure: z", "IB0211", 3, "'motion'");
    expect_error(TWO_BODIES "measures: {height: {type: distance, body1: a}}\n"
                            "drivers: {d: {measure: hight, motion: t}}\n",
                 "IB0313", 6, 24, "did you mean 'height'?");
    refuses_driver("measure: v, motion: t", "IB0315", 16, "of type velocity");
    refuses_driver("measure: z, motion: 2 * v", "IB0413", 31, "not of the state");
    refuses_driver("measure: z, motion: 10 deg", "IB0218", 30, "a length");
    refuses_driver("measure: z, motion: t, ramp: -1", "IB0607", 36, "negative");
    refuses_driver("measure: z, motion: t, ramp: 1 m", "IB0218", 38, "a time");
    refuses_driver("measure: z, motion: step(t, 0, 0, 1, 1), ramp: 1", "IB0204", 27,
                   "motion: \"step(t, 0, 0, 1, 1)\"");
    expect_error(HEAD "drivers:\n  d: {measure: z, motion: t}\n  e: {measure: z, motion: 2*t}\n",
                 "IB0317", 10, 16, "driven by 'd' already");
    static const char *const refused[] = {"velocity, component: x",
                                          "distance_rate",
                                          "angular_rate, orientation: [1, 0, 0, 0]",
                                          "direction, vector: [0, 0, 1], component: x",
                                          "angular_velocity, component: x",
                                          "acceleration, component: x",
                                          "angular_acceleration, component: x",
                                          "specific_force, component: x"};
    for (size_t i = 0; i < IB_COUNT(refused); i++) {
        char text[600];
        snprintf(text, sizeof(text),
                 TWO_BODIES "measures: {m: {body1: a, type: %s}}\n"
                            "drivers: {d: {measure: m, motion: t}}\n",
                 refused[i]);
        expect_error(text, "IB0315", 6, 24, "a displacement, distance or angle");
    }
    static const char *const good[] = {"displacement, component: x", "distance",
                                       "angle, orientation: [1, 0, 0, 0]"};
    for (size_t i = 0; i < IB_COUNT(good); i++) {
        char text[600];
        snprintf(text, sizeof(text),
                 TWO_BODIES "measures: {m: {body1: a, type: %s}}\n"
                            "drivers: {d: {measure: m, motion: t}}\n",
                 good[i]);
        loaded l = load_good(text);
        unload(&l);
    }
}

/* ---- outputs ---- */

static void test_outputs(void **state) {
    (void)state;
    loaded l = load_good(HEAD "parameters: {p: 3}\ninputs: {u: 0}\n"
                              "outputs:\n"
                              "  o: z * p + u + t\n"
                              "  q: {value: abs(z), id: Q}\n");
    assert_int_equal(l.model->n_outputs, 2);
    assert_string_equal(l.model->outputs[1].element.id, "Q");
    /* Leaves: t, p, u, z, v. */
    const double leaves[5] = {1, 10, 100, -1000, 0};
    assert_same(ib_graph_value(l.model->graph, l.model->outputs[0].value.node, leaves, 5), -9899);
    assert_same(ib_graph_value(l.model->graph, l.model->outputs[1].value.node, leaves, 5), 1000);
    unload(&l);
    /* Accelerations are for outputs. */
    l = load_good(TWO_BODIES "measures: {az: {type: acceleration, body1: a, component: z}}\n"
                             "outputs: {o: az / 9.81}\n");
    unload(&l);
    expect_error(HEAD "outputs: {o: 2 * t}\n", "IB0316", 8, 14, "uses no measure");
    expect_error(HEAD "outputs: {o: 5}\n", "IB0316", 8, 14, "uses no measure");
    expect_error(HEAD "outputs: {o: zz + 1}\n", "IB0407", 8, 14, "'zz'");
    expect_error(HEAD "outputs: {o: }\n", "IB0212", 8, 14, "an expression");
    expect_error(HEAD "outputs: {o: {id: q}}\n", "IB0211", 8, 11, "'value'");
    expect_error(HEAD "outputs: {o: if_else(z > 1, 0, 1)}\n", "IB0204", 8, 14, "quote it");
    expect_error(HEAD "outputs: {o: length + z}\n", "IB0407", 8, 14, "'length'");
}

/* ---- sensors ---- */

static void test_sensors(void **state) {
    (void)state;
    loaded l = load_good(TWO_BODIES "sensors:\n"
                                    "  s: {type: point, body: b}\n"
                                    "  r: {type: point, body: a, point: [1, 2, 3], relative_to: b, "
                                    "frame: b, id: R}\n");
    const ib_sensor *s = l.model->sensors;
    assert_int_equal(s[0].body, 1);
    assert_vector(s[0].point, 0, 0, 2);
    assert_int_equal(s[0].relative_to, IB_GROUND);
    assert_int_equal(s[0].frame, IB_GROUND);
    assert_vector(s[1].point, 1, 2, 3);
    assert_int_equal(s[1].relative_to, 1);
    assert_int_equal(s[1].frame, 1);
    assert_string_equal(s[1].element.id, "R");
    unload(&l);
    expect_error(TWO_BODIES "sensors: {s: {type: joint}}\n", "IB0211", 5, 11, "'joint'");
    expect_error(TWO_BODIES "sensors: {s: {type: force, body: a, force: f}}\n"
                            "forces: {f: {type: torque, body1: a, value: [0, 0, 1]}}\n",
                 "IB0214", 5, 28, "point, orientation");
    expect_error(TWO_BODIES "joints: {hinge: {type: fixed, body1: a}}\n"
                            "sensors: {s: {type: joint, joint: hinges}}\n",
                 "IB0323", 6, 35, "did you mean 'hinge'?");
    expect_error(TWO_BODIES "sensors: {s: {type: force, force: pull}}\n", "IB0324", 5, 35,
                 "there is no force 'pull'");
    expect_error(TWO_BODIES "forces: {g: {type: gravity}}\nsensors: {s: {type: force, force: g}}\n",
                 "IB0324", 6, 35, "no direction");
    expect_error(TWO_BODIES "sensors: {s: {type: orientation, body: a, sequence: zzx}}\n", "IB0215",
                 5, 53, "no letter twice");
    expect_error(TWO_BODIES "sensors: {s: {type: orientation, body: a, sequence: rpy}}\n", "IB0215",
                 5, 53, "zyx");
    expect_error(TWO_BODIES "sensors: {s: {type: orientation, sequence: zyx}}\n", "IB0211", 5, 11,
                 "'body'");
    expect_error(TWO_BODIES "sensors: {s: {type: point, body: ground}}\n", "IB0312", 5, 34,
                 "not on the ground");
    expect_error(TWO_BODIES "sensors: {s: {type: point}}\n", "IB0211", 5, 11, "'body'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_bad_parameters),
        cmocka_unit_test(test_parameters_without_cascade),
        cmocka_unit_test(test_constants_refuse_variables),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_bad_set),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_bad_inputs),
        cmocka_unit_test(test_driver),
        cmocka_unit_test(test_bad_drivers),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_sensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
