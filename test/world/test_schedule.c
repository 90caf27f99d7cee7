/* The scheduler: the table of the specification, exact counts, and what is refused and how. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "world/world.h"

#define MS INT64_C(1000000)

static ib_time period_of(double rate) {
    ib_time period = 0;
    assert_int_equal(ib_period_from_rate(rate, "x", NULL, IB_NO_PLACE, &period), IB_OK);
    return period;
}

static ib_beat beat_of(double physics, double rate) {
    ib_beat beat;
    assert_int_equal(
        ib_beat_make(period_of(physics), period_of(rate), 0, "x", NULL, IB_NO_PLACE, &beat), IB_OK);
    return beat;
}

/* Physics rate, computer's rate, their periods (ns), ratio. */
static void test_table(void **state) {
    (void)state;
    static const struct {
        double physics, computer;
        int64_t physics_period, computer_period, ratio;
    } rows[] = {{1000, 50, 1000000, 20000000, 20},
                {1000, 100, 1000000, 10000000, 10},
                {4000, 50, 250000, 20000000, 80},
                {100, 25, 10000000, 40000000, 4}};
    for (size_t i = 0; i < IB_COUNT(rows); i++) {
        assert_int_equal(period_of(rows[i].physics), rows[i].physics_period);
        assert_int_equal(period_of(rows[i].computer), rows[i].computer_period);
        const ib_beat beat = beat_of(rows[i].physics, rows[i].computer);
        assert_int_equal(beat.ratio, rows[i].ratio);
        assert_int_equal(beat.phase, 0);
        /* Once in any run of `ratio` ticks, and 50 (100, 50, 25) times in a second. */
        int64_t in_second = 0;
        for (int64_t k = 1; k <= (int64_t)rows[i].physics; k++)
            in_second += ib_beat_due(&beat, k);
        assert_int_equal(in_second, (int64_t)rows[i].computer);
    }
}

/* Ticks 1, 21, 41, ...: every gap is 20, over ten simulated hours, and the count is exact. */
static void test_ten_hours(void **state) {
    (void)state;
    const ib_beat beat = beat_of(1000, 50);
    const int64_t ticks = ib_tick_number(MS, 10 * 3600 * IB_SECOND);
    assert_int_equal(ticks, 36000000);
    int64_t count = 0, last = -19;
    for (int64_t k = 1; k <= ticks; k++)
        if (ib_beat_due(&beat, k)) {
            if (k - last != 20)
                fail_msg("a gap of %lld before tick %lld", (long long)(k - last), (long long)k);
            last = k;
            count++;
        }
    assert_int_equal(count, 1800000);
    assert_int_equal(ib_beat_count(&beat, ticks), count);
    assert_int_equal(ib_tick_time(MS, ticks), 10 * 3600 * IB_SECOND);
    assert_true(ib_beat_due(&beat, 1) && ib_beat_due(&beat, 21) && !ib_beat_due(&beat, 20));
}

static void test_phase(void **state) {
    (void)state;
    ib_beat beat;
    assert_int_equal(ib_beat_make(MS, 5 * MS, 3 * MS, "gps", NULL, IB_NO_PLACE, &beat), IB_OK);
    assert_int_equal(beat.ratio, 5);
    assert_int_equal(beat.phase, 3);
    int64_t count = 0;
    for (int64_t k = 1; k <= 1000; k++) {
        assert_int_equal(ib_beat_due(&beat, k), k % 5 == 4);
        count += ib_beat_due(&beat, k);
        assert_int_equal(ib_beat_count(&beat, k), count);
    }
}

static void test_ticks_of_a_run(void **state) {
    (void)state;
    assert_int_equal(ib_tick_number(MS, 0), 0);
    assert_int_equal(ib_tick_number(MS, MS), 1);
    assert_int_equal(ib_tick_number(MS, MS + 1), 2);
    assert_int_equal(ib_tick_number(3, IB_SECOND), 333333334);
}

/* ---- refused ---- */

static ib_diags *diags;

static int setup(void **state) {
    (void)state;
    diags = ib_diags_create();
    return diags ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    ib_diags_destroy(diags);
    return 0;
}

static void expect(ib_status status, const char *const *words, size_t n, const char *suggestion) {
    assert_int_equal(status, IB_BAD_INPUT);
    assert_int_equal(ib_diags_count(diags), 1);
    const ib_diag *diag = ib_diags_at(diags, 0);
    for (size_t i = 0; i < n; i++)
        if (!strstr(diag->message, words[i]))
            fail_msg("'%s' lacks '%s'", diag->message, words[i]);
    if (suggestion && (!diag->suggestion || strcmp(diag->suggestion, suggestion) != 0))
        fail_msg("'%s' is not '%s'", diag->suggestion ? diag->suggestion : "nothing", suggestion);
    ib_diags_clear(diags);
}

