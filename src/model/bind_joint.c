/* bind_joint: joints - their points, axes and frames. */
#include "model/model_internal.h"

#include <math.h>
#include <string.h>

#define LOCKS_TRANSLATION (IB_LOCK_X | IB_LOCK_Y | IB_LOCK_Z)

/* ---- points ---- */

/* Joints that are the same wherever their point is, but for the torque that they report. */
static bool has_default_point(const ib_joint *joint) {
    return joint->type == IB_JOINT_FIXED || joint->type == IB_JOINT_PRISMATIC ||
           joint->type == IB_JOINT_PARALLEL_AXES || joint->type == IB_JOINT_PERPENDICULAR_AXES ||
           (joint->type == IB_JOINT_GENERIC && !(joint->lock & LOCKS_TRANSLATION));
}

static void bind_points(ib_loader *l, ib_record *r, ib_joint *joint) {
    const bool has_first = r->given[IB_KEY_joint_point1] != NULL;
    const bool has_second = r->given[IB_KEY_joint_point2] != NULL;
    ib_record_exclude(l, r, IB_KEY_joint_point, IB_KEY_joint_point1, "'point' sets both");
    ib_record_exclude(l, r, IB_KEY_joint_point, IB_KEY_joint_point2, "'point' sets both");
    if (r->given[IB_KEY_joint_point]) {
        ib_record_take(l, r, IB_KEY_joint_point, joint->point1);
        ib_tracked_copy(l, joint->point1, joint->point2, 3);
    } else if (has_first != has_second) {
        ib_record_need(l, r, has_first ? "point2' beside 'point1" : "point1' beside 'point2");
    } else if (!has_first && has_default_point(joint)) {
        ib_body_point(l, joint->body1, joint->point1);
        ib_tracked_copy(l, joint->point1, joint->point2, 3);
    } else if (!has_first) {
        ib_record_need(l, r, "point");
    }
}

/* The rod of a distance joint, which needs a direction. */
static void bind_length(ib_loader *l, ib_record *r, ib_joint *joint) {
    double initial;
    if (!ib_record_has(r, IB_KEY_joint_point1) || !ib_record_has(r, IB_KEY_joint_point2))
        return;
    ib_tracked_distance(l, joint->point1, joint->point2, &initial);
    if (!(initial > 0)) {
        if (ib_report(l, IB0607, r->given[IB_KEY_joint_point2],
                      "point2: it is where point1 is, so their distance has no direction"))
            ib_diags_suggest(l->diags, "a spherical joint keeps two points together");
    } else if (!r->given[IB_KEY_joint_length]) {
        ib_tracked_copy(l, &initial, &joint->length, 1);
    } else if (ib_record_has(r, IB_KEY_joint_length) && !(joint->length > 0)) {
        if (ib_report(l, IB0607, r->given[IB_KEY_joint_length],
                      "length: the distance that is kept must be more than zero"))
            ib_diags_suggest(l->diags, "a spherical joint keeps two points together");
    }
}

/* ---- axes and frames ---- */

/* The frame q turned by the smallest rotation that takes the unit vector a to b. */
static void carry_frame(ib_loader *l, const double q[4], const double a[3], const double b[3],
                        double out[4]) {
    double turn[4];
    ib_tracked_between(l, a, b, turn);
    if (turn[0] < 1e-12) { /* opposite: half a turn about any axis across */
        double R[9];
        ib_frame_from_z(a, R);
        const double half[4] = {0, R[0], R[3], R[6]};
        ib_tracked_constant(l, half, turn, 4);
    }
    ib_tracked_quat_normalize(l, turn);
    ib_tracked_quat_mul(l, turn, q, out);
    ib_tracked_quat_normalize(l, out);
}

static void axis_of(ib_loader *l, const double q[4], double axis[3]) {
    static const double z[3] = {0, 0, 1};
    ib_tracked_rotate(l, q, z, axis);
    ib_tracked_unit(l, axis, axis);
}

