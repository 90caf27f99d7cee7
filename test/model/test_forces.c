/* Forces: types, keys, laws. */
#include "model_test.h"

#define HEAD                                                                                       \
    TWO_BODIES "measures:\n"                                                                       \
               "  z: {type: displacement, body1: a, component: z}\n"                               \
               "splines: {curve: {x: [0, 1, 2], y: [0, 10, 40], type: linear}}\n"                  \
               "forces:\n"

static loaded load_force(const char *keys) {
    char text[1000];
    snprintf(text, sizeof(text), HEAD "  f: {%s}\n", keys);
    return load_good(text);
}

static void refuses(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[1000];
    snprintf(text, sizeof(text), HEAD "  f: {%s}\n", keys);
    expect_error(text, id, 9, column, said);
}

/* Value of an expression at time 3, z = 5, length = 7, rate = 11. */
static double value_of(const ib_model *model, const ib_force *force, const ib_expr *expr) {
    double leaves[8] = {3, 5};
    assert_true(ib_leaf_count(model) <= IB_COUNT(leaves));
    if (force->length >= 0)
        leaves[ib_leaf_measure(model, (size_t)force->length)] = 7;
    if (force->rate >= 0)
        leaves[ib_leaf_measure(model, (size_t)force->rate)] = 11;
    assert_true(expr->node != IB_NO_NODE);
    return ib_graph_value(model->graph, expr->node, leaves, ib_leaf_count(model));
}

static void test_spring_damper(void **state) {
    (void)state;
    loaded l = load_force("type: spring_damper, body1: b, body2: a, stiffness: 100, damping: 5, "
                          "free_length: 0.5, preload: -2, id: S");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_SPRING_DAMPER);
    assert_int_equal(f->body1, 1);
    assert_int_equal(f->body2, 0);
    assert_vector(f->point1, 0, 0, 2);
    assert_vector(f->point2, 0, 0, 0);
    assert_same(value_of(l.model, f, &f->stiffness), 100);
    assert_same(value_of(l.model, f, &f->damping), 5);
    assert_same(f->free_length, 0.5);
    assert_same(f->preload, -2);
    assert_string_equal(f->element.id, "S");
    /* Constants need no hidden measures. */
    assert_int_equal(f->length, -1);
    assert_int_equal(f->rate, -1);
    assert_int_equal(l.model->n_measures, 1);
    unload(&l);
}

static void test_spring_defaults(void **state) {
    (void)state;
    loaded l = load_force("type: spring_damper, body1: a, point1: [1, 0, 0]");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->body2, IB_GROUND);
    assert_vector(f->point1, 1, 0, 0);
    assert_true(isnan(f->free_length));
    assert_int_equal(f->stiffness.node, IB_NO_NODE);
    assert_int_equal(f->damping.node, IB_NO_NODE);
    assert_same(f->preload, 0);
    unload(&l);
    l = load_force("type: spring_damper, body1: a, free_length: initial");
    assert_true(isnan(l.model->forces[0].free_length));
    unload(&l);
    refuses("type: spring_damper, body1: a, free_length: -1", "IB0607", 51, "negative");
}

static void test_spring_expressions(void **state) {
    (void)state;
    loaded l = load_force("type: spring_damper, body1: a, body2: b, point1: [1, 0, 0], "
                          "stiffness: 10 * length + z, damping: 2 * rate + length");
    const ib_model *m = l.model;
    const ib_force *f = &m->forces[0];
    assert_same(value_of(m, f, &f->stiffness), 75);
    assert_same(value_of(m, f, &f->damping), 29);
    /* The hidden measures: the distance of the force's points and its rate. */
    assert_int_equal(m->n_measures, 3);
    assert_null(m->measures[f->length].element.name);
    assert_int_equal(m->measures[f->length].type, IB_MEASURE_DISTANCE);
    assert_int_equal(m->measures[f->rate].type, IB_MEASURE_DISTANCE_RATE);
    assert_int_equal(m->measures[f->rate].body1, 0);
    assert_int_equal(m->measures[f->rate].body2, 1);
    assert_vector(m->measures[f->length].point1, 1, 0, 0);
    assert_vector(m->measures[f->length].point2, 0, 0, 2);
    unload(&l);
}

