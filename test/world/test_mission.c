/* Missions against solutions of high accuracy: the check-cases of NASA/TM-2015-218675 from their
 * definitions, through the mission file, ticks of 1 ms and channels. Tolerances are the project's:
 * 1e-6 m, 1e-8 m/s, 1e-8 deg/s over 30 s.
 */
#include "world_test.h"

static const char sphere_part[] = "plants: {sphere: {model: sphere.yaml}}\n";

/* Everything that the reference tells at one second. */
static void compare(ib_world *world, const table *known, int row) {
    static const struct {
        const char *channel, *column;
        double scale, tolerance;
    } all[] = {
        {"v.eci.position.x", "eci_x_m", 1, 1e-6},
        {"v.eci.position.y", "eci_y_m", 1, 1e-6},
        {"v.eci.position.z", "eci_z_m", 1, 1e-6},
        {"v.eci.velocity.x", "eci_vx_mps", 1, 1e-8},
        {"v.eci.velocity.y", "eci_vy_mps", 1, 1e-8},
        {"v.eci.velocity.z", "eci_vz_mps", 1, 1e-8},
        {"v.ecef.position.x", "ecef_x_m", 1, 1e-6},
        {"v.ecef.position.y", "ecef_y_m", 1, 1e-6},
        {"v.ecef.position.z", "ecef_z_m", 1, 1e-6},
        {"v.altitude", "alt_m", 1, 1e-6},
        {"v.latitude", "lat_deg", DEGREE, 1e-13},
        {"v.longitude", "lon_deg", DEGREE, 1e-13},
        {"v.ned.velocity.n", "vn_mps", 1, 1e-8},
        {"v.ned.velocity.e", "ve_mps", 1, 1e-8},
        {"v.ned.velocity.d", "vd_mps", 1, 1e-8},
        {"v.airspeed", "tas_mps", 1, 1e-8},
        {"v.body.rate.x", "p_degps", DEGREE, 1e-8 * DEGREE},
        {"v.body.rate.y", "q_degps", DEGREE, 1e-8 * DEGREE},
        {"v.body.rate.z", "r_degps", DEGREE, 1e-8 * DEGREE},
    };
    for (size_t i = 0; i < IB_COUNT(all); i++)
        ASSERT_NEAR(channel(world, all[i].channel),
                    all[i].scale * table_number(known, row, all[i].column), all[i].tolerance);
    double product = 0;
    static const char *const q[] = {"q_i2b_w", "q_i2b_x", "q_i2b_y", "q_i2b_z"};
    static const char *const own[] = {"v.eci.attitude.w", "v.eci.attitude.x", "v.eci.attitude.y",
                                      "v.eci.attitude.z"};
    for (int i = 0; i < 4; i++)
        product += channel(world, own[i]) * table_number(known, row, q[i]);
    ASSERT_NEAR(fabs(product), 1, 1e-13);
    ASSERT_NEAR(channel(world, "v.air.density") / table_number(known, row, "rho_kgm3"), 1, 1e-9);
}

static void fly_case(const char *file, const char *environment, const char *drag,
                     const char *initial) {
    char text[2000];
    table *known = table_read(file);
    snprintf(text, sizeof text,
             "ironbird: 1\nmission: case\n%senvironment: %s\n"
             "vehicles: {v: {plant: sphere, drag_area: %s, initial: %s}}\n",
             sphere_part, environment, drag, initial);
    ib_world *world = create_world(text, NULL);
    for (int row = 0; row < known->n_rows; row++) {
        fly_to(world, row * IB_SECOND);
        compare(world, known, row);
    }
    ib_world_destroy(world);
    free(known);
}

#define DRAG "\"0.1 * 0.01824146545248\""
#define DROPPED                                                                                    \
    "{frame: ned, latitude: 0, longitude: 0, altitude: 30000 ft, rates_relative_to: inertial}"

static void test_case_1(void **state) {
    (void)state;
    fly_case("flight/ref_nesc_atmos_01.csv", "{}", "0", DROPPED);
}

static void test_case_4(void **state) {
    (void)state;
    fly_case("flight/ref_nesc_atmos_04.csv",
             "{earth: {shape: sphere, radius: 20902255.199 ft, rotation: false}, gravity: "
             "inverse_square}",
             DRAG,
             "{frame: ned, latitude: 0, longitude: 0, altitude: 30000 ft, rates: [10 deg/s, 20 "
             "deg/s, 30 deg/s], rates_relative_to: inertial}");
}

