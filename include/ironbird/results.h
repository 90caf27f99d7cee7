/* Results: recorded while a simulation runs, read back, combined by formulas, compared, plotted.
 *
 * A results folder holds results.csv (first column `time` in seconds, one column a channel),
 * channels.json (name, unit, description, id of every column) and run.json (what ran and how it
 * ended). Every number in results.csv reads back as the same double.
 */
#ifndef IRONBIRD_RESULTS_H
#define IRONBIRD_RESULTS_H

#include "ironbird/base.h"
#include "ironbird/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- recording ----------------------------------------------------------------------------- */

/* Makes `folder` ready for a run: creates it with its parents, or removes the files that the
 * run.json of an earlier run in it lists. A folder that holds anything else is refused with
 * IB_BAD_INPUT and left as it is. */
ib_status ib_results_prepare(const char *folder, ib_diags *diags);

/* Writes rows of channels to a CSV file (RFC 4180) from a thread of its own. Rows pass through a
 * ring of fixed size: pushing makes no system call, takes no lock and allocates nothing, and waits
 * only while the ring is full. Used by one thread at a time. */
typedef struct ib_recorder ib_recorder;

/* Opens the file and writes its header. The strings of `channels` are not kept. */
ib_status ib_recorder_create(const char *path, const ib_channel_info *channels, size_t n_channels,
                             ib_diags *diags, ib_recorder **recorder);
/* What a slot of a row holds: a double, or the bits of a 64-bit integer, or of the address of a
 * text that outlives the recorder. Texts are written in quotes; to a reader they are NaN. */
typedef enum ib_slot { IB_SLOT_DOUBLE, IB_SLOT_INT, IB_SLOT_UINT, IB_SLOT_TEXT } ib_slot;
/* Says so of each channel (n_channels of them, copied), before the first row. Without it all are
 * doubles. */
ib_status ib_recorder_set_slots(ib_recorder *recorder, const ib_slot *slots);
/* Records one row; `values` has n_channels entries and is copied. Times do not decrease, else
 * IB_BAD_INPUT; rows at one time are what was before and after an event. IB_IO_ERROR once writing
 * has failed: ib_recorder_finish says why. */
ib_status ib_recorder_push(ib_recorder *recorder, ib_time time, const double *values);
/* Writes what is left and closes the file. After a write error (a full disk, say) returns
 * IB_IO_ERROR with a diagnostic that says how many rows are safe; the file then ends with the last
 * safe row. */
ib_status ib_recorder_finish(ib_recorder *recorder, ib_diags *diags);
/* Rows that have reached the file whole. */
uint64_t ib_recorder_rows(const ib_recorder *recorder);
/* Finishes first when that has not happened. NULL is allowed. */
void ib_recorder_destroy(ib_recorder *recorder);

/* Writes channels.json into the folder. */
ib_status ib_results_write_channels(const char *folder, const ib_channel_info *channels,
                                    size_t n_channels, ib_diags *diags);

/* A setting of the run as run.json shows it: a text when `text` is not NULL, else a number. */
typedef struct ib_setting {
    const char *name;
    const char *text;
    double number;
} ib_setting;

/* What run.json says. Strings are borrowed for the call; NULL is written as null. */
typedef struct ib_run_record {
    const char *version;  /* of the program that ran */
    const char *compiler; /* that built it */
    const char *model;    /* the model's name */
    const char *file;     /* as the user named it */
    const char *folder;   /* of the results, as the user named it */
    const char *started;  /* UTC, ISO 8601 */
    const char *status;   /* "running", "done", "interrupted", "failed", "write error" */
    const char *message;  /* how it ended when not done, else NULL */
    uint64_t seed;
    ib_time start, end;  /* simulated: from, to the last row */
    ib_time planned_end; /* where it should have ended */
    double wall_time;    /* s */
    uint64_t rows;       /* in results.csv */
    size_t n_channels;
    const ib_statistics *statistics; /* NULL before the run */
    const ib_setting *settings;
    size_t n_settings;
    const ib_diags *diags;    /* warnings and errors of the run are listed; may be NULL */
    const char *const *files; /* written into the folder, run.json among them */
    size_t n_files;
} ib_run_record;

/* The text of run.json (malloc'ed; free it), or NULL when out of memory. */
char *ib_run_record_json(const ib_run_record *record);
/* Writes run.json into the folder, whole or not at all. */
ib_status ib_results_write_run(const char *folder, const ib_run_record *record, ib_diags *diags);
/* Adds a file made later (a plot in the folder) to the list in run.json, so that the next run may
 * replace it. Does nothing when `path` does not lie directly in a results folder. */
ib_status ib_results_register(const char *path, ib_diags *diags);

/* True when the name matches the pattern: `*` any characters, `?` one, `[a-z]` one of a set, `[!a]`
 * none of it. */
bool ib_glob_match(const char *pattern, const char *name);

/* ---- reading ------------------------------------------------------------------------------- */

