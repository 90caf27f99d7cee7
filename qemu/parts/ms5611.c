/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MS5611-01BA03 barometer (TE data sheet "MS5611-01BA03": commands and PROM pages 10 to 13,
 * conversion times page 3, compensation of first and second order pages 8 and 9; CRC-4: application
 * note AN520).
 *
 * The chip gives raw conversions and six factory coefficients, from which the driver works out
 * pressure and temperature. Here that calculation is turned round: the raw values are those for
 * which the data sheet's algorithm, second order included, returns the sample to the last digit it
 * has. The coefficients are the data sheet's example.
 */
#include "qemu/parts/chip.h"

enum { RESET = 0x1e, ADC_READ = 0x00, CONVERT_D1 = 0x40, CONVERT_D2 = 0x50, PROM = 0xa0 };

#define RELOAD_NS INT64_C(2800000)
#define RAW_MOST 0xffffff

/* C0 is the maker's own, C1 to C6 the coefficients, the last word carries the CRC. */
static const uint16_t coefficients[8] = {0x00df, 40127, 36924, 23317, 23282, 33464, 28312, 0x0100};

typedef struct ms {
    uint32_t raw;    /* the last result; 0 once read */
    uint8_t command; /* conversion under way, 0: none */
    uint8_t reply[3];
    int n_reply, sent;
    bool has_command, reloading;
} ms;

/* ---- the algorithm ------------------------------------------------------------------------- */

/* n / 2^bits, cut towards minus infinity, as drivers shift. */
static int64_t shifted(int64_t n, int bits) {
    const int64_t unit = INT64_C(1) << bits;
    return n >= 0 ? n / unit : -((unit - 1 - n) / unit);
}

/* What the driver works out of a raw temperature before it looks at the pressure. */
typedef struct compensated {
    int64_t offset, sensitivity;
} compensated;

static compensated compensate(uint32_t d2) {
    const int64_t dt = (int64_t)d2 - coefficients[5] * INT64_C(256);
    const int64_t temperature = 2000 + shifted(dt * coefficients[6], 23);
    compensated c = {coefficients[2] * INT64_C(65536) + shifted(coefficients[4] * dt, 7),
                     coefficients[1] * INT64_C(32768) + shifted(coefficients[3] * dt, 8)};
    const int64_t low = (temperature - 2000) * (temperature - 2000);
    const int64_t very = (temperature + 1500) * (temperature + 1500);
    if (temperature < 2000) {
        c.offset -= shifted(5 * low, 1) + (temperature < -1500 ? 7 * very : 0);
        c.sensitivity -= shifted(5 * low, 2) + (temperature < -1500 ? shifted(11 * very, 1) : 0);
    }
    return c;
}

/* Hundredths of a degree of a raw value, second order included. */
static double temperature_of(uint32_t d2) {
    const double dt = d2 - coefficients[5] * 256.0;
    const double first = 2000 + dt * coefficients[6] / 8388608;
    return first < 2000 ? first - dt * dt / 2147483648.0 : first;
}

