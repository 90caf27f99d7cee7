/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NMEA 0183 sentences (version 4.00 as u-blox documents it, UBX-13003221 chapter 31), and a plain
 * receiver that sends them.
 *
 * Numbers are written from whole counts, so that no locale and no C library has a say. The receiver
 * sends GGA, GSA, RMC and VTG at each of its epochs, without a fix from the start; a device that
 * has given samples and falls silent is silent here.
 */
#include <stdio.h>
#include <string.h>

#include "qemu/parts/receiver.h"

#define DEGREE (3.14159265358979323846 / 180)
#define KNOT (1852.0 / 3600)

/* Hundred-thousandths of a minute as degrees and minutes: ddmm.mmmmm with so many digits of
 * degrees. */
static int angle(char *to, size_t size, double radian, int digits) {
    const double absolute = radian < 0 ? -radian : radian;
    const int32_t degrees = (int32_t)(absolute / DEGREE);
    int32_t whole = degrees;
    int32_t parts = ib_receiver_counts(absolute / DEGREE - degrees, 1e-5 / 60);
    if (parts >= 6000000) {
        parts -= 6000000;
        whole++;
    }
    return snprintf(to, size, "%0*d%02d.%05d", digits, (int)whole, (int)(parts / 100000),
                    (int)(parts % 100000));
}

/* A count of tenths, hundredths or thousandths as a decimal number. */
static void decimal(char *to, size_t size, int32_t counts, int places) {
    static const int32_t power[] = {1, 10, 100, 1000};
    const int64_t absolute = counts < 0 ? -(int64_t)counts : counts;
    snprintf(to, size, "%s%d.%0*d", counts < 0 ? "-" : "", (int)(absolute / power[places]), places,
             (int)(absolute % power[places]));
}

typedef struct words {
    char place[48], time[48], date[40], height[16], separation[16], knots[16], kmh[16], course[16];
    const char *valid; /* A or V */
    bool fixed;
    unsigned satellites;
} words;

static words words_of(const ib_gps_sample *gps) {
    words w = {.place = ",,,", .valid = "V"};
    if (!gps)
        return w;
    const ib_date date = ib_receiver_date(gps);
    snprintf(w.time, sizeof w.time, "%02d%02d%02d.%02d", date.hour, date.minute, date.second,
             date.millisecond / 10);
    snprintf(w.date, sizeof w.date, "%02d%02d%02d", date.day, date.month, date.year % 100);
    w.fixed = gps->fix >= 2;
    if (!w.fixed)
        return w;
    char latitude[16], longitude[16];
    angle(latitude, sizeof latitude, gps->latitude, 2);
    angle(longitude, sizeof longitude, gps->longitude, 3);
    snprintf(w.place, sizeof w.place, "%s,%c,%s,%c", latitude, gps->latitude < 0 ? 'S' : 'N',
             longitude, gps->longitude < 0 ? 'W' : 'E');
    w.valid = "A";
    w.satellites = gps->satellites;
    decimal(w.height, sizeof w.height, ib_receiver_counts(gps->height - gps->separation, 0.1), 1);
    decimal(w.separation, sizeof w.separation, ib_receiver_counts(gps->separation, 0.1), 1);
    const double speed = ib_receiver_ground_speed(gps);
    decimal(w.knots, sizeof w.knots, ib_receiver_counts(speed / KNOT, 1e-3), 3);
    decimal(w.kmh, sizeof w.kmh, ib_receiver_counts(speed * 3.6, 1e-3), 3);
    decimal(w.course, sizeof w.course, ib_receiver_counts(ib_receiver_heading(gps), 0.01), 2);
    return w;
}

