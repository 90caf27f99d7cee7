/* A mechanism takes off: what of its model can fly, where it is put at t = 0, what it shows. */
#include "world/machine.h"
#include "world/world_internal.h"

#include <string.h>

/* ---- what can fly ---- */

bool ib_model_is_rigid(const ib_model *model) {
    for (size_t i = 0; i < model->n_joints; i++)
        if (model->joints[i].type != IB_JOINT_FIXED || model->joints[i].body1 == IB_GROUND ||
            model->joints[i].body2 == IB_GROUND)
            return false;
    for (size_t i = 0; i < model->n_forces; i++)
        if (model->forces[i].type != IB_FORCE_GRAVITY)
            return false;
    for (size_t i = 0; i < model->n_bodies; i++)
        if (model->bodies[i].propellant.mass > 0)
            return false;
    return model->n_drivers == 0;
}

/* Whether a force holds on to a place of the ground, not only to a direction. */
static bool is_anchored(const ib_force *force) {
    switch (force->type) {
    case IB_FORCE_SPRING_DAMPER:
    case IB_FORCE_TORSION_SPRING:
    case IB_FORCE_BUSHING:
    case IB_FORCE_CONTACT:
        return force->body1 == IB_GROUND || force->body2 == IB_GROUND;
    default:
        return false;
    }
}

static bool refuse(ib_world_loader *l, ib_place place, ib_place declared, const char *vehicle,
                   const char *element, const char *why) {
    ib_diags_add(l->diags, IB_ERROR, IB0346, place, "vehicle '%s' cannot fly: '%s' %s", vehicle,
                 element, why);
    if (declared.line)
        ib_diags_note(l->diags, declared, "declared here");
    return false;
}

/* The ground of a model is the launch frame, which only a flat Earth stands still in. */
static bool check_ground(ib_world_loader *l, const ib_vehicle_spec *spec, const ib_model *model) {
    static const char why[] = "holds on to the ground, which turns away from the launch frame; "
                              "environment: {earth: {shape: flat}} has ground that stays";
    if (l->world->environment.earth.shape == IB_EARTH_FLAT)
        return true;
    for (size_t i = 0; i < model->n_joints; i++)
        if (model->joints[i].body1 == IB_GROUND || model->joints[i].body2 == IB_GROUND)
            return refuse(l, spec->plant_place, model->joints[i].element.place, spec->name,
                          model->joints[i].element.name, why);
    for (size_t i = 0; i < model->n_forces; i++)
        if (is_anchored(&model->forces[i]))
            return refuse(l, spec->plant_place, model->forces[i].element.place, spec->name,
                          model->forces[i].element.name, why);
    return true;
}

/* What belongs to rigid vehicles alone. */
static bool check_vehicle(ib_world_loader *l, const ib_vehicle_spec *spec) {
    const ib_place none = {0};
    if (spec->held)
        return refuse(l, spec->place, none, spec->name, "held",
                      "is for a rigid vehicle; a mechanism stands on contacts of its model");
    if (spec->drag_area > 0)
        return refuse(l, spec->place, none, spec->name, "drag_area",
                      "is for a rigid vehicle; a mechanism has aerodynamic forces of its model");
    if (spec->sampling)
        return refuse(l, spec->place, none, spec->name, "force_sampling",
                      "is for a rigid vehicle; a mechanism's forces are asked for by its solver");
    if (spec->n_separations > 0)
        return refuse(l, spec->separations[0].place, none, spec->name, spec->separations[0].name,
                      "separates parts of a mechanism; only rigid vehicles come apart");
    for (size_t i = 0; i < spec->n_devices; i++)
        if (spec->devices[i].propellant > 0)
            return refuse(l, spec->devices[i].place, none, spec->name, spec->devices[i].name,
                          "has a tank of its own; a mechanism's propellant is that of its model's "
                          "bodies, which its thrusts burn");
    return true;
}

/* ---- what surrounds it ---- */

static void feel_gravity(void *context, double t, const double r[3], double g[3],
                         double gradient[9]) {
    const struct ib_machine *m = context;
    double place[3], pull[3], slope[9], half[9], back[9];
    (void)t;
    ib_mul3v(m->launch, r, place);
    ib_axpy(m->origin, 1, place, place);
    ib_gravity_at(&m->environment->gravity, place, pull, slope);
    ib_mul3tv(m->launch, pull, g);
    for (int i = 0; i < 9; i++)
        back[i] = m->launch[3 * (i % 3) + i / 3];
    ib_mul33(slope, m->launch, half);
    ib_mul33(back, half, gradient);
}

static void feel_air(void *context, double t, const double r[3], ib_mech_air *air) {
    const struct ib_machine *m = context;
    ib_surroundings around;
    double place[3];
    ib_mul3v(m->launch, r, place);
    ib_axpy(m->origin, 1, place, place);
    ib_environment_probe(m->environment, place, t, &around);
    air->density = around.air.density;
    air->sound_speed = around.air.sound_speed;
    air->pressure = around.air.pressure;
    ib_mul3tv(m->launch, around.air_velocity, air->velocity);
}

/* ---- where it is ---- */

