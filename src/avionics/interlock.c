/* The ignition and interlock unit: a sequence of arming, firing and separating, and the interlock
 * that nothing fires unarmed.
 *
 * Steps wait for their trigger, then for their delay, then act; several may act in one tick. Events
 * go to the world, which decides what they mean; nothing here changes a vehicle.
 */
#include "avionics/avionics.h"

static void listen(const ib_device *device, const ib_fault_effect *faults, ib_time now,
                   ib_interlock_state *state, ib_bus *bus) {
    ib_message message;
    while (ib_bus_take(bus, IB_TOPIC_INTERLOCK_COMMAND, device->address, now, &message)) {
        const double what = message.payload.values[0];
        if (faults->dead || ib_device_drops(device, faults->dropout, state->commands++))
            continue;
        if (what >= IB_INTERLOCK_ARM && what <= IB_INTERLOCK_ARM)
            state->mode = state->mode == IB_INTERLOCK_SAFE ? IB_INTERLOCK_ARMED : state->mode;
        else if (what >= IB_INTERLOCK_FIRE && what <= IB_INTERLOCK_FIRE &&
                 state->mode != IB_INTERLOCK_SAFE)
            state->fire_seen = true;
        else
            state->refused++;
    }
}

static bool happened(const ib_interlock_step *step, const ib_events *events) {
    for (int i = 0; i < events->n; i++)
        if (events->list[i].kind == step->event && events->list[i].device == step->device)
            return true;
    return false;
}

/* Whether the waiting step's delay runs. A previous step's time is already in `since`. */
static bool is_triggered(const ib_interlock_step *step, ib_time now, const ib_events *events,
                         ib_interlock_state *state) {
    if (state->triggered)
        return true;
    if (step->trigger == IB_TRIGGER_EVENT && happened(step, events)) {
        state->since = now;
        state->triggered = true;
    } else if (step->trigger == IB_TRIGGER_COMMAND && state->fire_seen) {
        state->fire_seen = false;
        state->since = now;
        state->triggered = true;
    } else if (step->trigger == IB_TRIGGER_PREVIOUS) {
        state->triggered = true;
    }
    return state->triggered;
}

/* False when the interlock forbids it. */
static bool act(const ib_device *device, const ib_interlock_step *step, ib_time now,
                ib_interlock_state *state, ib_events *events) {
    static const ib_event_kind reports[] = {[IB_ACTION_FIRE] = IB_EVENT_BOLT_FIRED,
                                            [IB_ACTION_SEPARATE] = IB_EVENT_STAGE_SEPARATION,
                                            [IB_ACTION_DEPLOY] = IB_EVENT_FIN_DEPLOY};
    if (step->action == IB_ACTION_ARM) {
        if (state->mode == IB_INTERLOCK_SAFE)
            state->mode = IB_INTERLOCK_ARMED;
        return true;
    }
    if (step->action != IB_ACTION_DEPLOY && state->mode == IB_INTERLOCK_SAFE)
        return false;
    if (step->action == IB_ACTION_FIRE) {
        state->bolts |= step->payload;
        state->mode = IB_INTERLOCK_FIRED;
    }
    ib_events_add(events, reports[step->action], device->address, step->payload, now);
    return true;
}

void ib_interlock_step_run(const ib_device *device, const ib_interlock_spec *spec, ib_time now,
                           ib_interlock_state *state, ib_bus *bus, ib_events *events) {
    const ib_fault_effect faults = ib_device_faults(device, now);
    listen(device, &faults, now, state, bus);
    while (!faults.dead && !faults.stuck && state->next < spec->n) {
        const ib_interlock_step *step = &spec->steps[state->next];
        if (!is_triggered(step, now, events, state) || now - state->since < step->delay)
            break;
        if (!act(device, step, now, state, events)) {
            state->refused++;
            break;
        }
        state->next++;
        state->triggered = false;
        state->since = now;
    }
    const ib_payload payload = {.values = {state->mode, state->bolts}};
    ib_device_publish(device, bus, IB_TOPIC_INTERLOCK, now, now, 0, &payload);
}
