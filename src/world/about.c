/* What a world is made of, in words: its vehicles with what carries and steers them, devices,
 * topics, separations, events, and what was found around them. For `ironbird info`.
 */
#include "world/world_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- vehicles ---- */

/* The mission's own words of a vehicle; NULL for one that has yet to separate. */
static const ib_vehicle_spec *spec_of(const ib_world *world, size_t vehicle) {
    return vehicle < world->mission->n_vehicles ? &world->mission->vehicles[vehicle] : NULL;
}

static const ib_plant_spec *plant_of(const ib_mission *mission, const ib_vehicle_spec *spec) {
    for (size_t i = 0; i < mission->n_plants; i++)
        if (strcmp(mission->plants[i].name, spec->plant) == 0)
            return &mission->plants[i];
    return NULL;
}

static void tell_plant(const ib_plant_spec *plant, ib_vehicle_about *about) {
    if (!plant)
        return;
    about->plant = plant->name;
    about->plant_file = plant->model ? plant->model : plant->fmu ? plant->fmu : "";
}

static void tell_computer(const ib_mission *mission, const ib_vehicle_spec *spec,
                          ib_vehicle_about *about) {
    for (size_t i = 0; spec->computer && i < mission->n_computers; i++) {
        const ib_computer_spec *computer = &mission->computers[i];
        if (strcmp(computer->name, spec->computer) != 0)
            continue;
        about->computer = computer->name;
        about->computer_kind = computer->channel   ? "behind a channel"
                               : computer->isolate ? "in a process of its own"
                                                   : "in this process";
        about->computer_where = computer->channel  ? computer->channel
                                : computer->native ? computer->native
                                                   : "";
    }
}

static const char *kind_of(const ib_vehicle *vehicle) {
    return vehicle->foreign ? "FMU" : vehicle->machine ? "mechanism" : "rigid body";
}

ib_vehicle_about ib_world_vehicle_about(const ib_world *world, size_t vehicle) {
    const ib_vehicle *v = &world->vehicles[vehicle];
    const ib_vehicle_spec *spec = spec_of(world, vehicle);
    ib_vehicle_about about = {.name = v->name,
                              .kind = kind_of(v),
                              .plant = "",
                              .plant_file = "",
                              .computer = "",
                              .computer_kind = "",
                              .computer_where = "",
                              .stage = "",
                              .mass = v->state.body.mass,
                              .from = ""};
    if (!spec) {
        about.from = v->family->name;
        return about;
    }
    tell_plant(plant_of(world->mission, spec), &about);
    tell_computer(world->mission, spec, &about);
    about.stage = spec->stage ? spec->stage : "";
    about.held = spec->held;
    about.bus_capacity = spec->bus_capacity;
    return about;
}

/* ---- devices ---- */

bool ib_world_device_about(const ib_world *world, size_t vehicle, size_t i,
                           ib_device_about *about) {
    const ib_family *family = world->vehicles[vehicle].family;
    if (!spec_of(world, vehicle) || i >= family->n_units)
        return false;
    const ib_fitting *unit = &family->units[i];
    *about = (ib_device_about){.name = unit->name,
                               .type = ib_unit_type_name(unit->type),
                               .body = family->parts[unit->part].name,
                               .period = unit->device.period,
                               .ticks = unit->beat.ratio};
    return true;
}

/* ---- topics ---- */

/* What devices of a type say, and what they hear. */
static bool uses_topic(ib_device_type type, ib_topic topic) {
    static const struct {
        ib_topic says, hears; /* the same twice: it hears nothing */
    } topics[] = {
        [IB_DEVICE_ECU] = {IB_TOPIC_ENGINE, IB_TOPIC_ENGINE_COMMAND},
        [IB_DEVICE_MOTORS] = {IB_TOPIC_PWM, IB_TOPIC_PWM},
        [IB_DEVICE_SCU] = {IB_TOPIC_SERVO, IB_TOPIC_SERVO_COMMAND},
        [IB_DEVICE_FIN] = {IB_TOPIC_FIN, IB_TOPIC_SERVO_COMMAND},
        [IB_DEVICE_IMU] = {IB_TOPIC_IMU, IB_TOPIC_IMU},
        [IB_DEVICE_GPS] = {IB_TOPIC_GPS, IB_TOPIC_GPS},
        [IB_DEVICE_BARO] = {IB_TOPIC_BARO, IB_TOPIC_BARO},
        [IB_DEVICE_MAG] = {IB_TOPIC_MAG, IB_TOPIC_MAG},
        [IB_DEVICE_ALTIMETER] = {IB_TOPIC_ALTIMETER, IB_TOPIC_ALTIMETER},
        [IB_DEVICE_ICU] = {IB_TOPIC_INTERLOCK, IB_TOPIC_INTERLOCK_COMMAND},
    };
    return topics[type].says == topic || topics[type].hears == topic;
}

