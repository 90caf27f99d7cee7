/* Systems: the public face of a model in motion. */
#include "plant/sensor.h"
#include "plant/system_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* What an aerodynamic force shows of the air; behind the outputs, in the order of its channels. */
static size_t list_flows(const ib_model *m, ib_node *roots) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_forces; i++)
        for (int k = 0; m->forces[i].aerodynamic && k <= IB_FLOW_PRESSURE; k++)
            roots[n++] = m->forces[i].aerodynamic->flow[k];
    return n;
}

/* Of all forces before it in the model. */
static size_t first_flow(const ib_model *m, int force) {
    size_t n = m->n_outputs;
    for (int i = 0; i < force; i++)
        n += m->forces[i].aerodynamic ? IB_FLOW_PRESSURE + 1 : 0;
    return n;
}

static bool compile_outputs(ib_system *s) {
    const ib_model *m = s->model;
    const size_t n = ib_leaf_count(m);
    s->output_measure = calloc(m->n_measures + 1, sizeof(bool));
    s->output_leaves = calloc(s->compiled.n_leaves + 1, sizeof(double));
    const size_t most = m->n_outputs + m->n_airs * IB_FLOW_NAMES;
    s->output_values = calloc(most + 1, sizeof(double));
    ib_node *roots = calloc(most + 1, sizeof *roots);
    bool *used = calloc(n + 1, sizeof *used);
    bool good = s->output_measure && s->output_leaves && s->output_values && roots && used;
    for (size_t i = 0; good && i < m->n_outputs; i++)
        roots[i] = m->outputs[i].value.node;
    const size_t n_roots = m->n_outputs + (good ? list_flows(m, roots + m->n_outputs) : 0);
    for (size_t i = 0; good && i < n_roots; i++)
        good = ib_graph_depends(m->graph, roots[i], used, n);
    for (size_t i = 0; good && i < m->n_measures; i++)
        s->output_measure[i] = used[ib_leaf_measure(m, i)];
    if (good && n_roots > 0) {
        s->outputs = ib_tape_create(m->graph, roots, n_roots);
        s->output_work =
            s->outputs ? calloc(ib_tape_work_size(s->outputs) + 1, sizeof(double)) : NULL;
        good = s->output_work != NULL;
    }
    free(roots);
    free(used);
    return good;
}

static void set_start_values(const ib_system *s) {
    const ib_model *m = s->model;
    double *leaves = ib_dynamics_leaves(s->dynamics);
    for (size_t i = 0; i < m->n_parameters; i++)
        leaves[ib_leaf_parameter(m, i)] = m->parameters[i].value;
    for (size_t i = 0; i < m->n_inputs; i++)
        leaves[ib_leaf_input(m, i)] = m->inputs[i].start;
}

static ib_status create(const ib_model *model, ib_diags *diags, ib_system *s) {
    s->model = model;
    ib_status status = ib_compile(model, NULL, &s->compiled, diags);
    if (status != IB_OK)
        return status;
    s->dynamics = ib_dynamics_create(s->compiled.mechanism);
    if (!s->dynamics || !ib_channels_create(model, &s->channels) || !compile_outputs(s))
        return ib_diags_no_memory(diags);
    set_start_values(s);
    status = ib_dynamics_assemble(s->dynamics, diags);
    if (status != IB_OK)
        return status;
    if (ib_merged_create(model, s->dynamics, &s->merged) != IB_OK)
        return ib_diags_no_memory(diags);
    s->moving = s->merged.dynamics ? s->merged.dynamics : s->dynamics;
    return IB_OK;
}

ib_status ib_system_create(const ib_model *model, ib_diags *diags, ib_system **system) {
    *system = NULL;
    ib_system *s = calloc(1, sizeof *s);
    if (!s)
        return ib_diags_no_memory(diags);
    const ib_floating before = ib_floating_enter();
    const ib_status status = create(model, diags, s);
    ib_floating_leave(before);
    if (status == IB_OK)
        *system = s;
    else
        ib_system_destroy(s);
    return status;
}

