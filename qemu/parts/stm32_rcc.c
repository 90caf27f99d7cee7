/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 reset and clock control (ST RM0090, chapters 6 and 7: registers 6.3 and 7.3; start-up
 * times from the STM32F405xx data sheet, section 5.3).
 *
 * Oscillators and PLLs become ready after their start-up times; the system clock follows SW as soon
 * as the chosen source is ready; prescalers make the bus clocks that other parts keep time by.
 * Peripheral resets reset parts, peripheral clocks gate their registers. The CPU itself keeps the
 * pace that the emulator gives it.
 *
 * Not here: clock security, MCO outputs, spread spectrum and low-power clocks, which are kept as
 * written and do nothing.
 */
#include "qemu/peripheral.h"

enum {
    CR = 0x00,
    PLLCFGR = 0x04,
    CFGR = 0x08,
    CIR = 0x0c,
    AHB1RSTR = 0x10,
    APB2RSTR = 0x24,
    AHB1ENR = 0x30,
    APB2ENR = 0x44,
    BDCR = 0x70,
    CSR = 0x74,
    WORDS = 0x90 / 4
};

enum { HSION = 1u << 0, HSEON = 1u << 16, PLLON = 1u << 24, I2SON = 1u << 26, SAION = 1u << 28 };
enum { READY_HSI, READY_HSE, READY_PLL, READY_I2S, READY_SAI, READY_LSE, READY_LSI, N_READY };

#define RMVF (UINT32_C(1) << 24)
#define IWDGRSTF (UINT32_C(1) << 29)
#define HSI_HZ UINT64_C(16000000)

typedef struct rcc {
    uint32_t reg[WORDS];
    bool power_is_on; /* it was reset once: CSR and BDCR survive the next ones */
} rcc;

/* An oscillator: where its switch and ready flag are, its flag in CIR, how long it takes. */
typedef struct source {
    uint32_t reg, on, ready;
    unsigned interrupt; /* bit in CIR */
    int64_t start;      /* ns */
} source;

static const source sources[N_READY] = {
    [READY_HSI] = {CR, HSION, HSION << 1, 2, 2200},
    [READY_HSE] = {CR, HSEON, HSEON << 1, 3, 2000000},
    [READY_PLL] = {CR, PLLON, PLLON << 1, 4, 100000},
    [READY_I2S] = {CR, I2SON, I2SON << 1, 5, 100000},
    [READY_SAI] = {CR, SAION, SAION << 1, 6, 100000},
    [READY_LSE] = {BDCR, 1, 2, 1, 2000000000},
    [READY_LSI] = {CSR, 1, 2, 0, 40000},
};

/* Where a peripheral's reset bit is (its clock's is 0x20 above), and its base (RM0090 table 1). */
typedef struct gate {
    uint8_t reg, bit;
    uint32_t base;
} gate;

static const gate gates[] = {
    {0x10, 0, 0x40020000},  {0x10, 1, 0x40020400},  {0x10, 2, 0x40020800},  {0x10, 3, 0x40020c00},
    {0x10, 4, 0x40021000},  {0x10, 5, 0x40021400},  {0x10, 6, 0x40021800},  {0x10, 7, 0x40021c00},
    {0x10, 8, 0x40022000},  {0x10, 9, 0x40022400},  {0x10, 10, 0x40022800}, {0x10, 21, 0x40026000},
    {0x10, 22, 0x40026400}, {0x20, 0, 0x40000000},  {0x20, 1, 0x40000400},  {0x20, 2, 0x40000800},
    {0x20, 3, 0x40000c00},  {0x20, 4, 0x40001000},  {0x20, 5, 0x40001400},  {0x20, 6, 0x40001800},
    {0x20, 7, 0x40001c00},  {0x20, 8, 0x40002000},  {0x20, 14, 0x40003800}, {0x20, 15, 0x40003c00},
    {0x20, 17, 0x40004400}, {0x20, 18, 0x40004800}, {0x20, 19, 0x40004c00}, {0x20, 20, 0x40005000},
    {0x20, 21, 0x40005400}, {0x20, 22, 0x40005800}, {0x20, 23, 0x40005c00}, {0x20, 28, 0x40007000},
    {0x20, 30, 0x40007800}, {0x20, 31, 0x40007c00}, {0x24, 0, 0x40010000},  {0x24, 1, 0x40010400},
    {0x24, 4, 0x40011000},  {0x24, 5, 0x40011400},  {0x24, 8, 0x40012000},  {0x24, 12, 0x40013000},
    {0x24, 13, 0x40013400}, {0x24, 14, 0x40013800}, {0x24, 16, 0x40014000}, {0x24, 17, 0x40014400},
    {0x24, 18, 0x40014800}, {0x24, 20, 0x40015000}, {0x24, 21, 0x40015400},
};

