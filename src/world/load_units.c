/* The devices of a vehicle, as the mission gives them: parameters by their tables, faults, and the
 * interlock unit's sequence. They come out in the order of stage 1: by kind, then as in the file.
 */
#include "world/world_internal.h"

#include <assert.h>
#include <math.h> /* INFINITY only */
#include <stdio.h>
#include <string.h>

/* ---- parameters ---- */

enum { PARAMETERS = 64 }; /* more than any device has */

/* Fills in what is given, the rest by default; what is out of bounds is said at its value. */
static bool set_values(ib_world_loader *l, const ib_device_spec *spec,
                       const ib_parameter_table *table, void *target) {
    ib_place places[PARAMETERS];
    assert(table->n <= PARAMETERS);
    ib_parameters_default(table, target);
    for (size_t k = 0; k < table->n; k++)
        places[k] = spec->place;
    for (size_t i = 0; i < spec->n_values; i++)
        for (size_t k = 0; k < table->n; k++)
            if (strcmp(table->parameters[k].name, spec->values[i].name) == 0) {
                memcpy((char *)target + table->parameters[k].offset, spec->values[i].value,
                       (size_t)spec->values[i].n * sizeof(double));
                places[k] = spec->values[i].place;
            }
    return ib_parameters_check(table, target, spec->name, l->diags, places) == IB_OK;
}

/* Where it stands is relative to its body; the vehicle's axes and its centre come in at each step.
 */
static void settle_position(const ib_family *family, ib_fitting *unit) {
    const ib_part *part = &family->parts[unit->part];
    double *position = unit->type == IB_DEVICE_IMU   ? unit->spec.imu.position
                       : unit->type == IB_DEVICE_GPS ? unit->spec.gps.position
                                                     : NULL;
    if (!position)
        return;
    ib_mul3v(part->turn, position, position);
    ib_axpy(position, 1, part->centre, position);
}

static void settle_engine(const ib_family *family, const ib_device_spec *spec, ib_fitting *unit) {
    const ib_part *part = &family->parts[unit->part];
    ib_mul3v(part->turn, spec->at, unit->at);
    ib_axpy(unit->at, 1, part->centre, unit->at);
    ib_mul3v(part->turn, spec->along, unit->along);
    unit->propellant = spec->propellant;
    unit->burns_mass = spec->propellant > 0;
    unit->start = INT64_MAX;
    if (spec->start >= 0)
        ib_time_from_seconds(spec->start, &unit->start);
}

static bool find_gimbal(ib_world_loader *l, const ib_device_spec *spec, const ib_family *family,
                        ib_fitting *unit) {
    const char *names[IB_VEHICLE_UNITS];
    size_t n = 0;
    unit->gimbal[0] = unit->gimbal[1] = -1;
    for (size_t i = 0; i < family->n_units; i++)
        if (family->units[i].type == IB_DEVICE_SCU)
            names[n++] = family->units[i].name;
    for (size_t i = 0; i < spec->n_gimbal && i < 2; i++) {
        unit->gimbal[i] = ib_family_unit(family, spec->gimbal[i]);
        if (unit->gimbal[i] < 0 || family->units[unit->gimbal[i]].type != IB_DEVICE_SCU) {
            ib_load_unknown(l, IB0342, spec->gimbal_place, "servo (scu)", spec->gimbal[i], names,
                            n);
            return false;
        }
        if (family->units[unit->gimbal[i]].part != unit->part) {
            ib_diags_add(l->diags, IB_ERROR, IB0342, spec->gimbal_place,
                         "gimbal: the servo '%s' stands on another body than the engine '%s'",
                         spec->gimbal[i], spec->name);
            return false;
        }
    }
    return true;
}