void ib_system_destroy(ib_system *s) {
    if (!s)
        return;
    for (size_t i = 0; i < IB_COUNT(s->native); i++)
        ib_native_destroy(s->native[i]);
    ib_merged_destroy(&s->merged);
    ib_dynamics_destroy(s->dynamics);
    ib_compiled_destroy(&s->compiled);
    ib_channels_destroy(&s->channels);
    ib_tape_destroy(s->outputs);
    free(s->courses);
    free(s->driving);
    free(s->output_measure);
    free(s->output_leaves);
    free(s->output_work);
    free(s->output_values);
    free(s);
}

/* ---- machine code ---- */

static void compile_mechanism(const compiled_model *c, const ib_native_options *options,
                              ib_native **native, ib_str *why) {
    ib_tape *tapes[IB_MECH_TAPES];
    const size_t n = c->mechanism ? ib_mechanism_tapes(c->mechanism, tapes) : 0;
    if (n > 0 && !*native && why->length == 0)
        *native = ib_native_create(c->graph, tapes, n, options, why);
}

ib_status ib_system_compile(ib_system *s, const char *compiler, const char *folder,
                            ib_diags *diags) {
    const ib_native_options options = {compiler, folder};
    ib_str why = {0};
    compile_mechanism(&s->compiled, &options, &s->native[0], &why);
    compile_mechanism(&s->merged.compiled, &options, &s->native[1], &why);
    if (s->outputs && !s->native[2] && why.length == 0)
        s->native[2] = ib_native_create(s->model->graph, &s->outputs, 1, &options, &why);
    const bool good = why.length == 0;
    if (!good)
        ib_diags_add(diags, IB_NOTE, IB0714, IB_NO_PLACE,
                     "expressions are not compiled: %s; they run as they do without --native",
                     why.failed ? "out of memory" : why.data);
    ib_str_free(&why);
    return good ? IB_OK : IB_UNSUPPORTED;
}

/* ---- running ---- */

ib_time ib_system_time(const ib_system *s) { return ib_dynamics_time(s->moving); }

ib_status ib_system_advance(ib_system *s, ib_time time, ib_diags *diags) {
    if (time < ib_system_time(s))
        return IB_BAD_INPUT;
    const ib_floating before = ib_floating_enter();
    const ib_status status = ib_dynamics_advance(s->moving, time, s->stop, s->stop_context, diags);
    s->behind = true;
    ib_floating_leave(before);
    return status;
}

void ib_system_watch(ib_system *s, bool (*stop)(void *), void *context) {
    s->stop = stop;
    s->stop_context = context;
}

ib_handle ib_system_input(const ib_system *s, const char *name) {
    for (size_t i = 0; i < s->model->n_inputs; i++)
        if (strcmp(s->model->inputs[i].name, name) == 0)
            return (ib_handle)i;
    return -1;
}

ib_status ib_system_set_input(ib_system *s, ib_handle handle, double value, ib_diags *diags) {
    if (handle < 0 || (size_t)handle >= s->model->n_inputs)
        return IB_BAD_INPUT;
    const ib_input *input = &s->model->inputs[handle];
    if (!(value >= input->min && value <= input->max)) {
        ib_diags_add(diags, IB_ERROR, IB0706, input->place,
                     "input '%s': %.9g is outside its limits %.9g to %.9g", input->name, value,
                     input->min, input->max);
        return IB_BAD_INPUT;
    }
    ib_system_end_course(s, handle);
    double *leaf = ib_dynamics_leaves(s->moving) + ib_leaf_input(s->model, (size_t)handle);
    const double before = *leaf;
    if (before == value)
        return IB_OK;
    *leaf = value;
    const ib_floating mode = ib_floating_enter();
    const ib_status status = ib_dynamics_inputs_changed(s->moving, diags);
    s->behind = true;
    ib_floating_leave(mode);
    if (status != IB_OK)
        *leaf = before;
    return status;
}

