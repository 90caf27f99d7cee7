/* The life of a solver and what both methods share: the first step, the loop of attempts, error
 * norms.
 */
#include "num/ode_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ULP 0x1p-52
#define SMALLEST (16 * ULP) /* step, relative to the time */

/* ---- making -------------------------------------------------------------------------------- */

static double *take(double **block, size_t n) {
    double *start = *block;
    *block += n;
    return start;
}

ib_ode *ib_ode_create(const ib_ode_problem *problem, ib_ode_method method) {
    const size_t n = problem->n;
    ib_ode *ode = calloc(1, sizeof *ode);
    if (!ode)
        return NULL;
    ode->problem = *problem;
    ode->method = method;
    ode->n = n;
    ode->most = (double)INFINITY;
    ode->memory = calloc((6 + IB_ODE_STAGES + 3) * n + 1, sizeof(double));
    ode->radau = method == IB_ODE_RADAU5 ? ib_ode_radau_create(n) : NULL;
    if (!ode->memory || (method == IB_ODE_RADAU5 && !ode->radau)) {
        ib_ode_destroy(ode);
        return NULL;
    }
    double *block = ode->memory;
    ode->atol = take(&block, n);
    ode->y = take(&block, n);
    ode->rate = take(&block, n);
    ode->old = take(&block, n);
    ode->next = take(&block, n);
    ode->estimate = take(&block, n);
    for (int i = 0; i < IB_ODE_STAGES; i++)
        ode->K[i] = take(&block, n);
    for (int i = 0; i < 3; i++)
        ode->dense[i] = take(&block, n);
    return ode;
}

void ib_ode_destroy(ib_ode *ode) {
    if (!ode)
        return;
    ib_ode_radau_destroy(ode->radau);
    free(ode->memory);
    free(ode);
}

void ib_ode_set_tolerance(ib_ode *ode, double rtol, const double *atol, double most) {
    ode->rtol = rtol;
    ode->most = most;
    if (ode->n)
        memcpy(ode->atol, atol, ode->n * sizeof *atol);
}

void ib_ode_start(ib_ode *ode, double t, const double *y) {
    ode->t = ode->before = t;
    ode->span = 0;
    ode->rated = ode->began = ode->after_refusal = false;
    ode->last_error = 1e-4;
    if (ode->n)
        memmove(ode->y, y, ode->n * sizeof *y);
    memcpy(ode->old, ode->y, ode->n * sizeof *y);
    if (ode->radau)
        ib_ode_radau_start(ode);
}

double ib_ode_time(const ib_ode *ode) { return ode->t; }

const double *ib_ode_state(const ib_ode *ode) { return ode->y; }

double ib_ode_before(const ib_ode *ode) { return ode->before; }

size_t ib_ode_worst(const ib_ode *ode) { return ode->worst; }

ib_ode_statistics ib_ode_counts(const ib_ode *ode) { return ode->counts; }

/* ---- evaluations and norms ----------------------------------------------------------------- */

double ib_ode_clamp(double x, double low, double high) {
    return !(x > low) ? low : x > high ? high : x;
}

ib_ode_verdict ib_ode_rate(ib_ode *ode, double t, const double *y, double *rate) {
    ode->counts.evaluations++;
    const ib_ode_verdict verdict = ode->problem.rate(ode->problem.context, t, y, rate);
    for (size_t i = 0; i < ode->n && verdict == IB_ODE_GOOD; i++)
        if (!isfinite(rate[i])) {
            ode->worst = i;
            return IB_ODE_AGAIN;
        }
    return verdict;
}

double ib_ode_norm(ib_ode *ode, const double *x, const double *y, const double *next) {
    double sum = 0, largest = -1;
    for (size_t i = 0; i < ode->n; i++) {
        const double a = fabs(y[i]), b = fabs(next[i]);
        const double part = x[i] / (ode->atol[i] + ode->rtol * (a > b ? a : b));
        const double square = x[i] == 0 ? 0 : part * part;
        sum += square;
        if (square > largest) {
            largest = square;
            ode->worst = i;
        }
    }
    return ode->n ? sqrt(sum / (double)ode->n) : 0;
}

/* ---- the first step ------------------------------------------------------------------------ */

/* So that an Euler step's error is about a hundredth of what is allowed (Hairer, Norsett & Wanner
 * 1993, section II.4). */
