/* Texts of inputs and of results: kept once each for as long as the run lasts, so that a value is
 * the address of its text.
 */
#include "fmi/reader.h"
#include "fmi/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 28)

/* Control characters as \xNN: a row of results is a line. */
static bool add_escaped(ib_str *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != 0x7F)
            ib_str_add_char(out, (char)c);
        else
            ib_str_printf(out, "\\x%02x", c);
    }
    return !out->failed;
}

const char *ib_fmi_keep_text(ib_fmu_run *run, const char *text) {
    ib_fmi_texts *texts = &run->texts;
    size_t index;
    if (!texts->names && !(texts->names = ib_names_create()))
        return NULL;
    index = ib_names_find(texts->names, text);
    if (index != SIZE_MAX)
        return texts->list[index];
    const size_t length = strlen(text);
    const char *kept = ib_arena_strdup(run->arena, text);
    texts->bytes += length + 1;
    if (!kept || texts->bytes > MOST_BYTES ||
        !IB_VEC_RESERVE(texts->list, texts->capacity, texts->n) ||
        !ib_names_add(texts->names, kept, &index))
        return NULL;
    texts->list[texts->n++] = kept;
    return kept;
}

const char *ib_fmi_keep_shown(ib_fmu_run *run, const char *text) {
    ib_str shown = {0};
    ib_str_add(&shown, "");
    const bool good = add_escaped(&shown, text, strlen(text));
    const char *kept = good ? ib_fmi_keep_text(run, shown.data ? shown.data : "") : NULL;
    ib_str_free(&shown);
    return kept;
}

const char *ib_fmi_keep_bytes(ib_fmu_run *run, const uint8_t *bytes, size_t n) {
    ib_str shown = {0};
    for (size_t i = 0; i < n; i++)
        ib_str_printf(&shown, "%02x", bytes[i]);
    const char *kept = shown.failed ? NULL : ib_fmi_keep_text(run, shown.data ? shown.data : "");
    ib_str_free(&shown);
    return kept;
}

void ib_fmi_free_texts(ib_fmu_run *run) {
    ib_names_destroy(run->texts.names);
    free(run->texts.list);
}

/* ---- bytes --------------------------------------------------------------------------------- */

ib_status ib_fmi_set_hex(ib_fmi_instance *instance, uint32_t reference, const char *const *texts,
                         size_t n) {
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += texts[i] ? strlen(texts[i]) / 2 : 0;
    uint8_t *bytes = malloc(total + 1), *next = bytes;
    size_t *sizes = calloc(n + 1, sizeof *sizes);
    const uint8_t **values = calloc(n + 1, sizeof *values);
    ib_status status = bytes && sizes && values ? IB_OK : IB_NO_MEMORY;
    for (size_t i = 0; i < n && status == IB_OK; i++) {
        const size_t length = texts[i] ? strlen(texts[i]) : 0;
        ib_fmi_parse_hex(texts[i] ? texts[i] : "", length, next);
        values[i] = next;
        sizes[i] = length / 2;
        next += sizes[i];
    }
    if (status == IB_OK)
        status = ib_fmi_set_binary(instance, reference, n, sizes, values);
    free(bytes);
    free(sizes);
    free(values);
    return status;
}
