/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SPI as drivers use it: polling, interrupts, overrun, 16 bits, half duplex, receive only; the
 * answers come from an LSM6DSL, whose registers are known.
 */
#include "board_test.h"

#define CR1 (SPI1 + 0x00)
#define CR2 (SPI1 + 0x04)
#define SR (SPI1 + 0x08)
#define DR (SPI1 + 0x0c)
enum { MSTR = 4, SPE = 0x40, SSI = 0x100, SSM = 0x200, RXONLY = 0x400, DFF = 0x800 };
enum { BIDIOE = 0x4000, BIDIMODE = 0x8000, MASTER = MSTR | SSI | SSM };
enum { RXNE = 1, TXE = 2, MODF = 0x20, OVR = 0x40, BSY = 0x80 };

static board *start(void) {
    board *b = make_board();
    const int gpioa = add(b, "stm32_gpio", "gpioa", GPIOA);
    const int spi = add(b, "stm32_spi", "spi1", SPI1);
    const int imu = add(b, "lsm6dsl", "imu", 0);
    assert_true(ib_hub_irq(b->hub, spi, 0, 35));
    assert_true(ib_hub_attach(b->hub, imu, spi));
    assert_true(ib_hub_connect(b->hub, gpioa, "4", imu, "select"));
    ib_hub_start(b->hub);
    wr(b, GPIOA + 0x18, 1u << 4);
    wr(b, GPIOA, 0xa8000000 | 1u << 8);
    return b;
}

static void select_chip(board *b, bool low) { wr(b, GPIOA + 0x18, low ? 1u << 20 : 1u << 4); }

static uint16_t exchange(board *b, unsigned size, uint16_t out) {
    wait_for(b, SR, TXE, TXE, MS);
    wr_size(b, DR, size, out);
    wait_for(b, SR, RXNE, RXNE, MS);
    return (uint16_t)rd_size(b, DR, size);
}

static void test_reset_values(void **state) {
    (void)state;
    board *b = start();
    assert_int_equal(rd(b, CR1), 0);
    assert_int_equal(rd(b, SR), TXE);
    assert_int_equal(rd(b, SPI1 + 0x10), 7);
    assert_int_equal(rd(b, SPI1 + 0x20), 2);
    free_board(b);
}

static void test_polling(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, MASTER | SPE);
    select_chip(b, true);
    exchange(b, 1, 0x8f);
    assert_int_equal(exchange(b, 1, 0), 0x6a);
    wait_for(b, SR, BSY, 0, MS);
    select_chip(b, false);
    assert_int_equal(exchange(b, 1, 0x8f), 0xff); /* nobody answers */
    assert_int_equal(exchange(b, 1, 0), 0xff);
    assert_int_equal(b->n_notes, 0);
    free_board(b);
}

/* Eight bits at PCLK / 2^(BR + 1); the buffer takes a second byte at once, a third waits. */
static void test_timing(void **state) {
    (void)state;
    board *b = start();
    for (unsigned br = 0; br < 8; br++) {
        wr(b, CR1, MASTER | SPE | br << 3);
        const int64_t frame = 8 * (2 << br) * INT64_C(125) / 2; /* 62.5 ns at 16 MHz */
        pass(b, 10);
        ib_hub_write(b->hub, DR, 1, 0x55);
        ib_hub_write(b->hub, DR, 1, 0xaa);
        assert_int_equal(ib_hub_read(b->hub, SR, 4), BSY); /* TXE clear */
        pass(b, frame - 1);
        assert_int_equal(ib_hub_read(b->hub, SR, 4) & (RXNE | TXE), 0);
        pass(b, 1);
        assert_int_equal(ib_hub_read(b->hub, SR, 4), BSY | TXE | RXNE);
        (void)ib_hub_read(b->hub, DR, 1);
        pass(b, frame - 1);
        assert_int_equal(ib_hub_read(b->hub, SR, 4), BSY | TXE);
        pass(b, 1);
        assert_int_equal(ib_hub_read(b->hub, SR, 4), TXE | RXNE);
        (void)ib_hub_read(b->hub, DR, 1);
    }
    free_board(b);
}

