/* A world restored from a snapshot goes on with the same bits, at any tick. */
#include "busy_mission.h"

static uint64_t finish(ib_world *world) {
    uint64_t hash = IB_HASH_START;
    ib_diags *diags = ib_diags_create();
    while (ib_world_time(world) < ib_world_end(world))
        assert_int_equal(ib_world_tick(world, diags), IB_OK);
    ib_diags_destroy(diags);
    hash = hash_channels(world, hash);
    return ib_hash_bytes(hash, (const uint64_t[]){ib_world_hash(world)}, sizeof hash);
}

/* 20 ticks drawn from a seed, over separations and events. */
static void test_anywhere(void **state) {
    (void)state;
    char *text = busy_mission(3);
    ib_world *whole = create_world(text, NULL);
    const uint64_t wanted = finish(whole);
    const size_t size = ib_world_state_size(whole);
    void *bytes = malloc(size);
    for (uint64_t k = 0; k < 20; k++) {
        const ib_time time = (ib_time)(400 * ib_random_uniform(5, 0, 0, k)) * MS;
        ib_world *first = create_world(text, NULL), *second = create_world(text, NULL);
        assert_int_equal(ib_world_state_size(first), size);
        fly_to(first, time);
        ib_world_save(first, bytes);
        ib_world_destroy(first);
        assert_int_equal(ib_world_restore(second, bytes, size), IB_OK);
        assert_int_equal(ib_world_time(second), time);
        assert_true(finish(second) == wanted);
        ib_world_destroy(second);
    }
    /* And back: a world that has come to its end. */
    assert_int_equal(ib_world_restore(whole, bytes, size), IB_OK);
    assert_true(finish(whole) == wanted);
    assert_int_equal(ib_world_restore(whole, bytes, size - 1), IB_BAD_INPUT);
    free(bytes);
    ib_world_destroy(whole);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
