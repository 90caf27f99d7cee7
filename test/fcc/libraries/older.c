/* A flight computer compiled against another version of the header. */
#include <ironbird/fcc.h>

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI + 41; }

int32_t ib_fcc_init(const char *config, void *memory, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    (void)config, (void)memory, (void)state_size, (void)message;
    return 0;
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    (void)in, (void)out, (void)memory;
    return 0;
}
