/* A flight computer given as C source: compiled by the system's compiler, once for each version of
 * its text, into a library that is kept under the hash of what the preprocessor made of it (so that
 * a header that has changed counts too).
 *
 * ironbird/fcc.h is the one this was built with, so source and host always agree. A library appears
 * in the folder by a rename, whole or not at all, and is used only if it belongs to the user and no
 * one else may write to it. One source, one library: other source files are included by it.
 */
#include "fcc/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The text of include/ironbird/fcc.h, which cmake puts into a source of its own. */
extern const char ib_fcc_header[];

typedef struct work {
    const char *source, *compiler;
    ib_place place;
    ib_diags *diags;
    ib_str folder, include;  /* of the cache; -I... */
    ib_str text, fresh, log; /* files of this process's own */
    ib_str *library;
} work;

/* ---- files ---------------------------------------------------------------------------------- */

/* Puts the header where the compiler finds it, under its hash. */
static ib_status give_header(work *w) {
    ib_str path = {0};
    const size_t length = strlen(ib_fcc_header);
    const uint64_t hash = ib_hash_bytes(IB_HASH_START, ib_fcc_header, length);
    ib_status status = IB_OK;
    ib_str_printf(&w->include, "-I%s/include-%016" PRIx64, w->folder.data, hash);
    ib_str_printf(&path, "%s/ironbird", w->include.data + 2);
    if (!path.failed)
        status = ib_folder_make(path.data, w->diags);
    ib_str_add(&path, "/fcc.h");
    if (path.failed || w->include.failed)
        status = ib_fcc_no_memory(w->diags);
    if (status == IB_OK && !ib_file_exists(path.data))
        status = ib_file_write(path.data, ib_fcc_header, length, w->diags);
    ib_str_free(&path);
    return status;
}

static bool name_files(work *w) {
    const long process = (long)getpid();
    const unsigned long long mark = (unsigned long long)(uintptr_t)w; /* another thread's differs */
    ib_str_printf(&w->text, "%s/fcc-%ld-%llx.i", w->folder.data, process, mark);
    ib_str_printf(&w->fresh, "%s/fcc-%ld-%llx.so", w->folder.data, process, mark);
    ib_str_printf(&w->log, "%s/fcc-%ld-%llx.log", w->folder.data, process, mark);
    return !w->text.failed && !w->fresh.failed && !w->log.failed;
}

/* ---- what the compiler says ----------------------------------------------------------------- */

/* FILE:LINE:COLUMN: error: TEXT of the log's first error, as a diagnostic there. */
static bool repeat_error(const work *w, char *text) {
    char *error = strstr(text, "error: ");
    char *line = error;
    if (!error)
        return false;
    while (line > text && line[-1] != '\n')
        line--;
    error[strcspn(error, "\n")] = '\0';
    ib_place place = w->place;
    char *colon = strchr(line, ':');
    if (colon && colon < error) {
        char *end = colon + 1;
        const unsigned long row = strtoul(end, &end, 10);
        const unsigned long column = *end == ':' ? strtoul(end + 1, NULL, 10) : 0;
        *colon = '\0';
        if (row > 0)
            place = (ib_place){.file = w->diags ? ib_diags_file(w->diags, line) : NULL,
                               .line = (uint32_t)row,
                               .column = (uint32_t)(column ? column : 1),
                               .length = 1};
    }
    ib_diags_add(w->diags, IB_ERROR, IB1212, place, "flight computer '%s' does not compile: %s",
                 w->source, error + strlen("error: "));
    return true;
}

static ib_status complain(const work *w, ib_program_end end) {
    char *text = NULL;
    size_t length = 0;
    bool said = false;
    if (end == IB_PROGRAM_FAILED &&
        ib_file_read(w->log.data, (size_t)1 << 20, NULL, IB_NO_PLACE, &text, &length) == IB_OK)
        said = repeat_error(w, text);
    free(text);
    if (!said)
        ib_diags_add(w->diags, IB_ERROR, IB1212, w->place,
                     end == IB_PROGRAM_MISSING
                         ? "flight computer '%s' does not compile: there is no compiler '%s'"
                         : "flight computer '%s' does not compile: '%s' failed",
                     w->source, w->compiler);
    return IB_BAD_INPUT;
}

