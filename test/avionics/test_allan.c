/* One hour of an inertial unit at rest: its Allan deviation returns the densities it was given. */
#include "avionics_test.h"

enum { RATE = 100, HOUR = 3600 * RATE };

/* Overlapping Allan deviation at m samples of a record (IEEE Std 952-1997, C.1). */
static double allan(const double *record, int n, int m) {
    double *sum = malloc(((size_t)n + 1) * sizeof *sum);
    sum[0] = 0;
    for (int i = 0; i < n; i++)
        sum[i + 1] = sum[i] + record[i];
    double square = 0;
    const int count = n - 2 * m + 1;
    for (int i = 0; i < count; i++) {
        const double second = (sum[i + 2 * m] - 2 * sum[i + m] + sum[i]) / m;
        square += second * second;
    }
    free(sum);
    return sqrt(square / (2.0 * count));
}

static double *records[6];

static void record_hour(const ib_imu_spec *spec) {
    const ib_device device = make_device("imu", IB_SECOND / RATE);
    ib_sensor_state sensor = {0};
    ib_bus *bus = make_bus(4);
    for (int i = 0; i < HOUR; i++) {
        const ib_truth_point truth = at_rest(i * device.period);
        ib_message message;
        ib_imu_step(&device, spec, &truth, &sensor, bus);
        assert_true(ib_bus_take(bus, IB_TOPIC_IMU, IB_ANY, truth.time, &message));
        for (int k = 0; k < 3; k++) {
            records[k][i] = message.payload.imu.specific_force[k];
            records[3 + k][i] = message.payload.imu.rate[k];
        }
    }
    ib_bus_destroy(bus);
}

static void test_densities(void **state) {
    (void)state;
    ib_imu_spec spec = {0};
    ib_parameters_default(ib_parameters_of("imu"), &spec);
    spec.accelerometer.noise = 1e-3;
    spec.accelerometer.bias[1] = 0.02;
    spec.gyro.noise = 0.15 / 60 * DEGREE; /* 0.15 degrees per root hour */
    spec.gyro.turn_on = 1e-4;
    record_hour(&spec);
    for (int k = 0; k < 6; k++) {
        const double density = k < 3 ? spec.accelerometer.noise : spec.gyro.noise;
        ASSERT_NEAR(allan(records[k], HOUR, RATE) / density, 1, 0.03);
        /* At 0.1 s, of which there are more: within 1 %. */
        ASSERT_NEAR(allan(records[k], HOUR, RATE / 10) / (density * sqrt(10.0)), 1, 0.01);
    }
}

/* With nothing but a walk: K sqrt(tau / 3). At 1 s an hour knows it to about 1 %. */
static void test_walk(void **state) {
    (void)state;
    ib_imu_spec spec = {0};
    ib_parameters_default(ib_parameters_of("imu"), &spec);
    spec.gyro.walk = 2e-5;
    record_hour(&spec);
    for (int k = 3; k < 6; k++)
        ASSERT_NEAR(allan(records[k], HOUR, RATE) / (2e-5 * sqrt(1.0 / 3)), 1, 0.04);
}

int main(void) {
    for (int k = 0; k < 6; k++)
        records[k] = malloc(HOUR * sizeof *records[k]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_densities),
                                       cmocka_unit_test(test_walk)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int k = 0; k < 6; k++)
        free(records[k]);
    return failed;
}
