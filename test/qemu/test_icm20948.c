/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ICM-20948 over SPI: banks, scales to a digit, rates, interrupt pin, FIFO, and its magnetometer by
 * the inner I2C master and by bypass.
 */
#include "chip_test.h"

#define I2C1 UINT32_C(0x40005400)

static void fill_samples(void) {
    test_samples[0] = (ib_sample){.count = 1,
                                  .kind = IB_SAMPLE_IMU,
                                  .of.imu = {{1.5, -2.5, -9.80665}, {0.25, -0.5, 1}, 313.15}};
    test_samples[1] =
        (ib_sample){.count = 1, .kind = IB_SAMPLE_MAG, .of.mag = {{2.1e-5, -4.8e-6, 4.35e-5}}};
}

static void bank(board *b, uint8_t n) { put(b, 0x7f, (uint8_t)(n << 4)); }

static board *start(void) {
    static const char *const pins[] = {"int1", NULL};
    board *b = spi_board("icm20948", 2, pins);
    fill_samples();
    assert_int_equal(get(b, 0x00), 0xea);
    assert_int_equal(get(b, 0x06), 0x41); /* asleep */
    put(b, 0x06, 0x81);
    assert_int_equal(get(b, 0x06), 0xc1);
    pass(b, 2 * MS);
    assert_int_equal(get(b, 0x06), 0x41);
    put(b, 0x06, 0x01);
    put(b, 0x03, 0x10);
    return b;
}

static void test_scales(void **state) {
    (void)state;
    static const double accel[] = {16384, 8192, 4096, 2048}, gyro[] = {131, 65.5, 32.8, 16.4};
    board *b = start();
    const ib_imu_sample *imu = &test_samples[0].of.imu;
    for (uint8_t range = 0; range < 4; range++) {
        uint8_t bytes[14];
        bank(b, 2);
        put(b, 0x01, (uint8_t)(range << 1 | 1));
        put(b, 0x14, (uint8_t)(range << 1 | 1));
        assert_int_equal(get(b, 0x14), range << 1 | 1);
        bank(b, 0);
        pass(b, 2 * MS);
        get_registers(b, 0x2d, bytes, 14);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(big(bytes + 2 * i),
                             lround(imu->specific_force[i] / 9.80665 * accel[range]));
            assert_int_equal(big(bytes + 6 + 2 * i), lround(imu->rate[i] / DEGREE * gyro[range]));
        }
        assert_int_equal(big(bytes + 12), lround(19 * 333.87)); /* 40 degrees */
    }
    free_board(b);
}

static int count_pulses(board *b, int64_t span) {
    const int64_t from = b->now;
    int n = 0;
    for (bool was = pin(b, 0); b->now - from < span;) {
        const bool is = pin(b, 0);
        n += is && !was;
        was = is;
        pass(b, 5 * US);
    }
    return n;
}

static void test_rates(void **state) {
    (void)state;
    board *b = start();
    put(b, 0x11, 1);
    pass(b, 10 * MS);
    assert_in_range(count_pulses(b, 100 * MS), 112, 113); /* 1125 Hz */
    bank(b, 2);
    put(b, 0x00, 4); /* gyro 225 Hz */
    put(b, 0x10, 0);
    put(b, 0x11, 10); /* accelerometer 102 Hz */
    bank(b, 0);
    assert_in_range(count_pulses(b, 1000 * MS), 224, 226);
    put(b, 0x07, 0x07); /* gyro off: the accelerometer's pace */
    assert_in_range(count_pulses(b, 1000 * MS), 102, 103);
    put(b, 0x0f, 0x20); /* latched until the status is read */
    pass(b, 20 * MS);
    assert_true(pin(b, 0));
    assert_int_equal(get(b, 0x1a), 1);
    assert_false(pin(b, 0));
    pass(b, 20 * MS);
    put(b, 0x0f, 0xb0); /* active low, any read clears */
    pass(b, 20 * MS);
    assert_false(pin(b, 0));
    (void)get(b, 0x2d);
    assert_true(pin(b, 0));
    put(b, 0x06, 0x41); /* asleep */
    pass(b, 100 * MS);
    assert_int_equal(get(b, 0x74), 0);
    free_board(b);
}

