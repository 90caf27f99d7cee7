/* Model Exchange from communication point to communication point, inputs being set from outside.
 *
 * The solver starts anew at each point, where inputs jump or bend: nothing of it lives longer than
 * a step, so that a state set back gives the same bits again. A continuous input that was set goes
 * through event mode before the next step, as a jump has to (FMI 3.0.2, section 3.1.1); what is not
 * continuous can be set in event mode alone.
 */
#include "fmi/exchange.h"

#include <math.h> /* HUGE_VAL */
#include <stdlib.h>
#include <string.h>

typedef struct course {
    size_t n;
    double from;
    double *coefficients; /* [3][n], then [n]: values; kept for the next one */
} course;

struct ib_fmi_held {
    ib_fmi_exchange x;
    course *courses; /* [n_variables] */
    size_t *active;  /* [n_active]: variables that follow one now */
    size_t n_active;
    bool jumped; /* an input, since the last step */
};

/* ---- making -------------------------------------------------------------------------------- */

static ib_status follow(void *context, double time) {
    const ib_fmi_held *held = context;
    const ib_fmu_run *run = held->x.run;
    ib_status status = IB_OK;
    for (size_t i = 0; i < held->n_active && status == IB_OK; i++) {
        const course *given = &held->courses[held->active[i]];
        const ib_fmi_variable *v = &run->description->variables[held->active[i]];
        const double *c = given->coefficients, s = time - given->from;
        const size_t n = given->n;
        double *values = given->coefficients + 3 * n;
        for (size_t k = 0; k < n; k++)
            values[k] = c[k] + s * (c[n + k] + s * c[2 * n + k]);
        status = ib_fmi_set(run->instance, v->type, &v->reference, 1, values, n);
    }
    return status;
}

ib_status ib_fmi_held_create(ib_fmu_run *run, ib_fmi_held **result) {
    ib_fmi_held *held = calloc(1, sizeof *held);
    *result = held;
    if (!held)
        return ib_diags_no_memory(run->diags);
    ib_status status = ib_fmi_exchange_create(&held->x, run);
    held->courses = calloc(run->description->n_variables + 1, sizeof *held->courses);
    held->active = calloc(run->description->n_variables + 1, sizeof *held->active);
    if (status == IB_OK && (!held->courses || !held->active))
        status = ib_diags_no_memory(run->diags);
    held->x.follow = follow;
    held->x.follow_context = held;
    run->n_steps = 0; /* rows are others' */
    return status == IB_OK ? ib_fmi_first_event(&held->x) : status;
}

void ib_fmi_held_destroy(ib_fmi_held *held) {
    if (!held)
        return;
    for (size_t i = 0; held->courses && i < held->x.run->description->n_variables; i++)
        free(held->courses[i].coefficients);
    free(held->courses);
    free(held->active);
    ib_fmi_exchange_free(&held->x);
    free(held);
}

/* ---- inputs -------------------------------------------------------------------------------- */

static void end_course(ib_fmi_held *held, size_t variable) {
    size_t kept = 0;
    for (size_t i = 0; i < held->n_active; i++)
        if (held->active[i] != variable)
            held->active[kept++] = held->active[i];
    held->n_active = kept;
}

ib_status ib_fmi_held_set(ib_fmi_held *held, size_t variable, const void *values, size_t n) {
    const ib_fmu_run *run = held->x.run;
    const ib_fmi_variable *v = &run->description->variables[variable];
    end_course(held, variable);
    held->jumped = true;
    if (v->variability == IB_FMI_CONTINUOUS || held->x.terminate)
        return ib_fmi_set(run->instance, v->type, &v->reference, 1, values, n);
    ib_status status = ib_fmi_enter_event_mode(run->instance);
    if (status == IB_OK)
        status = ib_fmi_set(run->instance, v->type, &v->reference, 1, values, n);
    return status == IB_OK ? ib_fmi_finish_event(&held->x) : status;
}

ib_status ib_fmi_held_course(ib_fmi_held *held, size_t variable, const double *coefficients,
                             size_t n) {
    const ib_fmu_run *run = held->x.run;
    const ib_fmi_variable *v = &run->description->variables[variable];
    if (v->variability != IB_FMI_CONTINUOUS || v->type != IB_FMI_FLOAT64)
        return IB_UNSUPPORTED;
    course *given = &held->courses[variable];
    if (!given->coefficients)
        given->coefficients = calloc(4 * n, sizeof *given->coefficients);
    if (!given->coefficients)
        return ib_diags_no_memory(run->diags);
    memcpy(given->coefficients, coefficients, 3 * n * sizeof *coefficients);
    end_course(held, variable);
    held->active[held->n_active++] = variable;
    given->n = n;
    given->from = run->time;
    return IB_OK;
}

/* ---- time ---------------------------------------------------------------------------------- */

ib_status ib_fmi_held_advance(ib_fmi_held *held, double time) {
    ib_fmi_exchange *x = &held->x;
    ib_status status =
        held->jumped ? ib_fmi_handle_event(x) : ib_fmi_restart(x, x->run->time, false);
    held->jumped = false;
    if (status == IB_OK)
        status = ib_fmi_exchange_reach(x, time);
    ib_fmi_exchange_count(x);
    return status;
}

bool ib_fmi_held_ended(const ib_fmi_held *held) { return held->x.terminate; }

ib_fmi_held_mark ib_fmi_held_marked(const ib_fmi_held *held) {
    const ib_fmi_events *e = &held->x.events;
    return (ib_fmi_held_mark){held->x.next_event, held->jumped, e->last,     e->last_jump,
                              e->interval,        e->first,     e->standing, e->shrinking};
}

void ib_fmi_held_restore(ib_fmi_held *held, const ib_fmi_held_mark *mark) {
    held->x.next_event = mark->next_event;
    held->jumped = mark->jumped != 0;
    held->x.terminate = false;
    held->x.events = (ib_fmi_events){.last = mark->last,
                                     .standing = (unsigned)mark->standing,
                                     .last_jump = mark->last_jump,
                                     .interval = mark->interval,
                                     .first = mark->first,
                                     .shrinking = (unsigned)mark->shrinking};
}
