/* The autopilot of examples/quadcopter_mission on a plant of its own: a rigid body, four rotors
 * with lag, drag in wind, and sensors with noise and bias. It has to take off, reach and hold its
 * way-points, keep its estimate near the truth, and land, whatever way its body axes point.
 *
 * Tolerances: positions come from a receiver with 0.3 m noise (held to 1 m, three times that and
 * some wind), attitude from gyros with bias and a compass (2 degrees).
 */
#include "fcc_test.h"

#include <math.h>
#include <stdlib.h>

#define DEGREE (3.14159265358979323846 / 180)
#define SOURCE IB_TEST_SOURCE "/examples/quadcopter_mission/autopilot.c"
enum { STEPS = 4, MOTORS = 4 }; /* plant steps of 1 ms a tick of the computer */

static const double gravity = 9.81, mass = 1.2, thrust = 8e-6, torque = 1.4e-7, arm = 0.14;
static const double inertia[3] = {0.012, 0.012, 0.022};
static const double spins[MOTORS] = {1, -1, 1, -1}; /* front left, front right, back right, left */
static const double places[MOTORS][2] = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1}}; /* front, right */

typedef struct plant {
    double position[3], velocity[3]; /* north, east, down of the start */
    double attitude[4], rate[3];     /* forward, right, down */
    double speed[MOTORS];
    double force[3]; /* specific, body axes */
    double wind[3];
} plant;

/* ---- the plant ------------------------------------------------------------------------------ */

static void to_matrix(const double q[4], double m[9]) { ib_quat_matrix(q, m); }

/* Rotors: thrust up, torques about the three axes. */
static double rotors(const plant *p, double moments[3]) {
    double up = 0;
    moments[0] = moments[1] = moments[2] = 0;
    for (int i = 0; i < MOTORS; i++) {
        const double square = p->speed[i] * p->speed[i];
        up += thrust * square;
        moments[0] -= places[i][1] * arm * thrust * square;
        moments[1] += places[i][0] * arm * thrust * square;
        moments[2] += spins[i] * torque * square;
    }
    return up;
}

static void step(plant *p, const double pwm[MOTORS], double dt) {
    double m[9], moments[3], spin[3], momentum[3], acceleration[3];
    for (int i = 0; i < MOTORS; i++) {
        const double wanted = pwm[i] < 1000 ? 0 : (pwm[i] - 1000);
        p->speed[i] += dt / 0.05 * (wanted - p->speed[i]);
    }
    const double up = rotors(p, moments);
    to_matrix(p->attitude, m);
    for (int i = 0; i < 3; i++) {
        const double drag = -0.25 * (p->velocity[i] - p->wind[i]);
        acceleration[i] = (drag - up * m[3 * i + 2]) / mass + (i == 2 ? gravity : 0);
        momentum[i] = inertia[i] * p->rate[i];
    }
    const bool grounded = p->position[2] >= 0 && acceleration[2] >= 0;
    if (grounded) {
        memset(p->velocity, 0, sizeof p->velocity);
        memset(p->rate, 0, sizeof p->rate);
        memset(acceleration, 0, sizeof acceleration);
        p->position[2] = 0;
    }
    ib_cross(p->rate, momentum, spin);
    for (int i = 0; i < 3; i++) {
        if (!grounded)
            p->rate[i] += dt * (moments[i] - spin[i]) / inertia[i];
        p->velocity[i] += dt * acceleration[i];
        p->position[i] += dt * p->velocity[i];
    }
    const double down[3] = {0, 0, gravity};
    for (int i = 0; i < 3; i++) {
        p->force[i] = 0;
        for (int k = 0; k < 3; k++)
            p->force[i] += m[3 * k + i] * (acceleration[k] - down[k]);
    }
    const double w[3] = {p->rate[0], p->rate[1], p->rate[2]}, *q = p->attitude;
    const double turned[4] = {q[0] - dt / 2 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]),
                              q[1] + dt / 2 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
                              q[2] + dt / 2 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]),
                              q[3] + dt / 2 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])};
    const double length = sqrt(turned[0] * turned[0] + turned[1] * turned[1] +
                               turned[2] * turned[2] + turned[3] * turned[3]);
    for (int i = 0; i < 4; i++)
        p->attitude[i] = turned[i] / length;
}

/* ---- sensors -------------------------------------------------------------------------------- */

static double noise(uint32_t stream, int64_t tick) {
    return ib_random_normal(7, 1, stream, (uint64_t)tick);
}

