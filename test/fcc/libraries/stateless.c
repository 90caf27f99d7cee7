/* A flight computer that remembers nothing. */
#include <ironbird/fcc.h>

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }

int32_t ib_fcc_init(const char *config, void *memory, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    (void)config, (void)message;
    *state_size = 0;
    return memory != 0;
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    out->n_servo = 1;
    out->servo[0] = -2 * in->imu[0].rate[0];
    return memory != 0;
}
