/* An FMU of FMI 3 for Scheduled Execution. Its partitions write what happened into `order`, a
 * decimal digit each: 1 the fast clock, 2 the slow one, 3 the countdown, 4 the triggered one, 5 the
 * changing.
 */
#include <fmi3Functions.h>

#include <stdlib.h>
#include <string.h>

enum { TIME, U, SEEN, TICKS, ORDER, MODE, FAST = 11, SLOW, COUNTDOWN, TRIGGERED, CHANGING, OUT };
enum mode { GOOD, NEGATIVE, STANDING, FAIL, UNKNOWN };

typedef struct clocks {
    double time, u, seen, countdown, interval;
    int ticks[5], mode;
    int64_t order;
    fmi3IntervalQualifier counted;
    bool tick;
    fmi3InstanceEnvironment environment;
    fmi3ClockUpdateCallback update;
    fmi3LockPreemptionCallback lock;
    fmi3UnlockPreemptionCallback unlock;
} clocks;

fmi3Instance
fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                  fmi3Boolean visible, fmi3Boolean logging,
                                  fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                  fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                  fmi3UnlockPreemptionCallback unlock) {
    (void)name, (void)resources, (void)visible, (void)logging, (void)log;
    clocks *c =
        strcmp(token, "{clocks}") == 0 && update && lock && unlock ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    c->environment = environment;
    c->update = update;
    c->lock = lock;
    c->unlock = unlock;
    c->interval = 0.1;
    return c;
}

void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((clocks *)instance)->time = start;
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

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values) {
    const clocks *c = instance;
    for (size_t i = 0; i < n; i++)
        values[i] = references[i] == TIME ? c->time : references[i] == U ? c->u : c->seen;
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values) {
    if (n != 1 || n_values != 1 || references[0] != U)
        return fmi3Error;
    ((clocks *)instance)->u = values[0];
    return fmi3OK;
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        fmi3Int32 values[], size_t n_values) {
    const clocks *c = instance;
    if (n != 1 || n_values != 5 || references[0] != TICKS)
        return fmi3Error;
    memcpy(values, c->ticks, sizeof c->ticks);
    return fmi3OK;
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        const fmi3Int32 values[], size_t n_values) {
    if (n != 1 || n_values != 1 || references[0] != MODE)
        return fmi3Error;
    ((clocks *)instance)->mode = values[0];
    return fmi3OK;
}

fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        fmi3Int64 values[], size_t n_values) {
    if (n != 1 || n_values != 1 || references[0] != ORDER)
        return fmi3Error;
    values[0] = ((clocks *)instance)->order;
    return fmi3OK;
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference references[],
                                  size_t n, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[]) {
    clocks *c = instance;
    if (n != 1 || (references[0] != COUNTDOWN && references[0] != CHANGING))
        return fmi3Error;
    if (references[0] == CHANGING) {
        intervals[0] = c->interval;
        qualifiers[0] = c->mode == UNKNOWN ? fmi3IntervalNotYetKnown : fmi3IntervalChanged;
        return fmi3OK;
    }
    intervals[0] = c->countdown;
    qualifiers[0] = c->counted;
    c->counted = fmi3IntervalUnchanged;
    return fmi3OK;
}

/* The slow partition starts the countdown; the changing one doubles its interval. */
fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock,
                                      fmi3Float64 time) {
    clocks *c = instance;
    if (clock < FAST || clock > CHANGING || time < c->time)
        return fmi3Error;
    c->lock();
    c->time = time;
    c->ticks[clock - FAST]++;
    c->order = (c->order * 10 + (int64_t)(clock - FAST) + 1) % 1000000000000000;
    c->seen = c->u;
    c->unlock();
    if (c->mode == FAIL && clock == SLOW && c->ticks[1] == 2)
        return fmi3Error;
    if (clock == SLOW || (clock == COUNTDOWN && c->mode == STANDING)) {
        c->countdown = c->mode == NEGATIVE ? -1 : c->mode == STANDING ? 0 : 0.03;
        c->counted = fmi3IntervalChanged;
        c->update(c->environment);
    }
    if (clock == CHANGING)
        c->interval *= 2;
    return fmi3OK;
}
