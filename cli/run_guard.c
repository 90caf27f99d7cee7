/* The guard around FMUs in this process: a crash, an abort, a stack that overflows, exit() called
 * by an FMU end the run, not the program, and the rows up to there are kept.
 *
 * exit() cannot be returned from: what is left of the run is done in a function that it calls,
 * which reaches nothing but a global. After a crash memory may be spoilt or locked, so what is left
 * has a limited time to get done.
 */
#include "run.h"

#include <stdlib.h>
#include <unistd.h>

#define LIMIT 30 /* s, of wall time, from a crash to the end of the program */

static ib_run *under_way; /* the run whose FMU is being called, or NULL */

typedef struct work {
    ib_run *run;
    const ib_fmu_sink *sink;
    ib_status status;
} work;

static void simulate(void *argument) {
    work *w = argument;
    w->status = ib_fmu_run_simulate(w->run->fmu_run, w->run->wanted, w->sink, w->run->diags);
}

/* Called by exit(). Only an FMU calls that while one is being called. */
static void finish_run(void) {
    ib_run *run = under_way;
    under_way = NULL;
    if (!run)
        return;
    alarm(LIMIT);
    ib_fmu_run_crashed(run->fmu_run, 0, run->diags);
    const int code = ib_run_finish(run, IB_SIMULATION_FAILED);
    ib_run_report(run, code);
    ib_fmu_close(run->fmu);
    fflush(NULL);
    _exit(code);
}

ib_status ib_run_guarded(ib_run *run, const ib_fmu_sink *sink) {
    work w = {.run = run, .sink = sink, .status = IB_INTERNAL};
    if (atexit(finish_run) == 0)
        under_way = run;
    const int signal_number = ib_guard(simulate, &w);
    under_way = NULL;
    if (!signal_number)
        return w.status;
    alarm(LIMIT);
    ib_fmu_run_crashed(run->fmu_run, signal_number, run->diags);
    return IB_SIMULATION_FAILED;
}
