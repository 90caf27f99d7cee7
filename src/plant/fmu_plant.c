/* The FMU face of the plant interface: an instance behind ib_plant_functions. */
#include "plant/plant.h"

#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

#define MOST_STEP 2e-3 /* s */

typedef struct fmu_plant {
    ib_fmu *fmu;
    ib_arena *arena;
    double max_step, tolerance;
    bool exchange; /* Model Exchange */
    ib_fmu_solver solver;
    ib_fmu_set *sets; /* [n_sets], then one for each parameter that was set */
    size_t n_sets, n_given;
    ib_fmu_instance *instance;
    ib_variable *variables;
    size_t *indices; /* of each in the FMU */
    double **sent;   /* of inputs: what the FMU holds, or NULL */
    bool *tunable, *continuous;
    size_t n;
    size_t n_sent; /* numbers in all of `sent` */
} fmu_plant;

/* ---- an instance --------------------------------------------------------------------------- */

static ib_status make_instance(fmu_plant *p, double start, ib_diags *diags) {
    const ib_fmu_run_options options = {.solver = p->solver,
                                        .start = start,
                                        .stop = (double)NAN,
                                        .step = (double)NAN,
                                        .output_step = (double)NAN,
                                        .max_step = p->max_step,
                                        .tolerance = p->tolerance};
    ib_fmu_instance_destroy(p->instance);
    p->instance = NULL;
    return p->exchange
               ? ib_fmu_instance_create_exchange(p->fmu, &options, p->sets, p->n_sets, diags,
                                                 &p->instance)
               : ib_fmu_instance_create(p->fmu, &options, p->sets, p->n_sets, diags, &p->instance);
}

static size_t describe(const void *self, const ib_variable **variables) {
    const fmu_plant *p = self;
    *variables = p->variables;
    return p->n;
}

static bool is_variable(const fmu_plant *p, ib_handle variable) {
    return variable >= 0 && (size_t)variable < p->n && p->instance;
}

/* The value of a parameter for the next initialisation, as text. */
static ib_status note(fmu_plant *p, const ib_variable *variable, const double *values,
                      ib_diags *diags) {
    ib_str text = {0};
    char number[IB_NUMBER_SIZE];
    for (size_t i = 0; i < variable->size; i++)
        ib_str_printf(&text, "%s%s", i ? " " : "", ib_number_text(values[i], number));
    size_t at = p->n_given;
    while (at < p->n_sets && p->sets[at].name != variable->name)
        at++;
    const char *kept = text.failed || !text.data ? NULL : ib_arena_strdup(p->arena, text.data);
    ib_str_free(&text);
    if (!kept)
        return ib_diags_no_memory(diags);
    p->sets[at] = (ib_fmu_set){variable->name, kept};
    p->n_sets = at == p->n_sets ? at + 1 : p->n_sets;
    return IB_OK;
}

static ib_status set(void *self, ib_handle handle, const double *values, ib_diags *diags) {
    fmu_plant *p = self;
    if (!is_variable(p, handle))
        return IB_BAD_INPUT;
    const ib_variable *variable = &p->variables[handle];
    double *sent = p->sent[handle];
    if (variable->role == IB_ROLE_PARAMETER) {
        const ib_status status = note(p, variable, values, diags);
        if (status != IB_OK || !p->tunable[handle])
            return status;
    } else if (variable->role != IB_ROLE_INPUT) {
        return IB_BAD_INPUT;
    }
    if (sent && memcmp(sent, values, variable->size * sizeof *values) == 0)
        return IB_OK;
    const ib_status status = ib_fmu_instance_set(p->instance, p->indices[handle], values, diags);
    if (status == IB_OK && sent)
        memcpy(sent, values, variable->size * sizeof *values);
    return status;
}

static ib_status get(void *self, ib_handle handle, double *values, ib_diags *diags) {
    fmu_plant *p = self;
    if (!is_variable(p, handle))
        return IB_BAD_INPUT;
    return ib_fmu_instance_get(p->instance, p->indices[handle], values, diags);
}

/* What the FMU holds for its inputs now. */
static ib_status read_inputs(fmu_plant *p, ib_diags *diags) {
    ib_status status = IB_OK;
    for (size_t i = 0; i < p->n && status == IB_OK; i++)
        if (p->sent[i])
            status = ib_fmu_instance_get(p->instance, p->indices[i], p->sent[i], diags);
    return status;
}

