/* Strictly increasing numbers and the way from a value to its place among them.
 *
 * The place is found without memory of earlier calls: a table of equal buckets over the range, and
 * bisection among the knots inside one bucket, which costs the same for any number of knots that
 * lie about evenly.
 */
#include "expr/curve.h"

#include <stdlib.h>
#include <string.h>

/* Grows with x, rounding included, so that knots of earlier buckets are below x and knots of later
 * ones above it. Not a number (an infinite range) counts as 0. */
static size_t bucket_of(const ib_knots *knots, double x) {
    const double bucket = (x - knots->x[0]) * knots->per_bucket;
    if (!(bucket > 0.0))
        return 0;
    return bucket < (double)knots->n ? (size_t)bucket : knots->n - 1;
}

static void fill_buckets(ib_knots *knots) {
    for (size_t k = 0; k < knots->n; k++)
        knots->first[bucket_of(knots, knots->x[k]) + 1]++;
    for (size_t b = 0; b < knots->n; b++)
        knots->first[b + 1] += knots->first[b];
}

bool ib_knots_create(ib_knots *knots, const double *x, size_t n) {
    *knots = (ib_knots){.n = n};
    if (n < 2 || n >= UINT32_MAX)
        return false;
    knots->x = calloc(n, sizeof *knots->x);
    knots->first = calloc(n + 1, sizeof *knots->first);
    if (!knots->x || !knots->first) {
        ib_knots_destroy(knots);
        return false;
    }
    memcpy(knots->x, x, n * sizeof *x);
    knots->per_bucket = (double)n / (x[n - 1] - x[0]);
    fill_buckets(knots);
    return true;
}

void ib_knots_destroy(ib_knots *knots) {
    free(knots->x);
    free(knots->first);
    *knots = (ib_knots){0};
}

size_t ib_knots_below(const ib_knots *knots, double x) {
    const size_t bucket = bucket_of(knots, x);
    size_t low = knots->first[bucket], high = knots->first[bucket + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (knots->x[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