/* Temperature rises with the raw value over the whole range: the nearest one by bisection. */
static uint32_t raw_temperature(double kelvin) {
    const double wanted = 100 * (kelvin - IB_ZERO_CELSIUS);
    uint32_t low = 0, high = RAW_MOST;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (temperature_of(middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    const bool below = low > 0 && wanted - temperature_of(low - 1) < temperature_of(low) - wanted;
    return below ? low - 1 : low;
}

/* P = (D1 SENS / 2^21 - OFF) / 2^15, in hundredths of a millibar, which are pascals. A raw count is
 * about a fiftieth of that. The driver cuts off fractions: the raw value is rounded up, with a
 * fiftieth of a count for the cuts inside, so that its result does not fall below. */
static uint32_t raw_pressure(double pascal, double kelvin) {
    const compensated c = compensate(raw_temperature(kelvin));
    const double d1 = (pascal * 32768 + (double)c.offset) * 2097152 / (double)c.sensitivity + 1.02;
    if (!(d1 > 0))
        return 0;
    return d1 >= RAW_MOST ? RAW_MOST : (uint32_t)d1;
}

/* AN520: sixteen bytes, the CRC's own four bits and its neighbours taken as zero. */
static uint16_t crc4(void) {
    uint32_t rest = 0;
    for (int i = 0; i < 16; i++) {
        const uint16_t word = i < 14 ? coefficients[i / 2] : coefficients[7] & 0xff00;
        rest ^= i % 2 ? word & 0xffu : (uint32_t)word >> 8;
        for (int bit = 0; bit < 8; bit++)
            rest = rest & 0x8000 ? (rest << 1) ^ 0x3000 : rest << 1;
        rest &= 0xffff;
    }
    return rest >> 12 & 15;
}

/* ---- commands ------------------------------------------------------------------------------ */

/* By oversampling ratio 256 to 4096. */
static int64_t conversion_ns(uint8_t command) {
    static const int64_t us[] = {540, 1060, 2080, 4130, 8220};
    const int ratio = command >> 1 & 7;
    return us[ratio < 5 ? ratio : 4] * 1000;
}

static void reply_word(ms *s, uint32_t value, int bytes) {
    s->sent = 0;
    s->n_reply = bytes;
    for (int i = 0; i < bytes; i++)
        s->reply[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

static void obey(ib_part *chip, uint8_t command) {
    ms *s = chip->state;
    s->n_reply = s->sent = 0;
    if (command == RESET) {
        s->reloading = true;
        s->command = 0;
        ib_part_timer(chip, 0, ib_part_now(chip) + RELOAD_NS);
    } else if (s->reloading) {
        return;
    } else if ((command & 0xf0) == CONVERT_D1 || (command & 0xf0) == CONVERT_D2) {
        s->command = command;
        s->raw = 0;
        ib_part_timer(chip, 0, ib_part_now(chip) + conversion_ns(command));
    } else if (command == ADC_READ) {
        /* Too early a read gives zero, and spoils the conversion (page 11). */
        reply_word(s, s->command ? 0 : s->raw, 3);
        s->raw = 0;
        s->command = 0;
        ib_part_timer(chip, 0, IB_NEVER);
    } else if ((command & 0xf0) == PROM) {
        const int word = command >> 1 & 7;
        reply_word(s, coefficients[word] | (word == 7 ? crc4() : 0u), 2);
    }
}

static uint8_t next_reply(ms *s) { return s->sent < s->n_reply ? s->reply[s->sent++] : 0; }

static void expire(ib_part *chip, int timer) {
    ms *s = chip->state;
    (void)timer;
    const ib_sample *sample = chip->sample[0];
    if (s->reloading) {
        s->reloading = false;
        return;
    }
    const bool is_pressure = (s->command & 0xf0) == CONVERT_D1;
    s->command = 0;
    if (!sample || sample->count == 0)
        return;
    const ib_baro_sample *baro = &sample->of.baro;
    s->raw = is_pressure ? raw_pressure(baro->pressure, baro->temperature)
                         : raw_temperature(baro->temperature);
}

static void reset(ib_part *chip) {
    ms *s = chip->state;
    *s = (ms){0};
    ib_part_timer(chip, 0, IB_NEVER);
}

/* ---- buses --------------------------------------------------------------------------------- */

static void spi_select(ib_part *chip, bool selected) {
    ms *s = chip->state;
    (void)selected;
    s->has_command = false;
}

static uint8_t spi_exchange(ib_part *chip, uint8_t out) {
    ms *s = chip->state;
    if (s->has_command)
        return next_reply(s);
    s->has_command = true;
    obey(chip, out);
    return 0xff;
}

static bool i2c_start(ib_part *chip, uint8_t address, bool reading) {
    (void)reading;
    return address == (uint8_t)chip->option[0];
}

static bool i2c_write(ib_part *chip, uint8_t byte) {
    obey(chip, byte);
    return true;
}

static uint8_t i2c_read(ib_part *chip) { return next_reply(chip->state); }
static void i2c_stop(ib_part *chip) { (void)chip; }

static const ib_spi_chip spi = {spi_select, spi_exchange};
static const ib_i2c_chip i2c = {i2c_start, i2c_write, i2c_read, i2c_stop};
static const char *const inputs[] = {"select", NULL};
static const ib_option options[] = {{"address", "on I2C, 0x76 or 0x77", 0x77, 0x76, 0x77},
                                    {NULL, NULL, 0, 0, 0}};

const ib_part_type ib_type_ms5611 = {
    .name = "ms5611",
    .text = "barometer MS5611, on SPI or I2C",
    .state_size = sizeof(ms),
    .n_timers = 1,
    .inputs = inputs,
    .options = options,
    .samples = {IB_SAMPLE_BARO},
    .reset = reset,
    .expire = expire,
    .spi = &spi,
    .i2c = &i2c,
};
