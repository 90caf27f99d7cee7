/* Derivatives against complex step, kinks against their branches, and what the derivative code may
 * not contain.
 */
#include "expr_test.h"

/* Relative difference that derivatives may have. */
#define EXACT 1e-12

static void check_close(const char *source, const char *what, double have, double want,
                        double scale) {
    if (!(fabs(have - want) <= EXACT * fmax(fabs(want), scale)))
        fail_msg("%s: %s is %.17g, not %.17g", source, what, have, want);
}

/* First and second derivatives by every variable at one point. `scale` sets the size of numbers
 * that count as one where terms cancel; 0 asks for relative exactness. */
static void check_at(bed *b, const char *source, ib_node node, const double at[4], double scale) {
    for (uint32_t i = 0; i < N_VARIABLES; i++) {
        const ib_node first = bed_derivative(b, node, i);
        check_close(source, "first derivative", ib_graph_value(b->graph, first, at, 4),
                    step_derivative(b->graph, node, at, i), strchr(source, 'y') ? scale : 0.0);
        for (uint32_t j = 0; j < N_VARIABLES; j++) {
            const ib_node second = bed_derivative(b, first, j);
            check_close(source, "second derivative", ib_graph_value(b->graph, second, at, 4),
                        step_derivative(b->graph, first, at, j), scale);
        }
    }
}

/* Expressions, and the box that x, y and z are taken from. */
static const struct {
    const char *source;
    double low, high;
} smooth[] = {
    {"-x", -2, 2},
    {"x + y", -2, 2},
    {"x - y", -2, 2},
    {"x * y", -2, 2},
    {"x * x", -2, 2},
    {"x / y", 0.2, 2},
    {"1 / x", 0.2, 2},
    {"x / 3", 0.2, 2},
    {"sqrt(x)", 0.01, 9},
    {"sin(x)", -9, 9},
    {"cos(x)", -9, 9},
    {"tan(x)", -1.5, 1.5},
    {"asin(x)", -0.999, 0.999},
    {"acos(x)", -0.999, 0.999},
    {"atan(x)", -9, 9},
    {"sinh(x)", -5, 5},
    {"cosh(x)", -5, 5},
    {"tanh(x)", -15, 15},
    {"exp(x)", -9, 9},
    {"log(x)", 0.01, 9},
    {"atan2(x, y)", -2, 2},
    {"atan2(x, 2)", -2, 2},
    {"atan2(2, y)", -2, 2},
    {"hypot(x, y)", -2, 2},
    {"hypot(x, 3)", -2, 2},
    {"x^0", -2, 2},
    {"x^1", -2, 2},
    {"x^2", -2, 2},
    {"x^3", -2, 2},
    {"x^7", -2, 2},
    {"x^64", 0.5, 1.5},
    {"x^-1", 0.2, 2},
    {"x^-6", 0.2, 2},
    {"x^0.5", 0.2, 2},
    {"x^-1.5", 0.2, 2},
    {"x^65", 0.5, 1.5},
    {"x^y", 0.2, 2},
    {"2^x", -2, 2},
    {"abs(x)", 0.1, 2},
    {"abs(x)", -2, -0.1},
    {"min(x, y)", -2, 2},
    {"max(x, y, z)", -2, 2},
    {"mod(x, y)", 0.3, 2},
    {"mod(x, -0.7)", -2, 2},
    {"sign(x) * y", 0.1, 2},
    {"floor(x) + ceil(y)", -2, 2},
    {"x * (y > z)", -2, 2},
    {"if_else(x < y, x * y, x / z)", 0.3, 2},
    {"clamp(x, -1, 0.5)", -2, 2},
    {"step(x, -1, 2, 1, 3)", -2, 2},
    {"step(x, y, z, y + 2, 3)", -2, 2},
    {"step(x, -1, 2, 1, 3, \"cosine\")", -2, 2},
    {"step(x, -1, y, 1, 3, \"hard\")", -2, 2},
};

static void test_smooth(void **state) {
    (void)state;
    uint64_t random = 11;
    for (size_t k = 0; k < IB_COUNT(smooth); k++) {
        bed b;
        bed_open(&b);
        const ib_node node = bed_parse(&b, smooth[k].source);
        for (int n = 0; n < 25; n++) {
            double at[4] = {0};
            for (int i = 0; i < 3; i++)
                at[i] = random_between(&random, smooth[k].low, smooth[k].high);
            /* Second derivatives of quotients cancel a little inside; one function alone does not.
             */
            check_at(&b, smooth[k].source, node, at, strchr(smooth[k].source, 'y') ? 1.0 : 1e-3);
        }
        bed_close(&b);
    }
}

