/* The guidance of examples/launcher on a plant of its own: a rigid body that burns its mass over
 * the turning ellipsoid, with the avionics' own engine controllers, servos and interlock unit on a
 * bus. It has to keep to its pitch programme, order every step of the sequence once and in time,
 * and stop its second stage at the speed asked for.
 *
 * Tolerances: the attitude loop follows ramps of the programme (at most 1 degree a second) with a
 * lag of 2 0.8/w = 1.3 s, so within 1.5 degrees; its speed is integrated from samples 20 ms apart,
 * and the order to stop comes at most a tick late (0.02 s of 60 m/s^2).
 */
#include "fcc_test.h"

#include <math.h>
#include <stdlib.h>

#define DEGREE (3.14159265358979323846 / 180)
#define SOURCE IB_TEST_SOURCE "/examples/launcher/guidance.c"
#define MS INT64_C(1000000)
enum { ENGINE = 10, SERVO = 20, ICU = 30, COMPUTER = 90, VEHICLE = 1, RATIO = 20 };

static const double latitude = 28.5 * DEGREE, longitude = -80.6 * DEGREE;
static const double stage_mass[2] = {5000, 1500}, payload_mass = 500, arms[2] = {12, 5};
static const double inertias[2][3] = {{1e5, 4e6, 4e6}, {1e4, 1.5e5, 1.5e5}};

static const char programme[] =
    "azimuth=90\nignition=1\ncoast=2\nrestart=1\ncutoff=7500\npayload=5\n"
    "pitch.1=[10, 0]\npitch.2=[40, 25]\npitch.3=[150, 70]\npitch.4=[500, 95]\n"
    "inertia.1=[1e5, 4e6, 4e6]\narm.1=12\ninertia.2=[1e4, 1.5e5, 1.5e5]\narm.2=5\n"
    "gimbal.1=[1, 1]\ngimbal.2=[1, -1]\nlimit=5\n";

typedef struct plant {
    double position[3], velocity[3]; /* inertial, axes Earth-fixed at t = 0 */
    double attitude[4], rate[3];     /* body to inertial */
    double force[3];                 /* specific, body axes */
    double propellant[2];
    bool flies, parted, released;
    ib_device ecus[2], scus[4], icu;
    ib_engine_spec engines[2];
    ib_servo_spec servo;
    ib_interlock_spec interlock;
    ib_engine_state engine[2];
    ib_engine_effect effect[2];
    ib_servo_state servos[4];
    ib_interlock_state unit;
    ib_bus *bus;
} plant;

/* ---- the plant ------------------------------------------------------------------------------ */

static double mass_of(const plant *p) {
    double mass = stage_mass[1] + p->propellant[1] + (p->released ? 0 : payload_mass);
    if (!p->parted)
        mass += stage_mass[0] + p->propellant[0];
    return mass;
}

static void gravitation(const double r[3], double g[3]) {
    const double size = sqrt(ib_dot(r, r)), z2 = r[2] * r[2] / (size * size);
    const double j = 1.5 * 1.08262982e-3 * (6378137.0 / size) * (6378137.0 / size);
    for (int i = 0; i < 3; i++)
        g[i] =
            -3.986004418e14 * r[i] / (size * size * size) * (1 + j * ((i == 2 ? 3 : 1) - 5 * z2));
}

/* Force along the nose and torques of the stage that burns. */
static double push(const plant *p, double torque[3]) {
    const int stage = p->parted;
    const double thrust = p->effect[stage].thrust;
    const double signs[2] = {1, stage ? -1 : 1};
    torque[0] = 0;
    for (int i = 0; i < 2; i++) /* a thousandth of a radian off: the loop has to bear it */
        torque[1 + i] = signs[i] * (p->servos[2 * stage + i].angle + 0.001) * thrust * arms[stage];
    return thrust;
}

