/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LIS2MDL, LPS22HB and MS5611 over SPI and I2C: identity, scales to a digit, flags, rates, FIFO;
 * for the MS5611 the data sheet's algorithm and its published example.
 */
#include "chip_test.h"

#define I2C1 UINT32_C(0x40005400)

static const char *const one_pin[] = {"int1", NULL};

/* ---- LIS2MDL ------------------------------------------------------------------------------- */

static board *magnetometer(void) {
    board *b = spi_board("lis2mdl", 1, one_pin);
    test_samples[0] =
        (ib_sample){.count = 1, .kind = IB_SAMPLE_MAG, .of.mag = {{2.1e-5, -4.8e-6, 4.3e-5}}};
    assert_int_equal(get(b, 0x4f), 0x40);
    return b;
}

static void test_field(void **state) {
    (void)state;
    board *b = magnetometer();
    uint8_t bytes[8];
    put(b, 0x62, 0x11); /* block update, data ready on the pin */
    pass(b, 200 * MS);
    assert_int_equal(get(b, 0x67), 0); /* idle */
    put(b, 0x60, 0x8c);                /* 100 Hz */
    assert_false(pin(b, 0));
    pass(b, 11 * MS);
    assert_true(pin(b, 0));
    assert_int_equal(get(b, 0x67), 0x0f);
    get_registers(b, 0x68, bytes, 8);
    assert_int_equal(little(bytes), 140); /* 210 mgauss of 1.5 */
    assert_int_equal(little(bytes + 2), -32);
    assert_int_equal(little(bytes + 4), 287); /* 430 mgauss: 286.67 */
    assert_int_equal(little(bytes + 6), 0);
    assert_false(pin(b, 0));
    assert_int_equal(get(b, 0x67), 0);
    put(b, 0x45, 40); /* hard iron in x */
    put(b, 0x48, 0xff);
    put(b, 0x47, 0xfe); /* -2 in y */
    pass(b, 10 * MS);
    get_registers(b, 0x68, bytes, 4);
    assert_int_equal(little(bytes), 100);
    assert_int_equal(little(bytes + 2), -30);
    pass(b, 25 * MS);
    assert_int_equal(get(b, 0x67), 0xff); /* overrun */
    free_board(b);
}

static void test_single_field(void **state) {
    (void)state;
    board *b = magnetometer();
    put(b, 0x60, 0x81);
    pass(b, 9 * MS);
    assert_int_equal(get(b, 0x67) & 8, 0);
    pass(b, MS);
    assert_int_equal(get(b, 0x67) & 8, 8);
    assert_int_equal(get(b, 0x60) & 3, 3);
    put(b, 0x60, 0x20);
    pass(b, 10 * US);
    assert_int_equal(get(b, 0x60), 3);
    free_board(b);
}

/* ---- LPS22HB ------------------------------------------------------------------------------- */

static board *barometer(const char *type) {
    board *b = spi_board(type, 1, strcmp(type, "lps22hb") == 0 ? one_pin : NULL);
    test_samples[0] = (ib_sample){.count = 1, .kind = IB_SAMPLE_BARO, .of.baro = {101325, 288.15}};
    return b;
}

static int32_t counts24(const uint8_t *bytes) {
    return (int32_t)((uint32_t)bytes[0] << 8 | (uint32_t)bytes[1] << 16 |
                     (uint32_t)bytes[2] << 24) /
           256;
}

static void test_pressure(void **state) {
    (void)state;
    board *b = barometer("lps22hb");
    uint8_t bytes[5];
    assert_int_equal(get(b, 0x0f), 0xb1);
    assert_int_equal(get(b, 0x11), 0x10);
    put(b, 0x12, 4);
    put(b, 0x10, 0x52); /* 75 Hz, block update */
    pass(b, 13 * MS);
    assert_int_equal(get(b, 0x27), 0);
    pass(b, MS);
    assert_true(pin(b, 0));
    assert_int_equal(get(b, 0x27), 3);
    get_registers(b, 0x28, bytes, 5);
    assert_int_equal(counts24(bytes), 4150272); /* 1013.25 hPa of 4096 */
    assert_int_equal(little(bytes + 3), 1500);
    assert_int_equal(get(b, 0x27), 0);
    assert_false(pin(b, 0));
    test_samples[0].of.baro = (ib_baro_sample){26000.61, 223.156};
    pass(b, 30 * MS);
    assert_int_equal(get(b, 0x27), 0x33); /* overrun */
    get_registers(b, 0x28, bytes, 5);
    assert_int_equal(counts24(bytes), 1064985); /* 260.0061 * 4096 = 1064984.99 */
    assert_int_equal(little(bytes + 3), -4999); /* -49.994 degrees */
    put(b, 0x10, 0);
    put(b, 0x11, 0x11); /* once */
    pass(b, 13 * MS);
    assert_int_equal(get(b, 0x11) & 1, 1);
    pass(b, MS);
    assert_int_equal(get(b, 0x11), 0x10);
    assert_int_equal(get(b, 0x27) & 3, 3);
    free_board(b);
}

