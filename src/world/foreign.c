/* Stages 3 to 5 of a vehicle whose plant is an FMU, and what it tells of the truth. */
#include "world/foreign.h"
#include "world/world_internal.h"

#include <math.h> /* NAN only */
#include <string.h>

typedef struct ib_foreign foreign;

/* ---- guarded calls ---- */

typedef struct call {
    const foreign *f;
    ib_handle variable;
    double *values;
    ib_time time;
    ib_diags *diags;
    ib_status status;
} call;

static void call_get(void *argument) {
    call *c = argument;
    c->status = c->f->plant.functions->get(c->f->plant.self, c->variable, c->values, c->diags);
}

static void call_set(void *argument) {
    call *c = argument;
    c->status = c->f->plant.functions->set(c->f->plant.self, c->variable, c->values, c->diags);
}

static void call_advance(void *argument) {
    call *c = argument;
    ib_time reached = 0;
    c->status = c->f->plant.functions->advance(c->f->plant.self, c->time, &reached, c->diags);
    if (c->status == IB_OK && reached < c->time) {
        ib_diags_add(c->diags, IB_ERROR, IB0727, IB_NO_PLACE,
                     "plant '%s' ended by itself at t = %.9g s", c->f->name,
                     ib_time_seconds(reached));
        c->status = IB_SIMULATION_FAILED;
    }
}

/* A crash is the vehicle's failure. */
static ib_status make(void (*work)(void *), call *c, const char *name) {
    const int signal_number = c->f->guard ? c->f->guard(work, c) : (work(c), 0);
    if (!signal_number)
        return c->status;
    ib_diags_add(c->diags, IB_ERROR, IB0727, IB_NO_PLACE,
                 "plant '%s' of vehicle '%s' crashed (signal %d)", c->f->name, name, signal_number);
    return IB_SIMULATION_FAILED;
}

static bool get(const foreign *f, const ib_vehicle *vehicle, ib_handle variable) {
    call c = {.f = f, .variable = variable, .values = f->room, .diags = vehicle->diags};
    return make(call_get, &c, vehicle->name) == IB_OK;
}

/* ---- what is true ---- */

/* The numbers of a fact; false when nothing tells it. */
static bool ask(const foreign *f, const ib_vehicle *vehicle, const ib_feed *feed, double out[3]) {
    for (int i = 0; i < 3 && feed->from[i].variable >= 0; i++) {
        const ib_handle variable = feed->from[i].variable;
        if ((i == 0 || variable != feed->from[i - 1].variable) && !get(f, vehicle, variable))
            return false;
        out[i] = feed->scale[i] * f->room[feed->from[i].element] + feed->offset;
    }
    return feed->from[0].variable >= 0;
}

static void put_place(const foreign *f, const double place[3], ib_truth_point *truth) {
    const ib_geodetic at = {place[0], ib_longitude(place[1]), place[2]};
    ib_ecef_from_geodetic(&f->environment->earth, &at, truth->position);
    truth->height = place[2];
}

static void put_velocity(const double place[3], const double ned[3], ib_truth_point *truth) {
    double turn[9];
    ib_ned_from_ecef(place[0], place[1], turn);
    ib_mul3tv(turn, ned, truth->velocity);
}

/* Into the truth of a sensor, or of the vehicle. */
static void put_fact(const foreign *f, ib_fact fact, const double values[3], const double place[3],
                     ib_truth_point *truth) {
    switch (fact) {
    case IB_FACT_FORCE:
        memcpy(truth->specific_force, values, sizeof truth->specific_force);
        break;
    case IB_FACT_RATE:
        memcpy(truth->rate, values, sizeof truth->rate);
        break;
    case IB_FACT_PLACE:
        put_place(f, values, truth);
        break;
    case IB_FACT_VELOCITY:
        put_velocity(place, values, truth);
        break;
    case IB_FACT_FIELD:
        memcpy(truth->magnetic_field, values, sizeof truth->magnetic_field);
        break;
    case IB_FACT_PRESSURE:
        truth->pressure = values[0];
        break;
    case IB_FACT_TEMPERATURE:
        truth->temperature = values[0];
        break;
    case IB_FACT_RANGE:
        truth->height = values[0];
        break;
    case IB_FACT_YAW:
    case IB_FACT_COUNT:
        break;
    }
}