static void test_torsion_spring(void **state) {
    (void)state;
    loaded l = load_force("type: torsion_spring, body1: b, body2: a, axis: [0, 2, 0], stiffness: "
                          "100 N*m/rad, damping: 5 N*m*s/rad, free_angle: 90 deg, preload: -2 Nm");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_TORSION_SPRING);
    assert_int_equal(f->body2, 0);
    assert_vector(f->axis, 0, 1, 0);
    const double z[3] = {0, 0, 1};
    double axis[3];
    ib_quat_rotate(f->orientation, z, axis);
    assert_vector(axis, 0, 1, 0);
    assert_same(value_of(l.model, f, &f->stiffness), 100);
    assert_same(value_of(l.model, f, &f->damping), 5);
    assert_float_equal(f->free_angle, 1.5707963267948966, 1e-15);
    assert_same(f->preload, -2);
    assert_int_equal(l.model->n_measures, 1);
    unload(&l);
    l = load_force("type: torsion_spring, body1: a, orientation: {z: [1, 0, 0]}, "
                   "stiffness: 10 * angle + z, damping: curve");
    f = &l.model->forces[0];
    assert_same(value_of(l.model, f, &f->stiffness), 75);
    assert_float_equal(value_of(l.model, f, &f->damping), 40 + 9 * 30, 1e-12);
    const ib_measure *angle = &l.model->measures[f->length];
    assert_int_equal(angle->type, IB_MEASURE_ANGLE);
    assert_int_equal(l.model->measures[f->rate].type, IB_MEASURE_ANGULAR_RATE);
    assert_memory_equal(angle->orientation, f->orientation, sizeof f->orientation);
    unload(&l);
    l = load_force("type: torsion_spring, body1: a, axis: [0, 0, 1], stiffness: curve, "
                   "damping: 2 * rate");
    f = &l.model->forces[0];
    assert_float_equal(value_of(l.model, f, &f->stiffness), 40 + 5 * 30, 1e-12);
    assert_same(value_of(l.model, f, &f->damping), 22);
    unload(&l);
    refuses("type: torsion_spring, body1: a", "IB0211", 3, "'axis'");
    refuses("type: torsion_spring, body1: a, axis: [0, 0, 1], orientation: [1, 0, 0, 0]", "IB0222",
            69, "z-axis");
    refuses("type: torsion_spring, body1: a, axis: [0, 0, 1], stiffness: length", "IB0413", 67,
            "two points");
    refuses("type: torsion_spring, body1: a, axis: [0, 0, 1], stiffness: 5 N/m", "IB0218", 69,
            "an angular stiffness");
    refuses("type: torsion_spring, body1: a, axis: [0, 0, 1], preload: 5 N", "IB0218", 67,
            "a torque");
    refuses("type: torsion_spring, body1: a, axis: [0, 0, 1], point1: [0, 0, 0]", "IB0214", 56,
            "spring_damper");
    refuses("type: spring_damper, body1: a, stiffness: angle", "IB0413", 49, "a torsion spring");
    refuses("type: spring_damper, body1: a, free_angle: 1", "IB0214", 38, "torsion_spring");
}

#define BUSHING "type: bushing, body1: b, body2: a, "

