/* constant: the numbers of elements that depend on parameters, and how.
 *
 * c(p) is a node of the graph over the parameters. dc/dp is its gradient, carried on through the
 * parameters that others define: it tells what `--set` of one parameter does, those defined by it
 * following. Points, axes and frames count as the model's, after everything that placing and
 * normalising did to them. Laws that are constant are listed as numbers; others are expressions
 * with the parameters among their variables. The data of splines and tables count as fixed.
 */
#include "model/model_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

double ib_constant_value(const ib_model *m, ib_node node) {
    double value = (double)NAN, *leaves = calloc(m->n_parameters + 1, sizeof *leaves);
    for (size_t i = 0; leaves && i < m->n_parameters; i++)
        leaves[i] = m->parameters[i].value;
    if (leaves)
        value = ib_graph_value(m->constant_graph, node, leaves, m->n_parameters);
    free(leaves);
    return value;
}

/* ---- listing ---- */

typedef struct lister {
    ib_loader *l;
    ib_constant *list; /* malloc'ed */
    size_t n, capacity;
    const char *element;
} lister;

static void add(lister *s, const char *key, const char *part, double value, ib_node node) {
    if (node == IB_NO_NODE)
        return;
    const char *name =
        ib_arena_printf(s->l->arena, "%s%s%s%s", s->element, s->element[0] ? "." : "", key, part);
    if (!name || !IB_VEC_RESERVE(s->list, s->capacity, s->n)) {
        s->l->no_memory = true;
        return;
    }
    s->list[s->n++] = (ib_constant){name, value, node};
}

static void add_numbers(lister *s, const char *key, const double *numbers, int n,
                        const char *const *parts) {
    for (int i = 0; i < n; i++)
        add(s, key, parts[i], numbers[i], ib_tracked_node(s->l, &numbers[i]));
}

static void add_law(lister *s, const char *key, const char *part, const ib_expr *law) {
    if (law->over_parameters > 0)
        add(s, key, part, ib_constant_value(s->l->model, law->over_parameters - 1),
            law->over_parameters - 1);
}

static const char *const one_part[] = {""};
static const char *const vector_parts[] = {".x", ".y", ".z"};

/* How many numbers a value of this kind has, and what the parts are called. */
static int parts_of(ib_kind kind, const char *const **names) {
    static const char *const quaternion[] = {".w", ".x", ".y", ".z"};
    static const char *const tensor[] = {".xx", ".yy", ".zz", ".xy", ".xz", ".yz"};
    static const char *const plane[] = {".b.x", ".b.y", ".b.z", ".c.x", ".c.y", ".c.z"};
    switch (kind) {
    case IB_KIND_NUMBER:
    case IB_KIND_LENGTH_OR_INITIAL:
        *names = one_part;
        return 1;
    case IB_KIND_VECTOR:
    case IB_KIND_GLOBAL_VECTOR:
    case IB_KIND_DIRECTION:
    case IB_KIND_POINT:
        *names = vector_parts;
        return 3;
    case IB_KIND_ORIENTATION:
        *names = quaternion;
        return 4;
    case IB_KIND_INERTIA:
        *names = tensor;
        return 6;
    case IB_KIND_PLANE:
        *names = plane;
        return 6;
    default:
        return 0;
    }
}

/* Every number that a key of the element was read into. */
static void list_keys(lister *s, ib_section section, const char *name, const void *element) {
    s->element = name;
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        const char *const *parts = NULL;
        const int n = parts_of(ib_keys[i].kind, &parts);
        if (ib_keys[i].section == section && ib_keys[i].offset != IB_NOWHERE && n > 0)
            add_numbers(s, ib_keys[i].name,
                        (const double *)(const void *)((const char *)element + ib_keys[i].offset),
                        n, parts);
    }
}

