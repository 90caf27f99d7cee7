/* results: recording, reading, comparing and plotting time series. The one header that siblings
 * include; what the public header offers, and readers of JSON and CSV.
 */
#ifndef IB_RESULTS_H
#define IB_RESULTS_H

#include "base/base.h"
#include "ironbird/results.h"

/* ---- json.c: reading JSON ------------------------------------------------------------------ */

typedef enum ib_json_kind {
    IB_JSON_NULL,
    IB_JSON_FALSE,
    IB_JSON_TRUE,
    IB_JSON_NUMBER,
    IB_JSON_STRING,
    IB_JSON_ARRAY,
    IB_JSON_OBJECT
} ib_json_kind;

/* A value; the members of an object or array form a list in the order of the text. */
typedef struct ib_json {
    ib_json_kind kind;
    const char *name; /* as a member of an object, else NULL */
    const char *text; /* of a string; of a number as written */
    double number;
    size_t length; /* of an array or object */
    struct ib_json *first, *next;
} ib_json;

/* Reads one JSON value (RFC 8259) into the arena. NULL after a diagnostic placed in `name`. */
const ib_json *ib_json_parse(ib_arena *arena, const char *name, const char *text, size_t length,
                             ib_diags *diags);
/* The member, or NULL when there is none or the value is no object. */
const ib_json *ib_json_member(const ib_json *object, const char *name);
/* Text of a string member, or NULL. */
const char *ib_json_string(const ib_json *object, const char *name);
/* A number member, or `absent`. */
double ib_json_number(const ib_json *object, const char *name, double absent);
/* Appends the value as JSON text, indented by two spaces a level. */
void ib_json_print(const ib_json *value, ib_str *text);

/* ---- csv.c: lines and fields of RFC 4180 --------------------------------------------------- */

/* Appends a field, quoted where it must be. */
void ib_csv_add_field(ib_str *line, const char *field);
/* Takes the field at *cursor (within [*cursor, end)), decodes quotes into `field` and moves *cursor
 * behind the comma, or to NULL after the last field. False when a quote is not closed or text
 * follows it. */
bool ib_csv_field(const char **cursor, const char *end, ib_str *field);
/* True for the names that a column of time goes by: `time`, `t`, `Time (s)`, `t_s`. */
bool ib_is_time_column(const char *name);

/* A text file read line by line. */
typedef struct ib_lines {
    int file;
    char *buffer;
    size_t capacity, begin, end; /* unread bytes: [begin, end) of the buffer */
    uint32_t number;             /* of the line returned last, from 1 */
    bool finished;               /* the file has no more bytes */
    bool terminated;             /* the line returned last ended in a line break */
} ib_lines;

ib_status ib_lines_open(ib_lines *lines, const char *path, ib_diags *diags);
void ib_lines_close(ib_lines *lines);
ib_status ib_lines_rewind(ib_lines *lines);
/* The next line without its break; *line is NULL at the end of the file. Valid until the next call.
 * IB_IO_ERROR, IB_NO_MEMORY, or IB_BAD_INPUT for a line longer than a file of numbers may have. */
ib_status ib_lines_next(ib_lines *lines, const char **line, size_t *length);

#endif
