/* The other end of a channel: a native flight computer that answers the frames of a run.
 *
 *     idle -hello-> flying -input-> flying ... -bye-> idle
 *     idle -attach-> flying -mail-> flying ... -bye-> idle, of a computer that keeps its own time
 * Every question is answered once and its answer kept: the same question again gets the same answer
 * without another tick. While a run is on, others are told that it is; one that has been silent for
 * a while, or whose process is gone, makes room. A computer with a clock of its own answers nothing
 * but the first question: it ticks, and says so, when it is time.
 */
#include "fcc/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDLE 2.0 /* s after which a silent run makes room */
#define SLICE 50 /* ms of one wait, after which `stopped` is asked */

struct ib_server {
    ib_carrier *carrier;
    char *library, *config;
    ib_server_options options;
    ib_computer *computer; /* NULL: idle */
    uint64_t session;      /* of the run, also of the last one */
    uint32_t sequence;     /* of the last question answered */
    double heard;          /* when it was */
    size_t answer_size;
    ib_server_counts counts;
    ib_fcc_attach attach; /* of a run by mail; period 0: it is none */
    ib_target target;     /* its computer */
    ib_fcc_mail mail;
    double began; /* its own clock's zero, wall time */
    ib_fcc_in in;
    ib_fcc_out out;
    ib_crc crc;
    unsigned char answer[IB_WIRE_MOST];
    unsigned char question[IB_WIRE_MOST + 1];
};

/* ---- answers -------------------------------------------------------------------------------- */

static void answer(ib_server *self, const ib_wire_head *question, ib_wire_type type,
                   const void *payload, size_t length) {
    const ib_wire_head head = {.type = type,
                               .length = (uint32_t)length,
                               .session = question->session,
                               .sequence = question->sequence,
                               .tick = question->tick};
    self->answer_size = ib_wire_encode(&self->crc, &head, payload, self->answer);
    self->sequence = question->sequence;
    self->heard = ib_wall_seconds();
    self->carrier->functions->send(self->carrier, self->answer, self->answer_size);
    self->counts.frames.sent++;
}

/* Answers with ID and text of the first diagnostic since there were `before`. */
static void answer_failure(ib_server *self, const ib_wire_head *question, const ib_diags *diags,
                           size_t before) {
    char text[1024];
    const ib_diag *diag = diags ? ib_diags_at(diags, before) : NULL;
    snprintf(text, sizeof text, "%s %s", diag ? diag->id : ib_diag_name(IB1205),
             diag ? diag->message : "the flight computer failed");
    answer(self, question, IB_WIRE_FAILED, text, strlen(text) + 1);
}

/* Tells somebody else that there is no room; the run's own last answer stays. */
static void answer_busy(ib_server *self, const ib_wire_head *question) {
    unsigned char bytes[IB_WIRE_HEAD];
    const ib_wire_head head = {
        .type = IB_WIRE_BUSY, .session = question->session, .sequence = question->sequence};
    const size_t n = ib_wire_encode(&self->crc, &head, NULL, bytes);
    self->carrier->functions->send(self->carrier, bytes, n);
    self->counts.frames.sent++;
}

/* ---- what arrives --------------------------------------------------------------------------- */

static void end_run(ib_server *self) {
    ib_computer_close(self->computer);
    self->computer = NULL;
}

/* Whether the run that is on has to be left alone. */
static bool occupied(const ib_server *self) {
    return self->computer && self->carrier->functions->alive(self->carrier) &&
           ib_wall_seconds() - self->heard < IDLE;
}

static void begin_mail(ib_server *self, const ib_fcc_attach *attach) {
    self->attach = attach ? *attach : (ib_fcc_attach){0};
    if (attach)
        ib_target_begin(&self->target, attach, self->computer);
    self->began = ib_wall_seconds();
}

/* A new run, by mail where it begins with `attach`. True when *event happened. */
static bool hello(ib_server *self, const ib_wire_head *head, const ib_fcc_attach *attach,
                  const char *config, ib_diags *diags, ib_server_event *event) {
    const size_t before = diags ? ib_diags_count(diags) : 0;
    if (head->session != self->session && occupied(self)) {
        self->counts.frames.unexpected++;
        answer_busy(self, head);
        return false;
    }
    const ib_computer_options options = {.config = config[0] ? config : self->config,
                                         .guard = self->options.guard};
    end_run(self);
    self->counts.frames.good++;
    self->session = head->session;
    if (ib_computer_open_native(self->library, &options, diags, &self->computer) == IB_OK) {
        self->counts.runs++;
        begin_mail(self, attach);
        answer(self, head, IB_WIRE_READY, NULL, 0);
        *event = IB_SERVER_BEGUN;
    } else {
        answer_failure(self, head, diags, before);
        *event = IB_SERVER_FAILED;
    }
    return true;
}

