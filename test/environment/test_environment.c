/* The one probe: what it shows agrees with the parts, in the axes it promises; wrong settings. */
#include "environment_test.h"

/* Large for a stack in tests. */
static ib_environment world;

static ib_geodetic geodetic(const ib_surroundings *around) {
    ib_geodetic place;
    ib_geodetic_from_normal(&around->normal, &place);
    return place;
}

static void prepare(void) {
    assert_int_equal(ib_environment_prepare(&world, 1, NULL, IB_NO_PLACE), IB_OK);
}

/* A place on the turned Earth: height, up, air that moves with the ground, a steady east wind. */
static void test_turned_earth(void **state) {
    (void)state;
    ib_environment_default(&world);
    ib_wind_from_direction(20, 270 * DEGREE, world.wind.steady);
    prepare();
    const double t = 5000;
    const ib_geodetic place = {40.9606 * DEGREE, 100.2983 * DEGREE, 12000};
    double fixed[3], ground[3], r[3], R[9], east[3];
    ib_ecef_from_geodetic(&wgs84, &place, fixed);
    ib_ned_from_ecef(place.latitude, place.longitude, R);
    ib_axpy((const double[3]){0, 0, 0}, 20, R + 3, east);
    double air[3];
    ib_state_to_inertial(&wgs84, t, fixed, east, r, air);
    ib_surroundings around;
    ib_environment_probe(&world, r, t, &around);
    ASSERT_NEAR(around.normal.height, 12000, 5e-9);
    ASSERT_NEAR(geodetic(&around).longitude, place.longitude, 1e-15);
    ASSERT_NEAR(distance3(around.air_velocity, air), 0, 1e-11);
    ib_air standard;
    ib_us76(12000, &standard);
    ASSERT_NEAR(around.air.density, standard.density, 1e-12);
    /* Up is the gradient of the height. */
    for (int j = 0; j < 3; j++) {
        ib_surroundings high, low;
        double moved[3] = {r[0], r[1], r[2]};
        moved[j] += 10;
        ib_environment_probe(&world, moved, t, &high);
        moved[j] -= 20;
        ib_environment_probe(&world, moved, t, &low);
        ASSERT_NEAR(around.up[j], (high.normal.height - low.normal.height) / 20, 1e-9);
    }
    ib_state_to_ecef(&wgs84, t, r, NULL, ground, NULL);
    ASSERT_NEAR(distance3(ground, fixed), 0, 5e-9);
}

/* The dipole: north along the equator's surface, up and down at the poles twice as strong, and in
 * the Earth's turning axes. */
static void test_magnetic_field(void **state) {
    (void)state;
    const double size = 6371200;
    double north[3], south[3], B[3];
    ib_magnetic_dipole((const double[3]){0, 0, size}, north);
    ib_magnetic_dipole((const double[3]){0, 0, -size}, south);
    ASSERT_NEAR(north[2], -2 * 29404.8e-9, 1e-18); /* into the ground at the north pole */
    ASSERT_NEAR(distance3(north, south), 0, 1e-20);
    ib_magnetic_dipole((const double[3]){size, 0, 0}, B);
    ASSERT_NEAR(B[2], 29404.8e-9, 1e-18);
    ASSERT_NEAR(B[0], -2 * 1450.9e-9, 1e-18);
    ASSERT_NEAR(B[1], -4652.5e-9, 1e-18);
    /* No sources: the divergence vanishes. */
    double divergence = 0;
    for (int j = 0; j < 3; j++) {
        double high[3], low[3], at[3] = {4e6, -3e6, 5e6};
        at[j] += 100;
        ib_magnetic_dipole(at, high);
        at[j] -= 200;
        ib_magnetic_dipole(at, low);
        divergence += (high[j] - low[j]) / 200;
    }
    ASSERT_NEAR(divergence, 0, 1e-19);
    ib_environment_default(&world);
    prepare();
    ib_surroundings around;
    const double quarter = 0.25 * 2 * 3.14159265358979323846 / IB_EARTH_RATE;
    ib_environment_probe(&world, (const double[3]){0, size, 0}, quarter, &around);
    ASSERT_NEAR(around.magnetic_field[1], B[0], 1e-17);
    ASSERT_NEAR(around.magnetic_field[0], -B[1], 1e-17);
    ASSERT_NEAR(around.magnetic_field[2], B[2], 1e-17);
}

