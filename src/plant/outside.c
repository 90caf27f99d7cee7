/* A system as a part of a larger world, which gives it a place, gravity, air, and pushes. */
#include "plant/system_internal.h"

#include <string.h>

ib_status ib_system_set_field(ib_system *s, const ib_mech_field *field, ib_diags *diags) {
    const ib_floating mode = ib_floating_enter();
    ib_dynamics_set_field(s->dynamics, field);
    ib_dynamics_set_field(s->moving, field);
    const ib_status status = ib_dynamics_inputs_changed(s->moving, diags);
    s->behind = true;
    ib_floating_leave(mode);
    return status;
}

ib_status ib_system_place(ib_system *s, const ib_rigid_motion *motion, const ib_mech_field *field,
                          ib_diags *diags) {
    const ib_floating mode = ib_floating_enter();
    ib_dynamics_set_field(s->dynamics, field);
    ib_dynamics_set_field(s->moving, field);
    ib_dynamics_displace(s->dynamics, motion);
    ib_status status = ib_dynamics_assemble(s->dynamics, diags);
    if (status == IB_OK && s->moving != s->dynamics)
        status = ib_merged_take(s->model, s->dynamics, &s->merged);
    s->behind = true;
    ib_floating_leave(mode);
    return status;
}

/* What pushes a part pushes the merged body that it is welded into. */
static void push_merged(const ib_system *s, const double *wrenches) {
    const ib_welds *welds = &s->merged.welds;
    for (size_t k = 0; k < welds->n_merged; k++) {
        double force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
        for (size_t b = 0; b < s->model->n_bodies; b++) {
            double f[3], t[3], twist[3];
            if (welds->body[b] != (int)k)
                continue;
            memcpy(f, wrenches + 6 * b, sizeof f);
            memcpy(t, wrenches + 6 * b + 3, sizeof t);
            ib_weld_vector(welds, (int)b, f);
            ib_weld_vector(welds, (int)b, t);
            ib_cross(welds->origin + 3 * b, f, twist);
            ib_axpy(force, 1, f, force);
            ib_axpy(torque, 1, t, torque);
            ib_axpy(torque, 1, twist, torque);
        }
        ib_dynamics_push(s->moving, (int)k, force, torque);
    }
}

void ib_system_push_again(ib_system *s, const double *wrenches) {
    for (size_t b = 0; b < s->model->n_bodies; b++)
        ib_dynamics_push(s->dynamics, (int)b, wrenches + 6 * b, wrenches + 6 * b + 3);
    if (s->moving != s->dynamics)
        push_merged(s, wrenches);
    s->behind = true;
}

ib_status ib_system_push(ib_system *s, const double *wrenches, ib_diags *diags) {
    const ib_floating mode = ib_floating_enter();
    ib_system_push_again(s, wrenches);
    const ib_status status = ib_dynamics_pushed(s->moving, diags);
    ib_floating_leave(mode);
    return status;
}

ib_status ib_system_look(ib_system *s, const ib_dynamics **dynamics, ib_diags *diags) {
    const ib_floating mode = ib_floating_enter();
    const ib_status status = ib_system_show(s, diags);
    *dynamics = s->dynamics;
    ib_floating_leave(mode);
    return status;
}