/* side: -1 turns forward-right-down into forward-left-up. */
static void sense(const plant *p, double side, int64_t tick, ib_fcc_in *in) {
    const double field[3] = {0.2, 0.02, 0.4};
    const double signs[3] = {1, side, side};
    double m[9];
    to_matrix(p->attitude, m);
    ib_frame_end(in);
    in->imu[0].stamp = in->time;
    in->imu[0].flags = IB_FCC_NEW;
    for (uint32_t i = 0; i < 3; i++) {
        in->imu[0].rate[i] = signs[i] * (p->rate[i] + 0.01 + 0.002 * noise(i, tick));
        in->imu[0].specific_force[i] = signs[i] * (p->force[i] + 0.03 + 0.05 * noise(3 + i, tick));
    }
    if (tick % 5 == 1) { /* 50 Hz */
        const double up = 400 - p->position[2];
        in->baro[0].stamp = in->mag[0].stamp = in->time;
        in->baro[0].flags = in->mag[0].flags = IB_FCC_NEW;
        in->baro[0].pressure =
            101325 * ib_pow(1 - 0.0065 * up / 288.15, 5.25588) + 3 * noise(6, tick);
        in->baro[0].temperature = 15 - 0.0065 * up;
        for (int i = 0; i < 3; i++)
            in->mag[0].field[i] =
                signs[i] * (m[i] * field[0] + m[3 + i] * field[1] + m[6 + i] * field[2]);
    }
    if (tick % 50 == 1) { /* 5 Hz */
        ib_fcc_gps *gps = &in->gps[0];
        gps->stamp = in->time;
        gps->flags = IB_FCC_NEW;
        gps->fix = 3;
        gps->latitude = 47 + (p->position[0] + 0.3 * noise(7, tick)) / 111170.2;
        gps->longitude = 8 + (p->position[1] + 0.3 * noise(8, tick)) / 76060.0;
        gps->height = 400 - p->position[2];
        for (uint32_t i = 0; i < 3; i++)
            gps->velocity[i] = p->velocity[i] + 0.05 * noise(9 + i, tick);
    }
}

/* ---- the flight ----------------------------------------------------------------------------- */

static void add_motors(bool flu, char *config, size_t size) {
    const size_t used = strlen(config);
    int n = 0;
    for (int i = 0; i < MOTORS; i++)
        n += snprintf(config + used + n, size - used - (size_t)n, "motor.%d=[%g, %g, %g]\n", i + 1,
                      places[i][0] * arm, (flu ? -1 : 1) * places[i][1] * arm, spins[i]);
}

static ib_computer *open_autopilot(const char *more, bool flu, ib_diags *diags) {
    char config[2048];
    ib_computer *computer = NULL;
    snprintf(config, sizeof config,
             "axes=%s\nstart=3\ndeclination=5.7105931\nland=1\nwaypoint.1=[0, 0, 10, 0, 6]\n"
             "waypoint.2=[20, 10, 12, 90, 10]\n%s",
             flu ? "flu" : "frd", more);
    add_motors(flu, config, sizeof config);
    const ib_computer_options options = {.config = config};
    if (ib_computer_open_native(SOURCE, &options, diags, &computer) != IB_OK)
        fail_msg("%s", message_of(diags));
    return computer;
}

/* What is to be watched in a flight. */
typedef struct watch {
    double worst_tilt, worst_attitude, worst_touch;
    double worst_place[2]; /* while a way-point has been held for 3 s */
    double landed;         /* s; 0: not */
} watch;

static double angle_between(const double a[4], const double b[4]) {
    const double c = fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
    return 2 * ib_acos(c < 1 ? c : 1);
}

static void observe(const plant *p, const ib_fcc_out *out, double held, double t, watch *seen) {
    static const double goals[2][3] = {{0, 0, -10}, {20, 10, -12}};
    double m[9];
    to_matrix(p->attitude, m);
    const double tilt = ib_acos(m[8] < 1 ? m[8] : 1);
    const double wrong = angle_between(p->attitude, &out->user[6]);
    seen->worst_tilt = tilt > seen->worst_tilt ? tilt : seen->worst_tilt;
    if (t > 15)
        seen->worst_attitude = wrong > seen->worst_attitude ? wrong : seen->worst_attitude;
    if (held > 3) {
        const int which = (int)out->user[10] - 1;
        double away[3];
        for (int i = 0; i < 3; i++)
            away[i] = p->position[i] - goals[which][i];
        const double far = sqrt(ib_dot(away, away));
        seen->worst_place[which] = far > seen->worst_place[which] ? far : seen->worst_place[which];
    }
}

