/* Frames as UDP datagrams over IPv4. A datagram is a frame; it may be lost, doubled or late, which
 * the protocol above bears. A caller's socket is connected, so the system lets through only what
 * its peer sends.
 */
#include "fcc/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct udp {
    ib_carrier carrier;
    int socket;
    bool connected;          /* a caller's */
    struct sockaddr_in last; /* who sent the last frame to a listener */
} udp;

/* ---- addresses ------------------------------------------------------------------------------ */

static ib_status bad_address(const char *rest, const char *why, ib_place place, ib_diags *diags) {
    ib_diags_add(diags, IB_ERROR, IB1210, place, "udp://%s is no address: %s", rest, why);
    ib_diags_suggest(diags, "addresses look like udp://127.0.0.1:9100");
    return IB_BAD_INPUT;
}

/* Splits HOST:PORT; NULL, or what is wrong. */
static const char *split(const char *rest, char host[256], long *port) {
    const char *colon = strrchr(rest, ':');
    if (!colon)
        return "the port is missing";
    const size_t length = (size_t)(colon - rest);
    if (length == 0 || length > 255)
        return "the host is missing";
    memcpy(host, rest, length);
    host[length] = '\0';
    const size_t digits = strspn(colon + 1, "0123456789");
    *port =
        digits > 0 && digits < 6 && colon[1 + digits] == '\0' ? strtol(colon + 1, NULL, 10) : -1;
    return *port < 0 || *port > 65535 ? "ports are 0 to 65535" : NULL;
}

ib_status ib_udp_check(const char *rest, ib_place place, ib_diags *diags) {
    char host[256];
    long port;
    const char *why = split(rest, host, &port);
    return why ? bad_address(rest, why, place, diags) : IB_OK;
}

static ib_status resolve(const char *rest, ib_place place, ib_diags *diags,
                         struct sockaddr_in *address) {
    const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char host[256];
    long port;
    const char *why = split(rest, host, &port);
    if (why)
        return bad_address(rest, why, place, diags);
    if (getaddrinfo(host, NULL, &wanted, &found) != 0 || !found)
        return bad_address(rest, "there is no such host", place, diags);
    memcpy(address, found->ai_addr, sizeof *address);
    freeaddrinfo(found);
    address->sin_port = htons((uint16_t)port);
    return IB_OK;
}

/* ---- the carrier ---------------------------------------------------------------------------- */

static void udp_send(ib_carrier *carrier, const void *bytes, size_t n) {
    const udp *self = (const udp *)carrier;
    if (self->connected)
        (void)!send(self->socket, bytes, n, MSG_NOSIGNAL);
    else if (self->last.sin_family == AF_INET)
        (void)!sendto(self->socket, bytes, n, MSG_NOSIGNAL, (const struct sockaddr *)&self->last,
                      sizeof self->last);
}

static int udp_receive(ib_carrier *carrier, void *bytes, size_t size, int milliseconds) {
    udp *self = (udp *)carrier;
    struct pollfd wait = {.fd = self->socket, .events = POLLIN};
    if (poll(&wait, 1, milliseconds) <= 0)
        return -1;
    socklen_t length = sizeof self->last;
    const ssize_t n =
        recvfrom(self->socket, bytes, size, 0, (struct sockaddr *)&self->last, &length);
    if (n >= 0)
        return (int)n;
    /* Nobody listens there (yet): told at once by the own machine. Waiting goes on, but not busily.
     */
    if (errno == ECONNREFUSED)
        (void)poll(NULL, 0, milliseconds < 10 ? milliseconds : 10);
    return -1;
}

static bool udp_alive(const ib_carrier *carrier) {
    (void)carrier;
    return true;
}

static void udp_close(ib_carrier *carrier) {
    udp *self = (udp *)carrier;
    if (self->socket >= 0)
        close(self->socket);
    free(self->carrier.address);
    free(self);
}

static const ib_carrier_functions functions = {
    .send = udp_send, .receive = udp_receive, .alive = udp_alive, .close = udp_close};

/* A socket of our own; NULL after a diagnostic. */
static udp *create(ib_diags *diags) {
    udp *self = calloc(1, sizeof *self);
    if (!self) {
        ib_fcc_no_memory(diags);
        return NULL;
    }
    self->carrier.functions = &functions;
    self->carrier.lossy = true;
    self->socket = socket(AF_INET, SOCK_DGRAM, 0);
    if (self->socket >= 0)
        return self;
    ib_diags_add(diags, IB_ERROR, IB1210, IB_NO_PLACE, "the system gives no UDP socket");
    udp_close(&self->carrier);
    return NULL;
}

/* The address with the port that the system chose. */
static bool name_address(udp *self) {
    struct sockaddr_in bound;
    socklen_t length = sizeof bound;
    char host[INET_ADDRSTRLEN];
    ib_str text = {0};
    if (getsockname(self->socket, (struct sockaddr *)&bound, &length) != 0 ||
        !inet_ntop(AF_INET, &bound.sin_addr, host, sizeof host))
        return false;
    ib_str_printf(&text, "udp://%s:%u", host, (unsigned)ntohs(bound.sin_port));
    self->carrier.address = text.data;
    return !text.failed;
}

ib_status ib_udp_listen(const char *rest, ib_diags *diags, ib_carrier **carrier) {
    struct sockaddr_in address;
    ib_status status = resolve(rest, IB_NO_PLACE, diags, &address);
    if (status != IB_OK)
        return status;
    udp *self = create(diags);
    if (!self)
        return IB_IO_ERROR;
    if (bind(self->socket, (const struct sockaddr *)&address, sizeof address) == 0 &&
        name_address(self)) {
        *carrier = &self->carrier;
        return IB_OK;
    }
    ib_diags_add(diags, IB_ERROR, IB1210, IB_NO_PLACE, "cannot listen at udp://%s: %s", rest,
                 errno == EADDRINUSE      ? "somebody else does"
                 : errno == EADDRNOTAVAIL ? "that is no address of this machine"
                 : errno == EACCES        ? "that port is reserved"
                                          : "the system refuses");
    udp_close(&self->carrier);
    return IB_IO_ERROR;
}

ib_status ib_udp_connect(const char *rest, ib_place place, ib_diags *diags, ib_carrier **carrier) {
    struct sockaddr_in address;
    ib_status status = resolve(rest, place, diags, &address);
    if (status != IB_OK)
        return status;
    udp *self = create(diags);
    if (!self)
        return IB_IO_ERROR;
    self->connected = true;
    if (connect(self->socket, (const struct sockaddr *)&address, sizeof address) == 0) {
        *carrier = &self->carrier;
        return IB_OK;
    }
    ib_diags_add(diags, IB_ERROR, IB1210, place, "there is no way to udp://%s", rest);
    udp_close(&self->carrier);
    return IB_IO_ERROR;
}
