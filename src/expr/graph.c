/* The graph: nodes in one array, each expression once.
 *
 * A node is four words; equal words are the same node (hash-consing, an open-addressing table over
 * the array). Arguments exist before the node that uses them, so the numbering is a topological
 * order and depends on nothing but the order of calls. Simplification is next door (simplify.c).
 */
#include "expr/expr_internal.h"

#include <stdlib.h>

static const char *const op_texts[] = {
#define IB_OPCODE(name, text, arity, expression) text,
#define IB_OPCODE_DATA(name, text, arity) text,
#include "expr/opcodes.def"
};

static const unsigned char op_arities[] = {
#define IB_OPCODE(name, text, arity, expression) arity,
#define IB_OPCODE_DATA(name, text, arity) arity,
#include "expr/opcodes.def"
};

const char *ib_op_text(ib_op op) { return (unsigned)op < IB_OP_COUNT ? op_texts[op] : "?"; }

unsigned ib_op_arity(ib_op op) { return (unsigned)op < IB_OP_COUNT ? op_arities[op] : 0; }

double ib_op_value(ib_op op, double A, double B, double C) {
    switch (op) {
#define IB_OPCODE(name, text, arity, expression)                                                   \
    case IB_OP_##name:                                                                             \
        return expression;
#define IB_OPCODE_DATA(name, text, arity) case IB_OP_##name:
#include "expr/opcodes.def"
    case IB_OP_COUNT:
        break;
    }
    return (double)NAN;
}

ib_graph *ib_graph_create(void) { return calloc(1, sizeof(ib_graph)); }

void ib_graph_destroy(ib_graph *graph) {
    if (!graph)
        return;
    ib_reach_free(&graph->reach);
    free(graph->nodes);
    free(graph->table);
    free(graph->curves);
    free(graph->tables);
    free(graph);
}

bool ib_graph_failed(const ib_graph *graph) { return graph->failed; }

size_t ib_graph_size(const ib_graph *graph) { return graph->n; }

ib_node ib_graph_fail(ib_graph *graph) {
    graph->failed = true;
    return IB_NO_NODE;
}

/* ---- hash-consing ---------------------------------------------------------------------------- */

static size_t hash_node(ib_graph_node node) {
    uint64_t h = (uint64_t)node.op * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ ((uint64_t)node.a << 32 | node.b)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 29) ^ node.c) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(h ^ (h >> 32));
}

static bool same_node(ib_graph_node x, ib_graph_node y) {
    return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c;
}

/* The table's entry for the node: its own, or the empty one where it belongs. */
static uint32_t *find_entry(const ib_graph *graph, ib_graph_node node) {
    const size_t mask = graph->table_size - 1;
    size_t i = hash_node(node) & mask;
    while (graph->table[i] && !same_node(graph->nodes[graph->table[i] - 1], node))
        i = (i + 1) & mask;
    return &graph->table[i];
}

/* Keeps the table at most half full. */
static bool grow_table(ib_graph *graph) {
    if (2 * (graph->n + 1) <= graph->table_size)
        return true;
    const size_t size = graph->table_size ? 2 * graph->table_size : 256;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    free(graph->table);
    graph->table = table;
    graph->table_size = size;
    for (size_t k = 0; k < graph->n; k++)
        *find_entry(graph, graph->nodes[k]) = (uint32_t)k + 1;
    return true;
}

static bool grow_nodes(ib_graph *graph) {
    if (graph->n < graph->capacity)
        return true;
    const size_t capacity = graph->capacity ? 2 * graph->capacity : 128;
    ib_graph_node *nodes =
        capacity <= IB_NO_NODE ? realloc(graph->nodes, capacity * sizeof *nodes) : NULL;
    if (!nodes)
        return false;
    graph->nodes = nodes;
    graph->capacity = capacity;
    return true;
}

ib_node ib_graph_intern(ib_graph *graph, ib_op op, uint32_t a, uint32_t b, uint32_t c) {
    if (graph->failed)
        return IB_NO_NODE;
    if (!grow_table(graph) || !grow_nodes(graph))
        return ib_graph_fail(graph);
    const ib_graph_node node = {(uint32_t)op, a, b, c};
    uint32_t *entry = find_entry(graph, node);
    if (!*entry) {
        graph->nodes[graph->n] = node;
        *entry = (uint32_t)++graph->n;
    }
    return *entry - 1;
}

/* ---- nodes without simplification ------------------------------------------------------------ */

ib_node ib_graph_const(ib_graph *graph, double value) {
    uint64_t bits;
    value = value == 0.0 ? 0.0 : value; /* one zero */
    memcpy(&bits, &value, sizeof bits);
    return ib_graph_intern(graph, IB_OP_CONST, (uint32_t)bits, (uint32_t)(bits >> 32), IB_NO_NODE);
}

