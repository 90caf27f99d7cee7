/* Loads of the library against their definition, written out here by hand in extended precision:
 * generalised forces, their slopes by position and velocity by complex step, guard and energy.
 */
#include "mechanics/oracle.h"

/* ---- by hand ---- */

/* A complex number's function, continued to an infinitesimal imaginary part. */
static number continued(real value, real slope, number x) {
    return value + slope * cimagl(x) * (number)I;
}

/* Rotation vector of R and J, the inverse of the left Jacobian: theta' = J w with w in the frame
 * that R turns into (T. D. Barfoot, State Estimation for Robotics, 2017, 7.1.5). */
static void rotation_vector(number R[3][3], number theta[3], number J[3][3]) {
    const number c = (R[0][0] + R[1][1] + R[2][2] - 1) / 2;
    const real a = creall(c);
    const number angle = continued(acosl(a), -1 / sqrtl(1 - a * a), c), sine = csqrtl(1 - c * c);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        theta[i] = angle / (2 * sine) * (R[k][j] - R[j][k]);
    }
    const number factor = (1 - angle * sine / (2 * (1 - c))) / (angle * angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[i][j] = factor * theta[i] * theta[j] + (i == j ? 1 - factor * angle * angle : 0);
            if (i != j)
                J[i][j] += ((i + 1) % 3 == j ? 0.5L : -0.5L) * theta[3 - i - j];
        }
}

/* The columns of body b's frame in global axes. */
static void frame_of(const bodies *b, int slot, const double *p, number axes[3][3]) {
    for (int i = 0; i < 3; i++)
        carried(b, slot, p + 3 * i, axes[i]);
}

/* x and its rate: displacement and rotation vector in the frame on body 2. */
static void strain(const bodies *b, const double *p, number x[6], number rate[6], number axes[3][3],
                   number J[3][3]) {
    number place[3], velocity[3], other[3][3], R[3][3], w[2][3], turn[3], spin[3];
    apart(b, p, place, velocity);
    frame_of(b, 0, p + 6, other);
    frame_of(b, 1, p + 15, axes);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[i][j] = inner(axes[i], other[j]);
    rotation_vector(R, x + 3, J);
    for (int s = 0; s < 2; s++)
        rotate(b->at[s], b->at[s] + 15, w[s]);
    outer(w[1], place, turn);
    for (int i = 0; i < 3; i++)
        spin[i] = w[0][i] - w[1][i];
    for (int i = 0; i < 3; i++) {
        x[i] = inner(axes[i], place);
        rate[i] = inner(axes[i], velocity) - inner(axes[i], turn);
        rate[3 + i] = 0;
        for (int j = 0; j < 3; j++)
            rate[3 + i] += J[i][j] * inner(axes[j], spin);
    }
}

/* A force on body 1 at a global point, a couple, and the opposite on body 2 at the same point. */
static void act(const bodies *b, const number *point, const number *force, const number *couple,
                number *out) {
    for (int s = 0; s < 2; s++) {
        const real sign = s ? -1 : 1;
        number arm[3], moment[3];
        for (int i = 0; i < 3; i++) {
            arm[i] = point[i] - b->at[s][i];
            out[6 * s + i] = sign * force[i];
        }
        outer(arm, force, moment);
        for (int i = 0; i < 3; i++)
            moment[i] = sign * (moment[i] + couple[i]);
        rotate_back(b->at[s], moment, out + 6 * s + 3);
    }
}

/* Force and couple at P1; the rotation vector's share of the couple by virtual work is J^T f. */
static void bushing(const bodies *b, const double *p, number *out) {
    number x[6], rate[6], axes[3][3], J[3][3], f[6], point[3], force[3], couple[3], s[3];
    strain(b, p, x, rate, axes, J);
    for (int i = 0; i < 6; i++) {
        f[i] = p[96 + i];
        for (int j = 0; j < 6; j++)
            f[i] += p[24 + 6 * i + j] * x[j] + p[60 + 6 * i + j] * rate[j];
    }
    given(p, s);
    rotate(b->at[0], s, point);
    for (int k = 0; k < 3; k++) {
        point[k] += b->at[0][k];
        force[k] = couple[k] = 0;
        for (int i = 0; i < 3; i++) {
            number twist = 0;
            for (int j = 0; j < 3; j++)
                twist += J[j][i] * f[3 + j];
            force[k] -= axes[i][k] * f[i];
            couple[k] -= axes[i][k] * twist;
        }
    }
    act(b, point, force, couple, out);
}

