/* The mechanics face of the plant interface: a model's system behind ib_plant_functions. */
#include "plant/plant.h"

#include <stdlib.h>
#include <string.h>

typedef struct mechanics_plant {
    const ib_model *model;
    ib_system *system;
    ib_variable *variables;
    ib_handle *handles; /* input or channel behind each variable */
    size_t n;
} mechanics_plant;

static size_t describe(const void *self, const ib_variable **variables) {
    const mechanics_plant *p = self;
    *variables = p->variables;
    return p->n;
}

static bool is_variable(const mechanics_plant *p, ib_handle variable) {
    return variable >= 0 && (size_t)variable < p->n;
}

static ib_status set(void *self, ib_handle variable, const double *values, ib_diags *diags) {
    mechanics_plant *p = self;
    if (!is_variable(p, variable) || p->variables[variable].role != IB_ROLE_INPUT)
        return IB_BAD_INPUT;
    return ib_system_set_input(p->system, p->handles[variable], values[0], diags);
}

static ib_status get(void *self, ib_handle variable, double *values, ib_diags *diags) {
    mechanics_plant *p = self;
    if (!is_variable(p, variable) || p->variables[variable].role == IB_ROLE_INPUT)
        return IB_BAD_INPUT;
    return ib_system_read(p->system, &p->handles[variable], 1, values, diags);
}

/* A fresh system stands at its assembled start; only t0 = 0 is a start of a model. */
static ib_status initialize(void *self, ib_time t0, ib_diags *diags) {
    mechanics_plant *p = self;
    if (t0 != 0)
        return IB_UNSUPPORTED;
    ib_system *fresh;
    const ib_status status = ib_system_create(p->model, diags, &fresh);
    if (status != IB_OK)
        return status;
    ib_system_destroy(p->system);
    p->system = fresh;
    return IB_OK;
}

static ib_status advance(void *self, ib_time time, ib_time *reached, ib_diags *diags) {
    mechanics_plant *p = self;
    const ib_status status = ib_system_advance(p->system, time, diags);
    *reached = ib_system_time(p->system);
    return status;
}

static size_t state_size(const void *self) {
    return ib_system_state_size(((const mechanics_plant *)self)->system);
}

static void save(const void *self, void *state) {
    ib_system_save(((const mechanics_plant *)self)->system, state);
}

static ib_status restore(void *self, const void *state, size_t size) {
    return ib_system_restore(((mechanics_plant *)self)->system, state, size);
}

static ib_statistics statistics(const void *self) {
    return ib_system_statistics(((const mechanics_plant *)self)->system);
}

static void destroy(void *self) {
    mechanics_plant *p = self;
    ib_system_destroy(p->system);
    free(p->variables);
    free(p->handles);
    free(p);
}

static ib_status course(void *self, ib_handle variable, const double *coefficients,
                        ib_diags *diags) {
    mechanics_plant *p = self;
    if (!is_variable(p, variable) || p->variables[variable].role != IB_ROLE_INPUT)
        return IB_BAD_INPUT;
    return ib_system_set_course(p->system, p->handles[variable], coefficients, diags);
}

static const ib_plant_functions functions = {
    describe,   set,  get,     initialize, advance, NULL,
    state_size, save, restore, statistics, destroy, course,
};

/* Inputs, then outputs by their own names, then all channels. */
static bool list_variables(mechanics_plant *p) {
    const ib_model *m = p->model;
    const size_t channels = ib_system_channel_count(p->system);
    const size_t total = m->n_inputs + m->n_outputs + channels;
    p->variables = calloc(total + 1, sizeof *p->variables);
    p->handles = calloc(total + 1, sizeof *p->handles);
    if (!p->variables || !p->handles)
        return false;
    for (size_t i = 0; i < m->n_inputs; i++, p->n++) {
        p->variables[p->n] =
            (ib_variable){m->inputs[i].name, IB_ROLE_INPUT, 1, "", m->inputs[i].start};
        p->handles[p->n] = (ib_handle)i;
    }
    for (size_t i = 0; i < m->n_outputs; i++, p->n++) {
        const char *name = m->outputs[i].element.name;
        p->variables[p->n] = (ib_variable){name, IB_ROLE_OUTPUT, 1, "", 0};
        p->handles[p->n] = ib_system_output(p->system, name);
    }
    for (size_t i = 0; i < channels; i++, p->n++) {
        const ib_channel_info info = ib_system_channel_info(p->system, (ib_handle)i);
        p->variables[p->n] = (ib_variable){info.name, IB_ROLE_LOCAL, 1, info.unit, 0};
        p->handles[p->n] = (ib_handle)i;
    }
    return true;
}

ib_status ib_plant_from_model(const ib_model *model, ib_diags *diags, ib_plant *plant) {
    mechanics_plant *p = calloc(1, sizeof *p);
    if (!p)
        return IB_NO_MEMORY;
    p->model = model;
    ib_status status = ib_system_create(model, diags, &p->system);
    if (status == IB_OK && !list_variables(p))
        status = IB_NO_MEMORY;
    if (status != IB_OK) {
        destroy(p);
        return status;
    }
    *plant = (ib_plant){&functions, p};
    return IB_OK;
}
