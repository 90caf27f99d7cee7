/* Solving M a + Gᵀ lambda = Q, G a = -gamma at one configuration (docs/numerics.md, "Explicit
 * integration").
 *
 * The factor is of the regularised matrix, A + eps diag(A) with A = G M^-1 Gᵀ. Every solution
 * starts from a guess for the multipliers, the last accepted ones, and is refined: lambda += (A +
 * eps D)^-1 (residual). So redundant directions keep their guess, and the regularisation leaves no
 * trace in the others. Mechanisms with bodies that lack inertia, and star-shaped ones, use the
 * general matrix.
 */
#include "mechanics/mechanism.h"

#include <math.h>
#include <string.h>

/* Regularisation, relative to the diagonal: where loops may pass rank loss, and in trees. */
static const double epsilon = 1e-8, tree_epsilon = 1e-12;

/* acc += M^-1 f, or the part of it that exists. */
static void add_weighted(const ib_dynamics *d, const double *f, double *acc) {
    const ib_mechanism *m = d->mechanism;
    for (size_t b = 0; b < m->n_bodies; b++) {
        double turn[3];
        if (m->carries[b]) { /* and there are no constraints */
            ib_mass_solve(d, b, f + 6 * b, acc + 6 * b);
            continue;
        }
        ib_axpy(acc + 6 * b, m->inverse_mass[b], f + 6 * b, acc + 6 * b);
        ib_mul3v(m->inverse_inertia + 9 * b, f + 6 * b + 3, turn);
        ib_axpy(acc + 6 * b + 3, 1, turn, acc + 6 * b + 3);
    }
}

/* ---- general matrix ---- */

static void write_mass(mech_writer *w, const ib_dynamics *d, int body) {
    int stride;
    double *S = ib_kkt_block(w, body, body, &stride);
    for (int k = 0; d && k < 3; k++) {
        S[stride * k + k] += d->mass[body];
        for (int l = 0; l < 3; l++)
            S[stride * (3 + k) + 3 + l] += d->inertia[9 * body + 3 * k + l];
    }
    for (int k = 0; d && w->m->carries[body] && k < 6; k++) {
        double unit[6] = {0}, column[6] = {0};
        unit[k] = 1;
        ib_mass_couple(d, (size_t)body, d->kin + IB_KIN * body + IB_KIN_R, 1, unit, column);
        for (int i = 0; i < 6; i++)
            S[stride * i + k] += column[i];
    }
}

static void write_constraint(mech_writer *w, const ib_dynamics *d, int index) {
    const mech_constraint *c = &w->m->constraints[index];
    const int unit = (int)w->m->n_bodies + index;
    int stride;
    double *E = ib_kkt_block(w, unit, unit, &stride), weights[IB_MAX_ROWS];
    if (d)
        ib_row_weights(d, c, weights);
    for (int i = 0; d && i < c->n_rows; i++)
        E[stride * i + i] -= epsilon * weights[i];
    for (int a = 0; a < c->n_active; a++) {
        const int slot = c->active[a];
        ib_kkt_slot(w, unit, c->body[slot], c->n_rows,
                    d ? d->J + c->jacobian + slot * 6 * c->n_rows : NULL, NULL);
    }
}

/* d is NULL while recording. */
static void write_general(mech_writer *w, const ib_dynamics *d) {
    for (size_t b = 0; b < w->m->n_bodies; b++)
        write_mass(w, d, (int)b);
    for (size_t i = 0; i < w->m->n_constraints; i++)
        write_constraint(w, d, (int)i);
}

bool ib_solver_record(ib_mechanism *m) {
    mech_writer writer = {.m = m, .kkt = &m->kkt, .record = &m->kkt.map};
    write_general(&writer, NULL);
    return !writer.failed;
}

static void factor_general(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    write_general(ib_kkt_begin(d, &m->kkt, d->kkt), d);
    ib_blocks_factor(m->kkt.blocks, d->kkt, NULL);
}

/* Adds the solution of the general matrix for (f, c) to (x, lambda). */
static void add_general(ib_dynamics *d, const double *f, const double *c, double *x,
                        double *lambda) {
    const ib_mechanism *m = d->mechanism;
    double *work = d->kkt_x;
    for (size_t b = 0; b < m->n_bodies; b++)
        memcpy(work + ib_kkt_row(&m->kkt, (int)b), f + 6 * b, 6 * sizeof *work);
    for (size_t i = 0; i < m->n_constraints; i++)
        memcpy(work + ib_kkt_row(&m->kkt, (int)(m->n_bodies + i)), c + m->constraints[i].row,
               sizeof(double) * (size_t)m->constraints[i].n_rows);
    ib_blocks_solve(m->kkt.blocks, d->kkt, work);
    for (size_t b = 0; b < m->n_bodies; b++)
        for (int k = 0; k < 6; k++)
            x[6 * b + (size_t)k] += work[ib_kkt_row(&m->kkt, (int)b) + k];
    for (size_t i = 0; lambda && i < m->n_constraints; i++)
        for (int k = 0; k < m->constraints[i].n_rows; k++)
            lambda[m->constraints[i].row + k] +=
                work[ib_kkt_row(&m->kkt, (int)(m->n_bodies + i)) + k];
}

