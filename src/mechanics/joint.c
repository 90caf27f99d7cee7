/* Joints: each type as one or more constraint elements with its points and axes in body axes. */
#include "mechanics/friction.h"
#include "mechanics/site.h"

#include <string.h>

/* One constraint of a joint (or a driver) in declaration order. */
static mech_constraint *add_constraint(ib_mechanism *m, ib_element_id id, int body1, int body2,
                                       int body3) {
    if (!IB_VEC_RESERVE(m->constraints, m->constraints_capacity, m->n_constraints))
        return NULL;
    mech_constraint *c = &m->constraints[m->n_constraints];
    memset(c, 0, sizeof *c);
    ib_site_place(m, &c->site, id, body1, body2, body3);
    c->n_slots = IB_SLOTS;
    c->n_active = c->site.n_active;
    memcpy(c->body, c->site.body, sizeof c->site.body);
    memcpy(c->active, c->site.active, sizeof c->site.active);
    const bool grounded = body2 == IB_MECH_GROUND && c->site.code->gradient_ground;
    c->gradient = grounded ? c->site.code->gradient_ground : c->site.code->gradient;
    c->gamma = grounded ? c->site.code->gamma_ground : c->site.code->gamma;
    c->n_rows = c->site.code->n_rows;
    c->joint = c->driver = c->measure = c->coupling = -1;
    c->declared = (int)m->n_constraints++;
    return c;
}

/* One whose value is a measure's. */
static mech_constraint *add_measure_constraint(ib_mechanism *m, const mech_measure *measure) {
    const ib_element_id id = (ib_element_id)(measure->site.code - ib_element_codes);
    const ib_mech_measure *given = &measure->given;
    mech_constraint *c = add_constraint(m, id, given->body1, given->body2, given->frame);
    if (c)
        memcpy(c->site.p, measure->site.p, sizeof c->site.p);
    return c;
}

static void column(const double frame[9], int j, double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = frame[3 * i + j];
}

static void put_column(mech_constraint *c, int at, const double frame[9], int j) {
    double v[3];
    column(frame, j, v);
    ib_site_put(&c->site, at, v);
}

static mech_constraint *joint_constraint(ib_mechanism *m, const mech_joint *joint,
                                         ib_element_id id) {
    mech_constraint *c =
        add_constraint(m, id, joint->given.body1, joint->given.body2, IB_MECH_GROUND);
    if (!c)
        return NULL;
    c->joint = (int)m->n_joints;
    if (c->site.code->n_points > 0) {
        ib_site_put(&c->site, 0, joint->s1);
        ib_site_put(&c->site, 3, joint->s2);
    }
    return c;
}

/* The three axes of both frames, as `fixed` and `prismatic` want them. */
static void put_frames(mech_constraint *c, const mech_joint *joint) {
    for (int j = 0; j < 3; j++) {
        put_column(c, 6 + 3 * j, joint->frame1, j);
        put_column(c, 15 + 3 * j, joint->frame2, j);
    }
}

/* Across axis `u` of frame 1 and `a` of frame 2. */
static bool add_perpendicular(ib_mechanism *m, const mech_joint *joint, int u, int a) {
    mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_perpendicular);
    if (!c)
        return false;
    put_column(c, 6, joint->frame1, u);
    put_column(c, 9, joint->frame2, a);
    return true;
}

/* Any of x y z rx ry rz. Two locked rotations leave the one about the third axis e free: e of body
 * 1 stays across the other two axes of body 2. One locked rotation about e keeps the next two axes
 * across each other, as a universal joint does. */
