/* Block-sparse factorisation and solution of complex matrices, real and imaginary parts in arrays
 * of their own, on the structure of a real one (IB_BLOCK_LU). See block.h; block_factor.c does the
 * same for real matrices.
 */
#include "num/block.h"
#include "num/kernel.h"

#include <math.h>
#include <string.h>

typedef struct complex_block {
    double *re, *im;
} complex_block;

typedef struct complex_view {
    const double *re, *im;
} complex_view;

static complex_block at(complex_block values, int offset) {
    return (complex_block){values.re + offset, values.im + offset};
}

static complex_view view(complex_block values) { return (complex_view){values.re, values.im}; }

static complex_view view_at(complex_view values, int offset) {
    return (complex_view){values.re + offset, values.im + offset};
}

/* C -= A B with A m x n, B n x p. */
IB_KERNEL void subtract_nn(int m, int p, int n, complex_view A, complex_view B, complex_block C) {
    const double *restrict a = A.re, *restrict ai = A.im, *restrict b = B.re, *restrict bi = B.im;
    double *restrict c = C.re, *restrict ci = C.im;
    for (int i = 0; i < m; i++)
        for (int e = 0; e < n; e++) {
            const double x = a[n * i + e], y = ai[n * i + e];
            for (int j = 0; j < p; j++) {
                c[p * i + j] -= x * b[p * e + j] - y * bi[p * e + j];
                ci[p * i + j] -= x * bi[p * e + j] + y * b[p * e + j];
            }
        }
}

static void subtract_product(int m, int p, int n, complex_view A, complex_view B, complex_block C) {
    if (m == 6 && p == 6 && n == 6)
        subtract_nn(6, 6, 6, A, B, C);
    else if (m == 5 && p == 6 && n == 6)
        subtract_nn(5, 6, 6, A, B, C);
    else if (m == 6 && p == 5 && n == 6)
        subtract_nn(6, 5, 6, A, B, C);
    else if (m == 5 && p == 5 && n == 6)
        subtract_nn(5, 5, 6, A, B, C);
    else if (m == 5 && p == 5 && n == 5)
        subtract_nn(5, 5, 5, A, B, C);
    else
        subtract_nn(m, p, n, A, B, C);
}

static double size(complex_block D, int i) { return fabs(D.re[i]) + fabs(D.im[i]); }

static void swap_rows(int n, complex_block D, int a, int b) {
    for (int j = 0; a != b && j < n; j++) {
        const double re = D.re[n * a + j], im = D.im[n * a + j];
        D.re[n * a + j] = D.re[n * b + j];
        D.im[n * a + j] = D.im[n * b + j];
        D.re[n * b + j] = re;
        D.im[n * b + j] = im;
    }
}

static void swap_columns(int n, complex_block D, int a, int b) {
    for (int r = 0; a != b && r < n; r++) {
        const double re = D.re[n * r + a], im = D.im[n * r + a];
        D.re[n * r + a] = D.re[n * r + b];
        D.im[n * r + a] = D.im[n * r + b];
        D.re[n * r + b] = re;
        D.im[n * r + b] = im;
    }
}

/* Row r -= factor row c, beside the pivot column. */
IB_KERNEL void clear(int n, complex_block D, int r, int c) {
    double *restrict re = D.re + n * r, *restrict im = D.im + n * r;
    const double *restrict pre = D.re + n * c, *restrict pim = D.im + n * c;
    const double x = re[c], y = im[c];
    re[c] = im[c] = 0;
    for (int j = 0; j < n; j++) {
        re[j] -= x * pre[j] - y * pim[j];
        im[j] -= x * pim[j] + y * pre[j];
    }
}

/* D := D^-1 by Gauss-Jordan with row pivoting. False when a pivot is zero or not a number. */
IB_KERNEL bool invert_sized(int n, complex_block D) {
    int pivot[IB_BLOCK_MAX];
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c + 1; r < n; r++)
            if (size(D, n * r + c) > size(D, n * p + c))
                p = r;
        pivot[c] = p;
        swap_rows(n, D, c, p);
        const double re = D.re[n * c + c], im = D.im[n * c + c], square = re * re + im * im;
        if (!(square > 0))
            return false;
        const double x = re / square, y = -im / square;
        D.re[n * c + c] = 1;
        D.im[n * c + c] = 0;
        for (int j = 0; j < n; j++) {
            const double u = D.re[n * c + j], v = D.im[n * c + j];
            D.re[n * c + j] = x * u - y * v;
            D.im[n * c + j] = x * v + y * u;
        }
        for (int r = 0; r < n; r++)
            if (r != c)
                clear(n, D, r, c);
    }
    for (int c = n - 1; c >= 0; c--)
        swap_columns(n, D, c, pivot[c]);
    return true;
}

