/* What sensors tell of a state. Private to plant. */
#ifndef IB_PLANT_SENSOR_H
#define IB_PLANT_SENSOR_H

#include "plant/channels.h"

/* The value of one of a sensor's channels. Valid after a refresh of the dynamics. */
double ib_sensor_value(const compiled_model *compiled, const ib_dynamics *dynamics,
                       const ib_sensor *sensor, channel_kind kind, int component);
/* Force and torque that one force of the model exerts on body 1, global axes. */
void ib_force_on_body1(const compiled_force *parts, const ib_dynamics *dynamics, double force[3],
                       double torque[3]);
/* The Euler angles (rad) of a unit quaternion in an intrinsic sequence such as "zyx". */
void ib_euler_angles(const double q[4], const char *sequence, double angles[3]);

#endif
