/* Stages 3 to 5 of a vehicle's tick: forces, integration, truth.
 *
 * What devices do is frozen over the tick; gravity and air are not, the integrator asks for them at
 * every stage. A tank that runs dry splits the tick there, to the nanosecond, and the engine's
 * thrust ends with it.
 */
#include "world/foreign.h"
#include "world/machine.h"
#include "world/world_internal.h"

#include <string.h>

/* ---- 3: forces ---- */

static bool pushes(const ib_vehicle *vehicle, size_t unit) {
    const ib_unit_state *state = &vehicle->family->unit_states[unit];
    return vehicle->family->units[unit].type == IB_DEVICE_ECU &&
           (vehicle->state.units >> unit & 1) && state->effect.thrust > 0 &&
           !(vehicle->family->units[unit].burns_mass && !(state->propellant > 0));
}

/* A force at a point of the structure, and its torque about the centre of mass. */
static void apply(ib_vehicle *vehicle, double size, const double along[3], const double at[3]) {
    ib_free_body *body = &vehicle->state.body;
    double force[3], arm[3], torque[3];
    for (int k = 0; k < 3; k++)
        force[k] = size * along[k];
    ib_sub3(at, vehicle->state.centre, arm);
    ib_cross(arm, force, torque);
    ib_axpy(body->force, 1, force, body->force);
    ib_axpy(body->torque, 1, torque, body->torque);
}

void ib_engine_direction(const ib_family *family, const ib_fitting *unit, double along[3]) {
    double s, c;
    memcpy(along, unit->along, 3 * sizeof *along);
    if (unit->gimbal[0] < 0)
        return;
    ib_sincos(family->unit_states[unit->gimbal[0]].is.servo.angle, &s, &c);
    const double tipped[3] = {c * along[0] + s * along[2], along[1], c * along[2] - s * along[0]};
    ib_sincos(family->unit_states[unit->gimbal[1]].is.servo.angle, &s, &c);
    along[0] = c * tipped[0] - s * tipped[1];
    along[1] = s * tipped[0] + c * tipped[1];
    along[2] = tipped[2];
}

static void apply_rotors(ib_vehicle *vehicle, const ib_fitting *unit,
                         const ib_motors_state *motors) {
    for (size_t i = 0; i < unit->n_rotors; i++) {
        const ib_rotor *rotor = &unit->rotors[i];
        const double square = motors->speed[i] * motors->speed[i];
        apply(vehicle, unit->k_thrust * square, rotor->along, rotor->at);
        ib_axpy(vehicle->state.body.torque, -rotor->spin * unit->k_torque * square, rotor->along,
                vehicle->state.body.torque);
    }
}

/* Thrusts and torques about the centre of mass, in the order of the units. */
void ib_vehicle_forces(ib_world *world, ib_vehicle *vehicle) {
    ib_free_body *body = &vehicle->state.body;
    const ib_family *family = vehicle->family;
    (void)world;
    if (vehicle->machine) {
        ib_machine_forces(vehicle);
        return;
    }
    if (vehicle->foreign) {
        ib_foreign_forces(vehicle);
        return;
    }
    memset(body->force, 0, sizeof body->force);
    memset(body->torque, 0, sizeof body->torque);
    body->mass_flow = 0;
    for (size_t i = 0; i < family->n_units; i++) {
        const ib_fitting *unit = &family->units[i];
        const ib_engine_effect *effect = &family->unit_states[i].effect;
        double along[3];
        if (unit->n_rotors > 0 && (vehicle->state.units >> i & 1))
            apply_rotors(vehicle, unit, &family->unit_states[i].is.motors);
        if (!pushes(vehicle, i))
            continue;
        ib_engine_direction(family, unit, along);
        apply(vehicle, effect->thrust, along, unit->at);
        if (unit->burns_mass)
            body->mass_flow += effect->mass_flow;
    }
}

/* ---- 4: integration ---- */

/* How long the tanks last, at most `period`; at least a nanosecond. */
static ib_time until_dry(const ib_vehicle *vehicle, ib_time period) {
    const ib_family *family = vehicle->family;
    for (size_t i = 0; i < family->n_units; i++) {
        const ib_unit_state *state = &family->unit_states[i];
        ib_time left;
        if (pushes(vehicle, i) && family->units[i].burns_mass && state->effect.mass_flow > 0 &&
            ib_time_from_seconds(state->propellant / state->effect.mass_flow, &left) &&
            left < period)
            period = left > 0 ? left : 1;
    }
    return period;
}

