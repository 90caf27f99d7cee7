/* Small dense matrices: residuals and known factors, rank and order, and breakdown at the right
 * step.
 */
#include "num_test.h"

#define ULP 0x1p-52

enum { LARGEST = 12 };

typedef struct matrix {
    double a[LARGEST * LARGEST];
} matrix;

/* out (m) = A (m x n) x */
static void multiply(const double *A, size_t m, size_t n, const double *x, double *out) {
    for (size_t i = 0; i < m; i++) {
        out[i] = 0;
        for (size_t j = 0; j < n; j++)
            out[i] += A[i * n + j] * x[j];
    }
}

static void transpose(const double *A, size_t m, size_t n, double *out) {
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            out[j * m + i] = A[i * n + j];
}

/* Random with a strong diagonal: well conditioned, of either sign. */
static void random_matrix(uint64_t *sequence, double *A, size_t n) {
    fill_random(sequence, A, n * n);
    for (size_t i = 0; i < n; i++)
        A[i * n + (i * 7 + 3) % n] += i % 2 ? 4 : -4;
}

/* B^T B + 1 */
static void random_definite(uint64_t *sequence, double *A, size_t n) {
    double B[LARGEST * LARGEST];
    fill_random(sequence, B, n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            A[i * n + j] = i == j;
            for (size_t k = 0; k < n; k++)
                A[i * n + j] += B[k * n + i] * B[k * n + j];
        }
}

static void test_lu(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (size_t n = 1; n <= LARGEST; n++)
        for (int round = 0; round < 20; round++) {
            matrix A, LU, T;
            double x[LARGEST], b[LARGEST], c[LARGEST];
            size_t exchanged[LARGEST];
            random_matrix(&sequence, A.a, n);
            fill_random(&sequence, x, n);
            multiply(A.a, n, n, x, b);
            transpose(A.a, n, n, T.a);
            multiply(T.a, n, n, x, c);
            LU = A;
            assert_int_equal(ib_lu_factor(LU.a, n, 0, exchanged), n);
            ib_lu_solve(LU.a, n, exchanged, b);
            ASSERT_CLOSE(b, x, n, 1e-13);
            ib_lu_solve_transposed(LU.a, n, exchanged, c);
            ASSERT_CLOSE(c, x, n, 1e-13);
        }
}

static void test_lu_known(void **state) {
    (void)state;
    double A[9] = {1, 2, 4, 2, 1, 3, 4, 4, 0};
    size_t exchanged[3];
    assert_int_equal(ib_lu_factor(A, 3, 0, exchanged), 3);
    const double wanted[9] = {4, 4, 0, 0.5, -1, 3, 0.25, -1, 7};
    ASSERT_CLOSE(A, wanted, 9, 0);
    assert_int_equal(exchanged[0], 2);
    assert_int_equal(exchanged[1], 1);
}

static void test_lu_singular(void **state) {
    (void)state;
    size_t exchanged[3];
    double zero[9] = {0};
    assert_int_equal(ib_lu_factor(zero, 3, 0, exchanged), 0);
    double twice[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1}; /* rows 0 and 1 */
    assert_int_equal(ib_lu_factor(twice, 3, 0, exchanged), 2);
    double nearly[9] = {1, 0, 0, 0, 1e-13, 0, 0, 0, 1};
    double copy[9];
    memcpy(copy, nearly, sizeof copy);
    assert_int_equal(ib_lu_factor(nearly, 3, 1e-12, exchanged), 1);
    assert_int_equal(ib_lu_factor(copy, 3, 1e-14, exchanged), 3);
    double broken[4] = {1, 0, 0, (double)NAN};
    assert_int_equal(ib_lu_factor(broken, 2, 0, exchanged), 1);
    double endless[1] = {(double)INFINITY};
    assert_int_equal(ib_lu_factor(endless, 1, 0, exchanged), 0);
}

static void test_cholesky(void **state) {
    (void)state;
    uint64_t sequence = 10000;
    for (size_t n = 1; n <= LARGEST; n++)
        for (int round = 0; round < 20; round++) {
            matrix A;
            double x[LARGEST], b[LARGEST];
            random_definite(&sequence, A.a, n);
            fill_random(&sequence, x, n);
            multiply(A.a, n, n, x, b);
            for (size_t i = 0; i < n; i++)
                for (size_t j = i + 1; j < n; j++)
                    A.a[i * n + j] = (double)NAN; /* the upper half is not read */
            assert_int_equal(ib_cholesky_factor(A.a, n), n);
            ib_cholesky_solve(A.a, n, b);
            ASSERT_CLOSE(b, x, n, 1e-13);
        }
}

