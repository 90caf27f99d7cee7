/* A vehicle whose plant is a mechanism: bodies that move against each other, with the joints and
 * forces of their model, in the environment of the mission.
 *
 * The system runs in the launch frame, which is inertial, with gravity and air asked of the
 * environment at each body. What devices do pushes the bodies that they stand on, or goes to the
 * model's inputs; both are held over a tick.
 *
 * Directions and places of devices are in structure axes, like those of a rigid vehicle, as they
 * are at t = 0; each body carries its own copy of these axes along.
 */
#ifndef IB_WORLD_MACHINE_H
#define IB_WORLD_MACHINE_H

#include "world/vehicle.h"

struct ib_tick;
struct ib_world;

struct ib_machine {
    const ib_model *model;
    ib_system *system;
    ib_mech_field field;
    const ib_environment *environment;
    const double *origin, *launch; /* of the launch frame (the world's) */
    double *wrenches, *sums;       /* [6 n_parts] what pushes now, and room for a sum; body axes */
    ib_truth_point *truths;        /* [n_parts] of those that carry devices, */
    uint32_t carriers;             /* which are these */
    ib_handle *channels;           /* that are shown as the vehicle's `plant.*` */
    size_t n_channels;
    void *before; /* the system's state at the start of the last tick, its inputs set */
    void *now;    /* room for another one */
};

/* The vehicle's state, truths and surroundings from the system's. */
void ib_machine_show(ib_vehicle *vehicle, ib_time now);
/* Stage 3: pushes and inputs. Stage 4: over a tick. */
void ib_machine_forces(ib_vehicle *vehicle);
void ib_machine_integrate(ib_vehicle *vehicle, const struct ib_tick *tick);
/* The values of all channels of the vehicle as they were within the last tick. */
void ib_machine_back(const struct ib_world *world, ib_vehicle *vehicle, ib_time time,
                     double *values);
/* The values of the channels `plant.*`; NaN where they have none. */
void ib_machine_channels(const struct ib_machine *machine, double *values);
/* Bytes of its state in a snapshot, and passing them. */
size_t ib_machine_state_size(const ib_vehicle *vehicle);
void ib_machine_save(const ib_vehicle *vehicle, void *bytes);
void ib_machine_restore(ib_vehicle *vehicle, const void *bytes, ib_time now);

#endif
