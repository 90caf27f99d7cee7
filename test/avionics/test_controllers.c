/* Engine controller, motors and interlock unit: their sequences state by state, and their faults.
 */
#include "avionics_test.h"

static ib_engine_spec engine;
static ib_engine_state burner;
static ib_engine_effect effect;
static ib_motors_spec motors;
static ib_motors_state rotors;
static ib_interlock_spec interlock;
static ib_interlock_state unit;
static ib_events events;
static ib_device device;
static ib_bus *bus;
static ib_time now;
static double propellant;

static int setup(void **state) {
    (void)state;
    ib_parameters_default(ib_parameters_of("ecu"), &engine);
    ib_parameters_default(ib_parameters_of("pwm_motors"), &motors);
    engine.thrust = 1000;
    engine.pressure = 5e6;
    engine.impulse = 1000 / 9.80665;
    motors.speed = 800;
    burner = (ib_engine_state){0};
    rotors = (ib_motors_state){0};
    interlock = (ib_interlock_spec){0};
    unit = (ib_interlock_state){0};
    events = (ib_events){0};
    device = make_device("unit", 10 * MS);
    bus = make_bus(8);
    now = 0;
    propellant = 1;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    ib_bus_destroy(bus);
    return 0;
}

static void send(ib_topic topic, double first, double second) {
    const ib_message message = {.topic = topic,
                                .destination = device.address,
                                .vehicle = 1,
                                .payload.values = {first, second}};
    ib_bus_publish(bus, &message, now, 0);
}

static void fail_with(ib_fault_kind kind, ib_time at, ib_time until, double value) {
    device.n_faults = 1;
    device.faults[0] = (ib_device_fault){kind, at, until, value, 0};
}

/* ---- engine ---- */

static void burn(int steps) {
    for (int i = 0; i < steps; i++, now += device.period) {
        ib_message message;
        ib_engine_step(&device, &engine, propellant, now, &burner, &effect, bus, &events);
        assert_true(ib_bus_take(bus, IB_TOPIC_ENGINE, IB_ANY, now, &message));
        assert_true(message.payload.values[1] == effect.thrust);
    }
}

static void test_start_and_stop(void **state) {
    (void)state;
    engine.ignition_delay = 0.05;
    engine.build_up = 0.2;
    engine.decay = 0.1;
    burn(3);
    assert_true(burner.mode == IB_ENGINE_OFF && effect.thrust == 0);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(5); /* 30 ms to 80 ms: the delay */
    assert_true(burner.mode == IB_ENGINE_IGNITING && effect.thrust == 0);
    burn(10);
    assert_int_equal(burner.mode, IB_ENGINE_RISING);
    ASSERT_NEAR(effect.thrust, 500, 1e-9);
    ASSERT_NEAR(effect.mass_flow, 0.5, 1e-12);
    ASSERT_NEAR(effect.pressure, 2.5e6, 1e-6);
    burn(11);
    assert_int_equal(burner.mode, IB_ENGINE_RUNNING);
    assert_true(effect.thrust == 1000);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_STOP, 0);
    burn(4);
    assert_int_equal(burner.mode, IB_ENGINE_DECAYING);
    ASSERT_NEAR(effect.thrust, 600, 1e-9);
    assert_int_equal(events.n, 0);
    burn(7);
    assert_true(burner.mode == IB_ENGINE_OFF && effect.thrust == 0);
    assert_int_equal(events.n, 1);
    assert_true(events.list[0].kind == IB_EVENT_ENGINE_SHUTDOWN && events.list[0].device == 7);
    /* It was its only start. */
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(1);
    assert_true(burner.mode == IB_ENGINE_OFF && burner.refused == 1);
}

static void test_throttle(void **state) {
    (void)state;
    engine.throttle_lag = 0.1;
    engine.throttle_min = 0.4;
    engine.starts = 2;
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(1);
    assert_int_equal(burner.mode, IB_ENGINE_RUNNING); /* no build-up: at once */
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_THROTTLE, 0.5);
    burn(10);
    ASSERT_NEAR(effect.thrust, 500 + 500 * exp(-1), 1e-9);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_THROTTLE, 0.1); /* the least there is */
    burn(1000);
    ASSERT_NEAR(effect.thrust, 400, 1e-9);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_THROTTLE, 1.5);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_THROTTLE, (double)NAN);
    send(IB_TOPIC_ENGINE_COMMAND, (double)NAN, 0);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(1);
    assert_int_equal(burner.refused, 4);
    ASSERT_NEAR(effect.thrust, 400, 1e-9);
}

/* Out of propellant: shutdown, reported once. */
static void test_burn_out(void **state) {
    (void)state;
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(5);
    propellant = 0;
    burn(5);
    assert_true(effect.thrust == 0 && burner.mode == IB_ENGINE_OFF);
    assert_int_equal(events.n, 1);
    assert_int_equal(events.list[0].time, 50 * MS);
}

