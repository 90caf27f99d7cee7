/* loop: algebraic loops at a communication point, by Newton's method.
 *
 * The unknowns u are the inputs that still change when all outputs have been carried over as often
 * as a chain without a loop could need. With F(u) what their outputs are then, F(u) - u = 0 is
 * solved by (1 - F') du = F(u) - u. F' is made of differences, column by column: the components may
 * be anyone's. They are of 2^-20 of the value, a power of two, so that those of a linear loop are
 * exact to rounding and one step solves it. Where 1 - F' is singular the loop has no solution, or
 * many: its gain is 1.
 */
#include "network/network.h"

#include "num/dense.h"

#include <math.h> /* fabs, ldexp, ilogb only */
#include <string.h>

enum { MOST_ITERATIONS = 30, MOST_NAMED = 8 };
/* F(u) and u agree, relative to 1 + |u|: to rounding, which also serves loops of a gain near 1.
 * What cannot get there, for all its rounding, has to be better than LOOSE when the iterations end.
 */
#define AGREEMENT 1e-15
#define LOOSE 1e-10
#define SINGULAR 1e-8 /* a pivot of 1 - F', differences being good to about 1e-9 */

typedef struct loop {
    ib_network *network;
    ib_diags *diags;
    size_t n;
    double *u, *f, *g; /* [n] */
    double *slopes;    /* [n][n]: F' */
    double *matrix;    /* [n][n] */
} loop;

size_t ib_loop_room(size_t n) { return 2 * n * n + 3 * n; }

/* Sets all unknowns. */
static ib_status put(const loop *l, const double *u) {
    ib_status status = IB_OK;
    for (size_t i = 0, at = 0; i < l->network->n_links && status == IB_OK; i++) {
        const ib_link *link = &l->network->links[i];
        if (!link->changed)
            continue;
        status = ib_link_write(l->network, link, u + at, l->diags);
        at += link->size;
    }
    return status;
}

/* f = F(u). */
static ib_status evaluate(const loop *l, const double *u, double *f) {
    ib_status status = put(l, u);
    for (size_t i = 0, at = 0; i < l->network->n_links && status == IB_OK; i++) {
        const ib_link *link = &l->network->links[i];
        if (!link->changed)
            continue;
        status = ib_link_read(l->network, link, f + at, l->diags);
        at += link->size;
    }
    return status;
}

static ib_status differentiate(loop *l) {
    ib_status status = IB_OK;
    for (size_t k = 0; k < l->n && status == IB_OK; k++) {
        const double u = l->u[k], size = fabs(u) > 1 ? fabs(u) : 1;
        const double step = ldexp(1, ilogb(size) - 20);
        l->u[k] = u + step;
        status = evaluate(l, l->u, l->g);
        for (size_t i = 0; i < l->n && status == IB_OK; i++)
            l->slopes[i * l->n + k] = (l->g[i] - l->f[i]) / (l->u[k] - u);
        l->u[k] = u;
    }
    return status;
}

/* Which unknowns depend on themselves: the closure of F' by Warshall's method, in l->matrix. */
static void close_dependencies(loop *l) {
    const size_t n = l->n;
    for (size_t i = 0; i < n * n; i++)
        l->matrix[i] = fabs(l->slopes[i]) > 0 ? 1 : 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n && l->matrix[i * n + k] > 0; j++)
                if (l->matrix[k * n + j] > 0)
                    l->matrix[i * n + j] = 1;
}

/* The loop's links, those that merely follow from it left out. */
static void name_links(loop *l) {
    size_t named = 0;
    close_dependencies(l);
    for (size_t i = 0, at = 0; i < l->network->n_links && named < MOST_NAMED; i++) {
        const ib_link *link = &l->network->links[i];
        if (!link->changed)
            continue;
        if (l->matrix[at * l->n + at] > 0) {
            ib_diags_note(l->diags, link->place, "the loop goes through '%s'", link->text);
            named++;
        }
        at += link->size;
    }
}

static ib_status refuse(loop *l, bool singular) {
    char number[IB_NUMBER_SIZE];
    ib_place place = IB_NO_PLACE;
    for (size_t i = l->network->n_links; i-- > 0;)
        if (l->network->links[i].changed)
            place = l->network->links[i].place;
    ib_number_text(ib_time_seconds(l->network->time), number);
    if (singular)
        ib_diags_add(l->diags, IB_ERROR, IB0731, place,
                     "an algebraic loop has no single solution at t = %s s: its gain is 1", number);
    else
        ib_diags_add(l->diags, IB_ERROR, IB0732, place,
                     "an algebraic loop was not solved at t = %s s in %d iterations", number,
                     MOST_ITERATIONS);
    name_links(l);
    return IB_SIMULATION_FAILED;
}

static bool agrees(const loop *l, double tolerance) {
    for (size_t i = 0; i < l->n; i++)
        if (!(fabs(l->f[i] - l->u[i]) <= tolerance * (1 + fabs(l->u[i]))))
            return false;
    return true;
}

/* u += (1 - F')^-1 (f - u). */
static ib_status improve(loop *l) {
    const size_t n = l->n;
    const ib_status status = differentiate(l);
    if (status != IB_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            l->matrix[i * n + k] = (i == k ? 1 : 0) - l->slopes[i * n + k];
        l->g[i] = l->f[i] - l->u[i];
    }
    if (ib_lu_factor(l->matrix, n, SINGULAR, l->network->rows) < n)
        return refuse(l, true);
    ib_lu_solve(l->matrix, n, l->network->rows, l->g);
    for (size_t i = 0; i < n; i++)
        l->u[i] += l->g[i];
    l->network->iterations++;
    return IB_OK;
}

ib_status ib_loop_solve(ib_network *network, ib_diags *diags) {
    loop l = {.network = network, .diags = diags};
    for (size_t i = 0; i < network->n_links; i++)
        l.n += network->links[i].changed ? network->links[i].size : 0;
    l.u = network->loop;
    l.f = l.u + l.n;
    l.g = l.f + l.n;
    l.slopes = l.g + l.n;
    l.matrix = l.slopes + l.n * l.n;
    for (size_t i = 0, at = 0; i < network->n_links; i++)
        if (network->links[i].changed) {
            memcpy(l.u + at, network->links[i].held, network->links[i].size * sizeof *l.u);
            at += network->links[i].size;
        }
    for (int i = 0;; i++) {
        ib_status status = evaluate(&l, l.u, l.f);
        if (status != IB_OK || agrees(&l, i < MOST_ITERATIONS ? AGREEMENT : LOOSE))
            return status;
        if (i == MOST_ITERATIONS)
            return refuse(&l, false);
        status = improve(&l);
        if (status != IB_OK)
            return status;
    }
}
