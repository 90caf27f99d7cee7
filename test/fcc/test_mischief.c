/* A channel on a bad day: peers and networks that lose, double, shorten, spoil, delay and forge
 * frames. None of it changes a bit of the flight; all of it is counted.
 */
#include "fcc/channel_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#define TICKS 20

/* ---- a socket of the test's own ------------------------------------------------------------- */

static int open_socket(char address[64]) {
    const int file = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in bound = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof bound;
    assert_true(file >= 0);
    assert_int_equal(bind(file, (const struct sockaddr *)&bound, sizeof bound), 0);
    assert_int_equal(getsockname(file, (struct sockaddr *)&bound, &length), 0);
    snprintf(address, 64, "udp://127.0.0.1:%u", (unsigned)ntohs(bound.sin_port));
    return file;
}

static struct sockaddr_in port_of(const char *address) {
    const char *colon = strrchr(address, ':');
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                .sin_port = htons((uint16_t)strtol(colon + 1, NULL, 10))};
}

/* A frame within 10 ms, or -1. */
static ssize_t take(int file, unsigned char *bytes, struct sockaddr_in *from) {
    struct pollfd wait = {.fd = file, .events = POLLIN};
    socklen_t length = sizeof *from;
    if (poll(&wait, 1, 10) <= 0)
        return -1;
    return recvfrom(file, bytes, IB_WIRE_MOST, 0, (struct sockaddr *)from, &length);
}

static void put(int file, const unsigned char *bytes, size_t n, const struct sockaddr_in *to) {
    (void)!sendto(file, bytes, n, 0, (const struct sockaddr *)to, sizeof *to);
}

/* ---- a network that loses and doubles ------------------------------------------------------- */

typedef struct lossy_network {
    int file;
    struct sockaddr_in server, caller;
    atomic_bool stop;
} lossy_network;

/* Of what passes in either direction it loses every third and doubles every fourth frame. */
static void *network_main(void *context) {
    lossy_network *self = context;
    unsigned char bytes[IB_WIRE_MOST];
    for (unsigned count = 1; !atomic_load(&self->stop);) {
        struct sockaddr_in from;
        const ssize_t n = take(self->file, bytes, &from);
        if (n < 0)
            continue;
        const bool up = from.sin_port != self->server.sin_port;
        if (up)
            self->caller = from;
        const struct sockaddr_in *to = up ? &self->server : &self->caller;
        if (count % 3 != 0)
            put(self->file, bytes, (size_t)n, to);
        if (count % 4 == 0)
            put(self->file, bytes, (size_t)n, to);
        count++;
    }
    return NULL;
}

static void test_network(void **unused) {
    (void)unused;
    static ib_fcc_out expected[TICKS], got[TICKS];
    char address[64];
    serving station;
    pthread_t thread;
    lossy_network network = {.file = open_socket(address)};
    fly_native("", TICKS, expected);
    network.server = port_of(station_open(&station, LIBRARY("good"), "udp://127.0.0.1:0"));
    assert_int_equal(pthread_create(&thread, NULL, network_main, &network), 0);
    ib_computer *computer = call(address, "", 30);
    fly(computer, 1, TICKS, got);
    assert_memory_equal(got, expected, sizeof got);
    const ib_channel_counts counts = ib_computer_counts(computer);
    ib_computer_close(computer);
    atomic_store(&network.stop, true);
    pthread_join(thread, NULL);
    station_stop(&station);
    const ib_server_counts served = ib_server_count(station.server);
    assert_int_equal(counts.good, TICKS + 1);
    assert_int_equal(served.ticks, TICKS); /* asked again, ticked once */
    assert_true(counts.resent > 0 && counts.duplicate > 0 && served.frames.duplicate > 0);
    assert_accounted(counts);
    assert_accounted(served.frames);
    station_close(&station);
    close(network.file);
}

/* ---- a peer that sends rubbish before each answer ------------------------------------------- */

typedef struct lying_peer {
    int file;
    ib_crc crc;
    unsigned char last[IB_WIRE_MOST]; /* its answer before */
    size_t last_size;
} lying_peer;

