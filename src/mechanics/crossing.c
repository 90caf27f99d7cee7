/* Crossings: where a step passes an instant at which forces or joints end, it is taken again to end
 * there.
 *
 * After each step it is asked whether a tank has run empty in it, or an event's value has passed
 * zero. If so the instant is found to the nanosecond by regula falsi (with the correction of the
 * Illinois method, M. Dowell and P. Jarratt, BIT 11, 1971) on the length of a step from the same
 * start, so that the state there has the method's own accuracy. Within a step the laws stay those
 * of its start, and are smooth.
 */
#include "mechanics/mechanism.h"

#include <stdlib.h>
#include <string.h>

int ib_mechanism_add_event(ib_mechanism *m, const ib_mech_event *given) {
    if (!IB_VEC_RESERVE(m->events, m->events_capacity, m->n_events))
        return -1;
    m->events[m->n_events] = *given;
    return (int)m->n_events++;
}

bool ib_crossings_compile(ib_mechanism *m) {
    ib_node *roots = calloc(m->n_events + 1, sizeof *roots);
    bool good = roots != NULL;
    for (size_t i = 0; good && i < m->n_events; i++) {
        roots[i] = m->events[i].value;
        good = ib_mark_measures(m, roots[i]);
    }
    if (good && m->n_events > 0) {
        m->crossings = ib_tape_create(m->options.graph, roots, m->n_events);
        good = m->crossings != NULL;
    }
    free(roots);
    return good;
}

/* Lets an integrator take one step. */
typedef struct single {
    const ib_dynamics *d;
    uint64_t steps;
    bool (*stop)(void *);
    void *context;
    bool stopped;
} single;

static bool after_one(void *context) {
    single *s = context;
    if (s->d->header->steps != s->steps)
        return true;
    s->stopped = s->stop && s->stop(s->context);
    return s->stopped;
}

static ib_status one_step(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                          ib_diags *diags) {
    single s = {d, d->header->steps, stop, context, false};
    const ib_status status = ib_dynamics_integrate(d, time, after_one, &s, diags);
    return status == IB_INTERRUPTED && !s.stopped ? IB_OK : status;
}

/* ---- values ---- */

bool ib_dynamics_released(const ib_dynamics *d, int joint) {
    return d->mechanism->n_events > 0 && d->released[joint] > 0;
}

/* Whether an event may still do something. */
static bool is_pending(const ib_dynamics *d, size_t event) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_joints; i++)
        if (m->joints[i].given.release == (int)event + 1 && !(d->released[i] > 0))
            return true;
    return false;
}

/* d->crossing at the accepted state. */
static ib_status find_values(ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    ib_fault fault;
    char why[IB_FAULT_TEXT];
    if (m->n_events == 0)
        return IB_OK;
    ib_dynamics_set_time(d, ib_time_seconds(d->header->time));
    d->angle_ahead = 0;
    ib_kin_update(d, d->y);
    ib_auxiliary_set(d, d->y);
    ib_measures_for_laws(d);
    if (ib_tape_eval(m->crossings, d->leaves, d->tape_work, d->crossing, &fault))
        return IB_OK;
    const ib_mech_event *event = &m->events[fault.root];
    ib_diags_add(diags, IB_ERROR, IB0701, event->value_place,
                 "%s: the expression has no value at t = %.9g s: %s", event->name, d->leaves[0],
                 ib_fault_text(&fault, why));
    return IB_SIMULATION_FAILED;
}

/* Where the step that begins here watches for crossings. */
static void take_sides(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_events; i++) {
        const double value = d->crossing[i];
        const bool watched = value > 0 ? m->events[i].down : m->events[i].up;
        const double side = value > 0 ? 1 : value < 0 ? -1 : 0;
        d->side[i] = watched && is_pending(d, i) ? side : 0;
    }
}

/* The least of what is left, of the tanks in use in shares of what they held, of events to where
 * they are; not above 0: one has been passed. */
static double least_left(const ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    double least = 1;
    for (size_t i = 0; i < m->n_tanks; i++) {
        const mech_tank *tank = &m->tanks[i];
        const double left =
            d->y[IB_STATE * m->n_bodies + (size_t)tank->auxiliary] / tank->given.mass;
        if (d->leaves[m->options.tank_leaf + i] > 0 && left < least)
            least = left;
    }
    for (size_t i = 0; i < m->n_events; i++) {
        const double left = d->side[i] * d->crossing[i];
        if ((d->side[i] > 0 || d->side[i] < 0) && left < least)
            least = left;
    }
    return least;
}

