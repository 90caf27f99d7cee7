/* Tables against closed forms and SciPy: values, continuity, ends, exact derivatives in the graph,
 * on the tape and from a copy. */
#include "expr_test.h"

#include "scipy_table_reference.h"

static void near(double have, double want, double tolerance) {
    if (!(fabs(have - want) <= tolerance))
        fail_msg("%.17g, not %.17g", have, want);
}

/* The table of a function on the axes of the bed. */
typedef double (*sampled)(const double *x);
static ib_table *sample(ib_table_kind kind, unsigned n, sampled f) {
    const double *axes[4];
    double values[5 * 4 * 4 * 4], x[4];
    size_t count = 1;
    for (unsigned k = 0; k < 4; k++)
        axes[k] = bed_axes[k];
    for (unsigned k = 0; k < n; k++)
        count *= bed_sizes[k];
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        for (unsigned k = n; k-- > 0; rest /= bed_sizes[k])
            x[k] = bed_axes[k][rest % bed_sizes[k]];
        values[i] = f(x);
    }
    ib_table *table = ib_table_create(kind, n, bed_sizes, axes, values);
    assert_non_null(table);
    assert_int_equal(ib_table_arity(table), n);
    assert_true(ib_table_is_finite(table));
    return table;
}

static double planes(const double *x) { return (1 + 2 * x[0]) * (3 - x[1]); }
static double planes4(const double *x) {
    return (1 + 2 * x[0]) * (3 - x[1]) * (x[2] - 0.5) * (2 + x[3]);
}

/* A product of lines is what it is everywhere, beyond the grid too. With four arguments the terms
 * that add up reach 3,000, and a slope over a width of 1/8 is carried on over 4. */
static void test_multilinear(void **state) {
    (void)state;
    uint64_t random = 1;
    ib_table *two = sample(IB_TABLE_MULTILINEAR, 2, planes);
    ib_table *four = sample(IB_TABLE_MULTILINEAR, 4, planes4);
    ib_table *straight = sample(IB_TABLE_CUBIC, 4, planes4);
    for (int i = 0; i < 300; i++) {
        double x[4];
        for (int k = 0; k < 4; k++)
            x[k] = random_between(&random, -5.0, 5.0);
        near(ib_table_eval(two, 0, x), planes(x), 1e-12);
        near(ib_table_eval(two, IB_TABLE_ALONG(0), x), 2 * (3 - x[1]), 1e-12);
        near(ib_table_eval(two, IB_TABLE_ALONG(1), x), -(1 + 2 * x[0]), 1e-12);
        near(ib_table_eval(two, IB_TABLE_ALONG(0) + IB_TABLE_ALONG(1), x), -2, 1e-12);
        assert_true(ib_table_eval(two, 2 * IB_TABLE_ALONG(0), x) == 0.0);
        near(ib_table_eval(four, 0, x), planes4(x), 1e-10);
        near(ib_table_eval(straight, 0, x), planes4(x), 1e-9);
        near(ib_table_eval(straight, IB_TABLE_ALONG(2) + IB_TABLE_ALONG(3), x), planes(x), 1e-10);
    }
    ib_table_destroy(two);
    ib_table_destroy(four);
    ib_table_destroy(straight);
}

/* A cubic along each argument, and its derivatives along them. */
static double cubic_of(double x, unsigned order) {
    return order == 0   ? 1 + x * (0.5 - x * (0.25 + 0.125 * x))
           : order == 1 ? 0.5 - x * (0.5 + 0.375 * x)
           : order == 2 ? -0.5 - 0.75 * x
                        : -0.75;
}

static double cubics(const double *x) {
    return cubic_of(x[0], 0) * cubic_of(-x[1], 0) * cubic_of(x[2], 0);
}

