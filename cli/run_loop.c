/* The loop of a run: from row to row, applying inputs on the way.
 *
 * Output times are whole multiples of the output step, counted in nanoseconds, and the end. A row
 * of the input table takes effect exactly at its time; a row of results at the same time shows it.
 */
#include "run.h"

static bool asked_to_stop(void *context) {
    ib_run *run = context;
    ib_progress_step(&run->progress, ib_system_time(run->system));
    return ib_interrupt_seen();
}

static ib_status apply_row(ib_run *run) {
    ib_input_table *table = &run->input;
    const double *values = table->values + table->next * table->n_inputs;
    const uint32_t line = table->lines[table->next++];
    for (size_t i = 0; i < table->n_inputs; i++) {
        const ib_status status =
            ib_system_set_input(run->system, table->handles[i], values[i], run->diags);
        if (status == IB_OK)
            continue;
        ib_diags_note(run->diags, (ib_place){ib_diags_file(run->diags, table->path), line, 1, 1},
                      "set by this row");
        return status;
    }
    return IB_OK;
}

/* To exactly `time`, stopping at every row of the input table on the way. */
static ib_status advance(ib_run *run, ib_time time) {
    ib_input_table *table = &run->input;
    ib_status status = IB_OK;
    while (status == IB_OK && table->next < table->n_rows && table->times[table->next] <= time) {
        const ib_time row = table->times[table->next];
        if (row > ib_system_time(run->system))
            status = ib_system_advance(run->system, row, run->diags);
        if (status == IB_OK)
            status = apply_row(run);
    }
    if (status == IB_OK && ib_system_time(run->system) < time)
        status = ib_system_advance(run->system, time, run->diags);
    return status;
}

static ib_status record(ib_run *run, ib_time time) {
    ib_status status =
        ib_system_read(run->system, run->channels, run->n_channels, run->values, run->diags);
    if (status == IB_OK)
        status = ib_recorder_push(run->recorder, time, run->values);
    if (status == IB_OK)
        run->last_row = time;
    return status;
}

/* The output time after `time`. */
static ib_time next_output(const ib_run *run, ib_time time) {
    const ib_time left = run->end - time;
    const ib_time since = (time - run->start) % run->output_step;
    const ib_time step = run->output_step - since;
    return step < left ? time + step : run->end;
}

ib_status ib_run_simulate(ib_run *run) {
    ib_system_watch(run->system, asked_to_stop, run);
    ib_time time = run->start;
    ib_status status = advance(run, time);
    if (status == IB_OK)
        status = record(run, time);
    while (status == IB_OK && time < run->end) {
        time = next_output(run, time);
        status = advance(run, time);
        if (status == IB_OK)
            status = record(run, time);
        ib_progress_step(&run->progress, ib_system_time(run->system));
        if (status == IB_OK && time < run->end && ib_interrupt_seen())
            status = IB_INTERRUPTED;
    }
    ib_system_watch(run->system, NULL, NULL);
    return status;
}
