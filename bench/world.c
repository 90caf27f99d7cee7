/* What a world's tick costs beside a bare loop of the same physics: seconds of each run, as one
 * line of JSON.
 *
 * Usage: world_bench MISSION SECONDS REPEATS [THREADS...]. Each repeat runs the loop and then the
 * mission, by processor time; or the mission with each number of threads, by the clock on the wall,
 * a single number by processor time. They take turns, so that whatever else the machine does falls
 * on all. Nothing is recorded, and loading is outside the clock.
 *
 * The loop is what one writes who needs this one flight and nothing else: a rigid body on the
 * rotating WGS-84 ellipsoid, J2, the US Standard Atmosphere's seven layers, drag at the centre of
 * mass, a quaternion; classical Runge-Kutta, the C library's functions. It starts where
 * missions/bare.yaml starts, and how far apart both end is printed.
 */
#include "ironbird/ironbird.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POSITION = 0, VELOCITY = 3, ATTITUDE = 6, RATE = 10, SIZE = 13 };

#define STEP 1e-3
#define TICKS_PER_SECOND 1000

/* ---- the bare loop ------------------------------------------------------------------------- */

static const double mu = 3.986004418e14, j2 = 1.08262982e-3, radius = 6378137,
                    flattening = 1 / 298.257223563, earth_rate = 7.292115e-5;
static const double mass = 14.593902937206364, drag_area = 0.02;
static const double inertia[3] = {4.8809, 5.2, 6.1};

static double density(double height) {
    static const double base[] = {0, 11000, 20000, 32000, 47000, 51000, 71000};
    static const double temperature[] = {288.15, 216.65, 216.65, 228.65, 270.65, 270.65, 214.65};
    static const double lapse[] = {-0.0065, 0, 0.001, 0.0028, 0, -0.0028, -0.002};
    static const double pressure[] = {101325,
                                      22632.063973462930,
                                      5474.8886696777796,
                                      868.01868475522733,
                                      110.90630555496587,
                                      66.938873118687266,
                                      3.9564204280407287};
    const double k = 9.80665 * 28.9644 / 8314.32, gas = 8314.32 / 28.9644;
    const double H = 6356766 * height / (6356766 + height);
    int i = 6;
    while (i > 0 && H < base[i])
        i--;
    const double T = temperature[i] + lapse[i] * (H - base[i]);
    const double p = lapse[i] < 0 || lapse[i] > 0
                         ? pressure[i] * pow(temperature[i] / T, k / lapse[i])
                         : pressure[i] * exp(-k * (H - base[i]) / T);
    return p / (gas * T);
}

/* Above the ellipsoid: one round of Bowring's, in sines and cosines, which costs no angle. */
static double height_of(const double r[3]) {
    const double e2 = flattening * (2 - flattening);
    const double p = sqrt(r[0] * r[0] + r[1] * r[1]), across = p * (1 - flattening);
    const double length = 1 / sqrt(r[2] * r[2] + across * across);
    const double s = r[2] * length, c = across * length;
    const double up = r[2] + e2 / (1 - flattening) * radius * s * s * s;
    const double out = p - e2 * radius * c * c * c;
    const double unit = 1 / sqrt(up * up + out * out), sine = up * unit;
    return p * out * unit + r[2] * sine - radius * sqrt(1 - e2 * sine * sine);
}

static void derivative(const double y[SIZE], double dy[SIZE]) {
    const double *v = y + VELOCITY, *q = y + ATTITUDE, *w = y + RATE;
    const double r2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2], m3 = mu / (r2 * sqrt(r2));
    const double k = 1.5 * j2 * radius * radius / r2, A = 1 + k * (1 - 5 * y[2] * y[2] / r2);
    const double u[3] = {v[0] + earth_rate * y[1], v[1] - earth_rate * y[0], v[2]};
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    const double drag = density(height_of(y)) / 2 * drag_area * speed / mass;
    for (int i = 0; i < 3; i++) {
        dy[i] = v[i];
        dy[VELOCITY + i] = -m3 * (i == 2 ? A + 2 * k : A) * y[i] - drag * u[i];
    }
    dy[6] = (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]) / 2;
    dy[7] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2;
    dy[8] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2;
    dy[9] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2;
    dy[10] = (inertia[1] - inertia[2]) * w[1] * w[2] / inertia[0];
    dy[11] = (inertia[2] - inertia[0]) * w[2] * w[0] / inertia[1];
    dy[12] = (inertia[0] - inertia[1]) * w[0] * w[1] / inertia[2];
}

