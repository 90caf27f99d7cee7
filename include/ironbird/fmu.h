/* FMUs: models that come as an archive with a description and a library (FMI 3.0 and 2.0).
 *
 * An ib_fmu is an archive that was unpacked and whose description was read and checked. Everything
 * reached through it stays valid until it is closed. Used by one thread at a time.
 */
#ifndef IRONBIRD_FMU_H
#define IRONBIRD_FMU_H

#include "ironbird/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ib_fmu ib_fmu;

/* Who advances the state: the importer's solver, the FMU itself, or a scheduler. */
typedef enum ib_fmu_kind {
    IB_FMU_MODEL_EXCHANGE,
    IB_FMU_CO_SIMULATION,
    IB_FMU_SCHEDULED_EXECUTION,
    IB_FMU_KINDS
} ib_fmu_kind;

/* What the description says about the whole. Texts are "" where it says nothing, numbers NaN. */
typedef struct ib_fmu_info {
    const char *name; /* of the model */
    const char *description, *author, *version, *copyright, *license, *tool, *date;
    const char *token;                   /* that instantiation has to hand over */
    unsigned fmi;                        /* 2 or 3 */
    const char *fmi_version;             /* "3.0.2" */
    double start, stop, step, tolerance; /* of the default experiment, s */
    size_t n_variables;                  /* the aliases of FMI 3 not counted */
    size_t n_states;                     /* continuous, as declared: arrays count once */
    size_t n_event_indicators;           /* as declared */
} ib_fmu_info;

typedef struct ib_fmu_variable_info {
    const char *name;
    const char *description;
    const char *type;        /* "Float64", "Int32", "Boolean" ...; of FMI 2 "Real", "Integer" ... */
    const char *causality;   /* "input", "output", "parameter" ... */
    const char *variability; /* "continuous", "discrete", "tunable", "fixed", "constant" */
    const char *initial;     /* "exact", "approx", "calculated", or "" where it has no meaning */
    const char *unit;        /* "" when there is none */
    const char *start;       /* as written: values separated by blanks; "" when there is none */
    size_t n_dimensions;     /* 0: a scalar */
    const uint64_t *dimensions; /* [n_dimensions], by the start values of structural parameters */
    uint32_t value_reference;
} ib_fmu_variable_info;

/* How to treat what contradicts the standard but has an obvious reading. */
typedef enum ib_fmu_rigour {
    IB_FMU_LENIENT, /* warn and go on: to run what others run too */
    IB_FMU_STRICT   /* every finding is an error: to check */
} ib_fmu_rigour;

/* Unpacks the archive into a folder of its own below TMPDIR (or /tmp), reads the description and
 * checks it. All findings are reported, those of the description with line and column. *fmu is NULL
 * unless IB_OK is returned. The folder goes with ib_fmu_close. */
ib_status ib_fmu_open(const char *path, ib_fmu_rigour rigour, ib_diags *diags, ib_fmu **fmu);
void ib_fmu_close(ib_fmu *fmu);

ib_fmu_info ib_fmu_describe(const ib_fmu *fmu);
bool ib_fmu_has_kind(const ib_fmu *fmu, ib_fmu_kind kind);
const char *ib_fmu_kind_name(ib_fmu_kind kind); /* "Co-Simulation" */
/* The base name of the kind's library, or NULL when the FMU has not the kind. */
const char *ib_fmu_identifier(const ib_fmu *fmu, ib_fmu_kind kind);
/* The capability flags of a kind one by one: name as the standard writes it, value as in the
 * description or the default. False behind the last one. */
bool ib_fmu_capability(const ib_fmu *fmu, ib_fmu_kind kind, size_t index, const char **name,
                       const char **value);
/* `index` runs from 0 to n_variables - 1. */
ib_fmu_variable_info ib_fmu_variable(const ib_fmu *fmu, size_t index);
/* Index of a variable or of the variable behind an alias, or SIZE_MAX. */
size_t ib_fmu_find(const ib_fmu *fmu, const char *name);
/* What a unit of a variable is: value in SI = factor * value + offset; exponents of kg, m, s, A, K,
 * mol, cd, rad. False where the FMU does not say. */
