/* The insides of a mechanism (constant after finishing) and of a run of it. Private to mechanics.
 */
#ifndef IB_MECHANICS_MECHANISM_H
#define IB_MECHANICS_MECHANISM_H

#include "mechanics/element.h"
#include "mechanics/mechanics.h"

#include <math.h>
#include <stdint.h>

/* An element placed on bodies. Bodies are indices into the kinematics, where n_bodies is the
 * ground. A slot is `active` when it is a real body; a third slot on the same body as an earlier
 * one is merged into that. */
typedef struct mech_site {
    const ib_element_code *code;
    int body[IB_SLOTS];
    int n_active;
    int active[IB_SLOTS]; /* slots */
    int merge;            /* slot that slot 2 is added to, or -1 */
    double p[IB_MAX_PARAMETERS];
} mech_site;

typedef struct mech_constraint {
    mech_site site;
    /* Of the element, in its variant for the ground where body 2 is that. */
    void (*gradient)(const double *b1, const double *b2, const double *b3, const double *p,
                     double *phi, double *J);
    void (*gamma)(const double *b1, const double *b2, const double *b3, const double *p,
                  double *gamma);
    int n_slots; /* of its J: the site's three, or six of a coupling */
    int body[2 * IB_SLOTS];
    int n_active;
    int active[2 * IB_SLOTS]; /* slots that are real bodies, each body once */
    int n_rows, row;          /* rows in elimination order */
    size_t jacobian;          /* offset of its 6 n_slots n_rows numbers in ib_dynamics.J */
    int joint;                /* owner, or -1 */
    int driver;               /* owner, or -1 */
    int measure;              /* of a driver, else -1 */
    int coupling;             /* its two measures, or -1; `site` is then the first one's */
    int declared;             /* position in the model, for naming */
} mech_constraint;

/* factor1 measure1 + factor2 measure2 kept constant. */
typedef struct mech_coupling {
    int measure[2];
    double factor[2];
    int slot[2][IB_SLOTS]; /* of the constraint that each slot of a measure adds to, or -1 */
} mech_coupling;

typedef struct mech_joint {
    ib_mech_joint given;
    int first, count;            /* its constraints, by declared position */
    double s1[3], s2[3];         /* the joint's point in body axes (global on ground) */
    double frame1[9], frame2[9]; /* in body axes (global on ground) */
    int friction;                /* its friction, or -1 */
} mech_joint;

/* Friction of a joint, from the multipliers of its first rows. */
enum { MECH_FRICTION_PARAMETERS = 11 };

typedef struct mech_friction {
    int joint;
    int n_rows;                         /* that hold its force */
    mech_site site;                     /* its own parameters are not used */
    double p[MECH_FRICTION_PARAMETERS]; /* but these; the last of them is the load */
} mech_friction;

typedef struct mech_measure {
    ib_mech_measure given;
    mech_site site; /* code NULL for those that need accelerations */
    int angle;      /* index of its turn counter, or -1 */
    double s1[3], s2[3];
} mech_measure;

typedef struct mech_driver {
    ib_mech_driver given;
    int constraint; /* by declared position */
} mech_driver;

typedef struct mech_force {
    ib_mech_force given;
    mech_site site;
    int law; /* root of the law tape, or -1 for a linear spring */
    double s1[3];
    double free_length;
} mech_force;

/* A force of several components, by an element of the library. */
typedef struct mech_load {
    const char *name;
    ib_place place;
    mech_site site;               /* its own parameters are not used */
    double p[IB_LOAD_PARAMETERS]; /* but these */
    double s1[3];
    bool contact;            /* else a bushing */
    const ib_table *surface; /* of a contact with a height field */
    double max_depth;        /* of a contact */
} mech_load;

/* Where a sphere's centre is nearest to a height field: x, y, the height and its derivatives there,
 * as the last parameters of the element contact_field. */
enum { MECH_FOOT = 8, MECH_FOOT_PARAMETER = 21 };

/* A point in the axes of a body. */
typedef struct mech_air {
    int body;
    double s[3];
} mech_air;

typedef struct mech_tank {
    ib_mech_tank given;
    int auxiliary;
    double position[3], axis[3]; /* in body axes */
} mech_tank;

typedef struct mech_outlet {
    ib_mech_outlet given;
    double p[3]; /* in the axes of the tank's body */
} mech_outlet;

/* Where a product of two constraints on a shared body goes in the Schur complement. */
typedef struct mech_pair {
    int high, low; /* constraints in elimination order, high eliminated later */
    int high_slot, low_slot;
    int body;
    int offset;
} mech_pair;

