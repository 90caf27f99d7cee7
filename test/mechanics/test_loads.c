/* Loads in motion: closed forms, what they conserve, their wrench, where they end. */
#include "mechanics/mechanics_test.h"

static const double inertia[3] = {0.1, 0.2, 0.25};
static const double turn1[4] = {0.8, 0.0, 0.6, 0.0}, turn2[4] = {0.5, -0.5, 0.5, 0.5};

/* A frame that lies across everything. */
static const double oblique[4] = {0.4, -0.2, 0.8, 0.4};

static void set_frame(double frame[9]) {
    double q[4];
    memcpy(q, oblique, sizeof q);
    ib_quat_normalize(q);
    ib_quat_matrix(q, frame);
}

/* Stiffness with couplings, positive definite: diagonal, plus what x couples with rz. */
static ib_mech_bushing bushing_of(int body2, const double point[3], double scale) {
    static const double diagonal[6] = {40, 60, 30, 3, 5, 4};
    ib_mech_bushing b = {.name = "mount", .body1 = 0, .body2 = body2};
    memcpy(b.point, point, sizeof b.point);
    set_frame(b.frame);
    for (int i = 0; i < 6; i++)
        b.stiffness[7 * i] = scale * diagonal[i];
    b.stiffness[5] = b.stiffness[30] = 6 * scale;
    b.stiffness[9] = b.stiffness[19] = -4 * scale;
    return b;
}

typedef struct setting {
    ib_mech_solver solver;
    double step, rtol, tolerance;
} setting;

static const setting settings[] = {
    {IB_MECH_DOPRI5, 0, 1e-10, 2e-8},
    {IB_MECH_DOP853, 0, 1e-10, 2e-8},
    {IB_MECH_RK4, 0.001, 0, 2e-8},
    {IB_MECH_GENERALIZED_ALPHA, 0.0005, 0, 2e-5},
};

static ib_mech_options options_of(const setting *s) {
    return mech_options(s->solver, to_time(s->step), s->rtol);
}

/* ---- bushings ---- */

/* A body whose principal axes are the bushing's, its point at the centre of mass: along each axis
 * J x'' + c x' + k x + preload = 0, one rotation at a time up to 1.5 rad. */
static void test_bushing_oscillates(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++)
        for (int axis = 0; axis < 6; axis++) {
            ib_mech_options options = options_of(&settings[i]);
            ib_mechanism *m = ib_mechanism_create();
            ib_mech_bushing b = {.name = "mount", .body2 = IB_MECH_GROUND};
            const double mass = axis < 3 ? 2 : inertia[axis - 3], k = 50 * mass, c = mass;
            const double speed = 10, load = 3 * mass;
            double q[4], v[3] = {0, 0, 0}, w[3] = {0, 0, 0};
            memcpy(q, oblique, sizeof q);
            ib_quat_normalize(q);
            set_frame(b.frame);
            (axis < 3 ? v : w)[axis % 3] = speed;
            ib_quat_rotate(q, v, v);
            mech_body(m, zero3, q, v, w, 2, inertia);
            b.stiffness[7 * axis] = k;
            b.damping[7 * axis] = c;
            b.preload[axis] = load;
            assert_int_equal(ib_mechanism_add_bushing(m, &b), 0);
            rig r = rig_start(m, &options);
            rig_to(&r, 0.7);
            const double decay = 0.5, omega = sqrt(50 - decay * decay), rest = -3.0 / 50;
            const double x =
                rest + exp(-decay * 0.7) * (-rest * cos(omega * 0.7) +
                                            (speed - decay * rest) / omega * sin(omega * 0.7));
            const double *y = rig_body(&r, 0), back[4] = {q[0], -q[1], -q[2], -q[3]};
            double along[3], turn[4], e[3];
            ib_quat_rotate_back(q, y, along);
            ib_quat_mul(back, y + 3, turn);
            ib_quat_log(turn, e);
            ASSERT_NEAR((axis < 3 ? along : e)[axis % 3], x, settings[i].tolerance);
            rig_end(&r);
        }
}

/* Two free bodies: momentum and angular momentum stay, and without damping the energy does. With
 * it, what is lost is never negative. */
static void test_bushing_conserves(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++)
        for (int damped = 0; damped < 2; damped++) {
            const bool rough = settings[i].solver == IB_MECH_GENERALIZED_ALPHA;
            ib_mech_options options = options_of(&settings[i]);
            ib_mechanism *m = ib_mechanism_create();
            mech_body(m, (const double[3]){0.3, -0.2, 0.5}, turn1,
                      (const double[3]){0.2, 0.1, -0.3}, (const double[3]){0.4, -0.6, 2.1}, 1,
                      inertia);
            mech_body(m, (const double[3]){1.5, 0.4, -0.3}, turn2,
                      (const double[3]){-0.5, 0.3, 0.1}, (const double[3]){-1.2, 0.3, 0.7}, 3,
                      inertia);
            ib_mech_bushing b = bushing_of(1, (const double[3]){0.9, 0.1, 0.1}, 1);
            for (int k = 0; damped && k < 36; k++)
                b.damping[k] = 0.01 * b.stiffness[k];
            ib_mechanism_add_bushing(m, &b);
            rig r = rig_start(m, &options);
            const ib_mech_energy start = ib_dynamics_energy(r.dynamics);
            double last = start.kinetic + start.potential, most = 0;
            for (int step = 1; step <= 10; step++) {
                rig_to(&r, 0.1 * step);
                const ib_mech_energy e = ib_dynamics_energy(r.dynamics);
                const double total = e.kinetic + e.potential;
                ASSERT_NEAR3(e.momentum, start.momentum, 1e-9);
                ASSERT_NEAR3(e.angular_momentum, start.angular_momentum, rough ? 1e-4 : 1e-8);
                if (!damped)
                    ASSERT_NEAR(total, last, rough ? 1e-3 : 1e-8);
                assert_true(!damped || total < last);
                last = total;
                most = fmax(most, e.potential);
            }
            assert_true(most > 0.3);
            rig_end(&r);
        }
}