static void bushing_extra(const bodies *b, const double *p, real *guard, real *energy) {
    number x[6], rate[6], axes[3][3], J[3][3], other[3][3], sum = 0;
    strain(b, p, x, rate, axes, J);
    frame_of(b, 0, p + 6, other);
    for (int i = 0; i < 3; i++)
        sum += inner(axes[i], other[i]);
    *guard = (creall(sum) - 1) / 2;
    *energy = 0;
    for (int i = 0; i < 6; i++) {
        *energy += (real)p[96 + i] * creall(x[i]);
        for (int j = 0; j < 6; j++)
            *energy += (real)p[24 + 6 * i + j] * creall(x[i]) * creall(x[j]) / 2;
    }
}

/* The height field of the tests, with its derivatives. */
static void height(number x, number y, number f[6]) {
    f[0] = 0.1L * x - 0.2L * y + 0.3L * x * x + 0.2L * x * y - 0.25L * y * y + 0.15L * x * x * y;
    f[1] = 0.1L + 0.6L * x + 0.2L * y + 0.3L * x * y;
    f[2] = -0.2L + 0.2L * x - 0.5L * y + 0.15L * x * x;
    f[3] = 0.6L + 0.3L * y;
    f[4] = 0.2L + 0.3L * x;
    f[5] = -0.5L;
}

/* Where the distance of c from it is stationary, by Newton from (x, y). */
static void find_foot(const number c[3], number *x, number *y, number f[6]) {
    for (int i = 0; i < 80; i++) {
        height(*x, *y, f);
        const number below = f[0] - c[2], g = *x - c[0] + below * f[1],
                     h = *y - c[1] + below * f[2];
        const number xx = 1 + f[1] * f[1] + below * f[3], xy = f[1] * f[2] + below * f[4],
                     yy = 1 + f[2] * f[2] + below * f[5];
        const number determinant = xx * yy - xy * xy;
        *x -= (yy * g - xy * h) / determinant;
        *y -= (xx * h - xy * g) / determinant;
    }
    height(*x, *y, f);
}

/* The centre in the surface's frame, whose axes are the columns of 6-14 on body 2. */
static void centre_of(const bodies *b, const double *p, number axes[3][3], number c[3]) {
    number place[3], velocity[3];
    apart(b, p, place, velocity);
    frame_of(b, 1, p + 6, axes);
    for (int i = 0; i < 3; i++)
        c[i] = inner(axes[i], place);
}

/* k d^n and its energy, at a depth above 0. */
static number elastic(const double *p, number depth) {
    const real d = creall(depth), n = p[17];
    return continued(p[16] * powl(d, n), p[16] * n * powl(d, n - 1), depth);
}

/* Hunt and Crossley's force and friction at the deepest point of the sphere. */
static void contact(const bodies *b, const double *p, const number *normal, number depth,
                    number *out) {
    const number none[3] = {0, 0, 0};
    number s[3], point[3], slip[3], force[3], w[3], arm[3], turn[3];
    given(p, s);
    rotate(b->at[0], s, point);
    for (int i = 0; i < 3; i++) {
        point[i] += b->at[0][i] - p[15] * normal[i];
        slip[i] = b->at[0][12 + i] - b->at[1][12 + i];
    }
    for (int body = 0; body < 2; body++) {
        rotate(b->at[body], b->at[body] + 15, w);
        for (int i = 0; i < 3; i++)
            arm[i] = point[i] - b->at[body][i];
        outer(w, arm, turn);
        for (int i = 0; i < 3; i++)
            slip[i] += (body ? -1 : 1) * turn[i];
    }
    const number approach = -inner(slip, normal);
    const number N = elastic(p, depth) * (1 + p[18] * approach);
    for (int i = 0; i < 3; i++)
        slip[i] += approach * normal[i];
    const number size = csqrtl(inner(slip, slip)), x = size / p[20];
    const number share = creall(x) < 1 ? x * (15 - 10 * x * x + 3 * x * x * x * x) / 8 : 1;
    for (int i = 0; i < 3; i++)
        force[i] = N * normal[i] - p[19] * N * share * slip[i] / size;
    act(b, point, force, none, out);
}

