/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A board at work: accesses, timers, DMA.
 *
 * Every entry from outside brings the board up to the host's time first, then does what was asked,
 * then serves DMA until nobody asks, then sets the alarm for the next timer. Inside, hub->now is
 * the time of what is being done.
 */
#include "qemu/parts/hub.h"

#define SERVED_AT_ONCE 65536

int64_t ib_part_now(const ib_part *part) { return part->hub->now; }

void ib_part_timer(ib_part *part, int timer, int64_t when) {
    part->hub->seats[part->index].due[timer] = when;
    part->hub->alarm_stale = true;
}

int64_t ib_part_timer_due(const ib_part *part, int timer) {
    return part->hub->seats[part->index].due[timer];
}

/* The timer that is due first: the earliest, of the first part, of the lowest number. */
static int64_t first_due(const ib_hub *hub, int *part, int *timer) {
    int64_t first = IB_NEVER;
    for (int i = 0; i < hub->n; i++) {
        const ib_seat *seat = &hub->seats[i];
        for (int k = 0; k < seat->part.type->n_timers; k++)
            if (seat->due[k] < first) {
                first = seat->due[k];
                *part = i;
                *timer = k;
            }
    }
    return first;
}

/* DMA controllers take turns, an item each, until no request is left that a stream serves. A stream
 * that serves a request without ending it (its address is not the register that would) moves at the
 * bus's speed on the board; here it goes on at the next entry. */
static void serve_dma(ib_hub *hub) {
    bool moved = hub->requests;
    hub->requests = false;
    for (int items = 0; moved && items < SERVED_AT_ONCE; items++) {
        moved = false;
        for (int i = 0; i < hub->n; i++) {
            ib_part *part = &hub->seats[i].part;
            if (part->type->serve && part->type->serve(part))
                moved = true;
        }
    }
    hub->requests = moved;
}

/* Does what is due up to a time, each at its own. */
static void catch_up(ib_hub *hub, int64_t until) {
    int part = 0, timer = 0;
    serve_dma(hub);
    while (hub->alarm_stale || hub->alarm <= until) {
        hub->alarm_stale = false;
        const int64_t due = first_due(hub, &part, &timer);
        hub->alarm = due;
        if (due > until)
            break;
        ib_seat *seat = &hub->seats[part];
        seat->due[timer] = IB_NEVER;
        hub->alarm_stale = true;
        if (due > hub->now)
            hub->now = due;
        seat->part.type->expire(&seat->part, timer);
        serve_dma(hub);
    }
    if (until > hub->now)
        hub->now = until;
}

static void enter(ib_hub *hub) { catch_up(hub, hub->host.now(hub->host.context)); }

static void leave(ib_hub *hub) {
    serve_dma(hub);
    if (hub->alarm_stale) {
        int part, timer;
        hub->alarm_stale = false;
        hub->alarm = first_due(hub, &part, &timer);
    }
    if (hub->alarm != hub->alarm_told) {
        hub->alarm_told = hub->alarm;
        hub->host.alarm(hub->host.context, hub->alarm);
    }
}

void ib_hub_expire(ib_hub *hub) {
    hub->alarm_told = IB_NEVER; /* it has rung */
    enter(hub);
    leave(hub);
}

int ib_hub_at(const ib_hub *hub, uint32_t address) {
    for (int i = 0; i < hub->n; i++) {
        const ib_part *part = &hub->seats[i].part;
        if (address - part->base < part->type->window)
            return i;
    }
    return -1;
}

static bool has_clock(ib_part *part, uint32_t offset) {
    if (part->unclocked)
        ib_part_misuse(part, offset, "accessed while the peripheral's clock is off in RCC");
    return !part->unclocked;
}

/* A register is a word: narrow accesses see their part of it. */
static uint32_t read_part(ib_part *part, uint32_t address, unsigned size) {
    const uint32_t offset = address - part->base, shift = 8 * (offset & (4 - size));
    const uint32_t word =
        has_clock(part, offset) ? part->type->read(part, offset & ~UINT32_C(3)) : 0;
    const uint32_t value = size == 4 ? word : word >> shift & ((UINT32_C(1) << 8 * size) - 1);
    ib_hub_trace(part, address, offset, size, value, false);
    return value;
}

