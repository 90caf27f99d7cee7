/* FMUs from Modelica classes: the compiler that the machine has is run, and what it makes is kept.
 *
 * A compiler is a row of a table: a program, and how it is told what to do. So far there is one,
 * Rumoca, a Python package. rumoca.py drives it in a Python of its own: it writes the FMU
 * into X.mo.runtime/ beside the source (or the user's cache folder) under a hash of the compiler's
 * version, the class and every Modelica file that may count, so that what changed is made anew.
 *
 * Rumoca exports no state events (docs/modelica.md): such classes are refused, not simulated wrong.
 */
#include "fmi/fmi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_LOG ((size_t)1 << 20)
#define LARGEST_SOURCE ((size_t)64 << 20)

/* rumoca.py, as text: made by the build. */
extern const char ib_rumoca_script[];

/* A compiler of Modelica: a program that runs a script. */
typedef struct modelica_compiler {
    const char *name;
    const char *variable; /* of the environment, that names the program */
    const char *program;  /* else this */
    const char *script;
    const char *install; /* what to do where it is not there */
} modelica_compiler;

static const modelica_compiler compilers[] = {
    {"Rumoca", "IRONBIRD_RUMOCA", "python3", ib_rumoca_script,
     "python3 -m pip install rumoca==0.9.10 (or name a Python that has it in the variable "
     "IRONBIRD_RUMOCA)"}};

typedef struct building {
    const modelica_compiler *compiler;
    const char *path;
    ib_diags *diags;
    ib_str *fmu;
    size_t n_complaints;
} building;

static ib_place at(const building *b, const char *line, const char *column) {
    const unsigned long l = strtoul(line, NULL, 10), c = strtoul(column, NULL, 10);
    return (ib_place){ib_diags_file(b->diags, b->path), (uint32_t)l, (uint32_t)c, l ? 1 : 0};
}

/* What `*rest` holds up to a separator, which ends it; "" behind the last. */
static char *next_field(char **rest, char separator) {
    char *field = *rest, *end = strchr(field, separator);
    *rest = end ? end + 1 : field + strlen(field);
    if (end)
        *end = '\0';
    return field;
}

/* One line of the script's answers. */
static void answer(building *b, char *line) {
    char *fields[5] = {0};
    const ib_place file = at(b, "0", "0");
    for (size_t i = 0; i < IB_COUNT(fields); i++)
        fields[i] = next_field(&line, '\t');
    const char *word = fields[1];
    if (strcmp(fields[0], "@") != 0)
        return;
    b->n_complaints += strcmp(word, "fmu") != 0;
    if (strcmp(word, "fmu") == 0) {
        ib_str_add(b->fmu, fields[2]);
        if (strcmp(fields[3], "kept") != 0)
            ib_diags_add(b->diags, IB_NOTE, IB1082, file, "%s: %s", fields[3], fields[2]);
    } else if (strcmp(word, "missing") == 0) {
        ib_diags_add(b->diags, IB_ERROR, IB1080, file,
                     "this is Modelica, and the compiler %s is not installed", b->compiler->name);
        ib_diags_suggest(b->diags, "%s", b->compiler->install);
    } else if (strcmp(word, "no fmi") == 0) {
        ib_diags_add(b->diags, IB_ERROR, IB1080, file,
                     "%s %s, as it is packaged, cannot export FMUs; 0.9.10 can", b->compiler->name,
                     fields[2]);
        ib_diags_suggest(b->diags, "%s", b->compiler->install);
    } else if (strcmp(word, "events") == 0) {
        ib_diags_add(
            b->diags, IB_ERROR, IB1081, file,
            "%s has %s state event%s, which the FMUs of %s %s do not handle: they would be "
            "passed over",
            fields[2], fields[3], strcmp(fields[3], "1") == 0 ? "" : "s", b->compiler->name,
            fields[4]);
        ib_diags_suggest(b->diags,
                         "write conditions as noEvent(if ...); 'when' cannot be exported");
    } else {
        ib_diags_add(b->diags, IB_ERROR, IB1081, at(b, fields[2], fields[3]), "%s: %s",
                     b->compiler->name, fields[4]);
    }
}

/* The lines of a diagnostic's source are shown beneath it. */
static ib_status read_source(const building *b) {
    char *text = NULL;
    size_t length;
    const ib_status status =
        ib_file_read(b->path, LARGEST_SOURCE, b->diags, IB_NO_PLACE, &text, &length);
    if (status == IB_OK)
        ib_diags_source(b->diags, ib_diags_file(b->diags, b->path), text, length);
    free(text);
    return status;
}

static ib_status read_answers(building *b, const char *log, ib_program_end end) {
    char *text = NULL;
    size_t length;
    ib_status status = ib_file_read(log, LARGEST_LOG, b->diags, IB_NO_PLACE, &text, &length);
    char *rest = text;
    while (status == IB_OK && *rest)
        answer(b, next_field(&rest, '\n'));
    free(text);
    if (status == IB_OK && b->fmu->failed)
        return ib_diags_no_memory(b->diags);
    if (status == IB_OK && !b->fmu->length && !b->n_complaints)
        ib_diags_add(b->diags, IB_ERROR, IB1081, at(b, "0", "0"), "%s %s", b->compiler->name,
                     end == IB_PROGRAM_KILLED ? "was killed" : "failed without a word");
    return status == IB_OK && !b->fmu->length ? IB_BAD_INPUT : status;
}

/* Runs the script with the file, the class and the source roots. */
static ib_status run_script(building *b, const char *program, const char *class_name,
                            const char *const *roots, size_t n_roots, const char *log) {
    const char **words = calloc(n_roots + 7, sizeof *words);
    size_t n = 0;
    if (!words)
        return ib_diags_no_memory(b->diags);
    words[n++] = program;
    words[n++] = "-Xutf8";
    words[n++] = "-c";
    words[n++] = b->compiler->script;
    words[n++] = b->path;
    words[n++] = class_name ? class_name : "";
    for (size_t i = 0; i < n_roots; i++)
        words[n++] = roots[i];
    char **arguments = (char **)words; /* posix_spawn's type; nothing is written to them */
    const ib_program_end end = ib_program_run(arguments, log);
    free(words);
    if (end != IB_PROGRAM_MISSING)
        return read_answers(b, log, end);
    ib_diags_add(b->diags, IB_ERROR, IB1080, at(b, "0", "0"),
                 "this is Modelica, and the compiler %s needs the program '%s', which is not there",
                 b->compiler->name, program);
    ib_diags_suggest(b->diags, "%s", b->compiler->install);
    return IB_BAD_INPUT;
}

ib_status ib_modelica_build(const char *path, const char *class_name, const char *const *roots,
                            size_t n_roots, ib_diags *diags, ib_str *fmu) {
    building b = {&compilers[0], path, diags, fmu, 0};
    const char *temporary = getenv("TMPDIR"), *given = getenv(b.compiler->variable);
    ib_str log = {0};
    ib_status status = read_source(&b);
    if (status != IB_OK)
        return status;
    ib_str_printf(&log, "%s/ironbird-modelica-XXXXXX",
                  temporary && *temporary ? temporary : "/tmp");
    const int file = log.failed ? -1 : mkstemp(log.data);
    if (file < 0) {
        ib_diags_add(diags, IB_ERROR, IB1081, IB_NO_PLACE, "no temporary file can be made");
        status = IB_IO_ERROR;
    } else {
        close(file);
        status = run_script(&b, given && *given ? given : b.compiler->program, class_name, roots,
                            n_roots, log.data);
        unlink(log.data);
    }
    ib_str_free(&log);
    return status;
}
