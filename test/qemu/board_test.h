/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of parts share: a host of their own, and a processor that does nothing but access
 * registers. Every access costs it virtual time, so that loops that wait for a flag end.
 */
#ifndef IB_TEST_BOARD_H
#define IB_TEST_BOARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/peripheral.h"

#define ACCESS_NS 100
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define RAM_BASE UINT32_C(0x20000000)

#define RCC UINT32_C(0x40023800)
#define PWR UINT32_C(0x40007000)
#define FLASH UINT32_C(0x40023c00)
#define GPIOA UINT32_C(0x40020000)
#define GPIOB UINT32_C(0x40020400)
#define SYSCFG UINT32_C(0x40013800)
#define EXTI UINT32_C(0x40013c00)
#define SPI1 UINT32_C(0x40013000)

typedef struct board board;
typedef void (*handler)(board *b);

struct board {
    ib_hub *hub;
    int64_t now, alarm;
    bool irq[256];
    int raised[256];     /* times that each line rose */
    handler vector[256]; /* what an interrupt calls */
    uint8_t ram[65536];
    char notes[8192];
    int n_notes, n_strict, n_resets;
    uint8_t link[8192]; /* bytes that came out of links */
    size_t n_link;
    bool in_handler;
    void *own; /* of the test */
};

static int64_t host_now(void *context) { return ((board *)context)->now; }

static void host_alarm(void *context, int64_t when) {
    board *b = context;
    b->alarm = when;
}

static void host_interrupt(void *context, int irq, bool level) {
    board *b = context;
    assert_true(b->irq[irq] != level); /* changes only */
    b->irq[irq] = level;
    b->raised[irq] += level;
}

static bool host_read(void *context, uint32_t address, void *to, uint32_t size) {
    board *b = context;
    if (address < RAM_BASE || address - RAM_BASE > sizeof b->ram - size)
        return false;
    memcpy(to, b->ram + (address - RAM_BASE), size);
    return true;
}

static bool host_write(void *context, uint32_t address, const void *from, uint32_t size) {
    board *b = context;
    if (address < RAM_BASE || address - RAM_BASE > sizeof b->ram - size)
        return false;
    memcpy(b->ram + (address - RAM_BASE), from, size);
    return true;
}

static void host_reset(void *context, const char *part) {
    (void)part;
    ((board *)context)->n_resets++;
}

static void host_note(void *context, ib_note kind, const char *part, const char *text) {
    board *b = context;
    const size_t used = strlen(b->notes);
    b->n_notes++;
    b->n_strict += kind == IB_NOTE_UNMODELLED;
    snprintf(b->notes + used, sizeof b->notes - used, "%s: %s\n", part, text);
}

static void host_link(void *context, int link, uint8_t byte) {
    board *b = context;
    (void)link;
    if (b->n_link < sizeof b->link)
        b->link[b->n_link++] = byte;
}

static inline board *make_board(void) {
    board *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->alarm = IB_NEVER;
    const ib_host host = {.context = b,
                          .now = host_now,
                          .alarm = host_alarm,
                          .interrupt = host_interrupt,
                          .memory_read = host_read,
                          .memory_write = host_write,
                          .system_reset = host_reset,
                          .note = host_note,
                          .link_byte = host_link};
    b->hub = ib_hub_create(&host, 32);
    assert_non_null(b->hub);
    return b;
}

static inline void free_board(board *b) {
    ib_hub_destroy(b->hub);
    free(b);
}

static inline int add(board *b, const char *type, const char *name, uint32_t base) {
    const int part = ib_hub_add(b->hub, type, name, base);
    assert_true(part >= 0);
    return part;
}

/* Interrupts are served between accesses, the lowest number first, never nested. */
static inline void serve(board *b) {
    for (int irq = 0, n = 0; irq < 256 && !b->in_handler; irq++)
        if (b->irq[irq] && b->vector[irq]) {
            b->in_handler = true;
            b->vector[irq](b);
            b->in_handler = false;
            if (++n > 100000)
                fail_msg("interrupt %d never ends", irq);
            irq = -1;
        }
}

/* Lets virtual time pass; alarms ring at their times. */
static inline void pass(board *b, int64_t ns) {
    const int64_t until = b->now + ns;
    while (b->alarm <= until) {
        if (b->alarm > b->now)
            b->now = b->alarm;
        b->alarm = IB_NEVER;
        ib_hub_expire(b->hub);
        serve(b);
    }
    if (until > b->now)
        b->now = until;
    serve(b);
}

static inline uint32_t rd_size(board *b, uint32_t address, unsigned size) {
    pass(b, ACCESS_NS);
    const uint32_t value = ib_hub_read(b->hub, address, size);
    serve(b);
    return value;
}

static inline void wr_size(board *b, uint32_t address, unsigned size, uint32_t value) {
    pass(b, ACCESS_NS);
    ib_hub_write(b->hub, address, size, value);
    serve(b);
}

static inline uint32_t rd(board *b, uint32_t address) { return rd_size(b, address, 4); }
static inline void wr(board *b, uint32_t address, uint32_t v) { wr_size(b, address, 4, v); }
static inline uint8_t rd8(board *b, uint32_t a) { return (uint8_t)rd_size(b, a, 1); }
static inline void wr8(board *b, uint32_t a, uint8_t v) { wr_size(b, a, 1, v); }

static inline void set_bits(board *b, uint32_t address, uint32_t bits) {
    wr(b, address, rd(b, address) | bits);
}

static inline void clear_bits(board *b, uint32_t address, uint32_t bits) {
    wr(b, address, rd(b, address) & ~bits);
}

/* Polls until the bits are as wanted; how long that took, ns. Fails after the limit. */
static inline int64_t wait_for(board *b, uint32_t address, uint32_t bits, uint32_t want,
                               int64_t limit) {
    const int64_t start = b->now;
    while ((rd(b, address) & bits) != want)
        if (b->now - start > limit)
            fail_msg("0x%08x: bits 0x%x do not become 0x%x within %lld ns", (unsigned)address,
                     (unsigned)bits, (unsigned)want, (long long)limit);
    return b->now - start;
}

/* Fails with both values; NaN fails. */
#define ASSERT_NEAR(a, b, tolerance)                                                               \
    do {                                                                                           \
        const double a_ = (a), b_ = (b);                                                           \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%.17g is not %.17g: off by %.3g, more than %.3g", a_, b_, fabs(a_ - b_),     \
                     (double)(tolerance));                                                         \
    } while (0)

#define ASSERT_BITS(b, address, bits, want)                                                        \
    assert_int_equal(rd((b), (address)) & (uint32_t)(bits), (uint32_t)(want))

#endif
