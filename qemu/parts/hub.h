/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the hub: what its files share. Parts see qemu/peripheral.h alone. */
#ifndef IB_QEMU_HUB_H
#define IB_QEMU_HUB_H

#include "qemu/peripheral.h"

enum { LINES_MOST = 160, WIRES_MOST = 512, REGISTERS_MOST = 256, IRQ_NUMBERS = 256 };

/* The hub's own part of a part. */
typedef struct ib_seat {
    ib_part part;
    int64_t due[IB_TIMERS_MOST];
    int irq[IB_IRQS_MOST]; /* -1: not connected */
    bool irq_level[IB_IRQS_MOST];
    uint8_t output[LINES_MOST];          /* ib_level of each output */
    uint8_t input[LINES_MOST];           /* and input */
    bool select_wired;                   /* a wire leads to its chip select */
    uint8_t noted[REGISTERS_MOST];       /* kinds of notes given, by register */
    uint32_t bits_noted[REGISTERS_MOST]; /* unmodelled bits that were told of */
} ib_seat;

typedef struct ib_wire {
    int16_t from, output, to, input;
} ib_wire;

struct ib_hub {
    ib_host host;
    ib_seat *seats;
    int n, most;
    ib_wire wires[WIRES_MOST];
    int n_wires;
    uint8_t irq_count[IRQ_NUMBERS]; /* request lines that hold each interrupt up */
    ib_clocks clocks;
    int64_t now;
    int64_t alarm;      /* when the next timer is due */
    int64_t alarm_told; /* as the host knows it */
    bool alarm_stale;   /* some timer changed */
    bool requests;      /* some DMA request or stream changed */
};

ib_seat *ib_hub_seat(ib_hub *hub, int part); /* NULL: no such part */
/* Sets an input and tells the part, when the level is another. */
void ib_hub_set_input(ib_hub *hub, int part, int line, ib_level level);
/* Reset values, timers and request lines of one part. */
void ib_hub_reset_part(ib_part *part);
int ib_hub_line_named(const char *const *names, const char *name); /* -1: none */
/* Tells the host of an access, where it wants to know. */
void ib_hub_trace(ib_part *part, uint32_t address, uint32_t offset, unsigned size, uint32_t value,
                  bool write);

#endif