static void lie(lying_peer *self, const unsigned char *answer, size_t n, const ib_wire_head *head,
                const struct sockaddr_in *to) {
    unsigned char bytes[IB_WIRE_MOST + 1] = {0};
    const ib_fcc_out out = {.abi = IB_FCC_ABI};
    put(self->file, bytes, 0, to);      /* short: nothing at all */
    put(self->file, answer, n - 1, to); /* short: cut */
    memcpy(bytes, answer, n);
    put(self->file, bytes, n + 1, to); /* longer than it says */
    bytes[n - 300] ^= 0x10;
    put(self->file, bytes, n, to); /* corrupt */
    bytes[0] = 'X';
    put(self->file, bytes, n, to); /* foreign: no frame of ours */

    ib_wire_head other = *head;
    other.type = IB_WIRE_OUTPUT;
    other.length = sizeof out;
    other.session++;
    put(self->file, bytes, ib_wire_encode(&self->crc, &other, &out, bytes), to); /* foreign: run */
    other.session--;
    other.sequence += 5;
    put(self->file, bytes, ib_wire_encode(&self->crc, &other, &out, bytes), to); /* of no use */
    other.sequence -= 5;
    other.tick++;
    put(self->file, bytes, ib_wire_encode(&self->crc, &other, &out, bytes), to); /* of no use */
    put(self->file, self->last, self->last_size, to);                            /* duplicate */
    if (head->sequence > 2) {
        other.tick = head->tick;
        other.sequence = head->sequence - 2;
        put(self->file, bytes, ib_wire_encode(&self->crc, &other, &out, bytes), to); /* late */
    }
}

/* Answers n questions and a greeting: user[0] is twice the tick. */
static void *liar_main(void *context) {
    lying_peer *self = context;
    unsigned char bytes[IB_WIRE_MOST], answer[IB_WIRE_MOST];
    for (int good = 0; good < TICKS + 1;) {
        struct sockaddr_in from;
        ib_wire_head head;
        const unsigned char *payload;
        const ssize_t n = take(self->file, bytes, &from);
        if (n < 0 || ib_wire_decode(&self->crc, bytes, (size_t)n, &head, &payload) != IB_WIRE_GOOD)
            continue;
        ib_fcc_out out = {.abi = IB_FCC_ABI, .n_user = 1, .user = {2 * (double)head.tick}};
        const bool hello = head.type == IB_WIRE_HELLO;
        ib_wire_head reply = head;
        reply.type = hello ? IB_WIRE_READY : IB_WIRE_OUTPUT;
        reply.length = hello ? 0 : sizeof out;
        const size_t size = ib_wire_encode(&self->crc, &reply, &out, answer);
        if (!hello)
            lie(self, answer, size, &head, &from);
        put(self->file, answer, size, &from);
        memcpy(self->last, answer, size);
        self->last_size = size;
        good++;
    }
    return NULL;
}

static void test_liar(void **unused) {
    (void)unused;
    static ib_fcc_out outs[TICKS];
    static lying_peer liar;
    char address[64];
    pthread_t thread;
    liar.file = open_socket(address);
    ib_crc_prepare(&liar.crc);
    assert_int_equal(pthread_create(&thread, NULL, liar_main, &liar), 0);
    ib_computer *computer = call(address, "", 30);
    fly(computer, 1, TICKS, outs);
    for (int i = 0; i < TICKS; i++)
        assert_true(outs[i].user[0] == 2.0 * (i + 1));
    const ib_channel_counts counts = ib_computer_counts(computer);
    pthread_join(thread, NULL);
    ib_computer_close(computer);
    close(liar.file);
    assert_int_equal(counts.good, TICKS + 1);
    assert_accounted(counts);
    if (counts.resent == 0) { /* else the machine was so slow that a question was asked again */
        assert_int_equal(counts.small, 3 * TICKS);
        assert_int_equal(counts.corrupt, TICKS);
        assert_int_equal(counts.foreign, 2 * TICKS);
        assert_int_equal(counts.unexpected, 2 * TICKS);
        assert_int_equal(counts.duplicate, TICKS);
        assert_int_equal(counts.late, TICKS - 1); /* the greeting was sequence 1 */
    }
}

/* ---- callers that send rubbish to a server -------------------------------------------------- */

typedef struct raw_caller {
    int file;
    struct sockaddr_in server;
    ib_crc crc;
} raw_caller;

