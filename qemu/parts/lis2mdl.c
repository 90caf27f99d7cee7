/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LIS2MDL magnetometer (ST data sheet DocID029586: characteristics table 2, registers chapter 8).
 *
 * Continuous and single measurements, 1.5 mgauss a count, hard-iron offsets, data-ready flags and
 * pin, block update. Addresses count up by themselves on both buses.
 *
 * Not here: threshold interrupts, self-test; the temperature is always 25 degrees (a count of
 * zero). On SPI the chip answers whether or not its four-wire bit is set.
 */
#include <string.h>

#include "qemu/parts/chip.h"

enum {
    OFFSET_X_L = 0x45,
    OFFSET_Z_H = 0x4a,
    WHO_AM_I = 0x4f,
    CFG_A = 0x60,
    CFG_B,
    CFG_C,
    INT_CTRL,
    STATUS = 0x67,
    OUTX_L = 0x68,
    OUTZ_H = 0x6d,
    TEMP_L = 0x6e,
    TEMP_H = 0x6f
};
enum {
    MODE = 3,
    MODE_CONTINUOUS = 0,
    MODE_SINGLE = 1,
    MODE_IDLE = 3,
    SOFT_RST = 1 << 5,
    REBOOT = 1 << 6
};
enum { DRDY_ON_PIN = 1 << 0, SELF_TEST = 1 << 1, BLE = 1 << 3, BDU = 1 << 4, INT_ON_PIN = 1 << 6 };
enum { READY = 0x0f, OVERRUN = 0xf0 };
enum { TIMER_MEASURE, TIMER_RESET, N_TIMERS };

#define TESLA_A_COUNT 1.5e-7
#define SINGLE_NS INT64_C(9400000)
#define RESET_NS INT64_C(5000)

typedef struct lis {
    uint8_t reg[128];
    ib_chip_port port;
    ib_chip_outputs out;
    uint8_t status;
} lis;

static void update_pin(ib_part *chip) {
    const lis *s = chip->state;
    ib_part_output(chip, 0, s->reg[CFG_C] & DRDY_ON_PIN && s->status & 8 ? IB_HIGH : IB_LOW);
}

static int64_t period_ns(const lis *s) {
    static const int64_t ms[] = {100, 50, 20, 10};
    return ms[s->reg[CFG_A] >> 2 & 3] * 1000000;
}

static void schedule(ib_part *chip) {
    const lis *s = chip->state;
    const unsigned mode = s->reg[CFG_A] & MODE;
    const int64_t wait = mode == MODE_CONTINUOUS ? period_ns(s) : SINGLE_NS;
    ib_part_timer(chip, TIMER_MEASURE, mode & 2 ? IB_NEVER : ib_part_now(chip) + wait);
}

static void measure(ib_part *chip) {
    lis *s = chip->state;
    double field[3];
    if (!chip->sample[0] || chip->sample[0]->count == 0)
        return;
    ib_part_axes(chip, chip->sample[0]->of.mag.field, field);
    for (int i = 0; i < 3; i++) {
        const uint8_t *offset = &s->reg[OFFSET_X_L + 2 * i];
        const int16_t hard_iron = (int16_t)(offset[0] | offset[1] << 8);
        int32_t counts = ib_part_counts(field[i], TESLA_A_COUNT, -100000, 100000) - hard_iron;
        counts = counts < INT16_MIN ? INT16_MIN : counts > INT16_MAX ? INT16_MAX : counts;
        ib_chip_set(&s->out, i, counts);
    }
    s->status |= (uint8_t)(READY | (s->status & 8 ? OVERRUN : 0));
    update_pin(chip);
}

static void restore(ib_part *chip) {
    lis *s = chip->state;
    memset(s->reg, 0, sizeof s->reg);
    memset(&s->out, 0, sizeof s->out);
    s->reg[WHO_AM_I] = 0x40;
    s->reg[CFG_A] = MODE_IDLE;
    s->status = 0;
    ib_part_timer(chip, TIMER_MEASURE, IB_NEVER);
    ib_part_timer(chip, TIMER_RESET, IB_NEVER);
    update_pin(chip);
}

