/* Springs of a model in every form of their laws: numbers, expressions, splines; along a line and
 * on an angle. */
#include "plant/plant_test.h"

/* A slider of 2 kg on x and a disc of 0.5 kg m2 about z. */
#define HEAD                                                                                       \
    "ironbird: 1\n"                                                                                \
    "bodies:\n"                                                                                    \
    "  slider: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [0.5, 0, 0]}\n"        \
    "  disc: {mass: 1, inertia: [0.3, 0.3, 0.5], angular_velocity: [0, 0, 20]}\n"                  \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, body1: slider, axis: [1, 0, 0]}\n"                                  \
    "  pin: {type: revolute, body1: disc, point: [0, 0, 0], axis: [0, 0, 1]}\n"                    \
    "measures:\n"                                                                                  \
    "  x: {type: displacement, body1: slider, component: x}\n"                                     \
    "  v: {type: velocity, body1: slider, component: x}\n"                                         \
    "  turn: {type: angle, body1: disc, orientation: [1, 0, 0, 0]}\n"                              \
    "  spin: {type: angular_rate, body1: disc, orientation: [1, 0, 0, 0]}\n"                       \
    "splines: {soft: {x: [-40, 40], y: [30, -10], type: linear}}\n"                                \
    "outputs: {place: x, speed: v, angle: turn, rate: spin}\n"

static bench start_with(const char *forces) {
    char text[3000];
    snprintf(text, sizeof text,
             HEAD "forces:\n%s"
                  "simulation: {end: 2, output_step: 0.1, rtol: 1e-9}\n",
             forces);
    return start_bench(text);
}

/* F = k(l, l') (l - l0) + c(l, l') l' + preload in each form, as the run goes on. */
static void test_line(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        double k0, kl, kr, c0, cl, cr; /* k = k0 + kl l + kr l', c the same */
    } forms[] = {
        {"stiffness: 30, damping: 2", 30, 0, 0, 2, 0, 0},
        {"stiffness: 30 + 5 * length - rate, damping: 2", 30, 5, -1, 2, 0, 0},
        {"stiffness: 30, damping: 2 + v_rel + length", 30, 0, 0, 2, 1, 1},
        {"stiffness: soft, damping: 2", 10, -0.5, 0, 2, 0, 0},
        {"stiffness: 30, damping: soft", 30, 0, 0, 10, 0, -0.5},
        {"damping: soft", 0, 0, 0, 10, 0, -0.5},
    };
    for (size_t i = 0; i < IB_COUNT(forms); i++) {
        char force[400];
        snprintf(force, sizeof force,
                 "  s: {type: spring_damper, body1: slider, point2: [-1, 0, 0], free_length: 1.5, "
                 "preload: 0.7, %s}\n",
                 forms[i].keys);
        bench b = start_with(force);
        for (int step = 0; step <= 10; step++) {
            advance(&b, 0.1 * step);
            const double l = read_channel(&b, "place.value") + 1,
                         rate = read_channel(&b, "speed.value");
            const double k = forms[i].k0 + forms[i].kl * l + forms[i].kr * rate;
            const double c = forms[i].c0 + forms[i].cl * l + forms[i].cr * rate;
            const double value = k * (l - 1.5) + c * rate + 0.7;
            ASSERT_NEAR(read_channel(&b, "s.value"), value, 1e-10);
            ASSERT_NEAR(read_channel(&b, "slider.acceleration.x"), -value / 2, 1e-9);
        }
        end_bench(&b);
    }
}

