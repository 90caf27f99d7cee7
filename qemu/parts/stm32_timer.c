/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 timers (ST RM0090: advanced TIM1, TIM8 chapter 17; general TIM2 to TIM5 chapter 18, TIM9
 * to TIM14 chapter 19; basic TIM6, TIM7 chapter 20). Which one it is follows from the base address.
 *
 * The time base: prescaler, counter up, down and centre-aligned, preloaded registers that take
 * effect at the update event, repetition counter, one-pulse mode; update and capture/compare flags,
 * interrupts and DMA requests; the pulse that a PWM channel puts out, in microseconds; input
 * capture. The counter is worked out when somebody looks; a timer of the hub runs only while a flag
 * is to be raised that interrupts, asks for DMA or ends the run.
 *
 * Not here: external clocks, slave modes, triggers between timers, encoders, break and dead time,
 * waveforms of output compare other than PWM.
 */
#include "qemu/peripheral.h"

enum {
    CR1 = 0x00,
    CR2 = 0x04,
    SMCR = 0x08,
    DIER = 0x0c,
    SR = 0x10,
    EGR = 0x14,
    CCMR1 = 0x18,
    CCMR2 = 0x1c,
    CCER = 0x20,
    CNT = 0x24,
    PSC = 0x28,
    ARR = 0x2c,
    RCR = 0x30,
    CCR1 = 0x34,
    CCR4 = 0x40,
    BDTR = 0x44,
    DCR = 0x48,
    DMAR = 0x4c,
    OR = 0x50
};
enum { CEN = 1, UDIS = 2, URS = 4, OPM = 8, DIR = 16, CMS = 0x60, ARPE = 0x80 }; /* CR1 */
enum { UIF = 1, TIF = 1 << 6, SR_BITS = 0x1eff };
enum { MOE = 1 << 15, UG = 1 };

#define UDE 0x100u /* DIER: the update asks for DMA; channels' bits follow */
enum { PWM1 = 6, PWM2 = 7, FORCED_LOW = 4, FORCED_HIGH = 5 };
enum { CHANNELS = 4 };

typedef struct timer {
    uint32_t cr1, cr2, smcr, dier, sr, ccmr[2], ccer, bdtr, dcr, option;
    uint32_t psc, arr, ccr[CHANNELS], rcr;        /* as written */
    uint32_t psc_now, arr_now, ccr_now[CHANNELS]; /* as they act */
    uint32_t position;  /* of the counter in its period: up it is CNT, down ARR - CNT */
    uint32_t prescaled; /* clock cycles since the counter stepped */
    uint32_t repetitions;
    int64_t from;    /* when the count of cycles began */
    uint64_t cycles; /* since then, already counted */
    uint32_t hz;
    bool high[CHANNELS];     /* inputs */
    uint8_t edges[CHANNELS]; /* since the last capture, for the input prescaler */
    uint8_t burst, burst_left;
} timer;

typedef enum kind { BASIC, ONE_CHANNEL, TWO_CHANNELS, GENERAL, WIDE, ADVANCED } kind;

static kind kind_of(const ib_part *part) {
    switch (part->base) {
    case 0x40010000:
    case 0x40010400:
        return ADVANCED;
    case 0x40000000:
    case 0x40000c00:
        return WIDE;
    case 0x40001000:
    case 0x40001400:
        return BASIC;
    case 0x40014000:
    case 0x40001800:
        return TWO_CHANNELS;
    case 0x40014400:
    case 0x40014800:
    case 0x40001c00:
    case 0x40002000:
        return ONE_CHANNEL;
    default:
        return GENERAL;
    }
}

static int channels_of(const ib_part *part) {
    static const uint8_t n[] = {0, 1, 2, 4, 4, 4};
    return n[kind_of(part)];
}

static uint32_t counter_mask(const ib_part *part) {
    return kind_of(part) == WIDE ? UINT32_MAX : 0xffff;
}

static const ib_register registers[] = {
    {CR1, "CR1"},   {CR2, "CR2"},     {SMCR, "SMCR"},   {DIER, "DIER"}, {SR, "SR"},
    {EGR, "EGR"},   {CCMR1, "CCMR1"}, {CCMR2, "CCMR2"}, {CCER, "CCER"}, {CNT, "CNT"},
    {PSC, "PSC"},   {ARR, "ARR"},     {RCR, "RCR"},     {0x34, "CCR1"}, {0x38, "CCR2"},
    {0x3c, "CCR3"}, {0x40, "CCR4"},   {BDTR, "BDTR"},   {DCR, "DCR"},   {DMAR, "DMAR"},
    {OR, "OR"},     {0, NULL}};

