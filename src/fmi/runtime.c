/* The libraries of source FMUs, kept beside the archive: X.fmu.runtime/KEY/ holds binaries/ and
 * resources/ as an unpacked FMU does. Where that folder cannot be written, the user's cache
 * (XDG_CACHE_HOME or ~/.cache) has them.
 *
 * KEY is a hash of the archive, the compilers' versions and the options, so what changes is built
 * anew. A folder appears by a rename, complete or not at all; processes that want to build at one
 * time wait for each other on a lock, and what one that was killed left behind is swept by the
 * next. The archive is never touched.
 */
#define _XOPEN_SOURCE                                                                              \
    700 /* mkdtemp, realpath; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#define _DEFAULT_SOURCE /* flock; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) \
                         */

#include "fmi/instance.h"
#include "fmi/source.h"

#include "fmi/platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRESH ".new-"
#define PLACES 2 /* beside the archive, in the user's cache */

/* One search for a library, and its building. */
typedef struct search {
    const ib_fmu *fmu;
    const char *identifier;
    ib_diags *diags;
    ib_fmi_sources sources;
    ib_fmi_compiler compilers[2];
    char *scratch; /* a folder for the compiler, within the unpacked FMU */
    char key[33];
    ib_str places[PLACES]; /* "" where there is none */
} search;

static const char *platform_of(const ib_fmu *fmu) {
    return fmu->description->version == 3 ? IB_FMI_PLATFORM3 : IB_FMI_PLATFORM2;
}

/* ---- the key ------------------------------------------------------------------------------- */

static ib_status hash_archive(const search *s, uint64_t hash[2]) {
    static const size_t size = 1 << 16;
    FILE *file = fopen(s->fmu->path, "rb");
    char *buffer = malloc(size);
    size_t n;
    while (file && buffer && (n = fread(buffer, 1, size, file)) > 0)
        for (int i = 0; i < 2; i++)
            hash[i] = ib_hash_bytes(hash[i], buffer, n);
    const bool good = file && buffer && !ferror(file);
    if (file)
        fclose(file);
    free(buffer);
    if (good)
        return IB_OK;
    ib_diags_add(s->diags, IB_ERROR, IB0101, IB_NO_PLACE, "cannot read '%s'", s->fmu->path);
    return IB_IO_ERROR;
}

static ib_status make_key(search *s) {
    uint64_t hash[2] = {IB_HASH_START, ~IB_HASH_START};
    const ib_status status = hash_archive(s, hash);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            const ib_fmi_compiler *compiler = &s->compilers[k];
            for (size_t w = 0; w < compiler->n_words; w++)
                hash[i] =
                    ib_hash_bytes(hash[i], compiler->words[w], strlen(compiler->words[w]) + 1);
            hash[i] = ib_hash_bytes(hash[i], compiler->version.data, compiler->version.length);
        }
        hash[i] = ib_fmi_hash_options(hash[i], s->fmu);
        hash[i] = ib_hash_bytes(hash[i], s->identifier, strlen(s->identifier) + 1);
    }
    snprintf(s->key, sizeof s->key, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
    return status;
}

/* ---- places -------------------------------------------------------------------------------- */

/* X.fmu.runtime with its whole path, as the loader wants one; then the user's cache. */
static ib_status name_places(search *s) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *whole = realpath(s->fmu->path, NULL);
    if (whole)
        ib_str_printf(&s->places[0], "%s.runtime", whole);
    free(whole);
    if (cache && *cache == '/')
        ib_str_printf(&s->places[1], "%s/ironbird/fmu", cache);
    else if (home && *home == '/')
        ib_str_printf(&s->places[1], "%s/.cache/ironbird/fmu", home);
    return s->places[0].failed || s->places[1].failed ? ib_diags_no_memory(s->diags) : IB_OK;
}

/* Whether the file is whole, and one that only this user can have put there. */
static bool is_good(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & (S_IWGRP | S_IWOTH)) == 0 && !ib_fmi_library_fault(path);
}

/* The folder of the key in a place when a good library is in it (malloc'ed), else NULL. */
static char *look_in(const search *s, size_t place) {
    ib_str folder = {0}, library = {0};
    if (!s->places[place].length)
        return NULL;
    ib_str_printf(&folder, "%s/%s", s->places[place].data, s->key);
    ib_str_printf(&library, "%s/%s/binaries/%s/%s.so", s->places[place].data, s->key,
                  platform_of(s->fmu), s->identifier);
    const bool good = !folder.failed && !library.failed && is_good(library.data);
    ib_str_free(&library);
    if (good)
        return folder.data;
    ib_str_free(&folder);
    return NULL;
}

