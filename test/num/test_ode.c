/* Ordinary differential equations: closed forms for both methods, values inside a step, stiff
 * problems, what cannot be integrated; and roots of several functions.
 */
#include "num_test.h"

typedef struct law {
    int kind;
    double p;
    uint64_t calls;
    double wall; /* no value from here on */
} law;

enum { DECAY, CIRCLE, BLOW_UP, FORCED, VAN_DER_POL, ROBERTSON };

static ib_ode_verdict rate(void *context, double t, const double *y, double *dy) {
    law *l = context;
    l->calls++;
    if (t > l->wall)
        return IB_ODE_AGAIN;
    switch (l->kind) {
    case DECAY:
        dy[0] = -l->p * y[0];
        break;
    case CIRCLE:
        dy[0] = y[1];
        dy[1] = -y[0];
        break;
    case BLOW_UP:
        dy[0] = y[0] * y[0];
        break;
    case FORCED: /* Prothero & Robinson: y = cos t, stiffness p */
        dy[0] = -l->p * (y[0] - ib_cos(t)) - ib_sin(t);
        break;
    case VAN_DER_POL:
        dy[0] = y[1];
        dy[1] = l->p * (1 - y[0] * y[0]) * y[1] - y[0];
        break;
    default:
        dy[0] = 1e4 * y[1] * y[2] - 0.04 * y[0];
        dy[2] = 3e7 * y[1] * y[1];
        dy[1] = -dy[0] - dy[2];
    }
    return IB_ODE_GOOD;
}

static ib_ode_verdict jacobian(void *context, double t, const double *y, const double *dy,
                               double *J) {
    const law *l = context;
    (void)t, (void)dy;
    switch (l->kind) {
    case DECAY:
    case FORCED:
        J[0] = -l->p;
        break;
    case CIRCLE:
        J[0] = J[3] = 0;
        J[1] = 1;
        J[2] = -1;
        break;
    case BLOW_UP:
        J[0] = 2 * y[0];
        break;
    case VAN_DER_POL:
        J[0] = 0;
        J[1] = 1;
        J[2] = -2 * l->p * y[0] * y[1] - 1;
        J[3] = l->p * (1 - y[0] * y[0]);
        break;
    default:
        J[0] = -0.04;
        J[1] = 1e4 * y[2];
        J[2] = 1e4 * y[1];
        J[6] = J[8] = 0;
        J[7] = 6e7 * y[1];
        for (int i = 0; i < 3; i++)
            J[3 + i] = -J[i] - J[6 + i];
    }
    return IB_ODE_GOOD;
}

static ib_ode *start(law *l, size_t n, ib_ode_method method, double tolerance, const double *y) {
    const double atol[3] = {tolerance, tolerance * 1e-4, tolerance};
    const ib_ode_problem problem = {l, n, rate, jacobian};
    ib_ode *ode = ib_ode_create(&problem, method);
    assert_non_null(ode);
    ib_ode_set_tolerance(ode, tolerance, atol, (double)INFINITY);
    ib_ode_start(ode, 0, y);
    return ode;
}

static void run_to(ib_ode *ode, double end) {
    while (ib_ode_time(ode) < end)
        assert_int_equal(ib_ode_step(ode, end), IB_ODE_STEPPED);
    assert_true(ib_ode_time(ode) == end);
}

static const ib_ode_method methods[] = {IB_ODE_DOPRI5, IB_ODE_RADAU5};

