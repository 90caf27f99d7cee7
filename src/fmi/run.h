/* A simulation of an FMU: what its parts share. Private to the module. */
#ifndef IB_FMI_RUN_H
#define IB_FMI_RUN_H

#include "fmi/instance.h"

/* ---- grid.c: times that are counted, not added up ------------------------------------------ */

/* t_i = start + i * step. Where both are whole nanoseconds, t_i is the double nearest to the exact
 * sum; otherwise the product and the sum are rounded once each. */
typedef struct ib_fmi_grid {
    double start, step;
    bool whole;
    ib_time start_ns, step_ns;
    double divisor; /* of step: substeps of a step that is longer than the cap */
} ib_fmi_grid;

ib_fmi_grid ib_fmi_grid_make(double start, double step);
double ib_fmi_grid_time(const ib_fmi_grid *grid, uint64_t i);

/* ---- setting.c: values from the command line ----------------------------------------------- */

/* A value for a whole variable. */
typedef struct ib_fmi_setting {
    size_t variable;
    void *values; /* [n] of the type's size */
    size_t n;
    const char *text; /* of a string or of hexadecimal bytes */
} ib_fmi_setting;

struct ib_fmu_run;

/* Reads every NAME=VALUE into run->settings, and the sizes that structural parameters give into
 * run->n_values. All mistakes are reported. */
ib_status ib_fmi_read_settings(struct ib_fmu_run *run, const ib_fmu_set *sets, size_t n);
/* Sets them in the instance: structural parameters in configuration mode, then the others. */
ib_status ib_fmi_apply_settings(struct ib_fmu_run *run);
/* The size of a dimension by the structural parameters of this run. */
uint64_t ib_fmi_dimension_size(const struct ib_fmu_run *run, const ib_fmi_variable *variable,
                               size_t dimension);
/* The variable and, of an array, the element that a name such as x[2] or m[1,3] means; element
 * SIZE_MAX: the whole. False when there is none. */
bool ib_fmi_find_element(const struct ib_fmu_run *run, const char *name, size_t *variable,
                         size_t *element);
/* Reports that there is no such variable, with the nearest name. */
void ib_fmi_complain_unknown(ib_diags *diags, const ib_fmi_description *description,
                             const char *name, const char *what);
/* One value of the variable from text: numbers, true and false, names of enumeration items. */
bool ib_fmi_read_value(const ib_fmi_description *description, const ib_fmi_variable *variable,
                       const char *text, size_t length, void *value);
/* Fills n values of the variable with its start values, or zeros where there are none. */
void ib_fmi_start_values(const ib_fmi_variable *variable, size_t n, void *values);

/* ---- text.c: values that are texts --------------------------------------------------------- */

typedef struct ib_fmi_texts {
    ib_names *names;
    const char **list; /* [n] */
    size_t n, capacity, bytes;
} ib_fmi_texts;

/* The one copy of a text; of equal ones the same. NULL: no memory, or more than 256 MiB of them. */
const char *ib_fmi_keep_text(struct ib_fmu_run *run, const char *text);
/* The same with control characters written as \xNN, and of bytes as hexadecimal digits. */
const char *ib_fmi_keep_shown(struct ib_fmu_run *run, const char *text);
const char *ib_fmi_keep_bytes(struct ib_fmu_run *run, const uint8_t *bytes, size_t n);
void ib_fmi_free_texts(struct ib_fmu_run *run);
/* Sets n binaries from hexadecimal digits. */
ib_status ib_fmi_set_hex(ib_fmi_instance *instance, uint32_t reference, const char *const *texts,
                         size_t n);

/* ---- input.c: inputs from a table ---------------------------------------------------------- */

typedef struct ib_fmi_input_column {
    size_t target; /* index in `targets` */
    size_t element;
    uint8_t *cells; /* [n_rows] of the type's size; of texts and binaries addresses of texts */
    size_t capacity;
} ib_fmi_input_column;

