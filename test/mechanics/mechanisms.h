/* Mechanisms that several tests build without YAML: the N-four-bar and the chain of ball joints. */
#ifndef TEST_MECHANISMS_H
#define TEST_MECHANISMS_H

#include "mechanics/mechanics.h"

#include <math.h>
#include <string.h>

static inline ib_mech_options mech_options(ib_mech_solver solver, ib_time step, double rtol) {
    ib_mech_options options = {0};
    options.solver = solver;
    options.step = step;
    options.rtol = options.atol = rtol;
    const double rho = 0.9;
    options.alpha_m = (2 * rho - 1) / (rho + 1);
    options.alpha_f = rho / (rho + 1);
    options.assembly_tolerance = 1e-3;
    options.n_leaves = 1;
    options.measure_leaf = 1;
    return options;
}

static inline void mech_body(ib_mechanism *m, const double r[3], const double q[4],
                             const double v[3], const double w[3], double mass,
                             const double inertia[3]) {
    ib_mech_body body = {.name = "link", .mass = mass};
    memcpy(body.inertia, inertia, 3 * sizeof *inertia);
    memcpy(body.position, r, sizeof body.position);
    memcpy(body.orientation, q, sizeof body.orientation);
    memcpy(body.velocity, v, sizeof body.velocity);
    memcpy(body.rates, w, sizeof body.rates);
    ib_mechanism_add_body(m, &body);
}

static inline void mech_joint_at(ib_mechanism *m, ib_mech_joint_type type, int body1, int body2,
                                 const double p[3], const double axis[3]) {
    ib_mech_joint joint = {.name = "joint", .type = type, .body1 = body1, .body2 = body2};
    memcpy(joint.point1, p, sizeof joint.point1);
    memcpy(joint.point2, p, sizeof joint.point2);
    ib_frame_from_z(axis, joint.frame1);
    memcpy(joint.frame2, joint.frame1, sizeof joint.frame2);
    ib_mechanism_add_joint(m, &joint);
}

/* IFToMM A02: 2 N + 1 links of 1 m and 1 kg, all cranks upright, B0 at 1 m/s; turned by q. */
static inline ib_mechanism *mech_fourbar(int n, const double turn[4], ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    double axis[3] = {0, 0, 1}, r[3], v[3];
    const double rates[3] = {0, 0, -1}, still[3] = {0, 0, 0};
    const double upright[3] = {1.0 / 12, 1e-4, 1.0 / 12}, flat[3] = {1e-4, 1.0 / 12, 1.0 / 12};
    ib_quat_rotate(turn, axis, axis);
    for (int i = 0; i <= n; i++) {
        ib_quat_rotate(turn, (const double[3]){i, 0.5, 0}, r);
        ib_quat_rotate(turn, (const double[3]){0.5, 0, 0}, v);
        mech_body(m, r, turn, v, rates, 1, upright);
    }
    for (int i = 0; i < n; i++) {
        ib_quat_rotate(turn, (const double[3]){i + 0.5, 1, 0}, r);
        ib_quat_rotate(turn, (const double[3]){1, 0, 0}, v);
        mech_body(m, r, turn, v, still, 1, flat);
    }
    for (int i = 0; i <= n; i++) {
        ib_quat_rotate(turn, (const double[3]){i, 0, 0}, r);
        mech_joint_at(m, IB_MECH_REVOLUTE, i, IB_MECH_GROUND, r, axis);
    }
    for (int i = 0; i < n; i++) {
        ib_quat_rotate(turn, (const double[3]){i, 1, 0}, r);
        mech_joint_at(m, IB_MECH_REVOLUTE, n + 1 + i, i, r, axis);
        ib_quat_rotate(turn, (const double[3]){i + 1, 1, 0}, r);
        mech_joint_at(m, IB_MECH_REVOLUTE, n + 1 + i, i + 1, r, axis);
    }
    ib_quat_rotate(turn, (const double[3]){0, -9.81, 0}, options->gravity);
    return m;
}

/* A straight chain of ball-jointed links, 60 degrees from straight down, turning at 1 rad/s. */
static inline ib_mechanism *mech_chain(int n, ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double l = 0.1, mass = 0.1, pi = 3.14159265358979323846;
    const double sine = sin(pi / 3), down = -cos(pi / 3);
    const double q[4] = {cos(pi / 6), 0, -sin(pi / 6), 0}, up[3] = {0, 0, 1};
    const double inertia[3] = {mass * l * l / 12, mass * l * l / 12, mass * l * l / 24};
    double rates[3];
    ib_quat_rotate_back(q, up, rates);
    for (int i = 0; i < n; i++) {
        const double s = l * (i + 0.5);
        mech_body(m, (const double[3]){sine * s, 0, down * s}, q, (const double[3]){0, sine * s, 0},
                  rates, mass, inertia);
    }
    for (int i = 0; i < n; i++)
        mech_joint_at(m, IB_MECH_SPHERICAL, i, i - 1,
                      (const double[3]){sine * l * i, 0, down * l * i}, up);
    options->gravity[2] = -9.81;
    return m;
}

