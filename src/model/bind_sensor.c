/* bind_sensor: observers - of a point, an orientation, a joint, a force.
 *
 * What a joint's sensor tells of its motion are measures of its own: the angle about the joint's
 * axis and the displacement along it, body1 relative to body2, and their rates.
 */
#include "model/model_internal.h"

#include <string.h>

/* ---- what it observes ---- */

/* The index of an element of one section by its name, or -1 once it was said that there is none. */
static int find_element(ib_loader *l, ib_yaml *node, ib_key section, ib_diag_id id) {
    const char *one = ib_keys[section].name;
    const char *name = NULL;
    if (!ib_read_text(l, one, node, &name))
        return -1;
    const char *full = ib_full_name(l, name);
    const ib_entries *all = &l->entries[section];
    const char **names = IB_ARENA_ARRAY(l->arena, all->n, const char *);
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->entries[i].key->text, full) == 0)
            return (int)i;
        if (names)
            names[i] = all->entries[i].key->text;
    }
    const int length = (int)strlen(one) - 1; /* the section's name is the plural */
    if (ib_report(l, id, node, "%.*s: there is no %.*s '%s'", length, one, length, one, name) &&
        names)
        ib_suggest_name(l, full, names, all->n);
    return -1;
}

/* ---- orientation ---- */

static void bind_orientation(ib_loader *l, ib_record *r, ib_sensor *sensor) {
    if (!ib_record_has(r, IB_KEY_sensor_sequence))
        return;
    if (!ib_is_sequence(sensor->sequence)) {
        if (ib_report(l, IB0215, r->given[IB_KEY_sensor_sequence],
                      "sequence: '%s' is not a sequence of turns", sensor->sequence))
            ib_diags_suggest(l->diags,
                             "three of x, y, z, no letter twice in a row, such as zyx or zxz");
        sensor->sequence = NULL;
    }
}

/* ---- joint ---- */

/* A measure of the sensor's own. */
static int add_measure(ib_loader *l, const ib_sensor *sensor, const ib_joint *joint,
                       ib_measure_type type) {
    ib_model *m = l->model;
    ib_measure *measure = &m->measures[m->n_measures];
    *measure = (ib_measure){.type = type,
                            .body1 = joint->body1,
                            .body2 = joint->body2,
                            .frame = joint->body2,
                            .normalize = true};
    measure->element.place = sensor->element.place;
    memcpy(measure->point1, joint->point1, sizeof(measure->point1));
    memcpy(measure->point2, joint->point2, sizeof(measure->point2));
    memcpy(measure->orientation, joint->orientation2, sizeof(measure->orientation));
    memcpy(measure->axis, joint->axis2, sizeof(measure->axis));
    if (joint->body2 != IB_GROUND)
        ib_quat_rotate_back(m->bodies[joint->body2].orientation, joint->axis2, measure->axis);
    return (int)m->n_measures++;
}

static void bind_joint(ib_loader *l, ib_record *r, ib_sensor *sensor) {
    if (!r->given[IB_KEY_sensor_joint])
        return;
    sensor->joint = find_element(l, r->given[IB_KEY_sensor_joint], IB_KEY_top_joints, IB0323);
    if (sensor->joint < 0)
        return;
    const ib_joint *joint = &l->model->joints[sensor->joint];
    const bool turns = joint->type == IB_JOINT_REVOLUTE || joint->type == IB_JOINT_CYLINDRICAL ||
                       joint->type == IB_JOINT_SCREW || joint->type == IB_JOINT_PLANAR;
    const bool slides = joint->type == IB_JOINT_PRISMATIC || joint->type == IB_JOINT_CYLINDRICAL ||
                        joint->type == IB_JOINT_SCREW;
    if (turns) {
        sensor->angle = add_measure(l, sensor, joint, IB_MEASURE_ANGLE);
        sensor->angular_rate = add_measure(l, sensor, joint, IB_MEASURE_ANGULAR_RATE);
    }
    if (slides) {
        sensor->displacement = add_measure(l, sensor, joint, IB_MEASURE_DISPLACEMENT);
        sensor->rate = add_measure(l, sensor, joint, IB_MEASURE_VELOCITY);
    }
}

/* ---- force ---- */

static void bind_force(ib_loader *l, ib_record *r, ib_sensor *sensor) {
    ib_yaml *node = r->given[IB_KEY_sensor_force];
    if (!node)
        return;
    sensor->force = find_element(l, node, IB_KEY_top_forces, IB0324);
    if (sensor->force < 0)
        return;
    const ib_force_type type = l->model->forces[sensor->force].type;
    if (type == IB_FORCE_GRAVITY || type == IB_FORCE_MOTOR)
        ib_report(l, IB0324, node, "force: '%s' acts on no body by itself, so it has no direction",
                  l->model->forces[sensor->force].element.name);
}

/* ---- all ---- */

static void bind_sensor(ib_loader *l, const ib_yaml_entry *entry, ib_sensor *sensor) {
    ib_record r;
    *sensor = (ib_sensor){.element = ib_element_of(l, entry->key),
                          .body = IB_GROUND,
                          .relative_to = IB_GROUND,
                          .frame = IB_GROUND,
                          .joint = -1,
                          .force = -1,
                          .angle = -1,
                          .angular_rate = -1,
                          .displacement = -1,
                          .rate = -1};
    if (!ib_record_open(l, IB_SECTION_sensor, entry->key, entry->value, &r))
        return;
    sensor->type = (ib_sensor_type)r.type->value;
    ib_record_read(l, &r, sensor);
    if (ib_record_has(&r, IB_KEY_sensor_body) && sensor->body == IB_GROUND)
        ib_report(l, IB0312, r.given[IB_KEY_sensor_body],
                  "body: a sensor sits on a body, not on the ground");
    if (sensor->type == IB_SENSOR_POINT && !r.given[IB_KEY_sensor_point])
        ib_body_point(l, sensor->body, sensor->point);
    else if (sensor->type == IB_SENSOR_ORIENTATION)
        bind_orientation(l, &r, sensor);
    else if (sensor->type == IB_SENSOR_JOINT)
        bind_joint(l, &r, sensor);
    else if (sensor->type == IB_SENSOR_FORCE)
        bind_force(l, &r, sensor);
}

void ib_bind_sensors(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_sensors && ib_going_on(l); i++)
        bind_sensor(l, ib_section_entry(l, IB_KEY_top_sensors, i), &l->model->sensors[i]);
}
