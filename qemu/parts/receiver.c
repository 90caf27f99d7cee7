/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What satellite receivers share.
 *
 * The calendar is the proleptic Gregorian one, days counted from 1980-01-06, the beginning of GPS
 * time. The heading's arc tangent is worked out from sums, products and square roots alone, so that
 * it has the same bits everywhere: three halvings of the angle, then the series.
 */
#include <math.h>

#include "qemu/parts/receiver.h"

/* ---- characters ---------------------------------------------------------------------------- */

static int64_t bits_ns(const ib_serial *serial, unsigned bits) {
    return ib_cycles_ns(bits, serial->baud);
}

bool ib_serial_put(ib_part *part, ib_serial *serial, const void *bytes, uint32_t n) {
    const uint8_t *from = bytes;
    if (n > IB_SERIAL_BYTES - serial->n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        serial->bytes[(serial->first + serial->n++) % IB_SERIAL_BYTES] = from[i];
    if (ib_part_timer_due(part, 0) == IB_NEVER)
        ib_serial_next(part, serial);
    return true;
}

void ib_serial_next(ib_part *part, ib_serial *serial) {
    if (serial->n == 0)
        return;
    ib_part_uart_send(part, serial->bytes[serial->first], bits_ns(serial, 1));
    serial->first = (serial->first + 1) % IB_SERIAL_BYTES;
    serial->n--;
    ib_part_timer(part, 0, ib_part_now(part) + bits_ns(serial, 10));
}

bool ib_serial_hears(const ib_serial *serial, int64_t bit_ns) {
    const int64_t ours = bits_ns(serial, 1), off = bit_ns > ours ? bit_ns - ours : ours - bit_ns;
    return bit_ns == 0 || off * 25 <= ours;
}

/* ---- time ---------------------------------------------------------------------------------- */

static bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int days_of_month(int year, int month) {
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

ib_date ib_receiver_date(const ib_gps_sample *gps) {
    const int64_t ms = ((int64_t)gps->week * 604800 - gps->leap_seconds) * 1000 + gps->time_of_week;
    const int64_t seconds = ms > 0 ? ms / 1000 : 0;
    const int of_day = (int)(seconds % 86400);
    int64_t days = seconds / 86400 + 5; /* since 1980-01-01 */
    ib_date date = {
        1980, 1, 1, of_day / 3600, of_day / 60 % 60, of_day % 60, (int)(ms > 0 ? ms % 1000 : 0)};
    while (days >= (is_leap(date.year) ? 366 : 365))
        days -= is_leap(date.year++) ? 366 : 365;
    while (days >= days_of_month(date.year, date.month))
        days -= days_of_month(date.year, date.month++);
    date.day += (int)days;
    return date;
}

/* ---- motion -------------------------------------------------------------------------------- */

int32_t ib_receiver_counts(double value, double unit) {
    return ib_part_counts(value, unit, INT32_MIN, INT32_MAX);
}

double ib_receiver_length(double a, double b) { return sqrt(a * a + b * b); }

double ib_receiver_ground_speed(const ib_gps_sample *gps) {
    return ib_receiver_length(gps->velocity[0], gps->velocity[1]);
}

/* tan(a / 2) = tan a / (1 + sqrt(1 + tan^2 a)), for 0 <= x <= 1. */
static double arc_tangent(double x) {
    for (int i = 0; i < 3; i++)
        x = x / (1 + sqrt(1 + x * x));
    double sum = 0, power = x;
    for (int k = 1; k < 20; k += 2) {
        sum += k % 4 == 1 ? power / k : -power / k;
        power *= x * x;
    }
    return 8 * sum;
}

double ib_receiver_heading(const ib_gps_sample *gps) {
    const double radian = 180 / 3.14159265358979323846;
    const double north = gps->velocity[0], east = gps->velocity[1];
    const double n = north < 0 ? -north : north, e = east < 0 ? -east : east;
    if (n == 0 && e == 0)
        return 0;
    double angle = e <= n ? arc_tangent(e / n) * radian : 90 - arc_tangent(n / e) * radian;
    if (north < 0)
        angle = 180 - angle;
    return east < 0 ? 360 - angle : angle;
}
