/* Devices as they stand in a mission: their parameters' names for its reader, and the numbers that
 * each shows as channels.
 */
#include "world/vehicle.h"

#include <math.h> /* NAN only */
#include <stdio.h>
#include <string.h>

static const char *const types[] = {[IB_DEVICE_ECU] = "ecu",
                                    [IB_DEVICE_MOTORS] = "pwm_motors",
                                    [IB_DEVICE_SCU] = "scu",
                                    [IB_DEVICE_FIN] = "fin",
                                    [IB_DEVICE_IMU] = "imu",
                                    [IB_DEVICE_GPS] = "gps",
                                    [IB_DEVICE_BARO] = "baro",
                                    [IB_DEVICE_MAG] = "mag",
                                    [IB_DEVICE_ALTIMETER] = "altimeter",
                                    [IB_DEVICE_ICU] = "icu"};

const ib_parameter_table *ib_unit_table(ib_device_type type) {
    return ib_parameters_of(types[type]);
}

const char *ib_unit_type_name(ib_device_type type) { return types[type]; }

/* ---- for the reader of missions ---- */

static const char *name_at(ib_device_type type, size_t i) {
    const ib_parameter_table *table = ib_unit_table(type);
    return table && i < table->n ? table->parameters[i].name : NULL;
}

static int count_of(ib_device_type type, const char *name) {
    const ib_parameter_table *table = ib_unit_table(type);
    for (size_t i = 0; table && i < table->n; i++)
        if (strcmp(table->parameters[i].name, name) == 0)
            return table->parameters[i].count;
    return 0;
}

const ib_device_names ib_unit_names = {.count = count_of, .name = name_at};

/* ---- channels ---- */

typedef struct number {
    const char *name, *unit, *meaning;
} number;

static const number imu[] = {{"specific_force.x", "m/s^2", "measured specific force, x"},
                             {"specific_force.y", "m/s^2", "measured specific force, y"},
                             {"specific_force.z", "m/s^2", "measured specific force, z"},
                             {"rate.x", "rad/s", "measured angular rate, x"},
                             {"rate.y", "rad/s", "measured angular rate, y"},
                             {"rate.z", "rad/s", "measured angular rate, z"},
                             {"flags", "1", "1 saturated, 2 invalid"}};
static const number gps[] = {{"latitude", "rad", "measured latitude"},
                             {"longitude", "rad", "measured longitude"},
                             {"height", "m", "measured height above the ellipsoid"},
                             {"velocity.n", "m/s", "measured velocity, north"},
                             {"velocity.e", "m/s", "measured velocity, east"},
                             {"velocity.d", "m/s", "measured velocity, down"},
                             {"fix", "1", "0 none, 3 three-dimensional"}};
static const number baro[] = {{"pressure", "Pa", "measured pressure"},
                              {"temperature", "K", "measured temperature"}};
static const number mag[] = {{"field.x", "T", "measured magnetic field, x"},
                             {"field.y", "T", "measured magnetic field, y"},
                             {"field.z", "T", "measured magnetic field, z"}};
static const number altimeter[] = {{"range", "m", "measured height"}};
static const number servo[] = {
    {"angle", "rad", "angle behind the backlash"},
    {"state", "1", "holding, moving, at_stop, stuck, floating, hard_over"}};
static const number engine[] = {{"thrust", "N", "thrust"},
                                {"mass_flow", "kg/s", "out of the tank"},
                                {"propellant", "kg", "left in the tank"},
                                {"throttle", "1", "as commanded"},
                                {"state", "1", "off, igniting, rising, running, decaying, failed"}};
static const number interlock[] = {{"state", "1", "safe, armed, fired"},
                                   {"bolts", "1", "fired, as bits"}};