static void test_case_6(void **state) {
    (void)state;
    fly_case("flight/ref_nesc_atmos_06.csv", "{}", DRAG, DROPPED);
}

static void test_case_9(void **state) {
    (void)state;
    fly_case("flight/ref_nesc_atmos_09.csv", "{}", DRAG,
             "{frame: ned, latitude: 0, longitude: 0, velocity: [0, 1000 ft/s, -1000 ft/s], "
             "euler: {angles: [90 deg, 0, 0]}, rates: [0, 0, 0]}");
}

/* The closed form of the torque-free brick, whatever the frame that the mission speaks in. */
static void test_brick(void **state) {
    (void)state;
    static const char *const rates[] = {"p_degps", "q_degps", "r_degps"};
    static const char *const own[] = {"v.body.rate.x", "v.body.rate.y", "v.body.rate.z"};
    static const char *const q[] = {"q_w", "q_x", "q_y", "q_z"};
    static const char *const attitude[] = {"v.eci.attitude.w", "v.eci.attitude.x",
                                           "v.eci.attitude.y", "v.eci.attitude.z"};
    table *known = table_read("flight/torque_free_brick.csv");
    ib_world *world = create_world(
        "ironbird: 1\nmission: brick\nplants: {brick: {model: brick.yaml}}\n"
        "environment: {gravity: none, atmosphere: none}\n"
        "vehicles: {v: {plant: brick, initial: {frame: eci, position: [7e6, 0, 0], rates: "
        "[10 deg/s, 20 deg/s, 30 deg/s]}}}\n",
        NULL);
    for (int row = 0; row < known->n_rows; row++) {
        double product = 0;
        fly_to(world, row * IB_SECOND);
        for (int i = 0; i < 3; i++)
            ASSERT_NEAR(channel(world, own[i]) / DEGREE, table_number(known, row, rates[i]), 1e-8);
        for (int i = 0; i < 4; i++)
            product += channel(world, attitude[i]) * table_number(known, row, q[i]);
        ASSERT_NEAR(fabs(product), 1, 1e-14);
    }
    ib_world_destroy(world);
    free(known);
}

/* ---- frames of the initial state ---- */

#define AT "launch: {latitude: 41 deg, longitude: 100 deg, altitude: 1000, azimuth: 90 deg}\n"

static ib_world *placed(const char *initial) {
    char text[2000];
    snprintf(text, sizeof text,
             "ironbird: 1\nmission: frames\n" AT "plants: {brick: {model: brick.yaml}}\n"
             "vehicles: {v: {plant: brick, initial: %s}}\n",
             initial);
    return create_world(text, NULL);
}

/* One place, velocity and attitude in all four frames. */
static void test_frames(void **state) {
    (void)state;
    static const char *const names[] = {"v.eci.position.x", "v.eci.position.y", "v.eci.position.z",
                                        "v.eci.velocity.x", "v.eci.velocity.y", "v.eci.velocity.z",
                                        "v.body.rate.x",    "v.body.rate.y",    "v.body.rate.z",
                                        "v.euler.yaw",      "v.euler.pitch",    "v.euler.roll"};
    ib_world *launch = placed("{position: [0, 0, 50], velocity: [30, 10, 5], euler: {sequence: "
                              "zyx, angles: [0, -90 deg, 0]}, rates: [0.1, 0, 0]}");
    double expected[IB_COUNT(names)];
    for (size_t i = 0; i < IB_COUNT(names); i++)
        expected[i] = channel(launch, names[i]);
    /* Facing east, left is north: north 10, east 30, down -5; nose up. */
    ASSERT_NEAR(channel(launch, "v.ned.velocity.n"), 10, 1e-9);
    ASSERT_NEAR(channel(launch, "v.ned.velocity.e"), 30, 1e-9);
    ASSERT_NEAR(channel(launch, "v.ned.velocity.d"), -5, 1e-9);
    ASSERT_NEAR(channel(launch, "v.altitude"), 1050, 1e-8);
    ASSERT_NEAR(channel(launch, "v.euler.pitch"), 90 * DEGREE, 1e-7);
    char text[600];
    snprintf(text, sizeof text,
             "{frame: ecef, position: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g], "
             "quaternion: [%.17g, %.17g, %.17g, %.17g], rates: [0.1, 0, 0]}",
             channel(launch, "v.ecef.position.x"), channel(launch, "v.ecef.position.y"),
             channel(launch, "v.ecef.position.z"), channel(launch, "v.ecef.velocity.x"),
             channel(launch, "v.ecef.velocity.y"), channel(launch, "v.ecef.velocity.z"),
             channel(launch, "v.eci.attitude.w"), channel(launch, "v.eci.attitude.x"),
             channel(launch, "v.eci.attitude.y"), channel(launch, "v.eci.attitude.z"));
    ib_world *ecef = placed(text);
    snprintf(text, sizeof text,
             "{frame: eci, position: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g], "
             "quaternion: [%.17g, %.17g, %.17g, %.17g], rates: [%.17g, %.17g, %.17g]}",
             expected[0], expected[1], expected[2], expected[3], expected[4], expected[5],
             channel(launch, "v.eci.attitude.w"), channel(launch, "v.eci.attitude.x"),
             channel(launch, "v.eci.attitude.y"), channel(launch, "v.eci.attitude.z"), expected[6],
             expected[7], expected[8]);
    ib_world *eci = placed(text);
    ib_world *ned = placed("{frame: ned, position: [0, 0, -50], velocity: [10, 30, -5], euler: "
                           "{angles: [0, 90 deg, 90 deg]}, rates: [0.1, 0, 0]}");
    ib_world *others[] = {ecef, eci, ned};
    for (size_t k = 0; k < IB_COUNT(others); k++) {
        for (size_t i = 0; i < 9; i++)
            ASSERT_NEAR(channel(others[k], names[i]), expected[i], 1e-8);
        ib_world_destroy(others[k]);
    }
    ib_world_destroy(launch);
}

