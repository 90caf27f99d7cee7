/* Model Exchange: the FMU says how its state changes, the solver of ours integrates (FMI 3.0.2,
 * chapter 3; FMI 2.0.5, chapter 3).
 *
 * The solver chooses its steps; rows come from inside them. A step ends at the latest at the next
 * event that is known: one that the FMU announced, or a jump of an input. Within a step the event
 * indicators are looked at in several places; where one has changed sign the change is located and
 * the step ends there. The solver starts anew behind every event.
 */
#include "fmi/exchange.h"

#include <math.h> /* HUGE_VAL, fabs */
#include <stdio.h>
#include <stdlib.h>

#define ROUNDING 1e-12 /* relative: times closer than that are one */
#define LOCATED 1e-14  /* relative: how near an event's time is found */
enum { LOOKS = 4 };    /* at the indicators in a step */

static double larger(double a, double b) { return a > b ? a : b; }

/* True when b, which may be infinite, is after a by more than rounding. */
static bool after(double b, double a) { return b - a > ROUNDING * fabs(a); }

ib_status ib_fmi_after_verdict(ib_fmi_exchange *x, ib_ode_verdict verdict, const char *what) {
    if (verdict == IB_ODE_GOOD)
        return IB_OK;
    if (verdict == IB_ODE_BROKEN)
        return IB_SIMULATION_FAILED;
    return ib_fmi_fail(x->run, IB1070, "the FMU has no value for %s (it returned Discard)", what);
}

/* ---- what the solver asks ------------------------------------------------------------------ */

/* Inputs are those before a jump, but for the moment behind an event. */
ib_ode_verdict ib_fmi_move_to(ib_fmi_exchange *x, double time, const double *states) {
    const double input = time < x->next_input ? time : x->next_input;
    ib_ode_verdict verdict = ib_fmi_set_time(x->instance, time);
    x->instance->messages.time = time;
    if (verdict == IB_ODE_GOOD &&
        ib_fmi_apply_inputs(x->run, input, time > x->began, true) != IB_OK)
        return IB_ODE_BROKEN;
    if (verdict == IB_ODE_GOOD && x->follow && x->follow(x->follow_context, time) != IB_OK)
        return IB_ODE_BROKEN;
    return verdict == IB_ODE_GOOD ? ib_fmi_set_states(x->instance, states, x->n_states) : verdict;
}

static ib_ode_verdict find_rate(void *context, double t, const double *y, double *rate) {
    ib_fmi_exchange *x = context;
    const ib_ode_verdict verdict = ib_fmi_move_to(x, t, y);
    return verdict == IB_ODE_GOOD ? ib_fmi_get_derivatives(x->instance, rate, x->n_states)
                                  : verdict;
}

static ib_ode_verdict find_indicators(void *context, double t, double *values) {
    ib_fmi_exchange *x = context;
    ib_ode_between(x->ode, t, x->states);
    const ib_ode_verdict verdict = ib_fmi_move_to(x, t, x->states);
    return verdict == IB_ODE_GOOD ? ib_fmi_get_indicators(x->instance, values, x->n_indicators)
                                  : verdict;
}

/* ---- making -------------------------------------------------------------------------------- */

/* Numbers by the description; what the FMU itself says has to agree. */
static ib_status find_sizes(ib_fmi_exchange *x) {
    const ib_fmi_description *d = x->run->description;
    const ib_fmi_unknowns *derivatives = &d->structure[IB_FMI_DERIVATIVES];
    const ib_fmi_unknowns *indicators = &d->structure[IB_FMI_EVENT_INDICATORS];
    size_t states = 0, events = 0;
    bool known;
    for (size_t i = 0; i < derivatives->n; i++)
        x->n_states += x->run->n_values[derivatives->list[i].variable];
    for (size_t i = 0; i < indicators->n; i++)
        x->n_indicators += x->run->n_values[indicators->list[i].variable];
    if (d->version == 2)
        x->n_indicators = (size_t)d->said_event_indicators;
    const ib_status status = ib_fmi_ask_sizes(x->instance, &known, &states, &events);
    if (status != IB_OK || !known || (states == x->n_states && events == x->n_indicators))
        return status;
    return ib_fmi_fail(x->run, IB1071,
                       "the FMU has %zu continuous states and %zu event indicators, by its "
                       "description %zu and %zu",
                       states, events, x->n_states, x->n_indicators);
}

