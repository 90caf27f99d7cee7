/* One rigid body in free flight: Newton and Euler with the classical method of order 4.
 *
 *     r' = v                        m v' = m g(r) - rho/2 C_D A |u| u + R(q) F,  u = v - v_air
 *     q' = q (0, w)/2               J w' = T - w x J w
 * in the environment's inertial frame, so that the Earth's rotation adds no terms of its own. The
 * environment is probed once a stage, for every force together. Probed once a tick instead
 * (IB_FORCES_BY_TICK) the translational forces are frozen and the method is of first order.
 *
 * Mass falls in a straight line over a step, the inertia is constant, and drag acts at the centre
 * of mass. Bodies with joints or other forces are systems of the mechanics.
 */
#include "world/flight.h"

#include <string.h>

/* The state as one vector: position, velocity, attitude, rate. */
enum { POSITION = 0, VELOCITY = 3, ATTITUDE = 6, RATE = 10, SIZE = 13 };

typedef struct model {
    const ib_free_body *body;
    const ib_environment *environment;
    double start;     /* of the step, s */
    double frozen[3]; /* acceleration of a tick, when forces are sampled so */
} model;

static bool positive_definite(const double J[9]) {
    const double minor = J[0] * J[4] - J[1] * J[3];
    const double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                       J[2] * (J[3] * J[7] - J[4] * J[6]);
    return J[0] > 0 && minor > 0 && det > 0;
}

ib_status ib_free_body_prepare(ib_free_body *body, const char *name, ib_diags *diags,
                               ib_place place) {
    const double *J = body->inertia;
    const bool symmetric = !(J[1] < J[3]) && !(J[1] > J[3]) && !(J[2] < J[6]) && !(J[2] > J[6]) &&
                           !(J[5] < J[7]) && !(J[5] > J[7]);
    if (!(body->mass > 0 && body->mass <= 1e30)) {
        ib_diags_add(diags, IB_ERROR, IB0601, place, "%s: a free body has a positive mass", name);
        return IB_BAD_INPUT;
    }
    if (!(body->drag_area >= 0 && body->drag_area <= 1e12)) {
        ib_diags_add(diags, IB_ERROR, IB0607, place, "%s: the drag area is 0 or positive", name);
        return IB_BAD_INPUT;
    }
    if (!symmetric || !positive_definite(J) || !ib_sym3_inverse(J, body->inverse_inertia)) {
        ib_diags_add(diags, IB_ERROR, IB0602, place,
                     "%s: the inertia of a free body is symmetric and positive definite", name);
        return IB_BAD_INPUT;
    }
    return IB_OK;
}

/* Acceleration by what is no gravity: drag and the applied force. */
static void push(const ib_free_body *body, double mass, const ib_surroundings *around,
                 const double v[3], const double q[4], double a[3]) {
    double relative[3], applied[3] = {0, 0, 0};
    ib_sub3(v, around->air_velocity, relative);
    const double drag = around->air.density / 2 * body->drag_area * ib_norm(relative);
    if (ib_dot(body->force, body->force) > 0)
        ib_quat_rotate(q, body->force, applied);
    const double inverse = 1 / mass;
    for (int i = 0; i < 3; i++)
        a[i] = (applied[i] - drag * relative[i]) * inverse;
}

/* All of the acceleration in surroundings that are known. */
static void accelerate_in(const model *flight, const ib_surroundings *around, double t,
                          const double y[SIZE], double a[3]) {
    const ib_free_body *body = flight->body;
    const double mass = body->mass - body->mass_flow * (t - flight->start);
    push(body, mass, around, y + VELOCITY, y + ATTITUDE, a);
    ib_axpy(a, 1, around->gravity, a);
}

static void accelerate(const model *flight, double t, const double y[SIZE], double a[3]) {
    ib_surroundings around;
    if (flight->body->drag_area > 0) {
        ib_environment_feel(flight->environment, y + POSITION, t, &around);
    } else { /* the air has no hold on it */
        ib_gravity_at(&flight->environment->gravity, y + POSITION, around.gravity, NULL);
        around.air.density = 0;
        memset(around.air_velocity, 0, sizeof around.air_velocity);
    }
    accelerate_in(flight, &around, t, y, a);
}

static void spin_up(const ib_free_body *body, const double w[3], double dw[3]) {
    double momentum[3], gyroscopic[3], torque[3];
    ib_mul3v(body->inertia, w, momentum);
    ib_cross(w, momentum, gyroscopic);
    ib_sub3(body->torque, gyroscopic, torque);
    ib_mul3v(body->inverse_inertia, torque, dw);
}

/* `around`: what surrounds the body there, or NULL when it has to be asked. */
static void derivative(const model *flight, const ib_surroundings *around, double t,
                       const double y[SIZE], double dy[SIZE]) {
    memcpy(dy + POSITION, y + VELOCITY, 3 * sizeof *dy);
    if (flight->body->sampling == IB_FORCES_BY_TICK)
        memcpy(dy + VELOCITY, flight->frozen, sizeof flight->frozen);
    else if (around)
        accelerate_in(flight, around, t, y, dy + VELOCITY);
    else
        accelerate(flight, t, y, dy + VELOCITY);
    ib_quat_rate(y + ATTITUDE, y + RATE, dy + ATTITUDE);
    spin_up(flight->body, y + RATE, dy + RATE);
}

static void pack(const ib_flight_state *state, double y[SIZE]) {
    memcpy(y + POSITION, state->position, sizeof state->position);
    memcpy(y + VELOCITY, state->velocity, sizeof state->velocity);
    memcpy(y + ATTITUDE, state->attitude, sizeof state->attitude);
    memcpy(y + RATE, state->rate, sizeof state->rate);
}

