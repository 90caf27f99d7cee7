/* Every library element against its definition, written out here by hand in extended precision:
 * values, Jacobians by complex step, and second derivatives by sixth-order differences of complex
 * steps. What the code generator derives must agree to 1e-12 of the largest entry.
 */
#include "mechanics/oracle.h"

/* ---- the elements by hand ---- */

static number cosine_between(const bodies *b, const double *p, int on_1, int on_2) {
    number u[3], a[3];
    carried(b, 0, p + on_1, u);
    carried(b, 1, p + on_2, a);
    return inner(u, a);
}

static number along(const bodies *b, int slot, const double *p, int axis) {
    number place[3], velocity[3], a[3];
    apart(b, p, place, velocity);
    carried(b, slot, p + axis, a);
    return inner(place, a);
}

static void spherical(const bodies *b, const double *p, number *out) {
    number velocity[3];
    apart(b, p, out, velocity);
}

static void revolute(const bodies *b, const double *p, number *out) {
    spherical(b, p, out);
    out[3] = cosine_between(b, p, 6, 12);
    out[4] = cosine_between(b, p, 9, 12);
}

static void universal(const bodies *b, const double *p, number *out) {
    spherical(b, p, out);
    out[3] = cosine_between(b, p, 6, 9);
}

static void aligned(const bodies *b, const double *p, number *out) {
    out[0] = cosine_between(b, p, 9, 21);  /* y1 across z2 */
    out[1] = cosine_between(b, p, 12, 15); /* z1 across x2 */
    out[2] = cosine_between(b, p, 6, 18);  /* x1 across y2 */
}

static void fixed(const bodies *b, const double *p, number *out) {
    spherical(b, p, out);
    aligned(b, p, out + 3);
}

static void cylindrical(const bodies *b, const double *p, number *out) {
    out[0] = along(b, 1, p, 9);
    out[1] = along(b, 1, p, 12);
    out[2] = cosine_between(b, p, 6, 9);
    out[3] = cosine_between(b, p, 6, 12);
}

static void prismatic(const bodies *b, const double *p, number *out) {
    out[0] = along(b, 1, p, 15);
    out[1] = along(b, 1, p, 18);
    aligned(b, p, out + 2);
}

static void planar(const bodies *b, const double *p, number *out) {
    out[0] = along(b, 1, p, 15);
    out[1] = cosine_between(b, p, 6, 9);
    out[2] = cosine_between(b, p, 6, 12);
}

static void point_on_line(const bodies *b, const double *p, number *out) {
    out[0] = along(b, 1, p, 6);
    out[1] = along(b, 1, p, 9);
}

static void parallel(const bodies *b, const double *p, number *out) {
    out[0] = cosine_between(b, p, 6, 9);
    out[1] = cosine_between(b, p, 6, 12);
}

static void constant_velocity(const bodies *b, const double *p, number *out) {
    spherical(b, p, out);
    out[3] = cosine_between(b, p, 6, 15) - cosine_between(b, p, 9, 12);
}

static void axial(const bodies *b, const double *p, number *out) { out[0] = along(b, 1, p, 6); }

static void perpendicular(const bodies *b, const double *p, number *out) {
    out[0] = cosine_between(b, p, 6, 9);
}

static void distance(const bodies *b, const double *p, number *out) {
    number place[3], velocity[3];
    apart(b, p, place, velocity);
    out[0] = csqrtl(inner(place, place));
}

static void rod(const bodies *b, const double *p, number *out) {
    distance(b, p, out);
    out[0] -= p[6];
}

static void distance_rate(const bodies *b, const double *p, number *out) {
    number place[3], velocity[3];
    apart(b, p, place, velocity);
    out[0] = inner(place, velocity) / csqrtl(inner(place, place));
}

static void displacement(const bodies *b, const double *p, number *out) {
    out[0] = along(b, 2, p, 6);
}

static void velocity_component(const bodies *b, const double *p, number *out) {
    number place[3], velocity[3], a[3];
    apart(b, p, place, velocity);
    carried(b, 2, p + 6, a);
    out[0] = inner(velocity, a);
}

