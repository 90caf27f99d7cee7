/* The consistent start: positions, then velocities, then the first accelerations.
 *
 * Joints come first; then measures take their initial values, drivers are checked against them, and
 * everything is assembled together. Each correction is the smallest mass-weighted one. A state that
 * is consistent already is left as it is, bit for bit.
 */
#include "mechanics/mechanism.h"

#include <math.h>
#include <string.h>

static const double closed = 1e-12; /* a residual that counts as none */

static bool eval(ib_dynamics *d) {
    ib_dynamics_set_time(d, ib_time_seconds(d->header->time));
    ib_kin_update(d, d->y);
    return ib_constraints_eval(d);
}

static ib_status cannot_assemble(ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    ib_place place;
    eval(d);
    const int worst = ib_worst_row(d->phi, m->n_rows);
    const char *name = ib_constraint_owner(m, ib_row_constraint(m, worst), &place);
    ib_diags_add(diags, IB_ERROR, IB0632, place,
                 "%s: the model cannot be assembled; it stays open by %.3g (m or rad)", name,
                 fabs(d->phi[worst]));
    ib_diags_suggest(diags, "check its points and axes, and those of the joints around it");
    return IB_BAD_INPUT;
}

/* Reports the body that assembly moved the most; too far is an error. */
static ib_status report_move(ib_dynamics *d, const double *before, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    double distance = 0, angle = 0;
    size_t body = 0;
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *y = d->y + IB_STATE * b, *from = before + IB_STATE * b;
        const double back[4] = {from[3], -from[4], -from[5], -from[6]};
        double turn[4], e[3], step[3];
        ib_sub3(y, from, step);
        ib_quat_mul(back, y + IB_STATE_Q, turn);
        ib_quat_log(turn, e);
        if (ib_larger(ib_norm(step), ib_norm(e)) <= ib_larger(distance, angle))
            continue;
        distance = ib_norm(step);
        angle = ib_norm(e);
        body = b;
    }
    const double moved = ib_larger(distance, angle), limit = m->options.assembly_tolerance;
    if (moved == 0)
        return IB_OK;
    ib_diags_add(diags, moved > limit ? IB_ERROR : IB_NOTE, moved > limit ? IB0633 : IB0634,
                 m->bodies[body].place, "%s: assembly moves it the most, by %.3g m and %.3g rad%s",
                 m->bodies[body].name, distance, angle,
                 moved > limit ? ", which is beyond assembly_tolerance" : "");
    if (moved > limit)
        ib_diags_suggest(diags, "mend the positions, or set simulation: {assembly_tolerance: %.1g}",
                         2 * moved);
    return moved > limit ? IB_BAD_INPUT : IB_OK;
}

/* Newton with a fresh factor at every step, so that large gaps close too. */
static ib_status assemble_positions(ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    if (!eval(d))
        return ib_dynamics_fault(d, diags);
    if (ib_largest(d->phi, m->n_rows) <= closed)
        return IB_OK;
    const size_t size = sizeof(double) * IB_STATE * m->n_bodies;
    double *before = d->stage; /* the integrators' scratch, idle now */
    memcpy(before, d->y, size);
    double residual = 1;
    for (int i = 0; i < 50 && !(residual <= closed); i++)
        residual = ib_dynamics_project_position(d, d->y, closed, 1);
    return residual <= 1e-9 ? report_move(d, before, diags) : cannot_assemble(d, diags);
}

/* Bits of the axes (x 1, y 2, z 4) that a joint keeps parallel on its two bodies. */
static unsigned parallel_axes(const ib_mech_joint *joint) {
    switch (joint->type) {
    case IB_MECH_FIXED:
    case IB_MECH_PRISMATIC:
        return 7;
    case IB_MECH_REVOLUTE:
    case IB_MECH_CYLINDRICAL:
    case IB_MECH_SCREW:
    case IB_MECH_PLANAR:
    case IB_MECH_PARALLEL_AXES:
    case IB_MECH_CONSTANT_VELOCITY: /* not parallel, but less than a right angle apart */
        return 4;
    case IB_MECH_SPHERICAL:
    case IB_MECH_UNIVERSAL:
    case IB_MECH_POINT_ON_LINE:
    case IB_MECH_POINT_ON_PLANE:
    case IB_MECH_PERPENDICULAR_AXES:
    case IB_MECH_ROD:
    case IB_MECH_COUPLING:
        return 0;
    case IB_MECH_GENERIC:
        break;
    }
    const unsigned turns = joint->lock >> 3 & 7U, free = ~turns & 7U;
    const bool one_free = free == 1 || free == 2 || free == 4;
    return turns == 7 ? 7 : one_free ? free : 0;
}

