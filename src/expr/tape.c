/* The tape: roots compiled to one straight list of instructions, evaluated by one switch.
 *
 * Instructions are ordered into runs of one operation (schedule.c): one jump a run instead of one
 * an instruction. Instruction k leaves its value in work[k]. Operands say where they are: an
 * earlier result, a leaf or a constant; nothing is copied beforehand. Both branches of if_else are
 * evaluated (there are no jumps), one is taken. Nothing watches for NaN on the way: only when a
 * root is not finite are the values in `work` walked back, along the branches taken, to the
 * operation that failed.
 */
#include "expr/expr_internal.h"
#include "expr/native.h"

#include <stdio.h>
#include <stdlib.h>

/* Where an operand is: the two high bits. The rest is an index. */
enum { IN_WORK, IN_LEAVES, IN_CONSTANTS };
#define OPERAND(where, index) ((uint32_t)(where) << 30 | (index))
#define OPERAND_PLACE(operand) ((operand) >> 30)
#define OPERAND_INDEX(operand) ((operand) & ((UINT32_C(1) << 30) - 1))

/* Sine of a to work[k], cosine to work[k + 1]; the next instruction says the same of the cosine. */
enum { OP_SINCOS = IB_OP_COUNT };

typedef struct instruction {
    uint32_t op, a, b, c; /* CURVE: b is an index into curves; TABLE: c is one into calls */
} instruction;

/* A table with where its arguments are. */
typedef struct table_call {
    ib_table_use use;
    uint32_t operands[IB_TABLE_ARGUMENTS];
} table_call;

/* Instructions of one operation that follow each other. */
typedef struct run_of {
    uint32_t op, n;
} run_of;

struct ib_tape {
    instruction *code; /* [n] */
    size_t n;
    run_of *runs; /* [n_runs] */
    size_t n_runs;
    double *constants; /* [n_constants] */
    uint32_t *roots;   /* [n_roots] operands */
    size_t n_roots;
    ib_curve_use *curves; /* [of the graph] */
    table_call *calls;    /* [number of TABLE instructions] */
    size_t n_calls;
    ib_node *nodes;             /* [n_roots] what the roots are in the graph */
    ib_native_code native;      /* machine code of the same, or NULL */
    const ib_native_host *host; /* that it calls */
    const void *const *data;    /* that it refers to */
};

/* ---- compiling ------------------------------------------------------------------------------- */

/* Where each listed node will be found: `places` by slot. Returns false when the tape would be too
 * long for its operands. */
static bool place_operands(ib_tape *tape, const ib_graph *graph, const ib_reach *reach,
                           uint32_t *places) {
    uint32_t n_constants = 0, n_code = 0;
    if (reach->n >> 30)
        return false;
    for (size_t k = 0; k < reach->n; k++) {
        const ib_graph_node n = graph->nodes[reach->order[k]];
        if (n.op == IB_OP_CONST) {
            tape->constants[n_constants] = ib_node_value(n);
            places[k] = OPERAND(IN_CONSTANTS, n_constants++);
        } else if (n.op == IB_OP_LEAF) {
            if (n.a >> 30)
                return false;
            places[k] = OPERAND(IN_LEAVES, n.a);
        } else {
            places[k] = OPERAND(IN_WORK, n_code++);
        }
    }
    tape->n = n_code;
    return true;
}

static uint32_t write_call(ib_tape *tape, const ib_graph *graph, const ib_reach *reach,
                           const uint32_t *places, ib_node node) {
    table_call *call = &tape->calls[tape->n_calls];
    ib_node arguments[IB_TABLE_ARGUMENTS];
    const unsigned n = ib_table_arguments(graph, node, arguments);
    call->use = graph->tables[graph->nodes[node].c];
    for (unsigned k = 0; k < n; k++)
        call->operands[k] = places[reach->slot[arguments[k]]];
    return (uint32_t)tape->n_calls++;
}

static void write_code(ib_tape *tape, const ib_graph *graph, const ib_reach *reach,
                       const uint32_t *places) {
    instruction *next = tape->code;
    for (size_t k = 0; k < reach->n; k++) {
        const ib_graph_node n = graph->nodes[reach->order[k]];
        const unsigned arity = ib_op_arity((ib_op)n.op);
        if (arity == 0)
            continue;
        const bool second = k > 0 && ib_reach_is_pair(reach, graph, k - 1);
        next->op = second || ib_reach_is_pair(reach, graph, k) ? (uint32_t)OP_SINCOS : n.op;
        next->a = places[reach->slot[n.a]];
        next->b = n.op == IB_OP_CURVE ? n.b : arity > 1 ? places[reach->slot[n.b]] : 0;
        next->c = n.op == IB_OP_TABLE ? write_call(tape, graph, reach, places, reach->order[k])
                  : arity > 2         ? places[reach->slot[n.c]]
                                      : 0;
        next++;
    }
}

