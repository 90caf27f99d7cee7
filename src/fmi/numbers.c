/* Values as text: tokens, numbers of every type in their range, hexadecimal bytes. The forms are
 * those of XML Schema (part 2): INF, -INF and NaN besides decimals; true, false, 1, 0.
 */
#include "fmi/reader.h"

#include <float.h>
#include <math.h> /* NAN, HUGE_VAL only */
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
#define ROW(key, name, bytes) {name, bytes},
    IB_FMI_TYPES(ROW)
#undef ROW
};

const char *ib_fmi_type_name(ib_fmi_type type) { return types[type].name; }

size_t ib_fmi_type_size(ib_fmi_type type) { return types[type].bytes; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

const char *ib_fmi_token(const char **cursor, size_t *length) {
    const char *start = *cursor;
    while (is_blank(*start))
        start++;
    const char *end = start;
    while (*end && !is_blank(*end))
        end++;
    *cursor = end;
    *length = (size_t)(end - start);
    return end > start ? start : NULL;
}

static void trim(const char **text, size_t *n) {
    while (*n && is_blank(**text)) {
        ++*text;
        --*n;
    }
    while (*n && is_blank((*text)[*n - 1]))
        --*n;
}

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && strncmp(text, word, n) == 0;
}

static bool parse_double(const char *text, size_t n, double *value) {
    if (is_word(text, n, "INF") || is_word(text, n, "-INF")) {
        *value = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
        return true;
    }
    if (is_word(text, n, "NaN")) {
        *value = NAN;
        return true;
    }
    return n && ib_number_parse(text, n, value) == n;
}

static bool parse_float(const char *text, size_t n, float *value) {
    double wide;
    if (!parse_double(text, n, &wide))
        return false;
    *value = (float)wide;
    return true;
}

/* Digits with a sign or without; *size is the value without it. */
static bool parse_whole(const char *text, size_t n, bool *negative, uint64_t *size) {
    *negative = n && text[0] == '-';
    const size_t sign = n && (text[0] == '-' || text[0] == '+');
    *size = 0;
    for (size_t i = sign; i < n; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || *size > (UINT64_MAX - digit) / 10)
            return false;
        *size = 10 * *size + digit;
    }
    return n > sign;
}

static bool parse_signed(const char *text, size_t n, int64_t least, int64_t most, int64_t *value) {
    bool negative;
    uint64_t size;
    if (!parse_whole(text, n, &negative, &size))
        return false;
    if (size > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? -(int64_t)(size - (size > 0)) - (size > 0) : (int64_t)size;
    return *value >= least && *value <= most;
}

static bool parse_unsigned(const char *text, size_t n, uint64_t most, uint64_t *value) {
    bool negative;
    return parse_whole(text, n, &negative, value) && (!negative || !*value) && *value <= most;
}

static bool parse_bool(const char *text, size_t n, bool *value) {
    *value = is_word(text, n, "true") || is_word(text, n, "1");
    return *value || is_word(text, n, "false") || is_word(text, n, "0");
}

#define SIGNED(type, least, most)                                                                  \
    {                                                                                              \
        int64_t wide;                                                                              \
        if (!parse_signed(text, n, least, most, &wide))                                            \
            return false;                                                                          \
        if (value)                                                                                 \
            *(type *)value = (type)wide;                                                           \
        return true;                                                                               \
    }
#define UNSIGNED(type, most)                                                                       \
    {                                                                                              \
        uint64_t wide;                                                                             \
        if (!parse_unsigned(text, n, most, &wide))                                                 \
            return false;                                                                          \
        if (value)                                                                                 \
            *(type *)value = (type)wide;                                                           \
        return true;                                                                               \
    }

static bool parse_integer(ib_fmi_type type, const char *text, size_t n, void *value) {
    switch (type) {
    case IB_FMI_INT8:
        SIGNED(int8_t, INT8_MIN, INT8_MAX)
    case IB_FMI_UINT8:
        UNSIGNED(uint8_t, UINT8_MAX)
    case IB_FMI_INT16:
        SIGNED(int16_t, INT16_MIN, INT16_MAX)
    case IB_FMI_UINT16:
        UNSIGNED(uint16_t, UINT16_MAX)
    case IB_FMI_INT32:
        SIGNED(int32_t, INT32_MIN, INT32_MAX)
    case IB_FMI_UINT32:
        UNSIGNED(uint32_t, UINT32_MAX)
    case IB_FMI_UINT64:
        UNSIGNED(uint64_t, UINT64_MAX)
    default:
        SIGNED(int64_t, INT64_MIN, INT64_MAX)
    }
}

bool ib_fmi_parse_value(ib_fmi_type type, const char *text, size_t n, void *value) {
    float single;
    double wide;
    bool truth;
    trim(&text, &n);
    switch (type) {
    case IB_FMI_FLOAT32:
        return parse_float(text, n, value ? value : &single);
    case IB_FMI_FLOAT64:
        return parse_double(text, n, value ? value : &wide);
    case IB_FMI_BOOLEAN:
    case IB_FMI_CLOCK:
        return parse_bool(text, n, value ? value : &truth);
    default:
        return parse_integer(type, text, n, value);
    }
}

static int nibble(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool ib_fmi_parse_hex(const char *text, size_t length, uint8_t *bytes) {
    for (size_t i = 0; i + 1 < length; i += 2) {
        const int high = nibble(text[i]), low = nibble(text[i + 1]);
        if (high < 0 || low < 0)
            return false;
        if (bytes)
            bytes[i / 2] = (uint8_t)(16 * high + low);
    }
    return length % 2 == 0;
}
