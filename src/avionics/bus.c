/* The bounded bus of one vehicle: a list of waiting messages in the order of their publication.
 *
 * Messages lie in one array made at creation; two chains of indices run through it, the waiting
 * ones (oldest first) and the free ones. So nothing moves, nothing allocates, and the whole is one
 * block without pointers. Losses come from a random stream keyed by topic and sequence number: what
 * one topic loses does not depend on the traffic of others.
 */
#include "avionics/avionics.h"

#include <stdlib.h>
#include <string.h>

#define END UINT16_MAX

typedef struct slot {
    ib_message message;
    uint16_t next;
} slot;

struct ib_bus {
    uint64_t key;
    ib_bus_topic topics[IB_TOPIC_COUNT];
    ib_bus_ear ear; /* NULL: none */
    void *context;  /* of the ear */
    /* The state: from here to the end of the slots. */
    ib_bus_count counts[IB_TOPIC_COUNT];
    uint32_t sequence[IB_TOPIC_COUNT];
    uint16_t vehicle, capacity;
    uint16_t first, last, free, waiting;
    slot slots[];
};

const char *ib_topic_name(ib_topic topic) {
    static const char *const names[] = {
#define IB_TOPIC_NAME(id, name) name,
        IB_TOPIC_LIST(IB_TOPIC_NAME)
#undef IB_TOPIC_NAME
    };
    return (size_t)topic < IB_COUNT(names) ? names[topic] : "unknown";
}

ib_bus *ib_bus_create(size_t capacity, uint16_t vehicle, uint64_t key,
                      const ib_bus_topic topics[IB_TOPIC_COUNT]) {
    if (capacity == 0 || capacity >= END)
        return NULL;
    ib_bus *bus = calloc(1, sizeof *bus + capacity * sizeof(slot));
    if (!bus)
        return NULL;
    bus->key = key;
    bus->vehicle = vehicle;
    bus->capacity = (uint16_t)capacity;
    memcpy(bus->topics, topics, sizeof bus->topics);
    bus->first = bus->last = END;
    for (uint16_t i = 0; i < bus->capacity; i++)
        bus->slots[i].next = i + 1 < bus->capacity ? (uint16_t)(i + 1) : END;
    return bus;
}

void ib_bus_destroy(ib_bus *bus) { free(bus); }

/* ---- the two chains ---- */

/* Takes the slot after `before` (END: the first) out of the waiting and frees it. */
static void release(ib_bus *bus, uint16_t before, uint16_t at) {
    const uint16_t next = bus->slots[at].next;
    if (before == END)
        bus->first = next;
    else
        bus->slots[before].next = next;
    if (bus->last == at)
        bus->last = before;
    bus->slots[at].next = bus->free;
    bus->free = at;
    bus->waiting--;
}

static void append(ib_bus *bus, const ib_message *message) {
    const uint16_t at = bus->free;
    bus->free = bus->slots[at].next;
    bus->slots[at].message = *message;
    bus->slots[at].next = END;
    if (bus->last == END)
        bus->first = at;
    else
        bus->slots[bus->last].next = at;
    bus->last = at;
    bus->waiting++;
}

/* Makes room for a message of that priority; false when everything waiting is more important. */
static bool make_room(ib_bus *bus, uint8_t priority) {
    uint16_t before = END, victim = END, victim_before = END;
    for (uint16_t at = bus->first; at != END; before = at, at = bus->slots[at].next)
        if (victim == END || bus->slots[at].message.priority < bus->slots[victim].message.priority)
            victim = at, victim_before = before;
    if (bus->slots[victim].message.priority > priority)
        return false;
    bus->counts[bus->slots[victim].message.topic].dropped++;
    release(bus, victim_before, victim);
    return true;
}

static void put(ib_bus *bus, const ib_message *message) {
    if (bus->waiting == bus->capacity && !make_room(bus, message->priority))
        bus->counts[message->topic].dropped++;
    else
        append(bus, message);
}

/* ---- publishing and taking ---- */

void ib_bus_publish(ib_bus *bus, const ib_message *message, ib_time now, ib_time delay) {
    const ib_bus_topic *topic = &bus->topics[message->topic];
    ib_message copy = *message;
    copy.sequence = bus->sequence[message->topic]++;
    copy.due = now + delay + topic->latency;
    bus->counts[message->topic].published++;
    const bool lost =
        topic->loss > 0 && ib_random_uniform(bus->key, (uint32_t)message->topic, IB_STREAM_LOSS,
                                             copy.sequence) < topic->loss;
    if (bus->ear)
        bus->ear(bus->context, &copy, lost);
    if (lost)
        bus->counts[message->topic].lost++;
    else
        put(bus, &copy);
}

void ib_bus_arrive(ib_bus *bus, const ib_message *message) {
    bus->counts[message->topic].published++;
    if (bus->ear)
        bus->ear(bus->context, message, false);
    put(bus, message);
}

static bool is_for(const ib_message *message, ib_topic topic, uint16_t device) {
    return message->topic == topic &&
           (device == IB_ANY || message->destination == IB_ANY || message->destination == device);
}

bool ib_bus_take(ib_bus *bus, ib_topic topic, uint16_t device, ib_time now, ib_message *message) {
    uint16_t before = END;
    for (uint16_t at = bus->first; at != END; before = at, at = bus->slots[at].next) {
        const ib_message *waiting = &bus->slots[at].message;
        if (waiting->due > now || waiting->vehicle != bus->vehicle ||
            !is_for(waiting, topic, device))
            continue;
        *message = *waiting;
        bus->counts[topic].delivered++;
        release(bus, before, at);
        return true;
    }
    return false;
}

bool ib_bus_depart(ib_bus *bus, ib_time now, ib_message *message) {
    uint16_t before = END;
    for (uint16_t at = bus->first; at != END; before = at, at = bus->slots[at].next) {
        const ib_message *waiting = &bus->slots[at].message;
        if (waiting->due > now || waiting->vehicle == bus->vehicle)
            continue;
        *message = *waiting;
        bus->counts[message->topic].departed++;
        release(bus, before, at);
        return true;
    }
    return false;
}

void ib_bus_listen(ib_bus *bus, ib_bus_ear ear, void *context) {
    bus->ear = ear;
    bus->context = context;
}

size_t ib_bus_waiting(const ib_bus *bus) { return bus->waiting; }

ib_bus_count ib_bus_counts(const ib_bus *bus, ib_topic topic) { return bus->counts[topic]; }

/* ---- snapshots ---- */

size_t ib_bus_state_size(const ib_bus *bus) {
    return sizeof *bus - offsetof(ib_bus, counts) + bus->capacity * sizeof(slot);
}

void ib_bus_save(const ib_bus *bus, void *state) {
    memcpy(state, (const char *)bus + offsetof(ib_bus, counts), ib_bus_state_size(bus));
}

void ib_bus_restore(ib_bus *bus, const void *state) {
    memcpy((char *)bus + offsetof(ib_bus, counts), state, ib_bus_state_size(bus));
}
