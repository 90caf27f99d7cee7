/* Native flight computers: what they do in the good case, and every way of going wrong. */
#include "fcc_test.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static ib_computer_options options_of(const char *config) {
    ib_guard_watch();
    return (ib_computer_options){.vehicle = "stack", .config = config, .guard = ib_guard};
}

static ib_computer *open_good(const char *config, ib_diags *diags) {
    const ib_computer_options options = options_of(config);
    ib_computer *computer = NULL;
    assert_int_equal(ib_computer_open_native(LIBRARY("good"), &options, diags, &computer), IB_OK);
    assert_non_null(computer);
    return computer;
}

static void tick_good(ib_computer *computer, int64_t tick, ib_fcc_out *out, ib_diags *diags) {
    const ib_fcc_in in = make_in(tick);
    memset(out, 0x77, sizeof *out);
    assert_int_equal(ib_computer_tick(computer, &in, out, diags), IB_OK);
}

/* ---- the good case -------------------------------------------------------------------------- */

static void test_ticks(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = open_good("", diags);
    double mean = 0;
    for (int64_t tick = 1; tick <= 100; tick++) {
        ib_fcc_out out;
        tick_good(computer, tick, &out, diags);
        mean += 0.1 * (make_in(tick).imu[0].rate[0] / 3 - mean);
        assert_true(out.n_fin == 3 && out.fin[0] == mean);
        assert_true(out.n_user == 2 && out.user[0] == (double)tick && out.user[1] == (double)tick);
        assert_int_equal(out.engine[0].start, tick == 1);
        /* What it did not write is zero, not what was there before. */
        assert_true(out.n_servo == 0 && out.servo[0] == 0 && out.log_text[0] == '\0');
    }
    assert_int_equal(ib_computer_counts(computer).received, 0);
    ib_computer_close(computer);
    assert_int_equal(ib_diags_count(diags), 0);
    ib_diags_destroy(diags);
}

/* Two vehicles fly one library with configurations and pasts of their own. */
static void test_separate_states(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    ib_computer *slow = open_good("", diags), *fast = open_good("gain=half\n", diags);
    ib_fcc_out a, b;
    tick_good(slow, 1, &a, diags);
    tick_good(fast, 1, &b, diags);
    const double rate = make_in(1).imu[0].rate[0] / 3;
    assert_true(a.fin[0] == 0.1 * rate && b.fin[0] == 0.5 * rate);
    tick_good(slow, 2, &a, diags);
    assert_true(a.user[0] == 2);
    tick_good(fast, 2, &b, diags);
    assert_true(b.user[0] == 2);
    ib_computer_close(slow);
    ib_computer_close(fast);
    ib_diags_destroy(diags);
}

/* A restored state goes on with the same bits, in another computer and at another address too. */
static void test_save_restore(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    ib_computer *first = open_good("", diags), *second = open_good("gain=half\n", diags);
    ib_fcc_out expected, got;
    for (int64_t tick = 1; tick <= 10; tick++)
        tick_good(first, tick, &expected, diags);
    const size_t size = ib_computer_state_size(first);
    assert_int_equal(size, 5 * sizeof(double));
    void *state = malloc(size);
    ib_computer_save(first, state);
    for (int64_t tick = 11; tick <= 20; tick++)
        tick_good(first, tick, &expected, diags);
    assert_int_equal(ib_computer_restore(second, state, size - 1), IB_BAD_INPUT);
    assert_int_equal(ib_computer_restore(second, state, size), IB_OK);
    for (int64_t tick = 11; tick <= 20; tick++)
        tick_good(second, tick, &got, diags);
    assert_memory_equal(&got, &expected, sizeof got);
    free(state);
    ib_computer_close(first);
    ib_computer_close(second);
    ib_diags_destroy(diags);
}

static void test_stateless(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    const ib_computer_options options = options_of(NULL);
    ib_computer *computer = NULL;
    ib_fcc_out out;
    assert_int_equal(ib_computer_open_native(LIBRARY("stateless"), &options, diags, &computer),
                     IB_OK);
    assert_int_equal(ib_computer_state_size(computer), 0);
    tick_good(computer, 1, &out, diags);
    assert_true(out.servo[0] == -2 * make_in(1).imu[0].rate[0]);
    ib_computer_save(computer, NULL);
    assert_int_equal(ib_computer_restore(computer, NULL, 0), IB_OK);
    ib_computer_close(computer);
    ib_diags_destroy(diags);
}

