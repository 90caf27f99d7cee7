/* Stages 3 to 5 of a vehicle that is a mechanism.
 *
 * What is true of a body b at R_b, turned from structure axes at t = 0 by T_b, is told in the axes
 * S_b = R_b T_b' that it carries along: they are the structure's own while nothing has moved. The
 * vehicle's place is that of the centre of all mass, its attitude that of its first body.
 */
#include "world/machine.h"
#include "world/world_internal.h"

#include <math.h> /* NAN only */
#include <string.h>

typedef struct ib_machine machine;

/* ---- what is true ---- */

/* A body in the inertial frame: its state in the axes that it carries, and its acceleration. */
static void show_part(const machine *m, const ib_family *family, const ib_dynamics *d, size_t part,
                      ib_flight_state *flight, double acceleration[3], double rate_change[3]) {
    const double *y = ib_dynamics_bodies(d) + IB_STATE * part, *T = family->parts[part].turn;
    const double *a = ib_dynamics_acceleration(d, (int)part);
    double launch[4], turn[4], q[4];
    ib_mul3v(m->launch, y, flight->position);
    ib_axpy(flight->position, 1, m->origin, flight->position);
    ib_mul3v(m->launch, y + IB_STATE_V, flight->velocity);
    ib_mul3v(m->launch, a, acceleration);
    ib_quat_from_matrix(m->launch, launch);
    ib_quat_from_matrix(T, turn);
    for (int i = 1; i < 4; i++)
        turn[i] = -turn[i];
    ib_quat_mul(launch, y + IB_STATE_Q, q);
    ib_quat_mul(q, turn, flight->attitude);
    ib_quat_normalize(flight->attitude);
    ib_mul3v(T, y + IB_STATE_W, flight->rate);
    ib_mul3v(T, a + 3, rate_change);
}

static void tell_truth(const machine *m, ib_time now, const ib_flight_state *flight,
                       const ib_surroundings *around, const double acceleration[3],
                       const double rate_change[3], ib_truth_point *truth) {
    double felt[3];
    ib_sub3(acceleration, around->gravity, felt);
    ib_flight_truth(m->environment, around, now, flight, felt, rate_change, truth);
}

static void show_carriers(const machine *m, const ib_family *family, const ib_dynamics *d,
                          ib_time now) {
    for (size_t i = 0; i < family->n_parts; i++) {
        ib_flight_state flight;
        ib_surroundings around;
        double acceleration[3], rate_change[3];
        if (!(m->carriers >> i & 1))
            continue;
        show_part(m, family, d, i, &flight, acceleration, rate_change);
        ib_environment_probe(m->environment, flight.position, ib_time_seconds(now), &around);
        tell_truth(m, now, &flight, &around, acceleration, rate_change, &m->truths[i]);
    }
}

/* Of all bodies together: m c = sum m_b c_b, and the same of velocities and accelerations (launch
 * frame). Propellant that moves within its tank is slow, and passed over. */
typedef struct whole {
    double mass, centre[3], velocity[3], acceleration[3];
} whole;

static void sum_up(const ib_family *family, const ib_dynamics *d, whole *all) {
    *all = (whole){0};
    for (size_t i = 0; i < family->n_parts; i++) {
        const double *y = ib_dynamics_bodies(d) + IB_STATE * i, mass = ib_dynamics_mass(d, (int)i);
        const double *a = ib_dynamics_acceleration(d, (int)i);
        double centre[3], arm[3], rate[3], change[3], swing[3], v[3], twist[3];
        ib_dynamics_centre(d, (int)i, centre);
        ib_sub3(centre, y, arm);
        ib_quat_rotate(y + IB_STATE_Q, y + IB_STATE_W, rate);
        ib_quat_rotate(y + IB_STATE_Q, a + 3, change);
        ib_cross(rate, arm, swing);
        ib_axpy(y + IB_STATE_V, 1, swing, v);
        ib_cross(rate, swing, twist);
        ib_cross(change, arm, swing);
        ib_axpy(twist, 1, swing, twist);
        ib_axpy(twist, 1, a, twist);
        all->mass += mass;
        ib_axpy(all->centre, mass, centre, all->centre);
        ib_axpy(all->velocity, mass, v, all->velocity);
        ib_axpy(all->acceleration, mass, twist, all->acceleration);
    }
    for (int k = 0; k < 3; k++) {
        all->centre[k] /= all->mass;
        all->velocity[k] /= all->mass;
        all->acceleration[k] /= all->mass;
    }
}

