/* Watches the explicit methods for stiffness: steps kept short by stability, not by accuracy.
 *
 * From the last two evaluations of a step, both at its end, comes an estimate of |lambda| for the
 * fastest mode (Hairer & Wanner 1996, section IV.2, equation 2.15). A mode that decays limits the
 * step where h |lambda| stays near the end of the stable interval; one that swings, earlier. So
 * what stays within a fourth of it is suspect only. Then the stiff method is tried from the present
 * state with a much longer step: where its error is within the tolerance it takes over (after L.
 * Petzold, SIAM J. Sci. Stat. Comput. 4, 1983, who compares the steps that two methods could take).
 */
#include "mechanics/mechanism.h"

enum { INTERVAL = 16, ENOUGH = 15, FORGIVEN = 6, FIRST_PAUSE = 200, LONGER = 10, LONGEST = 100000 };
/* Shares of the stable interval: suspect, and certainly limited by it. */
static const double suspect = 0.25, limited = 0.5;

bool ib_stiffness_due(const ib_dynamics *d) {
    const mech_header *header = d->header;
    return header->suspicious > 0 || header->steps % INTERVAL == 0;
}

static void take_over(ib_dynamics *d, ib_time step) {
    mech_header *header = d->header;
    header->went_over_at = header->time;
    header->step = step;
    header->error = 1e-4;
    ib_radau_interrupt(d);
}

/* A trial that fails costs some twenty steps, so the pauses between them grow. */
static bool try_over(ib_dynamics *d, ib_time step) {
    mech_header *header = d->header;
    if (!d->mechanism->options.fallback || header->steps < header->next_trial)
        return false;
    const ib_time longer = ib_step_scaled(step, LONGER);
    if (ib_radau_try(d, longer)) {
        take_over(d, longer);
        return true;
    }
    const uint64_t pause = header->trial_pause ? header->trial_pause : FIRST_PAUSE;
    header->next_trial = header->steps + pause;
    header->trial_pause = 2 * pause < LONGEST ? 2 * pause : LONGEST;
    return false;
}

bool ib_stiffness_watch(ib_dynamics *d, ib_time step, double h_lambda, double stable) {
    mech_header *header = d->header;
    header->limited_steps += h_lambda > limited * stable && header->suspicious >= ENOUGH;
    if (!(h_lambda > suspect * stable)) {
        header->calm++;
        if (header->calm >= FORGIVEN)
            header->suspicious = 0;
        return false;
    }
    header->calm = 0;
    if (header->suspicious < ENOUGH) {
        header->suspicious++;
        return false;
    }
    return try_over(d, step);
}

bool ib_stiffness_resort(ib_dynamics *d) {
    const ib_time step = IB_SECOND / 1000000;
    if (!d->mechanism->options.fallback || !ib_radau_try(d, step))
        return false;
    take_over(d, step);
    return true;
}
