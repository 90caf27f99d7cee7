/* Names, units and descriptions of a system's channels (spec: channels). */
#include "plant/channels.h"

#include <stdlib.h>
#include <string.h>

/* A family of channels: one for each component's suffix. */
typedef struct family {
    channel_kind kind;
    const char *suffix; /* after the element's name */
    const char *parts;  /* one letter a component, or "" for a scalar */
    const char *unit;
    const char *description;
    bool by_default;
} family;

static const family body_families[] = {
    {CHANNEL_BODY_POSITION, "position", "xyz", "m", "centre of mass, global axes", true},
    {CHANNEL_BODY_ORIENTATION, "orientation", "wxyz", "1", "quaternion from body to global axes",
     true},
    {CHANNEL_BODY_VELOCITY, "velocity", "xyz", "m/s", "of the centre of mass, global axes", true},
    {CHANNEL_BODY_RATES, "angular_velocity", "xyz", "rad/s", "body axes", true},
    {CHANNEL_BODY_ACCELERATION, "acceleration", "xyz", "m/s^2",
     "of the centre of mass, global axes", false},
};

static const family carrier_families[] = {
    {CHANNEL_BODY_MASS, "mass", "", "kg", "with what is left of the propellant", true},
    {CHANNEL_BODY_PROPELLANT, "propellant", "", "kg", "what is left", true},
    {CHANNEL_BODY_CENTRE, "centre_of_mass", "xyz", "m", "with the propellant, global axes", true},
};

static const family joint_families[] = {
    {CHANNEL_JOINT_FORCE, "force", "xyz", "N", "on body1 at the joint's point, global axes", true},
    {CHANNEL_JOINT_TORQUE, "torque", "xyz", "N m", "on body1 at the joint's point, global axes",
     true},
};

static const family force_coupling = {
    CHANNEL_JOINT_LAMBDA, "lambda", "", "N", "on measure1, towards increasing values", true};
static const family torque_coupling = {
    CHANNEL_JOINT_LAMBDA, "lambda", "", "N m", "on measure1, towards increasing values", true};
static const family screw_coupling = {
    CHANNEL_JOINT_LAMBDA, "lambda", "", "N", "along the axis, by which turning drives body1", true};

static const family friction_force = {CHANNEL_JOINT_FRICTION_FORCE,
                                      "friction.force",
                                      "",
                                      "N",
                                      "of friction on body1 along the axis",
                                      true};
static const family friction_torque = {CHANNEL_JOINT_FRICTION_TORQUE,
                                       "friction.torque",
                                       "",
                                       "N m",
                                       "of friction on body1 about the axis",
                                       true};

static const family line_force = {
    CHANNEL_FORCE_VALUE, "value", "", "N", "positive pulls the points together", true};
static const family axis_force = {CHANNEL_FORCE_VALUE,       "value", "", "N",
                                  "on body1 along the axis", true};
static const family axis_torque = {CHANNEL_FORCE_VALUE,       "value", "", "N m",
                                   "on body1 about the axis", true};
static const family angle_torque = {CHANNEL_FORCE_VALUE,          "value", "", "N m",
                                    "on body1 against its angle", true};
static const family triple_force = {CHANNEL_FORCE_VECTOR,    "force", "xyz", "N",
                                    "on body1, global axes", true};
static const family triple_torque = {CHANNEL_FORCE_TORQUE,    "torque", "xyz", "N m",
                                     "on body1, global axes", true};
static const family motor_family = {CHANNEL_MOTOR, "value", "", "", "follows its command", true};
static const family buoyancy_family = {CHANNEL_FORCE_VALUE,         "value", "", "N",
                                       "on body1, against gravity", true};
static const family thrust_family = {
    CHANNEL_FORCE_VALUE, "value", "", "N", "on body1 along the direction", true};
