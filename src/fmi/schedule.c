/* Scheduled Execution (FMI 3.0.2, chapter 5): the FMU's partitions are activated by clocks, and we
 * are their scheduler.
 *
 * Time-based clocks tick at shift + k interval, counted, with the interval as a decimal or as a
 * fraction; changing ones say their next interval after each tick; countdown clocks are started by
 * the FMU in a partition and tick once; triggered clocks tick at the rows of the input table that
 * say so. Of clocks that tick together the one with the smallest priority number goes first.
 * Partitions run to their end one after another, so nothing preempts them and locks hold nothing
 * back.
 */
#include "fmi/run.h"

#include <math.h> /* HUGE_VAL, fabs */

#define ROUNDING 1e-12      /* relative: times closer than that are one */
#define MOST_AT_ONCE 100000 /* ticks without time passing */

typedef struct ticker {
    const ib_fmi_variable *variable;
    const ib_fmi_clock *clock;
    size_t column;                       /* of the input table; SIZE_MAX: none */
    double from, interval;               /* ticks at from + count * interval */
    uint64_t counter, resolution, shift; /* or at from + (shift + count * counter) / resolution */
    uint64_t count;
    double next;
} ticker;

typedef struct schedule {
    ib_fmu_run *run;
    ib_fmi_instance *instance;
    ticker *tickers;
    size_t n;
    uint64_t updates; /* of clocks that were heard of */
    uint64_t standing;
    double last;
} schedule;

static bool after(double b, double a) { return b - a > ROUNDING * fabs(a); }

/* ---- intervals ----------------------------------------------------------------------------- */

static ib_status refuse(schedule *s, const ticker *t, const char *what) {
    return ib_fmi_fail(s->run, IB1073, "the clock %s %s", t->variable->name, what);
}

/* Asks for the interval; *qualifier says whether there is one, and a new one. */
static ib_status ask_interval(schedule *s, ticker *t, fmi3IntervalQualifier *qualifier) {
    ib_fmi_instance *i = s->instance;
    const ib_fmi_functions3 *f = &i->library.f3;
    const uint32_t *reference = &t->variable->reference;
    ib_fmi_before(i, "the question for a clock's interval");
    if (t->clock->supports_fraction && f->GetIntervalFraction)
        return ib_fmi_after(i, "fmi3GetIntervalFraction",
                            (int)f->GetIntervalFraction(i->component, reference, 1, &t->counter,
                                                        &t->resolution, qualifier));
    if (!f->GetIntervalDecimal)
        return ib_fmi_after(i, "fmi3GetIntervalDecimal (missing)", IB_FMI_ERRED);
    return ib_fmi_after(
        i, "fmi3GetIntervalDecimal",
        (int)f->GetIntervalDecimal(i->component, reference, 1, &t->interval, qualifier));
}

static void find_next(ticker *t) {
    if (t->resolution)
        t->next = t->from + (double)(t->shift + t->count * t->counter) / (double)t->resolution;
    else
        t->next = t->from + (double)t->count * t->interval;
}

/* A positive interval, or for a countdown none. */
static bool is_usable(const ticker *t, bool zero) {
    const double interval =
        t->resolution ? (double)t->counter / (double)t->resolution : t->interval;
    return interval - interval == 0 && (interval > 0 || (zero && interval == 0));
}

/* The clock of the description, or of the FMU where that leaves it open. */
static ib_status begin_periodic(schedule *s, ticker *t) {
    const ib_fmi_clock *c = t->clock;
    fmi3IntervalQualifier qualifier;
    t->from = s->run->time;
    t->interval = c->interval_decimal;
    if (c->resolution && c->interval_counter) {
        t->counter = c->interval_counter;
        t->resolution = c->resolution;
        t->shift = c->shift_counter;
    } else {
        t->from += c->shift_decimal;
    }
    const bool said = c->has_interval_decimal || t->resolution;
    if (!said || c->interval == IB_FMI_INTERVAL_TUNABLE ||
        c->interval == IB_FMI_INTERVAL_CHANGING) {
        const ib_status status = ask_interval(s, t, &qualifier);
        if (status != IB_OK)
            return status;
        if (!said && qualifier == fmi3IntervalNotYetKnown)
            return refuse(s, t, "has no interval");
    }
    if (!is_usable(t, false))
        return refuse(s, t, "has an interval that is not positive");
    find_next(t);
    return IB_OK;
}

/* A changing clock's ticks are counted from the last one on. */
static ib_status take_changed(schedule *s, ticker *t, double now) {
    fmi3IntervalQualifier qualifier = fmi3IntervalUnchanged;
    const ib_status status = ask_interval(s, t, &qualifier);
    if (status != IB_OK || qualifier != fmi3IntervalChanged)
        return status;
    t->from = now;
    t->shift = 0;
    t->count = 1;
    return is_usable(t, false) ? IB_OK : refuse(s, t, "has an interval that is not positive");
}

/* Countdown clocks that a partition has started. */
static ib_status take_countdowns(schedule *s, double now) {
    ib_status status = IB_OK;
    for (size_t k = 0; k < s->n && status == IB_OK; k++) {
        ticker *t = &s->tickers[k];
        fmi3IntervalQualifier qualifier = fmi3IntervalUnchanged;
        if (t->clock->interval != IB_FMI_INTERVAL_COUNTDOWN)
            continue;
        status = ask_interval(s, t, &qualifier);
        if (status != IB_OK || qualifier != fmi3IntervalChanged)
            continue;
        if (!is_usable(t, true))
            return refuse(s, t, "counts down from an interval that is negative or no number");
        t->from = now;
        t->count = 1;
        find_next(t);
    }
    return status;
}

