/* What the tests of flight computers share. */
#ifndef IB_TEST_FCC_H
#define IB_TEST_FCC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fcc/internal.h"

/* The program's own guard is linked to the tests that need it. cmocka takes the signals of faults
 * before every test; ib_guard_watch takes them back. */
int ib_guard(void (*work)(void *argument), void *argument);
void ib_guard_watch(void);

/* A library that the build made for the tests. */
#define LIBRARY(name) IB_TEST_BUILD "/test/fcc/" name ".so"

/* An input frame of one IMU and three fins whose numbers differ from tick to tick. */
static inline ib_fcc_in make_in(int64_t tick) {
    ib_fcc_in in = {.abi = IB_FCC_ABI, .tick = tick, .dt = 20000000, .n_imu = 1, .n_fin = 3};
    in.time = (tick - 1) * in.dt;
    in.imu[0].stamp = in.time;
    for (int i = 0; i < 3; i++)
        in.imu[0].rate[i] = ib_random_normal(1, 2, (uint32_t)i, (uint64_t)tick);
    return in;
}

/* The first diagnostic's message, or "". */
static inline const char *message_of(const ib_diags *diags) {
    const ib_diag *diag = ib_diags_at(diags, 0);
    return diag ? diag->message : "";
}

static inline const char *id_of(const ib_diags *diags) {
    const ib_diag *diag = ib_diags_at(diags, 0);
    return diag ? diag->id : "";
}

#define ASSERT_SAYS(diags, part)                                                                   \
    do {                                                                                           \
        if (!strstr(message_of(diags), part))                                                      \
            fail_msg("'%s' does not say '%s'", message_of(diags), part);                           \
    } while (0)

#endif
