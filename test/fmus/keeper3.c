/* An FMU of FMI 3 for Co-Simulation that keeps its state, hands out derivatives, takes inputs
 * within a step and discards steps to order.
 *
 * Texts and bytes come back from it changed. x follows u by one explicit Euler step a communication
 * step (or four within it), so that its value tells which steps were taken. y = 3 u + x + 2 k1 + 4
 * k2, w = (u, 2 u).
 */
#include <fmi3Functions.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { GOOD, SPOIL, STUBBORN, WITHIN };
enum { TIME, U, Y, X, K, STEPS, SETS, MODE, W, WHOLE, TEXT, ECHO, BLOB, TURNED };
enum { LONGEST = 1000 };

/* SPOIL: steps longer than 0.03 s beyond 0.5 s spoil the state and are discarded. STUBBORN: all
 * are. WITHIN: a step is taken in four parts, and inputs are asked for in each. */
typedef struct keeper {
    double time, u, x, k[2];
    int steps, sets, mode, whole;
    bool ready;
    char text[LONGEST], echo[LONGEST + 10];
    unsigned char blob[LONGEST], turned[LONGEST];
    size_t blob_size;
} keeper;

typedef struct shell {
    keeper k; /* the state */
    fmi3InstanceEnvironment environment;
    fmi3IntermediateUpdateCallback update;
    bool may_set; /* u is among the intermediate variables */
    bool within;
} shell;

#define STATE_SIZE sizeof(keeper)
#include "state3.h"

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)log;
    shell *s = strcmp(token, "{keeper}") == 0 ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->k = (keeper){.k = {1, 0.5}};
    s->environment = environment;
    s->update = update;
    s->may_set = n_required == 1 && required[0] == U;
    return s;
}

void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((shell *)instance)->k.time = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
    ((shell *)instance)->k.ready = true;
    ((shell *)instance)->k.sets = 0;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values) {
    const keeper *k = &((shell *)instance)->k;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        switch (references[i]) {
        case TIME:
            values[at++] = k->time;
            break;
        case U:
            values[at++] = k->u;
            break;
        case X:
            values[at++] = k->x;
            break;
        case Y:
            values[at++] = 3 * k->u + k->x + 2 * k->k[0] + 4 * k->k[1];
            break;
        case K:
            values[at++] = k->k[0];
            values[at++] = k->k[1];
            break;
        case W:
            values[at++] = k->u;
            values[at++] = 2 * k->u;
            break;
        default:
            return fmi3Error;
        }
    }
    return at == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values) {
    shell *s = instance;
    if (s->within && !(n == 1 && references[0] == U && s->may_set))
        return fmi3Error;
    if (n == 1 && references[0] == U && n_values == 1) {
        s->k.u = values[0];
        s->k.sets++;
        return fmi3OK;
    }
    if (n != 1 || references[0] != K || n_values != 2)
        return fmi3Error;
    memcpy(s->k.k, values, sizeof s->k.k);
    return fmi3OK;
}

static int *whole(keeper *k, fmi3ValueReference reference) {
    return reference == STEPS   ? &k->steps
           : reference == SETS  ? &k->sets
           : reference == MODE  ? &k->mode
           : reference == WHOLE ? &k->whole
                                : NULL;
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        fmi3Int32 values[], size_t n_values) {
    for (size_t i = 0; i < n; i++) {
        const int *value = whole(&((shell *)instance)->k, references[i]);
        if (!value)
            return fmi3Error;
        values[i] = *value;
    }
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                        const fmi3Int32 values[], size_t n_values) {
    for (size_t i = 0; i < n; i++) {
        int *value = whole(&((shell *)instance)->k, references[i]);
        if (!value)
            return fmi3Error;
        *value = values[i];
    }
    return n == n_values ? fmi3OK : fmi3Error;
}