/* Where the model has it: its centre of mass, and the attitude of its first body. */
static bool own_place(ib_world_loader *l, const struct ib_machine *m, double centre[3],
                      double attitude[4]) {
    const ib_dynamics *d;
    double mass = 0;
    if (ib_system_look(m->system, &d, l->diags) != IB_OK)
        return false;
    memset(centre, 0, 3 * sizeof *centre);
    for (size_t i = 0; i < m->model->n_bodies; i++) {
        double own[3];
        ib_dynamics_centre(d, (int)i, own);
        ib_axpy(centre, ib_dynamics_mass(d, (int)i), own, centre);
        mass += ib_dynamics_mass(d, (int)i);
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= mass;
    memcpy(attitude, ib_dynamics_bodies(d) + IB_STATE_Q, 4 * sizeof *attitude);
    return true;
}

/* Without `initial` it stands where its model has it, at rest over the ground. */
static void stay(const ib_world *world, const struct ib_machine *m, const double centre[3],
                 const double attitude[4], ib_flight_state *flight) {
    const double turning[3] = {0, 0, world->environment.earth.rate};
    double launch[4];
    ib_mul3v(m->launch, centre, flight->position);
    ib_axpy(flight->position, 1, m->origin, flight->position);
    ib_cross(turning, flight->position, flight->velocity);
    ib_quat_from_matrix(m->launch, launch);
    ib_quat_mul(launch, attitude, flight->attitude);
    ib_quat_rotate_back(flight->attitude, turning, flight->rate);
}

/* From the model's place to that of `flight`, in the launch frame. */
static void motion_to(const struct ib_machine *m, const double centre[3], const double attitude[4],
                      const ib_flight_state *flight, bool turned, ib_rigid_motion *motion) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double away[3], rate[3], launch[4], back[4], aim[4], q[4];
    memcpy(motion->from, centre, sizeof motion->from);
    memcpy(motion->turn, identity, sizeof identity);
    memcpy(motion->to, centre, sizeof motion->to);
    ib_mul3tv(m->launch, flight->velocity, motion->velocity);
    ib_quat_rotate(flight->attitude, flight->rate, rate);
    ib_mul3tv(m->launch, rate, motion->rate);
    if (!turned)
        return;
    ib_sub3(flight->position, m->origin, away);
    ib_mul3tv(m->launch, away, motion->to);
    ib_quat_from_matrix(m->launch, launch);
    for (int i = 0; i < 4; i++) {
        launch[i] = i == 0 ? launch[i] : -launch[i];
        back[i] = i == 0 ? attitude[i] : -attitude[i];
    }
    ib_quat_mul(launch, flight->attitude, aim);
    ib_quat_mul(aim, back, q);
    ib_quat_normalize(q);
    ib_quat_matrix(q, motion->turn);
}

static bool put_in_place(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    struct ib_machine *m = vehicle->machine;
    ib_flight_state *flight = &vehicle->state.flight;
    const bool turned = spec->initial.place.line > 0;
    double centre[3], attitude[4];
    ib_rigid_motion motion;
    if (!own_place(l, m, centre, attitude))
        return false;
    if (!turned)
        stay(l->world, m, centre, attitude, flight);
    motion_to(m, centre, attitude, flight, turned, &motion);
    if (ib_system_place(m->system, &motion, &m->field, l->diags) == IB_OK)
        return true;
    ib_diags_note(l->diags, turned ? spec->initial.place : spec->place, "where vehicle '%s' begins",
                  spec->name);
    return false;
}

/* ---- all of it ---- */

static bool list_channels(ib_world_loader *l, struct ib_machine *m) {
    const size_t n = ib_system_channel_count(m->system);
    m->channels = IB_ARENA_ARRAY(l->world->arena, n + 1, ib_handle);
    for (size_t i = 0; m->channels && i < n; i++)
        if (ib_system_recorded_by_default(m->system, (ib_handle)i))
            m->channels[m->n_channels++] = (ib_handle)i;
    return m->channels != NULL;
}

static bool allocate(ib_world_loader *l, const ib_family *family, struct ib_machine *m) {
    ib_arena *arena = l->world->arena;
    const size_t size = ib_system_state_size(m->system) / sizeof(double) + 1;
    m->wrenches = IB_ARENA_ARRAY(arena, 6 * family->n_parts, double);
    m->sums = IB_ARENA_ARRAY(arena, 6 * family->n_parts, double);
    m->truths = IB_ARENA_ARRAY(arena, family->n_parts, ib_truth_point);
    m->before = IB_ARENA_ARRAY(arena, size, double);
    m->now = IB_ARENA_ARRAY(arena, size, double);
    l->no_memory = l->no_memory || !m->wrenches || !m->sums || !m->truths || !m->before ||
                   !m->now || !list_channels(l, m);
    return !l->no_memory;
}

bool ib_load_machine(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    ib_world *world = l->world;
    const ib_family *family = vehicle->family;
    if (!family->machine)
        return true;
    if (!check_vehicle(l, spec) || !check_ground(l, spec, family->machine))
        return false;
    struct ib_machine *m = IB_ARENA_NEW(world->arena, struct ib_machine);
    l->no_memory = l->no_memory || !m;
    if (!m)
        return false;
    *m = (struct ib_machine){.model = family->machine,
                             .environment = &world->environment,
                             .origin = world->origin,
                             .launch = world->launch};
    m->field = (ib_mech_field){m, feel_gravity, feel_air};
    for (size_t i = 0; i < family->n_units; i++)
        m->carriers |= UINT32_C(1) << family->units[i].part;
    vehicle->machine = m;
    if (ib_system_create(m->model, l->diags, &m->system) != IB_OK) {
        ib_diags_note(l->diags, spec->plant_place, "the plant of vehicle '%s'", spec->name);
        return false;
    }
    return allocate(l, family, m) && put_in_place(l, spec, vehicle);
}
