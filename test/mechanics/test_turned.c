/* A model turned by any quaternion, or moved far away, gives the turned and moved result: to 1e-9
 * at fixed step, and to 10 rtol with error control. Nothing may depend on how global axes lie.
 */
#include "mechanics/mechanics_test.h"

typedef mech_pose pose;

typedef ib_mechanism *(*builder)(const pose *at, ib_mech_options *options);

static void add_body(ib_mechanism *m, const pose *at, const double x[3], const double q[4],
                     const double v[3], const double rates[3], double mass,
                     const double inertia[3]) {
    double r[3], turned[4], velocity[3];
    mech_place(at, x, r);
    ib_quat_mul(at->turn, q, turned);
    ib_quat_rotate(at->turn, v, velocity);
    mech_body(m, r, turned, velocity, rates, mass, inertia);
}

static void add_joint(ib_mechanism *m, const pose *at, ib_mech_joint_type type, int body1,
                      int body2, const double x[3], const double axis[3]) {
    double p[3], a[3];
    mech_place(at, x, p);
    ib_quat_rotate(at->turn, axis, a);
    mech_joint_at(m, type, body1, body2, p, a);
}

/* A ball joint, or a universal one with axes y and z. */
static void add_cardan(ib_mechanism *m, const pose *at, int body1, int body2, const double x[3],
                       bool universal) {
    const double y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    double axis[3];
    ib_mech_joint joint = {.name = "cardan", .body1 = body1, .body2 = body2};
    joint.type = universal ? IB_MECH_UNIVERSAL : IB_MECH_SPHERICAL;
    mech_place(at, x, joint.point1);
    mech_place(at, x, joint.point2);
    ib_quat_rotate(at->turn, y, axis);
    ib_frame_from_z(axis, joint.frame1);
    ib_quat_rotate(at->turn, z, axis);
    ib_frame_from_z(axis, joint.frame2);
    ib_mechanism_add_joint(m, &joint);
}

static void add_spring(ib_mechanism *m, const pose *at, int body1, int body2, const double x1[3],
                       const double x2[3], double stiffness, double damping) {
    ib_mech_force spring = {.name = "spring", .type = IB_MECH_LINE, .body1 = body1};
    spring.body2 = body2;
    spring.frame = IB_MECH_GROUND;
    spring.law = IB_NO_NODE;
    mech_place(at, x1, spring.point1);
    mech_place(at, x2, spring.point2);
    spring.stiffness = stiffness;
    spring.damping = damping;
    spring.free_length = (double)NAN;
    ib_mechanism_add_force(m, &spring);
}

static void fall(const pose *at, const double g[3], ib_mech_options *options) {
    ib_quat_rotate(at->turn, g, options->gravity);
}

static ib_mechanism *build_fourbar(const pose *at, ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double z[3] = {0, 0, 1}, rates[3] = {0, 0, -1}, still[3] = {0, 0, 0};
    const double upright[3] = {1.0 / 12, 1e-4, 1.0 / 12}, flat[3] = {1e-4, 1.0 / 12, 1.0 / 12};
    const int n = 2;
    for (int i = 0; i <= n; i++)
        add_body(m, at, (const double[3]){i, 0.5, 0}, no_turn, (const double[3]){0.5, 0, 0}, rates,
                 1, upright);
    for (int i = 0; i < n; i++)
        add_body(m, at, (const double[3]){i + 0.5, 1, 0}, no_turn, (const double[3]){1, 0, 0},
                 still, 1, flat);
    for (int i = 0; i <= n; i++)
        add_joint(m, at, IB_MECH_REVOLUTE, i, IB_MECH_GROUND, (const double[3]){i, 0, 0}, z);
    for (int i = 0; i < n; i++) {
        add_joint(m, at, IB_MECH_REVOLUTE, n + 1 + i, i, (const double[3]){i, 1, 0}, z);
        add_joint(m, at, IB_MECH_REVOLUTE, n + 1 + i, i + 1, (const double[3]){i + 1, 1, 0}, z);
    }
    fall(at, (const double[3]){0, -9.81, 0}, options);
    return m;
}

static ib_mechanism *build_chain(const pose *at, ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double inertia[3] = {0.002, 0.02, 0.02}, still[3] = {0, 0, 0}, spin[3] = {3, 0, 0};
    for (int i = 0; i < 5; i++)
        add_body(m, at, (const double[3]){0.5 * i + 0.25, 0, 0}, no_turn, still, spin, 1, inertia);
    for (int i = 0; i < 5; i++)
        add_cardan(m, at, i, i - 1, (const double[3]){0.5 * i, 0, 0}, i % 2);
    fall(at, (const double[3]){0, -6, -7}, options);
    return m;
}

