/* The benchmark's flight computer: integrates the attitude from the inertial unit, keeps the height
 * of the last fix, and starts the engine after a second with a throttle that follows the rate. */
#include <ironbird/fcc.h>

#include <math.h>

typedef struct state {
    double attitude[4];
    double height;
} state;

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }

int32_t ib_fcc_init(const char *config, void *memory, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    (void)config;
    (void)message;
    *state_size = sizeof(state);
    if (memory)
        ((state *)memory)->attitude[0] = 1;
    return 0;
}

static void turn(double q[4], const double w[3], double h) {
    const double p[4] = {q[0] - h * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]),
                         q[1] + h * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
                         q[2] + h * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]),
                         q[3] + h * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])};
    const double size = 1 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; i++)
        q[i] = size * p[i];
}

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    state *self = memory;
    const double *rate = in->imu[0].rate;
    turn(self->attitude, rate, 0.5e-9 * (double)in->dt);
    if (in->gps[0].fix && (in->gps[0].flags & IB_FCC_NEW))
        self->height = in->gps[0].height;
    out->n_engine = 1;
    out->engine[0].start = in->tick == 1000;
    out->engine[0].throttled = 1;
    out->engine[0].throttle = 0.8 + 0.1 * fmax(-1, fmin(1, rate[2])) + 1e-9 * self->height;
    return 0;
}
