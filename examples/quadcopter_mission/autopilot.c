/* An autopilot for multicopters: estimates where it is from an inertial unit, satellite receiver,
 * barometer and magnetometer, and flies from way-point to way-point.
 *
 *     position -> velocity -> acceleration -> thrust and attitude -> rates -> torques -> motors
 *
 * Inside, everything is north-east-down about the first fix and forward-right-down in the body;
 * `axes=flu` says that the vehicle's body axes are forward-left-up. Nothing but sqrt comes from the
 * C library's mathematics, so the commands have the same bits on every machine.
 *
 * Configuration, with the defaults:
 *     axes=frd            frd or flu
 *     mass=1.2            kg                       inertia=[0.012, 0.012, 0.022]  kg m^2
 *     thrust=8e-6         N s^2, of a rotor        torque=1.4e-7                  N m s^2
 *     speed=1000          rad/s at the full pulse  pulse=[1000, 2000]             us, none to full
 *     motor.1=[x, y, s]   place in body axes, m; s = 1 turns by the right hand about the thrust
 *     waypoint.1=[n, e, up, heading, hold]   m from the first fix, degrees, s to stay; 1, 2, ...
 *     land=0              1: land behind the last way-point      start=2       s before take-off
 *     max_speed=5  max_climb=2   m/s                max_tilt=0.5  rad
 *     heading=0           at the start, degrees, where there is no magnetometer
 *     declination=0       of the magnetic field, degrees
 *     gain.position=0.8  gain.velocity=2  gain.attitude=6  gain.rate=18   1/s
 */
#include <ironbird/fcc.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOTORS = 8, WAYPOINTS = 32 };

#define PI 3.14159265358979323846
#define EARTH_RADIUS 6378137.0
#define EARTH_FLATTENING (1 / 298.257223563)
#define AIR 287.05287 /* specific gas constant, J/(kg K) */

typedef struct waypoint {
    double north, east, up, heading, hold;
} waypoint;

typedef struct settings {
    bool flu, land;
    double mass, inertia[3];
    double thrust, torque, full_speed, pulse[2];
    double start, max_speed, max_climb, max_tilt;
    double heading, north[2]; /* north: of the magnetic field, cosine and sine of the declination */
    double gain_position, gain_velocity, gain_attitude, gain_rate;
    int n_motors, n_waypoints;
    double mix[MOTORS][4]; /* a motor's thrust for one newton, and one newton metre about x, y, z */
    waypoint waypoints[WAYPOINTS];
} settings;

/* What is known of the vehicle. */
typedef struct estimate {
    bool aligned, placed;
    double attitude[4]; /* body to north-east-down, w x y z */
    double bias[3];     /* of the gyros, rad/s */
    double position[3], velocity[3];
    double gravity; /* as measured at rest, m/s^2 */
    double home_latitude, home_longitude, metres_north, metres_east; /* of a degree */
    double home_pressure;
    double force_sum[3], field_sum[3]; /* at rest */
    int n_force, n_field;
    int64_t gps_stamp, baro_stamp, mag_stamp;
} estimate;

typedef enum phase { WAITING, FLYING, LANDING, LANDED } phase;

typedef struct state {
    settings set;
    estimate now;
    phase phase;
    int waypoint;
    int64_t reached, low_since; /* ns; -1: not */
    double trim[3];             /* acceleration that holds against wind, m/s^2 */
    double trim_torque[3];      /* N m */
} state;

/* ---- small mathematics ---------------------------------------------------------------------- */

