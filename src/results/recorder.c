/* The recorder: rows pass through a ring to a thread that writes them as CSV.
 *
 * One producer (the simulation) and one consumer (the writer) share a ring of rows; `head` counts
 * rows pushed, `tail` rows taken, each written by one side only, so no lock is needed. The writer
 * looks every millisecond when there is nothing to do: pushing costs a copy and a store, no system
 * call. It formats into a block and writes that when it is full or when the ring runs dry for a
 * while, so that a reader following the file, or a crash, finds nearly everything.
 *
 * It does not know what a channel means, and does not keep what could not be written.
 */
#include "results_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES ((size_t)8 << 20)
#define LEAST_ROWS 16
#define MOST_ROWS ((size_t)1 << 16)
#define BLOCK_BYTES ((size_t)1 << 16)
#define MOST_LOOKS 200 /* at an empty ring, 1 ms apart, before a part of a block is written */

struct ib_recorder {
    size_t n_channels;
    ib_slot *slots; /* [n_channels], or NULL: all doubles */
    ib_time last_time;
    bool any_row;
    bool finished;

    /* The ring: times[n_ring], values[n_ring][n_channels]. */
    size_t n_ring;
    ib_time *times;
    double *values;
    _Atomic uint64_t head, tail;
    atomic_bool closing, broken;
    _Atomic uint64_t rows_safe;

    /* The writer's own. */
    pthread_t thread;
    bool thread_runs;
    int file;
    char *path;
    int error;          /* errno of the failed write, 0 when all is well */
    off_t safe_bytes;   /* of the file, up to the end of the last whole row */
    char *block;        /* formatted, not yet written: BLOCK_BYTES and one row more */
    size_t block_bytes; /* without what is for texts, */
    size_t text_room;   /* which is this much */
    bool any_text;
    size_t block_length;
    uint64_t block_rows; /* rows that end in it */
    ib_decimal decimal;
};

/* ---- the writer's side --------------------------------------------------------------------- */

/* Writes everything, whatever pieces the system takes; returns the bytes that went through. */
static size_t write_all(int file, const char *bytes, size_t n) {
    size_t done = 0;
    while (done < n) {
        const ssize_t written = write(file, bytes + done, n - done);
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            break;
    }
    return done;
}

/* Whole lines within the first n bytes: how many, and where the last one ends. */
static uint64_t count_lines(const char *text, size_t n, size_t *end) {
    uint64_t lines = 0;
    *end = 0;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n') {
            lines++;
            *end = i + 1;
        }
    return lines;
}

static void write_block(ib_recorder *recorder) {
    errno = 0;
    const size_t done = write_all(recorder->file, recorder->block, recorder->block_length);
    size_t whole = done;
    uint64_t rows = recorder->block_rows;
    if (done < recorder->block_length) {
        recorder->error = errno ? errno : EIO;
        rows = count_lines(recorder->block, done, &whole);
    }
    recorder->safe_bytes += (off_t)whole;
    atomic_fetch_add_explicit(&recorder->rows_safe, rows, memory_order_release);
    recorder->block_length = 0;
    recorder->block_rows = 0;
    if (!recorder->error)
        return;
    /* End the file with its last whole row; where that is not possible readers drop the rest. */
    const int truncated = ftruncate(recorder->file, recorder->safe_bytes);
    (void)truncated;
    atomic_store_explicit(&recorder->broken, true, memory_order_release);
}

static bool is_text(const ib_recorder *recorder, size_t channel) {
    return recorder->slots && recorder->slots[channel] == IB_SLOT_TEXT;
}

static const char *text_of(double slot) {
    const char *text;
    memcpy(&text, &slot, sizeof text);
    return text;
}

/* A text in quotes (RFC 4180). */
static size_t format_text(const char *from, char *text) {
    char *out = text;
    *out++ = '"';
    for (; *from; from++) {
        if (*from == '"')
            *out++ = '"';
        *out++ = *from;
    }
    *out++ = '"';
    return (size_t)(out - text);
}

/* Room in the block for texts that are longer than numbers. */
static bool make_room(ib_recorder *recorder, const double *values) {
    size_t more = 0;
    for (size_t i = 0; i < recorder->n_channels; i++)
        more += is_text(recorder, i) ? 2 * strlen(text_of(values[i])) + 2 : 0;
    if (more <= recorder->text_room)
        return true;
    char *larger = realloc(recorder->block, recorder->block_bytes + 2 * more);
    if (!larger)
        return false;
    recorder->block = larger;
    recorder->text_room = 2 * more;
    return true;
}

