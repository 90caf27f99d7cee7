/* check: what the mass and inertia of a body can be.
 *
 * With a density >= 0 the matrix P = tr(J)/2 I - J, the integral of r rT dm, is positive
 * semidefinite; that is the triangle inequality of the principal moments. The moments come from
 * Jacobi's rotations.
 */
#include "model/model_internal.h"

#include <math.h>

#define TRIANGLE_TOLERANCE 1e-6 /* of the trace: tables round to so many digits */

/* One rotation of Jacobi's method that clears element (p, q) of a symmetric matrix. */
static void rotate(double a[3][3], int p, int q) {
    if (!(fabs(a[p][q]) > 0))
        return;
    const int k = 3 - p - q;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1);
    const double s = t * c;
    const double kp = a[k][p];
    const double kq = a[k][q];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0;
    a[k][p] = a[p][k] = c * kp - s * kq;
    a[k][q] = a[q][k] = s * kp + c * kq;
}

/* Principal moments in ascending order. */
static void principal_moments(const double inertia[6], double moments[3]) {
    double a[3][3] = {{inertia[0], inertia[3], inertia[4]},
                      {inertia[3], inertia[1], inertia[5]},
                      {inertia[4], inertia[5], inertia[2]}};
    for (int sweep = 0; sweep < 20; sweep++) {
        rotate(a, 0, 1);
        rotate(a, 0, 2);
        rotate(a, 1, 2);
    }
    for (int i = 0; i < 3; i++) {
        double m = a[i][i];
        int j = i;
        for (; j > 0 && moments[j - 1] > m; j--)
            moments[j] = moments[j - 1];
        moments[j] = m;
    }
}

static void check_inertia(ib_loader *l, const ib_record *r, const ib_body *body) {
    double m[3] = {0};
    ib_yaml *node = r->given[IB_KEY_body_inertia];
    principal_moments(body->inertia, m);
    const double slack = TRIANGLE_TOLERANCE * (fabs(m[0]) + fabs(m[1]) + fabs(m[2]));
    if (!isfinite(m[0] + m[1] + m[2]))
        ib_report(l, IB0602, node, "inertia: the principal moments are not finite");
    else if (m[0] < -slack)
        ib_report(l, IB0602, node, "inertia: a principal moment is negative (%.6g kg*m^2)", m[0]);
    else if (m[2] > m[0] + m[1] + slack)
        ib_report(
            l, IB0602, node,
            "inertia: no body has principal moments %.6g, %.6g, %.6g; the largest exceeds the "
            "sum of the others",
            m[0], m[1], m[2]);
}

void ib_check_body(ib_loader *l, const ib_record *r, const ib_body *body) {
    if (ib_record_has(r, IB_KEY_body_mass) && body->mass < 0)
        ib_report(l, IB0601, r->given[IB_KEY_body_mass], "mass: a mass cannot be negative");
    if (ib_record_has(r, IB_KEY_body_inertia))
        check_inertia(l, r, body);
}
