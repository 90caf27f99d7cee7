/* A mission becomes a world: what its words mean, and everything that is wrong with them. */
#include "world/foreign.h"
#include "world/machine.h"
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST ((size_t)64 << 20) /* bytes of a mission */

/* ---- names ---- */

void ib_load_unknown(ib_world_loader *l, ib_diag_id id, ib_place place, const char *what,
                     const char *name, const char *const *names, size_t n) {
    ib_diags_add(l->diags, IB_ERROR, id, place, "there is no %s '%s'", what, name);
    const char *nearest = ib_nearest_name(name, names, n);
    if (nearest)
        ib_diags_suggest(l->diags, "did you mean '%s'?", nearest);
}

int32_t ib_load_word(ib_world_loader *l, const char *word) {
    ib_world *world = l->world;
    if (!word || !word[0])
        return -1;
    for (size_t i = 0; i < world->n_words; i++)
        if (strcmp(world->words[i], word) == 0)
            return (int32_t)i;
    world->words[world->n_words] = word;
    return (int32_t)world->n_words++;
}

int ib_world_find(const ib_world *world, const char *vehicle) {
    for (size_t i = 0; i < world->n_vehicles; i++)
        if (world->vehicles[i].name && strcmp(world->vehicles[i].name, vehicle) == 0)
            return (int)i;
    return -1;
}

/* ---- environment ---- */

static void set_earth(const ib_mission *mission, ib_environment *environment) {
    const ib_earth_spec *spec = &mission->environment.earth;
    ib_earth *earth = &environment->earth;
    if (spec->shape == IB_SHAPE_SPHERE) {
        earth->shape = IB_EARTH_SPHERE;
        earth->flattening = 0;
        if (spec->radius > 0)
            earth->radius = spec->radius;
    } else if (spec->shape == IB_SHAPE_FLAT) {
        earth->shape = IB_EARTH_FLAT;
    }
    if (!spec->rotation || spec->shape == IB_SHAPE_FLAT)
        earth->rate = 0;
}

/* `launch` turns the launch frame's axes into inertial ones. */
static void set_gravity(const ib_mission *mission, const double launch[9],
                        ib_environment *environment) {
    const ib_environment_spec *spec = &mission->environment;
    ib_gravity *gravity = &environment->gravity;
    switch (spec->gravity) {
    case IB_PULL_NONE:
        gravity->kind = IB_GRAVITY_NONE;
        break;
    case IB_PULL_INVERSE_SQUARE:
        gravity->kind = IB_GRAVITY_INVERSE_SQUARE;
        break;
    case IB_PULL_UNIFORM:
        gravity->kind = IB_GRAVITY_UNIFORM;
        ib_mul3v(launch, spec->uniform, gravity->uniform);
        break;
    case IB_PULL_DEFAULT:
        if (environment->earth.shape == IB_EARTH_FLAT)
            *gravity = (ib_gravity){.kind = IB_GRAVITY_UNIFORM, .uniform = {0, 0, -9.80665}};
        break;
    case IB_PULL_J2:
        break;
    }
}

static void set_wind(const ib_wind_spec *spec, ib_wind *wind) {
    double blown[3];
    ib_wind_from_direction(spec->speed, spec->from, blown);
    ib_axpy(spec->steady, 1, blown, wind->steady);
    wind->n_levels = (int)spec->n_levels;
    for (size_t i = 0; i < spec->n_levels; i++) {
        wind->levels[i].height = spec->levels[i].height;
        memcpy(wind->levels[i].wind, spec->levels[i].wind, sizeof spec->levels[i].wind);
    }
    wind->n_gusts = (int)spec->n_gusts;
    for (size_t i = 0; i < spec->n_gusts; i++) {
        wind->gusts[i].start = spec->gusts[i].start;
        wind->gusts[i].duration = spec->gusts[i].duration;
        memcpy(wind->gusts[i].amplitude, spec->gusts[i].amplitude, sizeof spec->gusts[i].amplitude);
    }
    wind->turbulence.intensity = spec->turbulence.intensity;
    wind->turbulence.scale = spec->turbulence.scale;
}