static bool settle_rotors(ib_world_loader *l, const ib_device_spec *spec, const ib_family *family,
                          ib_fitting *unit) {
    const ib_part *part = &family->parts[unit->part];
    if (spec->n_rotors > (size_t)unit->spec.motors.n) {
        ib_diags_add(l->diags, IB_ERROR, IB0224, spec->place,
                     "rotors: '%s' has %g motors, and these are %zu rotors", spec->name,
                     unit->spec.motors.n, spec->n_rotors);
        return false;
    }
    unit->rotors = IB_ARENA_ARRAY(l->world->arena, spec->n_rotors + 1, ib_rotor);
    l->no_memory = l->no_memory || !unit->rotors;
    unit->n_rotors = unit->rotors ? spec->n_rotors : 0;
    unit->k_thrust = spec->k_thrust;
    unit->k_torque = spec->k_torque;
    for (size_t i = 0; i < unit->n_rotors; i++) {
        ib_rotor *rotor = &unit->rotors[i];
        ib_mul3v(part->turn, spec->rotors[i].at, rotor->at);
        ib_axpy(rotor->at, 1, part->centre, rotor->at);
        ib_mul3v(part->turn, spec->rotors[i].along, rotor->along);
        rotor->spin = spec->rotors[i].spin;
    }
    return !l->no_memory;
}

static bool check_engine(ib_world_loader *l, const ib_device_spec *spec, const ib_part *part) {
    if (spec->propellant >= 0 && spec->propellant < part->mass)
        return true;
    ib_diags_add(l->diags, IB_ERROR, IB0607, spec->place,
                 "%s: its propellant is a part of the mass of '%s', so it lies between 0 and "
                 "%.6g kg",
                 spec->name, part->name, part->mass);
    return false;
}

/* Up to four digits and what ends them, which is passed. */
static bool read_digits(const char **text, char end, int *number) {
    const char *at = *text;
    for (*number = 0; *at >= '0' && *at <= '9' && at - *text < 4; at++)
        *number = 10 * *number + (*at - '0');
    if (at == *text || *at != end)
        return false;
    *text = at + (end != '\0');
    return true;
}

/* "2026-01-01" */
static bool read_epoch(ib_world_loader *l, const ib_device_spec *spec, ib_fitting *unit) {
    const char *text = spec->epoch ? spec->epoch : "2026-01-01";
    int year, month, day;
    const bool form = read_digits(&text, '-', &year) && read_digits(&text, '-', &month) &&
                      read_digits(&text, '\0', &day);
    if (form && ib_gps_time_from_utc(year, month, day, 0, 0, 0, 18, &unit->epoch))
        return true;
    ib_diags_add(l->diags, IB_ERROR, IB0216, spec->epoch_place,
                 "epoch: '%s' is no date from 1980-01-06 on; write year-month-day", spec->epoch);
    return false;
}

/* ---- the interlock unit ---- */

/* "burnout(ecu1)": the event of a kind and the device. */
static bool read_trigger(ib_world_loader *l, const ib_step_spec *spec, const ib_family *family,
                         ib_interlock_step *step) {
    static const struct {
        const char *name;
        ib_event_kind kind;
        ib_device_type from;
        const char *device;
    } kinds[] = {{"burnout", IB_EVENT_ENGINE_SHUTDOWN, IB_DEVICE_ECU, "engine (ecu)"},
                 {"fired", IB_EVENT_BOLT_FIRED, IB_DEVICE_ICU, "interlock unit (icu)"},
                 {"separated", IB_EVENT_STAGE_SEPARATION, IB_DEVICE_ICU, "interlock unit (icu)"},
                 {"deployed", IB_EVENT_FIN_DEPLOY, IB_DEVICE_ICU, "interlock unit (icu)"}};
    if (!spec->after)
        return true;
    if (strcmp(spec->after, "command") == 0) {
        step->trigger = IB_TRIGGER_COMMAND;
        return true;
    }
    const size_t length = strlen(spec->after), word = strcspn(spec->after, "(");
    for (size_t i = 0; i < IB_COUNT(kinds) && word + 2 < length; i++) {
        if (strlen(kinds[i].name) != word || strncmp(kinds[i].name, spec->after, word) != 0 ||
            spec->after[length - 1] != ')')
            continue;
        const char *name =
            ib_arena_strndup(l->world->arena, spec->after + word + 1, length - word - 2);
        const int unit = name ? ib_family_unit(family, name) : -1;
        const char *names[IB_VEHICLE_UNITS];
        for (size_t k = 0; k < family->n_units; k++)
            names[k] = family->units[k].name;
        if (unit < 0) {
            ib_load_unknown(l, IB0342, spec->after_place, "device", name ? name : "", names,
                            family->n_units);
            return false;
        }
        if (family->units[unit].type != kinds[i].from) {
            ib_diags_add(l->diags, IB_ERROR, IB0342, spec->after_place,
                         "after: '%s' waits for an %s, and '%s' is none", spec->after,
                         kinds[i].device, name);
            return false;
        }
        step->trigger = IB_TRIGGER_EVENT;
        step->event = kinds[i].kind;
        step->device = family->units[unit].device.address;
        return true;
    }
    ib_diags_add(l->diags, IB_ERROR, IB0215, spec->after_place,
                 "after: '%s' is none of burnout(DEVICE), fired(DEVICE), separated(DEVICE), "
                 "deployed(DEVICE) and command",
                 spec->after);
    return false;
}

