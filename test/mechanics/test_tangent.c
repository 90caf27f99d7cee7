/* The iteration matrix of the implicit method against differences of its step equations: for every
 * joint, driver, force and measure in a law, at an iterate far from the solution, with a step so
 * large that stiffness and damping weigh as much as mass.
 *
 * The integrator is included whole, because its equations are of no interest to anyone else.
 */
#include "mechanics/mechanics_test.h"

#include "mechanics/implicit.c"

enum { INPUT_LEAF = 1, MEASURE_LEAF = 2, MAX_MEASURES = 4 };

static const double inertia1[3] = {0.1, 0.2, 0.25}, inertia2[3] = {0.3, 0.2, 0.2};
static const double point1[3] = {0.4, 0.1, 0.6}, point2[3] = {1.2, 0.3, -0.1};

typedef struct scene {
    const char *name;
    ib_mechanism *mechanism;
    ib_graph *graph;
    ib_mech_options options;
    int n_measures;
} scene;

/* Three bodies, so that a frame can be a third one. */
static scene start_scene(const char *name) {
    scene s = {.name = name, .mechanism = ib_mechanism_create(), .graph = ib_graph_create()};
    s.options = mech_options(IB_MECH_GENERALIZED_ALPHA, IB_SECOND / 20, 1e-6);
    s.options.graph = s.graph;
    s.options.n_leaves = MEASURE_LEAF + MAX_MEASURES;
    s.options.measure_leaf = MEASURE_LEAF;
    s.options.gravity[2] = -9.81;
    mech_body(s.mechanism, (const double[3]){0.3, -0.2, 0.5}, (const double[4]){0.8, 0, 0.6, 0},
              (const double[3]){0.2, 0.1, -0.3}, (const double[3]){1.4, -0.6, 2.1}, 1, inertia1);
    mech_body(s.mechanism, (const double[3]){1.5, 0.4, -0.3},
              (const double[4]){0.5, -0.5, 0.5, 0.5}, (const double[3]){-0.5, 0.3, 0.1},
              (const double[3]){-1.2, 0.3, 1.7}, 2, inertia2);
    mech_body(s.mechanism, (const double[3]){-1, 1, 0}, (const double[4]){0.6, 0, 0, 0.8},
              (const double[3]){0, 0, 0}, (const double[3]){0.7, 1.3, -0.4}, 1.5, inertia1);
    return s;
}

static void random_fill(uint64_t *sequence, double scale, double *x, int n) {
    for (int i = 0; i < n; i++)
        x[i] = scale * next_random(sequence);
}

/* The step equations (their negative) at the iterate moved by `scale` times x. */
static void residual_at(implicit_step *s, const double *x, double scale, double *out) {
    const ib_mechanism *m = s->d->mechanism;
    const int rows = m->newton.blocks->n_rows;
    double *keep = malloc(sizeof(double) * (6 * m->n_bodies + (size_t)m->n_rows));
    assert_non_null(keep);
    memcpy(keep, s->increment, sizeof(double) * 6 * m->n_bodies);
    memcpy(keep + 6 * m->n_bodies, s->scaled_lambda, sizeof(double) * (size_t)m->n_rows);
    for (size_t b = 0; b < m->n_bodies; b++)
        for (size_t k = 0; k < 6; k++)
            s->increment[6 * b + k] += scale * x[(size_t)ib_kkt_row(&m->newton, (int)b) + k];
    for (size_t i = 0; i < m->n_constraints; i++)
        for (int k = 0; k < m->constraints[i].n_rows; k++)
            s->scaled_lambda[m->constraints[i].row + k] +=
                scale * x[ib_kkt_row(&m->newton, (int)(m->n_bodies + i)) + k];
    follow(s);
    assert_true(evaluate(s, 0.05));
    residual(s);
    memcpy(out, s->d->newton_x, sizeof(double) * (size_t)rows);
    memcpy(s->increment, keep, sizeof(double) * 6 * m->n_bodies);
    memcpy(s->scaled_lambda, keep + 6 * m->n_bodies, sizeof(double) * (size_t)m->n_rows);
    free(keep);
}

