/* Slopes at the points of a curve, from which its cubic pieces follow (Hermite).
 *
 * akima  from four neighbouring chords: H. Akima, "A new method of interpolation and smooth curve
 *        fitting based on local procedures", J. ACM 17 (1970), the chords beyond the ends
 *        extrapolated as there.
 * zcc    zero at both ends and a continuous second derivative.
 * pchip  F. N. Fritsch, J. Butland, "A method for constructing local monotone piecewise cubic
 *        interpolants", SIAM J. Sci. Stat. Comput. 5 (1984), in the weighting of unequal widths
 *        by K. Brodlie (1980): zero where the chords change sign, else their weighted harmonic
 *        mean. It lies inside the region where a cubic is monotone (F. N. Fritsch, R. E. Carlson,
 *        SIAM J. Numer. Anal. 17, 1980) without the second pass of the latter's method, and depends
 *        on the neighbours alone. At the ends the slope of the parabola through three points,
 *        limited so that the shape is kept (C. Moler, Numerical Computing with MATLAB, 3.6).
 * cubic  a continuous second derivative, and a continuous third one at the second and the last but
 *        one point ("not a knot", C. de Boor, A Practical Guide to Splines, 1978, chapter IV);
 *        through three points the parabola, through two the line.
 */
#include "expr/curve.h"

#include <math.h>

/* ---- akima ----------------------------------------------------------------------------------- */

/* Slope of the chord from point k to the next; beyond the ends extrapolated linearly from the last
 * two. `m` has the n - 1 chords. */
static double chord(const double *m, size_t n, ptrdiff_t k) {
    const ptrdiff_t last = (ptrdiff_t)n - 2;
    if (last == 0)
        return m[0];
    if (k < 0)
        return m[0] + (double)k * (m[1] - m[0]);
    if (k > last)
        return m[last] + (double)(k - last) * (m[last] - m[last - 1]);
    return m[k];
}

/* Akima's slope at point k: each neighbouring chord weighs as much as the turn on the other side is
 * sharp. Without a turn on either side (rounding aside) the mean of the two. */
static double akima_slope(const double *m, size_t n, ptrdiff_t k) {
    const double before2 = chord(m, n, k - 2), before = chord(m, n, k - 1);
    const double after = chord(m, n, k), after2 = chord(m, n, k + 1);
    const double turn_after = fabs(after2 - after), turn_before = fabs(before - before2);
    const double size = fabs(before2) + fabs(before) + fabs(after) + fabs(after2);
    if (turn_after + turn_before <= 1e-9 * size)
        return 0.5 * (before + after);
    return (turn_after * before + turn_before * after) / (turn_after + turn_before);
}

static void akima_slopes(const double *m, size_t n, double *slopes) {
    for (size_t k = 0; k < n; k++)
        slopes[k] = akima_slope(m, n, (ptrdiff_t)k);
}

/* ---- twice continuously differentiable ------------------------------------------------------- */

/* Slopes that make the second derivative continuous solve a tridiagonal system. With widths h and
 * chords m, at the points between the ends:
 *     h[k] s[k-1] + 2 (h[k-1] + h[k]) s[k] + h[k-1] s[k+1] = 3 (h[k] m[k-1] + h[k-1] m[k])
 * Elimination from the first point on, where s[0] + upper[0] s[1] = slopes[0]; pivots stay
 * positive.
 */
static void eliminate(const double *x, const double *m, size_t n, double *slopes, double *upper) {
    for (size_t k = 1; k + 1 < n; k++) {
        const double before = x[k] - x[k - 1], after = x[k + 1] - x[k];
        const double pivot = 2.0 * (before + after) - after * upper[k - 1];
        upper[k] = before / pivot;
        slopes[k] = (3.0 * (after * m[k - 1] + before * m[k]) - after * slopes[k - 1]) / pivot;
    }
}

/* The slopes before the last, which is known. */
static void substitute(size_t n, double *slopes, const double *upper) {
    for (size_t k = n - 1; k-- > 0;)
        slopes[k] -= upper[k] * slopes[k + 1];
}