/* ---- steps ---- */

/* Again from the start of the last step, to a time. */
static ib_status again(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                       ib_diags *diags) {
    memcpy(d->header, d->before, d->state_size);
    d->planes_made = false;
    const ib_status status = ib_dynamics_integrate(d, time, stop, context, diags);
    return status == IB_OK ? find_values(d, diags) : status;
}

/* From the step just taken, at whose end `high` is not above 0, to the first nanosecond at which
 * that is so. */
static ib_status locate(ib_dynamics *d, double low, double high, bool (*stop)(void *),
                        void *context, ib_diags *diags) {
    ib_time before = d->before->time, after = d->header->time, at = after;
    ib_status status = IB_OK;
    int side = 0;
    while (after - before > 1 && status == IB_OK) {
        at = before + (ib_time)((double)(after - before) * (low / (low - high)));
        at = at <= before ? before + 1 : at >= after ? after - 1 : at;
        status = again(d, at, stop, context, diags);
        const double value = least_left(d);
        if (value > 0) {
            before = at;
            low = value;
            high = side > 0 ? high / 2 : high;
            side = 1;
        } else {
            after = at;
            high = value;
            low = side < 0 ? low / 2 : low;
            side = -1;
        }
    }
    return status != IB_OK || at == after ? status : again(d, after, stop, context, diags);
}

/* Algorithmic rates that jumped to 0 keep their rounding errors; these would fill the tank. */
static void stay_empty(ib_dynamics *d, const mech_tank *tank) {
    const size_t bodies = IB_STATE * d->mechanism->n_bodies;
    double *rate = d->rate + bodies + tank->auxiliary;
    if (d->mechanism->options.solver == IB_MECH_GENERALIZED_ALPHA)
        rate[0] = rate[d->mechanism->n_auxiliaries] = 0;
}

static void forget_multipliers(ib_dynamics *d, const mech_joint *joint) {
    const ib_mechanism *m = d->mechanism;
    for (int k = 0; k < joint->count; k++) {
        const mech_constraint *c = &m->constraints[m->by_declared[joint->first + k]];
        memset(d->lambda + c->row, 0, sizeof(double) * (size_t)c->n_rows);
    }
}

/* Lets joints go whose events have been passed. Positions and velocities stay. */
static void release(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_joints && m->n_events > 0; i++) {
        const int event = m->joints[i].given.release - 1;
        if (event < 0 || d->released[i] > 0 || !(d->side[event] > 0 || d->side[event] < 0) ||
            d->side[event] * d->crossing[event] > 0)
            continue;
        d->released[i] = 1;
        forget_multipliers(d, &m->joints[i]);
    }
}

/* Ends what the empty tanks feed and what events release. Forces jump there, and accelerations with
 * them. */
static ib_status close(ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    release(d);
    for (size_t i = 0; i < m->n_tanks; i++) {
        double *left = d->y + IB_STATE * m->n_bodies + m->tanks[i].auxiliary;
        if (!(d->leaves[m->options.tank_leaf + i] > 0) || *left > 0)
            continue;
        *left = 0;
        d->leaves[m->options.tank_leaf + i] = 0;
    }
    const ib_status status = ib_dynamics_inputs_changed(d, diags);
    for (size_t i = 0; i < m->n_tanks; i++)
        if (!(d->leaves[m->options.tank_leaf + i] > 0))
            stay_empty(d, &m->tanks[i]);
    return status;
}

ib_status ib_crossings_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                               ib_diags *diags) {
    ib_status status = IB_OK;
    while (d->header->time < time && status == IB_OK) {
        status = find_values(d, diags);
        if (status != IB_OK)
            return status;
        take_sides(d);
        const double low = least_left(d);
        memcpy(d->before, d->header, d->state_size);
        status = one_step(d, time, stop, context, diags);
        if (status == IB_OK)
            status = find_values(d, diags);
        const double high = least_left(d);
        if (status != IB_OK || high > 0)
            continue;
        status = locate(d, low, high, stop, context, diags);
        if (status == IB_OK)
            status = close(d, diags);
    }
    return status;
}
