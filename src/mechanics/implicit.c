/* Lie-group generalised-alpha on index 3 (Bruls & Cardona 2010; Bruls, Cardona & Arnold 2012;
 * Arnold & Hante 2017), with HHT (alpha_m = 0) as a setting. Second order, for stiff models, with
 * fixed steps or error control.
 *
 * Unknowns are the increments of a step, r = r0 + d and R = R0 exp(e), and the multipliers times
 * h^2. The multiplier block is regularised and anchored, phi = eps h^2 lambda, so that redundant
 * multipliers stay at least norm; the violation that this leaves is far below the tolerance.
 */
#include "mechanics/implicit.h"
#include "mechanics/friction.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 20, MOST_PARTS = 10000 };
static const double regularisation = 1e-9; /* relative to the diagonal of G M^-1 Gᵀ */
static const double converged = 1e-11;     /* increments, m and rad */
static const double rounding = 1e-7;       /* what rounding may leave near rank loss, far away */
static const double open = 1e-7;           /* |phi| that regularisation may not hide */
enum { order = 2 };                        /* of the error estimate */
static const double most_growth = 2;       /* of a step */
static const double least_error = 1e-4;    /* that the controller remembers */

size_t ib_implicit_scratch(const ib_mechanism *m) {
    return (6 * 6 + 9) * m->n_bodies + ib_state_size(m) + 3 * m->n_auxiliaries +
           2 * (size_t)m->n_rows;
}

static void start(implicit_step *s, ib_dynamics *d) {
    const ib_mech_options *options = &d->mechanism->options;
    const size_t bodies = d->mechanism->n_bodies, rows = (size_t)d->mechanism->n_rows;
    const size_t lags = d->mechanism->n_auxiliaries;
    memset(s, 0, sizeof *s);
    s->d = d;
    s->alpha_m = options->alpha_m;
    s->alpha_f = options->alpha_f;
    s->gamma = 0.5 + s->alpha_f - s->alpha_m;
    s->beta = 0.25 * (s->gamma + 0.5) * (s->gamma + 0.5);
    s->mass_factor = (1 - s->alpha_m) / (s->beta * (1 - s->alpha_f));
    s->rate_factor = s->gamma / s->beta;
    s->theta = 1 - s->alpha_f;
    s->lag_m = 2 * s->alpha_f - 0.5;
    s->lag_f = s->alpha_f;
    s->kept = d->rate;
    s->vdot = d->rate + 6 * bodies;
    s->lag_rate = d->rate + IB_STATE * bodies;
    s->lag_true = s->lag_rate + lags;
    s->increment = d->stage;
    s->a_next = s->increment + 6 * bodies;
    s->vdot_next = s->a_next + 6 * bodies;
    s->next = s->vdot_next + 6 * bodies;
    s->tangent = s->next + ib_state_size(d->mechanism);
    s->scaled_lambda = s->tangent + 9 * bodies;
    s->epsilon = s->scaled_lambda + rows;
    s->lag_known = s->epsilon + rows;
    s->position_error = s->lag_known + lags;
    s->velocity_error = s->position_error + 6 * bodies;
    s->lag_error = s->velocity_error + 6 * bodies;
    s->a = s->lag_error + lags;
    s->w = s->a + 6 * bodies;
}

/* Algorithmic rates run a share of a step behind the true ones; where those jump because an input
 * changed, they jump along. At the start both are zero before. */
static void jump(double *algorithmic, double *before, const double *now, size_t n) {
    for (size_t i = 0; i < n; i++) {
        algorithmic[i] += now[i] - before[i];
        before[i] = now[i];
    }
}

void ib_implicit_start(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    const size_t n = 6 * m->n_bodies;
    double *lag_rate = d->rate + IB_STATE * m->n_bodies;
    jump(d->rate, d->rate + n, d->acc, n);
    jump(lag_rate, lag_rate + m->n_auxiliaries, d->law + m->n_laws, m->n_auxiliaries);
}

