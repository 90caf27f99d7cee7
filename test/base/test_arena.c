/* Arenas and growing arrays: zeroed, aligned, apart from each other, and no overflow. */
#include "base_test.h"

static bool is_zero(const unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

static void test_zeroed_and_aligned(void **state) {
    (void)state;
    ib_arena *arena = ib_arena_create();
    for (size_t n = 0; n < 3000; n += 7) {
        unsigned char *bytes = ib_arena_alloc(arena, n, 3);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        assert_true(is_zero(bytes, 3 * n));
        memset(bytes, 0xff, 3 * n);
    }
    ib_arena_destroy(arena);
}

/* Every allocation keeps what was written to it while others are written. */
static void test_apart(void **state) {
    (void)state;
    enum { N = 2000 };
    static const size_t sizes[] = {1, 15, 16, 17, 100, 5000, 0};
    ib_arena *arena = ib_arena_create();
    unsigned char *blocks[N];
    for (size_t i = 0; i < N; i++) {
        const size_t size = sizes[i % IB_COUNT(sizes)];
        blocks[i] = ib_arena_alloc(arena, size, 1);
        memset(blocks[i], (int)(i % 251), size);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < sizes[i % IB_COUNT(sizes)]; k++)
            assert_int_equal(blocks[i][k], i % 251);
    ib_arena_destroy(arena);
}

static void test_overflow_is_refused(void **state) {
    (void)state;
    ib_arena *arena = ib_arena_create();
    assert_null(ib_arena_alloc(arena, SIZE_MAX, 2));
    assert_null(ib_arena_alloc(arena, SIZE_MAX / 8 + 1, 8));
    assert_null(ib_arena_alloc(arena, SIZE_MAX, 1));
    assert_null(ib_arena_strndup(arena, "x", SIZE_MAX));
    assert_non_null(ib_arena_alloc(arena, 1, 1));
    ib_arena_destroy(arena);
}

static void test_empty_requests_have_addresses(void **state) {
    (void)state;
    ib_arena *arena = ib_arena_create();
    const void *a = ib_arena_alloc(arena, 0, 8), *b = ib_arena_alloc(arena, 8, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    ib_arena_destroy(arena);
}

static void test_reset(void **state) {
    (void)state;
    ib_arena *arena = ib_arena_create();
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < 100; i++) {
            unsigned char *bytes = ib_arena_alloc(arena, 1, 900);
            assert_true(is_zero(bytes, 900));
            memset(bytes, 0xaa, 900);
        }
        ib_arena_reset(arena);
    }
    ib_arena_destroy(arena);
    ib_arena_destroy(NULL);
}

static void test_strings(void **state) {
    (void)state;
    ib_arena *arena = ib_arena_create();
    assert_string_equal(ib_arena_strdup(arena, "wheel"), "wheel");
    assert_string_equal(ib_arena_strdup(arena, ""), "");
    assert_string_equal(ib_arena_strndup(arena, "wheel", 3), "whe");
    assert_string_equal(ib_arena_printf(arena, "%s %d", "wheel", 7), "wheel 7");
    char *longer = ib_arena_printf(arena, "%10000d", 1);
    assert_int_equal(strlen(longer), 10000);
    ib_arena_destroy(arena);
}

static void test_vec_grows_zeroed(void **state) {
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (size_t count = 0; count < 1000; count++) {
        assert_true(IB_VEC_RESERVE(items, capacity, count));
        assert_true(capacity > count);
        assert_int_equal(items[count], 0);
        items[count] = (uint32_t)count + 1;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i + 1);
    free(items);
}

static void test_vec_refuses_overflow(void **state) {
    (void)state;
    char byte = 7, *items = &byte;
    size_t capacity = SIZE_MAX / 8;
    assert_false(ib_vec_reserve(&items, &capacity, capacity, 8));
    assert_ptr_equal(items, &byte);
    assert_int_equal(capacity, SIZE_MAX / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeroed_and_aligned),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_overflow_is_refused),
        cmocka_unit_test(test_empty_requests_have_addresses),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_vec_grows_zeroed),
        cmocka_unit_test(test_vec_refuses_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
