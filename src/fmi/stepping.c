/* An instance for Co-Simulation or Model Exchange that is advanced from outside: values, steps,
 * state, derivatives.
 *
 * It stands on a run of the same options, of which it uses everything but rows and tables.
 */
#include "fmi/run.h"

#include <math.h> /* NAN */
#include <stdlib.h>
#include <string.h>

#define DEFAULT_STEP 2e-3 /* s */
#define NEARLY 1e-6       /* of a step: what a time may be off */

struct ib_fmu_instance {
    ib_fmu_run *run;
    ib_fmi_cosim cosim;
    ib_fmi_held *held; /* Model Exchange: instead of that */
    bool running;
    double most;          /* s, of a step */
    void *scratch;        /* values of the largest variable */
    uint32_t *references; /* [2 n_variables]: unknowns and knowns */
};

struct ib_fmu_state {
    void *state;
    double time, next_event;
    bool ended;
    ib_fmi_held_mark mark; /* Model Exchange */
};

static ib_status lacks(const ib_fmu_instance *i, ib_diags *diags, const char *what) {
    ib_diags_add(diags, IB_ERROR, IB0902, IB_NO_PLACE, "%s %s", i->run->description->name, what);
    return IB_UNSUPPORTED;
}

/* Who is told of what goes wrong from now on. */
static ib_fmi_instance *with(ib_fmu_instance *i, ib_diags *diags) {
    ib_fmi_instance *instance = i->run->instance;
    i->run->diags = instance->diags = instance->messages.diags = diags;
    return instance;
}

/* ---- making -------------------------------------------------------------------------------- */

static bool is_number(ib_fmi_type type) { return type != IB_FMI_STRING && type != IB_FMI_BINARY; }

static ib_status make_room(ib_fmu_instance *i) {
    const ib_fmi_description *d = i->run->description;
    size_t most = 1;
    for (size_t v = 0; v < d->n_variables; v++)
        most = i->run->n_values[v] > most ? i->run->n_values[v] : most;
    i->scratch = calloc(most, sizeof(double));
    i->references = calloc(2 * d->n_variables + 1, sizeof *i->references);
    return i->scratch && i->references ? IB_OK : ib_diags_no_memory(i->run->diags);
}

static ib_status start(ib_fmu_instance *i, const ib_fmu_run_options *given) {
    ib_fmu_run *run = i->run;
    const ib_fmu_run_options *o = &run->options;
    ib_fmi_settings settings = {.start = o->start,
                                .stop = given->stop,
                                .tolerance = o->tolerance,
                                .event_mode = o->event_mode,
                                .early_return = o->early_return,
                                .log_all = o->log};
    run->time = o->start;
    ib_status status = make_room(i);
    if (status == IB_OK)
        status = ib_fmu_run_prepare(run, run->diags);
    settings.root = run->fmu->roots[o->kind];
    if (status == IB_OK)
        status = ib_fmi_instance_create(run->fmu, o->kind, &settings, run->diags, &run->instance);
    if (status == IB_OK)
        status = ib_fmi_initialize(run, &settings, &i->running);
    if (status != IB_OK)
        return status;
    if (o->kind == IB_FMU_MODEL_EXCHANGE)
        return ib_fmi_held_create(run, &i->held);
    i->cosim.rollback = ib_fmi_can_save(run->instance);
    return ib_fmi_cosim_begin(run, &i->cosim);
}

static ib_status create(ib_fmu *fmu, ib_fmu_kind kind, const ib_fmu_run_options *options,
                        const ib_fmu_set *sets, size_t n_sets, ib_diags *diags,
                        ib_fmu_instance **result) {
    ib_fmu_run_options chosen = *options;
    const double said = fmu->description->step;
    *result = NULL;
    ib_fmu_instance *i = calloc(1, sizeof *i);
    if (!i)
        return ib_diags_no_memory(diags);
    chosen.kind = kind;
    chosen.isolate = false; /* values are asked for one by one: that is for this process */
    chosen.step_timeout = (double)NAN;
    if (!(chosen.step == chosen.step))
        chosen.step = said > 0 ? said : DEFAULT_STEP;
    if (!(chosen.start == chosen.start))
        chosen.start =
            fmu->description->start == fmu->description->start ? fmu->description->start : 0;
    if (!(chosen.stop == chosen.stop))
        chosen.stop = chosen.start + chosen.step; /* as good as any: nothing ends there */
    ib_status status = ib_fmu_run_create(fmu, &chosen, sets, n_sets, diags, &i->run);
    if (status == IB_OK) {
        i->most = chosen.max_step == chosen.max_step ? chosen.max_step : chosen.step;
        i->run->options.max_step = i->most;
        status = start(i, options);
    }
    if (status == IB_OK)
        *result = i;
    else
        ib_fmu_instance_destroy(i);
    return status;
}

