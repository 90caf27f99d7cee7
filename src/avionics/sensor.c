/* Sensors: each takes what is true at its place through the error model and publishes a frame.
 *
 * What all share: silence until start-up is over, then a sample every period. The error model runs
 * on under every fault, so that after it the sensor reads what it would have read without.
 */
#include "avionics/avionics.h"

enum { FIRST = 0, SECOND = 16 }; /* channels of the first and second triad */

/* ---- what all share ---- */

static ib_time whole(double seconds) {
    ib_time time = 0;
    return ib_time_from_seconds(seconds, &time) ? time : 0;
}

/* Publishes a sample, or what the faults make of it. */
static void emit(const ib_device *device, ib_topic topic, double startup, double latency,
                 ib_time now, const ib_fault_effect *faults, const ib_payload *fresh,
                 ib_sensor_state *state, ib_bus *bus) {
    const uint64_t sample = state->sample++;
    if (now < whole(startup)) {
        state->mode = IB_SENSOR_OFF;
        return;
    }
    const uint64_t every = (uint64_t)ib_round(faults->slow);
    if (faults->dead || ib_device_drops(device, faults->dropout, sample)) {
        state->mode = IB_SENSOR_SILENT;
        return;
    }
    state->mode = IB_SENSOR_RUNNING;
    if (every > 1 && sample % every != 0)
        return;
    if (!(faults->stuck && state->has_last))
        state->last = *fresh;
    state->has_last = true;
    ib_device_publish(device, bus, topic, now, now, whole(latency), &state->last);
}

static void copy3(const double from[3], double to[3]) {
    for (int i = 0; i < 3; i++)
        to[i] = from[i];
}

/* ---- the kinds ---- */

void ib_imu_step(const ib_device *device, const ib_imu_spec *spec, const ib_truth_point *truth,
                 ib_sensor_state *state, ib_bus *bus) {
    const ib_fault_effect faults = ib_device_faults(device, truth->time);
    ib_payload payload = {.values = {0}};
    ib_imu_frame *frame = &payload.imu;
    ib_lever_arm(truth->specific_force, truth->rate, truth->rate_change, spec->position,
                 frame->specific_force);
    copy3(truth->rate, frame->rate);
    frame->flags = ib_error_apply(&spec->accelerometer, device->key, FIRST, 3, device->period,
                                  &faults, 0, &state->error[0], frame->specific_force) |
                   ib_error_apply(&spec->gyro, device->key, SECOND, 3, device->period, &faults, 1,
                                  &state->error[1], frame->rate);
    frame->temperature = truth->temperature;
    emit(device, IB_TOPIC_IMU, spec->startup, spec->latency, truth->time, &faults, &payload, state,
         bus);
}

void ib_baro_step(const ib_device *device, const ib_baro_spec *spec, const ib_truth_point *truth,
                  ib_sensor_state *state, ib_bus *bus) {
    const ib_fault_effect faults = ib_device_faults(device, truth->time);
    ib_payload payload = {.values = {0}};
    payload.baro.pressure = truth->pressure;
    payload.baro.temperature = truth->temperature;
    payload.baro.flags = ib_error_apply(&spec->pressure, device->key, FIRST, 1, device->period,
                                        &faults, 0, &state->error[0], &payload.baro.pressure);
    emit(device, IB_TOPIC_BARO, spec->startup, spec->latency, truth->time, &faults, &payload, state,
         bus);
}

void ib_mag_step(const ib_device *device, const ib_mag_spec *spec, const ib_truth_point *truth,
                 ib_sensor_state *state, ib_bus *bus) {
    const ib_fault_effect faults = ib_device_faults(device, truth->time);
    ib_payload payload = {.values = {0}};
    copy3(truth->magnetic_field, payload.mag.field);
    payload.mag.flags = ib_error_apply(&spec->field, device->key, FIRST, 3, device->period, &faults,
                                       0, &state->error[0], payload.mag.field);
    emit(device, IB_TOPIC_MAG, spec->startup, spec->latency, truth->time, &faults, &payload, state,
         bus);
}