/* Ten times the tolerance: errors of steps add up over two time constants, or three turns. */
static void test_closed_forms(void **state) {
    (void)state;
    static const double tolerances[] = {1e-4, 1e-7, 1e-10};
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < IB_COUNT(tolerances); i++) {
            law decay = {DECAY, 1, 0, (double)INFINITY}, circle = {CIRCLE, 0, 0, (double)INFINITY};
            ib_ode *ode = start(&decay, 1, methods[m], tolerances[i], (double[]){1});
            run_to(ode, 2);
            const double exact = ib_exp(-2.0);
            ASSERT_CLOSE(ib_ode_state(ode), &exact, 1, 10 * tolerances[i]);
            ib_ode_destroy(ode);
            ode = start(&circle, 2, methods[m], tolerances[i], (double[]){0, 1});
            run_to(ode, 20);
            const double ends[2] = {ib_sin(20.0), ib_cos(20.0)};
            ASSERT_CLOSE(ib_ode_state(ode), ends, 2, 100 * tolerances[i]);
            assert_true(ib_ode_counts(ode).steps < 5000);
            ib_ode_destroy(ode);
        }
}

/* Inside a step values are of order 4 and 3 in a step whose error is that of the tolerance. */
static void test_between(void **state) {
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        law circle = {CIRCLE, 0, 0, (double)INFINITY};
        ib_ode *ode = start(&circle, 2, methods[m], 1e-8, (double[]){0, 1});
        while (ib_ode_time(ode) < 5) {
            assert_int_equal(ib_ode_step(ode, 5), IB_ODE_STEPPED);
            for (int k = 0; k <= 8; k++) {
                const double span = ib_ode_time(ode) - ib_ode_before(ode);
                const double t = k == 8 ? ib_ode_time(ode) : ib_ode_before(ode) + span * k / 8;
                double y[2];
                const double exact[2] = {ib_sin(t), ib_cos(t)};
                ib_ode_between(ode, t, y);
                ASSERT_CLOSE(y, exact, 2, 2e-6);
            }
        }
        ib_ode_destroy(ode);
    }
}

/* A thousand times stiffer than the motion: few steps, and the motion is met. */
static void test_stiff(void **state) {
    (void)state;
    law forced = {FORCED, 1e6, 0, (double)INFINITY};
    ib_ode *ode = start(&forced, 1, IB_ODE_RADAU5, 1e-7, (double[]){1});
    run_to(ode, 10);
    const double exact = ib_cos(10.0);
    ASSERT_CLOSE(ib_ode_state(ode), &exact, 1, 1e-6);
    assert_true(ib_ode_counts(ode).steps < 400);
    ib_ode_destroy(ode);
    /* Van der Pol's relaxation: two methods that share nothing agree. */
    law relaxation = {VAN_DER_POL, 100, 0, (double)INFINITY};
    double ends[2][2];
    for (size_t m = 0; m < 2; m++) {
        ode = start(&relaxation, 2, methods[m], 1e-10, (double[]){2, 0});
        run_to(ode, 30);
        memcpy(ends[m], ib_ode_state(ode), sizeof ends[m]);
        ib_ode_destroy(ode);
    }
    ASSERT_CLOSE(ends[0], ends[1], 2, 1e-8);
}

/* To t = 40. The reference is a Taylor series' of order 24 with 32 digits, steps of 1/1500 s. */
static void test_robertson(void **state) {
    (void)state;
    static const double exact[3] = {0.715827068719405088, 9.18553476455776e-06,
                                    0.284163745745830355};
    law l = {ROBERTSON, 0, 0, (double)INFINITY};
    ib_ode *ode = start(&l, 3, IB_ODE_RADAU5, 1e-8, (double[]){1, 0, 0});
    run_to(ode, 40);
    for (int i = 0; i < 3; i++)
        ASSERT_CLOSE(ib_ode_state(ode) + i, exact + i, 1, 1e-7 * exact[i]);
    assert_true(ib_ode_counts(ode).steps < 1000);
    assert_true(ib_ode_counts(ode).jacobians < ib_ode_counts(ode).steps);
    ib_ode_destroy(ode);
}

