/* The first moment in an interval at which one of several functions changes sign. */
#ifndef IB_NUM_ROOT_H
#define IB_NUM_ROOT_H

#include "num/ode.h"

#include <stddef.h>

/* Signs are two: x > 0 and everything else. */
typedef struct ib_roots {
    void *context;
    size_t n;
    ib_ode_verdict (*values)(void *context, double t, double *values); /* n values at a time */
    double *low, *high, *middle; /* [n] values at the ends of the interval, and work */
} ib_roots;

/* True when a function has another sign in `high` than in `low`. */
bool ib_roots_changed(const ib_roots *roots);
/* The first function that has; n when none. */
size_t ib_roots_which(const ib_roots *roots);
/* A function changed between *a (values in low) and *b (in high): draws both together around a
 * change that has no other one found before it, until they are `tolerance` apart or neighbours as
 * doubles. *b is behind the change. */
ib_ode_verdict ib_roots_locate(ib_roots *roots, double *a, double *b, double tolerance);

#endif
