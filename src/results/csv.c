/* Lines and fields of CSV files (RFC 4180).
 *
 * Fields with commas, quotes or line breaks are quoted when written. When read, both line endings
 * are taken; a quoted field must end on its line, because the files read here hold names and
 * numbers.
 */
#include "results_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_CAPACITY ((size_t)1 << 18)
#define LONGEST_LINE ((size_t)1 << 26)

void ib_csv_add_field(ib_str *line, const char *field) {
    if (!strpbrk(field, ",\"\r\n")) {
        ib_str_add(line, field);
        return;
    }
    ib_str_add_char(line, '"');
    for (; *field; field++) {
        if (*field == '"')
            ib_str_add_char(line, '"');
        ib_str_add_char(line, *field);
    }
    ib_str_add_char(line, '"');
}

/* The inside of a quoted field from behind its opening quote; NULL when it is not closed. */
static const char *quoted_field(const char *text, const char *end, ib_str *field) {
    while (text < end) {
        if (*text != '"') {
            ib_str_add_char(field, *text++);
        } else if (text + 1 < end && text[1] == '"') {
            ib_str_add_char(field, '"');
            text += 2;
        } else {
            return text + 1;
        }
    }
    return NULL;
}

bool ib_csv_field(const char **cursor, const char *end, ib_str *field) {
    const char *text = *cursor;
    ib_str_clear(field);
    ib_str_add_n(field, "", 0);
    if (text < end && *text == '"') {
        text = quoted_field(text + 1, end, field);
        if (!text || (text < end && *text != ','))
            return false;
    } else {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const char *stop = comma ? comma : end;
        ib_str_add_n(field, text, (size_t)(stop - text));
        text = stop;
    }
    *cursor = text < end ? text + 1 : NULL;
    return true;
}

bool ib_is_time_column(const char *name) {
    static const char word[] = "time";
    name += strspn(name, " \t");
    if (strpbrk(name, ";\t"))
        return false; /* columns with another separator */
    size_t n = 0;
    while (word[n] && (name[n] | 0x20) == word[n])
        n++;
    const char next = (char)(name[n] | 0x20);
    return n == sizeof word - 1 || (n == 1 && !(next >= 'a' && next <= 'z'));
}

ib_status ib_lines_open(ib_lines *lines, const char *path, ib_diags *diags) {
    *lines = (ib_lines){.file = open(path, O_RDONLY | O_CLOEXEC)};
    if (lines->file < 0) {
        ib_diags_add(diags, IB_ERROR, IB0101, (ib_place){.file = ib_diags_file(diags, path)},
                     "cannot open the file: %s", strerror(errno));
        return IB_IO_ERROR;
    }
    lines->buffer = malloc(FIRST_CAPACITY);
    lines->capacity = FIRST_CAPACITY;
    if (lines->buffer)
        return IB_OK;
    close(lines->file);
    lines->file = -1;
    return ib_diags_no_memory(diags);
}

void ib_lines_close(ib_lines *lines) {
    if (lines->buffer)
        close(lines->file);
    free(lines->buffer);
    *lines = (ib_lines){.file = -1};
}

ib_status ib_lines_rewind(ib_lines *lines) {
    if (lseek(lines->file, 0, SEEK_SET) != 0)
        return IB_IO_ERROR;
    lines->begin = lines->end = 0;
    lines->number = 0;
    lines->finished = false;
    return IB_OK;
}

/* Moves what is unread to the front, grows the buffer when it is full, and reads more. */
static ib_status fill(ib_lines *lines) {
    memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
    lines->end -= lines->begin;
    lines->begin = 0;
    if (lines->end == lines->capacity) {
        if (lines->capacity >= LONGEST_LINE)
            return IB_BAD_INPUT;
        char *larger = realloc(lines->buffer, 2 * lines->capacity);
        if (!larger)
            return IB_NO_MEMORY;
        lines->buffer = larger;
        lines->capacity *= 2;
    }
    ssize_t n;
    do
        n = read(lines->file, lines->buffer + lines->end, lines->capacity - lines->end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return IB_IO_ERROR;
    lines->finished = n == 0;
    lines->end += (size_t)n;
    return IB_OK;
}

ib_status ib_lines_next(ib_lines *lines, const char **line, size_t *length) {
    *line = NULL;
    *length = 0;
    size_t searched = 0;
    for (;;) {
        const char *start = lines->buffer + lines->begin;
        const size_t unread = lines->end - lines->begin;
        const char *end = memchr(start + searched, '\n', unread - searched);
        if (end || (lines->finished && unread)) {
            lines->terminated = end;
            *line = start;
            *length = end ? (size_t)(end - start) : unread;
            lines->begin += *length + (end ? 1 : 0);
            lines->number++;
            if (*length && start[*length - 1] == '\r')
                --*length;
            return IB_OK;
        }
        if (lines->finished)
            return IB_OK;
        searched = unread;
        const ib_status status = fill(lines);
        if (status != IB_OK)
            return status;
    }
}
