/* course: connected inputs that go on within a step, as polynomials of time.
 *
 * Through the values at t and at the last one or two communication points goes a polynomial, by
 * Newton's divided differences (E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential
 * Equations I, III.1), which leaves an error of H to the order + 1; where the value at the end of
 * the step is known already it takes the place of the oldest. A component that can only hold its
 * inputs gets the polynomial's mean over the step, of which the integral is right but nothing
 * finer.
 */
#include "network/network.h"

#include <string.h>

ib_status ib_past_create(ib_network *network, ib_diags *diags) {
    const size_t n = network->n_elements;
    ib_past *past = &network->past;
    if (!network->spec->extrapolation)
        return IB_OK;
    past->values = IB_ARENA_ARRAY(network->arena, IB_MOST_PAST * n + 1, double);
    past->ahead = IB_ARENA_ARRAY(network->arena, n + 1, double);
    if (!past->values || !past->ahead)
        return ib_diags_no_memory(diags);
    for (size_t i = 0; i < network->n_components; i++) {
        ib_component *c = &network->components[i];
        c->courses = IB_ARENA_ARRAY(network->arena, c->n + 1, double *);
        if (!c->courses)
            return ib_diags_no_memory(diags);
    }
    for (size_t i = 0; i < network->n_links; i++) {
        const ib_link *link = &network->links[i];
        ib_component *to = &network->components[link->to];
        double **course = &to->courses[link->input];
        if (!*course)
            *course = IB_ARENA_ARRAY(network->arena, 3 * to->variables[link->input].size, double);
        if (!*course)
            return ib_diags_no_memory(diags);
    }
    return IB_OK;
}

void ib_past_push(ib_network *network) {
    const size_t n = network->n_elements;
    ib_past *past = &network->past;
    if (!past->values)
        return;
    memmove(past->values + n, past->values, n * sizeof *past->values);
    for (size_t i = 0, at = 0; i < network->n_links; at += network->links[i++].size)
        memcpy(past->values + at, network->links[i].held,
               network->links[i].size * sizeof *past->values);
    past->times[1] = past->times[0];
    past->times[0] = network->time;
    past->n += past->n < IB_MOST_PAST;
}

/* A point of a polynomial: seconds from the present, and the value there. */
typedef struct point {
    double s, value;
} point;

/* c0 + c1 s + c2 s^2 through value at s = 0 and n <= 2 other points. */
static void pass_through(double value, const point *points, size_t n, double c[3]) {
    c[0] = value;
    c[1] = c[2] = 0;
    if (!n)
        return;
    const double first = (points[0].value - value) / points[0].s;
    c[1] = first;
    if (n < 2)
        return;
    const double second = (points[1].value - value) / points[1].s;
    c[2] = (second - first) / (points[1].s - points[0].s);
    c[1] = first - c[2] * points[0].s;
}

/* Finds the polynomials of a link's elements, the first of which is `at` among all. `ahead`: values
 * at `to`, or NULL. */
static void draw(const ib_network *network, const ib_link *link, size_t at, ib_time to,
                 const double *ahead) {
    const ib_past *past = &network->past;
    const ib_component *c = &network->components[link->to];
    const size_t size = c->variables[link->input].size;
    const size_t order = (size_t)network->spec->extrapolation;
    for (size_t i = 0; i < link->size; i++) {
        point points[IB_MOST_PAST];
        double coefficients[3];
        size_t n = 0;
        if (ahead)
            points[n++] = (point){ib_time_seconds(to - network->time), ahead[i]};
        for (size_t k = 0; k < past->n && n < order; k++)
            points[n++] = (point){-ib_time_seconds(network->time - past->times[k]),
                                  past->values[k * network->n_elements + at + i]};
        pass_through(link->held[i], points, n, coefficients);
        for (size_t k = 0; k < 3; k++)
            c->courses[link->input][k * size + link->input_at + i] = coefficients[k];
    }
}

/* The mean of each polynomial over the step, for a component that holds its inputs. */
static ib_status hold_mean(ib_network *network, const ib_component *c, size_t input, ib_time to,
                           ib_diags *diags) {
    const double span = ib_time_seconds(to - network->time);
    const double *course = c->courses[input];
    const size_t size = c->variables[input].size;
    for (size_t i = 0; i < size; i++)
        network->scratch[i] =
            course[i] + span * (course[size + i] / 2 + span * (course[2 * size + i] / 3));
    return c->plant.functions->set(c->plant.self, (ib_handle)input, network->scratch, diags);
}

static ib_status start(ib_network *network, const ib_component *c, size_t input, ib_time to,
                       ib_diags *diags) {
    const ib_plant_functions *f = c->plant.functions;
    network->active = c;
    ib_status status = f->course
                           ? f->course(c->plant.self, (ib_handle)input, c->courses[input], diags)
                           : IB_UNSUPPORTED;
    if (status == IB_UNSUPPORTED)
        status = hold_mean(network, c, input, to, diags);
    if (status != IB_OK)
        ib_diags_note(diags, c->place, "while the input '%s.%s' was extrapolated", c->name,
                      c->variables[input].name);
    return status;
}

ib_status ib_course_begin(ib_network *network, size_t component, ib_time to, const bool *done,
                          ib_diags *diags) {
    const ib_component *c = &network->components[component];
    ib_status status = IB_OK;
    /* Elements that nothing is connected to stay. */
    for (size_t i = 0; i < c->n; i++)
        if (c->courses[i]) {
            memset(c->courses[i], 0, 3 * c->variables[i].size * sizeof(double));
            memcpy(c->courses[i], c->inputs[i], c->variables[i].size * sizeof(double));
        }
    for (size_t i = 0, at = 0; i < network->n_links && status == IB_OK;
         at += network->links[i++].size) {
        const ib_link *link = &network->links[i];
        const bool there = done && done[link->from];
        if (link->to != component)
            continue;
        if (there)
            status = ib_link_read(network, link, network->loop, diags);
        if (status == IB_OK)
            draw(network, link, at, to,
                 there                 ? network->loop
                 : network->past.again ? network->past.ahead + at
                                       : NULL);
    }
    for (size_t i = 0; i < c->n && status == IB_OK; i++)
        if (c->courses[i])
            status = start(network, c, i, to, diags);
    return status;
}

ib_status ib_course_end(ib_network *network, size_t component, ib_diags *diags) {
    const ib_component *c = &network->components[component];
    ib_status status = IB_OK;
    network->active = c;
    for (size_t i = 0; i < c->n && status == IB_OK; i++)
        if (c->courses[i])
            status = c->plant.functions->set(c->plant.self, (ib_handle)i, c->inputs[i], diags);
    return status;
}

double ib_course_value(const ib_network *network, const ib_link *link, size_t element, ib_time to) {
    const ib_component *c = &network->components[link->to];
    if (!c->courses)
        return link->held[element];
    const double s = ib_time_seconds(to - network->time);
    const size_t size = c->variables[link->input].size;
    const double *course = c->courses[link->input] + link->input_at + element;
    return course[0] + s * (course[size] + s * course[2 * size]);
}