/* Explicit path: A = G M^-1 Gᵀ by blocks of constraints. */
typedef struct mech_schur {
    ib_blocks *blocks;
    mech_pair *pairs;
    size_t n_pairs, pairs_capacity;
} mech_schur;

/* Place of one unit's block in the general matrix's values. */
typedef struct mech_target {
    int offset, stride;
} mech_target;

/* Assemblies visit blocks in a fixed order; where each goes is recorded in a first dry run. */
typedef struct mech_map {
    mech_target *targets;
    size_t count, capacity;
} mech_map;

/* Bodies and constraints in one matrix. Units are bodies, then constraints (in elimination order of
 * the Schur complement). A body without full inertia shares its node with the constraints that hold
 * it. */
typedef struct mech_kkt {
    ib_blocks *blocks;
    int *node, *at; /* [n_bodies + n_constraints] node of a unit, first row inside it */
    mech_map map;
} mech_kkt;

/* A turn counter. */
typedef struct mech_angle {
    int measure;
} mech_angle;

/* One derivative of a force's law by a measure. */
typedef struct mech_slope {
    int force, measure;
} mech_slope;

/* What the implicit methods need of the auxiliary states s' = g: by s, by the measures in g, and
 * the laws by s. */
typedef struct mech_lags {
    ib_tape *slopes; /* roots dg/ds (n x n), dg/dm (n x n_measures), dlaw/ds (n_laws x n) */
    int *column;     /* [n_measures of the mechanism] of dg/dm, or -1 */
    size_t n_measures;
} mech_lags;

/* What the inverse of a mass matrix is taken to be: the bodies' own, or ones (mass in kg, inertia
 * in kg m2), where geometry alone matters. */
typedef struct mech_weights {
    const double *inverse_mass;    /* [n_bodies] */
    const double *inverse_inertia; /* [n_bodies x 9] */
    const bool *principal;         /* [n_bodies] which of them are diagonal */
} mech_weights;

struct ib_mechanism {
    ib_mech_options options;
    ib_mech_body *bodies;
    double *inverse_mass;    /* [n_bodies] 0 for massless */
    double *inertia;         /* [n_bodies x 9] */
    double *inverse_inertia; /* [n_bodies x 9] zero when singular */
    bool *principal;         /* [n_bodies x 2] behind `own` and `unit` */
    double *ones;            /* [n_bodies x 10] behind `unit` */
    mech_weights own, unit;
    bool *singular;               /* [n_bodies] the 6x6 mass matrix has no inverse */
    mech_constraint *constraints; /* in elimination order once finished */
    int *by_declared;             /* [n_constraints] index of the declared-th constraint */
    mech_joint *joints;
    mech_measure *measures;
    mech_driver *drivers;
    mech_coupling *couplings;
    mech_force *forces;
    mech_angle *angles;
    mech_load *loads;
    mech_friction *frictions;
    ib_mech_auxiliary *auxiliaries;
    ib_mech_event *events;
    mech_air *airs;
    mech_tank *tanks;
    mech_outlet *outlets;
    bool *carries; /* [n_bodies] propellant: its mass is not constant */
    size_t n_bodies, n_constraints, n_joints, n_measures, n_drivers, n_couplings, n_forces,
        n_angles, n_loads, n_frictions, n_auxiliaries, n_airs, n_tanks, n_outlets, n_events;
    size_t bodies_capacity, constraints_capacity, joints_capacity, measures_capacity,
        drivers_capacity, couplings_capacity, forces_capacity, angles_capacity, loads_capacity,
        frictions_capacity, auxiliaries_capacity, airs_capacity, tanks_capacity, outlets_capacity,
        events_capacity;
    int n_rows;
    size_t n_jacobian;
    bool general;  /* the explicit path uses the general matrix */
    bool looped;   /* constraints close loops, counting through the ground */
    bool implicit; /* a method that needs `newton` and slopes may run */
    bool stiff;    /* the stiff method may run */
    mech_schur schur;
    mech_kkt kkt;      /* of the explicit path where it is general */
    mech_kkt newton;   /* of the implicit methods: forces couple bodies, too */
    ib_tape *laws;     /* one root a force with a law, then the rates of auxiliary states, then the
                        * flows of outlets */
    ib_tape *slopes;   /* d law / d measure, n_slopes roots */
    mech_slope *slope; /* [n_slopes] which root of `slopes` is which */
    size_t n_slopes, n_laws;
    mech_lags lags;
    ib_tape *crossings; /* one root an event */
    ib_tape *motions;   /* three roots a driver: f, f', f'' */
    bool *law_measure;  /* [n_measures] the laws or motions use it */
    double length;      /* a characteristic size, m */
};