static int write_body(ib_sentence which, const char *talker, const words *w, unsigned fix, char *to,
                      size_t size) {
    switch (which) {
    case IB_SENTENCE_GGA:
        return snprintf(to, size, "$%sGGA,%s,%s,%c,%02u,%s,%s,%s,%s,%s,,", talker, w->time,
                        w->place, w->fixed ? '1' : '0', w->satellites > 12 ? 12 : w->satellites,
                        w->fixed ? "0.90" : "99.99", w->height, w->fixed ? "M" : "", w->separation,
                        w->fixed ? "M" : "");
    case IB_SENTENCE_GLL:
        return snprintf(to, size, "$%sGLL,%s,%s,%s,%c", talker, w->place, w->time, w->valid,
                        w->fixed ? 'A' : 'N');
    case IB_SENTENCE_GSA:
        return snprintf(to, size, "$%sGSA,A,%u,,,,,,,,,,,,,%s", talker, w->fixed ? fix : 1,
                        w->fixed ? "1.50,0.90,1.20" : "99.99,99.99,99.99");
    case IB_SENTENCE_RMC:
        return snprintf(to, size, "$%sRMC,%s,%s,%s,%s,%s,%s,,,%c", talker, w->time, w->valid,
                        w->place, w->knots, w->course, w->date, w->fixed ? 'A' : 'N');
    case IB_SENTENCE_VTG:
        return snprintf(to, size, "$%sVTG,%s,T,,M,%s,N,%s,K,%c", talker, w->course, w->knots,
                        w->kmh, w->fixed ? 'A' : 'N');
    default:
        return 0;
    }
}

int ib_receiver_sentence(ib_sentence which, const char *talker, const ib_gps_sample *gps,
                         char text[IB_SENTENCE_MOST]) {
    const words w = words_of(gps);
    const int n = write_body(which, talker, &w, gps ? gps->fix : 0, text, IB_SENTENCE_MOST);
    if (n <= 0 || n > IB_SENTENCE_MOST - 6)
        return 0;
    unsigned sum = 0;
    for (int i = 1; i < n; i++)
        sum ^= (uint8_t)text[i];
    return n + snprintf(text + n, (size_t)(IB_SENTENCE_MOST - n), "*%02X\r\n", sum);
}

/* ---- the plain receiver -------------------------------------------------------------------- */

enum { TIMER_SEND, TIMER_EPOCH, N_TIMERS };
enum { OPTION_BAUD, OPTION_RATE };

typedef struct receiver {
    ib_serial serial;
    uint64_t last; /* sample that was told of */
} receiver;

static void next_epoch(ib_part *chip) {
    ib_part_timer(chip, TIMER_EPOCH,
                  ib_part_now(chip) + (int64_t)(1e9 / chip->option[OPTION_RATE] + 0.5));
}

static void tell(ib_part *chip) {
    static const ib_sentence order[] = {IB_SENTENCE_GGA, IB_SENTENCE_GSA, IB_SENTENCE_RMC,
                                        IB_SENTENCE_VTG};
    receiver *s = chip->state;
    const ib_sample *sample = chip->sample[0];
    const bool any = sample && sample->count;
    if (any && sample->count == s->last)
        return;
    s->last = any ? sample->count : 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        char text[IB_SENTENCE_MOST];
        const int n = ib_receiver_sentence(order[i], "GP", any ? &sample->of.gps : NULL, text);
        ib_serial_put(chip, &s->serial, text, (uint32_t)n);
    }
}

static void expire(ib_part *chip, int timer) {
    receiver *s = chip->state;
    if (timer == TIMER_SEND) {
        ib_serial_next(chip, &s->serial);
    } else {
        next_epoch(chip);
        tell(chip);
    }
}

static void reset(ib_part *chip) {
    receiver *s = chip->state;
    memset(s, 0, sizeof *s);
    s->serial.baud = (uint32_t)chip->option[OPTION_BAUD];
    ib_part_timer(chip, TIMER_SEND, IB_NEVER);
    next_epoch(chip);
}

/* It takes no commands. */
static void receive(ib_part *chip, uint8_t byte, int64_t bit_ns) {
    (void)chip;
    (void)byte;
    (void)bit_ns;
}

static const ib_uart_end end = {receive, NULL};
static const ib_option options[] = {{"baud", "bits a second", 9600, 300, 921600},
                                    {"rate", "fixes a second", 1, 0.1, 20},
                                    {NULL, NULL, 0, 0, 0}};

const ib_part_type ib_type_nmea = {
    .name = "nmea",
    .text = "satellite receiver that sends NMEA 0183",
    .state_size = sizeof(receiver),
    .n_timers = N_TIMERS,
    .options = options,
    .samples = {IB_SAMPLE_GPS},
    .reset = reset,
    .expire = expire,
    .uart = &end,
};
