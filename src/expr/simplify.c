/* Simplification while building: what may be left out without changing any finite value.
 *
 * Every rewriting here is exact in binary64: signs move freely (rounding is symmetric), adding 0
 * and multiplying by 1 do nothing, a division by a power of two is a product. Nothing is
 * re-associated or distributed. 0*x stays (x could be infinite, and dependence is a matter of
 * structure), so does x - x unless x is a leaf, which is always finite. The sign of a zero is not a
 * value. Constants fold when the result is finite; otherwise the operation stays and fails where it
 * is evaluated.
 *
 * Integer powers become products by repeated squaring, up to the 64th.
 */
#include "expr/expr_internal.h"

enum { MAX_EXACT_POWER = 64 };

static ib_node op1(ib_graph *graph, ib_op op, ib_node a) {
    return ib_graph_op(graph, op, a, IB_NO_NODE, IB_NO_NODE);
}

static ib_node op2(ib_graph *graph, ib_op op, ib_node a, ib_node b) {
    return ib_graph_op(graph, op, a, b, IB_NO_NODE);
}

static ib_node intern2(ib_graph *graph, ib_op op, ib_node a, ib_node b) {
    return ib_graph_intern(graph, op, a, b, IB_NO_NODE);
}

static bool is_op(const ib_graph *graph, ib_node node, ib_op op) {
    return graph->nodes[node].op == (uint32_t)op;
}

static bool is_value(const ib_graph *graph, ib_node node, double value) {
    double have;
    return ib_graph_is_const(graph, node, &have) && have == value;
}

static bool is_const(const ib_graph *graph, ib_node node) {
    return is_op(graph, node, IB_OP_CONST);
}

/* The argument of a negation; only for nodes known to be one. */
static ib_node negated(const ib_graph *graph, ib_node node) { return graph->nodes[node].a; }

static ib_node negate_const(ib_graph *graph, ib_node node) {
    return ib_graph_const(graph, -ib_node_value(graph->nodes[node]));
}

/* A sum or product whose arguments may change places: the older node first. */
static ib_node commuting(ib_graph *graph, ib_op op, ib_node a, ib_node b) {
    return a <= b ? intern2(graph, op, a, b) : intern2(graph, op, b, a);
}

/* -(-x) = x, -(x - y) = y - x; constant factors and constant parts of quotients take the sign. */
static ib_node simplify_neg(ib_graph *graph, ib_node a) {
    const ib_graph_node n = graph->nodes[a];
    if (n.op == IB_OP_NEG)
        return n.a;
    if (n.op == IB_OP_SUB)
        return op2(graph, IB_OP_SUB, n.b, n.a);
    if ((n.op == IB_OP_MUL || n.op == IB_OP_DIV) && is_const(graph, n.a))
        return op2(graph, (ib_op)n.op, negate_const(graph, n.a), n.b);
    if ((n.op == IB_OP_MUL || n.op == IB_OP_DIV) && is_const(graph, n.b))
        return op2(graph, (ib_op)n.op, n.a, negate_const(graph, n.b));
    return ib_graph_intern(graph, IB_OP_NEG, a, IB_NO_NODE, IB_NO_NODE);
}

static ib_node simplify_add(ib_graph *graph, ib_node a, ib_node b) {
    if (is_value(graph, a, 0.0))
        return b;
    if (is_value(graph, b, 0.0))
        return a;
    if (is_op(graph, b, IB_OP_NEG))
        return op2(graph, IB_OP_SUB, a, negated(graph, b));
    if (is_op(graph, a, IB_OP_NEG))
        return op2(graph, IB_OP_SUB, b, negated(graph, a));
    if (a == b)
        return op2(graph, IB_OP_MUL, ib_graph_const(graph, 2.0), a);
    return commuting(graph, IB_OP_ADD, a, b);
}

static ib_node simplify_sub(ib_graph *graph, ib_node a, ib_node b) {
    if (is_value(graph, b, 0.0))
        return a;
    if (is_value(graph, a, 0.0))
        return op1(graph, IB_OP_NEG, b);
    if (is_op(graph, b, IB_OP_NEG))
        return op2(graph, IB_OP_ADD, a, negated(graph, b));
    if (is_op(graph, a, IB_OP_NEG))
        return op1(graph, IB_OP_NEG, op2(graph, IB_OP_ADD, negated(graph, a), b));
    if (a == b && is_op(graph, a, IB_OP_LEAF))
        return ib_graph_const(graph, 0.0);
    return intern2(graph, IB_OP_SUB, a, b);
}

/* What a product and a quotient do with signs: (-x)(-y) = x y, (-x) c = x (-c), (-x) y = -(x y).
 * IB_NO_NODE when there is no sign to move. */
static ib_node move_signs(ib_graph *graph, ib_op op, ib_node a, ib_node b) {
    const bool minus_a = is_op(graph, a, IB_OP_NEG), minus_b = is_op(graph, b, IB_OP_NEG);
    if (!minus_a && !minus_b)
        return IB_NO_NODE;
    if (minus_a && minus_b)
        return op2(graph, op, negated(graph, a), negated(graph, b));
    if (minus_a && is_const(graph, b))
        return op2(graph, op, negated(graph, a), negate_const(graph, b));
    if (minus_b && is_const(graph, a))
        return op2(graph, op, negate_const(graph, a), negated(graph, b));
    if (minus_a)
        return op1(graph, IB_OP_NEG, op2(graph, op, negated(graph, a), b));
    return op1(graph, IB_OP_NEG, op2(graph, op, a, negated(graph, b)));
}

