/* Block-sparse factorisation in a static order.
 *
 * The matrix is a symmetric pattern of small dense blocks, one node (a body, a constraint) a block
 * row. The order, the fill and every place that an update goes to are found once; a factorisation
 * is then straight loops over blocks: the same bits on every machine, and no allocation.
 * Minimum degree: George & Liu (1989); the block elimination itself is textbook.
 */
#ifndef IB_NUM_BLOCK_H
#define IB_NUM_BLOCK_H

#include "ironbird/base.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum ib_block_kind {
    IB_BLOCK_CHOLESKY, /* symmetric positive definite; only blocks on and above the diagonal */
    IB_BLOCK_LU        /* symmetric pattern, any values; pivoting inside the diagonal blocks */
} ib_block_kind;

typedef struct ib_block_edge {
    int a, b;
} ib_block_edge;

enum { IB_BLOCK_MAX = 30 }; /* rows of the largest block */

/* The structure and its order. Read-only once made. */
typedef struct ib_blocks {
    ib_block_kind kind;
    int n;         /* nodes */
    int *size;     /* [n] rows of the node eliminated at each step */
    int *order;    /* [n] node eliminated at each step */
    int *step;     /* [n] step at which a node is eliminated */
    int *row_of;   /* [n] first row of each step's unknowns, in elimination order */
    int n_rows;    /* all unknowns */
    int *first;    /* [n + 1] into `later`: the blocks below the diagonal of each step's column */
    int *later;    /* steps of those blocks, ascending */
    int *diagonal; /* [n] offset of each diagonal block in the values, size x size row-major */
    int *upper;    /* [first[n]] offset of the block (step, later), row-major */
    int *lower;    /* [first[n]] offset of the block (later, step); LU only, else -1 */
    int *target;   /* offsets that the outer products of each column's blocks go to, in order */
    int n_values;  /* doubles that the values take */
} ib_blocks;

/* Analyses a pattern of n nodes of the given sizes (at most IB_BLOCK_MAX), coupled by the edges
 * (repeats are fine). A node marked `late` is not eliminated before one of its neighbours (a
 * multiplier before a body). NULL marks none. Returns NULL when out of memory. */
ib_blocks *ib_blocks_create(ib_block_kind kind, int n, const int *sizes, const ib_block_edge *edges,
                            size_t n_edges, const bool *late);
void ib_blocks_destroy(ib_blocks *blocks);

/* Offset of the block (row node, column node), or -1 when it is not in the pattern, or lies below
 * the diagonal (in elimination order) of a symmetric one. */
int ib_blocks_offset(const ib_blocks *blocks, int row, int column);

/* Factors the values in place. Returns the number of pivots that were not positive (Cholesky; they
 * are left out of the solution) or singular (LU); *node is the last such node. */
int ib_blocks_factor(const ib_blocks *blocks, double *values, int *node);

/* Cholesky that shows the rank: a pivot of at most `tolerance` times the row's own diagonal entry
 * is left out, its row (in elimination order) marked in dropped[n_rows]. Returns how many were.
 * After it ib_blocks_solve expresses a dropped row by the others. `diagonal` holds n_rows doubles
 * of scratch. */
int ib_blocks_factor_rank(const ib_blocks *blocks, double *values, double tolerance,
                          double *diagonal, bool *dropped);

/* Solves in place for one right side in elimination order (x[row_of[step] ...]). */
void ib_blocks_solve(const ib_blocks *blocks, const double *values, double *x);

/* y = A x with the values as they were before a factorisation; LU only. */
void ib_blocks_multiply(const ib_blocks *blocks, const double *values, const double *x, double *y);

/* ---- block_complex.c: of a complex matrix on the structure of an LU; its real and its imaginary
 * part each laid out as the values of a real one ---- */

int ib_blocks_factor_complex(const ib_blocks *blocks, double *re, double *im, int *node);
void ib_blocks_solve_complex(const ib_blocks *blocks, const double *re, const double *im,
                             double *x_re, double *x_im);

#endif
