/* All constraints of a mechanism: phi, J and gamma, and products with J.
 *
 * Most joints hold two points together: their first three rows have T = +-1 and the others none,
 * which the products use. Loops are instantiated for three and five rows so that they unroll.
 */
#include "mechanics/site.h"

#include <string.h>

/* phi and J of a driver's constraint: measure - motion. */
static void subtract_motion(const ib_dynamics *d, const mech_constraint *c) {
    const mech_measure *measure = &d->mechanism->measures[c->measure];
    double *phi = &d->phi[c->row];
    if (measure->angle >= 0)
        *phi =
            ib_angle_branch(d, measure->angle, *phi, ib_site_rate(d, &c->site, d->J + c->jacobian));
    *phi -= d->offset[c->measure] + d->motion[3 * c->driver];
    if (!d->joints_only)
        return;
    *phi = 0;
    memset(d->J + c->jacobian, 0, sizeof(double) * 18);
}

static void eval_one(ib_dynamics *d, const mech_constraint *c) {
    const mech_site *site = &c->site;
    double *J = d->J + c->jacobian;
    if (c->coupling >= 0) {
        ib_coupling_eval(d, c);
        return;
    }
    c->gradient(ib_site_kin(d, site, 0), ib_site_kin(d, site, 1), ib_site_kin(d, site, 2), site->p,
                d->phi + c->row, J);
    ib_site_merge(site, c->n_rows, J);
}

static void let_go(ib_dynamics *d, const mech_constraint *c) {
    memset(d->phi + c->row, 0, sizeof(double) * (size_t)c->n_rows);
    memset(d->J + c->jacobian, 0, sizeof(double) * (size_t)(6 * c->n_slots * c->n_rows));
}

void ib_constraints_constants(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_constraints; i++)
        if (m->constraints[i].coupling < 0)
            ib_site_constants(&m->constraints[i].site, d->J + m->constraints[i].jacobian);
}

/* phi and J of all constraints. True unless a driver's motion has no value. */
bool ib_constraints_eval(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    if (m->motions && !ib_tape_eval(m->motions, d->leaves, d->tape_work, d->motion, &d->fault)) {
        d->fault_driver = (int)(d->fault.root / 3);
        return false;
    }
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        eval_one(d, c);
        if (c->driver >= 0)
            subtract_motion(d, c);
        if (ib_is_released(d, c))
            let_go(d, c);
    }
    return true;
}

/* gamma of all constraints, after ib_constraints_eval and ib_kin_spin. */
void ib_constraints_gamma(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        const mech_site *site = &c->site;
        double *gamma = d->gamma + c->row;
        if (c->coupling >= 0) {
            *gamma = ib_is_released(d, c) ? 0 : ib_coupling_gamma(d, c);
            continue;
        }
        c->gamma(ib_site_kin(d, site, 0), ib_site_kin(d, site, 1), ib_site_kin(d, site, 2), site->p,
                 gamma);
        if (ib_is_released(d, c))
            memset(gamma, 0, sizeof(double) * (size_t)c->n_rows);
        if (c->driver >= 0)
            *gamma = d->joints_only ? 0 : *gamma - d->motion[3 * c->driver + 2];
    }
}

/* out += [T H] x of one slot. */
IB_KERNEL void apply_general(int n, const double *restrict J, const double *restrict x,
                             double *restrict out) {
    const double *T = J, *H = J + 3 * n;
    for (int i = 0; i < n; i++)
        out[i] += T[3 * i] * x[0] + T[3 * i + 1] * x[1] + T[3 * i + 2] * x[2] + H[3 * i] * x[3] +
                  H[3 * i + 1] * x[4] + H[3 * i + 2] * x[5];
}

/* Both slots of a joint that holds two points together. */
IB_KERNEL void apply_both(int n, const double *restrict J, const double *restrict x,
                          const double *restrict y, double *restrict out) {
    const double *H = J + 3 * n, *K = J + 9 * n;
    for (int i = 0; i < n; i++) {
        const double turn = H[3 * i] * x[3] + H[3 * i + 1] * x[4] + H[3 * i + 2] * x[5] +
                            K[3 * i] * y[3] + K[3 * i + 1] * y[4] + K[3 * i + 2] * y[5];
        out[i] += i < 3 ? turn + (x[i] - y[i]) : turn;
    }
}

static void apply_slots(const mech_constraint *c, const double *J, const double *x, double *out) {
    const int *body = c->body;
    if (c->site.code->coincident && c->n_active == 2) {
        const double *x1 = x + 6 * body[0], *x2 = x + 6 * body[1];
        if (c->n_rows == 5)
            apply_both(5, J, x1, x2, out);
        else if (c->n_rows == 3)
            apply_both(3, J, x1, x2, out);
        else
            apply_both(c->n_rows, J, x1, x2, out);
        return;
    }
    for (int a = 0; a < c->n_active; a++) {
        const int slot = c->active[a];
        apply_general(c->n_rows, J + slot * 6 * c->n_rows, x + 6 * body[slot], out);
    }
}

void ib_constraints_apply(const ib_dynamics *d, const double *x, const double *add, double *out) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        double *rows = out + c->row;
        for (int k = 0; k < c->n_rows; k++)
            rows[k] = add ? add[c->row + k] : 0;
        if (!ib_is_released(d, c))
            apply_slots(c, d->J + c->jacobian, x, rows);
    }
}

static void pull_slot(int n, const double *restrict J, const double *restrict lambda,
                      double *restrict f) {
    const double *T = J, *H = J + 3 * n;
    for (int k = 0; k < 3; k++) {
        double force = 0, torque = 0;
        for (int i = 0; i < n; i++) {
            force += T[3 * i + k] * lambda[i];
            torque += H[3 * i + k] * lambda[i];
        }
        f[k] -= force;
        f[3 + k] -= torque;
    }
}

void ib_constraints_pull(const ib_dynamics *d, const double *lambda, double *f) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        for (int a = 0; a < c->n_active; a++) {
            const int slot = c->active[a];
            pull_slot(c->n_rows, d->J + c->jacobian + slot * 6 * c->n_rows, lambda + c->row,
                      f + 6 * c->body[slot]);
        }
    }
}
