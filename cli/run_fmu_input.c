/* --input of an FMU: a CSV file handed on as text, so that every type keeps its digits. */
#include "run.h"

#include "results/results.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    ib_run *run;
    const char *path;
    ib_lines lines;
    ib_str *fields; /* [n] */
    size_t n, capacity;
} reader;

static ib_place here(const reader *r) {
    return (ib_place){ib_diags_file(r->run->diags, r->path), r->lines.number, 1, 1};
}

static ib_status refuse(const reader *r, const char *what) {
    ib_diags_add(r->run->diags, IB_ERROR, IB0903, here(r), "%s", what);
    return IB_BAD_INPUT;
}

/* Takes a line apart into r->fields. */
static ib_status split(reader *r, const char *line, size_t length) {
    const char *cursor = line, *end = line + length;
    r->n = 0;
    while (cursor) {
        if (!IB_VEC_RESERVE(r->fields, r->capacity, r->n))
            return ib_diags_no_memory(r->run->diags);
        ib_str *field = &r->fields[r->n++];
        if (!ib_csv_field(&cursor, end, field))
            return refuse(r, "a quote is not closed");
        if (field->failed)
            return ib_diags_no_memory(r->run->diags);
    }
    return IB_OK;
}

static const char *text_of(const ib_str *field) {
    return field->data ? field->data + strspn(field->data, " \t") : "";
}

/* The next line that is neither empty nor a comment; *line NULL at the end. */
static ib_status next_line(reader *r, const char **line, size_t *length) {
    ib_status status;
    do
        status = ib_lines_next(&r->lines, line, length);
    while (status == IB_OK && *line && (!*length || (*line)[0] == '#'));
    if (status == IB_BAD_INPUT)
        return refuse(r, "the line is too long for a table");
    if (status != IB_OK)
        ib_diags_add(r->run->diags, IB_ERROR, IB0101, here(r), "cannot read the table");
    return status;
}

static ib_status read_header(reader *r) {
    const char *line;
    size_t length;
    ib_status status = next_line(r, &line, &length);
    if (status != IB_OK)
        return status;
    if (!line)
        return refuse(r, "the table is empty");
    if (length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
        line += 3; /* a byte order mark */
        length -= 3;
    }
    status = split(r, line, length);
    if (status != IB_OK)
        return status;
    if (r->n < 2 || !ib_is_time_column(text_of(&r->fields[0])))
        return refuse(r, "a table begins with a header line such as time,u,v");
    for (size_t i = 1; i < r->n; i++) {
        const ib_status result =
            ib_fmu_run_input(r->run->fmu_run, text_of(&r->fields[i]), here(r), r->run->diags);
        status = status == IB_OK ? result : status;
    }
    return status;
}

static ib_status read_row(reader *r, size_t n_columns, const char **texts) {
    double time;
    const char *stamp = text_of(&r->fields[0]);
    if (r->n != n_columns)
        return refuse(r, "the row has not as many values as the header has names");
    const size_t n = ib_number_parse(stamp, strlen(stamp), &time);
    if (!n || stamp[n + strspn(stamp + n, " \t")] || time - time != 0)
        return refuse(r, "the time is no finite number");
    for (size_t i = 1; i < r->n; i++)
        texts[i - 1] = text_of(&r->fields[i]);
    return ib_fmu_run_input_row(r->run->fmu_run, time, texts, here(r), r->run->diags);
}

static ib_status read_rows(reader *r) {
    const size_t n_columns = r->n;
    const char **texts = calloc(n_columns, sizeof *texts);
    ib_status status = texts ? IB_OK : ib_diags_no_memory(r->run->diags);
    size_t n_rows = 0;
    while (status == IB_OK) {
        const char *line;
        size_t length;
        status = next_line(r, &line, &length);
        if (status != IB_OK || !line)
            break;
        status = split(r, line, length);
        if (status == IB_OK)
            status = read_row(r, n_columns, texts);
        n_rows++;
    }
    if (status == IB_OK && !n_rows)
        status = refuse(r, "the table has no row of values");
    free(texts);
    return status;
}

ib_status ib_run_read_fmu_input(ib_run *run, const char *path) {
    reader r = {.run = run, .path = path};
    ib_status status = ib_lines_open(&r.lines, path, run->diags);
    if (status != IB_OK)
        return status;
    status = read_header(&r);
    if (status == IB_OK)
        status = read_rows(&r);
    ib_lines_close(&r.lines);
    for (size_t i = 0; i < r.capacity; i++)
        ib_str_free(&r.fields[i]);
    free(r.fields);
    return status;
}
