/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 serial peripheral interface, master (ST RM0090, chapter 28: functions 28.3,
 * registers 28.5).
 *
 * A frame takes its 8 or 16 bits at the rate that BR divides the bus clock to; what the chips
 * answer is there at its end. One frame waits in the transmit buffer while another is on the wire.
 * Half-duplex reception (BIDIMODE set, BIDIOE clear) and RXONLY clock frame after frame while SPE
 * is set, and finish the frame under way when it is cleared.
 *
 * Not here: slave mode, CRC, TI frames, I2S. NSS is software's (SSM, SSI), or an output that is low
 * while the master is enabled (SSOE).
 */
#include "qemu/peripheral.h"

enum {
    CR1 = 0x00,
    CR2 = 0x04,
    SR = 0x08,
    DR = 0x0c,
    CRCPR = 0x10,
    RXCRCR = 0x14,
    TXCRCR = 0x18,
    I2SCFGR = 0x1c,
    I2SPR = 0x20
};
enum { /* CR1 */
       MSTR = 1 << 2,
       SPE = 1 << 6,
       LSBFIRST = 1 << 7,
       SSI = 1 << 8,
       SSM = 1 << 9,
       RXONLY = 1 << 10,
       DFF = 1 << 11,
       CRCNEXT = 1 << 12,
       CRCEN = 1 << 13,
       BIDIOE = 1 << 14,
       BIDIMODE = 1 << 15
};
enum { /* CR2 */
       RXDMAEN = 1 << 0,
       TXDMAEN = 1 << 1,
       SSOE = 1 << 2,
       FRF = 1 << 4,
       ERRIE = 1 << 5,
       RXNEIE = 1 << 6,
       TXEIE = 1 << 7,
       CR2_BITS = 0xf7
};
enum { RXNE = 1 << 0, TXE = 1 << 1, MODF = 1 << 5, OVR = 1 << 6, BSY = 1 << 7 }; /* SR */

typedef struct spi {
    uint16_t cr1, cr2, crcpr;
    uint16_t rx, tx, shift;
    bool rx_full, tx_full, shifting;
    bool overrun, mode_fault;
    bool overrun_read; /* DR was read since: the next read of SR clears the flag */
    bool fault_read;   /* SR was read since: the next write of CR1 clears the flag */
} spi;

static const ib_register registers[] = {
    {CR1, "CR1"},     {CR2, "CR2"},       {SR, "SR"},         {DR, "DR"},
    {CRCPR, "CRCPR"}, {RXCRCR, "RXCRCR"}, {TXCRCR, "TXCRCR"}, {I2SCFGR, "I2SCFGR"},
    {I2SPR, "I2SPR"}, {0, NULL}};

/* Data flow one way only (28.3.4, 28.3.5). */
static bool receives_only(const spi *s) {
    return s->cr1 & BIDIMODE ? !(s->cr1 & BIDIOE) : (s->cr1 & RXONLY) != 0;
}

static bool transmits_only(const spi *s) { return s->cr1 & BIDIMODE && s->cr1 & BIDIOE; }

static uint32_t status(const spi *s) {
    /* BSY stays low in half-duplex reception (28.3.7). */
    const bool quiet = s->cr1 & BIDIMODE && receives_only(s);
    const bool busy = !quiet && (s->shifting || (s->tx_full && s->cr1 & SPE));
    return (uint32_t)((s->rx_full ? RXNE : 0) | (s->tx_full ? 0 : TXE) |
                      (s->mode_fault ? MODF : 0) | (s->overrun ? OVR : 0) | (busy ? BSY : 0));
}

/* Interrupt and DMA requests follow the flags. */
static void update(ib_part *part) {
    const spi *s = part->state;
    const bool interrupt = (s->cr2 & TXEIE && !s->tx_full) || (s->cr2 & RXNEIE && s->rx_full) ||
                           (s->cr2 & ERRIE && (s->overrun || s->mode_fault));
    ib_part_interrupt(part, 0, interrupt);
    ib_part_request(part, IB_REQUEST_RX, s->cr2 & RXDMAEN && s->rx_full);
    ib_part_request(part, IB_REQUEST_TX, s->cr2 & TXDMAEN && !s->tx_full);
    const bool nss_out = s->cr2 & SSOE && s->cr1 & MSTR && !(s->cr1 & SSM);
    ib_part_output(part, 0, !nss_out ? IB_OPEN : s->cr1 & SPE ? IB_LOW : IB_HIGH);
}

static int64_t frame_ns(const ib_part *part) {
    const spi *s = part->state;
    const unsigned bits = s->cr1 & DFF ? 16 : 8, divider = 2u << (s->cr1 >> 3 & 7);
    return ib_cycles_ns((uint64_t)bits * divider, ib_part_clock(part));
}

/* Puts the next frame on the wire, if there is one and nothing is under way. */
static void start_frame(ib_part *part) {
    spi *s = part->state;
    if (s->shifting || !(s->cr1 & SPE) || !(s->cr1 & MSTR))
        return;
    if (receives_only(s))
        s->shift = 0xffff;
    else if (s->tx_full)
        s->shift = s->tx;
    else
        return;
    if (!receives_only(s))
        s->tx_full = false;
    s->shifting = true;
    ib_part_timer(part, 0, ib_part_now(part) + frame_ns(part));
}