static void show_whole(const machine *m, ib_vehicle *vehicle, const ib_dynamics *d, ib_time now) {
    const ib_family *family = vehicle->family;
    const double *first = ib_dynamics_bodies(d);
    ib_vehicle_state *state = &vehicle->state;
    double acceleration[3], rate_change[3], arm[3];
    whole all;
    sum_up(family, d, &all);
    show_part(m, family, d, 0, &state->flight, acceleration, rate_change);
    ib_mul3v(m->launch, all.centre, state->flight.position);
    ib_axpy(state->flight.position, 1, m->origin, state->flight.position);
    ib_mul3v(m->launch, all.velocity, state->flight.velocity);
    ib_mul3v(m->launch, all.acceleration, acceleration);
    ib_sub3(all.centre, first, arm);
    ib_quat_rotate_back(first + IB_STATE_Q, arm, arm);
    ib_axpy(family->parts[0].centre, 1, arm, state->centre);
    state->body.mass = all.mass;
    ib_environment_probe(m->environment, state->flight.position, ib_time_seconds(now),
                         &state->around);
    tell_truth(m, now, &state->flight, &state->around, acceleration, rate_change, &state->truth);
}

void ib_machine_show(ib_vehicle *vehicle, ib_time now) {
    const machine *m = vehicle->machine;
    const ib_dynamics *d;
    const ib_status status = ib_system_look(m->system, &d, vehicle->diags);
    if (status != IB_OK) {
        vehicle->status = status;
        return;
    }
    show_whole(m, vehicle, d, now);
    show_carriers(m, vehicle->family, d, now);
}

/* ---- 3: forces ---- */

/* A force at a place of the structure on a part, and a torque: into the part's own axes. */
static void push(const machine *m, const ib_part *part, size_t index, const double force[3],
                 const double at[3], const double torque[3]) {
    double *sum = m->sums + 6 * index, arm[3], twist[3], own[3];
    ib_sub3(at, part->centre, arm);
    ib_cross(arm, force, twist);
    ib_axpy(twist, 1, torque, twist);
    ib_mul3tv(part->turn, force, own);
    ib_axpy(sum, 1, own, sum);
    ib_mul3tv(part->turn, twist, own);
    ib_axpy(sum + 3, 1, own, sum + 3);
}

static void push_by_engine(const machine *m, const ib_family *family, size_t index) {
    const ib_fitting *unit = &family->units[index];
    double along[3], force[3];
    ib_engine_direction(family, unit, along);
    for (int k = 0; k < 3; k++)
        force[k] = family->unit_states[index].effect.thrust * along[k];
    push(m, &family->parts[unit->part], (size_t)unit->part, force, unit->at, (double[3]){0});
}

static void push_by_rotors(const machine *m, const ib_family *family, size_t index) {
    const ib_fitting *unit = &family->units[index];
    for (size_t i = 0; i < unit->n_rotors; i++) {
        const ib_rotor *rotor = &unit->rotors[i];
        const double speed = family->unit_states[index].is.motors.speed[i];
        double force[3], torque[3];
        for (int k = 0; k < 3; k++) {
            force[k] = unit->k_thrust * speed * speed * rotor->along[k];
            torque[k] = -rotor->spin * unit->k_torque * speed * speed * rotor->along[k];
        }
        push(m, &family->parts[unit->part], (size_t)unit->part, force, rotor->at, torque);
    }
}

