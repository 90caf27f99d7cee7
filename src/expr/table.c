/* Functions of two to four arguments given on a grid; values and exact derivatives.
 *
 * A table is the tensor product of curves, one along each argument: straight lines (multilinear) or
 * not-a-knot cubics (cubic, C. de Boor, A Practical Guide to Splines, 1978, chapter XVII). Along
 * each argument the value is a weighted sum of what is known at the two grid lines around it - the
 * value, and for cubics the slope too - with Hermite's weights; the weights of the corners of a
 * cell are products of these. At every point of the grid a cubic table keeps the value and all
 * mixed slopes, found once by the spline along each argument in turn. Beyond the grid the function
 * goes straight on along each argument. Derivatives are those of the weights. At a grid line the
 * cell on the right counts.
 */
#include "expr/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = IB_TABLE_ARGUMENTS, MOST_WEIGHTS = 256 /* 4 for each of the arguments */ };

struct ib_table {
    ib_table_kind kind;
    unsigned n_arguments;
    ib_knots knots[MOST];
    size_t strides[MOST]; /* in points of the grid */
    size_t n_points;
    unsigned n_known; /* numbers kept at a point: 1, or one for each set of arguments */
    double *known;    /* [n_points][n_known]: bit k of the second index is a slope along k */
};

unsigned ib_table_arity(const ib_table *table) { return table->n_arguments; }

unsigned ib_table_degree(const ib_table *table) {
    return table->kind == IB_TABLE_MULTILINEAR ? 1 : 3;
}

/* ---- weights along one argument -------------------------------------------------------------- */

/* Order-th derivative by x of the weights of the values on two grid lines. Holds beyond them too.
 */
static void linear_weights(double x, double low, double high, unsigned order, double w[2]) {
    const double h = high - low, u = (x - low) / h;
    w[0] = order == 0 ? 1.0 - u : order == 1 ? -1.0 / h : 0.0;
    w[1] = order == 0 ? u : order == 1 ? 1.0 / h : 0.0;
}

/* The same for value and slope on the lower line, then on the upper one (Hermite). */
static void hermite_weights(double x, double low, double high, unsigned order, double w[4]) {
    const double h = high - low, u = (x - low) / h, v = 1.0 - u;
    switch (order) {
    case 0:
        w[2] = u * u * (3.0 - 2.0 * u);
        w[0] = (1.0 + 2.0 * u) * (v * v);
        w[1] = h * u * (v * v);
        w[3] = -h * (u * u) * v;
        break;
    case 1:
        w[2] = 6.0 * u * v / h;
        w[0] = -w[2];
        w[1] = v * (1.0 - 3.0 * u);
        w[3] = u * (3.0 * u - 2.0);
        break;
    case 2:
        w[2] = 6.0 * (v - u) / (h * h);
        w[0] = -w[2];
        w[1] = (6.0 * u - 4.0) / h;
        w[3] = (6.0 * u - 2.0) / h;
        break;
    default:
        w[2] = -12.0 / (h * h * h);
        w[0] = -w[2];
        w[1] = w[3] = 6.0 / (h * h);
        break;
    }
}

/* Straight on from the line at `edge`, which is the lower or the upper one of its cell. */
static void beyond_weights(double x, double edge, bool upper, unsigned order, double w[4]) {
    double *at_edge = upper ? w + 2 : w;
    memset(w, 0, 4 * sizeof *w);
    at_edge[0] = order == 0 ? 1.0 : 0.0;
    at_edge[1] = order == 0 ? x - edge : order == 1 ? 1.0 : 0.0;
}

/* Fills the weights and returns the number of the cell's lower line. */
static size_t weigh(const ib_table *table, unsigned k, double x, unsigned order, double w[4]) {
    const ib_knots *knots = &table->knots[k];
    const size_t below = ib_knots_below(knots, x), last = knots->n - 1;
    const size_t cell = below == 0 ? 0 : below > last ? last - 1 : below - 1;
    const double low = knots->x[cell], high = knots->x[cell + 1];
    if (table->kind == IB_TABLE_MULTILINEAR)
        linear_weights(x, low, high, order, w);
    else if (below == 0)
        beyond_weights(x, low, false, order, w);
    else if (below > last)
        beyond_weights(x, high, true, order, w);
    else
        hermite_weights(x, low, high, order, w);
    return cell;
}

/* ---- value ----------------------------------------------------------------------------------- */

/* What is known at corner `corner` of the cell (bit k: the upper line of argument k). */
static const double *known_at(const ib_table *table, size_t first, unsigned corner) {
    size_t point = first;
    for (unsigned k = 0; k < table->n_arguments; k++)
        point += (corner >> k & 1) * table->strides[k];
    return table->known + point * table->n_known;
}

/* The products of the arguments' weights: by corner, then by what is known there. */
static void multiply_weights(const ib_table *table, double w[MOST][4], double *products) {
    const unsigned n = table->n_arguments, n_known = table->n_known;
    const unsigned per_line = n_known > 1 ? 2 : 1;
    for (unsigned corner = 0; corner < 1U << n; corner++)
        for (unsigned slopes = 0; slopes < n_known; slopes++) {
            double product = 1.0;
            for (unsigned k = 0; k < n; k++)
                product *= w[k][(corner >> k & 1) * per_line + (slopes >> k & 1)];
            products[corner * n_known + slopes] = product;
        }
}

