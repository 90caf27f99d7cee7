/* The texts made from the schema's table, against the committed ones and the language's key tables.
 */
#include "model_test.h"

#include "model/schema.h"

static char *read_file(const char *path) {
    char whole[1024];
    size_t length = 0;
    char *text = NULL;
    snprintf(whole, sizeof(whole), "%s/%s", IB_TEST_SOURCE, path);
    assert_int_equal(ib_file_read(whole, 1 << 24, NULL, IB_NO_PLACE, &text, &length), IB_OK);
    return text;
}

static void test_json_is_the_committed_one(void **state) {
    (void)state;
    ib_str text = {0};
    assert_int_equal(ib_schema_json(&text), IB_OK);
    char *committed = read_file("schema/model.schema.json");
    assert_string_equal(text.data, committed);
    free(committed);
    ib_str_free(&text);
}

static void test_reference_is_the_committed_one(void **state) {
    (void)state;
    ib_str text = {0};
    assert_int_equal(ib_schema_markdown(&text), IB_OK);
    char *committed = read_file("docs/model-reference.md");
    assert_string_equal(text.data, committed);
    free(committed);
    ib_str_free(&text);
}

static void test_mission_texts_are_the_committed_ones(void **state) {
    (void)state;
    ib_str json = {0}, page = {0};
    assert_int_equal(ib_mission_schema_json(&json), IB_OK);
    assert_int_equal(ib_mission_schema_markdown(&page), IB_OK);
    char *committed = read_file("schema/mission.schema.json");
    assert_string_equal(json.data, committed);
    free(committed);
    committed = read_file("docs/mission-reference.md");
    assert_string_equal(page.data, committed);
    free(committed);
    ib_str_free(&json);
    ib_str_free(&page);
}

static void test_network_texts_are_the_committed_ones(void **state) {
    (void)state;
    ib_str json = {0}, page = {0};
    assert_int_equal(ib_network_schema_json(&json), IB_OK);
    assert_int_equal(ib_network_schema_markdown(&page), IB_OK);
    char *committed = read_file("schema/network.schema.json");
    assert_string_equal(json.data, committed);
    free(committed);
    committed = read_file("docs/network-reference.md");
    assert_string_equal(page.data, committed);
    free(committed);
    ib_str_free(&json);
    ib_str_free(&page);
}

/* Every key has a line of the reference with its value, its default and its meaning. */
static void test_reference_is_whole(void **state) {
    (void)state;
    ib_str text = {0};
    char line[100];
    assert_int_equal(ib_schema_markdown(&text), IB_OK);
    assert_int_equal(ib_mission_schema_markdown(&text), IB_OK);
    assert_int_equal(ib_network_schema_markdown(&text), IB_OK);
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        const bool plain = ib_section_file(ib_keys[i].section) != IB_FILE_MODEL;
        snprintf(line, sizeof(line), plain ? "| `%s` |" : "| [`%s`](keys/", ib_keys[i].name);
        assert_non_null(strstr(text.data, line));
        assert_true(strlen(ib_keys[i].meaning) > 10);
        assert_true(strlen(ib_kind_text(ib_keys[i].kind)) > 2);
    }
    for (size_t i = 0; i < ib_type_count; i++) {
        snprintf(line, sizeof(line), "`%s`", ib_types[i].name);
        assert_non_null(strstr(text.data, line));
    }
    ib_str_free(&text);
}

/* The keys of the seed document's tables. */
static void test_keys_of_the_language(void **state) {
    (void)state;
    static const struct {
        ib_section section;
        const char *key;
    } keys[] = {
        {IB_SECTION_measure, "id"},
        {IB_SECTION_measure, "type"},
        {IB_SECTION_measure, "body1"},
        {IB_SECTION_measure, "body2"},
        {IB_SECTION_measure, "point1"},
        {IB_SECTION_measure, "point2"},
        {IB_SECTION_measure, "component"},
        {IB_SECTION_measure, "vector"},
        {IB_SECTION_measure, "frame"},
        {IB_SECTION_measure, "orientation"},
        {IB_SECTION_measure, "offset"},
        {IB_SECTION_measure, "plane"},
        {IB_SECTION_measure, "normalize"},
        {IB_SECTION_measure, "form"},
        {IB_SECTION_spline, "id"},
        {IB_SECTION_spline, "file"},
        {IB_SECTION_spline, "header_lines"},
        {IB_SECTION_spline, "columns"},
        {IB_SECTION_spline, "x"},
        {IB_SECTION_spline, "y"},
        {IB_SECTION_spline, "type"},
        {IB_SECTION_driver, "id"},
        {IB_SECTION_driver, "measure"},
        {IB_SECTION_driver, "motion"},
        {IB_SECTION_driver, "ramp"},
    };
    for (size_t i = 0; i < IB_COUNT(keys); i++)
        assert_int_not_equal(ib_key_find(keys[i].section, keys[i].key), IB_KEY_COUNT);
    assert_int_equal(ib_key_find(IB_SECTION_driver, "mass"), IB_KEY_COUNT);
}

/* Within a section names differ, and what is required is used. */
static void test_table_is_consistent(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        assert_int_equal(ib_key_find(ib_keys[i].section, ib_keys[i].name), i);
        assert_null(ib_later_find(ib_keys[i].section, ib_keys[i].name));
        assert_int_equal(ib_keys[i].required & ~ib_keys[i].types, 0);
        assert_true(ib_keys[i].kind != IB_KIND_CHOICE || ib_keys[i].values[0] != '\0');
    }
    for (size_t i = 0; i < ib_type_count; i++)
        assert_ptr_equal(ib_type_find(ib_types[i].section, ib_types[i].name), &ib_types[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_is_the_committed_one),
        cmocka_unit_test(test_reference_is_the_committed_one),
        cmocka_unit_test(test_mission_texts_are_the_committed_ones),
        cmocka_unit_test(test_network_texts_are_the_committed_ones),
        cmocka_unit_test(test_reference_is_whole),
        cmocka_unit_test(test_keys_of_the_language),
        cmocka_unit_test(test_table_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