static bool add_generic(ib_mechanism *m, const mech_joint *joint) {
    const unsigned lock = joint->given.lock;
    bool good = true;
    for (int j = 0; good && j < 3; j++) {
        if (!(lock & (1U << j)))
            continue;
        mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_axial);
        good = c != NULL;
        if (good)
            put_column(c, 6, joint->frame2, j);
    }
    const unsigned turns = lock >> 3 & 7U;
    for (int e = 0; good && e < 3; e++) {
        const int next = (e + 1) % 3, last = (e + 2) % 3;
        if (turns == 7U)
            good = add_perpendicular(m, joint, next, last);
        else if (turns == (7U & ~(1U << e)))
            good = add_perpendicular(m, joint, e, next) && add_perpendicular(m, joint, e, last);
        else if (turns == 1U << e)
            good = add_perpendicular(m, joint, next, last);
    }
    return good;
}

static bool add_revolute(ib_mechanism *m, const mech_joint *joint) {
    mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_revolute);
    if (!c)
        return false;
    put_column(c, 6, joint->frame1, 0);
    put_column(c, 9, joint->frame1, 1);
    put_column(c, 12, joint->frame2, 2);
    return true;
}

static bool add_cylindrical(ib_mechanism *m, const mech_joint *joint) {
    mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_cylindrical);
    if (!c)
        return false;
    put_column(c, 6, joint->frame1, 2);
    put_column(c, 9, joint->frame2, 0);
    put_column(c, 12, joint->frame2, 1);
    return true;
}

static bool add_universal(ib_mechanism *m, const mech_joint *joint) {
    mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_universal);
    if (!c)
        return false;
    put_column(c, 6, joint->frame1, 2);
    put_column(c, 9, joint->frame2, 2);
    return true;
}

/* z of body 1 stays across x and y of body 2; up to `last` of x, y, z are put there. */
static bool add_parallel(ib_mechanism *m, const mech_joint *joint, ib_element_id id, int last) {
    mech_constraint *c = joint_constraint(m, joint, id);
    if (!c)
        return false;
    put_column(c, 6, joint->frame1, 2);
    for (int j = 0; j <= last; j++)
        put_column(c, 9 + 3 * j, joint->frame2, j);
    return true;
}

static bool add_point_on_line(ib_mechanism *m, const mech_joint *joint) {
    mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_point_on_line);
    if (!c)
        return false;
    put_column(c, 6, joint->frame2, 0);
    put_column(c, 9, joint->frame2, 1);
    return true;
}

static bool add_point_on_plane(ib_mechanism *m, const mech_joint *joint) {
    mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_axial);
    if (c)
        put_column(c, 6, joint->frame2, 2);
    return c != NULL;
}

static bool add_constant_velocity(ib_mechanism *m, const mech_joint *joint) {
    mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_constant_velocity);
    for (int j = 0; c && j < 2; j++) {
        put_column(c, 6 + 3 * j, joint->frame1, j);
        put_column(c, 12 + 3 * j, joint->frame2, j);
    }
    return c != NULL;
}

static bool add_rod(ib_mechanism *m, const mech_joint *joint) {
    mech_constraint *c = joint_constraint(m, joint, IB_ELEMENT_rod);
    if (c)
        c->site.p[6] = joint->given.length;
    return c != NULL;
}

static bool add_framed(ib_mechanism *m, const mech_joint *joint, ib_element_id id) {
    mech_constraint *c = joint_constraint(m, joint, id);
    if (c)
        put_frames(c, joint);
    return c != NULL;
}

/* The constraint that stands for a coupling looks like that of its first measure. */
static bool add_coupling(ib_mechanism *m, const mech_joint *joint) {
    const mech_measure *measure = &m->measures[joint->given.measure1];
    mech_constraint *c = add_measure_constraint(m, measure);
    if (!c)
        return false;
    c->joint = (int)m->n_joints;
    return ib_coupling_place(m, c, joint->given.measure1, joint->given.measure2,
                             joint->given.ratio);
}

