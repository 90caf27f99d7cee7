/* bond: the energy that the coupling makes or takes, for pairs of connections that carry power.
 *
 * The first component's output y1 sets the input u2 of the second, whose output y2 sets u1. The
 * power between them is y1 u1 as the first sees it and u2 y2 as the second does. Both agree at the
 * beginning of a step; in it inputs go their own way, and by its end
 *     dP = y1 u1 - u2 y2
 * is wrong, which by the trapezoidal rule is an energy of H dP / 2. After S. Sadjina, L. T.
 * Kyllingstad, S. Skjong, E. Pedersen, Energy Conservation and Power Bonds in Co-Simulations,
 * Engineering with Computers 33 (2017). What components do wrong inside is not seen.
 */
#include "network/network.h"

#include <string.h>

static bool complain(const ib_network *network, const ib_override *bond, const char *what,
                     ib_diags *diags) {
    ib_diags_add(diags, IB_ERROR, IB0369, network->spec->bonds_place, "bond '%s': %s", bond->name,
                 what);
    return false;
}

/* The link from one end to a component, and which of its elements; NULL: there is none. */
static const ib_link *find_link(const ib_network *network, const ib_end *from, size_t to,
                                size_t *element) {
    for (size_t i = 0; i < network->n_links; i++) {
        const ib_link *link = &network->links[i];
        *element = from->at - link->output_at;
        if (link->from == from->component && link->output == from->variable && link->to == to &&
            from->at >= link->output_at && *element < link->size)
            return link;
    }
    return NULL;
}

static bool read_bond(const ib_network *network, const ib_override *given, ib_bond *bond,
                      ib_diags *diags) {
    const ib_place place = network->spec->bonds_place;
    const char *star = strchr(given->value, '*');
    ib_end a, b;
    for (size_t i = 0; i < network->n_components; i++)
        if (strcmp(network->components[i].name, given->name) == 0)
            return complain(network, given, "a component has this name already", diags);
    if (!star)
        return complain(network, given, "write component.output * component.output", diags);
    if (!ib_network_end_of(network, given->value, (size_t)(star - given->value), place, diags,
                           &a) ||
        !ib_network_end_of(network, star + 1, strlen(star + 1), place, diags, &b))
        return false;
    if (a.size != 1 || b.size != 1)
        return complain(network, given, "of an array one element, such as arm.q[2]", diags);
    *bond = (ib_bond){.name = given->name};
    bond->there = find_link(network, &a, b.component, &bond->there_at);
    bond->back = find_link(network, &b, a.component, &bond->back_at);
    if (!bond->there || !bond->back)
        return complain(network, given,
                        "each output has to be connected to an input of the other's component",
                        diags);
    if (bond->there->offset != 0 || bond->back->offset != 0)
        return complain(network, given, "units with an offset make no power", diags);
    return true;
}

ib_status ib_bonds_create(ib_network *network, ib_diags *diags) {
    const ib_network_spec *spec = network->spec;
    bool good = true;
    network->bonds = IB_ARENA_ARRAY(network->arena, spec->n_bonds + 1, ib_bond);
    network->energies = IB_ARENA_ARRAY(network->arena, spec->n_bonds + 1, double);
    if (!network->bonds || !network->energies)
        return ib_diags_no_memory(diags);
    for (size_t i = 0; i < spec->n_bonds; i++)
        good &= read_bond(network, &spec->bonds[i], &network->bonds[i], diags);
    network->n_bonds = spec->n_bonds;
    return good ? IB_OK : IB_BAD_INPUT;
}

ib_status ib_bonds_count(ib_network *network, ib_time to, ib_diags *diags) {
    const double half = ib_time_seconds(to - network->time) / 2;
    double *values = network->loop; /* at least as long as a link */
    ib_status status = IB_OK;
    for (size_t i = 0; i < network->n_bonds && status == IB_OK; i++) {
        const ib_bond *b = &network->bonds[i];
        const double u1 = ib_course_value(network, b->back, b->back_at, to);
        const double u2 = ib_course_value(network, b->there, b->there_at, to);
        status = ib_link_read(network, b->there, values, diags);
        const double y1 = values[b->there_at];
        if (status == IB_OK)
            status = ib_link_read(network, b->back, values, diags);
        const double y2 = values[b->back_at];
        /* y1 is in the units of u2, y2 in those of u1: the power is in the first one's. */
        network->energies[i] += half * ((y1 * u1 - u2 * y2) / b->there->factor);
    }
    return status;
}
