/* Channels: the numbers of vehicles and their devices that can be recorded and used in events. */
#include "results/results.h"
#include "world/foreign.h"
#include "world/machine.h"
#include "world/world_internal.h"

#include <math.h> /* NAN only */
#include <string.h>

/* ---- of a vehicle ---- */

/* The one list, in the order of their values. */
static const struct {
    const char *name, *unit, *meaning;
} fixed[] = {
    {"body.position.x", "m", "centre of mass, launch frame"},
    {"body.position.y", "m", "centre of mass, launch frame"},
    {"body.position.z", "m", "centre of mass, launch frame"},
    {"body.velocity.x", "m/s", "rate of the position in the launch frame"},
    {"body.velocity.y", "m/s", "rate of the position in the launch frame"},
    {"body.velocity.z", "m/s", "rate of the position in the launch frame"},
    {"body.attitude.w", "1", "quaternion, body to launch frame"},
    {"body.attitude.x", "1", "quaternion, body to launch frame"},
    {"body.attitude.y", "1", "quaternion, body to launch frame"},
    {"body.attitude.z", "1", "quaternion, body to launch frame"},
    {"body.rate.x", "rad/s", "inertial angular velocity, body axes"},
    {"body.rate.y", "rad/s", "inertial angular velocity, body axes"},
    {"body.rate.z", "rad/s", "inertial angular velocity, body axes"},
    {"body.specific_force.x", "m/s^2", "of the centre of mass, body axes"},
    {"body.specific_force.y", "m/s^2", "of the centre of mass, body axes"},
    {"body.specific_force.z", "m/s^2", "of the centre of mass, body axes"},
    {"eci.position.x", "m", "centre of mass, inertial frame"},
    {"eci.position.y", "m", "centre of mass, inertial frame"},
    {"eci.position.z", "m", "centre of mass, inertial frame"},
    {"eci.velocity.x", "m/s", "inertial frame"},
    {"eci.velocity.y", "m/s", "inertial frame"},
    {"eci.velocity.z", "m/s", "inertial frame"},
    {"eci.attitude.w", "1", "quaternion, body to inertial frame"},
    {"eci.attitude.x", "1", "quaternion, body to inertial frame"},
    {"eci.attitude.y", "1", "quaternion, body to inertial frame"},
    {"eci.attitude.z", "1", "quaternion, body to inertial frame"},
    {"ecef.position.x", "m", "centre of mass, Earth-fixed"},
    {"ecef.position.y", "m", "centre of mass, Earth-fixed"},
    {"ecef.position.z", "m", "centre of mass, Earth-fixed"},
    {"ecef.velocity.x", "m/s", "over the turning ground, Earth-fixed axes"},
    {"ecef.velocity.y", "m/s", "over the turning ground, Earth-fixed axes"},
    {"ecef.velocity.z", "m/s", "over the turning ground, Earth-fixed axes"},
    {"latitude", "rad", "geodetic"},
    {"longitude", "rad", "east positive"},
    {"altitude", "m", "above the ellipsoid"},
    {"local.n", "m", "from the launch point over the ground, north"},
    {"local.e", "m", "from the launch point over the ground, east"},
    {"local.d", "m", "from the launch point, down"},
    {"ned.velocity.n", "m/s", "over the ground, north"},
    {"ned.velocity.e", "m/s", "over the ground, east"},
    {"ned.velocity.d", "m/s", "over the ground, down"},
    {"euler.yaw", "rad", "of the body against north, east, down"},
    {"euler.pitch", "rad", "of the body against north, east, down"},
    {"euler.roll", "rad", "of the body against north, east, down"},
    {"airspeed", "m/s", "against the air"},
    {"mach", "1", "airspeed by the speed of sound; 0 without air"},
    {"dynamic_pressure", "Pa", "half the density times airspeed squared"},
    {"air.density", "kg/m^3", "of the air there"},
    {"air.pressure", "Pa", "of the air there"},
    {"mass", "kg", "of all that flies with it"},
    {"centre.x", "m", "of mass, structure axes"},
    {"centre.y", "m", "of mass, structure axes"},
    {"centre.z", "m", "of mass, structure axes"},
    {"stage", "1", "number of its stage in the order of the mission; -1 none"},
};

