/* Events of Model Exchange: through event mode to a fixed point, and back into continuous time.
 *
 * Rows show the moment before and the moment after. Events that come ever faster, as the impacts of
 * a ball that never rests, have no motion behind the time they gather at: that ends a run, and so
 * do events that leave time standing.
 */
#include "fmi/exchange.h"

#include <math.h> /* HUGE_VAL, fabs */

#define STANDING 1e-13 /* relative: time between events that is none */
#define MOST_STANDING 100
#define GATHERED 1e-8 /* of the first interval: events that come ever faster have gathered */
#define LEAST_SHRINKING 8

/* ---- events without end -------------------------------------------------------------------- */

static ib_status no_end(ib_fmi_exchange *x, const char *what) {
    char number[IB_NUMBER_SIZE];
    const ib_status status = ib_fmi_fail(x->run, IB1072, "%s; the last one was at %s s", what,
                                         ib_number_text(x->events.last, number));
    ib_diags_suggest(x->run->diags,
                     "a model that rests when its motion is too small to matter has an end to it");
    return status;
}

/* Notes an event; `jumped`: it changed states. */
static ib_status watch_events(ib_fmi_exchange *x, double time, bool jumped) {
    ib_fmi_events *e = &x->events;
    const bool standing = time - e->last <= STANDING * fabs(time);
    e->standing = standing ? e->standing + 1 : 0;
    e->last = time;
    if (e->standing > MOST_STANDING)
        return no_end(x, "events follow each other without time passing");
    if (!jumped)
        return IB_OK;
    const double interval = time - e->last_jump;
    const bool shrinks = interval < e->interval;
    e->first = shrinks ? e->first : interval;
    e->shrinking = shrinks ? e->shrinking + 1 : 0;
    e->interval = interval;
    e->last_jump = time;
    if (e->shrinking >= LEAST_SHRINKING && interval < GATHERED * e->first)
        return no_end(x, "events come ever faster and gather at this time");
    return IB_OK;
}

/* ---- event mode ---------------------------------------------------------------------------- */

static ib_status take_next(ib_fmi_exchange *x, const ib_fmi_event *event) {
    const double time = x->run->time;
    char next[IB_NUMBER_SIZE];
    x->next_event = event->has_next ? event->next : HUGE_VAL;
    x->next_input = ib_fmi_next_input_event(x->run, time);
    if (!event->has_next)
        return IB_OK;
    if (event->next != event->next || event->next < time - STANDING * fabs(time))
        return ib_fmi_fail(x->run, IB1072, "the FMU announces its next event for %s s",
                           ib_number_text(event->next, next));
    return IB_OK;
}

/* Updates to a fixed point and leaves event mode, unless the FMU wants to end. */
static ib_status update(ib_fmi_exchange *x, bool first) {
    ib_fmi_event event;
    const double time = x->run->time;
    ib_status status = ib_fmi_update_discrete(x->instance, &event);
    if (status != IB_OK)
        return status;
    x->began = time;
    x->terminate |= event.terminate;
    if (x->terminate)
        return IB_OK;
    status = take_next(x, &event);
    if (status == IB_OK)
        status = ib_fmi_enter_continuous_mode(x->instance);
    if (status == IB_OK)
        status = ib_fmi_restart(x, time, first || event.nominals_changed);
    if (status == IB_OK && !first)
        status = watch_events(x, time, event.values_changed);
    return status;
}

ib_status ib_fmi_first_event(ib_fmi_exchange *x) {
    x->events.last = x->events.last_jump = x->run->time;
    x->events.interval = HUGE_VAL;
    const ib_status status = update(x, true);
    x->next_row = 1;
    return status == IB_OK ? ib_fmi_record(x->run, x->run->time) : status;
}

ib_status ib_fmi_finish_event(ib_fmi_exchange *x) {
    x->run->statistics.events++;
    return update(x, false);
}

ib_status ib_fmi_handle_event(ib_fmi_exchange *x) {
    ib_fmu_run *run = x->run;
    ib_status status = ib_fmi_record(run, run->time);
    if (status == IB_OK)
        status = ib_fmi_enter_event_mode(x->instance);
    if (status == IB_OK)
        status = ib_fmi_apply_inputs(run, run->time, false, false);
    if (status == IB_OK)
        status = update(x, false);
    run->statistics.events++;
    return status == IB_OK ? ib_fmi_record_again(run, run->time) : status;
}
