/* --trace: trace.csv, what goes on inside a mission line by line. */
#include "run.h"

#include "results/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ib_run_trace {
    FILE *file;
    ib_str line;
};

static ib_status read_topics(ib_run *run, unsigned *what) {
    static const struct {
        const char *name;
        unsigned bit;
    } topics[] = {
        {"bus", IB_TRACE_BUS}, {"devices", IB_TRACE_DEVICES}, {"events", IB_TRACE_EVENTS}};
    size_t n = 0;
    const char **given = ib_arguments_list(run->given, IB_OPTION_run_trace, &n);
    ib_status status = given ? IB_OK : ib_diags_no_memory(run->diags);
    *what = 0;
    for (size_t i = 0; i < n && status == IB_OK; i++) {
        size_t k = 0;
        while (k < IB_COUNT(topics) && strcmp(topics[k].name, given[i]) != 0)
            k++;
        if (k < IB_COUNT(topics)) {
            *what |= topics[k].bit;
            continue;
        }
        ib_usage_error(run->diags, IB_COMMAND_run,
                       "--trace '%s' is none of bus, devices and events", given[i]);
        status = IB_BAD_INPUT;
    }
    free(given);
    return status;
}

ib_status ib_run_choose_trace(ib_run *run) { return read_topics(run, &run->traced); }

static void write_line(void *context, const ib_trace_line *l) {
    ib_run_trace *trace = context;
    char number[IB_NUMBER_SIZE];
    const char *fields[] = {ib_number_text(ib_time_seconds(l->time), number), l->vehicle, l->kind,
                            l->name, l->text};
    ib_str_clear(&trace->line);
    for (size_t i = 0; i < IB_COUNT(fields); i++) {
        if (i > 0)
            ib_str_add_char(&trace->line, ',');
        ib_csv_add_field(&trace->line, fields[i]);
    }
    ib_str_add(&trace->line, "\r\n");
    if (!trace->line.failed)
        fputs(trace->line.data, trace->file);
}

ib_status ib_run_open_trace(ib_run *run) {
    ib_str path = {0};
    if (!run->traced)
        return IB_OK;
    ib_run_trace *trace = calloc(1, sizeof *trace);
    ib_str_printf(&path, "%s/trace.csv", run->folder);
    if (trace && !path.failed)
        trace->file = fopen(path.data, "w");
    ib_status status = trace && !path.failed ? IB_OK : ib_diags_no_memory(run->diags);
    if (status == IB_OK &&
        (!trace->file || fputs("time,vehicle,kind,name,text\r\n", trace->file) < 0)) {
        ib_diags_add(run->diags, IB_ERROR, IB0102, IB_NO_PLACE, "cannot write '%s': %s", path.data,
                     strerror(errno));
        status = IB_IO_ERROR;
    }
    ib_str_free(&path);
    run->trace = trace;
    return status == IB_OK ? ib_world_trace(run->world, run->traced, write_line, trace, run->diags)
                           : status;
}

ib_status ib_run_close_trace(ib_run *run) {
    ib_run_trace *trace = run->trace;
    bool bad = false;
    run->trace = NULL;
    if (!trace)
        return IB_OK;
    if (trace->file) {
        bad = ferror(trace->file) != 0;
        bad = fclose(trace->file) != 0 || bad;
    }
    ib_str_free(&trace->line);
    free(trace);
    if (bad)
        ib_diags_add(run->diags, IB_ERROR, IB0102, IB_NO_PLACE, "cannot write '%s/trace.csv'",
                     run->folder);
    return bad ? IB_IO_ERROR : IB_OK;
}
