/* plant: what the world steps, and its faces. The one header that siblings include. */
#ifndef IB_PLANT_H
#define IB_PLANT_H

#include "ironbird/plant.h"
#include "ironbird/system.h"
#include "mechanics/mechanics.h"
#include "model/model.h"

/* Gives a system gravity and air from outside (mechanics.h), for a mission's environment; borrowed,
 * NULL for the model's own. */
ib_status ib_system_set_field(ib_system *system, const ib_mech_field *field, ib_diags *diags);

#endif
