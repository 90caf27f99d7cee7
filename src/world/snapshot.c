/* The state of a world as plain bytes: what advances, and nothing else. A copy is a snapshot, and a
 * world restored from it goes on with the same bits.
 *
 * Order: the world, its rules, then for each vehicle its own state, its mechanism, its bus, what
 * its flight computer has heard and said and remembers, and last the units of every family.
 */
#include "world/foreign.h"
#include "world/machine.h"
#include "world/world_internal.h"

#include <string.h>

/* A place in the bytes that moves on. NULL bytes: only the size counts. */
typedef struct cursor {
    char *bytes;
    size_t at;
    bool restoring;
} cursor;

static void pass(cursor *c, void *data, size_t n) {
    if (c->bytes && c->restoring)
        memcpy(data, c->bytes + c->at, n);
    else if (c->bytes)
        memcpy(c->bytes + c->at, data, n);
    c->at += n;
}

static void pass_foreign(cursor *c, ib_vehicle *vehicle, ib_time now) {
    if (c->bytes && c->restoring)
        ib_foreign_restore(vehicle, c->bytes + c->at, now);
    else if (c->bytes)
        ib_foreign_save(vehicle, c->bytes + c->at);
    c->at += ib_foreign_state_size(vehicle);
}

static void pass_machine(cursor *c, ib_vehicle *vehicle, ib_time now) {
    if (vehicle->foreign)
        pass_foreign(c, vehicle, now);
    if (!vehicle->machine)
        return;
    if (c->bytes && c->restoring)
        ib_machine_restore(vehicle, c->bytes + c->at, now);
    else if (c->bytes)
        ib_machine_save(vehicle, c->bytes + c->at);
    c->at += ib_machine_state_size(vehicle);
}

static void pass_bus(cursor *c, ib_bus *bus) {
    if (c->bytes && c->restoring)
        ib_bus_restore(bus, c->bytes + c->at);
    else if (c->bytes)
        ib_bus_save(bus, c->bytes + c->at);
    c->at += ib_bus_state_size(bus);
}

static void pass_computer(cursor *c, ib_vehicle *vehicle) {
    if (!vehicle->computer)
        return;
    const size_t size = ib_computer_state_size(vehicle->computer);
    pass(c, vehicle->frame, sizeof *vehicle->frame);
    pass(c, vehicle->reply, sizeof *vehicle->reply);
    if (size == SIZE_MAX)
        return;
    if (c->bytes && c->restoring)
        ib_computer_restore(vehicle->computer, c->bytes + c->at, size);
    else if (c->bytes)
        ib_computer_save(vehicle->computer, c->bytes + c->at);
    c->at += size;
}

static void pass_units(cursor *c, ib_family *family) {
    pass(c, family->unit_states, family->n_units * sizeof *family->unit_states);
    for (size_t i = 0; i < family->n_units && c->restoring; i++)
        family->units[i].device.vehicle = family->unit_states[i].owner;
}

static size_t pass_world(ib_world *world, char *bytes, bool restoring) {
    cursor c = {bytes, 0, restoring};
    pass(&c, &world->state, sizeof world->state);
    pass(&c, world->rule_states, world->n_rules * sizeof *world->rule_states);
    for (size_t i = 0; i < world->n_vehicles; i++) {
        ib_vehicle *vehicle = &world->vehicles[i];
        pass(&c, &vehicle->state, sizeof vehicle->state);
        pass_machine(&c, vehicle, ib_world_time(world));
        pass_bus(&c, vehicle->bus);
        pass_computer(&c, vehicle);
    }
    for (size_t i = 0; i < world->mission->n_vehicles; i++)
        pass_units(&c, &world->families[i]);
    return c.at;
}

/* Only a restore writes to the world. */
static ib_world *writable(const ib_world *world) {
    union {
        const ib_world *in;
        ib_world *out;
    } same = {world};
    return same.out;
}

size_t ib_world_state_size(const ib_world *world) {
    return pass_world(writable(world), NULL, false);
}

void ib_world_save(const ib_world *world, void *state) {
    pass_world(writable(world), state, false);
}

ib_status ib_world_restore(ib_world *world, const void *state, size_t size) {
    union {
        const void *in;
        void *out;
    } same = {state};
    if (size != ib_world_state_size(world))
        return IB_BAD_INPUT;
    pass_world(world, same.out, true);
    ib_log_clear(&world->log);
    world->failed = IB_OK;
    return IB_OK;
}

/* Of positions, velocities, attitudes, rates and masses, bit by bit. */
uint64_t ib_world_hash(const ib_world *world) {
    uint64_t hash = ib_hash_bytes(IB_HASH_START, &world->state.tick, sizeof world->state.tick);
    for (size_t i = 0; i < world->n_vehicles; i++) {
        const ib_vehicle_state *state = &world->vehicles[i].state;
        if (!state->flies)
            continue;
        hash = ib_hash_bytes(hash, &state->flight, sizeof state->flight);
        hash = ib_hash_bytes(hash, &state->body.mass, sizeof state->body.mass);
        if (world->vehicles[i].machine) {
            const uint64_t inner =
                ib_system_statistics(world->vehicles[i].machine->system).state_hash;
            hash = ib_hash_bytes(hash, &inner, sizeof inner);
        }
    }
    return hash;
}
