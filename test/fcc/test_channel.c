/* Flight computers behind a channel: the same bits as in this process, over both transports, and
 * peers that are absent, busy, stop, crash or refuse. Time-outs are long enough for a machine that
 * is busy with other things; no result depends on how long anything took.
 */
#include "fcc/channel_test.h"

#include <signal.h>

#define TICKS 500

/* ---- the same bits -------------------------------------------------------------------------- */

static void flies_alike(const char *address, const char *config) {
    static ib_fcc_out expected[TICKS], got[TICKS];
    serving station;
    fly_native(config, TICKS, expected);
    const char *where = station_open(&station, LIBRARY("good"), address);
    ib_computer *computer = call(where, config, 10);
    fly(computer, 1, TICKS, got);
    assert_memory_equal(got, expected, sizeof got);
    const ib_channel_counts counts = ib_computer_counts(computer);
    assert_int_equal(counts.good, TICKS + 1); /* with the greeting */
    assert_accounted(counts);
    assert_int_equal(ib_computer_state_size(computer), SIZE_MAX);
    ib_computer_close(computer);
    /* A second run begins anew. */
    computer = call(where, config, 10);
    fly(computer, 1, 3, got);
    assert_memory_equal(got, expected, 3 * sizeof got[0]);
    ib_computer_close(computer);
    station_stop(&station);
    const ib_server_counts served = ib_server_count(station.server);
    assert_int_equal(served.runs, 2);
    assert_int_equal(served.ticks, TICKS + 3);
    assert_accounted(served.frames);
    station_close(&station);
}

static void test_udp(void **unused) {
    (void)unused;
    flies_alike("udp://127.0.0.1:0", "");
    flies_alike("udp://localhost:0", "gain=half\n");
}

static void test_shm(void **unused) {
    (void)unused;
    char address[64];
    flies_alike(shm_name("alike", address), "");
    flies_alike(address, "gain=half\n"); /* the name is free again */
}

/* ---- peers that are not there --------------------------------------------------------------- */

static void nobody_at(const char *address) {
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    const ib_computer_options options = {.vehicle = "stack", .timeout = 0.1};
    assert_int_equal(ib_computer_open_channel(address, &options, diags, &computer), IB_BAD_INPUT);
    assert_null(computer);
    assert_string_equal(id_of(diags), "IB1209");
    ASSERT_SAYS(diags, "no flight computer answers at ");
    ASSERT_SAYS(diags, address);
    ASSERT_SAYS(diags, "within 0.1 s");
    assert_non_null(strstr(ib_diags_at(diags, 0)->suggestion, "ironbird fcc serve LIB --listen"));
    ib_diags_destroy(diags);
}

static void test_never_comes(void **unused) {
    (void)unused;
    char address[64];
    /* A port that was free a moment ago. */
    serving station;
    snprintf(address, sizeof address, "%s",
             station_open(&station, LIBRARY("good"), "udp://127.0.0.1:0"));
    station_stop(&station);
    station_close(&station);
    nobody_at(address);
    nobody_at(shm_name("nobody", address));
}

/* Addresses that are none. */
static void test_addresses(void **unused) {
    (void)unused;
    static const char *const bad[] = {"",
                                      "127.0.0.1:9100",
                                      "tcp://127.0.0.1:9100",
                                      "udp://127.0.0.1",
                                      "udp://:9100",
                                      "udp://127.0.0.1:",
                                      "udp://127.0.0.1:65536",
                                      "udp://127.0.0.1:9x",
                                      "shm://",
                                      "shm://a/b",
                                      "shm://.."};
    for (size_t i = 0; i < IB_COUNT(bad); i++) {
        ib_diags *diags = ib_diags_create();
        ib_computer *computer = NULL;
        const ib_computer_options options = {.timeout = 0.1};
        assert_int_equal(ib_computer_open_channel(bad[i], &options, diags, &computer),
                         IB_BAD_INPUT);
        assert_string_equal(id_of(diags), "IB1210");
        ib_diags_destroy(diags);
    }
}

/* A peer that dies in the middle is named, with vehicle and tick; the run does not hang. */
static void dies_at(const char *address) {
    static ib_fcc_out outs[10];
    serving station;
    char where[64];
    snprintf(where, sizeof where, "%s", station_open(&station, LIBRARY("good"), address));
    ib_computer *computer = call(where, "", 1.5);
    ib_diags *diags = ib_diags_create();
    fly(computer, 1, 10, outs);
    station_stop(&station);
    const ib_fcc_in in = make_in(11);
    assert_int_equal(ib_computer_tick(computer, &in, outs, diags), IB_SIMULATION_FAILED);
    assert_string_equal(id_of(diags), "IB1209");
    ASSERT_SAYS(diags, "stack: flight computer '");
    ASSERT_SAYS(diags, where);
    ASSERT_SAYS(diags, "tick 11: it has not answered within 1.5 s");
    ib_computer_close(computer);
    station_close(&station);
    ib_diags_destroy(diags);
}

static void test_dies(void **unused) {
    (void)unused;
    char address[64];
    dies_at("udp://127.0.0.1:0");
    dies_at(shm_name("dies", address));
}

