/* A quadcopter with the signals of a vehicle's plant: four pulse widths in; what its sensors would
 * see out. A rigid body over flat ground that holds it up, by one classical Runge-Kutta step a
 * communication step. Axes: forward, right, down; states in north, east, down from the start.
 *
 * mode 1: an error from 0.05 s on; 2: a crash there.
 */
#include <fmi3Functions.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 9.80665
#define PI 3.14159265358979323846

enum { PWM = 1, ACCEL, GYRO, MAG, GPS, VEL, YAW, PRESSURE, TEMPERATURE, MODE, HOME, STEPS, SPEED };
enum { PLACE = 0, VELOCITY = 3, ATTITUDE = 6, RATE = 10, MOTOR = 13, SIZE = 17 };

static const double mass = 1.2, inertia[3] = {0.012, 0.012, 0.022}, k_thrust = 8e-6,
                    k_torque = 1.4e-7, most = 1000, lag = 0.05;
static const double rotors[4][3] = {
    {0.14, -0.14, 1}, {0.14, 0.14, -1}, {-0.14, 0.14, 1}, {-0.14, -0.14, -1}};

typedef struct quad {
    double time, y[SIZE], pwm[4], home[3], accel[3]; /* home: latitude, longitude in degrees, m */
    int mode, steps;
} quad;

#define STATE_SIZE sizeof(quad)
#include "state3.h"

/* v turned from the body's axes into north, east, down; `back`: the other way. */
static void turn(const double q[4], const double v[3], int back, double out[3]) {
    const double w = q[0], s = back ? -1 : 1, x = s * q[1], y = s * q[2], z = s * q[3];
    const double a = 2 * (y * v[2] - z * v[1]), b = 2 * (z * v[0] - x * v[2]),
                 c = 2 * (x * v[1] - y * v[0]);
    out[0] = v[0] + w * a + y * c - z * b;
    out[1] = v[1] + w * b + z * a - x * c;
    out[2] = v[2] + w * c + x * b - y * a;
}

/* What the rotors do: force up the body, torques. */
static void push(const double y[SIZE], double *lift, double torque[3]) {
    *lift = torque[0] = torque[1] = torque[2] = 0;
    for (int i = 0; i < 4; i++) {
        const double square = y[MOTOR + i] * y[MOTOR + i], f = k_thrust * square;
        *lift += f;
        torque[0] -= rotors[i][1] * f;
        torque[1] += rotors[i][0] * f;
        torque[2] += rotors[i][2] * k_torque * square;
    }
}

static void rates(const quad *q, const double y[SIZE], double dy[SIZE], double felt[3]) {
    double lift, torque[3], force[3];
    push(y, &lift, torque);
    const double body[3] = {0, 0, -lift / mass};
    turn(y + ATTITUDE, body, 0, force);
    const int grounded = y[PLACE + 2] >= 0 && force[2] + G > 0;
    const double ground = grounded ? -(force[2] + G) : 0;
    double held[3] = {grounded ? -force[0] : 0, grounded ? -force[1] : 0, ground};
    for (int k = 0; k < 3; k++) {
        dy[PLACE + k] = grounded ? 0 : y[VELOCITY + k];
        dy[VELOCITY + k] = grounded ? 0 : force[k] + (k == 2 ? G : 0);
        held[k] += force[k];
    }
    turn(y + ATTITUDE, held, 1, felt);
    const double *a = y + ATTITUDE, *w = y + RATE;
    dy[ATTITUDE] = -(a[1] * w[0] + a[2] * w[1] + a[3] * w[2]) / 2;
    dy[ATTITUDE + 1] = (a[0] * w[0] + a[2] * w[2] - a[3] * w[1]) / 2;
    dy[ATTITUDE + 2] = (a[0] * w[1] + a[3] * w[0] - a[1] * w[2]) / 2;
    dy[ATTITUDE + 3] = (a[0] * w[2] + a[1] * w[1] - a[2] * w[0]) / 2;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        dy[RATE + k] =
            grounded ? 0 : (torque[k] - (inertia[j] - inertia[i]) * w[i] * w[j]) / inertia[k];
    }
    for (int i = 0; i < 4; i++) {
        const double share = (q->pwm[i] - 1000) / 1000, aim = share > 0 ? most * share : 0;
        dy[MOTOR + i] = ((aim < most ? aim : most) - y[MOTOR + i]) / lag;
    }
}

