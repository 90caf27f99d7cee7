/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 analogue-to-digital converters 1 to 3 and their common registers, one part with one
 * window (ST RM0090, chapter 13: functions 13.3 to 13.8, registers 13.13).
 *
 * A conversion takes its sampling and resolution cycles of the ADC clock; single, scan and
 * continuous sequences, injected ones, EOC by conversion or by sequence, overrun, the analogue
 * watchdog, interrupts and DMA. Channels 0 to 15 have the volts that the board gives them (the same
 * for each converter); 16, 17, 18 of ADC1 are the temperature, the reference and half the battery.
 *
 * Not here: external triggers, discontinuous and multi-converter modes. Injected and regular
 * conversions do not delay each other.
 */
#include "qemu/peripheral.h"

enum {
    SR = 0x00,
    CR1 = 0x04,
    CR2 = 0x08,
    SMPR1 = 0x0c,
    SMPR2 = 0x10,
    JOFR1 = 0x14,
    HTR = 0x24,
    LTR = 0x28,
    SQR1 = 0x2c,
    SQR2 = 0x30,
    SQR3 = 0x34,
    JSQR = 0x38,
    JDR1 = 0x3c,
    JDR4 = 0x48,
    DR = 0x4c,
    UNIT = 0x100,
    COMMON = 0x300,
    CSR = 0x300,
    CCR = 0x304,
    CDR = 0x308
};
enum { AWD = 1, EOC = 2, JEOC = 4, JSTRT = 8, STRT = 16, OVR = 32 }; /* SR */
enum {
    EOCIE = 1 << 5,
    AWDIE = 1 << 6,
    JEOCIE = 1 << 7,
    SCAN = 1 << 8,
    AWDSGL = 1 << 9,
    DISCEN = 3 << 11,
    JAUTO = 1 << 10,
    JAWDEN = 1 << 22,
    AWDEN = 1 << 23,
    OVRIE = 1 << 26
};
enum {
    ADON = 1,
    CONT = 2,
    DMAEN = 1 << 8,
    DDS = 1 << 9,
    EOCS = 1 << 10,
    ALIGN = 1 << 11,
    JSWSTART = 1 << 22,
    SWSTART = 1 << 30
};
#define EXTERNAL (UINT32_C(3) << 28 | UINT32_C(3) << 20)
enum { TSVREFE = 1 << 23, VBATE = 1 << 22 }; /* CCR */
enum { UNITS = 3, CHANNELS = 19, TIMER_INJECTED = UNITS, N_TIMERS = 2 * UNITS };
enum { OPTION_VDDA, OPTION_TEMPERATURE, OPTION_VBAT };

typedef struct unit {
    uint32_t sr, cr1, cr2, smpr[2], jofr[4], htr, ltr, sqr[3], jsqr, jdr[4], dr;
    int rank, injected_rank; /* of the conversion under way */
    bool unread;             /* DR holds what nobody has read */
    bool dma_over;           /* DMA has moved its last item (DDS clear) */
} unit;

typedef struct adc {
    unit unit[UNITS];
    uint32_t ccr;
    double volts[16];
} adc;

