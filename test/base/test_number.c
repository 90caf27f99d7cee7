/* Numbers as text: shortest of 15, 16, 17 digits, correctly rounded both ways.
 *
 * The C library is the oracle in the "C" locale: glibc rounds correctly at any number of digits.
 */
#include "base_test.h"

#include <float.h>

static void check_text(double value, const char *wanted) {
    char text[IB_NUMBER_SIZE];
    assert_ptr_equal(ib_number_text(value, text), text);
    assert_string_equal(text, wanted);
}

static void test_text(void **state) {
    (void)state;
    check_text(0.0, "0");
    check_text(-0.0, "-0");
    check_text(1.0, "1");
    check_text(-1.5, "-1.5");
    check_text(0.1, "0.1");
    check_text(0.1 + 0.2, "0.30000000000000004");
    check_text(1.0 / 3.0, "0.3333333333333333");
    check_text(9.80665, "9.80665");
    check_text(100.0, "100");
    check_text(1e15, "1000000000000000");
    check_text(1e16, "1e+16");
    check_text(123456789012345680.0, "1.2345678901234568e+17");
    check_text(1e-4, "0.0001");
    check_text(1e-5, "1e-05");
    check_text(-1.25e-7, "-1.25e-07");
    check_text(1e22, "1e+22");
    check_text(1e23, "1e+23");
    check_text(9.5367431640625e-07, "9.5367431640625e-07");
    check_text(DBL_MAX, "1.7976931348623157e+308");
    check_text(DBL_MIN, "2.2250738585072014e-308");
    check_text(0x1p-1074, "4.94065645841247e-324");
    check_text(9007199254740993.0, "9007199254740992");
    check_text((double)NAN, "nan");
    check_text((double)INFINITY, "inf");
    check_text(-(double)INFINITY, "-inf");
}

static double parse_all(const char *text) {
    double value = 0;
    assert_int_equal(ib_number_parse(text, strlen(text), &value), strlen(text));
    return value;
}

static void test_parse(void **state) {
    (void)state;
    assert_true(parse_all("0") == 0);
    assert_true(signbit(parse_all("-0.0")));
    assert_true(parse_all("22000") == 22000);
    assert_true(parse_all("2.2e4") == 22000);
    assert_true(parse_all("+2.2E+04") == 22000);
    assert_true(parse_all(".5") == 0.5);
    assert_true(parse_all("5.") == 5);
    assert_true(parse_all("000000000000000000000001") == 1);
    assert_true(parse_all("0.000000000000000000000000000001e30") == 1);
    assert_true(parse_all("1e400") > DBL_MAX);
    assert_true(parse_all("-1e999999999999999999999") < -DBL_MAX);
    assert_true(same_bits(parse_all("1e-400"), 0.0));
    assert_true(same_bits(parse_all("0e99999999999999999999"), 0.0));
    assert_true(parse_all("1e-99999999999999999999") == 0);
}

static size_t parsed_bytes(const char *text) {
    double value = 0;
    return ib_number_parse(text, strlen(text), &value);
}

static void test_where_a_number_ends(void **state) {
    (void)state;
    assert_int_equal(parsed_bytes(""), 0);
    assert_int_equal(parsed_bytes("."), 0);
    assert_int_equal(parsed_bytes("-"), 0);
    assert_int_equal(parsed_bytes("-."), 0);
    assert_int_equal(parsed_bytes(".e5"), 0);
    assert_int_equal(parsed_bytes(" 1"), 0);
    assert_int_equal(parsed_bytes("nan"), 0);
    assert_int_equal(parsed_bytes("inf"), 0);
    assert_int_equal(parsed_bytes("--1"), 0);
    assert_int_equal(parsed_bytes("0x10"), 1);
    assert_int_equal(parsed_bytes("1e"), 1);
    assert_int_equal(parsed_bytes("1e+"), 1);
    assert_int_equal(parsed_bytes("1e5e5"), 3);
    assert_int_equal(parsed_bytes("1.5.2"), 3);
    assert_int_equal(parsed_bytes("1,5"), 1);
    assert_int_equal(parsed_bytes("12 kg"), 2);
    double value = 0;
    assert_int_equal(ib_number_parse("123", 2, &value), 2);
    assert_true(value == 12);
    value = 7;
    assert_int_equal(ib_number_parse("x", 1, &value), 0);
    assert_true(value == 7);
}