/* J x = b for random b; the equations must change by b when the unknowns change by x. */
static void check_matrix(const char *name, ib_dynamics *d, uint64_t *sequence) {
    const ib_mechanism *m = d->mechanism;
    const int rows = m->newton.blocks->n_rows;
    implicit_step s;
    start(&s, d);
    predict(&s, 0.05);
    random_fill(sequence, 0.3, s.increment, 6 * (int)m->n_bodies);
    random_fill(sequence, 0.2, s.scaled_lambda, m->n_rows);
    follow(&s);
    assert_true(evaluate(&s, 0.05));
    assert_true(refresh_tangent(&s));
    for (int trial = 0; trial < 6; trial++) {
        double b[64] = {0}, x[64], up[64], down[64], size = 0, worst = 0;
        assert_true(rows <= 64);
        random_fill(sequence, 1, b, rows);
        memcpy(x, b, sizeof x);
        ib_blocks_solve(m->newton.blocks, d->newton, x);
        for (int i = 0; i < rows; i++)
            size = fmax(size, fabs(x[i]));
        const double scale = 1e-5 / size;
        residual_at(&s, x, scale, up);
        residual_at(&s, x, -scale, down);
        for (int i = 0; i < rows; i++) {
            const double error = fabs((down[i] - up[i]) / (2 * scale) - b[i]);
            worst = fmax(worst, error / size);
        }
        if (!(worst <= 1e-6))
            fail_msg("%s: the matrix is off by %.3g", name, worst);
    }
}

/* ---- the planes of the stiff method ---- */

/* A state and multipliers, moved along x by `scale` as the planes see it: positions by x in the
 * axes of the bodies, velocities by xi x + w x x in these, multipliers of points in those of the
 * joint. */
static void move_along(const ib_dynamics *d, const double *state, const double *lambda,
                       const double *x, double xi, double scale, double *moved,
                       double *moved_lambda) {
    const ib_mechanism *m = d->mechanism;
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *z = x + ib_kkt_row(&m->newton, (int)b), *y = state + 13 * b;
        const double turn[3] = {scale * z[3], scale * z[4], scale * z[5]};
        double *to = moved + 13 * b, rate[6], shift[3];
        for (int k = 0; k < 6; k += 3) {
            ib_cross(y + 10, z + k, rate + k);
            ib_axpy(rate + k, xi, z + k, rate + k);
        }
        ib_quat_rotate(y + 3, z, shift);
        ib_axpy(y, scale, shift, to);
        ib_quat_turn(y + 3, turn, to + 3);
        ib_quat_rotate(y + 3, rate, rate);
        ib_axpy(y + 7, scale, rate, to + 7);
        ib_axpy(y + 10, scale, rate + 3, to + 10);
    }
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        const int body = ib_turning_body(c);
        double change[6];
        for (int k = 0; k < c->n_rows; k++)
            change[k] = x[ib_kkt_row(&m->newton, (int)(m->n_bodies + i)) + k];
        if (body >= 0 && body < (int)m->n_bodies)
            ib_quat_rotate(state + 13 * body + 3, change, change);
        for (int k = 0; k < c->n_rows; k++)
            moved_lambda[c->row + k] = lambda[c->row + k] + scale * change[k];
    }
}

/* Gᵀ lambda - Q and phi there, in the axes of the unmoved state. */
static void equations_at(ib_dynamics *d, const double *state, const double *moved,
                         const double *lambda, double *out) {
    const ib_mechanism *m = d->mechanism;
    double f[6 * 8];
    d->angle_ahead = 0;
    ib_kin_update(d, moved);
    assert_true(ib_constraints_eval(d) && ib_forces_eval(d));
    ib_friction_add(d, lambda, 1, NULL);
    memcpy(f, d->Q, sizeof(double) * 6 * m->n_bodies);
    ib_constraints_pull(d, lambda, f);
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *to = out + ib_kkt_row(&m->newton, (int)b);
        for (int k = 0; k < 6; k++)
            to[k] = -f[6 * b + (size_t)k];
        ib_quat_rotate_back(state + 13 * b + 3, to, to);
    }
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        const int body = ib_turning_body(c);
        double *to = out + ib_kkt_row(&m->newton, (int)(m->n_bodies + i));
        memcpy(to, d->phi + c->row, sizeof(double) * (size_t)c->n_rows);
        if (body >= 0 && body < (int)m->n_bodies)
            ib_quat_rotate_back(state + 13 * body + 3, to, to);
    }
}

/* The product's part by mass: m (xi + w^)^2 and J xi (xi + w^), less the xi^2 M that planes lack.
 */
