/* The public face of a model in motion: handles, channels, inputs, outputs, statistics,
 * interruption, failures while running, snapshots.
 */
#include "plant/plant_test.h"

static const double pi = 3.14159265358979323846;

/* One of everything that has channels. */
static const char *const everything =
    "ironbird: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "inputs:\n"
    "  push: {start: 1, min: -5, max: 10}\n"
    "  free: 0\n"
    "bodies:\n"
    "  cart: {mass: 2, inertia: [1, 1, 1], id: c-7}\n"
    "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -1]}\n"
    "joints:\n"
    "  rail: {type: prismatic, body1: cart, point: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  pivot: {type: revolute, body1: bob, body2: cart, point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  spring: {type: spring_damper, body1: cart, point1: [0, 0, 0], point2: [-1, 0, 0], "
    "stiffness: "
    "100}\n"
    "  pusher: {type: expression_force, body1: cart, point1: [0, 0, 0], axis: [1, 0, 0], force: "
    "push}\n"
    "  wind: {type: force, body1: bob, value: [0, free, 0]}\n"
    "  moment: {type: torque, body1: bob, value: [0, 0.2, 0]}\n"
    "  twist: {type: expression_torque, body1: bob, axis: [0, 1, 0], torque: 0.1 * swing}\n"
    "measures:\n"
    "  swing: {type: angle, body1: bob, body2: cart, orientation: [0.7071067811865476, "
    "-0.7071067811865476, 0, 0]}\n"
    "  x: {type: displacement, body1: cart, component: x}\n"
    "outputs:\n"
    "  degrees: swing * 180 / pi\n"
    "  twice: {value: 2 * x, id: o-1}\n"
    "sensors:\n"
    "  tip: {type: point, body: bob, point: [0, 0, -1.5]}\n"
    "simulation: {end: 1, output_step: 0.1, rtol: 1e-9}\n";

/* ---- channels ---- */

static void assert_unit(const bench *b, const char *name, const char *unit, bool by_default) {
    const ib_handle handle = ib_system_channel(b->system, name);
    if (handle < 0)
        fail_msg("there is no channel '%s'", name);
    const ib_channel_info info = ib_system_channel_info(b->system, handle);
    assert_string_equal(info.name, name);
    assert_string_equal(info.unit, unit);
    assert_true(info.description && info.description[0]);
    assert_int_equal(ib_system_recorded_by_default(b->system, handle), by_default);
}

static void test_channels(void **state) {
    (void)state;
    static const struct {
        const char *name, *unit;
        bool by_default;
    } channels[] = {
        {"cart.position.x", "m", true},
        {"cart.orientation.w", "1", true},
        {"bob.velocity.z", "m/s", true},
        {"bob.angular_velocity.y", "rad/s", true},
        {"bob.acceleration.z", "m/s^2", false},
        {"rail.force.z", "N", true},
        {"pivot.torque.x", "N m", true},
        {"spring.value", "N", true},
        {"pusher.value", "N", true},
        {"wind.force.y", "N", true},
        {"moment.torque.y", "N m", true},
        {"twist.value", "N m", true},
        {"tip.position.x", "m", true},
        {"tip.velocity.x", "m/s", true},
        {"tip.acceleration.x", "m/s^2", true},
        {"energy.kinetic", "J", false},
        {"energy.potential", "J", false},
        {"energy.total", "J", false},
        {"momentum.x", "kg m/s", false},
        {"angular_momentum.x", "kg m^2/s", false},
    };
    bench b = start_bench(everything);
    for (size_t i = 0; i < IB_COUNT(channels); i++)
        assert_unit(&b, channels[i].name, channels[i].unit, channels[i].by_default);
    assert_true(ib_system_channel(b.system, "degrees.value") >= 0);
    assert_true(ib_system_channel(b.system, "residual.position") >= 0);
    assert_true(ib_system_channel(b.system, "residual.velocity") >= 0);
    /* 2 bodies of 16, 2 joints of 6, 3 + 3 + 3 forces, 2 outputs, 1 sensor of 9, 11 of the system
     */
    assert_int_equal(ib_system_channel_count(b.system), 32 + 12 + 9 + 2 + 9 + 11);
    end_bench(&b);
}

