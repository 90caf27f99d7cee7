/* Block factorisation against the dense one, on random patterns with blocks of 1 to 12 rows: order,
 * offsets, Cholesky, LU with multipliers that wait for a body, lost pivots, and rank.
 */
#include "num/num_test.h"

enum { MAX_NODES = 14, MAX_SIZE = 12, MAX_ROWS = MAX_NODES * MAX_SIZE };

static int next_int(uint64_t *sequence, int below) {
    const int value = (int)((next_random(sequence) + 1) / 2 * below);
    return value < below ? value : below - 1;
}

typedef struct pattern {
    int n, sizes[MAX_NODES];
    bool late[MAX_NODES], edge[MAX_NODES][MAX_NODES];
    ib_block_edge edges[2 * MAX_NODES * MAX_NODES];
    size_t n_edges;
} pattern;

static void connect(pattern *p, int a, int b) {
    p->edges[p->n_edges++] = (ib_block_edge){a, b};
    p->edge[a][b] = p->edge[b][a] = true;
}

/* Some edges twice, in both directions, and some from a node to itself. */
static pattern random_pattern(uint64_t *sequence, int n, double density) {
    pattern p = {.n = n};
    for (int i = 0; i < n; i++)
        p.sizes[i] = 1 + next_int(sequence, MAX_SIZE);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if ((next_random(sequence) + 1) / 2 < density) {
                connect(&p, i, j);
                if (next_random(sequence) > 0)
                    connect(&p, j, i);
            }
    return p;
}

static ib_blocks *create(ib_block_kind kind, const pattern *p, bool late) {
    ib_blocks *blocks =
        ib_blocks_create(kind, p->n, p->sizes, p->edges, p->n_edges, late ? p->late : NULL);
    assert_non_null(blocks);
    return blocks;
}

static int first_row(const ib_blocks *blocks, int node) {
    return blocks->row_of[blocks->step[node]];
}

static bool coupled(const pattern *p, int a, int b) { return a == b || p->edge[a][b]; }

/* Writes the pattern's blocks of a dense matrix (in elimination order) into the values. */
static void scatter(const pattern *p, const ib_blocks *blocks, const double *A, double *values) {
    const int rows = blocks->n_rows;
    memset(values, 0, sizeof(double) * (size_t)blocks->n_values);
    for (int a = 0; a < p->n; a++)
        for (int b = 0; b < p->n; b++) {
            const int offset = ib_blocks_offset(blocks, a, b);
            if (offset < 0 || !coupled(p, a, b))
                continue;
            for (int i = 0; i < p->sizes[a]; i++)
                for (int j = 0; j < p->sizes[b]; j++)
                    values[offset + i * p->sizes[b] + j] =
                        A[(first_row(blocks, a) + i) * rows + first_row(blocks, b) + j];
        }
}

/* A random matrix of the pattern; symmetric or not; `diagonal` is added to the diagonal. */
static double *random_matrix(uint64_t *sequence, const pattern *p, const ib_blocks *blocks,
                             bool symmetric, double diagonal) {
    const int rows = blocks->n_rows;
    double *A = calloc((size_t)(rows * rows), sizeof(double));
    assert_non_null(A);
    for (int a = 0; a < p->n; a++)
        for (int b = 0; b < p->n; b++)
            for (int i = 0; coupled(p, a, b) && i < p->sizes[a]; i++)
                for (int j = 0; j < p->sizes[b]; j++)
                    A[(first_row(blocks, a) + i) * rows + first_row(blocks, b) + j] =
                        next_random(sequence);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; symmetric && j < i; j++)
            A[i * rows + j] = A[j * rows + i];
        A[i * rows + i] += diagonal;
    }
    return A;
}

