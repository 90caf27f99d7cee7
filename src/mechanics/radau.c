/* The stiff method: Radau IIA of order 5 and 9 on constrained bodies, with error control (Hairer &
 * Wanner 1996, section IV.8; docs/numerics.md, "Radau IIA").
 *
 * Stages meet the constraints in positions (radau_stage.c, index 3). Each step ends like the
 * explicit ones, with a projection of positions and velocities and with the accelerations there:
 * the projection takes out the velocities' errors across the constraints, which are of lower order,
 * so that positions and velocities are of the method's own. And the state is that of the explicit
 * methods, which may go on from it, as this one may from theirs.
 */
#include "mechanics/radau.h"
#include "mechanics/friction.h"

#include <math.h>
#include <string.h>

static const double most_growth = 8;    /* of a step */
static const double held = 1.2;         /* growth that is not worth new factors */
static const double least_error = 1e-4; /* that the controller remembers */
enum { patience = 6 };                  /* steps before the higher order */
enum { bypass_steps = 40, most_refusals = 6, MOST_PARTS = 10000 };

/* ---- error control ---- */

/* f(t, y) + sum e x / h of the step, in the axes of its start. */
static void defect(const radau_step *s, double *const *x, size_t at, double *out) {
    const ib_dynamics *d = s->d;
    ib_radau_mix(s, s->method->error, x, s->n, out);
    for (size_t b = 0; b < d->mechanism->n_bodies; b++) {
        const double *y = d->y + IB_STATE * b, *now = at == IB_STATE_V ? y : d->rate + IB_STATE * b;
        double *p = out + 6 * b;
        for (size_t k = 0; k < 6; k++)
            p[k] = p[k] / s->h + now[IB_STATE_V + k];
        ib_quat_rotate_back(y + IB_STATE_Q, p, p);
    }
}

/* Takes out of the velocities' errors what the projection at the end takes out of velocities; with
 * J and factor as that left them. */
static void drop_normal(const radau_step *s) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    double *e = s->change_w, *normal = s->rate[0];
    for (size_t b = 0; b < m->n_bodies; b++)
        ib_mul3v(d->kin + IB_KIN * b + IB_KIN_R, e + 6 * b, e + 6 * b);
    if (m->n_constraints == 0)
        return;
    ib_constraints_apply(d, e, NULL, d->work_rows);
    if (ib_friction_prepare(d, d->work_lambda))
        ib_friction_correction(d, d->work_rows, normal);
    else
        ib_solver_correction(d, d->work_rows, normal);
    for (size_t k = 0; k < s->n; k++)
        e[k] -= normal[k];
}

/* The real matrix's inverse of that (Hairer & Wanner 1996, equation IV.8.20): of order 4. */
static double step_error(const radau_step *s) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    double *p = s->rate[0], *q = s->rate[1], *e = s->x[0];
    defect(s, s->z, IB_STATE_V, p);
    defect(s, s->w, 0, q);
    ib_radau_feed(d, s->h, p, e);
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *x = e + ib_kkt_row(&m->newton, (int)b), turn[3];
        ib_axpy(x, d->mass[b], q + 6 * b, x);
        ib_mul3v(d->inertia + 9 * b, q + 6 * b + 3, turn);
        ib_axpy(x + 3, 1, turn, x + 3);
        ib_mass_couple(d, b, NULL, 1, q + 6 * b, x);
    }
    ib_radau_solve_real(d, e);
    for (size_t b = 0; b < m->n_bodies; b++)
        memcpy(s->change_z + 6 * b, e + ib_kkt_row(&m->newton, (int)b), 6 * sizeof *e);
    ib_radau_carry(d, s->change_z, s->change_w);
    for (size_t k = 0; k < s->n; k++)
        s->change_w[k] += s->method->gamma / s->h * s->change_z[k] - p[k];
    drop_normal(s);
    ib_radau_lag_error(s);
    return ib_error_norm(d, s->next, s->change_z, s->change_w, s->change_lag, s->h);
}

/* ---- steps ---- */

/* Makes the matrices anew, at a stage. */
static void mark(radau_step *s, int stage) {
    mech_header *header = s->d->header;
    ib_radau_place(s, stage);
    ib_radau_mark(s->d, s->h, s->method->c[stage] * s->h, s->next, s->lambda[stage]);
    header->contraction = 1;
    header->renew = false;
}

/* Newton's method; where it fails with old matrices, with new ones, made in the middle of the step.
 * Where a stiff force bends - friction that sticks - accelerations of the start say nothing about
 * the middle; without stages to carry on from, a last attempt stays at the velocities of the start
 * with its matrices, too. */
