/* Numbers with a unit. */
#include "model_test.h"

#include "model/units.h"

static void gives(const char *text, ib_dimension dimension, double wanted) {
    double value = 0;
    size_t at = 0;
    size_t length = 0;
    const ib_quantity_result result = ib_quantity_read(text, dimension, &value, &at, &length);
    if (result != IB_QUANTITY_OK)
        print_message("'%s' gives %d\n", text, (int)result);
    assert_int_equal(result, IB_QUANTITY_OK);
    if (value < wanted || value > wanted)
        print_message("'%s' is %.17g, not %.17g\n", text, value, wanted);
    assert_same(value, wanted);
}

static void fails(const char *text, ib_dimension dimension, ib_quantity_result wanted) {
    double value = 0;
    size_t at = 0;
    size_t length = 0;
    assert_int_equal(ib_quantity_read(text, dimension, &value, &at, &length), wanted);
}

/* Each is the double that the number in SI would be read as. */
static void test_correctly_rounded(void **state) {
    (void)state;
    gives("10 ms", IB_DIM_TIME, 0.01);
    gives("33 ms", IB_DIM_TIME, 0.033);
    gives("33 Hz", IB_DIM_FREQUENCY, 33);
    gives("7 us", IB_DIM_TIME, 7e-6);
    gives("7 \xC2\xB5s", IB_DIM_TIME, 7e-6);
    gives("7 ns", IB_DIM_TIME, 7e-9);
    gives("2 min", IB_DIM_TIME, 120);
    gives("1.5 h", IB_DIM_TIME, 5400);
    gives("3 kHz", IB_DIM_FREQUENCY, 3000);
    gives("12.7 mm", IB_DIM_LENGTH, 0.0127);
    gives("3 cm", IB_DIM_LENGTH, 0.03);
    gives("1.1 km", IB_DIM_LENGTH, 1100);
    gives("1 in", IB_DIM_LENGTH, 0.0254);
    gives("1 ft", IB_DIM_LENGTH, 0.3048);
    gives("5 g", IB_DIM_MASS, 0.005);
    gives("2 t", IB_DIM_MASS, 2000);
    gives("1 lb", IB_DIM_MASS, 0.45359237);
    gives("1 slug", IB_DIM_MASS, 14.593902937206364);
    gives("1 lbf", IB_DIM_FORCE, 4.4482216152605);
    gives("3 kN", IB_DIM_FORCE, 3000);
    gives("90 deg", IB_DIM_ANGLE, 1.5707963267948966);
    gives("90 \xC2\xB0", IB_DIM_ANGLE, 1.5707963267948966);
    gives("60 rpm", IB_DIM_ANGULAR_VELOCITY, 60 * 3.141592653589793 / 30);
    gives("36 km/h", IB_DIM_SPEED, 10);
    gives("180 deg/s", IB_DIM_ANGULAR_VELOCITY, 3.141592653589793);
    gives("2 N/m", IB_DIM_STIFFNESS, 2);
    gives("2 kN/mm", IB_DIM_STIFFNESS, 2e6);
    gives("4 N*s/m", IB_DIM_DAMPING, 4);
    gives("4 N*m", IB_DIM_TORQUE, 4);
    gives("4 Nm", IB_DIM_TORQUE, 4);
    gives("4 kg*m^2", IB_DIM_INERTIA, 4);
    gives("4 kg*mm^2", IB_DIM_INERTIA, 4e-6);
    gives("4 kg*m\xC2\xB2", IB_DIM_INERTIA, 4);
    gives("9.81 m/s^2", IB_DIM_ACCELERATION, 9.81);
    gives("9.81 m*s^-2", IB_DIM_ACCELERATION, 9.81);
    gives("-5  m", IB_DIM_LENGTH, -5);
    gives("+5 m ", IB_DIM_LENGTH, 5);
    gives("1e3 mm", IB_DIM_LENGTH, 1);
    gives(".5 m", IB_DIM_LENGTH, 0.5);
    gives("5 deg", IB_DIM_ANY, 5 * 3.141592653589793 / 180);
}

static void test_not_quantities(void **state) {
    (void)state;
    fails("10", IB_DIM_TIME, IB_QUANTITY_NONE);
    fails("10ms", IB_DIM_TIME, IB_QUANTITY_CLOSED);
    fails("80cm", IB_DIM_ANY, IB_QUANTITY_CLOSED);
    fails("-2e3N*s/m", IB_DIM_TIME, IB_QUANTITY_CLOSED);
    fails("2x", IB_DIM_TIME, IB_QUANTITY_NONE);
    fails("2m + 1", IB_DIM_TIME, IB_QUANTITY_NONE);
    fails("10 * m", IB_DIM_LENGTH, IB_QUANTITY_NONE);
    fails("m", IB_DIM_LENGTH, IB_QUANTITY_NONE);
    fails("", IB_DIM_LENGTH, IB_QUANTITY_NONE);
    fails("- 5 m", IB_DIM_LENGTH, IB_QUANTITY_NONE);
    fails("10 msx", IB_DIM_TIME, IB_QUANTITY_UNKNOWN);
    fails("10 m/", IB_DIM_LENGTH, IB_QUANTITY_UNKNOWN);
    fails("10 m//s", IB_DIM_SPEED, IB_QUANTITY_UNKNOWN);
    fails("10 m^", IB_DIM_LENGTH, IB_QUANTITY_UNKNOWN);
    fails("10 m^0", IB_DIM_LENGTH, IB_QUANTITY_UNKNOWN);
    fails("10 m s", IB_DIM_LENGTH, IB_QUANTITY_UNKNOWN);
    fails("10 deg", IB_DIM_LENGTH, IB_QUANTITY_WRONG);
    fails("10 Hz", IB_DIM_ANGULAR_VELOCITY, IB_QUANTITY_WRONG);
    fails("10 ms", IB_DIM_NUMBER, IB_QUANTITY_WRONG);
    fails("10 m^2", IB_DIM_LENGTH, IB_QUANTITY_WRONG);
    fails("1e308 km", IB_DIM_LENGTH, IB_QUANTITY_RANGE);
}

