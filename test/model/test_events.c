/* Events and joints that name them. */
#include "model_test.h"

static void test_events(void **state) {
    (void)state;
    loaded l = load_good(TWO_BODIES "events:\n"
                                    "  - {name: low, when: t - 1, crosses: down}\n"
                                    "  - {name: any, when: 2 * t - 5}\n"
                                    "joints:\n"
                                    "  f: {type: fixed, body1: a, release: any}\n"
                                    "  g: {type: fixed, body1: b}\n");
    assert_int_equal(l.model->n_events, 2);
    assert_string_equal(l.model->events[0].name, "low");
    assert_int_equal(l.model->events[0].crosses, IB_CROSSING_DOWN);
    assert_int_equal(l.model->events[1].crosses, IB_CROSSING_BOTH);
    assert_int_equal(l.model->joints[0].release, 1);
    assert_int_equal(l.model->joints[1].release, -1);
    unload(&l);
}

static void test_bad_events(void **state) {
    (void)state;
    expect_error(TWO_BODIES "events: {}\n", "IB0212", 5, 9, "list");
    expect_error(TWO_BODIES "events: [5]\n", "IB0212", 5, 10, "map");
    expect_error(TWO_BODIES "events: [{when: t}]\n", "IB0211", 5, 10, "'name'");
    expect_error(TWO_BODIES "events: [{name: x}]\n", "IB0211", 5, 10, "'when'");
    expect_error(TWO_BODIES "events: [{name: x, when: t, crosses: left}]\n", "IB0215", 5, 38,
                 "both, down");
    expect_error(TWO_BODIES "events: [{name: x, when: tt}]\n", "IB0407", 5, 26, "tt");
    expect_error(TWO_BODIES "events: [{name: x, when: t, do: []}]\n", "IB0213", 5, 29, "not yet");
    expect_error(TWO_BODIES "events: [{name: x, when: t}, {name: x, when: t}]\n", "IB0301", 5, 37,
                 "twice");
    expect_error(TWO_BODIES "events: [{name: drop, when: t}]\n"
                            "joints: {f: {type: fixed, body1: a, release: dropp}}\n",
                 "IB0336", 6, 46, "drop");
    expect_error(TWO_BODIES "joints: {f: {type: fixed, body1: a, release: x}}\n", "IB0336", 5, 46,
                 "no event");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_bad_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
