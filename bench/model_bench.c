/* Times what a user waits for with a model of their own, as one line of JSON: reading the file,
 * making the system, and running it, with the expressions on the tape or as machine code.
 *
 * Usage: model_bench FILE SECONDS REPEATS [FOLDER]; FOLDER keeps machine code, and asks for it.
 * Times are the least of the repeats, by the clock on the wall.
 */
#include "ironbird/ironbird.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct times {
    double load, create, run;
} times;

static void fail(const ib_diags *diags, const char *what) {
    fprintf(stderr, "model_bench: %s\n",
            ib_diags_count(diags) ? ib_diags_at(diags, 0)->message : what);
    exit(2);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep_least(double *least, double value) {
    if (*least < 0 || value < *least)
        *least = value;
}

static void once(const char *file, ib_time end, const char *folder, times *least,
                 ib_statistics *statistics) {
    ib_diags *diags = ib_diags_create();
    ib_model *model;
    ib_system *system;
    const double start = now();
    if (ib_model_load(file, NULL, 0, diags, &model) != IB_OK)
        fail(diags, "the model does not load");
    const double loaded = now();
    if (ib_system_create(model, diags, &system) != IB_OK)
        fail(diags, "the system cannot be made");
    const double created = now();
    if (folder && ib_system_compile(system, "cc", folder, diags) != IB_OK)
        fail(diags, "the expressions do not compile");
    const double ready = now();
    if (ib_system_advance(system, end, diags) != IB_OK)
        fail(diags, "it does not run");
    keep_least(&least->run, now() - ready);
    keep_least(&least->load, loaded - start);
    keep_least(&least->create, created - loaded);
    *statistics = ib_system_statistics(system);
    ib_system_destroy(system);
    ib_model_destroy(model);
    ib_diags_destroy(diags);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: model_bench FILE SECONDS REPEATS [FOLDER]\n");
        return 2;
    }
    times least = {-1, -1, -1};
    ib_statistics statistics = {0};
    const ib_time end = (ib_time)(atof(argv[2]) * 1e9 + 0.5);
    for (int i = 0; i < atoi(argv[3]); i++)
        once(argv[1], end, argc > 4 ? argv[4] : NULL, &least, &statistics);
    printf("{\"load\": %.6g, \"create\": %.6g, \"run\": %.6g, \"evaluations\": %llu, \"hash\": "
           "\"%016llx\"}\n",
           least.load, least.create, least.run, (unsigned long long)statistics.evaluations,
           (unsigned long long)statistics.state_hash);
    return 0;
}
