/* LU factorisation with partial pivoting (G. H. Golub, C. F. Van Loan, Matrix Computations, 4th
 * ed., 3.4), row-oriented: the inner loops run along rows. No iterative refinement, no
 * equilibration.
 */
#include "num/dense.h"

#include <math.h>

static double largest_element(const double *A, size_t count) {
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(A[i]) > largest)
            largest = fabs(A[i]);
    return largest;
}

/* The row from k on with the largest element in column k; equal ones: the first. */
static size_t pivot_row(const double *A, size_t n, size_t k) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
            best = i;
    return best;
}

static void exchange_rows(double *A, size_t n, size_t i, size_t j) {
    if (i == j)
        return;
    for (size_t k = 0; k < n; k++) {
        const double moved = A[i * n + k];
        A[i * n + k] = A[j * n + k];
        A[j * n + k] = moved;
    }
}

/* Takes row k out of the rows below it. */
static void eliminate(double *A, size_t n, size_t k) {
    const double *pivot = A + k * n;
    for (size_t i = k + 1; i < n; i++) {
        double *row = A + i * n;
        row[k] /= pivot[k];
        for (size_t j = k + 1; j < n; j++)
            row[j] -= row[k] * pivot[j];
    }
}

size_t ib_lu_factor(double *A, size_t n, double tolerance, size_t *exchanged) {
    const double least = tolerance * largest_element(A, n * n);
    for (size_t k = 0; k < n; k++) {
        exchanged[k] = pivot_row(A, n, k);
        exchange_rows(A, n, k, exchanged[k]);
        const double pivot = fabs(A[k * n + k]);
        if (!(pivot > least) || !isfinite(pivot))
            return k;
        eliminate(A, n, k);
    }
    return n;
}

static void swap(double *b, size_t i, size_t j) {
    const double moved = b[i];
    b[i] = b[j];
    b[j] = moved;
}

void ib_lu_solve(const double *LU, size_t n, const size_t *exchanged, double *b) {
    for (size_t k = 0; k < n; k++)
        swap(b, k, exchanged[k]);
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            b[i] -= LU[i * n + j] * b[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            b[i] -= LU[i * n + j] * b[j];
        b[i] /= LU[i * n + i];
    }
}

void ib_lu_solve_transposed(const double *LU, size_t n, const size_t *exchanged, double *b) {
    for (size_t i = 0; i < n; i++) {
        b[i] /= LU[i * n + i];
        for (size_t j = i + 1; j < n; j++)
            b[j] -= LU[i * n + j] * b[i];
    }
    for (size_t i = n; i-- > 1;)
        for (size_t j = 0; j < i; j++)
            b[j] -= LU[i * n + j] * b[i];
    for (size_t k = n; k-- > 0;)
        swap(b, k, exchanged[k]);
}
