/* SPDX-License-Identifier: GPL-2.0-or-later */
/* I2C as drivers use it: the sequences of the manual and of ST's library, polling and by interrupt,
 * for one, two, three and more bytes; missing chips; repeated starts; times.
 */
#include "board_test.h"

#define I2C1 UINT32_C(0x40005400)
#define CR1 (I2C1 + 0x00)
#define CR2 (I2C1 + 0x04)
#define DR (I2C1 + 0x10)
#define SR1 (I2C1 + 0x14)
#define SR2 (I2C1 + 0x18)
#define CCR (I2C1 + 0x1c)
enum { PE = 1, START = 0x100, STOP = 0x200, ACK = 0x400, POS = 0x800, SWRST = 0x8000 };
enum { SB = 1, ADDR = 2, BTF = 4, RXNE = 0x40, TXE = 0x80, AF = 0x400 };
enum { MSL = 1, BUSY = 2, TRA = 4 };
#define BYTE (9 * INT64_C(2500)) /* at 400 kHz */

static board *start(void) {
    board *b = make_board();
    const int i2c = add(b, "stm32_i2c", "i2c1", I2C1);
    const int imu = add(b, "lsm6dsl", "imu", 0);
    assert_true(ib_hub_irq(b->hub, i2c, 0, 31));
    assert_true(ib_hub_irq(b->hub, i2c, 1, 32));
    assert_true(ib_hub_attach(b->hub, imu, i2c));
    ib_hub_start(b->hub);
    wr(b, CR2, 16);
    wr(b, CCR, 0x8000 | 13); /* fast: 3 * 13 + 1/3 cycles of 62.5 ns */
    wr(b, I2C1 + 0x20, 5);
    wr(b, CR1, PE);
    return b;
}

static void send_start(board *b, uint8_t address) {
    set_bits(b, CR1, START);
    wait_for(b, SR1, SB, SB, MS);
    ASSERT_BITS(b, SR2, MSL | BUSY, MSL | BUSY);
    (void)rd(b, SR1);
    wr(b, DR, address);
}

static void clear_address(board *b) {
    wait_for(b, SR1, ADDR, ADDR, MS);
    (void)rd(b, SR2);
    ASSERT_BITS(b, SR1, ADDR, 0);
}

static void send_byte(board *b, uint8_t byte) {
    wait_for(b, SR1, TXE, TXE, MS);
    wr(b, DR, byte);
}

static void write_register(board *b, uint8_t address, uint8_t value) {
    send_start(b, 0xd4);
    clear_address(b);
    ASSERT_BITS(b, SR2, TRA, TRA);
    send_byte(b, address);
    send_byte(b, value);
    wait_for(b, SR1, BTF, BTF, MS);
    set_bits(b, CR1, STOP);
    wait_for(b, SR2, BUSY, 0, MS);
    ASSERT_BITS(b, CR1, STOP, 0);
    ASSERT_BITS(b, SR1, BTF | TXE, 0);
}

/* The register's address, then a repeated start for reading. */
static void ask(board *b, uint8_t address) {
    set_bits(b, CR1, ACK);
    send_start(b, 0xd4);
    clear_address(b);
    send_byte(b, address);
    wait_for(b, SR1, TXE, TXE, MS);
    wait_for(b, SR1, BTF, BTF, MS);
    send_start(b, 0xd5);
    wait_for(b, SR1, ADDR, ADDR, MS);
}

/* As ST's library reads memory: each count closes in its own way. */
static void read_registers(board *b, uint8_t address, uint8_t *values, int n) {
    ask(b, address);
    if (n == 1) {
        clear_bits(b, CR1, ACK);
        clear_address(b);
        set_bits(b, CR1, STOP);
    } else if (n == 2) {
        clear_bits(b, CR1, ACK);
        set_bits(b, CR1, POS);
        clear_address(b);
    } else {
        clear_address(b);
    }
    for (int left = n; left > 0;) {
        if (left > 3 || left == 1) {
            wait_for(b, SR1, RXNE, RXNE, MS);
            *values++ = (uint8_t)rd(b, DR);
            left--;
        } else if (left == 2) {
            wait_for(b, SR1, BTF, BTF, MS);
            set_bits(b, CR1, STOP);
            *values++ = (uint8_t)rd(b, DR);
            *values++ = (uint8_t)rd(b, DR);
            left = 0;
        } else {
            wait_for(b, SR1, BTF, BTF, MS);
            clear_bits(b, CR1, ACK);
            *values++ = (uint8_t)rd(b, DR);
            left--;
        }
    }
    clear_bits(b, CR1, POS);
    wait_for(b, SR2, BUSY, 0, MS);
    ASSERT_BITS(b, SR1, RXNE | BTF | AF, 0);
}

