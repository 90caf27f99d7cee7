/* SPDX-License-Identifier: GPL-2.0-or-later */
/* USART as drivers use it: polling, interrupts, times of characters, overrun, idle line, rates. */
#include "board_test.h"

#define USART2 UINT32_C(0x40004400)
#define SR (USART2 + 0x00)
#define DR (USART2 + 0x04)
#define BRR (USART2 + 0x08)
#define CR1 (USART2 + 0x0c)
#define CR2 (USART2 + 0x10)
#define CR3 (USART2 + 0x14)
enum { PE = 1, FE = 2, ORE = 8, IDLE = 0x10, RXNE = 0x20, TC = 0x40, TXE = 0x80 };
enum { RE = 4, TE = 8, IDLEIE = 0x10, RXNEIE = 0x20, TCIE = 0x40, TXEIE = 0x80, UE = 0x2000 };
#define FRAME INT64_C(86875) /* 10 bits of 139 cycles at 16 MHz */

static int link_part;

static board *start(void) {
    board *b = make_board();
    const int usart = add(b, "stm32_usart", "usart2", USART2);
    link_part = add(b, "link", "telemetry", 0);
    assert_true(ib_hub_irq(b->hub, usart, 0, 38));
    assert_true(ib_hub_attach(b->hub, link_part, usart));
    ib_hub_start(b->hub);
    assert_int_equal(rd(b, SR), TXE | TC);
    wr(b, BRR, 139); /* 115200 from 16 MHz */
    wr(b, CR1, UE | TE | RE);
    return b;
}

static void bring(board *b, const char *text) {
    assert_int_equal(ib_hub_link_input(b->hub, link_part, (const uint8_t *)text, strlen(text)),
                     strlen(text));
}

static void test_send(void **state) {
    (void)state;
    board *b = start();
    const char *text = "hello";
    const int64_t from = b->now;
    for (const char *c = text; *c; c++) {
        wait_for(b, SR, TXE, TXE, MS);
        wr8(b, DR, (uint8_t)*c);
    }
    ASSERT_BITS(b, SR, TC, 0);
    wait_for(b, SR, TC, TC, MS);
    assert_in_range(b->now - from, 5 * FRAME, 5 * FRAME + 4 * ACCESS_NS);
    assert_int_equal(b->n_link, 5);
    assert_memory_equal(b->link, text, 5);
    free_board(b);
}

static void test_receive(void **state) {
    (void)state;
    board *b = start();
    const int64_t from = b->now;
    bring(b, "abc");
    for (int i = 0; i < 3; i++) {
        wait_for(b, SR, RXNE, RXNE, MS);
        assert_in_range(b->now - from, (i + 1) * FRAME, (i + 1) * FRAME + 2 * ACCESS_NS);
        assert_int_equal(rd8(b, DR), 'a' + i);
        ASSERT_BITS(b, SR, RXNE | IDLE, 0);
    }
    assert_in_range(wait_for(b, SR, IDLE, IDLE, MS), FRAME - 6 * ACCESS_NS, FRAME + ACCESS_NS);
    (void)rd8(b, DR);
    ASSERT_BITS(b, SR, IDLE, 0);
    pass(b, 10 * MS);
    ASSERT_BITS(b, SR, IDLE, 0); /* once only */
    free_board(b);
}

static void test_overrun(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, UE | TE | RE | RXNEIE);
    bring(b, "xy");
    pass(b, 3 * FRAME);
    assert_true(b->irq[38]);
    ASSERT_BITS(b, SR, RXNE | ORE, RXNE | ORE);
    assert_int_equal(rd8(b, DR), 'x'); /* the first stays */
    ASSERT_BITS(b, SR, RXNE | ORE, 0);
    assert_false(b->irq[38]);
    free_board(b);
}

typedef struct lines {
    char in[64];
    int n_in, idles, n_out, completes;
} lines;

static void on_interrupt(board *b) {
    lines *l = b->own;
    const uint32_t sr = rd(b, SR), cr1 = rd(b, CR1);
    if (sr & (RXNE | IDLE)) {
        const char c = (char)rd8(b, DR);
        if (sr & RXNE)
            l->in[l->n_in++] = c;
        l->idles += (sr & IDLE) != 0;
    }
    if (sr & TXE && cr1 & TXEIE) {
        wr8(b, DR, (uint8_t)("interrupt"[l->n_out++]));
        if (l->n_out == 9)
            wr(b, CR1, (cr1 & ~(uint32_t)TXEIE) | TCIE);
    } else if (sr & TC && cr1 & TCIE) {
        l->completes++;
        wr(b, SR, ~(uint32_t)TC);
    }
}

