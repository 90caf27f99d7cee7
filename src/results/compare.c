/* Comparing results: is B what A says?
 *
 * At every time of A, |A - B| <= atol + rtol |A| for every channel of A (or every one asked for),
 * where B between two of its rows is the straight line between them. Two values that do not exist
 * (NaN) agree; one that does and one that does not never do.
 */
#include "results_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of the two sides, read row by row. */
typedef struct side {
    const char *path;
    ib_results *results;
    ib_formulas *formulas;
    double time;
    double *values; /* of the formulas at `time`: [n] */
    bool ended;
} side;

struct ib_comparison {
    ib_arena *arena;
    ib_difference *differences;
    size_t n;
    uint64_t rows;
};

static ib_place at_path(ib_diags *diags, const char *path) {
    return (ib_place){.file = ib_diags_file(diags, path)};
}

/* ---- what to compare ----------------------------------------------------------------------- */

/* Channels of A that B has not are reported and left out: the rest is still compared. */
static ib_status drop_missing(ib_texts *chosen, const side *a, const side *b, ib_diags *diags) {
    const size_t n_asked = chosen->n;
    const char *first = NULL;
    chosen->n = 0;
    for (size_t i = 0; i < n_asked; i++) {
        const char *text = chosen->list[i];
        const bool missing =
            ib_results_channel(a->results, text) >= 0 && ib_results_channel(b->results, text) < 0;
        if (missing)
            first = first ? first : text;
        else
            chosen->list[chosen->n++] = text;
    }
    const size_t n_missing = n_asked - chosen->n;
    if (!n_missing)
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB0805, at_path(diags, b->path),
                 "%zu of the %zu channels to compare %s not here, the first is '%s'", n_missing,
                 n_asked, n_missing == 1 ? "is" : "are", first);
    ib_diags_suggest(diags, "give the results with fewer channels as A, or name channels");
    return chosen->n ? IB_FAILED : IB_BAD_INPUT;
}

static ib_status select_channels(ib_texts *chosen, const side *a, const side *b,
                                 const ib_compare_options *options, ib_diags *diags) {
    static const char *const everything[] = {"*"};
    const bool all = !options->n_channels;
    if (!ib_results_channel_count(a->results)) {
        ib_diags_add(diags, IB_ERROR, IB0803, at_path(diags, a->path),
                     "there is no channel to compare");
        return IB_BAD_INPUT;
    }
    if (!ib_texts_expand(chosen, a->results, all ? everything : options->channels,
                         all ? 1 : options->n_channels))
        return ib_diags_no_memory(diags);
    return drop_missing(chosen, a, b, diags);
}

static ib_status prepare_side(side *s, const ib_texts *chosen, ib_diags *diags) {
    ib_status status = ib_formulas_create(s->results, chosen->list, chosen->n, diags, &s->formulas);
    if (status != IB_OK)
        return status;
    bool *wanted = calloc(ib_results_channel_count(s->results) + 1, sizeof *wanted);
    s->values = calloc(chosen->n + 1, sizeof *s->values);
    if (wanted) {
        ib_formulas_channels(s->formulas, wanted);
        ib_results_select(s->results, wanted);
    }
    if (!wanted || !s->values)
        status = ib_diags_no_memory(diags);
    free(wanted);
    return status;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static ib_status next(side *s, ib_diags *diags) {
    const double *row;
    const ib_status status = ib_results_next(s->results, &row, diags);
    s->ended = !row;
    if (row) {
        s->time = row[0];
        ib_formulas_eval(s->formulas, row, s->values);
    }
    return status;
}

/* The same moment, however it was rounded: a part in 10^12 of the time. */
static bool same_time(double a, double b) { return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b)); }

static void compare_values(ib_difference *d, const ib_compare_options *options, double time,
                           double a, double b) {
    const bool both_missing = a != a && b != b;
    const double allowed = options->atol + (a - a == 0 ? options->rtol * fabs(a) : 0);
    const double difference = both_missing || a == b ? 0 : fabs(a - b);
    if (d->largest == d->largest && !(difference <= d->largest))
        d->largest = difference;
    /* The worst is the largest excess over what is allowed; a NaN is beyond all. */
    const double excess = difference == difference ? difference - allowed : HUGE_VAL;
    const double worst = d->difference == d->difference ? d->difference - d->allowed : HUGE_VAL;
    if (d->time == d->time && !(excess > worst))
        return;
    d->time = time;
    d->a = a;
    d->b = b;
    d->difference = difference;
    d->allowed = allowed;
    d->passed = difference <= allowed;
}

static void report_cover(const side *a, const side *b, bool begin, double at_a, double at_b,
                         ib_diags *diags) {
    char first[IB_NUMBER_SIZE], second[IB_NUMBER_SIZE];
    ib_diags_add(diags, IB_ERROR, IB0806, at_path(diags, b->path),
                 "these results %s at %s s, but %s %s at %s s", begin ? "begin" : "end",
                 ib_number_text(at_b, second), a->path, begin ? "begins" : "ends",
                 ib_number_text(at_a, first));
}

/* Two rows of B around a time of A. */
typedef struct window {
    side *b;
    double before_time;
    double *before;
    bool any_before;
} window;

/* One row on in B. */
static ib_status move_on(window *w, size_t n, ib_diags *diags) {
    w->before_time = w->b->time;
    w->any_before = true;
    memcpy(w->before, w->b->values, n * sizeof *w->before);
    return next(w->b, diags);
}

/* Moves on until B's row is at or behind the time. When A says a time again, which is what an event
 * made of it, B's next row is what it is held against, if that is of the same time. */
