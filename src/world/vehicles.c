/* From the mission's vehicles to those of the world: parts, devices, buses, flight computers, and
 * the vehicles that will come of separations.
 */
#include "world/world_internal.h"

#include <string.h>

/* ---- the bus ---- */

static int find_topic(const char *name) {
    for (int i = 0; i < IB_TOPIC_COUNT; i++)
        if (strcmp(ib_topic_name((ib_topic)i), name) == 0)
            return i;
    return -1;
}

static bool read_topics(ib_world_loader *l, const ib_vehicle_spec *spec,
                        ib_bus_topic topics[IB_TOPIC_COUNT]) {
    const char *names[IB_TOPIC_COUNT];
    bool good = true;
    for (int i = 0; i < IB_TOPIC_COUNT; i++)
        names[i] = ib_topic_name((ib_topic)i);
    for (size_t i = 0; i < spec->n_topics; i++) {
        const ib_topic_spec *topic = &spec->topics[i];
        const int which = find_topic(topic->name);
        if (which < 0) {
            ib_load_unknown(l, IB0215, topic->place, "topic", topic->name, names, IB_TOPIC_COUNT);
            good = false;
        } else if (!(topic->loss >= 0 && topic->loss <= 1) ||
                   !(topic->latency >= 0 && topic->latency <= 3600)) {
            ib_diags_add(l->diags, IB_ERROR, IB0607, topic->place,
                         "%s: latency lies between 0 and an hour, loss between 0 and 1",
                         topic->name);
            good = false;
        } else {
            topics[which].loss = topic->loss;
            ib_time_from_seconds(topic->latency, &topics[which].latency);
        }
    }
    return good;
}

bool ib_load_bus(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    ib_bus_topic topics[IB_TOPIC_COUNT] = {{0, 0}};
    if (!read_topics(l, spec, topics))
        return false;
    if (spec->bus_capacity < 1 || spec->bus_capacity > 65534) {
        ib_diags_add(l->diags, IB_ERROR, IB0607, spec->bus_place,
                     "capacity: a bus holds 1 to 65534 messages");
        return false;
    }
    const uint64_t key = ib_stream_key(l->world->seed, vehicle->name, "bus");
    vehicle->bus = ib_bus_create((size_t)spec->bus_capacity, vehicle->index, key, topics);
    vehicle->diags = ib_diags_create();
    l->no_memory = l->no_memory || !vehicle->bus || !vehicle->diags;
    return !l->no_memory;
}

/* ---- the computer ---- */

static const ib_computer_spec *find_computer(ib_world_loader *l, const ib_vehicle_spec *spec) {
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < l->mission->n_computers; i++) {
        if (strcmp(l->mission->computers[i].name, spec->computer) == 0)
            return &l->mission->computers[i];
        if (n < IB_COUNT(names))
            names[n++] = l->mission->computers[i].name;
    }
    ib_load_unknown(l, IB0343, spec->computer_place, "flight computer", spec->computer, names, n);
    return NULL;
}

static bool wire(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    static const ib_fcc_kind kinds[] = {[IB_DEVICE_ECU] = IB_FCC_KIND_ENGINE,
                                        [IB_DEVICE_MOTORS] = IB_FCC_KIND_MOTORS,
                                        [IB_DEVICE_SCU] = IB_FCC_KIND_SERVO,
                                        [IB_DEVICE_FIN] = IB_FCC_KIND_FIN,
                                        [IB_DEVICE_IMU] = IB_FCC_KIND_IMU,
                                        [IB_DEVICE_GPS] = IB_FCC_KIND_GPS,
                                        [IB_DEVICE_BARO] = IB_FCC_KIND_BARO,
                                        [IB_DEVICE_MAG] = IB_FCC_KIND_MAG,
                                        [IB_DEVICE_ALTIMETER] = IB_FCC_KIND_ALTIMETER,
                                        [IB_DEVICE_ICU] = IB_FCC_KIND_INTERLOCK};
    const ib_family *family = vehicle->family;
    ib_fcc_device devices[IB_VEHICLE_UNITS];
    for (size_t i = 0; i < family->n_units; i++)
        devices[i] = (ib_fcc_device){kinds[family->units[i].type], family->units[i].device.address};
    for (size_t i = 0; i < vehicle->n_signals; i++)
        if (vehicle->wiring.n_user_in <= (uint32_t)vehicle->signals[i].user)
            vehicle->wiring.n_user_in = (uint32_t)vehicle->signals[i].user + 1;
    vehicle->wiring.vehicle = vehicle->index;
    vehicle->wiring.address = IB_COMPUTER_ADDRESS;
    return ib_wiring_make(devices, family->n_units, vehicle->name, spec->computer_place, l->diags,
                          &vehicle->wiring) == IB_OK;
}

