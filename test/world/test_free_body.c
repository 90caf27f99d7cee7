/* Free flight with steps of 1 ms against solutions of high accuracy: spheres that fall through the
 * air of round and ellipsoidal, resting and turning Earths, a tumbling brick, orbits. */
#include "references/table.h"

#include <math.h>

#include "world/world.h"

#define DEGREE (3.14159265358979323846 / 180)
#define MS INT64_C(1000000)
#define FOOT 0.3048
#define SLUG 14.593902937206364

static ib_environment world;
static ib_free_body body;

#define ASSERT_NEAR(a, b, tolerance)                                                               \
    do {                                                                                           \
        const double a_ = (a), b_ = (b);                                                           \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%.17g is not %.17g: off by %.3g, more than %.3g", a_, b_, fabs(a_ - b_),     \
                     (double)(tolerance));                                                         \
    } while (0)

static void sphere(double drag_area) {
    const double J = 3.6 * SLUG * FOOT * FOOT;
    body = (ib_free_body){
        .mass = SLUG, .inertia = {J, 0, 0, 0, J, 0, 0, 0, J}, .drag_area = drag_area};
    assert_int_equal(ib_free_body_prepare(&body, "sphere", NULL, IB_NO_PLACE), IB_OK);
}

static ib_geodetic geodetic(const ib_surroundings *around) {
    ib_geodetic place;
    ib_geodetic_from_normal(&around->normal, &place);
    return place;
}

static void prepare(void) {
    assert_int_equal(ib_environment_prepare(&world, 0, NULL, IB_NO_PLACE), IB_OK);
}

static void vector(const table *known, int row, const char *const names[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = table_number(known, row, names[i]);
}

static const char *const positions[] = {"eci_x_m", "eci_y_m", "eci_z_m"};
static const char *const velocities[] = {"eci_vx_mps", "eci_vy_mps", "eci_vz_mps"};
static const char *const fixed[] = {"ecef_x_m", "ecef_y_m", "ecef_z_m"};
static const char *const relative[] = {"vn_mps", "ve_mps", "vd_mps"};
static const char *const rates[] = {"p_degps", "q_degps", "r_degps"};

static void start(const table *known, ib_flight_state *state) {
    vector(known, 0, positions, state->position);
    vector(known, 0, velocities, state->velocity);
    vector(known, 0, rates, state->rate);
    for (int i = 0; i < 3; i++)
        state->rate[i] *= DEGREE;
    static const char *const q[] = {"q_i2b_w", "q_i2b_x", "q_i2b_y", "q_i2b_z"};
    for (int i = 0; i < 4; i++)
        state->attitude[i] = table_number(known, 0, q[i]);
    ib_quat_normalize(state->attitude);
}

static void assert_vector(const double a[3], const double b[3], double tolerance) {
    for (int i = 0; i < 3; i++)
        ASSERT_NEAR(a[i], b[i], tolerance);
}

/* Everything that the reference tells at one second. */
static void compare(const table *known, int row, const ib_flight_state *state) {
    ib_truth_point truth;
    ib_surroundings around;
    double expected[3], ned[9], velocity[3], own[3];
    ib_free_body_truth(&body, &world, row * IB_SECOND, state, &truth);
    ib_environment_probe(&world, state->position, row, &around);
    vector(known, row, positions, expected);
    assert_vector(state->position, expected, 1e-6);
    vector(known, row, velocities, expected);
    assert_vector(state->velocity, expected, 1e-8);
    vector(known, row, fixed, expected);
    assert_vector(truth.position, expected, 1e-6);
    ib_ned_from_ecef(geodetic(&around).latitude, geodetic(&around).longitude, ned);
    ib_mul3v(ned, truth.velocity, velocity);
    vector(known, row, relative, expected);
    assert_vector(velocity, expected, 1e-8);
    vector(known, row, rates, expected);
    for (int i = 0; i < 3; i++)
        own[i] = state->rate[i] / DEGREE;
    assert_vector(own, expected, 1e-8);
    ASSERT_NEAR(around.normal.height, table_number(known, row, "alt_m"), 1e-6);
    ASSERT_NEAR(geodetic(&around).latitude / DEGREE, table_number(known, row, "lat_deg"), 1e-11);
    ASSERT_NEAR(geodetic(&around).longitude / DEGREE, table_number(known, row, "lon_deg"), 1e-11);
    static const char *const q[] = {"q_i2b_w", "q_i2b_x", "q_i2b_y", "q_i2b_z"};
    double product = 0;
    for (int i = 0; i < 4; i++)
        product += state->attitude[i] * table_number(known, row, q[i]);
    ASSERT_NEAR(fabs(product), 1, 1e-13);
    ASSERT_NEAR(around.air.density / table_number(known, row, "rho_kgm3"), 1, 1e-9);
    ASSERT_NEAR(around.air.pressure / table_number(known, row, "press_Pa"), 1, 1e-9);
    double wind[3];
    ib_sub3(state->velocity, around.air_velocity, wind);
    ASSERT_NEAR(ib_norm(wind), table_number(known, row, "tas_mps"), 1e-8);
}

static void fly(const char *file) {
    table *known = table_read(file);
    ib_flight_state state;
    start(known, &state);
    assert_int_equal(known->n_rows, 31);
    for (int64_t k = 0; k <= 30000; k++) {
        if (k % 1000 == 0)
            compare(known, (int)(k / 1000), &state);
        ib_free_body_advance(&body, &world, k * MS, MS, &state);
    }
    free(known);
}

#define SPHERE_DRAG (0.1 * 0.01824146545248)

static void test_case_1(void **state) {
    (void)state;
    ib_environment_default(&world);
    prepare();
    sphere(0);
    fly("flight/ref_nesc_atmos_01.csv");
}

static void test_case_4(void **state) {
    (void)state;
    ib_environment_default(&world);
    world.earth = (ib_earth){IB_EARTH_SPHERE, 20902255.199 * FOOT, 0, 0};
    world.gravity.kind = IB_GRAVITY_INVERSE_SQUARE;
    prepare();
    sphere(SPHERE_DRAG);
    fly("flight/ref_nesc_atmos_04.csv");
}

static void test_case_6(void **state) {
    (void)state;
    ib_environment_default(&world);
    prepare();
    sphere(SPHERE_DRAG);
    fly("flight/ref_nesc_atmos_06.csv");
}

static void test_case_9(void **state) {
    (void)state;
    ib_environment_default(&world);
    prepare();
    sphere(SPHERE_DRAG);
    fly("flight/ref_nesc_atmos_09.csv");
}

/* ---- the brick ---- */

static void test_brick(void **state) {
    (void)state;
    table *known = table_read("flight/torque_free_brick.csv");
    table *constants = table_read("flight/torque_free_brick_constants.csv");
    double J[3];
    for (int i = 0; i < 3; i++)
        J[i] = strtod(constants->cell[i][1], NULL);
    body = (ib_free_body){.mass = 2, .inertia = {J[0], 0, 0, 0, J[1], 0, 0, 0, J[2]}};
    assert_int_equal(ib_free_body_prepare(&body, "brick", NULL, IB_NO_PLACE), IB_OK);
    ib_environment_default(&world);
    prepare();
    ib_flight_state brick = {.position = {7e6, 0, 0},
                             .attitude = {1, 0, 0, 0},
                             .rate = {10 * DEGREE, 20 * DEGREE, 30 * DEGREE}};
    static const char *const q[] = {"q_w", "q_x", "q_y", "q_z"};
    for (int64_t k = 0; k <= 30000; k++) {
        if (k % 1000 == 0) {
            const int row = (int)(k / 1000);
            double expected[3], product = 0;
            vector(known, row, rates, expected);
            for (int i = 0; i < 3; i++)
                ASSERT_NEAR(brick.rate[i] / DEGREE, expected[i], 1e-8);
            for (int i = 0; i < 4; i++)
                product += brick.attitude[i] * table_number(known, row, q[i]);
            ASSERT_NEAR(fabs(product), 1, 1e-14);
            for (int i = 0; i < 4; i++)
                ASSERT_NEAR(brick.attitude[i] * (product < 0 ? -1 : 1),
                            table_number(known, row, q[i]), 1e-11);
        }
        ib_free_body_advance(&body, &world, k * MS, MS, &brick);
    }
    free(known);
    free(constants);
}

/* ---- orbits: a day in steps of 1 s ---- */

static void test_kepler(void **state) {
    (void)state;
    static const char *const r[] = {"x_m", "y_m", "z_m"};
    static const char *const v[] = {"vx_mps", "vy_mps", "vz_mps"};
    table *known = table_read("flight/kepler_two_body.csv");
    ib_environment_default(&world);
    world.gravity.kind = IB_GRAVITY_INVERSE_SQUARE;
    world.atmosphere = IB_ATMOSPHERE_NONE;
    prepare();
    sphere(0);
    ib_flight_state orbit = {.attitude = {1, 0, 0, 0}};
    int64_t second = 0;
    for (int row = 0; row < known->n_rows; row++) {
        const int64_t until = (int64_t)table_number(known, row, "t_s");
        double expected[3];
        if (until == 0) {
            vector(known, row, r, orbit.position);
            vector(known, row, v, orbit.velocity);
            second = 0;
        }
        for (; second < until; second++)
            ib_free_body_advance(&body, &world, second * IB_SECOND, IB_SECOND, &orbit);
        /* Of fourth order: (n h)^4 / 120 of phase an orbit's radian, n = 0.00114 rad/s. */
        vector(known, row, r, expected);
        assert_vector(orbit.position, expected, 1e-4);
    }
    free(known);
}

/* ---- properties ---- */

/* Half the step, a sixteenth of the error, in motion and attitude alike. */
static void test_order(void **state) {
    (void)state;
    ib_environment_default(&world);
    prepare();
    body = (ib_free_body){.mass = 10,
                          .inertia = {1, 0.1, 0, 0.1, 2, 0.2, 0, 0.2, 3},
                          .drag_area = 0.5,
                          .force = {20, 3, -1},
                          .torque = {0.1, -0.2, 0.3}};
    assert_int_equal(ib_free_body_prepare(&body, "body", NULL, IB_NO_PLACE), IB_OK);
    ib_flight_state ends[3];
    for (int level = 0; level < 3; level++) {
        ib_flight_state flight = {.position = {6386000, 0, 3000},
                                  .velocity = {50, 600, 80},
                                  .attitude = {0.5, 0.5, -0.5, 0.5},
                                  .rate = {1, 2, 0.5}};
        const ib_time step = (40 * MS) >> level;
        for (ib_time t = 0; t < 4 * IB_SECOND; t += step)
            ib_free_body_advance(&body, &world, t, step, &flight);
        ends[level] = flight;
    }
    double far[3], near[3], far_q = 0, near_q = 0;
    ib_sub3(ends[0].velocity, ends[1].velocity, far);
    ib_sub3(ends[1].velocity, ends[2].velocity, near);
    ASSERT_NEAR(ib_norm(far) / ib_norm(near), 16, 1.5);
    for (int i = 0; i < 4; i++) {
        const double a = ends[0].attitude[i] - ends[1].attitude[i];
        const double b = ends[1].attitude[i] - ends[2].attitude[i];
        far_q += a * a, near_q += b * b;
    }
    ASSERT_NEAR(sqrt(far_q / near_q), 16, 1.5);
}

/* Without drag no air is asked for, which changes no bit: so little drag does not show. */
static void test_no_drag(void **state) {
    (void)state;
    ib_environment_default(&world);
    world.wind.steady[1] = 10;
    prepare();
    ib_flight_state ends[2];
    for (int k = 0; k < 2; k++) {
        sphere(k ? 1e-300 : 0);
        body.force[0] = 3;
        ends[k] = (ib_flight_state){.position = {6386000, 0, 3000},
                                    .velocity = {50, 600, 80},
                                    .attitude = {1, 0, 0, 0},
                                    .rate = {1, 2, 0.5}};
        for (ib_time t = 0; t < IB_SECOND; t += 10 * MS)
            ib_free_body_advance(&body, &world, t, 10 * MS, &ends[k]);
    }
    assert_memory_equal(&ends[0], &ends[1], sizeof ends[0]);
}

/* Forces frozen over the tick: the seed's literal form is 1.3 cm off after 30 s. */
static void test_forces_by_tick(void **state) {
    (void)state;
    table *known = table_read("flight/ref_nesc_atmos_06.csv");
    ib_environment_default(&world);
    prepare();
    sphere(SPHERE_DRAG);
    body.sampling = IB_FORCES_BY_TICK;
    ib_flight_state flight;
    double expected[3], off[3];
    start(known, &flight);
    for (int64_t k = 0; k < 30000; k++)
        ib_free_body_advance(&body, &world, k * MS, MS, &flight);
    vector(known, 30, positions, expected);
    ib_sub3(flight.position, expected, off);
    ASSERT_NEAR(ib_norm(off), 0.013, 0.002);
    free(known);
}

/* At rest on a pad that holds it: an inertial unit reads the reference's specific force. */
static void test_specific_force(void **state) {
    (void)state;
    ib_environment_default(&world);
    world.earth = (ib_earth){IB_EARTH_FLAT, IB_WGS84_RADIUS, IB_WGS84_FLATTENING, 0};
    world.gravity = (ib_gravity){.kind = IB_GRAVITY_UNIFORM, .uniform = {0, 0, -9.80665}};
    prepare();
    sphere(0);
    body.force[2] = -9.80665 * body.mass; /* forward, right, down */
    ib_flight_state rest = {.attitude = {0, 1, 0, 0}};
    ib_truth_point truth;
    ib_free_body_truth(&body, &world, 0, &rest, &truth);
    assert_vector(truth.specific_force, (const double[3]){0, 0, -9.80665}, 1e-14);
    ib_free_body_advance(&body, &world, 0, MS, &rest);
    assert_vector(rest.velocity, (const double[3]){0, 0, 0}, 1e-17);
}

static void test_wrong_bodies(void **state) {
    (void)state;
    static const ib_free_body wrong[] = {
        {.mass = 0, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
        {.mass = 1, .inertia = {1, 0.5, 0, 0, 1, 0, 0, 0, 1}},
        {.mass = 1, .inertia = {1, 2, 0, 2, 1, 0, 0, 0, 1}},
        {.mass = 1, .inertia = {(double)NAN, 0, 0, 0, 1, 0, 0, 0, 1}},
        {.mass = (double)NAN, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
        {.mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .drag_area = -1},
    };
    ib_diags *diags = ib_diags_create();
    for (size_t i = 0; i < IB_COUNT(wrong); i++) {
        body = wrong[i];
        assert_int_equal(ib_free_body_prepare(&body, "b", diags, IB_NO_PLACE), IB_BAD_INPUT);
        assert_int_equal(ib_diags_count(diags), i + 1);
    }
    ib_diags_destroy(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_1),         cmocka_unit_test(test_case_4),
        cmocka_unit_test(test_case_6),         cmocka_unit_test(test_case_9),
        cmocka_unit_test(test_brick),          cmocka_unit_test(test_kepler),
        cmocka_unit_test(test_no_drag),        cmocka_unit_test(test_order),
        cmocka_unit_test(test_forces_by_tick), cmocka_unit_test(test_specific_force),
        cmocka_unit_test(test_wrong_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
