/* Reading results back, row by row: a results folder, or any CSV file with time in its first
 * column.
 *
 * Names come from the header line; units, descriptions and ids from channels.json beside it when
 * there is one. Only selected columns are turned into numbers.
 */
#include "results_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_JSON ((size_t)64 << 20)

struct ib_results {
    ib_arena *arena;
    const char *path; /* of the CSV file */
    const char *title;
    bool own; /* written by the recorder: its last line ends in a line break or is unfinished */
    ib_lines lines;
    size_t n_channels;
    ib_channel_info *channels;
    ib_names *names;
    bool *wanted;          /* [n_channels] */
    size_t n_wanted_until; /* columns after the last wanted one are not looked at */
    double *row;           /* [1 + n_channels] */
    double last_time;
    bool any_row, ended;
    ib_str field;
    ib_decimal decimal;
};

static ib_place at_line(const ib_results *results, ib_diags *diags, size_t column) {
    return (ib_place){ib_diags_file(diags, results->path), results->lines.number, (uint32_t)column,
                      1};
}

/* Reads a line; a failure of the file itself is reported here. */
static ib_status read_line(ib_results *results, const char **line, size_t *length,
                           ib_diags *diags) {
    const ib_status status = ib_lines_next(&results->lines, line, length);
    if (status == IB_NO_MEMORY)
        return ib_diags_no_memory(diags);
    if (status == IB_BAD_INPUT)
        ib_diags_add(diags, IB_ERROR, IB0803, at_line(results, diags, 1),
                     "the line after this one is longer than 64 MiB; this is no table of numbers");
    if (status == IB_IO_ERROR)
        ib_diags_add(diags, IB_ERROR, IB0101,
                     (ib_place){.file = ib_diags_file(diags, results->path)},
                     "cannot read the file: %s", strerror(errno));
    return status;
}

/* ---- the header ---------------------------------------------------------------------------- */

static const char *trimmed(ib_arena *arena, const char *text) {
    size_t length = strlen(text);
    while (length && (text[0] == ' ' || text[0] == '\t')) {
        text++;
        length--;
    }
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return ib_arena_strndup(arena, text, length);
}

static ib_status add_channel(ib_results *results, size_t *capacity, ib_diags *diags,
                             size_t column) {
    const char *name = trimmed(results->arena, results->field.data ? results->field.data : "");
    size_t index;
    if (!name || !IB_VEC_RESERVE(results->channels, *capacity, results->n_channels))
        return ib_diags_no_memory(diags);
    if (!*name) {
        ib_diags_add(diags, IB_ERROR, IB0803, at_line(results, diags, column),
                     "a column has no name; the first line must name every column");
        return IB_BAD_INPUT;
    }
    if (!ib_names_add(results->names, name, &index)) {
        if (index == SIZE_MAX)
            return ib_diags_no_memory(diags);
        ib_diags_add(diags, IB_ERROR, IB0803, at_line(results, diags, column),
                     "two columns are named '%s'", name);
        return IB_BAD_INPUT;
    }
    results->channels[results->n_channels++] =
        (ib_channel_info){.name = name, .unit = "", .description = ""};
    return IB_OK;
}

static bool looks_like_number(const ib_str *field) {
    double value;
    const char *text = field->data ? field->data : "";
    text += *text == '-' || *text == '+';
    const size_t length = strlen(text);
    return length && ib_number_parse(text, length, &value) == length;
}

