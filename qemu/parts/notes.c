/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What parts say: registers nobody modelled, misuse, events, traces; and small arithmetic of chips.
 */
#include <stdio.h>

#include "qemu/parts/hub.h"

enum { NOTED_REGISTER = 1, NOTED_MISUSE = 2, NOTED_LACK = 4 };

const char *ib_part_register_name(const ib_part *part, uint32_t offset) {
    const ib_register *registers = part->type->registers;
    for (int i = 0; registers && registers[i].name; i++)
        if (registers[i].offset == (offset & ~UINT32_C(3)))
            return registers[i].name;
    return "?";
}

static void tell(ib_part *part, ib_note kind, const char *text) {
    const ib_host *host = &part->hub->host;
    if (host->note)
        host->note(host->context, kind, part->name, text);
}

/* True the first time. */
static bool first(ib_part *part, uint32_t offset, uint8_t kind) {
    uint8_t *noted = &part->hub->seats[part->index].noted[offset / 4 % REGISTERS_MOST];
    const bool is_first = !(*noted & kind);
    *noted |= kind;
    return is_first;
}

uint32_t ib_part_unmodelled(ib_part *part, uint32_t offset) {
    char text[120];
    if (first(part, offset, NOTED_REGISTER)) {
        snprintf(text, sizeof text, "register %s (0x%02x) is not modelled: it reads as zero",
                 ib_part_register_name(part, offset), (unsigned)offset);
        tell(part, IB_NOTE_UNMODELLED, text);
    }
    return 0;
}

void ib_part_unmodelled_bits(ib_part *part, uint32_t offset, uint32_t bits) {
    uint32_t *noted = &part->hub->seats[part->index].bits_noted[offset / 4 % REGISTERS_MOST];
    char text[120];
    if (!(bits & ~*noted))
        return;
    *noted |= bits;
    snprintf(text, sizeof text,
             "bits 0x%x of register %s (0x%02x) are not modelled: they do nothing", (unsigned)bits,
             ib_part_register_name(part, offset), (unsigned)offset);
    tell(part, IB_NOTE_UNMODELLED, text);
}

void ib_part_lacks(ib_part *part, uint32_t offset, const char *what) {
    char line[160];
    if (!first(part, offset, NOTED_LACK))
        return;
    snprintf(line, sizeof line, "%s: %s is not modelled", ib_part_register_name(part, offset),
             what);
    tell(part, IB_NOTE_UNMODELLED, line);
}

void ib_part_misuse(ib_part *part, uint32_t offset, const char *text) {
    char line[160];
    if (!first(part, offset, NOTED_MISUSE))
        return;
    snprintf(line, sizeof line, "%s: %s", ib_part_register_name(part, offset), text);
    tell(part, IB_NOTE_MISUSE, line);
}

void ib_part_event(ib_part *part, const char *text) { tell(part, IB_NOTE_EVENT, text); }

void ib_part_system_reset(ib_part *part) {
    const ib_host *host = &part->hub->host;
    host->system_reset(host->context, part->name);
}

void ib_hub_trace(ib_part *part, uint32_t address, uint32_t offset, unsigned size, uint32_t value,
                  bool write) {
    const ib_host *host = &part->hub->host;
    if (!host->trace)
        return;
    const ib_access access = {.time = part->hub->now,
                              .part = part->name,
                              .reg = ib_part_register_name(part, offset),
                              .address = address,
                              .value = value,
                              .size = size,
                              .write = write};
    host->trace(host->context, &access);
}

void ib_part_axes(const ib_part *part, const double body[3], double chip[3]) {
    for (int i = 0; i < 3; i++) {
        const double *row = &part->chip_from_body[3 * i];
        chip[i] = row[0] * body[0] + row[1] * body[1] + row[2] * body[2];
    }
}

int32_t ib_part_counts(double value, double unit, int32_t lowest, int32_t highest) {
    const double counts = value / unit;
    if (!(counts > lowest)) /* NaN, too */
        return lowest;
    if (counts >= highest)
        return highest;
    return counts < 0 ? -(int32_t)(0.5 - counts) : (int32_t)(0.5 + counts);
}

int64_t ib_cycles_ns(uint64_t n, uint32_t hz) {
    if (hz == 0)
        return IB_NEVER;
    const uint64_t whole = n / hz, rest = n % hz;
    return (int64_t)(whole * UINT64_C(1000000000) + (rest * UINT64_C(1000000000) + hz / 2) / hz);
}