static double bounded(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

/* Sine by its series, to rounding within a turn. */
static double sine(double x) {
    x = x > PI ? x - 2 * PI : x < -PI ? x + 2 * PI : x;
    x = x > PI / 2 ? PI - x : x < -PI / 2 ? -PI - x : x;
    double sum = 0, term = x;
    for (int n = 1; n < 24; n += 2) {
        sum += term;
        term *= -x * x / ((n + 1) * (n + 2));
    }
    return sum;
}

static double cosine(double x) { return sine(x + (x > 0 ? -1.5 * PI : PI / 2)); }

/* Logarithm of a ratio near 1: 2 artanh((r - 1)/(r + 1)). */
static double log_near_one(double r) {
    const double z = (r - 1) / (r + 1);
    double sum = 0, power = z;
    for (int n = 1; n < 20; n += 2, power *= z * z)
        sum += power / n;
    return 2 * sum;
}

/* q turned by the rotation vector v, which is small, on the body's side; or on the other side. */
static void turn(double q[4], const double v[3], bool outside) {
    const double s = outside ? -0.5 : 0.5;
    const double w = q[0], *u = q + 1;
    double c[3], p[4] = {w - 0.5 * dot(u, v)};
    cross(u, v, c);
    for (int i = 0; i < 3; i++)
        p[1 + i] = u[i] + 0.5 * w * v[i] + s * c[i];
    const double length = sqrt(p[0] * p[0] + dot(p + 1, p + 1));
    for (int i = 0; i < 4; i++)
        q[i] = p[i] / length;
}

/* Columns: the body's axes in north-east-down. */
static void matrix(const double q[4], double m[3][3]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

static void rotate(double m[3][3], const double v[3], double out[3]) {
    const double r[3] = {dot(m[0], v), dot(m[1], v), dot(m[2], v)};
    memcpy(out, r, sizeof r);
}

/* ---- configuration -------------------------------------------------------------------------- */

/* Reads up to n numbers behind `name=`, which may stand in brackets. Returns how many there are. */
static int numbers(const char *config, const char *name, int n, double *values) {
    const size_t length = strlen(name);
    for (const char *line = config; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, name, length) != 0 || line[length] != '=')
            continue;
        const char *at = line + length + 1;
        int count = 0;
        while (count < n) {
            char *end;
            at += strspn(at, "[, \t");
            const double value = strtod(at, &end);
            if (end == at)
                break;
            values[count++] = value;
            at = end;
        }
        return count;
    }
    return 0;
}

static double number(const char *config, const char *name, double otherwise) {
    (void)numbers(config, name, 1, &otherwise);
    return otherwise;
}

/* "motor.12" */
static void numbered(const char *name, int i, char text[32]) {
    const size_t length = strlen(name);
    memcpy(text, name, length);
    text += length;
    if (i >= 10)
        *text++ = (char)('0' + i / 10);
    *text++ = (char)('0' + i % 10);
    *text = '\0';
}

