/* mechanics: rigid bodies on R3 x SO(3) with constraints, forces, measures and drivers, and the
 * integrators that move them. Knows no YAML. The one header that siblings include.
 *
 * A mechanism is built once (bodies, then measures, joints, drivers and forces), finished, and from
 * then on constant; ib_dynamics is what changes: one run of it. Everything is in SI units. Body
 * indices count from 0; IB_MECH_GROUND is the ground.
 */
#ifndef IB_MECHANICS_H
#define IB_MECHANICS_H

#include "expr/expr.h"
#include "ironbird/base.h"

#define IB_MECH_GROUND (-1)

/* A body's numbers in the state: position r (global, m) first, then from these places on the
 * quaternion q (w x y z, body to global), velocity v (global, m/s), angular velocity w (body axes,
 * rad/s). */
enum { IB_STATE_Q = 3, IB_STATE_V = 7, IB_STATE_W = 10, IB_STATE = 13 };

typedef struct ib_mechanism ib_mechanism;

/* ---- building ---- */

typedef struct ib_mech_body {
    const char *name; /* borrowed, as every name here */
    ib_place place;
    double mass;           /* kg */
    double inertia[6];     /* kg m2 about the centre of mass, body axes: xx yy zz xy xz yz */
    double position[3];    /* m */
    double orientation[4]; /* w x y z, unit */
    double velocity[3];    /* global, m/s */
    double rates[3];       /* body axes, rad/s */
} ib_mech_body;

typedef enum ib_mech_joint_type {
    IB_MECH_FIXED,
    IB_MECH_SPHERICAL,
    IB_MECH_REVOLUTE,
    IB_MECH_CYLINDRICAL,
    IB_MECH_PRISMATIC,
    IB_MECH_UNIVERSAL,
    IB_MECH_GENERIC,
    IB_MECH_PLANAR,
    IB_MECH_POINT_ON_LINE,
    IB_MECH_POINT_ON_PLANE,
    IB_MECH_PARALLEL_AXES,
    IB_MECH_PERPENDICULAR_AXES,
    IB_MECH_CONSTANT_VELOCITY,
    IB_MECH_ROD,     /* of constant length between two points */
    IB_MECH_SCREW,   /* cylindrical with a coupling of a displacement and an angle */
    IB_MECH_COUPLING /* measure1 - ratio measure2 stays what it is at t = 0 */
} ib_mech_joint_type;

/* Coulomb's friction of a revolute, prismatic or cylindrical joint, from its own reaction
 * (docs/numerics.md, "Friction in joints"). */
typedef struct ib_mech_friction {
    double mu;          /* 0: none */
    double radius;      /* m, of the surfaces that turn on each other; not of a prismatic joint */
    double stick_speed; /* m/s, above 0: slip from which on friction is full */
} ib_mech_friction;

/* A joint between a frame on body 1 and one on body 2, global at t = 0. The z axes are the joint's
 * axis: axis1 on body 1 and axis2 on body 2 where those may differ. For constant velocity the x and
 * y axes count, too: one frame is the other turned about an axis across both z. A coupling takes
 * its bodies and points from its measures. */
typedef struct ib_mech_joint {
    const char *name;
    ib_place place;
    ib_mech_joint_type type;
    int body1, body2;
    double point1[3], point2[3];
    double frame1[9], frame2[9]; /* rotation matrices, row-major */
    unsigned lock;               /* generic: bits 0-5 for x y z rx ry rz */
    double length;               /* rod: m, > 0 */
    int measure1, measure2;      /* screw, coupling: of type displacement, distance or angle */
    double ratio;
    ib_mech_friction friction; /* revolute, prismatic, cylindrical */
    int release;               /* 1 + the event at which it lets go for good; 0: it never does */
} ib_mech_joint;

