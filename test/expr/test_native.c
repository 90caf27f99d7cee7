/* Tapes as machine code: the bits of the tape from any optimisation, the library kept and found
 * again, and every way in which a compiler can let one down. */
#include "expr_test.h"

#include <sys/stat.h>
#include <unistd.h>

enum { N_NODES = 150 };

/* A folder of the test's own, with room for a compiler script and for libraries. */
typedef struct place {
    char folder[40], script[64], libraries[64];
} place;

static int set_up(void **state) {
    place *p = calloc(1, sizeof *p);
    strcpy(p->folder, "/tmp/ironbird_native_XXXXXX");
    if (!mkdtemp(p->folder))
        return -1;
    snprintf(p->script, sizeof p->script, "%s/compiler", p->folder);
    snprintf(p->libraries, sizeof p->libraries, "%s/kept/here", p->folder);
    *state = p;
    return 0;
}

static void shell(const char *format, const char *argument) {
    char command[256];
    snprintf(command, sizeof command, format, argument);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a command of this file's own */
}

static int tear_down(void **state) {
    place *p = *state;
    shell("chmod -R u+rwx %s", p->folder);
    shell("rm -r %s", p->folder);
    free(p);
    return 0;
}

/* Makes the compiler a shell script of this one line. */
static void write_compiler(const place *p, const char *line) {
    FILE *file = fopen(p->script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", line);
    fclose(file);
    assert_int_equal(chmod(p->script, 0700), 0);
}

static bool have_compiler(void) { return ib_program_found("cc"); }

/* How many files are kept whose names end so. */
static int kept(const place *p, const char *ending) {
    char command[160], text[16] = "";
    snprintf(command, sizeof command, "ls %s | grep -c '%s$'", p->libraries, ending);
    FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a command of this file's own */
    assert_non_null(pipe);
    assert_non_null(fgets(text, sizeof text, pipe));
    pclose(pipe);
    return atoi(text);
}

static ib_native *native_of(const place *p, const bed *b, ib_tape *tape, const char *compiler,
                            const char *reason) {
    const ib_native_options options = {compiler, p->libraries};
    ib_str why = {0};
    ib_native *native = ib_native_create(b->graph, &tape, 1, &options, &why);
    if (!reason && !native)
        fail_msg("%s", why.data);
    if (reason && (native || !strstr(why.data, reason)))
        fail_msg("'%s' does not say '%s'", native ? "success" : why.data, reason);
    ib_str_free(&why);
    return native;
}

static void check_points(const bed *b, ib_tape *tape, const place *p, uint64_t *random) {
    double *work = calloc(ib_tape_work_size(tape) + 1, sizeof *work);
    double at[20][4], want[20][N_NODES], have[N_NODES];
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 4; k++)
            at[i][k] = random_between(random, -2.0, 2.0);
        ib_tape_eval(tape, at[i], work, want[i], NULL);
    }
    ib_native *native = native_of(p, b, tape, p->script, NULL);
    for (int i = 0; i < 20; i++) {
        ib_tape_eval(tape, at[i], work, have, NULL);
        for (int k = 0; k < N_NODES; k++)
            if (!same_bits(have[k], want[i][k]))
                fail_msg("root %d: %a, not %a", k, have[k], want[i][k]);
    }
    free(work);
    ib_tape_destroy(tape);
    ib_native_destroy(native);
}

static void test_same_bits(void **state) {
    static const char *const compilers[] = {"exec cc \"$@\" -O0", "exec cc \"$@\"",
                                            "exec cc \"$@\" -O3"};
    uint64_t random = 17;
    if (!have_compiler())
        skip();
    for (size_t round = 0; round < IB_COUNT(compilers); round++) {
        bed b;
        bed_open(&b);
        ib_node nodes[N_NODES];
        random_nodes(b.graph, &random, nodes, N_NODES - 6);
        for (int k = 0; k < 3; k++) { /* and functions of points, with their derivatives */
            static const char *const texts[] = {"c(x) + p(x * y, y)", "k(z) * q(y, z, x + y)",
                                                "l(y) - r(sin(x), y, z, t)"};
            nodes[N_NODES - 6 + k] = bed_parse(&b, texts[k]);
            if (k < 2)
                nodes[N_NODES - 3 + k] = bed_derivative(&b, nodes[N_NODES - 6 + k], 1);
        }
        nodes[N_NODES - 1] = bed_parse(&b, "sin(x) * cos(x) - step(y, -1, z, 1, 2) + mod(x, y)");
        write_compiler(*state, compilers[round]);
        check_points(&b, ib_tape_create(b.graph, nodes, N_NODES), *state, &random);
        bed_close(&b);
    }
}

