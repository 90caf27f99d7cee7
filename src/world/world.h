/* world: missions, ticks, events. The one header that siblings include. So far the scheduler and
 * the flight of a single free body.
 */
#ifndef IB_WORLD_INTERNAL_H
#define IB_WORLD_INTERNAL_H

#include "avionics/avionics.h"

/* ---- schedule.c: who ticks when ---------------------------------------------------------------
 */

/* The whole nanoseconds of a rate (Hz) or a period (s). IB_BAD_INPUT with a diagnostic at `place`
 * when a rate's period is no whole count (60 Hz; the suggestion names the nearest period), or the
 * number is not positive, not finite or longer than a day. `name` is whose rate it is. */
ib_status ib_period_from_rate(double rate, const char *name, ib_diags *diags, ib_place place,
                              ib_time *period);
ib_status ib_period_from_seconds(double seconds, const char *name, ib_diags *diags, ib_place place,
                                 ib_time *period);

/* One that ticks every `ratio` physics ticks: in ticks 1 + phase, 1 + phase + ratio, ... */
typedef struct ib_beat {
    int64_t ratio; /* at least 1 */
    int64_t phase; /* 0 to ratio - 1, in physics ticks */
} ib_beat;

/* Of a period and a phase (both times) against the physics period. IB_BAD_INPUT with a diagnostic
 * that names both rates, and as suggestion the nearest legal periods, when the physics period does
 * not divide the period; likewise for the phase, which lies below the period. */
ib_status ib_beat_make(ib_time physics, ib_time period, ib_time phase, const char *name,
                       ib_diags *diags, ib_place place, ib_beat *beat);
/* The same of a rate, which is refused in the same words when its period is no whole number of
 * nanoseconds. */
ib_status ib_beat_from_rate(ib_time physics, double rate, ib_time phase, const char *name,
                            ib_diags *diags, ib_place place, ib_beat *beat);
/* Whether it ticks in physics tick k (1, 2, ...), which covers [(k - 1), k] periods. */
bool ib_beat_due(const ib_beat *beat, int64_t tick);
/* The number of its ticks in physics ticks 1 to k. */
int64_t ib_beat_count(const ib_beat *beat, int64_t tick);
/* End of physics tick k. */
ib_time ib_tick_time(ib_time physics, int64_t tick);
/* Number of the last tick that starts before `end`: the ticks of a run to `end`, the last one
 * reaching or passing it. */
int64_t ib_tick_number(ib_time physics, ib_time end);

/* ---- free_body.c: one rigid body in free flight -------------------------------------------------
 */

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
    double inverse_inertia[9]; /* made by ib_free_body_prepare */
} ib_free_body;

/* IB_BAD_INPUT with a diagnostic at `place` for a mass or inertia that is no body's. */
ib_status ib_free_body_prepare(ib_free_body *body, const char *name, ib_diags *diags,
                               ib_place place);
/* One classical Runge-Kutta step over [start, start + period]. Allocates nothing. */
void ib_free_body_advance(const ib_free_body *body, const ib_environment *environment,
                          ib_time start, ib_time period, ib_flight_state *state);
/* What is true of the body there and then, as sensors at its centre of mass see it. */
void ib_free_body_truth(const ib_free_body *body, const ib_environment *environment, ib_time t,
                        const ib_flight_state *state, ib_truth_point *truth);

#endif
