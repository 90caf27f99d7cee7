/* What motion conserves: energy, momentum and angular momentum of free and coupled bodies, the
 * constraints at position and velocity level at every output, the closed form of a free body, and
 * the reactions of Bricard's redundant mechanism.
 */
#include "mechanics/mechanics_test.h"

static double total(const rig *r) {
    const ib_mech_energy e = ib_dynamics_energy(r->dynamics);
    return e.kinetic + e.potential;
}

/* Every solver as users set it: the explicit ones controlled or fixed, the implicit one at 1 ms. */
typedef struct setting {
    const char *name;
    ib_mech_solver solver;
    ib_time step;
    double rtol;
} setting;

static const setting settings[] = {
    {"dopri5, tight", IB_MECH_DOPRI5, 0, 1e-11},
    {"dop853, tight", IB_MECH_DOP853, 0, 1e-11},
    {"dopri5", IB_MECH_DOPRI5, 0, 1e-6},
    {"dopri5, fixed", IB_MECH_DOPRI5, IB_SECOND / 1000, 1e-6},
    {"rk4", IB_MECH_RK4, IB_SECOND / 1000, 1e-6},
    {"generalized_alpha", IB_MECH_GENERALIZED_ALPHA, IB_SECOND / 1000, 1e-6},
};

static ib_mech_options options_of(const setting *s) {
    return mech_options(s->solver, s->step, s->rtol);
}

/* ---- free bodies ---- */

/* The closed form of the reference: J = diag(1, 2, 3), W0 = (0.1, 2, 0.1). Angular momentum about
 * global axes stays, to 1e-9, over the whole table; rates and attitude follow it. */
static void test_torque_free_body(void **state) {
    (void)state;
    FILE *file = fopen(IB_TEST_SOURCE "/test/references/torque_free_body.csv", "r");
    assert_non_null(file);
    const double inertia[3] = {1, 2, 3}, w[3] = {0.1, 2, 0.1};
    ib_mechanism *m = ib_mechanism_create();
    mech_body(m, zero3, no_turn, zero3, w, 1, inertia);
    const ib_mech_options options = mech_options(IB_MECH_DOPRI5, 0, 1e-12);
    rig r = rig_start(m, &options);
    const double start[3] = {0.1, 4, 0.3};
    char line[512];
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        double c[8];
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &c[0], &c[1], &c[2], &c[3], &c[4],
                   &c[5], &c[6], &c[7]) != 8)
            continue;
        rig_to(&r, c[0]);
        const double *y = rig_body(&r, 0);
        const double sign = y[3] * c[4] + y[4] * c[5] + y[5] * c[6] + y[6] * c[7] < 0 ? -1 : 1;
        ASSERT_NEAR3(y + 10, c + 1, 1e-8);
        for (int k = 0; k < 4; k++)
            ASSERT_NEAR(sign * y[3 + k], c[4 + k], 1e-8);
        const ib_mech_energy e = ib_dynamics_energy(r.dynamics);
        ASSERT_NEAR3(e.angular_momentum, start, 1e-9);
        rows++;
    }
    fclose(file);
    assert_true(rows > 10);
    rig_end(&r);
}

/* A free body far from the origin: its angular momentum about the origin stays too, and it flies
 * straight. */
static void test_free_flight(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        const double r0[3] = {3, -2, 1}, v[3] = {1, 2, -3}, w[3] = {2, -1, 0.5};
        const double inertia[3] = {0.3, 0.5, 0.7};
        ib_mechanism *m = ib_mechanism_create();
        mech_body(m, r0, no_turn, v, w, 2, inertia);
        const ib_mech_options options = options_of(&settings[i]);
        rig r = rig_start(m, &options);
        const ib_mech_energy start = ib_dynamics_energy(r.dynamics);
        rig_to(&r, 2);
        const ib_mech_energy end = ib_dynamics_energy(r.dynamics);
        const double place[3] = {5, 2, -5};
        const double tolerance = settings[i].solver == IB_MECH_GENERALIZED_ALPHA ? 2e-6 : 1e-5;
        ASSERT_NEAR3(rig_body(&r, 0), place, 1e-11);
        ASSERT_NEAR3(end.momentum, start.momentum, 1e-12);
        ASSERT_NEAR3(end.angular_momentum, start.angular_momentum, tolerance);
        ASSERT_NEAR(end.kinetic, start.kinetic, tolerance);
        rig_end(&r);
    }
}