static bool has_topic(const ib_world *world, size_t vehicle, ib_topic topic) {
    const ib_family *family = world->vehicles[vehicle].family;
    bool found = false;
    for (size_t u = 0; u < family->n_units && !found; u++)
        found = uses_topic(family->units[u].type, topic);
    return found;
}

bool ib_world_topic_about(const ib_world *world, size_t vehicle, size_t i, ib_topic_about *about) {
    const ib_vehicle_spec *spec = spec_of(world, vehicle);
    for (int topic = 0; spec && topic < IB_TOPIC_COUNT; topic++) {
        const char *name = ib_topic_name((ib_topic)topic);
        const ib_topic_spec *given = NULL;
        for (size_t k = 0; k < spec->n_topics; k++)
            if (strcmp(spec->topics[k].name, name) == 0)
                given = &spec->topics[k];
        if (!given && !has_topic(world, vehicle, (ib_topic)topic))
            continue;
        if (i-- > 0)
            continue;
        *about = (ib_topic_about){name, given ? given->latency : 0, given ? given->loss : 0};
        return true;
    }
    return false;
}

/* ---- separations, events ---- */

bool ib_world_separation_about(const ib_world *world, size_t vehicle, size_t i,
                               ib_separation_about *about) {
    const ib_vehicle_spec *spec = spec_of(world, vehicle);
    if (!spec || i >= spec->n_separations)
        return false;
    const ib_separation_spec *separation = &spec->separations[i];
    *about = (ib_separation_about){separation->name, separation->as, separation->release,
                                   separation->n_release};
    return true;
}

bool ib_world_event_about(const ib_world *world, size_t i, ib_event_about *about) {
    static const char *const ways[] = {
        [IB_CROSSES_BOTH] = "both", [IB_CROSSES_UP] = "up", [IB_CROSSES_DOWN] = "down"};
    if (i >= world->mission->n_events)
        return false;
    const ib_event_spec *event = &world->mission->events[i];
    *about = (ib_event_about){event->name, event->when.text, ways[event->crosses], event->once,
                              event->n_actions};
    return true;
}

/* ---- the whole ---- */

const char *ib_world_mode(const ib_world *world) {
    static const char *const modes[] = {[IB_MODE_SIL] = "sil_monolithic",
                                        [IB_MODE_DRY] = "avionics_dry",
                                        [IB_MODE_HIL_DYN] = "hil_dyn",
                                        [IB_MODE_HIL_FCC] = "hil_fcc"};
    return modes[world->mission->mode];
}

ib_time ib_world_computer_period(const ib_world *world) { return world->computer_period; }

ib_environment_about ib_world_environment_about(const ib_world *world) {
    static const char *const shapes[] = {
        [IB_EARTH_FLAT] = "flat", [IB_EARTH_SPHERE] = "sphere", [IB_EARTH_ELLIPSOID] = "wgs84"};
    static const char *const pulls[] = {[IB_GRAVITY_NONE] = "none",
                                        [IB_GRAVITY_UNIFORM] = "uniform",
                                        [IB_GRAVITY_INVERSE_SQUARE] = "inverse_square",
                                        [IB_GRAVITY_J2] = "j2"};
    const ib_environment *e = &world->environment;
    const ib_wind *wind = &e->wind;
    ib_environment_about about = {.shape = shapes[e->earth.shape],
                                  .gravity = pulls[e->gravity.kind],
                                  .atmosphere =
                                      e->atmosphere == IB_ATMOSPHERE_US76 ? "us76" : "none",
                                  .rotation = e->earth.rate,
                                  .latitude = e->origin.latitude,
                                  .longitude = e->origin.longitude,
                                  .altitude = e->origin.height,
                                  .n_levels = (size_t)wind->n_levels,
                                  .n_gusts = (size_t)wind->n_gusts,
                                  .turbulence = wind->turbulence.intensity,
                                  .magnetic_field = e->magnetic_field};
    if (e->gravity.kind == IB_GRAVITY_UNIFORM)
        ib_mul3tv(world->launch, e->gravity.uniform, about.uniform);
    memcpy(about.steady, wind->steady, sizeof about.steady);
    return about;
}
