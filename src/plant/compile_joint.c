/* Joints of a model in the mechanics' terms: points and frames on both bodies, and for gears, racks
 * and screws the two measures that are coupled. */
#include "plant/compiled.h"

#include <string.h>

static ib_mech_joint_type joint_type(ib_joint_type type) {
    switch (type) {
    case IB_JOINT_FIXED:
        return IB_MECH_FIXED;
    case IB_JOINT_SPHERICAL:
        return IB_MECH_SPHERICAL;
    case IB_JOINT_REVOLUTE:
        return IB_MECH_REVOLUTE;
    case IB_JOINT_CYLINDRICAL:
        return IB_MECH_CYLINDRICAL;
    case IB_JOINT_PRISMATIC:
        return IB_MECH_PRISMATIC;
    case IB_JOINT_UNIVERSAL:
        return IB_MECH_UNIVERSAL;
    case IB_JOINT_PLANAR:
        return IB_MECH_PLANAR;
    case IB_JOINT_POINT_ON_LINE:
        return IB_MECH_POINT_ON_LINE;
    case IB_JOINT_POINT_ON_PLANE:
        return IB_MECH_POINT_ON_PLANE;
    case IB_JOINT_PARALLEL_AXES:
        return IB_MECH_PARALLEL_AXES;
    case IB_JOINT_PERPENDICULAR_AXES:
        return IB_MECH_PERPENDICULAR_AXES;
    case IB_JOINT_CONSTANT_VELOCITY:
        return IB_MECH_CONSTANT_VELOCITY;
    case IB_JOINT_DISTANCE:
        return IB_MECH_ROD;
    case IB_JOINT_GEAR:
    case IB_JOINT_RACK_PINION:
        return IB_MECH_COUPLING;
    case IB_JOINT_SCREW:
        return IB_MECH_SCREW;
    case IB_JOINT_GENERIC:
        break;
    }
    return IB_MECH_GENERIC;
}

/* Joints that see one axis alone take it as their frames' z, exactly; for the others the frames on
 * both bodies have to belong together. */
static void joint_frames(const ib_joint *given, ib_mech_joint *joint) {
    const bool framed = given->type == IB_JOINT_FIXED || given->type == IB_JOINT_SPHERICAL ||
                        given->type == IB_JOINT_PRISMATIC || given->type == IB_JOINT_GENERIC ||
                        given->type == IB_JOINT_CONSTANT_VELOCITY;
    if (framed) {
        ib_quat_matrix(given->orientation, joint->frame1);
        ib_quat_matrix(given->orientation2, joint->frame2);
        return;
    }
    ib_frame_from_z(given->axis1, joint->frame1);
    ib_frame_from_z(given->axis2, joint->frame2);
}

/* The advance along the axis and the angle about it that a screw couples, as measures of their own.
 */
static bool add_screw_measures(compiled_model *c, const ib_joint *given, ib_mech_joint *joint) {
    ib_mech_measure measure = {.name = given->element.name, .place = given->element.place};
    measure.body1 = given->body1;
    measure.body2 = measure.frame = given->body2;
    memcpy(measure.point1, given->point1, sizeof measure.point1);
    memcpy(measure.point2, given->point2, sizeof measure.point2);
    measure.type = IB_MECH_DISPLACEMENT;
    if (given->body2 == IB_GROUND)
        memcpy(measure.axis, given->axis2, sizeof measure.axis);
    else
        ib_quat_rotate_back(c->model->bodies[given->body2].orientation, given->axis2, measure.axis);
    joint->measure1 = ib_compile_measure(c, &measure);
    measure.type = IB_MECH_ANGLE;
    for (int k = 0; k < 3; k++) {
        measure.a[k] = joint->frame1[3 * k];
        measure.b[k] = joint->frame2[3 * k];
        measure.c[k] = joint->frame2[3 * k + 1];
    }
    joint->measure2 = ib_compile_measure(c, &measure);
    return joint->measure1 >= 0 && joint->measure2 >= 0;
}

/* What is coupled, and in which proportion. */
static bool add_coupling(compiled_model *c, const ib_joint *given, ib_mech_joint *joint) {
    const double turn = 6.283185307179586476925286766559;
    joint->measure1 = given->measure1;
    joint->measure2 = given->measure2;
    joint->ratio = given->type == IB_JOINT_GEAR          ? given->ratio
                   : given->type == IB_JOINT_RACK_PINION ? given->radius
                                                         : given->pitch / turn;
    return given->type != IB_JOINT_SCREW || add_screw_measures(c, given, joint);
}

bool ib_compile_joints(compiled_model *c) {
    bool good = true;
    for (size_t i = 0; good && i < c->model->n_joints; i++) {
        const ib_joint *given = &c->model->joints[i];
        ib_mech_joint joint = {.name = given->element.name, .place = given->element.place};
        joint.type = joint_type(given->type);
        if (c->welds && c->welds->gone[i])
            continue;
        joint.body1 = ib_weld_body(c->welds, given->body1);
        joint.body2 = ib_weld_body(c->welds, given->body2);
        memcpy(joint.point1, given->point1, sizeof joint.point1);
        memcpy(joint.point2, given->point2, sizeof joint.point2);
        joint_frames(given, &joint);
        joint.lock = given->lock;
        joint.release = given->release + 1;
        joint.length = given->length;
        joint.friction = (ib_mech_friction){given->friction.mu, given->friction.radius,
                                            given->friction.stick_velocity};
        good = add_coupling(c, given, &joint) && ib_mechanism_add_joint(c->mechanism, &joint) >= 0;
    }
    return good;
}
