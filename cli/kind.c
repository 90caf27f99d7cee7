/* What kind of file is it? The ending, or the top-level key, decides. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST ((size_t)64 << 20)

static bool ends_in(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

static ib_status refuse(ib_diags *diags, const char *path, uint32_t line, const char *kind) {
    ib_diags_add(diags, IB_ERROR, IB0902,
                 (ib_place){ib_diags_file(diags, path), line, line ? 1 : 0, 1},
                 "this is %s; that kind of file is not yet supported", kind);
    return IB_UNSUPPORTED;
}

/* True when the line is the top-level key `key:`. */
static bool is_key(const char *line, const char *key) {
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return false;
    line += length;
    line += strspn(line, " \t");
    return *line == ':';
}

static ib_status check_text(const char *path, const char *text, ib_diags *diags) {
    static const char *const kinds[][2] = {{"mission", "a mission"},
                                           {"network", "a network"},
                                           {"board", "a board"},
                                           {"study", "a study"}};
    uint32_t number = 1;
    for (const char *line = text; line; number++) {
        for (size_t i = 0; i < IB_COUNT(kinds); i++)
            if (is_key(line, kinds[i][0]))
                return refuse(diags, path, number, kinds[i][1]);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return IB_OK;
}

/* The text of a file that can be read twice, or NULL: what cannot be read is reported by whoever
 * reads it, and a pipe can be read once only. */
static char *text_of(const char *path) {
    char *text = NULL;
    size_t length;
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        ib_file_read(path, LARGEST, NULL, IB_NO_PLACE, &text, &length) != IB_OK)
        return NULL;
    return text;
}

/* Whether the text has the key at its top. */
static bool has_key(const char *path, const char *key) {
    char *text = text_of(path);
    bool found = false;
    for (const char *line = text; line && !found;) {
        found = is_key(line, key);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    free(text);
    return found;
}

bool ib_is_mission(const char *path) { return has_key(path, "mission"); }

bool ib_is_network(const char *path) { return has_key(path, "network"); }

ib_status ib_check_kind(const char *path, ib_diags *diags) {
    if (ends_in(path, ".fmu"))
        return refuse(diags, path, 0, "an FMU");
    if (ends_in(path, ".ssp"))
        return refuse(diags, path, 0, "an SSP package");
    if (ends_in(path, ".fds"))
        return refuse(diags, path, 0, "a legacy FreeDyn model");
    char *text = text_of(path);
    if (!text)
        return IB_OK;
    const ib_status status = check_text(path, text, diags);
    free(text);
    return status;
}
