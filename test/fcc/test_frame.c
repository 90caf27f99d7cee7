/* Between a bus and the frames: every device kind there and every command back, units, freshness,
 * bounds. Conversions are one multiplication or subtraction, so the tolerance is that of one
 * rounding.
 */
#include "fcc_test.h"

#include <math.h>

#define DEGREE (3.14159265358979323846 / 180)
enum { COMPUTER = 900, VEHICLE = 1 };

static ib_bus *make_bus(void) {
    static const ib_bus_topic topics[IB_TOPIC_COUNT] = {{0}};
    ib_bus *bus = ib_bus_create(64, VEHICLE, 99, topics);
    assert_non_null(bus);
    return bus;
}

/* Two of each kind; device i of kind k has the address 10 k + i. */
static ib_fcc_wiring make_wiring(void) {
    ib_fcc_device devices[2 * IB_FCC_KIND_COUNT];
    ib_fcc_wiring wiring = {
        .vehicle = VEHICLE, .address = COMPUTER, .priority = 3, .n_user_in = 2, .n_user_out = 1};
    size_t n = 0;
    for (int kind = 0; kind < IB_FCC_KIND_COUNT; kind++)
        for (int i = 0; i < (kind == IB_FCC_KIND_MOTORS ? 1 : 2); i++)
            devices[n++] = (ib_fcc_device){(ib_fcc_kind)kind, (uint16_t)(10 * kind + i)};
    assert_int_equal(ib_wiring_make(devices, n, "stack", IB_NO_PLACE, NULL, &wiring), IB_OK);
    return wiring;
}

static void publish(ib_bus *bus, ib_topic topic, uint16_t source, ib_time stamp, ib_time delay,
                    ib_payload payload) {
    const ib_message message = {.topic = topic,
                                .source = source,
                                .destination = IB_ANY,
                                .vehicle = VEHICLE,
                                .stamp = stamp,
                                .payload = payload};
    ib_bus_publish(bus, &message, stamp, delay);
}

/* ---- bus to frame --------------------------------------------------------------------------- */

static void test_reset(void **unused) {
    (void)unused;
    const ib_fcc_wiring wiring = make_wiring();
    ib_fcc_in in;
    ib_frame_reset(&wiring, &in);
    assert_true(in.abi == 1 && in.tick == 0 && in.n_imu == 2 && in.n_gps == 2 && in.n_baro == 2);
    assert_true(in.n_mag == 2 && in.n_altimeter == 2 && in.n_engine == 2 && in.n_servo == 2);
    assert_true(in.n_fin == 2 && in.n_interlock == 2 && in.n_user == 2);
    for (int i = 0; i < IB_FCC_MOST; i++)
        assert_true(in.imu[i].stamp == IB_FCC_NEVER && in.interlock[i].stamp == IB_FCC_NEVER);
}

static void test_sensors(void **unused) {
    (void)unused;
    const ib_fcc_wiring wiring = make_wiring();
    ib_bus *bus = make_bus();
    ib_fcc_in in;
    ib_frame_reset(&wiring, &in);
    publish(bus, IB_TOPIC_IMU, 1, 5, 0,
            (ib_payload){.imu = {{1, 2, 3}, {4, 5, 6}, 300.15, IB_FLAG_SATURATED}});
    publish(bus, IB_TOPIC_GPS, 10, 5, 0,
            (ib_payload){.gps = {2200, 345600000, {0.5, -2, 120}, {7, 8, 9}, 3, 11}});
    publish(bus, IB_TOPIC_BARO, 21, 5, 0, (ib_payload){.baro = {90000, 280, 0}});
    publish(bus, IB_TOPIC_MAG, 30, 5, 0, (ib_payload){.mag = {{2e-5, -1e-5, 4e-5}, 0}});
    publish(bus, IB_TOPIC_ALTIMETER, 41, 5, 0, (ib_payload){.altimeter = {12, IB_FLAG_INVALID}});
    ib_frame_absorb(&wiring, bus, 5, &in);
    ib_frame_begin(&in, 6, 20);
    assert_true(in.tick == 1 && in.time == 6 && in.dt == 20);

    const ib_fcc_imu *imu = &in.imu[1];
    assert_true(imu->stamp == 5 && imu->flags == (IB_FCC_SATURATED | IB_FCC_NEW));
    assert_true(imu->specific_force[0] == 1 && imu->specific_force[2] == 3 && imu->rate[1] == 5);
    assert_true(fabs(imu->temperature - 27) < 1e-13);
    const ib_fcc_gps *gps = &in.gps[0];
    assert_true(gps->week == 2200 && gps->time_of_week == 345600000 && gps->height == 120);
    assert_true(fabs(gps->latitude - 0.5 / DEGREE) < 1e-14 * 30);
    assert_true(fabs(gps->longitude + 2 / DEGREE) < 1e-14 * 115);
    assert_true(gps->velocity[0] == 7 && gps->velocity[2] == 9);
    assert_true(gps->fix == 3 && gps->satellites == 11 && gps->flags == IB_FCC_NEW);
    assert_true(in.baro[1].pressure == 90000 && fabs(in.baro[1].temperature - 6.85) < 1e-13);
    assert_true(fabs(in.mag[0].field[0] - 0.2) < 1e-16 && fabs(in.mag[0].field[2] - 0.4) < 1e-16);
    assert_true(in.altimeter[1].range == 12 &&
                in.altimeter[1].flags == (IB_FCC_INVALID | IB_FCC_NEW));
    assert_true(in.imu[0].stamp == IB_FCC_NEVER && in.gps[1].stamp == IB_FCC_NEVER);
    assert_int_equal(ib_bus_waiting(bus), 0);
    ib_bus_destroy(bus);
}

