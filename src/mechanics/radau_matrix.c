/* The iteration matrices of Radau IIA: S_q + xi S_v + xi^2 M (tangent.c) at a real xi and at one of
 * a complex pair.
 *
 * The two planes are made at one point and serve many steps; only what follows from the step's
 * length is made when that changes. The point is part of the state, the matrices are not: after a
 * snapshot was restored they are made again where they came from, bit for bit.
 *
 * Constraint rows are regularised by -slack / xi^2, slack a share of the diagonal of G M^-1 Gᵀ.
 */
#include "mechanics/friction.h"
#include "mechanics/radau.h"

#include <string.h>

/* Slack: in trees a trace; in loops, which may pass rank loss, as much as the tolerance lets pass.
 */
static const double tree_slack = 1e-13, least_slack = 1e-9, most_slack = 1e-7;

static size_t n_values(const ib_dynamics *d) {
    return (size_t)d->mechanism->newton.blocks->n_values;
}

/* ---- the point ---- */

void ib_radau_mark(ib_dynamics *d, double h, double ahead, const double *y, const double *lambda) {
    const ib_mechanism *m = d->mechanism;
    memcpy(d->point, y, sizeof(double) * ib_state_size(m));
    memcpy(d->point_lambda, lambda, sizeof(double) * (size_t)m->n_rows);
    for (size_t i = 0; i < m->n_angles; i++)
        d->point_angle[i] = d->angle[i] + ahead * d->angle_rate[i];
    d->header->point_time = ib_time_seconds(d->header->time) + ahead;
    d->header->point_step = h;
    d->header->has_point = true;
    d->planes_made = false;
}

/* Kinematics, constraints, forces and slopes at the point. */
static bool evaluate_point(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    d->header->evaluations++;
    d->fault_force = d->fault_driver = -1;
    ib_dynamics_set_time(d, d->header->point_time);
    d->angle_ahead = 0;
    ib_kin_update(d, d->point);
    ib_auxiliary_set(d, d->point);
    if (!ib_constraints_eval(d) || !ib_forces_eval(d))
        return false;
    ib_friction_add(d, d->point_lambda, 1, NULL);
    return !m->slopes || ib_tape_eval(m->slopes, d->leaves, d->tape_work, d->slope, NULL);
}

/* Slopes of laws through auxiliary states, as a step of the length at hand then sees them. */
static bool condense(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    const size_t n = m->n_auxiliaries;
    if (n == 0)
        return true;
    if (!ib_tape_eval(m->lags.slopes, d->leaves, d->tape_work, d->lag_slope, NULL))
        return false;
    memcpy(d->lag_matrix, d->lag_slope, sizeof(double) * n * n);
    return ib_auxiliary_condense(d, d->header->point_step / ib_radau_method(d)->gamma);
}

static void swap_angles(ib_dynamics *d) {
    for (size_t i = 0; i < d->mechanism->n_angles; i++) {
        const double angle = d->angle[i];
        d->angle[i] = d->point_angle[i];
        d->point_angle[i] = angle;
    }
}

/* Both planes. Angles count on from where they were at the point. */
static bool make_planes(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    swap_angles(d);
    const bool good = evaluate_point(d) && condense(d);
    swap_angles(d);
    if (!good)
        return false;
    for (size_t i = 0; i < m->n_constraints; i++)
        ib_row_weights(d, &m->constraints[i], d->point_weight + m->constraints[i].row);
    memset(d->work_rows, 0, sizeof(double) * (size_t)m->n_rows);
    const mech_tangent tangent = {
        .d = d, .planes = true, .h = 1, .lambda = d->point_lambda, .epsilon = d->work_rows};
    ib_tangent_planes(&tangent, d->plane, d->plane + n_values(d));
    return true;
}

/* ---- factors ---- */

/* Place of a unit's first diagonal entry. */
static size_t diagonal_of(const mech_kkt *kkt, int unit, size_t *stride) {
    const int step = kkt->blocks->step[kkt->node[unit]], n = kkt->blocks->size[step];
    *stride = (size_t)n;
    return (size_t)kkt->blocks->diagonal[step] + (size_t)kkt->at[unit] * (size_t)(n + 1);
}

/* values += factor M */
static void add_mass(const ib_dynamics *d, double factor, double *values) {
    const ib_mechanism *m = d->mechanism;
    for (size_t b = 0; b < m->n_bodies; b++) {
        size_t stride;
        double *D = values + diagonal_of(&m->newton, (int)b, &stride);
        for (size_t i = 0; i < 3; i++) {
            D[stride * i + i] += factor * d->mass[b];
            for (size_t j = 0; j < 3; j++)
                D[stride * (3 + i) + 3 + j] += factor * d->inertia[9 * b + 3 * i + j];
        }
        for (size_t k = 0; m->carries[b] && k < 6; k++) {
            double unit[6] = {0}, column[6] = {0};
            unit[k] = 1;
            ib_mass_couple(d, b, NULL, factor, unit, column);
            for (size_t i = 0; i < 6; i++)
                D[stride * i + k] += column[i];
        }
    }
}