static void frames_from_axes(ib_loader *l, ib_joint *joint) {
    double apart[3];
    ib_sub3(joint->axis1, joint->axis2, apart);
    ib_frame_along(l, joint->axis1, joint->orientation);
    if (!(ib_norm(apart) > 0))
        ib_tracked_copy(l, joint->orientation, joint->orientation2, 4);
    else
        carry_frame(l, joint->orientation, joint->axis1, joint->axis2, joint->orientation2);
}

static void axes_from_frames(ib_loader *l, ib_joint *joint) {
    axis_of(l, joint->orientation, joint->axis1);
    axis_of(l, joint->orientation2, joint->axis2);
}

static void exclude_axes(ib_loader *l, ib_record *r) {
    static const ib_key both[] = {IB_KEY_joint_axis1, IB_KEY_joint_axis2, IB_KEY_joint_orientation};
    for (size_t i = 0; i < IB_COUNT(both); i++)
        ib_record_exclude(l, r, IB_KEY_joint_axis, both[i], "'axis' says it already");
    ib_record_exclude(l, r, IB_KEY_joint_orientation, IB_KEY_joint_axis1,
                      "'orientation' says it already");
    ib_record_exclude(l, r, IB_KEY_joint_orientation, IB_KEY_joint_axis2,
                      "'orientation' says it already");
}

/* Joints about, along or across one axis: given by one of three ways. */
static void bind_axis(ib_loader *l, ib_record *r, ib_joint *joint) {
    const bool has_first = r->given[IB_KEY_joint_axis1] != NULL;
    const bool has_second = r->given[IB_KEY_joint_axis2] != NULL;
    exclude_axes(l, r);
    if (r->given[IB_KEY_joint_axis]) {
        ib_record_take(l, r, IB_KEY_joint_axis, joint->axis1);
        ib_tracked_copy(l, joint->axis1, joint->axis2, 3);
        frames_from_axes(l, joint);
    } else if (r->given[IB_KEY_joint_orientation]) {
        ib_tracked_copy(l, joint->orientation, joint->orientation2, 4);
        axes_from_frames(l, joint);
    } else if (has_first && has_second) {
        frames_from_axes(l, joint);
    } else if (has_first || has_second) {
        ib_record_need(l, r, has_first ? "axis2' beside 'axis1" : "axis1' beside 'axis2");
    } else {
        ib_record_need(l, r, "axis");
    }
}

/* fixed, generic: a frame, or one on each body. */
static void bind_frame(ib_loader *l, ib_record *r, ib_joint *joint) {
    const bool has_first = r->given[IB_KEY_joint_orientation1] != NULL;
    const bool has_second = r->given[IB_KEY_joint_orientation2] != NULL;
    static const ib_key apart[] = {IB_KEY_joint_orientation1, IB_KEY_joint_orientation2};
    for (size_t i = 0; i < IB_COUNT(apart); i++) {
        ib_record_exclude(l, r, IB_KEY_joint_orientation, apart[i], "'orientation' sets both");
        ib_record_exclude(l, r, IB_KEY_joint_axis, apart[i], "'axis' sets both");
    }
    ib_record_exclude(l, r, IB_KEY_joint_axis, IB_KEY_joint_orientation, "'axis' is its z-axis");
    if (has_first != has_second)
        ib_record_need(l, r,
                       has_first ? "orientation2' beside 'orientation1"
                                 : "orientation1' beside 'orientation2");
    if (r->given[IB_KEY_joint_axis]) {
        ib_record_take(l, r, IB_KEY_joint_axis, joint->axis1);
        ib_frame_along(l, joint->axis1, joint->orientation);
    }
    ib_record_take(l, r, IB_KEY_joint_orientation1, joint->orientation);
    if (!has_second)
        ib_tracked_copy(l, joint->orientation, joint->orientation2, 4);
    axes_from_frames(l, joint);
}

