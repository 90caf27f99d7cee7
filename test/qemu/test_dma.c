/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DMA with the peripherals that ask for it: SPI both ways, USART circular with idle line, I2C with
 * the last byte not acknowledged, timers with bursts, memory to memory; flags, interrupts, errors.
 */
#include "board_test.h"

#define DMA1 UINT32_C(0x40026000)
#define DMA2 UINT32_C(0x40026400)
#define USART2 UINT32_C(0x40004400)
#define I2C1 UINT32_C(0x40005400)
#define TIM4 UINT32_C(0x40000800)
#define S(n, reg) ((uint32_t)(0x10 + 0x18 * (n) + (reg)))
enum { CR = 0, NDTR = 4, PAR = 8, M0AR = 0x0c, M1AR = 0x10, FCR = 0x14 };
enum { EN = 1, TEIE = 4, HTIE = 8, TCIE = 16, CIRC = 0x100, PINC = 0x200, MINC = 0x400 };
enum { TO_PERIPHERAL = 0x40, COPY = 0x80, DBM = 1 << 18, CT = 1 << 19 };

static board *start(void) {
    board *b = make_board();
    const int gpioa = add(b, "stm32_gpio", "gpioa", GPIOA);
    const int spi = add(b, "stm32_spi", "spi1", SPI1);
    const int usart = add(b, "stm32_usart", "usart2", USART2);
    const int i2c = add(b, "stm32_i2c", "i2c1", I2C1);
    add(b, "stm32_timer", "tim4", TIM4);
    const int dma1 = add(b, "stm32_dma", "dma1", DMA1);
    const int dma2 = add(b, "stm32_dma", "dma2", DMA2);
    const int imu = add(b, "lsm6dsl", "imu", 0), second = add(b, "lsm6dsl", "second", 0);
    const int link = add(b, "link", "link", 0);
    for (int k = 0; k < 8; k++) {
        assert_true(ib_hub_irq(b->hub, dma1, k, 11 + k));
        assert_true(ib_hub_irq(b->hub, dma2, k, 56 + k));
    }
    assert_true(ib_hub_irq(b->hub, usart, 0, 38));
    assert_true(ib_hub_attach(b->hub, imu, spi));
    assert_true(ib_hub_attach(b->hub, second, i2c));
    assert_true(ib_hub_attach(b->hub, link, usart));
    assert_true(ib_hub_connect(b->hub, gpioa, "4", imu, "select"));
    ib_hub_start(b->hub);
    wr(b, GPIOA + 0x18, 1u << 4);
    wr(b, GPIOA, 0xa8000000 | 1u << 8);
    return b;
}

static void set_stream(board *b, uint32_t dma, int n, uint32_t cr, uint32_t par, uint32_t memory,
                       uint32_t count) {
    wr(b, dma + 8, 0x0f7d0f7d);
    wr(b, dma + 0x0c, 0x0f7d0f7d);
    wr(b, dma + S(n, NDTR), count);
    wr(b, dma + S(n, PAR), par);
    wr(b, dma + S(n, M0AR), RAM_BASE + memory);
    wr(b, dma + S(n, CR), cr);
    wr(b, dma + S(n, CR), cr | EN);
}

/* As a driver reads an inertial unit in one go: DMA 2, streams 2 and 3, channel 3. */
static void test_spi(void **state) {
    (void)state;
    board *b = start();
    b->ram[0] = 0x8f;
    memset(b->ram + 100, 0xee, 8);
    wr(b, SPI1, 0x344 | 2 << 3);
    wr(b, GPIOA + 0x18, 1u << 20);
    set_stream(b, DMA2, 2, 3u << 25 | MINC | TCIE | HTIE, SPI1 + 0x0c, 100, 6);
    set_stream(b, DMA2, 3, 3u << 25 | MINC | TO_PERIPHERAL, SPI1 + 0x0c, 0, 6);
    const int64_t from = b->now;
    wr(b, SPI1 + 4, 3);
    while (!(rd(b, DMA2) & 1u << 20))
        assert_true(b->now - from < MS);
    assert_in_range(b->now - from, 3 * 4000, 3 * 4000 + 400); /* half: three bytes of 4 us */
    wait_for(b, DMA2, 1u << 21, 1u << 21, MS);
    assert_in_range(b->now - from, 6 * 4000, 6 * 4000 + 400);
    assert_int_equal(b->raised[58], 1);
    assert_int_equal(b->ram[100], 0xff);
    assert_int_equal(b->ram[101], 0x6a);
    assert_int_equal(b->ram[106], 0xee); /* no more than asked for */
    ASSERT_BITS(b, DMA2 + S(2, CR), EN, 0);
    assert_int_equal(rd(b, DMA2 + S(2, NDTR)), 0);
    wr(b, DMA2 + 8, 0x3f << 16 | 0x3f << 22);
    assert_false(b->irq[58]);
    assert_int_equal(rd(b, DMA2), 0);
    ASSERT_BITS(b, SPI1 + 8, 0xc1, 0);
    free_board(b);
}

