/* Guidance of a two-stage launcher: inertial navigation, a pitch programme, attitude control by a
 * gimballed engine, and the sequence from ignition to the release of the payload.
 *
 *     ignition -> first stage -> burn-out, coast -> separation, ignition -> second stage
 *              -> speed reached or burn-out: cut-off -> coast -> payload
 *
 * Body axes: x through the nose. The launch frame has x along the azimuth, y to the left, z up, and
 * does not turn; on the pad the nose is up and y to the left. Positive pitch tips the nose towards
 * the azimuth: the right hand about y. Navigation integrates specific force and gravity (with J2)
 * in axes that are Earth-fixed at the first fix and do not turn. Nothing but sqrt comes from the C
 * library's mathematics, so the commands have the same bits on every machine.
 *
 * Configuration, with the defaults:
 *     azimuth=90               degrees clockwise from north
 *     ignition=0               s after the first tick
 *     pitch.1=[10, 0]          s after ignition, degrees from the vertical; 1, 2, ...; straight
 * lines between them, the first of which begins upright at ignition coast=2                  s from
 * burn-out to the order to separate (interlock 1: arm and fire) restart=1                s from
 * there to the ignition of the second stage cutoff=1e9               inertial speed at which the
 * second stage is stopped, m/s payload=5                s from cut-off to the release (interlock 2,
 * or 1 again) inertia.1=[1e5, 1e6, 1e6]  inertia.2=[...]   kg m^2, of the vehicle while the stage
 * burns arm.1=10  arm.2=5        m from the gimbal to the centre of mass gimbal.1=[1, 1]
 * gimbal.2=[1, 1]   servos' signs: +1 where a positive angle of the first servo gives a positive
 * torque about y, of the second about z limit=5                  degrees of a gimbal frequency=1.2
 * rad/s of the attitude loop
 *
 * Its first two servos are the gimbal of the first stage; of the second stage the last two. Its
 * first engine is the first stage's, its last the second's. Signals (user): wanted torque about x,
 * y, z (N m), altitude (m), inertial speed (m/s), pitch and wanted pitch (degrees), stage, and the
 * attitude against the launch frame (w x y z).
 */
#include <ironbird/fcc.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KNOTS = 24 };

#define PI 3.14159265358979323846
/* WGS-84 */
#define EARTH_RADIUS 6378137.0
#define EARTH_FLATTENING (1 / 298.257223563)
#define EARTH_MU 3.986004418e14
#define EARTH_J2 1.08262982e-3
#define EARTH_RATE 7.292115e-5

typedef struct stage {
    double inertia[3], arm, sign[2];
} stage;

typedef struct settings {
    double azimuth, ignition, coast, restart, cutoff, payload, limit, frequency;
    int n_knots;
    double knots[KNOTS][2]; /* s, rad */
    stage stages[2];
} settings;

typedef enum phase { PAD, FIRST, BURNT_OUT, PARTED, SECOND, COASTING, DONE } phase;

typedef struct state {
    settings set;
    phase phase;
    int64_t begun, ignited, since; /* first tick, ignition, start of the phase, ns; -1: not yet */
    bool lit;                      /* the engine of this phase has been seen to burn */
    bool placed;                   /* navigation has begun */
    double attitude[4];            /* body to launch frame */
    double launch[3][3];           /* launch frame to the axes of navigation */
    double position[3], velocity[3], acceleration[3];
    double last_rate[3];
} state;

/* ---- small mathematics ---------------------------------------------------------------------- */

static double bounded(double x, double most) { return x > most ? most : x < -most ? -most : x; }

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

/* Sine by its series, to rounding, of angles up to a turn. */
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

/* Arctangent of y/x in (-pi, pi], by three halvings and its series. */
static double angle_of(double y, double x) {
    const double size = sqrt(x * x + y * y);
    if (!(size > 0))
        return 0;
    const bool back = x < 0;
    double t = y / (size + fabs(x)); /* tangent of half the angle */
    t = t / (1 + sqrt(1 + t * t));
    t = t / (1 + sqrt(1 + t * t));
    double sum = 0, power = t;
    for (int n = 1; n < 40; n += 2, power *= -t * t)
        sum += power / n;
    const double angle = 8 * sum;
    return !back ? angle : y < 0 ? -PI - angle : PI - angle;
}

