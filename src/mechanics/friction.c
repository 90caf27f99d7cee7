/* Friction in joints from their own reaction (docs/numerics.md, "Friction in joints").
 *
 * A joint's load N is the length of the force that it transmits, which is that of the multipliers
 * of its first rows; friction is N times a direction that position and velocity give (the element
 * joint_friction). So forces depend on the multipliers. Explicit methods solve for the loads:
 *     M a + Gᵀ lambda = Q + sum D_j N_j,   N_j = |P_j lambda|,
 * by Newton's method in as many unknowns as there are such joints, with W_j = what the multipliers
 * answer to D_j. Implicit ones have the multipliers among their unknowns and add friction as it
 * follows from them; their matrices have Gᵀ - sum D_j u_jᵀ, u_j = dN_j / dlambda, in the place of
 * Gᵀ.
 *
 * An index-3 method errs in velocities across the constraints in the direction of M^-1 (Gᵀ - sum
 * D_j u_jᵀ); only a projection in just that direction takes its errors out.
 */
#include "mechanics/friction.h"

#include "mechanics/site.h"
#include "num/dense.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 30 };
static const double met = 1e-12;  /* of the loads, over the largest multiplier, */
static const double close = 1e-8; /* and what rounding may leave of it near rank loss */

enum { P_AXIS = 3, P_MU = 6, P_RADIUS, P_STICK_SPEED, P_SLIDES, P_LOAD };

bool ib_friction_place(ib_mechanism *m, int joint) {
    const mech_joint *owner = &m->joints[joint];
    const ib_mech_joint *given = &owner->given;
    if (!IB_VEC_RESERVE(m->frictions, m->frictions_capacity, m->n_frictions))
        return false;
    mech_friction *friction = &m->frictions[m->n_frictions];
    memset(friction, 0, sizeof *friction);
    friction->joint = joint;
    friction->n_rows = given->type == IB_MECH_REVOLUTE ? 3 : 2;
    ib_site_place(m, &friction->site, IB_ELEMENT_joint_friction, given->body1, given->body2,
                  IB_MECH_GROUND);
    double *p = friction->p;
    memcpy(p, owner->s1, sizeof owner->s1);
    for (int i = 0; i < 3; i++)
        p[P_AXIS + i] = owner->frame2[3 * i + 2];
    p[P_MU] = given->friction.mu;
    p[P_RADIUS] = given->type == IB_MECH_PRISMATIC ? 0 : given->friction.radius;
    p[P_STICK_SPEED] = given->friction.stick_speed;
    p[P_SLIDES] = given->type == IB_MECH_REVOLUTE ? 0 : 1;
    m->joints[joint].friction = (int)m->n_frictions++;
    return true;
}

const mech_constraint *ib_friction_constraint(const ib_mechanism *m, size_t index) {
    return &m->constraints[m->by_declared[m->joints[m->frictions[index].joint].first]];
}

/* ---- loads and directions ---- */

/* D_j of all joints, the generalised forces for a load of one newton, at the present kinematics. */
static void find_directions(ib_dynamics *d) {
    for (size_t j = 0; j < d->mechanism->n_frictions; j++) {
        const mech_friction *friction = &d->mechanism->frictions[j];
        const mech_site *site = &friction->site;
        double p[MECH_FRICTION_PARAMETERS];
        memcpy(p, friction->p, sizeof p);
        p[P_LOAD] = 1;
        site->code->value(ib_site_kin(d, site, 0), ib_site_kin(d, site, 1), ib_site_kin(d, site, 2),
                          p, d->friction_direction + IB_LOAD_FORCES * j);
    }
}

/* N_j = scale |P_j lambda|, and u_j with it, which is zero where there is no load. */
static double load_of(ib_dynamics *d, size_t j, const double *lambda, double scale) {
    const ib_mechanism *m = d->mechanism;
    const int n = m->frictions[j].n_rows;
    const double *rows = lambda + ib_friction_constraint(m, j)->row;
    double *u = d->friction_slope + 3 * j, sum = 0;
    for (int i = 0; i < n; i++)
        sum += rows[i] * rows[i];
    const double size = sqrt(sum);
    for (int i = 0; i < n; i++)
        u[i] = size > 0 ? rows[i] / size : 0;
    return scale * size;
}

