/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 general-purpose pins, one port (ST RM0090, chapter 8: registers 8.4).
 *
 * Input n is what the board drives pin n with; output n is the level of the pin as others see it. A
 * push-pull output has its own level, an open drain pulls down or lets go, an input takes what the
 * board says; where nobody drives, the pull resistors decide, and without those the pin floats: it
 * reads as low. Pins of alternate functions take part as inputs; what a peripheral puts out on them
 * is that peripheral's matter (a PWM channel is asked for its pulse, a bus for its bytes).
 */
#include "qemu/peripheral.h"

enum {
    MODER = 0x00,
    OTYPER = 0x04,
    OSPEEDR = 0x08,
    PUPDR = 0x0c,
    IDR = 0x10,
    ODR = 0x14,
    BSRR = 0x18,
    LCKR = 0x1c,
    AFRL = 0x20,
    AFRH = 0x24,
    WORDS = 0x28 / 4
};
enum { MODE_INPUT, MODE_OUTPUT, MODE_ALTERNATE, MODE_ANALOG };

#define LCKK (UINT32_C(1) << 16)

typedef struct gpio {
    uint32_t reg[WORDS];
    uint8_t driven[16]; /* by the board: ib_level */
    uint8_t lock_steps; /* of the sequence that locks */
    uint32_t locked;    /* pins whose configuration stays until reset */
} gpio;

static const ib_register registers[] = {{MODER, "MODER"}, {OTYPER, "OTYPER"}, {OSPEEDR, "OSPEEDR"},
                                        {PUPDR, "PUPDR"}, {IDR, "IDR"},       {ODR, "ODR"},
                                        {BSRR, "BSRR"},   {LCKR, "LCKR"},     {AFRL, "AFRL"},
                                        {AFRH, "AFRH"},   {0, NULL}};

static uint32_t field(const gpio *s, uint32_t offset, int pin) {
    return s->reg[offset / 4] >> 2 * pin & 3;
}

static ib_level level_of(const gpio *s, int pin) {
    const bool high = s->reg[ODR / 4] >> pin & 1, open_drain = s->reg[OTYPER / 4] >> pin & 1;
    if (field(s, MODER, pin) == MODE_OUTPUT && !(open_drain && high))
        return high ? IB_HIGH : IB_LOW;
    if (s->driven[pin] != IB_OPEN)
        return (ib_level)s->driven[pin];
    const uint32_t pull = field(s, PUPDR, pin);
    return pull == 1 ? IB_HIGH : pull == 2 ? IB_LOW : IB_OPEN;
}

/* Several pins may change at one write; they are told in the order of their numbers. */
static void update(ib_part *part) {
    const gpio *s = part->state;
    for (int pin = 0; pin < 16; pin++)
        ib_part_output(part, pin, level_of(s, pin));
}

/* The Schmitt trigger is off in analogue mode, the pin reads zero then (8.3.12). */
static uint32_t read_idr(const gpio *s) {
    uint32_t idr = 0;
    for (int pin = 0; pin < 16; pin++)
        if (field(s, MODER, pin) != MODE_ANALOG && level_of(s, pin) == IB_HIGH)
            idr |= UINT32_C(1) << pin;
    return idr;
}

/* Key written 1, 0, 1 with the same pins each time, then read (8.3.8, 8.4.8). */
static void write_lckr(gpio *s, uint32_t value) {
    const bool key = value & LCKK;
    const uint32_t pins = value & 0xffff;
    if (s->locked)
        return;
    const bool same = s->lock_steps == 0 || pins == (s->reg[LCKR / 4] & 0xffff);
    const bool wanted = s->lock_steps != 1;
    s->lock_steps = same && key == wanted ? (uint8_t)(s->lock_steps + 1) : key ? 1 : 0;
    s->reg[LCKR / 4] = pins;
    if (s->lock_steps == 3) {
        s->locked = pins;
        s->reg[LCKR / 4] |= LCKK;
    }
}

/* The bits of a register that locked pins keep: `width` each, of the pins from `first` on. */
static uint32_t kept(const gpio *s, unsigned width, unsigned first) {
    const uint32_t field_bits = (UINT32_C(1) << width) - 1;
    uint32_t bits = 0;
    for (unsigned pin = first; pin < 16 && (pin - first) * width < 32; pin++)
        if (s->locked >> pin & 1)
            bits |= field_bits << (pin - first) * width;
    return bits;
}

static void configure(gpio *s, uint32_t offset, uint32_t value, uint32_t mask, uint32_t keep) {
    mask &= ~keep;
    s->reg[offset / 4] = (s->reg[offset / 4] & ~mask) | (value & mask);
}

static uint32_t read(ib_part *part, uint32_t offset) {
    const gpio *s = part->state;
    if (offset / 4 >= WORDS)
        return ib_part_unmodelled(part, offset);
    if (offset == IDR)
        return read_idr(s);
    return offset == BSRR ? 0 : s->reg[offset / 4];
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    gpio *s = part->state;
    switch (offset) {
    case MODER:
    case OSPEEDR:
    case PUPDR:
        configure(s, offset, value, mask, kept(s, 2, 0));
        break;
    case OTYPER:
        configure(s, offset, value, mask & 0xffff, kept(s, 1, 0));
        break;
    case AFRL:
        configure(s, offset, value, mask, kept(s, 4, 0));
        break;
    case AFRH:
        configure(s, offset, value, mask, kept(s, 4, 8));
        break;
    case IDR:
        break;
    case ODR:
        configure(s, offset, value, mask & 0xffff, 0);
        break;
    case BSRR: /* set wins over reset (8.4.7) */
        value &= mask;
        s->reg[ODR / 4] = (s->reg[ODR / 4] & ~(value >> 16)) | (value & 0xffff);
        break;
    case LCKR:
        write_lckr(s, value);
        return;
    default:
        ib_part_unmodelled(part, offset);
        return;
    }
    update(part);
}

static void input(ib_part *part, int line, ib_level level) {
    gpio *s = part->state;
    s->driven[line] = (uint8_t)level;
    ib_part_output(part, line, level_of(s, line));
}

/* Ports A and B wake with their debug pins set up (8.4.1 ... 8.4.4). */
static void reset(ib_part *part) {
    gpio *s = part->state;
    for (int i = 0; i < WORDS; i++)
        s->reg[i] = 0;
    s->locked = 0;
    s->lock_steps = 0;
    for (int pin = 0; pin < 16; pin++)
        s->driven[pin] = (uint8_t)ib_part_input_level(part, pin);
    if ((part->base >> 10 & 15) == 0) {
        s->reg[MODER / 4] = 0xa8000000;
        s->reg[PUPDR / 4] = 0x64000000;
    } else if ((part->base >> 10 & 15) == 1) {
        s->reg[MODER / 4] = 0x00000280;
        s->reg[OSPEEDR / 4] = 0x000000c0;
        s->reg[PUPDR / 4] = 0x00000100;
    }
    update(part);
}

static const char *const pins[] = {"0", "1",  "2",  "3",  "4",  "5",  "6",  "7", "8",
                                   "9", "10", "11", "12", "13", "14", "15", NULL};

const ib_part_type ib_type_stm32_gpio = {
    .name = "stm32_gpio",
    .text = "general-purpose pins, one port",
    .window = 0x400,
    .lanes = true,
    .state_size = sizeof(gpio),
    .inputs = pins,
    .outputs = pins,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
    .input = input,
};
