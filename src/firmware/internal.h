/* What the files of firmware share and siblings do not see. */
#ifndef IB_FIRMWARE_PRIVATE_H
#define IB_FIRMWARE_PRIVATE_H

#include "firmware/firmware.h"

#include <sys/types.h>

/* ---- image.c: an ELF file ---- */

typedef struct ib_image {
    char *bytes;
    size_t size;
} ib_image;

/* Reads it and checks that it is a program for the core. IB_BAD_INPUT with a diagnostic. */
ib_status ib_image_open(const char *path, ib_core core, ib_place place, ib_diags *diags,
                        ib_image *image);
/* The function around an address: its name and *offset in it; NULL: the image names none. */
const char *ib_image_symbol(const ib_image *image, uint32_t address, uint32_t *offset);
void ib_image_close(ib_image *image);

/* ---- child.c: the emulator's process ---- */

typedef struct ib_emulator_child {
    pid_t process; /* 0: not started, or ended */
    int log;       /* what it prints, an open file; -1: none */
    int code;      /* of its end; -1: none */
    int signal;    /* that ended it; 0: none */
} ib_emulator_child;

/* Starts it with the shared file as its number 3. False: it cannot be. */
bool ib_child_start(ib_emulator_child *child, char *const *arguments, int shared);
/* Whether it still runs; else how it ended is kept. */
bool ib_child_lives(ib_emulator_child *child);
/* What it has printed, at most size-1 bytes of it. */
void ib_child_said(const ib_emulator_child *child, char *text, size_t size);
/* Waits `grace` s for its end, then kills it and waits. */
void ib_child_finish(ib_emulator_child *child, double grace);

/* ---- report.c: sentences about ends ---- */

struct ib_firmware {
    ib_frame *frame;
    ib_emulator_child child;
    ib_image image;
    char *vehicle, *name; /* name: the image's path */
    double patience;
    ib_time silence;
    uint32_t resets_most;
    bool strict, failed;
    bool (*stopped)(void *context);
    void *context;
};

/* Each adds one diagnostic and returns IB_SIMULATION_FAILED. */
ib_status ib_report_fault(const ib_firmware *firmware, ib_diags *diags);
ib_status ib_report_death(const ib_firmware *firmware, ib_diags *diags);
ib_status ib_report_late(const ib_firmware *firmware, ib_diags *diags);
ib_status ib_report_boots(const ib_firmware *firmware, ib_diags *diags);
ib_status ib_report_silence(const ib_firmware *firmware, ib_diags *diags);
ib_status ib_report_strict(const ib_firmware *firmware, const ib_frame_note *note, ib_diags *diags);

/* ---- turn.c: the host's side of the frame ---- */

/* A new frame with an open file that the emulator inherits. NULL: out of memory. */
ib_frame *ib_frame_make(int *file);
void ib_frame_drop(ib_frame *frame);
/* Gives the turn to the emulator. */
void ib_turn_give(ib_frame *frame);
/* Waits a short while for the turn. Whether we have it. */
bool ib_turn_wait(ib_frame *frame);
double ib_turn_seconds(void); /* monotonic wall time */

#endif