static void turn(double q[4], const double w[3], double dt) {
    const double p[4] = {q[0] - dt / 2 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]),
                         q[1] + dt / 2 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
                         q[2] + dt / 2 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]),
                         q[3] + dt / 2 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])};
    memcpy(q, p, sizeof p);
    ib_quat_normalize(q);
}

static void step(plant *p, double dt) {
    const double earth[3] = {0, 0, 7.292115e-5};
    const double *inertia = inertias[p->parted];
    double m[9], torque[3], g[3], acceleration[3], momentum[3], spin[3];
    const double thrust = push(p, torque), mass = mass_of(p);
    ib_quat_matrix(p->attitude, m);
    gravitation(p->position, g);
    p->flies = p->flies || thrust > 1.01 * mass * 9.81;
    if (p->flies) {
        for (int i = 0; i < 3; i++) {
            acceleration[i] = g[i] + thrust / mass * m[3 * i];
            momentum[i] = inertia[i] * p->rate[i];
        }
        ib_cross(p->rate, momentum, spin);
        for (int i = 0; i < 3; i++)
            p->rate[i] += dt * (torque[i] - spin[i]) / inertia[i];
    } else { /* held by the pad, which turns with the Earth */
        ib_cross(earth, p->position, p->velocity);
        ib_cross(earth, p->velocity, acceleration);
        ib_mul3tv(m, earth, p->rate);
    }
    double felt[3];
    for (int i = 0; i < 3; i++) {
        felt[i] = acceleration[i] - g[i];
        p->position[i] += dt * (p->velocity[i] + dt / 2 * acceleration[i]);
        p->velocity[i] += dt * acceleration[i];
    }
    ib_mul3tv(m, felt, p->force);
    turn(p->attitude, p->rate, dt);
    for (int i = 0; i < 2; i++) {
        p->propellant[i] -= dt * p->effect[i].mass_flow;
        p->propellant[i] = p->propellant[i] > 0 ? p->propellant[i] : 0;
    }
}

static ib_device device(uint16_t address) {
    return (ib_device){.address = address, .vehicle = VEHICLE, .period = MS, .key = address};
}

static void prepare(plant *p) {
    static const ib_bus_topic topics[IB_TOPIC_COUNT] = {{0}};
    static const ib_earth earth = {IB_EARTH_ELLIPSOID, IB_WGS84_RADIUS, IB_WGS84_FLATTENING,
                                   IB_EARTH_RATE};
    const ib_geodetic pad = {latitude, longitude, 10};
    const double upright[9] = {0, 0, -1, 0, 1, 0, 1, 0, 0};
    double ned[9], launch[9], body[9];
    *p = (plant){.propellant = {80000, 15000}};
    p->bus = ib_bus_create(1024, VEHICLE, 1, topics);
    ib_ecef_from_geodetic(&earth, &pad, p->position);
    ib_ned_from_ecef(latitude, longitude, ned);
    /* Azimuth 90 degrees: x east, y north, z up; the nose up, body y to the left. */
    for (int i = 0; i < 3; i++) {
        launch[3 * i] = ned[3 + i];
        launch[3 * i + 1] = ned[i];
        launch[3 * i + 2] = -ned[6 + i];
    }
    ib_mul33(launch, upright, body);
    ib_quat_from_matrix(body, p->attitude);
    for (uint16_t i = 0; i < 2; i++)
        p->ecus[i] = device((uint16_t)(ENGINE + i));
    for (uint16_t i = 0; i < 4; i++)
        p->scus[i] = device((uint16_t)(SERVO + i));
    p->icu = device(ICU);
    p->engines[0] = (ib_engine_spec){1.6e6, 300, 7e6, 0.2, 0.5, 0.5, 0.1, 0.4, 1, 0};
    p->engines[1] = (ib_engine_spec){1.2e5, 340, 3e6, 0.2, 0.5, 0.3, 0.1, 0.4, 1, 0};
    p->servo = (ib_servo_spec){.lag = 0.05, .rate_limit = 0.5, .lowest = -0.1, .highest = 0.1};
    p->interlock = (ib_interlock_spec){
        .n = 4,
        .steps = {{.trigger = IB_TRIGGER_COMMAND, .action = IB_ACTION_FIRE, .payload = 1},
                  {.delay = 100 * MS, .action = IB_ACTION_SEPARATE, .payload = 1},
                  {.trigger = IB_TRIGGER_COMMAND, .action = IB_ACTION_FIRE, .payload = 2},
                  {.delay = 100 * MS, .action = IB_ACTION_SEPARATE, .payload = 2}}};
}

