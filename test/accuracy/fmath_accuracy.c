/* Accuracy of the reproducible elementary functions against MPFR.
 *
 * For each function, N arguments (argv[1], 10,000,000 unless told) from three sources in turn: any
 * exponent, the everyday range, and hard cases (neighbours of table breakpoints, of multiples of
 * pi/2, of overflow and underflow thresholds, of 1, exact powers). The exact value is taken to 160
 * bits; the error is counted in units in the last place of the binade of the exact value. A second
 * argument picks one function. Prints the largest error of each and where it happened; fails above
 * 0.6 units, which is what fmath.h promises (and above 0.5 for the square root, 0 for fmod).
 *
 * Does not check signed zeros, infinities and NaN: test/base/test_fmath.c does.
 */
#include "base/fmath.h"

#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRECISION 160
#define LIMIT 0.6

/* ---- arguments ------------------------------------------------------------------------------ */

/* splitmix64: a fixed sequence, the same on every run. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double uniform(uint64_t *state, double low, double high) {
    return low + (high - low) * (double)(next_random(state) >> 11) * 0x1p-53;
}

/* Either sign, exponent uniform in [low, high], any mantissa; -1023 stands for subnormal. */
static double any_exponent(uint64_t *state, int low, int high) {
    uint64_t r = next_random(state);
    uint64_t exponent = (uint64_t)(low + 1023) + next_random(state) % (uint64_t)(high - low + 1);
    return from_bits((r & ~(UINT64_C(2047) << 52)) | exponent << 52);
}

/* x moved by up to 3 steps of the floating-point line. */
static double nearby(uint64_t *state, double x) {
    return from_bits(to_bits(x) + next_random(state) % 7 - 3);
}

/* The double nearest to a multiple of pi/2, of any size. */
static double near_multiple_of_half_pi(uint64_t *state) {
    static const double half_pi = 0x1.921fb54442d18p0;
    int bits = (int)(next_random(state) % 54) + 1;
    double n = (double)(next_random(state) >> (64 - bits));
    double sign = next_random(state) & 1 ? -1.0 : 1.0;
    /* 6381956970095103 * 2^797 is the double nearest to a multiple of pi/2 of all. */
    if (next_random(state) % 64 == 0)
        return sign * 0x1.6ac5b262ca1ffp+849;
    return nearby(state, sign * n * half_pi);
}

/* A point where a table of 128 steps changes entry, times 2^-8 .. 2. */
static double near_breakpoint(uint64_t *state) {
    double half_steps = (double)(next_random(state) % 512);
    double scale = ldexp(1.0, -(int)(next_random(state) % 10));
    double x = (1.0 + half_steps / 256.0) * scale;
    return next_random(state) & 1 ? nearby(state, x) : -nearby(state, x);
}

static double hard_angle(uint64_t *state) {
    return next_random(state) & 1 ? near_multiple_of_half_pi(state) : near_breakpoint(state);
}

static double hard_exponent(uint64_t *state) {
    static const double ends[] = {709.782712893384,
                                  -708.3964185322641,
                                  -745.1332191019411,
                                  0.25,
                                  710.4758600739439,
                                  20.0,
                                  22.0};
    uint64_t pick = next_random(state) % 16;
    if (pick < 7)
        return nearby(state, ends[pick]);
    if (pick < 10)
        return uniform(state, -745.2, -708.0);
    double step = 0.6931471805599453 / 256.0; /* between two table entries */
    double n = (double)(next_random(state) % 400000) - 200000.0;
    return nearby(state, n * step);
}

static double hard_logarithm(uint64_t *state) {
    double x = fabs(near_breakpoint(state));
    uint64_t pick = next_random(state) % 4;
    if (pick == 0)
        return 1.0 + ldexp(uniform(state, -1.0, 1.0), -(int)(next_random(state) % 52));
    if (pick == 1)
        return nearby(state, ldexp(1.0, (int)(next_random(state) % 2000) - 1000));
    return x;
}

static double hard_unit(uint64_t *state) {
    uint64_t pick = next_random(state) % 4;
    double sign = next_random(state) & 1 ? -1.0 : 1.0;
    if (pick == 0) /* near the ends */
        return sign * (1.0 - ldexp(uniform(state, 0.0, 1.0), -(int)(next_random(state) % 52)));
    if (pick == 1) /* near sine and tangent of multiples of 1/256 */
        return nearby(state, sign * sin((double)(next_random(state) % 402) / 256.0));
    double x = near_breakpoint(state);
    return fabs(x) <= 1.0 ? x : 1.0 / x;
}