bool ib_fmu_unit(const ib_fmu *fmu, const char *name, int exponents[8], double *factor,
                 double *offset);

/* What differs between two FMUs. `what` is "fmu", "default experiment", "kind", "unit" or
 * "variable", `name` which of them, `member` what about it ("" when the whole is added or removed);
 * a or b is NULL where it is not there. */
typedef struct ib_fmu_difference {
    const char *what, *name, *member;
    const char *a, *b;
} ib_fmu_difference;
typedef struct ib_fmu_diff ib_fmu_diff;

/* Token, tool and date, which change with every export, do not count. Both FMUs must outlive it. */
ib_status ib_fmu_diff_create(const ib_fmu *a, const ib_fmu *b, ib_diags *diags, ib_fmu_diff **diff);
void ib_fmu_diff_destroy(ib_fmu_diff *diff);
size_t ib_fmu_diff_count(const ib_fmu_diff *diff);
const ib_fmu_difference *ib_fmu_diff_at(const ib_fmu_diff *diff, size_t index);

/* Builds the library of a kind from the FMU's sources with the system's compiler (CC, or cc) and
 * keeps it in X.fmu.runtime beside the archive, or in the user's cache; what is there already and
 * fits the archive, the compiler and its options is taken. *library is its path, valid until the
 * FMU is closed. A run does this by itself where the FMU has no library for this machine. */
ib_status ib_fmu_build(ib_fmu *fmu, ib_fmu_kind kind, ib_diags *diags, const char **library);

/* ---- running ------------------------------------------------------------------------------- */

typedef struct ib_fmu_set {
    const char *name;  /* "k", "x[2]", "m[1,3]" */
    const char *value; /* "2.5", "true", an enumeration's item; for a whole array "[1, 2, 3]" */
} ib_fmu_set;

/* What integrates in Model Exchange. */
typedef enum ib_fmu_solver {
    IB_FMU_SOLVER_DEFAULT, /* dopri5 */
    IB_FMU_DOPRI5,         /* Dormand & Prince's explicit pair of order 5(4) */
    IB_FMU_STIFF           /* Radau IIA of order 5 */
} ib_fmu_solver;

const char *ib_fmu_solver_name(ib_fmu_solver solver); /* "dopri5", "stiff" */

/* NaN stands for the default: the FMU's default experiment, then start 0, stop 1, a step of the
 * 500th part, tolerance 1e-4 where a solver needs one. In Model Exchange the solver chooses its
 * steps; `step` is the default of `output_step` there. */
typedef struct ib_fmu_run_options {
    ib_fmu_kind kind;
    double start, stop; /* s */
    double step;        /* s, between communication points */
    double output_step; /* s, between rows; in Co-Simulation a whole multiple of the step */
    double max_step;    /* s; communication steps that are longer are divided into equal ones */
    double tolerance;
    ib_fmu_solver solver;
    bool event_mode;     /* Co-Simulation of FMI 3: events are handled where the FMU finds them */
    bool early_return;   /* the FMU may end a step early */
    bool log;            /* the FMU's messages of success too */
    bool fail_on_nan;    /* a recorded value that is not finite ends the run */
    bool isolate;        /* the FMU runs in a process of its own, so that a crash is an error */
    double step_timeout; /* s; a call that takes longer ends the run. Isolates, too. */
} ib_fmu_run_options;

/* A simulation of an FMU. The FMU must outlive it; several may exist at a time where the FMU allows
 * it. */
typedef struct ib_fmu_run ib_fmu_run;

typedef enum ib_fmu_value {
    IB_FMU_VALUE_DOUBLE,
    IB_FMU_VALUE_INT,  /* the slot of a row holds the bits of an int64_t */
    IB_FMU_VALUE_UINT, /* ... of a uint64_t */
    IB_FMU_VALUE_TEXT  /* ... of the address of a text that lives as long as the run */
} ib_fmu_value;

