/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers: time base, update interrupt, preload, one pulse, directions, compare, capture, PWM
 * pulses. */
#include "board_test.h"

#define TIM1 UINT32_C(0x40010000)
#define TIM2 UINT32_C(0x40000000)
#define TIM4 UINT32_C(0x40000800)
enum { CR1 = 0, DIER = 0x0c, SR = 0x10, EGR = 0x14, CCMR1 = 0x18, CCMR2 = 0x1c, CCER = 0x20 };
enum { CNT = 0x24, PSC = 0x28, ARR = 0x2c, RCR = 0x30, CCR1 = 0x34, CCR2 = 0x38, BDTR = 0x44 };
enum { CEN = 1, UDIS = 2, URS = 4, OPM = 8, DIR = 16, ARPE = 0x80 };

static board *start(void) {
    board *b = make_board();
    const int tim1 = add(b, "stm32_timer", "tim1", TIM1);
    const int tim2 = add(b, "stm32_timer", "tim2", TIM2);
    const int tim4 = add(b, "stm32_timer", "tim4", TIM4);
    assert_true(ib_hub_irq(b->hub, tim1, 0, 25));
    assert_true(ib_hub_irq(b->hub, tim1, 1, 27));
    assert_true(ib_hub_irq(b->hub, tim2, 0, 28));
    assert_true(ib_hub_irq(b->hub, tim4, 0, 30));
    ib_hub_start(b->hub);
    return b;
}

static ib_pulse pulse_of(board *b, const char *name, int channel) {
    ib_pulse pulse;
    assert_true(ib_hub_pulse(b->hub, ib_hub_find(b->hub, name), channel, &pulse));
    return pulse;
}

/* A microsecond a count from 16 MHz, a millisecond an update; the count is exact at any time. */
static void test_time_base(void **state) {
    (void)state;
    board *b = start();
    wr(b, TIM4 + PSC, 15);
    wr(b, TIM4 + ARR, 999);
    wr(b, TIM4 + EGR, 1); /* loads the prescaler */
    ASSERT_BITS(b, TIM4 + SR, 1, 1);
    wr(b, TIM4 + SR, 0);
    wr(b, TIM4 + CR1, CEN);
    const int64_t from = b->now;
    for (int i = 0; i < 50; i++) {
        pass(b, 123457);
        assert_int_equal(ib_hub_read(b->hub, TIM4 + CNT, 4), (b->now - from) / 1000 % 1000);
    }
    ASSERT_BITS(b, TIM4 + SR, 1, 1);
    wr(b, TIM4 + SR, 0);
    ASSERT_BITS(b, TIM4 + SR, 1, 0);
    wr(b, TIM4 + CR1, 0);
    const uint32_t count = rd(b, TIM4 + CNT);
    pass(b, 5 * MS);
    assert_int_equal(rd(b, TIM4 + CNT), count);
    free_board(b);
}

static void on_update(board *b) {
    int64_t *times = b->own;
    wr(b, TIM4 + SR, ~1u);
    times[1 + times[0]++] = b->now;
}

/* The interrupt comes at the update, without drift, though a period is no whole nanoseconds. */
static void test_update_interrupt(void **state) {
    (void)state;
    board *b = start();
    int64_t times[1100] = {0};
    b->own = times;
    b->vector[30] = on_update;
    wr(b, TIM4 + PSC, 36);
    wr(b, TIM4 + ARR, 432); /* 37 * 433 / 16 MHz = 1001.3125 us */
    wr(b, TIM4 + CR1, URS | ARPE);
    wr(b, TIM4 + EGR, 1);
    ASSERT_BITS(b, TIM4 + SR, 1, 0); /* URS: UG raises nothing */
    wr(b, TIM4 + DIER, 1);
    wr(b, TIM4 + CR1, URS | ARPE | CEN);
    const int64_t from = b->now;
    pass(b, 1000 * INT64_C(1001313) + 5000);
    assert_int_equal(times[0], 1000);
    for (int64_t n = 1; n <= 1000; n++) {
        const int64_t due = from + (n * 37 * 433 * 125 + 1) / 2; /* 62.5 ns a cycle, rounded up */
        assert_int_equal(times[n], due + ACCESS_NS);
    }
    assert_int_equal(b->raised[30], 1000);
    free_board(b);
}