/* Auxiliary states by the generalised-alpha method for first-order equations (Jansen, Whiting &
 * Hulbert 2000), in the form that pairs with the second-order one (Bruls & Golinval 2006):
 *     s1 = s0 + h ((1 - theta) w0 + theta w1),
 *     (1 - lag_m) w1 + lag_m w0 = (1 - lag_f) s1' + lag_f s0',
 * of second order since theta = 1/2 + lag_f - lag_m. */
static void predict_lags(implicit_step *s) {
    const ib_mechanism *m = s->d->mechanism;
    const double share = s->theta / (1 - s->lag_m);
    const double *now = s->d->y + IB_STATE * m->n_bodies;
    double *next = s->next + IB_STATE * m->n_bodies;
    s->lag_factor = s->h * share * (1 - s->lag_f);
    for (size_t i = 0; i < m->n_auxiliaries; i++) {
        const double w = s->w[i];
        s->lag_known[i] = now[i] + s->h * ((1 - s->theta) * w +
                                           share * (s->lag_f * s->lag_true[i] - s->lag_m * w));
        next[i] = now[i] + s->h * w;
    }
}

/* w1 of that, from s1. */
static double lag_rate_next(const implicit_step *s, size_t i) {
    const size_t at = IB_STATE * s->d->mechanism->n_bodies + i;
    return ((s->next[at] - s->d->y[at]) / s->h - (1 - s->theta) * s->w[i]) / s->theta;
}

static void accept_lags(implicit_step *s) {
    const ib_mechanism *m = s->d->mechanism;
    for (size_t i = 0; i < m->n_auxiliaries; i++) {
        s->lag_rate[i] = lag_rate_next(s, i);
        s->lag_true[i] = s->d->law[m->n_laws + i];
    }
}

/* Algorithmic rates as they are, for a step as long as the last one. */
static void carry_over(const implicit_step *s) {
    const ib_mechanism *m = s->d->mechanism;
    memcpy(s->a, s->kept, sizeof(double) * 6 * m->n_bodies);
    memcpy(s->w, s->lag_rate, sizeof(double) * m->n_auxiliaries);
}

/* a_n stands for the acceleration at t_n + (alpha_m - alpha_f) h, so what it differs by from the
 * true one changes with the step; carried over unchanged it would cost an order. Rates of auxiliary
 * states likewise. `ratio` is that to the last step. */
static void rescale(const implicit_step *s, double ratio) {
    const ib_mechanism *m = s->d->mechanism;
    for (size_t i = 0; i < 6 * m->n_bodies; i++)
        s->a[i] = s->vdot[i] + ratio * (s->kept[i] - s->vdot[i]);
    for (size_t i = 0; i < m->n_auxiliaries; i++)
        s->w[i] = s->lag_true[i] + ratio * (s->lag_rate[i] - s->lag_true[i]);
}

static double growth(const implicit_step *s, double h) {
    const double last = s->d->header->last_step;
    return last > 0 ? h / last : 1;
}

/* Increments as if accelerations stayed. */
static void predict(implicit_step *s, double h) {
    const ib_mechanism *m = s->d->mechanism;
    s->h = h;
    for (size_t b = 0; b < m->n_bodies; b++)
        for (size_t k = 0; k < 6; k++)
            s->increment[6 * b + k] =
                h * s->d->y[IB_STATE * b + IB_STATE_V + k] + 0.5 * h * h * s->a[6 * b + k];
    for (int i = 0; i < m->n_rows; i++)
        s->scaled_lambda[i] = h * h * s->d->lambda[i];
    predict_lags(s);
}

