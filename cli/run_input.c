/* Runtime inputs from a table: `--input CSV`.
 *
 * The whole table is read and checked before the run: a row that is wrong in the ninth minute is
 * found in the first second. All wrong rows are reported, up to a limit.
 */
#include "run.h"

#include "model/model.h"
#include "results/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COMPLAINTS 20

typedef struct reader {
    ib_input_table *table;
    const ib_model *model;
    const ib_system *system;
    ib_diags *diags;
    ib_lines lines;
    ib_str field;
    size_t *inputs; /* of the model, by column: [n_inputs] */
    unsigned complaints;
} reader;

static ib_place here(const reader *r, size_t column) {
    return (ib_place){ib_diags_file(r->diags, r->table->path), r->lines.number, (uint32_t)column,
                      1};
}

/* The field without the blanks around it. */
static const char *trim(ib_str *field) {
    if (!field->data)
        return "";
    while (field->length && strchr(" \t", field->data[field->length - 1]))
        field->data[--field->length] = '\0';
    return field->data + strspn(field->data, " \t");
}

static ib_status next_line(reader *r, const char **line, size_t *length) {
    ib_status status;
    do
        status = ib_lines_next(&r->lines, line, length);
    while (status == IB_OK && *line && (!*length || (*line)[0] == '#'));
    if (status == IB_NO_MEMORY)
        return ib_diags_no_memory(r->diags);
    if (status == IB_IO_ERROR)
        ib_diags_add(r->diags, IB_ERROR, IB0101, here(r, 0), "cannot read the table: %s",
                     strerror(errno));
    if (status == IB_BAD_INPUT)
        ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, 1), "the line is too long for a table");
    return status;
}

/* ---- the header ---------------------------------------------------------------------------- */

static ib_status complain_unknown(const reader *r, const char *name, size_t column) {
    const size_t n = ib_model_input_count(r->model);
    const char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        names[i] = ib_model_input_name(r->model, i);
    const char *nearest = names ? ib_nearest_name(name, names, n) : NULL;
    ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, column),
                 n ? "the model has no input '%s'" : "the model has no inputs, so none is '%s'",
                 name);
    if (nearest)
        ib_diags_suggest(r->diags, "did you mean '%s'?", nearest);
    free(names);
    return IB_BAD_INPUT;
}

/* `time`, `t`, `Time (s)`: a table from elsewhere, or with another separator, begins otherwise. */
static ib_status check_first(const reader *r, const char *name) {
    if (ib_is_time_column(name))
        return IB_OK;
    ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, 1),
                 "the first column must be 'time', not '%s'", name);
    ib_diags_suggest(r->diags, "a header line such as time,throttle; commas separate columns");
    return IB_BAD_INPUT;
}

static ib_status add_column(reader *r, const char *name, size_t column) {
    ib_input_table *table = r->table;
    const ib_handle handle = ib_system_input(r->system, name);
    if (handle < 0)
        return complain_unknown(r, name, column);
    for (size_t i = 0; i < table->n_inputs; i++)
        if (table->handles[i] == handle) {
            ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, column), "two columns are named '%s'",
                         name);
            return IB_BAD_INPUT;
        }
    for (size_t i = 0; i < ib_model_input_count(r->model); i++)
        if (strcmp(ib_model_input_name(r->model, i), name) == 0)
            r->inputs[table->n_inputs] = i;
    table->handles[table->n_inputs++] = handle;
    return IB_OK;
}

static ib_status read_names(reader *r, const char *line, size_t length) {
    ib_status result = IB_OK;
    const char *cursor = line, *end = line + length;
    for (size_t i = 0; cursor; i++) {
        const size_t column = (size_t)(cursor - line) + 1;
        if (!ib_csv_field(&cursor, end, &r->field)) {
            ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, column), "a quote is not closed");
            return IB_BAD_INPUT;
        }
        const char *name = trim(&r->field);
        const ib_status status = i ? add_column(r, name, column) : check_first(r, name);
        if (i == 0 && status != IB_OK)
            return status;
        if (status != IB_OK)
            result = status;
    }
    if (result == IB_OK && !r->table->n_inputs) {
        ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, length + 1),
                     "the table has no column beside the time");
        return IB_BAD_INPUT;
    }
    return result;
}

static ib_status read_header(reader *r) {
    const char *line;
    size_t length;
    const ib_status status = next_line(r, &line, &length);
    if (status != IB_OK)
        return status;
    if (!line) {
        ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, 0), "the table is empty");
        return IB_BAD_INPUT;
    }
    const size_t n = ib_model_input_count(r->model) + 1;
    r->table->handles = calloc(n, sizeof *r->table->handles);
    r->inputs = calloc(n, sizeof *r->inputs);
    if (!r->table->handles || !r->inputs)
        return ib_diags_no_memory(r->diags);
    if (length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
        line += 3; /* a byte order mark */
        length -= 3;
    }
    return read_names(r, line, length);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static bool complain(reader *r, size_t column, const char *what) {
    ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, column), "%s", what);
    r->complaints++;
    return false;
}

