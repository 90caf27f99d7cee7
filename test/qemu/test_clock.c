/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RCC, PWR, FLASH as start-up code uses them, and the hub's own rules. */
#include "board_test.h"

static board *start(double hse) {
    board *b = make_board();
    const int rcc = add(b, "stm32_rcc", "rcc", RCC);
    assert_true(ib_hub_option(b->hub, rcc, "hse", hse));
    assert_true(ib_hub_irq(b->hub, rcc, 0, 5));
    add(b, "stm32_pwr", "pwr", PWR);
    add(b, "stm32_flash", "flash", FLASH);
    add(b, "stm32_gpio", "gpioa", GPIOA);
    ib_hub_start(b->hub);
    return b;
}

/* The usual way to 168 MHz from a crystal of 8 MHz, with the ready flags and their times. */
static void test_clock_setup(void **state) {
    (void)state;
    board *b = start(8e6);
    ASSERT_BITS(b, RCC, 0x3, 0x3);   /* HSI on, ready */
    ASSERT_BITS(b, RCC + 8, 0xf, 0); /* and used */
    assert_int_equal(rd(b, RCC + 4), 0x24003010);
    set_bits(b, RCC + 0x40, 1u << 28);
    set_bits(b, PWR, 3u << 14);
    set_bits(b, RCC, 1u << 16);
    ASSERT_BITS(b, RCC, 1u << 17, 0);
    const int64_t hse = wait_for(b, RCC, 1u << 17, 1u << 17, 100 * MS);
    assert_in_range(hse, 1900 * US, 2001 * US);
    wr(b, RCC + 4, 8 | 336 << 6 | 0 << 16 | 1u << 22 | 7u << 24);
    set_bits(b, RCC, 1u << 24);
    assert_in_range(wait_for(b, RCC, 1u << 25, 1u << 25, 2 * MS), 99 * US, 101 * US);
    wr(b, FLASH, 5 | 7u << 8);
    assert_int_equal(rd(b, FLASH), 0x705);
    wr(b, RCC + 8, 5u << 10 | 4u << 13);
    wr(b, RCC + 8, rd(b, RCC + 8) | 2);
    wait_for(b, RCC + 8, 0xc, 0x8, 10 * US);
    const ib_clocks c = ib_hub_clocks(b->hub);
    assert_int_equal(c.sysclk, 168000000);
    assert_int_equal(c.hclk, 168000000);
    assert_int_equal(c.pclk1, 42000000);
    assert_int_equal(c.pclk2, 84000000);
    assert_int_equal(c.timer1, 84000000);
    assert_int_equal(c.timer2, 168000000);
    ASSERT_BITS(b, PWR + 4, 1u << 14, 1u << 14);
    assert_int_equal(b->n_notes, 0);
    free_board(b);
}

/* SW may name a source before it is ready: the system clock stays where it is until then. */
static void test_switch_waits(void **state) {
    (void)state;
    board *b = start(25e6);
    set_bits(b, RCC, 1u << 16);
    wr(b, RCC + 8, 1);
    ASSERT_BITS(b, RCC + 8, 0xc, 0);
    pass(b, 2 * MS);
    ASSERT_BITS(b, RCC + 8, 0xc, 4);
    assert_int_equal(ib_hub_clocks(b->hub).sysclk, 25000000);
    clear_bits(b, RCC, 1u << 16); /* cannot be switched off now */
    ASSERT_BITS(b, RCC, 3u << 16, 3u << 16);
    assert_int_equal(b->n_notes, 1);
    free_board(b);
}

static void test_no_crystal(void **state) {
    (void)state;
    board *b = start(0);
    set_bits(b, RCC, 1u << 16);
    pass(b, 5000 * MS);
    ASSERT_BITS(b, RCC, 1u << 17, 0);
    set_bits(b, RCC + 4, 1u << 22);
    set_bits(b, RCC, 1u << 24); /* a PLL without its input */
    pass(b, 10 * MS);
    ASSERT_BITS(b, RCC, 1u << 25, 0);
    free_board(b);
}

static void test_slow_oscillators(void **state) {
    (void)state;
    board *b = start(8e6);
    wr(b, RCC + 0x0c, 1u << 8); /* LSIRDYIE */
    set_bits(b, RCC + 0x74, 1);
    assert_in_range(wait_for(b, RCC + 0x74, 2, 2, MS), 39 * US, 41 * US);
    assert_true(b->irq[5]);
    ASSERT_BITS(b, RCC + 0x0c, 0xff, 1);
    wr(b, RCC + 0x0c, 1u << 16 | 1u << 8);
    assert_false(b->irq[5]);
    set_bits(b, RCC + 0x70, 1);
    pass(b, 1999 * MS);
    ASSERT_BITS(b, RCC + 0x70, 2, 0);
    pass(b, 2 * MS);
    ASSERT_BITS(b, RCC + 0x70, 2, 2);
    wr(b, RCC + 0x74, 1u << 24 | 1);
    assert_int_equal(rd(b, RCC + 0x74) >> 24, 0); /* reset flags removed */
    free_board(b);
}