typedef struct ib_fmi_input_target {
    size_t variable;
    uint8_t *values; /* [n], what is or will be set */
    size_t n;
    bool changed;
    bool sent; /* the FMU holds them */
} ib_fmi_input_target;

typedef struct ib_fmi_inputs {
    ib_fmi_input_column *columns;
    size_t n_columns, columns_capacity;
    ib_fmi_input_target *targets;
    size_t n_targets, targets_capacity;
    double *times;
    size_t n_rows, times_capacity;
    size_t row; /* the last one at or before the present time */
} ib_fmi_inputs;

void ib_fmi_inputs_free(ib_fmi_inputs *inputs);
/* Sets the inputs at a time: continuous ones interpolated, others held; at a time with two rows the
 * first one's values (left) or the last one's. Only what changed is set. `continuous` alone leaves
 * the others. */
ib_status ib_fmi_apply_inputs(struct ib_fmu_run *run, double time, bool left, bool only_continuous);
/* The FMU holds other values than it was given last: all are set again. */
void ib_fmi_forget_inputs(struct ib_fmu_run *run);
/* The first time after `time` at which an input jumps; infinity when there is none. */
double ib_fmi_next_input_event(const struct ib_fmu_run *run, double time);
bool ib_fmi_input_event_at(const struct ib_fmu_run *run, double time);
/* The first row's time after `time`; infinity when there is none. */
double ib_fmi_next_input_row(const struct ib_fmu_run *run, double time);

/* ---- record.c ------------------------------------------------------------------------------ */

typedef struct ib_fmi_group {
    ib_fmi_type type;
    uint32_t *references; /* [n] */
    size_t n, n_values;
    uint8_t *buffer; /* [n_values] of the type's size; of texts and binaries addresses */
    size_t *sizes;   /* [n_values] of binaries */
} ib_fmi_group;

typedef struct ib_fmi_column {
    size_t variable, element; /* element: counted from 0 through the array */
    ib_fmu_column about;
    size_t group, offset;
    bool not_finite; /* said already */
} ib_fmi_column;

/* The columns that can be recorded. */
ib_status ib_fmi_make_columns(struct ib_fmu_run *run);
/* Prepares reading of the columns marked; groups them by type. */
ib_status ib_fmi_make_groups(struct ib_fmu_run *run, const bool *wanted);
void ib_fmi_free_columns(struct ib_fmu_run *run);
/* Reads a row at the present time and hands it on. */
ib_status ib_fmi_record(struct ib_fmu_run *run, double time);
/* The same, at the time of the row before too: what an event made of it. */
ib_status ib_fmi_record_again(struct ib_fmu_run *run, double time);

/* ---- cosim.c ------------------------------------------------------------------------------- */

ib_status ib_fmi_simulate_cosim(struct ib_fmu_run *run);

/* From communication point to communication point: what lasts between steps. */
typedef struct ib_fmi_cosim {
    double next_event; /* announced by the FMU */
    bool terminate;
    unsigned halvings; /* of the present step */
    bool rollback;     /* the FMU may be set back to a time before the present one */
    bool careful;      /* a step was discarded: the state is kept before each one */
    void *kept;        /* state of the FMU before this step, or at a point before it */
    uint64_t kept_at;  /* that point, */
    double kept_event; /* and the event that was announced there */
    bool replay;       /* the state was set back to it */
} ib_fmi_cosim;

/* Into step mode, after initialisation. */
ib_status ib_fmi_cosim_begin(struct ib_fmu_run *run, ib_fmi_cosim *cosim);
/* To `target`, in as many steps as it takes. */
ib_status ib_fmi_cosim_reach(struct ib_fmu_run *run, ib_fmi_cosim *cosim, double target);
void ib_fmi_cosim_end(struct ib_fmu_run *run, ib_fmi_cosim *cosim);

/* ---- held.c: Model Exchange from communication point to communication point ----------------- */

/* An instance for Model Exchange whose inputs are set from outside. The solver starts anew at every
 * point, so that what happens behind it follows from the FMU's state alone. */
typedef struct ib_fmi_held ib_fmi_held;

