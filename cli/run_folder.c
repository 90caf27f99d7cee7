/* The results folder of a run, its run.json, and what the program says at the end. */
#include "run.h"

#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The last three are a mission's alone, the very last where it is traced. */
static const char *const files[] = {"results.csv", "channels.json", "run.json",
                                    "events.csv",  "bus.csv",       "trace.csv"};

/* ---- what is simulated --------------------------------------------------------------------- */

static const char *name_of(const ib_run *run) {
    if (run->fmu)
        return ib_fmu_describe(run->fmu).name;
    if (run->world)
        return ib_world_name(run->world);
    if (run->network)
        return ib_network_name(run->network);
    return run->model ? ib_model_name(run->model) : NULL;
}

static ib_statistics statistics_of(const ib_run *run) {
    if (run->world)
        return (ib_statistics){.solver = ib_world_solver(run->world),
                               .steps = (uint64_t)ib_world_tick_count(run->world),
                               .last_step = ib_time_seconds(ib_world_period(run->world)),
                               .smallest_step = ib_time_seconds(ib_world_period(run->world)),
                               .state_hash = ib_world_hash(run->world)};
    if (run->network)
        return ib_network_statistics(run->network);
    if (!run->fmu_run)
        return run->system ? ib_system_statistics(run->system) : (ib_statistics){0};
    const ib_fmu_statistics s = ib_fmu_run_statistics(run->fmu_run);
    const ib_fmu_run_options options = ib_fmu_run_effective(run->fmu_run);
    const bool exchange = options.kind == IB_FMU_MODEL_EXCHANGE;
    return (ib_statistics){.solver = exchange ? ib_fmu_solver_name(options.solver)
                                              : ib_fmu_kind_name(options.kind),
                           .steps = s.steps,
                           .rejections = s.discards + s.rejections,
                           .evaluations = s.evaluations,
                           .factorizations = s.factorisations,
                           .iterations = s.updates};
}

static ib_time time_of(const ib_run *run) {
    if (run->world)
        return ib_world_time(run->world);
    return run->system ? ib_system_time(run->system) : run->last_row;
}

/* ---- the folder ---------------------------------------------------------------------------- */

/* --out, the folder of a snapshot, or out/STEM of the file's name. */
char *ib_run_folder_name(const ib_run *run) {
    const char *out = ib_arguments_value(run->given, IB_OPTION_run_out);
    if (!out && run->snapshot)
        return ib_run_snapshot_folder(run);
    ib_str name = {0};
    if (out) {
        ib_str_add(&name, out);
    } else {
        const char *slash = strrchr(run->file, '/'), *base = slash ? slash + 1 : run->file;
        const char *point = strrchr(base, '.');
        ib_str_add(&name, "out/");
        ib_str_add_n(&name, base, point && point > base ? (size_t)(point - base) : strlen(base));
    }
    if (!name.failed)
        return name.data;
    ib_str_free(&name);
    return NULL;
}

ib_status ib_run_open_folder(ib_run *run) {
    run->folder = ib_run_folder_name(run);
    if (!run->folder)
        return ib_diags_no_memory(run->diags);
    ib_status status = IB_OK;
    /* A run that goes on in its folder replaces its own files. */
    if (status == IB_OK && !ib_run_same_folder(run))
        status = ib_results_prepare(run->folder, run->diags);
    if (status != IB_OK)
        return status;
    run->folder_ours = true;
    /* run.json first: should the program die, it says whose the other files are. */
    run->outcome = "running";
    status = ib_run_write_record(run);
    if (status == IB_OK)
        status = ib_results_write_channels(run->folder, run->infos, run->n_channels, run->diags);
    if (status != IB_OK)
        return status;
    ib_str path = {0};
    ib_str_printf(&path, "%s/%s", run->folder, files[0]);
    status = path.failed ? ib_diags_no_memory(run->diags)
                         : ib_recorder_create(path.data, run->infos, run->n_channels, run->diags,
                                              &run->recorder);
    ib_str_free(&path);
    return status;
}

/* ---- run.json ------------------------------------------------------------------------------ */

#define MOST_SETTINGS 16

typedef struct settings {
    ib_setting *list;
    size_t n;
} settings;

static void add_text(settings *s, const char *name, const char *text) {
    if (text)
        s->list[s->n++] = (ib_setting){name, text, 0};
}

static void add_number(settings *s, const char *name, double number) {
    s->list[s->n++] = (ib_setting){name, NULL, number};
}

