/* The language: precedence, every function against an independent formula, long and deep texts. */
#include "expr_test.h"

static const double at[4] = {0.3, -1.7, 2.4, 0.8}; /* x, y, z, t */
#define X 0.3
#define Y (-1.7)
#define Z 2.4
#define T 0.8

static double value_of(const char *source) {
    bed b;
    bed_open(&b);
    const double value = ib_graph_value(b.graph, bed_parse(&b, source), at, 4);
    bed_close(&b);
    return value;
}

static void test_grammar(void **state) {
    (void)state;
    static const struct {
        const char *source;
        double value;
    } cases[] = {
        {"1", 1},
        {"2.2e-4", 2.2e-4},
        {".5", 0.5},
        {"5.", 5},
        {"1E3", 1000},
        {"1e+2", 100},
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"2 - 3 - 4", -5},
        {"2 - (3 - 4)", 3},
        {"24 / 4 / 2", 3},
        {"24 / 4 * 2", 12},
        {"2 ^ 3 ^ 2", 512},
        {"(2 ^ 3) ^ 2", 64},
        {"2 ** 3 ** 2", 512},
        {"-2 ^ 2", -4},
        {"(-2) ^ 2", 4},
        {"-2 ** 2", -4},
        {"2 ^ -1", 0.5},
        {"2 ^ -1 * 4", 2},
        {"2 ^ -2 ^ 2", 0.0625},
        {"-2 ^ -2", -0.25},
        {"2 * -3", -6},
        {"2 - -3", 5},
        {"- - 3", 3},
        {"-+-3", 3},
        {"+3", 3},
        {"-3 * -2 ^ 2", 12},
        {"6 / -2 / 3", -1},
        {"1 + 1 < 3", 1},
        {"3 < 1 + 1", 0},
        {"1 < 2", 1},
        {"2 < 2", 0},
        {"2 <= 2", 1},
        {"2 > 1", 1},
        {"2 >= 3", 0},
        {"2 == 2", 1},
        {"2 != 2", 0},
        {"(1 < 2) * (2 < 1)", 0},
        {"(1 < 2) * (1 < 3)", 1},
        {"1 + (2 < 3) * 4", 5},
        {"-2 < -1", 1},
        {"pi", 3.141592653589793},
        {"t", T},
        {"time", T},
        {"2*x+y", 2 * X + Y},
        {" \t\n 1\r\n+ # a comment ( \n 2 # the end", 3},
        {"if_else((t > 0.5) * (t < 2), 1, 0)", 1},
        {"((((1))))", 1},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 5, 2)", 5},
        {"min(2, max(1, 3))", 2},
        {"sin (x) - sin(x)", 0},
        {"c(0.5) + k(-1) + l(1)", 2.0 - 2.0 + 1.875},
    };
    for (size_t k = 0; k < IB_COUNT(cases); k++)
        if (value_of(cases[k].source) != cases[k].value)
            fail_msg("%s is %.17g, not %.17g", cases[k].source, value_of(cases[k].source),
                     cases[k].value);
}

/* Smooth step: the regularised incomplete beta function I_s(5, 5) as a binomial sum. */
static double beta_step(double s) {
    static const double binomials[] = {126, 84, 36, 9, 1}; /* 9 over 5 ... 9 */
    double sum = 0.0;
    for (int k = 5; k <= 9; k++)
        sum += binomials[k - 5] * pow(s, k) * pow(1.0 - s, 9 - k);
    return sum;
}

/* Values at x = 0.3, y = -1.7, z = 2.4, t = 0.8, by other formulas where there are any. */
static void test_functions(void **state) {
    (void)state;
    const double pi = acos(-1.0);
    const struct {
        const char *source;
        double value;
    } cases[] = {
        {"sin(x)", cos(pi / 2 - X)},
        {"cos(x)", sin(pi / 2 - X)},
        {"tan(x)", sin(X) / cos(X)},
        {"asin(x)", atan2(X, sqrt(1 - X * X))},
        {"acos(x)", atan2(sqrt(1 - X * X), X)},
        {"atan(z)", asin(Z / sqrt(1 + Z * Z))},
        {"atan2(x, y)", pi - atan(X / -Y)},
        {"atan2(y, x)", -pi / 2 + atan(X / -Y)},
        {"sinh(z)", (exp(Z) - exp(-Z)) / 2},
        {"cosh(z)", (exp(Z) + exp(-Z)) / 2},
        {"tanh(z)", 1 - 2 / (exp(2 * Z) + 1)},
        {"exp(z)", 1 / exp(-Z)},
        {"log(z)", 2 * atanh((Z - 1) / (Z + 1))},
        {"sqrt(z)", exp(log(Z) / 2)},
        {"z ^ 2.5", exp(2.5 * log(Z))},
        {"z ^ x", exp(X * log(Z))},
        {"z ^ 7", exp(7 * log(Z))},
        {"abs(y)", 1.7},
        {"abs(x)", 0.3},
        {"sign(y)", -1},
        {"sign(x)", 1},
        {"sign(x - x)", 0},
        {"floor(y)", -2},
        {"floor(z)", 2},
        {"ceil(y)", -1},
        {"ceil(z)", 3},
        {"mod(z, 1)", Z - 2},
        {"mod(y, 1)", Y + 2},
        {"mod(y, -1)", Y + 1},
        {"mod(z, -1)", Z - 3},
        {"mod(6, 3)", 0},
        {"mod(-6, 3)", 0},
        {"hypot(x, y)", sqrt(X * X + Y * Y)},
        {"min(x, y)", Y},
        {"max(x, y, z)", Z},
        {"clamp(x, -1, 1)", X},
        {"clamp(y, -1, 1)", -1},
        {"clamp(z, -1, 1)", 1},
        {"if_else(x < z, 3, 4)", 3},
        {"if_else(x > z, 3, 4)", 4},
        {"if_else(y, 3, 4)", 3},
        {"step(x, 0, 2, 1, 5)", 2 + 3 * beta_step(0.3)},
        {"step(t, 0, 2, 1, 5)", 2 + 3 * beta_step(0.8)},
        {"step(x, 0.3, 2, 1, 5)", 2},
        {"step(x, 0, 2, 0.3, 5)", 5},
        {"step(y, 0, 2, 1, 5)", 2},
        {"step(z, 0, 2, 1, 5)", 5},
        {"step(x, 0, 2, 1, 5, \"cosine\")", 2 + 1.5 * (1 - cos(pi * X))},
        {"step(t, 0, 2, 1, 5, 'cosine')", 2 + 1.5 * (1 - cos(pi * T))},
        {"step(x, 0, 2, 1, 5, \"hard\")", 2 + 3 * X},
        {"step(z, 0, 2, 1, 5, \"hard\")", 5},
        {"step(x, 0.3, 2, 0.3, 5)", 2},
        {"step(x, 0.2, 2, 0.2, 5, \"hard\")", 5},
        {"step(x, t, 2, t, 5)", 2},
        {"step(z, t, 2, t, 5, \"cosine\")", 5},
    };
    for (size_t k = 0; k < IB_COUNT(cases); k++) {
        const double have = value_of(cases[k].source);
        if (!(fabs(have - cases[k].value) <= 4e-15 * fmax(1.0, fabs(cases[k].value))))
            fail_msg("%s is %.17g, not %.17g", cases[k].source, have, cases[k].value);
    }
}

