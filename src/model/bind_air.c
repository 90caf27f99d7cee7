/* bind_air: the air around a model, and what acts in it - aerodynamic forces and thrusts.
 *
 * An aerodynamic force is worked out here as six nodes of the model's graph over the components of
 * its velocity, the rates and the air, so that its derivatives are exact like those of any law. At
 * rest in the air atan2 and the rates have no derivative; `speck`, far below rounding of any speed
 * that matters, gives them one, and the force is 0 with its derivatives (docs/numerics.md,
 * "Aerodynamic forces").
 */
#include "model/model_internal.h"

#include <string.h>

static const double speck = 1e-20;        /* m/s */
static const double standard_g = 9.80665; /* m/s^2, by which Isp in seconds is defined */

const char *const ib_flow_names[IB_FLOW_NAMES] = {[IB_FLOW_ALPHA] = "alpha",
                                                  [IB_FLOW_BETA] = "beta",
                                                  [IB_FLOW_MACH] = "mach",
                                                  [IB_FLOW_AIRSPEED] = "airspeed",
                                                  [IB_FLOW_PRESSURE] = "dynamic_pressure",
                                                  [IB_FLOW_P] = "p_hat",
                                                  [IB_FLOW_Q] = "q_hat",
                                                  [IB_FLOW_R] = "r_hat"};

/* ---- graph ---- */

static ib_node number(ib_loader *l, double value) { return ib_graph_const(l->model->graph, value); }

static ib_node unary(ib_loader *l, ib_op op, ib_node a) {
    return ib_graph_op(l->model->graph, op, a, IB_NO_NODE, IB_NO_NODE);
}

static ib_node binary(ib_loader *l, ib_op op, ib_node a, ib_node b) {
    return ib_graph_op(l->model->graph, op, a, b, IB_NO_NODE);
}

static ib_node times(ib_loader *l, ib_node a, ib_node b) { return binary(l, IB_OP_MUL, a, b); }

static ib_node plus(ib_loader *l, ib_node a, ib_node b) { return binary(l, IB_OP_ADD, a, b); }

static ib_node minus(ib_loader *l, ib_node a, ib_node b) { return binary(l, IB_OP_SUB, a, b); }

static ib_node square(ib_loader *l, ib_node a) { return times(l, a, a); }

static ib_node cosine(ib_loader *l, ib_node a) { return unary(l, IB_OP_COS, a); }

static ib_node sine(ib_loader *l, ib_node a) { return unary(l, IB_OP_SIN, a); }

/* ---- air ---- */

static const ib_expr no_expr = {.node = IB_NO_NODE};

static void bind_wind(ib_loader *l, const ib_record *r, ib_expr wind[3]) {
    ib_yaml *list = r->given[IB_KEY_air_wind];
    if (!list || !ib_check_list(l, "wind", list, 3, "3 expressions"))
        return;
    for (size_t i = 0; i < 3; i++)
        ib_expression_read(l, "wind", list->items[i], IB_DIM_SPEED, IB_USE_LAW, NULL, -1, &wind[i],
                           NULL);
}

/* A constant that has to be above 0, or at least 0. */
static void check_air(ib_loader *l, const ib_record *r, ib_key key, const ib_expr *expr,
                      bool strictly) {
    double value;
    if (expr->node == IB_NO_NODE || !ib_graph_is_const(l->model->graph, expr->node, &value) ||
        value > 0 || (!strictly && !(value < 0)))
        return;
    ib_report(l, IB0607, r->given[key], "%s: %.6g is %s", ib_keys[key].name, value,
              strictly ? "not greater than 0" : "negative");
}

static void bind_part(ib_loader *l, const ib_record *r, ib_key key, bool strictly, ib_expr *expr) {
    if (!r->given[key])
        return;
    ib_expression_read(l, ib_keys[key].name, r->given[key], ib_keys[key].dimension, IB_USE_LAW,
                       NULL, -1, expr, NULL);
    check_air(l, r, key, expr, strictly);
}