static ib_status initialize(void *self, ib_time t0, ib_diags *diags) {
    fmu_plant *p = self;
    const ib_status status = make_instance(p, ib_time_seconds(t0), diags);
    return status == IB_OK ? read_inputs(p, diags) : status;
}

static ib_status advance(void *self, ib_time time, ib_time *reached, ib_diags *diags) {
    fmu_plant *p = self;
    if (!p->instance)
        return IB_BAD_INPUT;
    const ib_status status = ib_fmu_instance_advance(p->instance, ib_time_seconds(time), diags);
    const double now = ib_fmu_instance_time(p->instance);
    if (!ib_time_from_seconds(now, reached))
        *reached = 0;
    return status;
}

/* ---- state: the inputs that were sent, then the FMU's bytes -------------------------------- */

static size_t state_size(const void *self) {
    const fmu_plant *p = self;
    uint8_t *bytes = NULL;
    size_t n = 0;
    const ib_status status =
        p->instance ? ib_fmu_instance_serialize(p->instance, &bytes, &n, NULL) : IB_UNSUPPORTED;
    free(bytes);
    return status == IB_OK ? p->n_sent * sizeof(double) + n : 0;
}

static void save(const void *self, void *state) {
    const fmu_plant *p = self;
    uint8_t *bytes = NULL, *out = state;
    size_t n = 0;
    if (ib_fmu_instance_serialize(p->instance, &bytes, &n, NULL) != IB_OK)
        return;
    for (size_t i = 0; i < p->n; i++)
        if (p->sent[i]) {
            memcpy(out, p->sent[i], p->variables[i].size * sizeof(double));
            out += p->variables[i].size * sizeof(double);
        }
    memcpy(out, bytes, n);
    free(bytes);
}

