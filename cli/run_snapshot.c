/* Snapshots of a mission: `run --checkpoint T` takes them, `resume SNAPSHOT` goes on from one.
 *
 * A resumed run records the whole run: what had been recorded up to the snapshot is read from the
 * folder and recorded again, since every number in it reads back as the same double.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "run.h"

#include "results/results.h"

#include <dirent.h>
#include <errno.h>
#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

#define LARGEST ((size_t)4 << 30)

/* ---- taking -------------------------------------------------------------------------------- */

ib_status ib_run_choose_checkpoint(ib_run *run) {
    const char *text = ib_arguments_value(run->given, IB_OPTION_run_checkpoint);
    if (run->snapshot)
        run->checkpoint = ib_snapshot_tell(run->snapshot).checkpoint;
    if (text && (!ib_run_parse_time(text, &run->checkpoint) || run->checkpoint <= 0)) {
        ib_usage_error(run->diags, IB_COMMAND_run,
                       "--checkpoint '%s' is no time; seconds, or a number with a unit: \"500 ms\"",
                       text);
        return IB_BAD_INPUT;
    }
    if (run->checkpoint == 0)
        return IB_OK;
    if (run->checkpoint % ib_world_period(run->world) != 0) {
        ib_usage_error(run->diags, IB_COMMAND_run,
                       "--checkpoint: snapshots are taken at ticks, so it is a whole multiple of "
                       "the physics period");
        return IB_BAD_INPUT;
    }
    return ib_world_can_save(run->world, run->diags) ? IB_OK : IB_BAD_INPUT;
}

static ib_status list_snapshot(ib_run *run, const char *name) {
    for (size_t i = 0; i < run->n_snapshots; i++)
        if (strcmp(run->snapshots[i], name) == 0)
            return IB_OK;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    if (!IB_VEC_RESERVE(run->snapshots, run->snapshot_capacity, run->n_snapshots))
        return ib_diags_no_memory(run->diags);
    run->snapshots[run->n_snapshots] = strdup(name);
    return run->snapshots[run->n_snapshots++] ? IB_OK : ib_diags_no_memory(run->diags);
}

ib_status ib_run_take_snapshot(ib_run *run) {
    char number[IB_NUMBER_SIZE], name[64];
    ib_str path = {0};
    const ib_time now = ib_world_time(run->world);
    snprintf(name, sizeof name, "snapshot-%ss.ib", ib_number_text(ib_time_seconds(now), number));
    ib_str_printf(&path, "%s/%s", run->folder, name);
    char *mission = realpath(run->file, NULL);
    ib_status status = path.failed ? ib_diags_no_memory(run->diags) : list_snapshot(run, name);
    const ib_snapshot_about about = {.time = now,
                                     .end = run->end,
                                     .seed = run->seed,
                                     .rows = run->rows,
                                     .happenings = run->happenings,
                                     .checkpoint = run->checkpoint};
    if (status == IB_OK)
        status = ib_snapshot_write(run->world, path.data, IB_VERSION, mission ? mission : run->file,
                                   about, run->diags);
    free(mission);
    ib_str_free(&path);
    /* Should the program die, the list of its files knows this one. */
    return status == IB_OK ? ib_run_write_record(run) : status;
}

/* ---- going on ------------------------------------------------------------------------------ */

/* The folder that the snapshot lies in. */
char *ib_run_snapshot_folder(const ib_run *run) {
    const char *slash = strrchr(run->snapshot_path, '/');
    return slash ? strndup(run->snapshot_path, (size_t)(slash - run->snapshot_path)) : strdup(".");
}

bool ib_run_same_folder(const ib_run *run) {
    char *own = run->snapshot ? ib_run_snapshot_folder(run) : NULL;
    const bool same = own && run->folder && ib_file_same(own, run->folder);
    free(own);
    return same;
}

static ib_status read_text(ib_run *run, const char *folder, const char *name, char **text) {
    ib_str path = {0};
    size_t length;
    ib_str_printf(&path, "%s/%s", folder, name);
    const ib_status status =
        path.failed ? ib_diags_no_memory(run->diags)
                    : ib_file_read(path.data, LARGEST, run->diags, IB_NO_PLACE, text, &length);
    ib_str_free(&path);
    return status;
}

/* Snapshots that are there stay, and are listed. */
static ib_status list_folder(ib_run *run, const char *folder) {
    DIR *directory = opendir(folder);
    ib_status status = IB_OK;
    const struct dirent *entry;
    while (directory && status == IB_OK && (entry = readdir(directory)) != NULL) {
        const size_t n = strlen(entry->d_name);
        if (strncmp(entry->d_name, "snapshot-", 9) == 0 && n > 4 &&
            strcmp(entry->d_name + n - 4, "s.ib") == 0)
            status = list_snapshot(run, entry->d_name);
    }
    if (directory)
        closedir(directory);
    return status;
}