static const family flow_families[] = {
    {CHANNEL_FLOW_ALPHA, "alpha", "", "rad", "angle of attack", true},
    {CHANNEL_FLOW_BETA, "beta", "", "rad", "angle of sideslip", true},
    {CHANNEL_FLOW_MACH, "mach", "", "1", "airspeed over the speed of sound", true},
    {CHANNEL_FLOW_AIRSPEED, "airspeed", "", "m/s", "of the reference point", true},
    {CHANNEL_FLOW_PRESSURE, "dynamic_pressure", "", "Pa", "of the reference point", true},
};
static const family contact_family = {
    CHANNEL_FORCE_VECTOR, "force", "xyz", "N", "on body1 at the contact, global axes", true};
static const family wrench_families[] = {
    {CHANNEL_FORCE_VECTOR, "force", "xyz", "N", "on body1 at the point, global axes", true},
    {CHANNEL_FORCE_TORQUE, "torque", "xyz", "N m", "on body1, global axes", true},
};
static const family output_family = {CHANNEL_OUTPUT, "value", "", "", "output", true};

static const family lambda_family = {
    CHANNEL_DRIVER_LAMBDA,
    "lambda",
    "",
    "",
    "generalised force on the measure, positive towards increasing measure",
    true};
static const family motion_family = {
    CHANNEL_DRIVER_MOTION, "motion", "", "", "prescribed value of the measure", true};

static const family point_families[] = {
    {CHANNEL_SENSOR_POSITION, "position", "xyz", "m", "of the point", true},
    {CHANNEL_SENSOR_VELOCITY, "velocity", "xyz", "m/s", "of the point", true},
    {CHANNEL_SENSOR_ACCELERATION, "acceleration", "xyz", "m/s^2", "of the point", true},
};
static const family quaternion_family = {
    CHANNEL_SENSOR_ORIENTATION, "orientation", "wxyz", "1", "quaternion of the body's axes", true};
static const family euler_family = {CHANNEL_SENSOR_EULER,          "angle", "123", "rad",
                                    "Euler angle of the sequence", true};
static const family reaction_families[] = {
    {CHANNEL_SENSOR_FORCE, "force", "xyz", "N", "reaction on body1 at the joint's point", true},
    {CHANNEL_SENSOR_TORQUE, "torque", "xyz", "N m", "reaction on body1 at the joint's point", true},
};
static const family turn_families[] = {
    {CHANNEL_SENSOR_ANGLE, "angle", "", "rad", "of body1 about the joint's axis, counting turns",
     true},
    {CHANNEL_SENSOR_ANGULAR_RATE, "angular_velocity", "", "rad/s",
     "of body1 about the joint's axis", true},
};
static const family slide_families[] = {
    {CHANNEL_SENSOR_DISPLACEMENT, "displacement", "", "m", "of body1 along the joint's axis", true},
    {CHANNEL_SENSOR_RATE, "velocity", "", "m/s", "of body1 along the joint's axis", true},
};
static const family force_value = {CHANNEL_SENSOR_VALUE, "value", "", "N", "of the force", true};
static const family torque_value = {CHANNEL_SENSOR_VALUE, "value", "", "N m",
                                    "of the torque",      true};
static const family direction_family = {CHANNEL_SENSOR_DIRECTION,
                                        "direction",
                                        "xyz",
                                        "1",
                                        "in which a positive value acts on body1",
                                        true};

static const family system_families[] = {
    {CHANNEL_KINETIC, "energy.kinetic", "", "J", "of all bodies", false},
    {CHANNEL_POTENTIAL, "energy.potential", "", "J",
     "of gravity, linear springs, bushings and contacts", false},
    {CHANNEL_TOTAL, "energy.total", "", "J", "kinetic and potential", false},
    {CHANNEL_MOMENTUM, "momentum", "xyz", "kg m/s", "of all bodies, global axes", false},
    {CHANNEL_ANGULAR_MOMENTUM, "angular_momentum", "xyz", "kg m^2/s",
     "of all bodies about the origin, global axes", false},
    {CHANNEL_RESIDUAL_POSITION, "residual.position", "", "", "largest violation of a constraint",
     false},
    {CHANNEL_RESIDUAL_VELOCITY, "residual.velocity", "", "",
     "largest violation of a constraint's rate", false},
};

