/* What is said when a simulation cannot go on: which law, motion or measure has no value, or which
 * equation or body is the worst. */
#include "mechanics/friction.h"

#include <math.h>

/* ---- measures ---- */

static const char *why_no_value(ib_mech_measure_type type) {
    switch (type) {
    case IB_MECH_DISTANCE_RATE:
        return "its two points coincide, so their distance has no rate";
    case IB_MECH_ANGLE:
    case IB_MECH_ANGULAR_RATE:
        return "its vector lies along the axis, so the angle has no value";
    default:
        return "it has no finite value";
    }
}

bool ib_dynamics_check_measure(const ib_dynamics *d, int index, double value, ib_diags *diags) {
    if (isfinite(value))
        return true;
    const ib_mech_measure *given = &d->mechanism->measures[index].given;
    ib_diags_add(diags, IB_ERROR, IB0707, given->place, "%s: at t = %.9g s %s", given->name,
                 d->leaves[0], why_no_value(given->type));
    return false;
}

/* A law without a value because one of its measures has none. */
static bool report_measures(const ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_measures; i++)
        if (m->law_measure[i] &&
            !ib_dynamics_check_measure(d, (int)i, d->leaves[m->options.measure_leaf + i], diags))
            return true;
    return false;
}

/* ---- laws and motions ---- */

static ib_place first_known(ib_place a, ib_place b) { return a.line ? a : b; }

static void report_expression(const ib_dynamics *d, const char *name, ib_place place,
                              ib_diags *diags) {
    char why[IB_FAULT_TEXT];
    ib_diags_add(diags, IB_ERROR, IB0701, place,
                 "%s: the expression has no value at t = %.9g s: %s", name, d->leaves[0],
                 ib_fault_text(&d->fault, why));
}

static void report_auxiliary(const ib_dynamics *d, size_t index, ib_diags *diags) {
    const ib_mech_auxiliary *given = &d->mechanism->auxiliaries[index];
    if (d->fault.op != IB_OP_LEAF || !report_measures(d, diags))
        report_expression(d, given->name, first_known(given->rate_place, given->place), diags);
}

static void report_load(const ib_dynamics *d, size_t index, ib_diags *diags) {
    const mech_load *load = &d->mechanism->loads[index];
    ib_diags_add(diags, IB_ERROR, IB0709, load->place,
                 "%s: at t = %.9g s its bodies are turned against each other by more than 168 "
                 "degrees, where a rotation vector means little",
                 load->name, d->leaves[0]);
}

static void report_friction(const ib_dynamics *d, size_t index, ib_diags *diags) {
    const ib_mech_joint *joint = &d->mechanism->joints[d->mechanism->frictions[index].joint].given;
    ib_diags_add(diags, IB_ERROR, IB0718, joint->place,
                 "%s: at t = %.9g s its friction cannot be resolved: no reaction agrees with the "
                 "friction that it makes itself",
                 joint->name, d->leaves[0]);
    ib_diags_suggest(diags,
                     "rigid bodies with this mu (%.6g) jam here; a smaller one, or a bushing "
                     "in the place of a joint, gives an answer",
                     joint->friction.mu);
}

static void report_force(const ib_dynamics *d, ib_diags *diags) {
    const size_t index = (size_t)d->fault_force, n = d->mechanism->n_forces;
    const size_t n_auxiliaries = d->mechanism->n_auxiliaries;
    const size_t n_loads = d->mechanism->n_loads;
    if (index >= n + n_auxiliaries + n_loads) {
        report_friction(d, index - n - n_auxiliaries - n_loads, diags);
        return;
    }
    if (index >= n + n_auxiliaries) {
        report_load(d, index - n - n_auxiliaries, diags);
        return;
    }
    if (index >= n) {
        report_auxiliary(d, index - n, diags);
        return;
    }
    const ib_mech_force *given = &d->mechanism->forces[index].given;
    if (d->no_direction && given->type == IB_MECH_ANGLE_TORQUE)
        ib_diags_add(diags, IB_ERROR, IB0702, given->place,
                     "%s: at t = %.9g s body1 is turned across so far that the angle about the "
                     "axis has no value",
                     given->name, d->leaves[0]);
    else if (d->no_direction)
        ib_diags_add(diags, IB_ERROR, IB0702, given->place,
                     "%s: its two points coincide at t = %.9g s, so the force has no direction",
                     given->name, d->leaves[0]);
    else if (d->fault.op != IB_OP_LEAF || !report_measures(d, diags))
        report_expression(d, given->name, first_known(given->law_place, given->place), diags);
}

ib_status ib_dynamics_fault(const ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    if (d->fault_driver >= 0) {
        const ib_mech_driver *given = &m->drivers[d->fault_driver].given;
        report_expression(d, given->name, first_known(given->motion_place, given->place), diags);
    } else if (d->fault_force >= 0) {
        report_force(d, diags);
    } else {
        ib_place place;
        const char *name = ib_dynamics_worst(d, &place);
        ib_diags_add(diags, IB_ERROR, IB0703, place,
                     "%s: the accelerations have no finite value at t = %.9g s", name,
                     d->leaves[0]);
    }
    return IB_SIMULATION_FAILED;
}

