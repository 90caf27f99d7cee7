/* `ironbird run`: what its files share. */
#ifndef IB_CLI_RUN_H
#define IB_CLI_RUN_H

#include "cli.h"

#include <time.h>

/* ---- run_input.c: runtime inputs from a table ---------------------------------------------- */

/* Rows of a CSV file: at times[i] input handles[k] becomes values[i * n_inputs + k]. */
typedef struct ib_input_table {
    const char *path;
    ib_handle *handles; /* [n_inputs] */
    size_t n_inputs;
    ib_time *times;  /* [n_rows] */
    double *values;  /* [n_rows][n_inputs] */
    uint32_t *lines; /* [n_rows]: where in the file */
    size_t n_rows, capacity;
    size_t next; /* the first row that has not been applied */
} ib_input_table;

ib_status ib_input_table_read(const char *path, const ib_model *model, const ib_system *system,
                              ib_diags *diags, ib_input_table *table);
void ib_input_table_free(ib_input_table *table);

/* ---- interrupt.c: Ctrl-C ------------------------------------------------------------------- */

/* The first SIGINT, SIGTERM or SIGHUP is noted, the second ends the program at once. */
void ib_interrupt_watch(void);
bool ib_interrupt_seen(void);

/* ---- progress.c ---------------------------------------------------------------------------- */

typedef enum ib_progress_kind {
    IB_PROGRESS_NONE,
    IB_PROGRESS_BAR,
    IB_PROGRESS_JSON
} ib_progress_kind;

typedef struct ib_progress {
    ib_progress_kind kind;
    bool unicode, colour, shown;
    ib_time start, end;
    double begun, last; /* s, of the clock */
    unsigned calls;     /* since the clock was last asked */
} ib_progress;

double ib_clock(void); /* s, since some moment */
void ib_progress_begin(ib_progress *progress, ib_progress_kind kind, ib_time start, ib_time end);
/* Cheap enough to be called once a step. */
void ib_progress_step(ib_progress *progress, ib_time now);
/* Shows the last state (JSON) or removes the bar. */
void ib_progress_end(ib_progress *progress, ib_time now);

/* ---- run_pace.c: by the wall clock ----------------------------------------------------------- */

typedef struct ib_run_pace {
    double factor; /* so many times as fast; 0: as fast as it goes */
    double begun;  /* s, of the clock */
    ib_time from;
    uint64_t ticks, late;
    double worst; /* s */
    ib_time worst_at;
} ib_run_pace;

typedef struct ib_run_trace ib_run_trace;
typedef struct ib_run_processes ib_run_processes;

/* ---- the run ------------------------------------------------------------------------------- */

typedef struct ib_run {
    const ib_arguments *given;
    ib_diags *diags;
    size_t printed; /* diagnostics that were shown */
    bool quiet, json;

    /* What is simulated. */
    const char *file;
    ib_model *model;
    ib_system *system;
    ib_fmu *fmu; /* instead of a model and a system */
    ib_fmu_run *fmu_run;
    ib_world *world;       /* likewise */
    ib_network *network;   /* likewise */
    ib_snapshot *snapshot; /* that a mission goes on from, or NULL */
    const char *snapshot_path;
    ib_time checkpoint; /* how often one is taken; 0: never */
    char **snapshots;   /* [n_snapshots]: names of their files in the folder */
    size_t n_snapshots, snapshot_capacity;
    uint64_t rows, happenings;   /* recorded so far */
    char *old_rows, *old_events; /* what a resumed run had recorded, as text */
    bool *wanted;                /* columns of fmu_run, or channels of the world, to record */
    ib_time start, end, output_step;
    uint64_t seed;
    ib_input_table input;

    /* What is recorded, and where. */
    char *folder;
    bool folder_ours; /* prepared: results may be written */
    ib_handle *channels;
    ib_channel_info *infos;
    double *values;
    size_t n_channels;
    ib_recorder *recorder;
    ib_time last_row;

    /* How it goes. */
    ib_run_pace pace;
    unsigned traced;             /* IB_TRACE_... */
    ib_run_trace *trace;         /* NULL: none */
    ib_run_processes *processes; /* likewise */
    ib_progress progress;
    double begun, wall; /* s */
    char started[32];
    const char *outcome; /* "running", "done", ... */
} ib_run;

/* run_setup.c: everything before the first step. */
ib_status ib_run_load(ib_run *run);
ib_status ib_run_choose_channels(ib_run *run);