/* Flat: uniform gravity, height is z, 100 m north is 100 m north. */
static void test_flat_earth(void **state) {
    (void)state;
    ib_environment_default(&world);
    world.earth.shape = IB_EARTH_FLAT;
    world.earth.rate = 0;
    world.gravity = (ib_gravity){.kind = IB_GRAVITY_UNIFORM, .uniform = {0, 0, -9.81}};
    world.origin = (ib_geodetic){48 * DEGREE, 11 * DEGREE, 0};
    world.wind.steady[1] = 3; /* to the east: -y */
    prepare();
    ib_surroundings around;
    ib_environment_probe(&world, (const double[3]){100, 0, 250}, 77, &around);
    assert_true(around.normal.height == 250 && around.gravity[2] == -9.81);
    assert_true(around.up[2] == 1 && around.up[0] == 0);
    assert_true(around.air_velocity[1] == -3 && around.air_velocity[0] == 0);
    const double f = IB_WGS84_FLATTENING, e2 = f * (2 - f), s = sin(48 * DEGREE);
    const double meridian = IB_WGS84_RADIUS * (1 - e2) / pow(1 - e2 * s * s, 1.5);
    ASSERT_NEAR((geodetic(&around).latitude - 48 * DEGREE) * meridian, 100, 1e-4);
    ASSERT_NEAR(geodetic(&around).longitude, 11 * DEGREE, 1e-12);
    /* The field at the origin is that of the curved Earth there, in north, west, up. */
    double fixed[3], B[3], R[9], ned[3];
    const ib_geodetic ground = {48 * DEGREE, 11 * DEGREE, 0};
    ib_ecef_from_geodetic(&wgs84, &ground, fixed);
    ib_magnetic_dipole(fixed, B);
    ib_ned_from_ecef(ground.latitude, ground.longitude, R);
    ib_mul3v(R, B, ned);
    ib_environment_probe(&world, (const double[3]){0, 0, 0}, 77, &around);
    ASSERT_NEAR(around.magnetic_field[0], ned[0], 1e-19);
    ASSERT_NEAR(around.magnetic_field[1], -ned[1], 1e-19);
    ASSERT_NEAR(around.magnetic_field[2], -ned[2], 1e-19);
}

/* Turbulence turns with the Earth: an observer fixed to it meets the same gusts in its axes. */
static void test_turbulence_in_axes(void **state) {
    (void)state;
    ib_environment_default(&world);
    world.wind.turbulence = (ib_turbulence){.intensity = 2, .scale = 300};
    prepare();
    const ib_geodetic place = {0.3, 0.4, 1000};
    double fixed[3], turn[9], u[3], gradient[9], gust[3];
    ib_ecef_from_geodetic(&wgs84, &place, fixed);
    ib_turbulence_at(&world.wind.turbulence, fixed, 900, u, gradient);
    const double rest[3] = {0, 0, 0}, curl = (gradient[7] - gradient[5]) / 2;
    double r[3], air[3];
    ib_state_to_inertial(&wgs84, 900, fixed, rest, r, air);
    ib_surroundings around;
    ib_environment_probe(&world, r, 900, &around);
    ib_sub3(around.air_velocity, air, gust);
    ib_ecef_from_inertial(&wgs84, 900, turn);
    double turned[3], rate[3];
    ib_mul3v(turn, gust, turned);
    ib_mul3v(turn, around.air_rate, rate);
    ASSERT_NEAR(distance3(turned, u), 0, 1e-9);
    ASSERT_NEAR(rate[0], curl, 1e-9);
    assert_true(ib_norm(u) > 0.1);
}

static void test_no_atmosphere(void **state) {
    (void)state;
    ib_environment_default(&world);
    world.atmosphere = IB_ATMOSPHERE_NONE;
    world.magnetic_field = false;
    prepare();
    ib_surroundings around;
    ib_environment_probe(&world, (const double[3]){7e6, 0, 0}, 0, &around);
    assert_true(around.air.density == 0 && around.air.pressure == 0);
    assert_true(ib_norm(around.magnetic_field) == 0);
}

/* ---- wrong settings ---- */

static void expect_refused(const char *words) {
    ib_diags *diags = ib_diags_create();
    assert_int_equal(ib_environment_prepare(&world, 1, diags, IB_NO_PLACE), IB_BAD_INPUT);
    assert_int_equal(ib_diags_count(diags), 1);
    const ib_diag *diag = ib_diags_at(diags, 0);
    if (!strstr(diag->message, words))
        fail_msg("'%s' lacks '%s'", diag->message, words);
    ib_diags_destroy(diags);
    ib_environment_default(&world);
}

static void test_wrong_settings(void **state) {
    (void)state;
    ib_environment_default(&world);
    world.earth.radius = (double)NAN;
    expect_refused("the Earth's radius");
    world.earth.shape = IB_EARTH_SPHERE;
    expect_refused("flattening is 0.00335");
    world.earth.shape = IB_EARTH_FLAT;
    world.earth.rate = 0;
    expect_refused("'uniform' goes with it");
    world.origin.latitude = 95 * DEGREE;
    expect_refused("latitude");
    world.gravity.mu = -1;
    expect_refused("gravitational parameter");
    world.wind.steady[2] = HUGE_VAL;
    expect_refused("steady wind");
    world.wind.n_levels = 2;
    expect_refused("rise from level to level");
    world.wind.n_levels = 65;
    expect_refused("at most 64 levels");
    world.wind.n_gusts = 1;
    expect_refused("duration is 0");
    world.wind.turbulence.intensity = -1;
    expect_refused("intensity");
    world.wind.turbulence.intensity = 1;
    expect_refused("scale");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turned_earth),  cmocka_unit_test(test_magnetic_field),
        cmocka_unit_test(test_flat_earth),    cmocka_unit_test(test_turbulence_in_axes),
        cmocka_unit_test(test_no_atmosphere), cmocka_unit_test(test_wrong_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