/* T = k(angle, rate) (angle - free_angle) + c(angle, rate) rate + preload, over several turns. */
static void test_torsion(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        double k0, ka, kr, c0, ca, cr;
    } forms[] = {
        {"axis: [0, 0, 3], stiffness: 3, damping: 0.2", 3, 0, 0, 0.2, 0, 0},
        {"orientation: {z: [0, 0, 1], x: [1, 1, 0]}, stiffness: 3", 3, 0, 0, 0, 0, 0},
        {"axis: [0, 0, 1], stiffness: 3 + 0.1 * angle - 0.02 * rate, damping: 0.2", 3, 0.1, -0.02,
         0.2, 0, 0},
        {"axis: [0, 0, 1], stiffness: 3, damping: 0.2 + 0.01 * angle + 0.02 * rate", 3, 0, 0, 0.2,
         0.01, 0.02},
        {"axis: [0, 0, 1], stiffness: soft", 10, -0.5, 0, 0, 0, 0},
        {"axis: [0, 0, 1], stiffness: 3, damping: soft", 3, 0, 0, 10, 0, -0.5},
    };
    for (size_t i = 0; i < IB_COUNT(forms); i++) {
        char force[400];
        snprintf(force, sizeof force,
                 "  s: {type: torsion_spring, body1: disc, free_angle: 30 deg, preload: 0.7, %s}\n",
                 forms[i].keys);
        bench b = start_with(force);
        double most = 0;
        for (int step = 0; step <= 10; step++) {
            advance(&b, 0.1 * step);
            const double angle = read_channel(&b, "angle.value"),
                         rate = read_channel(&b, "rate.value");
            const double k = forms[i].k0 + forms[i].ka * angle + forms[i].kr * rate;
            const double c = forms[i].c0 + forms[i].ca * angle + forms[i].cr * rate;
            const double value = k * (angle - acos(-1) / 6) + c * rate + 0.7;
            ASSERT_NEAR(read_channel(&b, "s.value"), value, 1e-9);
            most = fmax(most, fabs(angle));
        }
        assert_true(i == 5 || most > 3.5); /* past half a turn */
        end_bench(&b);
    }
}

/* A bushing's channels are what it does to body1 at its point: here along and about one axis. */
static void test_bushing(void **state) {
    (void)state;
    bench b = start_bench(
        "ironbird: 1\n"
        "bodies:\n"
        "  hub: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 1], velocity: [0, 0, 2], "
        "angular_velocity: [0, 0, 3]}\n"
        "forces:\n"
        "  mount: {type: bushing, body1: hub, point: [0, 0, 1.5], orientation: {z: [1, 0, 0], x: "
        "[0, "
        "0, 1]}, stiffness: [100, 0, 0, 20, 0, 0], damping: [4, 0, 0, 0.5, 0, 0], "
        "preload: [7, 0, 0, 1, 0, 0]}\n"
        "measures:\n"
        "  z: {type: displacement, body1: hub, component: z, offset: initial}\n"
        "  turn: {type: angle, body1: hub, orientation: [1, 0, 0, 0]}\n"
        "outputs: {height: z, angle: turn}\n"
        "simulation: {end: 1, output_step: 0.1, record: ['*']}\n");
    assert_true(
        ib_system_recorded_by_default(b.system, ib_system_channel(b.system, "mount.force.x")));
    assert_int_equal(ib_system_channel(b.system, "mount.value"), -1);
    for (int step = 0; step <= 10; step++) {
        advance(&b, 0.1 * step);
        const double z = read_channel(&b, "height.value"), angle = read_channel(&b, "angle.value");
        const double v = read_channel(&b, "hub.velocity.z"),
                     w = read_channel(&b, "hub.angular_velocity.z");
        ASSERT_NEAR(read_channel(&b, "mount.force.z"), -100 * z - 4 * v - 7, 1e-10);
        ASSERT_NEAR(read_channel(&b, "mount.torque.z"), -20 * angle - 0.5 * w - 1, 1e-10);
        ASSERT_NEAR(read_channel(&b, "mount.force.x"), 0, 1e-12);
        ASSERT_NEAR(read_channel(&b, "mount.torque.y"), 0, 1e-12);
        ASSERT_NEAR(read_channel(&b, "energy.potential"),
                    50 * z * z + 7 * z + 10 * angle * angle + angle, 1e-10);
        ASSERT_NEAR(read_channel(&b, "hub.acceleration.z"), read_channel(&b, "mount.force.z") / 2,
                    1e-12);
    }
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_torsion),
        cmocka_unit_test(test_bushing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
