/* Redundant constraints: found, told permanent from momentary, and named.
 *
 * A row is dependent when its pivot in the Cholesky factorisation of G Gᵀ vanishes. At a
 * special place (a flattened four-bar) rows depend on each other that do not elsewhere, so the rank
 * is taken at the assembled start and at a second assembled place near it; only what depends at
 * both is permanent. A dependent row is a unique combination of the independent ones, and the
 * latest-declared constraint of that set is the one named. Redundancy is allowed, except for
 * drivers: a driver that depends on others prescribes a freedom that is not there.
 */
#include "mechanics/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-10; /* of a pivot; distances enter squared */

typedef struct rank_work {
    ib_dynamics *d;
    double *diagonal, *moved, *row;
    bool *dropped;
    int *named; /* [n_constraints] rows of each that are redundant */
} rank_work;

/* Rank of the constraints at the place whose J is in d. Returns the number of dropped rows. */
static int find_dropped(rank_work *w) {
    const ib_mechanism *m = w->d->mechanism;
    ib_schur_assemble(w->d, &m->unit, 0, 0, w->d->schur);
    return ib_blocks_factor_rank(m->schur.blocks, w->d->schur, tolerance, w->diagonal, w->dropped);
}

/* A fixed pseudo-random displacement that the constraints allow, of 0.05 m or rad. */
static void wander(rank_work *w) {
    ib_dynamics *d = w->d;
    const ib_mechanism *m = d->mechanism;
    const size_t n = 6 * m->n_bodies;
    double *x = d->acc, largest = 0;
    for (size_t i = 0; i < n; i++)
        x[i] = ib_random_uniform(1, 0, 0, i) - 0.5;
    ib_constraints_apply(d, x, NULL, d->work_rows);
    ib_solver_factor(d);
    ib_solver_correction(d, d->work_rows, d->Q);
    for (size_t i = 0; i < n; i++) {
        x[i] -= d->Q[i];
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    }
    const double scale = largest > 1e-9 ? 0.05 / largest : 0;
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *y = w->moved + IB_STATE * b, turn[3];
        ib_axpy(y, scale, x + 6 * b, y);
        for (int k = 0; k < 3; k++)
            turn[k] = scale * x[6 * b + 3 + (size_t)k];
        ib_quat_turn(y + IB_STATE_Q, turn, y + IB_STATE_Q);
    }
}

/* Column `row` of G Gᵀ, solved for the combination of independent rows that makes it. */
static void combination(rank_work *w, int row) {
    ib_dynamics *d = w->d;
    const ib_mechanism *m = d->mechanism;
    memset(d->work_lambda, 0, sizeof(double) * (size_t)m->n_rows);
    d->work_lambda[row] = 1;
    ib_schur_apply(d, &m->unit, d->work_lambda, w->row);
    for (int i = 0; i < m->n_rows; i++)
        if (w->dropped[i])
            w->row[i] = 0;
    ib_blocks_solve(m->schur.blocks, d->schur, w->row);
}

static ib_status refuse_driver(const ib_mechanism *m, const int *drivers, int count,
                               ib_diags *diags) {
    const ib_mech_driver *last = &m->drivers[drivers[count - 1]].given;
    if (count > 1) {
        const ib_mech_driver *first = &m->drivers[drivers[0]].given;
        ib_diags_add(diags, IB_ERROR, IB0643, last->place,
                     "%s: it prescribes a freedom that driver '%s' prescribes already", last->name,
                     first->name);
        ib_diags_note(diags, first->place, "'%s' is declared here", first->name);
    } else {
        ib_diags_add(diags, IB_ERROR, IB0643, last->place,
                     "%s: it prescribes a motion that the joints do not leave free", last->name);
    }
    return IB_BAD_INPUT;
}

