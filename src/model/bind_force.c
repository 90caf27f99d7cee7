/* bind_force: forces and torques - bodies, points, directions and laws - and motors. */
#include "model/model_internal.h"

#include <math.h>
#include <string.h>

static void need_together(ib_loader *l, ib_record *r, ib_key given, ib_key needed) {
    if (!r->given[given] || r->given[needed])
        return;
    ib_report(l, IB0214, r->given[given], "'%s' has a meaning only with '%s'", ib_keys[given].name,
              ib_keys[needed].name);
    r->bad[given] = true;
}

/* Centres of mass where no point is given. */
static void default_points(ib_loader *l, const ib_record *r, ib_force *force) {
    if (!r->given[IB_KEY_force_point1] && !r->given[IB_KEY_force_point])
        ib_body_point(l, force->body1, force->point1);
    if (!r->given[IB_KEY_force_point2])
        ib_body_point(l, force->body2, force->point2);
}

/* Keys whose dimension depends on the type have none in the table. */
static void bind_law_of(ib_loader *l, const ib_record *r, ib_key key, ib_dimension dimension,
                        ib_force *own, int bare, ib_expr *law) {
    if (r->given[key])
        ib_expression_read(l, ib_keys[key].name, r->given[key], dimension, IB_USE_LAW, own, bare,
                           law, NULL);
}

static void bind_law(ib_loader *l, const ib_record *r, ib_key key, ib_force *own, ib_expr *law) {
    bind_law_of(l, r, key, ib_keys[key].dimension, own, -1, law);
}

static void bind_number(ib_loader *l, ib_record *r, ib_key key, ib_dimension dimension,
                        double *value) {
    if (r->given[key])
        r->bad[key] = !ib_read_number(l, ib_keys[key].name, r->given[key], dimension, value);
}

static void bind_spring_damper(ib_loader *l, ib_record *r, ib_force *force) {
    bind_law_of(l, r, IB_KEY_force_stiffness, IB_DIM_STIFFNESS, force, IB_MEASURE_DISTANCE,
                &force->stiffness);
    bind_law_of(l, r, IB_KEY_force_damping, IB_DIM_DAMPING, force, IB_MEASURE_DISTANCE_RATE,
                &force->damping);
    bind_number(l, r, IB_KEY_force_preload, IB_DIM_FORCE, &force->preload);
}

/* The frame whose z is the axis, from either key. */
static void bind_frame(ib_loader *l, ib_record *r, ib_force *force) {
    ib_record_exclude(l, r, IB_KEY_force_axis, IB_KEY_force_orientation, "'axis' is its z-axis");
    if (r->given[IB_KEY_force_axis])
        ib_frame_along(l, force->axis, force->orientation);
}

static void bind_torsion_spring(ib_loader *l, ib_record *r, ib_force *force) {
    bind_frame(l, r, force);
    if (!r->given[IB_KEY_force_axis] && !r->given[IB_KEY_force_orientation])
        ib_record_need(l, r, "axis");
    bind_law_of(l, r, IB_KEY_force_stiffness, IB_DIM_ANGULAR_STIFFNESS, force, IB_MEASURE_ANGLE,
                &force->stiffness);
    bind_law_of(l, r, IB_KEY_force_damping, IB_DIM_ANGULAR_DAMPING, force, IB_MEASURE_ANGULAR_RATE,
                &force->damping);
    bind_number(l, r, IB_KEY_force_preload, IB_DIM_TORQUE, &force->preload);
}

/* ---- bushings ---- */

/* Six numbers: of translations, then of rotations. */
static bool read_six(ib_loader *l, const char *key, ib_yaml *list, const ib_dimension dimension[2],
                     double values[6]) {
    bool good = true;
    if (!ib_check_list(l, key, list, 6, "6 numbers"))
        return false;
    for (size_t i = 0; i < 6; i++)
        good = ib_read_number(l, key, list->items[i], dimension[i / 3], &values[i]) && good;
    return good;
}

/* Reports the first pair of entries that differ by more than rounding, and a negative diagonal. */
static void check_matrix(ib_loader *l, const char *key, ib_yaml *node, const double *A) {
    double largest = 0;
    for (size_t i = 0; i < 36; i++)
        largest = fabs(A[i]) > largest ? fabs(A[i]) : largest;
    for (size_t i = 0; i < 6; i++) {
        if (A[7 * i] < 0)
            ib_report(l, IB0607, node, "%s: entry %zu of the diagonal is negative (%.6g)", key,
                      i + 1, A[7 * i]);
        for (size_t j = 0; j < i; j++)
            if (!(fabs(A[6 * i + j] - A[6 * j + i]) <= 1e-9 * largest))
                ib_report(l, IB0607, node,
                          "%s: the matrix is not symmetric: (%zu, %zu) is %.9g, (%zu, %zu) is %.9g",
                          key, i + 1, j + 1, A[6 * i + j], j + 1, i + 1, A[6 * j + i]);
    }
}