static void write_part(ib_part *part, uint32_t address, unsigned size, uint32_t value) {
    const uint32_t offset = address - part->base, shift = 8 * (offset & (4 - size));
    const uint32_t lanes = size == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * size) - 1;
    uint32_t word = value, mask = UINT32_MAX;
    ib_hub_trace(part, address, offset, size, value & lanes, true);
    if (size < 4 && part->type->lanes) {
        word = (value & lanes) << shift;
        mask = lanes << shift;
    } else if (size < 4) {
        /* The bridge to APB repeats a byte or half-word over the word (RM0090 section 2.1). */
        word = value & lanes;
        for (unsigned n = size; n < 4; n *= 2)
            word |= word << 8 * n;
    }
    if (has_clock(part, offset))
        part->type->write(part, offset & ~UINT32_C(3), word, mask);
}

uint32_t ib_hub_read(ib_hub *hub, uint32_t address, unsigned size) {
    const int at = ib_hub_at(hub, address);
    if (at < 0)
        return 0;
    enter(hub);
    const uint32_t value = read_part(&hub->seats[at].part, address, size);
    leave(hub);
    return value;
}

void ib_hub_write(ib_hub *hub, uint32_t address, unsigned size, uint32_t value) {
    const int at = ib_hub_at(hub, address);
    if (at < 0)
        return;
    enter(hub);
    write_part(&hub->seats[at].part, address, size, value);
    leave(hub);
}

/* Power-on and reset values of the peripherals. Chips are not on the processor's reset line. */
void ib_hub_reset(ib_hub *hub) {
    enter(hub);
    for (int i = 0; i < hub->n; i++)
        if (hub->seats[i].part.type->window)
            ib_hub_reset_part(&hub->seats[i].part);
    hub->alarm_stale = true;
    leave(hub);
}

bool ib_hub_drive(ib_hub *hub, int part, const char *input, ib_level level) {
    const ib_part *p = ib_hub_part(hub, part);
    const int line = p ? ib_hub_line_named(p->type->inputs, input) : -1;
    if (line < 0)
        return false;
    enter(hub);
    ib_hub_set_input(hub, part, line, level);
    leave(hub);
    return true;
}

bool ib_hub_analog(ib_hub *hub, int part, int channel, double volts) {
    ib_part *p = ib_hub_part(hub, part);
    if (!p || !p->type->analog)
        return false;
    enter(hub);
    const bool known = p->type->analog(p, channel, volts);
    leave(hub);
    return known;
}

size_t ib_hub_link_input(ib_hub *hub, int part, const uint8_t *bytes, size_t n) {
    ib_part *p = ib_hub_part(hub, part);
    if (!p || !p->type->link)
        return 0;
    enter(hub);
    const size_t taken = p->type->link(p, bytes, n);
    leave(hub);
    return taken;
}

bool ib_hub_pulse(ib_hub *hub, int part, int channel, ib_pulse *pulse) {
    ib_part *p = ib_hub_part(hub, part);
    if (!p || !p->type->pulse)
        return false;
    enter(hub);
    const bool known = p->type->pulse(p, channel, pulse);
    leave(hub);
    return known;
}

/* A bus master inside the board: no catching up, that is where it is called from. */
bool ib_part_bus_read(ib_part *part, uint32_t address, unsigned size, uint32_t *value) {
    ib_hub *hub = part->hub;
    const int at = ib_hub_at(hub, address);
    *value = 0;
    if (at >= 0) {
        *value = read_part(&hub->seats[at].part, address, size);
        return true;
    }
    uint8_t bytes[4] = {0};
    if (!hub->host.memory_read(hub->host.context, address, bytes, size))
        return false;
    for (unsigned i = 0; i < size; i++)
        *value |= (uint32_t)bytes[i] << 8 * i;
    return true;
}

bool ib_part_bus_write(ib_part *part, uint32_t address, unsigned size, uint32_t value) {
    ib_hub *hub = part->hub;
    const int at = ib_hub_at(hub, address);
    if (at >= 0) {
        write_part(&hub->seats[at].part, address, size, value);
        return true;
    }
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    return hub->host.memory_write(hub->host.context, address, bytes, size);
}
