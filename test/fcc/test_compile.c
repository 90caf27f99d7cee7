/* Flight computers given as C source: compiled when they are opened, once for each text. */
#include "fcc_test.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ironbird_compile_XXXXXX";

static const char good[] =
    "#include <ironbird/fcc.h>\n"
    "#include \"gain.h\"\n"
    "uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }\n"
    "int32_t ib_fcc_init(const char *config, void *state, uint64_t *size,\n"
    "                    char message[IB_FCC_TEXT]) {\n"
    "    (void)config, (void)state, (void)message;\n"
    "    *size = 0;\n"
    "    return 0;\n"
    "}\n"
    "int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *state) {\n"
    "    (void)state;\n"
    "    out->n_user = 1;\n"
    "    out->user[0] = GAIN * (double)in->tick;\n"
    "    return 0;\n"
    "}\n";

static const char *file(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text) {
    assert_int_equal(ib_file_write(file(name), text, strlen(text), NULL), IB_OK);
}

/* How many libraries the cache holds. Nothing else stays there. */
static int libraries(void) {
    DIR *there = opendir(file("cache/ironbird"));
    int n = 0;
    assert_non_null(there);
    for (const struct dirent *entry = readdir(there); entry; entry = readdir(there)) {
        const size_t length = strlen(entry->d_name);
        if (length == 4 + 32 + 3)
            n++;
        else if (entry->d_name[0] != '.' && strncmp(entry->d_name, "include-", 8) != 0)
            fail_msg("'%s' was left behind", entry->d_name);
    }
    closedir(there);
    return n;
}

static ib_status open_source(const char *name, ib_diags *diags, ib_computer **computer) {
    ib_computer_options options = {.vehicle = "stack"};
    options.place = (ib_place){.file = ib_diags_file(diags, "mission.yaml"), .line = 9};
    return ib_computer_open_native(file(name), &options, diags, computer);
}

static double user_of(const char *name) {
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    ib_fcc_out out;
    const ib_fcc_in in = make_in(3);
    if (open_source(name, diags, &computer) != IB_OK ||
        ib_computer_tick(computer, &in, &out, diags) != IB_OK)
        fail_msg("%s", message_of(diags));
    ib_computer_close(computer);
    ib_diags_destroy(diags);
    return out.user[0];
}

/* A library for each text; a header that changes changes the text. */
static void test_compiles(void **unused) {
    (void)unused;
    write_text("gain.h", "#define GAIN 2\n");
    write_text("good.c", good);
    assert_true(user_of("good.c") == 6);
    assert_int_equal(libraries(), 1);
    assert_true(user_of("good.c") == 6);
    assert_int_equal(libraries(), 1);
    write_text("gain.h", "#define GAIN 0.5\n");
    assert_true(user_of("good.c") == 1.5);
    assert_int_equal(libraries(), 2);
    write_text("gain.h", "#define GAIN 2\n");
    assert_true(user_of("good.c") == 6);
    assert_int_equal(libraries(), 2);
}

/* A library that others may write to is not loaded but made anew. */
static void test_not_ours(void **unused) {
    (void)unused;
    char command[400];
    assert_true(user_of("good.c") == 6);
    snprintf(command, sizeof command,
             "for f in %s/cache/ironbird/*.so; do echo rubbish > $f; chmod 0666 $f; done", folder);
    assert_int_equal(system(command), 0);
    assert_true(user_of("good.c") == 6);
}

/* The compiler's error stands at its place in the source. */
static void test_error(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    write_text("bad.c", "#include <ironbird/fcc.h>\n\nuint32_t ib_fcc_abi(void) {\n"
                        "    return IB_FCC_ABBI;\n}\n");
    assert_int_equal(open_source("bad.c", diags, &computer), IB_BAD_INPUT);
    assert_null(computer);
    assert_string_equal(id_of(diags), "IB1212");
    ASSERT_SAYS(diags, "bad.c' does not compile: ");
    ASSERT_SAYS(diags, "IB_FCC_ABBI");
    const ib_place place = ib_diags_at(diags, 0)->place;
    assert_string_equal(place.file, file("bad.c"));
    assert_true(place.line == 4 && place.column == 12);
    ib_diags_clear(diags);

    assert_int_equal(open_source("none.c", diags, &computer), IB_IO_ERROR);
    assert_string_equal(id_of(diags), "IB0101");
    assert_int_equal(ib_diags_at(diags, 0)->place.line, 9);
    ib_diags_clear(diags);

    setenv("CC", "/no/such/compiler", 1);
    assert_int_equal(open_source("good.c", diags, &computer), IB_BAD_INPUT);
    ASSERT_SAYS(diags, "there is no compiler '/no/such/compiler'");
    assert_int_equal(ib_diags_at(diags, 0)->place.line, 9);
    ib_diags_clear(diags);
    setenv("CC", "false", 1);
    assert_int_equal(open_source("good.c", diags, &computer), IB_BAD_INPUT);
    ASSERT_SAYS(diags, "'false' failed");
    unsetenv("CC");
    ib_diags_destroy(diags);
    (void)libraries(); /* nothing was left behind */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiles),
        cmocka_unit_test(test_not_ours),
        cmocka_unit_test(test_error),
    };
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_CACHE_HOME", file("cache"), 1);
    unsetenv("CC");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? failed : 1;
}