typedef struct mech_header {
    ib_time time;
    ib_time step; /* next step to try, ns */
    double error; /* of the last accepted step, for the controller */
    uint64_t steps, rejections, evaluations, factorizations, iterations;
    double last_step, smallest_step;
    /* Of the stiff method. */
    double point_time;     /* s, where its matrices were made */
    double point_step;     /* s, of the step that they were made for */
    double factored_step;  /* s, that they are factored for */
    double contraction;    /* of Newton with them */
    int32_t stages;        /* of the method in use */
    int32_t kept_stages;   /* of the last step, which tell where those of the next will be; or 0 */
    int32_t smooth_steps;  /* accepted one after the other */
    int32_t refusals;      /* of steps, one after the other */
    int32_t bypass_left;   /* steps that the explicit method may take instead, */
    ib_time bypass_end;    /* until when, */
    ib_time bypass_step;   /* ns, and the next one */
    bool has_point, renew; /* the matrices were made, and are to be made again */
    /* Of the watch for stiffness. */
    int32_t suspicious, calm; /* steps, one after the other, that look stiff and that do not */
    uint64_t limited_steps;   /* that stability kept short */
    uint64_t next_trial;      /* step from which the stiff method may be tried, */
    uint64_t trial_pause;     /* and how long to wait after the next one */
    ib_time went_over_at;     /* when it took over, or -1 */
} mech_header;

/* Walks through the blocks of one assembly. While recording, it notes where each goes. */
typedef struct mech_writer {
    const ib_mechanism *m;
    const mech_kkt *kkt;
    double *values;   /* NULL while recording */
    double *rates;    /* the second plane of a matrix that has two (tangent.c) */
    mech_map *record; /* NULL while writing */
    size_t cursor;
    bool failed;
    double sink[IB_BLOCK_MAX * IB_BLOCK_MAX];
} mech_writer;