static void list_matrix(lister *s, const char *key, const double *A) {
    for (int i = 0; i < 36; i++) {
        const char part[] = {'.', (char)('1' + i / 6), (char)('1' + i % 6), '\0'};
        add(s, key, part, A[i], ib_tracked_node(s->l, &A[i]));
    }
}

static void list_coefficients(lister *s, const ib_aerodynamic *a) {
    static const char *const names[2][6] = {{"CX", "CY", "CZ", "Cl", "Cm", "Cn"},
                                            {"CD", "CY", "CL", "Cl", "Cm", "Cn"}};
    for (int i = 0; a && i < 6; i++)
        add_law(s, names[a->axes != IB_FLOW_BODY][i], "", &a->coefficient[i]);
}

/* What a body carries: `stage.propellant.mass`, `stage.tank.position.x`. */
static void list_body(lister *s, const ib_body *body) {
    list_keys(s, IB_SECTION_body, body->element.name, body);
    if (body->propellant.tank < 0)
        return;
    const char *name = ib_arena_printf(s->l->arena, "%s.propellant", body->element.name);
    s->l->no_memory = s->l->no_memory || !name;
    list_keys(s, IB_SECTION_propellant, name ? name : "", &body->propellant);
    list_keys(s, IB_SECTION_tank, name ? name : "", &body->propellant);
}

static void list_force(lister *s, const ib_force *force) {
    static const char *const six[] = {".1", ".2", ".3", ".4", ".5", ".6"};
    list_keys(s, IB_SECTION_force, force->element.name, force);
    add_numbers(s, "preload", &force->preload, 1, one_part);
    add_law(s, "stiffness", "", &force->stiffness);
    add_law(s, "damping", "", &force->damping);
    add_law(s, force->type == IB_FORCE_EXPRESSION_TORQUE ? "torque" : "force", "", &force->law);
    for (int i = 0; i < 3; i++)
        add_law(s, "value", vector_parts[i], &force->value[i]);
    add_law(s, "volume", "", &force->volume);
    add_law(s, "density", "", &force->density);
    add_law(s, "speed", "", &force->speed);
    add_law(s, "command", "", &force->command);
    add_law(s, "thrust", "", &force->thrust);
    list_coefficients(s, force->aerodynamic);
    add_numbers(s, "damping", &force->rotor_damping, 1, one_part);
    add_numbers(s, "stiffness", &force->contact.stiffness, 1, one_part);
    if (!force->bushing)
        return;
    list_matrix(s, "stiffness", force->bushing->stiffness);
    list_matrix(s, "damping", force->bushing->damping);
    add_numbers(s, "preload", force->bushing->preload, 6, six);
}

static void list_joint(lister *s, const ib_joint *joint) {
    list_keys(s, IB_SECTION_joint, joint->element.name, joint);
    if (!joint->has_friction)
        return;
    add_numbers(s, "friction.mu", &joint->friction.mu, 1, one_part);
    add_numbers(s, "friction.radius", &joint->friction.radius, 1, one_part);
    add_numbers(s, "friction.stick_velocity", &joint->friction.stick_velocity, 1, one_part);
}

static void list_all(lister *s) {
    const ib_model *m = s->l->model;
    s->element = "";
    add_numbers(s, "gravity", m->gravity, 3, vector_parts);
    for (size_t i = 0; i < m->n_bodies; i++)
        list_body(s, &m->bodies[i]);
    s->element = "air";
    add_law(s, "density", "", &m->air.density);
    add_law(s, "sound_speed", "", &m->air.sound_speed);
    add_law(s, "pressure", "", &m->air.pressure);
    for (int i = 0; i < 3; i++)
        add_law(s, "wind", vector_parts[i], &m->air.wind[i]);
    for (size_t i = 0; i < m->n_joints; i++)
        list_joint(s, &m->joints[i]);
    for (size_t i = 0; i < m->n_forces; i++)
        list_force(s, &m->forces[i]);
    for (size_t i = 0; i < m->n_measures; i++) {
        if (!m->measures[i].element.name)
            continue; /* a force's own */
        list_keys(s, IB_SECTION_measure, m->measures[i].element.name, &m->measures[i]);
        add_numbers(s, "offset", &m->measures[i].offset_value, 1, one_part);
    }
    for (size_t i = 0; i < m->n_drivers; i++)
        list_keys(s, IB_SECTION_driver, m->drivers[i].element.name, &m->drivers[i]);
    for (size_t i = 0; i < m->n_sensors; i++)
        list_keys(s, IB_SECTION_sensor, m->sensors[i].element.name, &m->sensors[i]);
}

