/* Householder QR: with column exchanges (P. Businger, G. H. Golub, "Linear least squares solutions
 * by Householder transformations", Numer. Math. 7, 1965), in the given order, and least squares of
 * least length by a second factorisation of the leading rows (Golub and Van Loan, 5.5).
 *
 * Reflection k is H = 1 - scale v v^T with v = (0, ..., 0, 1, v_k+1, ...); v's elements below the
 * diagonal are kept in the column they zeroed. Column lengths are summed anew at each step: the
 * usual downdating saves a third of the work and loses the digits that the rank depends on.
 */
#include "num/dense.h"

#include <math.h>

static size_t at_most(size_t a, size_t b) { return a < b ? a : b; }

/* Length of a column from row k on, scaled against overflow and underflow. */
static double column_length(const double *A, size_t m, size_t n, size_t k, size_t column) {
    double largest = 0;
    for (size_t i = k; i < m; i++)
        if (fabs(A[i * n + column]) > largest)
            largest = fabs(A[i * n + column]);
    if (largest == 0 || !isfinite(largest))
        return largest;
    double sum = 0;
    for (size_t i = k; i < m; i++) {
        const double part = A[i * n + column] / largest;
        sum += part * part;
    }
    return largest * sqrt(sum);
}

/* Makes the reflection that turns the column's part from row k on, of the given length > 0, into
 * its first element. Returns its scale. */
static double make_reflection(double *A, size_t m, size_t n, size_t k, size_t column,
                              double length) {
    const double first = A[k * n + column];
    /* The sign that does not cancel. */
    const double turned = first > 0 ? -length : length;
    const double lead = first - turned;
    for (size_t i = k + 1; i < m; i++)
        A[i * n + column] /= lead;
    A[k * n + column] = turned;
    return (turned - first) / turned;
}

/* Column `to` = H column `to` for the reflection of step k kept in `column`. */
static void reflect_column(double *A, size_t m, size_t n, size_t k, size_t column, double scale,
                           size_t to) {
    double sum = A[k * n + to];
    for (size_t i = k + 1; i < m; i++)
        sum += A[i * n + column] * A[i * n + to];
    sum *= scale;
    A[k * n + to] -= sum;
    for (size_t i = k + 1; i < m; i++)
        A[i * n + to] -= sum * A[i * n + column];
}

static void exchange_columns(double *A, size_t m, size_t n, size_t a, size_t b) {
    for (size_t i = 0; i < m && a != b; i++) {
        const double moved = A[i * n + a];
        A[i * n + a] = A[i * n + b];
        A[i * n + b] = moved;
    }
}

/* The longest column from k on, below row k; equal ones: the first. */
static size_t longest_column(const double *A, size_t m, size_t n, size_t k, double *length) {
    size_t best = k;
    *length = column_length(A, m, n, k, k);
    for (size_t j = k + 1; j < n; j++) {
        const double other = column_length(A, m, n, k, j);
        if (other > *length) {
            *length = other;
            best = j;
        }
    }
    return best;
}

size_t ib_qr_factor(double *A, size_t m, size_t n, double tolerance, size_t *order, double *scale) {
    for (size_t j = 0; j < n; j++)
        order[j] = j;
    double least = 0;
    for (size_t k = 0; k < at_most(m, n); k++) {
        double length;
        const size_t pivot = longest_column(A, m, n, k, &length);
        if (k == 0)
            least = tolerance * length;
        if (!(length > least) || !isfinite(length))
            return k;
        exchange_columns(A, m, n, k, pivot);
        const size_t moved = order[k];
        order[k] = order[pivot];
        order[pivot] = moved;
        scale[k] = make_reflection(A, m, n, k, k, length);
        for (size_t j = k + 1; j < n; j++)
            reflect_column(A, m, n, k, k, scale[k], j);
    }
    return at_most(m, n);
}

