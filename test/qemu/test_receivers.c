/* SPDX-License-Identifier: GPL-2.0-or-later */
/* u-blox and plain NMEA receivers on a USART: what they send, to a digit, and how they are set up
 * as drivers do it - find the rate, change it, choose messages, wait for the acknowledge.
 */
#include "board_test.h"

#define USART2 UINT32_C(0x40004400)
#define DEGREE (3.14159265358979323846 / 180)

typedef struct rx {
    uint8_t bytes[16384];
    int n, errors;
} rx;

static rx received;
static ib_sample sample;

static void on_byte(board *b) {
    const uint32_t sr = rd(b, USART2);
    const uint8_t byte = rd8(b, USART2 + 4);
    received.errors += (sr & 2) != 0;
    if (sr & 0x20 && received.n < (int)sizeof received.bytes)
        received.bytes[received.n++] = byte;
}

static void set_rate(board *b, uint32_t baud) { wr(b, USART2 + 8, (16000000 + baud / 2) / baud); }

static board *start(const char *type, uint32_t baud) {
    board *b = make_board();
    const int usart = add(b, "stm32_usart", "usart2", USART2), gps = add(b, type, "gps", 0);
    memset(&received, 0, sizeof received);
    sample = (ib_sample){.kind = IB_SAMPLE_GPS};
    sample.of.gps = (ib_gps_sample){.latitude = 47.3977418 * DEGREE,
                                    .longitude = -8.5455939 * DEGREE,
                                    .height = 488.1234,
                                    .separation = 47.5,
                                    .velocity = {3, -4, 0.5},
                                    .horizontal_accuracy = 1.25,
                                    .height_accuracy = 2,
                                    .speed_accuracy = 0.15,
                                    .week = 2345,
                                    .time_of_week = 302418250,
                                    .leap_seconds = 18,
                                    .fix = 3,
                                    .satellites = 11};
    assert_true(ib_hub_attach(b->hub, gps, usart));
    assert_true(ib_hub_irq(b->hub, usart, 0, 38));
    assert_true(ib_hub_sample(b->hub, gps, 0, &sample));
    ib_hub_start(b->hub);
    set_rate(b, baud);
    wr(b, USART2 + 0x0c, 0x202c);
    b->vector[38] = on_byte;
    return b;
}

static void write_bytes(board *b, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        wait_for(b, USART2, 0x80, 0x80, 10 * MS);
        wr8(b, USART2 + 4, ((const uint8_t *)bytes)[i]);
    }
    wait_for(b, USART2, 0x40, 0x40, 10 * MS);
}

static void command(board *b, uint8_t class, uint8_t id, const uint8_t *payload, uint8_t n) {
    uint8_t frame[128] = {0xb5, 0x62, class, id, n, 0}, a = 0, c = 0;
    if (n)
        memcpy(frame + 6, payload, n);
    for (int i = 2; i < n + 6; i++) {
        a = (uint8_t)(a + frame[i]);
        c = (uint8_t)(c + a);
    }
    frame[n + 6] = a;
    frame[n + 7] = c;
    write_bytes(b, frame, n + 8u);
}

/* The payload of the first frame of that kind since `from`, checked; NULL: none. */
static const uint8_t *frame(uint8_t class, uint8_t id, int *length) {
    for (int i = 0; i + 8 <= received.n; i++) {
        const uint8_t *f = received.bytes + i;
        const int n = f[4] | f[5] << 8;
        uint8_t a = 0, c = 0;
        if (f[0] != 0xb5 || f[1] != 0x62 || f[2] != class || f[3] != id || i + n + 8 > received.n)
            continue;
        for (int k = 2; k < n + 6; k++) {
            a = (uint8_t)(a + f[k]);
            c = (uint8_t)(c + a);
        }
        assert_int_equal(f[n + 6], a);
        assert_int_equal(f[n + 7], c);
        *length = n;
        return f + 6;
    }
    return NULL;
}

