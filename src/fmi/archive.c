/* Unpacking an FMU's archive (FMI 3.0.2, section 2.5.1: zip, stored or deflated, UTF-8 names).
 *
 * Names are looked at before anything is written, every file is created new, and no link is ever
 * made, so nothing outside the folder can be reached. What an entry says of its size is held to
 * what comes out of it. Backslashes and a leading "./" are taken for what they mean, with a
 * warning.
 */
#include "fmi/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#define MOST_ENTRIES 200000
#define MOST_BYTES ((uint64_t)16 << 30) /* unpacked, in all */
#define HARMLESS ((uint64_t)64 << 20)   /* bytes that need no look at the ratio */
#define MOST_RATIO 1100                 /* deflate cannot do more than 1032 */
#define LONGEST_NAME 1024
#define DEEPEST_NAME 64 /* folders in folders */

typedef struct unpacking {
    const char *archive, *folder;
    ib_diags *diags;
    zip_t *zip;
    ib_arena *arena;
    ib_names *names;     /* of files, cleaned */
    zip_uint64_t *first; /* entry of each name */
    size_t first_capacity, n_names;
    uint64_t total; /* bytes unpacked so far */
    char *buffer;
} unpacking;

#define BUFFER ((size_t)1 << 16)

static ib_place place_of(const unpacking *u) {
    return (ib_place){.file = u->diags ? ib_diags_file(u->diags, u->archive) : u->archive};
}

static ib_status no_memory(const unpacking *u) {
    ib_diags_add(u->diags, IB_ERROR, IB0103, IB_NO_PLACE, "out of memory: '%s'", u->archive);
    return IB_NO_MEMORY;
}

static ib_status refuse(const unpacking *u, ib_diag_id id, const char *entry, const char *why) {
    ib_diags_add(u->diags, IB_ERROR, id, place_of(u), "entry '%.200s' %s", entry, why);
    return IB_BAD_INPUT;
}

/* ---- names --------------------------------------------------------------------------------- */

static bool is_utf8(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    while (*c) {
        const unsigned n = *c < 0x80                 ? 0
                           : *c >= 0xC2 && *c < 0xE0 ? 1
                           : *c >= 0xE0 && *c < 0xF0 ? 2
                           : *c >= 0xF0 && *c < 0xF5 ? 3
                                                     : 4;
        if (n == 4)
            return false;
        c++;
        for (unsigned i = 0; i < n; i++, c++)
            if ((*c & 0xC0) != 0x80)
                return false;
    }
    return true;
}

/* True when a part of the path is "..". */
static bool climbs(const char *name) {
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (!part[2] || part[2] == '/'))
            return true;
        if (!*part)
            break;
    }
    return false;
}

static bool has_control(const char *name) {
    for (; *name; name++)
        if ((unsigned char)*name < 0x20 || *name == 0x7F)
            return true;
    return false;
}

static size_t depth_of(const char *name) {
    size_t depth = 0;
    for (; *name; name++)
        depth += *name == '/';
    return depth;
}