static void add_inertia(const ib_dynamics *d, const double *state, const double *x, double xi,
                        double *out) {
    const ib_mechanism *m = d->mechanism;
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *z = x + ib_kkt_row(&m->newton, (int)b), *w = state + 13 * b + 10;
        double *to = out + ib_kkt_row(&m->newton, (int)b), first[3], second[3], change[6];
        ib_cross(w, z, first);
        ib_cross(w, first, second);
        for (int k = 0; k < 3; k++) {
            change[k] = 2 * xi * first[k] + second[k];
            to[k] += d->mass[b] * change[k];
        }
        ib_cross(w, z + 3, first);
        ib_mul3v(d->inertia + 9 * b, first, second);
        ib_axpy(to + 3, xi, second, to + 3);
        for (int k = 0; k < 3; k++)
            change[3 + k] = xi * first[k];
        ib_mass_couple(d, b, NULL, 1, change, to);
    }
}

/* (S_q + xi S_v) x against differences, at a state and multipliers of no meaning. */
static void check_planes(const char *name, ib_dynamics *d, uint64_t *sequence) {
    const ib_mechanism *m = d->mechanism;
    const int rows = m->newton.blocks->n_rows;
    const size_t n = (size_t)m->newton.blocks->n_values;
    double state[13 * 8], lambda[24], none[24] = {0}, moved[13 * 8], moved_lambda[24];
    double *planes = calloc(2 * n, sizeof *planes);
    assert_non_null(planes);
    memcpy(state, d->y, sizeof(double) * 13 * m->n_bodies);
    random_fill(sequence, 20, lambda, m->n_rows);
    equations_at(d, state, state, lambda, d->newton_x);
    assert_true(!m->slopes || ib_tape_eval(m->slopes, d->leaves, d->tape_work, d->slope, NULL));
    const mech_tangent tangent = {
        .d = d, .planes = true, .h = 1, .lambda = lambda, .epsilon = none};
    ib_tangent_planes(&tangent, planes, planes + n);
    for (int trial = 0; trial < 4; trial++) {
        const double xi = 1 + 3 * trial, scale = 1e-6;
        double x[64], up[64], down[64], wanted[64], moving[64], worst = 0;
        random_fill(sequence, 1, x, rows);
        for (int sign = -1; sign <= 1; sign += 2) {
            move_along(d, state, lambda, x, xi, sign * scale, moved, moved_lambda);
            equations_at(d, state, moved, moved_lambda, sign > 0 ? up : down);
        }
        for (int i = 0; i < rows; i++)
            wanted[i] = (up[i] - down[i]) / (2 * scale);
        add_inertia(d, state, x, xi, wanted);
        ib_blocks_multiply(m->newton.blocks, planes, x, up);
        ib_blocks_multiply(m->newton.blocks, planes + n, x, moving);
        for (int i = 0; i < rows; i++)
            worst = fmax(worst, fabs(up[i] + xi * moving[i] - wanted[i]) / (1 + fabs(wanted[i])));
        if (!(worst <= 1e-6))
            fail_msg("%s: the planes are off by %.3g", name, worst);
    }
    free(planes);
}

static void finish_scene(scene *s) {
    uint64_t sequence = 0;
    rig r = rig_make(s->mechanism, &s->options);
    ib_dynamics_leaves(r.dynamics)[INPUT_LEAF] = 1;
    check_matrix(s->name, r.dynamics, &sequence);
    check_planes(s->name, r.dynamics, &sequence);
    rig_end(&r);
    ib_graph_destroy(s->graph);
}

/* ---- scenes ---- */

static void test_free_bodies(void **state) {
    (void)state;
    scene s = start_scene("free bodies");
    finish_scene(&s);
}