typedef enum ib_mech_measure_type {
    IB_MECH_DISPLACEMENT,
    IB_MECH_VELOCITY,
    IB_MECH_DISTANCE,
    IB_MECH_DISTANCE_RATE,
    IB_MECH_ANGLE,
    IB_MECH_ANGULAR_RATE,
    IB_MECH_ANGULAR_RATE_LEGACY,
    IB_MECH_DIRECTION,
    IB_MECH_ANGULAR_VELOCITY,
    IB_MECH_ACCELERATION, /* these three need accelerations: for outputs only */
    IB_MECH_ANGULAR_ACCELERATION,
    IB_MECH_SPECIFIC_FORCE
} ib_mech_measure_type;

typedef struct ib_mech_measure {
    const char *name;
    ib_place place;
    ib_mech_measure_type type;
    int body1, body2, frame;     /* frame: the body whose axes are used; the ground's are global */
    double point1[3], point2[3]; /* global at t = 0 */
    double axis[3];              /* component, in the frame's axes at t (body axes of `frame`) */
    double a[3], b[3], c[3];     /* angle: a on body1, b and c on body2, global at t = 0 */
    double vector[3];            /* direction: global */
    bool offset_initial;         /* the offset is the measure's value at t = 0, assembled */
    double offset;               /* else; subtracted, in the measure's unit */
} ib_mech_measure;

/* An instant of the run: `value` crosses zero, downwards, upwards or either way. */
typedef struct ib_mech_event {
    const char *name;
    ib_place place, value_place;
    ib_node value; /* of time, measures, inputs, parameters, auxiliary states */
    bool down, up;
} ib_mech_event;

/* A measure of position prescribed as a function of time and inputs. */
typedef struct ib_mech_driver {
    const char *name;
    ib_place place;
    int measure; /* of type displacement, distance, angle or direction */
    ib_place motion_place;
    ib_node motion;   /* of the options' graph, with its ramp in it; uses no measures */
    int initial_leaf; /* leaf that is given the measure's value at t = 0, or -1 */
} ib_mech_driver;

typedef enum ib_mech_force_type {
    IB_MECH_LINE,       /* along P1 - P2, positive pulls together */
    IB_MECH_AXIS_FORCE, /* on body 1 at point1 along axis, reaction on body 2 at the same place */
    IB_MECH_AXIS_TORQUE,
    IB_MECH_ANGLE_TORQUE /* on an angle measure, positive against it */
} ib_mech_force_type;

/* A scalar law in a direction. A linear spring (law IB_NO_NODE) is
 * stiffness (length - free_length) + damping rate + preload along the line, or the same of an
 * angle (rad, N m) on that angle. */
typedef struct ib_mech_force {
    const char *name;
    ib_place place;
    ib_mech_force_type type;
    int body1, body2, frame;
    double point1[3], point2[3];
    double axis[3]; /* in the axes of `frame` */
    int measure;    /* of type angle, between the same bodies: of IB_MECH_ANGLE_TORQUE only */
    ib_place law_place;
    ib_node law;        /* of time, measures, inputs, parameters, auxiliary states; N or N m */
    double stiffness;   /* N/m; these four are of a linear spring only */
    double damping;     /* N s/m */
    double free_length; /* m; NaN: the length at t = 0 as given, before assembly; or rad */
    double preload;     /* N */
} ib_mech_force;

/* Stiffness and damping in all six directions between two points that coincide at t = 0, in a frame
 * fixed on body 2: with x the displacement of body 1's point and rotation vector of its frame,
 * f = stiffness x + damping x' + preload acts against x. For rotations well below half a turn. */
typedef struct ib_mech_bushing {
    const char *name;
    ib_place place;
    int body1, body2;
    double point[3], frame[9];         /* global at t = 0; a rotation matrix, row-major */
    double stiffness[36], damping[36]; /* row-major; N/m, N/rad, N, N m/rad and these times s */
    double preload[6];                 /* N, N m */
} ib_mech_bushing;