/* The name with forward slashes and without "./" and double slashes, in the arena. */
static char *clean(unpacking *u, const char *name) {
    char *path = ib_arena_strdup(u->arena, name);
    if (!path)
        return NULL;
    bool untidy = false;
    for (char *c = path; *c; c++)
        if (*c == '\\') {
            *c = '/';
            untidy = true;
        }
    char *to = path;
    for (const char *from = path; *from;) {
        const bool start = to == path || to[-1] == '/';
        if (start && from[0] == '.' && from[1] == '/') {
            from += 2;
            untidy = true;
        } else if (from[0] == '/' && start && to != path) {
            from++;
            untidy = true;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    if (untidy)
        ib_diags_add(u->diags, IB_WARNING, IB1006, place_of(u),
                     "entry '%.200s' is taken for '%.200s': names have forward slashes and begin "
                     "with no './'",
                     name, path);
    return path;
}

static ib_status check_name(const unpacking *u, const char *raw, const char *path) {
    if (!is_utf8(raw))
        return refuse(u, IB1002, "(a name that is not UTF-8)", "cannot be unpacked");
    if (has_control(raw))
        return refuse(u, IB1002, "(a name with control characters)", "cannot be unpacked");
    if (!*path || path[0] == '/' || climbs(path) || (path[0] && path[1] == ':'))
        return refuse(u, IB1002, raw, "lies outside the FMU's folder");
    if (strlen(path) > LONGEST_NAME || depth_of(path) > DEEPEST_NAME)
        return refuse(u, IB1002, raw, "has too long a name");
    return IB_OK;
}

/* Links and devices, by the file type that Unix archivers note. */
static bool is_special(unpacking *u, zip_uint64_t index) {
    zip_uint8_t system;
    zip_uint32_t attributes;
    if (zip_file_get_external_attributes(u->zip, index, 0, &system, &attributes) != 0 ||
        system != ZIP_OPSYS_UNIX)
        return false;
    const unsigned type = attributes >> 16 & S_IFMT;
    return type && type != S_IFREG && type != S_IFDIR;
}

/* ---- contents ------------------------------------------------------------------------------ */

static ib_status check_sizes(unpacking *u, const zip_stat_t *about) {
    if ((about->comp_method != ZIP_CM_STORE && about->comp_method != ZIP_CM_DEFLATE) ||
        about->encryption_method != ZIP_EM_NONE)
        return refuse(u, IB1004, about->name, "is neither stored nor deflated, or is encrypted");
    const uint64_t packed = about->comp_size ? about->comp_size : 1;
    if (about->size > HARMLESS && about->size / packed > MOST_RATIO)
        return refuse(u, IB1003, about->name, "would unpack to more than its size can hold");
    if (about->size > MOST_BYTES || u->total > MOST_BYTES - about->size)
        return refuse(u, IB1003, about->name, "makes the FMU larger than 16 GiB");
    u->total += about->size;
    return IB_OK;
}

static ib_status damaged(const unpacking *u, const char *name, zip_file_t *file) {
    ib_str why = {0};
    ib_str_printf(&why, "is damaged: %s",
                  file ? zip_error_strerror(zip_file_get_error(file)) : zip_strerror(u->zip));
    const ib_status status = refuse(u, IB1004, name, why.failed ? "is damaged" : why.data);
    ib_str_free(&why);
    return status;
}

static ib_status write_failed(const unpacking *u, const char *path) {
    if (errno == EEXIST || errno == ENOTDIR || errno == EISDIR)
        return refuse(u, IB1005, path, "is both a file and a folder");
    ib_diags_add(u->diags, IB_ERROR, IB0102, place_of(u), "cannot unpack '%.200s': %s", path,
                 strerror(errno));
    return IB_IO_ERROR;
}

/* Makes the folders above the path, which begins with the folder of the FMU. */
static bool make_parents(const unpacking *u, char *path) {
    for (char *c = path + strlen(u->folder) + 1; *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        struct stat about;
        const bool made = mkdir(path, 0777) == 0 ||
                          (errno == EEXIST && lstat(path, &about) == 0 && S_ISDIR(about.st_mode));
        *c = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool write_whole(int file, const char *bytes, size_t n) {
    while (n) {
        const ssize_t written = write(file, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        n -= (size_t)written;
    }
    return true;
}

/* Copies an entry to the open file; it must have the size that it says. */
static ib_status copy(unpacking *u, const zip_stat_t *about, int to) {
    zip_file_t *from = zip_fopen_index(u->zip, about->index, 0);
    uint64_t copied = 0;
    zip_int64_t n = 0;
    ib_status status = from ? IB_OK : damaged(u, about->name, NULL);
    while (status == IB_OK && (n = zip_fread(from, u->buffer, BUFFER)) > 0) {
        copied += (uint64_t)n;
        if (copied > about->size)
            break;
        if (!write_whole(to, u->buffer, (size_t)n))
            status = write_failed(u, about->name);
    }
    if (status == IB_OK && (n < 0 || copied != about->size))
        status = n < 0 ? damaged(u, about->name, from)
                       : refuse(u, IB1004, about->name, "has not the size that it says");
    if (from)
        zip_fclose(from);
    return status;
}

static ib_status unpack_file(unpacking *u, const zip_stat_t *about, const char *path) {
    char *target = ib_arena_printf(u->arena, "%s/%s", u->folder, path);
    if (!target)
        return no_memory(u);
    if (!make_parents(u, target))
        return write_failed(u, about->name);
    if (target[strlen(target) - 1] == '/')
        return IB_OK;
    const int file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0777);
    if (file < 0)
        return write_failed(u, about->name);
    ib_status status = copy(u, about, file);
    if (close(file) != 0 && status == IB_OK)
        status = write_failed(u, about->name);
    return status;
}

/* ---- duplicates ---------------------------------------------------------------------------- */

static bool same_bytes(unpacking *u, zip_uint64_t a, zip_uint64_t b) {
    zip_file_t *one = zip_fopen_index(u->zip, a, 0), *two = zip_fopen_index(u->zip, b, 0);
    char *second = malloc(BUFFER);
    bool same = one && two && second;
    while (same) {
        const zip_int64_t n = zip_fread(one, u->buffer, BUFFER), m = zip_fread(two, second, BUFFER);
        same = n == m && n >= 0 && memcmp(u->buffer, second, (size_t)n) == 0;
        if (n <= 0)
            break;
    }
    free(second);
    if (one)
        zip_fclose(one);
    if (two)
        zip_fclose(two);
    return same;
}

/* True when the file has to be unpacked; a second one that is equal has not. */
static bool is_new(unpacking *u, zip_uint64_t index, const char *path, ib_status *status) {
    size_t at;
    *status = IB_OK;
    if (!IB_VEC_RESERVE(u->first, u->first_capacity, u->n_names)) {
        *status = no_memory(u);
        return false;
    }
    if (ib_names_add(u->names, path, &at)) {
        u->first[u->n_names++] = index;
        return true;
    }
    if (at == SIZE_MAX)
        *status = no_memory(u);
    else if (!same_bytes(u, u->first[at], index))
        *status = refuse(u, IB1005, path, "is there twice, with different contents");
    return false;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static ib_status unpack_entry(unpacking *u, zip_uint64_t index) {
    zip_stat_t about;
    if (zip_stat_index(u->zip, index, ZIP_FL_ENC_RAW, &about) != 0 || !about.name ||
        (about.valid & (ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE)) !=
            (ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE)) {
        ib_diags_add(u->diags, IB_ERROR, IB1004, place_of(u), "entry %llu is damaged",
                     (unsigned long long)index + 1);
        return IB_BAD_INPUT;
    }
    const char *path = clean(u, about.name);
    ib_status status = path ? check_name(u, about.name, path) : no_memory(u);
    if (status == IB_OK && is_special(u, index))
        status = refuse(u, IB1002, about.name, "is a link or device");
    if (status == IB_OK)
        status = check_sizes(u, &about);
    const bool folder = status == IB_OK && path[strlen(path) - 1] == '/';
    if (status != IB_OK || (!folder && !is_new(u, index, path, &status)))
        return status;
    return unpack_file(u, &about, path);
}

static ib_status open_archive(unpacking *u) {
    int code = 0;
    struct stat about;
    if (stat(u->archive, &about) == 0 && !S_ISREG(about.st_mode)) {
        ib_diags_add(u->diags, IB_ERROR, IB0101, IB_NO_PLACE, "cannot read '%s': it is no file",
                     u->archive);
        return IB_IO_ERROR;
    }
    u->zip = zip_open(u->archive, ZIP_RDONLY, &code);
    if (u->zip)
        return IB_OK;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const bool system = zip_error_system_type(&error) == ZIP_ET_SYS || code == ZIP_ER_NOENT ||
                        code == ZIP_ER_OPEN || code == ZIP_ER_READ;
    if (code == ZIP_ER_MEMORY)
        no_memory(u);
    else if (system)
        ib_diags_add(u->diags, IB_ERROR, IB0101, IB_NO_PLACE, "cannot read '%s': %s", u->archive,
                     code == ZIP_ER_READ ? "it is a folder or cannot be read"
                                         : zip_error_strerror(&error));
    else
        ib_diags_add(u->diags, IB_ERROR, IB1001, place_of(u),
                     "this is no zip archive, or a truncated one: %s", zip_error_strerror(&error));
    zip_error_fini(&error);
    return code == ZIP_ER_MEMORY ? IB_NO_MEMORY : system ? IB_IO_ERROR : IB_BAD_INPUT;
}

static ib_status unpack_all(unpacking *u) {
    const zip_int64_t n = zip_get_num_entries(u->zip, 0);
    if (n > MOST_ENTRIES) {
        ib_diags_add(u->diags, IB_ERROR, IB1003, place_of(u), "the archive has %lld entries",
                     (long long)n);
        return IB_BAD_INPUT;
    }
    ib_status status = IB_OK;
    for (zip_int64_t i = 0; i < n && status == IB_OK; i++)
        status = unpack_entry(u, (zip_uint64_t)i);
    return status;
}

ib_status ib_fmi_unpack(const char *archive, const char *folder, ib_diags *diags) {
    unpacking u = {.archive = archive, .folder = folder, .diags = diags};
    u.arena = ib_arena_create();
    u.names = ib_names_create();
    u.buffer = malloc(BUFFER);
    ib_status status = u.arena && u.names && u.buffer ? open_archive(&u) : no_memory(&u);
    if (status == IB_OK)
        status = unpack_all(&u);
    if (u.zip)
        zip_discard(u.zip);
    ib_arena_destroy(u.arena);
    ib_names_destroy(u.names);
    free(u.first);
    free(u.buffer);
    return status;
}
