/* The equations of motion at one state, and the state's derivative.
 *
 * State of a body: r, q, v global, w in body axes; r' = v, q' = q (0, w) / 2. Rotation matrices
 * come from the normalised quaternion, so that an integrator keeps its classical order.
 */
#include "mechanics/friction.h"

#include <math.h>
#include <string.h>

static const double rounding = 1e-11; /* residuals below are perhaps rounding errors */

void ib_dynamics_set_time(ib_dynamics *d, double seconds) {
    d->leaves[0] = seconds;
    for (size_t i = 0; i < d->n_courses; i++) {
        const ib_mech_course *course = &d->courses[i];
        const double *c = course->coefficients, s = seconds - course->from;
        const double value = c[0] + s * (c[1] + s * c[2]);
        d->leaves[course->leaf] = value < course->min   ? course->min
                                  : value > course->max ? course->max
                                                        : value;
    }
}

void ib_dynamics_set_courses(ib_dynamics *d, const ib_mech_course *courses, size_t n) {
    d->courses = courses;
    d->n_courses = n;
}

/* Six numbers a body: infinities and NaNs, also sums that overflow, leave a NaN. */
static bool all_finite(const double *x, size_t n_bodies) {
    double sum = 0;
    for (size_t b = 0; b < n_bodies; b++, x += 6)
        sum += 0 * (((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]));
    return sum == 0;
}

/* phi' of every row at the present kinematics. */
void ib_dynamics_velocity_residual(const ib_dynamics *d, double *x, double *out) {
    const ib_mechanism *m = d->mechanism;
    for (size_t b = 0; b < m->n_bodies; b++)
        memcpy(x + 6 * b, d->kin + IB_KIN * b + IB_KIN_V, 6 * sizeof *x);
    ib_constraints_apply(d, x, NULL, out);
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        if (c->driver >= 0 && !d->joints_only)
            out[c->row] -= d->motion[3 * c->driver + 1];
    }
}

/* How a residual is taken off: x with G x = c. */
typedef void correction(ib_dynamics *d, double *c, double *x);

/* Takes the residual in d->work_rows off the velocities in the kinematics. */
static void correct_velocities(ib_dynamics *d, correction *find) {
    find(d, d->work_rows, d->acc);
    for (size_t b = 0; b < d->mechanism->n_bodies; b++)
        for (size_t k = 0; k < 6; k++)
            d->kin[IB_KIN * b + IB_KIN_V + k] -= d->acc[6 * b + k];
}

/* The smallest mass-weighted change of the velocities in the kinematics that satisfies phi' = 0. A
 * second pass is needed only near rank loss, where the first leaves more than regularisation does.
 */
static void settle_velocities(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (int pass = 0; pass < 2; pass++) {
        ib_dynamics_velocity_residual(d, d->acc, d->work_rows);
        const double residual = ib_largest(d->work_rows, m->n_rows);
        correct_velocities(d, ib_solver_correction);
        if (ib_solver_left(d, d->work_rows) <= 1e-5 * residual)
            return;
    }
}

bool ib_dynamics_solve(ib_dynamics *d, int refinements) {
    const ib_mechanism *m = d->mechanism;
    ib_kin_spin(d);
    ib_constraints_gamma(d);
    if (!ib_forces_eval(d))
        return false;
    memcpy(d->work_lambda, d->lambda, sizeof(double) * (size_t)m->n_rows);
    return ib_friction_accelerations(d, d->work_lambda, refinements) &&
           all_finite(d->acc, m->n_bodies);
}

/* The vector field that is integrated is f(P(y)), where P projects velocities onto the constraints:
 * equal to f on the constraints, and smooth, so that a method keeps its order. In a loop that
 * passes rank loss, plain f would turn the small drift of a stage into accelerations without bounds
 * (drift over the distance from the singular place). Trees have no such places and go without. */
