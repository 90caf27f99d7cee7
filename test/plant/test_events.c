/* Joints that events release: where, and how the motion goes on, by every solver. */
#include "plant/plant_test.h"

static const char *const solvers[] = {"dopri5, rtol: 1e-10",
                                      "dop853, rtol: 1e-10",
                                      "rk4, step: 1 ms",
                                      "stiff, rtol: 1e-10",
                                      "stiff, step: 20 ms",
                                      "generalized_alpha, step: 1 ms",
                                      "generalized_alpha, step: adaptive, rtol: 1e-8"};
static const double tolerances[] = {1e-8, 1e-8, 1e-8, 1e-8, 1e-8, 1e-5, 1e-5};

static bench start_with(const char *rest, const char *solver) {
    char text[3000];
    snprintf(text, sizeof text,
             "ironbird: 1\n%ssimulation: {end: 9, output_step: 0.1, record: ['*'], solver: %s}\n",
             rest, solver);
    return start_bench(text);
}

/* A stone in a sling of 2 m that turns at 3 rad/s, let go at a time and where it passes a line: it
 * flies on straight, turning as it did. */
static void test_sling(void **state) {
    (void)state;
    static const char *const whens[] = {"t - 0.7", "x - 2 * cos(2.1)"};
    for (size_t i = 0; i < IB_COUNT(solvers); i++)
        for (int k = 0; k < 2; k++) {
            char rest[700];
            snprintf(rest, sizeof rest,
                     "bodies: {s: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [2, 0, 0], "
                     "velocity: [0, 6, 0], angular_velocity: [0, 0, 3]}}\n"
                     "joints: {h: {type: revolute, body1: s, point: [0, 0, 0], axis: [0, 0, 1], "
                     "release: go}}\n"
                     "measures: {x: {type: displacement, body1: s, component: x}}\n"
                     "events: [{name: go, when: %s, crosses: %s}]\n",
                     whens[k], k ? "down" : "both");
            bench b = start_with(rest, solvers[i]);
            advance(&b, 0.6);
            ASSERT_NEAR(hypot(read_channel(&b, "h.force.x"), read_channel(&b, "h.force.y")), 36,
                        1e3 * tolerances[i]);
            advance(&b, 1.5);
            const double turn = 2.1, left = 0.8;
            ASSERT_NEAR(read_channel(&b, "s.position.x"), 2 * cos(turn) - 6 * sin(turn) * left,
                        20 * tolerances[i]);
            ASSERT_NEAR(read_channel(&b, "s.position.y"), 2 * sin(turn) + 6 * cos(turn) * left,
                        20 * tolerances[i]);
            ASSERT_NEAR(read_channel(&b, "s.angular_velocity.z"), 3, 10 * tolerances[i]);
            ASSERT_NEAR(read_channel(&b, "h.force.x"), 0, 0);
            ASSERT_NEAR(read_channel(&b, "s.acceleration.x"), 0, 1e-9);
            end_bench(&b);
        }
}

/* Two links and a third body come apart in the middle of a swing: energy and momentum do not jump,
 * and each method gives the same flight. */
static const char *const chain =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.5, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.15], position: [1.5, 0, 0]}\n"
    "  c: {mass: 1, inertia: [0.1, 0.1, 0.15], position: [2.5, 0, 0], angular_velocity: [0, 0, "
    "0]}\n"
    "joints:\n"
    "  ha: {type: revolute, body1: a, point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  hb: {type: revolute, body1: b, body2: a, point: [1, 0, 0], axis: [0, 1, 0], release: one}\n"
    "  hc: {type: universal, body1: c, body2: b, point: [2, 0, 0], axis1: [0, 1, 0], axis2: [0, 0, "
    "1], release: two}\n"
    "measures: {z: {type: displacement, body1: a, component: z}}\n"
    "events:\n"
    "  - {name: one, when: z + 0.35, crosses: down}\n"
    "  - {name: two, when: t - 0.5}\n"
    "  - {name: other, when: z + 0.2, crosses: up}\n";

