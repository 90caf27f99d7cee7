/* Ironbird: the whole public interface. */
#ifndef IRONBIRD_IRONBIRD_H
#define IRONBIRD_IRONBIRD_H

#include "ironbird/base.h"
#include "ironbird/fcc.h"
#include "ironbird/fmu.h"
#include "ironbird/model.h"
#include "ironbird/network.h"
#include "ironbird/plant.h"
#include "ironbird/results.h"
#include "ironbird/system.h"
#include "ironbird/world.h"

#endif
