/* What the tests of expressions share: a graph with three variables and a curve to write
 * expressions over, random numbers, and an evaluator of graphs over complex numbers.
 *
 * Complex step (Squire & Trapp 1998): Im f(x + i h) / h is f'(x) without any difference of close
 * numbers, so with h = 1e-30 it has all digits. The functions come from the C library and follow
 * the definition of each operation, not the rules of the code under test.
 */
#ifndef IB_TEST_EXPR_H
#define IB_TEST_EXPR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

#define COMPLEX_STEP 1e-30
#define N_VARIABLES 3

/* A graph, the leaves x, y, z, t (numbers 0 to 3), curves c (akima), k (zcc), l (linear), and
 * tables p (multilinear, 2 arguments), q (cubic, 3), r (cubic, 4). */
typedef struct bed {
    ib_graph *graph;
    ib_diags *diags;
    ib_curve *curves[3];
    ib_table *tables[3];
} bed;

static inline ib_symbol bed_find(void *context, const char *name) {
    bed *b = context;
    const char *letters = "xyz", *curve_letters = "ckl", *table_letters = "pqr";
    if (strlen(name) != 1)
        return (ib_symbol){.kind = strcmp(name, "reaction") ? IB_SYMBOL_NONE : IB_SYMBOL_REFUSED,
                           .reason = "reactions are results"};
    const char *letter = strchr(letters, name[0]), *curve = strchr(curve_letters, name[0]);
    const char *table = strchr(table_letters, name[0]);
    if (letter)
        return (ib_symbol){.kind = IB_SYMBOL_NODE,
                           .node = ib_graph_leaf(b->graph, (uint32_t)(letter - letters))};
    if (curve)
        return (ib_symbol){.kind = IB_SYMBOL_CURVE, .curve = b->curves[curve - curve_letters]};
    if (table)
        return (ib_symbol){.kind = IB_SYMBOL_TABLE, .table = b->tables[table - table_letters]};
    return (ib_symbol){.kind = IB_SYMBOL_NONE};
}

static const double bed_knots[] = {-2.0, -1.0, -0.25, 0.0, 0.5, 1.5, 3.0};
static const double bed_values[] = {1.0, -2.0, 0.5, 0.0, 2.0, 1.75, -1.0};

/* Three axes of other widths each, and values without any order, the same on every machine. */
static const double bed_axes[4][5] = {{-2.0, -1.0, 0.5, 1.0, 3.0},
                                      {-1.5, -1.0, 0.0, 2.0},
                                      {-1.0, 0.25, 0.5, 1.5},
                                      {-2.0, 0.0, 0.125, 1.0}};
static const size_t bed_sizes[] = {5, 4, 4, 4};

static inline ib_table *bed_table(ib_table_kind kind, unsigned n) {
    const double *axes[4];
    double values[5 * 4 * 4 * 4];
    uint64_t bits = 11;
    for (unsigned k = 0; k < 4; k++)
        axes[k] = bed_axes[k];
    for (size_t k = 0; k < IB_COUNT(values); k++) {
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        values[k] = (double)(bits >> 40) * 0x1p-22 - 2.0;
    }
    return ib_table_create(kind, n, bed_sizes, axes, values);
}

static inline void bed_open(bed *b) {
    b->graph = ib_graph_create();
    b->diags = ib_diags_create();
    assert_non_null(b->graph);
    assert_non_null(b->diags);
    for (int k = 0; k < 3; k++)
        b->curves[k] =
            ib_curve_create((ib_curve_kind)k, bed_knots, bed_values, IB_COUNT(bed_knots));
    b->tables[0] = bed_table(IB_TABLE_MULTILINEAR, 2);
    b->tables[1] = bed_table(IB_TABLE_CUBIC, 3);
    b->tables[2] = bed_table(IB_TABLE_CUBIC, 4);
    for (int k = 0; k < 3; k++)
        assert_non_null(b->tables[k]);
}

static inline void bed_close(bed *b) {
    ib_graph_destroy(b->graph);
    ib_diags_destroy(b->diags);
    for (int k = 0; k < 3; k++)
        ib_curve_destroy(b->curves[k]);
    for (int k = 0; k < 3; k++)
        ib_table_destroy(b->tables[k]);
}

static inline ib_node bed_try_parse(bed *b, const char *source, const ib_curve **bare) {
    static const char *const names[] = {"x", "y", "z", "c", "k", "l", "p", "q", "r", "reaction"};
    const ib_scope scope = {b, bed_find, names, IB_COUNT(names), ib_graph_leaf(b->graph, 3)};
    const ib_text text = {source, strlen(source), NULL, NULL};
    return ib_expr_parse(b->graph, &scope, &text, b->diags, bare);
}

/* The node of an expression that must be right. */
static inline ib_node bed_parse(bed *b, const char *source) {
    const ib_node node = bed_try_parse(b, source, NULL);
    if (node == IB_NO_NODE)
        fail_msg("%s: %s", source,
                 ib_diags_count(b->diags) ? ib_diags_at(b->diags, 0)->message : "no message");
    return node;
}

/* d node / d leaf. */
static inline ib_node bed_derivative(bed *b, ib_node node, uint32_t leaf) {
    ib_node seeds[4] = {IB_NO_NODE, IB_NO_NODE, IB_NO_NODE, IB_NO_NODE}, derivative;
    seeds[leaf] = ib_graph_const(b->graph, 1.0);
    ib_graph_tangent(b->graph, &node, 1, seeds, 4, &derivative);
    assert_int_not_equal(derivative, IB_NO_NODE);
    return derivative;
}

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Uniform in (low, high), the same on every machine. */
static inline double random_between(uint64_t *state, double low, double high) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

