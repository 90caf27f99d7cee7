/* network: a network file becomes a description, or a list of everything that is wrong with it. */
#include "model/mission_internal.h"

#include <stdlib.h>
#include <string.h>

/* A map whose keys are read into the network itself. */
static bool read_part(ib_mission_reader *m, ib_record *top, ib_key key, ib_section section,
                      ib_network_spec *network, ib_record *r) {
    if (!top->given[key] || !ib_mission_open(m, section, top->given[key], r))
        return false;
    ib_record_read(m->l, r, network);
    return true;
}

/* A text or a list of texts, with their places. */
static const ib_word *read_words(ib_mission_reader *m, const char *key, ib_yaml *node, size_t *n) {
    *n = 0;
    if (!node)
        return NULL;
    const bool list = node->kind == IB_YAML_LIST;
    const size_t wanted = list ? node->n : 1;
    ib_word *words = IB_ARENA_ARRAY(m->l->arena, wanted + 1, ib_word);
    m->l->no_memory = m->l->no_memory || !words;
    for (size_t i = 0; words && i < wanted; i++) {
        ib_yaml *item = list ? node->items[i] : node;
        words[*n].place = ib_node_place(m->l, item);
        if (ib_read_text(m->l, key, item, &words[*n].text))
            (*n)++;
    }
    return words;
}

/* What only FMUs have. */
static void check_solver(ib_mission_reader *m, const ib_record *r, ib_component_spec *c) {
    static const ib_key keys[] = {IB_KEY_component_kind, IB_KEY_component_solver,
                                  IB_KEY_component_tolerance};
    static const char *const names[] = {"kind", "solver", "tolerance"};
    c->chosen = r->given[IB_KEY_component_kind] != NULL;
    for (size_t i = 0; i < IB_COUNT(keys); i++)
        if (r->given[keys[i]] && c->model)
            ib_report(m->l, IB0214, r->given[keys[i]], "%s: a model has no use for it; FMUs do",
                      names[i]);
    if (r->given[IB_KEY_component_tolerance] && !(c->tolerance > 0 && c->tolerance < 1))
        ib_report(m->l, IB0607, r->given[IB_KEY_component_tolerance],
                  "tolerance: %.6g is not between 0 and 1", c->tolerance);
    if (r->given[IB_KEY_component_solver] && c->chosen && c->kind == IB_COMPONENT_CS)
        ib_report(m->l, IB0214, r->given[IB_KEY_component_solver],
                  "solver: in Co-Simulation an FMU brings its own");
}

static void read_component(ib_mission_reader *m, const ib_yaml_entry *entry, ib_component_spec *c) {
    ib_record r;
    *c = (ib_component_spec){.name = entry->key->text, .place = ib_node_place(m->l, entry->key)};
    if (!ib_record_open(m->l, IB_SECTION_component, entry->key, entry->value, &r))
        return;
    ib_record_read(m->l, &r, c);
    ib_record_exclude(m->l, &r, IB_KEY_component_fmu, IB_KEY_component_model,
                      "a component is an FMU or a model");
    if (!r.given[IB_KEY_component_fmu] && !r.given[IB_KEY_component_model])
        ib_record_need(m->l, &r, "fmu");
    check_solver(m, &r, c);
    c->file_place = ib_mission_place(m, &r, c->fmu ? IB_KEY_component_fmu : IB_KEY_component_model);
    c->parameters_place = ib_mission_place(m, &r, IB_KEY_component_parameters);
    c->starts_place = ib_mission_place(m, &r, IB_KEY_component_start);
    c->parameters =
        ib_mission_passed(m, "parameters", r.given[IB_KEY_component_parameters], &c->n_parameters);
    c->starts = ib_mission_passed(m, "start", r.given[IB_KEY_component_start], &c->n_starts);
}

static void read_components(ib_mission_reader *m, ib_yaml *node, ib_network_spec *network) {
    ib_component_spec *list =
        ib_mission_entries(m, "components", node, true, sizeof *list, &network->n_components);
    network->components = list;
    for (size_t i = 0; i < network->n_components; i++)
        read_component(m, &node->entries[i], &list[i]);
}

static void check_version(ib_loader *l, ib_record *r) {
    int version = 1;
    if (ib_record_take(l, r, IB_KEY_network_ironbird, &version) && version != 1)
        ib_report(l, IB0219, r->given[IB_KEY_network_ironbird],
                  "ironbird: version %d is not known; this program reads version 1", version);
}

