/* Diagnostics as text, in the form that compilers use and editors jump to:
 *
 *     wheel.yaml:12:8: error: body1: there is no body 'whel'; did you mean 'wheel'? [IB0312]
 *        12 |   body1: whel
 *           |          ^~~~
 *     wheel.yaml:3:3: note: bodies are declared here
 *
 * Columns are code points. Tabs of the line are repeated under it, so the caret stays in place
 * whatever the width of a tab. Of a very long line only the part around the place is shown.
 */
#include "base/base_internal.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_BEFORE ((size_t)80) /* characters of a long line before and after the place */
#define SHOWN_AFTER ((size_t)60)

#define BOLD "\x1b[1m"
#define RED "\x1b[1;31m"
#define MAGENTA "\x1b[1;35m"
#define CYAN "\x1b[1;36m"
#define GREEN "\x1b[1;32m"
#define PLAIN "\x1b[0m"

/* A bounded buffer that counts what it would need. */
typedef struct output {
    char *buffer;
    size_t size;
    size_t length;
    bool colour;
} output;

static void put_char(output *out, char c) {
    if (out->size && out->length < out->size - 1)
        out->buffer[out->length] = c;
    out->length++;
}

static void put(output *out, const char *text) {
    for (; *text; text++)
        put_char(out, *text);
}

static void put_colour(output *out, const char *escape) {
    if (out->colour)
        put(out, escape);
}

static void put_number(output *out, uint32_t number, int width) {
    char text[16];
    snprintf(text, sizeof text, "%*u", width, (unsigned)number);
    put(out, text);
}

static void put_place(output *out, ib_place place) {
    if (!place.file && !place.line) {
        put(out, "ironbird: ");
        return;
    }
    put(out, place.file ? place.file : "input");
    put(out, ":");
    if (place.line) {
        put_number(out, place.line, 0);
        put(out, ":");
        if (place.column) {
            put_number(out, place.column, 0);
            put(out, ":");
        }
    }
    put(out, " ");
}

static void put_severity(output *out, ib_severity severity) {
    static const char *const words[] = {"note: ", "warning: ", "error: "};
    static const char *const colours[] = {CYAN, MAGENTA, RED};
    put_colour(out, colours[severity]);
    put(out, words[severity]);
    put_colour(out, PLAIN);
}

static void put_message(output *out, ib_severity severity, ib_place place, const char *message) {
    put_colour(out, BOLD);
    put_place(out, place);
    put_colour(out, PLAIN);
    put_severity(out, severity);
    put_colour(out, BOLD);
    put(out, message);
    put_colour(out, PLAIN);
}

/* A character of the user's line as it may be shown: nothing that moves the cursor but the tab. */
static void put_shown(output *out, const char *text, size_t size) {
    const unsigned char byte = (unsigned char)*text;
    if (size == 1 && ((byte < 0x20 && byte != '\t') || byte >= 0x7f))
        put_char(out, '?');
    else
        for (size_t i = 0; i < size; i++)
            put_char(out, text[i]);
}

/* The part of a line to show and the underlined part in it, in bytes of the line. Nothing behind
 * what is shown is looked at: lines may be endless. */
typedef struct window {
    size_t first, mark, mark_end, end;
    bool cut_before, cut_after;
} window;

/* True when the eight bytes from here on are one character each. */
static bool is_plain(const char *text) {
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    return (bytes & UINT64_C(0x8080808080808080)) == 0;
}

/* Bytes of the next n characters of the text, or of fewer where it ends; *n becomes how many. */
static size_t skip_characters(const char *text, size_t *n) {
    const size_t length = strnlen(text, 4 * *n);
    size_t at = 0, count = 0;
    while (count < *n && at < length) {
        const bool plain = count + 8 <= *n && at + 8 <= length && is_plain(text + at);
        at += plain ? 8 : ib_utf8_size(text + at, length - at);
        count += plain ? 8 : 1;
    }
    *n = count;
    return at;
}

static window choose_window(const char *line, ib_place place) {
    size_t hidden = place.column > SHOWN_BEFORE ? place.column - 1 - SHOWN_BEFORE : 0;
    size_t before = (place.column ? place.column - 1 : 0) - hidden;
    size_t marked = place.length ? place.length : 1, after = SHOWN_AFTER;
    size_t all = SHOWN_BEFORE + SHOWN_AFTER;
    window w = {.end = skip_characters(line, &all)};
    const size_t first = skip_characters(line, &hidden);
    w.mark = first + skip_characters(line + first, &before);
    w.mark_end = w.mark + skip_characters(line + w.mark, &marked);
    if (line[w.end] != '\0') { /* longer than is shown */
        w.first = first;
        w.end = w.mark + skip_characters(line + w.mark, &after);
    }
    if (w.mark_end > w.end)
        w.mark_end = w.end;
    w.cut_before = w.first > 0;
    w.cut_after = line[w.end] != '\0';
    return w;
}

static void put_line(output *out, const char *line, window w) {
    put(out, w.cut_before ? "..." : "");
    for (size_t i = w.first, size; i < w.end; i += size) {
        size = ib_utf8_size(line + i, w.end - i);
        put_shown(out, line + i, size);
    }
    put(out, w.cut_after ? "..." : "");
}

static void put_caret(output *out, const char *line, window w) {
    put(out, w.cut_before ? "   " : "");
    for (size_t i = w.first; i < w.mark; i += ib_utf8_size(line + i, w.mark - i))
        put_char(out, line[i] == '\t' ? '\t' : ' ');
    put_colour(out, GREEN);
    put_char(out, '^');
    for (size_t i = w.mark, n = 0; i < w.mark_end; n++) {
        i += ib_utf8_size(line + i, w.mark_end - i);
        if (n > 0)
            put_char(out, '~');
    }
    put_colour(out, PLAIN);
}

static void put_source(output *out, const char *line, ib_place place) {
    const window w = choose_window(line, place);
    put_number(out, place.line, 5);
    put(out, " | ");
    put_line(out, line, w);
    put(out, "\n");
    if (!place.column)
        return;
    put(out, "      | ");
    put_caret(out, line, w);
    put(out, "\n");
}

size_t ib_diag_format(const ib_diag *diag, bool colour, char *buffer, size_t size) {
    output out = {.buffer = buffer, .size = size, .colour = colour};
    put_message(&out, diag->severity, diag->place, diag->message);
    if (diag->suggestion) {
        put(&out, "; ");
        put(&out, diag->suggestion);
    }
    if (diag->id) {
        put(&out, " [");
        put(&out, diag->id);
        put(&out, "]");
    }
    put(&out, "\n");
    if (diag->source_line && diag->place.line)
        put_source(&out, diag->source_line, diag->place);
    for (size_t i = 0; i < diag->n_notes; i++) {
        put_message(&out, IB_NOTE, diag->notes[i].place, diag->notes[i].message);
        put(&out, "\n");
    }
    if (size)
        buffer[out.length < size ? out.length : size - 1] = '\0';
    return out.length;
}