static int32_t value(const uint8_t *payload, int at, int bytes) {
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint32_t)payload[at + i] << 8 * i;
    return (int32_t)v;
}

static void expect_answer(board *b, bool accepted, uint8_t class, uint8_t id) {
    int n = 0;
    pass(b, 200 * MS);
    const uint8_t *answer = frame(0x05, accepted, &n);
    assert_non_null(answer);
    assert_int_equal(n, 2);
    assert_int_equal(answer[0], class);
    assert_int_equal(answer[1], id);
    received.n = 0;
}

static const uint8_t port_115200[20] = {1, 0, 0, 0, 0xd0, 8, 0, 0, 0, 0xc2, 1, 0, 1, 0, 1, 0};

/* 115200 bauds, UBX alone, five fixes a second, NAV-PVT. */
static void set_up(board *b) {
    static const uint8_t rate[6] = {200, 0, 1, 0, 1, 0}, message[3] = {1, 7, 1};
    command(b, 6, 0, port_115200, 20);
    pass(b, 100 * MS);
    set_rate(b, 115200);
    command(b, 6, 8, rate, 6);
    pass(b, 20 * MS);
    received.n = 0;
    command(b, 6, 1, message, 3);
    expect_answer(b, true, 6, 1);
}

static void test_position(void **state) {
    (void)state;
    board *b = start("ublox_ubx", 9600);
    int n;
    set_up(b);
    sample.count = 7;
    pass(b, 250 * MS);
    const uint8_t *p = frame(1, 7, &n);
    assert_non_null(p);
    assert_int_equal(n, 92);
    assert_int_equal(value(p, 0, 4), 302418250);
    /* 18 December 2024, 12:00:00.25 UTC */
    assert_int_equal(value(p, 4, 2), 2024);
    assert_int_equal(p[6], 12);
    assert_int_equal(p[7], 18);
    assert_int_equal(p[8], 12);
    assert_int_equal(p[9], 0);
    assert_int_equal(p[10], 0);
    assert_int_equal(p[11] & 7, 7);
    assert_int_equal(value(p, 16, 4), 250000000);
    assert_int_equal(p[20], 3);
    assert_int_equal(p[21] & 1, 1);
    assert_int_equal(p[23], 11);
    assert_int_equal(value(p, 24, 4), -85455939);
    assert_int_equal(value(p, 28, 4), 473977418);
    assert_int_equal(value(p, 32, 4), 488123);
    assert_int_equal(value(p, 36, 4), 440623);
    assert_int_equal(value(p, 40, 4), 1250);
    assert_int_equal(value(p, 44, 4), 2000);
    assert_int_equal(value(p, 48, 4), 3000);
    assert_int_equal(value(p, 52, 4), -4000);
    assert_int_equal(value(p, 56, 4), 500);
    assert_int_equal(value(p, 60, 4), 5000);
    assert_int_equal(value(p, 64, 4), 30686990); /* 306.869898 degrees */
    assert_int_equal(value(p, 68, 4), 150);
    assert_int_equal(value(p, 76, 2), 150);
    free_board(b);
}

/* One message each five times a second while the device gives samples; silence when it does not. */
static void test_epochs(void **state) {
    (void)state;
    board *b = start("ublox_ubx", 9600);
    set_up(b);
    received.n = 0;
    for (int i = 0; i < 10; i++) {
        sample.count++;
        pass(b, 200 * MS);
    }
    assert_int_equal(received.n, 10 * 100);
    received.n = 0;
    pass(b, 1000 * MS);
    assert_int_equal(received.n, 0);
    free_board(b);
}

static void test_no_fix(void **state) {
    (void)state;
    board *b = start("ublox_ubx", 9600);
    int n;
    set_up(b);
    received.n = 0;
    pass(b, 1000 * MS);
    assert_int_equal(received.n, 5 * 100);
    const uint8_t *p = frame(1, 7, &n);
    assert_int_equal(p[20], 0);
    assert_int_equal(p[21], 0);
    free_board(b);
}