/* ---- avionics ------------------------------------------------------------------------------- */

static void publish(plant *p, ib_topic topic, uint16_t source, ib_time now,
                    const ib_payload *payload) {
    const ib_device sender = device(source);
    ib_device_publish(&sender, p->bus, topic, now, now, 0, payload);
}

static void run_devices(plant *p, ib_time now, ib_events *events) {
    ib_payload imu = {.imu = {.temperature = 288.15}}, gps = {.values = {0}};
    for (int i = 0; i < 2; i++)
        ib_engine_step(&p->ecus[i], &p->engines[i], p->propellant[i], now, &p->engine[i],
                       &p->effect[i], p->bus, events);
    for (int i = 0; i < 4; i++)
        ib_servo_step(&p->scus[i], &p->servo, IB_TOPIC_SERVO, now, &p->servos[i], p->bus);
    memcpy(imu.imu.specific_force, p->force, sizeof p->force);
    memcpy(imu.imu.rate, p->rate, sizeof p->rate);
    publish(p, IB_TOPIC_IMU, 1, now, &imu);
    gps.gps.place = (ib_geodetic){latitude, longitude, 10};
    gps.gps.fix = 3;
    if (now == 0)
        publish(p, IB_TOPIC_GPS, 2, now, &gps);
    ib_interlock_step_run(&p->icu, &p->interlock, now, &p->unit, p->bus, events);
}

static ib_fcc_wiring wire(void) {
    static const ib_fcc_device devices[] = {
        {IB_FCC_KIND_IMU, 1},     {IB_FCC_KIND_GPS, 2},       {IB_FCC_KIND_ENGINE, ENGINE},
        {IB_FCC_KIND_ENGINE, 11}, {IB_FCC_KIND_SERVO, SERVO}, {IB_FCC_KIND_SERVO, 21},
        {IB_FCC_KIND_SERVO, 22},  {IB_FCC_KIND_SERVO, 23},    {IB_FCC_KIND_INTERLOCK, ICU},
    };
    ib_fcc_wiring wiring = {.vehicle = VEHICLE, .address = COMPUTER};
    assert_int_equal(
        ib_wiring_make(devices, IB_COUNT(devices), "stack", IB_NO_PLACE, NULL, &wiring), IB_OK);
    return wiring;
}

/* ---- the flight ----------------------------------------------------------------------------- */

typedef struct watch {
    double worst_pitch, worst_side; /* while a stage has burned for 5 s, degrees */
    double parted, released;        /* when, s */
    double cut_off;                 /* the speed at the order, m/s */
    double estimate;                /* worst difference of the speeds, m/s */
    char order[256];                /* the log's lines */
} watch;

static double pitch_of(const plant *p, double *side) {
    double m[9], ned[9];
    ib_quat_matrix(p->attitude, m);
    ib_ned_from_ecef(latitude, longitude, ned);
    const double nose[3] = {m[0], m[3], m[6]};
    *side = ib_asin(ib_dot(ned, nose)) / DEGREE;
    return ib_atan2(ib_dot(ned + 3, nose), -ib_dot(ned + 6, nose)) / DEGREE;
}

