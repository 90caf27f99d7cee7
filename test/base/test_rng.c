/* Random numbers: published answers, independence of the order of calls, and the distributions. */
#include "base_test.h"

/* The known answers published with the reference implementation (Salmon et al. 2011). */
static void test_known_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < IB_COUNT(known); i++) {
        uint32_t out[4];
        ib_philox(known[i].key, known[i].counter, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

/* Seed, vehicle, device and sample each make another stream. */
static void test_streams_differ(void **state) {
    (void)state;
    const double here = ib_random_uniform(1, 2, 3, 4);
    assert_true(same_bits(here, ib_random_uniform(1, 2, 3, 4)));
    assert_true(here != ib_random_uniform(2, 2, 3, 4));
    assert_true(here != ib_random_uniform(1 + (UINT64_C(1) << 32), 2, 3, 4));
    assert_true(here != ib_random_uniform(1, 3, 3, 4));
    assert_true(here != ib_random_uniform(1, 2, 4, 4));
    assert_true(here != ib_random_uniform(1, 2, 3, 5));
    assert_true(here != ib_random_uniform(1, 2, 3, 4 + (UINT64_C(1) << 32)));
    assert_true(ib_random_uniform(1, 2, 3, 4) != ib_random_uniform(1, 3, 2, 4));
}

enum { N = 100000 };

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov's distance of N samples from a distribution, times sqrt(N): above 1.95
 * once in a thousand seeds. The seed is fixed, so the test is too. */
static double ks_distance(double *samples, double (*cumulative)(double)) {
    qsort(samples, N, sizeof *samples, compare);
    double largest = 0;
    for (int i = 0; i < N; i++) {
        const double c = cumulative(samples[i]);
        largest = fmax(largest, fmax(c - i / (double)N, (i + 1) / (double)N - c));
    }
    return largest * sqrt((double)N);
}

static double uniform_cumulative(double x) { return x; }

static double normal_cumulative(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

static void test_uniform(void **state) {
    (void)state;
    double *samples = malloc(N * sizeof *samples);
    for (uint64_t i = 0; i < N; i++) {
        samples[i] = ib_random_uniform(7, 0, 0, i);
        assert_true(samples[i] > 0 && samples[i] < 1);
    }
    assert_true(ks_distance(samples, uniform_cumulative) < 1.95);
    free(samples);
}

static void test_normal(void **state) {
    (void)state;
    double *samples = malloc(N * sizeof *samples);
    double sum = 0, square = 0, product = 0, before = 0;
    for (uint64_t i = 0; i < N; i++) {
        samples[i] = ib_random_normal(7, 1, 2, i);
        sum += samples[i];
        square += samples[i] * samples[i];
        product += samples[i] * before;
        before = samples[i];
    }
    /* Four standard deviations of each estimate. */
    assert_true(fabs(sum / N) < 4 / sqrt((double)N));
    assert_true(fabs(square / N - 1) < 4 * sqrt(2.0 / N));
    assert_true(fabs(product / N) < 4 / sqrt((double)N));
    assert_true(ks_distance(samples, normal_cumulative) < 1.95);
    free(samples);
}

/* The bits themselves, so that a change of the recipe cannot go unseen. (The same recipe over
 * another program's log and cos gives these numbers within an ulp.) */
static void test_bits_stay(void **state) {
    (void)state;
    static const double known[][2] = {{0x1.bb3f7652f3ffap-2, 0x1.0cbe4becc07d8p-2},
                                      {0x1.9c7cf7201ddf1p-1, -0x1.4d035c7dcf22ep-3},
                                      {0x1.d177fc8c84a9dp-1, 0x1.ba2d337f57ee1p-2},
                                      {0x1.c43ae5e142734p-3, -0x1.bc535aca38324p+0}};
    for (uint64_t i = 0; i < IB_COUNT(known); i++) {
        assert_true(same_bits(ib_random_uniform(7, 1, 2, i), known[i][0]));
        assert_true(same_bits(ib_random_normal(7, 1, 2, i), known[i][1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_streams_differ),
        cmocka_unit_test(test_uniform),       cmocka_unit_test(test_normal),
        cmocka_unit_test(test_bits_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
