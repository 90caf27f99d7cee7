/* Messages, and the bounded bus of one vehicle. */
#ifndef IB_AVIONICS_BUS_H
#define IB_AVIONICS_BUS_H

#include "environment/environment.h"

/* The one list of topics: id, name. */
#define IB_TOPIC_LIST(X)                                                                           \
    X(IB_TOPIC_IMU, "imu")                                                                         \
    X(IB_TOPIC_GPS, "gps")                                                                         \
    X(IB_TOPIC_BARO, "baro")                                                                       \
    X(IB_TOPIC_MAG, "mag")                                                                         \
    X(IB_TOPIC_ALTIMETER, "altimeter")                                                             \
    X(IB_TOPIC_ENGINE, "engine")                                                                   \
    X(IB_TOPIC_SERVO, "servo")                                                                     \
    X(IB_TOPIC_FIN, "fin")                                                                         \
    X(IB_TOPIC_INTERLOCK, "interlock")                                                             \
    X(IB_TOPIC_ENGINE_COMMAND, "engine_command")                                                   \
    X(IB_TOPIC_SERVO_COMMAND, "servo_command")                                                     \
    X(IB_TOPIC_INTERLOCK_COMMAND, "interlock_command")                                             \
    X(IB_TOPIC_PWM, "pwm")                                                                         \
    X(IB_TOPIC_USER, "user")

typedef enum ib_topic {
#define IB_TOPIC_ID(id, name) id,
    IB_TOPIC_LIST(IB_TOPIC_ID)
#undef IB_TOPIC_ID
        IB_TOPIC_COUNT
} ib_topic;

const char *ib_topic_name(ib_topic topic); /* never NULL */

enum { IB_FLAG_SATURATED = 1, IB_FLAG_INVALID = 2 };

typedef struct ib_imu_frame {
    double specific_force[3]; /* m/s^2 */
    double rate[3];           /* rad/s */
    double temperature;       /* K */
    uint32_t flags;
} ib_imu_frame;

/* Week and time of week belong to one instant. */
typedef struct ib_gps_frame {
    uint32_t week;
    uint32_t time_of_week; /* ms */
    ib_geodetic place;     /* rad, m */
    double velocity[3];    /* NED, m/s */
    uint32_t fix;          /* 0 none, 3 three-dimensional */
    uint32_t satellites;
} ib_gps_frame;

typedef struct ib_baro_frame {
    double pressure, temperature; /* Pa, K */
    uint32_t flags;
} ib_baro_frame;

typedef struct ib_mag_frame {
    double field[3]; /* T */
    uint32_t flags;
} ib_mag_frame;

typedef struct ib_altimeter_frame {
    double range; /* m */
    uint32_t flags;
} ib_altimeter_frame;

typedef union ib_payload {
    ib_imu_frame imu;
    ib_gps_frame gps;
    ib_baro_frame baro;
    ib_mag_frame mag;
    ib_altimeter_frame altimeter;
    double values[16];
} ib_payload;

/* Anybody. */
#define IB_ANY UINT16_MAX

typedef struct ib_message {
    ib_topic topic;
    uint16_t source;      /* device that sent it */
    uint16_t destination; /* device it is for, or IB_ANY */
    uint16_t vehicle;     /* vehicle it is for: the own one stays, others leave by ib_bus_depart */
    uint8_t priority;     /* larger is more important */
    uint32_t sequence;    /* of this topic on this bus, given by ib_bus_publish */
    ib_time stamp;        /* when the thing was measured or decided */
    ib_time due;          /* not delivered before */
    ib_payload payload;
} ib_message;

typedef struct ib_bus_topic {
    ib_time latency; /* between publication and delivery */
    double loss;     /* probability of each message's loss, 0 to 1 */
} ib_bus_topic;

/* Every message published is delivered, departed, lost, dropped, or still waiting. */
typedef struct ib_bus_count {
    uint64_t published, delivered, departed, lost, dropped;
} ib_bus_count;

typedef struct ib_bus ib_bus;

/* A bus of at most `capacity` waiting messages (1 to 65534). Losses are drawn from `key`, topic and
 * sequence number. NULL when out of memory or the capacity is none. */
ib_bus *ib_bus_create(size_t capacity, uint16_t vehicle, uint64_t key,
                      const ib_bus_topic topics[IB_TOPIC_COUNT]);
void ib_bus_destroy(ib_bus *bus);

/* Publishes a copy at `now`, due after `delay` (what the sender itself takes) and the topic's
 * latency. A full bus first drops the oldest of its least important messages, or this one when all
 * others are more important. */
void ib_bus_publish(ib_bus *bus, const ib_message *message, ib_time now, ib_time delay);
/* Puts in a message that came from another vehicle as it is. */
void ib_bus_arrive(ib_bus *bus, const ib_message *message);
/* Takes the oldest message of that topic for this device (or for any, when it is sent to any or
 * asked for IB_ANY) that is due. False when there is none. */
bool ib_bus_take(ib_bus *bus, ib_topic topic, uint16_t device, ib_time now, ib_message *message);
/* Takes the oldest due message for another vehicle. */
bool ib_bus_depart(ib_bus *bus, ib_time now, ib_message *message);

/* Has every message told to `ear` that is published here or arrives, with whether it was lost on
 * the way (NULL: not any more). Who listens changes nothing. */
typedef void (*ib_bus_ear)(void *context, const ib_message *message, bool lost);
void ib_bus_listen(ib_bus *bus, ib_bus_ear ear, void *context);

size_t ib_bus_waiting(const ib_bus *bus);
ib_bus_count ib_bus_counts(const ib_bus *bus, ib_topic topic);

/* The bus as flat bytes without pointers, for snapshots: copies between buses of one capacity. */
size_t ib_bus_state_size(const ib_bus *bus);
void ib_bus_save(const ib_bus *bus, void *state);
void ib_bus_restore(ib_bus *bus, const void *state);

#endif
