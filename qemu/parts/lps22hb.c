/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LPS22HB barometer (ST data sheet DocID027083: characteristics tables 3 and 4, FIFO chapter 5,
 * registers chapter 9).
 *
 * Continuous and single measurements, 4096 counts a hectopascal and 100 a degree, flags and pin,
 * block update, and the FIFO of 32 pairs.
 *
 * Not here: thresholds, auto-zero, reference and offset pressure, the low-pass filter (the sample
 * is what the error model says).
 */
#include <string.h>

#include "qemu/parts/chip.h"

enum {
    INTERRUPT_CFG = 0x0b,
    WHO_AM_I = 0x0f,
    CTRL1,
    CTRL2,
    CTRL3,
    FIFO_CTRL = 0x14,
    RPDS_L = 0x18,
    RPDS_H = 0x19,
    RES_CONF = 0x1a,
    FIFO_STATUS = 0x26,
    STATUS = 0x27,
    PRESS_XL = 0x28,
    PRESS_H = 0x2a,
    TEMP_L = 0x2b,
    TEMP_H = 0x2c,
    LPFP_RES = 0x33
};
enum { BDU = 1 << 1 }; /* CTRL1 */
enum {
    ONE_SHOT = 1 << 0,
    SWRESET = 1 << 2,
    ADD_INC = 1 << 4,
    STOP_ON_FTH = 1 << 5,
    FIFO_EN = 1 << 6,
    BOOT = 1 << 7
}; /* CTRL2 */
enum {
    DRDY = 1 << 2,
    F_OVR = 1 << 3,
    F_FTH = 1 << 4,
    F_FULL = 1 << 5,
    PP_OD = 1 << 6,
    LOW = 1 << 7
};
enum { P_DA = 1, T_DA = 2, P_OR = 16, T_OR = 32 }; /* STATUS */
enum { TIMER_MEASURE, TIMER_ONCE, TIMER_RESET, N_TIMERS };
enum { SLOT_PRESSURE, SLOT_TEMPERATURE, FIFO = 32, MODE_FIFO = 1, MODE_STREAM = 2 };

#define PASCAL_A_COUNT (100.0 / 4096)
#define ONE_SHOT_NS INT64_C(13200000)
#define RESET_NS INT64_C(10000)

typedef struct pair {
    int32_t pressure, temperature;
} pair;

typedef struct lps {
    uint8_t reg[128];
    ib_chip_port port;
    ib_chip_outputs out;
    uint8_t status;
    pair fifo[FIFO];
    int first, n;
    bool overrun;
} lps;

static bool uses_fifo(const lps *s) { return s->reg[CTRL2] & FIFO_EN && s->reg[FIFO_CTRL] >> 5; }
static int watermark(const lps *s) { return (s->reg[FIFO_CTRL] & 31) + 1; }

static void update_pin(ib_part *chip) {
    const lps *s = chip->state;
    const uint8_t c = s->reg[CTRL3];
    const bool active = (c & DRDY && s->status & P_DA) || (c & F_OVR && s->overrun) ||
                        (c & F_FTH && uses_fifo(s) && s->n >= watermark(s)) ||
                        (c & F_FULL && s->n == FIFO);
    ib_part_output(chip, 0, ib_chip_pin(active, c & LOW, c & PP_OD));
}

/* ---- measurements -------------------------------------------------------------------------- */

static int64_t period_ns(const lps *s) {
    static const uint8_t hz[8] = {0, 1, 10, 25, 50, 75, 75, 75};
    const unsigned rate = hz[s->reg[CTRL1] >> 4 & 7];
    return rate ? 1000000000 / rate : IB_NEVER;
}

static void schedule(ib_part *chip) {
    const int64_t period = period_ns(chip->state);
    ib_part_timer(chip, TIMER_MEASURE, period == IB_NEVER ? IB_NEVER : ib_part_now(chip) + period);
}