/* Names one dropped row: the latest-declared constraint of its dependent set. */
static ib_status name_row(rank_work *w, int row, ib_diags *diags) {
    const ib_mechanism *m = w->d->mechanism;
    int latest = ib_row_constraint(m, row), drivers[2] = {-1, -1}, count = 0;
    combination(w, row);
    w->row[row] = 1;
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        bool member = false;
        for (int k = 0; k < c->n_rows; k++)
            member = member || fabs(w->row[c->row + k]) > 1e-6;
        if (!member)
            continue;
        if (c->declared > m->constraints[latest].declared)
            latest = (int)i;
        if (c->driver < 0)
            continue;
        drivers[count < 2 ? count : 1] = c->driver;
        count++;
    }
    if (count > 0) {
        if (count > 1 && drivers[0] > drivers[1]) {
            const int swap = drivers[0];
            drivers[0] = drivers[1];
            drivers[1] = swap;
        }
        return refuse_driver(m, drivers, count > 2 ? 2 : count, diags);
    }
    w->named[latest]++;
    return IB_OK;
}

enum { NAMED_IN_FULL = 8 };

static void report(const rank_work *w, ib_diags *diags) {
    const ib_mechanism *m = w->d->mechanism;
    int shown = 0, hidden = 0;
    for (size_t j = 0; j < m->n_joints; j++) {
        const mech_joint *joint = &m->joints[j];
        int count = 0;
        for (int i = 0; i < joint->count; i++)
            count += w->named[m->by_declared[joint->first + i]];
        if (count == 0)
            continue;
        if (shown++ < NAMED_IN_FULL)
            ib_diags_add(diags, IB_NOTE, IB0641, joint->given.place,
                         "%s: %d of its constraints %s redundant (implied by other joints); the "
                         "motion is right and reactions are the least-norm ones",
                         joint->given.name, count, count > 1 ? "are" : "is");
        else
            hidden++;
    }
    if (hidden)
        ib_diags_add(diags, IB_NOTE, IB0641, IB_NO_PLACE,
                     "%d more joints have redundant constraints", hidden);
}

static ib_status name_rows(rank_work *w, ib_diags *diags) {
    const ib_mechanism *m = w->d->mechanism;
    for (int row = 0; row < m->n_rows; row++)
        if (w->dropped[row]) {
            const ib_status status = name_row(w, row, diags);
            if (status != IB_OK)
                return status;
        }
    report(w, diags);
    return IB_OK;
}

/* Dropped rows at the start and nearby; leaves those of the place with fewer in w. */
static ib_status examine(rank_work *w, ib_diags *diags) {
    ib_dynamics *d = w->d;
    const ib_mechanism *m = d->mechanism;
    ib_kin_update(d, d->y);
    ib_constraints_eval(d);
    const int at_start = find_dropped(w);
    if (at_start == 0)
        return IB_OK;
    memcpy(w->moved, d->y, sizeof(double) * IB_STATE * m->n_bodies);
    wander(w);
    double residual = 1; /* a fresh factor at every iteration: the first place is singular */
    for (int i = 0; i < 50 && !(residual <= 1e-10); i++)
        residual = ib_dynamics_project_position(d, w->moved, 1e-10, 1);
    int nearby = residual <= 1e-6 ? find_dropped(w) : at_start;
    if (nearby >= at_start) {
        ib_kin_update(d, d->y);
        ib_constraints_eval(d);
        nearby = find_dropped(w);
    } else {
        ib_diags_add(diags, IB_NOTE, IB0642, IB_NO_PLACE,
                     "the start is a singular place of the mechanism: %d constraints depend on "
                     "others there only",
                     at_start - nearby);
    }
    d->n_redundant = nearby;
    return name_rows(w, diags);
}

ib_status ib_redundancy_find(ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    const size_t rows = (size_t)m->n_rows + 1;
    d->n_redundant = 0;
    if (m->n_constraints == 0)
        return IB_OK;
    rank_work w = {d,
                   calloc(rows, sizeof(double)),
                   calloc(IB_STATE * m->n_bodies + 1, sizeof(double)),
                   calloc(rows, sizeof(double)),
                   calloc(rows, sizeof(bool)),
                   calloc(m->n_constraints + 1, sizeof(int))};
    ib_status status = IB_NO_MEMORY;
    if (w.diagonal && w.moved && w.row && w.dropped && w.named)
        status = examine(&w, diags);
    free(w.diagonal);
    free(w.moved);
    free(w.row);
    free(w.dropped);
    free(w.named);
    return status;
}