static const ib_register registers[] = {
    {0x000, "ADC1_SR"},    {0x004, "ADC1_CR1"},   {0x008, "ADC1_CR2"},   {0x00c, "ADC1_SMPR1"},
    {0x010, "ADC1_SMPR2"}, {0x014, "ADC1_JOFR1"}, {0x018, "ADC1_JOFR2"}, {0x01c, "ADC1_JOFR3"},
    {0x020, "ADC1_JOFR4"}, {0x024, "ADC1_HTR"},   {0x028, "ADC1_LTR"},   {0x02c, "ADC1_SQR1"},
    {0x030, "ADC1_SQR2"},  {0x034, "ADC1_SQR3"},  {0x038, "ADC1_JSQR"},  {0x03c, "ADC1_JDR1"},
    {0x040, "ADC1_JDR2"},  {0x044, "ADC1_JDR3"},  {0x048, "ADC1_JDR4"},  {0x04c, "ADC1_DR"},
    {0x100, "ADC2_SR"},    {0x104, "ADC2_CR1"},   {0x108, "ADC2_CR2"},   {0x10c, "ADC2_SMPR1"},
    {0x110, "ADC2_SMPR2"}, {0x114, "ADC2_JOFR1"}, {0x118, "ADC2_JOFR2"}, {0x11c, "ADC2_JOFR3"},
    {0x120, "ADC2_JOFR4"}, {0x124, "ADC2_HTR"},   {0x128, "ADC2_LTR"},   {0x12c, "ADC2_SQR1"},
    {0x130, "ADC2_SQR2"},  {0x134, "ADC2_SQR3"},  {0x138, "ADC2_JSQR"},  {0x13c, "ADC2_JDR1"},
    {0x140, "ADC2_JDR2"},  {0x144, "ADC2_JDR3"},  {0x148, "ADC2_JDR4"},  {0x14c, "ADC2_DR"},
    {0x200, "ADC3_SR"},    {0x204, "ADC3_CR1"},   {0x208, "ADC3_CR2"},   {0x20c, "ADC3_SMPR1"},
    {0x210, "ADC3_SMPR2"}, {0x214, "ADC3_JOFR1"}, {0x218, "ADC3_JOFR2"}, {0x21c, "ADC3_JOFR3"},
    {0x220, "ADC3_JOFR4"}, {0x224, "ADC3_HTR"},   {0x228, "ADC3_LTR"},   {0x22c, "ADC3_SQR1"},
    {0x230, "ADC3_SQR2"},  {0x234, "ADC3_SQR3"},  {0x238, "ADC3_JSQR"},  {0x23c, "ADC3_JDR1"},
    {0x240, "ADC3_JDR2"},  {0x244, "ADC3_JDR3"},  {0x248, "ADC3_JDR4"},  {0x24c, "ADC3_DR"},
    {CSR, "CSR"},          {CCR, "CCR"},          {CDR, "CDR"},          {0, NULL}};

static void update(ib_part *part) {
    const adc *s = part->state;
    bool on = false;
    for (int i = 0; i < UNITS; i++) {
        const unit *u = &s->unit[i];
        on = on || (u->sr & EOC && u->cr1 & EOCIE) || (u->sr & JEOC && u->cr1 & JEOCIE) ||
             (u->sr & AWD && u->cr1 & AWDIE) || (u->sr & OVR && u->cr1 & OVRIE);
        ib_part_request(part, (ib_request)(IB_REQUEST_ADC1 + i),
                        u->cr2 & DMAEN && u->unread && !u->dma_over && !(u->sr & OVR));
    }
    ib_part_interrupt(part, 0, on);
}

/* ---- values -------------------------------------------------------------------------------- */

/* The sensor gives 0.76 V at 25 degrees and 2.5 mV a degree; the reference is 1.21 V (data sheet
 * sections 5.3.21 and 5.3.23). */
static double volts_at(const ib_part *part, int which, int channel) {
    const adc *s = part->state;
    if (channel < 16)
        return s->volts[channel];
    if (which != 0)
        return 0;
    if (channel == 16 && s->ccr & TSVREFE)
        return 0.76 + 2.5e-3 * (part->option[OPTION_TEMPERATURE] - 25);
    if (channel == 17 && s->ccr & TSVREFE)
        return 1.21;
    return channel == 18 && s->ccr & VBATE ? part->option[OPTION_VBAT] / 2 : 0;
}

static unsigned bits_of(const unit *u) { return 12 - 2 * (u->cr1 >> 24 & 3); }

static uint32_t code_of(const ib_part *part, int which, int channel) {
    const unit *u = &((const adc *)part->state)->unit[which];
    const uint32_t most = (UINT32_C(1) << bits_of(u)) - 1;
    const double unit_volts = part->option[OPTION_VDDA] / (most + 1.0);
    const double counts = volts_at(part, which, channel) / unit_volts;
    if (!(counts > 0))
        return 0;
    return counts >= most ? most : (uint32_t)counts;
}

/* Left: twelve bits to the top, six into the upper half of the lower byte (13.4). */
static uint32_t aligned(const unit *u, uint32_t code) {
    const unsigned bits = bits_of(u);
    return u->cr2 & ALIGN ? code << (bits == 6 ? 2 : 16 - bits) : code;
}

/* ---- sequences ----------------------------------------------------------------------------- */

static int length_of(const unit *u) { return u->cr1 & SCAN ? (int)(u->sqr[0] >> 20 & 15) + 1 : 1; }

static int channel_at(const unit *u, int rank) {
    const uint32_t reg = u->sqr[rank < 6 ? 2 : rank < 12 ? 1 : 0];
    return (int)(reg >> 5 * (rank % 6) & 31);
}

static int injected_length(const unit *u) {
    return u->cr1 & SCAN ? (int)(u->jsqr >> 20 & 3) + 1 : 1;
}