/* ---- reading ---- */

size_t ib_system_channel_count(const ib_system *s) { return s->channels.count; }

ib_channel_info ib_system_channel_info(const ib_system *s, ib_handle channel) {
    if (channel < 0 || (size_t)channel >= s->channels.count)
        return (ib_channel_info){NULL, NULL, NULL, NULL};
    return s->channels.items[channel].info;
}

ib_handle ib_system_channel(const ib_system *s, const char *name) {
    const size_t index = ib_names_find(s->channels.names, name);
    return index == SIZE_MAX ? -1 : (ib_handle)index;
}

ib_handle ib_system_output(const ib_system *s, const char *name) {
    for (size_t i = 0; i < s->channels.count; i++) {
        const channel_entry *c = &s->channels.items[i];
        if (c->kind == CHANNEL_OUTPUT &&
            strcmp(s->model->outputs[c->index].element.name, name) == 0)
            return (ib_handle)i;
    }
    return -1;
}

bool ib_system_recorded_by_default(const ib_system *s, ib_handle channel) {
    return channel >= 0 && (size_t)channel < s->channels.count &&
           s->channels.items[channel].by_default;
}

/* An output without a value because one of its measures has none. */
static bool report_measures(const ib_system *s, ib_diags *diags) {
    const ib_model *m = s->model;
    for (size_t i = 0; i < m->n_measures; i++)
        if (s->output_measure[i] &&
            !ib_dynamics_check_measure(s->dynamics, (int)i, s->output_leaves[ib_leaf_measure(m, i)],
                                       diags))
            return true;
    return false;
}

/* All outputs at the present state. */
static ib_status eval_outputs(ib_system *s, ib_diags *diags) {
    const ib_model *m = s->model;
    ib_fault fault;
    memcpy(s->output_leaves, ib_dynamics_leaves(s->dynamics),
           s->compiled.n_leaves * sizeof(double));
    for (size_t i = 0; i < m->n_measures; i++)
        if (s->output_measure[i])
            s->output_leaves[ib_leaf_measure(m, i)] = ib_dynamics_measure(s->dynamics, (int)i);
    if (ib_tape_eval(s->outputs, s->output_leaves, s->output_work, s->output_values, &fault))
        return IB_OK;
    if (fault.op == IB_OP_LEAF && report_measures(s, diags))
        return IB_SIMULATION_FAILED;
    if (fault.root >= m->n_outputs)
        return IB_OK; /* the channel itself says that it has no value */
    const ib_output *output = &m->outputs[fault.root];
    char why[IB_FAULT_TEXT];
    ib_diags_add(diags, IB_ERROR, IB0701, output->value.place,
                 "%s: the expression has no value at t = %.9g s: %s", output->element.name,
                 ib_time_seconds(ib_system_time(s)), ib_fault_text(&fault, why));
    return IB_SIMULATION_FAILED;
}

/* Sum of what the scalar forces or the load behind one force exert on body 1. */
static double triple_value(const ib_system *s, int index, bool torque, int component) {
    double wrench[2][3];
    ib_force_on_body1(&s->compiled.forces[index], s->dynamics, wrench[0], wrench[1]);
    return wrench[torque][component];
}

static double reaction_value(const ib_system *s, int joint, bool torque, int component) {
    double force[3], moment[3];
    ib_dynamics_reaction(s->dynamics, joint, force, moment);
    return torque ? moment[component] : force[component];
}

static double friction_value(const ib_system *s, int joint, bool torque) {
    double force, moment;
    ib_dynamics_friction(s->dynamics, joint, &force, &moment);
    return torque ? moment : force;
}

static double centre_value(const ib_dynamics *d, int body, int component) {
    double centre[3];
    ib_dynamics_centre(d, body, centre);
    return centre[component];
}

