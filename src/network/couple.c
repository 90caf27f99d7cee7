/* couple: a network from one communication point to the next.
 *
 * Jacobi: every component goes from t to t + H with the inputs that it has at t. Gauss-Seidel: one
 * after the other, each with inputs from t + H where its source has been there already. Both are of
 * order 1 in H, and of 1 + that of the extrapolation (course.c); what the components do within a
 * step is their own. Time is an integer count of nanoseconds, so that communication points are
 * exact multiples of H. With a tolerance H is the longest step, which control.c divides.
 */
#include "network/network.h"

#include <string.h>

ib_time ib_network_time(const ib_network *network) { return network->time; }

static ib_status explain(const ib_network *network, const ib_component *component, ib_time end,
                         ib_status status, ib_diags *diags) {
    char from[IB_NUMBER_SIZE], to[IB_NUMBER_SIZE];
    ib_number_text(ib_time_seconds(network->time), from);
    ib_number_text(ib_time_seconds(end), to);
    if (status == IB_OK) {
        ib_diags_add(diags, IB_ERROR, IB0734, component->place,
                     "component '%s' ended the simulation in the step from t = %s s to %s s",
                     component->name, from, to);
        return IB_SIMULATION_FAILED;
    }
    ib_diags_note(diags, component->place, "in component '%s', in the step from t = %s s to %s s",
                  component->name, from, to);
    return status;
}

/* To exactly `end`; components may stop at events on the way. */
static ib_status advance(ib_network *network, const ib_component *component, ib_time end,
                         ib_diags *diags) {
    const ib_plant *plant = &component->plant;
    network->active = component;
    for (ib_time reached = network->time, before = reached; reached < end; before = reached) {
        const ib_status status = plant->functions->advance(plant->self, end, &reached, diags);
        if (status != IB_OK || reached <= before)
            return explain(network, component, end, status, diags);
    }
    return IB_OK;
}

/* What the components that have taken their step say to one that is about to. */
static ib_status update(ib_network *network, size_t component, const bool *done, ib_diags *diags) {
    ib_status status = IB_OK;
    for (size_t i = 0; i < network->n_links && status == IB_OK; i++) {
        const ib_link *link = &network->links[i];
        if (link->to != component || !done[link->from])
            continue;
        status = ib_link_read(network, link, network->loop, diags);
        if (status == IB_OK)
            status = ib_link_write(network, link, network->loop, diags);
    }
    return status;
}

/* One component, with the inputs that its step wants. */
static ib_status advance_one(ib_network *network, size_t which, ib_time to, ib_diags *diags) {
    const bool sequential = network->spec->method == IB_COUPLING_GAUSS_SEIDEL;
    const bool course = network->spec->extrapolation > 0;
    ib_status status = IB_OK;
    if (course)
        status = ib_course_begin(network, which, to, sequential ? network->done : NULL, diags);
    else if (sequential)
        status = update(network, which, network->done, diags);
    if (status == IB_OK)
        status = advance(network, &network->components[which], to, diags);
    return status == IB_OK && course ? ib_course_end(network, which, diags) : status;
}

static ib_status advance_all(ib_network *network, ib_time to, ib_diags *diags) {
    ib_status status = IB_OK;
    for (size_t i = 0; i < network->n_components; i++)
        network->done[i] = false;
    for (size_t i = 0; i < network->n_components && status == IB_OK; i++) {
        status = advance_one(network, network->order[i], to, diags);
        network->done[network->order[i]] = true;
    }
    if (status != IB_OK)
        return status;
    status = ib_bonds_count(network, to, diags);
    if (status != IB_OK)
        return status;
    ib_past_push(network);
    network->time = to;
    return ib_network_exchange(network, diags);
}

/* The first step has no past to go on from, and an error of H^2, which would be that of the whole
 * run: it is taken once for the values at its end, and again with those. */
static ib_status advance_first(ib_network *network, ib_time to, ib_diags *diags) {
    const ib_time begin = network->time;
    ib_past *past = &network->past;
    ib_status status = ib_control_keep(network, diags);
    if (status == IB_OK)
        status = advance_all(network, to, diags);
    for (size_t i = 0, at = 0; i < network->n_links; at += network->links[i++].size)
        memcpy(past->ahead + at, network->links[i].held,
               network->links[i].size * sizeof *past->ahead);
    if (status == IB_OK)
        status = ib_control_back(network, begin, diags);
    past->again = true;
    if (status == IB_OK)
        status = advance_all(network, to, diags);
    past->again = false;
    return status;
}

ib_status ib_network_advance(ib_network *network, ib_time to, ib_diags *diags) {
    const bool first = network->spec->extrapolation == 2 && !network->past.n;
    return first && ib_control_can(network) ? advance_first(network, to, diags)
                                            : advance_all(network, to, diags);
}

ib_status ib_network_step(ib_network *network, ib_time end, ib_diags *diags) {
    const ib_time left = end - network->time;
    const ib_time to = network->time + (left < network->spec->step ? left : network->spec->step);
    if (left <= 0)
        return IB_BAD_INPUT;
    if (network->control.scale > 0)
        return ib_network_controlled(network, to, diags);
    const ib_status status = ib_network_advance(network, to, diags);
    network->steps += status == IB_OK;
    return status;
}

ib_statistics ib_network_statistics(const ib_network *network) {
    const ib_control *control = &network->control;
    const double step = ib_time_seconds(control->scale > 0 ? control->last : network->spec->step);
    const double smallest = control->scale > 0 ? ib_time_seconds(control->smallest) : step;
    return (ib_statistics){
        .solver = network->spec->method == IB_COUPLING_GAUSS_SEIDEL ? "gauss_seidel" : "jacobi",
        .steps = network->steps,
        .iterations = network->iterations,
        .last_step = step,
        .rejections = control->rejections,
        .smallest_step = smallest};
}
