/* Forces of a model as scalar laws in directions, loads and auxiliary states of the mechanism. */
#include "plant/compiled.h"

#include <math.h>
#include <string.h>

static ib_mech_force start_force(const ib_force *given) {
    ib_mech_force force = {.name = given->element.name, .place = given->element.place};
    force.body1 = given->body1;
    force.body2 = given->body2;
    force.frame = IB_MECH_GROUND;
    memcpy(force.point1, given->point1, sizeof force.point1);
    memcpy(force.point2, given->point2, sizeof force.point2);
    force.law = IB_NO_NODE;
    return force;
}

/* Adds one scalar force. */
static bool add(compiled_model *c, const ib_mech_force *given) {
    ib_mech_force force = *given;
    ib_weld_vector(c->welds, given->frame, force.axis);
    force.body1 = ib_weld_body(c->welds, given->body1);
    force.body2 = ib_weld_body(c->welds, given->body2);
    force.frame = ib_weld_body(c->welds, given->frame);
    const int index = ib_mechanism_add_force(c->mechanism, &force);
    c->n_forces += index >= 0;
    return index >= 0;
}

/* The axis, given in global axes at t = 0, in those of the body that carries it. */
static void axis_on(const ib_model *model, const double axis[3], int body, ib_mech_force *force) {
    force->frame = body;
    if (body == IB_GROUND)
        memcpy(force->axis, axis, sizeof force->axis);
    else
        ib_quat_rotate_back(model->bodies[body].orientation, axis, force->axis);
}

/* The length or angle of a force, or its rate, that the model did not need for its expressions. */
static int add_own_measure(compiled_model *c, const ib_force *given, ib_mech_measure_type type) {
    ib_mech_measure measure = {.name = given->element.name, .place = given->element.place};
    double frame[9];
    ib_quat_matrix(given->orientation, frame);
    for (int k = 0; k < 3; k++) {
        measure.a[k] = measure.b[k] = frame[3 * k];
        measure.c[k] = frame[3 * k + 1];
    }
    measure.type = type;
    measure.body1 = given->body1;
    measure.body2 = given->body2;
    measure.frame = IB_MECH_GROUND;
    memcpy(measure.point1, given->point1, sizeof measure.point1);
    memcpy(measure.point2, given->point2, sizeof measure.point2);
    return ib_compile_measure(c, &measure);
}

/* Value of an expression of parameters alone; false when it uses anything else. */
static bool constant_value(const compiled_model *c, const ib_expr *expr, double *value) {
    const ib_model *model = c->model;
    *value = 0;
    if (expr->node == IB_NO_NODE)
        return true;
    const size_t n = ib_leaf_count(model);
    bool *used = IB_ARENA_ARRAY(c->arena, n, bool);
    if (!used || !ib_graph_depends(c->graph, expr->node, used, n) || used[ib_leaf_time()])
        return false;
    for (size_t leaf = 1 + model->n_parameters; leaf < n; leaf++)
        if (used[leaf])
            return false;
    double *leaves = IB_ARENA_ARRAY(c->arena, n, double);
    if (!leaves)
        return false;
    for (size_t i = 0; i < model->n_parameters; i++)
        leaves[ib_leaf_parameter(model, i)] = model->parameters[i].value;
    *value = ib_graph_value(c->graph, expr->node, leaves, n);
    return true;
}

static double initial_length(const ib_force *given) {
    double line[3];
    ib_sub3(given->point1, given->point2, line);
    return ib_norm(line);
}

/* k (l - l0) + c dl/dt + preload as a law, where k or c are not constant; l the length or angle
 * that is measure `length`. */