/* The mode says where flight computers are, and whose time they keep. */
static bool fits_mode(ib_world_loader *l, const ib_computer_spec *computer) {
    const int mode = l->mission->mode;
    const bool behind = mode == IB_MODE_HIL_DYN || mode == IB_MODE_HIL_FCC;
    const char *what = NULL;
    if (mode != IB_MODE_DRY && behind && !computer->channel)
        what = "is native; in modes hil_dyn and hil_fcc they are behind channels";
    else if (mode != IB_MODE_DRY && !behind && computer->channel)
        what = "is behind a channel, which takes mode: hil_dyn or hil_fcc";
    else if (computer->clock && mode != IB_MODE_HIL_FCC)
        what = "has a clock of its own, which takes mode: hil_fcc";
    else if (computer->clock && l->world->realtime != 1)
        what = "has a clock of its own, which takes a run by the clock: --realtime";
    if (!what)
        return true;
    ib_diags_add(l->diags, IB_ERROR, IB0350, computer->where_place, "the flight computer '%s' %s",
                 computer->name, what);
    ib_diags_note(l->diags, l->mission->mode_place, "the mode");
    return false;
}

/* One that keeps its own time: how its run begins, and room for mail. */
static bool prepare_mail(ib_world_loader *l, const ib_computer_spec *computer, ib_vehicle *vehicle,
                         ib_fcc_attach *attach) {
    *attach = (ib_fcc_attach){.abi = IB_FCC_ABI,
                              .own_clock = computer->clock == 1,
                              .period = l->world->computer_period,
                              .n_user = vehicle->wiring.n_user_in};
    memcpy(attach->n, vehicle->wiring.n, sizeof attach->n);
    vehicle->own_clock = attach->own_clock;
    vehicle->mail = IB_ARENA_NEW(l->world->arena, ib_fcc_mail);
    vehicle->answer = IB_ARENA_NEW(l->world->arena, ib_fcc_mail);
    l->no_memory = l->no_memory || !vehicle->mail || !vehicle->answer;
    return !l->no_memory;
}

static bool open_computer(ib_world_loader *l, const ib_computer_spec *computer,
                          ib_vehicle *vehicle) {
    const ib_world_options none = {0}, *given = l->options ? l->options : &none;
    const bool by_mail = l->mission->mode == IB_MODE_HIL_FCC;
    ib_fcc_attach attach;
    if (by_mail && !prepare_mail(l, computer, vehicle, &attach))
        return false;
    const ib_computer_options options = {.vehicle = vehicle->name,
                                         .config = computer->config,
                                         .place = computer->where_place,
                                         .timeout = computer->timeout,
                                         .guard = given->guard,
                                         .host = given->host,
                                         .attach = by_mail ? &attach : NULL,
                                         .stopped = given->stopped,
                                         .context = given->context};
    if (computer->channel)
        return ib_computer_open_channel(computer->channel, &options, l->diags,
                                        &vehicle->computer) == IB_OK;
    const char *path = ib_path_beside(l->world->arena, l->mission->file, computer->native);
    l->no_memory = l->no_memory || !path;
    if (l->no_memory)
        return false;
    return (computer->isolate ? ib_computer_open_isolated : ib_computer_open_native)(
               path, &options, l->diags, &vehicle->computer) == IB_OK;
}

bool ib_load_computer(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    ib_world *world = l->world;
    if (!ib_load_signals(l, spec, vehicle))
        return false;
    if (!spec->computer)
        return true;
    const ib_computer_spec *computer = find_computer(l, spec);
    vehicle->frame = IB_ARENA_NEW(world->arena, ib_fcc_in);
    vehicle->reply = IB_ARENA_NEW(world->arena, ib_fcc_out);
    l->no_memory = l->no_memory || !vehicle->frame || !vehicle->reply;
    if (!computer || l->no_memory || !wire(l, spec, vehicle) || !fits_mode(l, computer) ||
        !open_computer(l, computer, vehicle))
        return false;
    ib_frame_reset(&vehicle->wiring, vehicle->frame);
    return true;
}

/* ---- separations ---- */

