/* A firmware's life: opened, ticked, closed. */
#include "firmware/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 20.0
#define SILENCE (5 * IB_SECOND)
#define RESETS_MOST 3
#define GRACE 1.0 /* s of wall time that an emulator has for its end */

/* ---- machines ------------------------------------------------------------------------------- */

static const ib_machine_type machines[] = {
    {"netduinoplus2", IB_CORTEX_M4},    {"netduino2", IB_CORTEX_M3},
    {"stm32vldiscovery", IB_CORTEX_M3}, {"mps2-an385", IB_CORTEX_M3},
    {"mps2-an386", IB_CORTEX_M4},       {"mps2-an500", IB_CORTEX_M7},
    {"mps2-an505", IB_CORTEX_M33},      {"microbit", IB_CORTEX_M0}};

const ib_machine_type *ib_machine_at(size_t index) {
    return index < IB_COUNT(machines) ? &machines[index] : NULL;
}

const ib_machine_type *ib_machine_named(const char *name) {
    for (size_t i = 0; i < IB_COUNT(machines); i++)
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    return NULL;
}

/* ---- waiting -------------------------------------------------------------------------------- */

typedef enum outcome { HAVE_TURN, DEAD, LATE, STOPPED } outcome;

static outcome wait_for_turn(ib_firmware *firmware) {
    const double begun = ib_turn_seconds();
    while (!ib_turn_wait(firmware->frame)) {
        if (!ib_child_lives(&firmware->child))
            return DEAD;
        if (firmware->stopped && firmware->stopped(firmware->context))
            return STOPPED;
        if (ib_turn_seconds() - begun > firmware->patience)
            return LATE;
    }
    return HAVE_TURN;
}

