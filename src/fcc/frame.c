/* From the messages on a vehicle's bus to what a flight computer reads: an input frame, of which
 * the latest message of each device fills its entry, or mail, with an entry for each message; in
 * the units of fcc.h (degrees, degrees Celsius, gauss) instead of the bus's (radians, kelvin,
 * tesla).
 */
#include "fcc/internal.h"

#include <stddef.h>
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

const char *ib_fcc_kind_name(ib_fcc_kind kind) { return kinds[kind].name; }

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

/* What a device says, as the frame's entry: its stamp is what every entry begins with. */
static void convert(const ib_message *message, ib_fcc_kind kind, void *entry) {
    switch (kind) {
    case IB_FCC_KIND_IMU:
        fill_imu(message, entry);
        break;
    case IB_FCC_KIND_GPS:
        fill_gps(message, entry);
        break;
    case IB_FCC_KIND_BARO:
        fill_baro(message, entry);
        break;
    case IB_FCC_KIND_MAG:
        fill_mag(message, entry);
        break;
    case IB_FCC_KIND_ALTIMETER:
        fill_altimeter(message, entry);
        break;
    case IB_FCC_KIND_ENGINE:
        fill_engine(message, entry);
        break;
    case IB_FCC_KIND_SERVO:
    case IB_FCC_KIND_FIN:
        fill_servo(message, entry);
        break;
    case IB_FCC_KIND_INTERLOCK:
        fill_interlock(message, entry);
        break;
    case IB_FCC_KIND_MOTORS:
    case IB_FCC_KIND_COUNT:
        break;
    }
}

/* Where the entries of a kind are in the input frame. */
static const struct {
    size_t first, size;
} entries[] = {
    [IB_FCC_KIND_IMU] = {offsetof(ib_fcc_in, imu), sizeof(ib_fcc_imu)},
    [IB_FCC_KIND_GPS] = {offsetof(ib_fcc_in, gps), sizeof(ib_fcc_gps)},
    [IB_FCC_KIND_BARO] = {offsetof(ib_fcc_in, baro), sizeof(ib_fcc_baro)},
    [IB_FCC_KIND_MAG] = {offsetof(ib_fcc_in, mag), sizeof(ib_fcc_mag)},
    [IB_FCC_KIND_ALTIMETER] = {offsetof(ib_fcc_in, altimeter), sizeof(ib_fcc_altimeter)},
    [IB_FCC_KIND_ENGINE] = {offsetof(ib_fcc_in, engine), sizeof(ib_fcc_engine)},
    [IB_FCC_KIND_SERVO] = {offsetof(ib_fcc_in, servo), sizeof(ib_fcc_servo)},
    [IB_FCC_KIND_FIN] = {offsetof(ib_fcc_in, fin), sizeof(ib_fcc_servo)},
    [IB_FCC_KIND_INTERLOCK] = {offsetof(ib_fcc_in, interlock), sizeof(ib_fcc_interlock)},
};

/* The entry, unless it is of something newer: a message of a latency longer than that of others may
 * be older than what is there. */
static void *older_entry(ib_fcc_in *in, ib_fcc_kind kind, size_t at, int64_t stamp) {
    char *entry = (char *)in + entries[kind].first + at * entries[kind].size;
    int64_t there;
    memcpy(&there, entry, sizeof there);
    return stamp >= there ? entry : NULL;
}

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

/* The entry of a kind that belongs to a source, or -1. */
static int entry_of(const ib_fcc_wiring *wiring, ib_fcc_kind kind, uint16_t source) {
    for (uint32_t i = 0; i < wiring->n[kind]; i++)
        if (wiring->device[kind][i] == source)
            return (int)i;
    return -1;
}

void ib_frame_absorb(const ib_fcc_wiring *wiring, ib_bus *bus, ib_time now, ib_fcc_in *in) {
    for (size_t i = 0; i < IB_COUNT(topics); i++) {
        const ib_fcc_kind kind = topics[i].kind;
        ib_message message;
        while (ib_bus_take(bus, topics[i].topic, wiring->address, now, &message)) {
            const int at = entry_of(wiring, kind, message.source);
            void *entry = at >= 0 ? older_entry(in, kind, (size_t)at, message.stamp) : NULL;
            if (entry)
                convert(&message, kind, entry);
        }
    }
}

/* ---- mail ----------------------------------------------------------------------------------- */

void ib_mail_begin(ib_fcc_mail *mail, ib_time now) {
    memset(mail, 0, IB_MAIL_HEAD);
    mail->abi = IB_FCC_ABI;
    mail->time = now;
}

ib_fcc_message *ib_mail_add(ib_fcc_mail *mail, ib_fcc_kind kind, size_t device) {
    ib_fcc_message *message = &mail->messages[mail->n_messages++];
    *message = (ib_fcc_message){.kind = kind, .device = (uint32_t)device};
    return message;
}

void ib_mail_absorb(const ib_fcc_wiring *wiring, ib_bus *bus, ib_time now, ib_fcc_mail *mail) {
    for (size_t i = 0; i < IB_COUNT(topics); i++) {
        ib_message message;
        while (mail->n_messages < IB_FCC_MAIL &&
               ib_bus_take(bus, topics[i].topic, wiring->address, now, &message)) {
            const int at = entry_of(wiring, topics[i].kind, message.source);
            union {
                int64_t aligned;
                unsigned char bytes[sizeof((ib_fcc_message *)0)->body];
            } body = {0};
            if (at < 0)
                continue;
            convert(&message, topics[i].kind, &body);
            memcpy(ib_mail_add(mail, topics[i].kind, (size_t)at)->body, &body, sizeof body);
        }
    }
}

void ib_mail_open(const ib_fcc_mail *mail, ib_fcc_in *in) {
    for (uint32_t i = 0; i < mail->n_messages; i++) {
        const ib_fcc_message *message = &mail->messages[i];
        int64_t stamp;
        memcpy(&stamp, message->body, sizeof stamp);
        void *entry = older_entry(in, (ib_fcc_kind)message->kind, message->device, stamp);
        if (entry)
            memcpy(entry, message->body, entries[message->kind].size);
    }
    memcpy(in->user, mail->user, mail->n_user * sizeof *in->user);
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
