/* An FMU in a process of its own: the whole simulation runs in a child made by fork, so its bits
 * are those of a run in this process. Rows come back through a ring in shared memory, diagnostics
 * through a pipe, and what the child is about to call stands in shared memory, so that its end can
 * be told from outside: a crash, an abort, exit(), a stack that overflows, a call that does not
 * return.
 *
 * The child leads a process group of its own, which is ended as a whole; a pipe whose other end
 * this process holds makes the kernel kill the group when this process is no more, however it
 * ended.
 */
#define _GNU_SOURCE /* F_SETSIG, MAP_ANONYMOUS;                                                    \
                       NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#include "fmi/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES ((size_t)4 << 20)
#define LEAST_ROWS 64
#define PATROL 20e-3 /* s, between two looks at the child */
#define GRACE 1.0    /* s, for the call under way when the run is interrupted */

typedef struct shared {
    ib_fmi_activity activity;
    _Atomic uint64_t written, taken; /* rows, counted from the start */
    _Atomic bool stop;               /* the child is asked to end */
    _Atomic bool finished;           /* it did, with what follows */
    ib_status status;
    ib_fmu_statistics statistics;
    double time;
} shared;

typedef struct host {
    ib_fmu_run *run;
    shared *shared;
    size_t bytes;  /* of the shared memory */
    uint8_t *rows; /* behind it: [capacity] of a time and the values */
    size_t row, capacity;
    int from_child, to_parent; /* ends of the pipe of diagnostics */
    int hold, alive;           /* ends of the pipe that tells whether this process is there */

    /* The child's. */
    ib_diags *diags;
    size_t sent; /* diagnostics */

    /* This process's. */
    pid_t child;
    ib_str received;
    uint64_t count; /* of calls, when last looked at */
    double since;   /* when it last changed */
    double stopped; /* when the child was asked to end; 0: it was not */
    bool hung, gone;
    int end; /* status of the child */
} host;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- diagnostics through the pipe ---------------------------------------------------------- */

/* What comes before the texts of a diagnostic: message, suggestion, file. A record without a
 * message only wakes the reader. */
typedef struct record {
    uint32_t lengths[3];
    int32_t severity, id;
    uint32_t line, column, length;
} record;