/* Positions, velocities and accelerations that follow from the increments (Newmark's relations). */
static void follow(implicit_step *s) {
    const double h = s->h;
    for (size_t b = 0; b < s->d->mechanism->n_bodies; b++) {
        const double *y = s->d->y + IB_STATE * b, *step = s->increment + 6 * b;
        double *next = s->next + IB_STATE * b;
        for (size_t k = 0; k < 6; k++) {
            const size_t i = 6 * b + k;
            s->a_next[i] =
                (step[k] / (h * h) - y[IB_STATE_V + k] / h - (0.5 - s->beta) * s->a[i]) / s->beta;
            next[IB_STATE_V + k] =
                y[IB_STATE_V + k] + h * ((1 - s->gamma) * s->a[i] + s->gamma * s->a_next[i]);
            s->vdot_next[i] =
                ((1 - s->alpha_m) * s->a_next[i] + s->alpha_m * s->a[i] - s->alpha_f * s->vdot[i]) /
                (1 - s->alpha_f);
        }
        ib_axpy(y, 1, step, next);
        ib_quat_turn(y + IB_STATE_Q, step + 3, next + IB_STATE_Q);
        ib_so3_tangent(step + 3, s->tangent + 9 * b);
    }
}

/* Kinematics, constraints and forces at the iterate. */
static bool evaluate(const implicit_step *s, double seconds) {
    ib_dynamics *d = s->d;
    d->header->evaluations++;
    d->fault_force = d->fault_driver = -1;
    ib_dynamics_set_time(d, seconds);
    d->angle_ahead = s->h;
    ib_kin_update(d, s->next);
    if (!ib_auxiliary_solve(d, s->lag_known, s->lag_factor,
                            s->next + IB_STATE * d->mechanism->n_bodies) ||
        !ib_constraints_eval(d) || !ib_forces_eval(d))
        return false;
    ib_friction_add(d, s->scaled_lambda, 1 / (s->h * s->h), NULL);
    return true;
}

/* Diagonal of G M^-1 Gᵀ, scaled: the regularisation of each row. */
static void weigh_rows(const implicit_step *s) {
    const ib_dynamics *d = s->d;
    for (size_t i = 0; i < d->mechanism->n_constraints; i++) {
        const mech_constraint *c = &d->mechanism->constraints[i];
        double *epsilon = s->epsilon + c->row;
        ib_row_weights(d, c, epsilon);
        for (int k = 0; k < c->n_rows; k++)
            epsilon[k] *= regularisation;
    }
}

/* Minus the residual of the step equations, in elimination order, into d->newton_x. */
static void residual(const implicit_step *s) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    double *f = d->work_body;
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *vdot = s->vdot_next + 6 * b, *Q = d->Q + 6 * b;
        double turn[3];
        ib_mul3v(d->inertia + 9 * b, vdot + 3, turn);
        for (size_t k = 0; k < 3; k++) {
            f[6 * b + k] = s->h * s->h * (Q[k] - d->mass[b] * vdot[k]);
            f[6 * b + 3 + k] = s->h * s->h * (Q[3 + k] - turn[k]);
        }
        ib_mass_couple(d, b, d->kin + IB_KIN * b + IB_KIN_R, -s->h * s->h, vdot, f + 6 * b);
    }
    ib_constraints_pull(d, s->scaled_lambda, f);
    for (size_t b = 0; b < m->n_bodies; b++)
        memcpy(d->newton_x + ib_kkt_row(&m->newton, (int)b), f + 6 * b, 6 * sizeof *f);
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        double *x = d->newton_x + ib_kkt_row(&m->newton, (int)(m->n_bodies + i));
        for (int k = 0; k < c->n_rows; k++)
            x[k] = -d->phi[c->row + k] + s->epsilon[c->row + k] * s->scaled_lambda[c->row + k];
    }
}

/* Adds the correction; returns its largest component by position. */
static double correct(implicit_step *s) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    double size = 0;
    ib_blocks_solve(m->newton.blocks, d->newton, d->newton_x);
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *x = d->newton_x + ib_kkt_row(&m->newton, (int)b);
        for (size_t k = 0; k < 6; k++)
            s->increment[6 * b + k] += x[k];
        size = ib_larger(ib_largest(x, 6), size);
    }
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        const double *x = d->newton_x + ib_kkt_row(&m->newton, (int)(m->n_bodies + i));
        for (int k = 0; k < c->n_rows; k++)
            s->scaled_lambda[c->row + k] += x[k];
    }
    return size;
}

