/* What the tests of num share: cmocka with the headers it wants before it, and random numbers. */
#ifndef IB_TEST_NUM_H
#define IB_TEST_NUM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/num.h"

/* The next number of a sequence, even in (-1, 1). */
static inline double next_random(uint64_t *sequence) {
    return 2 * ib_random_uniform(20, 0, 0, (*sequence)++) - 1;
}

static inline void fill_random(uint64_t *sequence, double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        values[i] = next_random(sequence);
}

static inline double largest_difference(const double *a, const double *b, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = fabs(a[i] - b[i]);
        if (!(d <= largest)) /* NaN counts as large */
            largest = d;
    }
    return largest;
}

/* Fails with the size of the difference. */
#define ASSERT_CLOSE(a, b, n, tolerance)                                                           \
    do {                                                                                           \
        const double difference_ = largest_difference((a), (b), (n));                              \
        if (!(difference_ <= (tolerance)))                                                         \
            fail_msg("differs by %.3g, more than %.3g", difference_, (double)(tolerance));         \
    } while (0)

#endif