static void product(const double a[4], const double b[4], double out[4]) {
    const double c[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
                         a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
    memcpy(out, c, sizeof c);
}

/* v turned by q. */
static void rotate(const double q[4], const double v[3], double out[3]) {
    double once[3], twice[3];
    cross(q + 1, v, once);
    for (int i = 0; i < 3; i++)
        once[i] = 2 * once[i];
    cross(q + 1, once, twice);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + q[0] * once[i] + twice[i];
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

static void read_stage(const char *config, char which, stage *one) {
    char name[] = "inertia.1", arm[] = "arm.1", gimbal[] = "gimbal.1";
    name[8] = arm[4] = gimbal[7] = which;
    (void)numbers(config, name, 3, one->inertia);
    one->arm = number(config, arm, one->arm);
    (void)numbers(config, gimbal, 2, one->sign);
}

/* Why the pitch programme cannot be, or NULL. */
static const char *read_programme(const char *config, settings *set) {
    for (set->n_knots = 0; set->n_knots < KNOTS; set->n_knots++) {
        const int i = set->n_knots + 1;
        char name[16] = "pitch.";
        char *at = name + 6;
        if (i >= 10)
            *at++ = (char)('0' + i / 10);
        *at++ = (char)('0' + i % 10);
        *at = '\0';
        double *knot = set->knots[set->n_knots];
        if (numbers(config, name, 2, knot) != 2)
            break;
        knot[1] *= PI / 180;
        if (set->n_knots > 0 && !(knot[0] > set->knots[set->n_knots - 1][0]))
            return "the times of pitch.1, pitch.2, ... have to increase";
        if (!(fabs(knot[1]) <= PI))
            return "pitch angles are -180 to 180 degrees";
    }
    return set->n_knots && set->knots[0][0] > 0 ? NULL : "there is no pitch.1=[time, angle]";
}

static const char *configure(const char *config, settings *set) {
    const stage first = {{1e5, 1e6, 1e6}, 10, {1, 1}}, second = {{1e4, 1e5, 1e5}, 5, {1, 1}};
    *set = (settings){.stages = {first, second}};
    set->azimuth = number(config, "azimuth", 90) * PI / 180;
    set->ignition = number(config, "ignition", 0);
    set->coast = number(config, "coast", 2);
    set->restart = number(config, "restart", 1);
    set->cutoff = number(config, "cutoff", 1e9);
    set->payload = number(config, "payload", 5);
    set->limit = number(config, "limit", 5) * PI / 180;
    set->frequency = number(config, "frequency", 1.2);
    for (int i = 0; i < 2; i++)
        read_stage(config, (char)('1' + i), &set->stages[i]);
    if (!(fabs(set->azimuth) <= 2 * PI))
        return "azimuth is -360 to 360 degrees";
    if (!(set->stages[0].arm > 0 && set->stages[1].arm > 0 && set->frequency > 0))
        return "arms and frequency have to be positive";
    return read_programme(config, set);
}

/* ---- navigation ----------------------------------------------------------------------------- */

/* Where the pad is and how it moves with the Earth; the launch frame's axes. */
static void place(const ib_fcc_gps *gps, state *self) {
    const double latitude = gps->latitude * PI / 180, longitude = gps->longitude * PI / 180;
    const double sp = sine(latitude), cp = cosine(latitude);
    const double sl = sine(longitude), cl = cosine(longitude);
    const double e2 = EARTH_FLATTENING * (2 - EARTH_FLATTENING);
    const double normal = EARTH_RADIUS / sqrt(1 - e2 * sp * sp);
    const double north[3] = {-sp * cl, -sp * sl, cp}, east[3] = {-sl, cl, 0};
    const double up[3] = {cp * cl, cp * sl, sp};
    const double c = cosine(self->set.azimuth), s = sine(self->set.azimuth);
    const double earth[3] = {0, 0, EARTH_RATE};
    for (int i = 0; i < 3; i++) {
        self->launch[i][0] = c * north[i] + s * east[i];
        self->launch[i][1] = s * north[i] - c * east[i];
        self->launch[i][2] = up[i];
        self->position[i] = (normal * (i == 2 ? 1 - e2 : 1) + gps->height) * up[i];
    }
    cross(earth, self->position, self->velocity);
    for (int i = 0; i < 3; i++)
        self->velocity[i] +=
            gps->velocity[0] * north[i] + gps->velocity[1] * east[i] - gps->velocity[2] * up[i];
    self->placed = true;
}

/* Gravitation of the ellipsoid's first two terms. */
static void gravitation(const double r[3], double g[3]) {
    const double r2 = dot(r, r), size = sqrt(r2), z2 = r[2] * r[2] / r2;
    const double ratio = EARTH_RADIUS / size, j = 1.5 * EARTH_J2 * ratio * ratio;
    const double central = -EARTH_MU / (r2 * size);
    g[0] = central * r[0] * (1 + j * (1 - 5 * z2));
    g[1] = central * r[1] * (1 + j * (1 - 5 * z2));
    g[2] = central * r[2] * (1 + j * (3 - 5 * z2));
}

/* Attitude by the mean of two rates, velocity and position by the mean of two accelerations. */
static void navigate(const ib_fcc_imu *imu, double dt, state *self) {
    double half[4] = {1}, force[3], g[3], before[3];
    for (int i = 0; i < 3; i++) {
        half[1 + i] = dt / 4 * (imu->rate[i] + self->last_rate[i]);
        self->last_rate[i] = imu->rate[i];
    }
    product(self->attitude, half, self->attitude);
    const double *q = self->attitude;
    const double length = sqrt(q[0] * q[0] + dot(q + 1, q + 1));
    for (int i = 0; i < 4; i++)
        self->attitude[i] /= length;
    rotate(self->attitude, imu->specific_force, force);
    gravitation(self->position, g);
    memcpy(before, self->acceleration, sizeof before);
    for (int i = 0; i < 3; i++) {
        self->acceleration[i] = g[i] + dot(self->launch[i], force);
        const double mean = (before[i] + self->acceleration[i]) / 2;
        self->position[i] += dt * (self->velocity[i] + dt / 2 * mean);
        self->velocity[i] += dt * mean;
    }
}

/* On the pad it moves with the Earth; before the first fix nothing is known but the attitude. */
static void watch(const ib_fcc_in *in, state *self) {
    const double dt = in->tick > 1 ? 1e-9 * (double)in->dt : 0;
    double force[3], g[3];
    if (self->placed) {
        navigate(&in->imu[0], dt, self);
        return;
    }
    if (in->gps[0].stamp == IB_FCC_NEVER || in->gps[0].fix < 3)
        return;
    place(&in->gps[0], self);
    rotate(self->attitude, in->imu[0].specific_force, force);
    gravitation(self->position, g);
    for (int i = 0; i < 3; i++) {
        self->acceleration[i] = g[i] + dot(self->launch[i], force);
        self->last_rate[i] = in->imu[0].rate[i];
    }
}

/* ---- the sequence --------------------------------------------------------------------------- */

static double seconds_since(const ib_fcc_in *in, int64_t then) {
    return 1e-9 * (double)(in->time - then);
}

static void enter(state *self, phase next, const ib_fcc_in *in, ib_fcc_out *out, const char *text) {
    self->phase = next;
    self->since = in->time;
    self->lit = false;
    strcpy(out->log_text, text);
}

/* Commands for one engine; the others are left as they are. */
static ib_fcc_engine_command *engine_command(const ib_fcc_in *in, bool last, ib_fcc_out *out) {
    const uint32_t i = last ? in->n_engine - 1 : 0;
    out->n_engine = i + 1;
    return &out->engine[i];
}

static const ib_fcc_engine *engine_of(const ib_fcc_in *in, bool last) {
    return &in->engine[last ? in->n_engine - 1 : 0];
}

static void fire(const ib_fcc_in *in, uint32_t which, ib_fcc_out *out) {
    if (in->n_interlock == 0)
        return;
    const uint32_t i = which < in->n_interlock ? which : in->n_interlock - 1;
    out->n_interlock = i + 1;
    out->interlock[i].arm = out->interlock[i].fire = 1;
}

/* It burned and does not any more. */
static bool burnt_out(const ib_fcc_in *in, bool last, state *self) {
    const uint32_t mode = engine_of(in, last)->state;
    if (mode == IB_FCC_ENGINE_RISING || mode == IB_FCC_ENGINE_RUNNING)
        self->lit = true;
    return self->lit && (mode == IB_FCC_ENGINE_OFF || mode == IB_FCC_ENGINE_FAILED);
}

static void sequence(state *self, const ib_fcc_in *in, ib_fcc_out *out) {
    const settings *set = &self->set;
    const double speed = sqrt(dot(self->velocity, self->velocity));
    switch (self->phase) {
    case PAD:
        if (self->placed && seconds_since(in, self->begun) >= set->ignition) {
            engine_command(in, false, out)->start = 1;
            self->ignited = in->time;
            enter(self, FIRST, in, out, "ignition");
        }
        break;
    case FIRST:
        if (burnt_out(in, false, self))
            enter(self, BURNT_OUT, in, out, "burn-out of the first stage");
        break;
    case BURNT_OUT:
        if (seconds_since(in, self->since) >= set->coast) {
            fire(in, 0, out);
            enter(self, PARTED, in, out, "separation");
        }
        break;
    case PARTED:
        if (seconds_since(in, self->since) >= set->restart) {
            engine_command(in, true, out)->start = 1;
            enter(self, SECOND, in, out, "ignition of the second stage");
        }
        break;
    case SECOND:
        if (burnt_out(in, true, self)) {
            enter(self, COASTING, in, out, "burn-out of the second stage");
        } else if (speed >= set->cutoff) {
            engine_command(in, true, out)->stop = 1;
            enter(self, COASTING, in, out, "cut-off");
        }
        break;
    case COASTING:
        if (seconds_since(in, self->since) >= set->payload) {
            fire(in, 1, out);
            enter(self, DONE, in, out, "payload released");
        }
        break;
    case DONE:
        break;
    }
}

/* ---- steering ------------------------------------------------------------------------------- */

/* Angle of the programme from the vertical, rad. */
static double programme(const settings *set, double t) {
    double from[2] = {0, 0};
    for (int i = 0; i < set->n_knots; i++) {
        const double *to = set->knots[i];
        if (t <= to[0])
            return from[1] + (to[1] - from[1]) * (t - from[0]) / (to[0] - from[0]);
        memcpy(from, to, sizeof from);
    }
    return from[1];
}

/* Attitude with the nose up, tipped by an angle towards the azimuth. */
static void pitched(double angle, double q[4]) {
    const double half = (angle - PI / 2) / 2;
    q[0] = cosine(half);
    q[1] = q[3] = 0;
    q[2] = sine(half);
}

/* Torque of a well damped oscillator about each axis: I (w^2 error - 2 0.8 w rate). */
static void wanted_torque(const state *self, const stage *one, const double goal[4],
                          const double rate[3], double torque[3]) {
    const double w = self->set.frequency;
    const double back[4] = {self->attitude[0], -self->attitude[1], -self->attitude[2],
                            -self->attitude[3]};
    double error[4];
    product(back, goal, error);
    const double sign = error[0] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        torque[i] =
            one->inertia[i] * (w * w * bounded(2 * sign * error[1 + i], 0.35) - 1.6 * w * rate[i]);
}

/* Gimbal angles that give the torques about y and z with the thrust there is. */
static void steer_gimbal(const state *self, const stage *one, const ib_fcc_in *in, bool last,
                         const double torque[3], ib_fcc_out *out) {
    const double lever = engine_of(in, last)->thrust * one->arm;
    const uint32_t first = last ? in->n_servo - 2 : 0;
    if (in->n_servo < 2)
        return;
    out->n_servo = first + 2;
    for (uint32_t i = 0; i < first; i++)
        out->servo[i] = in->servo[i].angle;
    for (uint32_t i = 0; i < 2; i++)
        out->servo[first + i] =
            lever > 0 ? bounded(one->sign[i] * torque[1 + i] / lever, self->set.limit) : 0;
}

static void steer(const state *self, const ib_fcc_in *in, ib_fcc_out *out) {
    const bool second = self->phase >= PARTED;
    const stage *one = &self->set.stages[second];
    const double t = self->ignited < 0 ? -1 : seconds_since(in, self->ignited);
    const double wanted = t < 0 ? 0 : programme(&self->set, t);
    const double nose[3] = {1, 0, 0};
    double goal[4], torque[3] = {0, 0, 0}, ahead[3];
    pitched(wanted, goal);
    if (self->phase == FIRST || self->phase == SECOND)
        wanted_torque(self, one, goal, in->imu[0].rate, torque);
    steer_gimbal(self, one, in, second, torque, out);
    rotate(self->attitude, nose, ahead);
    out->n_user = 12;
    memcpy(out->user, torque, sizeof torque);
    const double size = sqrt(dot(self->position, self->position));
    const double z = self->placed ? self->position[2] / size : 0; /* sine of the latitude */
    out->user[3] = self->placed ? size - EARTH_RADIUS * (1 - EARTH_FLATTENING * z * z) : 0;
    out->user[4] = sqrt(dot(self->velocity, self->velocity));
    out->user[5] = angle_of(ahead[0], ahead[2]) * 180 / PI;
    out->user[6] = wanted * 180 / PI;
    out->user[7] = second ? 2 : 1;
    memcpy(out->user + 8, self->attitude, sizeof self->attitude);
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
    self->begun = self->ignited = self->since = -1;
    pitched(0, self->attitude);
    return 0;
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    state *self = memory;
    if (in->n_imu < 1 || in->n_gps < 1 || in->n_engine < 1) {
        strcpy(out->log_text, "an imu, a gps and an ecu are needed");
        return 1;
    }
    if (self->begun < 0)
        self->begun = in->time;
    if (in->imu[0].stamp == IB_FCC_NEVER)
        return 0;
    watch(in, self);
    sequence(self, in, out);
    steer(self, in, out);
    return 0;
}
