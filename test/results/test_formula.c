/* Formulas over channels, and patterns of channels. */
#include "results_test.h"

static const char table[] = "time,wheel.position.z,body.position.z,wheel.velocity.z,travel.value\n"
                            "0,0.5,1,2,7\n2,1,4,-3,8\n";

static const ib_channel_info channels[] = {{"wheel.position.z", "m", "", NULL},
                                           {"body.position.z", "m", "", NULL},
                                           {"wheel.velocity.z", "m/s", "", NULL},
                                           {"travel.value", "", "", NULL}};

static ib_results *open_table(place *p) {
    ib_results *results;
    put_file(p, "results.csv", table);
    assert_int_equal(ib_results_write_channels(p->folder, channels, 4, p->diags), IB_OK);
    assert_int_equal(ib_results_open(p->folder, p->diags, &results), IB_OK);
    return results;
}

static void values_and_units(void **state) {
    place *p = *state;
    static const struct {
        const char *text, *unit;
        double first, second;
    } cases[] = {{"wheel.position.z", "m", 0.5, 1},
                 {"body.position.z - wheel.position.z", "m", 0.5, 3},
                 {"body.position.z - 0.5", "m", 0.5, 3.5},
                 {"-abs(wheel.velocity.z)", "m/s", -2, -3},
                 {"1000 * wheel.position.z", "", 500, 1000},
                 {"body.position.z + wheel.velocity.z", "", 3, 1},
                 {"t", "s", 0, 2},
                 {"max(wheel.position.z, body.position.z)", "m", 1, 4},
                 {"wheel.velocity.z ^ 2", "", 4, 9},
                 {"travel", "", 7, 8},
                 {"2 + 3", "", 5, 5}};
    ib_results *results = open_table(p);
    const char *texts[IB_COUNT(cases)];
    double values[IB_COUNT(cases)];
    for (size_t i = 0; i < IB_COUNT(cases); i++)
        texts[i] = cases[i].text;
    ib_formulas *formulas;
    assert_int_equal(ib_formulas_create(results, texts, IB_COUNT(cases), p->diags, &formulas),
                     IB_OK);
    for (int line = 0; line < 2; line++) {
        const double *row;
        assert_int_equal(ib_results_next(results, &row, p->diags), IB_OK);
        ib_formulas_eval(formulas, row, values);
        for (size_t i = 0; i < IB_COUNT(cases); i++)
            assert_true(values[i] == (line ? cases[i].second : cases[i].first));
    }
    for (size_t i = 0; i < IB_COUNT(cases); i++)
        assert_string_equal(ib_formulas_unit(formulas, i), cases[i].unit);
    ib_formulas_destroy(formulas);
    ib_results_close(results);
}

static void which_channels(void **state) {
    place *p = *state;
    ib_results *results = open_table(p);
    static const char *const texts[] = {"wheel.velocity.z * t", "travel.value"};
    ib_formulas *formulas;
    bool wanted[4];
    assert_int_equal(ib_formulas_create(results, texts, 2, p->diags, &formulas), IB_OK);
    ib_formulas_channels(formulas, wanted);
    assert_false(wanted[0] || wanted[1]);
    assert_true(wanted[2] && wanted[3]);
    ib_formulas_destroy(formulas);
    ib_results_close(results);
}

/* One formula without a value spoils no other. */
static void no_value(void **state) {
    place *p = *state;
    ib_results *results = open_table(p);
    static const char *const texts[] = {"log(wheel.velocity.z)", "wheel.position.z"};
    ib_formulas *formulas;
    const double *row;
    double values[2];
    assert_int_equal(ib_formulas_create(results, texts, 2, p->diags, &formulas), IB_OK);
    assert_int_equal(ib_results_next(results, &row, p->diags), IB_OK);
    assert_int_equal(ib_results_next(results, &row, p->diags), IB_OK);
    ib_formulas_eval(formulas, row, values);
    assert_true(isnan(values[0]) && values[1] == 1);
    ib_formulas_destroy(formulas);
    ib_results_close(results);
}

/* All mistakes of all formulas are reported, at their characters. */
static void mistakes(void **state) {
    place *p = *state;
    ib_results *results = open_table(p);
    static const char *const texts[] = {"wheel.position.z + whel.position.z", "2 * (3", "travel"};
    ib_formulas *formulas;
    assert_int_equal(ib_formulas_create(results, texts, 3, p->diags, &formulas), IB_BAD_INPUT);
    assert_null(formulas);
    assert_int_equal(ib_diags_errors(p->diags), 2);
    const ib_diag *first = ib_diags_at(p->diags, 0);
    assert_string_equal(first->place.file, "formula 1");
    assert_int_equal(first->place.column, 20);
    assert_non_null(first->suggestion);
    assert_non_null(strstr(first->suggestion, "wheel.position.z"));
    ib_results_close(results);
}

static void globs(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {{"*", "a.b.c", true},
                 {"*", "", true},
                 {"a.*", "a.b", true},
                 {"a.*", "ab", false},
                 {"*.z", "a.b.z", true},
                 {"*.z", "a.z.y", false},
                 {"a*b*c", "a1b2b3c", true},
                 {"a*b*c", "a1b2b3", false},
                 {"?", "a", true},
                 {"?", "", false},
                 {"[a-c]x", "bx", true},
                 {"[a-c]x", "dx", false},
                 {"[!a-c]x", "dx", true},
                 {"[!a-c]x", "ax", false},
                 {"[]]", "]", true},
                 {"[abc", "[abc", true},
                 {"[abc", "a", false},
                 {"", "", true},
                 {"", "a", false},
                 {"a**b", "ab", true},
                 {"wheel.position.[xz]", "wheel.position.y", false}};
    for (size_t i = 0; i < IB_COUNT(cases); i++)
        assert_int_equal(ib_glob_match(cases[i].pattern, cases[i].name), cases[i].matches);
}

/* Many stars must not take for ever. */
static void slow_glob(void **state) {
    (void)state;
    char name[20001];
    memset(name, 'a', 20000);
    name[20000] = '\0';
    assert_false(ib_glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", name));
}

static void expansion(void **state) {
    place *p = *state;
    ib_results *results = open_table(p);
    static const char *const patterns[] = {"wheel.*", "wheel.position.z*2", "*position*", "x*y"};
    static const char *const expected[] = {"wheel.position.z", "wheel.velocity.z",
                                           "wheel.position.z*2", "body.position.z", "x*y"};
    ib_texts texts = {0};
    assert_true(ib_texts_expand(&texts, results, patterns, IB_COUNT(patterns)));
    assert_int_equal(texts.n, IB_COUNT(expected));
    for (size_t i = 0; i < texts.n; i++)
        assert_string_equal(texts.list[i], expected[i]);
    ib_texts_free(&texts);
    ib_results_close(results);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(values_and_units), IN_FOLDER(which_channels), IN_FOLDER(no_value),
        IN_FOLDER(mistakes),         cmocka_unit_test(globs),   cmocka_unit_test(slow_glob),
        IN_FOLDER(expansion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
