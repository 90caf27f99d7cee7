/* Reading results back: names, units, rows, and files that are not what they should be. */
#include "results_test.h"

static ib_results *open_file(place *p, const char *name, const char *text) {
    ib_results *results;
    put_file(p, name, text);
    char *path = path_of(p, name);
    assert_int_equal(ib_results_open(path, p->diags, &results), IB_OK);
    free(path);
    return results;
}

static const double *next(place *p, ib_results *results) {
    const double *row;
    assert_int_equal(ib_results_next(results, &row, p->diags), IB_OK);
    return row;
}

static void any_table(void **state) {
    place *p = *state;
    ib_results *results = open_file(
        p, "ref.csv", "# a reference\n\nt, B0x ,\"B,y\"\n0,1,2\n0.05,-1e-3, nan\n1,+3,-inf\n");
    assert_int_equal(ib_results_channel_count(results), 2);
    assert_string_equal(ib_results_channel_info(results, 0).name, "B0x");
    assert_int_equal(ib_results_channel(results, "B,y"), 1);
    assert_int_equal(ib_results_channel(results, "t"), -1);
    assert_string_equal(ib_results_title(results), "ref.csv");
    const double *row = next(p, results);
    assert_true(row[0] == 0 && row[1] == 1 && row[2] == 2);
    row = next(p, results);
    assert_true(row[0] == 0.05 && row[1] == -1e-3 && isnan(row[2]));
    row = next(p, results);
    assert_true(row[0] == 1 && row[1] == 3 && row[2] == -HUGE_VAL);
    assert_null(next(p, results));
    assert_null(next(p, results));
    ib_results_close(results);
    assert_int_equal(ib_diags_count(p->diags), 0);
}

static void only_what_was_selected(void **state) {
    place *p = *state;
    ib_results *results = open_file(p, "a.csv", "time,a,b,c\n0,1,2,3\n1,4,5,6\n2,7,8,9\n");
    ib_results_select(results, (bool[]){false, true, false});
    const double *row = next(p, results);
    assert_true(isnan(row[1]) && row[2] == 2 && isnan(row[3]));
    ib_results_select(results, NULL);
    row = next(p, results);
    assert_true(row[1] == 4 && row[2] == 5 && row[3] == 6);
    assert_int_equal(ib_results_rewind(results, p->diags), IB_OK);
    row = next(p, results);
    assert_true(row[0] == 0 && row[3] == 3);
    ib_results_close(results);
}

static void units_of_a_folder(void **state) {
    place *p = *state;
    const ib_channel_info channels[] = {{"a", "m/s", "speed", "id-1"}, {"b", "", "", NULL}};
    put_file(p, "results.csv", "time,a,b\r\n0,1,2\r\n");
    assert_int_equal(ib_results_write_channels(p->folder, channels, 2, p->diags), IB_OK);
    const ib_run_record record = {.model = "the model", .status = "interrupted", .message = NULL};
    assert_int_equal(ib_results_write_run(p->folder, &record, p->diags), IB_OK);
    ib_results *results;
    assert_int_equal(ib_results_open(p->folder, p->diags, &results), IB_OK);
    const ib_channel_info a = ib_results_channel_info(results, 0);
    assert_string_equal(a.unit, "m/s");
    assert_string_equal(a.description, "speed");
    assert_string_equal(a.id, "id-1");
    assert_null(ib_results_channel_info(results, 1).id);
    assert_string_equal(ib_results_title(results), "the model");
    assert_non_null(strstr(find_diag(p, "IB0807")->message, "interrupted"));
    ib_results_close(results);
}

