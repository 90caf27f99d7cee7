/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 direct memory access controller (ST RM0090, chapter 10: functions 10.3, request mapping
 * tables 42 and 43, registers 10.5).
 *
 * Eight streams move items between a peripheral's register and memory whenever the peripheral asks,
 * in direct mode or through the FIFO that packs and unpacks item sizes; circular and double-buffer
 * modes; half, complete and error flags. Items move in no time: the peripheral's own pace sets the
 * rate. From memory to memory a block takes eight cycles an item and is there at its end.
 *
 * Not here: bursts (they move the same items), FIFO thresholds and FIFO errors, flow control by the
 * peripheral.
 */
#include "qemu/peripheral.h"

enum { LISR = 0x00, HISR = 0x04, LIFCR = 0x08, HIFCR = 0x0c, STREAM0 = 0x10, STREAM_SIZE = 0x18 };
enum { SxCR = 0x00, SxNDTR = 0x04, SxPAR = 0x08, SxM0AR = 0x0c, SxM1AR = 0x10, SxFCR = 0x14 };
enum { /* SxCR */
       EN = 1 << 0,
       DMEIE = 1 << 1,
       TEIE = 1 << 2,
       HTIE = 1 << 3,
       TCIE = 1 << 4,
       PFCTRL = 1 << 5,
       CIRC = 1 << 8,
       PINC = 1 << 9,
       MINC = 1 << 10,
       PINCOS = 1 << 15,
       DBM = 1 << 18,
       CT = 1 << 19,
       ANY_TIME = EN | DMEIE | TEIE | HTIE | TCIE /* that may be written while the stream runs */
};
enum { TO_MEMORY, TO_PERIPHERAL, MEMORY_TO_MEMORY };
enum { DMEIF = 1 << 2, TEIF = 1 << 3, HTIF = 1 << 4, TCIF = 1 << 5 }; /* of one stream */
enum { STREAMS = 8, SOURCES_MOST = 3, FIFO = 16, DMDIS = 1 << 2 };

#define CYCLES_AN_ITEM 8

typedef struct source {
    ib_part *part;
    ib_request what;
} source;

typedef struct stream {
    uint32_t cr, par, memory[2], fcr;
    uint16_t ndtr, block; /* items left, and of a whole block */
    uint8_t flags;
    uint32_t peripheral_offset, memory_offset; /* of the next item, bytes */
    uint8_t fifo[FIFO];
    unsigned n_fifo;
    source from[SOURCES_MOST]; /* whose requests it serves */
    int n_from;
} stream;

typedef struct dma {
    stream stream[STREAMS];
} dma;

/* Which peripheral's request is on a stream's channel. */
typedef struct request {
    uint8_t controller, stream, channel;
    uint32_t base;
    uint8_t what; /* ib_request */
} request;

enum { RX = IB_REQUEST_RX, TX = IB_REQUEST_TX, UP = IB_REQUEST_UPDATE, TRIG = IB_REQUEST_TRIGGER };
enum { CH1 = IB_REQUEST_CH1, CH2 = IB_REQUEST_CH2, CH3 = IB_REQUEST_CH3, CH4 = IB_REQUEST_CH4 };
enum { TIM1 = 0x40010000, TIM2 = 0x40000000, TIM3 = 0x40000400, TIM4 = 0x40000800 };
enum { TIM5 = 0x40000c00, TIM6 = 0x40001000, TIM7 = 0x40001400, TIM8 = 0x40010400 };
enum { SPI1 = 0x40013000, SPI2 = 0x40003800, SPI3 = 0x40003c00, SPI4 = 0x40013400 };
enum { SPI5 = 0x40015000, SPI6 = 0x40015400, I2C1 = 0x40005400, I2C2 = 0x40005800 };
enum { I2C3 = 0x40005c00, USART1 = 0x40011000, USART2 = 0x40004400, USART3 = 0x40004800 };
enum { UART4 = 0x40004c00, UART5 = 0x40005000, USART6 = 0x40011400, UART7 = 0x40007800 };
enum { UART8 = 0x40007c00, ADC = 0x40012000 };

