/* Contacts of a sphere with a plane or a height field (docs/numerics.md, "Forces"). Their law is
 * the element's; here are their parameters, the foot of the centre on a height field, and the check
 * of how deep they start.
 */
#include "mechanics/site.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 30 };
static const double converged = 1e-11; /* of the last step, over the distance; it squares */
static const double rounding = 4e-16;  /* of places */

int ib_mechanism_add_contact(ib_mechanism *m, const ib_mech_contact *given) {
    const ib_element_id id = given->surface ? IB_ELEMENT_contact_field : IB_ELEMENT_contact_plane;
    mech_load *load = ib_load_new(m, id, given->body1, given->body2, given->name, given->place);
    if (!load)
        return -1;
    const double numbers[6] = {given->radius,      given->stiffness, given->exponent,
                               given->dissipation, given->friction,  given->stick_speed};
    ib_to_body(m->bodies, given->body1, given->point1, load->s1);
    ib_to_body(m->bodies, given->body2, given->point2, load->p + 3);
    memcpy(load->p, load->s1, sizeof load->s1);
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {given->frame[i], given->frame[3 + i], given->frame[6 + i]};
        ib_vector_to_body(m->bodies, given->body2, axis, load->p + 6 + 3 * i);
    }
    memcpy(load->p + 15, numbers, sizeof numbers);
    load->contact = true;
    load->surface = given->surface;
    load->max_depth = given->max_depth;
    return (int)(load - m->loads);
}

/* ---- the foot on a height field ---- */

/* The centre in the surface's frame. */
static void centre_of(const ib_dynamics *d, const mech_load *load, double centre[3]) {
    const double *b1 = ib_site_kin(d, &load->site, 0), *b2 = ib_site_kin(d, &load->site, 1);
    double apart[3], arm[3];
    ib_mul3v(b1 + IB_KIN_R, load->p, apart);
    ib_axpy(apart, 1, b1, apart);
    ib_sub3(apart, b2, apart);
    ib_mul3tv(b2 + IB_KIN_R, apart, arm);
    ib_sub3(arm, load->p + 3, arm);
    for (int i = 0; i < 3; i++)
        centre[i] = ib_dot(load->p + 6 + 3 * i, arm);
}

/* Height and derivatives at foot[0], foot[1]. */
static void look(const ib_table *surface, double foot[MECH_FOOT]) {
    static const uint32_t x = IB_TABLE_ALONG(0), y = IB_TABLE_ALONG(1);
    const uint32_t orders[6] = {0, x, y, 2 * x, x + y, 2 * y};
    for (int i = 0; i < 6; i++)
        foot[2 + i] = ib_table_eval(surface, orders[i], foot);
}

/* Half the squared distance from the centre. */
static double distance2(const double foot[MECH_FOOT], const double c[3]) {
    const double x = foot[0] - c[0], y = foot[1] - c[1], z = foot[2] - c[2];
    return 0.5 * (x * x + y * y + z * z);
}

/* Newton's step of that, or Gauss and Newton's where it is not convex. */
static void newton_step(const double foot[MECH_FOOT], const double c[3], double step[2]) {
    const double fx = foot[3], fy = foot[4], below = foot[2] - c[2];
    const double g[2] = {foot[0] - c[0] + below * fx, foot[1] - c[1] + below * fy};
    double xx = 1 + fx * fx, xy = fx * fy, yy = 1 + fy * fy;
    const double bent[3] = {xx + below * foot[5], xy + below * foot[6], yy + below * foot[7]};
    if (bent[0] > 0 && bent[0] * bent[2] - bent[1] * bent[1] > 1e-6 * (xx * yy)) {
        xx = bent[0];
        xy = bent[1];
        yy = bent[2];
    }
    const double determinant = xx * yy - xy * xy;
    step[0] = (xy * g[1] - yy * g[0]) / determinant;
    step[1] = (xy * g[0] - xx * g[1]) / determinant;
}

/* The step, halved until the distance does not grow. */
static void take(const ib_table *surface, const double c[3], const double step[2],
                 double foot[MECH_FOOT]) {
    const double before = distance2(foot, c);
    double next[MECH_FOOT], share = 1;
    for (int i = 0; i < 8; i++) {
        next[0] = foot[0] + share * step[0];
        next[1] = foot[1] + share * step[1];
        look(surface, next);
        if (distance2(next, c) <= before * (1 + 1e-12))
            break;
        share /= 2;
    }
    memcpy(foot, next, sizeof next);
}

/* From straight below the centre. A point that is above the surface there does not touch it. */
void ib_contact_foot(ib_dynamics *d, size_t index) {
    const mech_load *load = &d->mechanism->loads[index];
    double *foot = d->foot + MECH_FOOT * index, c[3], step[2];
    centre_of(d, load, c);
    foot[0] = c[0];
    foot[1] = c[1];
    look(load->surface, foot);
    const double radius = load->p[15];
    if (!(radius > 0) && c[2] >= foot[2])
        return;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        newton_step(foot, c, step);
        take(load->surface, c, step, foot);
        const double size = sqrt(step[0] * step[0] + step[1] * step[1]);
        if (size <= converged * (radius + fabs(foot[2] - c[2])) +
                        rounding * (fabs(foot[0]) + fabs(foot[1])))
            return;
    }
}

/* ---- the start ---- */

ib_status ib_contacts_check_start(const ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    ib_status status = IB_OK;
    for (size_t i = 0; i < m->n_loads; i++) {
        const mech_load *load = &m->loads[i];
        const double depth = load->contact ? ib_load_depth(d, i) : 0;
        if (!load->contact || depth <= load->max_depth)
            continue;
        ib_diags_add(diags, IB_ERROR, IB0644, load->place,
                     "%s: it starts %.6g m deep, more than its max_depth of %.6g m", load->name,
                     depth, load->max_depth);
        ib_diags_suggest(diags,
                         "raise body1 by as much along the surface's normal, or set max_depth");
        status = IB_BAD_INPUT;
    }
    return status;
}
