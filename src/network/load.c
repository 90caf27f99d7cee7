/* load: a network file becomes plants that stand at t = 0, wired to each other. */
#include "network/network.h"

#include "ironbird/results.h"

#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

/* ---- components ---------------------------------------------------------------------------- */

static ib_status open_fmu(const ib_network *network, const ib_component_spec *spec,
                          const char *path, ib_component *c, ib_diags *diags) {
    ib_status status = ib_fmu_open(path, IB_FMU_LENIENT, diags, &c->fmu);
    ib_fmu_set *sets = IB_ARENA_ARRAY(network->arena, spec->n_parameters + 1, ib_fmu_set);
    const bool exchange =
        status == IB_OK && (spec->chosen ? spec->kind == IB_COMPONENT_ME
                                         : !ib_fmu_has_kind(c->fmu, IB_FMU_CO_SIMULATION) &&
                                               ib_fmu_has_kind(c->fmu, IB_FMU_MODEL_EXCHANGE));
    if (status == IB_OK && !sets)
        status = ib_diags_no_memory(diags);
    for (size_t i = 0; status == IB_OK && i < spec->n_parameters; i++)
        sets[i] = (ib_fmu_set){spec->parameters[i].name, spec->parameters[i].value};
    /* A step of the network is one of the FMU, whatever its end rounds to. */
    const ib_fmu_plant_options options = {.max_step = 1.001 * ib_time_seconds(network->spec->step),
                                          .tolerance =
                                              spec->tolerance > 0 ? spec->tolerance : (double)NAN,
                                          .exchange = exchange,
                                          .solver = !exchange           ? IB_FMU_SOLVER_DEFAULT
                                                    : spec->solver == 1 ? IB_FMU_STIFF
                                                                        : IB_FMU_DOPRI5,
                                          .sets = sets,
                                          .n_sets = spec->n_parameters};
    return status == IB_OK ? ib_plant_from_fmu(c->fmu, &options, diags, &c->plant) : status;
}

static ib_status open_model(const ib_component_spec *spec, const char *path, ib_component *c,
                            ib_diags *diags) {
    const ib_status status =
        ib_model_load(path, spec->parameters, spec->n_parameters, diags, &c->model);
    return status == IB_OK ? ib_plant_from_model(c->model, diags, &c->plant) : status;
}

/* What the inputs hold now: the start values; arrays of FMUs are asked for. */
static ib_status list_inputs(const ib_network *network, ib_component *c, ib_diags *diags) {
    c->inputs = IB_ARENA_ARRAY(network->arena, c->n + 1, double *);
    c->connected = IB_ARENA_ARRAY(network->arena, c->n + 1, bool *);
    if (!c->inputs || !c->connected)
        return ib_diags_no_memory(diags);
    ib_status status = IB_OK;
    for (size_t i = 0; i < c->n && status == IB_OK; i++) {
        const ib_variable *variable = &c->variables[i];
        c->widest = variable->size > c->widest ? variable->size : c->widest;
        if (variable->role != IB_ROLE_INPUT)
            continue;
        c->inputs[i] = IB_ARENA_ARRAY(network->arena, variable->size, double);
        c->connected[i] = IB_ARENA_ARRAY(network->arena, variable->size, bool);
        if (!c->inputs[i] || !c->connected[i])
            return ib_diags_no_memory(diags);
        c->inputs[i][0] = variable->start;
        if (c->fmu)
            status = c->plant.functions->get(c->plant.self, (ib_handle)i, c->inputs[i], diags);
    }
    return status;
}

