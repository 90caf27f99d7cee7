/* Frames: the axes against their definitions, there and back, Euler angles at any pitch. */
#include "environment_test.h"

static void random_rotation(uint64_t *sequence, double R[9]) {
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = next_random(sequence, -3, 3);
    ib_so3_exp(e, R);
}

static double largest9(const double a[9], const double b[9]) {
    double largest = 0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* North and east are the directions in which latitude and longitude rise; down lowers the height.
 */
static void test_ned_axes(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (int i = 0; i < 500; i++) {
        const ib_geodetic place = {next_random(&sequence, -1.5, 1.5), next_random(&sequence, -3, 3),
                                   500};
        double R[9], r[3], away[3];
        ib_ned_from_ecef(place.latitude, place.longitude, R);
        ib_ecef_from_geodetic(&wgs84, &place, r);
        for (int k = 0; k < 3; k++) {
            ib_geodetic moved;
            ib_axpy(r, 10, R + 3 * k, away);
            ib_geodetic_from_ecef(&wgs84, away, &moved);
            const double size = IB_WGS84_RADIUS + 500, c = cos(place.latitude);
            ASSERT_NEAR((moved.latitude - place.latitude) * size, k == 0 ? 10 : 0, 0.08);
            ASSERT_NEAR((moved.longitude - place.longitude) * c * size, k == 1 ? 10 : 0, 0.08);
            ASSERT_NEAR(moved.height - 500, k == 2 ? -10 : 0, 2e-5);
        }
    }
}

/* A point of the ground rests in ECEF and moves with w x r in the inertial frame. */
static void test_rotating_earth(void **state) {
    (void)state;
    const double r[3] = {6378137, 0, 1000}, rest[3] = {0, 0, 0};
    const double t = 0.25 * 2 * 3.14159265358979323846 / IB_EARTH_RATE;
    double turned[3], speed[3];
    ib_state_to_inertial(&wgs84, t, r, rest, turned, speed);
    ASSERT_NEAR(turned[0], 0, 1e-8);
    ASSERT_NEAR(turned[1], 6378137, 1e-8);
    ASSERT_NEAR(speed[0], -IB_EARTH_RATE * 6378137, 1e-12);
    ASSERT_NEAR(speed[1], 0, 1e-12);
    uint64_t sequence = 0;
    for (int i = 0; i < 1000; i++) {
        double place[3], v[3], back[3], v_back[3];
        for (int k = 0; k < 3; k++) {
            place[k] = next_random(&sequence, -7e6, 7e6);
            v[k] = next_random(&sequence, -8e3, 8e3);
        }
        ib_state_to_ecef(&wgs84, 37.5 * i, place, v, back, v_back);
        ib_state_to_inertial(&wgs84, 37.5 * i, back, v_back, back, v_back);
        ASSERT_NEAR(distance3(back, place), 0, 5e-9);
        ASSERT_NEAR(distance3(v_back, v), 0, 5e-12);
    }
}

/* Eastward from the equator: x east, y north (to the left), z up. Northward: x north, y west. */
static void test_launch_frame(void **state) {
    (void)state;
    const ib_geodetic equator = {0, 0, 100};
    double origin[3], R[9];
    ib_launch_frame(&wgs84, &equator, 90 * DEGREE, origin, R);
    const double eastward[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    ASSERT_NEAR(largest9(R, eastward), 0, 1e-15);
    ASSERT_NEAR(origin[0], 6378237, 1e-9);
    ib_launch_frame(&wgs84, &equator, 0, origin, R);
    const double northward[9] = {0, 0, 1, 0, -1, 0, 1, 0, 0};
    ASSERT_NEAR(largest9(R, northward), 0, 1e-15);
    /* On a flat Earth the launch frame to the north is the inertial one, raised. */
    const ib_earth flat = {IB_EARTH_FLAT, IB_WGS84_RADIUS, IB_WGS84_FLATTENING, 0};
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ib_launch_frame(&flat, &equator, 0, origin, R);
    ASSERT_NEAR(largest9(R, one), 0, 1e-15);
    assert_true(origin[0] == 0 && origin[1] == 0 && origin[2] == 100);
}

/* The poles are places like others: the matrix is a rotation, up is the axis. */
static void test_launch_from_the_pole(void **state) {
    (void)state;
    const ib_geodetic pole = {90 * DEGREE, 0.7, 0};
    double origin[3], R[9], product[9];
    ib_launch_frame(&wgs84, &pole, 1.1, origin, R);
    const double transposed[9] = {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ib_mul33(R, transposed, product);
    ASSERT_NEAR(largest9(product, one), 0, 1e-15);
    ASSERT_NEAR(R[8], 1, 1e-15);
}

static void test_euler_there_and_back(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (int i = 0; i < 20000; i++) {
        double R[9], angles[3], back[9];
        random_rotation(&sequence, R);
        ib_euler_zyx(R, angles);
        ib_matrix_from_euler_zyx(angles, back);
        ASSERT_NEAR(largest9(R, back), 0, 2e-15);
    }
}

/* Straight up and down, and the last bits around it: finite, and the same rotation. */
static void test_euler_at_the_poles(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (int i = 0; i < 4000; i++) {
        const double off = i % 4 == 0 ? 0 : ldexp(next_random(&sequence, -1, 1), -(i % 60));
        const double given[3] = {next_random(&sequence, -3.1, 3.1),
                                 (i % 2 ? -90 : 90) * DEGREE + off,
                                 next_random(&sequence, -3.1, 3.1)};
        double R[9], angles[3], back[9];
        ib_matrix_from_euler_zyx(given, R);
        ib_euler_zyx(R, angles);
        ib_matrix_from_euler_zyx(angles, back);
        assert_true(fabs(angles[1]) <= 0x1.921fb54442d18p+0);
        ASSERT_NEAR(largest9(R, back), 0, 2e-15);
    }
    /* A matrix whose element is rounded beyond 1. */
    const double beyond[9] = {0, 0, 1 + 4e-16, 0, 1, 0, -1 - 4e-16, 0, 0};
    double angles[3];
    ib_euler_zyx(beyond, angles);
    ASSERT_NEAR(angles[1], 90 * DEGREE, 1e-15);
    ASSERT_NEAR(angles[0], 0, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ned_axes),
        cmocka_unit_test(test_rotating_earth),
        cmocka_unit_test(test_launch_frame),
        cmocka_unit_test(test_launch_from_the_pole),
        cmocka_unit_test(test_euler_there_and_back),
        cmocka_unit_test(test_euler_at_the_poles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