static double residual_value(const ib_system *s, bool velocity) {
    double by_position, by_velocity;
    ib_dynamics_residual(s->dynamics, &by_position, &by_velocity);
    return velocity ? by_velocity : by_position;
}

static double total_energy(const ib_dynamics *d) {
    const ib_mech_energy energy = ib_dynamics_energy(d);
    return energy.kinetic + energy.potential;
}

static double channel_value(const ib_system *s, const channel_entry *c) {
    ib_dynamics *d = s->dynamics;
    const double *y = ib_dynamics_bodies(d) + IB_STATE * c->index;
    switch (c->kind) {
    case CHANNEL_BODY_POSITION:
        return y[c->component];
    case CHANNEL_BODY_ORIENTATION:
        return y[IB_STATE_Q + c->component];
    case CHANNEL_BODY_VELOCITY:
        return y[IB_STATE_V + c->component];
    case CHANNEL_BODY_RATES:
        return y[IB_STATE_W + c->component];
    case CHANNEL_BODY_ACCELERATION:
        return ib_dynamics_acceleration(d, c->index)[c->component];
    case CHANNEL_BODY_MASS:
        return ib_dynamics_mass(d, c->index);
    case CHANNEL_BODY_PROPELLANT:
        return ib_dynamics_propellant(d, s->model->bodies[c->index].propellant.tank);
    case CHANNEL_BODY_CENTRE:
        return centre_value(d, c->index, c->component);
    case CHANNEL_JOINT_FORCE:
        return reaction_value(s, c->index, false, c->component);
    case CHANNEL_JOINT_TORQUE:
        return reaction_value(s, c->index, true, c->component);
    case CHANNEL_JOINT_LAMBDA:
        return ib_dynamics_joint_lambda(d, c->index);
    case CHANNEL_JOINT_FRICTION_FORCE:
        return friction_value(s, c->index, false);
    case CHANNEL_JOINT_FRICTION_TORQUE:
        return friction_value(s, c->index, true);
    case CHANNEL_FORCE_VALUE:
        return ib_dynamics_force(d, s->compiled.forces[c->index].first);
    case CHANNEL_FORCE_VECTOR:
        return triple_value(s, c->index, false, c->component);
    case CHANNEL_FORCE_TORQUE:
        return triple_value(s, c->index, true, c->component);
    case CHANNEL_MOTOR:
        return ib_dynamics_auxiliary(d, c->index);
    case CHANNEL_OUTPUT:
        return s->output_values[c->index];
    case CHANNEL_FLOW_ALPHA:
    case CHANNEL_FLOW_BETA:
    case CHANNEL_FLOW_MACH:
    case CHANNEL_FLOW_AIRSPEED:
    case CHANNEL_FLOW_PRESSURE:
        return s->output_values[first_flow(s->model, c->index) + c->kind - CHANNEL_FLOW_ALPHA];
    case CHANNEL_DRIVER_LAMBDA:
        return ib_dynamics_driver_lambda(d, c->index);
    case CHANNEL_DRIVER_MOTION:
        return ib_dynamics_driver_motion(d, c->index);
    case CHANNEL_SENSOR_POSITION:
    case CHANNEL_SENSOR_VELOCITY:
    case CHANNEL_SENSOR_ACCELERATION:
    case CHANNEL_SENSOR_ORIENTATION:
    case CHANNEL_SENSOR_EULER:
    case CHANNEL_SENSOR_FORCE:
    case CHANNEL_SENSOR_TORQUE:
    case CHANNEL_SENSOR_ANGLE:
    case CHANNEL_SENSOR_ANGULAR_RATE:
    case CHANNEL_SENSOR_DISPLACEMENT:
    case CHANNEL_SENSOR_RATE:
    case CHANNEL_SENSOR_VALUE:
    case CHANNEL_SENSOR_DIRECTION:
        return ib_sensor_value(&s->compiled, d, &s->model->sensors[c->index], c->kind,
                               c->component);
    case CHANNEL_KINETIC:
        return ib_dynamics_energy(d).kinetic;
    case CHANNEL_POTENTIAL:
        return ib_dynamics_energy(d).potential;
    case CHANNEL_TOTAL:
        return total_energy(d);
    case CHANNEL_MOMENTUM:
        return ib_dynamics_energy(d).momentum[c->component];
    case CHANNEL_ANGULAR_MOMENTUM:
        return ib_dynamics_energy(d).angular_momentum[c->component];
    case CHANNEL_RESIDUAL_POSITION:
        return residual_value(s, false);
    case CHANNEL_RESIDUAL_VELOCITY:
        return residual_value(s, true);
    }
    return (double)NAN;
}

