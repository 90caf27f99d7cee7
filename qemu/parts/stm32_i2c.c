/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 inter-integrated circuit interface, master (ST RM0090, chapter 27: functions 27.3.3,
 * errors 27.3.4, interrupts 27.4, DMA 27.3.7, registers 27.6).
 *
 * Start, address and data bytes take their bits at the rate that CCR sets; flags come and go as in
 * the transfer sequence diagrams (EV5, EV6, EV7, EV8), the clock is stretched while software owes
 * an answer, and ACK and POS decide about the byte in the shift register as the three methods of
 * closing a reception need it.
 *
 * Not here: slave mode, ten-bit addresses, SMBus, packet error checking, other masters.
 */
#include "qemu/peripheral.h"

enum {
    CR1 = 0x00,
    CR2 = 0x04,
    OAR1 = 0x08,
    OAR2 = 0x0c,
    DR = 0x10,
    SR1 = 0x14,
    SR2 = 0x18,
    CCR = 0x1c,
    TRISE = 0x20,
    FLTR = 0x24
};
enum { /* CR1 */
       PE = 1 << 0,
       SMBUS = 1 << 1,
       ENPEC = 1 << 5,
       START = 1 << 8,
       STOP = 1 << 9,
       ACK = 1 << 10,
       POS = 1 << 11,
       PEC = 1 << 12,
       ALERT = 1 << 13,
       SWRST = 1 << 15
};
enum { ITERREN = 1 << 8, ITEVTEN = 1 << 9, ITBUFEN = 1 << 10, DMAEN = 1 << 11, LAST = 1 << 12 };
enum { /* SR1 */
       SB = 1 << 0,
       ADDR = 1 << 1,
       BTF = 1 << 2,
       RXNE = 1 << 6,
       TXE = 1 << 7,
       AF = 1 << 10,
       ERRORS = 0xdf00
};
enum { MSL = 1, BUSY = 2, TRA = 4 }; /* SR2 */
enum { EVENT, ERROR };               /* request lines */

typedef enum phase {
    IDLE,      /* the bus is free */
    STARTING,  /* a start condition is on its way */
    WANTS_SLA, /* SB: the address is awaited in DR */
    ADDRESS,   /* and being sent */
    ADDRESSED, /* ADDR: the clock waits until it is cleared */
    SENDING,
    RECEIVING,
    HELD, /* not acknowledged: a stop or start is awaited */
    STOPPING
} phase;

typedef struct i2c {
    uint16_t cr1, cr2, oar1, oar2, sr1, sr2, ccr, trise, fltr;
    phase phase;
    ib_part *chip; /* addressed */
    uint8_t dr, shift;
    bool shifting;   /* a byte is on the wire */
    bool shift_full; /* a received byte waits behind DR */
    bool pos_ack;    /* with POS: what ACK said a byte ago */
    bool last;       /* DMA: the byte being received is the last */
    uint16_t seen;   /* flags of SR1 that were read */
} i2c;

static const ib_register registers[] = {
    {CR1, "CR1"}, {CR2, "CR2"}, {OAR1, "OAR1"},   {OAR2, "OAR2"}, {DR, "DR"}, {SR1, "SR1"},
    {SR2, "SR2"}, {CCR, "CCR"}, {TRISE, "TRISE"}, {FLTR, "FLTR"}, {0, NULL}};

static void update(ib_part *part) {
    const i2c *s = part->state;
    const uint16_t buffer = s->cr2 & ITBUFEN ? TXE | RXNE : 0;
    ib_part_interrupt(part, EVENT, s->cr2 & ITEVTEN && s->sr1 & (SB | ADDR | BTF | buffer));
    ib_part_interrupt(part, ERROR, s->cr2 & ITERREN && s->sr1 & ERRORS);
    ib_part_request(part, IB_REQUEST_TX, s->cr2 & DMAEN && s->sr1 & TXE);
    ib_part_request(part, IB_REQUEST_RX, s->cr2 & DMAEN && s->sr1 & RXNE);
}

/* Standard mode: high and low last CCR cycles each; fast mode: 1 and 2, or with DUTY 9 and 16
 * (27.6.8). */
static int64_t bits_ns(const ib_part *part, unsigned bits) {
    const i2c *s = part->state;
    const unsigned ccr = s->ccr & 0xfff;
    const unsigned each = !(s->ccr & 0x8000) ? 2 : s->ccr & 0x4000 ? 25 : 3;
    return ib_cycles_ns((uint64_t)bits * each * (ccr ? ccr : 1), ib_part_clock(part));
}

static void after(ib_part *part, unsigned bits) {
    ib_part_timer(part, 0, ib_part_now(part) + bits_ns(part, bits));
}

