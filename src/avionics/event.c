/* What devices report to the world: a bounded list a tick. */
#include "avionics/avionics.h"

void ib_events_add(ib_events *events, ib_event_kind kind, uint16_t device, uint32_t payload,
                   ib_time time) {
    if (events->n == IB_EVENTS)
        events->lost++;
    else
        events->list[events->n++] = (ib_event){kind, device, payload, time};
}