static unsigned fifo_bytes(board *b) {
    uint8_t count[2];
    get_registers(b, 0x70, count, 2);
    return (unsigned)(count[0] << 8 | count[1]);
}

static void test_fifo(void **state) {
    (void)state;
    board *b = start();
    uint8_t bytes[28];
    put(b, 0x12, 1);
    put(b, 0x67, 0x1f);
    put(b, 0x68, 0x1f);
    put(b, 0x68, 0);
    put(b, 0x03, 0x50);
    pass(b, 4 * MS);
    assert_int_equal(fifo_bytes(b), 4 * 14);
    test_samples[0].of.imu.specific_force[2] = 9.80665;
    get_registers(b, 0x72, bytes, 28);
    for (int set = 0; set < 2; set++) {
        assert_int_equal(big(bytes + 14 * set + 4), -16384);
        assert_int_equal(big(bytes + 14 * set + 10), lround(1 / DEGREE * 131));
        assert_int_equal(big(bytes + 14 * set + 12), lround(19 * 333.87));
    }
    assert_true(fifo_bytes(b) <= 3 * 14);
    assert_false(pin(b, 0));
    pass(b, 100 * MS);
    assert_int_equal(fifo_bytes(b), 512);
    assert_true(pin(b, 0));
    assert_int_equal(get(b, 0x1b), 1);
    put(b, 0x03, 0x10);
    put(b, 0x68, 0x1f);
    put(b, 0x68, 0);
    assert_int_equal(fifo_bytes(b), 0);
    assert_int_equal(get(b, 0x72), 0xff);
    free_board(b);
}

static uint8_t mag_register(board *b, uint8_t reg, int value) {
    bank(b, 3);
    put(b, 0x13, value < 0 ? 0x8c : 0x0c);
    put(b, 0x14, reg);
    if (value >= 0)
        put(b, 0x16, (uint8_t)value);
    put(b, 0x15, 0x80);
    const uint8_t got = get(b, 0x17);
    bank(b, 0);
    assert_int_equal(get(b, 0x17), 0x40); /* done, acknowledged */
    return got;
}

/* As drivers do: slave 4 sets it up, slave 0 reads ST1 to ST2 with every sample. */
static void test_magnetometer(void **state) {
    (void)state;
    board *b = start();
    uint8_t bytes[9];
    put(b, 0x03, 0x30);
    assert_int_equal(mag_register(b, 0x00, -1), 0x48);
    assert_int_equal(mag_register(b, 0x01, -1), 0x09);
    mag_register(b, 0x31, 8); /* 100 Hz */
    bank(b, 3);
    put(b, 0x03, 0x8c);
    put(b, 0x04, 0x10);
    put(b, 0x05, 0x89);
    bank(b, 0);
    int fresh = 0;
    for (int i = 0; i < 200; i++) {
        pass(b, MS);
        get_registers(b, 0x3b, bytes, 9);
        fresh += bytes[0] & 1;
    }
    assert_in_range(fresh, 15, 23); /* some twice seen, some between two looks: 20 measurements */
    assert_int_equal(little(bytes + 1), 140); /* 21 uT of 0.15 */
    assert_int_equal(little(bytes + 3), 32);  /* its y and z point the other way */
    assert_int_equal(little(bytes + 5), -290);
    assert_int_equal(bytes[8], 0);
    test_samples[1].of.mag.field[0] = 4.95e-3; /* too strong */
    pass(b, 20 * MS);
    get_registers(b, 0x3b, bytes, 9);
    assert_int_equal(little(bytes + 1), 32752);
    assert_int_equal(bytes[8], 8);
    free_board(b);
}

