/* JSON: read, looked up, printed; and what is malformed is refused at its place. */
#include "results_test.h"

static const ib_json *parse(place *p, ib_arena *arena, const char *text) {
    return ib_json_parse(arena, "x.json", text, strlen(text), p->diags);
}

static void values(void **state) {
    place *p = *state;
    ib_arena *arena = ib_arena_create();
    const ib_json *json =
        parse(p, arena,
              " {\"a\": [1, -2.5e3, true, false, null], \"s\": \"x\\n\\u00e9\\ud83d\\ude00\","
              "\"o\": {\"inner\": 7}, \"e\": {}, \"l\": []} ");
    assert_non_null(json);
    assert_int_equal(json->length, 5);
    const ib_json *list = ib_json_member(json, "a");
    assert_int_equal(list->length, 5);
    assert_true(list->first->number == 1);
    assert_true(list->first->next->number == -2500);
    assert_int_equal(list->first->next->next->kind, IB_JSON_TRUE);
    assert_string_equal(ib_json_string(json, "s"), "x\n\xc3\xa9\xf0\x9f\x98\x80");
    assert_true(ib_json_number(ib_json_member(json, "o"), "inner", 0) == 7);
    assert_true(ib_json_number(json, "s", 3) == 3);
    assert_null(ib_json_member(json, "none"));
    assert_null(ib_json_member(list, "a"));
    assert_null(ib_json_string(NULL, "a"));
    ib_arena_destroy(arena);
}

/* Printing what was read and reading it again changes nothing. */
static void printed_again(void **state) {
    place *p = *state;
    ib_arena *arena = ib_arena_create();
    const ib_json *json =
        parse(p, arena, "{\"a\":[1.50,{\"b\":\"q\\\"\\\\\"},[]],\"c\":{},\"d\":null,\"e\":true}");
    ib_str once = {0}, twice = {0};
    ib_json_print(json, &once);
    assert_string_equal(once.data,
                        "{\n  \"a\": [\n    1.50,\n    {\n      \"b\": \"q\\\"\\\\\"\n    },"
                        "\n    []\n  ],\n  \"c\": {},\n  \"d\": null,\n  \"e\": true\n}");
    ib_json_print(parse(p, arena, once.data), &twice);
    assert_string_equal(once.data, twice.data);
    ib_str_free(&once);
    ib_str_free(&twice);
    ib_arena_destroy(arena);
}

static void malformed(void **state) {
    place *p = *state;
    static const char *const texts[] = {"",
                                        "{",
                                        "[1",
                                        "[1,]",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{a: 1}",
                                        "\"open",
                                        "tru",
                                        "nul",
                                        "01x",
                                        "-",
                                        "[1] 2",
                                        "\"\\x\"",
                                        "\"\\u12\"",
                                        "\"\\ud800\"",
                                        "\"\\ud800\\u0041\"",
                                        "{\"a\" 1}",
                                        "[1 2]",
                                        "\"\x01\"",
                                        "+1",
                                        ".5",
                                        "\"\\"};
    for (size_t i = 0; i < IB_COUNT(texts); i++) {
        ib_arena *arena = ib_arena_create();
        ib_diags_clear(p->diags);
        assert_null(parse(p, arena, texts[i]));
        assert_int_equal(find_diag(p, "IB0808")->place.line, 1);
        ib_arena_destroy(arena);
    }
}

static void place_of_a_mistake(void **state) {
    place *p = *state;
    ib_arena *arena = ib_arena_create();
    assert_null(parse(p, arena, "{\n  \"a\": 1,\n  \"b\" 2\n}"));
    const ib_diag *diag = find_diag(p, "IB0808");
    assert_string_equal(diag->place.file, "x.json");
    assert_int_equal(diag->place.line, 3);
    assert_int_equal(diag->place.column, 7);
    ib_arena_destroy(arena);
}

static void deep_nesting(void **state) {
    place *p = *state;
    char text[40001];
    memset(text, '[', 40000);
    text[40000] = '\0';
    ib_arena *arena = ib_arena_create();
    assert_null(parse(p, arena, text));
    ib_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(values),       IN_FOLDER(printed_again),
        IN_FOLDER(malformed),    IN_FOLDER(place_of_a_mistake),
        IN_FOLDER(deep_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