/* Sends a frame; returns the type of the answer, 0 for none in so many times 10 ms. */
static unsigned send_and_wait(const raw_caller *self, ib_wire_type type, uint64_t session,
                              uint32_t sequence, int64_t tick, const void *payload, size_t length,
                              int times) {
    unsigned char bytes[IB_WIRE_MOST];
    struct sockaddr_in from;
    ib_wire_head head = {.type = type,
                         .length = (uint32_t)length,
                         .session = session,
                         .sequence = sequence,
                         .tick = tick};
    const unsigned char *answer;
    put(self->file, bytes, ib_wire_encode(&self->crc, &head, payload, bytes), &self->server);
    for (int i = 0; i < times; i++) {
        const ssize_t n = take(self->file, bytes, &from);
        if (n >= 0 && ib_wire_decode(&self->crc, bytes, (size_t)n, &head, &answer) == IB_WIRE_GOOD)
            return head.type;
    }
    return 0;
}

#define ASK(...) send_and_wait(&caller, __VA_ARGS__, 1000)
#define TELL(...) send_and_wait(&caller, __VA_ARGS__, 20) /* no answer is expected */

static void test_server(void **unused) {
    (void)unused;
    serving station;
    char address[64];
    static raw_caller caller;
    caller.file = open_socket(address);
    caller.server = port_of(station_open(&station, LIBRARY("good"), "udp://127.0.0.1:0"));
    ib_crc_prepare(&caller.crc);
    ib_fcc_in in = make_in(1);

    assert_int_equal(TELL(IB_WIRE_INPUT, 7, 1, 1, &in, sizeof in), 0); /* foreign */
    assert_int_equal(ASK(IB_WIRE_HELLO, 7, 1, 0, "", 1), IB_WIRE_READY);
    assert_int_equal(ASK(IB_WIRE_HELLO, 7, 1, 0, "", 1), IB_WIRE_READY); /* duplicate */
    assert_int_equal(ASK(IB_WIRE_HELLO, 8, 1, 0, "", 1), IB_WIRE_BUSY);
    assert_int_equal(ASK(IB_WIRE_INPUT, 7, 2, 1, &in, sizeof in), IB_WIRE_OUTPUT);
    assert_int_equal(ASK(IB_WIRE_INPUT, 7, 2, 1, &in, sizeof in), IB_WIRE_OUTPUT);
    assert_int_equal(TELL(IB_WIRE_INPUT, 7, 1, 1, &in, sizeof in), 0); /* late */
    assert_int_equal(TELL(IB_WIRE_INPUT, 7, 9, 1, &in, sizeof in), 0); /* of no use */
    assert_int_equal(TELL(IB_WIRE_OUTPUT, 7, 3, 1, &(ib_fcc_out){0}, sizeof(ib_fcc_out)), 0);
    in.n_gps = 1000; /* would have the library read what is not there */
    assert_int_equal(ASK(IB_WIRE_INPUT, 7, 3, 2, &in, sizeof in), IB_WIRE_FAILED);
    put(caller.file, (const unsigned char *)"hello", 5, &caller.server);
    put(caller.file, (const unsigned char *)"IBFC", 4, &caller.server);
    assert_int_equal(TELL(IB_WIRE_BYE, 7, 4, 0, NULL, 0), 0);
    assert_int_equal(ASK(IB_WIRE_HELLO, 8, 1, 0, "", 1), IB_WIRE_READY);
    station_stop(&station);
    const ib_server_counts counts = ib_server_count(station.server);
    assert_accounted(counts.frames);
    assert_true(counts.runs == 2 && counts.ticks == 1);
    assert_true(counts.frames.good == 5 && counts.frames.duplicate == 2 && counts.frames.late == 1);
    assert_true(counts.frames.unexpected == 3 && counts.frames.small == 1);
    assert_int_equal(counts.frames.foreign, 2);
    station_close(&station);
    close(caller.file);
}

