/* An FMU of FMI 3 for Co-Simulation that shows what its importer does, and misbehaves to order.
 *
 * Its outputs tell how it was called: with which times, how often inputs were set, whether it found
 * its resources. The parameter `mode` says from which step on (3) and how it misbehaves.
 */
#include <fmi3Functions.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode {
    GOOD,
    WARN,
    DISCARD,
    FAIL,
    DIE,
    QUIET_NAN,
    LIE_EARLY,
    LIE_BACK,
    LIE_NAN,
    STOP,
    FLOOD,
    STICK,
    HALF,
    EVENTS,
    ENDLESS
};
enum { TIME, U, UD, Y, STEPS, MODE, X, N, SUM, WHOLE, SETS, GAP, FOUND, EDGES, STRING };
enum { MOST = 8 };

typedef struct tester {
    double u, x[MOST], next, gap, time;
    int64_t whole;
    uint64_t n;
    int32_t steps, mode, sets, edges;
    bool found, ready, events, early;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} tester;

const char *fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)visible, (void)logging, (void)required, (void)n_required, (void)update;
    if (strcmp(token, "{tester}") != 0)
        return NULL;
    tester *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (tester){.x = {1, 2, 3},
                  .n = 3,
                  .environment = environment,
                  .log = log,
                  .events = events,
                  .early = early,
                  .next = NAN};
    char path[4096];
    snprintf(path, sizeof path, "%shello.txt", resources ? resources : "");
    FILE *file = fopen(path, "r");
    t->found = file != NULL && resources[0] == '/';
    if (file)
        fclose(file);
    return t;
}

void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((tester *)instance)->time = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
    tester *t = instance;
    t->ready = true;
    t->sets = 0;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
    return ((tester *)instance)->ready ? fmi3Error : fmi3OK;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
    return ((tester *)instance)->events ? fmi3OK : fmi3Error;
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
    return ((tester *)instance)->events ? fmi3OK : fmi3Error;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again,
                                    fmi3Boolean *terminate, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *has_next, fmi3Float64 *next) {
    tester *t = instance;
    *terminate = *nominals = *values = false;
    *again = t->mode == ENDLESS && t->ready && t->steps >= 3;
    *has_next = t->mode == EVENTS;
    t->edges++;
    *next = 0.25 * (floor(t->time / 0.25 + 1e-9) + 1);
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values) {
    tester *t = instance;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < t->n; j++)
            sum += t->x[j];
        switch (references[i]) {
        case TIME:
            values[k++] = t->time;
            break;
        case U:
            values[k++] = t->u;
            break;
        case Y:
            values[k++] = t->mode == QUIET_NAN && t->steps >= 3 ? NAN : t->u;
            break;
        case X:
            for (size_t j = 0; j < t->n; j++)
                values[k++] = t->x[j];
            break;
        case SUM:
            values[k++] = sum;
            break;
        case GAP:
            values[k++] = t->gap;
            break;
        default:
            return fmi3Error;
        }
    }
    return k == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values) {
    tester *t = instance;
    if (n == 1 && references[0] == X && n_values == t->n) {
        memcpy(t->x, values, n_values * sizeof *values);
        return fmi3OK;
    }
    if (n != 1 || n_values != 1 || references[0] != U)
        return fmi3Error;
    t->u = values[0];
    t->sets++;
    return fmi3OK;
}

fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        fmi3Int64 values[], size_t n_values) {
    if (n != n_values)
        return fmi3Error;
    for (size_t i = 0; i < n; i++)
        values[i] = ((tester *)instance)->whole;
    (void)references;
    return fmi3OK;
}

fmi3Status fmi3SetInt64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        const fmi3Int64 values[], size_t n_values) {
    if (n != 1 || n_values != 1 || references[0] != UD)
        return fmi3Error;
    ((tester *)instance)->whole = values[0];
    return fmi3OK;
}

fmi3Status fmi3SetUInt64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                         const fmi3UInt64 values[], size_t n_values) {
    tester *t = instance;
    if (n != 1 || n_values != 1 || references[0] != N || values[0] > MOST)
        return fmi3Error;
    t->n = values[0];
    return fmi3OK;
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        fmi3Int32 values[], size_t n_values) {
    tester *t = instance;
    for (size_t i = 0; i < n; i++)
        values[i] = references[i] == STEPS   ? t->steps
                    : references[i] == SETS  ? t->sets
                    : references[i] == EDGES ? t->edges
                                             : t->mode;
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        const fmi3Int32 values[], size_t n_values) {
    if (n != 1 || n_values != 1 || references[0] != MODE)
        return fmi3Error;
    ((tester *)instance)->mode = values[0];
    return fmi3OK;
}

fmi3Status fmi3GetBoolean(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Boolean values[], size_t n_values) {
    (void)references;
    if (n != 1 || n_values != 1)
        return fmi3Error;
    values[0] = ((tester *)instance)->found;
    return fmi3OK;
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                         const fmi3String values[], size_t n_values) {
    tester *t = instance;
    (void)references;
    if (n != 1 || n_values != 1)
        return fmi3Error;
    t->log(t->environment, fmi3Warning, "text", values[0]);
    return fmi3OK;
}

static fmi3Status misbehave(tester *t, double at, double h, fmi3Boolean *terminate,
                            fmi3Boolean *early, fmi3Float64 *last) {
    switch (t->mode) {
    case WARN:
        return fmi3Warning;
    case DISCARD:
    case HALF:
        if (t->mode == HALF && h < 0.06)
            return fmi3OK;
        *last = at;
        t->steps--;
        return fmi3Discard;
    case FAIL:
        t->log(t->environment, fmi3Error, "trouble", "the third step\x1b[31m is one too many");
        return fmi3Error;
    case DIE:
        return fmi3Fatal;
    case LIE_EARLY:
        if (h < 0.06)
            return fmi3OK;
        *early = true;
        *last = at + h / 2;
        return fmi3OK;
    case LIE_BACK:
        *early = true;
        *last = at - h;
        return fmi3OK;
    case LIE_NAN:
        *early = true;
        *last = NAN;
        return fmi3OK;
    case STICK:
        *early = true;
        *last = at;
        return fmi3OK;
    case STOP:
        *terminate = true;
        return fmi3OK;
    case FLOOD:
        for (int i = 0; i < 1000; i++)
            t->log(t->environment, fmi3Warning, NULL, i % 2 ? NULL : "%n%s%d");
        return fmi3OK;
    default:
        return fmi3OK;
    }
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 at, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last) {
    tester *t = instance;
    (void)no_rollback;
    const double gap = t->next == t->next ? fabs(at - t->next) / fmax(fabs(at), 1e-300) : 0;
    t->gap = gap > t->gap ? gap : t->gap;
    *event = t->mode == EVENTS || t->mode == ENDLESS;
    *terminate = *early = false;
    *last = at + h;
    t->steps++;
    const fmi3Status status = t->steps < 3 ? fmi3OK : misbehave(t, at, h, terminate, early, last);
    t->next = *last;
    t->time = *last;
    return status;
}
