/* A flight computer that does what its configuration says, in tick 3. */
#include <ironbird/fcc.h>

#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct state {
    char what[32];
    char bytes[100];
} state;

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }

/* Where nobody's memory is; volatile, so that no compiler knows. */
static volatile uintptr_t nowhere = 64;

int32_t ib_fcc_init(const char *config, void *memory, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    state *self = memory;
    *state_size = sizeof(state);
    if (strcmp(config, "what=crash_init\n") == 0)
        *(volatile char *)nowhere = 1;
    if (strcmp(config, "what=huge\n") == 0)
        *state_size = UINT64_C(1) << 40;
    if (strcmp(config, "what=silent\n") == 0)
        return 7;
    if (strcmp(config, "what=loud\n") == 0) {
        memset(message, 'x', IB_FCC_TEXT);
        return 1;
    }
    if (!self)
        return 0;
    if (strcmp(config, "what=changes\n") == 0)
        *state_size += 8;
    if (strcmp(config, "what=spoils\n") == 0)
        memset(memory, 1, sizeof(state) + 1);
    strncpy(self->what, config + 5, strcspn(config + 5, "\n"));
    return 0;
}

static int deep(volatile char *above) {
    volatile char here[4096];
    here[0] = above ? above[0] : 1;
    return here[0] ? deep(here) + here[0] : 0;
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    const state *self = memory;
    const char *what = self->what;
    unsigned char *frame = (unsigned char *)out;
    volatile double zero = 0;
    out->n_user = 1;
    out->user[0] = 1 / (3 + zero);
    if (in->tick != 3)
        return 0;
    if (strcmp(what, "nan") == 0)
        out->user[0] = zero / zero;
    else if (strcmp(what, "infinite") == 0) {
        out->n_engine = 2;
        out->engine[1].throttle = 1 / zero;
    } else if (strcmp(what, "count") == 0)
        out->n_pwm = 17;
    else if (strcmp(what, "abi") == 0)
        out->abi = 9;
    else if (strcmp(what, "past_out") == 0)
        *(volatile unsigned char *)(frame + sizeof *out) = 0;
    else if (strcmp(what, "far_past_out") == 0)
        *(volatile unsigned char *)(frame + sizeof *out + 900) = 0;
    else if (strcmp(what, "past_in") == 0)
        *(volatile unsigned char *)((uintptr_t)in + sizeof *in) = 0;
    else if (strcmp(what, "before_in") == 0)
        *(volatile unsigned char *)((uintptr_t)in - 1) = 0;
    else if (strcmp(what, "past_state") == 0)
        *(volatile unsigned char *)((char *)memory + sizeof(state)) = 0;
    else if (strcmp(what, "into_in") == 0)
        memset((void *)(uintptr_t)in, 0x55, sizeof *in);
    else if (strcmp(what, "crash") == 0)
        *(volatile char *)nowhere = 1;
    else if (strcmp(what, "overflow") == 0)
        out->user[0] = deep(NULL);
    else if (strcmp(what, "abort") == 0)
        abort();
    else if (strcmp(what, "text") == 0)
        memset(out->log_text, 'y', IB_FCC_TEXT);
    else if (strcmp(what, "gives_up") == 0) {
        strcpy(out->log_text, "the gyro is lost");
        return 5;
    } else if (strcmp(what, "rounding") == 0)
        fesetround(FE_UPWARD);
    else if (strcmp(what, "slow") == 0) {
        const struct timespec nap = {.tv_nsec = 300000000};
        nanosleep(&nap, NULL);
    } else if (strcmp(what, "hangs") == 0)
        for (;;)
            nowhere = 64;
    else if (strcmp(what, "exits") == 0)
        exit(3);
    else if (strcmp(what, "killed") == 0)
        raise(SIGKILL);
    return 0;
}
