/* Servos: each term against its closed form, every fault, and the surface's backlash. */
#include "avionics_test.h"

static ib_servo_spec spec;
static ib_servo_state servo;
static ib_device device;
static ib_bus *bus;
static ib_time now;

static int setup(void **state) {
    (void)state;
    ib_parameters_default(ib_parameters_of("scu"), &spec);
    spec.lag = 0;
    servo = (ib_servo_state){0};
    device = make_device("servo", MS);
    bus = make_bus(8);
    now = 0;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    ib_bus_destroy(bus);
    return 0;
}

static void command(double angle) {
    const ib_message message = {.topic = IB_TOPIC_SERVO_COMMAND,
                                .destination = device.address,
                                .vehicle = 1,
                                .payload.values = {angle}};
    ib_bus_publish(bus, &message, now, 0);
}

/* Runs so many periods and takes the reports away. */
static void run(int steps) {
    for (int i = 0; i < steps; i++, now += device.period) {
        ib_message message;
        ib_servo_step(&device, &spec, IB_TOPIC_SERVO, now, &servo, bus);
        assert_true(ib_bus_take(bus, IB_TOPIC_SERVO, IB_ANY, now, &message));
        assert_true(message.payload.values[1] == servo.angle);
        assert_true(message.payload.values[0] == (double)servo.mode);
    }
}

static void test_rate_limit(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    const double reach = table_value(known, "servo_rate_limit_100dps_step20deg", "t_reach_s");
    free(known);
    spec.rate_limit = 100 * DEGREE;
    command(20 * DEGREE);
    run((int)lround(reach * 1000) - 1);
    ASSERT_NEAR(servo.angle, 19.9 * DEGREE, 1e-12);
    assert_int_equal(servo.mode, IB_SERVO_MOVING);
    run(1);
    ASSERT_NEAR(servo.angle, 20 * DEGREE, 1e-12);
    run(2);
    assert_int_equal(servo.mode, IB_SERVO_HOLDING);
}

/* The lag's closed form, from one step and from fifty. */
static void test_lag(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    const char *name = "servo_first_order_tau0.05_step20deg";
    spec.lag = 0.05;
    command(20);
    spec.highest = 100;
    run(50);
    ASSERT_NEAR(servo.angle, table_value(known, name, "pos_at_0.05s"), 1e-12);
    run(50);
    ASSERT_NEAR(servo.angle, table_value(known, name, "pos_at_0.1s"), 1e-12);
    ASSERT_NEAR(ib_follow(0, 20, 0.05, 0, 0.1), table_value(known, name, "pos_at_0.1s"), 1e-12);
    free(known);
}

/* Limit and lag together: linear to |e| = limit lag, then exponential, whatever the step. */
static void test_limited_lag(void **state) {
    (void)state;
    const double lag = 0.1, limit = 3, u = -2; /* linear for (2 - 0.3) / 3 s */
    const double t1 = 1.7 / 3, rest = 0.3;
    for (double t = 0.05; t < 2; t += 0.05) {
        const double exact = t < t1 ? -limit * t : u + rest * exp(-(t - t1) / lag);
        ASSERT_NEAR(ib_follow(0, u, lag, limit, t), exact, 1e-14);
        double x = 0;
        for (int i = 0; i < 7; i++)
            x = ib_follow(x, u, lag, limit, t / 7);
        ASSERT_NEAR(x, exact, 1e-14);
    }
    assert_true(ib_follow(1, 5, 0, 0, 1e-9) == 5);
    assert_true(ib_follow(5, 5, 0.1, 1, 1) == 5);
}

static void test_backlash(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    const double dead = table_value(known, "backlash_0.5deg_ramp_reverse", "dead_travel_deg");
    free(known);
    spec.backlash = 0.5 * DEGREE;
    command(10 * DEGREE);
    run(1);
    const double reached = servo.angle;
    ASSERT_NEAR(reached, 9.75 * DEGREE, 1e-15);
    /* Backwards in hundredths: the surface waits for the whole play. */
    int waited = 0;
    while (servo.angle >= reached - 1e-12) {
        command((10 - 0.01 * ++waited) * DEGREE);
        run(1);
        assert_true(waited < 100);
    }
    ASSERT_NEAR((waited - 1) * 0.01, dead, 1e-12);
}

