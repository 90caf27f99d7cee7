/* Ordinary differential equations y' = f(t, y) as initial value problems: steps under error control
 * with values anywhere inside a step.
 *
 * Two methods share one face: Dormand & Prince's explicit pair of order 5(4), and Radau IIA of
 * order 5 for stiff problems. A solver is started at a point, takes one accepted step at a time,
 * tells the state anywhere within the last step, and is started anew behind a discontinuity. It
 * finds no roots (num/root.h does) and knows no constraints (mechanics does).
 */
#ifndef IB_NUM_ODE_H
#define IB_NUM_ODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an evaluation came to. */
typedef enum ib_ode_verdict {
    IB_ODE_GOOD,
    IB_ODE_AGAIN, /* no value here; a shorter step may find one */
    IB_ODE_BROKEN /* no value, and none will come: the solver asks nothing further */
} ib_ode_verdict;

typedef struct ib_ode_problem {
    void *context;
    size_t n;
    /* rate (n) = f(t, y). */
    ib_ode_verdict (*rate)(void *context, double t, const double *y, double *rate);
    /* J (n x n) = df/dy where f is `rate`; the stiff method alone asks. */
    ib_ode_verdict (*jacobian)(void *context, double t, const double *y, const double *rate,
                               double *J);
} ib_ode_problem;

typedef enum ib_ode_method { IB_ODE_DOPRI5, IB_ODE_RADAU5 } ib_ode_method;

typedef struct ib_ode_statistics {
    uint64_t steps, rejections, evaluations, jacobians, factorisations;
} ib_ode_statistics;

/* How a step ended. */
typedef enum ib_ode_end {
    IB_ODE_STEPPED,
    IB_ODE_STUCK, /* no step, however short, meets the tolerance or can be evaluated */
    IB_ODE_FAILED /* an evaluation was IB_ODE_BROKEN */
} ib_ode_end;

typedef struct ib_ode ib_ode;

/* NULL when out of memory. The problem is copied. */
ib_ode *ib_ode_create(const ib_ode_problem *problem, ib_ode_method method);
void ib_ode_destroy(ib_ode *ode); /* NULL is allowed */

/* The error of y_i in a step is held against rtol |y_i| + atol_i (copied, n); no step is longer
 * than `most`. Applies from the next step on. */
void ib_ode_set_tolerance(ib_ode *ode, double rtol, const double *atol, double most);
/* Begins at (t, y), forgetting everything that came before but the counts. */
void ib_ode_start(ib_ode *ode, double t, const double *y);
/* Takes one step, not beyond `limit` > t; a step that comes near it ends there exactly. */
ib_ode_end ib_ode_step(ib_ode *ode, double limit);

/* Where it stands: the end of the last step. */
double ib_ode_time(const ib_ode *ode);
const double *ib_ode_state(const ib_ode *ode);
/* The start of the last step. */
double ib_ode_before(const ib_ode *ode);
/* y (n) at a time within the last step, of order 4 (explicit) or 3 (stiff) in the step. */
void ib_ode_between(const ib_ode *ode, double t, double *y);
/* The component whose error was largest when no step was found; n when that is not known. */
size_t ib_ode_worst(const ib_ode *ode);
ib_ode_statistics ib_ode_counts(const ib_ode *ode);

#endif
