/* Each joint leaves exactly its freedoms: the rank of its Jacobian, what may move and what may not,
 * motions in closed form, and the sign, place and axes of its reaction.
 */
#include "mechanics/mechanics_test.h"

#include "mechanics/mechanism.h"

static const double inertia[3] = {0.1, 0.2, 0.25};
static const double point[3] = {0.4, 0.1, 0.6};

/* An oblique frame, as columns. */
static void oblique(double frame[9]) {
    double q[4] = {0.8, 0.3, -0.4, 0.2};
    ib_quat_normalize(q);
    ib_quat_matrix(q, frame);
}

typedef struct joint_case {
    const char *name;
    ib_mech_joint_type type;
    unsigned lock;
    /* locked: translations along and rotations about x y z of the joint's frame */
    unsigned locked;
} joint_case;

static const joint_case cases[] = {
    {"fixed", IB_MECH_FIXED, 0, 0x3f},
    {"spherical", IB_MECH_SPHERICAL, 0, 0x07},
    {"revolute", IB_MECH_REVOLUTE, 0, 0x1f},
    {"cylindrical", IB_MECH_CYLINDRICAL, 0, 0x1b},
    {"prismatic", IB_MECH_PRISMATIC, 0, 0x3b},
    {"universal", IB_MECH_UNIVERSAL, 0, 0x0f}, /* axes y and z: across both is x */
    {"planar", IB_MECH_PLANAR, 0, 0x1c},
    {"point on line", IB_MECH_POINT_ON_LINE, 0, 0x03},
    {"point on plane", IB_MECH_POINT_ON_PLANE, 0, 0x04},
    {"parallel axes", IB_MECH_PARALLEL_AXES, 0, 0x18},
    {"perpendicular axes", IB_MECH_PERPENDICULAR_AXES, 0, 0x08},
    {"constant velocity", IB_MECH_CONSTANT_VELOCITY, 0, 0x27},
};

static int count_bits(unsigned bits) {
    int n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* Two bodies with one joint; universal and perpendicular axes are y of its frame on body 1 and z on
 * body 2. */
static ib_mechanism *build(const joint_case *c, int body1, int body2) {
    ib_mechanism *m = ib_mechanism_create();
    double q[4] = {0.5, 0.5, -0.5, 0.5}, frame[9], y[3];
    mech_body(m, (const double[3]){0.3, -0.2, 0.5}, (const double[4]){0.8, 0, 0.6, 0}, zero3, zero3,
              1, inertia);
    mech_body(m, (const double[3]){1.5, 0.4, -0.3}, q, zero3, zero3, 2, inertia);
    ib_mech_joint joint = {.name = c->name, .type = c->type, .body1 = body1, .body2 = body2};
    memcpy(joint.point1, point, sizeof point);
    memcpy(joint.point2, point, sizeof point);
    oblique(frame);
    memcpy(joint.frame1, frame, sizeof frame);
    memcpy(joint.frame2, frame, sizeof frame);
    for (int k = 0; k < 3; k++)
        y[k] = frame[3 * k + 1];
    if (c->type == IB_MECH_UNIVERSAL || c->type == IB_MECH_PERPENDICULAR_AXES)
        ib_frame_from_z(y, joint.frame1);
    joint.lock = c->lock;
    ib_mechanism_add_joint(m, &joint);
    return m;
}

/* phi' of the joint when body 1 moves about the point: along (0-2) or about (3-5) an axis of the
 * frame. Returns the largest row. */
static double rate_of(ib_dynamics *d, int body, int direction) {
    const ib_mechanism *m = d->mechanism;
    double x[12] = {0}, rows[16], frame[9], axis[3], arm[3], largest = 0;
    double *v = x + 6 * body;
    const double *y = d->y + 13 * body;
    oblique(frame);
    for (int k = 0; k < 3; k++)
        axis[k] = frame[3 * k + direction % 3];
    if (direction < 3) {
        memcpy(v, axis, sizeof axis);
    } else {
        ib_sub3(y, point, arm);
        ib_cross(axis, arm, v);
        ib_quat_rotate_back(y + 3, axis, v + 3);
    }
    ib_constraints_apply(d, x, NULL, rows);
    for (int i = 0; i < m->n_rows; i++)
        largest = fmax(largest, fabs(rows[i]));
    return largest;
}

static size_t rank_of(ib_dynamics *d, int body1, int body2) {
    const ib_mechanism *m = d->mechanism;
    double columns[12 * 8], work[16];
    bool dependent[12];
    size_t n = 0;
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 6; k++) {
            double x[12] = {0}, rows[16];
            if (b != body1 && b != body2)
                continue;
            x[6 * b + k] = 1;
            ib_constraints_apply(d, x, NULL, rows);
            for (int i = 0; i < m->n_rows; i++)
                columns[12 * i + (int)n] = rows[i];
            n++;
        }
    for (int i = 0; i < m->n_rows; i++) /* close the gaps of narrower matrices */
        memmove(columns + (size_t)i * n, columns + 12 * i, n * sizeof(double));
    return ib_dependent_columns(columns, (size_t)m->n_rows, n, 1e-9, dependent, work);
}

