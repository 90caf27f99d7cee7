/* Explicit integration with hard constraints (docs/numerics.md, "Explicit integration").
 *
 * Dormand & Prince's pairs of order 5 (1980) and 8 (Hairer, Norsett & Wanner 1993) with a PI
 * controller (Gustafsson 1991), or the classical fourth-order method, on the plain state; each
 * stage solves for the accelerations, and each step ends with one mass-weighted projection of
 * positions and velocities. The error is measured by the length of each body's vectors, never by
 * components, so that it does not depend on how the model is turned; an auxiliary state counts by
 * its own size. Steps are whole nanoseconds.
 */
#include "mechanics/mechanism.h"

#include <math.h>
#include <string.h>

static const ib_time smallest = 1;      /* ns; below, error control has failed */
static const double least_error = 1e-4; /* that the controller remembers */

typedef struct stepper {
    ib_dynamics *d;
    const ib_tableau *method;
    size_t n; /* numbers in the state */
    double *K[IB_MAX_STAGES];
    double *next;
    double *estimate; /* of the error of each number of the state, over the step */
    double seconds;   /* at the start of the step */
} stepper;

size_t ib_explicit_scratch(const ib_mechanism *m) { return (IB_MAX_STAGES + 2) * ib_state_size(m); }

static const ib_tableau *method_of(ib_mech_solver solver) {
    return solver == IB_MECH_RK4 ? &ib_rk4 : solver == IB_MECH_DOP853 ? &ib_dop853 : &ib_dopri5;
}

static void start(stepper *s, ib_dynamics *d) {
    s->d = d;
    s->method = method_of(d->mechanism->options.solver);
    s->n = ib_state_size(d->mechanism);
    s->K[0] = d->rate;
    for (int i = 1; i < IB_MAX_STAGES; i++)
        s->K[i] = d->stage + (size_t)i * s->n;
    s->next = d->stage;
    s->estimate = d->stage + (size_t)IB_MAX_STAGES * s->n;
    s->seconds = ib_time_seconds(d->header->time);
}

/* out += c_k K_k for four k in turn, or for one. */
static void add_four(size_t n, const double *c, const double *const *K, double *restrict out) {
    const double *restrict p = K[0], *restrict q = K[1], *restrict r = K[2], *restrict t = K[3];
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] + c[0] * p[i] + c[1] * q[i] + c[2] * r[i] + c[3] * t[i];
}

static void add_one(size_t n, double c, const double *restrict K, double *restrict out) {
    for (size_t i = 0; i < n; i++)
        out[i] += c * K[i];
}

/* out = sum c_k K_k over the first `count` stages */
static void combine(const stepper *s, const double *c, int count, double *restrict out) {
    const double *K[IB_MAX_STAGES];
    double factor[IB_MAX_STAGES];
    int m = 0, k = 0;
    for (int i = 0; i < count; i++)
        if (c[i] != 0) {
            factor[m] = c[i];
            K[m++] = s->K[i];
        }
    memset(out, 0, sizeof(double) * s->n);
    for (; k + 4 <= m; k += 4)
        add_four(s->n, factor + k, K + k, out);
    for (; k < m; k++)
        add_one(s->n, factor[k], K[k], out);
}

/* next = y + h sum a_k K_k */
static void place(const stepper *s, int row, double h) {
    const double *restrict y = s->d->y;
    double *restrict next = s->next;
    combine(s, s->method->a[row], row, next);
    for (size_t i = 0; i < s->n; i++)
        next[i] = y[i] + h * next[i];
}

/* The new point and its derivative in K[stages]. False when something has no value. */
static bool take(stepper *s, double h, double end_seconds) {
    ib_dynamics *d = s->d;
    const int stages = s->method->stages;
    for (int k = 1; k < stages; k++) {
        place(s, k, h);
        d->angle_ahead = s->method->c[k] * h;
        if (!ib_dynamics_evaluate(d, s->seconds + s->method->c[k] * h, s->next, 2))
            return false;
        ib_dynamics_rate(d, s->next, s->K[k]);
    }
    place(s, stages, h);
    d->angle_ahead = h;
    if (!ib_dynamics_arrive(d, end_seconds, s->next))
        return false;
    ib_dynamics_rate(d, s->next, s->K[stages]);
    return true;
}

static double square(double x) { return x * x; }

/* Squared length of part of the error estimate over its tolerance. */
static double part_error(const stepper *s, size_t at, int n, double size) {
    double sum = 0;
    for (size_t i = at; i < at + (size_t)n; i++)
        sum += square(s->estimate[i]);
    const ib_mech_options *options = &s->d->mechanism->options;
    return sum / square(options->atol + options->rtol * size);
}

/* Mean square over all components, each vector measured by its length. Distances are from the
 * bodies' mean place, so that the result does not depend on where the model stands. */
static double mean_square(const stepper *s, const double *e) {
    combine(s, e, s->method->stages + 1, s->estimate);
    const size_t n_bodies = s->d->mechanism->n_bodies;
    double mean[3] = {0, 0, 0}, sum = 0;
    for (size_t b = 0; b < n_bodies; b++)
        ib_axpy(mean, 1 / (double)n_bodies, s->next + IB_STATE * b, mean);
    for (size_t b = 0; b < n_bodies; b++) {
        const double *state = s->next + IB_STATE * b;
        double arm[3];
        ib_sub3(state, mean, arm);
        sum += part_error(s, IB_STATE * b, 3, ib_norm(arm));
        sum += part_error(s, IB_STATE * b + IB_STATE_Q, 4, 1);
        sum += part_error(s, IB_STATE * b + IB_STATE_V, 3, ib_norm(state + IB_STATE_V));
        sum += part_error(s, IB_STATE * b + IB_STATE_W, 3, ib_norm(state + IB_STATE_W));
    }
    for (size_t i = IB_STATE * n_bodies; i < s->n; i++)
        sum += part_error(s, i, 1, fabs(s->next[i]));
    return sum / (double)(s->n ? s->n : 1);
}