void ib_qr_apply(const double *QR, size_t m, size_t n, size_t rank, const double *scale,
                 double *b) {
    for (size_t k = 0; k < rank; k++) {
        double sum = b[k];
        for (size_t i = k + 1; i < m; i++)
            sum += QR[i * n + k] * b[i];
        sum *= scale[k];
        b[k] -= sum;
        for (size_t i = k + 1; i < m; i++)
            b[i] -= sum * QR[i * n + k];
    }
}

size_t ib_dependent_columns(double *A, size_t m, size_t n, double tolerance, bool *dependent,
                            double *work) {
    size_t rank = 0;
    for (size_t j = 0; j < n; j++) {
        /* The column as it came has the length of the column reflected so far. */
        const double whole = column_length(A, m, n, 0, j);
        const double rest = rank < m ? column_length(A, m, n, rank, j) : 0;
        dependent[j] = !(rest > tolerance * whole) || !isfinite(rest);
        if (dependent[j])
            continue;
        work[rank] = make_reflection(A, m, n, rank, j, rest);
        for (size_t to = j + 1; to < n; to++)
            reflect_column(A, m, n, rank, j, work[rank], to);
        rank++;
    }
    return rank;
}

/* ---- least squares ---- */

/* c = R^-1 c for the leading rank x rank triangle of A (rows of n). */
static void back_substitute(const double *A, size_t n, size_t rank, double *c) {
    for (size_t i = rank; i-- > 0;) {
        for (size_t j = i + 1; j < rank; j++)
            c[i] -= A[i * n + j] * c[j];
        c[i] /= A[i * n + i];
    }
}

/* The shortest y (n) with [R11 R12] y = c (rank): factor the transpose, n x rank, as Q S, then
 * y = Q S^-T c. `B` holds n * rank doubles, `scale` rank. */
static void shortest_solution(const double *A, size_t n, size_t rank, const double *c, double *y,
                              double *B, double *scale) {
    for (size_t i = 0; i < rank; i++)
        for (size_t j = 0; j < n; j++)
            B[j * rank + i] = j < i ? 0 : A[i * n + j];
    for (size_t k = 0; k < rank; k++) {
        scale[k] = make_reflection(B, n, rank, k, k, column_length(B, n, rank, k, k));
        for (size_t j = k + 1; j < rank; j++)
            reflect_column(B, n, rank, k, k, scale[k], j);
    }
    for (size_t i = 0; i < rank; i++) {
        y[i] = c[i];
        for (size_t j = 0; j < i; j++)
            y[i] -= B[j * rank + i] * y[j];
        y[i] /= B[i * rank + i];
    }
    for (size_t i = rank; i < n; i++)
        y[i] = 0;
    /* Q y: the reflections in reverse. */
    for (size_t k = rank; k-- > 0;) {
        double sum = y[k];
        for (size_t i = k + 1; i < n; i++)
            sum += B[i * rank + k] * y[i];
        sum *= scale[k];
        y[k] -= sum;
        for (size_t i = k + 1; i < n; i++)
            y[i] -= sum * B[i * rank + k];
    }
}

size_t ib_least_squares_work(size_t m, size_t n) {
    const size_t steps = at_most(m, n);
    return steps + n + n * steps;
}

size_t ib_least_squares(double *A, size_t m, size_t n, double tolerance, double *b, double *x,
                        size_t *index, double *work) {
    const size_t steps = at_most(m, n);
    double *scale = work, *y = work + steps, *B = y + n;
    const size_t rank = ib_qr_factor(A, m, n, tolerance, index, scale);
    ib_qr_apply(A, m, n, rank, scale, b);
    if (rank < n) {
        shortest_solution(A, n, rank, b, y, B, scale);
    } else {
        for (size_t i = 0; i < n; i++)
            y[i] = b[i];
        back_substitute(A, n, rank, y);
    }
    for (size_t k = 0; k < n; k++)
        x[index[k]] = y[k];
    return rank;
}
