/* The user's folder of compiled code: ironbird in XDG_CACHE_HOME, or in ~/.cache.
 *
 * A library appears in it by a rename, whole or not at all. It is used only if it belongs to the
 * user and no one else may write to it. Its time of modification says when it was last used, so the
 * folder can forget what nobody has used for longest; what another process has loaded stays loaded.
 */
#include "base/base_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Above `most` files the folder shrinks to `rest`. */
enum { most = 512, rest = 384 };

typedef struct kept {
    struct timespec used;
    char name[256];
} kept;

bool ib_code_cache_folder(ib_str *path) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        ib_str_printf(path, "%s/ironbird", cache);
    else if (home && *home == '/')
        ib_str_printf(path, "%s/.cache/ironbird", home);
    return path->length > 0 && !path->failed;
}

bool ib_code_cache_has(const char *library) {
    struct stat s;
    const bool ours = stat(library, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
                      (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    if (ours)
        (void)utimensat(AT_FDCWD, library, NULL, 0); /* only its place in the queue is lost */
    return ours;
}

/* ---- forgetting ----------------------------------------------------------------------------- */

/* Longest unused first; names decide between equal times. */
static int by_use(const void *a, const void *b) {
    const kept *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The folder's regular files; their number. */
static size_t list_files(DIR *folder, kept **files) {
    size_t n = 0, capacity = 0;
    struct stat s;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (fstatat(dirfd(folder), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(s.st_mode) || strlen(entry->d_name) >= sizeof(*files)->name)
            continue;
        if (!IB_VEC_RESERVE(*files, capacity, n))
            return 0;
        (*files)[n].used = s.st_mtim;
        snprintf((*files)[n].name, sizeof(*files)[n].name, "%s", entry->d_name);
        n++;
    }
    return n;
}

/* Whatever cannot be removed stays: the folder is only larger than it need be. */
static void forget_oldest(const char *path) {
    DIR *folder = opendir(path);
    kept *files = NULL;
    const size_t n = folder ? list_files(folder, &files) : 0;
    if (n > most) {
        qsort(files, n, sizeof *files, by_use);
        for (size_t i = 0; i < n - rest; i++)
            unlinkat(dirfd(folder), files[i].name, 0);
    }
    free(files);
    if (folder)
        closedir(folder);
}

bool ib_code_cache_keep(const char *fresh, const char *library) {
    ib_str folder = {0};
    if (chmod(fresh, 0700) != 0 || rename(fresh, library) != 0)
        return false;
    const char *slash = strrchr(library, '/');
    ib_str_add_n(&folder, library, slash ? (size_t)(slash - library) : 0);
    if (slash && !folder.failed)
        forget_oldest(folder.data);
    ib_str_free(&folder);
    return true;
}
