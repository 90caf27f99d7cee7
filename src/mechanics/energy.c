/* Energy and momentum of the present state, summed over bodies, springs and loads.
 *
 * Gravity, linear springs and loads have a potential here; expression forces count as applied.
 */
#include "mechanics/site.h"

/* Gravity is a field's, whose potential is not known here. */
static bool is_outside(const ib_dynamics *d) { return d->field && d->field->gravity; }

/* What comes in with the first moment s of a body, whose place is not its centre of mass. */
static void add_moment(const ib_dynamics *d, size_t b, ib_mech_energy *sum) {
    const double *kin = d->kin + IB_KIN * b, *v = kin + IB_KIN_V;
    double swing[3], arm[3], turn[3];
    ib_cross(kin + IB_KIN_W, d->moment + 3 * b, swing);
    ib_mul3v(kin + IB_KIN_R, swing, swing);
    ib_mul3v(kin + IB_KIN_R, d->moment + 3 * b, arm);
    sum->kinetic += ib_dot(v, swing);
    if (!is_outside(d))
        sum->potential -= ib_dot(d->mechanism->options.gravity, arm);
    ib_axpy(sum->momentum, 1, swing, sum->momentum);
    ib_cross(kin, swing, turn);
    ib_axpy(sum->angular_momentum, 1, turn, sum->angular_momentum);
    ib_cross(arm, v, turn);
    ib_axpy(sum->angular_momentum, 1, turn, sum->angular_momentum);
}

/* Kinetic energy and momenta of one body, added to the sums. */
static void add_body(const ib_dynamics *d, size_t b, ib_mech_energy *sum) {
    const ib_mechanism *m = d->mechanism;
    const double *kin = d->kin + IB_KIN * b, mass = d->mass[b];
    double spin[3], orbit[3];
    ib_mul3v(d->inertia + 9 * b, kin + IB_KIN_W, spin);
    sum->kinetic +=
        0.5 * mass * ib_dot(kin + IB_KIN_V, kin + IB_KIN_V) + 0.5 * ib_dot(kin + IB_KIN_W, spin);
    if (!is_outside(d))
        sum->potential -= mass * ib_dot(m->options.gravity, kin);
    ib_axpy(sum->momentum, mass, kin + IB_KIN_V, sum->momentum);
    ib_mul3v(kin + IB_KIN_R, spin, spin);
    ib_cross(kin, kin + IB_KIN_V, orbit);
    ib_axpy(sum->angular_momentum, mass, orbit, sum->angular_momentum);
    ib_axpy(sum->angular_momentum, 1, spin, sum->angular_momentum);
    if (m->carries[b])
        add_moment(d, b, sum);
}

/* A linear spring stores k (l - l0)^2 / 2 + preload (l - l0). */
static double spring_energy(const ib_dynamics *d, const mech_force *force) {
    const double stretch = ib_force_stretch(d, force, ib_site_value(d, &force->site));
    return 0.5 * force->given.stiffness * stretch * stretch + force->given.preload * stretch;
}

ib_mech_energy ib_dynamics_energy(const ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    ib_mech_energy sum = {0};
    for (size_t b = 0; b < m->n_bodies; b++)
        add_body(d, b, &sum);
    for (size_t i = 0; i < m->n_forces; i++)
        if (m->forces[i].law < 0)
            sum.potential += spring_energy(d, &m->forces[i]);
    sum.potential += ib_loads_energy(d);
    return sum;
}