/* A sphere (or point) on body 1 against a plane or a height field on body 2. Normal force
 * stiffness d^exponent (1 + dissipation d') of the depth d, never pulling; friction against the
 * slip at the deepest point, full from stick_speed on (docs/numerics.md, "Forces"). */
typedef struct ib_mech_contact {
    const char *name;
    ib_place place;
    int body1, body2;
    double point1[3];        /* the sphere's centre, global at t = 0 */
    double point2[3];        /* of the surface: on the plane, or where the height field has its
                              * origin */
    double frame[9];         /* z across the plane, or x, y, z of the height field */
    const ib_table *surface; /* z of x and y, m, cubic; borrowed; NULL for a plane */
    double radius;           /* m; 0 for a point */
    double stiffness;        /* N/m^exponent */
    double exponent;         /* at least 1 */
    double dissipation;      /* s/m */
    double friction;         /* coefficient of Coulomb's law */
    double stick_speed;      /* m/s, above 0 */
    double max_depth;        /* m, at the start */
} ib_mech_contact;

/* A state of first order beside the bodies: value' = rate. */
typedef struct ib_mech_auxiliary {
    const char *name;
    ib_place place, rate_place;
    ib_node rate; /* of time, measures, inputs, parameters and auxiliary states; per second */
    double start;
} ib_mech_auxiliary;

typedef enum ib_mech_tank_shape {
    IB_MECH_TANK_POINT,
    IB_MECH_TANK_SPHERE,
    IB_MECH_TANK_CYLINDER
} ib_mech_tank_shape;

/* Propellant that a body carries beside its own mass. The body stays the place and the axes of that
 * own mass; what is left in the tank is an auxiliary state. */
typedef struct ib_mech_tank {
    const char *name;
    ib_place place;
    int body;
    ib_mech_tank_shape shape;
    double mass;           /* kg, full */
    double position[3];    /* global at t = 0: centre, or of a cylinder the end that empties last */
    double axis[3];        /* of a cylinder: unit, global at t = 0, towards the surface */
    double radius, length; /* m */
    ib_node rate;          /* kg/s, not above 0; 0 where its leaf (options) is 0 */
} ib_mech_tank;

/* Where what a tank loses leaves its body: a nozzle. The thrust is a force of its own. */
typedef struct ib_mech_outlet {
    int tank;
    double point[3]; /* global at t = 0, taken as fixed on the tank's body */
    ib_node flow;    /* kg/s, at least 0 */
} ib_mech_outlet;

/* Air at a place: kg/m3, m/s, Pa, and its velocity (global, m/s). */
typedef struct ib_mech_air {
    double density, sound_speed, pressure, velocity[3];
} ib_mech_air;

/* What surrounds a mechanism, as functions of time (s) and place (global, m). Where one is NULL the
 * model's own gravity or air counts. */
typedef struct ib_mech_field {
    void *context;
    /* m/s2, and its gradient dg_i/dr_j (row-major, 1/s2). */
    void (*gravity)(void *context, double t, const double r[3], double g[3], double gradient[9]);
    void (*air)(void *context, double t, const double r[3], ib_mech_air *air);
} ib_mech_field;

ib_mechanism *ib_mechanism_create(void); /* NULL when out of memory */
void ib_mechanism_destroy(ib_mechanism *mechanism);
/* Each copies what it is given (strings are borrowed and must outlive the mechanism) and returns
 * the index of what was added, counted from 0 for each kind, or -1 when out of memory. Bodies come
 * before all that names them, and a measure before its drivers and joints. */