ib_node ib_graph_leaf(ib_graph *graph, uint32_t leaf) {
    return ib_graph_intern(graph, IB_OP_LEAF, leaf, IB_NO_NODE, IB_NO_NODE);
}

/* Index of a curve's derivative among those in use, or SIZE_MAX when out of memory. */
static size_t use_curve(ib_graph *graph, const ib_curve *curve, unsigned order) {
    for (size_t k = graph->n_curves; k-- > 0;)
        if (graph->curves[k].curve == curve && graph->curves[k].order == order)
            return k;
    if (!IB_VEC_RESERVE(graph->curves, graph->curve_capacity, graph->n_curves))
        return SIZE_MAX;
    graph->curves[graph->n_curves] = (ib_curve_use){curve, order};
    return graph->n_curves++;
}

ib_node ib_graph_curve(ib_graph *graph, const ib_curve *curve, unsigned order, ib_node x) {
    double at;
    if (x == IB_NO_NODE || graph->failed)
        return IB_NO_NODE;
    if (order > 3)
        return ib_graph_const(graph, 0.0);
    if (ib_graph_is_const(graph, x, &at) && isfinite(ib_curve_eval(curve, order, at)))
        return ib_graph_const(graph, ib_curve_eval(curve, order, at));
    const size_t use = use_curve(graph, curve, order);
    if (use == SIZE_MAX)
        return ib_graph_fail(graph);
    return ib_graph_intern(graph, IB_OP_CURVE, x, (uint32_t)use, IB_NO_NODE);
}

/* ---- tables ---- */

/* Index of a table's derivative among those in use, or SIZE_MAX when out of memory. */
static size_t use_table(ib_graph *graph, const ib_table *table, uint32_t orders) {
    for (size_t k = graph->n_tables; k-- > 0;)
        if (graph->tables[k].table == table && graph->tables[k].orders == orders)
            return k;
    if (!IB_VEC_RESERVE(graph->tables, graph->table_capacity, graph->n_tables))
        return SIZE_MAX;
    graph->tables[graph->n_tables] = (ib_table_use){table, orders};
    return graph->n_tables++;
}

/* The value when all arguments are constants and it is finite. */
static bool fold_table(const ib_graph *graph, const ib_table *table, uint32_t orders,
                       const ib_node *arguments, double *value) {
    double x[IB_TABLE_ARGUMENTS] = {0};
    for (unsigned k = 0; k < ib_table_arity(table); k++)
        if (!ib_graph_is_const(graph, arguments[k], &x[k]))
            return false;
    *value = ib_table_eval(table, orders, x);
    return isfinite(*value);
}

static ib_node join(ib_graph *graph, ib_node a, ib_node b) {
    return ib_graph_intern(graph, IB_OP_JOIN, a, b, IB_NO_NODE);
}

ib_node ib_graph_table(ib_graph *graph, const ib_table *table, uint32_t orders,
                       const ib_node *arguments) {
    const unsigned n = ib_table_arity(table);
    double value;
    for (unsigned k = 0; k < n; k++) {
        if (arguments[k] == IB_NO_NODE || graph->failed)
            return IB_NO_NODE;
        if (IB_TABLE_ORDER(orders, k) > ib_table_degree(table))
            return ib_graph_const(graph, 0.0);
    }
    if (fold_table(graph, table, orders, arguments, &value))
        return ib_graph_const(graph, value);
    const size_t use = use_table(graph, table, orders);
    if (use == SIZE_MAX)
        return ib_graph_fail(graph);
    const ib_node a = n == 4 ? join(graph, arguments[0], arguments[1]) : arguments[0];
    const ib_node b = n > 2 ? join(graph, arguments[n - 2], arguments[n - 1]) : arguments[1];
    return ib_graph_intern(graph, IB_OP_TABLE, a, b, (uint32_t)use);
}

unsigned ib_table_arguments(const ib_graph *graph, ib_node node,
                            ib_node arguments[IB_TABLE_ARGUMENTS]) {
    const ib_graph_node *n = &graph->nodes[node];
    const unsigned arity = ib_table_arity(graph->tables[n->c].table);
    const ib_graph_node *first = &graph->nodes[n->a], *last = &graph->nodes[n->b];
    arguments[0] = arity == 4 ? first->a : n->a;
    arguments[1] = arity == 4 ? first->b : arity == 3 ? last->a : n->b;
    if (arity > 2)
        arguments[arity - 1] = last->b;
    if (arity == 4)
        arguments[2] = last->a;
    return arity;
}