static ib_node spring_law(compiled_model *c, const ib_force *given, int length, int rate,
                          double free_length) {
    ib_graph *g = c->graph;
    if (length < 0 || rate < 0)
        return IB_NO_NODE;
    ib_node sum = ib_graph_const(g, given->preload);
    if (given->stiffness.node != IB_NO_NODE)
        sum =
            ib_add(g, sum,
                   ib_mul(g, given->stiffness.node,
                          ib_sub(g, ib_graph_leaf(g, (uint32_t)(c->measure_leaf + (size_t)length)),
                                 ib_graph_const(g, free_length))));
    if (given->damping.node != IB_NO_NODE)
        sum = ib_add(g, sum,
                     ib_mul(g, given->damping.node,
                            ib_graph_leaf(g, (uint32_t)(c->measure_leaf + (size_t)rate))));
    return sum;
}

/* The numbers of a linear spring; false when one is not constant. */
static bool linear_spring(const compiled_model *c, const ib_force *given, ib_mech_force *force) {
    force->preload = given->preload;
    return constant_value(c, &given->stiffness, &force->stiffness) &&
           constant_value(c, &given->damping, &force->damping);
}

static ib_place spring_place(const ib_force *given) {
    return given->stiffness.node != IB_NO_NODE ? given->stiffness.place : given->damping.place;
}

static bool add_spring(compiled_model *c, const ib_force *given) {
    ib_mech_force force = start_force(given);
    force.type = IB_MECH_LINE;
    force.free_length = given->free_length;
    if (!linear_spring(c, given, &force)) {
        const int length =
            given->length >= 0 ? given->length : add_own_measure(c, given, IB_MECH_DISTANCE);
        const int rate =
            given->rate >= 0 ? given->rate : add_own_measure(c, given, IB_MECH_DISTANCE_RATE);
        const double free_length =
            isnan(given->free_length) ? initial_length(given) : given->free_length;
        force.law = spring_law(c, given, length, rate, free_length);
        force.law_place = spring_place(given);
        if (force.law == IB_NO_NODE)
            return false;
    }
    return add(c, &force);
}

/* Its angle is a measure in any case, which counts the turns. */
static bool add_torsion_spring(compiled_model *c, const ib_force *given) {
    ib_mech_force force = start_force(given);
    force.type = IB_MECH_ANGLE_TORQUE;
    force.free_length = given->free_angle;
    force.measure = given->length >= 0 ? given->length : add_own_measure(c, given, IB_MECH_ANGLE);
    if (force.measure < 0)
        return false;
    if (!linear_spring(c, given, &force)) {
        const int rate =
            given->rate >= 0 ? given->rate : add_own_measure(c, given, IB_MECH_ANGULAR_RATE);
        force.law = spring_law(c, given, force.measure, rate, given->free_angle);
        force.law_place = spring_place(given);
        if (force.law == IB_NO_NODE)
            return false;
    }
    return add(c, &force);
}

static bool add_scalar(compiled_model *c, const ib_force *given, ib_mech_force_type type,
                       int frame) {
    ib_mech_force force = start_force(given);
    force.type = type;
    force.law = given->law.node;
    force.law_place = given->law.place;
    if (type != IB_MECH_LINE)
        axis_on(c->model, given->axis, frame, &force);
    return add(c, &force);
}

/* A triple as three scalar forces along the axes of its frame. */
static bool add_triple(compiled_model *c, const ib_force *given, ib_mech_force_type type) {
    bool good = true;
    for (int k = 0; good && k < 3; k++) {
        ib_mech_force force = start_force(given);
        force.type = type;
        force.frame = given->frame;
        force.axis[k] = 1;
        force.law = given->value[k].node;
        force.law_place = given->value[k].place;
        good = add(c, &force);
    }
    return good;
}

/* x held between -limit and limit. */
static ib_node within(ib_graph *g, ib_node x, double limit) {
    if (isinf(limit))
        return x;
    const ib_node above = ib_graph_op(g, IB_OP_MAX, x, ib_graph_const(g, -limit), IB_NO_NODE);
    return ib_graph_op(g, IB_OP_MIN, above, ib_graph_const(g, limit), IB_NO_NODE);
}

