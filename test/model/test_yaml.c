/* The tree of a YAML text: scalars, duplicates, merges, aliases, and what is no YAML. */
#include "model_test.h"

#include "model/yaml.h"

typedef struct tree {
    ib_arena *arena;
    ib_diags *diags;
    ib_source source;
    ib_yaml *root;
    ib_status status;
} tree;

static tree parse(const char *text) {
    tree t = {.arena = ib_arena_create(), .diags = ib_diags_create()};
    ib_diags_source(t.diags, "t.yaml", text, strlen(text));
    assert_true(ib_source_create(t.arena, "t.yaml", text, strlen(text), &t.source));
    t.status = ib_yaml_parse(t.arena, &t.source, t.diags, &t.root);
    return t;
}

static void release(tree *t) {
    ib_arena_destroy(t->arena);
    ib_diags_destroy(t->diags);
}

/* The one complaint about a text. */
static void refuses(const char *text, const char *id, uint32_t line, uint32_t column) {
    tree t = parse(text);
    assert_int_equal(ib_diags_count(t.diags), 1);
    const ib_diag *diag = ib_diags_at(t.diags, 0);
    if (strcmp(diag->id, id) != 0 || diag->place.line != line || diag->place.column != column)
        print_message("%s -- %s at %u:%u: %s\n", text, diag->id, diag->place.line,
                      diag->place.column, diag->message);
    assert_string_equal(diag->id, id);
    assert_int_equal(diag->place.line, line);
    assert_int_equal(diag->place.column, column);
    release(&t);
}

static void test_tree(void **state) {
    (void)state;
    tree t = parse("a: 1\nb: [x, 'y z', {c: \"d\"}]\né: {}\n");
    assert_int_equal(t.status, IB_OK);
    assert_int_equal(t.root->kind, IB_YAML_MAP);
    assert_int_equal(t.root->n, 3);
    assert_string_equal(ib_yaml_get(t.root, "a")->text, "1");
    const ib_yaml *list = ib_yaml_get(t.root, "b");
    assert_int_equal(list->n, 3);
    assert_string_equal(list->items[1]->text, "y z");
    assert_int_equal(list->items[1]->style, IB_YAML_SINGLE);
    assert_int_equal(list->items[1]->line, 2);
    assert_int_equal(list->items[1]->column, 8);
    assert_int_equal(list->items[1]->width, 5);
    assert_string_equal(ib_yaml_get(list->items[2], "c")->text, "d");
    /* Columns are characters, not bytes. */
    assert_int_equal(ib_yaml_get(t.root, "\xC3\xA9")->line, 3);
    assert_int_equal(ib_yaml_get(t.root, "\xC3\xA9")->column, 4);
    assert_null(ib_yaml_get(t.root, "nothing"));
    release(&t);
}

static ib_yaml_type type_of(const char *text, double *value, bool *is_integer) {
    const ib_yaml scalar = {.text = text, .length = strlen(text)};
    return ib_yaml_scalar_type(&scalar, value, is_integer);
}

