/* A servo: lag, rate limit, dead band, backlash, bias, stops, and the ways in which it fails.
 *
 * The motor follows x' = (u - x)/lag within +-limit, solved exactly for a command that is held over
 * the period: at the limit until the lag alone asks for less, then exponentially. The surface is
 * dragged along by the two sides of the backlash. There is no inertia and no load.
 */
#include "avionics/avionics.h"

double ib_follow(double x, double u, double lag, double limit, double seconds) {
    const double sign = u < x ? -1 : 1;
    const double bounded = limit > 0 ? (sign * (u - x) - limit * lag) / limit : 0;
    if (bounded >= seconds)
        return x + sign * limit * seconds;
    if (bounded > 0) {
        x += sign * limit * bounded;
        seconds -= bounded;
    }
    return lag > 0 ? u - (u - x) * ib_exp(-seconds / lag) : u;
}

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static void listen(const ib_device *device, const ib_fault_effect *faults, ib_time now,
                   ib_servo_state *state, ib_bus *bus) {
    ib_message message;
    while (ib_bus_take(bus, IB_TOPIC_SERVO_COMMAND, device->address, now, &message)) {
        const double angle = message.payload.values[0];
        const bool lost = ib_device_drops(device, faults->dropout, state->commands++);
        if (!lost && angle >= -1e9 && angle <= 1e9)
            state->command = angle;
    }
}

/* Where the motor is driven to. */
static double drive(const ib_servo_spec *spec, const ib_fault_effect *faults,
                    ib_servo_state *state) {
    const double change = state->command - state->target;
    if (change > spec->dead_band || change < -spec->dead_band)
        state->target = state->command;
    if (faults->hard_over)
        return faults->hard_over > 0 ? spec->highest : spec->lowest;
    return clamp(state->target + spec->bias + faults->bias[0], spec->lowest, spec->highest);
}

static void move(const ib_servo_spec *spec, const ib_fault_effect *faults, double seconds,
                 ib_servo_state *state) {
    const double before = state->motor, u = drive(spec, faults, state);
    if (faults->dead || faults->floating) {
        state->motor = clamp(ib_follow(before, spec->free_angle, spec->free_lag, 0, seconds),
                             spec->lowest, spec->highest);
        state->mode = IB_SERVO_FLOATING;
    } else if (faults->stuck) {
        state->mode = IB_SERVO_STUCK;
    } else {
        state->motor = ib_follow(before, u, spec->lag * faults->slow,
                                 spec->rate_limit / faults->slow, seconds);
        const bool moved = state->motor < before || state->motor > before;
        const bool stopped = state->motor <= spec->lowest || state->motor >= spec->highest;
        state->mode = faults->hard_over ? IB_SERVO_HARD_OVER
                      : stopped         ? IB_SERVO_AT_STOP
                      : moved           ? IB_SERVO_MOVING
                                        : IB_SERVO_HOLDING;
    }
    state->angle =
        clamp(state->angle, state->motor - spec->backlash / 2, state->motor + spec->backlash / 2);
}

void ib_servo_step(const ib_device *device, const ib_servo_spec *spec, ib_topic topic, ib_time now,
                   ib_servo_state *state, ib_bus *bus) {
    const ib_fault_effect faults = ib_device_faults(device, now);
    listen(device, &faults, now, state, bus);
    move(spec, &faults, ib_time_seconds(device->period), state);
    const ib_payload payload = {.values = {state->mode, state->angle}};
    ib_device_publish(device, bus, topic, now, now, 0, &payload);
}