struct ib_dynamics {
    const ib_mechanism *mechanism;
    /* The state: one block of bytes that a snapshot copies. */
    mech_header *header;
    size_t state_size;
    double *y;          /* [ib_state_size] 13 a body, then the auxiliary states */
    double *rate;       /* [13 n_bodies] its derivative (explicit), or 6 n_bodies algorithmic and
                         * 6 n_bodies true accelerations (implicit); then [n_auxiliaries] rates
                         * (explicit), or as many algorithmic and true ones (implicit) */
    double *lambda;     /* [n_rows] multipliers of the last accepted step */
    double *angle;      /* [n_angles] continuous angle at the last accepted step */
    double *angle_rate; /* [n_angles] */
    double *offset;     /* [n_measures] what is subtracted */
    double *constant;   /* [n_couplings] what they keep */
    double *released;   /* [n_joints] 1 once an event has; without events there are none */
    double *leaves;     /* [n_leaves] */
    double *history;    /* stiff method: of the last stages velocities and auxiliary states, less
                         * those at their start, and multipliers */
    double *point; /* stiff method: the state, multipliers and angles that its matrices are of */
    double *point_lambda, *point_angle;
    const ib_mech_course *courses; /* [n_courses], borrowed: of leaves that time moves */
    size_t n_courses;
    /* Scratch: everything below follows from the state. */
    double drift;       /* largest |phi| before the last projection of positions, */
    int drift_row;      /* and of which row it was */
    int off_row;        /* that row, where the step was refused for it; else -1 */
    double angle_ahead; /* s since the accepted state, for the branch of angles */
    double *kin;        /* [36 (n_bodies + 1)] */
    double *J;          /* [n_jacobian] */
    double *W;          /* [n_jacobian] I^-1 Hᵀ (3 x rows) in the place of each H */
    double *phi, *gamma, *work_rows, *work_lambda; /* [n_rows] */
    double *work_body;                             /* [6 n_bodies] */
    mech_writer *writer;                           /* of the general matrix */
    const ib_mech_field *field;                    /* what surrounds it, or NULL */
    double *gravity;                               /* [3 n_bodies] at each, global */
    double *gravity_gradient;                      /* [9 n_bodies] of the field's */
    double *push;                                  /* [6 n_bodies] from outside, body axes */
    double *mass;                                  /* [n_bodies] with propellant, */
    double *moment;          /* [3 n_bodies] its first moment, body axes, 0 without propellant, */
    double *inertia;         /* [9 n_bodies] about the body's place, body axes */
    double *crossing, *side; /* [n_events] values, and the side of zero that a step started on, or 0
                              * where crossing from there is of no interest */
    mech_header *before;  /* [state_size] the state before a step, while crossings are looked for */
    double *Q;            /* [6 n_bodies] forces (global) and torques (body axes) */
    double *acc;          /* [6 n_bodies] accelerations (global) and angular ones (body axes) */
    double *schur;        /* values of the Schur complement */
    double *slack;        /* [n_rows] what its factor adds to the diagonal */
    double *kkt;          /* values of the general matrix */
    double *kkt_x;        /* [kkt rows] */
    double *newton;       /* values of the implicit methods' matrix */
    double *newton_x;     /* [newton rows] */
    double *plane;        /* stiff method: its matrix in two planes, */
    double *factors;      /* the factors, a real one and a complex one, */
    double *point_weight; /* and the diagonal of G M^-1 Gᵀ at their point */
    double *lag_matrix;   /* of auxiliary states (radau_lag.c) */
    size_t *lag_order;    /* [4 n_auxiliaries] */
    bool planes_made;     /* they are those of the point, factored for the header's step */
    double *law;          /* [n_laws + n_auxiliaries + n_outlets] */
    double *slope;        /* [n_slopes] total, through auxiliary states too */
    double *lag_slope;    /* [roots of lags.slopes] */
    double *lag_work;     /* [n_auxiliaries (n_auxiliaries + 1)] */
    size_t *lag_exchange; /* [n_auxiliaries] */
    double *motion;       /* [3 n_drivers] f, f', f'' */
    double *tape_work;
    double *force_J;     /* [18 n_forces] direction of each scalar force */
    double *force_value; /* [n_forces] */
    double *load;        /* [12 n_loads] generalised forces of each */
    double *foot;        /* [8 n_loads] of contacts with a height field */
    /* Friction in joints (friction.c), n of them. */
    double *friction_direction; /* [12 n] generalised forces for a load of 1 N */
    double *friction_load;      /* [n] N */
    double *friction_slope;     /* [3 n] of it by the joint's first multipliers */
    double *friction_answer;    /* [n x 3 n] multipliers of all, for loads of 1 N */
    double *friction_matrix;    /* [n x n] */
    double *friction_work;      /* [n] */
    double *friction_applied;   /* [6 n_bodies] Q without friction */
    double *friction_force;     /* [6 n_bodies] */
    double *friction_moved;     /* [6 n_bodies] */
    double *friction_rows;      /* [n_rows] */
    size_t *friction_exchange;  /* [n] */
    double *stage;              /* integrators' scratch */
    double *reaction;           /* [n_rows] multipliers as reported */
    double *shown;              /* [ib_state_size] as it is read: velocities on the constraints */
    bool joints_only;           /* while assembling without drivers and couplings */
    double *scratch;            /* the block behind the scratch */
    int n_redundant;
    bool fresh;      /* refresh has been done for the present state */
    int fault_force; /* what had no value at the last evaluation, or -1; from n_forces on the rates
                      * of auxiliary states, then loads, then friction */
    int fault_driver;
    bool no_direction; /* of fault_force: its points coincide, or its angle has no value */
    ib_fault fault;    /* else: why the expression has no value */
};

/* site.c; site.h evaluates. Bodies are given as declared, IB_MECH_GROUND among them. */
/* Places an element on its bodies; what it has no slot for is not looked at. */
void ib_site_place(const ib_mechanism *m, mech_site *site, ib_element_id id, int body1, int body2,
                   int body3);
/* The entries of J that never vary, into zeros (element.h). */
void ib_site_constants(const mech_site *site, double *J);
/* Adds slot 2 of J to the slot on the same body, if there is one. */
void ib_site_merge(const mech_site *site, int n_rows, double *J);
/* A point, or a vector, global at t = 0, in the axes of a body; on the ground it stays global. */
void ib_to_body(const ib_mech_body *bodies, int body, const double point[3], double s[3]);
void ib_vector_to_body(const ib_mech_body *bodies, int body, const double v[3], double out[3]);

static inline const double *ib_site_kin(const ib_dynamics *d, const mech_site *site, int slot) {
    return d->kin + IB_KIN * site->body[slot];
}

/* Numbers in a state y. */
static inline size_t ib_state_size(const ib_mechanism *m) {
    return IB_STATE * m->n_bodies + m->n_auxiliaries;
}

/* The elements that a constraint consists of: its own, or a coupling's two measures. */
static inline int ib_term_count(const mech_constraint *c) { return c->coupling < 0 ? 1 : 2; }

static inline const mech_site *ib_term_site(const ib_mechanism *m, const mech_constraint *c,
                                            int term) {
    return c->coupling < 0 ? &c->site : &m->measures[m->couplings[c->coupling].measure[term]].site;
}