static const ib_register registers[] = {{0x00, "CR"},         {0x04, "PLLCFGR"},
                                        {0x08, "CFGR"},       {0x0c, "CIR"},
                                        {0x10, "AHB1RSTR"},   {0x14, "AHB2RSTR"},
                                        {0x18, "AHB3RSTR"},   {0x20, "APB1RSTR"},
                                        {0x24, "APB2RSTR"},   {0x30, "AHB1ENR"},
                                        {0x34, "AHB2ENR"},    {0x38, "AHB3ENR"},
                                        {0x40, "APB1ENR"},    {0x44, "APB2ENR"},
                                        {0x50, "AHB1LPENR"},  {0x54, "AHB2LPENR"},
                                        {0x58, "AHB3LPENR"},  {0x60, "APB1LPENR"},
                                        {0x64, "APB2LPENR"},  {0x70, "BDCR"},
                                        {0x74, "CSR"},        {0x80, "SSCGR"},
                                        {0x84, "PLLI2SCFGR"}, {0x88, "PLLSAICFGR"},
                                        {0x8c, "DCKCFGR"},    {0, NULL}};

static const ib_option options[] = {
    {"hse", "frequency of the external oscillator, Hz; 0: none is fitted", 8e6, 0, 50e6},
    {NULL, NULL, 0, 0, 0}};

static uint32_t at(const rcc *s, uint32_t offset) { return s->reg[offset / 4]; }

static uint64_t pll_hz(const ib_part *part, const rcc *s) {
    const uint32_t p = at(s, PLLCFGR);
    const uint64_t in = p >> 22 & 1 ? (uint64_t)part->option[0] : HSI_HZ;
    const uint32_t m = p & 63, n = p >> 6 & 511, div = 2 * ((p >> 16 & 3) + 1);
    return m ? in * n / m / div : 0;
}

/* HPRE, PPRE: shifts; below half of their codes nothing is divided (6.3.3). */
static unsigned ahb_shift(uint32_t code) {
    static const uint8_t shift[] = {1, 2, 3, 4, 6, 7, 8, 9};
    return code & 8 ? shift[code & 7] : 0;
}

static unsigned apb_shift(uint32_t code) { return code & 4 ? (code & 3) + 1 : 0; }

/* A timer runs at its bus's clock, or twice that where the bus is divided (6.2). */
static void publish_clocks(ib_part *part) {
    rcc *s = part->state;
    const uint32_t cfgr = at(s, CFGR);
    const uint32_t sws = cfgr >> 2 & 3;
    const uint64_t sys = sws == 0 ? HSI_HZ : sws == 1 ? (uint64_t)part->option[0] : pll_hz(part, s);
    ib_clocks clocks;
    clocks.sysclk = (uint32_t)sys;
    clocks.hclk = (uint32_t)(sys >> ahb_shift(cfgr >> 4 & 15));
    const unsigned shift1 = apb_shift(cfgr >> 10 & 7), shift2 = apb_shift(cfgr >> 13 & 7);
    clocks.pclk1 = clocks.hclk >> shift1;
    clocks.pclk2 = clocks.hclk >> shift2;
    clocks.timer1 = clocks.pclk1 << (shift1 > 0);
    clocks.timer2 = clocks.pclk2 << (shift2 > 0);
    ib_part_set_clocks(part, &clocks);
}

