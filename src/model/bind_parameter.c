/* bind_parameter: parameters in the order in which they need each other, then runtime inputs.
 *
 * The names in a parameter's expression give a graph; a depth-first walk with a stack of its own
 * finds an order or a cycle, whatever the number of parameters.
 */
#include "model/model_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum visit { NOT_SEEN, ON_STACK, DONE } visit;

/* One parameter under way: its expression and how far its names were followed. */
typedef struct step {
    size_t parameter;
    size_t at;
} step;

typedef struct walk {
    ib_loader *l;
    ib_yaml **values;        /* of each parameter: from its file, an including one, or --set */
    ib_document **documents; /* whose names it uses */
    visit *state;
    step *stack;
    size_t n, n_done;
    ib_str name; /* the one that is looked up */
} walk;

/* ---- names in an expression ---- */

static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

/* Bytes of the number at the start of the text, at least 1. */
static size_t skip_number(const char *text) {
    double value;
    const size_t n = ib_number_parse(text, strlen(text), &value);
    return n > 0 ? n : 1;
}

static size_t skip_quoted(const char *text) {
    const char *end = strchr(text + 1, text[0]);
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* The next name in the text from *at on; false at its end. */
static bool next_name(const char *text, size_t *at, size_t *start, size_t *length) {
    size_t i = *at;
    while (text[i] != '\0') {
        if ((text[i] >= '0' && text[i] <= '9') || text[i] == '.') {
            i += skip_number(text + i);
        } else if (text[i] == '"' || text[i] == '\'') {
            i += skip_quoted(text + i);
        } else if (text[i] == '#') {
            i += strcspn(text + i, "\n");
        } else if (is_name_character(text[i])) {
            *start = i;
            while (is_name_character(text[i]))
                i++;
            *length = i - *start;
            *at = i;
            return true;
        } else {
            i++;
        }
    }
    return false;
}

/* The next parameter that the expression needs; SIZE_MAX at its end. */
static size_t next_needed(walk *w, step *s) {
    const ib_yaml *value = w->values[s->parameter];
    const char *text = value->kind == IB_YAML_SCALAR ? value->text : NULL;
    size_t start = 0;
    size_t length = 0;
    ib_enter(w->l, w->documents[s->parameter]);
    while (text && next_name(text, &s->at, &start, &length)) {
        ib_str_clear(&w->name);
        ib_str_add_n(&w->name, text + start, length);
        if (w->name.failed) {
            w->l->no_memory = true;
            break;
        }
        const size_t index = ib_find_name(w->l, &w->l->quantity_names, w->name.data);
        if (index != SIZE_MAX && w->l->quantities[index].kind == IB_QUANTITY_PARAMETER)
            return w->l->quantities[index].index;
    }
    return SIZE_MAX;
}

/* ---- values ---- */

static void evaluate(const walk *w, size_t index) {
    ib_loader *l = w->l;
    ib_parameter *parameter = &l->model->parameters[index];
    ib_enter(l, w->documents[index]);
    if (l->parameter_bad[index] ||
        !ib_read_number(l, parameter->name, w->values[index], IB_DIM_ANY, &parameter->value)) {
        l->parameter_bad[index] = true;
        parameter->value = 1;
    }
    l->model->definitions[index] = ib_tracked_node(l, &parameter->value);
}

/* The parameters from where `first` is on the stack to its top need each other. */
static void report_cycle(const walk *w, size_t first) {
    ib_loader *l = w->l;
    ib_str chain = {0};
    size_t start = w->n - 1;
    while (w->stack[start].parameter != first)
        start--;
    for (size_t i = start; i < w->n; i++) {
        const size_t parameter = w->stack[i].parameter;
        ib_str_printf(&chain, "%s -> ", l->model->parameters[parameter].name);
        l->parameter_bad[parameter] = true;
    }
    ib_str_add(&chain, l->model->parameters[first].name);
    if (chain.failed)
        l->no_memory = true;
    else
        ib_report_place(l, IB0305, l->model->parameters[first].place,
                        "parameters that define each other: %s", chain.data);
    ib_str_free(&chain);
}

/* Evaluates a parameter after all that it needs. */
static void visit_from(walk *w, size_t root) {
    if (w->state[root] != NOT_SEEN)
        return;
    w->state[root] = ON_STACK;
    w->stack[w->n++] = (step){.parameter = root};
    while (w->n > 0) {
        step *top = &w->stack[w->n - 1];
        const size_t needed = next_needed(w, top);
        if (needed == SIZE_MAX) {
            evaluate(w, top->parameter);
            w->l->model->parameter_order[w->n_done++] = top->parameter;
            w->state[top->parameter] = DONE;
            w->n--;
        } else if (w->state[needed] == NOT_SEEN) {
            w->state[needed] = ON_STACK;
            w->stack[w->n++] = (step){.parameter = needed};
        } else if (w->state[needed] == ON_STACK) {
            report_cycle(w, needed);
        }
    }
}

/* ---- values from outside ---- */

static void take_overrides(walk *w) {
    ib_loader *l = w->l;
    for (size_t i = 0; i < l->n_overrides; i++) {
        const ib_override *o = &l->overrides[i];
        ib_yaml_entry entry;
        if (ib_override_setting(o))
            continue;
        const size_t index = ib_names_find(l->quantity_names.names, o->name);
        if (index == SIZE_MAX || l->quantities[index].kind != IB_QUANTITY_PARAMETER) {
            ib_override_refuse(l, o);
            continue;
        }
        const size_t parameter = l->quantities[index].index;
        w->documents[parameter] = l->documents[0];
        if (ib_override_entry(l, o, &entry))
            w->values[parameter] = entry.value;
    }
}

/* ---- values from including files ---- */

/* The parameter of an included file that a name there means, or SIZE_MAX once it was said why not.
 */
static size_t find_passed(ib_loader *l, const ib_document *document, ib_yaml *name) {
    const char *full = ib_arena_printf(l->arena, "%s%s", document->prefix, name->text);
    l->no_memory = l->no_memory || !full;
    const size_t index = full ? ib_names_find(l->quantity_names.names, full) : SIZE_MAX;
    if (index != SIZE_MAX && l->quantities[index].kind == IB_QUANTITY_PARAMETER)
        return l->quantities[index].index;
    const bool added = ib_report(l, IB0322, name, "parameters: '%s' has no parameter '%s'",
                                 document->file->source.file, name->text);
    if (added && index != SIZE_MAX) {
        ib_diags_note(l->diags, l->quantities[index].place, "this is no parameter");
    } else if (added) {
        const ib_yaml *own = document->sections[IB_KEY_top_parameters];
        const char **names = IB_ARENA_ARRAY(l->arena, own ? own->n : 0, const char *);
        for (size_t i = 0; names && own && i < own->n; i++)
            names[i] = own->entries[i].key->text;
        if (names && own)
            ib_suggest_name(l, name->text, names, own->n);
    }
    return SIZE_MAX;
}

static void take_passed(walk *w, const ib_document *document) {
    ib_loader *l = w->l;
    ib_yaml *map = document->parent ? ib_yaml_get(document->map, "parameters") : NULL;
    if (!map || ib_is_null(map))
        return;
    ib_enter(l, document->parent);
    if (map->kind != IB_YAML_MAP) {
        ib_report_kind(l, "parameters", map, "a map");
        return;
    }
    for (size_t i = 0; i < map->n; i++) {
        const size_t parameter = find_passed(l, document, map->entries[i].key);
        if (parameter == SIZE_MAX)
            continue;
        w->values[parameter] = map->entries[i].value;
        w->documents[parameter] = document->parent;
    }
}

static bool open_walk(walk *w) {
    const size_t n = w->l->model->n_parameters;
    w->values = calloc(n + 1, sizeof(ib_yaml *));
    w->documents = calloc(n + 1, sizeof(ib_document *));
    w->state = calloc(n + 1, sizeof(*w->state));
    w->stack = calloc(n + 1, sizeof(*w->stack));
    return w->values && w->documents && w->state && w->stack;
}

static void close_walk(walk *w) {
    free(w->values);
    free(w->documents);
    free(w->state);
    free(w->stack);
    ib_str_free(&w->name);
}

/* The values that the files themselves give. */
static void take_own(walk *w) {
    ib_loader *l = w->l;
    for (size_t i = 0; i < l->model->n_parameters; i++) {
        const ib_yaml_entry *entry = ib_section_entry(l, IB_KEY_top_parameters, i);
        l->model->parameters[i].name = entry->key->text;
        l->model->parameters[i].place = ib_node_place(l, entry->key);
        w->values[i] = entry->value;
        w->documents[i] = l->document;
    }
}

void ib_bind_parameters(ib_loader *l) {
    walk w = {.l = l};
    if (open_walk(&w)) {
        take_own(&w);
        for (size_t i = 0; i < l->n_documents; i++)
            take_passed(&w, l->documents[i]);
        ib_enter(l, l->documents[0]);
        take_overrides(&w);
        for (size_t i = 0; i < l->model->n_parameters && ib_going_on(l); i++)
            visit_from(&w, i);
    } else {
        l->no_memory = true;
    }
    close_walk(&w);
}

/* ---- runtime inputs ---- */

static void bind_input(ib_loader *l, const ib_yaml_entry *entry, ib_input *input) {
    ib_record r;
    *input = (ib_input){.name = entry->key->text,
                        .min = -(double)INFINITY,
                        .max = (double)INFINITY,
                        .place = ib_node_place(l, entry->key)};
    if (entry->value->kind != IB_YAML_MAP) {
        ib_read_number(l, input->name, entry->value, IB_DIM_ANY, &input->start);
        return;
    }
    if (!ib_record_open(l, IB_SECTION_input, entry->key, entry->value, &r))
        return;
    ib_record_read(l, &r, input);
    if (r.bad[IB_KEY_input_start] || r.bad[IB_KEY_input_min] || r.bad[IB_KEY_input_max])
        return;
    if (input->min > input->max)
        ib_report(l, IB0606, r.given[IB_KEY_input_max], "max: the limits of '%s' are crossed",
                  input->name);
    else if (input->start < input->min || input->start > input->max)
        ib_report_place(l, IB0606, input->place, "the start value of '%s' is outside its limits",
                        input->name);
}

void ib_bind_inputs(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_inputs && ib_going_on(l); i++)
        bind_input(l, ib_section_entry(l, IB_KEY_top_inputs, i), &l->model->inputs[i]);
}