static bool invert(int n, complex_block D) {
    if (n < 1 || n > IB_BLOCK_MAX)
        return false;
    return n == 6 ? invert_sized(6, D) : n == 5 ? invert_sized(5, D) : invert_sized(n, D);
}

/* L := L D^-1, with the inverse in D. */
static void divide(int m, int n, complex_block D, complex_block L) {
    double re[IB_BLOCK_MAX * IB_BLOCK_MAX], im[IB_BLOCK_MAX * IB_BLOCK_MAX];
    const size_t bytes = sizeof(double) * (size_t)(m * n);
    memset(re, 0, bytes);
    memset(im, 0, bytes);
    subtract_product(m, n, n, view(L), view(D), (complex_block){re, im});
    for (int i = 0; i < m * n; i++) {
        L.re[i] = -re[i];
        L.im[i] = -im[i];
    }
}

int ib_blocks_factor_complex(const ib_blocks *b, double *re, double *im, int *node) {
    const complex_block values = {re, im};
    const int *target = b->target;
    int bad = 0;
    for (int k = 0; k < b->n; k++) {
        const int n = b->size[k];
        const complex_block D = at(values, b->diagonal[k]);
        if (!invert(n, D)) {
            memset(D.re, 0, sizeof(double) * (size_t)(n * n));
            memset(D.im, 0, sizeof(double) * (size_t)(n * n));
            bad++;
            if (node)
                *node = b->order[k];
        }
        for (int x = b->first[k]; x < b->first[k + 1]; x++) {
            const int m = b->size[b->later[x]];
            const complex_block L = at(values, b->lower[x]);
            divide(m, n, D, L);
            for (int y = b->first[k]; y < b->first[k + 1]; y++)
                subtract_product(m, b->size[b->later[y]], n, view(L), view(at(values, b->upper[y])),
                                 at(values, *target++));
        }
    }
    return bad;
}

/* y -= A x with A m x n. */
IB_KERNEL void subtract_vector(int m, int n, complex_view A, complex_view x, complex_block y) {
    const double *restrict a = A.re, *restrict ai = A.im, *restrict u = x.re, *restrict v = x.im;
    for (int r = 0; r < m; r++) {
        double re = 0, im = 0;
        for (int e = 0; e < n; e++) {
            re += a[n * r + e] * u[e] - ai[n * r + e] * v[e];
            im += a[n * r + e] * v[e] + ai[n * r + e] * u[e];
        }
        y.re[r] -= re;
        y.im[r] -= im;
    }
}

static void subtract(int m, int n, complex_view A, complex_view x, complex_block y) {
    if (m == 6 && n == 6)
        subtract_vector(6, 6, A, x, y);
    else if (m == 5 && n == 6)
        subtract_vector(5, 6, A, x, y);
    else if (m == 6 && n == 5)
        subtract_vector(6, 5, A, x, y);
    else
        subtract_vector(m, n, A, x, y);
}

/* z := D z, with the inverse of the diagonal block in D. */
static void divide_vector(int n, complex_view D, complex_block z) {
    double re[IB_BLOCK_MAX] = {0}, im[IB_BLOCK_MAX] = {0};
    subtract(n, n, D, view(z), (complex_block){re, im});
    for (int i = 0; i < n; i++) {
        z.re[i] = -re[i];
        z.im[i] = -im[i];
    }
}

void ib_blocks_solve_complex(const ib_blocks *b, const double *re, const double *im, double *x_re,
                             double *x_im) {
    const complex_view values = {re, im};
    const complex_block x = {x_re, x_im};
    for (int k = 0; k < b->n; k++)
        for (int e = b->first[k]; e < b->first[k + 1]; e++)
            subtract(b->size[b->later[e]], b->size[k], view_at(values, b->lower[e]),
                     view(at(x, b->row_of[k])), at(x, b->row_of[b->later[e]]));
    for (int k = b->n - 1; k >= 0; k--) {
        const complex_block z = at(x, b->row_of[k]);
        for (int e = b->first[k]; e < b->first[k + 1]; e++)
            subtract(b->size[k], b->size[b->later[e]], view_at(values, b->upper[e]),
                     view(at(x, b->row_of[b->later[e]])), z);
        divide_vector(b->size[k], view_at(values, b->diagonal[k]), z);
    }
}
