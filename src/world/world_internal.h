/* Inside of the world module: what its files share. */
#ifndef IB_WORLD_PRIVATE_H
#define IB_WORLD_PRIVATE_H

#include "world/world.h"

#include <stdatomic.h>

/* ---- rule.c: what a mission does when an expression crosses zero ---- */

typedef struct ib_rule {
    const ib_event_spec *spec;
    ib_tape *tape;
    ib_handle *channels; /* leaves of the tape after time, rising */
    size_t n_channels;
    double *leaves, *work;    /* room for an evaluation */
    ib_operation *operations; /* what its actions mean; [spec->n_actions] */
    struct ib_order *orders;  /* to engines; [spec->n_actions] */
    ib_port *inputs;          /* of plants that are set; [spec->n_actions] */
} ib_rule;

/* A command of the mission to an engine. */
typedef struct ib_order {
    uint16_t vehicle;
    int unit; /* -1: none */
    int what; /* IB_ENGINE_START, IB_ENGINE_STOP */
} ib_order;

typedef struct ib_rule_state {
    double value; /* at the end of the last tick */
    bool known, done;
} ib_rule_state;

/* ---- pool.c: threads ---- */

typedef struct ib_pool ib_pool;

/* n - 1 threads beside the caller's; NULL when there are none to be had. */
ib_pool *ib_pool_create(int n);
void ib_pool_destroy(ib_pool *pool);
/* Calls work(context, part) for part 0 .. n - 1, the caller's own among them, and waits for all. */
void ib_pool_run(ib_pool *pool, void (*work)(void *context, int part), void *context);
int ib_pool_size(const ib_pool *pool);
int ib_pool_processors(void); /* that are there, at most 64 */

/* ---- trace.c: what goes on inside, as text ---- */

typedef struct ib_trace ib_trace;

void ib_trace_destroy(ib_trace *trace);
/* Tells what the last tick was, and forgets it. */
void ib_trace_tick(ib_world *world);

/* ---- the world ---- */

/* What of the world itself advances: plain data. */
typedef struct ib_world_state {
    int64_t tick;
    bool stopped;
} ib_world_state;

typedef struct ib_tick {
    int64_t number;
    ib_time start, end;
    bool computers; /* whether flight computers tick */
} ib_tick;

struct ib_world {
    ib_mission *mission;
    ib_arena *arena;
    ib_model **models; /* of the plants, loaded when a vehicle wants them */
    ib_environment environment;
    double origin[3], launch[9]; /* launch frame: origin and inertial_from_launch */
    ib_time period, end, output_step, computer_period;
    ib_beat computer_beat;
    uint64_t seed;
    uint64_t identity;   /* of the mission's text, what replaces parts of it, and its models' */
    const char *changes; /* the overrides: name, NUL, value, NUL, ... */
    size_t changes_size; /* bytes */
    double realtime;     /* 0: flight computers are not timed */
    int threads;
    ib_vehicle *vehicles; /* [n_vehicles], those of the mission first */
    size_t n_vehicles;
    ib_family *families; /* one for each vehicle of the mission */
    const char **words;  /* of stages */
    size_t n_words;
    ib_channel_info *channels;
    uint16_t *channel_vehicle;
    size_t n_channels;
    ib_names *channel_names;
    double *values; /* of all channels, as far as they have been asked for */
    bool *recorded;
    ib_rule *rules;
    ib_rule_state *rule_states;
    size_t n_rules;
    ib_world_state state;
    ib_tick tick;
    ib_truth truths[IB_WORLD_VEHICLES];
    size_t n_truths;
    ib_logbook log; /* of the last tick */
    ib_pool *pool;
    ib_status failed; /* IB_OK, or why it has given up */
    ib_stage_observer observer;
    void *observer_context;
    ib_trace *trace; /* NULL: none */
};

static inline void ib_world_enter(ib_world *world, int vehicle, ib_stage stage) {
    if (world->observer)
        world->observer(world->observer_context, world->tick.number, vehicle, stage);
}

/* ---- loading: each after those before it; false once it was said what is wrong ---- */

typedef struct ib_world_loader {
    ib_world *world;
    const ib_mission *mission;
    const ib_world_options *options; /* may be NULL */
    ib_diags *diags;
    bool no_memory;
} ib_world_loader;

bool ib_load_environment(ib_world_loader *l);
bool ib_load_rates(ib_world_loader *l);
/* Families, vehicles and their devices. */
bool ib_load_vehicles(ib_world_loader *l);
bool ib_load_family(ib_world_loader *l, const ib_vehicle_spec *spec, ib_family *family);
bool ib_load_units(ib_world_loader *l, const ib_vehicle_spec *spec, uint16_t vehicle,
                   ib_family *family);
