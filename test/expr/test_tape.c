/* The tape: the same bits as the graph, and faults found along the branches that are taken. */
#include "expr_test.h"

enum { N_NODES = 120 };

static void test_same_as_graph(void **state) {
    (void)state;
    uint64_t random = 3;
    unsigned n_finite = 0;
    for (int round = 0; round < 60; round++) {
        bed b;
        bed_open(&b);
        ib_node nodes[N_NODES];
        random_nodes(b.graph, &random, nodes, N_NODES - 1);
        nodes[N_NODES - 1] = bed_parse(&b, "c(x) + k(y) * l(z) - c(x * y)");
        ib_tape *tape = ib_tape_create(b.graph, nodes, N_NODES);
        assert_non_null(tape);
        double *work = calloc(ib_tape_work_size(tape) + 1, sizeof *work), out[N_NODES];
        for (int point = 0; point < 5; point++) {
            double at[4];
            bool finite = true;
            for (int k = 0; k < 4; k++)
                at[k] = random_between(&random, -2.0, 2.0);
            const bool good = ib_tape_eval(tape, at, work, out, NULL);
            for (int k = 0; k < N_NODES; k++) {
                const double want = ib_graph_value(b.graph, nodes[k], at, 4);
                if (!same_bits(out[k], want))
                    fail_msg("root %d: %.17g, not %.17g", k, out[k], want);
                finite = finite && isfinite(want);
                n_finite += isfinite(want) != 0;
            }
            assert_int_equal(good, finite);
        }
        free(work);
        ib_tape_destroy(tape);
        bed_close(&b);
    }
    assert_true(n_finite > 10000);
}

/* Roots that are leaves, numbers, the same twice; no roots at all. */
static void test_plain_roots(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_node roots[] = {ib_graph_leaf(b.graph, 1), ib_graph_const(b.graph, 2.5),
                             ib_graph_leaf(b.graph, 1)};
    ib_tape *tape = ib_tape_create(b.graph, roots, 3);
    assert_non_null(tape);
    assert_int_equal(ib_tape_work_size(tape), 0);
    const double at[4] = {1.0, 7.0};
    double out[3], work[1];
    assert_true(ib_tape_eval(tape, at, work, out, NULL));
    assert_true(out[0] == 7.0 && out[1] == 2.5 && out[2] == 7.0);
    ib_tape_destroy(tape);
    tape = ib_tape_create(b.graph, NULL, 0);
    assert_non_null(tape);
    assert_true(ib_tape_eval(tape, at, work, out, NULL));
    ib_tape_destroy(tape);
    const ib_node missing = IB_NO_NODE;
    assert_null(ib_tape_create(b.graph, &missing, 1));
    bed_close(&b);
}

/* Only what the roots need is on the tape, each thing once; sine and cosine of one angle are both
 * there. */
static void test_only_what_is_needed(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    bed_parse(&b, "exp(x) + log(y)");
    const ib_node root = bed_parse(&b, "sin(x * y) * cos(x * y) + sin(x * y)");
    ib_tape *tape = ib_tape_create(b.graph, &root, 1);
    assert_int_equal(ib_tape_work_size(tape), 5);
    ib_tape_destroy(tape);
    bed_close(&b);
}

static bool eval_once(bed *b, const char *const *sources, size_t n, const double at[4],
                      ib_fault *fault) {
    ib_node roots[4];
    double out[4];
    for (size_t k = 0; k < n; k++)
        roots[k] = bed_parse(b, sources[k]);
    ib_tape *tape = ib_tape_create(b->graph, roots, n);
    assert_non_null(tape);
    double *work = calloc(ib_tape_work_size(tape) + 1, sizeof *work);
    const bool good = ib_tape_eval(tape, at, work, out, fault);
    free(work);
    ib_tape_destroy(tape);
    return good;
}