static void solve_dense(const double *A, int rows, double *x) {
    double *LU = malloc(sizeof(double) * (size_t)(rows * rows));
    size_t *exchanged = malloc(sizeof(size_t) * (size_t)rows);
    assert_non_null(LU);
    assert_non_null(exchanged);
    memcpy(LU, A, sizeof(double) * (size_t)(rows * rows));
    assert_int_equal(ib_lu_factor(LU, (size_t)rows, 0, exchanged), rows);
    ib_lu_solve(LU, (size_t)rows, exchanged, x);
    free(LU);
    free(exchanged);
}

/* Factors and solves; compares with the dense solution. */
static void compare_solutions(uint64_t *sequence, const pattern *p, const ib_blocks *blocks,
                              const double *A, double tolerance) {
    double x[MAX_ROWS], wanted[MAX_ROWS];
    double *values = calloc((size_t)blocks->n_values + 1, sizeof(double));
    assert_non_null(values);
    scatter(p, blocks, A, values);
    assert_int_equal(ib_blocks_factor(blocks, values, NULL), 0);
    fill_random(sequence, x, (size_t)blocks->n_rows);
    memcpy(wanted, x, sizeof x);
    solve_dense(A, blocks->n_rows, wanted);
    ib_blocks_solve(blocks, values, x);
    ASSERT_CLOSE(x, wanted, (size_t)blocks->n_rows, tolerance);
    free(values);
}

/* ---- structure ---- */

static void check_order(const pattern *p, const ib_blocks *blocks) {
    int row = 0;
    for (int k = 0; k < p->n; k++) {
        assert_int_equal(blocks->step[blocks->order[k]], k);
        assert_int_equal(blocks->size[k], p->sizes[blocks->order[k]]);
        assert_int_equal(blocks->row_of[k], row);
        row += blocks->size[k];
    }
    assert_int_equal(blocks->n_rows, row);
}

/* Every coupled pair has its block; blocks do not overlap and fill the values. */
static void check_offsets(const pattern *p, const ib_blocks *blocks) {
    char *used = calloc((size_t)blocks->n_values + 1, 1);
    assert_non_null(used);
    for (int a = 0; a < p->n; a++)
        for (int b = 0; b < p->n; b++) {
            const int offset = ib_blocks_offset(blocks, a, b);
            const int other = ib_blocks_offset(blocks, b, a);
            if (blocks->kind == IB_BLOCK_LU && coupled(p, a, b))
                assert_true(offset >= 0);
            if (blocks->kind == IB_BLOCK_CHOLESKY && a != b && coupled(p, a, b))
                assert_true((offset >= 0) != (other >= 0));
            for (int i = 0; offset >= 0 && i < p->sizes[a] * p->sizes[b]; i++) {
                assert_true(offset + i < blocks->n_values);
                assert_int_equal(used[offset + i], 0);
                used[offset + i] = 1;
            }
        }
    for (int i = 0; i < blocks->n_values; i++)
        assert_int_equal(used[i], 1);
    free(used);
}

static void test_structure(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (int trial = 0; trial < 60; trial++) {
        const pattern p = random_pattern(&sequence, 1 + trial % MAX_NODES, 0.1 + 0.1 * (trial % 6));
        for (int kind = 0; kind < 2; kind++) {
            ib_blocks *blocks = create(kind ? IB_BLOCK_LU : IB_BLOCK_CHOLESKY, &p, false);
            check_order(&p, blocks);
            check_offsets(&p, blocks);
            ib_blocks_destroy(blocks);
        }
    }
}

/* A chain in any numbering has no fill: as many blocks as links. */
static void test_chain_has_no_fill(void **state) {
    (void)state;
    static const int label[10] = {3, 7, 1, 9, 0, 5, 2, 8, 4, 6};
    pattern p = {.n = 10};
    for (int i = 0; i < 10; i++)
        p.sizes[i] = 5;
    for (int i = 0; i + 1 < 10; i++)
        connect(&p, label[i], label[i + 1]);
    ib_blocks *blocks = create(IB_BLOCK_CHOLESKY, &p, false);
    assert_int_equal(blocks->first[10], 9);
    ib_blocks_destroy(blocks);
}