/* A pair (x, y) for pow; every third y is chosen so that the result nears a threshold. */
static void power_arguments(uint64_t *state, uint64_t source, double *x, double *y) {
    double magnitude;
    *x = fabs(source == 0 ? any_exponent(state, -1023, 1023) : uniform(state, 0.01, 100.0));
    if (source == 2)
        *x = next_random(state) % 4 ? fabs(hard_logarithm(state))
                                    : (double)(next_random(state) % 1000);
    switch (next_random(state) % 4) {
    case 0:
        *y = any_exponent(state, -60, 10);
        return;
    case 1:
        *y = (double)(next_random(state) % 64) * 0.5 - 16.0;
        return;
    default:
        magnitude = next_random(state) & 1 ? 745.0 : 709.78;
        *y = uniform(state, -magnitude, magnitude) / log(*x);
        if (next_random(state) % 4 == 0)
            *y = (next_random(state) & 1 ? -708.4 : 709.78) / log(*x);
    }
}

/* A point (x, y) for atan2, hypot: any exponents but mostly near each other, and breakpoints. */
static void point_arguments(uint64_t *state, uint64_t source, double *x, double *y) {
    if (source == 1) {
        *x = uniform(state, -10.0, 10.0);
        *y = uniform(state, -10.0, 10.0);
        return;
    }
    *x = any_exponent(state, -1023, 1022);
    int exponent = (int)(next_random(state) % 140) - 70;
    *y = ldexp(source == 2 ? near_breakpoint(state) : any_exponent(state, 0, 0), 0);
    *y *= next_random(state) & 1 ? ldexp(*x, exponent) : *x;
    if (!(fabs(*y) < HUGE_VAL) || *y == 0.0)
        *y = any_exponent(state, -1023, 1022);
}

/* ---- the functions -------------------------------------------------------------------------- */

