/* Between the messages on a vehicle's bus and the frames of a flight computer.
 *
 * In: the latest message of each device fills its entry, in the units of fcc.h (degrees, degrees
 * Celsius, gauss) instead of the bus's (radians, kelvin, tesla). Out: each command becomes a
 * message to its device. What a device will not obey, a throttle above 1 say, is its own business.
 */
#include "fcc/internal.h"

#include <string.h>

#define DEGREES (180 / 3.14159265358979323846)
#define GAUSS 1e4        /* per tesla */
#define ICE_POINT 273.15 /* K */

_Static_assert((int)IB_FCC_SATURATED == (int)IB_FLAG_SATURATED, "flags");
_Static_assert((int)IB_FCC_INVALID == (int)IB_FLAG_INVALID, "flags");
_Static_assert((int)IB_FCC_ENGINE_FAILED == (int)IB_ENGINE_FAILED, "states of engines");
_Static_assert((int)IB_FCC_SERVO_HARD_OVER == (int)IB_SERVO_HARD_OVER, "states of servos");
_Static_assert((int)IB_FCC_INTERLOCK_FIRED == (int)IB_INTERLOCK_FIRED, "states of interlocks");

/* ---- wiring --------------------------------------------------------------------------------- */

/* How many devices of a kind a frame has room for, and what the kind is called. */
static const struct {
    const char *name;
    uint32_t bound;
} kinds[IB_FCC_KIND_COUNT] = {
    [IB_FCC_KIND_IMU] = {"imu", IB_FCC_MOST},
    [IB_FCC_KIND_GPS] = {"gps", IB_FCC_MOST},
    [IB_FCC_KIND_BARO] = {"baro", IB_FCC_MOST},
    [IB_FCC_KIND_MAG] = {"mag", IB_FCC_MOST},
    [IB_FCC_KIND_ALTIMETER] = {"altimeter", IB_FCC_MOST},
    [IB_FCC_KIND_ENGINE] = {"ecu", IB_FCC_MOST},
    [IB_FCC_KIND_SERVO] = {"scu", IB_FCC_MOST},
    [IB_FCC_KIND_FIN] = {"fin", IB_FCC_MOST},
    [IB_FCC_KIND_INTERLOCK] = {"icu", IB_FCC_MOST},
    [IB_FCC_KIND_MOTORS] = {"pwm_motors", 1},
};

static ib_status check_signals(uint32_t n, const char *direction, const char *vehicle,
                               ib_place place, ib_diags *diags) {
    if (n <= IB_FCC_USER)
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB1211, place,
                 "%s: %u signals %s the flight computer; a frame has room for %d", vehicle, n,
                 direction, IB_FCC_USER);
    return IB_BAD_INPUT;
}

ib_status ib_wiring_make(const ib_fcc_device *devices, size_t n, const char *vehicle,
                         ib_place place, ib_diags *diags, ib_fcc_wiring *wiring) {
    ib_status status = check_signals(wiring->n_user_in, "to", vehicle, place, diags);
    if (check_signals(wiring->n_user_out, "from", vehicle, place, diags) != IB_OK)
        status = IB_BAD_INPUT;
    memset(wiring->n, 0, sizeof wiring->n);
    memset(wiring->device, 0, sizeof wiring->device);
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = wiring->n[devices[i].kind]++;
        if (at < kinds[devices[i].kind].bound)
            wiring->device[devices[i].kind][at] = devices[i].address;
    }
    for (int kind = 0; kind < IB_FCC_KIND_COUNT; kind++) {
        if (wiring->n[kind] <= kinds[kind].bound)
            continue;
        ib_diags_add(diags, IB_ERROR, IB1211, place,
                     "%s: %u devices of type %s; a flight computer's frame has room for %u",
                     vehicle, wiring->n[kind], kinds[kind].name, kinds[kind].bound);
        status = IB_BAD_INPUT;
    }
    return status;
}

/* ---- bus to input frame --------------------------------------------------------------------- */

