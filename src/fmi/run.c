/* A simulation of an FMU from its options to its end. What is wrong with options and settings is
 * found before the library is loaded; terminate, free and unload happen on every path.
 */
#include "fmi/exchange.h"

#include <math.h> /* NAN only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 9e15
#define NEARLY 1e-9 /* of a step: how far from a whole number of steps counts as whole */

static bool given(double x) { return x == x; }

static bool is_finite(double x) { return x - x == 0; }

static double or_else(double x, double other) { return given(x) ? x : other; }

ib_status ib_fmi_fail(ib_fmu_run *run, ib_diag_id id, const char *format, ...) {
    char message[400], number[IB_NUMBER_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ib_diags_add(run->diags, IB_ERROR, id, IB_NO_PLACE, "%s at t = %s s: %s",
                 run->description->name, ib_number_text(run->time, number), message);
    return IB_SIMULATION_FAILED;
}

ib_status ib_fmi_watch(ib_fmu_run *run) {
    ib_time time;
    if (!run->sink.stop || !ib_time_from_seconds(run->time, &time))
        return IB_OK;
    return run->sink.stop(run->sink.context, time) ? IB_INTERRUPTED : IB_OK;
}

/* ---- options ------------------------------------------------------------------------------- */

static ib_status refuse(ib_diags *diags, const char *format, ...) IB_PRINTF(2, 3);

static ib_status refuse(ib_diags *diags, const char *format, ...) {
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ib_diags_add(diags, IB_ERROR, IB1036, IB_NO_PLACE, "%s", message);
    return IB_BAD_INPUT;
}

/* Start, stop and step: given, by the default experiment, or by default. */
static ib_status choose_times(ib_fmu_run *run) {
    const ib_fmi_description *d = run->description;
    ib_fmu_run_options *o = &run->options;
    char a[IB_NUMBER_SIZE], b[IB_NUMBER_SIZE];
    o->start = or_else(o->start, or_else(d->start, 0));
    o->stop = or_else(o->stop, or_else(d->stop, o->start < 1 ? 1 : o->start + 1));
    if (!is_finite(o->start) || !is_finite(o->stop))
        return refuse(run->diags, "start and stop have to be finite times");
    if (!(o->stop > o->start))
        return refuse(run->diags, "the run would stop at %s s, no later than it starts, at %s s",
                      ib_number_text(o->stop, a), ib_number_text(o->start, b));
    const double step = d->step > 0 ? d->step : (o->stop - o->start) / 500;
    o->step = or_else(o->step, step);
    if (!is_finite(o->step) || !(o->step > 0))
        return refuse(run->diags, "a step of %s s is not positive", ib_number_text(o->step, a));
    if (given(o->max_step) && !(o->max_step > 0))
        return refuse(run->diags, "a largest step of %s s is not positive",
                      ib_number_text(o->max_step, a));
    if (given(o->tolerance) && !(o->tolerance > 0 && o->tolerance < 1))
        return refuse(run->diags, "a tolerance of %s is not between 0 and 1",
                      ib_number_text(o->tolerance, a));
    o->tolerance = or_else(o->tolerance, d->tolerance);
    if (o->kind == IB_FMU_MODEL_EXCHANGE && !(o->tolerance > 0 && o->tolerance < 1))
        o->tolerance = 1e-4;
    if (given(o->step_timeout) && !(o->step_timeout > 0))
        return refuse(run->diags, "a step timeout of %s s is not positive",
                      ib_number_text(o->step_timeout, a));
    o->isolate |= given(o->step_timeout);
    return IB_OK;
}

static uint64_t whole(double x) { return (uint64_t)(x + 0.5); }

/* Rows at every how many steps; a longer step than the cap is divided. */
static ib_status choose_steps(ib_fmu_run *run) {
    ib_fmu_run_options *o = &run->options;
    char a[IB_NUMBER_SIZE], b[IB_NUMBER_SIZE];
    const double ratio = o->output_step / o->step;
    const double off = ratio - (double)whole(ratio < MOST_STEPS ? ratio : 0);
    if (!(ratio < MOST_STEPS) || whole(ratio) < 1 || off > 1e-9 * ratio || off < -1e-9 * ratio)
        return refuse(run->diags,
                      "rows every %s s do not fall on steps of %s s: the one has to be a "
                      "whole multiple of the other",
                      ib_number_text(o->output_step, a), ib_number_text(o->step, b));
    run->rows_every = whole(ratio);
    double parts = 1;
    if (given(o->max_step) && o->max_step < o->step) {
        const double wanted = o->step / o->max_step;
        parts = (double)whole(wanted);
        parts += parts < wanted * (1 - NEARLY);
    }
    run->rows_every *= (uint64_t)parts;
    run->grid = ib_fmi_grid_make(o->start, o->step / parts);
    return IB_OK;
}

/* The grid of communication points; of the other kinds, whose steps are a solver's or those of
 * clocks, that of rows. */
static ib_status choose_grid(ib_fmu_run *run) {
    ib_fmu_run_options *o = &run->options;
    char a[IB_NUMBER_SIZE];
    o->output_step = or_else(o->output_step, o->step);
    if (!is_finite(o->output_step) || !(o->output_step > 0))
        return refuse(run->diags, "rows every %s s are not possible",
                      ib_number_text(o->output_step, a));
    if (o->kind != IB_FMU_CO_SIMULATION)
        run->grid = ib_fmi_grid_make(o->start, o->output_step);
    else if (choose_steps(run) != IB_OK)
        return IB_BAD_INPUT;
    const double steps = (o->stop - o->start) / run->grid.step;
    if (!(steps < MOST_STEPS) || run->grid.step < 1e-9)
        return refuse(run->diags, "steps of %s s are too small: a nanosecond is the least",
                      ib_number_text(run->grid.step, a));
    return IB_OK;
}

/* The last step is shortened where the FMU takes steps of any size; else the run ends before. */
static void choose_end(ib_fmu_run *run) {
    const ib_fmu_run_options *o = &run->options;
    const double steps = (o->stop - o->start) / run->grid.step;
    const uint64_t n = (uint64_t)(steps + NEARLY);
    const double rest = steps - (double)n;
    char a[IB_NUMBER_SIZE], b[IB_NUMBER_SIZE];
    run->n_steps = n;
    run->end = o->stop;
    if (rest <= NEARLY)
        return;
    if (run->variable_step) {
        run->n_steps = n + 1;
        return;
    }
    run->end = ib_fmi_grid_time(&run->grid, n);
    ib_diags_add(
        run->diags, IB_WARNING, IB1037, IB_NO_PLACE,
        "%s takes only steps of one size, so the run ends at %s s, the last one before the "
        "stop time, %s s",
        run->description->name, ib_number_text(run->end, a), ib_number_text(o->stop, b));
}

static ib_status choose_kind(ib_fmu_run *run) {
    const ib_fmu_kind kind = run->options.kind;
    const ib_fmi_description *d = run->description;
    if (!ib_fmu_has_kind(run->fmu, kind)) {
        ib_diags_add(run->diags, IB_ERROR, IB1025, IB_NO_PLACE, "%s does not offer %s", d->name,
                     ib_fmu_kind_name(kind));
        return IB_BAD_INPUT;
    }
    const bool *flags = d->interfaces[kind].flags;
    run->variable_step = flags[IB_FMI_FLAG_VARIABLE_STEP] || kind != IB_FMU_CO_SIMULATION;
    if (flags[IB_FMI_FLAG_NEEDS_EXECUTION_TOOL])
        ib_diags_add(run->diags, IB_WARNING, IB1038, IB_NO_PLACE,
                     "%s says that it needs the tool that made it (needsExecutionTool)", d->name);
    const bool events = run->options.event_mode || run->options.early_return;
    if (events && kind != IB_FMU_CO_SIMULATION)
        return refuse(run->diags, "event mode and early return are settings of Co-Simulation");
    if (run->options.solver != IB_FMU_SOLVER_DEFAULT && kind != IB_FMU_MODEL_EXCHANGE)
        return refuse(run->diags, "a solver is for Model Exchange; in %s the FMU brings its own",
                      ib_fmu_kind_name(kind));
    if (run->options.event_mode && !flags[IB_FMI_FLAG_EVENT_MODE])
        return refuse(run->diags, "%s has no event mode", d->name);
    if (run->options.early_return && d->version == 2)
        return refuse(run->diags, "FMI 2 knows no early return; %s is an FMU of FMI 2", d->name);
    return IB_OK;
}

/* ---- making -------------------------------------------------------------------------------- */

static ib_status prepare(ib_fmu_run *run, const ib_fmu_set *sets, size_t n_sets) {
    const ib_fmi_description *d = run->description;
    run->arena = ib_arena_create();
    run->n_values = calloc(d->n_variables + 1, sizeof *run->n_values);
    if (!run->arena || !run->n_values)
        return ib_diags_no_memory(run->diags);
    for (size_t i = 0; i < d->n_variables; i++)
        run->n_values[i] = d->variables[i].n_values;
    ib_status status = choose_kind(run);
    if (status == IB_OK)
        status = choose_times(run);
    if (status == IB_OK)
        status = choose_grid(run);
    if (status == IB_OK)
        status = ib_fmi_read_settings(run, sets, n_sets);
    if (status == IB_OK)
        status = ib_fmi_make_columns(run);
    if (status == IB_OK)
        choose_end(run);
    return status;
}

ib_status ib_fmu_run_create(ib_fmu *fmu, const ib_fmu_run_options *options, const ib_fmu_set *sets,
                            size_t n_sets, ib_diags *diags, ib_fmu_run **result) {
    *result = NULL;
    ib_fmu_run *run = calloc(1, sizeof *run);
    if (!run)
        return ib_diags_no_memory(diags);
    run->fmu = fmu;
    run->description = fmu->description;
    run->diags = diags;
    run->options = *options;
    const ib_status status = prepare(run, sets, n_sets);
    if (status == IB_OK)
        *result = run;
    else
        ib_fmu_run_destroy(run);
    return status;
}

void ib_fmu_run_destroy(ib_fmu_run *run) {
    if (!run)
        return;
    ib_fmi_inputs_free(&run->inputs);
    ib_fmi_free_columns(run);
    ib_fmi_free_texts(run);
    free(run->settings);
    free(run->n_values);
    ib_arena_destroy(run->arena);
    free(run);
}

const char *ib_fmu_solver_name(ib_fmu_solver solver) {
    return solver == IB_FMU_STIFF ? "stiff" : "dopri5";
}

ib_fmu_run_options ib_fmu_run_effective(const ib_fmu_run *run) { return run->options; }

size_t ib_fmu_run_column_count(const ib_fmu_run *run) { return run->n_columns; }

ib_fmu_column ib_fmu_run_column(const ib_fmu_run *run, size_t index) {
    return run->columns[index].about;
}

ib_fmu_statistics ib_fmu_run_statistics(const ib_fmu_run *run) { return run->statistics; }

/* ---- running ------------------------------------------------------------------------------- */

/* The stop time as the FMU is told: steps of one size may end a rounding error behind it. */
static double told_stop(const ib_fmu_run *run) {
    if (run->variable_step || !run->n_steps)
        return run->options.stop;
    const double last = ib_fmi_grid_time(&run->grid, run->n_steps - 1) + run->grid.step;
    return last > run->options.stop ? last : run->options.stop;
}

ib_status ib_fmi_initialize(ib_fmu_run *run, const ib_fmi_settings *settings, bool *running) {
    ib_status status = ib_fmi_apply_settings(run);
    if (status == IB_OK)
        status = ib_fmi_enter_initialization(run->instance, settings);
    if (status == IB_OK)
        status = ib_fmi_apply_inputs(run, run->time, false, false);
    if (status == IB_OK)
        status = ib_fmi_exit_initialization(run->instance);
    *running = status == IB_OK;
    return status;
}

static void note_end(ib_fmu_run *run) {
    char number[IB_NUMBER_SIZE];
    run->statistics.time = run->time;
    run->statistics.warnings = run->instance->n_warnings;
    run->statistics.updates = run->instance->n_updates;
    run->statistics.messages = run->instance->messages.count;
    if (run->statistics.warnings)
        ib_diags_add(run->diags, IB_WARNING, IB1042, IB_NO_PLACE,
                     "%s: %llu call%s returned Warning", run->description->name,
                     (unsigned long long)run->statistics.warnings,
                     run->statistics.warnings == 1 ? "" : "s");
    if (run->statistics.terminated)
        ib_diags_add(run->diags, IB_NOTE, IB1039, IB_NO_PLACE,
                     "%s ended the simulation itself at t = %s s", run->description->name,
                     ib_number_text(run->time, number));
}

static ib_status simulate(ib_fmu_run *run) {
    switch (run->options.kind) {
    case IB_FMU_MODEL_EXCHANGE:
        return ib_fmi_simulate_exchange(run);
    case IB_FMU_SCHEDULED_EXECUTION:
        return ib_fmi_simulate_schedule(run);
    default:
        return ib_fmi_simulate_cosim(run);
    }
}

ib_status ib_fmi_simulate_here(ib_fmu_run *run, const ib_fmi_settings *settings) {
    bool running = false;
    ib_status status =
        ib_fmi_instance_create(run->fmu, run->options.kind, settings, run->diags, &run->instance);
    if (status != IB_OK)
        return status;
    status = ib_fmi_initialize(run, settings, &running);
    if (status == IB_OK)
        status = simulate(run);
    note_end(run);
    const ib_status ended = ib_fmi_instance_destroy(run->instance, running);
    run->instance = NULL;
    return status == IB_OK ? ended : status;
}

/* Inputs within a step, where the FMU asks for them. */
static void update_intermediate(void *context, double time, bool set) {
    ib_fmu_run *run = context;
    run->statistics.intermediate++;
    run->within_step = true;
    if (set && !run->instance->erred && !run->instance->dead)
        ib_fmi_apply_inputs(run, time, true, true);
    run->within_step = false;
}

/* The inputs of the table that may be set within steps. */
static void choose_intermediate(ib_fmu_run *run, ib_fmi_settings *settings) {
    const ib_fmi_description *d = run->description;
    uint32_t *references = IB_ARENA_ARRAY(run->arena, run->inputs.n_targets + 1, uint32_t);
    const bool offered = d->interfaces[IB_FMU_CO_SIMULATION].flags[IB_FMI_FLAG_INTERMEDIATE];
    if (run->options.kind != IB_FMU_CO_SIMULATION || d->version != 3 || !offered || !references)
        return;
    for (size_t i = 0; i < run->inputs.n_targets; i++) {
        const ib_fmi_variable *v = &d->variables[run->inputs.targets[i].variable];
        if (v->intermediate && v->variability == IB_FMI_CONTINUOUS)
            references[settings->n_intermediate++] = v->reference;
    }
    settings->intermediate_references = references;
    settings->intermediate = update_intermediate;
    settings->intermediate_context = run;
}

ib_status ib_fmu_run_prepare(ib_fmu_run *run, ib_diags *diags) {
    char **root = &run->fmu->roots[run->options.kind];
    return *root ? IB_OK : ib_fmi_library_root(run->fmu, run->options.kind, diags, root);
}

ib_status ib_fmu_run_simulate(ib_fmu_run *run, const bool *wanted, const ib_fmu_sink *sink,
                              ib_diags *diags) {
    ib_fmi_settings settings = {.start = run->options.start,
                                .stop = told_stop(run),
                                .tolerance = run->options.tolerance,
                                .event_mode = run->options.event_mode,
                                .early_return = run->options.early_return,
                                .log_all = run->options.log,
                                .activity = &run->activity};
    run->diags = diags;
    run->sink = *sink;
    run->time = run->options.start;
    choose_intermediate(run, &settings);
    ib_status status = ib_fmi_make_groups(run, wanted);
    if (status == IB_OK)
        status = ib_fmu_run_prepare(run, diags);
    settings.root = run->fmu->roots[run->options.kind];
    if (status == IB_OK)
        status = run->options.isolate ? ib_fmi_simulate_isolated(run, &settings)
                                      : ib_fmi_simulate_here(run, &settings);
    return status;
}
