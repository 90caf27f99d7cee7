/* What the parts of the implicit integrators share. Private to mechanics. */
#ifndef IB_MECHANICS_IMPLICIT_H
#define IB_MECHANICS_IMPLICIT_H

#include "mechanics/mechanism.h"

/* What an iteration matrix is made of, at the kinematics and forces last evaluated. */
typedef struct mech_tangent {
    ib_dynamics *d;
    bool planes; /* two planes for Radau IIA, else the matrix of generalised-alpha */
    double h, mass_factor, rate_factor;
    const double *turn;         /* [9 n_bodies] T(e) of each body; NULL where nothing has turned */
    const double *lambda;       /* [n_rows] of Gᵀ lambda in the body rows */
    const double *epsilon;      /* [n_rows] */
    const double *acceleration; /* [6 n_bodies] of the bodies; not of the planes */
} mech_tangent;

/* One step of generalised-alpha. */
typedef struct implicit_step {
    ib_dynamics *d;
    double h;
    double alpha_m, alpha_f, beta, gamma;
    double mass_factor;         /* (1 - alpha_m) / (beta (1 - alpha_f)): h^2 d vdot / d increment */
    double rate_factor;         /* gamma / beta: h d v / d increment */
    double theta, lag_m, lag_f; /* of auxiliary states */
    double lag_factor;          /* s = known + lag_factor s' */
    double *increment;          /* [6 n_bodies] d (global, m) and e (body axes, rad) */
    double *kept;               /* [6 n_bodies] algorithmic accelerations of the last step */
    double *a;                  /* [6 n_bodies] these, as the length of this step wants them */
    double *vdot;               /* [6 n_bodies] accelerations of the last step */
    double *a_next, *vdot_next;
    double *lag_rate, *lag_true; /* [n_auxiliaries] algorithmic and true rates of the last step */
    double *w;                   /* [n_auxiliaries] lag_rate as the length of this step wants it */
    double *lag_known;           /* [n_auxiliaries] */
    double *next;                /* [ib_state_size] the new state */
    double *tangent;             /* [9 n_bodies] T(e) of each body */
    double *scaled_lambda;       /* [n_rows] h^2 lambda */
    double *epsilon;             /* [n_rows] */
    double *position_error, *velocity_error; /* [6 n_bodies] estimates of a step's */
    double *lag_error;                       /* [n_auxiliaries] likewise */
} implicit_step;

/* Assembles and factors the matrix of generalised-alpha in d->newton. Returns singular pivots. */
int ib_tangent_factor(const mech_tangent *tangent);
/* Assembles the two planes of Radau IIA, each as large as the values of the implicit matrix. */
void ib_tangent_planes(const mech_tangent *tangent, double *position, double *velocity);
/* The body in whose axes the planes have the rows of a constraint that hold a point; -1 where its
 * rows are taken as they are. */
static inline int ib_turning_body(const mech_constraint *c) {
    return c->site.code->coincident ? c->body[c->active[0]] : -1;
}
/* The step, or one so short that no body turns more than 2 rad: the tangent operator is singular at
 * a full turn. */
ib_time ib_limit_turn(const ib_dynamics *d, ib_time step);

#endif
