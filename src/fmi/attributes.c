/* Attributes of the element being read: by name, as text, numbers, choices and lists, each
 * malformed one reported where it stands. Which ones were looked at is noted, so that the rest can
 * be named.
 */
#include "fmi/reader.h"

#include <math.h> /* NAN only */
#include <string.h>

const char *ib_fmi_attribute(ib_fmi_reader *reader, const char *name) {
    const char **attributes = reader->attributes;
    for (size_t i = 0; attributes[2 * i]; i++)
        if (attributes[2 * i][0] == name[0] && strcmp(attributes[2 * i], name) == 0) {
            if (i < 64)
                reader->taken |= UINT64_C(1) << i;
            return attributes[2 * i + 1];
        }
    return NULL;
}

const char *ib_fmi_text(ib_fmi_reader *reader, const char *name, const char *absent) {
    const char *value = ib_fmi_attribute(reader, name);
    if (!value)
        return absent;
    const char *kept = ib_arena_strdup(reader->arena, value);
    if (kept)
        return kept;
    ib_fmi_no_memory(reader);
    return absent;
}

const char *ib_fmi_required(ib_fmi_reader *reader, const char *name) {
    const char *value = ib_fmi_text(reader, name, NULL);
    if (value)
        return value;
    if (!reader->no_memory)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1014, reader->place, "<%s> needs the attribute '%s'",
                    reader->element, name);
    return "";
}

static void complain(ib_fmi_reader *reader, const char *name, const char *value, const char *what) {
    ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1015,
                ib_fmi_attribute_place(reader, reader->place, name), "%s=\"%.80s\" is not %s", name,
                value, what);
}

bool ib_fmi_bool(ib_fmi_reader *reader, const char *name, bool absent) {
    const char *value = ib_fmi_attribute(reader, name);
    bool result = absent;
    if (value && !ib_fmi_parse_value(IB_FMI_BOOLEAN, value, strlen(value), &result))
        complain(reader, name, value, "true or false");
    return result;
}

double ib_fmi_double(ib_fmi_reader *reader, const char *name, double absent) {
    const char *value = ib_fmi_attribute(reader, name);
    double result = absent;
    if (value && !ib_fmi_parse_value(IB_FMI_FLOAT64, value, strlen(value), &result))
        complain(reader, name, value, "a number");
    return result;
}

int64_t ib_fmi_int(ib_fmi_reader *reader, const char *name, int64_t least, int64_t most,
                   int64_t absent, bool *given) {
    const char *value = ib_fmi_attribute(reader, name);
    int64_t result = absent;
    if (given)
        *given = value != NULL;
    if (!value)
        return absent;
    if (!ib_fmi_parse_value(IB_FMI_INT64, value, strlen(value), &result) || result < least ||
        result > most) {
        complain(reader, name, value, "a whole number in range");
        return absent;
    }
    return result;
}

uint64_t ib_fmi_uint(ib_fmi_reader *reader, const char *name, uint64_t most, uint64_t absent,
                     bool *given) {
    const char *value = ib_fmi_attribute(reader, name);
    uint64_t result = absent;
    if (given)
        *given = value != NULL;
    if (!value)
        return absent;
    if (!ib_fmi_parse_value(IB_FMI_UINT64, value, strlen(value), &result) || result > most) {
        complain(reader, name, value, "a whole number from 0 up, in range");
        return absent;
    }
    return result;
}

int ib_fmi_choice(ib_fmi_reader *reader, const char *name, const char *const *names, int n,
                  int absent, bool *given) {
    const char *value = ib_fmi_attribute(reader, name);
    if (given)
        *given = value != NULL;
    for (int i = 0; value && i < n; i++)
        if (names[i] && *names[i] && strcmp(names[i], value) == 0)
            return i;
    if (value) {
        const char *known[16];
        size_t count = 0;
        for (int i = 0; i < n && count < IB_COUNT(known); i++)
            if (names[i] && *names[i])
                known[count++] = names[i];
        complain(reader, name, value, "one of the words it may be");
        const char *nearest = ib_nearest_name(value, known, count);
        if (nearest && reader->diags)
            ib_diags_suggest(reader->diags, "did you mean '%s'?", nearest);
    }
    return absent;
}

uint32_t *ib_fmi_references(ib_fmi_reader *reader, const char *name, size_t *n, bool *given) {
    const char *value = ib_fmi_attribute(reader, name), *cursor = value, *token;
    size_t length, count = 0;
    *n = 0;
    if (given)
        *given = value != NULL;
    while (cursor && ib_fmi_token(&cursor, &length))
        count++;
    if (!count)
        return NULL;
    uint32_t *list = IB_ARENA_ARRAY(reader->arena, count, uint32_t);
    if (!list)
        return ib_fmi_no_memory(reader);
    cursor = value;
    while ((token = ib_fmi_token(&cursor, &length))) {
        if (!ib_fmi_parse_value(IB_FMI_UINT32, token, length, &list[*n])) {
            complain(reader, name, value, "a list of whole numbers");
            break;
        }
        ++*n;
    }
    return list;
}

void ib_fmi_pass_over(ib_fmi_reader *reader, const char *names) {
    const char *cursor = names, *token;
    size_t length;
    while ((token = ib_fmi_token(&cursor, &length)))
        for (size_t i = 0; reader->attributes[2 * i] && i < 64; i++)
            if (strncmp(reader->attributes[2 * i], token, length) == 0 &&
                !reader->attributes[2 * i][length])
                reader->taken |= UINT64_C(1) << i;
}

void ib_fmi_report_unknown(ib_fmi_reader *reader) {
    for (size_t i = 0; reader->attributes[2 * i]; i++) {
        const char *name = reader->attributes[2 * i];
        /* Names with a prefix belong to other standards, layered on this one. */
        if ((i < 64 && reader->taken >> i & 1) || strchr(name, ':') ||
            strncmp(name, "xmlns", 5) == 0)
            continue;
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1013,
                    ib_fmi_attribute_place(reader, reader->place, name),
                    "<%s> has no attribute '%.80s'", reader->element, name);
    }
}
