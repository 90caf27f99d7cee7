/* mission: a mission file becomes a description, or a list of everything that is wrong with it.
 *
 * The reader checks form: keys, kinds, units. What names mean (plants, devices, channels) is the
 * world's to find out, which has the places to complain at.
 */
#include "model/mission_internal.h"

#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

/* ---- the top ---- */

static void check_version(ib_loader *l, ib_record *r) {
    int version = 1;
    if (ib_record_take(l, r, IB_KEY_mission_ironbird, &version) && version != 1)
        ib_report(l, IB0219, r->given[IB_KEY_mission_ironbird],
                  "ironbird: version %d is not known; this program reads version 1", version);
}

/* A map whose keys are read into the mission itself. */
static void read_part(ib_mission_reader *m, ib_record *top, ib_key key, ib_section section) {
    ib_record r;
    if (!top->given[key] || !ib_mission_open(m, section, top->given[key], &r))
        return;
    ib_record_read(m->l, &r, m->mission);
    if (section == IB_SECTION_span)
        m->mission->output_place = ib_mission_place(m, &r, IB_KEY_span_output_step);
    if (section == IB_SECTION_rates)
        m->mission->rates_place = ib_node_place(m->l, top->given[key]);
}

static void read_parallel(ib_mission_reader *m, ib_record *top) {
    ib_record r;
    ib_yaml *node = top->given[IB_KEY_mission_parallel];
    if (!node || !ib_mission_open(m, IB_SECTION_parallel, node, &r))
        return;
    ib_record_read(m->l, &r, m->mission);
    if (m->mission->threads > IB_MISSION_THREADS)
        ib_report(m->l, IB0224, r.given[IB_KEY_parallel_threads],
                  "threads: 0 to %d are possible, not %d; 0 is one for each core of the machine, "
                  "and more than that do not help",
                  IB_MISSION_THREADS, m->mission->threads);
}

static void read_launch(ib_mission_reader *m, ib_record *top) {
    ib_record r;
    ib_yaml *node = top->given[IB_KEY_mission_launch];
    if (node && ib_mission_open(m, IB_SECTION_launch, node, &r))
        ib_record_read(m->l, &r, &m->mission->launch);
}

static void read_plants(ib_mission_reader *m, ib_yaml *node) {
    ib_record r;
    ib_plant_spec *plants =
        ib_mission_entries(m, "plants", node, true, sizeof *plants, &m->mission->n_plants);
    m->mission->plants = plants;
    for (size_t i = 0; i < m->mission->n_plants; i++) {
        const ib_yaml_entry *entry = &node->entries[i];
        plants[i] = (ib_plant_spec){.name = entry->key->text,
                                    .place = ib_node_place(m->l, entry->key),
                                    .max_step = (double)NAN,
                                    .tolerance = (double)NAN};
        if (!ib_record_open(m->l, IB_SECTION_plant, entry->key, entry->value, &r))
            continue;
        ib_record_read(m->l, &r, &plants[i]);
        plants[i].model_place = ib_mission_place(m, &r, IB_KEY_plant_model);
        plants[i].fmu_place = ib_mission_place(m, &r, IB_KEY_plant_fmu);
        ib_record_exclude(m->l, &r, IB_KEY_plant_model, IB_KEY_plant_fmu,
                          "a plant is the one or the other");
        if (!plants[i].model && !plants[i].fmu)
            ib_record_need(m->l, &r, "model");
        plants[i].parameters = ib_mission_passed(m, "parameters", r.given[IB_KEY_plant_parameters],
                                                 &plants[i].n_parameters);
    }
}

/* The lines that a flight computer is given. */
static const char *config_text(ib_mission_reader *m, ib_yaml *node) {
    size_t n;
    ib_str text = {0};
    const ib_override *list = ib_mission_passed(m, "config", node, &n);
    ib_str_add(&text, "");
    for (size_t i = 0; i < n; i++)
        ib_str_printf(&text, "%s=%s\n", list[i].name, list[i].value);
    const char *kept =
        text.failed ? NULL : ib_arena_strdup(m->l->arena, text.data ? text.data : "");
    m->l->no_memory = m->l->no_memory || !kept;
    ib_str_free(&text);
    return kept;
}

static void read_computers(ib_mission_reader *m, ib_yaml *node) {
    ib_record r;
    ib_computer_spec *list = ib_mission_entries(m, "flight_computers", node, true, sizeof *list,
                                                &m->mission->n_computers);
    m->mission->computers = list;
    for (size_t i = 0; i < m->mission->n_computers; i++) {
        const ib_yaml_entry *entry = &node->entries[i];
        list[i] = (ib_computer_spec){
            .name = entry->key->text, .config = "", .place = ib_node_place(m->l, entry->key)};
        if (!ib_record_open(m->l, IB_SECTION_computer, entry->key, entry->value, &r))
            continue;
        ib_record_read(m->l, &r, &list[i]);
        list[i].where_place = ib_mission_place(
            m, &r, list[i].channel ? IB_KEY_computer_channel : IB_KEY_computer_native);
        list[i].config = config_text(m, r.given[IB_KEY_computer_config]);
        ib_record_exclude(m->l, &r, IB_KEY_computer_native, IB_KEY_computer_channel,
                          "a flight computer is a library or a peer");
        ib_record_only_with(m->l, &r, IB_KEY_computer_isolate, IB_KEY_computer_native);
        ib_record_only_with(m->l, &r, IB_KEY_computer_clock, IB_KEY_computer_channel);
        if (!r.given[IB_KEY_computer_native] && !r.given[IB_KEY_computer_channel])
            ib_record_need(m->l, &r, "native");
    }
}