static ib_status set_inputs(const machine *m, ib_vehicle *vehicle) {
    ib_status status = IB_OK;
    for (size_t i = 0; i < vehicle->n_wires && status == IB_OK; i++) {
        const double value = ib_wire_value(vehicle, &vehicle->wires[i]);
        if (value == value)
            status = ib_system_set_input(m->system, vehicle->wires[i].to.variable, value,
                                         vehicle->diags);
    }
    return status;
}

void ib_machine_forces(ib_vehicle *vehicle) {
    const machine *m = vehicle->machine;
    const ib_family *family = vehicle->family;
    const size_t size = 6 * family->n_parts * sizeof *m->sums;
    vehicle->status = set_inputs(m, vehicle);
    memset(m->sums, 0, size);
    for (size_t i = 0; i < family->n_units; i++)
        if (family->units[i].type == IB_DEVICE_ECU)
            push_by_engine(m, family, i);
        else if (family->units[i].n_rotors > 0)
            push_by_rotors(m, family, i);
    if (vehicle->status != IB_OK || memcmp(m->sums, m->wrenches, size) == 0)
        return;
    memcpy(m->wrenches, m->sums, size);
    vehicle->status = ib_system_push(m->system, m->wrenches, vehicle->diags);
}

/* ---- 4: integration ---- */

void ib_machine_integrate(ib_vehicle *vehicle, const ib_tick *tick) {
    const machine *m = vehicle->machine;
    if (vehicle->status != IB_OK)
        return;
    vehicle->state.before = vehicle->state.flight;
    ib_system_save(m->system, m->before);
    vehicle->status = ib_system_advance(m->system, tick->end, vehicle->diags);
    if (vehicle->status == IB_OK)
        ib_machine_show(vehicle, tick->end);
}

/* ---- between ticks ---- */

void ib_machine_back(const ib_world *world, ib_vehicle *vehicle, ib_time time, double *values) {
    const machine *m = vehicle->machine;
    const size_t size = ib_system_state_size(m->system);
    const ib_vehicle_state state = vehicle->state;
    ib_status status = IB_OK;
    ib_system_save(m->system, m->now);
    if (world->mission->mode != IB_MODE_DRY) {
        ib_system_restore(m->system, m->before, size);
        status = ib_system_advance(m->system, time, NULL);
    }
    if (status == IB_OK)
        ib_machine_show(vehicle, time);
    ib_vehicle_channels(world, vehicle, time, NULL, values);
    ib_system_restore(m->system, m->now, size);
    ib_machine_show(vehicle, world->tick.end);
    vehicle->state = state;
}

void ib_machine_channels(const machine *m, double *values) {
    if (ib_system_read(m->system, m->channels, m->n_channels, values, NULL) == IB_OK)
        return;
    for (size_t i = 0; i < m->n_channels; i++)
        if (ib_system_read(m->system, &m->channels[i], 1, &values[i], NULL) != IB_OK)
            values[i] = (double)NAN;
}

/* ---- snapshots ---- */

static size_t wrench_size(const ib_vehicle *vehicle) {
    return 6 * vehicle->family->n_parts * sizeof(double);
}

size_t ib_machine_state_size(const ib_vehicle *vehicle) {
    return wrench_size(vehicle) + ib_system_state_size(vehicle->machine->system);
}

void ib_machine_save(const ib_vehicle *vehicle, void *bytes) {
    const size_t size = wrench_size(vehicle);
    memcpy(bytes, vehicle->machine->wrenches, size);
    ib_system_save(vehicle->machine->system, (char *)bytes + size);
}

void ib_machine_restore(ib_vehicle *vehicle, const void *bytes, ib_time now) {
    const machine *m = vehicle->machine;
    const size_t size = wrench_size(vehicle);
    memcpy(m->wrenches, bytes, size);
    ib_system_restore(m->system, (const char *)bytes + size, ib_system_state_size(m->system));
    ib_system_push_again(m->system, m->wrenches);
    ib_machine_show(vehicle, now);
}
