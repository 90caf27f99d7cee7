/* Mass, centre of mass and inertia of what a vehicle is made of.
 *
 *     m = sum m_i,  m c = sum m_i c_i,  J = sum J_i + m_i (d.d 1 - d d'),  d = c_i - c
 * (Steiner). A part that has burnt propellant weighs less, and its inertia shrinks with its mass.
 */
#include "world/foreign.h"
#include "world/machine.h"

#include <string.h>

/* A part's mass now: at t = 0 less what engines on it have burnt. */
static double mass_of(const ib_family *family, size_t part) {
    double mass = family->parts[part].mass;
    for (size_t i = 0; i < family->n_units; i++)
        if (family->units[i].burns_mass && family->units[i].part == (int)part)
            mass -= family->units[i].propellant - family->unit_states[i].propellant;
    return mass;
}

void ib_parts_sum(const ib_family *family, uint32_t parts, double *mass, double centre[3],
                  double inertia[9]) {
    double masses[IB_VEHICLE_PARTS];
    *mass = 0;
    memset(centre, 0, 3 * sizeof *centre);
    memset(inertia, 0, 9 * sizeof *inertia);
    for (size_t i = 0; i < family->n_parts; i++) {
        if (!(parts >> i & 1))
            continue;
        masses[i] = mass_of(family, i);
        *mass += masses[i];
        ib_axpy(centre, masses[i], family->parts[i].centre, centre);
    }
    for (int i = 0; i < 3; i++)
        centre[i] /= *mass;
    for (size_t k = 0; k < family->n_parts; k++) {
        if (!(parts >> k & 1))
            continue;
        const ib_part *part = &family->parts[k];
        double d[3];
        ib_sub3(part->centre, centre, d);
        const double share = part->mass > 0 ? masses[k] / part->mass : 0, square = ib_dot(d, d);
        for (int i = 0; i < 9; i++)
            inertia[i] += share * part->inertia[i] +
                          masses[k] * ((i % 4 == 0 ? square : 0) - d[i / 3] * d[i % 3]);
    }
}

/* One part alone has its own numbers, to the bit. */
static void sum(const ib_vehicle *vehicle, double *mass, double centre[3], double inertia[9]) {
    const ib_family *family = vehicle->family;
    const uint32_t parts = vehicle->state.parts;
    for (size_t i = 0; i < family->n_parts; i++)
        if (parts == UINT32_C(1) << i && mass_of(family, i) == family->parts[i].mass) {
            *mass = family->parts[i].mass;
            memcpy(centre, family->parts[i].centre, 3 * sizeof *centre);
            memcpy(inertia, family->parts[i].inertia, 9 * sizeof *inertia);
            return;
        }
    ib_parts_sum(family, parts, mass, centre, inertia);
}

void ib_vehicle_weigh(ib_vehicle *vehicle) {
    ib_free_body *body = &vehicle->state.body;
    sum(vehicle, &body->mass, vehicle->state.centre, body->inertia);
    ib_sym3_inverse(body->inertia, body->inverse_inertia);
}

void ib_vehicle_reweigh(ib_vehicle *vehicle) {
    ib_vehicle_state *state = &vehicle->state;
    double before[3], moved[3], swing[3];
    memcpy(before, state->centre, sizeof before);
    ib_vehicle_weigh(vehicle);
    ib_sub3(state->centre, before, moved);
    ib_cross(state->flight.rate, moved, swing);
    ib_quat_rotate(state->flight.attitude, swing, swing);
    ib_quat_rotate(state->flight.attitude, moved, moved);
    ib_axpy(state->flight.position, 1, moved, state->flight.position);
    ib_axpy(state->flight.velocity, 1, swing, state->flight.velocity);
}

void ib_vehicle_on_pad(const ib_vehicle *vehicle, const ib_environment *environment, ib_time time,
                       ib_flight_state *flight) {
    const double rate = environment->earth.rate, spin[3] = {0, 0, rate};
    double s, c;
    ib_sincos(rate * ib_time_seconds(time) / 2, &s, &c);
    const double turn[4] = {c, 0, 0, s};
    ib_quat_rotate(turn, vehicle->pad.position, flight->position);
    ib_cross(spin, flight->position, flight->velocity);
    ib_quat_mul(turn, vehicle->pad.attitude, flight->attitude);
    ib_quat_normalize(flight->attitude);
    ib_quat_rotate_back(flight->attitude, spin, flight->rate);
}

/* What the pad presses with: all that gravity and the pad's turning leave. */
static void feel_pad(const ib_environment *environment, ib_vehicle_state *state) {
    const double spin[3] = {0, 0, environment->earth.rate};
    double a[3];
    ib_cross(spin, state->flight.velocity, a);
    ib_sub3(a, state->around.gravity, a);
    ib_quat_rotate_back(state->flight.attitude, a, state->truth.specific_force);
    memset(state->truth.rate_change, 0, sizeof state->truth.rate_change);
}

void ib_vehicle_probe(ib_vehicle *vehicle, const ib_environment *environment, ib_time now) {
    ib_vehicle_state *state = &vehicle->state;
    state->unseen = false;
    if (vehicle->machine) {
        ib_machine_show(vehicle, now);
        return;
    }
    if (vehicle->foreign) {
        ib_foreign_show(vehicle, now);
        return;
    }
    state->probed = ib_environment_feel(environment, state->flight.position, ib_time_seconds(now),
                                        &state->around);
    ib_free_body_feel(&state->body, &state->around, now, &state->flight, &state->truth);
    state->unseen = true;
    if (!state->held)
        return;
    ib_vehicle_see(vehicle, environment);
    feel_pad(environment, state);
}

void ib_vehicle_see(ib_vehicle *vehicle, const ib_environment *environment) {
    ib_vehicle_state *state = &vehicle->state;
    if (!state->unseen)
        return;
    if (!state->probed) {
        const ib_surroundings felt = state->around;
        ib_environment_probe(environment, state->flight.position,
                             ib_time_seconds(state->truth.time), &state->around);
        state->around.air.density = felt.air.density;
        state->around.air.temperature = felt.air.temperature;
        memcpy(state->around.air_velocity, felt.air_velocity, sizeof felt.air_velocity);
    }
    ib_flight_see(environment, &state->around, &state->flight, &state->truth);
    state->unseen = false;
}
