/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPIO, SYSCFG and EXTI: levels, locks, edges, interrupts. */
#include "board_test.h"

static board *start(void) {
    static const int irqs[] = {6, 7, 8, 9, 10, 23, 40};
    board *b = make_board();
    add(b, "stm32_gpio", "gpioa", GPIOA);
    add(b, "stm32_gpio", "gpiob", GPIOB);
    add(b, "stm32_syscfg", "syscfg", SYSCFG);
    const int exti = add(b, "stm32_exti", "exti", EXTI);
    for (int k = 0; k < 7; k++)
        assert_true(ib_hub_irq(b->hub, exti, k, irqs[k]));
    ib_hub_start(b->hub);
    return b;
}

static void drive(board *b, const char *port, const char *pin, ib_level level) {
    assert_true(ib_hub_drive(b->hub, ib_hub_find(b->hub, port), pin, level));
}

static void test_reset_values(void **state) {
    (void)state;
    board *b = start();
    assert_int_equal(rd(b, GPIOA), 0xa8000000);
    assert_int_equal(rd(b, GPIOA + 0x0c), 0x64000000);
    assert_int_equal(rd(b, GPIOB), 0x280);
    assert_int_equal(rd(b, GPIOB + 0x08), 0xc0);
    assert_int_equal(rd(b, GPIOB + 0x0c), 0x100);
    assert_int_equal(rd(b, GPIOA + 0x10), 0xa000); /* pulled up: PA15, PA13; down: PA14 */
    free_board(b);
}

static void test_outputs(void **state) {
    (void)state;
    board *b = start();
    wr(b, GPIOA, 0xa8000000 | 1u << 8 | 1u << 10); /* PA4, PA5 out */
    wr(b, GPIOA + 0x18, 1u << 4 | 1u << 5);
    assert_int_equal(rd(b, GPIOA + 0x14), 0x30);
    ASSERT_BITS(b, GPIOA + 0x10, 0x30, 0x30);
    wr(b, GPIOA + 0x18, 1u << 20);
    ASSERT_BITS(b, GPIOA + 0x10, 0x30, 0x20);
    wr(b, GPIOA + 0x18, 1u << 4 | 1u << 20); /* set wins */
    ASSERT_BITS(b, GPIOA + 0x14, 0x30, 0x30);
    wr_size(b, GPIOA + 0x1a, 2, 1u << 5); /* the upper half alone, as BSRRH */
    ASSERT_BITS(b, GPIOA + 0x14, 0x30, 0x10);
    wr_size(b, GPIOA + 0x14, 1, 0x20);
    assert_int_equal(rd(b, GPIOA + 0x14), 0x20);
    free_board(b);
}

static void test_inputs(void **state) {
    (void)state;
    board *b = start();
    ASSERT_BITS(b, GPIOB + 0x10, 1, 0); /* floats */
    wr(b, GPIOB + 0x0c, 1);
    ASSERT_BITS(b, GPIOB + 0x10, 1, 1);
    drive(b, "gpiob", "0", IB_LOW);
    ASSERT_BITS(b, GPIOB + 0x10, 1, 0);
    drive(b, "gpiob", "0", IB_HIGH);
    ASSERT_BITS(b, GPIOB + 0x10, 1, 1);
    wr(b, GPIOB, 3); /* analogue: reads as zero */
    ASSERT_BITS(b, GPIOB + 0x10, 1, 0);
    wr(b, GPIOB, 1); /* open drain: the board may pull it down, not up against ODR = 0 */
    wr(b, GPIOB + 4, 1);
    ASSERT_BITS(b, GPIOB + 0x10, 1, 0);
    wr(b, GPIOB + 0x14, 1);
    ASSERT_BITS(b, GPIOB + 0x10, 1, 1);
    drive(b, "gpiob", "0", IB_LOW);
    ASSERT_BITS(b, GPIOB + 0x10, 1, 0);
    free_board(b);
}

