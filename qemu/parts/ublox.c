/* SPDX-License-Identifier: GPL-2.0-or-later */
/* u-blox M8 satellite receiver on its serial port (protocol specification UBX-13003221:
 * frames 32.2, acknowledges 32.8, CFG messages 32.10, MON-VER 32.16.13, PUBX,41 31.3.3).
 *
 * It wakes with 9600 bauds (an option), one fix a second and NMEA alone. CFG-PRT, CFG-MSG and
 * CFG-RATE act and can be polled, other CFG messages of the M8 are acknowledged and kept nowhere,
 * unknown ones (CFG-VALSET among them) are refused. A new rate of the line holds once what was
 * queued has left. Before its first fix the receiver says so at every epoch; a device that has
 * given samples and falls silent is silent here.
 *
 * Not here: saved configurations, other ports, assistance, raw measurements, GSV.
 */
#include <string.h>

#include "qemu/parts/ublox.h"

enum { TIMER_SEND, TIMER_EPOCH, N_TIMERS };
enum { CFG_PRT = 0x00, CFG_MSG = 0x01, CFG_RATE = 0x08, MON_VER = 0x04, UART_1 = 1 };
enum { OUT_UBX = 1, OUT_NMEA = 2 };
enum { OPTION_BAUD };

typedef struct ublox {
    ib_serial serial;
    uint32_t new_baud; /* holds when the queue is empty; 0: none */
    uint32_t mode, in_protocols, out_protocols;
    uint32_t period_ms, every; /* measurement, and how many a navigation solution takes */
    uint8_t rate[IB_UBX_MESSAGES], nmea_rate[IB_SENTENCES]; /* epochs between; 0: never */
    uint32_t epoch;
    uint64_t last; /* sample that was told of */

    uint8_t frame[IB_UBX_PAYLOAD_MOST + 8]; /* being received */
    int n_frame;
    char line[96];
    int n_line;
} ublox;

/* ---- sending ------------------------------------------------------------------------------- */

static void send(ib_part *chip, uint8_t class, uint8_t id, const uint8_t *payload, int n) {
    ublox *s = chip->state;
    uint8_t frame[IB_UBX_PAYLOAD_MOST + 8] = {IB_UBX_SYNC_1, IB_UBX_SYNC_2,    class, id,
                                              (uint8_t)n,    (uint8_t)(n >> 8)};
    uint8_t a = 0, b = 0;
    memcpy(frame + 6, payload, (size_t)n);
    for (int i = 2; i < n + 6; i++) {
        a = (uint8_t)(a + frame[i]);
        b = (uint8_t)(b + a);
    }
    frame[n + 6] = a;
    frame[n + 7] = b;
    ib_serial_put(chip, &s->serial, frame, (uint32_t)n + 8);
}

static void acknowledge(ib_part *chip, uint8_t class, uint8_t id, bool accepted) {
    const uint8_t payload[2] = {class, id};
    send(chip, IB_UBX_ACK, accepted, payload, 2);
}

static const ib_gps_sample *newest(const ib_part *chip) {
    return chip->sample[0] && chip->sample[0]->count ? &chip->sample[0]->of.gps : NULL;
}

static void send_navigation(ib_part *chip, ib_ubx_message which) {
    uint8_t payload[IB_UBX_PAYLOAD_MOST];
    const int n = ib_ubx_payload(which, newest(chip), payload);
    send(chip, IB_UBX_NAV, ib_ubx_id(which), payload, n);
}

static bool is_due(const ublox *s, uint8_t rate) { return rate && s->epoch % rate == 0; }

static void send_epoch(ib_part *chip) {
    ublox *s = chip->state;
    const uint64_t count = newest(chip) ? chip->sample[0]->count : 0;
    if (count && count == s->last)
        return;
    s->last = count;
    for (int i = 0; i < IB_UBX_MESSAGES && s->out_protocols & OUT_UBX; i++)
        if (is_due(s, s->rate[i]))
            send_navigation(chip, (ib_ubx_message)i);
    for (int i = 0; i < IB_SENTENCES && s->out_protocols & OUT_NMEA; i++) {
        char text[IB_SENTENCE_MOST];
        if (is_due(s, s->nmea_rate[i]))
            ib_serial_put(chip, &s->serial, text,
                          (uint32_t)ib_receiver_sentence((ib_sentence)i, "GN", newest(chip), text));
    }
    s->epoch++;
}

/* ---- commands ------------------------------------------------------------------------------ */

static bool is_baud(uint32_t baud) { return baud >= 4800 && baud <= 921600; }

/* A new rate holds when nothing waits or is on the line. */
static void change_baud(ib_part *chip) {
    ublox *s = chip->state;
    if (s->new_baud && s->serial.n == 0 && ib_part_timer_due(chip, TIMER_SEND) == IB_NEVER)
        s->serial.baud = s->new_baud;
}

