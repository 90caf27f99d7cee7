/* Reactions of joints and drivers.
 *
 * The multipliers of the equations of motion are unique only without redundant constraints. With
 * them, the least-norm ones are reported: with A = G Gᵀ and b = A lambda of the motion, proximal
 * iterations lambda += (A + eps I)^-1 (b - A lambda) started at zero stay orthogonal to the null
 * space of Gᵀ and converge to the solution of least |lambda|, whatever the masses, that is least
 * sum |F|^2 + |T|^2 / L^2 with L = 1 m (docs/numerics.md, "Redundant constraints"). The
 * regularisation is larger than in the motion, so that passes through rank loss do not spike.
 */
#include "mechanics/mechanism.h"

#include <string.h>

enum { PASSES = 12 };
static const double epsilon = 1e-6; /* of the largest diagonal entry */

static double largest_diagonal(const ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    double value = 0;
    for (size_t i = 0; i < m->n_constraints; i++) {
        const int n = m->constraints[i].n_rows;
        const double *D = d->schur + m->schur.blocks->diagonal[i];
        for (int k = 0; k < n; k++)
            if (D[n * k + k] > value)
                value = D[n * k + k];
    }
    return value;
}

static void least_norm(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    const size_t size = sizeof(double) * (size_t)m->n_rows;
    ib_schur_assemble(d, &m->unit, 0, 0, d->schur);
    ib_schur_assemble(d, &m->unit, 0, epsilon * largest_diagonal(d), d->schur);
    ib_blocks_factor(m->schur.blocks, d->schur, NULL);
    double *wanted = d->gamma; /* gamma has served; the next evaluation makes it anew */
    ib_schur_apply(d, &m->unit, d->work_lambda, wanted);
    memset(d->reaction, 0, size);
    for (int pass = 0; pass < PASSES; pass++) {
        ib_schur_apply(d, &m->unit, d->reaction, d->work_rows);
        for (int k = 0; k < m->n_rows; k++)
            d->work_rows[k] = wanted[k] - d->work_rows[k];
        ib_blocks_solve(m->schur.blocks, d->schur, d->work_rows);
        for (int k = 0; k < m->n_rows; k++)
            d->reaction[k] += d->work_rows[k];
    }
}

void ib_reactions_refresh(ib_dynamics *d) {
    if (d->n_redundant > 0)
        least_norm(d);
    else
        memcpy(d->reaction, d->work_lambda, sizeof(double) * (size_t)d->mechanism->n_rows);
}

/* Force (global) and torque (body axes) of one constraint on one of its bodies: -Jᵀ lambda. */
static void slot_wrench(const ib_dynamics *d, const mech_constraint *c, int slot, double force[3],
                        double torque[3]) {
    const double *T = d->J + c->jacobian + slot * 6 * c->n_rows, *H = T + 3 * c->n_rows;
    for (int i = 0; i < c->n_rows; i++) {
        ib_axpy(force, -d->reaction[c->row + i], T + 3 * i, force);
        ib_axpy(torque, -d->reaction[c->row + i], H + 3 * i, torque);
    }
}

/* Sum over a joint's constraints on body `slot`, the torque moved to its point, global axes. */
static void joint_wrench(const ib_dynamics *d, const mech_joint *joint, int slot, double force[3],
                         double torque[3]) {
    const ib_mechanism *m = d->mechanism;
    const int body = slot ? joint->given.body2 : joint->given.body1;
    const double *R = d->kin + IB_KIN * body + IB_KIN_R, *s = slot ? joint->s2 : joint->s1;
    double arm[3];
    for (int i = 0; i < joint->count; i++)
        slot_wrench(d, &m->constraints[m->by_declared[joint->first + i]], slot, force, torque);
    ib_mul3v(R, torque, torque);
    ib_mul3v(R, s, arm);
    ib_cross(arm, force, arm);
    ib_sub3(torque, arm, torque);
}

void ib_dynamics_reaction(const ib_dynamics *d, int index, double force[3], double torque[3]) {
    const mech_joint *joint = &d->mechanism->joints[index];
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    if (joint->given.type == IB_MECH_COUPLING) {
        const ib_mechanism *m = d->mechanism;
        ib_coupling_wrench(d, &m->constraints[m->by_declared[joint->first]], force, torque);
        return;
    }
    if (joint->given.body1 != IB_MECH_GROUND) {
        joint_wrench(d, joint, 0, force, torque);
        return;
    }
    /* on the ground: the opposite of that on body 2, moved from its point to the ground's */
    const double *kin = d->kin + IB_KIN * joint->given.body2;
    double apart[3], moment[3];
    joint_wrench(d, joint, 1, force, torque);
    ib_mul3v(kin + IB_KIN_R, joint->s2, apart);
    ib_axpy(kin, 1, apart, apart);
    ib_sub3(apart, joint->s1, apart);
    ib_cross(apart, force, moment);
    for (int k = 0; k < 3; k++) {
        force[k] = -force[k];
        torque[k] = -torque[k] - moment[k];
    }
}

/* A coupling is the last constraint of its joint. */
double ib_dynamics_joint_lambda(const ib_dynamics *d, int index) {
    const ib_mechanism *m = d->mechanism;
    const mech_joint *joint = &m->joints[index];
    const mech_constraint *c = &m->constraints[m->by_declared[joint->first + joint->count - 1]];
    return c->coupling >= 0 ? -d->reaction[c->row] : 0;
}

double ib_dynamics_driver_lambda(const ib_dynamics *d, int driver) {
    const ib_mechanism *m = d->mechanism;
    return -d->reaction[m->constraints[m->by_declared[m->drivers[driver].constraint]].row];
}

double ib_dynamics_driver_motion(const ib_dynamics *d, int driver) { return d->motion[3 * driver]; }