static void bind_axes(ib_loader *l, ib_record *r, ib_joint *joint) {
    switch (joint->type) {
    case IB_JOINT_REVOLUTE:
    case IB_JOINT_CYLINDRICAL:
    case IB_JOINT_PRISMATIC:
    case IB_JOINT_PLANAR:
    case IB_JOINT_PARALLEL_AXES:
    case IB_JOINT_SCREW:
    case IB_JOINT_POINT_ON_LINE:
    case IB_JOINT_POINT_ON_PLANE:
        bind_axis(l, r, joint);
        break;
    case IB_JOINT_UNIVERSAL:
    case IB_JOINT_PERPENDICULAR_AXES:
    case IB_JOINT_CONSTANT_VELOCITY:
        frames_from_axes(l, joint);
        break;
    case IB_JOINT_FIXED:
    case IB_JOINT_GENERIC:
        bind_frame(l, r, joint);
        break;
    case IB_JOINT_SPHERICAL:
    case IB_JOINT_DISTANCE:
    case IB_JOINT_GEAR:
    case IB_JOINT_RACK_PINION:
        break;
    }
}

/* ---- gears, racks and screws ---- */

/* A measure of the type that its place in the coupling wants. */
static bool check_coupled(ib_loader *l, const ib_record *r, ib_key key, int measure,
                          ib_measure_type wanted) {
    if (!ib_record_has(r, key))
        return false;
    const ib_measure *m = &l->model->measures[measure];
    if (m->type == wanted)
        return true;
    if (ib_report(l, IB0319, r->given[key], "%s: '%s' is of type %s; a %s takes %s %s here",
                  ib_keys[key].name, m->element.name, ib_measure_type_name(m->type), r->type->name,
                  wanted == IB_MEASURE_ANGLE ? "an" : "a", ib_measure_type_name(wanted)) &&
        r->type->value == IB_JOINT_GEAR && m->type == IB_MEASURE_DISPLACEMENT)
        ib_diags_suggest(l->diags, "a rack_pinion couples a displacement with an angle");
    return false;
}

static void check_not_zero(ib_loader *l, const ib_record *r, ib_key key, double value) {
    if (ib_record_has(r, key) && !(value != 0))
        ib_report(l, IB0607, r->given[key], "%s: it must not be 0", ib_keys[key].name);
}

static void bind_coupling(ib_loader *l, const ib_record *r, const ib_joint *joint) {
    const bool gear = joint->type == IB_JOINT_GEAR;
    const bool first = check_coupled(l, r, IB_KEY_joint_measure1, joint->measure1,
                                     gear ? IB_MEASURE_ANGLE : IB_MEASURE_DISPLACEMENT);
    const bool second =
        check_coupled(l, r, IB_KEY_joint_measure2, joint->measure2, IB_MEASURE_ANGLE);
    if (first && second && joint->measure1 == joint->measure2)
        ib_report(l, IB0319, r->given[IB_KEY_joint_measure2],
                  "measure2: '%s' is measure1 already; a gear needs two",
                  l->model->measures[joint->measure2].element.name);
    check_not_zero(l, r, IB_KEY_joint_ratio, joint->ratio);
    check_not_zero(l, r, IB_KEY_joint_radius, joint->radius);
}

/* ---- friction ---- */

