/* The error model that sensors share (IEEE Std 952-1997, annex C, for the noise terms).
 *
 * With the sampling period T, standard normal n and densities of continuous time:
 *     white noise       N / sqrt(T) n                   Allan deviation N / sqrt(tau)
 *     Gauss-Markov      b <- phi b + s sqrt(1 - phi^2) n,  phi = exp(-T/tau_c), stationary at the
 *                       start
 *     rate random walk  b <- b + K sqrt(T) n            Allan deviation K sqrt(tau / 3)
 * Every number is keyed by channel and sample, so it depends on nothing that other devices do.
 */
#include "avionics/avionics.h"

enum { WHITE, TURN_ON, MARKOV, WALK, CHANNELS };

double ib_quantise(double x, double resolution) {
    return resolution > 0 ? resolution * ib_round(x / resolution) : x;
}

static double draw(uint64_t key, uint32_t first, int axis, int kind, uint64_t sample) {
    return ib_stream_normal(key, first + (uint32_t)(CHANNELS * axis + kind), sample);
}

static void align(const ib_error_spec *spec, int n, double *value) {
    if (n == 3 && ib_dot(spec->misalignment, spec->misalignment) > 0) {
        double R[9];
        ib_so3_exp(spec->misalignment, R);
        ib_mul3tv(R, value, value);
    }
    for (int i = 0; i < n; i++)
        value[i] += spec->scale[i] * value[i];
}

/* Drifting biases, from the sample before to this one. */
static void drift(const ib_error_spec *spec, uint64_t key, uint32_t first, int n, double seconds,
                  ib_error_state *state) {
    const uint64_t sample = state->sample;
    const double phi =
        spec->instability > 0 && sample > 0 ? ib_exp(-seconds / spec->instability_time) : 0;
    for (int i = 0; i < n; i++) {
        if (spec->turn_on > 0 && sample == 0)
            state->turn_on[i] = spec->turn_on * draw(key, first, i, TURN_ON, 0);
        if (spec->instability > 0)
            state->markov[i] = phi * state->markov[i] + spec->instability * sqrt(1 - phi * phi) *
                                                            draw(key, first, i, MARKOV, sample);
        if (spec->walk > 0 && sample > 0)
            state->walk[i] += spec->walk * sqrt(seconds) * draw(key, first, i, WALK, sample);
    }
}

uint32_t ib_error_apply(const ib_error_spec *spec, uint64_t key, uint32_t first, int n,
                        ib_time period, const ib_fault_effect *faults, int part,
                        ib_error_state *state, double *value) {
    const double seconds = ib_time_seconds(period);
    const double deviation = spec->noise * faults->noise[part] / sqrt(seconds);
    uint32_t flags = 0;
    align(spec, n, value);
    drift(spec, key, first, n, seconds, state);
    for (int i = 0; i < n; i++) {
        value[i] += spec->bias[i] + state->turn_on[i] + state->markov[i] + state->walk[i] +
                    faults->bias[part];
        if (deviation > 0)
            value[i] += deviation * draw(key, first, i, WHITE, state->sample);
        if (spec->range > 0 && !(value[i] >= -spec->range && value[i] <= spec->range)) {
            value[i] = value[i] < 0 ? -spec->range : spec->range;
            flags |= IB_FLAG_SATURATED;
        }
        value[i] = ib_quantise(value[i], spec->resolution);
    }
    state->sample++;
    return flags;
}

void ib_lever_arm(const double force[3], const double rate[3], const double rate_change[3],
                  const double arm[3], double out[3]) {
    double tangential[3], inner[3], centripetal[3];
    ib_cross(rate_change, arm, tangential);
    ib_cross(rate, arm, inner);
    ib_cross(rate, inner, centripetal);
    for (int i = 0; i < 3; i++)
        out[i] = force[i] + tangential[i] + centripetal[i];
}
