/* Curves against closed forms: interpolation, continuity, ends, exact derivatives, lookup. */
#include "expr_test.h"

#include "scipy_reference.h"

static const ib_curve_kind kinds[] = {IB_CURVE_AKIMA, IB_CURVE_ZCC, IB_CURVE_LINEAR, IB_CURVE_PCHIP,
                                      IB_CURVE_CUBIC};

/* An irregular, wiggly set of points. */
enum { N_POINTS = 40 };
static void wiggly(uint64_t *random, double *x, double *y) {
    x[0] = -3.0;
    for (int k = 0; k < N_POINTS; k++) {
        if (k > 0)
            x[k] = x[k - 1] + random_between(random, 0.01, 0.6);
        y[k] = random_between(random, -2.0, 2.0);
    }
}

static ib_curve *make(ib_curve_kind kind, const double *x, const double *y, size_t n) {
    ib_curve *curve = ib_curve_create(kind, x, y, n);
    assert_non_null(curve);
    return curve;
}

static void near(double have, double want, double tolerance) {
    if (!(fabs(have - want) <= tolerance))
        fail_msg("%.17g, not %.17g", have, want);
}

static void test_interpolation(void **state) {
    (void)state;
    uint64_t random = 1;
    double x[N_POINTS], y[N_POINTS];
    for (size_t kind = 0; kind < IB_COUNT(kinds); kind++) {
        wiggly(&random, x, y);
        ib_curve *curve = make(kinds[kind], x, y, N_POINTS);
        for (int k = 0; k < N_POINTS; k++)
            assert_true(ib_curve_eval(curve, 0, x[k]) == y[k]);
        ib_curve_destroy(curve);
    }
}

/* From both sides of every point: values of all kinds, slopes of all but linear, curvature of zcc
 * and inside of cubic. */
static void test_continuity(void **state) {
    (void)state;
    uint64_t random = 2;
    double x[N_POINTS], y[N_POINTS];
    for (size_t kind = 0; kind < IB_COUNT(kinds); kind++) {
        wiggly(&random, x, y);
        ib_curve *curve = make(kinds[kind], x, y, N_POINTS);
        const bool bends = kinds[kind] == IB_CURVE_ZCC || kinds[kind] == IB_CURVE_CUBIC;
        const unsigned orders = kinds[kind] == IB_CURVE_LINEAR ? 1 : bends ? 3 : 2;
        for (int k = 0; k < N_POINTS; k++)
            for (unsigned order = 0; order < orders; order++) {
                const bool end = k == 0 || k + 1 == N_POINTS;
                if (kinds[kind] == IB_CURVE_CUBIC && order == 2 && end)
                    continue; /* beyond the ends it is straight */
                const double right = ib_curve_eval(curve, order, x[k]);
                const double left = ib_curve_eval(curve, order, nextafter(x[k], -9.0));
                near(left, right, 1e-9 * fmax(1.0, fabs(right)));
            }
        ib_curve_destroy(curve);
    }
}

/* Inside a piece a curve is a cubic: four values of it give the polynomial and with it all
 * derivatives, by Newton's divided differences. */
static void test_derivatives(void **state) {
    (void)state;
    uint64_t random = 3;
    double x[N_POINTS], y[N_POINTS];
    for (size_t kind = 0; kind < IB_COUNT(kinds); kind++) {
        wiggly(&random, x, y);
        ib_curve *curve = make(kinds[kind], x, y, N_POINTS);
        for (int k = -1; k < N_POINTS; k++) {
            const double from = k < 0 ? x[0] - 2.0 : x[k];
            const double to = k < 0 ? x[0] - 1e-6 : k + 1 < N_POINTS ? x[k + 1] : x[k] + 2.0;
            const double h = (to - from) / 4.0;
            double d[4]; /* divided differences at from, from + h ... */
            for (int i = 0; i < 4; i++)
                d[i] = ib_curve_eval(curve, 0, from + h * i);
            for (int level = 1; level < 4; level++)
                for (int i = 3; i >= level; i--)
                    d[i] = (d[i] - d[i - 1]) / (h * level);
            near(ib_curve_eval(curve, 3, from), 6 * d[3], 1e-12 / (h * h * h) + 1e-9);
            near(ib_curve_eval(curve, 2, from), 2 * (d[2] - 3 * h * d[3]), 1e-12 / (h * h) + 1e-9);
            near(ib_curve_eval(curve, 1, from), d[1] - h * d[2] + 2 * h * h * d[3],
                 1e-12 / h + 1e-9);
            /* and along the piece the derivatives fit each other */
            const double c3 = ib_curve_eval(curve, 3, from), c2 = ib_curve_eval(curve, 2, from);
            near(ib_curve_eval(curve, 2, from + h), c2 + c3 * h, 1e-9 * fmax(1.0, fabs(c3)));
            near(ib_curve_eval(curve, 1, from + h),
                 ib_curve_eval(curve, 1, from) + h * (c2 + 0.5 * c3 * h),
                 1e-9 * fmax(1.0, fabs(c3)));
        }
        assert_true(ib_curve_eval(curve, 4, 0.1) == 0.0);
        ib_curve_destroy(curve);
    }
}