static void test_core_schema(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ib_yaml_type type;
        double value;
        bool is_integer;
    } cases[] = {
        {"", IB_YAML_NULL, 0, false},
        {"~", IB_YAML_NULL, 0, false},
        {"null", IB_YAML_NULL, 0, false},
        {"Null", IB_YAML_NULL, 0, false},
        {"NULL", IB_YAML_NULL, 0, false},
        {"nULL", IB_YAML_TEXT, 0, false},
        {"true", IB_YAML_BOOL, 1, false},
        {"False", IB_YAML_BOOL, 0, false},
        {"TRUE", IB_YAML_BOOL, 1, false},
        {"y", IB_YAML_TEXT, 0, false},
        {"on", IB_YAML_TEXT, 0, false},
        {"yes", IB_YAML_TEXT, 0, false},
        {"off", IB_YAML_TEXT, 0, false},
        {"12", IB_YAML_NUMBER, 12, true},
        {"-12", IB_YAML_NUMBER, -12, true},
        {"+12", IB_YAML_NUMBER, 12, true},
        {"012", IB_YAML_NUMBER, 12, true},
        {"0o14", IB_YAML_NUMBER, 12, true},
        {"0x1F", IB_YAML_NUMBER, 31, true},
        {"0x", IB_YAML_TEXT, 0, true},
        {"0o8", IB_YAML_TEXT, 0, true},
        {"2.2e4", IB_YAML_NUMBER, 22000, false},
        {"2.2E+4", IB_YAML_NUMBER, 22000, false},
        {".5", IB_YAML_NUMBER, 0.5, false},
        {"-.5", IB_YAML_NUMBER, -0.5, false},
        {"5.", IB_YAML_NUMBER, 5, false},
        {"5.e1", IB_YAML_NUMBER, 50, false},
        {".", IB_YAML_TEXT, 0, false},
        {"1e", IB_YAML_TEXT, 0, false},
        {"1e+", IB_YAML_TEXT, 0, false},
        {"1_000", IB_YAML_TEXT, 0, true},
        {"1:30", IB_YAML_TEXT, 0, true},
        {"-", IB_YAML_TEXT, 0, true},
        {".inf", IB_YAML_NOT_FINITE, 0, false},
        {"-.Inf", IB_YAML_NOT_FINITE, 0, false},
        {".NaN", IB_YAML_NOT_FINITE, 0, false},
        {"+.nan", IB_YAML_TEXT, 0, false},
        {"nan", IB_YAML_TEXT, 0, false},
        {"1e999", IB_YAML_NOT_FINITE, 0, false},
    };
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        double value = 0;
        bool is_integer = false;
        const ib_yaml_type type = type_of(cases[i].text, &value, &is_integer);
        if (type != cases[i].type)
            print_message("'%s' is of type %d\n", cases[i].text, (int)type);
        assert_int_equal(type, cases[i].type);
        if (type == IB_YAML_NUMBER || type == IB_YAML_BOOL)
            assert_same(value, cases[i].value);
        if (type == IB_YAML_NUMBER)
            assert_int_equal(is_integer, cases[i].is_integer);
    }
    double value;
    bool is_integer;
    const ib_yaml quoted = {.text = "5", .length = 1, .style = IB_YAML_DOUBLE};
    assert_int_equal(ib_yaml_scalar_type(&quoted, &value, &is_integer), IB_YAML_TEXT);
}

static void test_duplicates(void **state) {
    (void)state;
    tree t = parse("a: 1\nb: 2\na: 3\n");
    assert_int_equal(t.status, IB_OK);
    assert_int_equal(t.root->n, 2);
    assert_string_equal(ib_yaml_get(t.root, "a")->text, "1");
    const ib_diag *diag = ib_diags_at(t.diags, 0);
    assert_string_equal(diag->id, "IB0203");
    assert_int_equal(diag->place.line, 3);
    assert_int_equal(diag->n_notes, 1);
    assert_int_equal(diag->notes[0].place.line, 1);
    release(&t);
    /* Maps beyond a handful of keys take another way. */
    refuses("{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, c: 2}", "IB0203", 1, 62);
}

static void test_merge(void **state) {
    (void)state;
    tree t = parse("base: &base {x: 1, y: 2}\nother: &other {y: 3, z: 4}\n"
                   "one: {<<: *base, x: 5}\ntwo:\n  <<: [*other, *base]\n  z: 6\n'<<': plain\n");
    assert_int_equal(t.status, IB_OK);
    assert_int_equal(ib_diags_count(t.diags), 0);
    const ib_yaml *one = ib_yaml_get(t.root, "one");
    assert_int_equal(one->n, 2);
    assert_string_equal(ib_yaml_get(one, "x")->text, "5");
    assert_string_equal(ib_yaml_get(one, "y")->text, "2");
    const ib_yaml *two = ib_yaml_get(t.root, "two");
    assert_int_equal(two->n, 3);
    assert_string_equal(ib_yaml_get(two, "x")->text, "1");
    assert_string_equal(ib_yaml_get(two, "y")->text, "3");
    assert_string_equal(ib_yaml_get(two, "z")->text, "6");
    assert_string_equal(ib_yaml_get(t.root, "<<")->text, "plain");
    release(&t);
    refuses("a: {<<: 5}", "IB0206", 1, 9);
    refuses("b: &b 1\na: {<<: [*b]}", "IB0206", 2, 9);
}

