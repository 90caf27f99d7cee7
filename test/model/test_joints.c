/* Joints: types, points, axes, frames, locks. */
#include "model_test.h"

#define HEAD TWO_BODIES "joints:\n"

static ib_joint read_joint(const char *keys) {
    char text[1000];
    snprintf(text, sizeof(text), HEAD "  j: {%s}\n", keys);
    loaded l = load_good(text);
    const ib_joint joint = l.model->joints[0];
    unload(&l);
    return joint;
}

static void refuses(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[1000];
    snprintf(text, sizeof(text), HEAD "  j: {%s}\n", keys);
    expect_error(text, id, 6, column, said);
}

/* The z-axis of a joint's frame. */
static void assert_z(const double q[4], double x, double y, double z) {
    double axis[3] = {0, 0, 1};
    ib_quat_rotate(q, axis, axis);
    assert_vector(axis, x, y, z);
}

static void test_fixed(void **state) {
    (void)state;
    const ib_joint j = read_joint("type: fixed, body1: b");
    assert_int_equal(j.type, IB_JOINT_FIXED);
    assert_int_equal(j.body1, 1);
    assert_int_equal(j.body2, IB_GROUND);
    assert_vector(j.point1, 0, 0, 2); /* the centre of mass of b */
    assert_vector(j.point2, 0, 0, 2);
    assert_z(j.orientation, 0, 0, 1);
    const ib_joint apart = read_joint(
        "type: fixed, body1: a, body2: b, orientation1: [1, 0, 0, 0], orientation2: [0, 1, 0, 0]");
    assert_z(apart.orientation, 0, 0, 1);
    assert_z(apart.orientation2, 0, 0, -1);
    refuses("type: fixed, body1: a, orientation2: [0, 1, 0, 0]", "IB0211", 3, "orientation1");
    refuses("type: fixed, body1: a, axis: [0, 1, 0]", "IB0214", 30, "revolute");
}

static void test_spherical(void **state) {
    (void)state;
    const ib_joint j = read_joint("type: spherical, body1: a, body2: b, point: [1, 2, 3], id: J");
    assert_int_equal(j.type, IB_JOINT_SPHERICAL);
    assert_int_equal(j.body2, 1);
    assert_vector(j.point1, 1, 2, 3);
    assert_vector(j.point2, 1, 2, 3);
    refuses("type: spherical, body1: a", "IB0211", 3, "'point'");
}

static void test_points_apart(void **state) {
    (void)state;
    const ib_joint j =
        read_joint("type: spherical, body1: a, point1: [1, 2, 3], point2: [4, 5, 6]");
    assert_vector(j.point1, 1, 2, 3);
    assert_vector(j.point2, 4, 5, 6);
    refuses("type: spherical, body1: a, point1: [1, 2, 3]", "IB0211", 3, "'point2'");
    refuses("type: spherical, body1: a, point2: [1, 2, 3]", "IB0211", 3, "'point1'");
    refuses("type: spherical, body1: a, point: [0, 0, 0], point2: [1, 2, 3]", "IB0222", 60,
            "sets both");
}

static void test_axial(void **state) {
    (void)state;
    static const struct {
        const char *type;
        ib_joint_type value;
    } types[] = {{"revolute", IB_JOINT_REVOLUTE},
                 {"cylindrical", IB_JOINT_CYLINDRICAL},
                 {"prismatic", IB_JOINT_PRISMATIC}};
    for (size_t i = 0; i < IB_COUNT(types); i++) {
        char keys[300];
        snprintf(keys, sizeof(keys), "type: %s, body1: a, point: [0, 0, 0], axis: [0, 5, 0]",
                 types[i].type);
        const ib_joint j = read_joint(keys);
        assert_int_equal(j.type, types[i].value);
        assert_vector(j.axis1, 0, 1, 0);
        assert_vector(j.axis2, 0, 1, 0);
        assert_z(j.orientation, 0, 1, 0);
        assert_memory_equal(j.orientation, j.orientation2, sizeof(j.orientation));
        snprintf(keys, sizeof(keys),
                 "type: %s, body1: a, point: [0, 0, 0], orientation: {z: [1, 0, 0]}",
                 types[i].type);
        const ib_joint k = read_joint(keys);
        assert_vector(k.axis1, 1, 0, 0);
        assert_vector(k.axis2, 1, 0, 0);
        snprintf(keys, sizeof(keys), "type: %s, body1: a, point: [0, 0, 0]", types[i].type);
        refuses(keys, "IB0211", 3, "'axis'");
    }
}

