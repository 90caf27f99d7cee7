/* Measures: named scalars of the state, as elements placed on bodies. */
#include "mechanics/site.h"

#include <string.h>

/* The element behind a measure type; -1 for those that need accelerations. */
static int element_of(ib_mech_measure_type type) {
    switch (type) {
    case IB_MECH_DISPLACEMENT:
        return IB_ELEMENT_displacement;
    case IB_MECH_VELOCITY:
        return IB_ELEMENT_velocity;
    case IB_MECH_DISTANCE:
        return IB_ELEMENT_distance;
    case IB_MECH_DISTANCE_RATE:
        return IB_ELEMENT_distance_rate;
    case IB_MECH_ANGLE:
        return IB_ELEMENT_angle;
    case IB_MECH_ANGULAR_RATE:
        return IB_ELEMENT_angular_rate;
    case IB_MECH_ANGULAR_RATE_LEGACY:
        return IB_ELEMENT_angular_rate_legacy;
    case IB_MECH_DIRECTION:
        return IB_ELEMENT_direction;
    case IB_MECH_ANGULAR_VELOCITY:
        return IB_ELEMENT_angular_velocity;
    case IB_MECH_ACCELERATION:
    case IB_MECH_ANGULAR_ACCELERATION:
    case IB_MECH_SPECIFIC_FORCE:
        break;
    }
    return -1;
}

/* Parameters in the order that tools/generate_elements.c gives each element. */
static void place_parameters(const ib_mechanism *m, mech_measure *measure) {
    const ib_mech_measure *given = &measure->given;
    mech_site *site = &measure->site;
    double v[3];
    switch (given->type) {
    case IB_MECH_DISPLACEMENT:
    case IB_MECH_VELOCITY:
        ib_site_put(site, 6, given->axis);
        ib_site_put(site, 0, measure->s1);
        ib_site_put(site, 3, measure->s2);
        break;
    case IB_MECH_DISTANCE:
    case IB_MECH_DISTANCE_RATE:
        ib_site_put(site, 0, measure->s1);
        ib_site_put(site, 3, measure->s2);
        break;
    case IB_MECH_ANGLE:
    case IB_MECH_ANGULAR_RATE:
    case IB_MECH_ANGULAR_RATE_LEGACY:
        ib_vector_to_body(m->bodies, given->body1, given->a, v);
        ib_site_put(site, 0, v);
        ib_vector_to_body(m->bodies, given->body2, given->b, v);
        ib_site_put(site, 3, v);
        ib_vector_to_body(m->bodies, given->body2, given->c, v);
        ib_site_put(site, 6, v);
        break;
    case IB_MECH_DIRECTION:
        ib_site_put(site, 0, given->vector);
        ib_site_put(site, 3, given->axis);
        break;
    case IB_MECH_ANGULAR_VELOCITY:
        ib_site_put(site, 0, given->axis);
        break;
    case IB_MECH_ACCELERATION:
    case IB_MECH_ANGULAR_ACCELERATION:
    case IB_MECH_SPECIFIC_FORCE:
        break;
    }
}

static bool add_angle(ib_mechanism *m, mech_measure *measure) {
    if (!IB_VEC_RESERVE(m->angles, m->angles_capacity, m->n_angles))
        return false;
    measure->angle = (int)m->n_angles;
    m->angles[m->n_angles++].measure = (int)m->n_measures;
    return true;
}

int ib_mechanism_add_measure(ib_mechanism *m, const ib_mech_measure *given) {
    if (!IB_VEC_RESERVE(m->measures, m->measures_capacity, m->n_measures))
        return -1;
    mech_measure *measure = &m->measures[m->n_measures];
    memset(measure, 0, sizeof *measure);
    measure->given = *given;
    measure->angle = -1;
    ib_to_body(m->bodies, given->body1, given->point1, measure->s1);
    ib_to_body(m->bodies, given->body2, given->point2, measure->s2);
    const int id = element_of(given->type);
    if (id >= 0) {
        /* a direction's only body is the one whose axes are used */
        const int body1 = given->type == IB_MECH_DIRECTION ? given->frame : given->body1;
        ib_site_place(m, &measure->site, (ib_element_id)id, body1, given->body2, given->frame);
        place_parameters(m, measure);
    }
    if (given->type == IB_MECH_ANGLE && !add_angle(m, measure))
        return -1;
    return (int)m->n_measures++;
}