static ib_status restore(void *self, const void *state, size_t size) {
    fmu_plant *p = self;
    const uint8_t *in = state;
    const size_t before = p->n_sent * sizeof(double);
    if (!p->instance || size < before)
        return IB_BAD_INPUT;
    const ib_status status =
        ib_fmu_instance_deserialize(p->instance, in + before, size - before, NULL);
    for (size_t i = 0; i < p->n && status == IB_OK; i++)
        if (p->sent[i]) {
            memcpy(p->sent[i], in, p->variables[i].size * sizeof(double));
            in += p->variables[i].size * sizeof(double);
        }
    return status;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static const char *kind_name(const fmu_plant *p) {
    return ib_fmu_kind_name(p->exchange ? IB_FMU_MODEL_EXCHANGE : IB_FMU_CO_SIMULATION);
}

static ib_statistics statistics(const void *self) {
    const fmu_plant *p = self;
    if (!p->instance)
        return (ib_statistics){.solver = kind_name(p)};
    const ib_fmu_statistics s = ib_fmu_instance_statistics(p->instance);
    return (ib_statistics){.solver = kind_name(p),
                           .steps = s.steps,
                           .rejections = s.discards,
                           .iterations = s.updates};
}

static void destroy(void *self) {
    fmu_plant *p = self;
    ib_fmu_instance_destroy(p->instance);
    ib_arena_destroy(p->arena);
    free(p);
}

/* What is not continuous keeps its value. */
static ib_status course(void *self, ib_handle handle, const double *coefficients, ib_diags *diags) {
    const fmu_plant *p = self;
    if (!is_variable(p, handle) || p->variables[handle].role != IB_ROLE_INPUT)
        return IB_BAD_INPUT;
    if (!p->continuous[handle])
        return set(self, handle, coefficients, diags);
    const ib_status status =
        ib_fmu_instance_course(p->instance, p->indices[handle], coefficients, diags);
    /* The FMU holds other values soon. */
    for (size_t i = 0; i < p->variables[handle].size && status == IB_OK; i++)
        p->sent[handle][i] = (double)NAN;
    return status;
}

static const ib_plant_functions functions = {
    describe,   set,  get,     initialize, advance, NULL,
    state_size, save, restore, statistics, destroy, course,
};

static ib_role role_of(const char *causality) {
    return strcmp(causality, "input") == 0       ? IB_ROLE_INPUT
           : strcmp(causality, "output") == 0    ? IB_ROLE_OUTPUT
           : strcmp(causality, "parameter") == 0 ? IB_ROLE_PARAMETER
                                                 : IB_ROLE_LOCAL;
}

/* The first of the start values; true is 1. */
static double start_of(const char *text) {
    double value = 0;
    if (strncmp(text, "true", 4) == 0)
        return 1;
    ib_number_parse(text, strlen(text), &value);
    return value;
}

/* Inputs, outputs, parameters and the rest as the FMU lists them. */
static ib_status list_variables(fmu_plant *p, ib_diags *diags) {
    const size_t total = ib_fmu_describe(p->fmu).n_variables;
    p->variables = IB_ARENA_ARRAY(p->arena, total + 1, ib_variable);
    p->indices = IB_ARENA_ARRAY(p->arena, total + 1, size_t);
    p->sent = IB_ARENA_ARRAY(p->arena, total + 1, double *);
    p->tunable = IB_ARENA_ARRAY(p->arena, total + 1, bool);
    p->continuous = IB_ARENA_ARRAY(p->arena, total + 1, bool);
    if (!p->variables || !p->indices || !p->sent || !p->tunable || !p->continuous)
        return ib_diags_no_memory(diags);
    for (size_t i = 0; i < total; i++) {
        const ib_fmu_variable_info info = ib_fmu_variable(p->fmu, i);
        const size_t size = ib_fmu_instance_size(p->instance, i);
        if (!size || strcmp(info.causality, "independent") == 0 || strcmp(info.type, "Clock") == 0)
            continue;
        const ib_role role = role_of(info.causality);
        p->variables[p->n] = (ib_variable){info.name, role, size, info.unit, start_of(info.start)};
        p->indices[p->n] = i;
        p->tunable[p->n] = strcmp(info.variability, "tunable") == 0;
        p->continuous[p->n] = strcmp(info.variability, "continuous") == 0;
        if (role == IB_ROLE_INPUT) {
            p->sent[p->n] = IB_ARENA_ARRAY(p->arena, size, double);
            p->n_sent += size;
            if (!p->sent[p->n])
                return ib_diags_no_memory(diags);
        }
        p->n++;
    }
    return read_inputs(p, diags);
}

/* Room for a setting of every variable besides those given. */
static ib_status copy_sets(fmu_plant *p, const ib_fmu_plant_options *options, ib_diags *diags) {
    const size_t n = options ? options->n_sets : 0;
    p->sets = IB_ARENA_ARRAY(p->arena, n + ib_fmu_describe(p->fmu).n_variables + 1, ib_fmu_set);
    for (size_t i = 0; p->sets && i < n; i++) {
        p->sets[i].name = ib_arena_strdup(p->arena, options->sets[i].name);
        p->sets[i].value = ib_arena_strdup(p->arena, options->sets[i].value);
        if (!p->sets[i].name || !p->sets[i].value)
            return ib_diags_no_memory(diags);
    }
    p->n_sets = p->n_given = n;
    return p->sets ? IB_OK : ib_diags_no_memory(diags);
}

ib_status ib_plant_from_fmu(ib_fmu *fmu, const ib_fmu_plant_options *options, ib_diags *diags,
                            ib_plant *plant) {
    fmu_plant *p = calloc(1, sizeof *p);
    if (!p)
        return ib_diags_no_memory(diags);
    p->fmu = fmu;
    p->max_step = options && options->max_step > 0 ? options->max_step : MOST_STEP;
    p->exchange = options && options->exchange;
    p->solver = options ? options->solver : IB_FMU_SOLVER_DEFAULT;
    p->tolerance = options ? options->tolerance : (double)NAN;
    p->arena = ib_arena_create();
    ib_status status = p->arena ? copy_sets(p, options, diags) : ib_diags_no_memory(diags);
    if (status == IB_OK)
        status = make_instance(p, 0, diags);
    if (status == IB_OK)
        status = list_variables(p, diags);
    if (status != IB_OK) {
        destroy(p);
        return status;
    }
    *plant = (ib_plant){&functions, p};
    return IB_OK;
}
