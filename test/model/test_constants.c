/* Element constants as functions of the parameters: which there are, and their derivatives against
 * what other values of the parameters give. */
#include "model_test.h"

#include <unistd.h>

/* Every way in which a number comes into a model. `c` is defined by a and b. */
static const char model[] =
    "ironbird: 1\n"
    "parameters: {a: 0.7, b: 1.3, c: a * b^2 + sin(b), d: 2}\n"
    "gravity: [0, a, -9.81]\n"
    "points: {p: [a, 2 * c, 0.1], q: [0, 0, b]}\n"
    "frames:\n"
    "  up: {z: [a, b, 1]}\n"
    "  two: {z: [0, b, 1], x: [1, a, c]}\n"
    "  turned: {sequence: zyx, angles: [a, b / 2, -c / 3]}\n"
    "  flat: {z: [0.1, a - b, -3], x: [-1, c, 0.2]}\n"
    "bodies:\n"
    "  one: {mass: d * c, inertia: [a + 1, b + 1, c, 0.01 * a, 0, 0], position: p, orientation: "
    "up,\n"
    "    velocity: [a, b * c, 0], angular_velocity: [0, 0, 1 / c]}\n"
    "  other: {mass: 1, inertia: [1, 1, 1], position: [c, 0, 0], orientation: two}\n"
    "  third: {mass: 1, inertia: [1, 1, 1], orientation: turned}\n"
    "  last: {mass: 1, inertia: [1, 1, 1], orientation: flat}\n"
    "joints:\n"
    "  ball: {type: spherical, body1: one, point: p}\n"
    "  hinge: {type: revolute, body1: one, point: q, axis: [a, -1, c]}\n"
    "  two: {type: universal, body1: one, body2: other, point: q, axis1: [a, 0, 1], axis2: [1, b, "
    "0]}\n"
    "  bent: {type: revolute, body1: one, body2: other, point1: p, point2: q, axis1: [a, 1, 0],\n"
    "    axis2: [a, 1, 0.1 * c]}\n"
    "  weld: {type: fixed, body1: other, orientation: turned}\n"
    "  rod: {type: distance, body1: one, point1: p, point2: q, length: c}\n"
    "  rod2: {type: distance, body1: one, point1: p, point2: q}\n"
    "measures:\n"
    "  x: {type: displacement, body1: one, component: x, offset: a * c}\n"
    "  turn: {type: angle, body1: one, vector: [a, b, 0], plane: [[1, c, 0], [0, 1, a]]}\n"
    "  way: {type: direction, body1: one, vector: [a, b, c], component: x}\n"
    "splines: {s: {x: [0, 1, 2], y: [0, 1, 8], type: cubic}}\n"
    "forces:\n"
    "  spring: {type: spring_damper, body1: one, stiffness: 100 * c^2, damping: b, preload: a,\n"
    "    free_length: c / 2}\n"
    "  law: {type: expression_force, body1: one, axis: [0, a, 1], force: s(c) + a}\n"
    "  moved: {type: expression_force, body1: one, axis: [0, a, 1], force: x * a}\n"
    "  push: {type: force, body1: one, value: [a, 3, t * b]}\n"
    "  mount: {type: bushing, body1: one, body2: other, point: p, stiffness: [a, b, c, 1, 2, 3],\n"
    "    orientation: up, damping: [0, 0, 0, 0, 0, a], preload: [c, 0, 0, 0, 0, 0]}\n"
    "  twist: {type: torsion_spring, body1: one, axis: [b, a, 1], stiffness: c, free_angle: a}\n"
    "  fan: {type: rotor, body1: one, axis: [0, a, 1], speed: 10 * c, k_thrust: a / 100, k_torque: "
    "b, "
    "\n"
    "    inflow: a, damping: c}\n"
    "  servo: {type: motor, command: 2 * c, tau_up: a, max: b + 10, start: a}\n"
    "  float: {type: buoyancy, body1: one, volume: a * c, density: 1000 * b}\n"
    "  touch: {type: contact, body1: one, point2: [0, 0, -9], radius: c, stiffness: 1e5 * b, "
    "exponent: "
    "\n"
    "    1 + a, dissipation: a, mu: b, stick_velocity: c}\n"
    "drivers: {go: {measure: x, motion: t, ramp: c}}\n"
    "sensors: {eye: {type: point, body: one, point: [a, a, b]}}\n"
    "simulation: {assembly_tolerance: 100}\n";

