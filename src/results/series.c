/* A curve of any length in a fixed amount of memory.
 *
 * Rows are gathered in slices that keep the first, smallest, largest and last point, which is all
 * that a picture no finer than the slices can show. When the table is full, neighbours merge and
 * slices hold twice as many rows; across a gap they stay apart as long as there is room.
 */
#include "results_internal.h"

#include <stdlib.h>

#define MOST_SLICES ((size_t)8192)

bool ib_series_create(ib_series *series) {
    *series = (ib_series){.rows_per_slice = 1};
    series->slices = calloc(MOST_SLICES, sizeof *series->slices);
    return series->slices;
}

void ib_series_destroy(ib_series *series) {
    free(series->slices);
    *series = (ib_series){0};
}

void ib_slice_merge(ib_slice *into, const ib_slice *next) {
    if (next->least < into->least) {
        into->least = next->least;
        into->least_time = next->least_time;
    }
    if (next->most > into->most) {
        into->most = next->most;
        into->most_time = next->most_time;
    }
    into->last = next->last;
    into->last_time = next->last_time;
}

size_t ib_slice_points(const ib_slice *slice, double times[4], double values[4]) {
    const bool least_first = slice->least_time < slice->most_time;
    const double t[4] = {slice->first_time, least_first ? slice->least_time : slice->most_time,
                         least_first ? slice->most_time : slice->least_time, slice->last_time};
    const double v[4] = {slice->first, least_first ? slice->least : slice->most,
                         least_first ? slice->most : slice->least, slice->last};
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        if (n && !(t[i] > times[n - 1]))
            continue;
        times[n] = t[i];
        values[n++] = v[i];
    }
    return n;
}

/* Merges neighbours; gaps keep them apart unless `across`. */
static void halve(ib_series *series, bool across) {
    size_t n = 0;
    for (size_t i = 0; i < series->n_slices; n++) {
        series->slices[n] = series->slices[i++];
        if (i < series->n_slices && (across || !series->slices[i].gap))
            ib_slice_merge(&series->slices[n], &series->slices[i++]);
    }
    series->n_slices = n;
    series->rows_per_slice *= 2;
    series->rows_in_last = series->rows_per_slice; /* the next row opens a new slice */
}

void ib_series_add(ib_series *series, double time, double value) {
    if (value - value != 0) {
        series->n_missing++;
        series->gap_pending = true;
        return;
    }
    const ib_slice point = {
        time, value, time, value, time, value, time, value, series->gap_pending};
    const bool joins =
        series->n_slices && series->rows_in_last < series->rows_per_slice && !series->gap_pending;
    series->gap_pending = false;
    if (joins) {
        ib_slice_merge(&series->slices[series->n_slices - 1], &point);
        series->rows_in_last++;
        return;
    }
    if (series->n_slices == MOST_SLICES) {
        halve(series, false);
        if (series->n_slices > MOST_SLICES / 4 * 3)
            halve(series, true);
    }
    series->slices[series->n_slices++] = point;
    series->rows_in_last = 1;
}
