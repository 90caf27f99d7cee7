/* What happened in a tick, in words: the log's entries as events.csv has them; and the accounts of
 * the buses.
 */
#include "world/world_internal.h"

#include <string.h>

static const char *unit_name(const ib_vehicle *vehicle, uint16_t address) {
    const ib_family *family = vehicle->family;
    for (size_t i = 0; i < family->n_units; i++)
        if (family->units[i].device.address == address)
            return family->units[i].name;
    return "";
}

static ib_happening of_event(const ib_vehicle *vehicle, const ib_log_entry *entry) {
    static const char *const names[] = {[IB_EVENT_ENGINE_SHUTDOWN] = "engine_shutdown",
                                        [IB_EVENT_BOLT_FIRED] = "bolt_fired",
                                        [IB_EVENT_STAGE_SEPARATION] = "stage_separation",
                                        [IB_EVENT_FIN_DEPLOY] = "fin_deploy"};
    const bool named =
        entry->code == IB_EVENT_STAGE_SEPARATION && entry->payload < vehicle->family->n_releases;
    return (ib_happening){entry->time, vehicle->name, unit_name(vehicle, entry->device),
                          names[entry->code],
                          named ? vehicle->family->releases[entry->payload].name : ""};
}

static ib_happening of_crossing(const ib_world *world, const ib_log_entry *entry) {
    static const char *const names[] = {[IB_DO_MARK] = "mark",
                                        [IB_DO_STOP] = "stop",
                                        [IB_DO_TRANSITION] = "transition",
                                        [IB_DO_SEPARATE] = "separate",
                                        [IB_DO_START] = "start",
                                        [IB_DO_SHUTDOWN] = "shutdown",
                                        [IB_DO_SET] = "set"};
    const ib_event_spec *spec = world->rules[entry->payload].spec;
    const ib_action_spec *action = &spec->actions[entry->code];
    return (ib_happening){entry->time, action->vehicle, spec->name, names[action->kind],
                          action->kind == IB_DO_MARK ? action->mark : action->to};
}

static ib_happening of_operation(const ib_world *world, const ib_vehicle *vehicle,
                                 const ib_log_entry *entry) {
    const bool separation = entry->code == IB_OPERATION_SEPARATE;
    const char *detail =
        separation ? world->vehicles[vehicle->family->releases[entry->payload].vehicle].name
                   : world->words[entry->payload];
    return (ib_happening){entry->time, vehicle->name, "", separation ? "separated" : "stage",
                          detail};
}

size_t ib_world_happenings(const ib_world *world) { return world->log.n; }

ib_happening ib_world_happening(const ib_world *world, size_t i) {
    const ib_log_entry *entry = &world->log.entries[i];
    const ib_vehicle *vehicle =
        entry->vehicle < world->n_vehicles ? &world->vehicles[entry->vehicle] : NULL;
    switch (entry->kind) {
    case IB_LOG_EVENT:
        return of_event(vehicle, entry);
    case IB_LOG_CROSSING:
        return of_crossing(world, entry);
    case IB_LOG_OPERATION:
        return of_operation(world, vehicle, entry);
    case IB_LOG_COMPUTER:
        return (ib_happening){entry->time, vehicle->name, "flight_computer", "log",
                              entry->with.text};
    case IB_LOG_FORCE:
        break;
    }
    return (ib_happening){entry->time, "", "", "", ""};
}

bool ib_world_pace_record(const ib_world *world, size_t i, ib_pace_record *record) {
    if (i >= world->n_vehicles)
        return false;
    const ib_pace *pace = &world->vehicles[i].pace;
    *record = (ib_pace_record){world->vehicles[i].name, pace->ticks, pace->late, pace->worst,
                               pace->worst_at};
    return true;
}

bool ib_world_bus_record(const ib_world *world, size_t i, ib_bus_record *record) {
    const size_t vehicle = i / IB_TOPIC_COUNT;
    const ib_topic topic = (ib_topic)(i % IB_TOPIC_COUNT);
    if (vehicle >= world->n_vehicles)
        return false;
    const ib_bus_count count = ib_bus_counts(world->vehicles[vehicle].bus, topic);
    *record = (ib_bus_record){world->vehicles[vehicle].name,
                              ib_topic_name(topic),
                              count.published,
                              count.delivered,
                              count.departed,
                              count.lost,
                              count.dropped};
    return true;
}
