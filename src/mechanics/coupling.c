/* Couplings: constraints measure1 - ratio measure2 - constant = 0 between two measures of position,
 * which gears, racks and screws are made of.
 *
 * Value, J, gamma and stiffness are those of the measures' elements, in the same proportion. An
 * angle counts its turns as it does for everyone else (measure.c). The constant is what the joints
 * without couplings leave at t = 0. A coupling has a slot for each body of either measure; those
 * that meet on one body share its slot.
 */
#include "mechanics/site.h"

#include <string.h>

/* The slot of the constraint that a body has already, or -1. */
static int slot_of(const mech_constraint *c, int body) {
    for (int a = 0; a < c->n_active; a++)
        if (c->body[c->active[a]] == body)
            return c->active[a];
    return -1;
}

/* Gives each slot of a measure one of the constraint's, from `first` on; the ground needs none. */
static void place_term(const ib_mechanism *m, mech_constraint *c, mech_coupling *coupling, int term,
                       int first) {
    const mech_site *site = &m->measures[coupling->measure[term]].site;
    for (int s = 0; s < IB_SLOTS; s++) {
        const int body = site->body[s];
        int *slot = &coupling->slot[term][s];
        *slot = -1;
        c->body[first + s] = body;
        if (s >= site->code->n_bodies || body == (int)m->n_bodies)
            continue;
        *slot = slot_of(c, body);
        if (*slot >= 0)
            continue;
        *slot = c->active[c->n_active++] = first + s;
    }
}

bool ib_coupling_place(ib_mechanism *m, mech_constraint *c, int measure1, int measure2,
                       double ratio) {
    if (!IB_VEC_RESERVE(m->couplings, m->couplings_capacity, m->n_couplings))
        return false;
    mech_coupling *coupling = &m->couplings[m->n_couplings];
    memset(coupling, 0, sizeof *coupling);
    coupling->measure[0] = measure1;
    coupling->measure[1] = measure2;
    coupling->factor[0] = 1;
    coupling->factor[1] = -ratio;
    c->coupling = (int)m->n_couplings++;
    c->n_slots = 2 * IB_SLOTS;
    c->n_active = 0;
    for (int term = 0; term < 2; term++)
        place_term(m, c, coupling, term, term * IB_SLOTS);
    return true;
}

void ib_coupling_gradient(const ib_mechanism *m, const mech_coupling *coupling,
                          const double *const kin[2 * IB_SLOTS], double value[2], double rate[2],
                          double *J) {
    memset(J, 0, sizeof(double) * 6 * 2 * IB_SLOTS);
    for (int term = 0; term < 2; term++) {
        const mech_site *site = &m->measures[coupling->measure[term]].site;
        const double *const *at = kin + term * IB_SLOTS;
        double own[6 * IB_SLOTS] = {0};
        ib_site_constants(site, own);
        site->code->gradient(at[0], at[1], at[2], site->p, &value[term], own);
        rate[term] = 0;
        for (int s = 0; s < site->code->n_bodies; s++) {
            rate[term] += ib_dot(own + 6 * s, at[s] + IB_KIN_V);
            rate[term] += ib_dot(own + 6 * s + 3, at[s] + IB_KIN_W);
            for (int k = 0; coupling->slot[term][s] >= 0 && k < 6; k++)
                J[6 * coupling->slot[term][s] + k] += coupling->factor[term] * own[6 * s + k];
        }
    }
}

void ib_coupling_eval(ib_dynamics *d, const mech_constraint *c) {
    const ib_mechanism *m = d->mechanism;
    const mech_coupling *coupling = &m->couplings[c->coupling];
    double *J = d->J + c->jacobian, *phi = d->phi + c->row, value[2], rate[2];
    const double *kin[2 * IB_SLOTS];
    if (d->joints_only) {
        *phi = 0;
        memset(J, 0, sizeof(double) * 6 * 2 * IB_SLOTS);
        return;
    }
    for (int s = 0; s < 2 * IB_SLOTS; s++)
        kin[s] = d->kin + IB_KIN * c->body[s];
    ib_coupling_gradient(m, coupling, kin, value, rate, J);
    *phi = -d->constant[c->coupling];
    for (int term = 0; term < 2; term++) {
        const int measure = coupling->measure[term], angle = m->measures[measure].angle;
        if (angle >= 0)
            value[term] = ib_angle_branch(d, angle, value[term], rate[term]);
        *phi += coupling->factor[term] * (value[term] - d->offset[measure]);
    }
}

double ib_coupling_gamma(const ib_dynamics *d, const mech_constraint *c) {
    const ib_mechanism *m = d->mechanism;
    const mech_coupling *coupling = &m->couplings[c->coupling];
    double sum = 0;
    for (int term = 0; !d->joints_only && term < 2; term++) {
        const mech_site *site = &m->measures[coupling->measure[term]].site;
        double gamma;
        site->code->gamma(ib_site_kin(d, site, 0), ib_site_kin(d, site, 1), ib_site_kin(d, site, 2),
                          site->p, &gamma);
        sum += coupling->factor[term] * gamma;
    }
    return sum;
}

void ib_coupling_start(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_couplings; i++) {
        const mech_coupling *coupling = &m->couplings[i];
        d->constant[i] = 0;
        for (int term = 0; term < 2; term++)
            d->constant[i] += coupling->factor[term] * ib_measure_value(d, coupling->measure[term]);
    }
}

void ib_coupling_wrench(const ib_dynamics *d, const mech_constraint *c, double force[3],
                        double torque[3]) {
    const ib_mechanism *m = d->mechanism;
    const mech_measure *measure = &m->measures[m->couplings[c->coupling].measure[0]];
    const double *R = ib_site_kin(d, &measure->site, 0) + IB_KIN_R, lambda = d->reaction[c->row];
    double J[6 * IB_SLOTS] = {0}, value, arm[3];
    ib_site_constants(&measure->site, J);
    ib_site_gradient(d, &measure->site, &value, J);
    for (int k = 0; k < 3; k++) {
        force[k] = -lambda * J[k];
        torque[k] = -lambda * J[3 + k];
    }
    ib_mul3v(R, torque, torque);
    ib_mul3v(R, measure->s1, arm);
    ib_cross(arm, force, arm);
    ib_sub3(torque, arm, torque);
}
