/* Addresses of channels, and which carrier serves them. */
#include "fcc/internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct scheme {
    const char *prefix;
    ib_status (*check)(const char *rest, ib_place place, ib_diags *diags);
    ib_status (*listen)(const char *rest, ib_diags *diags, ib_carrier **carrier);
    ib_status (*connect)(const char *rest, ib_place place, ib_diags *diags, ib_carrier **carrier);
} scheme;

static const scheme schemes[] = {{"udp://", ib_udp_check, ib_udp_listen, ib_udp_connect},
                                 {"shm://", ib_shm_check, ib_shm_listen, ib_shm_connect}};

/* The scheme, and in *rest what follows it; NULL with a diagnostic. */
static const scheme *scheme_of(const char *address, const char **rest, ib_place place,
                               ib_diags *diags) {
    for (size_t i = 0; i < IB_COUNT(schemes); i++) {
        const size_t length = strlen(schemes[i].prefix);
        *rest = address + length;
        if (strncmp(address, schemes[i].prefix, length) == 0)
            return &schemes[i];
    }
    ib_diags_add(diags, IB_ERROR, IB1210, place, "'%s' is no address of a channel", address);
    ib_diags_suggest(diags, "udp://127.0.0.1:9100 and shm://guidance are");
    return NULL;
}

ib_status ib_carrier_check(const char *address, ib_place place, ib_diags *diags) {
    const char *rest;
    const scheme *found = scheme_of(address, &rest, place, diags);
    return found ? found->check(rest, place, diags) : IB_BAD_INPUT;
}

ib_status ib_carrier_listen(const char *address, ib_diags *diags, ib_carrier **carrier) {
    const char *rest;
    *carrier = NULL;
    const scheme *found = scheme_of(address, &rest, IB_NO_PLACE, diags);
    ib_status status = found ? found->check(rest, IB_NO_PLACE, diags) : IB_BAD_INPUT;
    return status == IB_OK ? found->listen(rest, diags, carrier) : status;
}

ib_status ib_carrier_connect(const char *address, ib_place place, ib_diags *diags,
                             ib_carrier **carrier) {
    const char *rest;
    *carrier = NULL;
    const scheme *found = scheme_of(address, &rest, place, diags);
    return found ? found->connect(rest, place, diags, carrier) : IB_BAD_INPUT;
}

void ib_carrier_close(ib_carrier *carrier) {
    if (carrier)
        carrier->functions->close(carrier);
}

double ib_wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