/* The read of a high byte takes back the axis's flags and those of all three. */
static uint8_t read_output(ib_part *chip, uint8_t address) {
    lis *s = chip->state;
    const int axis = (address - OUTX_L) / 2;
    const bool high = address & 1, swapped = s->reg[CFG_C] & BLE;
    const uint8_t value = ib_chip_byte(&s->out, axis, high != swapped, 2, s->reg[CFG_C] & BDU);
    if (high) {
        s->status &= (uint8_t) ~(0x88u | 0x11u << axis);
        update_pin(chip);
    }
    return value;
}

static uint8_t read_register(ib_part *chip, uint8_t address) {
    const lis *s = chip->state;
    if (address >= OUTX_L && address <= OUTZ_H)
        return read_output(chip, address);
    return address == STATUS ? s->status : s->reg[address];
}

static void write_register(ib_part *chip, uint8_t address, uint8_t value) {
    lis *s = chip->state;
    if ((address < CFG_A && (address < OFFSET_X_L || address > OFFSET_Z_H)) || address > 0x66)
        return;
    s->reg[address] = value;
    if (address == CFG_A) {
        schedule(chip);
        if (value & (SOFT_RST | REBOOT))
            ib_part_timer(chip, TIMER_RESET, ib_part_now(chip) + RESET_NS);
    }
    if (address == CFG_C && value & (SELF_TEST | INT_ON_PIN))
        ib_part_lacks(chip, address, "self-test or a threshold interrupt");
    update_pin(chip);
}

static uint8_t next(ib_part *chip, uint8_t address) {
    (void)chip;
    return (address + 1) & 0x7f;
}

static void expire(ib_part *chip, int timer) {
    lis *s = chip->state;
    if (timer == TIMER_RESET) {
        if (s->reg[CFG_A] & SOFT_RST)
            restore(chip);
        s->reg[CFG_A] &= (uint8_t)~REBOOT;
        return;
    }
    measure(chip);
    if ((s->reg[CFG_A] & MODE) == MODE_SINGLE)
        s->reg[CFG_A] |= MODE_IDLE;
    schedule(chip);
}

static const ib_chip_map map = {read_register, write_register, next};

static void spi_select(ib_part *chip, bool selected) {
    ib_chip_spi_select(&((lis *)chip->state)->port, selected);
}

static uint8_t spi_exchange(ib_part *chip, uint8_t out) {
    return ib_chip_spi_exchange(chip, &((lis *)chip->state)->port, &map, out);
}

static bool i2c_start(ib_part *chip, uint8_t address, bool reading) {
    if (address != 0x1e)
        return false;
    ib_chip_i2c_start(&((lis *)chip->state)->port, reading);
    return true;
}

static bool i2c_write(ib_part *chip, uint8_t byte) {
    ib_chip_port *port = &((lis *)chip->state)->port;
    return ib_chip_i2c_write(chip, port, &map, byte & (port->has_address ? 0xff : 0x7f));
}

static uint8_t i2c_read(ib_part *chip) {
    return ib_chip_i2c_read(chip, &((lis *)chip->state)->port, &map);
}

static void i2c_stop(ib_part *chip) { (void)chip; }

static const ib_spi_chip spi = {spi_select, spi_exchange};
static const ib_i2c_chip i2c = {i2c_start, i2c_write, i2c_read, i2c_stop};
static const char *const inputs[] = {"select", NULL};
static const char *const outputs[] = {"int1", NULL};

const ib_part_type ib_type_lis2mdl = {
    .name = "lis2mdl",
    .text = "magnetometer LIS2MDL, on SPI or I2C (0x1e)",
    .state_size = sizeof(lis),
    .n_timers = N_TIMERS,
    .inputs = inputs,
    .outputs = outputs,
    .samples = {IB_SAMPLE_MAG},
    .reset = restore,
    .expire = expire,
    .spi = &spi,
    .i2c = &i2c,
};