/* clang-format off */
static const request requests[] = {
    {1, 0, 0, SPI3, RX},   {1, 2, 0, SPI3, RX},   {1, 3, 0, SPI2, RX},   {1, 4, 0, SPI2, TX},
    {1, 5, 0, SPI3, TX},   {1, 7, 0, SPI3, TX},
    {1, 0, 1, I2C1, RX},   {1, 2, 1, TIM7, UP},   {1, 4, 1, TIM7, UP},   {1, 5, 1, I2C1, RX},
    {1, 6, 1, I2C1, TX},   {1, 7, 1, I2C1, TX},
    {1, 0, 2, TIM4, CH1},  {1, 3, 2, TIM4, CH2},  {1, 6, 2, TIM4, UP},   {1, 7, 2, TIM4, CH3},
    {1, 1, 3, TIM2, UP},   {1, 1, 3, TIM2, CH3},  {1, 2, 3, I2C3, RX},   {1, 4, 3, I2C3, TX},
    {1, 5, 3, TIM2, CH1},  {1, 6, 3, TIM2, CH2},  {1, 6, 3, TIM2, CH4},  {1, 7, 3, TIM2, UP},
    {1, 7, 3, TIM2, CH4},
    {1, 0, 4, UART5, RX},  {1, 1, 4, USART3, RX}, {1, 2, 4, UART4, RX},  {1, 3, 4, USART3, TX},
    {1, 4, 4, UART4, TX},  {1, 5, 4, USART2, RX}, {1, 6, 4, USART2, TX}, {1, 7, 4, UART5, TX},
    {1, 0, 5, UART8, TX},  {1, 1, 5, UART7, TX},  {1, 2, 5, TIM3, CH4},  {1, 2, 5, TIM3, UP},
    {1, 3, 5, UART7, RX},  {1, 4, 5, TIM3, CH1},  {1, 4, 5, TIM3, TRIG}, {1, 5, 5, TIM3, CH2},
    {1, 6, 5, UART8, RX},  {1, 7, 5, TIM3, CH3},
    {1, 0, 6, TIM5, CH3},  {1, 0, 6, TIM5, UP},   {1, 1, 6, TIM5, CH4},  {1, 1, 6, TIM5, TRIG},
    {1, 2, 6, TIM5, CH1},  {1, 3, 6, TIM5, CH4},  {1, 3, 6, TIM5, TRIG}, {1, 4, 6, TIM5, CH2},
    {1, 6, 6, TIM5, UP},
    {1, 1, 7, TIM6, UP},   {1, 2, 7, I2C2, RX},   {1, 3, 7, I2C2, RX},   {1, 4, 7, USART3, TX},
    {1, 7, 7, I2C2, TX},
    {2, 0, 0, ADC, IB_REQUEST_ADC1}, {2, 4, 0, ADC, IB_REQUEST_ADC1},
    {2, 2, 0, TIM8, CH1},  {2, 2, 0, TIM8, CH2},  {2, 2, 0, TIM8, CH3},
    {2, 6, 0, TIM1, CH1},  {2, 6, 0, TIM1, CH2},  {2, 6, 0, TIM1, CH3},
    {2, 2, 1, ADC, IB_REQUEST_ADC2}, {2, 3, 1, ADC, IB_REQUEST_ADC2},
    {2, 5, 1, SPI6, TX},   {2, 6, 1, SPI6, RX},
    {2, 0, 2, ADC, IB_REQUEST_ADC3}, {2, 1, 2, ADC, IB_REQUEST_ADC3},
    {2, 3, 2, SPI5, RX},   {2, 4, 2, SPI5, TX},
    {2, 0, 3, SPI1, RX},   {2, 2, 3, SPI1, RX},   {2, 3, 3, SPI1, TX},   {2, 5, 3, SPI1, TX},
    {2, 0, 4, SPI4, RX},   {2, 1, 4, SPI4, TX},   {2, 2, 4, USART1, RX}, {2, 5, 4, USART1, RX},
    {2, 7, 4, USART1, TX},
    {2, 1, 5, USART6, RX}, {2, 2, 5, USART6, RX}, {2, 3, 5, SPI4, RX},   {2, 4, 5, SPI4, TX},
    {2, 6, 5, USART6, TX}, {2, 7, 5, USART6, TX},
    {2, 0, 6, TIM1, TRIG}, {2, 1, 6, TIM1, CH1},  {2, 2, 6, TIM1, CH2},  {2, 3, 6, TIM1, CH1},
    {2, 4, 6, TIM1, CH4},  {2, 4, 6, TIM1, TRIG}, {2, 5, 6, TIM1, UP},   {2, 6, 6, TIM1, CH3},
    {2, 1, 7, TIM8, UP},   {2, 2, 7, TIM8, CH1},  {2, 3, 7, TIM8, CH2},  {2, 4, 7, TIM8, CH3},
    {2, 5, 7, SPI5, RX},   {2, 6, 7, SPI5, TX},   {2, 7, 7, TIM8, CH4},  {2, 7, 7, TIM8, TRIG},
};
/* clang-format on */

