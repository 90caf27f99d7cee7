/* Stage 2 of a vehicle's tick: the flight computer, where there is one and it is due. One that
 * keeps its own time (mode hil_fcc) gets mail in every tick.
 *
 * It sees this tick's sensor messages. What is due for it leaves the bus in every tick, so that
 * fast devices do not fill it between two ticks of the computer.
 */
#include "world/world_internal.h"

#include <stdio.h>
#include <string.h>

static void fill_signals(const ib_vehicle *vehicle, double *user) {
    const ib_family *family = vehicle->family;
    for (size_t i = 0; i < vehicle->n_signals; i++) {
        const ib_signal *signal = &vehicle->signals[i];
        if (!(vehicle->state.units >> signal->unit & 1))
            continue; /* it has left with its part */
        const double value =
            ib_unit_number(&family->units[signal->unit], &family->unit_states[signal->unit],
                           (size_t)signal->number);
        user[signal->user] = value == value ? value : 0;
    }
}

static void log_line(ib_vehicle *vehicle, ib_time now) {
    if (vehicle->reply->log_text[0] == '\0')
        return;
    ib_log_entry *entry =
        ib_log_add(&vehicle->log, IB_LOG_COMPUTER, vehicle->index, IB_COMPUTER_ADDRESS, now);
    if (entry)
        memcpy(entry->with.text, vehicle->reply->log_text, sizeof entry->with.text);
}

/* Commands to devices that have left with their part reach nobody. */
static void forget_departed(ib_vehicle *vehicle, ib_time now) {
    static const ib_topic commands[] = {IB_TOPIC_ENGINE_COMMAND, IB_TOPIC_SERVO_COMMAND,
                                        IB_TOPIC_INTERLOCK_COMMAND, IB_TOPIC_PWM};
    const ib_family *family = vehicle->family;
    ib_message message;
    for (size_t i = 0; i < family->n_units; i++)
        for (size_t k = 0; k < IB_COUNT(commands) && !(vehicle->state.units >> i & 1); k++)
            while (ib_bus_take(vehicle->bus, commands[k], family->units[i].device.address, now,
                               &message))
                continue;
}

/* The computer's tick; where the run goes by the clock, with the time that it takes. */
static ib_status tick(const ib_world *world, ib_vehicle *vehicle, ib_time now) {
    ib_pace *pace = &vehicle->pace;
    const double before = world->realtime > 0 ? ib_wall_seconds() : 0;
    const ib_status status =
        ib_computer_tick(vehicle->computer, vehicle->frame, vehicle->reply, vehicle->diags);
    if (!(world->realtime > 0))
        return status;
    const double taken = ib_wall_seconds() - before;
    pace->ticks++;
    pace->late += taken * world->realtime > ib_time_seconds(world->computer_period);
    if (taken > pace->worst) {
        pace->worst = taken;
        pace->worst_at = now;
    }
    return status;
}

static ib_status think(const ib_world *world, ib_vehicle *vehicle, ib_time now) {
    ib_fcc_in *frame = vehicle->frame;
    fill_signals(vehicle, frame->user);
    ib_frame_begin(frame, now, world->computer_period);
    const ib_status status = tick(world, vehicle, now);
    if (status != IB_OK)
        return status;
    ib_frame_end(frame);
    log_line(vehicle, now);
    const ib_status published = ib_frame_publish(&vehicle->wiring, vehicle->reply, frame->tick,
                                                 vehicle->name, now, vehicle->bus, vehicle->diags);
    forget_departed(vehicle, now);
    return published;
}

/* ---- by mail -------------------------------------------------------------------------------- */

/* What the computer says in mail of a tick that is new. */
static void hear(ib_vehicle *vehicle, ib_time now) {
    const ib_fcc_mail *answer = vehicle->answer;
    ib_fcc_out *reply = vehicle->reply;
    if (answer->ticks <= vehicle->frame->tick)
        return;
    vehicle->frame->tick = answer->ticks;
    reply->n_user = answer->n_user;
    reply->n_pwm = answer->n_pwm;
    memcpy(reply->user, answer->user, sizeof reply->user);
    memcpy(reply->pwm, answer->pwm, sizeof reply->pwm);
    memcpy(reply->log_text, answer->log_text, sizeof reply->log_text);
    log_line(vehicle, now);
    ib_mail_publish(&vehicle->wiring, answer, now, vehicle->bus);
    forget_departed(vehicle, now);
}

/* Sends what devices have said, and takes what the computer has. */
static ib_status correspond(ib_vehicle *vehicle, ib_time now) {
    ib_fcc_mail *mail = vehicle->mail;
    bool any = true;
    ib_mail_begin(mail, now);
    ib_mail_absorb(&vehicle->wiring, vehicle->bus, now, mail);
    mail->n_user = vehicle->wiring.n_user_in;
    fill_signals(vehicle, mail->user);
    while (any) {
        const ib_status status =
            ib_computer_post(vehicle->computer, mail, vehicle->answer, &any, vehicle->diags);
        if (status != IB_OK)
            return status;
        if (any)
            hear(vehicle, now);
        any = any && vehicle->own_clock; /* others answer once */
        mail = NULL;
    }
    return IB_OK;
}

/* Without a computer what devices say is heard by the recorder alone, and does not fill the bus. */
static void let_go(ib_vehicle *vehicle, ib_time now) {
    ib_message message;
    for (int topic = IB_TOPIC_IMU; topic <= IB_TOPIC_INTERLOCK; topic++)
        while (ib_bus_take(vehicle->bus, (ib_topic)topic, IB_COMPUTER_ADDRESS, now, &message))
            continue;
}

void ib_vehicle_compute(ib_world *world, ib_vehicle *vehicle, const ib_tick *tick) {
    if (!vehicle->computer) {
        if (vehicle->state.units)
            let_go(vehicle, tick->start);
        return;
    }
    if (vehicle->mail) {
        vehicle->status = correspond(vehicle, tick->start);
        return;
    }
    ib_frame_absorb(&vehicle->wiring, vehicle->bus, tick->start, vehicle->frame);
    if (tick->computers)
        vehicle->status = think(world, vehicle, tick->start);
}