static void check_freedoms(const joint_case *c, int body1, int body2) {
    const ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-8);
    rig r = rig_start(build(c, body1, body2), &options);
    const int wanted = count_bits(c->locked);
    if (r.dynamics->mechanism->n_rows != wanted)
        fail_msg("%s has %d rows, not %d", c->name, r.dynamics->mechanism->n_rows, wanted);
    assert_int_equal(ib_dynamics_redundant(r.dynamics), 0);
    if (rank_of(r.dynamics, body1, body2) != (size_t)wanted)
        fail_msg("%s: rank %zu, not %d", c->name, rank_of(r.dynamics, body1, body2), wanted);
    for (int body = 0; body < 2; body++) {
        if (body != body1 && body != body2)
            continue;
        for (int direction = 0; direction < 6; direction++) {
            const bool locked = c->locked >> direction & 1U;
            const double rate = rate_of(r.dynamics, body, direction);
            if (locked != (rate > 0.5) || (!locked && rate > 1e-12))
                fail_msg("%s: direction %d of body %d moves at %g", c->name, direction, body, rate);
        }
    }
    rig_end(&r);
}

static const int pairs[][2] = {{0, 1}, {1, 0}, {0, IB_MECH_GROUND}, {IB_MECH_GROUND, 0}};

static void test_freedoms(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(cases); i++)
        for (size_t p = 0; p < IB_COUNT(pairs); p++)
            check_freedoms(&cases[i], pairs[p][0], pairs[p][1]);
}

/* Every one of the 63 masks of a generic joint locks what it says. */
static void test_generic_masks(void **state) {
    (void)state;
    for (unsigned lock = 1; lock < 64; lock++) {
        const joint_case c = {"generic", IB_MECH_GENERIC, lock, lock};
        for (size_t p = 0; p < IB_COUNT(pairs); p++)
            check_freedoms(&c, pairs[p][0], pairs[p][1]);
    }
}

/* ---- closed forms ---- */

/* Large-angle periods of the reference table, from the time of the lowest point: with a point mass,
 * with a rod of 1.5 m, about a hinge, a ball and a universal joint, and each kind of generic. */
static double quarter_period(double amplitude, const joint_case *c, bool rod) {
    ib_mechanism *m = ib_mechanism_create();
    const double length = rod ? 0.75 : 1, J = rod ? 1.5 * 1.5 / 12 : 0;
    const double body[3] = {J, J, J > 0 ? J : 0};
    const double place[3] = {length * sin(amplitude), 0, -length * cos(amplitude)};
    mech_body(m, place, no_turn, zero3, zero3, 1, body);
    ib_mech_joint joint = {.name = "pivot", .type = c->type, .body1 = 0, .body2 = IB_MECH_GROUND};
    ib_frame_from_z((const double[3]){0, 1, 0}, joint.frame1);
    memcpy(joint.frame2, joint.frame1, sizeof joint.frame1);
    joint.lock = c->lock;
    ib_mechanism_add_joint(m, &joint);
    ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-11);
    options.gravity[2] = -9.81;
    rig r = rig_start(m, &options);
    double low = 0, high = 2;
    void *snapshot = malloc(ib_dynamics_state_size(r.dynamics));
    assert_non_null(snapshot);
    /* bisection from snapshots for x = 0 */
    for (int i = 0; i < 6; i++) {
        ib_dynamics_save(r.dynamics, snapshot);
        rig_to(&r, low + 0.25);
        if (rig_body(&r, 0)[0] < 0) {
            high = low + 0.25;
            assert_int_equal(
                ib_dynamics_restore(r.dynamics, snapshot, ib_dynamics_state_size(r.dynamics)),
                IB_OK);
            break;
        }
        low += 0.25;
    }
    ib_dynamics_save(r.dynamics, snapshot);
    for (int i = 0; i < 26; i++) {
        const double middle = 0.5 * (low + high);
        assert_int_equal(
            ib_dynamics_restore(r.dynamics, snapshot, ib_dynamics_state_size(r.dynamics)), IB_OK);
        rig_to(&r, middle);
        if (rig_body(&r, 0)[0] < 0)
            high = middle;
        else
            low = middle;
    }
    free(snapshot);
    rig_end(&r);
    return 0.5 * (low + high);
}