static number plane_gap(const bodies *b, const double *p, number normal[3]) {
    number place[3], velocity[3];
    apart(b, p, place, velocity);
    carried(b, 1, p + 12, normal);
    return inner(place, normal);
}

static void contact_plane(const bodies *b, const double *p, number *out) {
    number normal[3];
    const number gap = plane_gap(b, p, normal);
    contact(b, p, normal, p[15] - gap, out);
}

static void depth_extra(const double *p, number depth, real *guard, real *energy) {
    *guard = creall(depth);
    *energy = creall(elastic(p, depth)) * *guard / (p[17] + 1);
}

static void plane_extra(const bodies *b, const double *p, real *guard, real *energy) {
    number normal[3];
    depth_extra(p, p[15] - plane_gap(b, p, normal), guard, energy);
}

static number field_gap(const bodies *b, const double *p, number normal[3]) {
    number axes[3][3], c[3], f[6], x = p[21], y = p[22];
    centre_of(b, p, axes, c);
    find_foot(c, &x, &y, f);
    const number size = csqrtl(1 + f[1] * f[1] + f[2] * f[2]);
    for (int k = 0; k < 3; k++)
        normal[k] = (axes[2][k] - f[1] * axes[0][k] - f[2] * axes[1][k]) / size;
    return (c[2] - f[0] - f[1] * (c[0] - x) - f[2] * (c[1] - y)) / size;
}

static void contact_field(const bodies *b, const double *p, number *out) {
    number normal[3];
    const number gap = field_gap(b, p, normal);
    contact(b, p, normal, p[15] - gap, out);
}

static void field_extra(const bodies *b, const double *p, real *guard, real *energy) {
    number normal[3];
    depth_extra(p, p[15] - field_gap(b, p, normal), guard, energy);
}

/* A pin in its sleeve: the slip along the axis and, at the radius, around it; friction mu N against
 * both, in their proportion. */
static void joint_friction(const bodies *b, const double *p, number *out) {
    number axis[3], s[3], point[3], spin[3], slip[3], w[2][3], force[3], couple[3];
    carried(b, 1, p + 3, axis);
    given(p, s);
    rotate(b->at[0], s, point);
    for (int body = 0; body < 2; body++)
        rotate(b->at[body], b->at[body] + 15, w[body]);
    for (int i = 0; i < 3; i++) {
        point[i] += b->at[0][i];
        spin[i] = w[0][i] - w[1][i];
        slip[i] = b->at[0][12 + i] - b->at[1][12 + i];
    }
    for (int body = 0; body < 2; body++) {
        number arm[3], turn[3];
        for (int i = 0; i < 3; i++)
            arm[i] = point[i] - b->at[body][i];
        outer(w[body], arm, turn);
        for (int i = 0; i < 3; i++)
            slip[i] += (body ? -1 : 1) * turn[i];
    }
    const number along = p[9] * inner(slip, axis), around = p[7] * inner(spin, axis);
    const number size = csqrtl(along * along + around * around), x = size / p[8];
    const number share = creall(x) < 1 ? x * (15 - 10 * x * x + 3 * x * x * x * x) / 8 : 1;
    for (int i = 0; i < 3; i++) {
        force[i] = -p[6] * p[10] * share * along / size * axis[i];
        couple[i] = -p[6] * p[10] * share * around / size * p[7] * axis[i];
    }
    act(b, point, force, couple, out);
}

static void friction_extra(const bodies *b, const double *p, real *guard, real *energy) {
    (void)b;
    (void)p;
    *guard = 1;
    *energy = 0;
}

static const element friction_element = {LOAD, 2, 12, 11, joint_friction, friction_extra};
static const element bushing_element = {LOAD, 2, 12, 102, bushing, bushing_extra};
static const element plane_element = {LOAD, 2, 12, 21, contact_plane, plane_extra};
static const element field_element = {LOAD, 2, 12, 29, contact_field, field_extra};

/* ---- tests ---- */

