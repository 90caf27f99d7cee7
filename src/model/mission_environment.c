/* mission_environment: what a mission says of the Earth, its gravity and its air. */
#include "model/mission_internal.h"

#include <string.h>

static void read_earth(ib_mission_reader *m, ib_yaml *node, ib_earth_spec *earth) {
    ib_record r;
    if (!node || !ib_mission_open(m, IB_SECTION_earth, node, &r))
        return;
    ib_record_read(m->l, &r, earth);
    earth->rotation_given = r.given[IB_KEY_earth_rotation] != NULL;
    if (r.given[IB_KEY_earth_radius] && earth->shape != IB_SHAPE_SPHERE)
        ib_report(m->l, IB0214, r.given[IB_KEY_earth_radius],
                  "'radius' has a meaning only for a sphere");
    if (earth->shape == IB_SHAPE_FLAT && earth->rotation_given && earth->rotation)
        ib_report(m->l, IB0222, r.given[IB_KEY_earth_rotation], "a flat Earth does not rotate");
}

static void read_gravity(ib_mission_reader *m, ib_yaml *node, ib_environment_spec *environment) {
    static const char *const names[] = {"none", "inverse_square", "j2", "uniform"};
    static const ib_mission_gravity kinds[] = {IB_PULL_NONE, IB_PULL_INVERSE_SQUARE, IB_PULL_J2};
    if (!node)
        return;
    if (node->kind == IB_YAML_LIST) {
        environment->gravity = IB_PULL_UNIFORM;
        ib_read_numbers(m->l, "gravity", node, IB_DIM_ACCELERATION, 3, environment->uniform);
        return;
    }
    for (size_t i = 0; i < IB_COUNT(kinds) && node->kind == IB_YAML_SCALAR; i++)
        if (strcmp(node->text, names[i]) == 0) {
            environment->gravity = kinds[i];
            return;
        }
    if (!ib_report(m->l, IB0215, node,
                   "gravity: 'none', 'inverse_square', 'j2' or a vector is wanted here"))
        return;
    if (node->kind == IB_YAML_SCALAR && strcmp(node->text, "uniform") == 0)
        ib_diags_suggest(m->l->diags, "write a uniform one as a vector: [0, 0, -9.80665]");
    else if (node->kind == IB_YAML_SCALAR)
        ib_suggest_name(m->l, node->text, names, 3);
}

static void read_levels(ib_mission_reader *m, ib_yaml *node, ib_wind_spec *wind) {
    ib_record r;
    ib_level_spec *levels =
        ib_mission_entries(m, "profile", node, false, sizeof *levels, &wind->n_levels);
    wind->levels = levels;
    for (size_t i = 0; i < wind->n_levels; i++)
        if (ib_mission_open(m, IB_SECTION_level, node->items[i], &r))
            ib_record_read(m->l, &r, &levels[i]);
    if (wind->n_levels > 64)
        ib_report(m->l, IB0224, node, "profile: at most 64 levels are kept, these are %zu",
                  wind->n_levels);
}

static void read_gusts(ib_mission_reader *m, ib_yaml *node, ib_wind_spec *wind) {
    ib_record r;
    ib_gust_spec *gusts =
        ib_mission_entries(m, "gusts", node, false, sizeof *gusts, &wind->n_gusts);
    wind->gusts = gusts;
    for (size_t i = 0; i < wind->n_gusts; i++)
        if (ib_mission_open(m, IB_SECTION_gust, node->items[i], &r))
            ib_record_read(m->l, &r, &gusts[i]);
    if (wind->n_gusts > 16)
        ib_report(m->l, IB0224, node, "gusts: at most 16 are kept, these are %zu", wind->n_gusts);
}

static void read_wind(ib_mission_reader *m, ib_yaml *node, ib_wind_spec *wind) {
    ib_record r, inner;
    if (!node || !ib_mission_open(m, IB_SECTION_wind, node, &r))
        return;
    ib_record_read(m->l, &r, wind);
    ib_record_only_with(m->l, &r, IB_KEY_wind_from, IB_KEY_wind_speed);
    read_levels(m, r.given[IB_KEY_wind_profile], wind);
    read_gusts(m, r.given[IB_KEY_wind_gusts], wind);
    if (r.given[IB_KEY_wind_turbulence] &&
        ib_mission_open(m, IB_SECTION_turbulence, r.given[IB_KEY_wind_turbulence], &inner))
        ib_record_read(m->l, &inner, &wind->turbulence);
}

void ib_mission_environment(ib_mission_reader *m, ib_record *top) {
    ib_environment_spec *environment = &m->mission->environment;
    ib_record r;
    ib_yaml *node = top->given[IB_KEY_mission_environment];
    environment->place = ib_mission_place(m, top, IB_KEY_mission_environment);
    if (!node || !ib_mission_open(m, IB_SECTION_environment, node, &r))
        return;
    ib_record_read(m->l, &r, environment);
    read_earth(m, r.given[IB_KEY_environment_earth], &environment->earth);
    read_gravity(m, r.given[IB_KEY_environment_gravity], environment);
    read_wind(m, r.given[IB_KEY_environment_wind], &environment->wind);
}
