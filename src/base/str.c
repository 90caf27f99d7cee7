/* Strings: a growing text buffer, formatting without the locale, UTF-8 steps, JSON text.
 *
 * Numbers in files and results are written by number.c; `%g` here is for messages.
 */
#include "base/base_internal.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ib_format_c(char *buffer, size_t size, const char *format, va_list arguments) {
    /* The thread's locale alone is switched; the host program's other threads see nothing. */
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
    const int length = vsnprintf(buffer, size, format, arguments);
    if (c_locale) {
        uselocale(before);
        freelocale(c_locale);
    }
    return length;
}

void ib_str_free(ib_str *str) {
    free(str->data);
    *str = (ib_str){0};
}

void ib_str_clear(ib_str *str) {
    str->length = 0;
    str->failed = false;
    if (str->data)
        str->data[0] = '\0';
}

/* Room for `more` characters and the terminator. */
static bool reserve(ib_str *str, size_t more) {
    if (str->failed)
        return false;
    if (more < str->capacity - str->length)
        return true;
    if (more > SIZE_MAX / 4 || str->length > SIZE_MAX / 4) {
        str->failed = true;
        return false;
    }
    const size_t needed = str->length + more + 1;
#ifdef IB_HOSTILE
    const size_t capacity = needed < 4096 ? needed : needed + needed / 2;
#else
    const size_t capacity = needed < 64 ? 64 : needed + needed / 2;
#endif
    char *data = realloc(str->data, capacity);
    if (!data) {
        str->failed = true;
        return false;
    }
    str->data = data;
    str->capacity = capacity;
    return true;
}

void ib_str_add_n(ib_str *str, const char *text, size_t length) {
    if (!reserve(str, length))
        return;
    if (length)
        memcpy(str->data + str->length, text, length);
    str->length += length;
    str->data[str->length] = '\0';
}

void ib_str_add(ib_str *str, const char *text) { ib_str_add_n(str, text, strlen(text)); }

void ib_str_add_char(ib_str *str, char c) { ib_str_add_n(str, &c, 1); }

static void add_formatted(ib_str *str, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = ib_format_c(NULL, 0, format, arguments);
    if (length < 0)
        str->failed = true;
    else if (reserve(str, (size_t)length)) {
        ib_format_c(str->data + str->length, (size_t)length + 1, format, again);
        str->length += (size_t)length;
    }
    va_end(again);
}

void ib_str_printf(ib_str *str, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_formatted(str, format, arguments);
    va_end(arguments);
}

/* The length of the sequence that a lead byte announces, 0 for bytes that cannot lead, and the
 * range of the second byte (Unicode 15, table 3-7: no overlong forms, surrogates, or beyond
 * U+10FFFF). */
static size_t utf8_lead(unsigned char lead, unsigned char *low, unsigned char *high) {
    *low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* Bytes of the well-formed sequence at `text`, 0 when there is none. */
static size_t utf8_sequence(const char *text, size_t length) {
    unsigned char low, high;
    const size_t size = length ? utf8_lead((unsigned char)text[0], &low, &high) : 0;
    if (size > length)
        return 0;
    for (size_t i = 1; i < size; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte < (i == 1 ? low : 0x80) || byte > (i == 1 ? high : 0xbf))
            return 0;
    }
    return size;
}

size_t ib_utf8_size(const char *text, size_t length) {
    const size_t size = utf8_sequence(text, length);
    return size || !length ? size : 1;
}

void ib_str_add_shown(ib_str *str, const char *text) {
    size_t left = strlen(text);
    while (left) {
        const unsigned char byte = (unsigned char)text[0];
        const size_t size = utf8_sequence(text, left), step = size ? size : 1;
        /* U+0080 to U+009F are control characters, too: 0x9b begins an escape sequence. */
        const bool high = size == 2 && byte == 0xc2 && (unsigned char)text[1] < 0xa0;
        if (byte == '\n' || byte == '\r' || byte == '\t')
            ib_str_add(str, byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t");
        else if (!size || high || byte < 0x20 || byte == 0x7f)
            for (size_t i = 0; i < step; i++)
                ib_str_printf(str, "\\x%02x", (unsigned)(unsigned char)text[i]);
        else
            ib_str_add_n(str, text, size);
        text += step;
        left -= step;
    }
}

/* The letter after the backslash in JSON's short escapes, 0 where there is none. */
static char json_escape(char c) {
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return '\0';
    }
}

void ib_str_add_json(ib_str *str, const char *text) {
    size_t left = strlen(text);
    while (left) {
        const size_t size = utf8_sequence(text, left);
        const char escape = json_escape(*text);
        if (escape) {
            ib_str_add_char(str, '\\');
            ib_str_add_char(str, escape);
        } else if (!size) {
            ib_str_add(str, "\xef\xbf\xbd"); /* U+FFFD for a byte that is no text */
        } else if ((unsigned char)*text < 0x20) {
            ib_str_printf(str, "\\u%04x", (unsigned)(unsigned char)*text);
        } else {
            ib_str_add_n(str, text, size);
        }
        text += size ? size : 1;
        left -= size ? size : 1;
    }
}
