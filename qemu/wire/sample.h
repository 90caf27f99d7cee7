/* SPDX-License-Identifier: MIT */
/* Device samples: what a vehicle's sensors gave out last, as both sides of the frame see it.
 *
 * One of these for each sensor of a vehicle. The world writes them while the firmware stands still;
 * emulated chips read them. The values have been through the device's error model, its latency and
 * its faults, so that a chip adds nothing but its own scale, range and rate. Plain data, every
 * member naturally aligned: the layout is the same for any compiler of one machine. SI units, body
 * axes.
 */
#ifndef IB_WIRE_SAMPLE_H
#define IB_WIRE_SAMPLE_H

#include <stdint.h>

typedef enum ib_sample_kind {
    IB_SAMPLE_NONE,
    IB_SAMPLE_IMU,
    IB_SAMPLE_GPS,
    IB_SAMPLE_BARO,
    IB_SAMPLE_MAG
} ib_sample_kind;

enum {
    IB_SAMPLE_DEAD = 1,   /* the device is broken: its chip does not answer */
    IB_SAMPLE_INVALID = 2 /* the device itself calls the value invalid */
};

typedef struct ib_imu_sample {
    double specific_force[3]; /* m/s^2: (0, 0, -g) at rest and level in forward, right, down */
    double rate[3];           /* rad/s */
    double temperature;       /* K */
} ib_imu_sample;

typedef struct ib_gps_sample {
    double latitude, longitude;                  /* rad */
    double height;                               /* above the ellipsoid, m */
    double separation;                           /* of the geoid from the ellipsoid there, m */
    double velocity[3];                          /* north, east, down, m/s */
    double horizontal_accuracy, height_accuracy; /* 1 sigma, m */
    double speed_accuracy;                       /* 1 sigma, m/s */
    uint32_t week, time_of_week;                 /* GPS week, ms */
    uint32_t leap_seconds;                       /* GPS - UTC, s */
    uint32_t fix, satellites;                    /* 0 none, 2, 3 dimensions */
    uint32_t padding;
} ib_gps_sample;

typedef struct ib_baro_sample {
    double pressure;    /* Pa */
    double temperature; /* K */
} ib_baro_sample;

typedef struct ib_mag_sample {
    double field[3]; /* T */
} ib_mag_sample;

typedef struct ib_sample {
    uint64_t count; /* samples given out so far; 0: none yet */
    int64_t time;   /* when the last one was taken, ns */
    uint32_t kind;  /* ib_sample_kind */
    uint32_t flags;
    union {
        ib_imu_sample imu;
        ib_gps_sample gps;
        ib_baro_sample baro;
        ib_mag_sample mag;
    } of;
} ib_sample;

#endif
