/* Rotations against power series in extended precision, against differences, and against each
 * other.
 */
#include "num_test.h"

#define ULP 0x1p-52

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* A rotation vector of the given angle in a random direction. */
static void random_vector(uint64_t *sequence, double angle, double e[3]) {
    double direction[3];
    do
        fill_random(sequence, direction, 3);
    while (ib_norm(direction) > 1 || ib_norm(direction) < 0.1);
    const double scale = angle / ib_norm(direction);
    for (int i = 0; i < 3; i++)
        e[i] = scale * direction[i];
}

static void random_quaternion(uint64_t *sequence, double q[4]) {
    do
        fill_random(sequence, q, 4);
    while (ib_norm(q) < 0.1);
    ib_quat_normalize(q);
}

/* Around the switch to series, tiny, zero, and up to beyond half a turn. */
static const double angles[] = {0,      1e-200, 1e-30,  1e-9, 1e-4, 0.01, 0.1, 0.3,    0.45,
                                0.4999, 0.5,    0.5001, 0.55, 0.7,  1,    1.5, 2,      2.5,
                                3,      3.14,   3.15,   4,    5,    6,    6.2, 6.28318};

/* sum over k of (sign e^)^k / (k + first)!, in extended precision. */
static void power_series(const double e[3], int sign, int first, double out[9]) {
    long double power[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, sum[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double skew[9];
    ib_skew(e, skew);
    for (int k = 1; k < 60; k++) {
        long double next[9] = {0};
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < 3; l++)
                next[i] += power[i / 3 * 3 + l] * (long double)skew[3 * l + i % 3];
        for (int i = 0; i < 9; i++) {
            power[i] = (long double)sign * next[i] / (long double)(k + first);
            sum[i] += power[i];
        }
    }
    for (int i = 0; i < 9; i++)
        out[i] = (double)sum[i];
}

static void test_exp_is_the_series(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (size_t k = 0; k < IB_COUNT(angles); k++)
        for (int i = 0; i < 20; i++) {
            double e[3], R[9], wanted[9];
            random_vector(&sequence, angles[k], e);
            ib_so3_exp(e, R);
            power_series(e, 1, 0, wanted);
            ASSERT_CLOSE(R, wanted, 9, 4 * ULP);
        }
}

static void test_tangent_is_the_series(void **state) {
    (void)state;
    uint64_t sequence = 1000;
    for (size_t k = 0; k < IB_COUNT(angles); k++)
        for (int i = 0; i < 20; i++) {
            double e[3], T[9], wanted[9];
            random_vector(&sequence, angles[k], e);
            ib_so3_tangent(e, T);
            power_series(e, -1, 1, wanted);
            ASSERT_CLOSE(T, wanted, 9, 4 * ULP);
        }
}

/* For small angles the first terms are the whole answer, to the last bit. */
static void test_small_angles(void **state) {
    (void)state;
    const double e[3] = {1e-9, -2e-9, 3e-9};
    double R[9], T[9], half[9];
    ib_so3_exp(e, R);
    assert_true(R[1] - e[0] * e[1] / 2 == -e[2]);
    ib_so3_tangent(e, T);
    assert_true(T[1] - e[0] * e[1] / 6 == e[2] / 2);
    ib_so3_tangent_inverse(e, half);
    assert_true(half[1] - e[0] * e[1] / 12 == -e[2] / 2);
    const double zero[3] = {0, 0, 0};
    ib_so3_exp(zero, R);
    ASSERT_CLOSE(R, identity, 9, 0);
    ib_so3_tangent(zero, R);
    ASSERT_CLOSE(R, identity, 9, 0);
    ib_so3_tangent_inverse(zero, R);
    ASSERT_CLOSE(R, identity, 9, 0);
}

/* T^-1 T = 1. Near a whole turn T is singular: the tolerance grows with |T^-1|. */
static void test_tangent_inverse(void **state) {
    (void)state;
    uint64_t sequence = 2000;
    for (size_t k = 0; k + 1 < IB_COUNT(angles); k++)
        for (int i = 0; i < 20; i++) {
            double e[3], T[9], inverse[9], product[9];
            random_vector(&sequence, angles[k], e);
            ib_so3_tangent(e, T);
            ib_so3_tangent_inverse(e, inverse);
            double size = 1;
            for (int l = 0; l < 9; l++)
                size = fmax(size, fabs(inverse[l]));
            ib_mul33(inverse, T, product);
            ASSERT_CLOSE(product, identity, 9, 6 * ULP * size * size);
            ib_mul33(T, inverse, product);
            ASSERT_CLOSE(product, identity, 9, 6 * ULP * size * size);
        }
}

/* log(exp(e^)^T exp((e + h de)^)), which is h T(e) de to first order. */
static void turned(const double e[3], const double de[3], double h, double out[3]) {
    double from[4], to[4], back[4], moved[3];
    const double start[4] = {1, 0, 0, 0};
    ib_axpy(e, h, de, moved);
    ib_quat_turn(start, e, from);
    ib_quat_turn(start, moved, to);
    for (int i = 1; i < 4; i++)
        from[i] = -from[i];
    ib_quat_mul(from, to, back);
    ib_quat_log(back, out);
}

/* The derivative of that at h = 0: central differences of four widths, extrapolated (error h^8). */
static void difference(const double e[3], const double de[3], double out[3]) {
    enum { LEVELS = 5 };
    double table[LEVELS][3];
    for (int level = 0; level < LEVELS; level++) {
        const double h = 0.1 / (1 << level);
        double ahead[3], behind[3];
        turned(e, de, h, ahead);
        turned(e, de, -h, behind);
        for (int i = 0; i < 3; i++)
            table[level][i] = (ahead[i] - behind[i]) / (2 * h);
    }
    for (int order = 1; order < LEVELS; order++)
        for (int level = LEVELS - 1; level >= order; level--)
            for (int i = 0; i < 3; i++)
                table[level][i] +=
                    (table[level][i] - table[level - 1][i]) / (double)((1 << 2 * order) - 1);
    memcpy(out, table[LEVELS - 1], sizeof table[0]);
}

static void test_tangent_is_the_derivative(void **state) {
    (void)state;
    uint64_t sequence = 3000;
    for (double angle = 0; angle < 3.2; angle += 0.1)
        for (int i = 0; i < 5; i++) {
            double e[3], de[3], T[9], wanted[3], got[3];
            random_vector(&sequence, angle, e);
            random_vector(&sequence, 1, de);
            difference(e, de, wanted);
            ib_so3_tangent(e, T);
            ib_mul3v(T, de, got);
            ASSERT_CLOSE(got, wanted, 3, 1e-12);
        }
}

/* exp((e + h de)^) = exp(e^) exp((h T(e) de)^) up to h^2: halving h quarters what is left. */
static void test_tangent_identity(void **state) {
    (void)state;
    uint64_t sequence = 4000;
    for (int i = 0; i < 200; i++) {
        double e[3], de[3], T[9], step[3], left[2];
        random_vector(&sequence, 0.1 + 2.9 * (i / 200.0), e);
        random_vector(&sequence, 1, de);
        ib_so3_tangent(e, T);
        ib_mul3v(T, de, step);
        for (int half = 0; half < 2; half++) {
            const double h = half ? 5e-5 : 1e-4;
            double moved[3], small[3], R[9], A[9], B[9], product[9];
            ib_axpy(e, h, de, moved);
            for (int l = 0; l < 3; l++)
                small[l] = h * step[l];
            ib_so3_exp(moved, R);
            ib_so3_exp(e, A);
            ib_so3_exp(small, B);
            ib_mul33(A, B, product);
            left[half] = largest_difference(R, product, 9);
        }
        assert_true(left[0] < 1e-8);
        assert_true(left[1] < left[0] / 3.9 + 4 * ULP);
    }
}

static void check_rotation(const double R[9]) {
    double square[9], transposed[9];
    for (int i = 0; i < 9; i++)
        transposed[i] = R[i % 3 * 3 + i / 3];
    ib_mul33(R, transposed, square);
    ASSERT_CLOSE(square, identity, 9, 8 * ULP);
    double cross[3];
    ib_cross(R, R + 3, cross);
    ASSERT_CLOSE(cross, R + 6, 3, 8 * ULP);
}

static void test_results_are_rotations(void **state) {
    (void)state;
    uint64_t sequence = 5000;
    for (size_t k = 0; k < IB_COUNT(angles); k++) {
        double e[3], q[4], R[9];
        random_vector(&sequence, angles[k], e);
        ib_so3_exp(e, R);
        check_rotation(R);
        random_quaternion(&sequence, q);
        ib_quat_matrix(q, R);
        check_rotation(R);
    }
}

/* A quarter turn about z takes body x to global y. */
static void test_conventions(void **state) {
    (void)state;
    const double start[4] = {1, 0, 0, 0}, e[3] = {0, 0, acos(-1.0) / 2};
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    double q[4], R[9], out[3];
    ib_quat_turn(start, e, q);
    const double wanted[4] = {sqrt(0.5), 0, 0, sqrt(0.5)};
    ASSERT_CLOSE(q, wanted, 4, ULP);
    ib_quat_rotate(q, x, out);
    ASSERT_CLOSE(out, y, 3, ULP);
    ib_quat_rotate_back(q, y, out);
    ASSERT_CLOSE(out, x, 3, ULP);
    ib_quat_matrix(q, R);
    const double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    ASSERT_CLOSE(R, quarter, 9, 2 * ULP);
    /* Hamilton: i j = k. */
    const double i[4] = {0, 1, 0, 0}, j[4] = {0, 0, 1, 0}, k[4] = {0, 0, 0, 1};
    ib_quat_mul(i, j, q);
    ASSERT_CLOSE(q, k, 4, 0);
}

static void test_quaternion_and_matrix(void **state) {
    (void)state;
    uint64_t sequence = 6000;
    for (int n = 0; n < 500; n++) {
        double q[4], p[4], R[9], v[3], a[3], b[3];
        random_quaternion(&sequence, q);
        fill_random(&sequence, v, 3);
        ib_quat_matrix(q, R);
        ib_quat_rotate(q, v, a);
        ib_mul3v(R, v, b);
        ASSERT_CLOSE(a, b, 3, 6 * ULP);
        ib_quat_rotate_back(q, v, a);
        ib_mul3tv(R, v, b);
        ASSERT_CLOSE(a, b, 3, 6 * ULP);
        ib_quat_rotate(q, a, a); /* may alias */
        ASSERT_CLOSE(a, v, 3, 8 * ULP);
        ib_quat_from_matrix(R, p);
        assert_true(p[0] >= 0);
        for (int i = 0; i < 4 && q[0] < 0; i++)
            p[i] = -p[i];
        ASSERT_CLOSE(p, q, 4, 6 * ULP);
        /* Scaled quaternions are the same attitude. */
        for (int i = 0; i < 4; i++)
            p[i] = -3.7 * q[i];
        double S[9];
        ib_quat_matrix(p, S);
        ASSERT_CLOSE(S, R, 9, 6 * ULP);
        ib_quat_rotate(p, v, a);
        ib_mul3v(R, v, b);
        ASSERT_CLOSE(a, b, 3, 8 * ULP);
    }
}

/* Half turns, where w is zero and each of the other elements in turn is largest. */
static void test_half_turns(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        double R[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1}, q[4], wanted[4] = {0, 0, 0, 0};
        R[4 * axis] = 1;
        wanted[axis + 1] = 1;
        ib_quat_from_matrix(R, q);
        ASSERT_CLOSE(q, wanted, 4, 0);
    }
}