void ib_frame_reset(const ib_fcc_wiring *wiring, ib_fcc_in *in) {
    memset(in, 0, sizeof *in);
    in->abi = IB_FCC_ABI;
    in->n_imu = wiring->n[IB_FCC_KIND_IMU];
    in->n_gps = wiring->n[IB_FCC_KIND_GPS];
    in->n_baro = wiring->n[IB_FCC_KIND_BARO];
    in->n_mag = wiring->n[IB_FCC_KIND_MAG];
    in->n_altimeter = wiring->n[IB_FCC_KIND_ALTIMETER];
    in->n_engine = wiring->n[IB_FCC_KIND_ENGINE];
    in->n_servo = wiring->n[IB_FCC_KIND_SERVO];
    in->n_fin = wiring->n[IB_FCC_KIND_FIN];
    in->n_interlock = wiring->n[IB_FCC_KIND_INTERLOCK];
    in->n_user = wiring->n_user_in;
    for (int i = 0; i < IB_FCC_MOST; i++) {
        in->imu[i].stamp = in->gps[i].stamp = in->baro[i].stamp = IB_FCC_NEVER;
        in->mag[i].stamp = in->altimeter[i].stamp = in->engine[i].stamp = IB_FCC_NEVER;
        in->servo[i].stamp = in->fin[i].stamp = in->interlock[i].stamp = IB_FCC_NEVER;
    }
}

static void fill_imu(const ib_message *message, ib_fcc_imu *entry) {
    const ib_imu_frame *said = &message->payload.imu;
    *entry = (ib_fcc_imu){.stamp = message->stamp,
                          .temperature = said->temperature - ICE_POINT,
                          .flags = said->flags | IB_FCC_NEW};
    memcpy(entry->specific_force, said->specific_force, sizeof entry->specific_force);
    memcpy(entry->rate, said->rate, sizeof entry->rate);
}

static void fill_gps(const ib_message *message, ib_fcc_gps *entry) {
    const ib_gps_frame *said = &message->payload.gps;
    *entry = (ib_fcc_gps){.stamp = message->stamp,
                          .week = said->week,
                          .time_of_week = said->time_of_week,
                          .latitude = said->place.latitude * DEGREES,
                          .longitude = said->place.longitude * DEGREES,
                          .height = said->place.height,
                          .fix = said->fix,
                          .satellites = said->satellites,
                          .flags = IB_FCC_NEW};
    memcpy(entry->velocity, said->velocity, sizeof entry->velocity);
}

static void fill_baro(const ib_message *message, ib_fcc_baro *entry) {
    const ib_baro_frame *said = &message->payload.baro;
    *entry = (ib_fcc_baro){.stamp = message->stamp,
                           .pressure = said->pressure,
                           .temperature = said->temperature - ICE_POINT,
                           .flags = said->flags | IB_FCC_NEW};
}

static void fill_mag(const ib_message *message, ib_fcc_mag *entry) {
    const ib_mag_frame *said = &message->payload.mag;
    *entry = (ib_fcc_mag){.stamp = message->stamp, .flags = said->flags | IB_FCC_NEW};
    for (int i = 0; i < 3; i++)
        entry->field[i] = said->field[i] * GAUSS;
}

static void fill_altimeter(const ib_message *message, ib_fcc_altimeter *entry) {
    const ib_altimeter_frame *said = &message->payload.altimeter;
    *entry = (ib_fcc_altimeter){
        .stamp = message->stamp, .range = said->range, .flags = said->flags | IB_FCC_NEW};
}

static void fill_engine(const ib_message *message, ib_fcc_engine *entry) {
    const double *said = message->payload.values;
    *entry = (ib_fcc_engine){.stamp = message->stamp,
                             .state = (uint32_t)said[0],
                             .flags = IB_FCC_NEW,
                             .thrust = said[1],
                             .pressure = said[2],
                             .speed = said[3]};
}

static void fill_servo(const ib_message *message, ib_fcc_servo *entry) {
    const double *said = message->payload.values;
    *entry = (ib_fcc_servo){
        .stamp = message->stamp, .state = (uint32_t)said[0], .flags = IB_FCC_NEW, .angle = said[1]};
}

static void fill_interlock(const ib_message *message, ib_fcc_interlock *entry) {
    const double *said = message->payload.values;
    *entry = (ib_fcc_interlock){.stamp = message->stamp,
                                .state = (uint32_t)said[0],
                                .flags = IB_FCC_NEW,
                                .bolts = (uint32_t)said[1]};
}

