/* The error model that sensors share: from a true value to what comes out of a converter. */
#ifndef IB_AVIONICS_ERROR_MODEL_H
#define IB_AVIONICS_ERROR_MODEL_H

#include "avionics/device.h"

/* Noise densities are of continuous time; U is the unit of the value. All zero: no error. */
typedef struct ib_error_spec {
    double misalignment[3];  /* rotation vector from body to sensor axes, rad */
    double scale[3];         /* error of the scale factor, 1 */
    double bias[3];          /* constant, U */
    double turn_on;          /* standard deviation of a bias drawn at the start, U */
    double instability;      /* standard deviation of a Gauss-Markov bias, U */
    double instability_time; /* its correlation time, s */
    double walk;             /* K of the random walk of the value, U/sqrt(s) */
    double noise;            /* N of the white noise, U sqrt(s) */
    double range;            /* saturation at +-range, U; 0: none */
    double resolution;       /* U; 0: none */
} ib_error_spec;

typedef struct ib_error_state {
    uint64_t sample; /* the next one's number */
    double turn_on[3], markov[3], walk[3];
} ib_error_state;

/* Nearest multiple of the resolution, halves away from zero; x itself when that is 0. */
double ib_quantise(double x, double resolution);

/* Turns n (1 or 3) true values into measured ones, `period` after the sample before, in this order:
 * misalignment and scale (misalignment only for 3), bias (constant, turn-on, Gauss-Markov, random
 * walk, fault), white noise, saturation, quantisation. `first` is the first channel of the random
 * stream; 4 channels an axis are used.
 * `part` says which of the faults' biases and noises concern it. Returns flags. */
uint32_t ib_error_apply(const ib_error_spec *spec, uint64_t key, uint32_t first, int n,
                        ib_time period, const ib_fault_effect *faults, int part,
                        ib_error_state *state, double *value);

/* The specific force at a point off the reference point: f + w' x r + w x (w x r). */
void ib_lever_arm(const double force[3], const double rate[3], const double rate_change[3],
                  const double arm[3], double out[3]);

#endif