static void test_cholesky_breaks_down(void **state) {
    (void)state;
    double known[9] = {4, 0, 0, 2, 10, 0, -2, 5, 9};
    assert_int_equal(ib_cholesky_factor(known, 3), 3);
    const double wanted[9] = {2, 0, 0, 1, 3, 0, -1, 2, 2};
    ASSERT_CLOSE(known, wanted, 9, 0);
    double indefinite[4] = {1, 0, 2, 1};
    assert_int_equal(ib_cholesky_factor(indefinite, 2), 1);
    double semidefinite[4] = {1, 0, 1, 1};
    assert_int_equal(ib_cholesky_factor(semidefinite, 2), 1);
    double broken[1] = {(double)NAN};
    assert_int_equal(ib_cholesky_factor(broken, 1), 0);
}

/* [A B^T; B -C] with definite A and C: quasi-definite, so any order will do. */
static void test_ldlt(void **state) {
    (void)state;
    uint64_t sequence = 20000;
    for (size_t n = 2; n <= LARGEST; n++)
        for (int round = 0; round < 20; round++) {
            matrix A;
            double x[LARGEST], b[LARGEST];
            random_definite(&sequence, A.a, n);
            for (size_t i = n / 2; i < n; i++)
                for (size_t j = n / 2; j < n; j++)
                    A.a[i * n + j] *= -1;
            fill_random(&sequence, x, n);
            multiply(A.a, n, n, x, b);
            for (size_t i = 0; i < n; i++)
                for (size_t j = i + 1; j < n; j++)
                    A.a[i * n + j] = (double)NAN;
            assert_int_equal(ib_ldlt_factor(A.a, n), n);
            size_t negative = 0;
            for (size_t i = 0; i < n; i++)
                negative += A.a[i * n + i] < 0;
            assert_int_equal(negative, n - n / 2); /* Sylvester */
            ib_ldlt_solve(A.a, n, b);
            ASSERT_CLOSE(b, x, n, 1e-12);
        }
}

static void test_ldlt_breaks_down(void **state) {
    (void)state;
    double hollow[4] = {0, 0, 1, 0};
    assert_int_equal(ib_ldlt_factor(hollow, 2), 0);
    double semidefinite[4] = {1, 0, 1, 1};
    assert_int_equal(ib_ldlt_factor(semidefinite, 2), 1);
    double known[4] = {2, 0, 4, 3};
    assert_int_equal(ib_ldlt_factor(known, 2), 2);
    const double wanted[4] = {2, 0, 2, -5};
    ASSERT_CLOSE(known, wanted, 4, 0);
}

static void random_symmetric(uint64_t *sequence, double A[9]) {
    fill_random(sequence, A, 9);
    A[3] = A[1], A[6] = A[2], A[7] = A[5];
}

static void test_sym3_inverse(void **state) {
    (void)state;
    uint64_t sequence = 30000;
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int round = 0; round < 200; round++) {
        double A[9], inverse[9], product[9];
        random_symmetric(&sequence, A);
        A[0] += 4, A[4] += 4, A[8] += 4;
        assert_true(ib_sym3_inverse(A, inverse));
        assert_true(inverse[1] == inverse[3] && inverse[2] == inverse[6] &&
                    inverse[5] == inverse[7]);
        ib_mul33(A, inverse, product);
        ASSERT_CLOSE(product, identity, 9, 8 * ULP);
    }
    double inverse[9] = {7};
    const double singular[9] = {1, 1, 0, 1, 1, 0, 0, 0, 5};
    assert_false(ib_sym3_inverse(singular, inverse));
    const double broken[9] = {1, 0, 0, 0, (double)NAN, 0, 0, 0, 1};
    assert_false(ib_sym3_inverse(broken, inverse));
    assert_true(inverse[0] == 7);
}

/* A = V diag(values) V^T with V a rotation and the values rising. */
static void check_eigen(const double A[9]) {
    double values[3], V[9], scaled[9], transposed[9], back[9], size = 0;
    ib_sym3_eigen(A, values, V);
    assert_true(values[0] <= values[1] && values[1] <= values[2]);
    for (int i = 0; i < 9; i++) {
        scaled[i] = V[i] * values[i % 3];
        size = fmax(size, fabs(A[i]));
    }
    transpose(V, 3, 3, transposed);
    ib_mul33(scaled, transposed, back);
    ASSERT_CLOSE(back, A, 9, 16 * ULP * size);
    double cross[3];
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ib_mul33(V, transposed, back);
    ASSERT_CLOSE(back, identity, 9, 16 * ULP);
    ib_cross(transposed, transposed + 3, cross);
    ASSERT_CLOSE(cross, transposed + 6, 3, 16 * ULP); /* right-handed */
}