/* ---- the worst equation ---- */

int ib_worst_row(const double *rows, int n) {
    int worst = n > 0 ? 0 : -1;
    for (int i = 0; i < n; i++) {
        if (isnan(rows[i]))
            return i;
        if (fabs(rows[i]) > fabs(rows[worst]))
            worst = i;
    }
    return worst;
}

int ib_row_constraint(const ib_mechanism *m, int row) {
    int found = 0;
    for (size_t i = 0; i < m->n_constraints; i++)
        if (m->constraints[i].row <= row)
            found = (int)i;
    return found;
}

const char *ib_constraint_owner(const ib_mechanism *m, int index, ib_place *place) {
    const mech_constraint *c = &m->constraints[index];
    if (c->driver >= 0) {
        *place = m->drivers[c->driver].given.place;
        return m->drivers[c->driver].given.name;
    }
    *place = m->joints[c->joint].given.place;
    return m->joints[c->joint].given.name;
}

/* The body that accelerates the most; one without a finite acceleration before all others. */
static size_t wildest_body(const ib_dynamics *d) {
    size_t body = 0;
    double most = -1;
    for (size_t b = 0; b < d->mechanism->n_bodies; b++) {
        const double *acc = d->acc + 6 * b;
        const double size = ib_dot(acc, acc) + ib_dot(acc + 3, acc + 3);
        if (!isfinite(size))
            return b;
        if (size > most) {
            most = size;
            body = b;
        }
    }
    return body;
}

const char *ib_dynamics_worst(const ib_dynamics *d, ib_place *place) {
    static const double closed = 1e-9; /* a constraint met better than this is not to blame */
    const ib_mechanism *m = d->mechanism;
    *place = IB_NO_PLACE;
    if (d->off_row >= 0)
        return ib_constraint_owner(m, ib_row_constraint(m, d->off_row), place);
    const int worst = ib_worst_row(d->phi, m->n_rows);
    if (worst >= 0 && !(fabs(d->phi[worst]) <= closed))
        return ib_constraint_owner(m, ib_row_constraint(m, worst), place);
    if (m->n_bodies == 0)
        return "model";
    const ib_mech_body *body = &m->bodies[wildest_body(d)];
    *place = body->place;
    return body->name;
}

/* Where an implicit method finds no way on and loads of friction in joints are about to feed
 * themselves, that is why. */
static bool report_jam(ib_dynamics *d, ib_diags *diags) {
    static const double about = 0.5; /* of a newton more for each newton */
    const ib_mechanism *m = d->mechanism;
    size_t joint = 0;
    if (m->n_frictions == 0)
        return false;
    const bool good = ib_dynamics_evaluate(d, ib_time_seconds(d->header->time), d->y, 6);
    const int first = (int)(m->n_forces + m->n_auxiliaries + m->n_loads);
    if (!good && d->fault_force >= first)
        joint = (size_t)(d->fault_force - first);
    else if (!good || ib_friction_gain(d, &joint) < about)
        return false;
    report_friction(d, joint, diags);
    return true;
}

ib_status ib_dynamics_too_large(ib_dynamics *d, double h, double start, const char *suggestion,
                                ib_diags *diags) {
    if (d->fault_force >= 0 || d->fault_driver >= 0)
        return ib_dynamics_fault(d, diags);
    ib_place place;
    const char *name = ib_dynamics_worst(d, &place);
    if (report_jam(d, diags))
        return IB_SIMULATION_FAILED;
    ib_diags_add(diags, IB_ERROR, IB0705, place,
                 "%s: the step of %.9g s from t = %.9g s is too large to converge; its equations "
                 "are the worst there",
                 name, h, start);
    ib_diags_suggest(diags, "%s", suggestion);
    return IB_SIMULATION_FAILED;
}

const char *ib_stall_advice(const ib_mechanism *m, const char *otherwise) {
    if (m->options.rtol < 1e-11)
        return "so tight a tolerance drowns in the rounding of double precision; try rtol: 1e-11";
    if (m->looped && m->options.rtol < 1e-9)
        return "so tight a tolerance cannot be met where constraints nearly depend on each other; "
               "try rtol: 1e-9";
    return otherwise;
}

ib_status ib_dynamics_stalled(ib_dynamics *d, bool failed, double start, const char *suggestion,
                              ib_diags *diags) {
    if (failed && (d->fault_force >= 0 || d->fault_driver >= 0))
        return ib_dynamics_fault(d, diags);
    ib_place place;
    const char *name = ib_dynamics_worst(d, &place);
    if (report_jam(d, diags))
        return IB_SIMULATION_FAILED;
    ib_diags_add(diags, IB_ERROR, IB0704, place,
                 "%s: the step size fell below a nanosecond at t = %.9g s; its equations are the "
                 "worst there",
                 name, start);
    ib_diags_suggest(diags, "%s", suggestion);
    return IB_SIMULATION_FAILED;
}