/* Functions of one argument at points where careless formulas lose digits, relative to the value.
 */
static void test_relative_exactness(void **state) {
    (void)state;
    static const struct {
        const char *source;
        double x, derivative;
    } hard[] = {
        {"tanh(x)", 15.0, 3.743049187535369e-13},
        {"asin(x)", 1.0 - 0x1p-40, 741455.2001896339},
        {"acos(x)", -1.0 + 0x1p-40, -741455.2001896339},
        {"atan(x)", 1e8, 9.999999999999999e-17},
        {"step(x, 0, 0, 1, 1)", 1.0 - 0x1p-20, 5.2112179798177e-22},
        {"step(x, 0, 0, 1, 1, \"cosine\")", 1.0 - 0x1p-20, 4.7061941151974644e-06},
    };
    for (size_t k = 0; k < IB_COUNT(hard); k++) {
        bed b;
        bed_open(&b);
        const double at[4] = {hard[k].x};
        const ib_node first = bed_derivative(&b, bed_parse(&b, hard[k].source), 0);
        const double have = ib_graph_value(b.graph, first, at, 4);
        if (!(fabs(have - hard[k].derivative) <= EXACT * fabs(hard[k].derivative)))
            fail_msg("%s: %.17g, not %.17g", hard[k].source, have, hard[k].derivative);
        bed_close(&b);
    }
}

/* The derivative at a kink is that of the branch whose value is taken. */
static void test_kinks(void **state) {
    (void)state;
    static const struct {
        const char *source;
        double x, derivative;
    } kinks[] = {
        {"abs(x)", 0.0, 0.0},
        {"abs(x)", -0.5, -1.0},
        {"sign(x)", 0.5, 0.0},
        {"sign(x)", 0.0, 0.0},
        {"floor(x)", 1.0, 0.0},
        {"ceil(x)", 1.5, 0.0},
        {"x < 1", 1.0, 0.0},
        {"x == 1", 1.0, 0.0},
        {"min(x, 2 * x)", 1.0, 1.0},
        {"min(x, 2 * x)", -1.0, 2.0},
        {"max(x, 2 * x)", 1.0, 2.0},
        {"max(x, 2 * x)", -1.0, 1.0},
        {"clamp(x, -1, 1)", 3.0, 0.0},
        {"clamp(x, -1, 1)", -3.0, 0.0},
        {"clamp(x, -1, 1)", 0.5, 1.0},
        {"if_else(x < 1, 5 * x, 7 * x)", 1.0, 7.0},
        {"if_else(x <= 1, 5 * x, 7 * x)", 1.0, 5.0},
        {"if_else(x > 0, sqrt(x), 0)", -4.0, 0.0},
        {"mod(x, 2)", -0.5, 1.0},
        {"mod(5, x)", 2.0, -2.0},
        {"mod(-5, x)", 2.0, 3.0},
        {"step(x, 0, 0, 1, 1)", -1.0, 0.0},
        {"step(x, 0, 0, 1, 1)", 0.0, 0.0},
        {"step(x, 0, 0, 1, 1)", 1.0, 0.0},
        {"step(x, 0, 0, 1, 1)", 0.5, 2.4609375},
        {"step(x, 0, 0, 1, 1, \"hard\")", 0.5, 1.0},
        {"step(x, 1, 0, 1, 1, \"hard\")", 1.0, 0.0},
        {"step(x, y, 0, y, 1)", 0.5, 0.0},
        {"x^y", 0.0, 0.0},
    };
    for (size_t k = 0; k < IB_COUNT(kinks); k++) {
        bed b;
        bed_open(&b);
        const double at[4] = {kinks[k].x};
        const ib_node first = bed_derivative(&b, bed_parse(&b, kinks[k].source), 0);
        const double have = ib_graph_value(b.graph, first, at, 4);
        if (have != kinks[k].derivative)
            fail_msg("%s at %g: %.17g", kinks[k].source, kinks[k].x, have);
        bed_close(&b);
    }
}

/* 0^y: the derivative by the exponent is zero, not log(0) * 0. */
static void test_power_of_zero(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const double at[4] = {0.0, 2.5};
    const ib_node power = bed_parse(&b, "x^y");
    assert_true(ib_graph_value(b.graph, bed_derivative(&b, power, 0), at, 4) == 0.0);
    assert_true(ib_graph_value(b.graph, bed_derivative(&b, power, 1), at, 4) == 0.0);
    bed_close(&b);
}