/* On I2C with the master bypassed the magnetometer is a chip of its own. */
static uint8_t i2c_get(board *b, uint8_t address, uint8_t reg) {
    for (int turn = 0; turn < 2; turn++) {
        wr(b, I2C1, 0x101);
        wait_for(b, I2C1 + 0x14, 1, 1, MS);
        wr(b, I2C1 + 0x10, (uint32_t)(address << 1 | turn));
        wait_for(b, I2C1 + 0x14, 0x402, 2, MS);
        (void)rd(b, I2C1 + 0x18);
        if (turn == 0) {
            wr(b, I2C1 + 0x10, reg);
            wait_for(b, I2C1 + 0x14, 4, 4, MS);
        }
    }
    wr(b, I2C1, 0x201);
    wait_for(b, I2C1 + 0x14, 0x40, 0x40, MS);
    wait_for(b, I2C1 + 0x18, 2, 0, MS);
    return (uint8_t)rd(b, I2C1 + 0x10);
}

static void i2c_put(board *b, uint8_t address, uint8_t reg, uint8_t value) {
    wr(b, I2C1, 0x101);
    wait_for(b, I2C1 + 0x14, 1, 1, MS);
    wr(b, I2C1 + 0x10, (uint32_t)(address << 1));
    wait_for(b, I2C1 + 0x14, 2, 2, MS);
    (void)rd(b, I2C1 + 0x18);
    wr(b, I2C1 + 0x10, reg);
    wr(b, I2C1 + 0x10, value);
    wait_for(b, I2C1 + 0x14, 0x84, 0x84, MS);
    wr(b, I2C1, 0x201);
    wait_for(b, I2C1 + 0x18, 2, 0, MS);
}

static void test_bypass(void **state) {
    (void)state;
    board *b = make_board();
    fill_samples();
    const int i2c = add(b, "stm32_i2c", "i2c1", I2C1), chip = add(b, "icm20948", "imu", 0);
    assert_true(ib_hub_attach(b->hub, chip, i2c));
    assert_true(ib_hub_sample(b->hub, chip, 1, &test_samples[1]));
    assert_false(ib_hub_sample(b->hub, chip, 2, &test_samples[1]));
    ib_hub_start(b->hub);
    wr(b, I2C1 + 0x1c, 0x8000 | 13);
    wr(b, I2C1, 1);
    assert_int_equal(i2c_get(b, 0x68, 0), 0xea);
    wr(b, I2C1, 0x101); /* nobody at 0x0c yet */
    wait_for(b, I2C1 + 0x14, 1, 1, MS);
    wr(b, I2C1 + 0x10, 0x18);
    wait_for(b, I2C1 + 0x14, 0x400, 0x400, MS);
    wr(b, I2C1 + 0x14, 0);
    wr(b, I2C1, 0x201);
    wait_for(b, I2C1 + 0x18, 2, 0, MS);
    i2c_put(b, 0x68, 0x06, 0x01);
    i2c_put(b, 0x68, 0x0f, 0x02);
    assert_int_equal(i2c_get(b, 0x0c, 0x01), 0x09);
    i2c_put(b, 0x0c, 0x31, 1); /* once */
    assert_int_equal(i2c_get(b, 0x0c, 0x10), 0);
    pass(b, 8 * MS);
    assert_int_equal(i2c_get(b, 0x0c, 0x10), 1);
    assert_int_equal(i2c_get(b, 0x0c, 0x31), 0);
    assert_int_equal(i2c_get(b, 0x0c, 0x11), 140);
    assert_int_equal(i2c_get(b, 0x0c, 0x18), 0);
    assert_int_equal(i2c_get(b, 0x0c, 0x10), 0);
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scales), cmocka_unit_test(test_rates),
        cmocka_unit_test(test_fifo),   cmocka_unit_test(test_magnetometer),
        cmocka_unit_test(test_bypass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
