/* What all devices have in common: random streams by name, faults, publishing. */
#include "avionics/avionics.h"

#include <string.h>

uint64_t ib_stream_key(uint64_t seed, const char *vehicle, const char *device) {
    uint64_t key = IB_HASH_START;
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(seed >> (8 * i));
    key = ib_hash_bytes(key, bytes, sizeof bytes);
    key = ib_hash_bytes(key, vehicle,
                        strlen(vehicle) + 1); /* with its end: "ab","c" is not "a","bc" */
    return ib_hash_bytes(key, device, strlen(device));
}

double ib_stream_normal(uint64_t key, uint32_t channel, uint64_t sample) {
    return ib_random_normal(key, channel, 0, sample);
}

double ib_stream_uniform(uint64_t key, uint32_t channel, uint64_t sample) {
    return ib_random_uniform(key, channel, 0, sample);
}

const char *ib_fault_name(ib_fault_kind kind) {
    static const char *const names[] = {
#define IB_FAULT_NAME(id, name, text) name,
        IB_FAULT_LIST(IB_FAULT_NAME)
#undef IB_FAULT_NAME
    };
    return (size_t)kind < IB_COUNT(names) ? names[kind] : "unknown";
}

static void add_effect(const ib_device_fault *fault, ib_fault_effect *effect) {
    switch (fault->kind) {
    case IB_FAULT_STUCK:
        effect->stuck = true;
        break;
    case IB_FAULT_BIAS:
        effect->bias[fault->part] += fault->value;
        break;
    case IB_FAULT_DROPOUT:
        effect->dropout = 1 - (1 - effect->dropout) * (1 - fault->value);
        break;
    case IB_FAULT_NOISE:
        effect->noise[fault->part] *= fault->value;
        break;
    case IB_FAULT_DEAD:
        effect->dead = true;
        break;
    case IB_FAULT_SLOW:
        effect->slow *= fault->value;
        break;
    case IB_FAULT_FLOATING:
        effect->floating = true;
        break;
    case IB_FAULT_HARD_OVER:
        effect->hard_over = fault->value >= 0 ? 1 : -1;
        break;
    case IB_FAULT_COUNT:
        break;
    }
}

ib_fault_effect ib_device_faults(const ib_device *device, ib_time t) {
    ib_fault_effect effect = {.noise = {1, 1}, .slow = 1};
    for (int i = 0; i < device->n_faults; i++)
        if (t >= device->faults[i].at && t < device->faults[i].until)
            add_effect(&device->faults[i], &effect);
    return effect;
}

/* What is wrong with a fault, or NULL. */
static const char *fault_trouble(const ib_device_fault *fault) {
    if (!(fault->value >= -1e12 && fault->value <= 1e12))
        return "needs a finite value";
    if (fault->part < 0 || fault->part > 1)
        return "concerns part 0 or 1";
    if (fault->until <= fault->at)
        return "ends before it starts; 'until' lies after 'at'";
    if (fault->kind == IB_FAULT_DROPOUT && !(fault->value >= 0 && fault->value <= 1))
        return "takes a probability between 0 and 1 as its value";
    if (fault->kind == IB_FAULT_NOISE && fault->value < 0)
        return "takes a factor of at least 0 as its value";
    if (fault->kind == IB_FAULT_SLOW && !(fault->value >= 1 && fault->value <= 1e6))
        return "takes a factor between 1 and 1000000 as its value";
    return NULL;
}

ib_status ib_device_check(const ib_device *device, const char *name, ib_diags *diags,
                          ib_place place) {
    ib_status status = IB_OK;
    if (device->period <= 0) {
        ib_diags_add(diags, IB_ERROR, IB0607, place, "%s: the period between steps is positive",
                     name);
        status = IB_BAD_INPUT;
    }
    if (device->n_faults < 0 || device->n_faults > IB_DEVICE_FAULTS) {
        ib_diags_add(diags, IB_ERROR, IB0607, place, "%s: a device has at most %d faults", name,
                     IB_DEVICE_FAULTS);
        return IB_BAD_INPUT;
    }
    for (int i = 0; i < device->n_faults; i++) {
        const char *trouble = fault_trouble(&device->faults[i]);
        if (!trouble)
            continue;
        ib_diags_add(diags, IB_ERROR, IB0607, place, "%s: a fault '%s' %s", name,
                     ib_fault_name(device->faults[i].kind), trouble);
        status = IB_BAD_INPUT;
    }
    return status;
}

bool ib_device_drops(const ib_device *device, double probability, uint64_t sample) {
    return probability > 0 &&
           ib_stream_uniform(device->key, IB_STREAM_DROPOUT, sample) < probability;
}

void ib_device_publish(const ib_device *device, ib_bus *bus, ib_topic topic, ib_time stamp,
                       ib_time now, ib_time delay, const ib_payload *payload) {
    const ib_message message = {
        .topic = topic,
        .source = device->address,
        .destination = IB_ANY,
        .vehicle = device->vehicle,
        .priority = device->priority,
        .stamp = stamp,
        .payload = *payload,
    };
    ib_bus_publish(bus, &message, now, delay);
}
