/* number: numbers - plain, with a unit, or a constant expression of parameters. */
#include "model/model_internal.h"

#include <math.h>
#include <string.h>

/* Names what is wrong with a unit. */
static void report_unit(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                        ib_quantity_result result, size_t at, size_t length) {
    const char *symbol = ib_arena_strndup(l->arena, node->text + at, length);
    if (!symbol) {
        l->no_memory = true;
        return;
    }
    if (result == IB_QUANTITY_UNKNOWN) {
        const char *nearest = ib_unit_nearest(symbol);
        if (ib_report_part(l, IB0217, node, at, length, "%s: there is no unit '%s'", key, symbol) &&
            nearest)
            ib_diags_suggest(l->diags, "did you mean '%s'?", nearest);
        return;
    }
    if (result == IB_QUANTITY_RANGE) {
        ib_report_part(l, IB0216, node, 0, node->length, "%s: this number is not finite", key);
        return;
    }
    const char *what = ib_unit_what(node->text + at, length);
    const char *unit = ib_dimension_unit(dimension);
    ib_report_part(l, IB0218, node, at, length, "%s is %s%s%s%s, but '%s' is the unit of %s", key,
                   ib_dimension_what(dimension), unit[0] ? " (" : "", unit, unit[0] ? ")" : "",
                   symbol, what ? what : "something else");
}

/* A unit without a space before it, unless it is a name of expressions: then a product was meant.
 */
static bool report_closed(ib_loader *l, const char *key, ib_yaml *node, size_t at, size_t length) {
    const char *unit = ib_arena_strndup(l->arena, node->text + at, length);
    l->no_memory = l->no_memory || !unit;
    if (unit && (ib_expr_reserved(unit) || ib_find_name(l, &l->quantity_names, unit) != SIZE_MAX))
        return false;
    if (unit && ib_report_part(l, IB0217, node, at, length,
                               "%s: a space is missing between the number and its unit", key))
        ib_diags_suggest(l->diags, "write %.*s %s", (int)at, node->text, unit);
    return true;
}

bool ib_read_quantity(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                      double *value, bool *good) {
    size_t at = 0;
    size_t length = 0;
    const ib_quantity_result result = ib_quantity_read(node->text, dimension, value, &at, &length);
    *good = result == IB_QUANTITY_OK;
    if (result == IB_QUANTITY_NONE)
        return false;
    if (result == IB_QUANTITY_CLOSED)
        return report_closed(l, key, node, at, length);
    if (!*good && !node->reported)
        report_unit(l, key, node, dimension, result, at, length);
    return true;
}

/* A constant expression. */
static bool read_constant(ib_loader *l, const char *key, ib_yaml *node, double *value,
                          ib_node *tracked) {
    bool known = true;
    ib_node_context context = {.l = l, .node = node};
    const ib_text text = ib_node_text_open(&context);
    const bool parsed = ib_constant_parse(l, &text, value, &known, tracked);
    ib_node_text_close(&context);
    if (!parsed || !known)
        return false;
    if (!isfinite(*value))
        ib_report(l, IB0216, node, "%s: the value of this expression is not finite", key);
    return isfinite(*value);
}

static bool read_expression(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                            double *value, ib_node *tracked) {
    bool good = false;
    if (ib_read_quantity(l, key, node, dimension, value, &good))
        return good;
    good = !node->reported && read_constant(l, key, node, value, tracked);
    node->reported = node->reported || !good;
    return good;
}

bool ib_read_number(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                    double *value) {
    bool is_integer = false;
    double read = 0;
    bool good = false;
    ib_node tracked = IB_NO_NODE;
    *value = 0;
    if (node->kind != IB_YAML_SCALAR) {
        ib_report_kind(l, key, node, "a number");
        return false;
    }
    switch (ib_yaml_scalar_type(node, &read, &is_integer)) {
    case IB_YAML_NUMBER:
        good = true;
        break;
    case IB_YAML_TEXT:
        good = read_expression(l, key, node, dimension, &read, &tracked);
        break;
    case IB_YAML_NOT_FINITE:
        ib_report(l, IB0216, node, "%s: numbers must be finite, '%s' is not", key, node->text);
        break;
    default:
        ib_report_kind(l, key, node, "a number");
        break;
    }
    if (good)
        *value = read;
    ib_track(l, value, good ? tracked : IB_NO_NODE);
    return good;
}

bool ib_read_seed(ib_loader *l, const char *key, ib_yaml *node, uint64_t *value) {
    uint64_t number = 0;
    bool good = node->kind == IB_YAML_SCALAR && node->length > 0 && node->length < 21;
    for (size_t i = 0; good && i < node->length; i++) {
        const uint64_t digit = (uint64_t)(node->text[i] - '0');
        good = digit <= 9 && number <= (UINT64_MAX - digit) / 10;
        number = good ? 10 * number + digit : number;
    }
    if (!good)
        ib_report(l, IB0216, node, "%s: a whole number from 0 to 2^64 - 1 is wanted here", key);
    *value = number;
    return good;
}

bool ib_read_rate(ib_loader *l, const char *key, ib_yaml *node, ib_rate *rate) {
    size_t at, length;
    double period = 0;
    *rate = (ib_rate){.place = ib_node_place(l, node)};
    const bool is_period =
        node->kind == IB_YAML_SCALAR &&
        ib_quantity_read(node->text, IB_DIM_TIME, &period, &at, &length) == IB_QUANTITY_OK;
    if (is_period) {
        rate->seconds = period;
        return true;
    }
    return ib_read_number(l, key, node, IB_DIM_FREQUENCY, &rate->hertz);
}

bool ib_read_count(ib_loader *l, const char *key, ib_yaml *node, int *value) {
    double number = 0;
    if (!ib_read_number(l, key, node, IB_DIM_NUMBER, &number))
        return false;
    if (number < 0 || number > 1e6 || number != ib_floor(number)) {
        ib_report(l, IB0216, node, "%s: '%s' is not a whole number from 0 to 1000000", key,
                  node->text);
        return false;
    }
    *value = (int)number;
    return true;
}
