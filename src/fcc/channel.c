/* A flight computer behind a channel, seen from the simulation: every tick a question and its
 * answer, in lockstep. Only one with a clock of its own is sent mail, and heard, without waiting.
 *
 * A question is sent again when its answer does not come (the other end answers a question twice
 * without ticking twice), so a lost datagram costs time and changes nothing. What arrives and is
 * not the answer is counted and passed over. When the time-out has passed, or the peer is known to
 * be gone, the tick fails and says who is missing.
 */
#include "fcc/internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT 2.0 /* s, by default */
#define START 10.0  /* s, at least, for a process of ours to come up */
#define RESEND 0.1  /* s between two of one question */
#define SLICE 0.02  /* s of one wait, after which `stopped` is asked */

typedef struct channel {
    ib_computer computer;
    ib_carrier *carrier; /* NULL: not connected */
    ib_child child;
    double timeout;
    bool (*stopped)(void *context);
    void *context;
    uint64_t session;
    uint32_t sequence; /* of the last question */
    bool own_clock;    /* it does not wait for questions, nor do we for answers */
    double heard;      /* when something came from it */
    ib_channel_counts counts;
    ib_crc crc;
    size_t answer_length; /* of the payload of the last answer */
    unsigned char question[IB_WIRE_MOST];
    unsigned char
        answer[IB_WIRE_MOST + 1]; /* one more, so that a longer one is seen to be longer */
} channel;

/* How a wait ended. */
typedef enum outcome { ANSWERED, REFUSED, BUSY, SILENT, GONE, STOPPED } outcome;

/* ---- question and answer -------------------------------------------------------------------- */

/* Sorts what has arrived. True when it answers the question, with its head and payload. */
static bool accept_frame(channel *self, int n, ib_wire_head *head, const unsigned char **payload) {
    const ib_wire_fault fault = ib_wire_decode(&self->crc, self->answer, (size_t)n, head, payload);
    self->counts.received++;
    if (fault != IB_WIRE_GOOD)
        ib_wire_count(fault, &self->counts);
    else if (head->session != self->session)
        self->counts.foreign++;
    else if (head->sequence == self->sequence)
        return true;
    else if (head->sequence == self->sequence - 1)
        self->counts.duplicate++;
    else if (head->sequence < self->sequence)
        self->counts.late++;
    else
        self->counts.unexpected++;
    return false;
}

/* What an answer means to a question that wants `wanted`. */
static outcome outcome_of(channel *self, const ib_wire_head *head, ib_wire_type wanted,
                          int64_t tick) {
    if (head->type == IB_WIRE_BUSY || head->type == IB_WIRE_FAILED) {
        self->counts.good++;
        return head->type == IB_WIRE_BUSY ? BUSY : REFUSED;
    }
    if (head->type == wanted && head->tick == tick) {
        self->counts.good++;
        return ANSWERED;
    }
    self->counts.unexpected++;
    return SILENT;
}

/* Waits for the answer to the question of n bytes that has just been sent. */
static outcome wait_for(channel *self, size_t n, ib_wire_type wanted, int64_t tick, double deadline,
                        const unsigned char **payload) {
    double resend = ib_wall_seconds() + RESEND;
    for (;;) {
        ib_wire_head head;
        const double now = ib_wall_seconds();
        const double left = deadline - now < SLICE ? deadline - now : SLICE;
        const int size = self->carrier->functions->receive(
            self->carrier, self->answer, sizeof self->answer, left > 0 ? (int)(left * 1000) : 0);
        if (size >= 0 && accept_frame(self, size, &head, payload)) {
            const outcome got = outcome_of(self, &head, wanted, tick);
            self->answer_length = head.length;
            if (got != SILENT)
                return got;
        }
        if (self->stopped && self->stopped(self->context))
            return STOPPED;
        if (size < 0 && ((self->child.pid && !ib_child_running(&self->child)) ||
                         !self->carrier->functions->alive(self->carrier)))
            return GONE;
        if (now >= deadline)
            return SILENT;
        if (self->carrier->lossy && now >= resend) {
            self->carrier->functions->send(self->carrier, self->question, n);
            self->counts.resent++;
            resend = now + RESEND;
        }
    }
}