/* What each contributes to the constraint: a multiple of itself, slot by slot (-1: the ground). */
static inline double ib_term_factor(const ib_mechanism *m, const mech_constraint *c, int term) {
    return c->coupling < 0 ? 1 : m->couplings[c->coupling].factor[term];
}

static inline int ib_term_slot(const ib_mechanism *m, const mech_constraint *c, int term,
                               int slot) {
    if (c->coupling >= 0)
        return m->couplings[c->coupling].slot[term][slot];
    return slot == 2 && c->site.merge >= 0 ? c->site.merge : slot;
}

/* True for a constraint of a joint that an event has released: its rows say nothing any more. */
static inline bool ib_is_released(const ib_dynamics *d, const mech_constraint *c) {
    return d->mechanism->n_events > 0 && c->joint >= 0 && d->released[c->joint] > 0;
}

/* The larger of two; a NaN counts as larger than anything. */
static inline double ib_larger(double a, double b) { return a > b || isnan(a) ? a : b; }

/* Largest magnitude of n numbers; NaN when one of them is. */
static inline double ib_largest(const double *x, int n) {
    double value = 0;
    for (int i = 0; i < n; i++)
        value = ib_larger(fabs(x[i]), value);
    return value;
}

/* kinematics.c */
/* r, R, v and w in d->kin of all bodies from a state. */
void ib_kin_update(ib_dynamics *d, const double *y);
/* R' and R'', which only gamma reads, from R and w. */
void ib_kin_spin(ib_dynamics *d);

/* constraint.c: G is the matrix of all J, n_rows x 6 n_bodies. */
/* The entries of J that never vary; for a start, and after joints that were released may hold
 * again.
 */
void ib_constraints_constants(ib_dynamics *d);
/* phi and J from kinematics and leaves. False when a driver's motion has no value; d->fault_driver
 * says which. */
bool ib_constraints_eval(ib_dynamics *d);
/* gamma, after that and ib_kin_spin. */
void ib_constraints_gamma(ib_dynamics *d);
/* out = G x, or G x + add unless that is NULL. */
void ib_constraints_apply(const ib_dynamics *d, const double *x, const double *add, double *out);
/* f -= Gᵀ lambda */
void ib_constraints_pull(const ib_dynamics *d, const double *lambda, double *f);

/* coupling.c */
/* Makes a constraint of one row the coupling measure1 - ratio measure2. False when out of memory.
 */
bool ib_coupling_place(ib_mechanism *m, mech_constraint *c, int measure1, int measure2,
                       double ratio);
/* Value and rate of each measure, and the coupling's J over six slots, at the kinematics of each
 * measure's slots. */
void ib_coupling_gradient(const ib_mechanism *m, const mech_coupling *coupling,
                          const double *const kin[2 * IB_SLOTS], double value[2], double rate[2],
                          double *J);
/* phi and J, and gamma, at the present kinematics. */
void ib_coupling_eval(ib_dynamics *d, const mech_constraint *c);
double ib_coupling_gamma(const ib_dynamics *d, const mech_constraint *c);
/* Takes what all couplings are to keep from the present kinematics. */
void ib_coupling_start(ib_dynamics *d);
/* What a coupling exerts through its first measure: on that one's body 1 at its point 1, global. */
void ib_coupling_wrench(const ib_dynamics *d, const mech_constraint *c, double force[3],
                        double torque[3]);

/* solve.c: M x + Gᵀ mu = f, G x = c, regularised. */
/* Factors the regularised matrix at the J in d. */
void ib_solver_factor(ib_dynamics *d);
/* acc and lambda (in: a guess) of M acc + Gᵀ lambda = Q, G acc = -gamma, by at most 1 +
 * refinements solutions. */
void ib_solver_accelerations(ib_dynamics *d, double *lambda, int refinements);
/* x and mu of M x + Gᵀ mu = f, G x = c, by one solution; f or c may be NULL for zeros. */
void ib_solver_solve(ib_dynamics *d, const double *f, const double *c, double *x, double *mu);
/* What a solution mu leaves of its right side, at most. */
double ib_solver_left(const ib_dynamics *d, const double *mu);
/* The smallest mass-weighted x with G x = c; c becomes minus the multipliers of it. */
void ib_solver_correction(ib_dynamics *d, double *c, double *x);

/* force.c */
/* d->Q and each scalar force's value and direction, from kinematics and leaves. False when a law
 * has no value or a force no direction; d->fault_force says which. */
bool ib_forces_eval(ib_dynamics *d);
/* The first part of that: d->law, with the rates of auxiliary states. */
bool ib_laws_eval(ib_dynamics *d);

