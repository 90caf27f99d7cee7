/* marks: where each character of a decoded scalar stands in the source.
 *
 * libyaml tells where a scalar starts and ends, not where its characters came from. This reads the
 * source again by the scalar's style - plain, single and double quoted with folded lines and
 * escapes (YAML 1.2.2, chapter 7), literal and folded blocks (chapter 8) - and checks every byte
 * against the decoded value. A source that it cannot follow is given up, never guessed.
 */
#include "model/yaml.h"

#include <stdlib.h>
#include <string.h>

/* The value so far: bytes that were produced, each with the source offset it came from. */
typedef struct trace {
    const ib_yaml *scalar;
    const char *source;
    size_t end;  /* of the scalar in the source */
    size_t n;    /* bytes of the value that are mapped */
    size_t *map; /* [scalar->length + 1] */
    bool failed;
} trace;

static void emit(trace *t, char byte, size_t offset) {
    if (t->failed || t->n >= t->scalar->length || t->scalar->text[t->n] != byte) {
        t->failed = true;
        return;
    }
    t->map[t->n++] = offset;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_break(char c) { return c == '\n' || c == '\r'; }

/* Bytes of the line break at `at`. */
static size_t break_size(const trace *t, size_t at) {
    return t->source[at] == '\r' && at + 1 < t->end && t->source[at + 1] == '\n' ? 2 : 1;
}

/* ---- plain and quoted: lines folded ---- */

/* White space from `at` on: blanks inside a line are kept, line breaks fold. Returns where it ends.
 * `joined` says that a backslash ended the line before, so that the first break vanishes. */
static size_t fold_white(trace *t, size_t at, bool joined) {
    const size_t start = at;
    size_t n_breaks = 0;
    size_t first_break = at;
    while (at < t->end && (is_blank(t->source[at]) || is_break(t->source[at]))) {
        if (is_break(t->source[at])) {
            if (n_breaks++ == 0)
                first_break = at;
            at += break_size(t, at);
        } else {
            at++;
        }
    }
    if (n_breaks == 0) {
        for (size_t i = start; i < at; i++)
            emit(t, t->source[i], i);
    } else if (n_breaks == 1 && !joined) {
        emit(t, ' ', first_break);
    } else {
        for (size_t i = 1; i < n_breaks; i++)
            emit(t, '\n', first_break);
    }
    return at;
}

static void trace_plain(trace *t, size_t at) {
    /* White space at the end belongs to no value. */
    while (t->end > at && (is_blank(t->source[t->end - 1]) || is_break(t->source[t->end - 1])))
        t->end--;
    while (at < t->end && !t->failed) {
        if (is_blank(t->source[at]) || is_break(t->source[at]))
            at = fold_white(t, at, false);
        else
            emit(t, t->source[at], at), at++;
    }
}

static void trace_single(trace *t, size_t at) {
    t->end--; /* the closing quote */
    for (at++; at < t->end && !t->failed;) {
        const char c = t->source[at];
        if (is_blank(c) || is_break(c)) {
            at = fold_white(t, at, false);
        } else {
            emit(t, c, at);
            at += c == '\'' ? 2 : 1;
        }
    }
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Emits a code point as UTF-8. */
static void emit_character(trace *t, uint32_t c, size_t offset) {
    if (c < 0x80) {
        emit(t, (char)c, offset);
    } else if (c < 0x800) {
        emit(t, (char)(0xC0 | (c >> 6)), offset);
        emit(t, (char)(0x80 | (c & 0x3F)), offset);
    } else if (c < 0x10000) {
        emit(t, (char)(0xE0 | (c >> 12)), offset);
        emit(t, (char)(0x80 | ((c >> 6) & 0x3F)), offset);
        emit(t, (char)(0x80 | (c & 0x3F)), offset);
    } else {
        emit(t, (char)(0xF0 | (c >> 18)), offset);
        emit(t, (char)(0x80 | ((c >> 12) & 0x3F)), offset);
        emit(t, (char)(0x80 | ((c >> 6) & 0x3F)), offset);
        emit(t, (char)(0x80 | (c & 0x3F)), offset);
    }
}

/* The character that an escape letter stands for. */
static uint32_t escape_meaning(char letter) {
    static const char letters[] = "0abtnvfre \"/\\N_LP\t";
    static const uint16_t meanings[] = {0,   7,   8,   9,    10,   11,   12,     13,     27,
                                        ' ', '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029, '\t'};
    const char *found = letter ? strchr(letters, letter) : NULL;
    return found ? meanings[found - letters] : 0;
}

/* The escape at `at` (its backslash). Returns where it ends. */
static size_t trace_escape(trace *t, size_t at) {
    const char letter = at + 1 < t->end ? t->source[at + 1] : '\0';
    const size_t n_digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (n_digits == 0) {
        emit_character(t, escape_meaning(letter), at);
        return at + 2;
    }
    uint32_t c = 0;
    for (size_t i = at + 2; i < at + 2 + n_digits; i++) {
        const int digit = i < t->end ? hex_digit(t->source[i]) : -1;
        if (digit < 0) {
            t->failed = true;
            return t->end;
        }
        c = c * 16 + (uint32_t)digit;
    }
    emit_character(t, c, at);
    return at + 2 + n_digits;
}

static void trace_double(trace *t, size_t at) {
    t->end--; /* the closing quote */
    for (at++; at < t->end && !t->failed;) {
        const char c = t->source[at];
        if (is_blank(c) || is_break(c))
            at = fold_white(t, at, false);
        else if (c == '\\' && at + 1 < t->end && is_break(t->source[at + 1]))
            at = fold_white(t, at + 1, true);
        else if (c == '\\')
            at = trace_escape(t, at);
        else
            emit(t, c, at), at++;
    }
}

/* ---- literal and folded blocks ---- */

static size_t count_spaces(const trace *t, size_t at) {
    size_t n = 0;
    while (at + n < t->end && t->source[at + n] == ' ')
        n++;
    return n;
}

static size_t find_line_end(const trace *t, size_t at) {
    while (at < t->end && !is_break(t->source[at]))
        at++;
    return at;
}

static size_t next_line(const trace *t, size_t line_end) {
    return line_end < t->end ? line_end + break_size(t, line_end) : line_end;
}

/* Line breaks between two lines of text: the one that ended the line, at `ending`, and `n_empty` of
 * the empty lines after it. */
static void emit_breaks(trace *t, bool fold, size_t ending, size_t n_empty) {
    if (!fold)
        emit(t, '\n', ending);
    else if (n_empty == 0)
        emit(t, ' ', ending);
    for (size_t i = 0; i < n_empty; i++)
        emit(t, '\n', ending);
}

/* The lines of a block that are indented by at least `indent` columns. */
static void trace_lines(trace *t, size_t at, size_t indent) {
    const bool folded = t->scalar->style == IB_YAML_FOLDED;
    size_t n_empty = 0;
    size_t ending = at;
    bool has_text = false;
    bool was_blank = false;
    while (at < t->end && !t->failed) {
        const size_t n_spaces = count_spaces(t, at);
        const size_t line_end = find_line_end(t, at);
        const size_t start = at + (n_spaces < indent ? n_spaces : indent);
        if (start >= line_end) { /* an empty line */
            n_empty++;
        } else if (n_spaces < indent) {
            break; /* what follows the block */
        } else {
            const bool blank = is_blank(t->source[start]);
            if (has_text)
                emit_breaks(t, folded && !was_blank && !blank, ending, n_empty);
            for (size_t i = 0; !has_text && i < n_empty; i++)
                emit(t, '\n', ending);
            for (size_t i = start; i < line_end; i++)
                emit(t, t->source[i], i);
            n_empty = 0;
            ending = line_end;
            has_text = true;
            was_blank = blank;
        }
        at = next_line(t, line_end);
    }
    /* Chomping: the value says itself how many breaks are kept at the end. */
    while (!t->failed && t->n < t->scalar->length && t->scalar->text[t->n] == '\n')
        emit(t, '\n', ending);
}

/* Indentation of the first line with text, or of the longest empty one. */
static size_t detect_indent(const trace *t, size_t at) {
    size_t longest = 0;
    while (at < t->end) {
        const size_t n = count_spaces(t, at);
        const size_t line_end = find_line_end(t, at);
        if (at + n < line_end)
            return n;
        longest = n > longest ? n : longest;
        at = next_line(t, line_end);
    }
    return longest;
}

static void trace_block(trace *t, size_t at) {
    size_t given = 0;
    for (size_t i = at; i < t->end && !is_break(t->source[i]) && t->source[i] != '#'; i++) {
        if (t->source[i] >= '1' && t->source[i] <= '9')
            given = (size_t)(t->source[i] - '0');
    }
    const size_t start = next_line(t, find_line_end(t, at));
    if (given == 0) {
        trace_lines(t, start, detect_indent(t, start));
        return;
    }
    /* A given indentation counts from the parent's, which the first fit tells. */
    for (size_t parent = 0; parent <= IB_YAML_DEPTH * 8; parent++) {
        t->n = 0;
        t->failed = false;
        trace_lines(t, start, parent + given);
        if (!t->failed && t->n == t->scalar->length)
            return;
    }
    t->failed = true;
}

bool ib_marks_map(const ib_source *source, const ib_yaml *scalar, size_t *map) {
    trace t = {.scalar = scalar, .source = source->text, .end = scalar->end, .map = map};
    const size_t at = scalar->start;
    if (scalar->kind != IB_YAML_SCALAR || scalar->end > source->length || at >= scalar->end)
        return false;
    switch (scalar->style) {
    case IB_YAML_PLAIN:
        trace_plain(&t, at);
        break;
    case IB_YAML_SINGLE:
        trace_single(&t, at);
        break;
    case IB_YAML_DOUBLE:
        trace_double(&t, at);
        break;
    case IB_YAML_LITERAL:
    case IB_YAML_FOLDED:
        trace_block(&t, at);
        break;
    }
    if (t.failed || t.n != scalar->length)
        return false;
    map[t.n] = t.n > 0 ? map[t.n - 1] + 1 : at;
    return true;
}

ib_place ib_marks_place_by_map(const ib_source *source, const ib_yaml *scalar, const size_t *map,
                               size_t offset, size_t length) {
    if (!map || map[0] == SIZE_MAX)
        return ib_yaml_place(source, scalar);
    if (offset > scalar->length)
        offset = scalar->length;
    if (length > scalar->length - offset)
        length = scalar->length - offset;
    const size_t start = map[offset];
    const size_t end = length > 0 ? map[offset + length - 1] + 1 : start + 1;
    return ib_source_place(source, start, end);
}

ib_place ib_marks_place(const ib_source *source, const ib_yaml *scalar, size_t offset,
                        size_t length) {
    size_t *map = calloc(scalar->length + 1, sizeof(*map));
    const bool good = map && ib_marks_map(source, scalar, map);
    const ib_place place = ib_marks_place_by_map(source, scalar, good ? map : NULL, offset, length);
    free(map);
    return place;
}
