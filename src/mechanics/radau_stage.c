/* The stages of Radau IIA: what they start from, what their equations leave, and Newton's method.
 *
 * Each stage satisfies
 *     z = h sum a (v, T^-1(e) w),   M (change of velocities) = h sum a (Q - Gᵀ lambda),
 *     phi = 0,
 * with the attitude as a rotation vector from that of the step's start. The first of these holds
 * throughout; Newton's method is for the others. Its matrix is that of one point (radau_matrix.c),
 * in the axes of the bodies as they are at each stage, so that it still fits where a mechanism has
 * turned as a whole.
 */
#include "mechanics/friction.h"
#include "mechanics/radau.h"

#include <math.h>
#include <string.h>

enum { FIXED_ITERATIONS = 40, CONTROLLED_ITERATIONS = 10 };
static const double enough = 1e-3; /* of the tolerance: what Newton may leave, */
static const double slow = 0.03;   /* contraction that asks for a new matrix */
static const double sloppy = 30;   /* times that where more iterations change nothing, */
static const double diverged = 1e12;
static const double rounding = 2e-15;       /* of |phi| at 1 m from the origin */
static const double fixed_accuracy = 1e-13; /* of Newton without error control, m or rad */

size_t ib_radau_scratch(const ib_mechanism *m) {
    const size_t n = 6 * m->n_bodies, rows = (size_t)m->n_rows, lags = m->n_auxiliaries;
    const size_t unknowns = m->newton.blocks ? (size_t)m->newton.blocks->n_rows : 0;
    const size_t stage =
        4 * n + 4 * rows + 3 * lags + unknowns + 9 * (m->n_bodies + 1) + 3 * m->n_frictions;
    return m->stiff ? IB_RADAU_MOST * stage + 2 * n + ib_state_size(m) : 0;
}

static double *take(double **block, size_t n) {
    double *start = *block;
    *block += n;
    return start;
}

void ib_radau_begin(radau_step *s, ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    const size_t n = 6 * m->n_bodies, rows = (size_t)m->n_rows, lags = m->n_auxiliaries;
    double *block = d->stage;
    memset(s, 0, sizeof *s);
    s->d = d;
    s->method = ib_radau_method(d);
    s->n = n;
    for (int i = 0; i < IB_RADAU_MOST; i++) {
        s->z[i] = take(&block, n);
        s->w[i] = take(&block, n);
        s->rate[i] = take(&block, n);
        s->left[i] = take(&block, n);
        s->lambda[i] = take(&block, rows);
        s->gap[i] = take(&block, rows);
        s->change[i] = take(&block, rows);
        s->change_2[i] = take(&block, rows);
        s->lag[i] = take(&block, lags);
        s->lag_rate[i] = take(&block, lags);
        s->axes[i] = take(&block, 9 * (m->n_bodies + 1));
        s->x[i] = take(&block, (size_t)m->newton.blocks->n_rows);
        s->aim[i] = take(&block, 3 * m->n_frictions);
    }
    s->change_z = take(&block, n);
    s->change_w = take(&block, n);
    s->change_lag = take(&block, IB_RADAU_MOST * lags);
    s->next = take(&block, ib_state_size(m));
}

/* ---- stages ---- */

IB_KERNEL void mix_sized(int stages, const double *row, double *const *x, size_t n, double *out) {
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < stages; j++)
            sum += row[j] * x[j][i];
        out[i] = sum;
    }
}

static void mix(int stages, const double *row, double *const *x, size_t n, double *out) {
    if (stages == 3)
        mix_sized(3, row, x, n, out);
    else
        mix_sized(IB_RADAU_MOST, row, x, n, out);
}

void ib_radau_mix(const radau_step *s, const double *row, double *const *x, size_t n, double *out) {
    mix(s->method->stages, row, x, n, out);
}

/* The rates of z at a stage: v, and T^-1(e) w. */
static void find_rate(const radau_step *s, int stage) {
    for (size_t b = 0; b < s->d->mechanism->n_bodies; b++) {
        const double *u = s->d->y + IB_STATE * b + IB_STATE_V, *w = s->w[stage] + 6 * b;
        double T[9], *rate = s->rate[stage] + 6 * b, spin[3];
        for (size_t k = 0; k < 3; k++) {
            rate[k] = u[k] + w[k];
            spin[k] = u[3 + k] + w[3 + k];
        }
        ib_so3_tangent_inverse(s->z[stage] + 6 * b + 3, T);
        ib_mul3v(T, spin, rate + 3);
    }
}