static void zcc_slopes(const double *x, const double *m, size_t n, double *slopes, double *upper) {
    slopes[0] = 0.0;
    upper[0] = 0.0;
    eliminate(x, m, n, slopes, upper);
    slopes[n - 1] = 0.0;
    substitute(n, slopes, upper);
}

/* Through three points or two: one parabola, or the line. */
static void few_slopes(const double *x, const double *m, size_t n, double *slopes) {
    const double bend = n == 3 ? (m[1] - m[0]) / (x[2] - x[0]) : 0.0;
    slopes[0] = m[0] - bend * (x[1] - x[0]);
    slopes[1] = m[0] + bend * (x[1] - x[0]);
    if (n == 3)
        slopes[2] = m[1] + bend * (x[2] - x[1]);
}

/* The condition of no knot at a point with the widths `outer` towards the end and `inner` on the
 * other side, and the chords likewise: inner s_end + (outer + inner) s_point = this. */
static double not_a_knot(double outer, double inner, double m_outer, double m_inner) {
    const double both = outer + inner;
    return ((outer + 2.0 * both) * inner * m_outer + outer * outer * m_inner) / both;
}

static void cubic_slopes(const double *x, const double *m, size_t n, double *slopes,
                         double *upper) {
    if (n <= 3) {
        few_slopes(x, m, n, slopes);
        return;
    }
    const double first = x[1] - x[0], second = x[2] - x[1];
    slopes[0] = not_a_knot(first, second, m[0], m[1]) / second;
    upper[0] = (first + second) / second;
    eliminate(x, m, n, slopes, upper);
    const double outer = x[n - 1] - x[n - 2], inner = x[n - 2] - x[n - 3];
    const double both = outer + inner;
    slopes[n - 1] = (not_a_knot(outer, inner, m[n - 2], m[n - 3]) - both * slopes[n - 2]) /
                    (inner - both * upper[n - 2]);
    substitute(n, slopes, upper);
}

/* ---- pchip ----------------------------------------------------------------------------------- */

static double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

/* Between chords m0 and m1 over the widths h0 and h1. */
static double monotone_slope(double h0, double h1, double m0, double m1) {
    if (!(sign_of(m0) * sign_of(m1) > 0.0))
        return 0.0;
    const double w0 = h0 + 2.0 * h1, w1 = 2.0 * h0 + h1;
    return (w0 + w1) / (w0 / m0 + w1 / m1);
}

/* At an end, from the widths and chords next to it and behind. */
static double monotone_end(double h0, double h1, double m0, double m1) {
    const double slope = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
    if (sign_of(slope) != sign_of(m0))
        return 0.0;
    return sign_of(m0) != sign_of(m1) && fabs(slope) > 3.0 * fabs(m0) ? 3.0 * m0 : slope;
}

static void pchip_slopes(const double *x, const double *m, size_t n, double *slopes) {
    if (n == 2) {
        few_slopes(x, m, n, slopes);
        return;
    }
    slopes[0] = monotone_end(x[1] - x[0], x[2] - x[1], m[0], m[1]);
    for (size_t k = 1; k + 1 < n; k++)
        slopes[k] = monotone_slope(x[k] - x[k - 1], x[k + 1] - x[k], m[k - 1], m[k]);
    slopes[n - 1] = monotone_end(x[n - 1] - x[n - 2], x[n - 2] - x[n - 3], m[n - 2], m[n - 3]);
}

void ib_slopes(ib_curve_kind kind, const double *x, const double *m, size_t n, double *slopes,
               double *work) {
    switch (kind) {
    case IB_CURVE_AKIMA:
        akima_slopes(m, n, slopes);
        break;
    case IB_CURVE_ZCC:
        zcc_slopes(x, m, n, slopes, work);
        break;
    case IB_CURVE_PCHIP:
        pchip_slopes(x, m, n, slopes);
        break;
    case IB_CURVE_CUBIC:
        cubic_slopes(x, m, n, slopes, work);
        break;
    case IB_CURVE_LINEAR:
        break;
    }
}
