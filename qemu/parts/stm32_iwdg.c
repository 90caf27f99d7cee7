/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 independent watchdog (ST RM0090, chapter 21: functions 21.3, registers 21.4).
 *
 * A down counter on the 32 kHz low-speed oscillator that cannot be stopped once it runs. When it
 * gets to its end it marks RCC's reset flag and resets the processor.
 */
#include <stdio.h>

#include "qemu/peripheral.h"

enum { KR = 0x00, PR = 0x04, RLR = 0x08, SR = 0x0c };
enum { PVU = 1, RVU = 2 };
enum { TIMER_BITE, TIMER_PRESCALER, TIMER_RELOAD, N_TIMERS };

#define LSI_HZ 32000
#define UPDATE_CYCLES 5

typedef struct iwdg {
    uint32_t prescaler, reload; /* as they act */
    uint32_t new_prescaler, new_reload;
    uint32_t sr;
    bool unlocked, running;
} iwdg;

static const ib_register registers[] = {
    {KR, "KR"}, {PR, "PR"}, {RLR, "RLR"}, {SR, "SR"}, {0, NULL}};

static int64_t timeout_ns(const iwdg *s) {
    const unsigned divider = 4u << (s->prescaler < 6 ? s->prescaler : 6);
    return ib_cycles_ns(((uint64_t)s->reload + 1) * divider, LSI_HZ);
}

static void feed(ib_part *part) {
    const iwdg *s = part->state;
    if (s->running)
        ib_part_timer(part, TIMER_BITE, ib_part_now(part) + timeout_ns(s));
}

static uint32_t read(ib_part *part, uint32_t offset) {
    const iwdg *s = part->state;
    switch (offset) {
    case KR:
        return 0;
    case PR:
        return s->new_prescaler;
    case RLR:
        return s->new_reload;
    case SR:
        return s->sr;
    default:
        return ib_part_unmodelled(part, offset);
    }
}

/* 0x5555 opens PR and RLR, any other key closes them; 0xaaaa feeds; 0xcccc starts (21.4.1). */
static void write_key(ib_part *part, uint32_t key) {
    iwdg *s = part->state;
    s->unlocked = key == 0x5555;
    if (key == 0xcccc)
        s->running = true;
    if (key == 0xcccc || key == 0xaaaa)
        feed(part);
}

/* New values act some cycles of the slow clock later; until then they may not be written again. */
static void set(ib_part *part, uint32_t *value, uint32_t wanted, uint32_t busy, int timer) {
    iwdg *s = part->state;
    if (!s->unlocked || s->sr & busy) {
        ib_part_misuse(part, busy == PVU ? PR : RLR, "written while locked or busy: ignored");
        return;
    }
    *value = wanted;
    s->sr |= busy;
    ib_part_timer(part, timer, ib_part_now(part) + ib_cycles_ns(UPDATE_CYCLES, LSI_HZ));
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    iwdg *s = part->state;
    (void)mask;
    switch (offset) {
    case KR:
        write_key(part, value & 0xffff);
        break;
    case PR:
        set(part, &s->new_prescaler, value & 7, PVU, TIMER_PRESCALER);
        break;
    case RLR:
        set(part, &s->new_reload, value & 0xfff, RVU, TIMER_RELOAD);
        break;
    case SR:
        break;
    default:
        ib_part_unmodelled(part, offset);
    }
}

static void bite(ib_part *part) {
    const iwdg *s = part->state;
    char text[80];
    snprintf(text, sizeof text, "the watchdog was not fed for %lld ms: reset",
             (long long)(timeout_ns(s) / 1000000));
    ib_part_event(part, text);
    ib_part_output(part, 0, IB_HIGH);
    ib_part_output(part, 0, IB_LOW);
    ib_part_system_reset(part);
}

static void expire(ib_part *part, int timer) {
    iwdg *s = part->state;
    if (timer == TIMER_BITE) {
        bite(part);
    } else if (timer == TIMER_PRESCALER) {
        s->prescaler = s->new_prescaler;
        s->sr &= ~(uint32_t)PVU;
    } else {
        s->reload = s->new_reload;
        s->sr &= ~(uint32_t)RVU;
    }
}

static void reset(ib_part *part) {
    iwdg *s = part->state;
    *s = (iwdg){.reload = 0xfff, .new_reload = 0xfff};
    ib_part_output(part, 0, IB_LOW);
}

static const char *const outputs[] = {"watchdog", NULL};

const ib_part_type ib_type_stm32_iwdg = {
    .name = "stm32_iwdg",
    .text = "independent watchdog",
    .window = 0x400,
    .state_size = sizeof(iwdg),
    .n_timers = N_TIMERS,
    .outputs = outputs,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
};
