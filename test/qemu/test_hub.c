/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hub's own rules: order and time of what is due, shared interrupts, the same run
 * every time and however often the host looks, refused boards.
 */
#include "board_test.h"

#define USART2 UINT32_C(0x40004400)
#define TIM2 UINT32_C(0x40000000)
#define TIM3 UINT32_C(0x40000400)
#define DMA2 UINT32_C(0x40026400)

static void test_refusals(void **state) {
    (void)state;
    board *b = make_board();
    const int spi = add(b, "stm32_spi", "spi1", SPI1), imu = add(b, "lsm6dsl", "imu", 0);
    const int gps = add(b, "ublox_ubx", "gps", 0), gpio = add(b, "stm32_gpio", "gpioa", GPIOA);
    ib_sample sample = {0};
    assert_false(ib_hub_attach(b->hub, gps, spi)); /* speaks another language */
    assert_false(ib_hub_attach(b->hub, spi, imu));
    assert_true(ib_hub_attach(b->hub, imu, spi));
    assert_false(ib_hub_attach(b->hub, imu, spi)); /* twice */
    assert_false(ib_hub_connect(b->hub, gpio, "16", imu, "select"));
    assert_false(ib_hub_connect(b->hub, gpio, "4", imu, "int1"));
    assert_false(ib_hub_connect(b->hub, 99, "4", imu, "select"));
    assert_false(ib_hub_irq(b->hub, spi, 1, 35));
    assert_false(ib_hub_irq(b->hub, spi, 0, 256));
    assert_false(ib_hub_option(b->hub, spi, "address", 1));
    assert_false(ib_hub_sample(b->hub, spi, 0, &sample));
    assert_false(ib_hub_drive(b->hub, spi, "nss", IB_LOW));
    assert_false(ib_hub_analog(b->hub, spi, 0, 1));
    assert_int_equal(ib_hub_find(b->hub, "nobody"), -1);
    assert_int_equal(ib_hub_link_input(b->hub, spi, (const uint8_t *)"x", 1), 0);
    for (int i = 4; i < 32; i++)
        assert_true(ib_hub_add(b->hub, "lsm6dsl", "more", 0) >= 0);
    assert_int_equal(ib_hub_add(b->hub, "lsm6dsl", "too many", 0), -1);
    free_board(b);
}

/* Every type has what the hub relies on. */
static void test_types(void **state) {
    (void)state;
    const ib_part_type *type;
    for (int i = 0; (type = ib_part_type_at(i)) != NULL; i++) {
        assert_ptr_equal(ib_part_type_named(type->name), type);
        assert_non_null(type->text);
        assert_true(type->n_timers <= IB_TIMERS_MOST && type->n_irqs <= IB_IRQS_MOST);
        assert_true(type->n_timers == 0 || type->expire);
        assert_true(type->window == 0 || (type->read && type->write && type->reset));
        assert_true(type->window || type->spi || type->i2c || type->uart);
        for (int k = 1; type->registers && type->registers[0].name && type->registers[k].name; k++)
            assert_true(type->registers[k].offset > type->registers[k - 1].offset);
        for (int k = 0; type->options && type->options[k].name; k++) {
            assert_true(k < IB_OPTIONS_MOST);
            assert_true(type->options[k].normal >= type->options[k].lowest);
            assert_true(type->options[k].normal <= type->options[k].highest);
        }
    }
    assert_int_equal((int)(ib_part_type_at(-1) == NULL), 1);
}

/* Two request lines on one interrupt: up while either is. */
static void test_shared_interrupt(void **state) {
    (void)state;
    board *b = make_board();
    const int one = add(b, "stm32_timer", "tim2", TIM2), two = add(b, "stm32_timer", "tim3", TIM3);
    assert_true(ib_hub_irq(b->hub, one, 0, 28));
    assert_true(ib_hub_irq(b->hub, two, 0, 28));
    ib_hub_start(b->hub);
    wr(b, TIM2 + 0x0c, 1);
    wr(b, TIM3 + 0x0c, 1);
    wr(b, TIM2 + 0x14, 1);
    assert_true(b->irq[28]);
    wr(b, TIM3 + 0x14, 1);
    wr(b, TIM2 + 0x10, 0);
    assert_true(b->irq[28]);
    wr(b, TIM3 + 0x10, 0);
    assert_false(b->irq[28]);
    wr(b, TIM2 + 0x14, 1);
    ib_hub_reset(b->hub); /* takes its requests back */
    assert_false(b->irq[28]);
    free_board(b);
}

/* A board at work for a while: an image of what the guest saw. */
typedef struct record {
    uint64_t digest;
    int reads;
} record;

static void note_value(record *r, uint32_t value) {
    r->digest = (r->digest ^ value) * UINT64_C(1099511628211);
    r->reads++;
}