static void fill(board *b) {
    for (uint8_t i = 0; i < 5; i++)
        write_register(b, (uint8_t)(0x58 + i), (uint8_t)(0x11 * (i + 1)));
}

static void test_write_read(void **state) {
    (void)state;
    board *b = start();
    uint8_t values[6];
    read_registers(b, 0x0f, values, 1);
    assert_int_equal(values[0], 0x6a);
    fill(b);
    for (int n = 1; n <= 5; n++) {
        memset(values, 0xee, sizeof values);
        read_registers(b, 0x58, values, n);
        for (int i = 0; i < 6; i++)
            assert_int_equal(values[i], i < n ? 0x11 * (i + 1) : 0xee);
    }
    assert_int_equal(b->n_notes, 0);
    free_board(b);
}

/* The manual's own order for two bytes: POS and ACK set first, ACK cleared after ADDR. */
static void test_two_bytes(void **state) {
    (void)state;
    board *b = start();
    fill(b);
    set_bits(b, CR1, POS);
    ask(b, 0x58);
    clear_address(b);
    clear_bits(b, CR1, ACK);
    wait_for(b, SR1, BTF, BTF, MS);
    pass(b, MS); /* the clock is stretched */
    set_bits(b, CR1, STOP);
    assert_int_equal(rd(b, DR), 0x11);
    assert_int_equal(rd(b, DR), 0x22);
    ASSERT_BITS(b, SR1, RXNE | BTF, 0);
    wait_for(b, SR2, BUSY, 0, MS);
    free_board(b);
}

/* Closing by RXNE alone: ACK off and STOP when the last but one has come. */
static void test_late_stop(void **state) {
    (void)state;
    board *b = start();
    fill(b);
    ask(b, 0x58);
    clear_address(b);
    for (int i = 0; i < 3; i++) {
        wait_for(b, SR1, RXNE, RXNE, MS);
        if (i == 1) {
            clear_bits(b, CR1, ACK);
            set_bits(b, CR1, STOP);
        }
        assert_int_equal(rd(b, DR), 0x11 * (i + 1));
    }
    wait_for(b, SR2, BUSY, 0, MS);
    pass(b, MS);
    ASSERT_BITS(b, SR1, RXNE, 0);
    free_board(b);
}

static void test_nobody(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR2, 16 | 1 << 8);
    send_start(b, 0x42);
    wait_for(b, SR1, AF, AF, MS);
    assert_true(b->irq[32]);
    ASSERT_BITS(b, SR1, ADDR, 0);
    ASSERT_BITS(b, SR2, MSL | BUSY, MSL | BUSY);
    set_bits(b, CR1, STOP);
    wr(b, SR1, ~(uint32_t)AF);
    assert_false(b->irq[32]);
    wait_for(b, SR2, BUSY, 0, MS);
    for (int i = 0; i < 2; i++) { /* is somebody there? ADDR, STOP, and only then ADDR's end */
        send_start(b, 0xd4);
        wait_for(b, SR1, ADDR, ADDR, MS);
        set_bits(b, CR1, STOP);
        (void)rd(b, SR2);
        wait_for(b, SR2, BUSY, 0, MS);
    }
    free_board(b);
}

static void test_times(void **state) {
    (void)state;
    board *b = start();
    wr(b, CR1, 0);
    wr(b, CCR, 0x4000 | 0x8000 | 4); /* 25 * 4 cycles of 62.5 ns: 6.25 us a bit */
    wr(b, CR1, PE);
    send_start(b, 0xd4);
    assert_in_range(wait_for(b, SR1, ADDR, ADDR, MS), 9 * 6250 - 300, 9 * 6250 + 100);
    (void)rd(b, SR2);
    wr(b, DR, 0x58);
    ASSERT_BITS(b, SR1, TXE | BTF, TXE); /* in the shift register at once */
    wr(b, DR, 0x77);
    ASSERT_BITS(b, SR1, TXE, 0);
    assert_in_range(wait_for(b, SR1, TXE, TXE, MS), 9 * 6250 - 500, 9 * 6250 + 100);
    assert_in_range(wait_for(b, SR1, BTF, BTF, MS), 9 * 6250 - 300, 9 * 6250 + 100);
    set_bits(b, CR1, STOP);
    assert_in_range(wait_for(b, SR2, BUSY, 0, MS), 6250 - 300, 6250 + 100);
    wr(b, CR1, 0);
    wr(b, CCR, 80); /* standard: 10 us a bit */
    wr(b, CR1, PE | START);
    assert_in_range(wait_for(b, SR1, SB, SB, MS), 10000 - 300, 10000 + 100);
    free_board(b);
}

