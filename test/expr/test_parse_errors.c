/* What is said about wrong expressions: the ID, the character, the sentence, the suggestion. */
#include "expr_test.h"

typedef struct complaint {
    const char *source;
    const char *id;
    uint32_t column, length; /* of the first diagnostic, in characters */
    const char *message;     /* its whole message */
    const char *suggestion;  /* whole too; NULL: none */
} complaint;

static const complaint complaints[] = {
    {"", "IB0401", 1, 1, "the expression is empty", NULL},
    {"  # nothing", "IB0401", 1, 1, "the expression is empty", NULL},
    /* characters */
    {"x @ y", "IB0402", 3, 1, "this character does not belong in an expression", NULL},
    {"x \xe2\x88\x92 y", "IB0402", 3, 1, "this is a typographic minus sign",
     "write the plain one: -"},
    {"x \xe2\x80\x93 y", "IB0402", 3, 1, "this is a typographic dash", "write a plain minus: -"},
    {"x \xc3\x97 y", "IB0402", 3, 1, "this is a typographic multiplication sign", "write *"},
    {"x\xc2\xb2", "IB0402", 2, 1, "this is a superscript", "write ^2"},
    {"2 * \xcf\x80", "IB0402", 5, 1, "this is the Greek letter", "write pi"},
    {"x \xe2\x89\xa4 1", "IB0402", 3, 1, "this is a typographic comparison", "write <="},
    {"x\xc2\xa0+ y", "IB0402", 2, 1, "this is a blank that does not break lines",
     "write a plain blank"},
    {"x \xff", "IB0402", 3, 1, "this byte is not UTF-8 text", NULL},
    {"x = 1", "IB0402", 3, 1, "'=' does not compare", "write =="},
    {"x => 1", "IB0402", 3, 2, "there is no '=>'", "write >="},
    {"x > 1 && y", "IB0402", 7, 2, "there is no '&&'",
     "conditions multiply as and: (a < b) * (b < c)"},
    {"x || y", "IB0402", 3, 2, "there is no '||'",
     "for a or b write max(a, b), each condition in parentheses"},
    {"!x", "IB0402", 1, 1, "there is no '!'", "for not a write 1 - a, for different a != b"},
    {"x ? y : z", "IB0402", 3, 1, "there is no '?'", "write if_else(condition, a, b)"},
    {"x % 2", "IB0402", 3, 1, "there is no '%'",
     "write mod(a, b) for the remainder, or divide by 100"},
    {"[x]", "IB0402", 1, 1, "brackets do not group", "write parentheses: ( )"},
    {"x + .", "IB0402", 5, 1, "'.' stands alone", "a number has digits: 0.5"},
    /* values */
    {"x +", "IB0403", 3, 1, "the expression ends after '+', where a value is missing", NULL},
    {"min(x,", "IB0403", 6, 1, "the expression ends after ',', where a value is missing", NULL},
    {"x + * y", "IB0403", 5, 1, "a value is missing between '+' and '*'", NULL},
    {"* x", "IB0403", 1, 1, "a value is missing before '*'", NULL},
    {", x", "IB0403", 1, 1, "a value is missing before ','", NULL},
    {"(x + )", "IB0403", 6, 1, "a value is missing between '+' and ')'", NULL},
    {"max(x, )", "IB0403", 8, 1, "a value is missing between ',' and ')'", NULL},
    {"max(, x)", "IB0403", 5, 1, "a value is missing between '(' and ','", NULL},
    {"2 * ()", "IB0403", 6, 1, "these parentheses are empty", NULL},
    /* operators */
    {"2 x", "IB0404", 3, 1, "an operator is missing between '2' and 'x'",
     "for a product write 2 * x"},
    {"2x", "IB0404", 2, 1, "an operator is missing between '2' and 'x'",
     "for a product write 2 * x"},
    {"1 000", "IB0404", 3, 3, "an operator is missing between '1' and '000'",
     "digits are not grouped, and operators stand between values"},
    {"x(2)", "IB0404", 2, 1, "an operator is missing between 'x' and '('",
     "'x' is a value, not a function; for a product write x * ("},
    {"t(2)", "IB0404", 2, 1, "an operator is missing between 't' and '('",
     "'t' is a value, not a function; for a product write t * ("},
    {"(x)(y)", "IB0404", 4, 1, "an operator is missing between ')' and '('",
     "for a product write * between them"},
    {"3,5", "IB0404", 2, 1, "a comma stands only between arguments of a function",
     "decimals are written with a point: 3.5"},
    {"(x, y)", "IB0404", 3, 1, "a comma stands only between arguments of a function", NULL},
    /* parentheses */
    {"(x + 1", "IB0405", 1, 1, "this parenthesis is not closed", NULL},
    {"2 * (x + (y - 1)", "IB0405", 5, 1, "this parenthesis is not closed", NULL},
    {"2 * sin(x", "IB0405", 8, 1, "the parenthesis of 'sin(' is not closed", NULL},
    {"c (x", "IB0405", 3, 1, "the parenthesis of 'c(' is not closed", NULL},
    {"(", "IB0405", 1, 1, "this parenthesis is not closed", NULL},
    {"x + 1)", "IB0405", 6, 1, "no parenthesis is open here", NULL},
    {")", "IB0405", 1, 1, "no parenthesis is open here", NULL},
    {"step(x, 0, 0, 1, 1, \"hard)", "IB0405", 21, 1, "this quotation mark is not closed", NULL},
    /* names */
    {"a + 1", "IB0407", 1, 1, "unknown name 'a'", NULL},
    {"x + \n  foo.bar", "IB0407", 3, 7, "unknown name 'foo.bar'", NULL},
    {"K\xc3\xb6rper + x", "IB0407", 1, 6, "unknown name 'K\xc3\xb6rper'", NULL},
    {"Sin(x)", "IB0407", 1, 3, "unknown function 'Sin'", "did you mean 'sin'?"},
    {"siin(x)", "IB0407", 1, 4, "unknown function 'siin'", "did you mean 'sin'?"},
    {"reactoin * 2", "IB0407", 1, 8, "unknown name 'reactoin'", "did you mean 'reaction'?"},
    {"2 * PI", "IB0407", 5, 2, "unknown name 'PI'", "did you mean 'pi'?"},
    {"ln(x)", "IB0407", 1, 2, "unknown function 'ln'", "write log(x)"},
    {"arctan2(x, y)", "IB0407", 1, 7, "unknown function 'arctan2'", "write atan2(y, x)"},
    {"pow(x, 2)", "IB0407", 1, 3, "unknown function 'pow'", "write x ^ y"},
    {"if(x > 1, 2, 3)", "IB0407", 1, 2, "unknown function 'if'", "write if_else(condition, a, b)"},
    /* functions and arguments */
    {"sin", "IB0408", 1, 3, "'sin' is a function and needs its argument in parentheses",
     "write sin(x)"},
    {"1 + sin x", "IB0408", 5, 3, "'sin' is a function and needs its argument in parentheses",
     "write sin(x)"},
    {"c * 2", "IB0408", 1, 1, "'c' is a spline and needs its argument in parentheses",
     "write c(x)"},
    {"sin()", "IB0409", 1, 3, "'sin' takes 1 argument, not 0", "write sin(x)"},
    {"sin(x, y)", "IB0409", 1, 3, "'sin' takes 1 argument, not 2", "write sin(x)"},
    {"x + atan2(y)", "IB0409", 5, 5, "'atan2' takes 2 arguments, not 1", "write atan2(y, x)"},
    {"max(x)", "IB0409", 1, 3, "'max' takes at least 2 arguments, not 1", "write max(a, b, ...)"},
    {"c(x, y)", "IB0409", 1, 1, "'c' takes 1 argument, not 2", "write c(x)"},
    {"step(x, 0, 0)", "IB0409", 1, 4, "'step' takes 5 arguments, not 3",
     "write step(x, x0, y0, x1, y1) or with \"cosine\" or \"hard\" as a sixth argument"},
    {"step(x, 2, 0, 1, 1)", "IB0409", 1, 4, "step needs x0 <= x1", NULL},
    {"clamp(x, 2, 1)", "IB0409", 1, 5, "clamp needs low <= high", NULL},
    {"step(x, 0, 0, 1, 1, \"cosin\")", "IB0409", 21, 7, "there is no step \"cosin\"",
     "did you mean \"cosine\"?"},
    {"step(x, 0, 0, 1, 1, \"linear\")", "IB0409", 21, 8, "there is no step \"linear\"",
     "step is smooth without, \"cosine\" or \"hard\" with it"},
    {"step(x, 0, 0, 1, \"hard\")", "IB0409", 18, 6,
     "the text in quotes is the sixth and last argument of step", "did you mean \"hard\"?"},
    {"step(x, 0, 0, 1, 1, hard)", "IB0407", 21, 4, "unknown name 'hard'",
     "write \"hard\", with quotes"},
    {"sin(\"x\")", "IB0409", 5, 3,
     "text in quotes is no value; only step takes one, as its sixth argument", NULL},
    /* numbers */
    {"1e999", "IB0410", 1, 5, "this number is too large", "numbers go up to about 1.8e308"},
    {"2 + 1e", "IB0410", 5, 2, "the exponent of this number has no digits", "for instance 1e-3"},
    {"1e+ 3", "IB0410", 1, 2, "the exponent of this number has no digits", "for instance 1e-3"},
    {"1.2.3", "IB0410", 4, 1, "a number has one decimal point", NULL},
    {"1 / 0", "IB0411", 3, 1, "1 / 0 has no finite value", NULL},
    {"x + log(-1)", "IB0411", 5, 3, "log(-1) has no finite value", NULL},
    {"(-8) ^ 0.5", "IB0411", 6, 1, "(-8) ^ 0.5 has no finite value", NULL},
    {"exp(1000)", "IB0411", 1, 3, "exp(1000) has no finite value", NULL},
    {"mod(3, 0)", "IB0411", 1, 3, "mod(3, 0) has no finite value", NULL},
    /* comparisons */
    {"1 < x < 2", "IB0412", 7, 1, "comparisons do not chain", "write (a < b) * (b < c)"},
    {"x + 1 == y >= 2", "IB0412", 12, 2, "comparisons do not chain", "write (a == b) * (b >= c)"},
    {"reaction * 2", "IB0413", 1, 8, "'reaction' cannot be used here: reactions are results", NULL},
};