static void test_straight_lines(void **state) {
    (void)state;
    static const double x[] = {-1.0, 0.0, 0.25, 3.0, 4.0, 10.0};
    double y[IB_COUNT(x)];
    for (size_t k = 0; k < IB_COUNT(x); k++)
        y[k] = 2.0 - 3.0 * x[k];
    for (size_t n = 2; n <= IB_COUNT(x); n++) {
        const ib_curve_kind straight[] = {IB_CURVE_AKIMA, IB_CURVE_LINEAR, IB_CURVE_PCHIP,
                                          IB_CURVE_CUBIC};
        for (size_t kind = 0; kind < IB_COUNT(straight); kind++) {
            ib_curve *curve = make(straight[kind], x, y, n);
            for (int i = 0; i < 100; i++) {
                const double at = -20.0 + 0.4 * i;
                near(ib_curve_eval(curve, 0, at), 2.0 - 3.0 * at,
                     1e-14 * fmax(10.0, fabs(2.0 - 3.0 * at)));
                near(ib_curve_eval(curve, 1, at), -3.0, 1e-13);
                near(ib_curve_eval(curve, 2, at), 0.0, 1e-12);
            }
            ib_curve_destroy(curve);
        }
    }
}

/* Slopes by the formula of the paper, at a point with distinct chords: m = 1, 2, 4, 1 around x = 2
 * gives (|1 - 4| 2 + |2 - 1| 4) / (|1 - 4| + |2 - 1|) = 2.5. */
static void test_akima_slope(void **state) {
    (void)state;
    static const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, 3, 7, 8};
    ib_curve *curve = make(IB_CURVE_AKIMA, x, y, 5);
    near(ib_curve_eval(curve, 1, 2.0), 2.5, 1e-15);
    /* end: chords before the first are 0 and -1, so (|2 - 1| 0 + |0 + 1| 1) / 2 = 0.5 */
    near(ib_curve_eval(curve, 1, 0.0), 0.5, 1e-15);
    /* where two straight lines meet, the mean of their slopes, whatever rounding does to them */
    static const double y2[] = {0.1, 0.2, 0.3, 0.2, 0.1};
    ib_curve *corner = make(IB_CURVE_AKIMA, x, y2, 5);
    near(ib_curve_eval(corner, 1, 2.0), 0.0, 1e-15);
    ib_curve_destroy(corner);
    ib_curve_destroy(curve);
}

/* A jump between two levels is crossed without leaving them; flat stays flat. */
static void test_akima_overshoot(void **state) {
    (void)state;
    static const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {1, 1, 1, 1, 5, 5, 5};
    ib_curve *curve = make(IB_CURVE_AKIMA, x, y, 7);
    for (int i = -100; i < 700; i++) {
        const double at = 0.01 * i;
        const double value = ib_curve_eval(curve, 0, at);
        assert_true(value >= 1.0 - 1e-14 && value <= 5.0 + 1e-14);
        if (at <= 3.0)
            assert_true(value == 1.0);
    }
    ib_curve_destroy(curve);
}