static void store(lps *s, pair p) {
    const int most = s->reg[CTRL2] & STOP_ON_FTH ? watermark(s) : FIFO;
    if (s->n >= most) {
        s->overrun = true;
        if (s->reg[FIFO_CTRL] >> 5 == MODE_FIFO)
            return;
        s->first = (s->first + 1) % FIFO;
        s->n--;
    }
    s->fifo[(s->first + s->n++) % FIFO] = p;
}

static void show(lps *s, pair p) {
    ib_chip_set(&s->out, SLOT_PRESSURE, p.pressure);
    ib_chip_set(&s->out, SLOT_TEMPERATURE, p.temperature);
}

static void measure(ib_part *chip) {
    lps *s = chip->state;
    if (!chip->sample[0] || chip->sample[0]->count == 0)
        return;
    const ib_baro_sample *baro = &chip->sample[0]->of.baro;
    const pair p = {
        ib_part_counts(baro->pressure, PASCAL_A_COUNT, -0x800000, 0x7fffff),
        ib_part_counts(baro->temperature - IB_ZERO_CELSIUS, 0.01, INT16_MIN, INT16_MAX)};
    if (uses_fifo(s)) {
        store(s, p);
        show(s, s->fifo[s->first]);
    } else {
        show(s, p);
    }
    s->status |=
        (uint8_t)(P_DA | T_DA | (s->status & P_DA ? P_OR : 0) | (s->status & T_DA ? T_OR : 0));
    update_pin(chip);
}

static void empty_fifo(ib_part *chip) {
    lps *s = chip->state;
    const unsigned mode = s->reg[FIFO_CTRL] >> 5;
    if (mode > MODE_STREAM)
        ib_part_lacks(chip, FIFO_CTRL, "a FIFO mode that waits for a trigger");
    s->first = s->n = 0;
    s->overrun = false;
}

/* ---- registers ----------------------------------------------------------------------------- */

static void restore(ib_part *chip) {
    lps *s = chip->state;
    memset(s->reg, 0, sizeof s->reg);
    memset(&s->out, 0, sizeof s->out);
    s->reg[WHO_AM_I] = 0xb1;
    s->reg[CTRL2] = ADD_INC;
    s->status = 0;
    for (int i = 0; i < N_TIMERS; i++)
        ib_part_timer(chip, i, IB_NEVER);
    empty_fifo(chip);
    update_pin(chip);
}

/* The last byte of a pair takes it out of the FIFO; high bytes take flags back. */
static uint8_t read_output(ib_part *chip, uint8_t address) {
    lps *s = chip->state;
    const bool is_pressure = address <= PRESS_H;
    const int first = is_pressure ? PRESS_XL : TEMP_L;
    const uint8_t value = ib_chip_byte(&s->out, is_pressure ? SLOT_PRESSURE : SLOT_TEMPERATURE,
                                       address - first, is_pressure ? 3 : 2, s->reg[CTRL1] & BDU);
    if (address == PRESS_H)
        s->status &= (uint8_t) ~(P_DA | P_OR);
    if (address == TEMP_H) {
        s->status &= (uint8_t) ~(T_DA | T_OR);
        if (uses_fifo(s) && s->n > 0) {
            s->first = (s->first + 1) % FIFO;
            s->n--;
            s->overrun = false;
            if (s->n > 0)
                show(s, s->fifo[s->first]);
        }
    }
    update_pin(chip);
    return value;
}

static uint8_t read_register(ib_part *chip, uint8_t address) {
    const lps *s = chip->state;
    if (address >= PRESS_XL && address <= TEMP_H)
        return read_output(chip, address);
    if (address == STATUS)
        return s->status;
    if (address == FIFO_STATUS)
        return (uint8_t)((uses_fifo(s) && s->n >= watermark(s) ? 0x80 : 0) |
                         (s->overrun ? 0x40 : 0) | s->n);
    return s->reg[address];
}

