/* The guard around FMUs in this process: a crash, an abort, a stack that overflows, exit() called
 * by an FMU end the run, not the program, and the rows up to there are kept. Missions guard the
 * calls of flight computers where they are made; here only exit() is left to deal with.
 *
 * exit() cannot be returned from: what is left of the run is done in a function that it calls,
 * which reaches nothing but a global. After a crash memory may be spoilt or locked, so what is left
 * has a limited time to get done.
 */
#include "run.h"

#include <stdlib.h>
#include <unistd.h>

#define LIMIT 30 /* s, of wall time, from a crash to the end of the program */

static ib_run *under_way; /* the run whose FMU or mission is under way, or NULL */

typedef struct work {
    ib_run *run;
    const ib_fmu_sink *sink;
    ib_status status;
} work;

static void simulate(void *argument) {
    work *w = argument;
    w->status = ib_fmu_run_simulate(w->run->fmu_run, w->run->wanted, w->sink, w->run->diags);
}

/* What exit() left behind, in words. */
static void tell(ib_run *run) {
    char number[IB_NUMBER_SIZE];
    if (run->fmu_run)
        ib_fmu_run_crashed(run->fmu_run, 0, run->diags);
    else if (run->network)
        ib_network_crashed(run->network, 0, run->diags);
    else
        ib_diags_add(run->diags, IB_ERROR, IB1206, IB_NO_PLACE,
                     "a flight computer called exit() after t = %s s; with `isolate: true` it is "
                     "named",
                     ib_number_text(ib_time_seconds(ib_world_time(run->world)), number));
}

/* Called by exit(). Only an FMU or a flight computer calls that while a run is under way. */
static void finish_run(void) {
    ib_run *run = under_way;
    under_way = NULL;
    if (!run)
        return;
    alarm(LIMIT);
    tell(run);
    const int code = ib_run_finish(run, IB_SIMULATION_FAILED);
    ib_run_report(run, code);
    ib_fmu_close(run->fmu);
    ib_network_destroy(run->network);
    fflush(NULL);
    _exit(code);
}

void ib_run_catch_exit(ib_run *run) {
    if (run && atexit(finish_run) != 0)
        run = NULL;
    under_way = run;
}

ib_status ib_run_guarded(ib_run *run, const ib_fmu_sink *sink) {
    work w = {.run = run, .sink = sink, .status = IB_INTERNAL};
    ib_run_catch_exit(run);
    const int signal_number = ib_guard(simulate, &w);
    ib_run_catch_exit(NULL);
    if (!signal_number)
        return w.status;
    alarm(LIMIT);
    ib_fmu_run_crashed(run->fmu_run, signal_number, run->diags);
    return IB_SIMULATION_FAILED;
}