/* z = h sum a rates. */
static void find_places(const radau_step *s) {
    for (int i = 0; i < s->method->stages; i++)
        find_rate(s, i);
    for (int i = 0; i < s->method->stages; i++) {
        ib_radau_mix(s, s->method->a[i], s->rate, s->n, s->z[i]);
        for (size_t k = 0; k < s->n; k++)
            s->z[i][k] *= s->h;
    }
}

/* The state at a stage, into s->next. */
void ib_radau_place(const radau_step *s, int stage) {
    const ib_dynamics *d = s->d;
    const size_t n_bodies = d->mechanism->n_bodies;
    for (size_t b = 0; b < n_bodies; b++) {
        const double *y = d->y + IB_STATE * b, *z = s->z[stage] + 6 * b, *w = s->w[stage] + 6 * b;
        double *next = s->next + IB_STATE * b;
        ib_axpy(y, 1, z, next);
        ib_quat_turn(y + IB_STATE_Q, z + 3, next + IB_STATE_Q);
        for (int k = 0; k < 6; k++)
            next[IB_STATE_V + k] = y[IB_STATE_V + k] + w[k];
    }
    for (size_t i = 0; i < d->mechanism->n_auxiliaries; i++)
        s->next[IB_STATE * n_bodies + i] = d->y[IB_STATE * n_bodies + i] + s->lag[stage][i];
}

/* Kinematics, J and phi at a stage. False when a motion has no value. */
static bool come_to(const radau_step *s, int stage) {
    ib_dynamics *d = s->d;
    d->header->evaluations++;
    d->fault_force = d->fault_driver = -1;
    ib_dynamics_set_time(d, s->seconds + s->method->c[stage] * s->h);
    d->angle_ahead = s->method->c[stage] * s->h;
    ib_radau_place(s, stage);
    ib_kin_update(d, s->next);
    ib_auxiliary_set(d, s->next);
    return ib_constraints_eval(d);
}

/* Forces less Gᵀ lambda, phi and the rates of auxiliary states at a stage. */
static bool evaluate(const radau_step *s, int stage) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    if (!come_to(s, stage) || !ib_forces_eval(d))
        return false;
    ib_friction_add(d, s->lambda[stage], 1, s->aimed ? s->aim[stage] : NULL);
    for (size_t b = 0; b <= m->n_bodies; b++)
        memcpy(s->axes[stage] + 9 * b, d->kin + IB_KIN * b + IB_KIN_R, 9 * sizeof(double));
    memcpy(s->left[stage], d->Q, sizeof(double) * s->n);
    ib_constraints_pull(d, s->lambda[stage], s->left[stage]);
    for (int k = 0; k < m->n_rows; k++)
        s->gap[stage][k] = fabs(d->phi[k]) > s->noise ? d->phi[k] : 0;
    memcpy(s->lag_rate[stage], d->law + m->n_laws, sizeof(double) * m->n_auxiliaries);
    return true;
}

static bool evaluate_all(const radau_step *s) {
    for (int i = 0; i < s->method->stages; i++)
        if (!evaluate(s, i))
            return false;
    return true;
}

/* The stages' own multipliers are of order s - 1, and a load is not linear in them: its square
 * errors would cost an order. Along a direction that is known to order s it is linear. */
bool ib_radau_aim(radau_step *s) {
    ib_dynamics *d = s->d;
    const size_t size = sizeof(double) * 3 * d->mechanism->n_frictions;
    s->aimed = false;
    for (int i = 0; i < s->method->stages; i++) {
        if (!come_to(s, i))
            return false;
        ib_solver_factor(d);
        if (!ib_dynamics_solve(d, 3))
            return false;
        memcpy(s->aim[i], d->friction_slope, size);
    }
    s->aimed = true;
    return true;
}

/* ---- where the iteration starts ---- */

/* Values at t of the polynomials that are 1 at one node of the method and 0 at the others, and, if
 * `anchored`, at 0. */
static void lagrange(const ib_radau_table *method, double t, bool anchored, double *share) {
    const double *c = method->c;
    for (int j = 0; j < method->stages; j++) {
        share[j] = anchored ? t / c[j] : 1;
        for (int k = 0; k < method->stages; k++)
            if (k != j)
                share[j] *= (t - c[k]) / (c[j] - c[k]);
    }
}