/* The most usual case, two arguments and straight lines: the same sums in the same order. */
static double bilinear(const ib_table *table, uint32_t orders, const double x[2]) {
    double u[4], v[4], sum = 0.0;
    const size_t right = table->strides[0], up = table->strides[1];
    const double *known = table->known +
                          right * weigh(table, 0, x[0], IB_TABLE_ORDER(orders, 0), u) +
                          up * weigh(table, 1, x[1], IB_TABLE_ORDER(orders, 1), v);
    sum += u[0] * v[0] * known[0];
    sum += u[1] * v[0] * known[right];
    sum += u[0] * v[1] * known[up];
    sum += u[1] * v[1] * known[right + up];
    return sum;
}

double ib_table_eval(const ib_table *table, uint32_t orders, const double *x) {
    if (table->kind == IB_TABLE_MULTILINEAR && table->n_arguments == 2)
        return bilinear(table, orders, x);
    double w[MOST][4] = {{0}}, products[MOST_WEIGHTS], sum = 0.0;
    size_t first = 0;
    for (unsigned k = 0; k < table->n_arguments; k++)
        first += table->strides[k] * weigh(table, k, x[k], IB_TABLE_ORDER(orders, k), w[k]);
    multiply_weights(table, w, products);
    for (unsigned corner = 0; corner < 1U << table->n_arguments; corner++) {
        const double *known = known_at(table, first, corner);
        const double *weights = products + corner * table->n_known;
        for (unsigned i = 0; i < table->n_known; i++)
            sum += weights[i] * known[i];
    }
    return sum;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Slopes along argument k of the numbers `from` on one line of points, into the numbers `to`. */
static void line_slopes(ib_table *table, unsigned k, double *line, unsigned from, unsigned to,
                        double *work) {
    const size_t n = table->knots[k].n, step = table->strides[k] * table->n_known;
    const double *x = table->knots[k].x;
    double *m = work, *slopes = work + n;
    for (size_t i = 0; i + 1 < n; i++)
        m[i] = (line[(i + 1) * step + from] - line[i * step + from]) / (x[i + 1] - x[i]);
    ib_slopes(IB_CURVE_CUBIC, x, m, n, slopes, work + 2 * n);
    for (size_t i = 0; i < n; i++)
        line[i * step + to] = slopes[i];
}

/* All slopes along argument k: of the values and of the slopes along earlier arguments. */
static void slopes_along(ib_table *table, unsigned k, double *work) {
    const size_t n = table->knots[k].n, stride = table->strides[k];
    for (size_t point = 0; point < table->n_points; point++) {
        if (point / stride % n != 0)
            continue; /* not the first of its line */
        for (unsigned from = 0; from < 1U << k; from++)
            line_slopes(table, k, table->known + point * table->n_known, from, from | 1U << k,
                        work);
    }
}

static bool fill_slopes(ib_table *table) {
    size_t longest = 0;
    for (unsigned k = 0; k < table->n_arguments; k++)
        longest = table->knots[k].n > longest ? table->knots[k].n : longest;
    double *work = calloc(longest, 3 * sizeof *work);
    for (unsigned k = 0; work && k < table->n_arguments; k++)
        slopes_along(table, k, work);
    free(work);
    return work != NULL;
}

/* Room for everything; false when out of memory. */
static bool allocate(ib_table *table, const size_t *n, const double *const *axes) {
    table->n_points = 1;
    for (unsigned k = table->n_arguments; k-- > 0;) {
        if (!ib_knots_create(&table->knots[k], axes[k], n[k]) ||
            n[k] > UINT32_MAX / table->n_points)
            return false;
        table->strides[k] = table->n_points;
        table->n_points *= n[k];
    }
    table->known = calloc(table->n_points, table->n_known * sizeof *table->known);
    return table->known != NULL;
}

ib_table *ib_table_create(ib_table_kind kind, unsigned n_arguments, const size_t *n,
                          const double *const *axes, const double *values) {
    ib_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->kind = kind;
    table->n_arguments = n_arguments;
    table->n_known = kind == IB_TABLE_CUBIC ? 1U << n_arguments : 1;
    bool made = allocate(table, n, axes);
    for (size_t i = 0; made && i < table->n_points; i++)
        table->known[i * table->n_known] = values[i];
    if (made && kind == IB_TABLE_CUBIC)
        made = fill_slopes(table);
    if (made)
        return table;
    ib_table_destroy(table);
    return NULL;
}

void ib_table_destroy(ib_table *table) {
    if (!table)
        return;
    for (unsigned k = 0; k < MOST; k++)
        ib_knots_destroy(&table->knots[k]);
    free(table->known);
    free(table);
}

bool ib_table_is_finite(const ib_table *table) {
    for (size_t i = 0; i < table->n_points * table->n_known; i++)
        if (!isfinite(table->known[i]))
            return false;
    return true;
}
