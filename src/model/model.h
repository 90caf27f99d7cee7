/* model: a YAML description, read, checked and resolved: every name an index, every number a value,
 * every expression a node of one graph. Knows no solver. The one header that siblings include.
 *
 * Everything here is in SI units, points and directions global at t = 0, quaternions (w, x, y, z)
 * of unit length turning body axes into global ones.
 */
#ifndef IB_MODEL_H
#define IB_MODEL_H

#include "expr/expr.h"
#include "ironbird/model.h"
#include "model/mission.h"
#include "model/network.h"

#define IB_GROUND (-1) /* the index of `ground` where a body is meant */

/* An expression of the model's graph. `node` is IB_NO_NODE where the key is absent. */
typedef struct ib_expr {
    ib_node node;
    const char *text; /* as written */
    ib_place place;
    uint32_t over_parameters; /* where it depends on parameters alone: its node of the model's
                                 constant_graph + 1; else 0 */
} ib_expr;

/* What every named element has. `id` is NULL when absent; `place` is the name's. */
typedef struct ib_element {
    const char *name;
    const char *id;
    ib_place place;
} ib_element;

typedef struct ib_parameter {
    const char *name;
    double value;
    ib_place place;
} ib_parameter;

typedef struct ib_input {
    const char *name;
    double start, min, max; /* min/max are -/+infinity when absent */
    ib_place place;
} ib_input;

typedef enum ib_tank_shape { IB_TANK_POINT, IB_TANK_SPHERE, IB_TANK_CYLINDER } ib_tank_shape;

/* What a body carries and thrusts burn. The body's mass, inertia and position are without it. */
typedef struct ib_propellant {
    int tank;              /* its number among the tanks; -1: the body carries none */
    double mass;           /* kg at t = 0, > 0 */
    int shape;             /* ib_tank_shape */
    double position[3];    /* point, sphere: centre; cylinder: of the end that empties last */
    double axis[3];        /* cylinder: unit, from there to the surface at t = 0 */
    double radius, length; /* m, > 0 where the shape has them */
    ib_place place;
} ib_propellant;

typedef struct ib_body {
    ib_element element;
    double mass;        /* kg, >= 0 */
    double inertia[6];  /* tensor about the centre of mass, body axes: xx yy zz xy xz yz */
    double position[3]; /* centre of mass, m */
    double orientation[4];
    double velocity[3];         /* of the centre of mass, global, m/s */
    double angular_velocity[3]; /* global, rad/s */
    ib_propellant propellant;
} ib_body;

typedef enum ib_joint_type {
    IB_JOINT_FIXED,
    IB_JOINT_SPHERICAL,
    IB_JOINT_REVOLUTE,
    IB_JOINT_CYLINDRICAL,
    IB_JOINT_PRISMATIC,
    IB_JOINT_UNIVERSAL,
    IB_JOINT_GENERIC,
    IB_JOINT_PLANAR,
    IB_JOINT_POINT_ON_LINE,
    IB_JOINT_POINT_ON_PLANE,
    IB_JOINT_PARALLEL_AXES,
    IB_JOINT_PERPENDICULAR_AXES,
    IB_JOINT_CONSTANT_VELOCITY,
    IB_JOINT_DISTANCE,
    IB_JOINT_GEAR,
    IB_JOINT_RACK_PINION,
    IB_JOINT_SCREW
} ib_joint_type;

/* Bits of ib_joint.lock. */
enum {
    IB_LOCK_X = 1,
    IB_LOCK_Y = 2,
    IB_LOCK_Z = 4,
    IB_LOCK_RX = 8,
    IB_LOCK_RY = 16,
    IB_LOCK_RZ = 32
};

/* Coulomb's friction from a joint's own reaction. */
typedef struct ib_joint_friction {
    double mu;
    double radius;         /* m, of surfaces that turn on each other; 0 for prismatic */
    double stick_velocity; /* m/s, > 0 */
} ib_joint_friction;

typedef struct ib_joint {
    ib_element element;
    ib_joint_type type;
    int body1, body2;            /* of gear and rack_pinion: ground, and of no meaning */
    double point1[3], point2[3]; /* equal unless given apart */
    double axis1[3], axis2[3];   /* unit; `axis` sets both */
    double orientation[4];       /* the joint frame; from `axis` as its z (x for prismatic is not
                                    special: any frame with z along axis) when not given */
    double orientation2[4];      /* the joint frame on body2; equal unless given apart */
    unsigned lock;               /* generic only */
    double length;               /* distance only: kept between the points, > 0 */
    int measure1, measure2;      /* gear: angles; rack_pinion: displacement, angle; else -1 */
    double ratio;                /* gear: measure1 per measure2, not 0 */
    double radius;               /* rack_pinion: m, not 0 */
    double pitch;                /* screw: m per turn, not 0; negative is left-handed */
    bool has_friction;           /* revolute, prismatic, cylindrical only */
    ib_joint_friction friction;
    int release; /* the event that lets it go, or -1 */
} ib_joint;