/* A peripheral whose clock is off reads as zero and takes nothing; its reset bit resets it. */
static void test_gates(void **state) {
    (void)state;
    board *b = start(8e6);
    wr(b, GPIOA, 1);
    assert_int_equal(rd(b, GPIOA), 0);
    assert_non_null(strstr(b->notes, "gpioa: MODER: accessed while the peripheral's clock is off"));
    assert_int_equal(b->n_notes, 1);
    set_bits(b, RCC + 0x30, 1);
    assert_int_equal(rd(b, GPIOA), 0xa8000000);
    wr(b, GPIOA, 0xa8000001);
    set_bits(b, RCC + 0x10, 1);
    clear_bits(b, RCC + 0x10, 1);
    assert_int_equal(rd(b, GPIOA), 0xa8000000);
    free_board(b);
}

static void test_power(void **state) {
    (void)state;
    board *b = start(8e6);
    set_bits(b, RCC + 0x40, 1u << 28);
    wr(b, PWR, 0); /* scale 2 */
    ASSERT_BITS(b, PWR + 4, 1u << 14, 0);
    pass(b, 50 * US);
    ASSERT_BITS(b, PWR + 4, 1u << 14, 1u << 14);
    set_bits(b, PWR, 1u << 8); /* DBP, which drivers read back */
    ASSERT_BITS(b, PWR, 1u << 8, 1u << 8);
    set_bits(b, PWR, 1u << 16); /* over-drive */
    ASSERT_BITS(b, PWR + 4, 1u << 16, 1u << 16);
    set_bits(b, PWR + 4, 1u << 9);
    assert_in_range(wait_for(b, PWR + 4, 1u << 3, 1u << 3, MS), 39 * US, 41 * US);
    free_board(b);
}

static void test_flash_locks(void **state) {
    (void)state;
    board *b = start(8e6);
    ASSERT_BITS(b, FLASH + 0x10, 1u << 31, 1u << 31);
    wr(b, FLASH + 0x10, 2);
    ASSERT_BITS(b, FLASH + 0x10, 2, 0);
    wr(b, FLASH + 4, 0x45670123);
    wr(b, FLASH + 4, 0xcdef89ab);
    ASSERT_BITS(b, FLASH + 0x10, 1u << 31, 0);
    ASSERT_BITS(b, FLASH + 0x0c, 1u << 16, 0); /* not busy */
    wr(b, FLASH + 0x10, 2 | 3u << 3);
    set_bits(b, FLASH + 0x10, 1u << 16); /* erase: refused at once */
    ASSERT_BITS(b, FLASH + 0x0c, 1u << 16 | 1u << 4, 1u << 4);
    wr(b, FLASH + 0x0c, 1u << 4);
    ASSERT_BITS(b, FLASH + 0x0c, 1u << 4, 0);
    set_bits(b, FLASH + 0x10, 1u << 31);
    wr(b, FLASH + 4, 0x45670123);
    wr(b, FLASH + 4, 0x12345678); /* wrong: locked until reset */
    wr(b, FLASH + 4, 0x45670123);
    wr(b, FLASH + 4, 0xcdef89ab);
    ASSERT_BITS(b, FLASH + 0x10, 1u << 31, 1u << 31);
    free_board(b);
}

/* Registers that nobody modelled read as zero and are told of once, by name. */
static void test_notes(void **state) {
    (void)state;
    board *b = start(8e6);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rd(b, FLASH + 0x40), 0);
        wr(b, FLASH + 0x40, 7);
    }
    assert_int_equal(b->n_strict, 1);
    assert_string_equal(b->notes, "flash: register ? (0x40) is not modelled: it reads as zero\n");
    assert_int_equal(ib_hub_at(b->hub, FLASH + 0x3ff), 2);
    assert_int_equal(ib_hub_at(b->hub, FLASH + 0x400), -1);
    assert_int_equal(ib_hub_add(b->hub, "stm32_pwr", "twice", FLASH + 0x100), -1);
    assert_int_equal(ib_hub_add(b->hub, "stm32_nothing", "x", 0x50000000), -1);
    free_board(b);
}

/* A reset from outside: clocks and registers as at the start, the cause kept. */
static void test_reset(void **state) {
    (void)state;
    board *b = start(8e6);
    set_bits(b, RCC, 1u << 16);
    pass(b, 3 * MS);
    wr(b, RCC + 8, 1);
    wr(b, RCC + 0x74, 1u << 24);
    ib_hub_reset(b->hub);
    ASSERT_BITS(b, RCC, 3u << 16, 0);
    assert_int_equal(ib_hub_clocks(b->hub).sysclk, 16000000);
    assert_int_equal(rd(b, RCC + 0x74), 1u << 26); /* by the pin */
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock_setup), cmocka_unit_test(test_switch_waits),
        cmocka_unit_test(test_no_crystal),  cmocka_unit_test(test_slow_oscillators),
        cmocka_unit_test(test_gates),       cmocka_unit_test(test_power),
        cmocka_unit_test(test_flash_locks), cmocka_unit_test(test_notes),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