static size_t ask(channel *self, ib_wire_type type, int64_t tick, const void *payload,
                  size_t length) {
    const ib_wire_head head = {.type = type,
                               .length = (uint32_t)length,
                               .session = self->session,
                               .sequence = ++self->sequence,
                               .tick = tick};
    const size_t n = ib_wire_encode(&self->crc, &head, payload, self->question);
    self->carrier->functions->send(self->carrier, self->question, n);
    self->counts.sent++;
    return n;
}

/* ---- ticking -------------------------------------------------------------------------------- */

/* The ID that a peer's text begins with, and in *rest what follows; IB1205 when there is none. */
static ib_diag_id id_of(const char *text, const char **rest) {
    for (int id = 0; id < IB_DIAG_COUNT; id++) {
        const char *name = ib_diag_name((ib_diag_id)id);
        const size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 && text[length] == ' ') {
            *rest = text + length + 1;
            return (ib_diag_id)id;
        }
    }
    *rest = text;
    return IB1205;
}

/* What the peer says of itself names its library and tick. */
static void repeat(const channel *self, const unsigned char *text, ib_place place,
                   ib_diags *diags) {
    const char *rest, *vehicle = self->computer.vehicle;
    const ib_diag_id id = id_of((const char *)text, &rest);
    ib_diags_add(diags, IB_ERROR, id, place, "%s%s%s", vehicle ? vehicle : "", vehicle ? ": " : "",
                 rest);
    if (!self->child.pid)
        ib_diags_note(diags, IB_NO_PLACE, "at %s", self->computer.name);
}

/* Says why there is no answer. */
static ib_status complain(channel *self, outcome got, int64_t tick, const unsigned char *text,
                          ib_diags *diags) {
    char seconds[IB_NUMBER_SIZE];
    const ib_computer *computer = &self->computer;
    switch (got) {
    case STOPPED:
        return IB_INTERRUPTED;
    case REFUSED:
        repeat(self, text, IB_NO_PLACE, diags);
        return IB_SIMULATION_FAILED;
    case GONE:
        if (self->child.ended && self->child.signal_number)
            return ib_computer_fail(computer, tick, IB1206, diags, "it crashed (%s)",
                                    ib_fcc_signal_text(self->child.signal_number));
        return ib_computer_fail(computer, tick, IB1209, diags, "its process has ended");
    default:
        return ib_computer_fail(computer, tick, IB1209, diags, "it has not answered within %s s",
                                ib_number_text(self->timeout, seconds));
    }
}

static ib_status channel_tick(ib_computer *computer, const ib_fcc_in *in, ib_fcc_out *out,
                              ib_diags *diags) {
    channel *self = (channel *)computer;
    const unsigned char *payload = NULL;
    const double deadline = ib_wall_seconds() + self->timeout;
    const size_t n = ask(self, IB_WIRE_INPUT, in->tick, in, sizeof *in);
    const outcome got = wait_for(self, n, IB_WIRE_OUTPUT, in->tick, deadline, &payload);
    if (got != ANSWERED)
        return complain(self, got, in->tick, payload, diags);
    memcpy(out, payload, sizeof *out);
    return IB_OK;
}

/* ---- mail ----------------------------------------------------------------------------------- */

/* The length alone says how many messages there are. */
static void take_mail(const unsigned char *payload, size_t length, ib_fcc_mail *mail) {
    memcpy(mail, payload, length);
    mail->n_messages = (uint32_t)((length - IB_MAIL_HEAD) / sizeof mail->messages[0]);
}

/* The next mail that has come of a computer with its own clock; *back still holds the one before.
 */
