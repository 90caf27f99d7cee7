/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What chips with a map of 8-bit registers share. */
#include "qemu/parts/chip.h"

void ib_chip_spi_select(ib_chip_port *port, bool selected) {
    (void)selected; /* either edge ends the transfer before */
    port->has_address = false;
}

uint8_t ib_chip_spi_exchange(ib_part *chip, ib_chip_port *port, const ib_chip_map *map,
                             uint8_t out) {
    if (!port->has_address) {
        port->has_address = true;
        port->reading = out & 0x80;
        port->address = out & 0x7f;
        return 0xff;
    }
    const uint8_t address = port->address;
    port->address = map->next(chip, address);
    if (port->reading)
        return map->read(chip, address);
    map->write(chip, address, out);
    return 0xff;
}

void ib_chip_i2c_start(ib_chip_port *port, bool read) {
    if (!read)
        port->has_address = false;
}

bool ib_chip_i2c_write(ib_part *chip, ib_chip_port *port, const ib_chip_map *map, uint8_t byte) {
    if (!port->has_address) {
        port->has_address = true;
        port->address = byte;
        return true;
    }
    const uint8_t address = port->address;
    port->address = map->next(chip, address);
    map->write(chip, address, byte);
    return true;
}

uint8_t ib_chip_i2c_read(ib_part *chip, ib_chip_port *port, const ib_chip_map *map) {
    const uint8_t address = port->address;
    port->address = map->next(chip, address);
    return map->read(chip, address);
}

void ib_chip_set(ib_chip_outputs *outputs, int which, int32_t value) {
    outputs->newest[which] = value;
}

uint8_t ib_chip_byte(ib_chip_outputs *outputs, int which, int byte, int size, bool block) {
    const uint8_t whole = (uint8_t)((1 << size) - 1);
    uint8_t *unread = &outputs->unread[which];
    if (!block || *unread == 0 || *unread == whole) {
        outputs->shown[which] = outputs->newest[which];
        *unread = whole;
    }
    *unread = (uint8_t)(block ? *unread & ~(1 << byte) : 0);
    return (uint8_t)((uint32_t)outputs->shown[which] >> 8 * byte);
}

ib_level ib_chip_pin(bool active, bool active_low, bool open_drain) {
    const bool high = active != active_low;
    return high ? (open_drain ? IB_OPEN : IB_HIGH) : IB_LOW;
}
