/* The bus: order, latency, priorities, loss, overflow, other vehicles, and its accounts. */
#include "avionics_test.h"

static ib_message user(double value, uint8_t priority) {
    return (ib_message){.topic = IB_TOPIC_USER,
                        .destination = IB_ANY,
                        .vehicle = 1,
                        .priority = priority,
                        .payload.values = {value}};
}

static void publish(ib_bus *bus, double value, uint8_t priority, ib_time now) {
    const ib_message message = user(value, priority);
    ib_bus_publish(bus, &message, now, 0);
}

/* The value of the next message, or -1 when there is none. */
static double next(ib_bus *bus, ib_time now) {
    ib_message message;
    return ib_bus_take(bus, IB_TOPIC_USER, IB_ANY, now, &message) ? message.payload.values[0] : -1;
}

static void test_first_in_first_out(void **state) {
    (void)state;
    ib_bus *bus = make_bus(8);
    for (int i = 0; i < 5; i++)
        publish(bus, i, 0, i);
    ib_message message;
    assert_false(ib_bus_take(bus, IB_TOPIC_GPS, IB_ANY, 100, &message));
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(ib_bus_take(bus, IB_TOPIC_USER, IB_ANY, 100, &message));
        assert_true(message.payload.values[0] == i && message.sequence == i);
    }
    assert_true(next(bus, 100) == -1);
    ib_bus_destroy(bus);
}

static void test_latency(void **state) {
    (void)state;
    ib_bus_topic topics[IB_TOPIC_COUNT] = {{0}};
    topics[IB_TOPIC_USER].latency = 20;
    ib_bus *bus = ib_bus_create(8, 1, 0, topics);
    const ib_message message = user(5, 0);
    ib_bus_publish(bus, &message, 100, 3);
    assert_true(next(bus, 122) == -1);
    assert_int_equal(ib_bus_waiting(bus), 1);
    assert_true(next(bus, 123) == 5);
    ib_bus_destroy(bus);
}

static void test_destinations(void **state) {
    (void)state;
    ib_bus *bus = make_bus(8);
    ib_message message = user(1, 0), taken;
    message.destination = 4;
    ib_bus_publish(bus, &message, 0, 0);
    message.destination = 5;
    message.payload.values[0] = 2;
    ib_bus_publish(bus, &message, 0, 0);
    assert_true(ib_bus_take(bus, IB_TOPIC_USER, 5, 0, &taken) && taken.payload.values[0] == 2);
    assert_false(ib_bus_take(bus, IB_TOPIC_USER, 5, 0, &taken));
    assert_true(ib_bus_take(bus, IB_TOPIC_USER, 4, 0, &taken) && taken.payload.values[0] == 1);
    ib_bus_destroy(bus);
}

/* A full bus drops the oldest of the least important. */
static void test_overflow(void **state) {
    (void)state;
    ib_bus *bus = make_bus(3);
    publish(bus, 10, 2, 0);
    publish(bus, 11, 1, 0);
    publish(bus, 12, 1, 0);
    publish(bus, 13, 1, 0); /* 11 goes */
    publish(bus, 14, 3, 0); /* 12 goes */
    publish(bus, 15, 0, 0); /* goes itself */
    assert_int_equal(ib_bus_waiting(bus), 3);
    assert_true(next(bus, 0) == 10 && next(bus, 0) == 13 && next(bus, 0) == 14);
    const ib_bus_count count = ib_bus_counts(bus, IB_TOPIC_USER);
    assert_int_equal(count.published, 6);
    assert_int_equal(count.delivered, 3);
    assert_int_equal(count.dropped, 3);
    ib_bus_destroy(bus);
}

/* A burst of a thousand on ten places: the ten latest, and every message accounted for. */
static void test_burst(void **state) {
    (void)state;
    ib_bus *bus = make_bus(10);
    for (int i = 0; i < 1000; i++)
        publish(bus, i, 0, i);
    for (int i = 990; i < 1000; i++)
        assert_true(next(bus, 1000) == i);
    const ib_bus_count count = ib_bus_counts(bus, IB_TOPIC_USER);
    assert_int_equal(count.published, 1000);
    assert_int_equal(count.dropped + count.delivered, 1000);
    ib_bus_destroy(bus);
}