/* What stands beside the FMU's own state. */
typedef struct ib_fmi_held_mark {
    double next_event;
    uint64_t jumped;
    double last, last_jump, interval, first; /* as ib_fmi_events has them */
    uint64_t standing, shrinking;
} ib_fmi_held_mark;

/* After initialisation, into continuous time. */
ib_status ib_fmi_held_create(struct ib_fmu_run *run, ib_fmi_held **held);
void ib_fmi_held_destroy(ib_fmi_held *held);
/* The size that fits in `variable`, an input: continuous ones are set at once and count as a jump
 * when the next step begins, others go through an event. */
ib_status ib_fmi_held_set(ib_fmi_held *held, size_t variable, const void *values, size_t n);
/* A continuous Float64 goes on as c0 + c1 s + c2 s^2, s from now, until it is set: [3][n]. Others
 * are IB_UNSUPPORTED. */
ib_status ib_fmi_held_course(ib_fmi_held *held, size_t variable, const double *coefficients,
                             size_t n);
ib_status ib_fmi_held_advance(ib_fmi_held *held, double time);
bool ib_fmi_held_ended(const ib_fmi_held *held);
ib_fmi_held_mark ib_fmi_held_marked(const ib_fmi_held *held);
void ib_fmi_held_restore(ib_fmi_held *held, const ib_fmi_held_mark *mark);

/* ---- schedule.c ---------------------------------------------------------------------------- */

ib_status ib_fmi_simulate_schedule(struct ib_fmu_run *run);

/* ---- run.c --------------------------------------------------------------------------------- */

struct ib_fmu_run {
    ib_fmu *fmu;
    const ib_fmi_description *description;
    ib_diags *diags;
    ib_arena *arena;
    ib_fmu_run_options
        options;         /* completed: no NaN but of max_step and, in Co-Simulation, tolerance */
    bool variable_step;  /* the FMU takes steps of any size */
    ib_fmi_grid grid;    /* of communication points */
    uint64_t n_steps;    /* of the grid up to the end */
    uint64_t rows_every; /* steps */
    double end;          /* where it really ends: stop, or before */

    ib_fmi_texts texts;
    size_t *n_values; /* [n_variables], by the structural parameters of this run */
    ib_fmi_setting *settings;
    size_t n_settings, settings_capacity;
    ib_fmi_inputs inputs;

    ib_fmi_column *columns;
    size_t n_columns, columns_capacity;
    size_t *recorded; /* [n_recorded] indices of columns */
    size_t n_recorded;
    ib_fmi_group *groups;
    size_t n_groups;
    double *row;
    bool direct; /* the row is the buffer of the one group */
    bool any_row;
    ib_time last_row;
    ib_fmu_sink sink;

    ib_fmi_activity activity; /* of the instance, when it runs in this process */
    ib_fmi_instance *instance;
    double time;
    bool within_step; /* inputs that may be set there alone are */
    ib_fmu_statistics statistics;
};

/* From instantiation to the end, in this process. */
ib_status ib_fmi_simulate_here(struct ib_fmu_run *run, const ib_fmi_settings *settings);

/* ---- isolate.c ----------------------------------------------------------------------------- */

/* The same in a process of its own, from which rows and diagnostics come back. What the FMU does to
 * that process becomes an error. */
ib_status ib_fmi_simulate_isolated(struct ib_fmu_run *run, ib_fmi_settings *settings);

/* Settings, initialisation, inputs at the start. *running: it has to be terminated. */
ib_status ib_fmi_initialize(struct ib_fmu_run *run, const ib_fmi_settings *settings, bool *running);
/* Reports what made the run fail, with the FMU's name and the time. IB_SIMULATION_FAILED. */
ib_status ib_fmi_fail(struct ib_fmu_run *run, ib_diag_id id, const char *format, ...)
    IB_PRINTF(3, 4);
/* IB_INTERRUPTED when the one who runs it wants to stop. */
ib_status ib_fmi_watch(struct ib_fmu_run *run);

#endif