/* Of the model's own file alone. */
void ib_bind_air(ib_loader *l) {
    ib_model_air *air = &l->model->air;
    ib_yaml *map = l->documents[0]->sections[IB_KEY_top_air];
    ib_record r;
    *air = (ib_model_air){false, no_expr, no_expr, no_expr, {no_expr, no_expr, no_expr}};
    if (!map)
        return;
    ib_enter(l, l->documents[0]);
    air->given = true;
    air->density.node = number(l, 1.225); /* at sea level of the US Standard Atmosphere 1976 */
    air->sound_speed.node = number(l, 340.294);
    air->pressure.node = number(l, 101325);
    if (!ib_record_open(l, IB_SECTION_air, NULL, map, &r))
        return;
    bind_part(l, &r, IB_KEY_air_density, false, &air->density);
    bind_part(l, &r, IB_KEY_air_sound_speed, true, &air->sound_speed);
    bind_part(l, &r, IB_KEY_air_pressure, false, &air->pressure);
    bind_wind(l, &r, air->wind);
}

/* The model's own number, unless the air is given from outside: both are exact. */
static ib_node air_at(ib_loader *l, const ib_force *force, unsigned which, const ib_expr *own) {
    ib_graph *g = l->model->graph;
    const uint32_t first = ib_leaf_air(l->model, (size_t)force->air);
    const ib_node outside = ib_graph_leaf(g, first + IB_AIR_OUTSIDE);
    const ib_node given = times(l, outside, ib_graph_leaf(g, first + which));
    if (own->node == IB_NO_NODE)
        return given;
    return plus(l, times(l, minus(l, number(l, 1), outside), own->node), given);
}

/* Without air of any kind sound has some speed, so that mach is 0 and not nothing. */
static ib_node sound_at(ib_loader *l, const ib_force *force) {
    const ib_expr some = {.node = number(l, 340.294)};
    const ib_expr *own = &l->model->air.sound_speed;
    return air_at(l, force, IB_AIR_SOUND, own->node == IB_NO_NODE ? &some : own);
}

/* ---- what an aerodynamic force measures ---- */

static ib_node add_measure(ib_loader *l, const ib_force *force, ib_measure_type type,
                           const double axis[3], int global) {
    ib_model *model = l->model;
    ib_measure *measure = &model->measures[model->n_measures];
    *measure = (ib_measure){.type = type,
                            .body1 = force->body1,
                            .body2 = IB_GROUND,
                            .frame = force->body1,
                            .orientation = {1, 0, 0, 0}};
    measure->element.place = force->element.place;
    memcpy(measure->axis, axis, sizeof measure->axis);
    memcpy(measure->point1, force->point1, sizeof measure->point1);
    if (global >= 0)
        measure->vector[global] = 1;
    return ib_graph_leaf(model->graph, ib_leaf_measure(model, model->n_measures++));
}

/* The component along an axis of the point's velocity less the wind's. */
static ib_node velocity_along(ib_loader *l, const ib_force *force, const double axis[3]) {
    ib_node sum = add_measure(l, force, IB_MEASURE_VELOCITY, axis, -1);
    for (int k = 0; k < 3; k++) {
        const ib_node wind = air_at(l, force, IB_AIR_WIND + (unsigned)k, &l->model->air.wind[k]);
        const ib_node cosine_of = add_measure(l, force, IB_MEASURE_DIRECTION, axis, k);
        sum = minus(l, sum, times(l, wind, cosine_of));
    }
    return sum;
}

/* Half the angle that a rate turns by while the air passes a length. */
static ib_node reduced(ib_loader *l, ib_node rate, double length, ib_node airspeed) {
    return binary(l, IB_OP_DIV, times(l, rate, number(l, length / 2)), airspeed);
}

