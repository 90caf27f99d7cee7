/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LSM6DSL over SPI: identity, scales to a digit, rates, data-ready, block update, FIFO. */
#include "chip_test.h"

static board *start(void) {
    static const char *const pins[] = {"int1", "int2", NULL};
    board *b = spi_board("lsm6dsl", 1, pins);
    test_samples[0] = (ib_sample){.count = 1,
                                  .kind = IB_SAMPLE_IMU,
                                  .of.imu = {{1.5, -2.5, -9.80665}, {0.25, -0.5, 1}, 308.15}};
    return b;
}

static void test_identity(void **state) {
    (void)state;
    board *b = start();
    assert_int_equal(get(b, 0x0f), 0x6a);
    assert_int_equal(get(b, 0x12), 0x04);
    put(b, 0x0f, 0x11);
    assert_int_equal(get(b, 0x0f), 0x6a);
    put(b, 0x10, 0x60);
    put(b, 0x12, 0x45); /* reset: back to the start, and the bit with it */
    assert_int_equal(get(b, 0x12) & 1, 1);
    pass(b, 60 * US);
    assert_int_equal(get(b, 0x12), 0x04);
    assert_int_equal(get(b, 0x10), 0);
    free_board(b);
}

/* Every range: counts are the value over the data sheet's sensitivity, rounded. */
static void test_scales(void **state) {
    (void)state;
    static const struct {
        uint8_t fs;
        double mg;
    } accel[] = {{0, 0.061}, {2, 0.122}, {3, 0.244}, {1, 0.488}};
    static const struct {
        uint8_t fs;
        double mdps;
    } gyro[] = {{1, 4.375}, {0, 8.75}, {2, 17.5}, {4, 35}, {6, 70}};
    board *b = start();
    const ib_imu_sample *imu = &test_samples[0].of.imu;
    uint8_t bytes[14];
    for (int i = 0; i < 4; i++) {
        put(b, 0x10, (uint8_t)(0x80 | accel[i].fs << 2));
        pass(b, MS);
        get_registers(b, 0x28, bytes, 6);
        for (int k = 0; k < 3; k++)
            assert_int_equal(little(bytes + 2 * k),
                             lround(imu->specific_force[k] / 9.80665 / (accel[i].mg * 1e-3)));
    }
    for (int i = 0; i < 5; i++) {
        put(b, 0x11, (uint8_t)(0x80 | gyro[i].fs << 1));
        pass(b, MS);
        get_registers(b, 0x20, bytes, 14);
        assert_int_equal(little(bytes), 10 * 256); /* 35 degrees */
        for (int k = 0; k < 3; k++)
            assert_int_equal(little(bytes + 2 + 2 * k),
                             lround(imu->rate[k] / DEGREE / (gyro[i].mdps * 1e-3)));
    }
    free_board(b);
}

static void test_clips(void **state) {
    (void)state;
    board *b = start();
    uint8_t bytes[6];
    test_samples[0].of.imu.specific_force[0] = 30;
    test_samples[0].of.imu.specific_force[1] = -30;
    put(b, 0x10, 0x80);
    pass(b, MS);
    get_registers(b, 0x28, bytes, 6);
    assert_int_equal(little(bytes), INT16_MAX);
    assert_int_equal(little(bytes + 2), INT16_MIN);
    free_board(b);
}

/* A chip that sits turned on the board sees the body in its own axes. */
static void test_mounting(void **state) {
    (void)state;
    board *b = start();
    static const double turned[9] = {0, -1, 0, -1, 0, 0, 0, 0, -1};
    uint8_t bytes[6];
    ib_hub_mount(b->hub, ib_hub_find(b->hub, "chip"), turned);
    put(b, 0x10, 0x80);
    pass(b, MS);
    get_registers(b, 0x28, bytes, 6);
    assert_int_equal(little(bytes), lround(2.5 / 9.80665 / 0.061e-3));
    assert_int_equal(little(bytes + 2), lround(-1.5 / 9.80665 / 0.061e-3));
    assert_int_equal(little(bytes + 4), 16393);
    free_board(b);
}

/* The flag rises at the rate set and falls with the read of a high byte; nothing comes without
 * samples or rate. */
static void test_data_ready(void **state) {
    (void)state;
    board *b = start();
    test_samples[0].count = 0;
    put(b, 0x0d, 0x01); /* accelerometer on INT1 */
    put(b, 0x0e, 0x02); /* gyro on INT2 */
    put(b, 0x10, 0x80); /* 1.66 kHz */
    pass(b, 5 * MS);
    assert_int_equal(get(b, 0x1e), 0);
    test_samples[0].count = 1;
    int n = 0;
    const int64_t from = b->now;
    while (b->now - from < 100 * MS) {
        if (!pin(b, 0))
            continue;
        uint8_t bytes[6];
        assert_int_equal(get(b, 0x1e), 0x05);
        get_registers(b, 0x28, bytes, 6);
        assert_false(pin(b, 0));
        n++;
    }
    assert_in_range(n, 165, 167);
    assert_false(pin(b, 1));
    put(b, 0x11, 0x40);
    pass(b, 10 * MS);
    assert_true(pin(b, 1));
    put(b, 0x12, 0x24); /* active low */
    assert_false(pin(b, 1));
    put(b, 0x10, 0); /* off */
    uint8_t bytes[6];
    get_registers(b, 0x28, bytes, 6);
    pass(b, 10 * MS);
    assert_int_equal(get(b, 0x1e) & 1, 0);
    free_board(b);
}

