/* `ironbird fmu info|check|build|diff FMU...`. */
#include "cli.h"

#include <string.h>

/* What the first word asks for. */
typedef enum action { INFO, CHECK, BUILD, DIFF, UNKNOWN } action;

static action find_action(const char *word, ib_diags *diags) {
    static const char *const names[] = {"info", "check", "build", "diff"};
    for (int i = 0; i < UNKNOWN; i++)
        if (strcmp(word, names[i]) == 0)
            return (action)i;
    const char *nearest = ib_nearest_name(word, names, IB_COUNT(names));
    ib_usage_error(diags, IB_COMMAND_fmu,
                   "'fmu' takes info, check, run, build or diff first, not '%s'", word);
    if (nearest)
        ib_diags_suggest(diags, "did you mean '%s'?", nearest);
    return UNKNOWN;
}

static bool ends_in(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

bool ib_is_fmu(const char *path) { return ends_in(path, ".fmu"); }

bool ib_is_modelica(const char *path) { return ends_in(path, ".mo"); }

bool ib_becomes_fmu(const char *path) { return ib_is_fmu(path) || ib_is_modelica(path); }

/* ---- info ---------------------------------------------------------------------------------- */

int ib_info_fmu(const char *path, bool json, bool quiet) {
    ib_diags *diags = ib_new_diags();
    ib_fmu *fmu;
    size_t printed = 0;
    const ib_status status = ib_fmu_open(path, IB_FMU_LENIENT, diags, &fmu);
    const int code = ib_print_end(diags, &printed, quiet, status);
    if (json)
        ib_print_fmu_json(fmu, diags);
    else if (fmu)
        ib_print_fmu(fmu);
    ib_fmu_close(fmu);
    ib_diags_destroy(diags);
    return code;
}

/* ---- check --------------------------------------------------------------------------------- */

/* A failed check is the answer to the question; not being able to ask it is wrong usage. */
static int code_of(ib_status status) {
    if (status == IB_OK)
        return IB_EXIT_DONE;
    if (status == IB_IO_ERROR)
        return IB_EXIT_USAGE;
    return status == IB_BAD_INPUT ? IB_EXIT_FAILED : IB_EXIT_INTERNAL;
}

static void print_ok(const char *path, const ib_fmu *fmu) {
    const ib_fmu_info about = ib_fmu_describe(fmu);
    printf("%s: ok (FMI %s, %zu variable%s)\n", path, about.fmi_version, about.n_variables,
           about.n_variables == 1 ? "" : "s");
}

int ib_check_fmu(const char *path, bool quiet, bool json, ib_str *text) {
    ib_diags *diags = ib_new_diags();
    ib_fmu *fmu;
    size_t printed = 0;
    const ib_status status = ib_fmu_open(path, IB_FMU_STRICT, diags, &fmu);
    ib_print_end(diags, &printed, quiet, status);
    ib_str_add(text, text->length ? ",\n  {\"file\": \"" : "\n  {\"file\": \"");
    ib_str_add_json(text, path);
    ib_str_printf(text, "\", \"ok\": %s, \"diagnostics\": ", status == IB_OK ? "true" : "false");
    ib_add_json_diags(text, diags);
    ib_str_add_char(text, '}');
    if (fmu && !quiet && !json)
        print_ok(path, fmu);
    ib_fmu_close(fmu);
    ib_diags_destroy(diags);
    return code_of(status);
}

static int check_all(const ib_arguments *given, bool quiet, bool json) {
    ib_str text = {0};
    int code = IB_EXIT_DONE;
    for (size_t i = 1; i < given->n_words; i++) {
        const int this_code = ib_check_fmu(given->words[i], quiet, json, &text);
        code = this_code > code ? this_code : code;
    }
    if (json && !text.failed) {
        printf("{\"ok\": %s, \"files\": [", code == IB_EXIT_DONE ? "true" : "false");
        ib_print(text.data);
        ib_print("\n]}\n");
    }
    ib_str_free(&text);
    return code;
}

/* ---- the command --------------------------------------------------------------------------- */

/* Whether as many FMUs are named as the action takes. */
static bool count_fits(const ib_arguments *given, action wanted, ib_diags *diags) {
    const size_t n = given->n_words - 1;
    if ((wanted == INFO || wanted == BUILD) && n > 1)
        ib_usage_error(diags, IB_COMMAND_fmu, "'fmu %s' takes one FMU only; what is '%s'?",
                       given->words[0], given->words[2]);
    else if (wanted == DIFF && n != 2)
        ib_usage_error(diags, IB_COMMAND_fmu, "'fmu diff' takes two FMUs");
    else
        return true;
    return false;
}

static int act(const ib_arguments *given, action wanted, bool quiet, bool json) {
    switch (wanted) {
    case INFO:
        return ib_info_fmu(given->words[1], json, quiet);
    case CHECK:
        return check_all(given, quiet, json);
    case BUILD:
        return ib_build_fmu(given->words[1], quiet, json);
    case DIFF:
        return ib_diff_fmus(given->words[1], given->words[2], quiet, json);
    case UNKNOWN:
        break;
    }
    return IB_EXIT_USAGE;
}

int ib_command_fmu(const ib_arguments *given) {
    const bool json = ib_arguments_has(given, IB_OPTION_fmu_json);
    const bool quiet = ib_arguments_has(given, IB_OPTION_fmu_quiet);
    ib_diags *diags = ib_new_diags();
    size_t printed = 0;
    const action wanted = find_action(given->words[0], diags);
    const bool fits = wanted != UNKNOWN && count_fits(given, wanted, diags);
    const int code = fits ? act(given, wanted, quiet, json) : IB_EXIT_USAGE;
    ib_print_diags(diags, &printed, quiet);
    ib_diags_destroy(diags);
    return code;
}