/* While waiting, the program can be asked to stop. */
static bool always(void *context) {
    (void)context;
    return true;
}

static void test_interrupted(void **unused) {
    (void)unused;
    char address[64];
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    const ib_computer_options options = {.timeout = 1000, .stopped = always};
    assert_int_equal(
        ib_computer_open_channel(shm_name("never", address), &options, diags, &computer),
        IB_INTERRUPTED);
    assert_int_equal(ib_computer_open_channel("udp://127.0.0.1:9", &options, diags, &computer),
                     IB_INTERRUPTED);
    assert_int_equal(ib_diags_count(diags), 0);
    ib_diags_destroy(diags);
}

/* ---- peers that have reasons ---------------------------------------------------------------- */

static void is_busy(const char *address) {
    static ib_fcc_out outs[5];
    serving station;
    const char *where = station_open(&station, LIBRARY("good"), address);
    ib_computer *first = call(where, "", 10), *second = NULL;
    ib_diags *diags = ib_diags_create();
    const ib_computer_options options = {.timeout = 0.6};
    fly(first, 1, 3, outs);
    assert_int_equal(ib_computer_open_channel(where, &options, diags, &second), IB_BAD_INPUT);
    ASSERT_SAYS(diags, "serves another run");
    fly(first, 4, 5, outs); /* undisturbed */
    assert_true(outs[1].user[0] == 5);
    ib_computer_close(first);
    station_stop(&station);
    station_close(&station);
    ib_diags_destroy(diags);
}

static void test_busy(void **unused) {
    (void)unused;
    char address[64];
    is_busy("udp://127.0.0.1:0");
    is_busy(shm_name("busy", address));
}

/* Two servers at one address: the second is told. */
static void test_taken(void **unused) {
    (void)unused;
    char address[64];
    const char *addresses[] = {"udp://127.0.0.1:0", shm_name("taken", address)};
    for (size_t i = 0; i < IB_COUNT(addresses); i++) {
        serving station;
        ib_server *second = NULL;
        ib_diags *diags = ib_diags_create();
        const ib_server_options options = {0};
        const char *where = station_open(&station, LIBRARY("good"), addresses[i]);
        assert_int_equal(ib_server_open(LIBRARY("good"), where, &options, diags, &second),
                         IB_IO_ERROR);
        ASSERT_SAYS(diags, "somebody else does");
        station_stop(&station);
        station_close(&station);
        ib_diags_destroy(diags);
    }
}

/* The reasons of a library reach the mission as they would in its own process. */
static void test_refuses(void **unused) {
    (void)unused;
    serving station;
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    const char *where = station_open(&station, LIBRARY("good"), "udp://127.0.0.1:0");
    const ib_computer_options options = {.vehicle = "stack", .config = "gain=no\n"};
    assert_int_equal(ib_computer_open_channel(where, &options, diags, &computer), IB_BAD_INPUT);
    assert_string_equal(id_of(diags), "IB1204");
    ASSERT_SAYS(diags, "stack: flight computer '");
    ASSERT_SAYS(diags, "refuses to start: gain is no number");
    assert_int_equal(ib_diags_at(diags, 0)->n_notes, 1);
    ib_diags_clear(diags);
    char *large = malloc(20001);
    memset(large, 'x', 20000);
    large[20000] = '\0';
    const ib_computer_options too_large = {.config = large};
    assert_int_equal(ib_computer_open_channel(where, &too_large, diags, &computer), IB_BAD_INPUT);
    ASSERT_SAYS(diags, "the configuration has 20000 bytes; a channel carries at most 16383");
    free(large);
    station_stop(&station);
    station_close(&station);
    ib_diags_destroy(diags);
}

/* Runs the bad library to tick 3 behind a channel. */
static void fails_with(const char *what, const char *id, const char *text) {
    char config[64];
    serving station;
    ib_fcc_out outs[2];
    ib_diags *diags = ib_diags_create();
    const char *where = station_open(&station, LIBRARY("bad"), "udp://127.0.0.1:0");
    snprintf(config, sizeof config, "what=%s\n", what);
    ib_computer *computer = call(where, config, 10);
    fly(computer, 1, 2, outs);
    const ib_fcc_in in = make_in(3);
    assert_int_equal(ib_computer_tick(computer, &in, outs, diags), IB_SIMULATION_FAILED);
    assert_string_equal(id_of(diags), id);
    ASSERT_SAYS(diags, "stack: flight computer '");
    ASSERT_SAYS(diags, "bad.so', tick 3: ");
    ASSERT_SAYS(diags, text);
    ib_computer_close(computer);
    /* The server has survived it. */
    computer = call(where, "what=nothing\n", 10);
    fly(computer, 1, 2, outs);
    ib_computer_close(computer);
    station_stop(&station);
    assert_int_equal(station.failures, 1);
    station_close(&station);
    ib_diags_destroy(diags);
}

static void test_fails(void **unused) {
    (void)unused;
    fails_with("nan", "IB1208", "user[0] is nan in its output frame");
    fails_with("gives_up", "IB1205", "it gives up: the gyro is lost");
    fails_with("past_out", "IB1207", "it writes past its output frame");
    fails_with("crash", "IB1206", "it crashed (SIGSEGV");
}