static void test_aliases(void **state) {
    (void)state;
    tree t = parse("a: &v [1, 2]\nb: *v\nc: &v 3\nd: *v\n");
    assert_int_equal(t.status, IB_OK);
    assert_ptr_equal(ib_yaml_get(t.root, "a"), ib_yaml_get(t.root, "b"));
    assert_string_equal(ib_yaml_get(t.root, "d")->text, "3");
    /* An anchored scalar stands where its text does. */
    assert_int_equal(ib_yaml_get(t.root, "d")->column, 7);
    release(&t);
    refuses("a: *none", "IB0206", 1, 4);
    refuses("a: &loop [1, *loop]", "IB0206", 1, 14);
}

static void test_alias_bomb(void **state) {
    (void)state;
    ib_str text = {0};
    ib_str_add(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
        ib_str_printf(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            ib_str_printf(&text, "%s*a%d", k ? ", " : "", i - 1);
        ib_str_add(&text, "]\n");
    }
    tree t = parse(text.data);
    assert_int_equal(t.status, IB_BAD_INPUT);
    assert_int_equal(ib_diags_count(t.diags), 1);
    assert_string_equal(ib_diags_at(t.diags, 0)->id, "IB0205");
    release(&t);
    ib_str_free(&text);
}

static void test_merge_bomb(void **state) {
    (void)state;
    ib_str text = {0};
    ib_str_add(&text, "a: &a {");
    for (int i = 0; i < 5000; i++)
        ib_str_printf(&text, "%sk%d: 1", i ? ", " : "", i);
    ib_str_add(&text, "}\nb:\n");
    for (int i = 0; i < 5000; i++)
        ib_str_printf(&text, "  - {<<: *a, x%d: 1}\n", i);
    tree t = parse(text.data);
    assert_int_equal(t.status, IB_BAD_INPUT);
    assert_string_equal(ib_diags_at(t.diags, 0)->id, "IB0205");
    release(&t);
    ib_str_free(&text);
}

static void test_depth(void **state) {
    (void)state;
    ib_str text = {0};
    for (int i = 0; i < IB_YAML_DEPTH; i++)
        ib_str_add(&text, "[");
    for (int i = 0; i < IB_YAML_DEPTH; i++)
        ib_str_add(&text, "]");
    tree t = parse(text.data);
    assert_int_equal(t.status, IB_OK);
    release(&t);
    ib_str_clear(&text);
    for (int i = 0; i < 100000; i++)
        ib_str_add(&text, "[");
    refuses(text.data, "IB0207", 1, IB_YAML_DEPTH + 1);
    ib_str_free(&text);
}

static void test_broken(void **state) {
    (void)state;
    static const struct {
        const char *text, *id;
        uint32_t line, column;
    } cases[] = {
        {"", "IB0208", 1, 1},
        {"# nothing\n", "IB0208", 1, 1},
        {"a: 1\n---\nb: 2\n", "IB0208", 2, 1},
        {"a:\n\tb: 1\n", "IB0202", 2, 1},
        {"a:\n  b: 1\n\tc: 2\n", "IB0202", 3, 1},
        {"a: {b: 1\nc: 2\n", "IB0201", 2, 2},
        {"a: [1, 2\n", "IB0201", 2, 1},
        {"a: b: c\n", "IB0201", 1, 5},
        {"a: 1\n b: 2\n", "IB0201", 2, 3},
        {"a: \"text\n", "IB0201", 2, 1},
        {"a: @x\n", "IB0201", 1, 4},
        {"a: \"b\" + c\n", "IB0201", 1, 8},
        {"a: {b: 'c' d}\n", "IB0201", 1, 12},
        {"a: \"\\q\"\n", "IB0201", 1, 5},
        {"a: !!float 5\n", "IB0209", 1, 4},
        {"a: !thing {b: 1}\n", "IB0209", 1, 4},
        {"? [a, b]\n: 1\n", "IB0209", 1, 3},
        {"a: \"x\\0y\"\n", "IB0221", 1, 4},
        {"a: \x01\n", "IB0221", 1, 4},
        {"a: \xFF\n", "IB0221", 1, 4},
        {"\xC3\xA9: \xC3(\n", "IB0221", 1, 5},
    };
    for (size_t i = 0; i < IB_COUNT(cases); i++)
        refuses(cases[i].text, cases[i].id, cases[i].line, cases[i].column);
}

static void test_nul_in_the_file(void **state) {
    (void)state;
    const char text[] = "a: 1\0b: 2\n";
    tree t = {.arena = ib_arena_create(), .diags = ib_diags_create()};
    assert_true(ib_source_create(t.arena, "t.yaml", text, sizeof(text) - 1, &t.source));
    assert_int_equal(ib_yaml_parse(t.arena, &t.source, t.diags, &t.root), IB_BAD_INPUT);
    assert_string_equal(ib_diags_at(t.diags, 0)->id, "IB0221");
    assert_int_equal(ib_diags_at(t.diags, 0)->place.column, 5);
    release(&t);
}

/* `motion: step(t, 0, 0, 1, 1)` inside braces. */
static void test_cut(void **state) {
    (void)state;
    tree t = parse("a: {motion: step(t, 0, 0, 1, 1), ramp: 2}\n");
    assert_int_equal(t.status, IB_OK);
    assert_int_equal(ib_diags_count(t.diags), 1);
    const ib_diag *diag = ib_diags_at(t.diags, 0);
    assert_string_equal(diag->id, "IB0204");
    assert_int_equal(diag->place.line, 1);
    assert_int_equal(diag->place.column, 13);
    assert_string_equal(diag->suggestion, "quote it: motion: \"step(t, 0, 0, 1, 1)\"");
    const ib_yaml *map = ib_yaml_get(t.root, "a");
    assert_int_equal(map->n, 2);
    assert_string_equal(ib_yaml_get(map, "ramp")->text, "2");
    release(&t);
    refuses("[if_else(a > 1, b, c), 0, 1]", "IB0204", 1, 2);
    refuses("{f: step(t, 0, 0, 1, 1, \"hard\"), g: 1}", "IB0204", 1, 5);
    refuses("{f: max(min(1, 2), 3)}", "IB0204", 1, 5);
    /* No comma, no cut; and a parenthesis that nothing closes is the expression's business. */
    t = parse("{f: sin(t), g: (1, h: 2}");
    assert_int_equal(ib_diags_count(t.diags), 0);
    assert_int_equal(t.root->n, 3);
    release(&t);
}

static void test_line_ends(void **state) {
    (void)state;
    refuses("a: 1\r\nb: 2\r\na: 3\r\n", "IB0203", 3, 1);
    refuses("a: 1\rb: 2\ra: 3\r", "IB0203", 3, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),       cmocka_unit_test(test_core_schema),
        cmocka_unit_test(test_duplicates), cmocka_unit_test(test_merge),
        cmocka_unit_test(test_aliases),    cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_merge_bomb), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_broken),     cmocka_unit_test(test_nul_in_the_file),
        cmocka_unit_test(test_cut),        cmocka_unit_test(test_line_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
