/* The map of names, the hash behind it, and the guess at misspelt names. */
#include "base_test.h"

/* Published test values of 64-bit FNV-1a (L. C. Noll's tables). */
static void test_hash(void **state) {
    (void)state;
    assert_true(ib_hash_bytes(IB_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(ib_hash_bytes(IB_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(ib_hash_bytes(IB_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    const uint64_t chained = ib_hash_bytes(ib_hash_bytes(IB_HASH_START, "foo", 3), "bar", 3);
    assert_true(chained == UINT64_C(0x85944171f73967e8));
}

static void test_map(void **state) {
    (void)state;
    enum { N = 5000 };
    ib_arena *arena = ib_arena_create();
    ib_names *names = ib_names_create();
    assert_int_equal(ib_names_find(names, "body0"), SIZE_MAX);
    size_t index = 0;
    for (size_t i = 0; i < N; i++) {
        assert_true(ib_names_add(names, ib_arena_printf(arena, "body%zu", i), &index));
        assert_int_equal(index, i);
    }
    for (size_t i = 0; i < N; i++) {
        const char *name = ib_arena_printf(arena, "body%zu", i);
        assert_int_equal(ib_names_find(names, name), i);
        assert_false(ib_names_add(names, name, &index));
        assert_int_equal(index, i);
    }
    assert_int_equal(ib_names_find(names, "body5000"), SIZE_MAX);
    assert_int_equal(ib_names_find(names, ""), SIZE_MAX);
    assert_true(ib_names_add(names, "", &index));
    assert_int_equal(index, N);
    ib_names_destroy(names);
    ib_names_destroy(NULL);
    ib_arena_destroy(arena);
}

static const char *const known[] = {"wheel",     "body",          "upper_arm", "lower_arm",
                                    "stiffness", "spring_damper", "x1",        "x2"};

static const char *guess(const char *wanted) {
    return ib_nearest_name(wanted, known, IB_COUNT(known));
}

static void test_guess(void **state) {
    (void)state;
    assert_string_equal(guess("whel"), "wheel");   /* one missing */
    assert_string_equal(guess("wheeel"), "wheel"); /* one too many */
    assert_string_equal(guess("wheal"), "wheel");  /* one replaced */
    assert_string_equal(guess("bdoy"), "body");    /* two exchanged */
    assert_string_equal(guess("Stiffness"), "stiffness");
    assert_string_equal(guess("STIFFNESS"), "stiffness"); /* case alone */
    assert_string_equal(guess("BODY"), "body");
    assert_string_equal(guess("stifness"), "stiffness");
    assert_string_equal(guess("springdamper"), "spring_damper");
    assert_string_equal(guess("lowr_arm"), "lower_arm");
    assert_string_equal(guess("wheel"), "wheel");
}

static void test_no_guess(void **state) {
    (void)state;
    assert_null(guess("gearbox"));
    assert_null(guess("x3")); /* one of two letters is more than a third */
    assert_null(guess(""));
    assert_null(guess("bo"));
    assert_null(ib_nearest_name("wheel", known, 0));
}

/* Exactly a third is near enough, more is not. */
static void test_a_third(void **state) {
    (void)state;
    const char *const names[] = {"abcdef"};
    assert_string_equal(ib_nearest_name("abcdXY", names, 1), "abcdef");
    assert_null(ib_nearest_name("abcXYZ", names, 1));
}

/* The nearest wins; of equally near ones the first. */
static void test_nearest_of_several(void **state) {
    (void)state;
    const char *const names[] = {"rotor_aa", "rotor_a", "rotor_b"};
    assert_string_equal(ib_nearest_name("rotor_c", names, 3), "rotor_a");
    assert_string_equal(ib_nearest_name("rotor_aab", names, 3), "rotor_aa");
}

static void test_long_names(void **state) {
    (void)state;
    char wanted[5000], name[5000];
    memset(wanted, 'a', sizeof wanted - 1);
    memset(name, 'a', sizeof name - 1);
    wanted[sizeof wanted - 1] = name[sizeof name - 1] = '\0';
    wanted[10] = 'b';
    const char *const names[] = {name};
    assert_null(ib_nearest_name(wanted, names, 1)); /* nobody types these */
    wanted[127] = name[127] = '\0';
    assert_ptr_equal(ib_nearest_name(wanted, names, 1), name);
    wanted[10] = 'A';
    assert_ptr_equal(ib_nearest_name(wanted, names, 1), name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),       cmocka_unit_test(test_map),
        cmocka_unit_test(test_guess),      cmocka_unit_test(test_no_guess),
        cmocka_unit_test(test_a_third),    cmocka_unit_test(test_nearest_of_several),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