static void test_interrupts(void **state) {
    (void)state;
    board *b = start();
    lines l = {{0}, 0, 0, 0, 0};
    b->own = &l;
    b->vector[38] = on_interrupt;
    wr(b, CR1, UE | TE | RE | RXNEIE | IDLEIE | TXEIE);
    bring(b, "line one");
    pass(b, 20 * FRAME);
    assert_string_equal(l.in, "line one");
    assert_int_equal(l.idles, 1);
    assert_int_equal(l.completes, 1);
    assert_int_equal(b->n_link, 9);
    assert_memory_equal(b->link, "interrupt", 9);
    free_board(b);
}

/* 8 and 16 samples a bit, two stop bits, nine bits with parity: how long, and what is read. */
static void test_formats(void **state) {
    (void)state;
    static const struct {
        uint32_t brr, cr1, cr2;
        int64_t frame;
        uint32_t value;
    } formats[] = {
        {0x8b, 0, 0, 86875, 'U'},
        {0x8b, 0, 0x2000, 95563, 'U'},
        {0x8b, 0x1400, 0, 95563, 'U'},         /* even parity: four ones */
        {0x8b, 0x1600, 0, 95563, 0x100 | 'U'}, /* odd */
        {0x8b, 0x0400, 0, 86875, 'U'},         /* seven bits */
    };
    board *b = start();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        wr(b, CR1, 0);
        wr(b, BRR, formats[i].brr);
        wr(b, CR2, formats[i].cr2);
        wr(b, CR1, UE | TE | RE | formats[i].cr1);
        bring(b, "U");
        const int64_t took = wait_for(b, SR, RXNE, RXNE, MS);
        assert_in_range(took, formats[i].frame - ACCESS_NS, formats[i].frame + ACCESS_NS);
        assert_int_equal(rd(b, DR), formats[i].value);
    }
    wr(b, CR1, 0);
    wr(b, BRR, 8 << 4 | 5); /* OVER8: 8 + 5/8, 69 cycles a bit: 231884 bauds */
    wr(b, CR1, UE | TE | RE | 0x8000);
    bring(b, "U");
    assert_in_range(wait_for(b, SR, RXNE, RXNE, MS), 43125 - ACCESS_NS, 43125 + ACCESS_NS);
    free_board(b);
}

/* TC is cleared by a read of SR and a write of DR, or by writing it 0. */
static void test_complete_flag(void **state) {
    (void)state;
    board *b = start();
    wr(b, SR, ~(uint32_t)TC);
    ASSERT_BITS(b, SR, TC, 0);
    wr8(b, DR, 1);
    pass(b, FRAME);
    ASSERT_BITS(b, SR, TC | TXE, TC | TXE);
    wr8(b, DR, 2);
    ASSERT_BITS(b, SR, TC, 0);
    free_board(b);
}

/* Off, nothing comes and nothing goes; the link keeps its bytes until the receiver is there. */
static void test_off(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, TE | RE);
    bring(b, "z");
    pass(b, 10 * MS);
    ASSERT_BITS(b, SR, RXNE, 0);
    wr8(b, DR, 'q');
    pass(b, 10 * MS);
    assert_int_equal(b->n_link, 0);
    wr(b, CR1, UE | TE | RE);
    pass(b, 3 * MS);
    assert_int_equal(rd8(b, DR), 'z');
    assert_int_equal(b->n_link, 1);
    free_board(b);
}

static void test_lacks(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR2, 1 << 14);
    wr(b, CR3, 1 << 3);
    assert_int_equal(b->n_strict, 2);
    assert_non_null(strstr(b->notes, "usart2: bits 0x8 of register CR3 (0x14) are not modelled"));
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_send),    cmocka_unit_test(test_receive),
        cmocka_unit_test(test_overrun), cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_formats), cmocka_unit_test(test_complete_flag),
        cmocka_unit_test(test_off),     cmocka_unit_test(test_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