/* Six numbers of the diagonal, or six lists of six. */
static void bind_matrix(ib_loader *l, ib_record *r, ib_key key, const ib_dimension dimension[2],
                        double *A) {
    static const ib_dimension any[2] = {IB_DIM_ANY, IB_DIM_ANY};
    const char *name = ib_keys[key].name;
    ib_yaml *node = r->given[key];
    double diagonal[6] = {0};
    bool good = true;
    if (!node)
        return;
    if (node->kind == IB_YAML_LIST && node->n > 0 && node->items[0]->kind == IB_YAML_LIST) {
        good = ib_check_list(l, name, node, 6, "6 lists of 6 numbers");
        for (size_t i = 0; good && i < 6; i++)
            good = read_six(l, name, node->items[i], any, A + 6 * i);
    } else {
        good = read_six(l, name, node, dimension, diagonal);
        for (size_t i = 0; i < 6; i++)
            ib_tracked_copy(l, &diagonal[i], &A[7 * i], 1);
    }
    if (good)
        check_matrix(l, name, node, A);
}

static void bind_bushing(ib_loader *l, ib_record *r, ib_force *force) {
    static const ib_dimension stiffness[2] = {IB_DIM_STIFFNESS, IB_DIM_ANGULAR_STIFFNESS};
    static const ib_dimension damping[2] = {IB_DIM_DAMPING, IB_DIM_ANGULAR_DAMPING};
    static const ib_dimension preload[2] = {IB_DIM_FORCE, IB_DIM_TORQUE};
    force->bushing = IB_ARENA_NEW(l->arena, ib_bushing);
    if (!force->bushing) {
        l->no_memory = true;
        return;
    }
    ib_tracked_copy(l, force->point1, force->point2, 3);
    bind_matrix(l, r, IB_KEY_force_stiffness, stiffness, force->bushing->stiffness);
    bind_matrix(l, r, IB_KEY_force_damping, damping, force->bushing->damping);
    if (r->given[IB_KEY_force_preload])
        read_six(l, "preload", r->given[IB_KEY_force_preload], preload, force->bushing->preload);
}

static void bind_expression_force(ib_loader *l, ib_record *r, ib_force *force) {
    force->has_axis = r->given[IB_KEY_force_axis] != NULL;
    ib_record_exclude(l, r, IB_KEY_force_axis, IB_KEY_force_point2,
                      "with an axis the reaction acts at point1");
    need_together(l, r, IB_KEY_force_frame, IB_KEY_force_axis);
    if (force->has_axis)
        ib_tracked_copy(l, force->point1, force->point2, 3);
    bind_law(l, r, IB_KEY_force_force, force->has_axis ? NULL : force, &force->law);
}

static void bind_expression_torque(ib_loader *l, ib_record *r, ib_force *force) {
    force->has_axis = true;
    force->frame = force->body2;
    bind_law(l, r, IB_KEY_force_torque, NULL, &force->law);
}

/* Components along the axes of the present file as components along the global ones. */
static void place_triple(ib_loader *l, ib_expr value[3]) {
    ib_graph *g = l->model->graph;
    ib_node turned[3] = {IB_NO_NODE, IB_NO_NODE, IB_NO_NODE};
    double R[9];
    ib_quat_matrix(l->document->orientation, R);
    for (int k = 0; k < 9; k++) {
        ib_node *sum = &turned[k / 3];
        if (!(fabs(R[k]) > 0))
            continue;
        const ib_node part = ib_mul(g, ib_graph_const(g, R[k]), value[k % 3].node);
        *sum = *sum == IB_NO_NODE ? part : ib_add(g, *sum, part);
    }
    for (int i = 0; i < 3; i++) {
        value[i].node = turned[i];
        value[i].over_parameters = 0;
    }
}

static void bind_triple(ib_loader *l, ib_record *r, ib_force *force) {
    ib_yaml *list = r->given[IB_KEY_force_value];
    const ib_dimension dimension = force->type == IB_FORCE_FORCE ? IB_DIM_FORCE : IB_DIM_TORQUE;
    ib_tracked_copy(l, force->point1, force->point2, 3);
    if (!list)
        return;
    if (!ib_check_list(l, "value", list, 3, "3 expressions"))
        return;
    bool good = true;
    for (size_t i = 0; i < 3; i++)
        good = ib_expression_read(l, "value", list->items[i], dimension, IB_USE_LAW, NULL, -1,
                                  &force->value[i], NULL) &&
               good;
    if (good && l->document->placed && force->frame == IB_GROUND)
        place_triple(l, force->value);
}

