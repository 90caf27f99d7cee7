/* The sink of diagnostics and its text. */
#include "base_test.h"

#include <time.h>

static ib_place at(const char *file, uint32_t line, uint32_t column, uint32_t length) {
    return (ib_place){.file = file, .line = line, .column = column, .length = length};
}

static char formatted[4096];

/* The text of the diagnostic `index`. */
static const char *text_of(const ib_diags *diags, size_t index, bool colour) {
    const ib_diag *diag = ib_diags_at(diags, index);
    assert_non_null(diag);
    const size_t length = ib_diag_format(diag, colour, formatted, sizeof formatted);
    assert_int_equal(length, strlen(formatted));
    return formatted;
}

static void test_counts(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    assert_int_equal(ib_diags_count(diags), 0);
    assert_null(ib_diags_at(diags, 0));
    ib_diags_add(diags, IB_ERROR, IB0101, IB_NO_PLACE, "one");
    ib_diags_add(diags, IB_WARNING, IB0102, IB_NO_PLACE, "two");
    ib_diags_add(diags, IB_NOTE, IB0103, IB_NO_PLACE, "%s", "three");
    assert_int_equal(ib_diags_count(diags), 3);
    assert_int_equal(ib_diags_errors(diags), 1);
    assert_string_equal(ib_diags_at(diags, 2)->message, "three");
    assert_string_equal(ib_diags_at(diags, 1)->id, "IB0102");
    assert_null(ib_diags_at(diags, 3));
    ib_diags_clear(diags);
    assert_int_equal(ib_diags_count(diags), 0);
    assert_int_equal(ib_diags_errors(diags), 0);
    ib_diags_add(diags, IB_ERROR, IB0104, IB_NO_PLACE, "four");
    assert_string_equal(ib_diags_at(diags, 0)->message, "four");
    ib_diags_destroy(diags);
    ib_diags_destroy(NULL);
}

static void test_no_sink(void **state) {
    (void)state;
    ib_diags_add(NULL, IB_ERROR, IB0101, IB_NO_PLACE, "swallowed");
    ib_diags_note(NULL, IB_NO_PLACE, "swallowed");
    ib_diags_suggest(NULL, "swallowed");
    ib_diags_source(NULL, "a", "b", 1);
    ib_diags_sort(NULL);
    assert_null(ib_diags_file(NULL, "a"));
}

/* What was handed out stays while more is added. */
static void test_pointers_stay(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    ib_diags_add(diags, IB_ERROR, IB0101, at("a.yaml", 1, 1, 1), "first");
    ib_diags_note(diags, at("a.yaml", 2, 1, 1), "note 0");
    const ib_diag *first = ib_diags_at(diags, 0);
    const ib_diag_note *note = first->notes;
    for (int i = 1; i < 50; i++)
        ib_diags_note(diags, IB_NO_PLACE, "note %d", i);
    for (int i = 0; i < 500; i++)
        ib_diags_add(diags, IB_WARNING, IB0101, IB_NO_PLACE, "other %d", i);
    assert_ptr_equal(ib_diags_at(diags, 0), first);
    assert_string_equal(first->message, "first");
    assert_string_equal(note->message, "note 0");
    assert_int_equal(first->n_notes, 50);
    assert_string_equal(first->notes[49].message, "note 49");
    ib_diags_destroy(diags);
}

static void test_files_are_kept(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    char name[] = "model.yaml";
    const char *kept = ib_diags_file(diags, name);
    assert_ptr_not_equal(kept, name);
    name[0] = 'x';
    assert_string_equal(kept, "model.yaml");
    assert_ptr_equal(ib_diags_file(diags, "model.yaml"), kept);
    ib_diags_add(diags, IB_ERROR, IB0101, at("model.yaml", 3, 1, 1), "here");
    assert_ptr_equal(ib_diags_at(diags, 0)->place.file, kept);
    assert_null(ib_diags_file(diags, NULL));
    ib_diags_destroy(diags);
}

static const char model[] = "bodies:\n"
                            "  wheel: {mass: 1}\n"
                            "joints:\r\n"
                            "  hub: {body1: whel}\n"
                            "\tr\xc3\xa4\xc3\xb6\tx: 1\n"
                            "last";