/* A killed program leaves a part of a line; in our own files even one that looks whole. */
static void unfinished_last_line(void **state) {
    place *p = *state;
    static const char *const tails[] = {"1,2", "1,2,", "1,2,3", "1"};
    for (size_t i = 0; i < IB_COUNT(tails); i++) {
        char text[80];
        ib_results *results;
        snprintf(text, sizeof text, "time,a,b\r\n0,1,2\r\n%s", tails[i]);
        put_file(p, "results.csv", text);
        ib_diags_clear(p->diags);
        assert_int_equal(ib_results_open(p->folder, p->diags, &results), IB_OK);
        assert_non_null(next(p, results));
        assert_null(next(p, results));
        assert_null(next(p, results));
        assert_int_equal(find_diag(p, "IB0804")->place.line, 3);
        ib_results_close(results);
    }
}

/* Other programs may leave the last line break out. */
static void last_line_without_break(void **state) {
    place *p = *state;
    ib_results *results = open_file(p, "a.csv", "time,a\n0,1\n1,2.5");
    next(p, results);
    const double *row = next(p, results);
    assert_true(row && row[1] == 2.5);
    assert_null(next(p, results));
    ib_results_close(results);
    assert_int_equal(ib_diags_count(p->diags), 0);
    results = open_file(p, "b.csv", "time,a\n0,1\n1,");
    next(p, results);
    assert_null(next(p, results));
    find_diag(p, "IB0804");
    ib_results_close(results);
}

static void wrong_rows(void **state) {
    place *p = *state;
    static const struct {
        const char *row, *id;
        uint32_t column;
    } cases[] = {
        {"1,x,3\n", "IB0803", 3},   {"1,2\n", "IB0803", 4},      {"1,2,3,4\n", "IB0803", 7},
        {"1,,3\n", "IB0803", 3},    {"-0.5,2,3\n", "IB0813", 1}, {"-1,2,3\n", "IB0813", 1},
        {"nan,2,3\n", "IB0813", 1}, {"inf,2,3\n", "IB0813", 1},  {"1,\"2,3\n", "IB0803", 3},
        {"1,2,3x\n", "IB0803", 5},  {"1;2;3\n", "IB0803", 1}};
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        char text[80];
        const double *row;
        snprintf(text, sizeof text, "time,a,b\n0,1,2\n%s5,6,7\n", cases[i].row);
        ib_diags_clear(p->diags);
        ib_results *results = open_file(p, "a.csv", text);
        next(p, results);
        assert_int_equal(ib_results_next(results, &row, p->diags), IB_BAD_INPUT);
        assert_null(row);
        const ib_diag *diag = find_diag(p, cases[i].id);
        assert_int_equal(diag->place.line, 3);
        assert_int_equal(diag->place.column, cases[i].column);
        ib_results_close(results);
    }
}

static void wrong_headers(void **state) {
    place *p = *state;
    static const char *const texts[] = {
        "",           "\n\n",      "# only a comment\n", "0,1,2\n1,2,3\n",
        "time,a,a\n", "time,,b\n", "time,\"a\n"};
    for (size_t i = 0; i < IB_COUNT(texts); i++) {
        ib_results *results;
        ib_diags_clear(p->diags);
        put_file(p, "a.csv", texts[i]);
        char *path = path_of(p, "a.csv");
        assert_int_equal(ib_results_open(path, p->diags, &results), IB_BAD_INPUT);
        assert_null(results);
        find_diag(p, "IB0803");
        free(path);
    }
}

static void nothing_there(void **state) {
    place *p = *state;
    ib_results *results;
    char *path = path_of(p, "missing.csv");
    assert_int_equal(ib_results_open(path, p->diags, &results), IB_IO_ERROR);
    assert_int_equal(ib_results_open(p->folder, p->diags, &results), IB_IO_ERROR);
    assert_int_equal(ib_diags_errors(p->diags), 2);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(any_table),
        IN_FOLDER(only_what_was_selected),
        IN_FOLDER(units_of_a_folder),
        IN_FOLDER(unfinished_last_line),
        IN_FOLDER(last_line_without_break),
        IN_FOLDER(wrong_rows),
        IN_FOLDER(wrong_headers),
        IN_FOLDER(nothing_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
