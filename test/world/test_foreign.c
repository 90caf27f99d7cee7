/* Vehicles whose plant is an FMU: what it tells reaches the sensors and the channels to the digit,
 * what the computer says reaches it, an autopilot flies it, and what goes wrong is said.
 */
#include "busy_mission.h"

#define QUAD IB_TEST_BUILD "/test/fmus/quad3.fmu"
#define AUTOPILOT IB_TEST_SOURCE "/examples/quadcopter_mission/autopilot.c"
#define LAUNCH "launch: {latitude: 47 deg, longitude: 8 deg, altitude: 400}\n"

static void mission(char *text, size_t size, const char *parameters, const char *vehicle) {
    snprintf(text, size,
             "ironbird: 1\nmission: fmu\ntime: {end: 1}\n" LAUNCH "plants: {p: {fmu: \"" QUAD
             "\"%s}}\nvehicles: {v: {plant: p%s}}\n",
             parameters, vehicle);
}

static ib_world *quad_world(const char *parameters, const char *vehicle) {
    char text[3000];
    mission(text, sizeof text, parameters, vehicle);
    return create_world(text, NULL);
}

static void refuse(const char *parameters, const char *vehicle, const char *id, const char *part) {
    char text[3000];
    mission(text, sizeof text, parameters, vehicle);
    refuse_world(text, id, part);
}

/* At rest on the ground everything is known. Sensors without errors say it as it is. */
static void test_at_rest(void **state) {
    (void)state;
    ib_world *world =
        quad_world(", parameters: {home: 46 9 500}",
                   ", devices: {imu: {type: imu, position: [3, 2, 1]}, gps: {type: gps, rate: 100 "
                   "Hz, position: "
                   "[3, 2, 1]}, mag: {type: mag, rate: 100 Hz}, baro: {type: baro, rate: 100 Hz}}");
    fly_to(world, IB_SECOND / 10);
    assert_string_equal(ib_world_solver(world), "Co-Simulation");
    const struct {
        const char *name;
        double value, tolerance;
    } all[] = {{"v.imu.specific_force.x", 0, 0},
               {"v.imu.specific_force.z", -9.80665, 0},
               {"v.imu.rate.y", 0, 0},
               {"v.gps.latitude", 46 * DEGREE, 1e-15},
               {"v.gps.longitude", 9 * DEGREE, 1e-15},
               {"v.gps.height", 500, 1e-8},
               {"v.gps.velocity.d", 0, 0},
               {"v.mag.field.x", 0.22e-4, 1e-20},
               {"v.mag.field.z", 0.42e-4, 1e-20},
               {"v.baro.temperature", 15 - 0.0065 * 500 + 273.15, 1e-10},
               {"v.baro.pressure", 101325 * pow(1 - 0.0065 * 500 / 288.15, 5.25588), 1e-8},
               {"v.latitude", 46 * DEGREE, 1e-15},
               {"v.longitude", 9 * DEGREE, 1e-15},
               {"v.altitude", 500, 1e-8},
               {"v.ned.velocity.n", 0, 1e-12},
               {"v.euler.yaw", 0, 1e-12},
               {"v.euler.pitch", 0, 1e-12},
               {"v.plant.gps[3]", 500, 0},
               {"v.plant.steps", 100, 0}};
    for (size_t i = 0; i < IB_COUNT(all); i++)
        ASSERT_NEAR(channel(world, all[i].name), all[i].value, all[i].tolerance);
    ib_world_destroy(world);
}

/* Ticks of 10 ms are taken in steps of at most 2 ms, or as the plant says. */
static void test_steps(void **state) {
    (void)state;
    static const struct {
        const char *option;
        double steps;
    } all[] = {{"", 50}, {", max_step: 5 ms", 20}, {", max_step: 4 ms", 30}, {", max_step: 1", 10}};
    for (size_t i = 0; i < IB_COUNT(all); i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "ironbird: 1\nmission: fmu\ntime: {end: 1}\nrates: {physics: 100 Hz}\n" LAUNCH
                 "plants: {p: {fmu: \"" QUAD "\"%s}}\nvehicles: {v: {plant: p}}\n",
                 all[i].option);
        ib_world *world = create_world(text, NULL);
        fly_to(world, IB_SECOND / 10);
        ASSERT_NEAR(channel(world, "v.plant.steps"), all[i].steps, 0);
        ib_world_destroy(world);
    }
}

/* Numbers of the computer's answer to the rotors one by one: at 700 rad/s, which they reach with a
 * lag of 50 ms, they lift with 3.92 N each. Other inertial units are told velocities for their
 * rates, of an array and of variables name[1], name[2], name[3]. */
