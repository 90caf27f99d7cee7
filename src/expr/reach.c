/* Walks over the part of a graph that some roots need: an explicit stack, no recursion, so that
 * depth is limited by memory alone; linear in what is reached, whatever the size of the graph.
 */
#include "expr/expr_internal.h"

#include <stdlib.h>

void ib_reach_free(ib_reach *reach) {
    free(reach->order);
    free(reach->slot);
    free(reach->mark);
    free(reach->stack);
    *reach = (ib_reach){0};
}

/* Room for at least n elements, old ones kept; the array is not cleared. */
static bool grow(uint32_t **items, size_t *capacity, size_t n) {
    if (n <= *capacity)
        return true;
    const size_t size = n > 2 * *capacity ? n : 2 * *capacity;
    uint32_t *grown =
        size <= SIZE_MAX / sizeof **items ? realloc(*items, size * sizeof **items) : NULL;
    if (!grown)
        return false;
    *items = grown;
    *capacity = size;
    return true;
}

/* Marks of all nodes, none of them of this epoch. */
static bool begin(ib_reach *reach, size_t n_nodes) {
    size_t slot_capacity = reach->mark_capacity, mark_capacity = reach->mark_capacity;
    reach->n = 0;
    if (!grow(&reach->slot, &slot_capacity, n_nodes) ||
        !grow(&reach->mark, &mark_capacity, n_nodes))
        return false;
    if (mark_capacity > reach->mark_capacity) /* what is new belongs to no epoch */
        memset(reach->mark + reach->mark_capacity, 0,
               (mark_capacity - reach->mark_capacity) * sizeof *reach->mark);
    reach->mark_capacity = mark_capacity;
    if (++reach->epoch == UINT32_MAX / 2) {
        memset(reach->mark, 0, mark_capacity * sizeof *reach->mark);
        reach->epoch = 1;
    }
    return true;
}

/* Pushes the arguments that are not listed yet, so that the first is handled first. */
static size_t push_arguments(ib_reach *reach, const ib_graph_node *node, size_t depth) {
    const uint32_t done = 2 * reach->epoch + 1;
    const unsigned arity = ib_op_arity((ib_op)node->op);
    if (arity > 2 && reach->mark[node->c] != done)
        reach->stack[depth++] = node->c;
    if (arity > 1 && reach->mark[node->b] != done)
        reach->stack[depth++] = node->b;
    if (arity > 0 && reach->mark[node->a] != done)
        reach->stack[depth++] = node->a;
    return depth;
}

/* Lists everything below one root. A node is pushed perhaps several times, opened once, and listed
 * when it comes to the top again, by which time its arguments are listed. */
static bool visit(ib_reach *reach, const ib_graph *graph, ib_node root) {
    const uint32_t seen = 2 * reach->epoch, done = seen + 1;
    size_t depth = 0;
    if (!grow(&reach->stack, &reach->stack_capacity, 16))
        return false;
    reach->stack[depth++] = root;
    while (depth > 0) {
        const ib_node node = reach->stack[depth - 1];
        if (!grow(&reach->stack, &reach->stack_capacity, depth + 3) ||
            !grow(&reach->order, &reach->order_capacity, reach->n + 1))
            return false;
        if (reach->mark[node] != done && reach->mark[node] != seen) {
            reach->mark[node] = seen;
            depth = push_arguments(reach, &graph->nodes[node], depth);
            continue;
        }
        depth--;
        if (reach->mark[node] == seen) {
            reach->mark[node] = done;
            reach->slot[node] = (uint32_t)reach->n;
            reach->order[reach->n++] = node;
        }
    }
    return true;
}

bool ib_reach_collect(ib_reach *reach, const ib_graph *graph, const ib_node *roots,
                      size_t n_roots) {
    if (!begin(reach, graph->n))
        return false;
    for (size_t k = 0; k < n_roots; k++)
        if (roots[k] != IB_NO_NODE && !visit(reach, graph, roots[k]))
            return false;
    return true;
}

/* ---- sine and cosine together ---------------------------------------------------------------- */

bool ib_reach_is_pair(const ib_reach *reach, const ib_graph *graph, size_t k) {
    if (k + 1 >= reach->n)
        return false;
    const ib_graph_node *sine = &graph->nodes[reach->order[k]];
    const ib_graph_node *cosine = &graph->nodes[reach->order[k + 1]];
    return sine->op == IB_OP_SIN && cosine->op == IB_OP_COS && sine->a == cosine->a;
}

/* The cosine of the same argument for a sine and the other way round, or IB_NO_NODE. `partners`
 * holds two nodes for each slot of an argument. */
static ib_node partner_of(const ib_reach *reach, const ib_graph *graph, const ib_node *partners,
                          ib_node node) {
    const ib_graph_node *n = &graph->nodes[node];
    if (n->op != IB_OP_SIN && n->op != IB_OP_COS)
        return IB_NO_NODE;
    return partners[2 * reach->slot[n->a] + (n->op == IB_OP_SIN)];
}

static void note_partners(const ib_reach *reach, const ib_graph *graph, ib_node *partners) {
    for (size_t k = 0; k < 2 * reach->n; k++)
        partners[k] = IB_NO_NODE;
    for (size_t k = 0; k < reach->n; k++) {
        const ib_graph_node *n = &graph->nodes[reach->order[k]];
        if (n->op == IB_OP_SIN || n->op == IB_OP_COS)
            partners[2 * reach->slot[n->a] + (n->op == IB_OP_COS)] = reach->order[k];
    }
}

bool ib_reach_pair(ib_reach *reach, const ib_graph *graph) {
    const size_t n = reach->n;
    ib_node *partners = n ? malloc(3 * n * sizeof *partners) : NULL;
    if (!partners)
        return n == 0;
    ib_node *paired = partners + 2 * n;
    size_t count = 0;
    note_partners(reach, graph, partners);
    for (size_t k = 0; k < n; k++) {
        const ib_node node = reach->order[k], partner = partner_of(reach, graph, partners, node);
        if (partner == IB_NO_NODE) {
            paired[count++] = node;
        } else if (reach->slot[partner] > k) { /* the first of the two brings the other */
            const bool sine_first = graph->nodes[node].op == IB_OP_SIN;
            paired[count++] = sine_first ? node : partner;
            paired[count++] = sine_first ? partner : node;
        }
    }
    memcpy(reach->order, paired, n * sizeof *paired);
    for (size_t k = 0; k < n; k++)
        reach->slot[reach->order[k]] = (uint32_t)k;
    free(partners);
    return true;
}