/* At rest on the turning ground: its velocity over the ground is zero, its rate the Earth's. */
static void test_at_rest(void **state) {
    (void)state;
    ib_world *world = placed("{}");
    ASSERT_NEAR(channel(world, "v.ned.velocity.n"), 0, 1e-12);
    ASSERT_NEAR(channel(world, "v.ned.velocity.e"), 0, 1e-12);
    ASSERT_NEAR(channel(world, "v.airspeed"), 0, 1e-12);
    const double w[3] = {channel(world, "v.body.rate.x"), channel(world, "v.body.rate.y"),
                         channel(world, "v.body.rate.z")};
    ASSERT_NEAR(ib_norm(w), IB_EARTH_RATE, 1e-19);
    /* Body x along the azimuth, east: the Earth's rate has nothing there. */
    ASSERT_NEAR(w[0], 0, 1e-19);
    ib_world_destroy(world);
}

/* ---- rates: the seed's table, and what does not divide ---- */

static void count_ticks(const char *rates, int64_t ratio) {
    char text[1000];
    snprintf(text, sizeof text,
             "ironbird: 1\nmission: rates\nrates: %s\nplants: {brick: {model: brick.yaml}}\n"
             "time: {output_step: 1}\nvehicles: {v: {plant: brick}}\n",
             rates);
    ib_world *world = create_world(text, NULL);
    assert_int_equal(ib_world_computer_ratio(world), ratio);
    ib_world_destroy(world);
}

static void test_rates(void **state) {
    (void)state;
    count_ticks("{physics: 1000 Hz, flight_computer: 50 Hz}", 20);
    count_ticks("{physics: 1000 Hz, flight_computer: 100 Hz}", 10);
    count_ticks("{physics: 4000 Hz, flight_computer: 50 Hz}", 80);
    count_ticks("{physics: 100 Hz, flight_computer: 25 Hz}", 4);
    count_ticks("{physics: 1 ms, flight_computer: 20 ms}", 20);
    count_ticks("{}", 20);
}

#define BODY "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b}}\n"

static void test_rates_refused(void **state) {
    (void)state;
    refuse_world("ironbird: 1\nmission: m\nrates: {flight_computer: 33 Hz}\n" BODY, "IB0715",
                 "33 Hz");
    refuse_world("ironbird: 1\nmission: m\nrates: {flight_computer: 33 Hz}\n" BODY, "IB0715",
                 "30 ms");
    refuse_world("ironbird: 1\nmission: m\nrates: {physics: 60 Hz}\n" BODY, "IB0715", "16.666667");
    refuse_world("ironbird: 1\nmission: m\nrates: {flight_computer: 1500 us}\n" BODY, "IB0715",
                 "1 ms");
    refuse_world("ironbird: 1\nmission: m\nrates: {physics: 0 Hz}\n" BODY, "IB0607", "rate of 0");
    refuse_world("ironbird: 1\nmission: m\ntime: {output_step: 1500 us}\n" BODY, "IB0715",
                 "output_step");
}