/* field.c */
/* d->gravity at the present kinematics. */
void ib_gravity_eval(ib_dynamics *d);
/* Adds what pushes a body to its forces; and dQ by place and rotation (body axes) to K. */
void ib_push_eval(ib_dynamics *d, size_t b);
void ib_push_slopes(const ib_dynamics *d, size_t b, double K[36]);
/* The leaves of air that is from outside. */
void ib_air_eval(ib_dynamics *d);

/* mass.c */
/* Mass, first moment and inertia of the bodies with tanks, from the leaves of auxiliary states. */
void ib_masses_set(ib_dynamics *d);
/* out += factor times what the first moment adds to M x: x and out of translations along global
 * axes, or along those of the body where R is NULL, and of rotations about body axes. Nothing for
 * bodies without tanks. */
void ib_mass_couple(const ib_dynamics *d, size_t b, const double *R, double factor,
                    const double x[6], double out[6]);
/* M^-1 f of a body with tanks. */
void ib_mass_solve(const ib_dynamics *d, size_t b, const double f[6], double out[6]);
/* Adds to d->Q what the first moment of such a body adds to its forces. */
void ib_mass_forces(ib_dynamics *d, size_t b);
/* Adds to d->Q what flows in tanks make of their bodies' rates; after the laws. */
void ib_flows_eval(ib_dynamics *d);
/* Adds the slopes of both by position and velocity of the body, as element.h has them of loads;
 * with accelerations (6, or NULL) also those of -M times these. */
void ib_mass_slopes(const ib_dynamics *d, size_t b, const double *acceleration, double K[36],
                    double Kv[36]);

/* mechanism.c */
/* Marks the measures that a node depends on. */
bool ib_mark_measures(ib_mechanism *m, ib_node node);

/* crossing.c */
/* The tape of events. False when out of memory. */
bool ib_crossings_compile(ib_mechanism *m);
/* Integrates to `time` step by step; where a tank is empty, ends what it feeds, and where an event
 * is, releases its joints. */
ib_status ib_crossings_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                               ib_diags *diags);

/* load.c */
/* Adds the loads to d->Q. False when one has no meaning at the present kinematics; d->fault_force
 * says which. */
bool ib_loads_eval(ib_dynamics *d);
/* K and Kv of a load, squares of 12 (element.h). */
void ib_load_slopes(const ib_dynamics *d, size_t load, double *K, double *Kv);
/* What all loads store. */
double ib_loads_energy(const ib_dynamics *d);
/* How deep a contact is at the last evaluation; above 0 where it touches. */
double ib_load_depth(const ib_dynamics *d, size_t load);
/* A load of the given element, with its bodies and name; NULL when out of memory. */
mech_load *ib_load_new(ib_mechanism *m, ib_element_id id, int body1, int body2, const char *name,
                       ib_place place);

/* contact.c */
/* The foot of a contact with a height field at the present kinematics into d->foot. */
void ib_contact_foot(ib_dynamics *d, size_t load);
/* Refuses contacts that start too deep; after an evaluation. */
ib_status ib_contacts_check_start(const ib_dynamics *d, ib_diags *diags);

/* auxiliary.c */
/* Takes the auxiliary states from the end of y. */
void ib_auxiliary_set(ib_dynamics *d, const double *y);
/* For implicit methods: the tape behind the two functions that follow. False when out of memory. */
bool ib_auxiliary_compile(ib_mechanism *m);
/* The states s = known + factor g(s) at the present time and kinematics, by Newton from s as it is.
 * Leaves the leaves at s. False when a rate has no value or the iteration does not converge. */
bool ib_auxiliary_solve(ib_dynamics *d, const double *known, double factor, double *s);
/* Adds to d->slope what comes through the states so solved for: dlaw/ds (1 - factor dg/ds)^-1
 * factor dg/dm. */
bool ib_auxiliary_condense(ib_dynamics *d, double factor);

/* measure.c */
/* Value at the present kinematics, less its offset; of an angle on the branch nearest to what the
 * accepted one and its rate predict. Not finite where the measure has no value. */
double ib_measure_value(const ib_dynamics *d, int measure);
/* An angle on the branch nearest to what the accepted one and the mean of its rates, then and now,
 * predict. */
double ib_angle_branch(const ib_dynamics *d, int angle, double raw, double rate);
/* An angle, given as its atan2, on the branch that its measure is on. */
double ib_measure_angle(const ib_dynamics *d, int measure, double raw);
/* The leaves of the measures that laws use. */
void ib_measures_for_laws(ib_dynamics *d);
/* raw plus the whole turns that bring it nearest to the prediction. */
double ib_angle_continue(double raw, double predicted);
/* Rate of a measure that is a function of position. */
double ib_measure_position_rate(const ib_dynamics *d, int measure);

