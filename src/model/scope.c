/* scope: which names an expression may use, and why others not.
 *
 * Constants are worked out in a graph of their own; force laws, motions and outputs become nodes of
 * the model's graph, whose leaves are time, parameters, inputs, motors and measures.
 */
#include "model/model_internal.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN_LIMIT 50 /* unknown names reported in one expression */

typedef struct finder {
    ib_loader *l;
    ib_use use;
    ib_graph *graph;
    ib_force *force; /* whose length or angle, and rate, may be used */
    ib_place place;  /* of the expression */
    bool uses_measure, uses_parameter, uses_other; /* other: inputs, motors, the force's own */
    bool tracked;                                  /* parameters stay what they are */
    bool known;                           /* false once a parameter without a value was used */
    bool shadow_noted[5 + IB_FLOW_NAMES]; /* as own_names, then ib_flow_names */
    size_t n_unknown;
} finder;

static ib_symbol node_symbol(ib_node node) {
    return (ib_symbol){.kind = IB_SYMBOL_NODE, .node = node};
}

static ib_symbol refused(const char *reason) {
    return (ib_symbol){.kind = IB_SYMBOL_REFUSED, .node = IB_NO_NODE, .reason = reason};
}

/* ---- length, angle and rate of a force ---- */

/* The hidden measure behind `length`, `angle` or `rate`, made when it is first used. */
static ib_node own_measure(finder *f, ib_measure_type type) {
    f->uses_other = true;
    ib_model *model = f->l->model;
    ib_force *force = f->force;
    const bool extent = type == IB_MEASURE_DISTANCE || type == IB_MEASURE_ANGLE;
    int *index = extent ? &force->length : &force->rate;
    if (*index < 0) {
        *index = (int)model->n_measures;
        ib_measure *measure = &model->measures[model->n_measures++];
        *measure = (ib_measure){.type = type,
                                .body1 = force->body1,
                                .body2 = force->body2,
                                .frame = IB_GROUND,
                                .normalize = true};
        measure->element.place = force->element.place;
        memcpy(measure->orientation, force->orientation, sizeof(measure->orientation));
        memcpy(measure->point1, force->point1, sizeof(measure->point1));
        memcpy(measure->point2, force->point2, sizeof(measure->point2));
    }
    return ib_graph_leaf(f->graph, ib_leaf_measure(model, (size_t)*index));
}

/* Says once an expression that a name of the model's is not meant. */
static void note_shadow(finder *f, const char *name, size_t which) {
    const size_t index = ib_find_name(f->l, &f->l->quantity_names, name);
    if (index == SIZE_MAX || f->shadow_noted[which])
        return;
    f->shadow_noted[which] = true;
    ib_diags_add(f->l->diags, IB_NOTE, IB0306, f->place,
                 "in this expression '%s' is the force's own, not what the model calls '%s'", name,
                 name);
    ib_diags_note(f->l->diags, f->l->quantities[index].place, "declared here");
}

/* A name that means something of the force's own. */
typedef struct own_name {
    const char *name;
    bool turns; /* of a torsion spring, else of a force along a line */
    ib_measure_type measure;
    const char *whose;
} own_name;

static const char along_line[] = "only a force along the line of two points has it";
static const char both[] = "only a force along the line of two points and a torsion spring have it";

/* The name of a force's own that an aerodynamic one's coefficients have. */
static bool find_flow(finder *f, const char *name, ib_symbol *symbol) {
    size_t i = 0;
    while (i < IB_FLOW_NAMES && strcmp(name, ib_flow_names[i]) != 0)
        i++;
    if (i == IB_FLOW_NAMES || f->use != IB_USE_LAW)
        return false;
    if (f->force && f->force->aerodynamic) {
        const double length =
            i == IB_FLOW_Q ? f->force->reference_length : f->force->reference_span;
        *symbol = refused("the force has no length for it: give it 'reference_span', or for q_hat "
                          "'reference_length'");
        if (i >= IB_FLOW_P && !(length > 0))
            return true;
        note_shadow(f, name, IB_COUNT(f->shadow_noted) - IB_FLOW_NAMES + i);
        f->uses_other = true;
        *symbol = node_symbol(f->force->aerodynamic->flow[i]);
        return true;
    }
    if (ib_find_name(f->l, &f->l->quantity_names, name) != SIZE_MAX)
        return false;
    *symbol = refused("only the coefficients of an aerodynamic force have it");
    return true;
}