/* A table over new arguments, which come joined as the old ones are. */
static ib_node rebuild_table(ib_graph *graph, const ib_graph_node *old, ib_node a, ib_node b) {
    const ib_table_use use = graph->tables[old->c];
    const unsigned arity = ib_table_arity(use.table);
    if (a == IB_NO_NODE || b == IB_NO_NODE)
        return IB_NO_NODE;
    const ib_graph_node first = graph->nodes[a], last = graph->nodes[b];
    const ib_node two[] = {a, b}, three[] = {a, last.a, last.b};
    const ib_node four[] = {first.a, first.b, last.a, last.b};
    return ib_graph_table(graph, use.table, use.orders,
                          arity == 2   ? two
                          : arity == 3 ? three
                                       : four);
}

ib_node ib_graph_rebuild(ib_graph *graph, ib_node node, ib_node a, ib_node b, ib_node c) {
    const ib_graph_node old = graph->nodes[node];
    if (old.op == IB_OP_JOIN)
        return a == IB_NO_NODE || b == IB_NO_NODE ? IB_NO_NODE : join(graph, a, b);
    if (old.op == IB_OP_TABLE)
        return rebuild_table(graph, &old, a, b);
    if (old.op == IB_OP_CURVE)
        return ib_graph_curve(graph, graph->curves[old.b].curve, graph->curves[old.b].order, a);
    return ib_graph_op(graph, (ib_op)old.op, a, b, c);
}

/* ---- looking at nodes ------------------------------------------------------------------------ */

ib_op ib_graph_op_of(const ib_graph *graph, ib_node node) { return (ib_op)graph->nodes[node].op; }

ib_node ib_graph_child(const ib_graph *graph, ib_node node, unsigned which) {
    const ib_graph_node *n = &graph->nodes[node];
    if (which >= op_arities[n->op])
        return IB_NO_NODE;
    return which == 0 ? n->a : which == 1 ? n->b : n->c;
}

bool ib_graph_is_const(const ib_graph *graph, ib_node node, double *value) {
    if (node == IB_NO_NODE || graph->nodes[node].op != IB_OP_CONST)
        return false;
    *value = ib_node_value(graph->nodes[node]);
    return true;
}

uint32_t ib_graph_leaf_of(const ib_graph *graph, ib_node node) { return graph->nodes[node].a; }

bool ib_graph_depends(const ib_graph *graph, ib_node node, bool *used, size_t n_leaves) {
    ib_reach reach = {0};
    const bool done = ib_reach_collect(&reach, graph, &node, 1);
    for (size_t k = 0; done && k < reach.n; k++) {
        const ib_graph_node n = graph->nodes[reach.order[k]];
        if (n.op == IB_OP_LEAF && n.a < n_leaves)
            used[n.a] = true;
    }
    ib_reach_free(&reach);
    return done;
}

static double table_value(const ib_graph *graph, const ib_reach *reach, ib_node node,
                          const double *values) {
    const ib_table_use use = graph->tables[graph->nodes[node].c];
    ib_node arguments[IB_TABLE_ARGUMENTS];
    double x[IB_TABLE_ARGUMENTS];
    const unsigned n = ib_table_arguments(graph, node, arguments);
    for (unsigned k = 0; k < n; k++)
        x[k] = values[reach->slot[arguments[k]]];
    return ib_table_eval(use.table, use.orders, x);
}

/* Value of order[k] when those before it are known. */
static double value_of(const ib_graph *graph, const ib_reach *reach, size_t k, const double *values,
                       const double *leaves, size_t n_leaves) {
    const ib_graph_node n = graph->nodes[reach->order[k]];
    const unsigned arity = op_arities[n.op];
    if (n.op == IB_OP_CONST)
        return ib_node_value(n);
    if (n.op == IB_OP_LEAF)
        return n.a < n_leaves ? leaves[n.a] : 0.0;
    const double a = values[reach->slot[n.a]];
    if (n.op == IB_OP_CURVE)
        return ib_curve_eval(graph->curves[n.b].curve, graph->curves[n.b].order, a);
    if (n.op == IB_OP_JOIN)
        return ib_join_value(a, values[reach->slot[n.b]]);
    if (n.op == IB_OP_TABLE)
        return table_value(graph, reach, reach->order[k], values);
    return ib_op_value((ib_op)n.op, a, arity > 1 ? values[reach->slot[n.b]] : 0.0,
                       arity > 2 ? values[reach->slot[n.c]] : 0.0);
}

double ib_graph_value(const ib_graph *graph, ib_node node, const double *leaves, size_t n_leaves) {
    ib_reach reach = {0};
    double result = (double)NAN, *values = NULL;
    if (ib_reach_collect(&reach, graph, &node, 1) && reach.n)
        values = malloc(reach.n * sizeof *values);
    if (values) {
        for (size_t k = 0; k < reach.n; k++)
            values[k] = value_of(graph, &reach, k, values, leaves, n_leaves);
        result = values[reach.n - 1];
    }
    free(values);
    ib_reach_free(&reach);
    return result;
}