static void find_runs(ib_tape *tape) {
    for (size_t k = 0; k < tape->n; k++) {
        if (tape->n_runs == 0 || tape->runs[tape->n_runs - 1].op != tape->code[k].op)
            tape->runs[tape->n_runs++].op = tape->code[k].op;
        tape->runs[tape->n_runs - 1].n++;
    }
}

static size_t count_tables(const ib_graph *graph, const ib_reach *reach) {
    size_t n = 0;
    for (size_t k = 0; k < reach->n; k++)
        n += graph->nodes[reach->order[k]].op == IB_OP_TABLE;
    return n;
}

static bool allocate(ib_tape *tape, const ib_graph *graph, const ib_reach *reach, size_t n_roots) {
    const size_t n_nodes = reach->n;
    tape->code = calloc(n_nodes + 1, sizeof *tape->code);
    tape->runs = calloc(n_nodes + 1, sizeof *tape->runs);
    tape->constants = calloc(n_nodes + 1, sizeof *tape->constants);
    tape->roots = calloc(n_roots + 1, sizeof *tape->roots);
    tape->curves = calloc(graph->n_curves + 1, sizeof *tape->curves);
    tape->calls = calloc(count_tables(graph, reach) + 1, sizeof *tape->calls);
    tape->nodes = calloc(n_roots + 1, sizeof *tape->nodes);
    tape->n_roots = n_roots;
    return tape->code && tape->runs && tape->constants && tape->roots && tape->curves &&
           tape->calls && tape->nodes;
}

static bool compile(ib_tape *tape, const ib_graph *graph, const ib_reach *reach,
                    const ib_node *roots, uint32_t *places) {
    if (!places || !allocate(tape, graph, reach, tape->n_roots) ||
        !place_operands(tape, graph, reach, places))
        return false;
    write_code(tape, graph, reach, places);
    find_runs(tape);
    for (size_t k = 0; k < tape->n_roots; k++) {
        tape->nodes[k] = roots[k];
        tape->roots[k] = places[reach->slot[roots[k]]];
    }
    if (graph->n_curves)
        memcpy(tape->curves, graph->curves, graph->n_curves * sizeof *tape->curves);
    return true;
}

ib_tape *ib_tape_create(const ib_graph *graph, const ib_node *roots, size_t n_roots) {
    ib_reach reach = {0};
    uint32_t *places = NULL;
    ib_tape *tape = calloc(1, sizeof *tape);
    bool made = tape && !graph->failed;
    for (size_t k = 0; made && k < n_roots; k++)
        made = roots[k] != IB_NO_NODE;
    if (made && ib_reach_collect(&reach, graph, roots, n_roots) && ib_reach_pair(&reach, graph) &&
        ib_reach_group(&reach, graph)) {
        places = malloc((reach.n + 1) * sizeof *places);
        tape->n_roots = n_roots;
        made = compile(tape, graph, &reach, roots, places);
    } else {
        made = false;
    }
    free(places);
    ib_reach_free(&reach);
    if (made)
        return tape;
    ib_tape_destroy(tape);
    return NULL;
}

void ib_tape_destroy(ib_tape *tape) {
    if (!tape)
        return;
    free(tape->code);
    free(tape->runs);
    free(tape->constants);
    free(tape->roots);
    free(tape->curves);
    free(tape->calls);
    free(tape->nodes);
    free(tape);
}

size_t ib_tape_work_size(const ib_tape *tape) { return tape->n; }

const ib_node *ib_tape_nodes(const ib_tape *tape, size_t *n) {
    *n = tape->n_roots;
    return tape->nodes;
}

void ib_tape_use(ib_tape *tape, ib_native_code code, const ib_native_host *host,
                 const void *const *data) {
    tape->native = code;
    tape->host = host;
    tape->data = data;
}

/* ---- evaluating ------------------------------------------------------------------------------ */

static inline double read(const double *const places[3], uint32_t operand) {
    return places[OPERAND_PLACE(operand)][OPERAND_INDEX(operand)];
}

#define LOAD_1 const double A = read(places, in->a)
#define LOAD_2                                                                                     \
    LOAD_1;                                                                                        \
    const double B = read(places, in->b)
#define LOAD_3                                                                                     \
    LOAD_2;                                                                                        \
    const double C = read(places, in->c)

static double call_table(const ib_tape *tape, const double *const places[3], uint32_t index) {
    const table_call *call = &tape->calls[index];
    double x[IB_TABLE_ARGUMENTS] = {0};
    for (unsigned k = 0; k < ib_table_arity(call->use.table); k++)
        x[k] = read(places, call->operands[k]);
    return ib_table_eval(call->use.table, call->use.orders, x);
}