static void check_extrapolation(ib_loader *l, const ib_record *part,
                                const ib_network_spec *network) {
    if (part->given[IB_KEY_coupling_extrapolation] &&
        (network->extrapolation < 0 || network->extrapolation > 2))
        ib_report(l, IB0216, part->given[IB_KEY_coupling_extrapolation],
                  "extrapolation: %d is no order; it is 0, 1 or 2", network->extrapolation);
}

static void read_network(ib_mission_reader *m, ib_network_spec *network) {
    ib_loader *l = m->l;
    ib_record r, part;
    network->end = 10 * IB_SECOND;
    network->step = IB_SECOND / 1000;
    l->constant_use = IB_USE_PARAMETER;
    if (!ib_record_open(l, IB_SECTION_network, NULL, l->document->file->root, &r))
        return;
    ib_record_read(l, &r, network);
    check_version(l, &r);
    if (read_part(m, &r, IB_KEY_network_time, IB_SECTION_horizon, network, &part))
        network->output_place = ib_mission_place(m, &part, IB_KEY_horizon_output_step);
    if (read_part(m, &r, IB_KEY_network_coupling, IB_SECTION_coupling, network, &part)) {
        network->order =
            read_words(m, "order", part.given[IB_KEY_coupling_order], &network->n_order);
        ib_check_positive(m->l, &part, IB_KEY_coupling_tolerance, network->tolerance);
        check_extrapolation(l, &part, network);
        network->tolerance_place = ib_mission_place(m, &part, IB_KEY_coupling_tolerance);
        network->order_place = ib_mission_place(m, &part, IB_KEY_coupling_order);
    }
    read_components(m, r.given[IB_KEY_network_components], network);
    network->connections =
        read_words(m, "connections", r.given[IB_KEY_network_connections], &network->n_connections);
    network->bonds =
        ib_mission_passed(m, "bonds", r.given[IB_KEY_network_bonds], &network->n_bonds);
    network->bonds_place = ib_mission_place(m, &r, IB_KEY_network_bonds);
    ib_mission_texts(m, "record", r.given[IB_KEY_network_record], &network->record,
                     &network->n_record);
    network->record_place = ib_mission_place(m, &r, IB_KEY_network_record);
}

static const ib_set_language language = {
    .what = "network",
    .root = IB_SECTION_network,
    .shorts = {{"components", "parameters"}},
    .n_shorts = 1,
    .names = "COMPONENT.PARAMETER, or a path in the file such as coupling.step or "
             "components.NAME.start.VARIABLE"};

static ib_status load_text(const char *name, const char *text, size_t length,
                           const ib_override *overrides, size_t n_overrides, ib_diags *diags,
                           ib_network_spec **network) {
    ib_loader l = {.diags = diags, .model = ib_model_create(name)};
    ib_network_spec *read = l.model ? IB_ARENA_NEW(l.model->arena, ib_network_spec) : NULL;
    ib_mission_reader m = {.l = &l};
    ib_status status = IB_NO_MEMORY;
    if (read) {
        l.arena = l.model->arena;
        l.n_errors_before = ib_diags_errors(diags);
        *read = (ib_network_spec){.scratch = l.model, .file = l.model->file};
        if (!ib_loader_open(&l))
            l.no_memory = true;
        else if (ib_document_open(&l, l.model->file, text, length)) {
            ib_tree_set(&m, &language, overrides, n_overrides);
            read_network(&m, read);
        }
        status = ib_loader_finish(&l, IB_OK);
        ib_loader_close(&l);
    } else {
        ib_loader_no_memory(diags, name);
    }
    if (status == IB_OK)
        *network = read;
    else
        ib_model_destroy(l.model);
    return status;
}

ib_status ib_network_spec_load(const char *path, const ib_override *overrides, size_t n_overrides,
                               ib_diags *diags, ib_network_spec **network) {
    char *text = NULL;
    size_t length = 0;
    *network = NULL;
    ib_status status = ib_file_read(path, IB_MODEL_FILE_LIMIT, diags, IB_NO_PLACE, &text, &length);
    if (status == IB_OK)
        status = load_text(path, text, length, overrides, n_overrides, diags, network);
    free(text);
    return status;
}

void ib_network_spec_destroy(ib_network_spec *network) {
    if (network)
        ib_model_destroy(network->scratch);
}