static void test_pendulum_periods(void **state) {
    (void)state;
    static const joint_case pivots[] = {{"hinge", IB_MECH_REVOLUTE, 0, 0},
                                        {"ball", IB_MECH_SPHERICAL, 0, 0},
                                        {"generic hinge", IB_MECH_GENERIC, 0x1f, 0}};
    FILE *file = fopen(IB_TEST_SOURCE "/test/references/pendulum_period.csv", "r");
    assert_non_null(file);
    char line[512];
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        double amplitude, period;
        if (sscanf(line, "%lf,%lf", &amplitude, &period) != 2 || amplitude > 170)
            continue;
        const joint_case *pivot = &pivots[rows % 3];
        const bool rod = pivot->type != IB_MECH_REVOLUTE || rows % 2;
        const double quarter = quarter_period(amplitude * PI / 180, pivot, rod);
        ASSERT_NEAR(4 * quarter, period, 2e-8 * period);
        rows++;
    }
    fclose(file);
    assert_true(rows > 3);
}

/* A slider on an oblique rail: s = g sin(slope) t^2 / 2, and it does not turn. */
static void test_slider(void **state) {
    (void)state;
    static const joint_case sliders[] = {{"prismatic", IB_MECH_PRISMATIC, 0, 0},
                                         {"cylindrical", IB_MECH_CYLINDRICAL, 0, 0},
                                         {"generic", IB_MECH_GENERIC, 0x3b, 0}};
    const double axis[3] = {0.6, 0, -0.8};
    for (size_t i = 0; i < IB_COUNT(sliders); i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            ib_mechanism *m = ib_mechanism_create();
            mech_body(m, zero3, no_turn, zero3, zero3, 2, inertia);
            ib_mech_joint joint = {.name = "rail", .type = sliders[i].type};
            joint.body1 = swapped ? IB_MECH_GROUND : 0;
            joint.body2 = swapped ? 0 : IB_MECH_GROUND;
            joint.lock = sliders[i].lock;
            ib_frame_from_z(axis, joint.frame1);
            memcpy(joint.frame2, joint.frame1, sizeof joint.frame1);
            ib_mechanism_add_joint(m, &joint);
            ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-10);
            options.gravity[2] = -9.81;
            rig r = rig_start(m, &options);
            rig_to(&r, 0.5);
            const double s = 0.5 * 9.81 * 0.8 * 0.25;
            for (int k = 0; k < 3; k++)
                ASSERT_NEAR(rig_body(&r, 0)[k], s * axis[k], 1e-10);
            ASSERT_NEAR(rig_body(&r, 0)[3], 1, 1e-12);
            rig_end(&r);
        }
}

/* A nut that turns and slides freely: neither motion knows of the other. */
static void test_cylindrical_spins_and_slides(void **state) {
    (void)state;
    ib_mechanism *m = ib_mechanism_create();
    const double z[3] = {0, 0, 1};
    mech_body(m, zero3, no_turn, (const double[3]){0, 0, 2}, (const double[3]){0, 0, 3}, 1,
              inertia);
    mech_joint_at(m, IB_MECH_CYLINDRICAL, 0, IB_MECH_GROUND, zero3, z);
    ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-10);
    options.gravity[2] = -9.81;
    rig r = rig_start(m, &options);
    rig_to(&r, 0.7);
    ASSERT_NEAR(rig_body(&r, 0)[2], 2 * 0.7 - 0.5 * 9.81 * 0.49, 1e-10);
    ASSERT_NEAR(rig_body(&r, 0)[12], 3, 1e-12);
    rig_end(&r);
}