static const ib_register registers[] = {
    {0x00, "LISR"},   {0x04, "HISR"},   {0x08, "LIFCR"},  {0x0c, "HIFCR"},  {0x10, "S0CR"},
    {0x14, "S0NDTR"}, {0x18, "S0PAR"},  {0x1c, "S0M0AR"}, {0x20, "S0M1AR"}, {0x24, "S0FCR"},
    {0x28, "S1CR"},   {0x2c, "S1NDTR"}, {0x30, "S1PAR"},  {0x34, "S1M0AR"}, {0x38, "S1M1AR"},
    {0x3c, "S1FCR"},  {0x40, "S2CR"},   {0x44, "S2NDTR"}, {0x48, "S2PAR"},  {0x4c, "S2M0AR"},
    {0x50, "S2M1AR"}, {0x54, "S2FCR"},  {0x58, "S3CR"},   {0x5c, "S3NDTR"}, {0x60, "S3PAR"},
    {0x64, "S3M0AR"}, {0x68, "S3M1AR"}, {0x6c, "S3FCR"},  {0x70, "S4CR"},   {0x74, "S4NDTR"},
    {0x78, "S4PAR"},  {0x7c, "S4M0AR"}, {0x80, "S4M1AR"}, {0x84, "S4FCR"},  {0x88, "S5CR"},
    {0x8c, "S5NDTR"}, {0x90, "S5PAR"},  {0x94, "S5M0AR"}, {0x98, "S5M1AR"}, {0x9c, "S5FCR"},
    {0xa0, "S6CR"},   {0xa4, "S6NDTR"}, {0xa8, "S6PAR"},  {0xac, "S6M0AR"}, {0xb0, "S6M1AR"},
    {0xb4, "S6FCR"},  {0xb8, "S7CR"},   {0xbc, "S7NDTR"}, {0xc0, "S7PAR"},  {0xc4, "S7M0AR"},
    {0xc8, "S7M1AR"}, {0xcc, "S7FCR"},  {0, NULL}};

static unsigned direction(const stream *s) { return s->cr >> 6 & 3; }
static unsigned peripheral_size(const stream *s) { return 1u << (s->cr >> 11 & 3); }
static bool is_direct(const stream *s) {
    return !(s->fcr & DMDIS) && direction(s) != MEMORY_TO_MEMORY;
}

/* In direct mode memory items are as large as the peripheral's (10.3.10). */
static unsigned memory_size(const stream *s) {
    return is_direct(s) ? peripheral_size(s) : 1u << (s->cr >> 13 & 3);
}

/* The enables lie one bit below their flags. */
static void update(ib_part *part, int n) {
    const stream *s = &((dma *)part->state)->stream[n];
    const unsigned enabled = (s->cr & (DMEIE | TEIE | HTIE | TCIE)) << 1;
    ib_part_interrupt(part, n, (s->flags & enabled) != 0);
}

/* ---- moving ------------------------------------------------------------------------------- */

static uint32_t memory_address(const stream *s) {
    return s->memory[s->cr & CT ? 1 : 0] + s->memory_offset;
}

static void next_memory(stream *s, unsigned size) {
    if (s->cr & MINC)
        s->memory_offset += size;
}

static void next_peripheral(stream *s) {
    if (s->cr & PINC)
        s->peripheral_offset += s->cr & PINCOS ? 4 : peripheral_size(s);
}

static void push(stream *s, uint32_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++)
        s->fifo[s->n_fifo++] = (uint8_t)(value >> 8 * i);
}

static uint32_t pop(stream *s, unsigned size) {
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint32_t)s->fifo[i] << 8 * i;
    s->n_fifo -= size;
    for (unsigned i = 0; i < s->n_fifo; i++)
        s->fifo[i] = s->fifo[i + size];
    return value;
}