bool ib_channel_reserved(const char *device) {
    const size_t n = strlen(device);
    bool found = strcmp(device, "plant") == 0;
    for (size_t i = 0; i < IB_COUNT(fixed) && !found; i++)
        found = strncmp(fixed[i].name, device, n) == 0 &&
                (fixed[i].name[n] == '.' || fixed[i].name[n] == '\0');
    return found;
}

/* Where the values of the list go, one after the other. */
typedef struct writer {
    double *at;
} writer;

static void put(writer *w, const double *values, size_t n) {
    memcpy(w->at, values, n * sizeof *values);
    w->at += n;
}

static void put_one(writer *w, double value) { put(w, &value, 1); }

/* The quaternion of w >= 0 turned into launch axes. */
static void put_body(writer *w, const ib_world *world, const ib_flight_state *flight,
                     const ib_truth_point *truth) {
    double away[3], velocity[3], turn[4], back[4], q[4];
    ib_sub3(flight->position, world->origin, away);
    ib_mul3tv(world->launch, away, away);
    ib_mul3tv(world->launch, flight->velocity, velocity);
    ib_quat_from_matrix(world->launch, turn);
    for (int i = 0; i < 4; i++)
        back[i] = i == 0 ? turn[0] : -turn[i];
    ib_quat_mul(back, flight->attitude, q);
    put(w, away, 3);
    put(w, velocity, 3);
    put(w, q, 4);
    put(w, flight->rate, 3);
    put(w, truth->specific_force, 3);
}

/* In north, east, down of the launch point, which turn with the Earth. */
static void put_local(writer *w, const ib_world *world, const ib_truth_point *truth) {
    const ib_geodetic *place = &world->environment.origin;
    double home[3], ned[9], away[3];
    ib_ecef_from_geodetic(&world->environment.earth, place, home);
    ib_ned_from_ecef(place->latitude, place->longitude, ned);
    ib_sub3(truth->position, home, away);
    ib_mul3v(ned, away, away);
    put(w, away, 3);
}

static void put_place(writer *w, const ib_world *world, const ib_surroundings *around,
                      const ib_truth_point *truth, const ib_flight_state *flight) {
    ib_geodetic place;
    double ned_from_body[9], R[9], angles[3], velocity[3], fixed_ned[9];
    ib_geodetic_from_normal(&around->normal, &place);
    put_one(w, place.latitude);
    put_one(w, place.longitude);
    put_one(w, place.height);
    put_local(w, world, truth);
    ib_ned_from_normal(&around->normal, fixed_ned);
    ib_mul3v(fixed_ned, truth->velocity, velocity);
    put(w, velocity, 3);
    ib_quat_matrix(flight->attitude, R);
    ib_mul33(around->ned_from_inertial, R, ned_from_body);
    ib_euler_zyx(ned_from_body, angles);
    put(w, angles, 3);
}

static void put_air(writer *w, const ib_surroundings *around, const ib_flight_state *flight) {
    double relative[3];
    ib_sub3(flight->velocity, around->air_velocity, relative);
    const double speed = ib_norm(relative);
    put_one(w, speed);
    put_one(w, around->air.sound_speed > 0 ? speed / around->air.sound_speed : 0);
    put_one(w, around->air.density / 2 * speed * speed);
    put_one(w, around->air.density);
    put_one(w, around->air.pressure);
}

/* Everything of the vehicle itself. */
static void put_vehicle(writer *w, const ib_world *world, const ib_vehicle *vehicle,
                        const ib_flight_state *flight, const ib_surroundings *around,
                        const ib_truth_point *truth) {
    const ib_vehicle_state *state = &vehicle->state;
    put_body(w, world, flight, truth);
    put(w, flight->position, 3);
    put(w, flight->velocity, 3);
    put(w, flight->attitude, 4);
    put(w, truth->position, 3);
    put(w, truth->velocity, 3);
    put_place(w, world, around, truth, flight);
    put_air(w, around, flight);
    put_one(w, state->body.mass);
    put(w, state->centre, 3);
    put_one(w, state->stage);
}