static void write_control(ib_part *chip, uint8_t value) {
    lps *s = chip->state;
    if (value & ONE_SHOT && !(s->reg[CTRL1] & 0x70))
        ib_part_timer(chip, TIMER_ONCE, ib_part_now(chip) + ONE_SHOT_NS);
    if (value & (SWRESET | BOOT))
        ib_part_timer(chip, TIMER_RESET, ib_part_now(chip) + RESET_NS);
    if (!(value & FIFO_EN))
        empty_fifo(chip);
}

static void write_register(ib_part *chip, uint8_t address, uint8_t value) {
    lps *s = chip->state;
    if (address < INTERRUPT_CFG || address == WHO_AM_I || address > RES_CONF)
        return;
    const uint8_t old = s->reg[address];
    s->reg[address] = value;
    if (address == CTRL1 && (value ^ old) & 0x70)
        schedule(chip);
    if (address == CTRL2)
        write_control(chip, value);
    if (address == FIFO_CTRL && (value ^ old) & 0xe0)
        empty_fifo(chip);
    if ((address == INTERRUPT_CFG || address == RPDS_L || address == RPDS_H) && value)
        ib_part_lacks(chip, address, "thresholds, auto-zero or an offset pressure");
    update_pin(chip);
}

/* While the FIFO is read, the address goes from the last output back to the first. */
static uint8_t next(ib_part *chip, uint8_t address) {
    const lps *s = chip->state;
    if (!(s->reg[CTRL2] & ADD_INC))
        return address;
    return address == TEMP_H && uses_fifo(s) ? PRESS_XL : (address + 1) & 0x7f;
}

static void expire(ib_part *chip, int timer) {
    lps *s = chip->state;
    switch (timer) {
    case TIMER_MEASURE:
        schedule(chip);
        measure(chip);
        break;
    case TIMER_ONCE:
        s->reg[CTRL2] &= (uint8_t)~ONE_SHOT;
        measure(chip);
        break;
    default:
        if (s->reg[CTRL2] & SWRESET)
            restore(chip);
        s->reg[CTRL2] &= (uint8_t)~BOOT;
    }
}

static const ib_chip_map map = {read_register, write_register, next};

static void spi_select(ib_part *chip, bool selected) {
    ib_chip_spi_select(&((lps *)chip->state)->port, selected);
}

static uint8_t spi_exchange(ib_part *chip, uint8_t out) {
    return ib_chip_spi_exchange(chip, &((lps *)chip->state)->port, &map, out);
}

static bool i2c_start(ib_part *chip, uint8_t address, bool reading) {
    if (address != (uint8_t)chip->option[0])
        return false;
    ib_chip_i2c_start(&((lps *)chip->state)->port, reading);
    return true;
}

static bool i2c_write(ib_part *chip, uint8_t byte) {
    ib_chip_port *port = &((lps *)chip->state)->port;
    return ib_chip_i2c_write(chip, port, &map, byte & (port->has_address ? 0xff : 0x7f));
}

static uint8_t i2c_read(ib_part *chip) {
    return ib_chip_i2c_read(chip, &((lps *)chip->state)->port, &map);
}

static void i2c_stop(ib_part *chip) { (void)chip; }

static const ib_spi_chip spi = {spi_select, spi_exchange};
static const ib_i2c_chip i2c = {i2c_start, i2c_write, i2c_read, i2c_stop};
static const char *const inputs[] = {"select", NULL};
static const char *const outputs[] = {"int1", NULL};
static const ib_option options[] = {{"address", "on I2C, 0x5c or 0x5d", 0x5d, 0x5c, 0x5d},
                                    {NULL, NULL, 0, 0, 0}};

const ib_part_type ib_type_lps22hb = {
    .name = "lps22hb",
    .text = "barometer LPS22HB, on SPI or I2C",
    .state_size = sizeof(lps),
    .n_timers = N_TIMERS,
    .inputs = inputs,
    .outputs = outputs,
    .options = options,
    .samples = {IB_SAMPLE_BARO},
    .reset = restore,
    .expire = expire,
    .spi = &spi,
    .i2c = &i2c,
};
