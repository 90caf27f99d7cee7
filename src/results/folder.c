/* The results folder: whose files are in it, and may a run replace them?
 *
 * The run.json of an earlier run lists the files that belong to it; those and no others are removed
 * for a rerun. Anything else in the folder belongs to somebody: the folder is refused and left as
 * it is.
 */
#include "results_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN_FILE "run.json"
#define LARGEST_JSON ((size_t)64 << 20)

char *ib_path_join(const char *folder, const char *name) {
    const size_t n = strlen(folder), m = strlen(name);
    char *path = malloc(n + m + 2);
    if (!path)
        return NULL;
    memcpy(path, folder, n);
    const bool slash = n > 0 && folder[n - 1] != '/';
    if (slash)
        path[n] = '/';
    memcpy(path + n + slash, name, m + 1);
    return path;
}

bool ib_is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static ib_place at_path(ib_diags *diags, const char *path) {
    return (ib_place){.file = ib_diags_file(diags, path)};
}

/* The run.json of the folder, or NULL when there is none of ours. */
static const ib_json *read_run(ib_arena *arena, const char *folder) {
    char *path = ib_path_join(folder, RUN_FILE);
    char *text = NULL;
    size_t length = 0;
    const ib_json *run = NULL;
    if (path && ib_file_read(path, LARGEST_JSON, NULL, IB_NO_PLACE, &text, &length) == IB_OK)
        run = ib_json_parse(arena, path, text, length, NULL);
    free(text);
    free(path);
    const char *program = ib_json_string(run, "program");
    return program && strcmp(program, "ironbird") == 0 ? run : NULL;
}

/* True for run.json itself and the files it lists. */
static bool listed(const ib_json *run, const char *name) {
    if (!run)
        return false;
    if (strcmp(name, RUN_FILE) == 0)
        return true;
    const ib_json *files = ib_json_member(run, "files");
    for (const ib_json *file = files ? files->first : NULL; file; file = file->next)
        if (file->kind == IB_JSON_STRING && strcmp(file->text, name) == 0)
            return true;
    return false;
}

/* Only plain files are ever removed, and only what lies directly in the folder. */
static bool removable(const char *folder, const char *name) {
    char *path = ib_path_join(folder, name);
    struct stat about;
    const bool plain = path && lstat(path, &about) == 0 && !S_ISDIR(about.st_mode);
    free(path);
    return plain;
}

typedef struct claim {
    const char *folder;
    DIR *entries;
    const ib_json *run;
    ib_diags *diags;
} claim;

/* The next name in the folder but . and .. */
static const char *next_name(const claim *c) {
    const struct dirent *entry;
    do
        entry = readdir(c->entries);
    while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry ? entry->d_name : NULL;
}

static ib_status refuse_others(const claim *c) {
    for (const char *name; (name = next_name(c));) {
        if (listed(c->run, name) && removable(c->folder, name))
            continue;
        ib_diags_add(c->diags, IB_ERROR, IB0802, at_path(c->diags, c->folder),
                     "the folder holds '%s', which no earlier run wrote; results need a folder of "
                     "their own",
                     name);
        ib_diags_suggest(c->diags, "choose another folder, or move the file away");
        return IB_BAD_INPUT;
    }
    return IB_OK;
}

static ib_status remove_name(const claim *c, const char *name) {
    char *path = ib_path_join(c->folder, name);
    if (!path)
        return ib_diags_no_memory(c->diags);
    ib_status status = IB_OK;
    if (unlink(path) != 0 && errno != ENOENT) {
        ib_diags_add(c->diags, IB_ERROR, IB0102, at_path(c->diags, path),
                     "cannot replace the file: %s", strerror(errno));
        status = IB_IO_ERROR;
    }
    free(path);
    return status;
}

/* run.json goes last: while any listed file is left, it still says whose they are. */
static ib_status remove_listed(const claim *c) {
    const ib_json *files = ib_json_member(c->run, "files");
    for (const ib_json *file = files ? files->first : NULL; file; file = file->next) {
        if (file->kind != IB_JSON_STRING || strchr(file->text, '/') ||
            strcmp(file->text, RUN_FILE) == 0 || !removable(c->folder, file->text))
            continue;
        const ib_status status = remove_name(c, file->text);
        if (status != IB_OK)
            return status;
    }
    return c->run ? remove_name(c, RUN_FILE) : IB_OK;
}

/* A folder that may be written into: finding that out after a long run would be too late. */
static ib_status check_writable(const char *folder, ib_diags *diags) {
    if (access(folder, W_OK | X_OK) == 0)
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB0102, at_path(diags, folder),
                 "cannot write into the folder: %s", strerror(errno));
    return IB_IO_ERROR;
}

ib_status ib_results_prepare(const char *folder, ib_diags *diags) {
    ib_status status = ib_folder_make(folder, diags);
    if (status == IB_OK)
        status = check_writable(folder, diags);
    if (status != IB_OK)
        return status;
    ib_arena *arena = ib_arena_create();
    if (!arena)
        return ib_diags_no_memory(diags);
    claim c = {folder, opendir(folder), read_run(arena, folder), diags};
    if (c.entries) {
        status = refuse_others(&c);
        closedir(c.entries);
    } else {
        ib_diags_add(diags, IB_ERROR, IB0101, at_path(diags, folder), "cannot list the folder: %s",
                     strerror(errno));
        status = IB_IO_ERROR;
    }
    if (status == IB_OK)
        status = remove_listed(&c);
    ib_arena_destroy(arena);
    return status;
}

/* ---- files made later ---------------------------------------------------------------------- */

/* run.json once more, with the name added to its list. */
static ib_status add_to_list(ib_arena *arena, const ib_json *run, const char *folder,
                             const char *name, ib_diags *diags) {
    ib_json *files = (ib_json *)ib_json_member(run, "files");
    if (!files || files->kind != IB_JSON_ARRAY)
        return IB_OK;
    ib_json *added = IB_ARENA_NEW(arena, ib_json);
    if (!added)
        return ib_diags_no_memory(diags);
    *added = (ib_json){.kind = IB_JSON_STRING, .text = name, .next = files->first};
    files->first = added;
    files->length++;
    ib_str text = {0};
    ib_json_print(run, &text);
    ib_str_add_char(&text, '\n');
    char *path = ib_path_join(folder, RUN_FILE);
    const ib_status status = text.failed || !path
                                 ? ib_diags_no_memory(diags)
                                 : ib_file_write(path, text.data, text.length, diags);
    free(path);
    ib_str_free(&text);
    return status;
}

ib_status ib_results_register(const char *path, ib_diags *diags) {
    ib_arena *arena = ib_arena_create();
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *folder =
        arena && slash ? ib_arena_strndup(arena, path, (size_t)(name - path)) : ".";
    if (!arena || !folder) {
        ib_arena_destroy(arena);
        return ib_diags_no_memory(diags);
    }
    const ib_json *run = read_run(arena, folder);
    const ib_status status =
        run && !listed(run, name) ? add_to_list(arena, run, folder, name, diags) : IB_OK;
    ib_arena_destroy(arena);
    return status;
}