static void check(const complaint *want) {
    bed b;
    bed_open(&b);
    assert_int_equal(bed_try_parse(&b, want->source, NULL), IB_NO_NODE);
    if (ib_diags_count(b.diags) == 0)
        fail_msg("%s: nothing is said", want->source);
    const ib_diag *have = ib_diags_at(b.diags, 0);
    if (strcmp(have->id, want->id) != 0 || strcmp(have->message, want->message) != 0)
        fail_msg("%s: [%s] %s", want->source, have->id, have->message);
    if (have->place.column != want->column || have->place.length != want->length)
        fail_msg("%s: column %u, length %u", want->source, have->place.column, have->place.length);
    if (!have->suggestion != !want->suggestion ||
        (want->suggestion && strcmp(have->suggestion, want->suggestion) != 0))
        fail_msg("%s: suggests %s", want->source, have->suggestion ? have->suggestion : "nothing");
    assert_int_equal(have->severity, IB_ERROR);
    bed_close(&b);
}

static void test_complaints(void **state) {
    (void)state;
    for (size_t k = 0; k < IB_COUNT(complaints); k++)
        check(&complaints[k]);
}

/* Errors that leave the structure clear do not hide each other. */
static void test_several(void **state) {
    (void)state;
    static const char *const ids[] = {"IB0407", "IB0407", "IB0409", "IB0413", "IB0408"};
    static const uint32_t columns[] = {1, 6, 12, 24, 35};
    bed b;
    bed_open(&b);
    bed_try_parse(&b, "a +  bb  - sin(x, 1) * reaction + c", NULL);
    assert_int_equal(ib_diags_count(b.diags), IB_COUNT(ids));
    for (size_t k = 0; k < IB_COUNT(ids); k++) {
        assert_string_equal(ib_diags_at(b.diags, k)->id, ids[k]);
        assert_int_equal(ib_diags_at(b.diags, k)->place.column, columns[k]);
    }
    bed_close(&b);
}