static void test_states(void **unused) {
    (void)unused;
    const ib_fcc_wiring wiring = make_wiring();
    ib_bus *bus = make_bus();
    ib_fcc_in in;
    ib_frame_reset(&wiring, &in);
    publish(bus, IB_TOPIC_ENGINE, 50, 7, 0,
            (ib_payload){.values = {IB_ENGINE_RUNNING, 1e5, 6e6, 3000}});
    publish(bus, IB_TOPIC_SERVO, 61, 7, 0, (ib_payload){.values = {IB_SERVO_AT_STOP, 0.25}});
    publish(bus, IB_TOPIC_FIN, 70, 7, 0, (ib_payload){.values = {IB_SERVO_MOVING, -0.5}});
    publish(bus, IB_TOPIC_INTERLOCK, 81, 7, 0, (ib_payload){.values = {IB_INTERLOCK_FIRED, 5}});
    ib_frame_absorb(&wiring, bus, 7, &in);
    assert_true(in.engine[0].state == IB_FCC_ENGINE_RUNNING && in.engine[0].thrust == 1e5);
    assert_true(in.engine[0].pressure == 6e6 && in.engine[0].speed == 3000);
    assert_true(in.servo[1].state == IB_FCC_SERVO_AT_STOP && in.servo[1].angle == 0.25);
    assert_true(in.fin[0].state == IB_FCC_SERVO_MOVING && in.fin[0].angle == -0.5);
    assert_true(in.interlock[1].state == IB_FCC_INTERLOCK_FIRED && in.interlock[1].bolts == 5);
    ib_bus_destroy(bus);
}

/* The latest sample stays until there is a later one; NEW says whether it came since last tick. */
static void test_freshness(void **unused) {
    (void)unused;
    const ib_fcc_wiring wiring = make_wiring();
    ib_bus *bus = make_bus();
    ib_fcc_in in;
    ib_frame_reset(&wiring, &in);
    publish(bus, IB_TOPIC_BARO, 20, 1, 0, (ib_payload){.baro = {1, 273.15, 0}});
    publish(bus, IB_TOPIC_BARO, 20, 2, 5, (ib_payload){.baro = {2, 273.15, 0}}); /* due at 7 */
    publish(bus, IB_TOPIC_BARO, 20, 3, 0, (ib_payload){.baro = {3, 273.15, 0}});
    publish(bus, IB_TOPIC_BARO, 99, 3, 0, (ib_payload){.baro = {9, 273.15, 0}}); /* a stranger */
    ib_frame_absorb(&wiring, bus, 3, &in);
    assert_true(in.baro[0].pressure == 3 && in.baro[0].flags == IB_FCC_NEW);
    ib_frame_end(&in);
    ib_frame_absorb(&wiring, bus, 4, &in);
    assert_true(in.baro[0].pressure == 3 && in.baro[0].flags == 0 && in.baro[0].stamp == 3);
    ib_frame_absorb(&wiring, bus, 7, &in); /* the older one comes last, and is not taken */
    assert_true(in.baro[0].pressure == 3 && in.baro[0].flags == 0);
    assert_true(in.baro[1].stamp == IB_FCC_NEVER);
    assert_int_equal(ib_bus_waiting(bus), 0);
    ib_bus_destroy(bus);
}

/* ---- frame to bus --------------------------------------------------------------------------- */

/* The next command for a device: its first two values, or -1 when there is none. */
static double next(ib_bus *bus, ib_topic topic, uint16_t device, double *second) {
    ib_message message;
    if (!ib_bus_take(bus, topic, device, 100, &message))
        return -1;
    assert_true(message.source == COMPUTER && message.priority == 3 && message.stamp == 100);
    assert_int_equal(message.destination, device);
    if (second)
        *second = message.payload.values[1];
    return message.payload.values[0];
}