static void test_signals(void **state) {
    (void)state;
    char text[3000];
    snprintf(
        text, sizeof text,
        "ironbird: 1\nmission: fmu\ntime: {end: 1}\n" LAUNCH "plants: {p: {fmu: \"" QUAD "\"}}\n"
        "flight_computers: {c: {native: \"%s/throttle.so\"}}\n"
        "vehicles: {v: {plant: p, flight_computer: c, devices: {imu: {type: imu}, other: {type: "
        "imu}, third: {type: imu}}, signals: {\"computer.user[3]\": \"plant.pwm[1]\", "
        "\"computer.user[4]\": "
        "\"plant.pwm[2]\", \"computer.user[5]\": \"plant.pwm[3]\", \"computer.user[6]\": "
        "\"plant.pwm[4]\", other.rate: plant.vel_ned, third.rate: plant.speed}}}\n",
        IB_TEST_COMPUTERS);
    ib_world *world = create_world(text, NULL);
    const double lift = 4 * 8e-6 * 700 * 700 / 1.2;
    fly_to(world, IB_SECOND);
    ASSERT_NEAR(channel(world, "v.plant.accel[3]"), -lift, 1e-5);
    ASSERT_NEAR(channel(world, "v.imu.specific_force.z"), -lift, 1e-5);
    ASSERT_NEAR(channel(world, "v.imu.rate.z"), 0, 0);
    /* sampled a millisecond ago */
    ASSERT_NEAR(channel(world, "v.other.rate.z"),
                channel(world, "v.plant.vel_ned[3]") + 1e-3 * (lift - 9.80665), 1e-5);
    ASSERT_NEAR(channel(world, "v.third.rate.z"), channel(world, "v.other.rate.z"), 0);
    ib_world_destroy(world);
}

/* Between a tick's ends an FMU's channels are a straight line: steps 10 to 11. */
static void test_event(void **state) {
    (void)state;
    char text[2000];
    mission(text, sizeof text, "", "");
    add(text, sizeof text,
        "events: [{name: half, when: v.plant.steps - 10.25, crosses: up, do: [{mark: x}]}]\n");
    ib_world *world = create_world(text, NULL);
    fly_to(world, 10 * MS);
    assert_int_equal(ib_world_tick(world, NULL), IB_OK);
    assert_true(ib_world_happenings(world) > 0);
    const ib_happening last = ib_world_happening(world, ib_world_happenings(world) - 1);
    assert_string_equal(last.what, "mark");
    assert_int_equal(last.time, 10250000);
    ib_world_destroy(world);
}

/* Events set its inputs: rotors at 700 rad/s again. */
static void test_set(void **state) {
    (void)state;
    char text[3000];
    mission(text, sizeof text, "", "");
    add(text, sizeof text, "events: [{name: e, when: t - 0.0005, do: [");
    for (int i = 1; i <= 4; i++) {
        char line[100];
        snprintf(line, sizeof line, "{set: {vehicle: v, input: \"pwm[%d]\", value: 1700}}, ", i);
        add(text, sizeof text, line);
    }
    add(text, sizeof text, "]}]\n");
    ib_world *world = create_world(text, NULL);
    fly_to(world, IB_SECOND);
    ASSERT_NEAR(channel(world, "v.plant.accel[3]"), -4 * 8e-6 * 700 * 700 / 1.2, 1e-5);
    ib_world_destroy(world);
    mission(text, sizeof text, "", "");
    add(text, sizeof text,
        "events: [{name: e, when: t - 1, do: [{set: {vehicle: v, input: pwm, value: 1}}]}]\n");
    refuse_world(text, "IB0348", "several numbers");
    mission(text, sizeof text, "", "");
    add(text, sizeof text,
        "events: [{name: e, when: t - 1, do: [{set: {vehicle: v, input: yaw_deg, value: 1}}]}]\n");
    refuse_world(text, "IB0348", "no input");
}

static char *autopilot_mission(void) {
    static char text[4000];
    snprintf(
        text, sizeof text,
        "ironbird: 1\nmission: quadcopter\ntime: {end: 30}\nseed: 7\n"
        "rates: {physics: 1000 Hz, flight_computer: 250 Hz}\n" LAUNCH "plants: {p: {fmu: \"" QUAD
        "\"}}\n"
        "flight_computers: {a: {native: \"" AUTOPILOT "\", config: {axes: frd, mass: 1.2, "
        "inertia: \"[0.012, 0.012, 0.022]\", thrust: 8e-6, torque: 1.4e-7, speed: 1000, start: "
        "3, declination: 2.6, motor.1: \"[0.14, -0.14, 1]\", motor.2: \"[0.14, 0.14, -1]\", "
        "motor.3: \"[-0.14, 0.14, 1]\", motor.4: \"[-0.14, -0.14, -1]\", waypoint.1: \"[0, 0, "
        "10, 0, 6]\", waypoint.2: \"[20, 10, 12, 90, 100]\"}}}\n"
        "vehicles: {v: {plant: p, flight_computer: a, devices: {imu: {type: imu, rate: 250 Hz, "
        "gyro: {noise: 1e-4}, accelerometer: {noise: 2e-3}}, gps: {type: gps, rate: 5 Hz, place: "
        "{noise: 0.15}, speed: {noise: 0.02}}, baro: {type: baro, rate: 50 Hz, pressure: {noise: "
        "0.3}}, mag: {type: mag, rate: 50 Hz, field: {noise: 3e-8}}, motors: {type: "
        "pwm_motors}}}}\n"
        "events: [{name: up, when: altitude(v) - 405, crosses: up, do: [{mark: up}]}]\n");
    return text;
}