/* A sequence of n fills the last n of four places (13.13.12). */
static int injected_channel(const unit *u, int rank) {
    const int place = 4 - ((int)(u->jsqr >> 20 & 3) + 1) + rank;
    return (int)(u->jsqr >> 5 * place & 31);
}

static int64_t conversion_ns(const ib_part *part, int which, int channel) {
    static const uint16_t sampling[] = {3, 15, 28, 56, 84, 112, 144, 480};
    const adc *s = part->state;
    const unit *u = &s->unit[which];
    const uint32_t code =
        channel < 10 ? u->smpr[1] >> 3 * channel : u->smpr[0] >> 3 * (channel - 10);
    const unsigned divider = 2 * ((s->ccr >> 16 & 3) + 1);
    return ib_cycles_ns((uint64_t)(sampling[code & 7] + bits_of(u)) * divider, ib_part_clock(part));
}

static void convert(ib_part *part, int which) {
    const unit *u = &((adc *)part->state)->unit[which];
    ib_part_timer(part, which,
                  ib_part_now(part) + conversion_ns(part, which, channel_at(u, u->rank)));
}

static void convert_injected(ib_part *part, int which) {
    const unit *u = &((adc *)part->state)->unit[which];
    const int channel = injected_channel(u, u->injected_rank);
    ib_part_timer(part, TIMER_INJECTED + which,
                  ib_part_now(part) + conversion_ns(part, which, channel));
}

static void guard(unit *u, int channel, uint32_t code, uint32_t enable) {
    const bool watched = !(u->cr1 & AWDSGL) || (int)(u->cr1 & 31) == channel;
    if (u->cr1 & enable && watched && (code > u->htr || code < u->ltr))
        u->sr |= AWD;
}

/* A regular conversion is complete. With DMA, or EOC at each, an unread value makes an overrun,
 * which ends the sequence (13.8.2). */
static void converted(ib_part *part, int which) {
    unit *u = &((adc *)part->state)->unit[which];
    const int channel = channel_at(u, u->rank);
    const uint32_t code = code_of(part, which, channel);
    const bool is_last = ++u->rank >= length_of(u);
    if (u->unread && u->cr2 & (DMAEN | EOCS)) {
        u->sr |= OVR;
        return;
    }
    u->dr = aligned(u, code);
    u->unread = true;
    guard(u, channel, code, AWDEN);
    if (is_last || u->cr2 & EOCS)
        u->sr |= EOC;
    if (is_last)
        u->rank = 0;
    if (!is_last || u->cr2 & CONT)
        convert(part, which);
}

static void converted_injected(ib_part *part, int which) {
    unit *u = &((adc *)part->state)->unit[which];
    const int rank = u->injected_rank, channel = injected_channel(u, rank);
    const uint32_t code = code_of(part, which, channel);
    guard(u, channel, code, JAWDEN);
    const int32_t value = (int32_t)code - (int32_t)u->jofr[rank];
    u->jdr[rank] = (uint32_t)value & 0xffff;
    if (++u->injected_rank < injected_length(u)) {
        convert_injected(part, which);
    } else {
        u->injected_rank = 0;
        u->sr |= JEOC;
    }
}

static void expire(ib_part *part, int timer) {
    if (timer < TIMER_INJECTED)
        converted(part, timer);
    else
        converted_injected(part, timer - TIMER_INJECTED);
    update(part);
}

/* ---- registers ----------------------------------------------------------------------------- */

static uint32_t *plain(unit *u, uint32_t offset) {
    if (offset == SMPR1 || offset == SMPR2)
        return &u->smpr[(offset - SMPR1) / 4];
    if (offset >= JOFR1 && offset < HTR)
        return &u->jofr[(offset - JOFR1) / 4];
    if (offset >= SQR1 && offset <= SQR3)
        return &u->sqr[(offset - SQR1) / 4];
    if (offset >= JDR1 && offset <= JDR4)
        return &u->jdr[(offset - JDR1) / 4];
    return offset == SR     ? &u->sr
           : offset == CR1  ? &u->cr1
           : offset == CR2  ? &u->cr2
           : offset == HTR  ? &u->htr
           : offset == LTR  ? &u->ltr
           : offset == JSQR ? &u->jsqr
           : offset == DR   ? &u->dr
                            : NULL;
}

static uint32_t read_common(ib_part *part, uint32_t offset) {
    const adc *s = part->state;
    if (offset == CSR)
        return s->unit[0].sr | s->unit[1].sr << 8 | s->unit[2].sr << 16;
    return offset == CCR ? s->ccr : ib_part_unmodelled(part, offset);
}

