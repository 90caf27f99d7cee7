/* Compiling the sources of an FMU with the system's compiler.
 *
 * Each file is compiled by itself, so that every error has its file, then all are linked. C is
 * taken for GNU C 11, as most exporters write it; the FMU's own headers come before ours, and the
 * mathematical library is linked whether it is listed or not. Options that an FMU asks for are
 * passed on only where they can neither run nor write anything.
 */
#include "fmi/source.h"

#include "fmi/platform.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ERRORS 20 /* of a file that are shown */
#define LARGEST_LOG ((size_t)1 << 20)

static ib_place place_of(const ib_fmu *fmu, ib_diags *diags) {
    return (ib_place){.file = diags ? ib_diags_file(diags, fmu->path) : fmu->path};
}

/* ---- the compiler -------------------------------------------------------------------------- */

static bool is_cplusplus(const ib_fmi_source_set *set) {
    return strncmp(set->language, "C++", 3) == 0;
}

bool ib_fmi_any_cplusplus(const ib_fmi_sources *sources) {
    bool any = false;
    for (size_t i = 0; i < sources->n_sets; i++)
        any |= sources->sets[i].n_files && is_cplusplus(&sources->sets[i]);
    return any;
}

static bool split(ib_fmi_compiler *compiler) {
    char *rest = compiler->text;
    for (char *word; (word = strtok_r(rest, " \t", &rest));) {
        if (compiler->n_words == IB_FMI_MOST_WORDS)
            return false;
        compiler->words[compiler->n_words++] = word;
    }
    return compiler->n_words > 0;
}

static ib_status complain_end(const ib_fmu *fmu, ib_diags *diags, const char *compiler,
                              ib_program_end end, const char *doing) {
    static const char *const words[] = {
        [IB_PROGRAM_FAILED] = "failed", [IB_PROGRAM_KILLED] = "was killed"};
    if (end == IB_PROGRAM_DONE)
        return IB_OK;
    if (end == IB_PROGRAM_MISSING) {
        ib_diags_add(diags, IB_ERROR, IB1051, place_of(fmu, diags),
                     "the FMU comes as source, and there is no compiler '%s' to build it with",
                     compiler);
        ib_diags_suggest(diags, "install one (package 'gcc'), or name another in the variable CC");
    } else {
        ib_diags_add(diags, IB_ERROR, IB1051, place_of(fmu, diags), "the compiler '%s' %s %s",
                     compiler, words[end], doing);
    }
    return IB_BAD_INPUT;
}

ib_status ib_fmi_compiler_find(const ib_fmu *fmu, bool cplusplus, const char *folder,
                               ib_diags *diags, ib_fmi_compiler *compiler) {
    const char *given = getenv(cplusplus ? "CXX" : "CC");
    const char *standard = cplusplus ? "c++" : "cc";
    ib_str log = {0};
    *compiler = (ib_fmi_compiler){0};
    compiler->text = strdup(given && given[strspn(given, " \t")] ? given : standard);
    ib_str_printf(&log, "%s/version.log", folder);
    if (!compiler->text || log.failed || !split(compiler)) {
        ib_str_free(&log);
        return ib_diags_no_memory(diags);
    }
    char *text = NULL;
    size_t length = 0;
    compiler->words[compiler->n_words] = "--version";
    const ib_program_end end = ib_program_run(compiler->words, log.data);
    compiler->words[compiler->n_words] = NULL;
    ib_status status =
        complain_end(fmu, diags, compiler->words[0], end, "when it was asked for its version");
    if (status == IB_OK)
        status = ib_file_read(log.data, LARGEST_LOG, diags, IB_NO_PLACE, &text, &length);
    if (status == IB_OK)
        ib_str_add_n(&compiler->version, text, length);
    free(text);
    ib_str_free(&log);
    return status;
}

void ib_fmi_compiler_free(ib_fmi_compiler *compiler) {
    free(compiler->text);
    ib_str_free(&compiler->version);
    *compiler = (ib_fmi_compiler){0};
}

/* ---- arguments ----------------------------------------------------------------------------- */

static const char *const always[] = {"-O2", "-fPIC", "-w", "-ffp-contract=off"};
static const char *const always3[] = {"-DFMI3_OVERRIDE_FUNCTION_PREFIX"};

uint64_t ib_fmi_hash_options(uint64_t hash, const ib_fmu *fmu) {
    const unsigned version = fmu->description->version;
    hash = ib_hash_bytes(hash, &version, sizeof version);
    for (size_t i = 0; i < IB_COUNT(always); i++)
        hash = ib_hash_bytes(hash, always[i], strlen(always[i]) + 1);
    for (size_t i = 0; i < IB_COUNT(always3); i++)
        hash = ib_hash_bytes(hash, always3[i], strlen(always3[i]) + 1);
    for (size_t i = 0; i < ib_fmi_n_header_files; i++)
        hash = ib_hash_bytes(hash, ib_fmi_header_files[i].bytes, ib_fmi_header_files[i].size);
    return hash;
}