/* The same of a computer that keeps its own time. */
static void test_server_of_mail(void **unused) {
    (void)unused;
    serving station;
    char address[64];
    static raw_caller caller;
    static ib_fcc_mail mail;
    struct {
        ib_fcc_attach attach;
        char config[8];
    } first = {.attach = {.abi = IB_FCC_ABI, .period = 20000000, .n = {[IB_FCC_KIND_IMU] = 1}}};
    caller.file = open_socket(address);
    caller.server = port_of(station_open(&station, LIBRARY("good"), "udp://127.0.0.1:0"));
    ib_crc_prepare(&caller.crc);
    const size_t size = IB_MAIL_HEAD + sizeof mail.messages[0], head = sizeof first.attach + 1;
    mail = (ib_fcc_mail){.abi = IB_FCC_ABI, .n_messages = 1};

    first.attach.period = 0;
    assert_int_equal(ASK(IB_WIRE_ATTACH, 7, 1, 0, &first, head), IB_WIRE_FAILED);
    first.attach.period = 20000000;
    first.attach.n[IB_FCC_KIND_GPS] = 9;
    assert_int_equal(ASK(IB_WIRE_ATTACH, 8, 1, 0, &first, head), IB_WIRE_FAILED);
    first.attach.n[IB_FCC_KIND_GPS] = 0;
    assert_int_equal(ASK(IB_WIRE_ATTACH, 9, 1, 0, &first, head), IB_WIRE_READY);
    ib_fcc_in in = make_in(1);
    assert_int_equal(TELL(IB_WIRE_INPUT, 9, 2, 1, &in, sizeof in), 0);
    assert_int_equal(ASK(IB_WIRE_MAIL, 9, 2, 0, &mail, size), IB_WIRE_MAIL); /* and a tick */
    mail.time = 19999999;
    assert_int_equal(ASK(IB_WIRE_MAIL, 9, 3, 0, &mail, size), IB_WIRE_MAIL); /* and none */
    assert_int_equal(ASK(IB_WIRE_MAIL, 9, 3, 0, &mail, size), IB_WIRE_MAIL); /* once more */
    mail.messages[0].device = 1;
    assert_int_equal(ASK(IB_WIRE_MAIL, 9, 4, 0, &mail, size), IB_WIRE_FAILED);
    mail.messages[0] = (ib_fcc_message){.kind = IB_FCC_KIND_MOTORS};
    assert_int_equal(ASK(IB_WIRE_MAIL, 9, 5, 0, &mail, size), IB_WIRE_FAILED);
    mail.n_user = IB_FCC_USER + 1;
    assert_int_equal(ASK(IB_WIRE_MAIL, 9, 6, 0, &mail, IB_MAIL_HEAD), IB_WIRE_FAILED);
    mail.n_user = 1;
    mail.user[0] = (double)INFINITY;
    assert_int_equal(ASK(IB_WIRE_MAIL, 9, 7, 0, &mail, IB_MAIL_HEAD), IB_WIRE_FAILED);
    mail.n_user = 0;
    mail.time = 20000000;
    assert_int_equal(ASK(IB_WIRE_MAIL, 9, 8, 0, &mail, IB_MAIL_HEAD), IB_WIRE_MAIL);
    station_stop(&station);
    const ib_server_counts counts = ib_server_count(station.server);
    assert_accounted(counts.frames);
    assert_int_equal(counts.ticks, 2);
    station_close(&station);
    close(caller.file);
}

/* What a computer's own mail may not be. */
static void test_faulty_mail(void **unused) {
    (void)unused;
    static const uint32_t n[IB_FCC_KIND_COUNT] = {[IB_FCC_KIND_SERVO] = 2};
    static ib_fcc_mail mail;
    char text[IB_FCC_TEXT];
    const double infinite = (double)INFINITY;
    mail = (ib_fcc_mail){.abi = IB_FCC_ABI, .n_messages = 1};
    mail.messages[0] = (ib_fcc_message){.kind = IB_FCC_KIND_SERVO, .device = 1};
    assert_false(ib_mail_faulty(&mail, n, true, text));
    mail.messages[0].device = 2;
    assert_true(ib_mail_faulty(&mail, n, true, text));
    assert_non_null(strstr(text, "device 2 of type scu; the vehicle has 2"));
    mail.messages[0] = (ib_fcc_message){.kind = IB_FCC_KIND_IMU};
    assert_true(ib_mail_faulty(&mail, n, true, text));
    assert_non_null(strstr(text, "message of kind 0"));
    mail.messages[0] = (ib_fcc_message){.kind = IB_FCC_KIND_SERVO};
    memcpy(mail.messages[0].body, &infinite, sizeof infinite);
    assert_true(ib_mail_faulty(&mail, n, true, text));
    assert_non_null(strstr(text, "not finite to device 0"));
    mail.abi = 7;
    assert_true(ib_mail_faulty(&mail, n, true, text));
    assert_non_null(strstr(text, "abi 7"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network),     cmocka_unit_test(test_liar),
        cmocka_unit_test(test_server),      cmocka_unit_test(test_server_of_mail),
        cmocka_unit_test(test_faulty_mail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
