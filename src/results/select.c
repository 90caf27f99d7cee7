/* Patterns and formulas told apart: a text that matches names of channels stands for those
 * channels, any other text for itself.
 */
#include "results_internal.h"

#include <stdlib.h>
#include <string.h>

static bool add(ib_texts *texts, const char *text) {
    for (size_t i = 0; i < texts->n; i++)
        if (strcmp(texts->list[i], text) == 0)
            return true;
    if (!IB_VEC_RESERVE(texts->list, texts->capacity, texts->n))
        return false;
    texts->list[texts->n++] = text;
    return true;
}

static bool add_pattern(ib_texts *texts, const ib_results *results, const char *pattern) {
    bool any = false;
    if (!strpbrk(pattern, "*?["))
        return add(texts, pattern);
    for (size_t i = 0; i < ib_results_channel_count(results); i++) {
        const char *name = ib_results_channel_info(results, (ib_handle)i).name;
        if (!ib_glob_match(pattern, name))
            continue;
        any = true;
        if (!add(texts, name))
            return false;
    }
    return any || add(texts, pattern);
}

bool ib_texts_expand(ib_texts *texts, const ib_results *results, const char *const *patterns,
                     size_t n_patterns) {
    for (size_t i = 0; i < n_patterns; i++)
        if (!add_pattern(texts, results, patterns[i]))
            return false;
    return true;
}

void ib_texts_free(ib_texts *texts) {
    free(texts->list);
    *texts = (ib_texts){0};
}
