/* Elements evaluated where they stand: on the bodies of their site, in the present kinematics.
 * Private to mechanics.
 */
#ifndef IB_MECHANICS_SITE_H
#define IB_MECHANICS_SITE_H

#include "mechanics/mechanism.h"

#include <string.h>

/* Three parameters from `at` on. Their order is tools/generate_elements.c's. */
static inline void ib_site_put(mech_site *site, int at, const double v[3]) {
    memcpy(site->p + at, v, 3 * sizeof *v);
}

/* Value of an element with one row. */
static inline double ib_site_value(const ib_dynamics *d, const mech_site *site) {
    double value;
    site->code->value(ib_site_kin(d, site, 0), ib_site_kin(d, site, 1), ib_site_kin(d, site, 2),
                      site->p, &value);
    return value;
}

/* Values of the rows, and the entries of J that vary (see element.h). */
static inline void ib_site_gradient(const ib_dynamics *d, const mech_site *site, double *phi,
                                    double *J) {
    site->code->gradient(ib_site_kin(d, site, 0), ib_site_kin(d, site, 1), ib_site_kin(d, site, 2),
                         site->p, phi, J);
}

/* Rate of an element with one row from its J: J (v, w) over all slots; the ground is at rest. */
static inline double ib_site_rate(const ib_dynamics *d, const mech_site *site, const double *J) {
    double rate = 0;
    for (int s = 0; s < site->code->n_bodies; s++) {
        const double *kin = ib_site_kin(d, site, s);
        rate += ib_dot(J + 6 * s, kin + IB_KIN_V) + ib_dot(J + 6 * s + 3, kin + IB_KIN_W);
    }
    return rate;
}

/* A positive law along a line pulls the points together, against the gradient of their distance,
 * and one on an angle acts against its gradient; the others push along their direction. */
static inline double ib_force_sign(const mech_force *force) {
    const ib_mech_force_type type = force->given.type;
    return type == IB_MECH_LINE || type == IB_MECH_ANGLE_TORQUE ? -1 : 1;
}

/* What a spring is stretched by from its free length, or turned by from its free angle, where the
 * value of its element is `extent`. */
static inline double ib_force_stretch(const ib_dynamics *d, const mech_force *force,
                                      double extent) {
    if (force->given.type == IB_MECH_ANGLE_TORQUE)
        extent = ib_measure_angle(d, force->given.measure, extent);
    return extent - force->free_length;
}

#endif