/* Names of bolts become bits, in the order in which they are first named. */
static uint32_t bolt_bits(const ib_step_spec *step, const char **names, size_t *n) {
    uint32_t bits = 0;
    for (size_t i = 0; i < step->n_bolts; i++) {
        size_t k = 0;
        while (k < *n && strcmp(names[k], step->bolts[i]) != 0)
            k++;
        if (k == *n && k < 32)
            names[(*n)++] = step->bolts[i];
        bits |= k < 32 ? UINT32_C(1) << k : 0;
    }
    return bits;
}

static bool read_payload(ib_world_loader *l, const ib_vehicle_spec *vehicle,
                         const ib_step_spec *spec, ib_interlock_step *step) {
    const char *names[64];
    size_t n = 0;
    if (step->action != IB_ACTION_SEPARATE)
        return true;
    for (size_t i = 0; i < vehicle->n_separations; i++) {
        if (spec->payload && strcmp(vehicle->separations[i].name, spec->payload) == 0) {
            step->payload = (uint32_t)i;
            return true;
        }
        if (n < IB_COUNT(names))
            names[n++] = vehicle->separations[i].name;
    }
    if (spec->payload)
        ib_load_unknown(l, IB0345, spec->payload_place, "separation", spec->payload, names, n);
    else
        ib_diags_add(l->diags, IB_ERROR, IB0211, spec->place,
                     "a step that separates needs 'payload'");
    return false;
}

static bool read_sequence(ib_world_loader *l, const ib_vehicle_spec *vehicle,
                          const ib_device_spec *spec, const ib_family *family, ib_fitting *unit) {
    const char *bolts[32];
    size_t n_bolts = 0;
    bool good = true;
    unit->spec.interlock.n = (int)spec->n_steps;
    for (size_t i = 0; i < spec->n_steps; i++) {
        const ib_step_spec *from = &spec->steps[i];
        ib_interlock_step *step = &unit->spec.interlock.steps[i];
        *step =
            (ib_interlock_step){.trigger = IB_TRIGGER_PREVIOUS, .action = (ib_action)from->action};
        if (!(from->delay >= 0) || !ib_time_from_seconds(from->delay, &step->delay)) {
            ib_diags_add(l->diags, IB_ERROR, IB0607, from->place,
                         "delay: a delay is 0 or positive");
            good = false;
        }
        step->payload = bolt_bits(from, bolts, &n_bolts);
        good = read_trigger(l, from, family, step) && read_payload(l, vehicle, from, step) && good;
    }
    return good;
}

/* ---- faults ---- */