bool ib_load_environment(ib_world_loader *l) {
    const ib_mission *mission = l->mission;
    ib_world *world = l->world;
    ib_environment *environment = &world->environment;
    ib_environment_default(environment);
    set_earth(mission, environment);
    environment->origin =
        (ib_geodetic){mission->launch.latitude, ib_longitude(mission->launch.longitude),
                      mission->launch.altitude};
    environment->atmosphere =
        mission->environment.atmosphere ? IB_ATMOSPHERE_US76 : IB_ATMOSPHERE_NONE;
    environment->magnetic_field = mission->environment.magnetic_field;
    ib_launch_frame(&environment->earth, &environment->origin, mission->launch.azimuth,
                    world->origin, world->launch);
    set_gravity(mission, world->launch, environment);
    set_wind(&mission->environment.wind, &environment->wind);
    return ib_environment_prepare(environment, world->seed, l->diags, mission->environment.place) ==
           IB_OK;
}

/* ---- rates ---- */

static bool period_of(ib_world_loader *l, const ib_rate *rate, const char *name, ib_time *period) {
    const ib_place place = rate->place.line ? rate->place : l->mission->rates_place;
    const ib_status status =
        rate->seconds > 0 || rate->seconds < 0
            ? ib_period_from_seconds(rate->seconds, name, l->diags, place, period)
            : ib_period_from_rate(rate->hertz, name, l->diags, place, period);
    return status == IB_OK;
}

/* Of a frequency or a period against the physics rate. */
static bool beat_of(ib_world_loader *l, const ib_rate *rate, ib_time phase, const char *name,
                    ib_beat *beat) {
    ib_time period;
    if (!(rate->seconds > 0 || rate->seconds < 0))
        return ib_beat_from_rate(l->world->period, rate->hertz, phase, name, l->diags, rate->place,
                                 beat) == IB_OK;
    return ib_period_from_seconds(rate->seconds, name, l->diags, rate->place, &period) == IB_OK &&
           ib_beat_make(l->world->period, period, phase, name, l->diags, rate->place, beat) ==
               IB_OK;
}

bool ib_load_rates(ib_world_loader *l) {
    ib_world *world = l->world;
    const ib_mission *mission = l->mission;
    if (!period_of(l, &mission->physics, "physics", &world->period) ||
        !beat_of(l, &mission->computer, 0, "flight_computer", &world->computer_beat))
        return false;
    world->computer_period = world->computer_beat.ratio * world->period;
    const ib_time usual = IB_SECOND / 100;
    world->output_step = mission->output_step;
    if (!world->output_step)
        world->output_step =
            usual % world->period == 0 ? usual : (usual / world->period + 1) * world->period;
    if (world->output_step % world->period == 0)
        return true;
    ib_diags_add(l->diags, IB_ERROR, IB0715, mission->output_place,
                 "output_step: results are written at ticks, so the physics period divides it");
    return false;
}

/* ---- the world ---- */

static ib_world *new_world(void) {
    ib_arena *arena = ib_arena_create();
    ib_world *world = arena ? IB_ARENA_NEW(arena, ib_world) : NULL;
    if (!world)
        ib_arena_destroy(arena);
    else
        world->arena = arena;
    return world;
}

static size_t count_words(const ib_mission *mission) {
    size_t n = mission->n_vehicles + 1;
    for (size_t i = 0; i < mission->n_events; i++)
        n += mission->events[i].n_actions;
    return n;
}

/* How many vehicles there can ever be. */
static size_t count_vehicles(const ib_mission *mission) {
    size_t n = mission->n_vehicles;
    for (size_t i = 0; i < mission->n_vehicles; i++)
        n += mission->vehicles[i].n_separations;
    return n;
}

static bool allocate(ib_world_loader *l) {
    ib_world *world = l->world;
    const ib_mission *mission = l->mission;
    const size_t n = count_vehicles(mission);
    if (n > IB_WORLD_VEHICLES) {
        ib_diags_add(l->diags, IB_ERROR, IB0347, mission->vehicles[0].place,
                     "a mission has at most %d vehicles, with those that separate; these are %zu",
                     IB_WORLD_VEHICLES, n);
        return false;
    }
    world->words = IB_ARENA_ARRAY(world->arena, count_words(mission), const char *);
    world->vehicles = IB_ARENA_ARRAY(world->arena, n, ib_vehicle);
    world->families = IB_ARENA_ARRAY(world->arena, mission->n_vehicles, ib_family);
    world->models = IB_ARENA_ARRAY(world->arena, mission->n_plants + 1, ib_model *);
    world->log.capacity = n * 80 + 256;
    world->log.entries = IB_ARENA_ARRAY(world->arena, world->log.capacity, ib_log_entry);
    l->no_memory = !world->words || !world->vehicles || !world->families || !world->models ||
                   !world->log.entries;
    if (!l->no_memory)
        world->n_vehicles = n;
    return !l->no_memory;
}