/* Losses: at the rate asked for, and the same whatever else passes. */
static void test_loss(void **state) {
    (void)state;
    ib_bus_topic topics[IB_TOPIC_COUNT] = {{0}};
    topics[IB_TOPIC_USER].loss = 0.2;
    ib_bus *quiet = ib_bus_create(8, 1, 77, topics), *busy = ib_bus_create(8, 1, 77, topics);
    int arrived = 0;
    for (int i = 0; i < 10000; i++) {
        ib_message other = user(0, 0), message;
        other.topic = IB_TOPIC_GPS;
        publish(quiet, i, 0, i);
        ib_bus_publish(busy, &other, i, 0);
        publish(busy, i, 0, i);
        assert_true(ib_bus_take(busy, IB_TOPIC_GPS, IB_ANY, i, &message));
        const double a = next(quiet, i), b = next(busy, i);
        assert_true(a == b);
        arrived += a >= 0;
    }
    ASSERT_NEAR(arrived / 10000.0, 0.8, 4 * 0.004);
    const ib_bus_count count = ib_bus_counts(quiet, IB_TOPIC_USER);
    assert_int_equal(count.lost + count.delivered, 10000);
    ib_bus_destroy(quiet);
    ib_bus_destroy(busy);
}

/* Messages for other vehicles leave by one door and arrive by another. */
static void test_other_vehicles(void **state) {
    (void)state;
    ib_bus_topic topics[IB_TOPIC_COUNT] = {{0}};
    ib_bus *one = make_bus(4), *two = ib_bus_create(4, 2, 0, topics);
    ib_message message = user(3, 0);
    message.vehicle = 2;
    ib_bus_publish(one, &message, 0, 5);
    assert_true(next(one, 10) == -1);
    assert_false(ib_bus_depart(one, 4, &message));
    assert_true(ib_bus_depart(one, 5, &message));
    ib_bus_arrive(two, &message);
    assert_true(next(two, 5) == 3);
    assert_int_equal(ib_bus_counts(one, IB_TOPIC_USER).departed, 1);
    ib_bus_destroy(one);
    ib_bus_destroy(two);
}

/* Random traffic against a plain array that does the same the slow way. */
static void test_against_a_model(void **state) {
    (void)state;
    enum { PLACES = 6 };
    struct {
        double value;
        uint8_t priority;
    } model[PLACES];
    int n = 0;
    ib_bus *bus = make_bus(PLACES);
    for (uint64_t i = 0; i < 20000; i++) {
        if (ib_random_uniform(8, 0, 0, 3 * i) < 0.6) {
            const uint8_t priority = (uint8_t)(3 * ib_random_uniform(8, 0, 0, 3 * i + 1));
            publish(bus, (double)i, priority, 0);
            int victim = 0;
            for (int k = 1; k < n; k++)
                if (model[k].priority < model[victim].priority)
                    victim = k;
            if (n == PLACES && model[victim].priority > priority)
                continue;
            if (n == PLACES)
                memmove(&model[victim], &model[victim + 1], (size_t)(--n - victim) * sizeof *model);
            model[n].value = (double)i;
            model[n++].priority = priority;
        } else {
            const double expected = n ? model[0].value : -1;
            assert_true(next(bus, 0) == expected);
            if (n)
                memmove(model, model + 1, (size_t)--n * sizeof *model);
        }
        assert_int_equal(ib_bus_waiting(bus), n);
    }
    ib_bus_destroy(bus);
}

static void test_snapshot(void **state) {
    (void)state;
    ib_bus *bus = make_bus(5), *copy = make_bus(5);
    for (int i = 0; i < 7; i++)
        publish(bus, i, 0, 0);
    assert_true(next(bus, 0) == 2);
    void *saved = malloc(ib_bus_state_size(bus));
    ib_bus_save(bus, saved);
    ib_bus_restore(copy, saved);
    publish(bus, 9, 0, 0);
    publish(copy, 9, 0, 0);
    for (double value = 0; value != -1;) {
        value = next(bus, 0);
        assert_true(next(copy, 0) == value);
    }
    assert_int_equal(ib_bus_counts(copy, IB_TOPIC_USER).published, 8);
    free(saved);
    ib_bus_destroy(bus);
    ib_bus_destroy(copy);
}

static void test_refused(void **state) {
    (void)state;
    ib_bus_topic topics[IB_TOPIC_COUNT] = {{0}};
    assert_null(ib_bus_create(0, 1, 0, topics));
    assert_null(ib_bus_create(65535, 1, 0, topics));
    assert_string_equal(ib_topic_name(IB_TOPIC_ALTIMETER), "altimeter");
    assert_string_equal(ib_topic_name(IB_TOPIC_COUNT), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_in_first_out),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_destinations),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_burst),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_other_vehicles),
        cmocka_unit_test(test_against_a_model),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
