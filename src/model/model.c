/* model: a file or text becomes a model, or a list of everything that is wrong with it.
 *
 * First every named thing gets its number, then values are read in the order in which they need
 * each other: parameters, splines and tables, points and frames, bodies, measures, and what uses
 * these.
 */
#include "model/model_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

void ib_model_destroy(ib_model *model) {
    if (!model)
        return;
    for (size_t i = 0; model->curves && i < model->n_curves; i++)
        ib_curve_destroy(model->curves[i]);
    for (size_t i = 0; model->tables && i < model->n_tables; i++)
        ib_table_destroy(model->tables[i]);
    ib_graph_destroy(model->graph);
    ib_graph_destroy(model->constant_graph);
    ib_arena_destroy(model->arena);
}

ib_model *ib_model_create(const char *file) {
    ib_arena *arena = ib_arena_create();
    ib_model *model = arena ? IB_ARENA_NEW(arena, ib_model) : NULL;
    if (!model) {
        ib_arena_destroy(arena);
        return NULL;
    }
    model->arena = arena;
    model->graph = ib_graph_create();
    model->constant_graph = ib_graph_create();
    model->file = ib_arena_strdup(arena, file);
    if (model->graph && model->constant_graph && model->file)
        return model;
    ib_model_destroy(model);
    return NULL;
}

/* Room for everything that was declared. */
static bool allocate(ib_loader *l) {
    ib_model *m = l->model;
    ib_arena *arena = l->arena;
    m->n_parameters = ib_section_size(l, IB_KEY_top_parameters);
    m->n_inputs = ib_section_size(l, IB_KEY_top_inputs);
    m->n_bodies = ib_section_size(l, IB_KEY_top_bodies);
    m->n_joints = ib_section_size(l, IB_KEY_top_joints);
    m->n_forces = ib_section_size(l, IB_KEY_top_forces);
    m->n_measures = ib_section_size(l, IB_KEY_top_measures);
    m->n_drivers = ib_section_size(l, IB_KEY_top_drivers);
    m->n_outputs = ib_section_size(l, IB_KEY_top_outputs);
    m->n_sensors = ib_section_size(l, IB_KEY_top_sensors);
    m->parameters = IB_ARENA_ARRAY(arena, m->n_parameters, ib_parameter);
    m->parameter_order = IB_ARENA_ARRAY(arena, m->n_parameters, size_t);
    m->definitions = IB_ARENA_ARRAY(arena, m->n_parameters, ib_node);
    m->inputs = IB_ARENA_ARRAY(arena, m->n_inputs, ib_input);
    m->bodies = IB_ARENA_ARRAY(arena, m->n_bodies, ib_body);
    m->joints = IB_ARENA_ARRAY(arena, m->n_joints, ib_joint);
    m->forces = IB_ARENA_ARRAY(arena, m->n_forces, ib_force);
    /* Each force may add two hidden measures, its length and its rate; an aerodynamic one 15; a
     * sensor of a joint four. */
    const size_t n_measures = m->n_measures + 2 * m->n_forces + 15 * m->n_airs + 4 * m->n_sensors;
    m->measures = IB_ARENA_ARRAY(arena, n_measures, ib_measure);
    m->drivers = IB_ARENA_ARRAY(arena, m->n_drivers, ib_driver);
    m->outputs = IB_ARENA_ARRAY(arena, m->n_outputs, ib_output);
    m->sensors = IB_ARENA_ARRAY(arena, m->n_sensors, ib_sensor);
    const size_t n_curves = ib_section_size(l, IB_KEY_top_splines);
    m->curves = IB_ARENA_ARRAY(arena, n_curves, ib_curve *);
    m->curve_names = IB_ARENA_ARRAY(arena, n_curves, const char *);
    m->n_curves = m->curves ? n_curves : 0;
    const size_t n_tables = ib_section_size(l, IB_KEY_top_tables);
    m->tables = IB_ARENA_ARRAY(arena, n_tables, ib_table *);
    m->table_names = IB_ARENA_ARRAY(arena, n_tables, const char *);
    m->n_tables = m->tables ? n_tables : 0;
    return m->parameters && m->parameter_order && m->definitions && m->inputs && m->bodies &&
           m->joints && m->forces && m->measures && m->drivers && m->outputs && m->sensors &&
           m->curves && m->curve_names && m->tables && m->table_names;
}

