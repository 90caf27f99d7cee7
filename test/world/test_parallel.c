/* The same bits from any number of threads, with noise, faults, separations and flight computers.
 */
#include "busy_mission.h"

typedef struct outcome {
    uint64_t state, channels, happenings;
} outcome;

static outcome fly(const char *text, int threads) {
    const ib_world_options options = {.threads = threads};
    ib_world *world = create_world(text, &options);
    ib_diags *diags = ib_diags_create();
    outcome o = {.channels = IB_HASH_START, .happenings = IB_HASH_START};
    while (ib_world_time(world) < ib_world_end(world)) {
        assert_int_equal(ib_world_tick(world, diags), IB_OK);
        for (size_t i = 0; i < ib_world_happenings(world); i++) {
            const ib_happening h = ib_world_happening(world, i);
            o.happenings = ib_hash_bytes(o.happenings, &h.time, sizeof h.time);
            o.happenings = ib_hash_bytes(o.happenings, h.vehicle, strlen(h.vehicle));
            o.happenings = ib_hash_bytes(o.happenings, h.what, strlen(h.what));
        }
        if (ib_world_tick_count(world) % 50 == 0)
            o.channels = hash_channels(world, o.channels);
    }
    o.state = ib_world_hash(world);
    ib_diags_destroy(diags);
    ib_world_destroy(world);
    return o;
}

static void test_threads(void **state) {
    (void)state;
    static const int vehicles[] = {1, 2, 7, 64}, threads[] = {2, 3, 8};
    for (size_t v = 0; v < IB_COUNT(vehicles); v++) {
        char *text = busy_mission(vehicles[v]);
        const outcome serial = fly(text, 1);
        for (size_t k = 0; k < IB_COUNT(threads); k++) {
            const outcome parallel = fly(text, threads[k]);
            assert_int_equal(parallel.state, serial.state);
            assert_int_equal(parallel.channels, serial.channels);
            assert_int_equal(parallel.happenings, serial.happenings);
        }
        free(text);
    }
}

/* The mission does what it says: every vehicle has separated, and the event has been found. */
static void test_mission_is_busy(void **state) {
    (void)state;
    char *text = busy_mission(7);
    ib_world *world = create_world(text, NULL);
    fly_to(world, ib_world_end(world));
    for (size_t i = 0; i < ib_world_vehicle_count(world); i++)
        assert_true(ib_world_vehicle_flies(world, i));
    assert_true(channel(world, "v0.stage") > 0);
    assert_true(channel(world, "v0.e.propellant") < 5);
    assert_true(channel(world, "v0.mass") < 30);
    ib_world_destroy(world);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_mission_is_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