static const own_name own_names[] = {
    {"length", false, IB_MEASURE_DISTANCE, along_line},
    {"rate", false, IB_MEASURE_DISTANCE_RATE, both},
    {"v_rel", false, IB_MEASURE_DISTANCE_RATE, along_line},
    {"angle", true, IB_MEASURE_ANGLE, "only a torsion spring has it"},
    {"rate", true, IB_MEASURE_ANGULAR_RATE, both},
};

/* length, angle, rate and v_rel; false when the name is none of them or has no such meaning here.
 */
static bool find_own(finder *f, const char *name, ib_symbol *symbol) {
    const bool turns = f->force && f->force->type == IB_FORCE_TORSION_SPRING;
    const bool flows = f->force && f->force->aerodynamic;
    const char *whose = NULL;
    for (size_t i = 0; i < IB_COUNT(own_names) && f->use == IB_USE_LAW; i++) {
        if (strcmp(name, own_names[i].name) != 0)
            continue;
        whose = own_names[i].whose;
        if (f->force && !flows && own_names[i].turns == turns) {
            note_shadow(f, name, i);
            *symbol = node_symbol(own_measure(f, own_names[i].measure));
            return true;
        }
    }
    if (!whose || ib_find_name(f->l, &f->l->quantity_names, name) != SIZE_MAX)
        return false;
    *symbol = refused(whose);
    return true;
}

/* ---- the model's names ---- */

static ib_symbol find_parameter(finder *f, size_t index) {
    const ib_model *model = f->l->model;
    f->uses_parameter = true;
    if (f->tracked)
        return node_symbol(ib_graph_leaf(f->graph, (uint32_t)index));
    if (f->use == IB_USE_PARAMETER || f->use == IB_USE_CONSTANT) {
        const bool bad = f->l->parameter_bad[index];
        f->known = f->known && !bad;
        return node_symbol(ib_graph_const(f->graph, bad ? 1 : model->parameters[index].value));
    }
    return node_symbol(ib_graph_leaf(f->graph, ib_leaf_parameter(model, index)));
}

static ib_symbol find_input(finder *f, size_t index) {
    f->uses_other = true;
    if (f->use == IB_USE_PARAMETER || f->use == IB_USE_CONSTANT)
        return refused("inputs change during the run, and this is a constant");
    return node_symbol(ib_graph_leaf(f->graph, ib_leaf_input(f->l->model, index)));
}

static bool is_acceleration(ib_measure_type type) {
    return type == IB_MEASURE_ACCELERATION || type == IB_MEASURE_ANGULAR_ACCELERATION ||
           type == IB_MEASURE_SPECIFIC_FORCE;
}

static ib_symbol find_measure(finder *f, size_t index) {
    const ib_model *model = f->l->model;
    f->uses_measure = true;
    if (f->use == IB_USE_PARAMETER || f->use == IB_USE_CONSTANT)
        return refused("measures change during the run, and this is a constant");
    if (f->use == IB_USE_MOTION)
        return refused("a motion is a function of time and inputs, not of the state");
    if (f->use == IB_USE_LAW && is_acceleration(model->measures[index].type))
        return refused(
            "accelerations follow from the forces, so no force can depend on one; use it "
            "in an output");
    return node_symbol(ib_graph_leaf(f->graph, ib_leaf_measure(model, index)));
}

/* A motor is a state, like a measure. */
static ib_symbol find_motor(finder *f, size_t index) {
    f->uses_measure = true;
    if (f->use == IB_USE_PARAMETER || f->use == IB_USE_CONSTANT)
        return refused("motors change during the run, and this is a constant");
    if (f->use == IB_USE_MOTION)
        return refused("a motion is a function of time and inputs, not of the state");
    return node_symbol(ib_graph_leaf(f->graph, ib_leaf_motor(f->l->model, index)));
}

