/* One step of Radau IIA, as its parts see it. Private to mechanics. */
#ifndef IB_MECHANICS_RADAU_H
#define IB_MECHANICS_RADAU_H

#include "mechanics/implicit.h"

/* The method in use, or that with a number of stages. */
static inline const ib_radau_table *ib_radau_with(int stages) {
    return stages == IB_RADAU_FEWEST ? &ib_radau_5 : &ib_radau_9;
}

static inline const ib_radau_table *ib_radau_method(const ib_dynamics *d) {
    return ib_radau_with(d->header->stages);
}

/* A step from (t, y) by h. Of each stage: z, the displacements from the start (global, m) and the
 * rotation vector from the attitude there (body axes, rad); w, the changes of velocities; lambda;
 * lag, the changes of auxiliary states. */
typedef struct radau_step {
    ib_dynamics *d;
    const ib_radau_table *method;
    double h, seconds;
    double noise;                                /* |phi| that counts as none */
    size_t n;                                    /* 6 n_bodies */
    double *z[IB_RADAU_MOST], *w[IB_RADAU_MOST]; /* [n] */
    double *lambda[IB_RADAU_MOST];               /* [n_rows] */
    double *lag[IB_RADAU_MOST];                  /* [n_auxiliaries] */
    double *axes[IB_RADAU_MOST]; /* [9 (n_bodies + 1)] of the bodies, as last evaluated */
    double *rate[IB_RADAU_MOST]; /* [n] of z */
    double *left[IB_RADAU_MOST]; /* [n] what the equations of motion leave, N and N m */
    double *gap[IB_RADAU_MOST];  /* [n_rows] G v + phi_t */
    double *change[IB_RADAU_MOST], *change_2[IB_RADAU_MOST]; /* [n_rows] of multipliers */
    double *lag_rate[IB_RADAU_MOST];                         /* [n_auxiliaries] */
    double *x[IB_RADAU_MOST];    /* right sides and solutions, in elimination order */
    double *next;                /* [ib_state_size] a stage's state, or the new one */
    double *change_z, *change_w; /* [n] of a stage, or errors of the step */
    double *change_lag;          /* [stages n_auxiliaries], or [n_auxiliaries] */
    bool aimed;                  /* loads of friction are along these: */
    double *aim[IB_RADAU_MOST];  /* [3 n_frictions] */
} radau_step;

/* radau_stage.c */
void ib_radau_begin(radau_step *s, ib_dynamics *d);
/* out = sum_j row[j] x[j] over the stages. */
void ib_radau_mix(const radau_step *s, const double *row, double *const *x, size_t n, double *out);
/* Stages to start Newton's method from. */
void ib_radau_predict(radau_step *s);
/* Stages as if velocities stayed. */
void ib_radau_stay(radau_step *s);
/* Directions of the loads of friction in joints at the stages, from the multipliers of their
 * accelerations. False where they have none. */
bool ib_radau_aim(radau_step *s);
/* The state at a stage, into s->next. */
void ib_radau_place(const radau_step *s, int stage);
/* Keeps the stages for the next step's prediction. */
void ib_radau_keep(const radau_step *s);
/* Newton's method with the matrices at hand. False when it does not converge or something has no
 * value. */
bool ib_radau_iterate(const radau_step *s);

/* radau_matrix.c */
/* Takes the state y, `ahead` seconds after the accepted one, and the multipliers there as the point
 * to make the iteration matrices at; h is the step's length. */
void ib_radau_mark(ib_dynamics *d, double h, double ahead, const double *y, const double *lambda);
/* The matrices of the marked point for steps of h seconds, where they are not at hand. False when
 * something has no value or a pivot is zero. */
bool ib_radau_prepare(ib_dynamics *d, double h);
/* What regularises row k: the matrices have - slack / xi^2 on their diagonal. */
double ib_radau_slack(const ib_dynamics *d, size_t row);
/* Solves with the real matrix, or with the complex one of a pair. */
void ib_radau_solve_real(const ib_dynamics *d, double *x);
void ib_radau_solve_pair(const ib_dynamics *d, int pair, double *re, double *im);
/* What a step of positions p [n] that velocities do not make adds to the right side of the real
 * matrix, (S_v + xi M) p - M w x p, into x; p in the axes of the bodies. */
void ib_radau_feed(ib_dynamics *d, double h, const double *p, double *x);
/* out = w x p of all vectors, with the rates of the matrices' point. */
void ib_radau_carry(const ib_dynamics *d, const double *p, double *out);

/* radau_lag.c: auxiliary states. */
/* Factors their own equations at the point for steps of h seconds. */
bool ib_radau_lag_factor(ib_dynamics *d, double h);
/* Changes of all stages from lag_rate, made and left in change_lag. */
void ib_radau_lags(const radau_step *s);
/* Their errors, into change_lag. */
void ib_radau_lag_error(const radau_step *s);

#endif
