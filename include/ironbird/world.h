/* Worlds: a mission loaded and ready to fly. A world is used by one thread at a time; it may tick
 * its vehicles on threads of its own, with the same bits for any number of them.
 */
#ifndef IRONBIRD_WORLD_H
#define IRONBIRD_WORLD_H

#include "ironbird/base.h"
#include "ironbird/model.h"
#include "ironbird/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ib_world ib_world;

/* A program that the mission wants beside the run. Strings are the mission's own, which lives as
 * long as the world that is being made. */
typedef struct ib_world_process {
    const char *name;
    const char *const *command; /* [n_command] the program and its arguments */
    size_t n_command;
    bool stop_on_exit;    /* the end of the run ends it */
    bool end_run_on_exit; /* its end is that of the run */
    ib_place place;       /* of the command */
} ib_world_process;

/* An address that a flight computer is expected at. */
typedef struct ib_world_peer {
    const char *computer, *address;
} ib_world_peer;

/* What replaces the mission's own words; all may be absent. */
typedef struct ib_world_options {
    const uint64_t *seed;
    const ib_time *end;
    int threads; /* 0: as the mission says */
    /* [n_overrides] What the mission's own words are replaced by: PLANT.PARAMETER, COMPUTER.NAME of
     * a flight computer's config, or a path such as "vehicles.rocket.plant". */
    const ib_override *overrides;
    size_t n_overrides;
    /* Measure how long flight computers take, against their periods at so many times real time; 0:
     * do not. */
    double realtime;
    /* Calls work(argument) and returns 0, or the number of the signal that ended it: contains the
     * crash of a flight computer in this process. NULL: such a crash is the process's own. */
    int (*guard)(void (*work)(void *argument), void *argument);
    const char *host; /* the program `ironbird`, for flight computers in processes of their own */
    /* Starts the programs, before flight computers are opened; anything but IB_OK, with a
     * diagnostic, ends the loading. NULL: they are not started. */
    ib_status (*start)(void *context, const ib_world_process *processes, size_t n,
                       const ib_world_peer *peers, size_t n_peers);
    bool (*stopped)(void *context); /* asked while waiting for a peer; true ends the wait */
    void *context;                  /* of start and stopped */
} ib_world_options;

/* Reads the mission and everything that it names, and checks all of it: IB_BAD_INPUT with
 * diagnostics for what is wrong. *world is NULL unless IB_OK. */
ib_status ib_world_create(const char *path, const ib_world_options *options, ib_diags *diags,
                          ib_world **world);
void ib_world_destroy(ib_world *world);

const char *ib_world_name(const ib_world *world);
ib_time ib_world_time(const ib_world *world);
int64_t ib_world_tick_count(const ib_world *world);
ib_time ib_world_period(const ib_world *world); /* of physics */
/* When the run ends, and how often it asks for a row of results. */
ib_time ib_world_end(const ib_world *world);
ib_time ib_world_output_step(const ib_world *world);
uint64_t ib_world_seed(const ib_world *world);
/* What integrates the vehicles: "rk4" for rigid bodies, the solver of a mechanism's model,
 * "Co-Simulation" for FMUs; "several" where they differ. */
const char *ib_world_solver(const ib_world *world);

/* One tick of everything. IB_SIMULATION_FAILED with a diagnostic when something gave up; the world
 * is then at the last good tick. */
ib_status ib_world_tick(ib_world *world, ib_diags *diags);
/* Whether an event has asked for the end. */
bool ib_world_stopped(const ib_world *world);

/* Vehicles, those that are yet to separate among them. */
size_t ib_world_vehicle_count(const ib_world *world);
const char *ib_world_vehicle_name(const ib_world *world, size_t vehicle);
/* Whether it is there now. */
bool ib_world_vehicle_flies(const ib_world *world, size_t vehicle);

/* Channels: "stack.body.position.x". Those of a vehicle that is not there read as NaN. */
size_t ib_world_channel_count(const ib_world *world);
ib_channel_info ib_world_channel_info(const ib_world *world, ib_handle channel);
ib_handle ib_world_channel(const ib_world *world, const char *name); /* -1: none */
/* Values now. Handles in rising order are read fastest. */
void ib_world_read(ib_world *world, const ib_handle *channels, size_t n, double *values);
/* Whether the mission's `record:` asks for it. */
bool ib_world_recorded(const ib_world *world, ib_handle channel);

/* What happened in the last tick, in order. Strings are the world's own. */
typedef struct ib_happening {
    ib_time time;
    const char *vehicle; /* "" for the world */
    const char *source;  /* device or event */
    const char *what;    /* "bolt_fired", "separate", "mark", ... */
    const char *detail;  /* "" when there is none */
} ib_happening;
size_t ib_world_happenings(const ib_world *world);
ib_happening ib_world_happening(const ib_world *world, size_t i);

/* What goes on inside, line by line: IB_TRACE_BUS every message on a bus, IB_TRACE_DEVICES the
 * numbers of every device that has stepped, IB_TRACE_EVENTS the value of every event's expression
 * at the tick's end. Strings live until the sink returns. */
enum { IB_TRACE_BUS = 1, IB_TRACE_DEVICES = 2, IB_TRACE_EVENTS = 4 };
typedef struct ib_trace_line {
    ib_time time;
    const char *vehicle; /* "" for the world */
    const char *kind;    /* "bus", "device", "event" */
    const char *name;    /* of the topic, device or event */
    const char *text;
} ib_trace_line;
/* Calls the sink at the end of every tick, in an order that does not depend on threads. Looking
 * changes nothing. IB_NO_MEMORY when there is no room. */
