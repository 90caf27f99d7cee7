/* Text buffers and JSON text. */
#include "base_test.h"

#include <locale.h>

static void test_add(void **state) {
    (void)state;
    ib_str str = {0};
    ib_str_add(&str, "");
    assert_string_equal(str.data, "");
    ib_str_add(&str, "ab");
    ib_str_add_n(&str, "cdef", 2);
    ib_str_add_char(&str, '!');
    ib_str_printf(&str, "%03d", 7);
    assert_string_equal(str.data, "abcd!007");
    assert_int_equal(str.length, 8);
    ib_str_clear(&str);
    assert_string_equal(str.data, "");
    assert_int_equal(str.length, 0);
    ib_str_free(&str);
    assert_null(str.data);
}

static void test_long(void **state) {
    (void)state;
    ib_str str = {0};
    for (int i = 0; i < 5000; i++)
        ib_str_printf(&str, "%d,", i % 10);
    ib_str_printf(&str, "%5000d", 1);
    assert_int_equal(str.length, 15000);
    assert_int_equal(strlen(str.data), 15000);
    assert_false(str.failed);
    ib_str_free(&str);
}

static void test_failure_stays(void **state) {
    (void)state;
    ib_str str = {0};
    ib_str_add(&str, "kept");
    ib_str_add_n(&str, "x", SIZE_MAX / 2);
    assert_true(str.failed);
    ib_str_add(&str, "more");
    assert_string_equal(str.data, "kept");
    ib_str_free(&str);
}

static void check_json(const char *text, const char *wanted) {
    ib_str str = {0};
    ib_str_add(&str, "");
    ib_str_add_json(&str, text);
    assert_string_equal(str.data, wanted);
    ib_str_free(&str);
}

static void test_json(void **state) {
    (void)state;
    check_json("", "");
    check_json("plain", "plain");
    check_json("a\"b\\c/", "a\\\"b\\\\c/");
    check_json("\b\f\n\r\t", "\\b\\f\\n\\r\\t");
    check_json("\x01\x1f\x7f", "\\u0001\\u001f\x7f");
    check_json("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x9a\x80",
               "gr\xc3\xbc\xc3\x9f \xe2\x82\xac "
               "\xf0\x9f\x9a\x80");
}

/* One line that moves no cursor, and otherwise the text. */
static void test_shown(void **state) {
    (void)state;
    ib_str str = {0};
    ib_str_add_shown(&str,
                     "a\\\"\n\r\t\x1b[1m\x7f gr\xc3\xbc\xc3\x9f \xc2\x9b \xc2\xa0\xff\xe2\x82");
    assert_string_equal(str.data, "a\\\"\\n\\r\\t\\x1b[1m\\x7f gr\xc3\xbc\xc3\x9f \\xc2\\x9b "
                                  "\xc2\xa0\\xff\\xe2\\x82");
    ib_str_free(&str);
}

/* What is no UTF-8 becomes U+FFFD: stray and missing continuations, overlong forms, surrogates, and
 * beyond U+10FFFF. */
static void test_json_bad_utf8(void **state) {
    (void)state;
#define R "\xef\xbf\xbd"
    check_json("a\x80z", "a" R "z");
    check_json("a\xc3", "a" R);
    check_json("a\xe2\x82z", "a" R R "z");
    check_json("\xc0\xaf", R R);
    check_json("\xe0\x80\xaf", R R R);
    check_json("\xed\xa0\x80", R R R);
    check_json("\xf4\x90\x80\x80", R R R R);
    check_json("\xff\xfe", R R);
#undef R
}

/* A host program may have chosen a locale with a decimal comma. */
static void test_locale_is_ignored(void **state) {
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *chosen = NULL;
    for (size_t i = 0; i < IB_COUNT(commas) && !chosen; i++)
        chosen = setlocale(LC_ALL, commas[i]);
    ib_str str = {0};
    ib_str_printf(&str, "%g", 1.5);
    assert_string_equal(str.data, "1.5");
    ib_str_free(&str);
    if (chosen) {
        char host[16];
        snprintf(host, sizeof host, "%g", 1.5);
        assert_string_equal(host, "1,5"); /* and the host keeps its own */
    }
    setlocale(LC_ALL, "C");
    if (!chosen)
        skip(); /* no such locale is installed: only the plain one was seen */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_failure_stays),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_json_bad_utf8),
        cmocka_unit_test(test_locale_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
