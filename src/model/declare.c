/* declare: every named thing of all files gets its number before anything is read.
 *
 * A body that cannot be read still counts as a name, so that nothing that refers to it is wrong,
 * too.
 */
#include "model/model_internal.h"

#include <stdlib.h>
#include <string.h>

size_t ib_section_size(const ib_loader *l, ib_key section) { return l->entries[section].n; }

const ib_yaml_entry *ib_section_entry(ib_loader *l, ib_key section, size_t index) {
    ib_enter(l, l->entries[section].documents[index]);
    return &l->entries[section].entries[index];
}

/* ---- sections ---- */

/* The maps at the top of the present document. */
static void find_sections(ib_loader *l) {
    const ib_yaml *root = l->document->file->root;
    for (size_t i = 0; i < root->n; i++) {
        const ib_yaml_entry entry = root->entries[i];
        const ib_key key = ib_key_find(IB_SECTION_top, entry.key->text);
        if (key == IB_KEY_COUNT || ib_keys[key].kind != IB_KIND_SECTION)
            continue;
        if (entry.value->kind == IB_YAML_MAP)
            l->document->sections[key] = entry.value;
        else if (!ib_is_null(entry.value))
            ib_report_kind(l, entry.key->text, entry.value, "a map");
    }
}

/* An entry as the model knows it: its key under its full name. */
static bool copy_entry(ib_loader *l, const ib_yaml_entry *from, ib_yaml_entry *to) {
    *to = *from;
    if (l->document->prefix[0] == '\0')
        return true;
    to->key = IB_ARENA_NEW(l->arena, ib_yaml);
    if (!to->key)
        return false;
    *to->key = *from->key;
    to->key->text = ib_full_name(l, from->key->text);
    to->key->length = strlen(to->key->text);
    return true;
}

/* The entries of one section of all documents, one document after the other. */
static void collect(ib_loader *l, ib_key section) {
    ib_entries *all = &l->entries[section];
    size_t n = 0;
    for (size_t i = 0; i < l->n_documents; i++) {
        const ib_yaml *map = l->documents[i]->sections[section];
        l->documents[i]->first[section] = n;
        n += map ? map->n : 0;
    }
    all->entries = IB_ARENA_ARRAY(l->arena, n, ib_yaml_entry);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    all->documents = IB_ARENA_ARRAY(l->arena, n, ib_document *);
    l->no_memory = l->no_memory || !all->entries || !all->documents;
    for (size_t i = 0; i < l->n_documents && !l->no_memory; i++) {
        const ib_yaml *map = l->documents[i]->sections[section];
        ib_enter(l, l->documents[i]);
        for (size_t k = 0; map && k < map->n && !l->no_memory; k++) {
            all->documents[all->n] = l->document;
            l->no_memory = !copy_entry(l, &map->entries[k], &all->entries[all->n++]);
        }
    }
}

static void collect_sections(ib_loader *l) {
    for (size_t i = 0; i < l->n_documents; i++) {
        ib_enter(l, l->documents[i]);
        find_sections(l);
    }
    for (size_t key = 0; key < IB_KEY_COUNT; key++) {
        if (ib_keys[key].section == IB_SECTION_top && ib_keys[key].kind == IB_KIND_SECTION)
            collect(l, (ib_key)key);
    }
}

/* ---- names ---- */

/* A name without its document's prefix. */
static const char *own_name(const ib_loader *l, const ib_yaml *name) {
    return name->text + strlen(l->document->prefix);
}

/* Names of results must differ, and from the two that the language has. */
static void declare_elements(ib_loader *l, ib_key section) {
    for (size_t i = 0; i < ib_section_size(l, section); i++) {
        ib_yaml *name = ib_section_entry(l, section, i)->key;
        const char *own = own_name(l, name);
        if (strcmp(own, "ground") == 0 || strcmp(own, "global") == 0)
            ib_report(l, IB0302, name, "'%s' has a meaning of its own and cannot be redefined",
                      own);
        ib_check_name(l, name, own);
        ib_registry_add(l, &l->elements, "name", name);
    }
}

/* Things that another key refers to by their number within their section. */
static void declare_numbered(ib_loader *l, ib_key section, ib_registry *registry) {
    for (size_t i = 0; i < ib_section_size(l, section); i++)
        ib_registry_add(l, registry, "name", ib_section_entry(l, section, i)->key);
}

static void declare_places(ib_loader *l, ib_key section, ib_registry *registry) {
    declare_numbered(l, section, registry);
    for (size_t i = 0; i < ib_section_size(l, section); i++) {
        ib_yaml *name = ib_section_entry(l, section, i)->key;
        ib_check_name(l, name, own_name(l, name));
    }
}

