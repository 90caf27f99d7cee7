/* An image that drives chips over SPI, DMA and I2C, writes pulses and speaks over a UART: what the
 * host gives reaches it, what it does comes back, to the count and at the time; and again the same.
 */
#include "firmware/firmware_test.h"

enum { TICKS = 60, MOST = 8192 };

/* What a run has shown: bytes with the tick they came in, pulses after each tick. */
typedef struct shown {
    uint8_t bytes[MOST];
    int tick_of[MOST];
    size_t n;
    double width[TICKS][2];
    uint32_t accesses[TICKS];
} shown;

/* Down is positive: at rest the specific force is -g. A little more in each tick. */
static void set_samples(ib_firmware *firmware, int tick) {
    ib_sample *imu = ib_firmware_sample(firmware, IMU);
    *imu =
        (ib_sample){.count = (uint64_t)tick + 1, .time = tick * MILLISECOND, .kind = IB_SAMPLE_IMU};
    imu->of.imu.specific_force[2] = -9.80665 * (1 + 0.001 * tick);
    imu->of.imu.temperature = 298.15;
    ib_sample *baro = ib_firmware_sample(firmware, BARO);
    *baro = (ib_sample){
        .count = (uint64_t)tick + 1, .time = tick * MILLISECOND, .kind = IB_SAMPLE_BARO};
    baro->of.baro.pressure = 101325;
    baro->of.baro.temperature = 298.15;
}

static void run(shown *got) {
    static const uint8_t words[] = "hello, firmware";
    const ib_firmware_options options = test_options();
    ib_diags *diags = ib_diags_create();
    ib_firmware *firmware = open_image(IMAGE("devices"), &options);
    memset(got, 0, sizeof *got);
    for (int tick = 0; tick < TICKS; tick++) {
        set_samples(firmware, tick);
        if (tick == 20)
            assert_int_equal(ib_firmware_send(firmware, TELEMETRY, words, sizeof words - 1),
                             sizeof words - 1);
        if (ib_firmware_tick(firmware, (tick + 1) * MILLISECOND, diags) != IB_OK)
            fail_msg("%s", first_error(diags));
        const ib_frame_note *notes;
        const size_t n_notes = ib_firmware_notes(firmware, &notes);
        for (size_t i = 0; i < n_notes; i++)
            fail_msg("%s: %s", notes[i].part, notes[i].text);
        const size_t before = got->n;
        got->n += ib_firmware_receive(firmware, TELEMETRY, got->bytes + got->n, MOST - got->n);
        for (size_t i = before; i < got->n; i++)
            got->tick_of[i] = tick;
        for (int k = 0; k < 2; k++)
            got->width[tick][k] = ib_firmware_pulse(firmware, k)->width;
    }
    assert_int_equal(ib_firmware_resets(firmware), 0);
    ib_firmware_close(firmware);
    ib_diags_destroy(diags);
}

/* The n-th report, from its 'R' on; NULL: there is none. */
static const uint8_t *report(const shown *got, int number) {
    for (size_t i = 0; i + 12 <= got->n; i++)
        if (got->bytes[i] == 'R' && got->bytes[i + 1] == number && got->bytes[i + 8] == 'B')
            return got->bytes + i;
    return NULL;
}

static int16_t half(const uint8_t *bytes) { return (int16_t)(bytes[0] | bytes[1] << 8); }

static void test_bytes_reach_it(void **unused) {
    (void)unused;
    static shown got;
    run(&got);
    /* Identities: LSM6DSL 0x6a, LPS22HB 0xb1. */
    assert_int_equal(got.bytes[0], 'I');
    assert_int_equal(got.bytes[1], 0x6a);
    assert_int_equal(got.bytes[2], 0xb1);
    /* By polling (odd ticks) and by DMA (even): the chip's z axis at 2 g full scale, 0.061 mg a
     * count. What the chip last took is from the tick's sample or, at 1.66 kHz, the one before. */
    for (int number = 10; number <= 55; number += 5) {
        const uint8_t *r = report(&got, number);
        assert_non_null(r);
        const double newest = -1000 * (1 + 0.001 * number) / 0.061,
                     oldest = -1000 * (1 + 0.001 * (number - 2)) / 0.061;
        const int16_t z = half(r + 6);
        assert_int_equal(half(r + 2), 0);
        assert_int_equal(half(r + 4), 0);
        assert_true(z >= newest - 1 && z <= oldest + 1);
    }
    /* 1013.25 hPa at 4096 counts, as soon as the barometer's 75 Hz have given a value. */
    const uint8_t *r = report(&got, 50);
    const uint32_t pressure = r[9] | (uint32_t)r[10] << 8 | (uint32_t)r[11] << 16;
    assert_int_equal(pressure, 4150272);
    /* Pulses take what was read: z / 64 from the middle, the middle byte of pressure. */
    assert_true(got.width[TICKS - 1][0] == 1500 + half(report(&got, 55) + 6) / 64);
    assert_true(got.width[TICKS - 1][1] == 1000 + (4150272 >> 8 & 255));
}

static void test_echo(void **unused) {
    (void)unused;
    static shown got;
    size_t found = 0;
    run(&got);
    /* Between reports, in order; sent in tick 20, so never before. */
    for (size_t i = 0; i < got.n && found < 15; i++)
        if (got.tick_of[i] >= 20 && got.bytes[i] == (uint8_t) "hello, firmware"[found])
            found++;
    assert_int_equal(found, 15);
}

static void test_thrice_the_same(void **unused) {
    (void)unused;
    static shown first, again;
    run(&first);
    for (int i = 0; i < 2; i++) {
        run(&again);
        assert_memory_equal(&again, &first, sizeof first);
    }
}

/* The host's tick interrupt arrives once for each tick but the first, which starts the firmware. */
static void test_tick_interrupt(void **unused) {
    (void)unused;
    const ib_firmware_options options = test_options();
    ib_diags *diags = ib_diags_create();
    ib_firmware *firmware = open_image(IMAGE("counter"), &options);
    for (int tick = 0; tick < 100; tick++) {
        assert_int_equal(ib_firmware_tick(firmware, (tick + 1) * MILLISECOND, diags), IB_OK);
        const ib_frame_pulse *pulse = ib_firmware_pulse(firmware, 0);
        assert_true(pulse->running && pulse->width == 1000 + tick && pulse->period == 20000);
    }
    ib_firmware_close(firmware);
    ib_diags_destroy(diags);
}

/* Two at once, in turns, do not disturb each other. */
static void test_two_at_once(void **unused) {
    (void)unused;
    const ib_firmware_options options = test_options();
    ib_diags *diags = ib_diags_create();
    ib_firmware *a = open_image(IMAGE("counter"), &options),
                *b = open_image(IMAGE("counter"), &options);
    for (int tick = 0; tick < 40; tick++) {
        assert_int_equal(ib_firmware_tick(a, (tick + 1) * MILLISECOND, diags), IB_OK);
        if (tick % 2)
            assert_int_equal(ib_firmware_tick(b, (tick + 1) * MILLISECOND, diags), IB_OK);
    }
    assert_true(ib_firmware_pulse(a, 0)->width == 1039 && ib_firmware_pulse(b, 0)->width == 1019);
    ib_firmware_close(b);
    ib_firmware_close(a);
    ib_diags_destroy(diags);
}

int main(void) {
    if (!ib_program_found("qemu-system-arm"))
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_reach_it), cmocka_unit_test(test_echo),
        cmocka_unit_test(test_thrice_the_same), cmocka_unit_test(test_tick_interrupt),
        cmocka_unit_test(test_two_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
