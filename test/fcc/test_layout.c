/* The layout of the frames, member by member: what firmware and other languages rely on. */
#include "fcc_test.h"

#define AT(type, member, offset) assert_int_equal(offsetof(type, member), offset)

static void test_entries(void **unused) {
    (void)unused;
    AT(ib_fcc_imu, specific_force, 8);
    AT(ib_fcc_imu, rate, 32);
    AT(ib_fcc_imu, temperature, 56);
    AT(ib_fcc_imu, flags, 64);
    AT(ib_fcc_gps, week, 8);
    AT(ib_fcc_gps, time_of_week, 12);
    AT(ib_fcc_gps, latitude, 16);
    AT(ib_fcc_gps, longitude, 24);
    AT(ib_fcc_gps, height, 32);
    AT(ib_fcc_gps, velocity, 40);
    AT(ib_fcc_gps, fix, 64);
    AT(ib_fcc_gps, satellites, 68);
    AT(ib_fcc_gps, flags, 72);
    AT(ib_fcc_baro, pressure, 8);
    AT(ib_fcc_baro, temperature, 16);
    AT(ib_fcc_baro, flags, 24);
    AT(ib_fcc_mag, field, 8);
    AT(ib_fcc_mag, flags, 32);
    AT(ib_fcc_altimeter, range, 8);
    AT(ib_fcc_altimeter, flags, 16);
    AT(ib_fcc_engine, state, 8);
    AT(ib_fcc_engine, flags, 12);
    AT(ib_fcc_engine, thrust, 16);
    AT(ib_fcc_engine, pressure, 24);
    AT(ib_fcc_engine, speed, 32);
    AT(ib_fcc_servo, state, 8);
    AT(ib_fcc_servo, flags, 12);
    AT(ib_fcc_servo, angle, 16);
    AT(ib_fcc_interlock, state, 8);
    AT(ib_fcc_interlock, flags, 12);
    AT(ib_fcc_interlock, bolts, 16);
}

static void test_in(void **unused) {
    (void)unused;
    AT(ib_fcc_in, abi, 0);
    AT(ib_fcc_in, tick, 8);
    AT(ib_fcc_in, time, 16);
    AT(ib_fcc_in, dt, 24);
    AT(ib_fcc_in, n_imu, 32);
    AT(ib_fcc_in, n_engine, 52);
    AT(ib_fcc_in, n_user, 68);
    AT(ib_fcc_in, imu, 72);
    AT(ib_fcc_in, gps, 648);
    AT(ib_fcc_in, baro, 1288);
    AT(ib_fcc_in, mag, 1544);
    AT(ib_fcc_in, altimeter, 1864);
    AT(ib_fcc_in, engine, 2056);
    AT(ib_fcc_in, servo, 2376);
    AT(ib_fcc_in, fin, 2568);
    AT(ib_fcc_in, interlock, 2760);
    AT(ib_fcc_in, user, 2952);
    assert_int_equal(sizeof(ib_fcc_in), 3464);
}

static void test_out(void **unused) {
    (void)unused;
    AT(ib_fcc_engine_command, start, 0);
    AT(ib_fcc_engine_command, stop, 4);
    AT(ib_fcc_engine_command, throttled, 8);
    AT(ib_fcc_engine_command, throttle, 16);
    AT(ib_fcc_interlock_command, arm, 0);
    AT(ib_fcc_interlock_command, fire, 4);
    AT(ib_fcc_out, abi, 0);
    AT(ib_fcc_out, n_engine, 8);
    AT(ib_fcc_out, n_user, 28);
    AT(ib_fcc_out, engine, 32);
    AT(ib_fcc_out, servo, 224);
    AT(ib_fcc_out, fin, 288);
    AT(ib_fcc_out, interlock, 352);
    AT(ib_fcc_out, pwm, 416);
    AT(ib_fcc_out, user, 544);
    AT(ib_fcc_out, log_text, 1056);
    assert_int_equal(sizeof(ib_fcc_out), 1312);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_in),
        cmocka_unit_test(test_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
