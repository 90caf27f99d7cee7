/* Plants: anything that advances in time with inputs and outputs. The world knows only this.
 *
 * One table of functions and one description; models implement it through ib_plant_from_model, and
 * anyone's C code may. A plant is used by one thread at a time.
 */
#ifndef IRONBIRD_PLANT_H
#define IRONBIRD_PLANT_H

#include "ironbird/base.h"
#include "ironbird/fmu.h"
#include "ironbird/model.h"
#include "ironbird/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ib_role { IB_ROLE_INPUT, IB_ROLE_OUTPUT, IB_ROLE_PARAMETER, IB_ROLE_LOCAL } ib_role;

typedef struct ib_variable {
    const char *name;
    ib_role role;
    size_t size;      /* number of doubles; 1 for a scalar */
    const char *unit; /* SI, "" when unknown */
    double start;     /* of inputs and parameters */
} ib_variable;

/* A crossing located during the last advance. */
typedef struct ib_plant_event {
    const char *name;
    ib_time time;
} ib_plant_event;

/* The functions of a plant; `self` is the plant's own data. Handles are positions in `describe`. A
 * function that a plant does not have is NULL. A handle that there is not, or of a variable that
 * cannot be set (or got), is IB_BAD_INPUT. */
typedef struct ib_plant_functions {
    /* Returns how many variables there are; they are the plant's own. */
    size_t (*describe)(const void *self, const ib_variable **variables);
    /* `values` has the variable's `size` entries. */
    ib_status (*set)(void *self, ib_handle variable, const double *values, ib_diags *diags);
    ib_status (*get)(void *self, ib_handle variable, double *values, ib_diags *diags);
    /* Applies start values and reaches a consistent state at t0. */
    ib_status (*initialize)(void *self, ib_time t0, ib_diags *diags);
    /* Integrates to exactly `time` with inputs held; an early stop at an event is told by
     * *reached. */
    ib_status (*advance)(void *self, ib_time time, ib_time *reached, ib_diags *diags);
    /* Returns how many there were in the last advance, in order of time; they are the plant's own.
     */
    size_t (*events)(const void *self, const ib_plant_event **events);
    size_t (*state_size)(const void *self); /* bytes; 0: it cannot be saved */
    void (*save)(const void *self, void *state);
    ib_status (*restore)(void *self, const void *state, size_t size);
    ib_statistics (*statistics)(const void *self);
    void (*destroy)(void *self);
    /* From now until it is set, the input goes on as c0 + c1 s + c2 s^2, s in seconds from now;
     * `coefficients` are [3][size], and c0 is what the input is now. IB_UNSUPPORTED where it can
     * only be held. */
    ib_status (*course)(void *self, ib_handle variable, const double *coefficients,
                        ib_diags *diags);
} ib_plant_functions;

typedef struct ib_plant {
    const ib_plant_functions *functions;
    void *self;
} ib_plant;

/* The plant of a model: its runtime inputs, outputs (`<name>`) and every channel as a local. The
 * model must outlive it. End with plant->functions->destroy(plant->self). */
ib_status ib_plant_from_model(const ib_model *model, ib_diags *diags, ib_plant *plant);

/* NaN stands for the default. */
typedef struct ib_fmu_plant_options {
    double max_step;        /* s, of a communication step; 2 ms */
    double tolerance;       /* the FMU's own */
    const ib_fmu_set *sets; /* [n_sets]; copied */
    size_t n_sets;
    bool exchange;        /* Model Exchange, with the */
    ib_fmu_solver solver; /* instead of Co-Simulation */
} ib_fmu_plant_options;

/* The plant of an FMU for Co-Simulation or Model Exchange: its inputs, outputs, parameters and all
 * other variables that are numbers, arrays whole. Parameters that are set count from the next
 * `initialize` on, tunable ones at once too; inputs are handed on when they change. It can be saved
 * where the FMU can make bytes of its state. The FMU must outlive it. options NULL: all defaults.
 */
ib_status ib_plant_from_fmu(ib_fmu *fmu, const ib_fmu_plant_options *options, ib_diags *diags,
                            ib_plant *plant);

#ifdef __cplusplus
}
#endif

#endif
