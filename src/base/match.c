/* Matching of misspelt names: "did you mean ...?".
 *
 * The distance counts insertions, deletions, replacements and exchanges of two neighbours, each
 * stretch of text being edited once (optimal string alignment: Damerau 1964 in the tabular form of
 * Wagner and Fischer 1974). Bytes are compared, not characters.
 */
#include "base/base.h"

#include <string.h>

#define LONGEST 128

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_but_case(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b))
        a++, b++;
    return *a == *b;
}

/* The distance of a[0..n) and b[0..m), both shorter than LONGEST; anything above `limit` may be
 * returned as limit + 1. */
static size_t distance(const char *a, size_t n, const char *b, size_t m, size_t limit) {
    size_t rows[3][LONGEST];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t best = row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = smaller(last[j], row[j - 1]) + 1;
            row[j] = smaller(row[j], last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
            best = smaller(best, row[j]);
        }
        /* A row's least is at most one above the row before's, and an exchange, which skips a row,
         * costs one: no later row can come back to the limit. */
        if (best > limit)
            return limit + 1;
        size_t *const reused = before;
        before = last, last = row, row = reused;
    }
    return last[m];
}

const char *ib_nearest_name(const char *wanted, const char *const *names, size_t n_names) {
    const size_t n = strlen(wanted);
    const char *nearest = NULL;
    size_t nearest_distance = SIZE_MAX;
    for (size_t i = 0; i < n_names; i++) {
        if (same_but_case(wanted, names[i]))
            return names[i];
        const size_t m = strlen(names[i]);
        const size_t longer = n > m ? n : m;
        const size_t limit = smaller(longer / 3, nearest_distance - 1);
        if (longer >= LONGEST || longer - smaller(n, m) > limit)
            continue;
        const size_t d = distance(wanted, n, names[i], m, limit);
        if (d <= limit) {
            nearest = names[i];
            nearest_distance = d;
        }
    }
    return nearest;
}