bool ib_load_releases(ib_world_loader *l, const ib_vehicle_spec *spec, ib_family *family,
                      uint16_t *next);
bool ib_load_initial(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle);
bool ib_load_bus(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle);
bool ib_load_signals(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle);
bool ib_load_computer(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle);
/* The vehicle's FMU, where it has one, its part in the family, its lines of `signals:`, and what is
 * wired without one. */
bool ib_load_foreign_family(ib_world_loader *l, const ib_vehicle_spec *spec,
                            const ib_plant_spec *plant, ib_family *family);
bool ib_load_foreign(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle);
bool ib_load_foreign_signal(ib_world_loader *l, const ib_vehicle_spec *vehicle_spec,
                            const ib_signal_spec *spec, const char *name, ib_vehicle *vehicle);
/* The input of a plant with that name, to which no wire leads. */
bool ib_load_input(ib_world_loader *l, ib_vehicle *vehicle, const char *name, ib_place place,
                   ib_port *input);
bool ib_load_foreign_input(ib_world_loader *l, ib_vehicle *vehicle, const char *name,
                           ib_place place, ib_port *input);
bool ib_load_foreign_usual(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle);
/* Where the line of `signals:` comes from: the computer's user array or a device's number. */
bool ib_signal_source(ib_world_loader *l, const ib_vehicle_spec *vehicle_spec,
                      const ib_signal_spec *spec, const ib_family *family, ib_wire *wire);
bool ib_signal_needs_computer(ib_world_loader *l, const ib_vehicle_spec *spec, ib_place place);
/* Each input has one wire. */
bool ib_wire_add(ib_world_loader *l, ib_vehicle *vehicle, const ib_wire *wire, const char *input,
                 ib_place place);
/* NaN where there is none yet. */
double ib_wire_value(const ib_vehicle *vehicle, const ib_wire *wire);
/* The vehicle's mechanism, where it is one. */
bool ib_load_machine(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle);
/* Whether a model is one rigid body that leaves all forces to the mission. */
bool ib_model_is_rigid(const ib_model *model);
bool ib_load_channels(ib_world_loader *l);
/* Whether a device of that name would have channels where the vehicle has its own. */
bool ib_channel_reserved(const char *device);
bool ib_load_rules(ib_world_loader *l);
/* The file's content is a part of what the mission is: a snapshot of another one is refused. */
void ib_load_identify(ib_world *world, const char *path);
/* Number of a stage's word, which is added when it is new. */
int32_t ib_load_word(ib_world_loader *l, const char *word);
/* Reports a name that there is not, with the nearest of the names. */
void ib_load_unknown(ib_world_loader *l, ib_diag_id id, ib_place place, const char *what,
                     const char *name, const char *const *names, size_t n);
/* The model's body, device, vehicle by name, or -1. */
int ib_family_part(const ib_family *family, const char *name);
int ib_family_unit(const ib_family *family, const char *name);
int ib_world_find(const ib_world *world, const char *vehicle);

/* ---- the stages of a vehicle's tick ---- */

void ib_vehicle_avionics(ib_world *world, ib_vehicle *vehicle, const ib_tick *tick);
void ib_vehicle_compute(ib_world *world, ib_vehicle *vehicle, const ib_tick *tick);
void ib_vehicle_forces(ib_world *world, ib_vehicle *vehicle);
void ib_vehicle_integrate(ib_world *world, ib_vehicle *vehicle, const ib_tick *tick);
/* Stage 5 makes what the next tick's sensors feel; the frame of truth is filled when it is asked
 * for. */
void ib_vehicle_truth(ib_vehicle *vehicle, const ib_environment *environment, ib_truth *truth);

/* ---- and of the world's ---- */

void ib_world_route(ib_world *world);
ib_status ib_world_events(ib_world *world, ib_diags *diags);
/* Applies an operation, and tells the log. IB_SIMULATION_FAILED with a diagnostic. */
ib_status ib_world_apply(ib_world *world, const ib_operation *operation, ib_time time,
                         ib_diags *diags);
void ib_world_command(ib_world *world, const ib_order *order, ib_time now);
/* The state between the start of the tick and its end, for locating crossings. */
void ib_vehicle_back(ib_world *world, ib_vehicle *vehicle, ib_time time, ib_flight_state *state);
/* Values of the channels of one vehicle, in a state that it had at that time; NULL: its present
 * one.
 */
void ib_vehicle_channels(const ib_world *world, ib_vehicle *vehicle, ib_time time,
                         const ib_flight_state *flight, double *values);
/* Parts that hold together with `first` by the links, as bits. */
uint32_t ib_family_connected(const ib_family *family, uint32_t parts, uint32_t links, size_t first);

#endif
