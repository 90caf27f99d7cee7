/* The models of the FMUs for Model Exchange, motion2.c and motion3.c: equations with known
 * solutions, and misbehaviour to order. -DMODEL=... chooses one.
 *
 * Value references: 0 time, 1.. states, 11.. derivatives, 21.. parameters, 31 input u (continuous),
 * 41 output y; of whole numbers 32 input ud (discrete), 42 events, 43 steps completed, 51 mode.
 */
#ifndef MOTION_H
#define MOTION_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* DECAY x' = -p0 x. VDP van der Pol's equation with mu = p0. BALL h'' = -p0 with impacts that leave
 * p1 of the speed, and rest below the speed p2. ROBERTSON's kinetics. DRIVEN x' = u + ud; mode says
 * what happens besides. */
#define DECAY 0
#define VDP 1
#define BALL 2
#define ROBERTSON 3
#define DRIVEN 4

enum {
    TIME = 0,
    STATE = 1,
    RATE = 11,
    PARAMETER = 21,
    U = 31,
    UD = 32,
    Y = 41,
    EVENTS,
    STEPS,
    MODE = 51
};
enum { MOST = 3 };

#if MODEL == DECAY || MODEL == DRIVEN
enum { N = 1 };
#elif MODEL == ROBERTSON
enum { N = 3 };
#else
enum { N = 2 };
#endif
#if MODEL == BALL
enum { N_INDICATORS = 1 };
#elif MODEL == DRIVEN
enum { N_INDICATORS = 2 };
#else
enum { N_INDICATORS = 0 };
#endif

/* Of DRIVEN. TICKS: an event every 0.25 s adds 1 to x. PULSE: an indicator is positive for 1e-3 s
 * alone. ENDLESS: updates without end. STANDING: the next event is always now. PAST: or earlier.
 * NOTHING: x' is not a number from 0.5 s on. SHORT: neither beyond it, as Discard. END: wants to
 * end at 0.5 s by an event, STEP_END by a completed step. STEP: each completed step beyond 0.5 s
 * asks for an event, three times. FAIL: Error at 0.5 s. FLAT: nominal value 0. SIZES: says it has
 * another number of states. */
enum mode {
    GOOD,
    TICKS,
    PULSE,
    ENDLESS,
    STANDING,
    PAST,
    NOTHING,
    SHORT,
    END,
    STEP_END,
    STEP,
    FAIL,
    FLAT,
    SIZES
};
enum { FINE, DISCARDED, FAILED };

typedef struct motion {
    double t, x[MOST], p[3], u;
    int ud, mode, events, steps, ticks, asked;
    bool running;
    void *environment;
    void *log;
} motion;

static void motion_begin(motion *m) {
    static const double starts[][MOST] = {{1}, {2, 0}, {1, 0}, {1, 0, 0}, {0}};
    static const double parameters[][3] = {{1}, {1}, {9.81, 0.7, 0}, {0}, {0}};
    memcpy(m->x, starts[MODEL], sizeof m->x);
    memcpy(m->p, parameters[MODEL], sizeof m->p);
}

static int motion_rate(const motion *m, double *dx) {
    const double *x = m->x, *p = m->p;
    (void)p, (void)x;
#if MODEL == DECAY
    dx[0] = -p[0] * x[0];
#elif MODEL == VDP
    dx[0] = x[1];
    dx[1] = p[0] * (1 - x[0] * x[0]) * x[1] - x[0];
#elif MODEL == BALL
    dx[0] = x[1];
    dx[1] = -p[0];
#elif MODEL == ROBERTSON
    const double slow = 0.04 * x[0], fast = 1e4 * x[1] * x[2], square = 3e7 * x[1] * x[1];
    dx[0] = fast - slow;
    dx[1] = slow - fast - square;
    dx[2] = square;
#else
    if (m->mode == FAIL && m->t > 0.5)
        return FAILED;
    if (m->mode == SHORT && m->t > 0.5)
        return DISCARDED;
    dx[0] = m->mode == NOTHING && m->t > 0.5 ? NAN : m->u + m->ud;
#endif
    return FINE;
}