static void test_pressure_fifo(void **state) {
    (void)state;
    board *b = barometer("lps22hb");
    uint8_t bytes[15];
    put(b, 0x14, 2 << 5 | 3); /* stream, mark at four */
    put(b, 0x12, 0x10);
    put(b, 0x11, 0x50);
    put(b, 0x10, 0x50);
    for (int i = 0; i < 4; i++) {
        assert_false(pin(b, 0));
        test_samples[0].of.baro.pressure = 90000 + 100 * i;
        pass(b, 1000 * MS / 75);
    }
    pass(b, MS);
    assert_true(pin(b, 0));
    assert_int_equal(get(b, 0x26), 0x84);
    get_registers(b, 0x28, bytes, 15); /* three pairs in one go */
    for (int i = 0; i < 3; i++)
        assert_int_equal(counts24(bytes + 5 * i), 4096 * (900 + i));
    assert_int_equal(get(b, 0x26), 1);
    pass(b, 1000 * MS);
    assert_int_equal(get(b, 0x26), 0xe0); /* full, overrun */
    put(b, 0x11, 0x10);
    assert_int_equal(get(b, 0x26), 0);
    free_board(b);
}

/* ---- MS5611 -------------------------------------------------------------------------------- */

static uint32_t command(board *b, uint8_t code, int bytes) {
    uint32_t value = 0;
    chip_select(b, true);
    spi_byte(b, code);
    for (int i = 0; i < bytes; i++)
        value = value << 8 | spi_byte(b, 0);
    chip_select(b, false);
    return value;
}

static uint32_t convert(board *b, uint8_t code, int64_t wait) {
    command(b, code, 0);
    pass(b, wait);
    return command(b, 0, 3);
}

/* The algorithm of the data sheet's pages 8 and 9, in whole numbers, as drivers write it. */
static void work_out(const uint16_t c[8], uint32_t d1, uint32_t d2, int64_t *temperature,
                     int64_t *pressure) {
    const int64_t dt = (int64_t)d2 - ((int64_t)c[5] << 8);
    int64_t temp = 2000 + ((dt * c[6]) >> 23);
    int64_t off = ((int64_t)c[2] << 16) + ((c[4] * dt) >> 7);
    int64_t sens = ((int64_t)c[1] << 15) + ((c[3] * dt) >> 8);
    if (temp < 2000) {
        const int64_t t2 = (dt * dt) >> 31, low = (temp - 2000) * (temp - 2000);
        int64_t off2 = 5 * low >> 1, sens2 = 5 * low >> 2;
        if (temp < -1500) {
            off2 += 7 * (temp + 1500) * (temp + 1500);
            sens2 += 11 * (temp + 1500) * (temp + 1500) >> 1;
        }
        temp -= t2;
        off -= off2;
        sens -= sens2;
    }
    *temperature = temp;
    *pressure = ((d1 * sens >> 21) - off) >> 15;
}

static bool crc_is_right(const uint16_t c[8]) {
    uint32_t rest = 0;
    for (int i = 0; i < 16; i++) {
        const uint16_t word = i / 2 == 7 ? c[7] & 0xff00 : c[i / 2];
        rest ^= i & 1 ? word & 0xffu : word >> 8;
        for (int k = 0; k < 8; k++)
            rest = rest & 0x8000 ? rest << 1 ^ 0x3000 : rest << 1;
    }
    return (rest >> 12 & 15) == (c[7] & 15);
}

static void read_prom(board *b, uint16_t c[8]) {
    for (uint8_t i = 0; i < 8; i++)
        c[i] = (uint16_t)command(b, (uint8_t)(0xa0 + 2 * i), 2);
}

static void test_prom(void **state) {
    (void)state;
    board *b = barometer("ms5611");
    uint16_t c[8];
    command(b, 0x1e, 0);
    assert_int_equal(command(b, 0xa2, 2), 0); /* still reloading */
    pass(b, 3 * MS);
    read_prom(b, c);
    assert_int_equal(c[1], 40127);
    assert_int_equal(c[6], 28312);
    assert_true(crc_is_right(c));
    c[3] ^= 4;
    assert_false(crc_is_right(c));
    c[3] ^= 4;
    int64_t temperature, pressure; /* the data sheet's example, of the algorithm above */
    work_out(c, 9085466, 8569150, &temperature, &pressure);
    assert_int_equal(temperature, 2007);
    assert_int_equal(pressure, 100009);
    free_board(b);
}

/* Over the chip's range the algorithm gives back the sample: pressure to the pascal, temperature to
 * a hundredth, which is what one raw count more or less can turn. */