/* ---- clock cycles and time ----------------------------------------------------------------- */

/* Whole cycles of the clock in a span of time, and the shortest span that holds so many. */
static uint64_t cycles_in(int64_t ns, uint32_t hz) {
    const uint64_t seconds = (uint64_t)ns / 1000000000, rest = (uint64_t)ns % 1000000000;
    return seconds * hz + rest * hz / 1000000000;
}

static int64_t span_of(uint64_t cycles, uint32_t hz) {
    const uint64_t seconds = cycles / hz, rest = cycles % hz;
    return (int64_t)(seconds * 1000000000 + (rest * 1000000000 + hz - 1) / hz);
}

/* ---- the counter --------------------------------------------------------------------------- */

static bool is_centred(const timer *s) { return s->cr1 & CMS; }

/* Counter steps in a period; centre-aligned: in half of one. */
static uint64_t period_of(const timer *s) {
    return is_centred(s) ? s->arr_now : (uint64_t)s->arr_now + 1;
}

static uint32_t count_of(const timer *s) {
    return s->cr1 & DIR ? s->arr_now - s->position : s->position;
}

static bool is_output(const timer *s, int channel) {
    return (s->ccmr[channel / 2] >> 8 * (channel % 2) & 3) == 0;
}

static unsigned mode_of(const timer *s, int channel) {
    return s->ccmr[channel / 2] >> (8 * (channel % 2) + 4) & 7;
}

static bool is_preloaded(const timer *s, int channel) {
    return s->ccmr[channel / 2] >> (8 * (channel % 2) + 3) & 1;
}

/* Where in its period the counter meets a channel's value. */
static uint64_t meeting(const timer *s, int channel) {
    const uint32_t value = s->ccr_now[channel];
    return s->cr1 & DIR && value <= s->arr_now ? s->arr_now - value : value;
}

static void request(ib_part *part, ib_request what) {
    timer *s = part->state;
    s->burst_left = (uint8_t)((s->dcr >> 8 & 0x1f) + 1);
    ib_part_request(part, what, true);
}

static void raise_flag(ib_part *part, int channel) {
    timer *s = part->state;
    s->sr |= 2u << channel;
    if (s->dier & UDE << (channel + 1))
        request(part, (ib_request)(IB_REQUEST_CH1 + channel));
}

/* Compare flags of the positions after `from`, up to `to`. */
static void compare(ib_part *part, uint64_t from, uint64_t to) {
    const timer *s = part->state;
    for (int i = 0; i < channels_of(part); i++) {
        const uint64_t at = meeting(s, i);
        if (is_output(s, i) && at > from && at <= to)
            raise_flag(part, i);
    }
}

static void load_shadows(ib_part *part) {
    timer *s = part->state;
    s->psc_now = s->psc;
    s->arr_now = s->arr;
    for (int i = 0; i < CHANNELS; i++)
        if (is_output(s, i))
            s->ccr_now[i] = s->ccr[i];
}

/* An update event, by the counter's overflow or by UG (18.3.2). */
static void update_event(ib_part *part, bool by_counter) {
    timer *s = part->state;
    if (s->cr1 & UDIS)
        return;
    load_shadows(part);
    s->repetitions = s->rcr;
    if (!by_counter && s->cr1 & URS)
        return;
    s->sr |= UIF;
    if (s->dier & UDE)
        request(part, IB_REQUEST_UPDATE);
}

static void overflow(ib_part *part) {
    timer *s = part->state;
    compare(part, s->position, period_of(s));
    s->position = 0;
    s->prescaled = 0;
    if (is_centred(s))
        s->cr1 ^= DIR;
    for (int i = 0; i < channels_of(part); i++)
        if (is_output(s, i) && meeting(s, i) == 0)
            raise_flag(part, i);
    if (s->repetitions > 0) {
        s->repetitions--;
        return;
    }
    update_event(part, true);
    if (s->cr1 & OPM)
        s->cr1 &= ~(uint32_t)CEN;
}

/* Cycles to the next overflow. A counter beyond ARR runs round its whole width first. */
static uint64_t cycles_to_overflow(const ib_part *part) {
    const timer *s = part->state;
    const uint64_t step = (uint64_t)s->psc_now + 1;
    uint64_t steps = period_of(s) - s->position;
    if (s->position >= period_of(s))
        steps = (uint64_t)counter_mask(part) + 1 - s->position;
    return steps * step - s->prescaled;
}

