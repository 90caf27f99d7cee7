/* Logs of a tick: bounded lists of entries, put together by concatenation. */
#include "world/log.h"

void ib_log_clear(ib_logbook *log) { log->n = log->lost = 0; }

ib_log_entry *ib_log_add(ib_logbook *log, ib_log_kind kind, uint16_t vehicle, uint16_t device,
                         ib_time time) {
    if (log->n == log->capacity) {
        log->lost++;
        return NULL;
    }
    ib_log_entry *entry = &log->entries[log->n++];
    entry->kind = kind;
    entry->vehicle = vehicle;
    entry->device = device;
    entry->time = time;
    entry->code = 0;
    entry->payload = 0;
    return entry;
}

void ib_log_append(ib_logbook *a, const ib_logbook *b) {
    for (size_t i = 0; i < b->n; i++) {
        if (a->n == a->capacity)
            a->lost++;
        else
            a->entries[a->n++] = b->entries[i];
    }
    a->lost += b->lost;
}
