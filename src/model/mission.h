/* mission: what a mission file says, read and checked for form; every number in SI. Names of
 * plants, devices and channels are resolved by the world, which has the places to complain at.
 */
#ifndef IB_MODEL_MISSION_H
#define IB_MODEL_MISSION_H

#include "expr/expr.h"
#include "ironbird/model.h"

enum { IB_MISSION_THREADS = 64 }; /* the most that `parallel:` may ask for */

/* As written: a frequency or a period. The other one is 0; both are when it is absent. */
typedef struct ib_rate {
    double hertz, seconds;
    ib_place place;
} ib_rate;

/* A text of the user's with the place of its first character. */
typedef struct ib_word {
    const char *text;
    ib_place place;
} ib_word;

typedef enum ib_mode { IB_MODE_SIL, IB_MODE_DRY, IB_MODE_HIL_DYN, IB_MODE_HIL_FCC } ib_mode;

/* ---- the environment ---- */

typedef enum ib_mission_shape { IB_SHAPE_FLAT, IB_SHAPE_SPHERE, IB_SHAPE_WGS84 } ib_mission_shape;
typedef enum ib_mission_gravity {
    IB_PULL_DEFAULT,
    IB_PULL_NONE,
    IB_PULL_INVERSE_SQUARE,
    IB_PULL_J2,
    IB_PULL_UNIFORM
} ib_mission_gravity;

typedef struct ib_level_spec {
    double height, wind[3];
} ib_level_spec;

typedef struct ib_gust_spec {
    double start, duration, amplitude[3];
} ib_gust_spec;

typedef struct ib_turbulence_spec {
    double intensity, scale;
} ib_turbulence_spec;

typedef struct ib_earth_spec {
    int shape; /* ib_mission_shape */
    double radius;
    bool rotation, rotation_given;
} ib_earth_spec;

typedef struct ib_wind_spec {
    double steady[3], speed, from;
    const ib_level_spec *levels;
    const ib_gust_spec *gusts;
    size_t n_levels, n_gusts;
    ib_turbulence_spec turbulence;
} ib_wind_spec;

typedef struct ib_environment_spec {
    ib_earth_spec earth;
    ib_mission_gravity gravity;
    double uniform[3]; /* launch axes */
    int atmosphere;    /* 0 none, 1 us76 */
    bool magnetic_field;
    ib_wind_spec wind;
    ib_place place;
} ib_environment_spec;

typedef struct ib_launch_spec {
    double latitude, longitude, altitude, azimuth;
} ib_launch_spec;

/* ---- plants, computers ---- */

typedef struct ib_plant_spec {
    const char *name, *model, *fmu; /* the one that is not given is NULL */
    double max_step, tolerance;     /* of an FMU, s; NaN: the usual */
    const ib_override *parameters;
    size_t n_parameters;
    ib_place place, model_place, fmu_place;
} ib_plant_spec;

typedef struct ib_computer_spec {
    const char *name, *native, *channel; /* the one that is not given is NULL */
    bool isolate;
    int clock;          /* 1: of its own */
    double timeout;     /* s; 0: the usual */
    const char *config; /* lines "name=value" */
    ib_place place, where_place;
} ib_computer_spec;

/* A program beside the run. */
typedef struct ib_process_spec {
    const char *name, **command; /* [n_command] */
    size_t n_command;
    bool stop_on_exit, end_run_on_exit;
    ib_place place;
} ib_process_spec;

/* ---- vehicles ---- */

typedef enum ib_initial_frame {
    IB_INITIAL_LAUNCH,
    IB_INITIAL_NED,
    IB_INITIAL_ECEF,
    IB_INITIAL_ECI
} ib_initial_frame;

typedef struct ib_initial_spec {
    int frame;
    double position[3];
    bool geodetic; /* by latitude, longitude and altitude */
    double latitude, longitude, altitude;
    double velocity[3];
    double attitude[4]; /* body to frame, of unit length */
    double rates[3];
    int velocity_relative_to, rates_relative_to; /* 0 Earth, 1 inertial */
    ib_place place;
} ib_initial_spec;

/* The types of devices in the order of the seed's stages. */
typedef enum ib_device_type {
    IB_DEVICE_ECU,
    IB_DEVICE_MOTORS,
    IB_DEVICE_SCU,
    IB_DEVICE_FIN,
    IB_DEVICE_IMU,
    IB_DEVICE_GPS,
    IB_DEVICE_BARO,
    IB_DEVICE_MAG,
    IB_DEVICE_ALTIMETER,
    IB_DEVICE_ICU
} ib_device_type;

/* A parameter by its full name: "accelerometer.noise". */
typedef struct ib_device_value {
    const char *name;
    double value[3];
    int n;
    ib_place place;
} ib_device_value;

typedef struct ib_step_spec {
    const char *after; /* NULL: the step before */
    double delay;
    int action; /* arm, fire, separate, deploy */
    const char *payload;
    const char **bolts;
    size_t n_bolts;
    ib_place place, after_place, payload_place;
} ib_step_spec;

