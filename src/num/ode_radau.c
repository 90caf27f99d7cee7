/* Radau IIA of order 5 for stiff problems (Hairer & Wanner 1996, section IV.8): simplified Newton
 * iterations in the coordinates that make the inverse of A block-diagonal, one real matrix and one
 * complex one, each kept while it serves; the error estimate of order 3 and Gustafsson's predictive
 * controller. The complex matrix is factored as a real one of twice the size.
 */
#include "num/ode_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 3, MOST_ITERATIONS = 7 };
static const double slow = 1e-3; /* contraction that asks for a new Jacobian */
static const double keep = 1.2;  /* a step longer by less than this is not worth new factors */
static const double safety = 0.9;
static const double ulp = 0x1p-52;

/* ---- making -------------------------------------------------------------------------------- */

ib_ode_radau *ib_ode_radau_create(size_t n) {
    ib_ode_radau *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    double *block = calloc(6 * n * n + (4 * STAGES + 3) * n + 1, sizeof *block);
    r->exchanged = calloc(3 * n + 1, sizeof *r->exchanged);
    r->J = block;
    if (!block || !r->exchanged) {
        ib_ode_radau_destroy(r);
        return NULL;
    }
    r->exchanged_2 = r->exchanged + n;
    r->real = (block += n * n);
    r->complex = (block += n * n);
    block += 4 * n * n;
    for (int i = 0; i < STAGES; i++) {
        r->z[i] = block;
        r->w[i] = block + n;
        r->f[i] = block + 2 * n;
        r->kept[i] = block + 3 * n;
        block += 4 * n;
    }
    r->right = block;
    r->point = block + 2 * n;
    return r;
}

void ib_ode_radau_destroy(ib_ode_radau *r) {
    if (!r)
        return;
    free(r->J);
    free(r->exchanged);
    free(r);
}

void ib_ode_radau_start(ib_ode *ode) {
    ib_ode_radau *r = ode->radau;
    r->factored_h = r->before_h = 0;
    r->contraction = 1;
    r->fresh = false;
    r->wanted = true;
}

/* ---- matrices ------------------------------------------------------------------------------ */

static ib_ode_verdict make_jacobian(ib_ode *ode) {
    ib_ode_radau *r = ode->radau;
    ode->counts.jacobians++;
    const ib_ode_verdict verdict =
        ode->problem.jacobian(ode->problem.context, ode->t, ode->y, ode->rate, r->J);
    r->fresh = true;
    r->wanted = false;
    r->factored_h = 0;
    return verdict;
}

/* gamma / h - J, and (alpha + i beta) / h - J as [alpha/h - J, -beta/h; beta/h, alpha/h - J]. */
static bool factor(ib_ode *ode, double h) {
    ib_ode_radau *r = ode->radau;
    const ib_radau_table *method = &ib_radau_5;
    const size_t n = ode->n;
    if (r->factored_h == h)
        return true;
    ode->counts.factorisations++;
    memset(r->complex, 0, 4 * n * n * sizeof *r->complex);
    for (size_t i = 0; i < n; i++) {
        double *upper = r->complex + i * 2 * n, *lower = r->complex + (n + i) * 2 * n;
        for (size_t j = 0; j < n; j++) {
            const double x = -r->J[i * n + j];
            r->real[i * n + j] = x + (i == j ? method->gamma / h : 0);
            upper[j] = lower[n + j] = x + (i == j ? method->alpha[0] / h : 0);
        }
        upper[n + i] = -method->beta[0] / h;
        lower[i] = method->beta[0] / h;
    }
    const bool good = ib_lu_factor(r->real, n, 0, r->exchanged) == n &&
                      ib_lu_factor(r->complex, 2 * n, 0, r->exchanged_2) == 2 * n;
    r->factored_h = good ? h : 0;
    return good;
}

/* ---- stages -------------------------------------------------------------------------------- */

static void mix(const double row[IB_RADAU_MOST], double *const x[STAGES], size_t n, double *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = row[0] * x[0][i] + row[1] * x[1][i] + row[2] * x[2][i];
}

/* Weights of the stages in the polynomial through 0 at 0 and the stages, at a part of the step. */
static void lagrange(double part, double weights[STAGES]) {
    const double *c = ib_radau_5.c;
    for (int i = 0; i < STAGES; i++) {
        weights[i] = part / c[i];
        for (int j = 0; j < STAGES; j++)
            if (j != i)
                weights[i] *= (part - c[j]) / (c[i] - c[j]);
    }
}