/* Runs the whole tape into work. The one long switch of the module. */
/* NOLINTNEXTLINE(readability-function-size) */
static void run(const ib_tape *tape, const double *const places[3], double *work) {
    const instruction *in = tape->code;
    for (size_t r = 0; r < tape->n_runs; r++) {
        const instruction *const end = in + tape->runs[r].n;
        switch (tape->runs[r].op) {
#define IB_OPCODE(name, text, arity, expression)                                                   \
    case IB_OP_##name:                                                                             \
        for (; in < end; in++) {                                                                   \
            LOAD_##arity;                                                                          \
            *work++ = expression;                                                                  \
        }                                                                                          \
        break;
#include "expr/opcodes.def"
        case IB_OP_CURVE:
            for (; in < end; in++)
                *work++ = ib_curve_eval(tape->curves[in->b].curve, tape->curves[in->b].order,
                                        read(places, in->a));
            break;
        case IB_OP_JOIN:
            for (; in < end; in++)
                *work++ = ib_join_value(read(places, in->a), read(places, in->b));
            break;
        case IB_OP_TABLE:
            for (; in < end; in++)
                *work++ = call_table(tape, places, in->c);
            break;
        case OP_SINCOS:
            for (; in < end; in += 2, work += 2)
                ib_sincos(read(places, in->a), &work[0], &work[1]);
            break;
        default:
            break;
        }
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* The operand of an instruction that is not finite and counts, or the instruction's own when the
 * arguments that count are all finite. */
static uint32_t culprit(const ib_tape *tape, const double *const places[3], uint32_t operand) {
    const instruction in = tape->code[OPERAND_INDEX(operand)];
    const unsigned arity = in.op == OP_SINCOS ? 1 : ib_op_arity((ib_op)in.op);
    if (!isfinite(read(places, in.a)))
        return in.a;
    if (in.op == IB_OP_SELECT)
        return read(places, in.a) != 0.0 ? in.b : in.c;
    if (arity > 1 && !isfinite(read(places, in.b)))
        return in.b;
    return operand;
}

/* Walks back from a value that is not finite. Arguments come before their users, so this ends. */
static void find_fault(const ib_tape *tape, const double *const places[3], uint32_t operand,
                       ib_fault *fault) {
    while (OPERAND_PLACE(operand) == IN_WORK) {
        const uint32_t next = culprit(tape, places, operand);
        if (next == operand)
            break;
        operand = next;
    }
    if (OPERAND_PLACE(operand) != IN_WORK) {
        fault->op = OPERAND_PLACE(operand) == IN_LEAVES ? IB_OP_LEAF : IB_OP_CONST;
        fault->a = read(places, operand);
        fault->b = 0.0;
        return;
    }
    const instruction in = tape->code[OPERAND_INDEX(operand)];
    fault->op = in.op == OP_SINCOS ? IB_OP_SIN : (ib_op)in.op;
    fault->a = read(places, in.a);
    fault->b = in.op != OP_SINCOS && ib_op_arity((ib_op)in.op) > 1 ? read(places, in.b) : 0.0;
}

const char *ib_fault_text(const ib_fault *fault, char text[IB_FAULT_TEXT]) {
    const char *name = ib_op_text(fault->op);
    const bool word = name[0] >= 'a' && name[0] <= 'z';
    if (ib_op_arity(fault->op) < 2)
        snprintf(text, IB_FAULT_TEXT, "%s of %.9g", name, fault->a);
    else if (word)
        snprintf(text, IB_FAULT_TEXT, "%s of %.9g and %.9g", name, fault->a, fault->b);
    else
        snprintf(text, IB_FAULT_TEXT, "%.9g %s %.9g", fault->a, name, fault->b);
    return text;
}

/* True when every root has a value. */
static bool eval_native(const ib_tape *tape, const double *leaves, double *out) {
    double sum = 0;
    tape->native(tape->host, tape->data, leaves, out);
    for (size_t k = 0; k < tape->n_roots; k++)
        sum += out[k] - out[k];
    return sum == 0;
}

bool ib_tape_eval(const ib_tape *tape, const double *leaves, double *work, double *out,
                  ib_fault *fault) {
    if (tape->native && eval_native(tape, leaves, out))
        return true;
    const double *const places[3] = {work, leaves, tape->constants};
    size_t bad = tape->n_roots;
    run(tape, places, work);
    for (size_t k = tape->n_roots; k-- > 0;) {
        out[k] = read(places, tape->roots[k]);
        if (!isfinite(out[k]))
            bad = k;
    }
    if (bad == tape->n_roots)
        return true;
    if (fault) {
        fault->root = bad;
        find_fault(tape, places, tape->roots[bad], fault);
    }
    return false;
}