static void shift_byte(ib_part *part) {
    i2c *s = part->state;
    s->shifting = true;
    after(part, 9);
}

static void release(i2c *s) {
    if (s->chip)
        s->chip->type->i2c->stop(s->chip);
    s->chip = NULL;
}

/* Serves START and STOP as soon as nothing is on the wire and no answer is owed. */
static void settle(ib_part *part) {
    i2c *s = part->state;
    const bool owed = s->phase == STARTING || s->phase == STOPPING || s->phase == ADDRESSED;
    if (s->shifting || owed || !(s->cr1 & PE))
        return;
    if (s->cr1 & STOP && s->phase == IDLE) {
        s->cr1 &= (uint16_t)~STOP;
    } else if (s->cr1 & STOP) {
        s->phase = STOPPING;
        s->sr1 &= (uint16_t) ~(TXE | SB | (s->sr2 & TRA ? BTF : 0));
        after(part, 1);
    } else if (s->cr1 & START) {
        s->phase = STARTING;
        s->sr1 &= (uint16_t) ~(TXE | (s->sr2 & TRA ? BTF : 0));
        after(part, 1);
    }
}

/* ---- what ends on the wire ----------------------------------------------------------------- */

static void started(ib_part *part) {
    i2c *s = part->state;
    s->cr1 &= (uint16_t)~START;
    s->sr1 |= SB;
    s->sr2 = MSL | BUSY;
    s->phase = WANTS_SLA;
    s->last = false;
}

static void stopped(i2c *s) {
    release(s);
    s->cr1 &= (uint16_t)~STOP;
    s->sr2 = 0;
    s->phase = IDLE;
}

static void addressed(ib_part *part) {
    i2c *s = part->state;
    ib_part *before = s->chip;
    const bool read = s->shift & 1;
    s->shifting = false;
    s->chip = ib_part_i2c_start(part, s->shift >> 1, read);
    if (before && before != s->chip)
        before->type->i2c->stop(before);
    if (!s->chip) {
        s->sr1 |= AF;
        s->phase = HELD;
        return;
    }
    s->sr1 |= ADDR;
    s->sr2 = (uint16_t)(MSL | BUSY | (read ? 0 : TRA));
    s->phase = ADDRESSED;
}

static void byte_sent(ib_part *part) {
    i2c *s = part->state;
    s->shifting = false;
    if (!s->chip->type->i2c->write(s->chip, s->shift)) {
        s->sr1 |= AF;
        s->phase = HELD;
    } else if (s->cr1 & (STOP | START)) {
        return; /* settled by the caller */
    } else if (!(s->sr1 & TXE)) {
        s->shift = s->dr;
        s->sr1 |= TXE;
        shift_byte(part);
    } else {
        s->sr1 |= BTF;
    }
}

/* ACK decides about the byte that has come, with POS about the one after it; the first byte with
 * POS is acknowledged (27.6.1). */
static bool acknowledges(i2c *s) {
    const bool ack = s->cr1 & ACK, ahead = s->pos_ack;
    s->pos_ack = ack;
    return !s->last && (s->cr1 & POS ? ahead : ack);
}

static void byte_received(ib_part *part) {
    i2c *s = part->state;
    s->shifting = false;
    s->shift = s->chip->type->i2c->read(s->chip);
    if (!acknowledges(s))
        s->phase = HELD;
    if (s->sr1 & RXNE) {
        s->shift_full = true;
        s->sr1 |= BTF;
    } else {
        s->dr = s->shift;
        s->sr1 |= RXNE;
        if (s->phase == RECEIVING && !(s->cr1 & (STOP | START)))
            shift_byte(part);
    }
}

static void expire(ib_part *part, int timer) {
    i2c *s = part->state;
    (void)timer;
    switch (s->phase) {
    case STARTING:
        started(part);
        break;
    case STOPPING:
        stopped(s);
        break;
    case ADDRESS:
        addressed(part);
        break;
    case SENDING:
        byte_sent(part);
        break;
    case RECEIVING:
        byte_received(part);
        break;
    default:
        break;
    }
    settle(part);
    update(part);
}

/* ---- registers ----------------------------------------------------------------------------- */

/* SR1 read with ADDR set, then SR2: the clock goes on (EV6). */
static uint32_t read_sr2(ib_part *part) {
    i2c *s = part->state;
    const uint32_t value = s->sr2;
    if (!(s->sr1 & ADDR) || !(s->seen & ADDR))
        return value;
    s->sr1 &= (uint16_t)~ADDR;
    s->seen = 0;
    if (s->sr2 & TRA) {
        s->sr1 |= TXE;
        s->phase = SENDING;
    } else {
        s->pos_ack = true;
        s->phase = RECEIVING;
        shift_byte(part);
    }
    settle(part);
    update(part);
    return value;
}