static ib_status parse_header(ib_results *results, const char *line, size_t length,
                              ib_diags *diags) {
    size_t capacity = 0;
    const char *cursor = line, *end = line + length;
    if (length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        cursor += 3; /* a byte order mark */
    for (size_t i = 0; cursor; i++) {
        const size_t column = (size_t)(cursor - line) + 1;
        ib_status status = IB_OK;
        if (!ib_csv_field(&cursor, end, &results->field)) {
            ib_diags_add(diags, IB_ERROR, IB0803, at_line(results, diags, column),
                         "a quote in the header is not closed");
            return IB_BAD_INPUT;
        }
        if (i == 0 && looks_like_number(&results->field)) {
            ib_diags_add(diags, IB_ERROR, IB0803, at_line(results, diags, column),
                         "the first line holds numbers; it must name the columns, time first");
            return IB_BAD_INPUT;
        }
        if (i == 0 && !ib_is_time_column(results->field.data)) {
            ib_diags_add(diags, IB_ERROR, IB0803, at_line(results, diags, column),
                         "these are no results: the first column must be 'time', not '%s'",
                         results->field.data);
            return IB_BAD_INPUT;
        }
        if (i > 0)
            status = add_channel(results, &capacity, diags, column);
        if (status != IB_OK)
            return status;
    }
    return IB_OK;
}

/* The header is the first line that is not empty and no comment. */
static ib_status read_header(ib_results *results, ib_diags *diags) {
    const char *line;
    size_t length;
    do {
        const ib_status status = read_line(results, &line, &length, diags);
        if (status != IB_OK)
            return status;
        if (!line) {
            ib_diags_add(diags, IB_ERROR, IB0803,
                         (ib_place){.file = ib_diags_file(diags, results->path)},
                         "the file is empty; a line with the names of the columns was expected");
            return IB_BAD_INPUT;
        }
    } while (!length || line[0] == '#');
    return parse_header(results, line, length, diags);
}

static ib_status skip_header(ib_results *results, ib_diags *diags) {
    const char *line;
    size_t length;
    ib_status status;
    do
        status = read_line(results, &line, &length, diags);
    while (status == IB_OK && line && (!length || line[0] == '#'));
    return status;
}

/* ---- what the folder's other files say ----------------------------------------------------- */

static const ib_json *read_json(ib_results *results, const char *folder, const char *name,
                                ib_diags *diags) {
    char *path = ib_path_join(folder, name), *text = NULL;
    size_t length;
    const ib_json *json = NULL;
    if (path && ib_file_exists(path) &&
        ib_file_read(path, LARGEST_JSON, diags, IB_NO_PLACE, &text, &length) == IB_OK)
        json = ib_json_parse(results->arena, path, text, length, diags);
    free(text);
    free(path);
    return json;
}

static const char *or_empty(const char *text) { return text ? text : ""; }

static void take_units(ib_results *results, const ib_json *json) {
    const ib_json *list = ib_json_member(json, "channels");
    for (const ib_json *entry = list ? list->first : NULL; entry; entry = entry->next) {
        const char *name = ib_json_string(entry, "name");
        const size_t index = name ? ib_names_find(results->names, name) : SIZE_MAX;
        if (index == SIZE_MAX)
            continue;
        ib_channel_info *channel = &results->channels[index];
        channel->unit = or_empty(ib_json_string(entry, "unit"));
        channel->description = or_empty(ib_json_string(entry, "description"));
        channel->id = ib_json_string(entry, "id");
    }
}

static void take_run(ib_results *results, const ib_json *run, const char *folder, ib_diags *diags) {
    const char *model = ib_json_string(run, "model"), *status = ib_json_string(run, "status");
    if (model && *model)
        results->title = model;
    if (status && strcmp(status, "done") != 0)
        ib_diags_add(diags, IB_WARNING, IB0807, (ib_place){.file = ib_diags_file(diags, folder)},
                     "the run that wrote these results did not finish: %s",
                     or_empty(ib_json_string(run, "message"))[0] ? ib_json_string(run, "message")
                                                                 : status);
}

static void read_folder(ib_results *results, const char *folder, ib_diags *diags) {
    take_units(results, read_json(results, folder, "channels.json", diags));
    const ib_json *run = read_json(results, folder, "run.json", diags);
    if (run)
        take_run(results, run, folder, diags);
}

/* ---- opening ------------------------------------------------------------------------------- */

static bool set_paths(ib_results *results, const char *path) {
    results->own = ib_is_folder(path);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && path[start - 1] != '/')
        start--;
    results->title = ib_arena_strndup(results->arena, path + start, length - start);
    results->path = results->own
                        ? ib_arena_printf(results->arena, "%.*s/results.csv", (int)length, path)
                        : ib_arena_strdup(results->arena, path);
    return results->title && results->path;
}