static void test_bushing(void **state) {
    (void)state;
    loaded l = load_force(BUSHING "point: [1, 2, 3], orientation: {z: [0, 1, 0]}, "
                                  "stiffness: [1 kN/m, 2, 3, 4 N*m/rad, 5, 6], damping: [1, 0, 0, "
                                  "0, 0, 2 N*m*s/rad], preload: [1 N, 2, 3, 4 Nm, 5, 6]");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_BUSHING);
    assert_vector(f->point1, 1, 2, 3);
    assert_vector(f->point2, 1, 2, 3);
    const double z[3] = {0, 0, 1};
    double axis[3];
    ib_quat_rotate(f->orientation, z, axis);
    assert_vector(axis, 0, 1, 0);
    for (int k = 0; k < 36; k++) {
        assert_same(f->bushing->stiffness[k], k % 7 ? 0 : k ? k / 7 + 1 : 1000);
        assert_same(f->bushing->damping[k], k == 0 ? 1 : k == 35 ? 2 : 0);
    }
    for (int k = 0; k < 6; k++)
        assert_same(f->bushing->preload[k], k + 1);
    unload(&l);
    l = load_force(BUSHING "point: [0, 0, 0], stiffness: [[1, 0, 0, 0, 0, 7], [0, 1, 0, 0, 0, 0], "
                           "[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], "
                           "[7, 0, 0, 0, 0, 99]]");
    f = &l.model->forces[0];
    assert_same(f->bushing->stiffness[5], 7);
    assert_same(f->bushing->stiffness[30], 7);
    assert_same(f->bushing->stiffness[35], 99);
    assert_same(f->bushing->damping[0], 0);
    assert_same(f->orientation[0], 1);
    unload(&l);
}

static void test_bad_bushing(void **state) {
    (void)state;
#define AT "point: [0, 0, 0], "
    refuses(BUSHING "stiffness: [1, 1, 1, 1, 1, 1]", "IB0211", 3, "'point'");
    refuses(BUSHING "point: [0, 0, 0]", "IB0211", 3, "'stiffness'");
    refuses(BUSHING AT "stiffness: 5", "IB0212", 71, "list of 6 numbers");
    refuses(BUSHING AT "stiffness: [1, 2, 3]", "IB0224", 71, "6 numbers");
    refuses(BUSHING AT "stiffness: [[1, 2, 3]]", "IB0224", 71, "6 lists");
    refuses(BUSHING AT "stiffness: [-1, 1, 1, 1, 1, 1]", "IB0607", 71, "negative");
    refuses(BUSHING AT "stiffness: [1, 1, 1, 1, 1, 1 N/m]", "IB0218", 89, "angular stiffness");
    refuses(BUSHING AT "stiffness: [1, 1, 1, 1, 1, 1], preload: [1, 2]", "IB0224", 100,
            "6 numbers");
    refuses(BUSHING AT "stiffness: [1, 1, 1, 1, 1, 1], damping: length", "IB0212", 100,
            "list of 6");
    refuses(BUSHING AT "stiffness: [[1, 0, 0, 0, 0, 7], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], "
                       "[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [6, 0, 0, 0, 0, 99]]",
            "IB0607", 71, "(6, 1) is 6, (1, 6) is 7");
    refuses(BUSHING AT "axis: [0, 0, 1], stiffness: [1, 1, 1, 1, 1, 1]", "IB0214", 60,
            "torsion_spring");
#undef AT
}

static void test_spring_splines(void **state) {
    (void)state;
    loaded l = load_force("type: spring_damper, body1: a, stiffness: curve, damping: curve");
    const ib_force *f = &l.model->forces[0];
    assert_float_equal(value_of(l.model, f, &f->stiffness), 40 + 5 * 30, 1e-12);
    assert_float_equal(value_of(l.model, f, &f->damping), 40 + 9 * 30, 1e-12);
    unload(&l);
}

static void test_expression_force(void **state) {
    (void)state;
    loaded l = load_force("type: expression_force, body1: a, body2: b, "
                          "force: curve(z) + v_rel - rate + t + time");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_EXPRESSION_FORCE);
    assert_false(f->has_axis);
    assert_float_equal(value_of(l.model, f, &f->law), 130 + 6, 1e-12);
    assert_string_equal(f->law.text, "curve(z) + v_rel - rate + t + time");
    assert_int_equal(f->law.place.line, 9);
    assert_int_equal(f->law.place.column, 58);
    unload(&l);
    refuses("type: expression_force, body1: a", "IB0211", 3, "'force'");
    refuses("type: expression_force, body1: a, force: curve", "IB0408", 48, "curve(x)");
    refuses("type: expression_force, body1: a, force: [1]", "IB0212", 48, "expression");
    refuses("type: expression_force, body1: a, force: .inf", "IB0216", 48, "finite");
    refuses("type: expression_force, body1: a, force: 5 m", "IB0218", 50, "a force (N)");
}

