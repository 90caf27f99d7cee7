/* The elementary functions as a table, and a hash of the bits of their results over fixed
 * arguments: 64-bit FNV-1a, in order. Shared by fmath_bits.c and test/base/test_fmath.c.
 *
 * The arguments are made with integer operations only, so that nothing but the functions can
 * differ: random bit patterns (a sixth of them any pattern at all, NaN and infinity included), and
 * random mantissas with exponents of the everyday range.
 */
#ifndef IB_TEST_FMATH_ARGUMENTS_H
#define IB_TEST_FMATH_ARGUMENTS_H

#include "base/fmath.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct function {
    const char *name;
    double (*unary)(double);
    double (*binary)(double, double);
};

static double sum_of_both(double x) {
    double s, c;
    ib_sincos(x, &s, &c);
    return s + c;
}

static const struct function functions[] = {
    {"sin", ib_sin, NULL},   {"cos", ib_cos, NULL},     {"sincos", sum_of_both, NULL},
    {"tan", ib_tan, NULL},   {"asin", ib_asin, NULL},   {"acos", ib_acos, NULL},
    {"atan", ib_atan, NULL}, {"atan2", NULL, ib_atan2}, {"sinh", ib_sinh, NULL},
    {"cosh", ib_cosh, NULL}, {"tanh", ib_tanh, NULL},   {"exp", ib_exp, NULL},
    {"log", ib_log, NULL},   {"pow", NULL, ib_pow},     {"hypot", NULL, ib_hypot},
    {"sqrt", ib_sqrt, NULL}, {"fmod", NULL, ib_fmod},   {"floor", ib_floor, NULL},
    {"ceil", ib_ceil, NULL}, {"trunc", ib_trunc, NULL}, {"round", ib_round, NULL},
};

#define N_FUNCTIONS (sizeof functions / sizeof functions[0])

/* splitmix64: a fixed sequence. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double next_argument(uint64_t *state, int i) {
    uint64_t bits = next_random(state);
    int64_t exponent = (int64_t)(next_random(state) % 24) - 14;
    if (i % 6 != 0) {
        if (i % 6 == 1) /* far from one, but finite */
            exponent = (int64_t)(next_random(state) % 2046) - 1022;
        bits &= (UINT64_C(1) << 63) | ((UINT64_C(1) << 52) - 1);
        bits |= (uint64_t)(exponent + 1023) << 52;
    }
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t add_to_hash(uint64_t hash, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 64; i += 8)
        hash = (hash ^ ((bits >> i) & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_of(const struct function *f, int n_arguments) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325), state = 1;
    for (int i = 0; i < n_arguments; i++) {
        double x = next_argument(&state, i);
        double r = f->unary ? f->unary(x) : f->binary(x, next_argument(&state, i));
        hash = add_to_hash(hash, r);
    }
    return hash;
}

#endif
