/* The functions of the expression language: one table of names, signatures and what they build.
 *
 * step goes from y0 (x <= x0) to y1 (x >= x1). With s = (x - x0) / (x1 - x0):
 *   smooth  y0 + (y1 - y0) p(s), p(s) = s^5 (126 - 420 s + 540 s^2 - 315 s^3 + 70 s^4), the
 * polynomial of lowest degree with p(0) = 0, p(1) = 1 and four vanishing derivatives at both ends.
 * From the middle on it is written from the other end, p(s) = 1 - p(1 - s), so that derivatives
 *           keep their digits there.
 *   cosine  half a cosine, (1 - cos(pi s)) / 2 = sin(pi s / 2)^2.
 *   hard    the straight line.
 * With x1 <= x0 each of them is a jump just above x0 (x1 < x0 as constants is refused).
 */
#include "expr/language.h"

#include <string.h>

static ib_node op1(ib_graph *graph, ib_op op, ib_node a) {
    return ib_graph_op(graph, op, a, IB_NO_NODE, IB_NO_NODE);
}

static ib_node op2(ib_graph *graph, ib_op op, ib_node a, ib_node b) {
    return ib_graph_op(graph, op, a, b, IB_NO_NODE);
}

/* ---- step ------------------------------------------------------------------------------------ */

/* s^5 (126 - 420 s + 540 s^2 - 315 s^3 + 70 s^4) */
static ib_node smooth_polynomial(ib_graph *graph, ib_node s) {
    static const double coefficients[] = {-315.0, 540.0, -420.0, 126.0};
    ib_node p = ib_mul(graph, ib_graph_const(graph, 70.0), s);
    for (size_t k = 0; k < IB_COUNT(coefficients); k++) {
        p = ib_add(graph, p, ib_graph_const(graph, coefficients[k]));
        if (k + 1 < IB_COUNT(coefficients))
            p = ib_mul(graph, p, s);
    }
    return ib_mul(graph, op2(graph, IB_OP_POW, s, ib_graph_const(graph, 5.0)), p);
}

/* sin(pi s / 2)^2 */
static ib_node half_cosine(ib_graph *graph, ib_node s) {
    const ib_node angle = ib_mul(graph, s, ib_graph_const(graph, 1.5707963267948966));
    const ib_node sine = op1(graph, IB_OP_SIN, angle);
    return ib_mul(graph, sine, sine);
}

/* Between the ends; `done` is x - x0, `rest` x1 - x, `span` x1 - x0, `rise` y1 - y0. */
static ib_node curved_rise(ib_graph *graph, const ib_node *y, ib_node done, ib_node rest,
                           ib_node span, ib_node rise, ib_step_shape shape) {
    const ib_node early = op2(graph, IB_OP_LT, done, rest);
    const ib_node s = ib_div(graph, op2(graph, IB_OP_MIN, done, rest), span);
    const ib_node p = shape == IB_STEP_SMOOTH ? smooth_polynomial(graph, s) : half_cosine(graph, s);
    const ib_node part = ib_mul(graph, rise, p);
    const ib_node up = ib_add(graph, y[0], part), down = ib_sub(graph, y[1], part);
    return ib_graph_op(graph, IB_OP_SELECT, early, up, down);
}

static ib_node build_step(ib_graph *graph, const ib_node *arguments, ib_step_shape shape) {
    const ib_node x = arguments[0], x0 = arguments[1], x1 = arguments[3];
    const ib_node y[2] = {arguments[2], arguments[4]};
    const ib_node before = op2(graph, IB_OP_LE, x, x0), after = op2(graph, IB_OP_LE, x1, x);
    const ib_node done = ib_sub(graph, x, x0), rest = ib_sub(graph, x1, x);
    const ib_node span = ib_sub(graph, x1, x0), rise = ib_sub(graph, y[1], y[0]);
    ib_node between;
    if (x0 == x1)
        return ib_graph_op(graph, IB_OP_SELECT, before, y[0], y[1]);
    if (shape == IB_STEP_HARD)
        between = ib_add(graph, y[0], ib_mul(graph, rise, ib_div(graph, done, span)));
    else
        between = curved_rise(graph, y, done, rest, span, rise, shape);
    const ib_node late = ib_graph_op(graph, IB_OP_SELECT, after, y[1], between);
    return ib_graph_op(graph, IB_OP_SELECT, before, y[0], late);
}

/* True when both are constants in decreasing order. */
static bool are_reversed(const ib_graph *graph, ib_node low, ib_node high) {
    double a, b;
    return ib_graph_is_const(graph, low, &a) && ib_graph_is_const(graph, high, &b) && a > b;
}

static const char *check_step(const ib_graph *graph, const ib_node *arguments) {
    return are_reversed(graph, arguments[1], arguments[3]) ? "step needs x0 <= x1" : NULL;
}

/* ---- the others ------------------------------------------------------------------------------ */

static ib_node build_clamp(ib_graph *graph, const ib_node *arguments, ib_step_shape shape) {
    (void)shape;
    const ib_node raised = op2(graph, IB_OP_MAX, arguments[0], arguments[1]);
    return op2(graph, IB_OP_MIN, raised, arguments[2]);
}