/* `rocket.propellant`: what is left in the tank of a body. */
static bool find_propellant(finder *f, const char *name, ib_symbol *symbol) {
    static const char suffix[] = ".propellant";
    const size_t length = strlen(name), end = sizeof suffix - 1;
    if (length <= end || strcmp(name + length - end, suffix) != 0)
        return false;
    const char *own = ib_arena_strndup(f->l->arena, name, length - end);
    const size_t body = own ? ib_find_name(f->l, &f->l->bodies, own) : SIZE_MAX;
    const int tank = body == SIZE_MAX ? -1 : f->l->model->bodies[body].propellant.tank;
    if (body == SIZE_MAX)
        return false;
    f->uses_measure = true;
    if (tank < 0)
        *symbol = refused("the body carries no propellant");
    else if (f->use == IB_USE_PARAMETER || f->use == IB_USE_CONSTANT)
        *symbol = refused("propellant changes during the run, and this is a constant");
    else if (f->use == IB_USE_MOTION)
        *symbol = refused("a motion is a function of time and inputs, not of the state");
    else
        *symbol = node_symbol(ib_graph_leaf(f->graph, ib_leaf_tank(f->l->model, (size_t)tank)));
    return true;
}

static ib_symbol find_spline(finder *f, size_t index) {
    if (f->use == IB_USE_PARAMETER)
        return refused("splines are made from parameters, not the other way round");
    const ib_curve *curve = f->l->model->curves[index];
    f->known = f->known && curve;
    return (ib_symbol){.kind = IB_SYMBOL_CURVE, .node = IB_NO_NODE, .curve = curve};
}

static ib_symbol find_table(finder *f, size_t index) {
    if (f->use == IB_USE_PARAMETER)
        return refused("tables are made from parameters, not the other way round");
    const ib_table *table = f->l->model->tables[index];
    f->known = f->known && table;
    return (ib_symbol){.kind = IB_SYMBOL_TABLE, .node = IB_NO_NODE, .table = table};
}

static ib_symbol find(void *context, const char *name) {
    finder *f = context;
    ib_symbol symbol = {.kind = IB_SYMBOL_NONE, .node = IB_NO_NODE};
    if (find_own(f, name, &symbol) || find_flow(f, name, &symbol) ||
        find_propellant(f, name, &symbol))
        return symbol;
    const size_t index = ib_find_name(f->l, &f->l->quantity_names, name);
    if (index == SIZE_MAX)
        return f->n_unknown++ < UNKNOWN_LIMIT ? symbol : node_symbol(ib_graph_const(f->graph, 1));
    const ib_quantity *quantity = &f->l->quantities[index];
    switch (quantity->kind) {
    case IB_QUANTITY_PARAMETER:
        return find_parameter(f, quantity->index);
    case IB_QUANTITY_INPUT:
        return find_input(f, quantity->index);
    case IB_QUANTITY_MEASURE:
        return find_measure(f, quantity->index);
    case IB_QUANTITY_MOTOR:
        return find_motor(f, quantity->index);
    case IB_QUANTITY_TABLE:
        return find_table(f, quantity->index);
    default:
        return find_spline(f, quantity->index);
    }
}

/* Lets the names of an aerodynamic force's own be suggested, too. */
static void add_flow_names(ib_loader *l, ib_scope *scope) {
    const size_t n = scope->n_names;
    const char **names = IB_ARENA_ARRAY(l->arena, n + IB_FLOW_NAMES, const char *);
    if (!names)
        return;
    for (size_t i = 0; i < n; i++)
        names[i] = scope->names[i];
    for (size_t i = 0; i < IB_FLOW_NAMES; i++)
        names[n + i] = ib_flow_names[i];
    scope->names = names;
    scope->n_names = n + IB_FLOW_NAMES;
}

/* Parses with the names that fit the use. */
static ib_node parse(finder *f, const ib_text *text, ib_node time, const ib_curve **bare) {
    ib_loader *l = f->l;
    const bool constant = f->use == IB_USE_PARAMETER || f->use == IB_USE_CONSTANT;
    const ib_registry *names = constant ? &l->constant_names : &l->quantity_names;
    ib_scope scope = {.context = f, .find = find, .time = time};
    scope.names = ib_own_names(l, names, &scope.n_names);
    scope.n_names = names->n <= l->suggestion_budget ? scope.n_names : 0;
    if (f->force && f->force->aerodynamic)
        add_flow_names(l, &scope);
    const ib_node node = ib_expr_parse(f->graph, &scope, text, f->tracked ? NULL : l->diags, bare);
    const size_t compared =
        (f->n_unknown < UNKNOWN_LIMIT ? f->n_unknown : UNKNOWN_LIMIT) * names->n;
    l->suggestion_budget -= compared < l->suggestion_budget ? compared : l->suggestion_budget;
    l->no_memory = l->no_memory || ib_graph_failed(f->graph);
    return node;
}

/* ---- places in a node's text ---- */