static void test_pulses(void **state) {
    (void)state;
    board *b = start();
    put(b, 0x0b, 0x80);
    put(b, 0x0d, 0x01);
    put(b, 0x10, 0x40); /* 104 Hz, never read */
    int edges = 0, high = 0, n = 0;
    for (bool was = false; n < 50000; n++) {
        const bool is = pin(b, 0);
        edges += is && !was;
        high += is;
        was = is;
        pass(b, 900);
    }
    assert_in_range(edges, 5, 5);
    assert_in_range(high, 5 * 74, 5 * 76); /* 75 us each, looked at every microsecond */
    free_board(b);
}

/* With block update the two bytes of a value belong together, whenever they are read. */
static void test_block_update(void **state) {
    (void)state;
    board *b = start();
    for (int block = 0; block < 2; block++) {
        test_samples[0].of.imu.specific_force[0] = 255 * 0.061e-3 * 9.80665; /* 0x00ff */
        put(b, 0x12, block ? 0x44 : 0x04);
        put(b, 0x10, 0x80);
        pass(b, 2 * MS);
        const uint8_t low = get(b, 0x28);
        test_samples[0].of.imu.specific_force[0] = 256 * 0.061e-3 * 9.80665; /* 0x0100 */
        pass(b, 2 * MS);
        const int value = low | get(b, 0x29) << 8;
        assert_int_equal(value, block ? 0x00ff : 0x01ff);
        uint8_t bytes[2];
        get_registers(b, 0x28, bytes, 2);
        assert_int_equal(little(bytes), 0x0100);
    }
    free_board(b);
}

static unsigned level(board *b) {
    uint8_t status[2];
    get_registers(b, 0x3a, status, 2);
    return status[0] | (status[1] & 7u) << 8;
}

/* Gyro and accelerometer at the FIFO's rate, read as sets of six words; INT1 at the threshold. */
static void test_fifo(void **state) {
    (void)state;
    board *b = start();
    uint8_t bytes[12];
    put(b, 0x10, 0x40);
    put(b, 0x11, 0x40);
    put(b, 0x06, 30); /* five sets */
    put(b, 0x08, 1 << 3 | 1);
    put(b, 0x0d, 0x08);
    put(b, 0x0a, 4 << 3 | 6); /* 104 Hz, continuous */
    assert_int_equal(get(b, 0x3b) & 0x10, 0x10);
    pass(b, 43 * MS);
    assert_int_equal(level(b), 24);
    assert_false(pin(b, 0));
    pass(b, 9 * MS);
    assert_int_equal(level(b), 30);
    assert_true(pin(b, 0));
    assert_int_equal(get(b, 0x3b) & 0x90, 0x80);
    get_registers(b, 0x3e, bytes, 12);
    assert_int_equal(little(bytes), lround(0.25 / DEGREE / 8.75e-3));
    assert_int_equal(little(bytes + 4), lround(1 / DEGREE / 8.75e-3));
    assert_int_equal(little(bytes + 6), lround(1.5 / 9.80665 / 0.061e-3));
    assert_int_equal(little(bytes + 10), -16393);
    assert_int_equal(level(b), 24);
    assert_false(pin(b, 0));
    get_registers(b, 0x3e, bytes, 4);
    assert_int_equal(get(b, 0x3c), 2); /* place in the pattern */
    put(b, 0x0a, 0);                   /* bypass empties it */
    assert_int_equal(level(b), 0);
    free_board(b);
}

static void test_fifo_full(void **state) {
    (void)state;
    board *b = start();
    put(b, 0x10, 0xa0);
    put(b, 0x11, 0xa0);
    put(b, 0x08, 1 << 3 | 2);  /* every second one of the accelerometer: 9 words in two */
    put(b, 0x0a, 10 << 3 | 1); /* 6.66 kHz, stops when full */
    pass(b, 100 * MS);
    assert_int_equal(level(b), 2048 & 0x7ff); /* eleven bits: full shows as none, with the flag */
    assert_int_equal(get(b, 0x3b) & 0x70, 0x60);
    uint8_t bytes[2];
    get_registers(b, 0x3e, bytes, 2);
    assert_int_equal(little(bytes), lround(0.25 / DEGREE / 8.75e-3));
    for (int i = 0; i < 9; i++)
        get_registers(b, 0x3e, bytes, 2);
    assert_int_equal(get(b, 0x3c), 1); /* ten words of a pattern of nine */
    free_board(b);
}

static void test_timestamp(void **state) {
    (void)state;
    board *b = start();
    put(b, 0x5c, 0x10);
    put(b, 0x19, 0x20);
    pass(b, 1000 * MS);
    uint8_t t[3];
    get_registers(b, 0x40, t, 3);
    assert_in_range(t[0] | t[1] << 8 | t[2] << 16, 40000, 40002);
    put(b, 0x42, 0xaa);
    assert_int_equal(get(b, 0x40), 0);
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),     cmocka_unit_test(test_scales),
        cmocka_unit_test(test_clips),        cmocka_unit_test(test_mounting),
        cmocka_unit_test(test_data_ready),   cmocka_unit_test(test_pulses),
        cmocka_unit_test(test_block_update), cmocka_unit_test(test_fifo),
        cmocka_unit_test(test_fifo_full),    cmocka_unit_test(test_timestamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
