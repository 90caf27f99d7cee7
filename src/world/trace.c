/* What goes on inside, line by line, for --trace: messages on buses, numbers of devices that have
 * stepped, values of events' expressions.
 *
 * Messages are heard while vehicles tick, each vehicle's in a list of its own, and told serially at
 * the tick's end. Nothing here changes what is looked at.
 */
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

enum { HEARD = 1024 }; /* messages of one vehicle in one tick */

typedef struct heard {
    ib_message message;
    bool lost;
} heard;

/* What one vehicle's bus was heard to carry. */
typedef struct ear {
    size_t n, missed;
    heard list[HEARD];
} ear;

struct ib_trace {
    unsigned what;
    void (*sink)(void *context, const ib_trace_line *line);
    void *context;
    ear *ears; /* one a vehicle, or NULL */
    ib_str text;
};

static void hear(void *context, const ib_message *message, bool lost) {
    ear *e = context;
    if (e->n == HEARD)
        e->missed++;
    else
        e->list[e->n++] = (heard){*message, lost};
}

ib_status ib_world_trace(ib_world *world, unsigned what,
                         void (*sink)(void *context, const ib_trace_line *line), void *context,
                         ib_diags *diags) {
    ib_trace *trace = calloc(1, sizeof *trace);
    if (trace && (what & IB_TRACE_BUS))
        trace->ears = calloc(world->n_vehicles, sizeof *trace->ears);
    if (!trace || ((what & IB_TRACE_BUS) && !trace->ears)) {
        free(trace);
        return ib_diags_no_memory(diags);
    }
    trace->what = what;
    trace->sink = sink;
    trace->context = context;
    ib_trace_destroy(world->trace);
    world->trace = trace;
    for (size_t i = 0; i < world->n_vehicles; i++)
        ib_bus_listen(world->vehicles[i].bus, trace->ears ? hear : NULL,
                      trace->ears ? &trace->ears[i] : NULL);
    return IB_OK;
}

void ib_trace_destroy(ib_trace *trace) {
    if (!trace)
        return;
    free(trace->ears);
    ib_str_free(&trace->text);
    free(trace);
}

/* ---- lines ---- */

static void add_number(ib_str *text, const char *name, double value) {
    char number[IB_NUMBER_SIZE];
    ib_str_printf(text, "%s%s%s%s", text->length > 0 ? " " : "", name, name[0] ? "=" : "",
                  ib_number_text(value, number));
}

static void tell(const ib_trace *trace, ib_time time, const char *vehicle, const char *kind,
                 const char *name) {
    if (trace->text.failed)
        return;
    trace->sink(trace->context, &(ib_trace_line){time, vehicle, kind, name,
                                                 trace->text.data ? trace->text.data : ""});
}

/* ---- messages ---- */

static const char *speaker(const ib_vehicle *vehicle, uint16_t address) {
    const ib_family *family = vehicle->family;
    for (size_t i = 0; i < family->n_units; i++)
        if (family->units[i].device.address == address)
            return family->units[i].name;
    return address == IB_COMPUTER_ADDRESS ? "flight_computer" : "mission";
}

static void add_values(ib_str *text, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        add_number(text, "", values[i]);
}

