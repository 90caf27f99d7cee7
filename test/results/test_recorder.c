/* The recorder: every row once, in order, the same bits; and the truth about a full disk. */
#include "results_test.h"

#include <time.h>

static const ib_channel_info channels[] = {{"a.x", "m", "first", NULL},
                                           {"odd, \"name\"", "1", "second", "id-2"},
                                           {"c", "N", "third", NULL}};

/* Row i has values that are different in every bit that matters. */
static void make_row(uint64_t i, double values[3]) {
    values[0] = ib_random_normal(7, 0, 0, i);
    values[1] = i % 5 == 0 ? -0.0 : 1.0 / (double)(i + 1);
    values[2] = i % 7 == 0 ? HUGE_VAL : ib_random_uniform(7, 0, 1, i) * 1e-200;
}

static ib_time time_of(uint64_t i) { return (ib_time)i * 1250001; }

static void write_rows(place *p, const char *path, uint64_t n) {
    ib_recorder *recorder;
    assert_int_equal(ib_recorder_create(path, channels, 3, p->diags, &recorder), IB_OK);
    for (uint64_t i = 0; i < n; i++) {
        double values[3];
        make_row(i, values);
        assert_int_equal(ib_recorder_push(recorder, time_of(i), values), IB_OK);
    }
    assert_int_equal(ib_recorder_finish(recorder, p->diags), IB_OK);
    assert_int_equal(ib_recorder_rows(recorder), n);
    ib_recorder_destroy(recorder);
}

/* Many times more rows than the ring and the block hold. */
static void same_bits_back(void **state) {
    place *p = *state;
    const uint64_t n = 300000;
    char *path = path_of(p, "results.csv");
    write_rows(p, path, n);
    ib_results *results;
    assert_int_equal(ib_results_open(path, p->diags, &results), IB_OK);
    assert_int_equal(ib_results_channel_count(results), 3);
    assert_int_equal(ib_results_channel(results, "odd, \"name\""), 1);
    const double *row;
    for (uint64_t i = 0; i < n; i++) {
        double values[3];
        make_row(i, values);
        assert_int_equal(ib_results_next(results, &row, p->diags), IB_OK);
        assert_non_null(row);
        assert_true(same_bits(row[0], ib_time_seconds(time_of(i))));
        for (size_t k = 0; k < 3; k++)
            assert_true(same_bits(row[1 + k], values[k]));
    }
    assert_int_equal(ib_results_next(results, &row, p->diags), IB_OK);
    assert_null(row);
    ib_results_close(results);
    free(path);
}

static void form_of_the_file(void **state) {
    place *p = *state;
    char *path = path_of(p, "results.csv");
    ib_recorder *recorder;
    assert_int_equal(ib_recorder_create(path, channels, 2, p->diags, &recorder), IB_OK);
    assert_int_equal(ib_recorder_push(recorder, 0, (double[]){1, 0.5}), IB_OK);
    assert_int_equal(ib_recorder_push(recorder, IB_SECOND / 100, (double[]){(double)NAN, -1e-9}),
                     IB_OK);
    assert_int_equal(ib_recorder_finish(recorder, p->diags), IB_OK);
    ib_recorder_destroy(recorder);
    char *text = get_file(p, "results.csv");
    assert_string_equal(text, "time,a.x,\"odd, \"\"name\"\"\"\r\n0,1,0.5\r\n0.01,nan,-1e-09\r\n");
    free(text);
    free(path);
}

static void no_channels(void **state) {
    place *p = *state;
    char *path = path_of(p, "results.csv");
    ib_recorder *recorder;
    assert_int_equal(ib_recorder_create(path, NULL, 0, p->diags, &recorder), IB_OK);
    assert_int_equal(ib_recorder_push(recorder, 0, NULL), IB_OK);
    assert_int_equal(ib_recorder_finish(recorder, p->diags), IB_OK);
    ib_recorder_destroy(recorder);
    char *text = get_file(p, "results.csv");
    assert_string_equal(text, "time\r\n0\r\n");
    free(text);
    free(path);
}

static void times_increase(void **state) {
    place *p = *state;
    char *path = path_of(p, "results.csv");
    ib_recorder *recorder;
    const double values[3] = {0};
    assert_int_equal(ib_recorder_create(path, channels, 3, p->diags, &recorder), IB_OK);
    assert_int_equal(ib_recorder_push(recorder, 5, values), IB_OK);
    /* Before and after an event. */
    assert_int_equal(ib_recorder_push(recorder, 5, values), IB_OK);
    assert_int_equal(ib_recorder_push(recorder, 4, values), IB_BAD_INPUT);
    assert_int_equal(ib_recorder_push(recorder, 6, values), IB_OK);
    assert_int_equal(ib_recorder_finish(recorder, p->diags), IB_OK);
    assert_int_equal(ib_recorder_rows(recorder), 3);
    ib_recorder_destroy(recorder);
    free(path);
}

/* What was pushed is in the file a moment later, without finishing. */
static void followed_while_running(void **state) {
    place *p = *state;
    char *path = path_of(p, "results.csv");
    ib_recorder *recorder;
    const double values[3] = {1, 2, 3};
    assert_int_equal(ib_recorder_create(path, channels, 3, p->diags, &recorder), IB_OK);
    assert_int_equal(ib_recorder_push(recorder, 1, values), IB_OK);
    for (int i = 0; i < 1000 && !ib_recorder_rows(recorder); i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    assert_int_equal(ib_recorder_rows(recorder), 1);
    ib_recorder_destroy(recorder);
    free(path);
}

static void cannot_be_opened(void **state) {
    place *p = *state;
    ib_recorder *recorder;
    assert_int_equal(ib_recorder_create("/nowhere/results.csv", channels, 3, p->diags, &recorder),
                     IB_IO_ERROR);
    assert_null(recorder);
    find_diag(p, "IB0102");
}

/* /dev/full takes nothing: the header fails at once. */
static void full_at_once(void **state) {
    place *p = *state;
    ib_recorder *recorder;
    assert_int_equal(ib_recorder_create("/dev/full", channels, 3, p->diags, &recorder),
                     IB_IO_ERROR);
    find_diag(p, "IB0102");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(same_bits_back), IN_FOLDER(form_of_the_file),       IN_FOLDER(no_channels),
        IN_FOLDER(times_increase), IN_FOLDER(followed_while_running), IN_FOLDER(cannot_be_opened),
        IN_FOLDER(full_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
