/* The ramp of a driver: at t = 0 the measure's initial value at rest, with no acceleration and no
 * jerk; at Ta the motion's value, velocity and acceleration and no jerk; the motion from then on.
 * Told from the recorded motion alone, by how differences shrink.
 */
#include "plant/plant_test.h"

static const double ramp = 0.5;

static const char *const lift =
    "ironbird: 1\n"
    "bodies: {table: {mass: 4, inertia: [1, 1, 1], position: [0, 0, 0.3]}}\n"
    "joints: {column: {type: prismatic, body1: table, point: [0, 0, 0], axis: [0, 0, 1]}}\n"
    "measures: {z: {type: displacement, body1: table, component: z}}\n"
    "drivers: {lift: {measure: z, motion: 0.1 * sin(12 * t) + 0.8, ramp: 0.5}}\n"
    "simulation: {rtol: 1e-9}\n";

static double motion(double t) { return 0.1 * sin(12 * t) + 0.8; }

static double motion_at(bench *b, double t) {
    if (t > ib_time_seconds(ib_system_time(b->system)))
        advance(b, t);
    return read_channel(b, "lift.motion");
}

/* Near t = 0 the motion leaves its start as t^4: halving t divides it by 16. */
static void test_start(void **state) {
    (void)state;
    bench b = start_bench(lift);
    ASSERT_NEAR(motion_at(&b, 0), 0.3, 1e-15);
    double last = 0;
    for (double t = 0.0005; t < 0.005; t *= 2) {
        const double rise = motion_at(&b, t) - 0.3;
        if (last != 0)
            ASSERT_NEAR(rise / last, 16, 0.3);
        assert_true(fabs(rise) > 1e-14);
        last = rise;
    }
    end_bench(&b);
}

/* Just before Ta the ramp differs from the motion by f''' d^3 / 6, since all but the jerk agree and
 * the ramp's is zero: differences over d^3, extrapolated to d = 0. From Ta on they are one. */
static void test_end(void **state) {
    (void)state;
    bench b = start_bench(lift);
    const double jerk = -0.1 * 12 * 12 * 12 * cos(12 * ramp);
    double d = 0.004, q[3];
    for (int i = 0; i < 3; i++, d /= 2)
        q[i] = (motion_at(&b, ramp - d) - motion(ramp - d)) / (d * d * d);
    const double coarse = 2 * q[1] - q[0], fine = 2 * q[2] - q[1];
    ASSERT_NEAR((4 * fine - coarse) / 3, jerk / 6, 1e-2 * fabs(jerk / 6));
    for (double t = ramp; t < 2 * ramp; t += 0.1)
        ASSERT_NEAR(motion_at(&b, t), motion(t), 1e-15);
    end_bench(&b);
}

/* The table follows in position, velocity and acceleration, and the driver pushes with m a. */
static void test_table_follows(void **state) {
    (void)state;
    bench b = start_bench(lift);
    const double h = 1e-3;
    for (double t = 0.1; t < 1; t += 0.1) {
        double f[3];
        for (int k = 0; k < 3; k++)
            f[k] = motion_at(&b, t + (k - 1) * h);
        end_bench(&b);
        b = start_bench(lift);
        advance(&b, t);
        ASSERT_NEAR(read_channel(&b, "table.position.z"), f[1], 1e-9);
        ASSERT_NEAR(read_channel(&b, "table.velocity.z"), (f[2] - f[0]) / (2 * h), 1e-3);
        const double acceleration = (f[2] - 2 * f[1] + f[0]) / (h * h);
        if (fabs(t - ramp) > 2 * h) {
            ASSERT_NEAR(read_channel(&b, "table.acceleration.z"), acceleration, 1e-3);
            ASSERT_NEAR(read_channel(&b, "lift.lambda"), 4 * acceleration, 4e-3);
        }
    }
    end_bench(&b);
}

/* No ramp, and the motion of a started run is the motion itself; the driver's initial velocity is
 * given to the table. */
static void test_without_ramp(void **state) {
    (void)state;
    bench b = start_bench(
        "ironbird: 1\n"
        "bodies: {table: {mass: 4, inertia: [1, 1, 1], position: [0, 0, 0.3]}}\n"
        "joints: {column: {type: prismatic, body1: table, point: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "measures: {z: {type: displacement, body1: table, component: z, offset: initial}}\n"
        "drivers: {lift: {measure: z, motion: 0.1 * sin(3 * t)}}\n");
    ASSERT_NEAR(read_channel(&b, "table.velocity.z"), 0.3, 1e-12);
    for (double t = 0; t < 1; t += 0.25) {
        if (t > 0)
            advance(&b, t);
        ASSERT_NEAR(read_channel(&b, "lift.motion"), 0.1 * sin(3 * t), 1e-15);
        ASSERT_NEAR(read_channel(&b, "table.position.z"), 0.3 + 0.1 * sin(3 * t), 1e-10);
        ASSERT_NEAR(read_channel(&b, "lift.lambda"), -4 * 0.9 * sin(3 * t), 1e-8);
    }
    end_bench(&b);
}

/* A ramp from an angle that is not zero, to a constant speed. */
static void test_spin_up(void **state) {
    (void)state;
    bench b = start_bench(
        "ironbird: 1\n"
        "bodies: {rotor: {mass: 1, inertia: [1, 1, 2], angular_velocity: [0, 0, 9]}}\n"
        "joints: {bearing: {type: revolute, body1: rotor, point: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "measures: {phi: {type: angle, body1: rotor, vector: [1, 0, 0], plane: [[0, 1, 0], [-1, 0, "
        "0]]}}\n"
        "drivers: {spin: {measure: phi, motion: 40 * t, ramp: 0.2}}\n");
    ASSERT_NEAR(read_channel(&b, "spin.motion"), -3.14159265358979323846 / 2, 1e-15);
    ASSERT_NEAR(read_channel(&b, "rotor.angular_velocity.z"), 0, 1e-12);
    advance(&b, 3);
    ASSERT_NEAR(read_channel(&b, "rotor.angular_velocity.z"), 40, 1e-6);
    ASSERT_NEAR(read_channel(&b, "spin.motion"), 120, 1e-12);
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),         cmocka_unit_test(test_end),
        cmocka_unit_test(test_table_follows), cmocka_unit_test(test_without_ramp),
        cmocka_unit_test(test_spin_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
