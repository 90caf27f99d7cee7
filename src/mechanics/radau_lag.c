/* Auxiliary states s' = g (auxiliary.c) in Radau IIA.
 *
 * Their stages are solved with the bodies' in turn, each iteration with the matrix A^-1 / h - dg/ds
 * of all three together, made at the point of the bodies' matrices, whose laws' slopes hold what
 * comes through these states.
 */
#include "mechanics/radau.h"

#include <string.h>

/* d->lag_matrix: dg/ds at the point [n x n]; then the factors of the error estimate [n x n] and of
 * all stages [stages n x stages n]. */
static double *estimate_of(const ib_dynamics *d) {
    const size_t n = d->mechanism->n_auxiliaries;
    return d->lag_matrix + n * n;
}

static double *stages_of(const ib_dynamics *d) {
    const size_t n = d->mechanism->n_auxiliaries;
    return estimate_of(d) + n * n;
}

bool ib_radau_lag_factor(ib_dynamics *d, double h) {
    const ib_radau_table *method = ib_radau_method(d);
    const size_t n = d->mechanism->n_auxiliaries, all = n * (size_t)method->stages;
    const double *slope = d->lag_matrix;
    double *stages = stages_of(d), *estimate = estimate_of(d);
    for (size_t i = 0; i < all; i++)
        for (size_t j = 0; j < all; j++) {
            const double own = i % n == j % n ? method->inverse[i / n][j / n] / h : 0;
            stages[all * i + j] = own - (i / n == j / n ? slope[n * (i % n) + j % n] : 0);
        }
    for (size_t i = 0; i < n * n; i++)
        estimate[i] = (i % (n + 1) == 0 ? method->gamma / h : 0) - slope[i];
    return ib_lu_factor(stages, all, 0, d->lag_order + n) == all &&
           ib_lu_factor(estimate, n, 0, d->lag_order) == n;
}

void ib_radau_lags(const radau_step *s) {
    const ib_dynamics *d = s->d;
    const size_t n = d->mechanism->n_auxiliaries, stages = (size_t)s->method->stages;
    if (n == 0)
        return;
    for (size_t i = 0; i < stages; i++) {
        double *change = s->change_lag + n * i;
        ib_radau_mix(s, s->method->inverse[i], s->lag, n, change);
        for (size_t k = 0; k < n; k++)
            change[k] = s->lag_rate[i][k] - change[k] / s->h;
    }
    ib_lu_solve(stages_of(d), stages * n, d->lag_order + n, s->change_lag);
    for (size_t i = 0; i < stages; i++)
        for (size_t k = 0; k < n; k++)
            s->lag[i][k] += s->change_lag[n * i + k];
}

void ib_radau_lag_error(const radau_step *s) {
    const ib_dynamics *d = s->d;
    const size_t n = d->mechanism->n_auxiliaries;
    const double *rate = d->rate + IB_STATE * d->mechanism->n_bodies;
    if (n == 0)
        return;
    ib_radau_mix(s, s->method->error, s->lag, n, s->change_lag);
    for (size_t k = 0; k < n; k++)
        s->change_lag[k] = rate[k] + s->change_lag[k] / s->h;
    ib_lu_solve(estimate_of(d), n, d->lag_order, s->change_lag);
}