static void test_unknown_symbol_is_pointed_at(void **state) {
    (void)state;
    double value;
    size_t at = 0;
    size_t length = 0;
    assert_int_equal(ib_quantity_read("10 N*sec/m", IB_DIM_DAMPING, &value, &at, &length),
                     IB_QUANTITY_UNKNOWN);
    assert_int_equal(at, 5);
    assert_int_equal(length, 3);
}

static void test_names_of_dimensions(void **state) {
    (void)state;
    assert_string_equal(ib_unit_what("ms", 2), "a time");
    assert_string_equal(ib_unit_what("rpm", 3), "an angular velocity");
    assert_string_equal(ib_unit_what("Hz", 2), "a frequency");
    assert_null(ib_unit_what("m*m*m*m", 7));
    assert_null(ib_unit_what("nothing", 7));
    assert_string_equal(ib_unit_nearest("mmm"), "mm");
    assert_string_equal(ib_dimension_unit(IB_DIM_DAMPING), "N*s/m");
}

/* Every unit of the list fits a dimension of the other. */
static void test_every_unit_has_a_dimension(void **state) {
    (void)state;
    size_t n = 0;
    for (; ib_unit_symbol(n) != NULL; n++)
        assert_non_null(ib_unit_what(ib_unit_symbol(n), strlen(ib_unit_symbol(n))));
    assert_true(n > 40);
}

static void test_in_a_model(void **state) {
    (void)state;
    expect_error("ironbird: 1\nbodies: {a: {mass: 80g, inertia: [1, 1, 1]}}\n", "IB0217", 2, 22,
                 "write 80 g");
    expect_error("ironbird: 1\nparameters: {g: 2}\nbodies: {a: {mass: 80g, inertia: [1, 1, 1]}}\n",
                 "IB0404", 3, 22, "write 80 * g");
    expect_error("ironbird: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nmeasures: {x: {type: "
                 "displacement, body1: a, component: x}}\ndrivers: {d: {measure: x, motion: 2t}}\n",
                 "IB0404", 4, 36, "write 2 * t");
    loaded l =
        load_good("ironbird: 1\n"
                  "gravity: [0, 0, '-9.81 m/s^2']\n"
                  "parameters: {T: 10 ms, f: 33 Hz, angle: \"5 deg\"}\n"
                  "bodies:\n"
                  "  a: {mass: \"500 g\", inertia: [1 kg*m^2, 1, 1], position: [\"10 mm\", 0, 0],\n"
                  "      velocity: [\"36 km/h\", 0, 0], angular_velocity: [\"60 rpm\", 0, 0]}\n"
                  "forces:\n"
                  "  s: {type: spring_damper, body1: a, point2: [0, 0, 1 m], stiffness: 2 kN/m,\n"
                  "      damping: \"4 N*s/m\", free_length: 50 cm, preload: 1 kN}\n"
                  "  e: {type: expression_torque, body1: a, axis: [1, 0, 0], torque: 3 N*m}\n"
                  "simulation: {end: 2 min, output_step: 5 ms, step: 100 us}\n");
    assert_same(l.model->parameters[0].value, 0.01);
    assert_same(l.model->parameters[1].value, 33);
    assert_same(l.model->gravity[2], -9.81);
    assert_same(l.model->bodies[0].mass, 0.5);
    assert_same(l.model->bodies[0].position[0], 0.01);
    assert_same(l.model->bodies[0].velocity[0], 10);
    assert_same(l.model->forces[0].free_length, 0.5);
    assert_same(l.model->forces[0].preload, 1000);
    double value = 0;
    assert_true(ib_graph_is_const(l.model->graph, l.model->forces[0].stiffness.node, &value));
    assert_same(value, 2000);
    assert_true(ib_graph_is_const(l.model->graph, l.model->forces[1].law.node, &value));
    assert_same(value, 3);
    assert_int_equal(ib_model_end(l.model), 120 * IB_SECOND);
    assert_int_equal(ib_model_output_step(l.model), 5000000);
    assert_int_equal(l.model->simulation.step, 100000);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_correctly_rounded),
        cmocka_unit_test(test_not_quantities),
        cmocka_unit_test(test_unknown_symbol_is_pointed_at),
        cmocka_unit_test(test_names_of_dimensions),
        cmocka_unit_test(test_every_unit_has_a_dimension),
        cmocka_unit_test(test_in_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