/* SWS follows SW as soon as the source that SW names is ready. */
static void switch_clock(ib_part *part) {
    static const uint32_t ready[] = {HSION << 1, HSEON << 1, PLLON << 1, 0};
    rcc *s = part->state;
    const uint32_t sw = at(s, CFGR) & 3;
    if (at(s, CR) & ready[sw])
        s->reg[CFGR / 4] = (at(s, CFGR) & ~UINT32_C(0xc)) | sw << 2;
    publish_clocks(part);
}

static void update_interrupt(ib_part *part) {
    const rcc *s = part->state;
    const uint32_t cir = at(s, CIR);
    ib_part_interrupt(part, 0, (cir & cir >> 8 & 0x7f) != 0);
}

/* The PLL needs its input clock; the external oscillator has to be there. */
static bool can_start(const ib_part *part, int which) {
    const rcc *s = part->state;
    const bool hse = at(s, CR) & HSEON << 1;
    if (which == READY_HSE)
        return part->option[0] > 0;
    if (which == READY_PLL || which == READY_I2S || which == READY_SAI)
        return at(s, PLLCFGR) >> 22 & 1 ? hse : (at(s, CR) & HSION << 1) != 0;
    return true;
}

/* Starts what was switched on, stops what was switched off. */
static void update_sources(ib_part *part) {
    rcc *s = part->state;
    for (int i = 0; i < N_READY; i++) {
        const source *o = &sources[i];
        uint32_t *reg = &s->reg[o->reg / 4];
        if (!(*reg & o->on)) {
            *reg &= ~o->ready;
            ib_part_timer(part, i, IB_NEVER);
        } else if (!(*reg & o->ready) && can_start(part, i) &&
                   ib_part_timer_due(part, i) == IB_NEVER) {
            ib_part_timer(part, i, ib_part_now(part) + o->start);
        }
    }
}

static void expire(ib_part *part, int which) {
    rcc *s = part->state;
    s->reg[sources[which].reg / 4] |= sources[which].ready;
    s->reg[CIR / 4] |= UINT32_C(1) << sources[which].interrupt;
    update_sources(part); /* a PLL may have waited for its input */
    switch_clock(part);
    update_interrupt(part);
}

/* The system clock cannot be switched off, nor the PLL's settings changed while it runs (6.3.1). */
static void write_cr(ib_part *part, uint32_t value) {
    rcc *s = part->state;
    static const uint32_t used[] = {HSION, HSEON, PLLON | HSEON, 0};
    const uint32_t ready = (HSION | HSEON | PLLON | I2SON | SAION) << 1;
    uint32_t keep = used[at(s, CFGR) >> 2 & 3];
    if ((at(s, CFGR) >> 2 & 3) == 2 && !(at(s, PLLCFGR) >> 22 & 1))
        keep = PLLON | HSION;
    if (keep & ~value)
        ib_part_misuse(part, CR, "the source of the system clock is switched off: it stays on");
    s->reg[CR / 4] = (at(s, CR) & (ready | 0xff00)) | (value & ~(ready | 0xff00)) | keep;
    update_sources(part);
    switch_clock(part);
}

static void write_csr(ib_part *part, uint32_t value) {
    rcc *s = part->state;
    if (value & RMVF)
        s->reg[CSR / 4] &= UINT32_C(0x00ffffff);
    s->reg[CSR / 4] = (at(s, CSR) & ~UINT32_C(1)) | (value & 1);
    update_sources(part);
}

/* CIR: flags read only, enables, and bits that clear flags. */
static void write_cir(rcc *s, uint32_t value) {
    uint32_t cir = at(s, CIR) & 0xff;
    cir &= ~(value >> 16 & 0xff);
    s->reg[CIR / 4] = cir | (value & 0x7f00);
}

