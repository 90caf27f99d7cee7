/* data_file: numbers in the columns of a text file, for splines and tables.
 *
 * Columns are separated by spaces, tabs, or a comma; `#` starts a comment; empty lines do not
 * count. Every complaint names the row of the file. Columns that are not wanted may hold anything.
 */
#include "model/model_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#define ROW_ERRORS 20 /* reported for one file */

/* One row's fields: [start, end) of the wanted ones, and how many there are in all. */
typedef struct row {
    size_t start[IB_DATA_COLUMNS], end[IB_DATA_COLUMNS];
    size_t n;
} row;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* ---- complaints ---- */

static void report(ib_data_file *d, ib_diag_id id, size_t start, size_t end, const char *format,
                   va_list arguments) {
    if (d->n_errors++ == 0)
        ib_diags_source(d->l->diags, d->source.file, d->source.text, d->source.length);
    if (d->n_errors > ROW_ERRORS)
        return;
    const char *message = ib_arena_vprintf(d->l->arena, format, arguments);
    d->l->no_memory = d->l->no_memory || !message;
    if (message)
        ib_report_place(d->l, id, ib_source_place(&d->source, start, end), "%s", message);
}

static void report_part(ib_data_file *d, ib_diag_id id, size_t start, size_t end,
                        const char *format, ...) IB_PRINTF(5, 6);

static void report_part(ib_data_file *d, ib_diag_id id, size_t start, size_t end,
                        const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(d, id, start, end, format, arguments);
    va_end(arguments);
}

/* ---- one row ---- */

static void add_field(const ib_data_file *d, row *r, size_t start, size_t end) {
    for (size_t i = 0; i < d->n_wanted; i++) {
        if ((size_t)d->columns[i] == r->n) {
            r->start[i] = start;
            r->end[i] = end;
        }
    }
    r->n++;
}

static size_t skip_blanks(const char *text, size_t at, size_t end) {
    while (at < end && is_blank(text[at]))
        at++;
    return at;
}

/* Fields between blanks, or between commas with blanks around them. */
static row split_row(const ib_data_file *d, size_t at, size_t end) {
    const char *text = d->source.text;
    row r = {0};
    bool after_comma = false;
    at = skip_blanks(text, at, end);
    while (at < end || after_comma) {
        const size_t start = at;
        while (at < end && !is_blank(text[at]) && text[at] != ',')
            at++;
        add_field(d, &r, start, at);
        at = skip_blanks(text, at, end);
        after_comma = at < end && text[at] == ',';
        at = skip_blanks(text, at + after_comma, end);
    }
    return r;
}

/* The number in a field, or a complaint. */
static bool read_field(ib_data_file *d, size_t start, size_t end, double *value) {
    const char *text = d->source.text;
    const bool has_sign = start < end && (text[start] == '-' || text[start] == '+');
    const size_t first = start + has_sign;
    const size_t used = ib_number_parse(text + first, end - first, value);
    if (used == 0 || used != end - first || !isfinite(*value)) {
        report_part(d, IB0503, start, end, "%s",
                    start == end ? "a value is missing in this row"
                                 : "this is not a finite number");
        return false;
    }
    *value = has_sign && text[start] == '-' ? -*value : *value;
    return true;
}

/* As many columns as the first row has, and the wanted ones among them. */
static bool check_columns(ib_data_file *d, const row *r, size_t at, size_t end) {
    if (d->n_columns == 0)
        d->n_columns = r->n;
    if (r->n != d->n_columns) {
        report_part(d, IB0503, at, end, "this row has %zu columns, the first one has %zu", r->n,
                    d->n_columns);
        return false;
    }
    for (size_t i = 0; i < d->n_wanted; i++) {
        if ((size_t)d->columns[i] >= r->n) {
            report_part(d, IB0503, at, end,
                        "this row has %zu columns, so there is no column %d (they count from 0)",
                        r->n, d->columns[i]);
            d->stopped = true;
            return false;
        }
    }
    return true;
}

/* All columns are wanted when none is named; the first row tells how many there are. */
static bool take_all_columns(ib_data_file *d, size_t n, size_t at, size_t end) {
    if (n < d->fewest || n > d->most) {
        report_part(d, IB0503, at, end,
                    "this row has %zu columns; a table of 2 to 4 arguments has %zu to %zu", n,
                    d->fewest, d->most);
        d->stopped = true;
        return false;
    }
    d->n_wanted = n;
    for (size_t i = 0; i < n; i++)
        d->columns[i] = (int)i;
    return true;
}

static bool add_row(ib_data_file *d, const double *values, size_t line) {
    if (!IB_VEC_RESERVE(d->lines, d->line_capacity, d->n))
        return false;
    for (size_t i = 0; i < d->n_wanted; i++) {
        if (!IB_VEC_RESERVE(d->values, d->value_capacity, d->n * d->n_wanted + i))
            return false;
        d->values[d->n * d->n_wanted + i] = values[i];
    }
    d->lines[d->n++] = line;
    return true;
}

/* Where the text of a line ends: before its comment and line break. */
static size_t line_end(const ib_source *source, size_t line) {
    const size_t next = line + 1 < source->n_lines ? source->lines[line + 1] : source->length;
    size_t end = source->lines[line];
    while (end < next && source->text[end] != '#' && source->text[end] != '\n' &&
           source->text[end] != '\r')
        end++;
    return end;
}

static void read_row(ib_data_file *d, size_t line) {
    const size_t at = d->source.lines[line], end = line_end(&d->source, line);
    double values[IB_DATA_COLUMNS];
    row r = split_row(d, at, end);
    if (r.n == 0)
        return;
    if (d->n_wanted == 0) {
        if (!take_all_columns(d, r.n, at, end))
            return;
        r = split_row(d, at, end);
    }
    bool good = check_columns(d, &r, at, end);
    for (size_t i = 0; good && i < d->n_wanted; i++)
        good = read_field(d, r.start[i], r.end[i], &values[i]);
    if (good && !add_row(d, values, line))
        d->l->no_memory = true;
}

/* ---- the whole ---- */

bool ib_data_file_read(ib_loader *l, const char *file, ib_place place, int header_lines,
                       ib_data_file *d) {
    size_t length = 0;
    const char *path = ib_path_beside(l->arena, l->document->file->source.file, file);
    d->l = l;
    if (!path) {
        l->no_memory = true;
        return false;
    }
    const ib_status status =
        ib_file_read(path, IB_DATA_FILE_LIMIT, l->diags, place, &d->text, &length);
    l->no_memory = l->no_memory || status == IB_NO_MEMORY;
    if (status != IB_OK)
        return false;
    if (!ib_source_create(l->arena, path, d->text, length, &d->source)) {
        l->no_memory = true;
        return false;
    }
    for (size_t i = (size_t)header_lines;
         i < d->source.n_lines && d->n_errors < ROW_ERRORS && !d->stopped; i++)
        read_row(d, i);
    return !l->no_memory;
}

void ib_data_file_report(ib_data_file *d, ib_diag_id id, size_t row_index, size_t column,
                         const char *format, ...) {
    const size_t line = d->lines[row_index];
    size_t start = d->source.lines[line], end = line_end(&d->source, line);
    if (column < d->n_wanted) {
        const row r = split_row(d, start, end);
        start = r.start[column];
        end = r.end[column];
    }
    va_list arguments;
    va_start(arguments, format);
    report(d, id, start, end, format, arguments);
    va_end(arguments);
}

void ib_data_file_close(ib_data_file *d) {
    free(d->text);
    free(d->values);
    free(d->lines);
    d->text = NULL;
    d->values = NULL;
    d->lines = NULL;
}