static ib_status move_to(window *w, double time, bool again, size_t n, ib_diags *diags) {
    ib_status status = IB_OK;
    if (again && !w->b->ended && same_time(w->b->time, time))
        status = move_on(w, n, diags);
    while (status == IB_OK && !w->b->ended && w->b->time < time && !same_time(w->b->time, time))
        status = move_on(w, n, diags);
    return status;
}

static double interpolate(const window *w, size_t i, double time) {
    const double v = w->b->values[i];
    if (!w->b->ended && same_time(w->b->time, time))
        return v;
    if (same_time(w->before_time, time) && w->any_before)
        return w->before[i];
    const double u = (time - w->before_time) / (w->b->time - w->before_time);
    return w->before[i] + u * (v - w->before[i]);
}

static ib_status compare_rows(ib_comparison *comparison, side *a, window *w,
                              const ib_compare_options *options, ib_diags *diags) {
    ib_status status = next(w->b, diags);
    if (status == IB_OK)
        status = next(a, diags);
    double last = -HUGE_VAL;
    while (status == IB_OK && !a->ended) {
        status = move_to(w, a->time, same_time(last, a->time), comparison->n, diags);
        if (status != IB_OK)
            return status;
        last = a->time;
        if (w->b->ended && !(w->any_before && same_time(w->before_time, a->time))) {
            report_cover(a, w->b, false, a->time, w->before_time, diags);
            ib_diags_note(diags, IB_NO_PLACE, "%s goes on at least to this time", a->path);
            return IB_FAILED;
        }
        if (!w->any_before && !same_time(w->b->time, a->time)) {
            report_cover(a, w->b, true, a->time, w->b->time, diags);
            return IB_FAILED;
        }
        for (size_t i = 0; i < comparison->n; i++)
            compare_values(&comparison->differences[i], options, a->time, a->values[i],
                           interpolate(w, i, a->time));
        comparison->rows++;
        status = next(a, diags);
    }
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool name_differences(ib_comparison *comparison, const side *a) {
    comparison->n = ib_formulas_count(a->formulas);
    comparison->differences = IB_ARENA_ARRAY(comparison->arena, comparison->n + 1, ib_difference);
    for (size_t i = 0; comparison->differences && i < comparison->n; i++) {
        ib_difference *d = &comparison->differences[i];
        d->name = ib_arena_strdup(comparison->arena, ib_formulas_text(a->formulas, i));
        d->unit = ib_arena_strdup(comparison->arena, ib_formulas_unit(a->formulas, i));
        d->time = (double)NAN;
        d->passed = true;
        if (!d->name || !d->unit)
            return false;
    }
    return comparison->differences;
}

static ib_status compare_sides(ib_comparison *comparison, side *a, side *b,
                               const ib_compare_options *options, ib_diags *diags) {
    ib_status status = ib_results_open(a->path, diags, &a->results);
    if (status == IB_OK)
        status = ib_results_open(b->path, diags, &b->results);
    if (status != IB_OK)
        return status;
    ib_texts chosen = {0};
    const ib_status selected = select_channels(&chosen, a, b, options, diags);
    status = selected == IB_FAILED ? IB_OK : selected;
    if (status == IB_OK)
        status = prepare_side(a, &chosen, diags);
    if (status == IB_OK)
        status = prepare_side(b, &chosen, diags);
    const size_t n = chosen.n;
    ib_texts_free(&chosen);
    if (status != IB_OK)
        return status;
    window w = {.b = b, .before = IB_ARENA_ARRAY(comparison->arena, n + 1, double)};
    if (!w.before || !name_differences(comparison, a))
        return ib_diags_no_memory(diags);
    status = compare_rows(comparison, a, &w, options, diags);
    if (status == IB_OK && !comparison->rows) {
        ib_diags_add(diags, IB_ERROR, IB0803, at_path(diags, a->path),
                     "there is no row to compare");
        return IB_BAD_INPUT;
    }
    return status == IB_OK ? selected : status;
}

static void close_side(side *s) {
    ib_formulas_destroy(s->formulas);
    ib_results_close(s->results);
    free(s->values);
}

ib_status ib_results_compare(const char *a_path, const char *b_path,
                             const ib_compare_options *options, ib_diags *diags,
                             ib_comparison **result) {
    *result = NULL;
    ib_comparison *comparison = calloc(1, sizeof *comparison);
    if (comparison)
        comparison->arena = ib_arena_create();
    if (!comparison || !comparison->arena) {
        free(comparison);
        return ib_diags_no_memory(diags);
    }
    side a = {.path = a_path}, b = {.path = b_path};
    ib_status status = compare_sides(comparison, &a, &b, options, diags);
    close_side(&a);
    close_side(&b);
    for (size_t i = 0; status == IB_OK && i < comparison->n; i++)
        if (!comparison->differences[i].passed)
            status = IB_FAILED;
    if (status == IB_OK || status == IB_FAILED) {
        *result = comparison;
    } else {
        ib_comparison_destroy(comparison);
    }
    return status;
}

void ib_comparison_destroy(ib_comparison *comparison) {
    if (!comparison)
        return;
    ib_arena_destroy(comparison->arena);
    free(comparison);
}

size_t ib_comparison_count(const ib_comparison *comparison) { return comparison->n; }

const ib_difference *ib_comparison_at(const ib_comparison *comparison, size_t index) {
    return &comparison->differences[index];
}

uint64_t ib_comparison_rows(const ib_comparison *comparison) { return comparison->rows; }
