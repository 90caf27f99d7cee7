/* avionics: the devices of a vehicle, their messages and the bus. The one header that siblings
 * include.
 *
 * A device is a description (immutable: what it is, how wrong it is, when it fails) and a state of
 * plain data (what a snapshot copies). A step takes both and what is true of the vehicle; it writes
 * its own state, its effects and the bus, and nothing else. Time is integer nanoseconds; vectors
 * are in body axes unless named otherwise; SI units and radians. Nothing allocates but a bus's
 * creation.
 */
#ifndef IB_AVIONICS_H
#define IB_AVIONICS_H

#include "avionics/actuator.h"
#include "avionics/bus.h"
#include "avionics/device.h"
#include "avionics/error_model.h"
#include "avionics/parameter.h"
#include "avionics/sensor.h"

#endif
