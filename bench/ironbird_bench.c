/* Ironbird's half of `make bench`: one benchmark case at one tolerance, timed, as one line of JSON.
 *
 * Usage: ironbird_bench CASE N RTOL [STEP_SECONDS SOLVER]; a step of 0 leaves it to the error
 * control. CASE is `chain` (N ball-jointed links, 5 s, its tip) or `fourbar` (IFToMM A02 with N
 * loops, 10 s, its point B0). The model is written as YAML and runs through the public library, as
 * a user's would. Only the integration is timed, in CPU time of the process.
 */
#include "ironbird/ironbird.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINTS = 20 };

static const double pi = 3.14159265358979323846;

static void fail(const char *what) {
    fprintf(stderr, "ironbird_bench: %s\n", what);
    exit(2);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Links of 0.1 m and 0.1 kg in a straight line 60 degrees from straight down, turning at 1 rad/s.
 */
static void write_chain(FILE *f, int n) {
    const double l = 0.1, mass = 0.1, sine = sin(pi / 3), down = -cos(pi / 3);
    const double across = mass * l * l / 12, along = mass * l * l / 24;
    fprintf(f, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < n; i++) {
        const double s = l * (i + 0.5);
        fprintf(f,
                "  l%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, 0, %.17g], "
                "orientation: [%.17g, 0, %.17g, 0], velocity: [0, %.17g, 0], "
                "angular_velocity: [0, 0, 1]}\n",
                i, mass, across, across, along, sine * s, down * s, cos(pi / 6), -sin(pi / 6),
                sine * s);
    }
    fprintf(f, "joints:\n");
    for (int i = 0; i < n; i++) {
        char below[16] = "ground";
        if (i > 0)
            snprintf(below, sizeof below, "l%d", i - 1);
        fprintf(f, "  j%d: {type: spherical, body1: l%d, body2: %s, point: [%.17g, 0, %.17g]}\n", i,
                i, below, sine * l * i, down * l * i);
    }
    fprintf(f, "sensors:\n  watch: {type: point, body: l%d, point: [%.17g, 0, %.17g]}\n", n - 1,
            sine * l * n, down * l * n);
}

/* 2 N + 1 links of 1 m and 1 kg; all cranks upright, B0 at 1 m/s. */
static void write_fourbar(FILE *f, int n) {
    fprintf(f, "gravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i <= n; i++)
        fprintf(f,
                "  k%d: {mass: 1, inertia: [1/12, 1e-4, 1/12], position: [%d, 0.5, 0], "
                "velocity: [0.5, 0, 0], angular_velocity: [0, 0, -1]}\n",
                i, i);
    for (int i = 0; i < n; i++)
        fprintf(f,
                "  c%d: {mass: 1, inertia: [1e-4, 1/12, 1/12], position: [%g, 1, 0], "
                "velocity: [1, 0, 0]}\n",
                i, i + 0.5);
    fprintf(f, "joints:\n");
    for (int i = 0; i <= n; i++)
        fprintf(f, "  g%d: {type: revolute, body1: k%d, point: [%d, 0, 0], axis: [0, 0, 1]}\n", i,
                i, i);
    for (int i = 0; i < n; i++)
        for (int side = 0; side < 2; side++)
            fprintf(f,
                    "  j%d_%d: {type: revolute, body1: c%d, body2: k%d, point: [%d, 1, 0], "
                    "axis: [0, 0, 1]}\n",
                    i, side, i, i + side, i + side);
    fprintf(f, "sensors:\n  watch: {type: point, body: k0, point: [0, 1, 0]}\n");
}

static ib_model *load(const char *name, int n, double end, int argc, char **argv) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        fail("out of memory");
    fprintf(f, "ironbird: 1\nname: %s\n", name);
    if (strcmp(name, "chain") == 0)
        write_chain(f, n);
    else
        write_fourbar(f, n);
    fprintf(f, "simulation: {end: %g, output_step: %.17g, rtol: %s, solver: %s", end, end / POINTS,
            argv[3], argc > 5 ? argv[5] : "auto");
    if (argc > 4 && strcmp(argv[4], "0") != 0)
        fprintf(f, ", step: %s", argv[4]);
    fprintf(f, "}\n");
    fclose(f);
    ib_diags *diags = ib_diags_create();
    ib_model *model;
    if (ib_model_load_text("bench", text, length, NULL, 0, diags, &model) != IB_OK)
        fail(ib_diags_count(diags) ? ib_diags_at(diags, 0)->message : "the model does not load");
    ib_diags_destroy(diags);
    free(text);
    return model;
}

/* Advances through the points; returns CPU seconds of the integration alone. */
static double run(ib_system *system, double end, double points[POINTS][3]) {
    const ib_handle watch[3] = {ib_system_channel(system, "watch.position.x"),
                                ib_system_channel(system, "watch.position.y"),
                                ib_system_channel(system, "watch.position.z")};
    ib_diags *diags = ib_diags_create();
    double spent = 0;
    for (int i = 0; i < POINTS; i++) {
        const ib_time time = (ib_time)(end * 1e9 / POINTS * (i + 1) + 0.5);
        const double start = cpu_seconds();
        if (ib_system_advance(system, time, diags) != IB_OK)
            fail(ib_diags_count(diags) ? ib_diags_at(diags, 0)->message : "it does not run");
        spent += cpu_seconds() - start;
        if (ib_system_read(system, watch, 3, points[i], diags) != IB_OK)
            fail("a channel cannot be read");
    }
    ib_diags_destroy(diags);
    return spent;
}

int main(int argc, char **argv) {
    if (argc != 4 && argc != 6)
        fail("usage: ironbird_bench chain|fourbar N RTOL [STEP_SECONDS SOLVER]");
    const bool chain = strcmp(argv[1], "chain") == 0;
    const double end = chain ? 5 : 10;
    ib_model *model = load(argv[1], atoi(argv[2]), end, argc, argv);
    ib_system *system;
    ib_diags *diags = ib_diags_create();
    if (ib_system_create(model, diags, &system) != IB_OK)
        fail(ib_diags_count(diags) ? ib_diags_at(diags, 0)->message : "the system cannot be made");
    double points[POINTS][3];
    const double spent = run(system, end, points);
    const ib_statistics statistics = ib_system_statistics(system);
    printf("{\"peer\": \"ironbird\", \"case\": \"%s\", \"n\": %s, \"solver\": \"%s\", "
           "\"setting\": %s, \"cpu_s\": %.6g, \"steps\": %llu, \"evaluations\": %llu, "
           "\"points\": [",
           argv[1], argv[2], statistics.solver,
           argc > 4 && strcmp(argv[4], "0") != 0 ? argv[4] : argv[3], spent,
           (unsigned long long)statistics.steps, (unsigned long long)statistics.evaluations);
    for (int i = 0; i < POINTS; i++)
        printf("%s[%.17g, %.17g, %.17g, %.17g]", i ? ", " : "", end / POINTS * (i + 1),
               points[i][0], points[i][1], points[i][2]);
    printf("]}\n");
    ib_system_destroy(system);
    ib_model_destroy(model);
    ib_diags_destroy(diags);
    return 0;
}