/* The autopilot of the examples takes it to its way-point, 20 m north, 10 m east, 12 m up, and
 * holds it to 1 m; its pulse widths find the input `pwm` by themselves. */
static void test_flight(void **state) {
    (void)state;
    setenv("XDG_CACHE_HOME", IB_TEST_BUILD "/test/cache", 1);
    ib_world *world = create_world(autopilot_mission(), NULL);
    fly_to(world, 25 * IB_SECOND);
    for (int i = 25; i <= 30; i++) {
        fly_to(world, i * IB_SECOND);
        ASSERT_NEAR(channel(world, "v.local.n"), 20, 1);
        ASSERT_NEAR(channel(world, "v.local.e"), 10, 1);
        ASSERT_NEAR(channel(world, "v.local.d"), -12, 1);
        ASSERT_NEAR(channel(world, "v.euler.yaw"), 90 * DEGREE, 0.1);
    }
    ib_world_destroy(world);
}

/* A world restored goes on with the same bits. */
static void test_snapshots(void **state) {
    (void)state;
    setenv("XDG_CACHE_HOME", IB_TEST_BUILD "/test/cache", 1);
    ib_world *whole = create_world(autopilot_mission(), NULL);
    fly_to(whole, 8 * IB_SECOND);
    const uint64_t wanted = hash_channels(whole, IB_HASH_START);
    const size_t size = ib_world_state_size(whole);
    void *bytes = malloc(size);
    for (uint64_t k = 0; k < 5; k++) {
        ib_world *first = create_world(autopilot_mission(), NULL);
        ib_world *second = create_world(autopilot_mission(), NULL);
        fly_to(first, (ib_time)(8000 * ib_random_uniform(8, 0, 0, k)) * MS);
        assert_int_equal(ib_world_state_size(first), size);
        ib_world_save(first, bytes);
        ib_world_destroy(first);
        assert_int_equal(ib_world_restore(second, bytes, size), IB_OK);
        fly_to(second, 8 * IB_SECOND);
        assert_true(hash_channels(second, IB_HASH_START) == wanted);
        ib_world_destroy(second);
    }
    free(bytes);
    ib_world_destroy(whole);
}

/* ---- what goes wrong ---- */

static void test_refused(void **state) {
    (void)state;
    refuse("", ", held: true", "IB0346", "held");
    refuse("", ", initial: {frame: ned}", "IB0346", "initial");
    refuse("", ", devices: {e: {type: ecu, thrust: 1, impulse: 100}}", "IB0346", "'e'");
    refuse("", ", devices: {i: {type: imu}}, signals: {i.specific_force: plant.acel}", "IB0348",
           "did you mean 'accel'?");
    refuse("", ", devices: {i: {type: imu}}, signals: {i.specific_force: plant.pwm}", "IB0348",
           "several numbers");
    refuse("", ", devices: {i: {type: imu}}, signals: {i.specific_force: plant.yaw_deg}", "IB0348",
           "has 1 number, and i.specific_force takes 3");
    refuse("", ", devices: {i: {type: imu}}, signals: {i.place: plant.gps}", "IB0348",
           "takes nothing from a plant");
    refuse("", ", devices: {gps: {type: gps}}, signals: {gps.velocity: \"plant.speed[2]\"}",
           "IB0348", "has 1 number");
    refuse("", ", devices: {f: {type: fin}}, signals: {f.angle: \"plant.pwm[5]\"}", "IB0348",
           "pwm[5]");
    refuse("", ", signals: {computer.pwm: plant.pwm}", "IB0348", "has none");
    refuse(", model: arm.yaml", "", "IB0222", "fmu");
    refuse(", parameters: {hom: 1 2 3}", "", "IB0727", "cannot be used");
    refuse_world("ironbird: 1\nmission: x\nplants: {p: {}}\nvehicles: {v: {plant: p}}\n", "IB0211",
                 "model");
    refuse_world(
        "ironbird: 1\nmission: x\nplants: {p: {fmu: none.fmu}}\nvehicles: {v: {plant: p}}\n",
        "IB0727", "cannot be used");
}

/* The run ends with the FMU's error, which names the call and the time, and the vehicle. */
static void test_error(void **state) {
    (void)state;
    ib_world *world = quad_world(", parameters: {mode: 1}", "");
    ib_diags *diags = ib_diags_create();
    fly_to(world, 50 * MS);
    assert_int_equal(ib_world_tick(world, diags), IB_SIMULATION_FAILED);
    assert_non_null(strstr(ib_diags_at(diags, 0)->message, "fmi3DoStep"));
    assert_failed_in(diags, "in vehicle 'v', tick 51");
    assert_int_equal(ib_world_time(world), 50 * MS);
    ib_diags_destroy(diags);
    ib_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_rest),   cmocka_unit_test(test_steps),
        cmocka_unit_test(test_signals),   cmocka_unit_test(test_event),
        cmocka_unit_test(test_set),       cmocka_unit_test(test_flight),
        cmocka_unit_test(test_snapshots), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
