/* One rigid body in free flight. */
#ifndef IB_WORLD_FLIGHT_H
#define IB_WORLD_FLIGHT_H

#include "avionics/avionics.h"

/* Inertial frame of the environment; attitude body -> inertial; rates in body axes. */
typedef struct ib_flight_state {
    double position[3], velocity[3]; /* of the centre of mass, m, m/s */
    double attitude[4];
    double rate[3]; /* inertial, rad/s */
} ib_flight_state;

/* When forces see the world: at every stage of the integrator, or once at the tick's start. */
typedef enum ib_force_sampling { IB_FORCES_BY_STAGE, IB_FORCES_BY_TICK } ib_force_sampling;

/* What is constant over a tick: the body, and what devices do to it. */
typedef struct ib_free_body {
    double mass;       /* kg */
    double inertia[9]; /* about the centre of mass, body axes, kg m^2 */
    double drag_area;  /* C_D A of a drag at the centre of mass, m^2 */
    double force[3];   /* applied, body axes, N */
    double torque[3];  /* about the centre of mass, body axes, N m */
    ib_force_sampling sampling;
    double mass_flow; /* out of the tanks, kg/s: the mass falls in a straight line over the tick */
    double inverse_inertia[9]; /* made by ib_free_body_prepare */
} ib_free_body;

/* IB_BAD_INPUT with a diagnostic at `place` for a mass or inertia that is no body's. */
ib_status ib_free_body_prepare(ib_free_body *body, const char *name, ib_diags *diags,
                               ib_place place);
/* One classical Runge-Kutta step over [start, start + period]. Allocates nothing. */
void ib_free_body_advance(const ib_free_body *body, const ib_environment *environment,
                          ib_time start, ib_time period, ib_flight_state *state);
/* The same with what surrounds the body at the start, which was probed before. */
void ib_free_body_advance_from(const ib_free_body *body, const ib_environment *environment,
                               const ib_surroundings *start_around, ib_time start, ib_time period,
                               ib_flight_state *state);
/* What is true of the body there and then, as sensors at its centre of mass see it. */
void ib_free_body_truth(const ib_free_body *body, const ib_environment *environment, ib_time t,
                        const ib_flight_state *state, ib_truth_point *truth);
void ib_free_body_truth_from(const ib_free_body *body, const ib_environment *environment,
                             const ib_surroundings *around, ib_time t, const ib_flight_state *state,
                             ib_truth_point *truth);
/* The same of any body whose specific force (inertial axes) and angular acceleration (body axes)
 * are known. */
void ib_flight_truth(const ib_environment *environment, const ib_surroundings *around, ib_time t,
                     const ib_flight_state *state, const double specific_force[3],
                     const double rate_change[3], ib_truth_point *truth);
/* The truth in two parts: what needs of the surroundings only what is felt (ib_environment_feel),
 * and the rest, which needs all of them. */
void ib_free_body_feel(const ib_free_body *body, const ib_surroundings *around, ib_time t,
                       const ib_flight_state *state, ib_truth_point *truth);
void ib_flight_see(const ib_environment *environment, const ib_surroundings *around,
                   const ib_flight_state *state, ib_truth_point *truth);
/* Place and velocity in Earth-fixed coordinates, and ecef_from_inertial; of a flat Earth those of
 * its tangent plane. */
void ib_flight_to_ecef(const ib_environment *environment, ib_time t, const double position[3],
                       const double velocity[3], double r[3], double v[3], double turn[9]);

#endif
