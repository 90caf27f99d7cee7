/* Model Exchange: the calls of continuous time, and what a simulation keeps. Private to the module.
 */
#ifndef IB_FMI_EXCHANGE_H
#define IB_FMI_EXCHANGE_H

#include "fmi/run.h"
#include "num/num.h"

/* ---- continuous.c: calls, alike for FMI 2 and 3 -------------------------------------------- */

/* Discard is IB_ODE_AGAIN; what ends the instance was reported when IB_ODE_BROKEN is returned. */
ib_ode_verdict ib_fmi_set_time(ib_fmi_instance *instance, double time);
ib_ode_verdict ib_fmi_set_states(ib_fmi_instance *instance, const double *states, size_t n);
ib_ode_verdict ib_fmi_get_states(ib_fmi_instance *instance, double *states, size_t n);
ib_ode_verdict ib_fmi_get_derivatives(ib_fmi_instance *instance, double *derivatives, size_t n);
ib_ode_verdict ib_fmi_get_indicators(ib_fmi_instance *instance, double *indicators, size_t n);
/* All 1 where the FMU does not tell. */
ib_ode_verdict ib_fmi_get_nominals(ib_fmi_instance *instance, double *nominals, size_t n);
/* The numbers of states and event indicators as the FMU has them; *known false where it does not
 * tell. */
ib_status ib_fmi_ask_sizes(ib_fmi_instance *instance, bool *known, size_t *states,
                           size_t *indicators);
ib_status ib_fmi_enter_event_mode(ib_fmi_instance *instance);
ib_status ib_fmi_enter_continuous_mode(ib_fmi_instance *instance);
ib_status ib_fmi_completed_step(ib_fmi_instance *instance, bool *event, bool *terminate);

/* ---- exchange.c ---------------------------------------------------------------------------- */

enum { IB_FMI_STREAK = 8 };

/* Watches for events that leave time no room to pass. */
typedef struct ib_fmi_events {
    double last;            /* time of the last one */
    unsigned standing;      /* one after another without time passing */
    double last_jump;       /* that changed states */
    double interval, first; /* between the last two of those; the first of a row that shrinks */
    unsigned shrinking;
} ib_fmi_events;

typedef struct ib_fmi_exchange {
    ib_fmu_run *run;
    ib_fmi_instance *instance;
    size_t n_states, n_indicators;
    double *states, *nominals, *atol; /* [n_states] */
    ib_ode *ode;
    ib_roots roots;    /* low: the indicators at the start of what is searched */
    double began;      /* the last event: inputs jump there, and before it they have jumped */
    double next_event; /* announced by the FMU */
    double next_input; /* jump of an input */
    double most;       /* the longest step */
    bool completes;    /* the FMU wants to hear of completed steps */
    bool terminate;
    uint64_t next_row;
    ib_fmi_events events;
    struct ib_fmi_jacobian *jacobian;
    double *memory;
    /* Sets inputs that go on by themselves; NULL: there are none. */
    ib_status (*follow)(void *context, double time);
    void *follow_context;
} ib_fmi_exchange;

ib_status ib_fmi_simulate_exchange(ib_fmu_run *run);
/* To exactly `end`, through the events on the way; `terminate` says whether the FMU ended it. */
ib_status ib_fmi_exchange_reach(ib_fmi_exchange *x, double end);
/* What the solver has done so far, into the run's statistics. */
void ib_fmi_exchange_count(const ib_fmi_exchange *x);
/* Makes room and the solver, when the FMU is in event mode for the first time. */
ib_status ib_fmi_exchange_create(ib_fmi_exchange *x, ib_fmu_run *run);
void ib_fmi_exchange_free(ib_fmi_exchange *x);
/* The FMU at a time with states; what it says of the continuous inputs there. */
ib_ode_verdict ib_fmi_move_to(ib_fmi_exchange *x, double time, const double *states);
/* Takes the states, nominals and indicators from the FMU and starts the solver there. */
ib_status ib_fmi_restart(ib_fmi_exchange *x, double time, bool nominals);
/* The variable that is state i and which of its elements; its name with index in `text`. */
const char *ib_fmi_state_name(const ib_fmi_exchange *x, size_t i, char text[200]);
/* What a verdict other than GOOD means to a run. */
ib_status ib_fmi_after_verdict(ib_fmi_exchange *x, ib_ode_verdict verdict, const char *what);

/* ---- event.c: what happens at an event ----------------------------------------------------- */

/* From initialisation into continuous time. */
ib_status ib_fmi_first_event(ib_fmi_exchange *x);
/* Through event mode at run->time, where the FMU is placed: rows before and after it. */
ib_status ib_fmi_handle_event(ib_fmi_exchange *x);
/* The last part of it: from event mode, where the FMU is, into continuous time. */
ib_status ib_fmi_finish_event(ib_fmi_exchange *x);

/* ---- jacobian.c ---------------------------------------------------------------------------- */

/* NULL when out of memory. */
struct ib_fmi_jacobian *ib_fmi_jacobian_create(const ib_fmi_exchange *x);
void ib_fmi_jacobian_free(struct ib_fmi_jacobian *jacobian);
/* As ib_ode_problem wants it; the context is the ib_fmi_exchange. */
ib_ode_verdict ib_fmi_jacobian_find(void *context, double t, const double *y, const double *rate,
                                    double *J);

#endif