/* The numbers of a message, in SI, in the order of its frame. */
static void add_payload(ib_str *text, const ib_message *message) {
    static const size_t counts[IB_TOPIC_COUNT] = {[IB_TOPIC_ENGINE] = 3,
                                                  [IB_TOPIC_SERVO] = 2,
                                                  [IB_TOPIC_FIN] = 2,
                                                  [IB_TOPIC_INTERLOCK] = 2,
                                                  [IB_TOPIC_ENGINE_COMMAND] = 2,
                                                  [IB_TOPIC_SERVO_COMMAND] = 1,
                                                  [IB_TOPIC_INTERLOCK_COMMAND] = 1,
                                                  [IB_TOPIC_PWM] = 16,
                                                  [IB_TOPIC_USER] = 16};
    const ib_payload *p = &message->payload;
    switch (message->topic) {
    case IB_TOPIC_IMU:
        add_values(text, p->imu.specific_force, 3);
        add_values(text, p->imu.rate, 3);
        add_number(text, "", p->imu.temperature);
        break;
    case IB_TOPIC_GPS:
        add_number(text, "", p->gps.week);
        add_number(text, "", p->gps.time_of_week);
        add_number(text, "", p->gps.place.latitude);
        add_number(text, "", p->gps.place.longitude);
        add_number(text, "", p->gps.place.height);
        add_values(text, p->gps.velocity, 3);
        add_number(text, "", p->gps.fix);
        break;
    case IB_TOPIC_BARO:
        add_number(text, "", p->baro.pressure);
        add_number(text, "", p->baro.temperature);
        break;
    case IB_TOPIC_MAG:
        add_values(text, p->mag.field, 3);
        break;
    case IB_TOPIC_ALTIMETER:
        add_number(text, "", p->altimeter.range);
        break;
    default:
        add_values(text, p->values, counts[message->topic]);
    }
}

static void tell_messages(ib_world *world, ib_trace *trace, const ib_vehicle *vehicle, ear *e) {
    char stamp[IB_NUMBER_SIZE], due[IB_NUMBER_SIZE];
    for (size_t i = 0; i < e->n; i++) {
        const ib_message *m = &e->list[i].message;
        const bool here = m->vehicle == vehicle->index || m->vehicle >= world->n_vehicles;
        ib_str_clear(&trace->text);
        ib_str_printf(&trace->text,
                      "%s -> %s%s%s #%lu stamp %s due %s%s:", speaker(vehicle, m->source),
                      here ? "" : world->vehicles[m->vehicle].name, here ? "" : ".",
                      m->destination == IB_ANY ? "any" : speaker(vehicle, m->destination),
                      (unsigned long)m->sequence, ib_number_text(ib_time_seconds(m->stamp), stamp),
                      ib_number_text(ib_time_seconds(m->due), due), e->list[i].lost ? " lost" : "");
        add_payload(&trace->text, m);
        tell(trace, world->tick.start, vehicle->name, "bus", ib_topic_name(m->topic));
    }
    if (e->missed > 0) {
        ib_str_clear(&trace->text);
        ib_str_printf(&trace->text, "%zu messages more", e->missed);
        tell(trace, world->tick.start, vehicle->name, "bus", "");
    }
    e->n = e->missed = 0;
}

/* ---- devices, events ---- */

static void tell_devices(const ib_world *world, ib_trace *trace, const ib_vehicle *vehicle) {
    const ib_family *family = vehicle->family;
    const char *unit, *meaning;
    for (size_t i = 0; i < family->n_units; i++) {
        const ib_fitting *fitting = &family->units[i];
        if (!(vehicle->state.units >> i & 1) || !ib_beat_due(&fitting->beat, world->tick.number))
            continue;
        ib_str_clear(&trace->text);
        for (size_t k = 0; k < ib_unit_numbers(fitting); k++)
            add_number(&trace->text, ib_unit_number_name(fitting, k, &unit, &meaning),
                       ib_unit_number(fitting, &family->unit_states[i], k));
        tell(trace, world->tick.start, vehicle->name, "device", fitting->name);
    }
}

static void tell_rules(const ib_world *world, ib_trace *trace) {
    for (size_t i = 0; i < world->n_rules; i++) {
        ib_str_clear(&trace->text);
        add_number(&trace->text, "when", world->rule_states[i].value);
        tell(trace, world->tick.end, "", "event", world->rules[i].spec->name);
    }
}

void ib_trace_tick(ib_world *world) {
    ib_trace *trace = world->trace;
    for (size_t i = 0; i < world->n_vehicles; i++) {
        const ib_vehicle *vehicle = &world->vehicles[i];
        if (trace->ears)
            tell_messages(world, trace, vehicle, &trace->ears[i]);
        if ((trace->what & IB_TRACE_DEVICES) && vehicle->state.flies)
            tell_devices(world, trace, vehicle);
    }
    if (trace->what & IB_TRACE_EVENTS)
        tell_rules(world, trace);
}
