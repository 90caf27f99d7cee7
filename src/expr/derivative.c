/* Exact derivatives: new nodes from old ones by the chain rule.
 *
 * The one table of rules is `moved`: the derivative of a node along its argument `which` when that
 * argument moves at rate t. Forward mode adds these up from the leaves, reverse mode hands them
 * down from the root. What does not move is IB_NO_NODE inside this file and makes no nodes at all:
 * zeros come from dependence. Where arguments move together some operations have a cheaper joint
 * rule.
 *
 * At a kink the branch that gives the value gives the derivative; sign, floor, ceil and comparisons
 * are constant wherever they have a derivative.
 */
#include "expr/expr_internal.h"

#include <stdlib.h>

static ib_node op1(ib_graph *graph, ib_op op, ib_node a) {
    return ib_graph_op(graph, op, a, IB_NO_NODE, IB_NO_NODE);
}

static ib_node op2(ib_graph *graph, ib_op op, ib_node a, ib_node b) {
    return ib_graph_op(graph, op, a, b, IB_NO_NODE);
}

static ib_node number(ib_graph *graph, double value) { return ib_graph_const(graph, value); }

/* Rates: IB_NO_NODE is zero, and a constant zero becomes it. */
static ib_node rate(const ib_graph *graph, ib_node node) {
    double value;
    return ib_graph_is_const(graph, node, &value) && value == 0.0 ? IB_NO_NODE : node;
}

/* A rate times a factor. A factor that is zero wherever it is known makes no node either. */
static ib_node times(ib_graph *graph, ib_node factor, ib_node t) {
    return rate(graph, factor) == IB_NO_NODE ? IB_NO_NODE : ib_mul(graph, factor, t);
}

static ib_node sum(ib_graph *graph, ib_node s, ib_node t) {
    return s == IB_NO_NODE ? t : t == IB_NO_NODE ? s : ib_add(graph, s, t);
}

static ib_node difference(ib_graph *graph, ib_node s, ib_node t) {
    return t == IB_NO_NODE ? s : s == IB_NO_NODE ? ib_neg(graph, t) : ib_sub(graph, s, t);
}

static ib_node times_rate(ib_graph *graph, ib_node factor, ib_node t) {
    return t == IB_NO_NODE ? t : times(graph, factor, t);
}

/* f da + g db */
static ib_node combined(ib_graph *graph, ib_node f, ib_node da, ib_node g, ib_node db) {
    const ib_node first = times_rate(graph, f, da), second = times_rate(graph, g, db);
    return sum(graph, first, second);
}

static ib_node quotient(ib_graph *graph, ib_node s, ib_node divisor) {
    return s == IB_NO_NODE ? s : ib_div(graph, s, divisor);
}

static ib_node squared(ib_graph *graph, ib_node a) { return ib_mul(graph, a, a); }