static void test_cubic_reproduces(void **state) {
    (void)state;
    uint64_t random = 2;
    ib_table *table = sample(IB_TABLE_CUBIC, 3, cubics);
    for (int i = 0; i < 300; i++) {
        double x[3];
        for (unsigned k = 0; k < 3; k++)
            x[k] = random_between(&random, bed_axes[k][0], bed_axes[k][bed_sizes[k] - 1]);
        for (unsigned order = 0; order < 64; order++) {
            const unsigned a = order & 3, b = order >> 2 & 3, c = order >> 4;
            const double want =
                cubic_of(x[0], a) * (b & 1 ? -1 : 1) * cubic_of(-x[1], b) * cubic_of(x[2], c);
            /* Rounding of the values grows with each division by a width, at least 1/2 and 1/4. */
            const double tolerance = 1e-12 * (double)(UINT64_C(1) << (a + b + 2 * c));
            near(ib_table_eval(table, a | b << 8 | c << 16, x), want, tolerance);
        }
    }
    ib_table_destroy(table);
}

static void test_against_scipy(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(scipy_tables); i++) {
        const unsigned n = scipy_tables[i].n_arguments;
        const double *axes[4];
        for (unsigned k = 0; k < 4; k++)
            axes[k] = scipy_tables[i].axes[k];
        ib_table *table = ib_table_create(scipy_tables[i].kind, n, scipy_tables[i].sizes, axes,
                                          scipy_tables[i].values);
        assert_non_null(table);
        for (size_t p = 0; p < IB_COUNT(scipy_tables[i].at); p++) {
            const double *at = scipy_tables[i].at[p];
            near(ib_table_eval(table, 0, at), scipy_tables[i].value[p],
                 1e-14 * fmax(10.0, fabs(scipy_tables[i].value[p])));
            if (scipy_tables[i].kind != IB_TABLE_CUBIC)
                continue;
            for (unsigned k = 0; k < n; k++)
                near(ib_table_eval(table, IB_TABLE_ALONG(k), at), scipy_tables[i].slopes[p][k],
                     1e-14 * fmax(100.0, fabs(scipy_tables[i].slopes[p][k])));
            near(ib_table_eval(table, IB_TABLE_ALONG(0) + IB_TABLE_ALONG(n - 1), at),
                 scipy_tables[i].bend[p], 1e-14 * fmax(1000.0, fabs(scipy_tables[i].bend[p])));
        }
        ib_table_destroy(table);
    }
}

/* At the points of the grid the values are the given ones, to the bit. */
static void test_interpolation(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        ib_table *table = bed_table((ib_table_kind)kind, 3);
        ib_table *other = bed_table(kind ? IB_TABLE_MULTILINEAR : IB_TABLE_CUBIC, 3);
        for (int i = 0; i < 5 * 4 * 4; i++) {
            const double x[] = {bed_axes[0][i / 16], bed_axes[1][i / 4 % 4], bed_axes[2][i % 4]};
            assert_true(ib_table_eval(table, 0, x) == ib_table_eval(other, 0, x));
        }
        ib_table_destroy(table);
        ib_table_destroy(other);
    }
}

/* From both sides of every grid line: cubics to the second derivative, at the ends to the first. */
static void test_continuity(void **state) {
    (void)state;
    uint64_t random = 3;
    bed b;
    bed_open(&b);
    const ib_table *table = b.tables[2];
    for (unsigned k = 0; k < 4; k++)
        for (size_t line = 0; line < bed_sizes[k]; line++)
            for (int i = 0; i < 20; i++) {
                double x[4], before[4];
                for (unsigned j = 0; j < 4; j++)
                    x[j] = random_between(&random, -3.0, 3.0);
                x[k] = bed_axes[k][line];
                memcpy(before, x, sizeof x);
                before[k] = nextafter(x[k], -9.0);
                const bool end = line == 0 || line + 1 == bed_sizes[k];
                for (unsigned order = 0; order < (end ? 2 : 3); order++) {
                    const double have = ib_table_eval(table, order * IB_TABLE_ALONG(k), x);
                    near(ib_table_eval(table, order * IB_TABLE_ALONG(k), before), have,
                         1e-9 * fmax(1.0, fabs(have)));
                }
            }
    bed_close(&b);
}

