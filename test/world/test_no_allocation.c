/* The ticking loop allocates nothing: calls of the allocator are counted over 10,000 ticks with
 * devices, flight computers, separations, events, threads and reading.
 */
#include "busy_mission.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS 0
#endif
#endif
#ifndef COUNTS
#define COUNTS 1
#endif

#if COUNTS && defined(__GLIBC__)

/* The C library's own, behind the names that every caller in the process uses. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static volatile bool counting;
static volatile unsigned long calls;

void *malloc(size_t size) {
    calls = calls + counting;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    calls = calls + counting;
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
    calls = calls + counting;
    return __libc_realloc(old, size);
}

static void run(int threads) {
    char *text = busy_mission(3);
    const ib_world_options options = {.threads = threads};
    ib_world *world = create_world(text, &options);
    ib_diags *diags = ib_diags_create();
    ib_handle handles[100];
    double values[100];
    for (int i = 0; i < 100; i++)
        handles[i] = i;
    free(text);
    counting = true;
    for (int k = 0; k < 10000; k++) {
        if (ib_world_tick(world, diags) != IB_OK)
            fail_msg("tick %d failed", k);
        if (k % 10 == 0)
            ib_world_read(world, handles, 100, values);
    }
    counting = false;
    ib_diags_destroy(diags);
    ib_world_destroy(world);
}

static void test_ticks(void **state) {
    (void)state;
    calls = 0;
    run(1);
    run(2);
    assert_int_equal(calls, 0);
}

/* The counter counts: a world's making allocates. */
static void test_counter(void **state) {
    (void)state;
    calls = 0;
    counting = true;
    ib_diags *diags = ib_diags_create();
    counting = false;
    ib_diags_destroy(diags);
    assert_true(calls > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) { return 0; }

#endif
