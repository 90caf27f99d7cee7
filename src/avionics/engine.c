/* An engine controller: start and shutdown sequences, throttle, ways of failing.
 *
 *     OFF -start-> IGNITING -delay-> RISING -full-> RUNNING -stop or empty-> DECAYING -> OFF
 *     any but OFF -dead-> FAILED
 * Thrust rises and decays in a straight line and follows the throttle with a lag. Transitions fall
 * on the device's steps. Mass flow is thrust / (impulse g0), g0 = 9.80665 m/s^2; back pressure of
 * the air is not this module's.
 */
#include "avionics/avionics.h"

#define G0 9.80665

static void start(const ib_engine_spec *spec, const ib_fault_effect *faults, ib_time now,
                  ib_engine_state *state) {
    ib_time delay = 0;
    if (state->mode != IB_ENGINE_OFF || state->starts >= spec->starts) {
        state->refused++;
        return;
    }
    (void)ib_time_from_seconds(spec->ignition_delay * faults->slow, &delay);
    state->mode = IB_ENGINE_IGNITING;
    if (!state->throttled)
        state->throttle = 1;
    state->ignites = now + delay;
    state->starts++;
}

static void stop(ib_engine_state *state) {
    if (state->mode == IB_ENGINE_IGNITING)
        state->mode = IB_ENGINE_OFF;
    else if (state->mode == IB_ENGINE_RISING || state->mode == IB_ENGINE_RUNNING)
        state->mode = IB_ENGINE_DECAYING;
    else
        state->refused++;
}

static void set_throttle(const ib_engine_spec *spec, double throttle, ib_engine_state *state) {
    if (!(throttle >= 0 && throttle <= 1)) {
        state->refused++;
    } else {
        state->throttle = throttle < spec->throttle_min ? spec->throttle_min : throttle;
        state->throttled = true;
    }
}

static void obey(const ib_engine_spec *spec, const ib_fault_effect *faults, const double *values,
                 ib_time now, ib_engine_state *state) {
    if (values[0] >= IB_ENGINE_START && values[0] <= IB_ENGINE_START)
        start(spec, faults, now, state);
    else if (values[0] >= IB_ENGINE_STOP && values[0] <= IB_ENGINE_STOP)
        stop(state);
    else if (values[0] >= IB_ENGINE_THROTTLE && values[0] <= IB_ENGINE_THROTTLE)
        set_throttle(spec, values[1], state);
    else
        state->refused++;
}

static void listen(const ib_device *device, const ib_engine_spec *spec,
                   const ib_fault_effect *faults, ib_time now, ib_engine_state *state,
                   ib_bus *bus) {
    ib_message message;
    while (ib_bus_take(bus, IB_TOPIC_ENGINE_COMMAND, device->address, now, &message)) {
        const bool lost = ib_device_drops(device, faults->dropout, state->commands++);
        if (!lost && !faults->stuck && state->mode != IB_ENGINE_FAILED)
            obey(spec, faults, message.payload.values, now, state);
    }
}

/* `level` moved towards `goal` along a line that takes `span` seconds from 0 to 1. */
static double ramp(double level, double goal, double span, double seconds) {
    const double step = span > 0 ? seconds / span : 1;
    if (goal > level)
        return goal - level > step ? level + step : goal;
    return level - goal > step ? level - step : goal;
}

/* Runs the sequence over one period. */
static void advance(const ib_engine_spec *spec, const ib_fault_effect *faults, ib_time now,
                    double seconds, ib_engine_state *state) {
    if (state->mode == IB_ENGINE_IGNITING && now >= state->ignites)
        state->mode = IB_ENGINE_RISING;
    switch (state->mode) {
    case IB_ENGINE_RISING:
        state->level = ramp(state->level, state->throttle, spec->build_up * faults->slow, seconds);
        if (state->level >= state->throttle)
            state->mode = IB_ENGINE_RUNNING;
        break;
    case IB_ENGINE_RUNNING:
        state->level =
            ib_follow(state->level, state->throttle, spec->throttle_lag * faults->slow, 0, seconds);
        break;
    case IB_ENGINE_DECAYING:
        state->level = ramp(state->level, 0, spec->decay * faults->slow, seconds);
        if (!(state->level > 0))
            state->mode = IB_ENGINE_OFF;
        break;
    default:
        state->level = 0;
    }
}

static void act(const ib_device *device, const ib_engine_spec *spec, const ib_fault_effect *faults,
                double seconds, ib_engine_state *state, ib_engine_effect *effect) {
    const uint64_t sample = state->sample++;
    const double deviation = spec->roughness * faults->noise[0] / sqrt(seconds);
    double level = state->level;
    if (level > 0)
        level += faults->bias[0];
    if (level > 0 && deviation > 0)
        level *= 1 + deviation * ib_stream_normal(device->key, 0, sample);
    effect->thrust = level > 0 ? level * spec->thrust : 0;
    effect->pressure = level > 0 ? level * spec->pressure : 0;
    effect->mass_flow = effect->thrust / (spec->impulse * G0);
}

static bool burns(ib_engine_mode mode) {
    return mode == IB_ENGINE_RISING || mode == IB_ENGINE_RUNNING || mode == IB_ENGINE_DECAYING;
}

void ib_engine_step(const ib_device *device, const ib_engine_spec *spec, double propellant,
                    ib_time now, ib_engine_state *state, ib_engine_effect *effect, ib_bus *bus,
                    ib_events *events) {
    const ib_fault_effect faults = ib_device_faults(device, now);
    const double seconds = ib_time_seconds(device->period);
    const bool burned = burns(state->mode);
    listen(device, spec, &faults, now, state, bus);
    if (faults.dead && state->mode != IB_ENGINE_OFF)
        state->mode = IB_ENGINE_FAILED;
    if (!(propellant > 0) && (state->mode == IB_ENGINE_RISING || state->mode == IB_ENGINE_RUNNING))
        state->mode = IB_ENGINE_DECAYING;
    if (!faults.stuck || state->mode == IB_ENGINE_FAILED)
        advance(spec, &faults, now, seconds, state);
    act(device, spec, &faults, seconds, state, effect);
    if (burned && !burns(state->mode))
        ib_events_add(events, IB_EVENT_ENGINE_SHUTDOWN, device->address, 0, now);
    const ib_payload payload = {.values = {state->mode, effect->thrust, effect->pressure}};
    ib_device_publish(device, bus, IB_TOPIC_ENGINE, now, now, 0, &payload);
}
