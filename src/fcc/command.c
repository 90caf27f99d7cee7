/* From what a flight computer writes, an output frame or mail, to messages on a vehicle's bus: each
 * command becomes one to its device. What a device will not obey, a throttle above 1 say, is its
 * own business.
 */
#include "fcc/internal.h"

#include <string.h>

typedef struct sender {
    const ib_fcc_wiring *wiring;
    ib_bus *bus;
    ib_time now;
} sender;

static void command(const sender *to, ib_topic topic, ib_fcc_kind kind, uint32_t i,
                    const ib_payload *payload) {
    const ib_message message = {.topic = topic,
                                .source = to->wiring->address,
                                .destination = to->wiring->device[kind][i],
                                .vehicle = to->wiring->vehicle,
                                .priority = to->wiring->priority,
                                .stamp = to->now,
                                .payload = *payload};
    ib_bus_publish(to->bus, &message, to->now, 0);
}

static void say(const sender *to, ib_topic topic, ib_fcc_kind kind, uint32_t i, double first,
                double second) {
    const ib_payload payload = {.values = {first, second}};
    command(to, topic, kind, i, &payload);
}

static void command_engine(const sender *to, uint32_t i, const ib_fcc_engine_command *engine) {
    const ib_fcc_kind kind = IB_FCC_KIND_ENGINE;
    if (engine->throttled)
        say(to, IB_TOPIC_ENGINE_COMMAND, kind, i, IB_ENGINE_THROTTLE, engine->throttle);
    if (engine->stop)
        say(to, IB_TOPIC_ENGINE_COMMAND, kind, i, IB_ENGINE_STOP, 0);
    else if (engine->start)
        say(to, IB_TOPIC_ENGINE_COMMAND, kind, i, IB_ENGINE_START, 0);
}

static void command_interlock(const sender *to, uint32_t i,
                              const ib_fcc_interlock_command *interlock) {
    const ib_fcc_kind kind = IB_FCC_KIND_INTERLOCK;
    if (interlock->arm)
        say(to, IB_TOPIC_INTERLOCK_COMMAND, kind, i, IB_INTERLOCK_ARM, 0);
    if (interlock->fire)
        say(to, IB_TOPIC_INTERLOCK_COMMAND, kind, i, IB_INTERLOCK_FIRE, 0);
}

static void command_motors(const sender *to, const double *pwm, uint32_t n) {
    ib_payload payload = {.values = {0}};
    _Static_assert(sizeof payload.values == IB_FCC_PWM * sizeof *pwm, "a pulse width each");
    memcpy(payload.values, pwm, n * sizeof *pwm);
    if (n && to->wiring->n[IB_FCC_KIND_MOTORS])
        command(to, IB_TOPIC_PWM, IB_FCC_KIND_MOTORS, 0, &payload);
}

/* The commands that go nowhere: IB_FCC_KIND_COUNT when there are none, else the kind. */
static ib_fcc_kind excess(const ib_fcc_wiring *wiring, const ib_fcc_out *out, uint32_t *wanted) {
    const struct {
        ib_fcc_kind kind;
        uint32_t n;
    } commands[] = {{IB_FCC_KIND_ENGINE, out->n_engine},
                    {IB_FCC_KIND_SERVO, out->n_servo},
                    {IB_FCC_KIND_FIN, out->n_fin},
                    {IB_FCC_KIND_INTERLOCK, out->n_interlock}};
    for (size_t i = 0; i < IB_COUNT(commands); i++)
        if (commands[i].n > wiring->n[commands[i].kind]) {
            *wanted = commands[i].n;
            return commands[i].kind;
        }
    return IB_FCC_KIND_COUNT;
}

ib_status ib_frame_publish(const ib_fcc_wiring *wiring, const ib_fcc_out *out, int64_t tick,
                           const char *vehicle, ib_time now, ib_bus *bus, ib_diags *diags) {
    const sender to = {wiring, bus, now};
    uint32_t wanted = 0;
    const ib_fcc_kind kind = excess(wiring, out, &wanted);
    if (kind != IB_FCC_KIND_COUNT) {
        ib_diags_add(diags, IB_ERROR, IB1208, IB_NO_PLACE,
                     "%s: flight computer, tick %lld: it commands %u devices of type %s; the "
                     "vehicle has %u",
                     vehicle, (long long)tick, wanted, ib_fcc_kind_name(kind), wiring->n[kind]);
        return IB_SIMULATION_FAILED;
    }
    for (uint32_t i = 0; i < out->n_engine; i++)
        command_engine(&to, i, &out->engine[i]);
    for (uint32_t i = 0; i < out->n_servo; i++)
        say(&to, IB_TOPIC_SERVO_COMMAND, IB_FCC_KIND_SERVO, i, out->servo[i], 0);
    for (uint32_t i = 0; i < out->n_fin; i++)
        say(&to, IB_TOPIC_SERVO_COMMAND, IB_FCC_KIND_FIN, i, out->fin[i], 0);
    for (uint32_t i = 0; i < out->n_interlock; i++)
        command_interlock(&to, i, &out->interlock[i]);
    command_motors(&to, out->pwm, out->n_pwm);
    return IB_OK;
}

void ib_mail_publish(const ib_fcc_wiring *wiring, const ib_fcc_mail *mail, ib_time now,
                     ib_bus *bus) {
    const sender to = {wiring, bus, now};
    for (uint32_t i = 0; i < mail->n_messages; i++) {
        const ib_fcc_message *message = &mail->messages[i];
        ib_fcc_engine_command engine;
        ib_fcc_interlock_command interlock;
        double angle;
        if (message->kind == IB_FCC_KIND_ENGINE) {
            memcpy(&engine, message->body, sizeof engine);
            command_engine(&to, message->device, &engine);
        } else if (message->kind == IB_FCC_KIND_INTERLOCK) {
            memcpy(&interlock, message->body, sizeof interlock);
            command_interlock(&to, message->device, &interlock);
        } else {
            memcpy(&angle, message->body, sizeof angle);
            say(&to, IB_TOPIC_SERVO_COMMAND, (ib_fcc_kind)message->kind, message->device, angle, 0);
        }
    }
    command_motors(&to, mail->pwm, mail->n_pwm);
}