static ib_diags *with_model(void) {
    ib_diags *diags = ib_diags_create();
    ib_diags_source(diags, "m.yaml", model, sizeof model - 1);
    return diags;
}

static void test_whole_message(void **state) {
    (void)state;
    ib_diags *diags = with_model();
    ib_diags_add(diags, IB_ERROR, IB0101, at("m.yaml", 4, 16, 4), "body1: there is no body '%s'",
                 "whel");
    ib_diags_suggest(diags, "did you mean '%s'?", "wheel");
    ib_diags_note(diags, at("m.yaml", 2, 3, 5), "declared here");
    assert_string_equal(text_of(diags, 0, false),
                        "m.yaml:4:16: error: body1: there is no body 'whel'; did you mean 'wheel'? "
                        "[IB0101]\n"
                        "    4 |   hub: {body1: whel}\n"
                        "      |                ^~~~\n"
                        "m.yaml:2:3: note: declared here\n");
    ib_diags_destroy(diags);
}

static void test_places_without_parts(void **state) {
    (void)state;
    ib_diags *diags = with_model();
    ib_diags_add(diags, IB_WARNING, IB0103, IB_NO_PLACE, "no place");
    ib_diags_add(diags, IB_NOTE, IB0103, at("m.yaml", 0, 0, 0), "the file");
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 6, 0, 0), "the line");
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 7, 1, 1), "beyond the last line");
    ib_diags_add(diags, IB_ERROR, IB0103, at("n.yaml", 7, 2, 1), "a file that is not known");
    assert_string_equal(text_of(diags, 0, false), "ironbird: warning: no place [IB0103]\n");
    assert_string_equal(text_of(diags, 1, false), "m.yaml: note: the file [IB0103]\n");
    assert_string_equal(text_of(diags, 2, false), "m.yaml:6: error: the line [IB0103]\n"
                                                  "    6 | last\n");
    assert_string_equal(text_of(diags, 3, false),
                        "m.yaml:7:1: error: beyond the last line [IB0103]\n");
    assert_string_equal(text_of(diags, 4, false),
                        "n.yaml:7:2: error: a file that is not known [IB0103]\n");
    ib_diags_destroy(diags);
}

/* Line ends of either kind are no part of the line; a source that comes later is found too. */
static void test_lines(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 3, 1, 6), "early");
    assert_null(ib_diags_at(diags, 0)->source_line);
    ib_diags_source(diags, "m.yaml", model, sizeof model - 1);
    assert_string_equal(ib_diags_at(diags, 0)->source_line, "joints:");
    ib_diags_source(diags, "r.yaml", "a\rb\r\n\nd", 7);
    static const char *const lines[] = {"a", "b", "", "d"};
    for (uint32_t i = 0; i < 4; i++) {
        ib_diags_add(diags, IB_ERROR, IB0103, at("r.yaml", i + 1, 1, 1), "line");
        assert_string_equal(ib_diags_at(diags, i + 1)->source_line, lines[i]);
    }
    ib_diags_destroy(diags);
}

/* Columns count characters, tabs stay tabs, and the underline ends with the line. */
static void test_caret(void **state) {
    (void)state;
    ib_diags *diags = with_model();
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 5, 6, 99), "after umlauts");
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 6, 5, 3), "at the end");
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 6, 4000, UINT32_MAX), "far beyond");
    assert_string_equal(text_of(diags, 0, false), "m.yaml:5:6: error: after umlauts [IB0103]\n"
                                                  "    5 | \tr\xc3\xa4\xc3\xb6\tx: 1\n"
                                                  "      | \t   \t^~~~\n");
    assert_string_equal(text_of(diags, 1, false), "m.yaml:6:5: error: at the end [IB0103]\n"
                                                  "    6 | last\n"
                                                  "      |     ^\n");
    assert_string_equal(text_of(diags, 2, false), "m.yaml:6:4000: error: far beyond [IB0103]\n"
                                                  "    6 | last\n"
                                                  "      |     ^\n");
    ib_diags_destroy(diags);
}

static void test_colour(void **state) {
    (void)state;
    ib_diags *diags = with_model();
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 6, 1, 2), "red");
    assert_string_equal(
        text_of(diags, 0, true),
        "\x1b[1mm.yaml:6:1: \x1b[0m\x1b[1;31merror: \x1b[0m\x1b[1mred\x1b[0m [IB0103]\n"
        "    6 | last\n"
        "      | \x1b[1;32m^~\x1b[0m\n");
    ib_diags_destroy(diags);
}