static void test_axes_apart(void **state) {
    (void)state;
    const ib_joint j = read_joint(
        "type: revolute, body1: a, point: [0, 0, 0], axis1: [0, 0, 2], axis2: [0, 3, 0]");
    assert_vector(j.axis1, 0, 0, 1);
    assert_vector(j.axis2, 0, 1, 0);
    assert_z(j.orientation, 0, 0, 1);
    assert_z(j.orientation2, 0, 1, 0);
    const ib_joint flipped = read_joint(
        "type: revolute, body1: a, point: [0, 0, 0], axis1: [0, 0, 1], axis2: [0, 0, -1]");
    assert_z(flipped.orientation2, 0, 0, -1);
    refuses("type: revolute, body1: a, point: [0, 0, 0], axis1: [0, 0, 1]", "IB0211", 3, "'axis2'");
    refuses("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 0, 1], axis2: [0, 1, 0]",
            "IB0222", 75, "exclude");
    refuses(
        "type: revolute, body1: a, point: [0, 0, 0], axis: [0, 0, 1], orientation: [1, 0, 0, 0]",
        "IB0222", 81, "exclude");
}

static void test_axis_lengths(void **state) {
    (void)state;
    assert_vector(
        read_joint("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 1e-300, 0]").axis1, 0, 1,
        0);
    assert_vector(
        read_joint("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 1e300, 0]").axis1, 0, 1,
        0);
    refuses("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 0, 0]", "IB0605", 57,
            "zero length");
    refuses("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 0]", "IB0224", 57, "3 numbers");
    refuses("type: revolute, body1: a, point: [0, 0, 0], axis: z", "IB0212", 57, "list of 3");
}

static void test_prismatic_point(void **state) {
    (void)state;
    assert_vector(read_joint("type: prismatic, body1: b, axis: [1, 0, 0]").point2, 0, 0, 2);
    assert_vector(read_joint("type: prismatic, body1: ground, body2: b, axis: [1, 0, 0]").point2, 0,
                  0, 0);
}

static void test_universal(void **state) {
    (void)state;
    const ib_joint j = read_joint(
        "type: universal, body1: a, point: [0, 0, 0], axis1: [2, 0, 0], axis2: [0, 2, 0]");
    assert_int_equal(j.type, IB_JOINT_UNIVERSAL);
    assert_vector(j.axis1, 1, 0, 0);
    assert_vector(j.axis2, 0, 1, 0);
    refuses("type: universal, body1: a, point: [0, 0, 0], axis1: [1, 0, 0]", "IB0211", 3,
            "'axis2'");
    refuses("type: universal, body1: a, point: [0, 0, 0], axis1: [1, 0, 0], axis2: [0, 1, 0], "
            "axis: [0, 0, 1]",
            "IB0214", 88, "revolute");
}

