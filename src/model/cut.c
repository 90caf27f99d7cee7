/* cut: a value that a comma cut in two.
 *
 * Inside {} and [] a comma ends a plain value, so that YAML reads `{motion: step(t, 0, 0, 1, 1)}`
 * as `motion: step(t` followed by the keys `0`, `0`, `1` and `1)`. The open parenthesis gives it
 * away.
 */
#include "model/yaml.h"

#include <string.h>

int ib_yaml_open_parentheses(const char *text) {
    int open = 0;
    for (; *text != '\0'; text++)
        open += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    return open;
}

static int opens(const ib_yaml *node) {
    if (node->kind != IB_YAML_SCALAR || node->style != IB_YAML_PLAIN || node->reported)
        return 0;
    return ib_yaml_open_parentheses(node->text);
}

/* Index of the child that closes what child `first` opened, or 0. */
static size_t find_close(bool is_map, ib_yaml *const *children, size_t n, size_t first, int open) {
    const size_t stride = is_map ? 2 : 1;
    const size_t start = first + 1;
    for (size_t i = start; i < n; i += stride) {
        const ib_yaml *piece = children[i];
        const bool has_value = is_map && i + 1 < n && children[i + 1]->length > 0;
        if (piece->kind != IB_YAML_SCALAR || has_value)
            return 0;
        open += ib_yaml_open_parentheses(piece->text);
        if (open <= 0)
            return i;
    }
    return 0;
}

static void report(const ib_source *source, ib_diags *diags, const ib_yaml *key, ib_yaml *value,
                   size_t end) {
    value->reported = true;
    ib_diags_add(diags, IB_ERROR, IB0204, ib_source_place(source, value->start, value->end),
                 "the comma after '%s' ends the value here, inside braces or brackets",
                 value->text);
    const char *text = source->text + value->start;
    const size_t length = end - value->start;
    if (length > 200 || memchr(text, '\n', length) || memchr(text, '\'', length)) {
        ib_diags_suggest(diags, "quote the whole expression");
        return;
    }
    const char quote = memchr(text, '"', length) ? '\'' : '"';
    ib_diags_suggest(diags, "quote it: %s%s%c%.*s%c", key ? key->text : "", key ? ": " : "", quote,
                     (int)length, text, quote);
}

/* End of the text that continues from `start`: where a comma or bracket stands outside its
 * parentheses, blanks before it aside. */
static size_t find_text_end(const ib_source *source, size_t start) {
    int open = 0;
    size_t end = start;
    for (size_t i = start; i < source->length && source->text[i] != '\n'; i++) {
        const char c = source->text[i];
        if (open <= 0 && (c == ',' || c == '}' || c == ']'))
            return end;
        open += c == '(' ? 1 : c == ')' ? -1 : 0;
        end = c == ' ' ? end : i + 1;
    }
    return open <= 0 ? end : source->length;
}

size_t ib_yaml_join_cut(const ib_source *source, ib_diags *diags, bool is_map, bool whole,
                        ib_yaml **children, size_t n, bool *found) {
    const size_t stride = is_map ? 2 : 1;
    size_t kept = 0;
    *found = false;
    for (size_t i = 0; i < n; i += stride) {
        for (size_t j = i; j < i + stride && j < n; j++)
            children[kept++] = children[j];
        const size_t value = i + stride - 1;
        const int open = value < n ? opens(children[value]) : 0;
        if (open <= 0)
            continue;
        const size_t close = find_close(is_map, children, n, value, open);
        if (close == 0 && whole)
            continue;
        const size_t end = find_text_end(source, children[value]->start);
        report(source, diags, is_map ? children[i] : NULL, children[value], end);
        *found = true;
        if (close == 0)
            break;
        i = close;
    }
    return kept;
}