/* A user's file cannot steer the terminal, nor make a message of two lines. */
static void test_control_characters(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    ib_diags_source(diags, "m.yaml", "a\x1b[2Jb\x80", 7);
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 1, 6, 1), "no '%s'", "x\ny\x1b[1m");
    assert_string_equal(text_of(diags, 0, false), "m.yaml:1:6: error: no 'x y [1m' [IB0103]\n"
                                                  "    1 | a?[2Jb?\n"
                                                  "      |      ^\n");
    ib_diags_destroy(diags);
}

/* Of a line of a hundred thousand characters the part around the place is shown. */
static void test_long_line(void **state) {
    (void)state;
    enum { N = 100000 };
    char *line = malloc(N);
    memset(line, 'x', N);
    line[50000] = 'Y';
    ib_diags *diags = ib_diags_create();
    ib_diags_source(diags, "m.yaml", line, N);
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 1, 50001, 1), "far right");
    const char *text = text_of(diags, 0, false);
    assert_true(strlen(text) < 500);
    const char *shown = strchr(text, '\n') + 1, *caret = strchr(shown, '\n') + 1;
    assert_int_equal(strchr(shown, 'Y') - shown, strchr(caret, '^') - caret);
    assert_non_null(strstr(shown, "| ...x"));
    assert_non_null(strstr(shown, "x...\n"));
    ib_diags_destroy(diags);
    free(line);
}

/* Characters of several bytes before, in and behind what is shown. */
static void test_long_line_of_letters(void **state) {
    (void)state;
    enum { N = 1000 };
    char line[2 * N + 1], shown[2 * 143 + 7] = "...", want[1024];
    for (int i = 0; i < N; i++)
        memcpy(line + 2 * i, "\xc3\xa4", 3);
    memcpy(line + 2 * 500, "\xc3\xb6\xc3\xb6", 4);
    memcpy(shown + 3, line + 2 * 420, 2 * 140);
    strcpy(shown + 3 + 2 * 140, "...");
    ib_diags *diags = ib_diags_create();
    ib_diags_source(diags, "m.yaml", line, strlen(line));
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 1, 501, 2), "here");
    snprintf(want, sizeof want,
             "m.yaml:1:501: error: here [IB0103]\n    1 | %s\n      |    %81s~\n", shown, "^");
    assert_string_equal(text_of(diags, 0, false), want);
    ib_diags_destroy(diags);
}

/* A hundred messages about a line of 16 MB cost what is shown, not what the line is long. */
static void test_endless_line(void **state) {
    (void)state;
    enum { N = 16 << 20, MESSAGES = 100 };
    char *line = malloc(N);
    assert_non_null(line);
    memset(line, 'x', N);
    ib_diags *diags = ib_diags_create();
    ib_diags_source(diags, "m.yaml", line, N);
    for (uint32_t i = 0; i < MESSAGES; i++)
        ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 1, 10 * i + 1, 3), "here");
    const clock_t begin = clock();
    for (size_t i = 0; i < MESSAGES; i++)
        assert_true(strlen(text_of(diags, i, false)) < 500);
    /* Looking at all of it once a message would be 1.6e9 characters. */
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 0.5);
    ib_diags_destroy(diags);
    free(line);
}

static void test_long_message(void **state) {
    (void)state;
    enum { N = 100000 };
    char *name = malloc(N + 1);
    for (int i = 0; i < N; i += 2)
        memcpy(name + i, "\xc3\xa4", 2);
    name[N] = '\0';
    ib_diags *diags = ib_diags_create();
    ib_diags_add(diags, IB_ERROR, IB0103, IB_NO_PLACE, "x%s: why", name);
    const char *message = ib_diags_at(diags, 0)->message;
    const size_t length = strlen(message);
    assert_true(length > 400 && length < 700);
    assert_string_equal(message + length - 7, "\xc3\xa4: why"); /* the end is kept */
    assert_non_null(strstr(message, "\xc3\xa4...\xc3\xa4"));    /* no character is cut in two */
    ib_diags_destroy(diags);
    free(name);
}

