/* The graph: each expression once, arguments first, and simplification that changes no value. */
#include "expr_test.h"

static void test_hash_consing(void **state) {
    (void)state;
    static const struct {
        const char *one, *other;
    } equal[] = {
        {"x + y", "y + x"},
        {"x * y * z", "z * (y * x)"},
        {"x == y", "y == x"},
        {"x > y", "y < x"},
        {"x >= y", "y <= x"},
        {"x + 0", "x"},
        {"0 + x", "x"},
        {"x - 0", "x"},
        {"0 - x", "-x"},
        {"x * 1", "x"},
        {"x / 1", "x"},
        {"-1 * x", "-x"},
        {"x / -1", "-x"},
        {"--x", "x"},
        {"x - -y", "x + y"},
        {"x + -y", "x - y"},
        {"-x + y", "y - x"},
        {"-x - y", "-(x + y)"},
        {"-(x - y)", "y - x"},
        {"-x * -y", "x * y"},
        {"-x * y", "-(x * y)"},
        {"x / -y", "-(x / y)"},
        {"-x / 3", "x / -3"},
        {"-(3 * x)", "-3 * x"},
        {"-(3 / x)", "-3 / x"},
        {"x + x", "2 * x"},
        {"x / 4", "0.25 * x"},
        {"x ^ 2", "x * x"},
        {"x ** 3", "x * x * x"},
        {"x ^ 4", "(x * x) * (x * x)"},
        {"x ^ -2", "1 / (x * x)"},
        {"x ^ 1", "x"},
        {"x ^ 0", "1"},
        {"1 ^ x", "1"},
        {"2 ^ 10", "1024"},
        {"x - x", "0"},
        {"abs(-x)", "abs(x)"},
        {"abs(abs(x))", "abs(x)"},
        {"min(x, x)", "x"},
        {"if_else(1 < 2, x, y)", "x"},
        {"if_else(0, x, y)", "y"},
        {"if_else(x, y, y)", "y"},
        {"sin(0) + cos(0)", "1"},
        {"c(2 * x)", "c(x * 2)"},
        {"c(0.5)", "2"},
    };
    bed b;
    bed_open(&b);
    for (size_t k = 0; k < IB_COUNT(equal); k++)
        if (bed_parse(&b, equal[k].one) != bed_parse(&b, equal[k].other))
            fail_msg("%s and %s are two nodes", equal[k].one, equal[k].other);
    bed_close(&b);
}

/* What may not be simplified, because values or failures would change. */
static void test_kept(void **state) {
    (void)state;
    static const struct {
        const char *one, *other;
    } different[] = {
        {"0 * x", "0"},           {"sin(x) - sin(x)", "0"},
        {"x / x", "1"},           {"(x + y) + z", "x + (y + z)"},
        {"2 * (3 * x)", "6 * x"}, {"x / 3", "x * (1 / 3)"},
        {"x ^ 0.5", "sqrt(x)"},   {"x ^ 65", "x ^ 64 * x"},
        {"sqrt(x) ^ 2", "x"},     {"min(x, y)", "min(y, x)"},
        {"x - y", "y - x"},       {"c(x)", "k(x)"},
    };
    bed b;
    bed_open(&b);
    for (size_t k = 0; k < IB_COUNT(different); k++)
        if (bed_parse(&b, different[k].one) == bed_parse(&b, different[k].other))
            fail_msg("%s was taken for %s", different[k].one, different[k].other);
    bed_close(&b);
}

static void test_numbering(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    uint64_t random = 23;
    ib_node nodes[400];
    random_nodes(b.graph, &random, nodes, 400);
    for (ib_node k = 0; k < ib_graph_size(b.graph); k++)
        for (unsigned which = 0; which < 3; which++) {
            const ib_node child = ib_graph_child(b.graph, k, which);
            assert_true(child == IB_NO_NODE || child < k);
        }
    bed_close(&b);
}

/* The value of an operation is that of its plain C, whatever was simplified. The reference never
 * builds a graph. */
static double plain(ib_op op, double a, double b, double c) {
    switch (op) {
    case IB_OP_NEG:
        return -a;
    case IB_OP_ADD:
        return a + b;
    case IB_OP_SUB:
        return a - b;
    case IB_OP_MUL:
        return a * b;
    case IB_OP_DIV:
        return a / b;
    case IB_OP_SELECT:
        return a != 0.0 ? b : c;
    case IB_OP_MIN:
        return a < b ? a : b;
    case IB_OP_MAX:
        return a > b ? a : b;
    case IB_OP_ABS:
        return fabs(a);
    default:
        return sqrt(fabs(a));
    }
}