/* Stages to start from: the last step's polynomial carried on, or nothing. */
static void predict(ib_ode *ode, double h) {
    ib_ode_radau *r = ode->radau;
    const size_t n = ode->n;
    for (int s = 0; s < STAGES; s++) {
        double weights[STAGES] = {0};
        const bool known = r->before_h > 0;
        if (known)
            lagrange(1 + ib_radau_5.c[s] * h / r->before_h, weights);
        for (size_t i = 0; i < n; i++)
            r->z[s][i] = known ? weights[0] * r->kept[0][i] + weights[1] * r->kept[1][i] +
                                     (weights[2] - 1) * r->kept[2][i]
                               : 0;
    }
    for (int s = 0; s < STAGES; s++)
        mix(ib_radau_5.t_inverse[s], r->z, n, r->w[s]);
}

static ib_ode_verdict evaluate_stages(ib_ode *ode, double end) {
    ib_ode_radau *r = ode->radau;
    const double h = end - ode->t;
    for (int s = 0; s < STAGES; s++) {
        const double t = s == STAGES - 1 ? end : ode->t + ib_radau_5.c[s] * h;
        for (size_t i = 0; i < ode->n; i++)
            r->point[i] = ode->y[i] + r->z[s][i];
        const ib_ode_verdict verdict = ib_ode_rate(ode, t, r->point, r->f[s]);
        if (verdict != IB_ODE_GOOD)
            return verdict;
    }
    return IB_ODE_GOOD;
}

/* One change of the stages; the size of it over the tolerance. */
static double correct(ib_ode *ode, double h) {
    ib_ode_radau *r = ode->radau;
    const ib_radau_table *method = &ib_radau_5;
    const size_t n = ode->n;
    double *right = r->right;
    mix(method->t_inverse[0], r->f, n, right);
    for (size_t i = 0; i < n; i++)
        right[i] -= method->gamma / h * r->w[0][i];
    ib_lu_solve(r->real, n, r->exchanged, right);
    for (size_t i = 0; i < n; i++)
        r->w[0][i] += right[i];
    const double first = ib_ode_norm(ode, right, ode->y, ode->y);
    mix(method->t_inverse[1], r->f, n, right);
    mix(method->t_inverse[2], r->f, n, right + n);
    const double alpha = method->alpha[0] / h, beta = method->beta[0] / h;
    for (size_t i = 0; i < n; i++) {
        right[i] -= alpha * r->w[1][i] - beta * r->w[2][i];
        right[n + i] -= beta * r->w[1][i] + alpha * r->w[2][i];
    }
    ib_lu_solve(r->complex, 2 * n, r->exchanged_2, right);
    double sum = first * first;
    for (int s = 1; s < STAGES; s++) {
        const double *change = right + (size_t)(s - 1) * n;
        const double size = ib_ode_norm(ode, change, ode->y, ode->y);
        sum += size * size;
        for (size_t i = 0; i < n; i++)
            r->w[s][i] += change[i];
    }
    for (int s = 0; s < STAGES; s++)
        mix(method->t[s], r->w, n, r->z[s]);
    return sqrt(sum / STAGES);
}

typedef enum outcome { CONVERGED, SLOW, NO_VALUE, BROKEN } outcome;

/* Of Newton's method, in tolerances. */
static double accuracy(double rtol) {
    const double wanted = rtol < 9e-4 ? sqrt(rtol) : 0.03, possible = 10 * ulp / rtol;
    return wanted > possible ? wanted : possible;
}

/* Newton's method for the stages (section IV.8, "Stopping criterion"). */
static outcome solve(ib_ode *ode, double end, int *iterations) {
    ib_ode_radau *r = ode->radau;
    const double h = end - ode->t, enough = accuracy(ode->rtol);
    double last = 0, factor_of_rest = 1;
    for (int k = 1; k <= MOST_ITERATIONS; k++) {
        const ib_ode_verdict verdict = evaluate_stages(ode, end);
        if (verdict != IB_ODE_GOOD)
            return verdict == IB_ODE_BROKEN ? BROKEN : NO_VALUE;
        const double size = correct(ode, h);
        *iterations = k;
        if (!isfinite(size))
            return SLOW;
        if (size == 0)
            return CONVERGED;
        if (k > 1) {
            r->contraction = size / last;
            if (r->contraction >= 0.99)
                return SLOW;
            factor_of_rest = r->contraction / (1 - r->contraction);
            double left = size * factor_of_rest;
            for (int j = k; j < MOST_ITERATIONS; j++)
                left *= r->contraction;
            if (left > enough)
                return SLOW;
            if (size * factor_of_rest <= enough)
                return CONVERGED;
        } else if (size <= 1e-3 * enough) {
            return CONVERGED;
        }
        last = size;
    }
    return SLOW;
}

/* ---- error and step ------------------------------------------------------------------------ */

/* The estimate (equation IV.8.19), once more through f where a first or repeated step fails it
 * (IV.8.20). */