/* ---- copying ------------------------------------------------------------------------------- */

/* Copies a file; what it is copied to is new. */
static bool copy_file(const char *from, const char *to, mode_t mode) {
    char *bytes = NULL;
    size_t size;
    if (ib_file_read(from, SIZE_MAX, NULL, IB_NO_PLACE, &bytes, &size) != IB_OK)
        return false;
    const bool written = ib_file_write(to, bytes, size, NULL) == IB_OK && chmod(to, mode) == 0;
    free(bytes);
    return written;
}

/* Copies a folder with everything in it; one that is not there has nothing in it. */
static bool copy_folder(const char *from, const char *to) {
    DIR *entries = opendir(from);
    bool good = true;
    if (!entries)
        return errno == ENOENT;
    good = ib_folder_make(to, NULL) == IB_OK;
    for (struct dirent *entry; good && (entry = readdir(entries));) {
        ib_str a = {0}, b = {0};
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        ib_str_printf(&a, "%s/%s", from, entry->d_name);
        ib_str_printf(&b, "%s/%s", to, entry->d_name);
        good = !a.failed && !b.failed && lstat(a.data, &about) == 0;
        if (good && S_ISDIR(about.st_mode))
            good = copy_folder(a.data, b.data);
        else if (good && S_ISREG(about.st_mode))
            good = copy_file(a.data, b.data, 0644);
        ib_str_free(&a);
        ib_str_free(&b);
    }
    closedir(entries);
    return good;
}

/* ---- publishing ---------------------------------------------------------------------------- */

/* Folders of processes that were killed while they published; the lock is held. */
static void sweep(const char *place) {
    DIR *entries = opendir(place);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strncmp(entry->d_name, FRESH, strlen(FRESH)) == 0) {
            ib_str path = {0};
            ib_str_printf(&path, "%s/%s", place, entry->d_name);
            if (!path.failed)
                ib_fmi_remove(path.data);
            ib_str_free(&path);
        }
    if (entries)
        closedir(entries);
}

/* Fills the folder `fresh` with what belongs under the key. */
static bool fill(const search *s, const char *library, const char *fresh) {
    ib_str from = {0}, to = {0}, resources = {0}, kept = {0}, target = {0};
    ib_str_printf(&from, "%s/binaries/%s", s->fmu->folder.path, platform_of(s->fmu));
    ib_str_printf(&to, "%s/binaries/%s", fresh, platform_of(s->fmu));
    ib_str_printf(&resources, "%s/resources", s->fmu->folder.path);
    ib_str_printf(&kept, "%s/resources", fresh);
    ib_str_printf(&target, "%s/binaries/%s/%s.so", fresh, platform_of(s->fmu), s->identifier);
    const bool good = !from.failed && !to.failed && !resources.failed && !kept.failed &&
                      !target.failed && ib_folder_make(to.data, NULL) == IB_OK &&
                      copy_folder(from.data, to.data) && copy_folder(resources.data, kept.data) &&
                      copy_file(library, target.data, 0755);
    ib_str_free(&from);
    ib_str_free(&to);
    ib_str_free(&resources);
    ib_str_free(&kept);
    ib_str_free(&target);
    return good;
}

/* Puts the library under the key, whole or not at all. */
static bool publish(const search *s, const char *library, const char *place) {
    ib_str fresh = {0}, final = {0};
    ib_str_printf(&fresh, "%s/" FRESH "XXXXXX", place);
    ib_str_printf(&final, "%s/%s", place, s->key);
    bool good = !fresh.failed && !final.failed && mkdtemp(fresh.data);
    if (good) {
        good = fill(s, library, fresh.data);
        /* What stands there, if anything, was found unfit. */
        if (good)
            ib_fmi_remove(final.data);
        good = good && rename(fresh.data, final.data) == 0;
        if (!good)
            ib_fmi_remove(fresh.data);
    }
    ib_str_free(&fresh);
    ib_str_free(&final);
    return good;
}

/* ---- building ------------------------------------------------------------------------------ */