static void test_dead_band_bias_and_stops(void **state) {
    (void)state;
    spec.dead_band = 0.1;
    spec.bias = 0.02;
    command(0.09);
    run(1);
    assert_true(servo.angle == 0.02 && servo.mode == IB_SERVO_MOVING);
    command(0.5);
    run(1);
    ASSERT_NEAR(servo.angle, 0.52, 1e-15);
    command(0.45); /* near enough to what it has */
    run(1);
    ASSERT_NEAR(servo.angle, 0.52, 1e-15);
    command(7);
    run(1);
    assert_true(servo.angle == spec.highest && servo.mode == IB_SERVO_AT_STOP);
    command((double)NAN); /* ignored, as is the infinite */
    run(1);
    command(-(double)INFINITY);
    run(1);
    assert_true(servo.angle == spec.highest);
    command(-7);
    run(1);
    assert_true(servo.angle == spec.lowest);
    assert_int_equal(servo.commands, 7);
}

static void fail_with(ib_fault_kind kind, double value) {
    device.n_faults = 1;
    device.faults[0] = (ib_device_fault){kind, 10 * MS, 30 * MS, value, 0};
}

static void test_stuck(void **state) {
    (void)state;
    fail_with(IB_FAULT_STUCK, 0);
    command(0.3);
    run(10);
    command(-0.3);
    run(10);
    assert_true(servo.angle == 0.3 && servo.mode == IB_SERVO_STUCK);
    run(11);
    assert_true(servo.angle == -0.3 && servo.mode == IB_SERVO_MOVING);
    run(1);
    assert_int_equal(servo.mode, IB_SERVO_HOLDING);
}

static void test_floating(void **state) {
    (void)state;
    static const ib_fault_kind kinds[] = {IB_FAULT_FLOATING, IB_FAULT_DEAD};
    spec.free_angle = -0.5;
    spec.free_lag = 0.01;
    for (size_t i = 0; i < IB_COUNT(kinds); i++) {
        servo = (ib_servo_state){0};
        now = 0;
        fail_with(kinds[i], 0);
        command(0.3);
        run(20);
        assert_int_equal(servo.mode, IB_SERVO_FLOATING);
        ASSERT_NEAR(servo.angle, -0.5 + 0.8 * exp(-1), 1e-15);
        run(11);
        assert_true(servo.angle == 0.3);
    }
}

static void test_hard_over(void **state) {
    (void)state;
    spec.rate_limit = 10;
    fail_with(IB_FAULT_HARD_OVER, -1);
    run(20);
    ASSERT_NEAR(servo.angle, -0.1, 1e-15);
    assert_int_equal(servo.mode, IB_SERVO_HARD_OVER);
    device.faults[0].value = 1;
    run(10);
    ASSERT_NEAR(servo.angle, 0, 1e-15);
}

static void test_slow_bias_and_dropout(void **state) {
    (void)state;
    spec.rate_limit = 10;
    fail_with(IB_FAULT_SLOW, 4);
    command(0.5);
    run(20); /* 10 ms at 10 rad/s, 10 ms at 2.5 rad/s */
    ASSERT_NEAR(servo.angle, 0.125, 1e-15);
    teardown(NULL);
    setup(NULL);
    fail_with(IB_FAULT_BIAS, 0.2);
    run(15);
    assert_true(servo.angle == 0.2);
    teardown(NULL);
    setup(NULL);
    fail_with(IB_FAULT_DROPOUT, 1);
    run(12);
    command(0.4);
    run(20);
    assert_true(servo.angle == 0 && servo.commands == 1);
}

/* A command for another device, or for later, is not taken. */
static void test_whose_command(void **state) {
    (void)state;
    ib_message message = {
        .topic = IB_TOPIC_SERVO_COMMAND, .destination = 8, .vehicle = 1, .payload.values = {0.5}};
    ib_bus_publish(bus, &message, 0, 0);
    message.destination = device.address;
    ib_bus_publish(bus, &message, 0, 3 * MS);
    run(3);
    assert_true(servo.angle == 0);
    run(1);
    assert_true(servo.angle == 0.5);
    assert_int_equal(ib_bus_waiting(bus), 1);
}

static void test_wrong_stops(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    spec.lowest = 1;
    assert_int_equal(ib_parameters_check(ib_parameters_of("fin"), &spec, "fin1", diags, NULL),
                     IB_BAD_INPUT);
    assert_string_equal(ib_diags_at(diags, 0)->message, "fin1: 'lowest' lies below 'highest'");
    ib_diags_destroy(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rate_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lag, setup, teardown),
        cmocka_unit_test(test_limited_lag),
        cmocka_unit_test_setup_teardown(test_backlash, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dead_band_bias_and_stops, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stuck, setup, teardown),
        cmocka_unit_test_setup_teardown(test_floating, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hard_over, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slow_bias_and_dropout, setup, teardown),
        cmocka_unit_test_setup_teardown(test_whose_command, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_stops, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