static uint32_t read(ib_part *part, uint32_t offset) {
    adc *s = part->state;
    if (offset >= COMMON)
        return read_common(part, offset);
    unit *u = &s->unit[offset / UNIT];
    const uint32_t *reg = plain(u, offset % UNIT);
    if (!reg)
        return ib_part_unmodelled(part, offset);
    const uint32_t value = *reg;
    if (offset % UNIT == DR) {
        u->unread = false;
        u->sr &= ~(uint32_t)EOC;
        update(part);
    }
    return value;
}

static void write_cr2(ib_part *part, int which, uint32_t value) {
    unit *u = &((adc *)part->state)->unit[which];
    if (value & EXTERNAL)
        ib_part_lacks(part, (uint32_t)(which * UNIT) + CR2, "an external trigger");
    if (!(value & DMAEN))
        u->dma_over = false;
    u->cr2 = value & ~(uint32_t)(SWSTART | JSWSTART);
    if (!(value & ADON)) {
        u->rank = u->injected_rank = 0;
        ib_part_timer(part, which, IB_NEVER);
        ib_part_timer(part, TIMER_INJECTED + which, IB_NEVER);
        return;
    }
    if (value & SWSTART && ib_part_timer_due(part, which) == IB_NEVER) {
        u->sr |= STRT;
        u->rank = 0;
        convert(part, which);
    }
    if (value & JSWSTART && ib_part_timer_due(part, TIMER_INJECTED + which) == IB_NEVER) {
        u->sr |= JSTRT;
        u->injected_rank = 0;
        convert_injected(part, which);
    }
}

static void write_unit(ib_part *part, uint32_t offset, uint32_t value) {
    const int which = (int)(offset / UNIT);
    unit *u = &((adc *)part->state)->unit[which];
    uint32_t *reg = plain(u, offset % UNIT);
    switch (offset % UNIT) {
    case SR: /* a written 0 clears; whoever clears EOC has read */
        if (!(value & EOC) || !(value & OVR))
            u->unread = false;
        u->sr &= value;
        break;
    case CR1:
        if (value & (DISCEN | JAUTO))
            ib_part_unmodelled_bits(part, offset, value & (DISCEN | JAUTO));
        u->cr1 = value;
        break;
    case CR2:
        write_cr2(part, which, value);
        break;
    case DR:
        break;
    default:
        if (!reg)
            ib_part_unmodelled(part, offset);
        else if (offset % UNIT < JDR1)
            *reg = value;
    }
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    adc *s = part->state;
    (void)mask;
    if (offset < COMMON) {
        write_unit(part, offset, value);
    } else if (offset == CCR) {
        if (value & 0x1f)
            ib_part_unmodelled_bits(part, offset, value & 0x1f);
        s->ccr = value;
    } else if (offset != CSR) {
        ib_part_unmodelled(part, offset);
    }
    update(part);
}

/* The last item of a transfer ends the requests, unless DDS lets them go on (13.8.1). */
static void served(ib_part *part, ib_request what, uint32_t left) {
    unit *u = &((adc *)part->state)->unit[what - IB_REQUEST_ADC1];
    if (left == 0 && !(u->cr2 & DDS))
        u->dma_over = true;
    update(part);
}

static bool analog(ib_part *part, int channel, double volts) {
    adc *s = part->state;
    if (channel < 0 || channel > 15)
        return false;
    s->volts[channel] = volts;
    return true;
}

static void reset(ib_part *part) {
    adc *s = part->state;
    for (int i = 0; i < UNITS; i++)
        s->unit[i] = (unit){.htr = 0xfff};
    s->ccr = 0;
    update(part);
}

static const ib_option options[] = {
    {"vdda", "analogue supply, V", 3.3, 1.8, 3.6},
    {"temperature", "of the microcontroller, degrees Celsius", 25, -40, 125},
    {"vbat", "battery of the real-time clock, V", 3.0, 0, 3.6},
    {NULL, NULL, 0, 0, 0}};

const ib_part_type ib_type_stm32_adc = {
    .name = "stm32_adc",
    .text = "analogue-to-digital converters 1 to 3",
    .window = 0x400,
    .state_size = sizeof(adc),
    .n_timers = N_TIMERS,
    .n_irqs = 1,
    .registers = registers,
    .options = options,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
    .served = served,
    .analog = analog,
};
