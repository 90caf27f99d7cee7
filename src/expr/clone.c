/* A copy of a graph that grows on its own, with the same node numbers. */
#include "expr/expr_internal.h"

#include <stdlib.h>
#include <string.h>

static void *copied(const void *items, size_t count, size_t size) {
    void *copy = calloc(count + 1, size);
    if (copy && count)
        memcpy(copy, items, count * size);
    return copy;
}

ib_graph *ib_graph_clone(const ib_graph *graph) {
    ib_graph *clone = graph->failed ? NULL : calloc(1, sizeof *clone);
    if (!clone)
        return NULL;
    clone->n = graph->n;
    clone->capacity = graph->n + 1;
    clone->nodes = copied(graph->nodes, graph->n, sizeof *graph->nodes);
    clone->table_size = graph->table_size;
    clone->table = copied(graph->table, graph->table_size, sizeof *graph->table);
    clone->n_curves = graph->n_curves;
    clone->curve_capacity = graph->n_curves + 1;
    clone->curves = copied(graph->curves, graph->n_curves, sizeof *graph->curves);
    clone->n_tables = graph->n_tables;
    clone->table_capacity = graph->n_tables + 1;
    clone->tables = copied(graph->tables, graph->n_tables, sizeof *graph->tables);
    if (!clone->nodes || !clone->table || !clone->curves || !clone->tables) {
        ib_graph_destroy(clone);
        return NULL;
    }
    return clone;
}