static bool is_counting(const timer *s) { return s->cr1 & CEN && s->arr_now > 0 && s->hz > 0; }

/* Many periods at once, none of which changes anything but flags. */
static uint64_t skip_periods(ib_part *part, uint64_t cycles) {
    timer *s = part->state;
    const uint64_t period = period_of(s) * ((uint64_t)s->psc_now + 1);
    const uint64_t quiet =
        2 * ((uint64_t)s->rcr + 1); /* a whole turn of directions and repetitions */
    const uint64_t turns = cycles / (period * quiet);
    if (s->dier & 0x1f00 || s->cr1 & OPM)
        return cycles;
    return turns > 2 ? cycles - (turns - 1) * period * quiet : cycles;
}

static void advance(ib_part *part, uint64_t cycles) {
    timer *s = part->state;
    for (int n = 0; is_counting(s); n++) {
        const uint64_t rest = cycles_to_overflow(part);
        if (cycles < rest) {
            const uint64_t all = s->prescaled + cycles, step = (uint64_t)s->psc_now + 1;
            const uint64_t to = s->position + all / step;
            compare(part, s->position, to);
            s->position = (uint32_t)to;
            s->prescaled = (uint32_t)(all % step);
            return;
        }
        cycles -= rest;
        overflow(part);
        if (n == 2 * ((int)s->rcr + 1)) /* shadows have settled, flags are up */
            cycles = skip_periods(part, cycles);
    }
}

/* Brings the counter up to now. */
static void catch_up(ib_part *part) {
    timer *s = part->state;
    const uint64_t all = s->hz ? cycles_in(ib_part_now(part) - s->from, s->hz) : 0;
    if (is_counting(s) && all > s->cycles)
        advance(part, all - s->cycles);
    s->cycles = all;
}

/* ---- requests and the next thing to do ----------------------------------------------------- */

/* Channels whose flags somebody waits for. */
static uint64_t next_compare(const ib_part *part) {
    const timer *s = part->state;
    uint64_t first = UINT64_MAX;
    for (int i = 0; i < channels_of(part); i++) {
        const bool waits = (s->dier & 2u << i && !(s->sr & 2u << i)) || s->dier & UDE << (i + 1);
        const uint64_t at = meeting(s, i);
        if (waits && is_output(s, i) && at > s->position && at < period_of(s)) {
            const uint64_t cycles = (at - s->position) * ((uint64_t)s->psc_now + 1) - s->prescaled;
            first = cycles < first ? cycles : first;
        }
    }
    return first;
}

static bool waits_for_update(const timer *s) {
    uint32_t compares = s->dier & 0x1e & ~s->sr;
    return (s->dier & UIF && !(s->sr & UIF)) || s->dier & 0x1f00 || compares || s->cr1 & OPM;
}

static void schedule(ib_part *part) {
    timer *s = part->state;
    uint64_t next = UINT64_MAX;
    if (is_counting(s) && waits_for_update(s)) {
        const uint64_t compared = next_compare(part);
        next = cycles_to_overflow(part);
        next = compared < next ? compared : next;
    }
    ib_part_timer(part, 0,
                  next == UINT64_MAX ? IB_NEVER : s->from + span_of(s->cycles + next, s->hz));
}

/* Request line 0 has the update, and where the timer has no line of its own for them, the rest. */
static void update(ib_part *part) {
    const timer *s = part->state;
    const uint32_t on = s->sr & s->dier & 0x5f;
    const bool split = kind_of(part) == ADVANCED;
    ib_part_interrupt(part, 0, (split ? on & UIF : on) != 0);
    ib_part_interrupt(part, 1, split && on & 0x1e);
    schedule(part);
}

static void expire(ib_part *part, int which) {
    (void)which;
    catch_up(part);
    update(part);
}

/* The clock tree has changed: what was counted stays, from now on the new pace holds. */
static void clocks(ib_part *part) {
    timer *s = part->state;
    catch_up(part);
    s->hz = ib_part_timer_clock(part);
    s->from = ib_part_now(part);
    s->cycles = 0;
    schedule(part);
}

/* A request is a pulse for each event; a burst asks again until its registers are through
 * (18.3.16). */
static void served(ib_part *part, ib_request what, uint32_t left) {
    timer *s = part->state;
    (void)left;
    if (s->burst_left > 1)
        s->burst_left--;
    else
        ib_part_request(part, what, false);
}