/* The branch of an angle nearest to the prediction. */
double ib_angle_continue(double raw, double predicted) {
    const double turn = 6.283185307179586476925286766559;
    return raw + turn * ib_floor((predicted - raw) / turn + 0.5);
}

double ib_angle_branch(const ib_dynamics *d, int angle, double raw, double rate) {
    const double mean = 0.5 * (d->angle_rate[angle] + rate);
    return ib_angle_continue(raw, d->angle[angle] + d->angle_ahead * mean);
}

double ib_measure_angle(const ib_dynamics *d, int measure, double raw) {
    return ib_angle_branch(d, d->mechanism->measures[measure].angle, raw,
                           ib_measure_position_rate(d, measure));
}

/* Acceleration (global) of a point fixed on a body: a + R (alpha x s + w x (w x s)). */
static void point_acceleration(const ib_dynamics *d, int body, const double s[3], double out[3]) {
    memset(out, 0, 3 * sizeof *out);
    if (body == IB_MECH_GROUND)
        return;
    const double *kin = d->kin + IB_KIN * body, *acc = d->acc + 6 * body;
    double spin[3], turn[3];
    ib_cross(kin + IB_KIN_W, s, turn);
    ib_cross(kin + IB_KIN_W, turn, turn);
    ib_cross(acc + 3, s, spin);
    ib_axpy(spin, 1, turn, spin);
    ib_mul3v(kin + IB_KIN_R, spin, spin);
    ib_axpy(acc, 1, spin, out);
}

static void angular_acceleration(const ib_dynamics *d, int body, double out[3]) {
    memset(out, 0, 3 * sizeof *out);
    if (body != IB_MECH_GROUND)
        ib_mul3v(d->kin + IB_KIN * body + IB_KIN_R, d->acc + 6 * body + 3, out);
}

static void gravity_on(const ib_dynamics *d, int body, double g[3]) {
    memcpy(g, body == IB_MECH_GROUND ? d->mechanism->options.gravity : d->gravity + 3 * body,
           3 * sizeof *g);
}

/* Component, in the frame, of what needs accelerations. */
static double acceleration_value(const ib_dynamics *d, const mech_measure *measure) {
    const ib_mech_measure *given = &measure->given;
    double a1[3], a2[3] = {0, 0, 0}, axis[3];
    memcpy(axis, given->axis, sizeof axis);
    if (given->frame != IB_MECH_GROUND)
        ib_mul3v(d->kin + IB_KIN * given->frame + IB_KIN_R, given->axis, axis);
    if (given->type == IB_MECH_ANGULAR_ACCELERATION) {
        angular_acceleration(d, given->body1, a1);
        angular_acceleration(d, given->body2, a2);
    } else {
        point_acceleration(d, given->body1, measure->s1, a1);
        if (given->type == IB_MECH_ACCELERATION)
            point_acceleration(d, given->body2, measure->s2, a2);
        else
            gravity_on(d, given->body1, a2);
    }
    ib_sub3(a1, a2, a1);
    return ib_dot(a1, axis);
}

/* Rate of a function of position: J (v, w); and its value. */
static double position_rate(const ib_dynamics *d, const mech_site *site, double *value) {
    double J[6 * IB_SLOTS] = {0};
    ib_site_constants(site, J);
    ib_site_gradient(d, site, value, J);
    return ib_site_rate(d, site, J);
}

double ib_measure_value(const ib_dynamics *d, int index) {
    const mech_measure *measure = &d->mechanism->measures[index];
    if (!measure->site.code)
        return acceleration_value(d, measure) - d->offset[index];
    if (measure->angle < 0)
        return ib_site_value(d, &measure->site) - d->offset[index];
    double value;
    const double rate = position_rate(d, &measure->site, &value);
    return ib_angle_branch(d, measure->angle, value, rate) - d->offset[index];
}

double ib_measure_position_rate(const ib_dynamics *d, int index) {
    double value;
    return position_rate(d, &d->mechanism->measures[index].site, &value);
}

void ib_measures_for_laws(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_measures; i++)
        if (m->law_measure[i])
            d->leaves[m->options.measure_leaf + i] = ib_measure_value(d, (int)i);
}

double ib_dynamics_measure(const ib_dynamics *d, int measure) {
    return ib_measure_value(d, measure);
}