/* `start:` of one input. */
static bool set_start(const ib_component_spec *spec, const ib_override *start, ib_component *c,
                      ib_diags *diags) {
    size_t element;
    double value;
    const size_t length = strlen(start->value);
    const ib_handle variable = ib_component_find(c, start->name, &element);
    if (variable < 0 || c->variables[variable].role != IB_ROLE_INPUT) {
        ib_diags_add(diags, IB_ERROR, IB0362, spec->starts_place,
                     "start: component '%s' has no input '%s'", c->name, start->name);
        return false;
    }
    const bool minus = start->value[0] == '-';
    if (!length ||
        ib_number_parse(start->value + minus, length - minus, &value) + minus != length) {
        ib_diags_add(diags, IB_ERROR, IB0362, spec->starts_place,
                     "start: '%s' of '%s' is no number", start->value, start->name);
        return false;
    }
    const size_t from = element == SIZE_MAX ? 0 : element;
    const size_t to = element == SIZE_MAX ? c->variables[variable].size : element + 1;
    for (size_t i = from; i < to; i++)
        c->inputs[variable][i] = minus ? -value : value;
    return c->plant.functions->set(c->plant.self, variable, c->inputs[variable], diags) == IB_OK;
}

static ib_status open_component(const ib_network *network, const ib_component_spec *spec,
                                ib_component *c, ib_diags *diags) {
    const char *path =
        ib_path_beside(network->arena, network->spec->file, spec->fmu ? spec->fmu : spec->model);
    if (!path)
        return ib_diags_no_memory(diags);
    ib_status status =
        spec->fmu ? open_fmu(network, spec, path, c, diags) : open_model(spec, path, c, diags);
    if (status != IB_OK) {
        ib_diags_note(diags, spec->file_place, "for component '%s'", spec->name);
        return status;
    }
    c->n = c->plant.functions->describe(c->plant.self, &c->variables);
    status = list_inputs(network, c, diags);
    for (size_t i = 0; i < spec->n_starts && status == IB_OK; i++)
        status = set_start(spec, &spec->starts[i], c, diags) ? IB_OK : IB_BAD_INPUT;
    return status;
}

/* ---- channels ------------------------------------------------------------------------------ */

static bool wanted(const ib_network_spec *spec, const char *name, ib_role role, bool *matched) {
    bool found = !spec->n_record && (role == IB_ROLE_INPUT || role == IB_ROLE_OUTPUT);
    for (size_t i = 0; i < spec->n_record; i++)
        if (ib_glob_match(spec->record[i], name))
            found = matched[i] = true;
    return found;
}

/* One channel for each element of each variable that is no parameter. */
static bool list_channels(ib_network *network, size_t component, bool *matched) {
    const ib_component *c = &network->components[component];
    for (size_t i = 0; i < c->n; i++) {
        const ib_variable *variable = &c->variables[i];
        for (size_t k = 0; k < variable->size && variable->role != IB_ROLE_PARAMETER; k++) {
            ib_network_channel_entry *entry = &network->channels[network->n_channels++];
            const char *name =
                variable->size == 1
                    ? ib_arena_printf(network->arena, "%s.%s", c->name, variable->name)
                    : ib_arena_printf(network->arena, "%s.%s[%zu]", c->name, variable->name, k + 1);
            if (!name)
                return false;
            *entry = (ib_network_channel_entry){
                .info = {name, variable->unit,
                         variable->role == IB_ROLE_INPUT    ? "input"
                         : variable->role == IB_ROLE_OUTPUT ? "output"
                                                            : "",
                         NULL},
                .component = component,
                .element = k,
                .variable = (ib_handle)i,
                .recorded = wanted(network->spec, name, variable->role, matched)};
        }
    }
    return true;
}

/* One channel for each bond: what the coupling itself has made. */
static bool list_bonds(ib_network *network, bool *matched) {
    for (size_t i = 0; i < network->n_bonds; i++) {
        const char *name = ib_arena_printf(network->arena, "%s.residual", network->bonds[i].name);
        if (!name)
            return false;
        network->channels[network->n_channels++] = (ib_network_channel_entry){
            .info = {name, "", "energy that the coupling has made", NULL},
            .component = SIZE_MAX,
            .element = i,
            .recorded = wanted(network->spec, name, IB_ROLE_OUTPUT, matched)};
    }
    return true;
}

