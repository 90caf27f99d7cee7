/* Temporary folders: TMPDIR/ironbird-fmu-XXXXXX with a locked file `.lock` in each.
 *
 * The lock goes with the process, however that ends, so whoever finds a folder unlocked knows that
 * nobody uses it any more and removes it.
 */
#define _XOPEN_SOURCE                                                                              \
    700 /* mkdtemp, realpath; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#define _DEFAULT_SOURCE /* flock; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) \
                         */

#include "fmi/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "ironbird-fmu-"
#define DEEPEST 128 /* folders in folders; an archive's names are shorter than that allows */
#define YOUNG 60    /* s; a folder younger than this may not have been locked yet */

/* ---- removing ------------------------------------------------------------------------------ */

static void remove_in(int parent, const char *name, unsigned depth);

static void empty(int folder, unsigned depth) {
    DIR *entries = fdopendir(folder);
    if (!entries) {
        close(folder);
        return;
    }
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_in(dirfd(entries), entry->d_name, depth + 1);
    closedir(entries);
}

static void remove_in(int parent, const char *name, unsigned depth) {
    if (unlinkat(parent, name, 0) == 0 || depth > DEEPEST)
        return;
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        empty(folder, depth);
    unlinkat(parent, name, AT_REMOVEDIR);
}

void ib_fmi_remove(const char *path) { remove_in(AT_FDCWD, path, 0); }

/* ---- sweeping ------------------------------------------------------------------------------ */

/* True when the folder is ours, old enough, and nobody holds its lock. */
static bool is_stale(int parent, const char *name) {
    struct stat about;
    if (fstatat(parent, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(about.st_mode) ||
        about.st_uid != geteuid())
        return false;
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int lock = folder < 0 ? -1 : openat(folder, ".lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    const bool free_lock = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0;
    const bool old = lock < 0 && time(NULL) - about.st_mtime > YOUNG;
    if (lock >= 0)
        close(lock);
    if (folder >= 0)
        close(folder);
    return free_lock || old;
}

static void sweep(const char *parent) {
    DIR *entries = opendir(parent);
    if (!entries)
        return;
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
            is_stale(dirfd(entries), entry->d_name))
            remove_in(dirfd(entries), entry->d_name, 0);
    closedir(entries);
}

/* ---- making -------------------------------------------------------------------------------- */

static ib_status fail(ib_diags *diags, const char *parent, ib_fmi_folder *folder) {
    if (errno == ENOMEM || !folder->path)
        return ib_diags_no_memory(diags);
    ib_diags_add(diags, IB_ERROR, IB0102, IB_NO_PLACE,
                 "cannot make a temporary folder in '%s' to unpack the FMU into: %s", parent,
                 strerror(errno));
    free(folder->path);
    *folder = (ib_fmi_folder){NULL, -1};
    return IB_IO_ERROR;
}

/* The file gets its name when it is locked: whoever sweeps must not find it free before. */
static int lock_folder(const char *path) {
    ib_str fresh = {0}, name = {0};
    int lock = -1;
    ib_str_printf(&fresh, "%s/.lock-new", path);
    ib_str_printf(&name, "%s/.lock", path);
    if (!fresh.failed && !name.failed)
        lock = open(fresh.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (lock >= 0 && (flock(lock, LOCK_EX | LOCK_NB) != 0 || rename(fresh.data, name.data) != 0)) {
        close(lock);
        lock = -1;
    }
    ib_str_free(&fresh);
    ib_str_free(&name);
    return lock;
}

ib_status ib_fmi_folder_open(ib_diags *diags, ib_fmi_folder *folder) {
    const char *given = getenv("TMPDIR");
    char *parent = realpath(given && *given ? given : "/tmp", NULL);
    ib_str path = {0};
    *folder = (ib_fmi_folder){NULL, -1};
    if (!parent) {
        folder->path = strdup("");
        return fail(diags, given && *given ? given : "/tmp", folder);
    }
    sweep(parent);
    ib_str_printf(&path, "%s/" PREFIX "XXXXXX", parent);
    folder->path = path.failed ? NULL : path.data;
    ib_status status = IB_OK;
    if (!folder->path || !mkdtemp(folder->path)) {
        status = fail(diags, parent, folder);
    } else {
        folder->lock = lock_folder(folder->path);
        if (folder->lock < 0) {
            const int code = errno;
            ib_fmi_remove(folder->path);
            errno = code;
            status = fail(diags, parent, folder);
        }
    }
    free(parent);
    return status;
}

void ib_fmi_folder_close(ib_fmi_folder *folder) {
    if (!folder->path)
        return;
    ib_fmi_remove(folder->path);
    close(folder->lock);
    free(folder->path);
    *folder = (ib_fmi_folder){NULL, -1};
}