static double longest_step(const ib_fmi_exchange *x) {
    const ib_fmu_run_options *o = &x->run->options;
    if (o->max_step == o->max_step)
        return o->max_step;
    return x->n_states ? (o->stop - o->start) / 50 : o->step;
}

ib_status ib_fmi_exchange_create(ib_fmi_exchange *x, ib_fmu_run *run) {
    const ib_fmi_description *d = run->description;
    const bool *flags = d->interfaces[IB_FMU_MODEL_EXCHANGE].flags;
    *x = (ib_fmi_exchange){.run = run, .instance = run->instance, .began = run->time};
    const ib_status status = find_sizes(x);
    if (status != IB_OK)
        return status;
    const size_t n = x->n_states, m = x->n_indicators;
    const bool stiff = run->options.solver == IB_FMU_STIFF;
    const ib_ode_problem problem = {x, n, find_rate, ib_fmi_jacobian_find};
    x->memory = calloc(3 * n + 3 * m + 1, sizeof *x->memory);
    x->ode = ib_ode_create(&problem, stiff ? IB_ODE_RADAU5 : IB_ODE_DOPRI5);
    x->jacobian = stiff ? ib_fmi_jacobian_create(x) : NULL;
    if (!x->memory || !x->ode || (stiff && !x->jacobian))
        return ib_diags_no_memory(run->diags);
    x->states = x->memory;
    x->nominals = x->memory + n;
    x->atol = x->memory + 2 * n;
    double *values = x->memory + 3 * n;
    x->roots = (ib_roots){x, m, find_indicators, values, values + m, values + 2 * m};
    x->completes =
        d->version == 3 ? flags[IB_FMI_FLAG_COMPLETED_STEP] : !flags[IB_FMI_FLAG_NO_COMPLETED_STEP];
    x->most = longest_step(x);
    x->next_event = x->next_input = HUGE_VAL;
    return IB_OK;
}

void ib_fmi_exchange_free(ib_fmi_exchange *x) {
    ib_ode_destroy(x->ode);
    ib_fmi_jacobian_free(x->jacobian);
    free(x->memory);
}

/* ---- starting ------------------------------------------------------------------------------ */

/* A hundredth of the tolerance of a state's nominal value is what counts near zero (FMI 2.0.5,
 * section 2.2.7). */
static ib_status take_nominals(ib_fmi_exchange *x) {
    const double rtol = x->run->options.tolerance;
    char name[200], number[IB_NUMBER_SIZE];
    const ib_ode_verdict verdict = ib_fmi_get_nominals(x->instance, x->nominals, x->n_states);
    if (verdict != IB_ODE_GOOD)
        return ib_fmi_after_verdict(x, verdict, "the nominals of its states");
    for (size_t i = 0; i < x->n_states; i++) {
        const double size = fabs(x->nominals[i]);
        if (!(size > 0) || size - size != 0)
            return ib_fmi_fail(x->run, IB1071, "the nominal value of %s is %s",
                               ib_fmi_state_name(x, i, name),
                               ib_number_text(x->nominals[i], number));
        x->atol[i] = 0.01 * rtol * size;
    }
    ib_ode_set_tolerance(x->ode, rtol, x->atol, x->most);
    return IB_OK;
}

