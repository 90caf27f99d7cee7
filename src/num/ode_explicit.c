/* Dormand & Prince's pair of order 5(4) with a PI controller (Hairer, Norsett & Wanner 1993,
 * sections II.4 to II.6). The last stage is the first one of the next step.
 */
#include "num/ode_internal.h"

#include <math.h>
#include <string.h>

/* Exponents of the controller: of this step's error and of the last one's. */
static const double now = 0.17, then = 0.04;

/* out = y + h sum_j a[j] K[j] */
static void combine(const ib_ode *ode, const double *a, int stages, double h, double *out) {
    for (size_t i = 0; i < ode->n; i++) {
        double sum = 0;
        for (int j = 0; j < stages; j++)
            sum += a[j] * ode->K[j][i];
        out[i] = ode->y[i] + h * sum;
    }
}

/* The stages of a step; the last one is the new point. */
static ib_ode_verdict take_stages(ib_ode *ode, double end) {
    const ib_tableau *method = &ib_dopri5;
    const double h = end - ode->t;
    memcpy(ode->K[0], ode->rate, ode->n * sizeof *ode->rate);
    for (int s = 1; s <= method->stages; s++) {
        const bool last = s >= method->stages - 1; /* both are at the end */
        const double t = last ? end : ode->t + method->c[s] * h;
        combine(ode, method->a[s], s, h, ode->next);
        const ib_ode_verdict verdict = ib_ode_rate(ode, t, ode->next, ode->K[s]);
        if (verdict != IB_ODE_GOOD)
            return verdict;
    }
    return IB_ODE_GOOD;
}

ib_ode_attempt ib_ode_explicit_try(ib_ode *ode, double end) {
    const double h = end - ode->t;
    ib_ode_attempt attempt = {.verdict = take_stages(ode, end), .next_h = h / 5};
    if (attempt.verdict != IB_ODE_GOOD)
        return attempt;
    for (size_t i = 0; i < ode->n; i++) {
        double sum = 0;
        for (int j = 0; j < IB_ODE_STAGES; j++)
            sum += ib_dopri5.e[j] * ode->K[j][i];
        ode->estimate[i] = h * sum;
    }
    attempt.error = ib_ode_norm(ode, ode->estimate, ode->y, ode->next);
    const double error = attempt.error < 1e-10 ? 1e-10 : attempt.error;
    if (attempt.error <= 1) {
        const double most = ode->after_refusal ? 1 : 10;
        attempt.next_h =
            h * ib_ode_clamp(0.9 * ib_pow(error, -now) * ib_pow(ode->last_error, then), 0.2, most);
        ode->last_error = error > 1e-4 ? error : 1e-4;
    } else {
        attempt.next_h = h * ib_ode_clamp(0.9 * ib_pow(error, -now), 0.2, 0.9);
    }
    return attempt;
}

/* The coefficients of what comes between (equation II.6.14 f.), and the rate at the new point. */
void ib_ode_explicit_accept(ib_ode *ode) {
    const double h = ode->span;
    for (size_t i = 0; i < ode->n; i++) {
        const double change = ode->next[i] - ode->y[i];
        const double bend = h * ode->K[0][i] - change;
        double sum = 0;
        for (int j = 0; j < IB_ODE_STAGES; j++)
            sum += ib_dopri5_dense[j] * ode->K[j][i];
        ode->dense[0][i] = bend;
        ode->dense[1][i] = change - h * ode->K[IB_ODE_STAGES - 1][i] - bend;
        ode->dense[2][i] = h * sum;
    }
    memcpy(ode->rate, ode->K[IB_ODE_STAGES - 1], ode->n * sizeof *ode->rate);
}

void ib_ode_explicit_between(const ib_ode *ode, double part, double *y) {
    const double rest = 1 - part;
    for (size_t i = 0; i < ode->n; i++) {
        const double change = ode->y[i] - ode->old[i];
        const double inner = ode->dense[1][i] + rest * ode->dense[2][i];
        y[i] = ode->old[i] + part * (change + rest * (ode->dense[0][i] + part * inner));
    }
}
