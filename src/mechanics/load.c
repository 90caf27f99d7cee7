/* Loads: forces of several components between two bodies, by elements of the library that give
 * generalised forces and their exact slopes. Bushings here, contacts in contact.c
 * (docs/numerics.md, "Forces").
 */
#include "mechanics/site.h"

#include <string.h>

static const double least_cosine = -0.98; /* of the angle that a bushing is turned by */

mech_load *ib_load_new(ib_mechanism *m, ib_element_id id, int body1, int body2, const char *name,
                       ib_place place) {
    if (!IB_VEC_RESERVE(m->loads, m->loads_capacity, m->n_loads))
        return NULL;
    mech_load *load = &m->loads[m->n_loads++];
    memset(load, 0, sizeof *load);
    load->name = name;
    load->place = place;
    ib_site_place(m, &load->site, id, body1, body2, IB_MECH_GROUND);
    return load;
}

int ib_mechanism_add_bushing(ib_mechanism *m, const ib_mech_bushing *given) {
    mech_load *load =
        ib_load_new(m, IB_ELEMENT_bushing, given->body1, given->body2, given->name, given->place);
    if (!load)
        return -1;
    double *p = load->p;
    ib_to_body(m->bodies, given->body1, given->point, load->s1);
    ib_to_body(m->bodies, given->body2, given->point, p + 3);
    memcpy(p, load->s1, sizeof load->s1);
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {given->frame[i], given->frame[3 + i], given->frame[6 + i]};
        ib_vector_to_body(m->bodies, given->body1, axis, p + 6 + 3 * i);
        ib_vector_to_body(m->bodies, given->body2, axis, p + 15 + 3 * i);
    }
    memcpy(p + 24, given->stiffness, sizeof given->stiffness);
    memcpy(p + 60, given->damping, sizeof given->damping);
    memcpy(p + 96, given->preload, sizeof given->preload);
    return (int)(load - m->loads);
}

/* A load with the numbers that its element reads: its own, and the foot on a height field. */
typedef struct placed_load {
    const mech_load *load;
    const double *b1, *b2, *b3, *p;
    double with_foot[MECH_FOOT_PARAMETER + MECH_FOOT];
} placed_load;

static void place(const ib_dynamics *d, size_t index, placed_load *placed) {
    const mech_load *load = &d->mechanism->loads[index];
    placed->load = load;
    placed->b1 = ib_site_kin(d, &load->site, 0);
    placed->b2 = ib_site_kin(d, &load->site, 1);
    placed->b3 = ib_site_kin(d, &load->site, 2);
    placed->p = load->p;
    if (!load->surface)
        return;
    memcpy(placed->with_foot, load->p, MECH_FOOT_PARAMETER * sizeof(double));
    memcpy(placed->with_foot + MECH_FOOT_PARAMETER, d->foot + MECH_FOOT * index,
           MECH_FOOT * sizeof(double));
    placed->p = placed->with_foot;
}

static double guard_of(const placed_load *l) {
    double guard;
    l->load->site.code->guard(l->b1, l->b2, l->b3, l->p, &guard);
    return guard;
}

static void scatter(ib_dynamics *d, const mech_load *load, const double *Q) {
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 6 && load->site.body[s] != (int)d->mechanism->n_bodies; k++)
            d->Q[6 * load->site.body[s] + k] += Q[6 * s + k];
}

/* False when it has no meaning. */
static bool eval_one(ib_dynamics *d, size_t index) {
    double *Q = d->load + IB_LOAD_FORCES * index;
    placed_load l;
    if (d->mechanism->loads[index].surface)
        ib_contact_foot(d, index);
    place(d, index, &l);
    const double guard = guard_of(&l);
    memset(Q, 0, IB_LOAD_FORCES * sizeof *Q);
    if (l.load->contact && guard <= 0)
        return true;
    if (!l.load->contact && !(guard >= least_cosine))
        return false;
    l.load->site.code->value(l.b1, l.b2, l.b3, l.p, Q);
    scatter(d, l.load, Q);
    return true;
}

bool ib_loads_eval(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_loads; i++)
        if (!eval_one(d, i)) {
            d->fault_force = (int)(m->n_forces + m->n_auxiliaries + i);
            return false;
        }
    return true;
}

void ib_load_slopes(const ib_dynamics *d, size_t index, double *K, double *Kv) {
    placed_load l;
    place(d, index, &l);
    if (l.load->contact && guard_of(&l) <= 0)
        return;
    l.load->site.code->slopes(l.b1, l.b2, l.b3, l.p, K, Kv);
}

double ib_load_depth(const ib_dynamics *d, size_t index) {
    placed_load l;
    place(d, index, &l);
    return guard_of(&l);
}

double ib_loads_energy(const ib_dynamics *d) {
    double sum = 0;
    for (size_t i = 0; i < d->mechanism->n_loads; i++) {
        double energy;
        placed_load l;
        place(d, i, &l);
        l.load->site.code->energy(l.b1, l.b2, l.b3, l.p, &energy);
        sum += energy;
    }
    return sum;
}

/* Where body 1 is the ground, its point and axes are global. */
void ib_dynamics_load(const ib_dynamics *d, int index, double force[3], double torque[3]) {
    const mech_load *load = &d->mechanism->loads[index];
    const double *Q = d->load + IB_LOAD_FORCES * index;
    const double *R = ib_site_kin(d, &load->site, 0) + IB_KIN_R;
    double arm[3];
    memcpy(force, Q, 3 * sizeof *force);
    ib_mul3v(R, Q + 3, torque);
    ib_mul3v(R, load->s1, arm);
    ib_cross(arm, force, arm);
    ib_sub3(torque, arm, torque);
}