static void test_expression_force_axis(void **state) {
    (void)state;
    loaded l = load_force("type: expression_force, body1: a, body2: b, force: z, axis: [0, 3, 0], "
                          "frame: b, point1: [1, 0, 0]");
    const ib_force *f = &l.model->forces[0];
    assert_true(f->has_axis);
    assert_vector(f->axis, 0, 1, 0);
    assert_int_equal(f->frame, 1);
    assert_vector(f->point1, 1, 0, 0);
    assert_vector(f->point2, 1, 0, 0);
    unload(&l);
    l = load_force("type: expression_force, body1: a, force: z, axis: [0, 3, 0]");
    assert_int_equal(l.model->forces[0].frame, IB_GROUND);
    unload(&l);
    refuses("type: expression_force, body1: a, force: length, axis: [0, 3, 0]", "IB0413", 48,
            "two points");
    refuses("type: expression_force, body1: a, force: z, frame: b", "IB0214", 58, "only with");
    refuses("type: expression_force, body1: a, force: z, axis: [0, 1, 0], point2: [0, 0, 0]",
            "IB0222", 76, "point1");
}

static void test_expression_torque(void **state) {
    (void)state;
    loaded l =
        load_force("type: expression_torque, body1: a, body2: b, torque: 2*z, axis: [0, 0, 2]");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_EXPRESSION_TORQUE);
    assert_true(f->has_axis);
    assert_vector(f->axis, 0, 0, 1);
    assert_int_equal(f->frame, 1); /* fixed on body2 */
    assert_same(value_of(l.model, f, &f->law), 10);
    unload(&l);
    refuses("type: expression_torque, body1: a, torque: 1", "IB0211", 3, "'axis'");
    refuses("type: expression_torque, body1: a, axis: [1, 0, 0]", "IB0211", 3, "'torque'");
    refuses("type: expression_torque, body1: a, axis: [1, 0, 0], torque: rate", "IB0413", 67,
            "two points");
    refuses("type: expression_torque, body1: a, axis: [1, 0, 0], torque: 1, point1: [0, 0, 0]",
            "IB0214", 70, "spring_damper");
}

static void test_triples(void **state) {
    (void)state;
    loaded l = load_force("type: force, body1: b, value: [1 N, 2*t, z], frame: a");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_FORCE);
    assert_int_equal(f->frame, 0);
    assert_vector(f->point1, 0, 0, 2);
    assert_same(value_of(l.model, f, &f->value[0]), 1);
    assert_same(value_of(l.model, f, &f->value[1]), 6);
    assert_same(value_of(l.model, f, &f->value[2]), 5);
    unload(&l);
    l = load_force("type: torque, body1: b, value: [1 N*m, 0, 0]");
    assert_int_equal(l.model->forces[0].type, IB_FORCE_TORQUE);
    assert_int_equal(l.model->forces[0].frame, IB_GROUND);
    assert_int_equal(l.model->forces[0].body2, IB_GROUND);
    unload(&l);
    refuses("type: force, body1: b", "IB0211", 3, "'value'");
    refuses("type: force, body1: b, value: 5", "IB0212", 37, "list of 3");
    refuses("type: force, body1: b, value: [1, 2]", "IB0224", 37, "3 expressions");
    refuses("type: torque, body1: b, value: [1 N, 2, 3]", "IB0218", 41, "a torque");
    refuses("type: torque, body1: b, value: [1, 2, 3], point1: [0, 0, 0]", "IB0214", 49, "force");
}

