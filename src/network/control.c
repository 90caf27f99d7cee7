/* control: steps of a network chosen by their error, with rollback.
 *
 * A step h is taken twice: as one, then, from the state before it, as two halves. Both schemes are
 * of order 1, so the difference of the inputs at the end is an estimate of the error that the
 * halves leave, and more than that with extrapolated inputs (Richardson; E. Hairer, S. P. Norsett,
 * G. Wanner, Solving Ordinary Differential Equations I, II.4). Where it is within the tolerance the
 * halves are kept; else the network goes back and tries a shorter step. Steps end at the
 * communication points of `step:`, so that rows need no interpolation. What components do wrong
 * within a step is not seen.
 */
#include "network/network.h"

#include <math.h> /* fabs, sqrt only */
#include <stdlib.h>
#include <string.h>

#define SHORTEST 1000 /* ns */
#define SAFETY 0.9
#define SHRINK 0.2
#define GROW 3.0

/* ---- going back ---------------------------------------------------------------------------- */

static bool reserve(ib_control *control, size_t i, size_t size) {
    if (size > control->room[i]) {
        void *larger = realloc(control->states[i], size);
        if (!larger)
            return false;
        control->states[i] = larger;
        control->room[i] = size;
    }
    control->sizes[i] = size;
    return true;
}

static void copy_inputs(const ib_network *network, double *to) {
    for (size_t i = 0, at = 0; i < network->n_links; at += network->links[i++].size)
        memcpy(to + at, network->links[i].held, network->links[i].size * sizeof *to);
}

/* What connected values were, to or from where it is kept. */
static void copy_past(ib_network *network, bool keep) {
    ib_control *control = &network->control;
    ib_past *past = &network->past;
    if (!past->values)
        return;
    const size_t size = IB_MOST_PAST * network->n_elements * sizeof *past->values;
    memcpy(keep ? control->past : past->values, keep ? past->values : control->past, size);
    memcpy(keep ? control->past_times : past->times, keep ? past->times : control->past_times,
           sizeof past->times);
    if (keep)
        control->n_past = past->n;
    else
        past->n = control->n_past;
}

ib_status ib_control_keep(ib_network *network, ib_diags *diags) {
    ib_control *control = &network->control;
    copy_inputs(network, control->inputs);
    copy_past(network, true);
    memcpy(control->energies, network->energies, network->n_bonds * sizeof(double));
    for (size_t i = 0; i < network->n_components; i++) {
        const ib_plant *plant = &network->components[i].plant;
        network->active = &network->components[i];
        if (!reserve(control, i, plant->functions->state_size(plant->self)))
            return ib_diags_no_memory(diags);
        plant->functions->save(plant->self, control->states[i]);
    }
    return IB_OK;
}

