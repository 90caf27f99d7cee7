/* firmware: a firmware image that runs on an emulated board, in turns with the simulation. The one
 * header that siblings include.
 *
 * The emulator is the distribution's qemu-system-arm, a child process with the plugin of qemu/;
 * both share the frame of qemu/wire/frame.h. Virtual time is counted by instructions: the same
 * samples and bytes at the same times give the same pulses and bytes, whatever the machine does.
 *
 * Nothing here installs a signal handler, prints or ends the process.
 */
#ifndef IB_FIRMWARE_H
#define IB_FIRMWARE_H

#include "base/base.h"
#include "qemu/wire/frame.h"

/* ---- what runs ------------------------------------------------------------------------------ */

typedef enum ib_core {
    IB_CORTEX_M0,
    IB_CORTEX_M3,
    IB_CORTEX_M4,
    IB_CORTEX_M7,
    IB_CORTEX_M33
} ib_core;

/* A machine of QEMU's that a board may be laid over. */
typedef struct ib_machine_type {
    const char *name;
    ib_core core;
} ib_machine_type;

/* NULL past the end of the table. */
const ib_machine_type *ib_machine_at(size_t index);
const ib_machine_type *ib_machine_named(const char *name); /* NULL: not known */
const char *ib_core_name(ib_core core);                    /* "Cortex-M4" */

/* A board as the emulator wants it. */
typedef struct ib_board {
    const char *name;
    const ib_machine_type *machine;
    int shift;        /* an instruction lasts 2^shift ns */
    const char *text; /* parts, in the lines of qemu/wire/frame.h */
} ib_board;

typedef struct ib_firmware ib_firmware;

/* Everything may be zero. The strings are copied, or needed at opening alone. */
typedef struct ib_firmware_options {
    const char *vehicle;            /* for messages */
    ib_place place;                 /* in the mission, for messages at opening */
    const char *emulator;           /* NULL: qemu-system-arm on the PATH */
    const char *plugin;             /* NULL: beside the program, or in ../lib/ironbird from there */
    const char *trace;              /* file for all accesses to peripherals; NULL: none */
    double patience;                /* s of wall time that a tick may take; 0: 20 s */
    ib_time silence;                /* virtual time without an access to a peripheral; 0: 5 s */
    uint32_t resets_most;           /* how often it may be reset; 0: 3 */
    bool strict;                    /* what nobody modelled ends the run */
    bool (*stopped)(void *context); /* asked while waiting; true ends the wait */
    void *context;                  /* of stopped */
} ib_firmware_options;

/* ---- running -------------------------------------------------------------------------------- */

/* Checks the image, starts the emulator and waits until the board is made; virtual time is 0.
 * IB_BAD_INPUT with a diagnostic: the image is missing or for another processor, there is no
 * emulator or it does not do. *firmware is NULL unless IB_OK. */
ib_status ib_firmware_open(const ib_board *board, const char *image,
                           const ib_firmware_options *options, ib_diags *diags,
                           ib_firmware **firmware);

/* Where the next tick takes a device's values from, as the board numbers them. Written between
 * ticks. */
ib_sample *ib_firmware_sample(ib_firmware *firmware, int number);
/* Bytes for a link: how many were taken. They reach the UART at its own rate. */
size_t ib_firmware_send(ib_firmware *firmware, int link, const uint8_t *bytes, size_t n);

/* Raises the board's tick interrupt and lets the firmware run to exactly `until`, which must be
 * later than the last. IB_SIMULATION_FAILED with one diagnostic that says what happened and where
 * the firmware was: it faults, locks up, boots endlessly or falls silent; the emulator dies or does
 * not answer. From then on every tick fails at once. IB_INTERRUPTED when `stopped` said so. */
ib_status ib_firmware_tick(ib_firmware *firmware, ib_time until, ib_diags *diags);

/* As the options of opening: they may change between ticks. */
void ib_firmware_set_patience(ib_firmware *firmware, double patience);
void ib_firmware_set_stopped(ib_firmware *firmware, bool (*stopped)(void *context), void *context);

/* What the last tick has left. */
const ib_frame_pulse *ib_firmware_pulse(const ib_firmware *firmware, int number);
size_t ib_firmware_receive(ib_firmware *firmware, int link, uint8_t *bytes, size_t size);
size_t ib_firmware_notes(const ib_firmware *firmware, const ib_frame_note **notes);
uint32_t ib_firmware_resets(const ib_firmware *firmware);

const char *ib_firmware_emulator(const ib_firmware *firmware); /* "7.2.22 (Debian ...)" */
int ib_firmware_process(const ib_firmware *firmware);          /* its number; 0: it has ended */

/* Ends the emulator and waits for its end. NULL is allowed. */
void ib_firmware_close(ib_firmware *firmware);

#endif