static bool write_whole(int to, const void *bytes, size_t n) {
    const char *next = bytes;
    while (n) {
        const ssize_t written = write(to, next, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        next += written;
        n -= (size_t)written;
    }
    return true;
}

static int32_t id_of(const char *name) {
    for (int i = 0; i < IB_DIAG_COUNT; i++)
        if (strcmp(ib_diag_name((ib_diag_id)i), name) == 0)
            return i;
    return IB1041;
}

static void send_diag(const host *h, const ib_diag *diag) {
    const char *texts[3] = {diag->message, diag->suggestion, diag->place.file};
    record r = {.severity = (int32_t)diag->severity,
                .id = id_of(diag->id),
                .line = diag->place.line,
                .column = diag->place.column,
                .length = diag->place.length};
    for (int i = 0; i < 3; i++)
        r.lengths[i] = texts[i] ? (uint32_t)strlen(texts[i]) : 0;
    write_whole(h->to_parent, &r, sizeof r);
    for (int i = 0; i < 3; i++)
        write_whole(h->to_parent, texts[i], r.lengths[i]);
}

static void send_diags(void *context) {
    host *h = context;
    for (; h->sent < ib_diags_count(h->diags); h->sent++)
        send_diag(h, ib_diags_at(h->diags, h->sent));
}

static void wake_parent(const host *h) {
    const record r = {.lengths = {0, 0, 0}};
    write_whole(h->to_parent, &r, sizeof r);
}

/* Adds the diagnostics that arrived whole. */
static void take_diags(host *h) {
    size_t at = 0;
    while (h->received.length - at >= sizeof(record)) {
        record r;
        memcpy(&r, h->received.data + at, sizeof r);
        const size_t size = sizeof r + r.lengths[0] + r.lengths[1] + r.lengths[2];
        if (h->received.length - at < size)
            break;
        const char *message = h->received.data + at + sizeof r;
        const char *suggestion = message + r.lengths[0], *file = suggestion + r.lengths[1];
        ib_str name = {0};
        ib_str_add_n(&name, file, r.lengths[2]);
        ib_diags *diags = h->run->diags;
        const ib_place place = {
            r.lengths[2] && diags && !name.failed ? ib_diags_file(diags, name.data) : NULL, r.line,
            r.column, r.length};
        if (r.lengths[0])
            ib_diags_add(diags, (ib_severity)r.severity, (ib_diag_id)r.id, place, "%.*s",
                         (int)r.lengths[0], message);
        if (r.lengths[0] && r.lengths[1])
            ib_diags_suggest(diags, "%.*s", (int)r.lengths[1], suggestion);
        ib_str_free(&name);
        at += size;
    }
    if (at)
        memmove(h->received.data, h->received.data + at, h->received.length - at);
    h->received.length -= at;
}

/* Reads what there is, without waiting. */
static void receive(host *h) {
    char chunk[8192];
    ssize_t n;
    while ((n = read(h->from_child, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            ib_str_add_n(&h->received, chunk, (size_t)n);
    if (!h->received.failed)
        take_diags(h);
}

/* ---- the child ----------------------------------------------------------------------------- */

static uint8_t *slot(const host *h, uint64_t i) { return h->rows + i % h->capacity * h->row; }

static ib_status push(void *context, ib_time time, const double *row) {
    host *h = context;
    shared *s = h->shared;
    const uint64_t written = atomic_load_explicit(&s->written, memory_order_relaxed);
    const struct timespec moment = {0, 100000};
    while (written - atomic_load_explicit(&s->taken, memory_order_acquire) >= h->capacity)
        nanosleep(&moment, NULL);
    uint8_t *to = slot(h, written);
    memcpy(to, &time, sizeof time);
    memcpy(to + sizeof time, row, h->row - sizeof time);
    s->statistics = h->run->statistics;
    s->time = h->run->time;
    atomic_store_explicit(&s->written, written + 1, memory_order_release);
    if ((written + 1) % (h->capacity / 2) == 0)
        wake_parent(h);
    if (h->sent < ib_diags_count(h->diags))
        send_diags(h);
    return IB_OK;
}

static bool stop(void *context, ib_time time) {
    (void)time;
    return atomic_load_explicit(&((host *)context)->shared->stop, memory_order_relaxed);
}

/* The kernel kills the group of this process when nobody holds the other end of the pipe any more.
 */
static bool live_with_parent(const host *h) {
    char byte;
    return fcntl(h->alive, F_SETOWN, -getpid()) == 0 && fcntl(h->alive, F_SETSIG, SIGKILL) == 0 &&
           fcntl(h->alive, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 && read(h->alive, &byte, 1) < 0;
}

static void reset_signals(void) {
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                  SIGALRM, SIGUSR1, SIGUSR2, SIGCHLD};
    sigset_t none;
    for (size_t i = 0; i < IB_COUNT(signals); i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void be_child(host *h, ib_fmi_settings *settings) {
    ib_fmu_run *run = h->run;
    setpgid(0, 0);
    close(h->from_child);
    close(h->hold);
    reset_signals();
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    h->diags = ib_diags_create();
    if (!h->diags || !live_with_parent(h))
        _exit(1);
    run->diags = h->diags;
    run->sink = (ib_fmu_sink){h, push, stop};
    settings->activity = &h->shared->activity;
    settings->told = send_diags;
    settings->context = h;
    const ib_status status = ib_fmi_simulate_here(run, settings);
    send_diags(h);
    h->shared->status = status;
    h->shared->statistics = run->statistics;
    h->shared->time = run->time;
    atomic_store_explicit(&h->shared->finished, true, memory_order_release);
    wake_parent(h);
    _exit(0);
}

/* ---- watching the child -------------------------------------------------------------------- */

/* Hands the rows that are there to who wants them. */
static ib_status take_rows(host *h) {
    shared *s = h->shared;
    const ib_fmu_sink *sink = &h->run->sink;
    uint64_t taken = atomic_load_explicit(&s->taken, memory_order_relaxed);
    const uint64_t written = atomic_load_explicit(&s->written, memory_order_acquire);
    ib_status status = IB_OK;
    if (taken < written)
        h->since = now();
    for (; taken < written && status == IB_OK; taken++) {
        ib_time time;
        const uint8_t *row = slot(h, taken);
        memcpy(&time, row, sizeof time);
        status = sink->push(sink->context, time, (const double *)(const void *)(row + sizeof time));
        atomic_store_explicit(&s->taken, taken + 1, memory_order_release);
    }
    return status;
}

/* Notes that the child has ended. */
static void look_for_end(host *h) {
    const pid_t ended = waitpid(h->child, &h->end, WNOHANG);
    h->gone = ended == h->child || (ended < 0 && errno != EINTR);
    if (ended < 0)
        h->end = 0;
}

/* Whether the child has to be ended: it hangs, or does not heed the wish to end. */
static bool is_stuck(host *h) {
    const double timeout = h->run->options.step_timeout, time = now();
    const uint64_t count = h->shared->activity.count;
    if (count != h->count) {
        h->count = count;
        h->since = time;
    }
    h->hung = timeout == timeout && time - h->since > timeout;
    return h->hung || (h->stopped > 0 && time - h->stopped > GRACE && time - h->since > GRACE);
}

static void ask_to_stop(host *h) {
    ib_time time;
    const ib_fmu_sink *sink = &h->run->sink;
    if (h->stopped > 0 || !sink->stop || !ib_time_from_seconds(h->shared->activity.time, &time) ||
        !sink->stop(sink->context, time))
        return;
    h->stopped = now();
    atomic_store(&h->shared->stop, true);
}

/* Until the child has finished, ended or been found stuck. */
static ib_status attend(host *h) {
    struct pollfd pipe_end = {.fd = h->from_child, .events = POLLIN};
    ib_status status = IB_OK;
    h->since = now();
    while (status == IB_OK) {
        const double timeout = h->run->options.step_timeout;
        const double patrol = timeout < PATROL ? timeout : PATROL;
        poll(&pipe_end, 1, patrol > 1e-3 ? (int)(1e3 * patrol) : 1);
        look_for_end(h);
        receive(h);
        const bool finished = atomic_load_explicit(&h->shared->finished, memory_order_acquire);
        status = take_rows(h);
        if (finished || h->gone)
            break;
        ask_to_stop(h);
        if (is_stuck(h))
            break;
    }
    return status;
}

/* Ends the child and all that it started, and takes what it left. */
static ib_status end_child(host *h, ib_status status) {
    kill(-h->child, SIGKILL);
    kill(h->child, SIGKILL);
    while (!h->gone && waitpid(h->child, &h->end, 0) < 0)
        if (errno != EINTR)
            break;
    receive(h);
    return status == IB_OK ? take_rows(h) : status;
}

/* ---- what became of it --------------------------------------------------------------------- */

static const char *signal_text(int number) {
    switch (number) {
    case SIGSEGV:
        return "segmentation fault, as a stack that overflows ends too";
    case SIGABRT:
        return "abort";
    case SIGFPE:
        return "arithmetic error";
    case SIGILL:
        return "illegal instruction";
    case SIGBUS:
        return "bus error";
    case SIGKILL:
        return "killed";
    case SIGSYS:
        return "bad system call";
    default:
        return "a signal";
    }
}

/* Says how the process of an FMU ended: by a signal, or (0) by exit() with a code. */
static void report_end(const ib_fmu_run *run, const ib_fmi_activity *a, int signal_number, int code,
                       ib_diags *diags) {
    const char *call = a->call ? a->call : "its beginning", *name = run->description->name;
    char number[IB_NUMBER_SIZE];
    ib_number_text(a->call ? a->time : run->options.start, number);
    if (signal_number)
        ib_diags_add(diags, IB_ERROR, IB1060, IB_NO_PLACE,
                     "%s: %s crashed at t = %s s (signal %d: %s)", name, call, number,
                     signal_number, signal_text(signal_number));
    else if (code >= 0)
        ib_diags_add(diags, IB_ERROR, IB1060, IB_NO_PLACE,
                     "%s: %s ended its process at t = %s s (exit code %d)", name, call, number,
                     code);
    else
        ib_diags_add(diags, IB_ERROR, IB1060, IB_NO_PLACE,
                     "%s: %s ended the program at t = %s s (it called exit)", name, call, number);
}

static ib_status tell_end(const host *h) {
    const bool by_signal = WIFSIGNALED(h->end);
    report_end(h->run, &h->shared->activity, by_signal ? WTERMSIG(h->end) : 0,
               by_signal ? 0 : WEXITSTATUS(h->end), h->run->diags);
    return IB_SIMULATION_FAILED;
}

void ib_fmu_run_crashed(ib_fmu_run *run, int signal_number, ib_diags *diags) {
    report_end(run, &run->activity, signal_number, -1, diags);
    ib_diags_suggest(diags, "isolated (--isolate), it can do no harm to this program");
    if (run->activity.call)
        run->time = run->activity.time;
    run->statistics.time = run->time;
}

static ib_status tell_stuck(const host *h) {
    const ib_fmu_run *run = h->run;
    const ib_fmi_activity *a = &h->shared->activity;
    const char *call = a->call ? a->call : "its beginning";
    char at[IB_NUMBER_SIZE], limit[IB_NUMBER_SIZE];
    ib_number_text(a->time, at);
    if (h->hung)
        ib_diags_add(run->diags, IB_ERROR, IB1061, IB_NO_PLACE,
                     "%s: %s did not return within %s s at t = %s s", run->description->name, call,
                     ib_number_text(run->options.step_timeout, limit), at);
    else
        ib_diags_add(run->diags, IB_NOTE, IB1061, IB_NO_PLACE,
                     "%s: %s at t = %s s did not heed the interruption and was ended",
                     run->description->name, call, at);
    return h->hung ? IB_SIMULATION_FAILED : IB_INTERRUPTED;
}

static ib_status judge(host *h, ib_status status) {
    ib_fmu_run *run = h->run;
    const bool finished = atomic_load(&h->shared->finished);
    run->statistics = h->shared->statistics;
    run->time = finished ? h->shared->time : h->shared->activity.time;
    if (!finished)
        run->statistics.time = run->time;
    if (status != IB_OK)
        return status;
    if (finished)
        return h->shared->status;
    return h->gone ? tell_end(h) : tell_stuck(h);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static ib_status fail(const host *h, const char *what) {
    ib_diags_add(h->run->diags, IB_ERROR, IB0103, IB_NO_PLACE, "%s cannot be isolated: %s: %s",
                 h->run->description->name, what, strerror(errno));
    return IB_NO_MEMORY;
}

static bool make_pipe(int *reading, int *writing) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *reading = ends[0];
    *writing = ends[1];
    return true;
}

static ib_status open_host(host *h) {
    const size_t head = (sizeof(shared) + 63) / 64 * 64;
    h->from_child = h->to_parent = h->hold = h->alive = -1;
    h->row = sizeof(ib_time) + h->run->n_recorded * sizeof(double);
    h->capacity = RING_BYTES / h->row > LEAST_ROWS ? RING_BYTES / h->row : LEAST_ROWS;
    h->bytes = head + h->capacity * h->row;
    void *memory = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail(h, "no shared memory");
    h->shared = memory;
    h->rows = (uint8_t *)memory + head;
    if (!make_pipe(&h->from_child, &h->to_parent) || !make_pipe(&h->alive, &h->hold) ||
        fcntl(h->from_child, F_SETFL, O_NONBLOCK) != 0)
        return fail(h, "no pipe");
    return IB_OK;
}

static void close_end(int end) {
    if (end >= 0)
        close(end);
}

static void close_host(host *h) {
    close_end(h->from_child);
    close_end(h->to_parent);
    close_end(h->hold);
    close_end(h->alive);
    if (h->shared)
        munmap(h->shared, h->bytes);
    ib_str_free(&h->received);
}

ib_status ib_fmi_simulate_isolated(ib_fmu_run *run, ib_fmi_settings *settings) {
    host h = {.run = run};
    ib_status status = open_host(&h);
    /* What is still to be written would be written by an FMU that calls exit(), too. */
    fflush(NULL);
    if (status == IB_OK && (h.child = fork()) < 0)
        status = fail(&h, "no process");
    if (status == IB_OK) {
        if (h.child == 0)
            be_child(&h, settings);
        setpgid(h.child, h.child);
        close(h.to_parent);
        close(h.alive);
        h.to_parent = h.alive = -1;
        status = attend(&h);
        status = judge(&h, end_child(&h, status));
    }
    close_host(&h);
    return status;
}
