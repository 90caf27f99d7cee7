/* Frames of a channel as bytes: checksum, layout, and everything that is no good frame. */
#include "fcc_test.h"

#include <stdlib.h>

static ib_crc crc;

/* The examples of RFC 3720, B.4, and the usual check value. */
static void test_crc(void **unused) {
    (void)unused;
    unsigned char bytes[32] = {0};
    assert_int_equal(ib_crc_of(&crc, bytes, 32), 0x8a9136aau);
    memset(bytes, 0xff, 32);
    assert_int_equal(ib_crc_of(&crc, bytes, 32), 0x62a8ab43u);
    for (unsigned char i = 0; i < 32; i++)
        bytes[i] = i;
    assert_int_equal(ib_crc_of(&crc, bytes, 32), 0x46dd794eu);
    for (unsigned char i = 0; i < 32; i++)
        bytes[i] = (unsigned char)(31 - i);
    assert_int_equal(ib_crc_of(&crc, bytes, 32), 0x113fdb5cu);
    assert_int_equal(ib_crc_of(&crc, "123456789", 9), 0xe3069283u);
    assert_int_equal(ib_crc_of(&crc, "", 0), 0);
}

/* The table in wire.c, byte by byte. */
static void test_layout(void **unused) {
    (void)unused;
    const ib_wire_head head = {.type = IB_WIRE_HELLO,
                               .length = 3,
                               .session = UINT64_C(0x1122334455667788),
                               .sequence = 0xa1b2c3d4u,
                               .tick = -2};
    unsigned char bytes[IB_WIRE_MOST];
    assert_int_equal(ib_wire_encode(&crc, &head, "ab", bytes), 43);
    static const unsigned char expected[43] = {
        'I', 'B',  'F',  'C',  1,    0,    1,    0,    3,    0,    0,    0,    0,    0, 0,
        0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xd4, 0xc3, 0xb2, 0xa1, 1, 0,
        0,   0,    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 'a',  'b',  0};
    for (size_t i = 0; i < sizeof expected; i++)
        if (i < 12 || i >= 16)
            assert_int_equal(bytes[i], expected[i]);
    const uint32_t sum = ib_crc_of(&crc, expected, sizeof expected);
    for (int i = 0; i < 4; i++)
        assert_int_equal(bytes[12 + i], sum >> (8 * i) & 0xff);
}

static void test_round_trip(void **unused) {
    (void)unused;
    const ib_fcc_in in = make_in(12);
    const ib_wire_head head = {
        .type = IB_WIRE_INPUT, .length = sizeof in, .session = 5, .sequence = 6, .tick = 12};
    unsigned char bytes[IB_WIRE_MOST];
    const unsigned char *payload = NULL;
    ib_wire_head got;
    const size_t n = ib_wire_encode(&crc, &head, &in, bytes);
    assert_int_equal(n, IB_WIRE_HEAD + sizeof in);
    assert_int_equal(ib_wire_decode(&crc, bytes, n, &got, &payload), IB_WIRE_GOOD);
    assert_memory_equal(payload, &in, sizeof in);
    assert_true(got.type == head.type && got.length == head.length && got.session == 5 &&
                got.sequence == 6 && got.tick == 12);
}

/* CRC-32C finds every single wrong bit, and every frame that is cut or grown is seen. */
static void test_damage(void **unused) {
    (void)unused;
    const ib_wire_head head = {.type = IB_WIRE_HELLO, .length = 6, .session = 1, .sequence = 1};
    unsigned char bytes[IB_WIRE_MOST + 1] = {0};
    const unsigned char *payload;
    ib_wire_head got;
    const size_t n = ib_wire_encode(&crc, &head, "x=1\n\0", bytes);
    assert_int_equal(ib_wire_decode(&crc, bytes, n, &got, &payload), IB_WIRE_GOOD);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        const ib_wire_fault fault = ib_wire_decode(&crc, bytes, n, &got, &payload);
        assert_int_equal(fault, bit < 32                       ? IB_WIRE_ALIEN
                                : bit / 8 >= 8 && bit / 8 < 12 ? IB_WIRE_SMALL
                                                               : IB_WIRE_CORRUPT);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t size = 0; size <= IB_WIRE_MOST + 1; size++)
        if (size != n)
            assert_int_equal(ib_wire_decode(&crc, bytes, size, &got, &payload), IB_WIRE_SMALL);
}