/* Nobody waits: no alarm rings, however fast the timer. */
static void test_quiet(void **state) {
    (void)state;
    board *b = start();
    wr(b, TIM4 + ARR, 9);
    wr(b, TIM4 + CR1, CEN);
    assert_true(b->alarm == IB_NEVER);
    pass(b, 3600 * 1000 * MS);
    ASSERT_BITS(b, TIM4 + SR, 1, 1);
    wr(b, TIM4 + DIER, 1);
    assert_true(b->irq[30]);
    assert_true(b->alarm == IB_NEVER); /* the flag is up already */
    free_board(b);
}

/* What is preloaded takes effect at the update; what is not, at once. */
static void test_preload(void **state) {
    (void)state;
    board *b = start();
    wr(b, TIM4 + PSC, 15);
    wr(b, TIM4 + ARR, 999);
    wr(b, TIM4 + CCMR1, 0x6800 | 0x60); /* PWM 1: channel 2 with preload, channel 1 without */
    wr(b, TIM4 + CCR1, 100);
    wr(b, TIM4 + CCR2, 200);
    wr(b, TIM4 + CCER, 0x11);
    wr(b, TIM4 + EGR, 1);
    wr(b, TIM4 + CR1, CEN | ARPE);
    wr(b, TIM4 + CCR1, 101);
    wr(b, TIM4 + CCR2, 201);
    wr(b, TIM4 + ARR, 1999);
    wr(b, TIM4 + PSC, 31);
    ASSERT_NEAR(pulse_of(b, "tim4", 1).width, 101, 0);
    ASSERT_NEAR(pulse_of(b, "tim4", 2).width, 200, 0);
    ASSERT_NEAR(pulse_of(b, "tim4", 2).period, 1000, 0);
    pass(b, MS);
    ASSERT_NEAR(pulse_of(b, "tim4", 1).width, 202, 0);
    ASSERT_NEAR(pulse_of(b, "tim4", 2).width, 402, 0);
    ASSERT_NEAR(pulse_of(b, "tim4", 2).period, 4000, 0);
    wr(b, TIM4 + CR1, CEN | UDIS | ARPE); /* no updates: everything stays */
    wr(b, TIM4 + CCR2, 333);
    pass(b, 50 * MS);
    ASSERT_NEAR(pulse_of(b, "tim4", 2).width, 402, 0);
    free_board(b);
}

/* Servo and motor pulses: microseconds to the digit, modes and polarities. */
static void test_pulses(void **state) {
    (void)state;
    board *b = start();
    assert_false(pulse_of(b, "tim4", 1).running);
    wr(b, TIM4 + PSC, 15);
    wr(b, TIM4 + ARR, 2499);
    wr(b, TIM4 + CCMR1, 0x7060); /* channel 1: PWM 1, channel 2: PWM 2 */
    wr(b, TIM4 + CCMR2, 0x5040); /* forced low and high */
    wr(b, TIM4 + CCR1, 1500);
    wr(b, TIM4 + CCR2, 1100);
    wr(b, TIM4 + EGR, 1);
    wr(b, TIM4 + CCER, 0x1111);
    assert_false(pulse_of(b, "tim4", 1).running); /* does not count yet */
    wr(b, TIM4 + CR1, CEN);
    const ib_pulse one = pulse_of(b, "tim4", 1);
    assert_true(one.running);
    ASSERT_NEAR(one.width, 1500, 0);
    ASSERT_NEAR(one.period, 2500, 0);
    ASSERT_NEAR(pulse_of(b, "tim4", 2).width, 1400, 0);
    ASSERT_NEAR(pulse_of(b, "tim4", 3).width, 0, 0);
    ASSERT_NEAR(pulse_of(b, "tim4", 4).width, 2500, 0);
    wr(b, TIM4 + CCER, 0x1113); /* active low */
    ASSERT_NEAR(pulse_of(b, "tim4", 1).width, 1000, 0);
    wr(b, TIM4 + CCR1, 60000);
    ASSERT_NEAR(pulse_of(b, "tim4", 1).width, 0, 0);
    wr(b, TIM4 + CCER, 0x1110);
    assert_false(pulse_of(b, "tim4", 1).running);
    ib_pulse none;
    assert_false(ib_hub_pulse(b->hub, ib_hub_find(b->hub, "tim4"), 5, &none));
    free_board(b);
}

