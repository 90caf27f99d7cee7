/* Gravity: uniform, inverse square, or with the oblateness term J2.
 *
 *     g = -mu/r^3 [ (1 + k (1 - 5 s)) x, (1 + k (1 - 5 s)) y, (1 + k (3 - 5 s)) z ]
 *     k = 3/2 J2 (R/r)^2,  s = (z/r)^2
 * (D. A. Vallado, Fundamentals of Astrodynamics and Applications, 4th ed., 2013, eq. 8-30). The
 * gradient is the derivative of that, term by term. Inverse square is J2 = 0.
 */
#include "environment/environment.h"

#include <string.h>

/* d/dr_j of -mu/r^3 (A x, A y, (A + 2k) z) with A = 1 + k (1 - 5 s). */
static void attraction_gradient(const double r[3], double m3, double k, double s, double r2,
                                double gradient[9]) {
    const double A = 1 + k * (1 - 5 * s);
    for (int j = 0; j < 3; j++) {
        /* dk = -2 k r_j / r^2; ds = 2 z d(z) / r^2 - 2 s r_j / r^2 */
        const double dk = -2 * k * r[j] / r2;
        const double ds = ((j == 2 ? 2 * r[2] : 0) - 2 * s * r[j]) / r2;
        const double dA = dk * (1 - 5 * s) - 5 * k * ds;
        const double dm3 = -3 * m3 * r[j] / r2;
        for (int i = 0; i < 3; i++) {
            const double factor = A + (i == 2 ? 2 * k : 0);
            const double d_factor = dA + (i == 2 ? 2 * dk : 0);
            gradient[3 * i + j] =
                -(dm3 * factor + m3 * d_factor) * r[i] - (i == j ? m3 * factor : 0);
        }
    }
}

static void attraction(const ib_gravity *gravity, const double r[3], double g[3],
                       double gradient[9]) {
    const double r2 = ib_dot(r, r), size = sqrt(r2);
    if (!(r2 > 0))
        return;
    const double m3 = gravity->mu / (r2 * size);
    const double j2 = gravity->kind == IB_GRAVITY_J2 ? gravity->j2 : 0;
    const double k = 1.5 * j2 * (gravity->radius * gravity->radius) / r2;
    const double s = r[2] * r[2] / r2;
    const double A = 1 + k * (1 - 5 * s);
    g[0] = -m3 * A * r[0];
    g[1] = -m3 * A * r[1];
    g[2] = -m3 * (A + 2 * k) * r[2];
    if (gradient)
        attraction_gradient(r, m3, k, s, r2, gradient);
}

void ib_gravity_at(const ib_gravity *gravity, const double r[3], double g[3], double gradient[9]) {
    memset(g, 0, 3 * sizeof *g);
    if (gradient)
        memset(gradient, 0, 9 * sizeof *gradient);
    if (gravity->kind == IB_GRAVITY_UNIFORM)
        memcpy(g, gravity->uniform, 3 * sizeof *g);
    else if (gravity->kind != IB_GRAVITY_NONE)
        attraction(gravity, r, g, gradient);
}