/* f = Q - M acc - Gᵀ lambda */
static void residual_general(ib_dynamics *d, const double *lambda, double *f) {
    const ib_mechanism *m = d->mechanism;
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *acc = d->acc + 6 * b, *Q = d->Q + 6 * b;
        double turn[3];
        ib_axpy(Q, -d->mass[b], acc, f + 6 * b);
        ib_mul3v(d->inertia + 9 * b, acc + 3, turn);
        ib_axpy(Q + 3, -1, turn, f + 6 * b + 3);
        ib_mass_couple(d, b, d->kin + IB_KIN * b + IB_KIN_R, -1, acc, f + 6 * b);
    }
    ib_constraints_pull(d, lambda, f);
}

static void accelerations_general(ib_dynamics *d, double *lambda, int refinements) {
    const ib_mechanism *m = d->mechanism;
    memset(d->acc, 0, sizeof(double) * 6 * m->n_bodies);
    for (int i = 0; i <= refinements + 1; i++) {
        residual_general(d, lambda, d->work_body);
        ib_constraints_apply(d, d->acc, d->gamma, d->work_rows);
        for (int k = 0; k < m->n_rows; k++)
            d->work_rows[k] = -d->work_rows[k];
        add_general(d, d->work_body, d->work_rows, d->acc, lambda);
    }
}

/* ---- what the integrators call ---- */

void ib_solver_factor(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    if (m->n_constraints == 0)
        return;
    d->header->factorizations++;
    if (m->general) {
        factor_general(d);
        return;
    }
    ib_schur_assemble(d, &m->own, m->looped ? epsilon : tree_epsilon, 0, d->schur);
    ib_blocks_factor(m->schur.blocks, d->schur, NULL);
}

/* Constraint accelerations that count as met: well below what the error control would notice, or
 * near rounding where there is none. */
static double tolerance_of(const ib_dynamics *d) {
    const ib_mech_options *options = &d->mechanism->options;
    const double rtol = options->step > 0 ? 1e-11 : options->rtol;
    const double share = rtol < 1e-6 ? 1e-2 * rtol : ib_larger(1e-8, 1e-3 * rtol);
    return share * (1 + ib_largest(d->gamma, d->mechanism->n_rows));
}

/* A tree's slack is far below all but the tightest tolerances: one solution will do. */
static bool exact_enough(const ib_dynamics *d) {
    const ib_mech_options *options = &d->mechanism->options;
    return !d->mechanism->looped && options->step == 0 && options->rtol >= 1e-9;
}

/* (A + S) mu = c leaves c - A mu = S mu, with S the slack of the regularised factor. What is not a
 * number does not show here but in the accelerations. */
double ib_solver_left(const ib_dynamics *d, const double *mu) {
    double left = 0;
    if (d->mechanism->general)
        return (double)INFINITY;
    for (int k = 0; k < d->mechanism->n_rows; k++) {
        const double rest = d->slack[k] * fabs(mu[k]);
        left = rest > left ? rest : left;
    }
    return left;
}

void ib_solver_accelerations(ib_dynamics *d, double *lambda, int refinements) {
    const ib_mechanism *m = d->mechanism;
    if (m->general) {
        accelerations_general(d, lambda, refinements);
        return;
    }
    memset(d->acc, 0, sizeof(double) * 6 * m->n_bodies);
    add_weighted(d, d->Q, d->acc);
    if (m->n_constraints == 0)
        return;
    ib_schur_pull(d, &m->own, lambda, d->acc);
    const bool once = exact_enough(d);
    const double enough = once ? 0 : tolerance_of(d);
    for (int i = 0; i <= refinements; i++) {
        ib_constraints_apply(d, d->acc, d->gamma, d->work_rows);
        ib_blocks_solve(m->schur.blocks, d->schur, d->work_rows);
        ib_schur_pull(d, &m->own, d->work_rows, d->acc);
        for (int k = 0; k < m->n_rows; k++)
            lambda[k] += d->work_rows[k];
        if (once || ib_solver_left(d, d->work_rows) <= enough)
            return;
    }
}

void ib_solver_solve(ib_dynamics *d, const double *f, const double *c, double *x, double *mu) {
    const ib_mechanism *m = d->mechanism;
    memset(x, 0, sizeof(double) * 6 * m->n_bodies);
    memset(mu, 0, sizeof(double) * (size_t)m->n_rows);
    if (m->general) {
        memset(d->work_body, 0, sizeof(double) * 6 * m->n_bodies);
        add_general(d, f ? f : d->work_body, c ? c : mu, x, mu);
        return;
    }
    if (f)
        add_weighted(d, f, x);
    ib_constraints_apply(d, x, NULL, mu);
    for (int k = 0; c && k < m->n_rows; k++)
        mu[k] -= c[k];
    ib_blocks_solve(m->schur.blocks, d->schur, mu);
    ib_schur_pull(d, &m->own, mu, x);
}

void ib_solver_correction(ib_dynamics *d, double *c, double *x) {
    const ib_mechanism *m = d->mechanism;
    memset(x, 0, sizeof(double) * 6 * m->n_bodies);
    if (m->general) {
        memset(d->work_body, 0, sizeof(double) * 6 * m->n_bodies);
        add_general(d, d->work_body, c, x, NULL);
        return;
    }
    ib_blocks_solve(m->schur.blocks, d->schur, c);
    for (int k = 0; k < m->n_rows; k++)
        c[k] = -c[k];
    ib_schur_pull(d, &m->own, c, x);
}