/* ---- a process of its own ------------------------------------------------------------------- */

static ib_computer *isolate(const char *library, const char *config, double timeout) {
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    const ib_computer_options options = {.vehicle = "stack",
                                         .config = config,
                                         .timeout = timeout,
                                         .host = IB_TEST_BUILD "/ironbird"};
    if (ib_computer_open_isolated(library, &options, diags, &computer) != IB_OK)
        fail_msg("%s", message_of(diags));
    ib_diags_destroy(diags);
    return computer;
}

static void test_isolated(void **unused) {
    (void)unused;
    static ib_fcc_out expected[TICKS], got[TICKS];
    fly_native("", TICKS, expected);
    ib_computer *computer = isolate(LIBRARY("good"), "", 10);
    fly(computer, 1, TICKS, got);
    assert_memory_equal(got, expected, sizeof got);
    ib_computer_close(computer);
}

static void isolated_fails(const char *what, double timeout, const char *id, const char *text) {
    char config[64];
    ib_fcc_out outs[2];
    ib_diags *diags = ib_diags_create();
    snprintf(config, sizeof config, "what=%s\n", what);
    ib_computer *computer = isolate(LIBRARY("bad"), config, timeout);
    fly(computer, 1, 2, outs);
    const ib_fcc_in in = make_in(3);
    assert_int_equal(ib_computer_tick(computer, &in, outs, diags), IB_SIMULATION_FAILED);
    assert_string_equal(id_of(diags), id);
    ASSERT_SAYS(diags, "stack: flight computer '");
    ASSERT_SAYS(diags, "bad.so', tick 3: ");
    ASSERT_SAYS(diags, text);
    ib_computer_close(computer);
    ib_diags_destroy(diags);
}

/* What would end or hang the simulation is an error like any other. */
static void test_isolated_fails(void **unused) {
    (void)unused;
    isolated_fails("crash", 10, "IB1206", "it crashed (SIGSEGV");
    isolated_fails("exits", 10, "IB1209", "its process has ended");
    isolated_fails("killed", 10, "IB1206", "it crashed (SIGKILL: its process was killed)");
    isolated_fails("hangs", 1.5, "IB1209", "it has not answered within 1.5 s");
    isolated_fails("nan", 10, "IB1208", "user[0] is nan");
}

/* Ctrl-C in a terminal reaches every process of the group; that computer is not in it. */
static void test_isolated_interrupt(void **unused) {
    (void)unused;
    const struct timespec nap = {.tv_nsec = 200000000};
    ib_fcc_out outs[2];
    assert_int_equal(setpgid(0, 0), 0);
    signal(SIGINT, SIG_IGN);
    ib_computer *computer = isolate(LIBRARY("good"), "", 10);
    fly(computer, 1, 2, outs);
    assert_int_equal(kill(0, SIGINT), 0);
    nanosleep(&nap, NULL);
    fly(computer, 3, 4, outs);
    assert_true(outs[1].user[0] == 4);
    ib_computer_close(computer);
    signal(SIGINT, SIG_DFL);
}

/* A source flies there too. */
static void test_isolated_source(void **unused) {
    (void)unused;
    setenv("XDG_CACHE_HOME", IB_TEST_BUILD "/test/cache", 1);
    ib_computer *computer =
        isolate(IB_TEST_SOURCE "/examples/flight_computer/attitude.c", "damping=0.5\n", 10);
    ib_fcc_out outs[2];
    fly(computer, 1, 2, outs);
    assert_int_equal(outs[1].n_fin, 3);
    ib_computer_close(computer);
}

static void test_isolated_refuses(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    ib_computer_options options = {.vehicle = "stack", .host = IB_TEST_BUILD "/ironbird"};
    assert_int_equal(ib_computer_open_isolated(LIBRARY("older"), &options, diags, &computer),
                     IB_BAD_INPUT);
    assert_string_equal(id_of(diags), "IB1203");
    ASSERT_SAYS(diags, "has version 42 of the frames");
    ib_diags_clear(diags);
    options.host = IB_TEST_BUILD "/no_such_program";
    assert_int_equal(ib_computer_open_isolated(LIBRARY("good"), &options, diags, &computer),
                     IB_BAD_INPUT);
    ASSERT_SAYS(diags, "there is no program");
    ib_diags_clear(diags);
    options.host = "true"; /* it ends at once */
    assert_int_equal(ib_computer_open_isolated(LIBRARY("good"), &options, diags, &computer),
                     IB_BAD_INPUT);
    ASSERT_SAYS(diags, "ended before it answered");
    ib_diags_destroy(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_udp),
        cmocka_unit_test(test_shm),
        cmocka_unit_test(test_never_comes),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_dies),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_fails),
        cmocka_unit_test(test_isolated),
        cmocka_unit_test(test_isolated_fails),
        cmocka_unit_test(test_isolated_refuses),
        cmocka_unit_test(test_isolated_source),
        cmocka_unit_test(test_isolated_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