/* ---- coupled bodies ---- */

/* Three bodies in free space, joined by a ball and a hinge and pulled by springs: all momenta stay
 * whatever the internal forces do, and so does the energy. */
static ib_mechanism *build_cluster(void) {
    ib_mechanism *m = ib_mechanism_create();
    const double inertia[3] = {0.1, 0.15, 0.2}, axis[3] = {0, 0.6, 0.8};
    const double w[3] = {0.3, 0.2, -0.4}, still[3] = {0.1, 0.2, -0.3};
    for (int b = 0; b < 3; b++)
        mech_body(m, (const double[3]){b, 0.1 * b, 0}, no_turn, still, w, 1 + b, inertia);
    mech_joint_at(m, IB_MECH_SPHERICAL, 0, 1, (const double[3]){0.5, 0, 0}, axis);
    mech_joint_at(m, IB_MECH_REVOLUTE, 2, 1, (const double[3]){1.5, 0, 0}, axis);
    ib_mech_force spring = {.name = "spring", .type = IB_MECH_LINE, .body1 = 0, .body2 = 2};
    spring.frame = IB_MECH_GROUND;
    spring.law = IB_NO_NODE;
    spring.stiffness = 100;
    spring.free_length = 1;
    spring.preload = 2;
    spring.point1[1] = 0.3;
    spring.point2[0] = 2;
    spring.point2[1] = 0.5;
    ib_mechanism_add_force(m, &spring);
    return m;
}

static void test_coupled_bodies(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        const ib_mech_options options = options_of(&settings[i]);
        rig r = rig_start(build_cluster(), &options);
        const ib_mech_energy start = ib_dynamics_energy(r.dynamics);
        const double energy = start.kinetic + start.potential;
        double worst = 0, turn = 0, push = 0;
        for (int k = 1; k <= 20; k++) {
            rig_to(&r, 0.1 * k);
            const ib_mech_energy now = ib_dynamics_energy(r.dynamics);
            for (int c = 0; c < 3; c++) {
                push = fmax(push, fabs(now.momentum[c] - start.momentum[c]));
                turn = fmax(turn, fabs(now.angular_momentum[c] - start.angular_momentum[c]));
            }
            worst = fmax(worst, fabs(now.kinetic + now.potential - energy));
        }
        if (getenv("IB_SHOW"))
            printf("%s: energy %.3g of %.3g, momenta %.3g %.3g\n", settings[i].name, worst, energy,
                   push, turn);
        const bool implicit = settings[i].solver == IB_MECH_GENERALIZED_ALPHA;
        const bool tight = settings[i].rtol < 1e-8;
        assert_true(push < 1e-10);
        assert_true(turn < (implicit ? 1e-3 : tight ? 1e-9 : 1e-5));
        assert_true(worst < (implicit ? 5e-3 : tight ? 1e-8 : 1e-4));
        rig_end(&r);
    }
}

/* ---- constraints ---- */

typedef ib_mechanism *(*builder)(ib_mech_options *options);

static ib_mechanism *build_fourbar(ib_mech_options *options) {
    return mech_fourbar(2, no_turn, options);
}

static ib_mechanism *build_chain(ib_mech_options *options) { return mech_chain(6, options); }

/* At every output |phi| <= 1e-9; velocities as near as the method keeps them. */
static void check_constraints(builder build, double end, double velocity_scale) {
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        ib_mech_options options = options_of(&settings[i]);
        ib_mechanism *m = build(&options);
        rig r = rig_start(m, &options);
        double by_position = 0, by_velocity = 0;
        for (double t = 0.01; t < end; t += 0.01) {
            double position, velocity;
            rig_to(&r, t);
            ib_dynamics_residual(r.dynamics, &position, &velocity);
            by_position = fmax(by_position, position);
            by_velocity = fmax(by_velocity, velocity);
        }
        if (getenv("IB_SHOW"))
            printf("%s: |phi| %.3g |phi'| %.3g\n", settings[i].name, by_position, by_velocity);
        assert_true(by_position <= 1e-9);
        assert_true(by_velocity <= 1e-9 * velocity_scale);
        rig_end(&r);
    }
}

