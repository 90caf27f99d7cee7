/* Before the first step: the model with its overrides, the end, the inputs, the channels. */
#include "run.h"

#include "model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ib_status usage(ib_run *run, const char *what, const char *value, const char *right) {
    ib_usage_error(run->diags, IB_COMMAND_run, "%s '%s' %s", what, value, right);
    return IB_BAD_INPUT;
}

/* ---- the model ----------------------------------------------------------------------------- */

static ib_status load_model(ib_run *run) {
    ib_overrides overrides;
    ib_status status = ib_check_kind(run->file, run->diags);
    if (status != IB_OK)
        return status;
    status = ib_overrides_open(run->given, IB_OPTION_run_set, run->diags, &overrides);
    if (status == IB_OK)
        status = ib_model_load(run->file, overrides.list, overrides.n, run->diags, &run->model);
    ib_overrides_close(&overrides);
    return status;
}

/* ---- options with numbers ------------------------------------------------------------------ */

bool ib_run_parse_time(const char *text, ib_time *time) {
    static const struct {
        const char *unit;
        double factor, divisor;
    } units[] = {{"", 1, 1},     {"s", 1, 1},    {"ms", 1, 1e3}, {"us", 1, 1e6},
                 {"ns", 1, 1e9}, {"min", 60, 1}, {"h", 3600, 1}};
    double value;
    const size_t n = ib_number_parse(text, strlen(text), &value);
    const char *unit = text + n;
    unit += strspn(unit, " ");
    for (size_t i = 0; n && i < IB_COUNT(units); i++)
        if (strcmp(unit, units[i].unit) == 0)
            return ib_time_from_seconds(value * units[i].factor / units[i].divisor, time);
    return false;
}

static ib_status choose_end(ib_run *run) {
    const char *until = ib_arguments_value(run->given, IB_OPTION_run_until);
    run->start = ib_system_time(run->system);
    run->output_step = ib_model_output_step(run->model);
    run->end = ib_model_end(run->model);
    if (!until)
        return IB_OK;
    if (!ib_run_parse_time(until, &run->end))
        return usage(run, "--until", until,
                     "is no time; seconds, or a number with a unit: \"500 ms\"");
    if (run->end <= run->start)
        return usage(run, "--until", until, "must lie after the start, t = 0");
    return IB_OK;
}

static ib_status choose_seed(ib_run *run) {
    const char *seed = ib_arguments_value(run->given, IB_OPTION_run_seed);
    if (!seed)
        return IB_OK;
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(seed, &end, 10);
    if (*seed < '0' || *seed > '9' || *end || errno)
        return usage(run, "--seed", seed, "is not a whole number from 0 to 2^64 - 1");
    run->seed = value;
    return IB_OK;
}

static ib_status check_format(ib_run *run) {
    const char *format = ib_arguments_value(run->given, IB_OPTION_run_format);
    while (format && *format) {
        const size_t n = strcspn(format, ",");
        if (n != 3 || strncmp(format, "csv", 3) != 0) {
            const bool known = (n == 2 && strncmp(format, "h5", 2) == 0) ||
                               (n == 3 && strncmp(format, "mat", 3) == 0) ||
                               (n == 4 && strncmp(format, "mcap", 4) == 0);
            ib_diags_add(run->diags, IB_ERROR, known ? IB0902 : IB0901, IB_NO_PLACE,
                         known ? "the results format '%.*s' is not yet supported; csv is"
                               : "there is no format '%.*s' of results; csv is one",
                         (int)n, format);
            return known ? IB_UNSUPPORTED : IB_BAD_INPUT;
        }
        format += n + (format[n] == ',');
    }
    return IB_OK;
}

static ib_status choose_progress(ib_run *run, ib_progress_kind *kind) {
    const char *wanted = ib_arguments_value(run->given, IB_OPTION_run_progress);
    const char *terminal = getenv("TERM");
    const bool bar = terminal && *terminal && strcmp(terminal, "dumb") != 0 && isatty(2);
    *kind = IB_PROGRESS_NONE;
    if (wanted && strcmp(wanted, "json") == 0)
        *kind = IB_PROGRESS_JSON;
    else if (!wanted || strcmp(wanted, "auto") == 0)
        *kind = bar && !run->quiet ? IB_PROGRESS_BAR : IB_PROGRESS_NONE;
    else if (strcmp(wanted, "none") != 0)
        return usage(run, "--progress", wanted, "is none of auto, json, none");
    return IB_OK;
}

/* Whatever becomes of it, the run goes on. */
static void compile_expressions(ib_run *run) {
    const char *compiler = getenv("CC");
    ib_str text = {0};
    if (ib_code_cache_folder(&text))
        ib_system_compile(run->system, compiler && *compiler ? compiler : "cc", text.data,
                          run->diags);
    else
        ib_diags_add(run->diags, IB_NOTE, IB0714, IB_NO_PLACE,
                     "expressions are not compiled: there is no home folder to keep the code in");
    ib_str_free(&text);
}

ib_status ib_run_common(ib_run *run) {
    ib_status status = check_format(run);
    if (status == IB_OK)
        status = choose_seed(run);
    if (status == IB_OK)
        status = choose_progress(run, &run->progress.kind);
    return status == IB_OK ? ib_run_refuse_options(run) : status;
}

ib_status ib_run_load(ib_run *run) {
    ib_status status = ib_run_common(run);
    if (status == IB_OK)
        status = load_model(run);
    if (status == IB_OK)
        status = ib_system_create(run->model, run->diags, &run->system);
    if (status == IB_OK && ib_arguments_has(run->given, IB_OPTION_run_native))
        compile_expressions(run);
    if (status == IB_OK)
        status = choose_end(run);
    const char *input = ib_arguments_value(run->given, IB_OPTION_run_input);
    if (status == IB_OK && input)
        status = ib_input_table_read(input, run->model, run->system, run->diags, &run->input);
    return status;
}

/* ---- channels ------------------------------------------------------------------------------ */

static ib_channel_info info_of(const ib_run *run, ib_handle channel) {
    return ib_system_channel_info(run->system, channel);
}

static bool is_usual(const ib_run *run, ib_handle channel) {
    return ib_system_recorded_by_default(run->system, channel);
}

ib_status ib_run_choose_channels(ib_run *run) {
    const ib_simulation *simulation = &run->model->simulation;
    const ib_channel_source source = {.n = ib_system_channel_count(run->system),
                                      .info = info_of,
                                      .usual = is_usual,
                                      .patterns = simulation->record,
                                      .n_patterns = simulation->n_record,
                                      .place = simulation->record_place};
    const ib_status status = ib_run_mark_channels(run, &source);
    if (status == IB_OK)
        ib_run_list_channels(run, &source);
    return status;
}
