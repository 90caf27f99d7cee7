/* Forces: scalar laws, each in a direction, and the generalised forces they make.
 *
 * A force along a line acts as minus the gradient of the distance, one on an angle as minus that of
 * the angle; the others have direction elements of their own. Gravity and the gyroscopic torque -w
 * x J w are added here too.
 */
#include "mechanics/site.h"

#include <math.h>
#include <string.h>

static ib_element_id element_of(ib_mech_force_type type) {
    switch (type) {
    case IB_MECH_AXIS_FORCE:
        return IB_ELEMENT_axis_force;
    case IB_MECH_AXIS_TORQUE:
        return IB_ELEMENT_axis_torque;
    case IB_MECH_ANGLE_TORQUE:
        return IB_ELEMENT_angle;
    case IB_MECH_LINE:
        break;
    }
    return IB_ELEMENT_distance;
}

static void place_parameters(const ib_mechanism *m, mech_force *force) {
    const ib_mech_force *given = &force->given;
    double s2[3];
    switch (given->type) {
    case IB_MECH_LINE:
        ib_to_body(m->bodies, given->body2, given->point2, s2);
        ib_site_put(&force->site, 0, force->s1);
        ib_site_put(&force->site, 3, s2);
        break;
    case IB_MECH_AXIS_FORCE:
        ib_site_put(&force->site, 0, force->s1);
        ib_site_put(&force->site, 3, given->axis);
        break;
    case IB_MECH_AXIS_TORQUE:
        ib_site_put(&force->site, 0, given->axis);
        break;
    case IB_MECH_ANGLE_TORQUE:
        memcpy(force->site.p, m->measures[given->measure].site.p, sizeof force->site.p);
        break;
    }
}

int ib_mechanism_add_force(ib_mechanism *m, const ib_mech_force *given) {
    if (!IB_VEC_RESERVE(m->forces, m->forces_capacity, m->n_forces))
        return -1;
    mech_force *force = &m->forces[m->n_forces];
    memset(force, 0, sizeof *force);
    force->given = *given;
    force->law = -1;
    ib_site_place(m, &force->site, element_of(given->type), given->body1, given->body2,
                  given->frame);
    ib_to_body(m->bodies, given->body1, given->point1, force->s1);
    place_parameters(m, force);
    force->free_length = given->free_length;
    if (isnan(given->free_length)) {
        double line[3];
        ib_sub3(given->point1, given->point2, line);
        force->free_length = ib_norm(line);
    }
    return (int)m->n_forces++;
}

/* The scalar value of one force, with its direction left in J. False when it has no direction. */
static bool eval_one(ib_dynamics *d, const mech_force *force, double *J, double *value) {
    double extent = 1;
    ib_site_gradient(d, &force->site, &extent, J);
    const ib_mech_force_type type = force->given.type;
    const bool nowhere =
        (type == IB_MECH_LINE && !(extent > 0)) || (type == IB_MECH_ANGLE_TORQUE && isnan(J[3]));
    if (nowhere)
        memset(J, 0, sizeof(double) * 12);
    if (force->law >= 0)
        *value = d->law[force->law];
    else
        *value = force->given.stiffness * ib_force_stretch(d, force, extent) +
                 force->given.damping * ib_site_rate(d, &force->site, J) + force->given.preload;
    return !nowhere || (type == IB_MECH_LINE && *value == 0);
}

static void scatter(ib_dynamics *d, const mech_force *force, const double *J, double value) {
    const double signed_value = ib_force_sign(force) * value;
    for (int s = 0; s < 2; s++) {
        if (force->site.body[s] == (int)d->mechanism->n_bodies)
            continue;
        double *Q = d->Q + 6 * force->site.body[s];
        for (int k = 0; k < 6; k++)
            Q[k] += signed_value * J[6 * s + k];
    }
}

/* Gravity, the gyroscopic torque, and what pushes from outside. */
static void inertial_forces(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    ib_gravity_eval(d);
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *w = d->kin + IB_KIN * b + IB_KIN_W;
        double *Q = d->Q + 6 * b, momentum[3];
        for (int k = 0; k < 3; k++)
            Q[k] = d->mass[b] * d->gravity[3 * b + (size_t)k];
        ib_mul3v(d->inertia + 9 * b, w, momentum);
        ib_cross(momentum, w, Q + 3);
        ib_push_eval(d, b);
        if (m->carries[b])
            ib_mass_forces(d, b);
    }
}

/* The force that a root of the laws belongs to; from n_forces on auxiliary states. */
static int owner_of_law(const ib_mechanism *m, size_t root) {
    if (root >= m->n_laws + m->n_auxiliaries) {
        const int tank = m->outlets[root - m->n_laws - m->n_auxiliaries].given.tank;
        return (int)m->n_forces + m->tanks[tank].auxiliary;
    }
    if (root >= m->n_laws)
        return (int)(m->n_forces + root - m->n_laws);
    size_t i = 0;
    while (m->forces[i].law != (int)root)
        i++;
    return (int)i;
}

bool ib_laws_eval(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    if (!m->laws)
        return true;
    ib_measures_for_laws(d);
    ib_air_eval(d);
    if (ib_tape_eval(m->laws, d->leaves, d->tape_work, d->law, &d->fault))
        return true;
    d->fault_force = owner_of_law(m, d->fault.root);
    d->no_direction = false;
    return false;
}

bool ib_forces_eval(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    inertial_forces(d);
    if (!ib_laws_eval(d))
        return false;
    ib_flows_eval(d);
    for (size_t i = 0; i < m->n_forces; i++) {
        double *J = d->force_J + 18 * i;
        if (!eval_one(d, &m->forces[i], J, &d->force_value[i])) {
            d->fault_force = (int)i;
            d->no_direction = true;
            return false;
        }
        scatter(d, &m->forces[i], J, d->force_value[i]);
    }
    return ib_loads_eval(d);
}

double ib_dynamics_force(const ib_dynamics *d, int force) { return d->force_value[force]; }

void ib_dynamics_force_vector(const ib_dynamics *d, int index, double vector[3], double torque[3]) {
    const mech_force *force = &d->mechanism->forces[index];
    const double *J = d->force_J + 18 * index;
    const double value = ib_force_sign(force) * d->force_value[index];
    for (int k = 0; k < 3; k++)
        vector[k] = value * J[k];
    const double *R = ib_site_kin(d, &force->site, 0) + IB_KIN_R;
    double arm[3], moment[3] = {value * J[3], value * J[4], value * J[5]};
    ib_mul3v(R, moment, moment);
    ib_mul3v(R, force->s1, arm);
    ib_cross(arm, vector, arm);
    ib_sub3(moment, arm, torque);
}

void ib_dynamics_force_direction(const ib_dynamics *d, int index, double direction[3]) {
    const mech_force *force = &d->mechanism->forces[index];
    const ib_mech_force_type type = force->given.type;
    const bool turns = type == IB_MECH_AXIS_TORQUE || type == IB_MECH_ANGLE_TORQUE;
    /* on the ground: the opposite of what acts on body 2 */
    const int slot = force->given.body1 == IB_MECH_GROUND;
    const double sign = slot ? -ib_force_sign(force) : ib_force_sign(force);
    const double *J = d->force_J + 18 * index + 6 * slot + (turns ? 3 : 0);
    for (int k = 0; k < 3; k++)
        direction[k] = sign * J[k];
    if (turns)
        ib_mul3v(ib_site_kin(d, &force->site, slot) + IB_KIN_R, direction, direction);
    ib_unit(direction, direction);
}
