/* The order of the tape: equal operations next to each other.
 *
 * An interpreter spends its time on finding out what comes next. Of all operations whose arguments
 * are known, the kind of which most are waiting is run until none is left (Kahn's topological sort,
 * 1962, with a queue for each operation). Order does not change values, and this one depends on
 * nothing but the graph.
 */
#include "expr/expr_internal.h"

#include <stdlib.h>

/* Sine and cosine of one angle count as one operation of their own. */
enum { PAIR = IB_OP_COUNT, N_KINDS };

#define NONE UINT32_MAX

/* Everything by position in the old order. */
typedef struct scheduler {
    ib_reach *reach;
    const ib_graph *graph;
    uint32_t *waits;                /* arguments that are not known yet */
    uint32_t *first_use, *next_use; /* list of users: use number = 3 position + argument */
    uint32_t *next_ready;           /* list of those that wait for nothing */
    uint32_t ready_head[N_KINDS], ready_tail[N_KINDS], n_ready[N_KINDS];
    ib_node *order; /* the new one */
    size_t n;
} scheduler;

static unsigned kind_of(const scheduler *s, size_t k) {
    return ib_reach_is_pair(s->reach, s->graph, k) ? (unsigned)PAIR
                                                   : s->graph->nodes[s->reach->order[k]].op;
}

/* True for the cosine of a pair, which goes with its sine. */
static bool is_second(const scheduler *s, size_t k) {
    return k > 0 && ib_reach_is_pair(s->reach, s->graph, k - 1);
}

static void make_ready(scheduler *s, uint32_t k) {
    const unsigned kind = kind_of(s, k);
    s->next_ready[k] = NONE;
    if (s->n_ready[kind]++ == 0)
        s->ready_head[kind] = k;
    else
        s->next_ready[s->ready_tail[kind]] = k;
    s->ready_tail[kind] = k;
}

/* Enters every node among the users of its arguments; those without arguments are ready. */
static void count_uses(scheduler *s) {
    const size_t n = s->reach->n;
    for (size_t k = 0; k < n; k++)
        s->first_use[k] = NONE;
    for (size_t k = n; k-- > 0;) {
        const ib_graph_node node = s->graph->nodes[s->reach->order[k]];
        const uint32_t arguments[3] = {node.a, node.b, node.c};
        const unsigned arity = ib_op_arity((ib_op)node.op);
        s->waits[k] = is_second(s, k) ? NONE : arity;
        for (unsigned which = 0; which < 3 && which < arity && !is_second(s, k); which++) {
            uint32_t *first = &s->first_use[s->reach->slot[arguments[which]]];
            s->next_use[3 * k + which] = *first;
            *first = (uint32_t)(3 * k + which);
        }
    }
    for (size_t k = 0; k < n; k++)
        if (s->waits[k] == 0)
            make_ready(s, (uint32_t)k);
}

/* Puts a node into the new order and frees what waited for it. */
static void place(scheduler *s, uint32_t k) {
    s->order[s->n++] = s->reach->order[k];
    for (uint32_t use = s->first_use[k]; use != NONE; use = s->next_use[use])
        if (--s->waits[use / 3] == 0)
            make_ready(s, use / 3);
}

static unsigned fullest_kind(const scheduler *s) {
    unsigned best = 0;
    for (unsigned kind = 1; kind < N_KINDS; kind++)
        if (s->n_ready[kind] > s->n_ready[best])
            best = kind;
    return best;
}

static void run(scheduler *s) {
    while (s->n < s->reach->n) {
        const unsigned kind = fullest_kind(s);
        while (s->n_ready[kind] > 0) {
            const uint32_t k = s->ready_head[kind];
            s->ready_head[kind] = s->next_ready[k];
            s->n_ready[kind]--;
            place(s, k);
            if (kind == PAIR)
                place(s, k + 1);
        }
    }
}

bool ib_reach_group(ib_reach *reach, const ib_graph *graph) {
    const size_t n = reach->n;
    if (n == 0)
        return true;
    if (n > NONE / 4)
        return false;
    uint32_t *room = malloc(7 * n * sizeof *room);
    if (!room)
        return false;
    scheduler s = {.reach = reach,
                   .graph = graph,
                   .waits = room,
                   .first_use = room + n,
                   .next_ready = room + 2 * n,
                   .order = room + 3 * n,
                   .next_use = room + 4 * n};
    count_uses(&s);
    run(&s);
    memcpy(reach->order, s.order, n * sizeof *reach->order);
    for (size_t k = 0; k < n; k++)
        reach->slot[reach->order[k]] = (uint32_t)k;
    free(room);
    return true;
}
