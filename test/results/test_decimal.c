/* Fast decimal text: the text of ib_number_text, read back as the same bits. */
#include "results_test.h"

#define MANY 200000

static int prepare(void **state) {
    ib_decimal *decimal = malloc(sizeof *decimal);
    if (!decimal)
        return -1;
    ib_decimal_prepare(decimal);
    *state = decimal;
    return 0;
}

static int release(void **state) {
    free(*state);
    return 0;
}

static void check(const ib_decimal *decimal, double value) {
    char text[IB_DECIMAL_SIZE + 1], expected[IB_NUMBER_SIZE];
    const size_t length = ib_decimal_write(decimal, value, text);
    text[length] = '\0';
    assert_string_equal(text, ib_number_text(value, expected));
    if (!isfinite(value))
        return;
    double back = 12;
    assert_int_equal(ib_decimal_read(decimal, text, length, &back), length);
    if (value == 0)
        assert_true(back == 0);
    else
        assert_true(same_bits(back, value));
}

static void specials(void **state) {
    const double values[] = {0,        -0.0,      1,
                             -1,       0.1,       0.01,
                             1e15,     1e16,      1e17,
                             1e-4,     1e-5,      123456.5,
                             1.0 / 3,  5e-324,    2.2250738585072014e-308,
                             1e300,    1e-300,    9.5e-310,
                             HUGE_VAL, -HUGE_VAL, (double)NAN,
                             2.5,      1e22,      1e23,
                             0.3,      1e21,      9007199254740993.0};
    for (size_t i = 0; i < IB_COUNT(values); i++)
        check(*state, values[i]);
}

static void every_power_of_two(void **state) {
    for (uint64_t field = 0; field < 2047; field++)
        for (uint64_t low = 0; low < 2; low++) {
            const uint64_t bits = field << 52 | (low ? (uint64_t)1 : 0);
            double value;
            memcpy(&value, &bits, sizeof value);
            check(*state, value);
            const uint64_t below = bits - (bits > 0);
            memcpy(&value, &below, sizeof value);
            check(*state, -value);
        }
}

static void random_bits(void **state) {
    uint64_t seed = 88172645463325252U;
    for (int i = 0; i < MANY; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        double value;
        memcpy(&value, &seed, sizeof value);
        if (isfinite(value))
            check(*state, value);
        check(*state, (double)(seed >> 11) / 9007199254740992.0);
        check(*state, (double)(int64_t)(seed >> 40) * 1e-6);
    }
}

/* Texts that are not the shortest: both readers agree on all of them. */
static void reading(void **state) {
    uint64_t seed = 42;
    for (int i = 0; i < MANY; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        char text[64];
        const int length =
            snprintf(text, sizeof text, "%s%llu.%06llue%d", seed & 1 ? "-" : "",
                     (unsigned long long)(seed >> 33) % 1000000,
                     (unsigned long long)(seed >> 20) % 1000000, (int)(seed >> 50) % 640 - 330);
        double fast = 1, slow = 2;
        assert_int_equal(ib_decimal_read(*state, text, (size_t)length, &fast), length);
        const size_t sign = text[0] == '-';
        assert_int_equal(ib_number_parse(text + sign, (size_t)length - sign, &slow),
                         (size_t)length - sign);
        assert_true(fabs(fast) == slow);
        assert_true(slow == 0 || signbit(fast) == (int)sign * signbit(-1.0));
    }
}

static void no_number(void **state) {
    static const char *const texts[] = {"", "-", ".", "e5", "x", "--1", "+", "-x"};
    double value = 7;
    for (size_t i = 0; i < IB_COUNT(texts); i++)
        assert_int_equal(ib_decimal_read(*state, texts[i], strlen(texts[i]), &value), 0);
    assert_int_equal(ib_decimal_read(*state, "12abc", 5, &value), 2);
    assert_true(value == 12);
    assert_int_equal(ib_decimal_read(*state, "1e+", 3, &value), 1);
}

static void times(void **state) {
    (void)state;
    static const struct {
        ib_time time;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "0.000000001"},
                 {IB_SECOND, "1"},
                 {10000000, "0.01"},
                 {-1500000000, "-1.5"},
                 {INT64_MAX, "9223372036.854775807"},
                 {123 * IB_SECOND + 456, "123.000000456"}};
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        char text[IB_DECIMAL_SIZE + 1];
        const size_t length = ib_decimal_write_time(cases[i].time, text);
        text[length] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specials),    cmocka_unit_test(every_power_of_two),
        cmocka_unit_test(random_bits), cmocka_unit_test(reading),
        cmocka_unit_test(no_number),   cmocka_unit_test(times),
    };
    return cmocka_run_group_tests(tests, prepare, release);
}
