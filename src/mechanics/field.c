/* What comes from outside: gravity and air in place of the model's own, and pushes.
 *
 * Gravity is asked for once an evaluation at the place of each body, air at each place where a law
 * asks for it. The iteration matrices of implicit methods follow gravity by its gradient; to the
 * air they hold still, which costs iterations, not accuracy: over a change of place in a step it is
 * nearly the same. A push is fixed to its body. */
#include "mechanics/mechanism.h"

#include <string.h>

int ib_mechanism_add_air(ib_mechanism *m, int body, const double point[3]) {
    if (!IB_VEC_RESERVE(m->airs, m->airs_capacity, m->n_airs))
        return -1;
    mech_air *air = &m->airs[m->n_airs];
    air->body = body;
    ib_to_body(m->bodies, body, point, air->s);
    return (int)m->n_airs++;
}

void ib_dynamics_set_field(ib_dynamics *d, const ib_mech_field *field) {
    d->field = field;
    d->fresh = d->planes_made = false;
}

void ib_dynamics_push(ib_dynamics *d, int body, const double force[3], const double torque[3]) {
    memcpy(d->push + 6 * body, force, 3 * sizeof *force);
    memcpy(d->push + 6 * body + 3, torque, 3 * sizeof *torque);
}

void ib_push_eval(ib_dynamics *d, size_t b) {
    const double *push = d->push + 6 * b, *R = d->kin + IB_KIN * b + IB_KIN_R;
    double *Q = d->Q + 6 * b, force[3];
    ib_mul3v(R, push, force);
    ib_axpy(Q, 1, force, Q);
    ib_axpy(Q + 3, 1, push + 3, Q + 3);
}

/* d (R f) = R (e x f) = -R f^ e */
void ib_push_slopes(const ib_dynamics *d, size_t b, double K[36]) {
    double skew[9], slope[9];
    ib_skew(d->push + 6 * b, skew);
    ib_mul33(d->kin + IB_KIN * b + IB_KIN_R, skew, slope);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[6 * i + 3 + j] -= slope[3 * i + j];
}

void ib_gravity_eval(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    const bool outside = d->field && d->field->gravity;
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *g = d->gravity + 3 * b;
        memcpy(g, m->options.gravity, 3 * sizeof *g);
        if (outside)
            d->field->gravity(d->field->context, d->leaves[0], d->kin + IB_KIN * b, g,
                              d->gravity_gradient + 9 * b);
    }
}

void ib_air_eval(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    const bool outside = d->field && d->field->air;
    for (size_t i = 0; i < m->n_airs; i++) {
        const double *kin = d->kin + IB_KIN * m->airs[i].body;
        double *leaf = d->leaves + m->options.air_leaf + IB_MECH_AIR_LEAVES * i, place[3];
        ib_mech_air air;
        leaf[0] = outside;
        if (!outside)
            continue;
        ib_mul3v(kin + IB_KIN_R, m->airs[i].s, place);
        ib_axpy(kin, 1, place, place);
        d->field->air(d->field->context, d->leaves[0], place, &air);
        leaf[1] = air.density;
        leaf[2] = air.sound_speed;
        leaf[3] = air.pressure;
        memcpy(leaf + 4, air.velocity, sizeof air.velocity);
    }
}
