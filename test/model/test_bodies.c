/* Bodies, points, frames and what is physical. */
#include "model_test.h"

/* The one body of a model with these keys, on line 3. */
static ib_body read_body(const char *keys) {
    char text[1000];
    snprintf(text, sizeof(text), "ironbird: 1\nbodies:\n  a: {%s}\n", keys);
    loaded l = load_good(text);
    const ib_body body = l.model->bodies[0];
    unload(&l);
    return body;
}

static void refuses(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[1000];
    snprintf(text, sizeof(text), "ironbird: 1\nbodies:\n  a: {%s}\n", keys);
    expect_error(text, id, 3, column, said);
}

static void test_defaults(void **state) {
    (void)state;
    const ib_body a = read_body("mass: 2, inertia: [1, 1.2, 1]");
    const double q[4] = {1, 0, 0, 0};
    assert_same(a.mass, 2);
    assert_same(a.inertia[1], 1.2);
    assert_same(a.inertia[3], 0);
    assert_vector(a.position, 0, 0, 0);
    assert_memory_equal(a.orientation, q, sizeof(q));
    assert_vector(a.velocity, 0, 0, 0);
    assert_vector(a.angular_velocity, 0, 0, 0);
    assert_null(a.element.id);
}

static void test_all_keys(void **state) {
    (void)state;
    loaded l = load_good("ironbird: 1\nparameters: {m: 3}\nbodies:\n"
                         "  a: {id: A-1, mass: m, inertia: [2, 3, 4, 0.1, 0.2, 0.3],\n"
                         "      position: [1, 2, 3], orientation: [0, 1, 0, 0],\n"
                         "      velocity: [4, 5, 6], angular_velocity: [7, 8, 9]}\n");
    const ib_body *a = &l.model->bodies[0];
    const double inertia[6] = {2, 3, 4, 0.1, 0.2, 0.3};
    assert_string_equal(a->element.id, "A-1");
    assert_string_equal(a->element.name, "a");
    assert_same(a->mass, 3);
    assert_memory_equal(a->inertia, inertia, sizeof(inertia));
    assert_vector(a->position, 1, 2, 3);
    assert_same(a->orientation[1], 1);
    assert_vector(a->velocity, 4, 5, 6);
    assert_vector(a->angular_velocity, 7, 8, 9);
    unload(&l);
}

static void test_mass(void **state) {
    (void)state;
    assert_same(read_body("mass: 0, inertia: [0, 0, 0]").mass, 0);
    refuses("mass: -1, inertia: [1, 1, 1]", "IB0601", 13, "negative");
    refuses("inertia: [1, 1, 1]", "IB0211", 3, "'mass'");
    refuses("mass: heavy, inertia: [1, 1, 1]", "IB0407", 13, "heavy");
    refuses("mass: .inf, inertia: [1, 1, 1]", "IB0216", 13, "finite");
    refuses("mass: .nan, inertia: [1, 1, 1]", "IB0216", 13, "finite");
    refuses("mass: , inertia: [1, 1, 1]", "IB0212", 13, "nothing");
    refuses("mass: true, inertia: [1, 1, 1]", "IB0212", 13, "'true'");
    refuses("mass: [1], inertia: [1, 1, 1]", "IB0212", 13, "a list");
    refuses("mass: {a: 1}, inertia: [1, 1, 1]", "IB0212", 13, "a map");
    refuses("mass: t, inertia: [1, 1, 1]", "IB0413", 13, "constant");
}

static void test_inertia(void **state) {
    (void)state;
    read_body("mass: 1, inertia: [0.234375, 0.46875, 0.234375]"); /* flat: the limit itself */
    read_body("mass: 1, inertia: [0, 1, 1]");
    /* Turned by 45 degrees about z from [1, 3, 3]. */
    read_body("mass: 1, inertia: [2, 2, 3, 1, 0, 0]");
    refuses("mass: 1, inertia: [1, 1, 2.1]", "IB0602", 25, "exceeds");
    refuses("mass: 1, inertia: [1, 1, 1, 0.9, 0, 0]", "IB0602", 25, "exceeds");
    refuses("mass: 1, inertia: [-1, 1, 1]", "IB0602", 25, "negative");
    refuses("mass: 1, inertia: [1, 1, 1, 2, 0, 0]", "IB0602", 25, "negative");
    refuses("mass: 1, inertia: [1, 1]", "IB0224", 25, "[xx, yy, zz]");
    refuses("mass: 1, inertia: 1", "IB0224", 25, "3 or 6");
    refuses("mass: 1", "IB0211", 3, "'inertia'");
}

static void test_quaternions(void **state) {
    (void)state;
    const double q[4] = {1, 0, 0, 0};
    assert_memory_equal(
        read_body("mass: 1, inertia: [1, 1, 1], orientation: [1.0000009, 0, 0, 0]").orientation, q,
        sizeof(q));
    refuses("mass: 1, inertia: [1, 1, 1], orientation: [1.002, 0, 0, 0]", "IB0603", 49, "1.002");
    refuses("mass: 1, inertia: [1, 1, 1], orientation: [0, 0, 0, 0]", "IB0603", 49, "length 0");
    loaded l = load("ironbird: 1\nbodies:\n"
                    "  a: {mass: 1, inertia: [1, 1, 1], orientation: [1.0009, 0, 0, 0]}\n");
    assert_int_equal(l.status, IB_OK);
    assert_int_equal(ib_diags_count(l.diags), 1);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0604");
    assert_int_equal(ib_diags_at(l.diags, 0)->severity, IB_NOTE);
    assert_int_equal(ib_diags_at(l.diags, 0)->place.column, 49);
    assert_memory_equal(l.model->bodies[0].orientation, q, sizeof(q));
    unload(&l);
}

