/* Inputs of a model that go on by themselves while it is advanced, as polynomials of time. */
#include "plant/system_internal.h"

#include <stdlib.h>
#include <string.h>

static uint32_t leaf_of(const ib_system *s, ib_handle input) {
    return ib_leaf_input(s->model, (size_t)input);
}

/* Room for every input, and which of them move drivers: velocities and accelerations follow a
 * driver's motion with inputs held. */
static ib_status prepare(ib_system *s, ib_diags *diags) {
    const ib_model *m = s->model;
    const size_t n = ib_leaf_count(m);
    if (!s->courses)
        s->courses = calloc(m->n_inputs + 1, sizeof *s->courses);
    s->driving = calloc(n + 1, sizeof *s->driving);
    bool good = s->courses && s->driving;
    for (size_t i = 0; i < m->n_drivers && good; i++)
        good = ib_graph_depends(m->graph, m->drivers[i].motion.node, s->driving, n);
    if (!good) {
        free(s->driving);
        s->driving = NULL;
    }
    return good ? IB_OK : ib_diags_no_memory(diags);
}

void ib_system_end_course(ib_system *s, ib_handle input) {
    const uint32_t leaf = leaf_of(s, input);
    size_t kept = 0;
    for (size_t i = 0; i < s->n_courses; i++)
        if (s->courses[i].leaf != leaf)
            s->courses[kept++] = s->courses[i];
    if (kept < s->n_courses)
        ib_dynamics_set_courses(s->moving, s->courses, kept);
    s->n_courses = kept;
}

ib_status ib_system_set_course(ib_system *s, ib_handle input, const double coefficients[3],
                               ib_diags *diags) {
    if (input < 0 || (size_t)input >= s->model->n_inputs)
        return IB_BAD_INPUT;
    const ib_input *given = &s->model->inputs[input];
    const ib_status status = s->driving ? IB_OK : prepare(s, diags);
    if (status != IB_OK)
        return status;
    if (s->driving[leaf_of(s, input)])
        return IB_UNSUPPORTED;
    ib_system_end_course(s, input);
    ib_mech_course *course = &s->courses[s->n_courses++];
    *course = (ib_mech_course){.leaf = leaf_of(s, input),
                               .from = ib_time_seconds(ib_system_time(s)),
                               .min = given->min,
                               .max = given->max};
    memcpy(course->coefficients, coefficients, sizeof course->coefficients);
    ib_dynamics_set_courses(s->moving, s->courses, s->n_courses);
    return IB_OK;
}