static void test_reserved(void **state) {
    (void)state;
    static const char *const reserved[] = {"t",     "time",  "pi",   "sin",     "atan2", "step",
                                           "clamp", "hypot", "sign", "if_else", "mod",   "log"};
    static const char *const free_names[] = {"x", "T", "length", "rate", "v_rel", "Sin", "e", ""};
    for (size_t k = 0; k < IB_COUNT(reserved); k++)
        assert_true(ib_expr_reserved(reserved[k]));
    for (size_t k = 0; k < IB_COUNT(free_names); k++)
        assert_false(ib_expr_reserved(free_names[k]));
}

static void test_bare_curve(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_curve *bare = NULL;
    assert_int_equal(bed_try_parse(&b, "  c # alone", &bare), IB_NO_NODE);
    assert_ptr_equal(bare, b.curves[0]);
    assert_int_equal(ib_diags_count(b.diags), 0);
    assert_int_not_equal(bed_try_parse(&b, "c(x)", &bare), IB_NO_NODE);
    assert_null(bare);
    assert_int_equal(bed_try_parse(&b, "c + 1", &bare), IB_NO_NODE);
    assert_null(bare);
    assert_int_equal(ib_diags_count(b.diags), 1);
    bed_close(&b);
}

/* text repeated n times between a head and a tail. */
static char *repeated(const char *head, const char *text, size_t n, const char *tail) {
    ib_str str = {0};
    ib_str_add(&str, head);
    for (size_t k = 0; k < n; k++)
        ib_str_add(&str, text);
    ib_str_add(&str, tail);
    assert_false(str.failed);
    return str.data;
}

static void check_value(char *source, double want) {
    const double have = value_of(source);
    if (have != want)
        fail_msg("%.40s... is %.17g, not %.17g", source, have, want);
    free(source);
}

static void test_long(void **state) {
    (void)state;
    check_value(repeated("0", " + 1", 10000, ""), 10000);
    check_value(repeated("0", " - (x > 5)", 10000, ""), 0);
    check_value(repeated("", "-", 10000, "2"), 2);
    check_value(repeated("", "-", 10001, "x"), -X);
    check_value(repeated("1", "^1", 10000, ""), 1);
    check_value(repeated("1", "^-1", 10000, ""), 1);
    check_value(repeated("min(9", ", 7", 10000, ")"), 7);
    check_value(repeated("if_else(1, 2, 3) + ", "0 * (1 + 1) + ", 5000, "1"), 3);
}

static char *nested(const char *open, const char *inside, size_t depth) {
    ib_str str = {0};
    for (size_t k = 0; k < depth; k++)
        ib_str_add(&str, open);
    ib_str_add(&str, inside);
    for (size_t k = 0; k < depth; k++)
        ib_str_add(&str, ")");
    assert_false(str.failed);
    return str.data;
}

static void test_deep(void **state) {
    (void)state;
    check_value(nested("(", "x", 1000), X);
    check_value(nested("abs(", "y", 1000), -Y);
    check_value(nested("-(", "x", 1000), X);
    static const char *const openings[] = {"(", "sin(", "2 * ((", "min(1, "};
    for (size_t k = 0; k < IB_COUNT(openings); k++) {
        bed b;
        bed_open(&b);
        char *source = nested(openings[k], "x", 100000);
        assert_int_equal(bed_try_parse(&b, source, NULL), IB_NO_NODE);
        assert_int_equal(ib_diags_count(b.diags), 1);
        assert_string_equal(ib_diags_at(b.diags, 0)->id, "IB0406");
        free(source);
        bed_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),  cmocka_unit_test(test_functions),
        cmocka_unit_test(test_reserved), cmocka_unit_test(test_bare_curve),
        cmocka_unit_test(test_long),     cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