static const number motors[] = {
    {"speed.1", "rad/s", "speed"},  {"speed.2", "rad/s", "speed"},  {"speed.3", "rad/s", "speed"},
    {"speed.4", "rad/s", "speed"},  {"speed.5", "rad/s", "speed"},  {"speed.6", "rad/s", "speed"},
    {"speed.7", "rad/s", "speed"},  {"speed.8", "rad/s", "speed"},  {"speed.9", "rad/s", "speed"},
    {"speed.10", "rad/s", "speed"}, {"speed.11", "rad/s", "speed"}, {"speed.12", "rad/s", "speed"},
    {"speed.13", "rad/s", "speed"}, {"speed.14", "rad/s", "speed"}, {"speed.15", "rad/s", "speed"},
    {"speed.16", "rad/s", "speed"}};

static const struct {
    const number *list;
    size_t n;
} numbers[] = {[IB_DEVICE_ECU] = {engine, IB_COUNT(engine)},
               [IB_DEVICE_MOTORS] = {motors, IB_COUNT(motors)},
               [IB_DEVICE_SCU] = {servo, IB_COUNT(servo)},
               [IB_DEVICE_FIN] = {servo, IB_COUNT(servo)},
               [IB_DEVICE_IMU] = {imu, IB_COUNT(imu)},
               [IB_DEVICE_GPS] = {gps, IB_COUNT(gps)},
               [IB_DEVICE_BARO] = {baro, IB_COUNT(baro)},
               [IB_DEVICE_MAG] = {mag, IB_COUNT(mag)},
               [IB_DEVICE_ALTIMETER] = {altimeter, IB_COUNT(altimeter)},
               [IB_DEVICE_ICU] = {interlock, IB_COUNT(interlock)}};

size_t ib_unit_numbers(const ib_fitting *unit) {
    return unit->type == IB_DEVICE_MOTORS ? (size_t)unit->spec.motors.n : numbers[unit->type].n;
}

const char *ib_unit_number_name(const ib_fitting *unit, size_t i, const char **units,
                                const char **meaning) {
    const number *n = &numbers[unit->type].list[i];
    *units = n->unit;
    *meaning = n->meaning;
    return n->name;
}

/* What the sensor said last, number by number. */
static double sensor_number(const ib_fitting *unit, const ib_sensor_state *sensor, size_t i) {
    const ib_payload *last = &sensor->last;
    if (!sensor->has_last)
        return (double)NAN;
    switch (unit->type) {
    case IB_DEVICE_IMU:
        return i < 3   ? last->imu.specific_force[i]
               : i < 6 ? last->imu.rate[i - 3]
                       : (double)last->imu.flags;
    case IB_DEVICE_GPS: {
        const double all[] = {last->gps.place.latitude, last->gps.place.longitude,
                              last->gps.place.height,   last->gps.velocity[0],
                              last->gps.velocity[1],    last->gps.velocity[2],
                              (double)last->gps.fix};
        return all[i];
    }
    case IB_DEVICE_BARO:
        return i == 0 ? last->baro.pressure : last->baro.temperature;
    case IB_DEVICE_MAG:
        return last->mag.field[i];
    default:
        return last->altimeter.range;
    }
}

static double engine_number(const ib_unit_state *state, size_t i) {
    const double all[] = {state->effect.thrust, state->effect.mass_flow, state->propellant,
                          state->is.engine.throttle, (double)state->is.engine.mode};
    return all[i];
}

double ib_unit_number(const ib_fitting *unit, const ib_unit_state *state, size_t i) {
    switch (unit->type) {
    case IB_DEVICE_ECU:
        return engine_number(state, i);
    case IB_DEVICE_MOTORS:
        return state->is.motors.speed[i];
    case IB_DEVICE_SCU:
    case IB_DEVICE_FIN:
        return i == 0 ? state->is.servo.angle : (double)state->is.servo.mode;
    case IB_DEVICE_ICU:
        return i == 0 ? (double)state->is.interlock.mode : (double)state->is.interlock.bolts;
    case IB_DEVICE_GPS:
        return sensor_number(unit, &state->is.gps.sensor, i);
    default:
        return sensor_number(unit, &state->is.sensor, i);
    }
}