/* What a compiler is started with: texts in an arena. */
typedef struct command {
    ib_arena *arena;
    char **words;
    size_t n, capacity;
    bool failed;
} command;

static void add(command *c, const char *format, ...) IB_PRINTF(2, 3);

static void add(command *c, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *word = ib_arena_vprintf(c->arena, format, arguments);
    va_end(arguments);
    if (!word || !IB_VEC_RESERVE(c->words, c->capacity, c->n)) {
        c->failed = true;
        return;
    }
    c->words[c->n++] = word;
}

static void begin(command *c, const ib_fmi_compiler *compiler) {
    c->n = 0;
    for (size_t i = 0; i < compiler->n_words; i++)
        add(c, "%s", compiler->words[i]);
}

/* Whether an option of the FMU can do nothing but change code. */
static bool is_harmless(const char *option) {
    static const char *const beginnings[] = {"-D", "-U", "-O", "-m", "-std=", "-pthread", "-ansi"};
    static const char *const refused[] = {"-fplugin", "-fdump", "-fprofile", "-fsave", "-ffile"};
    if (strchr(option, '/'))
        return false;
    for (size_t i = 0; i < IB_COUNT(beginnings); i++)
        if (strncmp(option, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    for (size_t i = 0; i < IB_COUNT(refused); i++)
        if (strncmp(option, refused[i], strlen(refused[i])) == 0)
            return false;
    if (strncmp(option, "-f", 2) == 0)
        return true;
    return strncmp(option, "-W", 2) == 0 && !strchr(option, ',');
}

static void add_options(command *c, const ib_fmu *fmu, const char *options, ib_diags *diags) {
    char *rest = ib_arena_strdup(c->arena, options);
    for (char *option; rest && (option = strtok_r(rest, " \t\r\n", &rest));) {
        if (is_harmless(option))
            add(c, "%s", option);
        else
            ib_diags_add(diags, IB_WARNING, IB1052, place_of(fmu, diags),
                         "the compiler's option '%.80s' that the FMU asks for is not passed on",
                         option);
    }
}

/* "C99" and the like are taken for GNU C 11, later ones for their GNU kind. */
static void add_language(command *c, const char *language) {
    if (strncmp(language, "C++", 3) == 0 && strlen(language) == 5)
        add(c, "-std=gnu++%s", language + 3);
    else if (strcmp(language, "C17") == 0 || strcmp(language, "C18") == 0)
        add(c, "-std=gnu17");
    else if (strcmp(language, "C23") == 0)
        add(c, "-std=gnu2x");
    else if (strncmp(language, "C++", 3) != 0)
        add(c, "-std=gnu11");
}

static void add_compilation(command *c, const ib_fmu *fmu, const ib_fmi_source_set *set,
                            const char *folder, ib_diags *diags) {
    const char *root = fmu->folder.path;
    add_language(c, set->language);
    for (size_t i = 0; i < IB_COUNT(always); i++)
        add(c, "%s", always[i]);
    for (size_t i = 0; i < IB_COUNT(always3) && fmu->description->version == 3; i++)
        add(c, "%s", always3[i]);
    for (size_t i = 0; i < set->n_definitions; i++)
        add(c, "-D%s%s%s", set->definitions[i].name, set->definitions[i].value ? "=" : "",
            set->definitions[i].value ? set->definitions[i].value : "");
    add_options(c, fmu, set->options, diags);
    add(c, "-I%s/sources", root);
    for (size_t i = 0; i < set->n_includes; i++)
        add(c, "-I%s/sources/%s", root, set->includes[i]);
    add(c, "-I%s/include", folder);
}

/* ---- what the compiler says ---------------------------------------------------------------- */

typedef struct report {
    const ib_fmu *fmu;
    ib_diags *diags;
    size_t n;
} report;

/* ":12" with what follows it at *text afterwards. */
static bool read_count(const char **text, unsigned *count) {
    if (**text != ':' || !isdigit((unsigned char)(*text)[1]))
        return false;
    char *end;
    *count = (unsigned)strtoul(*text + 1, &end, 10);
    *text = end;
    return true;
}

/* "PATH:LINE:COLUMN: error: TEXT" with a path within the FMU, as a diagnostic at its place. */
static bool report_placed(report *r, const char *line, size_t length) {
    const size_t root = strlen(r->fmu->folder.path);
    unsigned at_line = 0, column = 0;
    ib_str text = {0}, file = {0};
    ib_str_add_n(&text, line, length);
    const char *colon = text.failed || strncmp(line, r->fmu->folder.path, root) != 0
                            ? NULL
                            : strchr(text.data + root, ':');
    const char *error = colon ? strstr(colon, "error: ") : NULL, *colon_end = colon;
    bool placed = error && read_count(&colon_end, &at_line) && read_count(&colon_end, &column) &&
                  *colon_end == ':';
    if (placed) {
        ib_str_printf(&file, "%s%.*s", r->fmu->path, (int)(colon - text.data - (ptrdiff_t)root),
                      text.data + root);
        placed = !file.failed;
    }
    if (placed && r->n++ < MOST_ERRORS) {
        const char *name = r->diags ? ib_diags_file(r->diags, file.data) : r->fmu->path;
        char *source = NULL;
        size_t size;
        text.data[colon - text.data] = '\0';
        if (r->diags &&
            ib_file_read(text.data, LARGEST_LOG, NULL, IB_NO_PLACE, &source, &size) == IB_OK)
            ib_diags_source(r->diags, name, source, size);
        free(source);
        ib_diags_add(r->diags, IB_ERROR, IB1053, (ib_place){name, at_line, column, 1}, "%s",
                     error + strlen("error: "));
    }
    ib_str_free(&text);
    ib_str_free(&file);
    return placed;
}

/* Lines that speak of an error without a place of the FMU: the linker's, mostly. */
static void report_plain(report *r, const char *line, size_t length, const char *doing) {
    if (r->n++ >= MOST_ERRORS)
        return;
    const size_t root = strlen(r->fmu->folder.path);
    ib_str text = {0};
    /* Paths of the unpacked FMU mean nothing to its user. */
    for (size_t i = 0; i < length;)
        if (length - i > root && strncmp(line + i, r->fmu->folder.path, root) == 0) {
            ib_str_add(&text, r->fmu->path);
            i += root;
        } else {
            ib_str_add_char(&text, line[i++]);
        }
    ib_diags_add(r->diags, IB_ERROR, IB1053, place_of(r->fmu, r->diags), "%s: %.300s", doing,
                 text.failed ? "an error" : text.data);
    ib_str_free(&text);
}

static bool speaks_of_error(const char *line, size_t length) {
    static const char *const words[] = {"error", "undefined reference", "cannot find",
                                        "multiple definition"};
    ib_str text = {0};
    bool found = false;
    ib_str_add_n(&text, line, length);
    for (size_t i = 0; i < IB_COUNT(words) && !text.failed; i++)
        found |= strstr(text.data, words[i]) != NULL;
    ib_str_free(&text);
    return found && !(length > 8 && strncmp(line, "collect2", 8) == 0);
}

/* Reports every error of the log. Placed ones first: the others tend to be their consequence. */
static void report_log(const ib_fmu *fmu, ib_diags *diags, const char *log, const char *doing) {
    char *text;
    size_t length;
    report r = {fmu, diags, 0};
    if (ib_file_read(log, LARGEST_LOG, NULL, IB_NO_PLACE, &text, &length) != IB_OK)
        return;
    for (int pass = 0; pass < 2 && !r.n; pass++)
        for (const char *line = text; *line;) {
            const size_t n = strcspn(line, "\n");
            if (pass == 0)
                report_placed(&r, line, n);
            else if (speaks_of_error(line, n))
                report_plain(&r, line, n, doing);
            line += n + (line[n] == '\n');
        }
    if (!r.n && length)
        report_plain(&r, text, strcspn(text, "\n"), doing);
    if (r.n > MOST_ERRORS)
        ib_diags_add(diags, IB_NOTE, IB1053, place_of(fmu, diags), "%zu more errors are not shown",
                     r.n - MOST_ERRORS);
    free(text);
}

/* Runs the command; what it has to say about a failure is reported. */
static ib_status run(command *c, const ib_fmu *fmu, const char *folder, const char *doing,
                     ib_diags *diags) {
    char *log = ib_arena_printf(c->arena, "%s/compiler.log", folder);
    add(c, "%s", "");
    if (c->failed || !log)
        return ib_diags_no_memory(diags);
    c->words[--c->n] = NULL;
    const ib_program_end end = ib_program_run(c->words, log);
    if (end == IB_PROGRAM_FAILED)
        report_log(fmu, diags, log, doing);
    return complain_end(fmu, diags, c->words[0], end, doing);
}

/* ---- the steps ----------------------------------------------------------------------------- */

static ib_status write_headers(const char *folder, ib_diags *diags) {
    ib_str path = {0};
    ib_str_printf(&path, "%s/include", folder);
    ib_status status = path.failed ? ib_diags_no_memory(diags) : ib_folder_make(path.data, diags);
    for (size_t i = 0; i < ib_fmi_n_header_files && status == IB_OK; i++) {
        const ib_fmi_header_file *header = &ib_fmi_header_files[i];
        ib_str_clear(&path);
        ib_str_printf(&path, "%s/include/%s", folder, header->name);
        status = path.failed
                     ? ib_diags_no_memory(diags)
                     : ib_file_write(path.data, (const char *)header->bytes, header->size, diags);
    }
    ib_str_free(&path);
    return status;
}

static ib_status compile_all(command *c, const ib_fmu *fmu, const ib_fmi_sources *sources,
                             const ib_fmi_compiler compilers[2], const char *folder,
                             size_t *n_objects, ib_diags *diags) {
    ib_status status = IB_OK;
    *n_objects = 0;
    for (size_t i = 0; i < sources->n_sets; i++) {
        const ib_fmi_source_set *set = &sources->sets[i];
        for (size_t k = 0; k < set->n_files; k++) {
            const char *doing = ib_arena_printf(c->arena, "compiling sources/%s", set->files[k]);
            begin(c, &compilers[is_cplusplus(set)]);
            add_compilation(c, fmu, set, folder, k ? NULL : diags);
            add(c, "-c");
            add(c, "-o");
            add(c, "%s/%zu.o", folder, (*n_objects)++);
            add(c, "%s/sources/%s", fmu->folder.path, set->files[k]);
            /* All files are looked at, so that all errors are seen at once. */
            const ib_status one =
                doing ? run(c, fmu, folder, doing, diags) : ib_diags_no_memory(diags);
            status = status == IB_OK ? one : status;
        }
    }
    return status;
}

/* A library that comes with the FMU: one of the names it may have, or "". */
static const char *find_linked(const ib_fmu *fmu, ib_arena *arena, const char *name) {
    static const char *const patterns[] = {"%s/binaries/%s/%s", "%s/binaries/%s/%s.a",
                                           "%s/binaries/%s/lib%s.a", "%s/binaries/%s/%s.so",
                                           "%s/binaries/%s/lib%s.so"};
    for (size_t i = 0; i < IB_COUNT(patterns); i++) {
        char text[4096];
        snprintf(text, sizeof text, patterns[i], fmu->folder.path,
                 fmu->description->version == 3 ? IB_FMI_PLATFORM3 : IB_FMI_PLATFORM2, name);
        if (ib_file_exists(text))
            return ib_arena_strdup(arena, text);
    }
    return "";
}

static ib_status link_all(command *c, const ib_fmu *fmu, const ib_fmi_sources *sources,
                          const ib_fmi_compiler *linker, const char *folder, size_t n_objects,
                          const char *library, ib_diags *diags) {
    begin(c, linker);
    add(c, "-shared");
    add(c, "-o");
    add(c, "%s", library);
    for (size_t i = 0; i < n_objects; i++)
        add(c, "%s/%zu.o", folder, i);
    for (size_t i = 0; i < sources->n_libraries; i++) {
        const ib_fmi_linked *linked = &sources->libraries[i];
        const char *path = linked->external ? "" : find_linked(fmu, c->arena, linked->name);
        if (path && *path)
            add(c, "%s", path);
        else
            add(c, "-l%s", linked->name);
    }
    add(c, "-lm");
    add(c, "-Wl,-z,defs");
    add(c, "-Wl,-rpath,$ORIGIN");
    return run(c, fmu, folder, "linking the library", diags);
}

ib_status ib_fmi_compile(const ib_fmu *fmu, const ib_fmi_sources *sources, const char *folder,
                         const char *library, ib_diags *diags) {
    command c = {.arena = ib_arena_create()};
    ib_fmi_compiler compilers[2] = {{0}, {0}};
    const bool cplusplus = ib_fmi_any_cplusplus(sources);
    size_t n_objects = 0;
    ib_status status = c.arena ? write_headers(folder, diags) : ib_diags_no_memory(diags);
    if (status == IB_OK)
        status = ib_fmi_compiler_find(fmu, false, folder, diags, &compilers[0]);
    if (status == IB_OK && cplusplus)
        status = ib_fmi_compiler_find(fmu, true, folder, diags, &compilers[1]);
    if (status == IB_OK)
        status = compile_all(&c, fmu, sources, compilers, folder, &n_objects, diags);
    if (status == IB_OK)
        status =
            link_all(&c, fmu, sources, &compilers[cplusplus], folder, n_objects, library, diags);
    if (status == IB_OK && !ib_file_exists(library)) {
        ib_diags_add(diags, IB_ERROR, IB1051, place_of(fmu, diags),
                     "the compiler '%s' left no library", compilers[cplusplus].words[0]);
        status = IB_BAD_INPUT;
    }
    ib_fmi_compiler_free(&compilers[0]);
    ib_fmi_compiler_free(&compilers[1]);
    free(c.words);
    ib_arena_destroy(c.arena);
    return status;
}