static void test_compensation(void **state) {
    (void)state;
    board *b = barometer("ms5611");
    uint16_t c[8];
    read_prom(b, c);
    for (int centi = -4000; centi <= 8500; centi += 613)
        for (int pascal = 1000; pascal <= 120000; pascal += 8501) {
            int64_t temperature, pressure;
            test_samples[0].of.baro = (ib_baro_sample){pascal, 273.15 + centi / 100.0};
            const uint32_t d1 = convert(b, 0x48, 10 * MS), d2 = convert(b, 0x58, 10 * MS);
            work_out(c, d1, d2, &temperature, &pressure);
            assert_in_range(temperature - centi + 1, 0, 2);
            assert_int_equal(pressure, pascal);
        }
    free_board(b);
}

static void test_conversion_times(void **state) {
    (void)state;
    static const double longest[] = {0.60, 1.17, 2.28, 4.54, 9.04}; /* ms, as drivers wait */
    board *b = barometer("ms5611");
    for (uint8_t ratio = 0; ratio < 5; ratio++) {
        const uint8_t code = (uint8_t)(0x40 + 2 * ratio);
        assert_true(convert(b, code, (int64_t)(longest[ratio] * 1e6)) > 0);
        assert_int_equal(command(b, 0, 3), 0); /* a second read has nothing */
        assert_int_equal(convert(b, code, (int64_t)(longest[ratio] * 0.8e6)), 0); /* too early */
        pass(b, 10 * MS);
        assert_int_equal(command(b, 0, 3), 0); /* and spoilt */
    }
    free_board(b);
}

/* ---- the same chips on I2C ----------------------------------------------------------------- */

static void i2c_address(board *b, uint8_t address) {
    wr(b, I2C1, 0x501);
    wait_for(b, I2C1 + 0x14, 1, 1, MS);
    wr(b, I2C1 + 0x10, address);
    wait_for(b, I2C1 + 0x14, 2, 2, MS);
}

static uint32_t i2c_command(board *b, uint8_t address, uint8_t code, int bytes, bool stop) {
    uint32_t value = 0;
    i2c_address(b, (uint8_t)(address << 1));
    (void)rd(b, I2C1 + 0x18);
    wr(b, I2C1 + 0x10, code);
    wait_for(b, I2C1 + 0x14, 4, 4, MS);
    if (stop) {
        wr(b, I2C1, 0x601);
        wait_for(b, I2C1 + 0x18, 2, 0, MS);
    }
    if (bytes == 0)
        return 0;
    i2c_address(b, (uint8_t)(address << 1 | 1));
    if (bytes == 1)
        wr(b, I2C1, 1);
    (void)rd(b, I2C1 + 0x18);
    for (int i = 0; i < bytes; i++) {
        if (i == bytes - 1)
            wr(b, I2C1, 0x201);
        wait_for(b, I2C1 + 0x14, 0x40, 0x40, MS);
        value = value << 8 | rd(b, I2C1 + 0x10);
    }
    wait_for(b, I2C1 + 0x18, 2, 0, MS);
    return value;
}

static void test_i2c(void **state) {
    (void)state;
    static const char *const types[] = {"lsm6dsl", "lis2mdl", "lps22hb", "ms5611"};
    board *b = make_board();
    const int i2c = add(b, "stm32_i2c", "i2c1", I2C1);
    for (int i = 0; i < 4; i++)
        assert_true(ib_hub_attach(b->hub, add(b, types[i], types[i], 0), i2c));
    assert_true(ib_hub_option(b->hub, ib_hub_find(b->hub, "ms5611"), "address", 0x76));
    assert_false(ib_hub_option(b->hub, ib_hub_find(b->hub, "ms5611"), "address", 0x40));
    ib_hub_start(b->hub);
    wr(b, I2C1 + 0x1c, 0x8000 | 13);
    wr(b, I2C1, 1);
    assert_int_equal(i2c_command(b, 0x6a, 0x0f, 1, false), 0x6a);
    assert_int_equal(i2c_command(b, 0x1e, 0x4f, 1, false), 0x40);
    assert_int_equal(i2c_command(b, 0x5d, 0x0f, 1, false), 0xb1);
    assert_int_equal(i2c_command(b, 0x5d, 0x0f, 3, true), 0xb10010);
    assert_int_equal(i2c_command(b, 0x1e, 0x80 | 0x4f, 1, false), 0x40);
    i2c_command(b, 0x76, 0x1e, 0, true);
    pass(b, 3 * MS);
    assert_int_equal(i2c_command(b, 0x76, 0xa2, 2, true), 40127);
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_single_field),
        cmocka_unit_test(test_pressure),
        cmocka_unit_test(test_pressure_fifo),
        cmocka_unit_test(test_prom),
        cmocka_unit_test(test_compensation),
        cmocka_unit_test(test_conversion_times),
        cmocka_unit_test(test_i2c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
