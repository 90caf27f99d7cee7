/* `ironbird run MISSION`: a world ticks from row to row, and leaves two files more than a model:
 * events.csv (what happened, when) and bus.csv (the messages of every bus, counted).
 */
#include "run.h"

#include "results/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- before the first tick ----------------------------------------------------------------- */

static ib_status read_threads(ib_run *run, int *threads) {
    const char *text = ib_arguments_value(run->given, IB_OPTION_run_threads);
    char *end;
    *threads = 0;
    if (!text)
        return IB_OK;
    const long n = strtol(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && n >= 1 && n <= 64) {
        *threads = (int)n;
        return IB_OK;
    }
    ib_usage_error(run->diags, IB_COMMAND_run,
                   "--threads '%s' is not a whole number from 1 to 64; one for each core of the "
                   "machine is the most that helps",
                   text);
    return IB_BAD_INPUT;
}

static bool interrupted(void *context) {
    (void)context;
    return ib_interrupt_seen();
}

static ib_status start(void *context, const ib_world_process *processes, size_t n,
                       const ib_world_peer *peers, size_t n_peers) {
    return ib_processes_start(context, processes, n, peers, n_peers);
}

/* Those of the command line, or those that the snapshot was taken with. */
static ib_status choose_overrides(ib_run *run, ib_overrides *overrides) {
    ib_override o;
    ib_status status = ib_overrides_open_mission(run->given, run->diags, overrides);
    if (status != IB_OK || !run->snapshot)
        return status;
    if (overrides->n > 0) {
        ib_usage_error(run->diags, IB_COMMAND_resume,
                       "a snapshot goes on with the values that it was taken with");
        return IB_BAD_INPUT;
    }
    size_t n = 0;
    while (ib_snapshot_override(run->snapshot, n, &o))
        n++;
    free(overrides->list);
    overrides->list = calloc(n + 1, sizeof *overrides->list);
    if (!overrides->list)
        return ib_diags_no_memory(run->diags);
    while (overrides->n < n &&
           ib_snapshot_override(run->snapshot, overrides->n, &overrides->list[overrides->n]))
        overrides->n++;
    return IB_OK;
}

static ib_status create_world(ib_run *run, const ib_overrides *overrides) {
    ib_world_options options = {
        .overrides = overrides->list, .n_overrides = overrides->n, .realtime = run->pace.factor};
    const char *until = ib_arguments_value(run->given, IB_OPTION_run_until);
    const bool seeded = ib_arguments_has(run->given, IB_OPTION_run_seed);
    ib_time end = 0;
    ib_status status = read_threads(run, &options.threads);
    if (status != IB_OK)
        return status;
    if (until && (!ib_run_parse_time(until, &end) || end <= 0)) {
        ib_usage_error(run->diags, IB_COMMAND_run,
                       "--until '%s' is no time after the start; seconds, or a number with a "
                       "unit: \"500 ms\"",
                       until);
        return IB_BAD_INPUT;
    }
    ib_interrupt_watch();
    options.guard = ib_guard;
    options.start = start;
    options.stopped = interrupted;
    options.context = run;
    options.host = "/proc/self/exe";
    options.end = until ? &end : NULL;
    options.seed = seeded ? &run->seed : NULL;
    if (run->snapshot) {
        const ib_snapshot_about about = ib_snapshot_tell(run->snapshot);
        run->seed = about.seed;
        end = until ? end : about.end;
        options.end = &end;
        options.seed = &run->seed;
    }
    status = ib_world_create(run->file, &options, run->diags, &run->world);
    if (status != IB_OK)
        return status;
    run->seed = ib_world_seed(run->world);
    run->end = ib_world_end(run->world);
    run->output_step = ib_world_output_step(run->world);
    return IB_OK;
}

static ib_channel_info info_of(const ib_run *run, ib_handle channel) {
    return ib_world_channel_info(run->world, channel);
}

/* A run that goes on records what it did. */
static bool is_usual(const ib_run *run, ib_handle channel) {
    return !run->snapshot && ib_world_recorded(run->world, channel);
}

static ib_status choose_channels(ib_run *run) {
    const ib_channel_source source = {
        .n = ib_world_channel_count(run->world), .info = info_of, .usual = is_usual};
    ib_status status = ib_run_mark_channels(run, &source);
    if (status == IB_OK && run->snapshot)
        status = ib_run_old_channels(run, run->wanted);
    if (status == IB_OK)
        ib_run_list_channels(run, &source);
    return status;
}

ib_status ib_run_load_mission(ib_run *run) {
    ib_overrides overrides = {0};
    ib_status status = ib_run_common(run);
    if (status == IB_OK)
        status = ib_pace_choose(run);
    if (status == IB_OK)
        status = ib_run_choose_trace(run);
    if (status == IB_OK)
        status = choose_overrides(run, &overrides);
    if (status == IB_OK)
        status = create_world(run, &overrides);
    ib_overrides_close(&overrides);
    if (status == IB_OK && run->snapshot)
        status = ib_run_read_past(run);
    if (status == IB_OK && run->snapshot)
        status = ib_world_resume(run->world, run->snapshot, run->diags);
    if (status == IB_OK)
        status = ib_run_choose_checkpoint(run);
    return status == IB_OK ? choose_channels(run) : status;
}

/* ---- events.csv, bus.csv ------------------------------------------------------------------- */