/* Other joints, and springs between bodies and the ground. */
static ib_mechanism *build_mixed(const pose *at, ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double still[3] = {0, 0, 0}, inertia[3] = {0.1, 0.2, 0.25}, oblique[3] = {0.6, 0, 0.8};
    add_body(m, at, (const double[3]){0.5, 0, 0}, (const double[4]){0.8, 0, 0.6, 0}, still, still,
             2, inertia);
    add_body(m, at, (const double[3]){1.5, 0, 0}, no_turn, still, still, 1, inertia);
    add_body(m, at, (const double[3]){1.5, 1, 0}, no_turn, still, still, 1, inertia);
    add_body(m, at, (const double[3]){3, 0, 1}, no_turn, (const double[3]){0, 1, 0},
             (const double[3]){1, 2, 3}, 1, inertia);
    add_joint(m, at, IB_MECH_CYLINDRICAL, 0, IB_MECH_GROUND, still, oblique);
    add_joint(m, at, IB_MECH_REVOLUTE, 1, 0, (const double[3]){1, 0, 0},
              (const double[3]){0, 1, 0});
    add_joint(m, at, IB_MECH_PRISMATIC, 2, 1, (const double[3]){1.5, 0.5, 0},
              (const double[3]){0, 0.6, 0.8});
    add_spring(m, at, 0, IB_MECH_GROUND, (const double[3]){0.5, 0, 0}, (const double[3]){0, 0, 2},
               200, 2);
    add_spring(m, at, 2, 1, (const double[3]){1.5, 1, 0.1}, (const double[3]){1.4, 0, 0}, 100, 1);
    add_spring(m, at, 3, 2, (const double[3]){3, 0.1, 1}, (const double[3]){1.5, 1, 0}, 50, 0);
    fall(at, (const double[3]){1, -9, 3}, options);
    return m;
}

/* A spinning body pulled by direction forces: one in body axes, one in another body's, a torque. */
static ib_mechanism *build_pushed(const pose *at, ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double still[3] = {0, 0, 0}, inertia[3] = {0.1, 0.2, 0.25};
    add_body(m, at, still, no_turn, still, (const double[3]){1, -2, 3}, 1, inertia);
    add_body(m, at, (const double[3]){2, 0, 0}, (const double[4]){0.6, 0, 0.8, 0}, still,
             (const double[3]){0, 1, 0}, 2, inertia);
    const ib_node leaf = ib_graph_leaf(options->graph, 0);
    const ib_node law = ib_graph_op(options->graph, IB_OP_SIN, leaf, IB_NO_NODE, IB_NO_NODE);
    for (int i = 0; i < 3; i++) {
        ib_mech_force force = {.name = "push", .body1 = 0, .body2 = 1, .frame = i % 2};
        force.type = i < 2 ? IB_MECH_AXIS_FORCE : IB_MECH_AXIS_TORQUE;
        force.axis[i] = 1;
        force.law = law;
        mech_place(at, (const double[3]){0.1, 0.2, 0}, force.point1);
        memcpy(force.point2, force.point1, sizeof force.point2);
        ib_mechanism_add_force(m, &force);
    }
    return m;
}

enum { MAX_MEASURES = 8 };

static void turn_frame(const pose *at, const double z[3], double frame[9]) {
    double local[9], turn[9];
    ib_frame_from_z(z, local);
    ib_quat_matrix(at->turn, turn);
    ib_mul33(turn, local, frame);
}

/* Bodies held by a bushing each, and by a torsion spring between them. */
static ib_mechanism *build_mounted(const pose *at, ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double inertia[3] = {0.1, 0.2, 0.25}, z[3] = {0, 0.6, 0.8};
    double frame[9];
    add_body(m, at, (const double[3]){0.3, 0, 0}, no_turn, (const double[3]){0, 1, 0},
             (const double[3]){1, -2, 3}, 1, inertia);
    add_body(m, at, (const double[3]){2, 0, 0.1}, (const double[4]){0.6, 0, 0.8, 0},
             (const double[3]){0, 0, 0.5}, (const double[3]){0, 1, 0}, 2, inertia);
    turn_frame(at, z, frame);
    for (int b = 0; b < 2; b++) {
        ib_mech_bushing bushing = {.name = "mount", .body1 = b, .body2 = b - 1};
        mech_place(at, (const double[3]){b, 0.1, 0.2}, bushing.point);
        memcpy(bushing.frame, frame, sizeof frame);
        for (int k = 0; k < 6; k++) {
            bushing.stiffness[7 * k] = k < 3 ? 100 + 20 * k : 10 + k;
            bushing.damping[7 * k] = k < 3 ? 1 + k : 0.1;
        }
        bushing.stiffness[5] = bushing.stiffness[30] = 8;
        bushing.preload[4] = 0.3;
        ib_mechanism_add_bushing(m, &bushing);
    }
    ib_mech_measure angle = {.name = "angle", .type = IB_MECH_ANGLE, .body1 = 1};
    for (int k = 0; k < 3; k++) {
        angle.a[k] = angle.b[k] = frame[3 * k];
        angle.c[k] = frame[3 * k + 1];
    }
    ib_mech_force spring = {.name = "twist", .type = IB_MECH_ANGLE_TORQUE, .body1 = 1};
    spring.measure = ib_mechanism_add_measure(m, &angle);
    spring.law = IB_NO_NODE;
    spring.stiffness = 3;
    spring.damping = 0.1;
    ib_mechanism_add_force(m, &spring);
    fall(at, (const double[3]){1, -9, 3}, options);
    return m;
}