/* A tick. True when *event happened. */
static bool input(ib_server *self, const ib_wire_head *head, const void *payload, ib_diags *diags,
                  ib_server_event *event) {
    const size_t before = diags ? ib_diags_count(diags) : 0;
    char why[IB_FCC_TEXT], text[IB_FCC_TEXT + 8];
    memcpy(&self->in, payload, sizeof self->in);
    self->counts.frames.good++;
    if (ib_frame_in_faulty(&self->in, why)) {
        snprintf(text, sizeof text, "%s %s", ib_diag_name(IB1208), why);
        answer(self, head, IB_WIRE_FAILED, text, strlen(text) + 1);
        return false;
    }
    if (ib_computer_tick(self->computer, &self->in, &self->out, diags) == IB_OK) {
        self->counts.ticks++;
        answer(self, head, IB_WIRE_OUTPUT, &self->out, sizeof self->out);
        return false;
    }
    answer_failure(self, head, diags, before);
    *event = IB_SERVER_FAILED;
    return true;
}

/* ---- mail ----------------------------------------------------------------------------------- */

static bool has_own_clock(const ib_server *self) {
    return self->computer && self->attach.own_clock;
}

/* Mail of the run that is on: into the computer's frame, and in lockstep its tick, if it is due,
 * and its mail. True when *event happened. */
static bool take_mail(ib_server *self, const ib_wire_head *head, const void *payload,
                      ib_diags *diags, ib_server_event *event) {
    const size_t before = diags ? ib_diags_count(diags) : 0;
    const int64_t ticks = self->target.in.tick;
    char why[IB_FCC_TEXT], text[IB_FCC_TEXT + 8];
    memcpy(&self->mail, payload, head->length);
    self->mail.n_messages =
        (uint32_t)((head->length - IB_MAIL_HEAD) / sizeof self->mail.messages[0]);
    self->counts.frames.good++;
    self->sequence = head->sequence;
    self->heard = ib_wall_seconds();
    if (ib_mail_faulty(&self->mail, self->attach.n, false, why)) {
        snprintf(text, sizeof text, "%s %s", ib_diag_name(IB1208), why);
        answer(self, head, IB_WIRE_FAILED, text, strlen(text) + 1);
        return false;
    }
    ib_mail_open(&self->mail, &self->target.in);
    if (has_own_clock(self))
        return false;
    if (ib_target_run(&self->target, self->mail.time, &self->mail, diags) != IB_OK) {
        answer_failure(self, head, diags, before);
        *event = IB_SERVER_FAILED;
        return true;
    }
    self->counts.ticks += (uint64_t)(self->target.in.tick - ticks);
    answer(self, head, IB_WIRE_MAIL, &self->mail, ib_mail_size(&self->mail));
    return false;
}

static int64_t own_time(const ib_server *self) {
    return (int64_t)((ib_wall_seconds() - self->began) * 1e9);
}

/* What the computer's own clock asks for. True when *event happened. */
static bool keep_time(ib_server *self, ib_diags *diags, ib_server_event *event) {
    const size_t before = diags ? ib_diags_count(diags) : 0;
    const int64_t now = own_time(self);
    if (now < self->target.next)
        return false;
    const ib_wire_head head = {
        .session = self->session, .sequence = self->sequence, .tick = self->target.in.tick + 1};
    const double heard = self->heard;
    const bool good = ib_target_run(&self->target, now, &self->mail, diags) == IB_OK;
    if (good)
        answer(self, &head, IB_WIRE_MAIL, &self->mail, ib_mail_size(&self->mail));
    else
        answer_failure(self, &head, diags, before);
    self->answer_size = 0; /* to nothing that could be asked again */
    self->heard = heard;
    self->counts.ticks += good;
    if (!good) {
        end_run(self);
        *event = IB_SERVER_FAILED;
    }
    return !good;
}

/* Until the next frame or tick is to be looked for, ms. */
static int patience(const ib_server *self) {
    if (!has_own_clock(self))
        return SLICE;
    const int64_t left = (self->target.next - own_time(self)) / 1000000;
    return left < 0 ? 0 : left > SLICE ? SLICE : (int)left;
}

/* ---- frames --------------------------------------------------------------------------------- */