/* dynamics.c */
/* By the solver of the options, without looking for crossings. */
ib_status ib_dynamics_integrate(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                                ib_diags *diags);
/* Time seconds since t = 0 and the leaf of it. */
void ib_dynamics_set_time(ib_dynamics *d, double seconds);
/* Everything of the equations of motion at (seconds, y): kinematics, J, gamma, forces,
 * accelerations and multipliers (from the guess in d->lambda into d->work_lambda). */
bool ib_dynamics_evaluate(ib_dynamics *d, double seconds, const double *y, int refinements);
/* The derivative of the state last evaluated; of y it takes the quaternions alone. */
void ib_dynamics_rate(const ib_dynamics *d, const double *y, double *rate);
/* The second half of that: gamma, forces, accelerations and multipliers, from kinematics, J and its
 * factor. */
bool ib_dynamics_solve(ib_dynamics *d, int refinements);
/* The end of a step: projects positions and velocities of y onto the constraints, and evaluates. */
bool ib_dynamics_arrive(ib_dynamics *d, double seconds, double *y);
/* G v + phi_t at the present kinematics, into out [n_rows]; x [6 n_bodies] becomes v. */
void ib_dynamics_velocity_residual(const ib_dynamics *d, double *x, double *out);
/* The smallest mass-weighted change of velocities to phi' = 0, by J and factor as they are. */
void ib_dynamics_project_velocity(ib_dynamics *d, double *y);
/* The same in the directions of an index-3 method's errors, after ib_friction_prepare. */
void ib_dynamics_project_velocity_back(ib_dynamics *d, double *y);
/* Newton on positions by one factor, to the tolerance or to rounding. Returns the largest |phi|
 * left, NaN when a motion has no value. Leaves J at the last positions. */
double ib_dynamics_project_position(ib_dynamics *d, double *y, double tolerance, int iterations);
/* Takes the angles of the present kinematics as the accepted ones. */
void ib_dynamics_accept_angles(ib_dynamics *d);
/* Takes a step of h seconds to `end`, whose state is in d->y, as accepted. */
void ib_dynamics_accept(ib_dynamics *d, ib_time end, double h);

/* fault.c */
/* Says which law or motion had no value at the last evaluation, and what went in. */
ib_status ib_dynamics_fault(const ib_dynamics *d, ib_diags *diags);
/* Name and place of the joint or driver that owns a constraint. */
const char *ib_constraint_owner(const ib_mechanism *m, int constraint, ib_place *place);
/* Constraint that a row belongs to. */
int ib_row_constraint(const ib_mechanism *m, int row);
/* Of n rows the first of largest magnitude, one without a value before all others; -1: no rows. */
int ib_worst_row(const double *rows, int n);
/* Says that a fixed step of h seconds from `start` did not converge, or the fault that stopped it.
 */
ib_status ib_dynamics_too_large(ib_dynamics *d, double h, double start, const char *suggestion,
                                ib_diags *diags);
/* Says that error control came to steps below a nanosecond at `start`, or, when the last of them
 * `failed`, the fault that did it. */
ib_status ib_dynamics_stalled(ib_dynamics *d, bool failed, double start, const char *suggestion,
                              ib_diags *diags);
/* What to suggest there: of the tolerance where that is the reason. */
const char *ib_stall_advice(const ib_mechanism *m, const char *otherwise);
/* Whose equations are violated the most, or else which body accelerates the most. */
const char *ib_dynamics_worst(const ib_dynamics *d, ib_place *place);

/* schur.c, kkt.c */
/* Analyses the Schur complement and puts the constraints into its elimination order. False when
 * out of memory. */
bool ib_schur_create(ib_mechanism *m);
/* Diagonal of G M^-1 Gᵀ over the rows of a constraint, averaged over rows of one kind, so that it
 * does not depend on how the model is turned. */
void ib_row_weights(const ib_dynamics *d, const mech_constraint *c, double *weights);
void ib_average_weights(const mech_constraint *c, double *weights);
void ib_schur_assemble(ib_dynamics *d, const mech_weights *weights, double epsilon, double absolute,
                       double *values);
/* x -= M^-1 Gᵀ lambda by the weights of the last assembly, which are to be given again. */
void ib_schur_pull(const ib_dynamics *d, const mech_weights *weights, const double *lambda,
                   double *x);