static ib_status hear(channel *self, ib_fcc_mail *back, bool *any, ib_diags *diags) {
    const int64_t tick = back->ticks;
    const double now = ib_wall_seconds();
    for (int n; (n = self->carrier->functions->receive(self->carrier, self->answer,
                                                       sizeof self->answer, 0)) >= 0;) {
        ib_wire_head head;
        const unsigned char *payload;
        const ib_wire_fault fault =
            ib_wire_decode(&self->crc, self->answer, (size_t)n, &head, &payload);
        self->counts.received++;
        self->counts.good += fault == IB_WIRE_GOOD && head.session == self->session;
        self->counts.foreign += fault == IB_WIRE_GOOD && head.session != self->session;
        ib_wire_count(fault, &self->counts);
        if (fault != IB_WIRE_GOOD || head.session != self->session)
            continue;
        self->heard = now;
        if (head.type == IB_WIRE_FAILED)
            return complain(self, REFUSED, tick, payload, diags);
        *any = head.type == IB_WIRE_MAIL;
        if (*any) {
            take_mail(payload, head.length, back);
            return IB_OK;
        }
    }
    if ((self->child.pid && !ib_child_running(&self->child)) ||
        !self->carrier->functions->alive(self->carrier))
        return complain(self, GONE, tick, NULL, diags);
    return now - self->heard > self->timeout ? complain(self, SILENT, tick, NULL, diags) : IB_OK;
}

static ib_status channel_post(ib_computer *computer, const ib_fcc_mail *mail, ib_fcc_mail *back,
                              bool *any, ib_diags *diags) {
    channel *self = (channel *)computer;
    const unsigned char *payload = NULL;
    const double deadline = ib_wall_seconds() + self->timeout;
    const size_t n = mail ? ask(self, IB_WIRE_MAIL, mail->time, mail, ib_mail_size(mail)) : 0;
    if (self->own_clock)
        return hear(self, back, any, diags);
    const outcome got = wait_for(self, n, IB_WIRE_MAIL, mail->time, deadline, &payload);
    if (got != ANSWERED)
        return complain(self, got, back->ticks, payload, diags);
    take_mail(payload, self->answer_length, back);
    *any = true;
    return IB_OK;
}

static ib_channel_counts channel_counts(const ib_computer *computer) {
    return ((const channel *)computer)->counts;
}

static void channel_close(ib_computer *computer) {
    channel *self = (channel *)computer;
    if (self->carrier && self->sequence)
        ask(self, IB_WIRE_BYE, 0, NULL, 0);
    ib_carrier_close(self->carrier);
    ib_child_end(&self->child);
}

static const ib_computer_functions functions = {
    .tick = channel_tick, .post = channel_post, .counts = channel_counts, .close = channel_close};

/* ---- opening -------------------------------------------------------------------------------- */

/* A number that other runs do not have. It reaches no result. */
static uint64_t make_session(const channel *self) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t parts[] = {(int64_t)getpid(), (int64_t)now.tv_sec, (int64_t)now.tv_nsec,
                             (int64_t)(intptr_t)self};
    return ib_hash_bytes(IB_HASH_START, parts, sizeof parts);
}

/* Waits until somebody is at the address. */
static outcome connect_to(channel *self, const char *address, double deadline,
                          const ib_computer_options *options, ib_diags *diags, ib_status *status) {
    for (;;) {
        *status = ib_carrier_connect(address, options->place, diags, &self->carrier);
        if (self->carrier || (*status != IB_OK && *status != IB_INTERRUPTED))
            return ANSWERED;
        const outcome got = *status == IB_INTERRUPTED ? BUSY : SILENT;
        *status = IB_OK;
        if (self->stopped && self->stopped(self->context))
            return STOPPED;
        if (self->child.pid && !ib_child_running(&self->child))
            return GONE;
        if (ib_wall_seconds() >= deadline)
            return got;
        const struct timespec nap = {.tv_nsec = 2000000};
        nanosleep(&nap, NULL);
    }
}

/* Begins a run. A busy peer is asked again until the deadline, and is then still busy. */
static outcome greet(channel *self, const ib_fcc_attach *attach, const char *config,
                     double deadline, const unsigned char **text) {
    const struct timespec nap = {.tv_nsec = 50000000};
    const size_t head = attach ? sizeof *attach : 0;
    char first[IB_WIRE_CONFIG];
    if (attach)
        memcpy(first, attach, head);
    memcpy(first + head, config, strlen(config) + 1);
    for (bool busy = false;; busy = true) {
        const size_t n =
            ask(self, attach ? IB_WIRE_ATTACH : IB_WIRE_HELLO, 0, first, head + strlen(config) + 1);
        const outcome got = wait_for(self, n, IB_WIRE_READY, 0, deadline, text);
        if (got != BUSY)
            return got == SILENT && busy ? BUSY : got;
        if (ib_wall_seconds() >= deadline)
            return BUSY;
        nanosleep(&nap, NULL);
    }
}

