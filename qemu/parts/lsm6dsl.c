/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LSM6DSL inertial unit (ST data sheet DocID028475: mechanical characteristics table 3, SPI 6.2,
 * I2C 6.1, FIFO 5.5, registers chapter 9).
 *
 * Accelerometer and gyro sample the body at their own rates, scale, round and clip; data-ready
 * flags and pins, block update and the 4 kbyte FIFO follow the registers. Temperature comes with
 * either.
 *
 * Not here: filters (the sample is what the error model says), self-test, wake-up, tap, steps,
 * sensor hub; their registers keep what is written.
 */
#include <string.h>

#include "qemu/parts/chip.h"

enum {
    FIFO_CTRL1 = 0x06,
    FIFO_CTRL2,
    FIFO_CTRL3,
    FIFO_CTRL4,
    FIFO_CTRL5,
    DRDY_PULSE_CFG,
    INT1_CTRL = 0x0d,
    INT2_CTRL,
    WHO_AM_I,
    CTRL1_XL,
    CTRL2_G,
    CTRL3_C,
    CTRL4_C,
    CTRL5_C,
    CTRL10_C = 0x19,
    STATUS_REG = 0x1e,
    OUT_TEMP_L = 0x20,
    OUTZ_H_XL = 0x2d,
    FIFO_STATUS1 = 0x3a,
    FIFO_STATUS2,
    FIFO_STATUS3,
    FIFO_STATUS4,
    FIFO_DATA_OUT_L,
    FIFO_DATA_OUT_H,
    TIMESTAMP0 = 0x40,
    TIMESTAMP1,
    TIMESTAMP2,
    WAKE_UP_DUR = 0x5c
};
enum {
    SW_RESET = 1 << 0,
    BLE = 1 << 1,
    IF_INC = 1 << 2,
    PP_OD = 1 << 4,
    H_LACTIVE = 1 << 5,
    BDU = 1 << 6,
    BOOT = 1 << 7
};                                                      /* CTRL3_C */
enum { STOP_ON_FTH = 1 << 7, ONLY_HIGH_DATA = 1 << 6 }; /* FIFO_CTRL4 */
enum { INT2_ON_INT1 = 1 << 5 };                         /* CTRL4_C */
enum { READY_XL = 1, READY_G = 2, READY_TEMP = 4 };     /* STATUS_REG */
enum { TIMER_XL, TIMER_G, TIMER_FIFO, TIMER_PULSE, TIMER_RESET, N_TIMERS };
enum { SLOT_TEMP, SLOT_G, SLOT_XL = 4 }; /* of outputs, in the map's order */
enum { FIFO_WORDS = 2048, MODE_BYPASS = 0, MODE_STOP = 1, MODE_CONTINUOUS = 6 };

#define PULSE_NS INT64_C(75000)
#define RESET_NS INT64_C(50000)
#define BOOT_NS INT64_C(15000000)

typedef struct lsm {
    uint8_t reg[128];
    ib_chip_port port;
    ib_chip_outputs out;
    uint8_t ready;   /* STATUS_REG */
    uint8_t pulsing; /* ready flags whose pulse is on */
    int64_t stamp_from;

    int16_t fifo[FIFO_WORDS];
    int first, n; /* oldest word, words */
    bool overrun;
    uint32_t tick;    /* of the FIFO's rate since its mode was set */
    uint32_t pattern; /* place of the oldest word in the pattern of words */
} lsm;

/* Hz, by the four bits of ODR; the accelerometer has 1.6 Hz at 11 besides. */
static const double rates[12] = {0, 12.5, 26, 52, 104, 208, 416, 833, 1660, 3330, 6660, 1.6};
/* g and degrees a second of a count (table 3). */
static const double accel_scale[4] = {0.061e-3, 0.488e-3, 0.122e-3, 0.244e-3};
static const double gyro_scale[4] = {8.75e-3, 17.5e-3, 35e-3, 70e-3};
static const uint8_t decimations[8] = {0, 1, 2, 3, 4, 8, 16, 32};