/* Where the stages of the last step are kept. */
typedef struct stages {
    double *w[IB_RADAU_MOST], *lag[IB_RADAU_MOST], *lambda[IB_RADAU_MOST];
} stages;

static stages kept_stages(const radau_step *s, int n_stages) {
    const size_t rows = (size_t)s->d->mechanism->n_rows, lags = s->d->mechanism->n_auxiliaries;
    double *block = s->d->history;
    stages kept;
    memset(&kept, 0, sizeof kept);
    for (int i = 0; i < n_stages; i++) {
        kept.w[i] = take(&block, s->n);
        kept.lag[i] = take(&block, lags);
        kept.lambda[i] = take(&block, rows);
    }
    return kept;
}

void ib_radau_keep(const radau_step *s) {
    const ib_mechanism *m = s->d->mechanism;
    const stages kept = kept_stages(s, s->method->stages);
    for (int i = 0; i < s->method->stages; i++) {
        memcpy(kept.w[i], s->w[i], sizeof(double) * s->n);
        memcpy(kept.lag[i], s->lag[i], sizeof(double) * m->n_auxiliaries);
        memcpy(kept.lambda[i], s->lambda[i], sizeof(double) * (size_t)m->n_rows);
    }
    s->d->header->kept_stages = s->method->stages;
}

/* The polynomials through velocities and multipliers of the last step, carried on. */
static void extrapolate(const radau_step *s, int n_kept, double last) {
    const ib_mechanism *m = s->d->mechanism;
    const ib_radau_table *old = ib_radau_with(n_kept);
    const stages kept = kept_stages(s, n_kept);
    double share[IB_RADAU_MOST] = {0};
    for (int i = 0; i < s->method->stages; i++) {
        const double t = 1 + s->method->c[i] * s->h / last;
        lagrange(old, t, false, share);
        mix(n_kept, share, kept.lambda, (size_t)m->n_rows, s->lambda[i]);
        lagrange(old, t, true, share);
        share[n_kept - 1] -= 1;
        mix(n_kept, share, kept.w, s->n, s->w[i]);
        mix(n_kept, share, kept.lag, m->n_auxiliaries, s->lag[i]);
    }
}

/* Velocities as if accelerations stayed. */
static void hold(const radau_step *s) {
    const ib_dynamics *d = s->d;
    const size_t n_bodies = d->mechanism->n_bodies;
    for (int i = 0; i < s->method->stages; i++) {
        const double t = s->method->c[i] * s->h;
        for (size_t k = 0; k < s->n; k++)
            s->w[i][k] = t * d->rate[IB_STATE * (k / 6) + IB_STATE_V + k % 6];
        for (size_t k = 0; k < d->mechanism->n_auxiliaries; k++)
            s->lag[i][k] = t * d->rate[IB_STATE * n_bodies + k];
        memcpy(s->lambda[i], d->lambda, sizeof(double) * (size_t)d->mechanism->n_rows);
    }
}

/* What rounding leaves of phi, that is: with the distance of the bodies from the origin. */
static double noise_of(const ib_dynamics *d) {
    double farthest = 1;
    for (size_t b = 0; b < d->mechanism->n_bodies; b++)
        farthest = ib_larger(ib_norm(d->y + IB_STATE * b), farthest);
    return rounding * farthest;
}

/* z from nothing but the velocities. */
static void settle_places(const radau_step *s) {
    for (int i = 0; i < s->method->stages; i++)
        memset(s->z[i], 0, sizeof(double) * s->n);
    find_places(s);
    find_places(s);
}

void ib_radau_predict(radau_step *s) {
    const ib_dynamics *d = s->d;
    const double last = d->header->last_step;
    s->noise = noise_of(d);
    if (d->header->kept_stages > 0 && s->h < 3 * last)
        extrapolate(s, d->header->kept_stages, last);
    else
        hold(s);
    settle_places(s);
}

void ib_radau_stay(radau_step *s) {
    const ib_dynamics *d = s->d;
    for (int i = 0; i < s->method->stages; i++) {
        memset(s->w[i], 0, sizeof(double) * s->n);
        memset(s->lag[i], 0, sizeof(double) * d->mechanism->n_auxiliaries);
        memcpy(s->lambda[i], d->lambda, sizeof(double) * (size_t)d->mechanism->n_rows);
    }
    settle_places(s);
}

/* ---- Newton ---- */

