/* `ironbird run X.fmu`: from the options to a simulation of an FMU and its results. */
#include "run.h"

#include "fmi/fmi.h"

#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------------- */

/* Options of one kind of file alone. */
static const ib_option_id for_fmus[] = {
    IB_OPTION_run_kind,        IB_OPTION_run_start,        IB_OPTION_run_stop,
    IB_OPTION_run_output_step, IB_OPTION_run_max_step,     IB_OPTION_run_tolerance,
    IB_OPTION_run_event_mode,  IB_OPTION_run_early_return, IB_OPTION_run_log,
    IB_OPTION_run_fail_on_nan, IB_OPTION_run_isolate,      IB_OPTION_run_step_timeout};
static const ib_option_id for_models[] = {IB_OPTION_run_rtol, IB_OPTION_run_native};

/* Nor for networks. */
static const ib_option_id not_for_missions[] = {IB_OPTION_run_input, IB_OPTION_run_solver,
                                                IB_OPTION_run_step};
static const ib_option_id for_missions[] = {IB_OPTION_run_threads,         IB_OPTION_run_checkpoint,
                                            IB_OPTION_run_realtime,        IB_OPTION_run_plant,
                                            IB_OPTION_run_flight_computer, IB_OPTION_run_trace};

static const ib_option_id for_modelica[] = {IB_OPTION_run_class, IB_OPTION_run_source_root};

static ib_status refuse(ib_run *run, const ib_option_id *options, size_t n, const char *kind) {
    for (size_t i = 0; i < n; i++)
        if (ib_arguments_has(run->given, options[i])) {
            ib_diags_add(run->diags, IB_ERROR, IB0902, IB_NO_PLACE,
                         "option '--%s' is not yet supported for %s",
                         ib_option_at(options[i])->name, kind);
            return IB_UNSUPPORTED;
        }
    return IB_OK;
}

ib_status ib_run_refuse_options(ib_run *run) {
    const bool fmu = ib_becomes_fmu(run->file), mission = !fmu && ib_is_mission(run->file);
    const bool network = !fmu && !mission && ib_is_network(run->file);
    const char *kind = fmu ? "FMUs" : mission ? "missions" : network ? "networks" : "models";
    ib_status status = IB_OK;
    if (!fmu)
        status = refuse(run, for_fmus, IB_COUNT(for_fmus), kind);
    if ((fmu || mission || network) && status == IB_OK)
        status = refuse(run, for_models, IB_COUNT(for_models), kind);
    if ((mission || network) && status == IB_OK)
        status = refuse(run, not_for_missions, IB_COUNT(not_for_missions), kind);
    if (status == IB_OK && !ib_is_modelica(run->file))
        status = refuse(run, for_modelica, IB_COUNT(for_modelica), kind);
    if (!mission && status == IB_OK)
        status = refuse(run, for_missions, IB_COUNT(for_missions), kind);
    return status;
}

/* "2.5" or "500 ms" in seconds; NaN stays where the option is not given. */
static ib_status read_number(ib_run *run, ib_option_id option, bool time, double *value) {
    static const struct {
        const char *unit;
        double factor, divisor;
    } units[] = {{"", 1, 1},     {"s", 1, 1},    {"ms", 1, 1e3}, {"us", 1, 1e6},
                 {"ns", 1, 1e9}, {"min", 60, 1}, {"h", 3600, 1}};
    const char *text = ib_arguments_value(run->given, option);
    double number;
    if (!text)
        return IB_OK;
    const size_t n = ib_number_parse(text, strlen(text), &number);
    const char *unit = text + n + strspn(text + n, " ");
    for (size_t i = 0; n && i < (time ? IB_COUNT(units) : 1); i++)
        if (strcmp(unit, units[i].unit) == 0 && number - number == 0) {
            *value = number * units[i].factor / units[i].divisor;
            return IB_OK;
        }
    ib_usage_error(run->diags, IB_COMMAND_run, "--%s '%s' is no %s", ib_option_at(option)->name,
                   text, time ? "time; seconds, or a number with a unit: \"500 ms\"" : "number");
    return IB_BAD_INPUT;
}

