/* SPDX-License-Identifier: MIT */
/* The frame that a firmware's emulator and its host share: one block of memory, mapped by both.
 *
 * Exactly one side has the turn and may touch the frame; `turn` says which, and the side that gives
 * it away wakes the other through a futex on that word. The firmware side has the turn first: it
 * reads the board, makes its parts and hands over with IB_FRAME_READY at virtual time 0. Then,
 * again and again: host:     fills samples and the input rings, says until when to run, gives the
 * turn firmware: raises the tick interrupt, runs to exactly that time, latches its pulses and
 * notes, gives the turn back with the state IB_FRAME_TICKED, or one of the ends An exception to the
 * rule of turns is `seen`, which tells where a firmware is that does not come back; it is for
 * people alone.
 *
 * Plain data, every member naturally aligned: the layout is the same for any compiler of one
 * machine; `size` and `version` tell whether both sides mean the same.
 */
#ifndef IB_WIRE_FRAME_H
#define IB_WIRE_FRAME_H

#include <stdint.h>

#include "qemu/wire/sample.h"

#define IB_FRAME_MAGIC UINT32_C(0x69625146)

enum {
    IB_FRAME_VERSION = 1,
    IB_FRAME_BOARD_SIZE = 16384, /* bytes of the board's text */
    IB_FRAME_SAMPLES = 32,
    IB_FRAME_PULSES = 32,
    IB_FRAME_LINKS = 8,
    IB_FRAME_RING = 8192, /* bytes; a power of two */
    IB_FRAME_NOTES = 64
};

enum { IB_TURN_FIRMWARE, IB_TURN_HOST };

typedef enum ib_frame_state {
    IB_FRAME_STARTING,
    IB_FRAME_READY,   /* the board is made, virtual time is 0 */
    IB_FRAME_TICKED,  /* virtual time is `now`, which is `until` */
    IB_FRAME_REFUSED, /* the emulator or the board will not do; `text` says why */
    IB_FRAME_FAULTED  /* the processor is in its HardFault handler; `fault` says why */
} ib_frame_state;

/* WHERE: put the program counter into fault.pc and give the turn back. */
enum { IB_FRAME_GO, IB_FRAME_QUIT, IB_FRAME_WHERE };

typedef struct ib_frame_pulse {
    uint32_t running, padding;
    double width, period; /* us */
} ib_frame_pulse;

/* Bytes; head and tail count for ever. Lost: those for which there was no room. */
typedef struct ib_frame_ring {
    uint32_t head, tail, lost, padding;
    uint8_t bytes[IB_FRAME_RING];
} ib_frame_ring;

typedef enum ib_frame_note_kind {
    IB_FRAME_UNMODELLED,
    IB_FRAME_MISUSE,
    IB_FRAME_EVENT
} ib_frame_note_kind;

typedef struct ib_frame_note {
    int64_t time;  /* virtual, ns */
    uint32_t kind; /* ib_frame_note_kind */
    char part[32];
    char text[212];
} ib_frame_note;

typedef struct ib_frame_fault {
    uint32_t pc, lr;     /* stacked by the exception: where it happened */
    uint32_t stacked;    /* whether pc and lr could be read off the stack */
    uint32_t cfsr, hfsr; /* of the system control block */
    uint32_t mmfar, bfar;
    uint32_t padding;
} ib_frame_fault;

/* The last access to a peripheral of the board's. */
typedef struct ib_frame_access {
    int64_t time;
    uint32_t address, value;
    uint32_t write, count; /* count: of all accesses so far, modulo 2^32 */
    char part[32];
} ib_frame_access;

typedef struct ib_frame {
    uint32_t magic, version, size;
    uint32_t turn;  /* the futex */
    uint32_t state; /* ib_frame_state, by the firmware side */
    uint32_t order; /* IB_FRAME_GO or _QUIT, by the host */
    uint32_t host;  /* process number of the host */
    uint32_t n_links;
    uint64_t sequence; /* hand-overs to the host so far */
    int64_t now;       /* virtual time, ns */
    int64_t until;     /* by the host */
    uint32_t resets;   /* of the processor after the first */
    uint32_t n_notes, notes_lost;
    uint32_t n_pulses;
    ib_frame_access seen;
    ib_frame_fault fault;
    char emulator[64]; /* "7.2.22 (Debian ...)" */
    char text[512];    /* of IB_FRAME_REFUSED */
    char board[IB_FRAME_BOARD_SIZE];
    ib_sample samples[IB_FRAME_SAMPLES];
    ib_frame_pulse pulses[IB_FRAME_PULSES];
    ib_frame_note notes[IB_FRAME_NOTES];
    ib_frame_ring to_firmware[IB_FRAME_LINKS], from_firmware[IB_FRAME_LINKS];
} ib_frame;

/* The board's text: one line an item, words separated by one space, numbers as C writes them.
 * Parts are made in the order of the lines and named before they are used.
 *     part NAME TYPE BASE           a peripheral, or with BASE 0 a chip or link
 *     option PART NAME VALUE
 *     irq PART K NUMBER             the part's request line K is input NUMBER of the NVIC
 *     attach CHIP BUS
 *     connect FROM OUTPUT TO INPUT
 *     sample PART SLOT NUMBER       the part's sample SLOT is samples[NUMBER]
 *     mount PART r11 r12 ... r33    chip axes = rows * body axes
 *     pulse PART CHANNEL            the next of pulses[]
 *     link PART                     the next of the rings
 *     analog PART CHANNEL VOLTS
 *     rest                          what no part covers of 0x40000000 to 0x5fffffff is nobody's
 *     tick NUMBER                   input of the NVIC that is raised at each hand-over
 */

#endif
