/* The order of every integrator, measured on constrained mechanisms: the error against a reference
 * at tight tolerance falls by 2^order when the step halves. The stages of the explicit methods, the
 * projection, and the group increments of the implicit ones all have to be right for that.
 */
#include "mechanics/busy.h"
#include "mechanics/mechanism.h"

typedef ib_mechanism *(*builder)(ib_mech_options *options);

static const double hinge_axis[3] = {0.6, 0, 0.8};

/* A spatial double pendulum: a hinge with an oblique axis, then a ball joint; a damped spring from
 * the tip to the ground. */
static ib_mechanism *build_pendulum(ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double inertia1[3] = {0.05, 0.02, 0.06}, inertia2[3] = {0.02, 0.05, 0.04};
    const double arm[3] = {0.4, 0.1, 0}, tip[3] = {0.8, 0.2, 0}, end[3] = {1.2, 0.2, 0.3};
    double w[3], v[3], v_tip[3], v2[3], offset[3] = {0.2, 0, 0.15};
    const double spin[3] = {0.5, -1, 2};
    for (int k = 0; k < 3; k++)
        w[k] = 1.5 * hinge_axis[k];
    ib_cross(w, arm, v);
    ib_cross(w, tip, v_tip);
    ib_cross(spin, offset, v2);
    ib_axpy(v_tip, 1, v2, v2);
    mech_body(m, arm, no_turn, v, w, 2, inertia1);
    mech_body(m, (const double[3]){1.0, 0.2, 0.15}, no_turn, v2, spin, 1, inertia2);
    mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, zero3, hinge_axis);
    mech_joint_at(m, IB_MECH_SPHERICAL, 1, 0, tip, hinge_axis);
    ib_mech_force spring = {.name = "spring", .type = IB_MECH_LINE, .body1 = 1};
    spring.body2 = spring.frame = IB_MECH_GROUND;
    spring.law = IB_NO_NODE;
    memcpy(spring.point1, end, sizeof end);
    spring.point2[1] = 1;
    spring.stiffness = 40;
    spring.damping = 2;
    spring.free_length = 1;
    ib_mechanism_add_force(m, &spring);
    options->gravity[2] = -9.81;
    return m;
}

/* Redundant loops, turned out of every plane. */
static ib_mechanism *build_fourbar(ib_mech_options *options) {
    double turn[4] = {0.8, 0.3, -0.5, 0.2};
    ib_quat_normalize(turn);
    return mech_fourbar(2, turn, options);
}

/* IFToMM's heavy top with a slower spin: pivot at the origin. */
static ib_mechanism *build_top(ib_mech_options *options) {
    ib_mechanism *m = ib_mechanism_create();
    const double w[3] = {1, 20, -4}, r[3] = {0, 1, 0};
    const double inertia[3] = {0.234375, 0.46875, 0.234375};
    double v[3];
    ib_cross(w, r, v);
    mech_body(m, r, no_turn, v, w, 15, inertia);
    mech_joint_at(m, IB_MECH_SPHERICAL, 0, IB_MECH_GROUND, zero3, (const double[3]){0, 0, 1});
    options->gravity[2] = -9.81;
    return m;
}

typedef struct outcome {
    double y[13 * 8];
    int n_bodies;
} outcome;

static outcome run(builder build, const ib_mech_options *given, int stages, int n_bodies,
                   double end) {
    ib_mech_options options = *given;
    ib_mechanism *m = build(&options);
    rig r = rig_start(m, &options);
    if (stages > 0)
        r.dynamics->header->stages = stages;
    outcome out = {.n_bodies = n_bodies};
    rig_to(&r, end);
    memcpy(out.y, ib_dynamics_bodies(r.dynamics), sizeof(double) * 13 * (size_t)n_bodies);
    rig_end(&r);
    return out;
}

/* Largest error of positions and attitudes, and of velocities. */
static void error_of(const outcome *a, const outcome *b, double *position, double *velocity) {
    *position = *velocity = 0;
    for (int body = 0; body < a->n_bodies; body++) {
        const double *x = a->y + 13 * body, *y = b->y + 13 * body;
        double sign = 0;
        for (int k = 3; k < 7; k++)
            sign += x[k] * y[k];
        for (int k = 0; k < 13; k++) {
            const double other = k >= 3 && k < 7 && sign < 0 ? -y[k] : y[k];
            double *worst = k < 7 ? position : velocity;
            *worst = fmax(*worst, fabs(x[k] - other));
        }
    }
}

