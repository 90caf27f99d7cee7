/* A thousand instances, in process and isolated: no handle, process or folder is left, and the bits
 * do not change. */
#define _XOPEN_SOURCE 700 /* mkdtemp, setenv */

#include "fmi/fmi.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include <cmocka.h>

static char folder[] = "/tmp/ironbird-test-XXXXXX";
static char archive[64];

static void add(zip_t *zip, const char *name, const char *path, const char *text) {
    zip_source_t *source =
        path ? zip_source_file(zip, path, 0, 0) : zip_source_buffer(zip, text, strlen(text), 0);
    assert_non_null(source);
    assert_true(zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8) >= 0);
}

static int set_up(void **state) {
    static const char build[] =
        "<fmiBuildDescription fmiVersion='3.0'><BuildConfiguration modelIdentifier='tester3'>"
        "<SourceFileSet><SourceFile name='tester3.c'/></SourceFileSet></BuildConfiguration>"
        "</fmiBuildDescription>";
    int error;
    (void)state;
    if (!mkdtemp(folder) || setenv("TMPDIR", folder, 1) != 0)
        return 1;
    snprintf(archive, sizeof archive, "%s/tester3.fmu", folder);
    zip_t *zip = zip_open(archive, ZIP_CREATE, &error);
    if (!zip)
        return 1;
    add(zip, "modelDescription.xml", IB_TEST_SOURCE "/test/fmus/tester3.xml", NULL);
    add(zip, "sources/tester3.c", IB_TEST_SOURCE "/test/fmus/tester3.c", NULL);
    add(zip, "sources/buildDescription.xml", NULL, build);
    return zip_close(zip);
}

static int tear_down(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? 0 : 1;
}

static size_t count_entries(const char *path, const char *beginning) {
    DIR *entries = opendir(path);
    size_t n = 0;
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        n += strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
    closedir(entries);
    return n;
}

typedef struct sum {
    double values;
    size_t rows;
} sum;

static ib_status push(void *context, ib_time time, const double *row) {
    sum *s = context;
    s->values += row[0] + 1e-9 * (double)time;
    s->rows++;
    return IB_OK;
}

static sum run_once(ib_fmu *fmu, bool isolate, ib_diags *diags) {
    const ib_fmu_run_options options = {.kind = IB_FMU_CO_SIMULATION,
                                        .start = NAN,
                                        .stop = NAN,
                                        .step = NAN,
                                        .output_step = NAN,
                                        .max_step = NAN,
                                        .tolerance = NAN,
                                        .isolate = isolate,
                                        .step_timeout = NAN};
    const ib_fmu_set set = {"u", "1.5"};
    ib_fmu_run *run;
    sum s = {0, 0};
    const ib_fmu_sink sink = {&s, push, NULL};
    assert_int_equal(ib_fmu_run_create(fmu, &options, &set, 1, diags, &run), IB_OK);
    bool *wanted = calloc(ib_fmu_run_column_count(run) + 1, sizeof *wanted);
    assert_non_null(wanted);
    for (size_t i = 0; i < ib_fmu_run_column_count(run); i++)
        wanted[i] = strcmp(ib_fmu_run_column(run, i).name, "y,\"(1)") == 0;
    assert_int_equal(ib_fmu_run_simulate(run, wanted, &sink, diags), IB_OK);
    free(wanted);
    ib_fmu_run_destroy(run);
    return s;
}

static void run_many(bool isolate, size_t n) {
    ib_diags *diags = ib_diags_create();
    ib_fmu *fmu;
    assert_int_equal(ib_fmu_open(archive, IB_FMU_LENIENT, diags, &fmu), IB_OK);
    const sum first = run_once(fmu, isolate, diags);
    const size_t handles = count_entries("/proc/self/fd", "");
    assert_int_equal(first.rows, 11);
    for (size_t i = 1; i < n; i++) {
        const sum s = run_once(fmu, isolate, diags);
        assert_int_equal(s.rows, first.rows);
        assert_true(s.values == first.values);
    }
    assert_int_equal(count_entries("/proc/self/fd", ""), handles);
    assert_int_equal(ib_diags_errors(diags), 0);
    ib_fmu_close(fmu);
    assert_int_equal(count_entries(folder, "ironbird-fmu-"), 0);
    /* No process is left, not even one to be waited for. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    ib_diags_destroy(diags);
}

static void test_in_process(void **state) {
    (void)state;
    run_many(false, 1000);
}

static void test_isolated(void **state) {
    (void)state;
    run_many(true, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_process),
        cmocka_unit_test(test_isolated),
    };
    if (!ib_program_found("cc")) {
        printf("no C compiler: skipped\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
