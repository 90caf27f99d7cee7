/* A disk that fills up during the run, made with a limit on the size of files: the recorder says
 * how many rows are safe, and exactly those are in the file. */
#include "results_test.h"

#include <signal.h>
#include <sys/resource.h>

#define LIMIT 300000

static const ib_channel_info channels[] = {{"a", "m", "", NULL}, {"b", "m", "", NULL}};

static void limit_files(rlim_t size) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Pushes until the recorder refuses; it must, long before the last row. */
static uint64_t push_until_refused(ib_recorder *recorder) {
    for (uint64_t i = 0; i < 10000000; i++) {
        const double values[] = {(double)i / 7, -(double)i / 11};
        const ib_status status = ib_recorder_push(recorder, (ib_time)i * 1000, values);
        if (status == IB_OK)
            continue;
        assert_int_equal(status, IB_IO_ERROR);
        return i;
    }
    fail_msg("a full disk went unnoticed");
    return 0;
}

static uint64_t count_rows(place *p, const char *path) {
    ib_results *results;
    uint64_t n = 0;
    assert_int_equal(ib_results_open(path, p->diags, &results), IB_OK);
    for (const double *row;; n++) {
        assert_int_equal(ib_results_next(results, &row, p->diags), IB_OK);
        if (!row)
            break;
        assert_true(same_bits(row[1], (double)n / 7));
        assert_true(same_bits(row[2], -(double)n / 11));
    }
    ib_results_close(results);
    return n;
}

static void fills_up(void **state) {
    place *p = *state;
    char *path = path_of(p, "results.csv"), expected[80];
    ib_recorder *recorder;
    signal(SIGXFSZ, SIG_IGN);
    limit_files(LIMIT);
    assert_int_equal(ib_recorder_create(path, channels, 2, p->diags, &recorder), IB_OK);
    const uint64_t pushed = push_until_refused(recorder);
    assert_int_equal(ib_recorder_finish(recorder, p->diags), IB_IO_ERROR);
    limit_files(RLIM_INFINITY);
    const uint64_t safe = ib_recorder_rows(recorder);
    assert_true(safe > 0 && safe <= pushed);
    snprintf(expected, sizeof expected, "the first %llu rows are safe", (unsigned long long)safe);
    assert_non_null(strstr(find_diag(p, "IB0801")->message, expected));
    ib_recorder_destroy(recorder);
    const size_t before = ib_diags_count(p->diags);
    assert_int_equal(count_rows(p, path), safe);
    assert_int_equal(ib_diags_count(p->diags), before); /* no torn line at the end */
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {IN_FOLDER(fills_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