/* A value that can be recorded: a variable or an element of an array. Bytes are texts of
 * hexadecimal digits. */
typedef struct ib_fmu_column {
    const char *name; /* "h", "x[2]", "m[1,3]" */
    const char *unit;
    const char *description;
    ib_fmu_value value;
    bool output; /* recorded unless asked otherwise */
} ib_fmu_column;

/* Where rows go. `push` gets one value for each column chosen, in their order; times do not
 * decrease: rows at one time are what was before and after an event. `stop` is asked now and then
 * and may be NULL. */
typedef struct ib_fmu_sink {
    void *context;
    ib_status (*push)(void *context, ib_time time, const double *row);
    bool (*stop)(void *context, ib_time time);
} ib_fmu_sink;

typedef struct ib_fmu_statistics {
    uint64_t steps, events, updates, early_returns, intermediate, discards, warnings, messages,
        rows;
    uint64_t rejections, evaluations, jacobians, factorisations; /* of the solver */
    bool terminated; /* the FMU ended the simulation before its time, which is no failure */
    double time;     /* reached, s */
} ib_fmu_statistics;

/* Checks the options and settings, without loading the FMU's library. */
ib_status ib_fmu_run_create(ib_fmu *fmu, const ib_fmu_run_options *options, const ib_fmu_set *sets,
                            size_t n_sets, ib_diags *diags, ib_fmu_run **run);
void ib_fmu_run_destroy(ib_fmu_run *run);
/* The options with the defaults filled in. */
ib_fmu_run_options ib_fmu_run_effective(const ib_fmu_run *run);

/* Inputs over time: first the columns by name, then rows of as many texts at times that do not
 * decrease. Continuous inputs are interpolated, others held; two rows at one time are a jump.
 * Before the first row its values hold. */
ib_status ib_fmu_run_input(ib_fmu_run *run, const char *name, ib_place place, ib_diags *diags);
ib_status ib_fmu_run_input_row(ib_fmu_run *run, double time, const char *const *fields,
                               ib_place place, ib_diags *diags);

size_t ib_fmu_run_column_count(const ib_fmu_run *run);
ib_fmu_column ib_fmu_run_column(const ib_fmu_run *run, size_t index);

/* Finds the library, and builds it where the FMU has none for this machine: once for all runs of a
 * kind. ib_fmu_run_simulate does it where it has not been done. */
ib_status ib_fmu_run_prepare(ib_fmu_run *run, ib_diags *diags);
/* Loads, initialises, simulates and ends; once. `wanted` marks the columns to record. Everything
 * that was pushed before a failure counts. */
ib_status ib_fmu_run_simulate(ib_fmu_run *run, const bool *wanted, const ib_fmu_sink *sink,
                              ib_diags *diags);
/* For programs that contain crashes themselves: reports that the FMU crashed while it ran in this
 * process, by a signal, or (0) called exit(), with the call and the time. The run can then only be
 * left alone or destroyed, and the FMU's library stays loaded. */
void ib_fmu_run_crashed(ib_fmu_run *run, int signal_number, ib_diags *diags);
ib_fmu_statistics ib_fmu_run_statistics(const ib_fmu_run *run);

/* ---- instances ----------------------------------------------------------------------------- */

/* An instance of an FMU for Co-Simulation or Model Exchange that is advanced from outside, its
 * inputs held. The FMU must outlive it. Where a function fails with IB_SIMULATION_FAILED the
 * instance can only be destroyed. `variable` is an index as ib_fmu_variable takes it. */
typedef struct ib_fmu_instance ib_fmu_instance;

/* Loads, applies the settings and initialises at options->start. No communication step is longer
 * than options->max_step (default: options->step, the FMU's or 2 ms). options->stop NaN: the FMU is
 * told of no end. */
