/* The elements of ModelVariables: variables of FMI 3, of FMI 2, their dimensions, start values and
 * aliases. What only makes sense beside other elements is left to the checks.
 */
#include "fmi/reader.h"

#include <math.h> /* NAN only */
#include <string.h>

static const char *const causalities[IB_FMI_CAUSALITIES] = {
    [IB_FMI_LOCAL] = "local",
    [IB_FMI_INPUT] = "input",
    [IB_FMI_OUTPUT] = "output",
    [IB_FMI_PARAMETER] = "parameter",
    [IB_FMI_CALCULATED_PARAMETER] = "calculatedParameter",
    [IB_FMI_STRUCTURAL_PARAMETER] = "structuralParameter",
    [IB_FMI_INDEPENDENT] = "independent"};

static const char *const variabilities[IB_FMI_VARIABILITIES] = {[IB_FMI_CONSTANT] = "constant",
                                                                [IB_FMI_FIXED] = "fixed",
                                                                [IB_FMI_TUNABLE] = "tunable",
                                                                [IB_FMI_DISCRETE] = "discrete",
                                                                [IB_FMI_CONTINUOUS] = "continuous"};

static const char *const initials[IB_FMI_INITIALS] = {[IB_FMI_NO_INITIAL] = "",
                                                      [IB_FMI_EXACT] = "exact",
                                                      [IB_FMI_APPROX] = "approx",
                                                      [IB_FMI_CALCULATED] = "calculated"};

static const char *const intervals[IB_FMI_INTERVALS] = {[IB_FMI_NO_INTERVAL] = "",
                                                        [IB_FMI_INTERVAL_CONSTANT] = "constant",
                                                        [IB_FMI_INTERVAL_FIXED] = "fixed",
                                                        [IB_FMI_INTERVAL_TUNABLE] = "tunable",
                                                        [IB_FMI_INTERVAL_CHANGING] = "changing",
                                                        [IB_FMI_INTERVAL_COUNTDOWN] = "countdown",
                                                        [IB_FMI_INTERVAL_TRIGGERED] = "triggered"};

const char *ib_fmi_causality_name(ib_fmi_causality causality) { return causalities[causality]; }

const char *ib_fmi_variability_name(ib_fmi_variability variability) {
    return variabilities[variability];
}

const char *ib_fmi_initial_name(ib_fmi_initial initial) { return initials[initial]; }

static bool is_float(ib_fmi_type type) { return type == IB_FMI_FLOAT32 || type == IB_FMI_FLOAT64; }

/* A bound as written, once it is known to be of the type. */
static const char *read_bound(ib_fmi_reader *reader, ib_fmi_type type, const char *name) {
    const char *text = ib_fmi_text(reader, name, NULL);
    if (!text || ib_fmi_parse_value(type, text, strlen(text), NULL))
        return text;
    ib_fmi_find(reader, IB_FMI_AGAINST, IB1015, ib_fmi_attribute_place(reader, reader->place, name),
                "%s=\"%.80s\" is not a value of type %s", name, text, ib_fmi_type_name(type));
    return NULL;
}

ib_fmi_traits ib_fmi_read_traits(ib_fmi_reader *reader, ib_fmi_type type) {
    ib_fmi_traits traits = {0};
    if (type == IB_FMI_BOOLEAN || type == IB_FMI_STRING || type == IB_FMI_BINARY ||
        type == IB_FMI_CLOCK)
        return traits;
    traits.quantity = ib_fmi_text(reader, "quantity", NULL);
    traits.min = read_bound(reader, type, "min");
    traits.max = read_bound(reader, type, "max");
    if (!is_float(type))
        return traits;
    traits.unit = ib_fmi_text(reader, "unit", NULL);
    traits.display_unit = ib_fmi_text(reader, "displayUnit", NULL);
    traits.nominal = read_bound(reader, type, "nominal");
    traits.relative = ib_fmi_bool(reader, "relativeQuantity", false);
    traits.unbounded = ib_fmi_bool(reader, "unbounded", false);
    return traits;
}

