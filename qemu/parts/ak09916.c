/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AK09916 magnetometer (AsahiKASEI data sheet 014013021-E-01: modes 9.3, data ready 9.4.3,
 * registers chapter 11), as it sits in the ICM-20948: its y and z axes are the negative ones of
 * that chip.
 *
 * Single and continuous measurements of 0.15 uT a count, data ready, overrun, overflow of the
 * sensor, and data that stays until ST2 is read. Measurements are worked out when the chip is
 * looked at: the one that is due then has the sample of that moment. Not here: self-test.
 */
#include "qemu/parts/ak09916.h"

enum {
    WIA1 = 0x00,
    WIA2 = 0x01,
    ST1 = 0x10,
    HXL = 0x11,
    HZH = 0x16,
    ST2 = 0x18,
    CNTL2 = 0x31,
    CNTL3 = 0x32
};
enum { POWER_DOWN = 0, SINGLE = 1, SELF_TEST = 16 };

#define TESLA_A_COUNT 0.15e-6
#define SINGLE_NS INT64_C(7200000)
#define SUM_MOST 4912e-6 /* of the three absolute values, T: beyond, HOFL */

void ib_ak09916_reset(ib_ak09916 *mag) { *mag = (ib_ak09916){0}; }

static int64_t period_ns(uint8_t mode) {
    return mode == 2   ? 100000000
           : mode == 4 ? 50000000
           : mode == 6 ? 20000000
           : mode == 8 ? 10000000
                       : SINGLE_NS;
}

static void measure(const ib_part *chip, ib_ak09916 *mag) {
    static const double sign[3] = {1, -1, -1};
    const ib_sample *sample = chip->sample[1];
    double axes[3], sum = 0;
    if (!sample || sample->count == 0)
        return;
    ib_part_axes(chip, sample->of.mag.field, axes);
    for (int i = 0; i < 3; i++) {
        mag->field[i] = (int16_t)ib_part_counts(sign[i] * axes[i], TESLA_A_COUNT, -32752, 32752);
        sum += axes[i] < 0 ? -axes[i] : axes[i];
    }
    mag->overrun = mag->overrun || mag->ready;
    mag->overflow = sum >= SUM_MOST;
    mag->ready = true;
}

/* What was due since it was last looked at. */
static void catch_up(const ib_part *chip, ib_ak09916 *mag) {
    if (mag->control == POWER_DOWN || mag->control == SELF_TEST)
        return;
    const int64_t due = (ib_part_now(chip) - mag->from) / period_ns(mag->control);
    if (due <= mag->taken)
        return;
    if (due > mag->taken + 1 && mag->ready)
        mag->overrun = true;
    mag->taken = due;
    measure(chip, mag);
    if (mag->control == SINGLE)
        mag->control = POWER_DOWN;
}

static uint8_t read_field(ib_ak09916 *mag, uint8_t address) {
    const int axis = (address - HXL) / 2;
    if (!mag->reading)
        for (int i = 0; i < 3; i++)
            mag->shown[i] = mag->field[i];
    mag->reading = true;
    const uint16_t value = (uint16_t)mag->shown[axis];
    return (uint8_t)((address - HXL) % 2 ? value >> 8 : value);
}

uint8_t ib_ak09916_read(ib_part *chip, ib_ak09916 *mag, uint8_t address) {
    catch_up(chip, mag);
    if (address >= HXL && address <= HZH)
        return read_field(mag, address);
    switch (address) {
    case WIA1:
        return 0x48;
    case WIA2:
        return 0x09;
    case ST1:
        return (uint8_t)((mag->ready ? 1 : 0) | (mag->overrun ? 2 : 0));
    case ST2:
        mag->reading = mag->ready = mag->overrun = false;
        return mag->overflow ? 8 : 0;
    case CNTL2:
        return mag->control;
    default:
        return 0;
    }
}

void ib_ak09916_write(ib_part *chip, ib_ak09916 *mag, uint8_t address, uint8_t value) {
    if (address == CNTL2) {
        if (value & SELF_TEST)
            ib_part_lacks(chip, address, "self-test of the magnetometer");
        mag->control = value & 0x1f;
        mag->from = ib_part_now(chip);
        mag->taken = 0;
    }
    if (address == CNTL3 && value & 1)
        ib_ak09916_reset(mag);
}
