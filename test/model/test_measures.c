/* Measures: one test for each key and value of the language's table. */
#include "model_test.h"

#define HEAD TWO_BODIES "measures:\n"

/* The one measure `m` of a model with these keys. */
static ib_measure read_measure(const char *keys) {
    char text[1000];
    snprintf(text, sizeof(text), HEAD "  m: {%s}\n", keys);
    loaded l = load_good(text);
    assert_int_equal(l.model->n_measures, 1);
    const ib_measure m = l.model->measures[0];
    unload(&l);
    return m;
}

/* Keys that are wrong: one error, at this column of line 6. */
static void refuses(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[1000];
    snprintf(text, sizeof(text), HEAD "  m: {%s}\n", keys);
    expect_error(text, id, 6, column, said);
}

static void test_id(void **state) {
    (void)state;
    loaded l = load_good(HEAD "  m: {type: distance, body1: a, id: 'M 1'}\n"
                              "  n: {type: distance, body1: b, id: 17}\n");
    assert_string_equal(l.model->measures[0].element.id, "M 1");
    assert_string_equal(l.model->measures[1].element.id, "17");
    assert_string_equal(l.model->measures[1].element.name, "n");
    assert_int_equal(l.model->measures[1].element.place.line, 7);
    assert_int_equal(l.model->measures[1].element.place.column, 3);
    unload(&l);
}

static void test_type_displacement(void **state) {
    (void)state;
    const ib_measure m = read_measure("type: displacement, body1: b, component: z");
    assert_int_equal(m.type, IB_MEASURE_DISPLACEMENT);
    assert_int_equal(m.body1, 1);
    assert_int_equal(m.body2, IB_GROUND);
    assert_int_equal(m.component, 2);
    assert_int_equal(m.frame, IB_GROUND);
    assert_int_equal(m.offset, IB_OFFSET_NONE);
    assert_vector(m.point1, 0, 0, 2); /* centre of mass of b */
    assert_vector(m.point2, 0, 0, 0); /* origin */
}

static void test_type_velocity(void **state) {
    (void)state;
    assert_int_equal(read_measure("type: velocity, body1: a, component: x").type,
                     IB_MEASURE_VELOCITY);
}

static void test_type_distance(void **state) {
    (void)state;
    const ib_measure m =
        read_measure("type: distance, body1: a, point1: [0, 0, 1], body2: b, point2: [0, 0, 2]");
    assert_int_equal(m.type, IB_MEASURE_DISTANCE);
    assert_int_equal(m.body2, 1);
    assert_vector(m.point1, 0, 0, 1);
    assert_vector(m.point2, 0, 0, 2);
}

static void test_type_distance_rate(void **state) {
    (void)state;
    assert_int_equal(read_measure("type: distance_rate, body1: a, body2: b").type,
                     IB_MEASURE_DISTANCE_RATE);
}

static void test_type_angle(void **state) {
    (void)state;
    const ib_measure m = read_measure("type: angle, body1: a, body2: b, orientation: [1, 0, 0, 0]");
    assert_int_equal(m.type, IB_MEASURE_ANGLE);
    assert_false(m.has_plane);
    assert_same(m.orientation[0], 1);
}

static void test_type_angular_rate(void **state) {
    (void)state;
    const ib_measure m =
        read_measure("type: angular_rate, body1: a, orientation: [0.7071068, -0.7071068, 0, 0]");
    assert_int_equal(m.type, IB_MEASURE_ANGULAR_RATE);
    assert_false(m.legacy_form);
    /* Seven digits are off unit by less than 1e-6: normalised, and nothing is said. */
    assert_float_equal(m.orientation[0], sqrt(0.5), 1e-15);
    assert_float_equal(m.orientation[1], -sqrt(0.5), 1e-15);
}

static void test_type_direction(void **state) {
    (void)state;
    const ib_measure m = read_measure("type: direction, body1: b, vector: [0, 0, 2], component: y");
    assert_int_equal(m.type, IB_MEASURE_DIRECTION);
    assert_vector(m.vector, 0, 0, 2); /* with its length */
    assert_int_equal(m.component, 1);
    assert_int_equal(m.frame, 1); /* default: body1 */
    assert_int_equal(
        read_measure("type: direction, body1: b, vector: [0, 0, 1], component: y, frame: a").frame,
        0);
    assert_int_equal(
        read_measure("type: direction, body1: b, vector: [0, 0, 1], component: y, frame: global")
            .frame,
        IB_GROUND);
}

static void test_type_angular_velocity(void **state) {
    (void)state;
    const ib_measure m =
        read_measure("type: angular_velocity, body1: a, body2: b, component: x, frame: b");
    assert_int_equal(m.type, IB_MEASURE_ANGULAR_VELOCITY);
    assert_int_equal(m.frame, 1);
}

static void test_type_accelerations(void **state) {
    (void)state;
    assert_int_equal(read_measure("type: acceleration, body1: a, component: x").type,
                     IB_MEASURE_ACCELERATION);
    assert_int_equal(read_measure("type: angular_acceleration, body1: a, component: x").type,
                     IB_MEASURE_ANGULAR_ACCELERATION);
    const ib_measure m = read_measure("type: specific_force, body1: b, component: x");
    assert_int_equal(m.type, IB_MEASURE_SPECIFIC_FORCE);
    assert_int_equal(m.frame, 1);
    assert_vector(m.point1, 0, 0, 2);
}

