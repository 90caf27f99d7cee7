/* Block-sparse structure: order, fill and update targets. See block.h; the numbers are in
 * block_factor.c. */
#include "num/block.h"

#include "base/base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A set of node numbers kept sorted. */
typedef struct node_set {
    int *items;
    size_t count, capacity;
} node_set;

typedef struct ordering {
    int n;
    const int *sizes;
    const bool *late;
    node_set *adjacent; /* of the remaining graph */
    bool *done, *ready;
    bool failed;
} ordering;

static void set_add(ordering *o, node_set *set, int node) {
    size_t at = set->count;
    while (at > 0 && set->items[at - 1] > node)
        at--;
    if (at > 0 && set->items[at - 1] == node)
        return;
    if (!IB_VEC_RESERVE(set->items, set->capacity, set->count)) {
        o->failed = true;
        return;
    }
    memmove(set->items + at + 1, set->items + at, (set->count - at) * sizeof(int));
    set->items[at] = node;
    set->count++;
}

static void set_remove(node_set *set, int node) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->items[i] != node)
            continue;
        memmove(set->items + i, set->items + i + 1, (set->count - i - 1) * sizeof(int));
        set->count--;
        return;
    }
}

/* Rows that a node's column would hold below the diagonal. */
static int degree(const ordering *o, int node) {
    int sum = 0;
    for (size_t i = 0; i < o->adjacent[node].count; i++)
        sum += o->sizes[o->adjacent[node].items[i]];
    return sum;
}

/* The ready node of least degree; the lowest number among equals, so that the order is fixed. */
static int next_node(const ordering *o) {
    int best = -1, best_degree = INT_MAX;
    for (int i = 0; i < o->n; i++) {
        if (o->done[i] || (o->late && o->late[i] && !o->ready[i]))
            continue;
        const int d = degree(o, i);
        if (d < best_degree) {
            best = i;
            best_degree = d;
        }
    }
    for (int i = 0; best < 0 && i < o->n; i++)
        if (!o->done[i])
            best = i;
    return best;
}

/* Removes a node and joins its neighbours to each other. */
static void eliminate(ordering *o, int node) {
    const node_set *around = &o->adjacent[node];
    o->done[node] = true;
    for (size_t i = 0; i < around->count; i++) {
        const int a = around->items[i];
        o->ready[a] = true;
        set_remove(&o->adjacent[a], node);
        for (size_t j = 0; j < around->count; j++)
            if (around->items[j] != a)
                set_add(o, &o->adjacent[a], around->items[j]);
    }
}

/* Fills order, step and, for each step, the nodes left adjacent to it (they stay in o->adjacent).
 */
static void find_order(ordering *o, ib_blocks *blocks) {
    for (int k = 0; k < o->n && !o->failed; k++) {
        const int node = next_node(o);
        blocks->order[k] = node;
        blocks->step[node] = k;
        eliminate(o, node);
    }
}

static int compare_int(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Lists each column's later steps and gives every block its offset. */
static bool lay_out(const ordering *o, ib_blocks *blocks) {
    const int n = blocks->n;
    int count = 0;
    for (int k = 0; k < n; k++) {
        blocks->first[k] = count;
        count += (int)o->adjacent[blocks->order[k]].count;
    }
    blocks->first[n] = count;
    blocks->later = calloc((size_t)count + 1, sizeof(int));
    blocks->lower = calloc((size_t)count + 1, sizeof(int));
    blocks->upper = calloc((size_t)count + 1, sizeof(int));
    if (!blocks->later || !blocks->lower || !blocks->upper)
        return false;
    int offset = 0, row = 0;
    for (int k = 0; k < n; k++) {
        const node_set *around = &o->adjacent[blocks->order[k]];
        int *later = blocks->later + blocks->first[k];
        blocks->size[k] = o->sizes[blocks->order[k]];
        blocks->row_of[k] = row;
        row += blocks->size[k];
        blocks->diagonal[k] = offset;
        offset += blocks->size[k] * blocks->size[k];
        for (size_t i = 0; i < around->count; i++)
            later[i] = blocks->step[around->items[i]];
        if (around->count)
            qsort(later, around->count, sizeof(int), compare_int);
    }
    for (int k = 0; k < n; k++)
        for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++) {
            const int area = blocks->size[k] * blocks->size[blocks->later[e]];
            blocks->upper[e] = offset;
            offset += area;
            blocks->lower[e] = blocks->kind == IB_BLOCK_LU ? offset : -1;
            offset += blocks->kind == IB_BLOCK_LU ? area : 0;
        }
    blocks->n_rows = row;
    blocks->n_values = offset;
    return true;
}