/* A tape of one root over the bed, and its value. */
static ib_tape *tape_of(bed *b, const char *source) {
    const ib_node root = bed_parse(b, source);
    ib_tape *tape = ib_tape_create(b->graph, &root, 1);
    assert_non_null(tape);
    return tape;
}

static double value_of(const ib_tape *tape, double x) {
    double *work = calloc(ib_tape_work_size(tape) + 1, sizeof *work), out;
    const double at[4] = {x, 0, 0, 0};
    assert_true(ib_tape_eval(tape, at, work, &out, NULL));
    free(work);
    return out;
}

/* The second time the library is there, whatever has become of the compiler since. */
static void test_kept(void **state) {
    if (!have_compiler())
        skip();
    bed b;
    bed_open(&b);
    write_compiler(*state, "exec cc \"$@\"");
    for (int round = 0; round < 2; round++) {
        ib_tape *tape = tape_of(&b, "x^2 + 1");
        ib_native *native = native_of(*state, &b, tape, ((place *)*state)->script, NULL);
        assert_true(value_of(tape, 3) == 10);
        ib_native_destroy(native);
        ib_tape_destroy(tape);
        assert_int_equal(kept(*state, ".so"), 1);
        assert_int_equal(kept(*state, ""), 1);
        write_compiler(*state, "exit 1");
    }
    bed_close(&b);
}

/* What has no value is found by the tape, as ever. */
static void test_fault(void **state) {
    if (!have_compiler())
        skip();
    bed b;
    bed_open(&b);
    ib_tape *tape = tape_of(&b, "2 + log(x)");
    ib_native *native = native_of(*state, &b, tape, "cc", NULL);
    double *work = calloc(ib_tape_work_size(tape) + 1, sizeof *work), out;
    const double at[4] = {-1, 0, 0, 0};
    ib_fault fault = {0};
    char text[IB_FAULT_TEXT];
    assert_false(ib_tape_eval(tape, at, work, &out, &fault));
    assert_string_equal(ib_fault_text(&fault, text), "log of -1");
    free(work);
    ib_native_destroy(native);
    ib_tape_destroy(tape);
    bed_close(&b);
}

/* Each time the tape goes on as before, and nothing is left behind. */
static void test_compilers_that_fail(void **state) {
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"echo 'emitted.c:3:1: error: no more space' >&2; exit 1", "error: no more space"},
        {"exit 7", "failed"},
        {"while [ \"$1\" != -o ]; do shift; done; echo half > \"$2\"; kill -9 $$", "was killed"},
        {"exit 0", "failed"}, /* and wrote nothing */
        {"while [ \"$1\" != -o ]; do shift; done; echo half > \"$2\"", "cannot be loaded"},
    };
    const place *p = *state;
    bed b;
    bed_open(&b);
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        ib_tape *tape = tape_of(&b, "x + 41");
        write_compiler(p, cases[i].line);
        native_of(p, &b, tape, p->script, cases[i].reason);
        assert_true(value_of(tape, 1) == 42);
        ib_tape_destroy(tape);
        assert_int_equal(kept(p, ".c") + kept(p, ".log"), 0);
    }
    bed_close(&b);
}

static void test_no_compiler(void **state) {
    bed b;
    bed_open(&b);
    ib_tape *tape = tape_of(&b, "x + 41");
    native_of(*state, &b, tape, "no-such-compiler", "there is no compiler 'no-such-compiler'");
    ib_tape_destroy(tape);
    bed_close(&b);
}

static void test_folder_refused(void **state) {
    place p = *(place *)*state;
    bed b;
    bed_open(&b);
    ib_tape *tape = tape_of(&b, "x + 41");
    write_compiler(&p, "exec cc \"$@\"");
    strcpy(p.libraries, "/dev/null/kept");
    native_of(&p, &b, tape, p.script, "cannot be written");
    ib_tape_destroy(tape);
    bed_close(&b);
}

/* A library that others may write to, or that is torn, is made anew. */
static void test_distrusted(void **state) {
    if (!have_compiler())
        skip();
    static const char *const damage[] = {"chmod go+w %s/*.so",
                                         "for f in %s/*.so; do echo > $f; done"};
    const place *p = *state;
    bed b;
    bed_open(&b);
    for (size_t i = 0; i < IB_COUNT(damage); i++)
        for (int round = 0; round < 2; round++) {
            ib_tape *tape = tape_of(&b, "7 * x");
            ib_native *native = native_of(p, &b, tape, "cc", NULL);
            assert_true(value_of(tape, 6) == 42);
            ib_native_destroy(native);
            ib_tape_destroy(tape);
            if (round == 0)
                shell(damage[i], p->libraries);
        }
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fault, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_compilers_that_fail, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_compiler, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_folder_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_distrusted, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