static bool read_faults(ib_world_loader *l, const ib_vehicle_spec *vehicle, ib_family *family) {
    const char *names[IB_VEHICLE_UNITS];
    bool good = true;
    for (size_t i = 0; i < family->n_units; i++)
        names[i] = family->units[i].name;
    for (size_t i = 0; i < vehicle->n_faults; i++) {
        const ib_fault_spec *spec = &vehicle->faults[i];
        const int unit = ib_family_unit(family, spec->device);
        if (unit < 0) {
            ib_load_unknown(l, IB0342, spec->device_place, "device", spec->device, names,
                            family->n_units);
            good = false;
            continue;
        }
        ib_device *device = &family->units[unit].device;
        ib_device_fault fault = {.kind = (ib_fault_kind)spec->kind,
                                 .until = INT64_MAX,
                                 .value = spec->value,
                                 .part = spec->part};
        const bool ends = spec->until < (double)INFINITY;
        if (device->n_faults == IB_DEVICE_FAULTS || !ib_time_from_seconds(spec->at, &fault.at) ||
            (ends && !ib_time_from_seconds(spec->until, &fault.until))) {
            ib_diags_add(l->diags, IB_ERROR, IB0607, spec->place,
                         "a device has at most %d faults, at times up to 9.2e9 s",
                         IB_DEVICE_FAULTS);
            good = false;
            continue;
        }
        device->faults[device->n_faults++] = fault;
    }
    return good;
}

/* ---- a device ---- */

static bool read_beat(ib_world_loader *l, const ib_device_spec *spec, ib_fitting *unit) {
    const ib_world *world = l->world;
    ib_time phase = 0, period = world->period;
    if (!ib_time_from_seconds(spec->phase, &phase)) {
        ib_diags_add(l->diags, IB_ERROR, IB0607, spec->phase_place, "phase: no such time");
        return false;
    }
    const bool by_period = spec->rate.seconds > 0 || spec->rate.seconds < 0;
    const bool by_rate = spec->rate.place.line && !by_period;
    if (by_rate) {
        if (ib_beat_from_rate(world->period, spec->rate.hertz, phase, spec->name, l->diags,
                              spec->rate.place, &unit->beat) != IB_OK)
            return false;
    } else {
        if (by_period && ib_period_from_seconds(spec->rate.seconds, spec->name, l->diags,
                                                spec->rate.place, &period) != IB_OK)
            return false;
        if (ib_beat_make(world->period, period, phase, spec->name, l->diags,
                         by_period ? spec->rate.place : spec->phase_place, &unit->beat) != IB_OK)
            return false;
    }
    unit->device.period = unit->beat.ratio * world->period;
    return true;
}

static bool find_part(ib_world_loader *l, const ib_device_spec *spec, const ib_family *family,
                      ib_fitting *unit) {
    const char *names[IB_VEHICLE_PARTS];
    unit->part = spec->body ? ib_family_part(family, spec->body) : 0;
    if (unit->part >= 0)
        return true;
    for (size_t i = 0; i < family->n_parts; i++)
        names[i] = family->parts[i].name;
    ib_load_unknown(l, IB0312, spec->body_place, "body", spec->body, names, family->n_parts);
    return false;
}

static bool read_unit(ib_world_loader *l, const ib_vehicle_spec *vehicle,
                      const ib_device_spec *spec, const ib_family *family, ib_fitting *unit) {
    const ib_parameter_table *table = ib_unit_table(spec->type);
    if (!find_part(l, spec, family, unit) || !read_beat(l, spec, unit))
        return false;
    if (table && !set_values(l, spec, table, &unit->spec))
        return false;
    settle_position(family, unit);
    switch (spec->type) {
    case IB_DEVICE_ECU:
        settle_engine(family, spec, unit);
        return check_engine(l, spec, &family->parts[unit->part]);
    case IB_DEVICE_MOTORS:
        return settle_rotors(l, spec, family, unit);
    case IB_DEVICE_GPS:
        return read_epoch(l, spec, unit);
    case IB_DEVICE_ICU:
        return read_sequence(l, vehicle, spec, family, unit);
    default:
        return true;
    }
}