/* Co-Simulation, then what else there is. */
static ib_status choose_kind(ib_run *run, ib_fmu_kind *kind) {
    static const char *const names[] = {"me", "cs", "se"};
    const char *wanted = ib_arguments_value(run->given, IB_OPTION_run_kind);
    static const ib_fmu_kind order[] = {IB_FMU_CO_SIMULATION, IB_FMU_MODEL_EXCHANGE,
                                        IB_FMU_SCHEDULED_EXECUTION};
    for (size_t i = IB_COUNT(order); i-- && !wanted;)
        if (ib_fmu_has_kind(run->fmu, order[i]))
            *kind = order[i];
    for (int i = 0; wanted && i < IB_FMU_KINDS; i++)
        if (strcmp(wanted, names[i]) == 0) {
            *kind = (ib_fmu_kind)i;
            return IB_OK;
        }
    if (!wanted)
        return IB_OK;
    ib_usage_error(run->diags, IB_COMMAND_run, "--kind '%s' is none of cs, me, se", wanted);
    return IB_BAD_INPUT;
}

/* --solver of Model Exchange. */
static ib_status choose_solver(ib_run *run, ib_fmu_solver *solver) {
    const char *wanted = ib_arguments_value(run->given, IB_OPTION_run_solver);
    if (!wanted)
        return IB_OK;
    for (int i = IB_FMU_DOPRI5; i <= IB_FMU_STIFF; i++)
        if (strcmp(wanted, ib_fmu_solver_name((ib_fmu_solver)i)) == 0) {
            *solver = (ib_fmu_solver)i;
            return IB_OK;
        }
    if (strcmp(wanted, "cvode") == 0) {
        ib_diags_add(run->diags, IB_ERROR, IB0902, IB_NO_PLACE,
                     "solver 'cvode' is not part of this build, which has no SUNDIALS; for stiff "
                     "FMUs there is '--solver stiff'");
        return IB_UNSUPPORTED;
    }
    ib_usage_error(run->diags, IB_COMMAND_run,
                   "--solver '%s' is none of dopri5, stiff, cvode (of FMUs)", wanted);
    return IB_BAD_INPUT;
}

static ib_status read_options(ib_run *run, ib_fmu_run_options *o) {
    const struct {
        ib_option_id option;
        bool time;
        double *value;
    } numbers[] = {{IB_OPTION_run_start, true, &o->start},
                   {IB_OPTION_run_until, true, &o->stop},
                   {IB_OPTION_run_stop, true, &o->stop},
                   {IB_OPTION_run_step, true, &o->step},
                   {IB_OPTION_run_output_step, true, &o->output_step},
                   {IB_OPTION_run_max_step, true, &o->max_step},
                   {IB_OPTION_run_tolerance, false, &o->tolerance},
                   {IB_OPTION_run_step_timeout, true, &o->step_timeout}};
    *o = (ib_fmu_run_options){
        .event_mode = ib_arguments_has(run->given, IB_OPTION_run_event_mode),
        .early_return = ib_arguments_has(run->given, IB_OPTION_run_early_return),
        .log = ib_arguments_has(run->given, IB_OPTION_run_log),
        .isolate = ib_arguments_has(run->given, IB_OPTION_run_isolate),
        .fail_on_nan = ib_arguments_has(run->given, IB_OPTION_run_fail_on_nan)};
    ib_status status = choose_kind(run, &o->kind);
    if (status == IB_OK)
        status = choose_solver(run, &o->solver);
    for (size_t i = 0; i < IB_COUNT(numbers); i++)
        *numbers[i].value = NAN;
    for (size_t i = 0; i < IB_COUNT(numbers) && status == IB_OK; i++)
        status = read_number(run, numbers[i].option, numbers[i].time, numbers[i].value);
    return status;
}

/* ---- columns ------------------------------------------------------------------------------- */

static size_t mark(const ib_run *run, const char *pattern) {
    size_t n = 0;
    for (size_t i = 0; i < ib_fmu_run_column_count(run->fmu_run); i++) {
        const char *name = ib_fmu_run_column(run->fmu_run, i).name;
        if (strcmp(pattern, name) != 0 && !ib_glob_match(pattern, name))
            continue;
        run->wanted[i] = true;
        n++;
    }
    return n;
}

