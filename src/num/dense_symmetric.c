/* Cholesky and LDL^T factorisations of small symmetric matrices (G. H. Golub, C. F. Van Loan,
 * Matrix Computations, 4th ed., 4.1 and 4.2), row by row on the lower triangle. No exchanges:
 * indefinite matrices that are not quasi-definite belong to dense_lu.c.
 */
#include "num/dense.h"

#include <math.h>

size_t ib_cholesky_factor(double *A, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double *row = A + i * n;
        for (size_t j = 0; j < i; j++) {
            for (size_t k = 0; k < j; k++)
                row[j] -= row[k] * A[j * n + k];
            row[j] /= A[j * n + j];
            row[i] -= row[j] * row[j];
        }
        if (!(row[i] > 0) || !isfinite(row[i]))
            return i;
        row[i] = sqrt(row[i]);
    }
    return n;
}

void ib_cholesky_solve(const double *L, size_t n, double *b) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            b[i] -= L[i * n + j] * b[j];
        b[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        b[i] /= L[i * n + i];
        for (size_t j = 0; j < i; j++)
            b[j] -= L[i * n + j] * b[i];
    }
}

size_t ib_ldlt_factor(double *A, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double *row = A + i * n;
        /* First row[j] = L_ij D_j, then the division that leaves L_ij. */
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k < j; k++)
                row[j] -= row[k] * A[j * n + k];
        for (size_t j = 0; j < i; j++) {
            const double scaled = row[j];
            row[j] = scaled / A[j * n + j];
            row[i] -= row[j] * scaled;
        }
        if (row[i] == 0 || !isfinite(row[i]))
            return i;
    }
    return n;
}

void ib_ldlt_solve(const double *LD, size_t n, double *b) {
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            b[i] -= LD[i * n + j] * b[j];
    for (size_t i = 0; i < n; i++)
        b[i] /= LD[i * n + i];
    for (size_t i = n; i-- > 1;)
        for (size_t j = 0; j < i; j++)
            b[j] -= LD[i * n + j] * b[i];
}
