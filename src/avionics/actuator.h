/* Actuators and controllers: servo and fin, engine controller, motors by pulse width, interlock
 * unit. Each acts on the commands that were due by its step's time; what it does is held over its
 * period.
 */
#ifndef IB_AVIONICS_ACTUATOR_H
#define IB_AVIONICS_ACTUATOR_H

#include "avionics/error_model.h"

/* ---- events: what a device reports to the world ---- */

typedef enum ib_event_kind {
    IB_EVENT_ENGINE_SHUTDOWN,
    IB_EVENT_BOLT_FIRED,
    IB_EVENT_STAGE_SEPARATION,
    IB_EVENT_FIN_DEPLOY,
} ib_event_kind;

typedef struct ib_event {
    ib_event_kind kind;
    uint16_t device; /* that reports it */
    uint32_t payload;
    ib_time time;
} ib_event;

#define IB_EVENTS 64

/* What one vehicle reports in one tick, in order. Beyond the bound events are counted as lost. */
typedef struct ib_events {
    int n, lost;
    ib_event list[IB_EVENTS];
} ib_events;

void ib_events_add(ib_events *events, ib_event_kind kind, uint16_t device, uint32_t payload,
                   ib_time time);

/* ---- servo.c ---- */

/* Exact solution after `seconds` of x' = (u - x) / lag, bounded by +-limit (0: unbounded; lag 0: at
 * once). */
double ib_follow(double x, double u, double lag, double limit, double seconds);

typedef struct ib_servo_spec {
    double lag;                  /* s */
    double rate_limit;           /* rad/s; 0: none */
    double dead_band;            /* a change of command below it is ignored, rad */
    double backlash;             /* whole play between motor and surface, rad */
    double bias;                 /* rad */
    double lowest, highest;      /* stops, rad */
    double free_angle, free_lag; /* where a servo without force goes, rad, s */
} ib_servo_spec;

typedef enum ib_servo_mode {
    IB_SERVO_HOLDING,
    IB_SERVO_MOVING,
    IB_SERVO_AT_STOP,
    IB_SERVO_STUCK,
    IB_SERVO_FLOATING,
    IB_SERVO_HARD_OVER,
} ib_servo_mode;

typedef struct ib_servo_state {
    ib_servo_mode mode;
    uint64_t commands; /* received */
    double command, target;
    double motor, angle; /* before and after the backlash, rad */
} ib_servo_state;

/* Takes the commands (values[0]: angle, rad; one that is no number is ignored), moves, publishes
 * mode and angle on `topic` (IB_TOPIC_SERVO or IB_TOPIC_FIN). state->angle is the effect. */
void ib_servo_step(const ib_device *device, const ib_servo_spec *spec, ib_topic topic, ib_time now,
                   ib_servo_state *state, ib_bus *bus);

/* ---- engine.c ---- */

typedef struct ib_engine_spec {
    double thrust;         /* at full throttle, N */
    double impulse;        /* specific, s */
    double pressure;       /* of the chamber at full throttle, Pa */
    double ignition_delay; /* s */
    double build_up;       /* from none to full thrust, s */
    double decay;          /* from full thrust to none, s */
    double throttle_lag;   /* s */
    double throttle_min;   /* 0 to 1 */
    double starts;         /* how often it can be ignited */
    double roughness;      /* density of white noise, relative, s^0.5 */
} ib_engine_spec;

typedef enum ib_engine_mode {
    IB_ENGINE_OFF,
    IB_ENGINE_IGNITING,
    IB_ENGINE_RISING,
    IB_ENGINE_RUNNING,
    IB_ENGINE_DECAYING,
    IB_ENGINE_FAILED,
} ib_engine_mode;

enum {
    IB_ENGINE_START = 1,
    IB_ENGINE_STOP = 2,
    IB_ENGINE_THROTTLE = 3
}; /* values[0] of a command */

typedef struct ib_engine_state {
    ib_engine_mode mode;
    uint64_t sample, commands;
    ib_time ignites;  /* when the ignition delay ends */
    bool throttled;   /* by a command; an engine starts at full throttle without one */
    double throttle;  /* commanded, 0 to 1 */
    double level;     /* of thrust, 0 to 1 */
    uint32_t starts;  /* done */
    uint32_t refused; /* commands that made no sense in the mode */
} ib_engine_state;