/* ---- input capture ------------------------------------------------------------------------- */

static void capture(ib_part *part, int channel) {
    timer *s = part->state;
    const unsigned prescaler = s->ccmr[channel / 2] >> (8 * (channel % 2) + 2) & 3;
    if (++s->edges[channel] < 1u << prescaler)
        return;
    s->edges[channel] = 0;
    s->ccr_now[channel] = s->ccr[channel] = count_of(s);
    if (s->sr & 2u << channel)
        s->sr |= 0x200u << channel;
    raise_flag(part, channel);
}

/* An edge at input TIx reaches channel x, and the other one of the pair where that asks for it. */
static void input(ib_part *part, int line, ib_level level) {
    timer *s = part->state;
    const bool rising = level == IB_HIGH; /* a line that floats is low */
    if (rising == s->high[line])
        return;
    s->high[line] = rising;
    catch_up(part);
    for (int i = line & ~1; i <= (line | 1) && i < channels_of(part); i++) {
        const unsigned selection = s->ccmr[i / 2] >> 8 * (i % 2) & 3;
        const unsigned polarity = s->ccer >> 4 * i & 0xb; /* CCxE, CCxP, CCxNP */
        const bool wanted = (polarity & 0xa) == 0xa || ((polarity & 2) == 0) == rising;
        if (polarity & 1 && selection == (i == line ? 1 : 2) && wanted)
            capture(part, i);
    }
    update(part);
}

/* ---- PWM ----------------------------------------------------------------------------------- */

/* Counter steps of a period that the reference is high (18.3.9). */
static uint64_t high_steps(const timer *s, int channel) {
    const uint64_t period = period_of(s), value = s->ccr_now[channel];
    const uint64_t below = value < period ? value : period;
    switch (mode_of(s, channel)) {
    case PWM1:
        return below;
    case PWM2:
        return period - below;
    default:
        return mode_of(s, channel) == FORCED_HIGH ? period : 0;
    }
}

static bool pulse(ib_part *part, int channel, ib_pulse *out) {
    timer *s = part->state;
    const int i = channel - 1;
    if (i < 0 || i >= channels_of(part))
        return false;
    catch_up(part);
    const unsigned mode = mode_of(s, i);
    const bool enabled = s->ccer >> 4 * i & 1 && is_output(s, i) && mode >= FORCED_LOW &&
                         (kind_of(part) != ADVANCED || s->bdtr & MOE);
    const uint64_t high = high_steps(s, i), period = period_of(s);
    const uint64_t active = s->ccer >> 4 * i & 2 ? period - high : high;
    const double us = s->hz ? 1e6 * (s->psc_now + 1.0) * (is_centred(s) ? 2 : 1) / s->hz : 0;
    *out = (ib_pulse){enabled && is_counting(s), (double)active * us, (double)period * us};
    update(part);
    return true;
}

/* ---- registers ----------------------------------------------------------------------------- */

static uint32_t *plain(timer *s, uint32_t offset) {
    switch (offset) {
    case CR1:
        return &s->cr1;
    case CR2:
        return &s->cr2;
    case SMCR:
        return &s->smcr;
    case DIER:
        return &s->dier;
    case SR:
        return &s->sr;
    case CCMR1:
    case CCMR2:
        return &s->ccmr[(offset - CCMR1) / 4];
    case CCER:
        return &s->ccer;
    case PSC:
        return &s->psc;
    case ARR:
        return &s->arr;
    case RCR:
        return &s->rcr;
    case BDTR:
        return &s->bdtr;
    case DCR:
        return &s->dcr;
    case OR:
        return &s->option;
    default:
        return NULL;
    }
}

static uint32_t burst_register(timer *s) {
    const uint32_t offset = ((s->dcr & 0x1f) + s->burst) * 4;
    s->burst = (uint8_t)(s->burst < (s->dcr >> 8 & 0x1f) ? s->burst + 1 : 0);
    return offset;
}

static uint32_t read_ccr(ib_part *part, int channel) {
    timer *s = part->state;
    if (!is_output(s, channel)) {
        s->sr &= ~(2u << channel);
        update(part);
    }
    return s->ccr[channel];
}