static void add_simulation(settings *s, const ib_simulation *simulation) {
    static const char *const solvers[] = {[IB_SOLVER_AUTO] = "auto",
                                          [IB_SOLVER_DOPRI5] = "dopri5",
                                          [IB_SOLVER_DOP853] = "dop853",
                                          [IB_SOLVER_RK4] = "rk4",
                                          [IB_SOLVER_GENERALIZED_ALPHA] = "generalized_alpha",
                                          [IB_SOLVER_HHT] = "hht",
                                          [IB_SOLVER_STIFF] = "stiff"};
    add_text(s, "solver", solvers[simulation->solver]);
    if (simulation->step)
        add_number(s, "step", ib_time_seconds(simulation->step));
    add_number(s, "rtol", simulation->rtol);
    add_number(s, "atol", simulation->atol);
    if (simulation->solver == IB_SOLVER_GENERALIZED_ALPHA)
        add_number(s, "rho_infinity", simulation->rho_infinity);
    if (simulation->solver == IB_SOLVER_HHT)
        add_number(s, "alpha", simulation->alpha);
    add_number(s, "assembly_tolerance", simulation->assembly_tolerance);
}

static void add_fmu(settings *s, ib_fmu_run_options options) {
    add_text(s, "kind", ib_fmu_kind_name(options.kind));
    add_number(s, "start", options.start);
    add_number(s, "step", options.step);
    add_number(s, "tolerance", options.tolerance);
    if (options.kind == IB_FMU_MODEL_EXCHANGE) {
        add_text(s, "solver", ib_fmu_solver_name(options.solver));
        return;
    }
    add_text(s, "event_mode", options.event_mode ? "true" : "false");
    add_text(s, "early_return", options.early_return ? "true" : "false");
}

/* The settings of the model and the command line; --set as "set NAME". */
static bool list_settings(const ib_run *run, ib_arena *arena, settings *s) {
    s->list = IB_ARENA_ARRAY(arena, MOST_SETTINGS + run->given->n_given, ib_setting);
    if (!s->list)
        return false;
    add_number(s, "end", ib_time_seconds(run->end));
    add_number(s, "output_step", ib_time_seconds(run->output_step));
    if (run->model)
        add_simulation(s, &run->model->simulation);
    if (run->world)
        add_number(s, "physics_period", ib_time_seconds(ib_world_period(run->world)));
    if (run->network)
        add_number(s, "communication_step", ib_time_seconds(ib_network_period(run->network)));
    if (run->fmu_run)
        add_fmu(s, ib_fmu_run_effective(run->fmu_run));
    add_text(s, "input", ib_arguments_value(run->given, IB_OPTION_run_input));
    for (size_t i = 0; i < run->given->n_given; i++) {
        const char *value = run->given->given[i].value;
        const char *equals = value ? strchr(value, '=') : NULL;
        if (run->given->given[i].option != IB_OPTION_run_set || !equals)
            continue;
        const char *name = ib_arena_printf(arena, "set %.*s", (int)(equals - value), value);
        if (!name)
            return false;
        add_text(s, name, equals + 1);
    }
    return true;
}

/* The first error, which is why the run ended. */
static const char *first_error(const ib_diags *diags) {
    for (size_t i = 0; i < ib_diags_count(diags); i++)
        if (ib_diags_at(diags, i)->severity == IB_ERROR)
            return ib_diags_at(diags, i)->message;
    return NULL;
}

static const char *message_of(const ib_run *run) {
    if (strcmp(run->outcome, "done") == 0)
        return NULL;
    if (strcmp(run->outcome, "running") == 0)
        return "still running, or ended without a trace";
    if (strcmp(run->outcome, "interrupted") == 0)
        return "interrupted";
    return first_error(run->diags);
}

static ib_run_record make_record(const ib_run *run, const settings *s,
                                 const ib_statistics *statistics, const char *const *names,
                                 size_t n_names) {
    return (ib_run_record){
        .version = IB_VERSION,
#ifdef __VERSION__
        .compiler = __VERSION__,
#endif
        .model = name_of(run),
        .file = run->file,
        .folder = run->folder_ours ? run->folder : NULL,
        .started = run->started,
        .status = run->outcome,
        .message = message_of(run),
        .seed = run->seed,
        .start = run->start,
        .end = run->last_row,
        .planned_end = run->end,
        .wall_time = run->wall,
        .rows = run->recorder ? ib_recorder_rows(run->recorder) : 0,
        .n_channels = run->n_channels,
        .statistics = run->system || run->fmu_run || run->world || run->network ? statistics : NULL,
        .settings = s->list,
        .n_settings = s->n,
        .diags = run->diags,
        .files = names,
        .n_files = run->folder_ours ? n_names : 0};
}

