/* The scheduler: who ticks when. */
#ifndef IB_WORLD_SCHEDULE_H
#define IB_WORLD_SCHEDULE_H

#include "avionics/avionics.h"

/* The whole nanoseconds of a rate (Hz) or a period (s). IB_BAD_INPUT with a diagnostic at `place`
 * when a rate's period is no whole count (60 Hz; the suggestion names the nearest period), or the
 * number is not positive, not finite or longer than a day. `name` is whose rate it is. */
ib_status ib_period_from_rate(double rate, const char *name, ib_diags *diags, ib_place place,
                              ib_time *period);
ib_status ib_period_from_seconds(double seconds, const char *name, ib_diags *diags, ib_place place,
                                 ib_time *period);

/* One that ticks every `ratio` physics ticks: in ticks 1 + phase, 1 + phase + ratio, ... */
typedef struct ib_beat {
    int64_t ratio; /* at least 1 */
    int64_t phase; /* 0 to ratio - 1, in physics ticks */
} ib_beat;

/* Of a period and a phase (both times) against the physics period. IB_BAD_INPUT with a diagnostic
 * that names both rates, and as suggestion the nearest legal periods, when the physics period does
 * not divide the period; likewise for the phase, which lies below the period. */
ib_status ib_beat_make(ib_time physics, ib_time period, ib_time phase, const char *name,
                       ib_diags *diags, ib_place place, ib_beat *beat);
/* The same of a rate, which is refused in the same words when its period is no whole number of
 * nanoseconds. */
ib_status ib_beat_from_rate(ib_time physics, double rate, ib_time phase, const char *name,
                            ib_diags *diags, ib_place place, ib_beat *beat);
/* Whether it ticks in physics tick k (1, 2, ...), which covers [(k - 1), k] periods. */
bool ib_beat_due(const ib_beat *beat, int64_t tick);
/* The number of its ticks in physics ticks 1 to k. */
int64_t ib_beat_count(const ib_beat *beat, int64_t tick);
/* End of physics tick k. */
ib_time ib_tick_time(ib_time physics, int64_t tick);
/* Number of the last tick that starts before `end`: the ticks of a run to `end`, the last one
 * reaching or passing it. */
int64_t ib_tick_number(ib_time physics, ib_time end);

#endif