static void observe(const plant *p, const ib_fcc_out *out, double burning, watch *seen) {
    double side;
    const double pitch = fabs(pitch_of(p, &side) - out->user[6]);
    const double speed = sqrt(ib_dot(p->velocity, p->velocity));
    const double off = fabs(speed - out->user[4]);
    if (out->log_text[0]) {
        strcat(strcat(seen->order, out->log_text), "; ");
        if (strcmp(out->log_text, "cut-off") == 0)
            seen->cut_off = speed;
    }
    if (burning > 5) {
        seen->worst_pitch = pitch > seen->worst_pitch ? pitch : seen->worst_pitch;
        seen->worst_side = fabs(side) > seen->worst_side ? fabs(side) : seen->worst_side;
        seen->estimate = off > seen->estimate ? off : seen->estimate;
    }
}

static watch fly(void) {
    static plant p;
    ib_diags *diags = ib_diags_create();
    const ib_fcc_wiring wiring = wire();
    const ib_computer_options options = {.vehicle = "stack", .config = programme};
    ib_computer *computer = NULL;
    ib_fcc_in in;
    ib_fcc_out out;
    watch seen = {0};
    double burning = 0;
    if (ib_computer_open_native(SOURCE, &options, diags, &computer) != IB_OK)
        fail_msg("%s", message_of(diags));
    prepare(&p);
    ib_frame_reset(&wiring, &in);
    step(&p, 0);
    for (int64_t tick = 0; tick < 600000 && !p.released; tick++) {
        const ib_time now = tick * MS;
        ib_events events = {0};
        run_devices(&p, now, &events);
        ib_frame_absorb(&wiring, p.bus, now, &in);
        burning = p.effect[p.parted].thrust > 0 ? burning + 1e-3 : 0;
        if (tick % RATIO == 0) {
            ib_frame_begin(&in, now, RATIO * MS);
            if (ib_computer_tick(computer, &in, &out, diags) != IB_OK ||
                ib_frame_publish(&wiring, &out, in.tick, "stack", now, p.bus, diags) != IB_OK)
                fail_msg("%s", message_of(diags));
            ib_frame_end(&in);
            observe(&p, &out, burning, &seen);
        }
        for (int i = 0; i < events.n; i++) {
            if (events.list[i].kind != IB_EVENT_STAGE_SEPARATION)
                continue;
            p.parted = true;
            p.released = events.list[i].payload == 2;
            *(p.released ? &seen.released : &seen.parted) = 1e-9 * (double)now;
        }
        step(&p, 1e-3);
    }
    ib_bus_destroy(p.bus);
    ib_computer_close(computer);
    ib_diags_destroy(diags);
    return seen;
}

static void test_flies(void **unused) {
    (void)unused;
    const watch seen = fly();
    print_message(
        "pitch %.2f deg, side %.3f deg, parted %.1f s, released %.1f s, cut-off %.2f m/s, "
        "estimate off by %.3f m/s\n",
        seen.worst_pitch, seen.worst_side, seen.parted, seen.released, seen.cut_off, seen.estimate);
    assert_string_equal(seen.order,
                        "ignition; burn-out of the first stage; separation; ignition of "
                        "the second stage; cut-off; payload released; ");
    assert_true(seen.worst_pitch < 1.5);
    assert_true(seen.worst_side < 0.5);
    assert_true(seen.estimate < 0.5);
    assert_true(seen.cut_off > 7499.5 && seen.cut_off < 7502);
    /* 80 t at 1.6e6 N and 300 s of impulse last 147 s. */
    assert_true(seen.parted > 147 && seen.parted < 155);
    assert_true(seen.released > seen.parted + 100);
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
    refuses("", "there is no pitch.1=[time, angle]");
    refuses("pitch.1=[10, 0]\npitch.2=[5, 10]\n",
            "the times of pitch.1, pitch.2, ... have to increase");
    refuses("pitch.1=[10, 200]\n", "pitch angles are -180 to 180 degrees");
    refuses("pitch.1=[10, 0]\narm.2=0\n", "arms and frequency have to be positive");
    refuses("pitch.1=[10, 0]\nazimuth=400\n", "azimuth is -360 to 360 degrees");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flies),
        cmocka_unit_test(test_refuses),
    };
    setenv("XDG_CACHE_HOME", IB_TEST_BUILD "/test/cache", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