typedef enum ib_force_type {
    IB_FORCE_SPRING_DAMPER,
    IB_FORCE_EXPRESSION_FORCE,
    IB_FORCE_EXPRESSION_TORQUE,
    IB_FORCE_FORCE,
    IB_FORCE_TORQUE,
    IB_FORCE_GRAVITY, /* stands for itself only; the model's gravity acts with or without it */
    IB_FORCE_MOTOR,   /* no force, but a state that others may use */
    IB_FORCE_TORSION_SPRING,
    IB_FORCE_BUSHING,
    IB_FORCE_ROTOR,
    IB_FORCE_BUOYANCY,
    IB_FORCE_CONTACT,
    IB_FORCE_AERODYNAMIC,
    IB_FORCE_THRUST
} ib_force_type;

/* The air of a model run by itself; in a mission the environment's takes its place. */
typedef struct ib_model_air {
    bool given; /* else there is none */
    ib_expr density, sound_speed, pressure;
    ib_expr wind[3]; /* of the air, global axes */
} ib_model_air;

/* The axes of an aerodynamic force's components (docs/conventions.md). */
typedef enum ib_flow_axes { IB_FLOW_BODY, IB_FLOW_STABILITY, IB_FLOW_WIND } ib_flow_axes;

/* What the expressions of coefficients have of their own, as nodes of the model's graph. */
enum {
    IB_FLOW_ALPHA,
    IB_FLOW_BETA,
    IB_FLOW_MACH,
    IB_FLOW_AIRSPEED,
    IB_FLOW_PRESSURE,
    IB_FLOW_P,
    IB_FLOW_Q,
    IB_FLOW_R,
    IB_FLOW_NAMES
};

/* Of an aerodynamic force. Its axes are those of the force's orientation, fixed on body1: x
 * forward, y to the right, z down. */
typedef struct ib_aerodynamic {
    int axes;               /* ib_flow_axes */
    ib_expr coefficient[6]; /* CX or CD, CY, CZ or CL, Cl, Cm, Cn; 0 where absent */
    double frame[9];        /* rows: its axes in those of body1 */
    ib_node flow[IB_FLOW_NAMES];
    ib_node velocity[3]; /* of the reference point relative to the air, its axes */
    ib_node law[6];      /* force and torque along and about its axes */
} ib_aerodynamic;

/* Of a bushing: x, y, z, then rotations about them, in its frame on body2; point1 is its point. */
typedef struct ib_bushing {
    double stiffness[36], damping[36]; /* row-major, symmetric */
    double preload[6];
} ib_bushing;

/* Of a contact: a sphere about point1 against a surface through point2, in the force's frame. */
typedef struct ib_contact {
    double radius, stiffness, exponent, dissipation, mu, stick_velocity;
    double max_depth;        /* at t = 0 */
    const ib_table *surface; /* height over x and y, cubic; NULL: the plane across z */
} ib_contact;