/* Joints need not be met at the iterate: their points and axes are anywhere. */
static void test_joints(void **state) {
    (void)state;
    static const struct {
        const char *name;
        ib_mech_joint_type type;
        unsigned lock;
    } kinds[] = {{"fixed", IB_MECH_FIXED, 0},
                 {"spherical", IB_MECH_SPHERICAL, 0},
                 {"revolute", IB_MECH_REVOLUTE, 0},
                 {"cylindrical", IB_MECH_CYLINDRICAL, 0},
                 {"prismatic", IB_MECH_PRISMATIC, 0},
                 {"universal", IB_MECH_UNIVERSAL, 0},
                 {"planar", IB_MECH_PLANAR, 0},
                 {"point on line", IB_MECH_POINT_ON_LINE, 0},
                 {"point on plane", IB_MECH_POINT_ON_PLANE, 0},
                 {"parallel axes", IB_MECH_PARALLEL_AXES, 0},
                 {"perpendicular axes", IB_MECH_PERPENDICULAR_AXES, 0},
                 {"constant velocity", IB_MECH_CONSTANT_VELOCITY, 0},
                 {"rod", IB_MECH_ROD, 0},
                 {"generic x rx ry", IB_MECH_GENERIC, 0x19},
                 {"generic y z rz", IB_MECH_GENERIC, 0x26},
                 {"generic all", IB_MECH_GENERIC, 0x3f}};
    for (size_t i = 0; i < IB_COUNT(kinds); i++)
        for (int ground = 0; ground < 3; ground++) {
            scene s = start_scene(kinds[i].name);
            const int body1 = ground == 1 ? IB_MECH_GROUND : 0;
            const int body2 = ground == 2 ? IB_MECH_GROUND : 1;
            ib_mech_joint joint = {.name = "joint", .type = kinds[i].type, .body1 = body1};
            joint.body2 = body2;
            joint.lock = kinds[i].lock;
            joint.length = 0.7;
            memcpy(joint.point1, point1, sizeof point1);
            memcpy(joint.point2, point2, sizeof point2);
            ib_frame_from_z((const double[3]){0, 0.6, 0.8}, joint.frame1);
            ib_frame_from_z((const double[3]){0.8, 0, 0.6}, joint.frame2);
            ib_mechanism_add_joint(s.mechanism, &joint);
            finish_scene(&s);
        }
}

/* Pushed from outside, free and held: a push turns with its body. */
static void test_pushes(void **state) {
    (void)state;
    for (int held = 0; held < 2; held++) {
        scene s = start_scene("push");
        ib_mech_joint joint = {.name = "joint", .type = IB_MECH_SPHERICAL, .body2 = 1};
        memcpy(joint.point1, point1, sizeof point1);
        memcpy(joint.point2, point2, sizeof point2);
        if (held)
            ib_mechanism_add_joint(s.mechanism, &joint);
        uint64_t sequence = 0;
        rig r = rig_make(s.mechanism, &s.options);
        ib_dynamics_push(r.dynamics, 0, (const double[3]){30, -20, 50},
                         (const double[3]){-4, 7, 3});
        ib_dynamics_push(r.dynamics, 1, (const double[3]){-10, 25, 15},
                         (const double[3]){6, 2, -9});
        check_matrix(s.name, r.dynamics, &sequence);
        check_planes(s.name, r.dynamics, &sequence);
        rig_end(&r);
        ib_graph_destroy(s.graph);
    }
}

/* A gravity of its own at each place. */
static void pull(void *context, double t, const double r[3], double g[3], double gradient[9]) {
    static const double G[9] = {2, 1, -3, 1, 4, 0.5, -3, 0.5, -1};
    (void)context;
    (void)t;
    memcpy(gradient, G, sizeof G);
    ib_mul3v(G, r, g);
    g[2] -= 9;
}

/* A body that carries propellant of every shape, beside its axes, burning through a nozzle that is
 * askew; free, or held and in a field. */
static void test_tanks(void **state) {
    (void)state;
    static const ib_mech_field field = {.gravity = pull};
    for (int shape = 0; shape < 3; shape++)
        for (int held = 0; held < 2; held++) {
            scene s = start_scene("tank");
            s.options.auxiliary_leaf = MEASURE_LEAF + MAX_MEASURES;
            s.options.tank_leaf = s.options.auxiliary_leaf + 1;
            s.options.n_leaves = s.options.auxiliary_leaf + 2;
            const ib_mech_tank tank = {.name = "tank",
                                       .body = 0,
                                       .shape = (ib_mech_tank_shape)shape,
                                       .mass = 0.8,
                                       .position = {0.5, -0.3, 0.2},
                                       .axis = {0.48, 0.64, -0.6},
                                       .radius = 0.3,
                                       .length = 0.7,
                                       .rate = ib_graph_const(s.graph, -2)};
            ib_mechanism_add_tank(s.mechanism, &tank);
            const ib_mech_outlet outlet = {.point = {0.1, 0.2, 1.4},
                                           .flow = ib_graph_const(s.graph, 2)};
            ib_mechanism_add_outlet(s.mechanism, &outlet);
            ib_mech_joint joint = {.name = "joint", .type = IB_MECH_REVOLUTE, .body2 = 1};
            memcpy(joint.point1, point1, sizeof point1);
            memcpy(joint.point2, point2, sizeof point2);
            ib_frame_from_z((const double[3]){0, 0.6, 0.8}, joint.frame1);
            ib_frame_from_z((const double[3]){0.8, 0, 0.6}, joint.frame2);
            if (held)
                ib_mechanism_add_joint(s.mechanism, &joint);
            uint64_t sequence = 0;
            rig r = rig_make(s.mechanism, &s.options);
            ib_dynamics_set_field(r.dynamics, held ? &field : NULL);
            check_matrix(s.name, r.dynamics, &sequence);
            check_planes(s.name, r.dynamics, &sequence);
            rig_end(&r);
            ib_graph_destroy(s.graph);
        }
}

