/* The Jacobian of the derivatives by the states, for the stiff method: from directional derivatives
 * where the FMU offers them, else from differences (the FMU is somebody else's: there is no formula
 * to differentiate).
 *
 * The description says which derivative depends on which states. States that no derivative depends
 * on together share a colour and are varied in one go (A. R. Curtis, M. J. D. Powell, J. K. Reid,
 * IMA J. Appl. Math. 13, 1974), with directional derivatives too.
 */
#include "fmi/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ib_fmi_jacobian {
    size_t n, n_colours;
    bool *depends;                 /* [n][n]: derivative i on state j */
    size_t *colour;                /* [n] of the states */
    double *moved, *seed, *change; /* [n] */
    uint32_t *unknowns, *knowns;   /* value references of derivatives and states */
    size_t n_unknowns;
    bool directional;
} ib_fmi_jacobian;

/* ---- what depends on what ------------------------------------------------------------------ */

/* Marks that elements of a derivative depend on elements of a state: all on all. */
static void mark(ib_fmi_jacobian *j, size_t row, size_t n_rows, size_t column, size_t n_columns) {
    for (size_t i = row; i < row + n_rows; i++)
        for (size_t k = column; k < column + n_columns; k++)
            j->depends[i * j->n + k] = true;
}

static bool lists(const ib_fmi_unknown *unknown, size_t variable) {
    for (size_t i = 0; i < unknown->n_dependencies; i++)
        if (unknown->dependencies[i] == variable)
            return true;
    return false;
}

static void find_pattern(ib_fmi_jacobian *j, const ib_fmi_exchange *x) {
    const ib_fmi_description *d = x->run->description;
    const ib_fmi_unknowns *all = &d->structure[IB_FMI_DERIVATIVES];
    for (size_t i = 0, row = 0; i < all->n; i++) {
        const size_t n_rows = x->run->n_values[all->list[i].variable];
        for (size_t k = 0, column = 0; k < all->n; k++) {
            const ib_fmi_variable *v = &d->variables[all->list[k].variable];
            const size_t n_columns = x->run->n_values[all->list[k].variable];
            if (!all->list[i].said_dependencies || !v->has_derivative ||
                lists(&all->list[i], v->derivative))
                mark(j, row, n_rows, column, n_columns);
            column += n_columns;
        }
        row += n_rows;
    }
}

/* Each state in turn takes the first colour none of whose states shares a row with it. */
static bool find_colours(ib_fmi_jacobian *j) {
    const size_t n = j->n;
    bool *taken = calloc(n * n + 1, sizeof *taken); /* [colour][row] */
    if (!taken)
        return false;
    for (size_t k = 0; k < n; k++) {
        size_t c = 0;
        for (bool free_of = false; !free_of; c += !free_of) {
            free_of = true;
            for (size_t i = 0; i < n && free_of; i++)
                free_of = !(j->depends[i * n + k] && taken[c * n + i]);
        }
        for (size_t i = 0; i < n; i++)
            taken[c * n + i] |= j->depends[i * n + k];
        j->colour[k] = c;
        j->n_colours = c + 1 > j->n_colours ? c + 1 : j->n_colours;
    }
    free(taken);
    return true;
}

/* References of states and derivatives; false where the description does not name a state. */
static bool find_references(ib_fmi_jacobian *j, const ib_fmi_exchange *x) {
    const ib_fmi_description *d = x->run->description;
    const ib_fmi_unknowns *all = &d->structure[IB_FMI_DERIVATIVES];
    j->n_unknowns = all->n;
    for (size_t i = 0; i < all->n; i++) {
        const ib_fmi_variable *v = &d->variables[all->list[i].variable];
        if (!v->has_derivative)
            return false;
        j->unknowns[i] = v->reference;
        j->knowns[i] = d->variables[v->derivative].reference;
    }
    return true;
}