static void test_overrun(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, MASTER | SPE);
    wr(b, CR2, 1 << 5); /* ERRIE */
    select_chip(b, true);
    wr8(b, DR, 0x8f);
    wait_for(b, SR, TXE, TXE, MS);
    wr8(b, DR, 0);
    wait_for(b, SR, BSY, 0, MS);
    assert_true(b->irq[35]);
    ASSERT_BITS(b, SR, OVR | RXNE, OVR | RXNE);
    assert_int_equal(rd8(b, DR), 0xff);  /* the first one stays, the second is lost */
    ASSERT_BITS(b, SR, OVR | RXNE, OVR); /* this read clears it */
    ASSERT_BITS(b, SR, OVR, 0);
    assert_false(b->irq[35]);
    free_board(b);
}

/* Sixteen bits: address and register in one frame, most significant bit first. */
static void test_wide(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, MASTER | SPE | DFF);
    select_chip(b, true);
    assert_int_equal(exchange(b, 2, 0x8f00), 0xff6a);
    select_chip(b, false);
    wr(b, CR1, MASTER | SPE | DFF | 1 << 7); /* the other end first: bits of both turned round */
    select_chip(b, true);
    assert_int_equal(exchange(b, 2, 0x00f1), 0x56ff); /* 0x6a mirrored */
    free_board(b);
}

typedef struct transfer {
    uint8_t out[8], in[8];
    int n_out, n_in, n;
} transfer;

static void on_interrupt(board *b) {
    transfer *t = b->own;
    const uint32_t sr = rd(b, SR), cr2 = rd(b, CR2);
    if (sr & RXNE && cr2 & 0x40)
        t->in[t->n_in++] = rd8(b, DR);
    else if (sr & TXE && cr2 & 0x80)
        wr8(b, DR, t->out[t->n_out++]);
    if (t->n_out == t->n)
        clear_bits(b, CR2, 0x80);
    if (t->n_in == t->n)
        clear_bits(b, CR2, 0xc0);
}

static void test_interrupts(void **state) {
    (void)state;
    board *b = start();
    transfer t = {.out = {0x8f, 0, 0, 0}, .n = 4};
    b->own = &t;
    b->vector[35] = on_interrupt;
    wr(b, CR1, MASTER | SPE | 2 << 3);
    select_chip(b, true);
    wr(b, CR2, 0xc0);
    pass(b, 100 * US);
    assert_int_equal(t.n_in, 4);
    assert_int_equal(t.in[1], 0x6a);
    assert_int_equal(t.in[2], 0x00); /* CTRL1_XL */
    assert_int_equal(t.in[3], 0x00);
    assert_false(b->irq[35]);
    ASSERT_BITS(b, SR, BSY | OVR, 0);
    free_board(b);
}

/* One line for both ways: the address goes out, then the line is turned round, and the clock runs
 * while SPE is set. The driver lets one byte's time pass, clears SPE, and only then looks. */
static void test_half_duplex(void **state) {
    (void)state;
    board *b = start();
    select_chip(b, true);
    wr(b, CR1, MASTER | BIDIMODE | BIDIOE | SPE);
    wr8(b, DR, 0x8f);
    wait_for(b, SR, TXE, TXE, MS);
    wait_for(b, SR, BSY, 0, MS);
    ASSERT_BITS(b, SR, RXNE, 0); /* nothing comes in while sending */
    wr(b, CR1, MASTER | BIDIMODE);
    wr(b, CR1, MASTER | BIDIMODE | SPE);
    ASSERT_BITS(b, SR, BSY, 0); /* as the manual says */
    pass(b, 600);
    wr(b, CR1, MASTER | BIDIMODE); /* at 0.8 us of a byte of 1 us */
    ASSERT_BITS(b, SR, RXNE, 0);
    wait_for(b, SR, RXNE, RXNE, MS);
    assert_int_equal(rd8(b, DR), 0x6a);
    pass(b, 10 * US);
    ASSERT_BITS(b, SR, RXNE | OVR, 0); /* no second byte */
    free_board(b);
}

