/* Writers of channels.json and run.json: what was recorded, what ran, and how it ended. */
#include "results_internal.h"

#include <inttypes.h>
#include <math.h> /* HUGE_VAL only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- members of an object, one a line ------------------------------------------------------ */

typedef struct object {
    ib_str *text;
    unsigned depth;
    bool any;
} object;

static object open_object(ib_str *text, unsigned depth) {
    ib_str_add_char(text, '{');
    return (object){text, depth + 1, false};
}

static void new_line(ib_str *text, unsigned depth) {
    ib_str_add_char(text, '\n');
    for (unsigned i = 0; i < depth; i++)
        ib_str_add(text, "  ");
}

static void close_object(object *o) {
    if (o->any)
        new_line(o->text, o->depth - 1);
    ib_str_add_char(o->text, '}');
}

static void add_name(object *o, const char *name) {
    if (o->any)
        ib_str_add_char(o->text, ',');
    o->any = true;
    new_line(o->text, o->depth);
    ib_str_printf(o->text, "\"%s\": ", name);
}

static void add_quoted(ib_str *text, const char *value) {
    if (!value) {
        ib_str_add(text, "null");
        return;
    }
    ib_str_add_char(text, '"');
    ib_str_add_json(text, value);
    ib_str_add_char(text, '"');
}

static void add_text(object *o, const char *name, const char *value) {
    add_name(o, name);
    add_quoted(o->text, value);
}

/* JSON has no infinities and no NaN: null. */
static void add_number(object *o, const char *name, double value) {
    char text[IB_NUMBER_SIZE];
    add_name(o, name);
    ib_str_add(o->text, value - value == 0 ? ib_number_text(value, text) : "null");
}

static void add_count(object *o, const char *name, uint64_t value) {
    add_name(o, name);
    ib_str_printf(o->text, "%" PRIu64, value);
}

static void add_time(object *o, const char *name, ib_time value) {
    char text[IB_DECIMAL_SIZE];
    add_name(o, name);
    ib_str_add_n(o->text, text, ib_decimal_write_time(value, text));
}

/* ---- channels.json ------------------------------------------------------------------------- */

static ib_status write_text(const char *folder, const char *name, const char *text, size_t length,
                            ib_diags *diags) {
    char *path = text ? ib_path_join(folder, name) : NULL;
    if (!path)
        return ib_diags_no_memory(diags);
    const ib_status status = ib_file_write(path, text, length, diags);
    free(path);
    return status;
}

ib_status ib_results_write_channels(const char *folder, const ib_channel_info *channels,
                                    size_t n_channels, ib_diags *diags) {
    static const char *const names[] = {"name", "unit", "description", "id"};
    ib_str text = {0};
    ib_str_add(&text, "{\"channels\": [");
    for (size_t i = 0; i < n_channels; i++) {
        const ib_channel_info *channel = &channels[i];
        const char *const values[] = {channel->name, channel->unit, channel->description,
                                      channel->id};
        ib_str_add(&text, i ? ",\n  {" : "\n  {");
        for (size_t k = 0; k < IB_COUNT(names); k++) {
            ib_str_printf(&text, "%s\"%s\": ", k ? ", " : "", names[k]);
            add_quoted(&text, values[k]);
        }
        ib_str_add_char(&text, '}');
    }
    ib_str_add(&text, "\n]}\n");
    const ib_status status =
        write_text(folder, "channels.json", text.failed ? NULL : text.data, text.length, diags);
    ib_str_free(&text);
    return status;
}

/* ---- run.json ------------------------------------------------------------------------------ */

static void add_settings(object *o, const ib_run_record *record) {
    add_name(o, "settings");
    object settings = open_object(o->text, o->depth);
    for (size_t i = 0; i < record->n_settings; i++) {
        const ib_setting *setting = &record->settings[i];
        ib_str name = {0};
        ib_str_add_json(&name, setting->name);
        const char *text = name.failed || !name.data ? "" : name.data;
        if (setting->text)
            add_text(&settings, text, setting->text);
        else
            add_number(&settings, text, setting->number);
        ib_str_free(&name);
    }
    close_object(&settings);
}

