/* Tapes as machine code: their C source, compiled by the system's compiler into a library that is
 * kept under the hash of the source, and loaded.
 *
 * A library appears in the folder by a rename, whole or not at all, so a compiler that is killed
 * leaves nothing that could be taken for one. It is loaded only if it belongs to the user and no
 * one else may write to it, and if it carries the key that its name says. The values are those of
 * the tape to the last bit: the same operations, contraction off, every function Ironbird's own.
 */
#include "expr/native.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Larger sources are compiled with less optimisation: the compiler's time grows faster than they.
 */
static const size_t large_source = 1 << 20;

struct ib_native {
    void *library;
    ib_native_host host;
    ib_native_data data;
};

/* One attempt. Paths end in .so, .c and .log; the second and third are this process's own. */
typedef struct attempt {
    const ib_native_options *options;
    ib_str text, library, source, log, fresh;
    char key[33];
    ib_str *why;
} attempt;

static const ib_native_host our_host = {
#define IB_MEMBER(name) .name = ib_##name,
    IB_NATIVE_UNARY(IB_MEMBER) IB_NATIVE_PLAIN(IB_MEMBER) IB_NATIVE_BINARY(IB_MEMBER)
#undef IB_MEMBER
        .sincos = ib_sincos,
    .curve = ib_curve_eval, .table = ib_table_eval};

/* The key goes into the source, too: what is loaded must be what was asked for. */
static void seal(attempt *a) {
    const char *compiler = a->options->compiler;
    uint64_t hash[2] = {IB_HASH_START, ~IB_HASH_START};
    for (int i = 0; i < 2; i++) {
        hash[i] = ib_hash_bytes(hash[i], a->text.data, a->text.length);
        hash[i] = ib_hash_bytes(hash[i], compiler, strlen(compiler));
    }
    snprintf(a->key, sizeof a->key, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
    ib_str_printf(&a->text, "const char ib_native_key[] = \"%s\";\n", a->key);
}

static bool name_files(attempt *a) {
    const char *folder = a->options->folder;
    const long process = (long)getpid();
    ib_str_printf(&a->library, "%s/%s.so", folder, a->key);
    ib_str_printf(&a->source, "%s/%s.%ld.c", folder, a->key, process);
    ib_str_printf(&a->log, "%s/%s.%ld.log", folder, a->key, process);
    ib_str_printf(&a->fresh, "%s/%s.%ld.so", folder, a->key, process);
    return !a->library.failed && !a->source.failed && !a->log.failed && !a->fresh.failed;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* The compiler's first line that speaks of an error, or its first line. */
static void quote_log(const attempt *a) {
    char *text;
    size_t length;
    if (ib_file_read(a->log.data, 1 << 20, NULL, IB_NO_PLACE, &text, &length) != IB_OK)
        return;
    const char *error = strstr(text, "error");
    const char *line = error ? error : text;
    while (line > text && line[-1] != '\n')
        line--;
    const int n = (int)strcspn(line, "\n");
    if (n > 0)
        ib_str_printf(a->why, ": %.*s", n < 200 ? n : 200, line);
    free(text);
}

static bool explain(const attempt *a, ib_program_end end) {
    static const char *const words[] = {[IB_PROGRAM_FAILED] = "the compiler '%s' failed",
                                        [IB_PROGRAM_KILLED] = "the compiler '%s' was killed",
                                        [IB_PROGRAM_MISSING] = "there is no compiler '%s'"};
    if (end == IB_PROGRAM_DONE)
        return true;
    ib_str_printf(a->why, words[end], a->options->compiler);
    if (end == IB_PROGRAM_FAILED)
        quote_log(a);
    return false;
}

static bool run_compiler(const attempt *a) {
    char *const optimise = a->text.length > large_source ? "-O1" : "-O2";
    char *arguments[] = {(char *)a->options->compiler,
                         "-std=c99",
                         optimise,
                         "-w",
                         "-fPIC",
                         "-shared",
                         "-ffp-contract=off",
                         "-fno-math-errno",
                         "-o",
                         a->fresh.data,
                         a->source.data,
                         NULL};
    const ib_program_end end = ib_program_run(arguments, a->log.data);
    const bool nothing = end == IB_PROGRAM_DONE && !ib_file_exists(a->fresh.data);
    return explain(a, nothing ? IB_PROGRAM_FAILED : end);
}

static bool compile(const attempt *a) {
    if (ib_folder_make(a->options->folder, NULL) != IB_OK ||
        ib_file_write(a->source.data, a->text.data, a->text.length, NULL) != IB_OK) {
        ib_str_printf(a->why, "the folder '%s' cannot be written", a->options->folder);
        return false;
    }
    bool good = run_compiler(a);
    if (good && !ib_code_cache_keep(a->fresh.data, a->library.data)) {
        ib_str_printf(a->why, "'%s' cannot be written", a->library.data);
        good = false;
    }
    unlink(a->source.data);
    unlink(a->log.data);
    unlink(a->fresh.data);
    return good;
}

/* ---- loading --------------------------------------------------------------------------------- */

static void *load(const attempt *a) {
    if (!ib_code_cache_has(a->library.data))
        return NULL;
    void *library = dlopen(a->library.data, RTLD_NOW | RTLD_LOCAL);
    const char *key = library ? dlsym(library, "ib_native_key") : NULL;
    if (key && strcmp(key, a->key) == 0)
        return library;
    if (library)
        dlclose(library);
    return NULL;
}

static bool attach(const ib_native *native, ib_tape *const *tapes, size_t n_tapes) {
    char name[32];
    for (size_t k = 0; k < n_tapes; k++) {
        ib_native_code code;
        snprintf(name, sizeof name, "ib_tape_%zu", k);
        void *symbol = dlsym(native->library, name);
        if (!symbol)
            return false;
        memcpy(&code, &symbol, sizeof code); /* POSIX: a function's address fits a pointer */
        ib_tape_use(tapes[k], code, &native->host, native->data.items);
    }
    return true;
}

static bool build(attempt *a, const ib_graph *graph, ib_tape *const *tapes, size_t n_tapes,
                  ib_native *native) {
    const ib_status status = ib_native_text(graph, tapes, n_tapes, &a->text, &native->data);
    if (status == IB_UNSUPPORTED)
        ib_str_add(a->why, "an expression cannot be written as C");
    if (status != IB_OK)
        return false;
    seal(a);
    if (a->text.failed || !name_files(a))
        return false;
    native->library = load(a);
    if (!native->library && compile(a))
        native->library = load(a);
    if (!native->library && a->why->length == 0)
        ib_str_printf(a->why, "'%s' cannot be loaded", a->library.data);
    return native->library && attach(native, tapes, n_tapes);
}

ib_native *ib_native_create(const ib_graph *graph, ib_tape *const *tapes, size_t n_tapes,
                            const ib_native_options *options, ib_str *why) {
    attempt a = {.options = options, .why = why};
    ib_native *native = calloc(1, sizeof *native);
    if (native)
        native->host = our_host;
    const bool good = native && build(&a, graph, tapes, n_tapes, native);
    ib_str_free(&a.text);
    ib_str_free(&a.library);
    ib_str_free(&a.source);
    ib_str_free(&a.log);
    ib_str_free(&a.fresh);
    if (good)
        return native;
    ib_native_destroy(native);
    if (why->length == 0)
        ib_str_add(why, "out of memory");
    return NULL;
}

void ib_native_destroy(ib_native *native) {
    if (!native)
        return;
    if (native->library)
        dlclose(native->library);
    free(native->data.items);
    free(native);
}