static void test_generic(void **state) {
    (void)state;
    const ib_joint j = read_joint("type: generic, body1: b, lock: [x, y, rz], point: [0, 0, 0], "
                                  "orientation: {z: [1, 0, 0]}");
    assert_int_equal(j.type, IB_JOINT_GENERIC);
    assert_int_equal(j.lock, IB_LOCK_X | IB_LOCK_Y | IB_LOCK_RZ);
    assert_z(j.orientation, 1, 0, 0);
    const ib_joint all =
        read_joint("type: generic, body1: b, lock: [x, y, z, rx, ry, rz], point: [0, 0, 0]");
    assert_int_equal(all.lock, 63);
    assert_z(all.orientation, 0, 0, 1);
    assert_z(read_joint("type: generic, body1: b, lock: [rx], axis: [0, 1, 0]").orientation, 0, 1,
             0);
    /* Rotations alone need no point; translations do. */
    assert_vector(read_joint("type: generic, body1: b, lock: [rx]").point1, 0, 0, 2);
    refuses("type: generic, body1: b, lock: [x]", "IB0211", 3, "'point'");
    refuses("type: generic, body1: b", "IB0211", 3, "'lock'");
    refuses("type: generic, body1: b, point: [0, 0, 0], lock: []", "IB0224", 56, "locks nothing");
    refuses("type: generic, body1: b, point: [0, 0, 0], lock: [x, w]", "IB0215", 60, "'w'");
    refuses("type: generic, body1: b, point: [0, 0, 0], lock: [x, y, x]", "IB0203", 63, "twice");
    refuses("type: spherical, body1: b, point: [0, 0, 0], lock: [x]", "IB0214", 52, "generic");
}

static void test_bodies(void **state) {
    (void)state;
    refuses("type: fixed", "IB0211", 3, "'body1'");
    refuses("type: fixed, body1: bb", "IB0312", 27, "no body 'bb'");
    refuses("type: fixed, body1: a, body2: a", "IB0318", 37, "body1 already");
    refuses("type: fixed, body1: ground", "IB0318", 3, "ground");
}

/* An axis by any of three ways, and what the joint then keeps parallel or across it. */
static void test_axes_of_pairs(void **state) {
    (void)state;
    static const struct {
        const char *type;
        ib_joint_type value;
    } types[] = {{"planar", IB_JOINT_PLANAR},
                 {"parallel_axes", IB_JOINT_PARALLEL_AXES},
                 {"point_on_line", IB_JOINT_POINT_ON_LINE},
                 {"point_on_plane", IB_JOINT_POINT_ON_PLANE}};
    for (size_t i = 0; i < IB_COUNT(types); i++) {
        char keys[300];
        snprintf(keys, sizeof(keys), "type: %s, body1: b, point: [1, 2, 3], axis: [0, 5, 0]",
                 types[i].type);
        const ib_joint j = read_joint(keys);
        assert_int_equal(j.type, types[i].value);
        assert_vector(j.point1, 1, 2, 3);
        assert_vector(j.axis1, 0, 1, 0);
        assert_vector(j.axis2, 0, 1, 0);
        snprintf(keys, sizeof(keys),
                 "type: %s, body1: b, point1: [1, 2, 3], point2: [4, 5, 6], orientation: "
                 "{z: [1, 0, 0]}",
                 types[i].type);
        const ib_joint apart = read_joint(keys);
        assert_vector(apart.axis2, 1, 0, 0);
        assert_vector(apart.point2, 4, 5, 6);
        snprintf(keys, sizeof(keys), "type: %s, body1: a, point: [0, 0, 0]", types[i].type);
        refuses(keys, "IB0211", 3, "'axis'");
        const bool two = i < 2; /* the others have an axis on body2 only */
        snprintf(keys, sizeof(keys),
                 "type: %s, body1: a, point: [0, 0, 0], axis1: [0, 0, 2], axis2: [0, 3, 0]",
                 types[i].type);
        if (two)
            assert_vector(read_joint(keys).axis2, 0, 1, 0);
        snprintf(keys, sizeof(keys), "type: %s, body1: a, point: [0, 0, 0], axis1: [0, 0, 2]",
                 types[i].type);
        if (two)
            refuses(keys, "IB0211", 3, "'axis2'");
    }
    refuses("type: point_on_line, body1: a, point: [0, 0, 0], axis: [0, 0, 1], axis1: [0, 0, 1]",
            "IB0214", 73, "universal");
    refuses("type: planar, body1: a, axis: [0, 0, 1]", "IB0211", 3, "'point'");
    refuses("type: point_on_line, body1: a, axis: [0, 0, 1]", "IB0211", 3, "'point'");
    refuses("type: point_on_plane, body1: a, axis: [0, 0, 1]", "IB0211", 3, "'point'");
    /* Rotations alone need no point. */
    assert_vector(read_joint("type: parallel_axes, body1: b, axis: [0, 0, 1]").point2, 0, 0, 2);
}