/* ---- refused at load ------------------------------------------------------------------------ */

static void refuses(const char *path, const char *config, const char *id, const char *text) {
    ib_diags *diags = ib_diags_create();
    ib_computer_options options = options_of(config);
    ib_computer *computer = (ib_computer *)1;
    options.place = (ib_place){.file = ib_diags_file(diags, "mission.yaml"), .line = 7};
    assert_int_not_equal(ib_computer_open_native(path, &options, diags, &computer), IB_OK);
    assert_null(computer);
    assert_int_equal(ib_diags_errors(diags), 1);
    assert_string_equal(id_of(diags), id);
    ASSERT_SAYS(diags, text);
    assert_int_equal(ib_diags_at(diags, 0)->place.line, 7);
    ib_diags_destroy(diags);
}

static void test_refused(void **unused) {
    (void)unused;
    refuses(IB_TEST_BUILD "/test/fcc/none.so", "", "IB0101", "there is no such file");
    refuses(IB_TEST_BUILD "/test/fcc", "", "IB0101", "folder");
    refuses(IB_TEST_SOURCE "/test/fcc/fcc_test.h", "", "IB1201", "is no shared library");
    refuses(LIBRARY("lacks"), "", "IB1202", "lacks ib_fcc_init, ib_fcc_tick");
    refuses(LIBRARY("older"), "", "IB1203",
            "has version 42 of the frames; this Ironbird has version 1");
    refuses(LIBRARY("good"), "gain=no\n", "IB1204", "refuses to start: gain is no number");
    refuses(LIBRARY("bad"), "what=silent\n", "IB1204", "says no more than that");
    refuses(LIBRARY("bad"), "what=loud\n", "IB1204", "xxxxxxx");
    refuses(LIBRARY("bad"), "what=huge\n", "IB1204",
            "asks for a state of 1099511627776 bytes; at most 16777216");
    refuses(LIBRARY("bad"), "what=changes\n", "IB1204",
            "first asked for a state of 132 bytes, then of 140");
    refuses(LIBRARY("bad"), "what=spoils\n", "IB1207",
            "past its state, which has 132 bytes, in ib_fcc_init");
    refuses(LIBRARY("bad"), "what=crash_init\n", "IB1206", "crashed in ib_fcc_init (SIGSEGV");
#if !defined(__SANITIZE_THREAD__) /* which cannot leave dlopen by a jump */
    refuses(LIBRARY("constructor"), "", "IB1206", "crashed in a constructor (SIGSEGV");
#endif
}