static void unpack(const double y[SIZE], ib_flight_state *state) {
    memcpy(state->position, y + POSITION, sizeof state->position);
    memcpy(state->velocity, y + VELOCITY, sizeof state->velocity);
    memcpy(state->attitude, y + ATTITUDE, sizeof state->attitude);
    memcpy(state->rate, y + RATE, sizeof state->rate);
    ib_quat_normalize(state->attitude);
}

/* y + h k, in another place. */
static void stage(const double y[SIZE], double h, const double k[SIZE], double out[SIZE]) {
    for (int i = 0; i < SIZE; i++)
        out[i] = y[i] + h * k[i];
}

void ib_free_body_advance_from(const ib_free_body *body, const ib_environment *environment,
                               const ib_surroundings *start_around, ib_time start, ib_time period,
                               ib_flight_state *state) {
    const double t = ib_time_seconds(start), h = ib_time_seconds(period);
    const double middle = t + h / 2, end = ib_time_seconds(start + period);
    model flight = {.body = body, .environment = environment, .start = t};
    double y[SIZE], at[SIZE], k1[SIZE], k2[SIZE], k3[SIZE], k4[SIZE];
    pack(state, y);
    if (body->sampling == IB_FORCES_BY_TICK)
        accelerate_in(&flight, start_around, t, y, flight.frozen);
    derivative(&flight, start_around, t, y, k1);
    stage(y, h / 2, k1, at);
    derivative(&flight, NULL, middle, at, k2);
    stage(y, h / 2, k2, at);
    derivative(&flight, NULL, middle, at, k3);
    stage(y, h, k3, at);
    derivative(&flight, NULL, end, at, k4);
    for (int i = 0; i < SIZE; i++)
        y[i] += h * ((k1[i] + k4[i]) + 2 * (k2[i] + k3[i])) / 6;
    unpack(y, state);
}

void ib_free_body_advance(const ib_free_body *body, const ib_environment *environment,
                          ib_time start, ib_time period, ib_flight_state *state) {
    ib_surroundings around;
    ib_environment_probe(environment, state->position, ib_time_seconds(start), &around);
    ib_free_body_advance_from(body, environment, &around, start, period, state);
}

void ib_flight_to_ecef(const ib_environment *environment, ib_time t, const double position[3],
                       const double velocity[3], double r[3], double v[3], double turn[9]) {
    const ib_earth *earth = &environment->earth;
    if (earth->shape != IB_EARTH_FLAT) {
        ib_state_to_ecef(earth, ib_time_seconds(t), position, velocity, r, v);
        ib_ecef_from_inertial(earth, ib_time_seconds(t), turn);
        return;
    }
    /* North, west, up at the launch place. */
    const ib_geodetic ground = {environment->origin.latitude, environment->origin.longitude, 0};
    double ned[9], origin[3];
    ib_ned_from_ecef(ground.latitude, ground.longitude, ned);
    for (int i = 0; i < 3; i++)
        turn[3 * i] = ned[i], turn[3 * i + 1] = -ned[3 + i], turn[3 * i + 2] = -ned[6 + i];
    ib_ecef_from_geodetic(earth, &ground, origin);
    ib_mul3v(turn, position, r);
    ib_axpy(origin, 1, r, r);
    ib_mul3v(turn, velocity, v);
}

/* The part of the truth that is felt: acceleration in inertial axes. */
static void tell_felt(const ib_surroundings *around, ib_time t, const ib_flight_state *state,
                      const double specific_force[3], ib_truth_point *truth) {
    truth->time = t;
    truth->temperature = around->air.temperature;
    ib_quat_rotate_back(state->attitude, specific_force, truth->specific_force);
    memcpy(truth->rate, state->rate, sizeof truth->rate);
}

void ib_free_body_feel(const ib_free_body *body, const ib_surroundings *around, ib_time t,
                       const ib_flight_state *state, ib_truth_point *truth) {
    double a[3];
    push(body, body->mass, around, state->velocity, state->attitude, a);
    tell_felt(around, t, state, a, truth);
    spin_up(body, state->rate, truth->rate_change);
}

void ib_flight_see(const ib_environment *environment, const ib_surroundings *around,
                   const ib_flight_state *state, ib_truth_point *truth) {
    double turn[9], R[9];
    truth->pressure = around->air.pressure;
    truth->height = around->normal.height;
    ib_quat_rotate_back(state->attitude, around->magnetic_field, truth->magnetic_field);
    ib_flight_to_ecef(environment, truth->time, state->position, state->velocity, truth->position,
                      truth->velocity, turn);
    ib_quat_matrix(state->attitude, R);
    ib_mul33(turn, R, truth->ecef_from_body);
}

void ib_flight_truth(const ib_environment *environment, const ib_surroundings *around, ib_time t,
                     const ib_flight_state *state, const double specific_force[3],
                     const double rate_change[3], ib_truth_point *truth) {
    tell_felt(around, t, state, specific_force, truth);
    memcpy(truth->rate_change, rate_change, sizeof truth->rate_change);
    ib_flight_see(environment, around, state, truth);
}

void ib_free_body_truth_from(const ib_free_body *body, const ib_environment *environment,
                             const ib_surroundings *around, ib_time t, const ib_flight_state *state,
                             ib_truth_point *truth) {
    ib_free_body_feel(body, around, t, state, truth);
    ib_flight_see(environment, around, state, truth);
}

void ib_free_body_truth(const ib_free_body *body, const ib_environment *environment, ib_time t,
                        const ib_flight_state *state, ib_truth_point *truth) {
    ib_surroundings around;
    ib_environment_probe(environment, state->position, ib_time_seconds(t), &around);
    ib_free_body_truth_from(body, environment, &around, t, state, truth);
}
