/* A vehicle: what it is made of, the state that advances, and what its last tick left behind. */
#ifndef IB_WORLD_VEHICLE_H
#define IB_WORLD_VEHICLE_H

#include "fcc/fcc.h"
#include "plant/plant.h"
#include "world/flight.h"
#include "world/log.h"
#include "world/schedule.h"

/* The bounds of api.md; exceeding one is refused at load. */
enum {
    IB_WORLD_VEHICLES = 256,
    IB_VEHICLE_UNITS = 32,
    IB_VEHICLE_PARTS = 32,
    IB_COMPUTER_ADDRESS = 1000, /* on the bus, beyond every device's */
};

struct ib_plant_spec;

/* ---- the description: a family is what a vehicle of the mission and its separated parts share
 * ----
 */

/* A body of the model. Structure axes: those of the model's first body; their origin is that of the
 * model's global frame at t = 0. */
typedef struct ib_part {
    const char *name;
    double mass;
    double centre[3];  /* of its mass, structure axes, m */
    double inertia[9]; /* about that, structure axes, kg m^2 */
    double turn[9];    /* structure axes from its own */
} ib_part;

/* A fixed joint of the model between two parts. */
typedef struct ib_link {
    const char *name;
    int part1, part2;
} ib_link;

typedef union ib_unit_spec {
    ib_engine_spec engine;
    ib_motors_spec motors;
    ib_servo_spec servo;
    ib_imu_spec imu;
    ib_gps_spec gps;
    ib_baro_spec baro;
    ib_mag_spec mag;
    ib_altimeter_spec altimeter;
    ib_interlock_spec interlock;
} ib_unit_spec;

/* A device on a vehicle. */
typedef struct ib_fitting {
    const char *name;
    ib_device_type type;
    ib_device device; /* its vehicle is that of the present owner */
    ib_beat beat;
    int part; /* that carries it */
    ib_unit_spec spec;
    double at[3], along[3];  /* engine: structure axes */
    ib_time start;           /* engine: without a command; INT64_MAX: never */
    bool burns_mass;         /* engine: it has a tank */
    double propellant;       /* in it at t = 0, kg */
    int gimbal[2];           /* engine: servos that turn it about y, then z; -1: none */
    struct ib_rotor *rotors; /* motors: [n_rotors], behind the first of them */
    size_t n_rotors;
    double k_thrust, k_torque; /* N s^2, N m s^2 */
    ib_gps_time epoch;         /* gps: at t = 0 */
} ib_fitting;

/* A rotor behind a motor. */
typedef struct ib_rotor {
    double at[3], along[3]; /* structure axes */
    double spin;
} ib_rotor;

typedef struct ib_unit_state {
    union {
        ib_engine_state engine;
        ib_motors_state motors;
        ib_servo_state servo;
        ib_sensor_state sensor;
        ib_gps_state gps;
        ib_interlock_state interlock;
    } is;
    ib_engine_effect effect;
    double propellant;
    uint16_t owner; /* vehicle */
    bool started;   /* by the mission's `start` */
} ib_unit_state;

/* What can come off. */
typedef struct ib_release {
    const char *name;
    uint32_t links;    /* released, as bits */
    uint32_t units;    /* that the mission says go with the part, as bits */
    uint16_t vehicle;  /* what it becomes */
    double impulse[3]; /* on the part that stays, structure axes, N s */
    double at[3];      /* where, structure axes */
    bool has_at;       /* else at the centre of mass of the whole */
    double drag_area;
    ib_place place;
} ib_release;

typedef struct ib_family {
    const char *name; /* of the vehicle at birth */
    size_t n_parts, n_links, n_units, n_releases;
    ib_part *parts;
    ib_link *links;
    ib_fitting *units; /* in the order of stage 1 */
    ib_release *releases;
    ib_unit_state *unit_states;          /* [n_units] */
    const ib_model *machine;             /* of a mechanism */
    const struct ib_plant_spec *foreign; /* of an FMU; without both the parts are one rigid body */
} ib_family;

/* A number of a device that the flight computer's user array gets. */
typedef struct ib_signal {
    int unit, number; /* of the unit's channels */
    int user;
} ib_signal;

/* ---- the state: plain data, which a snapshot copies ---- */