/* The names of all files; NULL when out of memory. */
static const char *const *list_files(const ib_run *run, ib_arena *arena, size_t *n) {
    const size_t without = !run->world ? 3 : run->traced ? 0 : 1, usual = IB_COUNT(files) - without;
    const char **names = IB_ARENA_ARRAY(arena, usual + run->n_snapshots, const char *);
    *n = usual + run->n_snapshots;
    for (size_t i = 0; names && i < *n; i++)
        names[i] = i < usual ? files[i] : run->snapshots[i - usual];
    return names;
}

/* Makes the record and hands it to `use`. */
static ib_status with_record(ib_run *run, ib_status (*use)(ib_run *, const ib_run_record *)) {
    ib_arena *arena = ib_arena_create();
    settings s = {0};
    const ib_statistics statistics = statistics_of(run);
    ib_status status = IB_NO_MEMORY;
    size_t n_names = 0;
    const char *const *names = arena ? list_files(run, arena, &n_names) : NULL;
    if (names && list_settings(run, arena, &s)) {
        const ib_run_record record = make_record(run, &s, &statistics, names, n_names);
        status = use(run, &record);
    } else {
        ib_diags_no_memory(run->diags);
    }
    ib_arena_destroy(arena);
    return status;
}

static ib_status write_record(ib_run *run, const ib_run_record *record) {
    return ib_results_write_run(run->folder, record, run->diags);
}

ib_status ib_run_write_record(ib_run *run) { return with_record(run, write_record); }

/* ---- the end ------------------------------------------------------------------------------- */

static ib_status print_record(ib_run *run, const ib_run_record *record) {
    char *text = ib_run_record_json(record);
    if (!text)
        return ib_diags_no_memory(run->diags);
    ib_print(text);
    free(text);
    return IB_OK;
}

/* The solver, or how one followed another. */
static void print_solver(const ib_statistics *statistics) {
    char time[IB_NUMBER_SIZE];
    if (statistics->started_with)
        printf("%s, from t = %s s %s", statistics->started_with,
               ib_number_text(ib_time_seconds(statistics->changed_at), time), statistics->solver);
    else
        printf("%s", statistics->solver ? statistics->solver : "no solver");
}

static void print_statistics(const ib_run *run) {
    const ib_statistics s = statistics_of(run);
    printf("  %-22s ", "solver");
    print_solver(&s);
    printf("\n");
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"steps", s.steps},
                  {"rejected steps", s.rejections},
                  {"evaluations", s.evaluations},
                  {"factorisations", s.factorizations},
                  {"iterations", s.iterations}};
    for (size_t i = 0; i < IB_COUNT(counts); i++)
        printf("  %-22s %" PRIu64 "\n", counts[i].name, counts[i].value);
    printf("  %-22s %.6g s\n", "last step", s.last_step);
    printf("  %-22s %.6g s\n", "smallest step", s.smallest_step);
    printf("  %-22s 0x%016" PRIx64 "\n", "hash of the state", s.state_hash);
}

/* "quarter car: 5 s in 84 ms (59.5 x real time), dopri5, 812 steps". */
static void print_summary(const ib_run *run) {
    char wall[32], number[IB_NUMBER_SIZE];
    const ib_statistics statistics = statistics_of(run);
    const double simulated = ib_time_seconds(run->last_row - run->start);
    const unsigned long long rows = ib_recorder_rows(run->recorder);
    printf("%s: %s s simulated in %s", name_of(run), ib_number_text(simulated, number),
           ib_duration_text(run->wall, wall));
    if (run->wall > 0)
        printf(" (%.3g x real time)", simulated / run->wall);
    printf(", ");
    print_solver(&statistics);
    printf(", %" PRIu64 " steps\n", statistics.steps);
    printf("results: %s/results.csv, %llu row%s, %zu channel%s\n", run->folder, rows,
           rows == 1 ? "" : "s", run->n_channels, run->n_channels == 1 ? "" : "s");
    if (ib_arguments_has(run->given, IB_OPTION_run_stats))
        print_statistics(run);
}

/* A run that ended early says when, and what is left of it. */
static void print_early_end(const ib_run *run) {
    char stopped[IB_NUMBER_SIZE], end[IB_NUMBER_SIZE];
    const unsigned long long rows = ib_recorder_rows(run->recorder);
    fprintf(stderr, "ironbird: %s at t = %s s of %s s; %llu row%s kept in %s\n", run->outcome,
            ib_number_text(ib_time_seconds(time_of(run)), stopped),
            ib_number_text(ib_time_seconds(run->end), end), rows, rows == 1 ? "" : "s",
            run->folder);
}

void ib_run_report(ib_run *run, int code) {
    ib_print_diags(run->diags, &run->printed, run->quiet);
    if (run->json) {
        with_record(run, print_record);
        return;
    }
    if (!run->recorder)
        return;
    if (code != IB_EXIT_DONE)
        print_early_end(run);
    else if (!run->quiet)
        print_summary(run);
    fflush(stdout);
}