/* Place and velocity in the inertial frame; a level attitude with the yaw that is told. */
static void put_flight(const foreign *f, ib_time now, const double place[3], double yaw,
                       const ib_truth_point *truth, ib_flight_state *flight) {
    const ib_environment *environment = f->environment;
    const double origin[3] = {0, 0, 0}, angles[3] = {yaw, 0, 0};
    double r[3], v[3], turn[9], ned[9], R[9], back[9], half[9], away[3];
    ib_flight_to_ecef(environment, now, origin, origin, r, v, turn);
    if (environment->earth.shape == IB_EARTH_FLAT) {
        ib_sub3(truth->position, r, away);
        ib_mul3tv(turn, away, flight->position);
        ib_mul3tv(turn, truth->velocity, flight->velocity);
    } else {
        ib_state_to_inertial(&environment->earth, ib_time_seconds(now), truth->position,
                             truth->velocity, flight->position, flight->velocity);
    }
    ib_ned_from_ecef(place[0], place[1], ned);
    ib_mul33(ned, turn, half); /* ned_from_inertial */
    for (int i = 0; i < 9; i++)
        back[i] = half[3 * (i % 3) + i / 3];
    ib_matrix_from_euler_zyx(angles, R);
    ib_mul33(back, R, half);
    ib_quat_from_matrix(half, flight->attitude);
    memcpy(flight->rate, truth->rate, sizeof flight->rate);
}

/* What surrounds it, where the plant itself says nothing of it. */
static void put_surroundings(const foreign *f, ib_vehicle_state *state, ib_time now) {
    const ib_flight_state *flight = &state->flight;
    double r[3], v[3], turn[9], R[9];
    ib_environment_probe(f->environment, flight->position, ib_time_seconds(now), &state->around);
    state->truth.pressure = state->around.air.pressure;
    state->truth.temperature = state->around.air.temperature;
    ib_quat_rotate_back(flight->attitude, state->around.magnetic_field,
                        state->truth.magnetic_field);
    ib_flight_to_ecef(f->environment, now, flight->position, flight->velocity, r, v, turn);
    ib_quat_matrix(flight->attitude, R);
    ib_mul33(turn, R, state->truth.ecef_from_body);
}

/* The sensors' own truths: the vehicle's, but for what they are told themselves. */
static void show_units(const foreign *f, const ib_vehicle *vehicle, const double place[3]) {
    for (size_t i = 0; i < vehicle->family->n_units; i++)
        f->truths[i] = vehicle->state.truth;
    for (size_t i = 0; i < f->n_feeds; i++) {
        double values[3];
        if (ask(f, vehicle, &f->feeds[i], values))
            put_fact(f, f->feeds[i].fact, values, place, &f->truths[f->feeds[i].unit]);
    }
}

void ib_foreign_show(ib_vehicle *vehicle, ib_time now) {
    const foreign *f = vehicle->foreign;
    ib_vehicle_state *state = &vehicle->state;
    const ib_geodetic *home = &f->environment->origin;
    double place[3] = {home->latitude, home->longitude, home->height}, yaw[3] = {0}, values[3];
    const size_t errors = ib_diags_errors(vehicle->diags);
    state->truth = (ib_truth_point){.time = now};
    ask(f, vehicle, &f->general[IB_FACT_PLACE], place);
    ask(f, vehicle, &f->general[IB_FACT_YAW], yaw);
    put_place(f, place, &state->truth);
    static const ib_fact before[] = {IB_FACT_VELOCITY, IB_FACT_RATE, IB_FACT_FORCE};
    static const ib_fact after[] = {IB_FACT_FIELD, IB_FACT_PRESSURE, IB_FACT_TEMPERATURE,
                                    IB_FACT_RANGE};
    for (size_t i = 0; i < IB_COUNT(before); i++)
        if (ask(f, vehicle, &f->general[before[i]], values))
            put_fact(f, before[i], values, place, &state->truth);
    put_flight(f, now, place, yaw[0], &state->truth, &state->flight);
    put_surroundings(f, state, now);
    for (size_t i = 0; i < IB_COUNT(after); i++)
        if (ask(f, vehicle, &f->general[after[i]], values))
            put_fact(f, after[i], values, place, &state->truth);
    state->body.mass = (double)NAN; /* nobody says */
    show_units(f, vehicle, place);
    if (ib_diags_errors(vehicle->diags) > errors)
        vehicle->status = IB_SIMULATION_FAILED;
}

/* ---- 3: inputs ---- */

