/* Lines and fields of CSV files. */
#include "results_test.h"

static void quoting(void **state) {
    (void)state;
    static const struct {
        const char *field, *text;
    } cases[] = {{"wheel.position.z", "wheel.position.z"},
                 {"", ""},
                 {"a,b", "\"a,b\""},
                 {"say \"x\"", "\"say \"\"x\"\"\""},
                 {"two\nlines", "\"two\nlines\""}};
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        ib_str line = {0}, field = {0};
        ib_csv_add_field(&line, cases[i].field);
        assert_string_equal(line.data ? line.data : "", cases[i].text);
        const char *cursor = cases[i].text;
        assert_true(ib_csv_field(&cursor, cursor + strlen(cursor), &field));
        assert_string_equal(field.data, cases[i].field);
        assert_null(cursor);
        ib_str_free(&line);
        ib_str_free(&field);
    }
}

static void fields(void **state) {
    (void)state;
    const char *text = "a,,\"b,c\",", *end_of_text = text + strlen(text), *cursor = text;
    static const char *const expected[] = {"a", "", "b,c", ""};
    ib_str field = {0};
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(cursor);
        assert_true(ib_csv_field(&cursor, end_of_text, &field));
        assert_string_equal(field.data, expected[i]);
    }
    assert_null(cursor);
    static const char *const broken[] = {"\"open", "\"a\"b", "\"a\"\""};
    for (size_t i = 0; i < IB_COUNT(broken); i++) {
        cursor = broken[i];
        assert_false(ib_csv_field(&cursor, cursor + strlen(cursor), &field));
    }
    ib_str_free(&field);
}

static void expect_line(ib_lines *lines, const char *expected, bool terminated) {
    const char *line;
    size_t length;
    assert_int_equal(ib_lines_next(lines, &line, &length), IB_OK);
    if (!expected) {
        assert_null(line);
        return;
    }
    assert_non_null(line);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(line, expected, length);
    assert_int_equal(lines->terminated, terminated);
}

static void both_line_endings(void **state) {
    place *p = *state;
    put_file(p, "a.csv", "one\r\ntwo\n\nfour");
    char *path = path_of(p, "a.csv");
    ib_lines lines;
    assert_int_equal(ib_lines_open(&lines, path, p->diags), IB_OK);
    for (int i = 0; i < 2; i++) {
        expect_line(&lines, "one", true);
        expect_line(&lines, "two", true);
        expect_line(&lines, "", true);
        expect_line(&lines, "four", false);
        assert_int_equal(lines.number, 4);
        expect_line(&lines, NULL, false);
        expect_line(&lines, NULL, false);
        assert_int_equal(ib_lines_rewind(&lines), IB_OK);
    }
    ib_lines_close(&lines);
    free(path);
}

/* Lines longer than the buffer, and many of them. */
static void long_lines(void **state) {
    place *p = *state;
    const size_t length = 700000;
    char *text = malloc(3 * (length + 1) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < 3; i++) {
        memset(text + i * (length + 1), 'a' + (int)i, length);
        text[i * (length + 1) + length] = '\n';
    }
    text[3 * (length + 1)] = '\0';
    put_file(p, "long.csv", text);
    char *path = path_of(p, "long.csv");
    ib_lines lines;
    assert_int_equal(ib_lines_open(&lines, path, p->diags), IB_OK);
    for (size_t i = 0; i < 3; i++) {
        const char *line;
        size_t got;
        assert_int_equal(ib_lines_next(&lines, &line, &got), IB_OK);
        assert_int_equal(got, length);
        assert_memory_equal(line, text + i * (length + 1), length);
    }
    expect_line(&lines, NULL, false);
    ib_lines_close(&lines);
    free(path);
    free(text);
}

static void missing_file(void **state) {
    place *p = *state;
    ib_lines lines;
    assert_int_equal(ib_lines_open(&lines, "/nowhere/at/all.csv", p->diags), IB_IO_ERROR);
    find_diag(p, "IB0101");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quoting), cmocka_unit_test(fields), IN_FOLDER(both_line_endings),
        IN_FOLDER(long_lines),     IN_FOLDER(missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