/* Solves the n equations a x = b in place by elimination with row exchange; false: singular. */
static bool solve(double a[4][4], double b[4]) {
    for (int k = 0; k < 4; k++) {
        int best = k;
        for (int i = k + 1; i < 4; i++)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        if (fabs(a[best][k]) < 1e-12)
            return false;
        for (int j = 0; j < 4; j++) {
            const double kept = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = kept;
        }
        const double kept = b[k];
        b[k] = b[best];
        b[best] = kept;
        for (int i = k + 1; i < 4; i++) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k; j < 4; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = 3; k >= 0; k--) {
        for (int j = k + 1; j < 4; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return true;
}

/* The mixer: the least squares of motor thrusts that give a force and torques, B'(B B')^-1. */
static bool make_mixer(const char *config, settings *set) {
    double effect[4][MOTORS] = {{0}}; /* of each motor's newton: force up, torques about x, y, z */
    for (set->n_motors = 0; set->n_motors < MOTORS; set->n_motors++) {
        const int i = set->n_motors;
        char name[32];
        double place[3];
        numbered("motor.", i + 1, name);
        if (numbers(config, name, 3, place) != 3)
            break;
        effect[0][i] = 1;
        effect[1][i] = set->flu ? place[1] : -place[1];
        effect[2][i] = place[0];
        effect[3][i] = place[2] * set->torque / set->thrust;
    }
    for (int column = 0; column < 4; column++) {
        double square[4][4], unit[4] = {0};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                square[i][j] = 0;
                for (int k = 0; k < set->n_motors; k++)
                    square[i][j] += effect[i][k] * effect[j][k];
            }
        unit[column] = 1;
        if (!solve(square, unit))
            return false;
        for (int k = 0; k < set->n_motors; k++) {
            set->mix[k][column] = 0;
            for (int i = 0; i < 4; i++)
                set->mix[k][column] += effect[i][k] * unit[i];
        }
    }
    return set->n_motors >= 4;
}

static void read_waypoints(const char *config, settings *set) {
    for (set->n_waypoints = 0; set->n_waypoints < WAYPOINTS; set->n_waypoints++) {
        char name[32];
        double five[5] = {0};
        numbered("waypoint.", set->n_waypoints + 1, name);
        if (numbers(config, name, 5, five) < 3)
            break;
        set->waypoints[set->n_waypoints] =
            (waypoint){five[0], five[1], five[2], five[3] * PI / 180, five[4]};
    }
}

/* Why the configuration cannot be, or NULL. */
static const char *configure(const char *config, settings *set) {
    *set = (settings){.inertia = {0.012, 0.012, 0.022}, .pulse = {1000, 2000}};
    set->flu = strstr(config, "axes=flu") != NULL;
    set->land = number(config, "land", 0) > 0;
    set->mass = number(config, "mass", 1.2);
    (void)numbers(config, "inertia", 3, set->inertia);
    set->thrust = number(config, "thrust", 8e-6);
    set->torque = number(config, "torque", 1.4e-7);
    set->full_speed = number(config, "speed", 1000);
    (void)numbers(config, "pulse", 2, set->pulse);
    set->start = number(config, "start", 2);
    set->max_speed = number(config, "max_speed", 5);
    set->max_climb = number(config, "max_climb", 2);
    set->max_tilt = number(config, "max_tilt", 0.5);
    set->heading = number(config, "heading", 0) * PI / 180;
    const double declination = number(config, "declination", 0) * PI / 180;
    set->north[0] = cosine(declination);
    set->north[1] = sine(declination);
    set->gain_position = number(config, "gain.position", 0.8);
    set->gain_velocity = number(config, "gain.velocity", 2);
    set->gain_attitude = number(config, "gain.attitude", 6);
    set->gain_rate = number(config, "gain.rate", 18);
    if (!(set->mass > 0 && set->thrust > 0 && set->full_speed > 0))
        return "mass, thrust and speed have to be positive";
    if (!make_mixer(config, set))
        return "motor.1 ... motor.4 or more have to be [x, y, spin], able to turn it about all "
               "axes";
    read_waypoints(config, set);
    return set->n_waypoints ? NULL : "there is no waypoint.1=[north, east, up]";
}

/* ---- sensors in the axes of this file ------------------------------------------------------- */

static void body_axes(const settings *set, const double v[3], double out[3]) {
    const double s = set->flu ? -1 : 1;
    out[0] = v[0];
    out[1] = s * v[1];
    out[2] = s * v[2];
}

/* ---- estimation ----------------------------------------------------------------------------- */

/* The attitude in which the body's x axis has that heading and `down` (in body axes) is down. */
static void align(estimate *now, const double down[3], const double field[3], const settings *set) {
    double z[3], y[3], x[3];
    const double length = sqrt(dot(down, down));
    for (int i = 0; i < 3; i++)
        z[i] = down[i] / length;
    /* East is down cross field, turned by the declination; without a field x is given. */
    const bool compass = now->n_field > 0;
    const double forward[3] = {1, 0, 0};
    cross(z, compass ? field : forward, y);
    const double size = sqrt(dot(y, y));
    for (int i = 0; i < 3; i++)
        y[i] /= size;
    cross(y, z, x);
    const double c = compass ? set->north[0] : cosine(set->heading);
    const double s = compass ? set->north[1] : sine(set->heading);
    double north[3], east[3];
    for (int i = 0; i < 3; i++) {
        north[i] = c * x[i] - s * y[i];
        east[i] = s * x[i] + c * y[i];
    }
    /* The rotation matrix has the rows north, east, down; its quaternion by the largest part. */
    const double m[3][3] = {
        {north[0], north[1], north[2]}, {east[0], east[1], east[2]}, {z[0], z[1], z[2]}};
    const double parts[4] = {1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2],
                             1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2]};
    int best = 0;
    for (int i = 1; i < 4; i++)
        best = parts[i] > parts[best] ? i : best;
    const double d[3] = {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    const double e[3] = {m[1][2] + m[2][1], m[2][0] + m[0][2], m[0][1] + m[1][0]};
    const double table[4][4] = {{parts[0], d[0], d[1], d[2]},
                                {d[0], parts[1], e[2], e[1]},
                                {d[1], e[2], parts[2], e[0]},
                                {d[2], e[1], e[0], parts[3]}};
    const double norm = 2 * sqrt(parts[best]);
    for (int i = 0; i < 4; i++)
        now->attitude[i] = table[best][i] / norm;
}