/* Offset of the block at (row step, column step), or -1. */
static int offset_at(const ib_blocks *blocks, int row, int column) {
    if (row == column)
        return blocks->diagonal[row];
    const int k = row < column ? row : column, other = row < column ? column : row;
    const int *first = blocks->later + blocks->first[k];
    const size_t count = (size_t)(blocks->first[k + 1] - blocks->first[k]);
    const int *found = count ? bsearch(&other, first, count, sizeof(int), compare_int) : NULL;
    if (!found)
        return -1;
    const int e = (int)(found - blocks->later);
    return row > column ? blocks->lower[e] : blocks->upper[e];
}

int ib_blocks_offset(const ib_blocks *blocks, int row, int column) {
    return offset_at(blocks, blocks->step[row], blocks->step[column]);
}

/* Where the product of the blocks x and y of the same step goes: (x, y), or, of a symmetric matrix,
 * the one of (y, x) on or above the diagonal. */
static bool find_targets(ib_blocks *blocks) {
    size_t count = 0;
    for (int k = 0; k < blocks->n; k++) {
        const size_t m = (size_t)(blocks->first[k + 1] - blocks->first[k]);
        count += blocks->kind == IB_BLOCK_LU ? m * m : m * (m + 1) / 2;
    }
    blocks->target = calloc(count + 1, sizeof(int));
    if (!blocks->target)
        return false;
    int *target = blocks->target;
    for (int k = 0; k < blocks->n; k++)
        for (int x = blocks->first[k]; x < blocks->first[k + 1]; x++) {
            const int end = blocks->kind == IB_BLOCK_LU ? blocks->first[k + 1] : x + 1;
            for (int y = blocks->first[k]; y < end; y++)
                *target++ = blocks->kind == IB_BLOCK_LU
                                ? offset_at(blocks, blocks->later[x], blocks->later[y])
                                : offset_at(blocks, blocks->later[y], blocks->later[x]);
        }
    return true;
}

static bool allocate(ib_blocks *blocks, ordering *o) {
    const size_t n = (size_t)blocks->n + 1;
    blocks->size = calloc(n, sizeof(int));
    blocks->order = calloc(n, sizeof(int));
    blocks->step = calloc(n, sizeof(int));
    blocks->row_of = calloc(n, sizeof(int));
    blocks->first = calloc(n, sizeof(int));
    blocks->diagonal = calloc(n, sizeof(int));
    o->adjacent = calloc(n, sizeof(node_set));
    o->done = calloc(n, sizeof(bool));
    o->ready = calloc(n, sizeof(bool));
    return blocks->size && blocks->order && blocks->step && blocks->row_of && blocks->first &&
           blocks->diagonal && o->adjacent && o->done && o->ready;
}

static void free_ordering(ordering *o) {
    for (int i = 0; o->adjacent && i < o->n; i++)
        free(o->adjacent[i].items);
    free(o->adjacent);
    free(o->done);
    free(o->ready);
}

ib_blocks *ib_blocks_create(ib_block_kind kind, int n, const int *sizes, const ib_block_edge *edges,
                            size_t n_edges, const bool *late) {
    ib_blocks *blocks = calloc(1, sizeof *blocks);
    if (!blocks)
        return NULL;
    ordering o = {.n = n, .sizes = sizes, .late = late};
    blocks->kind = kind;
    blocks->n = n;
    bool good = allocate(blocks, &o);
    for (size_t i = 0; good && i < n_edges; i++) {
        if (edges[i].a == edges[i].b)
            continue;
        set_add(&o, &o.adjacent[edges[i].a], edges[i].b);
        set_add(&o, &o.adjacent[edges[i].b], edges[i].a);
    }
    if (good)
        find_order(&o, blocks);
    good = good && !o.failed && lay_out(&o, blocks) && find_targets(blocks);
    free_ordering(&o);
    if (!good) {
        ib_blocks_destroy(blocks);
        return NULL;
    }
    return blocks;
}

void ib_blocks_destroy(ib_blocks *blocks) {
    if (!blocks)
        return;
    free(blocks->size);
    free(blocks->order);
    free(blocks->step);
    free(blocks->row_of);
    free(blocks->first);
    free(blocks->later);
    free(blocks->diagonal);
    free(blocks->lower);
    free(blocks->upper);
    free(blocks->target);
    free(blocks);
}
