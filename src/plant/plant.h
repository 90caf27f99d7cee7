/* plant: what the world steps, and its faces. The one header that siblings include. */
#ifndef IB_PLANT_H
#define IB_PLANT_H

#include "ironbird/plant.h"
#include "ironbird/system.h"
#include "mechanics/mechanics.h"
#include "model/model.h"

#endif