/* Names are unique, and each finds its own handle. */
static void test_handles(void **state) {
    (void)state;
    bench b = start_bench(everything);
    for (size_t i = 0; i < ib_system_channel_count(b.system); i++) {
        const char *name = ib_system_channel_info(b.system, (ib_handle)i).name;
        assert_int_equal(ib_system_channel(b.system, name), i);
    }
    assert_int_equal(ib_system_channel(b.system, "cart.position"), -1);
    assert_int_equal(ib_system_channel(b.system, "swing.value"), -1); /* a measure is no channel */
    assert_int_equal(ib_system_output(b.system, "degrees"),
                     ib_system_channel(b.system, "degrees.value"));
    assert_int_equal(ib_system_output(b.system, "cart"), -1);
    assert_int_equal(ib_system_input(b.system, "nothing"), -1);
    assert_true(ib_system_input(b.system, "push") >= 0);
    assert_string_equal(
        ib_system_channel_info(b.system, ib_system_channel(b.system, "cart.velocity.x")).id, "c-7");
    assert_string_equal(ib_system_channel_info(b.system, ib_system_output(b.system, "twice")).id,
                        "o-1");
    assert_null(ib_system_channel_info(b.system, ib_system_channel(b.system, "bob.position.x")).id);
    assert_null(ib_system_channel_info(b.system, -1).name);
    assert_null(ib_system_channel_info(b.system, 1000000).name);
    const ib_handle wrong[2] = {0, 1000000};
    double values[2];
    assert_int_equal(ib_system_read(b.system, wrong, 2, values, b.diags), IB_BAD_INPUT);
    end_bench(&b);
}

/* Channels agree with each other: outputs with bodies, forces with laws, energies with their sum.
 */
static void test_values(void **state) {
    (void)state;
    bench b = start_bench(everything);
    advance(&b, 0.37);
    const double x = read_channel(&b, "cart.position.x");
    assert_true(fabs(x) > 1e-4);
    ASSERT_NEAR(read_channel(&b, "twice.value"), 2 * x, 1e-15);
    const double length = 1 + x;
    ASSERT_NEAR(read_channel(&b, "spring.value"), 100 * (length - 1), 1e-12);
    ASSERT_NEAR(read_channel(&b, "pusher.value"), 1, 0);
    const double angle =
        atan2(x - read_channel(&b, "bob.position.x"), -read_channel(&b, "bob.position.z"));
    ASSERT_NEAR(read_channel(&b, "degrees.value"), angle * 180 / pi, 1e-9);
    ASSERT_NEAR(read_channel(&b, "twist.value"), 0.1 * angle, 1e-12);
    ASSERT_NEAR(read_channel(&b, "moment.torque.y"), 0.2, 1e-15);
    ASSERT_NEAR(read_channel(&b, "energy.total"),
                read_channel(&b, "energy.kinetic") + read_channel(&b, "energy.potential"), 1e-13);
    /* the tip is half a metre further out than the bob */
    ASSERT_NEAR(read_channel(&b, "tip.position.x"),
                x + 1.5 * (read_channel(&b, "bob.position.x") - x), 1e-12);
    ASSERT_NEAR(read_channel(&b, "tip.velocity.z"), 1.5 * read_channel(&b, "bob.velocity.z"),
                1e-11);
    ASSERT_NEAR(read_channel(&b, "tip.acceleration.z"),
                1.5 * read_channel(&b, "bob.acceleration.z"), 1e-9);
    /* the rail carries both weights and what the bob adds */
    ASSERT_NEAR(read_channel(&b, "rail.force.z"), 3 * 9.81 + read_channel(&b, "bob.acceleration.z"),
                1e-9);
    assert_true(read_channel(&b, "residual.position") <= 1e-9);
    assert_true(read_channel(&b, "residual.velocity") <= 1e-9);
    end_bench(&b);
}

/* ---- inputs ---- */

static const char *const pushed =
    "ironbird: 1\n"
    "inputs: {push: {start: 1, min: -5, max: 10}}\n"
    "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
    "forces:\n"
    "  pusher: {type: expression_force, body1: cart, point1: [0, 0, 0], axis: [1, 0, 0], force: "
    "push}\n";