/* A frame with a right checksum whose contents cannot be. */
static ib_wire_fault decode_of(unsigned type, size_t length, const char *payload, int at,
                               unsigned char value) {
    unsigned char bytes[IB_WIRE_MOST];
    const unsigned char *got_payload;
    ib_wire_head got;
    const ib_wire_head head = {.type = (ib_wire_type)type, .length = (uint32_t)length};
    const size_t n = ib_wire_encode(&crc, &head, payload, bytes);
    if (at >= 0) {
        bytes[at] = value;
        memset(bytes + 12, 0, 4);
        const uint32_t sum = ib_crc_of(&crc, bytes, n);
        for (int i = 0; i < 4; i++)
            bytes[12 + i] = (unsigned char)(sum >> (8 * i));
    }
    return ib_wire_decode(&crc, bytes, n, &got, &got_payload);
}

static void test_contents(void **unused) {
    (void)unused;
    static char zeros[sizeof(ib_fcc_in)];
    assert_int_equal(decode_of(IB_WIRE_BYE, 0, NULL, -1, 0), IB_WIRE_GOOD);
    assert_int_equal(decode_of(IB_WIRE_BYE, 1, "", -1, 0), IB_WIRE_SMALL);
    assert_int_equal(decode_of(IB_WIRE_INPUT, sizeof zeros, zeros, -1, 0), IB_WIRE_GOOD);
    assert_int_equal(decode_of(IB_WIRE_INPUT, sizeof zeros - 1, zeros, -1, 0), IB_WIRE_SMALL);
    assert_int_equal(decode_of(IB_WIRE_OUTPUT, sizeof zeros, zeros, -1, 0), IB_WIRE_SMALL);
    assert_int_equal(decode_of(IB_WIRE_FAILED, 3, "no\0", -1, 0), IB_WIRE_GOOD);
    assert_int_equal(decode_of(IB_WIRE_FAILED, 2, "no", -1, 0), IB_WIRE_SMALL); /* not ended */
    assert_int_equal(decode_of(IB_WIRE_HELLO, 0, NULL, -1, 0), IB_WIRE_SMALL);
    assert_int_equal(decode_of(0, 0, NULL, -1, 0), IB_WIRE_OTHER);
    assert_int_equal(decode_of(10, 0, NULL, -1, 0), IB_WIRE_OTHER);
    static char mail[sizeof(ib_fcc_mail)];
    assert_int_equal(decode_of(IB_WIRE_MAIL, sizeof mail, mail, -1, 0), IB_WIRE_GOOD);
    assert_int_equal(decode_of(IB_WIRE_MAIL, IB_MAIL_HEAD, mail, -1, 0), IB_WIRE_GOOD);
    assert_int_equal(decode_of(IB_WIRE_MAIL, IB_MAIL_HEAD + 87, mail, -1, 0), IB_WIRE_SMALL);
    assert_int_equal(decode_of(IB_WIRE_MAIL, IB_MAIL_HEAD - 88, mail, -1, 0), IB_WIRE_SMALL);
    assert_int_equal(decode_of(IB_WIRE_ATTACH, sizeof(ib_fcc_attach), mail, -1, 0), IB_WIRE_SMALL);
    assert_int_equal(decode_of(IB_WIRE_ATTACH, sizeof(ib_fcc_attach) + 1, mail, -1, 0),
                     IB_WIRE_GOOD);
    assert_int_equal(decode_of(IB_WIRE_BYE, 0, NULL, 4, 2), IB_WIRE_OTHER);  /* protocol */
    assert_int_equal(decode_of(IB_WIRE_BYE, 0, NULL, 28, 2), IB_WIRE_OTHER); /* frames */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc),        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_contents),
    };
    ib_crc_prepare(&crc);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
