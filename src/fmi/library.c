/* The library of an FMU: where it is, whether it can be loaded, which functions it has.
 *
 * A truncated library would end the process by a signal, so it is looked at before it is loaded.
 * FMI 2 sources compiled with a prefix export <identifier>_fmi2..., which is looked for too.
 */
#include "fmi/instance.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define PLATFORM3 "x86_64-linux"
#define PLATFORM2 "linux64"
#elif defined(__aarch64__)
#define PLATFORM3 "aarch64-linux"
#define PLATFORM2 "aarch64-linux"
#else
#define PLATFORM3 "unknown-linux"
#define PLATFORM2 "unknown-linux"
#endif

static ib_place place_of(const ib_fmu *fmu, ib_diags *diags) {
    return (ib_place){.file = diags ? ib_diags_file(diags, fmu->path) : fmu->path};
}

char *ib_fmi_library_path(const ib_fmu *fmu, const char *identifier) {
    ib_str path = {0};
    ib_str_printf(&path, "%s/binaries/%s/%s.so", fmu->folder.path,
                  fmu->description->version == 3 ? PLATFORM3 : PLATFORM2, identifier);
    if (!path.failed)
        return path.data;
    ib_str_free(&path);
    return NULL;
}

/* ---- the file ------------------------------------------------------------------------------ */

static ib_status check_file(const ib_fmu *fmu, const char *path, ib_diags *diags) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t size = 0;
    if (!file) {
        ib_diags_add(diags, IB_ERROR, IB1030, place_of(fmu, diags),
                     "the FMU has no library for this machine: there is no %s",
                     path + strlen(fmu->folder.path) + 1);
        return IB_BAD_INPUT;
    }
    fclose(file);
    const ib_status status = ib_file_read(path, SIZE_MAX, diags, IB_NO_PLACE, &bytes, &size);
    const char *fault = status == IB_OK ? ib_library_fault(bytes, size) : NULL;
    free(bytes);
    if (fault)
        ib_diags_add(diags, IB_ERROR, IB1031, place_of(fmu, diags), "the library '%s' %s",
                     path + strlen(fmu->folder.path) + 1, fault);
    return fault ? IB_BAD_INPUT : status;
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

ib_status ib_fmi_library_open(const ib_fmu *fmu, ib_fmu_kind kind, ib_diags *diags,
                              ib_fmi_library *library) {
    *library = (ib_fmi_library){0};
    char *path = ib_fmi_library_path(fmu, fmu->description->interfaces[kind].identifier);
    if (!path) {
        ib_diags_add(diags, IB_ERROR, IB0103, IB_NO_PLACE, "out of memory");
        return IB_NO_MEMORY;
    }
    ib_status status = check_file(fmu, path, diags);
    if (status == IB_OK) {
        library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library->handle) {
            const char *why = dlerror();
            ib_diags_add(diags, IB_ERROR, IB1031, place_of(fmu, diags),
                         "the library cannot be loaded: %s", why ? why : "for no reason given");
            status = IB_BAD_INPUT;
        }
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
    *library = (ib_fmi_library){0};
}