void ib_list_constants(ib_loader *l) {
    lister s = {.l = l};
    ib_model *m = l->model;
    list_all(&s);
    m->constants = IB_ARENA_ARRAY(l->arena, s.n, ib_constant);
    if (m->constants && s.n > 0)
        memcpy(m->constants, s.list, s.n * sizeof(*s.list));
    m->n_constants = m->constants ? s.n : 0;
    l->no_memory = l->no_memory || !m->constants;
    free(s.list);
}

/* ---- looking ---- */

size_t ib_model_constant_count(const ib_model *model) { return model->n_constants; }

const char *ib_model_constant_name(const ib_model *model, size_t index) {
    return index < model->n_constants ? model->constants[index].name : NULL;
}

double ib_model_constant_value(const ib_model *model, size_t index) {
    return index < model->n_constants ? model->constants[index].value : 0;
}

/* ---- derivatives ---- */

/* Adds `weight` times the partial derivatives of a node to the gradient. The graph grows. */
static bool add_partials(const ib_model *m, ib_graph *graph, ib_node node, double weight,
                         const double *leaves, double *gradient) {
    const size_t n = m->n_parameters;
    uint32_t *wanted = calloc(n, sizeof *wanted);
    ib_node *partials = calloc(n, sizeof *partials);
    bool *used = calloc(n, sizeof *used);
    size_t n_wanted = 0;
    bool good = wanted && partials && used && ib_graph_depends(graph, node, used, n);
    for (size_t i = 0; good && i < n; i++) {
        if (used[i])
            wanted[n_wanted++] = (uint32_t)i;
    }
    if (good)
        ib_graph_gradient(graph, node, wanted, n_wanted, partials);
    good = good && !ib_graph_failed(graph);
    for (size_t i = 0; good && i < n_wanted; i++)
        gradient[wanted[i]] += weight * ib_graph_value(graph, partials[i], leaves, n);
    free(wanted);
    free(partials);
    free(used);
    return good;
}

/* From what defines others back to what defines it. */
static bool carry_back(const ib_model *m, ib_graph *graph, const double *leaves, double *gradient) {
    for (size_t k = m->n_parameters; k-- > 0;) {
        const size_t i = m->parameter_order[k];
        const bool counts = gradient[i] > 0 || gradient[i] < 0;
        if (m->definitions[i] != IB_NO_NODE && counts &&
            !add_partials(m, graph, m->definitions[i], gradient[i], leaves, gradient))
            return false;
    }
    return true;
}

ib_status ib_model_constant_gradient(const ib_model *model, size_t index, double *gradient) {
    const size_t n = model->n_parameters;
    if (index >= model->n_constants)
        return IB_BAD_INPUT;
    ib_graph *graph = ib_graph_clone(model->constant_graph);
    double *leaves = calloc(n, sizeof *leaves);
    bool good = graph && leaves;
    for (size_t i = 0; i < n; i++) {
        gradient[i] = 0;
        if (good)
            leaves[i] = model->parameters[i].value;
    }
    good = good && add_partials(model, graph, model->constants[index].node, 1, leaves, gradient) &&
           carry_back(model, graph, leaves, gradient);
    ib_graph_destroy(graph);
    free(leaves);
    return good ? IB_OK : IB_NO_MEMORY;
}