/* Against the ground from either side: the same motion, and the wrench at the point moves the body.
 */
static void test_bushing_sides(void **state) {
    (void)state;
    double y[2][13];
    for (int side = 0; side < 2; side++) {
        ib_mech_options options = mech_options(IB_MECH_DOP853, 0, 1e-11);
        ib_mechanism *m = ib_mechanism_create();
        const double place[3] = {0.3, -0.2, 0.5}, point[3] = {0.4, 0.1, 0.6};
        mech_body(m, place, turn1, (const double[3]){0.2, 0.1, -0.3},
                  (const double[3]){0.4, -0.6, 2.1}, 1, inertia);
        ib_mech_bushing b = bushing_of(IB_MECH_GROUND, point, 1);
        if (side) {
            b.body1 = IB_MECH_GROUND;
            b.body2 = 0;
        }
        /* the same in all directions, so that it does not matter whose frame it is in */
        for (int k = 0; k < 36; k++)
            b.stiffness[k] = k % 7 ? 0 : k < 21 ? 40 : 4;
        ib_mechanism_add_bushing(m, &b);
        rig r = rig_start(m, &options);
        rig_to(&r, 0.3);
        memcpy(y[side], rig_body(&r, 0), sizeof y[side]);
        /* m a = F; J w' + w x J w = torque about the centre of mass */
        const double *acc = ib_dynamics_acceleration(r.dynamics, 0), *now = y[side];
        double force[3], torque[3], arm[3], spin[3], moment[3];
        ib_dynamics_load(r.dynamics, 0, force, torque);
        const double sign = side ? -1 : 1;
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR(sign * force[k], acc[k], 1e-12);
            spin[k] = inertia[k] * now[10 + k];
            moment[k] = inertia[k] * acc[3 + k];
        }
        ib_cross(now + 10, spin, spin);
        ib_axpy(moment, 1, spin, moment);
        ib_quat_rotate(now + 3, moment, moment);
        /* the point where the force acts is carried by body 1 */
        const double lever[3] = {point[0] - place[0], point[1] - place[1], point[2] - place[2]};
        ib_quat_rotate_back(turn1, lever, arm);
        ib_quat_rotate(now + 3, arm, arm);
        if (side)
            ib_sub3(point, now, arm);
        ib_cross(arm, force, arm);
        ib_axpy(arm, 1, torque, arm);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(sign * arm[k], moment[k], 1e-12);
        rig_end(&r);
    }
    for (int k = 0; k < 13; k++)
        ASSERT_NEAR(y[0][k], y[1][k], 1e-9);
}

/* Turned round against a weak bushing: an error with the angle's limit, the time and the name. */
static void test_bushing_ends(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        ib_mech_options options = options_of(&settings[i]);
        ib_mechanism *m = ib_mechanism_create();
        mech_body(m, zero3, no_turn, zero3, (const double[3]){0, 0, 4}, 1, inertia);
        ib_mech_bushing b = bushing_of(IB_MECH_GROUND, zero3, 1e-3);
        ib_mechanism_add_bushing(m, &b);
        rig r = rig_start(m, &options);
        assert_int_equal(ib_dynamics_advance(r.dynamics, IB_SECOND, NULL, NULL, r.diags),
                         IB_SIMULATION_FAILED);
        assert_true(has_diag(r.diags, "IB0709", "mount: at t = 0.7"));
        assert_true(has_diag(r.diags, "IB0709", "168 degrees"));
        rig_end(&r);
    }
}

/* Newton's iterations with a stiff one are few: its slopes are exact. */
static void test_bushing_newton(void **state) {
    (void)state;
    ib_mech_options options = mech_options(IB_MECH_GENERALIZED_ALPHA, IB_SECOND / 1000, 0);
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, (const double[3]){0.3, -0.2, 0.5}, turn1, (const double[3]){2, 1, -3},
              (const double[3]){4, -6, 21}, 1, inertia);
    ib_mech_bushing b = bushing_of(IB_MECH_GROUND, (const double[3]){0.4, 0.1, 0.6}, 1e5);
    for (int k = 0; k < 36; k++)
        b.damping[k] = 1e-3 * b.stiffness[k];
    ib_mechanism_add_bushing(m, &b);
    rig r = rig_start(m, &options);
    rig_to(&r, 0.2);
    const ib_mech_statistics statistics = ib_dynamics_statistics(r.dynamics);
    assert_true(statistics.iterations <= 5 * statistics.steps);
    rig_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bushing_oscillates), cmocka_unit_test(test_bushing_conserves),
        cmocka_unit_test(test_bushing_sides),      cmocka_unit_test(test_bushing_ends),
        cmocka_unit_test(test_bushing_newton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