static void loop(unsigned long steps, double y[SIZE]) {
    double k1[SIZE], k2[SIZE], k3[SIZE], k4[SIZE], at[SIZE];
    for (unsigned long n = 0; n < steps; n++) {
        derivative(y, k1);
        for (int i = 0; i < SIZE; i++)
            at[i] = y[i] + STEP / 2 * k1[i];
        derivative(at, k2);
        for (int i = 0; i < SIZE; i++)
            at[i] = y[i] + STEP / 2 * k2[i];
        derivative(at, k3);
        for (int i = 0; i < SIZE; i++)
            at[i] = y[i] + STEP * k3[i];
        derivative(at, k4);
        for (int i = 0; i < SIZE; i++)
            y[i] += STEP / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        const double size = 1 / sqrt(y[6] * y[6] + y[7] * y[7] + y[8] * y[8] + y[9] * y[9]);
        for (int i = ATTITUDE; i < RATE; i++)
            y[i] *= size;
    }
}

/* ---- worlds -------------------------------------------------------------------------------- */

static void fail(const ib_diags *diags, const char *what) {
    const size_t n = ib_diags_count(diags);
    fprintf(stderr, "world_bench: %s\n", n ? ib_diags_at(diags, n - 1)->message : what);
    exit(2);
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ib_world *load(const char *mission, int threads, ib_diags *diags) {
    const ib_world_options options = {.threads = threads};
    ib_world *world;
    if (ib_world_create(mission, &options, diags, &world) != IB_OK)
        fail(diags, "the mission does not load");
    return world;
}

/* The state of the first vehicle in the inertial frame. */
static void read_state(ib_world *world, double y[SIZE], ib_diags *diags) {
    static const char *const names[SIZE] = {
        "eci.position.x", "eci.position.y", "eci.position.z", "eci.velocity.x", "eci.velocity.y",
        "eci.velocity.z", "eci.attitude.w", "eci.attitude.x", "eci.attitude.y", "eci.attitude.z",
        "body.rate.x",    "body.rate.y",    "body.rate.z"};
    for (int i = 0; i < SIZE; i++) {
        char full[128];
        snprintf(full, sizeof full, "%s.%s", ib_world_vehicle_name(world, 0), names[i]);
        const ib_handle channel = ib_world_channel(world, full);
        if (channel < 0)
            fail(diags, full);
        ib_world_read(world, &channel, 1, &y[i]);
    }
}

static double fly(const char *mission, unsigned long ticks, int threads, clockid_t clock,
                  double y[SIZE]) {
    ib_diags *diags = ib_diags_create();
    ib_world *world = load(mission, threads, diags);
    const double begun = now(clock);
    for (unsigned long k = 0; k < ticks; k++)
        if (ib_world_tick(world, diags) != IB_OK)
            fail(diags, "a tick failed");
    const double took = now(clock) - begun;
    read_state(world, y, diags);
    ib_world_destroy(world);
    ib_diags_destroy(diags);
    return took;
}

/* The loop from where the first vehicle of the mission starts, then the mission. */
static void beside_loop(const char *mission, unsigned long ticks, int repeats) {
    double first[SIZE], bare[SIZE], flown[SIZE] = {0}, apart = 0;
    fly(mission, 0, 1, CLOCK_MONOTONIC, first);
    printf("{\"ticks\": %lu, \"runs\": [", ticks);
    for (int i = 0; i < repeats; i++) {
        memcpy(bare, first, sizeof bare);
        const double begun = now(CLOCK_PROCESS_CPUTIME_ID);
        loop(ticks, bare);
        const double took = now(CLOCK_PROCESS_CPUTIME_ID) - begun;
        printf("%s[%.6f, %.6f]", i ? ", " : "", took,
               fly(mission, ticks, 1, CLOCK_PROCESS_CPUTIME_ID, flown));
    }
    for (int i = 0; i < 3; i++)
        apart += (bare[i] - flown[i]) * (bare[i] - flown[i]);
    printf("], \"apart\": %.3g}\n", sqrt(apart));
}

static void with_threads(const char *mission, unsigned long ticks, int repeats, char **threads) {
    double y[SIZE];
    const bool alone = atoi(threads[0]) == 1 && !threads[1];
    const clockid_t clock = alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    printf("{\"ticks\": %lu, \"runs\": [", ticks);
    for (int i = 0; i < repeats; i++) {
        printf("%s[", i ? ", " : "");
        for (int k = 0; threads[k]; k++)
            printf("%s%.6f", k ? ", " : "", fly(mission, ticks, atoi(threads[k]), clock, y));
        printf("]");
    }
    printf("]}\n");
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: world_bench MISSION SECONDS REPEATS [THREADS...]\n");
        return 2;
    }
    const unsigned long ticks = strtoul(argv[2], NULL, 10) * TICKS_PER_SECOND;
    if (argc == 4)
        beside_loop(argv[1], ticks, atoi(argv[3]));
    else
        with_threads(argv[1], ticks, atoi(argv[3]), argv + 4);
    return 0;
}
