/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 system configuration and external interrupts (ST RM0090: SYSCFG chapter 9, registers 9.2;
 * EXTI chapter 12, registers 12.3).
 *
 * SYSCFG hands pin n of one port, the one that EXTICR names, to line n. EXTI sees edges, keeps them
 * pending, and asks for one of seven interrupts: lines 0 to 4 each, 5 to 9, 10 to 15. The lines
 * beyond 15 take software triggers alone. Events (EMR) wake a core that waits; that core never does
 * here.
 */
#include "qemu/peripheral.h"

/* ---- SYSCFG -------------------------------------------------------------------------------- */

enum { MEMRMP = 0x00, PMC = 0x04, EXTICR1 = 0x08, EXTICR4 = 0x14, CMPCR = 0x20, PORTS = 9 };

typedef struct syscfg {
    uint32_t memrmp, pmc, exticr[4], cmpcr;
    uint8_t pin[PORTS][16]; /* levels */
} syscfg;

static const ib_register syscfg_registers[] = {
    {MEMRMP, "MEMRMP"}, {PMC, "PMC"},      {0x08, "EXTICR1"}, {0x0c, "EXTICR2"},
    {0x10, "EXTICR3"},  {0x14, "EXTICR4"}, {CMPCR, "CMPCR"},  {0, NULL}};

static void hand_over(ib_part *part, int line) {
    const syscfg *s = part->state;
    const uint32_t port = s->exticr[line / 4] >> 4 * (line % 4) & 15;
    ib_part_output(part, line, port < PORTS ? (ib_level)s->pin[port][line] : IB_OPEN);
}

static uint32_t syscfg_read(ib_part *part, uint32_t offset) {
    const syscfg *s = part->state;
    if (offset == MEMRMP)
        return s->memrmp;
    if (offset == PMC)
        return s->pmc;
    if (offset >= EXTICR1 && offset <= EXTICR4)
        return s->exticr[(offset - EXTICR1) / 4];
    if (offset == CMPCR)
        return s->cmpcr | (s->cmpcr & 1) << 8; /* the compensation cell is ready when it is on */
    return ib_part_unmodelled(part, offset);
}

static void syscfg_write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    syscfg *s = part->state;
    (void)mask;
    if (offset == MEMRMP) {
        if (value & 7)
            ib_part_unmodelled_bits(part, offset, value & 7);
        s->memrmp = value & 7;
    } else if (offset == PMC) {
        s->pmc = value;
    } else if (offset >= EXTICR1 && offset <= EXTICR4) {
        const int n = (int)(offset - EXTICR1) / 4;
        s->exticr[n] = value & 0xffff;
        for (int i = 0; i < 4; i++)
            hand_over(part, 4 * n + i);
    } else if (offset == CMPCR) {
        s->cmpcr = value & 1;
    } else {
        ib_part_unmodelled(part, offset);
    }
}

static void syscfg_input(ib_part *part, int line, ib_level level) {
    syscfg *s = part->state;
    s->pin[line / 16][line % 16] = (uint8_t)level;
    hand_over(part, line % 16);
}

static void syscfg_reset(ib_part *part) {
    syscfg *s = part->state;
    *s = (syscfg){0};
    for (int i = 0; i < PORTS * 16; i++)
        s->pin[i / 16][i % 16] = (uint8_t)ib_part_input_level(part, i);
    for (int i = 0; i < 16; i++)
        hand_over(part, i);
}

#define PINS(port)                                                                                 \
    port "0", port "1", port "2", port "3", port "4", port "5", port "6", port "7", port "8",      \
        port "9", port "10", port "11", port "12", port "13", port "14", port "15"

static const char *const syscfg_inputs[] = {PINS("a"), PINS("b"), PINS("c"), PINS("d"), PINS("e"),
                                            PINS("f"), PINS("g"), PINS("h"), PINS("i"), NULL};
static const char *const exti_lines[] = {PINS(""), NULL};