static const char *const composites[] = {
    "x * sin(y * z) + exp(-x^2) / (1 + y^2)",
    "hypot(x - y, z) * atan2(y, 1 + x^2)",
    "log(1 + x^2 * y^2)^3 - sqrt(2 + sin(z))",
    "if_else(x * y > z, tanh(x * z), cosh(y) / (2 + x^2))",
    "max(x * y, y * z, z * x)^2 - min(x, y)^3",
    "(1 + x^2)^(y / 3) + 2^(x * y)",
    "step(x * y, -1, z, 1, sin(z)) + clamp(x + y + z, -1, 1)",
    "x / (y + 3) / (z + 4) - (x - (y - (z - x)))",
};

static void random_point(uint64_t *random, double at[4]) {
    for (int i = 0; i < 4; i++)
        at[i] = random_between(random, -1.5, 1.5);
}

static void test_composites(void **state) {
    (void)state;
    uint64_t random = 5;
    for (size_t k = 0; k < IB_COUNT(composites); k++) {
        bed b;
        bed_open(&b);
        const ib_node node = bed_parse(&b, composites[k]);
        for (int n = 0; n < 20; n++) {
            double at[4];
            random_point(&random, at);
            check_at(&b, composites[k], node, at, 1.0);
        }
        bed_close(&b);
    }
}

/* Reverse mode gives what forward mode gives. */
static void test_gradient(void **state) {
    (void)state;
    uint64_t random = 7;
    for (size_t k = 0; k < IB_COUNT(composites) + IB_COUNT(smooth); k++) {
        bed b;
        bed_open(&b);
        const char *source =
            k < IB_COUNT(composites) ? composites[k] : smooth[k - IB_COUNT(composites)].source;
        const ib_node node = bed_parse(&b, source);
        const uint32_t leaves[] = {2, 0, 1, 0};
        ib_node gradient[4];
        ib_graph_gradient(b.graph, node, leaves, 4, gradient);
        assert_int_equal(gradient[1], gradient[3]);
        double at[4];
        random_point(&random, at);
        for (int i = 0; i < 4; i++) {
            at[i] = fabs(at[i]) * 0.6 + 0.05;
        }
        for (int i = 0; i < 3; i++) {
            const ib_node forward = bed_derivative(&b, node, leaves[i]);
            const double want = ib_graph_value(b.graph, forward, at, 4);
            check_close(source, "gradient", ib_graph_value(b.graph, gradient[i], at, 4), want, 1.0);
        }
        bed_close(&b);
    }
}

/* Directional: seeds that are nodes themselves, and leaves without one. */
static void test_seeds(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_node x = ib_graph_leaf(b.graph, 0), y = ib_graph_leaf(b.graph, 1);
    const ib_node node = bed_parse(&b, "x * y + z");
    const ib_node seeds[] = {ib_neg(b.graph, y), x};
    ib_node derivative;
    ib_graph_tangent(b.graph, &node, 1, seeds, 2, &derivative); /* x x - y y; z stays */
    const double at[4] = {3.0, 2.0, 100.0};
    assert_true(ib_graph_value(b.graph, derivative, at, 4) == 5.0);
    const ib_node zero_seeds[] = {ib_graph_const(b.graph, 0.0), IB_NO_NODE};
    ib_graph_tangent(b.graph, &node, 1, zero_seeds, 2, &derivative);
    assert_int_equal(derivative, ib_graph_const(b.graph, 0.0));
    bed_close(&b);
}

static void test_replace(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_node node = bed_parse(&b, "sin(x) * c(y) + z");
    const ib_node by[] = {bed_parse(&b, "2 * z"), IB_NO_NODE};
    const ib_node replaced = ib_graph_replace(b.graph, node, by, 2);
    assert_int_equal(replaced, bed_parse(&b, "sin(2 * z) * c(y) + z"));
    const ib_node nothing[] = {IB_NO_NODE};
    assert_int_equal(ib_graph_replace(b.graph, node, nothing, 1), node);
    const ib_node number[] = {ib_graph_const(b.graph, 0.0), ib_graph_const(b.graph, 0.5)};
    const double at[4] = {9.0, 9.0, 4.0};
    assert_true(ib_graph_value(b.graph, ib_graph_replace(b.graph, node, number, 2), at, 4) == 4.0);
    bed_close(&b);
}

/* ---- what derivative code may not contain ---------------------------------------------------- */

static bool is_number(const ib_graph *graph, ib_node node, double number) {
    double value;
    return ib_graph_is_const(graph, node, &value) && value == number;
}

