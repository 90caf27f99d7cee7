/* Block-sparse factorisation and solution: the numbers of block.h.
 *
 * Column by column: factor the diagonal block, multiply the blocks beside it, subtract their outer
 * products from the blocks further on. The small kernels are written once and instantiated for the
 * sizes that joints have, so that their loops unroll; the order of every sum is that of the source.
 */
#include "num/block.h"
#include "num/kernel.h"

#include <math.h>
#include <string.h>

/* C -= Aᵀ B with A n x m, B n x p: a sum of outer products, each along the rows of C. */
IB_KERNEL void subtract_tn(int m, int p, int n, const double *restrict A, const double *restrict B,
                           double *restrict C) {
    for (int i = 0; i < m; i++)
        for (int e = 0; e < n; e++)
            for (int j = 0; j < p; j++)
                C[p * i + j] -= A[m * e + i] * B[p * e + j];
}

/* C -= A B with A m x n, B n x p. */
IB_KERNEL void subtract_nn(int m, int p, int n, const double *restrict A, const double *restrict B,
                           double *restrict C) {
    for (int i = 0; i < m; i++)
        for (int e = 0; e < n; e++)
            for (int j = 0; j < p; j++)
                C[p * i + j] -= A[n * i + e] * B[p * e + j];
}

/* D = L diag(p) Lᵀ, L with ones on its diagonal; only the part of D below that is read. Leaves the
 * pivots' reciprocals in `inverse`, and L below D's diagonal. A pivot that is not above its `least`
 * (NULL: zero) is left out: its reciprocal and its column of L become zero. */
IB_KERNEL void eliminate_lower(int n, double *restrict D, const double *least,
                               double *restrict inverse) {
    double column[IB_BLOCK_MAX];
    for (int c = 0; c < n; c++) {
        const double pivot = D[n * c + c];
        inverse[c] = pivot > (least ? least[c] : 0) ? 1 / pivot : 0;
        for (int r = c + 1; r < n; r++)
            column[r] = D[n * r + c];
        for (int r = c + 1; r < n; r++) {
            D[n * r + c] *= inverse[c];
            for (int e = c + 1; e <= r; e++)
                D[n * r + e] -= D[n * r + c] * column[e];
        }
    }
}

/* L := L⁻¹ below the diagonal. */
IB_KERNEL void invert_lower(int n, double *restrict L) {
    for (int c = 0; c < n; c++)
        for (int r = c + 1; r < n; r++) {
            double sum = L[n * r + c];
            for (int e = c + 1; e < r; e++)
                sum += L[n * r + e] * L[n * e + c];
            L[n * r + c] = -sum;
        }
}

/* D := F with F D Fᵀ = I, lower triangular: the inverse of D's Cholesky factor. Products with it
 * have shorter chains of dependence than substitution. Square roots come last, beside the chain of
 * pivots. Returns how many pivots were left out; their rows of F are zero, and marked in `dropped`
 * unless that is NULL. */
IB_KERNEL int factor_lower(int n, double *restrict D, const double *least, bool *dropped) {
    double inverse[IB_BLOCK_MAX];
    int bad = 0;
    eliminate_lower(n, D, least, inverse);
    invert_lower(n, D);
    for (int c = 0; c < n; c++) {
        const double scale = sqrt(inverse[c]);
        for (int e = 0; e < c; e++)
            D[n * c + e] *= scale;
        D[n * c + c] = scale;
        bad += scale == 0;
        if (dropped)
            dropped[c] = scale == 0;
    }
    return bad;
}

/* X := F X, F lower triangular, X n x m. */
IB_KERNEL void multiply_lower(int m, int n, const double *restrict F, double *restrict X) {
    for (int c = n - 1; c >= 0; c--) {
        for (int j = 0; j < m; j++)
            X[m * c + j] *= F[n * c + c];
        for (int e = 0; e < c; e++)
            for (int j = 0; j < m; j++)
                X[m * c + j] += F[n * c + e] * X[m * e + j];
    }
}

/* The part on and below the diagonal of C -= Aᵀ A, which is all that is read of it. */
IB_KERNEL void subtract_square(int m, int n, const double *restrict A, double *restrict C) {
    for (int i = 0; i < m; i++)
        for (int e = 0; e < n; e++)
            for (int j = 0; j <= i; j++)
                C[m * i + j] -= A[m * e + i] * A[m * e + j];
}

