/* Files: read and written whole or not at all, with the reason in the message. */
#include "base_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
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
    snprintf(folder, sizeof folder, "%s/ironbird_fs_XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static size_t entries(void) {
    size_t n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static void check_read(const char *path, const char *wanted, size_t length) {
    char *text;
    size_t n;
    assert_int_equal(ib_file_read(path, 1 << 20, NULL, IB_NO_PLACE, &text, &n), IB_OK);
    assert_int_equal(n, length);
    assert_memory_equal(text, wanted, length);
    assert_int_equal(text[n], '\0');
    free(text);
}

static void test_write_and_read(void **state) {
    (void)state;
    const char *path = in_folder("a.txt");
    assert_false(ib_file_exists(path));
    assert_int_equal(ib_file_write(path, "one\0two", 7, NULL), IB_OK);
    check_read(path, "one\0two", 7);
    assert_true(ib_file_exists(path));
    assert_int_equal(ib_file_write(path, "", 0, NULL), IB_OK);
    check_read(path, "", 0);
    assert_int_equal(entries(), 1); /* nothing temporary is left */
    assert_int_equal(unlink(path), 0);
}

static void test_large_file(void **state) {
    (void)state;
    enum { N = 300001 };
    const char *path = in_folder("large.bin");
    char *bytes = malloc(N);
    for (size_t i = 0; i < N; i++)
        bytes[i] = (char)(i * 7 % 251);
    assert_int_equal(ib_file_write(path, bytes, N, NULL), IB_OK);
    check_read(path, bytes, N);
    free(bytes);
    unlink(path);
}

/* The one diagnostic of a failed read. */
static void check_refused(const char *path, size_t limit, ib_status status, const char *id,
                          const char *reason) {
    ib_diags *diags = ib_diags_create();
    char *text = folder;
    size_t n = 9;
    const ib_place place = {.file = "m.yaml", .line = 3, .column = 5, .length = 1};
    assert_int_equal(ib_file_read(path, limit, diags, place, &text, &n), status);
    assert_null(text);
    assert_int_equal(n, 0);
    assert_int_equal(ib_diags_count(diags), 1);
    const ib_diag *diag = ib_diags_at(diags, 0);
    assert_string_equal(diag->id, id);
    assert_int_equal(diag->place.line, 3);
    assert_non_null(strstr(diag->message, path));
    assert_non_null(strstr(diag->message, reason));
    ib_diags_destroy(diags);
}

static void test_unreadable(void **state) {
    (void)state;
    check_refused(in_folder("none.txt"), 100, IB_IO_ERROR, "IB0101", "no such file");
    check_refused(folder, 100, IB_IO_ERROR, "IB0101", "it is a folder");
    const char *path = in_folder("b.txt");
    assert_int_equal(ib_file_write(path, "12345", 5, NULL), IB_OK);
    check_refused(path, 4, IB_BAD_INPUT, "IB0104", "larger than 4 bytes");
    check_refused(in_folder("b.txt/c"), 4, IB_IO_ERROR, "IB0101", "not a folder");
    path = in_folder("b.txt");
    if (geteuid() != 0) { /* root may read everything */
        assert_int_equal(chmod(path, 0), 0);
        check_refused(path, 100, IB_IO_ERROR, "IB0101", "permission denied");
    }
    assert_int_equal(unlink(path), 0);
}

/* A file of exactly the limit is read; an endless one stops at it. */
static void test_limit(void **state) {
    (void)state;
    const char *path = in_folder("b.txt");
    assert_int_equal(ib_file_write(path, "12345", 5, NULL), IB_OK);
    char *text;
    size_t n;
    assert_int_equal(ib_file_read(path, 5, NULL, IB_NO_PLACE, &text, &n), IB_OK);
    assert_string_equal(text, "12345");
    free(text);
    unlink(path);
    check_refused("/dev/zero", 100000, IB_BAD_INPUT, "IB0104", "larger");
}

static void check_unwritable(const char *path, const char *reason) {
    ib_diags *diags = ib_diags_create();
    assert_int_equal(ib_file_write(path, "text", 4, diags), IB_IO_ERROR);
    assert_int_equal(ib_diags_errors(diags), 1);
    assert_string_equal(ib_diags_at(diags, 0)->id, "IB0102");
    assert_non_null(strstr(ib_diags_at(diags, 0)->message, path));
    assert_non_null(strstr(ib_diags_at(diags, 0)->message, reason));
    ib_diags_destroy(diags);
}

static void test_unwritable(void **state) {
    (void)state;
    check_unwritable("/dev/full", "the disk is full");
    check_unwritable(in_folder("none/a.txt"), "no such file or folder");
    check_unwritable(folder, "it is a folder");
    if (geteuid() != 0) { /* root may write everywhere */
        assert_int_equal(chmod(folder, 0500), 0);
        check_unwritable(in_folder("a.txt"), "permission denied");
        assert_int_equal(chmod(folder, 0700), 0);
    }
    assert_int_equal(ib_file_write("/dev/null", "text", 4, NULL), IB_OK);
    assert_true(ib_file_exists("/dev/null")); /* written to, not replaced */
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

/* Room that ends in the middle of the text: the old file stays whole and nothing is left beside. */
static void test_write_breaks_off(void **state) {
    (void)state;
    enum { N = 100000 };
    const char *path = in_folder("c.txt");
    assert_int_equal(ib_file_write(path, "old", 3, NULL), IB_OK);
    char *text = calloc(N, 1);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {.rlim_cur = 5000, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ib_diags *diags = ib_diags_create();
    const ib_status status = ib_file_write(path, text, N, diags);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, IB_IO_ERROR);
    assert_non_null(strstr(ib_diags_at(diags, 0)->message, "larger than allowed"));
    check_read(path, "old", 3);
    assert_int_equal(entries(), 1);
    ib_diags_destroy(diags);
    free(text);
    unlink(path);
}

/* Modes stay, links stay links, and what a temporary name stands in the way of is found another. */
static void test_replaces_gently(void **state) {
    (void)state;
    char path[600], link[600];
    snprintf(path, sizeof path, "%s", in_folder("d.txt"));
    snprintf(link, sizeof link, "%s", in_folder("link.txt"));
    assert_int_equal(ib_file_write(path, "old", 3, NULL), IB_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("d.txt", link), 0);
    char taken[700];
    snprintf(taken, sizeof taken, "%s.%ld-0.tmp", path, (long)getpid());
    const int fd = open(taken, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(ib_file_write(link, "new", 3, NULL), IB_OK);
    check_read(path, "new", 3);
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_true(ib_file_exists(taken));
    unlink(taken);
    unlink(link);
    unlink(path);
}

static void test_folders(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", in_folder("p//q/r/"));
    assert_int_equal(ib_folder_make(path, NULL), IB_OK);
    assert_true(ib_file_exists(in_folder("p/q/r")));
    assert_int_equal(ib_folder_make(path, NULL), IB_OK); /* again */
    assert_int_equal(ib_folder_make("/", NULL), IB_OK);
    assert_int_equal(ib_folder_make(".", NULL), IB_OK);
    assert_int_equal(ib_file_write(in_folder("p/file"), "", 0, NULL), IB_OK);
    ib_diags *diags = ib_diags_create();
    snprintf(path, sizeof path, "%s", in_folder("p/file"));
    assert_int_equal(ib_folder_make(path, diags), IB_IO_ERROR);
    assert_non_null(strstr(ib_diags_at(diags, 0)->message, "is no folder"));
    snprintf(path, sizeof path, "%s", in_folder("p/file/x"));
    assert_int_equal(ib_folder_make(path, diags), IB_IO_ERROR);
    assert_string_equal(ib_diags_at(diags, 1)->id, "IB0102");
    assert_int_equal(ib_folder_make("", diags), IB_IO_ERROR);
    ib_diags_destroy(diags);
    unlink(in_folder("p/file"));
    rmdir(in_folder("p/q/r"));
    rmdir(in_folder("p/q"));
    rmdir(in_folder("p"));
}

static void test_paths(void **state) {
    (void)state;
    ib_arena *arena = ib_arena_create();
    assert_string_equal(ib_path_beside(arena, "models/car.yaml", "road.csv"), "models/road.csv");
    assert_string_equal(ib_path_beside(arena, "/car.yaml", "road.csv"), "/road.csv");
    assert_string_equal(ib_path_beside(arena, "car.yaml", "road.csv"), "road.csv");
    assert_string_equal(ib_path_beside(arena, "models/car.yaml", "/data/road.csv"),
                        "/data/road.csv");
    assert_string_equal(ib_path_beside(arena, "a/b/", "../c"), "a/b/../c");
    ib_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_and_read),  cmocka_unit_test(test_large_file),
        cmocka_unit_test(test_unreadable),      cmocka_unit_test(test_limit),
        cmocka_unit_test(test_unwritable),      cmocka_unit_test(test_write_breaks_off),
        cmocka_unit_test(test_replaces_gently), cmocka_unit_test(test_folders),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
