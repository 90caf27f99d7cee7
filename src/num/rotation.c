/* Rotations: unit quaternions, rotation matrices, the exponential map of SO(3).
 *
 * With x = |e|^2 and the matrix e^ of the cross product,
 *     exp(e^) = 1 + a e^ + b e^^2        a = sin|e| / |e|         (Rodrigues)
 *     T(e)    = 1 - b e^ + c e^^2        b = (1 - cos|e|) / x
 *     T(e)^-1 = 1 + e^/2 + d e^^2        c = (|e| - sin|e|) / |e|^3
 *                                        d = (1 - a/(2b)) / x
 * (A. Iserles et al., "Lie-group methods", Acta Numerica 9, 2000). Below |e| = 0.5 each is its
 * power series in x, cut where the rest is below 1e-17 of the sum; d's coefficients are |B_2k| /
 * (2k)! with the Bernoulli numbers B. Above, b is 2 sin^2(|e|/2) / x, which does not cancel.
 *
 * Turns are counted by no function here: an attitude knows its angle within one turn only.
 */
#include "num/num.h"

#define SERIES_LIMIT 0.25 /* of x */

static double polynomial(const double *coefficient, int n, double x) {
    double sum = coefficient[n - 1];
    for (int i = n - 2; i >= 0; i--)
        sum = coefficient[i] + x * sum;
    return sum;
}

/* sin|e| / |e|: (-x)^k / (2k+1)! */
static double series_a(double x) {
    static const double terms[] = {1,
                                   -1.0 / 6,
                                   1.0 / 120,
                                   -1.0 / 5040,
                                   1.0 / 362880,
                                   -1.0 / 39916800,
                                   1.0 / 6227020800,
                                   -1.0 / 1307674368000};
    return polynomial(terms, IB_COUNT(terms), x);
}

/* (1 - cos|e|) / x: (-x)^k / (2k+2)! */
static double series_b(double x) {
    static const double terms[] = {1.0 / 2,       -1.0 / 24,        1.0 / 720,        -1.0 / 40320,
                                   1.0 / 3628800, -1.0 / 479001600, 1.0 / 87178291200};
    return polynomial(terms, IB_COUNT(terms), x);
}

/* (|e| - sin|e|) / |e|^3: (-x)^k / (2k+3)! */
static double series_c(double x) {
    static const double terms[] = {
        1.0 / 6,        -1.0 / 120,        1.0 / 5040,         -1.0 / 362880,
        1.0 / 39916800, -1.0 / 6227020800, 1.0 / 1307674368000};
    return polynomial(terms, IB_COUNT(terms), x);
}

/* (1 - (|e|/2) cot(|e|/2)) / x: |B_2k| x^(k-1) / (2k)! */
static double series_d(double x) {
    static const double terms[] = {1.0 / 12,          1.0 / 720,
                                   1.0 / 30240,       1.0 / 1209600,
                                   1.0 / 47900160,    691.0 / 1307674368000,
                                   1.0 / 74724249600, 3617.0 / 10670622842880000};
    return polynomial(terms, IB_COUNT(terms), x);
}

static void coefficients_ab(double x, double *a, double *b) {
    if (x < SERIES_LIMIT) {
        *a = series_a(x);
        *b = series_b(x);
        return;
    }
    double sine, cosine;
    const double angle = sqrt(x);
    ib_sincos(angle / 2, &sine, &cosine);
    *a = 2 * sine * cosine / angle;
    *b = 2 * sine * sine / x;
}

/* out = 1 + p e^ + q e^^2, and e^^2 = e eT - x. */
static void combine(const double e[3], double p, double q, double out[9]) {
    const double x = ib_dot(e, e);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = q * e[i] * e[j];
    for (int i = 0; i < 3; i++)
        out[4 * i] = 1 + q * (e[i] * e[i] - x);
    out[1] -= p * e[2], out[3] += p * e[2];
    out[2] += p * e[1], out[6] -= p * e[1];
    out[5] -= p * e[0], out[7] += p * e[0];
}

void ib_so3_exp(const double e[3], double R[9]) {
    double a, b;
    coefficients_ab(ib_dot(e, e), &a, &b);
    combine(e, a, b, R);
}

void ib_so3_tangent(const double e[3], double T[9]) {
    const double x = ib_dot(e, e);
    double a, b;
    coefficients_ab(x, &a, &b);
    combine(e, -b, x < SERIES_LIMIT ? series_c(x) : (1 - a) / x, T);
}

void ib_so3_tangent_inverse(const double e[3], double T[9]) {
    const double x = ib_dot(e, e);
    if (x < SERIES_LIMIT) {
        combine(e, 0.5, series_d(x), T);
        return;
    }
    double a, b;
    coefficients_ab(x, &a, &b);
    combine(e, 0.5, (1 - a / (2 * b)) / x, T);
}

