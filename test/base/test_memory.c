/* Running out of memory: every allocation of base fails once, and each time the failure is a
 * status, nothing leaks or is torn, and a sink still counts an error.
 *
 * The sources that allocate are compiled into this program with an allocator that fails on request.
 */
#define _XOPEN_SOURCE 700 /* for fs.c */
#include "base_test.h"

#include <errno.h>
#include <unistd.h>

static long fail_in = -1; /* allocations until one fails; negative: never */
static long n_live;       /* blocks not yet freed */

static bool fails(void) { return fail_in >= 0 && fail_in-- == 0; }

static void *test_malloc_(size_t size) {
    void *block = fails() ? NULL : malloc(size);
    n_live += block != NULL;
    return block;
}

static void *test_calloc_(size_t n, size_t size) {
    void *block = fails() ? NULL : calloc(n, size);
    n_live += block != NULL;
    return block;
}

static void *test_realloc_(void *old, size_t size) {
    void *block = fails() ? NULL : realloc(old, size);
    n_live += block && !old;
    return block;
}

static char *test_realpath_(const char *path, char *resolved) {
    char *found = fails() ? NULL : realpath(path, resolved);
    n_live += found != NULL;
    if (!found)
        errno = ENOMEM;
    return found;
}

static void test_free_(void *block) {
    n_live -= block != NULL;
    free(block);
}

#define malloc test_malloc_
#define calloc test_calloc_
#define realloc test_realloc_
#define free test_free_
#define realpath test_realpath_
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "base/arena.c"
#include "base/diag.c"
#include "base/fs.c"
#include "base/hash.c"
#include "base/str.c"
#include "base/vec.c"
/* NOLINTEND(bugprone-suspicious-include) */
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef realpath

/* Runs `use` with the first, second, ... allocation failing, until it needs no more of them. `use`
 * returns whether it succeeded. */
static void fail_each(bool (*use)(void)) {
    long first = 0;
    for (bool reached = true; reached; first++) {
        fail_in = first;
        const bool good = use();
        reached = fail_in < 0;
        fail_in = -1;
        assert_int_equal(n_live, 0);
        assert_int_equal(good, !reached);
    }
    assert_true(first > 1); /* at least one did fail */
}

static bool use_arena(void) {
    ib_arena *arena = ib_arena_create();
    bool good = arena != NULL;
    for (size_t i = 0; good && i < 10; i++)
        good = ib_arena_alloc(arena, 1, 3000 * i) && ib_arena_printf(arena, "%zu", i);
    ib_arena_destroy(arena);
    return good;
}

static void test_arena(void **state) {
    (void)state;
    fail_each(use_arena);
}

static bool use_vec(void) {
    size_t *items = NULL, capacity = 0, count = 0;
    while (count < 100 && IB_VEC_RESERVE(items, capacity, count)) {
        items[count] = count;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(items[i], i);
    test_free_(items);
    return count == 100;
}

static void test_vec(void **state) {
    (void)state;
    fail_each(use_vec);
}

static bool use_str(void) {
    ib_str str = {0};
    for (int i = 0; i < 100; i++) {
        ib_str_printf(&str, "%d", i);
        ib_str_add(&str, ", ");
        ib_str_add_json(&str, "\"");
    }
    const bool good = !str.failed && str.length == 590;
    assert_true(str.failed || good);
    ib_str_free(&str);
    return good;
}

static void test_str(void **state) {
    (void)state;
    fail_each(use_str);
}

static bool use_names(void) {
    static char names[100][4];
    ib_names *map = ib_names_create();
    size_t n = 0, index = 0;
    while (map && n < 100) {
        snprintf(names[n], sizeof names[n], "%zu", n);
        if (!ib_names_add(map, names[n], &index))
            break;
        n++;
    }
    if (map && n < 100)
        assert_int_equal(index, SIZE_MAX);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ib_names_find(map, names[i]), i);
    ib_names_destroy(map);
    return n == 100;
}

static void test_names(void **state) {
    (void)state;
    fail_each(use_names);
}

/* A lost diagnostic is still an error, with a message. Losing only a note, a line or the order of
 * messages is no loss that a caller could see. */
static void test_diags(void **state) {
    (void)state;
    bool lost_some = false, reached = true;
    for (long first = 2; reached; first++) {
        ib_diags *diags = ib_diags_create();
        fail_in = first - 2;
        ib_diags_source(diags, "m.yaml", "a\nb\nc", 5);
        for (uint32_t i = 0; i < 40; i++) {
            const ib_place place = {.file = i % 2 ? "m.yaml" : "n.yaml", .line = 1 + i % 3};
            ib_diags_add(diags, IB_WARNING, IB0101, place, "message %200u", (unsigned)i);
            ib_diags_note(diags, place, "note");
            ib_diags_suggest(diags, "suggestion");
        }
        ib_diags_sort(diags);
        reached = fail_in < 0;
        fail_in = -1;
        const size_t n = ib_diags_count(diags), errors = ib_diags_errors(diags);
        assert_true(n == 40 || errors == 1);
        for (size_t i = 0; i < n; i++) {
            char text[1000];
            assert_true(ib_diag_format(ib_diags_at(diags, i), false, text, sizeof text) > 20);
        }
        lost_some = lost_some || errors;
        assert_int_equal(errors, n && ib_diags_at(diags, n - 1)->severity == IB_ERROR);
        ib_diags_clear(diags);
        assert_int_equal(ib_diags_errors(diags), 0);
        ib_diags_destroy(diags);
        assert_int_equal(n_live, 0);
    }
    assert_true(lost_some);
}

static bool use_diags_create(void) {
    ib_diags *diags = ib_diags_create();
    ib_diags_destroy(diags);
    return diags != NULL;
}

static void test_diags_create(void **state) {
    (void)state;
    fail_each(use_diags_create);
}

static bool use_files(void) {
    char path[] = "/tmp/ironbird_memory_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    char *text = NULL;
    size_t length = 0;
    ib_status status = ib_folder_make("/tmp", NULL);
    if (status == IB_OK)
        status = ib_file_write(path, "text", 4, NULL);
    if (status == IB_OK)
        status = ib_file_read(path, 100, NULL, IB_NO_PLACE, &text, &length);
    assert_true(status == IB_OK || status == IB_NO_MEMORY);
    assert_int_equal(length, text ? 4 : 0);
    test_free_(text);
    unlink(path);
    return status == IB_OK;
}

static void test_files(void **state) {
    (void)state;
    fail_each(use_files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena), cmocka_unit_test(test_vec),
        cmocka_unit_test(test_str),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_diags), cmocka_unit_test(test_diags_create),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