static int add_measure(scene *s, ib_mech_measure_type type, int body1, int body2, int frame) {
    ib_mech_measure measure = {.name = "m", .type = type, .body1 = body1, .body2 = body2};
    measure.frame = frame;
    memcpy(measure.point1, point1, sizeof point1);
    memcpy(measure.point2, point2, sizeof point2);
    measure.axis[0] = 0.6;
    measure.axis[2] = 0.8;
    measure.a[0] = measure.b[0] = measure.c[1] = 1;
    measure.vector[1] = 1;
    return ib_mechanism_add_measure(s->mechanism, &measure);
}

/* A driver on each measure it may have; frames on either body, a third one, and the ground. */
static void test_drivers(void **state) {
    (void)state;
    static const ib_mech_measure_type types[] = {IB_MECH_DISPLACEMENT, IB_MECH_DISTANCE,
                                                 IB_MECH_ANGLE};
    for (size_t i = 0; i < IB_COUNT(types); i++)
        for (int frame = -1; frame < 3; frame++) {
            scene s = start_scene("driver");
            const ib_node t = ib_graph_leaf(s.graph, 0);
            const ib_mech_driver driver = {.name = "driver",
                                           .measure = add_measure(&s, types[i], 0, 1, frame),
                                           .motion = ib_mul(s.graph, t, t),
                                           .initial_leaf = -1};
            ib_mechanism_add_driver(s.mechanism, &driver);
            finish_scene(&s);
        }
}

/* Couplings of all kinds of measures, with bodies that are apart, shared, or the ground. */
static void test_couplings(void **state) {
    (void)state;
    static const ib_mech_measure_type types[] = {IB_MECH_DISPLACEMENT, IB_MECH_DISTANCE,
                                                 IB_MECH_ANGLE};
    static const int pairs[][4] = {{0, 1, 2, 1},
                                   {0, 1, 1, 2},
                                   {0, IB_MECH_GROUND, 1, 0},
                                   {IB_MECH_GROUND, 2, 0, 1},
                                   {0, 1, 0, 1}};
    for (size_t i = 0; i < IB_COUNT(types); i++)
        for (size_t j = 0; j < IB_COUNT(types); j++)
            for (size_t k = 0; k < IB_COUNT(pairs); k++)
                for (int frame = -1; frame < 3; frame++) {
                    scene s = start_scene("coupling");
                    ib_mech_joint joint = {
                        .name = "coupling", .type = IB_MECH_COUPLING, .ratio = -0.7};
                    joint.measure1 = add_measure(&s, types[i], pairs[k][0], pairs[k][1], frame);
                    joint.measure2 = add_measure(&s, types[j], pairs[k][2], pairs[k][3],
                                                 frame < 2 ? frame + 1 : IB_MECH_GROUND);
                    ib_mechanism_add_joint(s.mechanism, &joint);
                    finish_scene(&s);
                }
}

static ib_mech_force force_of(ib_mech_force_type type, int frame, ib_node law) {
    ib_mech_force force = {.name = "force", .type = type, .body1 = 0, .body2 = 1, .law = law};
    force.frame = frame;
    force.axis[0] = 0.48;
    force.axis[1] = 0.64;
    force.axis[2] = -0.6;
    memcpy(force.point1, point1, sizeof point1);
    memcpy(force.point2, point2, sizeof point2);
    return force;
}

static void test_springs(void **state) {
    (void)state;
    for (int ground = 0; ground < 3; ground++) {
        scene s = start_scene("spring");
        ib_mech_force force = force_of(IB_MECH_LINE, IB_MECH_GROUND, IB_NO_NODE);
        if (ground == 1)
            force.body1 = IB_MECH_GROUND;
        if (ground == 2)
            force.body2 = IB_MECH_GROUND;
        force.stiffness = 400;
        force.damping = 30;
        force.free_length = 0.5;
        force.preload = 3;
        ib_mechanism_add_force(s.mechanism, &force);
        finish_scene(&s);
    }
}