static void test_constraints_of_fourbar(void **state) {
    (void)state;
    check_constraints(build_fourbar, 2, 1);
}

static void test_constraints_of_chain(void **state) {
    (void)state;
    check_constraints(build_chain, 1, 1);
}

static void test_constraints_of_bricard(void **state) {
    (void)state;
    check_constraints(mech_bricard, 1, 1);
}

/* The velocities that are read are those on the constraints, with any method: a ball-jointed body's
 * centre moves across its arm. */
static void test_velocities_as_read(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        ib_mech_options options = options_of(&settings[i]);
        ib_mechanism *m = mech_chain(1, &options);
        rig r = rig_start(m, &options);
        for (int k = 1; k <= 10; k++) {
            rig_to(&r, 0.05 * k);
            const double *y = rig_body(&r, 0);
            ASSERT_NEAR(ib_dot(y, y + 7), 0, 1e-12);
        }
        rig_end(&r);
    }
}

/* The N-four-bar keeps its energy through every singular pass. */
static void test_fourbar_energy(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        if (settings[i].solver == IB_MECH_DOP853)
            continue; /* many tiny steps through singular places at this tolerance */
        ib_mech_options options = options_of(&settings[i]);
        ib_mechanism *m = mech_fourbar(2, no_turn, &options);
        rig r = rig_start(m, &options);
        const double start = total(&r);
        double worst = 0;
        for (int k = 1; k <= 50; k++) {
            rig_to(&r, 0.1 * k);
            worst = fmax(worst, fabs(total(&r) - start));
        }
        if (getenv("IB_SHOW"))
            printf("%s: energy %.3g of %.3g\n", settings[i].name, worst, start);
        assert_true(worst < (settings[i].rtol < 1e-8 ? 1e-6 : 2e-3));
        rig_end(&r);
    }
}

/* ---- Bricard's mechanism ---- */

/* Sum of the joint forces on each rod, from the joints' reactions on their body 1. */
static void assert_newton(const rig *r, double tolerance) {
    for (int rod = 0; rod < 5; rod++) {
        double first[3], second[3], torque[3], wanted[3], sum[3];
        ib_dynamics_reaction(r->dynamics, rod, first, torque); /* on the rod */
        ib_dynamics_reaction(r->dynamics, rod + 1, second, torque);
        const double *a = ib_dynamics_acceleration(r->dynamics, rod);
        for (int k = 0; k < 3; k++) {
            /* the next joint's body 1 is the next rod, or the ground: the rod has the opposite */
            sum[k] = first[k] - second[k];
            wanted[k] = a[k] + (k == 1 ? 9.81 : 0);
        }
        ASSERT_NEAR3(sum, wanted, tolerance);
    }
}

static void test_bricard(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        if (settings[i].step && settings[i].solver != IB_MECH_GENERALIZED_ALPHA)
            continue;
        if (settings[i].solver == IB_MECH_DOPRI5 && settings[i].rtol < 1e-8)
            continue; /* dop853 gets there sooner */
        const bool implicit = settings[i].step > 0;
        ib_mech_options options = options_of(&settings[i]);
        ib_mechanism *m = mech_bricard(&options);
        rig r = rig_start(m, &options);
        const double start = total(&r);
        double largest = 0, worst = 0;
        for (int k = 1; k <= 100; k++) {
            rig_to(&r, 0.1 * k);
            worst = fmax(worst, fabs(total(&r) - start));
            for (int joint = 0; joint < 6; joint++) {
                double force[3], torque[3];
                ib_dynamics_reaction(r.dynamics, joint, force, torque);
                largest = fmax(largest, ib_norm(force));
            }
            assert_newton(&r, 1e-6);
        }
        if (getenv("IB_SHOW"))
            printf("%s: energy %.3g of %.3g, force %.4g\n", settings[i].name, worst, start,
                   largest);
        assert_true(largest < 1e3);
        assert_true(largest > 9.81); /* something is carried */
        assert_true(worst < (implicit ? 5e-3 : settings[i].rtol < 1e-8 ? 1e-7 : 1e-3));
        rig_end(&r);
    }
}