#define SIZED(n, call_3, call_4, call_5, call_6, call_n)                                           \
    switch (n) {                                                                                   \
    case 3:                                                                                        \
        call_3;                                                                                    \
        break;                                                                                     \
    case 4:                                                                                        \
        call_4;                                                                                    \
        break;                                                                                     \
    case 5:                                                                                        \
        call_5;                                                                                    \
        break;                                                                                     \
    case 6:                                                                                        \
        call_6;                                                                                    \
        break;                                                                                     \
    default:                                                                                       \
        call_n;                                                                                    \
    }

static int factor_diagonal(int n, double *D) {
    int bad = 0;
    SIZED(n, bad = factor_lower(3, D, NULL, NULL), bad = factor_lower(4, D, NULL, NULL),
          bad = factor_lower(5, D, NULL, NULL), bad = factor_lower(6, D, NULL, NULL),
          bad = factor_lower(n, D, NULL, NULL))
    return bad;
}

static void multiply(int m, int n, const double *F, double *X) {
    const int k = m == n ? n : 0;
    SIZED(k, multiply_lower(3, 3, F, X), multiply_lower(4, 4, F, X), multiply_lower(5, 5, F, X),
          multiply_lower(6, 6, F, X), multiply_lower(m, n, F, X))
}

static void subtract_own(int m, int n, const double *A, double *C) {
    const int k = m == n ? n : 0;
    SIZED(k, subtract_square(3, 3, A, C), subtract_square(4, 4, A, C), subtract_square(5, 5, A, C),
          subtract_square(6, 6, A, C), subtract_square(m, n, A, C))
}

static void subtract_outer(int m, int p, int n, const double *A, const double *B, double *C) {
    const int k = m == n && p == n ? n : 0;
    SIZED(k, subtract_tn(3, 3, 3, A, B, C), subtract_tn(4, 4, 4, A, B, C),
          subtract_tn(5, 5, 5, A, B, C), subtract_tn(6, 6, 6, A, B, C),
          subtract_tn(m, p, n, A, B, C))
}

static void subtract_product(int m, int p, int n, const double *A, const double *B, double *C) {
    const int k = m == n && p == n ? n : 0;
    SIZED(k, subtract_nn(3, 3, 3, A, B, C), subtract_nn(4, 4, 4, A, B, C),
          subtract_nn(5, 5, 5, A, B, C), subtract_nn(6, 6, 6, A, B, C),
          subtract_nn(m, p, n, A, B, C))
}

/* Multiplies the blocks beside the diagonal block of step k by its factor and subtracts their outer
 * products from the blocks that `target` lists. Returns the rest of that list. */
static const int *eliminate(const ib_blocks *b, int k, const int *target, double *values) {
    const int n = b->size[k];
    const double *D = values + b->diagonal[k];
    for (int x = b->first[k]; x < b->first[k + 1]; x++) {
        const int m = b->size[b->later[x]];
        double *U = values + b->upper[x];
        multiply(m, n, D, U);
        for (int y = b->first[k]; y < x; y++)
            subtract_outer(b->size[b->later[y]], m, n, values + b->upper[y], U, values + *target++);
        subtract_own(m, n, U, values + *target++);
    }
    return target;
}

static int factor_cholesky(const ib_blocks *b, double *values, int *node) {
    const int *target = b->target;
    int bad = 0;
    for (int k = 0; k < b->n; k++) {
        const int failures = factor_diagonal(b->size[k], values + b->diagonal[k]);
        if (failures && node)
            *node = b->order[k];
        bad += failures;
        target = eliminate(b, k, target, values);
    }
    return bad;
}

int ib_blocks_factor_rank(const ib_blocks *b, double *values, double tolerance, double *diagonal,
                          bool *dropped) {
    for (int k = 0; k < b->n; k++)
        for (int i = 0; i < b->size[k]; i++)
            diagonal[b->row_of[k] + i] = tolerance * values[b->diagonal[k] + i * (b->size[k] + 1)];
    const int *target = b->target;
    int bad = 0;
    for (int k = 0; k < b->n; k++) {
        bad += factor_lower(b->size[k], values + b->diagonal[k], diagonal + b->row_of[k],
                            dropped + b->row_of[k]);
        target = eliminate(b, k, target, values);
    }
    return bad;
}