static ib_status open_all(ib_results *results, const char *path, ib_diags *diags) {
    results->arena = ib_arena_create();
    results->names = ib_names_create();
    if (!results->arena || !results->names || !set_paths(results, path))
        return ib_diags_no_memory(diags);
    ib_decimal_prepare(&results->decimal);
    ib_status status = ib_lines_open(&results->lines, results->path, diags);
    if (status == IB_OK)
        status = read_header(results, diags);
    if (status != IB_OK)
        return status;
    results->row = calloc(1 + results->n_channels, sizeof *results->row);
    results->wanted = calloc(1 + results->n_channels, sizeof *results->wanted);
    if (!results->row || !results->wanted)
        return ib_diags_no_memory(diags);
    ib_results_select(results, NULL);
    if (results->own)
        read_folder(results, path, diags);
    return IB_OK;
}

ib_status ib_results_open(const char *path, ib_diags *diags, ib_results **result) {
    *result = NULL;
    ib_results *results = calloc(1, sizeof *results);
    if (!results)
        return ib_diags_no_memory(diags);
    const ib_status status = open_all(results, path, diags);
    if (status == IB_OK)
        *result = results;
    else
        ib_results_close(results);
    return status;
}

void ib_results_close(ib_results *results) {
    if (!results)
        return;
    ib_lines_close(&results->lines);
    ib_names_destroy(results->names);
    ib_arena_destroy(results->arena);
    ib_str_free(&results->field);
    free(results->channels);
    free(results->wanted);
    free(results->row);
    free(results);
}

const char *ib_results_title(const ib_results *results) { return results->title; }

size_t ib_results_channel_count(const ib_results *results) { return results->n_channels; }

ib_channel_info ib_results_channel_info(const ib_results *results, ib_handle channel) {
    return results->channels[channel];
}

ib_handle ib_results_channel(const ib_results *results, const char *name) {
    const size_t index = ib_names_find(results->names, name);
    return index == SIZE_MAX ? -1 : (ib_handle)index;
}

