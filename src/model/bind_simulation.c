/* bind_simulation: the top of the file and the settings of a run. */
#include "model/model_internal.h"

#include <math.h>
#include <string.h>

/* The file's name without folders and ending. */
static const char *stem(ib_loader *l, const char *file) {
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    const char *copy =
        ib_arena_strndup(l->arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    l->no_memory = l->no_memory || !copy;
    return copy;
}

static void check_version(ib_loader *l, ib_record *r) {
    int version = 0;
    if (ib_record_take(l, r, IB_KEY_top_ironbird, &version) && version != 1)
        ib_report(l, IB0219, r->given[IB_KEY_top_ironbird],
                  "ironbird: version %d is not known; this program reads version 1", version);
}

/* At least one body, in whatever file. */
static void check_bodies(ib_loader *l, const ib_record *r) {
    const ib_yaml *bodies = r->given[IB_KEY_top_bodies];
    const bool is_map = l->document->sections[IB_KEY_top_bodies] != NULL;
    if (l->model->n_bodies > 0)
        return;
    if (!bodies && !r->given[IB_KEY_top_include])
        ib_record_need(l, r, "bodies");
    else if (!bodies || is_map || ib_is_null(bodies))
        ib_report_place(l, IB0211, ib_node_place(l, bodies ? bodies : r->given[IB_KEY_top_include]),
                        "a model needs at least one body");
}

static void bind_own_top(ib_loader *l) {
    static const double zeros[3] = {0, 0, 0};
    ib_record r;
    ib_top_spec top = {0};
    ib_enter(l, l->documents[0]);
    ib_tracked_constant(l, zeros, top.gravity, 3);
    if (!ib_record_open(l, IB_SECTION_top, NULL, l->document->file->root, &r))
        return;
    ib_record_read(l, &r, &top);
    check_version(l, &r);
    l->model->name = top.name ? top.name : stem(l, l->model->file);
    ib_tracked_copy(l, top.gravity, l->model->gravity, 3);
    if (r.given[IB_KEY_top_gravity])
        l->model->gravity_place = ib_node_place(l, r.given[IB_KEY_top_gravity]);
    check_bodies(l, &r);
}

static bool same_vector(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* What an included file says at its top counts for nothing but its version. */
static void bind_included_top(ib_loader *l, ib_document *document) {
    ib_record r;
    ib_top_spec top = {0};
    ib_enter(l, document);
    if (!ib_record_open(l, IB_SECTION_top, NULL, document->file->root, &r))
        return;
    ib_record_read(l, &r, &top);
    check_version(l, &r);
    if (ib_record_has(&r, IB_KEY_top_gravity) && !document->repeated &&
        !same_vector(top.gravity, l->model->gravity))
        ib_diags_add(l->diags, IB_NOTE, IB0321, ib_node_place(l, r.given[IB_KEY_top_gravity]),
                     "gravity: the gravity of the including file counts, not this one");
}

void ib_bind_top(ib_loader *l) {
    l->constant_use = IB_USE_CONSTANT;
    bind_own_top(l);
    for (size_t i = 1; i < l->n_documents && ib_going_on(l); i++)
        bind_included_top(l, l->documents[i]);
}

/* low <= value <= high, or strictly between where the limits themselves make no sense. */
static void check_range(ib_loader *l, const ib_record *r, ib_key key, double value, double low,
                        double high, bool strictly) {
    const bool good = strictly ? value > low && value < high : value >= low && value <= high;
    if (!ib_record_has(r, key) || good)
        return;
    if (isinf(high))
        ib_report(l, IB0607, r->given[key], "%s: %.6g is not greater than %.6g", ib_keys[key].name,
                  value, low);
    else
        ib_report(l, IB0607, r->given[key], "%s: %.6g is not %s %.6g and %.6g", ib_keys[key].name,
                  value, strictly ? "strictly between" : "between", low, high);
}

static void bind_record(ib_loader *l, ib_yaml *node, ib_simulation *s) {
    const size_t n = node->kind == IB_YAML_LIST ? node->n : 1;
    const char **globs = IB_ARENA_ARRAY(l->arena, n, const char *);
    if (!globs) {
        l->no_memory = true;
        return;
    }
    if (node->kind == IB_YAML_MAP) {
        ib_report_kind(l, "record", node, "a list of texts");
        return;
    }
    for (size_t i = 0; i < n; i++)
        ib_read_text(l, "record", node->kind == IB_YAML_LIST ? node->items[i] : node, &globs[i]);
    s->record = globs;
    s->n_record = n;
    s->record_place = ib_node_place(l, node);
}

static void bind_step(ib_loader *l, ib_record *r, ib_simulation *s) {
    ib_yaml *node = r->given[IB_KEY_simulation_step];
    s->step_place = ib_node_place(l, node);
    s->adaptive = node->kind == IB_YAML_SCALAR && strcmp(node->text, "adaptive") == 0;
    if (s->adaptive && s->solver == IB_SOLVER_RK4) {
        ib_report(l, IB0607, node, "step: rk4 has no error control, so its step cannot adapt");
        ib_diags_suggest(l->diags, "give a fixed step, or take solver: dopri5");
    } else if (!s->adaptive) {
        ib_record_take(l, r, IB_KEY_simulation_step, &s->step);
    }
}

/* Tolerances that drown in the rounding of double precision; the stages of `stiff`, whose rounding
 * errors are divided by the step, do so earlier. */
static void check_tightness(ib_loader *l, const ib_record *r, const ib_simulation *s) {
    const bool stiff = s->solver == IB_SOLVER_STIFF;
    const double least = stiff ? 1e-12 : 1e-14;
    if (!ib_record_has(r, IB_KEY_simulation_rtol) || !(s->rtol > 0) || s->rtol >= least)
        return;
    if (ib_report(l, IB0607, r->given[IB_KEY_simulation_rtol],
                  "rtol: %.6g drowns in the rounding of double precision; the least is %.6g%s",
                  s->rtol, least, stiff ? " with solver: stiff" : ""))
        ib_diags_suggest(l->diags, "rtol: 1e-11 is tight for any model");
}

static void check_simulation(ib_loader *l, const ib_record *r, const ib_simulation *s) {
    check_range(l, r, IB_KEY_simulation_rtol, s->rtol, 0, 1, true);
    check_tightness(l, r, s);
    check_range(l, r, IB_KEY_simulation_atol, s->atol, 0, (double)INFINITY, true);
    check_range(l, r, IB_KEY_simulation_rho_infinity, s->rho_infinity, 0, 1, false);
    check_range(l, r, IB_KEY_simulation_alpha, s->alpha, -1.0 / 3.0, 0, false);
    check_range(l, r, IB_KEY_simulation_assembly_tolerance, s->assembly_tolerance, 0,
                (double)INFINITY, true);
}

/* Notes a key that the solver does not use. */
static void note_unused(ib_loader *l, const ib_record *r, ib_key key, const char *why) {
    if (ib_record_has(r, key))
        ib_diags_add(l->diags, IB_NOTE, IB0214, ib_node_place(l, r->given[key]),
                     "%s: without effect %s", ib_keys[key].name, why);
}

static void note_without_effect(ib_loader *l, const ib_record *r, const ib_simulation *s) {
    const bool implicit = s->solver == IB_SOLVER_GENERALIZED_ALPHA || s->solver == IB_SOLVER_HHT;
    const bool fixed = s->step > 0 || s->solver == IB_SOLVER_RK4 || (implicit && !s->adaptive);
    if (s->solver != IB_SOLVER_HHT)
        note_unused(l, r, IB_KEY_simulation_alpha, "unless solver is hht");
    if (s->solver != IB_SOLVER_GENERALIZED_ALPHA)
        note_unused(l, r, IB_KEY_simulation_rho_infinity, "unless solver is generalized_alpha");
    if (fixed) {
        note_unused(l, r, IB_KEY_simulation_rtol,
                    "with fixed steps, whose error is not controlled");
        note_unused(l, r, IB_KEY_simulation_atol,
                    "with fixed steps, whose error is not controlled");
    }
}

/* The map with the settings from outside in the place of its own; NULL when there is neither. */
static ib_yaml *set_from_outside(ib_loader *l, ib_yaml *map) {
    const size_t n = map ? map->n : 0;
    ib_yaml *merged = IB_ARENA_NEW(l->arena, ib_yaml);
    ib_yaml_entry *entries = IB_ARENA_ARRAY(l->arena, n + l->n_overrides, ib_yaml_entry);
    if (!merged || !entries) {
        l->no_memory = true;
        return map;
    }
    *merged = (ib_yaml){.kind = IB_YAML_MAP, .entries = entries, .n = n};
    if (n > 0)
        memcpy(entries, map->entries, n * sizeof(*entries));
    for (size_t i = 0; i < l->n_overrides; i++) {
        const char *key = ib_override_setting(&l->overrides[i]);
        size_t at = 0;
        while (key && at < merged->n && strcmp(entries[at].key->text, key) != 0)
            at++;
        if (key && ib_override_entry(l, &l->overrides[i], &entries[at]) && at == merged->n)
            merged->n++;
    }
    return map || merged->n > 0 ? merged : NULL;
}

void ib_bind_simulation(ib_loader *l) {
    ib_simulation *s = &l->model->simulation;
    ib_yaml *own = l->documents[0]->sections[IB_KEY_top_simulation];
    ib_yaml *map = set_from_outside(l, own);
    ib_record r;
    *s = (ib_simulation){.end = 10 * IB_SECOND,
                         .output_step = IB_SECOND / 100,
                         .rtol = 1e-6,
                         .atol = 1e-6,
                         .solver = IB_SOLVER_AUTO,
                         .rho_infinity = 0.9,
                         .alpha = -0.3,
                         .assembly_tolerance = 1e-3};
    if (!map)
        return;
    ib_enter(l, l->documents[0]);
    s->place = own ? ib_node_place(l, own) : ib_node_place(l, map->entries[0].key);
    if (!ib_record_open(l, IB_SECTION_simulation, NULL, map, &r))
        return;
    ib_record_read(l, &r, s);
    if (!r.given[IB_KEY_simulation_atol])
        s->atol = s->rtol;
    if (r.given[IB_KEY_simulation_step])
        bind_step(l, &r, s);
    if (r.given[IB_KEY_simulation_record])
        bind_record(l, r.given[IB_KEY_simulation_record], s);
    check_simulation(l, &r, s);
    note_without_effect(l, &r, s);
}