static int find_link(const ib_family *family, const char *name) {
    for (size_t i = 0; i < family->n_links; i++)
        if (strcmp(family->links[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool read_links(ib_world_loader *l, const ib_separation_spec *spec, const ib_family *family,
                       ib_release *release) {
    const char *names[IB_VEHICLE_PARTS];
    for (size_t i = 0; i < family->n_links; i++)
        names[i] = family->links[i].name;
    for (size_t i = 0; i < spec->n_release; i++) {
        const int link = find_link(family, spec->release[i]);
        if (link < 0) {
            ib_load_unknown(l, IB0323, spec->release_place, "joint", spec->release[i], names,
                            family->n_links);
            return false;
        }
        release->links |= UINT32_C(1) << link;
    }
    return true;
}

static bool read_units(ib_world_loader *l, const ib_separation_spec *spec, const ib_family *family,
                       ib_release *release) {
    const char *names[IB_VEHICLE_UNITS];
    for (size_t i = 0; i < family->n_units; i++)
        names[i] = family->units[i].name;
    for (size_t i = 0; i < spec->n_devices; i++) {
        const int unit = ib_family_unit(family, spec->devices[i]);
        if (unit < 0) {
            ib_load_unknown(l, IB0342, spec->devices_place, "device", spec->devices[i], names,
                            family->n_units);
            return false;
        }
        release->units |= UINT32_C(1) << unit;
    }
    return true;
}

/* In two parts, and what goes with the one that leaves stands on it. */
static bool check_parts(ib_world_loader *l, const ib_separation_spec *spec, const ib_family *family,
                        const ib_release *release) {
    const uint32_t all = (uint32_t)((UINT64_C(1) << family->n_parts) - 1);
    const uint32_t kept = (uint32_t)((UINT64_C(1) << family->n_links) - 1) & ~release->links;
    const uint32_t leave = all & ~ib_family_connected(family, all, kept, 0);
    size_t first = 0;
    while (leave && !(leave >> first & 1))
        first++;
    if (!leave || ib_family_connected(family, leave, kept, first) != leave) {
        ib_diags_add(l->diags, IB_ERROR, IB0349, spec->release_place,
                     "release: these joints do not divide the vehicle into two parts");
        return false;
    }
    for (size_t i = 0; i < family->n_units; i++)
        if ((release->units >> i & 1) && !(leave >> family->units[i].part & 1)) {
            ib_diags_add(l->diags, IB_ERROR, IB0349, spec->devices_place,
                         "devices: '%s' stands on '%s', which stays", family->units[i].name,
                         family->parts[family->units[i].part].name);
            return false;
        }
    return true;
}

static bool name_is_new(ib_world_loader *l, const ib_separation_spec *spec) {
    const int other = ib_world_find(l->world, spec->as);
    bool taken = other >= 0;
    for (size_t i = 0; i < l->mission->n_vehicles; i++)
        taken = taken || strcmp(l->mission->vehicles[i].name, spec->as) == 0;
    if (taken)
        ib_diags_add(l->diags, IB_ERROR, IB0301, spec->as_place,
                     "as: the vehicle '%s' is there already", spec->as);
    return !taken;
}

/* Directions and places of the model's global frame, in structure axes. */
static void read_impulse(const ib_world *world, const ib_vehicle_spec *vehicle,
                         const ib_separation_spec *spec, ib_release *release) {
    size_t plant = 0;
    double first[9];
    while (strcmp(world->mission->plants[plant].name, vehicle->plant) != 0)
        plant++;
    ib_quat_matrix(world->models[plant]->bodies[0].orientation, first);
    ib_mul3tv(first, spec->along, release->impulse);
    ib_mul3tv(first, spec->at, release->at);
    for (int i = 0; i < 3; i++)
        release->impulse[i] *= spec->impulse;
    release->has_at = spec->has_at;
}

bool ib_load_releases(ib_world_loader *l, const ib_vehicle_spec *spec, ib_family *family,
                      uint16_t *next) {
    ib_world *world = l->world;
    bool good = true;
    family->releases = IB_ARENA_ARRAY(world->arena, spec->n_separations + 1, ib_release);
    l->no_memory = l->no_memory || !family->releases;
    for (size_t i = 0; i < spec->n_separations && !l->no_memory; i++) {
        const ib_separation_spec *separation = &spec->separations[i];
        ib_release *release = &family->releases[family->n_releases++];
        release->name = separation->name;
        release->place = separation->place;
        release->drag_area = separation->drag_area;
        release->vehicle = *next;
        good = read_links(l, separation, family, release) &&
               read_units(l, separation, family, release) &&
               check_parts(l, separation, family, release) && name_is_new(l, separation) && good;
        read_impulse(world, spec, separation, release);
        ib_vehicle *born = &world->vehicles[(*next)++];
        *born = (ib_vehicle){.name = separation->as, .index = release->vehicle, .family = family};
        born->state.stage = -1;
        good = ib_load_bus(l, spec, born) && good;
    }
    return good && !l->no_memory;
}

/* ---- vehicles ---- */

static bool make_log(ib_world_loader *l, ib_vehicle *vehicle) {
    vehicle->log.capacity = IB_EVENTS + 8;
    vehicle->log.entries = IB_ARENA_ARRAY(l->world->arena, vehicle->log.capacity, ib_log_entry);
    l->no_memory = l->no_memory || !vehicle->log.entries;
    return !l->no_memory;
}

static bool make_body(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    ib_vehicle_state *state = &vehicle->state;
    ib_free_body *body = &state->body;
    state->parts = (uint32_t)((UINT64_C(1) << vehicle->family->n_parts) - 1);
    state->links = (uint32_t)((UINT64_C(1) << vehicle->family->n_links) - 1);
    state->units = (uint32_t)((UINT64_C(1) << vehicle->family->n_units) - 1);
    body->drag_area = spec->drag_area;
    body->sampling = spec->sampling ? IB_FORCES_BY_TICK : IB_FORCES_BY_STAGE;
    ib_vehicle_weigh(vehicle);
    if (vehicle->machine || vehicle->foreign)
        return true; /* they look after their bodies themselves */
    return ib_free_body_prepare(body, spec->name, l->diags, spec->plant_place) == IB_OK;
}

/* In numbers that people read: 5,719.6 km rather than 5.71964e+06 m. */
static void warn_below_ground(ib_world_loader *l, const ib_vehicle_spec *spec, double depth) {
    const bool far = depth >= 10000, tiny = depth < 0.001;
    if (depth > 1e-6)
        ib_diags_add(l->diags, IB_WARNING, IB0724, spec->place,
                     "vehicle '%s' begins %.*f %s below the ground", spec->name, far ? 1 : 3,
                     far    ? depth / 1000
                     : tiny ? depth * 1000
                            : depth,
                     far    ? "km"
                     : tiny ? "mm"
                            : "m");
}

static bool make_vehicle(ib_world_loader *l, const ib_vehicle_spec *spec, uint16_t index,
                         uint16_t *next) {
    ib_world *world = l->world;
    ib_vehicle *vehicle = &world->vehicles[index];
    ib_family *family = &world->families[index];
    *vehicle = (ib_vehicle){.name = spec->name, .index = index, .family = family};
    vehicle->state.flies = true;
    vehicle->state.stage = ib_load_word(l, spec->stage);
    if (!ib_load_family(l, spec, family) || !ib_load_units(l, spec, index, family) ||
        !ib_load_foreign(l, spec, vehicle) || !ib_load_releases(l, spec, family, next) ||
        !ib_load_initial(l, spec, vehicle) || !ib_load_bus(l, spec, vehicle) ||
        !ib_load_computer(l, spec, vehicle) || !ib_load_machine(l, spec, vehicle) ||
        !make_body(l, spec, vehicle))
        return false;
    vehicle->state.held = spec->held;
    vehicle->pad = vehicle->state.flight;
    if (spec->held)
        ib_vehicle_on_pad(vehicle, &world->environment, 0, &vehicle->state.flight);
    vehicle->state.before = vehicle->state.flight;
    ib_vehicle_probe(vehicle, &world->environment, 0);
    ib_vehicle_see(vehicle, &world->environment);
    if (vehicle->status != IB_OK) {
        ib_diags_add(l->diags, IB_ERROR, IB0721, spec->place,
                     "vehicle '%s' has no finite state at t = 0", spec->name);
        return false;
    }
    warn_below_ground(l, spec, -vehicle->state.around.normal.height);
    return true;
}

bool ib_load_vehicles(ib_world_loader *l) {
    const ib_mission *mission = l->mission;
    uint16_t next = (uint16_t)mission->n_vehicles;
    bool good = true;
    ib_load_word(l, "REENTRY");
    for (size_t i = 0; i < mission->n_vehicles; i++)
        good = make_vehicle(l, &mission->vehicles[i], (uint16_t)i, &next) && good;
    for (size_t i = 0; i < l->world->n_vehicles && good; i++)
        good = make_log(l, &l->world->vehicles[i]);
    return good && !l->no_memory;
}
