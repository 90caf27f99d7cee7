/* `ironbird run NETWORK`: coupled components go from communication point to communication point. */
#include "run.h"

#include <stdlib.h>

ib_status ib_run_load_network(ib_run *run) {
    const char *until = ib_arguments_value(run->given, IB_OPTION_run_until);
    ib_overrides overrides = {0};
    ib_status status = ib_run_common(run);
    if (status == IB_OK)
        status = ib_overrides_open(run->given, IB_OPTION_run_set, run->diags, &overrides);
    const ib_network_options options = {.overrides = overrides.list, .n_overrides = overrides.n};
    if (status == IB_OK)
        status = ib_network_create(run->file, &options, run->diags, &run->network);
    ib_overrides_close(&overrides);
    if (status != IB_OK)
        return status;
    run->end = ib_network_end(run->network);
    run->output_step = ib_network_output_step(run->network);
    if (!until || (ib_run_parse_time(until, &run->end) && run->end > 0))
        return ib_run_network_channels(run);
    ib_usage_error(run->diags, IB_COMMAND_run,
                   "--until '%s' is no time after the start; seconds, or a number with a unit: "
                   "\"500 ms\"",
                   until);
    return IB_BAD_INPUT;
}

/* ---- channels ------------------------------------------------------------------------------ */

static ib_channel_info info_of(const ib_run *run, ib_handle channel) {
    return ib_network_channel_info(run->network, channel);
}

static bool is_usual(const ib_run *run, ib_handle channel) {
    return ib_network_recorded(run->network, channel);
}

ib_status ib_run_network_channels(ib_run *run) {
    const ib_channel_source source = {
        .n = ib_network_channel_count(run->network), .info = info_of, .usual = is_usual};
    const ib_status status = ib_run_mark_channels(run, &source);
    if (status == IB_OK)
        ib_run_list_channels(run, &source);
    return status;
}

/* ---- the loop ------------------------------------------------------------------------------ */

static ib_status record(ib_run *run) {
    ib_status status =
        ib_network_read(run->network, run->channels, run->n_channels, run->values, run->diags);
    const ib_time time = ib_network_time(run->network);
    if (status == IB_OK)
        status = ib_recorder_push(run->recorder, time, run->values);
    if (status == IB_OK)
        run->last_row = time;
    return status;
}

static ib_status simulate(ib_run *run) {
    ib_status status = record(run);
    while (status == IB_OK && ib_network_time(run->network) < run->end) {
        status = ib_network_step(run->network, run->end, run->diags);
        const ib_time now = ib_network_time(run->network);
        if (status == IB_OK && (now % run->output_step == 0 || now == run->end))
            status = record(run);
        ib_progress_step(&run->progress, now);
        if (status == IB_OK && now < run->end && ib_interrupt_seen())
            status = IB_INTERRUPTED;
    }
    return status;
}

typedef struct work {
    ib_run *run;
    ib_status status;
} work;

static void work_off(void *argument) {
    work *w = argument;
    w->status = simulate(w->run);
}

/* A crash of an FMU in this process ends the run, not the program. */
ib_status ib_run_simulate_network(ib_run *run) {
    work w = {run, IB_OK};
    ib_run_catch_exit(run);
    const int signal_number = ib_guard(work_off, &w);
    ib_run_catch_exit(NULL);
    if (!signal_number)
        return w.status;
    ib_network_crashed(run->network, signal_number, run->diags);
    return IB_SIMULATION_FAILED;
}
