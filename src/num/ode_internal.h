/* What the parts of the solver of ordinary differential equations share. Private to num. */
#ifndef IB_NUM_ODE_INTERNAL_H
#define IB_NUM_ODE_INTERNAL_H

#include "base/base.h"
#include "num/dense.h"
#include "num/ode.h"
#include "num/tableau.h"

enum { IB_ODE_STAGES = 7 }; /* of Dormand & Prince, the new point's included */

/* What Radau IIA keeps. */
typedef struct ib_ode_radau {
    double *J;              /* [n][n] */
    double *real, *complex; /* [n][n] and, as a real matrix, [2 n][2 n], factored */
    size_t *exchanged, *exchanged_2;
    double *z[3], *w[3], *f[3]; /* [n] of the stages; w = T^-1 z */
    double *kept[3];            /* [n] z of the last step */
    double *right;              /* [2 n] */
    double *point;              /* [n] */
    double factored_h;          /* that real and complex belong to; 0: to none */
    bool fresh;                 /* J is of this point */
    bool wanted;                /* J is to be made anew */
    double contraction;         /* of Newton's method, last */
    double before_h, before_error;
} ib_ode_radau;

struct ib_ode {
    ib_ode_problem problem;
    ib_ode_method method;
    size_t n;
    double rtol, most;
    double *atol; /* [n] */

    double t;           /* the present point */
    double *y, *rate;   /* [n] there; rate only when it was found */
    bool rated, began;  /* a first step was chosen */
    double h;           /* that the next step should have */
    double last_error;  /* of the last accepted step */
    bool after_refusal; /* the step before this one was refused */

    double before, span; /* start and length of the last step */
    double *old;         /* [n] state at its start */
    double *next;        /* [n] being tried */
    double *estimate;    /* [n] of the error */
    size_t worst;

    double *K[IB_ODE_STAGES]; /* [n]; explicit */
    double *dense[3];         /* [n]; explicit */
    ib_ode_radau *radau;      /* stiff */

    ib_ode_statistics counts;
    double *memory;
};

/* What an attempt at a step came to: accepted when error <= 1. */
typedef struct ib_ode_attempt {
    ib_ode_verdict verdict; /* AGAIN: no error is known */
    double error;
    double next_h; /* proposed for the next attempt or step */
} ib_ode_attempt;

ib_ode_verdict ib_ode_rate(ib_ode *ode, double t, const double *y, double *rate);
/* Root mean square of x_i / (atol_i + rtol max(|y_i|, |next_i|)); notes the worst component. */
double ib_ode_norm(ib_ode *ode, const double *x, const double *y, const double *next);
double ib_ode_clamp(double x, double low, double high);

/* ode_explicit.c, ode_radau.c: tries a step to `end` and leaves the state there in ode->next. */
ib_ode_attempt ib_ode_explicit_try(ib_ode *ode, double end);
void ib_ode_explicit_accept(ib_ode *ode);
void ib_ode_explicit_between(const ib_ode *ode, double part, double *y);
ib_ode_radau *ib_ode_radau_create(size_t n);
void ib_ode_radau_destroy(ib_ode_radau *radau);
void ib_ode_radau_start(ib_ode *ode);
ib_ode_attempt ib_ode_radau_try(ib_ode *ode, double end);
void ib_ode_radau_accept(ib_ode *ode);
void ib_ode_radau_between(const ib_ode *ode, double part, double *y);

#endif