typedef struct job {
    uint8_t address, reg, in[8];
    int n, n_in;
    bool asked, done, failed;
} job;

/* A driver's state machine on the event line. */
static void on_event(board *b) {
    job *j = b->own;
    const uint32_t sr1 = rd(b, SR1);
    if (sr1 & SB) {
        wr(b, DR, (uint32_t)(j->address | (j->asked ? 1 : 0)));
    } else if (sr1 & ADDR) {
        if (j->asked && j->n == 1)
            clear_bits(b, CR1, ACK);
        (void)rd(b, SR2);
        if (j->asked && j->n == 1)
            set_bits(b, CR1, STOP);
        if (!j->asked)
            wr(b, DR, j->reg);
    } else if (!j->asked && sr1 & BTF) {
        j->asked = true;
        set_bits(b, CR1, START);
        while (rd(b, SR1) & BTF) /* as the start condition goes out it ends */
            continue;
    } else if (j->asked && sr1 & RXNE) {
        j->in[j->n_in++] = (uint8_t)rd(b, DR);
        if (j->n_in == j->n - 1) {
            clear_bits(b, CR1, ACK);
            set_bits(b, CR1, STOP);
        }
        j->done = j->n_in == j->n;
    } else if (sr1 & TXE) {
        clear_bits(b, CR2, 1 << 10);
    }
}

static void on_error(board *b) {
    job *j = b->own;
    j->failed = true;
    wr(b, SR1, ~(uint32_t)AF);
    set_bits(b, CR1, STOP);
}

static void test_interrupts(void **state) {
    (void)state;
    board *b = start();
    fill(b);
    b->vector[31] = on_event;
    b->vector[32] = on_error;
    for (int n = 1; n <= 4; n++) {
        job j = {.address = 0xd4, .reg = 0x58, .n = n};
        b->own = &j;
        wr(b, CR2, 16 | 1 << 8 | 1 << 9);
        wr(b, CR1, PE | ACK | START);
        wr(b, CR2, 16 | 1 << 8 | 1 << 9 | 1 << 10);
        for (int i = 0; i < 100 && !j.done; i++) {
            pass(b, BYTE);
            if (j.asked)
                set_bits(b, CR2, 1 << 10);
        }
        assert_true(j.done);
        for (int i = 0; i < n; i++)
            assert_int_equal(j.in[i], 0x11 * (i + 1));
        wait_for(b, SR2, BUSY, 0, MS);
    }
    job j = {.address = 0x30, .n = 1};
    b->own = &j;
    wr(b, CR1, PE | ACK | START);
    pass(b, 20 * BYTE);
    assert_true(j.failed);
    ASSERT_BITS(b, SR2, BUSY, 0);
    free_board(b);
}

/* Drivers whose bus hangs reset the peripheral and begin anew. */
static void test_software_reset(void **state) {
    (void)state;
    board *b = start();
    send_start(b, 0xd4);
    wr(b, CR1, SWRST);
    ASSERT_BITS(b, SR2, BUSY | MSL, 0);
    assert_int_equal(rd(b, CCR), 0);
    assert_int_equal(rd(b, I2C1 + 0x20), 2);
    wr(b, CR1, 0);
    wr(b, CCR, 0x8000 | 13);
    wr(b, CR1, PE);
    uint8_t value;
    read_registers(b, 0x0f, &value, 1);
    assert_int_equal(value, 0x6a);
    wr(b, CR1, PE | SWRST);
    wr(b, CR1, 2); /* SMBus */
    assert_int_equal(b->n_strict, 1);
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_read),     cmocka_unit_test(test_two_bytes),
        cmocka_unit_test(test_late_stop),      cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_times),          cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_software_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
