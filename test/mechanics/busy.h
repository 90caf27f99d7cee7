/* A mechanism with something of everything, for the tests of snapshots and of memory: hinges and a
 * ball, a driver with a motion, springs, laws with a spline, time, an input and measures, an angle
 * that counts turns, redundant constraints, an auxiliary state, a bushing and a contact. */
#ifndef TEST_MECHANICS_BUSY_H
#define TEST_MECHANICS_BUSY_H

#include "mechanics/mechanics_test.h"

enum { BUSY_INPUT = 1, BUSY_MEASURES = 2, BUSY_STATE = 6, BUSY_LEAVES = 7, BUSY_BODIES = 5 };

typedef struct busy {
    ib_graph *graph;
    ib_curve *curve;
    ib_mech_options options;
    rig rig;
} busy;

static inline int busy_measure(ib_mechanism *m, ib_mech_measure_type type, int body1, int body2,
                               const double point1[3], const double point2[3]) {
    ib_mech_measure measure = {.name = "measure", .type = type, .body1 = body1, .body2 = body2};
    measure.frame = IB_MECH_GROUND;
    memcpy(measure.point1, point1, sizeof measure.point1);
    memcpy(measure.point2, point2, sizeof measure.point2);
    measure.axis[0] = 1;
    measure.a[0] = measure.b[0] = measure.c[1] = 1;
    return ib_mechanism_add_measure(m, &measure);
}

static inline ib_node busy_leaf(busy *b, int measure) {
    return ib_graph_leaf(b->graph, (uint32_t)(BUSY_MEASURES + measure));
}

static inline void busy_laws(busy *b, ib_mechanism *m, int length, int rate, int angle) {
    ib_graph *g = b->graph;
    const double x[5] = {0, 0.5, 1, 1.5, 3}, y[5] = {-40, -10, 0, 15, 100};
    b->curve = ib_curve_create(IB_CURVE_AKIMA, x, y, 5);
    assert_non_null(b->curve);
    const ib_node pull = ib_add(g, ib_graph_curve(g, b->curve, 0, busy_leaf(b, length)),
                                ib_mul(g, ib_graph_const(g, 0.5), ib_graph_leaf(g, BUSY_STATE)));
    /* the damper's speed, 20 ms late */
    const ib_mech_auxiliary lag = {
        .name = "lag",
        .rate = ib_mul(g, ib_graph_const(g, 50),
                       ib_sub(g, busy_leaf(b, rate), ib_graph_leaf(g, BUSY_STATE)))};
    ib_mechanism_add_auxiliary(m, &lag);
    const ib_node push =
        ib_mul(g, ib_graph_leaf(g, BUSY_INPUT),
               ib_graph_op(g, IB_OP_SIN,
                           ib_add(g, busy_leaf(b, angle),
                                  ib_mul(g, ib_graph_const(g, 7), ib_graph_leaf(g, 0))),
                           IB_NO_NODE, IB_NO_NODE));
    ib_mech_force line = {.name = "line", .type = IB_MECH_LINE, .body1 = 3, .law = pull};
    line.body2 = line.frame = IB_MECH_GROUND;
    line.point1[0] = 2;
    line.point1[1] = 0.5;
    line.point2[0] = 2.5;
    ib_mechanism_add_force(m, &line);
    ib_mech_force twist = {.name = "twist", .type = IB_MECH_AXIS_TORQUE, .body1 = 4, .law = push};
    twist.body2 = 3;
    twist.frame = 3;
    twist.axis[2] = 1;
    ib_mechanism_add_force(m, &twist);
    ib_mech_force spring = {.name = "spring", .type = IB_MECH_LINE, .body1 = 4, .body2 = 1};
    spring.frame = IB_MECH_GROUND;
    spring.law = IB_NO_NODE;
    spring.point1[0] = 3;
    spring.point2[0] = 1;
    spring.stiffness = 30;
    spring.damping = 0.3;
    spring.free_length = 1.5;
    ib_mechanism_add_force(m, &spring);
}

/* A soft mount of the coupler, and a large ball that lies deep in a plane all the time and drags.
 */