static bool add_constraints(ib_mechanism *m, const mech_joint *joint) {
    switch (joint->given.type) {
    case IB_MECH_FIXED:
        return add_framed(m, joint, IB_ELEMENT_fixed);
    case IB_MECH_SPHERICAL:
        return joint_constraint(m, joint, IB_ELEMENT_spherical) != NULL;
    case IB_MECH_REVOLUTE:
        return add_revolute(m, joint);
    case IB_MECH_CYLINDRICAL:
        return add_cylindrical(m, joint);
    case IB_MECH_PRISMATIC:
        return add_framed(m, joint, IB_ELEMENT_prismatic);
    case IB_MECH_UNIVERSAL:
        return add_universal(m, joint);
    case IB_MECH_GENERIC:
        return add_generic(m, joint);
    case IB_MECH_PLANAR:
        return add_parallel(m, joint, IB_ELEMENT_planar, 2);
    case IB_MECH_POINT_ON_LINE:
        return add_point_on_line(m, joint);
    case IB_MECH_POINT_ON_PLANE:
        return add_point_on_plane(m, joint);
    case IB_MECH_PARALLEL_AXES:
        return add_parallel(m, joint, IB_ELEMENT_parallel, 1);
    case IB_MECH_PERPENDICULAR_AXES:
        return add_perpendicular(m, joint, 2, 2);
    case IB_MECH_CONSTANT_VELOCITY:
        return add_constant_velocity(m, joint);
    case IB_MECH_ROD:
        return add_rod(m, joint);
    case IB_MECH_SCREW:
        return add_cylindrical(m, joint) && add_coupling(m, joint);
    case IB_MECH_COUPLING:
        return add_coupling(m, joint);
    }
    return false;
}

/* A coupling stands where its first measure does. */
static void take_place(const mech_measure *measure, ib_mech_joint *joint) {
    joint->body1 = measure->given.body1;
    joint->body2 = measure->given.body2;
    memcpy(joint->point1, measure->given.point1, sizeof joint->point1);
    memcpy(joint->point2, measure->given.point2, sizeof joint->point2);
}

/* A frame of global axes at t = 0 in the axes of a body. */
static void frame_to_body(const ib_mech_body *bodies, int body, const double frame[9],
                          double out[9]) {
    for (int j = 0; j < 3; j++) {
        double v[3];
        column(frame, j, v);
        ib_vector_to_body(bodies, body, v, v);
        for (int i = 0; i < 3; i++)
            out[3 * i + j] = v[i];
    }
}

int ib_mechanism_add_joint(ib_mechanism *m, const ib_mech_joint *given) {
    if (!IB_VEC_RESERVE(m->joints, m->joints_capacity, m->n_joints))
        return -1;
    mech_joint *joint = &m->joints[m->n_joints];
    memset(joint, 0, sizeof *joint);
    joint->given = *given;
    given = &joint->given;
    if (given->type == IB_MECH_COUPLING)
        take_place(&m->measures[given->measure1], &joint->given);
    joint->first = (int)m->n_constraints;
    ib_to_body(m->bodies, given->body1, given->point1, joint->s1);
    ib_to_body(m->bodies, given->body2, given->point2, joint->s2);
    frame_to_body(m->bodies, given->body1, given->frame1, joint->frame1);
    frame_to_body(m->bodies, given->body2, given->frame2, joint->frame2);
    if (!add_constraints(m, joint))
        return -1;
    joint->count = (int)m->n_constraints - joint->first;
    joint->friction = -1;
    if (given->friction.mu > 0 && !ib_friction_place(m, (int)m->n_joints))
        return -1;
    return (int)m->n_joints++;
}

int ib_mechanism_add_driver(ib_mechanism *m, const ib_mech_driver *given) {
    if (!IB_VEC_RESERVE(m->drivers, m->drivers_capacity, m->n_drivers))
        return -1;
    mech_constraint *c = add_measure_constraint(m, &m->measures[given->measure]);
    if (!c)
        return -1;
    c->driver = (int)m->n_drivers;
    c->measure = given->measure;
    m->drivers[m->n_drivers] = (mech_driver){*given, c->declared};
    return (int)m->n_drivers++;
}
