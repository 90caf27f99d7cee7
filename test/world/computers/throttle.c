/* A flight computer that asks for half the throttle in its user array, and for
 * four pulse widths of 1700 us, from its first tick on. */
#include <ironbird/fcc.h>

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }

int32_t ib_fcc_init(const char *config, void *state, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    (void)config;
    (void)state;
    (void)message;
    *state_size = 0;
    return 0;
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *state) {
    (void)in;
    (void)state;
    out->n_user = 7;
    out->user[2] = 0.5;
    for (int i = 3; i < 7; i++)
        out->user[i] = 1700;
    return 0;
}
