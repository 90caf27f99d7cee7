/* Large and hostile models: time stays in proportion, depth has a limit, memory is given back. */
#include "model_test.h"

#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A chain of n bodies with a measure, a force and an output each. */
static void write_chain(ib_str *text, int n) {
    ib_str_add(text, "ironbird: 1\nparameters: {m: 2, L: 1}\nbodies:\n");
    for (int i = 0; i < n; i++)
        ib_str_printf(text,
                      "  b%d: {mass: m, inertia: ['m*L^2/12', 1, 1], position: ['%d*L', 0, 0]}\n",
                      i, i);
    ib_str_add(text, "joints:\n");
    for (int i = 0; i < n; i++)
        ib_str_printf(text,
                      "  j%d: {type: revolute, body1: b%d, body2: %s%d, point: [%d, 0, 0], "
                      "axis: [0, 1, 0]}\n",
                      i, i + 1 < n ? i + 1 : 0, "b", i, i);
    ib_str_add(text, "measures:\n");
    for (int i = 0; i < n; i++)
        ib_str_printf(text, "  z%d: {type: displacement, body1: b%d, component: z}\n", i, i);
    ib_str_add(text, "forces:\n");
    for (int i = 0; i < n; i++)
        ib_str_printf(text, "  f%d: {type: expression_force, body1: b%d, force: m*length + rate}\n",
                      i, i);
    ib_str_add(text, "outputs:\n");
    for (int i = 0; i < n; i++)
        ib_str_printf(text, "  o%d: z%d * 2\n", i, i);
}

static double time_chain(int n) {
    ib_str text = {0};
    write_chain(&text, n);
    assert_false(text.failed);
    const double start = seconds();
    loaded l = load_good(text.data);
    const double spent = seconds() - start;
    assert_int_equal(l.model->n_bodies, n);
    assert_int_equal(l.model->n_measures, 3 * n);
    unload(&l);
    ib_str_free(&text);
    return spent;
}

static void test_thousand_bodies(void **state) {
    (void)state;
    const double small = time_chain(1000);
    const double large = time_chain(8000);
    print_message("1000 bodies: %.3f s, 8000: %.3f s\n", small, large);
    assert_true(small < 5); /* generous: sanitizers and slow machines */
    assert_true(large < 30 * small + 1);
}

static void expect_id(const char *text, const char *id) {
    loaded l = load(text);
    assert_int_equal(l.status, IB_BAD_INPUT);
    if (strcmp(ib_diags_at(l.diags, 0)->id, id) != 0)
        print_diags(&l);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, id);
    unload(&l);
}

static void add_repeated(ib_str *text, const char *what, int n) {
    for (int i = 0; i < n; i++)
        ib_str_add(text, what);
}

static void test_deep_expression(void **state) {
    (void)state;
    ib_str text = {0};
    ib_str_add(&text, TWO_BODIES "forces: {f: {type: expression_force, body1: a, force: '");
    add_repeated(&text, "(", 10000);
    ib_str_add(&text, "1");
    add_repeated(&text, ")", 10000);
    ib_str_add(&text, "'}}\n");
    expect_id(text.data, "IB0406");
    ib_str_free(&text);
}

static void test_long_expression(void **state) {
    (void)state;
    ib_str text = {0};
    ib_str_add(&text, TWO_BODIES "parameters:\n  p: 1");
    add_repeated(&text, " + 1", 9999);
    ib_str_add(&text, "\nforces:\n  f:\n    type: expression_force\n    body1: a\n    force: t");
    add_repeated(&text, " + length * t", 9999);
    ib_str_add(&text, "\n");
    loaded l = load_good(text.data);
    assert_same(ib_model_parameter_value(l.model, 0), 10000);
    const double leaves[3] = {2, 0, 3};
    assert_same(ib_graph_value(l.model->graph, l.model->forces[0].law.node, leaves, 3),
                2 + 9999 * 6);
    unload(&l);
    ib_str_free(&text);
}

/* Each parameter needs the next: no recursion on the machine's stack. */
static void test_chain_of_parameters(void **state) {
    (void)state;
    ib_str text = {0};
    ib_str_add(&text, TWO_BODIES "parameters:\n");
    for (int i = 0; i < 50000; i++)
        ib_str_printf(&text, "  p%d: p%d + 1\n", i, i + 1);
    ib_str_add(&text, "  p50000: 1\n");
    loaded l = load_good(text.data);
    assert_same(ib_model_parameter_value(l.model, 0), 50001);
    unload(&l);
    ib_str_clear(&text);
    ib_str_add(&text, TWO_BODIES "parameters:\n");
    for (int i = 0; i < 50000; i++)
        ib_str_printf(&text, "  p%d: p%d + 1\n", i, (i + 1) % 50000);
    expect_id(text.data, "IB0305");
    ib_str_free(&text);
}

static void test_many_errors(void **state) {
    (void)state;
    ib_str text = {0};
    ib_str_add(&text, "ironbird: 1\nbodies:\n");
    for (int i = 0; i < 20000; i++)
        ib_str_printf(&text, "  b%d: {mas: 1, inertia: [1, 1, q%d], position: p%d}\n", i, i, i);
    const double start = seconds();
    loaded l = load(text.data);
    assert_int_equal(l.status, IB_BAD_INPUT);
    /* A hundred, and the word that there are more. */
    assert_in_range(ib_diags_errors(l.diags), 100, 110);
    bool told = false;
    for (size_t i = 0; i < ib_diags_count(l.diags); i++)
        told = told || strcmp(ib_diags_at(l.diags, i)->id, "IB0220") == 0;
    assert_true(told);
    assert_true(seconds() - start < 30);
    unload(&l);
    ib_str_free(&text);
}

static void test_one_long_line(void **state) {
    (void)state;
    ib_str text = {0};
    ib_str_add(&text, "{ironbird: 1, bodies: {");
    for (int i = 0; i < 50000; i++)
        ib_str_printf(&text, "%sb%d: {mass: 1, inertia: [1, 1, 1]}", i ? ", " : "", i);
    ib_str_add(&text, "}}\n");
    const double start = seconds();
    loaded l = load_good(text.data);
    assert_int_equal(l.model->n_bodies, 50000);
    assert_true(seconds() - start < 30);
    unload(&l);
    ib_str_free(&text);
}

static void test_unknown_names_in_one_expression(void **state) {
    (void)state;
    ib_str text = {0};
    ib_str_add(&text, TWO_BODIES "parameters:\n  p: 1");
    for (int i = 0; i < 20000; i++)
        ib_str_printf(&text, " + u%d", i);
    ib_str_add(&text, "\n");
    loaded l = load(text.data);
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_int_equal(ib_diags_errors(l.diags), 50);
    unload(&l);
    ib_str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousand_bodies),
        cmocka_unit_test(test_deep_expression),
        cmocka_unit_test(test_long_expression),
        cmocka_unit_test(test_chain_of_parameters),
        cmocka_unit_test(test_many_errors),
        cmocka_unit_test(test_one_long_line),
        cmocka_unit_test(test_unknown_names_in_one_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