ib_status ib_control_back(ib_network *network, ib_time time, ib_diags *diags) {
    const ib_control *control = &network->control;
    for (size_t i = 0; i < network->n_components; i++) {
        const ib_component *c = &network->components[i];
        network->active = c;
        const ib_status status =
            c->plant.functions->restore(c->plant.self, control->states[i], control->sizes[i]);
        if (status == IB_OK)
            continue;
        ib_diags_add(diags, IB_ERROR, IB0736, c->place,
                     "component '%s' did not go back to the beginning of its step", c->name);
        return status;
    }
    for (size_t i = 0, at = 0; i < network->n_links; at += network->links[i++].size)
        memcpy(network->links[i].held, control->inputs + at,
               network->links[i].size * sizeof *control->inputs);
    copy_past(network, false);
    memcpy(network->energies, control->energies, network->n_bonds * sizeof(double));
    network->time = time;
    return IB_OK;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* The largest difference of an input after the halves from that after the whole, over what the
 * tolerance allows. */
static double error_of(const ib_network *network) {
    const double *whole = network->control.whole;
    double largest = 0;
    for (size_t i = 0; i < network->n_links; i++)
        for (size_t k = 0; k < network->links[i].size; k++) {
            const double value = network->links[i].held[k];
            const double error =
                fabs(value - *whole++) / (network->control.scale * (1 + fabs(value)));
            largest = error > largest ? error : largest;
        }
    return largest;
}

/* From the state that is kept: the whole step, back, the halves. */
static ib_status try_step(ib_network *network, ib_time step, double *error, ib_diags *diags) {
    const ib_time begin = network->time;
    ib_status status = ib_control_keep(network, diags);
    if (status == IB_OK)
        status = ib_network_advance(network, begin + step, diags);
    if (status == IB_OK) {
        copy_inputs(network, network->control.whole);
        status = ib_control_back(network, begin, diags);
    }
    if (status == IB_OK)
        status = ib_network_advance(network, begin + step / 2, diags);
    if (status == IB_OK)
        status = ib_network_advance(network, begin + step, diags);
    if (status == IB_OK)
        *error = error_of(network);
    return status;
}

/* The next step's length after an error of this one: the error grows with its square, or one power
 * more for each order of extrapolation. */
static ib_time next_step(const ib_network *network, ib_time step, double error) {
    const int order = network->spec->extrapolation + 1;
    const double root = order == 1 ? sqrt(error) : ib_pow(error, 1.0 / (order + 1));
    double factor = root > 0 ? SAFETY / root : GROW;
    factor = factor < SHRINK ? SHRINK : factor > GROW ? GROW : factor;
    return (ib_time)(factor * (double)step);
}

static ib_status refuse(const ib_network *network, ib_diags *diags) {
    char number[IB_NUMBER_SIZE];
    ib_diags_add(diags, IB_ERROR, IB0737, network->spec->tolerance_place,
                 "the tolerance cannot be met at t = %s s: steps of %d ns are not short enough",
                 ib_number_text(ib_time_seconds(network->time), number), SHORTEST);
    return IB_SIMULATION_FAILED;
}

ib_status ib_network_controlled(ib_network *network, ib_time to, ib_diags *diags) {
    ib_control *control = &network->control;
    while (network->time < to) {
        const ib_time begin = network->time, left = to - begin;
        const ib_time step = control->step < left ? control->step : left;
        double error = 0;
        ib_status status = try_step(network, step, &error, diags);
        if (status != IB_OK)
            return status;
        const ib_time next = next_step(network, step, error);
        if (error > 1) {
            status = ib_control_back(network, begin, diags);
            if (status != IB_OK)
                return status;
            if (next < SHORTEST)
                return refuse(network, diags);
            control->rejections++;
            control->step = next;
            continue;
        }
        network->steps++;
        control->last = step;
        control->smallest = step < control->smallest ? step : control->smallest;
        /* A step that was cut off at its end says nothing against a longer one. */
        control->step = next > control->step || step == control->step ? next : control->step;
        control->step = control->step < SHORTEST ? SHORTEST : control->step;
        if (control->step > network->spec->step)
            control->step = network->spec->step;
    }
    return IB_OK;
}

/* A component that cannot go back; NULL: all can. */
static const ib_component *find_stuck(const ib_network *network) {
    for (size_t i = 0; i < network->n_components; i++) {
        const ib_component *c = &network->components[i];
        if (!c->plant.functions->state_size || !c->plant.functions->state_size(c->plant.self))
            return c;
    }
    return NULL;
}

bool ib_control_can(const ib_network *network) { return network->control.states != NULL; }

ib_status ib_control_create(ib_network *network, ib_diags *diags) {
    ib_control *control = &network->control;
    const ib_network_spec *spec = network->spec;
    if (!(spec->tolerance > 0) && spec->extrapolation < 2)
        return IB_OK;
    const ib_component *c = find_stuck(network);
    if (c && !(spec->tolerance > 0))
        return IB_OK;
    if (c) {
        ib_diags_add(diags, IB_ERROR, IB0736, c->place,
                     "component '%s' cannot go back to an earlier state, which steps with a "
                     "tolerance need",
                     c->name);
        ib_diags_note(diags, spec->tolerance_place, "the tolerance is asked for here");
        return IB_BAD_INPUT;
    }
    control->states = IB_ARENA_ARRAY(network->arena, network->n_components, void *);
    control->sizes = IB_ARENA_ARRAY(network->arena, network->n_components, size_t);
    control->room = IB_ARENA_ARRAY(network->arena, network->n_components, size_t);
    control->inputs = IB_ARENA_ARRAY(network->arena, network->n_elements + 1, double);
    control->energies = IB_ARENA_ARRAY(network->arena, network->n_bonds + 1, double);
    control->past = IB_ARENA_ARRAY(network->arena, IB_MOST_PAST * network->n_elements + 1, double);
    control->whole = IB_ARENA_ARRAY(network->arena, network->n_elements + 1, double);
    if (!control->states || !control->sizes || !control->room || !control->inputs ||
        !control->energies || !control->past || !control->whole)
        return ib_diags_no_memory(diags);
    control->step = control->smallest = control->last = spec->step;
    control->scale = spec->tolerance;
    return IB_OK;
}

void ib_control_destroy(ib_network *network) {
    for (size_t i = 0; network->control.states && i < network->n_components; i++)
        free(network->control.states[i]);
}