static ib_place place_in_node(void *context, size_t offset, size_t length) {
    ib_node_context *c = context;
    if (!c->map) {
        c->map = calloc(c->node->length + 1, sizeof(*c->map));
        if (c->map && !ib_marks_map(ib_node_source(c->l, c->node), c->node, c->map)) {
            for (size_t i = 0; i <= c->node->length; i++)
                c->map[i] = SIZE_MAX;
        }
    }
    return ib_marks_place_by_map(ib_node_source(c->l, c->node), c->node, c->map, offset, length);
}

ib_text ib_node_text_open(ib_node_context *context) {
    return (ib_text){.text = context->node->text,
                     .length = context->node->length,
                     .context = context,
                     .place = place_in_node};
}

void ib_node_text_close(ib_node_context *context) {
    free(context->map);
    context->map = NULL;
}

/* ---- constants ---- */

/* The same text over the parameters. */
static ib_node parse_tracked(ib_loader *l, const ib_text *text) {
    finder f = {.l = l, .use = l->constant_use, .graph = l->model->constant_graph, .tracked = true};
    return parse(&f, text, IB_NO_NODE, NULL);
}

bool ib_constant_parse(ib_loader *l, const ib_text *text, double *value, bool *known,
                       ib_node *tracked) {
    finder f = {.l = l, .use = l->constant_use, .graph = l->constants, .known = true};
    const ib_node node = parse(&f, text, IB_NO_NODE, NULL);
    *known = f.known;
    *value = 1;
    *tracked = node != IB_NO_NODE && f.uses_parameter ? parse_tracked(l, text) : IB_NO_NODE;
    if (node == IB_NO_NODE)
        return false;
    if (!ib_graph_is_const(l->constants, node, value))
        *value = ib_graph_value(l->constants, node, NULL, 0);
    return true;
}

/* ---- expressions ---- */

/* True when it names parameters and splines alone. */
static bool is_constant(const finder *f, ib_node node) {
    bool uses_time = false;
    return !f->uses_measure && !f->uses_other && ib_graph_depends(f->graph, node, &uses_time, 1) &&
           !uses_time;
}

/* A text that is an expression or a number with a unit. */
static bool parse_node(finder *f, ib_yaml *node, int bare, ib_expr *expr) {
    const ib_curve *curve = NULL;
    ib_node_context context = {.l = f->l, .node = node};
    const ib_text text = ib_node_text_open(&context);
    expr->node = parse(f, &text, ib_graph_leaf(f->graph, ib_leaf_time()), bare < 0 ? NULL : &curve);
    if (expr->node != IB_NO_NODE && f->uses_parameter && is_constant(f, expr->node))
        expr->over_parameters = parse_tracked(f->l, &text) + 1; /* 0 when there is none */
    ib_node_text_close(&context);
    if (curve)
        expr->node = ib_graph_curve(f->graph, curve, 0, own_measure(f, (ib_measure_type)bare));
    return expr->node != IB_NO_NODE;
}

bool ib_expression_read(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                        ib_use use, ib_force *force, int bare, ib_expr *expr, bool *uses_measure) {
    finder f = {.l = l, .use = use, .graph = l->model->graph, .force = force, .known = true};
    double value = 0;
    bool is_integer;
    bool good = false;
    f.place = ib_node_place(l, node);
    *expr = (ib_expr){IB_NO_NODE, node->text, f.place, 0};
    if (node->kind != IB_YAML_SCALAR) {
        ib_report_kind(l, key, node, "an expression");
        return false;
    }
    const ib_yaml_type type = ib_yaml_scalar_type(node, &value, &is_integer);
    if (type == IB_YAML_NOT_FINITE) {
        ib_report(l, IB0216, node, "%s: numbers must be finite, '%s' is not", key, node->text);
    } else if (type == IB_YAML_NULL || type == IB_YAML_BOOL) {
        ib_report_kind(l, key, node, "an expression");
    } else if (type == IB_YAML_NUMBER || ib_read_quantity(l, key, node, dimension, &value, &good)) {
        good = good || type == IB_YAML_NUMBER;
        expr->node = good ? ib_graph_const(l->model->graph, value) : IB_NO_NODE;
    } else if (!node->reported) {
        good = parse_node(&f, node, bare, expr);
        node->reported = !good;
    }
    if (uses_measure)
        *uses_measure = f.uses_measure;
    return good;
}