static bool allocate_scratch(ib_loader *l) {
    const ib_model *m = l->model;
    const size_t n_points = ib_section_size(l, IB_KEY_top_points);
    const size_t n_frames = ib_section_size(l, IB_KEY_top_frames);
    l->parameter_bad = IB_ARENA_ARRAY(l->arena, m->n_parameters, bool);
    l->body_bad = IB_ARENA_ARRAY(l->arena, m->n_bodies, bool);
    l->point_bad = IB_ARENA_ARRAY(l->arena, n_points, bool);
    l->frame_bad = IB_ARENA_ARRAY(l->arena, n_frames, bool);
    l->point_values = ib_arena_alloc(l->arena, n_points, sizeof(*l->point_values));
    l->frame_values = ib_arena_alloc(l->arena, n_frames, sizeof(*l->frame_values));
    l->driver_of = IB_ARENA_ARRAY(l->arena, m->n_measures, size_t);
    for (size_t i = 0; l->driver_of && i < m->n_measures; i++)
        l->driver_of[i] = SIZE_MAX;
    return l->parameter_bad && l->body_bad && l->point_bad && l->frame_bad && l->point_values &&
           l->frame_values && l->driver_of;
}

/* ---- the order of reading ---- */

static void read_model(ib_loader *l) {
    if (!ib_documents_include(l))
        return;
    ib_declare(l);
    if (l->no_memory || !allocate(l) || !allocate_scratch(l)) {
        l->no_memory = true;
        return;
    }
    /* Constants, each from those before it. */
    l->constant_use = IB_USE_PARAMETER;
    ib_bind_parameters(l);
    ib_bind_splines(l);
    ib_bind_tables(l);
    ib_bind_top(l);
    ib_bind_inputs(l);
    ib_bind_places(l);
    ib_bind_bodies(l);
    /* What refers to bodies, and expressions, which need to know the measures' types. */
    ib_bind_measures(l);
    ib_bind_events(l);
    ib_bind_joints(l);
    ib_bind_air(l);
    ib_bind_forces(l);
    ib_bind_drivers(l);
    ib_bind_outputs(l);
    ib_bind_sensors(l);
    ib_bind_simulation(l);
    ib_list_constants(l);
    ib_derive_units(l);
}

/* ---- a loader ---- */

bool ib_loader_open(ib_loader *l) {
    ib_registry *registries[] = {&l->elements,      &l->ids,    &l->bodies,   &l->measures,
                                 &l->points,        &l->frames, &l->prefixes, &l->quantity_names,
                                 &l->constant_names};
    bool good = true;
    for (size_t i = 0; i < IB_COUNT(registries); i++)
        good = ib_registry_create(registries[i]) && good;
    l->constants = ib_graph_create();
    l->tracks = ib_tracks_create();
    l->suggestion_budget = 2000000;
    return good && l->constants && l->tracks;
}

void ib_loader_close(ib_loader *l) {
    ib_registry_destroy(&l->elements);
    ib_registry_destroy(&l->ids);
    ib_registry_destroy(&l->bodies);
    ib_registry_destroy(&l->measures);
    ib_registry_destroy(&l->points);
    ib_registry_destroy(&l->frames);
    ib_registry_destroy(&l->prefixes);
    ib_registry_destroy(&l->quantity_names);
    ib_registry_destroy(&l->constant_names);
    ib_graph_destroy(l->constants);
    ib_tracks_destroy(l->tracks);
    free(l->quantities);
    ib_str_free(&l->scratch);
    ib_documents_close(l);
}

/* The modules below may have run out of memory and said so. */
static bool memory_was_reported(const ib_diags *diags) {
    for (size_t i = 0; i < ib_diags_count(diags); i++) {
        if (strcmp(ib_diags_at(diags, i)->id, "IB0103") == 0)
            return true;
    }
    return false;
}