static void step(quad *q, double h) {
    double k[4][SIZE], y[SIZE], felt[3], length = 0;
    rates(q, q->y, k[0], felt);
    for (int s = 1; s < 4; s++) {
        for (int i = 0; i < SIZE; i++)
            y[i] = q->y[i] + (s < 3 ? h / 2 : h) * k[s - 1][i];
        rates(q, y, k[s], felt);
    }
    for (int i = 0; i < SIZE; i++)
        q->y[i] += h * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
    for (int i = 0; i < 4; i++)
        length += q->y[ATTITUDE + i] * q->y[ATTITUDE + i];
    for (int i = 0; i < 4; i++)
        q->y[ATTITUDE + i] /= sqrt(length);
    if (q->y[PLACE + 2] >= 0 && k[0][VELOCITY + 2] >= 0)
        for (int i = 0; i < 3; i++)
            q->y[VELOCITY + i] = q->y[RATE + i] = 0;
    rates(q, q->y, k[0], q->accel);
}

/* ---- the interface -------------------------------------------------------------------------- */

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early;
    (void)required, (void)n_required, (void)environment, (void)log, (void)update;
    quad *q = strcmp(token, "{quad}") == 0 ? calloc(1, sizeof *q) : NULL;
    if (!q)
        return NULL;
    *q = (quad){.y = {[ATTITUDE] = 1},
                .pwm = {1000, 1000, 1000, 1000},
                .home = {47, 8, 400},
                .accel = {0, 0, -G}};
    return q;
}

void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((quad *)instance)->time = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

static size_t tell(const quad *q, fmi3ValueReference reference, double *out) {
    const double *y = q->y, *a = y + ATTITUDE, field[3] = {0.22, 0.01, 0.42}; /* gauss */
    const double meridian = 6371000 * PI / 180;
    switch (reference) {
    case 0:
        out[0] = q->time;
        return 1;
    case PWM:
        memcpy(out, q->pwm, sizeof q->pwm);
        return 4;
    case ACCEL:
        memcpy(out, q->accel, sizeof q->accel);
        return 3;
    case GYRO:
        memcpy(out, y + RATE, 3 * sizeof *y);
        return 3;
    case MAG:
        turn(a, field, 1, out);
        return 3;
    case GPS:
        out[0] = q->home[0] + y[PLACE] / meridian;
        out[1] = q->home[1] + y[PLACE + 1] / meridian / cos(q->home[0] * PI / 180);
        out[2] = q->home[2] - y[PLACE + 2];
        return 3;
    case VEL:
        memcpy(out, y + VELOCITY, 3 * sizeof *y);
        return 3;
    case SPEED:
    case SPEED + 1:
    case SPEED + 2:
        out[0] = y[VELOCITY + reference - SPEED];
        return 1;
    case YAW:
        out[0] =
            atan2(2 * (a[0] * a[3] + a[1] * a[2]), 1 - 2 * (a[2] * a[2] + a[3] * a[3])) * 180 / PI;
        return 1;
    case PRESSURE:
        out[0] = 101325 * pow(1 - 0.0065 * (q->home[2] - y[PLACE + 2]) / 288.15, 5.25588);
        return 1;
    case TEMPERATURE:
        out[0] = 15 - 0.0065 * (q->home[2] - y[PLACE + 2]);
        return 1;
    case HOME:
        memcpy(out, q->home, sizeof q->home);
        return 3;
    default:
        return 0;
    }
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        double out[4];
        const size_t size = tell(instance, references[i], out);
        if (!size || at + size > n_values)
            return fmi3Error;
        memcpy(values + at, out, size * sizeof *out);
        at += size;
    }
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values) {
    quad *q = instance;
    if (n == 1 && references[0] == PWM && n_values == 4)
        memcpy(q->pwm, values, sizeof q->pwm);
    else if (n == 1 && references[0] == HOME && n_values == 3)
        memcpy(q->home, values, sizeof q->home);
    else
        return fmi3Error;
    return fmi3OK;
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        fmi3Int32 values[], size_t n_values) {
    const quad *q = instance;
    for (size_t i = 0; i < n; i++)
        values[i] = references[i] == STEPS ? q->steps : q->mode;
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        const fmi3Int32 values[], size_t n_values) {
    if (n != 1 || n_values != 1 || references[0] != MODE)
        return fmi3Error;
    ((quad *)instance)->mode = values[0];
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 at, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last) {
    quad *q = instance;
    (void)no_rollback;
    *event = *terminate = *early = false;
    *last = at + h;
    if (q->mode == 1 && at > 0.0495)
        return fmi3Error;
    if (q->mode == 2 && at > 0.0495)
        abort();
    step(q, h);
    q->steps++;
    q->time = *last;
    return fmi3OK;
}