typedef struct method {
    const char *name;
    ib_mech_solver solver;
    int order;
    double step;      /* the largest of three */
    double hht_alpha; /* < 0: HHT */
    double low, high; /* of the observed order */
    int stages;       /* of the stiff method; 0: its own choice */
} method;

static ib_mech_options options_of(const method *how, double step) {
    ib_mech_options options = mech_options(how->solver, to_time(step), 1e-6);
    if (how->hht_alpha < 0) {
        options.alpha_m = 0;
        options.alpha_f = -how->hht_alpha;
    }
    return options;
}

/* Orders by position and by velocity between the two finer steps. */
static void check(builder build, int n_bodies, double end, double scale, const method *how) {
    const ib_mech_options tight = mech_options(IB_MECH_DOPRI5, 0, 1e-13);
    const outcome exact = run(build, &tight, 0, n_bodies, end);
    double position[3], velocity[3], step = scale * how->step;
    for (int i = 0; i < 3; i++, step /= 2) {
        const ib_mech_options options = options_of(how, step);
        const outcome out = run(build, &options, how->stages, n_bodies, end);
        error_of(&out, &exact, &position[i], &velocity[i]);
    }
    for (int i = 0; i < 2; i++) {
        if (position[i] < (how->order > 8 ? 5e-10 : 2e-11))
            continue; /* too near rounding to tell so high an order */
        const double by_position = log2(position[i] / position[i + 1]);
        const double by_velocity = log2(velocity[i] / velocity[i + 1]);
        if (getenv("IB_SHOW"))
            printf("%s: %.3g %.3g order %.3f %.3f\n", how->name, position[i], velocity[i],
                   by_position, by_velocity);
        if (!(by_position > how->low && by_position < how->high && by_velocity > how->low &&
              by_velocity < how->high))
            fail_msg("%s: order %.3f by position and %.3f by velocity is not %d (errors %.3g, "
                     "%.3g m)",
                     how->name, by_position, by_velocity, how->order, position[i], position[i + 1]);
    }
}

/* The upper bounds leave room for a fast spin, of which normalising the quaternion removes the
 * leading error, and for large steps of the method of order 8. */
static const method methods[] = {
    {"dopri5", IB_MECH_DOPRI5, 5, 0.02, 0, 4.7, 6.8, 0},
    {"dop853", IB_MECH_DOP853, 8, 0.06, 0, 7.2, 11, 0},
    {"rk4", IB_MECH_RK4, 4, 0.01, 0, 3.7, 4.5, 0},
    {"generalized_alpha", IB_MECH_GENERALIZED_ALPHA, 2, 0.004, 0, 1.9, 2.1, 0},
    {"hht", IB_MECH_GENERALIZED_ALPHA, 2, 0.004, -0.3, 1.9, 2.1, 0},
    {"stiff, 3 stages", IB_MECH_STIFF, 5, 0.04, 0, 4.7, 5.3, 3},
    {"stiff, 5 stages", IB_MECH_STIFF, 9, 0.06, 0, 8.5, 9.8, 5},
};

static void test_pendulum(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(methods); i++)
        check(build_pendulum, 2, 0.6, 1, &methods[i]);
}

static void test_fourbar(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(methods); i++)
        check(build_fourbar, 5, 0.4, 1, &methods[i]);
}

static void test_top(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(methods); i++)
        check(build_top, 1, 0.4, 0.5, &methods[i]);
}

static ib_mechanism *build_pairs(ib_mech_options *options) {
    const mech_pose still = {{1, 0, 0, 0}, {0, 0, 0}};
    return mech_pairs(&still, options);
}

static void test_pairs(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(methods); i++)
        check(build_pairs, MECH_PAIRS, 0.4, 1, &methods[i]);
}

static ib_mechanism *build_rubbing(ib_mech_options *options) {
    const mech_pose still = {{1, 0, 0, 0}, {0, 0, 0}};
    return mech_rubbing(&still, options);
}

