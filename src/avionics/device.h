/* What all devices have in common: identity, random stream, faults. */
#ifndef IB_AVIONICS_DEVICE_H
#define IB_AVIONICS_DEVICE_H

#include "avionics/bus.h"

/* Channels of a device's random stream. Those of error models count from 0, four an axis. */
enum { IB_STREAM_DROPOUT = 1000, IB_STREAM_LOSS = 1001 };

/* The key of a device's stream: (seed, the vehicle's name at birth, the device's name) alone. */
uint64_t ib_stream_key(uint64_t seed, const char *vehicle, const char *device);
/* Standard normal and uniform (0, 1) number of a channel and sample. */
double ib_stream_normal(uint64_t key, uint32_t channel, uint64_t sample);
double ib_stream_uniform(uint64_t key, uint32_t channel, uint64_t sample);

/* The one list of faults: id, name, what `value` means. */
#define IB_FAULT_LIST(X)                                                                           \
    X(IB_FAULT_STUCK, "stuck", "repeats its last output; a servo or engine stays where it is")     \
    X(IB_FAULT_BIAS, "bias", "value is added to the output (in its unit)")                         \
    X(IB_FAULT_DROPOUT, "dropout", "each output or command is lost with probability value")        \
    X(IB_FAULT_NOISE, "noise", "white noise is multiplied by value")                               \
    X(IB_FAULT_DEAD, "dead", "no output, no response; a servo floats")                             \
    X(IB_FAULT_SLOW, "slow", "one output in value comes; actuators are slower by that factor")     \
    X(IB_FAULT_FLOATING, "floating", "a servo without force: goes to its free angle")              \
    X(IB_FAULT_HARD_OVER, "hard_over", "a servo that runs to a stop: the upper for value >= 0")

typedef enum ib_fault_kind {
#define IB_FAULT_ID(id, name, text) id,
    IB_FAULT_LIST(IB_FAULT_ID)
#undef IB_FAULT_ID
        IB_FAULT_COUNT
} ib_fault_kind;

const char *ib_fault_name(ib_fault_kind kind); /* never NULL */

/* Holds for at <= t < until. */
typedef struct ib_device_fault {
    ib_fault_kind kind;
    ib_time at, until;
    double value;
    int part; /* that a bias or noise concerns: 0 accelerometer, place; 1 gyro, speed */
} ib_device_fault;

#define IB_DEVICE_FAULTS 8

/* The part of a device's description that is the same for all kinds. */
typedef struct ib_device {
    uint16_t address; /* on the bus */
    uint16_t vehicle;
    uint8_t priority; /* of its messages */
    uint64_t key;     /* of its random stream */
    ib_time period;   /* between its steps */
    int n_faults;
    ib_device_fault faults[IB_DEVICE_FAULTS];
} ib_device;

/* What the faults that hold at t do together. */
typedef struct ib_fault_effect {
    bool stuck, dead, floating;
    int hard_over;   /* -1, 0, 1 */
    double bias[2];  /* sum, for each part */
    double noise[2]; /* product, 1 without */
    double slow;     /* product, 1 without */
    double dropout;  /* probability that something is lost, 0 without */
} ib_fault_effect;

ib_fault_effect ib_device_faults(const ib_device *device, ib_time t);
/* Checks period and faults: IB_BAD_INPUT with a diagnostic. */
ib_status ib_device_check(const ib_device *device, const char *name, ib_diags *diags,
                          ib_place place);
/* True when this sample is lost to a dropout of that probability. */
bool ib_device_drops(const ib_device *device, double probability, uint64_t sample);
/* Publishes with the device's address and priority to anybody of its vehicle. */
void ib_device_publish(const ib_device *device, ib_bus *bus, ib_topic topic, ib_time stamp,
                       ib_time now, ib_time delay, const ib_payload *payload);

#endif