static void test_lock(void **state) {
    (void)state;
    board *b = start();
    wr(b, GPIOB, 0x281);
    wr(b, GPIOB + 0x1c, 1u << 16 | 1); /* broken off: other pins in between */
    wr(b, GPIOB + 0x1c, 3);
    wr(b, GPIOB + 0x1c, 1u << 16 | 1);
    ASSERT_BITS(b, GPIOB + 0x1c, 1u << 16, 0);
    wr(b, GPIOB + 0x1c, 1);
    wr(b, GPIOB + 0x1c, 1u << 16 | 1);
    ASSERT_BITS(b, GPIOB + 0x1c, 0x1ffff, 1u << 16 | 1);
    wr(b, GPIOB, 0x286);
    assert_int_equal(rd(b, GPIOB), 0x285); /* pin 0 stays, pin 1 follows */
    wr(b, GPIOB + 0x20, 0x77);
    assert_int_equal(rd(b, GPIOB + 0x20), 0x70);
    wr(b, GPIOB + 0x18, 1); /* data is not locked */
    ASSERT_BITS(b, GPIOB + 0x10, 1, 1);
    free_board(b);
}

static void acknowledge(board *b) {
    const uint32_t pending = rd(b, EXTI + 0x14);
    *(uint32_t *)b->own |= pending;
    wr(b, EXTI + 0x14, pending);
}

static void test_edges(void **state) {
    (void)state;
    board *b = start();
    uint32_t seen = 0;
    b->own = &seen;
    b->vector[6] = b->vector[23] = b->vector[40] = acknowledge;
    wr(b, SYSCFG + 0x08, 0x0001);      /* line 0: port B */
    wr(b, EXTI + 0x08, 1u | 1u << 12); /* rising */
    wr(b, EXTI + 0x0c, 1u << 7);       /* falling */
    wr(b, EXTI, 1u | 1u << 7 | 1u << 12);
    drive(b, "gpioa", "0", IB_HIGH); /* the other port */
    pass(b, 1);
    assert_int_equal(seen, 0);
    drive(b, "gpiob", "0", IB_HIGH);
    pass(b, 1);
    assert_int_equal(seen, 1);
    assert_int_equal(b->raised[6], 1);
    assert_false(b->irq[6]);
    drive(b, "gpiob", "0", IB_LOW);
    drive(b, "gpioa", "7", IB_HIGH);
    pass(b, 1);
    assert_int_equal(seen, 1);
    drive(b, "gpioa", "7", IB_LOW);
    drive(b, "gpioa", "12", IB_HIGH);
    pass(b, 1);
    assert_int_equal(seen, 1u | 1u << 7 | 1u << 12);
    assert_int_equal(b->raised[23], 1);
    assert_int_equal(b->raised[40], 1);
    free_board(b);
}

/* A masked line keeps its edge; a software trigger works on unmasked lines. */
static void test_masks(void **state) {
    (void)state;
    board *b = start();
    wr(b, EXTI + 0x08, 2);
    drive(b, "gpioa", "1", IB_HIGH);
    assert_false(b->irq[7]);
    ASSERT_BITS(b, EXTI + 0x14, 2, 2);
    wr(b, EXTI, 2);
    assert_true(b->irq[7]);
    wr(b, EXTI + 0x14, 2);
    assert_false(b->irq[7]);
    wr(b, EXTI + 0x10, 2);
    assert_true(b->irq[7]);
    wr(b, EXTI + 0x14, 2);
    assert_false(b->irq[7]);
    assert_int_equal(rd(b, EXTI + 0x10), 0);
    free_board(b);
}

/* An output of the chip's own makes edges, too. */
static void test_output_edge(void **state) {
    (void)state;
    board *b = start();
    wr(b, EXTI, 8);
    wr(b, EXTI + 0x08, 8);
    wr(b, GPIOA, 0xa8000040);
    wr(b, GPIOA + 0x18, 8);
    assert_true(b->irq[9]);
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset_values), cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_inputs),       cmocka_unit_test(test_lock),
        cmocka_unit_test(test_edges),        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_output_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