/* Frames of a bushing's bodies turned against each other by an angle of `size` rad. */
static void make_bushing(sample *s, uint64_t *sequence, double size) {
    double frame[9], turn[9], q[4], axis[3], on[9];
    random_quat(sequence, q);
    ib_quat_matrix(q, frame);
    fill_random(sequence, axis, 3);
    ib_unit(axis, axis);
    for (int k = 0; k < 3; k++)
        q[1 + k] = sin(size / 2) * axis[k];
    q[0] = cos(size / 2);
    ib_quat_matrix(q, turn);
    ib_mul33(frame, turn, on); /* columns: the axes of body 1's frame */
    for (int i = 0; i < 3; i++) {
        const double one[3] = {on[i], on[3 + i], on[6 + i]};
        const double two[3] = {frame[i], frame[3 + i], frame[6 + i]};
        ib_mul3tv(s->kin[0] + 3, one, s->p + 6 + 3 * i);
        ib_mul3tv(s->kin[1] + 3, two, s->p + 15 + 3 * i);
    }
    for (int i = 0; i < 6; i++) /* stiffness is symmetric, else it has no energy */
        for (int j = 0; j < i; j++)
            s->p[24 + 6 * i + j] = s->p[24 + 6 * j + i];
}

static void exact_slopes(const element *el, const sample *s, real *K, real *Kv) {
    const int n = IB_LOAD_FORCES;
    for (int j = 0; j < n; j++) {
        const motion m = unit_motion(j);
        real column[MAX_N];
        rate_along(el, &s->exact, s->p, &m, column, n);
        bodies shifted = s->exact;
        number out[MAX_N] = {0};
        shifted.at[j / 6][12 + j % 6] += tiny * (number)I;
        el->value(&shifted, s->p, out);
        for (int i = 0; i < n; i++) {
            K[n * i + j] = column[i];
            Kv[n * i + j] = cimagl(out[i]) / tiny;
        }
    }
}

static void check_load(const ib_element_code *code, const element *el, const sample *s) {
    enum { N = IB_LOAD_FORCES };
    double Q[N], K[N * N] = {0}, Kv[N * N] = {0}, guard, energy;
    real wanted[N * N], wanted_v[N * N], extra[2];
    code->value(s->kin[0], s->kin[1], s->kin[2], s->p, Q);
    exact_values(el, s, wanted, N);
    assert_same(code->name, "Q", Q, wanted, N);
    code->slopes(s->kin[0], s->kin[1], s->kin[2], s->p, K, Kv);
    exact_slopes(el, s, wanted, wanted_v);
    assert_same(code->name, "K", K, wanted, N * N);
    assert_same(code->name, "Kv", Kv, wanted_v, N * N);
    code->guard(s->kin[0], s->kin[1], s->kin[2], s->p, &guard);
    code->energy(s->kin[0], s->kin[1], s->kin[2], s->p, &energy);
    el->extra(&s->exact, s->p, &extra[0], &extra[1]);
    assert_same(code->name, "guard", &guard, &extra[0], 1);
    assert_same(code->name, "energy", &energy, &extra[1], 1);
}

/* On both sides of the end of the series (0.25 rad), and up to where a rotation vector ends. */
static void test_bushing(void **state) {
    (void)state;
    static const double angles[] = {0.03, 0.1, 0.2, 0.24, 0.26, 0.5, 1, 2, 2.9};
    uint64_t sequence = 6000;
    for (size_t k = 0; k < IB_COUNT(angles); k++)
        for (int i = 0; i < SAMPLES / 3; i++) {
            sample s = draw(&sequence);
            make_bushing(&s, &sequence, angles[k]);
            check_load(&ib_element_codes[IB_ELEMENT_bushing], &bushing_element, &s);
        }
}