static void test_product_composes(void **state) {
    (void)state;
    uint64_t sequence = 7000;
    for (int n = 0; n < 200; n++) {
        double a[4], b[4], ab[4], A[9], B[9], AB[9], R[9];
        random_quaternion(&sequence, a);
        random_quaternion(&sequence, b);
        ib_quat_mul(a, b, ab);
        ib_quat_matrix(a, A);
        ib_quat_matrix(b, B);
        ib_quat_matrix(ab, R);
        ib_mul33(A, B, AB);
        ASSERT_CLOSE(R, AB, 9, 10 * ULP);
        ib_quat_mul(a, b, a); /* may alias */
        ASSERT_CLOSE(a, ab, 4, 0);
    }
}

static void test_turn_is_exp(void **state) {
    (void)state;
    uint64_t sequence = 8000;
    for (size_t k = 0; k < IB_COUNT(angles); k++)
        for (int i = 0; i < 10; i++) {
            double q[4], p[4], e[3], Q[9], E[9], QE[9], R[9];
            random_quaternion(&sequence, q);
            random_vector(&sequence, angles[k], e);
            ib_quat_turn(q, e, p);
            ib_quat_matrix(q, Q);
            ib_quat_matrix(p, R);
            ib_so3_exp(e, E);
            ib_mul33(Q, E, QE);
            ASSERT_CLOSE(R, QE, 9, 10 * ULP);
        }
}

