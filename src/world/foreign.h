/* A vehicle whose plant comes from elsewhere: an FMU, of which the world knows inputs and outputs
 * alone.
 *
 * What its outputs say goes to the sensors, which add their errors to it, and makes up what is
 * known of the vehicle itself. By themselves match: accel (m/s^2) and gyro (rad/s) in
 * forward-right-down axes, mag (gauss), gps (latitude, longitude in degrees, altitude in m),
 * vel_ned (m/s), yaw_deg, baro_pressure_pa, baro_temperature_c, and the input pwm (us). Other names
 * are wired by `signals:`.
 */
#ifndef IB_WORLD_FOREIGN_H
#define IB_WORLD_FOREIGN_H

#include "world/vehicle.h"

struct ib_tick;
struct ib_world;

/* What a plant can tell of the truth. */
typedef enum ib_fact {
    IB_FACT_FORCE, /* specific, body axes, m/s^2 */
    IB_FACT_RATE,
    IB_FACT_PLACE,    /* latitude, longitude, rad, altitude */
    IB_FACT_VELOCITY, /* north, east, down */
    IB_FACT_FIELD,    /* body axes, T */
    IB_FACT_PRESSURE,
    IB_FACT_TEMPERATURE, /* K */
    IB_FACT_RANGE,       /* m */
    IB_FACT_YAW,         /* rad */
    IB_FACT_COUNT
} ib_fact;

/* What tells a fact: value = scale x + offset of each of its numbers, which are those of an array
 * or variables of their own (`accel[1]` ...), as older FMUs have them. */
typedef struct ib_feed {
    int unit; /* -1: all, and the vehicle itself */
    ib_fact fact;
    ib_port from[3];
    double scale[3], offset;
} ib_feed;

struct ib_foreign {
    const char *name; /* of the plant */
    ib_fmu *fmu;
    ib_plant plant;
    const ib_variable *variables;
    size_t n_variables;
    ib_feed general[IB_FACT_COUNT]; /* one for each fact */
    ib_feed *feeds;                 /* of single units */
    size_t n_feeds;
    double **held; /* [n_variables] of inputs that wires lead to: what they are told; else NULL */
    ib_truth_point *truths; /* [n_units] */
    const ib_environment *environment;
    double *room;      /* for the largest variable */
    double *started;   /* all channels of the vehicle at the start of the last tick */
    size_t n_channels; /* numbers of all outputs, in their order */
    int (*guard)(void (*work)(void *argument), void *argument); /* NULL: none */
};

/* As of machine.h. */
void ib_foreign_show(ib_vehicle *vehicle, ib_time now);
void ib_foreign_forces(ib_vehicle *vehicle);
void ib_foreign_integrate(const struct ib_world *world, ib_vehicle *vehicle,
                          const struct ib_tick *tick);
/* Between the ticks, where an FMU cannot be taken back to: a straight line from the values at the
 * last tick's start. */
void ib_foreign_between(const struct ib_world *world, ib_vehicle *vehicle, ib_time time,
                        double *values);
bool ib_foreign_can_save(const ib_vehicle *vehicle);
void ib_foreign_channels(const ib_vehicle *vehicle, double *values);
size_t ib_foreign_state_size(const ib_vehicle *vehicle);
void ib_foreign_save(const ib_vehicle *vehicle, void *bytes);
void ib_foreign_restore(ib_vehicle *vehicle, const void *bytes, ib_time now);
void ib_foreign_destroy(struct ib_foreign *foreign);

#endif