/* A sphere 0.05 m deep in the surface, which goes through the bodies where it has to. */
static void make_contact(sample *s, uint64_t *sequence, bool field, double stick_speed) {
    const double numbers[6] = {0.4, 700, 1.3 + 0.4 * next_random(sequence), 0.02, 0.7, stick_speed};
    double q[4], frame[9], centre[3], place[3], back[3];
    number f[6] = {0}, x = 0.5 * next_random(sequence), y = 0.5 * next_random(sequence);
    random_quat(sequence, q);
    ib_quat_matrix(q, frame);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            s->p[6 + 3 * i + k] = frame[3 * k + i];
    memcpy(s->p + 15, numbers, sizeof numbers);
    if (field)
        height(x, y, f);
    const number size = csqrtl(1 + f[1] * f[1] + f[2] * f[2]), up = (0.4L - 0.05L) / size;
    centre[0] = (double)creall(x - up * f[1]);
    centre[1] = (double)creall(y - up * f[2]);
    centre[2] = (double)creall(f[0] + up);
    /* P2 = P1 - R2 F centre */
    ib_mul3v(s->kin[0] + 3, s->p, place);
    ib_axpy(place, 1, s->kin[0], place);
    ib_mul3v(frame, centre, back);
    ib_sub3(place, s->kin[1], place);
    ib_mul3tv(s->kin[1] + 3, place, s->p + 3);
    ib_sub3(s->p + 3, back, s->p + 3);
    /* the foot as exactly as the numbers allow */
    number axes[3][3], c[3];
    centre_of(&s->exact, s->p, axes, c);
    find_foot(c, &x, &y, f);
    s->p[21] = (double)creall(x);
    s->p[22] = (double)creall(y);
    for (int i = 0; i < 6; i++)
        s->p[23 + i] = (double)creall(f[i]);
}

/* Sticking and slipping, on a plane and on a height field. */
static void test_contacts(void **state) {
    (void)state;
    uint64_t sequence = 7000;
    for (int field = 0; field < 2; field++)
        for (int i = 0; i < 2 * SAMPLES; i++) {
            const int id = field ? IB_ELEMENT_contact_field : IB_ELEMENT_contact_plane;
            sample s = draw(&sequence);
            make_contact(&s, &sequence, field, i % 2 ? 0.1 : 20);
            check_load(&ib_element_codes[id], field ? &field_element : &plane_element, &s);
        }
}

/* What slides, what turns and what does both, sticking and slipping. */
static void test_joint_friction(void **state) {
    (void)state;
    uint64_t sequence = 9000;
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < 2 * SAMPLES; i++) {
            sample s = draw(&sequence);
            ib_unit(s.p + 3, s.p + 3);
            const double numbers[5] = {0.4, kind == 0 ? 0 : 0.3, i % 2 ? 0.05 : 20, kind != 1,
                                       0.06};
            memcpy(s.p + 6, numbers, sizeof numbers);
            check_load(&ib_element_codes[IB_ELEMENT_joint_friction], &friction_element, &s);
        }
}

/* Apart, or pulled apart so fast that the damping would pull: nothing at all. */
static void test_no_contact(void **state) {
    (void)state;
    uint64_t sequence = 8000;
    for (int apart = 0; apart < 2; apart++)
        for (int i = 0; i < SAMPLES; i++) {
            const ib_element_code *code = &ib_element_codes[IB_ELEMENT_contact_plane];
            double Q[IB_LOAD_FORCES], K[IB_LOAD_FORCES * IB_LOAD_FORCES] = {0}, Kv[144] = {0},
                                                         guard, normal[3], largest = 0;
            sample s = draw(&sequence);
            make_contact(&s, &sequence, false, 1);
            if (apart)
                s.p[15] -= 0.06; /* of the radius: the depth is then -0.01 */
            ib_mul3v(s.kin[1] + 3, s.p + 12, normal);
            for (int k = 0; !apart && k < 3; k++)
                s.kin[0][12 + k] += 100 * normal[k];
            s.p[18] = 1;
            code->value(s.kin[0], s.kin[1], s.kin[2], s.p, Q);
            code->slopes(s.kin[0], s.kin[1], s.kin[2], s.p, K, Kv);
            code->guard(s.kin[0], s.kin[1], s.kin[2], s.p, &guard);

            for (int k = 0; k < IB_LOAD_FORCES; k++)
                largest = fmax(largest, fabs(Q[k]));
            for (int k = 0; k < 144; k++)
                largest = fmax(largest, fmax(fabs(K[k]), fabs(Kv[k])));
            assert_true(largest == 0);
            assert_true((guard < 0) == apart);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bushing),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_no_contact),
        cmocka_unit_test(test_joint_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