static void test_nothing(void **state) {
    (void)state;
    ib_blocks *blocks = ib_blocks_create(IB_BLOCK_CHOLESKY, 0, NULL, NULL, 0, NULL);
    assert_non_null(blocks);
    double nothing = 0;
    assert_int_equal(ib_blocks_factor(blocks, &nothing, NULL), 0);
    ib_blocks_solve(blocks, &nothing, &nothing);
    assert_true(nothing == 0);
    ib_blocks_destroy(blocks);
    ib_blocks_destroy(NULL);
}

/* ---- numbers ---- */

static void test_cholesky(void **state) {
    (void)state;
    uint64_t sequence = 10000;
    for (int trial = 0; trial < 60; trial++) {
        const pattern p = random_pattern(&sequence, 1 + trial % MAX_NODES, 0.1 + 0.1 * (trial % 8));
        ib_blocks *blocks = create(IB_BLOCK_CHOLESKY, &p, false);
        double *A = random_matrix(&sequence, &p, blocks, true, blocks->n_rows);
        compare_solutions(&sequence, &p, blocks, A, 1e-14);
        free(A);
        ib_blocks_destroy(blocks);
    }
}

/* All blocks of one size: the unrolled kernels. */
static void test_equal_sizes(void **state) {
    (void)state;
    uint64_t sequence = 20000;
    for (int size = 1; size <= MAX_SIZE; size++)
        for (int kind = 0; kind < 2; kind++) {
            pattern p = random_pattern(&sequence, 8, 0.5);
            for (int i = 0; i < p.n; i++)
                p.sizes[i] = size;
            ib_blocks *blocks = create(kind ? IB_BLOCK_LU : IB_BLOCK_CHOLESKY, &p, false);
            double *A = random_matrix(&sequence, &p, blocks, !kind, blocks->n_rows);
            compare_solutions(&sequence, &p, blocks, A, 1e-14);
            free(A);
            ib_blocks_destroy(blocks);
        }
}

static void test_lu(void **state) {
    (void)state;
    uint64_t sequence = 30000;
    for (int trial = 0; trial < 60; trial++) {
        const pattern p = random_pattern(&sequence, 1 + trial % MAX_NODES, 0.1 + 0.1 * (trial % 8));
        ib_blocks *blocks = create(IB_BLOCK_LU, &p, false);
        double *A = random_matrix(&sequence, &p, blocks, false, blocks->n_rows);
        compare_solutions(&sequence, &p, blocks, A, 1e-14);
        free(A);
        ib_blocks_destroy(blocks);
    }
}

/* Pivots inside a block wander: no entry on the diagonal is needed. */
static void test_lu_pivots(void **state) {
    (void)state;
    uint64_t sequence = 40000;
    pattern p = {.n = 3, .sizes = {6, 4, 9}};
    connect(&p, 0, 1);
    connect(&p, 1, 2);
    for (int trial = 0; trial < 20; trial++) {
        ib_blocks *blocks = create(IB_BLOCK_LU, &p, false);
        double *A = random_matrix(&sequence, &p, blocks, false, 0);
        for (int i = 0; i < blocks->n_rows; i++) {
            A[i * blocks->n_rows + i] = 0;
            const int step = i < blocks->size[0] ? 0 : i < blocks->row_of[2] ? 1 : 2;
            const int at = blocks->row_of[step], size = blocks->size[step];
            A[i * blocks->n_rows + at + (i - at + 1) % size] += 10; /* a cyclic permutation */
        }
        compare_solutions(&sequence, &p, blocks, A, 1e-12);
        free(A);
        ib_blocks_destroy(blocks);
    }
}

/* Bodies of 6 rows and multipliers with no diagonal of their own: [M Gᵀ; G 0]. A multiplier waits
 * for one of its bodies. */