static void test_rotor(void **state) {
    (void)state;
    loaded l = load_force("type: rotor, body1: b, point1: [1, 0, 2], axis: [0, 0, 5], spin: -1, "
                          "speed: 3 * z, k_thrust: 2, k_torque: 0.1, inflow: 0.02, damping: 0.03");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_ROTOR);
    assert_vector(f->point1, 1, 0, 2);
    assert_vector(f->axis, 0, 0, 1);
    assert_int_equal(f->spin, -1);
    assert_same(value_of(l.model, f, &f->speed), 15);
    assert_same(f->k_thrust, 2);
    assert_same(f->k_torque, 0.1);
    assert_same(f->inflow, 0.02);
    assert_same(f->rotor_damping, 0.03);
    unload(&l);
    l = load_force("type: rotor, body1: b, axis: [0, 0, 1], speed: 60 rpm, k_thrust: 2");
    f = &l.model->forces[0];
    assert_vector(f->point1, 0, 0, 2);
    assert_int_equal(f->spin, 1);
    assert_float_equal(value_of(l.model, f, &f->speed), 6.283185307179586, 1e-14);
    assert_same(f->k_torque, 0);
    assert_same(f->inflow, 0);
    assert_same(f->rotor_damping, 0);
    unload(&l);
#define ROTOR "type: rotor, body1: b, axis: [0, 0, 1], speed: 1, "
    refuses("type: rotor, body1: b, axis: [0, 0, 1], speed: 1", "IB0211", 3, "'k_thrust'");
    refuses("type: rotor, body1: b, axis: [0, 0, 1], k_thrust: 1", "IB0211", 3, "'speed'");
    refuses("type: rotor, body1: b, k_thrust: 1, speed: 1", "IB0211", 3, "'axis'");
    refuses("type: rotor, body1: ground, axis: [0, 0, 1], speed: 1, k_thrust: 1", "IB0312", 27,
            "not on the ground");
    refuses(ROTOR "k_thrust: 1, spin: 2", "IB0607", 76, "neither 1 nor -1");
    refuses(ROTOR "k_thrust: 1, spin: 0", "IB0607", 76, "neither 1 nor -1");
    refuses(ROTOR "k_thrust: 1, k_torque: -1", "IB0607", 80, "negative");
    refuses(ROTOR "k_thrust: 1, inflow: -1", "IB0607", 78, "negative");
    refuses(ROTOR "k_thrust: 1, damping: -1", "IB0607", 79, "negative");
    refuses(ROTOR "k_thrust: 1, body2: a", "IB0214", 70, "spring_damper");
#undef ROTOR
}

static void test_buoyancy(void **state) {
    (void)state;
#define POOL TWO_BODIES "gravity: [0, 0, -9.81]\n"
    loaded l = load_good(POOL "measures: {z: {type: displacement, body1: a, component: z}}\n"
                              "forces:\n  f: {type: buoyancy, body1: b, volume: 2 * z, density: 1 "
                              "g/cm^3, point1: [0, 1, 0]}\n");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_BUOYANCY);
    assert_vector(f->point1, 0, 1, 0);
    assert_same(value_of(l.model, f, &f->volume), 10);
    assert_float_equal(value_of(l.model, f, &f->density), 1000, 1e-12);
    unload(&l);
    expect_error(POOL "forces:\n  f: {type: buoyancy, body1: b, volume: 1}\n", "IB0211", 7, 3,
                 "'density'");
    expect_error(POOL "forces:\n  f: {type: buoyancy, body1: b, density: 1}\n", "IB0211", 7, 3,
                 "'volume'");
    expect_error(POOL "forces:\n  f: {type: buoyancy, body1: b, volume: 1 kg, density: 1}\n",
                 "IB0218", 7, 43, "a volume");
#undef POOL
    refuses("type: buoyancy, body1: b, volume: 1, density: 1", "IB0214", 3, "without 'gravity'");
}

