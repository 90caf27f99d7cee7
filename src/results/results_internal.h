/* Shared inside the results module only. */
#ifndef IB_RESULTS_INTERNAL_H
#define IB_RESULTS_INTERNAL_H

#include "results/results.h"

/* ---- decimal.c: doubles to text, fast ------------------------------------------------------ */

/* A power of ten scaled to 126 bits: high * 2^63 + low. */
typedef struct ib_power {
    uint64_t high, low;
} ib_power;

#define IB_POWER_LEAST (-292)
#define IB_POWER_MOST 324

/* What writing numbers needs; filled once by ib_decimal_prepare. */
typedef struct ib_decimal {
    ib_power powers[IB_POWER_MOST - IB_POWER_LEAST + 1];
} ib_decimal;

#define IB_DECIMAL_SIZE 32 /* room that either function below needs */
void ib_decimal_prepare(ib_decimal *decimal);
/* The same text as ib_number_text, without a terminator. Returns its length. */
size_t ib_decimal_write(const ib_decimal *decimal, double value, char *text);
/* As ib_number_parse, at a tenth of its price for most numbers. */
size_t ib_decimal_read(const ib_decimal *decimal, const char *text, size_t length, double *value);
/* Nanoseconds as seconds, exactly: "0.01". Returns the length. */
size_t ib_decimal_write_time(ib_time time, char *text);

/* ---- folder.c ------------------------------------------------------------------------------ */

/* folder/name in malloc'ed memory, or NULL. */
char *ib_path_join(const char *folder, const char *name);
bool ib_is_folder(const char *path);

/* ---- select.c: patterns and formulas ------------------------------------------------------- */

/* Borrowed texts without repeats; the list is freed by ib_texts_free. */
typedef struct ib_texts {
    const char **list;
    size_t n, capacity;
} ib_texts;

/* Adds every pattern as the channels it matches, or as itself where it matches none (a formula, or
 * a mistake that the parser will name). False when out of memory. */
bool ib_texts_expand(ib_texts *texts, const ib_results *results, const char *const *patterns,
                     size_t n_patterns);
void ib_texts_free(ib_texts *texts);

/* ---- series.c: a curve reduced to what a picture can show ---------------------------------- */

/* One slice of a curve: its first, smallest, largest and last point. */
typedef struct ib_slice {
    double first_time, first;
    double least_time, least;
    double most_time, most;
    double last_time, last;
    bool gap; /* a missing value (NaN) lies before this slice */
} ib_slice;

/* Slices of equally many rows each; when the table is full, neighbours merge. */
typedef struct ib_series {
    ib_slice *slices;
    size_t n_slices;
    uint64_t rows_per_slice;
    uint64_t rows_in_last;
    bool gap_pending;
    uint64_t n_missing; /* values that were not finite */
} ib_series;

bool ib_series_create(ib_series *series);
void ib_series_destroy(ib_series *series);
void ib_series_add(ib_series *series, double time, double value);
/* `into` becomes what both are together; `next` follows it in time. */
void ib_slice_merge(ib_slice *into, const ib_slice *next);
/* The slice's points in order of time, without repeats; returns how many (1 to 4). */
size_t ib_slice_points(const ib_slice *slice, double times[4], double values[4]);

/* ---- axis.c: round numbers along an axis --------------------------------------------------- */

/* Ticks lie at (first + i) * mantissa * 10^exponent; their labels are in units of 10^power. */
typedef struct ib_axis {
    double low, high; /* what is shown */
    int64_t first;
    size_t n_ticks;
    int mantissa; /* 1, 2 or 5 */
    int exponent;
    int power;
} ib_axis;

/* An axis that shows [low, high] with about `wanted` ticks; `padded` leaves room beyond the data.
 */
ib_axis ib_axis_make(double low, double high, unsigned wanted, bool padded);
double ib_axis_tick(const ib_axis *axis, size_t index);
#define IB_LABEL_SIZE 48
/* The tick's label; returns its length. */
size_t ib_axis_label(const ib_axis *axis, size_t index, char label[IB_LABEL_SIZE]);

/* ---- plot.c -------------------------------------------------------------------------------- */

#define IB_PLOT_COLOURS 7

typedef struct ib_curve_data {
    const char *label;
    const char *unit;
    size_t style; /* its colour, and beyond those its dashes */
    ib_series series;
} ib_curve_data;

/* Curves of one unit, drawn in one pair of axes: curves[members[i]]. */
typedef struct ib_panel {
    const char *unit;
    size_t *members;
    size_t n_members;
    double low, high; /* of the values */
} ib_panel;

struct ib_plot {
    ib_arena *arena;
    char *title;
    ib_curve_data *curves;
    size_t n_curves;
    ib_panel *panels;
    size_t n_panels;
    double from, to; /* of the time */
};

/* ---- plot_png.c ---------------------------------------------------------------------------- */

/* Turns SVG text into a PNG file with a converter found in PATH. */
ib_status ib_png_write(const char *path, const char *svg, ib_diags *diags);

#endif