static void test_sym3_eigen(void **state) {
    (void)state;
    uint64_t sequence = 40000;
    for (int round = 0; round < 300; round++) {
        double A[9];
        random_symmetric(&sequence, A);
        for (int i = 0; round % 3 == 1 && i < 9; i++)
            A[i] *= i == 0 ? 1e8 : i % 4 ? 1e-6 : 1; /* graded */
        check_eigen(A);
    }
    static const double special[][9] = {{0, 0, 0, 0, 0, 0, 0, 0, 0},
                                        {2, 0, 0, 0, 2, 0, 0, 0, 2},
                                        {3, 0, 0, 0, 2, 0, 0, 0, 1},
                                        {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                        {2, 1, 0, 1, 2, 0, 0, 0, 3},
                                        {0, 1, 0, 1, 0, 0, 0, 0, 0},
                                        {1e300, 1e299, 0, 1e299, 1e300, 0, 0, 0, 1e300}};
    for (size_t i = 0; i < IB_COUNT(special); i++)
        check_eigen(special[i]);
    double values[3], V[9];
    ib_sym3_eigen(special[4], values, V);
    const double wanted[3] = {1, 3, 3};
    ASSERT_CLOSE(values, wanted, 3, 4 * ULP);
    const double broken[9] = {1, 0, 0, 0, (double)NAN, 0, 0, 0, 1};
    ib_sym3_eigen(broken, values, V);
    assert_true(isnan(values[0]) && isnan(values[1]) && isnan(values[2]));
}

/* Q^T (A P) = R: every column of A, reflected, is the column of R, and nothing is left below. */
static void check_qr(const double *A, size_t m, size_t n, size_t wanted_rank) {
    matrix QR;
    double scale[LARGEST], column[LARGEST];
    size_t order[LARGEST];
    memcpy(QR.a, A, m * n * sizeof *A);
    const size_t rank = ib_qr_factor(QR.a, m, n, 1e-12, order, scale);
    assert_int_equal(rank, wanted_rank);
    bool seen[LARGEST] = {false};
    for (size_t j = 0; j < n; j++) {
        assert_true(order[j] < n && !seen[order[j]]);
        seen[order[j]] = true;
        for (size_t i = 0; i < m; i++)
            column[i] = A[i * n + order[j]];
        ib_qr_apply(QR.a, m, n, rank, scale, column);
        for (size_t i = 0; i < m; i++) {
            const double wanted = i <= j && i < rank ? QR.a[i * n + j] : 0;
            assert_true(fabs(column[i] - wanted) < 1e-13);
        }
        if (j && j < rank)
            assert_true(fabs(QR.a[j * n + j]) <= fabs(QR.a[(j - 1) * n + j - 1]) * (1 + 8 * ULP));
    }
}

/* A random m x n matrix of the given rank: a product of two. */
static void random_rank(uint64_t *sequence, double *A, size_t m, size_t n, size_t rank) {
    double B[LARGEST * LARGEST], C[LARGEST * LARGEST];
    fill_random(sequence, B, m * rank);
    fill_random(sequence, C, rank * n);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            A[i * n + j] = 0;
            for (size_t k = 0; k < rank; k++)
                A[i * n + j] += B[i * rank + k] * C[k * n + j];
        }
}

static void test_qr(void **state) {
    (void)state;
    uint64_t sequence = 50000;
    for (size_t m = 1; m <= LARGEST; m++)
        for (size_t n = 1; n <= LARGEST; n++)
            for (size_t rank = 0; rank <= m && rank <= n; rank++) {
                double A[LARGEST * LARGEST];
                random_rank(&sequence, A, m, n, rank);
                check_qr(A, m, n, rank);
            }
}

/* The columns declared later are the ones called dependent. */
static void test_dependent_columns(void **state) {
    (void)state;
    /* a, 2a, b, a - b, 0, c */
    const double A[4 * 6] = {1, 2, 0, 1, 0, 0, 2, 4, 1, 1,  0, 1,
                             3, 6, 1, 2, 0, 0, 0, 0, 2, -2, 0, 3};
    double copy[24], work[4];
    bool dependent[6];
    memcpy(copy, A, sizeof copy);
    assert_int_equal(ib_dependent_columns(copy, 4, 6, 1e-12, dependent, work), 3);
    const bool wanted[6] = {false, true, false, true, true, false};
    assert_memory_equal(dependent, wanted, sizeof wanted);
}