/* u_j of joint j times what the multipliers `rows` have in its place. */
static double along_slope(const ib_dynamics *d, size_t j, const double *rows) {
    double sum = 0;
    for (int i = 0; i < d->mechanism->frictions[j].n_rows; i++)
        sum += d->friction_slope[3 * j + (size_t)i] * rows[i];
    return sum;
}

/* f += D_j share_j over all joints. */
static void add_directions(const ib_dynamics *d, const double *share, double *f) {
    const ib_mechanism *m = d->mechanism;
    for (size_t j = 0; j < m->n_frictions; j++)
        for (int s = 0; s < 2; s++) {
            const int body = m->frictions[j].site.body[s];
            const double *D = d->friction_direction + IB_LOAD_FORCES * j + 6 * s;
            for (int k = 0; k < 6 && body != (int)m->n_bodies; k++)
                f[6 * body + k] += share[j] * D[k];
        }
}

void ib_friction_add(ib_dynamics *d, const double *lambda, double scale, const double *aim) {
    const ib_mechanism *m = d->mechanism;
    if (m->n_frictions == 0)
        return;
    find_directions(d);
    if (aim)
        memcpy(d->friction_slope, aim, sizeof(double) * 3 * m->n_frictions);
    for (size_t j = 0; j < m->n_frictions; j++)
        d->friction_load[j] =
            aim ? scale * along_slope(d, j, lambda + ib_friction_constraint(m, j)->row)
                : load_of(d, j, lambda, scale);
    add_directions(d, d->friction_load, d->Q);
}

void ib_friction_slopes(const ib_dynamics *d, size_t j, double *K, double *Kv) {
    const mech_friction *friction = &d->mechanism->frictions[j];
    const mech_site *site = &friction->site;
    double p[MECH_FRICTION_PARAMETERS];
    memcpy(p, friction->p, sizeof p);
    p[P_LOAD] = d->friction_load[j];
    site->code->slopes(ib_site_kin(d, site, 0), ib_site_kin(d, site, 1), ib_site_kin(d, site, 2), p,
                       K, Kv);
}

/* ---- how loads answer each other ---- */

/* W, by the factor at hand: the multipliers of joint k per unit of load of joint j. */
static void find_answers(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    const size_t n = m->n_frictions;
    for (size_t j = 0; j < n; j++) {
        double *share = d->friction_work;
        memset(share, 0, n * sizeof *share);
        share[j] = 1;
        memset(d->friction_force, 0, sizeof(double) * 6 * m->n_bodies);
        add_directions(d, share, d->friction_force);
        ib_solver_solve(d, d->friction_force, NULL, d->friction_moved, d->friction_rows);
        for (size_t k = 0; k < n; k++)
            for (int i = 0; i < m->frictions[k].n_rows; i++)
                d->friction_answer[3 * (n * j + k) + (size_t)i] =
                    d->friction_rows[ib_friction_constraint(m, k)->row + i];
    }
}

/* 1 - U W, factored. False when it is singular. */
static bool factor_loads(ib_dynamics *d) {
    const size_t n = d->mechanism->n_frictions;
    double *A = d->friction_matrix;
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            A[n * k + j] =
                (k == j ? 1 : 0) - along_slope(d, k, d->friction_answer + 3 * (n * j + k));
    return ib_lu_factor(A, n, 1e-12, d->friction_exchange) == n;
}

bool ib_friction_prepare(ib_dynamics *d, const double *lambda) {
    if (d->mechanism->n_frictions == 0)
        return true;
    find_directions(d);
    for (size_t j = 0; j < d->mechanism->n_frictions; j++)
        (void)load_of(d, j, lambda, 1);
    find_answers(d);
    return factor_loads(d);
}

void ib_friction_correction(ib_dynamics *d, double *c, double *x) {
    const ib_mechanism *m = d->mechanism;
    double *share = d->friction_work;
    if (m->n_frictions == 0) {
        ib_solver_correction(d, c, x);
        return;
    }
    ib_solver_solve(d, NULL, c, x, d->friction_rows);
    for (size_t j = 0; j < m->n_frictions; j++)
        share[j] = along_slope(d, j, d->friction_rows + ib_friction_constraint(m, j)->row);
    ib_lu_solve(d->friction_matrix, m->n_frictions, d->friction_exchange, share);
    memset(d->friction_force, 0, sizeof(double) * 6 * m->n_bodies);
    add_directions(d, share, d->friction_force);
    ib_solver_solve(d, d->friction_force, c, x, d->friction_rows);
}