/* log is the inverse of turning, up to half a turn; relative to the angle however small. */
static void test_log_of_turn(void **state) {
    (void)state;
    uint64_t sequence = 9000;
    const double start[4] = {1, 0, 0, 0};
    for (size_t k = 0; k < IB_COUNT(angles) && angles[k] < 3.1416; k++)
        for (int i = 0; i < 20; i++) {
            double e[3], q[4], back[3];
            random_vector(&sequence, angles[k], e);
            ib_quat_turn(start, e, q);
            ib_quat_log(q, back);
            ASSERT_CLOSE(back, e, 3, 4 * ULP * angles[k]);
            for (int l = 0; l < 4; l++)
                q[l] = -q[l];
            ib_quat_log(q, back);
            ASSERT_CLOSE(back, e, 3, 4 * ULP * angles[k]);
        }
}

/* Beyond half a turn the other way round is shorter. */
static void test_log_is_shortest(void **state) {
    (void)state;
    const double start[4] = {1, 0, 0, 0}, e[3] = {4, 0, 0}, pi = acos(-1.0);
    double q[4], back[3];
    ib_quat_turn(start, e, q);
    ib_quat_log(q, back);
    const double wanted[3] = {4 - 2 * pi, 0, 0};
    ASSERT_CLOSE(back, wanted, 3, 8 * ULP);
    const double half[4] = {0, 0, 1, 0};
    ib_quat_log(half, back);
    const double half_turn[3] = {0, pi, 0};
    ASSERT_CLOSE(back, half_turn, 3, ULP);
    ib_quat_log(start, back);
    const double none[3] = {0, 0, 0};
    ASSERT_CLOSE(back, none, 3, 0);
}

