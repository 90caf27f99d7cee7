/* The error model: converter, order of the terms, and the statistics that its densities promise. */
#include "avionics_test.h"

static const ib_fault_effect healthy = {.noise = {1, 1}, .slow = 1};

static void test_quantiser(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    int n = 0;
    for (int i = 0; i < known->n_rows; i++) {
        if (strcmp(known->cell[i][0], "quantise_lsb1"))
            continue;
        const double x = strtod(strchr(known->cell[i][1], '=') + 1, NULL);
        assert_true(ib_quantise(x, 1) == strtod(known->cell[i][2], NULL));
        n++;
    }
    assert_int_equal(n, 3);
    free(known);
    /* Halves go away from zero, and the number below a half does not. */
    static const double cases[][3] = {{0.5, 1, 1},        {-0.5, 1, -1},
                                      {2.5, 1, 3},        {-2.5, 1, -3},
                                      {0.375, 0.25, 0.5}, {0.49999999999999994, 1, 0},
                                      {7.3, 0, 7.3}};
    for (size_t i = 0; i < IB_COUNT(cases); i++)
        assert_true(ib_quantise(cases[i][0], cases[i][1]) == cases[i][2]);
}

/* A case in which every exchange of two terms gives another number. */
static void test_order(void **state) {
    (void)state;
    ib_error_spec spec = {.scale = {0.1}, .bias = {0.26}};
    ib_error_state error = {0};
    double value = 10;
    assert_int_equal(ib_error_apply(&spec, 1, 0, 1, MS, &healthy, 0, &error, &value), 0);
    ASSERT_NEAR(value, 11.26, 1e-14); /* not (10 + 0.26) 1.1 */
    spec.range = 11.2;
    spec.resolution = 0.5;
    value = 10;
    assert_int_equal(ib_error_apply(&spec, 1, 0, 1, MS, &healthy, 0, &error, &value),
                     IB_FLAG_SATURATED);
    assert_true(value == 11.0); /* not min(11.5, 11.2) */
    value = -1000;
    ib_error_apply(&spec, 1, 0, 1, MS, &healthy, 0, &error, &value);
    assert_true(value == -11.0);
    /* Noise comes before saturation: it never leads out of the range. */
    spec = (ib_error_spec){.noise = 10, .range = 1};
    for (int i = 0; i < 100; i++) {
        value = 0;
        ib_error_apply(&spec, 1, 0, 1, MS, &healthy, 0, &error, &value);
        assert_true(fabs(value) <= 1);
    }
    assert_int_equal(error.sample, 103);
}

/* Sensor axes turned by +90 degrees about z see a body's x as their -y. */
static void test_misalignment(void **state) {
    (void)state;
    const ib_error_spec spec = {.misalignment = {0, 0, 90 * DEGREE}, .scale = {0, 0.5, 0}};
    ib_error_state error = {0};
    double value[3] = {2, 0, 1};
    ib_error_apply(&spec, 1, 0, 3, MS, &healthy, 0, &error, value);
    ASSERT_NEAR(value[0], 0, 1e-15);
    ASSERT_NEAR(value[1], -3, 1e-15); /* the scale is the sensor's own axis's */
    ASSERT_NEAR(value[2], 1, 1e-15);
}

static void test_lever_arm(void **state) {
    (void)state;
    double out[3];
    /* Spinning about z at 2 rad/s, spinning up at 3 rad/s^2, 0.5 m out along x. */
    ib_lever_arm((const double[3]){0, 0, -9.8}, (const double[3]){0, 0, 2},
                 (const double[3]){0, 0, 3}, (const double[3]){0.5, 0, 0}, out);
    ASSERT_NEAR(out[0], -2, 1e-15);
    ASSERT_NEAR(out[1], 1.5, 1e-15);
    ASSERT_NEAR(out[2], -9.8, 1e-15);
}

enum { RUNS = 4000 };