static void test_engine_faults(void **state) {
    (void)state;
    /* Dead while it burns: failed, for ever. */
    fail_with(IB_FAULT_DEAD, 50 * MS, 60 * MS, 0);
    engine.starts = 5;
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(5);
    assert_true(effect.thrust == 1000);
    burn(3);
    assert_true(effect.thrust == 0 && burner.mode == IB_ENGINE_FAILED && events.n == 1);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(1);
    assert_int_equal(burner.mode, IB_ENGINE_FAILED);
    teardown(NULL);
    /* Stuck: deaf, at the level it has. */
    setup(NULL);
    fail_with(IB_FAULT_STUCK, 50 * MS, 90 * MS, 0);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(5);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_STOP, 0);
    burn(10);
    assert_true(effect.thrust == 1000);
    teardown(NULL);
    /* Slow: twice the build-up. Bias: a part of full thrust more. Dropout: no command comes. */
    setup(NULL);
    engine.build_up = 0.1;
    fail_with(IB_FAULT_SLOW, 0, IB_SECOND, 2);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(10);
    ASSERT_NEAR(effect.thrust, 500, 1e-9);
    fail_with(IB_FAULT_BIAS, 0, IB_SECOND, -0.1);
    burn(5);
    ASSERT_NEAR(effect.thrust, 900, 1e-9);
    fail_with(IB_FAULT_DROPOUT, 0, IB_SECOND, 1);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_STOP, 0);
    burn(1);
    assert_int_equal(burner.mode, IB_ENGINE_RUNNING);
}

/* Roughness: relative, of the density asked for, none when the engine is off. */
static void test_roughness(void **state) {
    (void)state;
    engine.roughness = 1e-3;
    burn(1);
    assert_true(effect.thrust == 0);
    send(IB_TOPIC_ENGINE_COMMAND, IB_ENGINE_START, 0);
    burn(1);
    double square = 0;
    for (int i = 0; i < 4000; i++) {
        burn(1);
        square += (effect.thrust / 1000 - 1) * (effect.thrust / 1000 - 1) / 4000;
    }
    ASSERT_NEAR(square / (1e-6 / 0.01), 1, 4 * 0.0224);
}

/* ---- motors ---- */

static void pulses(double all) {
    ib_message message = {.topic = IB_TOPIC_PWM, .destination = IB_ANY, .vehicle = 1};
    for (int i = 0; i < 16; i++)
        message.payload.values[i] = all;
    ib_bus_publish(bus, &message, now, 0);
}

static void spin(int steps) {
    for (int i = 0; i < steps; i++, now += device.period)
        ib_motors_step(&device, &motors, now, &rotors, bus);
}

static void test_motors(void **state) {
    (void)state;
    motors.tau_up = 0.05;
    motors.tau_down = 0.1;
    motors.timeout = 0.2;
    spin(2);
    assert_true(rotors.mode[0] == IB_MOTOR_IDLE && rotors.speed[0] == 0);
    pulses(1500);
    spin(5);
    assert_int_equal(rotors.mode[3], IB_MOTOR_RUNNING);
    ASSERT_NEAR(rotors.speed[3], 400 * (1 - exp(-1)), 1e-10);
    assert_true(rotors.speed[4] == 0); /* four motors */
    pulses((double)NAN);
    pulses(500);
    pulses(2500); /* no signals */
    spin(16);
    assert_int_equal(rotors.mode[0], IB_MOTOR_RUNNING);
    const double before = rotors.speed[0];
    spin(10);
    assert_int_equal(rotors.mode[0], IB_MOTOR_FAILSAFE);
    ASSERT_NEAR(rotors.speed[0], before * exp(-1), 0.05 * before); /* within a step */
    pulses(2100);                                                  /* beyond full: full */
    spin(500 / 10);
    ASSERT_NEAR(rotors.command[0], 1, 0);
    pulses(900);
    spin(1);
    assert_true(rotors.command[0] == 0 && rotors.mode[0] == IB_MOTOR_RUNNING);
}

static void test_motor_faults(void **state) {
    (void)state;
    motors.timeout = 100;
    fail_with(IB_FAULT_DEAD, 50 * MS, 100 * MS, 0);
    pulses(2000);
    spin(5);
    assert_true(rotors.speed[2] == 800);
    spin(1);
    assert_true(rotors.speed[2] == 0 && rotors.mode[2] == IB_MOTOR_DEAD);
    spin(5);
    assert_int_equal(rotors.mode[2], IB_MOTOR_FAILSAFE); /* until it is spoken to again */
    pulses(2000);
    spin(1);
    assert_true(rotors.speed[2] == 800);
    fail_with(IB_FAULT_STUCK, 0, IB_SECOND, 0);
    pulses(1000);
    spin(1);
    assert_true(rotors.speed[2] == 800);
    fail_with(IB_FAULT_BIAS, 0, IB_SECOND, -50);
    pulses(2000);
    spin(1);
    assert_true(rotors.speed[2] == 750);
}

/* ---- interlock ---- */