/* The name of one channel: element.suffix.part, with what is absent left out. */
static char *channel_name(channel_list *list, const char *element, const family *f, int component) {
    const char part[3] = {'.', f->parts[component], 0};
    return ib_arena_printf(list->arena, "%s%s%s%s", element ? element : "", element ? "." : "",
                           f->suffix, f->parts[0] ? part : "");
}

static void add_channel(channel_list *list, const ib_element *element, const family *f, int index,
                        int component) {
    size_t position;
    const char *name = channel_name(list, element ? element->name : NULL, f, component);
    if (!name || !IB_VEC_RESERVE(list->items, list->capacity, list->count) ||
        !ib_names_add(list->names, name, &position)) {
        list->failed = true;
        return;
    }
    channel_entry *c = &list->items[list->count++];
    c->kind = f->kind;
    c->index = index;
    c->component = component;
    c->by_default = f->by_default;
    c->info = (ib_channel_info){name, f->unit, f->description, element ? element->id : NULL};
}

static void add_family(channel_list *list, const ib_element *element, const family *f, int index) {
    const size_t parts = f->parts[0] ? strlen(f->parts) : 1;
    for (size_t k = 0; k < parts; k++)
        add_channel(list, element, f, index, (int)k);
}

/* A family whose unit is the element's own. */
static void add_family_in(channel_list *list, const ib_element *element, const family *f,
                          const char *unit, int index) {
    family own = *f;
    own.unit = unit ? unit : "";
    add_family(list, element, &own, index);
}

static void add_families(channel_list *list, const ib_element *element, const family *families,
                         size_t n, int index) {
    for (size_t i = 0; i < n; i++)
        add_family(list, element, &families[i], index);
}

static void add_joint(channel_list *list, const ib_joint *joint, int index) {
    add_families(list, &joint->element, joint_families, IB_COUNT(joint_families), index);
    if (joint->type == IB_JOINT_GEAR)
        add_family(list, &joint->element, &torque_coupling, index);
    else if (joint->type == IB_JOINT_RACK_PINION)
        add_family(list, &joint->element, &force_coupling, index);
    else if (joint->type == IB_JOINT_SCREW)
        add_family(list, &joint->element, &screw_coupling, index);
    if (joint->has_friction && joint->type != IB_JOINT_REVOLUTE)
        add_family(list, &joint->element, &friction_force, index);
    if (joint->has_friction && joint->type != IB_JOINT_PRISMATIC)
        add_family(list, &joint->element, &friction_torque, index);
}

static void add_force(channel_list *list, const ib_force *force, int index) {
    switch (force->type) {
    case IB_FORCE_SPRING_DAMPER:
        add_family(list, &force->element, &line_force, index);
        break;
    case IB_FORCE_EXPRESSION_FORCE:
        add_family(list, &force->element, force->has_axis ? &axis_force : &line_force, index);
        break;
    case IB_FORCE_TORSION_SPRING:
        add_family(list, &force->element, &angle_torque, index);
        break;
    case IB_FORCE_EXPRESSION_TORQUE:
        add_family(list, &force->element, &axis_torque, index);
        break;
    case IB_FORCE_FORCE:
        add_family(list, &force->element, &triple_force, index);
        break;
    case IB_FORCE_TORQUE:
        add_family(list, &force->element, &triple_torque, index);
        break;
    case IB_FORCE_CONTACT:
        add_family(list, &force->element, &contact_family, index);
        break;
    case IB_FORCE_BUOYANCY:
        add_family(list, &force->element, &buoyancy_family, index);
        break;
    case IB_FORCE_THRUST:
        add_family(list, &force->element, &thrust_family, index);
        break;
    case IB_FORCE_AERODYNAMIC:
        add_families(list, &force->element, wrench_families, IB_COUNT(wrench_families), index);
        add_families(list, &force->element, flow_families, IB_COUNT(flow_families), index);
        break;
    case IB_FORCE_BUSHING:
    case IB_FORCE_ROTOR:
        add_families(list, &force->element, wrench_families, IB_COUNT(wrench_families), index);
        break;
    case IB_FORCE_MOTOR:
        add_family_in(list, &force->element, &motor_family, force->unit, force->motor);
        break;
    case IB_FORCE_GRAVITY:
        break;
    }
}

