/* The iteration matrices of the implicit integrators: exact, block by block.
 *
 * Generalised-alpha solves its step equations for the increments (d, e) of positions and the
 * multipliers h^2 lambda,
 *     h^2 (M vdot - Q) + Gᵀ (h^2 lambda) = 0,   phi = 0.
 * Every term is differentiated on the group. A rotation increment e turns the body by T(e) de, so
 * every column that comes from D is multiplied by the tangent operator T of its body; what depends
 * on velocities enters with gamma / (beta h), since v is linear in d and w in e.
 *
 * Radau IIA needs its matrix at several xi, eigenvalues over h, and keeps it over many steps. So it
 * is written in the axes of each body, where a mechanism that turns as a whole does not change, for
 * changes of position (R d, e) and of velocity (R v, w) = (xi + w^) (d, e). The equations
 *     M v' - Q + Gᵀ lambda = 0,   phi = 0,
 * with forces turned by Rᵀ and rows that hold points by that of the joint's first body, have the
 * matrix S_q + xi S_v + xi^2 M. Its two planes S_q and S_v are written side by side.
 */
#include "mechanics/friction.h"
#include "mechanics/implicit.h"
#include "mechanics/site.h"

#include <string.h>

static const double *rotation_of(const mech_tangent *s, int body) {
    return s->d->kin + IB_KIN * body + IB_KIN_R;
}

/* Row r of a block by velocity adds r (xi + w^) to the matrix; the columns are those of `body`. */
static void add_rate_row(const mech_writer *w, const mech_tangent *s, int body, const double r[6],
                         double factor, double *position) {
    const double *rates = s->d->kin + IB_KIN * body + IB_KIN_W;
    double *velocity = w->rates + (position - w->values), turn[6];
    ib_cross(r, rates, turn);
    ib_cross(r + 3, rates, turn + 3);
    for (int j = 0; j < 6; j++) {
        velocity[j] += factor * r[j];
        position[j] += factor * turn[j];
    }
}

/* The 6 x 6 block of bodies (row, column) += factor B, with V by velocity, if there is any. */
static void add_block(mech_writer *w, const mech_tangent *s, int row, int column, const double *B,
                      const double *V, double factor) {
    int stride;
    double *target = ib_kkt_block(w, row, column, &stride);
    for (int i = 0; s && i < 6; i++) {
        for (int j = 0; j < 6; j++)
            target[stride * i + j] += factor * B[6 * i + j];
        if (V)
            add_rate_row(w, s, column, V + 6 * i, factor, target + stride * i);
    }
}

static bool is_body(const ib_mechanism *m, int body) { return body != (int)m->n_bodies; }

/* row := row T in the rotational part, where bodies have turned. */
static void turn_row(const mech_tangent *s, int body, double row[6]) {
    if (s->turn)
        ib_mul3tv(s->turn + 9 * body, row + 3, row + 3);
}

/* Rows and columns of translations into the axes of their bodies. */
static void into_bodies(const mech_tangent *s, int row, int column, double B[36]) {
    const double *R = rotation_of(s, row);
    for (int j = 0; j < 6; j++) {
        const double x[3] = {B[j], B[6 + j], B[12 + j]};
        double turned[3];
        ib_mul3tv(R, x, turned);
        for (int i = 0; i < 3; i++)
            B[6 * i + j] = turned[i];
    }
    for (int i = 0; i < 6; i++)
        ib_mul3tv(rotation_of(s, column), B + 6 * i, B + 6 * i);
}

/* The blocks of a stiffness matrix over an element's slots, columns turned. */
static void add_stiffness(mech_writer *w, const mech_tangent *s, const mech_site *site,
                          const double *K, double factor) {
    const ib_mechanism *m = w->m;
    const int slots = site->code->n_bodies, n = 6 * slots;
    for (int a = 0; a < slots; a++)
        for (int b = 0; b < slots; b++) {
            double B[36];
            if (!is_body(m, site->body[a]) || !is_body(m, site->body[b]))
                continue;
            for (int i = 0; s && i < 6; i++) {
                memcpy(B + 6 * i, K + n * (6 * a + i) + 6 * b, 6 * sizeof *B);
                turn_row(s, site->body[b], B + 6 * i);
            }
            if (s && s->planes)
                into_bodies(s, site->body[a], site->body[b], B);
            add_block(w, s, site->body[a], site->body[b], B, NULL, factor);
        }
}