/* q' = q w / 2: the difference of q turned by +-h w. */
static void test_rate(void **state) {
    (void)state;
    uint64_t sequence = 10000;
    for (int n = 0; n < 50; n++) {
        double q[4], w[3], rate[4], ahead[4], behind[4];
        random_quaternion(&sequence, q);
        random_vector(&sequence, 2, w);
        ib_quat_rate(q, w, rate);
        const double h = 1e-5, forth[3] = {h * w[0], h * w[1], h * w[2]},
                     back[3] = {-h * w[0], -h * w[1], -h * w[2]};
        ib_quat_turn(q, forth, ahead);
        ib_quat_turn(q, back, behind);
        for (int i = 0; i < 4; i++)
            ahead[i] = (ahead[i] - behind[i]) / (2 * h);
        ASSERT_CLOSE(rate, ahead, 4, 1e-10); /* h^2 |w|^3 / 48 and rounding 1e-11 */
    }
}

static void test_frame_from_z(void **state) {
    (void)state;
    uint64_t sequence = 11000;
    const double up[3] = {0, 0, 1};
    double R[9];
    ib_frame_from_z(up, R);
    ASSERT_CLOSE(R, identity, 9, 0);
    static const double axes[][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (size_t i = 0; i < IB_COUNT(axes); i++) {
        ib_frame_from_z(axes[i], R);
        check_rotation(R);
    }
    for (int i = 0; i < 200; i++) {
        double z[3];
        random_vector(&sequence, 1, z);
        ib_unit(z, z);
        ib_frame_from_z(z, R);
        check_rotation(R);
        assert_true(R[2] == z[0] && R[5] == z[1] && R[8] == z[2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_is_the_series),
        cmocka_unit_test(test_tangent_is_the_series),
        cmocka_unit_test(test_small_angles),
        cmocka_unit_test(test_tangent_inverse),
        cmocka_unit_test(test_tangent_is_the_derivative),
        cmocka_unit_test(test_tangent_identity),
        cmocka_unit_test(test_results_are_rotations),
        cmocka_unit_test(test_conventions),
        cmocka_unit_test(test_quaternion_and_matrix),
        cmocka_unit_test(test_half_turns),
        cmocka_unit_test(test_product_composes),
        cmocka_unit_test(test_turn_is_exp),
        cmocka_unit_test(test_log_of_turn),
        cmocka_unit_test(test_log_is_shortest),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_frame_from_z),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