/* The bits of a slot as the number or text that they are. */
static size_t format_value(const ib_recorder *recorder, size_t channel, double value, char *text) {
    const ib_slot slot = recorder->slots ? recorder->slots[channel] : IB_SLOT_DOUBLE;
    int64_t whole;
    if (slot == IB_SLOT_TEXT)
        return format_text(text_of(value), text);
    if (slot == IB_SLOT_DOUBLE)
        return ib_decimal_write(&recorder->decimal, value, text);
    memcpy(&whole, &value, sizeof whole);
    return (size_t)(slot == IB_SLOT_INT
                        ? snprintf(text, IB_DECIMAL_SIZE, "%" PRId64, whole)
                        : snprintf(text, IB_DECIMAL_SIZE, "%" PRIu64, (uint64_t)whole));
}

static void format_row(ib_recorder *recorder, size_t slot) {
    const double *values = recorder->values + slot * recorder->n_channels;
    if (recorder->any_text && !make_room(recorder, values)) {
        recorder->error = ENOMEM;
        atomic_store_explicit(&recorder->broken, true, memory_order_release);
        return;
    }
    char *text = recorder->block + recorder->block_length;
    text += ib_decimal_write_time(recorder->times[slot], text);
    for (size_t i = 0; i < recorder->n_channels; i++) {
        *text++ = ',';
        text += format_value(recorder, i, values[i], text);
    }
    *text++ = '\r';
    *text++ = '\n';
    recorder->block_length = (size_t)(text - recorder->block);
    recorder->block_rows++;
}