#define GROUND                                                                                     \
    TWO_BODIES                                                                                     \
    "tables:\n"                                                                                    \
    "  hill: {type: cubic, axes: [[0, 1, 2], [0, 1]], values: [[0, 0], [1, 1], [0, 0]]}\n"         \
    "  edgy: {axes: [[0, 1], [0, 1]], values: [[0, 0], [1, 1]]}\n"                                 \
    "  deep: {type: cubic, axes: [[0, 1], [0, 1], [0, 1]], values: [[[0, 0], [0, 0]], "            \
    "[[0, 0], [1, 1]]]}\n"                                                                         \
    "forces:\n  f: {type: contact, body1: b, "

static void test_contact(void **state) {
    (void)state;
    loaded l = load_good(GROUND "body2: a, point1: [0, 0, 1], point2: [0, 1, 0], axis: [0, 2, 0], "
                                "radius: 20 cm, stiffness: 5e6, exponent: 1, dissipation: 0.3, mu: "
                                "0.6, stick_velocity: 1 cm/s, max_depth: 2 mm}\n");
    const ib_force *f = &l.model->forces[0];
    const ib_contact *c = &f->contact;
    assert_int_equal(f->type, IB_FORCE_CONTACT);
    assert_int_equal(f->body2, 0);
    assert_vector(f->point1, 0, 0, 1);
    assert_vector(f->point2, 0, 1, 0);
    const double z[3] = {0, 0, 1};
    double axis[3];
    ib_quat_rotate(f->orientation, z, axis);
    assert_vector(axis, 0, 1, 0);
    assert_same(c->radius, 0.2);
    assert_same(c->stiffness, 5e6);
    assert_same(c->exponent, 1);
    assert_same(c->dissipation, 0.3);
    assert_same(c->mu, 0.6);
    assert_same(c->stick_velocity, 0.01);
    assert_same(c->max_depth, 0.002);
    assert_null(c->surface);
    unload(&l);
    l = load_good(GROUND
                  "stiffness: 1, surface: hill, radius: 0.5, orientation: {z: [1, 0, 0]}}\n");
    c = &l.model->forces[0].contact;
    assert_ptr_equal(c->surface, l.model->tables[0]);
    assert_same(c->exponent, 1.5);
    assert_same(c->dissipation, 0);
    assert_same(c->mu, 0);
    assert_same(c->stick_velocity, 1e-3);
    assert_same(c->max_depth, 0.05);
    assert_int_equal(l.model->forces[0].body2, IB_GROUND);
    assert_vector(l.model->forces[0].point1, 0, 0, 2);
    unload(&l);
    l = load_good(GROUND "stiffness: 1, surface: plane}\n");
    assert_null(l.model->forces[0].contact.surface);
    assert_same(l.model->forces[0].contact.radius, 0);
    assert_same(l.model->forces[0].contact.max_depth, 0.01);
    assert_same(l.model->forces[0].orientation[0], 1);
    unload(&l);
}

static void test_bad_contact(void **state) {
    (void)state;
    static const struct {
        const char *keys, *id;
        uint32_t column;
        const char *said;
    } bad[] = {
        {"radius: 1", "IB0211", 3, "'stiffness'"},
        {"stiffness: 0", "IB0607", 43, "greater than 0"},
        {"stiffness: length", "IB0407", 43, "'length'"},
        {"stiffness: [1, 2]", "IB0212", 43, "number"},
        {"stiffness: 1, radius: -1", "IB0607", 54, "negative"},
        {"stiffness: 1, exponent: 0.5", "IB0607", 56, "less than 1"},
        {"stiffness: 1, dissipation: -1", "IB0607", 59, "negative"},
        {"stiffness: 1, mu: -0.1", "IB0607", 50, "negative"},
        {"stiffness: 1, stick_velocity: 0", "IB0607", 62, "greater than 0"},
        {"stiffness: 1, stick_velocity: 1 m", "IB0218", 64, "a speed"},
        {"stiffness: 1, max_depth: -1", "IB0607", 57, "negative"},
        {"stiffness: 1, surface: hills", "IB0330", 55, "no table 'hills'"},
        {"stiffness: 1, surface: edgy", "IB0607", 55, "type: cubic"},
        {"stiffness: 1, surface: deep", "IB0607", 55, "3 arguments"},
        {"stiffness: 1, axis: [0, 0, 1], orientation: [1, 0, 0, 0]", "IB0222", 76, "z-axis"},
        {"stiffness: 1, frame: b", "IB0214", 46, "expression_force"},
    };
    for (size_t i = 0; i < IB_COUNT(bad); i++) {
        char text[1000];
        snprintf(text, sizeof(text), GROUND "%s}\n", bad[i].keys);
        expect_error(text, bad[i].id, 10, bad[i].column, bad[i].said);
    }
}

