/* Parameters of devices: the tables, and what is made of them. */
#include "avionics/avionics.h"

#include <string.h>

#define LARGEST 1e12

#define FIELD(type, member, n, unit, initial, low, high, text)                                     \
    { #member, offsetof(type, member), n, unit, initial, low, high, text }

/* The error model under `member`, whose values have the unit U. */
#define ERRORS(type, member, U)                                                                    \
    FIELD(type, member.misalignment, 3, "rad", 0, -3.2, 3.2,                                       \
          "rotation vector from body axes to the sensor's"),                                       \
        FIELD(type, member.scale, 3, "", 0, -1, 1, "error of the scale factor"),                   \
        FIELD(type, member.bias, 3, U, 0, -LARGEST, LARGEST, "constant bias"),                     \
        FIELD(type, member.turn_on, 1, U, 0, 0, LARGEST,                                           \
              "standard deviation of the bias drawn at the start"),                                \
        FIELD(type, member.instability, 1, U, 0, 0, LARGEST,                                       \
              "standard deviation of the Gauss-Markov bias"),                                      \
        FIELD(type, member.instability_time, 1, "s", 100, 1e-9, LARGEST,                           \
              "correlation time of the Gauss-Markov bias"),                                        \
        FIELD(type, member.walk, 1, U "/s^0.5", 0, 0, LARGEST, "density K of the random walk"),    \
        FIELD(type, member.noise, 1, U " s^0.5", 0, 0, LARGEST, "density N of the white noise"),   \
        FIELD(type, member.range, 1, U, 0, 0, LARGEST, "saturation at +-range; 0: none"),          \
        FIELD(type, member.resolution, 1, U, 0, 0, LARGEST, "step of the converter; 0: none")

#define TIMES(type)                                                                                \
    FIELD(type, startup, 1, "s", 0, 0, 1e9, "time from t = 0 to the first output"),                \
        FIELD(type, latency, 1, "s", 0, 0, 60, "from the sample to its delivery")

static const ib_device_parameter imu[] = {
    FIELD(ib_imu_spec, position, 3, "m", 0, -1e6, 1e6,
          "of the sensor from the body's reference point"),
    ERRORS(ib_imu_spec, accelerometer, "m/s^2"),
    ERRORS(ib_imu_spec, gyro, "rad/s"),
    TIMES(ib_imu_spec),
};

static const ib_device_parameter gps[] = {
    FIELD(ib_gps_spec, position, 3, "m", 0, -1e6, 1e6,
          "of the antenna from the body's reference point"),
    ERRORS(ib_gps_spec, place, "m"),
    ERRORS(ib_gps_spec, speed, "m/s"),
    FIELD(ib_gps_spec, satellites, 1, "", 10, 0, 100, "number that it reports with a fix"),
    FIELD(ib_gps_spec, roll_over, 1, "", 0, 0, 1, "1: weeks count modulo 1024"),
    FIELD(ib_gps_spec, startup, 1, "s", 0, 0, 1e9, "time from t = 0 to the first fix"),
    FIELD(ib_gps_spec, reacquire, 1, "s", 0, 0, 1e9, "time to a fix after an outage"),
    FIELD(ib_gps_spec, latency, 1, "s", 0, 0, 60, "from the sample to its delivery"),
};

static const ib_device_parameter baro[] = {ERRORS(ib_baro_spec, pressure, "Pa"),
                                           TIMES(ib_baro_spec)};

static const ib_device_parameter mag[] = {ERRORS(ib_mag_spec, field, "T"), TIMES(ib_mag_spec)};

static const ib_device_parameter altimeter[] = {
    ERRORS(ib_altimeter_spec, range, "m"),
    FIELD(ib_altimeter_spec, lowest, 1, "m", 0, -1e6, LARGEST, "heights below are flagged invalid"),
    FIELD(ib_altimeter_spec, highest, 1, "m", LARGEST, 0, LARGEST,
          "heights above are flagged invalid"),
    TIMES(ib_altimeter_spec),
};

static const ib_device_parameter servo[] = {
    FIELD(ib_servo_spec, lag, 1, "s", 0.02, 0, 1e6, "time constant"),
    FIELD(ib_servo_spec, rate_limit, 1, "rad/s", 0, 0, LARGEST, "largest speed; 0: none"),
    FIELD(ib_servo_spec, dead_band, 1, "rad", 0, 0, 100,
          "changes of the command below are ignored"),
    FIELD(ib_servo_spec, backlash, 1, "rad", 0, 0, 100, "whole play between motor and surface"),
    FIELD(ib_servo_spec, bias, 1, "rad", 0, -100, 100, "added to the command"),
    FIELD(ib_servo_spec, lowest, 1, "rad", -1, -1000, 1000, "lower stop"),
    FIELD(ib_servo_spec, highest, 1, "rad", 1, -1000, 1000, "upper stop, above the lower"),
    FIELD(ib_servo_spec, free_angle, 1, "rad", 0, -1000, 1000, "where it goes without force"),
    FIELD(ib_servo_spec, free_lag, 1, "s", 0.1, 0, 1e6, "time constant without force"),
};

static const ib_device_parameter engine[] = {
    FIELD(ib_engine_spec, thrust, 1, "N", 0, 0, LARGEST, "at full throttle"),
    FIELD(ib_engine_spec, impulse, 1, "s", 300, 1e-3, 1e9, "specific impulse"),
    FIELD(ib_engine_spec, pressure, 1, "Pa", 0, 0, LARGEST, "of the chamber at full throttle"),
    FIELD(ib_engine_spec, ignition_delay, 1, "s", 0, 0, 1e6,
          "from the command to the first thrust"),
    FIELD(ib_engine_spec, build_up, 1, "s", 0, 0, 1e6, "from no thrust to full thrust"),
    FIELD(ib_engine_spec, decay, 1, "s", 0, 0, 1e6, "from full thrust to none"),
    FIELD(ib_engine_spec, throttle_lag, 1, "s", 0, 0, 1e6, "time constant of the throttle"),
    FIELD(ib_engine_spec, throttle_min, 1, "", 0, 0, 1, "least throttle while it runs"),
    FIELD(ib_engine_spec, starts, 1, "", 1, 0, 1e6, "how often it can be ignited"),
    FIELD(ib_engine_spec, roughness, 1, "s^0.5", 0, 0, 10,
          "density of relative white noise of the thrust"),
};

static const ib_device_parameter motors[] = {
    FIELD(ib_motors_spec, n, 1, "", 4, 1, IB_MOTORS, "number of motors"),
    FIELD(ib_motors_spec, pulse_min, 1, "us", 1000, 1, 1e6, "pulse of no speed"),
    FIELD(ib_motors_spec, pulse_max, 1, "us", 2000, 1, 1e6, "pulse of full speed, above the other"),
    FIELD(ib_motors_spec, pulse_low, 1, "us", 800, 0, 1e6, "shorter pulses are no signal"),
    FIELD(ib_motors_spec, pulse_high, 1, "us", 2200, 0, 1e6, "longer pulses are no signal"),
    FIELD(ib_motors_spec, speed, 1, "rad/s", 0, 0, 1e6, "full speed"),
    FIELD(ib_motors_spec, tau_up, 1, "s", 0, 0, 1e6, "time constant while speeding up"),
    FIELD(ib_motors_spec, tau_down, 1, "s", 0, 0, 1e6, "time constant while slowing down"),
    FIELD(ib_motors_spec, timeout, 1, "s", 0.5, 0, 1e6, "without a signal it stops after that"),
};

#define TABLE(name, text)                                                                          \
    { #name, text, name, IB_COUNT(name), NULL, NULL }

static const ib_parameter_table tables[] = {
    TABLE(imu, "accelerometers and gyroscopes of three axes"),
    TABLE(gps, "satellite receiver: place, velocity, week and time of week"),
    TABLE(baro, "barometer: static pressure at its true height"),
    TABLE(mag, "magnetometer of three axes"),
    TABLE(altimeter, "height above ground"),
    {"scu", "servo", servo, IB_COUNT(servo), "lowest", "highest"},
    {"fin", "servo of an aerodynamic surface", servo, IB_COUNT(servo), "lowest", "highest"},
    {"ecu", "engine controller", engine, IB_COUNT(engine), NULL, NULL},
    {"pwm_motors", "motors behind speed controllers that read pulse widths", motors,
     IB_COUNT(motors), "pulse_min", "pulse_max"},
};

const ib_parameter_table *ib_parameters_at(size_t i) {
    return i < IB_COUNT(tables) ? &tables[i] : NULL;
}

const ib_parameter_table *ib_parameters_of(const char *device) {
    for (size_t i = 0; i < IB_COUNT(tables); i++)
        if (!strcmp(tables[i].device, device))
            return &tables[i];
    return NULL;
}

void ib_parameters_default(const ib_parameter_table *table, void *spec) {
    for (size_t i = 0; i < table->n; i++) {
        const ib_device_parameter *parameter = &table->parameters[i];
        double *value = (double *)((char *)spec + parameter->offset);
        for (int k = 0; k < parameter->count; k++)
            value[k] = parameter->initial;
    }
}

static void refuse(const ib_device_parameter *parameter, double value, const char *name,
                   ib_diags *diags, ib_place place) {
    char text[3][IB_NUMBER_SIZE];
    ib_diags_add(diags, IB_ERROR, IB0607, place, "%s.%s is %s%s%s; it lies between %s and %s", name,
                 parameter->name, ib_number_text(value, text[0]), parameter->unit[0] ? " " : "",
                 parameter->unit, ib_number_text(parameter->low, text[1]),
                 ib_number_text(parameter->high, text[2]));
}

/* Where the table has a key that it has. */
static size_t row_of(const ib_parameter_table *table, const char *key) {
    size_t i = 0;
    while (strcmp(table->parameters[i].name, key) != 0)
        i++;
    return i;
}

static double value_at(const ib_parameter_table *table, const void *spec, size_t row) {
    return *(const double *)((const char *)spec + table->parameters[row].offset);
}

/* Of two keys the first lies below the second. */
static ib_status check_order(const ib_parameter_table *table, const void *spec, const char *name,
                             ib_diags *diags, const ib_place *places) {
    if (!table->below)
        return IB_OK;
    const size_t below = row_of(table, table->below), above = row_of(table, table->above);
    if (value_at(table, spec, below) < value_at(table, spec, above))
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB0607, places ? places[below] : IB_NO_PLACE,
                 "%s: '%s' lies below '%s'", name, table->below, table->above);
    return IB_BAD_INPUT;
}

ib_status ib_parameters_check(const ib_parameter_table *table, const void *spec, const char *name,
                              ib_diags *diags, const ib_place *places) {
    ib_status status = check_order(table, spec, name, diags, places);
    for (size_t i = 0; i < table->n; i++) {
        const ib_device_parameter *parameter = &table->parameters[i];
        const double *value = (const double *)((const char *)spec + parameter->offset);
        for (int k = 0; k < parameter->count; k++)
            if (!(value[k] >= parameter->low && value[k] <= parameter->high)) {
                refuse(parameter, value[k], name, diags, places ? places[i] : IB_NO_PLACE);
                status = IB_BAD_INPUT;
                break;
            }
    }
    return status;
}

/* ---- documentation ---- */

static void describe(const ib_device_parameter *parameter, ib_str *out) {
    char text[IB_NUMBER_SIZE];
    ib_str_printf(out, "| `%s` | ", parameter->name);
    if (parameter->count > 1)
        ib_str_printf(out, "%d numbers%s", parameter->count, parameter->unit[0] ? ", " : "");
    ib_str_printf(out, "%s | %s | %s |\n", parameter->unit,
                  ib_number_text(parameter->initial, text), parameter->text);
}

static void describe_faults(ib_str *out) {
    static const char *const names[] = {
#define IB_FAULT_ROW(id, name, text) "| `" name "` | " text " |\n",
        IB_FAULT_LIST(IB_FAULT_ROW)
#undef IB_FAULT_ROW
    };
    ib_str_add(
        out, "## Faults\n\nEach holds for at <= t < until.\n\n| kind | effect |\n| --- | --- |\n");
    for (size_t i = 0; i < IB_COUNT(names); i++)
        ib_str_add(out, names[i]);
}

void ib_parameters_markdown(ib_str *out) {
    ib_str_add(out, "# Devices\n\nParameters of the library's devices, from the tables that check "
                    "them (`src/avionics/parameter.c`).\nMissions give them under `devices:` "
                    "([mission-reference.md](mission-reference.md)).\n\n");
    for (size_t i = 0; i < IB_COUNT(tables); i++) {
        ib_str_printf(out, "## %s\n\n%s\n\n| key | unit | default | |\n| --- | --- | --- | --- |\n",
                      tables[i].device, tables[i].text);
        for (size_t k = 0; k < tables[i].n; k++)
            describe(&tables[i].parameters[k], out);
        ib_str_add(out, "\n");
    }
    describe_faults(out);
}
