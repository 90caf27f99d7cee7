/* An FMU of FMI 2 or 3 (-DVERSION=2 or 3) for Co-Simulation that does nothing, and whose function
 * FAIL (-DFAIL=DoStep) returns STATUS from the call WHEN on (1 by default).
 */
#if VERSION == 3
#include <fmi3Functions.h>
#else
#include <fmi2Functions.h>
#endif

#include <stdlib.h>
#include <string.h>

#ifndef FAIL
#define FAIL Nothing
#endif
#ifndef STATUS
#define STATUS 0
#endif
#ifndef WHEN
#define WHEN 1
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

typedef struct instance {
    double time;
    int calls;
} instance;

/* What the function of this name returns: 0 is OK in both versions. */
static int answer(void *of, const char *name) {
    instance *i = of;
    return strcmp(name, TEXT(FAIL)) == 0 && ++i->calls >= WHEN ? STATUS : 0;
}

#if VERSION == 3

#define SIMPLE(name)                                                                               \
    fmi3Status fmi3##name(fmi3Instance i) { return (fmi3Status)answer(i, #name); }

const char *fmi3GetVersion(void) { return "3.0"; }

#ifndef WITHOUT_INSTANTIATE
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)events;
    (void)early, (void)required, (void)n_required, (void)environment, (void)log, (void)update;
    return calloc(1, sizeof(instance));
}
#endif

void fmi3FreeInstance(fmi3Instance i) { free(i); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
    return (fmi3Status)answer(i, "EnterInitializationMode");
}

SIMPLE(ExitInitializationMode)
SIMPLE(Terminate)

fmi3Status fmi3GetFloat64(fmi3Instance i, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values) {
    (void)references, (void)n;
    for (size_t k = 0; k < n_values; k++)
        values[k] = ((instance *)i)->time;
    return (fmi3Status)answer(i, "GetFloat64");
}

fmi3Status fmi3SetFloat64(fmi3Instance i, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values) {
    (void)references, (void)n, (void)values, (void)n_values;
    return (fmi3Status)answer(i, "SetFloat64");
}

#ifndef WITHOUT_STEP
fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 at, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last) {
    (void)no_rollback;
    *event = *terminate = *early = false;
    *last = ((instance *)i)->time = at + h;
    return (fmi3Status)answer(i, "DoStep");
}
#endif

#ifdef NEEDS_HELPER
double helper(void);
double call_helper(void) { return helper(); }
#endif

#else

#define SIMPLE(name)                                                                               \
    fmi2Status fmi2##name(fmi2Component i) { return (fmi2Status)answer(i, #name); }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token,
                              fmi2String resources, const fmi2CallbackFunctions *callbacks,
                              fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)token, (void)resources, (void)callbacks, (void)visible;
    (void)logging;
    return calloc(1, sizeof(instance));
}

void fmi2FreeInstance(fmi2Component i) { free(i); }

fmi2Status fmi2SetupExperiment(fmi2Component i, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
    (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
    return (fmi2Status)answer(i, "SetupExperiment");
}

SIMPLE(EnterInitializationMode)
SIMPLE(ExitInitializationMode)
SIMPLE(Terminate)

fmi2Status fmi2GetReal(fmi2Component i, const fmi2ValueReference references[], size_t n,
                       fmi2Real values[]) {
    (void)references;
    for (size_t k = 0; k < n; k++)
        values[k] = ((instance *)i)->time;
    return (fmi2Status)answer(i, "GetReal");
}

fmi2Status fmi2SetReal(fmi2Component i, const fmi2ValueReference references[], size_t n,
                       const fmi2Real values[]) {
    (void)references, (void)n, (void)values;
    return (fmi2Status)answer(i, "SetReal");
}

fmi2Status fmi2DoStep(fmi2Component i, fmi2Real at, fmi2Real h, fmi2Boolean no_rollback) {
    (void)no_rollback;
    ((instance *)i)->time = at + h;
    return (fmi2Status)answer(i, "DoStep");
}

#endif