static void burn(ib_vehicle *vehicle, ib_time time) {
    const ib_family *family = vehicle->family;
    const double seconds = ib_time_seconds(time);
    for (size_t i = 0; i < family->n_units; i++) {
        ib_unit_state *state = &family->unit_states[i];
        if (!pushes(vehicle, i) || !family->units[i].burns_mass)
            continue;
        const double left = state->propellant - state->effect.mass_flow * seconds;
        /* What a nanosecond burns counts as nothing. */
        state->propellant = left > 1e-9 * state->effect.mass_flow ? left : 0;
    }
}

/* Whether thrust is more than weight, along the vertical. */
static bool lifts_off(const ib_vehicle_state *state) {
    double force[3];
    ib_quat_rotate(state->flight.attitude, state->body.force, force);
    return ib_dot(force, state->around.up) >
           -state->body.mass * ib_dot(state->around.gravity, state->around.up);
}

/* Over a time in which no engine ends. */
static void integrate(const ib_environment *environment, ib_vehicle *vehicle, ib_time start,
                      ib_time period) {
    ib_vehicle_state *state = &vehicle->state;
    state->held = state->held && !lifts_off(state);
    if (state->held)
        ib_vehicle_on_pad(vehicle, environment, start + period, &state->flight);
    else
        ib_free_body_advance_from(&state->body, environment, &state->around, start, period,
                                  &state->flight);
    if (state->body.mass_flow > 0) {
        burn(vehicle, period);
        ib_vehicle_reweigh(vehicle);
    }
}

static bool is_finite(const ib_flight_state *flight) {
    const double sum = ib_dot(flight->position, flight->position) +
                       ib_dot(flight->velocity, flight->velocity) +
                       ib_dot(flight->rate, flight->rate) + flight->attitude[0];
    return sum - sum == 0;
}

void ib_vehicle_integrate(ib_world *world, ib_vehicle *vehicle, const ib_tick *tick) {
    ib_vehicle_state *state = &vehicle->state;
    ib_time now = tick->start;
    if (vehicle->machine) {
        ib_machine_integrate(vehicle, tick);
        return;
    }
    if (vehicle->foreign) {
        ib_foreign_integrate(world, vehicle, tick);
        return;
    }
    state->before = state->flight;
    state->body_before = state->body;
    while (now < tick->end) {
        const ib_time step = until_dry(vehicle, tick->end - now);
        integrate(&world->environment, vehicle, now, step);
        now += step;
        if (now < tick->end) {
            ib_vehicle_forces(world, vehicle);
            ib_vehicle_probe(vehicle, &world->environment, now);
        }
    }
    if (is_finite(&state->flight)) {
        ib_vehicle_probe(vehicle, &world->environment, tick->end);
        return;
    }
    vehicle->status = IB_SIMULATION_FAILED;
    ib_diags_add(vehicle->diags, IB_ERROR, IB0721, IB_NO_PLACE,
                 "vehicle '%s' has no finite state after tick %lld", vehicle->name,
                 (long long)tick->number);
}

/* ---- 5: truth ---- */

void ib_vehicle_truth(ib_vehicle *vehicle, const ib_environment *environment, ib_truth *truth) {
    const ib_vehicle_state *state = &vehicle->state;
    ib_vehicle_see(vehicle, environment);
    truth->vehicle = vehicle->index;
    memcpy(truth->position, state->truth.position, sizeof truth->position);
    memcpy(truth->velocity, state->truth.velocity, sizeof truth->velocity);
    memcpy(truth->attitude, state->flight.attitude, sizeof truth->attitude);
    memcpy(truth->rate, state->flight.rate, sizeof truth->rate);
    memcpy(truth->specific_force, state->truth.specific_force, sizeof truth->specific_force);
    truth->mass = state->body.mass;
    memcpy(truth->centre, state->centre, sizeof truth->centre);
}

/* ---- between ticks ---- */

/* By a step of its own from the tick's start: of the same order as the tick. Tanks that ran dry
 * within the tick are passed over. */
void ib_vehicle_back(ib_world *world, ib_vehicle *vehicle, ib_time time, ib_flight_state *state) {
    *state = vehicle->state.before;
    if (vehicle->state.held)
        ib_vehicle_on_pad(vehicle, &world->environment, time, state);
    else if (time > world->tick.start && world->mission->mode != IB_MODE_DRY)
        ib_free_body_advance(&vehicle->state.body_before, &world->environment, world->tick.start,
                             time - world->tick.start, state);
}