int ib_mechanism_add_body(ib_mechanism *mechanism, const ib_mech_body *body);
int ib_mechanism_add_measure(ib_mechanism *mechanism, const ib_mech_measure *measure);
int ib_mechanism_add_joint(ib_mechanism *mechanism, const ib_mech_joint *joint);
int ib_mechanism_add_driver(ib_mechanism *mechanism, const ib_mech_driver *driver);
int ib_mechanism_add_force(ib_mechanism *mechanism, const ib_mech_force *force);
/* Loads, of any type, are numbered together. */
int ib_mechanism_add_bushing(ib_mechanism *mechanism, const ib_mech_bushing *bushing);
int ib_mechanism_add_contact(ib_mechanism *mechanism, const ib_mech_contact *contact);
int ib_mechanism_add_auxiliary(ib_mechanism *mechanism, const ib_mech_auxiliary *auxiliary);
int ib_mechanism_add_event(ib_mechanism *mechanism, const ib_mech_event *event);
/* A point on a body (global at t = 0) at which laws ask for the air. */
int ib_mechanism_add_air(ib_mechanism *mechanism, int body, const double point[3]);
/* A tank adds an auxiliary state. */
int ib_mechanism_add_tank(ib_mechanism *mechanism, const ib_mech_tank *tank);
int ib_mechanism_add_outlet(ib_mechanism *mechanism, const ib_mech_outlet *outlet);

enum { IB_MECH_AIR_LEAVES = 7 };

typedef enum ib_mech_solver {
    IB_MECH_DOPRI5,
    IB_MECH_DOP853,
    IB_MECH_RK4,
    IB_MECH_GENERALIZED_ALPHA,
    IB_MECH_STIFF /* Radau IIA of order 5 */
} ib_mech_solver;

typedef struct ib_mech_options {
    double gravity[3];     /* m/s2, global */
    ib_graph *graph;       /* of all expressions; borrowed, may be NULL without expressions */
    size_t n_leaves;       /* of the graph: leaf 0 is time */
    size_t measure_leaf;   /* leaf of measure 0; the others follow */
    size_t auxiliary_leaf; /* leaf of auxiliary state 0; the others follow */
    size_t air_leaf;       /* first of the IB_MECH_AIR_LEAVES of air 0: 1 where it is from outside
                            * (else 0, and the others are not used), density, speed of sound,
                            * pressure, velocity; the others follow */
    size_t tank_leaf;      /* leaf of tank 0: 1, and 0 once it is empty; the others follow */
    ib_mech_solver solver;
    ib_time step;              /* fixed step; 0: error-controlled (not for rk4) */
    bool fallback;             /* dopri5, dop853: goes over to the stiff method where it must */
    double rtol, atol;         /* of the error control */
    double alpha_m, alpha_f;   /* of generalised-alpha */
    double assembly_tolerance; /* how far assembly and new inputs may move a body; m and rad */
} ib_mech_options;

/* Analyses structure and compiles laws. After this the mechanism is constant. Called once. A body
 * whose motion nothing determines is IB_BAD_INPUT with a diagnostic. */
ib_status ib_mechanism_finish(ib_mechanism *mechanism, const ib_mech_options *options,
                              ib_diags *diags);

/* The tapes of a finished mechanism's expressions, all of options.graph, for ib_native_create.
 * Returns how many there are, at most IB_MECH_TAPES. */
enum { IB_MECH_TAPES = 8 };
size_t ib_mechanism_tapes(const ib_mechanism *mechanism, ib_tape *tapes[IB_MECH_TAPES]);

/* ---- running ---- */

typedef struct ib_dynamics ib_dynamics;

/* A run of a finished mechanism, which must outlive it, at its initial state, not yet assembled.
 * NULL when out of memory. */
ib_dynamics *ib_dynamics_create(const ib_mechanism *mechanism);
void ib_dynamics_destroy(ib_dynamics *dynamics);
/* Values of the graph's leaves, to be written by the caller; time, measures, auxiliary states and
 * the initial values of drivers are set by the run itself. */
double *ib_dynamics_leaves(ib_dynamics *dynamics);
/* Sets what surrounds it, borrowed, NULL for nothing; to be followed by ib_dynamics_assemble or
 * ib_dynamics_inputs_changed. It is no part of a snapshot. */
