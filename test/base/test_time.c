/* Integer time: each conversion is the nearest. */
#include "base_test.h"

__extension__ typedef __int128 wide;

static ib_time from_seconds(double seconds) {
    ib_time time = -1;
    assert_true(ib_time_from_seconds(seconds, &time));
    return time;
}

static void test_from_seconds(void **state) {
    (void)state;
    assert_int_equal(from_seconds(0), 0);
    assert_int_equal(from_seconds(-0.0), 0);
    assert_int_equal(from_seconds(1), IB_SECOND);
    assert_int_equal(from_seconds(0.1), 100000000);
    assert_int_equal(from_seconds(-0.001), -1000000);
    assert_int_equal(from_seconds(1e-9), 1);
    assert_int_equal(from_seconds(4e-10), 0);
    assert_int_equal(from_seconds(6e-10), 1);
    assert_int_equal(from_seconds(0x1p-10), 976563); /* 976562.5: halves away from zero */
    assert_int_equal(from_seconds(-0x1p-10), -976563);
    assert_int_equal(from_seconds(0x1p-1074), 0);
    assert_int_equal(from_seconds(9.2e9), INT64_C(9200000000000000000));
    assert_int_equal(from_seconds(-9.2e9), INT64_C(-9200000000000000000));
}

static void test_refused(void **state) {
    (void)state;
    ib_time time = 5;
    assert_false(ib_time_from_seconds((double)NAN, &time));
    assert_false(ib_time_from_seconds((double)INFINITY, &time));
    assert_false(ib_time_from_seconds(-(double)INFINITY, &time));
    assert_false(ib_time_from_seconds(9.2000000001e9, &time));
    assert_false(ib_time_from_seconds(-1e300, &time));
    assert_int_equal(time, 5);
}

static uint64_t random_word(uint32_t i) {
    uint32_t words[4];
    ib_philox((const uint32_t[2]){5, 6}, (const uint32_t[4]){i, 0, 0, 0}, words);
    return (uint64_t)words[1] << 32 | words[0];
}

/* seconds * 2^46 is an integer for the doubles of at least 2^6 tried here: the count differs from
 * the exact product by half a nanosecond at most. */
static void test_from_seconds_is_nearest(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        const double seconds = 64 + (double)(random_word(i) >> (11 + i % 20)) * 0x1p-46;
        const wide exact = (wide)(uint64_t)(seconds * 0x1p46) * IB_SECOND;
        const wide off = exact - ((wide)from_seconds(seconds) << 46);
        assert_true(2 * off <= (wide)1 << 46 && -2 * off <= (wide)1 << 46);
    }
}

static void test_seconds(void **state) {
    (void)state;
    assert_true(same_bits(ib_time_seconds(0), 0.0));
    assert_true(ib_time_seconds(1) == 1e-9);
    assert_true(ib_time_seconds(-1500000000) == -1.5);
    assert_true(ib_time_seconds(INT64_C(123456789123456789)) == 123456789.123456789);
    assert_true(ib_time_seconds(INT64_C(-9007199254740993)) == -9007199.254740993);
    assert_true(ib_time_seconds(INT64_MAX) == 9223372036.854775807);
    assert_true(ib_time_seconds(INT64_MIN) == -9223372036.854775808);
}

/* The decimal text of an integer time is exact: reading it correctly rounded gives the answer. */
static void test_seconds_is_nearest(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        const ib_time time = (ib_time)(random_word(i) >> (1 + i % 24));
        char text[64];
        snprintf(text, sizeof text, "%lld.%09lld", (long long)(time / IB_SECOND),
                 (long long)(time % IB_SECOND));
        assert_true(same_bits(ib_time_seconds(time), strtod(text, NULL)));
        assert_true(same_bits(ib_time_seconds(-time), time ? -strtod(text, NULL) : 0.0));
    }
}

/* Up to 26 days every nanosecond survives the way through seconds and back. */
static void test_round_trip(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        const ib_time time = (ib_time)(random_word(i) >> (13 + i % 30));
        assert_int_equal(from_seconds(ib_time_seconds(time)), time);
        assert_int_equal(from_seconds(ib_time_seconds(-time)), -time);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_seconds),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_from_seconds_is_nearest),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_seconds_is_nearest),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