/* The entry of a kind that belongs to a source, or -1. */
static int entry_of(const ib_fcc_wiring *wiring, ib_fcc_kind kind, uint16_t source) {
    for (uint32_t i = 0; i < wiring->n[kind]; i++)
        if (wiring->device[kind][i] == source)
            return (int)i;
    return -1;
}

/* A message of a latency longer than that of others may be older than what is there. */
#define FILL(fill, array)                                                                          \
    do {                                                                                           \
        if (message->stamp >= (array)[at].stamp)                                                   \
            fill(message, &(array)[at]);                                                           \
    } while (0)

static void fill(const ib_message *message, ib_fcc_kind kind, int at, ib_fcc_in *in) {
    switch (kind) {
    case IB_FCC_KIND_IMU:
        FILL(fill_imu, in->imu);
        break;
    case IB_FCC_KIND_GPS:
        FILL(fill_gps, in->gps);
        break;
    case IB_FCC_KIND_BARO:
        FILL(fill_baro, in->baro);
        break;
    case IB_FCC_KIND_MAG:
        FILL(fill_mag, in->mag);
        break;
    case IB_FCC_KIND_ALTIMETER:
        FILL(fill_altimeter, in->altimeter);
        break;
    case IB_FCC_KIND_ENGINE:
        FILL(fill_engine, in->engine);
        break;
    case IB_FCC_KIND_SERVO:
        FILL(fill_servo, in->servo);
        break;
    case IB_FCC_KIND_FIN:
        FILL(fill_servo, in->fin);
        break;
    case IB_FCC_KIND_INTERLOCK:
        FILL(fill_interlock, in->interlock);
        break;
    case IB_FCC_KIND_MOTORS:
    case IB_FCC_KIND_COUNT:
        break;
    }
}

void ib_frame_absorb(const ib_fcc_wiring *wiring, ib_bus *bus, ib_time now, ib_fcc_in *in) {
    static const struct {
        ib_topic topic;
        ib_fcc_kind kind;
    } topics[] = {
        {IB_TOPIC_IMU, IB_FCC_KIND_IMU},
        {IB_TOPIC_GPS, IB_FCC_KIND_GPS},
        {IB_TOPIC_BARO, IB_FCC_KIND_BARO},
        {IB_TOPIC_MAG, IB_FCC_KIND_MAG},
        {IB_TOPIC_ALTIMETER, IB_FCC_KIND_ALTIMETER},
        {IB_TOPIC_ENGINE, IB_FCC_KIND_ENGINE},
        {IB_TOPIC_SERVO, IB_FCC_KIND_SERVO},
        {IB_TOPIC_FIN, IB_FCC_KIND_FIN},
        {IB_TOPIC_INTERLOCK, IB_FCC_KIND_INTERLOCK},
    };
    for (size_t i = 0; i < IB_COUNT(topics); i++) {
        ib_message message;
        while (ib_bus_take(bus, topics[i].topic, wiring->address, now, &message)) {
            const int at = entry_of(wiring, topics[i].kind, message.source);
            if (at >= 0)
                fill(&message, topics[i].kind, at, in);
        }
    }
}

void ib_frame_begin(ib_fcc_in *in, ib_time now, ib_time period) {
    in->tick++;
    in->time = now;
    in->dt = period;
}

void ib_frame_end(ib_fcc_in *in) {
    const uint32_t kept = ~(uint32_t)IB_FCC_NEW;
    for (int i = 0; i < IB_FCC_MOST; i++) {
        in->imu[i].flags &= kept;
        in->gps[i].flags &= kept;
        in->baro[i].flags &= kept;
        in->mag[i].flags &= kept;
        in->altimeter[i].flags &= kept;
        in->engine[i].flags &= kept;
        in->servo[i].flags &= kept;
        in->fin[i].flags &= kept;
        in->interlock[i].flags &= kept;
    }
}

/* ---- output frame to bus -------------------------------------------------------------------- */

typedef struct sender {
    const ib_fcc_wiring *wiring;
    ib_bus *bus;
    ib_time now;
} sender;

static void command(const sender *to, ib_topic topic, ib_fcc_kind kind, uint32_t i,
                    const ib_payload *payload) {
    const ib_message message = {.topic = topic,
                                .source = to->wiring->address,
                                .destination = to->wiring->device[kind][i],
                                .vehicle = to->wiring->vehicle,
                                .priority = to->wiring->priority,
                                .stamp = to->now,
                                .payload = *payload};
    ib_bus_publish(to->bus, &message, to->now, 0);
}

