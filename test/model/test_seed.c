/* Every example of the language's seed document, as written there, inside a model. */
#include "model_test.h"

#include <unistd.h>

/* Bodies that the examples speak of. */
#define BODIES                                                                                     \
    "ironbird: 1\n"                                                                                \
    "parameters: {w: 10}\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  wheel: {mass: 35, inertia: [1, 1.2, 1], position: [0, 0, 0.3]}\n"                           \
    "  body: {mass: 320, inertia: [80, 400, 420], position: [0, 0, 0.8]}\n"                        \
    "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"                                    \
    "  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 2]}\n"                                    \
    "  knuckle: {mass: 1, inertia: [1, 1, 1]}\n"                                                   \
    "  carrier: {mass: 1, inertia: [1, 1, 1]}\n"                                                   \
    "  frame: {mass: 1, inertia: [1, 1, 1]}\n"                                                     \
    "  crank: {mass: 1, inertia: [1, 1, 1]}\n"                                                     \
    "  rotor: {mass: 1, inertia: [1, 1, 1]}\n"                                                     \
    "  table: {mass: 1, inertia: [1, 1, 1]}\n"

static void test_measures(void **state) {
    (void)state;
    loaded l = load_good(
        BODIES "measures:\n"
               "  z_wheel: {type: displacement, body1: wheel, component: z, offset: initial}  # "
               "travel from "
               "the start\n"
               "  vz_wheel: {type: velocity, body1: wheel, component: z}\n"
               "  gap: {type: distance, body1: a, point1: [0, 0, 1], body2: b, point2: [0, 0, 2]}\n"
               "  steer: {type: angle, body1: knuckle, body2: carrier, orientation: [1, 0, 0, 0]}  "
               "# about z "
               "of the frame\n"
               "  lean: {type: direction, body1: frame, vector: [0, 0, 1], component: y}         # "
               "vertical "
               "in the body frame\n");
    assert_int_equal(l.model->n_measures, 5);
    assert_int_equal(l.model->measures[0].offset, IB_OFFSET_INITIAL);
    assert_vector(l.model->measures[2].point2, 0, 0, 2);
    assert_int_equal(l.model->measures[4].frame, 6);
    unload(&l);
}

/* The splines with a road file beside the model, and the damper. */
static void test_splines(void **state) {
    (void)state;
    char folder[] = "/tmp/ironbird_seed_XXXXXX";
    char data[100];
    char road[120];
    char path[120];
    assert_non_null(mkdtemp(folder));
    snprintf(data, sizeof(data), "%s/data", folder);
    snprintf(road, sizeof(road), "%s/road.txt", data);
    snprintf(path, sizeof(path), "%s/model.yaml", folder);
    assert_int_equal(ib_folder_make(data, NULL), IB_OK);
    const char *table = "x z\n0 0\n1 0.01\n2 0.03\n3 0.02\n";
    assert_int_equal(ib_file_write(road, table, strlen(table), NULL), IB_OK);
    const char *text = BODIES
        "splines:\n"
        "  damper_curve: {x: [-1, -0.2, 0, 0.2, 1], y: [-3000, -900, 0, 600, 1500]}   # [m/s] "
        "-> [N]\n"
        "  road: {file: data/road.txt, columns: [0, 1], header_lines: 1}             # from a "
        "table\n"
        "forces:\n"
        "  damper: {type: expression_force, body1: wheel, body2: body, point1: [0, 0, 0.3], "
        "point2: [0, 0, 0.65],\n"
        "           force: damper_curve(v_rel)}\n";
    assert_int_equal(ib_file_write(path, text, strlen(text), NULL), IB_OK);
    loaded l = {.diags = ib_diags_create()};
    l.status = ib_model_load(path, NULL, 0, l.diags, &l.model);
    print_diags(&l);
    assert_int_equal(l.status, IB_OK);
    assert_float_equal(ib_curve_eval(l.model->curves[0], 0, 0.2), 600, 1e-9);
    assert_float_equal(ib_curve_eval(l.model->curves[1], 0, 2), 0.03, 1e-15);
    const ib_force *damper = &l.model->forces[0];
    assert_int_equal(l.model->measures[damper->rate].type, IB_MEASURE_DISTANCE_RATE);
    double leaves[8] = {0};
    leaves[ib_leaf_measure(l.model, (size_t)damper->rate)] = -0.2;
    assert_float_equal(
        ib_graph_value(l.model->graph, damper->law.node, leaves, ib_leaf_count(l.model)), -900,
        1e-9);
    unload(&l);
    unlink(road);
    unlink(path);
    rmdir(data);
    rmdir(folder);
}