static const char *check_clamp(const ib_graph *graph, const ib_node *arguments) {
    return are_reversed(graph, arguments[1], arguments[2]) ? "clamp needs low <= high" : NULL;
}

static ib_node build_if_else(ib_graph *graph, const ib_node *arguments, ib_step_shape shape) {
    (void)shape;
    return ib_graph_op(graph, IB_OP_SELECT, arguments[0], arguments[1], arguments[2]);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define ONE(name, op)                                                                              \
    { name, name "(x)", 1, 1, op, NULL, NULL, false }
#define TWO(name, signature, op)                                                                   \
    { name, name signature, 2, 2, op, NULL, NULL, false }
#define MANY(name, op)                                                                             \
    { name, name "(a, b, ...)", 2, UINT32_MAX, op, NULL, NULL, false }

static const ib_function functions[] = {
    ONE("sin", IB_OP_SIN),
    ONE("cos", IB_OP_COS),
    ONE("tan", IB_OP_TAN),
    ONE("asin", IB_OP_ASIN),
    ONE("acos", IB_OP_ACOS),
    ONE("atan", IB_OP_ATAN),
    TWO("atan2", "(y, x)", IB_OP_ATAN2),
    ONE("sinh", IB_OP_SINH),
    ONE("cosh", IB_OP_COSH),
    ONE("tanh", IB_OP_TANH),
    ONE("exp", IB_OP_EXP),
    ONE("log", IB_OP_LOG),
    ONE("sqrt", IB_OP_SQRT),
    ONE("abs", IB_OP_ABS),
    ONE("sign", IB_OP_SIGN),
    MANY("min", IB_OP_MIN),
    MANY("max", IB_OP_MAX),
    ONE("floor", IB_OP_FLOOR),
    ONE("ceil", IB_OP_CEIL),
    TWO("mod", "(a, b)", IB_OP_MOD),
    TWO("hypot", "(a, b)", IB_OP_HYPOT),
    {"clamp", "clamp(x, low, high)", 3, 3, IB_OP_COUNT, build_clamp, check_clamp, false},
    {"step", "step(x, x0, y0, x1, y1) or with \"cosine\" or \"hard\" as a sixth argument", 5, 5,
     IB_OP_COUNT, build_step, check_step, true},
    {"if_else", "if_else(condition, a, b)", 3, 3, IB_OP_COUNT, build_if_else, NULL, false},
};

/* Names that other languages have, and what to write here. */
static const struct {
    const char *name, *here;
} foreign[] = {
    {"ln", "log(x)"},
    {"log10", "log(x) / log(10)"},
    {"log2", "log(x) / log(2)"},
    {"arcsin", "asin(x)"},
    {"arccos", "acos(x)"},
    {"arctan", "atan(x)"},
    {"arctan2", "atan2(y, x)"},
    {"pow", "x ^ y"},
    {"power", "x ^ y"},
    {"sqr", "x ^ 2"},
    {"cbrt", "sign(x) * abs(x) ^ (1 / 3)"},
    {"fabs", "abs(x)"},
    {"sgn", "sign(x)"},
    {"fmod", "mod(a, b)"},
    {"rem", "mod(a, b)"},
    {"if", "if_else(condition, a, b)"},
    {"where", "if_else(condition, a, b)"},
    {"and", "the product of the conditions: (a < b) * (b < c)"},
    {"or", "max(a, b), each condition in parentheses"},
    {"not", "1 - condition"},
    {"true", "1"},
    {"false", "0"},
    {"e", "exp(1)"},
    {"deg", "x * pi / 180"},
    {"cot", "1 / tan(x)"},
    {"sec", "1 / cos(x)"},
    {"csc", "1 / sin(x)"},
    {"limit", "clamp(x, low, high)"},
    {"cosine", "\"cosine\", with quotes"},
    {"hard", "\"hard\", with quotes"},
};

const ib_function *ib_function_find(const char *name) {
    for (size_t k = 0; k < IB_COUNT(functions); k++)
        if (name[0] == functions[k].name[0] && strcmp(name, functions[k].name) == 0)
            return &functions[k];
    return NULL;
}

ib_node ib_function_call(ib_graph *graph, const ib_function *function, const ib_node *arguments,
                         size_t n_arguments, ib_step_shape shape) {
    if (function->build)
        return function->build(graph, arguments, shape);
    if (n_arguments == 1)
        return op1(graph, function->op, arguments[0]);
    ib_node value = arguments[0];
    for (size_t k = 1; k < n_arguments; k++)
        value = op2(graph, function->op, value, arguments[k]);
    return value;
}

bool ib_expr_reserved(const char *name) {
    return strcmp(name, "t") == 0 || strcmp(name, "time") == 0 || strcmp(name, "pi") == 0 ||
           ib_function_find(name) != NULL;
}

const char *ib_function_nearest(const char *name) {
    const char *names[IB_COUNT(functions) + 3] = {"t", "time", "pi"};
    for (size_t k = 0; k < IB_COUNT(functions); k++)
        names[k + 3] = functions[k].name;
    return ib_nearest_name(name, names, IB_COUNT(names));
}

const char *ib_function_foreign(const char *name) {
    for (size_t k = 0; k < IB_COUNT(foreign); k++)
        if (strcmp(name, foreign[k].name) == 0)
            return foreign[k].here;
    return NULL;
}
