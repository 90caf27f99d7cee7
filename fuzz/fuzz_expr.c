/* Fuzzing of expressions: any text is parsed; what is an expression is differentiated twice, put on
 * a tape and evaluated, and the tape must give the bits of the graph.
 */
#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

enum { N_LEAVES = 4, N_ROOTS = 8 };

/* x, y, z are leaves, c is a curve; `reaction` is refused. */
typedef struct context {
    ib_graph *graph;
    ib_curve *curve;
} context;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ib_symbol find(void *user, const char *name) {
    const context *c = user;
    if (strlen(name) == 1 && name[0] >= 'x' && name[0] <= 'z')
        return (ib_symbol){.kind = IB_SYMBOL_NODE,
                           .node = ib_graph_leaf(c->graph, (uint32_t)(name[0] - 'x'))};
    if (strcmp(name, "c") == 0)
        return (ib_symbol){.kind = IB_SYMBOL_CURVE, .curve = c->curve};
    if (strcmp(name, "reaction") == 0)
        return (ib_symbol){.kind = IB_SYMBOL_REFUSED, .reason = "reactions are results"};
    return (ib_symbol){.kind = IB_SYMBOL_NONE};
}

static ib_node parse(context *c, const uint8_t *data, size_t size) {
    static const char *const names[] = {"x", "y", "z", "c", "reaction"};
    const ib_scope scope = {c, find, names, IB_COUNT(names), ib_graph_leaf(c->graph, 3)};
    const ib_text text = {(const char *)data, size, NULL, NULL};
    const ib_curve *bare = NULL;
    ib_diags *diags = ib_diags_create();
    const ib_node node = ib_expr_parse(c->graph, &scope, &text, diags, &bare);
    /* Either a value, or a bare curve, or something to say. */
    if (diags && (node != IB_NO_NODE) + (bare != NULL) + (ib_diags_errors(diags) > 0) != 1)
        abort();
    ib_diags_destroy(diags);
    return node;
}

/* Equal bits, or both not a number. */
static bool same(double a, double b) {
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return bits[0] == bits[1] || (a != a && b != b);
}

static void check_tape(const ib_graph *graph, const ib_node *roots) {
    static const double leaves[N_LEAVES] = {0.75, -1.5, 3.25, 0.5};
    double out[N_ROOTS];
    ib_fault fault;
    ib_tape *tape = ib_tape_create(graph, roots, N_ROOTS);
    double *work = tape ? malloc((ib_tape_work_size(tape) + 1) * sizeof *work) : NULL;
    if (work) {
        ib_tape_eval(tape, leaves, work, out, &fault);
        for (size_t k = 0; k < N_ROOTS; k++) {
            if (!same(out[k], ib_graph_value(graph, roots[k], leaves, N_LEAVES)))
                abort();
        }
    }
    free(work);
    ib_tape_destroy(tape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const double x[] = {-2, -1, 0, 0.5, 3}, y[] = {1, -1, 0, 2, 1};
    static const uint32_t leaves[] = {0, 1, 2, 3};
    context c = {ib_graph_create(), ib_curve_create(IB_CURVE_AKIMA, x, y, IB_COUNT(x))};
    if (c.graph && c.curve) {
        ib_node roots[N_ROOTS];
        roots[0] = parse(&c, data, size);
        if (roots[0] != IB_NO_NODE) {
            const ib_node one = ib_graph_const(c.graph, 1.0);
            const ib_node seeds[N_LEAVES] = {one, one, roots[0], IB_NO_NODE};
            ib_graph_gradient(c.graph, roots[0], leaves, N_LEAVES, roots + 1);
            ib_graph_tangent(c.graph, roots, 2, seeds, N_LEAVES, roots + 5);
            roots[7] = ib_graph_replace(c.graph, roots[0], seeds, N_LEAVES);
            check_tape(c.graph, roots);
        }
    }
    ib_graph_destroy(c.graph);
    ib_curve_destroy(c.curve);
    return 0;
}
