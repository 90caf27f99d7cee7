/* Keeps the attitude that the vehicle had at the start, with three fins: roll, pitch, yaw. */
#include <ironbird/fcc.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    double stiffness, damping; /* fin angle by attitude error, 1; by rate, s */
    double attitude[4];        /* since the start, w x y z */
} state;

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }

/* The number behind `name=` at the start of a line, or `otherwise`. */
static double number(const char *config, const char *name, double otherwise) {
    const size_t length = strlen(name);
    for (const char *line = config; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, name, length) == 0 && line[length] == '=')
            return strtod(line + length + 1, NULL);
    return otherwise;
}

int32_t ib_fcc_init(const char *config, void *memory, uint64_t *state_size,
                    char message[IB_FCC_TEXT]) {
    state *self = memory;
    *state_size = sizeof(state);
    if (number(config, "damping", 0.8) <= 0) {
        strcpy(message, "damping has to be positive");
        return 1;
    }
    if (!self)
        return 0; /* the first call only asks for the size */
    self->stiffness = number(config, "stiffness", 0.6);
    self->damping = number(config, "damping", 0.8);
    self->attitude[0] = 1;
    return 0;
}

/* Turns q by the rate w over dt: q' = q (0, w) / 2, one step, and its length back to 1. */
static void turn(double q[4], const double w[3], double dt) {
    const double h = dt / 2;
    const double p[4] = {q[0] - h * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]),
                         q[1] + h * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
                         q[2] + h * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]),
                         q[3] + h * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])};
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; i++)
        q[i] = p[i] / length;
}

static double bounded(double x, double most) { return x > most ? most : x < -most ? -most : x; }

int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *memory) {
    state *self = memory;
    if (in->n_imu < 1 || in->n_fin < 3) {
        strcpy(out->log_text, "an imu and three fins are needed");
        return 1;
    }
    if (in->imu[0].stamp == IB_FCC_NEVER)
        return 0; /* it has not spoken yet: the fins stay where they are */
    const double *rate = in->imu[0].rate;
    if (in->tick > 1)
        turn(self->attitude, rate, 1e-9 * (double)in->dt);
    const double sign = self->attitude[0] < 0 ? -1 : 1;
    out->n_fin = 3;
    for (int i = 0; i < 3; i++) {
        const double error = 2 * sign * self->attitude[1 + i];
        out->fin[i] = bounded(-self->stiffness * error - self->damping * rate[i], 0.35);
    }
    return 0;
}
