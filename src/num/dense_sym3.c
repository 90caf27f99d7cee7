/* Symmetric 3 x 3 matrices: inverse by cofactors, eigenvalues and axes by cyclic Jacobi rotations
 * (H. Rutishauser, "The Jacobi method for real symmetric matrices", Numer. Math. 9, 1966).
 *
 * For principal moments and axes of inertia tensors.
 */
#include "num/num.h"

#define SWEEPS 30 /* convergence is quadratic: six are many */

bool ib_sym3_inverse(const double A[9], double inverse[9]) {
    const double c00 = A[4] * A[8] - A[5] * A[5];
    const double c01 = A[5] * A[2] - A[1] * A[8];
    const double c02 = A[1] * A[5] - A[4] * A[2];
    const double determinant = A[0] * c00 + A[1] * c01 + A[2] * c02;
    if (determinant == 0 || !isfinite(determinant))
        return false;
    const double s = 1 / determinant;
    const double i12 = s * (A[1] * A[2] - A[0] * A[5]);
    const double i11 = s * (A[0] * A[8] - A[2] * A[2]);
    const double i22 = s * (A[0] * A[4] - A[1] * A[1]);
    inverse[0] = s * c00;
    inverse[4] = i11;
    inverse[8] = i22;
    inverse[1] = inverse[3] = s * c01;
    inverse[2] = inverse[6] = s * c02;
    inverse[5] = inverse[7] = i12;
    return true;
}

/* Columns p and q of M turned by the rotation (c, s): M = M J. */
static void turn_columns(double M[9], int p, int q, double c, double s) {
    for (int k = 0; k < 3; k++) {
        const double a = M[3 * k + p], b = M[3 * k + q];
        M[3 * k + p] = c * a - s * b;
        M[3 * k + q] = s * a + c * b;
    }
}

static void turn_rows(double M[9], int p, int q, double c, double s) {
    for (int k = 0; k < 3; k++) {
        const double a = M[3 * p + k], b = M[3 * q + k];
        M[3 * p + k] = c * a - s * b;
        M[3 * q + k] = s * a + c * b;
    }
}

/* The rotation by at most 45 degrees that makes element (p, q) zero. */
static void annihilate(double M[9], double axes[9], int p, int q) {
    const double off = M[3 * p + q];
    if (off == 0)
        return;
    const double theta = (M[4 * q] - M[4 * p]) / (2 * off);
    const double size = 1 / (fabs(theta) + sqrt(theta * theta + 1));
    const double t = theta < 0 ? -size : size;
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    turn_columns(M, p, q, c, s);
    turn_rows(M, p, q, c, s);
    M[3 * p + q] = M[3 * q + p] = 0;
    turn_columns(axes, p, q, c, s);
}

static void swap_axes(double values[3], double axes[9], int p, int q) {
    const double value = values[p];
    values[p] = values[q];
    values[q] = value;
    /* One of the two changes its sign, so that the axes stay right-handed. */
    for (int k = 0; k < 3; k++) {
        const double moved = axes[3 * k + p];
        axes[3 * k + p] = axes[3 * k + q];
        axes[3 * k + q] = -moved;
    }
}

static bool all_finite(const double A[9]) {
    for (int i = 0; i < 9; i++)
        if (!isfinite(A[i]))
            return false;
    return true;
}

void ib_sym3_eigen(const double A[9], double values[3], double axes[9]) {
    double M[9];
    for (int i = 0; i < 9; i++) {
        M[i] = A[i];
        axes[i] = i % 4 == 0 ? 1 : 0;
    }
    if (!all_finite(A)) {
        values[0] = values[1] = values[2] = (double)NAN;
        return;
    }
    for (int sweep = 0; sweep < SWEEPS && (M[1] != 0 || M[2] != 0 || M[5] != 0); sweep++) {
        annihilate(M, axes, 0, 1);
        annihilate(M, axes, 0, 2);
        annihilate(M, axes, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        values[i] = M[4 * i];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2 - pass; i++)
            if (values[i] > values[i + 1])
                swap_axes(values, axes, i, i + 1);
}