/* What the bodies weigh at a stage. */
static void masses_at(const radau_step *s, int stage) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    double *next = s->next + IB_STATE * m->n_bodies;
    if (m->n_tanks == 0)
        return;
    for (size_t i = 0; i < m->n_auxiliaries; i++)
        next[i] = d->y[IB_STATE * m->n_bodies + i] + s->lag[stage][i];
    ib_auxiliary_set(d, s->next);
}

/* left -= M sum A^-1 w / h, the accelerations of a stage; then into the axes of the bodies. */
static void subtract_inertia(const radau_step *s, int stage) {
    const ib_mechanism *m = s->d->mechanism;
    double *acc = s->change_w;
    masses_at(s, stage);
    ib_radau_mix(s, s->method->inverse[stage], s->w, s->n, acc);
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *left = s->left[stage] + 6 * b, turn[3];
        ib_axpy(left, -s->d->mass[b] / s->h, acc + 6 * b, left);
        ib_mul3v(s->d->inertia + 9 * b, acc + 6 * b + 3, turn);
        ib_axpy(left + 3, -1 / s->h, turn, left + 3);
        ib_mass_couple(s->d, b, s->axes[stage] + 9 * b, -1 / s->h, acc + 6 * b, left);
        ib_mul3tv(s->axes[stage] + 9 * b, left, left);
    }
}

/* Rows that hold points into the axes of the matrix. */
static void turn_gaps(const radau_step *s, int stage) {
    const ib_mechanism *m = s->d->mechanism;
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        double *gap = s->gap[stage] + c->row;
        const int body = ib_turning_body(c);
        if (body >= 0)
            ib_mul3tv(s->axes[stage] + 9 * body, gap, gap);
    }
}

/* gap -= epsilon h^2 A^2 (lambda - lambda at the start): the regularisation of the matrices, so
 * that what the constraints do not determine of the multipliers stays as it was. */
static void anchor(const radau_step *s) {
    const ib_dynamics *d = s->d;
    const size_t rows = (size_t)d->mechanism->n_rows;
    for (int i = 0; i < s->method->stages; i++)
        for (size_t k = 0; k < rows; k++)
            s->change[i][k] = s->lambda[i][k] - d->lambda[k];
    for (int i = 0; i < s->method->stages; i++)
        ib_radau_mix(s, s->method->a[i], s->change, rows, s->change_2[i]);
    for (int i = 0; i < s->method->stages; i++) {
        ib_radau_mix(s, s->method->a[i], s->change_2, rows, d->work_rows);
        for (size_t k = 0; k < rows; k++)
            s->gap[i][k] -= s->h * s->h * ib_radau_slack(d, k) * d->work_rows[k];
    }
}

/* Right sides, transformed, in elimination order. */
static void fill_right_sides(const radau_step *s, bool anchored) {
    const ib_mechanism *m = s->d->mechanism;
    if (anchored)
        anchor(s);
    for (int i = 0; i < s->method->stages; i++) {
        subtract_inertia(s, i);
        turn_gaps(s, i);
    }
    for (int i = 0; i < s->method->stages; i++) {
        const double *row = s->method->t_inverse[i];
        double *forces = s->change_w, *gaps = s->d->work_rows;
        ib_radau_mix(s, row, s->left, s->n, forces);
        ib_radau_mix(s, row, s->gap, (size_t)m->n_rows, gaps);
        for (size_t b = 0; b < m->n_bodies; b++)
            memcpy(s->x[i] + ib_kkt_row(&m->newton, (int)b), forces + 6 * b, 6 * sizeof *forces);
        for (size_t c = 0; c < m->n_constraints; c++) {
            double *x = s->x[i] + ib_kkt_row(&m->newton, (int)(m->n_bodies + c));
            for (int k = 0; k < m->constraints[c].n_rows; k++)
                x[k] = -gaps[m->constraints[c].row + k];
        }
    }
}

/* out = sum_j row[j] x[j] over one unit's rows. */
static void gather(const radau_step *s, const double *row, int unit, int n, double *out) {
    const int at = ib_kkt_row(&s->d->mechanism->newton, unit);
    for (int k = 0; k < n; k++) {
        out[k] = 0;
        for (int j = 0; j < s->method->stages; j++)
            out[k] += row[j] * s->x[j][at + k];
    }
}

/* The changes of a stage: of positions, in the bodies' axes, into s->rate, which is not needed any
 * more; of the multipliers, which are made. */