/* m (a - g) of a crank is what its ground joint exerts on it, less what it exerts on the coupler.
 */
static void assert_crank(const rig *r, int body, int ground_joint, int coupler_joint) {
    const double *a = ib_dynamics_acceleration(r->dynamics, body);
    double below[3], above[3], torque[3];
    ib_dynamics_reaction(r->dynamics, ground_joint, below, torque);
    ib_dynamics_reaction(r->dynamics, coupler_joint, above, torque);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(below[k] - above[k], 50 * (a[k] + (k == 1 ? 9.81 : 0)), 1e-8);
}

/* A light coupler between heavy cranks: reactions of redundant loops do not depend on how masses
 * compare. */
static void test_light_coupler(void **state) {
    (void)state;
    const double z[3] = {0, 0, 1}, spin[3] = {0, 0, -1}, rolling[3] = {1, 0, 0};
    const double across[3] = {0.5, 0, 0};
    for (double light = 1; light > 1e-6; light /= 100) {
        const double heavy[3] = {5, 5, 5}, slim[3] = {1e-6 * light, light / 12, light / 12};
        ib_mech_options options = mech_options(IB_MECH_DOP853, 0, 1e-8);
        ib_mechanism *m = ib_mechanism_create();
        mech_body(m, (const double[3]){0, 0.5, 0}, no_turn, across, spin, 50, heavy);
        mech_body(m, (const double[3]){1, 0.5, 0}, no_turn, across, spin, 50, heavy);
        mech_body(m, (const double[3]){0.5, 1, 0}, no_turn, rolling, zero3, light, slim);
        mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, (const double[3]){0, 0, 0}, z);
        mech_joint_at(m, IB_MECH_REVOLUTE, 1, IB_MECH_GROUND, (const double[3]){1, 0, 0}, z);
        mech_joint_at(m, IB_MECH_REVOLUTE, 2, 0, (const double[3]){0, 1, 0}, z);
        mech_joint_at(m, IB_MECH_REVOLUTE, 2, 1, (const double[3]){1, 1, 0}, z);
        options.gravity[1] = -9.81;
        rig r = rig_start(m, &options);
        assert_int_equal(ib_dynamics_redundant(r.dynamics), 3);
        for (int k = 1; k <= 10; k++) {
            rig_to(&r, 0.05 * k);
            assert_crank(&r, 0, 0, 2);
            assert_crank(&r, 1, 1, 3);
        }
        rig_end(&r);
    }
}

static double norm_of_reactions(const rig *r, int n_joints) {
    double sum = 0;
    for (int joint = 0; joint < n_joints; joint++) {
        double force[3], torque[3];
        ib_dynamics_reaction(r->dynamics, joint, force, torque);
        sum += ib_dot(force, force) + ib_dot(torque, torque);
    }
    return sum;
}

/* A door on two hinges: each carries half the weight; the least-norm split of the overturning
 * moment between forces at distance d and torques is known in closed form. */
