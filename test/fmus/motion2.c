/* The models of motion.h as an FMU of FMI 2 for Model Exchange. Calls in the wrong mode are errors.
 */
#include <fmi2Functions.h>

#include <stdlib.h>

#include "motion.h"

typedef struct shell {
    motion m;
    enum { MADE, INITIALIZING, EVENT, CONTINUOUS } state;
} shell;

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
    (void)name, (void)resources, (void)functions, (void)visible, (void)logging;
    const bool mine = type == fmi2ModelExchange && strcmp(guid, "{motion}") == 0;
    shell *s = mine ? calloc(1, sizeof *s) : NULL;
    if (s)
        motion_begin(&s->m);
    return s;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

static fmi2Status change(fmi2Component c, int from, int to) {
    shell *s = c;
    if ((int)s->state != from)
        return fmi2Error;
    s->state = to;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((shell *)c)->m.t = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return change(c, MADE, INITIALIZING); }

fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return change(c, INITIALIZING, EVENT); }

fmi2Status fmi2EnterEventMode(fmi2Component c) { return change(c, CONTINUOUS, EVENT); }

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    ((shell *)c)->m.running = true;
    return change(c, EVENT, CONTINUOUS);
}

fmi2Status fmi2Terminate(fmi2Component c) {
    return ((shell *)c)->state >= EVENT ? fmi2OK : fmi2Error;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    shell *s = c;
    bool again, terminate, changed, has_next;
    motion_update(&s->m, &again, &terminate, &changed, &has_next, &info->nextEventTime);
    info->newDiscreteStatesNeeded = again;
    info->terminateSimulation = terminate;
    info->nominalsOfContinuousStatesChanged = fmi2False;
    info->valuesOfContinuousStatesChanged = changed;
    info->nextEventTimeDefined = has_next;
    return s->state == EVENT ? fmi2OK : fmi2Error;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    shell *s = c;
    s->m.t = time;
    return s->state == CONTINUOUS ? fmi2OK : fmi2Error;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real states[], size_t n) {
    shell *s = c;
    if (n != N || s->state != CONTINUOUS)
        return fmi2Error;
    memcpy(s->m.x, states, n * sizeof *states);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real states[], size_t n) {
    memcpy(states, ((shell *)c)->m.x, n * sizeof *states);
    return n == N ? fmi2OK : fmi2Error;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rates[], size_t n) {
    static const fmi2Status statuses[] = {fmi2OK, fmi2Discard, fmi2Error};
    return n == N ? statuses[motion_rate(&((shell *)c)->m, rates)] : fmi2Error;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n) {
    motion_indicators(&((shell *)c)->m, indicators);
    return n == N_INDICATORS ? fmi2OK : fmi2Error;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t n) {
    for (size_t i = 0; i < n; i++)
        nominals[i] = ((shell *)c)->m.mode == FLAT ? 0 : 1;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_rollback, fmi2Boolean *event,
                                       fmi2Boolean *terminate) {
    bool wants_event, wants_end;
    (void)no_rollback;
    motion_completed(&((shell *)c)->m, &wants_event, &wants_end);
    *event = wants_event;
    *terminate = wants_end;
    return ((shell *)c)->state == CONTINUOUS ? fmi2OK : fmi2Error;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[],
                                        size_t n_unknowns, const fmi2ValueReference knowns[],
                                        size_t n_knowns, const fmi2Real seed[], fmi2Real result[]) {
    double J[N * N];
    motion_jacobian(&((shell *)c)->m, J);
    for (size_t i = 0; i < n_unknowns; i++) {
        result[i] = 0;
        for (size_t k = 0; k < n_knowns; k++)
            result[i] += J[(unknowns[i] - RATE) * N + knowns[k] - STATE] * seed[k];
    }
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t n,
                       fmi2Real values[]) {
    for (size_t i = 0; i < n; i++)
        if (!motion_get(&((shell *)c)->m, references[i], &values[i]))
            return fmi2Error;
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t n,
                       const fmi2Real values[]) {
    for (size_t i = 0; i < n; i++)
        if (!motion_set(&((shell *)c)->m, references[i], values[i]))
            return fmi2Error;
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t n,
                          fmi2Integer values[]) {
    for (size_t i = 0; i < n; i++) {
        const int *whole = motion_whole(&((shell *)c)->m, references[i]);
        if (!whole)
            return fmi2Error;
        values[i] = *whole;
    }
    return fmi2OK;
}

/* Discrete inputs are for event mode. */
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference references[], size_t n,
                          const fmi2Integer values[]) {
    shell *s = c;
    for (size_t i = 0; i < n; i++) {
        int *whole = motion_whole(&s->m, references[i]);
        if (!whole || s->state == CONTINUOUS)
            return fmi2Error;
        *whole = values[i];
    }
    return fmi2OK;
}