static ib_ode_verdict find_error(ib_ode *ode, double h, double *error) {
    ib_ode_radau *r = ode->radau;
    const size_t n = ode->n;
    double *offset = r->right;
    for (size_t i = 0; i < n; i++)
        ode->next[i] = ode->y[i] + r->z[STAGES - 1][i];
    mix(ib_radau_5.error, r->z, n, offset);
    for (size_t i = 0; i < n; i++) {
        offset[i] /= h;
        ode->estimate[i] = ode->rate[i] + offset[i];
    }
    ib_lu_solve(r->real, n, r->exchanged, ode->estimate);
    *error = ib_ode_norm(ode, ode->estimate, ode->y, ode->next);
    if (*error < 1 || (r->before_h > 0 && !ode->after_refusal))
        return IB_ODE_GOOD;
    for (size_t i = 0; i < n; i++)
        r->point[i] = ode->y[i] + ode->estimate[i];
    const ib_ode_verdict verdict = ib_ode_rate(ode, ode->t, r->point, ode->estimate);
    if (verdict != IB_ODE_GOOD)
        return verdict == IB_ODE_BROKEN ? verdict : IB_ODE_GOOD;
    for (size_t i = 0; i < n; i++)
        ode->estimate[i] += offset[i];
    ib_lu_solve(r->real, n, r->exchanged, ode->estimate);
    *error = ib_ode_norm(ode, ode->estimate, ode->y, ode->next);
    return IB_ODE_GOOD;
}

/* The next step by this error and, after an accepted step, by how it changed since the last one. */
static double choose_next(ib_ode *ode, double h, double error, int iterations) {
    ib_ode_radau *r = ode->radau;
    const double least = error > 1e-10 ? error : 1e-10;
    const double shy =
        safety * (1 + 2 * MOST_ITERATIONS) / (double)(iterations + 2 * MOST_ITERATIONS);
    double shorter = ib_ode_clamp(ib_pow(least, 0.25) / shy, 0.125, 5);
    if (error > 1)
        return h / (shorter > 1.1 ? shorter : 1.1);
    if (r->before_h > 0) {
        const double seen =
            r->before_h / h * ib_pow(least * least / r->before_error, 0.25) / safety;
        const double clamped = ib_ode_clamp(seen, 0.125, 5);
        shorter = clamped > shorter ? clamped : shorter;
    }
    if (ode->after_refusal && shorter < 1)
        shorter = 1;
    const double longer = 1 / shorter;
    r->wanted = r->contraction > slow;
    return longer >= 1 && longer <= keep && !r->wanted ? h : h * longer;
}

ib_ode_attempt ib_ode_radau_try(ib_ode *ode, double end) {
    ib_ode_radau *r = ode->radau;
    const double h = end - ode->t;
    ib_ode_attempt attempt = {.verdict = IB_ODE_GOOD, .error = (double)INFINITY, .next_h = h / 4};
    if (r->wanted && !r->fresh)
        attempt.verdict = make_jacobian(ode);
    if (attempt.verdict != IB_ODE_GOOD)
        return attempt;
    outcome came = SLOW;
    int iterations = 0;
    for (int round = 0; round < 2 && came == SLOW; round++) {
        if (round && r->fresh)
            break;
        if (round && (attempt.verdict = make_jacobian(ode)) != IB_ODE_GOOD)
            return attempt;
        predict(ode, h);
        came = factor(ode, h) ? solve(ode, end, &iterations) : NO_VALUE;
    }
    if (came == BROKEN || came == NO_VALUE)
        attempt.verdict = came == BROKEN ? IB_ODE_BROKEN : IB_ODE_AGAIN;
    if (came != CONVERGED)
        return attempt;
    attempt.verdict = find_error(ode, h, &attempt.error);
    if (attempt.verdict == IB_ODE_GOOD)
        attempt.next_h = choose_next(ode, h, attempt.error, iterations);
    if (attempt.error <= 1) {
        r->before_error = attempt.error > 1e-2 ? attempt.error : 1e-2;
    }
    return attempt;
}

void ib_ode_radau_accept(ib_ode *ode) {
    ib_ode_radau *r = ode->radau;
    for (int s = 0; s < STAGES; s++)
        memcpy(r->kept[s], r->z[s], ode->n * sizeof(double));
    r->before_h = ode->span;
    r->fresh = false;
    ode->rated = false; /* f there is not a stage's, which Newton's method has only nearly */
}

void ib_ode_radau_between(const ib_ode *ode, double part, double *y) {
    const ib_ode_radau *r = ode->radau;
    double weights[STAGES];
    lagrange(part, weights);
    for (size_t i = 0; i < ode->n; i++)
        y[i] = ode->old[i] + weights[0] * r->kept[0][i] + weights[1] * r->kept[1][i] +
               weights[2] * r->kept[2][i];
}
