/* Inside of the expression graph, shared by the files of this module only. */
#ifndef IB_EXPR_INTERNAL_H
#define IB_EXPR_INTERNAL_H

#include "expr/expr.h"

#include <math.h>
#include <string.h>

/* ---- graph.c: nodes ------------------------------------------------------------------------- */

/* One node. The three words are its identity together with `op`:
 *   CONST  a, b: low and high half of the double's bits
 *   LEAF   a: number of the leaf
 *   CURVE  a: argument, b: index into graph->curves
 *   JOIN   a, b: two arguments of a table of more than two; only a TABLE uses it
 *   TABLE  a, b: its two arguments; with three b is a JOIN, with four a is one too; c: index into
 *          graph->tables
 *   others a, b, c: arguments, IB_NO_NODE where there is none */
typedef struct ib_graph_node {
    uint32_t op, a, b, c;
} ib_graph_node;

/* One derivative of a curve that the graph uses. */
typedef struct ib_curve_use {
    const ib_curve *curve;
    unsigned order;
} ib_curve_use;

/* One derivative of a table that the graph uses. */
typedef struct ib_table_use {
    const ib_table *table;
    uint32_t orders;
} ib_table_use;

/* The nodes below some roots, arguments first; see ib_reach_collect. */
typedef struct ib_reach {
    ib_node *order; /* [n] */
    size_t n;
    uint32_t *slot; /* per node of the graph: its index in `order`, if it is there */
    uint32_t *mark; /* per node: 2 epoch once seen, 2 epoch + 1 once in `order` */
    size_t mark_capacity, order_capacity, stack_capacity;
    ib_node *stack;
    uint32_t epoch;
} ib_reach;

struct ib_graph {
    ib_graph_node *nodes; /* [n] */
    size_t n, capacity;
    uint32_t *table; /* open addressing: node + 1, or 0 */
    size_t table_size;
    ib_curve_use *curves; /* [n_curves] */
    size_t n_curves, curve_capacity;
    ib_table_use *tables; /* [n_tables] */
    size_t n_tables, table_capacity;
    ib_reach reach; /* scratch of the sweeps that may change the graph */
    bool failed;
};

/* The node (op, a, b, c), new or found; no simplification. IB_NO_NODE once the graph has failed. */
ib_node ib_graph_intern(ib_graph *graph, ib_op op, uint32_t a, uint32_t b, uint32_t c);
/* Notes that memory ran out; returns IB_NO_NODE. */
ib_node ib_graph_fail(ib_graph *graph);
/* The node rebuilt with other arguments (simplified anew; CURVE too). */
ib_node ib_graph_rebuild(ib_graph *graph, ib_node node, ib_node a, ib_node b, ib_node c);

/* The arguments of a TABLE, looking through JOIN; returns their number. */
unsigned ib_table_arguments(const ib_graph *graph, ib_node node,
                            ib_node arguments[IB_TABLE_ARGUMENTS]);

/* The value that a JOIN hands on so that what is not finite can be followed to where it began. */
static inline double ib_join_value(double a, double b) { return b - b == 0.0 ? a : b - b; }

static inline double ib_node_value(ib_graph_node node) {
    const uint64_t bits = (uint64_t)node.b << 32 | node.a;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Value of an operation with an expression in the table. */
double ib_op_value(ib_op op, double a, double b, double c);

/* ---- reach.c: walking a part of the graph ---------------------------------------------------- */

/* Lists every node that the roots need, each once, arguments before what uses them, in the order of
 * a depth-first walk from the first root to the last: deterministic, and close to where values are
 * used. Roots that are IB_NO_NODE are passed over. False when out of memory. `reach` may start as
 * {0} and be used again; the graph must not be the one that owns it unless the caller may change
 * that graph. */
bool ib_reach_collect(ib_reach *reach, const ib_graph *graph, const ib_node *roots, size_t n_roots);
/* Moves sin(x) and cos(x) of the same x next to each other, sine first. False when out of memory.
 */
bool ib_reach_pair(ib_reach *reach, const ib_graph *graph);
/* True when order[k] is a sine whose cosine is order[k + 1]. */
bool ib_reach_is_pair(const ib_reach *reach, const ib_graph *graph, size_t k);
/* schedule.c: reorders what is listed so that equal operations come in long runs; arguments still
 * before what uses them, pairs kept together. False when out of memory. */
bool ib_reach_group(ib_reach *reach, const ib_graph *graph);
void ib_reach_free(ib_reach *reach);

#endif
