/* bind_measure: measures - points, frames, the plane of an angle, the offset. */
#include "model/model_internal.h"

#include <math.h>
#include <string.h>

static ib_dimension dimension_of(ib_measure_type type) {
    switch (type) {
    case IB_MEASURE_DISPLACEMENT:
    case IB_MEASURE_DISTANCE:
        return IB_DIM_LENGTH;
    case IB_MEASURE_VELOCITY:
    case IB_MEASURE_DISTANCE_RATE:
        return IB_DIM_SPEED;
    case IB_MEASURE_ANGLE:
        return IB_DIM_ANGLE;
    case IB_MEASURE_ANGULAR_RATE:
    case IB_MEASURE_ANGULAR_VELOCITY:
        return IB_DIM_ANGULAR_VELOCITY;
    case IB_MEASURE_ACCELERATION:
    case IB_MEASURE_SPECIFIC_FORCE:
        return IB_DIM_ACCELERATION;
    case IB_MEASURE_ANGULAR_ACCELERATION:
        return IB_DIM_ANGULAR_ACCELERATION;
    case IB_MEASURE_DIRECTION:
        break;
    }
    return IB_DIM_ANY;
}

const char *ib_measure_type_name(ib_measure_type type) {
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == IB_SECTION_measure && ib_types[i].value == (int)type)
            return ib_types[i].name;
    }
    return "measure";
}

static bool is_angle(const ib_measure *m) {
    return m->type == IB_MEASURE_ANGLE || m->type == IB_MEASURE_ANGULAR_RATE;
}

static void bind_offset(ib_loader *l, ib_record *r, ib_measure *m) {
    ib_yaml *node = r->given[IB_KEY_measure_offset];
    const bool has_initial = m->type == IB_MEASURE_DISPLACEMENT || m->type == IB_MEASURE_DISTANCE ||
                             m->type == IB_MEASURE_ANGLE;
    if (!node)
        return;
    if (node->kind == IB_YAML_SCALAR && strcmp(node->text, "initial") == 0) {
        m->offset = IB_OFFSET_INITIAL;
        if (!has_initial)
            ib_report(l, IB0214, node,
                      "offset: only a displacement, distance or angle has 'initial'; a %s takes a "
                      "number",
                      r->type->name);
    } else if (ib_read_number(l, "offset", node, dimension_of(m->type), &m->offset_value)) {
        m->offset = IB_OFFSET_NUMBER;
    }
}

/* ---- the angle of a vector in a plane ---- */

static bool make_unit(ib_loader *l, ib_yaml *node, const char *key, bool normalize, double v[3]) {
    double unit[3];
    if (!ib_tracked_unit(l, v, unit)) {
        ib_report(l, IB0605, node, "%s: a vector of zero length has no direction", key);
        return false;
    }
    if (normalize)
        ib_tracked_copy(l, unit, v, 3);
    return true;
}

static void bind_plane(ib_loader *l, const ib_record *r, ib_measure *m) {
    ib_yaml *plane = r->given[IB_KEY_measure_plane];
    ib_yaml *vector = r->given[IB_KEY_measure_vector];
    double normal[3];
    m->has_plane = true;
    if (!ib_record_has(r, IB_KEY_measure_plane) || !ib_record_has(r, IB_KEY_measure_vector))
        return;
    bool good = make_unit(l, vector, "vector", m->normalize, m->vector);
    for (int i = 0; i < 2; i++)
        good = make_unit(l, plane, "plane", m->normalize, m->plane[i]) && good;
    ib_cross(m->plane[0], m->plane[1], normal);
    if (good && !(ib_norm(normal) > 1e-9 * ib_norm(m->plane[0]) * ib_norm(m->plane[1])))
        ib_report(l, IB0605, plane, "plane: two parallel vectors span no plane");
}

static void bind_angle(ib_loader *l, ib_record *r, ib_measure *m) {
    const bool has_vector = r->given[IB_KEY_measure_vector] != NULL;
    const bool has_plane = r->given[IB_KEY_measure_plane] != NULL;
    const char *reason = "the angle is about z of an orientation, or of a vector in a plane";
    ib_record_exclude(l, r, IB_KEY_measure_orientation, IB_KEY_measure_plane, reason);
    ib_record_exclude(l, r, IB_KEY_measure_orientation, IB_KEY_measure_vector, reason);
    if (r->given[IB_KEY_measure_normalize] && !has_plane && !has_vector)
        ib_report(l, IB0214, r->given[IB_KEY_measure_normalize],
                  "'normalize' has a meaning only with 'vector' and 'plane'");
    if (r->given[IB_KEY_measure_orientation])
        return;
    if (has_plane && has_vector)
        bind_plane(l, r, m);
    else if (has_plane || has_vector)
        ib_record_need(l, r, has_plane ? "vector' beside 'plane" : "plane' beside 'vector");
    else
        ib_record_need(l, r, "orientation");
}

/* ---- the rest ---- */

static void bind_defaults(ib_loader *l, const ib_record *r, ib_measure *m) {
    if (!r->given[IB_KEY_measure_point1])
        ib_body_point(l, m->body1, m->point1);
    if (!r->given[IB_KEY_measure_point2])
        ib_body_point(l, m->body2, m->point2);
    if (!r->given[IB_KEY_measure_frame] &&
        (m->type == IB_MEASURE_DIRECTION || m->type == IB_MEASURE_SPECIFIC_FORCE))
        m->frame = m->body1;
    m->axis[m->component] = 1;
    if (m->frame == IB_GROUND)
        ib_place_direction(l, m->axis);
}

static void bind_form(ib_loader *l, ib_record *r, ib_measure *m) {
    int form = 0;
    if (ib_record_take(l, r, IB_KEY_measure_form, &form))
        m->legacy_form = true;
}

static void bind_measure(ib_loader *l, const ib_yaml_entry *entry, ib_measure *m) {
    ib_record r;
    *m = (ib_measure){.element = ib_element_of(l, entry->key),
                      .body1 = IB_GROUND,
                      .body2 = IB_GROUND,
                      .frame = IB_GROUND,
                      .orientation = {1, 0, 0, 0},
                      .normalize = true};
    if (!ib_record_open(l, IB_SECTION_measure, entry->key, entry->value, &r))
        return;
    m->type = (ib_measure_type)r.type->value;
    ib_record_read(l, &r, m);
    if (ib_record_has(&r, IB_KEY_measure_body1) && !r.bad[IB_KEY_measure_body2] &&
        (ib_keys[IB_KEY_measure_body2].types & UINT32_C(1) << m->type))
        ib_check_two_bodies(l, &r, m->body1, m->body2, IB_KEY_measure_body2);
    bind_defaults(l, &r, m);
    bind_offset(l, &r, m);
    bind_form(l, &r, m);
    if (is_angle(m))
        bind_angle(l, &r, m);
    if (m->type == IB_MEASURE_DIRECTION && ib_record_has(&r, IB_KEY_measure_vector))
        make_unit(l, r.given[IB_KEY_measure_vector], "vector", false, m->vector);
}

void ib_bind_measures(ib_loader *l) {
    const size_t n = ib_section_size(l, IB_KEY_top_measures);
    for (size_t i = 0; i < n && ib_going_on(l); i++)
        bind_measure(l, ib_section_entry(l, IB_KEY_top_measures, i), &l->model->measures[i]);
}