static bool find_stages(radau_step *s) {
    ib_dynamics *d = s->d;
    mech_header *header = d->header;
    for (bool renew = header->renew || !header->has_point;; renew = true) {
        ib_radau_predict(s);
        if (renew)
            mark(s, s->method->stages / 2);
        if (!ib_radau_prepare(d, s->h))
            return false;
        if (ib_radau_iterate(s))
            return true;
        if (renew)
            break;
    }
    if (header->kept_stages > 0)
        return false;
    ib_radau_stay(s);
    mark(s, 0);
    return ib_radau_prepare(d, s->h) && ib_radau_iterate(s);
}

/* A step of h seconds; with friction in joints once more with loads in better known directions. */
static bool solve(radau_step *s, double h) {
    s->h = h;
    s->method = ib_radau_method(s->d);
    s->seconds = ib_time_seconds(s->d->header->time);
    s->aimed = false;
    return find_stages(s) &&
           (s->d->mechanism->n_frictions == 0 || (ib_radau_aim(s) && ib_radau_iterate(s)));
}

/* With friction in joints the velocities' errors across the constraints are in the directions in
 * which multipliers and their friction move the bodies. The state that was arrived at by the
 * smallest change tells these; then the last stage's velocities are projected once more. */
static bool arrive_with_friction(const radau_step *s) {
    ib_dynamics *d = s->d;
    const size_t n_bodies = d->mechanism->n_bodies;
    const double *w = s->w[s->method->stages - 1];
    if (!ib_friction_prepare(d, d->work_lambda))
        return false;
    for (size_t b = 0; b < n_bodies; b++)
        for (size_t k = 0; k < 6; k++)
            s->next[IB_STATE * b + IB_STATE_V + k] =
                d->y[IB_STATE * b + IB_STATE_V + k] + w[6 * b + k];
    ib_dynamics_project_velocity_back(d, s->next);
    return ib_dynamics_solve(d, 3);
}

/* The state that the last stage ends at, on the constraints. */
static bool arrive(const radau_step *s, ib_time end) {
    ib_dynamics *d = s->d;
    ib_radau_place(s, s->method->stages - 1);
    d->angle_ahead = s->h;
    return ib_dynamics_arrive(d, ib_time_seconds(end), s->next) &&
           (d->mechanism->n_frictions == 0 || arrive_with_friction(s));
}

static void accept(const radau_step *s, ib_time end) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    ib_dynamics_rate(d, s->next, d->rate);
    memcpy(d->y, s->next, sizeof(double) * ib_state_size(m));
    memcpy(d->lambda, d->work_lambda, sizeof(double) * (size_t)m->n_rows);
    ib_radau_keep(s);
    d->header->refusals = 0;
    ib_dynamics_accept(d, end, s->h);
}

void ib_radau_interrupt(ib_dynamics *d) {
    d->header->kept_stages = 0;
    d->header->renew = true;
}

/* A fixed step that Newton's method cannot solve is taken in parts, down to a nanosecond. */
static bool take_parts(radau_step *s, ib_time end) {
    ib_dynamics *d = s->d;
    ib_time part = (end - d->header->time) / 4;
    for (int i = 0; part > 0 && d->header->time < end && i < MOST_PARTS; i++) {
        const ib_time start = d->header->time, left = end - start;
        const ib_time step = part < left ? part : left;
        if (solve(s, ib_time_seconds(step)) && arrive(s, start + step)) {
            accept(s, start + step);
            part += part / 2;
        } else {
            d->header->rejections++;
            part = step / 4;
        }
    }
    return d->header->time == end;
}

static ib_status fixed_steps(radau_step *s, ib_time time, bool (*stop)(void *), void *context,
                             ib_diags *diags) {
    ib_dynamics *d = s->d;
    while (d->header->time < time) {
        if (stop && stop(context))
            return IB_INTERRUPTED;
        const ib_time left = time - d->header->time;
        const ib_time wanted = ib_limit_turn(d, d->mechanism->options.step);
        const ib_time end = d->header->time + (wanted < left ? wanted : left);
        const double start = ib_time_seconds(d->header->time);
        const double h = ib_time_seconds(end - d->header->time);
        if (solve(s, h) && arrive(s, end)) {
            accept(s, end);
            continue;
        }
        d->header->rejections++;
        if (!take_parts(s, end))
            return ib_dynamics_too_large(d, h, start, "a smaller step, or none", diags);
    }
    return IB_OK;
}

/* Order 9 where steps go well one after the other, 5 after one that did not. Factors are of one
 * method. */
static void choose_order(ib_dynamics *d, bool accepted) {
    mech_header *header = d->header;
    header->smooth_steps = accepted ? header->smooth_steps + 1 : 0;
    const int stages = header->smooth_steps >= patience ? IB_RADAU_MOST : IB_RADAU_FEWEST;
    if (stages != header->stages)
        header->factored_step = 0;
    header->stages = stages;
}