/* Beyond the ends: straight on with the end slope; the parabola of zcc. */
static void test_beyond(void **state) {
    (void)state;
    uint64_t random = 4;
    double x[N_POINTS], y[N_POINTS];
    wiggly(&random, x, y);
    for (size_t kind = 0; kind < IB_COUNT(kinds); kind++) {
        ib_curve *curve = make(kinds[kind], x, y, N_POINTS);
        for (int side = 0; side < 2; side++) {
            const double end = side ? x[N_POINTS - 1] : x[0];
            const double inside = nextafter(end, side ? -9.0 : 99.0);
            const double value = side ? y[N_POINTS - 1] : y[0];
            const double slope = ib_curve_eval(curve, 1, inside);
            const double bend = kinds[kind] == IB_CURVE_ZCC ? ib_curve_eval(curve, 2, inside) : 0.0;
            if (kinds[kind] == IB_CURVE_ZCC)
                near(slope, 0.0, 1e-9);
            for (int i = 1; i < 32; i++) {
                const double step = 0.25 * (side ? i : -i);
                near(ib_curve_eval(curve, 0, end + step),
                     value + slope * step + 0.5 * bend * step * step,
                     1e-9 * (1.0 + fabs(bend)) * 100);
                near(ib_curve_eval(curve, 2, end + step), bend, 1e-9 * (1.0 + fabs(bend)));
                assert_true(ib_curve_eval(curve, 3, end + step) == 0.0);
            }
        }
        ib_curve_destroy(curve);
    }
}

/* The clamped cubic of values from a cubic with zero end slopes is that cubic: 3 x^2 - 2 x^3 on
 * [0, 1]. */
static void test_zcc_reproduces(void **state) {
    (void)state;
    static const double x[] = {0, 0.125, 0.3, 0.5, 0.8125, 1};
    double y[IB_COUNT(x)];
    for (size_t k = 0; k < IB_COUNT(x); k++)
        y[k] = x[k] * x[k] * (3 - 2 * x[k]);
    ib_curve *curve = make(IB_CURVE_ZCC, x, y, IB_COUNT(x));
    for (int i = 0; i < 64; i++) {
        const double at = i / 64.0;
        near(ib_curve_eval(curve, 0, at), at * at * (3 - 2 * at), 1e-15);
        near(ib_curve_eval(curve, 1, at), 6 * at * (1 - at), 1e-13);
        near(ib_curve_eval(curve, 2, at), 6 - 12 * at, 1e-12);
    }
    near(ib_curve_eval(curve, 0, 2.0), 1.0 - 3.0, 1e-12); /* curvature -6 beyond the end */
    near(ib_curve_eval(curve, 0, -1.0), 3.0, 1e-12);
    ib_curve_destroy(curve);
    static const double two[] = {0, 2};
    curve = make(IB_CURVE_ZCC, two, two, 2);
    near(ib_curve_eval(curve, 0, 0.5), 2 * (0.0625 * (3 - 0.5)), 1e-15);
    ib_curve_destroy(curve);
}

/* Values and derivatives of an independent program. */
static void test_against_scipy(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(scipy_curves); i++) {
        ib_curve *curve =
            make(scipy_curves[i].kind, scipy_curves[i].x, scipy_curves[i].y, scipy_curves[i].n);
        for (size_t k = 0; k < IB_COUNT(scipy_curves[i].at); k++) {
            const double at = scipy_curves[i].at[k];
            near(ib_curve_eval(curve, 0, at), scipy_curves[i].value[k], 2e-14);
            near(ib_curve_eval(curve, 1, at), scipy_curves[i].slope[k], 1e-13);
            near(ib_curve_eval(curve, 2, at), scipy_curves[i].bend[k], 1e-12);
        }
        ib_curve_destroy(curve);
    }
}

/* One cubic through the points of a cubic, however many they are. */
static void test_cubic_reproduces(void **state) {
    (void)state;
    static const double x[] = {-1, -0.5, 0.125, 0.3, 0.5, 2, 3};
    for (size_t n = 4; n <= IB_COUNT(x); n++) {
        double y[IB_COUNT(x)];
        for (size_t k = 0; k < n; k++)
            y[k] = 1 + x[k] * (2 - x[k] * (3 - 0.5 * x[k]));
        ib_curve *curve = make(IB_CURVE_CUBIC, x, y, n);
        for (int i = 0; i < 64; i++) {
            const double at = x[0] + (x[n - 1] - x[0]) * i / 64.0;
            near(ib_curve_eval(curve, 0, at), 1 + at * (2 - at * (3 - 0.5 * at)), 1e-13);
            near(ib_curve_eval(curve, 1, at), 2 - at * (6 - 1.5 * at), 1e-12);
            near(ib_curve_eval(curve, 2, at), -6 + 3 * at, 1e-11);
            near(ib_curve_eval(curve, 3, at), 3, 1e-10);
        }
        ib_curve_destroy(curve);
    }
}