struct ib_fmi_jacobian *ib_fmi_jacobian_create(const ib_fmi_exchange *x) {
    const ib_fmi_description *d = x->run->description;
    const size_t n = x->n_states, m = d->structure[IB_FMI_DERIVATIVES].n;
    ib_fmi_jacobian *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->n = n;
    j->depends = calloc(n * n + 1, sizeof *j->depends);
    j->colour = calloc(n + 1, sizeof *j->colour);
    j->moved = calloc(3 * n + 1, sizeof *j->moved);
    j->unknowns = calloc(2 * m + 1, sizeof *j->unknowns);
    if (!j->depends || !j->colour || !j->moved || !j->unknowns) {
        ib_fmi_jacobian_free(j);
        return NULL;
    }
    j->seed = j->moved + n;
    j->change = j->moved + 2 * n;
    j->knowns = j->unknowns + m;
    find_pattern(j, x);
    const bool named = find_references(j, x);
    j->directional = named && ib_fmi_has_directional(x->instance);
    if (find_colours(j))
        return j;
    ib_fmi_jacobian_free(j);
    return NULL;
}

void ib_fmi_jacobian_free(struct ib_fmi_jacobian *j) {
    if (!j)
        return;
    free(j->depends);
    free(j->colour);
    free(j->moved);
    free(j->unknowns);
    free(j);
}

/* ---- values -------------------------------------------------------------------------------- */

/* What a change of the states of a colour makes of the derivatives, to their columns. */
static void share_out(const ib_fmi_jacobian *j, size_t colour, double *J) {
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; j->colour[k] == colour && i < j->n; i++)
            J[i * j->n + k] = j->depends[i * j->n + k] ? j->change[i] / j->seed[k] : 0;
}

static ib_ode_verdict by_direction(ib_fmi_exchange *x, size_t colour) {
    ib_fmi_jacobian *j = x->jacobian;
    for (size_t k = 0; k < j->n; k++)
        j->seed[k] = j->colour[k] == colour;
    const ib_status status =
        ib_fmi_get_directional(x->instance, j->unknowns, j->n_unknowns, j->knowns, j->n_unknowns,
                               j->seed, j->n, j->change, j->n);
    return status == IB_OK ? IB_ODE_GOOD : IB_ODE_BROKEN;
}

/* A step of half the digits of the state, or of what counts near zero. */
static double step_of(const ib_fmi_exchange *x, double y, size_t k) {
    const double size = fabs(y) > x->nominals[k] * 1e-3 ? fabs(y) : fabs(x->nominals[k]) * 1e-3;
    const double step = 1.5e-8 * size;
    const volatile double moved = y + step; /* what is representable */
    return moved - y;
}

static ib_ode_verdict by_difference(ib_fmi_exchange *x, size_t colour, double t, const double *y,
                                    const double *rate) {
    ib_fmi_jacobian *j = x->jacobian;
    for (size_t k = 0; k < j->n; k++) {
        j->seed[k] = j->colour[k] == colour ? step_of(x, y[k], k) : 0;
        j->moved[k] = y[k] + j->seed[k];
    }
    ib_ode_verdict verdict = ib_fmi_move_to(x, t, j->moved);
    if (verdict == IB_ODE_GOOD)
        verdict = ib_fmi_get_derivatives(x->instance, j->change, j->n);
    for (size_t i = 0; i < j->n; i++)
        j->change[i] -= rate[i];
    return verdict;
}

ib_ode_verdict ib_fmi_jacobian_find(void *context, double t, const double *y, const double *rate,
                                    double *J) {
    ib_fmi_exchange *x = context;
    ib_fmi_jacobian *j = x->jacobian;
    ib_ode_verdict verdict = ib_fmi_move_to(x, t, y);
    for (size_t c = 0; c < j->n_colours && verdict == IB_ODE_GOOD; c++) {
        verdict = j->directional ? by_direction(x, c) : by_difference(x, c, t, y, rate);
        if (verdict == IB_ODE_GOOD)
            share_out(j, c, J);
    }
    for (size_t i = 0; i < j->n * j->n && verdict == IB_ODE_GOOD; i++)
        if (J[i] - J[i] != 0)
            return IB_ODE_AGAIN;
    return verdict;
}