static void test_bytes_that_are_no_text(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    ib_diags_add(diags, IB_ERROR, IB0103, IB_NO_PLACE, "a\xff\x1b[1m\xc3\xa4\xc3\n");
    assert_string_equal(ib_diags_at(diags, 0)->message, "a? [1m\xc3\xa4? ");
    ib_diags_destroy(diags);
}

/* As snprintf: the length needed, and what fits, terminated. */
static void test_small_buffer(void **state) {
    (void)state;
    ib_diags *diags = with_model();
    ib_diags_add(diags, IB_ERROR, IB0103, at("m.yaml", 6, 1, 2), "short of room");
    const ib_diag *diag = ib_diags_at(diags, 0);
    char whole[256];
    const size_t length = ib_diag_format(diag, false, whole, sizeof whole);
    assert_int_equal(ib_diag_format(diag, false, NULL, 0), length);
    for (size_t size = 1; size <= length + 1; size++) {
        char *part = malloc(size); /* of exactly this size, for the sanitizer */
        assert_int_equal(ib_diag_format(diag, false, part, size), length);
        assert_int_equal(strlen(part), size - 1);
        assert_memory_equal(part, whole, size - 1);
        free(part);
    }
    ib_diags_destroy(diags);
}

static void test_sort(void **state) {
    (void)state;
    static const struct {
        const char *file;
        uint32_t line, column;
    } given[] = {{"b", 2, 1}, {"a", 9, 1}, {NULL, 0, 0}, {"b", 1, 7}, {"a", 3, 2},
                 {"b", 1, 7}, {"a", 3, 1}, {"b", 1, 2},  {"b", 2, 1}};
    static const char wanted[] = "735086412";
    ib_diags *diags = ib_diags_create();
    for (size_t i = 0; i < IB_COUNT(given); i++)
        ib_diags_add(diags, IB_ERROR, IB0103, at(given[i].file, given[i].line, given[i].column, 1),
                     "%zu", i);
    ib_diags_sort(diags);
    for (size_t i = 0; i < IB_COUNT(given); i++)
        assert_int_equal(ib_diags_at(diags, i)->message[0], wanted[i]);
    ib_diags_destroy(diags);
}

static void test_sort_many(void **state) {
    (void)state;
    enum { N = 1001 };
    ib_diags *diags = ib_diags_create();
    for (uint32_t i = 0; i < N; i++)
        ib_diags_add(diags, IB_ERROR, IB0103, at("m", 1 + i * 389 % 97, 1, 1), "%u", (unsigned)i);
    ib_diags_sort(diags);
    for (size_t i = 1; i < N; i++) {
        const ib_diag *a = ib_diags_at(diags, i - 1), *b = ib_diags_at(diags, i);
        assert_true(a->place.line < b->place.line ||
                    (a->place.line == b->place.line && atoi(a->message) < atoi(b->message)));
    }
    ib_diags_destroy(diags);
}

static void test_explain(void **state) {
    (void)state;
    static const char *const ids[] = {
#define IB_DIAG(id, title, explanation) #id,
#include "base/diagnostics.def"
#undef IB_DIAG
    };
    assert_int_equal(IB_COUNT(ids), IB_DIAG_COUNT);
    for (size_t i = 0; i < IB_COUNT(ids); i++) {
        const char *text = ib_diag_explain(ids[i]);
        assert_non_null(text);
        assert_non_null(strchr(text, '\n'));
        assert_int_equal(strlen(ids[i]), 6);
        assert_int_equal(strspn(ids[i] + 2, "0123456789"), 4);
    }
    assert_null(ib_diag_explain("IB9999"));
    assert_null(ib_diag_explain(""));
    assert_null(ib_diag_explain(NULL));
}

static void test_status_texts(void **state) {
    (void)state;
    assert_string_equal(ib_status_text(IB_OK), "done");
    assert_string_equal(ib_status_text(IB_NO_MEMORY), "out of memory");
    assert_string_equal(ib_status_text((ib_status)99), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_no_sink),
        cmocka_unit_test(test_pointers_stay),
        cmocka_unit_test(test_files_are_kept),
        cmocka_unit_test(test_whole_message),
        cmocka_unit_test(test_places_without_parts),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_caret),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_long_line_of_letters),
        cmocka_unit_test(test_endless_line),
        cmocka_unit_test(test_long_message),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_small_buffer),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_sort_many),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_status_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
