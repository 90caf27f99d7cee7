/* output_unit: the units of expressions, where they can be derived.
 *
 * Measures and time have a unit; parameters, inputs, splines and tables may have any. A sum has the
 * unit of its terms, products and quotients of measures have theirs, functions what they do to a
 * unit. A number as a factor may change the unit (30 / pi makes rpm of rad/s), so its product has
 * none that is known; a number as a term does not.
 */
#include "model/model_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH, TIME, ANGLE, N_BASE };

typedef enum knowledge { UNKNOWN, NUMBER, UNIT } knowledge;

typedef struct dimension {
    knowledge known; /* NUMBER: of any unit, as a constant */
    signed char e[N_BASE];
} dimension;

static const dimension unknown = {UNKNOWN, {0}};
static const dimension plain = {UNIT, {0}};

static dimension of_measure(const ib_measure *m) {
    switch (m->type) {
    case IB_MEASURE_DISPLACEMENT:
    case IB_MEASURE_DISTANCE:
        return (dimension){UNIT, {1, 0, 0}};
    case IB_MEASURE_VELOCITY:
    case IB_MEASURE_DISTANCE_RATE:
        return (dimension){UNIT, {1, -1, 0}};
    case IB_MEASURE_ACCELERATION:
    case IB_MEASURE_SPECIFIC_FORCE:
        return (dimension){UNIT, {1, -2, 0}};
    case IB_MEASURE_ANGLE:
        return (dimension){UNIT, {0, 0, 1}};
    case IB_MEASURE_ANGULAR_RATE:
        return m->legacy_form ? unknown : (dimension){UNIT, {0, -1, 1}};
    case IB_MEASURE_ANGULAR_VELOCITY:
        return (dimension){UNIT, {0, -1, 1}};
    case IB_MEASURE_ANGULAR_ACCELERATION:
        return (dimension){UNIT, {0, -2, 1}};
    case IB_MEASURE_DIRECTION: /* of a vector that may have a unit */
        break;
    }
    return unknown;
}

static dimension of_leaf(const ib_model *m, uint32_t leaf) {
    if (leaf == ib_leaf_time())
        return (dimension){UNIT, {0, 1, 0}};
    if (leaf >= ib_leaf_measure(m, 0) && leaf < ib_leaf_count(m))
        return of_measure(&m->measures[leaf - ib_leaf_measure(m, 0)]);
    return unknown;
}

/* What two values that are added, compared or chosen between have in common. */
static dimension common(dimension a, dimension b) {
    if (a.known == NUMBER)
        return b;
    if (b.known == NUMBER)
        return a;
    return a.known == UNIT && b.known == UNIT && memcmp(a.e, b.e, sizeof a.e) == 0 ? a : unknown;
}

static dimension product(dimension a, dimension b, int sign) {
    if (a.known != UNIT || b.known != UNIT)
        return unknown;
    for (int i = 0; i < N_BASE; i++)
        a.e[i] = (signed char)(a.e[i] + sign * b.e[i]);
    return a;
}

static dimension root(dimension a) {
    for (int i = 0; i < N_BASE; i++) {
        if (a.known != UNIT || a.e[i] % 2 != 0)
            return unknown;
        a.e[i] = (signed char)(a.e[i] / 2);
    }
    return a;
}

static dimension of_operation(ib_op op, dimension a, dimension b, dimension c) {
    switch (op) {
    case IB_OP_NEG:
    case IB_OP_ABS:
    case IB_OP_FLOOR:
    case IB_OP_CEIL:
        return a;
    case IB_OP_ADD:
    case IB_OP_SUB:
    case IB_OP_MIN:
    case IB_OP_MAX:
    case IB_OP_MOD:
    case IB_OP_HYPOT:
        return common(a, b);
    case IB_OP_SELECT:
        return common(b, c);
    case IB_OP_MUL:
        return product(a, b, 1);
    case IB_OP_DIV:
        return product(a, b, -1);
    case IB_OP_SQRT:
        return root(a);
    case IB_OP_ASIN:
    case IB_OP_ACOS:
    case IB_OP_ATAN:
    case IB_OP_ATAN2:
        return (dimension){UNIT, {0, 0, 1}};
    case IB_OP_SIN:
    case IB_OP_COS:
    case IB_OP_TAN:
    case IB_OP_SIGN:
        return plain;
    default:
        return unknown;
    }
}

static dimension of_node(const ib_model *m, const dimension *known, ib_node node) {
    const ib_op op = ib_graph_op_of(m->graph, node);
    dimension arguments[3] = {unknown, unknown, unknown};
    if (op == IB_OP_CONST)
        return (dimension){NUMBER, {0}};
    if (op == IB_OP_LEAF)
        return of_leaf(m, ib_graph_leaf_of(m->graph, node));
    for (unsigned k = 0; k < ib_op_arity(op); k++) {
        const ib_node child = ib_graph_child(m->graph, node, k);
        arguments[k] = known[child];
    }
    return of_operation(op, arguments[0], arguments[1], arguments[2]);
}

/* The unit as text: m, s and rad with exponents; "" when it is not known. */
static const char *unit_text(ib_loader *l, dimension d) {
    static const char *const symbols[] = {"m", "s", "rad"};
    ib_str text = {0};
    bool any = false;
    if (d.known != UNIT)
        return "";
    for (int below = 0; below < 2; below++) {
        for (int i = 0; i < N_BASE; i++) {
            const int e = below ? -d.e[i] : d.e[i];
            if (e <= 0)
                continue;
            /* 1/s, m/s^2, rad^2 m/s */
            const char *before = below ? (any ? "/" : "1/") : any ? " " : "";
            ib_str_printf(&text, e > 1 ? "%s%s^%d" : "%s%s", before, symbols[i], e);
            any = true;
        }
    }
    const char *unit = any && !text.failed ? ib_arena_strdup(l->arena, text.data) : "1";
    l->no_memory = l->no_memory || text.failed || !unit;
    ib_str_free(&text);
    return unit ? unit : "";
}

void ib_derive_units(ib_loader *l) {
    ib_model *m = l->model;
    const size_t n = ib_graph_size(m->graph);
    dimension *known = calloc(n + 1, sizeof *known);
    l->no_memory = l->no_memory || !known;
    for (size_t i = 0; known && i < n; i++)
        known[i] = of_node(m, known, (ib_node)i);
    for (size_t i = 0; known && i < m->n_outputs; i++) {
        const ib_node node = m->outputs[i].value.node;
        m->outputs[i].unit = node == IB_NO_NODE ? "" : unit_text(l, known[node]);
    }
    for (size_t i = 0; known && i < m->n_forces; i++) {
        const ib_node node = m->forces[i].command.node;
        if (m->forces[i].type == IB_FORCE_MOTOR)
            m->forces[i].unit = node == IB_NO_NODE ? "" : unit_text(l, known[node]);
    }
    free(known);
}