/* Of a law: by positions and velocities over an element's slots. */
typedef struct gradient {
    double by_position[18], by_velocity[18];
} gradient;

static void outer(const double *column, const double *row, double B[36]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            B[6 * i + j] = column[i] * row[j];
}

/* Direction times gradient: rows from a force's two bodies, columns from an element's slots. */
static void add_outer(mech_writer *w, const mech_tangent *s, const mech_site *force,
                      const double *direction, const mech_site *site, const gradient *g,
                      double factor) {
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < site->code->n_bodies; b++) {
            double B[36], V[36];
            if (!is_body(w->m, force->body[a]) || !is_body(w->m, site->body[b]))
                continue;
            const bool planes = s && s->planes;
            double column[6];
            if (s)
                memcpy(column, direction + 6 * a, sizeof column);
            if (planes)
                ib_mul3tv(rotation_of(s, force->body[a]), column, column);
            if (s)
                outer(column, g->by_position + 6 * b, B);
            if (planes)
                outer(column, g->by_velocity + 6 * b, V);
            add_block(w, s, force->body[a], site->body[b], B, planes ? V : NULL, factor);
        }
}

/* The gyroscopic torque w x J w by w. */
static void gyroscopic(const double inertia[9], const double rates[3], double out[9]) {
    double spin[3], W[9], L[9];
    ib_mul3v(inertia, rates, spin);
    ib_skew(rates, W);
    ib_skew(spin, L);
    ib_mul33(W, inertia, out);
    for (int i = 0; i < 9; i++)
        out[i] -= L[i];
}

/* Mass and gyroscopic terms. */
static void add_mass(const mech_tangent *s, size_t b, int stride, double *target) {
    const double mass = s->mass_factor * s->d->mass[b];
    const double *inertia = s->d->inertia + 9 * b;
    double turn[9];
    gyroscopic(inertia, s->d->kin + IB_KIN * b + IB_KIN_W, turn);
    for (int i = 0; i < 3; i++) {
        target[stride * i + i] += mass;
        for (int j = 0; j < 3; j++)
            target[stride * (3 + i) + 3 + j] +=
                s->mass_factor * inertia[3 * i + j] + s->h * s->rate_factor * turn[3 * i + j];
    }
}

/* Of the planes, which do without xi^2 M: gyroscopic terms, and those of axes that turn, from
 * (xi + w^) m (xi + w^) and xi J (xi + w^). */
static void add_spin(const mech_writer *w, const mech_tangent *s, size_t b, int stride,
                     double *target) {
    const double *rates = s->d->kin + IB_KIN * b + IB_KIN_W;
    const double *inertia = s->d->inertia + 9 * b;
    const double mass = s->d->mass[b];
    double turn[9], skew[9], carried[9];
    gyroscopic(inertia, rates, turn);
    ib_skew(rates, skew);
    ib_mul33(inertia, skew, carried);
    for (int i = 0; i < 3; i++) {
        const double spin[6] = {mass * skew[3 * i], mass * skew[3 * i + 1], mass * skew[3 * i + 2]};
        const double row[6] = {0, 0, 0, turn[3 * i], turn[3 * i + 1], turn[3 * i + 2]};
        double *linear = target + stride * i, *angular = target + stride * (3 + i);
        add_rate_row(w, s, (int)b, spin, 1, linear);
        add_rate_row(w, s, (int)b, row, 1, angular);
        for (int j = 0; j < 3; j++) {
            w->rates[linear - w->values + j] += mass * skew[3 * i + j];
            w->rates[angular - w->values + 3 + j] += carried[3 * i + j];
        }
    }
}

/* The same of a first moment. */
static void add_coupled_mass(const mech_tangent *s, size_t b, int stride, double *target) {
    for (int k = 0; k < 6; k++) {
        double unit[6] = {0}, column[6] = {0};
        unit[k] = 1;
        ib_mass_couple(s->d, b, rotation_of(s, (int)b), s->mass_factor, unit, column);
        for (int i = 0; i < 6; i++)
            target[stride * i + k] += column[i];
    }
}

