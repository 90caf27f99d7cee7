/* The library of an FMU: where it is, whether it can be loaded, which functions it has.
 *
 * A truncated library would end the process by a signal when its missing pages are touched, so the
 * headers are held against the size of the file first. FMI 2 sources compiled with a prefix export
 * <identifier>_fmi2..., which is looked for too.
 */
#include "fmi/instance.h"

#include "fmi/platform.h"
#include "fmi/source.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OTHERS 256 /* libraries beside the main one */

static ib_place place_of(const ib_fmu *fmu, ib_diags *diags) {
    return (ib_place){.file = diags ? ib_diags_file(diags, fmu->path) : fmu->path};
}

/* The path of a library below the folder that holds binaries/ (malloc'ed). NULL: no memory. */
static char *path_of(const ib_fmu *fmu, const char *root, const char *identifier) {
    ib_str path = {0};
    ib_str_printf(&path, "%s/binaries/%s/%s.so", root,
                  fmu->description->version == 3 ? IB_FMI_PLATFORM3 : IB_FMI_PLATFORM2, identifier);
    if (!path.failed)
        return path.data;
    ib_str_free(&path);
    return NULL;
}

/* ---- the file ------------------------------------------------------------------------------ */

const char *ib_fmi_library_fault(const char *path) {
    char *bytes = NULL;
    size_t size = 0;
    if (ib_file_read(path, SIZE_MAX, NULL, IB_NO_PLACE, &bytes, &size) != IB_OK)
        return "cannot be read";
    const char *fault = ib_library_fault(bytes, size);
    free(bytes);
    return fault;
}

/* Where the library is: in the FMU, or where it was built. */
static ib_status find_root(const ib_fmu *fmu, const char *identifier, ib_diags *diags,
                           char **root) {
    char *path = path_of(fmu, fmu->folder.path, identifier);
    const bool exists = path && ib_file_exists(path);
    ib_status status = path ? IB_OK : IB_NO_MEMORY;
    if (exists) {
        *root = strdup(fmu->folder.path);
        status = *root ? IB_OK : IB_NO_MEMORY;
    } else if (path && ib_fmi_has_sources(fmu)) {
        free(path);
        return ib_fmi_runtime(fmu, identifier, diags, root);
    } else if (path) {
        ib_diags_add(diags, IB_ERROR, IB1030, place_of(fmu, diags),
                     "the FMU has no library for this machine: there is no %s, and no sources to "
                     "build one from",
                     path + strlen(fmu->folder.path) + 1);
        status = IB_BAD_INPUT;
    }
    if (status == IB_NO_MEMORY)
        ib_diags_no_memory(diags);
    free(path);
    return status;
}

/* Loads a library beside the main one and keeps its handle; false when that is not possible yet. */
static bool load_other(const char *folder, const char *name, ib_fmi_library *library) {
    ib_str path = {0};
    ib_str_printf(&path, "%s/%s", folder, name);
    const bool good = !path.failed && !ib_fmi_library_fault(path.data) &&
                      IB_VEC_RESERVE(library->others, library->others_capacity, library->n_others);
    void *handle = good ? dlopen(path.data, RTLD_NOW | RTLD_LOCAL) : NULL;
    ib_str_free(&path);
    if (handle)
        library->others[library->n_others++] = handle;
    return handle != NULL;
}

/* Loads the libraries beside the main one, so that those it needs are found by their names. They
 * may need each other: as long as one more can be loaded, the rest is tried again. */
static void load_others(const char *path, ib_fmi_library *library) {
    ib_arena *arena = ib_arena_create();
    const char *slash = strrchr(path, '/');
    char *folder = arena ? ib_arena_strndup(arena, path, (size_t)(slash - path)) : NULL;
    DIR *entries = folder ? opendir(folder) : NULL;
    char *names[MOST_OTHERS];
    size_t n = 0;
    for (struct dirent *entry; entries && n < MOST_OTHERS && (entry = readdir(entries));)
        if (strstr(entry->d_name, ".so") && strcmp(entry->d_name, slash + 1) != 0 &&
            (names[n] = ib_arena_strdup(arena, entry->d_name)))
            n++;
    if (entries)
        closedir(entries);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < n; i++)
            if (names[i] && load_other(folder, names[i], library)) {
                names[i] = NULL;
                again = true;
            }
    }
    ib_arena_destroy(arena);
}

static ib_status load(const ib_fmu *fmu, const char *path, ib_diags *diags,
                      ib_fmi_library *library) {
    const char *fault = ib_fmi_library_fault(path);
    if (fault) {
        ib_diags_add(diags, IB_ERROR, IB1031, place_of(fmu, diags), "the library '%s' %s",
                     path + strlen(library->root) + 1, fault);
        return IB_BAD_INPUT;
    }
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle) {
        load_others(path, library);
        library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (library->handle)
        return IB_OK;
    const char *why = dlerror();
    ib_diags_add(diags, IB_ERROR, IB1031, place_of(fmu, diags), "the library cannot be loaded: %s",
                 why ? why : "for no reason given");
    if (why && (strstr(why, "symbol: Py") || strstr(why, "symbol: _Py")))
        ib_diags_suggest(diags, "it needs Python's library: set LD_PRELOAD to libpython3.N.so");
    return IB_BAD_INPUT;
}