static inline unsigned random_below(uint64_t *state, unsigned n) {
    return (unsigned)random_between(state, 0.0, (double)n);
}

/* Some random nodes over x, y, z, t and numbers, built of every operation but curves and tables.
 */
static inline void random_nodes(ib_graph *graph, uint64_t *random, ib_node *nodes, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        const unsigned kind = random_below(random, IB_OP_COUNT);
        if (k < 4) {
            nodes[k] = ib_graph_leaf(graph, k);
        } else if (kind == IB_OP_CONST) {
            nodes[k] = ib_graph_const(graph, random_between(random, -3.0, 3.0));
        } else if (kind == IB_OP_LEAF || kind >= IB_OP_CURVE) {
            nodes[k] = ib_graph_leaf(graph, random_below(random, 4));
        } else {
            const ib_node a = nodes[random_below(random, k)], b = nodes[random_below(random, k)];
            const ib_node c = nodes[random_below(random, k)];
            nodes[k] = ib_graph_op(graph, (ib_op)kind, a, b, c);
        }
    }
}

/* Equal bits, or both not a number. */
static inline bool same_bits(double a, double b) {
    return bits_of(a) == bits_of(b) || (a != a && b != b);
}

/* ---- complex evaluation ---------------------------------------------------------------------- */

static inline double complex complex_angle(double complex y, double complex x) {
    if (fabs(creal(x)) >= fabs(creal(y)))
        return catan(y / x) + (creal(x) >= 0.0 ? 0.0 : creal(y) >= 0.0 ? acos(-1.0) : -acos(-1.0));
    return (creal(y) >= 0.0 ? acos(0.0) : -acos(0.0)) - catan(x / y);
}

static inline double complex complex_operation(ib_op op, double complex a, double complex b,
                                               double complex c) {
    const double ra = creal(a), rb = creal(b);
    switch (op) {
    case IB_OP_NEG:
        return -a;
    case IB_OP_ABS:
        return ra < 0.0 ? -a : a;
    case IB_OP_SIGN:
        return (ra > 0.0) - (ra < 0.0);
    case IB_OP_SQRT:
        return csqrt(a);
    case IB_OP_SIN:
        return csin(a);
    case IB_OP_COS:
        return ccos(a);
    case IB_OP_TAN:
        return ctan(a);
    case IB_OP_ASIN:
        return casin(a);
    case IB_OP_ACOS:
        return cacos(a);
    case IB_OP_ATAN:
        return catan(a);
    case IB_OP_SINH:
        return csinh(a);
    case IB_OP_COSH:
        return ccosh(a);
    case IB_OP_TANH:
        return ctanh(a);
    case IB_OP_EXP:
        return cexp(a);
    case IB_OP_LOG:
        return clog(a);
    case IB_OP_FLOOR:
        return floor(ra);
    case IB_OP_CEIL:
        return ceil(ra);
    case IB_OP_ADD:
        return a + b;
    case IB_OP_SUB:
        return a - b;
    case IB_OP_MUL:
        return a * b;
    case IB_OP_DIV:
        return a / b;
    case IB_OP_POW:
        return ra == 0.0 ? 0.0 : cexp(b * clog(a));
    case IB_OP_ATAN2:
        return complex_angle(a, b);
    case IB_OP_HYPOT:
        return csqrt(a * a + b * b);
    case IB_OP_MOD:
        return a - floor(ra / rb) * b;
    case IB_OP_MIN:
        return ra < rb ? a : b;
    case IB_OP_MAX:
        return ra > rb ? a : b;
    case IB_OP_LT:
        return ra < rb;
    case IB_OP_LE:
        return ra <= rb;
    case IB_OP_EQ:
        return ra == rb;
    case IB_OP_NE:
        return ra != rb;
    case IB_OP_SELECT:
        return ra != 0.0 ? b : c;
    default:
        fail_msg("no complex value of %s", ib_op_text(op));
        return 0.0;
    }
}

/* Value of a node over complex leaves: all nodes up to it, in order. No curves, no tables. */
static inline double complex complex_value(const ib_graph *graph, ib_node node,
                                           const double complex *leaves) {
    double complex *values = calloc((size_t)node + 1, sizeof *values);
    assert_non_null(values);
    for (ib_node k = 0; k <= node; k++) {
        const ib_op op = ib_graph_op_of(graph, k);
        double value;
        double complex arguments[3] = {0};
        for (unsigned which = 0; which < ib_op_arity(op); which++)
            arguments[which] = values[ib_graph_child(graph, k, which)];
        if (op == IB_OP_LEAF)
            values[k] = leaves[ib_graph_leaf_of(graph, k)];
        else if (ib_graph_is_const(graph, k, &value))
            values[k] = value;
        else
            values[k] = complex_operation(op, arguments[0], arguments[1], arguments[2]);
    }
    const double complex result = values[node];
    free(values);
    return result;
}

/* d node / d leaf at a point, by complex step. */
static inline double step_derivative(const ib_graph *graph, ib_node node, const double at[4],
                                     uint32_t leaf) {
    double complex leaves[4];
    for (uint32_t k = 0; k < 4; k++) {
        const double parts[2] = {at[k], k == leaf ? COMPLEX_STEP : 0.0};
        memcpy(&leaves[k], parts, sizeof parts);
    }
    return cimag(complex_value(graph, node, leaves)) / COMPLEX_STEP;
}

#endif