typedef struct ib_force {
    ib_element element;
    ib_force_type type;
    int body1, body2;
    double point1[3], point2[3];
    bool has_axis;
    double axis[3];   /* unit, global at t = 0; of a rotor on body1 */
    int frame;        /* body whose frame carries the axis or the triple; IB_GROUND is global */
    ib_expr law;      /* expression_force: force, expression_torque: torque */
    ib_expr value[3]; /* force, torque: triple */
    ib_expr stiffness, damping; /* springs; may use length or angle, and rate */
    double free_length;         /* NaN: initial */
    double free_angle;          /* torsion_spring */
    double preload;
    double orientation[4]; /* torsion_spring, bushing, contact: the frame, whose z is the axis, on
                              body2 */
    ib_bushing *bushing;   /* NULL for other types */
    ib_contact contact;
    /* rotor: thrust k_thrust w^2 - inflow |w| va along the axis, torque -spin k_torque w^2 about
     * it, drag -rotor_damping |w| v across it; va and v of point1 */
    ib_expr speed;
    int spin; /* 1 or -1 */
    double k_thrust, k_torque, inflow, rotor_damping;
    ib_expr volume, density; /* buoyancy */
    /* aerodynamic: at reference_point, point1 being the same */
    double reference_area, reference_length, reference_span, reference_point[3];
    ib_aerodynamic *aerodynamic; /* NULL for other types */
    /* thrust: of point1 of body1, (thrust - nozzle_area p) along direction */
    double direction[3]; /* unit, global at t = 0 */
    double isp;          /* s; 0: burns nothing */
    double nozzle_area;  /* m^2 */
    int tank;            /* of whose propellant, or -1 */
    ib_expr thrust;
    ib_node push, flow; /* what acts, N, and what is burnt, kg/s */
    int air;            /* aerodynamic, thrust: number of the place where the air is asked for */
    /* motor: value' = (command - value) / tau, within rate_limit; |command| within max */
    int motor; /* its number among the motors */
    ib_expr command;
    const char *unit;        /* motor: of its command, as of an output */
    double tau_up, tau_down; /* s */
    double rate_limit, max;  /* infinite when absent */
    double start;
    int length, rate; /* measures behind `length` (or `angle`) and `rate` in the expressions, or -1
                         when unused */
} ib_force;

typedef enum ib_measure_type {
    IB_MEASURE_DISPLACEMENT,
    IB_MEASURE_VELOCITY,
    IB_MEASURE_DISTANCE,
    IB_MEASURE_DISTANCE_RATE,
    IB_MEASURE_ANGLE,
    IB_MEASURE_ANGULAR_RATE,
    IB_MEASURE_DIRECTION,
    IB_MEASURE_ANGULAR_VELOCITY,
    IB_MEASURE_ACCELERATION, /* outputs and sensors only, as the next two */
    IB_MEASURE_ANGULAR_ACCELERATION,
    IB_MEASURE_SPECIFIC_FORCE
} ib_measure_type;

typedef enum ib_offset { IB_OFFSET_NONE, IB_OFFSET_INITIAL, IB_OFFSET_NUMBER } ib_offset;

typedef struct ib_measure {
    ib_element element; /* name NULL for hidden measures: of forces (length, rate) and sensors */
    ib_measure_type type;
    int body1, body2;
    double point1[3], point2[3];
    double axis[3];   /* the component's axis, in the axes of `frame` */
    int component;    /* 0, 1, 2: which axis that is where it was written */
    int frame;        /* body, or IB_GROUND for global */
    double vector[3]; /* direction: global; angle with vector/plane: on body1, global at t = 0 */
    double orientation[4]; /* angle: the frame at t = 0 */
    bool has_plane;        /* angle by vector and plane instead of orientation */
    double plane[2][3];    /* b and c, on body2, global at t = 0 */
    bool normalize;
    bool legacy_form; /* angular_rate: numerator only */
    ib_offset offset;
    double offset_value;
} ib_measure;

/* An instant at which an expression crosses zero. */
typedef enum ib_crossing_way { IB_CROSSING_BOTH, IB_CROSSING_DOWN, IB_CROSSING_UP } ib_crossing_way;

typedef struct ib_crossing {
    const char *name;
    ib_place place;
    ib_expr when;
    int crosses; /* ib_crossing_way */
} ib_crossing;

typedef struct ib_driver {
    ib_element element;
    int measure;
    ib_place measure_place;
    ib_expr motion;
    double ramp; /* Ta in seconds; 0: none */
} ib_driver;

typedef struct ib_output {
    ib_element element;
    ib_expr value;
    const char *unit; /* "" where it cannot be derived */
} ib_output;

typedef enum ib_sensor_type {
    IB_SENSOR_POINT,
    IB_SENSOR_ORIENTATION,
    IB_SENSOR_JOINT,
    IB_SENSOR_FORCE
} ib_sensor_type;

typedef struct ib_sensor {
    ib_element element;
    ib_sensor_type type;
    int body;             /* point, orientation */
    double point[3];      /* point */
    int relative_to;      /* point, orientation: body, or IB_GROUND */
    int frame;            /* body whose axes are used, or IB_GROUND for global; not orientation */
    const char *sequence; /* orientation: of Euler angles, or NULL */
    int joint, force;     /* index of what is observed; -1 for other types */
    int angle, angular_rate, displacement,
        rate; /* joint: measures of its own; -1 where it has none */
} ib_sensor;

typedef enum ib_solver {
    IB_SOLVER_AUTO,
    IB_SOLVER_DOPRI5,
    IB_SOLVER_DOP853,
    IB_SOLVER_RK4,
    IB_SOLVER_GENERALIZED_ALPHA,
    IB_SOLVER_HHT,
    IB_SOLVER_STIFF
} ib_solver;

