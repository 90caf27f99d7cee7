/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What satellite receivers share: characters that wait to be sent at a rate, calendar dates,
 * headings, and NMEA sentences. */
#ifndef IB_QEMU_RECEIVER_H
#define IB_QEMU_RECEIVER_H

#include "qemu/peripheral.h"

enum { IB_SERIAL_BYTES = 4096 };

/* Ten bits a character, sent by the part's timer 0. */
typedef struct ib_serial {
    uint8_t bytes[IB_SERIAL_BYTES];
    uint32_t first, n;
    uint32_t baud;
} ib_serial;

/* A message goes whole or, where there is no room, not at all (false). */
bool ib_serial_put(ib_part *part, ib_serial *serial, const void *bytes, uint32_t n);
/* Timer 0 is due: the next character. */
void ib_serial_next(ib_part *part, ib_serial *serial);
/* Whether the bits of a character that came lasted as long as ours, within four per cent. */
bool ib_serial_hears(const ib_serial *serial, int64_t bit_ns);

typedef struct ib_date {
    int year, month, day, hour, minute, second;
    int millisecond;
} ib_date;

/* Universal time of a sample. */
ib_date ib_receiver_date(const ib_gps_sample *gps);
/* Whole counts of a unit, rounded half away from zero. */
int32_t ib_receiver_counts(double value, double unit);
double ib_receiver_length(double a, double b);             /* of a vector of two */
double ib_receiver_ground_speed(const ib_gps_sample *gps); /* m/s */
double ib_receiver_heading(const ib_gps_sample *gps);      /* degrees from north, 0 to 360 */

/* Dilutions of precision that every message gives: the samples' errors come from the error model.
 */
#define IB_RECEIVER_PDOP 1.5
#define IB_RECEIVER_HDOP 0.9
#define IB_RECEIVER_VDOP 1.2

/* NMEA sentences, in the order of u-blox's message numbers. */
typedef enum ib_sentence {
    IB_SENTENCE_GGA,
    IB_SENTENCE_GLL,
    IB_SENTENCE_GSA,
    IB_SENTENCE_GSV, /* never sent: no satellites are modelled one by one */
    IB_SENTENCE_RMC,
    IB_SENTENCE_VTG,
    IB_SENTENCES
} ib_sentence;

enum { IB_SENTENCE_MOST = 100 };
/* Writes a sentence with talker, checksum and line end; gps NULL: no fix yet. Its length; 0: none.
 */
int ib_receiver_sentence(ib_sentence which, const char *talker, const ib_gps_sample *gps,
                         char text[IB_SENTENCE_MOST]);

#endif