static void apply_gates(ib_part *part) {
    const rcc *s = part->state;
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        /* One enable for each of three converters, which share a reset and a window. */
        const uint32_t bits =
            gates[i].base == 0x40012000 ? UINT32_C(7) << 8 : UINT32_C(1) << gates[i].bit;
        ib_part_clock_at(part, gates[i].base, at(s, gates[i].reg + 0x20u) & bits);
    }
}

/* A reset bit resets while it is set; parts are reset when it rises. */
static void apply_resets(ib_part *part, uint32_t reg, uint32_t rising) {
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        if (gates[i].reg == reg && rising >> gates[i].bit & 1)
            ib_part_reset_at(part, gates[i].base);
}

static uint32_t read(ib_part *part, uint32_t offset) {
    const rcc *s = part->state;
    return offset / 4 < WORDS ? s->reg[offset / 4] : ib_part_unmodelled(part, offset);
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    rcc *s = part->state;
    if (offset / 4 >= WORDS) {
        ib_part_unmodelled(part, offset);
        return;
    }
    uint32_t *reg = &s->reg[offset / 4];
    const uint32_t old = *reg;
    value = (old & ~mask) | (value & mask);
    switch (offset) {
    case CR:
        write_cr(part, value);
        break;
    case PLLCFGR:
        if (at(s, CR) & PLLON && value != old)
            ib_part_misuse(part, offset, "changed while the PLL runs: ignored");
        else
            *reg = value;
        break;
    case CFGR:
        *reg = (value & ~UINT32_C(0xc)) | (old & 0xc);
        switch_clock(part);
        break;
    case CIR:
        write_cir(s, mask == UINT32_MAX ? value : (value & ~UINT32_C(0xff0000)) | (value & mask));
        update_interrupt(part);
        break;
    case BDCR:
        *reg = value & 1u << 16 ? 1u << 16 : (value & ~UINT32_C(2)) | (old & 2);
        update_sources(part);
        break;
    case CSR:
        write_csr(part, value);
        break;
    default:
        *reg = value;
        if (offset >= AHB1RSTR && offset <= APB2RSTR)
            apply_resets(part, offset, value & ~old);
        if (offset >= AHB1ENR && offset <= APB2ENR)
            apply_gates(part);
    }
}

static void reset(ib_part *part) {
    rcc *s = part->state;
    const uint32_t csr =
        s->power_is_on ? (at(s, CSR) & UINT32_C(0xff000000)) | 1u << 26 : 0x0e000000;
    const uint32_t bdcr = s->power_is_on ? at(s, BDCR) : 0;
    for (int i = 0; i < WORDS; i++)
        s->reg[i] = 0;
    s->power_is_on = true;
    s->reg[CR / 4] = 0x83 | 0x8000; /* HSI on and ready, in the middle of its trim; a calibration */
    s->reg[PLLCFGR / 4] = 0x24003010;
    s->reg[AHB1ENR / 4] = 0x00100000;
    s->reg[0x50 / 4] = 0x7e6791ff;
    s->reg[0x54 / 4] = 0x000000f1;
    s->reg[0x58 / 4] = 0x00000001;
    s->reg[0x60 / 4] = 0x36fec9ff;
    s->reg[0x64 / 4] = 0x00075f33;
    s->reg[BDCR / 4] = bdcr;
    s->reg[CSR / 4] = csr;
    s->reg[0x84 / 4] = 0x20003000;
    s->reg[0x88 / 4] = 0x24003000;
    update_sources(part);
    apply_gates(part);
    publish_clocks(part);
}

/* The independent watchdog leaves its mark before it resets. */
static void input(ib_part *part, int line, ib_level level) {
    rcc *s = part->state;
    if (line == 0 && level == IB_HIGH)
        s->reg[CSR / 4] |= IWDGRSTF;
}

static const char *const inputs[] = {"watchdog", NULL};

const ib_part_type ib_type_stm32_rcc = {
    .name = "stm32_rcc",
    .text = "reset and clock control",
    .window = 0x400,
    .lanes = true,
    .state_size = sizeof(rcc),
    .n_timers = N_READY,
    .n_irqs = 1,
    .inputs = inputs,
    .registers = registers,
    .options = options,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
    .input = input,
};