static uint32_t read_dr(ib_part *part) {
    i2c *s = part->state;
    const uint8_t value = s->dr;
    s->sr1 &= (uint16_t) ~(RXNE | BTF);
    if (s->shift_full) {
        s->dr = s->shift;
        s->shift_full = false;
        s->sr1 |= RXNE;
        if (s->phase == RECEIVING && !(s->cr1 & (STOP | START)))
            shift_byte(part);
    }
    update(part);
    return value;
}

static uint32_t read(ib_part *part, uint32_t offset) {
    i2c *s = part->state;
    switch (offset) {
    case CR1:
        return s->cr1;
    case CR2:
        return s->cr2;
    case OAR1:
        return s->oar1;
    case OAR2:
        return s->oar2;
    case DR:
        return read_dr(part);
    case SR1:
        s->seen = s->sr1;
        return s->sr1;
    case SR2:
        return read_sr2(part);
    case CCR:
        return s->ccr;
    case TRISE:
        return s->trise;
    case FLTR:
        return s->fltr;
    default:
        return ib_part_unmodelled(part, offset);
    }
}

static void write_dr(ib_part *part, uint8_t value) {
    i2c *s = part->state;
    if (s->phase == WANTS_SLA && s->sr1 & SB && s->seen & SB) {
        if ((value & 0xf8) == 0xf0)
            ib_part_lacks(part, DR, "a ten-bit address");
        s->sr1 &= (uint16_t)~SB;
        s->shift = value;
        s->phase = ADDRESS;
        shift_byte(part);
    } else if (s->phase == SENDING && !s->shifting) {
        s->sr1 &= (uint16_t)~BTF;
        s->shift = value;
        shift_byte(part); /* DR is empty again at once */
    } else if (s->phase == SENDING) {
        s->dr = value;
        s->sr1 &= (uint16_t)~TXE;
    }
}

static void reset(ib_part *part) {
    i2c *s = part->state;
    release(s);
    *s = (i2c){.trise = 2};
    ib_part_timer(part, 0, IB_NEVER);
    update(part);
}

static void write_cr1(ib_part *part, uint16_t value) {
    i2c *s = part->state;
    if (value & SWRST) {
        reset(part);
        s->cr1 = SWRST;
        return;
    }
    if (value & (SMBUS | ENPEC | PEC | ALERT))
        ib_part_unmodelled_bits(part, CR1, value & (SMBUS | ENPEC | PEC | ALERT));
    /* Software cannot take START and STOP back but by switching off. */
    s->cr1 = (uint16_t)(value | (s->cr1 & (START | STOP)));
    if (!(value & PE)) {
        release(s);
        s->cr1 &= (uint16_t) ~(START | STOP | ACK);
        s->sr1 = s->sr2 = 0;
        s->phase = IDLE;
        s->shifting = s->shift_full = false;
        ib_part_timer(part, 0, IB_NEVER);
    }
    settle(part);
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    i2c *s = part->state;
    (void)mask;
    switch (offset) {
    case CR1:
        write_cr1(part, (uint16_t)value);
        break;
    case CR2:
        s->cr2 = value & 0x1f3f;
        break;
    case OAR1:
        s->oar1 = (uint16_t)value;
        break;
    case OAR2:
        s->oar2 = value & 0xff;
        break;
    case DR:
        write_dr(part, (uint8_t)value);
        break;
    case SR1: /* errors are cleared by a written 0 */
        s->sr1 &= (uint16_t)(value | ~(uint32_t)ERRORS);
        break;
    case SR2:
        break;
    case CCR:
        s->ccr = value & 0xcfff;
        break;
    case TRISE:
        s->trise = value & 0x3f;
        break;
    case FLTR:
        s->fltr = value & 0x1f;
        break;
    default:
        ib_part_unmodelled(part, offset);
        return;
    }
    update(part);
}

/* DMA has one byte left: with LAST that one is not acknowledged (27.3.7). */
static void served(ib_part *part, ib_request what, uint32_t left) {
    i2c *s = part->state;
    if (what == IB_REQUEST_RX && left == 1 && s->cr2 & LAST)
        s->last = true;
}

const ib_part_type ib_type_stm32_i2c = {
    .name = "stm32_i2c",
    .text = "inter-integrated circuit, master; irqs: event, error",
    .window = 0x400,
    .state_size = sizeof(i2c),
    .n_timers = 1,
    .n_irqs = 2,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
    .served = served,
    .is_i2c_bus = true,
};
