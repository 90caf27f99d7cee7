/* An FMU of FMI 2 for Co-Simulation that keeps its state: x follows u by one explicit Euler step a
 * communication step; y = 3 u + x. Steps longer than 0.03 s beyond 0.5 s spoil the state and are
 * discarded when `mode` is 1.
 */
#include <fmi2Functions.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, U, Y, X };
enum { STEPS = 5, MODE = 7 };

typedef struct keeper {
    double time, u, x;
    int steps, mode;
} keeper;

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
    (void)name, (void)resources, (void)functions, (void)visible, (void)logging;
    const bool mine = type == fmi2CoSimulation && strcmp(guid, "{keeper}") == 0;
    return mine ? calloc(1, sizeof(keeper)) : NULL;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((keeper *)c)->time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    const keeper *k = c;
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == TIME ? k->time
                   : vr[i] == U  ? k->u
                   : vr[i] == X  ? k->x
                                 : 3 * k->u + k->x;
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[]) {
    if (n != 1 || vr[0] != U)
        return fmi2Error;
    ((keeper *)c)->u = value[0];
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          fmi2Integer value[]) {
    const keeper *k = c;
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == STEPS ? k->steps : k->mode;
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          const fmi2Integer value[]) {
    if (n != 1 || vr[0] != MODE)
        return fmi2Error;
    ((keeper *)c)->mode = value[0];
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real at, fmi2Real h, fmi2Boolean no_rollback) {
    keeper *k = c;
    if (fabs(at - k->time) > 1e-12)
        return fmi2Error;
    if (k->mode == 1 && at >= 0.5 - 1e-9 && h > 0.03) {
        k->x += 100;
        k->steps = 1000;
        return no_rollback ? fmi2Error : fmi2Discard;
    }
    k->x += h * (k->u - k->x);
    k->steps++;
    k->time = at + h;
    return fmi2OK;
}

/* A step that was discarded has gone nowhere. */
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    *value = ((keeper *)c)->time;
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

/* ---- state and derivatives ----------------------------------------------------------------- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!*state)
        *state = malloc(sizeof(keeper));
    if (!*state)
        return fmi2Error;
    memcpy(*state, c, sizeof(keeper));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    memcpy(c, state, sizeof(keeper));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    (void)c, (void)state;
    *size = sizeof(keeper);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size) {
    (void)c;
    memcpy(bytes, state, size);
    return size == sizeof(keeper) ? fmi2OK : fmi2Error;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate *state) {
    (void)c;
    *state = size == sizeof(keeper) ? malloc(size) : NULL;
    if (!*state)
        return fmi2Error;
    memcpy(*state, bytes, size);
    return fmi2OK;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[],
                                        size_t n_unknowns, const fmi2ValueReference knowns[],
                                        size_t n_knowns, const fmi2Real seed[], fmi2Real result[]) {
    (void)c;
    if (n_unknowns != 1 || n_knowns != 1 || unknowns[0] != Y || knowns[0] != U)
        return fmi2Error;
    result[0] = 3 * seed[0];
    return fmi2OK;
}