static void next_epoch(ib_part *chip) {
    const ublox *s = chip->state;
    ib_part_timer(chip, TIMER_EPOCH,
                  ib_part_now(chip) + (int64_t)s->period_ms * s->every * 1000000);
}

static bool configure_port(ib_part *chip, const uint8_t *payload, int n) {
    ublox *s = chip->state;
    uint8_t reply[20] = {UART_1};
    if (n <= 1) {
        ib_ubx_put(reply, 4, 4, s->mode);
        ib_ubx_put(reply, 8, 4, s->serial.baud);
        ib_ubx_put(reply, 12, 2, s->in_protocols);
        ib_ubx_put(reply, 14, 2, s->out_protocols);
        send(chip, IB_UBX_CFG, CFG_PRT, reply, 20);
        return true;
    }
    if (n != 20)
        return false;
    if (payload[0] != UART_1)
        return true; /* ports that nothing is on */
    if (!is_baud(ib_ubx_get(payload, 8, 4)))
        return false;
    s->mode = ib_ubx_get(payload, 4, 4);
    s->in_protocols = ib_ubx_get(payload, 12, 2);
    s->out_protocols = ib_ubx_get(payload, 14, 2);
    s->new_baud = ib_ubx_get(payload, 8, 4);
    return true;
}

/* Where the rate of a message is kept; NULL: it cannot send that. */
static uint8_t *rate_of(ublox *s, uint8_t class, uint8_t id) {
    for (int i = 0; i < IB_UBX_MESSAGES && class == IB_UBX_NAV; i++)
        if (ib_ubx_id((ib_ubx_message)i) == id)
            return &s->rate[i];
    return class == IB_UBX_NMEA && id < IB_SENTENCES ? &s->nmea_rate[id] : NULL;
}

/* Two bytes ask, three set this port's rate, eight those of all ports. A message that cannot be
 * sent may be switched off. */
static bool configure_message(ib_part *chip, const uint8_t *payload, int n) {
    ublox *s = chip->state;
    if (n != 2 && n != 3 && n != 8)
        return false;
    uint8_t *rate = rate_of(s, payload[0], payload[1]);
    if (n == 2) {
        const uint8_t reply[8] = {payload[0], payload[1], 0, rate ? *rate : 0};
        send(chip, IB_UBX_CFG, CFG_MSG, reply, 8);
        return true;
    }
    const uint8_t wanted = payload[n == 3 ? 2 : 2 + UART_1];
    if (rate)
        *rate = wanted;
    return rate || wanted == 0 || payload[0] == IB_UBX_NMEA;
}

static bool configure_rate(ib_part *chip, const uint8_t *payload, int n) {
    ublox *s = chip->state;
    uint8_t reply[6] = {0};
    if (n == 0) {
        ib_ubx_put(reply, 0, 2, s->period_ms);
        ib_ubx_put(reply, 2, 2, s->every);
        ib_ubx_put(reply, 4, 2, 1);
        send(chip, IB_UBX_CFG, CFG_RATE, reply, 6);
        return true;
    }
    const uint32_t period = n == 6 ? ib_ubx_get(payload, 0, 2) : 0,
                   every = n == 6 ? ib_ubx_get(payload, 2, 2) : 0;
    if (period < 50 || every == 0 || every > 127)
        return false;
    s->period_ms = period;
    s->every = every;
    next_epoch(chip);
    return true;
}

/* Configuration messages of the M8 that are accepted without effect. */
static bool is_known(uint8_t id) {
    static const uint8_t known[] = {0x02, 0x06, 0x09, 0x11, 0x13, 0x16, 0x17, 0x1b, 0x1e,
                                    0x23, 0x24, 0x31, 0x34, 0x39, 0x3b, 0x3e, 0x47, 0x86};
    return memchr(known, id, sizeof known) != NULL;
}

static void configure(ib_part *chip, uint8_t id, const uint8_t *payload, int n) {
    const bool accepted = id == CFG_PRT    ? configure_port(chip, payload, n)
                          : id == CFG_MSG  ? configure_message(chip, payload, n)
                          : id == CFG_RATE ? configure_rate(chip, payload, n)
                                           : is_known(id);
    acknowledge(chip, IB_UBX_CFG, id, accepted);
    change_baud(chip);
}

static void send_version(ib_part *chip) {
    uint8_t payload[100] = {0};
    memcpy(payload, "ROM CORE 3.01", 13);
    memcpy(payload + 30, "00080000", 8);
    memcpy(payload + 40, "FWVER=SPG 3.01", 14);
    memcpy(payload + 70, "PROTVER=18.00", 13);
    send(chip, IB_UBX_MON, MON_VER, payload, sizeof payload);
}