const ib_part_type ib_type_stm32_syscfg = {
    .name = "stm32_syscfg",
    .text = "system configuration: which port's pins interrupt",
    .window = 0x400,
    .state_size = sizeof(syscfg),
    .inputs = syscfg_inputs,
    .outputs = exti_lines,
    .registers = syscfg_registers,
    .reset = syscfg_reset,
    .read = syscfg_read,
    .write = syscfg_write,
    .input = syscfg_input,
};

/* ---- EXTI ---------------------------------------------------------------------------------- */

enum { IMR = 0x00, EMR = 0x04, RTSR = 0x08, FTSR = 0x0c, SWIER = 0x10, PR = 0x14 };
enum { EXTI_LINES = 0x7fffff, EXTI_IRQS = 7 };

typedef struct exti {
    uint32_t imr, emr, rtsr, ftsr, swier, pr;
    bool high[16];
} exti;

static const ib_register exti_registers[] = {{IMR, "IMR"},   {EMR, "EMR"},     {RTSR, "RTSR"},
                                             {FTSR, "FTSR"}, {SWIER, "SWIER"}, {PR, "PR"},
                                             {0, NULL}};

static void exti_update(ib_part *part) {
    static const uint32_t lines[EXTI_IRQS] = {0x1, 0x2, 0x4, 0x8, 0x10, 0x3e0, 0xfc00};
    const exti *s = part->state;
    for (int k = 0; k < EXTI_IRQS; k++)
        ib_part_interrupt(part, k, (s->pr & s->imr & lines[k]) != 0);
}

static uint32_t exti_read(ib_part *part, uint32_t offset) {
    const exti *s = part->state;
    switch (offset) {
    case IMR:
        return s->imr;
    case EMR:
        return s->emr;
    case RTSR:
        return s->rtsr;
    case FTSR:
        return s->ftsr;
    case SWIER:
        return s->swier;
    case PR:
        return s->pr;
    default:
        return ib_part_unmodelled(part, offset);
    }
}

/* A bit of SWIER that rises makes its line pending, where it is unmasked; clearing the pending bit
 * clears it (12.3.5). */
static void write_swier(exti *s, uint32_t value) {
    const uint32_t rising = value & ~s->swier;
    s->swier |= value;
    s->pr |= rising & s->imr;
}

static void exti_write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    exti *s = part->state;
    (void)mask;
    value &= EXTI_LINES;
    switch (offset) {
    case IMR:
        s->imr = value;
        break;
    case EMR:
        s->emr = value;
        break;
    case RTSR:
        s->rtsr = value;
        break;
    case FTSR:
        s->ftsr = value;
        break;
    case SWIER:
        write_swier(s, value);
        break;
    case PR:
        s->pr &= ~value;
        s->swier &= ~value;
        break;
    default:
        ib_part_unmodelled(part, offset);
        return;
    }
    exti_update(part);
}

/* A line that floats reads as low, as its pin does. */
static void exti_input(ib_part *part, int line, ib_level level) {
    exti *s = part->state;
    const bool high = level == IB_HIGH;
    if (high == s->high[line])
        return;
    s->high[line] = high;
    s->pr |= (high ? s->rtsr : s->ftsr) & UINT32_C(1) << line;
    exti_update(part);
}

static void exti_reset(ib_part *part) {
    exti *s = part->state;
    *s = (exti){0};
    for (int i = 0; i < 16; i++)
        s->high[i] = ib_part_input_level(part, i) == IB_HIGH;
    exti_update(part);
}

const ib_part_type ib_type_stm32_exti = {
    .name = "stm32_exti",
    .text = "external interrupts; irqs: lines 0, 1, 2, 3, 4, 5 to 9, 10 to 15",
    .window = 0x400,
    .state_size = sizeof(exti),
    .n_irqs = EXTI_IRQS,
    .inputs = exti_lines,
    .registers = exti_registers,
    .reset = exti_reset,
    .read = exti_read,
    .write = exti_write,
    .input = exti_input,
};