/* condition ? s : t for rates. */
static ib_node select(ib_graph *graph, ib_node condition, ib_node s, ib_node t) {
    if (s == IB_NO_NODE && t == IB_NO_NODE)
        return IB_NO_NODE;
    return ib_graph_op(graph, IB_OP_SELECT, condition, s == IB_NO_NODE ? number(graph, 0.0) : s,
                       t == IB_NO_NODE ? number(graph, 0.0) : t);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* sqrt((1 - a)(1 + a)): exact where a is close to one. */
static ib_node cosine_of_arc(ib_graph *graph, ib_node a) {
    const ib_node one = number(graph, 1.0);
    const ib_node below = ib_sub(graph, one, a), above = ib_add(graph, one, a);
    return op1(graph, IB_OP_SQRT, ib_mul(graph, below, above));
}

/* Rate of f(a), f one of the functions of one argument; `node` is f(a) itself. */
static ib_node moved_function(ib_graph *graph, ib_op op, ib_node node, ib_node a, ib_node t) {
    const ib_node one = number(graph, 1.0);
    switch (op) {
    case IB_OP_NEG:
        return ib_neg(graph, t);
    case IB_OP_ABS:
        return times(graph, op1(graph, IB_OP_SIGN, a), t);
    case IB_OP_SQRT:
        return ib_div(graph, t, ib_add(graph, node, node));
    case IB_OP_SIN:
        return times(graph, op1(graph, IB_OP_COS, a), t);
    case IB_OP_COS:
        return ib_neg(graph, ib_mul(graph, op1(graph, IB_OP_SIN, a), t));
    case IB_OP_TAN:
        return times(graph, ib_add(graph, one, squared(graph, node)), t);
    case IB_OP_ASIN:
        return ib_div(graph, t, cosine_of_arc(graph, a));
    case IB_OP_ACOS:
        return ib_neg(graph, ib_div(graph, t, cosine_of_arc(graph, a)));
    case IB_OP_ATAN:
        return ib_div(graph, t, ib_add(graph, one, squared(graph, a)));
    case IB_OP_SINH:
        return times(graph, op1(graph, IB_OP_COSH, a), t);
    case IB_OP_COSH:
        return times(graph, op1(graph, IB_OP_SINH, a), t);
    case IB_OP_TANH: /* not 1 - tanh^2, which loses all digits where tanh is close to one */
        return ib_div(graph, t, squared(graph, op1(graph, IB_OP_COSH, a)));
    case IB_OP_EXP:
        return times(graph, node, t);
    case IB_OP_LOG:
        return ib_div(graph, t, a);
    default: /* SIGN, FLOOR, CEIL */
        return IB_NO_NODE;
    }
}

/* 0 where `by` is zero, else the slope. */
static ib_node zero_with(ib_graph *graph, ib_node by, ib_node slope) {
    const ib_node zero = number(graph, 0.0);
    return ib_graph_op(graph, IB_OP_SELECT, op2(graph, IB_OP_EQ, by, zero), zero, slope);
}

/* d(a^b) = b a^(b-1) da + log(a) a^b db. The first is zero for b = 0 and the second for a = 0 (b >
 * 0), where the formula has infinities. */
static ib_node moved_power(ib_graph *graph, ib_node node, ib_node da, ib_node db) {
    const ib_node a = graph->nodes[node].a, b = graph->nodes[node].b;
    ib_node by_base = IB_NO_NODE, by_exponent = IB_NO_NODE;
    double known;
    if (da != IB_NO_NODE) {
        const ib_node less = ib_sub(graph, b, number(graph, 1.0));
        by_base = ib_mul(graph, b, op2(graph, IB_OP_POW, a, less));
        if (!ib_graph_is_const(graph, b, &known))
            by_base = zero_with(graph, b, by_base);
    }
    if (db != IB_NO_NODE) {
        by_exponent = ib_mul(graph, op1(graph, IB_OP_LOG, a), node);
        if (!ib_graph_is_const(graph, a, &known) || known == 0.0)
            by_exponent = zero_with(graph, node, by_exponent);
    }
    return combined(graph, by_base, da, by_exponent, db);
}

/* The whole number n of x = n y + mod(x, y), rounded so that it fits the remainder that was found.
 */
static ib_node whole_turns(ib_graph *graph, ib_node node, ib_node x, ib_node y) {
    const ib_node n = ib_div(graph, ib_sub(graph, x, node), y);
    return op1(graph, IB_OP_FLOOR, ib_add(graph, n, number(graph, 0.5)));
}

static ib_node moved_atan2(ib_graph *graph, ib_node y, ib_node x, ib_node dy, ib_node dx) {
    const ib_node x2 = squared(graph, x), y2 = squared(graph, y);
    const ib_node up = times_rate(graph, x, dy), across = times_rate(graph, y, dx);
    return quotient(graph, difference(graph, up, across), ib_add(graph, x2, y2));
}

static ib_node moved_mod(ib_graph *graph, ib_node node, ib_node a, ib_node b, ib_node da,
                         ib_node db) {
    if (db == IB_NO_NODE)
        return da;
    return difference(graph, da, times(graph, whole_turns(graph, node, a, b), db));
}

/* Rate of a node with two arguments (a, b) that move at da and db; not both IB_NO_NODE. */
static ib_node moved_pair(ib_graph *graph, ib_op op, ib_node node, ib_node da, ib_node db) {
    const ib_node a = graph->nodes[node].a, b = graph->nodes[node].b;
    switch (op) {
    case IB_OP_ADD:
        return sum(graph, da, db);
    case IB_OP_SUB:
        return difference(graph, da, db);
    case IB_OP_MUL:
        return a == b ? times(graph, ib_add(graph, a, a), da) : combined(graph, b, da, a, db);
    case IB_OP_DIV:
        return quotient(graph, difference(graph, da, times_rate(graph, node, db)), b);
    case IB_OP_POW:
        return moved_power(graph, node, da, db);
    case IB_OP_ATAN2:
        return moved_atan2(graph, a, b, da, db);
    case IB_OP_HYPOT:
        return quotient(graph, combined(graph, a, da, b, db), node);
    case IB_OP_MOD:
        return moved_mod(graph, node, a, b, da, db);
    case IB_OP_MIN:
        return select(graph, op2(graph, IB_OP_LT, a, b), da, db);
    case IB_OP_MAX:
        return select(graph, op2(graph, IB_OP_LT, b, a), da, db);
    default: /* comparisons */
        return IB_NO_NODE;
    }
}

/* Rate of a table whose n arguments move at rates d. */
static ib_node moved_table(ib_graph *graph, ib_node node, const ib_node d[IB_TABLE_ARGUMENTS]) {
    const ib_table_use use = graph->tables[graph->nodes[node].c];
    ib_node arguments[IB_TABLE_ARGUMENTS], result = IB_NO_NODE;
    const unsigned n = ib_table_arguments(graph, node, arguments);
    for (unsigned k = 0; k < n; k++)
        if (d[k] != IB_NO_NODE) {
            const uint32_t orders = use.orders + IB_TABLE_ALONG(k);
            const ib_node slope = ib_graph_table(graph, use.table, orders, arguments);
            result = sum(graph, result, times(graph, slope, d[k]));
        }
    return result == IB_NO_NODE ? result : rate(graph, result);
}

/* Rate of a node whose arguments move at rates d. */
static ib_node moved(ib_graph *graph, ib_node node, const ib_node d[3]) {
    const ib_graph_node n = graph->nodes[node];
    ib_node result;
    if (d[0] == IB_NO_NODE && d[1] == IB_NO_NODE && d[2] == IB_NO_NODE)
        return IB_NO_NODE;
    if (n.op == IB_OP_CURVE) {
        const ib_curve_use use = graph->curves[n.b];
        result = times(graph, ib_graph_curve(graph, use.curve, use.order + 1, n.a), d[0]);
    } else if (n.op == IB_OP_SELECT) {
        result = select(graph, n.a, d[1], d[2]);
    } else if (ib_op_arity((ib_op)n.op) == 1) {
        result = moved_function(graph, (ib_op)n.op, node, n.a, d[0]);
    } else {
        result = moved_pair(graph, (ib_op)n.op, node, d[0], d[1]);
    }
    return result == IB_NO_NODE ? result : rate(graph, result);
}

/* ---- forward --------------------------------------------------------------------------------- */

/* Rate of a listed node when those before it are known in d. */
static ib_node tangent_of(ib_graph *graph, ib_node node, const ib_node *seeds, size_t n_seeds,
                          const ib_node *d) {
    const ib_graph_node n = graph->nodes[node];
    const unsigned arity = ib_op_arity((ib_op)n.op);
    const uint32_t *slot = graph->reach.slot;
    if (n.op == IB_OP_LEAF)
        return n.a < n_seeds ? rate(graph, seeds[n.a]) : IB_NO_NODE;
    if (n.op == IB_OP_JOIN)
        return IB_NO_NODE; /* its table looks through it */
    if (n.op == IB_OP_TABLE) {
        ib_node arguments[IB_TABLE_ARGUMENTS], by_argument[IB_TABLE_ARGUMENTS];
        const unsigned n_arguments = ib_table_arguments(graph, node, arguments);
        for (unsigned k = 0; k < n_arguments; k++)
            by_argument[k] = d[slot[arguments[k]]];
        return moved_table(graph, node, by_argument);
    }
    const ib_node rates[3] = {arity > 0 ? d[slot[n.a]] : IB_NO_NODE,
                              arity > 1 ? d[slot[n.b]] : IB_NO_NODE,
                              arity > 2 ? d[slot[n.c]] : IB_NO_NODE};
    return moved(graph, node, rates);
}

static void fill(ib_node *nodes, size_t n, ib_node value) {
    for (size_t k = 0; k < n; k++)
        nodes[k] = value;
}

void ib_graph_tangent(ib_graph *graph, const ib_node *roots, size_t n_roots, const ib_node *seeds,
                      size_t n_seeds, ib_node *derivatives) {
    const ib_reach *reach = &graph->reach;
    ib_node *d = NULL;
    if (!graph->failed && ib_reach_collect(&graph->reach, graph, roots, n_roots))
        d = malloc((reach->n + 1) * sizeof *d);
    if (!d) {
        fill(derivatives, n_roots, ib_graph_fail(graph));
        return;
    }
    for (size_t k = 0; k < reach->n; k++)
        d[k] = tangent_of(graph, reach->order[k], seeds, n_seeds, d);
    const ib_node zero = number(graph, 0.0);
    for (size_t k = 0; k < n_roots; k++) {
        const ib_node t = roots[k] == IB_NO_NODE ? IB_NO_NODE : d[reach->slot[roots[k]]];
        derivatives[k] = graph->failed ? IB_NO_NODE : t == IB_NO_NODE ? zero : t;
    }
    free(d);
}

/* ---- reverse --------------------------------------------------------------------------------- */

/* What the table at `k` hands to its arguments that move, past JOIN. */
static void hand_down_table(ib_graph *graph, size_t k, const bool *moves, ib_node *adjoint) {
    const ib_node node = graph->reach.order[k];
    ib_node arguments[IB_TABLE_ARGUMENTS];
    const unsigned n = ib_table_arguments(graph, node, arguments);
    for (unsigned which = 0; which < n; which++) {
        const uint32_t slot = graph->reach.slot[arguments[which]];
        ib_node rates[IB_TABLE_ARGUMENTS] = {IB_NO_NODE, IB_NO_NODE, IB_NO_NODE, IB_NO_NODE};
        rates[which] = adjoint[k];
        if (moves[slot])
            adjoint[slot] = rate(graph, sum(graph, adjoint[slot], moved_table(graph, node, rates)));
    }
}

/* Adds what the node at `k`, of adjoint t, hands to each argument that moves. */
static void hand_down(ib_graph *graph, size_t k, const bool *moves, ib_node *adjoint) {
    const ib_reach *reach = &graph->reach;
    const ib_node node = reach->order[k], t = adjoint[k];
    const ib_graph_node n = graph->nodes[node];
    const ib_node arguments[3] = {n.a, n.b, n.c};
    const unsigned arity = ib_op_arity((ib_op)n.op);
    const bool square = n.op == IB_OP_MUL && n.a == n.b; /* its rule takes both at once */
    for (unsigned which = 0; which < 3 && which < (square ? 1 : arity); which++) {
        const uint32_t slot = reach->slot[arguments[which]];
        ib_node rates[3] = {IB_NO_NODE, IB_NO_NODE, IB_NO_NODE};
        if (!moves[slot])
            continue;
        rates[which] = t;
        adjoint[slot] = rate(graph, sum(graph, adjoint[slot], moved(graph, node, rates)));
    }
}

/* Marks the listed nodes that depend on a wanted leaf. */
static void mark_moving(const ib_graph *graph, const bool *wanted, size_t n_wanted, bool *moves) {
    const ib_reach *reach = &graph->reach;
    for (size_t k = 0; k < reach->n; k++) {
        const ib_graph_node n = graph->nodes[reach->order[k]];
        const unsigned arity = ib_op_arity((ib_op)n.op);
        moves[k] = (n.op == IB_OP_LEAF && n.a < n_wanted && wanted[n.a]) ||
                   (arity > 0 && moves[reach->slot[n.a]]) ||
                   (arity > 1 && moves[reach->slot[n.b]]) || (arity > 2 && moves[reach->slot[n.c]]);
    }
}

/* The sweep over what is listed; leaves' adjoints end up in by_leaf. */
static void sweep_down(ib_graph *graph, const bool *moves, ib_node *adjoint, ib_node *by_leaf) {
    const ib_reach *reach = &graph->reach;
    fill(adjoint, reach->n, IB_NO_NODE);
    adjoint[reach->n - 1] = number(graph, 1.0);
    for (size_t k = reach->n; k-- > 0;) {
        if (!moves[k] || adjoint[k] == IB_NO_NODE)
            continue;
        if (graph->nodes[reach->order[k]].op == IB_OP_LEAF)
            by_leaf[graph->nodes[reach->order[k]].a] = adjoint[k];
        else if (graph->nodes[reach->order[k]].op == IB_OP_TABLE)
            hand_down_table(graph, k, moves, adjoint);
        else
            hand_down(graph, k, moves, adjoint);
    }
}

void ib_graph_gradient(ib_graph *graph, ib_node root, const uint32_t *leaves, size_t n_leaves,
                       ib_node *derivatives) {
    size_t n_wanted = 1;
    for (size_t k = 0; k < n_leaves; k++)
        if (leaves[k] >= n_wanted)
            n_wanted = (size_t)leaves[k] + 1;
    bool *wanted = calloc(n_wanted, sizeof *wanted), *moves = NULL;
    ib_node *by_leaf = malloc(n_wanted * sizeof *by_leaf), *adjoint = NULL;
    if (!graph->failed && root != IB_NO_NODE && ib_reach_collect(&graph->reach, graph, &root, 1)) {
        moves = calloc(graph->reach.n, sizeof *moves);
        adjoint = malloc(graph->reach.n * sizeof *adjoint);
    }
    if (wanted && by_leaf && moves && adjoint) {
        fill(by_leaf, n_wanted, IB_NO_NODE);
        for (size_t k = 0; k < n_leaves; k++)
            wanted[leaves[k]] = true;
        mark_moving(graph, wanted, n_wanted, moves);
        sweep_down(graph, moves, adjoint, by_leaf);
        const ib_node zero = number(graph, 0.0);
        for (size_t k = 0; k < n_leaves; k++) {
            const ib_node d = by_leaf[leaves[k]];
            derivatives[k] = graph->failed ? IB_NO_NODE : d == IB_NO_NODE ? zero : d;
        }
    } else {
        fill(derivatives, n_leaves, ib_graph_fail(graph));
    }
    free(wanted);
    free(by_leaf);
    free(moves);
    free(adjoint);
}

/* ---- replacement ------------------------------------------------------------------------------
 */

/* A listed node over its new arguments. */
static ib_node replaced(ib_graph *graph, ib_node node, const ib_node *replacements,
                        size_t n_replacements, const ib_node *now) {
    const ib_graph_node n = graph->nodes[node];
    const unsigned arity = ib_op_arity((ib_op)n.op);
    const uint32_t *slot = graph->reach.slot;
    if (n.op == IB_OP_LEAF && n.a < n_replacements && replacements[n.a] != IB_NO_NODE)
        return replacements[n.a];
    const ib_node a = arity > 0 ? now[slot[n.a]] : IB_NO_NODE;
    const ib_node b = arity > 1 ? now[slot[n.b]] : IB_NO_NODE;
    const ib_node c = arity > 2 ? now[slot[n.c]] : IB_NO_NODE;
    if ((arity < 1 || a == n.a) && (arity < 2 || b == n.b) && (arity < 3 || c == n.c))
        return node;
    return ib_graph_rebuild(graph, node, a, b, c);
}

ib_node ib_graph_replace(ib_graph *graph, ib_node root, const ib_node *replacements,
                         size_t n_replacements) {
    ib_node *now = NULL, result;
    if (root == IB_NO_NODE)
        return IB_NO_NODE;
    if (!graph->failed && ib_reach_collect(&graph->reach, graph, &root, 1))
        now = malloc(graph->reach.n * sizeof *now);
    if (!now)
        return ib_graph_fail(graph);
    for (size_t k = 0; k < graph->reach.n; k++)
        now[k] = replaced(graph, graph->reach.order[k], replacements, n_replacements, now);
    result = graph->failed ? IB_NO_NODE : now[graph->reach.n - 1];
    free(now);
    return result;
}