/* x = a.b and y = a.c with their rates. */
static void angle_parts(const bodies *b, const double *p, number value[2], number rate[2]) {
    number a[3], wa[3], spin[3];
    given(p, a);
    outer(b->at[0] + 15, a, wa);
    rotate(b->at[0], wa, spin);
    rotate(b->at[0], a, a);
    for (int i = 0; i < 2; i++) {
        number c[3], wc[3], turn[3];
        given(p + 3 + 3 * i, c);
        outer(b->at[1] + 15, c, wc);
        rotate(b->at[1], wc, turn);
        rotate(b->at[1], c, c);
        value[i] = inner(a, c);
        rate[i] = inner(spin, c) + inner(a, turn);
    }
}

/* atan2 continued to arguments with an infinitesimal imaginary part. */
static void angle(const bodies *b, const double *p, number *out) {
    number v[2], rate[2];
    angle_parts(b, p, v, rate);
    const real x = creall(v[0]), y = creall(v[1]);
    out[0] = atan2l(y, x) + (x * cimagl(v[1]) - y * cimagl(v[0])) / (x * x + y * y) * (number)I;
}

static void angular_rate_legacy(const bodies *b, const double *p, number *out) {
    number v[2], rate[2];
    angle_parts(b, p, v, rate);
    out[0] = v[0] * rate[1] - v[1] * rate[0];
}

static void angular_rate(const bodies *b, const double *p, number *out) {
    number v[2], rate[2];
    angle_parts(b, p, v, rate);
    out[0] = (v[0] * rate[1] - v[1] * rate[0]) / (v[0] * v[0] + v[1] * v[1]);
}

static void direction(const bodies *b, const double *p, number *out) {
    number vector[3], a[3];
    given(p, vector);
    carried(b, 0, p + 3, a);
    out[0] = inner(vector, a);
}

static void angular_velocity(const bodies *b, const double *p, number *out) {
    number w1[3], w2[3], a[3];
    rotate(b->at[0], b->at[0] + 15, w1);
    rotate(b->at[1], b->at[1] + 15, w2);
    carried(b, 2, p, a);
    out[0] = inner(w1, a) - inner(w2, a);
}

/* Generalised forces: on body 1 at its point, and the reaction on body 2 at the same place. */
static void axis_force(const bodies *b, const double *p, number *out) {
    number s[3], force[3], arm1[3], arm2[3], torque[3];
    carried(b, 2, p + 3, force);
    given(p, s);
    rotate(b->at[0], s, arm1);
    for (int i = 0; i < 3; i++) {
        arm2[i] = b->at[0][i] + arm1[i] - b->at[1][i];
        out[i] = force[i];
        out[6 + i] = -force[i];
    }
    rotate_back(b->at[0], force, torque);
    outer(s, torque, out + 3);
    outer(force, arm2, torque);
    rotate_back(b->at[1], torque, out + 9);
}

static void axis_torque(const bodies *b, const double *p, number *out) {
    number torque[3], back[3];
    carried(b, 2, p, torque);
    rotate_back(b->at[0], torque, out + 3);
    rotate_back(b->at[1], torque, back);
    for (int i = 0; i < 3; i++)
        out[9 + i] = -back[i];
}