/* Whether a column is dependent has nothing to do with its size. */
static void test_dependence_is_relative(void **state) {
    (void)state;
    double A[6] = {1, 1e-20, 0, 0, 1e-20, 1e10}, work[2];
    bool dependent[3];
    assert_int_equal(ib_dependent_columns(A, 2, 3, 1e-12, dependent, work), 2);
    assert_false(dependent[0] || dependent[1]);
    assert_true(dependent[2]); /* no third direction */
}

static void test_dependent_columns_of_rank(void **state) {
    (void)state;
    uint64_t sequence = 60000;
    for (size_t m = 1; m <= LARGEST; m++)
        for (size_t rank = 0; rank <= m; rank++) {
            double A[LARGEST * LARGEST], work[LARGEST];
            bool dependent[LARGEST];
            random_rank(&sequence, A, m, LARGEST, rank);
            assert_int_equal(ib_dependent_columns(A, m, LARGEST, 1e-11, dependent, work), rank);
            for (size_t j = 0; j < LARGEST; j++)
                assert_int_equal(dependent[j], j >= rank); /* the first ones are independent */
        }
}

/* The normal equations hold, and the solution has no part that A takes to zero: x is in the range
 * of A^T, so it is the shortest. */
static void check_least_squares(uint64_t *sequence, size_t m, size_t n, size_t rank) {
    double A[LARGEST * LARGEST], copy[LARGEST * LARGEST], T[LARGEST * LARGEST];
    double b[LARGEST], r[LARGEST], x[LARGEST], g[LARGEST], work[LARGEST * (LARGEST + 2)];
    size_t index[LARGEST];
    random_rank(sequence, A, m, n, rank);
    fill_random(sequence, b, m);
    memcpy(copy, A, m * n * sizeof *copy);
    memcpy(r, b, m * sizeof *r);
    assert_true(ib_least_squares_work(m, n) <= IB_COUNT(work));
    assert_int_equal(ib_least_squares(copy, m, n, 1e-11, r, x, index, work), rank);
    double left = 0, residual[LARGEST], square = 0;
    multiply(A, m, n, x, residual);
    for (size_t i = 0; i < m; i++) {
        residual[i] -= b[i];
        square += residual[i] * residual[i];
        left += i >= rank ? r[i] * r[i] : 0;
    }
    assert_true(fabs(sqrt(square) - sqrt(left)) < 1e-9);
    transpose(A, m, n, T);
    multiply(T, n, m, residual, g);
    const double zero[LARGEST] = {0};
    ASSERT_CLOSE(g, zero, n, 1e-9);
    /* x itself is A^T y for some y: solve for y, and nothing remains. */
    double y[LARGEST], rest[LARGEST];
    memcpy(rest, x, n * sizeof *rest);
    assert_int_equal(ib_least_squares(T, n, m, 1e-11, rest, y, index, work), rank);
    for (size_t i = rank; i < n; i++)
        assert_true(fabs(rest[i]) < 1e-9);
}

static void test_least_squares(void **state) {
    (void)state;
    uint64_t sequence = 70000;
    for (size_t m = 1; m <= LARGEST; m++)
        for (size_t n = 1; n <= LARGEST; n++)
            for (size_t rank = 0; rank <= m && rank <= n; rank += 2)
                check_least_squares(&sequence, m, n, rank);
}

/* The line through (0, 1), (1, 2), (2, 4): 5/6 + 3/2 t. And the shortest of x + y = 2. */
static void test_least_squares_known(void **state) {
    (void)state;
    double A[6] = {1, 0, 1, 1, 1, 2}, b[3] = {1, 2, 4}, x[2], work[16];
    size_t index[2];
    assert_int_equal(ib_least_squares(A, 3, 2, 1e-12, b, x, index, work), 2);
    const double line[2] = {5.0 / 6, 1.5};
    ASSERT_CLOSE(x, line, 2, 4 * ULP);
    assert_true(fabs(fabs(b[2]) - sqrt(1.0 / 6)) < 4 * ULP);
    double row[2] = {1, 1}, two[1] = {2};
    assert_int_equal(ib_least_squares(row, 1, 2, 1e-12, two, x, index, work), 1);
    const double ones[2] = {1, 1};
    ASSERT_CLOSE(x, ones, 2, 4 * ULP);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lu),
        cmocka_unit_test(test_lu_known),
        cmocka_unit_test(test_lu_singular),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_cholesky_breaks_down),
        cmocka_unit_test(test_ldlt),
        cmocka_unit_test(test_ldlt_breaks_down),
        cmocka_unit_test(test_sym3_inverse),
        cmocka_unit_test(test_sym3_eigen),
        cmocka_unit_test(test_qr),
        cmocka_unit_test(test_dependent_columns),
        cmocka_unit_test(test_dependence_is_relative),
        cmocka_unit_test(test_dependent_columns_of_rank),
        cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_least_squares_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