static void test_type_refused(void **state) {
    (void)state;
    refuses("type: displacment, body1: a, component: z", "IB0215", 13,
            "did you mean 'displacement'?");
    refuses("body1: a", "IB0211", 3, "'type'");
    refuses("type: [], body1: a", "IB0212", 13, "name of a type");
}

static void test_body1(void **state) {
    (void)state;
    assert_int_equal(read_measure("type: distance, body1: b").body1, 1);
    assert_int_equal(read_measure("type: distance, body1: ground, body2: a").body1, IB_GROUND);
    refuses("type: distance", "IB0211", 3, "'body1'");
    refuses("type: distance, body1: c", "IB0312", 30, "there is no body 'c'");
    refuses("type: distance, body1: [a]", "IB0212", 30, "a text");
}

static void test_body2(void **state) {
    (void)state;
    assert_int_equal(read_measure("type: distance, body1: a, body2: b").body2, 1);
    assert_int_equal(read_measure("type: distance, body1: a, body2: ground").body2, IB_GROUND);
    refuses("type: distance, body1: a, body2: a", "IB0318", 40, "body1 already");
    refuses("type: direction, body1: a, vector: [0, 0, 1], component: x, body2: b", "IB0214", 67,
            "does not use");
}

static void test_points(void **state) {
    (void)state;
    const ib_measure m =
        read_measure("type: distance, body1: b, point1: [1, 2, 3], body2: a, point2: [4, 5, 6]");
    assert_vector(m.point1, 1, 2, 3);
    assert_vector(m.point2, 4, 5, 6);
    const ib_measure d = read_measure("type: distance, body1: a, body2: b");
    assert_vector(d.point1, 0, 0, 0);
    assert_vector(d.point2, 0, 0, 2);
    refuses("type: distance, body1: a, point1: here", "IB0310", 41, "there is no point 'here'");
    refuses("type: distance, body1: a, point1: [1, 2]", "IB0224", 41, "3 numbers");
    refuses("type: angle, body1: a, orientation: [1, 0, 0, 0], point1: [0, 0, 0]", "IB0214", 57,
            "displacement");
}

static void test_named_points(void **state) {
    (void)state;
    loaded l =
        load_good(TWO_BODIES "points: {p: [1, 0, 0], q: ['2*3', 0, 10 mm]}\n"
                             "measures: {m: {type: distance, body1: a, point1: p, point2: q}}\n");
    assert_vector(l.model->measures[0].point1, 1, 0, 0);
    assert_vector(l.model->measures[0].point2, 6, 0, 0.01);
    unload(&l);
}

static void test_component(void **state) {
    (void)state;
    assert_int_equal(read_measure("type: velocity, body1: a, component: x").component, 0);
    assert_int_equal(read_measure("type: velocity, body1: a, component: y").component, 1);
    assert_int_equal(read_measure("type: velocity, body1: a, component: 'z'").component, 2);
    refuses("type: velocity, body1: a, component: w", "IB0215", 44, "none of x, y, z");
    refuses("type: velocity, body1: a", "IB0211", 3, "'component'");
    refuses("type: distance, body1: a, component: x", "IB0214", 33, "does not use");
}

static void test_vector(void **state) {
    (void)state;
    refuses("type: direction, body1: a, component: x", "IB0211", 3, "'vector'");
    refuses("type: direction, body1: a, component: x, vector: [0, 0, 0]", "IB0605", 56,
            "zero length");
    refuses("type: velocity, body1: a, component: x, vector: [0, 0, 1]", "IB0214", 47, "direction");
}

static void test_frame(void **state) {
    (void)state;
    assert_int_equal(read_measure("type: velocity, body1: a, component: x, frame: global").frame,
                     IB_GROUND);
    assert_int_equal(read_measure("type: velocity, body1: a, component: x, frame: b").frame, 1);
    refuses("type: velocity, body1: a, component: x, frame: c", "IB0312", 54, "no body 'c'");
    refuses("type: distance, body1: a, frame: b", "IB0214", 33, "does not use");
}

static void test_orientation(void **state) {
    (void)state;
    loaded l = load_good(TWO_BODIES "frames: {f: {z: [0, 1, 0]}}\n"
                                    "measures:\n"
                                    "  m: {type: angle, body1: a, orientation: f}\n"
                                    "  n: {type: angle, body1: a, orientation: {z: [0, 2, 0]}}\n");
    double z[3] = {0, 0, 1};
    ib_quat_rotate(l.model->measures[0].orientation, z, z);
    assert_vector(z, 0, 1, 0);
    assert_memory_equal(l.model->measures[0].orientation, l.model->measures[1].orientation,
                        sizeof(double[4]));
    unload(&l);
    refuses("type: angle, body1: a, orientation: g", "IB0311", 43, "there is no frame 'g'");
    refuses("type: angle, body1: a, orientation: [1, 0, 0]", "IB0224", 43, "4 numbers");
    refuses("type: angle, body1: a", "IB0211", 3, "'orientation'");
    refuses("type: distance, body1: a, orientation: [1, 0, 0, 0]", "IB0214", 33, "angle");
}

