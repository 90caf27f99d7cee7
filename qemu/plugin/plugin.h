/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the plugin share. */
#ifndef IB_QEMU_PLUGIN_H
#define IB_QEMU_PLUGIN_H

#include "qemu/peripheral.h"
#include "qemu/plugin/emulator.h"
#include "qemu/wire/frame.h"

enum { IB_PLUGIN_PARTS = 64, IB_PLUGIN_LINES = 512 };

/* One window of registers in the address space. */
typedef struct ib_window {
    struct ib_plugin *plugin;
    uint32_t base;
    qemu_region region;
} ib_window;

/* One emulated board. QEMU loads a plugin once a process, so there is one of these. */
typedef struct ib_plugin {
    uint64_t id; /* QEMU's for the plugin */
    ib_frame *frame;
    FILE *trace; /* NULL: nobody wants it */
    ib_emulator emulator;
    ib_hub *hub;
    qemu_object *processor;
    int n_lines;
    qemu_line *lines[IB_PLUGIN_LINES]; /* inputs of the NVIC, by number; NULL: not asked for yet */
    qemu_timer timer;
    int64_t alarm_due, tick_due, armed; /* armed: what the timer is set for */
    bool busy; /* with a timer's work: it is set for the next when all is done */
    qemu_notifier made;
    ib_window windows[IB_PLUGIN_PARTS], rest;
    uint8_t *told; /* blocks of nobody's address space that a note was made of, a bit each */
    bool has_rest, started, resetting;
    int tick_line; /* -1: none */
    int n_pulses, pulse_part[IB_FRAME_PULSES], pulse_channel[IB_FRAME_PULSES];
    int n_links, link_part[IB_FRAME_LINKS];
} ib_plugin;

/* ---- board.c ---- */

/* Makes the parts of the frame's text. False: `why` tells the first line that cannot be. */
bool ib_plugin_build(ib_plugin *plugin, const ib_host *host, char *why, size_t size);

/* ---- machine.c ---- */

/* Puts the hub into the machine: windows, lines, timers. */
/* Sets QEMU's timer for what is due next, unless there is work being done that will do so. */
void ib_plugin_arm(ib_plugin *plugin);
/* Resets the machine, now or between two instructions. */
void ib_plugin_reset(ib_plugin *plugin);
bool ib_plugin_wire(ib_plugin *plugin, char *why, size_t size);
void ib_plugin_note(ib_plugin *plugin, int64_t time, ib_frame_note_kind kind, const char *part,
                    const char *text);

/* ---- fault.c ---- */

/* Watches for the processor's entry into HardFault. */
void ib_plugin_watch_faults(ib_plugin *plugin);
/* While the processor stands. */
uint32_t ib_plugin_program_counter(const ib_plugin *plugin);

/* ---- turn.c ---- */

/* Maps the frame that the host has left open as file `number`. */
ib_frame *ib_turn_open(int number);
/* Ends this process, without ceremony, when the host is gone. */
void ib_turn_watch_host(const ib_frame *frame);
/* Gives the turn to the host and waits to have it back. Does not return when the host says quit. */
void ib_turn_give(ib_frame *frame, ib_frame_state state);

#endif
