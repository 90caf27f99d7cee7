/* source: a text, its lines, and the place of a byte.
 *
 * Lines end at LF, CR LF or CR, columns count code points.
 */
#include "model/yaml.h"

#include <string.h>

bool ib_source_ends_line(const ib_source *source, size_t byte) {
    const char c = source->text[byte];
    return c == '\n' ||
           (c == '\r' && (byte + 1 == source->length || source->text[byte + 1] != '\n'));
}

bool ib_source_create(ib_arena *arena, const char *file, const char *text, size_t length,
                      ib_source *source) {
    size_t n_lines = 1;
    *source = (ib_source){.file = file, .text = text, .length = length};
    for (size_t i = 0; i < length; i++)
        n_lines += ib_source_ends_line(source, i);
    source->n_lines = n_lines;
    source->lines = IB_ARENA_ARRAY(arena, n_lines, size_t);
    if (!source->lines)
        return false;
    size_t line = 1;
    for (size_t i = 0; i < length; i++) {
        if (ib_source_ends_line(source, i))
            source->lines[line++] = i + 1;
    }
    return true;
}

/* Index of the line that holds the byte. */
static size_t find_line(const ib_source *source, size_t offset) {
    size_t low = 0;
    size_t high = source->n_lines;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (source->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Code points in the bytes from .. to-1. */
static size_t count_characters(const char *text, size_t from, size_t to) {
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

ib_place ib_source_place(const ib_source *source, size_t start, size_t end) {
    if (start > source->length)
        start = source->length;
    const size_t line = find_line(source, start);
    size_t line_end = line + 1 < source->n_lines ? source->lines[line + 1] - 1 : source->length;
    if (line_end > start && source->text[line_end - 1] == '\r')
        line_end--;
    if (end > line_end)
        end = line_end;
    size_t width = end > start ? count_characters(source->text, start, end) : 0;
    if (width == 0)
        width = 1;
    return (ib_place){
        .file = source->file,
        .line = (uint32_t)(line + 1),
        .column = (uint32_t)(count_characters(source->text, source->lines[line], start) + 1),
        .length = (uint32_t)width};
}