static void rest(long nanoseconds) {
    const struct timespec time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

/* Takes the rows that are in the ring; false when there are none. */
static bool take_rows(ib_recorder *recorder) {
    const uint64_t head = atomic_load_explicit(&recorder->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&recorder->tail, memory_order_relaxed);
    if (tail == head)
        return false;
    while (tail != head && !recorder->error) {
        format_row(recorder, (size_t)(tail % recorder->n_ring));
        atomic_store_explicit(&recorder->tail, ++tail, memory_order_release);
        if (recorder->block_length >= BLOCK_BYTES)
            write_block(recorder);
    }
    return true;
}

static void *writer(void *context) {
    ib_recorder *recorder = context;
    int looks = 0;
    while (!recorder->error) {
        /* Read before looking: what was pushed before closing is then seen. */
        const bool closing = atomic_load_explicit(&recorder->closing, memory_order_acquire);
        if (take_rows(recorder))
            continue;
        if (recorder->block_length && (closing || ++looks >= MOST_LOOKS)) {
            write_block(recorder);
            looks = 0;
        } else if (closing) {
            break;
        } else {
            rest(1000000);
        }
    }
    return NULL;
}

/* ---- the simulation's side ----------------------------------------------------------------- */

static ib_status cannot_write(const char *path, int error, ib_diags *diags) {
    ib_diags_add(diags, IB_ERROR, IB0102, (ib_place){.file = ib_diags_file(diags, path)},
                 "cannot write the results: %s", strerror(error));
    return IB_IO_ERROR;
}

static ib_status allocate(ib_recorder *recorder, const char *path) {
    const size_t row_bytes = (recorder->n_channels + 1) * sizeof(double);
    size_t n_ring = RING_BYTES / row_bytes;
    n_ring = n_ring < LEAST_ROWS ? LEAST_ROWS : n_ring > MOST_ROWS ? MOST_ROWS : n_ring;
    recorder->n_ring = n_ring;
    recorder->times = calloc(n_ring, sizeof *recorder->times);
    recorder->values = calloc(n_ring, row_bytes);
    recorder->block_bytes = BLOCK_BYTES + (recorder->n_channels + 2) * (IB_DECIMAL_SIZE + 1);
    recorder->block = malloc(recorder->block_bytes);
    recorder->path = malloc(strlen(path) + 1);
    if (!recorder->times || !recorder->values || !recorder->block || !recorder->path)
        return IB_NO_MEMORY;
    memcpy(recorder->path, path, strlen(path) + 1);
    return IB_OK;
}

static ib_status open_file(ib_recorder *recorder, const ib_str *header, ib_diags *diags) {
    recorder->file = open(recorder->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (recorder->file < 0)
        return cannot_write(recorder->path, errno, diags);
    errno = 0;
    if (write_all(recorder->file, header->data, header->length) < header->length)
        return cannot_write(recorder->path, errno ? errno : EIO, diags);
    recorder->safe_bytes = (off_t)header->length;
    return IB_OK;
}

static ib_status write_header(ib_recorder *recorder, const ib_channel_info *channels,
                              ib_diags *diags) {
    ib_str header = {0};
    ib_str_add(&header, "time");
    for (size_t i = 0; i < recorder->n_channels; i++) {
        ib_str_add_char(&header, ',');
        ib_csv_add_field(&header, channels[i].name);
    }
    ib_str_add(&header, "\r\n");
    const ib_status status =
        header.failed ? ib_diags_no_memory(diags) : open_file(recorder, &header, diags);
    ib_str_free(&header);
    return status;
}

/* The writer must not take the program's signals. */
static ib_status start_thread(ib_recorder *recorder, ib_diags *diags) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&recorder->thread, NULL, writer, recorder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    recorder->thread_runs = error == 0;
    return error ? cannot_write(recorder->path, error, diags) : IB_OK;
}

ib_status ib_recorder_create(const char *path, const ib_channel_info *channels, size_t n_channels,
                             ib_diags *diags, ib_recorder **result) {
    *result = NULL;
    ib_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return ib_diags_no_memory(diags);
    recorder->n_channels = n_channels;
    recorder->file = -1;
    ib_decimal_prepare(&recorder->decimal);
    ib_status status = allocate(recorder, path);
    if (status != IB_OK)
        ib_diags_no_memory(diags);
    else
        status = write_header(recorder, channels, diags);
    if (status == IB_OK)
        status = start_thread(recorder, diags);
    if (status == IB_OK)
        *result = recorder;
    else
        ib_recorder_destroy(recorder);
    return status;
}

ib_status ib_recorder_set_slots(ib_recorder *recorder, const ib_slot *slots) {
    const size_t bytes = recorder->n_channels * sizeof *slots;
    recorder->slots = malloc(bytes + 1);
    if (!recorder->slots)
        return IB_NO_MEMORY;
    memcpy(recorder->slots, slots, bytes);
    for (size_t i = 0; i < recorder->n_channels; i++)
        recorder->any_text |= slots[i] == IB_SLOT_TEXT;
    return IB_OK;
}

ib_status ib_recorder_push(ib_recorder *recorder, ib_time time, const double *values) {
    if (recorder->any_row && time < recorder->last_time)
        return IB_BAD_INPUT;
    const uint64_t head = atomic_load_explicit(&recorder->head, memory_order_relaxed);
    while (head - atomic_load_explicit(&recorder->tail, memory_order_acquire) == recorder->n_ring) {
        if (atomic_load_explicit(&recorder->broken, memory_order_acquire))
            return IB_IO_ERROR;
        rest(200000);
    }
    if (atomic_load_explicit(&recorder->broken, memory_order_acquire))
        return IB_IO_ERROR;
    const size_t slot = (size_t)(head % recorder->n_ring);
    recorder->times[slot] = time;
    if (recorder->n_channels)
        memcpy(recorder->values + slot * recorder->n_channels, values,
               recorder->n_channels * sizeof *values);
    atomic_store_explicit(&recorder->head, head + 1, memory_order_release);
    recorder->last_time = time;
    recorder->any_row = true;
    return IB_OK;
}

/* Joins the writer and closes the file; what went wrong is in recorder->error. */
static void stop(ib_recorder *recorder) {
    if (recorder->thread_runs) {
        atomic_store_explicit(&recorder->closing, true, memory_order_release);
        pthread_join(recorder->thread, NULL);
        recorder->thread_runs = false;
    }
    if (recorder->file >= 0 && close(recorder->file) != 0 && !recorder->error)
        recorder->error = errno;
    recorder->file = -1;
    recorder->finished = true;
}

ib_status ib_recorder_finish(ib_recorder *recorder, ib_diags *diags) {
    if (!recorder->finished)
        stop(recorder);
    if (!recorder->error)
        return IB_OK;
    const unsigned long long rows = ib_recorder_rows(recorder);
    ib_diags_add(diags, IB_ERROR, IB0801, (ib_place){.file = ib_diags_file(diags, recorder->path)},
                 "writing the results failed: %s; the first %llu row%s safe",
                 strerror(recorder->error), rows, rows == 1 ? " is" : "s are");
    return IB_IO_ERROR;
}

uint64_t ib_recorder_rows(const ib_recorder *recorder) {
    return atomic_load_explicit(&recorder->rows_safe, memory_order_acquire);
}

void ib_recorder_destroy(ib_recorder *recorder) {
    if (!recorder)
        return;
    if (!recorder->finished)
        stop(recorder);
    free(recorder->times);
    free(recorder->values);
    free(recorder->slots);
    free(recorder->path);
    free(recorder->block);
    free(recorder);
}
