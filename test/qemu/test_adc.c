/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ADC: single, scan, continuous, injected, watchdog, overrun, DMA; and the independent watchdog. */
#include "board_test.h"

#define ADC UINT32_C(0x40012000)
#define ADC2 (ADC + 0x100)
#define DMA2 UINT32_C(0x40026400)
#define IWDG UINT32_C(0x40003000)
enum { SR = 0, CR1 = 4, CR2 = 8, SMPR1 = 0x0c, SMPR2 = 0x10, JOFR1 = 0x14, HTR = 0x24, LTR = 0x28 };
enum { SQR1 = 0x2c, SQR3 = 0x34, JSQR = 0x38, JDR1 = 0x3c, DR = 0x4c, CCR = 0x304 };
enum { AWD = 1, EOC = 2, JEOC = 4, STRT = 16, OVR = 32, ADON = 1, CONT = 2, EOCS = 1 << 10 };
#define SWSTART (1u << 30)

static board *start(void) {
    board *b = make_board();
    const int adc = add(b, "stm32_adc", "adc", ADC);
    const int dma = add(b, "stm32_dma", "dma2", DMA2);
    assert_true(ib_hub_irq(b->hub, adc, 0, 18));
    assert_true(ib_hub_irq(b->hub, dma, 0, 56));
    for (int i = 0; i < 16; i++)
        assert_true(ib_hub_analog(b->hub, adc, i, 0.2 * i));
    assert_false(ib_hub_analog(b->hub, adc, 16, 1));
    ib_hub_start(b->hub);
    return b;
}

static uint32_t code(double volts, unsigned bits) {
    const double counts = volts / 3.3 * (1u << bits);
    return (uint32_t)counts;
}

static void test_single(void **state) {
    (void)state;
    board *b = start();
    wr(b, ADC + CR2, ADON);
    wr(b, ADC + SMPR2, 7u << 15); /* channel 5: 480 cycles */
    wr(b, ADC + SQR3, 5);
    wr(b, ADC + CR2, ADON | SWSTART);
    ASSERT_BITS(b, ADC + CR2, SWSTART, 0);
    ASSERT_BITS(b, ADC + SR, STRT | EOC, STRT);
    const int64_t took = wait_for(b, ADC + SR, EOC, EOC, MS);
    assert_in_range(took, 492 * 125 - 300, 492 * 125 + 100); /* 480 + 12 at 8 MHz */
    assert_int_equal(rd(b, ADC + DR), code(1.0, 12));
    ASSERT_BITS(b, ADC + SR, EOC, 0);
    static const unsigned bits[] = {12, 10, 8, 6};
    for (unsigned res = 0; res < 4; res++) {
        wr(b, ADC + CR1, res << 24);
        wr(b, ADC + SR, 0);
        wr(b, ADC + CR2, ADON | SWSTART);
        wait_for(b, ADC + SR, EOC, EOC, MS);
        assert_int_equal(rd(b, ADC + DR), code(1.0, bits[res]));
    }
    wr(b, ADC + CR1, 0);
    wr(b, ADC + CR2, ADON | SWSTART | 1 << 11); /* left */
    wait_for(b, ADC + SR, EOC, EOC, MS);
    assert_int_equal(rd(b, ADC + DR), code(1.0, 12) << 4);
    free_board(b);
}

/* Full scale, beyond, and below; the inner channels. */
static void test_values(void **state) {
    (void)state;
    static const double volts[] = {-1, 0, 3.3 / 4096 * 1.5, 3.2995, 3.3, 9};
    static const uint32_t codes[] = {0, 0, 1, 4095, 4095, 4095};
    board *b = start();
    wr(b, ADC + CR2, ADON);
    for (int i = 0; i < 6; i++) {
        assert_true(ib_hub_analog(b->hub, 0, 0, volts[i]));
        wr(b, ADC + CR2, ADON | SWSTART);
        wait_for(b, ADC + SR, EOC, EOC, MS);
        assert_int_equal(rd(b, ADC + DR), codes[i]);
    }
    static const double inner[] = {0.76, 1.21, 1.5};
    for (uint32_t i = 0; i < 3; i++) {
        for (int on = 0; on < 2; on++) {
            wr(b, ADC + CCR, on ? 3u << 22 : 0);
            wr(b, ADC + SQR3, 16 + i);
            wr(b, ADC + CR2, ADON | SWSTART);
            wait_for(b, ADC + SR, EOC, EOC, MS);
            assert_int_equal(rd(b, ADC + DR), on ? code(inner[i], 12) : 0);
        }
    }
    free_board(b);
}

/* Four channels in turn, EOC at each. */
static void test_scan(void **state) {
    (void)state;
    board *b = start();
    wr(b, ADC + CR1, 1 << 8);
    wr(b, ADC + SQR1, 3 << 20);
    wr(b, ADC + SQR3, 1 | 7 << 5 | 3 << 10 | 9 << 15);
    wr(b, ADC + CR2, ADON | EOCS | SWSTART);
    static const int order[] = {1, 7, 3, 9};
    for (int i = 0; i < 4; i++) {
        wait_for(b, ADC + SR, EOC, EOC, MS);
        assert_int_equal(rd(b, ADC + DR), code(0.2 * order[i], 12));
    }
    pass(b, MS);
    ASSERT_BITS(b, ADC + SR, EOC | OVR, 0);
    wr(b, ADC + CR2, ADON | EOCS | SWSTART); /* nobody reads: overrun, the rest is not converted */
    pass(b, MS);
    ASSERT_BITS(b, ADC + SR, EOC | OVR, EOC | OVR);
    assert_int_equal(rd(b, ADC + DR), code(0.2, 12));
    free_board(b);
}