void ib_dynamics_set_field(ib_dynamics *dynamics, const ib_mech_field *field);
/* A force and a torque about its place on a body, in the body's axes (N, N m), held until they are
 * set anew; to be followed by ib_dynamics_pushed. They are no part of a snapshot. */
void ib_dynamics_push(ib_dynamics *dynamics, int body, const double force[3],
                      const double torque[3]);
/* Makes accelerations anew. */
ib_status ib_dynamics_pushed(ib_dynamics *dynamics, ib_diags *diags);
/* Moves all bodies as one rigid body, before the assembly at the start: turned by `turn` (a
 * rotation matrix) about `from`, then `from` put at `to`, with the velocity of that place and the
 * angular velocity (global) on top of the bodies' own. */
typedef struct ib_rigid_motion {
    double turn[9], from[3], to[3], velocity[3], rate[3];
} ib_rigid_motion;
void ib_dynamics_displace(ib_dynamics *dynamics, const ib_rigid_motion *motion);
/* Assembles positions and velocities at the present time, finds redundant constraints, and computes
 * the first accelerations. What it corrected or found is left in diags. */
ib_status ib_dynamics_assemble(ib_dynamics *dynamics, ib_diags *diags);
/* Takes over the present time, leaves, measures, auxiliary states and multipliers of a run of the
 * same model in which other bodies carry them: its own bodies' states (13 each) are given, and for
 * each of its joints the leader's, or -1 for one that the leader does without. */
void ib_dynamics_follow(ib_dynamics *dynamics, const ib_dynamics *leader, const double *bodies,
                        const int *joints);
/* Integrates to exactly `time`; a time that is past already does nothing. `stop`, when not NULL, is
 * asked before every step, and a true answer ends it with IB_INTERRUPTED. IB_SIMULATION_FAILED
 * leaves a diagnostic. However it ends, the state is that of the last accepted step. */
ib_status ib_dynamics_advance(ib_dynamics *dynamics, ib_time time, bool (*stop)(void *),
                              void *context, ib_diags *diags);
/* To be called after leaves were changed from outside: drivers are checked against the state (a
 * jump of more than the assembly tolerance is refused with IB_BAD_INPUT, and nothing has moved),
 * positions and velocities follow them, and accelerations are made anew. */
ib_status ib_dynamics_inputs_changed(ib_dynamics *dynamics, ib_diags *diags);
/* A leaf that goes on by itself, between limits: c0 + c1 s + c2 s^2, s being the time since `from`.
 */
typedef struct ib_mech_course {
    size_t leaf;
    double from; /* s */
    double coefficients[3];
    double min, max;
} ib_mech_course;

/* Leaves that follow their courses from now on; borrowed, n 0 for none. The leaves have to be there
 * already, and drivers must not depend on them. They are no part of a snapshot. */
void ib_dynamics_set_courses(ib_dynamics *dynamics, const ib_mech_course *courses, size_t n);

ib_time ib_dynamics_time(const ib_dynamics *dynamics);
/* Hash of the bits of positions, velocities and auxiliary states. */
uint64_t ib_dynamics_hash(const ib_dynamics *dynamics);
/* The state as plain bytes. Restoring a size that is not this run's is IB_BAD_INPUT. */
size_t ib_dynamics_state_size(const ib_dynamics *dynamics);
void ib_dynamics_save(const ib_dynamics *dynamics, void *state);
ib_status ib_dynamics_restore(ib_dynamics *dynamics, const void *state, size_t size);

typedef struct ib_mech_statistics {
    uint64_t steps, rejections; /* accepted, refused by the error control */
    uint64_t evaluations, factorizations, iterations;
    double last_step, smallest_step; /* s; 0 before the first */
    uint64_t limited_steps;          /* of an explicit method: those that stability kept short */
    ib_time went_over_at;            /* to the stiff method, or -1 */
} ib_mech_statistics;
ib_mech_statistics ib_dynamics_statistics(const ib_dynamics *dynamics);