/* What fails at x = -2, y = 0, z = 1e300, t = 3, and how it is reported. */
static void test_faults(void **state) {
    (void)state;
    static const struct {
        const char *source;
        ib_op op;
        double a, b;
    } faults[] = {
        {"log(x)", IB_OP_LOG, -2.0, 0.0},
        {"1 + 2 * sqrt(x - 1) + y", IB_OP_SQRT, -3.0, 0.0},
        {"exp(1 / y)", IB_OP_DIV, 1.0, 0.0},
        {"asin(x) * acos(x)", IB_OP_ASIN, -2.0, 0.0},
        {"x ^ 0.5", IB_OP_POW, -2.0, 0.5},
        {"z * z - t", IB_OP_MUL, 1e300, 1e300},
        {"exp(t * 1000)", IB_OP_EXP, 3000.0, 0.0},
        {"mod(t, y)", IB_OP_MOD, 3.0, 0.0},
        {"if_else(t > 0, log(x), 1)", IB_OP_LOG, -2.0, 0.0},
        {"if_else(t < 0, 1, log(x))", IB_OP_LOG, -2.0, 0.0},
        {"if_else(t > 0, if_else(y > 0, 1 / y, sqrt(x)), log(x))", IB_OP_SQRT, -2.0, 0.0},
        {"if_else(log(x) > 0, 1, 2)", IB_OP_LOG, -2.0, 0.0},
        {"min(1, log(x))", IB_OP_LOG, -2.0, 0.0},
        {"max(log(x), 1)", IB_OP_LOG, -2.0, 0.0},
        {"sign(log(x))", IB_OP_LOG, -2.0, 0.0},
        {"(log(x) == 2) + (2 != log(x)) + (log(x) < 2) + (2 <= log(x))", IB_OP_LOG, -2.0, 0.0},
        {"sin(1 / y) + cos(1 / y)", IB_OP_DIV, 1.0, 0.0},
        {"step(x, 0, log(x), 1, 1)", IB_OP_LOG, -2.0, 0.0},
        {"c(log(x))", IB_OP_LOG, -2.0, 0.0},
    };
    const double at[4] = {-2.0, 0.0, 1e300, 3.0};
    for (size_t k = 0; k < IB_COUNT(faults); k++) {
        bed b;
        bed_open(&b);
        ib_fault fault = {0};
        const char *sources[] = {"x + 1", faults[k].source, "log(x - 5)"};
        if (eval_once(&b, sources, 3, at, &fault))
            fail_msg("%s does not fail", faults[k].source);
        assert_int_equal(fault.root, 1);
        if (fault.op != faults[k].op || fault.a != faults[k].a || fault.b != faults[k].b)
            fail_msg("%s: %s(%g, %g)", faults[k].source, ib_op_text(fault.op), fault.a, fault.b);
        bed_close(&b);
    }
}

/* What could fail but is not taken, at the same point. */
static void test_no_faults(void **state) {
    (void)state;
    static const char *const sources[] = {
        "if_else(x > 0, log(x), 5)",
        "if_else(y == 0, 1, 1 / y)",
        "if_else(x > 0, sqrt(x), if_else(y > 0, 1 / y, 3))",
        "step(t, 1, 0, 1, 2)",
        "step(t, y, 0, y, 2, \"hard\")",
        "1 / (1 + exp(t * 1000))",
        "atan(1 / y)",
        "tanh(exp(t * 1000))",
        "clamp(x, -1, 1) + abs(x) ^ 0.5",
    };
    const double at[4] = {-2.0, 0.0, 1e300, 3.0};
    for (size_t k = 0; k < IB_COUNT(sources); k++) {
        bed b;
        bed_open(&b);
        if (!eval_once(&b, &sources[k], 1, at, NULL))
            fail_msg("%s fails", sources[k]);
        bed_close(&b);
    }
}

/* A leaf that is not finite is the fault itself. */
static void test_bad_leaf(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const double at[4] = {(double)NAN, 1.0};
    ib_fault fault = {0};
    const char *source = "y * sin(x)";
    assert_false(eval_once(&b, &source, 1, at, &fault));
    assert_int_equal(fault.op, IB_OP_LEAF);
    assert_true(isnan(fault.a));
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_graph),       cmocka_unit_test(test_plain_roots),
        cmocka_unit_test(test_only_what_is_needed), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_no_faults),           cmocka_unit_test(test_bad_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