/* From s^ (xi + w^) (xi + w^) below and -s^ xi (xi + w^) beside the diagonal. */
static void add_coupled_spin(const mech_writer *w, const mech_tangent *s, size_t b, int stride,
                             double *target) {
    double moment[9], skew[9], carried[9];
    ib_skew(s->d->moment + 3 * b, moment);
    ib_skew(s->d->kin + IB_KIN * b + IB_KIN_W, skew);
    ib_mul33(moment, skew, carried);
    for (int i = 0; i < 3; i++) {
        const double row[6] = {carried[3 * i], carried[3 * i + 1], carried[3 * i + 2]};
        double *linear = target + stride * i, *angular = target + stride * (3 + i);
        add_rate_row(w, s, (int)b, row, 1, angular);
        for (int j = 0; j < 3; j++) {
            w->rates[angular - w->values + j] += carried[3 * i + j];
            w->rates[linear - w->values + 3 + j] -= carried[3 * i + j];
        }
    }
}

/* -h^2 dQ of what a first moment and flows add to a body's forces. */
static void add_mass_slopes(mech_writer *w, const mech_tangent *s, int b) {
    double K[36] = {0}, V[36] = {0};
    if (s)
        ib_mass_slopes(s->d, (size_t)b, s->planes ? NULL : s->acceleration + 6 * b, K, V);
    for (int i = 0; s && i < 6; i++) {
        turn_row(s, b, K + 6 * i);
        for (int k = 0; !s->planes && k < 6; k++)
            K[6 * i + k] += s->rate_factor / s->h * V[6 * i + k];
    }
    if (s && s->planes) {
        into_bodies(s, b, b, K);
        into_bodies(s, b, b, V);
    }
    add_block(w, s, b, b, K, s && s->planes ? V : NULL, s ? -s->h * s->h : 0);
}