/* A cardan joint at angle beta between shafts: tan(out) = tan(in) cos(beta) when the first shaft's
 * fork starts across the plane of the shafts. */
static void test_universal_ratio(void **state) {
    (void)state;
    const double beta = 0.5, axis2[3] = {sin(beta), 0, cos(beta)}, z[3] = {0, 0, 1};
    ib_mechanism *m = ib_mechanism_create();
    const double q2[4] = {cos(beta / 2), 0, sin(beta / 2), 0};
    mech_body(m, zero3, no_turn, zero3, (const double[3]){0, 0, 2}, 1, inertia);
    mech_body(m, zero3, q2, zero3, (const double[3]){0, 0, 2 * cos(beta)}, 1, inertia);
    mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, z);
    mech_joint_at(m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, zero3, axis2);
    ib_mech_joint cross = {.name = "cross", .type = IB_MECH_GENERIC, .body1 = 0, .body2 = 1};
    cross.type = IB_MECH_UNIVERSAL;
    /* the fork of shaft 1 lies along y, that of shaft 2 across it and across its own axis */
    ib_frame_from_z((const double[3]){0, 1, 0}, cross.frame1);
    ib_frame_from_z((const double[3]){cos(beta), 0, -sin(beta)}, cross.frame2);
    ib_mechanism_add_joint(m, &cross);
    const ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-10);
    rig r = rig_start(m, &options);
    for (double t = 0.1; t < 3; t += 0.1) {
        rig_to(&r, t);
        const double *y1 = rig_body(&r, 0), *y2 = rig_body(&r, 1);
        double p[3], u[3];
        const double y[3] = {0, 1, 0}, x[3] = {1, 0, 0};
        ib_quat_rotate(y1 + 3, y, p); /* turned by a1 about z */
        ib_quat_rotate(y2 + 3, x, u); /* turned by a2 about axis 2 */
        ib_quat_rotate_back(q2, u, u);
        const double a1 = atan2(-p[0], p[1]), a2 = atan2(u[1], u[0]);
        ASSERT_NEAR(sin(a2) * cos(a1), cos(beta) * sin(a1) * cos(a2), 1e-9);
    }
    rig_end(&r);
}

/* ---- reactions ---- */

/* A body held at a point, pushed at another: force -F and torque -arm x F on it at the point, in
 * global axes; the opposite when the ground is body 1. */
static void test_reaction_of_a_clamp(void **state) {
    (void)state;
    static const joint_case clamps[] = {{"fixed", IB_MECH_FIXED, 0, 0},
                                        {"generic", IB_MECH_GENERIC, 0x3f, 0}};
    for (size_t i = 0; i < 2 * IB_COUNT(clamps); i++) {
        const bool swapped = i % 2;
        ib_graph *graph = ib_graph_create();
        ib_mechanism *m = ib_mechanism_create();
        const double q[4] = {0.5, 0.5, -0.5, 0.5}, place[3] = {1, 2, 3};
        mech_body(m, place, q, zero3, zero3, 2, inertia);
        ib_mech_joint joint = {.name = "clamp", .type = clamps[i / 2].type};
        joint.lock = clamps[i / 2].lock;
        joint.body1 = swapped ? IB_MECH_GROUND : 0;
        joint.body2 = swapped ? 0 : IB_MECH_GROUND;
        memcpy(joint.point1, point, sizeof point);
        memcpy(joint.point2, point, sizeof point);
        oblique(joint.frame1);
        oblique(joint.frame2);
        ib_mechanism_add_joint(m, &joint);
        ib_mech_force push = {.name = "push", .type = IB_MECH_AXIS_FORCE, .body1 = 0};
        push.body2 = push.frame = IB_MECH_GROUND;
        push.law = ib_graph_const(graph, 7);
        const double axis[3] = {0.48, -0.64, 0.6}, at[3] = {-1, 0.5, 2};
        memcpy(push.axis, axis, sizeof axis);
        memcpy(push.point1, at, sizeof at);
        ib_mechanism_add_force(m, &push);
        ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-8);
        options.graph = graph;
        options.gravity[1] = -9.81;
        rig r = rig_start(m, &options);
        rig_to(&r, 0.1);
        double arm[3], load[3], moment[3], weight_arm[3], weight_moment[3], force[3], torque[3];
        const double weight[3] = {0, -2 * 9.81, 0};
        for (int k = 0; k < 3; k++)
            load[k] = 7 * axis[k];
        ib_sub3(at, point, arm);
        ib_cross(arm, load, moment);
        ib_sub3(place, point, weight_arm);
        ib_cross(weight_arm, weight, weight_moment);
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        for (int k = 0; k < 3; k++) {
            const double sign = swapped ? 1 : -1;
            ASSERT_NEAR(force[k], sign * (load[k] + weight[k]), 1e-9);
            ASSERT_NEAR(torque[k], sign * (moment[k] + weight_moment[k]), 1e-9);
        }
        rig_end(&r);
        ib_graph_destroy(graph);
    }
}