/* IFToMM A04, Bricard's mechanism: five uniform rods of 1 m and 1 kg, 0.1 m square, six hinges. */
static inline ib_mechanism *mech_bricard(ib_mech_options *options) {
    static const double P[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                   {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    static const int axes[6] = {1, 2, 0, 1, 2, 0};
    const double q[4] = {1, 0, 0, 0}, still[3] = {0, 0, 0};
    ib_mechanism *m = ib_mechanism_create();
    for (int i = 0; i < 5; i++) {
        double r[3], inertia[3];
        for (int k = 0; k < 3; k++) {
            r[k] = 0.5 * (P[i][k] + P[i + 1][k]);
            inertia[k] = P[i][k] == P[i + 1][k] ? (1 + 0.01) / 12 : 0.02 / 12;
        }
        mech_body(m, r, q, still, still, 1, inertia);
    }
    for (int i = 0; i < 6; i++) {
        double axis[3] = {0, 0, 0};
        axis[axes[i]] = 1;
        mech_joint_at(m, IB_MECH_REVOLUTE, i < 5 ? i : IB_MECH_GROUND,
                      i > 0 ? i - 1 : IB_MECH_GROUND, P[i], axis);
    }
    options->gravity[1] = -9.81;
    return m;
}

/* A rigid motion of a whole model: x -> turn x + shift. */
typedef struct mech_pose {
    double turn[4], shift[3];
} mech_pose;

static inline void mech_place(const mech_pose *at, const double x[3], double out[3]) {
    ib_quat_rotate(at->turn, x, out);
    for (int k = 0; k < 3; k++)
        out[k] += at->shift[k];
}

/* A joint between two points, with an axis on each body; for constant velocity the frames belong
 * together only when the axes are parallel. */
static inline ib_mech_joint mech_pair_of(const mech_pose *at, ib_mech_joint_type type, int body1,
                                         int body2, const double p1[3], const double p2[3],
                                         const double axis1[3], const double axis2[3]) {
    ib_mech_joint joint = {.name = "pair", .type = type, .body1 = body1, .body2 = body2};
    double axis[3];
    mech_place(at, p1, joint.point1);
    mech_place(at, p2, joint.point2);
    ib_quat_rotate(at->turn, axis1, axis);
    ib_frame_from_z(axis, joint.frame1);
    ib_quat_rotate(at->turn, axis2, axis);
    ib_frame_from_z(axis, joint.frame2);
    return joint;
}

enum { MECH_PAIRS = 6 };

/* Every joint that holds neither a hinge nor a slide: a plate on an oblique plane with a groove, in
 * which one body runs by a point while another slides on the plate; then one that keeps an axis
 * parallel to the plate's, a link on a rod, and a shaft at its end. Springs hold all of it
 * together. Velocities are made to fit. */
static inline ib_mechanism *mech_pairs(const mech_pose *at, ib_mech_options *options) {
    static const double centres[MECH_PAIRS][3] = {{0, 0, 0},    {0.6, 0.3, 0.4}, {-0.7, 0.2, 0.8},
                                                  {0, 0.9, -1}, {1.5, -0.4, 0},  {2.5, -0.4, 0}};
    static const double spins[MECH_PAIRS][3] = {{0.3, 0, 1}, {1, -0.5, 0.4}, {0, 1, 1},
                                                {1, 1, 0},   {0.5, 0, 2},    {0, 0.7, 2}};
    static const double normal[3] = {0.6, 0, 0.8}, groove[3] = {0, 1, 0}, x[3] = {1, 0, 0};
    static const double oblique[3] = {0.48, 0.6, 0.64}, origin[3] = {0, 0, 0};
    const double inertia[3] = {0.1, 0.2, 0.25};
    ib_mechanism *m = ib_mechanism_create();
    for (int b = 0; b < MECH_PAIRS; b++) {
        double r[3], v[3] = {0.2 * b, 0.1, -0.3};
        mech_place(at, centres[b], r);
        ib_quat_rotate(at->turn, v, v);
        mech_body(m, r, at->turn, v, spins[b], 1 + 0.3 * b, inertia);
    }
    const double foot[3] = {0, 0.3, 0}, heel[3] = {-0.8, 0.2, 0.6}, end[3] = {1.2, -0.2, 0.1},
                 hook[3] = {0.3, 0.2, -0.1}, cup[3] = {2, -0.4, 0};
    const ib_mech_joint joints[] = {
        mech_pair_of(at, IB_MECH_PLANAR, 0, IB_MECH_GROUND, origin, origin, normal, normal),
        mech_pair_of(at, IB_MECH_POINT_ON_LINE, 1, 0, foot, origin, groove, groove),
        mech_pair_of(at, IB_MECH_POINT_ON_PLANE, 2, 0, heel, origin, normal, normal),
        mech_pair_of(at, IB_MECH_PARALLEL_AXES, 3, 0, origin, origin, oblique, oblique),
        mech_pair_of(at, IB_MECH_PERPENDICULAR_AXES, 4, 1, origin, origin, x, groove),
        mech_pair_of(at, IB_MECH_ROD, 4, 0, end, hook, x, x),
        mech_pair_of(at, IB_MECH_CONSTANT_VELOCITY, 5, 4, cup, cup, x, x),
    };
    for (size_t i = 0; i < IB_COUNT(joints); i++) {
        ib_mech_joint joint = joints[i];
        double line[3];
        ib_sub3(joint.point1, joint.point2, line);
        joint.length = ib_norm(line);
        ib_mechanism_add_joint(m, &joint);
    }
    for (int b = 1; b < MECH_PAIRS; b++) {
        ib_mech_force spring = {.name = "spring", .type = IB_MECH_LINE, .body1 = b, .body2 = 0};
        spring.frame = IB_MECH_GROUND;
        spring.law = IB_NO_NODE;
        mech_place(at, centres[b], spring.point1);
        mech_place(at, hook, spring.point2);
        spring.stiffness = 30;
        spring.damping = 0.5;
        spring.free_length = (double)NAN;
        ib_mechanism_add_force(m, &spring);
    }
    ib_quat_rotate(at->turn, (const double[3]){1, -2, -4}, options->gravity);
    return m;
}

enum { MECH_RUBBING = 3 };

/* Friction in every joint that may have it: a crank on an oblique hinge, a sleeve that slides and
 * turns on it, a slide on that; springs hold them. The hinge slips at full friction and does not
 * turn back within 0.4 s, the others stay within their stick speeds, so that all is smooth. */
static inline ib_mechanism *mech_rubbing(const mech_pose *at, ib_mech_options *options) {
    static const double centres[MECH_RUBBING][3] = {{0.4, 0.1, 0}, {0.9, 0, 0.2}, {1.1, 0.5, 0.1}};
    static const double hinge[3] = {0.6, 0, 0.8}, rod[3] = {0.8, 0.6, 0}, rail[3] = {0, 0.6, 0.8};
    static const double origin[3] = {0, 0, 0}, z[3] = {0, 0, 1};
    const double inertia[3] = {0.1, 0.2, 0.25};
    ib_mechanism *m = ib_mechanism_create();
    double w[3], axis[3];
    for (int k = 0; k < 3; k++)
        w[k] = 6 * hinge[k]; /* all turn as one about the hinge */
    for (int b = 0; b < MECH_RUBBING; b++) {
        double r[3], v[3];
        mech_place(at, centres[b], r);
        ib_cross(w, centres[b], v);
        for (int k = 0; k < 3; k++)
            v[k] += b == 2 ? 1.5 * rail[k] : 0;
        ib_quat_rotate(at->turn, v, v);
        mech_body(m, r, at->turn, v, w, 1 + 0.5 * b, inertia);
    }
    ib_mech_joint joints[] = {
        mech_pair_of(at, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, origin, origin, hinge, hinge),
        mech_pair_of(at, IB_MECH_CYLINDRICAL, 1, 0, centres[1], centres[1], rod, rod),
        mech_pair_of(at, IB_MECH_PRISMATIC, 2, 1, centres[2], centres[2], rail, rail),
    };
    joints[0].friction = (ib_mech_friction){0.3, 0.1, 0.02};
    joints[1].friction = (ib_mech_friction){0.4, 0.2, 4};
    joints[2].friction = (ib_mech_friction){0.5, 0, 6};
    for (size_t i = 0; i < IB_COUNT(joints); i++)
        ib_mechanism_add_joint(m, &joints[i]);
    for (int b = 1; b < MECH_RUBBING; b++) {
        ib_mech_force spring = {.name = "spring", .type = IB_MECH_LINE, .body1 = b, .body2 = b - 1};
        spring.frame = IB_MECH_GROUND;
        spring.law = IB_NO_NODE;
        mech_place(at, centres[b], spring.point1);
        mech_place(at, origin, spring.point2);
        spring.stiffness = 300;
        spring.free_length = (double)NAN;
        ib_mechanism_add_force(m, &spring);
    }
    ib_quat_rotate(at->turn, z, axis);
    for (int k = 0; k < 3; k++)
        options->gravity[k] = -9.81 * axis[k];
    return m;
}

/* A measure of two bodies in a posed model: a displacement along an axis fixed in `frame`, or the
 * angle about it. */
static inline int mech_measure_of(ib_mechanism *m, const mech_pose *at, ib_mech_measure_type type,
                                  int body1, int body2, const double p1[3], const double p2[3],
                                  const double axis[3]) {
    ib_mech_measure measure = {.name = "measure", .type = type, .body1 = body1, .body2 = body2};
    double frame[9];
    measure.frame = body2;
    mech_place(at, p1, measure.point1);
    mech_place(at, p2, measure.point2);
    /* bodies of these models have the pose's attitude at t = 0 */
    memcpy(measure.axis, axis, sizeof measure.axis);
    if (body2 == IB_MECH_GROUND)
        ib_quat_rotate(at->turn, axis, measure.axis);
    ib_frame_from_z(axis, frame);
    for (int k = 0; k < 3; k++) {
        measure.a[k] = measure.b[k] = frame[3 * k];
        measure.c[k] = frame[3 * k + 1];
    }
    ib_quat_rotate(at->turn, measure.a, measure.a);
    ib_quat_rotate(at->turn, measure.b, measure.b);
    ib_quat_rotate(at->turn, measure.c, measure.c);
    return ib_mechanism_add_measure(m, &measure);
}

enum { MECH_GEARED = 5 };

/* Gears, a rack and a screw on moving bodies: a swinging arm with a wheel geared to its swing, a
 * nut that a screw drives on the wheel, a rack along the arm over the wheel's angle, and a free
 * body on a ball joint whose angle is geared as well, with its axis tilting. */
static inline ib_mechanism *mech_geared(const mech_pose *at, ib_mech_options *options) {
    static const double centres[MECH_GEARED][3] = {
        {0.4, 0, 0.1}, {0.8, 0, 0}, {0.8, 0.3, 0.1}, {0.2, 0.1, 0.4}, {-0.3, 0.5, 0.2}};
    static const double origin[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    static const double hinge[3] = {0.48, 0.6, 0.64}, hub[3] = {0.8, 0, 0}, nut[3] = {0.8, 0.3, 0};
    const double inertia[3] = {0.1, 0.2, 0.25}, spin[3] = {1.7, 3.2, 1.4};
    ib_mechanism *m = ib_mechanism_create();
    for (int b = 0; b < MECH_GEARED; b++) {
        double r[3], v[3] = {0.1, 0.2, -0.1 * b};
        mech_place(at, centres[b], r);
        ib_quat_rotate(at->turn, v, v);
        mech_body(m, r, at->turn, v, spin, 1 + 0.2 * b, inertia);
    }
    const int swing =
        mech_measure_of(m, at, IB_MECH_ANGLE, 0, IB_MECH_GROUND, origin, origin, hinge);
    const int wheel = mech_measure_of(m, at, IB_MECH_ANGLE, 1, 0, hub, hub, y);
    const int advance = mech_measure_of(m, at, IB_MECH_DISPLACEMENT, 2, 1, nut, hub, y);
    const int turns = mech_measure_of(m, at, IB_MECH_ANGLE, 2, 1, nut, hub, y);
    const int way = mech_measure_of(m, at, IB_MECH_DISPLACEMENT, 3, 0, centres[3], origin, x);
    const int tilt =
        mech_measure_of(m, at, IB_MECH_ANGLE, 4, IB_MECH_GROUND, origin, origin, hinge);
    const struct {
        ib_mech_joint_type type;
        int body1, body2;
        const double *p, *axis;
        int measure1, measure2;
        double ratio;
    } joints[] = {
        {IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, origin, hinge, 0, 0, 0},
        {IB_MECH_REVOLUTE, 1, 0, hub, y, 0, 0, 0},
        {IB_MECH_COUPLING, 0, 0, origin, x, wheel, swing, 1.7},
        {IB_MECH_SCREW, 2, 1, nut, y, advance, turns, 0.05},
        {IB_MECH_PRISMATIC, 3, 0, centres[3], x, 0, 0, 0},
        {IB_MECH_COUPLING, 0, 0, origin, x, way, wheel, 0.2},
        {IB_MECH_SPHERICAL, 4, IB_MECH_GROUND, origin, x, 0, 0, 0},
        {IB_MECH_COUPLING, 0, 0, origin, x, tilt, swing, -0.8},
    };
    for (size_t i = 0; i < IB_COUNT(joints); i++) {
        ib_mech_joint joint =
            mech_pair_of(at, joints[i].type, joints[i].body1, joints[i].body2, joints[i].p,
                         joints[i].p, joints[i].axis, joints[i].axis);
        joint.measure1 = joints[i].measure1;
        joint.measure2 = joints[i].measure2;
        joint.ratio = joints[i].ratio;
        ib_mechanism_add_joint(m, &joint);
    }
    ib_quat_rotate(at->turn, (const double[3]){3, -4, -9}, options->gravity);
    return m;
}

#endif