/* ---- quaternions ---- */

static double squared(const double q[4]) {
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

void ib_quat_matrix(const double q[4], double R[9]) {
    const double s = 2 / squared(q);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - s * (y * y + z * z);
    R[1] = s * (x * y - w * z);
    R[2] = s * (x * z + w * y);
    R[3] = s * (x * y + w * z);
    R[4] = 1 - s * (x * x + z * z);
    R[5] = s * (y * z - w * x);
    R[6] = s * (x * z - w * y);
    R[7] = s * (y * z + w * x);
    R[8] = 1 - s * (x * x + y * y);
}

void ib_quat_from_matrix(const double R[9], double q[4]) {
    /* Four times the squares of w, x, y, z, less one; the largest is well away from 0. */
    const double trace = R[0] + R[4] + R[8];
    const double size[4] = {trace, 2 * R[0] - trace, 2 * R[4] - trace, 2 * R[8] - trace};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (size[i] > size[largest])
            largest = i;
    const double wx = R[7] - R[5], wy = R[2] - R[6], wz = R[3] - R[1];
    const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
    const double own = 1 + size[largest];
    const double rows[4][4] = {
        {own, wx, wy, wz}, {wx, own, xy, xz}, {wy, xy, own, yz}, {wz, xz, yz, own}};
    const double sign = rows[largest][0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        q[i] = sign * rows[largest][i];
    ib_quat_normalize(q);
}

void ib_quat_mul(const double a[4], const double b[4], double out[4]) {
    const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w, out[1] = x, out[2] = y, out[3] = z;
}

void ib_quat_normalize(double q[4]) {
    const double s = 1 / sqrt(squared(q));
    for (int i = 0; i < 4; i++)
        q[i] *= s;
}

/* out = v + s (w u x v + u x (u x v)) with s = 2 / |q|^2 */
static void rotate(double w, const double u[3], double s, const double v[3], double out[3]) {
    double once[3], twice[3];
    ib_cross(u, v, once);
    ib_cross(u, once, twice);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + s * (w * once[i] + twice[i]);
}

void ib_quat_rotate(const double q[4], const double v[3], double out[3]) {
    rotate(q[0], q + 1, 2 / squared(q), v, out);
}

void ib_quat_rotate_back(const double q[4], const double v[3], double out[3]) {
    rotate(-q[0], q + 1, 2 / squared(q), v, out);
}

void ib_quat_turn(const double q[4], const double e[3], double out[4]) {
    const double half[3] = {e[0] / 2, e[1] / 2, e[2] / 2};
    const double x = ib_dot(half, half);
    double sine, cosine, turn[4];
    if (x < SERIES_LIMIT) {
        sine = series_a(x);
        cosine = 1 - x * series_b(x);
    } else {
        const double angle = sqrt(x);
        ib_sincos(angle, &sine, &cosine);
        sine /= angle;
    }
    turn[0] = cosine;
    for (int i = 0; i < 3; i++)
        turn[i + 1] = sine * half[i];
    ib_quat_mul(q, turn, out);
}

void ib_quat_rate(const double q[4], const double w[3], double dq[4]) {
    const double x = w[0] / 2, y = w[1] / 2, z = w[2] / 2;
    const double rate[4] = {-q[1] * x - q[2] * y - q[3] * z, q[0] * x + q[2] * z - q[3] * y,
                            q[0] * y - q[1] * z + q[3] * x, q[0] * z + q[1] * y - q[2] * x};
    for (int k = 0; k < 4; k++)
        dq[k] = rate[k];
}

void ib_quat_log(const double q[4], double e[3]) {
    /* q and -q are one attitude; the one with w >= 0 is at most half a turn away. */
    const double sign = q[0] < 0 ? -1 : 1;
    const double w = sign * q[0], s = ib_norm(q + 1);
    /* 2 atan(s/w) / s; the term left out below 1e-9 is a third of (s/w)^2. */
    const double scale = s < 1e-9 ? 2 / w : 2 * ib_atan2(s, w) / s;
    for (int i = 0; i < 3; i++)
        e[i] = sign * scale * q[i + 1];
}

void ib_frame_from_z(const double z[3], double R[9]) {
    /* The global axis farthest from z gives column 0. */
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (z[i] * z[i] < z[least] * z[least])
            least = i;
    double axis[3] = {0, 0, 0}, x[3], y[3];
    axis[least] = 1;
    ib_axpy(axis, -z[least], z, x);
    ib_unit(x, x);
    ib_cross(z, x, y);
    for (int i = 0; i < 3; i++) {
        R[3 * i] = x[i];
        R[3 * i + 1] = y[i];
        R[3 * i + 2] = z[i];
    }
}