/* Makes the place and locks it; -1 where it cannot be written. A file system without locks is used
 * without: the rename is what keeps folders whole. */
static int lock_place(const char *place) {
    ib_str path = {0};
    int lock = -1;
    ib_str_printf(&path, "%s/.lock", place);
    if (!path.failed && ib_folder_make(place, NULL) == IB_OK)
        lock = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    ib_str_free(&path);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        ;
    return lock;
}

/* Builds in a place whose lock is held, unless another process just did. */
static ib_status build_in(const search *s, size_t place, char **folder) {
    const char *path = s->places[place].data;
    *folder = look_in(s, place);
    if (*folder)
        return IB_OK;
    sweep(path);
    ib_str library = {0};
    ib_str_printf(&library, "%s/library.so", s->scratch);
    ib_status status =
        library.failed ? ib_diags_no_memory(s->diags)
                       : ib_fmi_compile(s->fmu, &s->sources, s->scratch, library.data, s->diags);
    if (status == IB_OK && publish(s, library.data, path))
        *folder = look_in(s, place);
    if (status == IB_OK && !*folder) {
        ib_diags_add(s->diags, IB_ERROR, IB0102, IB_NO_PLACE,
                     "the library that was built cannot be kept in '%s'", path);
        status = IB_IO_ERROR;
    }
    if (status == IB_OK)
        ib_diags_add(s->diags, IB_NOTE, IB1054,
                     (ib_place){.file = s->diags ? ib_diags_file(s->diags, s->fmu->path) : NULL},
                     "the library of %s was built from source with '%s' and is kept in %s%s",
                     s->identifier, s->compilers[0].words[0], place ? path : s->fmu->path,
                     place ? "" : ".runtime");
    ib_str_free(&library);
    return status;
}

static ib_status build(const search *s, char **folder) {
    for (size_t place = 0; place < PLACES; place++) {
        const int lock = s->places[place].length ? lock_place(s->places[place].data) : -1;
        if (lock < 0)
            continue;
        const ib_status status = build_in(s, place, folder);
        close(lock);
        return status;
    }
    ib_diags_add(
        s->diags, IB_ERROR, IB0102, IB_NO_PLACE,
        "no library can be built: neither '%s.runtime' nor the user's cache can be written",
        s->fmu->path);
    return IB_IO_ERROR;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static ib_status prepare(search *s) {
    ib_str scratch = {0};
    ib_status status = ib_fmi_sources_read(s->fmu, s->identifier, s->diags, &s->sources);
    ib_str_printf(&scratch, "%s/.build-XXXXXX", s->fmu->folder.path);
    if (status == IB_OK && scratch.failed)
        status = ib_diags_no_memory(s->diags);
    if (status == IB_OK && !mkdtemp(scratch.data)) {
        ib_diags_add(s->diags, IB_ERROR, IB0102, IB_NO_PLACE, "cannot make a folder in '%s': %s",
                     s->fmu->folder.path, strerror(errno));
        status = IB_IO_ERROR;
    }
    if (status != IB_OK) {
        ib_str_free(&scratch);
        return status;
    }
    s->scratch = scratch.data;
    status = ib_fmi_compiler_find(s->fmu, false, s->scratch, s->diags, &s->compilers[0]);
    if (status == IB_OK && ib_fmi_any_cplusplus(&s->sources))
        status = ib_fmi_compiler_find(s->fmu, true, s->scratch, s->diags, &s->compilers[1]);
    if (status == IB_OK)
        status = make_key(s);
    return status == IB_OK ? name_places(s) : status;
}

ib_status ib_fmi_runtime(const ib_fmu *fmu, const char *identifier, ib_diags *diags,
                         char **folder) {
    search s = {.fmu = fmu, .identifier = identifier, .diags = diags};
    *folder = NULL;
    ib_status status = prepare(&s);
    for (size_t place = 0; status == IB_OK && place < PLACES && !*folder; place++)
        *folder = look_in(&s, place);
    if (status == IB_OK && !*folder)
        status = build(&s, folder);
    if (s.scratch)
        ib_fmi_remove(s.scratch);
    free(s.scratch);
    for (size_t i = 0; i < PLACES; i++) {
        ib_str_free(&s.places[i]);
        ib_fmi_compiler_free(&s.compilers[i]);
    }
    ib_fmi_sources_free(&s.sources);
    return status;
}
