/* Runge-Kutta methods as tables. */
#ifndef IB_NUM_TABLEAU_H
#define IB_NUM_TABLEAU_H

/* ---- tableau.c: explicit methods ---- */

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

/* Between the ends of a step of ib_dopri5: weights of the stages and the new point in the term of
 * order 4 (Hairer, Norsett & Wanner 1993, section II.6). */
extern const double ib_dopri5_dense[7];

/* ---- radau_table.c: Radau IIA ---- */

enum { IB_RADAU_FEWEST = 3, IB_RADAU_MOST = 5 }; /* stages */

/* A^-1 = T diag(gamma, [alpha -beta; beta alpha], ...) T^-1. */
typedef struct ib_radau_table {
    int stages;
    double c[IB_RADAU_MOST], a[IB_RADAU_MOST][IB_RADAU_MOST];
    double inverse[IB_RADAU_MOST][IB_RADAU_MOST]; /* of A */
    double t[IB_RADAU_MOST][IB_RADAU_MOST], t_inverse[IB_RADAU_MOST][IB_RADAU_MOST];
    double gamma, alpha[IB_RADAU_MOST / 2], beta[IB_RADAU_MOST / 2];
    double error[IB_RADAU_MOST]; /* estimate: the real matrix's inverse of f(t) + sum error z / h */
} ib_radau_table;

/* Of order 5 and 9. */
extern const ib_radau_table ib_radau_5, ib_radau_9;

#endif