static ib_status complain_unmatched(ib_run *run, const char *pattern) {
    const size_t n = ib_fmu_run_column_count(run->fmu_run);
    const char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        names[i] = ib_fmu_run_column(run->fmu_run, i).name;
    const char *nearest = names ? ib_nearest_name(pattern, names, n) : NULL;
    ib_diags_add(run->diags, IB_ERROR, IB0904, IB_NO_PLACE,
                 "none of the FMU's variables that can be recorded matches '%s'", pattern);
    if (nearest)
        ib_diags_suggest(run->diags, "did you mean '%s'?", nearest);
    free(names);
    return IB_BAD_INPUT;
}

/* The patterns of --record, each a part of the list that a comma ends; else the outputs. */
static ib_status mark_columns(ib_run *run) {
    size_t n;
    const char **given = ib_arguments_list(run->given, IB_OPTION_run_record, &n);
    ib_status status = given ? IB_OK : ib_diags_no_memory(run->diags);
    for (size_t i = 0; i < n && status == IB_OK; i++) {
        if (mark(run, given[i]))
            continue;
        char *list = strdup(given[i]), *rest = list;
        for (char *part; list && status == IB_OK && (part = strtok_r(rest, ",", &rest));)
            if (!mark(run, part))
                status = complain_unmatched(run, part);
        free(list);
    }
    for (size_t i = 0; !n && i < ib_fmu_run_column_count(run->fmu_run); i++)
        run->wanted[i] = ib_fmu_run_column(run->fmu_run, i).output;
    free(given);
    return status;
}

static ib_status choose_columns(ib_run *run) {
    const size_t n = ib_fmu_run_column_count(run->fmu_run);
    run->wanted = calloc(n + 1, sizeof *run->wanted);
    run->infos = calloc(n + 1, sizeof *run->infos);
    if (!run->wanted || !run->infos)
        return ib_diags_no_memory(run->diags);
    const ib_status status = mark_columns(run);
    for (size_t i = 0; i < n; i++) {
        const ib_fmu_column column = ib_fmu_run_column(run->fmu_run, i);
        if (run->wanted[i])
            run->infos[run->n_channels++] =
                (ib_channel_info){column.name, column.unit, column.description, NULL};
    }
    return status;
}

/* ---- the run ------------------------------------------------------------------------------- */

static ib_status create(ib_run *run) {
    ib_fmu_run_options options;
    ib_overrides overrides;
    ib_status status = read_options(run, &options);
    if (status != IB_OK)
        return status;
    status = ib_overrides_open(run->given, IB_OPTION_run_set, run->diags, &overrides);
    ib_fmu_set *sets = calloc(overrides.n + 1, sizeof *sets);
    size_t n = 0;
    for (size_t i = 0; status == IB_OK && sets && i < overrides.n; i++)
        /* Settings of models that options stand for are not the FMU's. */
        if (strncmp(overrides.list[i].name, "simulation.", 11) != 0)
            sets[n++] = (ib_fmu_set){overrides.list[i].name, overrides.list[i].value};
    if (status == IB_OK)
        status = sets ? ib_fmu_run_create(run->fmu, &options, sets, n, run->diags, &run->fmu_run)
                      : ib_diags_no_memory(run->diags);
    free(sets);
    ib_overrides_close(&overrides);
    return status;
}

/* A Modelica file becomes an FMU first. */
static ib_status open_fmu(ib_run *run) {
    if (!ib_is_modelica(run->file))
        return ib_fmu_open(run->file, IB_FMU_LENIENT, run->diags, &run->fmu);
    size_t n;
    const char **roots = ib_arguments_list(run->given, IB_OPTION_run_source_root, &n);
    ib_str path = {0};
    ib_status status =
        roots ? ib_modelica_build(run->file, ib_arguments_value(run->given, IB_OPTION_run_class),
                                  roots, n, run->diags, &path)
              : ib_diags_no_memory(run->diags);
    free(roots);
    if (status == IB_OK)
        status = ib_fmu_open(path.data, IB_FMU_LENIENT, run->diags, &run->fmu);
    ib_str_free(&path);
    return status;
}

