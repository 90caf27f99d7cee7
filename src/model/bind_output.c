/* bind_output: drivers and outputs. */
#include "model/model_internal.h"

#include <string.h>

/* ---- drivers ---- */

static bool is_drivable(ib_measure_type type) {
    return type == IB_MEASURE_DISPLACEMENT || type == IB_MEASURE_DISTANCE ||
           type == IB_MEASURE_ANGLE;
}

/* A measure can be driven when it is a position, and once. */
static void check_driven(ib_loader *l, ib_yaml *node, size_t driver, int measure) {
    const ib_measure *m = &l->model->measures[measure];
    if (!is_drivable(m->type)) {
        if (ib_report(l, IB0315, node, "measure: '%s' is of type %s, which cannot be driven",
                      m->element.name, ib_measure_type_name(m->type)))
            ib_diags_suggest(l->diags, "a driver takes a displacement, distance or angle");
        return;
    }
    const size_t other = l->driver_of[measure];
    if (other == SIZE_MAX) {
        l->driver_of[measure] = driver;
        return;
    }
    if (ib_report(l, IB0317, node, "measure: '%s' is driven by '%s' already", m->element.name,
                  l->model->drivers[other].element.name))
        ib_diags_note(l->diags, l->model->drivers[other].element.place, "the other driver");
}

/* A motion is what its measure is. */
static ib_dimension motion_dimension(const ib_loader *l, const ib_driver *driver) {
    if (driver->measure < 0)
        return IB_DIM_ANY;
    return l->model->measures[driver->measure].type == IB_MEASURE_ANGLE ? IB_DIM_ANGLE
                                                                        : IB_DIM_LENGTH;
}

static void bind_driver(ib_loader *l, const ib_yaml_entry *entry, size_t index) {
    ib_driver *driver = &l->model->drivers[index];
    ib_record r;
    *driver = (ib_driver){
        .element = ib_element_of(l, entry->key), .measure = -1, .motion = {.node = IB_NO_NODE}};
    if (!ib_record_open(l, IB_SECTION_driver, entry->key, entry->value, &r))
        return;
    ib_record_read(l, &r, driver);
    if (ib_record_has(&r, IB_KEY_driver_measure)) {
        driver->measure_place = ib_node_place(l, r.given[IB_KEY_driver_measure]);
        check_driven(l, r.given[IB_KEY_driver_measure], index, driver->measure);
    }
    if (ib_record_has(&r, IB_KEY_driver_ramp) && driver->ramp < 0)
        ib_report(l, IB0607, r.given[IB_KEY_driver_ramp], "ramp: a time cannot be negative");
    if (r.given[IB_KEY_driver_motion])
        ib_expression_read(l, "motion", r.given[IB_KEY_driver_motion], motion_dimension(l, driver),
                           IB_USE_MOTION, NULL, -1, &driver->motion, NULL);
}

void ib_bind_drivers(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_drivers && ib_going_on(l); i++)
        bind_driver(l, ib_section_entry(l, IB_KEY_top_drivers, i), i);
}

/* ---- outputs ---- */

static void bind_output(ib_loader *l, const ib_yaml_entry *entry, ib_output *output) {
    ib_record r = {0};
    ib_yaml *value = entry->value;
    bool uses_measure = false;
    *output = (ib_output){.element = ib_element_of(l, entry->key), .value = {.node = IB_NO_NODE}};
    if (value->kind == IB_YAML_MAP) {
        if (!ib_record_open(l, IB_SECTION_output, entry->key, value, &r))
            return;
        ib_record_read(l, &r, output);
        value = r.given[IB_KEY_output_value];
    }
    if (value &&
        ib_expression_read(l, output->element.name, value, IB_DIM_ANY, IB_USE_OUTPUT, NULL, -1,
                           &output->value, &uses_measure) &&
        !uses_measure)
        ib_report(l, IB0316, value, "the output '%s' uses no measure", output->element.name);
}

void ib_bind_outputs(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_outputs && ib_going_on(l); i++)
        bind_output(l, ib_section_entry(l, IB_KEY_top_outputs, i), &l->model->outputs[i]);
}