static void test_33_against_1000(void **state) {
    (void)state;
    static const char nearest[] = "the nearest periods are 30 ms (33.333 Hz) and 31 ms (32.258 Hz)";
    ib_time period = 0;
    ib_beat beat;
    const char *const both[] = {"fcc", "33 Hz", "1000 Hz", "1 ms"};
    expect(ib_beat_from_rate(MS, 33, 0, "fcc", diags, IB_NO_PLACE, &beat), both, 4, nearest);
    /* Written as a period it does not divide either. */
    assert_int_equal(ib_period_from_seconds(1 / 33.0, "fcc", diags, IB_NO_PLACE, &period), IB_OK);
    const char *const written[] = {"fcc", "33 Hz", "1000 Hz", "30.30303 ms"};
    expect(ib_beat_make(MS, period, 0, "fcc", diags, IB_NO_PLACE, &beat), written, 4, nearest);
    assert_int_equal(ib_beat_from_rate(MS, 50, 0, "fcc", diags, IB_NO_PLACE, &beat), IB_OK);
    assert_int_equal(beat.ratio, 20);
    /* Almost 30 ms: the one period that was meant. */
    const char *const almost[] = {"33.3333333 Hz"};
    expect(ib_beat_from_rate(MS, 33.3333333, 0, "fcc", diags, IB_NO_PLACE, &beat), almost, 1,
           "the nearest period is 30 ms (33.333 Hz)");
}

static void test_60_hertz(void **state) {
    (void)state;
    ib_time period = 0;
    const char *const words[] = {"60 Hz"};
    expect(ib_period_from_rate(60, "camera", diags, IB_NO_PLACE, &period), words, 1,
           "write it as a period, the nearest is 16.666667 ms");
    assert_int_equal(ib_period_from_seconds(0.016666667, "camera", diags, IB_NO_PLACE, &period),
                     IB_OK);
    assert_int_equal(period, 16666667);
    ib_beat beat;
    assert_int_equal(ib_beat_make(period, 3 * period, 0, "x", diags, IB_NO_PLACE, &beat), IB_OK);
    assert_int_equal(beat.ratio, 3);
    /* Rates that are whole, however odd. */
    assert_int_equal(period_of(62.5), 16 * MS);
    assert_int_equal(period_of(1e9), 1);
    assert_int_equal(period_of(0.1), 10 * IB_SECOND);
    assert_int_equal(period_of(400), 2500000);
}

static void test_faster_than_physics(void **state) {
    (void)state;
    ib_beat beat;
    const char *const words[] = {"2000 Hz", "1000 Hz"};
    expect(ib_beat_make(MS, MS / 2, 0, "imu", diags, IB_NO_PLACE, &beat), words, 2,
           "the nearest period is 1 ms (1000 Hz)");
}

static void test_wrong_numbers(void **state) {
    (void)state;
    static const double rates[] = {0, -1, (double)NAN, (double)INFINITY, 3e9, 1e-6, 1e-320};
    static const double periods[] = {0, -1, (double)NAN, (double)INFINITY, 1e-10, 1e5, 1e300};
    ib_time period = 0;
    for (size_t i = 0; i < IB_COUNT(rates); i++) {
        assert_int_equal(ib_period_from_rate(rates[i], "x", diags, IB_NO_PLACE, &period),
                         IB_BAD_INPUT);
        assert_int_equal(ib_period_from_seconds(periods[i], "x", diags, IB_NO_PLACE, &period),
                         IB_BAD_INPUT);
    }
    assert_int_equal(ib_diags_count(diags), IB_COUNT(rates) + IB_COUNT(periods));
    assert_int_equal(period, 0);
    ib_diags_clear(diags);
}

static void test_wrong_phases(void **state) {
    (void)state;
    static const ib_time phases[] = {-MS, 5 * MS, MS / 2};
    const char *const words[] = {"phase", "1 ms", "5 ms"};
    ib_beat beat;
    for (size_t i = 0; i < IB_COUNT(phases); i++)
        expect(ib_beat_make(MS, 5 * MS, phases[i], "gps", diags, IB_NO_PLACE, &beat), words, 3,
               NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_ten_hours),
        cmocka_unit_test(test_phase),
        cmocka_unit_test(test_ticks_of_a_run),
        cmocka_unit_test_setup_teardown(test_33_against_1000, setup, teardown),
        cmocka_unit_test_setup_teardown(test_60_hertz, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faster_than_physics, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_phases, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