static void report_flip(const ib_mech_joint *joint, ib_diags *diags) {
    if (joint->type == IB_MECH_CONSTANT_VELOCITY)
        ib_diags_add(diags, IB_ERROR, IB0635, joint->place,
                     "%s: axis1 and axis2 are 90 deg or more apart; both point the way the drive "
                     "goes, from one shaft to the other",
                     joint->name);
    else
        ib_diags_add(diags, IB_ERROR, IB0635, joint->place,
                     "%s: its axes on the two bodies point in opposite directions (180 deg apart)",
                     joint->name);
    ib_diags_suggest(diags, "turn one of the axes round");
}

/* Joints with parallel axes are satisfied by axes that point apart, too. */
static ib_status check_flips(const ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_joints; i++) {
        const mech_joint *joint = &m->joints[i];
        const unsigned parallel = parallel_axes(&joint->given);
        const int ground = (int)m->n_bodies;
        const int b1 = joint->given.body1 < 0 ? ground : joint->given.body1;
        const int b2 = joint->given.body2 < 0 ? ground : joint->given.body2;
        bool flipped = false;
        double F1[9], F2[9];
        ib_mul33(d->kin + IB_KIN * b1 + IB_KIN_R, joint->frame1, F1);
        ib_mul33(d->kin + IB_KIN * b2 + IB_KIN_R, joint->frame2, F2);
        for (int j = 0; j < 3; j++) {
            double along = 0;
            for (int k = 0; k < 3; k++)
                along += F1[3 * k + j] * F2[3 * k + j];
            flipped = flipped || ((parallel & 1U << j) && !(along > 0));
        }
        if (!flipped)
            continue;
        report_flip(&joint->given, diags);
        return IB_BAD_INPUT;
    }
    return IB_OK;
}

/* Initial values of measures: offsets, continuous angles, what couplings keep, and what drivers
 * with a ramp start from. */
static void take_initial_values(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    memset(d->angle_rate, 0, sizeof(double) * m->n_angles);
    for (size_t i = 0; i < m->n_angles; i++)
        d->angle[i] = 0; /* the branch nearest to 0 is that of atan2 */
    d->angle_ahead = 0;
    for (size_t i = 0; i < m->n_angles; i++) {
        const int measure = m->angles[i].measure;
        d->angle[i] = ib_measure_value(d, measure) + d->offset[measure];
    }
    for (size_t i = 0; i < m->n_measures; i++)
        if (m->measures[i].given.offset_initial) {
            d->offset[i] = 0;
            d->offset[i] = ib_measure_value(d, (int)i);
        }
    ib_coupling_start(d);
    for (size_t i = 0; i < m->n_drivers; i++)
        if (m->drivers[i].given.initial_leaf >= 0)
            d->leaves[m->drivers[i].given.initial_leaf] =
                ib_measure_value(d, m->drivers[i].given.measure);
}

/* A motion must start where the measure is. */
static ib_status check_drivers(ib_dynamics *d, bool start, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    if (!eval(d))
        return ib_dynamics_fault(d, diags);
    for (size_t i = 0; i < m->n_drivers; i++) {
        const ib_mech_driver *driver = &m->drivers[i].given;
        const double value = ib_measure_value(d, driver->measure), motion = d->motion[3 * i];
        if (fabs(value - motion) <= m->options.assembly_tolerance)
            continue;
        if (start) {
            ib_diags_add(diags, IB_ERROR, IB0636, driver->place,
                         "%s: the motion starts at %.9g, but its measure '%s' is %.9g at t = 0",
                         driver->name, motion, m->measures[driver->measure].given.name, value);
            ib_diags_suggest(diags, "start there, or join smoothly with ramp: 0.5");
        } else {
            ib_diags_add(diags, IB_ERROR, IB0637, driver->place,
                         "%s: the new input moves the motion to %.9g, but its measure is %.9g, "
                         "further than the assembly tolerance %.3g",
                         driver->name, motion, value, m->options.assembly_tolerance);
        }
        return IB_BAD_INPUT;
    }
    return IB_OK;
}

/* Reports the body whose velocity changed the most. */
static void report_velocities(const ib_dynamics *d, const double *before, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    double most = 1e-9;
    size_t body = m->n_bodies;
    for (size_t b = 0; b < m->n_bodies; b++) {
        double v[3], w[3];
        ib_sub3(d->y + IB_STATE * b + IB_STATE_V, before + IB_STATE * b + IB_STATE_V, v);
        ib_sub3(d->y + IB_STATE * b + IB_STATE_W, before + IB_STATE * b + IB_STATE_W, w);
        const double change = ib_larger(ib_norm(v), ib_norm(w));
        if (change <= most)
            continue;
        most = change;
        body = b;
    }
    if (body < m->n_bodies)
        ib_diags_add(diags, IB_NOTE, IB0638, m->bodies[body].place,
                     "%s: its initial velocity is made to fit the joints and drivers; it changes "
                     "the most, by %.3g (m/s or rad/s)",
                     m->bodies[body].name, most);
}

