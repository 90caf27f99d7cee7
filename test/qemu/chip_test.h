/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A chip on SPI, and a driver that reads and writes its registers by polling. */
#ifndef IB_TEST_CHIP_H
#define IB_TEST_CHIP_H

#include "board_test.h"

#define DEGREE (3.14159265358979323846 / 180)

static ib_sample test_samples[2];

/* GPIO port A and SPI 1 with the chip's select at PA4; its interrupt pins at PB0 and PB1. */
static inline board *spi_board(const char *type, int n_samples, const char *const *pins) {
    board *b = make_board();
    const int gpioa = add(b, "stm32_gpio", "gpioa", GPIOA);
    const int gpiob = add(b, "stm32_gpio", "gpiob", GPIOB);
    const int spi = add(b, "stm32_spi", "spi1", SPI1);
    const int chip = add(b, type, "chip", 0);
    memset(test_samples, 0, sizeof test_samples);
    assert_true(ib_hub_attach(b->hub, chip, spi));
    assert_true(ib_hub_connect(b->hub, gpioa, "4", chip, "select"));
    for (int i = 0; pins && pins[i]; i++)
        assert_true(ib_hub_connect(b->hub, chip, pins[i], gpiob, i == 0 ? "0" : "1"));
    for (int i = 0; i < n_samples; i++)
        assert_true(ib_hub_sample(b->hub, chip, i, &test_samples[i]));
    ib_hub_start(b->hub);
    wr(b, GPIOA + 0x18, 1u << 4);
    wr(b, GPIOA, 0xa8000000 | 1u << 8);
    wr(b, SPI1, 0x344); /* master, software NSS, enabled, 8 MHz */
    return b;
}

static inline uint8_t spi_byte(board *b, uint8_t out) {
    wr8(b, SPI1 + 0x0c, out);
    wait_for(b, SPI1 + 0x08, 1, 1, MS);
    return rd8(b, SPI1 + 0x0c);
}

static inline void chip_select(board *b, bool low) {
    wr(b, GPIOA + 0x18, low ? 1u << 20 : 1u << 4);
}

static inline void get_registers(board *b, uint8_t address, uint8_t *values, int n) {
    chip_select(b, true);
    spi_byte(b, address | 0x80);
    for (int i = 0; i < n; i++)
        values[i] = spi_byte(b, 0);
    chip_select(b, false);
}

static inline uint8_t get(board *b, uint8_t address) {
    uint8_t value;
    get_registers(b, address, &value, 1);
    return value;
}

static inline void put(board *b, uint8_t address, uint8_t value) {
    chip_select(b, true);
    spi_byte(b, address);
    spi_byte(b, value);
    chip_select(b, false);
}

static inline int16_t little(const uint8_t *bytes) { return (int16_t)(bytes[0] | bytes[1] << 8); }
static inline int16_t big(const uint8_t *bytes) { return (int16_t)(bytes[0] << 8 | bytes[1]); }

static inline bool pin(board *b, int n) { return rd(b, GPIOB + 0x10) >> n & 1; }

#endif