bool ib_dynamics_evaluate(ib_dynamics *d, double seconds, const double *y, int refinements) {
    const ib_mechanism *m = d->mechanism;
    d->header->evaluations++;
    d->fault_force = d->fault_driver = -1;
    ib_dynamics_set_time(d, seconds);
    ib_kin_update(d, y);
    ib_auxiliary_set(d, y);
    if (!ib_constraints_eval(d))
        return false;
    ib_solver_factor(d);
    if (m->looped)
        settle_velocities(d);
    return ib_dynamics_solve(d, refinements);
}

/* Of the state last evaluated: its velocities are those in the kinematics. */
void ib_dynamics_rate(const ib_dynamics *d, const double *y, double *rate) {
    const ib_mechanism *m = d->mechanism;
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *kin = d->kin + IB_KIN * b;
        double *out = rate + IB_STATE * b;
        memcpy(out, kin + IB_KIN_V, 3 * sizeof *out);
        ib_quat_rate(y + IB_STATE * b + IB_STATE_Q, kin + IB_KIN_W, out + IB_STATE_Q);
        memcpy(out + IB_STATE_V, d->acc + 6 * b, 6 * sizeof *out);
    }
    memcpy(rate + IB_STATE * m->n_bodies, d->law + m->n_laws, sizeof *rate * m->n_auxiliaries);
}

/* Moves every body by x: translations global, rotations about body axes. */
static void move(const ib_mechanism *m, const double *x, double *y) {
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *state = y + IB_STATE * b;
        ib_axpy(state, 1, x + 6 * b, state);
        ib_quat_turn(state + IB_STATE_Q, x + 6 * b + 3, state + IB_STATE_Q);
    }
}

/* The change of velocities that satisfies phi' = 0; J and factor as they are. */
static void project_velocity(ib_dynamics *d, double *y, correction *find) {
    const ib_mechanism *m = d->mechanism;
    ib_kin_update(d, y);
    for (int pass = 0; pass < 3; pass++) {
        ib_dynamics_velocity_residual(d, d->acc, d->work_rows);
        if (pass > 0 && ib_largest(d->work_rows, m->n_rows) <= 1e-13)
            break;
        correct_velocities(d, find);
    }
    for (size_t b = 0; b < m->n_bodies; b++)
        memcpy(y + IB_STATE * b + IB_STATE_V, d->kin + IB_KIN * b + IB_KIN_V, 6 * sizeof *y);
}

void ib_dynamics_project_velocity(ib_dynamics *d, double *y) {
    project_velocity(d, y, ib_solver_correction);
}

void ib_dynamics_project_velocity_back(ib_dynamics *d, double *y) {
    project_velocity(d, y, ib_friction_correction);
}

/* Newton on the positions with the factor of the first point, until the residual is within the
 * tolerance or no longer halves. Returns the last residual. */
double ib_dynamics_project_position(ib_dynamics *d, double *y, double tolerance, int iterations) {
    const ib_mechanism *m = d->mechanism;
    double residual = 0, last = (double)INFINITY;
    for (int i = 0; i <= iterations; i++) {
        ib_kin_update(d, y);
        if (!ib_constraints_eval(d))
            return (double)NAN;
        residual = ib_largest(d->phi, m->n_rows);
        if (i == 0) {
            d->drift = residual;
            d->drift_row = ib_worst_row(d->phi, m->n_rows);
            ib_solver_factor(d);
        }
        if (residual <= tolerance || isnan(residual) || i == iterations)
            break;
        if (residual <= rounding && !(residual < 0.5 * last))
            break;
        last = residual;
        d->header->iterations++;
        for (int k = 0; k < m->n_rows; k++)
            d->work_rows[k] = -d->phi[k];
        ib_solver_correction(d, d->work_rows, d->acc);
        move(m, d->acc, y);
    }
    return residual;
}

/* Positions by Newton with the factor of where the step ended; then one of where they came to
 * serves the velocities and the accelerations. */
