/* The Earth's magnetic field as a dipole at its centre, tilted by 9.4 degrees.
 *
 *     B = (a/r)^3 (3 (m . u) u - m),  u = r/|r|,  m = (g11, h11, g10),  a = 6371.2 km
 * with the degree-1 coefficients of IGRF-13 for 2020.0 (P. Alken et al., Earth Planets Space 73:49,
 * 2021). Higher degrees and their change with time are left out.
 */
#include "environment/environment.h"

#define REFERENCE_RADIUS 6371200.0

static const double moment[3] = {-1450.9e-9, 4652.5e-9, -29404.8e-9}; /* T */

void ib_magnetic_dipole(const double r[3], double B[3]) {
    const double size = ib_norm(r);
    B[0] = B[1] = B[2] = 0;
    if (!(size > 0))
        return;
    const double u[3] = {r[0] / size, r[1] / size, r[2] / size};
    const double ratio = REFERENCE_RADIUS / size, scale = ratio * ratio * ratio;
    const double along = 3 * ib_dot(moment, u);
    for (int i = 0; i < 3; i++)
        B[i] = scale * (along * u[i] - moment[i]);
}