/* A ball that slides and rolls down an oblique plane, and a block with a plane of its own that
 * falls on it. */
static ib_mechanism *build_touching(const pose *at, ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double ball[3] = {0.01, 0.01, 0.01}, block[3] = {0.1, 0.2, 0.25},
                 z[3] = {0.48, 0.36, 0.8};
    add_body(m, at, (const double[3]){0.048, 0.036, 0.078}, no_turn, (const double[3]){1, 0, 0},
             (const double[3]){1, -2, 3}, 1, ball);
    add_body(m, at, (const double[3]){0.1, 0.1, 0.5}, (const double[4]){0.6, 0, 0.8, 0},
             (const double[3]){0, 0, -0.5}, (const double[3]){0, 1, 0}, 2, block);
    for (int b = 0; b < 2; b++) {
        ib_mech_contact contact = {.name = "touch", .body1 = 0, .body2 = b ? 1 : IB_MECH_GROUND};
        const double down[3] = {-z[0], -z[1], -z[2]};
        mech_place(at, (const double[3]){0.048, 0.036, 0.078}, contact.point1);
        mech_place(at, b ? (const double[3]){0.1, 0.1, 0.4} : zero3, contact.point2);
        turn_frame(at, b ? down : z, contact.frame);
        contact.radius = 0.1;
        contact.stiffness = 2e4;
        contact.exponent = 1.5;
        contact.dissipation = 0.3;
        contact.friction = 0.4;
        contact.stick_speed = 0.05;
        contact.max_depth = 1;
        ib_mechanism_add_contact(m, &contact);
    }
    fall(at, (const double[3]){1, 0.5, -9}, options);
    return m;
}

typedef struct outcome {
    double y[13 * 8];
} outcome;

/* The state in the model's own axes: turned and moved back. */
static outcome run(builder build, int n_bodies, const pose *at, ib_mech_solver solver, double step,
                   double rtol, double end) {
    ib_graph *graph = ib_graph_create();
    ib_mech_options options = mech_options(solver, to_time(step), rtol);
    options.graph = graph;
    options.n_leaves = 1 + MAX_MEASURES;
    ib_mechanism *m = build(at, &options);
    rig r = rig_start(m, &options);
    rig_to(&r, end);
    outcome out = {{0}};
    const double back[4] = {at->turn[0], -at->turn[1], -at->turn[2], -at->turn[3]};
    for (int b = 0; b < n_bodies; b++) {
        const double *y = rig_body(&r, b);
        double *to = out.y + 13 * b, x[3];
        ib_sub3(y, at->shift, x);
        ib_quat_rotate_back(at->turn, x, to);
        ib_quat_mul(back, y + 3, to + 3);
        ib_quat_rotate_back(at->turn, y + 7, to + 7);
        memcpy(to + 10, y + 10, 3 * sizeof *y);
    }
    rig_end(&r);
    ib_graph_destroy(graph);
    return out;
}

static double difference(const outcome *a, const outcome *b, int n_bodies) {
    double worst = 0;
    for (int body = 0; body < n_bodies; body++) {
        const double *x = a->y + 13 * body, *y = b->y + 13 * body;
        double sign = 0;
        for (int k = 3; k < 7; k++)
            sign += x[k] * y[k];
        for (int k = 0; k < 13; k++) {
            const double other = k >= 3 && k < 7 && sign < 0 ? -y[k] : y[k];
            if (!(fabs(x[k] - other) <= worst))
                worst = fabs(x[k] - other);
        }
    }
    return worst;
}

enum { POSES = 5 };

