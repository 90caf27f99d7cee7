/* Fuzzing of a channel's frames: any bytes are decoded. What is good is encoded again to the same
 * bytes, and the frames of fcc.h in it are checked as a channel checks them. With the checksum put
 * right first, so that what lies behind it is reached too.
 */
#include "fcc/fcc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A text has to say which field it is about. */
static void check_frames(const ib_wire_head *head, const unsigned char *payload) {
    char text[IB_FCC_TEXT] = "";
    if (head->type == IB_WIRE_OUTPUT) {
        ib_fcc_out out;
        memcpy(&out, payload, sizeof out);
        if (ib_frame_faulty(&out, text) != (text[0] != '\0') || out.log_text[IB_FCC_TEXT - 1])
            abort();
    } else if (head->type == IB_WIRE_INPUT) {
        ib_fcc_in in;
        memcpy(&in, payload, sizeof in);
        if (ib_frame_in_faulty(&in, text) != (text[0] != '\0'))
            abort();
    } else if (head->length && payload[head->length - 1] != '\0') {
        abort();
    }
}

static void decode(const ib_crc *crc, const unsigned char *bytes, size_t n) {
    static unsigned char again[IB_WIRE_MOST];
    const unsigned char *payload = NULL;
    ib_wire_head head;
    if (ib_wire_decode(crc, bytes, n, &head, &payload) != IB_WIRE_GOOD)
        return;
    if (ib_wire_encode(crc, &head, payload, again) != n || memcmp(again, bytes, n) != 0)
        abort();
    check_frames(&head, payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ib_crc crc;
    static unsigned char bytes[IB_WIRE_MOST + 1];
    if (size > sizeof bytes)
        return 0;
    ib_crc_prepare(&crc);
    decode(&crc, data, size);
    if (size < IB_WIRE_HEAD)
        return 0;
    memcpy(bytes, data, size);
    memset(bytes + 12, 0, 4);
    const uint32_t sum = ib_crc_of(&crc, bytes, size);
    for (int i = 0; i < 4; i++)
        bytes[12 + i] = (unsigned char)(sum >> (8 * i));
    decode(&crc, bytes, size);
    return 0;
}