/* Beyond the grid along one argument the value is straight, whatever the others are. */
static void test_beyond(void **state) {
    (void)state;
    uint64_t random = 4;
    bed b;
    bed_open(&b);
    for (int which = 0; which < 3; which++) {
        const ib_table *table = b.tables[which];
        for (int i = 0; i < 100; i++) {
            double x[4];
            for (unsigned j = 0; j < 4; j++)
                x[j] = random_between(&random, -4.0, 4.0);
            for (unsigned k = 0; k < ib_table_arity(table); k++) {
                const double end = bed_axes[k][i % 2 ? bed_sizes[k] - 1 : 0];
                x[k] = end;
                const double value = ib_table_eval(table, 0, x);
                x[k] = end + (i % 2 ? 1.5 : -1.5);
                const double slope = ib_table_eval(table, IB_TABLE_ALONG(k), x);
                near(ib_table_eval(table, 0, x), value + slope * (x[k] - end),
                     1e-11 * fmax(1.0, fabs(value)));
                assert_true(ib_table_eval(table, 2 * IB_TABLE_ALONG(k), x) == 0.0);
            }
        }
    }
    bed_close(&b);
}

/* Two or three lines along an argument: the line, the parabola. */
static void test_few_lines(void **state) {
    (void)state;
    static const double x[] = {0, 2}, y[] = {-1, 0, 3};
    const double *axes[] = {x, y};
    const size_t n[] = {2, 3};
    double values[6];
    for (int i = 0; i < 6; i++)
        values[i] = (1 + 3 * x[i / 3]) * (2 - y[i % 3] * y[i % 3]);
    ib_table *table = ib_table_create(IB_TABLE_CUBIC, 2, n, axes, values);
    for (int i = 0; i < 50; i++) {
        const double at[] = {0.04 * i, -1 + 0.08 * i};
        near(ib_table_eval(table, 0, at), (1 + 3 * at[0]) * (2 - at[1] * at[1]), 1e-13);
        near(ib_table_eval(table, 2 * IB_TABLE_ALONG(1), at), -2 * (1 + 3 * at[0]), 1e-12);
    }
    ib_table_destroy(table);
}

static void test_not_finite(void **state) {
    (void)state;
    static const double x[] = {0, 1e-300}, values[] = {0, 1e10, 0, 0};
    const double *axes[] = {x, x};
    const size_t n[] = {2, 2};
    ib_table *table = ib_table_create(IB_TABLE_CUBIC, 2, n, axes, values);
    assert_non_null(table);
    assert_false(ib_table_is_finite(table));
    ib_table_destroy(table);
}

/* ---- in the graph ---------------------------------------------------------------------------- */

static double value(const bed *b, ib_node node, const double *at) {
    return ib_graph_value(b->graph, node, at, 4);
}

/* cubic_of(x, 0) written out. */
static ib_node cubic_node(ib_graph *graph, ib_node x) {
    static const double c[] = {-0.125, -0.25, 0.5, 1};
    ib_node sum = ib_graph_const(graph, 0);
    for (size_t k = 0; k < IB_COUNT(c); k++)
        sum = ib_add(graph, ib_mul(graph, sum, x), ib_graph_const(graph, c[k]));
    return sum;
}

/* A table of cubics differs from the product of these cubics, written out, by rounding alone; so do
 * all derivatives of anything made of it, forward and reverse, once and twice. */
