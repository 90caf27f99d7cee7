/* The tick of a vehicle and of the world: the seed's figure.
 *
 *     A  time advances, and who ticks is decided
 *     B  each vehicle:  1 avionics  2 flight computer  3 forces  4 integration  5 truth
 *     C  messages between vehicles
 *     D  events become operations on the topology
 * A vehicle's tick reads the world's environment and writes its own vehicle alone, so that B may
 * run in parallel; C and D are serial. With the physics frozen (avionics_dry) 3 and 4 are left out.
 */
#include "world/world_internal.h"

#include <string.h>

/* ---- B: one vehicle ---- */

static void tick_vehicle(ib_world *world, ib_vehicle *vehicle) {
    const ib_tick *tick = &world->tick;
    const int index = vehicle->index;
    const bool frozen = world->mission->mode == IB_MODE_DRY;
    ib_log_clear(&vehicle->log);
    vehicle->status = IB_OK;

    ib_world_enter(world, index, IB_STAGE_AVIONICS);
    ib_vehicle_avionics(world, vehicle, tick);

    ib_world_enter(world, index, IB_STAGE_COMPUTER);
    ib_vehicle_compute(world, vehicle, tick);

    if (!frozen && vehicle->status == IB_OK) {
        ib_world_enter(world, index, IB_STAGE_FORCES);
        ib_vehicle_forces(world, vehicle);

        ib_world_enter(world, index, IB_STAGE_INTEGRATE);
        ib_vehicle_integrate(world, vehicle, tick);
    }
    if (vehicle->status != IB_OK)
        ib_diags_note(vehicle->diags, IB_NO_PLACE, "in vehicle '%s', tick %lld", vehicle->name,
                      (long long)tick->number);
    if (frozen)
        ib_vehicle_probe(vehicle, &world->environment, tick->end);

    ib_world_enter(world, index, IB_STAGE_TRUTH);
}

/* ---- the world's stages ---- */

static void advance_time(ib_world *world) {
    const int64_t number = ++world->state.tick;
    world->tick = (ib_tick){.number = number,
                            .start = ib_tick_time(world->period, number - 1),
                            .end = ib_tick_time(world->period, number),
                            .computers = ib_beat_due(&world->computer_beat, number)};
    ib_log_clear(&world->log);
}

/* The part of the vehicles that one thread ticks: every n-th. */
static void tick_share(void *context, int part) {
    ib_world *world = context;
    const size_t step = world->pool ? (size_t)ib_pool_size(world->pool) : 1;
    const ib_floating before = ib_floating_enter();
    for (size_t i = (size_t)part; i < world->n_vehicles; i += step)
        if (world->vehicles[i].state.flies)
            tick_vehicle(world, &world->vehicles[i]);
    ib_floating_leave(before);
}

static void tick_vehicles(ib_world *world) {
    if (world->pool)
        ib_pool_run(world->pool, tick_share, world);
    else
        tick_share(world, 0);
}

/* Hands the diagnostics of a vehicle's own sink over. */
static void hand_over(ib_diags *from, ib_diags *to) {
    for (size_t i = 0; i < ib_diags_count(from); i++) {
        const ib_diag *diag = ib_diags_at(from, i);
        int id = 0;
        while (id + 1 < IB_DIAG_COUNT && strcmp(ib_diag_name((ib_diag_id)id), diag->id) != 0)
            id++;
        ib_diags_add(to, diag->severity, (ib_diag_id)id, diag->place, "%s", diag->message);
        for (size_t k = 0; k < diag->n_notes; k++)
            ib_diags_note(to, diag->notes[k].place, "%s", diag->notes[k].message);
        if (diag->suggestion)
            ib_diags_suggest(to, "%s", diag->suggestion);
    }
    if (ib_diags_count(from) > 0)
        ib_diags_clear(from);
}

/* What the vehicles have left behind, in their order whatever thread ticked them. */
static ib_status collect(ib_world *world, ib_diags *diags) {
    ib_status status = IB_OK;
    world->n_truths = 0;
    for (size_t i = 0; i < world->n_vehicles; i++) {
        ib_vehicle *vehicle = &world->vehicles[i];
        if (!vehicle->state.flies)
            continue;
        world->truths[world->n_truths++].vehicle = (uint16_t)i;
        ib_log_append(&world->log, &vehicle->log);
        hand_over(vehicle->diags, diags);
        if (status == IB_OK)
            status = vehicle->status;
        if (status == IB_OK && vehicle->out.events.lost > 0) {
            status = IB_SIMULATION_FAILED;
            ib_diags_add(diags, IB_ERROR, IB0722, IB_NO_PLACE,
                         "vehicle '%s' reported more than %d events in tick %lld", vehicle->name,
                         IB_EVENTS, (long long)world->state.tick);
        }
    }
    return status;
}

ib_status ib_world_tick(ib_world *world, ib_diags *diags) {
    if (world->failed != IB_OK)
        return world->failed;

    world->tick.number = world->state.tick + 1;
    ib_world_enter(world, -1, IB_STAGE_ADVANCE);
    advance_time(world);

    tick_vehicles(world);
    ib_status status = collect(world, diags);

    if (status == IB_OK) {
        ib_world_enter(world, -1, IB_STAGE_ROUTE);
        ib_world_route(world);

        ib_world_enter(world, -1, IB_STAGE_EVENTS);
        status = ib_world_events(world, diags);
    }
    if (world->trace)
        ib_trace_tick(world);
    if (status != IB_OK) {
        world->failed = status;
        world->state.tick--;
    }
    return status;
}

void ib_world_observe(ib_world *world, ib_stage_observer observer, void *context) {
    world->observer = observer;
    world->observer_context = context;
}
