/* The text of emitted C, and what is refused. That it computes what the tape does: test_native.c.
 */
#include "expr_test.h"

static const char *leaf_text(void *context, uint32_t leaf, char *text, size_t size) {
    (void)context;
    snprintf(text, size, "in[%u]", (unsigned)leaf);
    return text;
}

static const char *root_text(void *context, size_t root, char *text, size_t size) {
    (void)context;
    snprintf(text, size, "out[%zu]", root);
    return text;
}

static const ib_emit_names names = {.leaf = leaf_text, .root = root_text};

/* The text itself: shared subexpressions once, constants exact, signs in parentheses. */
static void test_text(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    const ib_node roots[] = {bed_parse(&b, "x * y * 0.1"), bed_parse(&b, "0"),
                             bed_parse(&b, "x * y - 3"), bed_parse(&b, "-2 / x"),
                             ib_graph_leaf(b.graph, 2)};
    ib_str text = {0};
    assert_int_equal(ib_emit_c(b.graph, roots, 5, &names, true, &text), IB_OK);
    assert_string_equal(text.data, "    const double v2 = in[0] * in[1];\n"
                                   "    const double v4 = v2 * 0.1;\n"
                                   "    out[0] = v4;\n"
                                   "    const double v7 = v2 - 3.0;\n"
                                   "    out[2] = v7;\n"
                                   "    const double v9 = (-2.0) / in[0];\n"
                                   "    out[3] = v9;\n"
                                   "    out[4] = in[2];\n");
    ib_str_clear(&text);
    assert_int_equal(ib_emit_c(b.graph, roots + 1, 1, &names, false, &text), IB_OK);
    assert_string_equal(text.data, "    out[0] = 0.0;\n");
    ib_str_free(&text);
    bed_close(&b);
}

static void test_refusals(void **state) {
    (void)state;
    bed b;
    bed_open(&b);
    ib_str text = {0};
    ib_node root = bed_parse(&b, "x + c(y)");
    assert_int_equal(ib_emit_c(b.graph, &root, 1, &names, false, &text), IB_UNSUPPORTED);
    root = bed_parse(&b, "x + p(y, z)");
    assert_int_equal(ib_emit_c(b.graph, &root, 1, &names, false, &text), IB_UNSUPPORTED);
    root = ib_add(b.graph, ib_graph_leaf(b.graph, 0), ib_graph_const(b.graph, HUGE_VAL));
    assert_int_equal(ib_emit_c(b.graph, &root, 1, &names, false, &text), IB_UNSUPPORTED);
    assert_int_equal(text.length, 0);
    ib_str_free(&text);
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