ib_fmi_clock ib_fmi_read_clock(ib_fmi_reader *reader) {
    ib_fmi_clock clock = {0};
    bool given;
    clock.can_be_deactivated = ib_fmi_bool(reader, "canBeDeactivated", false);
    clock.priority = (uint32_t)ib_fmi_uint(reader, "priority", UINT32_MAX, 0, &clock.has_priority);
    clock.interval = (ib_fmi_interval)ib_fmi_choice(reader, "intervalVariability", intervals,
                                                    IB_FMI_INTERVALS, IB_FMI_NO_INTERVAL, &given);
    clock.has_interval_decimal = ib_fmi_attribute(reader, "intervalDecimal") != NULL;
    clock.interval_decimal = ib_fmi_double(reader, "intervalDecimal", NAN);
    clock.shift_decimal = ib_fmi_double(reader, "shiftDecimal", 0);
    clock.supports_fraction = ib_fmi_bool(reader, "supportsFraction", false);
    clock.resolution = ib_fmi_uint(reader, "resolution", UINT64_MAX, 0, &given);
    clock.interval_counter = ib_fmi_uint(reader, "intervalCounter", UINT64_MAX, 0, &given);
    clock.shift_counter = ib_fmi_uint(reader, "shiftCounter", UINT64_MAX, 0, &given);
    return clock;
}

static ib_fmi_variable *add_variable(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    if (!IB_VEC_RESERVE(d->variables, d->variables_capacity, d->n_variables))
        return ib_fmi_no_memory(reader);
    ib_fmi_variable *variable = &d->variables[d->n_variables++];
    *variable = (ib_fmi_variable){.place = reader->place, .unit = SIZE_MAX, .n_values = 1};
    return variable;
}

static ib_fmi_variable *last_variable(ib_fmi_reader *reader) {
    return &reader->description->variables[reader->description->n_variables - 1];
}

/* What both versions say of a variable. */
static void read_common(ib_fmi_reader *reader, ib_fmi_variable *v) {
    bool given;
    v->name = ib_fmi_required(reader, "name");
    v->description = ib_fmi_text(reader, "description", "");
    v->reference = (uint32_t)ib_fmi_uint(reader, "valueReference", UINT32_MAX, 0, &given);
    if (!given)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1014, reader->place,
                    "<%s> needs the attribute 'valueReference'", reader->element);
    v->causality = (ib_fmi_causality)ib_fmi_choice(reader, "causality", causalities,
                                                   IB_FMI_CAUSALITIES, IB_FMI_LOCAL, NULL);
    v->variability = (ib_fmi_variability)ib_fmi_choice(reader, "variability", variabilities,
                                                       IB_FMI_VARIABILITIES, IB_FMI_CONTINUOUS,
                                                       &v->said_variability);
    v->initial = (ib_fmi_initial)ib_fmi_choice(reader, "initial", initials, IB_FMI_INITIALS,
                                               IB_FMI_NO_INITIAL, &v->said_initial);
}

/* start="..." of a type other than strings and binaries: every value is looked at. */
static void read_start_list(ib_fmi_reader *reader, ib_fmi_variable *v) {
    v->start = ib_fmi_text(reader, "start", NULL);
    const char *cursor = v->start, *token;
    size_t length;
    while (cursor && (token = ib_fmi_token(&cursor, &length))) {
        v->n_starts++;
        if (ib_fmi_parse_value(v->type, token, length, NULL))
            continue;
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1015,
                    ib_fmi_attribute_place(reader, reader->place, "start"),
                    "%.200s: start value '%.*s' is not a value of type %s", v->name,
                    (int)(length < 80 ? length : 80), token, ib_fmi_type_name(v->type));
        break;
    }
    if (v->start && !v->n_starts) {
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1015,
                    ib_fmi_attribute_place(reader, reader->place, "start"),
                    "%.200s: start is empty", v->name);
        v->start = NULL;
    }
}

ib_fmi_context ib_fmi_read_variable3(ib_fmi_reader *reader, ib_fmi_type type) {
    ib_fmi_variable *v = add_variable(reader);
    if (!v)
        return IB_FMI_IN_NOTHING;
    v->type = type;
    read_common(reader, v);
    v->declared_type = ib_fmi_text(reader, "declaredType", NULL);
    v->intermediate = ib_fmi_bool(reader, "intermediateUpdate", false);
    v->single_set = !ib_fmi_bool(reader, "canHandleMultipleSetPerTimeInstant", true);
    v->clocks = ib_fmi_references(reader, "clocks", &v->n_clocks, NULL);
    v->previous = (uint32_t)ib_fmi_uint(reader, "previous", UINT32_MAX, 0, &v->has_previous);
    v->traits = ib_fmi_read_traits(reader, type);
    if (is_float(type)) {
        v->derivative =
            (uint32_t)ib_fmi_uint(reader, "derivative", UINT32_MAX, 0, &v->has_derivative);
        v->reinit = ib_fmi_bool(reader, "reinit", false);
    }
    if (type == IB_FMI_BINARY) {
        bool given;
        v->mime_type = ib_fmi_text(reader, "mimeType", "application/octet-stream");
        v->max_size = (size_t)ib_fmi_uint(reader, "maxSize", SIZE_MAX / 2, 0, &given);
    }
    if (type == IB_FMI_CLOCK) {
        v->clock = IB_ARENA_NEW(reader->arena, ib_fmi_clock);
        if (!v->clock)
            ib_fmi_no_memory(reader);
        else
            *v->clock = ib_fmi_read_clock(reader);
    } else if (type != IB_FMI_STRING && type != IB_FMI_BINARY) {
        read_start_list(reader, v);
    }
    return IB_FMI_IN_VARIABLE;
}