/* On the angle of two bodies that have turned far from each other. */
static void test_torsion_springs(void **state) {
    (void)state;
    for (int ground = 0; ground < 3; ground++)
        for (int law = 0; law < 2; law++) {
            scene s = start_scene("torsion spring");
            ib_mech_force force = force_of(IB_MECH_ANGLE_TORQUE, IB_MECH_GROUND,
                                           law ? ib_graph_leaf(s.graph, INPUT_LEAF) : IB_NO_NODE);
            force.body1 = ground == 1 ? IB_MECH_GROUND : 0;
            force.body2 = ground == 2 ? IB_MECH_GROUND : 1;
            force.measure =
                add_measure(&s, IB_MECH_ANGLE, force.body1, force.body2, IB_MECH_GROUND);
            force.stiffness = 40;
            force.damping = 5;
            force.free_length = 0.5;
            force.preload = 3;
            ib_mechanism_add_force(s.mechanism, &force);
            finish_scene(&s);
        }
}

/* Turned against each other by the iterate; stiffness and damping couple everything. */
static void test_bushings(void **state) {
    (void)state;
    for (int ground = 0; ground < 3; ground++) {
        scene s = start_scene("bushing");
        uint64_t sequence = 4;
        ib_mech_bushing bushing = {.name = "bushing"};
        bushing.body1 = ground == 1 ? IB_MECH_GROUND : 0;
        bushing.body2 = ground == 2 ? IB_MECH_GROUND : 1;
        memcpy(bushing.point, point1, sizeof point1);
        ib_frame_from_z((const double[3]){0, 0.6, 0.8}, bushing.frame);
        random_fill(&sequence, 300, bushing.stiffness, 36);
        random_fill(&sequence, 20, bushing.damping, 36);
        random_fill(&sequence, 5, bushing.preload, 6);
        ib_mechanism_add_bushing(s.mechanism, &bushing);
        finish_scene(&s);
    }
}

/* A ball in a plane, and in a height field that bends, sticking and slipping, on either body and on
 * the ground. The iterate moves bodies by up to 0.3 m: the ball is so deep that it stays in. */
static void test_contacts(void **state) {
    (void)state;
    static const double axis[3] = {-4, 0, 4}, heights[9] = {0.9, 0.1, 0.8, 0, 0, 0.1, 0.7, 0.2, 1};
    static const size_t n[2] = {3, 3};
    static const double *const axes[2] = {axis, axis};
    ib_table *table = ib_table_create(IB_TABLE_CUBIC, 2, n, axes, heights);
    assert_non_null(table);
    for (int kind = 0; kind < 2 * 2 * 3; kind++) {
        const bool field = kind % 2, sticks = kind / 2 % 2;
        const int ground = kind / 4;
        scene s = start_scene(field ? "contact, field" : "contact, plane");
        ib_mech_contact contact = {.name = "contact", .radius = 2.2, .exponent = 1.5};
        contact.body1 = ground == 1 ? IB_MECH_GROUND : 0;
        contact.body2 = ground == 2 ? IB_MECH_GROUND : 1;
        memcpy(contact.point1, point1, sizeof point1);
        memcpy(contact.point2, point2, sizeof point2);
        ib_frame_from_z((const double[3]){0, 0.6, 0.8}, contact.frame);
        contact.surface = field ? table : NULL;
        contact.stiffness = 300;
        contact.dissipation = 0.01;
        contact.friction = 0.6;
        contact.stick_speed = sticks ? 100 : 0.5;
        ib_mechanism_add_contact(s.mechanism, &contact);
        finish_scene(&s);
    }
    ib_table_destroy(table);
}

/* Friction takes its load from the multipliers, which are unknowns. */
static void test_friction(void **state) {
    (void)state;
    static const ib_mech_joint_type types[] = {IB_MECH_REVOLUTE, IB_MECH_PRISMATIC,
                                               IB_MECH_CYLINDRICAL};
    for (int kind = 0; kind < 3 * 2 * 3; kind++) {
        const bool sticks = kind / 3 % 2;
        const int ground = kind / 6;
        scene s = start_scene(sticks ? "friction, sticking" : "friction, slipping");
        ib_mech_joint joint = {.name = "joint", .type = types[kind % 3]};
        joint.body1 = ground == 1 ? IB_MECH_GROUND : 0;
        joint.body2 = ground == 2 ? IB_MECH_GROUND : 1;
        memcpy(joint.point1, point1, sizeof point1);
        memcpy(joint.point2, point2, sizeof point2);
        ib_frame_from_z((const double[3]){0, 0.6, 0.8}, joint.frame1);
        ib_frame_from_z((const double[3]){0.8, 0, 0.6}, joint.frame2);
        joint.friction = (ib_mech_friction){0.4, 0.3, sticks ? 60 : 0.02};
        ib_mechanism_add_joint(s.mechanism, &joint);
        finish_scene(&s);
    }
}