ib_status ib_fmu_instance_create(ib_fmu *fmu, const ib_fmu_run_options *options,
                                 const ib_fmu_set *sets, size_t n_sets, ib_diags *diags,
                                 ib_fmu_instance **result) {
    return create(fmu, IB_FMU_CO_SIMULATION, options, sets, n_sets, diags, result);
}

ib_status ib_fmu_instance_create_exchange(ib_fmu *fmu, const ib_fmu_run_options *options,
                                          const ib_fmu_set *sets, size_t n_sets, ib_diags *diags,
                                          ib_fmu_instance **result) {
    return create(fmu, IB_FMU_MODEL_EXCHANGE, options, sets, n_sets, diags, result);
}

void ib_fmu_instance_destroy(ib_fmu_instance *i) {
    if (!i)
        return;
    if (i->run && i->run->instance)
        ib_fmi_cosim_end(i->run, &i->cosim);
    ib_fmi_held_destroy(i->held);
    if (i->run)
        ib_fmi_instance_destroy(i->run->instance, i->running);
    ib_fmu_run_destroy(i->run);
    free(i->scratch);
    free(i->references);
    free(i);
}

/* ---- time ---------------------------------------------------------------------------------- */

double ib_fmu_instance_time(const ib_fmu_instance *i) { return i->run->time; }

bool ib_fmu_instance_ended(const ib_fmu_instance *i) {
    return i->held ? ib_fmi_held_ended(i->held) : i->cosim.terminate;
}

ib_fmu_statistics ib_fmu_instance_statistics(const ib_fmu_instance *i) {
    ib_fmu_statistics s = i->run->statistics;
    s.time = i->run->time;
    s.warnings = i->run->instance->n_warnings;
    s.updates = i->run->instance->n_updates;
    s.messages = i->run->instance->messages.count;
    s.terminated = ib_fmu_instance_ended(i);
    return s;
}

/* How many steps lead to a time; 0 when none do. */
static double parts_of(const ib_fmu_instance *i, double span) {
    const double step = i->run->variable_step ? i->most : i->run->grid.step;
    const double wanted = span / step;
    const double parts = (double)(uint64_t)(wanted + (i->run->variable_step ? 1 - NEARLY : 0.5));
    if (!i->run->variable_step && fabs(parts - wanted) > NEARLY)
        return 0;
    return parts < 1 && i->run->variable_step ? 1 : parts;
}

ib_status ib_fmu_instance_advance(ib_fmu_instance *i, double time, ib_diags *diags) {
    ib_fmu_run *run = i->run;
    const double from = run->time, span = time - from;
    char a[IB_NUMBER_SIZE], b[IB_NUMBER_SIZE];
    with(i, diags);
    if (span == 0 || ib_fmu_instance_ended(i))
        return IB_OK;
    if (i->held && span > 0)
        return ib_fmi_held_advance(i->held, time);
    const double parts = span > 0 && span < 9e15 * i->most ? parts_of(i, span) : 0;
    if (!(parts >= 1)) {
        ib_diags_add(diags, IB_ERROR, IB1036, IB_NO_PLACE,
                     "%s cannot be taken from %s s to %s s in whole steps of its own",
                     run->description->name, ib_number_text(from, a), ib_number_text(time, b));
        return IB_BAD_INPUT;
    }
    ib_status status = IB_OK;
    const int64_t n = (int64_t)parts;
    for (int64_t k = 1; k <= n && status == IB_OK && !i->cosim.terminate; k++)
        status =
            ib_fmi_cosim_reach(run, &i->cosim, k == n ? time : from + span * ((double)k / parts));
    return status;
}

/* ---- values -------------------------------------------------------------------------------- */

