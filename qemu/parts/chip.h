/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What chips with a map of 8-bit registers share: how SPI and I2C reach it, two-byte outputs that
 * are not torn apart, and interrupt pins. */
#ifndef IB_QEMU_CHIP_H
#define IB_QEMU_CHIP_H

#include "qemu/peripheral.h"

#define IB_STANDARD_GRAVITY 9.80665
#define IB_DEGREE (3.14159265358979323846 / 180)
#define IB_ZERO_CELSIUS 273.15

/* The registers as a bus sees them. next: the address after this one. */
typedef struct ib_chip_map {
    uint8_t (*read)(ib_part *chip, uint8_t address);
    void (*write)(ib_part *chip, uint8_t address, uint8_t value);
    uint8_t (*next)(ib_part *chip, uint8_t address);
} ib_chip_map;

/* Where a transfer stands. */
typedef struct ib_chip_port {
    bool has_address, reading;
    uint8_t address;
} ib_chip_port;

/* SPI: the first byte after select is R/W (bit 7, 1: read) and the address. */
void ib_chip_spi_select(ib_chip_port *port, bool selected);
uint8_t ib_chip_spi_exchange(ib_part *chip, ib_chip_port *port, const ib_chip_map *map,
                             uint8_t out);
/* I2C: the first byte written after a start is the address; it stays for reads after a repeated
 * start. */
void ib_chip_i2c_start(ib_chip_port *port, bool read);
bool ib_chip_i2c_write(ib_part *chip, ib_chip_port *port, const ib_chip_map *map, uint8_t byte);
uint8_t ib_chip_i2c_read(ib_part *chip, ib_chip_port *port, const ib_chip_map *map);

/* Outputs of two bytes (or three) each, read byte by byte. With block update a value stays from the
 * read of its first byte until all of it was read, whatever comes meanwhile. */
enum { IB_CHIP_OUTPUTS = 8 };
typedef struct ib_chip_outputs {
    int32_t newest[IB_CHIP_OUTPUTS], shown[IB_CHIP_OUTPUTS];
    uint8_t unread[IB_CHIP_OUTPUTS]; /* bytes of the shown value still to be read, a bit each */
} ib_chip_outputs;

void ib_chip_set(ib_chip_outputs *outputs, int which, int32_t value);
/* Byte number `byte` of an output of `size` bytes, 0 the least; block: with block update. */
uint8_t ib_chip_byte(ib_chip_outputs *outputs, int which, int byte, int size, bool block);

/* Level of an interrupt pin: active high or low, push-pull or open drain. */
ib_level ib_chip_pin(bool active, bool active_low, bool open_drain);

#endif
