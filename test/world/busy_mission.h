/* A mission with everything that could depend on order: noise, faults, separations, flight
 * computers, events, for any number of vehicles. */
#ifndef IB_BUSY_MISSION_H
#define IB_BUSY_MISSION_H

#include "world_test.h"

static inline void add(char *text, size_t size, const char *more) {
    const size_t n = strlen(text);
    assert_true(n + strlen(more) < size);
    memcpy(text + n, more, strlen(more) + 1);
}

/* Every vehicle flies from another place; each separates at a time of its own. */
static inline char *busy_mission(int vehicles) {
    const size_t size = 4000 + (size_t)vehicles * 2000;
    char *text = malloc(size), line[2000];
    assert_non_null(text);
    snprintf(text, size,
             "ironbird: 1\nmission: busy\nseed: 11\ntime: {end: 0.4}\n"
             "plants: {stack: {model: three.yaml}}\n"
             "flight_computers: {probe: {native: \"%s/probe.so\", config: {quiet: 1}}}\n"
             "environment: {wind: {steady: [3, 1, 0], turbulence: {intensity: 2, scale: 300}}}\n"
             "vehicles:\n",
             IB_TEST_COMPUTERS);
    for (int i = 0; i < vehicles; i++) {
        snprintf(
            line, sizeof line,
            "  v%d: {plant: stack, drag_area: 0.3, flight_computer: probe, initial: "
            "{position: [%d, 0, %d], velocity: [200, 10, %d], rates: [0.1, 0.2, %d]}, "
            "devices: {imu: {type: imu, gyro: {noise: 1e-3, instability: 1e-3}, accelerometer: "
            "{turn_on: 0.1}}, gps: {type: gps, rate: 50 Hz, place: {noise: 1}}, fin: {type: "
            "fin, lag: 0.05}, baro: {type: baro, body: c, rate: 100 Hz, pressure: {noise: "
            "1}}, e: {type: ecu, body: b, thrust: 300, impulse: 250, propellant: 5, start: "
            "0.05, roughness: 0.01}, icu: {type: icu, sequence: [{do: arm}, {delay: %d ms, do: "
            "separate, payload: p}]}}, "
            "faults: [{device: imu, kind: bias, at: 0.1, until: 0.2, value: 0.3}, {device: "
            "gps, kind: dropout, at: 0, value: 0.3}], bus: {topics: {imu: {loss: 0.05}}}, "
            "separations: {p: {release: [j1], as: w%d, impulse: 3, drag_area: 0.1}}}\n",
            i, 100 * i, 3000 + 7 * i, 20 - i % 5, i % 3, 150 + 13 * (i % 7), i);
        add(text, size, line);
    }
    add(text, size,
        "events: [{name: fall, when: v0.body.velocity.z - 19, crosses: down, do: [{mark: "
        "x}, {transition: {vehicle: v0, to: FALL}}]}]\n");
    return text;
}

/* All channels now, into a hash. */
static inline uint64_t hash_channels(ib_world *world, uint64_t hash) {
    const size_t n = ib_world_channel_count(world);
    ib_handle *handles = malloc(n * sizeof *handles);
    double *values = malloc(n * sizeof *values);
    assert_true(handles && values);
    for (size_t i = 0; i < n; i++)
        handles[i] = (ib_handle)i;
    ib_world_read(world, handles, n, values);
    for (size_t i = 0; i < n; i++)
        if (values[i] == values[i])
            hash = ib_hash_bytes(hash, &values[i], sizeof values[i]);
    free(handles);
    free(values);
    return hash;
}

#endif