/* Value of a motor's name is 13 here. */
static double with_motor(const ib_model *model, ib_node node) {
    double leaves[8] = {3};
    leaves[ib_leaf_motor(model, 0)] = 13;
    leaves[ib_leaf_measure(model, 0)] = 5;
    return ib_graph_value(model->graph, node, leaves, ib_leaf_count(model));
}

static void test_motor(void **state) {
    (void)state;
    loaded l = load_force("type: motor, command: 2 * z + f, tau_up: 10 ms, tau_down: 0.2, "
                          "rate_limit: 5, max: 7, start: -6");
    const ib_force *f = &l.model->forces[0];
    assert_int_equal(f->type, IB_FORCE_MOTOR);
    assert_int_equal(f->motor, 0);
    assert_int_equal(l.model->n_motors, 1);
    assert_same(f->tau_up, 0.01);
    assert_same(f->tau_down, 0.2);
    assert_same(f->rate_limit, 5);
    assert_same(f->max, 7);
    assert_same(f->start, -6);
    assert_same(with_motor(l.model, f->command.node), 23);
    unload(&l);
    l = load_force("type: motor, command: 1, tau_up: 3");
    assert_same(l.model->forces[0].tau_down, 3);
    assert_true(isinf(l.model->forces[0].max) && isinf(l.model->forces[0].rate_limit));
    assert_same(l.model->forces[0].start, 0);
    unload(&l);
    refuses("type: motor, tau_up: 1", "IB0211", 3, "'command'");
    refuses("type: motor, command: 1", "IB0211", 3, "'tau_up'");
    refuses("type: motor, command: 1, tau_up: 0", "IB0607", 40, "not greater than 0");
    refuses("type: motor, command: 1, tau_up: 1, tau_down: -1", "IB0607", 53, "greater");
    refuses("type: motor, command: 1, tau_up: 1, rate_limit: 0", "IB0607", 55, "greater");
    refuses("type: motor, command: 1, tau_up: 1, max: -2", "IB0607", 48, "greater");
    refuses("type: motor, command: 1, tau_up: 1, max: 2, start: 3", "IB0607", 58, "'max'");
    refuses("type: motor, command: length, tau_up: 1", "IB0413", 29, "two points");
    refuses("type: motor, command: 1, tau_up: 1, body1: a", "IB0214", 43, "spring_damper");
    refuses("type: motor, command: 1, tau_up: 5 m", "IB0218", 42, "a time");
}

/* A motor's name stands in every expression of the state, wherever it is declared. */
static void test_motor_names(void **state) {
    (void)state;
    const char *const model =
        TWO_BODIES "measures: {z: {type: displacement, body1: a, component: z}}\n"
                   "forces:\n"
                   "  f: {type: expression_force, body1: a, body2: b, force: 3 * m + z}\n"
                   "  m: {<<: {type: motor, tau_up: 1}, command: t}\n"
                   "outputs: {o: m / 2}\n";
    loaded l = load_good(model);
    assert_same(with_motor(l.model, l.model->forces[0].law.node), 44);
    assert_same(with_motor(l.model, l.model->outputs[0].value.node), 6.5);
    unload(&l);
#define MOTOR "forces: {m: {type: motor, command: 0, tau_up: 1}}\n"
    expect_error(TWO_BODIES MOTOR "points: {p: [m, 0, 0]}\n", "IB0413", 6, 14, "motors change");
    expect_error(TWO_BODIES MOTOR "measures: {x: {type: displacement, body1: a, component: x}}\n"
                                  "drivers: {d: {measure: x, motion: m}}\n",
                 "IB0413", 7, 35, "not of the state");
    expect_error(TWO_BODIES "parameters: {m: 1}\n" MOTOR, "IB0301", 6, 10, "used twice");
    expect_error(TWO_BODIES "forces: {sin: {type: motor, command: 0, tau_up: 1}}\n", "IB0302", 5,
                 10, "redefined");
#undef MOTOR
}