/* An advanced timer puts nothing out before MOE, and has two interrupts. */
static void test_advanced(void **state) {
    (void)state;
    board *b = start();
    wr(b, TIM1 + PSC, 15);
    wr(b, TIM1 + ARR, 999);
    wr(b, TIM1 + RCR, 3);
    wr(b, TIM1 + CCMR1, 0x60);
    wr(b, TIM1 + CCR1, 250);
    wr(b, TIM1 + CCER, 1);
    wr(b, TIM1 + EGR, 1);
    wr(b, TIM1 + SR, 0);
    wr(b, TIM1 + DIER, 3);
    wr(b, TIM1 + CR1, CEN);
    assert_false(pulse_of(b, "tim1", 1).running);
    wr(b, TIM1 + BDTR, 0x8000);
    assert_true(pulse_of(b, "tim1", 1).running);
    ASSERT_NEAR(pulse_of(b, "tim1", 1).width, 250, 0);
    pass(b, 300 * US);
    assert_true(b->irq[27]);
    assert_false(b->irq[25]);
    wr(b, TIM1 + SR, 0);
    pass(b, 3 * MS);
    assert_false(b->irq[25]); /* the fourth overflow updates */
    pass(b, 800 * US);
    assert_true(b->irq[25]);
    free_board(b);
}

static void test_one_pulse(void **state) {
    (void)state;
    board *b = start();
    wr(b, TIM4 + ARR, 15999);
    wr(b, TIM4 + DIER, 1);
    wr(b, TIM4 + CR1, CEN | OPM);
    const int64_t from = b->now;
    while (!b->irq[30])
        pass(b, 100);
    assert_in_range(b->now - from, MS, MS + 100);
    ASSERT_BITS(b, TIM4 + CR1, CEN, 0);
    assert_int_equal(rd(b, TIM4 + CNT), 0);
    wr(b, TIM4 + SR, 0);
    pass(b, 5 * MS);
    assert_false(b->irq[30]);
    free_board(b);
}

static void test_directions(void **state) {
    (void)state;
    board *b = start();
    wr(b, TIM4 + PSC, 15);
    wr(b, TIM4 + ARR, 99);
    wr(b, TIM4 + EGR, 1);
    wr(b, TIM4 + CR1, CEN | DIR);
    assert_int_equal(rd(b, TIM4 + CNT), 0);
    pass(b, 10500);
    assert_int_equal(rd(b, TIM4 + CNT), 90); /* 0, then 99, 98, ... */
    wr(b, TIM4 + CR1, 0);
    wr(b, TIM4 + EGR, 1);
    wr(b, TIM4 + CR1, CEN | 0x20); /* centre-aligned: 0 ... 99 ... 0 */
    pass(b, 90500);
    assert_int_equal(rd(b, TIM4 + CNT), 90);
    pass(b, 20000);
    assert_int_equal(rd(b, TIM4 + CNT), 88);
    ASSERT_BITS(b, TIM4 + CR1, DIR, DIR);
    pass(b, 100000);
    ASSERT_BITS(b, TIM4 + CR1, DIR, 0);
    wr(b, TIM4 + CCMR1, 0x60);
    wr(b, TIM4 + CCR1, 25);
    wr(b, TIM4 + CCER, 1);
    ASSERT_NEAR(pulse_of(b, "tim4", 1).width, 50, 0);
    ASSERT_NEAR(pulse_of(b, "tim4", 1).period, 198, 0);
    free_board(b);
}