/* A spring of zero free length whose points coincide pulls back like any other. */
static void test_coincident_spring(void **state) {
    (void)state;
    scene s = start_scene("coincident spring");
    s.options.step = IB_SECOND / 200;
    ib_mech_force force = force_of(IB_MECH_LINE, IB_MECH_GROUND, IB_NO_NODE);
    memcpy(force.point2, point1, sizeof point1);
    force.stiffness = 400;
    force.damping = 30;
    ib_mechanism_add_force(s.mechanism, &force);
    rig r = rig_start(s.mechanism, &s.options);
    rig_to(&r, 0.2);
    const ib_mech_statistics statistics = ib_dynamics_statistics(r.dynamics);
    assert_true(statistics.iterations <= 6 * statistics.steps);
    rig_end(&r);
    ib_graph_destroy(s.graph);
}

/* Forces that turn with a frame, at a constant value. */
static void test_directions(void **state) {
    (void)state;
    static const ib_mech_force_type types[] = {IB_MECH_LINE, IB_MECH_AXIS_FORCE,
                                               IB_MECH_AXIS_TORQUE};
    for (size_t i = 0; i < IB_COUNT(types); i++)
        for (int frame = -1; frame < 3; frame++) {
            scene s = start_scene("direction");
            const ib_mech_force force =
                force_of(types[i], frame, ib_graph_leaf(s.graph, INPUT_LEAF));
            ib_mechanism_add_force(s.mechanism, &force);
            finish_scene(&s);
        }
}

/* A law in every measure: on the force's own bodies, on others, in any frame. */
static void test_laws(void **state) {
    (void)state;
    static const ib_mech_measure_type types[] = {
        IB_MECH_DISPLACEMENT,        IB_MECH_VELOCITY,  IB_MECH_DISTANCE,
        IB_MECH_DISTANCE_RATE,       IB_MECH_ANGLE,     IB_MECH_ANGULAR_RATE,
        IB_MECH_ANGULAR_RATE_LEGACY, IB_MECH_DIRECTION, IB_MECH_ANGULAR_VELOCITY};
    static const int pairs[][2] = {{0, 1}, {2, 0}, {IB_MECH_GROUND, 2}, {1, IB_MECH_GROUND}};
    for (size_t i = 0; i < IB_COUNT(types); i++)
        for (size_t pair = 0; pair < IB_COUNT(pairs); pair++)
            for (int frame = -1; frame < 3; frame++) {
                scene s = start_scene("law");
                const int measure =
                    add_measure(&s, types[i], pairs[pair][0], pairs[pair][1], frame);
                const ib_node leaf = ib_graph_leaf(s.graph, (uint32_t)(MEASURE_LEAF + measure));
                const ib_node sine = ib_graph_op(s.graph, IB_OP_SIN, leaf, IB_NO_NODE, IB_NO_NODE);
                const ib_node law =
                    ib_add(s.graph, ib_mul(s.graph, ib_graph_const(s.graph, 300), sine),
                           ib_mul(s.graph, leaf, leaf));
                const ib_mech_force force = force_of(IB_MECH_AXIS_FORCE, 2, law);
                ib_mechanism_add_force(s.mechanism, &force);
                finish_scene(&s);
            }
}

/* Laws that know measures only through auxiliary states, which depend on each other: the first on a
 * measure and the second, the second on another measure, a third on itself alone. */
