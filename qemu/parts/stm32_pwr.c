/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 power control (ST RM0090, chapter 5: registers 5.4 and 5.5).
 *
 * The flags that start-up code waits for: regulator ready, over-drive ready, backup regulator
 * ready. Supply is always good. Not here: stop and standby modes, which are kept as written; the
 * programmable voltage detector never sees a low voltage.
 */
#include "qemu/peripheral.h"

enum { CR = 0x00, CSR = 0x04 };
enum { ODEN = 1u << 16, ODSWEN = 1u << 17, BRE = 1u << 9, BRR = 1u << 3, VOSRDY = 1u << 14 };
enum { VOS = 3u << 14, CWUF = 1u << 2, CSBF = 1u << 3, EWUP = 1u << 8 };
enum { TIMER_VOS, TIMER_BACKUP, N_TIMERS };

#define SETTLING_NS INT64_C(40000) /* the regulator's, and the over-drive's */

typedef struct pwr {
    uint32_t cr, csr;
} pwr;

static const ib_register registers[] = {{CR, "CR"}, {CSR, "CSR"}, {0, NULL}};

static uint32_t read(ib_part *part, uint32_t offset) {
    const pwr *s = part->state;
    switch (offset) {
    case CR:
        return s->cr;
    case CSR:
        return s->csr;
    default:
        return ib_part_unmodelled(part, offset);
    }
}

/* Over-drive and its switch are ready as soon as they are on: the ready bits lie where the enables
 * do, one register on (5.5.2). */
static void write_cr(ib_part *part, uint32_t value) {
    pwr *s = part->state;
    if ((value ^ s->cr) & VOS) {
        s->csr &= ~(uint32_t)VOSRDY;
        ib_part_timer(part, TIMER_VOS, ib_part_now(part) + SETTLING_NS);
    }
    s->cr = value & ~(uint32_t)(CWUF | CSBF);
    s->csr = (s->csr & ~(uint32_t)(ODEN | ODSWEN)) | (value & (ODEN | ODSWEN));
    if (value & CWUF)
        s->csr &= ~UINT32_C(1);
    if (value & CSBF)
        s->csr &= ~UINT32_C(2);
}

static void write_csr(ib_part *part, uint32_t value) {
    pwr *s = part->state;
    if (value & BRE & ~s->csr)
        ib_part_timer(part, TIMER_BACKUP, ib_part_now(part) + SETTLING_NS);
    if (!(value & BRE))
        s->csr &= ~(uint32_t)BRR;
    s->csr = (s->csr & ~(uint32_t)(EWUP | BRE)) | (value & (EWUP | BRE));
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    (void)mask;
    if (offset == CR)
        write_cr(part, value);
    else if (offset == CSR)
        write_csr(part, value);
    else
        ib_part_unmodelled(part, offset);
}

static void expire(ib_part *part, int timer) {
    pwr *s = part->state;
    if (timer == TIMER_VOS)
        s->csr |= VOSRDY;
    else if (s->csr & BRE)
        s->csr |= BRR;
}

static void reset(ib_part *part) {
    pwr *s = part->state;
    s->cr = VOS;
    s->csr = VOSRDY;
}

const ib_part_type ib_type_stm32_pwr = {
    .name = "stm32_pwr",
    .text = "power control",
    .window = 0x400,
    .state_size = sizeof(pwr),
    .n_timers = N_TIMERS,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
};