static const ib_register registers[] = {{0, NULL}};

static int64_t period_ns(unsigned code) {
    return code < 12 && code > 0 ? (int64_t)(1e9 / rates[code] + 0.5) : IB_NEVER;
}

/* ---- pins ---------------------------------------------------------------------------------- */

static int fifo_threshold(const lsm *s) {
    return s->reg[FIFO_CTRL1] | (s->reg[FIFO_CTRL2] & 7) << 8;
}

static bool reaches_threshold(const lsm *s) {
    return fifo_threshold(s) > 0 && s->n >= fifo_threshold(s);
}

/* What INT1_CTRL and INT2_CTRL choose from: the same places but for the temperature. */
static uint8_t causes(const lsm *s, bool second) {
    const bool pulsed = s->reg[DRDY_PULSE_CFG] & 0x80;
    const uint8_t ready = pulsed ? s->pulsing : s->ready;
    return (uint8_t)((ready & (READY_XL | READY_G)) | (second && ready & READY_TEMP ? 4 : 0) |
                     (reaches_threshold(s) ? 8 : 0) | (s->overrun ? 0x10 : 0) |
                     (s->n == FIFO_WORDS ? 0x20 : 0));
}

static void update_pins(ib_part *chip) {
    const lsm *s = chip->state;
    const bool low = s->reg[CTRL3_C] & H_LACTIVE, drain = s->reg[CTRL3_C] & PP_OD;
    bool one = causes(s, false) & s->reg[INT1_CTRL] & 0x3b;
    bool two = causes(s, true) & s->reg[INT2_CTRL] & 0x3f;
    if (s->reg[CTRL4_C] & INT2_ON_INT1) {
        one = one || two;
        two = false;
    }
    ib_part_output(chip, 0, ib_chip_pin(one, low, drain));
    ib_part_output(chip, 1, ib_chip_pin(two, low, drain));
}

/* ---- samples ------------------------------------------------------------------------------- */

static const ib_imu_sample *sample(const ib_part *chip) {
    return chip->sample[0] && chip->sample[0]->count ? &chip->sample[0]->of.imu : NULL;
}

static void mark_ready(ib_part *chip, uint8_t what) {
    lsm *s = chip->state;
    s->ready |= what;
    if (s->reg[DRDY_PULSE_CFG] & 0x80) {
        s->pulsing |= what;
        ib_part_timer(chip, TIMER_PULSE, ib_part_now(chip) + PULSE_NS);
    }
    update_pins(chip);
}

static void measure(const ib_part *chip, const double body[3], double unit, int16_t counts[3]) {
    double axes[3];
    ib_part_axes(chip, body, axes);
    for (int i = 0; i < 3; i++)
        counts[i] = (int16_t)ib_part_counts(axes[i], unit, INT16_MIN, INT16_MAX);
}

static void measure_accel(const ib_part *chip, int16_t counts[3]) {
    const lsm *s = chip->state;
    measure(chip, sample(chip)->specific_force,
            accel_scale[s->reg[CTRL1_XL] >> 2 & 3] * IB_STANDARD_GRAVITY, counts);
}

static void measure_gyro(const ib_part *chip, int16_t counts[3]) {
    const lsm *s = chip->state;
    const uint8_t control = s->reg[CTRL2_G];
    const double scale = control & 2 ? 4.375e-3 : gyro_scale[control >> 2 & 3];
    measure(chip, sample(chip)->rate, scale * IB_DEGREE, counts);
}

static void take(ib_part *chip, bool gyro) {
    lsm *s = chip->state;
    int16_t counts[3];
    if (gyro)
        measure_gyro(chip, counts);
    else
        measure_accel(chip, counts);
    for (int i = 0; i < 3; i++)
        ib_chip_set(&s->out, (gyro ? SLOT_G : SLOT_XL) + i, counts[i]);
    const double celsius = sample(chip)->temperature - IB_ZERO_CELSIUS;
    ib_chip_set(&s->out, SLOT_TEMP, ib_part_counts(celsius - 25, 1.0 / 256, INT16_MIN, INT16_MAX));
    mark_ready(chip, (uint8_t)(READY_TEMP | (gyro ? READY_G : READY_XL)));
}