static uint32_t read(ib_part *part, uint32_t offset) {
    timer *s = part->state;
    catch_up(part);
    if (offset == DMAR)
        offset = burst_register(s);
    if (offset == CNT)
        return count_of(s);
    if (offset >= CCR1 && offset <= CCR4)
        return read_ccr(part, (int)(offset - CCR1) / 4);
    if (offset == EGR)
        return 0;
    const uint32_t *reg = plain(s, offset);
    return reg ? *reg : ib_part_unmodelled(part, offset);
}

static void write_cr1(ib_part *part, uint32_t value) {
    timer *s = part->state;
    if (is_centred(s) || value & CMS) /* the direction is the counter's own then */
        value = (value & ~(uint32_t)DIR) | (s->cr1 & DIR);
    if ((value ^ s->cr1) & DIR && s->position <= s->arr_now)
        s->position = s->arr_now - s->position; /* the same count, the other way */
    if (value & CEN && !(s->cr1 & CEN)) {
        s->from = ib_part_now(part);
        s->cycles = 0;
    }
    s->cr1 = value & 0x3ff;
}

static void generate(ib_part *part, uint32_t value) {
    timer *s = part->state;
    for (int i = 0; i < channels_of(part); i++)
        if (value & 2u << i) {
            if (!is_output(s, i))
                s->ccr_now[i] = s->ccr[i] = count_of(s);
            raise_flag(part, i);
        }
    if (value & UG) {
        s->prescaled = 0;
        update_event(part, false);
        s->position = 0;
    }
}

static void write_ccr(ib_part *part, int channel, uint32_t value) {
    timer *s = part->state;
    s->ccr[channel] = value & counter_mask(part);
    if (is_output(s, channel) && !is_preloaded(s, channel))
        s->ccr_now[channel] = s->ccr[channel];
}

/* What may no longer ask for DMA does not. */
static void withdraw(ib_part *part) {
    const timer *s = part->state;
    for (int i = 0; i < CHANNELS; i++)
        if (!(s->dier & UDE << (i + 1)))
            ib_part_request(part, (ib_request)(IB_REQUEST_CH1 + i), false);
    if (!(s->dier & UDE))
        ib_part_request(part, IB_REQUEST_UPDATE, false);
}

static void write_register(ib_part *part, uint32_t offset, uint32_t value) {
    timer *s = part->state;
    uint32_t *reg = plain(s, offset);
    if (offset == CR1) {
        write_cr1(part, value);
    } else if (offset == SR) {
        s->sr &= value | ~(uint32_t)SR_BITS;
    } else if (offset == EGR) {
        generate(part, value);
    } else if (offset == CNT) {
        value &= counter_mask(part);
        s->position = s->cr1 & DIR ? s->arr_now - value : value;
    } else if (offset == ARR) {
        s->arr = value & counter_mask(part);
        if (!(s->cr1 & ARPE))
            s->arr_now = s->arr;
    } else if (offset >= CCR1 && offset <= CCR4) {
        write_ccr(part, (int)(offset - CCR1) / 4, value);
    } else if (reg) {
        *reg = offset == RCR ? value & 0xff : value & 0xffff;
        if (offset == SMCR && value & 0x4007)
            ib_part_lacks(part, SMCR, "a slave mode or external clock");
        if (offset == DCR)
            s->burst = 0;
        if (offset == DIER)
            withdraw(part);
        if (offset == CCMR1 || offset == CCMR2)
            for (int i = 0; i < CHANNELS; i++)
                if (is_output(s, i) && !is_preloaded(s, i))
                    s->ccr_now[i] = s->ccr[i];
    } else {
        ib_part_unmodelled(part, offset);
    }
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    timer *s = part->state;
    (void)mask;
    catch_up(part);
    write_register(part, offset == DMAR ? burst_register(s) : offset, value);
    update(part);
}

static void reset(ib_part *part) {
    timer *s = part->state;
    *s = (timer){.hz = ib_part_timer_clock(part), .from = ib_part_now(part)};
    s->arr = s->arr_now = counter_mask(part);
    for (int i = 0; i < CHANNELS; i++)
        s->high[i] = ib_part_input_level(part, i) == IB_HIGH;
    update(part);
}

static const char *const inputs[] = {"1", "2", "3", "4", NULL};

const ib_part_type ib_type_stm32_timer = {
    .name = "stm32_timer",
    .text = "timer; irqs of TIM1 and TIM8: update, capture/compare; of others one",
    .window = 0x400,
    .state_size = sizeof(timer),
    .n_timers = 1,
    .n_irqs = 2,
    .inputs = inputs,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
    .input = input,
    .clocks = clocks,
    .served = served,
    .pulse = pulse,
};
