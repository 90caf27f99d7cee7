/* Tables: from nested lists and from files, in expressions, and what is wrong with data. */
#include "data_test.h"

/* f(x, y) = 10 x + y on 2 x 3 points. */
#define GRID "0 0 0\n0 1 1\n0 2 2\n3 0 30\n3 1 31\n3 2 32\n"

static double value(const loaded *l, double x, double y) {
    const double at[] = {x, y};
    return ib_table_eval(l->model->tables[0], 0, at);
}

static loaded load_lists(const char *keys) {
    char text[600];
    snprintf(text, sizeof(text), TWO_BODIES "tables:\n  s: {%s}\n", keys);
    return load_good(text);
}

static void refuses(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[600];
    snprintf(text, sizeof(text), TWO_BODIES "tables:\n  s: {%s}\n", keys);
    expect_error(text, id, 6, column, said);
}

static void test_lists(void **state) {
    (void)state;
    loaded l = load_lists("axes: [[0, 1], [0, 1, 2]], values: [[0, 1, 4], [10, 11, 14]], id: T");
    assert_int_equal(ib_table_arity(l.model->tables[0]), 2);
    assert_string_equal(l.model->table_names[0], "s");
    assert_near(value(&l, 0.25, 1.5), 2.5 + 2.5, 1e-15);
    unload(&l);
    l = load_lists(
        "type: multilinear, axes: [[0, 1], [0, 1, 2]], values: [[0, 1, 4], [10, 11, 14]]");
    assert_near(value(&l, 2, -1), 20 - 1, 1e-14);
    unload(&l);
    l = load_lists("type: cubic, axes: [[0, 1], [0, 1, 2]], values: [[0, 1, 4], [10, 11, 14]]");
    assert_near(value(&l, 0.25, 1.5), 2.5 + 2.25, 1e-14);
    unload(&l);
    l = load_lists("axes: [[0, 1], [0, 1], [0, 1]], values: [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]");
    const double at[] = {1, 0.5, 0.25};
    assert_near(ib_table_eval(l.model->tables[0], 0, at), 4 + 1 + 0.25, 1e-15);
    unload(&l);
    l = load_lists("axes: [[0, 1], [0, 1], [0, 1], [0, 1]], values: [[[[0, 1], [2, 3]], [[4, 5], "
                   "[6, 7]]], [[[8, 9], [10, 11]], [[12, 13], [14, 15]]]]");
    const double far[] = {1, 0.5, 0.25, 0.5};
    assert_near(ib_table_eval(l.model->tables[0], 0, far), 8 + 2 + 0.5 + 0.5, 1e-15);
    unload(&l);
}

/* Parameters and units in the data; constants, laws and motions that use the table. */
static void test_in_expressions(void **state) {
    (void)state;
    loaded l = load_good(
        TWO_BODIES
        "parameters: {k: 10}\n"
        "inputs: {u: 0}\n"
        "tables: {s: {axes: [[0, 5 mm], [0, 1 deg]], values: [[0, k], [2 * k, '3 * k']]}}\n"
        "points: {p: ['s(0.005, 0)', 0, 0]}\n"
        "measures: {x: {type: displacement, body1: a, component: x}}\n"
        "drivers: {d: {measure: x, motion: 's(0, t * pi / 180)'}}\n"
        "forces: {f: {type: expression_force, body1: a, body2: b, force: 's(u, x) * length'}}\n"
        "outputs: {o: 's(x, x + t)'}\n"
        "joints: {j: {type: spherical, body1: b, point: p}}\n");
    assert_near(value(&l, 0.005, 3.14159265358979312 / 180), 30, 1e-12);
    assert_near(l.model->joints[0].point1[0], 20, 1e-12);
    double leaves[8] = {0.5};
    assert_near(ib_graph_value(l.model->graph, l.model->drivers[0].motion.node, leaves, 8), 5,
                1e-12);
    unload(&l);
    const char *table =
        TWO_BODIES "tables: {s: {axes: [[0, 1], [0, 1]], values: [[0, 1], [2, 3]]}}\n";
    char text[600];
    snprintf(text, sizeof(text), "%sparameters: {p: 's(0, 0)'}\n", table);
    expect_error(text, "IB0413", 6, 18, "tables are made from parameters");
    snprintf(text, sizeof(text), "%sforces: {f: {type: force, body1: a, value: [0, 0, 's(t)']}}\n",
             table);
    expect_error(text, "IB0409", 6, 52, "takes 2 arguments, not 1");
    snprintf(text, sizeof(text), "%sforces: {f: {type: force, body1: a, value: [0, 0, 's + 1']}}\n",
             table);
    expect_error(text, "IB0408", 6, 52, "is a table");
    snprintf(text, sizeof(text), "%sforces: {f: {type: spring_damper, body1: a, stiffness: s}}\n",
             table);
    expect_error(text, "IB0408", 6, 56, "write s(x, y)");
    snprintf(text, sizeof(text), "%sparameters: {s: 1}\n", table);
    expect_error(text, "IB0301", 5, 10, "twice");
    expect_error(TWO_BODIES "tables: {lift: {axes: [[0, 1], [0, 1]], values: [[0, 1], [2, 3]]}}\n"
                            "outputs: {o: 'lfit(t, t)'}\n",
                 "IB0407", 6, 15, "did you mean 'lift'?");
}