/* A sensor that changes its rate starts anew; one that is off stops. */
static void schedule(ib_part *chip, int timer, unsigned code) {
    const int64_t period = period_ns(code);
    ib_part_timer(chip, timer, period == IB_NEVER ? IB_NEVER : ib_part_now(chip) + period);
}

/* ---- FIFO ---------------------------------------------------------------------------------- */

static unsigned fifo_mode(const lsm *s) { return s->reg[FIFO_CTRL5] & 7; }
static unsigned accel_every(const lsm *s) { return decimations[s->reg[FIFO_CTRL3] & 7]; }
static unsigned gyro_every(const lsm *s) { return decimations[s->reg[FIFO_CTRL3] >> 3 & 7]; }

/* Words after which the order of data sets in the FIFO repeats. */
static uint32_t pattern_length(const lsm *s) {
    const uint32_t a = accel_every(s), g = gyro_every(s);
    uint32_t ticks = a > g ? a : g;
    while (ticks && ((a && ticks % a) || (g && ticks % g)))
        ticks += a > g ? a : g;
    return ticks ? 3 * ((a ? ticks / a : 0) + (g ? ticks / g : 0)) : 1;
}

static void drop_oldest(lsm *s) {
    s->first = (s->first + 1) % FIFO_WORDS;
    s->n--;
    s->pattern = (s->pattern + 1) % pattern_length(s);
}

static void put(lsm *s, const int16_t counts[3]) {
    const int most =
        s->reg[FIFO_CTRL4] & STOP_ON_FTH && fifo_threshold(s) ? fifo_threshold(s) : FIFO_WORDS;
    for (int i = 0; i < 3; i++) {
        if (s->n >= most) {
            s->overrun = true;
            if (fifo_mode(s) == MODE_STOP)
                return;
            drop_oldest(s);
        }
        s->fifo[(s->first + s->n++) % FIFO_WORDS] = counts[i];
    }
}

/* Gyro before accelerometer (5.5). */
static void fill_fifo(ib_part *chip) {
    lsm *s = chip->state;
    int16_t counts[3];
    if (gyro_every(s) && s->tick % gyro_every(s) == 0) {
        measure_gyro(chip, counts);
        put(s, counts);
    }
    if (accel_every(s) && s->tick % accel_every(s) == 0) {
        measure_accel(chip, counts);
        put(s, counts);
    }
    s->tick++;
    update_pins(chip);
}

static void set_fifo(ib_part *chip) {
    lsm *s = chip->state;
    const unsigned mode = fifo_mode(s);
    if (mode != MODE_BYPASS && mode != MODE_STOP && mode != MODE_CONTINUOUS)
        ib_part_lacks(chip, FIFO_CTRL5, "a FIFO mode that waits for a trigger");
    s->first = s->n = 0;
    s->tick = s->pattern = 0;
    s->overrun = false;
    schedule(chip, TIMER_FIFO, mode == MODE_BYPASS ? 0 : s->reg[FIFO_CTRL5] >> 3 & 15);
    update_pins(chip);
}

static uint8_t fifo_status(const lsm *s, uint8_t address) {
    switch (address) {
    case FIFO_STATUS1:
        return (uint8_t)s->n;
    case FIFO_STATUS2:
        return (uint8_t)((reaches_threshold(s) ? 0x80 : 0) | (s->overrun ? 0x40 : 0) |
                         (s->n > FIFO_WORDS - 6 ? 0x20 : 0) | (s->n == 0 ? 0x10 : 0) |
                         (s->n >> 8 & 7));
    case FIFO_STATUS3:
        return (uint8_t)s->pattern;
    default:
        return (uint8_t)(s->pattern >> 8 & 3);
    }
}

/* The word leaves with its high byte. */
static uint8_t read_fifo(ib_part *chip, bool high) {
    lsm *s = chip->state;
    const uint16_t word = s->n ? (uint16_t)s->fifo[s->first] : 0;
    if (high && s->n) {
        drop_oldest(s);
        s->overrun = false;
        update_pins(chip);
    }
    return (uint8_t)(high ? word >> 8 : word);
}

