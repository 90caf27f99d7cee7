/* CRC-32C (Castagnoli), the checksum of iSCSI (RFC 3720, B.4): reflected polynomial 0x82f63b78,
 * initial value and final exclusive-or all ones. Eight bytes at a time by eight tables, where table
 * k holds what a byte does k bytes further on.
 */
#include "fcc/internal.h"

#define POLYNOMIAL 0x82f63b78u

void ib_crc_prepare(ib_crc *crc) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t rest = i;
        for (int bit = 0; bit < 8; bit++)
            rest = rest >> 1 ^ (rest & 1 ? POLYNOMIAL : 0);
        crc->table[0][i] = rest;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++) {
            const uint32_t before = crc->table[k - 1][i];
            crc->table[k][i] = before >> 8 ^ crc->table[0][before & 0xff];
        }
}

uint32_t ib_crc_of(const ib_crc *crc, const void *bytes, size_t n) {
    const unsigned char *next = bytes;
    uint32_t rest = 0xffffffffu;
    for (; n >= 8; n -= 8, next += 8) {
        uint32_t sum = 0;
        for (int i = 0; i < 8; i++) {
            const uint32_t byte = next[i] ^ (i < 4 ? rest >> (8 * i) & 0xff : 0);
            sum ^= crc->table[7 - i][byte];
        }
        rest = sum;
    }
    for (; n > 0; n--, next++)
        rest = rest >> 8 ^ crc->table[0][(rest ^ *next) & 0xff];
    return rest ^ 0xffffffffu;
}
