/* The folder of compiled code: whose it is, and that it forgets what was used longest ago. */
#include "base_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];

static const char *in_folder(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/ironbird_cache_XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

/* Counts the files; removes them too when asked. */
static size_t files(bool removing) {
    size_t n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.')
            continue;
        n++;
        if (removing)
            unlink(in_folder(entry->d_name));
    }
    closedir(dir);
    return n;
}

static int remove_folder(void **state) {
    (void)state;
    files(true);
    return rmdir(folder);
}

/* A file that was last used so many seconds after 2001-09-09. */
static void put(const char *name, long used) {
    const char *path = in_folder(name);
    assert_int_equal(ib_file_write(path, "x", 1, NULL), IB_OK);
    const struct timespec times[2] = {{.tv_sec = 1000000000 + used}, {.tv_sec = 1000000000 + used}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void keep(const char *name) {
    char fresh[600], library[600];
    put("fresh", 100000);
    snprintf(fresh, sizeof fresh, "%s", in_folder("fresh"));
    snprintf(library, sizeof library, "%s", in_folder(name));
    assert_true(ib_code_cache_keep(fresh, library));
    assert_false(ib_file_exists(fresh));
    assert_true(ib_code_cache_has(library));
}

static void test_place(void **state) {
    (void)state;
    const char *cases[][3] = {{"/c", "/h", "/c/ironbird"},
                              {"", "/h", "/h/.cache/ironbird"},
                              {"relative", "/h", "/h/.cache/ironbird"},
                              {"", "", NULL}};
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        ib_str path = {0};
        setenv("XDG_CACHE_HOME", cases[i][0], 1);
        setenv("HOME", cases[i][1], 1);
        assert_int_equal(ib_code_cache_folder(&path), cases[i][2] != NULL);
        if (cases[i][2])
            assert_string_equal(path.data, cases[i][2]);
        ib_str_free(&path);
    }
}

static void test_others_may_not_write(void **state) {
    (void)state;
    assert_false(ib_code_cache_has(in_folder("none.so")));
    assert_false(ib_code_cache_has(folder)); /* no file */
    put("a.so", 0);
    assert_int_equal(chmod(in_folder("a.so"), 0700), 0);
    assert_true(ib_code_cache_has(in_folder("a.so")));
    assert_int_equal(chmod(in_folder("a.so"), 0722), 0);
    assert_false(ib_code_cache_has(in_folder("a.so")));
}

/* 512 files stay; the 513th leaves the 384 used last, among them an old one that was asked for. */
static void test_forgets_what_was_used_longest_ago(void **state) {
    (void)state;
    char name[32];
    files(true);
    for (int i = 0; i < 511; i++) {
        snprintf(name, sizeof name, "%03d.so", i);
        put(name, i);
        assert_int_equal(chmod(in_folder(name), 0700), 0);
    }
    keep("one.so");
    assert_int_equal(files(false), 512);
    assert_true(ib_code_cache_has(in_folder("000.so")));
    keep("two.so");
    assert_int_equal(files(false), 384);
    for (int i = 0; i < 511; i++) {
        snprintf(name, sizeof name, "%03d.so", i);
        /* 384 - one - two - 000.so: the last 381 of the numbers */
        assert_int_equal(ib_file_exists(in_folder(name)), i == 0 || i >= 511 - 381);
    }
    assert_true(ib_file_exists(in_folder("one.so")));
    assert_true(ib_file_exists(in_folder("two.so")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_others_may_not_write),
        cmocka_unit_test(test_forgets_what_was_used_longest_ago),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