static const element elements[IB_ELEMENT_COUNT] = {
    [IB_ELEMENT_spherical] = {POSITION, 2, 3, 6, spherical},
    [IB_ELEMENT_revolute] = {POSITION, 2, 5, 15, revolute},
    [IB_ELEMENT_universal] = {POSITION, 2, 4, 12, universal},
    [IB_ELEMENT_fixed] = {POSITION, 2, 6, 24, fixed},
    [IB_ELEMENT_cylindrical] = {POSITION, 2, 4, 15, cylindrical},
    [IB_ELEMENT_prismatic] = {POSITION, 2, 5, 24, prismatic},
    [IB_ELEMENT_planar] = {POSITION, 2, 3, 18, planar},
    [IB_ELEMENT_point_on_line] = {POSITION, 2, 2, 12, point_on_line},
    [IB_ELEMENT_parallel] = {POSITION, 2, 2, 15, parallel},
    [IB_ELEMENT_constant_velocity] = {POSITION, 2, 4, 18, constant_velocity},
    [IB_ELEMENT_rod] = {POSITION, 2, 1, 7, rod},
    [IB_ELEMENT_axial] = {POSITION, 2, 1, 9, axial},
    [IB_ELEMENT_perpendicular] = {POSITION, 2, 1, 12, perpendicular},
    [IB_ELEMENT_distance] = {POSITION, 2, 1, 6, distance},
    [IB_ELEMENT_displacement] = {POSITION, 3, 1, 9, displacement},
    [IB_ELEMENT_angle] = {POSITION, 2, 1, 9, angle},
    [IB_ELEMENT_direction] = {POSITION, 1, 1, 6, direction},
    [IB_ELEMENT_distance_rate] = {RATE, 2, 1, 6, distance_rate},
    [IB_ELEMENT_velocity] = {RATE, 3, 1, 9, velocity_component},
    [IB_ELEMENT_angular_rate] = {RATE, 2, 1, 9, angular_rate},
    [IB_ELEMENT_angular_rate_legacy] = {RATE, 2, 1, 9, angular_rate_legacy},
    [IB_ELEMENT_angular_velocity] = {RATE, 3, 1, 3, angular_velocity},
    [IB_ELEMENT_axis_force] = {FORCE, 3, 1, 6, axis_force},
    [IB_ELEMENT_axis_torque] = {FORCE, 3, 1, 3, axis_torque},
    /* what these do is in test_load_elements.c */
    [IB_ELEMENT_bushing] = {LOAD, 2, 12, 102},
    [IB_ELEMENT_contact_plane] = {LOAD, 2, 12, 21},
    [IB_ELEMENT_contact_field] = {LOAD, 2, 12, 29},
    [IB_ELEMENT_joint_friction] = {LOAD, 2, 12, 11},
};

/* ---- derivatives by complex step ---- */