static void test_lines(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    bed_try_parse(&b, "x # \xc3\xa4\n + (y\n  * 2", NULL);
    assert_int_equal(ib_diags_at(b.diags, 0)->place.line, 2);
    assert_int_equal(ib_diags_at(b.diags, 0)->place.column, 4);
    bed_close(&b);
}

static ib_symbol nothing(void *context, const char *name) {
    (void)context;
    (void)name;
    return (ib_symbol){.kind = IB_SYMBOL_NONE};
}

static ib_place shifted(void *context, size_t offset, size_t length) {
    return (ib_place){
        .file = context, .line = 7, .column = (uint32_t)offset, .length = (uint32_t)length};
}

/* A scope without time and names, and places that the caller makes. */
static void test_scope_and_places(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    char file[] = "model.yaml";
    const ib_scope scope = {NULL, nothing, NULL, 0, IB_NO_NODE};
    const ib_text text = {"2 * time", 8, file, shifted};
    assert_int_equal(ib_expr_parse(b.graph, &scope, &text, b.diags, NULL), IB_NO_NODE);
    const ib_diag *diag = ib_diags_at(b.diags, 0);
    assert_string_equal(diag->id, "IB0413");
    assert_string_equal(diag->message,
                        "'time' cannot be used here: this is a constant, known before time begins");
    assert_int_equal(diag->place.line, 7);
    assert_int_equal(diag->place.column, 4);
    assert_int_equal(diag->place.length, 4);
    /* Without a sink nothing is said, and nothing is built. */
    assert_int_equal(ib_expr_parse(b.graph, &scope, &text, NULL, NULL), IB_NO_NODE);
    bed_close(&b);
}

/* Very long names and tokens are shortened in messages. */
static void test_long_name(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    char source[2001];
    memset(source, 'q', 2000);
    source[2000] = '\0';
    bed_try_parse(&b, source, NULL);
    assert_int_equal(strlen(ib_diags_at(b.diags, 0)->message), strlen("unknown name '...'") + 40);
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complaints), cmocka_unit_test(test_several),
        cmocka_unit_test(test_lines),      cmocka_unit_test(test_scope_and_places),
        cmocka_unit_test(test_long_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
