/* Frames of a channel as bytes. All numbers are little-endian.
 *
 *      0  4  magic "IBFC"            16  8  session
 *      4  2  version of the protocol 24  4  sequence
 *      6  2  type                    28  4  version of fcc.h (IB_FCC_ABI)
 *      8  4  length of the payload   32  8  tick
 *     12  4  CRC-32C of the frame with zeros here
 *     40     payload: ib_fcc_in, ib_fcc_out, ib_fcc_mail, ib_fcc_attach and a text, or a text with
 *            its terminating zero
 *
 * A frame's size is that of its head and payload, no more and no less. Payloads are the structs of
 * fcc.h as they lie in memory, which is the wire's order on every machine that this compiles on.
 */
#include "fcc/internal.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the frames of a channel are copied as they lie in memory, which has to be little-endian"
#endif

#define MAGIC 0x43464249u /* "IBFC" */
enum { AT_VERSION = 4, AT_TYPE = 6, AT_LENGTH = 8, AT_CRC = 12 };
enum { AT_SESSION = 16, AT_SEQUENCE = 24, AT_ABI = 28, AT_TICK = 32 };

static void put(unsigned char *bytes, uint64_t value, int n) {
    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *bytes, int n) {
    uint64_t value = 0;
    for (int i = n - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

size_t ib_wire_encode(const ib_crc *crc, const ib_wire_head *head, const void *payload,
                      unsigned char *bytes) {
    const size_t size = IB_WIRE_HEAD + head->length;
    put(bytes, MAGIC, 4);
    put(bytes + AT_VERSION, IB_WIRE_VERSION, 2);
    put(bytes + AT_TYPE, head->type, 2);
    put(bytes + AT_LENGTH, head->length, 4);
    put(bytes + AT_CRC, 0, 4);
    put(bytes + AT_SESSION, head->session, 8);
    put(bytes + AT_SEQUENCE, head->sequence, 4);
    put(bytes + AT_ABI, IB_FCC_ABI, 4);
    put(bytes + AT_TICK, (uint64_t)head->tick, 8);
    if (head->length)
        memcpy(bytes + IB_WIRE_HEAD, payload, head->length);
    put(bytes + AT_CRC, ib_crc_of(crc, bytes, size), 4);
    return size;
}

/* The checksum as if its own bytes were zero, without writing into the frame. */
static bool checksum_fits(const ib_crc *crc, const unsigned char *bytes, size_t n) {
    unsigned char copy[IB_WIRE_MOST];
    memcpy(copy, bytes, n);
    put(copy + AT_CRC, 0, 4);
    return ib_crc_of(crc, copy, n) == get(bytes + AT_CRC, 4);
}

/* Whether a payload of that type can be that long. */
static bool length_fits(const ib_wire_head *head, const unsigned char *payload) {
    switch (head->type) {
    case IB_WIRE_INPUT:
        return head->length == sizeof(ib_fcc_in);
    case IB_WIRE_OUTPUT:
        return head->length == sizeof(ib_fcc_out);
    case IB_WIRE_MAIL:
        return head->length >= IB_MAIL_HEAD && head->length <= sizeof(ib_fcc_mail) &&
               (head->length - IB_MAIL_HEAD) % sizeof(ib_fcc_message) == 0;
    case IB_WIRE_ATTACH:
        return head->length > sizeof(ib_fcc_attach) && head->length <= IB_WIRE_CONFIG &&
               payload[head->length - 1] == '\0';
    case IB_WIRE_HELLO:
    case IB_WIRE_FAILED:
        return head->length > 0 && head->length <= IB_WIRE_CONFIG &&
               payload[head->length - 1] == '\0';
    case IB_WIRE_READY:
    case IB_WIRE_BUSY:
    case IB_WIRE_BYE:
        return head->length == 0;
    }
    return false;
}

ib_wire_fault ib_wire_decode(const ib_crc *crc, const unsigned char *bytes, size_t n,
                             ib_wire_head *head, const unsigned char **payload) {
    if (n >= 4 && get(bytes, 4) != MAGIC)
        return IB_WIRE_ALIEN;
    if (n < IB_WIRE_HEAD || n > IB_WIRE_MOST || get(bytes + AT_LENGTH, 4) != n - IB_WIRE_HEAD)
        return IB_WIRE_SMALL;
    if (!checksum_fits(crc, bytes, n))
        return IB_WIRE_CORRUPT;
    if (get(bytes + AT_VERSION, 2) != IB_WIRE_VERSION || get(bytes + AT_ABI, 4) != IB_FCC_ABI)
        return IB_WIRE_OTHER;
    const uint64_t type = get(bytes + AT_TYPE, 2);
    if (type < IB_WIRE_HELLO || type > IB_WIRE_MAIL)
        return IB_WIRE_OTHER;
    *head = (ib_wire_head){.type = (ib_wire_type)type,
                           .length = (uint32_t)(n - IB_WIRE_HEAD),
                           .session = get(bytes + AT_SESSION, 8),
                           .sequence = (uint32_t)get(bytes + AT_SEQUENCE, 4),
                           .tick = (int64_t)get(bytes + AT_TICK, 8)};
    *payload = bytes + IB_WIRE_HEAD;
    return length_fits(head, *payload) ? IB_WIRE_GOOD : IB_WIRE_SMALL;
}

void ib_wire_count(ib_wire_fault fault, ib_channel_counts *counts) {
    if (fault == IB_WIRE_SMALL)
        counts->small++;
    else if (fault == IB_WIRE_CORRUPT)
        counts->corrupt++;
    else if (fault == IB_WIRE_ALIEN || fault == IB_WIRE_OTHER)
        counts->foreign++;
}