/* The numbers of the units that it has now. */
static void put_units(writer *w, const ib_vehicle *vehicle) {
    const ib_family *family = vehicle->family;
    for (size_t u = 0; u < family->n_units; u++)
        for (size_t i = 0; i < ib_unit_numbers(&family->units[u]); i++)
            put_one(w, vehicle->state.units >> u & 1
                           ? ib_unit_number(&family->units[u], &family->unit_states[u], i)
                           : (double)NAN);
}

void ib_vehicle_channels(const ib_world *world, ib_vehicle *vehicle, ib_time time,
                         const ib_flight_state *flight, double *values) {
    const ib_vehicle_state *state = &vehicle->state;
    writer w = {values};
    if (!state->flies) {
        for (size_t i = 0; i < vehicle->n_channels; i++)
            put_one(&w, (double)NAN);
        return;
    }
    if (flight) {
        ib_surroundings around;
        ib_truth_point truth;
        ib_environment_probe(&world->environment, flight->position, ib_time_seconds(time), &around);
        ib_free_body_truth_from(&state->body_before, &world->environment, &around, time, flight,
                                &truth);
        put_vehicle(&w, world, vehicle, flight, &around, &truth);
    } else {
        ib_vehicle_see(vehicle, &world->environment);
        put_vehicle(&w, world, vehicle, &state->flight, &state->around, &state->truth);
    }
    put_units(&w, vehicle);
    if (vehicle->machine)
        ib_machine_channels(vehicle->machine, w.at);
    if (vehicle->foreign)
        ib_foreign_channels(vehicle, w.at);
}

/* ---- of the world ---- */

size_t ib_world_channel_count(const ib_world *world) { return world->n_channels; }

ib_channel_info ib_world_channel_info(const ib_world *world, ib_handle channel) {
    return world->channels[channel];
}

ib_handle ib_world_channel(const ib_world *world, const char *name) {
    const size_t i = ib_names_find(world->channel_names, name);
    return i == SIZE_MAX ? -1 : (ib_handle)i;
}

void ib_world_read(ib_world *world, const ib_handle *channels, size_t n, double *values) {
    int last = -1;
    for (size_t i = 0; i < n; i++) {
        ib_vehicle *vehicle = &world->vehicles[world->channel_vehicle[channels[i]]];
        if (last != vehicle->index)
            ib_vehicle_channels(world, vehicle, ib_world_time(world), NULL,
                                world->values + vehicle->first_channel);
        last = vehicle->index;
        values[i] = world->values[channels[i]];
    }
}

bool ib_world_recorded(const ib_world *world, ib_handle channel) {
    return world->recorded[channel];
}

/* ---- loading ---- */

static void add(ib_world_loader *l, const ib_vehicle *vehicle, const char *device, const char *name,
                const char *unit, const char *meaning) {
    ib_world *world = l->world;
    const size_t i = world->n_channels;
    size_t index;
    const char *full = device
                           ? ib_arena_printf(world->arena, "%s.%s.%s", vehicle->name, device, name)
                           : ib_arena_printf(world->arena, "%s.%s", vehicle->name, name);
    l->no_memory = l->no_memory || !full;
    if (l->no_memory)
        return;
    world->channels[i] = (ib_channel_info){full, unit, meaning, NULL};
    world->channel_vehicle[i] = vehicle->index;
    if (!ib_names_add(world->channel_names, full, &index)) {
        l->no_memory = index == SIZE_MAX;
        if (index != SIZE_MAX)
            ib_diags_add(l->diags, IB_ERROR, IB0301, IB_NO_PLACE,
                         "the channel '%s' is there twice; rename the device", full);
    }
    world->n_channels++;
}

/* The outputs of an FMU, arrays number by number. */
static void add_outputs(ib_world_loader *l, const ib_vehicle *vehicle) {
    const struct ib_foreign *f = vehicle->foreign;
    for (size_t i = 0; i < f->n_variables; i++) {
        const ib_variable *variable = &f->variables[i];
        for (size_t k = 0; variable->role == IB_ROLE_OUTPUT && k < variable->size; k++) {
            const char *name = variable->size == 1 ? variable->name
                                                   : ib_arena_printf(l->world->arena, "%s[%zu]",
                                                                     variable->name, k + 1);
            add(l, vehicle, "plant", name ? name : "", variable->unit, "output of the plant");
        }
    }
}