/* Several attitudes, among them a half turn; the last is far away. */
static pose make_pose(int i) {
    static const double turns[POSES][4] = {{0.3, -0.4, 0.7, 0.5},
                                           {0, 1, 0, 0},
                                           {0.7071067811865476, 0, 0, -0.7071067811865476},
                                           {-0.2, 0.1, 0.9, -0.4},
                                           {0.3, -0.4, 0.7, 0.5}};
    static const double far[3] = {1000, -2000, 500};
    pose p;
    memcpy(p.turn, turns[i], sizeof p.turn);
    memset(p.shift, 0, sizeof p.shift);
    if (i == POSES - 1)
        memcpy(p.shift, far, sizeof p.shift);
    ib_quat_normalize(p.turn);
    return p;
}

static void compare(builder build, int n_bodies, ib_mech_solver solver, double step, double rtol,
                    double end, double tolerance) {
    const pose still = {{1, 0, 0, 0}, {0, 0, 0}};
    const outcome wanted = run(build, n_bodies, &still, solver, step, rtol, end);
    for (int i = 0; i < POSES; i++) {
        const pose p = make_pose(i);
        const outcome got = run(build, n_bodies, &p, solver, step, rtol, end);
        const double d = difference(&wanted, &got, n_bodies);
        if (getenv("IB_SHOW"))
            printf("pose %d solver %d step %g: %.3g\n", i, (int)solver, step, d);
        /* an ulp of 2000 m is 2e-13 m, and the implicit method divides it by h^2 */
        const double allowed = i == POSES - 1 ? 100 * tolerance : tolerance;
        if (!(d <= allowed))
            fail_msg("turned by pose %d, solver %d, step %g: differs by %.3g, more than %.3g", i,
                     (int)solver, step, d, allowed);
    }
}

static void compare_all(builder build, int n_bodies, double end) {
    compare(build, n_bodies, IB_MECH_DOPRI5, 2e-3, 1e-6, end, 1e-9);
    compare(build, n_bodies, IB_MECH_RK4, 2e-3, 1e-6, end, 1e-9);
    compare(build, n_bodies, IB_MECH_GENERALIZED_ALPHA, 2e-3, 1e-6, end, 1e-9);
    compare(build, n_bodies, IB_MECH_DOP853, 4e-3, 1e-6, end, 1e-9);
    compare(build, n_bodies, IB_MECH_DOPRI5, 0, 1e-6, end, 1e-5);
    compare(build, n_bodies, IB_MECH_DOP853, 0, 1e-8, end, 1e-7);
    compare(build, n_bodies, IB_MECH_GENERALIZED_ALPHA, 0, 1e-4, end, 1e-7);
    compare(build, n_bodies, IB_MECH_STIFF, 0, 1e-6, end, 1e-6);
}

static void test_fourbar(void **state) {
    (void)state;
    compare_all(build_fourbar, 5, 1);
}

static void test_chain(void **state) {
    (void)state;
    compare_all(build_chain, 5, 0.5);
}

static void test_mixed(void **state) {
    (void)state;
    compare_all(build_mixed, 4, 1);
}

static void test_pushed(void **state) {
    (void)state;
    compare_all(build_pushed, 2, 1);
}

static void test_geared(void **state) {
    (void)state;
    compare_all(mech_geared, MECH_GEARED, 0.8);
}

static void test_mounted(void **state) {
    (void)state;
    compare_all(build_mounted, 2, 1);
}

static void test_touching(void **state) {
    (void)state;
    const double end = 0.3;
    compare(build_touching, 2, IB_MECH_DOPRI5, 5e-4, 1e-6, end, 1e-9);
    compare(build_touching, 2, IB_MECH_RK4, 5e-4, 1e-6, end, 1e-9);
    compare(build_touching, 2, IB_MECH_GENERALIZED_ALPHA, 2.5e-4, 1e-6, end, 1e-9);
    compare(build_touching, 2, IB_MECH_DOPRI5, 0, 1e-6, end, 1e-9);
    compare(build_touching, 2, IB_MECH_GENERALIZED_ALPHA, 0, 1e-4, end, 1e-9);
}

/* Friction from reactions: slipping and sticking. */
static void test_rubbing(void **state) {
    (void)state;
    compare_all(mech_rubbing, MECH_RUBBING, 0.4);
}

static void test_pairs(void **state) {
    (void)state;
    compare_all(mech_pairs, MECH_PAIRS, 0.6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fourbar),  cmocka_unit_test(test_chain),
        cmocka_unit_test(test_mixed),    cmocka_unit_test(test_pushed),
        cmocka_unit_test(test_pairs),    cmocka_unit_test(test_rubbing),
        cmocka_unit_test(test_geared),   cmocka_unit_test(test_mounted),
        cmocka_unit_test(test_touching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
