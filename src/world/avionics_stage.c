/* Stage 1 of a vehicle's tick: its devices step, by kind in the seed's order, then as in the file.
 *
 * Controllers consume what was commanded in earlier ticks and produce effects; sensors sample the
 * truth of the tick's start and stamp it so; the interlock unit runs its timers last, so that it
 * sees what the others have reported.
 */
#include "world/foreign.h"
#include "world/machine.h"
#include "world/world_internal.h"

#include <math.h> /* HUGE_VAL only */
#include <string.h>

/* A start that the mission asks for itself comes as a command like any other. */
static void command(const ib_fitting *unit, ib_bus *bus, int what, ib_time now) {
    ib_message message = {.topic = IB_TOPIC_ENGINE_COMMAND,
                          .source = IB_ANY,
                          .destination = unit->device.address,
                          .vehicle = unit->device.vehicle,
                          .priority = 255,
                          .stamp = now,
                          .payload = {.values = {what}}};
    ib_bus_publish(bus, &message, now, 0);
}

static void step_engine(ib_vehicle *vehicle, const ib_fitting *unit, ib_unit_state *state,
                        ib_time now) {
    if (!state->started && now >= unit->start) {
        state->started = true;
        command(unit, vehicle->bus, IB_ENGINE_START, now);
    }
    ib_engine_step(&unit->device, &unit->spec.engine,
                   unit->burns_mass ? state->propellant : HUGE_VAL, now, &state->is.engine,
                   &state->effect, vehicle->bus, &vehicle->out.events);
}

/* What a sensor sees: the truth of the centre of mass, of the body of a mechanism that it stands
 * on, or what an FMU tells it. */
static const ib_truth_point *truth_at(const ib_vehicle *vehicle, const ib_fitting *unit) {
    if (vehicle->foreign)
        return &vehicle->foreign->truths[unit - vehicle->family->units];
    return vehicle->machine ? &vehicle->machine->truths[unit->part] : &vehicle->state.truth;
}

/* Where that is in the structure; the centre of mass may move. What an FMU tells is true where the
 * sensor is. */
static const double *centre_at(const ib_vehicle *vehicle, const ib_fitting *unit) {
    if (vehicle->foreign)
        return unit->type == IB_DEVICE_IMU ? unit->spec.imu.position : unit->spec.gps.position;
    return vehicle->machine ? vehicle->family->parts[unit->part].centre : vehicle->state.centre;
}

static void step_imu(ib_vehicle *vehicle, const ib_fitting *unit, ib_unit_state *state) {
    ib_imu_spec spec = unit->spec.imu;
    ib_sub3(spec.position, centre_at(vehicle, unit), spec.position);
    ib_imu_step(&unit->device, &spec, truth_at(vehicle, unit), &state->is.sensor, vehicle->bus);
}

static void step_gps(const ib_environment *environment, ib_vehicle *vehicle, const ib_fitting *unit,
                     ib_unit_state *state) {
    ib_gps_spec spec = unit->spec.gps;
    ib_sub3(spec.position, centre_at(vehicle, unit), spec.position);
    ib_gps_step(&unit->device, &spec, &environment->earth, unit->epoch, truth_at(vehicle, unit),
                &state->is.gps, vehicle->bus);
}

/* Inertial units feel; these want to know where they are and what surrounds them. */
static bool looks(ib_device_type type) {
    return type == IB_DEVICE_GPS || type == IB_DEVICE_BARO || type == IB_DEVICE_MAG ||
           type == IB_DEVICE_ALTIMETER;
}

static void step_unit(const ib_world *world, ib_vehicle *vehicle, const ib_fitting *unit,
                      ib_unit_state *state, ib_time now) {
    const ib_device *device = &unit->device;
    if (looks(unit->type))
        ib_vehicle_see(vehicle, &world->environment);
    const ib_truth_point *truth = truth_at(vehicle, unit);
    switch (unit->type) {
    case IB_DEVICE_ECU:
        step_engine(vehicle, unit, state, now);
        break;
    case IB_DEVICE_MOTORS:
        ib_motors_step(device, &unit->spec.motors, now, &state->is.motors, vehicle->bus);
        break;
    case IB_DEVICE_SCU:
        ib_servo_step(device, &unit->spec.servo, IB_TOPIC_SERVO, now, &state->is.servo,
                      vehicle->bus);
        break;
    case IB_DEVICE_FIN:
        ib_servo_step(device, &unit->spec.servo, IB_TOPIC_FIN, now, &state->is.servo, vehicle->bus);
        break;
    case IB_DEVICE_IMU:
        step_imu(vehicle, unit, state);
        break;
    case IB_DEVICE_GPS:
        step_gps(&world->environment, vehicle, unit, state);
        break;
    case IB_DEVICE_BARO:
        ib_baro_step(device, &unit->spec.baro, truth, &state->is.sensor, vehicle->bus);
        break;
    case IB_DEVICE_MAG:
        ib_mag_step(device, &unit->spec.mag, truth, &state->is.sensor, vehicle->bus);
        break;
    case IB_DEVICE_ALTIMETER:
        ib_altimeter_step(device, &unit->spec.altimeter, truth, &state->is.sensor, vehicle->bus);
        break;
    case IB_DEVICE_ICU:
        ib_interlock_step_run(device, &unit->spec.interlock, now, &state->is.interlock,
                              vehicle->bus, &vehicle->out.events);
        break;
    }
}

static void log_events(ib_vehicle *vehicle) {
    const ib_events *events = &vehicle->out.events;
    for (int i = 0; i < events->n; i++) {
        const ib_event *event = &events->list[i];
        ib_log_entry *entry =
            ib_log_add(&vehicle->log, IB_LOG_EVENT, vehicle->index, event->device, event->time);
        if (entry) {
            entry->code = (int)event->kind;
            entry->payload = event->payload;
        }
    }
}

void ib_vehicle_avionics(ib_world *world, ib_vehicle *vehicle, const ib_tick *tick) {
    ib_family *family = vehicle->family;
    vehicle->out.events.n = 0;
    for (size_t i = 0; i < family->n_units; i++)
        if ((vehicle->state.units >> i & 1) && ib_beat_due(&family->units[i].beat, tick->number))
            step_unit(world, vehicle, &family->units[i], &family->unit_states[i], tick->start);
    log_events(vehicle);
}

void ib_world_command(ib_world *world, const ib_order *order, ib_time now) {
    ib_vehicle *vehicle = &world->vehicles[order->vehicle];
    const ib_fitting *unit = &vehicle->family->units[order->unit];
    const uint16_t owner = vehicle->family->unit_states[order->unit].owner;
    command(unit, world->vehicles[owner].bus, order->what, now);
}