static void test_inputs_are_held(void **state) {
    (void)state;
    bench b = start_bench(pushed);
    const ib_handle push = ib_system_input(b.system, "push");
    advance(&b, 1); /* x = 1/4, v = 1/2 */
    ASSERT_NEAR(read_channel(&b, "cart.position.x"), 0.25, 1e-9);
    assert_int_equal(ib_system_set_input(b.system, push, -4, b.diags), IB_OK);
    ASSERT_NEAR(read_channel(&b, "cart.acceleration.x"), -2, 1e-12); /* at once */
    ASSERT_NEAR(read_channel(&b, "cart.position.x"), 0.25, 1e-9);
    advance(&b, 2); /* x = 1/4 + 1/2 - 1 */
    ASSERT_NEAR(read_channel(&b, "cart.position.x"), -0.25, 1e-9);
    advance(&b, 3);
    ASSERT_NEAR(read_channel(&b, "cart.velocity.x"), -3.5, 1e-9);
    end_bench(&b);
}

static void test_inputs_outside_limits(void **state) {
    (void)state;
    bench b = start_bench(pushed);
    const ib_handle push = ib_system_input(b.system, "push");
    static const double wrong[] = {10.5, -6, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < IB_COUNT(wrong); i++) {
        ib_diags_clear(b.diags);
        assert_int_equal(ib_system_set_input(b.system, push, wrong[i], b.diags), IB_BAD_INPUT);
        const ib_diag *diag = assert_diag(b.diags, "IB0706", "push");
        assert_non_null(strstr(diag->message, "-5 to 10"));
        assert_int_equal(diag->place.line, 2);
    }
    assert_int_equal(ib_system_set_input(b.system, 7, 0, b.diags), IB_BAD_INPUT);
    assert_int_equal(ib_system_set_input(b.system, -1, 0, b.diags), IB_BAD_INPUT);
    assert_int_equal(ib_system_set_input(b.system, push, 10, b.diags), IB_OK);
    advance(&b, 1);
    ASSERT_NEAR(read_channel(&b, "cart.velocity.x"), 5, 1e-9);
    end_bench(&b);
}

/* An input that takes an expression out of its domain is refused, and the old value stays. */
static void test_input_without_a_value(void **state) {
    (void)state;
    bench b = start_bench("ironbird: 1\n"
                          "inputs: {u: 1}\n"
                          "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n"
                          "forces:\n"
                          "  f: {type: expression_force, body1: cart, axis: [1, 0, 0], force: "
                          "sqrt(u)}\n");
    const ib_handle u = ib_system_input(b.system, "u");
    assert_int_equal(ib_system_set_input(b.system, u, -1, b.diags), IB_SIMULATION_FAILED);
    assert_diag(b.diags, "IB0701", "f:");
    advance(&b, 1);
    ASSERT_NEAR(read_channel(&b, "cart.velocity.x"), 1, 1e-9);
    end_bench(&b);
}

/* ---- failures while running ---- */

/* The logarithm of what becomes negative: named, placed, with the time and what went in; the system
 * stays at its last good step, just before. */
static void test_domain_error(void **state) {
    (void)state;
    static const char *const solvers[] = {"dopri5", "rk4", "generalized_alpha"};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "ironbird: 1\n"
                 "bodies: {cart: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [-1, "
                 "0, 0]}}\n"
                 "measures: {x: {type: displacement, body1: cart, component: x}}\n"
                 "forces:\n"
                 "  vapour: {type: expression_force, body1: cart, axis: [0, 1, 0], force: log(x)}\n"
                 "simulation: {solver: %s%s}\n",
                 solvers[i], i ? ", step: 0.001" : "");
        bench b = start_bench(text);
        assert_int_equal(ib_system_advance(b.system, to_time(2), b.diags), IB_SIMULATION_FAILED);
        const ib_diag *diag = assert_diag(b.diags, "IB0701", "vapour");
        assert_non_null(strstr(diag->message, "log of"));
        assert_non_null(strstr(diag->message, "t = "));
        assert_int_equal(diag->place.line, 5);
        const double seconds = ib_time_seconds(ib_system_time(b.system));
        assert_true(seconds > 0.99 && seconds <= 1);
        assert_true(isfinite(read_channel(&b, "cart.position.y")));
        end_bench(&b);
    }
}