/* Received without end into a ring; the idle line tells how far it has come. */
static void test_usart_ring(void **state) {
    (void)state;
    board *b = start();
    wr(b, USART2 + 8, 139);
    wr(b, USART2 + 0x14, 1 << 6);
    wr(b, USART2 + 0x0c, 0x2000 | 0x10 | 4);
    set_stream(b, DMA1, 5, 4u << 25 | MINC | CIRC | HTIE | TCIE, USART2 + 4, 0, 8);
    const char *text = "abcdefghijk";
    assert_int_equal(
        ib_hub_link_input(b->hub, ib_hub_find(b->hub, "link"), (const uint8_t *)text, 11), 11);
    pass(b, 13 * 87 * US);
    assert_true(b->irq[38]);
    assert_int_equal(rd(b, DMA1 + S(5, NDTR)), 8 - 3);
    assert_memory_equal(b->ram, "ijkdefgh", 8);
    ASSERT_BITS(b, DMA1 + 4, 0x30 << 6, 0x30 << 6); /* half and complete of stream 5 */
    ASSERT_BITS(b, DMA1 + S(5, CR), EN, EN);
    (void)rd(b, USART2);
    (void)rd(b, USART2 + 4);
    assert_false(b->irq[38]);
    free_board(b);
}

static void test_usart_send(void **state) {
    (void)state;
    board *b = start();
    memcpy(b->ram, "telemetry", 9);
    wr(b, USART2 + 8, 139);
    wr(b, USART2 + 0x0c, 0x2000 | 8);
    set_stream(b, DMA1, 6, 4u << 25 | MINC | TO_PERIPHERAL | TCIE, USART2 + 4, 0, 9);
    wr(b, USART2, ~0x40u);
    wr(b, USART2 + 0x14, 1 << 7);
    wait_for(b, DMA1 + 4, 1u << 21, 1u << 21, 5 * MS);
    assert_true(b->irq[17]);
    ASSERT_BITS(b, USART2, 0x40, 0); /* the last characters are still on their way */
    wait_for(b, USART2, 0x40, 0x40, MS);
    assert_int_equal(b->n_link, 9);
    assert_memory_equal(b->link, "telemetry", 9);
    free_board(b);
}

/* Five registers by DMA; LAST keeps the chip from going on. */
static void test_i2c(void **state) {
    (void)state;
    board *b = start();
    wr(b, I2C1 + 4, 16);
    wr(b, I2C1 + 0x1c, 0x8000 | 13);
    wr(b, I2C1, 0x401 | 0x100);
    wait_for(b, I2C1 + 0x14, 1, 1, MS);
    wr(b, I2C1 + 0x10, 0xd4);
    wait_for(b, I2C1 + 0x14, 2, 2, MS);
    (void)rd(b, I2C1 + 0x18);
    wr(b, I2C1 + 0x10, 0x0e);
    wait_for(b, I2C1 + 0x14, 4, 4, MS);
    wr(b, I2C1, 0x501);
    wait_for(b, I2C1 + 0x14, 1, 1, MS);
    wr(b, I2C1 + 0x10, 0xd5);
    wait_for(b, I2C1 + 0x14, 2, 2, MS);
    set_stream(b, DMA1, 0, 1u << 25 | MINC | TCIE, I2C1 + 0x10, 0, 5);
    wr(b, I2C1 + 4, 16 | 1 << 11 | 1 << 12);
    (void)rd(b, I2C1 + 0x14);
    (void)rd(b, I2C1 + 0x18);
    wait_for(b, DMA1, 1u << 5, 1u << 5, MS);
    wr(b, I2C1, 0x401 | 0x200);
    wait_for(b, I2C1 + 0x18, 2, 0, MS);
    assert_memory_equal(b->ram, "\x00\x6a\x00\x00\x04", 5);
    ASSERT_BITS(b, I2C1 + 0x14, 0x44, 0); /* nothing came after the fifth */
    free_board(b);
}

/* Four compare registers at each update through DMAR, as motor protocols do. */
static void test_timer_burst(void **state) {
    (void)state;
    board *b = start();
    for (int i = 0; i < 16; i++) {
        const uint32_t value = (uint32_t)(100 + i);
        memcpy(b->ram + 4 * i, &value, 4);
    }
    wr(b, TIM4 + 0x28, 15);
    wr(b, TIM4 + 0x2c, 999);
    wr(b, TIM4 + 0x48, 3 << 8 | 13); /* four registers from CCR1 on */
    wr(b, TIM4 + 0x14, 1);
    set_stream(b, DMA1, 6, 2u << 25 | MINC | TO_PERIPHERAL | 2u << 11 | 2u << 13 | TCIE,
               TIM4 + 0x4c, 0, 16);
    wr(b, TIM4 + 0x0c, 1 << 8);
    wr(b, TIM4, 1);
    for (int update = 0; update < 4; update++) {
        pass(b, MS);
        assert_int_equal(rd(b, DMA1 + S(6, NDTR)), 12 - 4 * update);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(rd(b, TIM4 + 0x34 + 4 * i), 100 + 4 * update + (int)i);
    }
    assert_true(b->irq[17]);
    free_board(b);
}