/* ---- contacts ---- */

/* A table of two arguments without kinks. */
static void bind_surface(ib_loader *l, const ib_record *r, const ib_table **surface) {
    ib_yaml *node = r->given[IB_KEY_force_surface];
    const char *name = NULL;
    if (!node || !ib_read_text(l, "surface", node, &name) || strcmp(name, "plane") == 0)
        return;
    const size_t index = ib_find_name(l, &l->quantity_names, name);
    if (index == SIZE_MAX || l->quantities[index].kind != IB_QUANTITY_TABLE) {
        if (ib_report(l, IB0330, node, "surface: there is no table '%s'", name))
            ib_diags_suggest(l->diags, "'plane', or a name declared under tables");
        return;
    }
    *surface = l->model->tables[l->quantities[index].index];
    if (*surface && ib_table_arity(*surface) != 2)
        ib_report(l, IB0607, node, "surface: '%s' has %u arguments, but a height is over x and y",
                  name, ib_table_arity(*surface));
    else if (*surface && ib_table_degree(*surface) < 3)
        ib_report(l, IB0607, node,
                  "surface: '%s' has edges, on which a ball has no one place of contact; give it "
                  "type: cubic",
                  name);
}

static void bind_contact(ib_loader *l, ib_record *r, ib_force *force) {
    ib_contact *contact = &force->contact;
    bind_frame(l, r, force);
    bind_surface(l, r, &contact->surface);
    bind_number(l, r, IB_KEY_force_stiffness, IB_DIM_ANY, &contact->stiffness);
    ib_check_positive(l, r, IB_KEY_force_stiffness, contact->stiffness);
    ib_check_positive(l, r, IB_KEY_force_stick_velocity, contact->stick_velocity);
    ib_check_not_negative(l, r, IB_KEY_force_radius, contact->radius);
    ib_check_not_negative(l, r, IB_KEY_force_dissipation, contact->dissipation);
    ib_check_not_negative(l, r, IB_KEY_force_mu, contact->mu);
    ib_check_not_negative(l, r, IB_KEY_force_max_depth, contact->max_depth);
    if (ib_record_has(r, IB_KEY_force_exponent) && !(contact->exponent >= 1))
        ib_report(l, IB0607, r->given[IB_KEY_force_exponent],
                  "exponent: %.6g is less than 1, which no surface has", contact->exponent);
    if (ib_record_has(r, IB_KEY_force_max_depth))
        return;
    contact->max_depth = 0.01;
    if (contact->radius > 0) {
        ib_tracked_copy(l, &contact->radius, &contact->max_depth, 1);
        ib_tracked_divide(l, &contact->max_depth, 10);
    }
}

/* ---- rotors, buoyancy ---- */

static void need_body(ib_loader *l, const ib_record *r, const ib_force *force) {
    if (ib_record_has(r, IB_KEY_force_body1) && force->body1 == IB_GROUND)
        ib_report(l, IB0312, r->given[IB_KEY_force_body1],
                  "body1: a %s acts on a body, not on the ground", r->type->name);
}

static void bind_spin(ib_loader *l, const ib_record *r, int *spin) {
    double value = 1;
    ib_yaml *node = r->given[IB_KEY_force_spin];
    if (!node || !ib_read_number(l, "spin", node, IB_DIM_NUMBER, &value))
        return;
    *spin = value < 0 ? -1 : 1;
    if (fabs(value) < 1 || fabs(value) > 1)
        ib_report(l, IB0607, node, "spin: %.6g is neither 1 nor -1", value);
}

static void bind_rotor(ib_loader *l, ib_record *r, ib_force *force) {
    need_body(l, r, force);
    bind_spin(l, r, &force->spin);
    bind_law(l, r, IB_KEY_force_speed, NULL, &force->speed);
    bind_number(l, r, IB_KEY_force_damping, IB_DIM_ANY, &force->rotor_damping);
    ib_check_not_negative(l, r, IB_KEY_force_k_torque, force->k_torque);
    ib_check_not_negative(l, r, IB_KEY_force_inflow, force->inflow);
    ib_check_not_negative(l, r, IB_KEY_force_damping, force->rotor_damping);
}

static void bind_buoyancy(ib_loader *l, ib_record *r, ib_force *force) {
    need_body(l, r, force);
    bind_law(l, r, IB_KEY_force_volume, NULL, &force->volume);
    bind_law(l, r, IB_KEY_force_density, NULL, &force->density);
    if (!(ib_norm(l->model->gravity) > 0))
        ib_report_place(
            l, IB0214, r->place,
            "force '%s': buoyancy is the weight of a medium, and without 'gravity' at the "
            "top nothing has weight",
            r->name);
}