/* At rest before the start: which way is down, where is north, how strong is gravity. */
static void watch_rest(const settings *set, const ib_fcc_in *in, estimate *now) {
    double force[3], field[3];
    if (in->imu[0].flags & IB_FCC_NEW) {
        body_axes(set, in->imu[0].specific_force, force);
        for (int i = 0; i < 3; i++)
            now->force_sum[i] -= force[i];
        now->n_force++;
    }
    if (in->n_mag && in->mag[0].flags & IB_FCC_NEW) {
        body_axes(set, in->mag[0].field, field);
        for (int i = 0; i < 3; i++)
            now->field_sum[i] += field[i];
        now->n_field++;
    }
    if (!now->n_force)
        return;
    double down[3];
    for (int i = 0; i < 3; i++)
        down[i] = now->force_sum[i] / now->n_force;
    now->gravity = sqrt(dot(down, down));
    /* Falling or thrown: level is the best guess. */
    if (!(now->gravity > 5 && now->gravity < 15)) {
        down[0] = down[1] = 0;
        down[2] = 1;
        now->gravity = 9.80665;
    }
    align(now, down, now->field_sum, set);
    now->aligned = true;
}

/* Metres of a degree of latitude and longitude on the ellipsoid, at a latitude in degrees. */
static void measure_degrees(double latitude, double height, estimate *now) {
    const double s = sine(latitude * PI / 180), c = cosine(latitude * PI / 180);
    const double e2 = EARTH_FLATTENING * (2 - EARTH_FLATTENING), w2 = 1 - e2 * s * s;
    const double normal = EARTH_RADIUS / sqrt(w2);
    now->metres_north = (normal * (1 - e2) / w2 + height) * PI / 180;
    now->metres_east = (normal + height) * c * PI / 180;
}

static void predict(const settings *set, const ib_fcc_in *in, double dt, estimate *now) {
    double rate[3], force[3], m[3][3], acceleration[3];
    body_axes(set, in->imu[0].rate, rate);
    body_axes(set, in->imu[0].specific_force, force);
    for (int i = 0; i < 3; i++)
        rate[i] = (rate[i] - now->bias[i]) * dt;
    turn(now->attitude, rate, false);
    matrix(now->attitude, m);
    rotate(m, force, acceleration);
    acceleration[2] += now->gravity;
    for (int i = 0; i < 3; i++) {
        now->position[i] += dt * (now->velocity[i] + dt / 2 * acceleration[i]);
        now->velocity[i] += dt * acceleration[i];
    }
}

/* A small rotation of the estimate in north-east-down, and what it says about the gyros' bias. */
static void correct_attitude(const double error[3], double gain, double bias_gain, estimate *now) {
    double m[3][3], step[3];
    for (int i = 0; i < 3; i++)
        step[i] = gain * error[i];
    turn(now->attitude, step, true);
    matrix(now->attitude, m);
    for (int i = 0; i < 3; i++)
        now->bias[i] -= bias_gain * (m[0][i] * error[0] + m[1][i] * error[1] + m[2][i] * error[2]);
}

/* A tilt error makes gravity show up as horizontal acceleration: the velocity that grows wrongly
 * tells both. Gains place the three poles of (velocity, tilt, bias) at -0.7 1/s. */