typedef struct ib_engine_effect {
    double thrust;    /* N */
    double mass_flow; /* out of the tanks, kg/s */
    double pressure;  /* Pa */
} ib_engine_effect;

/* propellant: what is left, kg. Reports IB_EVENT_ENGINE_SHUTDOWN when thrust has ended. */
void ib_engine_step(const ib_device *device, const ib_engine_spec *spec, double propellant,
                    ib_time now, ib_engine_state *state, ib_engine_effect *effect, ib_bus *bus,
                    ib_events *events);

/* ---- motors.c ---- */

#define IB_MOTORS 16

typedef struct ib_motors_spec {
    double n;                     /* motors in use, up to 16 */
    double pulse_min, pulse_max;  /* from nothing to full speed, us */
    double pulse_low, pulse_high; /* pulses beyond are no signal, us */
    double speed;                 /* full, rad/s */
    double tau_up, tau_down;      /* s */
    double timeout;               /* without a signal the motor stops after that, s */
} ib_motors_spec;

typedef enum ib_motor_mode {
    IB_MOTOR_IDLE, /* no signal yet */
    IB_MOTOR_RUNNING,
    IB_MOTOR_FAILSAFE,
    IB_MOTOR_DEAD,
} ib_motor_mode;

typedef struct ib_motors_state {
    uint64_t commands;
    ib_motor_mode mode[IB_MOTORS];
    ib_time heard[IB_MOTORS];  /* time of the last signal */
    double command[IB_MOTORS]; /* 0 to 1 */
    double speed[IB_MOTORS];   /* rad/s: the effect */
} ib_motors_state;

/* Takes pulse widths (values[0 .. n-1], us). */
void ib_motors_step(const ib_device *device, const ib_motors_spec *spec, ib_time now,
                    ib_motors_state *state, ib_bus *bus);

/* ---- interlock.c ---- */

typedef enum ib_trigger {
    IB_TRIGGER_PREVIOUS, /* the step before was done (the first: t = 0) */
    IB_TRIGGER_EVENT,    /* an event of a kind and device */
    IB_TRIGGER_COMMAND,  /* fire, from the flight computer */
} ib_trigger;

typedef enum ib_action {
    IB_ACTION_ARM,
    IB_ACTION_FIRE,
    IB_ACTION_SEPARATE,
    IB_ACTION_DEPLOY
} ib_action;

typedef struct ib_interlock_step {
    ib_trigger trigger;
    ib_event_kind event; /* of IB_TRIGGER_EVENT */
    uint16_t device;     /* of IB_TRIGGER_EVENT */
    ib_time delay;
    ib_action action;
    uint32_t payload; /* bolts as bits, or what to separate */
} ib_interlock_step;

#define IB_INTERLOCK_STEPS 32

typedef struct ib_interlock_spec {
    int n;
    ib_interlock_step steps[IB_INTERLOCK_STEPS];
} ib_interlock_spec;

typedef enum ib_interlock_mode {
    IB_INTERLOCK_SAFE,
    IB_INTERLOCK_ARMED,
    IB_INTERLOCK_FIRED,
} ib_interlock_mode;

enum { IB_INTERLOCK_ARM = 1, IB_INTERLOCK_FIRE = 2 }; /* values[0] of a command */

typedef struct ib_interlock_state {
    ib_interlock_mode mode;
    uint64_t commands;
    int next;       /* step that waits */
    bool triggered; /* its delay runs, since: */
    ib_time since;
    bool fire_seen;   /* a command to fire that no step has used */
    uint32_t bolts;   /* fired, as bits */
    uint32_t refused; /* fires and separations while safe */
} ib_interlock_state;

/* Reads the events that the tick has had so far, adds its own. To fire or separate it must be
 * armed; what is refused is counted, and the sequence stops there until it is armed. */
void ib_interlock_step_run(const ib_device *device, const ib_interlock_spec *spec, ib_time now,
                           ib_interlock_state *state, ib_bus *bus, ib_events *events);

#endif