static void obey(ib_part *chip, const uint8_t *frame, int n) {
    const uint8_t class = frame[2], id = frame[3];
    if (class == IB_UBX_CFG)
        configure(chip, id, frame + 6, n);
    else if (class == IB_UBX_MON && id == MON_VER && n == 0)
        send_version(chip);
    else if (class == IB_UBX_NAV && n == 0)
        for (int i = 0; i < IB_UBX_MESSAGES; i++)
            if (ib_ubx_id((ib_ubx_message)i) == id)
                send_navigation(chip, (ib_ubx_message)i);
}

/* ---- receiving ----------------------------------------------------------------------------- */

static bool sum_is_right(const uint8_t *frame, int n) {
    uint8_t a = 0, b = 0;
    for (int i = 2; i < n + 6; i++) {
        a = (uint8_t)(a + frame[i]);
        b = (uint8_t)(b + a);
    }
    return frame[n + 6] == a && frame[n + 7] == b;
}

static void take_frame_byte(ib_part *chip, uint8_t byte) {
    ublox *s = chip->state;
    s->frame[s->n_frame++] = byte;
    if (s->n_frame == 2 && byte != IB_UBX_SYNC_2)
        s->n_frame = byte == IB_UBX_SYNC_1 ? 1 : 0;
    if (s->n_frame < 6)
        return;
    const int n = (int)ib_ubx_get(s->frame, 4, 2);
    if (n > IB_UBX_PAYLOAD_MOST) {
        s->n_frame = 0;
    } else if (s->n_frame == n + 8) {
        s->n_frame = 0;
        if (sum_is_right(s->frame, n))
            obey(chip, s->frame, n);
    }
}

/* The n-th field of a sentence as a whole number. */
static uint32_t number_at(const char *line, int field) {
    uint32_t value = 0;
    while (field > 0 && *line)
        if (*line++ == ',')
            field--;
    for (int digits = 0; *line >= '0' && *line <= '9' && digits < 9; digits++)
        value = 10 * value + (uint32_t)(*line++ - '0');
    return value;
}

static unsigned digit(char c) {
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

/* $PUBX,41,port,in,out,baud,autobauding*sum: the old way to set the line's rate. */
static void take_line(ib_part *chip) {
    ublox *s = chip->state;
    unsigned sum = 0;
    const char *star = strchr(s->line, '*');
    for (const char *c = s->line + 1; star && c < star; c++)
        sum ^= (uint8_t)*c;
    if (!star || digit(star[1]) * 16 + digit(star[2]) != sum ||
        strncmp(s->line, "$PUBX,41,1,", 11) != 0)
        return;
    const uint32_t baud = number_at(s->line, 5);
    s->new_baud = is_baud(baud) ? baud : s->new_baud;
    change_baud(chip);
}

static void take_line_byte(ib_part *chip, char c) {
    ublox *s = chip->state;
    if (c == '$')
        s->n_line = 0;
    if (s->n_line < (int)sizeof s->line - 1)
        s->line[s->n_line++] = c;
    s->line[s->n_line] = 0;
    if (c == '\n') {
        if (s->line[0] == '$')
            take_line(chip);
        s->n_line = 0;
    }
}

/* What comes at another rate is noise: it begins nothing and spoils what has begun. */
static void receive(ib_part *chip, uint8_t byte, int64_t bit_ns) {
    ublox *s = chip->state;
    if (!ib_serial_hears(&s->serial, bit_ns)) {
        s->n_frame = s->n_line = 0;
        return;
    }
    if (s->n_frame > 0 || byte == IB_UBX_SYNC_1)
        take_frame_byte(chip, byte);
    else
        take_line_byte(chip, (char)byte);
}

static void expire(ib_part *chip, int timer) {
    ublox *s = chip->state;
    if (timer == TIMER_EPOCH) {
        next_epoch(chip);
        send_epoch(chip);
        return;
    }
    ib_serial_next(chip, &s->serial);
    change_baud(chip);
}

static void reset(ib_part *chip) {
    ublox *s = chip->state;
    memset(s, 0, sizeof *s);
    s->serial.baud = (uint32_t)chip->option[OPTION_BAUD];
    s->mode = 0x8d0; /* 8 bits, no parity, 1 stop bit */
    s->in_protocols = 7;
    s->out_protocols = OUT_UBX | OUT_NMEA;
    s->period_ms = 1000;
    s->every = 1;
    memset(s->nmea_rate, 1, sizeof s->nmea_rate);
    ib_part_timer(chip, TIMER_SEND, IB_NEVER);
    next_epoch(chip);
}

static const ib_uart_end end = {receive, NULL};
static const ib_option options[] = {{"baud", "bits a second at power-on", 9600, 4800, 921600},
                                    {NULL, NULL, 0, 0, 0}};

const ib_part_type ib_type_ublox_ubx = {
    .name = "ublox_ubx",
    .text = "satellite receiver u-blox M8, UBX and NMEA",
    .state_size = sizeof(ublox),
    .n_timers = N_TIMERS,
    .options = options,
    .samples = {IB_SAMPLE_GPS},
    .reset = reset,
    .expire = expire,
    .uart = &end,
};