void ib_foreign_forces(ib_vehicle *vehicle) {
    const foreign *f = vehicle->foreign;
    for (size_t i = 0; i < vehicle->n_wires; i++) {
        const ib_wire *wire = &vehicle->wires[i];
        const double value = ib_wire_value(vehicle, wire);
        if (value == value)
            f->held[wire->to.variable][wire->to.element] = value;
    }
    for (size_t i = 0; i < f->n_variables && vehicle->status == IB_OK; i++) {
        call c = {.f = f, .variable = (ib_handle)i, .values = f->held[i], .diags = vehicle->diags};
        if (f->held[i])
            vehicle->status = make(call_set, &c, vehicle->name);
    }
}

/* ---- 4: integration ---- */

void ib_foreign_integrate(const ib_world *world, ib_vehicle *vehicle, const ib_tick *tick) {
    call c = {.f = vehicle->foreign, .time = tick->end, .diags = vehicle->diags};
    if (vehicle->status != IB_OK)
        return;
    vehicle->state.before = vehicle->state.flight;
    if (world->n_rules > 0)
        ib_vehicle_channels(world, vehicle, tick->start, NULL, vehicle->foreign->started);
    vehicle->status = make(call_advance, &c, vehicle->name);
    if (vehicle->status == IB_OK) {
        ib_foreign_show(vehicle, tick->end);
        return;
    }
    if (ib_diags_errors(vehicle->diags) == 0)
        ib_diags_add(vehicle->diags, IB_ERROR, IB0727, IB_NO_PLACE, "plant '%s' does not go on",
                     vehicle->foreign->name);
}

/* ---- channels, snapshots ---- */

void ib_foreign_between(const ib_world *world, ib_vehicle *vehicle, ib_time time, double *values) {
    const double *started = vehicle->foreign->started;
    const double share = (double)(time - world->tick.start) / (double)world->period;
    ib_vehicle_channels(world, vehicle, world->tick.end, NULL, values);
    for (size_t i = 0; i < vehicle->n_channels; i++)
        values[i] = started[i] + share * (values[i] - started[i]);
}

bool ib_foreign_can_save(const ib_vehicle *vehicle) {
    const foreign *f = vehicle->foreign;
    return f->plant.functions->state_size(f->plant.self) > 0;
}

void ib_foreign_channels(const ib_vehicle *vehicle, double *values) {
    const foreign *f = vehicle->foreign;
    for (size_t i = 0; i < f->n_variables; i++) {
        const size_t n = f->variables[i].size;
        if (f->variables[i].role != IB_ROLE_OUTPUT)
            continue;
        const bool good = get(f, vehicle, (ib_handle)i);
        for (size_t k = 0; k < n; k++)
            *values++ = good ? f->room[k] : (double)NAN;
    }
}

static size_t held_size(const foreign *f) {
    size_t n = 0;
    for (size_t i = 0; i < f->n_variables; i++)
        n += f->held[i] ? f->variables[i].size : 0;
    return n * sizeof(double);
}

/* Between `held` and bytes. */
static void pass_held(const foreign *f, char *out, const char *in) {
    for (size_t i = 0; i < f->n_variables; i++) {
        const size_t n = f->held[i] ? f->variables[i].size * sizeof(double) : 0;
        if (n && out)
            memcpy(out, f->held[i], n), out += n;
        else if (n)
            memcpy(f->held[i], in, n), in += n;
    }
}

size_t ib_foreign_state_size(const ib_vehicle *vehicle) {
    const foreign *f = vehicle->foreign;
    return held_size(f) + f->plant.functions->state_size(f->plant.self);
}

void ib_foreign_save(const ib_vehicle *vehicle, void *bytes) {
    const foreign *f = vehicle->foreign;
    pass_held(f, bytes, NULL);
    f->plant.functions->save(f->plant.self, (char *)bytes + held_size(f));
}

void ib_foreign_restore(ib_vehicle *vehicle, const void *bytes, ib_time now) {
    const foreign *f = vehicle->foreign;
    const size_t size = f->plant.functions->state_size(f->plant.self);
    pass_held(f, NULL, bytes);
    f->plant.functions->restore(f->plant.self, (const char *)bytes + held_size(f), size);
    ib_foreign_show(vehicle, now);
}

void ib_foreign_destroy(foreign *f) {
    if (!f)
        return;
    if (f->plant.functions)
        f->plant.functions->destroy(f->plant.self);
    ib_fmu_close(f->fmu);
}