static ib_status assemble_velocities(ib_dynamics *d, ib_diags *diags) {
    const ib_mechanism *m = d->mechanism;
    const size_t size = sizeof(double) * IB_STATE * m->n_bodies;
    double position, velocity;
    if (m->n_constraints == 0)
        return IB_OK;
    eval(d);
    ib_dynamics_residual(d, &position, &velocity);
    if (velocity <= closed)
        return IB_OK;
    double *before = d->stage;
    memcpy(before, d->y, size);
    ib_solver_factor(d);
    for (int i = 0; i < 6; i++)
        ib_dynamics_project_velocity(d, d->y);
    report_velocities(d, before, diags);
    return IB_OK;
}

/* Multipliers from nothing to converged, and the state's derivative. */
static ib_status start_accelerations(ib_dynamics *d, int passes, ib_diags *diags) {
    const double seconds = ib_time_seconds(d->header->time);
    if (!ib_dynamics_evaluate(d, seconds, d->y, passes))
        return ib_dynamics_fault(d, diags);
    memcpy(d->lambda, d->work_lambda, sizeof(double) * (size_t)d->mechanism->n_rows);
    ib_dynamics_accept_angles(d);
    if (d->mechanism->options.solver == IB_MECH_GENERALIZED_ALPHA)
        ib_implicit_start(d);
    else
        ib_dynamics_rate(d, d->y, d->rate);
    ib_radau_interrupt(d);
    return IB_OK;
}

ib_status ib_dynamics_assemble(ib_dynamics *d, ib_diags *diags) {
    d->joints_only = true;
    ib_status status = assemble_positions(d, diags);
    if (status == IB_OK)
        status = check_flips(d, diags);
    if (status != IB_OK)
        return status;
    take_initial_values(d);
    d->joints_only = false;
    status = ib_redundancy_find(d, diags);
    if (status == IB_OK)
        status = check_drivers(d, true, diags);
    if (status == IB_OK)
        status = assemble_positions(d, diags);
    if (status == IB_OK)
        status = assemble_velocities(d, diags);
    if (status == IB_OK)
        status = start_accelerations(d, 20, diags);
    if (status == IB_OK)
        status = ib_contacts_check_start(d, diags);
    return status;
}

/* Positions and velocities follow drivers that inputs moved a little. */
static ib_status follow_inputs(ib_dynamics *d, ib_diags *diags) {
    ib_status status = assemble_positions(d, NULL);
    if (status == IB_OK)
        status = assemble_velocities(d, NULL);
    if (status != IB_OK)
        ib_diags_add(diags, IB_ERROR, IB0637, IB_NO_PLACE,
                     "the new inputs move the drivers further than the mechanism can follow within "
                     "the assembly tolerance %.3g",
                     d->mechanism->options.assembly_tolerance);
    return status;
}

ib_status ib_dynamics_pushed(ib_dynamics *d, ib_diags *diags) {
    d->fresh = false;
    return start_accelerations(d, 3, diags);
}

void ib_dynamics_displace(ib_dynamics *d, const ib_rigid_motion *motion) {
    double turn[4];
    ib_quat_from_matrix(motion->turn, turn);
    for (size_t b = 0; b < d->mechanism->n_bodies; b++) {
        double *y = d->y + IB_STATE * b, arm[3], swing[3], rate[3];
        ib_sub3(y, motion->from, arm);
        ib_mul3v(motion->turn, arm, arm);
        ib_axpy(motion->to, 1, arm, y);
        ib_mul3v(motion->turn, y + IB_STATE_V, y + IB_STATE_V);
        ib_cross(motion->rate, arm, swing);
        ib_axpy(y + IB_STATE_V, 1, swing, y + IB_STATE_V);
        ib_axpy(y + IB_STATE_V, 1, motion->velocity, y + IB_STATE_V);
        ib_quat_mul(turn, y + IB_STATE_Q, y + IB_STATE_Q);
        ib_quat_normalize(y + IB_STATE_Q);
        ib_quat_rotate_back(y + IB_STATE_Q, motion->rate, rate);
        ib_axpy(y + IB_STATE_W, 1, rate, y + IB_STATE_W);
    }
    d->fresh = d->planes_made = false;
}

ib_status ib_dynamics_inputs_changed(ib_dynamics *d, ib_diags *diags) {
    const size_t size = sizeof(double) * IB_STATE * d->mechanism->n_bodies;
    d->fresh = false;
    memcpy(d->shown, d->y, size);
    ib_status status = check_drivers(d, false, diags);
    if (status == IB_OK)
        status = follow_inputs(d, diags);
    if (status == IB_OK)
        status = start_accelerations(d, 3, diags);
    if (status != IB_OK)
        memcpy(d->y, d->shown, size); /* refused: nothing has moved */
    return status;
}