/* The rate of a motor's value. */
static ib_node motor_rate(compiled_model *c, const ib_force *given) {
    ib_graph *g = c->graph;
    const ib_node zero = ib_graph_const(g, 0);
    const ib_node value = ib_graph_leaf(g, ib_leaf_motor(c->model, (size_t)given->motor));
    const ib_node way = ib_sub(g, within(g, given->command.node, given->max), value);
    ib_node rate = ib_div(g, way, ib_graph_const(g, given->tau_up));
    if (given->tau_down < given->tau_up || given->tau_down > given->tau_up)
        rate = ib_graph_op(g, IB_OP_SELECT, ib_graph_op(g, IB_OP_LT, zero, way, IB_NO_NODE), rate,
                           ib_div(g, way, ib_graph_const(g, given->tau_down)));
    return within(g, rate, given->rate_limit);
}

static bool add_motor(compiled_model *c, const ib_force *given) {
    ib_mech_auxiliary motor = {.name = given->element.name, .place = given->element.place};
    motor.rate = motor_rate(c, given);
    motor.rate_place = given->command.place;
    motor.start = given->start;
    return ib_mechanism_add_auxiliary(c->mechanism, &motor) >= 0;
}

/* The component of a rotor's velocity along an axis given in body axes, as a node. */
static ib_node velocity_along(compiled_model *c, const ib_force *given, const double axis[3]) {
    ib_mech_measure measure = {.name = given->element.name, .place = given->element.place};
    measure.type = IB_MECH_VELOCITY;
    measure.body1 = measure.frame = given->body1;
    measure.body2 = IB_MECH_GROUND;
    memcpy(measure.point1, given->point1, sizeof measure.point1);
    memcpy(measure.axis, axis, sizeof measure.axis);
    const int index = ib_compile_measure(c, &measure);
    return index < 0 ? IB_NO_NODE
                     : ib_graph_leaf(c->graph, (uint32_t)(c->measure_leaf + (size_t)index));
}

/* A force -factor |w| v along an axis of the rotor, plus `law` unless that is IB_NO_NODE. */
static bool add_rotor_force(compiled_model *c, const ib_force *given, const double axis[3],
                            double factor, ib_node law) {
    ib_graph *g = c->graph;
    ib_mech_force force = start_force(given);
    force.type = IB_MECH_AXIS_FORCE;
    force.frame = given->body1;
    force.law_place = given->speed.place;
    memcpy(force.axis, axis, sizeof force.axis);
    if (factor > 0) {
        const ib_node v = velocity_along(c, given, axis);
        if (v == IB_NO_NODE)
            return false;
        const ib_node w = ib_graph_op(g, IB_OP_ABS, given->speed.node, IB_NO_NODE, IB_NO_NODE);
        const ib_node drag = ib_mul(g, ib_graph_const(g, -factor), ib_mul(g, w, v));
        law = law == IB_NO_NODE ? drag : ib_add(g, law, drag);
    }
    force.law = law;
    return add(c, &force);
}

/* Thrust along z and torque about it; drag along x and y across it, of body1's frame on the axis.
 */
static bool add_rotor(compiled_model *c, const ib_force *given) {
    ib_graph *g = c->graph;
    ib_mech_force torque = start_force(given);
    double frame[9];
    axis_on(c->model, given->axis, given->body1, &torque);
    ib_frame_from_z(torque.axis, frame);
    const ib_node square = ib_mul(g, given->speed.node, given->speed.node);
    torque.type = IB_MECH_AXIS_TORQUE;
    torque.law = ib_mul(g, ib_graph_const(g, -given->spin * given->k_torque), square);
    torque.law_place = given->speed.place;
    bool good = add_rotor_force(c, given, torque.axis, given->inflow,
                                ib_mul(g, ib_graph_const(g, given->k_thrust), square)) &&
                add(c, &torque);
    for (int i = 0; good && given->rotor_damping > 0 && i < 2; i++) {
        const double across[3] = {frame[i], frame[3 + i], frame[6 + i]};
        good = add_rotor_force(c, given, across, given->rotor_damping, IB_NO_NODE);
    }
    return good;
}

