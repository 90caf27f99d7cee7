/* A flight computer for tests: a filter over what it reads, whose bits depend on its whole past. */
#include <ironbird/fcc.h>

#include <string.h>

typedef struct state {
    double mean[3], gain;
    int64_t ticks;
} state;

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }

int32_t ib_fcc_init(const char *config, void *memory, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    *state_size = sizeof(state);
    if (strstr(config, "gain=no")) {
        strcpy(message, "gain is no number");
        return 1;
    }
    if (memory)
        ((state *)memory)->gain = strstr(config, "gain=half") ? 0.5 : 0.1;
    return 0;
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    state *self = memory;
    for (int i = 0; i < 3; i++)
        self->mean[i] += self->gain * (in->imu[0].rate[i] / 3 - self->mean[i]);
    self->ticks++;
    out->n_fin = 3;
    for (int i = 0; i < 3; i++)
        out->fin[i] = self->mean[i];
    out->n_user = 2;
    out->user[0] = (double)self->ticks;
    out->user[1] = (double)in->tick;
    out->n_engine = 1;
    out->engine[0].start = in->tick == 1;
    return 0;
}