static void test_gravity(void **state) {
    (void)state;
    loaded l = load_force("type: gravity, id: g");
    assert_int_equal(l.model->forces[0].type, IB_FORCE_GRAVITY);
    unload(&l);
    refuses("type: gravity, body1: a", "IB0214", 22, "spring_damper");
}

static void test_bodies(void **state) {
    (void)state;
    refuses("type: spring_damper, body1: a, body2: a", "IB0318", 45, "body1 already");
    refuses("type: spring_damper, body1: c", "IB0312", 35, "no body 'c'");
    refuses("type: spring_damper", "IB0211", 3, "'body1'");
}

static void test_accelerations(void **state) {
    (void)state;
    expect_error(TWO_BODIES "measures: {az: {type: acceleration, body1: a, component: z}}\n"
                            "forces:\n"
                            "  f: {type: expression_force, body1: a, force: 1 + az}\n",
                 "IB0413", 7, 52, "accelerations follow from the forces");
}

static void test_shadow(void **state) {
    (void)state;
    loaded l = load(TWO_BODIES "parameters: {length: 100}\n"
                               "forces:\n"
                               "  f: {type: expression_force, body1: a, body2: b, force: length}\n"
                               "  g: {type: expression_torque, body1: a, axis: [1, 0, 0], "
                               "torque: length}\n");
    assert_int_equal(l.status, IB_OK);
    assert_int_equal(ib_diags_count(l.diags), 1);
    const ib_diag *note = ib_diags_at(l.diags, 0);
    assert_int_equal(note->severity, IB_NOTE);
    assert_string_equal(note->id, "IB0306");
    assert_int_equal(note->place.line, 7);
    assert_int_equal(note->place.column, 58);
    assert_int_equal(note->notes[0].place.line, 5);
    assert_int_equal(l.model->n_measures, 1);
    /* Where there is no line, the parameter is meant. */
    const double leaves[3] = {0, 100, 7};
    assert_same(ib_graph_value(l.model->graph, l.model->forces[1].law.node, leaves, 3), 100);
    assert_same(ib_graph_value(l.model->graph, l.model->forces[0].law.node, leaves, 3), 7);
    unload(&l);
}

static void test_not_yet(void **state) {
    (void)state;
    refuses("type: tyre, body1: a, radius: 1", "IB0213", 13, "not yet");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_damper),
        cmocka_unit_test(test_spring_defaults),
        cmocka_unit_test(test_spring_expressions),
        cmocka_unit_test(test_torsion_spring),
        cmocka_unit_test(test_bushing),
        cmocka_unit_test(test_bad_bushing),
        cmocka_unit_test(test_spring_splines),
        cmocka_unit_test(test_expression_force),
        cmocka_unit_test(test_expression_force_axis),
        cmocka_unit_test(test_expression_torque),
        cmocka_unit_test(test_triples),
        cmocka_unit_test(test_contact),
        cmocka_unit_test(test_bad_contact),
        cmocka_unit_test(test_rotor),
        cmocka_unit_test(test_buoyancy),
        cmocka_unit_test(test_motor),
        cmocka_unit_test(test_motor_names),
        cmocka_unit_test(test_gravity),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_accelerations),
        cmocka_unit_test(test_shadow),
        cmocka_unit_test(test_not_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
