/* Motors behind speed controllers that read pulse widths.
 *
 *     IDLE -pulse-> RUNNING -no pulse for timeout-> FAILSAFE -pulse-> RUNNING; DEAD by a fault
 * A pulse outside the limits, or one that is no number, is no signal. Speeds follow commands with
 * one lag up and another down.
 */
#include "avionics/avionics.h"

static void hear(const ib_motors_spec *spec, int i, double pulse, ib_time now,
                 ib_motors_state *state) {
    if (!(pulse >= spec->pulse_low && pulse <= spec->pulse_high))
        return;
    const double part = (pulse - spec->pulse_min) / (spec->pulse_max - spec->pulse_min);
    state->command[i] = part > 1 ? 1 : part > 0 ? part : 0;
    state->heard[i] = now;
    state->mode[i] = IB_MOTOR_RUNNING;
}

static void turn(const ib_motors_spec *spec, const ib_fault_effect *faults, int i, double seconds,
                 ib_motors_state *state) {
    double goal = state->mode[i] == IB_MOTOR_RUNNING ? state->command[i] * spec->speed : 0;
    if (goal > 0)
        goal += faults->bias[0];
    const double lag = goal > state->speed[i] ? spec->tau_up : spec->tau_down;
    state->speed[i] = ib_follow(state->speed[i], goal, lag * faults->slow, 0, seconds);
}

void ib_motors_step(const ib_device *device, const ib_motors_spec *spec, ib_time now,
                    ib_motors_state *state, ib_bus *bus) {
    const ib_fault_effect faults = ib_device_faults(device, now);
    const int n = (int)spec->n;
    ib_message message;
    ib_time timeout = 0;
    (void)ib_time_from_seconds(spec->timeout, &timeout);
    while (ib_bus_take(bus, IB_TOPIC_PWM, device->address, now, &message)) {
        const bool lost = ib_device_drops(device, faults.dropout, state->commands++);
        for (int i = 0; i < n && !lost; i++)
            hear(spec, i, message.payload.values[i], now, state);
    }
    for (int i = 0; i < n && !faults.stuck; i++) {
        if (state->mode[i] == IB_MOTOR_RUNNING && now - state->heard[i] > timeout)
            state->mode[i] = IB_MOTOR_FAILSAFE;
        if (faults.dead)
            state->mode[i] = IB_MOTOR_DEAD;
        else if (state->mode[i] == IB_MOTOR_DEAD)
            state->mode[i] = IB_MOTOR_FAILSAFE;
        turn(spec, &faults, i, ib_time_seconds(device->period), state);
    }
}