/* Variance of the discrete white noise is N^2 / T; of 4000 numbers it is known to 2.2 %. */
static void test_white_noise(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    const double expected = table_value(known, "white_noise_N0.0035_fs1000", "sigma_discrete");
    free(known);
    const ib_error_spec spec = {.noise = 0.0035};
    ib_error_state error = {0};
    double square = 0;
    for (int i = 0; i < RUNS; i++) {
        double value = 0;
        ib_error_apply(&spec, 3, 0, 1, MS, &healthy, 0, &error, &value);
        square += value * value / RUNS;
        /* The very number: sigma times the stream's normal. */
        ASSERT_NEAR(value, expected * ib_stream_normal(3, 0, (uint64_t)i), 1e-15);
    }
    ASSERT_NEAR(square / (expected * expected), 1, 4 * 0.0224);
}

/* Gauss-Markov: variance s^2 from the first sample on, correlation exp(-t/tau). The reference gives
 * the recursion's numbers at T = 0.01 s, tau = 100 s. */
static void test_gauss_markov(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    const double phi = table_value(known, "gauss_markov_sigma1_tau100_dt0.01", "phi");
    const double drive = table_value(known, "gauss_markov_sigma1_tau100_dt0.01", "sigma_drive");
    free(known);
    const ib_error_spec fine = {.instability = 1, .instability_time = 100};
    ib_error_state error = {0};
    double value = 0, before;
    ib_error_apply(&fine, 5, 0, 1, 10 * MS, &healthy, 0, &error, &value);
    before = value;
    value = 0;
    ib_error_apply(&fine, 5, 0, 1, 10 * MS, &healthy, 0, &error, &value);
    ASSERT_NEAR(value, phi * before + drive * ib_stream_normal(5, 2, 1), 1e-14);

    const ib_error_spec spec = {.instability = 2, .instability_time = 5};
    double first = 0, last = 0, product = 0;
    for (uint64_t key = 0; key < RUNS; key++) {
        error = (ib_error_state){0};
        double start = 0, end = 0;
        for (int i = 0; i <= 5; i++) {
            end = 0;
            ib_error_apply(&spec, key, 0, 1, IB_SECOND, &healthy, 0, &error, &end);
            start = i ? start : end;
        }
        first += start * start / RUNS;
        last += end * end / RUNS;
        product += start * end / RUNS;
    }
    ASSERT_NEAR(first / 4, 1, 4 * 0.0224);
    ASSERT_NEAR(last / 4, 1, 4 * 0.0224);
    ASSERT_NEAR(product / 4, exp(-1), 4 * 0.0224);
}

/* Random walk: variance K^2 t after t. Turn-on bias: drawn once. */
static void test_walk_and_turn_on(void **state) {
    (void)state;
    const ib_error_spec walk = {.walk = 0.3}, turn_on = {.turn_on = 0.7};
    double square = 0, start = 0;
    for (uint64_t key = 0; key < RUNS; key++) {
        ib_error_state error = {0}, other = {0};
        double end = 0, one = 0, two = 0;
        for (int i = 0; i <= 16; i++) {
            end = 0;
            ib_error_apply(&walk, key, 0, 1, IB_SECOND / 4, &healthy, 0, &error, &end);
        }
        square += end * end / RUNS;
        ib_error_apply(&turn_on, key, 0, 1, MS, &healthy, 0, &other, &one);
        ib_error_apply(&turn_on, key, 0, 1, MS, &healthy, 0, &other, &two);
        assert_true(one == two);
        start += one * one / RUNS;
    }
    ASSERT_NEAR(square / (0.09 * 4), 1, 4 * 0.0224);
    ASSERT_NEAR(start / 0.49, 1, 4 * 0.0224);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiser),        cmocka_unit_test(test_order),
        cmocka_unit_test(test_misalignment),     cmocka_unit_test(test_lever_arm),
        cmocka_unit_test(test_white_noise),      cmocka_unit_test(test_gauss_markov),
        cmocka_unit_test(test_walk_and_turn_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