/* Half-way points and their neighbours, at the ends of the range too. */
static void test_halves(void **state) {
    (void)state;
    assert_true(parse_all("9007199254740993") == 9007199254740992.0);
    assert_true(parse_all("9007199254740993.00000000000000000000000000000000001") ==
                9007199254740994.0);
    assert_true(parse_all("9007199254740995") == 9007199254740996.0);
    assert_true(parse_all("1.7976931348623158e308") == DBL_MAX);
    assert_true(parse_all("1.7976931348623159e308") > DBL_MAX);
    assert_true(parse_all("2.2250738585072011e-308") == 0x0.fffffffffffffp-1022);
    assert_true(parse_all("2.2250738585072012e-308") == DBL_MIN);
    assert_true(parse_all("2.4703282292062327e-324") == 0);
    assert_true(parse_all("2.4703282292062328e-324") == 0x1p-1074);
}

/* 2^-1075, half the least double, has 752 digits: even itself rounds to zero, anything behind its
 * last digit, however far, rounds up. */
static void test_longest_half(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%.1074f", 0x1p-1074); /* exact */
    /* Halve in decimal. */
    int carry = 0;
    char *end = text + strlen(text);
    for (char *c = text + 2; c < end; c++) {
        const int digit = 10 * carry + (*c - '0');
        *c = (char)('0' + digit / 2);
        carry = digit % 2;
    }
    *end++ = (char)('0' + 5 * carry);
    *end = '\0';
    assert_true(parse_all(text) == 0);
    memset(end, '0', 500);
    end[500] = '1';
    end[501] = '\0';
    assert_true(parse_all(text) == 0x1p-1074);
}

static double random_double(uint32_t i) {
    const uint32_t key[2] = {1, 2}, counter[4] = {i, 0, 0, 0};
    uint32_t words[4];
    ib_philox(key, counter, words);
    uint64_t bits = (uint64_t)words[1] << 32 | words[0];
    if (i % 4 == 0) /* about the size of one */
        bits = (bits & (UINT64_MAX >> 2)) | UINT64_C(0x3f) << 56;
    if (i % 4 == 1) /* subnormal or nearly */
        bits &= UINT64_C(0x803fffffffffffff);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (i % 4 == 2) /* a short decimal */
        value = (double)(int32_t)words[2] / 1e4;
    return value;
}

/* The text has as few digits as the C library needs, and is its text; and all lengths read as the C
 * library reads them. */
static void test_against_the_c_library(void **state) {
    (void)state;
    int checked = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const double value = random_double(i);
        if (!isfinite(value))
            continue;
        char mine[IB_NUMBER_SIZE], wanted[64], shown[64];
        int digits = 14;
        do {
            snprintf(wanted, sizeof wanted, "%.*e", digits++, value);
            assert_true(same_bits(parse_all(wanted), strtod(wanted, NULL)));
        } while (strtod(wanted, NULL) != value);
        ib_number_text(value, mine);
        snprintf(shown, sizeof shown, "%.*e", digits - 1, strtod(mine, NULL));
        assert_string_equal(shown, wanted);
        assert_true(same_bits(parse_all(mine), value));
        checked++;
    }
    assert_true(checked > 19000);
}

static void test_random_digits(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t key[2] = {3, 4}, counter[4] = {i, 0, 0, 0};
        uint32_t w[4];
        ib_philox(key, counter, w);
        char text[96];
        snprintf(text, sizeof text, "%u%u.%u%ue%d", (unsigned)w[0], (unsigned)w[1], (unsigned)w[2],
                 (unsigned)w[3], (int)(w[0] % 700) - 360);
        assert_true(same_bits(parse_all(text), strtod(text, NULL)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_where_a_number_ends),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_longest_half),
        cmocka_unit_test(test_against_the_c_library),
        cmocka_unit_test(test_random_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