/* Between any two neighbours pchip runs from one to the other and nowhere else: random data, and
 * data that rise all the way. */
static void test_pchip_is_monotone(void **state) {
    (void)state;
    uint64_t random = 5;
    double x[N_POINTS], y[N_POINTS];
    for (int set = 0; set < 20; set++) {
        wiggly(&random, x, y);
        for (int k = 1; set >= 10 && k < N_POINTS; k++)
            y[k] = y[k - 1] + (k % 5 ? random_between(&random, 0.0, 1.0) : 0.0);
        ib_curve *curve = make(IB_CURVE_PCHIP, x, y, N_POINTS);
        for (int k = 0; k + 1 < N_POINTS; k++) {
            const double rise = y[k + 1] - y[k];
            for (int i = 0; i <= 32; i++) {
                const double at = x[k] + (x[k + 1] - x[k]) * i / 33.0;
                const double slope = ib_curve_eval(curve, 1, at);
                assert_true(rise > 0.0   ? slope >= -1e-12
                            : rise < 0.0 ? slope <= 1e-12
                                         : slope == 0.0);
            }
        }
        ib_curve_destroy(curve);
    }
}

/* What is so close or so large that slopes overflow is known at once. */
static void test_finite(void **state) {
    (void)state;
    static const double x[] = {0, 1e-300, 1}, y[] = {0, 1e10, 0}, far[] = {-1.5e308, 0, 1.5e308};
    static const double fine[] = {0, 1, 2};
    for (size_t kind = 0; kind < IB_COUNT(kinds); kind++) {
        ib_curve *close = make(kinds[kind], x, y, 3), *good = make(kinds[kind], fine, y, 3);
        ib_curve *high = make(kinds[kind], fine, far, 3);
        assert_false(ib_curve_is_finite(close));
        assert_true(ib_curve_is_finite(good));
        if (kinds[kind] != IB_CURVE_LINEAR)
            assert_false(ib_curve_is_finite(high));
        ib_curve_destroy(close);
        ib_curve_destroy(good);
        ib_curve_destroy(high);
    }
}

/* The piece is the right one however unevenly the points lie. */
static void test_lookup(void **state) {
    (void)state;
    static const double x[] = {-1e300, -5.0, -1e-300, 0.0,  1e-300, 1e-9,
                               2e-9,   3e-9, 1.0,     2e10, 3e10,   1e300};
    double y[IB_COUNT(x)];
    for (size_t k = 0; k < IB_COUNT(x); k++)
        y[k] = k % 2 ? 1.0 : -1.0;
    ib_curve *curve = make(IB_CURVE_LINEAR, x, y, IB_COUNT(x));
    for (size_t k = 0; k < IB_COUNT(x); k++)
        assert_true(ib_curve_eval(curve, 0, x[k]) == y[k]);
    for (size_t k = 5; k + 1 < IB_COUNT(x); k++) {
        near(ib_curve_eval(curve, 0, x[k] + 0.5 * (x[k + 1] - x[k])), 0.0, 1e-12);
        assert_true(ib_curve_eval(curve, 1, nextafter(x[k], -HUGE_VAL)) * (k % 2 ? 1 : -1) > 0);
        assert_true(ib_curve_eval(curve, 1, x[k]) * (k % 2 ? -1 : 1) > 0);
    }
    assert_true(isnan(ib_curve_eval(curve, 0, (double)NAN)));
    ib_curve_destroy(curve);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpolation),    cmocka_unit_test(test_continuity),
        cmocka_unit_test(test_derivatives),      cmocka_unit_test(test_straight_lines),
        cmocka_unit_test(test_akima_slope),      cmocka_unit_test(test_akima_overshoot),
        cmocka_unit_test(test_beyond),           cmocka_unit_test(test_zcc_reproduces),
        cmocka_unit_test(test_lookup),           cmocka_unit_test(test_against_scipy),
        cmocka_unit_test(test_cubic_reproduces), cmocka_unit_test(test_pchip_is_monotone),
        cmocka_unit_test(test_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