/* Every message by its poll. */
static void test_polls(void **state) {
    (void)state;
    static const struct {
        uint8_t id;
        int length;
    } messages[] = {{0x02, 28}, {0x03, 16}, {0x04, 18}, {0x07, 92},
                    {0x12, 36}, {0x20, 16}, {0x61, 4}};
    board *b = start("ublox_ubx", 9600);
    int n = 0;
    set_up(b);
    sample.count = 1;
    for (int i = 0; i < 7; i++) {
        received.n = 0;
        command(b, 1, messages[i].id, NULL, 0);
        pass(b, 20 * MS);
        const uint8_t *p = frame(1, messages[i].id, &n);
        assert_non_null(p);
        assert_int_equal(n, messages[i].length);
        assert_int_equal(value(p, 0, 4), 302418250);
        if (messages[i].id == 0x12) {
            assert_int_equal(value(p, 4, 4), 300);
            assert_int_equal(value(p, 16, 4), 502); /* |(3, -4, 0.5)| */
            assert_int_equal(value(p, 20, 4), 500);
        }
        if (messages[i].id == 0x20) {
            assert_int_equal(value(p, 8, 2), 2345);
            assert_int_equal(p[10], 18);
        }
    }
    received.n = 0;
    command(b, 0x0a, 4, NULL, 0);
    pass(b, 50 * MS);
    assert_string_equal((const char *)frame(0x0a, 4, &n) + 30, "00080000");
    received.n = 0;
    command(b, 6, 0, NULL, 0);
    pass(b, 50 * MS);
    const uint8_t *p = frame(6, 0, &n);
    assert_int_equal(n, 20);
    assert_int_equal(value(p, 8, 4), 115200);
    free_board(b);
}

static void test_answers(void **state) {
    (void)state;
    board *b = start("ublox_ubx", 9600);
    static const uint8_t off[8] = {1, 0x35, 0, 0, 0, 0, 0, 0}, on[3] = {1, 0x35, 1},
                         too_fast[6] = {10, 0, 1, 0};
    uint8_t payload[44] = {0xff, 0xff};
    set_up(b);
    command(b, 6, 0x24, payload, 36); /* NAV5 */
    expect_answer(b, true, 6, 0x24);
    command(b, 6, 0x8a, payload, 20); /* VALSET is the next generation's */
    expect_answer(b, false, 6, 0x8a);
    command(b, 6, 1, off, 8); /* satellites: may be switched off, not on */
    expect_answer(b, true, 6, 1);
    command(b, 6, 1, on, 3);
    expect_answer(b, false, 6, 1);
    command(b, 6, 8, too_fast, 6);
    expect_answer(b, false, 6, 8);
    uint8_t broken[] = {0xb5, 0x62, 6, 0x24, 1, 0, 5, 0, 0}; /* a wrong sum: no answer */
    write_bytes(b, broken, sizeof broken);
    pass(b, 10 * MS);
    int n;
    assert_null(frame(5, 0, &n));
    assert_null(frame(5, 1, &n));
    free_board(b);
}

/* At another rate both ends hear noise; the chip's rate is found, and changed by the old sentence.
 */
static void test_rates(void **state) {
    (void)state;
    board *b = start("ublox_ubx", 115200);
    int n;
    pass(b, 1500 * MS);
    assert_true(received.errors > 0);
    command(b, 6, 0, port_115200, 20); /* not understood */
    set_rate(b, 9600);
    received.n = received.errors = 0;
    pass(b, 2000 * MS);
    assert_int_equal(received.errors, 0);
    assert_null(frame(5, 1, &n));
    received.bytes[received.n] = 0;
    assert_non_null(strstr((const char *)received.bytes, "$GNGGA,,,,,,0,00,99.99,,,,,,*56\r\n"));
    static const char sentence[] = "$PUBX,41,1,0007,0003,38400,0*20\r\n";
    write_bytes(b, sentence, sizeof sentence - 1);
    pass(b, 1500 * MS);
    set_rate(b, 38400);
    pass(b, 500 * MS);
    received.n = received.errors = 0;
    pass(b, 2000 * MS);
    assert_int_equal(received.errors, 0);
    received.bytes[received.n] = 0;
    assert_non_null(strstr((const char *)received.bytes, "$GNRMC,"));
    free_board(b);
}