static void collect(const radau_step *s, int stage) {
    const ib_mechanism *m = s->d->mechanism;
    const double *row = s->method->t[stage];
    for (size_t b = 0; b < m->n_bodies; b++)
        gather(s, row, (int)b, 6, s->rate[stage] + 6 * b);
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        const int body = ib_turning_body(c);
        double change[IB_MAX_ROWS] = {0};
        gather(s, row, (int)(m->n_bodies + i), c->n_rows, change);
        if (body >= 0)
            ib_mul3v(s->axes[stage] + 9 * body, change, change);
        for (int k = 0; k < c->n_rows; k++)
            s->lambda[stage][c->row + k] += change[k];
    }
}

static double square(double x) { return x * x; }

/* Makes the changes of one stage; returns their size over the tolerance. Velocities, in the axes of
 * the bodies, change by sum A^-1 dz / h + w x dz. */
static double apply(const radau_step *s, int stage) {
    const ib_dynamics *d = s->d;
    const double *z = s->rate[stage];
    ib_radau_mix(s, s->method->inverse[stage], s->rate, s->n, s->change_w);
    for (size_t b = 0; b < d->mechanism->n_bodies; b++) {
        const double *rates = d->point + IB_STATE * b + IB_STATE_W, *R = s->axes[stage] + 9 * b;
        double *dw = s->change_w + 6 * b, *dz = s->change_z + 6 * b, turn[3];
        for (size_t k = 0; k < 6; k += 3) {
            ib_cross(rates, z + 6 * b + k, turn);
            ib_axpy(turn, 1 / s->h, dw + k, dw + k);
        }
        memcpy(dz, z + 6 * b, 6 * sizeof *dz);
        ib_mul3v(R, dw, dw);
        ib_mul3v(R, dz, dz);
        for (size_t k = 0; k < 6; k++) {
            s->w[stage][6 * b + k] += dw[k];
            s->z[stage][6 * b + k] += dz[k];
        }
    }
    return ib_error_norm(d, d->y, s->change_z, s->change_w,
                         s->change_lag + (size_t)stage * d->mechanism->n_auxiliaries,
                         (double)INFINITY);
}

/* One iteration from evaluated stages. */
static double improve(const radau_step *s, bool anchored) {
    double sum = 0;
    fill_right_sides(s, anchored);
    ib_radau_solve_real(s->d, s->x[0]);
    for (int k = 0; k < s->method->stages / 2; k++)
        ib_radau_solve_pair(s->d, k, s->x[1 + 2 * k], s->x[2 + 2 * k]);
    for (int i = 0; i < s->method->stages; i++)
        collect(s, i);
    ib_radau_lags(s);
    for (int i = 0; i < s->method->stages; i++)
        sum += square(apply(s, i));
    find_places(s);
    return sqrt(sum / s->method->stages);
}

/* What is left when all iterations have contracted like the last. */
static double foreseen(double size, double contraction, int iterations) {
    for (int i = 0; i < iterations; i++)
        size *= contraction;
    return size;
}

/* Newton's method. How it contracts is remembered, so that one iteration can be enough; near
 * rounding changes no longer shrink. */
bool ib_radau_iterate(const radau_step *s) {
    mech_header *header = s->d->header;
    const ib_mech_options *options = &s->d->mechanism->options;
    const bool fixed = options->step > 0;
    const double wanted = fixed ? fixed_accuracy / options->atol : enough;
    const int most = fixed ? FIXED_ITERATIONS : CONTROLLED_ITERATIONS;
    double last = 0, contraction = header->contraction;
    for (int i = 0; i < most; i++) {
        if (!evaluate_all(s))
            return false;
        header->iterations++;
        const double size = improve(s, i < 2);
        if (!(size < diverged))
            return false;
        if (i > 0)
            contraction = i > 1 ? sqrt(size / last * contraction) : size / last;
        const double known = contraction < 0.9 ? contraction : 0.9;
        if (size * known / (1 - known) <= wanted) {
            header->renew = header->renew || (i > 0 && contraction > slow);
            header->contraction = i > 0 ? known : sqrt(known * sqrt(known));
            return true;
        }
        if (i > 1 && size <= sloppy * wanted && size > 0.5 * last)
            return true;
        if (i > 1 && !fixed && foreseen(size, contraction, most - i) > sloppy * wanted)
            return false;
        last = size;
    }
    return false;
}