/* Results being read row by row; a file of any length takes a fixed amount of memory. */
typedef struct ib_results ib_results;

/* Opens a results folder, or any CSV file with a header whose first column is time (lines starting
 * with '#' before the header are skipped). */
ib_status ib_results_open(const char *path, ib_diags *diags, ib_results **results);
void ib_results_close(ib_results *results);
/* The model's name of the run, or the file's name. */
const char *ib_results_title(const ib_results *results);
size_t ib_results_channel_count(const ib_results *results);
ib_channel_info ib_results_channel_info(const ib_results *results, ib_handle channel);
ib_handle ib_results_channel(const ib_results *results, const char *name); /* -1: none */
/* Reads only the channels marked true from now on; the others read as NaN. NULL: all. */
void ib_results_select(ib_results *results, const bool *wanted);
/* The next row: *row points to 1 + n_channels doubles, time first, valid until the next call; NULL
 * after the last one. A last line that a dying program left unfinished is dropped with a note. */
ib_status ib_results_next(ib_results *results, const double **row, ib_diags *diags);
ib_status ib_results_rewind(ib_results *results, ib_diags *diags);

/* ---- formulas ------------------------------------------------------------------------------ */

/* Expressions over the channels of results (and `t`), in the model's language; a channel name with
 * its dots is one name. */
typedef struct ib_formulas ib_formulas;

ib_status ib_formulas_create(const ib_results *results, const char *const *texts, size_t n_texts,
                             ib_diags *diags, ib_formulas **formulas);
void ib_formulas_destroy(ib_formulas *formulas);
size_t ib_formulas_count(const ib_formulas *formulas);
const char *ib_formulas_text(const ib_formulas *formulas, size_t index);
/* The unit where it follows from the channels (a sum of metres is metres), else "". */
const char *ib_formulas_unit(const ib_formulas *formulas, size_t index);
/* Marks the channels that the formulas use: wanted[n_channels], as ib_results_select takes it. */
void ib_formulas_channels(const ib_formulas *formulas, bool *wanted);
/* Values for one row as ib_results_next gives it; a value that does not exist is NaN. */
void ib_formulas_eval(ib_formulas *formulas, const double *row, double *values);

/* ---- comparing ----------------------------------------------------------------------------- */

typedef struct ib_compare_options {
    double rtol, atol;           /* |A - B| <= atol + rtol |A| passes */
    const char *const *channels; /* names, globs or formulas; none: every channel of A */
    size_t n_channels;
} ib_compare_options;

/* One channel's worst point: where |A - B| exceeds what is allowed most. */
typedef struct ib_difference {
    const char *name;
    const char *unit;
    double time, a, b;
    double difference, allowed;
    double largest; /* largest |A - B| anywhere */
    bool passed;
} ib_difference;

typedef struct ib_comparison ib_comparison;

/* Is B what A says? Channels are matched by name; at each time of A, B is interpolated linearly
 * between its rows where it has none at that time. Where A has several rows at one time, B's are
 * taken in the same order. B must hold every channel compared and cover the
 * time of A. IB_OK or IB_FAILED, both with *comparison, which is NULL otherwise. */
ib_status ib_results_compare(const char *a, const char *b, const ib_compare_options *options,
                             ib_diags *diags, ib_comparison **comparison);
void ib_comparison_destroy(ib_comparison *comparison);
size_t ib_comparison_count(const ib_comparison *comparison);
const ib_difference *ib_comparison_at(const ib_comparison *comparison, size_t index);
uint64_t ib_comparison_rows(const ib_comparison *comparison); /* times compared */

/* ---- plotting ------------------------------------------------------------------------------ */

/* Curves of formulas over time, reduced to what a picture can show: the extremes within each slice
 * of time stay, so that a million rows still show every peak. */
typedef struct ib_plot ib_plot;

ib_status ib_plot_create(const char *results, const char *const *expressions, size_t n_expressions,
                         ib_diags *diags, ib_plot **plot);
void ib_plot_destroy(ib_plot *plot);
/* The picture as SVG text (malloc'ed; free it), or NULL when out of memory. One panel a unit. */
char *ib_plot_svg(const ib_plot *plot);
/* Writes FILE.svg or FILE.png by its ending. PNG takes rsvg-convert or ImageMagick from the PATH;
 * where neither is found IB_UNSUPPORTED says what to install. */
ib_status ib_plot_write(const ib_plot *plot, const char *path, ib_diags *diags);

typedef struct ib_text_plot {
    unsigned columns; /* width of the terminal, at least 40 is used */
    unsigned lines;   /* height of one panel's axes, at least 4 is used */
    bool unicode;     /* Braille dots, else ASCII */
    bool colour;      /* ANSI colours */
} ib_text_plot;

/* The picture for a terminal (malloc'ed; free it), or NULL when out of memory. */
char *ib_plot_text(const ib_plot *plot, const ib_text_plot *options);

#ifdef __cplusplus
}
#endif

#endif
