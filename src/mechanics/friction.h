/* Friction in joints, as the solvers see it. Private to mechanics. */
#ifndef IB_MECHANICS_FRICTION_H
#define IB_MECHANICS_FRICTION_H

#include "mechanics/mechanism.h"

/* Gives a joint, the last one added, the friction that it says. False when out of memory. */
bool ib_friction_place(ib_mechanism *m, int joint);
/* The constraint whose first rows hold the force that makes the load. */
const mech_constraint *ib_friction_constraint(const ib_mechanism *m, size_t index);
/* Loads from the multipliers, scale lambda, and their friction into d->Q. Loads are the lengths of
 * forces, or their parts along `aim` (3 each) unless that is NULL. */
void ib_friction_add(ib_dynamics *d, const double *lambda, double scale, const double *aim);
/* K and Kv of one joint's friction at the load last found, squares of 12 into zeros (element.h). */
void ib_friction_slopes(const ib_dynamics *d, size_t index, double *K, double *Kv);
/* In the place of ib_solver_accelerations, with d->Q without friction, which is added. False when
 * no load agrees with its own friction; d->fault_force says where. */
bool ib_friction_accelerations(ib_dynamics *d, double *lambda, int refinements);
/* After that: by how much a newton of load makes loads grow through its own friction, at most, and
 * in which joint. */
double ib_friction_gain(const ib_dynamics *d, size_t *joint);
/* For corrections at the present kinematics, their factor and these multipliers. False when
 * singular. */
bool ib_friction_prepare(ib_dynamics *d, const double *lambda);
/* After that, x with G x = c in the directions in which multipliers move bodies, their friction
 * included. */
void ib_friction_correction(ib_dynamics *d, double *c, double *x);

#endif
