/* Networks: FMUs and models that are coupled to each other, advanced from one communication point
 * to the next. A network is used by one thread at a time.
 */
#ifndef IRONBIRD_NETWORK_H
#define IRONBIRD_NETWORK_H

#include "ironbird/base.h"
#include "ironbird/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ib_network ib_network;

/* What replaces the file's own words; may be NULL or all zero. */
typedef struct ib_network_options {
    /* [n_overrides] COMPONENT.PARAMETER, or a path such as "coupling.step". */
    const ib_override *overrides;
    size_t n_overrides;
} ib_network_options;

/* Reads the network file and everything that it names, checks all of it and brings it to t = 0:
 * IB_BAD_INPUT with diagnostics for what is wrong. *network is NULL unless IB_OK is returned. */
ib_status ib_network_create(const char *path, const ib_network_options *options, ib_diags *diags,
                            ib_network **network);
void ib_network_destroy(ib_network *network);

const char *ib_network_name(const ib_network *network);
ib_time ib_network_time(const ib_network *network);
ib_time ib_network_period(const ib_network *network); /* between communication points */
/* When the run ends, and how often it asks for a row of results. */
ib_time ib_network_end(const ib_network *network);
ib_time ib_network_output_step(const ib_network *network);
size_t ib_network_component_count(const ib_network *network);
const char *ib_network_component_name(const ib_network *network, size_t component);
/* The component that takes the i-th step; that of jacobi is the order of the file. */
size_t ib_network_order(const ib_network *network, size_t i);

/* To the next communication point, or to `end` where that comes first. A failure names component
 * and step; IB_SIMULATION_FAILED when a component, or a loop of outputs and inputs, gave up. */
ib_status ib_network_step(ib_network *network, ib_time end, ib_diags *diags);
/* For programs that contain crashes themselves: reports that a component crashed while the network
 * ran in this process, by a signal, or (0) called exit(). FMUs are left alone from then on, their
 * libraries stay loaded; the network can only be destroyed. */
void ib_network_crashed(ib_network *network, int signal_number, ib_diags *diags);
/* `solver` is the method; steps are those of the network, iterations those of loops. */
ib_statistics ib_network_statistics(const ib_network *network);

/* Channels: "engine.tau", "arm.q[2]": all inputs, outputs and locals. */
size_t ib_network_channel_count(const ib_network *network);
ib_channel_info ib_network_channel_info(const ib_network *network, ib_handle channel);
ib_handle ib_network_channel(const ib_network *network, const char *name); /* -1: none */
/* Whether the file's `record:` asks for it. */
bool ib_network_recorded(const ib_network *network, ib_handle channel);
/* Values now. */
ib_status ib_network_read(ib_network *network, const ib_handle *channels, size_t n, double *values,
                          ib_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
