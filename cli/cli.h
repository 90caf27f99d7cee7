/* The program `ironbird`: what its files share. Only here is anything printed, and only here does
 * the program end.
 */
#ifndef IB_CLI_H
#define IB_CLI_H

#include "base/base.h"
#include "ironbird/ironbird.h"

#include <stdio.h>

#ifndef IB_VERSION
#define IB_VERSION "unversioned"
#endif

/* ---- exit codes ---------------------------------------------------------------------------- */

enum {
    IB_EXIT_DONE = 0,
    IB_EXIT_FAILED = 1,     /* the check or comparison failed */
    IB_EXIT_USAGE = 2,      /* wrong usage or input */
    IB_EXIT_SIMULATION = 3, /* the simulation failed, results kept */
    IB_EXIT_INTERNAL = 4,   /* internal error */
    IB_EXIT_INTERRUPTED = 130
};

/* What a status means to whoever called the program, before anything was simulated. */
int ib_exit_code(ib_status status);

/* ---- commands.c: the tables ---------------------------------------------------------------- */

typedef enum ib_command_id {
#define IB_COMMAND(key, arguments, least, most, summary, description) IB_COMMAND_##key,
#define IB_LATER_COMMAND(key, arguments, summary) IB_COMMAND_##key,
#include "commands.def"
#undef IB_COMMAND
#undef IB_LATER_COMMAND
    IB_COMMAND_COUNT
} ib_command_id;

typedef enum ib_option_id {
#define IB_OPTION(command, key, name, letter, argument, kind, help) IB_OPTION_##command##_##key,
#include "options.def"
#undef IB_OPTION
    IB_OPTION_COUNT
} ib_option_id;

typedef enum ib_option_kind {
    IB_OPTION_SWITCH,
    IB_OPTION_VALUE,
    IB_OPTION_LIST,
    IB_OPTION_OPTIONAL, /* its value, a number, may be left out */
    IB_OPTION_LATER
} ib_option_kind;

typedef struct ib_option {
    ib_command_id command;
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    const char *argument;
    ib_option_kind kind;
    const char *help;
} ib_option;

struct ib_arguments;

typedef struct ib_command {
    const char *name;
    const char *arguments;
    size_t least, most; /* arguments; most 0: any number */
    const char *summary;
    const char *description;                      /* NULL: not built yet */
    int (*run)(const struct ib_arguments *given); /* returns the exit code */
} ib_command;

const ib_command *ib_command_at(ib_command_id id);
const ib_option *ib_option_at(ib_option_id id);

/* ---- arguments.c: the command line --------------------------------------------------------- */

typedef struct ib_given {
    ib_option_id option;
    const char *value; /* NULL for a switch, or where it was left out */
} ib_given;

/* A command line, taken apart. */
typedef struct ib_arguments {
    ib_command_id command;
    bool help;
    const char **words; /* what is no option */
    size_t n_words;
    ib_given *given; /* options in their order */
    size_t n_given;
} ib_arguments;

/* Takes argv behind the command's name apart. False after diagnostics. Free with
 * ib_arguments_free. */
bool ib_arguments_parse(ib_command_id command, int n, char **texts, ib_diags *diags,
                        ib_arguments *arguments);
void ib_arguments_free(ib_arguments *arguments);
bool ib_arguments_has(const ib_arguments *arguments, ib_option_id option);
/* The last value given, or NULL. */
const char *ib_arguments_value(const ib_arguments *arguments, ib_option_id option);
/* The values given, in malloc'ed memory (free it); *n tells how many. NULL only when out of memory.
 */
const char **ib_arguments_list(const ib_arguments *arguments, ib_option_id option, size_t *n);

/* ---- help.c, man.c, completion.c: the tables as text --------------------------------------- */

void ib_help_program(FILE *to);
void ib_help_command(ib_command_id command, FILE *to);
/* The man page of a command as scdoc; IB_COMMAND_COUNT: of the program. */
void ib_man_page(ib_command_id command, FILE *to);
/* "bash", "zsh" or "fish"; false for another shell. */
bool ib_completion(const char *shell, FILE *to);