/* ---- registers ----------------------------------------------------------------------------- */

static void restore(ib_part *chip) {
    lsm *s = chip->state;
    memset(s->reg, 0, sizeof s->reg);
    memset(&s->out, 0, sizeof s->out);
    s->reg[WHO_AM_I] = 0x6a;
    s->reg[CTRL3_C] = IF_INC;
    s->ready = s->pulsing = 0;
    for (int i = 0; i < N_TIMERS; i++)
        ib_part_timer(chip, i, IB_NEVER);
    set_fifo(chip);
}

/* Counts of 6.4 ms, or of 25 us (TIMER_HR), since it was switched on or set to zero (9.83). */
static uint8_t timestamp_byte(const ib_part *chip, int byte) {
    const lsm *s = chip->state;
    const int64_t unit = s->reg[WAKE_UP_DUR] & 0x10 ? 25000 : 6400000;
    if (!(s->reg[CTRL10_C] & 0x20))
        return 0;
    return (uint8_t)((ib_part_now(chip) - s->stamp_from) / unit >> 8 * byte);
}

/* Outputs lie as temperature, gyro, accelerometer, two bytes each. Reading a high byte takes the
 * flag back. */
static uint8_t read_output(ib_part *chip, uint8_t address) {
    lsm *s = chip->state;
    const int slot = (address - OUT_TEMP_L) / 2;
    const bool high = address & 1;
    const bool swapped = s->reg[CTRL3_C] & BLE;
    const uint8_t value = ib_chip_byte(&s->out, slot, high != swapped, 2, s->reg[CTRL3_C] & BDU);
    if (high) {
        s->ready &= (uint8_t) ~(slot == SLOT_TEMP ? READY_TEMP
                                : slot < SLOT_XL  ? READY_G
                                                  : READY_XL);
        update_pins(chip);
    }
    return value;
}

static uint8_t read_register(ib_part *chip, uint8_t address) {
    lsm *s = chip->state;
    if (address >= OUT_TEMP_L && address <= OUTZ_H_XL)
        return read_output(chip, address);
    if (address >= FIFO_STATUS1 && address <= FIFO_STATUS4)
        return fifo_status(s, address);
    if (address == FIFO_DATA_OUT_L || address == FIFO_DATA_OUT_H)
        return read_fifo(chip, address == FIFO_DATA_OUT_H);
    if (address >= TIMESTAMP0 && address <= TIMESTAMP2)
        return timestamp_byte(chip, address - TIMESTAMP0);
    return address == STATUS_REG ? s->ready : s->reg[address];
}

static void control(ib_part *chip, uint8_t value) {
    lsm *s = chip->state;
    s->reg[CTRL3_C] = value;
    if (value & (SW_RESET | BOOT))
        ib_part_timer(chip, TIMER_RESET,
                      ib_part_now(chip) + (value & SW_RESET ? RESET_NS : BOOT_NS));
    update_pins(chip);
}

static bool is_read_only(uint8_t address) {
    return address == WHO_AM_I || (address >= 0x1a && address <= FIFO_DATA_OUT_H) || address > 0x75;
}

static void write_register(ib_part *chip, uint8_t address, uint8_t value) {
    lsm *s = chip->state;
    const uint8_t old = s->reg[address];
    if (address == TIMESTAMP2 && value == 0xaa)
        s->stamp_from = ib_part_now(chip);
    if (is_read_only(address) || (address >= TIMESTAMP0 && address <= TIMESTAMP2))
        return;
    s->reg[address] = value;
    switch (address) {
    case CTRL1_XL:
        if ((value ^ old) & 0xf0)
            schedule(chip, TIMER_XL, value >> 4);
        break;
    case CTRL2_G:
        if ((value ^ old) & 0xf0)
            schedule(chip, TIMER_G, value >> 4 == 11 ? 0 : value >> 4);
        break;
    case CTRL3_C:
        control(chip, value);
        break;
    case CTRL5_C:
        if (value & 0x0f)
            ib_part_lacks(chip, address, "self-test");
        break;
    case CTRL10_C:
        if (value & ~old & 0x20)
            s->stamp_from = ib_part_now(chip);
        break;
    case FIFO_CTRL4:
        if (value & ONLY_HIGH_DATA)
            ib_part_lacks(chip, address, "a FIFO of high bytes only");
        break;
    case FIFO_CTRL5:
        if (value != old || (value & 7) == MODE_BYPASS)
            set_fifo(chip);
        break;
    default:
        update_pins(chip);
    }
}

