/* override: values from outside - parameters, by `--set`, and settings of the simulation.
 *
 * A value counts as a file of its own that is called after the option, so that a mistake in it is
 * shown like any other. A name that is no parameter's is told what it is, and what to do instead.
 */
#include "model/model_internal.h"

#include <string.h>

static const char settings_prefix[] = "simulation.";

const char *ib_override_setting(const ib_override *o) {
    const size_t n = sizeof(settings_prefix) - 1;
    return strncmp(o->name, settings_prefix, n) == 0 ? o->name + n : NULL;
}

/* Some settings have options of their own. */
static bool has_option(const char *setting) {
    static const char *const options[] = {"solver", "rtol", "step"};
    for (size_t i = 0; setting && i < IB_COUNT(options); i++) {
        if (strcmp(setting, options[i]) == 0)
            return true;
    }
    return false;
}

/* A part of the text as a node of its own. */
static void make_node(const ib_source *source, size_t start, size_t end, ib_yaml *node) {
    const ib_place place = ib_source_place(source, start, end);
    *node = (ib_yaml){.kind = IB_YAML_SCALAR,
                      .source = source,
                      .start = start,
                      .end = end,
                      .text = source->text + start,
                      .length = end - start,
                      .line = place.line,
                      .column = place.column,
                      .width = place.length};
}

bool ib_override_entry(ib_loader *l, const ib_override *o, ib_yaml_entry *entry) {
    const char *setting = ib_override_setting(o);
    const bool option = has_option(setting);
    const char *name = option ? setting : o->name;
    const char *file = ib_arena_printf(l->arena, option ? "--%s" : "--set %s", name);
    const char *text = ib_arena_printf(l->arena, "%s=%s", name, o->value);
    const size_t length = strlen(name), skipped = option ? 0 : sizeof(settings_prefix) - 1;
    ib_source *source = IB_ARENA_NEW(l->arena, ib_source);
    entry->key = IB_ARENA_NEW(l->arena, ib_yaml);
    entry->value = IB_ARENA_NEW(l->arena, ib_yaml);
    if (!file || !text || !source || !entry->key || !entry->value ||
        !ib_source_create(l->arena, file, text, strlen(text), source)) {
        l->no_memory = true;
        return false;
    }
    ib_diags_source(l->diags, file, text, source->length);
    make_node(source, setting ? skipped : 0, length, entry->key);
    make_node(source, length + 1, source->length, entry->value);
    entry->key->text = setting ? setting : o->name;
    return true;
}

/* ---- names that are no parameters ---- */

static const char *quantity_what(ib_quantity_kind kind) {
    switch (kind) {
    case IB_QUANTITY_INPUT:
        return "a runtime input";
    case IB_QUANTITY_MEASURE:
        return "a measure";
    case IB_QUANTITY_MOTOR:
        return "a motor";
    case IB_QUANTITY_SPLINE:
        return "a spline";
    case IB_QUANTITY_TABLE:
        return "a table";
    case IB_QUANTITY_PARAMETER:
        break;
    }
    return "a parameter";
}

/* The section that declares a name which expressions do not use, with where; NULL when none does.
 */
static const char *find_element(ib_loader *l, const char *name, ib_place *place) {
    static const ib_key sections[] = {IB_KEY_top_bodies,  IB_KEY_top_joints,  IB_KEY_top_forces,
                                      IB_KEY_top_drivers, IB_KEY_top_outputs, IB_KEY_top_sensors,
                                      IB_KEY_top_points,  IB_KEY_top_frames};
    static const char *const what[] = {"a body",    "a joint",  "a force", "a driver",
                                       "an output", "a sensor", "a point", "a frame"};
    for (size_t k = 0; k < IB_COUNT(sections); k++) {
        for (size_t i = 0; i < ib_section_size(l, sections[k]); i++) {
            const ib_yaml *key = ib_section_entry(l, sections[k], i)->key;
            if (strcmp(key->text, name) != 0)
                continue;
            *place = ib_node_place(l, key);
            return what[k];
        }
    }
    return NULL;
}

static void refuse_quantity(ib_loader *l, ib_place place, const char *name, size_t index) {
    const ib_quantity *quantity = &l->quantities[index];
    if (!ib_report_place(l, IB0314, place, "'%s' is %s, not a parameter, so it cannot be set", name,
                         quantity_what(quantity->kind)))
        return;
    if (quantity->kind == IB_QUANTITY_INPUT)
        ib_diags_suggest(l->diags, "a table given to --input moves it, and inputs: has its start");
    else if (quantity->kind == IB_QUANTITY_MEASURE)
        ib_diags_suggest(l->diags, "it follows from the state");
    else
        ib_diags_suggest(l->diags,
                         "its numbers may be expressions of parameters, which can be set");
    ib_diags_note(l->diags, quantity->place, "declared here");
}

/* A name behind that of its section, as in `bodies.wheel.mass`. */
static const char *skip_section(const char *name) {
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        const size_t n = strlen(ib_keys[i].name);
        if (ib_keys[i].section == IB_SECTION_top && strncmp(name, ib_keys[i].name, n) == 0 &&
            name[n] == '.')
            return name + n + 1;
    }
    return name;
}

/* `spring`, or `spring.stiffness`: a number of an element is set through a parameter. */
static bool refuse_element(ib_loader *l, ib_place place, const char *name) {
    ib_place declared;
    name = skip_section(name);
    const char *what = find_element(l, name, &declared);
    const char *dot = strrchr(name, '.');
    const char *key = "mass";
    const char *owner = name;
    if (!what && dot) {
        owner = ib_arena_strndup(l->arena, name, (size_t)(dot - name));
        key = dot + 1;
        what = owner ? find_element(l, owner, &declared) : NULL;
    }
    ib_enter(l, l->documents[0]);
    if (!what)
        return false;
    if (!ib_report_place(l, IB0314, place, "'%s' is %s, not a parameter, so it cannot be set",
                         owner, what))
        return true;
    if (owner != name)
        ib_diags_suggest(l->diags, "write '%s: p' there with p under parameters, and set that",
                         key);
    else
        ib_diags_suggest(l->diags,
                         "its numbers may be expressions of parameters, which can be set");
    ib_diags_note(l->diags, declared, "declared here");
    return true;
}

void ib_override_refuse(ib_loader *l, const ib_override *o) {
    ib_yaml_entry entry;
    if (!ib_override_entry(l, o, &entry))
        return;
    const ib_place place = ib_node_place(l, entry.key);
    const size_t index = ib_names_find(l->quantity_names.names, o->name);
    if (index != SIZE_MAX) {
        refuse_quantity(l, place, o->name, index);
        return;
    }
    if (refuse_element(l, place, o->name))
        return;
    const size_t n = l->model->n_parameters;
    const char **names = IB_ARENA_ARRAY(l->arena, n, const char *);
    for (size_t i = 0; names && i < n; i++)
        names[i] = l->model->parameters[i].name;
    if (!ib_report_place(l, IB0314, place, "there is no parameter '%s'", o->name) || !names)
        return;
    if (!ib_suggest_name(l, o->name, names, n) && n == 0)
        ib_diags_suggest(l->diags, "the model has no parameters");
}