static bool refresh_tangent(const implicit_step *s) {
    ib_dynamics *d = s->d;
    if (d->mechanism->slopes &&
        !ib_tape_eval(d->mechanism->slopes, d->leaves, d->tape_work, d->slope, NULL))
        return false;
    if (!ib_auxiliary_condense(d, s->lag_factor))
        return false;
    weigh_rows(s);
    const mech_tangent tangent = {.d = d,
                                  .h = s->h,
                                  .mass_factor = s->mass_factor,
                                  .rate_factor = s->rate_factor,
                                  .turn = s->tangent,
                                  .lambda = s->scaled_lambda,
                                  .epsilon = s->epsilon,
                                  .acceleration = s->vdot_next};
    return ib_tangent_factor(&tangent) == 0;
}

/* Newton on one step. The matrix is made at the first iterate, and anew when a correction is more
 * than 0.3 of the last; small ones that do not shrink with a new matrix either are rounding errors.
 */
static bool iterate(implicit_step *s, double end_seconds) {
    double last = 0;
    bool renew = true;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        follow(s);
        if (!evaluate(s, end_seconds))
            return false;
        if (renew && !refresh_tangent(s))
            return false;
        s->d->header->iterations++;
        residual(s);
        const double size = correct(s);
        if (!(size < 1e6))
            return false;
        const bool floor = renew && i > 0 && size < rounding && size > 0.5 * last;
        if (size < converged || floor) {
            follow(s);
            return evaluate(s, end_seconds) &&
                   ib_largest(s->d->phi, s->d->mechanism->n_rows) <= open;
        }
        renew = i > 0 && size > 0.3 * last;
        last = size;
    }
    return false;
}

static void accept(implicit_step *s, ib_time end) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    const size_t n = 6 * m->n_bodies;
    accept_lags(s);
    memcpy(d->y, s->next, sizeof(double) * ib_state_size(m));
    memcpy(s->kept, s->a_next, sizeof(double) * n);
    memcpy(s->vdot, s->vdot_next, sizeof(double) * n);
    for (int i = 0; i < m->n_rows; i++)
        d->lambda[i] = s->scaled_lambda[i] / (s->h * s->h);
    ib_dynamics_accept(d, end, s->h);
}

ib_time ib_limit_turn(const ib_dynamics *d, ib_time step) {
    double fastest = 0;
    for (size_t b = 0; b < d->mechanism->n_bodies; b++) {
        const double w = ib_norm(d->y + IB_STATE * b + IB_STATE_W);
        fastest = w > fastest ? w : fastest;
    }
    const double parts = fastest * ib_time_seconds(step) / 2;
    if (!(parts > 1))
        return step;
    const ib_time shorter = (ib_time)((double)step / ib_ceil(parts));
    return shorter > 0 ? shorter : 1;
}

/* ---- error control ---- */

/* Of auxiliary states, h/2 (w' - w) by their own matrix, which is in d->lag_work. */
static void lag_errors(const implicit_step *s) {
    const ib_dynamics *d = s->d;
    const size_t n = d->mechanism->n_auxiliaries;
    for (size_t i = 0; i < n; i++)
        s->lag_error[i] = s->h / 2 * (lag_rate_next(s, i) - s->w[i]);
    if (n > 0)
        ib_lu_solve(d->lag_work, n, d->lag_exchange, s->lag_error);
}

/* What the second order adds to the first: with the acceleration held at its new value velocities
 * end h/2 (a' - a) elsewhere, and positions, when it grows evenly, h^2/6 (a' - a) (Geradin &
 * Cardona 2001). Stiff parts, whose accelerations mean little, and directions that constraints lock
 * are taken out by the iteration matrix: S e + Gᵀ nu = S_0 h^2/6 (a' - a), G e = 0, with S_0 its
 * share of mass (as Hairer & Wanner 1996, equation IV.8.20). */
