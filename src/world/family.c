/* From a model to the parts of a vehicle: bodies held together by fixed joints, or a mechanism.
 *
 * Structure axes are those of the model's first body, whose attitude the mission gives; the origin
 * is that of the model's global frame at t = 0.
 */
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plant's model ---- */

static const ib_plant_spec *find_plant(ib_world_loader *l, const ib_vehicle_spec *spec) {
    const ib_mission *mission = l->mission;
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < mission->n_plants; i++) {
        if (strcmp(mission->plants[i].name, spec->plant) == 0)
            return &mission->plants[i];
        if (n < IB_COUNT(names))
            names[n++] = mission->plants[i].name;
    }
    ib_load_unknown(l, IB0341, spec->plant_place, "plant", spec->plant, names, n);
    return NULL;
}

void ib_load_identify(ib_world *world, const char *path) {
    char *text = NULL;
    size_t length = 0;
    if (ib_file_read(path, (size_t)64 << 20, NULL, IB_NO_PLACE, &text, &length) == IB_OK)
        world->identity = ib_hash_bytes(world->identity, text, length);
    free(text);
}

/* Loaded once. */
static const ib_model *load_model(ib_world_loader *l, const ib_plant_spec *plant) {
    ib_world *world = l->world;
    ib_model **model = &world->models[plant - l->mission->plants];
    if (*model)
        return *model;
    const char *path = ib_path_beside(world->arena, l->mission->file, plant->model);
    if (!path) {
        l->no_memory = true;
        return NULL;
    }
    if (!ib_file_exists(path)) {
        ib_diags_add(l->diags, IB_ERROR, IB0101, plant->model_place,
                     "the model '%s' of plant '%s' cannot be read: there is no such file", path,
                     plant->name);
        return NULL;
    }
    if (ib_model_load(path, plant->parameters, plant->n_parameters, l->diags, model) == IB_OK) {
        ib_load_identify(l->world, path);
        return *model;
    }
    ib_diags_note(l->diags, plant->model_place, "the model of plant '%s'", plant->name);
    return NULL;
}

/* ---- what can fly ---- */

static bool check_size(ib_world_loader *l, const ib_plant_spec *plant, const ib_model *model) {
    if (model->n_bodies > 0 && model->n_bodies <= IB_VEHICLE_PARTS &&
        (model->n_joints <= IB_VEHICLE_PARTS || !ib_model_is_rigid(model)))
        return true;
    ib_diags_add(
        l->diags, IB_ERROR, IB0347, plant->model_place,
        "plant '%s': a vehicle has 1 to %d bodies, and as many joints where those are fixed",
        plant->name, IB_VEHICLE_PARTS);
    return false;
}

/* ---- parts ---- */

static void transpose(const double R[9], double out[9]) {
    for (int i = 0; i < 9; i++)
        out[i] = R[3 * (i % 3) + i / 3];
}

static void make_part(const double first[9], const ib_body *body, ib_part *part) {
    const double *J = body->inertia;
    const double own[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    double R[9], half[9], back[9];
    part->name = body->element.name;
    part->mass = body->mass;
    ib_mul3tv(first, body->position, part->centre);
    ib_quat_matrix(body->orientation, R);
    transpose(first, back);
    ib_mul33(back, R, part->turn);
    transpose(part->turn, back);
    ib_mul33(part->turn, own, half);
    ib_mul33(half, back, part->inertia);
}

/* The model's first body is itself, to the bit. */
static void make_first(const ib_body *body, ib_part *part) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *J = body->inertia;
    const double own[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    memcpy(part->turn, identity, sizeof identity);
    memcpy(part->inertia, own, sizeof own);
}

static bool check_connected(ib_world_loader *l, const ib_plant_spec *plant,
                            const ib_family *family) {
    uint32_t reached = 1;
    for (size_t pass = 0; pass < family->n_parts; pass++)
        for (size_t i = 0; i < family->n_links; i++) {
            const uint32_t both =
                UINT32_C(1) << family->links[i].part1 | UINT32_C(1) << family->links[i].part2;
            if (reached & both)
                reached |= both;
        }
    for (size_t i = 0; i < family->n_parts; i++)
        if (!(reached >> i & 1)) {
            ib_diags_add(l->diags, IB_ERROR, IB0346, plant->model_place,
                         "plant '%s' cannot fly yet: nothing holds its body '%s' to '%s'",
                         plant->name, family->parts[i].name, family->parts[0].name);
            return false;
        }
    return true;
}

bool ib_load_family(ib_world_loader *l, const ib_vehicle_spec *spec, ib_family *family) {
    const ib_plant_spec *plant = find_plant(l, spec);
    if (plant && plant->fmu)
        return ib_load_foreign_family(l, spec, plant, family);
    const ib_model *model = plant ? load_model(l, plant) : NULL;
    ib_arena *arena = l->world->arena;
    double first[9];
    if (!model || !check_size(l, plant, model))
        return false;
    const bool rigid = ib_model_is_rigid(model);
    family->name = spec->name;
    family->parts = IB_ARENA_ARRAY(arena, model->n_bodies, ib_part);
    family->links = IB_ARENA_ARRAY(arena, model->n_joints + 1, ib_link);
    l->no_memory = l->no_memory || !family->parts || !family->links;
    if (l->no_memory)
        return false;
    family->n_parts = model->n_bodies;
    family->n_links = rigid ? model->n_joints : 0;
    family->machine = rigid ? NULL : model;
    ib_quat_matrix(model->bodies[0].orientation, first);
    for (size_t i = 0; i < model->n_bodies; i++)
        make_part(first, &model->bodies[i], &family->parts[i]);
    make_first(&model->bodies[0], &family->parts[0]);
    for (size_t i = 0; i < family->n_links; i++)
        family->links[i] = (ib_link){model->joints[i].element.name, model->joints[i].body1,
                                     model->joints[i].body2};
    return !rigid || check_connected(l, plant, family);
}

int ib_family_part(const ib_family *family, const char *name) {
    for (size_t i = 0; i < family->n_parts; i++)
        if (strcmp(family->parts[i].name, name) == 0)
            return (int)i;
    return -1;
}

int ib_family_unit(const ib_family *family, const char *name) {
    for (size_t i = 0; i < family->n_units; i++)
        if (strcmp(family->units[i].name, name) == 0)
            return (int)i;
    return -1;
}
