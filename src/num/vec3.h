/* Three-vectors and 3x3 matrices (row-major) as inline kernels. Results may alias arguments. */
#ifndef IB_NUM_VEC3_H
#define IB_NUM_VEC3_H

#include <math.h>

static inline double ib_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double ib_norm(const double a[3]) { return sqrt(ib_dot(a, a)); }

static inline void ib_cross(const double a[3], const double b[3], double out[3]) {
    const double x = a[1] * b[2] - a[2] * b[1];
    const double y = a[2] * b[0] - a[0] * b[2];
    const double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* out = a + s b */
static inline void ib_axpy(const double a[3], double s, const double b[3], double out[3]) {
    out[0] = a[0] + s * b[0];
    out[1] = a[1] + s * b[1];
    out[2] = a[2] + s * b[2];
}

static inline void ib_sub3(const double a[3], const double b[3], double out[3]) {
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

/* out = A b */
static inline void ib_mul3v(const double A[9], const double b[3], double out[3]) {
    const double x = A[0] * b[0] + A[1] * b[1] + A[2] * b[2];
    const double y = A[3] * b[0] + A[4] * b[1] + A[5] * b[2];
    const double z = A[6] * b[0] + A[7] * b[1] + A[8] * b[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* out = Aᵀ b */
static inline void ib_mul3tv(const double A[9], const double b[3], double out[3]) {
    const double x = A[0] * b[0] + A[3] * b[1] + A[6] * b[2];
    const double y = A[1] * b[0] + A[4] * b[1] + A[7] * b[2];
    const double z = A[2] * b[0] + A[5] * b[1] + A[8] * b[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* out = A B; out must not alias A or B. */
static inline void ib_mul33(const double A[9], const double B[9], double out[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* The matrix of a cross product: a^ b = a x b. */
static inline void ib_skew(const double a[3], double out[9]) {
    out[0] = 0, out[1] = -a[2], out[2] = a[1];
    out[3] = a[2], out[4] = 0, out[5] = -a[0];
    out[6] = -a[1], out[7] = a[0], out[8] = 0;
}

/* A unit vector along a; false (and out = 0) when a has no length. */
static inline int ib_unit(const double a[3], double out[3]) {
    const double n = ib_norm(a);
    const double s = n > 0 ? 1 / n : 0;
    out[0] = s * a[0];
    out[1] = s * a[1];
    out[2] = s * a[2];
    return n > 0;
}

#endif