static ib_status list_all_channels(ib_network *network, ib_diags *diags) {
    size_t total = 0;
    for (size_t c = 0; c < network->n_components; c++)
        for (size_t i = 0; i < network->components[c].n; i++)
            total += network->components[c].variables[i].size;
    total += network->n_bonds;
    const ib_network_spec *spec = network->spec;
    bool *matched = IB_ARENA_ARRAY(network->arena, spec->n_record + 1, bool);
    network->channels = IB_ARENA_ARRAY(network->arena, total + 1, ib_network_channel_entry);
    if (!matched || !network->channels)
        return ib_diags_no_memory(diags);
    for (size_t c = 0; c < network->n_components; c++)
        if (!list_channels(network, c, matched))
            return ib_diags_no_memory(diags);
    if (!list_bonds(network, matched))
        return ib_diags_no_memory(diags);
    for (size_t i = 0; i < spec->n_record; i++)
        if (!matched[i]) {
            ib_diags_add(diags, IB_ERROR, IB0904, spec->record_place, "no channel matches '%s'",
                         spec->record[i]);
            return IB_BAD_INPUT;
        }
    return IB_OK;
}

/* ---- the network --------------------------------------------------------------------------- */

static ib_status open_components(ib_network *network, ib_diags *diags) {
    const ib_network_spec *spec = network->spec;
    ib_status status = IB_OK;
    network->components = IB_ARENA_ARRAY(network->arena, spec->n_components + 1, ib_component);
    network->links = IB_ARENA_ARRAY(network->arena, spec->n_connections + 1, ib_link);
    network->order = IB_ARENA_ARRAY(network->arena, spec->n_components + 1, size_t);
    network->done = IB_ARENA_ARRAY(network->arena, spec->n_components + 1, bool);
    if (!network->components || !network->links || !network->order || !network->done)
        return ib_diags_no_memory(diags);
    for (size_t i = 0; i < spec->n_components; i++) {
        ib_component *c = &network->components[network->n_components++];
        c->name = spec->components[i].name;
        c->place = spec->components[i].place;
        const ib_status opened = open_component(network, &spec->components[i], c, diags);
        status = status == IB_OK ? opened : status;
    }
    return status;
}

/* Room for reading variables and solving loops. */
static ib_status make_room(ib_network *network, ib_diags *diags) {
    const size_t n = network->n_elements;
    size_t widest = 1;
    for (size_t i = 0; i < network->n_components; i++)
        if (network->components[i].widest > widest)
            widest = network->components[i].widest;
    network->scratch = IB_ARENA_ARRAY(network->arena, widest, double);
    network->loop = IB_ARENA_ARRAY(network->arena, ib_loop_room(n) + 1, double);
    network->rows = IB_ARENA_ARRAY(network->arena, n + 1, size_t);
    return network->scratch && network->loop && network->rows ? IB_OK : ib_diags_no_memory(diags);
}

static ib_status check_times(ib_network *network, ib_diags *diags) {
    const ib_network_spec *spec = network->spec;
    network->output_step = spec->output_step ? spec->output_step : spec->step;
    if (network->output_step % spec->step == 0)
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB0715, spec->output_place,
                 "output_step: results are written at communication points, so the communication "
                 "step divides it");
    return IB_BAD_INPUT;
}

static ib_status build(ib_network *network, ib_diags *diags) {
    ib_status status = check_times(network, diags);
    if (status == IB_OK)
        status = open_components(network, diags);
    if (status == IB_OK && !ib_network_wire(network, diags))
        status = IB_BAD_INPUT;
    if (status == IB_OK && !ib_network_sort(network, diags))
        status = IB_BAD_INPUT;
    if (status == IB_OK)
        status = ib_bonds_create(network, diags);
    if (status == IB_OK)
        status = list_all_channels(network, diags);
    if (status == IB_OK)
        status = make_room(network, diags);
    if (status == IB_OK)
        status = ib_past_create(network, diags);
    if (status == IB_OK)
        status = ib_control_create(network, diags);
    return status == IB_OK ? ib_network_exchange(network, diags) : status;
}

