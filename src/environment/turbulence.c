/* Dryden turbulence as a function of place and time.
 *
 * The field is frozen and carried along by the mean wind (Taylor's hypothesis): u(r, t) = w(r - V
 * t). It is a sum of plane waves across their wave vectors, so free of divergence (R. H. Kraichnan,
 * Phys. Fluids 13, 1970), w(x) = sum_n a_n cos(k_n . x) + b_n sin(k_n . x),   a_n, b_n across k_n,
 * with directions uniform over the sphere and a_n, b_n normal. The sizes |k_n| follow the isotropic
 * energy spectrum whose one-dimensional spectra are Dryden's (MIL-F-8785C, above 2000 ft, where the
 * three scales and intensities are one):
 *     E(k) = (8 / pi) s^2 L (kL)^4 / (1 + (kL)^2)^3,
 *     correlation along the way s^2 e^(-x/L), across it s^2 (1 - x/2L) e^(-x/L).
 * The part of the energy below k is (2/pi) (atan(y) - (5 y^3 + 3 y) / (3 (1 + y^2)^2)) with y = kL;
 * one |k_n| is drawn from each of n equal parts of it. The correlations so hold exactly on average
 * over seeds; one field has finitely many waves.
 *
 * Draws are keyed by (seed, mode), never by the order of calls. Near the ground, where MIL-F-8785C
 * has scales that differ between axes and grow with height, this is not that model.
 */
#include "environment/environment.h"

#include <string.h>

#define PI 0x1.921fb54442d18p+1
#define TWO_PI 0x1.921fb54442d18p+2
/* Random streams: no vehicle has this number. */
#define STREAM_VEHICLE UINT32_MAX
enum { STREAM_UNIFORM, STREAM_NORMAL };

/* Energy below y = kL as a part of the whole. */
static double energy_below(double y) {
    const double square = 1 + y * y;
    return 2 / PI * (ib_atan(y) - y * (5 * y * y + 3) / (3 * square * square));
}

/* The y with energy_below(y) = part, 0 < part < 1: bisection of the angle atan(y). */
static double wave_number(double part) {
    double low = 0, high = PI / 2;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (energy_below(ib_tan(middle)) < part)
            low = middle;
        else
            high = middle;
    }
    return ib_tan(low);
}

static double uniform(uint64_t seed, int mode, int k) {
    return ib_random_uniform(seed, STREAM_VEHICLE, STREAM_UNIFORM,
                             (uint64_t)mode << 3 | (uint64_t)k);
}

/* A normal vector of that size a component, less its part along the unit vector. */
static void across(uint64_t seed, int mode, int first, double size, const double unit[3],
                   double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = size * ib_random_normal(seed, STREAM_VEHICLE, STREAM_NORMAL,
                                         (uint64_t)mode << 3 | (uint64_t)(first + k));
    ib_axpy(out, -ib_dot(out, unit), unit, out);
}

void ib_turbulence_prepare(ib_turbulence *turbulence, uint64_t seed) {
    /* Across a random direction two thirds of a component's variance remain. */
    const double size = turbulence->intensity * sqrt(1.5 / IB_TURBULENCE_MODES);
    for (int n = 0; n < IB_TURBULENCE_MODES; n++) {
        const double part = (n + uniform(seed, n, 0)) / IB_TURBULENCE_MODES;
        const double z = 2 * uniform(seed, n, 1) - 1, out = sqrt(1 - z * z);
        double s, c;
        ib_sincos(TWO_PI * uniform(seed, n, 2), &s, &c);
        const double unit[3] = {out * c, out * s, z};
        const double k = wave_number(part) / turbulence->scale;
        for (int i = 0; i < 3; i++)
            turbulence->wave[n][i] = k * unit[i];
        across(seed, n, 0, size, unit, turbulence->cosine[n]);
        across(seed, n, 3, size, unit, turbulence->sine[n]);
    }
}

void ib_turbulence_at(const ib_turbulence *turbulence, const double r[3], double t, double u[3],
                      double gradient[9]) {
    memset(u, 0, 3 * sizeof *u);
    memset(gradient, 0, 9 * sizeof *gradient);
    if (!(turbulence->intensity > 0))
        return;
    double x[3];
    ib_axpy(r, -t, turbulence->carry, x);
    for (int n = 0; n < IB_TURBULENCE_MODES; n++) {
        const double *k = turbulence->wave[n];
        double s, c;
        ib_sincos(ib_dot(k, x), &s, &c);
        for (int i = 0; i < 3; i++) {
            const double a = turbulence->cosine[n][i], b = turbulence->sine[n][i];
            u[i] += a * c + b * s;
            for (int j = 0; j < 3; j++)
                gradient[3 * i + j] += (b * c - a * s) * k[j];
        }
    }
}
