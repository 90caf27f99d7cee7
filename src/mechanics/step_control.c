/* How error control measures errors and chooses steps.
 *
 * A PI controller (K. Gustafsson, ACM TOMS 17, 1991) on steps of whole nanoseconds that end on the
 * target in equal parts. Errors are measured by the length of each body's vectors, never by
 * components, so that they do not depend on how the model is turned, and distances from the bodies'
 * mean place, so that they do not depend on where it stands. Auxiliary states count by their own
 * size.
 */
#include "mechanics/mechanism.h"

#include <math.h>

static double clamp(double x, double low, double high) {
    return !(x > low) ? low : x > high ? high : x;
}

/* Powers by fmath, so that every machine takes the same steps. */
double ib_step_after_rejection(int order, double error) {
    return clamp(0.9 * ib_pow(error, -1.0 / order), 0.2, 0.9);
}

double ib_step_after_success(int order, double error, double last, double most) {
    if (error < 1e-10)
        return most;
    const double slope = 1.0 / order;
    return clamp(0.9 * ib_pow(error, -0.7 * slope) * ib_pow(last, 0.4 * slope), 0.2, most);
}

ib_time ib_step_scaled(ib_time step, double factor) {
    const double wanted = (double)step * factor;
    return wanted < 1 ? 1 : wanted > 1e15 ? (ib_time)1e15 : (ib_time)wanted;
}

ib_time ib_step_fit(ib_time step, ib_time left) {
    if (step >= left)
        return left;
    const ib_time parts = (left + step - 1) / step;
    return (left + parts - 1) / parts;
}

ib_time ib_step_keep(ib_time due, ib_time taken, ib_time wanted) {
    const bool cut = taken < due;
    return !cut || wanted > due || wanted < taken ? wanted : due;
}

/* Constraints hold positions to this share of them, and velocities are what positions change by. */
static const double rounded = 3.6e-15;

/* Squared length of one vector's error over its tolerance, no less than what is rounding. */
static double share(const ib_mech_options *options, const double error[3], double size,
                    double rounding) {
    const double tolerance = options->atol + options->rtol * size + rounding;
    return ib_dot(error, error) / (tolerance * tolerance);
}

double ib_error_norm(const ib_dynamics *d, const double *state, const double *position,
                     const double *velocity, const double *auxiliary, double h) {
    const ib_mech_options *options = &d->mechanism->options;
    const size_t n_bodies = d->mechanism->n_bodies;
    const bool held = d->mechanism->n_rows > 0 && h < (double)INFINITY;
    double mean[3] = {0, 0, 0}, sum = 0;
    for (size_t b = 0; b < n_bodies; b++)
        ib_axpy(mean, 1 / (double)n_bodies, state + IB_STATE * b, mean);
    for (size_t b = 0; b < n_bodies; b++) {
        const double *y = state + IB_STATE * b, *e = position + 6 * b, *e_v = velocity + 6 * b;
        const double half[3] = {e[3] / 2, e[4] / 2, e[5] / 2};
        const double place = held ? rounded * (ib_norm(y) + d->mechanism->length) : 0;
        const double angle = place / d->mechanism->length;
        double arm[3];
        ib_sub3(y, mean, arm);
        sum += share(options, e, ib_norm(arm), place);
        sum += share(options, half, 1, angle);
        sum += share(options, e_v, ib_norm(y + IB_STATE_V), place / h);
        sum += share(options, e_v + 3, ib_norm(y + IB_STATE_W), angle / h);
    }
    for (size_t i = 0; i < d->mechanism->n_auxiliaries; i++) {
        const double size = fabs(state[IB_STATE * n_bodies + i]);
        const double e = auxiliary[i] / (options->atol + options->rtol * size);
        sum += e * e;
    }
    const size_t n = ib_state_size(d->mechanism);
    return n > 0 ? sqrt(sum / (double)n) : 0;
}