static void test_graph_derivatives(void **state) {
    (void)state;
    static const char *const arguments[][4] = {/* and a factor */
                                               {"0.5 * sin(x)", "y * z / 4", "cos(y) / 2", "1"},
                                               {"x * x / 9", "-x / 3", "0.5", "z"},
                                               {"0.3", "tanh(z)", "0.1 * x", "y"},
                                               {"x / 3", "x / 3", "x / 3", "x + 2"}};
    uint64_t random = 6;
    bed b;
    bed_open(&b);
    ib_table *table = sample(IB_TABLE_CUBIC, 3, cubics);
    for (size_t i = 0; i < IB_COUNT(arguments); i++) {
        ib_node a[4];
        for (int k = 0; k < 4; k++)
            a[k] = bed_parse(&b, arguments[i][k]);
        const ib_node have = ib_mul(b.graph, ib_graph_table(b.graph, table, 0, a), a[3]);
        ib_node want = ib_mul(b.graph, cubic_node(b.graph, a[0]), a[3]);
        want = ib_mul(b.graph, want, cubic_node(b.graph, ib_neg(b.graph, a[1])));
        want = ib_mul(b.graph, want, cubic_node(b.graph, a[2]));
        const uint32_t leaves[] = {0, 1, 2};
        ib_node reverse[3];
        ib_graph_gradient(b.graph, have, leaves, 3, reverse);
        for (int point = 0; point < 20; point++) {
            double at[4];
            for (int k = 0; k < 4; k++)
                at[k] = random_between(&random, -1.0, 1.0);
            near(value(&b, have, at), value(&b, want, at), 1e-13);
            for (uint32_t k = 0; k < 3; k++) {
                const ib_node slope = bed_derivative(&b, have, k);
                const ib_node right = bed_derivative(&b, want, k);
                near(value(&b, slope, at), value(&b, right, at), 1e-12);
                near(value(&b, reverse[k], at), value(&b, right, at), 1e-12);
                for (uint32_t j = 0; j < 3; j++)
                    near(value(&b, bed_derivative(&b, slope, j), at),
                         value(&b, bed_derivative(&b, right, j), at), 1e-11);
            }
        }
    }
    bed_close(&b);
    ib_table_destroy(table);
}

/* Constants fold, derivatives above the degree vanish, equal calls are one node. */
static void test_building(void **state) {
    (void)state;
    bed b;
    double known;
    bed_open(&b);
    assert_true(ib_graph_is_const(b.graph, bed_parse(&b, "r(0, 1, 0.5, -1)"), &known));
    const double at[] = {0, 1, 0.5, -1};
    assert_true(known == ib_table_eval(b.tables[2], 0, at));
    assert_int_equal(bed_parse(&b, "q(x, y, z)"), bed_parse(&b, "q(x, y, z)"));
    assert_int_not_equal(bed_parse(&b, "q(x, y, z)"), bed_parse(&b, "q(y, x, z)"));
    const ib_node slope = bed_derivative(&b, bed_parse(&b, "p(x, y)"), 0);
    assert_true(ib_graph_is_const(b.graph, bed_derivative(&b, slope, 0), &known) && known == 0.0);
    const ib_node arguments[] = {IB_NO_NODE, 0};
    assert_int_equal(ib_graph_table(b.graph, b.tables[0], 0, arguments), IB_NO_NODE);
    bool used[4] = {false};
    assert_true(ib_graph_depends(b.graph, bed_parse(&b, "r(x, 0, 1, z)"), used, 4));
    assert_true(used[0] && !used[1] && used[2] && !used[3]);
    bed_close(&b);
}

/* Replacing arguments by others and by numbers, in a copy of the graph. */
static void test_replacement(void **state) {
    (void)state;
    static const char *const texts[] = {"p(x, y)", "q(x, y, z)", "r(x, y, z, t)"};
    static const char *const wanted[] = {"p(z, 0.25)", "q(z, 0.25, z)", "r(z, 0.25, z, t)"};
    const double at[] = {0.1, 0.2, 0.3, 0.4};
    bed b;
    bed_open(&b);
    for (size_t i = 0; i < IB_COUNT(texts); i++) {
        const ib_node node = bed_parse(&b, texts[i]), want = bed_parse(&b, wanted[i]);
        ib_graph *copy = ib_graph_clone(b.graph);
        const ib_node other[] = {ib_graph_leaf(copy, 2), ib_graph_const(copy, 0.25)};
        const ib_node have = ib_graph_replace(copy, node, other, 2);
        assert_int_equal(have, want);
        assert_true(ib_graph_value(copy, have, at, 4) == value(&b, want, at));
        const ib_node numbers[] = {ib_graph_const(copy, 0.1), ib_graph_const(copy, 0.2),
                                   ib_graph_const(copy, 0.3), ib_graph_const(copy, 0.4)};
        double known;
        assert_true(ib_graph_is_const(copy, ib_graph_replace(copy, node, numbers, 4), &known));
        assert_true(known == value(&b, node, at));
        ib_graph_destroy(copy);
    }
    bed_close(&b);
}