ib_status ib_fmi_restart(ib_fmi_exchange *x, double time, bool nominals) {
    ib_ode_verdict verdict = ib_fmi_get_states(x->instance, x->states, x->n_states);
    ib_status status = ib_fmi_after_verdict(x, verdict, "its states");
    if (status == IB_OK && nominals)
        status = take_nominals(x);
    if (status != IB_OK)
        return status;
    char name[200], number[IB_NUMBER_SIZE];
    for (size_t i = 0; i < x->n_states; i++)
        if (x->states[i] - x->states[i] != 0)
            return ib_fmi_fail(x->run, IB1070, "the state %s is %s", ib_fmi_state_name(x, i, name),
                               ib_number_text(x->states[i], number));
    verdict = ib_fmi_get_indicators(x->instance, x->roots.low, x->n_indicators);
    ib_ode_start(x->ode, time, x->states);
    return ib_fmi_after_verdict(x, verdict, "its event indicators");
}

const char *ib_fmi_state_name(const ib_fmi_exchange *x, size_t i, char text[200]) {
    const ib_fmi_description *d = x->run->description;
    const ib_fmi_unknowns *derivatives = &d->structure[IB_FMI_DERIVATIVES];
    for (size_t k = 0; k < derivatives->n; k++) {
        const ib_fmi_variable *v = &d->variables[derivatives->list[k].variable];
        const size_t n = x->run->n_values[derivatives->list[k].variable];
        const char *name = v->has_derivative ? d->variables[v->derivative].name : v->name;
        if (i >= n) {
            i -= n;
            continue;
        }
        if (v->n_dimensions)
            snprintf(text, 200, "%.150s (element %zu)", name, i + 1);
        else
            snprintf(text, 200, "%.150s", name);
        return text;
    }
    return "a state that the description does not name";
}

/* ---- a step -------------------------------------------------------------------------------- */

static ib_status stuck(ib_fmi_exchange *x, bool failed) {
    char name[200];
    const size_t worst = ib_ode_worst(x->ode);
    x->run->time = ib_ode_time(x->ode);
    if (failed)
        return IB_SIMULATION_FAILED; /* reported by the call that failed */
    const ib_status status = ib_fmi_fail(
        x->run, IB1070, "no step, however small, can be taken from here; the state %s resists most",
        ib_fmi_state_name(x, worst, name));
    ib_diags_suggest(x->run->diags, "%s",
                     x->run->options.solver == IB_FMU_STIFF
                         ? "look for a jump without an event, a value that runs to infinity, or a "
                           "derivative that is not a number"
                         : "look for a jump without an event or a value that runs to infinity; a "
                           "stiff model wants --solver stiff");
    return status;
}

/* Where steps have to end: at the end, at an event; a table's rows bend what comes in. Times that
 * differ by rounding are one, the later of them. */
static double limit_of(const ib_fmi_exchange *x) {
    double limit = ib_fmi_next_input_row(x->run, x->run->time);
    limit = limit < x->run->end ? limit : x->run->end;
    limit = x->next_input < limit ? x->next_input : limit;
    limit = x->next_event < limit ? x->next_event : limit;
    const double others[] = {x->next_input, x->next_event, x->run->end};
    double last = limit;
    for (size_t i = 0; i < IB_COUNT(others); i++)
        if (others[i] > last && !after(others[i], limit))
            last = others[i];
    return last;
}

/* Looks for the first event indicator that changes within the step; *time is then behind that. */
static ib_status find_state_event(ib_fmi_exchange *x, double *time, bool *found) {
    const double from = ib_ode_before(x->ode), to = ib_ode_time(x->ode);
    ib_ode_verdict verdict = IB_ODE_GOOD;
    double a = from;
    *time = to;
    *found = false;
    for (int k = 1; k <= LOOKS && x->n_indicators; k++) {
        double b = k == LOOKS ? to : from + (to - from) * k / LOOKS;
        verdict = find_indicators(x, b, x->roots.high);
        *found = verdict == IB_ODE_GOOD && ib_roots_changed(&x->roots);
        if (*found) {
            verdict = ib_roots_locate(&x->roots, &a, &b, LOCATED * larger(fabs(a), fabs(b)));
            *time = b;
        }
        if (verdict != IB_ODE_GOOD || *found)
            break;
        double *passed = x->roots.low;
        x->roots.low = x->roots.high;
        x->roots.high = passed;
        a = b;
    }
    return ib_fmi_after_verdict(x, verdict, "its event indicators");
}

