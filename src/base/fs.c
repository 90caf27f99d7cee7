/* Files: read whole, write whole, make folders, join paths (POSIX.1-2008).
 *
 * A written file appears complete or not at all: the text goes to a new file beside the target, is
 * flushed to the disk, and takes the target's name at the end. Every step that can notice a full
 * disk is checked (write, fsync, close). A target that is no regular file (a device, a pipe) is
 * written to as it is.
 */
#define _XOPEN_SOURCE                                                                              \
    700 /* realpath; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#include "base/base_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *ib_error_reason(int code) {
    switch (code) {
    case ENOENT:
        return "there is no such file or folder";
    case EACCES:
    case EPERM:
        return "permission denied";
    case ENOSPC:
        return "the disk is full";
#ifdef EDQUOT
    case EDQUOT:
        return "the disk quota is used up";
#endif
    case EFBIG:
        return "the file would be larger than allowed";
    case EROFS:
        return "the file system is read-only";
    case EISDIR:
        return "it is a folder";
    case ENOTDIR:
        return "a part of the path is not a folder";
    case EEXIST:
        return "it exists already";
    case ENAMETOOLONG:
        return "the name is too long";
    case ELOOP:
        return "too many symbolic links";
    case EMFILE:
    case ENFILE:
        return "too many files are open";
    case EIO:
        return "the device reports an error";
    case EPIPE:
        return "the reader has gone away";
    case ENOMEM:
        return "out of memory";
    default:
        return "the system refuses it";
    }
}

static ib_status report(ib_diags *diags, ib_diag_id id, ib_place place, const char *what,
                        const char *path, int code) {
    if (code == ENOMEM) {
        ib_diags_add(diags, IB_ERROR, IB0103, place, "out of memory: '%s'", path);
        return IB_NO_MEMORY;
    }
    ib_diags_add(diags, IB_ERROR, id, place, "%s '%s': %s", what, path, ib_error_reason(code));
    return IB_IO_ERROR;
}

static int open_retried(const char *path, int flags, mode_t mode) {
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* ---- reading ---- */