static void bind_motor(ib_loader *l, ib_record *r, ib_force *force) {
    const size_t name = ib_names_find(l->quantity_names.names, force->element.name);
    force->motor = name == SIZE_MAX ? 0 : (int)l->quantities[name].index;
    ib_check_positive(l, r, IB_KEY_force_tau_up, force->tau_up);
    ib_check_positive(l, r, IB_KEY_force_tau_down, force->tau_down);
    ib_check_positive(l, r, IB_KEY_force_rate_limit, force->rate_limit);
    ib_check_positive(l, r, IB_KEY_force_max, force->max);
    if (ib_record_has(r, IB_KEY_force_start) && fabs(force->start) > force->max)
        ib_report(l, IB0607, r->given[IB_KEY_force_start],
                  "start: %.6g is beyond 'max', which is %.6g", force->start, force->max);
    if (!ib_record_has(r, IB_KEY_force_tau_down))
        ib_tracked_copy(l, &force->tau_up, &force->tau_down, 1);
    bind_law(l, r, IB_KEY_force_command, NULL, &force->command);
}

static void bind_force(ib_loader *l, const ib_yaml_entry *entry, ib_force *force) {
    const ib_expr none = {.node = IB_NO_NODE};
    ib_record r;
    *force = (ib_force){.element = ib_element_of(l, entry->key),
                        .body1 = IB_GROUND,
                        .body2 = IB_GROUND,
                        .frame = IB_GROUND,
                        .axis = {0, 0, 1},
                        .orientation = {1, 0, 0, 0},
                        .law = none,
                        .value = {none, none, none},
                        .stiffness = none,
                        .damping = none,
                        .free_length = (double)NAN,
                        .command = none,
                        .speed = none,
                        .spin = 1,
                        .contact = {.exponent = 1.5, .stick_velocity = 1e-3},
                        .volume = none,
                        .density = none,
                        .thrust = none,
                        .push = IB_NO_NODE,
                        .flow = IB_NO_NODE,
                        .direction = {0, 0, 1},
                        .tank = -1,
                        .air = -1,
                        .tau_up = 1,
                        .tau_down = 1,
                        .rate_limit = (double)INFINITY,
                        .max = (double)INFINITY,
                        .length = -1,
                        .rate = -1};
    ib_place_direction(l, force->axis);
    ib_place_orientation(l, force->orientation);
    if (!ib_record_open(l, IB_SECTION_force, entry->key, entry->value, &r))
        return;
    force->type = (ib_force_type)r.type->value;
    ib_record_read(l, &r, force);
    if (ib_record_has(&r, IB_KEY_force_body1) && !r.bad[IB_KEY_force_body2] &&
        (ib_keys[IB_KEY_force_body2].types & UINT32_C(1) << force->type))
        ib_check_two_bodies(l, &r, force->body1, force->body2, IB_KEY_force_body2);
    default_points(l, &r, force);
    switch (force->type) {
    case IB_FORCE_SPRING_DAMPER:
        bind_spring_damper(l, &r, force);
        break;
    case IB_FORCE_TORSION_SPRING:
        bind_torsion_spring(l, &r, force);
        break;
    case IB_FORCE_BUSHING:
        bind_bushing(l, &r, force);
        break;
    case IB_FORCE_EXPRESSION_FORCE:
        bind_expression_force(l, &r, force);
        break;
    case IB_FORCE_EXPRESSION_TORQUE:
        bind_expression_torque(l, &r, force);
        break;
    case IB_FORCE_FORCE:
    case IB_FORCE_TORQUE:
        bind_triple(l, &r, force);
        break;
    case IB_FORCE_MOTOR:
        bind_motor(l, &r, force);
        break;
    case IB_FORCE_CONTACT:
        bind_contact(l, &r, force);
        break;
    case IB_FORCE_ROTOR:
        bind_rotor(l, &r, force);
        break;
    case IB_FORCE_BUOYANCY:
        bind_buoyancy(l, &r, force);
        break;
    case IB_FORCE_AERODYNAMIC:
        need_body(l, &r, force);
        ib_bind_aerodynamic(l, &r, force);
        break;
    case IB_FORCE_THRUST:
        need_body(l, &r, force);
        ib_bind_thrust(l, &r, force);
        break;
    case IB_FORCE_GRAVITY:
        break;
    }
}

void ib_bind_forces(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_forces && ib_going_on(l); i++)
        bind_force(l, ib_section_entry(l, IB_KEY_top_forces, i), &l->model->forces[i]);
}
