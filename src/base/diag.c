/* Diagnostics: the sink that functions leave their findings in.
 *
 * Everything lives in one arena until the sink is cleared. Diagnostics are reached through an array
 * of pointers, so what a caller holds stays where it is while more are added. When memory runs out
 * the sink still counts an error: one diagnostic that needs no memory stands in for the lost ones.
 */
#include "base/base_internal.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_MESSAGE ((size_t)600) /* bytes; of a longer one, its begin and its end */
#define LONGEST_END ((size_t)150)

typedef struct entry {
    ib_diag diag;
    ib_diag_note *notes;
    size_t notes_capacity;
} entry;

typedef struct source {
    const char *file;
    char **lines; /* NULL while the text is not known; each terminated */
    size_t n_lines;
} source;

struct ib_diags {
    ib_arena *arena;
    entry **entries;
    size_t n_entries, entries_capacity;
    size_t n_errors;
    entry *last;     /* what notes and suggestions are added to; NULL when it was lost */
    source *sources; /* one for each file name seen, in the order seen */
    size_t n_sources, sources_capacity;
    ib_names *files;
    bool lost;
};

static const char *const id_names[] = {
#define IB_DIAG(id, title, explanation) #id,
#include "base/diagnostics.def"
#undef IB_DIAG
};

static const char *const id_explanations[] = {
#define IB_DIAG(id, title, explanation) title "\n" explanation,
#include "base/diagnostics.def"
#undef IB_DIAG
};

static const ib_diag lost_diag = {.severity = IB_ERROR,
                                  .id = "IB0103",
                                  .message =
                                      "out of memory while reporting; some messages are lost"};

const char *ib_diag_explain(const char *id) {
    for (size_t i = 0; id && i < IB_COUNT(id_names); i++)
        if (strcmp(id, id_names[i]) == 0)
            return id_explanations[i];
    return NULL;
}

const char *ib_diag_name(ib_diag_id id) { return id_names[id]; }

ib_diags *ib_diags_create(void) {
    ib_diags *diags = calloc(1, sizeof *diags);
    if (!diags)
        return NULL;
    diags->arena = ib_arena_create();
    diags->files = ib_names_create();
    if (!diags->arena || !diags->files) {
        ib_diags_destroy(diags);
        return NULL;
    }
    return diags;
}

void ib_diags_destroy(ib_diags *diags) {
    if (!diags)
        return;
    ib_arena_destroy(diags->arena);
    ib_names_destroy(diags->files);
    free(diags->entries);
    free(diags->sources);
    free(diags);
}

void ib_diags_clear(ib_diags *diags) {
    /* The names are borrowed from the arena: a fresh map first, and without one the old file names
     * and sources stay. */
    ib_names *files = ib_names_create();
    diags->n_entries = diags->n_errors = 0;
    diags->last = NULL;
    diags->lost = false;
    if (!files)
        return;
    ib_names_destroy(diags->files);
    diags->files = files;
    diags->n_sources = 0;
    ib_arena_reset(diags->arena);
}

size_t ib_diags_count(const ib_diags *diags) { return diags->n_entries + diags->lost; }

size_t ib_diags_errors(const ib_diags *diags) { return diags->n_errors + diags->lost; }

const ib_diag *ib_diags_at(const ib_diags *diags, size_t index) {
    if (index < diags->n_entries)
        return &diags->entries[index]->diag;
    return index == diags->n_entries && diags->lost ? &lost_diag : NULL;
}

/* The index of a file among the sources, added when new; SIZE_MAX when out of memory. */
static size_t source_index(ib_diags *diags, const char *file) {
    const size_t found = ib_names_find(diags->files, file);
    if (found != SIZE_MAX)
        return found;
    const char *name = ib_arena_strdup(diags->arena, file);
    size_t index = SIZE_MAX;
    if (!name || !IB_VEC_RESERVE(diags->sources, diags->sources_capacity, diags->n_sources) ||
        !ib_names_add(diags->files, name, &index))
        return SIZE_MAX;
    diags->sources[diags->n_sources++] = (source){.file = name};
    return index;
}

const char *ib_diags_file(ib_diags *diags, const char *file) {
    if (!diags || !file)
        return NULL;
    const size_t index = source_index(diags, file);
    return index == SIZE_MAX ? NULL : diags->sources[index].file;
}