static watch fly(bool flu) {
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = open_autopilot("", flu, diags);
    plant p = {
        .attitude = {0.9659258262890683, 0, 0, 0.25881904510252074}, /* nose 30 degrees east */
        .force = {0, 0, -gravity},
        .wind = {-1, 5, 0}};
    ib_fcc_in in = {.abi = IB_FCC_ABI, .n_imu = 1, .n_gps = 1, .n_baro = 1, .n_mag = 1};
    in.gps[0].stamp = in.baro[0].stamp = in.mag[0].stamp = IB_FCC_NEVER;
    ib_fcc_out out = {0};
    watch seen = {0};
    double reached = 1e9, target = 1, pwm[MOTORS] = {0};
    for (int64_t tick = 1; tick <= 250 * 120 && !(seen.landed > 0); tick++) {
        ib_frame_begin(&in, (tick - 1) * STEPS * 1000000, STEPS * 1000000);
        sense(&p, flu ? -1 : 1, tick, &in);
        if (ib_computer_tick(computer, &in, &out, diags) != IB_OK)
            fail_msg("%s", message_of(diags));
        const double t = 1e-9 * (double)in.time;
        assert_int_equal(out.n_pwm, MOTORS);
        memcpy(pwm, out.pwm, sizeof pwm);
        if (strncmp(out.log_text, "way-point", 9) == 0)
            reached = t;
        if (strcmp(out.log_text, "landing") == 0 || out.user[10] > target)
            reached = 1e9;
        target = out.user[10];
        if (strcmp(out.log_text, "landed") == 0)
            seen.landed = t;
        observe(&p, &out, t - reached, t, &seen);
        for (int i = 0; i < STEPS; i++) {
            const double fall = p.velocity[2];
            step(&p, pwm, 1e-3);
            if (p.position[2] >= 0 && fall > seen.worst_touch)
                seen.worst_touch = fall;
        }
    }
    assert_true(fabs(p.position[0] - 20) < 2 && fabs(p.position[1] - 10) < 2 && p.position[2] == 0);
    ib_computer_close(computer);
    ib_diags_destroy(diags);
    return seen;
}

static void check(const watch *seen) {
    print_message(
        "tilt %.1f deg, attitude %.2f deg, places %.2f m and %.2f m, touch-down %.2f m/s, "
        "landed at %.1f s\n",
        seen->worst_tilt / DEGREE, seen->worst_attitude / DEGREE, seen->worst_place[0],
        seen->worst_place[1], seen->worst_touch, seen->landed);
    assert_true(seen->landed > 30 && seen->landed < 100);
    assert_true(seen->worst_tilt < 35 * DEGREE);
    assert_true(seen->worst_attitude < 2 * DEGREE);
    assert_true(seen->worst_place[0] > 0 && seen->worst_place[0] < 1);
    assert_true(seen->worst_place[1] > 0 && seen->worst_place[1] < 1);
    assert_true(seen->worst_touch < 1.2);
}

static void test_flies(void **unused) {
    (void)unused;
    const watch seen = fly(false);
    check(&seen);
}

/* The same body described in other axes flies the same flight. */
static void test_axes(void **unused) {
    (void)unused;
    const watch one = fly(false), other = fly(true);
    assert_true(one.landed == other.landed);
    assert_memory_equal(&one, &other, sizeof one);
}

static void refuses(const char *config, const char *text) {
    ib_diags *diags = ib_diags_create();
    ib_computer *computer = NULL;
    const ib_computer_options options = {.config = config};
    assert_int_equal(ib_computer_open_native(SOURCE, &options, diags, &computer), IB_BAD_INPUT);
    ASSERT_SAYS(diags, text);
    ib_diags_destroy(diags);
}

static void test_refuses(void **unused) {
    (void)unused;
    refuses("mass=0\n", "mass, thrust and speed have to be positive");
    refuses("waypoint.1=[1, 2, 3]\n", "motor.1 ... motor.4 or more have to be [x, y, spin]");
    /* All spin one way: nothing turns it about z without turning it over. */
    refuses("motor.1=[1, 1, 1]\nmotor.2=[1, -1, 1]\nmotor.3=[-1, 1, 1]\nmotor.4=[-1, -1, 1]\n",
            "able to turn it about all axes");
    refuses("motor.1=[1, 1, 1]\nmotor.2=[1, -1, -1]\nmotor.3=[-1, -1, 1]\nmotor.4=[-1, 1, -1]\n",
            "there is no waypoint.1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flies),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_refuses),
    };
    setenv("XDG_CACHE_HOME", IB_TEST_BUILD "/test/cache", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
