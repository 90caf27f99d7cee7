/* What sensors tell of a state.
 *
 * Euler angles a, b, c of the intrinsic sequence i, j, k are those of R = R_i(a) R_j(b) R_k(c),
 * read off the matrix elements in which they stand alone (J. Diebel, "Representing attitude: Euler
 * angles, unit quaternions, and rotation vectors", Stanford University, 2006): a and b from R, b by
 * atan2, which keeps its digits everywhere; c from R_i(-a) R, so that the three are right together
 * also where the first and the third axis nearly coincide.
 */
#include "plant/sensor.h"

#include <string.h>

static const double gimbal = 1e-9; /* sine between first and third axis, below which they are one */

static const double *state_of(const ib_dynamics *d, int body) {
    return ib_dynamics_bodies(d) + IB_STATE * body;
}

/* Global components in the axes of a body, or of the ground. */
static void to_frame(const ib_dynamics *d, int frame, double v[3]) {
    if (frame != IB_GROUND)
        ib_quat_rotate_back(state_of(d, frame) + IB_STATE_Q, v, v);
}

/* ---- point ---- */

/* Position, velocity and acceleration (global) of a point given at t = 0. */
static void point_motion(const ib_model *m, const ib_dynamics *d, int body, const double point[3],
                         double out[3][3]) {
    memset(out, 0, 9 * sizeof(double));
    if (body == IB_GROUND) {
        memcpy(out[0], point, sizeof out[0]);
        return;
    }
    const ib_body *given = &m->bodies[body];
    const double *y = state_of(d, body);
    const double *acc = ib_dynamics_acceleration(d, body);
    double arm[3], turn[3], spin[3];
    ib_sub3(point, given->position, arm);
    ib_quat_rotate_back(given->orientation, arm, arm);
    ib_cross(y + IB_STATE_W, arm, turn);
    ib_cross(y + IB_STATE_W, turn, spin);
    double swing[3];
    ib_cross(acc + 3, arm, swing);
    ib_axpy(spin, 1, swing, spin);
    ib_quat_rotate(y + IB_STATE_Q, arm, arm);
    ib_quat_rotate(y + IB_STATE_Q, turn, turn);
    ib_quat_rotate(y + IB_STATE_Q, spin, spin);
    ib_axpy(y, 1, arm, out[0]);
    ib_axpy(y + IB_STATE_V, 1, turn, out[1]);
    ib_axpy(acc, 1, spin, out[2]);
}

/* 0 position, 1 velocity, 2 acceleration. */
static void point_value(const ib_model *m, const ib_dynamics *d, const ib_sensor *sensor, int what,
                        double value[3]) {
    double motion[3][3], other[3][3] = {{0}};
    point_motion(m, d, sensor->body, sensor->point, motion);
    if (sensor->relative_to != IB_GROUND)
        point_motion(m, d, sensor->relative_to, m->bodies[sensor->relative_to].position, other);
    ib_sub3(motion[what], other[what], value);
    to_frame(d, sensor->frame, value);
}

/* ---- orientation ---- */

static void relative_orientation(const ib_dynamics *d, const ib_sensor *sensor, double q[4]) {
    memcpy(q, state_of(d, sensor->body) + IB_STATE_Q, 4 * sizeof *q);
    if (sensor->relative_to == IB_GROUND)
        return;
    const double *p = state_of(d, sensor->relative_to) + IB_STATE_Q;
    const double back[4] = {p[0], -p[1], -p[2], -p[3]};
    ib_quat_mul(back, q, q);
}

void ib_euler_angles(const double q[4], const char *sequence, double angles[3]) {
    const int i = sequence[0] - 'x', j = sequence[1] - 'x', k = sequence[2] - 'x';
    const int third = 3 - i - j; /* the axis besides the first two */
    const double e = (i + 1) % 3 == j ? 1 : -1;
    double R[9];
    ib_quat_matrix(q, R);
    const bool proper = i == k;
    /* sin b sin a and sin b cos a of proper Euler angles; cos b times those of the others */
    const double sine = proper ? R[3 * j + i] : -e * R[3 * j + k];
    const double cosine = proper ? -e * R[3 * third + i] : R[3 * k + k];
    const double size = ib_hypot(sine, cosine);
    angles[1] = proper ? ib_atan2(size, R[3 * i + i]) : ib_atan2(e * R[3 * i + k], size);
    if (size < gimbal) {
        angles[0] = ib_atan2(e * R[3 * third + j], R[3 * j + j]);
        angles[2] = 0;
        return;
    }
    angles[0] = ib_atan2(sine, cosine);
    /* row j of R_i(-a) R is that of R_k(c) */
    const double c = cosine / size, s = e * (sine / size);
    double row[3];
    for (int n = 0; n < 3; n++)
        row[n] = c * R[3 * j + n] + s * R[3 * third + n];
    angles[2] = ib_atan2(proper ? -e * row[third] : e * row[i], row[j]);
}