/* -h^2 dQ of a gravity that differs from place to place. */
static void add_gravity(const mech_tangent *s, size_t b, int stride, double *target) {
    const double factor = -s->h * s->h * s->d->mass[b];
    double B[36] = {0};
    for (int i = 0; i < 3; i++)
        memcpy(B + 6 * i, s->d->gravity_gradient + 9 * b + 3 * i, 3 * sizeof *B);
    if (s->planes)
        into_bodies(s, (int)b, (int)b, B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            target[stride * i + j] += factor * B[6 * i + j];
}

/* -h^2 dQ of what pushes a body, which turns with it. */
static void add_push(const mech_tangent *s, size_t b, int stride, double *target) {
    const double factor = -s->h * s->h, *push = s->d->push + 6 * b;
    double B[36] = {0};
    if (!(ib_dot(push, push) > 0))
        return;
    ib_push_slopes(s->d, b, B);
    for (int i = 0; i < 3; i++)
        turn_row(s, (int)b, B + 6 * i);
    if (s->planes)
        into_bodies(s, (int)b, (int)b, B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            target[stride * i + j] += factor * B[6 * i + j];
}

static void add_body(mech_writer *w, const mech_tangent *s, size_t b) {
    int stride;
    double *target = ib_kkt_block(w, (int)b, (int)b, &stride);
    if (s && s->planes)
        add_spin(w, s, b, stride, target);
    else if (s)
        add_mass(s, b, stride, target);
    if (s && w->m->carries[b] && s->planes)
        add_coupled_spin(w, s, b, stride, target);
    else if (s && w->m->carries[b])
        add_coupled_mass(s, b, stride, target);
    if (w->m->carries[b])
        add_mass_slopes(w, s, (int)b);
    if (s && s->d->field && s->d->field->gravity)
        add_gravity(s, b, stride, target);
    if (s)
        add_push(s, b, stride, target);
}

static void stiffness_of(const mech_tangent *s, const mech_site *site, const double *lambda,
                         double *K) {
    memset(K, 0, IB_STIFFNESS * sizeof *K);
    site->code->stiffness(ib_site_kin(s->d, site, 0), ib_site_kin(s->d, site, 1),
                          ib_site_kin(s->d, site, 2), site->p, lambda, K);
}

/* Columns by position are turned and those by velocity added with their factor; for planes, both
 * are taken into the axes of their bodies. */
static void finish_gradient(const mech_tangent *s, const mech_site *site, gradient *g) {
    for (int slot = 0; slot < site->code->n_bodies; slot++) {
        double *row = g->by_position + 6 * slot, *rate = g->by_velocity + 6 * slot;
        const double *R = rotation_of(s, site->body[slot]);
        if (s->planes) {
            ib_mul3tv(R, row, row);
            ib_mul3tv(R, rate, rate);
            continue;
        }
        if (is_body(s->d->mechanism, site->body[slot]))
            turn_row(s, site->body[slot], row);
        for (int k = 0; k < 6; k++)
            row[k] += s->rate_factor / s->h * rate[k];
    }
}

/* Gradient of a measure by (d, e). */
static void measure_gradient(const mech_tangent *s, const mech_site *site, gradient *g) {
    double value;
    memset(g, 0, sizeof *g);
    ib_site_constants(site, g->by_position);
    if (site->code->rate)
        site->code->rate(ib_site_kin(s->d, site, 0), ib_site_kin(s->d, site, 1),
                         ib_site_kin(s->d, site, 2), site->p, &value, g->by_position,
                         g->by_velocity);
    else
        ib_site_gradient(s->d, site, &value, g->by_position);
    if (site->code == &ib_element_codes[IB_ELEMENT_distance] && !(value > 0))
        memset(g->by_position, 0, sizeof g->by_position); /* at its kink */
    finish_gradient(s, site, g);
}

/* Gradient of a linear spring's law: k J + c (K v + J's share by velocity). */
static void spring_gradient(const mech_tangent *s, const mech_force *force, const double *J,
                            gradient *g) {
    const mech_site *site = &force->site;
    const double one = 1;
    double K[IB_STIFFNESS];
    stiffness_of(s, site, &one, K);
    for (int j = 0; j < 12; j++) {
        double rate = 0;
        for (int i = 0; i < 12; i++)
            rate += K[12 * i + j] * ib_site_kin(s->d, site, i / 6)[IB_KIN_V + i % 6];
        g->by_position[j] = force->given.stiffness * J[j] + force->given.damping * rate;
        g->by_velocity[j] = force->given.damping * J[j];
    }
    finish_gradient(s, site, g);
}

/* A force along the line of coincident points has no direction; then its value is zero. */
static bool is_nowhere(const mech_force *force, const double *J) {
    return force->given.type == IB_MECH_LINE && J[0] == 0 && J[1] == 0 && J[2] == 0;
}

/* What a linear spring's stiffness tends to there: k Sᵀ S, S the Jacobian of P1 - P2. */
static void coincident_stiffness(const mech_tangent *s, const mech_force *force, double *K) {
    const ib_element_code *code = &ib_element_codes[IB_ELEMENT_spherical];
    const mech_site *site = &force->site;
    double S[36] = {0}, apart[3];
    code->constants(NULL, NULL, NULL, site->p, S);
    code->gradient(ib_site_kin(s->d, site, 0), ib_site_kin(s->d, site, 1),
                   ib_site_kin(s->d, site, 2), site->p, apart, S);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            /* column c of row r: slot by slot T (3 x 3), then H (3 x 3) */
            const double *a = S + i / 3 * 9 + i % 3, *b = S + j / 3 * 9 + j % 3;
            K[12 * i + j] = force->given.stiffness * (a[0] * b[0] + a[3] * b[3] + a[6] * b[6]);
        }
}

/* -h^2 dQ of one force: its direction turns, and its law changes. */
static void add_force(mech_writer *w, const mech_tangent *s, size_t index) {
    const mech_force *force = &w->m->forces[index];
    const double sign = ib_force_sign(force);
    double K[IB_STIFFNESS] = {0};
    gradient g = {{0}, {0}};
    const double *J = s ? s->d->force_J + 18 * index : NULL;
    const double scale = s ? -s->h * s->h * sign : 0;
    const bool nowhere = s && is_nowhere(force, J);
    if (nowhere && force->law < 0)
        coincident_stiffness(s, force, K);
    else if (s && !nowhere)
        stiffness_of(s, &force->site, &s->d->force_value[index], K);
    add_stiffness(w, s, &force->site, K, scale);
    if (force->law >= 0)
        return;
    if (s && !nowhere)
        spring_gradient(s, force, J, &g);
    add_outer(w, s, &force->site, J, &force->site, &g, scale);
}

/* -h^2 dQ of generalised forces on two bodies, K by position and Kv by velocity. */
static void add_slopes(mech_writer *w, const mech_tangent *s, const mech_site *site,
                       const double *K, const double *Kv) {
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            double B[36], V[36];
            if (!is_body(w->m, site->body[a]) || !is_body(w->m, site->body[b]))
                continue;
            for (int i = 0; s && i < 6; i++) {
                const int at = IB_LOAD_FORCES * (6 * a + i) + 6 * b;
                memcpy(B + 6 * i, K + at, 6 * sizeof *B);
                memcpy(V + 6 * i, Kv + at, 6 * sizeof *V);
                turn_row(s, site->body[b], B + 6 * i);
                for (int k = 0; !s->planes && k < 6; k++)
                    B[6 * i + k] += s->rate_factor / s->h * V[6 * i + k];
            }
            if (s && s->planes) {
                into_bodies(s, site->body[a], site->body[b], B);
                into_bodies(s, site->body[a], site->body[b], V);
            }
            add_block(w, s, site->body[a], site->body[b], B, s && s->planes ? V : NULL,
                      s ? -s->h * s->h : 0);
        }
}