static bool parse_field(ib_str *field, double *value) {
    const char *text = trim(field);
    const size_t length = strlen(text);
    return length && ib_number_parse(text, length, value) == length && *value - *value == 0;
}

static bool check_time(reader *r, double seconds, ib_time *time) {
    const ib_input_table *table = r->table;
    if (!ib_time_from_seconds(seconds, time))
        return complain(r, 1, "the time is too large");
    if (table->n_rows && *time <= table->times[table->n_rows - 1])
        return complain(r, 1, "the time is not later than that of the row before");
    return true;
}

static bool check_limits(reader *r, size_t k, double value, size_t column) {
    const ib_input *input = &r->model->inputs[r->inputs[k]];
    char text[IB_NUMBER_SIZE], low[IB_NUMBER_SIZE], high[IB_NUMBER_SIZE];
    if (value >= input->min && value <= input->max)
        return true;
    ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, column),
                 "%s = %s lies outside the input's limits, %s to %s", input->name,
                 ib_number_text(value, text), ib_number_text(input->min, low),
                 ib_number_text(input->max, high));
    r->complaints++;
    return false;
}

/* All fields of a row; values go behind the rows that are there. */
static bool parse_row(reader *r, const char *line, size_t length) {
    ib_input_table *table = r->table;
    const char *cursor = line, *end = line + length;
    double *values = table->values + table->n_rows * table->n_inputs;
    for (size_t i = 0; i <= table->n_inputs; i++) {
        double value;
        if (!cursor)
            return complain(r, length + 1, "the row has fewer values than the header has names");
        const size_t column = (size_t)(cursor - line) + 1;
        if (!ib_csv_field(&cursor, end, &r->field))
            return complain(r, column, "a quote is not closed");
        if (!parse_field(&r->field, &value))
            return complain(r, column, "a finite number was expected here");
        if (i == 0 ? !check_time(r, value, &table->times[table->n_rows])
                   : !check_limits(r, i - 1, value, column))
            return false;
        if (i)
            values[i - 1] = value;
    }
    return !cursor || complain(r, (size_t)(cursor - line) + 1,
                               "the row has more values than the header has names");
}

static bool grow(ib_input_table *table) {
    if (table->n_rows < table->capacity)
        return true;
    const size_t wanted = table->capacity ? 2 * table->capacity : 256;
    const size_t width = table->n_inputs ? table->n_inputs : 1;
    ib_time *times = realloc(table->times, wanted * sizeof *times);
    table->times = times ? times : table->times;
    double *values = realloc(table->values, wanted * width * sizeof *values);
    table->values = values ? values : table->values;
    uint32_t *lines = realloc(table->lines, wanted * sizeof *lines);
    table->lines = lines ? lines : table->lines;
    if (!times || !values || !lines)
        return false;
    table->capacity = wanted;
    return true;
}

static ib_status read_rows(reader *r) {
    while (r->complaints < MOST_COMPLAINTS) {
        const char *line;
        size_t length;
        const ib_status status = next_line(r, &line, &length);
        if (status != IB_OK)
            return status;
        if (!line)
            break;
        if (!grow(r->table))
            return ib_diags_no_memory(r->diags);
        if (parse_row(r, line, length))
            r->table->lines[r->table->n_rows++] = r->lines.number;
    }
    if (!r->complaints && !r->table->n_rows) {
        ib_diags_add(r->diags, IB_ERROR, IB0903, here(r, 0), "the table has no row of values");
        return IB_BAD_INPUT;
    }
    return r->complaints ? IB_BAD_INPUT : IB_OK;
}

ib_status ib_input_table_read(const char *path, const ib_model *model, const ib_system *system,
                              ib_diags *diags, ib_input_table *table) {
    *table = (ib_input_table){.path = path};
    reader r = {.table = table, .model = model, .system = system, .diags = diags};
    ib_status status = ib_lines_open(&r.lines, path, diags);
    if (status != IB_OK)
        return status;
    status = read_header(&r);
    if (status == IB_OK)
        status = read_rows(&r);
    ib_lines_close(&r.lines);
    ib_str_free(&r.field);
    free(r.inputs);
    return status;
}

void ib_input_table_free(ib_input_table *table) {
    free(table->handles);
    free(table->times);
    free(table->values);
    free(table->lines);
    *table = (ib_input_table){0};
}