static void say(const sender *to, ib_topic topic, ib_fcc_kind kind, uint32_t i, double first,
                double second) {
    const ib_payload payload = {.values = {first, second}};
    command(to, topic, kind, i, &payload);
}

static void command_engine(const sender *to, uint32_t i, const ib_fcc_engine_command *engine) {
    const ib_fcc_kind kind = IB_FCC_KIND_ENGINE;
    if (engine->throttled)
        say(to, IB_TOPIC_ENGINE_COMMAND, kind, i, IB_ENGINE_THROTTLE, engine->throttle);
    if (engine->stop)
        say(to, IB_TOPIC_ENGINE_COMMAND, kind, i, IB_ENGINE_STOP, 0);
    else if (engine->start)
        say(to, IB_TOPIC_ENGINE_COMMAND, kind, i, IB_ENGINE_START, 0);
}

static void command_interlock(const sender *to, uint32_t i,
                              const ib_fcc_interlock_command *interlock) {
    const ib_fcc_kind kind = IB_FCC_KIND_INTERLOCK;
    if (interlock->arm)
        say(to, IB_TOPIC_INTERLOCK_COMMAND, kind, i, IB_INTERLOCK_ARM, 0);
    if (interlock->fire)
        say(to, IB_TOPIC_INTERLOCK_COMMAND, kind, i, IB_INTERLOCK_FIRE, 0);
}

static void command_motors(const sender *to, const ib_fcc_out *out) {
    ib_payload payload = {.values = {0}};
    _Static_assert(sizeof payload.values == sizeof out->pwm, "a pulse width for each value");
    memcpy(payload.values, out->pwm, out->n_pwm * sizeof out->pwm[0]);
    if (out->n_pwm)
        command(to, IB_TOPIC_PWM, IB_FCC_KIND_MOTORS, 0, &payload);
}

/* The commands that go nowhere: IB_FCC_KIND_COUNT when there are none, else the kind. */
static ib_fcc_kind excess(const ib_fcc_wiring *wiring, const ib_fcc_out *out, uint32_t *wanted) {
    const struct {
        ib_fcc_kind kind;
        uint32_t n;
    } commands[] = {{IB_FCC_KIND_ENGINE, out->n_engine},
                    {IB_FCC_KIND_SERVO, out->n_servo},
                    {IB_FCC_KIND_FIN, out->n_fin},
                    {IB_FCC_KIND_INTERLOCK, out->n_interlock}};
    for (size_t i = 0; i < IB_COUNT(commands); i++)
        if (commands[i].n > wiring->n[commands[i].kind]) {
            *wanted = commands[i].n;
            return commands[i].kind;
        }
    return IB_FCC_KIND_COUNT;
}

ib_status ib_frame_publish(const ib_fcc_wiring *wiring, const ib_fcc_out *out, int64_t tick,
                           const char *vehicle, ib_time now, ib_bus *bus, ib_diags *diags) {
    const sender to = {wiring, bus, now};
    uint32_t wanted = 0;
    const ib_fcc_kind kind = excess(wiring, out, &wanted);
    if (kind != IB_FCC_KIND_COUNT) {
        ib_diags_add(diags, IB_ERROR, IB1208, IB_NO_PLACE,
                     "%s: flight computer, tick %lld: it commands %u devices of type %s; the "
                     "vehicle has %u",
                     vehicle, (long long)tick, wanted, kinds[kind].name, wiring->n[kind]);
        return IB_SIMULATION_FAILED;
    }
    for (uint32_t i = 0; i < out->n_engine; i++)
        command_engine(&to, i, &out->engine[i]);
    for (uint32_t i = 0; i < out->n_servo; i++)
        say(&to, IB_TOPIC_SERVO_COMMAND, IB_FCC_KIND_SERVO, i, out->servo[i], 0);
    for (uint32_t i = 0; i < out->n_fin; i++)
        say(&to, IB_TOPIC_SERVO_COMMAND, IB_FCC_KIND_FIN, i, out->fin[i], 0);
    for (uint32_t i = 0; i < out->n_interlock; i++)
        command_interlock(&to, i, &out->interlock[i]);
    if (wiring->n[IB_FCC_KIND_MOTORS])
        command_motors(&to, out);
    return IB_OK;
}
