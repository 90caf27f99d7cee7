/* Round numbers along an axis.
 *
 * The step between ticks is 1, 2 or 5 times a power of ten, so a tick is an integer times a power
 * of ten and its label is written from that integer: no rounding, no locale.
 */
#include "results_internal.h"

#include <math.h>
#include <string.h>

#define LARGEST 1e300

/* 10^n, exact to |n| = 22 as a factor or divisor. */
static double scale_by_ten(double x, int n) {
    for (; n > 22; n -= 22)
        x *= 1e22;
    for (; n < -22; n += 22)
        x /= 1e22;
    double power = 1;
    for (int i = 0; i < (n < 0 ? -n : n); i++)
        power *= 10;
    return n < 0 ? x / power : x * power;
}

/* The power of ten of the first digit of x > 0. */
static int decade(double x) {
    int n = (int)ib_floor(ib_log(x) / 2.302585092994046);
    while (scale_by_ten(1, n) > x)
        n--;
    while (scale_by_ten(1, n + 1) <= x)
        n++;
    return n;
}

static double within(double x) { return x < -LARGEST ? -LARGEST : x > LARGEST ? LARGEST : x; }

/* A range that is not too small to be divided into ticks. */
static void widen(double *low, double *high) {
    const double size = fmax(fabs(*low), fabs(*high));
    if (*high - *low > 1e-11 * size && *high - *low > 1e-280)
        return;
    const double room = size > 1e-280 ? 0.1 * size : 1;
    const double middle = *low + (*high - *low) / 2;
    *low = middle - room;
    *high = middle + room;
}

/* Labels like 12000 or 0.00012 are read more easily in thousands or millionths. */
static int label_power(double size, int step_decade) {
    const int largest = size > 0 ? decade(size) : 0;
    if (largest >= 5 || (largest <= -3 && step_decade <= -4))
        return largest >= 0 ? largest / 3 * 3 : -((2 - largest) / 3 * 3);
    return 0;
}

/* 1, 2 or 5 times a power of ten, near `raw`. */
static void choose_step(ib_axis *axis, double raw) {
    axis->exponent = decade(raw);
    const double digit = scale_by_ten(raw, -axis->exponent);
    axis->mantissa = digit <= 1.0 ? 1 : digit <= 2.2 ? 2 : digit <= 5.5 ? 5 : 10;
    if (axis->mantissa == 10) {
        axis->mantissa = 1;
        axis->exponent++;
    }
}

static void count_ticks(ib_axis *axis) {
    const double step = scale_by_ten(axis->mantissa, axis->exponent);
    axis->first = (int64_t)ib_ceil(axis->low / step - 1e-9);
    const int64_t last = (int64_t)ib_floor(axis->high / step + 1e-9);
    axis->n_ticks = last >= axis->first ? (size_t)(last - axis->first) + 1 : 0;
}

ib_axis ib_axis_make(double low, double high, unsigned wanted, bool padded) {
    ib_axis axis = {.low = within(low), .high = within(high)};
    widen(&axis.low, &axis.high);
    if (padded) {
        const double room = 0.05 * (axis.high - axis.low);
        axis.low -= room;
        axis.high += room;
    }
    choose_step(&axis, (axis.high - axis.low) / wanted);
    count_ticks(&axis);
    /* An axis with one label says nothing of its scale. */
    while (axis.n_ticks < 3) {
        axis.exponent -= axis.mantissa == 1;
        axis.mantissa = axis.mantissa == 5 ? 2 : axis.mantissa == 2 ? 1 : 5;
        count_ticks(&axis);
    }
    axis.power = label_power(fmax(fabs(axis.low), fabs(axis.high)), axis.exponent);
    return axis;
}

double ib_axis_tick(const ib_axis *axis, size_t index) {
    return scale_by_ten((double)((axis->first + (int64_t)index) * axis->mantissa), axis->exponent);
}

size_t ib_axis_label(const ib_axis *axis, size_t index, char label[IB_LABEL_SIZE]) {
    const int64_t tick = (axis->first + (int64_t)index) * axis->mantissa;
    uint64_t digits = tick < 0 ? 0 - (uint64_t)tick : (uint64_t)tick;
    int shift = axis->exponent - axis->power;
    char reversed[IB_LABEL_SIZE];
    size_t n = 0;
    for (; shift < 0 && n < 20; shift++, digits /= 10)
        reversed[n++] = (char)('0' + digits % 10);
    if (n)
        reversed[n++] = '.';
    for (; shift > 0 && digits && n < 20; shift--)
        reversed[n++] = '0';
    do
        reversed[n++] = (char)('0' + digits % 10);
    while ((digits /= 10));
    if (tick < 0)
        reversed[n++] = '-';
    for (size_t i = 0; i < n; i++)
        label[i] = reversed[n - 1 - i];
    label[n] = '\0';
    return n;
}