/* Reads to the end of the file, but at most limit + 1 bytes. Returns 0 or an errno value. */
static int read_up_to(int fd, size_t limit, ib_str *text) {
    char chunk[16384];
    while (text->length <= limit) {
        const size_t left = limit + 1 - text->length;
        const ssize_t n = read(fd, chunk, left < sizeof chunk ? left : sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        ib_str_add_n(text, chunk, (size_t)n); /* the end, n = 0, makes sure of a terminator */
        if (text->failed)
            return ENOMEM;
        if (n == 0)
            return 0;
    }
    return EFBIG;
}

ib_status ib_file_read(const char *path, size_t limit, ib_diags *diags, ib_place place, char **text,
                       size_t *length) {
    *text = NULL;
    *length = 0;
    if (limit > SIZE_MAX / 8)
        limit = SIZE_MAX / 8;
    const int fd = open_retried(path, O_RDONLY, 0);
    if (fd < 0)
        return report(diags, IB0101, place, "cannot read", path, errno);
    ib_str content = {0};
    const int code = read_up_to(fd, limit, &content);
    close(fd);
    if (!code) {
        *text = content.data;
        *length = content.length;
        return IB_OK;
    }
    ib_str_free(&content);
    if (code != EFBIG)
        return report(diags, IB0101, place, "cannot read", path, code);
    ib_diags_add(diags, IB_ERROR, IB0104, place, "'%s' is larger than %zu bytes", path, limit);
    return IB_BAD_INPUT;
}

/* ---- writing ---- */

/* All of these return 0 or an errno value. */

static int write_all(int fd, const char *text, size_t length) {
    while (length) {
        const ssize_t n = write(fd, text, length < ((size_t)1 << 30) ? length : (size_t)1 << 30);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        text += n;
        length -= (size_t)n;
    }
    return 0;
}

/* Flushes to the disk; pipes and devices that cannot are as good as flushed. */
static int flush(int fd) {
    while (fsync(fd) != 0) {
        if (errno == EINVAL || errno == ENOTSUP)
            return 0;
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* Closes; a disk that fills up late (network, quota) says so here. After EINTR the state of the
 * descriptor is unspecified, and the data has been flushed. */
static int close_checked(int fd) { return close(fd) != 0 && errno != EINTR ? errno : 0; }

static int fill(int fd, const char *text, size_t length) {
    const int written = write_all(fd, text, length);
    const int flushed = written ? written : flush(fd);
    const int closed = close_checked(fd);
    return flushed ? flushed : closed;
}

static int write_in_place(const char *path, const char *text, size_t length) {
    const int fd = open_retried(path, O_WRONLY | O_TRUNC, 0666);
    return fd < 0 ? errno : fill(fd, text, length);
}

/* Creates a new file beside `path`; its name goes to `name`, its descriptor to *fd. */
static int create_beside(const char *path, ib_str *name, int *fd) {
    for (int attempt = 0; attempt < 100; attempt++) {
        ib_str_clear(name);
        ib_str_printf(name, "%s.%ld-%d.tmp", path, (long)getpid(), attempt);
        if (name->failed)
            return ENOMEM;
        *fd = open_retried(name->data, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (*fd >= 0)
            return 0;
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

static int write_and_rename(const char *path, const struct stat *old, const char *text,
                            size_t length) {
    ib_str name = {0};
    int fd = -1;
    int code = create_beside(path, &name, &fd);
    if (!code) {
        /* Who may read the file stays as it was; a file system without modes does not matter. */
        if (old && fchmod(fd, old->st_mode & 0777) != 0)
            errno = 0;
        code = fill(fd, text, length);
        if (!code && rename(name.data, path) != 0)
            code = errno;
        if (code)
            unlink(name.data);
    }
    ib_str_free(&name);
    return code;
}

static int write_file(const char *path, const char *text, size_t length) {
    struct stat old;
    if (stat(path, &old) != 0)
        return errno == ENOENT ? write_and_rename(path, NULL, text, length) : errno;
    if (!S_ISREG(old.st_mode))
        return write_in_place(path, text, length);
    /* A symbolic link stays one: the file it leads to is replaced. */
    char *target = realpath(path, NULL);
    if (!target)
        return errno;
    const int code = write_and_rename(target, &old, text, length);
    free(target);
    return code;
}

ib_status ib_file_write(const char *path, const char *text, size_t length, ib_diags *diags) {
    const int code = write_file(path, text, length);
    return code ? report(diags, IB0102, IB_NO_PLACE, "cannot write", path, code) : IB_OK;
}

/* ---- folders and paths ---- */

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Makes one folder; one that is there already is fine. */
static int make_one(const char *path) {
    if (mkdir(path, 0777) == 0)
        return 0;
    const int code = errno;
    if (is_folder(path))
        return 0;
    return code == EEXIST ? ENOTDIR : code;
}

/* What stands in the way has its own name: the whole path, or a part of it. */
static ib_status report_folder(ib_diags *diags, const char *path, const char *part, int code) {
    if (code != ENOTDIR)
        return report(diags, IB0102, IB_NO_PLACE, "cannot make the folder", path, code);
    ib_diags_add(diags, IB_ERROR, IB0102, IB_NO_PLACE,
                 "cannot make the folder '%s': '%s' is no folder", path, part);
    return IB_IO_ERROR;
}

ib_status ib_folder_make(const char *path, ib_diags *diags) {
    ib_str partial = {0};
    ib_str_add(&partial, path);
    int code = partial.failed ? ENOMEM : 0;
    for (size_t i = 1; !code && i < partial.length; i++) {
        if (partial.data[i] != '/')
            continue;
        partial.data[i] = '\0';
        code = make_one(partial.data);
        if (!code)
            partial.data[i] = '/';
    }
    if (!code)
        code = make_one(path);
    const ib_status status =
        code ? report_folder(diags, path, partial.failed ? path : partial.data, code) : IB_OK;
    ib_str_free(&partial);
    return status;
}

bool ib_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

bool ib_file_same(const char *a, const char *b) {
    struct stat about_a, about_b;
    return stat(a, &about_a) == 0 && stat(b, &about_b) == 0 && about_a.st_dev == about_b.st_dev &&
           about_a.st_ino == about_b.st_ino;
}

char *ib_path_beside(ib_arena *arena, const char *beside, const char *path) {
    const char *slash = path[0] == '/' ? NULL : strrchr(beside, '/');
    if (!slash)
        return ib_arena_strdup(arena, path);
    return ib_arena_printf(arena, "%.*s%s", (int)(slash - beside + 1), beside, path);
}