ib_status ib_run_load_fmu(ib_run *run) {
    ib_status status = ib_run_common(run);
    if (status == IB_OK)
        status = open_fmu(run);
    if (status == IB_OK)
        status = create(run);
    const char *input = ib_arguments_value(run->given, IB_OPTION_run_input);
    if (status == IB_OK && input)
        status = ib_run_read_fmu_input(run, input);
    if (status == IB_OK)
        status = choose_columns(run);
    if (status != IB_OK)
        return status;
    const ib_fmu_run_options options = ib_fmu_run_effective(run->fmu_run);
    run->last_row = 0;
    if (!ib_time_from_seconds(options.start, &run->start) ||
        !ib_time_from_seconds(options.stop, &run->end) ||
        !ib_time_from_seconds(options.output_step, &run->output_step)) {
        ib_diags_add(run->diags, IB_ERROR, IB1044, IB_NO_PLACE,
                     "start and stop lie beyond what can be recorded");
        return IB_BAD_INPUT;
    }
    run->last_row = run->start;
    return IB_OK;
}

static ib_status push(void *context, ib_time time, const double *row) {
    ib_run *run = context;
    const ib_status status = ib_recorder_push(run->recorder, time, row);
    if (status == IB_OK)
        run->last_row = time;
    return status;
}

static bool stop(void *context, ib_time time) {
    ib_run *run = context;
    ib_progress_step(&run->progress, time);
    return ib_interrupt_seen();
}

static ib_status say_slots(ib_run *run) {
    ib_slot *slots = calloc(run->n_channels + 1, sizeof *slots);
    size_t n = 0;
    if (!slots)
        return ib_diags_no_memory(run->diags);
    for (size_t i = 0; i < ib_fmu_run_column_count(run->fmu_run); i++) {
        const ib_fmu_value value = ib_fmu_run_column(run->fmu_run, i).value;
        if (run->wanted[i])
            slots[n++] = value == IB_FMU_VALUE_INT    ? IB_SLOT_INT
                         : value == IB_FMU_VALUE_UINT ? IB_SLOT_UINT
                         : value == IB_FMU_VALUE_TEXT ? IB_SLOT_TEXT
                                                      : IB_SLOT_DOUBLE;
    }
    const ib_status status = ib_recorder_set_slots(run->recorder, slots);
    free(slots);
    return status;
}

ib_status ib_run_prepare_fmu(ib_run *run) {
    const ib_status status = ib_fmu_run_prepare(run->fmu_run, run->diags);
    ib_print_diags(run->diags, &run->printed, run->quiet);
    return status;
}

ib_status ib_run_simulate_fmu(ib_run *run) {
    const ib_fmu_sink sink = {run, push, stop};
    const ib_status status = say_slots(run);
    if (status != IB_OK)
        return status;
    /* An isolated FMU is out of reach of this process, and its process is to crash, not to return.
     */
    return ib_fmu_run_effective(run->fmu_run).isolate
               ? ib_fmu_run_simulate(run->fmu_run, run->wanted, &sink, run->diags)
               : ib_run_guarded(run, &sink);
}

/* ---- comparing ----------------------------------------------------------------------------- */

static void print_difference(const ib_difference *d) {
    char time[IB_NUMBER_SIZE];
    fprintf(stderr, "ironbird: %s differs from the reference by %.4g at t = %s s (%.4g allowed)\n",
            d->name, d->difference, ib_number_text(d->time, time), d->allowed);
}

int ib_run_compare(ib_run *run) {
    const char *reference = ib_arguments_value(run->given, IB_OPTION_run_compare);
    ib_compare_options options = {.rtol = 1e-6, .atol = 1e-9};
    ib_comparison *comparison = NULL;
    if (!reference)
        return IB_EXIT_DONE;
    ib_status status = read_number(run, IB_OPTION_run_compare_rtol, false, &options.rtol);
    if (status == IB_OK)
        status = read_number(run, IB_OPTION_run_compare_atol, false, &options.atol);
    if (status == IB_OK)
        status = ib_results_compare(reference, run->folder, &options, run->diags, &comparison);
    for (size_t i = 0; comparison && i < ib_comparison_count(comparison); i++)
        if (!ib_comparison_at(comparison, i)->passed)
            print_difference(ib_comparison_at(comparison, i));
    if (status == IB_OK && !run->quiet && !run->json)
        printf("agrees with %s\n", reference);
    ib_comparison_destroy(comparison);
    return ib_print_end(run->diags, &run->printed, run->quiet, status);
}