static void test_least_norm(void **state) {
    (void)state;
    const double d = 1.0, width = 0.8, weight = 9.81;
    const double z[3] = {0, 0, 1};
    for (int i = 0; i < 4; i++) { /* the last two with a point mass */
        const double J = i < 2 ? 0.1 : 0, inertia[3] = {J, J, J};
        ib_mech_options options =
            i % 2 ? mech_options(IB_MECH_GENERALIZED_ALPHA, IB_SECOND / 1000, 1e-6)
                  : mech_options(IB_MECH_DOPRI5, 0, 1e-8);
        ib_mechanism *m = ib_mechanism_create();
        mech_body(m, (const double[3]){width, 0, 0}, no_turn, zero3, zero3, 1, inertia);
        mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, (const double[3]){0, 0, d / 2}, z);
        mech_joint_at(m, IB_MECH_REVOLUTE, 0, IB_MECH_GROUND, (const double[3]){0, 0, -d / 2}, z);
        options.gravity[2] = -9.81;
        rig r = rig_start(m, &options);
        rig_to(&r, 0.1);
        /* forces -/+ f along x at +/- d/2 and torques tau about y at both carry moment M about y:
         * f d + 2 tau = M with least 2 f^2 + 2 tau^2: f = M d / (d^2 + 4), tau = 2 M / (d^2 + 4) */
        const double moment = weight * width, f = moment * d / (d * d + 4),
                     tau = 2 * moment / (d * d + 4);
        double force[3], torque[3];
        for (int joint = 0; joint < 2; joint++) {
            ib_dynamics_reaction(r.dynamics, joint, force, torque);
            const double wanted[3] = {joint ? f : -f, 0, weight / 2};
            const double wanted_torque[3] = {0, -tau, 0};
            ASSERT_NEAR3(force, wanted, 1e-5);
            ASSERT_NEAR3(torque, wanted_torque, 1e-5);
        }
        ASSERT_NEAR(norm_of_reactions(&r, 2), 2 * (f * f + weight * weight / 4 + tau * tau), 1e-3);
        rig_end(&r);
    }
}

/* ---- a star ---- */

/* Forty pendulums on one free hub: so many constraints on one body take another factorisation. */
static void test_star(void **state) {
    (void)state;
    enum { SPOKES = 40 };
    const double inertia[3] = {1, 1, 2}, small[3] = {0.01, 0.01, 0.01}, z[3] = {0, 0, 1};
    static const ib_mech_solver solvers[] = {IB_MECH_DOPRI5, IB_MECH_GENERALIZED_ALPHA};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        ib_mechanism *m = ib_mechanism_create();
        mech_body(m, zero3, no_turn, zero3, (const double[3]){0.3, 0.2, 1}, 5, inertia);
        for (int k = 0; k < SPOKES; k++) {
            const double a = 2 * PI * k / SPOKES, c = cos(a), s = sin(a);
            mech_body(m, (const double[3]){1.3 * c, 1.3 * s, 0.1 * (k % 3)}, no_turn, zero3, zero3,
                      0.2, small);
            mech_joint_at(m, k % 2 ? IB_MECH_REVOLUTE : IB_MECH_SPHERICAL, 1 + k, 0,
                          (const double[3]){c, s, 0}, k % 4 == 1 ? z : (const double[3]){-s, c, 0});
        }
        const ib_mech_options options = mech_options(solvers[i], i ? IB_SECOND / 500 : 0, 1e-9);
        rig r = rig_start(m, &options);
        const ib_mech_energy start = ib_dynamics_energy(r.dynamics);
        rig_to(&r, 0.5);
        const ib_mech_energy end = ib_dynamics_energy(r.dynamics);
        ASSERT_NEAR(end.kinetic, start.kinetic, i ? 1e-3 : 1e-7);
        ASSERT_NEAR3(end.momentum, start.momentum, 1e-8);
        ASSERT_NEAR3(end.angular_momentum, start.angular_momentum, i ? 1e-4 : 1e-7);
        assert_true(fabs(rig_body(&r, 1)[0] - 1.3) > 0.01); /* they do swing */
        double position, velocity;
        ib_dynamics_residual(r.dynamics, &position, &velocity);
        assert_true(position <= 1e-9);
        assert_true(velocity <= 1e-9);
        rig_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torque_free_body),
        cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_coupled_bodies),
        cmocka_unit_test(test_constraints_of_fourbar),
        cmocka_unit_test(test_constraints_of_chain),
        cmocka_unit_test(test_constraints_of_bricard),
        cmocka_unit_test(test_velocities_as_read),
        cmocka_unit_test(test_fourbar_energy),
        cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_least_norm),
        cmocka_unit_test(test_light_coupler),
        cmocka_unit_test(test_star),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