/* A copy of a library's first bytes. */
static void write_part(const char *path, const char *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Wherever a library is cut off, it is refused, or (behind its last loaded byte) it works. */
static void test_truncated(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    const ib_computer_options options = options_of("");
    char path[] = "/tmp/ironbird_cut_XXXXXX";
    char *bytes = NULL;
    size_t size = 0, refused = 0;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(ib_file_read(LIBRARY("good"), SIZE_MAX, diags, IB_NO_PLACE, &bytes, &size),
                     IB_OK);
    for (size_t n = 0; n <= size; n += n < 256 ? 1 : size / 50) {
        ib_computer *computer = NULL;
        write_part(path, bytes, n);
        const ib_status status = ib_computer_open_native(path, &options, diags, &computer);
        if (status != IB_OK)
            refused++;
        if (n < 64)
            ASSERT_SAYS(diags, "is no shared library");
        else if (n < size / 4)
            ASSERT_SAYS(diags, "is truncated");
        ib_computer_close(computer);
        ib_diags_clear(diags);
    }
    assert_true(refused >= 256);
    unlink(path);
    free(bytes);
    ib_diags_destroy(diags);
}

/* ---- trouble in flight ---------------------------------------------------------------------- */

/* Opens the bad one and runs to tick 3, where it does `what`. */
static ib_status third_tick(const char *what, ib_diags *diags, ib_computer **computer,
                            ib_fcc_out *out) {
    char config[64];
    snprintf(config, sizeof config, "what=%s\n", what);
    const ib_computer_options options = options_of(config);
    ib_status status = ib_computer_open_native(LIBRARY("bad"), &options, diags, computer);
    for (int64_t tick = 1; status == IB_OK && tick <= 3; tick++) {
        const ib_fcc_in in = make_in(tick);
        status = ib_computer_tick(*computer, &in, out, diags);
        assert_true(status == IB_OK || tick == 3);
        assert_memory_equal(&in, &(ib_fcc_in[]){make_in(tick)}[0], sizeof in);
    }
    return status;
}

static void fails(const char *what, const char *id, const char *text) {
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    ib_fcc_out out;
    assert_int_equal(third_tick(what, diags, &computer, &out), IB_SIMULATION_FAILED);
    assert_int_equal(ib_diags_errors(diags), 1);
    assert_string_equal(id_of(diags), id);
    ASSERT_SAYS(diags, "stack: flight computer '");
    ASSERT_SAYS(diags, "bad.so', tick 3: ");
    ASSERT_SAYS(diags, text);
    /* From then on it fails at once. */
    ib_diags_clear(diags);
    const ib_fcc_in in = make_in(4);
    assert_int_equal(ib_computer_tick(computer, &in, &out, diags), IB_SIMULATION_FAILED);
    ASSERT_SAYS(diags, "tick 4: it has failed before");
    ib_computer_close(computer);
    ib_diags_destroy(diags);
}

static void test_output_that_cannot_be(void **unused) {
    (void)unused;
    fails("nan", "IB1208", "user[0] is nan in its output frame");
    fails("infinite", "IB1208", "engine[1].throttle is inf in its output frame");
    fails("count", "IB1208", "n_pwm is 17 in its output frame, which has room for 16");
    fails("abi", "IB1208", "abi is 9 in its output frame, not 1");
    fails("gives_up", "IB1205", "it gives up: the gyro is lost");
}

static void test_overrun(void **unused) {
    (void)unused;
    fails("past_out", "IB1207", "it writes past its output frame");
    fails("far_past_out", "IB1207", "it writes past its output frame");
    fails("past_in", "IB1207", "it writes past its input frame");
    fails("before_in", "IB1207", "it writes before its input frame");
    fails("past_state", "IB1207", "it writes past its state");
}

#if defined(__SANITIZE_THREAD__)
/* ThreadSanitizer delivers no further fault to a thread whose handler has left by a jump. */
static void test_crash(void **unused) {
    (void)unused;
    skip();
}
#else
static void test_crash(void **unused) {
    (void)unused;
    fails("crash", "IB1206", "it crashed (SIGSEGV: it reached for memory that is not its own)");
    fails("abort", "IB1206", "it crashed (SIGABRT");
    fails("overflow", "IB1206", "it crashed (SIG");
    /* And again: the guard is as good as before. */
    fails("crash", "IB1206", "it crashed (SIGSEGV");
}
#endif

/* A quotient that the rounding of doubles decides. */
static const double nearest_third = 1.0 / 3.0;

static double third(void) {
    volatile double three = 3;
    return 1 / three;
}

/* What is odd but harms nobody. */
static void test_harmless(void **unused) {
    (void)unused;
    static const char *const whats[] = {"into_in", "text", "rounding", "slow", "nothing"};
    for (size_t i = 0; i < IB_COUNT(whats); i++) {
        ib_diags *diags = ib_diags_create();
        ib_computer *computer = NULL;
        ib_fcc_out out;
        assert_int_equal(third_tick(whats[i], diags, &computer, &out), IB_OK);
        assert_int_equal(strlen(out.log_text), strcmp(whats[i], "text") == 0 ? 255 : 0);
        assert_true(third() == nearest_third);
        ib_computer_close(computer);
        ib_diags_destroy(diags);
    }
}

/* A flight computer computes in round-to-nearest whatever the host has set, and leaves it set. */
static void test_floating(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    ib_fcc_out out;
    assert_int_equal(third_tick("nothing", diags, &computer, &out), IB_OK);
    const ib_fcc_in in = make_in(4);
    fesetround(FE_UPWARD);
    const ib_status status = ib_computer_tick(computer, &in, &out, diags);
    const double after = third();
    fesetround(FE_TONEAREST);
    assert_int_equal(status, IB_OK);
    assert_true(after > nearest_third);
    assert_true(out.user[0] == nearest_third);
    ib_computer_close(computer);
    ib_diags_destroy(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_separate_states),
        cmocka_unit_test(test_save_restore),
        cmocka_unit_test(test_stateless),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_output_that_cannot_be),
        cmocka_unit_test(test_overrun),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_harmless),
        cmocka_unit_test(test_floating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