static void add_statistics(object *o, const ib_statistics *statistics) {
    char hash[24];
    snprintf(hash, sizeof hash, "0x%016" PRIx64, statistics->state_hash);
    add_name(o, "statistics");
    object members = open_object(o->text, o->depth);
    add_text(&members, "solver", statistics->solver);
    if (statistics->started_with) {
        add_text(&members, "started_with", statistics->started_with);
        add_number(&members, "changed_at", ib_time_seconds(statistics->changed_at));
    }
    add_count(&members, "steps", statistics->steps);
    add_count(&members, "rejections", statistics->rejections);
    add_count(&members, "iterations", statistics->iterations);
    add_count(&members, "evaluations", statistics->evaluations);
    add_count(&members, "factorizations", statistics->factorizations);
    add_number(&members, "last_step", statistics->last_step);
    add_number(&members, "smallest_step", statistics->smallest_step);
    add_text(&members, "state_hash", hash);
    close_object(&members);
}

/* One diagnostic as an object on one line. */
static void add_diagnostic(ib_str *text, const ib_diag *diag) {
    ib_str_printf(text, "{\"id\": \"%s\", \"message\": ", diag->id);
    add_quoted(text, diag->message);
    if (diag->place.file) {
        ib_str_add(text, ", \"file\": ");
        add_quoted(text, diag->place.file);
    }
    if (diag->place.line)
        ib_str_printf(text, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32, diag->place.line,
                      diag->place.column);
    ib_str_add_char(text, '}');
}

static void add_diagnostics(object *o, const char *name, const ib_diags *diags,
                            ib_severity severity) {
    bool any = false;
    add_name(o, name);
    ib_str_add_char(o->text, '[');
    for (size_t i = 0; diags && i < ib_diags_count(diags); i++) {
        const ib_diag *diag = ib_diags_at(diags, i);
        if (diag->severity != severity)
            continue;
        if (any)
            ib_str_add_char(o->text, ',');
        any = true;
        new_line(o->text, o->depth + 1);
        add_diagnostic(o->text, diag);
    }
    if (any)
        new_line(o->text, o->depth);
    ib_str_add_char(o->text, ']');
}

static void add_versions(object *o, const ib_run_record *record) {
    add_name(o, "versions");
    object versions = open_object(o->text, o->depth);
    add_text(&versions, "ironbird", record->version);
    add_text(&versions, "compiler", record->compiler);
    add_count(&versions, "results_format", 1);
    close_object(&versions);
}

static void add_times(object *o, const ib_run_record *record) {
    const double simulated = ib_time_seconds(record->end - record->start);
    add_text(o, "started", record->started);
    add_number(o, "wall_time", record->wall_time);
    add_time(o, "start_time", record->start);
    add_time(o, "end_time", record->end);
    add_time(o, "planned_end", record->planned_end);
    add_time(o, "simulated_time", record->end - record->start);
    add_number(o, "speed_factor", record->wall_time > 0 ? simulated / record->wall_time : HUGE_VAL);
}

static void add_files(object *o, const ib_run_record *record) {
    add_name(o, "files");
    ib_str_add_char(o->text, '[');
    for (size_t i = 0; i < record->n_files; i++) {
        ib_str_add(o->text, i ? ", " : "");
        add_quoted(o->text, record->files[i]);
    }
    ib_str_add_char(o->text, ']');
}

char *ib_run_record_json(const ib_run_record *record) {
    ib_str text = {0};
    object o = open_object(&text, 0);
    add_text(&o, "program", "ironbird");
    add_versions(&o, record);
    add_text(&o, "status", record->status);
    add_text(&o, "message", record->message);
    add_text(&o, "model", record->model);
    add_text(&o, "file", record->file);
    add_text(&o, "folder", record->folder);
    add_settings(&o, record);
    add_count(&o, "seed", record->seed);
    add_times(&o, record);
    add_count(&o, "rows", record->rows);
    add_count(&o, "channels", record->n_channels);
    if (record->statistics)
        add_statistics(&o, record->statistics);
    add_diagnostics(&o, "notes", record->diags, IB_NOTE);
    add_diagnostics(&o, "warnings", record->diags, IB_WARNING);
    add_diagnostics(&o, "errors", record->diags, IB_ERROR);
    add_name(&o, "events");
    ib_str_add(&text, "[]");
    add_files(&o, record);
    close_object(&o);
    ib_str_add_char(&text, '\n');
    if (!text.failed)
        return text.data;
    ib_str_free(&text);
    return NULL;
}

ib_status ib_results_write_run(const char *folder, const ib_run_record *record, ib_diags *diags) {
    char *text = ib_run_record_json(record);
    const ib_status status = write_text(folder, "run.json", text, text ? strlen(text) : 0, diags);
    free(text);
    return status;
}