static uint8_t mirrored(uint8_t byte) {
    unsigned out = 0;
    for (int i = 0; i < 8; i++)
        out |= ((unsigned)byte >> i & 1) << (7 - i);
    return (uint8_t)out;
}

/* Chips see bytes in the order and with the bits in the order of the wire. */
static uint16_t exchange(ib_part *part, uint16_t frame) {
    const spi *s = part->state;
    const bool wide = s->cr1 & DFF, lsb_first = s->cr1 & LSBFIRST;
    uint8_t bytes[2] = {(uint8_t)(wide && !lsb_first ? frame >> 8 : frame),
                        (uint8_t)(lsb_first ? frame >> 8 : frame)};
    for (int i = 0; i < (wide ? 2 : 1); i++) {
        const uint8_t out = lsb_first ? mirrored(bytes[i]) : bytes[i];
        const uint8_t in = ib_part_spi_exchange(part, out);
        bytes[i] = lsb_first ? mirrored(in) : in;
    }
    if (!wide)
        return bytes[0];
    return (uint16_t)(lsb_first ? bytes[1] << 8 | bytes[0] : bytes[0] << 8 | bytes[1]);
}

/* A frame has ended. One that finds the buffer full is lost (28.3.10). */
static void expire(ib_part *part, int timer) {
    spi *s = part->state;
    (void)timer;
    const uint16_t in = exchange(part, s->shift);
    s->shifting = false;
    if (!transmits_only(s) && s->rx_full) {
        s->overrun = true;
        s->overrun_read = false;
    } else if (!transmits_only(s)) {
        s->rx = in;
        s->rx_full = true;
    }
    start_frame(part);
    update(part);
}

static uint32_t read_sr(spi *s) {
    const uint32_t value = status(s);
    if (s->overrun_read)
        s->overrun = s->overrun_read = false;
    s->fault_read = s->mode_fault;
    return value;
}

static uint32_t read_dr(spi *s) {
    s->rx_full = false;
    s->overrun_read = s->overrun;
    return s->rx;
}

static uint32_t read(ib_part *part, uint32_t offset) {
    spi *s = part->state;
    uint32_t value;
    switch (offset) {
    case CR1:
        return s->cr1;
    case CR2:
        return s->cr2;
    case SR:
        value = read_sr(s);
        update(part);
        return value;
    case DR:
        value = read_dr(s);
        update(part);
        return value;
    case CRCPR:
        return s->crcpr;
    case RXCRCR:
    case TXCRCR:
    case I2SCFGR:
        return 0;
    case I2SPR:
        return 2;
    default:
        return ib_part_unmodelled(part, offset);
    }
}

/* A master whose NSS is low is not the master any more (28.3.10). */
static void check_mode(ib_part *part) {
    spi *s = part->state;
    if (!(s->cr1 & MSTR) || !(s->cr1 & SSM) || s->cr1 & SSI)
        return;
    s->mode_fault = true;
    s->fault_read = false;
    s->cr1 &= (uint16_t) ~(MSTR | SPE);
    ib_part_misuse(part, CR1, "master with SSM set and SSI clear: a mode fault");
}

static void write_cr1(ib_part *part, uint16_t value) {
    spi *s = part->state;
    if (value & SPE && !(value & MSTR))
        ib_part_lacks(part, CR1, "slave mode");
    if (value & (CRCEN | CRCNEXT))
        ib_part_unmodelled_bits(part, CR1, value & (CRCEN | CRCNEXT));
    if (s->shifting && !receives_only(s) && !(value & SPE))
        ib_part_misuse(part, CR1, "SPE cleared while a frame is under way");
    if (s->fault_read)
        s->mode_fault = s->fault_read = false;
    s->cr1 = value;
    check_mode(part);
    start_frame(part);
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    spi *s = part->state;
    (void)mask;
    switch (offset) {
    case CR1:
        write_cr1(part, (uint16_t)value);
        break;
    case CR2:
        if (value & FRF)
            ib_part_unmodelled_bits(part, CR2, FRF);
        s->cr2 = value & CR2_BITS;
        break;
    case SR: /* CRCERR alone can be written, and never is set */
        return;
    case DR:
        s->tx = (uint16_t)(s->cr1 & DFF ? value : value & 0xff);
        s->tx_full = true;
        start_frame(part);
        break;
    case CRCPR:
        s->crcpr = (uint16_t)value;
        return;
    case I2SCFGR:
        if (value & 1 << 11)
            ib_part_unmodelled_bits(part, I2SCFGR, 1 << 11);
        return;
    case I2SPR:
        return;
    default:
        ib_part_unmodelled(part, offset);
        return;
    }
    update(part);
}

static void reset(ib_part *part) {
    spi *s = part->state;
    *s = (spi){.crcpr = 7};
    update(part);
}

static const char *const outputs[] = {"nss", NULL};

const ib_part_type ib_type_stm32_spi = {
    .name = "stm32_spi",
    .text = "serial peripheral interface, master",
    .window = 0x400,
    .state_size = sizeof(spi),
    .n_timers = 1,
    .n_irqs = 1,
    .outputs = outputs,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
    .expire = expire,
    .is_spi_bus = true,
};