/* "2.5" in seconds, or a number and a unit of time. */
bool ib_run_parse_time(const char *text, ib_time *time);
/* run_folder.c: where results go, to be freed; NULL when out of memory. */
char *ib_run_folder_name(const ib_run *run);
/* The options that every kind of file has: formats, seed, progress. */
ib_status ib_run_common(ib_run *run);

/* run_fmu.c: the same for an FMU. */
ib_status ib_run_load_fmu(ib_run *run);
/* Builds the library where that is needed. */
ib_status ib_run_prepare_fmu(ib_run *run);
ib_status ib_run_simulate_fmu(ib_run *run);
/* run_guard.c: simulates; what an FMU does to this process becomes an error. */
ib_status ib_run_guarded(ib_run *run, const ib_fmu_sink *sink);
/* From now on exit() ends this run first, results kept; NULL: not any more. */
void ib_run_catch_exit(ib_run *run);

/* run_mission.c: the same for a mission. */
ib_status ib_run_load_mission(ib_run *run);
ib_status ib_run_simulate_mission(ib_run *run);

/* run_processes.c: starts programs beside the run; whether one that the run ends with has ended,
 * which is told; ends all, keeps what they said, and waits for those that are to be waited for if
 * `wait`. */
ib_status ib_processes_start(ib_run *run, const ib_world_process *specs, size_t n,
                             const ib_world_peer *peers, size_t n_peers);
bool ib_processes_ended(ib_run *run);
void ib_processes_end(ib_run *run, bool wait);

/* run_pace.c: reads --realtime; begins; waits after a tick; tells of what was late. */
ib_status ib_pace_choose(ib_run *run);
void ib_pace_begin(ib_run *run);
void ib_pace_keep(ib_run *run);
void ib_pace_tell(ib_run *run);

/* run_trace.c: reads --trace; trace.csv. */
ib_status ib_run_choose_trace(ib_run *run);
ib_status ib_run_open_trace(ib_run *run);
ib_status ib_run_close_trace(ib_run *run);

/* run_network.c: the same for a network. */
ib_status ib_run_load_network(ib_run *run);
ib_status ib_run_network_channels(ib_run *run);
ib_status ib_run_simulate_network(ib_run *run);

/* run_snapshot.c: snapshots of a mission. */
ib_status ib_run_choose_checkpoint(ib_run *run);
ib_status ib_run_take_snapshot(ib_run *run);
/* Reads what was recorded before; then records it again, to `events` what belongs there. */
ib_status ib_run_read_past(ib_run *run);
/* Marks the channels that had been recorded. */
ib_status ib_run_old_channels(ib_run *run, bool *wanted);
ib_status ib_run_replay(ib_run *run, FILE *events);
bool ib_run_same_folder(const ib_run *run);
char *ib_run_snapshot_folder(const ib_run *run); /* malloc'ed */
/* Runs a command line of `run`, from a snapshot unless NULL. */
int ib_run_command(const ib_arguments *given, ib_snapshot *snapshot, const char *snapshot_path);

/* run_channels.c: what there is to record. */
typedef struct ib_channel_source {
    size_t n;
    ib_channel_info (*info)(const ib_run *run, ib_handle channel);
    bool (*usual)(const ib_run *run, ib_handle channel); /* where nobody says */
    const char *const *patterns;                         /* [n_patterns] of the file */
    size_t n_patterns;
    ib_place place; /* of these */
} ib_channel_source;
/* Makes room for channels and marks those that are asked for in run->wanted. */
ib_status ib_run_mark_channels(ib_run *run, const ib_channel_source *source);
/* Lists the marked ones. */
void ib_run_list_channels(ib_run *run, const ib_channel_source *source);

/* Compares with --compare; the exit code. */
int ib_run_compare(ib_run *run);
/* Refuses options that are for the other kind of file. */
ib_status ib_run_refuse_options(ib_run *run);

/* run_fmu_input.c: --input of an FMU. */
ib_status ib_run_read_fmu_input(ib_run *run, const char *path);

/* run_loop.c: from the first row to the last. */
ib_status ib_run_simulate(ib_run *run);

/* run.c: all that follows the last row; the exit code. */
int ib_run_finish(ib_run *run, ib_status status);

/* run_folder.c: the results folder and what is said at the end. */
ib_status ib_run_open_folder(ib_run *run);
ib_status ib_run_write_record(ib_run *run);
void ib_run_report(ib_run *run, int code);

#endif