static void test_bad_lists(void **state) {
    (void)state;
    refuses("axes: [[0, 1]], values: [0, 1]", "IB0224", 13, "2 to 4 lists");
    refuses("axes: 5, values: [0, 1]", "IB0224", 13, "2 to 4 lists");
    refuses("axes: [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1]], values: []", "IB0224", 13, "2 to 4");
    refuses("axes: [[0, 1], 5], values: [[0, 1], [2, 3]]", "IB0212", 22, "a list of numbers");
    refuses("axes: [[0, 1], [0]], values: [[0], [2]]", "IB0502", 22, "two numbers at least");
    refuses("axes: [[0, 1], [1, 0]], values: [[0, 1], [2, 3]]", "IB0501", 26, "0 follows 1");
    refuses("axes: [[0, 0], [0, 1]], values: [[0, 1], [2, 3]]", "IB0501", 18, "0 follows 0");
    refuses("axes: [[0, .nan], [0, 1]], values: [[0, 1], [2, 3]]", "IB0216", 18, "finite");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], [2]]", "IB0505", 48,
            "axis 2 has 2 numbers, this list 1");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], [2, 3], [4, 5]]", "IB0505", 39,
            "axis 1 has 2 numbers, this list 3");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], 2]", "IB0212", 48, "axis 2 is wanted here");
    refuses("axes: [[0, 1], [0, 1]], values: 2", "IB0212", 39, "axis 1 is wanted here");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], [2, .nan]]", "IB0216", 52, "finite");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], [2, ~]]", "IB0212", 52, "not nothing");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], [2, [3]]]", "IB0212", 52, "not a list");
    refuses("axes: [[0, 1], [0, 1]]", "IB0211", 3, "'values'");
    refuses("values: [[0, 1], [0, 1]]", "IB0211", 3, "'axes'");
    refuses("id: q", "IB0211", 3, "'axes' and 'values', or 'file'");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], [2, 3]], columns: [0, 1, 2]", "IB0214", 66,
            "only with 'file'");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], [2, 3]], header_lines: 1", "IB0214", 71,
            "only with 'file'");
    refuses("axes: [[0, 1], [0, 1]], values: [[0, 1], [2, 3]], type: bilinear", "IB0215", 63,
            "the types are multilinear, cubic");
    refuses("type: cubic, axes: [[0, 1e-300], [0, 1]], values: [[0, 1e9], [2, 3]]", "IB0504", 3,
            "no finite slope");
    refuses("file: data.txt, axes: [[0, 1], [0, 1]]", "IB0222", 29, "exclude");
    refuses("file: data.txt, values: [[0, 1], [0, 1]]", "IB0222", 31, "exclude");
}

static void file_gives(const char *keys, const char *data, double x, double y, double wanted) {
    loaded l = load_file("tables", keys, data);
    if (l.status != IB_OK)
        print_diags(&l);
    assert_int_equal(l.status, IB_OK);
    assert_near(value(&l, x, y), wanted, 1e-12);
    unload(&l);
}

static void test_files(void **state) {
    (void)state;
    file_gives("file: data.txt", GRID, 1.5, 1.25, 16.25);
    file_gives("file: data.txt, type: cubic", GRID, 1.5, 1.25, 16.25);
    file_gives("file: data.txt", "0,0,0\n0, 1,1\n0,2 ,2\r\n\n3,0,30 # here\n3\t1\t31\n3,2,32", 1, 1,
               11);
    file_gives("file: data.txt, header_lines: 1", "alpha mach lift\n" GRID, 1, 1, 11);
    /* The first argument may run fastest. */
    file_gives("file: data.txt", "0 0 0\n3 0 30\n0 1 1\n3 1 31\n0 2 2\n3 2 32\n", 1, 2, 12);
    /* Columns choose and reorder. */
    file_gives("file: data.txt, columns: [2, 0, 3]",
               "0 a 0 0\n0 b 3 30\n1 c 0 1\n1 d 3 31\n2 e 0 2\n2 f 3 32\n", 1.5, 1.25, 16.25);
    loaded l =
        load_file("tables", "file: data.txt",
                  "0 0 0 0\n0 0 2 1\n0 1 0 2\n0 1 2 3\n4 0 0 4\n4 0 2 5\n4 1 0 6\n4 1 2 7\n");
    const double at[] = {1, 1, 0.5};
    assert_int_equal(l.status, IB_OK);
    assert_near(ib_table_eval(l.model->tables[0], 0, at), 1 + 2 + 0.25, 1e-14);
    unload(&l);
}