/* A solution that ends, a wall that no step gets past, and going on behind it after a restart. */
static void test_stuck(void **state) {
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        law blow_up = {BLOW_UP, 0, 0, (double)INFINITY};
        ib_ode *ode = start(&blow_up, 1, methods[m], 1e-6, (double[]){1});
        ib_ode_end end = IB_ODE_STEPPED;
        while (end == IB_ODE_STEPPED && ib_ode_time(ode) < 2)
            end = ib_ode_step(ode, 2);
        assert_int_equal(end, IB_ODE_STUCK);
        assert_true(fabs(ib_ode_time(ode) - 1) < 1e-5);
        assert_true(blow_up.calls < 100000);
        ib_ode_destroy(ode);
        law wall = {DECAY, 1, 0, 0.75};
        ode = start(&wall, 1, methods[m], 1e-6, (double[]){1});
        while ((end = ib_ode_step(ode, 2)) == IB_ODE_STEPPED)
            ;
        assert_int_equal(end, IB_ODE_STUCK);
        assert_true(fabs(ib_ode_time(ode) - 0.75) < 1e-12);
        wall.wall = (double)INFINITY;
        ib_ode_start(ode, ib_ode_time(ode), ib_ode_state(ode));
        run_to(ode, 2);
        const double exact = ib_exp(-2.0);
        ASSERT_CLOSE(ib_ode_state(ode), &exact, 1, 1e-5);
        ib_ode_destroy(ode);
    }
}

/* No states: steps lead to the limit, none longer than allowed. */
static void test_nothing(void **state) {
    (void)state;
    law l = {DECAY, 0, 0, (double)INFINITY};
    const ib_ode_problem problem = {&l, 0, rate, jacobian};
    for (size_t m = 0; m < 2; m++) {
        ib_ode *ode = ib_ode_create(&problem, methods[m]);
        ib_ode_set_tolerance(ode, 1e-6, NULL, 0.25);
        ib_ode_start(ode, 0, NULL);
        run_to(ode, 1);
        assert_true(ib_ode_counts(ode).steps <= 5);
        ib_ode_destroy(ode);
    }
}

/* ---- roots --------------------------------------------------------------------------------- */

static ib_ode_verdict waves(void *context, double t, double *g) {
    ++*(int *)context;
    g[0] = ib_cos(t);
    g[1] = t - 1.5;
    g[2] = t < 1.4 ? -1e-3 : 1e6; /* a jump */
    g[3] = (t - 1.45) * (t - 1.45) * (t - 1.45);
    return IB_ODE_GOOD;
}

/* The first of the changes, located to the tolerance from outside: signs are those behind it. */
static void test_roots(void **state) {
    (void)state;
    static const double exact[] = {1.4, 1.4, 1.45, 1.5};
    for (size_t n = 1; n <= 4; n++) {
        double low[4], high[4], middle[4], a = 0, b = 3;
        int calls = 0;
        ib_roots roots = {&calls, n, waves, low, high, middle};
        waves(&calls, a, low);
        waves(&calls, b, high);
        assert_true(ib_roots_changed(&roots));
        assert_int_equal(ib_roots_locate(&roots, &a, &b, 1e-13), IB_ODE_GOOD);
        const double first = n == 1 ? 1.5707963267948966 : n == 2 ? exact[3] : exact[0];
        assert_true(b >= first && a < first + 1e-15 && b - a <= 1e-13);
        assert_int_equal(ib_roots_which(&roots), n == 1 ? 0 : n == 2 ? 1 : 2);
        assert_true(calls < 200);
    }
    /* Nothing changes: nothing is found. */
    double low[4], high[4], middle[4];
    int calls = 0;
    ib_roots roots = {&calls, 4, waves, low, high, middle};
    waves(&calls, 0.1, low);
    waves(&calls, 0.2, high);
    assert_false(ib_roots_changed(&roots));
    assert_int_equal(ib_roots_which(&roots), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_between),
        cmocka_unit_test(test_stiff),        cmocka_unit_test(test_robertson),
        cmocka_unit_test(test_stuck),        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