static void test_commands(void **unused) {
    (void)unused;
    const ib_fcc_wiring wiring = make_wiring();
    ib_bus *bus = make_bus();
    ib_diags *diags = ib_diags_create();
    double second = 0;
    ib_fcc_out out = {.n_engine = 2, .n_servo = 1, .n_fin = 2, .n_interlock = 2, .n_pwm = 4};
    out.engine[0] = (ib_fcc_engine_command){.start = 1, .throttled = 1, .throttle = 0.75};
    out.engine[1] = (ib_fcc_engine_command){.start = 1, .stop = 1, .throttle = 0.5};
    out.servo[0] = 0.125;
    out.fin[1] = -0.25;
    out.interlock[1] = (ib_fcc_interlock_command){.arm = 1, .fire = 1};
    for (int i = 0; i < 5; i++)
        out.pwm[i] = 1000 + i;
    assert_int_equal(ib_frame_publish(&wiring, &out, 1, "stack", 100, bus, diags), IB_OK);

    assert_true(next(bus, IB_TOPIC_ENGINE_COMMAND, 50, &second) == IB_ENGINE_THROTTLE);
    assert_true(second == 0.75);
    assert_true(next(bus, IB_TOPIC_ENGINE_COMMAND, 50, NULL) == IB_ENGINE_START);
    assert_true(next(bus, IB_TOPIC_ENGINE_COMMAND, 50, NULL) == -1);
    assert_true(next(bus, IB_TOPIC_ENGINE_COMMAND, 51, NULL) == IB_ENGINE_STOP);
    assert_true(next(bus, IB_TOPIC_ENGINE_COMMAND, 51, NULL) == -1);
    assert_true(next(bus, IB_TOPIC_SERVO_COMMAND, 60, NULL) == 0.125);
    assert_true(next(bus, IB_TOPIC_SERVO_COMMAND, 61, NULL) == -1);
    assert_true(next(bus, IB_TOPIC_SERVO_COMMAND, 70, NULL) == 0);
    assert_true(next(bus, IB_TOPIC_SERVO_COMMAND, 71, NULL) == -0.25);
    assert_true(next(bus, IB_TOPIC_INTERLOCK_COMMAND, 80, NULL) == -1);
    assert_true(next(bus, IB_TOPIC_INTERLOCK_COMMAND, 81, NULL) == IB_INTERLOCK_ARM);
    assert_true(next(bus, IB_TOPIC_INTERLOCK_COMMAND, 81, NULL) == IB_INTERLOCK_FIRE);
    ib_message pwm;
    assert_true(ib_bus_take(bus, IB_TOPIC_PWM, 90, 100, &pwm));
    assert_true(pwm.payload.values[0] == 1000 && pwm.payload.values[3] == 1003);
    assert_true(pwm.payload.values[4] == 0); /* the fifth is not in use */
    assert_int_equal(ib_bus_waiting(bus), 0);
    assert_int_equal(ib_diags_count(diags), 0);
    ib_diags_destroy(diags);
    ib_bus_destroy(bus);
}

static void test_excess(void **unused) {
    (void)unused;
    const ib_fcc_wiring wiring = make_wiring();
    ib_bus *bus = make_bus();
    ib_diags *diags = ib_diags_create();
    ib_fcc_out out = {.n_engine = 1, .n_fin = 3};
    out.engine[0].start = 1;
    assert_int_equal(ib_frame_publish(&wiring, &out, 17, "stack", 100, bus, diags),
                     IB_SIMULATION_FAILED);
    assert_string_equal(id_of(diags), "IB1208");
    ASSERT_SAYS(diags, "stack: flight computer, tick 17: it commands 3 devices of type fin; the "
                       "vehicle has 2");
    assert_int_equal(ib_bus_waiting(bus), 0);
    ib_diags_destroy(diags);
    ib_bus_destroy(bus);
}

/* ---- bounds at load ------------------------------------------------------------------------- */

static void test_bounds(void **unused) {
    (void)unused;
    ib_diags *diags = ib_diags_create();
    ib_fcc_device devices[10];
    ib_fcc_wiring wiring = {.n_user_in = 64};
    for (int i = 0; i < 10; i++)
        devices[i] = (ib_fcc_device){IB_FCC_KIND_ENGINE, (uint16_t)i};
    assert_int_equal(ib_wiring_make(devices, 8, "stack", IB_NO_PLACE, diags, &wiring), IB_OK);
    assert_int_equal(wiring.device[IB_FCC_KIND_ENGINE][7], 7);
    assert_int_equal(ib_wiring_make(devices, 10, "stack", IB_NO_PLACE, diags, &wiring),
                     IB_BAD_INPUT);
    assert_string_equal(id_of(diags), "IB1211");
    ASSERT_SAYS(diags, "stack: 10 devices of type ecu; a flight computer's frame has room for 8");
    ib_diags_clear(diags);
    wiring.n_user_out = 65;
    assert_int_equal(ib_wiring_make(devices, 0, "stack", IB_NO_PLACE, diags, &wiring),
                     IB_BAD_INPUT);
    ASSERT_SAYS(diags, "stack: 65 signals from the flight computer; a frame has room for 64");
    ib_diags_destroy(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset),    cmocka_unit_test(test_sensors),
        cmocka_unit_test(test_states),   cmocka_unit_test(test_freshness),
        cmocka_unit_test(test_commands), cmocka_unit_test(test_excess),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