bool ib_dynamics_arrive(ib_dynamics *d, double seconds, double *y) {
    const ib_mechanism *m = d->mechanism;
    d->header->evaluations++;
    d->fault_force = d->fault_driver = -1;
    ib_dynamics_set_time(d, seconds);
    ib_auxiliary_set(d, y);
    for (size_t b = 0; b < m->n_bodies; b++)
        ib_quat_normalize(y + IB_STATE * b + IB_STATE_Q);
    if (m->n_constraints == 0) {
        ib_kin_update(d, y);
        return ib_dynamics_solve(d, 0);
    }
    if (!(ib_dynamics_project_position(d, y, 1e-14, 8) <= 1e-9))
        return false;
    ib_solver_factor(d);
    ib_dynamics_project_velocity(d, y);
    return ib_dynamics_solve(d, 3);
}

void ib_dynamics_accept_angles(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_angles; i++) {
        const int measure = m->angles[i].measure;
        d->angle[i] = ib_measure_value(d, measure) + d->offset[measure];
        d->angle_rate[i] = ib_measure_position_rate(d, measure);
    }
    d->angle_ahead = 0;
}

void ib_dynamics_accept(ib_dynamics *d, ib_time end, double h) {
    mech_header *header = d->header;
    ib_dynamics_accept_angles(d);
    header->time = end;
    header->steps++;
    header->last_step = h;
    if (header->smallest_step == 0 || h < header->smallest_step)
        header->smallest_step = h;
}

/* The explicit methods may end before `time`, for the stiff one to go on. */
static ib_status explicit_or_stiff(ib_dynamics *d, ib_time time, bool (*stop)(void *),
                                   void *context, ib_diags *diags) {
    if (d->header->went_over_at < 0) {
        const ib_status status = ib_explicit_advance(d, time, stop, context, diags);
        if (status != IB_OK || d->header->time >= time)
            return status;
    }
    return ib_radau_advance(d, time, stop, context, diags);
}

ib_status ib_dynamics_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                              ib_diags *diags) {
    if (time <= d->header->time)
        return IB_OK;
    d->fresh = false;
    return d->mechanism->n_tanks + d->mechanism->n_events > 0
               ? ib_crossings_advance(d, time, stop, context, diags)
               : ib_dynamics_integrate(d, time, stop, context, diags);
}

ib_status ib_dynamics_integrate(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                                ib_diags *diags) {
    switch (d->mechanism->options.solver) {
    case IB_MECH_GENERALIZED_ALPHA:
        return ib_implicit_advance(d, time, stop, context, diags);
    case IB_MECH_STIFF:
        return ib_radau_advance(d, time, stop, context, diags);
    default:
        return explicit_or_stiff(d, time, stop, context, diags);
    }
}

/* The implicit integrator meets the constraints at position level only. What is read has velocities
 * projected onto them, too; the integrator's own state stays as it is. */
static bool show_state(ib_dynamics *d, double seconds) {
    const ib_mechanism *m = d->mechanism;
    memcpy(d->shown, d->y, sizeof(double) * ib_state_size(m));
    if (m->options.solver != IB_MECH_GENERALIZED_ALPHA || m->n_constraints == 0)
        return true;
    ib_dynamics_set_time(d, seconds);
    ib_kin_update(d, d->shown);
    ib_auxiliary_set(d, d->shown);
    if (!ib_constraints_eval(d))
        return false;
    ib_solver_factor(d);
    ib_dynamics_project_velocity(d, d->shown);
    return true;
}

ib_status ib_dynamics_refresh(ib_dynamics *d, ib_diags *diags) {
    if (d->fresh)
        return IB_OK;
    const double seconds = ib_time_seconds(d->header->time);
    const mech_header header = *d->header; /* reading does not count */
    d->angle_ahead = 0;
    const bool good = show_state(d, seconds) && ib_dynamics_evaluate(d, seconds, d->shown, 6);
    *d->header = header;
    if (!good)
        return ib_dynamics_fault(d, diags);
    ib_reactions_refresh(d);
    d->fresh = true;
    return IB_OK;
}

void ib_dynamics_residual(ib_dynamics *d, double *position, double *velocity) {
    *position = ib_largest(d->phi, d->mechanism->n_rows);
    ib_dynamics_velocity_residual(d, d->work_body, d->work_rows);
    *velocity = ib_largest(d->work_rows, d->mechanism->n_rows);
}