static void fly(record *r, int64_t look_every) {
    static ib_sample imu;
    board *b = make_board();
    const int gpioa = add(b, "stm32_gpio", "gpioa", GPIOA),
              gpiob = add(b, "stm32_gpio", "gpiob", GPIOB);
    const int spi = add(b, "stm32_spi", "spi1", SPI1),
              usart = add(b, "stm32_usart", "usart2", USART2);
    add(b, "stm32_timer", "tim2", TIM2);
    const int chip = add(b, "lsm6dsl", "imu", 0), gps = add(b, "ublox_ubx", "gps", 0);
    imu = (ib_sample){.count = 1, .of.imu = {.specific_force = {1, 2, 3}}};
    assert_true(ib_hub_attach(b->hub, chip, spi) && ib_hub_attach(b->hub, gps, usart));
    assert_true(ib_hub_connect(b->hub, gpioa, "4", chip, "select"));
    assert_true(ib_hub_connect(b->hub, chip, "int1", gpiob, "0"));
    assert_true(ib_hub_sample(b->hub, chip, 0, &imu));
    ib_hub_start(b->hub);
    ib_hub_write(b->hub, GPIOA, 4, 1u << 8);
    ib_hub_write(b->hub, SPI1, 4, 0x344);
    ib_hub_write(b->hub, USART2 + 8, 4, 1667);
    ib_hub_write(b->hub, USART2 + 0x0c, 4, 0x202c);
    ib_hub_write(b->hub, TIM2, 4, 1);
    static const uint8_t bytes[] = {0x0d, 1, 0x10, 0xa0};
    for (int i = 0; i < 4; i++) {
        if (i == 2) {
            ib_hub_write(b->hub, GPIOA + 0x18, 4, 1u << 4);
            ib_hub_write(b->hub, GPIOA + 0x18, 4, 1u << 20);
        }
        ib_hub_write(b->hub, SPI1 + 0x0c, 1, bytes[i]);
        pass(b, 2 * US);
        (void)ib_hub_read(b->hub, SPI1 + 0x0c, 1);
    }
    const int64_t end = b->now + 2000 * MS;
    for (int64_t next = b->now + 10 * MS; next <= end; next += 10 * MS) {
        while (look_every && b->now + look_every < next) {
            pass(b, look_every);
            ib_hub_expire(b->hub); /* too early or for nothing: no harm */
        }
        pass(b, next - b->now);
        note_value(r, ib_hub_read(b->hub, GPIOB + 0x10, 4));
        note_value(r, ib_hub_read(b->hub, TIM2 + 0x24, 4));
        note_value(r, ib_hub_read(b->hub, USART2, 4));
        note_value(r, ib_hub_read(b->hub, USART2 + 4, 4));
    }
    free_board(b);
}

static void test_same_every_time(void **state) {
    (void)state;
    record first = {0}, again = {0}, curious = {0};
    fly(&first, 0);
    fly(&again, 0);
    fly(&curious, 77777);
    assert_int_equal(first.reads, 800);
    assert_true(first.digest == again.digest);
    assert_true(first.digest == curious.digest);
}

/* Alarms that ring late change nothing: what was due is done at its own time. */
static void test_late_alarm(void **state) {
    (void)state;
    board *b = make_board();
    add(b, "stm32_spi", "spi1", SPI1);
    ib_hub_start(b->hub);
    ib_hub_write(b->hub, SPI1, 4, 0x344);
    ib_hub_write(b->hub, SPI1 + 0x0c, 1, 1);
    ib_hub_write(b->hub, SPI1 + 0x0c, 1, 2);
    b->now += 1500; /* nobody rings; one frame of two is over */
    assert_int_equal(ib_hub_read(b->hub, SPI1 + 8, 4), 0x83);
    b->now += 500;
    assert_int_equal(ib_hub_read(b->hub, SPI1 + 8, 4), 0x43); /* the second one is, too: overrun */
    free_board(b);
}

/* DMA that is asked without end, because its address is not the register that would end it, lets
 * the processor go on. */
static void test_endless_request(void **state) {
    (void)state;
    board *b = make_board();
    add(b, "stm32_spi", "spi1", SPI1);
    add(b, "stm32_dma", "dma2", DMA2);
    ib_hub_start(b->hub);
    wr(b, DMA2 + 0x5c, 100);
    wr(b, DMA2 + 0x60, SPI1 + 0x10);
    wr(b, DMA2 + 0x64, RAM_BASE);
    wr(b, DMA2 + 0x58, 3u << 25 | 0x40 | 0x100 | 1);
    wr(b, SPI1 + 4, 2);
    assert_int_equal(rd(b, SPI1 + 0x10), 0);
    wr(b, SPI1 + 4, 0);
    wr(b, DMA2 + 0x58, 0);
    assert_int_equal(rd(b, DMA2 + 0x58) & 1, 0);
    free_board(b);
}

typedef struct seen {
    int n;
    ib_access last;
} seen;

static int64_t zero_now(void *context) {
    (void)context;
    return 5;
}

static void no_alarm(void *context, int64_t when) {
    (void)context;
    (void)when;
}

static void see(void *context, const ib_access *access) {
    seen *s = context;
    s->n++;
    s->last = *access;
}

static void test_trace(void **state) {
    (void)state;
    seen s = {0};
    const ib_host host = {.context = &s, .now = zero_now, .alarm = no_alarm, .trace = see};
    ib_hub *hub = ib_hub_create(&host, 4);
    assert_true(ib_hub_add(hub, "stm32_spi", "spi1", SPI1) >= 0);
    ib_hub_start(hub);
    ib_hub_write(hub, SPI1 + 4, 2, 0x12345);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.last.part, "spi1");
    assert_string_equal(s.last.reg, "CR2");
    assert_int_equal(s.last.value, 0x2345);
    assert_int_equal(s.last.size, 2);
    assert_true(s.last.write && s.last.address == SPI1 + 4 && s.last.time == 5);
    assert_int_equal(ib_hub_read(hub, SPI1 + 8, 4), 2);
    assert_true(!s.last.write && s.last.value == 2);
    assert_string_equal(s.last.reg, "SR");
    (void)ib_hub_read(hub, SPI1 + 0x100, 4);
    assert_string_equal(s.last.reg, "?");
    ib_hub_destroy(hub);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_shared_interrupt),
        cmocka_unit_test(test_same_every_time),
        cmocka_unit_test(test_late_alarm),
        cmocka_unit_test(test_endless_request),
        cmocka_unit_test(test_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