/* ---- what a mission may not say ---- */

static void test_refused(void **state) {
    (void)state;
#define M "ironbird: 1\nmission: m\n"
    refuse_world("mission: m\n" BODY, "IB0219", "version");
    refuse_world("ironbird: 2\nmission: m\n" BODY, "IB0219", "version 2");
    refuse_world(M "plants: {b: {model: brick.yaml}}\n", "IB0211", "vehicles");
    refuse_world(M "envirnment: {}\n" BODY, "IB0210", "environment");
    refuse_world(M "rates: {phisics: 1 ms}\n" BODY, "IB0210", "physics");
    refuse_world(M "environment: {gravity: j3}\n" BODY, "IB0215", "j2");
    refuse_world(M "environment: {gravity: uniform}\n" BODY, "IB0215", "[0, 0, -9.80665]");
    refuse_world(M "environment: {earth: {shape: flat, rotation: true}}\n" BODY, "IB0222", "flat");
    refuse_world(M "mode: sil\n" BODY, "IB0215", "sil_monolithic");
    refuse_world(M "launch: {latitude: 41 m}\n" BODY, "IB0218", "angle");
    refuse_world(M "plants: {brick: {model: brick.yaml}}\nvehicles: {v: {plant: brock}}\n",
                 "IB0341", "did you mean 'brick'");
    refuse_world(M "plants: {b: {model: brik.yaml}}\nvehicles: {v: {plant: b}}\n", "IB0101",
                 "brik.yaml");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, devices: {i: "
                   "{type: imu, body: brik}}}}\n",
                 "IB0312", "did you mean 'brick'");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, devices: {i: "
                   "{type: imo}}}}\n",
                 "IB0215", "did you mean 'imu'");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, devices: {i: "
                   "{type: imu, gyro: {nois: 1}}}}}\n",
                 "IB0210", "did you mean 'gyro.noise'");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, devices: {i: "
                   "{type: imu, gyro: {noise: -1}}}}}\n",
                 "IB0607", "gyro.noise");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, devices: {i: "
                   "{type: imu, rate: 300 Hz}}}}\n",
                 "IB0715", "300 Hz");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, devices: {i: "
                   "{type: imu}}, faults: [{device: j, kind: dead, at: 1}]}}\n",
                 "IB0342", "'j'");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, devices: {i: "
                   "{type: imu}, u: {type: icu, sequence: [{after: burnout(i), do: arm}]}}}}\n",
                 "IB0342", "'i' is none");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, flight_computer: "
                   "c}}\n",
                 "IB0343", "'c'");
    refuse_world(M "flight_computers: {c: {native: none.so}}\nplants: {b: {model: "
                   "brick.yaml}}\nvehicles: {v: {plant: b, flight_computer: c}}\n",
                 "IB0101", "none.so");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, initial: "
                   "{position: [0, 0, 0], latitude: 1}}}\n",
                 "IB0222", "exclude");
    refuse_world(M "plants: {b: {model: brick.yaml}}\nvehicles: {v: {plant: b, initial: "
                   "{quaternion: [1, 1, 0, 0]}}}\n",
                 "IB0603", "1.41");
    refuse_world(M BODY "events: [{name: e, when: altitud(v), do: [{stop: true}]}]\n", "IB0407",
                 "altitud");
    refuse_world(M BODY "events: [{name: e, when: v.altitudo, do: [{stop: true}]}]\n", "IB0407",
                 "v.altitude");
    refuse_world(M BODY "events: [{name: e, when: t - 1, do: [{stop: true, mark: x}]}]\n", "IB0222",
                 "one key");
    refuse_world(M BODY "events: [{name: e, when: t - 1, do: [{separate: {vehicle: v, part: "
                        "x}}]}]\n",
                 "IB0345", "'x'");
    refuse_world(M BODY "record: [\"w.*\"]\n", "IB0904", "w.*");
#undef M
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_1),        cmocka_unit_test(test_case_4),
        cmocka_unit_test(test_case_6),        cmocka_unit_test(test_case_9),
        cmocka_unit_test(test_brick),         cmocka_unit_test(test_frames),
        cmocka_unit_test(test_at_rest),       cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rates_refused), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
