/* What running an FMU costs beyond its own calls: nanoseconds a step, as one line of JSON.
 *
 * Usage: fmi_bench FMU STEPS REPEATS CSV. The FMU comes as source, is of FMI 3 and has the output x
 * with value reference 1. A loop of bare calls in this process is what the others are held against.
 * Times are the least of the repeats, by the clock on the wall, all ways turn by turn.
 */
#include "ironbird/ironbird.h"

#include <fmi3FunctionTypes.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP 1e-3

typedef enum way { BARE, BARE_GET, RUN, ROW, CSV, APART, APART_CSV, WAYS } way;

static const char *const names[WAYS] = {
    [BARE] = "bare",      [BARE_GET] = "bare_get",     [RUN] = "run", [ROW] = "row", [CSV] = "csv",
    [APART] = "isolated", [APART_CSV] = "isolated_csv"};

typedef struct bench {
    ib_fmu *fmu;
    ib_diags *diags;
    void *library;
    unsigned long steps;
    const char *csv;
    double least[WAYS];
    double x; /* at the end, so that all ways can be seen to do the same */
} bench;

static void fail(const ib_diags *diags, const char *what) {
    const size_t n = ib_diags_count(diags);
    fprintf(stderr, "fmi_bench: %s\n", n ? ib_diags_at(diags, n - 1)->message : what);
    exit(2);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- bare calls ---------------------------------------------------------------------------- */

static void *find(const bench *b, const char *name) {
    void *symbol = dlsym(b->library, name);
    if (!symbol)
        fail(b->diags, name);
    return symbol;
}

#define FIND(name)                                                                                 \
    fmi3##name##TYPE *name;                                                                        \
    do {                                                                                           \
        void *symbol = find(b, "fmi3" #name);                                                      \
        memcpy(&name, &symbol, sizeof name);                                                       \
    } while (0)

static double run_bare(bench *b, bool get) {
    FIND(InstantiateCoSimulation);
    FIND(EnterInitializationMode);
    FIND(ExitInitializationMode);
    FIND(DoStep);
    FIND(GetFloat64);
    FIND(FreeInstance);
    const fmi3ValueReference x = 1;
    fmi3Instance i = InstantiateCoSimulation("b", "{decay}", NULL, false, false, false, false, NULL,
                                             0, NULL, NULL, NULL);
    if (!i)
        fail(b->diags, "no instance");
    EnterInitializationMode(i, false, 0, 0, false, 0);
    ExitInitializationMode(i);
    const double begun = now();
    for (unsigned long k = 0; k < b->steps; k++) {
        bool event, terminate, early;
        double last;
        if (DoStep(i, (double)k * STEP, STEP, true, &event, &terminate, &early, &last) != fmi3OK)
            fail(b->diags, "a step failed");
        if (get)
            GetFloat64(i, &x, 1, &b->x, 1);
    }
    const double took = now() - begun;
    FreeInstance(i);
    return took;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static ib_status push_nothing(void *context, ib_time time, const double *row) {
    (void)time;
    ((bench *)context)->x = row[0];
    return IB_OK;
}

static ib_status push_csv(void *context, ib_time time, const double *row) {
    return ib_recorder_push(context, time, row);
}

static double run_ours(bench *b, way w) {
    const bool rows = w != RUN && w != APART, csv = w == CSV || w == APART_CSV;
    const ib_fmu_run_options options = {.kind = IB_FMU_CO_SIMULATION,
                                        .start = 0,
                                        .stop = (double)b->steps * STEP,
                                        .step = STEP,
                                        .output_step = rows ? STEP : (double)b->steps * STEP,
                                        .max_step = NAN,
                                        .tolerance = NAN,
                                        .isolate = w == APART || w == APART_CSV,
                                        .step_timeout = NAN};
    const ib_channel_info channel = {"x", "", "", NULL};
    ib_fmu_run *run;
    ib_recorder *recorder = NULL;
    bool wanted[8] = {false};
    if (ib_fmu_run_create(b->fmu, &options, NULL, 0, b->diags, &run) != IB_OK)
        fail(b->diags, "no run");
    for (size_t i = 0; i < ib_fmu_run_column_count(run) && i < 8; i++)
        wanted[i] = strcmp(ib_fmu_run_column(run, i).name, "x") == 0;
    if (csv && ib_recorder_create(b->csv, &channel, 1, b->diags, &recorder) != IB_OK)
        fail(b->diags, "no recorder");
    const ib_fmu_sink sink = {csv ? (void *)recorder : (void *)b, csv ? push_csv : push_nothing,
                              NULL};
    if (ib_fmu_run_prepare(run, b->diags) != IB_OK)
        fail(b->diags, "no library");
    const double begun = now();
    if (ib_fmu_run_simulate(run, wanted, &sink, b->diags) != IB_OK ||
        (recorder && ib_recorder_finish(recorder, b->diags) != IB_OK))
        fail(b->diags, "the run failed");
    const double took = now() - begun;
    ib_recorder_destroy(recorder);
    ib_fmu_run_destroy(run);
    return took;
}

/* -------------------------------------------------------------------------------------------- */

int main(int argc, char **argv) {
    const char *path;
    if (argc < 5) {
        fprintf(stderr, "usage: fmi_bench FMU STEPS REPEATS CSV\n");
        return 2;
    }
    bench b = {.diags = ib_diags_create(), .steps = strtoul(argv[2], NULL, 10), .csv = argv[4]};
    if (ib_fmu_open(argv[1], IB_FMU_LENIENT, b.diags, &b.fmu) != IB_OK ||
        ib_fmu_build(b.fmu, IB_FMU_CO_SIMULATION, b.diags, &path) != IB_OK)
        fail(b.diags, "no FMU");
    b.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!b.library)
        fail(b.diags, "no library");
    for (int repeat = 0; repeat < atoi(argv[3]); repeat++)
        for (int w = 0; w < WAYS; w++) {
            const double took = w <= BARE_GET ? run_bare(&b, w == BARE_GET) : run_ours(&b, (way)w);
            if (!repeat || took < b.least[w])
                b.least[w] = took;
        }
    printf("{\"steps\": %lu, \"x\": %.17g", b.steps, b.x);
    for (int w = 0; w < WAYS; w++)
        printf(", \"%s\": %.3f", names[w], 1e9 * b.least[w] / (double)b.steps);
    printf("}\n");
    dlclose(b.library);
    ib_fmu_close(b.fmu);
    ib_diags_destroy(b.diags);
    return 0;
}
