/* Times of a grid: t_i = start + i * step, from the integer i and nothing that came before. */
#include "fmi/run.h"

/* True when the double is the one nearest to a whole number of nanoseconds. */
static bool is_whole(double seconds, ib_time *ns) {
    return ib_time_from_seconds(seconds, ns) && ib_time_seconds(*ns) == seconds;
}

ib_fmi_grid ib_fmi_grid_make(double start, double step) {
    ib_fmi_grid grid = {.start = start, .step = step};
    grid.whole =
        is_whole(start, &grid.start_ns) && is_whole(step, &grid.step_ns) && grid.step_ns > 0;
    return grid;
}

double ib_fmi_grid_time(const ib_fmi_grid *grid, uint64_t i) {
    ib_time ns;
    if (grid->whole && i <= INT64_MAX && !__builtin_mul_overflow((ib_time)i, grid->step_ns, &ns) &&
        !__builtin_add_overflow(ns, grid->start_ns, &ns))
        return ib_time_seconds(ns);
    return grid->start + (double)i * grid->step;
}