static FILE *open_file(ib_run *run, const char *name, const char *head) {
    ib_str path = {0};
    ib_str_printf(&path, "%s/%s", run->folder, name);
    FILE *file = path.failed ? NULL : fopen(path.data, "w");
    if (!file || fputs(head, file) < 0)
        ib_diags_add(run->diags, IB_ERROR, IB0102, IB_NO_PLACE, "cannot write '%s': %s",
                     path.data ? path.data : name, strerror(errno));
    ib_str_free(&path);
    return file;
}

static ib_status close_file(ib_run *run, const char *name, FILE *file) {
    const bool bad = ferror(file) != 0;
    if (fclose(file) == 0 && !bad)
        return IB_OK;
    ib_diags_add(run->diags, IB_ERROR, IB0102, IB_NO_PLACE, "cannot write '%s/%s'", run->folder,
                 name);
    return IB_IO_ERROR;
}

/* What a flight computer says may be any bytes; a row stays a line, and moves nobody's cursor. */
static void write_happening(ib_str *line, ib_happening h, FILE *file) {
    char number[IB_NUMBER_SIZE];
    ib_str detail = {0};
    ib_str_add(&detail, "");
    ib_str_add_shown(&detail, h.detail);
    const char *fields[] = {ib_number_text(ib_time_seconds(h.time), number), h.vehicle, h.source,
                            h.what, detail.data ? detail.data : ""};
    ib_str_clear(line);
    for (size_t i = 0; i < IB_COUNT(fields); i++) {
        if (i > 0)
            ib_str_add_char(line, ',');
        ib_csv_add_field(line, fields[i]);
    }
    ib_str_add(line, "\r\n");
    if (!line->failed && !detail.failed)
        fputs(line->data, file);
    ib_str_free(&detail);
}

static ib_status write_bus(ib_run *run) {
    FILE *file =
        open_file(run, "bus.csv", "vehicle,topic,published,delivered,departed,lost,dropped\r\n");
    if (!file)
        return IB_IO_ERROR;
    ib_bus_record r;
    uint64_t dropped = 0;
    for (size_t i = 0; ib_world_bus_record(run->world, i, &r); i++) {
        dropped += r.dropped;
        if (r.published > 0)
            fprintf(file, "%s,%s,%llu,%llu,%llu,%llu,%llu\r\n", r.vehicle, r.topic,
                    (unsigned long long)r.published, (unsigned long long)r.delivered,
                    (unsigned long long)r.departed, (unsigned long long)r.lost,
                    (unsigned long long)r.dropped);
    }
    if (dropped > 0)
        ib_diags_add(run->diags, IB_WARNING, IB0725, IB_NO_PLACE,
                     "full buses dropped %llu messages; bus.csv says whose",
                     (unsigned long long)dropped);
    return close_file(run, "bus.csv", file);
}

/* ---- the loop ------------------------------------------------------------------------------ */

static ib_status record(ib_run *run) {
    const ib_time time = ib_world_time(run->world);
    ib_world_read(run->world, run->channels, run->n_channels, run->values);
    const ib_status status = ib_recorder_push(run->recorder, time, run->values);
    if (status == IB_OK)
        run->last_row = time;
    run->rows += status == IB_OK;
    return status;
}

static ib_status tick(ib_run *run, FILE *events, ib_str *line) {
    ib_status status = ib_world_tick(run->world, run->diags);
    const size_t n = ib_world_happenings(run->world);
    for (size_t i = 0; i < n; i++)
        write_happening(line, ib_world_happening(run->world, i), events);
    const ib_time now = ib_world_time(run->world);
    const bool last = now >= run->end || ib_world_stopped(run->world);
    run->happenings += n;
    if (status == IB_OK && (now % run->output_step == 0 || last))
        status = record(run);
    if (status == IB_OK && run->checkpoint && now % run->checkpoint == 0 && !last) {
        fflush(events);
        status = ib_run_take_snapshot(run);
    }
    return status;
}

static ib_status fly(ib_run *run, FILE *events) {
    ib_str line = {0};
    ib_status status = run->snapshot ? ib_run_replay(run, events) : record(run);
    ib_pace_begin(run);
    bool stopped = false;
    while (status == IB_OK && !stopped && ib_world_time(run->world) < run->end) {
        status = tick(run, events, &line);
        ib_pace_keep(run);
        ib_progress_step(&run->progress, ib_world_time(run->world));
        if (status == IB_OK && ib_interrupt_seen() && ib_world_time(run->world) < run->end)
            status = IB_INTERRUPTED;
        stopped = ib_world_stopped(run->world) || ib_processes_ended(run);
    }
    if (stopped)
        run->end = ib_world_time(run->world);
    ib_str_free(&line);
    return status;
}

ib_status ib_run_simulate_mission(ib_run *run) {
    FILE *events = open_file(run, "events.csv", "time,vehicle,source,event,detail\r\n");
    if (!events)
        return IB_IO_ERROR;
    ib_status status = ib_run_open_trace(run);
    ib_run_catch_exit(run);
    if (status == IB_OK)
        status = fly(run, events);
    ib_run_catch_exit(NULL);
    ib_processes_end(run, status == IB_OK);
    ib_pace_tell(run);
    const ib_status traced = ib_run_close_trace(run);
    const ib_status closed = close_file(run, "events.csv", events);
    const ib_status written = write_bus(run);
    const ib_status all[] = {closed, written, traced};
    for (size_t i = 0; i < IB_COUNT(all) && status == IB_OK; i++)
        status = all[i];
    return status;
}