void ib_altimeter_step(const ib_device *device, const ib_altimeter_spec *spec,
                       const ib_truth_point *truth, ib_sensor_state *state, ib_bus *bus) {
    const ib_fault_effect faults = ib_device_faults(device, truth->time);
    ib_payload payload = {.values = {0}};
    payload.altimeter.range = truth->height;
    payload.altimeter.flags =
        ib_error_apply(&spec->range, device->key, FIRST, 1, device->period, &faults, 0,
                       &state->error[0], &payload.altimeter.range);
    if (!(truth->height >= spec->lowest && truth->height <= spec->highest))
        payload.altimeter.flags |= IB_FLAG_INVALID;
    emit(device, IB_TOPIC_ALTIMETER, spec->startup, spec->latency, truth->time, &faults, &payload,
         state, bus);
}

/* ---- satellite receiver ---- */

/* A search ends in a fix; an outage (dead, or a dropout for certain) ends the fix. */
static void search(const ib_gps_spec *spec, ib_time now, const ib_fault_effect *faults,
                   ib_gps_state *state) {
    if (state->sensor.sample == 0)
        state->fixed_from = whole(spec->startup);
    if (faults->dead || faults->dropout >= 1) {
        state->fixed = false;
        state->fixed_from = now + whole(spec->reacquire);
    } else if (!state->fixed) {
        state->fixed = now >= state->fixed_from;
    }
}

/* The antenna's place and velocity with their errors, in frames of the receiver. */
static void locate(const ib_device *device, const ib_gps_spec *spec, const ib_earth *earth,
                   const ib_truth_point *truth, const ib_fault_effect *faults,
                   ib_sensor_state *state, ib_gps_frame *frame) {
    double arm[3], rate[3], swing[3], antenna[3], ned[9], error[3] = {0, 0, 0}, away[3];
    const double earth_rate[3] = {0, 0, earth->rate};
    ib_mul3v(truth->ecef_from_body, spec->position, arm);
    ib_mul3v(truth->ecef_from_body, truth->rate, rate);
    ib_sub3(rate, earth_rate, rate);
    ib_cross(rate, arm, swing);
    ib_axpy(truth->position, 1, arm, antenna);
    ib_axpy(truth->velocity, 1, swing, swing);
    ib_geodetic_from_ecef(earth, antenna, &frame->place);
    ib_ned_from_ecef(frame->place.latitude, frame->place.longitude, ned);
    ib_mul3v(ned, swing, frame->velocity);
    ib_error_apply(&spec->place, device->key, FIRST, 3, device->period, faults, 0, &state->error[0],
                   error);
    ib_error_apply(&spec->speed, device->key, SECOND, 3, device->period, faults, 1,
                   &state->error[1], frame->velocity);
    ib_mul3tv(ned, error, away);
    ib_axpy(antenna, 1, away, antenna);
    ib_geodetic_from_ecef(earth, antenna, &frame->place);
}

void ib_gps_step(const ib_device *device, const ib_gps_spec *spec, const ib_earth *earth,
                 ib_gps_time epoch, const ib_truth_point *truth, ib_gps_state *state, ib_bus *bus) {
    const ib_fault_effect faults = ib_device_faults(device, truth->time);
    ib_payload payload = {.values = {0}};
    ib_gps_frame *frame = &payload.gps;
    search(spec, truth->time, &faults, state);
    locate(device, spec, earth, truth, &faults, &state->sensor, frame);
    ib_gps_week(epoch + truth->time, spec->roll_over > 0, &frame->week, &frame->time_of_week);
    if (state->fixed) {
        frame->fix = 3;
        frame->satellites = (uint32_t)spec->satellites;
    } else {
        frame->place = (ib_geodetic){0};
        frame->velocity[0] = frame->velocity[1] = frame->velocity[2] = 0;
    }
    emit(device, IB_TOPIC_GPS, 0, spec->latency, truth->time, &faults, &payload, &state->sensor,
         bus);
}