ib_fmi_context ib_fmi_read_variable2(ib_fmi_reader *reader) {
    ib_fmi_variable *v = add_variable(reader);
    if (!v)
        return IB_FMI_IN_NOTHING;
    v->type = IB_FMI_TYPE_COUNT; /* until its element tells */
    read_common(reader, v);
    ib_fmi_pass_over(reader, "canHandleMultipleSetPerTimeInstant");
    return IB_FMI_IN_VARIABLE;
}

void ib_fmi_read_variable2_type(ib_fmi_reader *reader, ib_fmi_type type) {
    ib_fmi_variable *v = last_variable(reader);
    if (v->type != IB_FMI_TYPE_COUNT)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1016, reader->place, "%.200s has two types",
                    v->name);
    v->type = type;
    v->declared_type = ib_fmi_text(reader, "declaredType", NULL);
    /* Enumerations of FMI 2 are integers of 32 bits. */
    v->traits = ib_fmi_read_traits(reader, type);
    if (type == IB_FMI_STRING) {
        ib_fmi_read_start(reader);
        return;
    }
    read_start_list(reader, v);
    if (type != IB_FMI_FLOAT64)
        return;
    v->derivative = (uint32_t)ib_fmi_uint(reader, "derivative", UINT32_MAX, 0, &v->has_derivative);
    v->reinit = ib_fmi_bool(reader, "reinit", false);
}

void ib_fmi_read_dimension(ib_fmi_reader *reader) {
    ib_fmi_variable *v = last_variable(reader);
    bool fixed, referenced;
    if (!IB_VEC_RESERVE(v->dimensions, v->dimensions_capacity, v->n_dimensions)) {
        ib_fmi_no_memory(reader);
        return;
    }
    ib_fmi_dimension *dimension = &v->dimensions[v->n_dimensions++];
    *dimension = (ib_fmi_dimension){.place = reader->place};
    dimension->size = ib_fmi_uint(reader, "start", UINT64_MAX, 1, &fixed);
    dimension->reference =
        (uint32_t)ib_fmi_uint(reader, "valueReference", UINT32_MAX, 0, &referenced);
    dimension->by_reference = referenced && !fixed;
    if (fixed == referenced)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1023, reader->place,
                    "%.200s: a dimension has either 'start' or 'valueReference'", v->name);
}

void ib_fmi_read_start(ib_fmi_reader *reader) {
    ib_fmi_variable *v = last_variable(reader);
    const char *name = strcmp(reader->element, "Start") == 0 ? "value" : "start";
    const char *value = ib_fmi_text(reader, name, NULL);
    if (v->type != IB_FMI_STRING && v->type != IB_FMI_BINARY) {
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1013, reader->place,
                    "<Start> belongs to strings and binaries; %.200s is neither", v->name);
        return;
    }
    if (!value && name[0] == 's')
        return;
    value = value ? value : "";
    if (v->type == IB_FMI_BINARY && !ib_fmi_parse_hex(value, strlen(value), NULL))
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1015,
                    ib_fmi_attribute_place(reader, reader->place, name),
                    "%.200s: the start value is not hexadecimal, two digits a byte", v->name);
    if (!IB_VEC_RESERVE(v->starts, v->starts_capacity, v->n_starts)) {
        ib_fmi_no_memory(reader);
        return;
    }
    v->starts[v->n_starts++] = value;
}

void ib_fmi_read_alias(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    if (!IB_VEC_RESERVE(d->aliases, d->aliases_capacity, d->n_aliases)) {
        ib_fmi_no_memory(reader);
        return;
    }
    d->aliases[d->n_aliases++] =
        (ib_fmi_alias){.name = ib_fmi_required(reader, "name"),
                       .description = ib_fmi_text(reader, "description", ""),
                       .display_unit = ib_fmi_text(reader, "displayUnit", NULL),
                       .variable = d->n_variables - 1,
                       .place = reader->place};
}