double ib_radau_slack(const ib_dynamics *d, size_t row) {
    const ib_mechanism *m = d->mechanism;
    const double rtol = m->options.rtol;
    const double loop = rtol < least_slack ? least_slack : rtol > most_slack ? most_slack : rtol;
    return (m->looped ? loop : tree_slack) * d->point_weight[row];
}

/* values -= factor slack, in the rows of constraints. */
static void regularise(const ib_dynamics *d, double factor, double *values) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        size_t stride;
        double *D = values + diagonal_of(&m->newton, (int)(m->n_bodies + i), &stride);
        for (size_t k = 0; k < (size_t)c->n_rows; k++)
            D[(stride + 1) * k] -= factor * ib_radau_slack(d, (size_t)c->row + k);
    }
}

/* S_q + xi S_v + xi^2 M at a real xi, factored. */
static bool factor_real(ib_dynamics *d, double xi) {
    const size_t n = n_values(d);
    const double *S = d->plane, *V = S + n;
    double *values = d->factors;
    for (size_t i = 0; i < n; i++)
        values[i] = S[i] + xi * V[i];
    add_mass(d, xi * xi, values);
    regularise(d, 1 / (xi * xi), values);
    return ib_blocks_factor(d->mechanism->newton.blocks, values, NULL) == 0;
}

static double *pair_of(const ib_dynamics *d, int pair) {
    return d->factors + (size_t)(1 + 2 * pair) * n_values(d);
}

/* At xi = x + i y. */
static bool factor_pair(ib_dynamics *d, int pair, double x, double y) {
    const size_t n = n_values(d);
    const double *S = d->plane, *V = S + n;
    const double square_re = x * x - y * y, square_im = 2 * x * y;
    const double size = square_re * square_re + square_im * square_im;
    double *re = pair_of(d, pair), *im = re + n;
    for (size_t i = 0; i < n; i++) {
        re[i] = S[i] + x * V[i];
        im[i] = y * V[i];
    }
    add_mass(d, square_re, re);
    add_mass(d, square_im, im);
    regularise(d, square_re / size, re);
    regularise(d, -square_im / size, im);
    return ib_blocks_factor_complex(d->mechanism->newton.blocks, re, im, NULL) == 0;
}

static bool factor(ib_dynamics *d, double h) {
    const ib_radau_table *method = ib_radau_method(d);
    bool good = factor_real(d, method->gamma / h);
    for (int k = 0; good && k < method->stages / 2; k++)
        good = factor_pair(d, k, method->alpha[k] / h, method->beta[k] / h);
    d->header->factorizations++;
    return good && (d->mechanism->n_auxiliaries == 0 || ib_radau_lag_factor(d, h));
}

bool ib_radau_prepare(ib_dynamics *d, double h) {
    mech_header *header = d->header;
    if (d->planes_made && header->factored_step == h)
        return true;
    if (!d->planes_made && !make_planes(d))
        return false;
    header->factored_step = h;
    d->planes_made = factor(d, h);
    return d->planes_made;
}

/* ---- solving ---- */

void ib_radau_solve_real(const ib_dynamics *d, double *x) {
    ib_blocks_solve(d->mechanism->newton.blocks, d->factors, x);
}

void ib_radau_solve_pair(const ib_dynamics *d, int pair, double *re, double *im) {
    const double *values = pair_of(d, pair);
    ib_blocks_solve_complex(d->mechanism->newton.blocks, values, values + n_values(d), re, im);
}

void ib_radau_carry(const ib_dynamics *d, const double *p, double *out) {
    for (size_t i = 0; i < 2 * d->mechanism->n_bodies; i++)
        ib_cross(d->point + IB_STATE * (i / 2) + IB_STATE_W, p + 3 * i, out + 3 * i);
}

void ib_radau_feed(ib_dynamics *d, double h, const double *p, double *x) {
    const ib_mechanism *m = d->mechanism;
    const double xi = ib_radau_method(d)->gamma / h;
    double *carried = d->work_body, *spread = d->newton_x;
    memset(spread, 0, sizeof(double) * (size_t)m->newton.blocks->n_rows);
    for (size_t b = 0; b < m->n_bodies; b++)
        memcpy(spread + ib_kkt_row(&m->newton, (int)b), p + 6 * b, 6 * sizeof *p);
    ib_blocks_multiply(m->newton.blocks, d->plane + n_values(d), spread, x);
    ib_radau_carry(d, p, carried);
    for (size_t i = 0; i < 6 * m->n_bodies; i++)
        carried[i] = xi * p[i] - carried[i];
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *to = x + ib_kkt_row(&m->newton, (int)b), turn[3];
        ib_axpy(to, d->mass[b], carried + 6 * b, to);
        ib_mul3v(d->inertia + 9 * b, carried + 6 * b + 3, turn);
        ib_axpy(to + 3, 1, turn, to + 3);
        ib_mass_couple(d, b, NULL, 1, carried + 6 * b, to);
    }
}