static double step_error(implicit_step *s) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    const double scale = s->mass_factor * s->h * s->h / 6;
    memset(d->newton_x, 0, sizeof(double) * (size_t)m->newton.blocks->n_rows);
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *x = d->newton_x + ib_kkt_row(&m->newton, (int)b), change[6];
        for (size_t k = 0; k < 6; k++)
            change[k] = scale * (s->a_next[6 * b + k] - s->a[6 * b + k]);
        for (size_t k = 0; k < 3; k++)
            x[k] = d->mass[b] * change[k];
        ib_mul3v(d->inertia + 9 * b, change + 3, x + 3);
        ib_mass_couple(d, b, d->kin + IB_KIN * b + IB_KIN_R, 1, change, x);
    }
    ib_blocks_solve(m->newton.blocks, d->newton, d->newton_x);
    for (size_t b = 0; b < m->n_bodies; b++)
        for (size_t k = 0; k < 6; k++) {
            const double e = d->newton_x[(size_t)ib_kkt_row(&m->newton, (int)b) + k];
            s->position_error[6 * b + k] = e;
            s->velocity_error[6 * b + k] = 3 / s->h * e;
        }
    lag_errors(s);
    return ib_error_norm(d, s->next, s->position_error, s->velocity_error, s->lag_error, s->h);
}

/* x += the change, in the directions of the constraints' forces, that gives G x the value G wanted
 * + add; `add` may be NULL.
 */
static void lock(ib_dynamics *d, const double *wanted, const double *add, double *x) {
    const size_t n = 6 * d->mechanism->n_bodies;
    double *change = d->acc;
    assert(x != NULL || n == 0);
    for (size_t i = 0; i < n; i++)
        change[i] = (wanted ? wanted[i] : 0) - x[i];
    ib_constraints_apply(d, change, NULL, d->work_rows);
    for (int k = 0; add && k < d->mechanism->n_rows; k++)
        d->work_rows[k] += add[k];
    ib_friction_correction(d, d->work_rows, change);
    for (size_t i = 0; i < n; i++)
        x[i] += change[i];
}

/* Across the constraints, index 3 leaves velocities and accelerations that suit the step's length;
 * steps of other lengths would turn that into errors of first order. So there they are made
 * consistent: G v = -phi_t, G vdot = -gamma, and a ahead of vdot as the last change of it says.
 * Positions lose what regularisation left of their violation; false when they cannot. */
static bool settle(const implicit_step *s) {
    ib_dynamics *d = s->d;
    const size_t n = 6 * d->mechanism->n_bodies;
    if (d->mechanism->n_constraints == 0)
        return true;
    if (!(ib_dynamics_project_position(d, s->next, 1e-13, 4) <= 1e-9))
        return false;
    if (!ib_friction_prepare(d, s->scaled_lambda))
        return false;
    ib_dynamics_project_velocity_back(d, s->next);
    ib_kin_spin(d);
    ib_constraints_gamma(d);
    for (int k = 0; k < d->mechanism->n_rows; k++)
        d->gamma[k] = -d->gamma[k];
    lock(d, NULL, d->gamma, s->vdot_next);
    double *ahead = s->position_error; /* has served */
    for (size_t i = 0; i < n; i++)
        ahead[i] = s->vdot_next[i] + (s->alpha_m - s->alpha_f) * (s->vdot_next[i] - s->vdot[i]);
    lock(d, ahead, NULL, s->a_next);
    return true;
}

/* ---- fixed steps ---- */

/* After an impact accelerations jump from part to part: not to be made much of in a long step. */
static double after_parts(const implicit_step *s, double h) {
    const double ratio = growth(s, h);
    return ratio < most_growth ? ratio : most_growth;
}