size_t ib_fmu_instance_size(const ib_fmu_instance *i, size_t variable) {
    const ib_fmi_description *d = i->run->description;
    return variable < d->n_variables && is_number(d->variables[variable].type)
               ? i->run->n_values[variable]
               : 0;
}

ib_status ib_fmu_instance_get(ib_fmu_instance *i, size_t variable, double *values,
                              ib_diags *diags) {
    const size_t n = ib_fmu_instance_size(i, variable);
    const ib_fmi_variable *v = &i->run->description->variables[n ? variable : 0];
    if (!n)
        return IB_BAD_INPUT;
    const ib_status status = ib_fmi_get(with(i, diags), v->type, &v->reference, 1, i->scratch, n);
    if (status == IB_OK)
        ib_fmi_to_doubles(v->type, i->scratch, n, values);
    return status;
}

ib_status ib_fmu_instance_set(ib_fmu_instance *i, size_t variable, const double *values,
                              ib_diags *diags) {
    const size_t n = ib_fmu_instance_size(i, variable);
    const ib_fmi_variable *v = &i->run->description->variables[n ? variable : 0];
    if (n && ib_fmi_from_doubles(v->type, values, n, i->scratch)) {
        ib_fmi_instance *instance = with(i, diags);
        return i->held ? ib_fmi_held_set(i->held, variable, i->scratch, n)
                       : ib_fmi_set(instance, v->type, &v->reference, 1, i->scratch, n);
    }
    if (n)
        ib_diags_add(diags, IB_ERROR, IB1035, IB_NO_PLACE,
                     "%s of %s holds no such number: it is of "
                     "type %s",
                     v->name, i->run->description->name, ib_fmi_type_name(v->type));
    return IB_BAD_INPUT;
}

ib_status ib_fmu_instance_course(ib_fmu_instance *i, size_t variable, const double *coefficients,
                                 ib_diags *diags) {
    const size_t n = ib_fmu_instance_size(i, variable);
    with(i, diags);
    if (!n)
        return IB_BAD_INPUT;
    return i->held ? ib_fmi_held_course(i->held, variable, coefficients, n) : IB_UNSUPPORTED;
}

/* ---- state --------------------------------------------------------------------------------- */

ib_status ib_fmu_instance_save(ib_fmu_instance *i, ib_fmu_state **state, ib_diags *diags) {
    ib_fmi_instance *instance = with(i, diags);
    if (!ib_fmi_can_save(instance))
        return lacks(i, diags, "cannot keep its state (canGetAndSetFMUState)");
    if (!*state && !(*state = calloc(1, sizeof **state)))
        return ib_diags_no_memory(diags);
    (*state)->time = i->run->time;
    (*state)->next_event = i->cosim.next_event;
    (*state)->ended = ib_fmu_instance_ended(i);
    if (i->held)
        (*state)->mark = ib_fmi_held_marked(i->held);
    return ib_fmi_save(instance, &(*state)->state);
}

static void go_on_from(ib_fmu_instance *i, const ib_fmu_state *state) {
    i->run->time = i->run->instance->messages.time = state->time;
    i->cosim.next_event = state->next_event;
    i->cosim.terminate = state->ended;
    i->cosim.halvings = 0;
    if (i->held)
        ib_fmi_held_restore(i->held, &state->mark);
}

ib_status ib_fmu_instance_restore(ib_fmu_instance *i, const ib_fmu_state *state, ib_diags *diags) {
    const ib_status status = ib_fmi_restore(with(i, diags), state->state);
    if (status == IB_OK)
        go_on_from(i, state);
    return status;
}

void ib_fmu_state_free(ib_fmu_instance *i, ib_fmu_state *state) {
    if (state)
        ib_fmi_free_state(i->run->instance, &state->state);
    free(state);
}

/* What stands before the FMU's own bytes. */
typedef struct header {
    uint64_t size;
    double time, next_event;
    uint64_t ended;
    ib_fmi_held_mark mark; /* Model Exchange; else zeros */
} header;