/* out = G M^-1 Gᵀ lambda, likewise. */
void ib_schur_apply(ib_dynamics *d, const mech_weights *weights, const double *lambda, double *out);
/* Analyses a general matrix; `couple` joins bodies that forces and stiffness couple. A body whose
 * mass does not let it be held is returned through *massless (else -1). */
bool ib_kkt_create(ib_mechanism *m, mech_kkt *kkt, bool couple, int *massless);
void ib_kkt_free(mech_kkt *kkt);

/* Clears the values of a general matrix; its blocks go where its map says, in the order recorded.
 */
mech_writer *ib_kkt_begin(ib_dynamics *d, const mech_kkt *kkt, double *values);
/* The block of units (row, column): entry (i, j) at result[i * *stride + j]. */
double *ib_kkt_block(mech_writer *writer, int row, int column, int *stride);
/* Adds G below and Gᵀ beside the diagonal for one slot of a constraint with n rows: J its slot (T,
 * then H), NULL while recording. `turn` (3 x 3), when not NULL, multiplies H in G from the right.
 */
void ib_kkt_slot(mech_writer *writer, int unit, int body, int n, const double *J,
                 const double *turn);
/* Row of a unit's unknowns in the vector that ib_blocks_solve works on. */
int ib_kkt_row(const mech_kkt *kkt, int unit);
/* Record where the blocks of the explicit and of the implicit matrix go. False when out of memory.
 */
bool ib_solver_record(ib_mechanism *m);
bool ib_implicit_record(ib_mechanism *m);

/* step_control.c */
/* What to multiply a step by whose error, over its tolerance, was too large or small enough; errors
 * go with the step to the power `order`. `last` is the error of the step before, `most` the largest
 * factor. */
double ib_step_after_rejection(int order, double error);
double ib_step_after_success(int order, double error, double last, double most);
/* A step times a factor, at least a nanosecond. */
ib_time ib_step_scaled(ib_time step, double factor);
/* The step to try: the target, `left` away, is hit exactly, by steps of equal length. */
ib_time ib_step_fit(ib_time step, ib_time left);
/* The step to try next. One that was cut to end on the target says little about the one that was
 * due: `wanted` after it counts only where it is beyond both. */
ib_time ib_step_keep(ib_time due, ib_time taken, ib_time wanted);
/* Errors of positions and rotations (global, body axes) and of velocities (likewise), [6 n_bodies]
 * each, and of auxiliary states, over the tolerance at a state: the root of their mean square. What
 * rounding makes of a step as short as h (s) is no error; INFINITY: everything counts. */
double ib_error_norm(const ib_dynamics *d, const double *state, const double *position,
                     const double *velocity, const double *auxiliary, double h);

/* explicit.c, implicit.c, radau.c */
ib_status ib_explicit_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                              ib_diags *diags);
ib_status ib_implicit_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                              ib_diags *diags);
ib_status ib_radau_advance(ib_dynamics *d, ib_time time, bool (*stop)(void *), void *context,
                           ib_diags *diags);
/* One step of the explicit method, accepted where its error, over the tolerance, is at most 1. */
bool ib_explicit_try(ib_dynamics *d, ib_time step, double *error);
/* One step of the stiff method from the present state: whether its error would be within the
 * tolerance. Changes nothing but scratch. */
bool ib_radau_try(ib_dynamics *d, ib_time step);

/* stiffness.c */
/* Whether the watch wants to see the step just taken. */
bool ib_stiffness_due(const ib_dynamics *d);
/* Takes note of an accepted explicit step with its h |lambda|, `stable` where stability ends. True
 * when the stiff method takes over. */
bool ib_stiffness_watch(ib_dynamics *d, ib_time step, double h_lambda, double stable);
/* The explicit method cannot go on: true when the stiff one takes over. */
bool ib_stiffness_resort(ib_dynamics *d);

/* Doubles that each needs in d->stage. */
size_t ib_explicit_scratch(const ib_mechanism *m);
size_t ib_implicit_scratch(const ib_mechanism *m);
size_t ib_radau_scratch(const ib_mechanism *m);
/* Takes d->acc as the accelerations to start or go on from. */
void ib_implicit_start(ib_dynamics *d);
/* Forgets what the stiff method carries from step to step: forces have jumped. */
void ib_radau_interrupt(ib_dynamics *d);

/* redundancy.c */
/* Counts and names redundant constraints at the state; IB_BAD_INPUT when a driver is among them. */
ib_status ib_redundancy_find(ib_dynamics *d, ib_diags *diags);
/* reactions.c */
/* d->reaction from the multipliers last evaluated, in d->work_lambda. */
void ib_reactions_refresh(ib_dynamics *d);

#endif