/* A cart on a rail far from where it started, with its weight off the rail: the reaction is that on
 * body 1 at the point of body 1, whichever body that is. */
static void test_reaction_after_sliding(void **state) {
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        ib_mechanism *m = ib_mechanism_create();
        const double x[3] = {1, 0, 0}, speed[3] = {2, 0, 0}, place[3] = {0.5, 0, 0};
        mech_body(m, place, no_turn, speed, zero3, 3, inertia);
        ib_mech_joint joint = {.name = "rail", .type = IB_MECH_PRISMATIC};
        joint.body1 = swapped ? IB_MECH_GROUND : 0;
        joint.body2 = swapped ? 0 : IB_MECH_GROUND;
        ib_frame_from_z(x, joint.frame1);
        memcpy(joint.frame2, joint.frame1, sizeof joint.frame1);
        ib_mechanism_add_joint(m, &joint);
        ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-10);
        options.gravity[2] = -9.81;
        rig r = rig_start(m, &options);
        rig_to(&r, 1); /* the cart's point is at 2 m, its centre at 2.5 m */
        double force[3], torque[3];
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        const double weight = 3 * 9.81;
        const double arm = swapped ? 2.5 : 0.5; /* from the point of body 1 to the centre */
        const double wanted[3] = {0, 0, swapped ? -weight : weight};
        const double moment[3] = {0, swapped ? weight * arm : -weight * arm, 0};
        ASSERT_NEAR3(force, wanted, 1e-9);
        ASSERT_NEAR3(torque, moment, 1e-8);
        rig_end(&r);
    }
}

/* A hinge carries no torque about its axis, a ball none at all, a slider no force along its rail.
 */
static void test_free_directions_carry_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-9);
        options.gravity[0] = 3;
        options.gravity[2] = -9.81;
        rig r = rig_start(build(&cases[i], 0, IB_MECH_GROUND), &options);
        double frame[9], force[3], torque[3], arm[3], turn[3];
        assert_int_equal(ib_dynamics_refresh(r.dynamics, r.diags), IB_OK);
        ib_dynamics_reaction(r.dynamics, 0, force, torque);
        oblique(frame);
        for (int k = 0; k < 6; k++) {
            const double axis[3] = {frame[k % 3], frame[3 + k % 3], frame[6 + k % 3]};
            const double carried = ib_dot(k < 3 ? force : torque, axis);
            if (!(cases[i].locked >> k & 1U))
                ASSERT_NEAR(carried, 0, 1e-10);
        }
        /* Newton and Euler about the centre of mass */
        const double *a = ib_dynamics_acceleration(r.dynamics, 0), *y = rig_body(&r, 0);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(a[k], force[k] + options.gravity[k], 1e-9);
        ib_sub3(point, y, arm);
        ib_cross(arm, force, turn);
        ib_axpy(turn, 1, torque, turn);
        ib_quat_rotate_back(y + 3, turn, turn);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(inertia[k] * a[3 + k], turn[k], 1e-9);
        rig_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_freedoms),
        cmocka_unit_test(test_generic_masks),
        cmocka_unit_test(test_pendulum_periods),
        cmocka_unit_test(test_slider),
        cmocka_unit_test(test_cylindrical_spins_and_slides),
        cmocka_unit_test(test_universal_ratio),
        cmocka_unit_test(test_reaction_of_a_clamp),
        cmocka_unit_test(test_reaction_after_sliding),
        cmocka_unit_test(test_free_directions_carry_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