static void use_gps(const ib_fcc_gps *gps, estimate *now) {
    if (gps->fix < 3 || gps->stamp == now->gps_stamp)
        return;
    const double dt =
        now->gps_stamp < 0 ? 0.1 : bounded(1e-9 * (double)(gps->stamp - now->gps_stamp), 0, 1);
    const double pole = 0.7;
    now->gps_stamp = gps->stamp;
    if (!now->placed) {
        now->home_latitude = gps->latitude;
        now->home_longitude = gps->longitude;
        measure_degrees(gps->latitude, gps->height, now);
        now->placed = true;
    }
    const double place[2] = {(gps->latitude - now->home_latitude) * now->metres_north,
                             (gps->longitude - now->home_longitude) * now->metres_east};
    double error[3];
    for (int i = 0; i < 3; i++)
        error[i] = gps->velocity[i] - now->velocity[i];
    for (int i = 0; i < 2; i++) {
        now->position[i] += bounded(1.0 * dt, 0, 1) * (place[i] - now->position[i]);
        now->velocity[i] += bounded(3 * pole * dt, 0, 1) * error[i];
    }
    now->velocity[2] += bounded(1.0 * dt, 0, 1) * error[2];
    const double tilt[3] = {error[1] / now->gravity, -error[0] / now->gravity, 0};
    correct_attitude(tilt, 3 * pole * pole * dt, pole * pole * pole * dt, now);
}

static void use_baro(const ib_fcc_baro *baro, estimate *now) {
    if (baro->stamp == IB_FCC_NEVER || baro->stamp == now->baro_stamp)
        return;
    const double dt = now->baro_stamp < 0
                          ? 0.02
                          : bounded(1e-9 * (double)(baro->stamp - now->baro_stamp), 0, 0.5);
    now->baro_stamp = baro->stamp;
    if (!(now->home_pressure > 0))
        now->home_pressure = baro->pressure;
    const double up = AIR * (baro->temperature + 273.15) / now->gravity *
                      log_near_one(now->home_pressure / baro->pressure);
    const double error = -up - now->position[2];
    now->position[2] += 2 * dt * error;
    now->velocity[2] += 1 * dt * error;
}

static void use_mag(const settings *set, const ib_fcc_mag *mag, estimate *now) {
    if (mag->stamp == IB_FCC_NEVER || mag->stamp == now->mag_stamp)
        return;
    const double dt =
        now->mag_stamp < 0 ? 0.02 : bounded(1e-9 * (double)(mag->stamp - now->mag_stamp), 0, 0.5);
    double field[3], m[3][3], there[3];
    now->mag_stamp = mag->stamp;
    body_axes(set, mag->field, field);
    matrix(now->attitude, m);
    rotate(m, field, there);
    const double size = sqrt(there[0] * there[0] + there[1] * there[1]);
    if (!(size > 0))
        return;
    const double error[3] = {0, 0, (there[0] * set->north[1] - there[1] * set->north[0]) / size};
    correct_attitude(error, 1.0 * dt, 0.1 * dt, now);
}

/* What has been new since the last tick, in the order in which it is cheap to be wrong. */
static void estimate_state(const settings *set, const ib_fcc_in *in, bool resting, estimate *now) {
    if (resting)
        watch_rest(set, in, now);
    else if (in->tick > 1)
        predict(set, in, 1e-9 * (double)in->dt, now);
    if (!now->aligned)
        return;
    if (in->n_gps)
        use_gps(&in->gps[0], now);
    if (in->n_baro)
        use_baro(&in->baro[0], now);
    if (in->n_mag && !resting)
        use_mag(set, &in->mag[0], now);
    if (resting) {
        memset(now->velocity, 0, sizeof now->velocity);
        memset(now->bias, 0, sizeof now->bias);
    }
}

/* ---- guidance ------------------------------------------------------------------------------- */

static void say(ib_fcc_out *out, const char *text, int number) {
    char line[32];
    numbered(text, number, line);
    strcpy(out->log_text, line);
}

/* Goes on to the next way-point when this one was held long enough. */
static void follow(state *self, const ib_fcc_in *in, ib_fcc_out *out) {
    const settings *set = &self->set;
    const estimate *now = &self->now;
    const waypoint *to = &set->waypoints[self->waypoint];
    const double away[3] = {to->north - now->position[0], to->east - now->position[1],
                            -to->up - now->position[2]};
    if (self->reached < 0 && dot(away, away) < 1) {
        self->reached = in->time;
        say(out, "way-point ", self->waypoint + 1);
    }
    if (self->reached < 0 || 1e-9 * (double)(in->time - self->reached) < to->hold)
        return;
    if (self->waypoint + 1 < set->n_waypoints) {
        self->waypoint++;
        self->reached = -1;
    } else if (set->land) {
        self->phase = LANDING;
        strcpy(out->log_text, "landing");
    }
}