/* ---- print.c: talking to people ------------------------------------------------------------ */

/* True when the stream is a terminal that shows colours and the user wants them (NO_COLOR). */
bool ib_wants_colour(FILE *stream);
/* True when the locale's character set is UTF-8. */
bool ib_wants_unicode(void);
/* Prints the diagnostics from *printed on to standard error and moves *printed to their end; when
 * quiet, no notes. */
void ib_print_diags(const ib_diags *diags, size_t *printed, bool quiet);
/* The same at a command's end; a failure that left no diagnostic is named too. Returns the exit
 * code. */
int ib_print_end(const ib_diags *diags, size_t *printed, bool quiet, ib_status status);
/* A sink, or the end of the program when memory is out. */
ib_diags *ib_new_diags(void);
/* Reports wrong usage of a command. */
void ib_usage_error(ib_diags *diags, ib_command_id command, const char *format, ...)
    IB_PRINTF(3, 4);
/* A number of seconds for people: "12.3 s", "4 min 5 s". */
const char *ib_duration_text(double seconds, char text[32]);
/* Adds the array of diagnostics as JSON. */
void ib_add_json_diags(ib_str *text, const ib_diags *diags);
/* Prints a text on standard output now; a failure is reported when the program ends. */
void ib_print(const char *text);

/* ---- overrides.c: values for a model from the command line -------------------------------- */

typedef struct ib_overrides {
    ib_override *list; /* [n] */
    size_t n;
    ib_arena *arena;
} ib_overrides;

/* Those of the option `set`, and of others that stand for a setting. To be closed in any case. */
ib_status ib_overrides_open(const ib_arguments *given, ib_option_id set, ib_diags *diags,
                            ib_overrides *overrides);
/* Of `run` with a mission: --plant and --flight-computer, too. */
ib_status ib_overrides_open_mission(const ib_arguments *given, ib_diags *diags,
                                    ib_overrides *overrides);
void ib_overrides_close(ib_overrides *overrides);

/* ---- guard.c: flight computers that crash --------------------------------------------------- */

/* Calls work(argument). Returns 0, or the number of the signal that ended the call. For
 * ib_computer_options and ib_server_options. */
int ib_guard(void (*work)(void *argument), void *argument);
/* Takes the signals of faults, which a thread's first guarded call does by itself. */
void ib_guard_watch(void);

/* ---- kind.c: what kind of file is it? ------------------------------------------------------ */

/* Whether the file is to be read as a mission: it has the key `mission` at its top. */
bool ib_is_mission(const char *path);
/* Likewise a network. */
bool ib_is_network(const char *path);
/* IB_OK when the file is to be read as a model. Refuses other kinds by name, with a diagnostic. */
ib_status ib_check_kind(const char *path, ib_diags *diags);

/* ---- fmu.c, fmu_build.c: FMUs; each returns the exit code ----------------------------------- */

bool ib_is_fmu(const char *path); /* by its name */
bool ib_is_modelica(const char *path);
bool ib_becomes_fmu(const char *path); /* either of them */
int ib_info_fmu(const char *path, bool json, bool quiet);
/* Adds an object to the list of JSON in `text`. */
int ib_check_fmu(const char *path, bool quiet, bool json, ib_str *text);
int ib_build_fmu(const char *path, bool quiet, bool json);
int ib_diff_fmus(const char *a, const char *b, bool quiet, bool json);

/* ---- fmu_info.c ---------------------------------------------------------------------------- */

/* Says what an FMU is, for people or as one JSON object. */
void ib_print_fmu(const ib_fmu *fmu);
void ib_print_fmu_json(const ib_fmu *fmu, const ib_diags *diags);

/* ---- the commands -------------------------------------------------------------------------- */

#define IB_COMMAND(key, arguments, least, most, summary, description)                              \
    int ib_command_##key(const ib_arguments *given);
#define IB_LATER_COMMAND(key, arguments, summary)
#include "commands.def"
#undef IB_COMMAND
#undef IB_LATER_COMMAND

#endif