static void test_auxiliaries(void **state) {
    (void)state;
    for (int direct = 0; direct < 2; direct++) {
        scene s = start_scene("auxiliary states");
        s.options.auxiliary_leaf = MEASURE_LEAF + MAX_MEASURES;
        s.options.n_leaves += 3;
        ib_graph *g = s.graph;
        const int place = add_measure(&s, IB_MECH_DISPLACEMENT, 0, 1, 2);
        const int speed = add_measure(&s, IB_MECH_DISTANCE_RATE, 2, 1, IB_MECH_GROUND);
        const ib_node x = ib_graph_leaf(g, (uint32_t)(MEASURE_LEAF + place));
        const ib_node v = ib_graph_leaf(g, (uint32_t)(MEASURE_LEAF + speed));
        ib_node lag[3], rate[3];
        for (uint32_t i = 0; i < 3; i++)
            lag[i] = ib_graph_leaf(g, (uint32_t)(s.options.auxiliary_leaf + i));
        const ib_node sine = ib_graph_op(g, IB_OP_SIN, x, IB_NO_NODE, IB_NO_NODE);
        rate[0] = ib_add(g, ib_mul(g, ib_graph_const(g, 40), sine),
                         ib_mul(g, ib_graph_const(g, -9), ib_mul(g, lag[0], lag[1])));
        rate[1] = ib_sub(g, ib_mul(g, ib_graph_const(g, 20), v), ib_mul(g, lag[1], lag[1]));
        rate[2] = ib_neg(g, lag[2]);
        for (int i = 0; i < 3; i++) {
            const ib_mech_auxiliary auxiliary = {.name = "lag", .rate = rate[i], .start = 0.5 + i};
            ib_mechanism_add_auxiliary(s.mechanism, &auxiliary);
        }
        ib_node law = ib_mul(g, ib_graph_const(g, 500), ib_mul(g, lag[0], lag[2]));
        if (direct)
            law = ib_add(g, law, ib_mul(g, lag[1], x));
        ib_mech_force force = force_of(IB_MECH_AXIS_FORCE, 2, law);
        ib_mechanism_add_force(s.mechanism, &force);
        force = force_of(IB_MECH_LINE, IB_MECH_GROUND, ib_mul(g, lag[1], lag[1]));
        ib_mechanism_add_force(s.mechanism, &force);
        finish_scene(&s);
    }
}

/* Everything at once, and Newton's iterations in a run: with an exact matrix that is renewed only
 * when it must be, a few a step to 1e-11. */
static void test_newton(void **state) {
    (void)state;
    scene s = start_scene("run");
    s.options.step = IB_SECOND / 500;
    mech_joint_at(s.mechanism, IB_MECH_SPHERICAL, 0, 1, (const double[3]){0.9, 0.1, 0.1},
                  (const double[3]){0, 0, 1});
    mech_joint_at(s.mechanism, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND,
                  (const double[3]){1.5, 0.4, -0.1}, (const double[3]){0, 0.6, 0.8});
    const int angle = add_measure(&s, IB_MECH_ANGLE, 0, 1, IB_MECH_GROUND);
    const int rate = add_measure(&s, IB_MECH_ANGULAR_RATE, 0, 1, IB_MECH_GROUND);
    const ib_node sine =
        ib_graph_op(s.graph, IB_OP_SIN, ib_graph_leaf(s.graph, (uint32_t)(MEASURE_LEAF + angle)),
                    IB_NO_NODE, IB_NO_NODE);
    ib_node law = ib_mul(s.graph, ib_graph_const(s.graph, -50), sine);
    law = ib_sub(s.graph, law,
                 ib_mul(s.graph, ib_graph_const(s.graph, 2),
                        ib_graph_leaf(s.graph, (uint32_t)(MEASURE_LEAF + rate))));
    ib_mech_force twist = force_of(IB_MECH_AXIS_TORQUE, 1, law);
    ib_mechanism_add_force(s.mechanism, &twist);
    ib_mech_force spring = force_of(IB_MECH_LINE, IB_MECH_GROUND, IB_NO_NODE);
    spring.stiffness = 1e5;
    spring.damping = 100;
    spring.free_length = 0.8;
    spring.body2 = 2;
    ib_mechanism_add_force(s.mechanism, &spring);
    rig r = rig_start(s.mechanism, &s.options);
    rig_to(&r, 0.4);
    const ib_mech_statistics statistics = ib_dynamics_statistics(r.dynamics);
    if (getenv("IB_SHOW"))
        printf("%g iterations a step\n", (double)statistics.iterations / (double)statistics.steps);
    assert_int_equal(statistics.steps, 200);
    assert_true(statistics.iterations <= 6 * statistics.steps);
    rig_end(&r);
    ib_graph_destroy(s.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_bodies),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_pushes),
        cmocka_unit_test(test_tanks),
        cmocka_unit_test(test_drivers),
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_torsion_springs),
        cmocka_unit_test(test_bushings),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_coincident_spring),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_auxiliaries),
        cmocka_unit_test(test_newton),
        cmocka_unit_test(test_couplings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
