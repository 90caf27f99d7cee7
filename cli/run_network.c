/* `ironbird run NETWORK`: coupled components go from communication point to communication point. */
#include "run.h"

#include <stdlib.h>

ib_status ib_run_load_network(ib_run *run) {
    const char *until = ib_arguments_value(run->given, IB_OPTION_run_until);
    ib_status status = ib_run_common(run);
    if (status == IB_OK)
        status = ib_network_create(run->file, run->diags, &run->network);
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

static size_t mark(const ib_run *run, const char *pattern) {
    size_t matches = 0;
    for (size_t i = 0; i < ib_network_channel_count(run->network); i++)
        if (ib_glob_match(pattern, ib_network_channel_info(run->network, (ib_handle)i).name)) {
            run->wanted[i] = true;
            matches++;
        }
    return matches;
}

static ib_status complain_unmatched(ib_run *run, const char *pattern) {
    const size_t n = ib_network_channel_count(run->network);
    const char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        names[i] = ib_network_channel_info(run->network, (ib_handle)i).name;
    const char *nearest = names ? ib_nearest_name(pattern, names, n) : NULL;
    ib_diags_add(run->diags, IB_ERROR, IB0904, IB_NO_PLACE, "no channel matches '%s'", pattern);
    if (nearest)
        ib_diags_suggest(run->diags, "did you mean '%s'?", nearest);
    free(names);
    return IB_BAD_INPUT;
}

/* The patterns of the command line, else the network's. */
static ib_status mark_channels(ib_run *run) {
    size_t n;
    const char **given = ib_arguments_list(run->given, IB_OPTION_run_record, &n);
    ib_status status = given ? IB_OK : ib_diags_no_memory(run->diags);
    for (size_t k = 0; given && k < n && status == IB_OK; k++)
        if (mark(run, given[k]) == 0)
            status = complain_unmatched(run, given[k]);
    for (size_t i = 0; n == 0 && i < ib_network_channel_count(run->network); i++)
        run->wanted[i] = ib_network_recorded(run->network, (ib_handle)i);
    free(given);
    return status;
}

ib_status ib_run_network_channels(ib_run *run) {
    const size_t n = ib_network_channel_count(run->network);
    run->wanted = calloc(n + 1, sizeof *run->wanted);
    run->channels = calloc(n + 1, sizeof *run->channels);
    run->infos = calloc(n + 1, sizeof *run->infos);
    run->values = calloc(n + 1, sizeof *run->values);
    if (!run->wanted || !run->channels || !run->infos || !run->values)
        return ib_diags_no_memory(run->diags);
    const ib_status status = mark_channels(run);
    for (size_t i = 0; i < n; i++)
        if (run->wanted[i]) {
            run->infos[run->n_channels] = ib_network_channel_info(run->network, (ib_handle)i);
            run->channels[run->n_channels++] = (ib_handle)i;
        }
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