/* ---- functions ----------------------------------------------------------------------------- */

enum { OPTIONAL = 0, ME = 1, CS = 2, SE = 4, ALL = 7 };

typedef struct symbol {
    const char *name;
    size_t offset; /* of the pointer in ib_fmi_library */
    unsigned kinds;
} symbol;

static const symbol symbols3[] = {
#define FMI3(name, kinds) {"fmi3" #name, offsetof(ib_fmi_library, f3.name), kinds},
#include "fmi/functions.def"
};

static const symbol symbols2[] = {
#define FMI2(name, kinds) {"fmi2" #name, offsetof(ib_fmi_library, f2.name), kinds},
#include "fmi/functions.def"
};

static void *find(void *handle, const char *identifier, const char *name) {
    char prefixed[512];
    void *address = dlsym(handle, name);
    if (address)
        return address;
    snprintf(prefixed, sizeof prefixed, "%s_%s", identifier, name);
    return dlsym(handle, prefixed);
}

/* Puts the address of each function into its place; those that the kind needs have to be there. */
static ib_status bind(const ib_fmu *fmu, ib_fmu_kind kind, ib_diags *diags,
                      ib_fmi_library *library) {
    const bool three = fmu->description->version == 3;
    const symbol *symbols = three ? symbols3 : symbols2;
    const size_t n = three ? IB_COUNT(symbols3) : IB_COUNT(symbols2);
    const char *identifier = fmu->description->interfaces[kind].identifier;
    ib_str missing = {0};
    for (size_t i = 0; i < n; i++) {
        void *address = find(library->handle, identifier, symbols[i].name);
        memcpy((char *)library + symbols[i].offset, &address, sizeof address);
        if (!address && symbols[i].kinds & 1U << kind)
            ib_str_printf(&missing, "%s%s", missing.length ? ", " : "", symbols[i].name);
    }
    if (missing.length)
        ib_diags_add(diags, IB_ERROR, IB1032, place_of(fmu, diags), "the library of %s lacks %s",
                     identifier, missing.failed ? "functions" : missing.data);
    const bool complete = !missing.length;
    ib_str_free(&missing);
    return complete ? IB_OK : IB_BAD_INPUT;
}

ib_status ib_fmi_library_root(const ib_fmu *fmu, ib_fmu_kind kind, ib_diags *diags, char **root) {
    *root = NULL;
    return find_root(fmu, fmu->description->interfaces[kind].identifier, diags, root);
}

ib_status ib_fmi_library_open(const ib_fmu *fmu, ib_fmu_kind kind, const char *root,
                              ib_diags *diags, ib_fmi_library *library) {
    const char *identifier = fmu->description->interfaces[kind].identifier;
    *library = (ib_fmi_library){0};
    library->root = root ? strdup(root) : NULL;
    ib_status status = root ? IB_OK : find_root(fmu, identifier, diags, &library->root);
    if (status != IB_OK)
        return status;
    char *path = library->root ? path_of(fmu, library->root, identifier) : NULL;
    if (path) {
        status = load(fmu, path, diags, library);
    } else {
        ib_diags_no_memory(diags);
        status = IB_NO_MEMORY;
    }
    free(path);
    if (status == IB_OK)
        status = bind(fmu, kind, diags, library);
    if (status != IB_OK)
        ib_fmi_library_close(library);
    return status;
}

void ib_fmi_library_close(ib_fmi_library *library) {
    if (library->handle)
        dlclose(library->handle);
    while (library->n_others)
        dlclose(library->others[--library->n_others]);
    free(library->others);
    free(library->root);
    *library = (ib_fmi_library){0};
}

ib_status ib_fmu_build(ib_fmu *fmu, ib_fmu_kind kind, ib_diags *diags, const char **library) {
    const char *identifier = ib_fmu_identifier(fmu, kind);
    char *root = NULL;
    *library = NULL;
    if (!identifier || !ib_fmi_has_sources(fmu)) {
        ib_diags_add(diags, IB_ERROR, identifier ? IB1050 : IB1025, place_of(fmu, diags),
                     identifier ? "the FMU has no sources to build" : "the FMU does not offer %s",
                     ib_fmu_kind_name(kind));
        return IB_BAD_INPUT;
    }
    const ib_status status = ib_fmi_runtime(fmu, identifier, diags, &root);
    char *path = status == IB_OK ? path_of(fmu, root, identifier) : NULL;
    *library = path ? ib_arena_strdup(fmu->texts, path) : NULL;
    free(path);
    free(root);
    return status == IB_OK && !*library ? IB_NO_MEMORY : status;
}