typedef struct ib_vehicle_state {
    bool flies;
    bool held;                      /* by its pad */
    int32_t stage;                  /* number of a word, -1: none */
    uint32_t parts, links, units;   /* what it is made of, as bits */
    ib_flight_state flight, before; /* now, and at the start of the last tick */
    ib_free_body body, body_before;
    double centre[3]; /* of mass, structure axes */
    /* Of the present state: what forces and inertial sensors feel at once, the rest when it has
     * been looked for. */
    ib_surroundings around;
    ib_truth_point truth;
    bool probed; /* all of `around` is known */
    bool unseen; /* not all of `around` and `truth` is */
} ib_vehicle_state;

/* One number of a plant's variable; the variable -1: none. */
typedef struct ib_port {
    ib_handle variable;
    size_t element;
} ib_port;

/* A number that goes to an input of the plant: of a device, or of the flight computer's user array
 * or pulse widths. */
typedef enum ib_source { IB_FROM_UNIT, IB_FROM_USER, IB_FROM_PWM } ib_source;
typedef struct ib_wire {
    ib_port to;
    ib_source source;
    int unit, number;
} ib_wire;

struct ib_machine; /* machine.h */
struct ib_foreign; /* foreign.h */

typedef struct ib_vehicle_out {
    ib_events events;
    uint64_t lost_events; /* in all */
} ib_vehicle_out;

/* How long the flight computer took. */
typedef struct ib_pace {
    uint64_t ticks, late;
    double worst; /* s */
    ib_time worst_at;
} ib_pace;

typedef struct ib_vehicle {
    const char *name;
    uint16_t index;
    ib_family *family;
    ib_vehicle_state state;
    ib_flight_state pad; /* where it is held, at t = 0 */
    ib_bus *bus;
    ib_computer *computer; /* NULL: none */
    ib_fcc_wiring wiring;
    ib_fcc_in *frame;           /* what the computer has heard; NULL without one */
    ib_fcc_out *reply;          /* what it said last */
    ib_fcc_mail *mail, *answer; /* of one that keeps its own time, else NULL */
    bool own_clock;             /* by a clock of its own */
    ib_signal *signals;
    size_t n_signals;
    struct ib_machine *machine; /* NULL: no mechanism */
    struct ib_foreign *foreign; /* NULL: no FMU; without both it is a rigid body */
    ib_wire *wires;             /* to the plant's inputs */
    size_t n_wires;
    ib_vehicle_out out;
    ib_logbook log;
    ib_diags *diags;  /* of its tick, handed over serially */
    ib_status status; /* likewise */
    ib_pace pace;
    size_t first_channel, n_channels;
    char
        apart[128]; /* nobody writes here: neighbours that other threads tick share no cache line */
} ib_vehicle;

/* ---- units.c: devices as they stand in a mission ---- */

extern const ib_device_names ib_unit_names;
/* The table of a device type; NULL: it has no parameters. */
const ib_parameter_table *ib_unit_table(ib_device_type type);
/* Its word in a mission. */
const char *ib_unit_type_name(ib_device_type type);
/* Numbers that a device shows as channels, and what they are. */
size_t ib_unit_numbers(const ib_fitting *unit);
const char *ib_unit_number_name(const ib_fitting *unit, size_t i, const char **units,
                                const char **meaning);
/* NaN where there is none yet. */
double ib_unit_number(const ib_fitting *unit, const ib_unit_state *state, size_t i);

/* Where an engine pushes (structure axes): turned about y by the first servo, then about z by the
 * second. */
void ib_engine_direction(const ib_family *family, const ib_fitting *unit, double along[3]);

/* ---- body.c: mass, centre and inertia of what a vehicle is made of ---- */

/* Sums the parts up into state->body and state->centre. */
void ib_vehicle_weigh(ib_vehicle *vehicle);
/* The same when mass has changed: no point of the structure moves. */
void ib_vehicle_reweigh(ib_vehicle *vehicle);
/* Where the pad has taken it by then. */
void ib_vehicle_on_pad(const ib_vehicle *vehicle, const ib_environment *environment, ib_time time,
                       ib_flight_state *flight);
/* Feels what surrounds it, once for each state: of `around` gravity, air velocity, density and
 * temperature, of `truth` what an inertial unit at the centre of mass tells. */
void ib_vehicle_probe(ib_vehicle *vehicle, const ib_environment *environment, ib_time now);
/* Looks for the rest of both, when somebody wants to know. What was felt stays the same to the bit.
 */
void ib_vehicle_see(ib_vehicle *vehicle, const ib_environment *environment);
/* Mass, centre and inertia about it of parts given as bits. */
void ib_parts_sum(const ib_family *family, uint32_t parts, double *mass, double centre[3],
                  double inertia[9]);

#endif
