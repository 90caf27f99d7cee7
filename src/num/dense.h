/* Small dense matrices of run-time size, row-major without gaps: element (i, j) of an m x n matrix
 * is A[i * n + j]. Nothing allocates; workspace comes from the caller. Sums run in a fixed order.
 *
 * Factorisations that can break down return the number of steps done: n when all went well, less
 * when step k found no usable pivot, k being the row (and column) at fault.
 */
#ifndef IB_NUM_DENSE_H
#define IB_NUM_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- dense_lu.c ---- */

/* P A = L U by partial pivoting. A (n x n) becomes L (unit, below) and U; exchanged[k] is the row
 * that step k exchanged with row k. Returns n, or the first k at which no remaining row has a
 * finite pivot larger than `tolerance` times the largest element of A (0: only exact zeros are
 * refused). */
size_t ib_lu_factor(double *A, size_t n, double tolerance, size_t *exchanged);
/* b = A^-1 b after a complete factorisation. */
void ib_lu_solve(const double *LU, size_t n, const size_t *exchanged, double *b);
/* b = A^-T b. */
void ib_lu_solve_transposed(const double *LU, size_t n, const size_t *exchanged, double *b);

/* ---- dense_symmetric.c: only the lower triangles are read and written ---- */

/* A = L L^T for a positive definite A (n x n). Returns n, or the first k whose pivot is not
 * positive. */
size_t ib_cholesky_factor(double *A, size_t n);
void ib_cholesky_solve(const double *L, size_t n, double *b);
/* A = L D L^T with L unit and D (on the diagonal) of any sign, without exchanges: for matrices that
 * are quasi-definite or definite. Returns n, or the first k whose pivot is zero or not finite. */
size_t ib_ldlt_factor(double *A, size_t n);
void ib_ldlt_solve(const double *LD, size_t n, double *b);

/* ---- dense_sym3.c: symmetric 3 x 3 matrices, all nine elements given ---- */

/* Inverse by cofactors; false (and inverse untouched) when the determinant is zero or not finite.
 */
bool ib_sym3_inverse(const double A[9], double inverse[9]);
/* Eigenvalues in rising order and unit eigenvectors as columns of a right-handed `axes`:
 * A axes = axes diag(values). Jacobi rotations; absolute error a few ulp of |A|. Elements that are
 * not finite give NaN values and axes = 1. */
void ib_sym3_eigen(const double A[9], double values[3], double axes[9]);

/* ---- dense_qr.c ---- */

/* A P = Q R by Householder reflections with column exchanges (largest remaining column first),
 * which shows the rank: the number of steps until every remaining column is at most `tolerance`
 * times the longest column of A. A (m x n) becomes R (above and on the diagonal of the first `rank`
 * rows) and the reflections; order[k] is the column of A that stands in place k, its first `rank`
 * entries are independent columns; scale (min(m, n)) belongs to the reflections. */
size_t ib_qr_factor(double *A, size_t m, size_t n, double tolerance, size_t *order, double *scale);
/* b (m) = Q^T b. */
void ib_qr_apply(const double *QR, size_t m, size_t n, size_t rank, const double *scale, double *b);

/* Which columns of A (m x n) depend on columns before them: taken in the order given, a column is
 * dependent when what the independent ones before it leave of it is at most `tolerance` times its
 * own length. Returns the number of independent columns. A is overwritten; work holds m doubles. */
size_t ib_dependent_columns(double *A, size_t m, size_t n, double tolerance, bool *dependent,
                            double *work);

/* The x (n) of least length among those that make |A x - b| least. A (m x n) and b (m) are
 * overwritten, b by the rotated residual: its elements from the rank on have the residual's length.
 * Returns the rank. `index` holds n, `work` ib_least_squares_work(m, n) doubles. */
size_t ib_least_squares_work(size_t m, size_t n);
size_t ib_least_squares(double *A, size_t m, size_t n, double tolerance, double *b, double *x,
                        size_t *index, double *work);

#endif