static void test_outputs(void **state) {
    (void)state;
    loaded l = load_good(
        BODIES
        "measures:\n"
        "  lean: {type: direction, body1: frame, vector: [0, 0, 1], component: y}   # sin(lean)\n"
        "  w_crank: {type: angular_rate, body1: crank, body2: frame, orientation: [0.7071068, "
        "-0.7071068, 0, 0]}\n"
        "outputs:\n"
        "  lean_deg: asin(lean) * 180 / pi\n"
        "  rpm: w_crank * 30 / pi\n");
    /* Leaves: t, w, lean, w_crank. */
    const double leaves[4] = {0, 10, 0.5, 3.141592653589793};
    assert_float_equal(ib_graph_value(l.model->graph, l.model->outputs[0].value.node, leaves, 4),
                       30, 1e-12);
    assert_float_equal(ib_graph_value(l.model->graph, l.model->outputs[1].value.node, leaves, 4),
                       30, 1e-12);
    /* The crank's axis is the global y-axis. */
    double z[3] = {0, 0, 1};
    ib_quat_rotate(l.model->measures[1].orientation, z, z);
    assert_vector(z, 0, 1, 0);
    unload(&l);
}

static void test_drivers(void **state) {
    (void)state;
    loaded l = load_good(
        BODIES
        "measures:\n"
        "  phi: {type: angle, body1: rotor, orientation: [1, 0, 0, 0]}\n"
        "  z_table: {type: displacement, body1: table, component: z}\n"
        "drivers:\n"
        "  spin: {measure: phi, motion: w * t}                      # a constant speed\n"
        "  lift: {measure: z_table, motion: 0.1 * sin(2 * pi * t), ramp: 0.5}   # from rest, "
        "smoothly\n");
    const double leaves[4] = {0.25, 10, 0, 0};
    assert_same(l.model->drivers[1].ramp, 0.5);
    assert_same(l.model->drivers[0].ramp, 0);
    assert_float_equal(ib_graph_value(l.model->graph, l.model->drivers[0].motion.node, leaves, 4),
                       2.5, 1e-15);
    assert_float_equal(ib_graph_value(l.model->graph, l.model->drivers[1].motion.node, leaves, 4),
                       0.1, 1e-15);
    unload(&l);
}

/* `motion: x_set`, the set value of a runtime input. */
static void test_input_in_a_driver(void **state) {
    (void)state;
    loaded l = load_good(BODIES "inputs: {x_set: 0}\n"
                                "measures: {x: {type: displacement, body1: table, component: x}}\n"
                                "drivers: {d: {measure: x, motion: x_set}}\n");
    assert_int_equal(ib_graph_leaf_of(l.model->graph, l.model->drivers[0].motion.node),
                     ib_leaf_input(l.model, 0));
    unload(&l);
}

/* The expressions of the language's list, each as an output. */
static void test_expressions(void **state) {
    (void)state;
    static const char *const expressions[] = {
        "1 + 2 - 3 * 4 / 5 ^ 6 ** 2 + x",
        "-x * (t + pi)",
        "w + u + curve(x)",
        "sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + atan2(x, 1)",
        "sinh(x) + cosh(x) + tanh(x) + exp(x) + log(x + 2) + sqrt(x + 2) + abs(x) + sign(x)",
        "min(x, 1) + max(x, 1)",
        "step(x, 0, 0, 1, 1)",
        "step(x, 0, 0, 1, 1, \"cosine\")",
        "step(x, 0, 0, 1, 1, \"hard\")",
        "if_else((t > 1) * (t < 2), 1, 0) + x",
        "(x < 1) + (x <= 1) + (x > 1) + (x >= 1) + (x == 1) + (x != 1)",
    };
    for (size_t i = 0; i < IB_COUNT(expressions); i++) {
        char text[3000];
        snprintf(text, sizeof(text),
                 BODIES "inputs: {u: 0}\n"
                        "splines: {curve: {x: [0, 1], y: [0, 1]}}\n"
                        "measures: {x: {type: displacement, body1: a, component: x}}\n"
                        "outputs:\n  o: %s\n",
                 expressions[i]);
        loaded l = load_good(text);
        assert_int_not_equal(l.model->outputs[0].value.node, IB_NO_NODE);
        unload(&l);
    }
}

/* The quarter car of the language's description. */
static void test_quarter_car(void **state) {
    (void)state;
    loaded l = load_good(
        "ironbird: 1\n"
        "name: quarter car\n"
        "gravity: [0, 0, -9.81]                                        # absent: no gravity\n"
        "parameters: {m: 320, k: 2.2e4, w: 10}\n"
        "inputs: {x_set: 0, throttle: {start: 0, min: 0, max: 1}}      # runtime inputs\n"
        "points: {hub: [0, 0, 0.3]}\n"
        "frames: {steer_axis: {z: [0.1, 0, 1]}}\n"
        "bodies:\n"
        "  wheel: {mass: 35, inertia: [1, 1.2, 1], position: hub}\n"
        "  body:  {mass: m, inertia: [80, 400, 420], position: [0, 0, 0.8], velocity: [20, 0, 0]}\n"
        "simulation: {end: 5, output_step: 0.01}\n");
    assert_same(l.model->bodies[1].mass, 320);
    assert_same(l.model->bodies[1].velocity[0], 20);
    assert_vector(l.model->bodies[0].position, 0, 0, 0.3);
    assert_same(l.model->inputs[1].max, 1);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures),          cmocka_unit_test(test_splines),
        cmocka_unit_test(test_outputs),           cmocka_unit_test(test_drivers),
        cmocka_unit_test(test_input_in_a_driver), cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_quarter_car),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