/* The bodies after moving for a time s at constant v and w: R exp(s w^) by Rodrigues. */
static bodies moved(const bodies *b, const motion *m, real s) {
    bodies out = *b;
    for (int body = 0; body < IB_SLOTS; body++) {
        const real *w = m->w[body];
        const real size = sqrtl(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        const real x = size * s;
        const real sine = size > 0 ? sinl(x) / size : 0;
        const real cosine = size > 0 ? (1 - cosl(x)) / (size * size) : 0;
        const number axis[3] = {w[0], w[1], w[2]};
        for (int k = 0; k < 3; k++)
            out.at[body][k] += s * m->v[body][k];
        for (int i = 0; i < 3; i++) { /* row i of R w^ is row_i x w */
            number once[3], twice[3];
            outer(b->at[body] + 3 + 3 * i, axis, once);
            outer(once, axis, twice);
            for (int k = 0; k < 3; k++)
                out.at[body][3 + 3 * i + k] += sine * once[k] + cosine * twice[k];
        }
    }
    return out;
}

/* Sixth-order derivative at s = 0 of the rate along `inner_motion`, moved along `outer_motion`. */
static void second_along(const element *el, const bodies *b, const double *p,
                         const motion *inner_motion, const motion *outer_motion, real *out, int n) {
    static const real weight[3] = {1.0L / 45, -20.0L / 45, 64.0L / 45};
    real h = 2e-3L;
    for (int i = 0; i < n; i++)
        out[i] = 0;
    for (int level = 0; level < 3; level++, h /= 2) {
        real ahead[MAX_N], back[MAX_N];
        const bodies plus = moved(b, outer_motion, h), minus = moved(b, outer_motion, -h);
        rate_along(el, &plus, p, inner_motion, ahead, n);
        rate_along(el, &minus, p, inner_motion, back, n);
        for (int i = 0; i < n; i++)
            out[i] += weight[level] * (ahead[i] - back[i]) / (2 * h);
    }
}

/* ---- samples ---- */

/* A sample at which an angle is well away from where it has no value. */
static sample draw_for(const element *el, uint64_t *sequence) {
    sample s;
    number v[2], rate[2];
    real size;
    do {
        s = draw(sequence);
        angle_parts(&s.exact, s.p, v, rate);
        size = creall(v[0] * v[0] + v[1] * v[1]);
    } while (el->n_parameters == 9 && size < 0.2L);
    return s;
}

/* The layout of element.h: slot by slot T (rows x 3), then H (rows x 3). */
static int place_of(int n_rows, int row, int column) {
    const int k = column % 6;
    return column / 6 * 6 * n_rows + (k < 3 ? 0 : 3 * n_rows) + 3 * row + k % 3;
}

static void exact_jacobian(const element *el, const sample *s, real *J) {
    for (int column = 0; column < 6 * el->n_bodies; column++) {
        const motion m = unit_motion(column);
        real rates[IB_MAX_ROWS];
        rate_along(el, &s->exact, s->p, &m, rates, el->n_rows);
        for (int i = 0; i < el->n_rows; i++)
            J[place_of(el->n_rows, i, column)] = rates[i];
    }
}

/* ---- tests ---- */

/* The table of the code says of each element what this file's does. */
static void test_table(void **state) {
    (void)state;
    for (int id = 0; id < IB_ELEMENT_COUNT; id++) {
        const ib_element_code *code = &ib_element_codes[id];
        const element *el = &elements[id];
        assert_int_equal(el->value != NULL, el->kind != LOAD);
        assert_int_equal(code->n_bodies, el->n_bodies);
        assert_int_equal(code->n_rows, el->n_rows);
        assert_int_equal(code->n_parameters, el->n_parameters);
        assert_int_equal(code->constants != NULL, el->kind == POSITION);
        assert_int_equal(code->gamma != NULL, el->kind == POSITION);
        assert_int_equal(code->rate != NULL, el->kind == RATE);
        assert_int_equal(code->value != NULL, el->kind != FORCE);
        assert_int_equal(code->gradient != NULL, el->kind == POSITION || el->kind == FORCE);
        assert_int_equal(code->stiffness != NULL, el->kind == POSITION || el->kind == FORCE);
        assert_int_equal(code->slopes != NULL, el->kind == LOAD);
        assert_int_equal(code->guard != NULL, el->kind == LOAD);
        assert_int_equal(code->energy != NULL, el->kind == LOAD);
    }
}

static void check_position(const ib_element_code *code, const element *el, const sample *s) {
    const int n = el->n_rows, n_j = 6 * el->n_bodies * n;
    double J[MAX_N * IB_MAX_ROWS] = {0}, phi[IB_MAX_ROWS], phi2[IB_MAX_ROWS], gamma[IB_MAX_ROWS];
    real wanted[MAX_N * IB_MAX_ROWS] = {0};
    code->value(s->kin[0], s->kin[1], s->kin[2], s->p, phi);
    exact_values(el, s, wanted, n);
    assert_same(code->name, "phi", phi, wanted, n);

    code->constants(NULL, NULL, NULL, s->p, J);
    code->gradient(s->kin[0], s->kin[1], s->kin[2], s->p, phi2, J);
    exact_jacobian(el, s, wanted);
    assert_same(code->name, "J", J, wanted, n_j);

    code->gamma(s->kin[0], s->kin[1], s->kin[2], s->p, gamma);
    motion m;
    for (int b = 0; b < IB_SLOTS; b++)
        for (int k = 0; k < 3; k++) {
            m.v[b][k] = (real)s->kin[b][12 + k];
            m.w[b][k] = (real)s->kin[b][15 + k];
        }
    second_along(el, &s->exact, s->p, &m, &m, wanted, n);
    assert_same(code->name, "gamma", gamma, wanted, n);
    assert_memory_equal(phi, phi2, sizeof(double) * (size_t)n);
}

static void test_values_and_jacobians(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (int id = 0; id < IB_ELEMENT_COUNT; id++)
        for (int i = 0; i < SAMPLES && elements[id].kind == POSITION; i++) {
            const sample s = draw_for(&elements[id], &sequence);
            check_position(&ib_element_codes[id], &elements[id], &s);
        }
}

/* The first three rows of a coincident element are P1 - P2, and the others do not see positions. */
static void test_coincident(void **state) {
    (void)state;
    uint64_t sequence = 1000;
    for (int id = 0; id < IB_ELEMENT_COUNT; id++) {
        const ib_element_code *code = &ib_element_codes[id];
        if (elements[id].kind != POSITION)
            continue;
        const sample s = draw_for(&elements[id], &sequence);
        double J[MAX_N * IB_MAX_ROWS] = {0}, phi[IB_MAX_ROWS];
        bool like = code->n_bodies == 2 && code->n_rows >= 3;
        code->constants(NULL, NULL, NULL, s.p, J);
        code->gradient(s.kin[0], s.kin[1], s.kin[2], s.p, phi, J);
        for (int i = 0; like && i < code->n_rows; i++)
            for (int k = 0; k < 3; k++) {
                const double wanted = i == k ? 1 : 0;
                like = like && J[place_of(code->n_rows, i, k)] == wanted &&
                       J[place_of(code->n_rows, i, 6 + k)] == -wanted;
            }
        assert_int_equal(like, code->coincident);
    }
}

static void check_stiffness(const ib_element_code *code, const element *el, const sample *s) {
    const int n = 6 * el->n_bodies;
    double K[IB_STIFFNESS] = {0};
    real wanted[IB_STIFFNESS] = {0};
    code->stiffness(s->kin[0], s->kin[1], s->kin[2], s->p, s->lambda, K);
    for (int j = 0; j < n; j++) {
        const motion along_j = unit_motion(j);
        if (el->kind == FORCE) {
            real column[MAX_N];
            rate_along(el, &s->exact, s->p, &along_j, column, n);
            for (int i = 0; i < n; i++)
                wanted[n * i + j] = (real)s->lambda[0] * column[i];
            continue;
        }
        for (int i = 0; i < n; i++) {
            const motion along_i = unit_motion(i);
            real second[IB_MAX_ROWS];
            second_along(el, &s->exact, s->p, &along_i, &along_j, second, el->n_rows);
            for (int row = 0; row < el->n_rows; row++)
                wanted[n * i + j] += (real)s->lambda[row] * second[row];
        }
    }
    assert_same(code->name, "K", K, wanted, n * n);
}

static void test_stiffness(void **state) {
    (void)state;
    uint64_t sequence = 2000;
    for (int id = 0; id < IB_ELEMENT_COUNT; id++)
        for (int i = 0; i < SAMPLES / 3 && ib_element_codes[id].stiffness; i++) {
            const sample s = draw_for(&elements[id], &sequence);
            check_stiffness(&ib_element_codes[id], &elements[id], &s);
        }
}

/* The direction of a force, and the 1 that stands for its value. */
static void test_directions(void **state) {
    (void)state;
    uint64_t sequence = 3000;
    for (int id = 0; id < IB_ELEMENT_COUNT; id++)
        for (int i = 0; i < SAMPLES && elements[id].kind == FORCE; i++) {
            const sample s = draw_for(&elements[id], &sequence);
            double J[MAX_N] = {0}, one = 0;
            real wanted[MAX_N];
            ib_element_codes[id].gradient(s.kin[0], s.kin[1], s.kin[2], s.p, &one, J);
            exact_values(&elements[id], &s, wanted, MAX_N);
            assert_same(ib_element_codes[id].name, "direction", J, wanted, MAX_N);
            assert_true(one == 1);
        }
}

static void check_rate(const ib_element_code *code, const element *el, const sample *s) {
    const int n = 6 * el->n_bodies;
    double value, value2, J[MAX_N] = {0}, Jv[MAX_N] = {0};
    real wanted[MAX_N] = {0};
    code->value(s->kin[0], s->kin[1], s->kin[2], s->p, &value);
    exact_values(el, s, wanted, 1);
    assert_same(code->name, "value", &value, wanted, 1);
    code->rate(s->kin[0], s->kin[1], s->kin[2], s->p, &value2, J, Jv);
    assert_memory_equal(&value, &value2, sizeof value);
    exact_jacobian(el, s, wanted);
    assert_same(code->name, "J", J, wanted, n);
    for (int column = 0; column < n; column++) {
        bodies shifted = s->exact;
        number out;
        shifted.at[column / 6][12 + column % 6] += tiny * (number)I;
        el->value(&shifted, s->p, &out);
        wanted[place_of(1, 0, column)] = cimagl(out) / tiny;
    }
    assert_same(code->name, "Jv", Jv, wanted, n);
}

static void test_rates(void **state) {
    (void)state;
    uint64_t sequence = 4000;
    for (int id = 0; id < IB_ELEMENT_COUNT; id++)
        for (int i = 0; i < SAMPLES && elements[id].kind == RATE; i++) {
            const sample s = draw_for(&elements[id], &sequence);
            check_rate(&ib_element_codes[id], &elements[id], &s);
        }
}

/* Each rate is the time derivative of the measure it is named for; `velocity` where the frame does
 * not turn. */
static void test_rates_of_measures(void **state) {
    (void)state;
    static const struct {
        ib_element_id measure, rate;
    } pairs[] = {{IB_ELEMENT_distance, IB_ELEMENT_distance_rate},
                 {IB_ELEMENT_angle, IB_ELEMENT_angular_rate},
                 {IB_ELEMENT_displacement, IB_ELEMENT_velocity}};
    uint64_t sequence = 5000;
    for (size_t pair = 0; pair < IB_COUNT(pairs); pair++)
        for (int i = 0; i < SAMPLES; i++) {
            const sample s = draw_for(&elements[pairs[pair].measure], &sequence);
            motion m = {{{0}}, {{0}}};
            for (int b = 0; b < 2; b++) /* the third body stands still */
                for (int k = 0; k < 3; k++) {
                    m.v[b][k] = (real)s.kin[b][12 + k];
                    m.w[b][k] = (real)s.kin[b][15 + k];
                }
            real wanted;
            double value;
            rate_along(&elements[pairs[pair].measure], &s.exact, s.p, &m, &wanted, 1);
            ib_element_codes[pairs[pair].rate].value(s.kin[0], s.kin[1], s.kin[2], s.p, &value);
            assert_same(ib_element_codes[pairs[pair].rate].name, "d/dt", &value, &wanted, 1);
        }
}

/* Only the rows that hold points see positions. */
static void test_points(void **state) {
    (void)state;
    uint64_t sequence = 6000;
    for (int id = 0; id < IB_ELEMENT_COUNT; id++) {
        const ib_element_code *code = &ib_element_codes[id];
        if (elements[id].kind != POSITION)
            continue;
        const sample s = draw_for(&elements[id], &sequence);
        double J[MAX_N * IB_MAX_ROWS] = {0}, phi[IB_MAX_ROWS];
        code->constants(NULL, NULL, NULL, s.p, J);
        code->gradient(s.kin[0], s.kin[1], s.kin[2], s.p, phi, J);
        for (int i = 0; i < code->n_rows; i++) {
            bool sees = false;
            for (int k = 0; k < 3; k++)
                sees = sees || J[place_of(code->n_rows, i, k)] != 0;
            assert_int_equal(sees, i < code->n_points);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),      cmocka_unit_test(test_values_and_jacobians),
        cmocka_unit_test(test_coincident), cmocka_unit_test(test_points),
        cmocka_unit_test(test_stiffness),  cmocka_unit_test(test_directions),
        cmocka_unit_test(test_rates),      cmocka_unit_test(test_rates_of_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