/* D := D⁻¹ by Gauss-Jordan with row pivoting. Returns false when a pivot is zero or not a number.
 */
static bool invert(int n, double *restrict D) {
    int pivot[IB_BLOCK_MAX];
    if (n < 1 || n > IB_BLOCK_MAX)
        return false;
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(D[n * r + c]) > fabs(D[n * p + c]))
                p = r;
        pivot[c] = p;
        if (!(fabs(D[n * p + c]) > 0))
            return false;
        for (int j = 0; p != c && j < n; j++) {
            const double swap = D[n * c + j];
            D[n * c + j] = D[n * p + j];
            D[n * p + j] = swap;
        }
        const double inverse = 1 / D[n * c + c];
        D[n * c + c] = 1;
        for (int j = 0; j < n; j++)
            D[n * c + j] *= inverse;
        for (int r = 0; r < n; r++) {
            const double factor = D[n * r + c];
            if (r == c || factor == 0)
                continue;
            D[n * r + c] = 0;
            for (int j = 0; j < n; j++)
                D[n * r + j] -= factor * D[n * c + j];
        }
    }
    for (int c = n - 1; c >= 0; c--)
        for (int r = 0; pivot[c] != c && r < n; r++) {
            const double swap = D[n * r + c];
            D[n * r + c] = D[n * r + pivot[c]];
            D[n * r + pivot[c]] = swap;
        }
    return true;
}

static int factor_lu(const ib_blocks *b, double *values, int *node) {
    const int *target = b->target;
    double scratch[IB_BLOCK_MAX * IB_BLOCK_MAX];
    int bad = 0;
    for (int k = 0; k < b->n; k++) {
        const int n = b->size[k];
        double *D = values + b->diagonal[k];
        if (!invert(n, D)) {
            memset(D, 0, sizeof(double) * (size_t)(n * n));
            bad++;
            if (node)
                *node = b->order[k];
        }
        for (int x = b->first[k]; x < b->first[k + 1]; x++) {
            const int m = b->size[b->later[x]];
            double *L = values + b->lower[x];
            memset(scratch, 0, sizeof(double) * (size_t)(m * n));
            subtract_product(m, n, n, L, D, scratch);
            for (int i = 0; i < m * n; i++)
                L[i] = -scratch[i];
            for (int y = b->first[k]; y < b->first[k + 1]; y++)
                subtract_product(m, b->size[b->later[y]], n, L, values + b->upper[y],
                                 values + *target++);
        }
    }
    return bad;
}

int ib_blocks_factor(const ib_blocks *blocks, double *values, int *node) {
    return blocks->kind == IB_BLOCK_CHOLESKY ? factor_cholesky(blocks, values, node)
                                             : factor_lu(blocks, values, node);
}

/* y -= A x with A m x n. */
IB_KERNEL void subtract_vector(int m, int n, const double *restrict A, const double *restrict x,
                               double *restrict y) {
    for (int r = 0; r < m; r++) {
        double sum = 0;
        for (int e = 0; e < n; e++)
            sum += A[n * r + e] * x[e];
        y[r] -= sum;
    }
}

/* x -= Aᵀ y with A m x n. */
IB_KERNEL void subtract_transposed(int m, int n, const double *restrict A, const double *restrict y,
                                   double *restrict x) {
    for (int r = 0; r < m; r++)
        for (int e = 0; e < n; e++)
            x[e] -= A[n * r + e] * y[r];
}

/* z := F z, F lower triangular. */
IB_KERNEL void apply_lower(int n, const double *restrict F, double *restrict z) {
    for (int c = n - 1; c >= 0; c--) {
        double sum = F[n * c + c] * z[c];
        for (int e = 0; e < c; e++)
            sum += F[n * c + e] * z[e];
        z[c] = sum;
    }
}

/* z := Fᵀ z */
IB_KERNEL void apply_upper(int n, const double *restrict F, double *restrict z) {
    for (int c = 0; c < n; c++) {
        double sum = F[n * c + c] * z[c];
        for (int e = c + 1; e < n; e++)
            sum += F[n * e + c] * z[e];
        z[c] = sum;
    }
}