static void test_perpendicular_axes(void **state) {
    (void)state;
    const ib_joint j =
        read_joint("type: perpendicular_axes, body1: b, axis1: [3, 0, 0], axis2: [0, 0, -2]");
    assert_int_equal(j.type, IB_JOINT_PERPENDICULAR_AXES);
    assert_vector(j.axis1, 1, 0, 0);
    assert_vector(j.axis2, 0, 0, -1);
    assert_vector(j.point1, 0, 0, 2);
    refuses("type: perpendicular_axes, body1: b, axis1: [3, 0, 0]", "IB0211", 3, "'axis2'");
    refuses("type: perpendicular_axes, body1: b, axis2: [3, 0, 0]", "IB0211", 3, "'axis1'");
}

/* The frames are one another's turned about an axis across both shafts. */
static void test_constant_velocity(void **state) {
    (void)state;
    const ib_joint j = read_joint("type: constant_velocity, body1: a, body2: b, point: [0, 0, 1], "
                                  "axis1: [0, 0, 1], axis2: [0.6, 0, 0.8]");
    assert_int_equal(j.type, IB_JOINT_CONSTANT_VELOCITY);
    assert_vector(j.point2, 0, 0, 1);
    assert_z(j.orientation, 0, 0, 1);
    assert_z(j.orientation2, 0.6, 0, 0.8);
    double across[3] = {0, 1, 0};
    ib_quat_rotate(j.orientation2, across, across);
    assert_vector(across, 0, 1, 0);
    refuses("type: constant_velocity, body1: a, point: [0, 0, 0], axis2: [0, 0, 1]", "IB0211", 3,
            "'axis1'");
    refuses("type: constant_velocity, body1: a, axis1: [0, 0, 1], axis2: [0, 0, 1]", "IB0211", 3,
            "'point'");
}

static void test_distance(void **state) {
    (void)state;
    const ib_joint j = read_joint(
        "type: distance, body1: a, body2: b, point1: [1, 0, 0], point2: [1, 0, 2], id: rod");
    assert_int_equal(j.type, IB_JOINT_DISTANCE);
    assert_same(j.length, 2);
    assert_vector(j.point1, 1, 0, 0);
    assert_vector(j.point2, 1, 0, 2);
    assert_same(read_joint("type: distance, body1: a, point1: [0, 0, 0], point2: [0, 0, 2], "
                           "length: 2001 mm")
                    .length,
                2.001);
    refuses("type: distance, body1: a, point1: [0, 0, 0]", "IB0211", 3, "'point2'");
    refuses("type: distance, body1: a, point2: [0, 0, 0]", "IB0211", 3, "'point1'");
    refuses("type: distance, body1: a, point1: [0, 0, 0], point2: [0, 0, 1], point: [0, 0, 0]",
            "IB0214", 71, "spherical");
    refuses("type: distance, body1: a, point1: [0, 0, 1], point2: [0, 0, 1]", "IB0607", 60,
            "spherical");
    refuses("type: distance, body1: a, point1: [0, 0, 1], point2: [0, 0, 2], length: 0", "IB0607",
            79, "more than zero");
    refuses("type: distance, body1: a, point1: [0, 0, 1], point2: [0, 0, 2], length: -1", "IB0607",
            79, "more than zero");
    refuses("type: spherical, body1: a, point: [0, 0, 0], length: 1", "IB0214", 52, "distance");
}

/* ---- gears, racks and screws ---- */