static void find_flow(ib_loader *l, ib_force *force) {
    ib_aerodynamic *a = force->aerodynamic;
    ib_node rate[3];
    for (int i = 0; i < 3; i++) {
        a->velocity[i] = velocity_along(l, force, a->frame + 3 * i);
        rate[i] = add_measure(l, force, IB_MEASURE_ANGULAR_VELOCITY, a->frame + 3 * i, -1);
    }
    const ib_node u = a->velocity[0], v = a->velocity[1], w = a->velocity[2];
    const ib_node small = number(l, speck * speck);
    const ib_node plane = plus(l, square(l, u), square(l, w));
    const ib_node all = plus(l, plane, square(l, v));
    const ib_node airspeed = unary(l, IB_OP_SQRT, plus(l, all, small));
    const ib_node slip = unary(l, IB_OP_SQRT, plus(l, plane, small));
    const ib_node density = air_at(l, force, IB_AIR_DENSITY, &l->model->air.density);
    a->flow[IB_FLOW_ALPHA] = binary(l, IB_OP_ATAN2, w, plus(l, u, number(l, speck)));
    a->flow[IB_FLOW_BETA] = binary(l, IB_OP_ATAN2, v, slip);
    a->flow[IB_FLOW_AIRSPEED] = airspeed;
    a->flow[IB_FLOW_MACH] = binary(l, IB_OP_DIV, airspeed, sound_at(l, force));
    a->flow[IB_FLOW_PRESSURE] = times(l, times(l, number(l, 0.5), density), all);
    a->flow[IB_FLOW_P] = reduced(l, rate[0], force->reference_span, airspeed);
    a->flow[IB_FLOW_Q] = reduced(l, rate[1], force->reference_length, airspeed);
    a->flow[IB_FLOW_R] = reduced(l, rate[2], force->reference_span, airspeed);
}

/* ---- coefficients ---- */

/* What each of the six may be called. */
static const struct {
    ib_key body, wind;
} coefficient_keys[6] = {
    {IB_KEY_coefficient_CX, IB_KEY_coefficient_CD}, {IB_KEY_coefficient_CY, IB_KEY_coefficient_CY},
    {IB_KEY_coefficient_CZ, IB_KEY_coefficient_CL}, {IB_KEY_coefficient_Cl, IB_KEY_coefficient_Cl},
    {IB_KEY_coefficient_Cm, IB_KEY_coefficient_Cm}, {IB_KEY_coefficient_Cn, IB_KEY_coefficient_Cn}};

/* A coefficient of other axes. */
static void refuse_other(ib_loader *l, const ib_record *r, ib_key key, ib_key meant) {
    if (key == meant || !r->given[key])
        return;
    if (ib_report(l, IB0214, r->given[key], "%s: with these 'axes' there is %s in its place",
                  ib_keys[key].name, ib_keys[meant].name))
        ib_diags_suggest(l->diags, "body has CX, CY, CZ; stability and wind have CD, CY, CL");
}

static void need_length(ib_loader *l, const ib_record *r, const ib_record *keys, ib_key key,
                        double length) {
    if (keys->given[key] && !(length > 0) && !r->given[IB_KEY_force_reference_length])
        ib_record_need(l, r, key == IB_KEY_coefficient_Cm ? "reference_length" : "reference_span");
}

static void bind_coefficients(ib_loader *l, const ib_record *r, ib_force *force) {
    ib_aerodynamic *a = force->aerodynamic;
    ib_yaml *map = r->given[IB_KEY_force_coefficients];
    ib_record keys;
    if (!map || !ib_record_open(l, IB_SECTION_coefficient, NULL, map, &keys))
        return;
    const bool body = a->axes == IB_FLOW_BODY;
    for (int i = 0; i < 6; i++) {
        const ib_key key = body ? coefficient_keys[i].body : coefficient_keys[i].wind;
        refuse_other(l, &keys, body ? coefficient_keys[i].wind : coefficient_keys[i].body, key);
        if (keys.given[key])
            ib_expression_read(l, ib_keys[key].name, keys.given[key], IB_DIM_NUMBER, IB_USE_LAW,
                               force, -1, &a->coefficient[i], NULL);
    }
    need_length(l, r, &keys, IB_KEY_coefficient_Cm, force->reference_length);
    need_length(l, r, &keys, IB_KEY_coefficient_Cl, force->reference_span);
    need_length(l, r, &keys, IB_KEY_coefficient_Cn, force->reference_span);
}

