/* Formulas: expressions over channels, evaluated row by row on one tape.
 *
 * Leaf 0 is time, leaf 1 + i channel i: a row is a list of leaves as it comes. Measures, inputs and
 * splines of the model are not known here.
 */
#include "results_internal.h"

#include "expr/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ib_formulas {
    ib_arena *arena;
    ib_graph *graph;
    const char **names; /* of the channels: [n_channels] */
    const char **units; /* of the channels */
    size_t n_channels;
    const ib_results *results; /* while parsing */
    size_t n;
    const char **texts;
    ib_node *nodes;
    const char **result_units;
    ib_tape **tapes; /* one each, so that a value that does not exist spoils only its own formula;
                        NULL for a bare channel, which keeps its infinities */
    double *work;
};

/* An output may be named without its `.value`. */
static ib_handle output_channel(const ib_formulas *formulas, const char *name) {
    ib_str full = {0};
    ib_str_add(&full, name);
    ib_str_add(&full, ".value");
    const ib_handle channel = full.failed ? -1 : ib_results_channel(formulas->results, full.data);
    ib_str_free(&full);
    return channel;
}

static ib_symbol find_channel(void *context, const char *name) {
    const ib_formulas *formulas = context;
    ib_handle channel = ib_results_channel(formulas->results, name);
    if (channel < 0)
        channel = output_channel(formulas, name);
    if (channel < 0)
        return (ib_symbol){.kind = IB_SYMBOL_NONE};
    return (ib_symbol){.kind = IB_SYMBOL_NODE,
                       .node = ib_graph_leaf(formulas->graph, (uint32_t)channel + 1)};
}

/* ---- units --------------------------------------------------------------------------------- */

/* The unit of a node from those of its children, in the order of the graph. NULL: a bare number,
 * which fits any unit in a sum; "": not known. */
static const char *unit_of(const ib_formulas *formulas, ib_node node, const char *const *units) {
    const ib_graph *graph = formulas->graph;
    const ib_node a = ib_graph_child(graph, node, 0), b = ib_graph_child(graph, node, 1);
    const ib_node c = ib_graph_child(graph, node, 2);
    switch (ib_graph_op_of(graph, node)) {
    case IB_OP_CONST:
        return NULL;
    case IB_OP_LEAF: {
        const uint32_t leaf = ib_graph_leaf_of(graph, node);
        return leaf == 0 ? "s" : formulas->units[leaf - 1];
    }
    case IB_OP_NEG:
    case IB_OP_ABS:
    case IB_OP_FLOOR:
    case IB_OP_CEIL:
        return units[a];
    case IB_OP_ADD:
    case IB_OP_SUB:
    case IB_OP_MIN:
    case IB_OP_MAX:
    case IB_OP_HYPOT:
    case IB_OP_MOD:
        break;
    case IB_OP_SELECT:
        return units[b] && units[c] && strcmp(units[b], units[c]) == 0 ? units[b] : "";
    default:
        return "";
    }
    if (!units[a] || !units[b])
        return units[a] ? units[a] : units[b];
    return strcmp(units[a], units[b]) == 0 ? units[a] : "";
}

static bool find_units(ib_formulas *formulas) {
    const size_t n_nodes = ib_graph_size(formulas->graph);
    const char **units = calloc(n_nodes + 1, sizeof *units);
    if (!units)
        return false;
    for (size_t i = 0; i < n_nodes; i++)
        units[i] = unit_of(formulas, (ib_node)i, units);
    for (size_t i = 0; i < formulas->n; i++) {
        const char *unit = units[formulas->nodes[i]];
        formulas->result_units[i] = unit ? unit : "";
    }
    free(units);
    return true;
}

/* ---- parsing ------------------------------------------------------------------------------- */

typedef struct place_context {
    const char *name;
} place_context;

static ib_place place_in_text(void *context, size_t offset, size_t length) {
    const place_context *where = context;
    return (ib_place){where->name, 1, (uint32_t)offset + 1, (uint32_t)(length ? length : 1)};
}

static ib_status parse_one(ib_formulas *formulas, size_t index, ib_diags *diags) {
    /* A name is a channel, whatever it would mean as an expression. */
    const ib_symbol channel = find_channel(formulas, formulas->texts[index]);
    if (channel.kind == IB_SYMBOL_NODE) {
        formulas->nodes[index] = channel.node;
        return IB_OK;
    }
    const ib_scope scope = {formulas, find_channel, formulas->names, formulas->n_channels,
                            ib_graph_leaf(formulas->graph, 0)};
    const char *source = formulas->texts[index];
    const char *name = ib_arena_printf(formulas->arena, "formula %zu", index + 1);
    if (!name)
        return ib_diags_no_memory(diags);
    place_context where = {ib_diags_file(diags, name)};
    ib_diags_source(diags, name, source, strlen(source));
    const ib_text text = {source, strlen(source), &where, place_in_text};
    formulas->nodes[index] = ib_expr_parse(formulas->graph, &scope, &text, diags, NULL);
    if (ib_graph_failed(formulas->graph))
        return ib_diags_no_memory(diags);
    return formulas->nodes[index] == IB_NO_NODE ? IB_BAD_INPUT : IB_OK;
}

