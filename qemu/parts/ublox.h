/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the u-blox receiver: what its messages and its commands share. */
#ifndef IB_QEMU_UBLOX_H
#define IB_QEMU_UBLOX_H

#include "qemu/parts/receiver.h"

enum { IB_UBX_PAYLOAD_MOST = 256, IB_UBX_SYNC_1 = 0xb5, IB_UBX_SYNC_2 = 0x62 };
enum {
    IB_UBX_NAV = 0x01,
    IB_UBX_ACK = 0x05,
    IB_UBX_CFG = 0x06,
    IB_UBX_MON = 0x0a,
    IB_UBX_NMEA = 0xf0
};

/* NAV messages it can send, in the order in which an epoch has them. */
typedef enum ib_ubx_message {
    IB_UBX_POSLLH,
    IB_UBX_STATUS,
    IB_UBX_DOP,
    IB_UBX_PVT,
    IB_UBX_VELNED,
    IB_UBX_TIMEGPS,
    IB_UBX_EOE,
    IB_UBX_MESSAGES
} ib_ubx_message;

uint8_t ib_ubx_id(ib_ubx_message which);
/* Payload of a message; gps NULL: no fix yet. Its length. */
int ib_ubx_payload(ib_ubx_message which, const ib_gps_sample *gps, uint8_t *to);

void ib_ubx_put(uint8_t *to, int at, int bytes, uint32_t value); /* little-endian */
uint32_t ib_ubx_get(const uint8_t *from, int at, int bytes);

#endif
