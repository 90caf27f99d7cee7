/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 universal asynchronous receiver and transmitter (ST RM0090, chapter 30: functions 30.3,
 * registers 30.6).
 *
 * Characters take their bits at the rate that BRR divides the bus clock to, one waits in the
 * transmit buffer. A character whose sender keeps another rate arrives as garbage with a framing
 * error. IDLE comes after one character's time of silence.
 *
 * Not here: the idle frame that TE sends, break, LIN, synchronous, smart-card, infrared and
 * half-duplex modes, mute mode; the other end is always clear to send.
 */
#include "qemu/peripheral.h"

enum { SR = 0x00, DR = 0x04, BRR = 0x08, CR1 = 0x0c, CR2 = 0x10, CR3 = 0x14, GTPR = 0x18 };
enum { /* SR */
       PE = 1 << 0,
       FE = 1 << 1,
       NF = 1 << 2,
       ORE = 1 << 3,
       IDLE = 1 << 4,
       RXNE = 1 << 5,
       TC = 1 << 6,
       TXE = 1 << 7,
       LBD = 1 << 8,
       CTS = 1 << 9
};
enum { /* CR1 */
       SBK = 1 << 0,
       RWU = 1 << 1,
       RE = 1 << 2,
       TE = 1 << 3,
       IDLEIE = 1 << 4,
       RXNEIE = 1 << 5,
       TCIE = 1 << 6,
       TXEIE = 1 << 7,
       PEIE = 1 << 8,
       PS = 1 << 9,
       PCE = 1 << 10,
       M = 1 << 12,
       UE = 1 << 13,
       OVER8 = 1 << 15
};
enum { EIE = 1 << 0, DMAR = 1 << 6, DMAT = 1 << 7, CR3_LACKS = 0x3e, CR2_LACKS = 0x4800 };
enum { TIMER_TX, TIMER_RX, TIMER_IDLE, N_TIMERS };

typedef struct usart {
    uint16_t sr, brr, cr1, cr2, cr3, gtpr;
    uint16_t rx, tx, tx_shift, rx_shift;
    bool sending, receiving;
    bool rx_garbled;
    uint16_t sr_seen; /* flags that a read of SR showed: DR's access clears them */
} usart;

static const ib_register registers[] = {{SR, "SR"},   {DR, "DR"},   {BRR, "BRR"},   {CR1, "CR1"},
                                        {CR2, "CR2"}, {CR3, "CR3"}, {GTPR, "GTPR"}, {0, NULL}};

static void update(ib_part *part) {
    const usart *s = part->state;
    const unsigned sr = s->sr, cr1 = s->cr1, cr3 = s->cr3;
    /* TXEIE, TCIE, RXNEIE and IDLEIE lie where their flags do. */
    bool interrupt = sr & cr1 & (TXE | TC | RXNE | IDLE);
    interrupt = interrupt || (cr1 & RXNEIE && sr & ORE) || (cr1 & PEIE && sr & PE) ||
                (cr3 & EIE && cr3 & DMAR && sr & (FE | ORE | NF));
    ib_part_interrupt(part, 0, cr1 & UE && interrupt);
    ib_part_request(part, IB_REQUEST_RX, cr1 & UE && cr3 & DMAR && sr & RXNE);
    ib_part_request(part, IB_REQUEST_TX, cr1 & UE && cr1 & TE && cr3 & DMAT && sr & TXE);
}

/* Clock cycles of a bit: BRR counts sixteenths, or with OVER8 mantissa and eighths (30.3.4). */
static uint32_t bit_cycles(const usart *s) {
    return s->cr1 & OVER8 ? (uint32_t)(s->brr >> 4) * 8 + (s->brr & 7) : s->brr;
}

static int64_t bits_ns(const ib_part *part, unsigned half_bits) {
    const usart *s = part->state;
    return ib_cycles_ns((uint64_t)half_bits * bit_cycles(s), 2 * ib_part_clock(part));
}

/* Start, data with parity, stop: in half bits. */
static int64_t frame_ns(const ib_part *part) {
    static const uint8_t stop[] = {2, 1, 4, 3};
    const usart *s = part->state;
    const unsigned data = s->cr1 & M ? 9 : 8;
    if (!(s->cr1 & UE) || bit_cycles(s) == 0)
        return 0;
    return bits_ns(part, 2 + 2 * data + stop[s->cr2 >> 12 & 3]);
}

/* ---- transmitter --------------------------------------------------------------------------- */

static void start_sending(ib_part *part) {
    usart *s = part->state;
    if (s->sending || s->sr & TXE || !(s->cr1 & TE) || frame_ns(part) == 0)
        return;
    s->tx_shift = s->tx;
    s->sending = true;
    s->sr |= TXE;
    ib_part_timer(part, TIMER_TX, ib_part_now(part) + frame_ns(part));
}

/* A character has left. */
static void sent(ib_part *part) {
    usart *s = part->state;
    const unsigned data_bits = (s->cr1 & M ? 9u : 8u) - (s->cr1 & PCE ? 1u : 0u);
    const uint8_t byte = (uint8_t)(s->tx_shift & ((1u << data_bits) - 1));
    s->sending = false;
    start_sending(part);
    if (!s->sending)
        s->sr |= TC;
    ib_part_uart_send(part, byte, bits_ns(part, 2));
}

/* ---- receiver ------------------------------------------------------------------------------ */

