/* Wind: directions, profile, gusts; turbulence against Dryden's correlations and its symmetries. */
#include "environment_test.h"

#include "base/base.h"

static void test_direction(void **state) {
    (void)state;
    double wind[3];
    ib_wind_from_direction(10, 270 * DEGREE, wind); /* a west wind blows to the east */
    ASSERT_NEAR(wind[0], 0, 1e-14);
    ASSERT_NEAR(wind[1], 10, 1e-14);
    ib_wind_from_direction(10, 0, wind); /* a north wind to the south */
    ASSERT_NEAR(wind[0], -10, 1e-14);
    assert_true(wind[2] == 0);
}

static void test_profile_and_gust(void **state) {
    (void)state;
    static ib_wind wind = {
        .steady = {1, 2, 3},
        .n_levels = 3,
        .levels = {{0, {0, 0, 0}}, {100, {10, -10, 0}}, {300, {10, 30, 1}}},
        .n_gusts = 1,
        .gusts = {{5, 2, {4, 0, -8}}},
    };
    double ned[3], slope[3];
    ib_wind_mean(&wind, 50, 0, ned, slope);
    assert_true(ned[0] == 6 && ned[1] == -3 && ned[2] == 3);
    assert_true(slope[0] == 0.1 && slope[1] == -0.1 && slope[2] == 0);
    ib_wind_mean(&wind, 200, 0, ned, slope);
    assert_true(ned[0] == 11 && ned[1] == 12 && ned[2] == 3.5);
    assert_true(slope[0] == 0 && slope[1] == 0.2 && slope[2] == 0.005);
    ib_wind_mean(&wind, -7, 0, ned, slope);
    assert_true(ned[0] == 1 && slope[0] == 0);
    ib_wind_mean(&wind, 1e9, 0, ned, slope);
    assert_true(ned[1] == 32 && slope[1] == 0);
    /* Full at half its time, nothing at its ends. */
    ib_wind_mean(&wind, 0, 6, ned, slope);
    ASSERT_NEAR(ned[0], 5, 1e-15);
    ASSERT_NEAR(ned[2], -5, 1e-15);
    ib_wind_mean(&wind, 0, 5.5, ned, slope);
    ASSERT_NEAR(ned[0], 3, 1e-15);
    ib_wind_mean(&wind, 0, 7, ned, slope);
    ASSERT_NEAR(ned[0], 1, 1e-15);
    ib_wind_mean(&wind, 0, 5, ned, slope);
    ASSERT_NEAR(ned[0], 1, 1e-15);
}

enum { SEEDS = 2000 };

/* Over 4000 seeds the estimate of a correlation is known to about s^2 sqrt(2 / 4000) = 0.022 s^2,
 * and an axis average of three to 0.013 s^2: four of these are the bound. */
static void test_correlations(void **state) {
    (void)state;
    static const double lags[] = {0, 0.3, 1, 2};
    const double scale = 200, intensity = 1.5;
    double along[IB_COUNT(lags)] = {0}, across[IB_COUNT(lags)] = {0};
    static ib_turbulence field;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        field = (ib_turbulence){.intensity = intensity, .scale = scale};
        ib_turbulence_prepare(&field, seed);
        double here[3], there[3], gradient[9];
        ib_turbulence_at(&field, (const double[3]){0, 0, 0}, 0, here, gradient);
        for (size_t i = 0; i < IB_COUNT(lags); i++)
            for (int axis = 0; axis < 3; axis++) {
                double r[3] = {0, 0, 0};
                r[axis] = lags[i] * scale;
                ib_turbulence_at(&field, r, 0, there, gradient);
                along[i] += here[axis] * there[axis] / (3 * SEEDS);
                const int other = (axis + 1) % 3;
                across[i] += here[other] * there[other] / (3 * SEEDS);
            }
    }
    for (size_t i = 0; i < IB_COUNT(lags); i++) {
        const double square = intensity * intensity, decay = exp(-lags[i]);
        ASSERT_NEAR(along[i] / square, decay, 0.073);
        ASSERT_NEAR(across[i] / square, (1 - lags[i] / 2) * decay, 0.073);
    }
}

/* The gradient is that of the velocity, its trace is zero, and the field is carried along. */
static void test_field(void **state) {
    (void)state;
    static ib_turbulence field;
    field = (ib_turbulence){.intensity = 2, .scale = 100, .carry = {5, -3, 0.5}};
    ib_turbulence_prepare(&field, 9);
    uint64_t sequence = 0;
    for (int i = 0; i < 50; i++) {
        double r[3], u[3], gradient[9];
        for (int k = 0; k < 3; k++)
            r[k] = next_random(&sequence, -1000, 1000);
        ib_turbulence_at(&field, r, 3, u, gradient);
        ASSERT_NEAR(gradient[0] + gradient[4] + gradient[8], 0, 1e-14);
        for (int j = 0; j < 3; j++) {
            double low[3], high[3], unused[9], at[3] = {r[0], r[1], r[2]};
            const double h = 1e-4;
            at[j] = r[j] + h;
            ib_turbulence_at(&field, at, 3, high, unused);
            at[j] = r[j] - h;
            ib_turbulence_at(&field, at, 3, low, unused);
            for (int k = 0; k < 3; k++)
                ASSERT_NEAR(gradient[3 * k + j], (high[k] - low[k]) / (2 * h), 2e-6);
        }
        double later[3], unused[9], carried[3];
        ib_axpy(r, 7, field.carry, carried);
        ib_turbulence_at(&field, carried, 10, later, unused);
        ASSERT_NEAR(distance3(u, later), 0, 1e-11);
    }
}

static void test_seeds_differ(void **state) {
    (void)state;
    static ib_turbulence a, b;
    double u[3], v[3], gradient[9];
    const double r[3] = {1, 2, 3};
    a = (ib_turbulence){.intensity = 2, .scale = 100};
    b = a;
    ib_turbulence_prepare(&a, 1);
    ib_turbulence_prepare(&b, 1);
    ib_turbulence_at(&a, r, 0, u, gradient);
    ib_turbulence_at(&b, r, 0, v, gradient);
    assert_memory_equal(u, v, sizeof u);
    ib_turbulence_prepare(&b, 2);
    ib_turbulence_at(&b, r, 0, v, gradient);
    assert_true(distance3(u, v) > 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direction),    cmocka_unit_test(test_profile_and_gust),
        cmocka_unit_test(test_correlations), cmocka_unit_test(test_field),
        cmocka_unit_test(test_seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
