/* The calls of continuous-time mode (FMI 3.0.2, section 3.2; FMI 2.0.5, section 3.2).
 *
 * Discard means that the FMU has no value for what it was given, as the root of a negative number;
 * the solver then tries a shorter step.
 */
#include "fmi/exchange.h"

static ib_ode_verdict verdict_of(ib_fmi_instance *i, const char *call, int outcome) {
    if (outcome == IB_FMI_OK)
        return IB_ODE_GOOD;
    if (ib_fmi_after(i, call, outcome) != IB_OK)
        return IB_ODE_BROKEN;
    return outcome == IB_FMI_DISCARDED ? IB_ODE_AGAIN : IB_ODE_GOOD;
}

/* The call of the instance's version; both have the same arguments. */
#define VERDICT(name3, name2, ...)                                                                 \
    (ib_fmi_before(i, i->description->version == 3 ? "fmi3" #name3 : "fmi2" #name2),               \
     i->description->version == 3                                                                  \
         ? (i->library.f3.name3 ? verdict_of(i, "fmi3" #name3,                                     \
                                             (int)i->library.f3.name3(i->component, __VA_ARGS__))  \
                                : verdict_of(i, "fmi3" #name3 " (missing)", IB_FMI_ERRED))         \
     : i->library.f2.name2                                                                         \
         ? verdict_of(i, "fmi2" #name2, (int)i->library.f2.name2(i->component, __VA_ARGS__))       \
         : verdict_of(i, "fmi2" #name2 " (missing)", IB_FMI_ERRED))

ib_ode_verdict ib_fmi_set_time(ib_fmi_instance *i, double time) {
    return VERDICT(SetTime, SetTime, time);
}

ib_ode_verdict ib_fmi_set_states(ib_fmi_instance *i, const double *states, size_t n) {
    return n ? VERDICT(SetContinuousStates, SetContinuousStates, states, n) : IB_ODE_GOOD;
}

ib_ode_verdict ib_fmi_get_states(ib_fmi_instance *i, double *states, size_t n) {
    return n ? VERDICT(GetContinuousStates, GetContinuousStates, states, n) : IB_ODE_GOOD;
}

ib_ode_verdict ib_fmi_get_derivatives(ib_fmi_instance *i, double *derivatives, size_t n) {
    return n ? VERDICT(GetContinuousStateDerivatives, GetDerivatives, derivatives, n) : IB_ODE_GOOD;
}

ib_ode_verdict ib_fmi_get_indicators(ib_fmi_instance *i, double *indicators, size_t n) {
    return n ? VERDICT(GetEventIndicators, GetEventIndicators, indicators, n) : IB_ODE_GOOD;
}

ib_ode_verdict ib_fmi_get_nominals(ib_fmi_instance *i, double *nominals, size_t n) {
    for (size_t k = 0; k < n; k++)
        nominals[k] = 1;
    const bool has = i->description->version == 3
                         ? i->library.f3.GetNominalsOfContinuousStates != NULL
                         : i->library.f2.GetNominalsOfContinuousStates != NULL;
    if (!n || !has)
        return IB_ODE_GOOD;
    return VERDICT(GetNominalsOfContinuousStates, GetNominalsOfContinuousStates, nominals, n);
}

ib_status ib_fmi_ask_sizes(ib_fmi_instance *i, bool *known, size_t *states, size_t *indicators) {
    const ib_fmi_functions3 *f = &i->library.f3;
    *known = i->description->version == 3 && f->GetNumberOfContinuousStates &&
             f->GetNumberOfEventIndicators;
    if (!*known)
        return IB_OK;
    const ib_status status = IB_FMI_CALL(i, "fmi3GetNumberOfContinuousStates",
                                         (int)f->GetNumberOfContinuousStates(i->component, states));
    return status == IB_OK
               ? IB_FMI_CALL(i, "fmi3GetNumberOfEventIndicators",
                             (int)f->GetNumberOfEventIndicators(i->component, indicators))
               : status;
}

/* ---- modes --------------------------------------------------------------------------------- */

ib_status ib_fmi_enter_event_mode(ib_fmi_instance *i) {
    return i->description->version == 3
               ? IB_FMI_CALL(i, "fmi3EnterEventMode",
                             (int)i->library.f3.EnterEventMode(i->component))
               : IB_FMI_CALL(i, "fmi2EnterEventMode",
                             (int)i->library.f2.EnterEventMode(i->component));
}

ib_status ib_fmi_enter_continuous_mode(ib_fmi_instance *i) {
    return i->description->version == 3
               ? IB_FMI_CALL(i, "fmi3EnterContinuousTimeMode",
                             (int)i->library.f3.EnterContinuousTimeMode(i->component))
               : IB_FMI_CALL(i, "fmi2EnterContinuousTimeMode",
                             (int)i->library.f2.EnterContinuousTimeMode(i->component));
}

ib_status ib_fmi_completed_step(ib_fmi_instance *i, bool *event, bool *terminate) {
    *event = *terminate = false;
    if (i->description->version == 3) {
        if (!i->library.f3.CompletedIntegratorStep)
            return ib_fmi_after(i, "fmi3CompletedIntegratorStep (missing)", IB_FMI_ERRED);
        return IB_FMI_CALL(
            i, "fmi3CompletedIntegratorStep",
            (int)i->library.f3.CompletedIntegratorStep(i->component, true, event, terminate));
    }
    fmi2Boolean wants_event = fmi2False, wants_end = fmi2False;
    const ib_status status = IB_FMI_CALL(i, "fmi2CompletedIntegratorStep",
                                         (int)i->library.f2.CompletedIntegratorStep(
                                             i->component, fmi2True, &wants_event, &wants_end));
    *event = wants_event != fmi2False;
    *terminate = wants_end != fmi2False;
    return status;
}
