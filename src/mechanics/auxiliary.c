/* Auxiliary states: s' = g(t, s, measures, inputs), of first order beside the bodies', as the speed
 * of a motor that follows its command.
 *
 * Explicit methods carry them at the end of the state. Implicit ones leave, for given positions and
 * velocities, s = known + factor g(s); it is solved by Newton here, and what a law's slope by a
 * measure gains through s is
 *     dlaw/ds (1 - factor dg/ds)^-1 factor dg/dm,
 * so that the bodies' iteration matrix stays exact and keeps its blocks (docs/numerics.md,
 * "Auxiliary states").
 */
#include "mechanics/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 40 };
static const double converged = 1e-13; /* of the largest state */
static const double rounding = 1e-9;   /* the same, of steps that no longer shrink */

int ib_mechanism_add_auxiliary(ib_mechanism *m, const ib_mech_auxiliary *given) {
    if (!IB_VEC_RESERVE(m->auxiliaries, m->auxiliaries_capacity, m->n_auxiliaries))
        return -1;
    m->auxiliaries[m->n_auxiliaries] = *given;
    return (int)m->n_auxiliaries++;
}

static double *leaves_of(ib_dynamics *d) {
    return d->leaves + d->mechanism->options.auxiliary_leaf;
}

void ib_auxiliary_set(ib_dynamics *d, const double *y) {
    const ib_mechanism *m = d->mechanism;
    memcpy(leaves_of(d), y + IB_STATE * m->n_bodies, sizeof(double) * m->n_auxiliaries);
    ib_masses_set(d);
}

double ib_dynamics_auxiliary(const ib_dynamics *d, int auxiliary) {
    return d->shown[IB_STATE * d->mechanism->n_bodies + (size_t)auxiliary];
}

/* ---- derivatives for implicit methods ---- */

/* The columns of dg/dm: measures that a rate uses, in order. */
static bool find_columns(ib_mechanism *m) {
    const ib_mech_options *options = &m->options;
    bool *used = calloc(options->n_leaves + 1, sizeof *used);
    m->lags.column = calloc(m->n_measures + 1, sizeof *m->lags.column);
    bool good = used && m->lags.column;
    for (size_t i = 0; good && i < m->n_auxiliaries; i++)
        good = ib_graph_depends(options->graph, m->auxiliaries[i].rate, used, options->n_leaves);
    for (size_t i = 0; good && i < m->n_measures; i++) {
        const bool wanted = used[options->measure_leaf + i];
        m->lags.column[i] = wanted ? (int)m->lags.n_measures : -1;
        m->lags.n_measures += wanted;
    }
    free(used);
    return good;
}

/* All roots, row by row in the order of mech_lags.slopes. */
static bool list_roots(const ib_mechanism *m, ib_node *roots) {
    const size_t n = m->n_auxiliaries, columns = m->lags.n_measures;
    ib_graph *graph = m->options.graph;
    uint32_t *leaves = calloc(n + columns + 1, sizeof *leaves);
    ib_node *row = calloc(n + columns + 1, sizeof *row);
    const bool good = leaves && row;
    for (size_t i = 0; good && i < n; i++)
        leaves[i] = (uint32_t)(m->options.auxiliary_leaf + i);
    for (size_t i = 0; good && i < m->n_measures; i++)
        if (m->lags.column[i] >= 0)
            leaves[n + (size_t)m->lags.column[i]] = (uint32_t)(m->options.measure_leaf + i);
    for (size_t i = 0; good && i < n; i++) {
        ib_graph_gradient(graph, m->auxiliaries[i].rate, leaves, n + columns, row);
        memcpy(roots + n * i, row, sizeof *row * n);
        memcpy(roots + n * n + columns * i, row + n, sizeof *row * columns);
    }
    for (size_t i = 0; good && i < m->n_forces; i++)
        if (m->forces[i].law >= 0)
            ib_graph_gradient(graph, m->forces[i].given.law, leaves, n,
                              roots + n * (n + columns + (size_t)m->forces[i].law));
    free(leaves);
    free(row);
    return good && !ib_graph_failed(graph);
}

bool ib_auxiliary_compile(ib_mechanism *m) {
    if (m->n_auxiliaries == 0)
        return true;
    if (!find_columns(m))
        return false;
    const size_t n = m->n_auxiliaries * (m->n_auxiliaries + m->lags.n_measures + m->n_laws);
    ib_node *roots = calloc(n, sizeof *roots);
    if (roots && list_roots(m, roots))
        m->lags.slopes = ib_tape_create(m->options.graph, roots, n);
    free(roots);
    return m->lags.slopes != NULL;
}

/* ---- implicit methods ---- */

/* Factors 1 - factor dg/ds at the present leaves into d->lag_work. */
static bool factor_lags(ib_dynamics *d, double factor) {
    const ib_mechanism *m = d->mechanism;
    const size_t n = m->n_auxiliaries;
    if (!ib_tape_eval(m->lags.slopes, d->leaves, d->tape_work, d->lag_slope, NULL))
        return false;
    for (size_t i = 0; i < n * n; i++)
        d->lag_work[i] = (i % (n + 1) == 0 ? 1 : 0) - factor * d->lag_slope[i];
    return ib_lu_factor(d->lag_work, n, 0, d->lag_exchange) == n;
}

bool ib_auxiliary_solve(ib_dynamics *d, const double *known, double factor, double *s) {
    const ib_mechanism *m = d->mechanism;
    const size_t n = m->n_auxiliaries;
    double *step = d->lag_work + n * n, last = 0;
    if (n == 0)
        return true;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        memcpy(leaves_of(d), s, sizeof(double) * n);
        if (!ib_laws_eval(d) || !factor_lags(d, factor))
            return false;
        for (size_t i = 0; i < n; i++)
            step[i] = known[i] + factor * d->law[m->n_laws + i] - s[i];
        ib_lu_solve(d->lag_work, n, d->lag_exchange, step);
        for (size_t i = 0; i < n; i++)
            s[i] += step[i];
        const double size = ib_largest(step, (int)n), scale = ib_largest(s, (int)n);
        if (size <= converged * scale || (k > 0 && size <= rounding * scale && size > 0.5 * last)) {
            memcpy(leaves_of(d), s, sizeof(double) * n);
            ib_masses_set(d);
            return true;
        }
        last = size;
    }
    return false;
}

bool ib_auxiliary_condense(ib_dynamics *d, double factor) {
    const ib_mechanism *m = d->mechanism;
    const size_t n = m->n_auxiliaries, columns = m->lags.n_measures;
    double *x = d->lag_work + n * n;
    if (n == 0 || m->n_slopes == 0)
        return true;
    if (!factor_lags(d, factor))
        return false;
    const double *by_measure = d->lag_slope + n * n, *by_state = by_measure + n * columns;
    for (size_t k = 0; k < m->n_slopes; k++) {
        const int column = m->lags.column[m->slope[k].measure];
        const double *law = by_state + n * (size_t)m->forces[m->slope[k].force].law;
        if (column < 0)
            continue;
        for (size_t i = 0; i < n; i++)
            x[i] = factor * by_measure[columns * i + (size_t)column];
        ib_lu_solve(d->lag_work, n, d->lag_exchange, x);
        for (size_t i = 0; i < n; i++)
            d->slope[k] += law[i] * x[i];
    }
    return true;
}
