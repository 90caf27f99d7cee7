/* Co-Simulation: from communication point to communication point (FMI 3.0.2, chapter 4; FMI 2.0.5,
 * chapter 4).
 *
 * Points lie on a grid that is counted, not added up; the FMU is handed the point it was taken to
 * by the step before. A step that was discarded is taken again in halves, where the FMU allows
 * steps of any size, from the state before it where the FMU can be set back to that.
 */
#include "fmi/run.h"

#include <math.h> /* HUGE_VAL only */
#include <string.h>

#define MOST_HALVINGS 30
#define KEPT_EVERY 64  /* points */
#define ROUNDING 1e-12 /* relative: times closer than that are one */

/* What a step tells. */
typedef struct step {
    double reached;
    bool event, terminate, early, discarded;
} step;

static double size_of(double x) { return x < 0 ? -x : x; }

/* True when b, which may be infinite, is after a by more than rounding. */
static bool after(double b, double a) { return b - a > ROUNDING * size_of(a); }

/* ---- one call ------------------------------------------------------------------------------ */

static ib_status do_step3(ib_fmu_run *run, double t, double h, bool final, step *s) {
    ib_fmi_instance *i = run->instance;
    ib_fmi_before(i, "fmi3DoStep");
    const int outcome = (int)i->library.f3.DoStep(i->component, t, h, final, &s->event,
                                                  &s->terminate, &s->early, &s->reached);
    s->discarded = outcome == IB_FMI_DISCARDED;
    if (!s->early && !s->discarded && outcome <= IB_FMI_WARNED)
        s->reached = t + h;
    return outcome == IB_FMI_OK ? IB_OK : ib_fmi_after(i, "fmi3DoStep", outcome);
}

/* FMI 2 tells of a discarded step where it asks for more: whether the FMU wants to end, and how far
 * it came. */
static void ask_discarded(ib_fmu_run *run, double t, step *s) {
    const ib_fmi_functions2 *f = &run->instance->library.f2;
    fmi2Boolean terminated = fmi2False;
    fmi2Real last = t;
    s->discarded = true;
    s->reached = t;
    ib_fmi_before(run->instance, "fmi2GetBooleanStatus");
    if (f->GetBooleanStatus &&
        f->GetBooleanStatus(run->instance->component, fmi2Terminated, &terminated) == fmi2OK)
        s->terminate = terminated != fmi2False;
    if (f->GetRealStatus &&
        f->GetRealStatus(run->instance->component, fmi2LastSuccessfulTime, &last) == fmi2OK)
        s->reached = last;
}

static ib_status do_step2(ib_fmu_run *run, double t, double h, bool final, step *s) {
    ib_fmi_instance *i = run->instance;
    ib_fmi_before(i, "fmi2DoStep");
    const int outcome = (int)i->library.f2.DoStep(i->component, t, h, final);
    s->reached = t + h;
    if (outcome == IB_FMI_DISCARDED)
        ask_discarded(run, t, s);
    return outcome == IB_FMI_OK ? IB_OK : ib_fmi_after(i, "fmi2DoStep", outcome);
}

/* ---- what an FMU may not tell -------------------------------------------------------------- */

static ib_status check_reached(ib_fmu_run *run, double t, double target, const step *s) {
    char from[IB_NUMBER_SIZE], to[IB_NUMBER_SIZE];
    const char *what = s->discarded ? "was discarded" : "ended early";
    if (!s->early && !s->discarded)
        return IB_OK;
    if (s->reached - s->reached != 0 || s->reached < t || after(s->reached, target))
        return ib_fmi_fail(run, IB1043, "the step from %s s %s at %s s, outside the step",
                           ib_number_text(t, from), what, ib_number_text(s->reached, to));
    if (s->discarded)
        return IB_OK;
    if (!run->options.early_return)
        return ib_fmi_fail(run, IB1043,
                           "the step from %s s ended early, at %s s, which was not allowed",
                           ib_number_text(t, from), ib_number_text(s->reached, to));
    if (!after(s->reached, t) && !s->event)
        return ib_fmi_fail(run, IB1043, "the step from %s s ended early without advancing, at %s s",
                           ib_number_text(t, from), ib_number_text(s->reached, to));
    return IB_OK;
}