/* 32 bits: a free-running microsecond clock beyond 65536, as drivers keep time. */
static void test_wide(void **state) {
    (void)state;
    board *b = start();
    assert_int_equal(rd(b, TIM2 + ARR), 0xffffffff);
    assert_int_equal(rd(b, TIM4 + ARR), 0xffff);
    wr(b, TIM2 + PSC, 15);
    wr(b, TIM2 + EGR, 1);
    wr(b, TIM2 + CR1, CEN);
    const int64_t from = b->now;
    pass(b, 4000 * 1000 * MS);
    assert_int_equal(ib_hub_read(b->hub, TIM2 + CNT, 4), (b->now - from) / 1000);
    pass(b, 300 * 1000 * MS);
    assert_int_equal(ib_hub_read(b->hub, TIM2 + CNT, 4),
                     (b->now - from) / 1000 % INT64_C(0x100000000));
    ASSERT_BITS(b, TIM2 + SR, 1, 1);
    wr_size(b, TIM4 + ARR, 4, 0x12345678);
    assert_int_equal(rd(b, TIM4 + ARR), 0x5678);
    free_board(b);
}

/* A timer that makes its own tick by output compare, without reload. */
static void on_compare(board *b) {
    int64_t *times = b->own;
    wr(b, TIM2 + SR, ~2u);
    wr(b, TIM2 + CCR1, rd(b, TIM2 + CCR1) + 700);
    times[1 + times[0]++] = b->now;
}

static void test_compare(void **state) {
    (void)state;
    board *b = start();
    int64_t times[64] = {0};
    b->own = times;
    b->vector[28] = on_compare;
    wr(b, TIM2 + PSC, 15);
    wr(b, TIM2 + EGR, 1);
    wr(b, TIM2 + CCR1, 700);
    wr(b, TIM2 + SR, 0);
    wr(b, TIM2 + DIER, 2);
    wr(b, TIM2 + CR1, CEN);
    const int64_t from = b->now;
    pass(b, 21 * MS + 10 * US);
    assert_int_equal(times[0], 30);
    for (int i = 1; i <= 30; i++)
        assert_in_range(times[i] - from, i * 700 * US, i * 700 * US + 400);
    free_board(b);
}

/* Pulses of a receiver: rising edge to channel 1, falling one by the other input of the pair to 2.
 */
static void test_capture(void **state) {
    (void)state;
    board *b = start();
    const int tim4 = ib_hub_find(b->hub, "tim4");
    wr(b, TIM4 + PSC, 15);
    wr(b, TIM4 + EGR, 1);
    wr(b, TIM4 + CCMR1, 0x0201);
    wr(b, TIM4 + CCER, 0x31); /* 1: rising, 2: falling */
    wr(b, TIM4 + SR, 0);
    wr(b, TIM4 + DIER, 4);
    wr(b, TIM4 + CR1, CEN);
    assert_true(ib_hub_drive(b->hub, tim4, "1", IB_LOW));
    for (int us = 1000; us <= 2000; us += 500) {
        pass(b, 3 * MS);
        assert_true(ib_hub_drive(b->hub, tim4, "1", IB_HIGH));
        assert_false(b->irq[30]);
        pass(b, us * US);
        assert_true(ib_hub_drive(b->hub, tim4, "1", IB_LOW));
        assert_true(b->irq[30]);
        const uint32_t up = rd(b, TIM4 + CCR1), down = rd(b, TIM4 + CCR2);
        assert_int_equal((down - up) & 0xffff, us);
        assert_false(b->irq[30]); /* the read takes the flag back */
    }
    for (int i = 0; i < 2; i++) {
        assert_true(ib_hub_drive(b->hub, tim4, "1", IB_HIGH));
        pass(b, US);
        assert_true(ib_hub_drive(b->hub, tim4, "1", IB_LOW));
    }
    ASSERT_BITS(b, TIM4 + SR, 0x600, 0x600); /* overcapture */
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_base), cmocka_unit_test(test_update_interrupt),
        cmocka_unit_test(test_quiet),     cmocka_unit_test(test_preload),
        cmocka_unit_test(test_pulses),    cmocka_unit_test(test_advanced),
        cmocka_unit_test(test_one_pulse), cmocka_unit_test(test_directions),
        cmocka_unit_test(test_wide),      cmocka_unit_test(test_compare),
        cmocka_unit_test(test_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