static void test_late_nodes(void **state) {
    (void)state;
    uint64_t sequence = 50000;
    for (int trial = 0; trial < 40; trial++) {
        const int bodies = 2 + trial % 5, constraints = bodies - 1 + trial % 2;
        pattern p = {.n = bodies + constraints};
        for (int i = 0; i < p.n; i++) {
            p.sizes[i] = i < bodies ? 6 : 1 + next_int(&sequence, 3);
            p.late[i] = i >= bodies;
        }
        for (int c = bodies; c < p.n; c++) {
            const int b = c - bodies;
            connect(&p, c, b);
            if (b + 1 < bodies)
                connect(&p, c, b + 1);
        }
        ib_blocks *blocks = create(IB_BLOCK_LU, &p, true);
        for (int c = bodies; c < p.n; c++) {
            bool waited = false;
            for (int b = 0; b < bodies; b++)
                waited = waited || (p.edge[c][b] && blocks->step[b] < blocks->step[c]);
            assert_true(waited);
        }
        double *A = random_matrix(&sequence, &p, blocks, true, 0);
        for (int i = 0; i < blocks->n_rows; i++) {
            int step = 0;
            while (step + 1 < p.n && blocks->row_of[step + 1] <= i)
                step++;
            const bool body = blocks->order[step] < bodies;
            for (int j = blocks->row_of[step]; j < blocks->row_of[step] + blocks->size[step]; j++)
                A[i * blocks->n_rows + j] = !body ? 0 : i == j ? 5 : 0.1;
        }
        compare_solutions(&sequence, &p, blocks, A, 1e-10);
        free(A);
        ib_blocks_destroy(blocks);
    }
}

/* ---- lost pivots ---- */

static void test_cholesky_lost_pivots(void **state) {
    (void)state;
    pattern p = {.n = 3, .sizes = {2, 2, 2}};
    ib_blocks *blocks = create(IB_BLOCK_CHOLESKY, &p, false);
    double values[12] = {4, 0, 0, 4, 4, 0, 0, -1, 9, 0, 0, 0}, x[6] = {4, 8, 12, 5, 18, 7};
    const double wanted[6] = {1, 2, 3, 0, 2, 0}; /* those without a pivot are left out */
    int node = -1;
    assert_int_equal(blocks->n_values, 12);
    assert_int_equal(ib_blocks_factor(blocks, values, &node), 2);
    assert_int_equal(node, 2);
    ib_blocks_solve(blocks, values, x);
    ASSERT_CLOSE(x, wanted, 6, 1e-15);
    ib_blocks_destroy(blocks);
}

static void test_lu_lost_pivots(void **state) {
    (void)state;
    pattern p = {.n = 2, .sizes = {2, 2}};
    ib_blocks *blocks = create(IB_BLOCK_LU, &p, false);
    double values[8] = {1, 2, 3, 4, 1, 2, 2, 4}, not_a_number[8] = {1, 2, 3, (double)NAN};
    not_a_number[4] = not_a_number[7] = 1;
    int node = -1;
    assert_int_equal(ib_blocks_factor(blocks, values, &node), 1);
    assert_int_equal(node, blocks->order[1]);
    assert_int_equal(ib_blocks_factor(blocks, not_a_number, &node), 1);
    assert_int_equal(node, blocks->order[0]);
    ib_blocks_destroy(blocks);
}

/* ---- rank ---- */

/* Rows G over a chain of nodes, some of them combinations of rows of their own and their
 * neighbours' nodes: A = G Gᵀ loses exactly those, and each is expressed by the others. */