static void test_chain(void **state) {
    (void)state;
    static const char *const names[] = {"a.position.x", "b.position.z", "c.position.x",
                                        "c.angular_velocity.y", "b.velocity.x"};
    double reference[5] = {0};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        bench b = start_with(chain, i == 0 ? "dop853, rtol: 1e-12" : solvers[i]);
        const double energy = read_channel(&b, "energy.total");
        advance(&b, 0.9);
        for (int k = 0; k < 5; k++) {
            const double value = read_channel(&b, names[k]);
            if (i == 0)
                reference[k] = value;
            ASSERT_NEAR(value, reference[k], 30 * tolerances[i]);
        }
        ASSERT_NEAR(read_channel(&b, "energy.total"), energy, 100 * tolerances[i]);
        ASSERT_NEAR(read_channel(&b, "b.acceleration.z"), -9.81, 1e-9);
        ASSERT_NEAR(read_channel(&b, "c.acceleration.z"), -9.81, 1e-9);
        ASSERT_NEAR(read_channel(&b, "hb.force.x"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "residual.position"), 0, 1e-9);
        end_bench(&b);
    }
}

/* Of two joints that hold the same, one goes: the other carries it all. */
static void test_redundant(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "stiff", "generalized_alpha, step: 1 ms"};
    for (size_t i = 0; i < IB_COUNT(methods); i++) {
        bench b = start_with("gravity: [0, 0, -10]\n"
                             "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                             "joints:\n"
                             "  f: {type: fixed, body1: b, point: [-1, 0, 0], release: go}\n"
                             "  g: {type: fixed, body1: b, point: [1, 0, 0], release: later}\n"
                             "events: [{name: go, when: t - 0.5}, {name: later, when: t - 1}]\n",
                             methods[i]);
        ASSERT_NEAR(read_channel(&b, "f.force.z"), 10, 1e-5);
        advance(&b, 0.8);
        ASSERT_NEAR(read_channel(&b, "f.force.z"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "g.force.z"), 20, 1e-5);
        ASSERT_NEAR(read_channel(&b, "b.position.z"), 0, 1e-9);
        advance(&b, 2);
        ASSERT_NEAR(read_channel(&b, "b.position.z"), -5, 1e-6);
        end_bench(&b);
    }
}

/* A nut leaves its screw, friction ends with its joint, and a weld parts. */
static void test_kinds(void **state) {
    (void)state;
    bench b = start_with(
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  nut: {mass: 1, inertia: [1, 1, 1]}\n"
        "  sled: {mass: 2, inertia: [1, 1, 1], position: [0, 5, 0], velocity: [4, 0, 0]}\n"
        "  top: {mass: 1, inertia: [1, 1, 1], position: [0, 9, 0], velocity: [0, 0, 3]}\n"
        "  low: {mass: 2, inertia: [1, 1, 1], position: [0, 9, 1], velocity: [0, 0, 3]}\n"
        "joints:\n"
        "  s: {type: screw, body1: nut, point: [0, 0, 0], axis: [0, 0, 1], pitch: 0.01, release: "
        "go}\n"
        "  r: {type: prismatic, body1: sled, axis: [1, 0, 0], friction: {mu: 0.1}, release: go}\n"
        "  w: {type: fixed, body1: top, body2: low, point: [0, 9, 0], release: go}\n"
        "events: [{name: go, when: t - 1, crosses: up}]\n",
        "dopri5, rtol: 1e-9");
    advance(&b, 2);
    /* it turned by 2 pi/0.01 the way it came down, m z'' = -m g - (2 pi/0.01)^2 J z'' */
    const double speed = 10 / (1 + pow(2 * acos(-1) / 0.01, 2));
    ASSERT_NEAR(read_channel(&b, "nut.velocity.z"), -speed - 10, 1e-6);
    ASSERT_NEAR(read_channel(&b, "sled.velocity.x"), 4 - 0.1 * 10, 1e-5);
    ASSERT_NEAR(read_channel(&b, "sled.velocity.z"), -10, 1e-6);
    ASSERT_NEAR(read_channel(&b, "top.velocity.z"), 3 - 20, 1e-6);
    ASSERT_NEAR(read_channel(&b, "w.force.z"), 0, 0);
    end_bench(&b);
}