static ib_status fail(ib_firmware *firmware, ib_status status) {
    firmware->failed = true;
    ib_child_finish(&firmware->child, 0);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Beside the program, or where `make install` puts it; an empty text: nowhere. */
static void find_plugin(ib_str *path) {
    static const char *const places[] = {"", "../lib/ironbird/", "lib/ironbird/"};
    char program[2048];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        slash[1] = '\0';
    for (size_t i = 0; slash && i < IB_COUNT(places); i++) {
        ib_str_clear(path);
        ib_str_printf(path, "%s%sironbird-qemu.so", program, places[i]);
        if (!path->failed && ib_file_exists(path->data))
            return;
    }
    ib_str_clear(path);
}

/* A comma ends an option's value; two are one of the value's own. */
static void add_escaped(ib_str *text, const char *value) {
    for (; *value; value++) {
        if (*value == ',')
            ib_str_add_char(text, ',');
        ib_str_add_char(text, *value);
    }
}

static ib_status refuse(const ib_firmware_options *options, ib_diag_id id, ib_diags *diags,
                        const char *text, const char *what) {
    ib_diags_add(diags, IB_ERROR, id, options->place, "%s%s", text, what);
    return IB_BAD_INPUT;
}

/* Writes the command line and starts it. */
static ib_status start(ib_firmware *firmware, const ib_board *board, const char *plugin,
                       const ib_firmware_options *options, int shared, ib_diags *diags) {
    const char *emulator = options->emulator ? options->emulator : "qemu-system-arm";
    ib_str loaded = {0}, count = {0};
    ib_str_printf(&count, "shift=%d,sleep=off", board->shift);
    add_escaped(&loaded, plugin);
    ib_str_add(&loaded, ",frame=3");
    if (options->trace) {
        ib_str_add(&loaded, ",trace=");
        add_escaped(&loaded, options->trace);
    }
    char *const arguments[] = {(char *)emulator,
                               "-nodefaults",
                               "-no-user-config",
                               "-display",
                               "none",
                               "-monitor",
                               "none",
                               "-serial",
                               "none",
                               "-machine",
                               (char *)board->machine->name,
                               "-icount",
                               count.data,
                               "-plugin",
                               loaded.data,
                               "-kernel",
                               firmware->name,
                               NULL};
    ib_status status = IB_OK;
    if (loaded.failed || count.failed) {
        status = ib_diags_no_memory(diags);
    } else if (!ib_program_found(emulator)) {
        status = refuse(options, IB1302, diags, "firmware needs the program ", emulator);
        ib_diags_suggest(diags, "install it: apt-get install qemu-system-arm");
    } else if (!ib_child_start(&firmware->child, arguments, shared)) {
        status = refuse(options, IB1302, diags, "cannot start ", emulator);
    }
    ib_str_free(&loaded);
    ib_str_free(&count);
    return status;
}

/* Waits until the board is made. */
static ib_status greet(ib_firmware *firmware, const ib_firmware_options *options, ib_diags *diags) {
    char said[2048];
    const outcome got = wait_for_turn(firmware);
    ib_child_said(&firmware->child, said, sizeof said);
    said[strcspn(said, "\n")] = '\0';
    if (got == STOPPED)
        return IB_INTERRUPTED;
    if (got == LATE)
        return refuse(options, IB1305, diags, "the emulator gives no answer at its start", "");
    if (got == DEAD)
        return refuse(options, IB1302, diags,
                      "the emulator does not start: ", *said ? said : "it ended without a word");
    if (firmware->frame->state == IB_FRAME_READY)
        return IB_OK;
    firmware->frame->text[sizeof firmware->frame->text - 1] = '\0';
    return refuse(options, IB1302, diags, firmware->frame->text, "");
}

static char *copy(const char *text) {
    char *new = text ? malloc(strlen(text) + 1) : NULL;
    return new ? memcpy(new, text, strlen(text) + 1) : NULL;
}

static ib_firmware *create(const char *image, const ib_firmware_options *options) {
    ib_firmware *firmware = calloc(1, sizeof *firmware);
    if (!firmware)
        return NULL;
    firmware->child.log = -1;
    firmware->name = copy(image);
    firmware->vehicle = copy(options->vehicle);
    firmware->patience = options->patience > 0 ? options->patience : PATIENCE;
    firmware->silence = options->silence > 0 ? options->silence : SILENCE;
    firmware->resets_most = options->resets_most ? options->resets_most : RESETS_MOST;
    firmware->strict = options->strict;
    firmware->stopped = options->stopped;
    firmware->context = options->context;
    if (firmware->name && (firmware->vehicle || !options->vehicle))
        return firmware;
    ib_firmware_close(firmware);
    return NULL;
}

static ib_status launch(ib_firmware *firmware, const ib_board *board,
                        const ib_firmware_options *options, ib_diags *diags) {
    int shared = -1;
    ib_str plugin = {0};
    if (options->plugin)
        ib_str_add(&plugin, options->plugin);
    else
        find_plugin(&plugin);
    if (plugin.length == 0 || !ib_file_exists(plugin.data)) {
        ib_str_free(&plugin);
        return refuse(options, IB1302, diags, "firmware needs ironbird-qemu.so",
                      ", which is not there");
    }
    firmware->frame = ib_frame_make(&shared);
    ib_status status = IB_NO_MEMORY;
    if (firmware->frame && strlen(board->text) < sizeof firmware->frame->board) {
        memcpy(firmware->frame->board, board->text, strlen(board->text) + 1);
        status = start(firmware, board, plugin.data, options, shared, diags);
    } else {
        ib_diags_no_memory(diags);
    }
    if (shared >= 0)
        close(shared);
    ib_str_free(&plugin);
    return status == IB_OK ? greet(firmware, options, diags) : status;
}

ib_status ib_firmware_open(const ib_board *board, const char *image,
                           const ib_firmware_options *options, ib_diags *diags,
                           ib_firmware **firmware) {
    ib_firmware *opened = create(image, options);
    *firmware = NULL;
    if (!opened)
        return ib_diags_no_memory(diags);
    ib_status status =
        ib_image_open(image, board->machine->core, options->place, diags, &opened->image);
    if (status == IB_OK)
        status = launch(opened, board, options, diags);
    if (status == IB_OK)
        *firmware = opened;
    else
        ib_firmware_close(opened);
    return status;
}

/* ---- ticking -------------------------------------------------------------------------------- */

/* What the firmware does to itself, though the emulator is well. */
static ib_status judge(ib_firmware *firmware, ib_diags *diags) {
    ib_frame *frame = firmware->frame;
    if (frame->state == IB_FRAME_FAULTED)
        return ib_report_fault(firmware, diags);
    if (frame->resets > firmware->resets_most)
        return ib_report_boots(firmware, diags);
    if (frame->now - frame->seen.time > firmware->silence) {
        frame->order = IB_FRAME_WHERE;
        ib_turn_give(frame);
        wait_for_turn(firmware);
        return ib_report_silence(firmware, diags);
    }
    for (uint32_t i = 0; firmware->strict && i < frame->n_notes; i++)
        if (frame->notes[i].kind == IB_FRAME_UNMODELLED)
            return ib_report_strict(firmware, &frame->notes[i], diags);
    return IB_OK;
}

ib_status ib_firmware_tick(ib_firmware *firmware, ib_time until, ib_diags *diags) {
    if (firmware->failed)
        return IB_SIMULATION_FAILED;
    firmware->frame->until = until;
    firmware->frame->order = IB_FRAME_GO;
    ib_turn_give(firmware->frame);
    ib_status status = IB_OK;
    switch (wait_for_turn(firmware)) {
    case HAVE_TURN:
        status = judge(firmware, diags);
        break;
    case DEAD:
        status = ib_report_death(firmware, diags);
        break;
    case LATE:
        status = ib_report_late(firmware, diags);
        break;
    case STOPPED:
        status = IB_INTERRUPTED;
        break;
    }
    return status == IB_OK ? IB_OK : fail(firmware, status);
}

void ib_firmware_set_patience(ib_firmware *firmware, double patience) {
    firmware->patience = patience;
}

void ib_firmware_set_stopped(ib_firmware *firmware, bool (*stopped)(void *context), void *context) {
    firmware->stopped = stopped;
    firmware->context = context;
}

/* ---- what goes in and comes out ------------------------------------------------------------- */

ib_sample *ib_firmware_sample(ib_firmware *firmware, int number) {
    return &firmware->frame->samples[number];
}

const ib_frame_pulse *ib_firmware_pulse(const ib_firmware *firmware, int number) {
    return &firmware->frame->pulses[number];
}

size_t ib_firmware_send(ib_firmware *firmware, int link, const uint8_t *bytes, size_t n) {
    ib_frame_ring *ring = &firmware->frame->to_firmware[link];
    size_t taken = 0;
    while (taken < n && ring->head - ring->tail < IB_FRAME_RING)
        ring->bytes[ring->head++ % IB_FRAME_RING] = bytes[taken++];
    return taken;
}

size_t ib_firmware_receive(ib_firmware *firmware, int link, uint8_t *bytes, size_t size) {
    ib_frame_ring *ring = &firmware->frame->from_firmware[link];
    size_t n = 0;
    while (n < size && ring->tail != ring->head)
        bytes[n++] = ring->bytes[ring->tail++ % IB_FRAME_RING];
    return n;
}

size_t ib_firmware_notes(const ib_firmware *firmware, const ib_frame_note **notes) {
    *notes = firmware->frame->notes;
    return firmware->frame->n_notes;
}

uint32_t ib_firmware_resets(const ib_firmware *firmware) { return firmware->frame->resets; }

const char *ib_firmware_emulator(const ib_firmware *firmware) { return firmware->frame->emulator; }

int ib_firmware_process(const ib_firmware *firmware) { return (int)firmware->child.process; }

/* ---- closing -------------------------------------------------------------------------------- */

void ib_firmware_close(ib_firmware *firmware) {
    if (!firmware)
        return;
    const bool ours = firmware->frame && ib_turn_wait(firmware->frame);
    if (ours && firmware->child.process) {
        firmware->frame->order = IB_FRAME_QUIT;
        ib_turn_give(firmware->frame);
    }
    ib_child_finish(&firmware->child, ours ? GRACE : 0);
    ib_frame_drop(firmware->frame);
    ib_image_close(&firmware->image);
    free(firmware->name);
    free(firmware->vehicle);
    free(firmware);
}