static void test_points(void **state) {
    (void)state;
    loaded l =
        load_good("ironbird: 1\nparameters: {h: 0.3}\npoints: {hub: [0, 1, h], x: [1, 0, 0]}\n"
                  "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: hub}\n");
    assert_vector(l.model->bodies[0].position, 0, 1, 0.3);
    unload(&l);
    expect_error("ironbird: 1\npoints: {hub: [0, 1, 0]}\nbodies:\n"
                 "  a: {mass: 1, inertia: [1, 1, 1], position: hubb}\n",
                 "IB0310", 4, 46, "did you mean 'hub'?");
    expect_error("ironbird: 1\npoints: {hub: other}\nbodies:\n"
                 "  a: {mass: 1, inertia: [1, 1, 1], position: hub}\n",
                 "IB0212", 2, 15, "list of 3 numbers");
}

/* Where the axes of an orientation point. */
static void axes(const char *orientation, const double wanted[9]) {
    char keys[300];
    snprintf(keys, sizeof(keys), "mass: 1, inertia: [1, 1, 1], orientation: %s", orientation);
    const ib_body a = read_body(keys);
    double R[9];
    ib_quat_matrix(a.orientation, R);
    for (int i = 0; i < 9; i++)
        assert_float_equal(R[i], wanted[i], 1e-15);
}

static void test_frames(void **state) {
    (void)state;
    /* Matrices by rows; columns are the axes. */
    axes("{z: [0, 0, 5]}", (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    axes("{z: [1, 0, 0]}", (const double[]){0, 0, 1, 0, 1, 0, -1, 0, 0});
    axes("{z: [0, 0, -1]}", (const double[]){1, 0, 0, 0, -1, 0, 0, 0, -1});
    axes("{x: [0, 1, 0.7], z: [0, 0, 1]}", (const double[]){0, -1, 0, 1, 0, 0, 0, 0, 1});
    axes("{sequence: zyx, angles: [90 deg, 0, 0]}", (const double[]){0, -1, 0, 1, 0, 0, 0, 0, 1});
    /* Intrinsic: first about z, then about the new x. */
    axes("{sequence: zxz, angles: [90 deg, 90 deg, 0]}",
         (const double[]){0, 0, 1, 1, 0, 0, 0, 1, 0});
    axes("{sequence: xyz, angles: [0, 0, 0]}", (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
}

static void test_sequences(void **state) {
    (void)state;
    static const char *const sequences[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                            "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};
    for (size_t i = 0; i < IB_COUNT(sequences); i++) {
        char keys[200];
        snprintf(
            keys, sizeof(keys),
            "mass: 1, inertia: [1, 1, 1], orientation: {sequence: %s, angles: [0.1, 0.2, 0.3]}",
            sequences[i]);
        const ib_body a = read_body(keys);
        /* The product of the elementary rotations, from the left to the right. */
        double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int k = 0; k < 3; k++) {
            double e[3] = {0};
            double E[9];
            double P[9];
            e[sequences[i][k] - 'x'] = 0.1 * (k + 1);
            ib_so3_exp(e, E);
            ib_mul33(R, E, P);
            memcpy(R, P, sizeof(R));
        }
        double got[9];
        ib_quat_matrix(a.orientation, got);
        for (int k = 0; k < 9; k++)
            assert_float_equal(got[k], R[k], 1e-15);
    }
}

static void test_bad_frames(void **state) {
    (void)state;
    const char *head = "ironbird: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nframes:\n  f: ";
    static const struct {
        const char *frame, *id;
        uint32_t column;
        const char *said;
    } cases[] = {
        {"{z: [0, 0, 0]}", "IB0605", 10, "zero length"},
        {"{x: [1, 0, 0]}", "IB0222", 6, "{x, z}"},
        {"{x: [1, 0, 0], z: [2, 0, 0]}", "IB0605", 10, "parallel"},
        {"{sequence: zyx}", "IB0222", 6, "{sequence, angles}"},
        {"{angles: [1, 2, 3]}", "IB0222", 6, "{sequence, angles}"},
        {"{z: [0, 0, 1], angles: [1, 2, 3]}", "IB0222", 6, "{x, z}"},
        {"{sequence: zzy, angles: [1, 2, 3]}", "IB0215", 17, "zyx or zxz"},
        {"{sequence: ZYX, angles: [1, 2, 3]}", "IB0215", 17, "zyx"},
        {"{sequence: zyxz, angles: [1, 2, 3]}", "IB0215", 17, "zyx"},
        {"{sequence: zyx, angles: [1, 2]}", "IB0224", 30, "3 numbers"},
        {"{sequence: zyx, angles: [1 m, 2, 3]}", "IB0218", 33, "an angle"},
        {"{}", "IB0222", 6, "{x, z}"},
        {"{y: [0, 0, 1]}", "IB0210", 7, "no key 'y'"},
        {"[1, 0, 0]", "IB0224", 6, "4 numbers"},
        {"g", "IB0212", 6, "list of 4 numbers"},
    };
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        char text[400];
        snprintf(text, sizeof(text), "%s%s\n", head, cases[i].frame);
        expect_error(text, cases[i].id, 4, cases[i].column, cases[i].said);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_all_keys),
        cmocka_unit_test(test_mass),        cmocka_unit_test(test_inertia),
        cmocka_unit_test(test_quaternions), cmocka_unit_test(test_points),
        cmocka_unit_test(test_frames),      cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_bad_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
