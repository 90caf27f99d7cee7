/* Operations on what is connected with what: separation, and the change of a stage.
 *
 * A part that leaves goes on from the state it had: with d from the old centre of mass to the new
 * one, r' = r + R d, v' = v + R (w x d), same w and attitude. An impulse J at p adds J/m to v and
 * I^-1 ((p - c) x J) to w of the part that stays, the opposite to the other. So mass, linear and
 * angular momentum are what they were, to rounding. Units go with the parts that they stand on.
 */
#include "world/world_internal.h"

#include <string.h>

uint32_t ib_family_connected(const ib_family *family, uint32_t parts, uint32_t links,
                             size_t first) {
    uint32_t reached = UINT32_C(1) << first, before;
    do {
        before = reached;
        for (size_t i = 0; i < family->n_links; i++) {
            const uint32_t both =
                UINT32_C(1) << family->links[i].part1 | UINT32_C(1) << family->links[i].part2;
            if ((links >> i & 1) && (reached & both))
                reached |= both & parts;
        }
    } while (reached != before);
    return reached;
}

static size_t lowest(uint32_t bits) {
    size_t i = 0;
    while (!(bits >> i & 1))
        i++;
    return i;
}

/* The units that stand on some parts, among those given. */
static uint32_t units_on(const ib_family *family, uint32_t parts, uint32_t units) {
    uint32_t found = 0;
    for (size_t i = 0; i < family->n_units; i++)
        if ((units >> i & 1) && (parts >> family->units[i].part & 1))
            found |= UINT32_C(1) << i;
    return found;
}

/* The links between parts of a set. */
static uint32_t links_within(const ib_family *family, uint32_t parts, uint32_t links) {
    uint32_t found = 0;
    for (size_t i = 0; i < family->n_links; i++)
        if ((links >> i & 1) && (parts >> family->links[i].part1 & 1) &&
            (parts >> family->links[i].part2 & 1))
            found |= UINT32_C(1) << i;
    return found;
}

/* From the whole to some of its parts, with an impulse (structure axes) at a point. */
static void part_from(const ib_vehicle_state *whole, const double impulse[3], const double at[3],
                      ib_vehicle *vehicle) {
    ib_vehicle_state *state = &vehicle->state;
    double d[3], swing[3], arm[3], twist[3], kick[3];
    ib_vehicle_weigh(vehicle);
    ib_sub3(state->centre, whole->centre, d);
    ib_cross(whole->flight.rate, d, swing);
    ib_axpy(swing, 1 / state->body.mass, impulse, swing);
    ib_quat_rotate(whole->flight.attitude, swing, kick);
    ib_axpy(whole->flight.velocity, 1, kick, state->flight.velocity);
    ib_quat_rotate(whole->flight.attitude, d, d);
    ib_axpy(whole->flight.position, 1, d, state->flight.position);
    memcpy(state->flight.attitude, whole->flight.attitude, sizeof state->flight.attitude);
    ib_sub3(at, state->centre, arm);
    ib_cross(arm, impulse, twist);
    ib_mul3v(state->body.inverse_inertia, twist, twist);
    ib_axpy(whole->flight.rate, 1, twist, state->flight.rate);
    state->before = state->flight;
}

static void clear_forces(ib_free_body *body) {
    memset(body->force, 0, sizeof body->force);
    memset(body->torque, 0, sizeof body->torque);
    body->mass_flow = 0;
}

/* The part that leaves becomes a vehicle. */
static void bear(ib_world *world, const ib_vehicle_state *whole, const ib_release *release,
                 uint32_t parts, ib_time now) {
    ib_vehicle *born = &world->vehicles[release->vehicle];
    ib_family *family = born->family;
    ib_vehicle_state *state = &born->state;
    *state = *whole;
    state->parts = parts;
    state->links = links_within(family, parts, whole->links);
    state->units = units_on(family, parts, whole->units);
    state->body.drag_area = release->drag_area;
    clear_forces(&state->body);
    state->held = false;
    const double opposite[3] = {-release->impulse[0], -release->impulse[1], -release->impulse[2]};
    part_from(whole, opposite, release->has_at ? release->at : whole->centre, born);
    born->out = (ib_vehicle_out){0};
    for (size_t i = 0; i < family->n_units; i++)
        if (state->units >> i & 1) {
            family->units[i].device.vehicle = born->index;
            family->unit_states[i].owner = born->index;
        }
    ib_vehicle_probe(born, &world->environment, now);
}

/* The vehicle of a family that still has all of these links, or NULL. */
static ib_vehicle *find_whole(ib_world *world, const ib_family *family, uint32_t links) {
    for (size_t i = 0; i < world->n_vehicles; i++) {
        ib_vehicle *vehicle = &world->vehicles[i];
        if (vehicle->family == family && vehicle->state.flies &&
            (vehicle->state.links & links) == links)
            return vehicle;
    }
    return NULL;
}

/* False when there is nothing to separate. */
static bool separate(ib_world *world, const ib_release *release, const ib_family *family,
                     ib_time now) {
    ib_vehicle *vehicle = find_whole(world, family, release->links);
    if (!vehicle || world->vehicles[release->vehicle].state.flies)
        return false;
    ib_vehicle_state *state = &vehicle->state, whole = *state;
    whole.links &= ~release->links;
    const uint32_t stay =
        ib_family_connected(family, whole.parts, whole.links, lowest(whole.parts));
    if (stay == whole.parts)
        return false;
    bear(world, &whole, release, whole.parts & ~stay, now);
    state->parts = stay;
    state->links = links_within(family, stay, whole.links);
    state->units = units_on(family, stay, whole.units);
    state->held = false;
    part_from(&whole, release->impulse, release->has_at ? release->at : whole.centre, vehicle);
    ib_vehicle_forces(world, vehicle);
    ib_vehicle_probe(vehicle, &world->environment, now);
    return true;
}

ib_status ib_world_apply(ib_world *world, const ib_operation *operation, ib_time time,
                         ib_diags *diags) {
    ib_vehicle *vehicle = &world->vehicles[operation->vehicle];
    if (operation->kind == IB_OPERATION_SEPARATE) {
        const ib_release *release = &vehicle->family->releases[operation->argument];
        if (!separate(world, release, vehicle->family, time)) {
            ib_diags_add(diags, IB_WARNING, IB0723, release->place,
                         "the separation '%s' of '%s' has nothing to release any more",
                         release->name, vehicle->family->name);
            return IB_OK;
        }
    } else if (operation->kind == IB_OPERATION_TRANSITION) {
        vehicle->state.stage = operation->argument;
    } else {
        return IB_OK;
    }
    ib_log_entry *entry =
        ib_log_add(&world->log, IB_LOG_OPERATION, operation->vehicle, IB_ANY, time);
    if (entry) {
        entry->code = (int)operation->kind;
        entry->payload = (uint32_t)operation->argument;
    }
    return IB_OK;
}