typedef struct ib_simulation {
    ib_time end;         /* default 10 s */
    ib_time output_step; /* default 10 ms */
    ib_time step;        /* 0 when absent: error-controlled, or 1 ms for fixed-step solvers */
    bool adaptive;       /* step: adaptive, so that these are error-controlled, too */
    double rtol, atol;   /* default 1e-6 and rtol */
    ib_solver solver;
    double rho_infinity;       /* default 0.9 */
    double alpha;              /* hht, default -0.3 */
    double assembly_tolerance; /* default 1e-3 */
    const char *const *record; /* globs; n_record 0: the default set */
    size_t n_record;
    ib_place place, step_place, record_place;
} ib_simulation;

/* A number of an element that depends on a parameter. */
typedef struct ib_constant {
    const char *name; /* "wheel.mass", "hinge.axis1.x" */
    double value;
    ib_node node; /* of the model's constant_graph */
} ib_constant;

/* Leaves of the model's graph, in this order: t, then parameters, inputs, motors, the mass in each
 * tank, whether each is still in use, the air at each place where it is asked for, measures. */
static inline uint32_t ib_leaf_time(void) { return 0; }

struct ib_model {
    ib_arena *arena;
    ib_graph *graph;
    const char *file, *name;
    double gravity[3]; /* zero when absent */
    ib_place gravity_place;
    size_t n_parameters, n_inputs, n_bodies, n_joints, n_forces, n_measures, n_drivers, n_outputs,
        n_sensors, n_curves, n_tables, n_motors, n_tanks, n_airs, n_events;
    ib_model_air air;
    ib_parameter *parameters;
    ib_input *inputs;
    ib_body *bodies;
    ib_joint *joints;
    ib_force *forces;
    ib_measure *measures; /* named ones first, then the hidden ones of forces and sensors */
    ib_driver *drivers;
    ib_output *outputs;
    ib_sensor *sensors;
    ib_crossing *events;
    ib_curve **curves; /* owned */
    const char **curve_names;
    ib_table **tables; /* owned */
    const char **table_names;
    ib_simulation simulation;
    /* Numbers as functions of the parameters: leaf i is parameter i. */
    ib_graph *constant_graph;
    size_t *parameter_order; /* [n_parameters]: each after those that define it */
    ib_node *definitions;    /* [n_parameters]; IB_NO_NODE: a number */
    size_t n_constants;
    ib_constant *constants; /* in the order of the sections and their keys */
};

static inline uint32_t ib_leaf_parameter(const ib_model *model, size_t index) {
    (void)model;
    return (uint32_t)(1 + index);
}
static inline uint32_t ib_leaf_input(const ib_model *model, size_t index) {
    return (uint32_t)(1 + model->n_parameters + index);
}
static inline uint32_t ib_leaf_motor(const ib_model *model, size_t index) {
    return (uint32_t)(1 + model->n_parameters + model->n_inputs + index);
}
static inline uint32_t ib_leaf_tank(const ib_model *model, size_t index) {
    return ib_leaf_motor(model, model->n_motors + index);
}
/* 1 until it is empty, then 0. */
static inline uint32_t ib_leaf_tank_used(const ib_model *model, size_t index) {
    return ib_leaf_tank(model, model->n_tanks + index);
}
/* Of a place: 1 where what follows is from outside, 0 where the model's own air counts; density,
 * speed of sound, pressure, and the velocity of the air, global axes. */
enum {
    IB_AIR_OUTSIDE,
    IB_AIR_DENSITY,
    IB_AIR_SOUND,
    IB_AIR_PRESSURE,
    IB_AIR_WIND,
    IB_AIR_LEAVES = 7
};
static inline uint32_t ib_leaf_air(const ib_model *model, size_t index) {
    return (uint32_t)(ib_leaf_tank_used(model, model->n_tanks) + IB_AIR_LEAVES * index);
}
static inline uint32_t ib_leaf_measure(const ib_model *model, size_t index) {
    return (uint32_t)(ib_leaf_air(model, model->n_airs) + index);
}
static inline size_t ib_leaf_count(const ib_model *model) {
    return ib_leaf_measure(model, model->n_measures);
}

/* schema.c: the one table of keys. Text of the JSON schema, and of the Markdown key reference. */
ib_status ib_schema_json(ib_str *text);
ib_status ib_schema_markdown(ib_str *text);

#endif