static loaded load_at(const char *name, double value, const char *path) {
    char text[IB_NUMBER_SIZE];
    const ib_override override = {name, ib_number_text(value, text)};
    loaded l = {.diags = ib_diags_create()};
    if (path)
        l.status = ib_model_load(path, &override, 1, l.diags, &l.model);
    else
        l.status =
            ib_model_load_text("m.yaml", model, strlen(model), &override, 1, l.diags, &l.model);
    if (l.status != IB_OK)
        print_diags(&l);
    assert_int_equal(l.status, IB_OK);
    return l;
}

/* Every derivative by every parameter against the difference of two models. */
static void check_gradients(const loaded *l, const char *path) {
    const size_t n = ib_model_constant_count(l->model);
    const size_t n_parameters = ib_model_parameter_count(l->model);
    double gradient[16];
    size_t n_moving = 0;
    assert_true(n_parameters <= IB_COUNT(gradient));
    for (size_t p = 0; p < n_parameters; p++) {
        const char *name = ib_model_parameter_name(l->model, p);
        const double at = ib_model_parameter_value(l->model, p), h = 1e-5;
        loaded more = load_at(name, at + h, path), less = load_at(name, at - h, path);
        loaded far = load_at(name, at + 2 * h, path), near = load_at(name, at - 2 * h, path);
        assert_int_equal(ib_model_constant_count(more.model), n);
        for (size_t i = 0; i < n; i++) {
            assert_string_equal(ib_model_constant_name(more.model, i),
                                ib_model_constant_name(l->model, i));
            const double first =
                ib_model_constant_value(more.model, i) - ib_model_constant_value(less.model, i);
            const double second =
                ib_model_constant_value(far.model, i) - ib_model_constant_value(near.model, i);
            const double want = (8 * first - second) / (12 * h);
            assert_int_equal(ib_model_constant_gradient(l->model, i, gradient), IB_OK);
            if (!(fabs(gradient[p] - want) <= 1e-9 * fmax(1, fabs(want))))
                fail_msg("d %s / d %s is %.15g, not %.15g", ib_model_constant_name(l->model, i),
                         name, gradient[p], want);
            n_moving += fabs(want) > 1e-3;
        }
        unload(&more);
        unload(&less);
        unload(&far);
        unload(&near);
    }
    assert_true(n_moving > n / 2);
}

static size_t find(const ib_model *m, const char *name) {
    for (size_t i = 0; i < ib_model_constant_count(m); i++)
        if (strcmp(ib_model_constant_name(m, i), name) == 0)
            return i;
    return SIZE_MAX;
}

/* c and d are set as well: then what they were made of does not count any more. */
static void test_gradients(void **state) {
    (void)state;
    loaded l = load_set(model, NULL, 0);
    if (l.status != IB_OK)
        print_diags(&l);
    assert_int_equal(l.status, IB_OK);
    check_gradients(&l, NULL);
    unload(&l);
}