/* ---- all of them ---- */

static void reset(const ib_fitting *unit, uint16_t owner, ib_unit_state *state) {
    *state = (ib_unit_state){.owner = owner, .propellant = unit->propellant};
    if (unit->type == IB_DEVICE_SCU || unit->type == IB_DEVICE_FIN) {
        const ib_servo_spec *servo = &unit->spec.servo;
        const double neutral = servo->lowest > 0    ? servo->lowest
                               : servo->highest < 0 ? servo->highest
                                                    : 0;
        state->is.servo.command = state->is.servo.target = state->is.servo.motor =
            state->is.servo.angle = neutral;
    }
}

/* Names first, since sequences name devices that may stand behind them. */
static void sort_units(ib_world_loader *l, const ib_vehicle_spec *spec, uint16_t vehicle,
                       ib_family *family, const ib_device_spec **sources) {
    for (int type = IB_DEVICE_ECU; type <= IB_DEVICE_ICU; type++)
        for (size_t i = 0; i < spec->n_devices; i++) {
            const ib_device_spec *device = &spec->devices[i];
            if ((int)device->type != type)
                continue;
            const size_t n = family->n_units++;
            sources[n] = device;
            family->units[n] = (ib_fitting){.name = device->name, .type = device->type};
            family->units[n].device =
                (ib_device){.address = (uint16_t)i,
                            .vehicle = vehicle,
                            .priority = (uint8_t)(device->priority > 255 ? 255 : device->priority),
                            .key = ib_stream_key(l->world->seed, spec->name, device->name)};
        }
}

/* A device's channels stand beside the vehicle's own, so it cannot have their names. */
static bool check_names(ib_world_loader *l, const ib_vehicle_spec *vehicle) {
    bool good = true;
    for (size_t i = 0; i < vehicle->n_devices; i++) {
        const ib_device_spec *device = &vehicle->devices[i];
        if (!ib_channel_reserved(device->name))
            continue;
        ib_diags_add(l->diags, IB_ERROR, IB0301, device->place,
                     "a device cannot be called '%s': '%s.%s' is a channel, or the beginning of "
                     "channels, of the vehicle itself",
                     device->name, vehicle->name, device->name);
        ib_diags_suggest(l->diags, "another name, such as 'my_%s' or '%s_1'", device->name,
                         device->name);
        good = false;
    }
    return good;
}

bool ib_load_units(ib_world_loader *l, const ib_vehicle_spec *spec, uint16_t vehicle,
                   ib_family *family) {
    const ib_device_spec *sources[IB_VEHICLE_UNITS];
    ib_arena *arena = l->world->arena;
    bool good = check_names(l, spec);
    if (spec->n_devices > IB_VEHICLE_UNITS) {
        ib_diags_add(l->diags, IB_ERROR, IB0347, spec->place,
                     "vehicle '%s' has %zu devices; at most %d are possible", spec->name,
                     spec->n_devices, IB_VEHICLE_UNITS);
        return false;
    }
    family->units = IB_ARENA_ARRAY(arena, spec->n_devices + 1, ib_fitting);
    family->unit_states = IB_ARENA_ARRAY(arena, spec->n_devices + 1, ib_unit_state);
    l->no_memory = l->no_memory || !family->units || !family->unit_states;
    if (l->no_memory)
        return false;
    sort_units(l, spec, vehicle, family, sources);
    for (size_t i = 0; i < family->n_units; i++) {
        good = read_unit(l, spec, sources[i], family, &family->units[i]) && good;
        reset(&family->units[i], vehicle, &family->unit_states[i]);
    }
    for (size_t i = 0; i < family->n_units; i++)
        good = find_gimbal(l, sources[i], family, &family->units[i]) && good;
    good = read_faults(l, spec, family) && good;
    for (size_t i = 0; i < family->n_units && good; i++)
        good = ib_device_check(&family->units[i].device, family->units[i].name, l->diags,
                               sources[i]->place) == IB_OK &&
               good;
    return good;
}