/* A ring of conversions by DMA while the sequence goes on. */
static void test_dma(void **state) {
    (void)state;
    board *b = start();
    wr(b, DMA2 + 0x14, 6);
    wr(b, DMA2 + 0x18, ADC + DR);
    wr(b, DMA2 + 0x1c, RAM_BASE);
    wr(b, DMA2 + 0x10, 0x400 | 0x100 | 1 << 11 | 1 << 13 | 0x10 | 1);
    wr(b, ADC + CR1, 1 << 8);
    wr(b, ADC + SQR1, 2 << 20);
    wr(b, ADC + SQR3, 4 | 6 << 5 | 8 << 10);
    wr(b, ADC + CR2, ADON | CONT | 1 << 8 | 1 << 9 | SWSTART);
    pass(b, 100 * US);
    assert_true(b->irq[56]);
    for (int i = 0; i < 6; i++) {
        uint16_t value;
        memcpy(&value, b->ram + 2 * i, 2);
        assert_int_equal(value, code(0.2 * (4 + 2 * (i % 3)), 12));
    }
    ASSERT_BITS(b, ADC + SR, OVR, 0);
    free_board(b);
}

/* Without DDS the requests end with DMA's block; the next value is an overrun. */
static void test_dma_once(void **state) {
    (void)state;
    board *b = start();
    wr(b, DMA2 + 0x14, 4);
    wr(b, DMA2 + 0x18, ADC + DR);
    wr(b, DMA2 + 0x1c, RAM_BASE);
    wr(b, DMA2 + 0x10, 0x400 | 1 << 11 | 1 << 13 | 0x10 | 1);
    wr(b, ADC + SQR3, 2);
    wr(b, ADC + CR2, ADON | CONT | 1 << 8 | SWSTART);
    pass(b, 100 * US);
    assert_true(b->irq[56]);
    assert_int_equal(rd(b, DMA2 + 0x14), 0);
    ASSERT_BITS(b, ADC + SR, OVR, OVR);
    free_board(b);
}

static void test_injected_and_guard(void **state) {
    (void)state;
    board *b = start();
    wr(b, ADC2 + CR1, 1 << 8 | 1 << 7);
    wr(b, ADC2 + JSQR, 1 << 20 | 10u << 10 | 12u << 15); /* two: places 3 and 4 */
    wr(b, ADC2 + JOFR1, 100);
    wr(b, ADC2 + CR2, ADON);
    wr(b, ADC2 + CR2, ADON | 1u << 22);
    wait_for(b, ADC2 + SR, JEOC, JEOC, MS);
    assert_true(b->irq[18]);
    assert_int_equal(rd(b, ADC2 + JDR1), code(2.0, 12) - 100);
    assert_int_equal(rd(b, ADC2 + JDR1 + 4), code(2.4, 12));
    wr(b, ADC2 + SR, 0);
    assert_false(b->irq[18]);
    ASSERT_BITS(b, ADC + 0x300, 0xff00, 0);
    wr(b, ADC2 + HTR, code(1.0, 12));
    wr(b, ADC2 + LTR, code(0.5, 12));
    wr(b, ADC2 + CR1, 1 << 23 | 1 << 6);
    for (uint32_t channel = 0; channel < 8; channel++) {
        wr(b, ADC2 + SR, 0);
        wr(b, ADC2 + SQR3, channel);
        wr(b, ADC2 + CR2, ADON | SWSTART);
        wait_for(b, ADC2 + SR, EOC, EOC, MS);
        assert_int_equal(b->irq[18], channel < 3 || channel > 5);
        (void)rd(b, ADC2 + DR);
    }
    free_board(b);
}

/* Fed in time nothing happens; forgotten, the processor is reset and RCC knows why. */
static void test_independent_watchdog(void **state) {
    (void)state;
    board *b = make_board();
    add(b, "stm32_rcc", "rcc", RCC);
    add(b, "stm32_iwdg", "iwdg", IWDG);
    ib_hub_start(b->hub);
    wr(b, RCC + 0x74, 1u << 24);
    wr(b, IWDG + 4, 3); /* locked */
    assert_int_equal(rd(b, IWDG + 4), 0);
    assert_int_equal(b->n_notes, 1);
    wr(b, IWDG, 0xcccc);
    wr(b, IWDG, 0x5555);
    wr(b, IWDG + 4, 3); /* 32 / 32 kHz: a millisecond */
    wr(b, IWDG + 8, 99);
    ASSERT_BITS(b, IWDG + 0x0c, 3, 3);
    wait_for(b, IWDG + 0x0c, 3, 0, 200 * US);
    assert_int_equal(rd(b, IWDG + 4), 3);
    assert_int_equal(rd(b, IWDG + 8), 99);
    for (int i = 0; i < 20; i++) {
        wr(b, IWDG, 0xaaaa);
        pass(b, 99 * MS);
    }
    assert_int_equal(b->n_resets, 0);
    pass(b, 2 * MS);
    assert_int_equal(b->n_resets, 1);
    assert_non_null(strstr(b->notes, "iwdg: the watchdog was not fed for 100 ms: reset"));
    ib_hub_reset(b->hub);
    ASSERT_BITS(b, RCC + 0x74, 1u << 29, 1u << 29);
    pass(b, 100000 * MS); /* stopped by the reset */
    assert_int_equal(b->n_resets, 1);
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_dma),
        cmocka_unit_test(test_dma_once),
        cmocka_unit_test(test_injected_and_guard),
        cmocka_unit_test(test_independent_watchdog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