static void test_snapshot(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "stiff", "generalized_alpha, step: 2 ms"};
    for (size_t i = 0; i < IB_COUNT(methods); i++) {
        bench b = start_with(chain, methods[i]);
        advance(&b, 0.1);
        const size_t size = ib_system_state_size(b.system);
        void *snapshot = malloc(size);
        assert_non_null(snapshot);
        ib_system_save(b.system, snapshot);
        advance(&b, 0.9);
        const uint64_t hash = ib_system_statistics(b.system).state_hash;
        ASSERT_NEAR(read_channel(&b, "hb.force.z"), 0, 0);
        assert_int_equal(ib_system_restore(b.system, snapshot, size), IB_OK);
        assert_true(fabs(read_channel(&b, "hb.force.z")) > 0.01);
        advance(&b, 0.9);
        assert_true(ib_system_statistics(b.system).state_hash == hash);
        free(snapshot);
        end_bench(&b);
    }
}

/* Two stages: the first is dropped in the nanosecond in which its tank is empty. */
static void test_stages(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5, rtol: 1e-10", "stiff, rtol: 1e-9",
                                          "rk4, step: 50 ms"};
    for (size_t i = 0; i < IB_COUNT(methods); i++) {
        bench b = start_with(
            "bodies:\n"
            "  first: {mass: 20, inertia: [9, 9, 9], propellant: {mass: 50}}\n"
            "  second: {mass: 10, inertia: [9, 9, 9], position: [2, 0, 0]}\n"
            "joints: {bolts: {type: fixed, body1: first, body2: second, point: [1, 0, 0], release: "
            "dry}}\n"
            "forces: {f: {type: thrust, body1: first, direction: [1, 0, 0], thrust: 1e4, isp: "
            "100}}\n"
            "outputs: {left: first.propellant / 50}\n"
            "events: [{name: dry, when: first.propellant, crosses: down}]\n",
            methods[i]);
        const double c = 100 * 9.80665, burn = 50 * c / 1e4, v = c * log(80.0 / 30);
        advance(&b, burn / 2);
        ASSERT_NEAR(read_channel(&b, "left.value"), 0.5, 1e-9);
        assert_true(fabs(read_channel(&b, "bolts.force.x")) > 1e3);
        advance(&b, 6);
        ASSERT_NEAR(read_channel(&b, "second.velocity.x"), v, 1e-6);
        ASSERT_NEAR(read_channel(&b, "first.velocity.x"), v, 1e-6);
        ASSERT_NEAR(read_channel(&b, "bolts.force.x"), 0, 0);
        ASSERT_NEAR(read_channel(&b, "left.value"), 0, 0);
        end_bench(&b);
    }
}

/* An expression without a value says which event, and when. */
static void test_fault(void **state) {
    (void)state;
    bench b = start_with("bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                         "joints: {f: {type: fixed, body1: b, release: go}}\n"
                         "events: [{name: go, when: sqrt(0.5 - t)}]\n",
                         "dopri5");
    assert_int_equal(ib_system_advance(b.system, to_time(1), b.diags), IB_SIMULATION_FAILED);
    assert_diag(b.diags, "IB0701", "go: the expression has no value at t = ");
    end_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sling),     cmocka_unit_test(test_chain),
        cmocka_unit_test(test_redundant), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_snapshot),  cmocka_unit_test(test_fault),
        cmocka_unit_test(test_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