/* The tape gives the values of the graph, and names what was not finite where it began. */
static void test_tape(void **state) {
    (void)state;
    uint64_t random = 7;
    bed b;
    bed_open(&b);
    ib_node roots[5] = {bed_parse(&b, "p(x, y) + q(y, z, x) * r(x, y, z, t)"),
                        bed_parse(&b, "r(t, 1, x + y, c(z))")};
    for (uint32_t k = 0; k < 3; k++)
        roots[2 + k] = bed_derivative(&b, roots[0], k);
    ib_tape *tape = ib_tape_create(b.graph, roots, 5);
    double *work = calloc(ib_tape_work_size(tape), sizeof *work), out[5];
    for (int i = 0; i < 100; i++) {
        double at[4];
        for (int k = 0; k < 4; k++)
            at[k] = random_between(&random, -3.0, 3.0);
        assert_true(ib_tape_eval(tape, at, work, out, NULL));
        for (int k = 0; k < 5; k++)
            assert_true(same_bits(out[k], value(&b, roots[k], at)));
    }
    free(work);
    ib_tape_destroy(tape);

    static const char *const failing[] = {
        "p(log(x), y)",       "p(y, log(x))",       "q(1, log(x), z)",        "q(y, z, log(x))",
        "r(y, log(x), y, z)", "r(log(x), y, z, t)", "r(y, t, log(x), z) + y", "r(y, t, z, log(x))"};
    const double bad[] = {-2.0, 0.5, 0.5, 0.5};
    for (size_t i = 0; i < IB_COUNT(failing); i++) {
        const ib_node root = bed_parse(&b, failing[i]);
        ib_fault fault;
        tape = ib_tape_create(b.graph, &root, 1);
        work = calloc(ib_tape_work_size(tape), sizeof *work);
        assert_false(ib_tape_eval(tape, bad, work, out, &fault));
        assert_int_equal(fault.op, IB_OP_LOG);
        assert_true(fault.a == -2.0);
        free(work);
        ib_tape_destroy(tape);
    }
    bed_close(&b);
}

static void refuses(const char *source, const char *id, uint32_t column, const char *said,
                    const char *suggested) {
    bed b;
    bed_open(&b);
    assert_int_equal(bed_try_parse(&b, source, NULL), IB_NO_NODE);
    assert_int_equal(ib_diags_count(b.diags), 1);
    const ib_diag *diag = ib_diags_at(b.diags, 0);
    assert_string_equal(diag->id, id);
    assert_int_equal(diag->place.column, column);
    assert_string_equal(diag->message, said);
    assert_string_equal(diag->suggestion ? diag->suggestion : "", suggested);
    bed_close(&b);
}

static void test_calls(void **state) {
    (void)state;
    refuses("1 + p(x)", "IB0409", 5, "'p' takes 2 arguments, not 1", "write p(x, y)");
    refuses("q(x, y)", "IB0409", 1, "'q' takes 3 arguments, not 2", "write q(x, y, z)");
    refuses("r(x, y, z, t, 1)", "IB0409", 1, "'r' takes 4 arguments, not 5", "write r(x, y, z, w)");
    refuses("p()", "IB0409", 1, "'p' takes 2 arguments, not 0", "write p(x, y)");
    refuses("2 * p", "IB0408", 5, "'p' is a table and needs its arguments in parentheses",
            "write p(x, y)");
    refuses("c(x, y)", "IB0409", 1, "'c' takes 1 argument, not 2", "write c(x)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multilinear),
        cmocka_unit_test(test_cubic_reproduces),
        cmocka_unit_test(test_against_scipy),
        cmocka_unit_test(test_interpolation),
        cmocka_unit_test(test_continuity),
        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_few_lines),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_graph_derivatives),
        cmocka_unit_test(test_building),
        cmocka_unit_test(test_replacement),
        cmocka_unit_test(test_tape),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