/* The force along its own axes, of drag, side force and lift: by alpha about y and, for wind axes,
 * first by beta about z (Stevens & Lewis 2003, section 2.3). */
static void turn_force(ib_loader *l, const ib_aerodynamic *a, ib_node force[3]) {
    const ib_node alpha = a->flow[IB_FLOW_ALPHA], beta = a->flow[IB_FLOW_BETA];
    ib_node back = unary(l, IB_OP_NEG, force[0]), side = force[1];
    const ib_node up = force[2];
    if (a->axes == IB_FLOW_BODY)
        return;
    if (a->axes == IB_FLOW_WIND) {
        const ib_node x = minus(l, times(l, back, cosine(l, beta)), times(l, side, sine(l, beta)));
        side = plus(l, times(l, back, sine(l, beta)), times(l, side, cosine(l, beta)));
        back = x;
    }
    force[0] = plus(l, times(l, back, cosine(l, alpha)), times(l, up, sine(l, alpha)));
    force[1] = side;
    force[2] = minus(l, times(l, back, sine(l, alpha)), times(l, up, cosine(l, alpha)));
}

static void find_laws(ib_loader *l, const ib_force *force) {
    ib_aerodynamic *a = force->aerodynamic;
    const ib_node scale = times(l, a->flow[IB_FLOW_PRESSURE], number(l, force->reference_area));
    const double lengths[3] = {force->reference_span, force->reference_length,
                               force->reference_span};
    ib_node c[6];
    for (int i = 0; i < 6; i++)
        c[i] = a->coefficient[i].node == IB_NO_NODE ? number(l, 0) : a->coefficient[i].node;
    turn_force(l, a, c);
    for (int i = 0; i < 6; i++) {
        const ib_node whole = i < 3 ? scale : times(l, scale, number(l, lengths[i - 3]));
        a->law[i] = times(l, whole, c[i]);
    }
}

/* Its axes in those of body1. */
static void find_frame(ib_loader *l, const ib_record *r, ib_force *force) {
    ib_aerodynamic *a = force->aerodynamic;
    const double *body = l->model->bodies[force->body1].orientation;
    double frame[9];
    if (!r->given[IB_KEY_force_orientation])
        ib_tracked_copy(l, body, force->orientation, 4);
    ib_quat_matrix(force->orientation, frame);
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {frame[i], frame[3 + i], frame[6 + i]};
        ib_quat_rotate_back(body, axis, a->frame + 3 * i);
    }
    if (!r->given[IB_KEY_force_orientation]) {
        static const double same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        memcpy(a->frame, same, sizeof same); /* without rounding */
    }
}

static void check_sizes(ib_loader *l, const ib_record *r, const ib_force *force) {
    const ib_key keys[3] = {IB_KEY_force_reference_area, IB_KEY_force_reference_length,
                            IB_KEY_force_reference_span};
    const double values[3] = {force->reference_area, force->reference_length,
                              force->reference_span};
    for (int i = 0; i < 3; i++)
        if (ib_record_has(r, keys[i]) && !(values[i] > 0))
            ib_report(l, IB0607, r->given[keys[i]], "%s: %.6g is not greater than 0",
                      ib_keys[keys[i]].name, values[i]);
}

static void note_no_air(ib_loader *l, const ib_force *force) {
    if (!l->model->air.given)
        ib_diags_add(l->diags, IB_NOTE, IB0334, force->element.place,
                     "%s: the model has no 'air' at its top, so run by itself it flies in none",
                     force->element.name);
}