static void read_processes(ib_mission_reader *m, ib_yaml *node) {
    ib_record r;
    ib_process_spec *list =
        ib_mission_entries(m, "processes", node, true, sizeof *list, &m->mission->n_processes);
    m->mission->processes = list;
    for (size_t i = 0; i < m->mission->n_processes; i++) {
        const ib_yaml_entry *entry = &node->entries[i];
        list[i] = (ib_process_spec){.name = entry->key->text, .stop_on_exit = true};
        if (!ib_record_open(m->l, IB_SECTION_process, entry->key, entry->value, &r))
            continue;
        ib_record_read(m->l, &r, &list[i]);
        ib_yaml *command = r.given[IB_KEY_process_command];
        ib_mission_texts(m, "command", command, &list[i].command, &list[i].n_command);
        list[i].place = ib_mission_place(m, &r, IB_KEY_process_command);
        if (command && list[i].n_command == 0)
            ib_diags_add(m->l->diags, IB_ERROR, IB0212, list[i].place,
                         "command: a list of a program and its arguments is expected");
    }
}

static void defaults(ib_mission *mission) {
    mission->end = 10 * IB_SECOND;
    mission->physics.hertz = 1000;
    mission->computer.hertz = 50;
    mission->environment.earth = (ib_earth_spec){.shape = IB_SHAPE_WGS84, .rotation = true};
    mission->environment.atmosphere = 1;
    mission->environment.magnetic_field = true;
}

static void read_mission(ib_mission_reader *m) {
    ib_loader *l = m->l;
    ib_mission *mission = m->mission;
    ib_record r;
    defaults(mission);
    l->constant_use = IB_USE_PARAMETER;
    if (!ib_record_open(l, IB_SECTION_mission, NULL, l->document->file->root, &r))
        return;
    ib_record_read(l, &r, mission);
    check_version(l, &r);
    read_part(m, &r, IB_KEY_mission_time, IB_SECTION_span);
    read_part(m, &r, IB_KEY_mission_rates, IB_SECTION_rates);
    read_parallel(m, &r);
    read_launch(m, &r);
    ib_mission_environment(m, &r);
    read_plants(m, r.given[IB_KEY_mission_plants]);
    read_computers(m, r.given[IB_KEY_mission_flight_computers]);
    read_processes(m, r.given[IB_KEY_mission_processes]);
    ib_mission_vehicles(m, r.given[IB_KEY_mission_vehicles]);
    ib_mission_events(m, r.given[IB_KEY_mission_events]);
    ib_mission_texts(m, "record", r.given[IB_KEY_mission_record], &mission->record,
                     &mission->n_record);
    mission->mode_place = ib_mission_place(m, &r, IB_KEY_mission_mode);
    mission->record_place = ib_mission_place(m, &r, IB_KEY_mission_record);
}

/* ---- loading ---- */

static const ib_set_language language = {
    .what = "mission",
    .root = IB_SECTION_mission,
    .shorts = {{"plants", "parameters"}, {"flight_computers", "config"}},
    .n_shorts = 2,
    .longer = "vehicles",
    .names = "PLANT.PARAMETER, COMPUTER.NAME, or a path in the file such as launch.latitude or "
             "vehicles.NAME.drag_area"};

static ib_status load(ib_loader *l, const char *text, size_t length, const ib_device_names *devices,
                      ib_mission *mission) {
    ib_mission_reader m = {l, mission, devices};
    if (!ib_loader_open(l))
        l->no_memory = true;
    else if (ib_document_open(l, l->model->file, text, length)) {
        ib_tree_set(&m, &language, l->overrides, l->n_overrides);
        read_mission(&m);
    }
    return ib_loader_finish(l, IB_OK);
}

ib_status ib_mission_load_text(const char *name, const char *text, size_t length,
                               const ib_override *overrides, size_t n_overrides,
                               const ib_device_names *devices, ib_diags *diags,
                               ib_mission **mission) {
    *mission = NULL;
    ib_diags *own = diags ? NULL : ib_diags_create();
    ib_loader l = {.diags = diags ? diags : own,
                   .model = ib_model_create(name),
                   .overrides = overrides,
                   .n_overrides = n_overrides};
    ib_mission *read = l.model ? IB_ARENA_NEW(l.model->arena, ib_mission) : NULL;
    ib_status status = IB_NO_MEMORY;
    if (l.diags && read) {
        l.arena = l.model->arena;
        l.n_errors_before = ib_diags_errors(l.diags);
        read->scratch = l.model;
        read->file = l.model->file;
        status = load(&l, text, length, devices, read);
        ib_loader_close(&l);
    } else {
        ib_loader_no_memory(l.diags, name);
    }
    if (status == IB_OK)
        *mission = read;
    else
        ib_model_destroy(l.model);
    ib_diags_destroy(own);
    return status;
}

ib_status ib_mission_load(const char *path, const ib_device_names *devices, ib_diags *diags,
                          ib_mission **mission) {
    char *text = NULL;
    size_t length = 0;
    *mission = NULL;
    ib_status status = ib_file_read(path, IB_MODEL_FILE_LIMIT, diags, IB_NO_PLACE, &text, &length);
    if (status == IB_OK)
        status = ib_mission_load_text(path, text, length, NULL, 0, devices, diags, mission);
    free(text);
    return status;
}

void ib_mission_destroy(ib_mission *mission) {
    if (mission)
        ib_model_destroy(mission->scratch);
}