static int thread_count(const ib_world *world, const ib_mission *mission, int asked) {
    const size_t most = world->n_vehicles < 64 ? world->n_vehicles : 64;
    int n = asked > 0 ? asked : mission->parallel ? mission->threads : 1;
    if (n == 0)
        n = ib_pool_processors();
    return (size_t)n > most ? (int)most : n;
}

/* A snapshot knows what replaced parts of the mission. */
static bool keep_changes(ib_world_loader *l) {
    ib_world *world = l->world;
    ib_str text = {0};
    for (size_t i = 0; l->options && i < l->options->n_overrides; i++) {
        const ib_override *o = &l->options->overrides[i];
        ib_str_add_n(&text, o->name, strlen(o->name) + 1);
        ib_str_add_n(&text, o->value, strlen(o->value) + 1);
    }
    char *kept = ib_arena_alloc(world->arena, text.length + 1, 1);
    l->no_memory = text.failed || !kept;
    if (!l->no_memory && text.length > 0)
        memcpy(kept, text.data, text.length);
    world->changes = kept;
    world->changes_size = text.length;
    world->identity = ib_hash_bytes(world->identity, kept ? kept : "", text.length);
    ib_str_free(&text);
    return !l->no_memory;
}

/* The mission's programs, where somebody starts them. */
static bool start_processes(ib_world_loader *l, const ib_world_options *options) {
    const ib_mission *mission = l->mission;
    ib_arena *arena = l->world->arena;
    if (!options || !options->start || mission->n_processes == 0)
        return true;
    ib_world_process *list = IB_ARENA_ARRAY(arena, mission->n_processes, ib_world_process);
    ib_world_peer *peers = IB_ARENA_ARRAY(arena, mission->n_computers + 1, ib_world_peer);
    size_t n_peers = 0;
    l->no_memory = l->no_memory || !list || !peers;
    if (l->no_memory)
        return false;
    for (size_t i = 0; i < mission->n_processes; i++) {
        const ib_process_spec *spec = &mission->processes[i];
        list[i] = (ib_world_process){spec->name,         spec->command,         spec->n_command,
                                     spec->stop_on_exit, spec->end_run_on_exit, spec->place};
    }
    for (size_t i = 0; i < mission->n_computers; i++)
        if (mission->computers[i].channel)
            peers[n_peers++] =
                (ib_world_peer){mission->computers[i].name, mission->computers[i].channel};
    return options->start(options->context, list, mission->n_processes, peers, n_peers) == IB_OK;
}

static bool load(ib_world_loader *l, const ib_world_options *options) {
    ib_world *world = l->world;
    const ib_mission *mission = l->mission;
    world->seed = options && options->seed ? *options->seed : mission->seed;
    world->realtime = options ? options->realtime : 0;
    world->end = options && options->end ? *options->end : mission->end;
    if (!keep_changes(l) || !allocate(l) || !ib_load_environment(l) || !ib_load_rates(l) ||
        !start_processes(l, options) || !ib_load_vehicles(l) || !ib_load_channels(l) ||
        !ib_load_rules(l))
        return false;
    world->threads = thread_count(world, mission, options ? options->threads : 0);
    if (world->threads > 1)
        world->pool = ib_pool_create(world->threads);
    l->no_memory = world->threads > 1 && !world->pool;
    return !l->no_memory;
}

/* Takes the mission over. */
static ib_status build(ib_mission *mission, uint64_t identity, const ib_world_options *options,
                       ib_diags *diags, ib_world **result) {
    const size_t before = ib_diags_errors(diags);
    ib_world *world = new_world();
    ib_world_loader l = {.world = world, .mission = mission, .options = options, .diags = diags};
    if (world) {
        world->mission = mission;
        world->identity = identity;
    } else {
        ib_mission_destroy(mission);
    }
    const bool good = world && load(&l, options);
    if (good && ib_diags_errors(diags) == before) {
        *result = world;
        return IB_OK;
    }
    ib_world_destroy(world);
    if (ib_diags_errors(diags) > before)
        return IB_BAD_INPUT;
    ib_diags_add(diags, IB_ERROR, IB0103, IB_NO_PLACE, "out of memory while loading the mission");
    return IB_NO_MEMORY;
}