/* ---- compiling ------------------------------------------------------------------------------ */

/* Runs the compiler with the flags of every step and these three. */
static ib_status run_compiler(const work *w, const char *step, const char *out) {
    char *arguments[] = {
        (char *)w->compiler, "-std=c17",      "-O2",        "-fPIC", "-ffp-contract=off",
        "-fno-math-errno",   w->include.data, (char *)step, "-o",    (char *)out,
        (char *)w->source,   "-lm",           NULL};
    const ib_program_end end = ib_program_run(arguments, w->log.data);
    return end == IB_PROGRAM_DONE ? IB_OK : complain(w, end);
}

/* The library's name, by what the preprocessor makes of the source. */
static ib_status name_library(work *w) {
    char *text = NULL;
    size_t length = 0;
    ib_status status = run_compiler(w, "-E", w->text.data);
    if (status == IB_OK)
        status = ib_file_read(w->text.data, SIZE_MAX, w->diags, w->place, &text, &length);
    if (status != IB_OK)
        return status;
    uint64_t hash[2] = {IB_HASH_START, ~IB_HASH_START};
    for (int i = 0; i < 2; i++) {
        hash[i] = ib_hash_bytes(hash[i], text, length);
        hash[i] = ib_hash_bytes(hash[i], w->compiler, strlen(w->compiler));
    }
    free(text);
    ib_str_printf(w->library, "%s/fcc-%016" PRIx64 "%016" PRIx64 ".so", w->folder.data, hash[0],
                  hash[1]);
    return w->library->failed ? ib_fcc_no_memory(w->diags) : IB_OK;
}

static ib_status compile(work *w) {
    ib_status status = ib_folder_make(w->folder.data, w->diags);
    if (status == IB_OK)
        status = give_header(w);
    if (status == IB_OK)
        status = name_files(w) ? name_library(w) : ib_fcc_no_memory(w->diags);
    if (status != IB_OK || ib_code_cache_has(w->library->data))
        return status;
    status = run_compiler(w, "-shared", w->fresh.data);
    if (status == IB_OK && !ib_code_cache_keep(w->fresh.data, w->library->data)) {
        ib_diags_add(w->diags, IB_ERROR, IB0102, IB_NO_PLACE, "'%s' cannot be written",
                     w->library->data);
        status = IB_IO_ERROR;
    }
    return status;
}

bool ib_fcc_is_source(const char *path) {
    const size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, ".c") == 0;
}

ib_status ib_fcc_compile(const char *source, ib_place place, ib_diags *diags, ib_str *library) {
    const char *compiler = getenv("CC");
    char *text = NULL;
    size_t length;
    work w = {.source = source,
              .compiler = compiler && *compiler ? compiler : "cc",
              .place = place,
              .diags = diags,
              .library = library};
    ib_status status = ib_file_read(source, (size_t)1 << 26, diags, place, &text, &length);
    free(text);
    if (status != IB_OK)
        return status;
    if (ib_code_cache_folder(&w.folder)) {
        status = compile(&w);
        const ib_str *const files[] = {&w.text, &w.fresh, &w.log};
        for (size_t i = 0; i < IB_COUNT(files); i++)
            if (files[i]->length)
                unlink(files[i]->data);
    } else {
        ib_diags_add(diags, IB_ERROR, IB1212, place,
                     "flight computer '%s' cannot be compiled: there is no home folder to keep its "
                     "library in",
                     source);
        status = IB_BAD_INPUT;
    }
    ib_str *const texts[] = {&w.folder, &w.include, &w.text, &w.fresh, &w.log};
    for (size_t i = 0; i < IB_COUNT(texts); i++)
        ib_str_free(texts[i]);
    return status;
}