static void apply_factor(int n, bool transposed, const double *L, double *z) {
    if (transposed)
        SIZED(n, apply_upper(3, L, z), apply_upper(4, L, z), apply_upper(5, L, z),
              apply_upper(6, L, z), apply_upper(n, L, z))
    else
        SIZED(n, apply_lower(3, L, z), apply_lower(4, L, z), apply_lower(5, L, z),
              apply_lower(6, L, z), apply_lower(n, L, z))
}

/* later -= Uᵀ z with U n x m */
static void push(int n, int m, const double *U, const double *z, double *later) {
    const int k = m == n ? n : 0;
    SIZED(k, subtract_transposed(3, 3, U, z, later), subtract_transposed(4, 4, U, z, later),
          subtract_transposed(5, 5, U, z, later), subtract_transposed(6, 6, U, z, later),
          subtract_transposed(n, m, U, z, later))
}

/* z -= U later with U n x m */
static void fetch(int n, int m, const double *U, const double *later, double *z) {
    const int k = m == n ? n : 0;
    SIZED(k, subtract_vector(3, 3, U, later, z), subtract_vector(4, 4, U, later, z),
          subtract_vector(5, 5, U, later, z), subtract_vector(6, 6, U, later, z),
          subtract_vector(n, m, U, later, z))
}

static void solve_cholesky(const ib_blocks *b, const double *values, double *x) {
    for (int k = 0; k < b->n; k++) {
        double *z = x + b->row_of[k];
        apply_factor(b->size[k], false, values + b->diagonal[k], z);
        for (int e = b->first[k]; e < b->first[k + 1]; e++)
            push(b->size[k], b->size[b->later[e]], values + b->upper[e], z,
                 x + b->row_of[b->later[e]]);
    }
    for (int k = b->n - 1; k >= 0; k--) {
        double *z = x + b->row_of[k];
        for (int e = b->first[k]; e < b->first[k + 1]; e++)
            fetch(b->size[k], b->size[b->later[e]], values + b->upper[e],
                  x + b->row_of[b->later[e]], z);
        apply_factor(b->size[k], true, values + b->diagonal[k], z);
    }
}

static void solve_lu(const ib_blocks *b, const double *values, double *x) {
    for (int k = 0; k < b->n; k++)
        for (int e = b->first[k]; e < b->first[k + 1]; e++)
            subtract_vector(b->size[b->later[e]], b->size[k], values + b->lower[e],
                            x + b->row_of[k], x + b->row_of[b->later[e]]);
    for (int k = b->n - 1; k >= 0; k--) {
        const int n = b->size[k];
        double right[IB_BLOCK_MAX];
        double *z = x + b->row_of[k];
        for (int e = b->first[k]; e < b->first[k + 1]; e++)
            subtract_vector(n, b->size[b->later[e]], values + b->upper[e],
                            x + b->row_of[b->later[e]], z);
        memcpy(right, z, sizeof(double) * (size_t)n);
        memset(z, 0, sizeof(double) * (size_t)n);
        subtract_vector(n, n, values + b->diagonal[k], right, z);
        for (int c = 0; c < n; c++)
            z[c] = -z[c];
    }
}

void ib_blocks_solve(const ib_blocks *blocks, const double *values, double *x) {
    if (blocks->kind == IB_BLOCK_CHOLESKY)
        solve_cholesky(blocks, values, x);
    else
        solve_lu(blocks, values, x);
}

void ib_blocks_multiply(const ib_blocks *b, const double *values, const double *x, double *y) {
    memset(y, 0, sizeof(double) * (size_t)b->n_rows);
    for (int k = 0; k < b->n; k++) {
        const double *u = x + b->row_of[k];
        double *z = y + b->row_of[k];
        subtract_vector(b->size[k], b->size[k], values + b->diagonal[k], u, z);
        for (int e = b->first[k]; e < b->first[k + 1]; e++) {
            const int later = b->later[e];
            subtract_vector(b->size[k], b->size[later], values + b->upper[e], x + b->row_of[later],
                            z);
            subtract_vector(b->size[later], b->size[k], values + b->lower[e], u,
                            y + b->row_of[later]);
        }
    }
    for (int i = 0; i < b->n_rows; i++)
        y[i] = -y[i];
}
