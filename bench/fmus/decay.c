/* The cheapest FMU that does something: x' = -k x by Euler's rule, one step a call. k is small
 * enough for x to stay a normal number over a million steps. */
#include <fmi3Functions.h>

#include <stdlib.h>
#include <string.h>

enum { TIME, X, K };

typedef struct decay {
    double time, x, k;
} decay;

const char *fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)events;
    (void)early, (void)required, (void)n_required, (void)environment, (void)log, (void)update;
    decay *d = calloc(1, sizeof *d);
    if (d)
        *d = (decay){.x = 1, .k = 1e-3};
    return d;
}

void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((decay *)instance)->time = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

static double *place(decay *d, fmi3ValueReference reference) {
    return reference == X ? &d->x : reference == K ? &d->k : reference == TIME ? &d->time : NULL;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values) {
    (void)n_values;
    for (size_t i = 0; i < n; i++) {
        const double *from = place(instance, references[i]);
        if (!from)
            return fmi3Error;
        values[i] = *from;
    }
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values) {
    (void)n_values;
    for (size_t i = 0; i < n; i++) {
        double *to = place(instance, references[i]);
        if (!to)
            return fmi3Error;
        *to = values[i];
    }
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 at, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last) {
    decay *d = instance;
    (void)no_rollback;
    d->x -= h * d->k * d->x;
    d->time = at + h;
    *event = *terminate = *early = false;
    *last = d->time;
    return fmi3OK;
}