void ib_loader_no_memory(ib_diags *diags, const char *file) {
    if (!memory_was_reported(diags))
        ib_diags_add(diags, IB_ERROR, IB0103, IB_NO_PLACE, "out of memory while reading '%s'",
                     file);
}

ib_status ib_loader_finish(ib_loader *l, ib_status status) {
    ib_diags *diags = l->diags;
    if (l->no_memory || ib_graph_failed(l->model->graph) || ib_graph_failed(l->constants) ||
        ib_graph_failed(l->model->constant_graph) || memory_was_reported(diags))
        status = IB_NO_MEMORY;
    if (status == IB_NO_MEMORY)
        ib_loader_no_memory(diags, l->model->file);
    if (status == IB_OK && ib_diags_errors(diags) > l->n_errors_before)
        status = IB_BAD_INPUT;
    ib_diags_sort(diags);
    return status;
}

static ib_status load(ib_loader *l, const char *text, size_t length) {
    if (!ib_loader_open(l))
        l->no_memory = true;
    else if (ib_document_open(l, l->model->file, text, length))
        read_model(l);
    return ib_loader_finish(l, IB_OK);
}

ib_status ib_model_load_text(const char *name, const char *text, size_t length,
                             const ib_override *overrides, size_t n_overrides, ib_diags *diags,
                             ib_model **model) {
    *model = NULL;
    /* Errors are counted by the sink, so there has to be one. */
    ib_diags *own = diags ? NULL : ib_diags_create();
    ib_loader l = {.diags = diags ? diags : own, .model = ib_model_create(name)};
    ib_status status = IB_NO_MEMORY;
    if (l.diags && l.model) {
        l.arena = l.model->arena;
        l.overrides = overrides;
        l.n_overrides = n_overrides;
        l.n_errors_before = ib_diags_errors(l.diags);
        status = load(&l, text, length);
        ib_loader_close(&l);
    } else if (l.diags) {
        ib_loader_no_memory(l.diags, name);
    }
    if (status == IB_OK)
        *model = l.model;
    else
        ib_model_destroy(l.model);
    ib_diags_destroy(own);
    return status;
}

ib_status ib_model_load(const char *path, const ib_override *overrides, size_t n_overrides,
                        ib_diags *diags, ib_model **model) {
    char *text = NULL;
    size_t length = 0;
    *model = NULL;
    ib_status status = ib_file_read(path, IB_MODEL_FILE_LIMIT, diags, IB_NO_PLACE, &text, &length);
    if (status == IB_OK)
        status = ib_model_load_text(path, text, length, overrides, n_overrides, diags, model);
    free(text);
    return status;
}

/* ---- what a model holds ---- */

const char *ib_model_name(const ib_model *model) { return model->name; }

size_t ib_model_body_count(const ib_model *model) { return model->n_bodies; }

const char *ib_model_body_name(const ib_model *model, size_t index) {
    return index < model->n_bodies ? model->bodies[index].element.name : NULL;
}

size_t ib_model_joint_count(const ib_model *model) { return model->n_joints; }

size_t ib_model_force_count(const ib_model *model) { return model->n_forces; }

size_t ib_model_input_count(const ib_model *model) { return model->n_inputs; }

const char *ib_model_input_name(const ib_model *model, size_t index) {
    return index < model->n_inputs ? model->inputs[index].name : NULL;
}

size_t ib_model_parameter_count(const ib_model *model) { return model->n_parameters; }

const char *ib_model_parameter_name(const ib_model *model, size_t index) {
    return index < model->n_parameters ? model->parameters[index].name : NULL;
}

double ib_model_parameter_value(const ib_model *model, size_t index) {
    return index < model->n_parameters ? model->parameters[index].value : 0;
}

ib_time ib_model_end(const ib_model *model) { return model->simulation.end; }

ib_time ib_model_output_step(const ib_model *model) { return model->simulation.output_step; }