/* The map of a joint's friction. What turns needs a radius, what does not has none. */
static void bind_friction(ib_loader *l, ib_record *outer, ib_joint *joint) {
    ib_joint_friction *friction = &joint->friction;
    ib_yaml *map = outer->given[IB_KEY_joint_friction];
    const bool turns = joint->type != IB_JOINT_PRISMATIC;
    ib_record r;
    if (!map)
        return;
    if (map->kind != IB_YAML_MAP) {
        if (ib_report_kind(l, "friction", map, "a map"))
            ib_diags_suggest(l->diags,
                             turns ? "friction: {mu: 0.1, radius: 0.01}" : "friction: {mu: 0.1}");
        return;
    }
    if (!ib_record_open(l, IB_SECTION_friction, NULL, map, &r))
        return;
    friction->stick_velocity = 1e-3;
    ib_record_read(l, &r, friction);
    joint->has_friction = true;
    ib_check_not_negative(l, &r, IB_KEY_friction_mu, friction->mu);
    ib_check_positive(l, &r, IB_KEY_friction_radius, friction->radius);
    ib_check_positive(l, &r, IB_KEY_friction_stick_velocity, friction->stick_velocity);
    if (turns && !r.given[IB_KEY_friction_radius])
        ib_record_need(l, &r, "radius");
    else if (!turns && r.given[IB_KEY_friction_radius] &&
             ib_report(l, IB0214, r.given[IB_KEY_friction_radius],
                       "radius: nothing turns in a prismatic joint"))
        ib_diags_suggest(l->diags, "leave it out, or make the joint cylindrical");
}

/* ---- what a generic joint locks ---- */

static void bind_lock(ib_loader *l, ib_record *r, ib_joint *joint) {
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
    ib_yaml *list = r->given[IB_KEY_joint_lock];
    if (!list)
        return;
    if (list->kind != IB_YAML_LIST) {
        ib_report_kind(l, "lock", list, "a list of x, y, z, rx, ry, rz");
        return;
    }
    if (list->n == 0)
        ib_report(l, IB0224, list, "lock: this list locks nothing");
    for (size_t i = 0; i < list->n; i++) {
        ib_yaml *item = list->items[i];
        size_t which = 0;
        while (which < IB_COUNT(names) && strcmp(item->text, names[which]) != 0)
            which++;
        if (which == IB_COUNT(names))
            ib_report(l, IB0215, item, "lock: '%s' is none of x, y, z, rx, ry, rz", item->text);
        else if (joint->lock & 1U << which)
            ib_report(l, IB0203, item, "lock: '%s' is listed twice", item->text);
        else
            joint->lock |= 1U << which;
    }
}

static void bind_joint(ib_loader *l, const ib_yaml_entry *entry, ib_joint *joint) {
    const ib_joint fresh = {.element = ib_element_of(l, entry->key),
                            .body1 = IB_GROUND,
                            .body2 = IB_GROUND,
                            .axis1 = {0, 0, 1},
                            .axis2 = {0, 0, 1},
                            .release = -1,
                            .measure1 = -1,
                            .measure2 = -1,
                            .orientation = {1, 0, 0, 0},
                            .orientation2 = {1, 0, 0, 0}};
    ib_record r;
    *joint = fresh;
    ib_place_direction(l, joint->axis1);
    ib_place_direction(l, joint->axis2);
    ib_place_orientation(l, joint->orientation);
    ib_place_orientation(l, joint->orientation2);
    if (!ib_record_open(l, IB_SECTION_joint, entry->key, entry->value, &r))
        return;
    joint->type = (ib_joint_type)r.type->value;
    ib_record_read(l, &r, joint);
    if (r.given[IB_KEY_joint_release])
        joint->release = ib_find_event(l, r.given[IB_KEY_joint_release]);
    if (ib_record_has(&r, IB_KEY_joint_body1) && !r.bad[IB_KEY_joint_body2])
        ib_check_two_bodies(l, &r, joint->body1, joint->body2, IB_KEY_joint_body2);
    if (joint->type == IB_JOINT_GEAR || joint->type == IB_JOINT_RACK_PINION) {
        bind_coupling(l, &r, joint);
        return;
    }
    check_not_zero(l, &r, IB_KEY_joint_pitch, joint->pitch);
    bind_lock(l, &r, joint);
    if (joint->type == IB_JOINT_DISTANCE)
        bind_length(l, &r, joint);
    else
        bind_points(l, &r, joint);
    bind_axes(l, &r, joint);
    bind_friction(l, &r, joint);
}

void ib_bind_joints(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_joints && ib_going_on(l); i++)
        bind_joint(l, ib_section_entry(l, IB_KEY_top_joints, i), &l->model->joints[i]);
}
