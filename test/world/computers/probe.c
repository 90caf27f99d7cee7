/* A flight computer for tests: says in its log what it sees, and moves the fin by what it reads.
 *
 * Its lines are "TICK TIME STAMP": its own tick, the frame's time and the stamp of the first
 * inertial unit. The fin's angle is a filter over the unit's rates, so its bits depend on the whole
 * past.
 */
#include <ironbird/fcc.h>

#include <stdio.h>
#include <string.h>

typedef struct state {
    double mean;
    int64_t ticks;
    int32_t quiet;
} state;

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }

int32_t ib_fcc_init(const char *config, void *memory, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    (void)message;
    *state_size = sizeof(state);
    if (memory)
        ((state *)memory)->quiet = strstr(config, "quiet=1") != NULL;
    return 0;
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    state *self = memory;
    self->ticks++;
    self->mean += 0.3 * (in->imu[0].rate[1] - self->mean);
    out->n_fin = in->n_fin > 0;
    out->fin[0] = 0.25 + 0.1 * self->mean + (in->n_user > 0 ? in->user[0] * 1e-7 : 0);
    out->n_engine = in->n_engine > 0;
    out->engine[0].start = in->tick == 5;
    if (!self->quiet)
        snprintf(out->log_text, sizeof out->log_text, "%lld %lld %lld", (long long)in->tick,
                 (long long)in->time, in->n_imu ? (long long)in->imu[0].stamp : -1LL);
    return 0;
}
