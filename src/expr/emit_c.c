/* The graph as C: one statement an operation, the operations of the tape.
 *
 * The text of each operation is the expression of the one table (opcodes.def) with the operands
 * written in; leaves and constants appear where they are used. Compiled with contraction off it
 * gives the bits of the tape. No function head, no declarations beside the locals.
 */
#include "expr/expr_internal.h"

#include <stdio.h>

static const char *const expressions[] = {
#define IB_OPCODE(name, text, arity, expression) #expression,
#define IB_OPCODE_DATA(name, text, arity) "",
#include "expr/opcodes.def"
};

typedef struct emitter {
    const ib_graph *graph;
    const ib_reach *reach;
    const ib_emit_names *names;
    ib_str *text;
} emitter;

enum { OPERAND_SIZE = 128 };

/* A constant as C reads it: always a double, in parentheses when negative. */
static void write_constant(double value, char text[OPERAND_SIZE]) {
    char number[IB_NUMBER_SIZE];
    ib_number_text(value, number);
    const char *fraction = strpbrk(number, ".e") ? "" : ".0";
    snprintf(text, OPERAND_SIZE, value < 0 ? "(%s%s)" : "%s%s", number, fraction);
}

/* How a node is written as an operand. */
static const char *operand(const emitter *e, ib_node node, char text[OPERAND_SIZE]) {
    if (node == IB_NO_NODE)
        return "";
    const ib_graph_node n = e->graph->nodes[node];
    if (n.op == IB_OP_LEAF)
        return e->names->leaf(e->names->context, n.a, text, OPERAND_SIZE);
    if (n.op == IB_OP_CONST)
        write_constant(ib_node_value(n), text);
    else
        snprintf(text, OPERAND_SIZE, "v%u", (unsigned)e->reach->slot[node]);
    return text;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The table's expression with A, B, C (as whole words) replaced. */
static void add_expression(ib_str *text, const char *expression, const char *const operands[3]) {
    for (const char *c = expression; *c; c++) {
        const bool whole = (c == expression || !is_word(c[-1])) && !is_word(c[1]);
        if (whole && *c >= 'A' && *c <= 'C')
            ib_str_add(text, operands[*c - 'A']);
        else
            ib_str_add_char(text, *c);
    }
}

static void emit_curve(const emitter *e, size_t k) {
    const ib_graph_node n = e->graph->nodes[e->reach->order[k]];
    const ib_curve_use use = e->graph->curves[n.b];
    char name[OPERAND_SIZE], x[OPERAND_SIZE];
    e->names->curve(e->names->context, use.curve, name, sizeof name);
    ib_str_printf(e->text, "    const double v%u = ib_curve_eval(%s, %uu, %s);\n", (unsigned)k,
                  name, use.order, operand(e, n.a, x));
}

static void emit_table(const emitter *e, size_t k) {
    const ib_node node = e->reach->order[k];
    const ib_table_use use = e->graph->tables[e->graph->nodes[node].c];
    ib_node arguments[IB_TABLE_ARGUMENTS];
    char name[OPERAND_SIZE], x[OPERAND_SIZE];
    const unsigned n = ib_table_arguments(e->graph, node, arguments);
    e->names->table(e->names->context, use.table, name, sizeof name);
    ib_str_printf(e->text, "    const double v%u = ib_table_eval(%s, %luu, (const double[]){",
                  (unsigned)k, name, (unsigned long)use.orders);
    for (unsigned i = 0; i < n; i++)
        ib_str_printf(e->text, "%s%s", i > 0 ? ", " : "", operand(e, arguments[i], x));
    ib_str_add(e->text, "});\n");
}

static void emit_operation(const emitter *e, size_t k) {
    const ib_graph_node n = e->graph->nodes[e->reach->order[k]];
    char texts[3][OPERAND_SIZE];
    const unsigned arity = ib_op_arity((ib_op)n.op);
    const char *const operands[3] = {operand(e, n.a, texts[0]),
                                     arity > 1 ? operand(e, n.b, texts[1]) : "",
                                     arity > 2 ? operand(e, n.c, texts[2]) : ""};
    ib_str_printf(e->text, "    const double v%u = ", (unsigned)k);
    add_expression(e->text, expressions[n.op], operands);
    ib_str_add(e->text, ";\n");
}

/* Sine and cosine of one angle, at k and k + 1. */
static void emit_pair(const emitter *e, size_t k) {
    char text[OPERAND_SIZE];
    const char *angle = operand(e, e->graph->nodes[e->reach->order[k]].a, text);
    ib_str_printf(e->text, "    double v%u, v%u;\n    ib_sincos(%s, &v%u, &v%u);\n", (unsigned)k,
                  (unsigned)k + 1, angle, (unsigned)k, (unsigned)k + 1);
}

/* Writes order[k]; returns the index of what comes next. */
static size_t emit_next(const emitter *e, size_t k) {
    const uint32_t op = e->graph->nodes[e->reach->order[k]].op;
    if (ib_reach_is_pair(e->reach, e->graph, k)) {
        emit_pair(e, k);
        return k + 2;
    }
    if (op == IB_OP_CURVE)
        emit_curve(e, k);
    else if (op == IB_OP_TABLE)
        emit_table(e, k);
    else if (op != IB_OP_CONST && op != IB_OP_LEAF && op != IB_OP_JOIN)
        emit_operation(e, k);
    return k + 1;
}

static void emit_root(const emitter *e, size_t root, ib_node node) {
    char place[OPERAND_SIZE], value[OPERAND_SIZE];
    ib_str_printf(e->text,
                  "    %s = ", e->names->root(e->names->context, root, place, sizeof place));
    ib_str_printf(e->text, "%s;\n", operand(e, node, value));
}

static bool can_emit(const emitter *e) {
    for (size_t k = 0; k < e->reach->n; k++) {
        const ib_graph_node n = e->graph->nodes[e->reach->order[k]];
        if ((n.op == IB_OP_CURVE && !e->names->curve) ||
            (n.op == IB_OP_TABLE && !e->names->table) ||
            (n.op == IB_OP_CONST && !isfinite(ib_node_value(n))))
            return false;
    }
    return true;
}

static void emit_all(const emitter *e, const ib_node *roots, size_t n_roots, bool skip_zero) {
    size_t next = 0;
    for (size_t k = 0; k < n_roots; k++) {
        double value;
        if (roots[k] == IB_NO_NODE)
            continue;
        if (skip_zero && ib_graph_is_const(e->graph, roots[k], &value) && value == 0.0)
            continue;
        while (next <= e->reach->slot[roots[k]])
            next = emit_next(e, next);
        emit_root(e, k, roots[k]);
    }
}

ib_status ib_emit_c(const ib_graph *graph, const ib_node *roots, size_t n_roots,
                    const ib_emit_names *names, bool skip_zero, ib_str *text) {
    ib_reach reach = {0};
    const emitter e = {graph, &reach, names, text};
    ib_status status = IB_NO_MEMORY;
    if (ib_reach_collect(&reach, graph, roots, n_roots) && ib_reach_pair(&reach, graph)) {
        status = can_emit(&e) ? IB_OK : IB_UNSUPPORTED;
        if (status == IB_OK)
            emit_all(&e, roots, n_roots, skip_zero);
        if (text->failed)
            status = IB_NO_MEMORY;
    }
    ib_reach_free(&reach);
    return status;
}