/* One item from the peripheral's side; whole memory items go on, at the end whatever is left. */
static bool take_in(ib_part *part, stream *s) {
    const unsigned size = memory_size(s);
    uint32_t value;
    if (!ib_part_bus_read(part, s->par + s->peripheral_offset, peripheral_size(s), &value))
        return false;
    next_peripheral(s);
    push(s, value, peripheral_size(s));
    while (s->n_fifo >= size || (s->ndtr == 1 && s->n_fifo > 0)) {
        const unsigned now = s->n_fifo >= size ? size : 1;
        if (!ib_part_bus_write(part, memory_address(s), now, pop(s, now)))
            return false;
        next_memory(s, now);
    }
    return true;
}

static bool give_out(ib_part *part, stream *s) {
    const unsigned size = memory_size(s);
    while (s->n_fifo < peripheral_size(s)) {
        uint32_t value;
        if (!ib_part_bus_read(part, memory_address(s), size, &value))
            return false;
        next_memory(s, size);
        push(s, value, size);
    }
    const uint32_t out = pop(s, peripheral_size(s));
    const uint32_t address = s->par + s->peripheral_offset;
    next_peripheral(s);
    return ib_part_bus_write(part, address, peripheral_size(s), out);
}

/* A block is complete: the stream begins anew, with the other buffer, or ends. */
static void end_block(stream *s) {
    s->flags |= TCIF;
    if (s->cr & (CIRC | DBM)) {
        s->ndtr = s->block;
        s->peripheral_offset = s->memory_offset = 0;
        s->n_fifo = 0;
        if (s->cr & DBM)
            s->cr ^= CT;
    } else {
        s->cr &= ~(uint32_t)EN;
    }
}

static void move_item(ib_part *part, int n) {
    stream *s = &((dma *)part->state)->stream[n];
    const bool moved = direction(s) == TO_PERIPHERAL ? give_out(part, s) : take_in(part, s);
    if (!moved) {
        s->flags |= TEIF;
        s->cr &= ~(uint32_t)EN;
        return;
    }
    s->ndtr--;
    if (s->block - s->ndtr == s->block / 2)
        s->flags |= HTIF;
    if (s->ndtr == 0)
        end_block(s);
}

/* ---- whose turn it is --------------------------------------------------------------------- */

static const source *asking(const stream *s) {
    for (int i = 0; i < s->n_from; i++)
        if (s->from[i].part->requests >> s->from[i].what & 1)
            return &s->from[i];
    return NULL;
}

/* The stream of the highest priority, of equal ones the lowest number (10.3.5). */
static int first_asking(const dma *d) {
    int first = -1;
    for (int n = 0; n < STREAMS; n++) {
        const stream *s = &d->stream[n];
        if (s->cr & EN && direction(s) != MEMORY_TO_MEMORY && asking(s) &&
            (first < 0 || (s->cr >> 16 & 3) > (d->stream[first].cr >> 16 & 3)))
            first = n;
    }
    return first;
}

static bool serve(ib_part *part) {
    dma *d = part->state;
    const int n = first_asking(d);
    if (n < 0)
        return false;
    stream *s = &d->stream[n];
    const source from = *asking(s);
    const uint32_t left = s->ndtr - 1u;
    move_item(part, n);
    if (from.part->type->served)
        from.part->type->served(from.part, from.what, left);
    update(part, n);
    return true;
}

static void find_sources(ib_part *part, int n) {
    stream *s = &((dma *)part->state)->stream[n];
    const unsigned controller = (part->base >> 10 & 1) + 1, channel = s->cr >> 25 & 7;
    s->n_from = 0;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const request *r = &requests[i];
        ib_part *who = r->controller == controller && r->stream == n && r->channel == channel
                           ? ib_part_at(part, r->base)
                           : NULL;
        if (who && s->n_from < SOURCES_MOST)
            s->from[s->n_from++] = (source){who, (ib_request)r->what};
    }
}

/* ---- registers ---------------------------------------------------------------------------- */

static void start(ib_part *part, int n) {
    stream *s = &((dma *)part->state)->stream[n];
    if (s->flags)
        ib_part_misuse(part, (uint32_t)(STREAM0 + STREAM_SIZE * n),
                       "enabled before the flags of the last transfer were cleared");
    s->block = s->ndtr;
    s->peripheral_offset = s->memory_offset = 0;
    s->n_fifo = 0;
    if (s->ndtr == 0) {
        s->cr &= ~(uint32_t)EN;
        return;
    }
    if (s->cr & PFCTRL)
        ib_part_lacks(part, (uint32_t)(STREAM0 + STREAM_SIZE * n),
                      "flow control by the peripheral");
    find_sources(part, n);
    if (direction(s) == MEMORY_TO_MEMORY)
        ib_part_timer(part, n,
                      ib_part_now(part) +
                          ib_cycles_ns(CYCLES_AN_ITEM * (uint64_t)s->ndtr, ib_part_clock(part)));
    ib_part_wake_dma(part);
}

