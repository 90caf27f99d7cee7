/* num: vectors, quaternions, rotations, dense and block factorisations, ordinary differential
 * equations. The one header that siblings include. Nothing here allocates except the analysis of a
 * block structure and the making of a solver.
 */
#ifndef IB_NUM_H
#define IB_NUM_H

#include "base/base.h"
#include "num/block.h"
#include "num/dense.h"
#include "num/kernel.h"
#include "num/ode.h"
#include "num/root.h"
#include "num/rotation.h"
#include "num/tableau.h"
#include "num/vec3.h"

#endif
