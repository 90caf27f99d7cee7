/* What the tests of channels share: a server in a thread, and flights to compare. */
#ifndef IB_TEST_CHANNEL_H
#define IB_TEST_CHANNEL_H

#include "fcc/fcc_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A server of a library in a thread of its own. */
typedef struct serving {
    ib_server *server;
    pthread_t thread;
    atomic_bool stop;
    ib_diags *diags;
    unsigned failures;
} serving;

static bool station_stopped(void *context) { return atomic_load(&((serving *)context)->stop); }

static void *station_main(void *context) {
    serving *self = context;
    ib_server_event event = IB_SERVER_BEGUN;
    while (ib_server_run(self->server, self->diags, &event) == IB_OK && event != IB_SERVER_STOPPED)
        self->failures += event == IB_SERVER_FAILED;
    return NULL;
}

/* Listens; returns the address. */
static const char *station_open(serving *self, const char *library, const char *address) {
    const ib_server_options options = {
        .guard = ib_guard, .stopped = station_stopped, .context = self};
    *self = (serving){.diags = ib_diags_create()};
    const ib_status status = ib_server_open(library, address, &options, self->diags, &self->server);
    if (status != IB_OK)
        fail_msg("%s", message_of(self->diags));
    assert_int_equal(pthread_create(&self->thread, NULL, station_main, self), 0);
    return ib_server_address(self->server);
}

/* Stops answering. The server can still be asked for its counts. */
static void station_stop(serving *self) {
    atomic_store(&self->stop, true);
    pthread_join(self->thread, NULL);
}

static void station_close(serving *self) {
    ib_server_close(self->server);
    ib_diags_destroy(self->diags);
}

/* Opens a channel as a mission would; fails the test when it cannot be. */
static inline ib_computer *call(const char *address, const char *config, double timeout) {
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    const ib_computer_options options = {.vehicle = "stack", .config = config, .timeout = timeout};
    if (ib_computer_open_channel(address, &options, diags, &computer) != IB_OK)
        fail_msg("%s", message_of(diags));
    ib_diags_destroy(diags);
    return computer;
}

/* Ticks first to last; fails the test when one of them does not come. */
static inline void fly(ib_computer *computer, int64_t first, int64_t last, ib_fcc_out *outs) {
    ib_diags *diags = ib_diags_create();
    for (int64_t tick = first; tick <= last; tick++) {
        const ib_fcc_in in = make_in(tick);
        if (ib_computer_tick(computer, &in, outs++, diags) != IB_OK)
            fail_msg("%s", message_of(diags));
    }
    ib_diags_destroy(diags);
}

/* What the good library answers in this process. */
static inline void fly_native(const char *config, int64_t n, ib_fcc_out *outs) {
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    const ib_computer_options options = {.config = config};
    assert_int_equal(ib_computer_open_native(LIBRARY("good"), &options, diags, &computer), IB_OK);
    fly(computer, 1, n, outs);
    ib_computer_close(computer);
    ib_diags_destroy(diags);
}

/* A name for shared memory that other runs of the tests do not use. */
static inline const char *shm_name(const char *what, char text[64]) {
    snprintf(text, 64, "shm://ironbird-test-%ld-%s", (long)getpid(), what);
    return text;
}

/* A good channel loses no frame without saying where it went. */
static inline void assert_accounted(ib_channel_counts counts) {
    assert_int_equal(counts.received, counts.good + counts.small + counts.corrupt + counts.foreign +
                                          counts.duplicate + counts.late + counts.unexpected);
}

#endif
