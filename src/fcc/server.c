/* The other end of a channel: a native flight computer that answers the frames of a run.
 *
 *     idle -hello-> flying -input-> flying ... -bye-> idle
 * Every question is answered once and its answer kept: the same question again gets the same answer
 * without another tick. While a run is on, others are told that it is; one that has been silent for
 * a while, or whose process is gone, makes room.
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

/* A new run. True when *event happened. */
static bool hello(ib_server *self, const ib_wire_head *head, const char *config, ib_diags *diags,
                  ib_server_event *event) {
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

/* A frame of the run that is on, in its turn. */
static bool serve_run(ib_server *self, const ib_wire_head *head, const void *payload,
                      ib_diags *diags, ib_server_event *event) {
    if (head->type == IB_WIRE_INPUT && self->computer)
        return input(self, head, payload, diags, event);
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
    } else if (head.type == IB_WIRE_HELLO) {
        return hello(self, &head, (const char *)payload, diags, event);
    } else if (head.session != self->session) {
        counts->foreign++;
    } else if (head.sequence != self->sequence + 1) {
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
        const int n = server->carrier->functions->receive(server->carrier, server->question,
                                                          sizeof server->question, SLICE);
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
