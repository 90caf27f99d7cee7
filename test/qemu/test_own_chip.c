/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A chip of one's own, complete: a thermometer on I2C at 0x48 that measures ten times a second, one
 * register of sixteenths of a degree, high byte first. And a driver that reads it.
 */
#include "board_test.h"

#include "qemu/parts/chip.h"

#define I2C1 UINT32_C(0x40005400)
#define PERIOD_NS INT64_C(100000000)

typedef struct thermometer {
    int16_t counts; /* of 1/16 degree */
    int sent;       /* bytes of this transfer */
} thermometer;

static void reset(ib_part *chip) {
    *(thermometer *)chip->state = (thermometer){0};
    ib_part_timer(chip, 0, ib_part_now(chip) + PERIOD_NS);
}

static void expire(ib_part *chip, int timer) {
    thermometer *s = chip->state;
    ib_part_timer(chip, timer, ib_part_now(chip) + PERIOD_NS);
    if (!chip->sample[0] || chip->sample[0]->count == 0)
        return; /* the device has said nothing yet */
    const double celsius = chip->sample[0]->of.baro.temperature - IB_ZERO_CELSIUS;
    s->counts = (int16_t)ib_part_counts(celsius, 1.0 / 16, -55 * 16, 125 * 16);
}

static bool start_transfer(ib_part *chip, uint8_t address, bool read) {
    ((thermometer *)chip->state)->sent = 0;
    return address == 0x48 && read;
}

static bool take_byte(ib_part *chip, uint8_t byte) {
    (void)chip;
    (void)byte;
    return false; /* nothing to write: not acknowledged */
}

static uint8_t give_byte(ib_part *chip) {
    thermometer *s = chip->state;
    return (uint8_t)((uint16_t)s->counts >> (s->sent++ % 2 ? 0 : 8));
}

static void stop(ib_part *chip) { (void)chip; }

static const ib_i2c_chip i2c = {start_transfer, take_byte, give_byte, stop};

static const ib_part_type thermometer_type = {
    .name = "thermometer",
    .text = "thermometer on I2C",
    .state_size = sizeof(thermometer),
    .n_timers = 1,
    .samples = {IB_SAMPLE_BARO},
    .reset = reset,
    .expire = expire,
    .i2c = &i2c,
};

/* Two bytes, the manual's way: POS, ACK off after the address, stop when both have come. */
static int16_t read_temperature(board *b) {
    wr(b, I2C1, 0xd01); /* PE, START, ACK, POS */
    wait_for(b, I2C1 + 0x14, 1, 1, MS);
    wr(b, I2C1 + 0x10, 0x91);
    wait_for(b, I2C1 + 0x14, 2, 2, MS);
    (void)rd(b, I2C1 + 0x18);
    wr(b, I2C1, 0x801);
    wait_for(b, I2C1 + 0x14, 4, 4, MS);
    wr(b, I2C1, 0x201);
    const uint32_t high = rd(b, I2C1 + 0x10), low = rd(b, I2C1 + 0x10);
    wait_for(b, I2C1 + 0x18, 2, 0, MS);
    return (int16_t)(high << 8 | low);
}

static void test_thermometer(void **state) {
    (void)state;
    ib_sample sample = {.kind = IB_SAMPLE_BARO};
    board *b = make_board();
    const int bus = add(b, "stm32_i2c", "i2c1", I2C1);
    const int chip = ib_hub_add_type(b->hub, &thermometer_type, "outside", 0);
    assert_true(ib_hub_attach(b->hub, chip, bus));
    assert_true(ib_hub_sample(b->hub, chip, 0, &sample));
    ib_hub_start(b->hub);
    wr(b, I2C1 + 0x1c, 0x8000 | 13);
    wr(b, I2C1, 1);
    pass(b, 150 * MS);
    assert_int_equal(read_temperature(b), 0);
    sample.count = 1;
    sample.of.baro.temperature = 273.15 - 12.8;
    pass(b, 100 * MS);
    assert_int_equal(read_temperature(b), -205); /* -12.8 * 16 = -204.8 */
    sample.of.baro.temperature = 500;
    pass(b, 100 * MS);
    assert_int_equal(read_temperature(b), 2000);
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thermometer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