typedef int mpfr_unary(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int mpfr_binary(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

struct function {
    const char *name;
    double (*unary)(double);
    mpfr_unary *exact_unary;
    int low_exponent, high_exponent; /* of any_exponent */
    double low, high;                /* of the everyday range */
    double (*hard)(uint64_t *);
    double (*binary)(double, double);
    mpfr_binary *exact_binary;
    void (*arguments)(uint64_t *, uint64_t, double *, double *);
    double limit;
};

static double sine_of_both(double x) {
    double s, c;
    ib_sincos(x, &s, &c);
    return s;
}

static double cosine_of_both(double x) {
    double s, c;
    ib_sincos(x, &s, &c);
    return c;
}

#define UNARY(f, low_e, high_e, low, high, hard)                                                   \
    { #f, ib_##f, mpfr_##f, low_e, high_e, low, high, hard, NULL, NULL, NULL, LIMIT }
#define BINARY(f, arguments, limit)                                                                \
    { #f, NULL, NULL, 0, 0, 0.0, 0.0, NULL, ib_##f, mpfr_##f, arguments, limit }

static const struct function functions[] = {
    UNARY(sin, -1023, 1023, -10.0, 10.0, hard_angle),
    UNARY(cos, -1023, 1023, -10.0, 10.0, hard_angle),
    {"sincos.sin", sine_of_both, mpfr_sin, -30, 60, -10.0, 10.0, hard_angle, NULL, NULL, NULL,
     LIMIT},
    {"sincos.cos", cosine_of_both, mpfr_cos, -30, 60, -10.0, 10.0, hard_angle, NULL, NULL, NULL,
     LIMIT},
    UNARY(tan, -1023, 1023, -10.0, 10.0, hard_angle),
    UNARY(asin, -1023, -1, -1.0, 1.0, hard_unit),
    UNARY(acos, -1023, -1, -1.0, 1.0, hard_unit),
    UNARY(atan, -1023, 1023, -10.0, 10.0, near_breakpoint),
    UNARY(sinh, -1023, 9, -10.0, 10.0, hard_exponent),
    UNARY(cosh, -1023, 9, -10.0, 10.0, hard_exponent),
    UNARY(tanh, -1023, 6, -10.0, 10.0, hard_exponent),
    UNARY(exp, -1023, 9, -10.0, 10.0, hard_exponent),
    UNARY(log, -1023, 1023, 0.0, 10.0, hard_logarithm),
    {"sqrt", ib_sqrt, mpfr_sqrt, -1023, 1023, 0.0, 10.0, hard_logarithm, NULL, NULL, NULL, 0.5},
    BINARY(pow, power_arguments, LIMIT),
    BINARY(atan2, point_arguments, LIMIT),
    BINARY(hypot, point_arguments, LIMIT),
    BINARY(fmod, point_arguments, 0.0),
};

/* ---- comparison ----------------------------------------------------------------------------- */

struct work {
    mpfr_t x, y, exact, difference;
};

struct worst {
    double error, x, y;
};

/* |got - exact| in units in the last place of exact's binade. Overflow counts as 2^1024. */
static double error_in_ulps(struct work *w, double got) {
    if (mpfr_nan_p(w->exact))
        return got != got ? 0.0 : HUGE_VAL;
    if (got != got)
        return HUGE_VAL;
    if (mpfr_zero_p(w->exact) || mpfr_inf_p(w->exact))
        return got == mpfr_get_d(w->exact, MPFR_RNDN) ? 0.0 : HUGE_VAL;
    long exponent = (long)mpfr_get_exp(w->exact); /* exact in [2^(e-1), 2^e) */
    if (exponent > 1024)
        return fabs(got) == HUGE_VAL ? 0.0 : HUGE_VAL;
    long unit = exponent - 53 < -1074 ? -1074 : exponent - 53;
    if (fabs(got) == HUGE_VAL) {
        mpfr_set_si_2exp(w->difference, got > 0.0 ? 1 : -1, 1024, MPFR_RNDN);
        mpfr_sub(w->difference, w->difference, w->exact, MPFR_RNDN);
    } else {
        mpfr_d_sub(w->difference, got, w->exact, MPFR_RNDN);
    }
    mpfr_mul_2si(w->difference, w->difference, -unit, MPFR_RNDN);
    return fabs(mpfr_get_d(w->difference, MPFR_RNDN));
}

static double argument(const struct function *f, uint64_t *state, uint64_t source) {
    double x;
    if (source == 0)
        x = any_exponent(state, f->low_exponent, f->high_exponent);
    else if (source == 1)
        x = uniform(state, f->low, f->high);
    else
        x = f->hard(state);
    return f->unary == ib_log || f->unary == ib_sqrt ? fabs(x) : x;
}

static double one_error(const struct function *f, struct work *w, double x, double y) {
    mpfr_set_d(w->x, x, MPFR_RNDN);
    if (f->unary) {
        f->exact_unary(w->exact, w->x, MPFR_RNDN);
        return error_in_ulps(w, f->unary(x));
    }
    mpfr_set_d(w->y, y, MPFR_RNDN);
    f->exact_binary(w->exact, w->x, w->y, MPFR_RNDN);
    return error_in_ulps(w, f->binary(x, y));
}

static struct worst measure(const struct function *f, struct work *w, uint64_t n) {
    struct worst worst = {0.0, 0.0, 0.0};
    uint64_t state = 1;
    for (uint64_t i = 0; i < n; i++) {
        double x, y = 0.0;
        if (f->unary)
            x = argument(f, &state, i % 3);
        else
            f->arguments(&state, i % 3, &x, &y);
        double error = one_error(f, w, x, y);
        if (error > worst.error)
            worst = (struct worst){error, x, y};
    }
    return worst;
}

static int check(const struct function *f, struct work *w, uint64_t n) {
    struct worst worst = measure(f, w, n);
    int bad = worst.error > f->limit;
    printf("%-10s %.5f ulp at %a", f->name, worst.error, worst.x);
    if (f->binary)
        printf(", %a", worst.y);
    printf("%s\n", bad ? "  FAILED" : "");
    fflush(stdout);
    return bad;
}

int main(int argc, char **argv) {
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_C(10000000);
    const char *only = argc > 2 ? argv[2] : NULL;
    struct work w;
    mpfr_inits2(PRECISION, w.x, w.y, w.exact, w.difference, (mpfr_ptr)0);
    int failed = 0, passed = 0;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (only && strcmp(only, functions[i].name) != 0)
            continue;
        if (check(&functions[i], &w, n))
            failed++;
        else
            passed++;
    }
    mpfr_clears(w.x, w.y, w.exact, w.difference, (mpfr_ptr)0);
    mpfr_free_cache();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
