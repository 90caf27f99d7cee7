/* Sensors: inertial unit, satellite receiver, barometer, magnetometer, altimeter. */
#ifndef IB_AVIONICS_SENSOR_H
#define IB_AVIONICS_SENSOR_H

#include "avionics/error_model.h"

/* What is true of the body that carries a sensor, at one instant. */
typedef struct ib_truth_point {
    ib_time time;
    double specific_force[3]; /* of the body's reference point, body axes, m/s^2 */
    double rate[3];           /* inertial, body axes, rad/s */
    double rate_change[3];    /* its derivative in body axes, rad/s^2 */
    double position[3];       /* Earth-fixed, m */
    double velocity[3];       /* relative to the Earth, Earth-fixed axes, m/s */
    double ecef_from_body[9];
    double pressure, temperature; /* of the air, Pa, K */
    double magnetic_field[3];     /* body axes, T */
    double height;                /* above ground, m */
} ib_truth_point;

/* OFF until start-up is over; SILENT while a fault keeps it from speaking. */
typedef enum ib_sensor_mode { IB_SENSOR_OFF, IB_SENSOR_RUNNING, IB_SENSOR_SILENT } ib_sensor_mode;

typedef struct ib_sensor_state {
    ib_sensor_mode mode;
    uint64_t sample; /* the next one's number */
    bool has_last;   /* whether something came out yet */
    ib_payload last; /* what came out last */
    ib_error_state error[2];
} ib_sensor_state;

typedef struct ib_imu_spec {
    double position[3]; /* of the sensor from the body's reference point, body axes, m */
    ib_error_spec accelerometer, gyro;
    double startup; /* s */
    double latency; /* s, whole ticks */
} ib_imu_spec;

typedef struct ib_gps_spec {
    double position[3];  /* of the antenna, m */
    ib_error_spec place; /* north, east, down, m */
    ib_error_spec speed; /* north, east, down, m/s */
    double satellites;
    double roll_over; /* 1: weeks modulo 1024 */
    double startup;   /* to the first fix, s */
    double reacquire; /* to a fix after an outage, s */
    double latency;   /* s */
} ib_gps_spec;

typedef struct ib_baro_spec {
    ib_error_spec pressure;
    double startup, latency; /* s */
} ib_baro_spec;

typedef struct ib_mag_spec {
    ib_error_spec field;
    double startup, latency; /* s */
} ib_mag_spec;

typedef struct ib_altimeter_spec {
    ib_error_spec range;
    double lowest, highest;  /* readings beyond are flagged invalid, m */
    double startup, latency; /* s */
} ib_altimeter_spec;

/* GPS time: whole nanoseconds since 1980-01-06 00:00:00 UTC without leap seconds. */
typedef int64_t ib_gps_time;
/* False for no calendar date or one before the epoch. leap: GPS - UTC, s. */
bool ib_gps_time_from_utc(int year, int month, int day, int hour, int minute, int second, int leap,
                          ib_gps_time *time);
/* Week and time of week (ms, cut) of one instant. */
void ib_gps_week(ib_gps_time time, bool roll_over, uint32_t *week, uint32_t *time_of_week);

typedef struct ib_gps_state {
    ib_sensor_state sensor;
    bool fixed;         /* it has a fix */
    ib_time fixed_from; /* when the search under way ends */
} ib_gps_state;

/* A step each: samples the truth of that instant and publishes what comes out, stamped with the
 * sample's time and due `latency` later. Called every period of the device. */
void ib_imu_step(const ib_device *device, const ib_imu_spec *spec, const ib_truth_point *truth,
                 ib_sensor_state *state, ib_bus *bus);
/* epoch: GPS time at t = 0. */
void ib_gps_step(const ib_device *device, const ib_gps_spec *spec, const ib_earth *earth,
                 ib_gps_time epoch, const ib_truth_point *truth, ib_gps_state *state, ib_bus *bus);
void ib_baro_step(const ib_device *device, const ib_baro_spec *spec, const ib_truth_point *truth,
                  ib_sensor_state *state, ib_bus *bus);
void ib_mag_step(const ib_device *device, const ib_mag_spec *spec, const ib_truth_point *truth,
                 ib_sensor_state *state, ib_bus *bus);
void ib_altimeter_step(const ib_device *device, const ib_altimeter_spec *spec,
                       const ib_truth_point *truth, ib_sensor_state *state, ib_bus *bus);

#endif
