/* The results folder: ours is replaced, others' is refused and left as it is. */
#include "results_test.h"

static const char *const files[] = {"results.csv", "channels.json", "run.json"};

static ib_run_record example(void) {
    return (ib_run_record){.version = "1.2.3",
                           .model = "a \"car\"",
                           .file = "car.yaml",
                           .status = "done",
                           .end = 2 * IB_SECOND,
                           .planned_end = 2 * IB_SECOND,
                           .wall_time = 0.5,
                           .rows = 3,
                           .files = files,
                           .n_files = 3};
}

static void write_run(place *p) {
    const ib_run_record record = example();
    put_file(p, "results.csv", "time,a\r\n0,1\r\n");
    put_file(p, "channels.json", "{\"channels\": []}");
    assert_int_equal(ib_results_write_run(p->folder, &record, p->diags), IB_OK);
}

static bool exists(const place *p, const char *name) {
    char *path = path_of(p, name);
    const bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

static void new_folder_with_parents(void **state) {
    place *p = *state;
    char *path = path_of(p, "a/b/c");
    assert_int_equal(ib_results_prepare(path, p->diags), IB_OK);
    assert_true(ib_is_folder(path));
    assert_int_equal(ib_results_prepare(path, p->diags), IB_OK); /* empty: still fine */
    free(path);
}

static void rerun_replaces_its_own(void **state) {
    place *p = *state;
    write_run(p);
    assert_int_equal(ib_results_prepare(p->folder, p->diags), IB_OK);
    for (size_t i = 0; i < IB_COUNT(files); i++)
        assert_false(exists(p, files[i]));
}

static void others_files_are_refused(void **state) {
    place *p = *state;
    put_file(p, "thesis.tex", "years of work");
    assert_int_equal(ib_results_prepare(p->folder, p->diags), IB_BAD_INPUT);
    assert_non_null(strstr(find_diag(p, "IB0802")->message, "thesis.tex"));
    assert_true(exists(p, "thesis.tex"));
}

/* Nothing of an earlier run goes when something else lies beside it. */
static void mixed_folder_is_left_alone(void **state) {
    place *p = *state;
    write_run(p);
    put_file(p, "notes.txt", "mine");
    assert_int_equal(ib_results_prepare(p->folder, p->diags), IB_BAD_INPUT);
    for (size_t i = 0; i < IB_COUNT(files); i++)
        assert_true(exists(p, files[i]));
    assert_true(exists(p, "notes.txt"));
}

static void run_json_of_another_program(void **state) {
    place *p = *state;
    static const char *const texts[] = {"{\"files\": [\"run.json\"]}", "no json",
                                        "{\"program\": \"other\", \"files\": [\"run.json\"]}"};
    for (size_t i = 0; i < IB_COUNT(texts); i++) {
        put_file(p, "run.json", texts[i]);
        assert_int_equal(ib_results_prepare(p->folder, p->diags), IB_BAD_INPUT);
        assert_true(exists(p, "run.json"));
    }
}

/* A forged list reaches nothing outside the folder, and no folder in it. */
static void list_stays_inside(void **state) {
    place *p = *state;
    char *inner = path_of(p, "inner");
    assert_int_equal(mkdir(inner, 0777), 0);
    put_file(p, "outside.txt", "x");
    put_file(p, "inner/run.json",
             "{\"program\": \"ironbird\", \"files\": [\"../outside.txt\", \"run.json\"]}");
    assert_int_equal(ib_results_prepare(inner, p->diags), IB_OK);
    assert_true(exists(p, "outside.txt"));
    put_file(p, "inner/run.json", "{\"program\": \"ironbird\", \"files\": [\"sub\"]}");
    char *sub = path_of(p, "inner/sub");
    assert_int_equal(mkdir(sub, 0777), 0);
    assert_int_equal(ib_results_prepare(inner, p->diags), IB_BAD_INPUT);
    assert_true(exists(p, "inner/sub"));
    free(sub);
    free(inner);
}

static void plots_join_the_list(void **state) {
    place *p = *state;
    write_run(p);
    put_file(p, "plot.svg", "<svg/>");
    char *path = path_of(p, "plot.svg");
    assert_int_equal(ib_results_register(path, p->diags), IB_OK);
    assert_int_equal(ib_results_register(path, p->diags), IB_OK); /* once is enough */
    char *text = get_file(p, "run.json");
    char *first = strstr(text, "plot.svg");
    assert_non_null(first);
    assert_null(strstr(first + 1, "plot.svg"));
    assert_non_null(strstr(text, "a \\\"car\\\""));
    free(text);
    assert_int_equal(ib_results_prepare(p->folder, p->diags), IB_OK);
    assert_false(exists(p, "plot.svg"));
    free(path);
}

/* Beside no run.json, and in no folder at all, there is nothing to do. */
static void registering_elsewhere(void **state) {
    place *p = *state;
    char *path = path_of(p, "plot.svg");
    assert_int_equal(ib_results_register(path, p->diags), IB_OK);
    assert_int_equal(ib_results_register("plot_that_is_not_there.svg", p->diags), IB_OK);
    assert_false(exists(p, "run.json"));
    free(path);
}

static void not_a_folder(void **state) {
    place *p = *state;
    put_file(p, "file", "x");
    char *path = path_of(p, "file"), *below = path_of(p, "file/out");
    assert_int_not_equal(ib_results_prepare(path, p->diags), IB_OK);
    assert_int_not_equal(ib_results_prepare(below, p->diags), IB_OK);
    assert_true(ib_diags_errors(p->diags) >= 2);
    free(path);
    free(below);
}

static void what_run_json_says(void **state) {
    place *p = *state;
    ib_run_record record = example();
    const ib_statistics statistics = {.solver = "dopri5", .steps = 12, .state_hash = 0xabc};
    const ib_setting settings[] = {{"solver", "auto", 0}, {"rtol", NULL, 1e-6}};
    record.statistics = &statistics;
    record.settings = settings;
    record.n_settings = 2;
    ib_diags_add(p->diags, IB_WARNING, IB0807, IB_NO_PLACE, "careful: \"%s\"", "x");
    record.diags = p->diags;
    char *text = ib_run_record_json(&record);
    ib_arena *arena = ib_arena_create();
    const ib_json *json = ib_json_parse(arena, "run.json", text, strlen(text), p->diags);
    assert_non_null(json);
    assert_string_equal(ib_json_string(json, "program"), "ironbird");
    assert_string_equal(ib_json_string(ib_json_member(json, "versions"), "ironbird"), "1.2.3");
    assert_string_equal(ib_json_string(json, "status"), "done");
    assert_string_equal(ib_json_string(json, "model"), "a \"car\"");
    assert_true(ib_json_number(json, "simulated_time", 0) == 2);
    assert_true(ib_json_number(json, "speed_factor", 0) == 4);
    assert_true(ib_json_number(json, "rows", 0) == 3);
    const ib_json *numbers = ib_json_member(json, "statistics");
    assert_true(ib_json_number(numbers, "steps", 0) == 12);
    assert_string_equal(ib_json_string(numbers, "state_hash"), "0x0000000000000abc");
    assert_true(ib_json_number(ib_json_member(json, "settings"), "rtol", 0) == 1e-6);
    const ib_json *warnings = ib_json_member(json, "warnings");
    assert_int_equal(warnings->length, 1);
    assert_string_equal(ib_json_string(warnings->first, "message"), "careful: \"x\"");
    assert_int_equal(ib_json_member(json, "files")->length, 3);
    free(text);
    ib_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(new_folder_with_parents),
        IN_FOLDER(rerun_replaces_its_own),
        IN_FOLDER(others_files_are_refused),
        IN_FOLDER(mixed_folder_is_left_alone),
        IN_FOLDER(run_json_of_another_program),
        IN_FOLDER(list_stays_inside),
        IN_FOLDER(plots_join_the_list),
        IN_FOLDER(registering_elsewhere),
        IN_FOLDER(not_a_folder),
        IN_FOLDER(what_run_json_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
