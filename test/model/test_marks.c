/* Where each character of a value stands in the source, for every style of scalar. */
#include "model_test.h"

#include "model/yaml.h"

/* The place of the first `!` in the value of key `v` must be that of the first `!` in the text.
 * Only one character of the text is one. */
static void follows(const char *text) {
    ib_arena *arena = ib_arena_create();
    ib_source source;
    ib_yaml *root = NULL;
    assert_true(ib_source_create(arena, "t.yaml", text, strlen(text), &source));
    if (ib_yaml_parse(arena, &source, NULL, &root) != IB_OK) {
        print_message("not parsed: %s\n", text);
        fail();
    }
    const ib_yaml *scalar = ib_yaml_get(root, "v");
    assert_non_null(scalar);
    const char *in_value = strchr(scalar->text, '!');
    const char *in_text = strchr(text, '!');
    assert_non_null(in_value);
    size_t *map = calloc(scalar->length + 1, sizeof(*map));
    if (!ib_marks_map(&source, scalar, map)) {
        print_message("not followed: %s\n", text);
        fail();
    }
    assert_int_equal(map[in_value - scalar->text], in_text - text);
    const ib_place place = ib_marks_place(&source, scalar, (size_t)(in_value - scalar->text), 1);
    uint32_t line = 1;
    uint32_t column = 1;
    for (const char *c = text; c < in_text; c++) {
        column += ((unsigned char)*c & 0xC0) != 0x80;
        if (*c == '\n')
            line++, column = 1;
    }
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    assert_int_equal(place.length, 1);
    free(map);
    ib_arena_destroy(arena);
}

static void test_plain(void **state) {
    (void)state;
    follows("v: a + ! b\n");
    follows("v:   a + ! b   # comment\n");
    follows("{u: 1, v: a ! b, w: 2}");
    follows("v: a +\n  b ! c\n");
    follows("v: a +\n\n\n  b\n  c ! d\n");
    follows("v: \xC3\xA9\xE2\x82\xAC ! x\n");
    follows("v: &name a ! b\nw: *name\n");
    follows("v: a +\r\n  b ! c\r\n");
}

static void test_single(void **state) {
    (void)state;
    follows("v: 'a ! b'\n");
    follows("v: 'it''s ! b'\n");
    follows("v: 'a   b\n\n  c''\n   d ! e'\n");
    follows("v: '   ! '\n");
}

static void test_double(void **state) {
    (void)state;
    follows("v: \"a ! b\"\n");
    follows("v: \"a\\tb\\x41\\u00e9\\U0001F600\\\"\\\\ ! b\"\n");
    follows("v: \"a \\\n   b \\\n  ! c\"\n");
    follows("v: \"a   \n\n   b ! c\"\n");
    follows("v: \"\\a\\b\\e\\N\\_\\L\\P\\/ ! \"\n");
}

static void test_escapes_as_places(void **state) {
    (void)state;
    /* A character that an escape makes is placed at its backslash. */
    const char *text = "v: \"ab\\x21cd\"\n";
    ib_arena *arena = ib_arena_create();
    ib_source source;
    ib_yaml *root = NULL;
    assert_true(ib_source_create(arena, "t.yaml", text, strlen(text), &source));
    assert_int_equal(ib_yaml_parse(arena, &source, NULL, &root), IB_OK);
    assert_int_equal(ib_marks_place(&source, ib_yaml_get(root, "v"), 2, 1).column, 7);
    assert_int_equal(ib_marks_place(&source, ib_yaml_get(root, "v"), 3, 1).column, 11);
    /* Beyond the end: just after the last character. */
    assert_int_equal(ib_marks_place(&source, ib_yaml_get(root, "v"), 99, 9).column, 13);
    ib_arena_destroy(arena);
}

static void test_blocks(void **state) {
    (void)state;
    follows("v: |\n  a\n  b ! c\n");
    follows("v: >\n  a\n  b ! c\n");
    follows("v: >-\n\n  a\n\n\n  b ! c\nw: 1\n");
    follows("v: >+\n  a\n   more\n  b ! c\n\n");
    follows("v: |+\n\n \n  a\n  b ! c\n\n\n");
    follows("u:\n  - x\nv: >  # comment\n    a\n    b\n      c\n    d ! e\n");
    follows("v: |2\n    a ! b\n");
    follows("v: >1-\n  a\n  b ! c\n");
    follows("v: >\r\n  a\r\n  b ! c\r\n");
    follows("v: >\n  \xC3\xA9\n  b ! c");
}

static void test_whole_value(void **state) {
    (void)state;
    /* Every byte of a value that is not made by folding stands where the source has the same byte.
     */
    const char *text = "v: >\n   abc\n   def\n\n   ghi\n";
    ib_arena *arena = ib_arena_create();
    ib_source source;
    ib_yaml *root = NULL;
    size_t map[64];
    assert_true(ib_source_create(arena, "t.yaml", text, strlen(text), &source));
    assert_int_equal(ib_yaml_parse(arena, &source, NULL, &root), IB_OK);
    const ib_yaml *scalar = ib_yaml_get(root, "v");
    assert_string_equal(scalar->text, "abc def\nghi\n");
    assert_true(ib_marks_map(&source, scalar, map));
    for (size_t i = 0; i < scalar->length; i++) {
        if (scalar->text[i] >= 'a')
            assert_int_equal(text[map[i]], scalar->text[i]);
    }
    ib_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),  cmocka_unit_test(test_single),
        cmocka_unit_test(test_double), cmocka_unit_test(test_escapes_as_places),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_whole_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