/* echo is text and the number of steps; turned is blob backwards. */
fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                         fmi3String values[], size_t n_values) {
    keeper *k = &((shell *)instance)->k;
    snprintf(k->echo, sizeof k->echo, "%s%d", k->text, k->steps);
    for (size_t i = 0; i < n; i++)
        values[i] = references[i] == ECHO ? k->echo : k->text;
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                         const fmi3String values[], size_t n_values) {
    keeper *k = &((shell *)instance)->k;
    if (n != 1 || n_values != 1 || references[0] != TEXT || strlen(values[0]) >= LONGEST)
        return fmi3Error;
    strcpy(k->text, values[0]);
    return fmi3OK;
}

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                         size_t sizes[], fmi3Binary values[], size_t n_values) {
    keeper *k = &((shell *)instance)->k;
    for (size_t i = 0; i < k->blob_size; i++)
        k->turned[i] = k->blob[k->blob_size - 1 - i];
    for (size_t i = 0; i < n; i++) {
        values[i] = references[i] == TURNED ? k->turned : k->blob;
        sizes[i] = k->blob_size;
    }
    return n == n_values ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                         const size_t sizes[], const fmi3Binary values[], size_t n_values) {
    keeper *k = &((shell *)instance)->k;
    if (n != 1 || n_values != 1 || references[0] != BLOB || sizes[0] > LONGEST)
        return fmi3Error;
    memcpy(k->blob, values[0], sizes[0]);
    k->blob_size = sizes[0];
    return fmi3OK;
}

/* A part of a step, before which the input may change. */
static void take_part(shell *s, double time, double h) {
    bool early = false;
    double early_time = 0;
    s->within = true;
    if (s->update)
        s->update(s->environment, time, true, true, false, false, &early, &early_time);
    s->within = false;
    s->k.x += h * (s->k.u - s->k.x);
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 at, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last) {
    shell *s = instance;
    keeper *k = &s->k;
    *event = *terminate = *early = false;
    *last = at;
    if (fabs(at - k->time) > 1e-12)
        return fmi3Error;
    if (k->mode == STUBBORN || (k->mode == SPOIL && at >= 0.5 - 1e-9 && h > 0.03)) {
        k->x += 100;
        k->steps = 1000;
        return no_rollback ? fmi3Error : fmi3Discard;
    }
    for (int i = 0; k->mode == WITHIN && i < 4; i++)
        take_part(s, at + h * i / 4, h / 4);
    if (k->mode != WITHIN)
        k->x += h * (k->u - k->x);
    k->steps++;
    k->time = *last = at + h;
    return fmi3OK;
}

/* ---- derivatives --------------------------------------------------------------------------- */

/* Elements of a variable in rows (y, w1, w2) or columns (u, k1, k2); 0: neither. */
static size_t place_of(fmi3ValueReference reference, size_t *first) {
    *first = reference == W || reference == K;
    return reference == Y || reference == U ? 1 : reference == W || reference == K ? 2 : 0;
}

static const double J[3][3] = {{3, 2, 4}, {1, 0, 0}, {2, 0, 0}};

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t n_unknowns, const fmi3ValueReference knowns[],
                                        size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
                                        fmi3Float64 result[], size_t n_result) {
    size_t r = 0;
    (void)instance, (void)n_seed;
    for (size_t i = 0; i < n_unknowns; i++) {
        size_t row, column, n_rows = place_of(unknowns[i], &row);
        for (size_t a = 0; a < n_rows; a++, r++) {
            size_t c = 0;
            result[r] = 0;
            for (size_t k = 0; k < n_knowns; k++)
                for (size_t b = 0, n = place_of(knowns[k], &column); b < n; b++)
                    result[r] += J[row + a][column + b] * seed[c++];
        }
    }
    return r == n_result ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t n_unknowns, const fmi3ValueReference knowns[],
                                    size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
                                    fmi3Float64 result[], size_t n_result) {
    size_t c = 0;
    (void)instance, (void)n_seed;
    for (size_t k = 0; k < n_knowns; k++) {
        size_t row, column, n_columns = place_of(knowns[k], &column);
        for (size_t b = 0; b < n_columns; b++, c++) {
            size_t r = 0;
            result[c] = 0;
            for (size_t i = 0; i < n_unknowns; i++)
                for (size_t a = 0, n = place_of(unknowns[i], &row); a < n; a++)
                    result[c] += J[row + a][column + b] * seed[r++];
        }
    }
    return c == n_result ? fmi3OK : fmi3Error;
}