static void add_joint_sensor(channel_list *list, const ib_sensor *sensor, int index) {
    add_families(list, &sensor->element, reaction_families, IB_COUNT(reaction_families), index);
    if (sensor->angle >= 0)
        add_families(list, &sensor->element, turn_families, IB_COUNT(turn_families), index);
    if (sensor->displacement >= 0)
        add_families(list, &sensor->element, slide_families, IB_COUNT(slide_families), index);
}

static void add_sensor(const ib_model *m, channel_list *list, int index) {
    const ib_sensor *sensor = &m->sensors[index];
    switch (sensor->type) {
    case IB_SENSOR_POINT:
        add_families(list, &sensor->element, point_families, IB_COUNT(point_families), index);
        break;
    case IB_SENSOR_ORIENTATION:
        add_family(list, &sensor->element, &quaternion_family, index);
        if (sensor->sequence)
            add_family(list, &sensor->element, &euler_family, index);
        break;
    case IB_SENSOR_JOINT:
        add_joint_sensor(list, sensor, index);
        break;
    case IB_SENSOR_FORCE: {
        const ib_force_type type = m->forces[sensor->force].type;
        const bool turns = type == IB_FORCE_TORQUE || type == IB_FORCE_EXPRESSION_TORQUE ||
                           type == IB_FORCE_TORSION_SPRING;
        add_family(list, &sensor->element, turns ? &torque_value : &force_value, index);
        add_family(list, &sensor->element, &direction_family, index);
        break;
    }
    }
}

/* On a length a driver exerts a force, on an angle a torque. */
static void add_driver(const ib_model *m, channel_list *list, int index) {
    const ib_driver *driver = &m->drivers[index];
    const bool turns = m->measures[driver->measure].type == IB_MEASURE_ANGLE;
    add_family_in(list, &driver->element, &lambda_family, turns ? "N m" : "N", index);
    add_family_in(list, &driver->element, &motion_family, turns ? "rad" : "m", index);
}

static void add_elements(const ib_model *m, channel_list *list) {
    for (size_t i = 0; i < m->n_bodies; i++) {
        const ib_body *body = &m->bodies[i];
        add_families(list, &body->element, body_families, IB_COUNT(body_families), (int)i);
        if (body->propellant.tank >= 0)
            add_families(list, &body->element, carrier_families, IB_COUNT(carrier_families),
                         (int)i);
    }
    for (size_t i = 0; i < m->n_joints; i++)
        add_joint(list, &m->joints[i], (int)i);
    for (size_t i = 0; i < m->n_forces; i++)
        add_force(list, &m->forces[i], (int)i);
    for (size_t i = 0; i < m->n_drivers; i++)
        add_driver(m, list, (int)i);
    for (size_t i = 0; i < m->n_outputs; i++)
        add_family_in(list, &m->outputs[i].element, &output_family, m->outputs[i].unit, (int)i);
    for (size_t i = 0; i < m->n_sensors; i++)
        add_sensor(m, list, (int)i);
    add_families(list, NULL, system_families, IB_COUNT(system_families), 0);
}

bool ib_channels_create(const ib_model *model, channel_list *list) {
    memset(list, 0, sizeof *list);
    list->arena = ib_arena_create();
    list->names = ib_names_create();
    list->failed = !list->arena || !list->names;
    if (!list->failed)
        add_elements(model, list);
    if (list->failed)
        ib_channels_destroy(list);
    return !list->failed;
}

void ib_channels_destroy(channel_list *list) {
    free(list->items);
    ib_names_destroy(list->names);
    ib_arena_destroy(list->arena);
    list->items = NULL;
    list->names = NULL;
    list->arena = NULL;
}
