/* bind_body: points, frames and bodies. */
#include "model/model_internal.h"

#include <string.h>

static void bind_point(ib_loader *l, size_t i) {
    const ib_yaml_entry *entry = ib_section_entry(l, IB_KEY_top_points, i);
    l->point_bad[i] =
        !ib_read_numbers(l, entry->key->text, entry->value, IB_DIM_LENGTH, 3, l->point_values[i]);
    ib_place_point(l, l->point_values[i]);
}

static void bind_frame(ib_loader *l, size_t i) {
    const ib_yaml_entry *entry = ib_section_entry(l, IB_KEY_top_frames, i);
    l->frame_bad[i] = !ib_read_frame(l, entry->key->text, entry->value, l->frame_values[i]);
}

/* One document after the other, since an included one may lie at a point of its includer's. */
void ib_bind_places(ib_loader *l) {
    for (size_t d = 0; d < l->n_documents && ib_going_on(l); d++) {
        const ib_document *document = l->documents[d];
        const ib_yaml *points = document->sections[IB_KEY_top_points];
        const ib_yaml *frames = document->sections[IB_KEY_top_frames];
        ib_document_place(l, l->documents[d]);
        for (size_t i = 0; points && i < points->n && ib_going_on(l); i++)
            bind_point(l, document->first[IB_KEY_top_points] + i);
        for (size_t i = 0; frames && i < frames->n && ib_going_on(l); i++)
            bind_frame(l, document->first[IB_KEY_top_frames] + i);
    }
}

ib_element ib_element_of(const ib_loader *l, const ib_yaml *key) {
    return (ib_element){.name = key->text, .place = ib_node_place(l, key)};
}

void ib_body_point(ib_loader *l, int body, double point[3]) {
    static const double zeros[3] = {0, 0, 0};
    double origin[3];
    ib_tracked_constant(l, zeros, origin, 3);
    ib_place_point(l, origin);
    ib_tracked_copy(l, body >= 0 ? l->model->bodies[body].position : origin, point, 3);
}

void ib_check_two_bodies(ib_loader *l, ib_record *r, int body1, int body2, ib_key key2) {
    if (body1 != body2)
        return;
    const char *name = body1 >= 0 ? l->bodies.list[body1] : "ground";
    if (r->given[key2])
        ib_report(l, IB0318, r->given[key2], "body2: '%s' is body1 already", name);
    else
        ib_report_place(l, IB0318, r->place, "body1 and body2 of '%s' are both '%s'", r->name,
                        name);
}

/* ---- propellant ---- */

static void need_positive(ib_loader *l, const ib_record *r, ib_key key, bool needed, double value) {
    if (!r->given[key] && needed)
        ib_record_need(l, r, ib_keys[key].name);
    else if (r->given[key] && !needed)
        ib_report(l, IB0214, r->given[key], "a tank of this shape has no '%s'", ib_keys[key].name);
    else if (ib_record_has(r, key) && !(value > 0))
        ib_report(l, IB0607, r->given[key], "%s: %.6g is not greater than 0", ib_keys[key].name,
                  value);
}

static void bind_tank(ib_loader *l, ib_yaml *map, ib_propellant *propellant) {
    ib_record r;
    if (!ib_record_open(l, IB_SECTION_tank, NULL, map, &r))
        return;
    ib_record_read(l, &r, propellant);
    if (!ib_record_has(&r, IB_KEY_tank_shape))
        return;
    const bool cylinder = propellant->shape == IB_TANK_CYLINDER;
    need_positive(l, &r, IB_KEY_tank_radius, propellant->shape != IB_TANK_POINT,
                  propellant->radius);
    need_positive(l, &r, IB_KEY_tank_length, cylinder, propellant->length);
    need_positive(l, &r, IB_KEY_tank_axis, cylinder, 1);
}

static void bind_propellant(ib_loader *l, const ib_record *body, ib_body *to) {
    ib_propellant *propellant = &to->propellant;
    ib_yaml *map = body->given[IB_KEY_body_propellant];
    ib_record r;
    *propellant = (ib_propellant){.tank = -1, .axis = {0, 0, 1}};
    if (!map)
        return;
    propellant->tank = (int)l->n_tanks_bound++;
    propellant->place = ib_node_place(l, map);
    ib_tracked_copy(l, to->position, propellant->position, 3);
    if (!ib_record_open(l, IB_SECTION_propellant, NULL, map, &r))
        return;
    ib_record_read(l, &r, propellant);
    if (ib_record_has(&r, IB_KEY_propellant_mass) && !(propellant->mass > 0))
        ib_report(l, IB0607, r.given[IB_KEY_propellant_mass], "mass: %.6g is not greater than 0",
                  propellant->mass);
    if (r.given[IB_KEY_propellant_tank])
        bind_tank(l, r.given[IB_KEY_propellant_tank], propellant);
}

static void bind_body(ib_loader *l, const ib_yaml_entry *entry, size_t index) {
    ib_body *body = &l->model->bodies[index];
    ib_record r;
    body->element = ib_element_of(l, entry->key);
    body->orientation[0] = 1;
    ib_place_orientation(l, body->orientation);
    ib_place_point(l, body->position);
    body->propellant.tank = -1;
    l->body_bad[index] = true;
    if (!ib_record_open(l, IB_SECTION_body, entry->key, entry->value, &r))
        return;
    ib_record_read(l, &r, body);
    l->body_bad[index] = r.bad[IB_KEY_body_position];
    ib_check_body(l, &r, body);
    bind_propellant(l, &r, body);
}

void ib_bind_bodies(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_bodies && ib_going_on(l); i++)
        bind_body(l, ib_section_entry(l, IB_KEY_top_bodies, i), i);
}