void ib_results_select(ib_results *results, const bool *wanted) {
    results->n_wanted_until = 0;
    for (size_t i = 0; i < results->n_channels; i++) {
        results->wanted[i] = !wanted || wanted[i];
        results->row[1 + i] = (double)NAN;
        if (results->wanted[i])
            results->n_wanted_until = i + 1;
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* nan, inf, Infinity with any sign and in any case. */
static bool special_number(const char *text, size_t length, double *value) {
    static const struct {
        const char *text;
        double value;
    } words[] = {{"nan", (double)NAN}, {"inf", HUGE_VAL}, {"infinity", HUGE_VAL}};
    const bool negative = length && text[0] == '-';
    const size_t sign = length && (text[0] == '-' || text[0] == '+');
    for (size_t i = 0; i < IB_COUNT(words); i++) {
        size_t k = 0;
        while (k < length - sign && words[i].text[k] && (text[sign + k] | 0x20) == words[i].text[k])
            k++;
        if (k != length - sign || words[i].text[k])
            continue;
        *value = negative ? -words[i].value : words[i].value;
        return true;
    }
    return false;
}

static bool parse_number(const ib_results *results, const char *text, size_t length,
                         double *value) {
    while (length && (text[0] == ' ' || text[0] == '\t')) {
        text++;
        length--;
    }
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (!length)
        return false;
    return ib_decimal_read(&results->decimal, text, length, value) == length ||
           special_number(text, length, value);
}

typedef enum fault { NO_FAULT, NOT_A_NUMBER, TOO_FEW, TOO_MANY, BAD_QUOTE } fault;

/* One field of a row: *cursor moves on; the number is wanted or not. */
static fault parse_field(ib_results *results, const char **cursor, const char *end, bool wanted,
                         double *value) {
    const char *text = *cursor;
    size_t length;
    const bool quoted = text < end && *text == '"';
    if (quoted) {
        if (!ib_csv_field(cursor, end, &results->field))
            return BAD_QUOTE;
        text = results->field.data;
        length = results->field.length;
    } else {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        length = (size_t)((comma ? comma : end) - text);
        *cursor = comma ? comma + 1 : NULL;
    }
    if (!wanted || parse_number(results, text, length, value))
        return NO_FAULT;
    *value = (double)NAN; /* a text */
    return quoted ? NO_FAULT : NOT_A_NUMBER;
}

/* All fields of a row; on a fault *column tells where. */
static fault parse_row(ib_results *results, const char *line, size_t length, size_t *column) {
    const char *cursor = line, *end = line + length;
    for (size_t i = 0; i <= results->n_channels; i++) {
        if (!cursor) {
            *column = length + 1;
            return TOO_FEW;
        }
        /* An unfinished last line is found by its fields: count them all there. */
        if (i > results->n_wanted_until && results->lines.terminated)
            return NO_FAULT;
        *column = (size_t)(cursor - line) + 1;
        const bool wanted = i == 0 || results->wanted[i - 1];
        const fault found = parse_field(results, &cursor, end, wanted, &results->row[i]);
        if (found != NO_FAULT)
            return found;
    }
    *column = cursor ? (size_t)(cursor - line) + 1 : 1;
    return cursor ? TOO_MANY : NO_FAULT;
}

static ib_status report_fault(const ib_results *results, fault found, size_t column,
                              ib_diags *diags) {
    static const char *const texts[] = {
        [NOT_A_NUMBER] = "a number was expected here",
        [TOO_FEW] = "the row has fewer values than the header has names",
        [TOO_MANY] = "the row has more values than the header has names",
        [BAD_QUOTE] = "a quote is not closed",
    };
    ib_diags_add(diags, IB_ERROR, IB0803, at_line(results, diags, column), "%s", texts[found]);
    return IB_BAD_INPUT;
}

static ib_status check_time(ib_results *results, ib_diags *diags) {
    const double time = results->row[0];
    char now[IB_NUMBER_SIZE], before[IB_NUMBER_SIZE];
    if (time - time == 0 && (!results->any_row || time >= results->last_time)) {
        results->last_time = time;
        results->any_row = true;
        return IB_OK;
    }
    ib_diags_add(diags, IB_ERROR, IB0813, at_line(results, diags, 1),
                 "time %s s follows %s s; times must be finite and not decrease",
                 ib_number_text(time, now),
                 results->any_row ? ib_number_text(results->last_time, before) : "nothing");
    return IB_BAD_INPUT;
}

/* The line that a dying program left: dropped, and nothing comes after it. */
static ib_status drop_unfinished(ib_results *results, const double **row, ib_diags *diags) {
    ib_diags_add(diags, IB_NOTE, IB0804, at_line(results, diags, 1),
                 "the last line is unfinished and left out");
    results->ended = true;
    *row = NULL;
    return IB_OK;
}

ib_status ib_results_next(ib_results *results, const double **row, ib_diags *diags) {
    const char *line;
    size_t length, column;
    *row = NULL;
    if (results->ended)
        return IB_OK;
    do {
        const ib_status status = read_line(results, &line, &length, diags);
        if (status != IB_OK || !line)
            return status;
    } while (!length || line[0] == '#');
    const bool unfinished = !results->lines.terminated;
    if (unfinished && results->own)
        return drop_unfinished(results, row, diags);
    const fault found = parse_row(results, line, length, &column);
    if (found != NO_FAULT && unfinished)
        return drop_unfinished(results, row, diags);
    if (found != NO_FAULT)
        return report_fault(results, found, column, diags);
    const ib_status status = check_time(results, diags);
    if (status == IB_OK)
        *row = results->row;
    return status;
}

ib_status ib_results_rewind(ib_results *results, ib_diags *diags) {
    results->any_row = results->ended = false;
    if (ib_lines_rewind(&results->lines) != IB_OK) {
        ib_diags_add(diags, IB_ERROR, IB0101,
                     (ib_place){.file = ib_diags_file(diags, results->path)},
                     "cannot read the file again: %s", strerror(errno));
        return IB_IO_ERROR;
    }
    return skip_header(results, diags);
}