static ib_status no_channel_value(const ib_system *s, ib_handle channel, ib_diags *diags) {
    ib_diags_add(diags, IB_ERROR, IB0708, IB_NO_PLACE,
                 "channel '%s' has no finite value at t = %.9g s",
                 s->channels.items[channel].info.name, ib_time_seconds(ib_system_time(s)));
    return IB_SIMULATION_FAILED;
}

ib_status ib_system_show(ib_system *s, ib_diags *diags) {
    if (s->behind && s->moving != s->dynamics)
        ib_merged_show(&s->merged, s->dynamics);
    s->behind = false;
    return ib_dynamics_refresh(s->dynamics, diags);
}

static ib_status read_channels(ib_system *s, const ib_handle *channels, size_t n, double *values,
                               ib_diags *diags) {
    ib_status status = ib_system_show(s, diags);
    bool outputs = false;
    for (size_t i = 0; i < n; i++) {
        if (channels[i] < 0 || (size_t)channels[i] >= s->channels.count)
            return IB_BAD_INPUT;
        const channel_kind kind = s->channels.items[channels[i]].kind;
        outputs = outputs || kind == CHANNEL_OUTPUT ||
                  (kind >= CHANNEL_FLOW_ALPHA && kind <= CHANNEL_FLOW_PRESSURE);
    }
    if (status == IB_OK && outputs)
        status = eval_outputs(s, diags);
    for (size_t i = 0; status == IB_OK && i < n; i++) {
        values[i] = channel_value(s, &s->channels.items[channels[i]]);
        if (!isfinite(values[i]))
            status = no_channel_value(s, channels[i], diags);
    }
    return status;
}

ib_status ib_system_read(ib_system *s, const ib_handle *channels, size_t n, double *values,
                         ib_diags *diags) {
    const ib_floating before = ib_floating_enter();
    const ib_status status = read_channels(s, channels, n, values, diags);
    ib_floating_leave(before);
    return status;
}

/* ---- snapshots, statistics ---- */

size_t ib_system_state_size(const ib_system *s) { return ib_dynamics_state_size(s->moving); }

void ib_system_save(const ib_system *s, void *state) { ib_dynamics_save(s->moving, state); }

ib_status ib_system_restore(ib_system *s, const void *state, size_t size) {
    s->behind = true;
    return ib_dynamics_restore(s->moving, state, size);
}

ib_statistics ib_system_statistics(const ib_system *s) {
    const ib_mech_statistics given = ib_dynamics_statistics(s->moving);
    ib_statistics statistics = {.solver = s->compiled.solver};
    statistics.steps = given.steps;
    statistics.rejections = given.rejections;
    statistics.evaluations = given.evaluations;
    statistics.factorizations = given.factorizations;
    statistics.iterations = given.iterations;
    statistics.last_step = given.last_step;
    statistics.smallest_step = given.smallest_step;
    statistics.state_hash = ib_dynamics_hash(s->moving);
    statistics.limited_steps = given.limited_steps;
    if (given.went_over_at >= 0) {
        statistics.started_with = statistics.solver;
        statistics.solver = "stiff";
        statistics.changed_at = given.went_over_at;
    }
    return statistics;
}
