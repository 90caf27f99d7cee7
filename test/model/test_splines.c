/* Splines: from lists and from files, and what is wrong with data. */
#include "data_test.h"

static void table_gives(const char *keys, const char *data, double x, double wanted) {
    loaded l = load_file("splines", keys, data);
    if (l.status != IB_OK)
        print_diags(&l);
    assert_int_equal(l.status, IB_OK);
    assert_float_equal(ib_curve_eval(l.model->curves[0], 0, x), wanted, 1e-12);
    unload(&l);
}

static void table_fails(const char *keys, const char *data, const char *id, uint32_t line,
                        uint32_t column, const char *said) {
    file_fails("splines", keys, data, id, line, column, said);
}

static loaded load_spline(const char *keys) {
    char text[500];
    snprintf(text, sizeof(text), TWO_BODIES "splines:\n  s: {%s}\n", keys);
    return load_good(text);
}

static void refuses(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[500];
    snprintf(text, sizeof(text), TWO_BODIES "splines:\n  s: {%s}\n", keys);
    expect_error(text, id, 6, column, said);
}

static void test_types(void **state) {
    (void)state;
    loaded l = load_spline("x: [0, 1, 2, 3, 4], y: [0, 1, 0, 2, 0], id: S");
    loaded akima = load_spline("x: [0, 1, 2, 3, 4], y: [0, 1, 0, 2, 0], type: akima");
    loaded zcc = load_spline("x: [0, 1, 2, 3, 4], y: [0, 1, 0, 2, 0], type: zcc");
    loaded linear = load_spline("x: [0, 1, 2, 3, 4], y: [0, 1, 0, 2, 0], type: linear");
    assert_string_equal(l.model->curve_names[0], "s");
    /* Akima is the default. */
    assert_same(ib_curve_eval(l.model->curves[0], 0, 0.3),
                ib_curve_eval(akima.model->curves[0], 0, 0.3));
    assert_float_equal(ib_curve_eval(linear.model->curves[0], 0, 0.25), 0.25, 1e-15);
    assert_float_equal(ib_curve_eval(linear.model->curves[0], 0, 5), -2, 1e-12);
    assert_float_equal(ib_curve_eval(zcc.model->curves[0], 1, 0), 0, 1e-12);
    assert_float_equal(ib_curve_eval(zcc.model->curves[0], 1, 4), 0, 1e-12);
    unload(&l);
    unload(&akima);
    unload(&zcc);
    unload(&linear);
    loaded pchip = load_spline("x: [0, 1, 2, 3, 4], y: [0, 1, 0, 2, 2], type: pchip");
    loaded cubic = load_spline("x: [0, 1, 2, 3, 4], y: [0, 1, 8, 27, 64], type: cubic");
    assert_same(ib_curve_eval(pchip.model->curves[0], 1, 1), 0);
    assert_same(ib_curve_eval(pchip.model->curves[0], 0, 3.5), 2);
    assert_float_equal(ib_curve_eval(cubic.model->curves[0], 0, 1.5), 3.375, 1e-13);
    assert_float_equal(ib_curve_eval(cubic.model->curves[0], 0, 5), 64 + 48, 1e-11);
    unload(&pchip);
    unload(&cubic);
    refuses("x: [0, 1], y: [0, 1], type: akma", "IB0215", 35, "did you mean 'akima'?");
}

static void test_lists(void **state) {
    (void)state;
    loaded l = load(TWO_BODIES
                    "parameters: {k: 10}\nsplines: {s: {x: [0, 10 mm, '2 * k'], y: [k, 2, 3]}}\n");
    assert_int_equal(l.status, IB_OK);
    assert_float_equal(ib_curve_eval(l.model->curves[0], 0, 0), 10, 1e-12);
    assert_float_equal(ib_curve_eval(l.model->curves[0], 0, 0.01), 2, 1e-12);
    unload(&l);
    refuses("x: [0, 2, 1], y: [0, 1, 2]", "IB0501", 17, "1 follows 2");
    refuses("x: [0, 1, 1], y: [0, 1, 2]", "IB0501", 17, "1 follows 1");
    refuses("x: [0], y: [0]", "IB0502", 10, "two points");
    refuses("x: [0, 1, 2], y: [0, 1]", "IB0502", 24, "2 values, x has 3");
    refuses("x: [0, .nan], y: [0, 1]", "IB0216", 14, "finite");
    refuses("x: [0, 1], y: [0, .inf]", "IB0216", 25, "finite");
    refuses("x: 5, y: [0, 1]", "IB0212", 10, "list of numbers");
    refuses("x: [0, 1]", "IB0211", 3, "'y'");
    refuses("y: [0, 1]", "IB0211", 3, "'x'");
    refuses("x: [0, 1e-300, 1], y: [0, 1e10, 0]", "IB0504", 3, "'s' has no finite slope");
    refuses("id: q", "IB0211", 3, "'x' and 'y', or 'file'");
    refuses("x: [0, 1], y: [0, 1], columns: [0, 1]", "IB0214", 38, "only with 'file'");
    refuses("x: [0, 1], y: [0, 1], header_lines: 1", "IB0214", 43, "only with 'file'");
}