ib_status ib_world_create(const char *path, const ib_world_options *options, ib_diags *diags,
                          ib_world **world) {
    char *text = NULL;
    size_t length = 0;
    *world = NULL;
    ib_status status = ib_file_read(path, LARGEST, diags, IB_NO_PLACE, &text, &length);
    if (status == IB_OK)
        status = ib_world_create_text(path, text, length, options, diags, world);
    free(text);
    return status;
}

ib_status ib_world_create_text(const char *name, const char *text, size_t length,
                               const ib_world_options *options, ib_diags *diags, ib_world **world) {
    ib_mission *mission;
    *world = NULL;
    const ib_status status =
        ib_mission_load_text(name, text, length, options ? options->overrides : NULL,
                             options ? options->n_overrides : 0, &ib_unit_names, diags, &mission);
    if (status != IB_OK)
        return status;
    return build(mission, ib_hash_bytes(IB_HASH_START, text, length), options, diags, world);
}

void ib_world_destroy(ib_world *world) {
    if (!world)
        return;
    ib_pool_destroy(world->pool);
    ib_trace_destroy(world->trace);
    for (size_t i = 0; i < world->n_vehicles; i++) {
        ib_bus_destroy(world->vehicles[i].bus);
        ib_computer_close(world->vehicles[i].computer);
        ib_diags_destroy(world->vehicles[i].diags);
        ib_foreign_destroy(world->vehicles[i].foreign);
        if (world->vehicles[i].machine)
            ib_system_destroy(world->vehicles[i].machine->system);
    }
    for (size_t i = 0; i < world->n_rules; i++)
        ib_tape_destroy(world->rules[i].tape);
    for (size_t i = 0; world->models && i < world->mission->n_plants; i++)
        ib_model_destroy(world->models[i]);
    ib_names_destroy(world->channel_names);
    ib_mission_destroy(world->mission);
    ib_arena_destroy(world->arena);
}

/* ---- what is asked of it ---- */

const char *ib_world_name(const ib_world *world) { return world->mission->name; }
ib_time ib_world_time(const ib_world *world) {
    return ib_tick_time(world->period, world->state.tick);
}
int64_t ib_world_tick_count(const ib_world *world) { return world->state.tick; }
ib_time ib_world_period(const ib_world *world) { return world->period; }
ib_time ib_world_end(const ib_world *world) { return world->end; }
ib_time ib_world_output_step(const ib_world *world) { return world->output_step; }
uint64_t ib_world_seed(const ib_world *world) { return world->seed; }

static const char *solver_of(const ib_vehicle *vehicle) {
    const ib_plant *plant = vehicle->foreign ? &vehicle->foreign->plant : NULL;
    if (plant)
        return plant->functions->statistics(plant->self).solver;
    return vehicle->machine ? ib_system_statistics(vehicle->machine->system).solver : "rk4";
}

const char *ib_world_solver(const ib_world *world) {
    const char *solver = NULL;
    for (size_t i = 0; i < world->n_vehicles; i++) {
        const char *one = solver_of(&world->vehicles[i]);
        if (solver && strcmp(solver, one) != 0)
            return "several";
        solver = one;
    }
    return solver ? solver : "rk4";
}
bool ib_world_stopped(const ib_world *world) { return world->state.stopped; }
size_t ib_world_vehicle_count(const ib_world *world) { return world->n_vehicles; }
const char *ib_world_vehicle_name(const ib_world *world, size_t vehicle) {
    return world->vehicles[vehicle].name;
}
bool ib_world_vehicle_flies(const ib_world *world, size_t vehicle) {
    return world->vehicles[vehicle].state.flies;
}
int64_t ib_world_computer_ratio(const ib_world *world) { return world->computer_beat.ratio; }
ib_vehicle *ib_world_vehicle(ib_world *world, size_t index) { return &world->vehicles[index]; }
const ib_environment *ib_world_environment(const ib_world *world) { return &world->environment; }
const ib_logbook *ib_world_log(const ib_world *world) { return &world->log; }
size_t ib_world_truths(ib_world *world, const ib_truth **truths) {
    for (size_t i = 0; i < world->n_truths; i++)
        ib_vehicle_truth(&world->vehicles[world->truths[i].vehicle], &world->environment,
                         &world->truths[i]);
    *truths = world->truths;
    return world->n_truths;
}
