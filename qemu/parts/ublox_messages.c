/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Navigation messages of u-blox receivers (u-blox 8 / M8 protocol specification UBX-13003221,
 * section 32.17: NAV-POSLLH, NAV-STATUS, NAV-DOP, NAV-PVT, NAV-VELNED, NAV-TIMEGPS, NAV-EOE). */
#include <string.h>

#include "qemu/parts/ublox.h"

#define DEGREE (3.14159265358979323846 / 180)

enum { FIX_OK = 1 };

uint8_t ib_ubx_id(ib_ubx_message which) {
    static const uint8_t ids[IB_UBX_MESSAGES] = {0x02, 0x03, 0x04, 0x07, 0x12, 0x20, 0x61};
    return ids[which];
}

void ib_ubx_put(uint8_t *to, int at, int bytes, uint32_t value) {
    for (int i = 0; i < bytes; i++)
        to[at + i] = (uint8_t)(value >> 8 * i);
}

uint32_t ib_ubx_get(const uint8_t *from, int at, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)from[at + i] << 8 * i;
    return value;
}

static void put_counts(uint8_t *to, int at, double value, double unit) {
    ib_ubx_put(to, at, 4, (uint32_t)ib_receiver_counts(value, unit));
}

static bool has_fix(const ib_gps_sample *gps) { return gps->fix >= 2; }

/* Longitude, latitude, height above ellipsoid and mean sea level, from `at` on. */
static void put_place(uint8_t *to, int at, const ib_gps_sample *gps) {
    put_counts(to, at, gps->longitude / DEGREE, 1e-7);
    put_counts(to, at + 4, gps->latitude / DEGREE, 1e-7);
    put_counts(to, at + 8, gps->height, 1e-3);
    put_counts(to, at + 12, gps->height - gps->separation, 1e-3);
    put_counts(to, at + 16, gps->horizontal_accuracy, 1e-3);
    put_counts(to, at + 20, gps->height_accuracy, 1e-3);
}

static int posllh(const ib_gps_sample *gps, uint8_t *to) {
    put_place(to, 4, gps);
    return 28;
}

/* gpsFix, flags (fix OK, week and time of week known). */
static int status(const ib_gps_sample *gps, uint8_t *to) {
    to[4] = (uint8_t)gps->fix;
    to[5] = has_fix(gps) ? FIX_OK | 4 | 8 : 0;
    return 16;
}

static int dop(const ib_gps_sample *gps, uint8_t *to) {
    static const double values[] = {
        1.8,  IB_RECEIVER_PDOP, 1.0, IB_RECEIVER_VDOP, IB_RECEIVER_HDOP, 0.636,
        0.636}; /* geometric ... north, east */
    for (int i = 0; i < 7; i++)
        ib_ubx_put(to, 4 + 2 * i, 2,
                   has_fix(gps) ? (uint32_t)ib_receiver_counts(values[i], 0.01) : 9999);
    return 18;
}

static int pvt(const ib_gps_sample *gps, uint8_t *to) {
    const ib_date date = ib_receiver_date(gps);
    const uint8_t clock[] = {(uint8_t)date.month,  (uint8_t)date.day,
                             (uint8_t)date.hour,   (uint8_t)date.minute,
                             (uint8_t)date.second, 7 /* date, time, resolved */};
    ib_ubx_put(to, 4, 2, (uint32_t)date.year);
    memcpy(to + 6, clock, sizeof clock);
    ib_ubx_put(to, 12, 4, 30); /* ns */
    put_counts(to, 16, date.millisecond, 1e-6);
    to[20] = (uint8_t)gps->fix;
    to[21] = has_fix(gps) ? FIX_OK : 0;
    to[23] = (uint8_t)gps->satellites;
    put_place(to, 24, gps);
    for (int i = 0; i < 3; i++)
        put_counts(to, 48 + 4 * i, gps->velocity[i], 1e-3);
    put_counts(to, 60, ib_receiver_ground_speed(gps), 1e-3);
    put_counts(to, 64, ib_receiver_heading(gps), 1e-5);
    put_counts(to, 68, gps->speed_accuracy, 1e-3);
    put_counts(to, 72, 5, 1e-5);
    ib_ubx_put(to, 76, 2,
               has_fix(gps) ? (uint32_t)ib_receiver_counts(IB_RECEIVER_PDOP, 0.01) : 9999);
    return 92;
}

static int velned(const ib_gps_sample *gps, uint8_t *to) {
    for (int i = 0; i < 3; i++)
        put_counts(to, 4 + 4 * i, gps->velocity[i], 1e-2);
    const double ground = ib_receiver_ground_speed(gps);
    put_counts(to, 16, ib_receiver_length(ground, gps->velocity[2]), 1e-2);
    put_counts(to, 20, ground, 1e-2);
    put_counts(to, 24, ib_receiver_heading(gps), 1e-5);
    put_counts(to, 28, gps->speed_accuracy, 1e-2);
    put_counts(to, 32, 5, 1e-5);
    return 36;
}

static int timegps(const ib_gps_sample *gps, uint8_t *to) {
    ib_ubx_put(to, 8, 2, gps->week);
    to[10] = (uint8_t)gps->leap_seconds;
    to[11] = 7; /* time of week, week, leap seconds valid */
    ib_ubx_put(to, 12, 4, 30);
    return 16;
}

/* Lengths of messages that have nothing to tell yet but their time. */
static int empty(ib_ubx_message which, uint8_t *to) {
    static const uint8_t lengths[IB_UBX_MESSAGES] = {28, 16, 18, 92, 36, 16, 4};
    if (which == IB_UBX_DOP)
        for (int i = 0; i < 7; i++)
            ib_ubx_put(to, 4 + 2 * i, 2, 9999);
    return lengths[which];
}

int ib_ubx_payload(ib_ubx_message which, const ib_gps_sample *gps, uint8_t *to) {
    memset(to, 0, IB_UBX_PAYLOAD_MOST);
    if (!gps)
        return empty(which, to);
    ib_ubx_put(to, 0, 4, gps->time_of_week);
    switch (which) {
    case IB_UBX_POSLLH:
        return posllh(gps, to);
    case IB_UBX_STATUS:
        return status(gps, to);
    case IB_UBX_DOP:
        return dop(gps, to);
    case IB_UBX_PVT:
        return pvt(gps, to);
    case IB_UBX_VELNED:
        return velned(gps, to);
    case IB_UBX_TIMEGPS:
        return timegps(gps, to);
    default:
        return 4;
    }
}