static inline void busy_loads(ib_mechanism *m) {
    ib_mech_bushing mount = {.name = "mount", .body1 = 2, .body2 = IB_MECH_GROUND};
    mount.point[0] = 0.5;
    mount.point[1] = 1;
    mount.frame[0] = mount.frame[4] = mount.frame[8] = 1;
    for (int k = 0; k < 6; k++) {
        mount.stiffness[7 * k] = 2 + k;
        mount.damping[7 * k] = 0.1;
    }
    ib_mechanism_add_bushing(m, &mount);
    ib_mech_contact drag = {.name = "drag", .body1 = 4, .body2 = 3, .radius = 6, .stiffness = 0.02};
    drag.point1[0] = 2.6;
    drag.point1[2] = 0.2;
    drag.frame[0] = drag.frame[5] = 1; /* z along -y */
    drag.frame[7] = -1;
    drag.exponent = 1.5;
    drag.dissipation = 0.01;
    drag.friction = 0.1;
    drag.stick_speed = 50;
    drag.max_depth = 10;
    ib_mechanism_add_contact(m, &drag);
}

/* A driven four-bar with a ball-jointed chain of two beside it. */
static inline busy busy_start_with(ib_mech_solver solver, ib_time step, double rtol) {
    busy b = {.graph = ib_graph_create(), .options = mech_options(solver, step, rtol)};
    ib_mechanism *m = ib_mechanism_create();
    const double z[3] = {0, 0, 1}, inertia[3] = {0.1, 0.12, 0.15};
    assert_non_null(b.graph);
    mech_body(m, (const double[3]){0, 0.5, 0}, no_turn, zero3, zero3, 1, inertia);
    mech_body(m, (const double[3]){1, 0.5, 0}, no_turn, zero3, zero3, 1, inertia);
    mech_body(m, (const double[3]){0.5, 1, 0}, no_turn, zero3, zero3, 1, inertia);
    mech_body(m, (const double[3]){2, 0.5, 0}, no_turn, zero3, (const double[3]){0.3, 0, 5}, 1,
              inertia);
    mech_body(m, (const double[3]){2.6, 0, 0.2}, no_turn, zero3, (const double[3]){0, 1, 30}, 2,
              inertia);
    const double crank[3] = {0, 1, 0}, tip[3] = {2, 0.5, 0}, far[3] = {2.5, 0, 0};
    const int angle = busy_measure(m, IB_MECH_ANGLE, 0, IB_MECH_GROUND, zero3, zero3);
    const int length = busy_measure(m, IB_MECH_DISTANCE, 3, IB_MECH_GROUND, tip, far);
    const int rate = busy_measure(m, IB_MECH_DISTANCE_RATE, 3, IB_MECH_GROUND, tip, far);
    const int turns = busy_measure(m, IB_MECH_ANGLE, 4, IB_MECH_GROUND, zero3, zero3);
    mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z);
    mech_joint_at(m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, (const double[3]){1, 0, 0}, z);
    mech_joint_at(m, IB_MECH_REVOLUTE, 2, 0, crank, z);
    mech_joint_at(m, IB_MECH_REVOLUTE, 2, 1, (const double[3]){1, 1, 0}, z);
    mech_joint_at(m, IB_MECH_SPHERICAL, 3, 1, (const double[3]){1, 0.2, 0}, z);
    mech_joint_at(m, IB_MECH_SPHERICAL, 4, 3, (const double[3]){2.3, 0.2, 0.1}, z);
    busy_laws(&b, m, length, rate, turns);
    busy_loads(m);
    const ib_node t = ib_graph_leaf(b.graph, 0);
    const ib_mech_driver driver = {.name = "driver",
                                   .measure = angle,
                                   .motion =
                                       ib_graph_op(b.graph, IB_OP_SIN, t, IB_NO_NODE, IB_NO_NODE),
                                   .initial_leaf = -1};
    ib_mechanism_add_driver(m, &driver);
    b.options.graph = b.graph;
    b.options.n_leaves = BUSY_LEAVES;
    b.options.measure_leaf = BUSY_MEASURES;
    b.options.auxiliary_leaf = BUSY_STATE;
    b.options.gravity[1] = -9.81;
    b.rig = rig_make(m, &b.options);
    ib_dynamics_leaves(b.rig.dynamics)[BUSY_INPUT] = 2;
    rig_assemble(&b.rig);
    return b;
}

static inline busy busy_start(ib_mech_solver solver, ib_time step) {
    return busy_start_with(solver, step, 1e-7);
}

static inline void busy_end(busy *b) {
    rig_end(&b->rig);
    ib_graph_destroy(b->graph);
    ib_curve_destroy(b->curve);
}

#endif