typedef struct ib_rotor_spec {
    double at[3], along[3], spin;
} ib_rotor_spec;

typedef struct ib_device_spec {
    const char *name;
    ib_device_type type;
    const char *body; /* NULL: the model's first */
    ib_rate rate;
    double phase;
    int priority;
    double at[3], along[3], propellant, start; /* start NaN: by command */
    const char **gimbal;                       /* servos */
    size_t n_gimbal;
    const ib_rotor_spec *rotors;
    size_t n_rotors;
    double k_thrust, k_torque;
    const char *epoch;
    const ib_step_spec *steps;
    size_t n_steps;
    const ib_device_value *values; /* parameters that are given */
    size_t n_values;
    ib_place place, body_place, epoch_place, phase_place, gimbal_place;
} ib_device_spec;

typedef struct ib_fault_spec {
    const char *device;
    int kind; /* in the order of IB_FAULT_LIST */
    double at, until, value;
    int part;
    ib_place place, device_place;
} ib_fault_spec;

typedef struct ib_topic_spec {
    const char *name;
    double latency, loss;
    ib_place place;
} ib_topic_spec;

typedef struct ib_separation_spec {
    const char *name, *as;
    const char **release, **devices;
    size_t n_release, n_devices;
    double impulse, at[3], along[3], drag_area;
    bool has_at;
    ib_place place, as_place, release_place, devices_place;
} ib_separation_spec;

typedef struct ib_signal_spec {
    const char *from, *to;
    ib_place from_place, to_place;
} ib_signal_spec;

typedef struct ib_vehicle_spec {
    const char *name, *plant, *stage, *computer;
    ib_initial_spec initial;
    double drag_area;
    int sampling; /* 0 by stage, 1 by tick */
    bool held;
    const ib_device_spec *devices;
    size_t n_devices;
    const ib_fault_spec *faults;
    size_t n_faults;
    const ib_signal_spec *signals;
    size_t n_signals;
    int bus_capacity;
    const ib_topic_spec *topics;
    size_t n_topics;
    const ib_separation_spec *separations;
    size_t n_separations;
    ib_place place, plant_place, computer_place, bus_place;
} ib_vehicle_spec;

/* ---- events ---- */

typedef enum ib_action_kind {
    IB_DO_MARK,
    IB_DO_STOP,
    IB_DO_TRANSITION,
    IB_DO_SEPARATE,
    IB_DO_START,
    IB_DO_SHUTDOWN,
    IB_DO_SET
} ib_action_kind;

typedef struct ib_action_spec {
    ib_action_kind kind;
    const char *mark, *vehicle, *to; /* to: stage, separation, device or input */
    double value;
    ib_place place;
} ib_action_spec;

typedef enum ib_crosses { IB_CROSSES_BOTH, IB_CROSSES_UP, IB_CROSSES_DOWN } ib_crosses;

typedef struct ib_event_spec {
    const char *name;
    ib_word when;
    int crosses; /* ib_crosses */
    bool once;
    const ib_action_spec *actions;
    size_t n_actions;
    ib_place place;
} ib_event_spec;

/* ---- all of it ---- */

typedef struct ib_mission {
    ib_model *scratch; /* owns the memory */
    const char *file, *name;
    ib_time end, output_step; /* output_step 0: absent */
    ib_place output_place, rates_place;
    ib_rate physics, computer;
    int mode; /* ib_mode */
    ib_place mode_place;
    uint64_t seed;
    bool parallel;
    int threads; /* 0: one a core */
    ib_environment_spec environment;
    ib_launch_spec launch;
    const ib_plant_spec *plants;
    const ib_computer_spec *computers;
    const ib_process_spec *processes;
    const ib_vehicle_spec *vehicles;
    const ib_event_spec *events;
    const char **record; /* patterns; none: everything */
    size_t n_plants, n_computers, n_processes, n_vehicles, n_events, n_record;
    ib_place record_place;
} ib_mission;

/* Reads a mission. All errors of the file are reported in one go; *mission is NULL unless IB_OK is
 * returned. `parameter` tells whether a device of a type has a parameter of that name, and how many
 * numbers it takes (0: none such); `names` lists them all for suggestions, NULL at the end. */
typedef struct ib_device_names {
    int (*count)(ib_device_type type, const char *parameter);
    const char *(*name)(ib_device_type type, size_t i);
} ib_device_names;

ib_status ib_mission_load(const char *path, const ib_device_names *devices, ib_diags *diags,
                          ib_mission **mission);
ib_status ib_mission_load_text(const char *name, const char *text, size_t length,
                               const ib_override *overrides, size_t n_overrides,
                               const ib_device_names *devices, ib_diags *diags,
                               ib_mission **mission);
void ib_mission_destroy(ib_mission *mission);

/* The SI value of a number with a unit, "30 km"; false when it is none. */
bool ib_quantity_value(const char *text, double *value);

/* The mission's part of the schema. */
ib_status ib_mission_schema_json(ib_str *text);
ib_status ib_mission_schema_markdown(ib_str *text);

#endif
