/* Crossings: where a step passes an instant at which forces end, it is taken again to end there.
 *
 * After each step it is asked whether a tank has run empty in it. If so the instant is found to the
 * nanosecond by regula falsi (with the correction of the Illinois method, M. Dowell and P.
 * Jarratt, BIT 11, 1971) on the length of a step from the same start, so that the state there has
 * the method's own accuracy. Within a step the laws stay those of its start, and are smooth.
 */
#include "mechanics/mechanism.h"

#include <string.h>

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

/* The least that is left, of the tanks in use, in shares of what they held; not above 0: one is
 * empty. */
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
    return least;
}

/* Again from the start of the last step, to a time. */
static ib_status again(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                       ib_diags *diags) {
    memcpy(d->header, d->before, d->state_size);
    d->planes_made = false;
    return ib_dynamics_integrate(d, time, stop, context, diags);
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

/* Ends what the empty tanks feed. Forces jump there, and accelerations with them. */
static ib_status close(ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
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
        const double low = least_left(d);
        memcpy(d->before, d->header, d->state_size);
        status = one_step(d, time, stop, context, diags);
        const double high = least_left(d);
        if (status != IB_OK || high > 0)
            continue;
        status = locate(d, low, high, stop, context, diags);
        if (status == IB_OK)
            status = close(d, diags);
    }
    return status;
}
