/* An FMU of FMI 3 for Co-Simulation that ruins the process it runs in.
 *
 * The parameter `mode` says how, from the third step on; -DIN_CONSTRUCTOR, -DIN_INSTANTIATE,
 * -DIN_TERMINATE and -DIN_FREE have it abort elsewhere.
 */
#include <fmi3Functions.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum mode { GOOD, CRASH, ABORT, OVERFLOW, EXIT, LOOP, SLEEP, KILL, DIVIDE, TALK, CHILD, IN_GET };
enum { TIME, STEPS, MODE, Y };

typedef struct wrecker {
    double time;
    int32_t steps, mode;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} wrecker;

#ifdef IN_CONSTRUCTOR
__attribute__((constructor)) static void construct(void) { abort(); }
#endif

const char *fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)events;
    (void)early, (void)required, (void)n_required, (void)update;
    wrecker *w = calloc(1, sizeof *w);
#ifdef IN_INSTANTIATE
    abort();
#endif
    if (w) {
        w->environment = environment;
        w->log = log;
    }
    return w;
}

void fmi3FreeInstance(fmi3Instance instance) {
#ifdef IN_FREE
    abort();
#endif
    free(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((wrecker *)instance)->time = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
    (void)instance;
#ifdef IN_TERMINATE
    exit(0);
#endif
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values) {
    wrecker *w = instance;
    (void)references;
    if (w->mode == IN_GET && w->steps >= 3)
        abort();
    for (size_t i = 0; i < n; i++)
        values[i] = w->time;
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values) {
    (void)instance, (void)references, (void)n, (void)values, (void)n_values;
    return fmi3Error;
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        fmi3Int32 values[], size_t n_values) {
    const wrecker *w = instance;
    for (size_t i = 0; i < n; i++)
        values[i] = references[i] == STEPS ? w->steps : w->mode;
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        const fmi3Int32 values[], size_t n_values) {
    if (n != 1 || n_values != 1 || references[0] != MODE)
        return fmi3Error;
    ((wrecker *)instance)->mode = values[0];
    return fmi3OK;
}

/* Uses up the stack; what is done behind the call keeps it from becoming a loop. */
static int dig(volatile int *depth) {
    volatile char room[4096];
    room[0] = (char)*depth;
    ++*depth;
    return dig(depth) + room[0];
}

static void wreck(const wrecker *w) {
    static volatile int zero;
    volatile int depth = 0;
    switch (w->mode) {
    case CRASH:
        w->log(w->environment, fmi3Warning, "last words", "about to crash");
        *(volatile int *)(size_t)(8 + zero) = 1;
        break;
    case ABORT:
        abort();
    case OVERFLOW:
        dig(&depth);
        break;
    case EXIT:
        exit(0);
    case LOOP:
        while (!zero)
            ;
        break;
    case SLEEP:
        for (;;)
            pause();
    case KILL:
        raise(SIGKILL);
        break;
    case DIVIDE:
        raise(SIGFPE);
        break;
    case TALK:
        printf("the FMU talks\n");
        fflush(stdout);
        break;
    case CHILD:
        /* A child of its own that would outlive everything. */
        if (fork() == 0)
            for (;;)
                pause();
        abort();
    default:
        break;
    }
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 at, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last) {
    wrecker *w = instance;
    (void)no_rollback;
    *event = *terminate = *early = false;
    if (++w->steps >= 3)
        wreck(w);
    *last = w->time = at + h;
    return fmi3OK;
}
