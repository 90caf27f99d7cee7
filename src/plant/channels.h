/* The channels of a system: what can be recorded, in one list. Private to plant. */
#ifndef IB_PLANT_CHANNELS_H
#define IB_PLANT_CHANNELS_H

#include "ironbird/system.h"
#include "plant/compiled.h"

/* What a channel reads; `index` is the element, `component` the entry of a vector. */
typedef enum channel_kind {
    CHANNEL_BODY_POSITION,
    CHANNEL_BODY_ORIENTATION,
    CHANNEL_BODY_VELOCITY,
    CHANNEL_BODY_RATES,
    CHANNEL_BODY_ACCELERATION,
    CHANNEL_BODY_MASS,
    CHANNEL_BODY_PROPELLANT,
    CHANNEL_BODY_CENTRE,
    CHANNEL_JOINT_FORCE,
    CHANNEL_JOINT_TORQUE,
    CHANNEL_JOINT_LAMBDA,
    CHANNEL_JOINT_FRICTION_FORCE,
    CHANNEL_JOINT_FRICTION_TORQUE,
    CHANNEL_FORCE_VALUE,
    CHANNEL_FORCE_VECTOR,
    CHANNEL_FORCE_TORQUE,
    CHANNEL_MOTOR,
    CHANNEL_FLOW_ALPHA, /* in the order of IB_FLOW_ALPHA and so on */
    CHANNEL_FLOW_BETA,
    CHANNEL_FLOW_MACH,
    CHANNEL_FLOW_AIRSPEED,
    CHANNEL_FLOW_PRESSURE,
    CHANNEL_OUTPUT,
    CHANNEL_DRIVER_LAMBDA,
    CHANNEL_DRIVER_MOTION,
    CHANNEL_SENSOR_POSITION,
    CHANNEL_SENSOR_VELOCITY,
    CHANNEL_SENSOR_ACCELERATION,
    CHANNEL_SENSOR_ORIENTATION,
    CHANNEL_SENSOR_EULER,
    CHANNEL_SENSOR_FORCE,
    CHANNEL_SENSOR_TORQUE,
    CHANNEL_SENSOR_ANGLE,
    CHANNEL_SENSOR_ANGULAR_RATE,
    CHANNEL_SENSOR_DISPLACEMENT,
    CHANNEL_SENSOR_RATE,
    CHANNEL_SENSOR_VALUE,
    CHANNEL_SENSOR_DIRECTION,
    CHANNEL_KINETIC,
    CHANNEL_POTENTIAL,
    CHANNEL_TOTAL,
    CHANNEL_MOMENTUM,
    CHANNEL_ANGULAR_MOMENTUM,
    CHANNEL_RESIDUAL_POSITION,
    CHANNEL_RESIDUAL_VELOCITY
} channel_kind;

typedef struct channel_entry {
    channel_kind kind;
    int index, component;
    ib_channel_info info;
    bool by_default; /* recorded when the model does not say */
} channel_entry;

typedef struct channel_list {
    ib_arena *arena;
    channel_entry *items;
    size_t count, capacity;
    ib_names *names;
    bool failed;
} channel_list;

/* Lists every channel of the model. False when memory is out. */
bool ib_channels_create(const ib_model *model, channel_list *list);
void ib_channels_destroy(channel_list *list);

#endif