static void fails(const char *keys, const char *data, const char *id, uint32_t line,
                  uint32_t column, const char *said) {
    file_fails("tables", keys, data, id, line, column, said);
}

static void test_bad_rows(void **state) {
    (void)state;
    const char *keys = "file: data.txt";
    fails(keys, "0 0 0\n0 1 nan\n3 0 30\n3 1 31\n", "IB0503", 2, 5, "not a finite number");
    fails(keys, "0 0 0\n0 1\n3 0 30\n3 1 31\n", "IB0503", 2, 1, "2 columns, the first one has 3");
    fails(keys, "0,0,0\n0,1,\n3,0,30\n3,1,31\n", "IB0503", 2, 5, "a value is missing");
    fails(keys, "0 0 0\n0 1 one\n3 0 30\n3 1 31\n", "IB0503", 2, 5, "not a finite number");
    fails(keys, "0 0\n1 1\n", "IB0503", 1, 1, "3 to 5");
    fails(keys, "0 0 0 0 0 0\n", "IB0503", 1, 1, "3 to 5");
    /* axes */
    fails(keys, "0 0 0\n0 2 2\n0 1 1\n3 0 30\n3 2 32\n3 1 31\n", "IB0501", 3, 3,
          "argument 2 must strictly increase, but 1 follows 2");
    fails(keys, "3 0 30\n3 1 31\n0 0 0\n0 1 1\n", "IB0501", 3, 1,
          "argument 1 must strictly increase, but 0 follows 3");
    fails(keys, "0 0 0\n0 0 0\n3 0 1\n", "IB0501", 2, 3, "but 0 follows 0");
    fails(keys, "0 0 0\n0 1 0\n0 2 1\n", "IB0502", 1, 1, "argument 1 has one number only, 0");
    fails(keys, "0 0 0\n1 1 1\n2 2 2\n", "IB0505", 2, 1, "only the last argument changes");
    /* gaps, doubled rows, rows out of order */
    fails(keys, "0 0 0\n0 1 1\n0 2 2\n3 0 30\n3 2 32\n", "IB0505", 5, 1, "the point (3, 1) here");
    fails(keys, "0 0 0\n0 1 1\n0 2 2\n3 0 30\n3 1 31\n", "IB0505", 5, 1,
          "goes on with the point (3, 2), but this is the last row");
    fails(keys, GRID "3 2 32\n", "IB0505", 7, 1, "the grid is full before this row");
    fails(keys, "0 0 0\n0 1 1\n0 2 2\n3 0 30\n3 1 31\n3 1 31\n3 2 32\n", "IB0505", 6, 1,
          "the point (3, 2) here");
    fails(keys, "0 0 0\n0 1 1\n3 0 30\n3 1.5 31\n", "IB0505", 4, 1, "the point (3, 1) here");
    fails("file: data.txt, columns: [0, 1, 5]", GRID, "IB0503", 1, 1, "no column 5");
}

static void test_bad_files(void **state) {
    (void)state;
    loaded l = load_file("tables", "file: nothing.txt", NULL);
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_int_equal(ib_diags_errors(l.diags), 1);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0101");
    assert_int_equal(ib_diags_at(l.diags, 0)->place.column, 13);
    unload(&l);
    l = load_file("tables", "file: data.txt", "# nothing\n");
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0502");
    unload(&l);
    refuses("file: data.txt, columns: [0, 1]", "IB0224", 32, "3 to 5 whole numbers");
    refuses("file: data.txt, columns: 7", "IB0224", 32, "3 to 5 whole numbers");
    refuses("file: data.txt, columns: [0, 1, -2]", "IB0216", 39, "whole number");
}

/* A failed table is a name all the same, with whatever arguments. */
static void test_no_cascade(void **state) {
    (void)state;
    expect_error(TWO_BODIES "tables: {s: {axes: [[0], [0, 1]], values: [[0, 1]]}}\n"
                            "forces: {f: {type: expression_force, body1: a, body2: b, force: "
                            "'s(rate, t)'}}\n",
                 "IB0502", 5, 21, "two numbers");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_in_expressions),
        cmocka_unit_test(test_bad_lists),  cmocka_unit_test(test_files),
        cmocka_unit_test(test_bad_rows),   cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_no_cascade),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
