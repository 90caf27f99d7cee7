/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A serial link to the outside: what a UART sends goes to the host at once; what the host brings
 * waits here and goes in at the UART's own rate. */
#include "qemu/parts/hub.h"

enum { BUFFER = 8192 };

#define RETRY_NS INT64_C(1000000) /* how often a UART that is off is looked at again */

typedef struct serial_link {
    uint8_t bytes[BUFFER];
    uint32_t first, n;
} serial_link;

static void send_next(ib_part *part) {
    serial_link *s = part->state;
    const int64_t frame = part->bus ? part->bus->type->uart->frame(part->bus) : 0;
    if (s->n == 0)
        return;
    ib_part_timer(part, 0, ib_part_now(part) + (frame ? frame : RETRY_NS));
    if (!frame)
        return;
    ib_part_uart_send(part, s->bytes[s->first], 0);
    s->first = (s->first + 1) % BUFFER;
    s->n--;
}

static size_t take(ib_part *part, const uint8_t *bytes, size_t n) {
    serial_link *s = part->state;
    size_t taken = 0;
    while (taken < n && s->n < BUFFER)
        s->bytes[(s->first + s->n++) % BUFFER] = bytes[taken++];
    if (ib_part_timer_due(part, 0) == IB_NEVER)
        send_next(part);
    return taken;
}

static void receive(ib_part *part, uint8_t byte, int64_t bit_ns) {
    const ib_host *host = &part->hub->host;
    (void)bit_ns;
    if (host->link_byte)
        host->link_byte(host->context, part->index, byte);
}

static void expire(ib_part *part, int timer) {
    (void)timer;
    send_next(part);
}

static const ib_uart_end end = {receive, NULL};

const ib_part_type ib_type_link = {
    .name = "link",
    .text = "serial link to the outside",
    .state_size = sizeof(serial_link),
    .n_timers = 1,
    .expire = expire,
    .link = take,
    .uart = &end,
};