/* ---- events -------------------------------------------------------------------------------- */

static ib_status enter_event_mode(ib_fmu_run *run) {
    ib_fmi_instance *i = run->instance;
    const ib_fmi_functions3 *f = &i->library.f3;
    if (!f->EnterEventMode || !f->EnterStepMode || !f->UpdateDiscreteStates)
        return ib_fmi_after(i, "fmi3EnterEventMode (missing)", IB_FMI_ERRED);
    return IB_FMI_CALL(i, "fmi3EnterEventMode", (int)f->EnterEventMode(i->component));
}

/* From event mode into step mode, with everything that happens in between; a row shows it. */
static ib_status finish_event(ib_fmu_run *run, double time, double *next, bool *terminate) {
    ib_fmi_instance *i = run->instance;
    ib_fmi_event event;
    ib_status status = ib_fmi_apply_inputs(run, time, false, false);
    if (status == IB_OK)
        status = ib_fmi_update_discrete(i, &event);
    if (status != IB_OK)
        return status;
    *next = event.has_next ? event.next : HUGE_VAL;
    *terminate |= event.terminate;
    run->statistics.events++;
    if (event.has_next && !after(event.next, time))
        return ib_fmi_fail(run, IB1043, "the FMU announces its next event for a time that is past");
    status = IB_FMI_CALL(i, "fmi3EnterStepMode", (int)i->library.f3.EnterStepMode(i->component));
    return status == IB_OK ? ib_fmi_record(run, time) : status;
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* Where the step from t ends, on the way to the communication point `target`. */
static double step_end(const ib_fmu_run *run, const ib_fmi_cosim *l, double t, double target) {
    double end = target;
    if (!run->variable_step)
        return end;
    const double input = ib_fmi_next_input_event(run, t);
    if (after(target, input) && after(input, t))
        end = input;
    if (after(end, l->next_event) && after(l->next_event, t))
        end = l->next_event;
    for (unsigned i = 0; i < l->halvings; i++)
        end = t + (end - t) / 2;
    return end;
}

/* Puts the FMU back to before the step or, the first time, to the last point at which its state was
 * kept: from there the run is taken again, with the state kept before each step. */
static ib_status set_back(ib_fmu_run *run, ib_fmi_cosim *l) {
    l->replay = !l->careful;
    l->careful = true;
    ib_fmi_forget_inputs(run);
    return ib_fmi_restore(run->instance, l->kept);
}

static ib_status after_discard(ib_fmu_run *run, ib_fmi_cosim *l, double t, const step *s) {
    char from[IB_NUMBER_SIZE], to[IB_NUMBER_SIZE];
    run->statistics.discards++;
    if (s->terminate || after(s->reached, t))
        return IB_OK;
    const bool first = l->kept && !l->careful;
    l->halvings += !first;
    if (run->variable_step && l->halvings <= MOST_HALVINGS)
        return l->kept ? set_back(run, l) : IB_OK;
    return ib_fmi_fail(
        run, IB1043, "the step from %s s was discarded, and %s", ib_number_text(t, from),
        run->variable_step ? "so were smaller ones" : ib_number_text(s->reached, to));
}

/* One step from run->time towards `target`. */
static ib_status advance(ib_fmu_run *run, ib_fmi_cosim *l, double target) {
    const double t = run->time, end = step_end(run, l, t, target);
    const double h = run->variable_step ? end - t : run->grid.step;
    step s = {0};
    ib_status status = l->careful ? ib_fmi_save(run->instance, &l->kept) : IB_OK;
    if (status != IB_OK)
        return status;
    const bool final = !l->rollback;
    status = run->description->version == 3 ? do_step3(run, t, h, final, &s)
                                            : do_step2(run, t, h, final, &s);
    if (status == IB_OK)
        status = check_reached(run, t, end, &s);
    if (status == IB_OK && s.discarded)
        status = after_discard(run, l, t, &s);
    if (status != IB_OK || l->replay)
        return status;
    run->statistics.steps++;
    run->statistics.early_returns += s.early;
    if (!s.discarded || after(s.reached, t))
        l->halvings = 0;
    /* What was reached but for rounding is reached. */
    const bool there = !s.early && !s.discarded;
    run->time = there || !after(end, s.reached) ? end : s.reached;
    run->instance->messages.time = run->time;
    l->terminate |= s.terminate;
    if (!run->options.event_mode || l->terminate)
        return IB_OK;
    const bool input = ib_fmi_input_event_at(run, run->time);
    const bool announced = !after(l->next_event, run->time);
    if (!s.event && !input && !announced)
        return IB_OK;
    status = input ? ib_fmi_apply_inputs(run, run->time, true, true) : IB_OK;
    if (status == IB_OK)
        status = enter_event_mode(run);
    return status == IB_OK ? finish_event(run, run->time, &l->next_event, &l->terminate) : status;
}

/* To the communication point, in as many steps as it takes. */
ib_status ib_fmi_cosim_reach(ib_fmu_run *run, ib_fmi_cosim *l, double target) {
    ib_status status = IB_OK;
    while (status == IB_OK && !l->terminate && !l->replay && after(target, run->time)) {
        status = ib_fmi_apply_inputs(run, run->time, false, run->options.event_mode);
        if (status == IB_OK)
            status = advance(run, l, target);
    }
    return status;
}

ib_status ib_fmi_cosim_begin(ib_fmu_run *run, ib_fmi_cosim *l) {
    l->next_event = HUGE_VAL;
    if (!run->options.event_mode)
        return IB_OK;
    /* An FMU with event mode leaves initialisation into it. */
    const ib_fmi_functions3 *f = &run->instance->library.f3;
    if (!f->EnterEventMode || !f->EnterStepMode || !f->UpdateDiscreteStates)
        return ib_fmi_after(run->instance, "fmi3EnterEventMode (missing)", IB_FMI_ERRED);
    return finish_event(run, run->time, &l->next_event, &l->terminate);
}

void ib_fmi_cosim_end(ib_fmu_run *run, ib_fmi_cosim *l) {
    ib_fmi_free_state(run->instance, &l->kept);
    run->statistics.terminated = l->terminate;
}

/* Now and then, so that a step that is discarded can be taken again from a state that is whole. */
static ib_status keep(ib_fmu_run *run, ib_fmi_cosim *l, uint64_t point) {
    if (!l->rollback || l->careful || point % KEPT_EVERY)
        return IB_OK;
    l->kept_at = point;
    l->kept_event = l->next_event;
    return ib_fmi_save(run->instance, &l->kept);
}

static double point_time(const ib_fmu_run *run, uint64_t i) {
    return i == run->n_steps ? run->end : ib_fmi_grid_time(&run->grid, i);
}

/* Back to where the state is of. Rows that were written are not written again. */
static void begin_replay(ib_fmu_run *run, ib_fmi_cosim *l) {
    l->replay = false;
    l->next_event = l->kept_event;
    run->time = run->instance->messages.time = point_time(run, l->kept_at);
}

ib_status ib_fmi_simulate_cosim(ib_fmu_run *run) {
    ib_fmi_cosim l = {.rollback = run->variable_step && ib_fmi_can_save(run->instance)};
    ib_status status = ib_fmi_cosim_begin(run, &l);
    if (status == IB_OK)
        status = ib_fmi_record(run, run->time);
    for (uint64_t i = 0; i < run->n_steps && status == IB_OK && !l.terminate;) {
        status = keep(run, &l, i);
        if (status == IB_OK)
            status = ib_fmi_cosim_reach(run, &l, point_time(run, i + 1));
        if (l.replay) {
            begin_replay(run, &l);
            i = l.kept_at;
            continue;
        }
        const bool last = ++i == run->n_steps;
        if (status == IB_OK && (last || l.terminate || i % run->rows_every == 0))
            status = ib_fmi_record(run, run->time);
        if (status == IB_OK && !last)
            status = ib_fmi_watch(run);
    }
    ib_fmi_cosim_end(run, &l);
    return status;
}
