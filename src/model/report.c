/* report: diagnostics with the place of a node, one for each node, and not without end. */
#include "model/model_internal.h"

#include <stdarg.h>
#include <string.h>

const ib_source *ib_node_source(const ib_loader *l, const ib_yaml *node) {
    return node->source ? node->source : &l->source;
}

ib_place ib_node_place(const ib_loader *l, const ib_yaml *node) {
    return ib_yaml_place(ib_node_source(l, node), node);
}

bool ib_going_on(ib_loader *l) {
    if (l->truncated || l->no_memory)
        return false;
    if (l->diags && ib_diags_errors(l->diags) - l->n_errors_before < IB_ERROR_LIMIT)
        return true;
    if (!l->diags)
        return true;
    l->truncated = true;
    ib_diags_add(l->diags, IB_ERROR, IB0220, (ib_place){l->source.file, 1, 1, 1},
                 "more than %d errors in this file; the rest is not shown", IB_ERROR_LIMIT);
    return false;
}

/* True when the same was said about the same place of a file that is included more than once. */
static bool was_said(const ib_loader *l, ib_diag_id id, ib_place place) {
    const char *name = ib_diag_name(id);
    if (!l->document || !l->document->repeated || !place.file)
        return false;
    for (size_t i = 0; i < ib_diags_count(l->diags); i++) {
        const ib_diag *d = ib_diags_at(l->diags, i);
        if (d->place.line == place.line && d->place.column == place.column &&
            strcmp(d->id, name) == 0 && d->place.file && strcmp(d->place.file, place.file) == 0)
            return true;
    }
    return false;
}

static bool add(ib_loader *l, ib_diag_id id, ib_place place, const char *format,
                va_list arguments) {
    if (!ib_going_on(l) || was_said(l, id, place))
        return false;
    char *message = ib_arena_vprintf(l->arena, format, arguments);
    if (message)
        ib_diags_add(l->diags, IB_ERROR, id, place, "%s", message);
    else
        l->no_memory = true;
    return message != NULL;
}

bool ib_report(ib_loader *l, ib_diag_id id, ib_yaml *node, const char *format, ...) {
    if (node->reported)
        return false;
    node->reported = true;
    va_list arguments;
    va_start(arguments, format);
    const bool added = add(l, id, ib_node_place(l, node), format, arguments);
    va_end(arguments);
    return added;
}

bool ib_report_part(ib_loader *l, ib_diag_id id, ib_yaml *node, size_t offset, size_t length,
                    const char *format, ...) {
    if (node->reported)
        return false;
    node->reported = true;
    va_list arguments;
    va_start(arguments, format);
    const bool added = add(l, id, ib_marks_place(ib_node_source(l, node), node, offset, length),
                           format, arguments);
    va_end(arguments);
    return added;
}

bool ib_report_place(ib_loader *l, ib_diag_id id, ib_place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const bool added = add(l, id, place, format, arguments);
    va_end(arguments);
    return added;
}

const char *ib_describe_node(const ib_yaml *node) {
    double value;
    bool is_integer;
    if (node->kind == IB_YAML_LIST)
        return "a list";
    if (node->kind == IB_YAML_MAP)
        return "a map";
    switch (ib_yaml_scalar_type(node, &value, &is_integer)) {
    case IB_YAML_NULL:
        return "nothing";
    case IB_YAML_BOOL:
        return value > 0 ? "'true'" : "'false'";
    case IB_YAML_NUMBER:
        return is_integer ? "a whole number" : "a number";
    case IB_YAML_NOT_FINITE:
        return "a number that is not finite";
    default:
        return "a text";
    }
}

bool ib_report_kind(ib_loader *l, const char *key, ib_yaml *node, const char *wanted) {
    return ib_report(l, IB0212, node, "%s: %s is wanted here, not %s", key, wanted,
                     ib_describe_node(node));
}

void ib_suggest_known(ib_loader *l, const char *wanted, const ib_registry *registry) {
    size_t n = 0;
    const char *const *names = ib_own_names(l, registry, &n);
    ib_suggest_name(l, wanted, names, n);
}

const char *ib_suggest_name(ib_loader *l, const char *wanted, const char *const *names, size_t n) {
    if (n > l->suggestion_budget) {
        l->suggestion_budget = 0;
        return NULL;
    }
    l->suggestion_budget -= n;
    const char *nearest = ib_nearest_name(wanted, names, n);
    if (nearest)
        ib_diags_suggest(l->diags, "did you mean '%s'?", nearest);
    return nearest;
}