/* The same in an output stops the reading, not the run. */
static void test_output_without_a_value(void **state) {
    (void)state;
    bench b = start_bench("ironbird: 1\n"
                          "bodies: {cart: {mass: 1, inertia: [1, 1, 1], velocity: [-1, 0, 0]}}\n"
                          "measures: {x: {type: displacement, body1: cart, component: x}}\n"
                          "outputs: {root: sqrt(x + 1)}\n");
    ASSERT_NEAR(read_channel(&b, "root.value"), 1, 1e-15);
    advance(&b, 2);
    const ib_handle root = ib_system_output(b.system, "root");
    double value;
    assert_int_equal(ib_system_read(b.system, &root, 1, &value, b.diags), IB_SIMULATION_FAILED);
    const ib_diag *diag = assert_diag(b.diags, "IB0701", "root");
    assert_non_null(strstr(diag->message, "t = 2 s"));
    assert_non_null(strstr(diag->message, "sqrt of -1"));
    assert_int_equal(diag->place.line, 4);
    ASSERT_NEAR(read_channel(&b, "cart.position.x"), -2, 1e-9);
    end_bench(&b);
}

/* Two points that meet: their distance_rate has no value then, and says so. */
static void test_measure_without_a_value(void **state) {
    (void)state;
    bench b = start_bench("ironbird: 1\n"
                          "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n"
                          "measures: {rate: {type: distance_rate, body1: cart, point1: [0, 0, 0], "
                          "point2: [0, 0, 0]}}\n"
                          "outputs: {speed: rate}\n");
    const ib_handle speed = ib_system_output(b.system, "speed");
    double value;
    assert_int_equal(ib_system_read(b.system, &speed, 1, &value, b.diags), IB_SIMULATION_FAILED);
    assert_true(ib_diags_errors(b.diags) > 0);
    const ib_diag *diag = ib_diags_at(b.diags, 0);
    assert_non_null(strstr(diag->message, "t = 0 s"));
    end_bench(&b);
}

static void test_no_way_back(void **state) {
    (void)state;
    bench b = start_bench(pushed);
    advance(&b, 1);
    assert_int_equal(ib_system_advance(b.system, to_time(0.5), b.diags), IB_BAD_INPUT);
    assert_int_equal(ib_system_time(b.system), to_time(1));
    advance(&b, 1); /* where it is */
    end_bench(&b);
}

/* ---- interruption ---- */

typedef struct countdown {
    int left;
} countdown;

static bool count_down(void *context) {
    countdown *c = context;
    return c->left-- == 0;
}

/* Stopped after some steps, it goes on to the same bits as without. */
static void test_interruption(void **state) {
    (void)state;
    bench quiet = start_bench(everything), stopped = start_bench(everything);
    advance(&quiet, 0.5);
    countdown c = {3};
    ib_system_watch(stopped.system, count_down, &c);
    assert_int_equal(ib_system_advance(stopped.system, to_time(0.5), stopped.diags),
                     IB_INTERRUPTED);
    const ib_time time = ib_system_time(stopped.system);
    assert_true(time > 0 && time < to_time(0.5));
    assert_int_equal(ib_system_statistics(stopped.system).steps, 3);
    ib_system_watch(stopped.system, NULL, NULL);
    advance(&stopped, 0.5);
    assert_true(ib_system_statistics(stopped.system).state_hash ==
                ib_system_statistics(quiet.system).state_hash);
    end_bench(&quiet);
    end_bench(&stopped);
}

/* ---- statistics, snapshots ---- */

static void test_statistics(void **state) {
    (void)state;
    static const char *const solvers[] = {"dopri5", "rk4", "generalized_alpha", "hht"};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        char text[512];
        snprintf(text, sizeof text, "%ssimulation: {solver: %s, step: 0.01}\n", pushed, solvers[i]);
        bench b = start_bench(text);
        advance(&b, 0.5);
        const ib_statistics s = ib_system_statistics(b.system);
        assert_string_equal(s.solver, solvers[i]);
        assert_int_equal(s.steps, 50);
        assert_int_equal(s.rejections, 0);
        assert_true(s.evaluations >= 50);
        assert_true(s.last_step == 0.01);
        assert_true(s.smallest_step == 0.01);
        advance(&b, 0.51);
        assert_true(ib_system_statistics(b.system).state_hash != s.state_hash);
        end_bench(&b);
    }
}

