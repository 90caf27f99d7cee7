/* Patterns over names: `*`, `?`, `[a-z]`, `[!a-z]`.
 *
 * A `*` matches dots too: channels are names, not paths. Matching goes back only to the last `*`,
 * so it takes at most length(pattern) * length(name) steps.
 */
#include "results_internal.h"

/* Matches one character against the set behind '['; *pattern moves behind ']'. A set that is not
 * closed is no set: the bracket stands for itself. */
static bool in_set(const char **pattern, char c, bool *is_set) {
    const char *p = *pattern + 1;
    const bool negated = *p == '!';
    bool found = false;
    p += negated;
    const char *first = p;
    for (; *p && (*p != ']' || p == first); p++) {
        if (p[1] == '-' && p[2] && p[2] != ']') {
            found = found || (p[0] <= c && c <= p[2]);
            p += 2;
        } else {
            found = found || *p == c;
        }
    }
    *is_set = *p == ']';
    if (*is_set)
        *pattern = p + 1;
    return found != negated;
}

/* Matches one character; *pattern moves behind what matched. */
static bool match_one(const char **pattern, char c) {
    bool is_set = false;
    if (**pattern == '[') {
        const bool matched = in_set(pattern, c, &is_set);
        if (is_set)
            return matched;
    }
    if (**pattern != '?' && **pattern != c)
        return false;
    ++*pattern;
    return true;
}

bool ib_glob_match(const char *pattern, const char *name) {
    const char *star = NULL, *resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = name;
        } else if (*pattern && match_one(&pattern, *name)) {
            name++;
        } else if (star) {
            pattern = star;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}