/* The step after an accepted one. Growth that is not worth new factors waits. */
static void choose_step(const radau_step *s, ib_time step, double error) {
    mech_header *header = s->d->header;
    const double factor =
        ib_step_after_success(s->method->stages + 1, error, header->error, most_growth);
    const ib_time wanted = factor >= 1 && factor <= held ? step : ib_step_scaled(step, factor);
    header->error = error > least_error ? error : least_error;
    header->step = ib_step_keep(header->step, step, wanted);
}

/* ---- bypasses ---- */

/* Where loops lose rank for an instant, Newton's matrix is singular somewhere in a step, and short
 * steps do not help. The explicit method takes such places in its stride, if forces let it: it may
 * try, for as long as the step was to be and for not too many of its own. */
static void begin_bypass(ib_dynamics *d, ib_time step) {
    mech_header *header = d->header;
    header->bypass_left = bypass_steps;
    header->bypass_end = header->time + step;
    header->bypass_step = ib_step_scaled(step, 0.25);
    header->refusals = 0;
}

static bool in_bypass(const mech_header *header) {
    return header->bypass_left > 0 && header->time < header->bypass_end;
}

static void bypass(ib_dynamics *d, ib_time time) {
    mech_header *header = d->header;
    const ib_time end = header->bypass_end < time ? header->bypass_end : time;
    const ib_time step = ib_step_fit(header->bypass_step, end - header->time);
    double error;
    if (ib_explicit_try(d, step, &error)) {
        ib_radau_interrupt(d);
        header->bypass_left--;
        header->refusals = 0;
        header->bypass_step = ib_step_scaled(step, ib_step_after_success(5, error, error, 5));
        return;
    }
    header->rejections++;
    header->refusals++;
    header->bypass_step =
        ib_step_scaled(step, error < (double)INFINITY ? ib_step_after_rejection(5, error) : 0.2);
    if (header->refusals >= most_refusals)
        header->bypass_left = 0;
}

/* ---- the loop ---- */

/* After a refused step: what is known of it is its error, or (good = false) nothing. */
static void refuse(const radau_step *s, ib_time step, bool good, double error) {
    mech_header *header = s->d->header;
    const bool known = good && error < (double)INFINITY;
    header->step =
        ib_step_scaled(step, known ? ib_step_after_rejection(s->method->stages + 1, error) : 0.25);
    header->rejections++;
    choose_order(s->d, false);
    header->refusals++;
    if (s->d->mechanism->looped && (!good || header->refusals > 2))
        begin_bypass(s->d, step);
}

static void advance(radau_step *s, ib_time step) {
    ib_dynamics *d = s->d;
    const bool good = solve(s, ib_time_seconds(step)) && arrive(s, d->header->time + step);
    const double error = good ? step_error(s) : (double)INFINITY;
    if (error <= 1) {
        accept(s, d->header->time + step);
        choose_step(s, step, error);
        choose_order(d, true);
    } else {
        refuse(s, step, good, error);
    }
}

static ib_status stalled(const radau_step *s, ib_diags *diags) {
    return ib_dynamics_stalled(
        s->d, true, s->seconds,
        ib_stall_advice(s->d->mechanism,
                        "look for a jump, a place out of reach or a force without bounds"),
        diags);
}

static ib_status controlled_steps(radau_step *s, ib_time time, bool (*stop)(void *), void *context,
                                  ib_diags *diags) {
    ib_dynamics *d = s->d;
    mech_header *header = d->header;
    while (header->time < time) {
        if (stop && stop(context))
            return IB_INTERRUPTED;
        if (in_bypass(header)) {
            bypass(d, time);
            continue;
        }
        const ib_time step = ib_step_fit(ib_limit_turn(d, header->step), time - header->time);
        const uint64_t before = header->steps;
        advance(s, step);
        if (header->steps == before && step <= 1)
            return stalled(s, diags);
    }
    return IB_OK;
}

bool ib_radau_try(ib_dynamics *d, ib_time step) {
    const mech_header header = *d->header;
    radau_step s;
    ib_radau_begin(&s, d);
    const bool good =
        solve(&s, ib_time_seconds(step)) && arrive(&s, header.time + step) && step_error(&s) <= 1;
    *d->header = header;
    d->planes_made = false;
    return good;
}

ib_status ib_radau_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                           ib_diags *diags) {
    radau_step s;
    ib_radau_begin(&s, d);
    return d->mechanism->options.step > 0 ? fixed_steps(&s, time, stop, context, diags)
                                          : controlled_steps(&s, time, stop, context, diags);
}