/* With two estimates, that of order 5 corrected by that of order 3 (Hairer, Norsett & Wanner 1993,
 * equation II.10.17). */
static double error_norm(const stepper *s, double h) {
    const double error = mean_square(s, s->method->e);
    if (s->method->e3[0] == 0)
        return h * sqrt(error);
    const double second = mean_square(s, s->method->e3);
    return error > 0 ? h * error / sqrt(error + 0.01 * second) : 0;
}

static void accept(stepper *s, ib_time end, double h) {
    ib_dynamics *d = s->d;
    memcpy(d->y, s->next, sizeof(double) * s->n);
    memcpy(d->rate, s->K[s->method->stages], sizeof(double) * s->n);
    memcpy(d->lambda, d->work_lambda, sizeof(double) * (size_t)d->mechanism->n_rows);
    ib_dynamics_accept(d, end, h);
    s->seconds = ib_time_seconds(end);
}

/* h |lambda| of the fastest mode, from the last stage and the new point, which are of the same time
 * (Hairer & Wanner 1996, equation IV.2.15). Before the step is accepted. */
static double fastest_mode(const stepper *s, double h) {
    const int last = s->method->stages - 1;
    const double *restrict y = s->d->y, *restrict K = s->K[last], *restrict L = s->K[last + 1];
    double rates = 0, states = 0;
    combine(s, s->method->a[last], last, s->estimate);
    for (size_t i = 0; i < s->n; i++) {
        rates += square(L[i] - K[i]);
        states += square(s->next[i] - (y[i] + h * s->estimate[i]));
    }
    return states > 0 ? h * sqrt(rates / states) : 0;
}

static ib_status stalled(const stepper *s, bool failed, ib_diags *diags) {
    return ib_dynamics_stalled(
        s->d, failed, s->seconds,
        ib_stall_advice(s->d->mechanism,
                        "look for a jump, a place out of reach or a force without bounds; a stiff "
                        "model wants solver: stiff"),
        diags);
}

static ib_status fixed_steps(stepper *s, ib_time time, bool (*stop)(void *), void *context,
                             ib_diags *diags) {
    ib_dynamics *d = s->d;
    while (d->header->time < time) {
        if (stop && stop(context))
            return IB_INTERRUPTED;
        const ib_time step = d->mechanism->options.step;
        const ib_time left = time - d->header->time;
        const ib_time end = d->header->time + (step < left ? step : left);
        const double h = ib_time_seconds(end - d->header->time);
        if (!take(s, h, ib_time_seconds(end)))
            return ib_dynamics_too_large(d, h, s->seconds,
                                         "a smaller step, or none for error control", diags);
        accept(s, end, h);
    }
    return IB_OK;
}

/* A step may end beside the constraints by what error control lets pass. Further off, a motion has
 * jumped, and projection would hide it. */
static bool drifted(const stepper *s) {
    ib_dynamics *d = s->d;
    const ib_mech_options *options = &d->mechanism->options;
    const bool far = d->drift > ib_larger(options->assembly_tolerance, 10 * options->rtol);
    d->off_row = far ? d->drift_row : -1;
    return far;
}

static ib_status controlled_steps(stepper *s, ib_time time, bool (*stop)(void *), void *context,
                                  ib_diags *diags) {
    ib_dynamics *d = s->d;
    while (d->header->time < time) {
        if (stop && stop(context))
            return IB_INTERRUPTED;
        const ib_time left = time - d->header->time;
        const ib_time step = ib_step_fit(d->header->step, left);
        const ib_time end = d->header->time + step;
        const double h = ib_time_seconds(step);
        const bool good = take(s, h, ib_time_seconds(end)) && !drifted(s);
        const double error = good ? error_norm(s, h) : (double)INFINITY;
        if (!(error <= 1)) {
            d->header->rejections++;
            if (step <= smallest)
                return ib_stiffness_resort(d) ? IB_OK : stalled(s, !good, diags);
            d->header->step =
                ib_step_scaled(step, good ? ib_step_after_rejection(s->method->order, error) : 0.2);
            continue;
        }
        const bool watched = ib_stiffness_due(d);
        const double h_lambda = watched ? fastest_mode(s, h) : 0;
        accept(s, end, h);
        const ib_time next = ib_step_scaled(
            step, ib_step_after_success(s->method->order, error, d->header->error, 5));
        d->header->error = error > least_error ? error : least_error;
        d->header->step = ib_step_keep(d->header->step, step, next);
        if (watched && ib_stiffness_watch(d, step, h_lambda, s->method->stable))
            return IB_OK;
    }
    return IB_OK;
}

bool ib_explicit_try(ib_dynamics *d, ib_time step, double *error) {
    stepper s;
    start(&s, d);
    const double h = ib_time_seconds(step);
    const ib_time end = d->header->time + step;
    const bool good = take(&s, h, ib_time_seconds(end)) && !drifted(&s);
    *error = good ? error_norm(&s, h) : (double)INFINITY;
    if (*error <= 1)
        accept(&s, end, h);
    return *error <= 1;
}

ib_status ib_explicit_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                              ib_diags *diags) {
    stepper s;
    start(&s, d);
    return d->mechanism->options.step > 0 ? fixed_steps(&s, time, stop, context, diags)
                                          : controlled_steps(&s, time, stop, context, diags);
}