ib_status ib_run_read_past(ib_run *run) {
    char *folder = ib_run_snapshot_folder(run);
    ib_status status = folder ? IB_OK : ib_diags_no_memory(run->diags);
    if (status == IB_OK)
        status = read_text(run, folder, "results.csv", &run->old_rows);
    if (status == IB_OK)
        status = read_text(run, folder, "events.csv", &run->old_events);
    const char *out = ib_arguments_value(run->given, IB_OPTION_run_out);
    if (status == IB_OK && (!out || ib_file_same(out, folder)))
        status = list_folder(run, folder);
    free(folder);
    return status;
}

/* The line after this one, or the end of the text. */
static const char *next_line(const char *at) {
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

ib_status ib_run_old_channels(ib_run *run, bool *wanted) {
    const char *end = run->old_rows + strcspn(run->old_rows, "\r\n"), *cursor = run->old_rows;
    ib_str field = {0};
    ib_status status = IB_OK;
    for (size_t i = 0; cursor && status == IB_OK; i++) {
        ib_str_clear(&field);
        const bool good = ib_csv_field(&cursor, end, &field) && !field.failed && field.data;
        const ib_handle channel = good && i > 0 ? ib_world_channel(run->world, field.data) : -1;
        if (channel >= 0)
            wanted[channel] = true;
        else if (i > 0 || !good)
            status = IB_BAD_INPUT;
    }
    ib_str_free(&field);
    if (status != IB_OK)
        ib_diags_add(run->diags, IB_ERROR, IB0726, IB_NO_PLACE,
                     "results.csv beside the snapshot does not hold channels of this mission");
    return status;
}

/* One row of the past; false when it is none. */
static bool push_row(ib_run *run, const char *line) {
    double number;
    ib_time time = 0;
    for (size_t i = 0; i <= run->n_channels; i++) {
        const size_t field = strcspn(line, ",\r\n");
        const bool read = ib_number_parse(line, field, &number) == field && field > 0;
        if (!read && (i == 0 || strncmp(line, "nan", 3) != 0))
            return false;
        if (i == 0 && !ib_time_from_seconds(number, &time))
            return false;
        if (i > 0)
            run->values[i - 1] = read ? number : (double)NAN;
        line += field + (line[field] == ',');
    }
    run->last_row = time;
    return ib_recorder_push(run->recorder, time, run->values) == IB_OK;
}

ib_status ib_run_replay(ib_run *run, FILE *events) {
    const ib_snapshot_about about = ib_snapshot_tell(run->snapshot);
    const char *line = next_line(run->old_rows);
    for (; run->rows < about.rows; run->rows++, line = next_line(line))
        if (!push_row(run, line)) {
            ib_diags_add(run->diags, IB_ERROR, IB0726, IB_NO_PLACE,
                         "results.csv beside the snapshot has %llu of the %llu rows that were "
                         "recorded before it",
                         (unsigned long long)run->rows, (unsigned long long)about.rows);
            return IB_BAD_INPUT;
        }
    line = next_line(run->old_events);
    const char *first = line;
    for (; run->happenings < about.happenings; run->happenings++)
        line = next_line(line);
    fwrite(first, 1, (size_t)(line - first), events);
    free(run->old_rows);
    free(run->old_events);
    run->old_rows = run->old_events = NULL;
    return IB_OK;
}

/* ---- the command --------------------------------------------------------------------------- */

/* The same options, as `run` has them. */
static ib_option_id option_of_run(ib_option_id id) {
    for (int i = 0; i < IB_OPTION_COUNT; i++)
        if (ib_option_at((ib_option_id)i)->command == IB_COMMAND_run &&
            strcmp(ib_option_at((ib_option_id)i)->name, ib_option_at(id)->name) == 0)
            return (ib_option_id)i;
    return id;
}

int ib_command_resume(const ib_arguments *given) {
    ib_diags *diags = ib_new_diags();
    ib_snapshot *snapshot = NULL;
    size_t printed = 0;
    const ib_status status = ib_snapshot_read(given->words[0], IB_VERSION, diags, &snapshot);
    if (status != IB_OK) {
        const int code = ib_print_end(diags, &printed, false, status);
        ib_diags_destroy(diags);
        return code;
    }
    const char *words[] = {ib_snapshot_mission(snapshot)};
    ib_given *options = calloc(given->n_given + 1, sizeof *options);
    for (size_t i = 0; options && i < given->n_given; i++)
        options[i] = (ib_given){option_of_run(given->given[i].option), given->given[i].value};
    const ib_arguments arguments = {.command = IB_COMMAND_run,
                                    .words = words,
                                    .n_words = 1,
                                    .given = options,
                                    .n_given = given->n_given};
    const int code =
        options ? ib_run_command(&arguments, snapshot, given->words[0]) : IB_EXIT_INTERNAL;
    free(options);
    ib_snapshot_destroy(snapshot);
    ib_diags_destroy(diags);
    return code;
}
