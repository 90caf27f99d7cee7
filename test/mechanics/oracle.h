/* What the tests of elements share: bodies and elements by hand in extended precision, derivatives
 * by complex step, random samples. */
#ifndef TEST_MECHANICS_ORACLE_H
#define TEST_MECHANICS_ORACLE_H

#include "mechanics/mechanics_test.h"

#include "mechanics/element.h"

#include <complex.h>

typedef long double complex number;
typedef long double real;

enum { SAMPLES = 12, MAX_N = 6 * IB_SLOTS };
static const real tiny = 1e-100L;
static const double tolerance = 1e-12;

typedef struct bodies {
    number at[IB_SLOTS][IB_KIN];
} bodies;

static inline void rotate(const number *body, const number *a, number *out) {
    const number v[3] = {a[0], a[1], a[2]}; /* out may be a */
    for (int i = 0; i < 3; i++)
        out[i] = body[3 + 3 * i] * v[0] + body[4 + 3 * i] * v[1] + body[5 + 3 * i] * v[2];
}

static inline void rotate_back(const number *body, const number *a, number *out) {
    for (int i = 0; i < 3; i++)
        out[i] = body[3 + i] * a[0] + body[6 + i] * a[1] + body[9 + i] * a[2];
}

static inline number inner(const number *a, const number *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void outer(const number *a, const number *b, number *out) {
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline void given(const double *p, number *out) {
    for (int i = 0; i < 3; i++)
        out[i] = p[i];
}

/* A body vector from the parameters, in global axes. */
static inline void carried(const bodies *b, int slot, const double *p, number *out) {
    number a[3];
    given(p, a);
    rotate(b->at[slot], a, out);
}

/* P1 - P2 and V1 - V2. */
static inline void apart(const bodies *b, const double *p, number *place, number *velocity) {
    number arm[2][3], spin[2][3];
    for (int s = 0; s < 2; s++) {
        number a[3], wa[3];
        given(p + 3 * s, a);
        outer(b->at[s] + 15, a, wa);
        rotate(b->at[s], a, arm[s]);
        rotate(b->at[s], wa, spin[s]);
    }
    for (int i = 0; i < 3; i++) {
        place[i] = b->at[0][i] + arm[0][i] - b->at[1][i] - arm[1][i];
        velocity[i] = b->at[0][12 + i] + spin[0][i] - b->at[1][12 + i] - spin[1][i];
    }
}

typedef enum element_kind { POSITION, RATE, FORCE, LOAD } element_kind;

typedef struct element {
    element_kind kind;
    int n_bodies, n_rows, n_parameters;
    void (*value)(const bodies *b, const double *p, number *out);
    void (*extra)(const bodies *b, const double *p, real *guard, real *energy); /* of a load */
} element;

/* A motion of all bodies: v global, w in body axes. */
typedef struct motion {
    real v[IB_SLOTS][3], w[IB_SLOTS][3];
} motion;

static inline motion unit_motion(int column) {
    motion m = {{{0}}, {{0}}};
    if (column % 6 < 3)
        m.v[column / 6][column % 6] = 1;
    else
        m.w[column / 6][column % 6 - 3] = 1;
    return m;
}

/* Derivative of every output along the motion. */
static inline void rate_along(const element *el, const bodies *b, const double *p, const motion *m,
                              real *out, int n) {
    bodies shifted = *b;
    number values[MAX_N] = {0};
    for (int body = 0; body < IB_SLOTS; body++) {
        const number axis[3] = {m->w[body][0], m->w[body][1], m->w[body][2]};
        for (int k = 0; k < 3; k++)
            shifted.at[body][k] += tiny * m->v[body][k] * (number)I;
        for (int i = 0; i < 3; i++) {
            number once[3];
            outer(b->at[body] + 3 + 3 * i, axis, once);
            for (int k = 0; k < 3; k++)
                shifted.at[body][3 + 3 * i + k] += tiny * creall(once[k]) * (number)I;
        }
    }
    el->value(&shifted, p, values);
    for (int i = 0; i < n; i++)
        out[i] = cimagl(values[i]) / tiny;
}

/* ---- samples ---- */

typedef struct sample {
    double kin[IB_SLOTS][IB_KIN], p[IB_LOAD_PARAMETERS], lambda[IB_MAX_ROWS];
    bodies exact;
} sample;

static inline sample draw(uint64_t *sequence) {
    sample s;
    for (int b = 0; b < IB_SLOTS; b++) {
        double q[4];
        fill_random(sequence, s.kin[b], IB_KIN);
        random_quat(sequence, q);
        ib_quat_matrix(q, s.kin[b] + 3);
        s.kin[b][0] += 2 * b;         /* well apart: distances are of size 1 to 6 */
        for (int i = 0; i < 3; i++) { /* R' = R w^, R'' = R' w^ */
            ib_cross(s.kin[b] + 3 + 3 * i, s.kin[b] + 15, s.kin[b] + 18 + 3 * i);
            ib_cross(s.kin[b] + 18 + 3 * i, s.kin[b] + 15, s.kin[b] + 27 + 3 * i);
        }
        for (int k = 0; k < IB_KIN; k++)
            s.exact.at[b][k] = s.kin[b][k];
    }
    fill_random(sequence, s.p, IB_LOAD_PARAMETERS);
    fill_random(sequence, s.lambda, IB_MAX_ROWS);
    return s;
}

/* Compares with 1e-12 of the largest entry. */
static inline void assert_same(const char *name, const char *what, const double *got,
                               const real *wanted, int n) {
    real largest = 1e-3L;
    for (int i = 0; i < n; i++)
        largest = fmaxl(largest, fabsl(wanted[i]));
    for (int i = 0; i < n; i++)
        if (!(fabsl((real)got[i] - wanted[i]) <= (real)tolerance * largest))
            fail_msg("%s, %s[%d]: %.17g, by differences %.17Lg", name, what, i, got[i], wanted[i]);
}

static inline void exact_values(const element *el, const sample *s, real *out, int n) {
    number values[MAX_N] = {0};
    el->value(&s->exact, s->p, values);
    for (int i = 0; i < n; i++)
        out[i] = creall(values[i]);
}

#endif