static ib_ode_verdict choose_first(ib_ode *ode, double most) {
    const double size = ib_ode_norm(ode, ode->y, ode->y, ode->y);
    const double speed = ib_ode_norm(ode, ode->rate, ode->y, ode->y);
    double h = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
    h = h < most ? h : most;
    for (int attempt = 0;; attempt++) {
        for (size_t i = 0; i < ode->n; i++)
            ode->next[i] = ode->y[i] + h * ode->rate[i];
        const ib_ode_verdict verdict = ib_ode_rate(ode, ode->t + h, ode->next, ode->estimate);
        if (verdict == IB_ODE_GOOD)
            break;
        if (verdict == IB_ODE_BROKEN || attempt == 20)
            return verdict;
        h /= 8;
    }
    for (size_t i = 0; i < ode->n; i++)
        ode->estimate[i] -= ode->rate[i];
    const double bend = ib_ode_norm(ode, ode->estimate, ode->y, ode->y) / h;
    const double fast = speed > bend ? speed : bend;
    const double longer =
        fast <= 1e-15 ? (1e-6 > 1e-3 * h ? 1e-6 : 1e-3 * h) : ib_pow(0.01 / fast, 0.2);
    ode->h = longer < 100 * h ? longer : 100 * h;
    return IB_ODE_GOOD;
}

static ib_ode_verdict begin(ib_ode *ode, double limit) {
    ib_ode_verdict verdict = IB_ODE_GOOD;
    const double left = limit - ode->t;
    if (!ode->rated)
        verdict = ib_ode_rate(ode, ode->t, ode->y, ode->rate);
    ode->rated = verdict == IB_ODE_GOOD;
    if (ode->began || !ode->rated)
        return verdict;
    ode->h = ode->most < left ? ode->most : left;
    if (ode->n)
        verdict = choose_first(ode, ode->h);
    ode->began = verdict == IB_ODE_GOOD;
    return verdict;
}

/* ---- attempts ------------------------------------------------------------------------------ */

/* Where a step of the wanted length ends: at the limit, half-way there rather than just before it,
 * or in between. */
static double end_of(const ib_ode *ode, double h, double limit) {
    const double left = limit - ode->t;
    if (h >= left * (1 - 1e-9))
        return limit;
    return h > left / 2 ? ode->t + left / 2 : ode->t + h;
}

static bool too_short(const ib_ode *ode, double h) {
    return h <= SMALLEST * fabs(ode->t) || h < 1e-300;
}

/* The new point; a step that was cut does not shorten those that come. */
static void accept(ib_ode *ode, double end, double wanted, double next_h) {
    const double h = end - ode->t;
    const bool cut = h < wanted;
    ode->before = ode->t;
    ode->span = h;
    memcpy(ode->old, ode->y, ode->n * sizeof *ode->y);
    if (ode->method == IB_ODE_RADAU5)
        ib_ode_radau_accept(ode);
    else
        ib_ode_explicit_accept(ode);
    memcpy(ode->y, ode->next, ode->n * sizeof *ode->y);
    ode->t = end;
    ode->h = cut && next_h < wanted ? wanted : next_h;
    ode->counts.steps++;
    ode->after_refusal = false;
}

ib_ode_end ib_ode_step(ib_ode *ode, double limit) {
    ib_ode_verdict verdict = begin(ode, limit);
    if (verdict != IB_ODE_GOOD)
        return verdict == IB_ODE_BROKEN ? IB_ODE_FAILED : IB_ODE_STUCK;
    double wanted = ode->h < ode->most ? ode->h : ode->most;
    for (;;) {
        const double end = end_of(ode, wanted, limit);
        const ib_ode_attempt attempt = ode->method == IB_ODE_RADAU5 ? ib_ode_radau_try(ode, end)
                                                                    : ib_ode_explicit_try(ode, end);
        if (attempt.verdict == IB_ODE_BROKEN)
            return IB_ODE_FAILED;
        if (attempt.verdict == IB_ODE_GOOD && attempt.error <= 1) {
            accept(ode, end, wanted, attempt.next_h);
            return IB_ODE_STEPPED;
        }
        ode->counts.rejections++;
        ode->after_refusal = true;
        wanted = attempt.next_h;
        if (too_short(ode, wanted))
            return IB_ODE_STUCK;
    }
}

void ib_ode_between(const ib_ode *ode, double t, double *y) {
    const double part = ode->span > 0 ? (t - ode->before) / ode->span : 1;
    if (t == ode->t)
        memcpy(y, ode->y, ode->n * sizeof *y);
    else if (ode->method == IB_ODE_RADAU5)
        ib_ode_radau_between(ode, part, y);
    else
        ib_ode_explicit_between(ode, part, y);
}