static ib_node simplify_mul(ib_graph *graph, ib_node a, ib_node b) {
    if (is_value(graph, a, 1.0))
        return b;
    if (is_value(graph, b, 1.0))
        return a;
    if (is_value(graph, a, -1.0))
        return op1(graph, IB_OP_NEG, b);
    if (is_value(graph, b, -1.0))
        return op1(graph, IB_OP_NEG, a);
    if (is_op(graph, a, IB_OP_NEG) || is_op(graph, b, IB_OP_NEG))
        return move_signs(graph, IB_OP_MUL, a, b);
    return commuting(graph, IB_OP_MUL, a, b);
}

/* True when x / value and x * (1 / value) are the same for every x: a power of two whose reciprocal
 * is a normal number too. */
static bool is_power_of_two(double value) {
    int exponent;
    return isfinite(value) && fabs(frexp(value, &exponent)) == 0.5 && exponent > -1000 &&
           exponent < 1000;
}

static ib_node simplify_div(ib_graph *graph, ib_node a, ib_node b) {
    double divisor;
    if (ib_graph_is_const(graph, b, &divisor) && is_power_of_two(divisor))
        return op2(graph, IB_OP_MUL, a, ib_graph_const(graph, 1.0 / divisor));
    if (is_op(graph, a, IB_OP_NEG) || is_op(graph, b, IB_OP_NEG))
        return move_signs(graph, IB_OP_DIV, a, b);
    return intern2(graph, IB_OP_DIV, a, b);
}

/* x to the n by repeated squaring, from the leading bit of n down; n >= 1. */
static ib_node integer_power(ib_graph *graph, ib_node x, unsigned n) {
    unsigned bit = 1;
    while (2 * bit <= n)
        bit *= 2;
    ib_node power = x;
    for (bit /= 2; bit > 0; bit /= 2) {
        power = ib_mul(graph, power, power);
        if (n & bit)
            power = ib_mul(graph, power, x);
    }
    return power;
}

static ib_node simplify_pow(ib_graph *graph, ib_node a, ib_node b) {
    double base, exponent = 0.0;
    if (is_value(graph, a, 1.0) || is_value(graph, b, 0.0))
        return ib_graph_const(graph, 1.0);
    if (ib_graph_is_const(graph, b, &exponent) && fabs(exponent) <= MAX_EXACT_POWER &&
        exponent == ib_floor(exponent)) {
        const ib_node power = integer_power(graph, a, (unsigned)fabs(exponent));
        return exponent > 0 ? power : ib_div(graph, ib_graph_const(graph, 1.0), power);
    }
    if (ib_graph_is_const(graph, a, &base) && is_const(graph, b) &&
        isfinite(ib_pow(base, exponent)))
        return ib_graph_const(graph, ib_pow(base, exponent));
    return intern2(graph, IB_OP_POW, a, b);
}

static ib_node simplify_select(ib_graph *graph, ib_node condition, ib_node a, ib_node b) {
    double value;
    if (ib_graph_is_const(graph, condition, &value) && value == value)
        return value != 0.0 ? a : b;
    if (a == b)
        return a;
    return ib_graph_intern(graph, IB_OP_SELECT, condition, a, b);
}

/* Functions that forget a sign or do nothing the second time. */
static ib_node simplify_function(ib_graph *graph, ib_op op, ib_node a) {
    if (op == IB_OP_ABS && is_op(graph, a, IB_OP_NEG))
        a = negated(graph, a);
    if ((op == IB_OP_ABS || op == IB_OP_SIGN || op == IB_OP_FLOOR || op == IB_OP_CEIL) &&
        is_op(graph, a, op))
        return a;
    return ib_graph_intern(graph, op, a, IB_NO_NODE, IB_NO_NODE);
}

/* The value when all arguments are constants and the result is finite. */
static bool fold(const ib_graph *graph, ib_op op, const ib_node arguments[3], double *value) {
    double values[3] = {0};
    for (unsigned k = 0; k < 3 && k < ib_op_arity(op); k++)
        if (!ib_graph_is_const(graph, arguments[k], &values[k]))
            return false;
    *value = ib_op_value(op, values[0], values[1], values[2]);
    return isfinite(*value);
}

static ib_node simplify(ib_graph *graph, ib_op op, ib_node a, ib_node b, ib_node c) {
    switch (op) {
    case IB_OP_NEG:
        return simplify_neg(graph, a);
    case IB_OP_ADD:
        return simplify_add(graph, a, b);
    case IB_OP_SUB:
        return simplify_sub(graph, a, b);
    case IB_OP_MUL:
        return simplify_mul(graph, a, b);
    case IB_OP_DIV:
        return simplify_div(graph, a, b);
    case IB_OP_MIN:
    case IB_OP_MAX:
        return a == b ? a : intern2(graph, op, a, b);
    case IB_OP_EQ:
    case IB_OP_NE:
        return commuting(graph, op, a, b);
    case IB_OP_SELECT:
        return simplify_select(graph, a, b, c);
    default:
        return ib_op_arity(op) == 1 ? simplify_function(graph, op, a) : intern2(graph, op, a, b);
    }
}

ib_node ib_graph_op(ib_graph *graph, ib_op op, ib_node a, ib_node b, ib_node c) {
    const ib_node arguments[3] = {a, b, c};
    double value;
    for (unsigned k = 0; k < 3 && k < ib_op_arity(op); k++)
        if (arguments[k] == IB_NO_NODE)
            return IB_NO_NODE;
    if (graph->failed)
        return IB_NO_NODE;
    if (op == IB_OP_POW) /* before folding: constants too are powers by products */
        return simplify_pow(graph, a, b);
    if (fold(graph, op, arguments, &value))
        return ib_graph_const(graph, value);
    return simplify(graph, op, a, b, c);
}