/* What Newton's method cannot solve in one step - an impact, a block that comes to stick - is taken
 * in parts, a quarter each and less where need be, down to a nanosecond. Between steps of other
 * lengths the constraints are made consistent, as with error control. */
static bool take_parts(implicit_step *s, ib_time end) {
    ib_dynamics *d = s->d;
    ib_time part = (end - d->header->time) / 4;
    for (int i = 0; part > 0 && d->header->time < end && i < MOST_PARTS; i++) {
        const ib_time start = d->header->time, left = end - start;
        const ib_time step = part < left ? part : left;
        rescale(s, after_parts(s, ib_time_seconds(step)));
        predict(s, ib_time_seconds(step));
        if (iterate(s, ib_time_seconds(start + step)) && settle(s)) {
            accept(s, start + step);
            part += part / 2;
        } else {
            d->header->rejections++;
            part = step / 4;
        }
    }
    return d->header->time == end;
}

static ib_status fixed_steps(implicit_step *s, ib_time time, bool (*stop)(void *), void *context,
                             ib_diags *diags) {
    ib_dynamics *d = s->d;
    bool parted = false;
    while (d->header->time < time) {
        if (stop && stop(context))
            return IB_INTERRUPTED;
        const ib_time left = time - d->header->time;
        const ib_time wanted = ib_limit_turn(d, d->mechanism->options.step);
        const ib_time end = d->header->time + (wanted < left ? wanted : left);
        const double start = ib_time_seconds(d->header->time);
        const double h = ib_time_seconds(end - d->header->time);
        if (parted)
            rescale(s, after_parts(s, h));
        else
            carry_over(s);
        predict(s, h);
        if (iterate(s, ib_time_seconds(end))) {
            accept(s, end);
            parted = false;
            continue;
        }
        d->header->rejections++;
        parted = true;
        if (!take_parts(s, end))
            return ib_dynamics_too_large(d, h, start, "a smaller simulation: step", diags);
    }
    return IB_OK;
}

/* ---- steps with error control ---- */

/* A smaller step after one that was refused; false when there is none. */
static bool shrink(ib_dynamics *d, ib_time step, double error) {
    const bool known = error > 1 && error < (double)INFINITY; /* or nothing converged */
    d->header->rejections++;
    d->header->step = ib_step_scaled(step, known ? ib_step_after_rejection(order, error) : 0.25);
    return step > 1;
}

static ib_status controlled_steps(implicit_step *s, ib_time time, bool (*stop)(void *),
                                  void *context, ib_diags *diags) {
    ib_dynamics *d = s->d;
    while (d->header->time < time) {
        if (stop && stop(context))
            return IB_INTERRUPTED;
        const ib_time start = d->header->time;
        const ib_time step = ib_step_fit(ib_limit_turn(d, d->header->step), time - start);
        const double h = ib_time_seconds(step);
        rescale(s, growth(s, h));
        predict(s, h);
        const bool good = iterate(s, ib_time_seconds(start + step));
        const double error = good ? step_error(s) : (double)INFINITY;
        if (!(error <= 1) || !settle(s)) {
            if (shrink(d, step, error))
                continue;
            return ib_dynamics_stalled(
                d, !good, ib_time_seconds(start),
                ib_stall_advice(d->mechanism, "look for a jump, a place out of reach or a force "
                                              "without bounds, or give a fixed step"),
                diags);
        }
        accept(s, start + step);
        const double factor = ib_step_after_success(order, error, d->header->error, most_growth);
        d->header->error = error > least_error ? error : least_error;
        d->header->step = ib_step_keep(d->header->step, step, ib_step_scaled(step, factor));
    }
    return IB_OK;
}

ib_status ib_implicit_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                              ib_diags *diags) {
    implicit_step s;
    start(&s, d);
    return d->mechanism->options.step > 0 ? fixed_steps(&s, time, stop, context, diags)
                                          : controlled_steps(&s, time, stop, context, diags);
}