static void add_load(mech_writer *w, const mech_tangent *s, size_t index) {
    double K[IB_LOAD_FORCES * IB_LOAD_FORCES] = {0}, Kv[IB_LOAD_FORCES * IB_LOAD_FORCES] = {0};
    if (s)
        ib_load_slopes(s->d, index, K, Kv);
    add_slopes(w, s, &w->m->loads[index].site, K, Kv);
}

/* Friction in a joint: by position and velocity at its load, and -D uᵀ beside Gᵀ for what the load
 * takes from the multipliers. */
static void add_friction(mech_writer *w, const mech_tangent *s, size_t index) {
    const mech_friction *friction = &w->m->frictions[index];
    const mech_constraint *c = ib_friction_constraint(w->m, index);
    const int unit = (int)(w->m->n_bodies + (size_t)(c - w->m->constraints));
    double K[IB_LOAD_FORCES * IB_LOAD_FORCES] = {0}, Kv[IB_LOAD_FORCES * IB_LOAD_FORCES] = {0};
    double u[3] = {0};
    if (s)
        ib_friction_slopes(s->d, index, K, Kv);
    add_slopes(w, s, &friction->site, K, Kv);
    if (s)
        memcpy(u, s->d->friction_slope + 3 * index, sizeof u);
    if (s && s->planes && ib_turning_body(c) >= 0)
        ib_mul3tv(rotation_of(s, ib_turning_body(c)), u, u);
    for (int a = 0; a < 2; a++) {
        int stride;
        double D[6] = {0};
        if (!is_body(w->m, friction->site.body[a]))
            continue;
        double *Gt = ib_kkt_block(w, friction->site.body[a], unit, &stride);
        if (s)
            memcpy(D, s->d->friction_direction + IB_LOAD_FORCES * index + 6 * a, sizeof D);
        if (s && s->planes)
            ib_mul3tv(rotation_of(s, friction->site.body[a]), D, D);
        for (int k = 0; s && k < 6; k++)
            for (int i = 0; i < friction->n_rows; i++)
                Gt[stride * k + i] -= D[k] * u[i];
    }
}

/* The part of a law that comes through one measure. */
static void add_slope(mech_writer *w, const mech_tangent *s, size_t index) {
    const mech_slope *slope = &w->m->slope[index];
    const mech_force *force = &w->m->forces[slope->force];
    const mech_site *site = &w->m->measures[slope->measure].site;
    const double sign = ib_force_sign(force);
    gradient g = {{0}, {0}};
    if (s)
        measure_gradient(s, site, &g);
    add_outer(w, s, &force->site, s ? s->d->force_J + 18 * (size_t)slope->force : NULL, site, &g,
              s ? -s->h * s->h * sign * s->d->slope[index] : 0);
}