static void test_rank(void **state) {
    (void)state;
    enum { COLUMNS = 60 };
    uint64_t sequence = 60000;
    for (int trial = 0; trial < 30; trial++) {
        pattern p = {.n = 5};
        for (int i = 0; i < p.n; i++)
            p.sizes[i] = 2 + next_int(&sequence, 5);
        for (int i = 0; i < p.n; i++)
            for (int j = 0; j < i; j++)
                connect(&p, i, j);
        ib_blocks *blocks = create(IB_BLOCK_CHOLESKY, &p, false);
        const int rows = blocks->n_rows;
        double G[MAX_ROWS * COLUMNS], A[MAX_ROWS * MAX_ROWS] = {0}, diagonal[MAX_ROWS];
        bool dropped[MAX_ROWS];
        fill_random(&sequence, G, (size_t)(rows * COLUMNS));
        const int dependent = trial % 4;
        for (int k = 0; k < dependent; k++) /* row 5 k + 1 is 2 row_0 - 0.5 row_4 + k row_2 */
            for (int c = 0; c < COLUMNS; c++)
                G[(5 * k + 1) % rows * COLUMNS + c] =
                    2 * G[c] - 0.5 * G[4 * COLUMNS + c] + k * G[2 * COLUMNS + c];
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                for (int c = 0; c < COLUMNS; c++)
                    A[i * rows + j] += G[i * COLUMNS + c] * G[j * COLUMNS + c];
        double *values = calloc((size_t)blocks->n_values, sizeof(double));
        assert_non_null(values);
        scatter(&p, blocks, A, values);
        const int wanted = rows > 11 ? dependent : dependent < 2 ? dependent : -1;
        const int lost = ib_blocks_factor_rank(blocks, values, 1e-10, diagonal, dropped);
        if (wanted >= 0)
            assert_int_equal(lost, wanted);
        int marked = 0;
        for (int row = 0; row < rows; row++) {
            if (!dropped[row])
                continue;
            marked++;
            double x[MAX_ROWS], sum[COLUMNS] = {0};
            for (int i = 0; i < rows; i++)
                x[i] = dropped[i] ? 0 : A[i * rows + row];
            ib_blocks_solve(blocks, values, x);
            for (int i = 0; i < rows; i++)
                for (int c = 0; c < COLUMNS; c++)
                    sum[c] += x[i] * G[i * COLUMNS + c];
            ASSERT_CLOSE(sum, G + row * COLUMNS, COLUMNS, 1e-9);
        }
        assert_int_equal(marked, lost);
        free(values);
        ib_blocks_destroy(blocks);
    }
}

/* ---- the same bits ---- */

static void test_repeats(void **state) {
    (void)state;
    uint64_t sequence = 70000;
    const pattern p = random_pattern(&sequence, 12, 0.3);
    for (int kind = 0; kind < 2; kind++) {
        double x[2][MAX_ROWS];
        ib_blocks *first = create(kind ? IB_BLOCK_LU : IB_BLOCK_CHOLESKY, &p, false);
        double *A = random_matrix(&sequence, &p, first, !kind, first->n_rows);
        for (int i = 0; i < 2; i++) {
            ib_blocks *blocks = create(first->kind, &p, false);
            assert_memory_equal(blocks->order, first->order, sizeof(int) * (size_t)p.n);
            double *values = calloc((size_t)blocks->n_values, sizeof(double));
            assert_non_null(values);
            scatter(&p, blocks, A, values);
            ib_blocks_factor(blocks, values, NULL);
            for (int k = 0; k < blocks->n_rows; k++)
                x[i][k] = k;
            ib_blocks_solve(blocks, values, x[i]);
            free(values);
            ib_blocks_destroy(blocks);
        }
        assert_memory_equal(x[0], x[1], sizeof(double) * (size_t)first->n_rows);
        free(A);
        ib_blocks_destroy(first);
    }
}

/* ---- complex ---- */

/* (A + i B) (x + i y) of dense matrices. */
static void multiply_complex(const double *A, const double *B, int rows, const double *x,
                             const double *y, double *re, double *im) {
    for (int i = 0; i < rows; i++) {
        re[i] = im[i] = 0;
        for (int j = 0; j < rows; j++) {
            re[i] += A[i * rows + j] * x[j] - B[i * rows + j] * y[j];
            im[i] += A[i * rows + j] * y[j] + B[i * rows + j] * x[j];
        }
    }
}

