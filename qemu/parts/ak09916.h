/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AK09916 magnetometer inside the ICM-20948: reached by the chip's own I2C master, or from outside
 * when that is bypassed. */
#ifndef IB_QEMU_AK09916_H
#define IB_QEMU_AK09916_H

#include "qemu/parts/chip.h"

#define IB_AK09916_ADDRESS 0x0c

typedef struct ib_ak09916 {
    uint8_t control;  /* CNTL2: mode */
    int16_t field[3]; /* as measured last */
    int16_t shown[3]; /* as read: kept from the first read until ST2 is read */
    bool ready, overrun, overflow, reading;
    int64_t from;  /* when the mode was set */
    int64_t taken; /* measurements since */
} ib_ak09916;

/* chip: the part it sits in, with the magnetometer's sample in slot 1. */
void ib_ak09916_reset(ib_ak09916 *mag);
uint8_t ib_ak09916_read(ib_part *chip, ib_ak09916 *mag, uint8_t address);
void ib_ak09916_write(ib_part *chip, ib_ak09916 *mag, uint8_t address, uint8_t value);

#endif