ib_status ib_fmu_instance_serialize(ib_fmu_instance *i, uint8_t **bytes, size_t *n,
                                    ib_diags *diags) {
    ib_fmi_instance *instance = with(i, diags);
    void *state = NULL;
    size_t size = 0;
    *bytes = NULL;
    if (!ib_fmi_can_serialize(instance))
        return lacks(i, diags, "cannot make bytes of its state (canSerializeFMUState)");
    ib_status status = ib_fmi_save(instance, &state);
    if (status == IB_OK)
        status = ib_fmi_serialized_size(instance, state, &size);
    *bytes = status == IB_OK ? malloc(sizeof(header) + size) : NULL;
    if (status == IB_OK && !*bytes)
        status = ib_diags_no_memory(diags);
    if (status == IB_OK) {
        header head = {.size = size,
                       .time = i->run->time,
                       .next_event = i->cosim.next_event,
                       .ended = ib_fmu_instance_ended(i)};
        if (i->held)
            head.mark = ib_fmi_held_marked(i->held);
        memcpy(*bytes, &head, sizeof head);
        status = ib_fmi_serialize(instance, state, *bytes + sizeof head, size);
    }
    ib_fmi_free_state(instance, &state);
    *n = sizeof(header) + size;
    if (status != IB_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

ib_status ib_fmu_instance_deserialize(ib_fmu_instance *i, const uint8_t *bytes, size_t n,
                                      ib_diags *diags) {
    ib_fmi_instance *instance = with(i, diags);
    header head;
    if (!ib_fmi_can_serialize(instance))
        return lacks(i, diags, "cannot take its state from bytes (canSerializeFMUState)");
    if (n >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    if (n < sizeof head || head.size != n - sizeof head)
        return IB_BAD_INPUT;
    ib_fmu_state state = {NULL, head.time, head.next_event, head.ended != 0, head.mark};
    ib_status status =
        ib_fmi_deserialize(instance, bytes + sizeof head, n - sizeof head, &state.state);
    if (status == IB_OK)
        status = ib_fmi_restore(instance, state.state);
    if (status == IB_OK)
        go_on_from(i, &state);
    ib_fmi_free_state(instance, &state.state);
    return status;
}

/* ---- derivatives --------------------------------------------------------------------------- */

/* Value references and the number of elements; false where a variable is none of floats. */
static bool look_up(const ib_fmu_instance *i, const size_t *variables, size_t n,
                    uint32_t *references, size_t *elements) {
    const ib_fmi_description *d = i->run->description;
    *elements = 0;
    for (size_t k = 0; k < n; k++) {
        if (n > d->n_variables || variables[k] >= d->n_variables ||
            d->variables[variables[k]].type != IB_FMI_FLOAT64)
            return false;
        references[k] = d->variables[variables[k]].reference;
        *elements += i->run->n_values[variables[k]];
    }
    return true;
}

static ib_status derive(ib_fmu_instance *i, bool adjoint, const size_t *unknowns, size_t n_unknowns,
                        const size_t *knowns, size_t n_knowns, const double *seed, double *result,
                        ib_diags *diags) {
    uint32_t *of = i->references, *by = of + i->run->description->n_variables;
    size_t n_of, n_by;
    if (!look_up(i, unknowns, n_unknowns, of, &n_of) || !look_up(i, knowns, n_knowns, by, &n_by))
        return IB_BAD_INPUT;
    ib_fmi_instance *instance = with(i, diags);
    if (adjoint)
        return ib_fmi_get_adjoint(instance, of, n_unknowns, by, n_knowns, seed, n_of, result, n_by);
    return ib_fmi_get_directional(instance, of, n_unknowns, by, n_knowns, seed, n_by, result, n_of);
}

ib_status ib_fmu_instance_directional(ib_fmu_instance *i, const size_t *unknowns, size_t n_unknowns,
                                      const size_t *knowns, size_t n_knowns, const double *seed,
                                      double *result, ib_diags *diags) {
    if (!ib_fmi_has_directional(i->run->instance))
        return lacks(i, diags, "offers no directional derivatives");
    return derive(i, false, unknowns, n_unknowns, knowns, n_knowns, seed, result, diags);
}

ib_status ib_fmu_instance_adjoint(ib_fmu_instance *i, const size_t *unknowns, size_t n_unknowns,
                                  const size_t *knowns, size_t n_knowns, const double *seed,
                                  double *result, ib_diags *diags) {
    if (!ib_fmi_has_adjoint(i->run->instance))
        return lacks(i, diags, "offers no adjoint derivatives");
    return derive(i, true, unknowns, n_unknowns, knowns, n_knowns, seed, result, diags);
}