ib_status ib_world_trace(ib_world *world, unsigned what,
                         void (*sink)(void *context, const ib_trace_line *line), void *context,
                         ib_diags *diags);

/* Messages of one topic on one vehicle's bus, so far: each one published was delivered, departed to
 * another vehicle, lost, dropped, or waits. False behind the last. */
typedef struct ib_bus_record {
    const char *vehicle, *topic;
    uint64_t published, delivered, departed, lost, dropped;
} ib_bus_record;
bool ib_world_bus_record(const ib_world *world, size_t i, ib_bus_record *record);

/* How long a vehicle's flight computer took for its ticks, by the wall clock, so far; all zero
 * without one, and where `realtime` was not asked for. False behind the last vehicle. */
typedef struct ib_pace_record {
    const char *vehicle;
    uint64_t ticks, late; /* late: longer than its period */
    double worst;         /* s */
    ib_time worst_at;     /* start of that tick */
} ib_pace_record;
bool ib_world_pace_record(const ib_world *world, size_t i, ib_pace_record *record);

/* ---- what it is made of -------------------------------------------------------------------- */

/* Strings are the world's own, "" where there is nothing to say. */
typedef struct ib_vehicle_about {
    const char *name;
    const char *kind;               /* "rigid body", "mechanism", "FMU" */
    const char *from;               /* of one that has yet to separate: the vehicle it leaves */
    const char *plant, *plant_file; /* the file as the mission writes it */
    /* Of the flight computer: its name, "in this process", "in a process of its own" or "behind a
     * channel", and its file or address. */
    const char *computer, *computer_kind, *computer_where;
    const char *stage;
    double mass; /* now, kg; NaN where an FMU does not tell, 0 before it separates */
    bool held;
    int bus_capacity; /* messages */
} ib_vehicle_about;
ib_vehicle_about ib_world_vehicle_about(const ib_world *world, size_t vehicle);

/* A device, in the order of their steps; false behind the last. A vehicle that has yet to separate
 * has those that the other one will give it, and lists none. */
typedef struct ib_device_about {
    const char *name, *type, *body;
    ib_time period;
    int64_t ticks; /* of physics to one step */
} ib_device_about;
bool ib_world_device_about(const ib_world *world, size_t vehicle, size_t i, ib_device_about *about);

/* A topic that devices of the vehicle use, or that the mission says something of; false behind the
 * last. */
typedef struct ib_topic_about {
    const char *name;
    double latency, loss; /* s; probability */
} ib_topic_about;
bool ib_world_topic_about(const ib_world *world, size_t vehicle, size_t i, ib_topic_about *about);

/* What can come off; false behind the last. */
typedef struct ib_separation_about {
    const char *name, *as;
    const char *const *joints; /* [n_joints] that are released */
    size_t n_joints;
} ib_separation_about;
bool ib_world_separation_about(const ib_world *world, size_t vehicle, size_t i,
                               ib_separation_about *about);

/* An event of the mission; false behind the last. */
typedef struct ib_event_about {
    const char *name, *when, *crosses; /* crosses: "up", "down", "both" */
    bool once;
    size_t n_actions;
} ib_event_about;
bool ib_world_event_about(const ib_world *world, size_t i, ib_event_about *about);

/* What was found around the vehicles, and where the launch point is. */
typedef struct ib_environment_about {
    const char *shape, *gravity, *atmosphere; /* the mission's words */
    double uniform[3];                        /* gravity, launch axes, m/s^2; 0 unless "uniform" */
    double rotation;                          /* of the Earth, rad/s */
    double latitude, longitude, altitude;     /* rad, m */
    double steady[3];                         /* wind: north, east, down, m/s */
    size_t n_levels, n_gusts;                 /* of wind by height, of gusts */
    double turbulence;                        /* standard deviation, m/s */
    bool magnetic_field;
} ib_environment_about;
ib_environment_about ib_world_environment_about(const ib_world *world);

const char *ib_world_mode(const ib_world *world); /* "sil_monolithic", ... */
ib_time ib_world_computer_period(const ib_world *world);

/* Of the bits of everything that advances. */
uint64_t ib_world_hash(const ib_world *world);

/* ---- snapshots: a world goes on from a file with the same bits ------------------------------ */

typedef struct ib_snapshot ib_snapshot;

/* What a snapshot says of its run. */
typedef struct ib_snapshot_about {
    ib_time time, end;
    uint64_t seed;
    uint64_t rows, happenings; /* recorded before it */
    ib_time checkpoint;        /* how often one was taken, 0: once */
} ib_snapshot_about;

/* Whether all of the world's state is here; else a diagnostic says whose is not. */
bool ib_world_can_save(const ib_world *world, ib_diags *diags);
/* `version` is the program's, `mission` the path that the world was created from. */
ib_status ib_snapshot_write(const ib_world *world, const char *path, const char *version,
                            const char *mission, ib_snapshot_about about, ib_diags *diags);
/* IB_BAD_INPUT with a diagnostic for a file that is damaged, cut off, or of another version. */
ib_status ib_snapshot_read(const char *path, const char *version, ib_diags *diags,
                           ib_snapshot **snapshot);
void ib_snapshot_destroy(ib_snapshot *snapshot);
const char *ib_snapshot_mission(const ib_snapshot *snapshot);
ib_snapshot_about ib_snapshot_tell(const ib_snapshot *snapshot);
/* The overrides that its world was created with, in their order; false behind the last. */
bool ib_snapshot_override(const ib_snapshot *snapshot, size_t i, ib_override *override);
/* Puts the world, made of the same mission, where the snapshot was taken. */
ib_status ib_world_resume(ib_world *world, const ib_snapshot *snapshot, ib_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