/* Bytes of the line break at text[0..length): LF, CR LF, CR, or 0. */
static size_t line_break(const char *text, size_t length) {
    if (!length || (text[0] != '\n' && text[0] != '\r'))
        return 0;
    return text[0] == '\r' && length > 1 && text[1] == '\n' ? 2 : 1;
}

static size_t count_lines(const char *text, size_t length) {
    size_t n = 1;
    for (size_t i = 0; i < length;) {
        const size_t size = line_break(text + i, length - i);
        n += size > 0;
        i += size ? size : 1;
    }
    return n;
}

/* Cuts a copy of the text into terminated lines. */
static bool cut_lines(ib_arena *arena, const char *text, size_t length, source *to) {
    char *copy = ib_arena_strndup(arena, text, length);
    const size_t n = count_lines(text, length);
    char **lines = IB_ARENA_ARRAY(arena, n, char *);
    if (!copy || !lines)
        return false;
    size_t line = 0;
    lines[line++] = copy;
    for (size_t i = 0; i < length;) {
        const size_t size = line_break(copy + i, length - i);
        if (size) {
            copy[i] = '\0';
            lines[line++] = copy + i + size;
        }
        i += size ? size : 1;
    }
    to->lines = lines;
    to->n_lines = n;
    return true;
}

static const char *source_line(const ib_diags *diags, ib_place place) {
    const size_t index = place.file ? ib_names_find(diags->files, place.file) : SIZE_MAX;
    if (index == SIZE_MAX || !place.line || place.line > diags->sources[index].n_lines)
        return NULL;
    return diags->sources[index].lines[place.line - 1];
}

void ib_diags_source(ib_diags *diags, const char *file, const char *text, size_t length) {
    if (!diags || !file)
        return;
    const size_t index = source_index(diags, file);
    if (index == SIZE_MAX || !cut_lines(diags->arena, text, length, &diags->sources[index]))
        return; /* a message without its line is still a message */
    for (size_t i = 0; i < diags->n_entries; i++) {
        ib_diag *diag = &diags->entries[i]->diag;
        if (diag->place.file == diags->sources[index].file)
            diag->source_line = source_line(diags, diag->place);
    }
}

/* Takes out the middle of a message that quotes something endless. No character is cut in two. */
static size_t cut_middle(char *text, size_t length) {
    size_t cut = 0, rest = length - LONGEST_END;
    while (cut < LONGEST_MESSAGE - LONGEST_END)
        cut += ib_utf8_size(text + cut, length - cut);
    while (rest < length && ((unsigned char)text[rest] & 0xc0) == 0x80)
        rest++;
    memcpy(text + cut, "...", 3);
    memmove(text + cut + 3, text + rest, length - rest + 1);
    return cut + 3 + length - rest;
}

/* Makes one printable line of a message that may quote anything from a user's file. */
static void make_one_line(char *text) {
    size_t length = strlen(text);
    if (length > LONGEST_MESSAGE)
        length = cut_middle(text, length);
    for (size_t i = 0, size; i < length; i += size) {
        const unsigned char byte = (unsigned char)text[i];
        size = ib_utf8_size(text + i, length - i);
        if (byte < 0x20 || byte == 0x7f)
            text[i] = ' ';
        else if (byte >= 0x80 && size == 1)
            text[i] = '?';
        else if (size == 2 && byte == 0xc2 &&
                 (unsigned char)text[i + 1] < 0xa0) /* U+009B is ESC [ */
            text[i] = text[i + 1] = ' ';
    }
}

static char *message_text(ib_diags *diags, const char *format, va_list arguments) {
    char *text = ib_arena_vprintf(diags->arena, format, arguments);
    if (text)
        make_one_line(text);
    return text;
}

/* The place with its file name kept by the sink. */
static ib_place kept_place(ib_diags *diags, ib_place place) {
    place.file = ib_diags_file(diags, place.file);
    if (place.line && !place.length)
        place.length = 1;
    return place;
}

static entry *add_entry(ib_diags *diags) {
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    if (!IB_VEC_RESERVE(diags->entries, diags->entries_capacity, diags->n_entries))
        return NULL;
    entry *added = IB_ARENA_NEW(diags->arena, entry);
    if (added)
        diags->entries[diags->n_entries++] = added;
    return added;
}