/* A saved state goes to another system of the same model, too. */
static void test_snapshot(void **state) {
    (void)state;
    bench b = start_bench(everything);
    ib_system *other;
    assert_int_equal(ib_system_create(b.model, b.diags, &other), IB_OK);
    const size_t size = ib_system_state_size(b.system);
    assert_int_equal(ib_system_state_size(other), size);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(ib_system_set_input(b.system, ib_system_input(b.system, "push"), 3, b.diags),
                     IB_OK);
    advance(&b, 0.3);
    ib_system_save(b.system, snapshot);
    advance(&b, 0.6);
    assert_int_equal(ib_system_restore(other, snapshot, size), IB_OK);
    assert_int_equal(ib_system_time(other), to_time(0.3));
    assert_int_equal(ib_system_advance(other, to_time(0.6), b.diags), IB_OK);
    assert_true(ib_system_statistics(other).state_hash ==
                ib_system_statistics(b.system).state_hash);
    assert_int_equal(ib_system_restore(other, snapshot, size - 1), IB_BAD_INPUT);
    free(snapshot);
    ib_system_destroy(other);
    end_bench(&b);
}

/* ---- models that cannot start ---- */

static void refuse(const char *text, const char *id, const char *says, unsigned line) {
    bench b = try_bench(text);
    assert_int_equal(b.status, IB_BAD_INPUT);
    assert_null(b.system);
    const ib_diag *diag = assert_diag(b.diags, id, says);
    assert_int_equal(diag->place.line, line);
    end_bench(&b);
}

static void test_refusals(void **state) {
    (void)state;
    refuse("ironbird: 1\n"
           "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
           "joints:\n"
           "  lid: {type: fixed, body1: a, point: [0, 0, 0], orientation1: [1, 0, 0, 0], "
           "orientation2: [0, 1, 0, 0]}\n",
           "IB0635", "lid", 4);
    refuse(
        "ironbird: 1\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  hinge: {type: revolute, body1: a, point1: [0, 0, 0], point2: [0.1, 0, 0], axis: [0, 0, "
        "1]}\n",
        "IB0633", "a", 2);
    refuse("ironbird: 1\n"
           "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
           "measures: {x: {type: displacement, body1: a, component: x}}\n"
           "drivers:\n"
           "  d: {measure: x, motion: sin(t)}\n",
           "IB0636", "d", 5);
    refuse("ironbird: 1\n"
           "bodies:\n"
           "  ghost: {mass: 0, inertia: [0, 0, 0], position: [1, 0, 0]}\n"
           "joints: {pin: {type: revolute, body1: ghost, point: [0, 0, 0], axis: [0, 0, 1]}}\n",
           "IB0631", "ghost", 3);
}

/* Axes that differ by rounding alone belong to one rail. */
static void test_rail_with_two_axes(void **state) {
    (void)state;
    static const char *const axes[] = {
        "axis1: [0, 0, 1], axis2: ['sin(pi)', 0, 1]", "axis1: [1e-6, 0, 1], axis2: [0, 2e-6, 1]",
        "axis1: [1, 1, 0], axis2: [1, '1 + 1e-15', 0]", "orientation: [0.6, 0, 0.8, 0]"};
    for (size_t i = 0; i < IB_COUNT(axes); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "ironbird: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints:\n"
                 "  rail: {type: prismatic, body1: cart, point: [0, 0, 0], %s}\n",
                 axes[i]);
        bench b = start_bench(text);
        advance(&b, 0.1);
        assert_true(read_channel(&b, "residual.position") <= 1e-12);
        ASSERT_NEAR(read_channel(&b, "cart.orientation.w"), 1, 1e-9);
        end_bench(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_inputs_are_held),
        cmocka_unit_test(test_inputs_outside_limits),
        cmocka_unit_test(test_input_without_a_value),
        cmocka_unit_test(test_domain_error),
        cmocka_unit_test(test_output_without_a_value),
        cmocka_unit_test(test_measure_without_a_value),
        cmocka_unit_test(test_no_way_back),
        cmocka_unit_test(test_interruption),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_rail_with_two_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