/* ---- reading the present state ---- */

/* Brings what depends on the state (measures, forces, reactions, accelerations) up to date. Cheap
 * when it is already. Fails when a law has no value. */
ib_status ib_dynamics_refresh(ib_dynamics *dynamics, ib_diags *diags);
/* IB_STATE numbers a body. After a refresh velocities satisfy the
 * constraints, also where the integrator itself holds positions only. */
const double *ib_dynamics_bodies(const ib_dynamics *dynamics);
/* The following are valid after a refresh. */
double ib_dynamics_measure(const ib_dynamics *dynamics, int measure);
/* Value of an auxiliary state. */
double ib_dynamics_auxiliary(const ib_dynamics *dynamics, int auxiliary);
/* Mass of a body with what its tanks hold, and where its centre is (global); what is left in a
 * tank.
 */
double ib_dynamics_mass(const ib_dynamics *dynamics, int body);
void ib_dynamics_centre(const ib_dynamics *dynamics, int body, double centre[3]);
double ib_dynamics_propellant(const ib_dynamics *dynamics, int tank);
/* False after a diagnostic when the measure's value is not finite. */
bool ib_dynamics_check_measure(const ib_dynamics *dynamics, int measure, double value,
                               ib_diags *diags);
/* Value of a scalar force's law. */
double ib_dynamics_force(const ib_dynamics *dynamics, int force);
/* Force (N) and torque (N m) that a scalar force exerts on body 1 at its point, global axes. */
void ib_dynamics_force_vector(const ib_dynamics *dynamics, int force, double vector[3],
                              double torque[3]);
/* Unit vector (global) along which a positive value acts on body 1 at its point: of the force, or
 * of the torque where it is one. 0 where it has no direction. */
void ib_dynamics_force_direction(const ib_dynamics *dynamics, int force, double direction[3]);
/* Force and torque that a load exerts on body 1 at its point (a contact's is the sphere's centre),
 * global axes. */
void ib_dynamics_load(const ib_dynamics *dynamics, int load, double force[3], double torque[3]);
/* Reaction on body 1 at the joint's point, global axes; of a coupling: what it exerts through
 * measure1 on that one's body 1 at its point 1. */
void ib_dynamics_reaction(const ib_dynamics *dynamics, int joint, double force[3],
                          double torque[3]);
/* Generalised force that a screw or a coupling exerts on measure1; on measure2 it is -ratio times
 * that. 0 for other joints. */
double ib_dynamics_joint_lambda(const ib_dynamics *dynamics, int joint);
/* Friction on body 1 along a joint's axis (N) and about it (N m); 0 where it has none. */
void ib_dynamics_friction(const ib_dynamics *dynamics, int joint, double *force, double *torque);
/* Generalised force that a driver exerts on its measure, and its motion. */
double ib_dynamics_driver_lambda(const ib_dynamics *dynamics, int driver);
double ib_dynamics_driver_motion(const ib_dynamics *dynamics, int driver);
/* True once an event has released the joint. */
bool ib_dynamics_released(const ib_dynamics *dynamics, int joint);
/* Acceleration of the centre of mass (global, 3) and angular acceleration (body axes, 3). */
const double *ib_dynamics_acceleration(const ib_dynamics *dynamics, int body);

typedef struct ib_mech_energy {
    double kinetic, potential; /* potential: the model's own gravity, linear springs and loads */
    double momentum[3];
    double angular_momentum[3]; /* about the origin, global */
} ib_mech_energy;
ib_mech_energy ib_dynamics_energy(const ib_dynamics *dynamics);
/* Largest |phi| and |phi'| over all constraints. */
void ib_dynamics_residual(ib_dynamics *dynamics, double *position, double *velocity);
/* Number of permanently redundant constraint rows. */
int ib_dynamics_redundant(const ib_dynamics *dynamics);

#endif
