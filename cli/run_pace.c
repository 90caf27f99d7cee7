/* --realtime: a mission by the wall clock. A tick that ends before its time waits for it; one that
 * ends late is counted, and those after it hurry until they have caught up.
 */
#include "run.h"

#include <string.h>

static const double grain = 1e-3; /* s; less than this is not late */

ib_status ib_pace_choose(ib_run *run) {
    const char *text = ib_arguments_value(run->given, IB_OPTION_run_realtime);
    if (!ib_arguments_has(run->given, IB_OPTION_run_realtime))
        return IB_OK;
    run->pace.factor = 1;
    if (!text)
        return IB_OK;
    const size_t n = strlen(text);
    if (ib_number_parse(text, n, &run->pace.factor) == n && run->pace.factor >= 1e-3 &&
        run->pace.factor <= 1e3)
        return IB_OK;
    ib_usage_error(run->diags, IB_COMMAND_run,
                   "--realtime '%s' is no factor between 0.001 and 1000: 2 is twice as fast as the "
                   "clock",
                   text);
    return IB_BAD_INPUT;
}

void ib_pace_begin(ib_run *run) {
    run->pace.begun = ib_clock();
    run->pace.from = ib_world_time(run->world);
}

/* Until the clock shows it, or a signal comes. */
static void sleep_until(double clock) {
    struct timespec until = {.tv_sec = (time_t)ib_floor(clock)};
    until.tv_nsec = (long)((clock - ib_floor(clock)) * 1e9);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

void ib_pace_keep(ib_run *run) {
    ib_run_pace *pace = &run->pace;
    if (!(pace->factor > 0))
        return;
    const double passed = ib_time_seconds(ib_world_time(run->world) - pace->from);
    const double due = pace->begun + passed / pace->factor, late = ib_clock() - due;
    pace->ticks++;
    if (late <= 0) {
        sleep_until(due);
        return;
    }
    pace->late += late > grain;
    if (late > pace->worst) {
        pace->worst = late;
        pace->worst_at = ib_world_time(run->world);
    }
}

static void tell_computer(ib_run *run, const ib_pace_record *r) {
    char at[IB_NUMBER_SIZE];
    ib_diags_add(run->diags, IB_WARNING, IB0728, IB_NO_PLACE,
                 "the flight computer of '%s' took longer than its period in %llu of %llu ticks, "
                 "%.3g s in the one at t = %s s",
                 r->vehicle, (unsigned long long)r->late, (unsigned long long)r->ticks, r->worst,
                 ib_number_text(ib_time_seconds(r->worst_at), at));
}

void ib_pace_tell(ib_run *run) {
    const ib_run_pace *pace = &run->pace;
    char at[IB_NUMBER_SIZE];
    ib_pace_record r;
    if (!(pace->factor > 0))
        return;
    for (size_t i = 0; ib_world_pace_record(run->world, i, &r); i++)
        if (r.late > 0)
            tell_computer(run, &r);
    if (pace->late > 0)
        ib_diags_add(run->diags, IB_WARNING, IB0728, IB_NO_PLACE,
                     "%llu of %llu ticks ended more than a millisecond late, by %.3g s at t = %s s",
                     (unsigned long long)pace->late, (unsigned long long)pace->ticks, pace->worst,
                     ib_number_text(ib_time_seconds(pace->worst_at), at));
}
