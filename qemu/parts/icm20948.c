/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ICM-20948 inertial unit with magnetometer (InvenSense data sheet DS-000189: sensitivities tables
 * 1 to 3, registers chapters 7 to 11; the magnetometer is in ak09916.c).
 *
 * Four banks of registers; accelerometer and gyro with ranges, filters off (9 and 4.5 kHz) or on
 * (1125 Hz over a divider), sleep, data ready with its pin, the FIFO, and the I2C master that
 * copies the magnetometer's registers into EXT_SLV_SENS_DATA.
 *
 * Not here: the filters themselves (the sample is what the error model says), DMP, wake-on-motion,
 * self-test, FSYNC. FIFO_EN_1 (slaves' data in the FIFO) is kept as
 * written.
 */
#include <string.h>

#include "qemu/parts/ak09916.h"

/* Registers as bank * 128 + address. */
enum {
    WHO_AM_I = 0x00,
    USER_CTRL = 0x03,
    LP_CONFIG = 0x05,
    PWR_MGMT_1 = 0x06,
    PWR_MGMT_2 = 0x07,
    INT_PIN_CFG = 0x0f,
    INT_ENABLE_1 = 0x11,
    INT_ENABLE_2 = 0x12,
    INT_ENABLE_3 = 0x13,
    I2C_MST_STATUS = 0x17,
    INT_STATUS = 0x19,
    INT_STATUS_1 = 0x1a,
    INT_STATUS_2 = 0x1b,
    INT_STATUS_3 = 0x1c,
    ACCEL_OUT = 0x2d,
    GYRO_OUT = 0x33,
    TEMP_OUT = 0x39,
    EXT_DATA = 0x3b,
    EXT_DATA_END = 0x52,
    FIFO_EN_2 = 0x67,
    FIFO_RST = 0x68,
    FIFO_MODE = 0x69,
    FIFO_COUNTH = 0x70,
    FIFO_COUNTL = 0x71,
    FIFO_R_W = 0x72,
    DATA_RDY_STATUS = 0x74,
    BANK_SEL = 0x7f,
    GYRO_SMPLRT_DIV = 0x100,
    GYRO_CONFIG_1 = 0x101,
    ACCEL_SMPLRT_DIV_1 = 0x110,
    ACCEL_SMPLRT_DIV_2 = 0x111,
    ACCEL_CONFIG = 0x114,
    SLV0_ADDR = 0x183,
    SLV4_ADDR = 0x193,
    SLV4_REG = 0x194,
    SLV4_CTRL = 0x195,
    SLV4_DO = 0x196,
    SLV4_DI = 0x197
};
enum { DEVICE_RESET = 1 << 7, SLEEP = 1 << 6 };                     /* PWR_MGMT_1 */
enum { FIFO_ON = 1 << 6, MASTER_ON = 1 << 5, I2C_IF_DIS = 1 << 4 }; /* USER_CTRL */
enum {
    BYPASS = 1 << 1,
    ANY_READ_CLEARS = 1 << 4,
    LATCH = 1 << 5,
    OPEN_DRAIN = 1 << 6,
    ACTIVE_LOW = 1 << 7
};
enum { TIMER_SAMPLE, TIMER_RESET, TIMER_PULSE, N_TIMERS };
enum { FIFO_BYTES = 512, SAMPLE_BYTES = 14 };

#define RESET_NS INT64_C(1000000)
#define PULSE_NS INT64_C(50000)

typedef struct icm {
    uint8_t reg[512];
    uint8_t bank;
    ib_chip_port port;
    uint8_t out[SAMPLE_BYTES];   /* as from ACCEL_OUT on: accelerometer, gyro, temperature */
    uint8_t shown[SAMPLE_BYTES]; /* as a transfer reads it */
    bool frozen;                 /* it has begun to */
    uint8_t fifo[FIFO_BYTES];
    int first, n;
    bool ready, pulse;
    uint8_t overflow;
    ib_ak09916 mag;
    uint8_t mag_address; /* from outside, by bypass */
    bool mag_addressed, to_mag;
} icm;

static const double gyro_counts[4] = {131, 65.5, 32.8, 16.4};    /* a degree a second */
static const double accel_counts[4] = {16384, 8192, 4096, 2048}; /* a g */

/* ---- pins ---------------------------------------------------------------------------------- */

static void update_pin(ib_part *chip) {
    const icm *s = chip->state;
    const uint8_t pin = s->reg[INT_PIN_CFG];
    const bool ready = pin & LATCH ? s->ready : s->pulse;
    const bool active =
        (s->reg[INT_ENABLE_1] & 1 && ready) || (s->reg[INT_ENABLE_2] && s->overflow);
    ib_part_output(chip, 0, ib_chip_pin(active, pin & ACTIVE_LOW, pin & OPEN_DRAIN));
}

/* ---- samples ------------------------------------------------------------------------------- */

/* Filters on: 1125 Hz / (1 + divider); off: 9 kHz, or 4.5 kHz of the accelerometer alone. The
 * faster of the two sensors sets the pace. */
static int64_t gyro_period(const icm *s) {
    if (!(s->reg[GYRO_CONFIG_1] & 1))
        return 111111;
    return (int64_t)(s->reg[GYRO_SMPLRT_DIV] + 1) * 8000000 / 9;
}

static int64_t accel_period(const icm *s) {
    const int divider = (s->reg[ACCEL_SMPLRT_DIV_1] & 15) << 8 | s->reg[ACCEL_SMPLRT_DIV_2];
    return s->reg[ACCEL_CONFIG] & 1 ? (int64_t)(divider + 1) * 8000000 / 9 : 222222;
}

static bool gyro_is_on(const icm *s) { return (s->reg[PWR_MGMT_2] & 7) != 7; }
static bool accel_is_on(const icm *s) { return (s->reg[PWR_MGMT_2] >> 3 & 7) != 7; }

static void schedule(ib_part *chip) {
    const icm *s = chip->state;
    const bool gyro = gyro_is_on(s), accel = accel_is_on(s);
    const int64_t a = accel ? accel_period(s) : IB_NEVER, g = gyro ? gyro_period(s) : IB_NEVER;
    const int64_t period = a < g ? a : g;
    ib_part_timer(chip, TIMER_SAMPLE,
                  s->reg[PWR_MGMT_1] & SLEEP || period == IB_NEVER ? IB_NEVER
                                                                   : ib_part_now(chip) + period);
}

static void put_word(uint8_t *bytes, int32_t value) {
    bytes[0] = (uint8_t)((uint32_t)value >> 8);
    bytes[1] = (uint8_t)value;
}

static void put_axes(ib_part *chip, const double body[3], double unit, uint8_t *bytes) {
    double axes[3];
    ib_part_axes(chip, body, axes);
    for (int i = 0; i < 3; i++)
        put_word(bytes + 2 * i, ib_part_counts(axes[i], unit, INT16_MIN, INT16_MAX));
}

/* A full FIFO drops its oldest bytes, or in snapshot mode takes no more (FIFO_MODE). */
static void push(icm *s, const uint8_t *bytes, int n) {
    for (int i = 0; i < n; i++) {
        if (s->n == FIFO_BYTES) {
            s->overflow = 1;
            if (s->reg[FIFO_MODE] & 1)
                return;
            s->first = (s->first + 1) % FIFO_BYTES;
            s->n--;
        }
        s->fifo[(s->first + s->n++) % FIFO_BYTES] = bytes[i];
    }
}

static void fill_fifo(icm *s) {
    const uint8_t enabled = s->reg[FIFO_EN_2];
    if (!(s->reg[USER_CTRL] & FIFO_ON))
        return;
    if (enabled & 0x10)
        push(s, s->out, 6);
    for (int axis = 0; axis < 3; axis++)
        if (enabled & 2 << axis)
            push(s, s->out + 6 + 2 * axis, 2);
    if (enabled & 1)
        push(s, s->out + 12, 2);
}

/* The master copies what slaves 0 to 3 ask for, one after the other (11.1 ... 11.20). */
static void run_master(ib_part *chip) {
    icm *s = chip->state;
    int at = EXT_DATA;
    if (!(s->reg[USER_CTRL] & MASTER_ON))
        return;
    for (int slave = 0; slave < 4; slave++) {
        const uint8_t *set = &s->reg[SLV0_ADDR + 4 * slave]; /* ADDR, REG, CTRL, DO */
        const bool reads = set[0] & 0x80, known = (set[0] & 0x7f) == IB_AK09916_ADDRESS;
        if (!(set[2] & 0x80))
            continue;
        if (!reads && known)
            ib_ak09916_write(chip, &s->mag, set[1], set[3]);
        for (int i = 0; reads && i < (set[2] & 15) && at <= EXT_DATA_END; i++)
            s->reg[at++] = known ? ib_ak09916_read(chip, &s->mag, (uint8_t)(set[1] + i)) : 0;
    }
}

/* One transfer of slave 4, at once. */
static void run_slave_4(ib_part *chip) {
    icm *s = chip->state;
    const uint8_t address = s->reg[SLV4_ADDR];
    const bool known = (address & 0x7f) == IB_AK09916_ADDRESS;
    if (!(s->reg[SLV4_CTRL] & 0x80) || !(s->reg[USER_CTRL] & MASTER_ON))
        return;
    if (known && address & 0x80)
        s->reg[SLV4_DI] = ib_ak09916_read(chip, &s->mag, s->reg[SLV4_REG]);
    else if (known)
        ib_ak09916_write(chip, &s->mag, s->reg[SLV4_REG], s->reg[SLV4_DO]);
    s->reg[SLV4_CTRL] &= 0x7f;
    s->reg[I2C_MST_STATUS] |= (uint8_t)(0x40 | (known ? 0 : 0x10));
}

static void take(ib_part *chip) {
    icm *s = chip->state;
    if (!chip->sample[0] || chip->sample[0]->count == 0)
        return;
    const ib_imu_sample *imu = &chip->sample[0]->of.imu;
    const double accel = IB_STANDARD_GRAVITY / accel_counts[s->reg[ACCEL_CONFIG] >> 1 & 3];
    const double gyro = IB_DEGREE / gyro_counts[s->reg[GYRO_CONFIG_1] >> 1 & 3];
    if (accel_is_on(s))
        put_axes(chip, imu->specific_force, accel, s->out);
    if (gyro_is_on(s))
        put_axes(chip, imu->rate, gyro, s->out + 6);
    put_word(s->out + 12, ib_part_counts(imu->temperature - IB_ZERO_CELSIUS - 21, 1 / 333.87,
                                         INT16_MIN, INT16_MAX));
    run_master(chip);
    fill_fifo(s);
    s->ready = s->pulse = true;
    ib_part_timer(chip, TIMER_PULSE, ib_part_now(chip) + PULSE_NS);
    update_pin(chip);
}

/* ---- registers ----------------------------------------------------------------------------- */

static void restore(ib_part *chip) {
    icm *s = chip->state;
    *s = (icm){.port = s->port};
    s->reg[WHO_AM_I] = 0xea;
    s->reg[PWR_MGMT_1] = 0x41;
    s->reg[LP_CONFIG] = 0x40;
    s->reg[GYRO_CONFIG_1] = s->reg[ACCEL_CONFIG] = 1;
    for (int i = 0; i < N_TIMERS; i++)
        ib_part_timer(chip, i, IB_NEVER);
    update_pin(chip);
}

static uint8_t read_status(ib_part *chip) {
    icm *s = chip->state;
    const uint8_t value = s->ready;
    s->ready = false;
    update_pin(chip);
    return value;
}

static uint8_t pop(icm *s) {
    if (s->n == 0)
        return 0xff;
    const uint8_t value = s->fifo[s->first];
    s->first = (s->first + 1) % FIFO_BYTES;
    s->n--;
    return value;
}

/* A transfer shows one sample: what it reads stays as it was at its first output. */
static uint8_t read_output(icm *s, uint8_t address) {
    if (!s->frozen)
        memcpy(s->shown, s->out, sizeof s->shown);
    s->frozen = true;
    return s->shown[address - ACCEL_OUT];
}

static uint8_t read_bank_0(ib_part *chip, uint8_t address) {
    icm *s = chip->state;
    if (address >= ACCEL_OUT && address < ACCEL_OUT + SAMPLE_BYTES)
        return read_output(s, address);
    switch (address) {
    case INT_STATUS_1:
        return read_status(chip);
    case INT_STATUS_2: {
        const uint8_t value = s->overflow;
        s->overflow = 0;
        update_pin(chip);
        return value;
    }
    case FIFO_COUNTH:
        return (uint8_t)(s->n >> 8);
    case FIFO_COUNTL:
        return (uint8_t)s->n;
    case FIFO_R_W:
        return pop(s);
    case DATA_RDY_STATUS:
        return s->ready ? 1 : 0;
    case I2C_MST_STATUS: {
        const uint8_t value = s->reg[address];
        s->reg[address] = 0;
        return value;
    }
    default:
        return s->reg[address];
    }
}

static uint8_t read_register(ib_part *chip, uint8_t address) {
    icm *s = chip->state;
    if (address == BANK_SEL)
        return (uint8_t)(s->bank << 4);
    if (s->bank)
        return s->reg[s->bank * 128 + address];
    const uint8_t value = read_bank_0(chip, address);
    if (s->reg[INT_PIN_CFG] & ANY_READ_CLEARS && s->ready) {
        s->ready = false;
        update_pin(chip);
    }
    return value;
}

static void write_power(ib_part *chip, uint8_t value) {
    icm *s = chip->state;
    if (value & DEVICE_RESET) {
        restore(chip);
        s->reg[PWR_MGMT_1] |= DEVICE_RESET;
        ib_part_timer(chip, TIMER_RESET, ib_part_now(chip) + RESET_NS);
        return;
    }
    s->reg[PWR_MGMT_1] = value;
    schedule(chip);
}

static void write_user(ib_part *chip, uint8_t value) {
    icm *s = chip->state;
    if (value & 0x80)
        ib_part_lacks(chip, USER_CTRL, "the motion processor");
    s->reg[USER_CTRL] = value & 0xf0; /* the reset bits clear themselves */
}

static bool is_read_only(int at) {
    return at == WHO_AM_I || (at >= I2C_MST_STATUS && at < 0x66) || at == DATA_RDY_STATUS ||
           (at >= FIFO_COUNTH && at <= FIFO_R_W) || at == SLV4_DI;
}

static void write_register(ib_part *chip, uint8_t address, uint8_t value) {
    icm *s = chip->state;
    const int at = s->bank * 128 + address;
    if (address == BANK_SEL) {
        s->bank = value >> 4 & 3;
        return;
    }
    if (is_read_only(at))
        return;
    if (at != PWR_MGMT_1 && at != USER_CTRL)
        s->reg[at] = value;
    switch (at) {
    case PWR_MGMT_1:
        write_power(chip, value);
        break;
    case USER_CTRL:
        write_user(chip, value);
        break;
    case PWR_MGMT_2:
    case GYRO_SMPLRT_DIV:
    case GYRO_CONFIG_1:
    case ACCEL_SMPLRT_DIV_1:
    case ACCEL_SMPLRT_DIV_2:
    case ACCEL_CONFIG:
        schedule(chip);
        break;
    case FIFO_RST:
        if (value & 0x1f)
            s->first = s->n = s->overflow = 0;
        break;
    case SLV4_CTRL:
        run_slave_4(chip);
        break;
    default:
        update_pin(chip);
    }
}

static uint8_t next(ib_part *chip, uint8_t address) {
    const icm *s = chip->state;
    return address == FIFO_R_W && s->bank == 0 ? address : (address + 1) & 0x7f;
}

static void expire(ib_part *chip, int timer) {
    icm *s = chip->state;
    if (timer == TIMER_SAMPLE) {
        schedule(chip);
        take(chip);
    } else if (timer == TIMER_PULSE) {
        s->pulse = false;
        update_pin(chip);
    } else {
        s->reg[PWR_MGMT_1] &= (uint8_t)~DEVICE_RESET;
    }
}

/* ---- buses --------------------------------------------------------------------------------- */

static const ib_chip_map map = {read_register, write_register, next};

static void spi_select(ib_part *chip, bool selected) {
    icm *s = chip->state;
    ib_chip_spi_select(&s->port, selected);
    s->frozen = false;
}

static uint8_t spi_exchange(ib_part *chip, uint8_t out) {
    return ib_chip_spi_exchange(chip, &((icm *)chip->state)->port, &map, out);
}

/* With the master bypassed, the magnetometer is on the outer bus as well. */
static bool i2c_start(ib_part *chip, uint8_t address, bool reading) {
    icm *s = chip->state;
    s->to_mag = address == IB_AK09916_ADDRESS;
    s->frozen = false;
    if (s->to_mag ? !(s->reg[INT_PIN_CFG] & BYPASS) || s->reg[USER_CTRL] & MASTER_ON
                  : address != (uint8_t)chip->option[0])
        return false;
    if (s->to_mag && !reading)
        s->mag_addressed = false;
    if (!s->to_mag)
        ib_chip_i2c_start(&s->port, reading);
    return true;
}

static bool i2c_write(ib_part *chip, uint8_t byte) {
    icm *s = chip->state;
    if (!s->to_mag)
        return ib_chip_i2c_write(chip, &s->port, &map, byte & (s->port.has_address ? 0xff : 0x7f));
    if (s->mag_addressed)
        ib_ak09916_write(chip, &s->mag, s->mag_address++, byte);
    else
        s->mag_address = byte;
    s->mag_addressed = true;
    return true;
}

static uint8_t i2c_read(ib_part *chip) {
    icm *s = chip->state;
    return s->to_mag ? ib_ak09916_read(chip, &s->mag, s->mag_address++)
                     : ib_chip_i2c_read(chip, &s->port, &map);
}

static void i2c_stop(ib_part *chip) { (void)chip; }

static const ib_spi_chip spi = {spi_select, spi_exchange};
static const ib_i2c_chip i2c = {i2c_start, i2c_write, i2c_read, i2c_stop};
static const char *const inputs[] = {"select", NULL};
static const char *const outputs[] = {"int1", NULL};
static const ib_option options[] = {{"address", "on I2C, 0x68 or 0x69", 0x68, 0x68, 0x69},
                                    {NULL, NULL, 0, 0, 0}};

const ib_part_type ib_type_icm20948 = {
    .name = "icm20948",
    .text = "inertial unit with magnetometer ICM-20948, on SPI or I2C",
    .state_size = sizeof(icm),
    .n_timers = N_TIMERS,
    .inputs = inputs,
    .outputs = outputs,
    .options = options,
    .samples = {IB_SAMPLE_IMU, IB_SAMPLE_MAG},
    .reset = restore,
    .expire = expire,
    .spi = &spi,
    .i2c = &i2c,
};