static void test_offset(void **state) {
    (void)state;
    const char *positions[] = {"type: displacement, component: x", "type: distance",
                               "type: angle, orientation: [1, 0, 0, 0]"};
    for (size_t i = 0; i < IB_COUNT(positions); i++) {
        char keys[200];
        snprintf(keys, sizeof(keys), "%s, body1: a, offset: initial", positions[i]);
        assert_int_equal(read_measure(keys).offset, IB_OFFSET_INITIAL);
    }
    const ib_measure m = read_measure("type: distance, body1: a, offset: 0.5");
    assert_int_equal(m.offset, IB_OFFSET_NUMBER);
    assert_same(m.offset_value, 0.5);
    assert_same(read_measure("type: angle, body1: a, orientation: [1, 0, 0, 0], offset: 90 deg")
                    .offset_value,
                1.5707963267948966);
    assert_same(
        read_measure("type: velocity, body1: a, component: x, offset: '2 * 3'").offset_value, 6);
    refuses("type: velocity, body1: a, component: x, offset: initial", "IB0214", 55, "initial");
    refuses("type: distance, body1: a, offset: 5 deg", "IB0218", 43, "a length");
    refuses("type: distance, body1: a, offset: true", "IB0212", 41, "a number");
}

static void test_plane(void **state) {
    (void)state;
    const ib_measure m =
        read_measure("type: angle, body1: a, vector: [0, 2, 0], plane: [[3, 0, 0], [0, 0, 4]]");
    assert_true(m.has_plane);
    assert_true(m.normalize);
    assert_vector(m.vector, 0, 1, 0);
    assert_vector(m.plane[0], 1, 0, 0);
    assert_vector(m.plane[1], 0, 0, 1);
    refuses("type: angle, body1: a, vector: [0, 2, 0]", "IB0211", 3, "plane");
    refuses("type: angle, body1: a, plane: [[1, 0, 0], [0, 1, 0]]", "IB0211", 3, "vector");
    refuses("type: angle, body1: a, vector: [0, 2, 0], plane: [[1, 0, 0], [2, 0, 0]]", "IB0605", 56,
            "parallel");
    refuses("type: angle, body1: a, vector: [0, 2, 0], plane: [[1, 0, 0]]", "IB0224", 56,
            "2 vectors");
    refuses("type: angle, body1: a, vector: [0, 0, 0], plane: [[1, 0, 0], [0, 1, 0]]", "IB0605", 38,
            "zero length");
    expect_error(HEAD "  m: {type: angle, body1: a, orientation: [1, 0, 0, 0], plane: [[1, 0, 0], "
                      "[0, 1, 0]]}\n",
                 "IB0222", 6, 64, "exclude");
}

static void test_normalize(void **state) {
    (void)state;
    const ib_measure m = read_measure("type: angular_rate, body1: a, vector: [0, 2, 0], "
                                      "plane: [[3, 0, 0], [0, 0, 4]], normalize: false");
    assert_false(m.normalize);
    assert_vector(m.vector, 0, 2, 0);
    assert_vector(m.plane[0], 3, 0, 0);
    assert_true(read_measure("type: angle, body1: a, vector: [0, 2, 0], "
                             "plane: [[3, 0, 0], [0, 0, 4]], normalize: true")
                    .normalize);
    refuses("type: angle, body1: a, orientation: [1, 0, 0, 0], normalize: false", "IB0214", 68,
            "only with");
    refuses(
        "type: angle, body1: a, vector: [0, 2, 0], plane: [[1, 0, 0], [0, 1, 0]], normalize: yes",
        "IB0212", 91, "true or false");
}

static void test_form(void **state) {
    (void)state;
    assert_true(
        read_measure("type: angular_rate, body1: a, orientation: [1, 0, 0, 0], form: legacy")
            .legacy_form);
    refuses("type: angular_rate, body1: a, orientation: [1, 0, 0, 0], form: new", "IB0215", 70,
            "legacy");
    refuses("type: angle, body1: a, orientation: [1, 0, 0, 0], form: legacy", "IB0214", 57,
            "angular_rate");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_id),
        cmocka_unit_test(test_type_displacement),
        cmocka_unit_test(test_type_velocity),
        cmocka_unit_test(test_type_distance),
        cmocka_unit_test(test_type_distance_rate),
        cmocka_unit_test(test_type_angle),
        cmocka_unit_test(test_type_angular_rate),
        cmocka_unit_test(test_type_direction),
        cmocka_unit_test(test_type_angular_velocity),
        cmocka_unit_test(test_type_accelerations),
        cmocka_unit_test(test_type_refused),
        cmocka_unit_test(test_body1),
        cmocka_unit_test(test_body2),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_named_points),
        cmocka_unit_test(test_component),
        cmocka_unit_test(test_vector),
        cmocka_unit_test(test_frame),
        cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_offset),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_normalize),
        cmocka_unit_test(test_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
