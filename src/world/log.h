/* Logs: what a tick leaves behind besides the new state. Under ib_log_append they are a monoid: it
 * is associative, and the empty log changes nothing. */
#ifndef IB_WORLD_LOG_H
#define IB_WORLD_LOG_H

#include "avionics/avionics.h"

typedef enum ib_log_kind {
    IB_LOG_EVENT,     /* a device's, before anybody has interpreted it */
    IB_LOG_COMPUTER,  /* a line of a flight computer's */
    IB_LOG_CROSSING,  /* of a mission's event */
    IB_LOG_OPERATION, /* applied to the topology */
    IB_LOG_FORCE,     /* the sum of forces and torques, where tracing is on */
} ib_log_kind;

#define IB_LOG_TEXT 256

typedef struct ib_log_entry {
    ib_log_kind kind;
    uint16_t vehicle, device; /* IB_ANY: none */
    ib_time time;
    int code;         /* event, action or operation */
    uint32_t payload; /* what it concerns */
    union {
        double value[6];
        char text[IB_LOG_TEXT];
    } with;
} ib_log_entry;

/* Entries in order; what has no room is counted. */
typedef struct ib_logbook {
    size_t n, capacity, lost;
    ib_log_entry *entries; /* [capacity], of the log's maker */
} ib_logbook;

void ib_log_clear(ib_logbook *log);
/* A new entry, or NULL when the log is full. Its text and values are not cleared. */
ib_log_entry *ib_log_add(ib_logbook *log, ib_log_kind kind, uint16_t vehicle, uint16_t device,
                         ib_time time);
/* a = a + b. */
void ib_log_append(ib_logbook *a, const ib_logbook *b);

#endif