/* J (N x N) of motion_rate. */
static void motion_jacobian(const motion *m, double *J) {
    const double *x = m->x, *p = m->p;
    memset(J, 0, N * N * sizeof *J);
    (void)x, (void)p;
#if MODEL == DECAY
    J[0] = -p[0];
#elif MODEL == VDP
    J[1] = 1;
    J[2] = -2 * p[0] * x[0] * x[1] - 1;
    J[3] = p[0] * (1 - x[0] * x[0]);
#elif MODEL == BALL
    J[1] = 1;
#elif MODEL == ROBERTSON
    const double rows[9] = {-0.04,       1e4 * x[2], 1e4 * x[1], 0.04, -1e4 * x[2] - 6e7 * x[1],
                            -1e4 * x[1], 0,          6e7 * x[1], 0};
    memcpy(J, rows, sizeof rows);
#endif
}

static void motion_indicators(const motion *m, double *z) {
    (void)m, (void)z;
#if MODEL == BALL
    z[0] = m->x[0];
#elif MODEL == DRIVEN
    z[0] = m->mode == PULSE ? 5e-4 - fabs(m->t - 0.5) : 1;
    z[1] = m->x[0] - 0.75;
#endif
}

/* One update of discrete states. */
static void motion_update(motion *m, bool *again, bool *terminate, bool *changed, bool *has_next,
                          double *next) {
    *again = *terminate = *changed = *has_next = false;
    *next = 0;
    if (m->running)
        m->events++;
#if MODEL == BALL
    if (m->x[0] <= 0 && m->x[1] < 0) {
        m->x[0] = 0;
        m->x[1] *= -m->p[1];
        *changed = true;
        if (m->x[1] < m->p[2]) {
            m->x[1] = 0;
            m->p[0] = 0;
        }
    }
#elif MODEL == DRIVEN
    if (m->mode == TICKS) {
        if (m->running && m->t >= 0.25 * (m->ticks + 1)) {
            m->ticks++;
            m->x[0] += 1;
            *changed = true;
        }
        *has_next = true;
        *next = 0.25 * (m->ticks + 1);
    }
    *again = m->mode == ENDLESS && m->running;
    if (m->mode == STANDING || m->mode == PAST) {
        *has_next = true;
        *next = !m->running ? 0.5 : m->mode == PAST ? m->t - 0.1 : m->t;
    }
    if (m->mode == END || m->mode == FAIL) {
        *has_next = m->t < 0.5;
        *next = 0.5;
        *terminate = m->mode == END && m->t >= 0.5;
    }
#endif
}

static void motion_completed(motion *m, bool *event, bool *terminate) {
    m->steps++;
    *event = m->mode == STEP && m->t > 0.5 && m->asked++ < 3;
    *terminate = m->mode == STEP_END && m->t > 0.5;
}

/* The value of a real variable; false when there is none. */
static bool motion_get(const motion *m, unsigned reference, double *value) {
    double rates[MOST];
    if (reference == TIME)
        *value = m->t;
    else if (reference >= STATE && reference < STATE + N)
        *value = m->x[reference - STATE];
    else if (reference >= RATE && reference < RATE + N)
        *value = motion_rate(m, rates) == FINE ? rates[reference - RATE] : NAN;
    else if (reference >= PARAMETER && reference < PARAMETER + 3)
        *value = m->p[reference - PARAMETER];
    else if (reference == U)
        *value = m->u;
    else if (reference == Y)
        *value = m->u + 10 * m->ud;
    else
        return false;
    return true;
}

static bool motion_set(motion *m, unsigned reference, double value) {
    if (reference >= STATE && reference < STATE + N)
        m->x[reference - STATE] = value;
    else if (reference >= PARAMETER && reference < PARAMETER + 3)
        m->p[reference - PARAMETER] = value;
    else if (reference == U)
        m->u = value;
    else
        return false;
    return true;
}

static int *motion_whole(motion *m, unsigned reference) {
    return reference == UD       ? &m->ud
           : reference == EVENTS ? &m->events
           : reference == STEPS  ? &m->steps
           : reference == MODE   ? &m->mode
                                 : NULL;
}

#endif