static bool begin(ib_server *self, const ib_wire_head *head, const unsigned char *payload,
                  ib_diags *diags, ib_server_event *event) {
    char why[IB_FCC_TEXT], text[IB_FCC_TEXT + 8];
    ib_fcc_attach attach;
    if (head->type == IB_WIRE_HELLO)
        return hello(self, head, NULL, (const char *)payload, diags, event);
    memcpy(&attach, payload, sizeof attach);
    if (ib_attach_faulty(&attach, why)) {
        self->counts.frames.good++;
        snprintf(text, sizeof text, "%s %s", ib_diag_name(IB1208), why);
        answer(self, head, IB_WIRE_FAILED, text, strlen(text) + 1);
        return false;
    }
    return hello(self, head, &attach, (const char *)payload + sizeof attach, diags, event);
}

/* A frame of the run that is on, in its turn. */
static bool serve_run(ib_server *self, const ib_wire_head *head, const void *payload,
                      ib_diags *diags, ib_server_event *event) {
    if (head->type == IB_WIRE_INPUT && self->computer && !self->attach.period)
        return input(self, head, payload, diags, event);
    if (head->type == IB_WIRE_MAIL && self->computer && self->attach.period)
        return take_mail(self, head, payload, diags, event);
    if (head->type == IB_WIRE_BYE) {
        self->counts.frames.good++;
        self->sequence = head->sequence;
        self->answer_size = 0;
        end_run(self);
        *event = IB_SERVER_ENDED;
        return true;
    }
    self->counts.frames.unexpected++;
    return false;
}

static bool serve_frame(ib_server *self, size_t n, ib_diags *diags, ib_server_event *event) {
    ib_channel_counts *counts = &self->counts.frames;
    const unsigned char *payload;
    ib_wire_head head;
    const ib_wire_fault fault = ib_wire_decode(&self->crc, self->question, n, &head, &payload);
    counts->received++;
    if (fault != IB_WIRE_GOOD) {
        ib_wire_count(fault, counts);
    } else if (head.session == self->session && self->answer_size &&
               head.sequence == self->sequence) {
        counts->duplicate++;
        self->carrier->functions->send(self->carrier, self->answer, self->answer_size);
        counts->resent++;
    } else if (head.session == self->session && head.sequence <= self->sequence) {
        counts->late++;
    } else if (head.type == IB_WIRE_HELLO || head.type == IB_WIRE_ATTACH) {
        return begin(self, &head, payload, diags, event);
    } else if (head.session != self->session) {
        counts->foreign++;
    } else if (head.sequence != self->sequence + 1 && !has_own_clock(self)) {
        counts->unexpected++;
    } else {
        return serve_run(self, &head, payload, diags, event);
    }
    return false;
}

/* ---- the interface -------------------------------------------------------------------------- */

static char *copy_of(const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

ib_status ib_server_open(const char *library, const char *address, const ib_server_options *options,
                         ib_diags *diags, ib_server **server) {
    *server = NULL;
    /* A library for one run is left to that run to complain about. */
    ib_status status = options->once ? IB_OK : ib_native_check(library, options->guard, diags);
    if (status != IB_OK)
        return status;
    ib_server *self = calloc(1, sizeof *self);
    if (!self)
        return ib_fcc_no_memory(diags);
    self->options = *options;
    self->library = copy_of(library);
    self->config = copy_of(options->config ? options->config : "");
    ib_crc_prepare(&self->crc);
    status = self->library && self->config ? ib_carrier_listen(address, diags, &self->carrier)
                                           : ib_fcc_no_memory(diags);
    if (status == IB_OK)
        *server = self;
    else
        ib_server_close(self);
    return status;
}

const char *ib_server_address(const ib_server *server) { return server->carrier->address; }

/* Whether the one run that was to be served is over, or its process is gone. */
static bool is_over(const ib_server *self) {
    return self->options.once && self->session &&
           (!self->computer || !self->carrier->functions->alive(self->carrier));
}

ib_status ib_server_run(ib_server *server, ib_diags *diags, ib_server_event *event) {
    for (;;) {
        if (is_over(server) ||
            (server->options.stopped && server->options.stopped(server->options.context))) {
            end_run(server);
            *event = IB_SERVER_STOPPED;
            return IB_OK;
        }
        if (has_own_clock(server) && keep_time(server, diags, event))
            return IB_OK;
        const int n = server->carrier->functions->receive(
            server->carrier, server->question, sizeof server->question, patience(server));
        if (n >= 0 && serve_frame(server, (size_t)n, diags, event))
            return IB_OK;
    }
}

ib_server_counts ib_server_count(const ib_server *server) { return server->counts; }

void ib_server_close(ib_server *server) {
    if (!server)
        return;
    end_run(server);
    ib_carrier_close(server->carrier);
    free(server->library);
    free(server->config);
    free(server);
}
