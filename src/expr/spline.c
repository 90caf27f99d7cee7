/* Curves y(x) through given points; values and exact derivatives to the third.
 *
 * Every kind becomes cubic pieces y = c0 + c1 d + c2 d^2 + c3 d^3 with d = x - (start of the
 * piece), one more before the first point and one after the last. Inside they have the slopes of
 * slopes.c at their ends; linear has straight lines. Beyond an end every curve goes straight on
 * with the end's slope, but for zcc: there the parabola with the end's value, zero slope and the
 * end's curvature.
 */
#include "expr/curve.h"

#include <math.h>
#include <stdlib.h>

/* Piece k holds between points k - 1 and k; piece 0 is before the first point and starts there too.
 */
typedef struct piece {
    double start;
    double c[4];
} piece;

struct ib_curve {
    ib_knots knots;
    piece *pieces; /* [knots.n + 1] */
};

double ib_curve_eval(const ib_curve *curve, unsigned order, double x) {
    const piece *p = &curve->pieces[ib_knots_below(&curve->knots, x)];
    const double *c = p->c, d = x - p->start;
    switch (order) {
    case 0:
        return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
    case 1:
        return c[1] + d * (2.0 * c[2] + d * (3.0 * c[3]));
    case 2:
        return 2.0 * c[2] + d * (6.0 * c[3]);
    case 3:
        return x == x ? 6.0 * c[3] : x;
    default:
        return x == x ? 0.0 : x;
    }
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The cubic with given values and slopes at both ends (Hermite). */
static void cubic_piece(piece *p, double x0, double x1, double y0, double slope0, double slope1,
                        double m) {
    const double h = x1 - x0;
    *p = (piece){x0,
                 {y0, slope0, (3.0 * m - 2.0 * slope0 - slope1) / h,
                  ((slope0 - m) + (slope1 - m)) / (h * h)}};
}

static void end_pieces(ib_curve *curve, ib_curve_kind kind, const double *y, const double *slopes) {
    const size_t n = curve->knots.n;
    const double *x = curve->knots.x;
    const piece *last = &curve->pieces[n - 1];
    const double h = x[n - 1] - x[n - 2];
    curve->pieces[0] = (piece){x[0], {y[0], slopes[0], 0.0, 0.0}};
    curve->pieces[n] = (piece){x[n - 1], {y[n - 1], slopes[n - 1], 0.0, 0.0}};
    if (kind == IB_CURVE_ZCC) {
        curve->pieces[0].c[2] = curve->pieces[1].c[2];
        curve->pieces[n].c[2] = last->c[2] + 3.0 * last->c[3] * h;
    }
}

static void straight_pieces(ib_curve *curve, const double *y, const double *m, double *slopes) {
    const size_t n = curve->knots.n;
    for (size_t k = 0; k + 1 < n; k++)
        curve->pieces[k + 1] = (piece){curve->knots.x[k], {y[k], m[k], 0.0, 0.0}};
    slopes[0] = m[0];
    slopes[n - 1] = m[n - 2];
}

/* All pieces; `work` has room for 3 n numbers. */
static void make_pieces(ib_curve *curve, ib_curve_kind kind, const double *y, double *work) {
    const size_t n = curve->knots.n;
    const double *x = curve->knots.x;
    double *m = work, *slopes = work + n;
    for (size_t k = 0; k + 1 < n; k++)
        m[k] = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    if (kind == IB_CURVE_LINEAR) {
        straight_pieces(curve, y, m, slopes);
    } else {
        ib_slopes(kind, x, m, n, slopes, work + 2 * n);
        for (size_t k = 0; k + 1 < n; k++)
            cubic_piece(&curve->pieces[k + 1], x[k], x[k + 1], y[k], slopes[k], slopes[k + 1],
                        m[k]);
    }
    end_pieces(curve, kind, y, slopes);
}

/* ---- life ------------------------------------------------------------------------------------ */

ib_curve *ib_curve_create(ib_curve_kind kind, const double *x, const double *y, size_t n) {
    ib_curve *curve = calloc(1, sizeof *curve);
    double *work = calloc(n + 1, 3 * sizeof *work);
    if (curve && work && ib_knots_create(&curve->knots, x, n))
        curve->pieces = calloc(n + 1, sizeof *curve->pieces);
    if (curve && curve->pieces) {
        make_pieces(curve, kind, y, work);
    } else {
        ib_curve_destroy(curve);
        curve = NULL;
    }
    free(work);
    return curve;
}

void ib_curve_destroy(ib_curve *curve) {
    if (!curve)
        return;
    ib_knots_destroy(&curve->knots);
    free(curve->pieces);
    free(curve);
}

bool ib_curve_is_finite(const ib_curve *curve) {
    for (size_t k = 0; k <= curve->knots.n; k++)
        for (size_t i = 0; i < IB_COUNT(curve->pieces[k].c); i++)
            if (!isfinite(curve->pieces[k].c[i]))
                return false;
    return true;
}