#define GEARED                                                                                     \
    TWO_BODIES "measures:\n"                                                                       \
               "  p: {type: angle, body1: a, orientation: {z: [0, 0, 1]}}\n"                       \
               "  q: {type: angle, body1: b, orientation: {z: [0, 0, 1]}}\n"                       \
               "  w: {type: displacement, body1: b, component: x}\n"                               \
               "  d: {type: distance, body1: b}\n"                                                 \
               "joints:\n"

static ib_joint read_coupling(const char *keys) {
    char text[1000];
    snprintf(text, sizeof(text), GEARED "  j: {%s}\n", keys);
    loaded l = load_good(text);
    const ib_joint joint = l.model->joints[0];
    unload(&l);
    return joint;
}

static void refuses_coupling(const char *keys, const char *id, uint32_t column, const char *said) {
    char text[1000];
    snprintf(text, sizeof(text), GEARED "  j: {%s}\n", keys);
    expect_error(text, id, 11, column, said);
}

static void test_gear(void **state) {
    (void)state;
    const ib_joint j = read_coupling("type: gear, measure1: q, measure2: p, ratio: -5 / 2, id: g");
    assert_int_equal(j.type, IB_JOINT_GEAR);
    assert_int_equal(j.measure1, 1);
    assert_int_equal(j.measure2, 0);
    assert_same(j.ratio, -2.5);
    refuses_coupling("type: gear, measure1: w, measure2: p, ratio: 1", "IB0319", 29, "rack_pinion");
    refuses_coupling("type: gear, measure1: d, measure2: p, ratio: 1", "IB0319", 29, "distance");
    refuses_coupling("type: gear, measure1: p, measure2: d, ratio: 1", "IB0319", 42,
                     "an angle here");
    refuses_coupling("type: gear, measure1: p, measure2: p, ratio: 1", "IB0319", 42,
                     "measure1 already");
    refuses_coupling("type: gear, measure1: p, measure2: q, ratio: 0", "IB0607", 52, "not be 0");
    refuses_coupling("type: gear, measure1: p, measure2: q", "IB0211", 3, "'ratio'");
    refuses_coupling("type: gear, measure1: p, ratio: 1", "IB0211", 3, "'measure2'");
    refuses_coupling("type: gear, measure2: p, ratio: 1", "IB0211", 3, "'measure1'");
    refuses_coupling("type: gear, measure1: pp, measure2: q, ratio: 1", "IB0313", 29, "'pp'");
    refuses_coupling("type: gear, measure1: p, measure2: q, ratio: 1, body1: a", "IB0214", 55,
                     "revolute");
    refuses_coupling("type: gear, measure1: p, measure2: q, ratio: 1, point: [0, 0, 0]", "IB0214",
                     55, "revolute");
    refuses_coupling("type: gear, measure1: p, measure2: q, ratio: 1, radius: 1", "IB0214", 55,
                     "rack_pinion");
}

static void test_rack_pinion(void **state) {
    (void)state;
    const ib_joint j = read_coupling("type: rack_pinion, measure1: w, measure2: p, radius: -20 mm");
    assert_int_equal(j.type, IB_JOINT_RACK_PINION);
    assert_int_equal(j.measure1, 2);
    assert_int_equal(j.measure2, 0);
    assert_same(j.radius, -0.02);
    refuses_coupling("type: rack_pinion, measure1: p, measure2: q, radius: 1", "IB0319", 36,
                     "a displacement here");
    refuses_coupling("type: rack_pinion, measure1: w, measure2: p, radius: 0", "IB0607", 60,
                     "not be 0");
    refuses_coupling("type: rack_pinion, measure1: w, measure2: p", "IB0211", 3, "'radius'");
    refuses_coupling("type: rack_pinion, measure1: w, measure2: p, radius: 1, ratio: 1", "IB0214",
                     63, "gear");
}