/* Reads of the FIFO's data alternate between its two bytes. */
static uint8_t next(ib_part *chip, uint8_t address) {
    const lsm *s = chip->state;
    if (address == FIFO_DATA_OUT_H)
        return FIFO_DATA_OUT_L;
    return s->reg[CTRL3_C] & IF_INC ? (address + 1) & 0x7f : address;
}

static void expire(ib_part *chip, int timer) {
    lsm *s = chip->state;
    const int64_t now = ib_part_now(chip);
    switch (timer) {
    case TIMER_PULSE:
        s->pulsing = 0;
        update_pins(chip);
        return;
    case TIMER_RESET:
        if (s->reg[CTRL3_C] & SW_RESET)
            restore(chip);
        s->reg[CTRL3_C] &= (uint8_t)~BOOT;
        return;
    case TIMER_FIFO:
        ib_part_timer(chip, timer, now + period_ns(s->reg[FIFO_CTRL5] >> 3 & 15));
        if (sample(chip))
            fill_fifo(chip);
        return;
    default:
        ib_part_timer(chip, timer,
                      now + period_ns(s->reg[timer == TIMER_G ? CTRL2_G : CTRL1_XL] >> 4));
        if (sample(chip))
            take(chip, timer == TIMER_G);
    }
}

/* ---- buses --------------------------------------------------------------------------------- */

static const ib_chip_map map = {read_register, write_register, next};

static void spi_select(ib_part *chip, bool selected) {
    lsm *s = chip->state;
    ib_chip_spi_select(&s->port, selected);
}

static uint8_t spi_exchange(ib_part *chip, uint8_t out) {
    lsm *s = chip->state;
    return ib_chip_spi_exchange(chip, &s->port, &map, out);
}

static bool i2c_start(ib_part *chip, uint8_t address, bool reading) {
    lsm *s = chip->state;
    if (address != (uint8_t)chip->option[0])
        return false;
    ib_chip_i2c_start(&s->port, reading);
    return true;
}

static bool i2c_write(ib_part *chip, uint8_t byte) {
    lsm *s = chip->state;
    return ib_chip_i2c_write(chip, &s->port, &map, byte & (s->port.has_address ? 0xff : 0x7f));
}

static uint8_t i2c_read(ib_part *chip) {
    lsm *s = chip->state;
    return ib_chip_i2c_read(chip, &s->port, &map);
}

static void i2c_stop(ib_part *chip) { (void)chip; }

static const ib_spi_chip spi = {spi_select, spi_exchange};
static const ib_i2c_chip i2c = {i2c_start, i2c_write, i2c_read, i2c_stop};
static const char *const inputs[] = {"select", NULL};
static const char *const outputs[] = {"int1", "int2", NULL};
static const ib_option options[] = {{"address", "on I2C, 0x6a or 0x6b", 0x6a, 0x6a, 0x6b},
                                    {NULL, NULL, 0, 0, 0}};

const ib_part_type ib_type_lsm6dsl = {
    .name = "lsm6dsl",
    .text = "inertial unit LSM6DSL, on SPI or I2C",
    .state_size = sizeof(lsm),
    .n_timers = N_TIMERS,
    .inputs = inputs,
    .outputs = outputs,
    .registers = registers,
    .options = options,
    .samples = {IB_SAMPLE_IMU},
    .reset = restore,
    .expire = expire,
    .spi = &spi,
    .i2c = &i2c,
};