/* ---- triggered clocks ---------------------------------------------------------------------- */

/* The next row that says so; rows are passed once, so that several at one time are several ticks.
 */
static void find_row(const schedule *s, ticker *t) {
    const ib_fmi_inputs *inputs = &s->run->inputs;
    t->next = HUGE_VAL;
    while (t->column != SIZE_MAX && t->count < inputs->n_rows) {
        const size_t row = t->count++;
        if (inputs->columns[t->column].cells[row] && !(inputs->times[row] < s->run->time)) {
            t->next = inputs->times[row];
            return;
        }
    }
}

static size_t column_of(const ib_fmu_run *run, size_t variable) {
    const ib_fmi_inputs *inputs = &run->inputs;
    for (size_t i = 0; i < inputs->n_columns; i++)
        if (inputs->targets[inputs->columns[i].target].variable == variable)
            return i;
    return SIZE_MAX;
}

/* ---- making -------------------------------------------------------------------------------- */

static ib_status begin_clock(schedule *s, ticker *t) {
    t->next = HUGE_VAL;
    switch (t->clock->interval) {
    case IB_FMI_INTERVAL_TRIGGERED:
        find_row(s, t);
        return IB_OK;
    case IB_FMI_INTERVAL_COUNTDOWN:
        return IB_OK;
    default:
        return begin_periodic(s, t);
    }
}

static ib_status begin(schedule *s) {
    const ib_fmi_description *d = s->run->description;
    s->tickers = IB_ARENA_ARRAY(s->run->arena, d->n_variables + 1, ticker);
    if (!s->tickers)
        return ib_diags_no_memory(s->run->diags);
    for (size_t i = 0; i < d->n_variables; i++) {
        const ib_fmi_variable *v = &d->variables[i];
        if (v->type == IB_FMI_CLOCK && v->causality == IB_FMI_INPUT)
            s->tickers[s->n++] =
                (ticker){.variable = v, .clock = v->clock, .column = column_of(s->run, i)};
    }
    ib_status status = IB_OK;
    for (size_t k = 0; k < s->n && status == IB_OK; k++)
        status = begin_clock(s, &s->tickers[k]);
    return status == IB_OK ? take_countdowns(s, s->run->time) : status;
}

/* ---- ticks --------------------------------------------------------------------------------- */

static double next_time(const schedule *s) {
    double next = HUGE_VAL;
    for (size_t k = 0; k < s->n; k++)
        next = s->tickers[k].next < next ? s->tickers[k].next : next;
    return next;
}

/* Of the clocks that are due the one to go first; equal ones in the order of the description. */
static ticker *first_due(const schedule *s, double time) {
    ticker *first = NULL;
    for (size_t k = 0; k < s->n; k++) {
        ticker *t = &s->tickers[k];
        if (!after(t->next, time) && (!first || t->clock->priority < first->clock->priority))
            first = t;
    }
    return first;
}

/* Its next tick after the one that was. */
static ib_status move_on(schedule *s, ticker *t, double now) {
    ib_status status = IB_OK;
    switch (t->clock->interval) {
    case IB_FMI_INTERVAL_TRIGGERED:
        find_row(s, t);
        return IB_OK;
    case IB_FMI_INTERVAL_COUNTDOWN:
        t->next = HUGE_VAL;
        return IB_OK;
    case IB_FMI_INTERVAL_CHANGING:
        t->count++;
        status = take_changed(s, t, now);
        break;
    default:
        t->count++;
    }
    find_next(t);
    return status;
}

static ib_status tick(schedule *s, ticker *t, double time) {
    ib_fmi_instance *i = s->instance;
    ib_status status = ib_fmi_after(
        i, "fmi3ActivateModelPartition",
        (int)i->library.f3.ActivateModelPartition(i->component, t->variable->reference, time));
    s->run->statistics.steps++;
    if (status == IB_OK)
        status = move_on(s, t, time);
    if (status == IB_OK && i->clock_updates != s->updates) {
        s->updates = i->clock_updates;
        s->run->statistics.events++;
        status = take_countdowns(s, time);
    }
    s->standing = time == s->last ? s->standing + 1 : 0;
    s->last = time;
    if (status == IB_OK && s->standing > MOST_AT_ONCE)
        return refuse(s, t, "ticks without time passing");
    return status;
}

/* Everything that is due at a time, with the inputs of that time. */
static ib_status run_due(schedule *s, double time) {
    ib_fmu_run *run = s->run;
    run->time = s->instance->messages.time = time;
    ib_status status = ib_fmi_apply_inputs(run, time, false, false);
    ticker *t;
    while (status == IB_OK && (t = first_due(s, time)))
        status = tick(s, t, time);
    return status;
}

ib_status ib_fmi_simulate_schedule(ib_fmu_run *run) {
    schedule s = {.run = run, .instance = run->instance, .last = -HUGE_VAL};
    ib_status status = begin(&s);
    for (uint64_t i = 0; i <= run->n_steps && status == IB_OK; i++) {
        const double point = i == run->n_steps ? run->end : ib_fmi_grid_time(&run->grid, i);
        for (double next; status == IB_OK && !after(next = next_time(&s), point);)
            status = run_due(&s, after(point, next) ? next : point);
        run->time = s.instance->messages.time = point;
        if (status == IB_OK)
            status = ib_fmi_record(run, point);
        if (status == IB_OK)
            status = ib_fmi_watch(run);
    }
    return status;
}
