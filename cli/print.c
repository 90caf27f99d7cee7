/* Talking to people: diagnostics on standard error, colour where it is wanted, durations. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ib_exit_code(ib_status status) {
    switch (status) {
    case IB_OK:
        return IB_EXIT_DONE;
    case IB_FAILED:
        return IB_EXIT_FAILED;
    case IB_BAD_INPUT:
    case IB_IO_ERROR:
    case IB_UNSUPPORTED:
        return IB_EXIT_USAGE;
    case IB_SIMULATION_FAILED:
        return IB_EXIT_SIMULATION;
    case IB_INTERRUPTED:
        return IB_EXIT_INTERRUPTED;
    case IB_NO_MEMORY:
    case IB_INTERNAL:
        break;
    }
    return IB_EXIT_INTERNAL;
}

bool ib_wants_colour(FILE *stream) {
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(no_colour && *no_colour) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
           isatty(fileno(stream));
}

bool ib_wants_unicode(void) {
    /* The first that is set and not empty counts (POSIX.1-2008, 8.2). */
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < IB_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") ||
                   strstr(value, "utf-8");
    }
    return false;
}

static void print_diag(const ib_diag *diag, bool colour) {
    const size_t size = ib_diag_format(diag, colour, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) {
        ib_diag_format(diag, colour, text, size);
        fprintf(stderr, "%s%s", text, text[0] && text[strlen(text) - 1] == '\n' ? "" : "\n");
    } else {
        fprintf(stderr, "ironbird: %s [%s]\n", diag->message, diag->id);
    }
    free(text);
}

void ib_print_diags(const ib_diags *diags, size_t *printed, bool quiet) {
    const bool colour = ib_wants_colour(stderr);
    fflush(stdout);
    for (; *printed < ib_diags_count(diags); ++*printed)
        if (!quiet || ib_diags_at(diags, *printed)->severity != IB_NOTE)
            print_diag(ib_diags_at(diags, *printed), colour);
}

int ib_print_end(const ib_diags *diags, size_t *printed, bool quiet, ib_status status) {
    ib_print_diags(diags, printed, quiet);
    if (status != IB_OK && status != IB_FAILED && !ib_diags_errors(diags))
        fprintf(stderr, "ironbird: error: %s\n", ib_status_text(status));
    return ib_exit_code(status);
}

ib_diags *ib_new_diags(void) {
    ib_diags *diags = ib_diags_create();
    if (!diags) {
        fputs("ironbird: out of memory\n", stderr);
        exit(IB_EXIT_INTERNAL);
    }
    return diags;
}

void ib_usage_error(ib_diags *diags, ib_command_id command, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ib_diags_add(diags, IB_ERROR, IB0901, IB_NO_PLACE, "%s", message);
    if (command < IB_COMMAND_COUNT)
        ib_diags_note(diags, IB_NO_PLACE, "`ironbird %s --help` shows how to use it",
                      ib_command_at(command)->name);
}

const char *ib_duration_text(double seconds, char text[32]) {
    if (!(seconds < 1e9))
        snprintf(text, 32, "for ever");
    else if (seconds < 0.0995)
        snprintf(text, 32, "%.3g ms", 1000 * seconds);
    else if (seconds < 60)
        snprintf(text, 32, "%.3g s", seconds);
    else if (seconds < 3600)
        snprintf(text, 32, "%d min %d s", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, 32, "%ld h %ld min", (long)seconds / 3600, (long)seconds / 60 % 60);
    return text;
}

static void add_json_text(ib_str *text, const char *name, const char *value) {
    ib_str_printf(text, "\"%s\": \"", name);
    ib_str_add_json(text, value ? value : "");
    ib_str_add_char(text, '"');
}

void ib_add_json_diags(ib_str *text, const ib_diags *diags) {
    static const char *const severities[] = {
        [IB_NOTE] = "note", [IB_WARNING] = "warning", [IB_ERROR] = "error"};
    ib_str_add_char(text, '[');
    for (size_t i = 0; i < ib_diags_count(diags); i++) {
        const ib_diag *diag = ib_diags_at(diags, i);
        ib_str_add(text, i ? ", {" : "{");
        add_json_text(text, "severity", severities[diag->severity]);
        ib_str_add(text, ", ");
        add_json_text(text, "id", diag->id);
        ib_str_add(text, ", ");
        add_json_text(text, "message", diag->message);
        if (diag->suggestion) {
            ib_str_add(text, ", ");
            add_json_text(text, "suggestion", diag->suggestion);
        }
        if (diag->place.file) {
            ib_str_add(text, ", ");
            add_json_text(text, "file", diag->place.file);
        }
        if (diag->place.line)
            ib_str_printf(text, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32, diag->place.line,
                          diag->place.column);
        ib_str_add_char(text, '}');
    }
    ib_str_add_char(text, ']');
}

void ib_print(const char *text) {
    fputs(text, stdout);
    fflush(stdout);
}