/* ---- NMEA ---------------------------------------------------------------------------------- */

static void check_sums(int sentences) {
    int found = 0;
    for (int i = 0; i < received.n; i++) {
        if (received.bytes[i] != '$')
            continue;
        unsigned sum = 0;
        int k = i + 1;
        for (; received.bytes[k] != '*'; k++)
            sum ^= received.bytes[k];
        assert_int_equal(strtol((const char *)received.bytes + k + 1, NULL, 16), sum);
        found++;
    }
    assert_int_equal(found, sentences);
}

static void test_sentences(void **state) {
    (void)state;
    board *b = start("nmea", 9600);
    sample.count = 1;
    pass(b, 1900 * MS);
    const char *text = (const char *)received.bytes;
    check_sums(4);
    assert_non_null(
        strstr(text, "$GPGGA,120000.25,4723.86451,N,00832.73563,W,1,11,0.90,440.6,M,47.5,M,,*"));
    assert_non_null(strstr(text, "$GPGSA,A,3,,,,,,,,,,,,,1.50,0.90,1.20*"));
    assert_non_null(
        strstr(text, "$GPRMC,120000.25,A,4723.86451,N,00832.73563,W,9.719,306.87,181224,,,A*"));
    assert_non_null(strstr(text, "$GPVTG,306.87,T,,M,9.719,N,18.000,K,A*"));
    free_board(b);
}

/* Corners: the last moment before midnight and new year, southern and eastern places, minutes that
 * round up to a degree, the quarters of the compass. */
static void test_corners(void **state) {
    (void)state;
    static const double course[][3] = {{1, 0, 0},    {1, 1, 45},    {0, 2, 90},   {-1, 1, 135},
                                       {-3, 0, 180}, {-1, -1, 225}, {0, -1, 270}, {1, -1, 315}};
    board *b = start("nmea", 9600);
    pass(b, 500 * MS);
    for (size_t i = 0; i < sizeof course / sizeof *course; i++) {
        char expected[32];
        sample.count++;
        sample.of.gps.velocity[0] = course[i][0];
        sample.of.gps.velocity[1] = course[i][1];
        received.n = 0;
        pass(b, 1000 * MS);
        received.bytes[received.n] = 0;
        snprintf(expected, sizeof expected, "VTG,%.2f,T", course[i][2]);
        assert_non_null(strstr((const char *)received.bytes, expected));
    }
    /* 2023-12-31 23:59:59.990 UTC: week 2295, Monday 00:00:17.99 GPS time */
    sample.of.gps.week = 2295;
    sample.of.gps.time_of_week = 86417990;
    sample.of.gps.latitude = -33.9999999999 * DEGREE;
    sample.of.gps.longitude = 151.2 * DEGREE;
    sample.of.gps.height = 40;
    sample.count++;
    received.n = 0;
    pass(b, 1000 * MS);
    received.bytes[received.n] = 0;
    const char *text = (const char *)received.bytes;
    assert_non_null(
        strstr(text, "GGA,235959.99,3400.00000,S,15112.00000,E,1,11,0.90,-7.5,M,47.5,M"));
    assert_non_null(strstr(text, ",311223,,,A*"));
    free_board(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_position),  cmocka_unit_test(test_epochs),
        cmocka_unit_test(test_no_fix),    cmocka_unit_test(test_polls),
        cmocka_unit_test(test_answers),   cmocka_unit_test(test_rates),
        cmocka_unit_test(test_sentences), cmocka_unit_test(test_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