static void check_complex(uint64_t *sequence, const pattern *p) {
    ib_blocks *blocks = create(IB_BLOCK_LU, p, false);
    const int rows = blocks->n_rows;
    double *A = random_matrix(sequence, p, blocks, false, 10);
    double *B = random_matrix(sequence, p, blocks, false, -20);
    double *values = calloc(2 * (size_t)blocks->n_values + 1, sizeof(double));
    double x[MAX_ROWS] = {0}, y[MAX_ROWS] = {0}, re[MAX_ROWS], im[MAX_ROWS], product[MAX_ROWS];
    assert_non_null(values);
    fill_random(sequence, x, (size_t)rows);
    fill_random(sequence, y, (size_t)rows);
    multiply_complex(A, B, rows, x, y, re, im);
    double *imaginary = values + blocks->n_values;
    scatter(p, blocks, A, values);
    scatter(p, blocks, B, imaginary);
    assert_int_equal(ib_blocks_factor_complex(blocks, values, imaginary, NULL), 0);
    ib_blocks_solve_complex(blocks, values, imaginary, re, im);
    ASSERT_CLOSE(re, x, (size_t)rows, 1e-11);
    ASSERT_CLOSE(im, y, (size_t)rows, 1e-11);
    scatter(p, blocks, A, values);
    memset(B, 0, sizeof(double) * (size_t)(rows * rows));
    multiply_complex(A, B, rows, x, y, re, im);
    ib_blocks_multiply(blocks, values, x, product);
    ASSERT_CLOSE(product, re, (size_t)rows, 1e-12);
    free(values);
    free(A);
    free(B);
    ib_blocks_destroy(blocks);
}

static void test_complex(void **state) {
    (void)state;
    uint64_t sequence = 4000;
    for (int trial = 0; trial < 20; trial++) {
        pattern p = random_pattern(&sequence, 1 + trial % MAX_NODES, 0.3);
        check_complex(&sequence, &p);
    }
    static const int equal[] = {3, 5, 6};
    for (int i = 0; i < 3; i++) {
        pattern p = random_pattern(&sequence, 8, 0.4);
        for (int k = 0; k < p.n; k++)
            p.sizes[k] = i == 1 && k % 2 ? 6 : equal[i];
        check_complex(&sequence, &p);
    }
}

/* A diagonal block of zeros is left out and counted; rows of zeros in it need pivots elsewhere. */
static void test_complex_pivots(void **state) {
    (void)state;
    pattern p = {.n = 2, .sizes = {2, 2}};
    ib_blocks *blocks = create(IB_BLOCK_LU, &p, false);
    const double A[16] = {0, 0, 0, 0, 2, 0}, B[16] = {0, 3, 0, 0, 0, 0};
    double re[16], im[16], x[4] = {3, 4, 1, 1}, y[4] = {6, 0, 1, 1};
    int node = -1;
    scatter(&p, blocks, A, re);
    scatter(&p, blocks, B, im);
    assert_int_equal(ib_blocks_factor_complex(blocks, re, im, &node), 1);
    assert_int_equal(node, 1);
    ib_blocks_solve_complex(blocks, re, im, x, y);
    const double wanted_x[4] = {2, 2, 0, 0}, wanted_y[4] = {0, -1, 0, 0};
    ASSERT_CLOSE(x, wanted_x, 4, 1e-15);
    ASSERT_CLOSE(y, wanted_y, 4, 1e-15);
    ib_blocks_destroy(blocks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_chain_has_no_fill),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_equal_sizes),
        cmocka_unit_test(test_lu),
        cmocka_unit_test(test_lu_pivots),
        cmocka_unit_test(test_late_nodes),
        cmocka_unit_test(test_cholesky_lost_pivots),
        cmocka_unit_test(test_lu_lost_pivots),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_complex),
        cmocka_unit_test(test_complex_pivots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