static ib_status parse_all(ib_formulas *formulas, ib_diags *diags) {
    ib_status result = IB_OK;
    for (size_t i = 0; i < formulas->n; i++) {
        const ib_status status = parse_one(formulas, i, diags);
        if (status == IB_NO_MEMORY)
            return status;
        if (status != IB_OK)
            result = status;
    }
    return result;
}

static bool make_tapes(ib_formulas *formulas) {
    size_t largest = 1;
    for (size_t i = 0; i < formulas->n; i++) {
        if (ib_graph_op_of(formulas->graph, formulas->nodes[i]) == IB_OP_LEAF)
            continue;
        formulas->tapes[i] = ib_tape_create(formulas->graph, &formulas->nodes[i], 1);
        if (!formulas->tapes[i])
            return false;
        const size_t size = ib_tape_work_size(formulas->tapes[i]);
        largest = size > largest ? size : largest;
    }
    formulas->work = calloc(largest, sizeof *formulas->work);
    return formulas->work && find_units(formulas);
}

/* ---- the object ---------------------------------------------------------------------------- */

static bool copy_channels(ib_formulas *formulas, const ib_results *results) {
    for (size_t i = 0; i < formulas->n_channels; i++) {
        const ib_channel_info channel = ib_results_channel_info(results, (ib_handle)i);
        formulas->names[i] = ib_arena_strdup(formulas->arena, channel.name);
        formulas->units[i] = ib_arena_strdup(formulas->arena, channel.unit ? channel.unit : "");
        if (!formulas->names[i] || !formulas->units[i])
            return false;
    }
    return true;
}

static bool allocate(ib_formulas *formulas, const ib_results *results, const char *const *texts,
                     size_t n) {
    ib_arena *arena = formulas->arena = ib_arena_create();
    formulas->graph = ib_graph_create();
    if (!arena || !formulas->graph)
        return false;
    formulas->n = n;
    formulas->n_channels = ib_results_channel_count(results);
    formulas->names = IB_ARENA_ARRAY(arena, formulas->n_channels + 1, const char *);
    formulas->units = IB_ARENA_ARRAY(arena, formulas->n_channels + 1, const char *);
    formulas->texts = IB_ARENA_ARRAY(arena, n + 1, const char *);
    formulas->result_units = IB_ARENA_ARRAY(arena, n + 1, const char *);
    formulas->nodes = IB_ARENA_ARRAY(arena, n + 1, ib_node);
    formulas->tapes = IB_ARENA_ARRAY(arena, n + 1, ib_tape *);
    if (!formulas->names || !formulas->units || !formulas->texts || !formulas->result_units ||
        !formulas->nodes || !formulas->tapes)
        return false;
    for (size_t i = 0; i < n; i++) {
        formulas->texts[i] = ib_arena_strdup(arena, texts[i]);
        if (!formulas->texts[i])
            return false;
    }
    return copy_channels(formulas, results);
}

ib_status ib_formulas_create(const ib_results *results, const char *const *texts, size_t n_texts,
                             ib_diags *diags, ib_formulas **result) {
    *result = NULL;
    ib_formulas *formulas = calloc(1, sizeof *formulas);
    if (!formulas)
        return ib_diags_no_memory(diags);
    ib_status status = IB_NO_MEMORY;
    if (!allocate(formulas, results, texts, n_texts)) {
        ib_diags_no_memory(diags);
    } else {
        formulas->results = results;
        status = parse_all(formulas, diags);
        formulas->results = NULL;
    }
    if (status == IB_OK && !make_tapes(formulas))
        status = ib_diags_no_memory(diags);
    if (status == IB_OK)
        *result = formulas;
    else
        ib_formulas_destroy(formulas);
    return status;
}

void ib_formulas_destroy(ib_formulas *formulas) {
    if (!formulas)
        return;
    for (size_t i = 0; formulas->tapes && i < formulas->n; i++)
        ib_tape_destroy(formulas->tapes[i]);
    free(formulas->work);
    ib_graph_destroy(formulas->graph);
    ib_arena_destroy(formulas->arena);
    free(formulas);
}

size_t ib_formulas_count(const ib_formulas *formulas) { return formulas->n; }

const char *ib_formulas_text(const ib_formulas *formulas, size_t index) {
    return formulas->texts[index];
}

const char *ib_formulas_unit(const ib_formulas *formulas, size_t index) {
    return formulas->result_units[index];
}

void ib_formulas_channels(const ib_formulas *formulas, bool *wanted) {
    const size_t n_leaves = formulas->n_channels + 1;
    bool *used = calloc(n_leaves, sizeof *used);
    bool known = used;
    for (size_t i = 0; known && i < formulas->n; i++)
        known = ib_graph_depends(formulas->graph, formulas->nodes[i], used, n_leaves);
    /* Out of memory: all of them, which is slower and right. */
    for (size_t i = 0; i < formulas->n_channels; i++)
        wanted[i] = !known || used[i + 1];
    free(used);
}

void ib_formulas_eval(ib_formulas *formulas, const double *row, double *values) {
    for (size_t i = 0; i < formulas->n; i++)
        if (!formulas->tapes[i])
            values[i] = row[ib_graph_leaf_of(formulas->graph, formulas->nodes[i])];
        else if (!ib_tape_eval(formulas->tapes[i], row, formulas->work, &values[i], NULL))
            values[i] = (double)NAN;
}
