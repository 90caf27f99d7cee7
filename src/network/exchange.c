/* exchange: outputs become inputs at a communication point.
 *
 * All links are carried over, again and again, until nothing changes. Where no output depends at
 * once on an input of a circle, that ends after as many rounds as the longest chain has links, with
 * the bits that the chain itself has. What still changes then is an algebraic loop (loop.c), found
 * by what the components do, whatever they declare.
 */
#include "network/network.h"

#include <math.h> /* isfinite only */
#include <string.h>

static const char *name_of(const ib_component *component, ib_handle variable) {
    return component->variables[variable].name;
}

ib_status ib_link_read(ib_network *network, const ib_link *link, double *values, ib_diags *diags) {
    const ib_component *from = &network->components[link->from];
    const ib_plant *plant = &from->plant;
    char number[IB_NUMBER_SIZE];
    network->active = from;
    const ib_status status =
        plant->functions->get(plant->self, link->output, network->scratch, diags);
    const char *time = ib_number_text(ib_time_seconds(network->time), number);
    if (status != IB_OK) {
        ib_diags_note(diags, from->place, "while '%s.%s' was read at t = %s s", from->name,
                      name_of(from, link->output), time);
        return status;
    }
    for (size_t i = 0; i < link->size; i++) {
        values[i] = link->factor * network->scratch[link->output_at + i] + link->offset;
        if (isfinite(values[i]))
            continue;
        ib_diags_add(diags, IB_ERROR, IB0733, link->place,
                     "the output '%s.%s' is not finite at t = %s s", from->name,
                     name_of(from, link->output), time);
        return IB_SIMULATION_FAILED;
    }
    return IB_OK;
}

ib_status ib_link_write(ib_network *network, const ib_link *link, const double *values,
                        ib_diags *diags) {
    ib_component *to = &network->components[link->to];
    char number[IB_NUMBER_SIZE];
    memcpy(link->held, values, link->size * sizeof *values);
    network->active = to;
    const ib_status status =
        to->plant.functions->set(to->plant.self, link->input, to->inputs[link->input], diags);
    if (status != IB_OK)
        ib_diags_note(diags, link->place, "while '%s.%s' was set at t = %s s", to->name,
                      name_of(to, link->input),
                      ib_number_text(ib_time_seconds(network->time), number));
    return status;
}

/* Carries every link over once. */
static ib_status sweep(ib_network *network, bool *any, ib_diags *diags) {
    ib_status status = IB_OK;
    *any = false;
    for (size_t i = 0; i < network->n_links && status == IB_OK; i++) {
        ib_link *link = &network->links[i];
        double *values = network->loop; /* at least as long as a link */
        status = ib_link_read(network, link, values, diags);
        link->changed =
            status == IB_OK && memcmp(values, link->held, link->size * sizeof *values) != 0;
        if (!link->changed)
            continue;
        *any = true;
        status = ib_link_write(network, link, values, diags);
    }
    return status;
}

ib_status ib_network_exchange(ib_network *network, ib_diags *diags) {
    bool any = true;
    ib_status status = IB_OK;
    for (size_t i = 0; i <= network->n_links && any && status == IB_OK; i++)
        status = sweep(network, &any, diags);
    return any && status == IB_OK ? ib_loop_solve(network, diags) : status;
}