static void test_simplification_keeps_values(void **state) {
    (void)state;
    static const ib_op operations[] = {IB_OP_NEG, IB_OP_ADD,    IB_OP_SUB, IB_OP_MUL, IB_OP_DIV,
                                       IB_OP_MIN, IB_OP_SELECT, IB_OP_MAX, IB_OP_ABS, IB_OP_SQRT};
    static const double numbers[] = {0.0, 1.0, -1.0, 2.0, 0.5, -4.0, 3.0, 0.1};
    uint64_t random = 29;
    for (int round = 0; round < 2000; round++) {
        ib_graph *graph = ib_graph_create();
        double leaves[4], values[40];
        ib_node nodes[40];
        for (unsigned k = 0; k < 40; k++) {
            if (k < 4) {
                leaves[k] = values[k] = random_between(&random, -3.0, 3.0);
                nodes[k] = ib_graph_leaf(graph, k);
            } else if (k < 4 + IB_COUNT(numbers)) {
                values[k] = numbers[k - 4];
                nodes[k] = ib_graph_const(graph, values[k]);
            } else {
                const ib_op op = operations[random_below(&random, IB_COUNT(operations))];
                const unsigned i = random_below(&random, k), j = random_below(&random, k);
                const unsigned m = random_below(&random, k);
                const ib_node a = nodes[i];
                const bool root = op == IB_OP_SQRT;
                nodes[k] = ib_graph_op(
                    graph, op, root ? ib_graph_op(graph, IB_OP_ABS, a, IB_NO_NODE, IB_NO_NODE) : a,
                    nodes[j], nodes[m]);
                values[k] = plain(op, values[i], values[j], values[m]);
            }
            const double have = ib_graph_value(graph, nodes[k], leaves, 4);
            if (isfinite(values[k]) && have != values[k])
                fail_msg("%.17g became %.17g", values[k], have);
            if (!isfinite(values[k])) { /* only what is finite may be used further */
                values[k] = leaves[0];
                nodes[k] = nodes[0];
            }
        }
        ib_graph_destroy(graph);
    }
}

static void test_constants_that_fail_stay(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_node zero = ib_graph_const(b.graph, 0.0), one = ib_graph_const(b.graph, 1.0);
    double value;
    const ib_node quotient = ib_div(b.graph, one, zero);
    assert_false(ib_graph_is_const(b.graph, quotient, &value));
    assert_int_equal(ib_graph_op_of(b.graph, quotient), IB_OP_DIV);
    assert_true(isinf(ib_graph_value(b.graph, quotient, NULL, 0)));
    assert_int_equal(ib_graph_const(b.graph, -0.0), zero);
    bed_close(&b);
}

static void test_depends(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    bool used[4] = {false};
    assert_true(ib_graph_depends(b.graph, bed_parse(&b, "0 * x + c(t) - z + z"), used, 4));
    assert_true(used[0] && !used[1] && used[2] && used[3]);
    bool few[1] = {false};
    assert_true(ib_graph_depends(b.graph, bed_parse(&b, "y"), few, 1));
    assert_false(few[0]);
    bed_close(&b);
}

static void test_looking(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_node node = bed_parse(&b, "atan2(x, 2.5)");
    double value = 0.0;
    assert_int_equal(ib_graph_op_of(b.graph, node), IB_OP_ATAN2);
    assert_int_equal(ib_graph_leaf_of(b.graph, ib_graph_child(b.graph, node, 0)), 0);
    assert_true(ib_graph_is_const(b.graph, ib_graph_child(b.graph, node, 1), &value));
    assert_true(value == 2.5);
    assert_int_equal(ib_graph_child(b.graph, node, 2), IB_NO_NODE);
    assert_int_equal(ib_graph_child(b.graph, bed_parse(&b, "c(x)"), 1), IB_NO_NODE);
    assert_string_equal(ib_op_text(IB_OP_ATAN2), "atan2");
    assert_int_equal(ib_op_arity(IB_OP_SELECT), 3);
    bed_close(&b);
}

/* Nodes that do not exist lead to nodes that do not exist, and nothing worse. */
static void test_missing_nodes(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_node x = ib_graph_leaf(b.graph, 0);
    assert_int_equal(ib_add(b.graph, x, IB_NO_NODE), IB_NO_NODE);
    assert_int_equal(ib_neg(b.graph, IB_NO_NODE), IB_NO_NODE);
    assert_int_equal(ib_graph_curve(b.graph, b.curves[0], 0, IB_NO_NODE), IB_NO_NODE);
    assert_int_equal(ib_graph_replace(b.graph, IB_NO_NODE, NULL, 0), IB_NO_NODE);
    assert_false(ib_graph_failed(b.graph));
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_consing),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_numbering),
        cmocka_unit_test(test_simplification_keeps_values),
        cmocka_unit_test(test_constants_that_fail_stay),
        cmocka_unit_test(test_depends),
        cmocka_unit_test(test_looking),
        cmocka_unit_test(test_missing_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