static void watch(int steps) {
    for (int i = 0; i < steps; i++, now += device.period) {
        ib_message message;
        ib_interlock_step_run(&device, &interlock, now, &unit, bus, &events);
        assert_true(ib_bus_take(bus, IB_TOPIC_INTERLOCK, IB_ANY, now, &message));
        assert_true(message.payload.values[0] == (double)unit.mode);
    }
}

/* Burn-out of engine 3, 2 s, arm, 0.5 s, fire two bolts, 0.1 s, separate. */
static void test_sequence(void **state) {
    (void)state;
    interlock = (ib_interlock_spec){
        3,
        {{IB_TRIGGER_EVENT, IB_EVENT_ENGINE_SHUTDOWN, 3, 2 * IB_SECOND, IB_ACTION_ARM, 0},
         {IB_TRIGGER_PREVIOUS, 0, 0, IB_SECOND / 2, IB_ACTION_FIRE, 3},
         {IB_TRIGGER_PREVIOUS, 0, 0, IB_SECOND / 10, IB_ACTION_SEPARATE, 9}}};
    ib_events_add(&events, IB_EVENT_ENGINE_SHUTDOWN, 4, 0, now); /* another's */
    watch(10);
    assert_true(unit.next == 0 && !unit.triggered);
    ib_events_add(&events, IB_EVENT_ENGINE_SHUTDOWN, 3, 0, now);
    watch(1); /* seen at 100 ms */
    events = (ib_events){0};
    watch(199);
    assert_int_equal(unit.mode, IB_INTERLOCK_SAFE);
    watch(1); /* 2100 ms */
    assert_int_equal(unit.mode, IB_INTERLOCK_ARMED);
    watch(49);
    assert_int_equal(events.n, 0);
    watch(1); /* 2600 ms */
    assert_true(events.n == 1 && events.list[0].kind == IB_EVENT_BOLT_FIRED);
    assert_true(events.list[0].payload == 3 && events.list[0].time == 2600 * MS);
    assert_true(unit.bolts == 3 && unit.mode == IB_INTERLOCK_FIRED);
    watch(10);
    assert_true(events.n == 2 && events.list[1].kind == IB_EVENT_STAGE_SEPARATION);
    assert_true(events.list[1].payload == 9 && events.list[1].time == 2700 * MS);
    watch(100);
    assert_int_equal(events.n, 2);
}

/* Nothing fires unarmed; a command arms; the sequence goes on. */
static void test_interlock(void **state) {
    (void)state;
    interlock = (ib_interlock_spec){2,
                                    {{IB_TRIGGER_COMMAND, 0, 0, 0, IB_ACTION_FIRE, 1},
                                     {IB_TRIGGER_PREVIOUS, 0, 0, 0, IB_ACTION_DEPLOY, 2}}};
    send(IB_TOPIC_INTERLOCK_COMMAND, IB_INTERLOCK_FIRE, 0);
    watch(5);
    assert_true(events.n == 0 && unit.refused == 1);
    send(IB_TOPIC_INTERLOCK_COMMAND, IB_INTERLOCK_ARM, 0);
    watch(1);
    assert_true(unit.mode == IB_INTERLOCK_ARMED && events.n == 0);
    send(IB_TOPIC_INTERLOCK_COMMAND, IB_INTERLOCK_FIRE, 0);
    watch(1);
    assert_int_equal(events.n, 2); /* both in one tick */
    assert_int_equal(events.list[1].kind, IB_EVENT_FIN_DEPLOY);
    send(IB_TOPIC_INTERLOCK_COMMAND, 17, 0);
    watch(1);
    assert_int_equal(unit.refused, 2);
    /* A sequence that would fire unarmed waits. */
    unit = (ib_interlock_state){0};
    interlock.steps[0].trigger = IB_TRIGGER_PREVIOUS;
    watch(3);
    assert_true(events.n == 2 && unit.next == 0 && unit.refused == 3);
    send(IB_TOPIC_INTERLOCK_COMMAND, IB_INTERLOCK_ARM, 0);
    watch(1);
    assert_int_equal(events.n, 4);
}

static void test_dead_interlock(void **state) {
    (void)state;
    interlock = (ib_interlock_spec){1, {{IB_TRIGGER_PREVIOUS, 0, 0, 0, IB_ACTION_DEPLOY, 2}}};
    fail_with(IB_FAULT_DEAD, 0, 50 * MS, 0);
    send(IB_TOPIC_INTERLOCK_COMMAND, IB_INTERLOCK_ARM, 0);
    watch(5);
    assert_true(events.n == 0 && unit.mode == IB_INTERLOCK_SAFE);
    watch(1);
    assert_int_equal(events.n, 1);
}

static void test_too_many_events(void **state) {
    (void)state;
    for (int i = 0; i < 70; i++)
        ib_events_add(&events, IB_EVENT_BOLT_FIRED, 1, (uint32_t)i, 0);
    assert_true(events.n == 64 && events.lost == 6 && events.list[63].payload == 63);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_start_and_stop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_throttle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_burn_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_engine_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_roughness, setup, teardown),
        cmocka_unit_test_setup_teardown(test_motors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_motor_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sequence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interlock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dead_interlock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_too_many_events, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