static bool add_buoyancy(compiled_model *c, const ib_force *given) {
    ib_graph *g = c->graph;
    ib_mech_force force = start_force(given);
    const double weight = ib_norm(c->model->gravity);
    force.type = IB_MECH_AXIS_FORCE;
    for (int k = 0; k < 3; k++)
        force.axis[k] = -c->model->gravity[k] / weight;
    force.law =
        ib_mul(g, ib_graph_const(g, weight), ib_mul(g, given->density.node, given->volume.node));
    force.law_place = given->volume.place;
    return add(c, &force);
}

static bool is_zero(const compiled_model *c, ib_node node) {
    double value;
    return ib_graph_is_const(c->graph, node, &value) && !(value > 0) && !(value < 0);
}

/* Force along and torque about each of its axes, fixed on body1. */
static bool add_aerodynamic(compiled_model *c, const ib_force *given) {
    const ib_aerodynamic *a = given->aerodynamic;
    bool good = true;
    for (int i = 0; good && i < 6; i++) {
        ib_mech_force force = start_force(given);
        if (is_zero(c, a->law[i]))
            continue;
        force.type = i < 3 ? IB_MECH_AXIS_FORCE : IB_MECH_AXIS_TORQUE;
        force.frame = given->body1;
        memcpy(force.axis, a->frame + 3 * (i % 3), sizeof force.axis);
        force.law = a->law[i];
        force.law_place =
            a->coefficient[i].node == IB_NO_NODE ? given->element.place : a->coefficient[i].place;
        good = add(c, &force);
    }
    return good;
}

static bool add_thrust(compiled_model *c, const ib_force *given) {
    ib_mech_force force = start_force(given);
    force.type = IB_MECH_AXIS_FORCE;
    axis_on(c->model, given->direction, given->body1, &force);
    force.law = given->push;
    force.law_place = given->thrust.place;
    return add(c, &force);
}

static int add_bushing(compiled_model *c, const ib_force *given) {
    ib_mech_bushing bushing = {.name = given->element.name, .place = given->element.place};
    bushing.body1 = ib_weld_body(c->welds, given->body1);
    bushing.body2 = ib_weld_body(c->welds, given->body2);
    memcpy(bushing.point, given->point1, sizeof bushing.point);
    ib_quat_matrix(given->orientation, bushing.frame);
    memcpy(bushing.stiffness, given->bushing->stiffness, sizeof bushing.stiffness);
    memcpy(bushing.damping, given->bushing->damping, sizeof bushing.damping);
    memcpy(bushing.preload, given->bushing->preload, sizeof bushing.preload);
    return ib_mechanism_add_bushing(c->mechanism, &bushing);
}

static int add_contact(compiled_model *c, const ib_force *given) {
    const ib_contact *keys = &given->contact;
    ib_mech_contact contact = {.name = given->element.name, .place = given->element.place};
    contact.body1 = ib_weld_body(c->welds, given->body1);
    contact.body2 = ib_weld_body(c->welds, given->body2);
    memcpy(contact.point1, given->point1, sizeof contact.point1);
    memcpy(contact.point2, given->point2, sizeof contact.point2);
    ib_quat_matrix(given->orientation, contact.frame);
    contact.surface = keys->surface;
    contact.radius = keys->radius;
    contact.stiffness = keys->stiffness;
    contact.exponent = keys->exponent;
    contact.dissipation = keys->dissipation;
    contact.friction = keys->mu;
    contact.stick_speed = keys->stick_velocity;
    contact.max_depth = keys->max_depth;
    return ib_mechanism_add_contact(c->mechanism, &contact);
}