/* A name that expressions use. */
static void declare_quantity(ib_loader *l, ib_yaml *name, ib_quantity_kind kind, size_t index) {
    const char *own = own_name(l, name);
    if (ib_expr_reserved(own))
        ib_report(l, IB0302, name, "'%s' has a meaning of its own and cannot be redefined", own);
    ib_check_name(l, name, own);
    const size_t n = l->quantity_names.n;
    if (!IB_VEC_RESERVE(l->quantities, l->quantity_capacity, n)) {
        l->no_memory = true;
    } else if (ib_registry_add(l, &l->quantity_names, "name", name)) {
        l->quantities[n] = (ib_quantity){kind, index, name->text, ib_node_place(l, name)};
        if (kind == IB_QUANTITY_PARAMETER || kind == IB_QUANTITY_SPLINE ||
            kind == IB_QUANTITY_TABLE)
            ib_registry_add(l, &l->constant_names, "name", name);
    }
}

static void declare_quantities(ib_loader *l, ib_key section, ib_quantity_kind kind) {
    for (size_t i = 0; i < ib_section_size(l, section) && !l->no_memory; i++)
        declare_quantity(l, ib_section_entry(l, section, i)->key, kind, i);
}

static bool is_type(const ib_yaml *type, const char *name) {
    return type && type->kind == IB_YAML_SCALAR && strcmp(type->text, name) == 0;
}

/* Those of the forces that expressions may use; and how many ask for the air. */
static void declare_motors(ib_loader *l) {
    for (size_t i = 0; i < ib_section_size(l, IB_KEY_top_forces) && !l->no_memory; i++) {
        const ib_yaml_entry entry = *ib_section_entry(l, IB_KEY_top_forces, i);
        const ib_yaml *type =
            entry.value->kind == IB_YAML_MAP ? ib_yaml_get(entry.value, "type") : NULL;
        if (is_type(type, "motor"))
            declare_quantity(l, entry.key, IB_QUANTITY_MOTOR, l->model->n_motors++);
        l->model->n_airs += is_type(type, "aerodynamic") || is_type(type, "thrust");
    }
}

/* Each is a state, whose number the bodies are given as they are read. */
static void count_tanks(ib_loader *l) {
    for (size_t i = 0; i < ib_section_size(l, IB_KEY_top_bodies); i++) {
        const ib_yaml *body = ib_section_entry(l, IB_KEY_top_bodies, i)->value;
        l->model->n_tanks += body->kind == IB_YAML_MAP && ib_yaml_get(body, "propellant");
    }
}

/* The prefix of an included file must not be another name of its includer's. */
static void check_prefix(ib_loader *l, ib_document *document) {
    const ib_registry *taken[] = {&l->elements, &l->quantity_names, &l->points, &l->frames};
    const char *own = document->as->text;
    ib_enter(l, document->parent);
    const char *full = ib_full_name(l, own);
    if (strcmp(own, "ground") == 0 || strcmp(own, "global") == 0 || ib_expr_reserved(own))
        ib_report(l, IB0302, document->as, "as: '%s' has a meaning of its own", own);
    for (size_t i = 0; i < IB_COUNT(taken); i++) {
        const size_t other = ib_names_find(taken[i]->names, full);
        if (other != SIZE_MAX &&
            ib_report(l, IB0301, document->as, "as: the name '%s' is used already", own))
            ib_diags_note(l->diags, taken[i]->items[other].place, "used here");
    }
}

void ib_declare(ib_loader *l) {
    collect_sections(l);
    if (l->no_memory)
        return;
    declare_elements(l, IB_KEY_top_bodies);
    declare_elements(l, IB_KEY_top_joints);
    declare_elements(l, IB_KEY_top_forces);
    declare_elements(l, IB_KEY_top_sensors);
    declare_elements(l, IB_KEY_top_drivers);
    declare_elements(l, IB_KEY_top_outputs);
    declare_numbered(l, IB_KEY_top_bodies, &l->bodies);
    declare_numbered(l, IB_KEY_top_measures, &l->measures);
    declare_places(l, IB_KEY_top_points, &l->points);
    declare_places(l, IB_KEY_top_frames, &l->frames);
    declare_quantities(l, IB_KEY_top_parameters, IB_QUANTITY_PARAMETER);
    declare_quantities(l, IB_KEY_top_inputs, IB_QUANTITY_INPUT);
    declare_quantities(l, IB_KEY_top_measures, IB_QUANTITY_MEASURE);
    declare_motors(l);
    count_tanks(l);
    declare_quantities(l, IB_KEY_top_splines, IB_QUANTITY_SPLINE);
    declare_quantities(l, IB_KEY_top_tables, IB_QUANTITY_TABLE);
    for (size_t i = 1; i < l->n_documents; i++)
        check_prefix(l, l->documents[i]);
}