/* Places the FMU inside the last step. */
static ib_status go_to(ib_fmi_exchange *x, double time) {
    ib_ode_between(x->ode, time, x->states);
    x->run->time = time;
    return ib_fmi_after_verdict(x, ib_fmi_move_to(x, time, x->states), "a state it came to");
}

static double row_time(const ib_fmu_run *run, uint64_t i) {
    return i >= run->n_steps ? run->end : ib_fmi_grid_time(&run->grid, i);
}

/* The rows up to the time; one that is due there is written from the very end. */
static ib_status write_rows(ib_fmi_exchange *x, double time) {
    ib_fmu_run *run = x->run;
    ib_status status = IB_OK;
    while (status == IB_OK && x->next_row <= run->n_steps) {
        const double due = row_time(run, x->next_row);
        if (after(due, time))
            break;
        const bool inside = after(time, due);
        status = go_to(x, inside ? due : time);
        if (status == IB_OK)
            status = ib_fmi_record(run, due);
        x->next_row++;
    }
    return status;
}

/* One step of the solver, its rows, and the event it may end in. */
static ib_status advance(ib_fmi_exchange *x) {
    double time;
    bool event, wanted = false;
    const double limit = limit_of(x);
    const ib_ode_end end = ib_ode_step(x->ode, limit);
    if (end != IB_ODE_STEPPED)
        return stuck(x, end == IB_ODE_FAILED);
    x->run->statistics.steps++;
    ib_status status = find_state_event(x, &time, &event);
    if (status == IB_OK)
        status = write_rows(x, time);
    if (status == IB_OK)
        status = go_to(x, time);
    if (status == IB_OK && x->completes)
        status = ib_fmi_completed_step(x->instance, &wanted, &x->terminate);
    if (status != IB_OK || x->terminate)
        return status;
    event |= wanted || !after(x->next_event, time) || !after(x->next_input, time);
    return event ? ib_fmi_handle_event(x) : IB_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

void ib_fmi_exchange_count(const ib_fmi_exchange *x) {
    const ib_ode_statistics s = ib_ode_counts(x->ode);
    ib_fmu_statistics *all = &x->run->statistics;
    all->terminated = x->terminate;
    all->rejections = s.rejections;
    all->evaluations = s.evaluations;
    all->jacobians = s.jacobians;
    all->factorisations = s.factorisations;
}

ib_status ib_fmi_exchange_reach(ib_fmi_exchange *x, double end) {
    ib_status status = IB_OK;
    x->run->end = end;
    while (status == IB_OK && !x->terminate && x->run->time < end)
        status = advance(x);
    return status;
}

static ib_status simulate(ib_fmi_exchange *x) {
    ib_status status = ib_fmi_first_event(x);
    while (status == IB_OK && !x->terminate && x->run->time < x->run->end) {
        status = advance(x);
        if (status == IB_OK)
            status = ib_fmi_watch(x->run);
    }
    /* Where the FMU ends it, a row shows the last moment. */
    return status == IB_OK && x->terminate ? ib_fmi_record(x->run, x->run->time) : status;
}

ib_status ib_fmi_simulate_exchange(ib_fmu_run *run) {
    ib_fmi_exchange x;
    ib_status status = ib_fmi_exchange_create(&x, run);
    if (status == IB_OK) {
        status = simulate(&x);
        ib_fmi_exchange_count(&x);
    }
    ib_fmi_exchange_free(&x);
    return status;
}