void ib_bind_aerodynamic(ib_loader *l, ib_record *r, ib_force *force) {
    const bool placed = ib_record_has(r, IB_KEY_force_body1) && force->body1 != IB_GROUND;
    force->air = (int)l->n_air_bound++;
    check_sizes(l, r, force);
    if (!r->given[IB_KEY_force_reference_point] && placed)
        ib_body_point(l, force->body1, force->reference_point);
    if (!r->given[IB_KEY_force_reference_span])
        ib_tracked_copy(l, &force->reference_length, &force->reference_span, 1);
    ib_tracked_copy(l, force->reference_point, force->point1, 3);
    ib_tracked_copy(l, force->reference_point, force->point2, 3);
    force->aerodynamic = IB_ARENA_NEW(l->arena, ib_aerodynamic);
    if (!force->aerodynamic) {
        l->no_memory = true;
        return;
    }
    for (int i = 0; i < 6; i++)
        force->aerodynamic->coefficient[i] = no_expr;
    if (!placed || !r->given[IB_KEY_force_axes] ||
        !ib_record_take(l, r, IB_KEY_force_axes, &force->aerodynamic->axes))
        return;
    note_no_air(l, force);
    find_frame(l, r, force);
    find_flow(l, force);
    bind_coefficients(l, r, force);
    find_laws(l, force);
}

/* ---- thrust ---- */

/* The tank that is burnt; -1 where none is. */
static void bind_tank(ib_loader *l, ib_record *r, ib_force *force) {
    int body = force->body1;
    ib_yaml *node = r->given[IB_KEY_force_tank];
    if (node && !ib_record_take(l, r, IB_KEY_force_tank, &body))
        return;
    if (node && !r->given[IB_KEY_force_isp])
        ib_report(l, IB0214, node, "'tank' has a meaning only with 'isp'");
    const int tank = body >= 0 ? l->model->bodies[body].propellant.tank : -1;
    if (node && tank < 0 &&
        ib_report(l, IB0335, node, "tank: '%s' carries no propellant", node->text))
        ib_diags_suggest(l->diags, "give that body propellant: {mass: ..}");
    force->tank = r->given[IB_KEY_force_isp] ? tank : -1;
}

/* The thrust, but not below 0. Where it is a constant of the parameters its sign is known. */
static ib_node never_negative(ib_loader *l, const ib_expr *expr) {
    double value = -1;
    if (expr->over_parameters > 0)
        value = ib_constant_value(l->model, expr->over_parameters - 1);
    else
        ib_graph_is_const(l->model->graph, expr->node, &value);
    return value >= 0 ? expr->node : binary(l, IB_OP_MAX, expr->node, number(l, 0));
}

static void find_push(ib_loader *l, ib_force *force) {
    const ib_model *model = l->model;
    const ib_node vacuum = never_negative(l, &force->thrust);
    force->push = vacuum;
    if (force->nozzle_area > 0) {
        const ib_node pressure = air_at(l, force, IB_AIR_PRESSURE, &model->air.pressure);
        const ib_node lost = times(l, number(l, force->nozzle_area), pressure);
        force->push = binary(l, IB_OP_MAX, minus(l, vacuum, lost), number(l, 0));
    }
    if (force->tank < 0)
        return;
    const ib_node used = ib_graph_leaf(model->graph, ib_leaf_tank_used(model, (size_t)force->tank));
    force->push = times(l, used, force->push);
    force->flow = times(l, used, binary(l, IB_OP_DIV, vacuum, number(l, force->isp * standard_g)));
}

void ib_bind_thrust(ib_loader *l, ib_record *r, ib_force *force) {
    force->air = (int)l->n_air_bound++;
    force->push = force->flow = IB_NO_NODE;
    ib_tracked_copy(l, force->point1, force->point2, 3);
    if (ib_record_has(r, IB_KEY_force_isp) && !(force->isp > 0))
        ib_report(l, IB0607, r->given[IB_KEY_force_isp], "isp: %.6g is not greater than 0",
                  force->isp);
    if (ib_record_has(r, IB_KEY_force_nozzle_area) && force->nozzle_area < 0)
        ib_report(l, IB0607, r->given[IB_KEY_force_nozzle_area], "nozzle_area: %.6g is negative",
                  force->nozzle_area);
    if (force->nozzle_area > 0)
        note_no_air(l, force);
    bind_tank(l, r, force);
    if (r->given[IB_KEY_force_thrust] &&
        ib_expression_read(l, "thrust", r->given[IB_KEY_force_thrust], IB_DIM_FORCE, IB_USE_LAW,
                           NULL, -1, &force->thrust, NULL))
        find_push(l, force);
}
