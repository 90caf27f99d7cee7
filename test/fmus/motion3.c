/* The models of motion.h as an FMU of FMI 3 for Model Exchange. Calls in the wrong mode are errors.
 */
#include <fmi3Functions.h>

#include <stdlib.h>

#include "motion.h"

typedef struct shell {
    motion m;
    enum { MADE, INITIALIZING, EVENT, CONTINUOUS } state;
} shell;

#define STATE_SIZE sizeof(shell)
#include "state3.h"

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
    (void)name, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
    shell *s = strcmp(token, "{motion}") == 0 ? calloc(1, sizeof *s) : NULL;
    if (s)
        motion_begin(&s->m);
    return s;
}

void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

static fmi3Status change(fmi3Instance instance, int from, int to) {
    shell *s = instance;
    if ((int)s->state != from)
        return fmi3Error;
    s->state = to;
    return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((shell *)instance)->m.t = start;
    return change(instance, MADE, INITIALIZING);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
    return change(instance, INITIALIZING, EVENT);
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) { return change(instance, CONTINUOUS, EVENT); }

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
    ((shell *)instance)->m.running = true;
    return change(instance, EVENT, CONTINUOUS);
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
    return ((shell *)instance)->state >= EVENT ? fmi3OK : fmi3Error;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again,
                                    fmi3Boolean *terminate, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *has_next, fmi3Float64 *next) {
    shell *s = instance;
    *nominals = false;
    motion_update(&s->m, again, terminate, values, has_next, next);
    return s->state == EVENT ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) {
    shell *s = instance;
    s->m.t = time;
    return s->state == CONTINUOUS ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[], size_t n) {
    shell *s = instance;
    if (n != N || s->state != CONTINUOUS)
        return fmi3Error;
    memcpy(s->m.x, states, n * sizeof *states);
    return fmi3OK;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[], size_t n) {
    memcpy(states, ((shell *)instance)->m.x, n * sizeof *states);
    return n == N ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 rates[], size_t n) {
    static const fmi3Status statuses[] = {fmi3OK, fmi3Discard, fmi3Error};
    return n == N ? statuses[motion_rate(&((shell *)instance)->m, rates)] : fmi3Error;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[], size_t n) {
    motion_indicators(&((shell *)instance)->m, indicators);
    return n == N_INDICATORS ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                             size_t n) {
    for (size_t i = 0; i < n; i++)
        nominals[i] = ((shell *)instance)->m.mode == FLAT ? 0 : 1;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *n) {
    *n = N + (((shell *)instance)->m.mode == SIZES ? 1000000 : 0);
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *n) {
    (void)instance;
    *n = N_INDICATORS;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_rollback,
                                       fmi3Boolean *event, fmi3Boolean *terminate) {
    (void)no_rollback;
    motion_completed(&((shell *)instance)->m, event, terminate);
    return ((shell *)instance)->state == CONTINUOUS ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t n_unknowns, const fmi3ValueReference knowns[],
                                        size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
                                        fmi3Float64 result[], size_t n_result) {
    double J[N * N];
    motion_jacobian(&((shell *)instance)->m, J);
    if (n_seed != n_knowns || n_result != n_unknowns)
        return fmi3Error;
    for (size_t i = 0; i < n_unknowns; i++) {
        result[i] = 0;
        for (size_t k = 0; k < n_knowns; k++)
            result[i] += J[(unknowns[i] - RATE) * N + knowns[k] - STATE] * seed[k];
    }
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values) {
    for (size_t i = 0; i < n; i++)
        if (!motion_get(&((shell *)instance)->m, references[i], &values[i]))
            return fmi3Error;
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values) {
    for (size_t i = 0; i < n; i++)
        if (!motion_set(&((shell *)instance)->m, references[i], values[i]))
            return fmi3Error;
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        fmi3Int32 values[], size_t n_values) {
    for (size_t i = 0; i < n; i++) {
        const int *whole = motion_whole(&((shell *)instance)->m, references[i]);
        if (!whole)
            return fmi3Error;
        values[i] = *whole;
    }
    return n == n_values ? fmi3OK : fmi3Error;
}

/* Discrete inputs are for event mode. */
fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        const fmi3Int32 values[], size_t n_values) {
    shell *s = instance;
    for (size_t i = 0; i < n; i++) {
        int *whole = motion_whole(&s->m, references[i]);
        if (!whole || s->state == CONTINUOUS)
            return fmi3Error;
        *whole = values[i];
    }
    return n == n_values ? fmi3OK : fmi3Error;
}