/* ---- accelerations ---- */

/* What the loads miss of those that the multipliers make, into d->friction_work. Returns the
 * largest, over the largest multiplier; *worst is the joint. */
static double find_misses(ib_dynamics *d, const double *lambda, size_t *worst) {
    const size_t n = d->mechanism->n_frictions;
    const double scale = ib_largest(lambda, d->mechanism->n_rows);
    double most = 0;
    *worst = 0;
    for (size_t j = 0; j < n; j++) {
        d->friction_work[j] = load_of(d, j, lambda, 1) - d->friction_load[j];
        const double miss = scale > 0 ? fabs(d->friction_work[j]) / scale : 0;
        if (miss > most || isnan(miss)) {
            most = miss;
            *worst = j;
        }
    }
    return most;
}

/* One step of Newton's method; loads do not fall below zero. */
static bool improve(ib_dynamics *d) {
    const size_t n = d->mechanism->n_frictions;
    if (!factor_loads(d))
        return false;
    ib_lu_solve(d->friction_matrix, n, d->friction_exchange, d->friction_work);
    for (size_t j = 0; j < n; j++) {
        const double load = d->friction_load[j] + d->friction_work[j];
        d->friction_load[j] = load > 0 ? load : 0;
    }
    return true;
}

/* Accelerations and multipliers with the loads as they are. */
static void accelerate(ib_dynamics *d, double *lambda, int refinements) {
    memcpy(d->Q, d->friction_applied, sizeof(double) * 6 * d->mechanism->n_bodies);
    add_directions(d, d->friction_load, d->Q);
    ib_solver_accelerations(d, lambda, refinements);
}

bool ib_friction_accelerations(ib_dynamics *d, double *lambda, int refinements) {
    const ib_mechanism *m = d->mechanism;
    if (m->n_frictions == 0) {
        ib_solver_accelerations(d, lambda, refinements);
        return true;
    }
    double last = (double)INFINITY;
    size_t worst = 0;
    memcpy(d->friction_applied, d->Q, sizeof(double) * 6 * m->n_bodies);
    find_directions(d);
    find_answers(d);
    for (size_t j = 0; j < m->n_frictions; j++)
        d->friction_load[j] = load_of(d, j, lambda, 1);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        accelerate(d, lambda, refinements);
        const double miss = find_misses(d, lambda, &worst);
        if (miss <= met || (miss <= close && miss > 0.5 * last))
            return true;
        last = miss;
        if (!improve(d))
            break;
    }
    d->fault_force = (int)(m->n_forces + m->n_auxiliaries + m->n_loads + worst);
    return false;
}

double ib_friction_gain(const ib_dynamics *d, size_t *joint) {
    const size_t n = d->mechanism->n_frictions;
    double most = 0;
    for (size_t k = 0; k < n; k++) {
        double gain = 0;
        for (size_t j = 0; j < n; j++)
            gain += fabs(along_slope(d, k, d->friction_answer + 3 * (n * j + k)));
        if (gain > most) {
            most = gain;
            *joint = k;
        }
    }
    return most;
}

/* ---- what is read ---- */

/* The axis is body 2's; what acts on body 1 along it and about it. */
void ib_dynamics_friction(const ib_dynamics *d, int joint, double *force, double *torque) {
    const ib_mechanism *m = d->mechanism;
    *force = *torque = 0;
    if (m->joints[joint].friction < 0)
        return;
    const size_t j = (size_t)m->joints[joint].friction;
    const mech_site *site = &m->frictions[j].site;
    const double *D = d->friction_direction + IB_LOAD_FORCES * j;
    double axis[3], own[3];
    ib_mul3v(ib_site_kin(d, site, 1) + IB_KIN_R, m->frictions[j].p + P_AXIS, axis);
    ib_mul3tv(ib_site_kin(d, site, 0) + IB_KIN_R, axis, own);
    /* the force is along the axis, so that its moment about the axis through the point is none */
    double arm[3];
    ib_cross(m->frictions[j].p, own, arm);
    *force = d->friction_load[j] * ib_dot(axis, D);
    *torque = d->friction_load[j] * ib_dot(own, D + 3);
    *torque -= *force * ib_dot(own, arm);
}
