/* Progress on standard error: a bar that is redrawn in place, or one JSON object a line. */
#include "run.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_CELLS 24
#define REDRAW 0.1      /* s between pictures */
#define CALLS_A_LOOK 32 /* steps between looks at the clock */

double ib_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ib_progress_begin(ib_progress *progress, ib_progress_kind kind, ib_time start, ib_time end) {
    const double now = ib_clock();
    *progress = (ib_progress){.kind = kind,
                              .unicode = ib_wants_unicode(),
                              .colour = ib_wants_colour(stderr),
                              .start = start,
                              .end = end,
                              .begun = now,
                              .last = now - REDRAW};
}

/* How far, how fast, and how long it will still take. */
typedef struct state {
    double time, end, wall, fraction, speed, left;
} state;

static state state_at(const ib_progress *p, ib_time now) {
    state s = {.time = ib_time_seconds(now), .end = ib_time_seconds(p->end)};
    const double done = ib_time_seconds(now - p->start), all = ib_time_seconds(p->end - p->start);
    s.wall = ib_clock() - p->begun;
    s.fraction = all > 0 ? done / all : 1;
    s.speed = s.wall > 0 ? done / s.wall : 0;
    s.left = s.speed > 0 ? (all - done) / s.speed : -1;
    return s;
}

static void draw_bar(const ib_progress *p, ib_time now) {
    const state s = state_at(p, now);
    char left[32] = "";
    const int full = (int)(s.fraction * BAR_CELLS);
    char bar[BAR_CELLS * 3 + 1] = "";
    for (int i = 0; i < BAR_CELLS; i++)
        strcat(bar, i < full ? (p->unicode ? "\xe2\x94\x81" : "=")
                             : (p->unicode ? "\xe2\x94\x80" : "-"));
    fprintf(stderr, "\r%s%s%s %3d %%  %.*f of %g s  %.3g x real time", p->colour ? "\033[36m" : "",
            bar, p->colour ? "\033[0m" : "", (int)(100 * s.fraction), s.end < 10 ? 2 : 1, s.time,
            s.end, s.speed);
    if (s.left >= 0)
        fprintf(stderr, "  %s left", ib_duration_text(s.left, left));
    fputs("\033[K", stderr);
}

static void print_json(const ib_progress *p, ib_time now) {
    const state s = state_at(p, now);
    char time[IB_NUMBER_SIZE], end[IB_NUMBER_SIZE];
    fprintf(stderr,
            "{\"time\": %s, \"end\": %s, \"fraction\": %.6f, \"wall_time\": %.6f, "
            "\"speed_factor\": %.6g, \"left\": ",
            ib_number_text(s.time, time), ib_number_text(s.end, end), s.fraction, s.wall, s.speed);
    if (s.left >= 0)
        fprintf(stderr, "%.3f}\n", s.left);
    else
        fputs("null}\n", stderr);
}

static void show(ib_progress *progress, ib_time now) {
    if (progress->kind == IB_PROGRESS_BAR)
        draw_bar(progress, now);
    else
        print_json(progress, now);
    fflush(stderr);
    progress->shown = true;
    progress->last = ib_clock();
}

void ib_progress_step(ib_progress *progress, ib_time now) {
    if (progress->kind == IB_PROGRESS_NONE)
        return;
    if (progress->shown && ++progress->calls < CALLS_A_LOOK)
        return;
    progress->calls = 0;
    if (ib_clock() - progress->last >= REDRAW)
        show(progress, now);
}

void ib_progress_end(ib_progress *progress, ib_time now) {
    if (progress->kind == IB_PROGRESS_JSON)
        show(progress, now);
    else if (progress->kind == IB_PROGRESS_BAR && progress->shown)
        fputs("\r\033[K", stderr);
    progress->kind = IB_PROGRESS_NONE;
}