static bool add_force(compiled_model *c, const ib_force *given, compiled_force *made) {
    switch (given->type) {
    case IB_FORCE_SPRING_DAMPER:
        return add_spring(c, given);
    case IB_FORCE_TORSION_SPRING:
        return add_torsion_spring(c, given);
    case IB_FORCE_EXPRESSION_FORCE:
        return add_scalar(c, given, given->has_axis ? IB_MECH_AXIS_FORCE : IB_MECH_LINE,
                          given->frame);
    case IB_FORCE_EXPRESSION_TORQUE:
        return add_scalar(c, given, IB_MECH_AXIS_TORQUE, given->body2);
    case IB_FORCE_FORCE:
        return add_triple(c, given, IB_MECH_AXIS_FORCE);
    case IB_FORCE_TORQUE:
        return add_triple(c, given, IB_MECH_AXIS_TORQUE);
    case IB_FORCE_MOTOR:
        return add_motor(c, given);
    case IB_FORCE_ROTOR:
        return add_rotor(c, given);
    case IB_FORCE_BUOYANCY:
        return add_buoyancy(c, given);
    case IB_FORCE_AERODYNAMIC:
        return add_aerodynamic(c, given);
    case IB_FORCE_THRUST:
        return add_thrust(c, given);
    case IB_FORCE_BUSHING:
        made->load = add_bushing(c, given);
        return made->load >= 0;
    case IB_FORCE_CONTACT:
        made->load = add_contact(c, given);
        return made->load >= 0;
    case IB_FORCE_GRAVITY:
        break;
    }
    return true;
}

/* ---- propellant ---- */

/* Minus what all thrusts burn of a tank. */
static ib_node tank_rate(const compiled_model *c, int tank) {
    ib_node rate = ib_graph_const(c->graph, 0);
    for (size_t i = 0; i < c->model->n_forces; i++)
        if (c->model->forces[i].tank == tank)
            rate = ib_sub(c->graph, rate, c->model->forces[i].flow);
    return rate;
}

static bool add_tank(compiled_model *c, size_t body) {
    const ib_body *given = &c->model->bodies[body];
    const ib_propellant *propellant = &given->propellant;
    ib_mech_tank tank = {.name = given->element.name, .place = propellant->place};
    tank.body = ib_weld_body(c->welds, (int)body);
    tank.shape = (ib_mech_tank_shape)propellant->shape;
    tank.mass = propellant->mass;
    tank.radius = propellant->radius;
    tank.length = propellant->length;
    memcpy(tank.position, propellant->position, sizeof tank.position);
    memcpy(tank.axis, propellant->axis, sizeof tank.axis);
    tank.rate = tank_rate(c, propellant->tank);
    return ib_mechanism_add_tank(c->mechanism, &tank) >= 0;
}

/* The places where the air is asked for, in their order. */
static bool add_airs(compiled_model *c) {
    bool good = true;
    for (size_t i = 0; good && i < c->model->n_forces; i++) {
        const ib_force *given = &c->model->forces[i];
        if (given->air >= 0)
            good = ib_mechanism_add_air(c->mechanism, ib_weld_body(c->welds, given->body1),
                                        given->point1) == given->air;
    }
    return good;
}

bool ib_compile_tanks(compiled_model *c) {
    bool good = add_airs(c);
    for (size_t i = 0; good && i < c->model->n_bodies; i++)
        if (c->model->bodies[i].propellant.tank >= 0)
            good = add_tank(c, i);
    for (size_t i = 0; good && i < c->model->n_forces; i++) {
        const ib_force *given = &c->model->forces[i];
        ib_mech_outlet outlet = {.tank = given->tank, .flow = given->flow};
        memcpy(outlet.point, given->point1, sizeof outlet.point);
        if (given->tank >= 0)
            good = ib_mechanism_add_outlet(c->mechanism, &outlet) >= 0;
    }
    return good;
}

bool ib_compile_forces(compiled_model *c) {
    c->forces = IB_ARENA_ARRAY(c->arena, c->model->n_forces + 1, compiled_force);
    bool good = c->forces != NULL;
    for (size_t i = 0; good && i < c->model->n_forces; i++) {
        c->forces[i] = (compiled_force){-1, c->n_forces, 0};
        good = add_force(c, &c->model->forces[i], &c->forces[i]);
        c->forces[i].count = c->n_forces - c->forces[i].first;
    }
    return good;
}