/* Velocity to have: towards the way-point, not faster than allowed. */
static void wanted_velocity(const state *self, double wanted[3]) {
    const settings *set = &self->set;
    const waypoint *to = &set->waypoints[self->waypoint];
    const double *at = self->now.position;
    wanted[0] = set->gain_position * (to->north - at[0]);
    wanted[1] = set->gain_position * (to->east - at[1]);
    const double speed = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
    for (int i = 0; i < 2 && speed > set->max_speed; i++)
        wanted[i] *= set->max_speed / speed;
    wanted[2] = bounded(set->gain_position * (-to->up - at[2]), -set->max_climb, set->max_climb);
    if (self->phase == LANDING)
        wanted[2] = 0.7;
}

/* ---- control -------------------------------------------------------------------------------- */

/* Acceleration to have, with a slow part that learns what wind and a wrong mass ask for. */
static void wanted_acceleration(state *self, double dt, double wanted[3]) {
    const settings *set = &self->set;
    const double most = self->now.gravity * set->max_tilt;
    double velocity[3];
    wanted_velocity(self, velocity);
    for (int i = 0; i < 3; i++) {
        const double error = velocity[i] - self->now.velocity[i];
        const double gain = set->gain_velocity;
        self->trim[i] =
            bounded(self->trim[i] + gain * gain / 6 * dt * bounded(error, -1, 1), -4, 4);
        wanted[i] = gain * error + self->trim[i];
    }
    const double size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
    for (int i = 0; i < 2 && size > most; i++)
        wanted[i] *= most / size;
    wanted[2] = bounded(wanted[2], -6, 5);
}

/* Body rates that turn the thrust to where the acceleration wants it, and the nose to its heading;
 * and the thrust. */
static double wanted_rates(const state *self, const double acceleration[3], double rates[3]) {
    const settings *set = &self->set;
    double m[3][3], down[3];
    matrix(self->now.attitude, m);
    const double pull[3] = {-acceleration[0], -acceleration[1],
                            self->now.gravity - acceleration[2]};
    const double size = sqrt(dot(pull, pull));
    double thrust = 0;
    for (int i = 0; i < 3; i++) {
        down[i] = (m[0][i] * pull[0] + m[1][i] * pull[1] + m[2][i] * pull[2]) / size;
        thrust += set->mass * pull[i] * m[i][2];
    }
    rates[0] = bounded(-set->gain_attitude * down[1], -4, 4);
    rates[1] = bounded(set->gain_attitude * down[0], -4, 4);
    const double heading = set->waypoints[self->waypoint].heading;
    const double nose = sqrt(m[0][0] * m[0][0] + m[1][0] * m[1][0]);
    const double off =
        (m[0][0] * sine(heading) - m[1][0] * cosine(heading)) / (nose > 0.1 ? nose : 0.1);
    const double ahead = m[0][0] * cosine(heading) + m[1][0] * sine(heading);
    rates[2] = bounded(2 * (ahead < 0 ? (off < 0 ? -1 : 1) : off), -1, 1);
    return thrust > 0 ? thrust : 0;
}

/* I (gain (wanted - rate)) + w x I w, and a slow part against a torque that stays. */
static void wanted_torques(state *self, const double wanted[3], const double rate[3], double dt,
                           double torque[3]) {
    const settings *set = &self->set;
    double momentum[3];
    for (int i = 0; i < 3; i++)
        momentum[i] = set->inertia[i] * rate[i];
    cross(rate, momentum, torque);
    for (int i = 0; i < 3; i++) {
        const double asked = set->inertia[i] * set->gain_rate * (wanted[i] - rate[i]);
        const double most = 10 * set->inertia[i];
        self->trim_torque[i] = bounded(self->trim_torque[i] + 0.5 * dt * asked, -most, most);
        torque[i] += asked + self->trim_torque[i];
    }
}