/* A load that is not linear in the multipliers costs no order either. */
static const method methods_with_friction[] = {
    {"dopri5", IB_MECH_DOPRI5, 5, 0.02, 0, 4.7, 6.8, 0},
    {"dop853", IB_MECH_DOP853, 8, 0.06, 0, 7.2, 11, 0},
    {"rk4", IB_MECH_RK4, 4, 0.01, 0, 3.7, 4.5, 0},
    {"generalized_alpha", IB_MECH_GENERALIZED_ALPHA, 2, 0.002, 0, 1.9, 2.2, 0},
    {"hht", IB_MECH_GENERALIZED_ALPHA, 2, 0.004, -0.3, 1.9, 2.1, 0},
    {"stiff, 3 stages", IB_MECH_STIFF, 5, 0.04, 0, 4.7, 5.4, 3},
    {"stiff, 5 stages", IB_MECH_STIFF, 9, 0.06, 0, 8.5, 10.5, 5},
};

static void test_friction(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(methods_with_friction); i++)
        check(build_rubbing, MECH_RUBBING, 0.4, 1, &methods_with_friction[i]);
}

static ib_mechanism *build_geared(ib_mech_options *options) {
    const mech_pose still = {{1, 0, 0, 0}, {0, 0, 0}};
    options->n_leaves = 8; /* time and the measures */
    return mech_geared(&still, options);
}

static void test_geared(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(methods); i++)
        check(build_geared, MECH_GEARED, 0.8, 1, &methods[i]);
}

/* Multipliers of the implicit method are of second order too, from the first steps on. */
static void test_multipliers(void **state) {
    (void)state;
    double force[3][3], torque[3], exact[3], error[2];
    const ib_time steps[2] = {IB_SECOND / 500, IB_SECOND / 1000};
    for (int i = 0; i < 3; i++) {
        ib_mech_options options = i < 2 ? mech_options(IB_MECH_GENERALIZED_ALPHA, steps[i], 0)
                                        : mech_options(IB_MECH_DOPRI5, 0, 1e-13);
        ib_mechanism *m = build_pendulum(&options);
        rig r = rig_start(m, &options);
        rig_to(&r, 0.6);
        ib_dynamics_reaction(r.dynamics, 0, force[i], torque);
        rig_end(&r);
    }
    memcpy(exact, force[2], sizeof exact);
    for (int i = 0; i < 2; i++) {
        ib_sub3(force[i], exact, force[i]);
        error[i] = ib_norm(force[i]) / ib_norm(exact);
    }
    assert_true(error[0] < 1e-3);
    assert_true(error[0] / error[1] > 3.6 && error[0] / error[1] < 4.4);
}

/* Inputs that are set at every step, as a controller does, cost the implicit method no order. */
static void test_inputs(void **state) {
    (void)state;
    const double end = 0.4;
    double error[2] = {0, 0};
    busy exact = busy_start(IB_MECH_DOP853, 0);
    rig_to(&exact.rig, end);
    for (int i = 0; i < 2; i++) {
        const ib_time step = IB_SECOND / (i ? 1000 : 500);
        busy b = busy_start(IB_MECH_GENERALIZED_ALPHA, step);
        for (ib_time t = step; t <= to_time(end); t += step) {
            rig_to(&b.rig, ib_time_seconds(t));
            ib_dynamics_leaves(b.rig.dynamics)[BUSY_INPUT] = 2 + (t / step % 2 ? 1e-12 : 0);
            assert_int_equal(ib_dynamics_inputs_changed(b.rig.dynamics, b.rig.diags), IB_OK);
        }
        for (int body = 0; body < BUSY_BODIES; body++)
            for (int k = 0; k < 3; k++)
                error[i] =
                    fmax(error[i], fabs(rig_body(&b.rig, body)[k] - rig_body(&exact.rig, body)[k]));
        busy_end(&b);
    }
    busy_end(&exact);
    if (getenv("IB_SHOW"))
        printf("with inputs: %.3g %.3g\n", error[0], error[1]);
    assert_true(error[0] / error[1] > 3.5 && error[0] / error[1] < 4.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),    cmocka_unit_test(test_fourbar),
        cmocka_unit_test(test_top),         cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_geared),      cmocka_unit_test(test_friction),
        cmocka_unit_test(test_multipliers), cmocka_unit_test(test_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