static void test_memory_copy(void **state) {
    (void)state;
    static const struct {
        unsigned psize, msize;
    } sizes[] = {{0, 0}, {1, 1}, {2, 2}, {0, 2}, {2, 0}, {1, 2}};
    board *b = start();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int i = 0; i < 256; i++)
            b->ram[i] = (uint8_t)(i * 7 + (int)k);
        memset(b->ram + 1024, 0, 512);
        const uint32_t count = 256u >> sizes[k].psize;
        wr(b, DMA2 + S(1, FCR), 7);
        set_stream(b, DMA2, 1,
                   COPY | MINC | PINC | TCIE | sizes[k].psize << 11 | sizes[k].msize << 13,
                   RAM_BASE, 1024, count);
        ASSERT_BITS(b, DMA2, 1u << 11, 0);
        wait_for(b, DMA2, 1u << 11, 1u << 11, MS);
        assert_memory_equal(b->ram + 1024, b->ram, 256);
        assert_int_equal(b->ram[1024 + 256], 0);
    }
    free_board(b);
}

/* Two buffers in turn: CT says which one is being filled. */
static void test_double_buffer(void **state) {
    (void)state;
    board *b = start();
    wr(b, USART2 + 8, 139);
    wr(b, USART2 + 0x14, 1 << 6);
    wr(b, USART2 + 0x0c, 0x2000 | 4);
    wr(b, DMA1 + S(5, M1AR), RAM_BASE + 64);
    set_stream(b, DMA1, 5, 4u << 25 | MINC | CIRC | DBM | TCIE, USART2 + 4, 0, 4);
    ASSERT_BITS(b, DMA1 + S(5, CR), CT, 0);
    (void)ib_hub_link_input(b->hub, ib_hub_find(b->hub, "link"), (const uint8_t *)"0123abcd45", 10);
    pass(b, 5 * 87 * US);
    ASSERT_BITS(b, DMA1 + S(5, CR), CT, CT);
    pass(b, 7 * 87 * US);
    ASSERT_BITS(b, DMA1 + S(5, CR), CT, 0);
    assert_memory_equal(b->ram, "4523", 4);
    assert_memory_equal(b->ram + 64, "abcd", 4);
    free_board(b);
}

static void test_errors(void **state) {
    (void)state;
    board *b = start();
    set_stream(b, DMA2, 1, COPY | MINC | PINC | TEIE, 0x90000000, 0, 4); /* nothing is there */
    pass(b, MS);
    assert_true(b->irq[57]);
    ASSERT_BITS(b, DMA2, 0x3f << 6, 8 << 6);
    ASSERT_BITS(b, DMA2 + S(1, CR), EN, 0);
    set_stream(b, DMA1, 5, 4u << 25 | MINC | TCIE, USART2 + 4, 0, 8);
    wr(b, DMA1 + S(5, CR), 4u << 25 | MINC | TCIE); /* stopped before its time: complete, too */
    assert_true(b->irq[16]);
    assert_int_equal(rd(b, DMA1 + S(5, NDTR)), 8);
    wr(b, DMA1 + S(5, NDTR), 0);
    wr(b, DMA1 + S(5, CR), 4u << 25 | EN);
    ASSERT_BITS(b, DMA1 + S(5, CR), EN, 0);
    free_board(b);
}

/* Of two streams that serve at once the one of higher priority goes first: the other gets nothing.
 */
static void test_priority(void **state) {
    (void)state;
    board *b = start();
    wr(b, SPI1, 0x344);
    set_stream(b, DMA2, 0, 3u << 25 | MINC, SPI1 + 0x0c, 0, 4);
    set_stream(b, DMA2, 2, 3u << 25 | MINC | 3u << 16, SPI1 + 0x0c, 16, 4);
    wr(b, SPI1 + 4, 1);
    for (int i = 0; i < 6; i++) {
        wr(b, SPI1 + 0x0c, 0);
        pass(b, 2 * US);
        assert_int_equal(rd(b, DMA2 + S(2, NDTR)), i < 4 ? 3 - i : 0);
        assert_int_equal(rd(b, DMA2 + S(0, NDTR)), i < 4 ? 4 : 7 - i);
    }
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spi),           cmocka_unit_test(test_usart_ring),
        cmocka_unit_test(test_usart_send),    cmocka_unit_test(test_i2c),
        cmocka_unit_test(test_timer_burst),   cmocka_unit_test(test_memory_copy),
        cmocka_unit_test(test_double_buffer), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_priority),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