/* Three rows of width 6 into the axes R. */
static void turn_rows(const double R[9], double *rows) {
    for (int j = 0; j < 6; j++) {
        const double x[3] = {rows[j], rows[6 + j], rows[12 + j]};
        double turned[3];
        ib_mul3tv(R, x, turned);
        for (int i = 0; i < 3; i++)
            rows[6 * i + j] = turned[i];
    }
}

/* Of the planes, G and Gᵀ for one slot. */
static void add_turned_slot(mech_writer *w, const mech_tangent *s, const mech_constraint *c,
                            int unit, int slot) {
    const int n = c->n_rows, body = c->body[slot], first = ib_turning_body(c);
    const double *T = s->d->J + c->jacobian + slot * 6 * n, *R = rotation_of(s, body);
    double rows[6 * IB_MAX_ROWS] = {0};
    for (int i = 0; i < n; i++) {
        ib_mul3tv(R, T + 3 * i, rows + 6 * i);
        memcpy(rows + 6 * i + 3, T + 3 * (n + i), 3 * sizeof *rows);
    }
    if (first >= 0)
        turn_rows(rotation_of(s, first), rows);
    int stride, stride_t;
    double *G = ib_kkt_block(w, unit, body, &stride);
    double *Gt = ib_kkt_block(w, body, unit, &stride_t);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++) {
            G[stride * i + k] += rows[6 * i + k];
            Gt[stride_t * k + i] += rows[6 * i + k];
        }
}

static void add_constraint(mech_writer *w, const mech_tangent *s, size_t index) {
    const mech_constraint *c = &w->m->constraints[index];
    const int unit = (int)(w->m->n_bodies + index);
    int stride;
    double *E = ib_kkt_block(w, unit, unit, &stride);
    for (int i = 0; s && i < c->n_rows; i++)
        E[stride * i + i] -= s->epsilon[c->row + i];
    for (int a = 0; a < c->n_active; a++) {
        const int slot = c->active[a], body = c->body[slot];
        if (s && s->planes)
            add_turned_slot(w, s, c, unit, slot);
        else
            ib_kkt_slot(w, unit, body, c->n_rows,
                        s ? s->d->J + c->jacobian + slot * 6 * c->n_rows : NULL,
                        s ? s->turn + 9 * body : NULL);
    }
    for (int term = 0; term < ib_term_count(c); term++) {
        const mech_site *site = ib_term_site(w->m, c, term);
        double K[IB_STIFFNESS] = {0};
        if (s)
            stiffness_of(s, site, s->lambda + c->row, K);
        add_stiffness(w, s, site, K, ib_term_factor(w->m, c, term));
    }
}

static void write_all(mech_writer *w, const mech_tangent *s) {
    for (size_t b = 0; b < w->m->n_bodies; b++)
        add_body(w, s, b);
    for (size_t i = 0; i < w->m->n_constraints; i++)
        add_constraint(w, s, i);
    for (size_t i = 0; i < w->m->n_forces; i++)
        add_force(w, s, i);
    for (size_t i = 0; i < w->m->n_loads; i++)
        add_load(w, s, i);
    for (size_t i = 0; i < w->m->n_frictions; i++)
        add_friction(w, s, i);
    for (size_t i = 0; i < w->m->n_slopes; i++)
        add_slope(w, s, i);
}

bool ib_implicit_record(ib_mechanism *m) {
    mech_writer writer = {.m = m, .kkt = &m->newton, .record = &m->newton.map};
    write_all(&writer, NULL);
    return !writer.failed;
}

int ib_tangent_factor(const mech_tangent *s) {
    ib_dynamics *d = s->d;
    const ib_mechanism *m = d->mechanism;
    write_all(ib_kkt_begin(d, &m->newton, d->newton), s);
    d->header->factorizations++;
    return ib_blocks_factor(m->newton.blocks, d->newton, NULL);
}

void ib_tangent_planes(const mech_tangent *s, double *position, double *velocity) {
    const ib_mechanism *m = s->d->mechanism;
    memset(velocity, 0, sizeof(double) * (size_t)m->newton.blocks->n_values);
    mech_writer *writer = ib_kkt_begin(s->d, &m->newton, position);
    writer->rates = velocity;
    write_all(writer, s);
}
