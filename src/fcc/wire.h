/* Frames of a channel as bytes: wire.c, crc.c; and what is wrong with a frame: computer.c. */
#ifndef IB_FCC_WIRE_H
#define IB_FCC_WIRE_H

#include "avionics/avionics.h"
#include "ironbird/fcc.h"

#include <stddef.h>

/* Why an output frame cannot be, as text with its field; false when it is good. Ends log_text. */
bool ib_frame_faulty(ib_fcc_out *out, char text[IB_FCC_TEXT]);
/* The same of the counts of an input frame. */
bool ib_frame_in_faulty(const ib_fcc_in *in, char text[IB_FCC_TEXT]);

#define IB_MAIL_HEAD offsetof(ib_fcc_mail, messages)

/* Why mail cannot be, as text; false when it is good. `n`: the devices of each kind. `commands`: it
 * comes from a computer. Ends log_text. */
bool ib_mail_faulty(ib_fcc_mail *mail, const uint32_t n[IB_FCC_KIND_COUNT], bool commands,
                    char text[IB_FCC_TEXT]);
/* The same of how a run begins. */
bool ib_attach_faulty(const ib_fcc_attach *attach, char text[IB_FCC_TEXT]);
static inline size_t ib_mail_size(const ib_fcc_mail *mail) {
    return IB_MAIL_HEAD + mail->n_messages * sizeof mail->messages[0];
}

#define IB_WIRE_HEAD 40
#define IB_WIRE_CONFIG 16384 /* bytes of a configuration, its end included */
#define IB_WIRE_MOST (IB_WIRE_HEAD + IB_WIRE_CONFIG)
#define IB_WIRE_VERSION 1u

typedef enum ib_wire_type {
    IB_WIRE_HELLO = 1,  /* host: begin a run; the configuration, ended */
    IB_WIRE_READY = 2,  /* computer: it has begun */
    IB_WIRE_INPUT = 3,  /* host: ib_fcc_in */
    IB_WIRE_OUTPUT = 4, /* computer: ib_fcc_out */
    IB_WIRE_FAILED = 5, /* computer: an ID and a text, why there is neither */
    IB_WIRE_BUSY = 6,   /* computer: it serves another run */
    IB_WIRE_BYE = 7,    /* host: the run is over */
    IB_WIRE_ATTACH = 8, /* host: begin a run, of a computer that keeps its own time: ib_fcc_attach
                           and the configuration, ended */
    IB_WIRE_MAIL = 9    /* either: ib_fcc_mail */
} ib_wire_type;

typedef struct ib_wire_head {
    ib_wire_type type;
    uint32_t length;   /* of the payload */
    uint64_t session;  /* the run, by a number that the host makes up */
    uint32_t sequence; /* of the host's frames: an answer carries that of its question */
    int64_t tick;
} ib_wire_head;

typedef enum ib_wire_fault {
    IB_WIRE_GOOD,
    IB_WIRE_SMALL,  /* shorter or longer than it says, or than its type is */
    IB_WIRE_ALIEN,  /* no frame of ours */
    IB_WIRE_OTHER,  /* of another version of the protocol or of fcc.h */
    IB_WIRE_CORRUPT /* wrong checksum */
} ib_wire_fault;

/* CRC-32C (Castagnoli; RFC 3720, B.4) by eight tables, made when a channel is opened. */
typedef struct ib_crc {
    uint32_t table[8][256];
} ib_crc;

void ib_crc_prepare(ib_crc *crc);
uint32_t ib_crc_of(const ib_crc *crc, const void *bytes, size_t n);

/* Writes head and payload (length as in the head); returns the bytes used, at most IB_WIRE_MOST. */
size_t ib_wire_encode(const ib_crc *crc, const ib_wire_head *head, const void *payload,
                      unsigned char *bytes);
/* Reads n bytes of any contents. *head and *payload (into bytes) are set when they are good. A text
 * payload is ended. */
ib_wire_fault ib_wire_decode(const ib_crc *crc, const unsigned char *bytes, size_t n,
                             ib_wire_head *head, const unsigned char **payload);
#endif
