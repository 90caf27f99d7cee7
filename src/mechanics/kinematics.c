/* Kinematics of bodies as elements see them: pose, velocities, and how R turns. */
#include "mechanics/mechanism.h"

#include <string.h>

/* r, R, v, w of all bodies from a state. */
void ib_kin_update(ib_dynamics *d, const double *y) {
    for (size_t b = 0; b < d->mechanism->n_bodies; b++) {
        const double *state = y + IB_STATE * b;
        double *kin = d->kin + IB_KIN * b;
        memcpy(kin, state, 3 * sizeof *kin);
        ib_quat_matrix(state + IB_STATE_Q, kin + IB_KIN_R);
        memcpy(kin + IB_KIN_V, state + IB_STATE_V, 6 * sizeof *kin);
    }
}

/* out = R w^: each row of R crossed with w. */
static void spin(const double R[9], const double w[3], double out[9]) {
    for (int i = 0; i < 3; i++)
        ib_cross(R + 3 * i, w, out + 3 * i);
}

/* R' = R w^ and R'' = R' w^, for gamma. */
void ib_kin_spin(ib_dynamics *d) {
    for (size_t b = 0; b < d->mechanism->n_bodies; b++) {
        double *kin = d->kin + IB_KIN * b;
        spin(kin + IB_KIN_R, kin + IB_KIN_W, kin + IB_KIN_R1);
        spin(kin + IB_KIN_R1, kin + IB_KIN_W, kin + IB_KIN_R2);
    }
}