static void test_receive_only(void **state) {
    (void)state;
    board *b = start();
    select_chip(b, true);
    wr(b, CR1, MASTER | SPE);
    exchange(b, 1, 0x8f);
    wr(b, CR1, MASTER | 3 << 3);
    wr(b, CR1, MASTER | RXONLY | SPE | 3 << 3); /* 8 us a byte */
    ASSERT_BITS(b, SR, BSY, BSY);
    wait_for(b, SR, RXNE, RXNE, MS);
    assert_int_equal(rd8(b, DR), 0x6a);
    wait_for(b, SR, RXNE, RXNE, MS);
    assert_int_equal(rd8(b, DR), 0x00);
    pass(b, 20 * US); /* not read: overrun */
    ASSERT_BITS(b, SR, OVR, OVR);
    wr(b, CR1, MASTER | RXONLY | 3 << 3);
    wait_for(b, SR, BSY, 0, 9 * US);
    free_board(b);
}

static void test_mode_fault(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, MSTR | SSM | SPE);
    ASSERT_BITS(b, CR1, MSTR | SPE, 0);
    ASSERT_BITS(b, SR, MODF, MODF);
    wr(b, CR1, MASTER | SPE);
    ASSERT_BITS(b, SR, MODF, 0);
    ASSERT_BITS(b, CR1, MSTR | SPE, MSTR | SPE);
    free_board(b);
}

/* A byte may wait in the buffer before SPE is set. */
static void test_early_byte(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, MASTER);
    wr8(b, DR, 0x8f);
    pass(b, 10 * US);
    ASSERT_BITS(b, SR, TXE | BSY | RXNE, 0);
    wr(b, CR1, MASTER | SPE);
    ASSERT_BITS(b, SR, TXE | BSY, TXE | BSY);
    wait_for(b, SR, RXNE, RXNE, MS);
    free_board(b);
}

/* NSS as output selects while the master is enabled; a broken device leaves the line up. */
static void test_nss_output(void **state) {
    (void)state;
    board *b = make_board();
    static ib_sample sample;
    const int spi = add(b, "stm32_spi", "spi1", SPI1);
    const int imu = add(b, "lsm6dsl", "imu", 0);
    assert_true(ib_hub_attach(b->hub, imu, spi));
    assert_true(ib_hub_connect(b->hub, spi, "nss", imu, "select"));
    assert_true(ib_hub_sample(b->hub, imu, 0, &sample));
    ib_hub_start(b->hub);
    wr(b, CR2, 4);
    wr(b, CR1, MSTR | SPE);
    exchange(b, 1, 0x8f);
    assert_int_equal(exchange(b, 1, 0), 0x6a);
    wr(b, CR1, MSTR);
    wr(b, CR1, MSTR | SPE);
    sample.flags = IB_SAMPLE_DEAD;
    exchange(b, 1, 0x8f);
    assert_int_equal(exchange(b, 1, 0), 0xff);
    sample.flags = 0;
    free_board(b);
}

static void test_lacks(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, SPE);
    wr(b, CR1, MASTER | 1 << 13);
    wr(b, SPI1 + 0x1c, 1 << 11);
    assert_int_equal(b->n_strict, 3);
    assert_non_null(strstr(b->notes, "spi1: CR1: slave mode is not modelled"));
    assert_non_null(strstr(b->notes, "spi1: bits 0x2000 of register CR1 (0x00) are not modelled"));
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset_values), cmocka_unit_test(test_polling),
        cmocka_unit_test(test_timing),       cmocka_unit_test(test_overrun),
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_half_duplex),  cmocka_unit_test(test_receive_only),
        cmocka_unit_test(test_mode_fault),   cmocka_unit_test(test_early_byte),
        cmocka_unit_test(test_nss_output),   cmocka_unit_test(test_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