static void test_screw(void **state) {
    (void)state;
    const ib_joint j = read_joint(
        "type: screw, body1: a, body2: b, point: [1, 2, 3], axis: [0, 3, 0], pitch: -5 mm");
    assert_int_equal(j.type, IB_JOINT_SCREW);
    assert_int_equal(j.body2, 1);
    assert_vector(j.point2, 1, 2, 3);
    assert_vector(j.axis1, 0, 1, 0);
    assert_vector(j.axis2, 0, 1, 0);
    assert_same(j.pitch, -0.005);
    assert_int_equal(j.measure1, -1);
    refuses("type: screw, body1: a, point: [0, 0, 0], axis: [0, 0, 1], pitch: 0", "IB0607", 72,
            "not be 0");
    refuses("type: screw, body1: a, point: [0, 0, 0], axis: [0, 0, 1]", "IB0211", 3, "'pitch'");
    refuses("type: screw, body1: a, point: [0, 0, 0], pitch: 1", "IB0211", 3, "'axis'");
    refuses("type: screw, body1: a, axis: [0, 0, 1], pitch: 1", "IB0211", 3, "'point'");
    refuses("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 0, 1], pitch: 1", "IB0214", 68,
            "screw");
}

/* A map of its own; what turns needs a radius. */
static void test_friction(void **state) {
    (void)state;
    const ib_joint j = read_joint("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 0, 1], "
                                  "friction: {mu: 0.1, radius: 5 mm, stick_velocity: 2 mm/s}");
    assert_true(j.has_friction);
    assert_same(j.friction.mu, 0.1);
    assert_same(j.friction.radius, 0.005);
    assert_same(j.friction.stick_velocity, 0.002);
    const ib_joint slide =
        read_joint("type: prismatic, body1: a, axis: [0, 0, 1], friction: {mu: 1 / 4}");
    assert_same(slide.friction.mu, 0.25);
    assert_same(slide.friction.radius, 0);
    assert_same(slide.friction.stick_velocity, 1e-3);
    assert_false(read_joint("type: fixed, body1: a").has_friction);
    refuses("type: fixed, body1: a, friction: {mu: 1}", "IB0214", 30,
            "revolute, cylindrical, prismatic");
    refuses("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 0, 1], friction: {mu: 0.1}",
            "IB0211", 78, "friction needs 'radius'");
    refuses("type: prismatic, body1: a, axis: [0, 0, 1], friction: {mu: 0.1, radius: 1}", "IB0214",
            79, "nothing turns");
    refuses("type: prismatic, body1: a, axis: [0, 0, 1], friction: {stick_velocity: 1}", "IB0211",
            61, "friction needs 'mu'");
    refuses("type: prismatic, body1: a, axis: [0, 0, 1], friction: {mu: -0.1}", "IB0607", 66,
            "negative");
    refuses("type: revolute, body1: a, point: [0, 0, 0], axis: [0, 0, 1], friction: {mu: 0.1, "
            "radius: 0}",
            "IB0607", 96, "greater than 0");
    refuses("type: prismatic, body1: a, axis: [0, 0, 1], friction: {mu: 0.1, stick_velocity: 0}",
            "IB0607", 87, "greater than 0");
    refuses("type: prismatic, body1: a, axis: [0, 0, 1], friction: {mu: 0.1, stick: 1}", "IB0210",
            71, "stick_velocity");
    refuses("type: prismatic, body1: a, axis: [0, 0, 1], friction: 0.1", "IB0212", 61, "a map");
    refuses("type: prismatic, body1: a, axis: [0, 0, 1], friction: {mu: b}", "IB0407", 66, "b");
}

static void test_not_yet(void **state) { (void)state; }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_spherical),
        cmocka_unit_test(test_points_apart),
        cmocka_unit_test(test_axial),
        cmocka_unit_test(test_axes_apart),
        cmocka_unit_test(test_axis_lengths),
        cmocka_unit_test(test_prismatic_point),
        cmocka_unit_test(test_universal),
        cmocka_unit_test(test_generic),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_axes_of_pairs),
        cmocka_unit_test(test_perpendicular_axes),
        cmocka_unit_test(test_constant_velocity),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_gear),
        cmocka_unit_test(test_rack_pinion),
        cmocka_unit_test(test_screw),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_not_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
