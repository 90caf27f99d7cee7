/* The state of an FMU of FMI 3, kept and handed out: the first STATE_SIZE bytes of an instance,
 * which whoever includes this defines.
 */
#ifndef TEST_FMUS_STATE3_H
#define TEST_FMUS_STATE3_H

#include <fmi3Functions.h>

#include <stdlib.h>
#include <string.h>

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state) {
    if (!*state)
        *state = malloc(STATE_SIZE);
    if (!*state)
        return fmi3Error;
    memcpy(*state, instance, STATE_SIZE);
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
    memcpy(instance, state, STATE_SIZE);
    return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state) {
    (void)instance;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t *size) {
    (void)instance, (void)state;
    *size = STATE_SIZE;
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size) {
    (void)instance;
    memcpy(bytes, state, size);
    return size == STATE_SIZE ? fmi3OK : fmi3Error;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state) {
    (void)instance;
    if (size != STATE_SIZE)
        return fmi3Error;
    if (!*state)
        *state = malloc(STATE_SIZE);
    if (!*state)
        return fmi3Error;
    memcpy(*state, bytes, size);
    return fmi3OK;
}

#endif