/* ---- joint, force ---- */

static void reaction(const ib_dynamics *d, const ib_sensor *sensor, bool torque, double value[3]) {
    double wrench[2][3];
    ib_dynamics_reaction(d, sensor->joint, wrench[0], wrench[1]);
    memcpy(value, wrench[torque], 3 * sizeof *value);
    to_frame(d, sensor->frame, value);
}

/* True for forces that are one scalar in a direction of its own. */
static bool is_scalar(ib_force_type type) {
    return type == IB_FORCE_SPRING_DAMPER || type == IB_FORCE_TORSION_SPRING ||
           type == IB_FORCE_EXPRESSION_FORCE || type == IB_FORCE_EXPRESSION_TORQUE ||
           type == IB_FORCE_BUOYANCY || type == IB_FORCE_THRUST;
}

void ib_force_on_body1(const compiled_force *parts, const ib_dynamics *d, double force[3],
                       double torque[3]) {
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    if (parts->load >= 0)
        ib_dynamics_load(d, parts->load, force, torque);
    for (int i = 0; parts->load < 0 && i < parts->count; i++) {
        double one[3], moment[3];
        ib_dynamics_force_vector(d, parts->first + i, one, moment);
        ib_axpy(force, 1, one, force);
        ib_axpy(torque, 1, moment, torque);
    }
}

/* Value and direction (in the sensor's frame). */
static double force_value(const compiled_model *c, const ib_dynamics *d, const ib_sensor *sensor,
                          double direction[3]) {
    const compiled_force *parts = &c->forces[sensor->force];
    const ib_force_type type = c->model->forces[sensor->force].type;
    double value, wrench[2][3];
    if (is_scalar(type)) {
        value = ib_dynamics_force(d, parts->first);
        ib_dynamics_force_direction(d, parts->first, direction);
    } else {
        const double *vector = wrench[type == IB_FORCE_TORQUE];
        ib_force_on_body1(parts, d, wrench[0], wrench[1]);
        value = ib_norm(vector);
        ib_unit(vector, direction);
    }
    to_frame(d, sensor->frame, direction);
    return value;
}

/* ---- all ---- */

double ib_sensor_value(const compiled_model *c, const ib_dynamics *d, const ib_sensor *sensor,
                       channel_kind kind, int component) {
    double vector[4] = {0};
    switch (kind) {
    case CHANNEL_SENSOR_POSITION:
    case CHANNEL_SENSOR_VELOCITY:
    case CHANNEL_SENSOR_ACCELERATION:
        point_value(c->model, d, sensor, (int)kind - (int)CHANNEL_SENSOR_POSITION, vector);
        break;
    case CHANNEL_SENSOR_ORIENTATION:
        relative_orientation(d, sensor, vector);
        break;
    case CHANNEL_SENSOR_EULER:
        relative_orientation(d, sensor, vector);
        ib_euler_angles(vector, sensor->sequence, vector);
        break;
    case CHANNEL_SENSOR_FORCE:
    case CHANNEL_SENSOR_TORQUE:
        reaction(d, sensor, kind == CHANNEL_SENSOR_TORQUE, vector);
        break;
    case CHANNEL_SENSOR_ANGLE:
        return ib_dynamics_measure(d, sensor->angle);
    case CHANNEL_SENSOR_ANGULAR_RATE:
        return ib_dynamics_measure(d, sensor->angular_rate);
    case CHANNEL_SENSOR_DISPLACEMENT:
        return ib_dynamics_measure(d, sensor->displacement);
    case CHANNEL_SENSOR_RATE:
        return ib_dynamics_measure(d, sensor->rate);
    case CHANNEL_SENSOR_VALUE:
        return force_value(c, d, sensor, vector);
    case CHANNEL_SENSOR_DIRECTION:
        force_value(c, d, sensor, vector);
        break;
    default:
        break;
    }
    return vector[component];
}
