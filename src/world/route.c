/* Stage C of the world's tick: messages between vehicles, serially, in two passes.
 *
 * First every vehicle's outgoing messages that are due go to the world's bus, in the vehicles'
 * order; then from there to the vehicles that they are for. A vehicle that is not there does not
 * hear.
 */
#include "world/world_internal.h"

enum { PASSING = 1024 }; /* messages between vehicles in one tick */

void ib_world_route(ib_world *world) {
    ib_message passing[PASSING];
    size_t n = 0;
    if (world->n_vehicles < 2)
        return;
    for (size_t i = 0; i < world->n_vehicles; i++)
        while (world->vehicles[i].state.flies && n < PASSING &&
               ib_bus_depart(world->vehicles[i].bus, world->tick.end, &passing[n]))
            n++;
    for (size_t i = 0; i < n; i++)
        if (passing[i].vehicle < world->n_vehicles &&
            world->vehicles[passing[i].vehicle].state.flies)
            ib_bus_arrive(world->vehicles[passing[i].vehicle].bus, &passing[i]);
}
