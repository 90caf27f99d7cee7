/* plant: what the world steps, and its faces. The one header that siblings include. */
#ifndef IB_PLANT_H
#define IB_PLANT_H

#include "ironbird/plant.h"
#include "ironbird/system.h"
#include "mechanics/mechanics.h"
#include "model/model.h"

/* ---- outside.c: a system as a part of a larger world ---- */

/* Gives a system gravity and air from outside (mechanics.h), for a mission's environment; borrowed,
 * NULL for the model's own. */
ib_status ib_system_set_field(ib_system *system, const ib_mech_field *field, ib_diags *diags);
/* Moves a fresh system to where it starts, as one rigid body, with a field like the above, and
 * assembles it there. */
ib_status ib_system_place(ib_system *system, const ib_rigid_motion *motion,
                          const ib_mech_field *field, ib_diags *diags);
/* An input that goes on within its limits as c0 + c1 s + c2 s^2, s seconds from now, until it is
 * set; c0 is what it is now. IB_UNSUPPORTED where it moves a driver: that has to be held. */
ib_status ib_system_set_course(ib_system *system, ib_handle input, const double coefficients[3],
                               ib_diags *diags);
/* Pushes every body of the model: force (N) and torque about its place (N m), body axes, six
 * numbers a body; held until they are set anew. */
ib_status ib_system_push(ib_system *system, const double *wrenches, ib_diags *diags);
/* The same after a restore: what it was when the state was saved. */
void ib_system_push_again(ib_system *system, const double *wrenches);
/* The run of all bodies at the present time, for reading (mechanics.h). */
ib_status ib_system_look(ib_system *system, const ib_dynamics **dynamics, ib_diags *diags);

#endif