static void test_file(void **state) {
    (void)state;
    const char *plain = "file: data.txt, type: linear";
    table_gives(plain, "0 0\n1 10\n2 40\n", 1.5, 25);
    table_gives(plain, "0\t0\n1\t10\n2\t40\n", 1.5, 25);
    table_gives(plain, "0,0\n1, 10\n2 ,40", 1.5, 25);
    table_gives(plain, "  0   0  \r\n\r\n 1   10\r\n+2e0  4.0e1\r\n", 1.5, 25);
    table_gives(plain, "# a comment\n0 0 # here too\n\n1 10\n2 40\n", 1.5, 25);
    table_gives(plain, "-1 -10\n1 10\n", 0.5, 5);
}

static void test_header_lines(void **state) {
    (void)state;
    table_gives("file: data.txt, type: linear, header_lines: 1", "x y\n0 0\n1 10\n", 0.5, 5);
    table_gives("file: data.txt, type: linear, header_lines: 2", "x y\n5 5\n0 0\n1 10\n", 0.5, 5);
    table_fails("file: data.txt", "x y\n0 0\n1 10\n", "IB0503", 1, 1, "not a finite number");
    refuses("file: data.txt, header_lines: -1", "IB0216", 37, "whole number");
    refuses("file: data.txt, header_lines: 1.5", "IB0216", 37, "whole number");
}

static void test_columns(void **state) {
    (void)state;
    table_gives("file: data.txt, type: linear, columns: [0, 1]", "0 5 0\n1 7 10\n", 0.5, 6);
    table_gives("file: data.txt, type: linear, columns: [0, 2]", "0 5 0\n1 7 10\n", 0.5, 5);
    table_gives("file: data.txt, type: linear, columns: [2, 0]", "0 5 0\n1 7 10\n", 5, 0.5);
    /* Columns that are not used may hold anything. */
    table_gives("file: data.txt, type: linear, columns: [1, 2]", "a 0 0\nb 1 10\n", 0.5, 5);
    table_fails("file: data.txt, columns: [0, 3]", "0 0\n", "IB0503", 1, 1, "no column 3");
    refuses("file: data.txt, columns: [0]", "IB0224", 32, "2 whole numbers");
    refuses("file: data.txt, columns: [0, -1]", "IB0216", 36, "whole number");
}

static void test_bad_rows(void **state) {
    (void)state;
    const char *keys = "file: data.txt";
    table_fails(keys, "0 0\n2 1\n1 2\n", "IB0501", 3, 1, "strictly increase");
    table_fails(keys, "0 0\n1 1\n1 2\n", "IB0501", 3, 1, "strictly increase");
    table_fails(keys, "0 0\n1 nan\n2 2\n", "IB0503", 2, 3, "not a finite number");
    table_fails(keys, "0 0\n1 inf\n2 2\n", "IB0503", 2, 3, "not a finite number");
    table_fails(keys, "0 0\n1 1e999\n2 2\n", "IB0503", 2, 3, "not a finite number");
    table_fails(keys, "0 0\n1 1x\n2 2\n", "IB0503", 2, 3, "not a finite number");
    table_fails(keys, "0 0\n1 1 1\n2 2\n", "IB0503", 2, 1, "3 columns, the first one has 2");
    table_fails(keys, "0 0\n1\n2 2\n", "IB0503", 2, 1, "1 columns, the first one has 2");
    table_fails(keys, "0,0,0\n1,,1\n2,2,2\n", "IB0503", 2, 3, "a value is missing");
    table_fails(keys, "0,0\n1,\n2,2\n", "IB0503", 2, 3, "a value is missing");
}

static void test_bad_files(void **state) {
    (void)state;
    loaded l = load_file("splines", "file: nothing.txt", NULL);
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_int_equal(ib_diags_errors(l.diags), 1);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0101");
    assert_int_equal(ib_diags_at(l.diags, 0)->place.line, 4);
    assert_int_equal(ib_diags_at(l.diags, 0)->place.column, 13);
    unload(&l);
    static const char *const short_tables[] = {"", "0 0\n", "# nothing\n"};
    for (size_t i = 0; i < IB_COUNT(short_tables); i++) {
        l = load_file("splines", "file: data.txt", short_tables[i]);
        assert_int_equal(l.status, IB_BAD_INPUT);
        assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0502");
        assert_int_equal(ib_diags_at(l.diags, 0)->place.line, 4);
        unload(&l);
    }
    refuses("file: data.txt, x: [0, 1]", "IB0222", 26, "exclude");
}

/* A failed spline is a name all the same. */
static void test_no_cascade(void **state) {
    (void)state;
    expect_error(TWO_BODIES "splines: {s: {x: [0], y: [0]}}\n"
                            "forces: {f: {type: expression_force, body1: a, force: s(rate)},\n"
                            "  g: {type: spring_damper, body1: a, stiffness: s}}\n",
                 "IB0502", 5, 18, "two points");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),     cmocka_unit_test(test_lists),
        cmocka_unit_test(test_file),      cmocka_unit_test(test_header_lines),
        cmocka_unit_test(test_columns),   cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_bad_files), cmocka_unit_test(test_no_cascade),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