ib_status ib_network_create(const char *path, const ib_network_options *options, ib_diags *diags,
                            ib_network **network) {
    const ib_network_options none = {0}, *given = options ? options : &none;
    ib_network_spec *spec = NULL;
    ib_diags *own = diags ? NULL : ib_diags_create();
    ib_diags *sink = diags ? diags : own;
    *network = NULL;
    ib_status status =
        sink ? ib_network_spec_load(path, given->overrides, given->n_overrides, sink, &spec)
             : IB_NO_MEMORY;
    ib_arena *arena = status == IB_OK ? ib_arena_create() : NULL;
    ib_network *made = arena ? IB_ARENA_NEW(arena, ib_network) : NULL;
    if (status == IB_OK && !made) {
        status = ib_diags_no_memory(sink);
        ib_arena_destroy(arena);
        ib_network_spec_destroy(spec);
    }
    if (made) {
        *made = (ib_network){.arena = arena, .spec = spec};
        status = build(made, sink);
        if (status == IB_OK)
            *network = made;
        else
            ib_network_destroy(made);
    }
    ib_diags_destroy(own);
    return status;
}

void ib_network_destroy(ib_network *network) {
    if (!network)
        return;
    ib_control_destroy(network);
    for (size_t i = 0; i < network->n_components; i++) {
        ib_component *c = &network->components[i];
        if (c->plant.functions)
            c->plant.functions->destroy(c->plant.self);
        ib_model_destroy(c->model);
        ib_fmu_close(c->fmu);
    }
    ib_network_spec_destroy(network->spec);
    ib_arena_destroy(network->arena);
}

void ib_network_crashed(ib_network *network, int signal_number, ib_diags *diags) {
    const ib_component *active = network->active;
    char number[IB_NUMBER_SIZE];
    ib_number_text(ib_time_seconds(network->time), number);
    const ib_place place = active ? active->place : IB_NO_PLACE;
    const char *name = active ? active->name : "";
    if (signal_number)
        ib_diags_add(diags, IB_ERROR, IB0735, place,
                     "component '%s' crashed (signal %d) in the step from t = %s s", name,
                     signal_number, number);
    else
        ib_diags_add(diags, IB_ERROR, IB0735, place,
                     "component '%s' called exit() in the step from t = %s s", name, number);
    for (size_t i = 0; i < network->n_components; i++)
        if (network->components[i].fmu)
            network->components[i].plant.functions = NULL;
}

/* ---- what there is ------------------------------------------------------------------------- */

const char *ib_network_name(const ib_network *network) { return network->spec->name; }

ib_time ib_network_period(const ib_network *network) { return network->spec->step; }

ib_time ib_network_end(const ib_network *network) { return network->spec->end; }

ib_time ib_network_output_step(const ib_network *network) { return network->output_step; }

size_t ib_network_component_count(const ib_network *network) { return network->n_components; }

const char *ib_network_component_name(const ib_network *network, size_t component) {
    return component < network->n_components ? network->components[component].name : NULL;
}

size_t ib_network_order(const ib_network *network, size_t i) {
    return i < network->n_components ? network->order[i] : SIZE_MAX;
}

size_t ib_network_channel_count(const ib_network *network) { return network->n_channels; }

ib_channel_info ib_network_channel_info(const ib_network *network, ib_handle channel) {
    return network->channels[channel].info;
}

ib_handle ib_network_channel(const ib_network *network, const char *name) {
    for (size_t i = 0; i < network->n_channels; i++)
        if (strcmp(network->channels[i].info.name, name) == 0)
            return (ib_handle)i;
    return -1;
}

bool ib_network_recorded(const ib_network *network, ib_handle channel) {
    return network->channels[channel].recorded;
}

ib_status ib_network_read(ib_network *network, const ib_handle *channels, size_t n, double *values,
                          ib_diags *diags) {
    ib_status status = IB_OK;
    for (size_t i = 0; i < n && status == IB_OK; i++) {
        const ib_network_channel_entry *entry = &network->channels[channels[i]];
        if (entry->component == SIZE_MAX) {
            values[i] = network->energies[entry->element];
            continue;
        }
        const ib_component *c = &network->components[entry->component];
        const double *input = c->inputs[entry->variable];
        network->active = c;
        if (!input)
            status =
                c->plant.functions->get(c->plant.self, entry->variable, network->scratch, diags);
        values[i] = input ? input[entry->element] : network->scratch[entry->element];
    }
    return status;
}
