/* Gravity against values of 17 digits, its gradient against Laplace's equation and differences. */
#include "environment_test.h"

static const ib_gravity j2 = {IB_GRAVITY_J2, {0}, IB_WGS84_MU, IB_EARTH_J2, IB_WGS84_RADIUS};

static void test_reference_points(void **state) {
    (void)state;
    table *known = table_read("flight/j2_gravity_points.csv");
    for (int i = 0; i < known->n_rows; i++) {
        const ib_geodetic place = {table_number(known, i, "lat_deg") * DEGREE,
                                   table_number(known, i, "lon_deg") * DEGREE,
                                   table_number(known, i, "h_m")};
        const double expected[3] = {table_number(known, i, "gx_mps2"),
                                    table_number(known, i, "gy_mps2"),
                                    table_number(known, i, "gz_mps2")};
        double r[3], g[3];
        ib_ecef_from_geodetic(&wgs84, &place, r);
        ib_gravity_at(&j2, r, g, NULL);
        ASSERT_NEAR(distance3(g, expected), 0, 5e-15);
    }
    free(known);
}

/* The factor 3 of the axial term, on r = a at 45 degrees. */
static void test_axial_factor(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    const double x = IB_WGS84_RADIUS * sqrt(0.5), r[3] = {x, 0, x};
    double g[3];
    ib_gravity_at(&j2, r, g, NULL);
    ASSERT_NEAR(g[2], table_value(known, "j2_wrong_z_sphere45deg", "gz_right"), 5e-15);
    free(known);
}

/* On the rotating ellipsoid at rest: the reaction of the ground in NED axes. */
static void test_static_specific_force(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double latitude;
    } cases[] = {{"static_imu_lat_0", 0},
                 {"static_imu_lat_28.3922", 28.3922},
                 {"static_imu_lat_40.9606", 40.9606},
                 {"static_imu_lat_45", 45},
                 {"static_imu_lat_90", 90}};
    table *known = table_read("flight/misc_expected_values.csv");
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        const ib_geodetic place = {cases[i].latitude * DEGREE, 0, 0};
        double r[3], g[3], R[9], f[3];
        ib_ecef_from_geodetic(&wgs84, &place, r);
        ib_gravity_at(&j2, r, g, NULL);
        const double w2 = IB_EARTH_RATE * IB_EARTH_RATE;
        const double force[3] = {-w2 * r[0] - g[0], -w2 * r[1] - g[1], -g[2]};
        ib_ned_from_ecef(place.latitude, 0, R);
        ib_mul3v(R, force, f);
        ASSERT_NEAR(f[0], table_value(known, cases[i].name, "f_N_mps2"), 5e-15);
        ASSERT_NEAR(f[1], 0, 5e-15);
        ASSERT_NEAR(f[2], table_value(known, cases[i].name, "f_D_mps2"), 5e-15);
    }
    free(known);
}

/* Differences of the fourth order, whose error is below 1e-13 1/s^2 here (1e-7 of the gradient). */
static void test_gradient(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (int kind = IB_GRAVITY_UNIFORM; kind <= IB_GRAVITY_J2; kind++) {
        ib_gravity gravity = j2;
        gravity.kind = (ib_gravity_kind)kind;
        gravity.j2 = 0.05; /* so that a mistake in its terms shows */
        gravity.uniform[2] = -9.81;
        for (int i = 0; i < 200; i++) {
            double r[3], g[3], gradient[9];
            for (int k = 0; k < 3; k++)
                r[k] = next_random(&sequence, -1, 1) * 7e6;
            if (ib_norm(r) < 5e6)
                continue;
            ib_gravity_at(&gravity, r, g, gradient);
            for (int j = 0; j < 3; j++) {
                double at[4][3];
                static const double steps[4] = {-2e3, -1e3, 1e3, 2e3};
                for (int s = 0; s < 4; s++) {
                    double moved[3] = {r[0], r[1], r[2]};
                    moved[j] += steps[s];
                    ib_gravity_at(&gravity, moved, at[s], NULL);
                }
                for (int k = 0; k < 3; k++) {
                    const double slope = (8 * (at[2][k] - at[1][k]) - (at[3][k] - at[0][k])) / 12e3;
                    ASSERT_NEAR(gradient[3 * k + j], slope, 5e-12);
                }
            }
            ASSERT_NEAR(gradient[0] + gradient[4] + gradient[8], 0, 1e-20);
            ASSERT_NEAR(gradient[1], gradient[3], 1e-20);
            ASSERT_NEAR(gradient[2], gradient[6], 1e-20);
            ASSERT_NEAR(gradient[5], gradient[7], 1e-20);
        }
    }
}

static void test_none_and_centre(void **state) {
    (void)state;
    const double zero[3] = {0, 0, 0};
    double g[3], gradient[9];
    ib_gravity_at(&j2, zero, g, gradient);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0 && gradient[0] == 0);
    const ib_gravity none = {.kind = IB_GRAVITY_NONE, .mu = 1, .uniform = {1, 2, 3}};
    ib_gravity_at(&none, (const double[3]){1, 2, 3}, g, gradient);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0 && gradient[8] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_points),      cmocka_unit_test(test_axial_factor),
        cmocka_unit_test(test_static_specific_force), cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_none_and_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
