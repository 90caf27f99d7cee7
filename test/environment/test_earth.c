/* Geodetic coordinates against values of 17 digits, there and back over the whole Earth. */
#include "environment_test.h"

static void test_reference_points(void **state) {
    (void)state;
    table *known = table_read("flight/wgs84_lla_ecef.csv");
    double worst_there = 0, worst_back = 0;
    for (int i = 0; i < known->n_rows; i++) {
        const ib_geodetic place = {table_number(known, i, "lat_deg") * DEGREE,
                                   table_number(known, i, "lon_deg") * DEGREE,
                                   table_number(known, i, "h_m")};
        const double r[3] = {table_number(known, i, "x_m"), table_number(known, i, "y_m"),
                             table_number(known, i, "z_m")};
        double there[3], again[3];
        ib_ecef_from_geodetic(&wgs84, &place, there);
        worst_there = fmax(worst_there, distance3(there, r));
        ib_geodetic back;
        ib_geodetic_from_ecef(&wgs84, r, &back);
        const double a = IB_WGS84_RADIUS;
        worst_back = fmax(worst_back, fabs(back.latitude - place.latitude) * a);
        worst_back = fmax(worst_back, fabs(back.height - place.height));
        if (fabs(place.latitude) < 89 * DEGREE)
            worst_back = fmax(worst_back, fabs(ib_longitude(back.longitude - place.longitude)) * a);
        ib_ecef_from_geodetic(&wgs84, &back, again);
        worst_back = fmax(worst_back, distance3(again, r));
    }
    ASSERT_NEAR(worst_there, 0, 2e-9);
    ASSERT_NEAR(worst_back, 0, 1e-8);
    free(known);
}

/* Random places from 1000 km below the ground to beyond the moon's distance come back. */
static void test_round_trip(void **state) {
    (void)state;
    static const double heights[] = {-1e6, -1e4, 0, 1e4, 1e6, 1e8, 4e8};
    uint64_t sequence = 0;
    for (int i = 0; i < 20000; i++) {
        const double h = heights[i % 7];
        const ib_geodetic place = {next_random(&sequence, -90, 90) * DEGREE,
                                   next_random(&sequence, -180, 180) * DEGREE, h};
        double r[3];
        ib_geodetic back;
        ib_ecef_from_geodetic(&wgs84, &place, r);
        ib_geodetic_from_ecef(&wgs84, r, &back);
        const double size = IB_WGS84_RADIUS + h;
        ASSERT_NEAR(back.height, h, 1e-15 * size + 1e-9);
        ASSERT_NEAR(back.latitude * size, place.latitude * size, 1e-15 * size);
        ASSERT_NEAR(back.longitude, place.longitude, 1e-15);
    }
}

static void test_date_line(void **state) {
    (void)state;
    const double pi = 0x1.921fb54442d18p+1;
    ib_geodetic place;
    ib_geodetic_from_ecef(&wgs84, (const double[3]){-7e6, 0, 0}, &place);
    assert_true(place.longitude == pi);
    ib_geodetic_from_ecef(&wgs84, (const double[3]){-7e6, -0.0, 0}, &place);
    assert_true(place.longitude == pi);
    ib_geodetic_from_ecef(&wgs84, (const double[3]){-7e6, -1, 0}, &place);
    assert_true(place.longitude < 0 && place.longitude > -pi);
    assert_true(ib_longitude(-pi) == pi && ib_longitude(pi) == pi);
    ASSERT_NEAR(ib_longitude(190 * DEGREE), -170 * DEGREE, 1e-15);
    ASSERT_NEAR(ib_longitude(-540 * DEGREE + 0.25), -pi + 0.25, 1e-15);
}

/* On the axis there is no longitude, at the centre nothing: numbers all the same. */
static void test_axis_and_centre(void **state) {
    (void)state;
    ib_geodetic place;
    const double b = IB_WGS84_RADIUS * (1 - IB_WGS84_FLATTENING);
    ib_geodetic_from_ecef(&wgs84, (const double[3]){0, 0, b + 12}, &place);
    ASSERT_NEAR(place.latitude, 90 * DEGREE, 1e-15);
    ASSERT_NEAR(place.height, 12, 2e-9);
    assert_true(place.longitude == 0);
    ib_geodetic_from_ecef(&wgs84, (const double[3]){0, 0, -b}, &place);
    ASSERT_NEAR(place.latitude, -90 * DEGREE, 1e-15);
    uint64_t sequence = 0;
    for (int i = 0; i < 2000; i++) {
        double r[3];
        for (int k = 0; k < 3; k++)
            r[k] = i ? next_random(&sequence, -5e4, 5e4) : 0;
        ib_geodetic_from_ecef(&wgs84, r, &place);
        assert_true(isfinite(place.latitude) && isfinite(place.longitude));
        assert_true(place.height < -6.2e6 && fabs(place.latitude) <= 90 * DEGREE);
    }
}

/* A sphere: latitude is geocentric. */
static void test_sphere(void **state) {
    (void)state;
    const ib_earth sphere = {IB_EARTH_SPHERE, 6371000, 0, 0};
    ib_geodetic place;
    const double r[3] = {3e6, -4e6, 5e6 * sqrt(3.0)};
    ib_geodetic_from_ecef(&sphere, r, &place);
    ASSERT_NEAR(place.latitude, 60 * DEGREE, 1e-15);
    ASSERT_NEAR(place.longitude, atan2(-4, 3), 1e-15);
    ASSERT_NEAR(place.height, 1e7 - 6371000, 2e-9);
}

/* The height alone is the one with the latitude, to a few units in the last place of the distance.
 */
static void test_height_alone(void **state) {
    (void)state;
    ib_environment environment;
    ib_environment_default(&environment);
    for (uint64_t k = 0; k < 20000; k++) {
        const double size =
            1e6 + 5e7 * ib_random_uniform(1, 2, 0, k) * ib_random_uniform(1, 2, 1, k);
        double r[3], unit[3];
        for (uint32_t i = 0; i < 3; i++)
            r[i] = ib_random_normal(1, 2, 2 + i, k);
        ib_unit(r, unit);
        for (int i = 0; i < 3; i++)
            r[i] = size * unit[i];
        ib_normal normal;
        ib_normal_at(&environment.earth, r, &normal);
        assert_true(fabs(ib_height_at(&environment.earth, r) - normal.height) <=
                    2e-9 + 1e-15 * size);
    }
}

/* What forces feel is what the probe says. */
static void test_feel(void **state) {
    (void)state;
    ib_environment environment;
    ib_environment_default(&environment);
    const double r[3] = {6.2e6, 1.1e6, 1.2e6};
    ib_surroundings whole, felt;
    for (int calm = 0; calm < 2; calm++) {
        environment.wind.steady[0] = calm ? 0 : 7;
        ib_environment_probe(&environment, r, 100, &whole);
        ib_environment_feel(&environment, r, 100, &felt);
        for (int i = 0; i < 3; i++) {
            assert_true(felt.gravity[i] == whole.gravity[i]);
            assert_true(fabs(felt.air_velocity[i] - whole.air_velocity[i]) < 1e-12);
        }
        assert_true(fabs(felt.air.density / whole.air.density - 1) < 1e-11);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_points),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_date_line),
        cmocka_unit_test(test_axis_and_centre),
        cmocka_unit_test(test_sphere),
        cmocka_unit_test(test_height_alone),
        cmocka_unit_test(test_feel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
