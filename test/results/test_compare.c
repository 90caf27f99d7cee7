/* Comparison: tolerances, interpolation, what is missing, and where it is worst. */
#include "results_test.h"

static const ib_compare_options usual = {.rtol = 1e-6, .atol = 1e-9};

static ib_status compare(place *p, const char *a, const char *b, const ib_compare_options *options,
                         ib_comparison **comparison) {
    put_file(p, "a.csv", a);
    put_file(p, "b.csv", b);
    char *a_path = path_of(p, "a.csv"), *b_path = path_of(p, "b.csv");
    const ib_status status = ib_results_compare(a_path, b_path, options, p->diags, comparison);
    free(a_path);
    free(b_path);
    return status;
}

/* Only the verdict. */
static ib_status verdict(place *p, const char *a, const char *b) {
    ib_comparison *comparison;
    const ib_status status = compare(p, a, b, &usual, &comparison);
    ib_comparison_destroy(comparison);
    return status;
}

static void equal(void **state) {
    place *p = *state;
    const char *text = "time,x,y\n0,1,nan\n1,2,inf\n2,3,5\n";
    ib_comparison *comparison;
    assert_int_equal(compare(p, text, text, &usual, &comparison), IB_OK);
    assert_int_equal(ib_comparison_count(comparison), 2);
    assert_int_equal(ib_comparison_rows(comparison), 3);
    for (size_t i = 0; i < 2; i++) {
        assert_true(ib_comparison_at(comparison, i)->passed);
        assert_true(ib_comparison_at(comparison, i)->largest == 0);
    }
    ib_comparison_destroy(comparison);
}

static void worst_point(void **state) {
    place *p = *state;
    ib_comparison *comparison;
    assert_int_equal(compare(p, "time,x,y\n0,1,0\n1,2,0\n2,3,0\n",
                             "time,y,x\n0,0,1\n1,0,2.5\n2,0,2.75\n", &usual, &comparison),
                     IB_FAILED);
    const ib_difference *x = ib_comparison_at(comparison, 0);
    assert_string_equal(x->name, "x");
    assert_false(x->passed);
    assert_true(x->time == 1 && x->a == 2 && x->b == 2.5 && x->difference == 0.5);
    assert_true(fabs(x->allowed - (1e-9 + 2e-6)) < 1e-15);
    assert_true(ib_comparison_at(comparison, 1)->passed);
    ib_comparison_destroy(comparison);
}

/* The worst is measured against what is allowed there, not by size alone. */
static void worst_is_relative(void **state) {
    place *p = *state;
    const ib_compare_options options = {.rtol = 0.1, .atol = 0};
    ib_comparison *comparison;
    assert_int_equal(
        compare(p, "time,x\n0,100\n1,1\n", "time,x\n0,105\n1,2\n", &options, &comparison),
        IB_FAILED);
    const ib_difference *x = ib_comparison_at(comparison, 0);
    assert_true(x->time == 1 && x->difference == 1 && x->largest == 5);
    ib_comparison_destroy(comparison);
}

static void tolerances(void **state) {
    place *p = *state;
    const char *a = "time,x\n0,1000\n1,0\n", *b = "time,x\n0,1000.0009\n1,0.9e-9\n";
    assert_int_equal(verdict(p, a, b), IB_OK);
    assert_int_equal(verdict(p, a, "time,x\n0,1000.0011\n1,0\n"), IB_FAILED);
    assert_int_equal(verdict(p, a, "time,x\n0,1000\n1,1.1e-9\n"), IB_FAILED);
}

static void missing_values(void **state) {
    place *p = *state;
    assert_int_equal(verdict(p, "time,x\n0,nan\n", "time,x\n0,1\n"), IB_FAILED);
    assert_int_equal(verdict(p, "time,x\n0,1\n", "time,x\n0,nan\n"), IB_FAILED);
    assert_int_equal(verdict(p, "time,x\n0,inf\n", "time,x\n0,5\n"), IB_FAILED);
    assert_int_equal(verdict(p, "time,x\n0,inf\n", "time,x\n0,-inf\n"), IB_FAILED);
}

static void interpolation(void **state) {
    place *p = *state;
    assert_int_equal(verdict(p, "time,x\n0,0\n0.5,1\n1.5,3\n3,6\n", "time,x\n0,0\n1,2\n2,4\n3,6\n"),
                     IB_OK);
    assert_int_equal(verdict(p, "time,x\n0,0\n0.5,1.1\n3,6\n", "time,x\n0,0\n1,2\n2,4\n3,6\n"),
                     IB_FAILED);
    /* The same moment, rounded apart, is no reason to interpolate across a jump. */
    assert_int_equal(verdict(p, "time,x\n0,0\n0.3,1\n", "time,x\n0,0\n0.30000000000000004,1\n"),
                     IB_OK);
}

static void time_not_covered(void **state) {
    place *p = *state;
    const char *to_two = "time,x\n0,0\n1,1\n2,2\n", *to_one = "time,x\n0,0\n1,1\n";
    assert_int_equal(verdict(p, to_two, to_one), IB_FAILED);
    find_diag(p, "IB0806");
    assert_int_equal(verdict(p, to_one, to_two), IB_OK);
    ib_diags_clear(p->diags);
    assert_int_equal(verdict(p, to_one, "time,x\n0.5,0.5\n1,1\n"), IB_FAILED);
    assert_non_null(strstr(find_diag(p, "IB0806")->message, "begin"));
    assert_int_equal(verdict(p, to_one, "time,x\n"), IB_FAILED);
    assert_int_equal(verdict(p, "time,x\n", to_one), IB_BAD_INPUT);
}

static void missing_channels(void **state) {
    place *p = *state;
    ib_comparison *comparison;
    const char *two = "time,x,y\n0,1,2\n", *one = "time,y\n0,2\n";
    assert_int_equal(compare(p, two, one, &usual, &comparison), IB_FAILED);
    assert_non_null(strstr(find_diag(p, "IB0805")->message, "'x'"));
    assert_int_equal(ib_comparison_count(comparison), 1);
    ib_comparison_destroy(comparison);
    assert_int_equal(verdict(p, one, two), IB_OK);
    assert_int_equal(verdict(p, one, "time,z\n0,1\n"), IB_BAD_INPUT);
}

static void chosen_channels(void **state) {
    place *p = *state;
    const char *a = "time,w.x,w.y,v\n0,1,2,3\n", *b = "time,w.x,w.y,v\n0,1,2,4\n";
    static const char *const wheel[] = {"w.*"}, *const formula[] = {"w.x + v"},
                             *const bad[] = {"q"};
    ib_compare_options options = {.rtol = 0, .atol = 0, .channels = wheel, .n_channels = 1};
    ib_comparison *comparison;
    assert_int_equal(compare(p, a, b, &options, &comparison), IB_OK);
    assert_int_equal(ib_comparison_count(comparison), 2);
    ib_comparison_destroy(comparison);
    options.channels = formula;
    assert_int_equal(compare(p, a, b, &options, &comparison), IB_FAILED);
    assert_true(ib_comparison_at(comparison, 0)->difference == 1);
    ib_comparison_destroy(comparison);
    options.channels = bad;
    assert_int_equal(compare(p, a, b, &options, &comparison), IB_BAD_INPUT);
    assert_null(comparison);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(equal),
        IN_FOLDER(worst_point),
        IN_FOLDER(worst_is_relative),
        IN_FOLDER(tolerances),
        IN_FOLDER(missing_values),
        IN_FOLDER(interpolation),
        IN_FOLDER(time_not_covered),
        IN_FOLDER(missing_channels),
        IN_FOLDER(chosen_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