/* With parity the bit after the data is the parity's, as the sender of the same mode made it. */
static uint16_t with_parity(const usart *s, uint16_t data) {
    const unsigned bits = s->cr1 & M ? 8 : 7;
    unsigned ones = 0;
    if (!(s->cr1 & PCE))
        return data;
    data &= (uint16_t)((1u << bits) - 1);
    for (unsigned i = 0; i < bits; i++)
        ones += (unsigned)data >> i & 1;
    const bool odd = s->cr1 & PS;
    return (uint16_t)(data | ((ones & 1) != odd ? 1u << bits : 0));
}

/* A character is complete. One that finds the last still unread is lost (30.3.3). */
static void received(ib_part *part) {
    usart *s = part->state;
    s->receiving = false;
    ib_part_timer(part, TIMER_RX, IB_NEVER);
    ib_part_timer(part, TIMER_IDLE, ib_part_now(part) + frame_ns(part));
    if (s->sr & RXNE) {
        s->sr |= ORE;
    } else {
        s->rx = with_parity(s, s->rx_shift);
        s->sr |= RXNE | (s->rx_garbled ? FE : 0);
    }
    update(part);
}

/* A receiver samples about the middle of the bits: by the last of ten, four per cent is too much.
 */
static bool differs(int64_t theirs, int64_t ours) {
    const int64_t off = theirs > ours ? theirs - ours : ours - theirs;
    return off * 25 > ours;
}

static void receive(ib_part *part, uint8_t byte, int64_t bit_ns) {
    usart *s = part->state;
    if (!(s->cr1 & UE) || !(s->cr1 & RE) || frame_ns(part) == 0)
        return;
    if (s->receiving)
        received(part);
    s->receiving = true;
    s->rx_garbled = bit_ns && differs(bit_ns, bits_ns(part, 2));
    s->rx_shift = s->rx_garbled ? (uint8_t)(~byte >> 1) : byte;
    ib_part_timer(part, TIMER_RX, ib_part_now(part) + frame_ns(part));
    ib_part_timer(part, TIMER_IDLE, IB_NEVER);
}

static void expire(ib_part *part, int timer) {
    usart *s = part->state;
    if (timer == TIMER_TX)
        sent(part);
    else if (timer == TIMER_RX)
        received(part);
    else
        s->sr |= IDLE;
    update(part);
}

/* ---- registers ----------------------------------------------------------------------------- */

static uint32_t read_dr(usart *s) {
    s->sr &= (uint16_t) ~(RXNE | (s->sr_seen & (PE | FE | NF | ORE | IDLE)));
    s->sr_seen = 0;
    return s->rx;
}

static uint32_t read(ib_part *part, uint32_t offset) {
    usart *s = part->state;
    uint32_t value;
    switch (offset) {
    case SR:
        s->sr_seen = s->sr;
        return s->sr;
    case DR:
        value = read_dr(s);
        update(part);
        return value;
    case BRR:
        return s->brr;
    case CR1:
        return s->cr1;
    case CR2:
        return s->cr2;
    case CR3:
        return s->cr3;
    case GTPR:
        return s->gtpr;
    default:
        return ib_part_unmodelled(part, offset);
    }
}

static void write_dr(ib_part *part, uint16_t value) {
    usart *s = part->state;
    if (s->sr_seen & TC)
        s->sr &= (uint16_t)~TC;
    s->sr_seen &= (uint16_t)~TC;
    s->tx = value & 0x1ff;
    s->sr &= (uint16_t)~TXE;
    start_sending(part);
}

static void write_cr1(ib_part *part, uint16_t value) {
    usart *s = part->state;
    if (value & RWU)
        ib_part_lacks(part, CR1, "mute mode");
    if (value & SBK)
        ib_part_lacks(part, CR1, "break");
    s->cr1 = value & (uint16_t) ~(SBK | RWU);
    if (!(value & UE)) {
        s->sending = s->receiving = false;
        for (int i = 0; i < N_TIMERS; i++)
            ib_part_timer(part, i, IB_NEVER);
    }
    start_sending(part);
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    usart *s = part->state;
    (void)mask;
    switch (offset) {
    case SR: /* a written 0 clears these */
        s->sr &= (uint16_t)(value | ~(uint32_t)(CTS | LBD | TC | RXNE));
        break;
    case DR:
        write_dr(part, (uint16_t)value);
        break;
    case BRR:
        s->brr = (uint16_t)value;
        break;
    case CR1:
        write_cr1(part, (uint16_t)value);
        break;
    case CR2:
        if (value & CR2_LACKS)
            ib_part_unmodelled_bits(part, CR2, value & CR2_LACKS);
        s->cr2 = (uint16_t)value;
        break;
    case CR3:
        if (value & CR3_LACKS)
            ib_part_unmodelled_bits(part, CR3, value & CR3_LACKS);
        s->cr3 = (uint16_t)value;
        break;
    case GTPR:
        s->gtpr = (uint16_t)value;
        break;
    default:
        ib_part_unmodelled(part, offset);
        return;
    }
    update(part);
}

static void reset(ib_part *part) {
    usart *s = part->state;
    *s = (usart){.sr = TXE | TC};
    update(part);
}

static const ib_uart_end end = {receive, frame_ns};

const ib_part_type ib_type_stm32_usart = {
    .name = "stm32_usart",
    .text = "asynchronous receiver and transmitter",
    .window = 0x400,
    .state_size = sizeof(usart),
    .n_timers = N_TIMERS,
    .n_irqs = 1,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
    .uart = &end,
};
