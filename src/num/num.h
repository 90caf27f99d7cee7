/* num: vectors, quaternions, rotations, dense and block factorisations. The one header that
 * siblings include. Nothing here allocates except the analysis of a block structure.
 */
#ifndef IB_NUM_H
#define IB_NUM_H

#include "base/base.h"
#include "num/block.h"
#include "num/dense.h"
#include "num/kernel.h"
#include "num/rotation.h"
#include "num/vec3.h"

#endif
