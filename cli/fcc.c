/* `ironbird fcc serve LIB --listen ADDRESS`: the other end of a channel. */
#include "fcc/fcc.h"
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct service {
    ib_server *server;
    const char *library;
    long beside; /* the process to end with, or 0 */
    bool quiet;
    uint64_t ticks; /* before the present run */
} service;

/* ---- when to stop -------------------------------------------------------------------------- */

static bool stopped(void *context) {
    const service *self = context;
    const bool alone = self->beside && kill((pid_t)self->beside, 0) != 0 && errno == ESRCH;
    return alone || ib_interrupt_seen();
}

/* ---- what it says -------------------------------------------------------------------------- */

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static void say_event(service *self, ib_server_event event) {
    const ib_server_counts counts = ib_server_count(self->server);
    const unsigned long long run = counts.runs, ticks = counts.ticks - self->ticks;
    if (event == IB_SERVER_BEGUN)
        self->ticks = counts.ticks;
    if (self->quiet)
        return;
    if (event == IB_SERVER_BEGUN)
        printf("run %llu has begun\n", run);
    else if (event == IB_SERVER_ENDED)
        printf("run %llu has ended after %llu tick%s\n", run, ticks, plural(ticks));
    fflush(stdout);
}

static void say_end(const service *self) {
    const ib_server_counts counts = ib_server_count(self->server);
    const ib_channel_counts *frames = &counts.frames;
    if (self->quiet)
        return;
    printf("served %llu run%s, %llu tick%s; of %llu frames received %llu were good, %llu "
           "duplicate, %llu late, %llu short, %llu corrupt, %llu foreign, %llu of no use\n",
           (unsigned long long)counts.runs, plural(counts.runs), (unsigned long long)counts.ticks,
           plural(counts.ticks), (unsigned long long)frames->received,
           (unsigned long long)frames->good, (unsigned long long)frames->duplicate,
           (unsigned long long)frames->late, (unsigned long long)frames->small,
           (unsigned long long)frames->corrupt, (unsigned long long)frames->foreign,
           (unsigned long long)frames->unexpected);
}

/* ---- serving ------------------------------------------------------------------------------- */

static ib_status serve_all(service *self, size_t *printed, ib_diags *diags) {
    ib_server_event event = IB_SERVER_BEGUN;
    ib_status status = IB_OK;
    while (status == IB_OK && event != IB_SERVER_STOPPED) {
        status = ib_server_run(self->server, diags, &event);
        ib_print_diags(diags, printed, self->quiet);
        if (status == IB_OK)
            say_event(self, event);
    }
    return status;
}

static ib_status read_config(const char *path, ib_diags *diags, char **text) {
    size_t length;
    *text = NULL;
    return path ? ib_file_read(path, (size_t)1 << 20, diags, IB_NO_PLACE, text, &length) : IB_OK;
}

/* The process of --with-process, 0 without; false after a diagnostic. */
static bool read_process(const ib_arguments *given, ib_diags *diags, long *process) {
    const char *text = ib_arguments_value(given, IB_OPTION_fcc_with_process);
    char *end = NULL;
    *process = text ? strtol(text, &end, 10) : 0;
    if (!text || (*process > 0 && *end == '\0' && *process < 0x7fffffff))
        return true;
    ib_usage_error(diags, IB_COMMAND_fcc, "--with-process takes the number of a process, not '%s'",
                   text);
    return false;
}

static ib_status serve(const ib_arguments *given, const char *address, size_t *printed,
                       ib_diags *diags) {
    service self = {.library = given->words[1],
                    .quiet = ib_arguments_has(given, IB_OPTION_fcc_quiet)};
    char *config = NULL;
    ib_status status = read_process(given, diags, &self.beside) ? IB_OK : IB_BAD_INPUT;
    if (status == IB_OK)
        status = read_config(ib_arguments_value(given, IB_OPTION_fcc_config), diags, &config);
    const ib_server_options options = {.config = config,
                                       .guard = ib_guard,
                                       .once = ib_arguments_has(given, IB_OPTION_fcc_once),
                                       .stopped = stopped,
                                       .context = &self};
    ib_interrupt_watch();
    if (status == IB_OK)
        status = ib_server_open(self.library, address, &options, diags, &self.server);
    if (status == IB_OK) {
        if (!self.quiet)
            printf("serving %s at %s; Ctrl-C ends it\n", self.library,
                   ib_server_address(self.server));
        fflush(stdout);
        status = serve_all(&self, printed, diags);
        say_end(&self);
    }
    ib_server_close(self.server);
    free(config);
    return status;
}

int ib_command_fcc(const ib_arguments *given) {
    const bool quiet = ib_arguments_has(given, IB_OPTION_fcc_quiet);
    const char *address = ib_arguments_value(given, IB_OPTION_fcc_listen);
    ib_diags *diags = ib_new_diags();
    size_t printed = 0;
    ib_status status = IB_BAD_INPUT;
    if (strcmp(given->words[0], "serve") != 0)
        ib_usage_error(diags, IB_COMMAND_fcc, "'fcc' takes serve first, not '%s'", given->words[0]);
    else if (!address)
        ib_usage_error(diags, IB_COMMAND_fcc,
                       "'fcc serve' needs --listen udp://HOST:PORT or --listen shm://NAME");
    else
        status = serve(given, address, &printed, diags);
    const int code = ib_print_end(diags, &printed, quiet, status);
    ib_diags_destroy(diags);
    return code;
}