void ib_diags_add(ib_diags *diags, ib_severity severity, ib_diag_id id, ib_place place,
                  const char *format, ...) {
    if (!diags)
        return;
    va_list arguments;
    va_start(arguments, format);
    const char *message = message_text(diags, format, arguments);
    va_end(arguments);
    diags->last = message ? add_entry(diags) : NULL;
    if (!diags->last) {
        diags->lost = true;
        return;
    }
    ib_diag *diag = &diags->last->diag;
    diag->severity = severity;
    diag->id = id_names[id];
    diag->message = message;
    diag->place = kept_place(diags, place);
    diag->source_line = source_line(diags, diag->place);
    diags->n_errors += severity == IB_ERROR;
}

ib_status ib_diags_no_memory(ib_diags *diags) {
    ib_diags_add(diags, IB_ERROR, IB0103, IB_NO_PLACE, "out of memory");
    return IB_NO_MEMORY;
}

/* Room for one more note. The old array stays where a caller may hold it. */
static bool reserve_note(ib_diags *diags, entry *to) {
    if (to->diag.n_notes < to->notes_capacity)
        return true;
    const size_t capacity = to->notes_capacity ? 2 * to->notes_capacity : 2;
    ib_diag_note *notes = IB_ARENA_ARRAY(diags->arena, capacity, ib_diag_note);
    if (!notes)
        return false;
    if (to->diag.n_notes)
        memcpy(notes, to->notes, to->diag.n_notes * sizeof *notes);
    to->notes = notes;
    to->diag.notes = notes;
    to->notes_capacity = capacity;
    return true;
}

void ib_diags_note(ib_diags *diags, ib_place place, const char *format, ...) {
    if (!diags || !diags->last)
        return;
    va_list arguments;
    va_start(arguments, format);
    const char *message = message_text(diags, format, arguments);
    va_end(arguments);
    entry *to = diags->last;
    if (message && reserve_note(diags, to))
        to->notes[to->diag.n_notes++] =
            (ib_diag_note){.message = message, .place = kept_place(diags, place)};
}

void ib_diags_suggest(ib_diags *diags, const char *format, ...) {
    if (!diags || !diags->last)
        return;
    va_list arguments;
    va_start(arguments, format);
    diags->last->diag.suggestion = message_text(diags, format, arguments);
    va_end(arguments);
}

/* ---- order ---- */

/* Places without a file come last. */
static size_t file_rank(const ib_diags *diags, const ib_diag *diag) {
    return diag->place.file ? ib_names_find(diags->files, diag->place.file) : SIZE_MAX;
}

static bool comes_before(const ib_diags *diags, const entry *a, const entry *b) {
    const size_t rank_a = file_rank(diags, &a->diag), rank_b = file_rank(diags, &b->diag);
    if (rank_a != rank_b)
        return rank_a < rank_b;
    if (a->diag.place.line != b->diag.place.line)
        return a->diag.place.line < b->diag.place.line;
    return a->diag.place.column < b->diag.place.column;
}

/* Merges the runs from[low..middle) and from[middle..high), equal ones in their order. */
static void merge(const ib_diags *diags, entry **from, size_t low, size_t middle, size_t high,
                  entry **to) {
    size_t left = low, right = middle;
    for (size_t i = low; i < high; i++) {
        const bool take_right =
            left >= middle || (right < high && comes_before(diags, from[right], from[left]));
        to[i] = take_right ? from[right++] : from[left++];
    }
}

static size_t at_most(size_t a, size_t b) { return a < b ? a : b; }

void ib_diags_sort(ib_diags *diags) {
    if (!diags || diags->n_entries < 2)
        return;
    const size_t n = diags->n_entries;
    const size_t bytes = n * sizeof(entry *); /* NOLINT(bugprone-sizeof-expression) */
    entry **spare = malloc(bytes);
    if (!spare)
        return; /* unsorted messages are still messages */
    entry **from = diags->entries, **to = spare;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width)
            merge(diags, from, low, at_most(low + width, n), at_most(low + 2 * width, n), to);
        entry **const sorted = to;
        to = from, from = sorted;
    }
    if (from != diags->entries)
        memcpy(diags->entries, from, bytes);
    free(spare);
}