static void test_names(void **state) {
    (void)state;
    static const char *const names[] = {"gravity.y",
                                        "one.mass",
                                        "one.inertia.xx",
                                        "one.inertia.xy",
                                        "one.position.x",
                                        "one.position.y",
                                        "one.orientation.w",
                                        "one.velocity.y",
                                        "one.angular_velocity.z",
                                        "other.position.x",
                                        "third.orientation.z",
                                        "ball.point1.x",
                                        "ball.point2.x",
                                        "hinge.axis1.x",
                                        "hinge.axis2.z",
                                        "hinge.orientation.y",
                                        "two.axis1.x",
                                        "two.axis2.y",
                                        "bent.point2.z",
                                        "weld.orientation2.w",
                                        "rod.length",
                                        "rod2.length",
                                        "x.offset",
                                        "turn.vector.x",
                                        "turn.plane.b.y",
                                        "way.vector.z",
                                        "spring.stiffness",
                                        "spring.damping",
                                        "spring.preload",
                                        "spring.free_length",
                                        "spring.point1.x",
                                        "law.axis.y",
                                        "law.force",
                                        "push.value.x",
                                        "mount.stiffness.11",
                                        "mount.stiffness.33",
                                        "mount.damping.66",
                                        "mount.preload.1",
                                        "touch.stiffness",
                                        "touch.max_depth",
                                        "fan.speed",
                                        "fan.damping",
                                        "servo.tau_down",
                                        "servo.command",
                                        "mount.point.x",
                                        "mount.orientation.x",
                                        "go.ramp",
                                        "eye.point.z"};
    static const char *const absent[] = {"gravity.z",    "one.inertia.xz", "moved.force",
                                         "push.value.y", "push.value.z",   "x.point1.q"};
    loaded l = load(model);
    for (size_t i = 0; i < IB_COUNT(names); i++)
        if (find(l.model, names[i]) == SIZE_MAX)
            fail_msg("there is no constant %s", names[i]);
    for (size_t i = 0; i < IB_COUNT(absent); i++)
        assert_int_equal(find(l.model, absent[i]), SIZE_MAX);
    const double c = 0.7 * 1.3 * 1.3 + sin(1.3);
    assert_near(ib_model_constant_value(l.model, find(l.model, "one.mass")), 2 * c, 1e-14);
    assert_near(ib_model_constant_value(l.model, find(l.model, "spring.stiffness")), 100 * c * c,
                1e-12);
    /* mass = d c(a, b) */
    double gradient[4];
    assert_int_equal(ib_model_constant_gradient(l.model, find(l.model, "one.mass"), gradient),
                     IB_OK);
    assert_near(gradient[0], 2 * 1.3 * 1.3, 1e-14);
    assert_near(gradient[1], 2 * (2 * 0.7 * 1.3 + cos(1.3)), 1e-14);
    assert_near(gradient[2], 2, 1e-15);
    assert_near(gradient[3], c, 1e-15);
    const size_t n = ib_model_constant_count(l.model);
    assert_int_equal(ib_model_constant_gradient(l.model, n, gradient), IB_BAD_INPUT);
    assert_null(ib_model_constant_name(l.model, n));
    unload(&l);
    /* Set from outside, c is a number like any other. */
    const ib_override override = {"c", "3"};
    l = load_set(model, &override, 1);
    assert_int_equal(ib_model_constant_gradient(l.model, find(l.model, "one.mass"), gradient),
                     IB_OK);
    assert_same(gradient[0], 0);
    assert_same(gradient[2], 2);
    unload(&l);
    l = load_good(TWO_BODIES "parameters: {k: 1}\n");
    assert_int_equal(ib_model_constant_count(l.model), 0);
    unload(&l);
}

/* An included file that is placed by parameters, in another that is. */
static void test_placed(void **state) {
    (void)state;
    char folder[] = "/tmp/ironbird_constants_XXXXXX", path[3][64];
    static const char *const names[] = {"m.yaml", "n.yaml", "part.yaml"};
    static const char *const texts[] = {
        "ironbird: 1\nparameters: {a: 0.4, b: 2}\ninclude: [{file: n.yaml, as: n, at: [a, b, a * "
        "b], "
        "orientation: {sequence: xyz, angles: [a, b, 1]}, parameters: {e: a + b}}]\n",
        "ironbird: 1\nparameters: {e: 0.3}\ninclude: [{file: part.yaml, as: in, at: [e, 1, 0], "
        "orientation: {z: [e, 0, 1]}, parameters: {k: 2 * e}}]\n",
        "ironbird: 1\nparameters: {k: 1}\nbodies: {hub: {mass: k, inertia: [1, 1, 1], position: "
        "[k, 0, "
        "1], velocity: [1, k, 0]}}\njoints: {h: {type: revolute, body1: hub, point: [0, k, 0], "
        "axis: "
        "[1, k, 0]}}\nmeasures: {x: {type: angle, body1: hub, orientation: {z: [1, 1, k]}}}\n"
        "forces: {f: {type: spring_damper, body1: hub, stiffness: k}}\n"};
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof(path[i]), "%s/%s", folder, names[i]);
        FILE *file = fopen(path[i], "w");
        assert_non_null(file);
        fputs(texts[i], file);
        fclose(file);
    }
    loaded l = {.diags = ib_diags_create()};
    l.status = ib_model_load(path[0], NULL, 0, l.diags, &l.model);
    if (l.status != IB_OK)
        print_diags(&l);
    assert_int_equal(l.status, IB_OK);
    assert_int_not_equal(find(l.model, "n.in.hub.position.x"), SIZE_MAX);
    assert_int_not_equal(find(l.model, "n.in.f.point2.y"), SIZE_MAX);
    check_gradients(&l, path[0]);
    unload(&l);
    for (int i = 0; i < 3; i++)
        remove(path[i]);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_placed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