/* Switching off before the end completes what there is: the flag is set (10.3.14). */
static void write_cr(ib_part *part, int n, uint32_t value) {
    stream *s = &((dma *)part->state)->stream[n];
    const bool ran = s->cr & EN;
    const uint32_t mask = ran ? ANY_TIME : 0x0fefffff;
    s->cr = (s->cr & ~mask) | (value & mask);
    if (s->cr & EN && !ran)
        start(part, n);
    if (ran && !(s->cr & EN)) {
        ib_part_timer(part, n, IB_NEVER);
        s->flags |= TCIF;
    }
}

/* Streams' flags lie six bits apart, the upper two of four above a half-word. */
static unsigned flag_shift(int n) { return (unsigned)(n & 1) * 6 + (n & 2 ? 16 : 0); }

static uint32_t read_flags(const dma *d, int first) {
    uint32_t value = 0;
    for (int n = first; n < first + 4; n++)
        value |= (uint32_t)d->stream[n].flags << flag_shift(n);
    return value;
}

static void clear_flags(ib_part *part, int first, uint32_t value) {
    dma *d = part->state;
    for (int n = first; n < first + 4; n++) {
        d->stream[n].flags &= (uint8_t) ~(value >> flag_shift(n) & 0x3d);
        update(part, n);
    }
}

static uint32_t read(ib_part *part, uint32_t offset) {
    const dma *d = part->state;
    if (offset < LIFCR)
        return read_flags(d, offset == LISR ? 0 : 4);
    if (offset < STREAM0)
        return 0;
    if (offset >= STREAM0 + STREAMS * STREAM_SIZE)
        return ib_part_unmodelled(part, offset);
    const stream *s = &d->stream[(offset - STREAM0) / STREAM_SIZE];
    switch ((offset - STREAM0) % STREAM_SIZE) {
    case SxCR:
        return s->cr;
    case SxNDTR:
        return s->ndtr;
    case SxPAR:
        return s->par;
    case SxM0AR:
        return s->memory[0];
    case SxM1AR:
        return s->memory[1];
    default: /* the FIFO is empty between items */
        return s->fcr | 4u << 3;
    }
}

static void write_stream(ib_part *part, int n, uint32_t offset, uint32_t value) {
    stream *s = &((dma *)part->state)->stream[n];
    switch (offset) {
    case SxCR:
        write_cr(part, n, value);
        break;
    case SxNDTR:
        if (!(s->cr & EN))
            s->ndtr = (uint16_t)value;
        break;
    case SxPAR:
        if (!(s->cr & EN))
            s->par = value;
        break;
    case SxM0AR:
        s->memory[0] = value;
        break;
    case SxM1AR:
        s->memory[1] = value;
        break;
    default:
        s->fcr = value & 0x87;
    }
    update(part, n);
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    (void)mask;
    if (offset < LIFCR)
        return;
    if (offset < STREAM0)
        clear_flags(part, offset == LIFCR ? 0 : 4, value);
    else if (offset < STREAM0 + STREAMS * STREAM_SIZE)
        write_stream(part, (int)(offset - STREAM0) / STREAM_SIZE, (offset - STREAM0) % STREAM_SIZE,
                     value);
    else
        ib_part_unmodelled(part, offset);
}

static void expire(ib_part *part, int n) {
    stream *s = &((dma *)part->state)->stream[n];
    for (unsigned left = s->ndtr; left > 0 && s->cr & EN; left--)
        move_item(part, n);
    update(part, n);
}

static void reset(ib_part *part) {
    dma *d = part->state;
    for (int n = 0; n < STREAMS; n++) {
        d->stream[n] = (stream){.fcr = 1};
        update(part, n);
    }
}

const ib_part_type ib_type_stm32_dma = {
    .name = "stm32_dma",
    .text = "direct memory access; irqs: streams 0 to 7",
    .window = 0x400,
    .state_size = sizeof(dma),
    .n_timers = STREAMS,
    .n_irqs = STREAMS,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
    .serve = serve,
};