static void check_lean(const ib_graph *graph, const char *source) {
    for (ib_node k = 0; k < ib_graph_size(graph); k++) {
        const ib_op op = ib_graph_op_of(graph, k);
        const ib_node a = ib_graph_child(graph, k, 0), c = ib_graph_child(graph, k, 1);
        double value;
        bool all_const = ib_op_arity(op) > 0;
        for (unsigned which = 0; which < ib_op_arity(op); which++)
            all_const =
                all_const && ib_graph_is_const(graph, ib_graph_child(graph, k, which), &value);
        bool wasteful = all_const;
        if (op == IB_OP_MUL)
            wasteful |= is_number(graph, a, 0) || is_number(graph, c, 0) ||
                        is_number(graph, a, 1) || is_number(graph, c, 1) ||
                        is_number(graph, a, -1) || is_number(graph, c, -1);
        if (op == IB_OP_ADD || op == IB_OP_SUB)
            wasteful |= is_number(graph, a, 0) || is_number(graph, c, 0) ||
                        ib_graph_op_of(graph, c) == IB_OP_NEG ||
                        ib_graph_op_of(graph, a) == IB_OP_NEG;
        if (op == IB_OP_DIV)
            wasteful |= is_number(graph, c, 1) || is_number(graph, a, 0);
        if (op == IB_OP_NEG)
            wasteful |=
                ib_graph_op_of(graph, a) == IB_OP_NEG || ib_graph_op_of(graph, a) == IB_OP_SUB;
        if (wasteful)
            fail_msg("derivatives of %s hold a needless '%s' (node %u)", source, ib_op_text(op), k);
    }
}

static void test_lean(void **state) {
    (void)state;
    for (size_t k = 0; k < IB_COUNT(composites) + IB_COUNT(smooth); k++) {
        bed b;
        bed_open(&b);
        const char *source =
            k < IB_COUNT(composites) ? composites[k] : smooth[k - IB_COUNT(composites)].source;
        const ib_node node = bed_parse(&b, source);
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t j = 0; j < 3; j++)
                bed_derivative(&b, bed_derivative(&b, node, i), j);
        check_lean(b.graph, source);
        bed_close(&b);
    }
}

/* What does not depend makes no nodes: differentiating by an absent leaf adds at most 0 and 1. */
static void test_structural_zero(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_node node = bed_parse(&b, "sin(x) * exp(y) / (1 + x^4)");
    ib_graph_const(b.graph, 0.0);
    ib_graph_const(b.graph, 1.0);
    const size_t before = ib_graph_size(b.graph);
    assert_true(is_number(b.graph, bed_derivative(&b, node, 2), 0.0));
    assert_int_equal(ib_graph_size(b.graph), before);
    /* 0 * x depends on x, but its rate is zero wherever it exists. */
    assert_true(is_number(b.graph, bed_derivative(&b, bed_parse(&b, "0 * x"), 0), 0.0));
    assert_true(is_number(b.graph, bed_derivative(&b, bed_parse(&b, "(x > y) * 3"), 0), 0.0));
    bed_close(&b);
}

/* Long sums cost in proportion: about one node a term and derivative. */
static void test_long_sum(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    ib_node sum = ib_graph_const(b.graph, 0.0);
    const size_t n = 10000;
    for (uint32_t k = 0; k < n; k++) {
        const ib_node leaf = ib_graph_leaf(b.graph, k);
        sum = ib_add(b.graph, sum, ib_mul(b.graph, leaf, leaf));
    }
    uint32_t *leaves = calloc(n, sizeof *leaves);
    ib_node *gradient = calloc(n, sizeof *gradient);
    for (uint32_t k = 0; k < n; k++)
        leaves[k] = k;
    const size_t before = ib_graph_size(b.graph);
    ib_graph_gradient(b.graph, sum, leaves, n, gradient);
    assert_true(ib_graph_size(b.graph) <= before + n + 3);
    const ib_node two = ib_graph_const(b.graph, 2.0);
    for (uint32_t k = 0; k < n; k++)
        assert_int_equal(gradient[k], ib_mul(b.graph, two, ib_graph_leaf(b.graph, k)));
    free(leaves);
    free(gradient);
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth),     cmocka_unit_test(test_relative_exactness),
        cmocka_unit_test(test_kinks),      cmocka_unit_test(test_power_of_zero),
        cmocka_unit_test(test_composites), cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_seeds),      cmocka_unit_test(test_replace),
        cmocka_unit_test(test_lean),       cmocka_unit_test(test_structural_zero),
        cmocka_unit_test(test_long_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