static void add_vehicle(ib_world_loader *l, ib_vehicle *vehicle) {
    const ib_family *family = vehicle->family;
    vehicle->first_channel = l->world->n_channels;
    for (size_t i = 0; i < IB_COUNT(fixed); i++)
        add(l, vehicle, NULL, fixed[i].name, fixed[i].unit, fixed[i].meaning);
    for (size_t u = 0; u < family->n_units; u++)
        for (size_t i = 0; i < ib_unit_numbers(&family->units[u]); i++) {
            const char *unit, *meaning;
            const char *name = ib_unit_number_name(&family->units[u], i, &unit, &meaning);
            add(l, vehicle, family->units[u].name, name, unit, meaning);
        }
    for (size_t i = 0; vehicle->machine && i < vehicle->machine->n_channels; i++) {
        const ib_channel_info info =
            ib_system_channel_info(vehicle->machine->system, vehicle->machine->channels[i]);
        add(l, vehicle, "plant", info.name, info.unit, info.description);
    }
    if (vehicle->foreign)
        add_outputs(l, vehicle);
    vehicle->n_channels = l->world->n_channels - vehicle->first_channel;
    if (vehicle->foreign) {
        vehicle->foreign->started = IB_ARENA_ARRAY(l->world->arena, vehicle->n_channels, double);
        l->no_memory = l->no_memory || !vehicle->foreign->started;
    }
}

static size_t count_channels(const ib_world *world) {
    size_t n = 0;
    for (size_t v = 0; v < world->n_vehicles; v++) {
        const ib_family *family = world->vehicles[v].family;
        n += IB_COUNT(fixed);
        for (size_t u = 0; u < family->n_units; u++)
            n += ib_unit_numbers(&family->units[u]);
        n += world->vehicles[v].machine ? world->vehicles[v].machine->n_channels : 0;
        n += world->vehicles[v].foreign ? world->vehicles[v].foreign->n_channels : 0;
    }
    return n;
}

/* What `record:` asks for; everything when it is silent. */
static bool choose(ib_world_loader *l) {
    ib_world *world = l->world;
    const ib_mission *mission = l->mission;
    for (size_t i = 0; i < world->n_channels; i++)
        world->recorded[i] = mission->n_record == 0;
    bool good = true;
    for (size_t k = 0; k < mission->n_record; k++) {
        size_t n = 0;
        for (size_t i = 0; i < world->n_channels; i++)
            if (ib_glob_match(mission->record[k], world->channels[i].name)) {
                world->recorded[i] = true;
                n++;
            }
        if (n > 0)
            continue;
        const char **names = IB_ARENA_ARRAY(world->arena, world->n_channels, const char *);
        for (size_t i = 0; names && i < world->n_channels; i++)
            names[i] = world->channels[i].name;
        ib_diags_add(l->diags, IB_ERROR, IB0904, mission->record_place, "no channel matches '%s'",
                     mission->record[k]);
        const char *nearest =
            names ? ib_nearest_name(mission->record[k], names, world->n_channels) : NULL;
        if (nearest)
            ib_diags_suggest(l->diags, "did you mean '%s'?", nearest);
        good = false;
    }
    return good;
}

bool ib_load_channels(ib_world_loader *l) {
    ib_world *world = l->world;
    const size_t n = count_channels(world);
    world->channels = IB_ARENA_ARRAY(world->arena, n, ib_channel_info);
    world->channel_vehicle = IB_ARENA_ARRAY(world->arena, n, uint16_t);
    world->values = IB_ARENA_ARRAY(world->arena, n, double);
    world->recorded = IB_ARENA_ARRAY(world->arena, n, bool);
    world->channel_names = ib_names_create();
    l->no_memory = l->no_memory || !world->channels || !world->channel_vehicle || !world->values ||
                   !world->recorded || !world->channel_names;
    for (size_t i = 0; i < world->n_vehicles && !l->no_memory; i++)
        add_vehicle(l, &world->vehicles[i]);
    return !l->no_memory && choose(l);
}
