/* `ironbird run FILE`: load, prepare the folder, simulate, keep what there is, report. */
#include "run.h"

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static void note_start(ib_run *run) {
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(run->started, sizeof run->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* What the end of the simulation is called, and the exit code that says so. */
static int judge(ib_run *run, ib_status status) {
    switch (status) {
    case IB_OK:
        run->outcome = "done";
        return IB_EXIT_DONE;
    case IB_INTERRUPTED:
        run->outcome = "interrupted";
        return IB_EXIT_INTERRUPTED;
    case IB_IO_ERROR:
        run->outcome = "write error";
        return IB_EXIT_SIMULATION;
    case IB_NO_MEMORY:
    case IB_INTERNAL:
        run->outcome = "failed";
        return IB_EXIT_INTERNAL;
    default:
        run->outcome = "failed";
        return IB_EXIT_SIMULATION;
    }
}

/* What the run found out about its solver. */
static void note_solver(ib_run *run) {
    const ib_statistics s = ib_system_statistics(run->system);
    const ib_place place = run->model->simulation.place;
    char time[IB_NUMBER_SIZE];
    if (s.started_with) {
        ib_diags_add(
            run->diags, IB_NOTE, IB0716, place,
            "the model is stiff: %s was limited by stability, and %s took over at t = %s s",
            s.started_with, s.solver, ib_number_text(ib_time_seconds(s.changed_at), time));
    } else if (s.limited_steps > 1000 && 2 * s.limited_steps > s.steps) {
        ib_diags_add(run->diags, IB_NOTE, IB0717, place,
                     "stability, not accuracy, kept %.0f %% of the steps of %s short",
                     100 * (double)s.limited_steps / (double)s.steps, s.solver);
        ib_diags_suggest(run->diags, "solver: stiff may be much faster");
    }
}

/* What follows the last row: the files that tell of the run. */
int ib_run_finish(ib_run *run, ib_status status) {
    ib_progress_end(&run->progress, run->system ? ib_system_time(run->system) : run->last_row);
    const ib_status written = ib_recorder_finish(run->recorder, run->diags);
    if (written != IB_OK)
        status = written;
    run->wall = ib_clock() - run->begun;
    if (run->system)
        note_solver(run);
    int code = judge(run, status);
    if (ib_run_write_record(run) != IB_OK && code == IB_EXIT_DONE) {
        run->outcome = "write error";
        code = IB_EXIT_SIMULATION;
    }
    return code;
}

/* From the first row to the last, and the files that tell of it. */
static int simulate(ib_run *run) {
    ib_status status = run->fmu ? ib_run_prepare_fmu(run) : IB_OK;
    run->begun = ib_clock();
    ib_progress_begin(&run->progress, run->progress.kind, run->start, run->end);
    if (status == IB_OK)
        status = run->fmu       ? ib_run_simulate_fmu(run)
                 : run->world   ? ib_run_simulate_mission(run)
                 : run->network ? ib_run_simulate_network(run)
                                : ib_run_simulate(run);
    return ib_run_finish(run, status);
}

static int run_all(ib_run *run) {
    const bool fmu = ib_becomes_fmu(run->file), mission = !fmu && ib_is_mission(run->file);
    const bool network = !fmu && !mission && ib_is_network(run->file);
    ib_status status = fmu       ? ib_run_load_fmu(run)
                       : mission ? ib_run_load_mission(run)
                       : network ? ib_run_load_network(run)
                                 : ib_run_load(run);
    if (status == IB_OK && !fmu && !mission && !network)
        status = ib_run_choose_channels(run);
    ib_print_diags(run->diags, &run->printed, run->quiet);
    if (status == IB_OK) {
        ib_interrupt_watch();
        status = ib_run_open_folder(run);
    }
    if (status == IB_OK)
        return simulate(run);
    run->outcome = "failed";
    return ib_print_end(run->diags, &run->printed, run->quiet, status);
}

static void release(ib_run *run) {
    ib_recorder_destroy(run->recorder);
    ib_input_table_free(&run->input);
    ib_system_destroy(run->system);
    ib_model_destroy(run->model);
    ib_world_destroy(run->world);
    ib_network_destroy(run->network);
    for (size_t i = 0; i < run->n_snapshots; i++)
        free(run->snapshots[i]);
    free(run->snapshots);
    free(run->old_rows);
    free(run->old_events);
    ib_fmu_run_destroy(run->fmu_run);
    ib_fmu_close(run->fmu);
    free(run->wanted);
    free(run->channels);
    free(run->infos);
    free(run->values);
    free(run->folder);
    ib_diags_destroy(run->diags);
}

int ib_command_run(const ib_arguments *given) { return ib_run_command(given, NULL, NULL); }

int ib_run_command(const ib_arguments *given, ib_snapshot *snapshot, const char *snapshot_path) {
    ib_run run = {.given = given,
                  .snapshot = snapshot,
                  .snapshot_path = snapshot_path,
                  .diags = ib_new_diags(),
                  .file = given->words[0],
                  .quiet = ib_arguments_has(given, IB_OPTION_run_quiet),
                  .json = ib_arguments_has(given, IB_OPTION_run_json)};
    note_start(&run);
    int code = run_all(&run);
    ib_processes_end(&run, false); /* of what did not come to a run */
    ib_run_report(&run, code);
    if (code == IB_EXIT_DONE)
        code = ib_run_compare(&run);
    release(&run);
    return code;
}
