/* An FMU of FMI 2 for Co-Simulation: the same idea as tester3.c, smaller. Its functions carry the
 * prefix of the model identifier, as sources compiled for static linking do.
 */
#define FMI2_FUNCTION_PREFIX tester2_
#include <fmi2Functions.h>

#include <stdlib.h>
#include <string.h>

enum mode { GOOD, WARN, DISCARD, FAIL, DIE, STOP, FORMAT };
enum { U, Y };
enum { MODE, STEPS };

typedef struct tester {
    double u, time;
    int mode, steps, flag;
    char name[256];
    const fmi2CallbackFunctions *functions;
} tester;

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
    (void)visible, (void)logging;
    if (type != fmi2CoSimulation || strcmp(guid, "{tester}") != 0)
        return NULL;
    tester *t = functions->allocateMemory(1, sizeof *t);
    if (!t)
        return NULL;
    t->functions = functions;
    strncpy(t->name, name, sizeof t->name - 1);
    /* "tmp a b#c%20ü" as a URI. */
    t->flag = strncmp(resources, "file:///", 8) == 0 &&
              strstr(resources, "/tmp%20a%20b%23c%2520%C3%BC/") != NULL;
    return t;
}

void fmi2FreeInstance(fmi2Component c) { ((tester *)c)->functions->freeMemory(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
    (void)c, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
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
    (void)vr;
    for (size_t i = 0; i < n; i++)
        value[i] = ((tester *)c)->u;
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[]) {
    for (size_t i = 0; i < n; i++)
        if (vr[i] == U)
            ((tester *)c)->u = value[i];
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          fmi2Integer value[]) {
    const tester *t = c;
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == MODE ? t->mode : t->steps;
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          const fmi2Integer value[]) {
    for (size_t i = 0; i < n; i++)
        if (vr[i] == MODE)
            ((tester *)c)->mode = value[i];
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          fmi2Boolean value[]) {
    (void)vr;
    for (size_t i = 0; i < n; i++)
        value[i] = ((tester *)c)->flag;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    *value = kind == fmi2Terminated && ((tester *)c)->mode == STOP;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    (void)kind;
    *value = ((tester *)c)->time;
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real at, fmi2Real h, fmi2Boolean no_rollback) {
    tester *t = c;
    (void)no_rollback;
    t->steps++;
    t->time = at;
    if (t->steps >= 3) {
        switch (t->mode) {
        case WARN:
            return fmi2Warning;
        case DISCARD:
        case STOP:
            return fmi2Discard;
        case FAIL:
            return fmi2Error;
        case DIE:
            return fmi2Fatal;
        case FORMAT:
            t->functions->logger(t->functions->componentEnvironment, t->name, fmi2Warning, "cat",
                                 "step %d of %s at %g", t->steps, t->name, at);
            t->functions->logger(t->functions->componentEnvironment, t->name, fmi2Warning, "cat",
                                 "evil %n");
            break;
        default:
            break;
        }
    }
    t->time = at + h;
    return fmi2OK;
}