/* Thrust of each motor; where one has not enough, yaw gives way first. */
static void mix(const settings *set, double thrust, const double torque[3],
                double thrusts[MOTORS]) {
    const double most = set->thrust * set->full_speed * set->full_speed;
    double yaw = 1;
    for (int k = 0; k < set->n_motors; k++) {
        const double *part = set->mix[k];
        const double need = part[0] * thrust + part[1] * torque[0] + part[2] * torque[1];
        const double turn_part = part[3] * torque[2];
        thrusts[k] = need;
        const double room = turn_part > 0 ? most - need : need;
        if (fabs(turn_part) > room)
            yaw = room > 0 ? (yaw < room / fabs(turn_part) ? yaw : room / fabs(turn_part)) : 0;
    }
    for (int k = 0; k < set->n_motors; k++)
        thrusts[k] = bounded(thrusts[k] + yaw * set->mix[k][3] * torque[2], 0, most);
}

static void command(const settings *set, const double thrusts[MOTORS], ib_fcc_out *out) {
    out->n_pwm = (uint32_t)set->n_motors;
    for (int k = 0; k < set->n_motors; k++) {
        const double speed = sqrt(thrusts[k] / set->thrust) / set->full_speed;
        out->pwm[k] = set->pulse[0] + (set->pulse[1] - set->pulse[0]) * speed;
    }
}

static void fly(state *self, const ib_fcc_in *in, ib_fcc_out *out) {
    const double dt = 1e-9 * (double)in->dt;
    double acceleration[3], rates[3], rate[3], torque[3], thrusts[MOTORS];
    wanted_acceleration(self, dt, acceleration);
    const double thrust = wanted_rates(self, acceleration, rates);
    body_axes(&self->set, in->imu[0].rate, rate);
    for (int i = 0; i < 3; i++)
        rate[i] -= self->now.bias[i];
    wanted_torques(self, rates, rate, dt, torque);
    mix(&self->set, thrust, torque, thrusts);
    command(&self->set, thrusts, out);
}

/* On the ground when it has not sunk for two seconds although it was told to. */
static void watch_landing(state *self, const ib_fcc_in *in, ib_fcc_out *out) {
    if (self->now.velocity[2] > 0.2 || self->low_since < 0)
        self->low_since = in->time;
    if (in->time - self->low_since < INT64_C(2000000000))
        return;
    self->phase = LANDED;
    strcpy(out->log_text, "landed");
}

/* For the recorder: where it thinks it is, and its attitude. */
static void report(const state *self, ib_fcc_out *out) {
    out->n_user = 11;
    for (int i = 0; i < 3; i++) {
        out->user[i] = self->now.position[i];
        out->user[3 + i] = self->now.velocity[i];
    }
    for (int i = 0; i < 4; i++)
        out->user[6 + i] = self->now.attitude[i];
    out->user[10] = self->waypoint + 1;
}

/* ---- the flight computer -------------------------------------------------------------------- */

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }

int32_t ib_fcc_init(const char *config, void *memory, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    settings set;
    state *self = memory;
    const char *why = configure(config, &set);
    *state_size = sizeof(state);
    if (why) {
        strcpy(message, why);
        return 1;
    }
    if (!self)
        return 0;
    self->set = set;
    self->reached = self->low_since = -1;
    self->now.attitude[0] = 1;
    self->now.gravity = 9.80665;
    self->now.gps_stamp = self->now.baro_stamp = self->now.mag_stamp = -1;
    return 0;
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    state *self = memory;
    if (in->n_imu < 1 || in->n_gps < 1 || in->n_baro < 1) {
        strcpy(out->log_text, "an imu, a gps and a baro are needed");
        return 1;
    }
    estimate_state(&self->set, in, self->phase == WAITING, &self->now);
    if (self->phase == WAITING && self->now.placed && self->now.home_pressure > 0 &&
        1e-9 * (double)in->time >= self->set.start) {
        self->phase = FLYING;
        strcpy(out->log_text, "taking off");
    }
    if (self->phase == FLYING)
        follow(self, in, out);
    if (self->phase == LANDING)
        watch_landing(self, in, out);
    if (self->phase == FLYING || self->phase == LANDING)
        fly(self, in, out);
    else
        command(&self->set, (const double[MOTORS]){0}, out);
    report(self, out);
    return 0;
}
