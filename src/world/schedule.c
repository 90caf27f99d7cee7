/* The scheduler: rates as whole numbers of nanoseconds, due by integer remainders.
 *
 * Physics tick k = 1, 2, ... covers [(k - 1) P, k P]. A flight computer or device of period n P and
 * phase p P ticks in the ticks k with k - 1 = p (mod n): at the tick's start its last sample is
 * that much old. Nothing is added up, so no count is ever off, however long the run. What does not
 * divide is refused here, never rounded.
 */
#include "world/schedule.h"

#include <stdio.h>

#define DAY (86400 * IB_SECOND)

/* ---- rates and periods ---- */

enum { TEXT = 64 };

/* "30 ms", "250 us", "33.333333 ms": what a mission may write for a period. */
static const char *period_text(ib_time period, char text[TEXT]) {
    static const struct {
        ib_time size;
        const char *unit;
    } units[] = {{IB_SECOND, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    size_t i = 0;
    while (units[i].size > period)
        i++;
    char number[IB_NUMBER_SIZE];
    ib_number_text((double)period / (double)units[i].size, number);
    snprintf(text, TEXT, "%s %s", number, units[i].unit);
    return text;
}

/* "50 Hz", "33.333 Hz": the rate of a period, to a thousandth unless it is slow. */
static const char *rate_text(ib_time period, char text[TEXT]) {
    const double rate = (double)IB_SECOND / (double)period;
    char number[IB_NUMBER_SIZE];
    snprintf(text, TEXT, "%s Hz",
             ib_number_text(rate > 1 ? ib_round(rate * 1000) / 1000 : rate, number));
    return text;
}

static ib_status refuse_size(const char *name, const char *what, double value, const char *unit,
                             ib_diags *diags, ib_place place) {
    char number[IB_NUMBER_SIZE];
    ib_diags_add(diags, IB_ERROR, IB0607, place,
                 "%s: a %s of %s %s cannot be kept; periods lie between 1 ns and a day", name, what,
                 ib_number_text(value, number), unit);
    return IB_BAD_INPUT;
}

ib_status ib_period_from_seconds(double seconds, const char *name, ib_diags *diags, ib_place place,
                                 ib_time *period) {
    ib_time whole = 0;
    if (!ib_time_from_seconds(seconds, &whole) || whole < 1 || whole > DAY)
        return refuse_size(name, "period", seconds, "s", diags, place);
    *period = whole;
    return IB_OK;
}

/* The nearest whole period of a rate; false when there is none that can be kept. */
static bool rate_period(double rate, ib_time *period) {
    return rate > 0 && ib_time_from_seconds(1 / rate, period) && *period >= 1 && *period <= DAY;
}

/* Whether the rate is the double nearest to 1 s / period. */
static bool is_whole(double rate, ib_time period) {
    const double nearest = (double)IB_SECOND / (double)period;
    return !(nearest < rate) && !(nearest > rate);
}

ib_status ib_period_from_rate(double rate, const char *name, ib_diags *diags, ib_place place,
                              ib_time *period) {
    ib_time whole = 0;
    if (!rate_period(rate, &whole))
        return refuse_size(name, "rate", rate, "Hz", diags, place);
    if (!is_whole(rate, whole)) {
        char number[IB_NUMBER_SIZE], text[TEXT];
        ib_diags_add(diags, IB_ERROR, IB0715, place,
                     "%s: the period of %s Hz is no whole number of nanoseconds", name,
                     ib_number_text(rate, number));
        ib_diags_suggest(diags, "write it as a period, the nearest is %s",
                         period_text(whole, text));
        return IB_BAD_INPUT;
    }
    *period = whole;
    return IB_OK;
}

/* ---- beats ---- */

/* Says which multiples of the physics period are nearest. */
static void suggest_periods(ib_time physics, ib_time period, ib_diags *diags) {
    const ib_time below = period / physics * physics, above = below + physics;
    char low[TEXT], high[TEXT], low_rate[TEXT], high_rate[TEXT];
    if (below == period || below == 0) {
        const ib_time only = below ? below : above;
        ib_diags_suggest(diags, "the nearest period is %s (%s)", period_text(only, low),
                         rate_text(only, low_rate));
        return;
    }
    ib_diags_suggest(diags, "the nearest periods are %s (%s) and %s (%s)", period_text(below, low),
                     rate_text(below, low_rate), period_text(above, high),
                     rate_text(above, high_rate));
}

static ib_status refuse_beat(ib_time physics, ib_time period, const char *rate, const char *name,
                             ib_diags *diags, ib_place place) {
    char own[TEXT], base[TEXT], base_period[TEXT];
    ib_diags_add(diags, IB_ERROR, IB0715, place,
                 "%s ticks at %s, every %s; that is no whole number of physics periods of %s (%s)",
                 name, rate, period_text(period, own), period_text(physics, base_period),
                 rate_text(physics, base));
    suggest_periods(physics, period, diags);
    return IB_BAD_INPUT;
}

ib_status ib_beat_make(ib_time physics, ib_time period, ib_time phase, const char *name,
                       ib_diags *diags, ib_place place, ib_beat *beat) {
    char own[TEXT], base[TEXT];
    if (period % physics != 0)
        return refuse_beat(physics, period, rate_text(period, own), name, diags, place);
    if (phase < 0 || phase >= period || phase % physics != 0) {
        ib_diags_add(
            diags, IB_ERROR, IB0715, place,
            "%s: its phase is a whole number of physics periods of %s, from 0 to below its "
            "own period of %s",
            name, period_text(physics, base), period_text(period, own));
        return IB_BAD_INPUT;
    }
    *beat = (ib_beat){period / physics, phase / physics};
    return IB_OK;
}

ib_status ib_beat_from_rate(ib_time physics, double rate, ib_time phase, const char *name,
                            ib_diags *diags, ib_place place, ib_beat *beat) {
    ib_time period = 0;
    if (!rate_period(rate, &period))
        return refuse_size(name, "rate", rate, "Hz", diags, place);
    if (!is_whole(rate, period)) {
        char number[IB_NUMBER_SIZE], text[TEXT];
        snprintf(text, sizeof text, "%s Hz", ib_number_text(rate, number));
        return refuse_beat(physics, period, text, name, diags, place);
    }
    return ib_beat_make(physics, period, phase, name, diags, place, beat);
}

bool ib_beat_due(const ib_beat *beat, int64_t tick) {
    return (tick - 1) % beat->ratio == beat->phase;
}

int64_t ib_beat_count(const ib_beat *beat, int64_t tick) {
    const int64_t since = tick - 1 - beat->phase;
    return since < 0 ? 0 : since / beat->ratio + 1;
}

ib_time ib_tick_time(ib_time physics, int64_t tick) { return physics * tick; }

int64_t ib_tick_number(ib_time physics, ib_time end) {
    return end <= 0 ? 0 : (end - 1) / physics + 1;
}