ib_status ib_fmu_instance_create(ib_fmu *fmu, const ib_fmu_run_options *options,
                                 const ib_fmu_set *sets, size_t n_sets, ib_diags *diags,
                                 ib_fmu_instance **instance);
/* The same for Model Exchange: options->solver integrates, in steps of its own that are no longer
 * than options->max_step. The state is the FMU's; the solver starts anew at every time that the
 * instance is advanced to. */
ib_status ib_fmu_instance_create_exchange(ib_fmu *fmu, const ib_fmu_run_options *options,
                                          const ib_fmu_set *sets, size_t n_sets, ib_diags *diags,
                                          ib_fmu_instance **instance);
/* Terminates, frees, unloads. NULL is allowed. */
void ib_fmu_instance_destroy(ib_fmu_instance *instance);
double ib_fmu_instance_time(const ib_fmu_instance *instance); /* s */
/* True once the FMU has ended the simulation: it cannot be advanced further. */
bool ib_fmu_instance_ended(const ib_fmu_instance *instance);
/* To exactly `time`, in equal steps; FMUs that take steps of one size alone need a whole number of
 * them, else IB_BAD_INPUT. An FMU that ends the simulation on the way is no failure. */
ib_status ib_fmu_instance_advance(ib_fmu_instance *instance, double time, ib_diags *diags);
ib_fmu_statistics ib_fmu_instance_statistics(const ib_fmu_instance *instance);

/* The number of elements of a variable; 0: its values are no numbers. */
size_t ib_fmu_instance_size(const ib_fmu_instance *instance, size_t variable);
/* All elements as doubles; integers beyond 2^53 are rounded. To set a number that the type does not
 * hold is IB_BAD_INPUT. */
ib_status ib_fmu_instance_get(ib_fmu_instance *instance, size_t variable, double *values,
                              ib_diags *diags);
ib_status ib_fmu_instance_set(ib_fmu_instance *instance, size_t variable, const double *values,
                              ib_diags *diags);

/* In Model Exchange, of continuous Float64: the input goes on as c0 + c1 s + c2 s^2, s in seconds
 * from now, until it is set; [3][size], c0 being what it is. IB_UNSUPPORTED for all others. */
ib_status ib_fmu_instance_course(ib_fmu_instance *instance, size_t variable,
                                 const double *coefficients, ib_diags *diags);

/* The whole state, where the FMU can keep it (else IB_UNSUPPORTED). A state belongs to its instance
 * and is freed before it; to save into one that holds a state replaces that. */
typedef struct ib_fmu_state ib_fmu_state;
ib_status ib_fmu_instance_save(ib_fmu_instance *instance, ib_fmu_state **state, ib_diags *diags);
ib_status ib_fmu_instance_restore(ib_fmu_instance *instance, const ib_fmu_state *state,
                                  ib_diags *diags);
void ib_fmu_state_free(ib_fmu_instance *instance, ib_fmu_state *state);
/* The present state as bytes, which another instance of the same FMU can go on from. *bytes is
 * malloc'ed. */
ib_status ib_fmu_instance_serialize(ib_fmu_instance *instance, uint8_t **bytes, size_t *n,
                                    ib_diags *diags);
ib_status ib_fmu_instance_deserialize(ib_fmu_instance *instance, const uint8_t *bytes, size_t n,
                                      ib_diags *diags);

/* J seed and seed J, J being the derivatives of the unknowns by the knowns, elements of arrays one
 * behind the other. IB_UNSUPPORTED where the FMU does not offer them. */
ib_status ib_fmu_instance_directional(ib_fmu_instance *instance, const size_t *unknowns,
                                      size_t n_unknowns, const size_t *knowns, size_t n_knowns,
                                      const double *seed, double *result, ib_diags *diags);
ib_status ib_fmu_instance_adjoint(ib_fmu_instance *instance, const size_t *unknowns,
                                  size_t n_unknowns, const size_t *knowns, size_t n_knowns,
                                  const double *seed, double *result, ib_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
