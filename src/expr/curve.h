/* Inside of curves and tables, shared by knots.c, slopes.c, spline.c and table.c only. */
#ifndef IB_EXPR_CURVE_H
#define IB_EXPR_CURVE_H

#include "expr/expr.h"

/* ---- knots.c: where a value lies among given ones -------------------------------------------- */

typedef struct ib_knots {
    size_t n;
    double *x;         /* [n], strictly increasing */
    double per_bucket; /* buckets per unit of x: there are n, of equal width, from x[0] to x[n-1] */
    uint32_t *first;   /* [n + 1]: number of knots in earlier buckets */
} ib_knots;

/* Copies x. False, with nothing to free, when out of memory or n < 2. */
bool ib_knots_create(ib_knots *knots, const double *x, size_t n);
void ib_knots_destroy(ib_knots *knots);
/* The number of knots at or below x, 0 to n. O(1) amortised. */
size_t ib_knots_below(const ib_knots *knots, double x);

/* ---- slopes.c: slopes at the points ---------------------------------------------------------- */

/* The slopes of a curve through n >= 2 points at x with the n - 1 chords m; `work` has room for n
 * numbers. Not for linear curves. */
void ib_slopes(ib_curve_kind kind, const double *x, const double *m, size_t n, double *slopes,
               double *work);

#endif