/* Says why a run has not begun. */
static ib_status refuse(const channel *self, outcome got, const unsigned char *text, ib_place place,
                        ib_diags *diags) {
    const char *name = self->computer.name;
    char seconds[IB_NUMBER_SIZE];
    switch (got) {
    case ANSWERED:
        return IB_OK;
    case STOPPED:
        return IB_INTERRUPTED;
    case REFUSED:
        repeat(self, text, place, diags);
        return IB_BAD_INPUT;
    case BUSY:
        ib_diags_add(diags, IB_ERROR, IB1209, place, "the flight computer at %s serves another run",
                     name);
        return IB_BAD_INPUT;
    case GONE:
        ib_diags_add(diags, IB_ERROR, IB1209, place,
                     "the process of flight computer '%s' ended before it answered", name);
        return IB_BAD_INPUT;
    case SILENT:
        break;
    }
    ib_diags_add(diags, IB_ERROR, IB1209, place, "no flight computer answers at %s within %s s",
                 name, ib_number_text(self->timeout, seconds));
    ib_diags_suggest(diags, "start one: ironbird fcc serve LIB --listen %s", name);
    return IB_BAD_INPUT;
}

static ib_status begin(channel *self, const char *address, const ib_computer_options *options,
                       ib_diags *diags) {
    const char *config = options->config ? options->config : "";
    const unsigned char *text = NULL;
    /* A process of ours is seen to end, so it may take its time to start. */
    const double patience = self->child.pid && self->timeout < START ? START : self->timeout;
    const double deadline = ib_wall_seconds() + patience;
    ib_status status = ib_carrier_check(address, options->place, diags);
    const size_t room = IB_WIRE_CONFIG - (options->attach ? sizeof *options->attach : 0);
    if (status == IB_OK && strlen(config) >= room) {
        ib_diags_add(diags, IB_ERROR, IB1204, options->place,
                     "the configuration has %zu bytes; a channel carries at most %zu",
                     strlen(config), room - 1);
        status = IB_BAD_INPUT;
    }
    if (status != IB_OK)
        return status;
    outcome got = connect_to(self, address, deadline, options, diags, &status);
    if (status == IB_OK && got == ANSWERED)
        got = greet(self, options->attach, config, deadline, &text);
    return status == IB_OK ? refuse(self, got, text, options->place, diags) : status;
}

ib_status ib_channel_open(const char *address, const char *name, ib_child child,
                          const ib_computer_options *options, ib_diags *diags,
                          ib_computer **computer) {
    *computer = NULL;
    channel *self = calloc(1, sizeof *self);
    if (!self) {
        ib_child_end(&child);
        return ib_fcc_no_memory(diags);
    }
    self->child = child;
    self->timeout = options->timeout > 0 ? options->timeout : TIMEOUT;
    self->stopped = options->stopped;
    self->context = options->context;
    self->session = make_session(self);
    self->own_clock = options->attach && options->attach->own_clock;
    ib_crc_prepare(&self->crc);
    ib_status status = ib_computer_prepare(&self->computer, &functions, name, options, diags);
    if (status == IB_OK)
        status = begin(self, address, options, diags);
    self->heard = ib_wall_seconds();
    if (options->attach)
        memcpy(self->computer.n, options->attach->n, sizeof self->computer.n);
    if (status == IB_OK)
        *computer = &self->computer;
    else
        ib_computer_close(&self->computer);
    return status;
}

ib_status ib_computer_open_channel(const char *address, const ib_computer_options *options,
                                   ib_diags *diags, ib_computer **computer) {
    return ib_channel_open(address, address, (ib_child){0}, options, diags, computer);
}
