/* Explicit Runge-Kutta methods as tables. Private to mechanics. */
#ifndef IB_MECHANICS_TABLEAU_H
#define IB_MECHANICS_TABLEAU_H

enum { IB_MAX_STAGES = 13 };

typedef struct ib_tableau {
    int stages; /* evaluations that lead to the new point; one more there, kept for the next step */
    int order;
    double
        stable; /* |h lambda| up to which steps are stable, for negative real lambda; 0: unused */
    double c[IB_MAX_STAGES];
    double a[IB_MAX_STAGES][IB_MAX_STAGES]; /* row s leads to stage s; row `stages` is the step */
    double e[IB_MAX_STAGES];                /* error estimate over all stages and the new point */
    double e3[IB_MAX_STAGES];               /* a second one, of order 3; all zero: there is none */
} ib_tableau;

extern const ib_tableau ib_dopri5, ib_rk4, ib_dop853;

#endif
