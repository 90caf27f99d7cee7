/* Checks of a description as a whole: names, references, types, units, start values, combinations
 * of causality, variability and initial (FMI 3.0.2, tables 18 to 22; FMI 2.0.5, section 2.2.7).
 *
 * References become indices here. What contradicts the standard is reported with its place; where
 * there is an obvious reading it is taken.
 */
#include "fmi/reader.h"

#include <stdlib.h>
#include <string.h>

#define MOST_VALUES ((uint64_t)1 << 28) /* of one array */

static ib_fmi_place at(const ib_fmi_reader *reader, ib_fmi_place place, const char *attribute) {
    return ib_fmi_attribute_place(reader, place, attribute);
}

static bool is_float(ib_fmi_type type) { return type == IB_FMI_FLOAT32 || type == IB_FMI_FLOAT64; }

/* ---- names and references ------------------------------------------------------------------ */

static void check_name(ib_fmi_reader *reader, const char *name, ib_fmi_place place) {
    size_t index;
    ib_fmi_description *d = reader->description;
    if (ib_names_add(d->names, name, &index))
        return;
    if (index == SIZE_MAX) {
        ib_fmi_no_memory(reader);
        return;
    }
    ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1016, at(reader, place, "name"),
                "the name '%.200s' is used twice", name);
    const ib_fmi_place first = index < d->n_variables ? d->variables[index].place
                                                      : d->aliases[index - d->n_variables].place;
    ib_diags_note(reader->diags, (ib_place){reader->name, first.line, first.column, 1},
                  "used first here");
}

/* Indices in `names` agree with those of variables as long as no name is used twice; a file with
 * such names is refused, so nobody looks them up. */
static void check_names(ib_fmi_reader *reader) {
    const ib_fmi_description *d = reader->description;
    for (size_t i = 0; i < d->n_variables && !reader->no_memory; i++)
        check_name(reader, d->variables[i].name, d->variables[i].place);
    for (size_t i = 0; i < d->n_aliases && !reader->no_memory; i++)
        check_name(reader, d->aliases[i].name, d->aliases[i].place);
}

/* Variables of one group share their references. */
static uint64_t key_of(unsigned version, ib_fmi_type type, uint32_t reference) {
    if (version == 3)
        return reference;
    const ib_fmi_type group = type == IB_FMI_ENUMERATION ? IB_FMI_INT32 : type;
    return (uint64_t)group << 32 | reference;
}

static int compare_keys(const void *a, const void *b) {
    const ib_fmi_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void check_references(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    d->by_reference = calloc(d->n_variables + 1, sizeof *d->by_reference);
    if (!d->by_reference) {
        ib_fmi_no_memory(reader);
        return;
    }
    for (size_t i = 0; i < d->n_variables; i++)
        d->by_reference[i] =
            (ib_fmi_key){key_of(d->version, d->variables[i].type, d->variables[i].reference), i};
    qsort(d->by_reference, d->n_variables, sizeof *d->by_reference, compare_keys);
    for (size_t i = 1; d->version == 3 && i < d->n_variables; i++) {
        const ib_fmi_key *key = &d->by_reference[i];
        if (key->key != key[-1].key)
            continue;
        const ib_fmi_variable *v = &d->variables[key->index];
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1017, at(reader, v->place, "valueReference"),
                    "%.200s has the value reference %u of %.200s", v->name, v->reference,
                    d->variables[key[-1].index].name);
    }
}

size_t ib_fmi_by_reference(const ib_fmi_description *d, ib_fmi_type type, uint32_t reference) {
    const uint64_t key = key_of(d->version, type, reference);
    size_t low = 0, high = d->n_variables;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (d->by_reference[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->n_variables && d->by_reference[low].key == key ? d->by_reference[low].index
                                                                   : SIZE_MAX;
}

/* Index of the variable that an element names, or SIZE_MAX after a finding. */
static size_t resolve(ib_fmi_reader *reader, uint32_t written, ib_fmi_place place,
                      const char *attribute) {
    const ib_fmi_description *d = reader->description;
    size_t index = SIZE_MAX;
    if (d->version == 3)
        index = ib_fmi_by_reference(d, IB_FMI_FLOAT64, written);
    else if (written && written <= d->n_variables)
        index = written - 1;
    if (index == SIZE_MAX)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1018, at(reader, place, attribute),
                    "there is no variable with the %s %u",
                    d->version == 3 ? "value reference" : "index", written);
    return index;
}

static void resolve_list(ib_fmi_reader *reader, uint32_t *list, size_t *n, ib_fmi_place place,
                         const char *attribute) {
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        const size_t index = resolve(reader, list[i], place, attribute);
        if (index != SIZE_MAX)
            list[kept++] = (uint32_t)index;
    }
    *n = kept;
}

/* ---- types and units ----------------------------------------------------------------------- */

static size_t find_unit(const ib_names *names, const char *name) {
    return ib_names_find(names, name);
}

static void check_unit(ib_fmi_reader *reader, const ib_names *units, const char *unit,
                       ib_fmi_place place) {
    if (unit && *unit && find_unit(units, unit) == SIZE_MAX)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1021, at(reader, place, "unit"),
                    "the unit '%.80s' is not among the UnitDefinitions", unit);
}

static void check_display_unit(ib_fmi_reader *reader, const ib_names *units, const char *unit,
                               const char *display, ib_fmi_place place) {
    const ib_fmi_description *d = reader->description;
    if (!display || !*display)
        return;
    const size_t index = unit ? find_unit(units, unit) : SIZE_MAX;
    for (size_t i = 0; i < d->n_display_units; i++)
        if (strcmp(d->display_units[i].name, display) == 0 &&
            (index == SIZE_MAX || d->display_units[i].unit == index))
            return;
    if (unit && strcmp(unit, display) == 0)
        return;
    ib_fmi_find(reader, IB_FMI_AGAINST, IB1021, at(reader, place, "displayUnit"),
                "'%.80s' is not a display unit of '%.80s'", display, unit ? unit : "");
}

static ib_names *name_units(ib_fmi_reader *reader) {
    const ib_fmi_description *d = reader->description;
    ib_names *names = ib_names_create();
    size_t index = 0;
    for (size_t i = 0; names && i < d->n_units && index != SIZE_MAX; i++)
        if (!ib_names_add(names, d->units[i].name, &index) && index != SIZE_MAX)
            ib_fmi_find(reader, IB_FMI_AGAINST, IB1016, at(reader, d->units[i].place, "name"),
                        "the unit '%.80s' is defined twice", d->units[i].name);
    if (names && index != SIZE_MAX)
        return names;
    ib_names_destroy(names);
    return ib_fmi_no_memory(reader);
}

static ib_names *name_types(ib_fmi_reader *reader, const ib_names *units) {
    const ib_fmi_description *d = reader->description;
    ib_names *names = ib_names_create();
    size_t index = 0;
    for (size_t i = 0; names && i < d->n_types && index != SIZE_MAX; i++) {
        const ib_fmi_type_definition *type = &d->types[i];
        if (!ib_names_add(names, type->name, &index) && index != SIZE_MAX)
            ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1016, at(reader, type->place, "name"),
                        "the type '%.80s' is defined twice", type->name);
        if (type->type == IB_FMI_TYPE_COUNT)
            ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1022, type->place,
                        "the type '%.80s' does not say what it is", type->name);
        check_unit(reader, units, type->traits.unit, type->place);
        check_display_unit(reader, units, type->traits.unit, type->traits.display_unit,
                           type->place);
    }
    if (names && index != SIZE_MAX)
        return names;
    ib_names_destroy(names);
    return ib_fmi_no_memory(reader);
}

static const char *or_else(const char *own, const char *other) { return own ? own : other; }

/* What the declared type says holds where the variable says nothing itself. */
static void complete_type(ib_fmi_reader *reader, const ib_names *types, ib_fmi_variable *v) {
    const ib_fmi_description *d = reader->description;
    if (!v->declared_type) {
        if (v->type == IB_FMI_ENUMERATION)
            ib_fmi_find(reader, IB_FMI_AGAINST, IB1014, v->place,
                        "the enumeration %.200s needs a declaredType", v->name);
        return;
    }
    const size_t index = ib_names_find(types, v->declared_type);
    if (index == SIZE_MAX || d->types[index].type != v->type) {
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1022, at(reader, v->place, "declaredType"),
                    index == SIZE_MAX ? "%.200s: there is no type '%.80s'"
                                      : "%.200s: the type '%.80s' is one of other values",
                    v->name, v->declared_type);
        return;
    }
    const ib_fmi_traits *type = &d->types[index].traits;
    v->traits.quantity = or_else(v->traits.quantity, type->quantity);
    v->traits.unit = or_else(v->traits.unit, type->unit);
    v->traits.display_unit = or_else(v->traits.display_unit, type->display_unit);
    v->traits.min = or_else(v->traits.min, type->min);
    v->traits.max = or_else(v->traits.max, type->max);
    v->traits.nominal = or_else(v->traits.nominal, type->nominal);
}

static void check_units_of(ib_fmi_reader *reader, const ib_names *units, ib_fmi_variable *v) {
    if (v->traits.unit && *v->traits.unit)
        v->unit = find_unit(units, v->traits.unit);
    if (v->unit == SIZE_MAX)
        check_unit(reader, units, v->traits.unit, v->place);
    check_display_unit(reader, units, v->traits.unit, v->traits.display_unit, v->place);
}

/* ---- causality, variability, initial ------------------------------------------------------- */

#define BIT(x) (1U << (x))

/* Variabilities that a causality may have. */
static unsigned variabilities_of(ib_fmi_causality causality) {
    switch (causality) {
    case IB_FMI_PARAMETER:
    case IB_FMI_CALCULATED_PARAMETER:
    case IB_FMI_STRUCTURAL_PARAMETER:
        return BIT(IB_FMI_FIXED) | BIT(IB_FMI_TUNABLE);
    case IB_FMI_INPUT:
        return BIT(IB_FMI_DISCRETE) | BIT(IB_FMI_CONTINUOUS);
    case IB_FMI_OUTPUT:
        return BIT(IB_FMI_CONSTANT) | BIT(IB_FMI_DISCRETE) | BIT(IB_FMI_CONTINUOUS);
    case IB_FMI_INDEPENDENT:
        return BIT(IB_FMI_CONTINUOUS);
    default:
        return ~0U;
    }
}

/* Values of initial that go with a causality and variability; the first one is the default. */
static unsigned initials_of(const ib_fmi_variable *v, unsigned version, ib_fmi_initial *absent) {
    *absent = IB_FMI_CALCULATED;
    if (v->causality == IB_FMI_INDEPENDENT || v->type == IB_FMI_CLOCK) {
        *absent = IB_FMI_NO_INITIAL;
        return 0;
    }
    const bool exact = v->causality == IB_FMI_PARAMETER ||
                       v->causality == IB_FMI_STRUCTURAL_PARAMETER ||
                       v->variability == IB_FMI_CONSTANT;
    if (exact || v->causality == IB_FMI_INPUT) {
        *absent = IB_FMI_EXACT;
        return exact || version == 3 ? BIT(IB_FMI_EXACT) : 0;
    }
    const bool calculated = v->causality == IB_FMI_CALCULATED_PARAMETER ||
                            v->variability == IB_FMI_FIXED || v->variability == IB_FMI_TUNABLE;
    return BIT(IB_FMI_APPROX) | BIT(IB_FMI_CALCULATED) | (calculated ? 0 : BIT(IB_FMI_EXACT));
}

static ib_fmi_variability default_variability(const ib_fmi_variable *v) {
    if (v->causality == IB_FMI_PARAMETER || v->causality == IB_FMI_CALCULATED_PARAMETER ||
        v->causality == IB_FMI_STRUCTURAL_PARAMETER)
        return IB_FMI_FIXED;
    return is_float(v->type) ? IB_FMI_CONTINUOUS : IB_FMI_DISCRETE;
}

static void check_variability(ib_fmi_reader *reader, ib_fmi_variable *v) {
    const unsigned allowed = variabilities_of(v->causality) &
                             ~(is_float(v->type) ? 0 : BIT(IB_FMI_CONTINUOUS)) &
                             (v->type == IB_FMI_CLOCK ? BIT(IB_FMI_DISCRETE) : ~0U);
    /* FMI 2 says that continuous is the default even where it makes no sense. */
    if (!v->said_variability)
        v->variability = default_variability(v);
    if (allowed & BIT(v->variability))
        return;
    ib_fmi_find(reader, IB_FMI_AGAINST, IB1020, at(reader, v->place, "variability"),
                "%.200s: a variable of causality %s and type %s cannot be %s", v->name,
                ib_fmi_causality_name(v->causality), ib_fmi_type_name(v->type),
                ib_fmi_variability_name(v->variability));
    v->variability = default_variability(v);
}

static void check_initial(ib_fmi_reader *reader, ib_fmi_variable *v) {
    ib_fmi_initial absent;
    const unsigned allowed = initials_of(v, reader->description->version, &absent);
    if (!v->said_initial || v->initial == IB_FMI_NO_INITIAL) {
        v->initial = absent;
        return;
    }
    if (allowed & BIT(v->initial))
        return;
    ib_fmi_find(reader, IB_FMI_AGAINST, IB1020, at(reader, v->place, "initial"),
                "%.200s: initial=\"%s\" does not go with causality %s and variability %s", v->name,
                ib_fmi_initial_name(v->initial), ib_fmi_causality_name(v->causality),
                ib_fmi_variability_name(v->variability));
    v->initial = absent;
}

/* ---- start values and sizes ---------------------------------------------------------------- */

static void check_start(ib_fmi_reader *reader, ib_fmi_variable *v) {
    if (v->type == IB_FMI_CLOCK)
        return;
    const bool wanted = v->initial == IB_FMI_EXACT || v->initial == IB_FMI_APPROX;
    if (wanted && !v->n_starts)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1019, v->place,
                    "%.200s needs a start value (causality %s, variability %s, initial %s)",
                    v->name, ib_fmi_causality_name(v->causality),
                    ib_fmi_variability_name(v->variability), ib_fmi_initial_name(v->initial));
    if (!wanted && v->n_starts)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1019, at(reader, v->place, "start"),
                    "%.200s is calculated and may have no start value", v->name);
}

/* The size of a dimension by the start value of the variable that gives it. */
static uint64_t dimension_size(ib_fmi_reader *reader, const ib_fmi_variable *v,
                               ib_fmi_dimension *dimension) {
    if (!dimension->by_reference)
        return dimension->size;
    const ib_fmi_description *d = reader->description;
    const size_t index = resolve(reader, dimension->reference, dimension->place, "valueReference");
    uint64_t size = 1;
    if (index == SIZE_MAX)
        return 1;
    const ib_fmi_variable *source = &d->variables[index];
    const bool fits =
        source->type == IB_FMI_UINT64 && (source->causality == IB_FMI_STRUCTURAL_PARAMETER ||
                                          source->variability == IB_FMI_CONSTANT);
    if (!fits || !source->start ||
        !ib_fmi_parse_value(IB_FMI_UINT64, source->start, strlen(source->start), &size)) {
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1023, at(reader, dimension->place, "valueReference"),
                    "%.200s: %.200s gives no size; a structural parameter or constant of type "
                    "UInt64 does",
                    v->name, source->name);
        return 1;
    }
    return size;
}

static void check_dimensions(ib_fmi_reader *reader, ib_fmi_variable *v) {
    uint64_t total = 1;
    if (v->n_dimensions) {
        v->sizes = IB_ARENA_ARRAY(reader->arena, v->n_dimensions, uint64_t);
        if (!v->sizes) {
            ib_fmi_no_memory(reader);
            return;
        }
    }
    for (size_t i = 0; i < v->n_dimensions; i++) {
        v->sizes[i] = dimension_size(reader, v, &v->dimensions[i]);
        if (!v->sizes[i])
            ib_fmi_find(reader, IB_FMI_AGAINST, IB1023, v->dimensions[i].place,
                        "%.200s: a dimension has the size 0", v->name);
        total = v->sizes[i] && total > MOST_VALUES / v->sizes[i] ? MOST_VALUES + 1
                                                                 : total * v->sizes[i];
        total = total > MOST_VALUES ? MOST_VALUES + 1 : total;
    }
    if (total > MOST_VALUES)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1023, v->place, "%.200s has more than %llu elements",
                    v->name, (unsigned long long)MOST_VALUES);
    v->n_values = (size_t)total;
    if (v->n_starts > 1 && v->n_starts != v->n_values)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1019, at(reader, v->place, "start"),
                    "%.200s has %zu start values for %zu elements", v->name, v->n_starts,
                    v->n_values);
}

/* ---- the rest of a variable ---------------------------------------------------------------- */

static void check_clock(ib_fmi_reader *reader, const ib_fmi_variable *v) {
    const ib_fmi_clock *clock = v->clock;
    if (!clock)
        return;
    if (clock->interval == IB_FMI_NO_INTERVAL)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1014, v->place,
                    "the clock %.200s needs the attribute 'intervalVariability'", v->name);
    const bool periodic =
        clock->interval == IB_FMI_INTERVAL_CONSTANT || clock->interval == IB_FMI_INTERVAL_FIXED;
    if (clock->has_interval_decimal && !(clock->interval_decimal > 0))
        ib_fmi_find(reader, periodic ? IB_FMI_UNUSABLE : IB_FMI_AGAINST, IB1015,
                    at(reader, v->place, "intervalDecimal"),
                    "the clock %.200s has an interval that is not positive", v->name);
}

static void check_links(ib_fmi_reader *reader, ib_fmi_variable *v) {
    if (v->has_derivative) {
        const size_t index = resolve(reader, v->derivative, v->place, "derivative");
        v->derivative = (uint32_t)index;
        v->has_derivative = index != SIZE_MAX;
    }
    if (v->has_previous) {
        const size_t index = resolve(reader, v->previous, v->place, "previous");
        v->previous = (uint32_t)index;
        v->has_previous = index != SIZE_MAX;
    }
    resolve_list(reader, v->clocks, &v->n_clocks, v->place, "clocks");
    for (size_t i = 0; i < v->n_clocks; i++) {
        const ib_fmi_variable *clock = &reader->description->variables[v->clocks[i]];
        if (clock->type != IB_FMI_CLOCK)
            ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1018, at(reader, v->place, "clocks"),
                        "%.200s: %.200s is not a clock", v->name, clock->name);
    }
}

static void check_variables(ib_fmi_reader *reader, const ib_names *units, const ib_names *types) {
    ib_fmi_description *d = reader->description;
    size_t n_independent = 0;
    for (size_t i = 0; i < d->n_variables && !reader->no_memory; i++) {
        ib_fmi_variable *v = &d->variables[i];
        complete_type(reader, types, v);
        check_units_of(reader, units, v);
        check_variability(reader, v);
        check_initial(reader, v);
        check_start(reader, v);
        check_clock(reader, v);
        n_independent += v->causality == IB_FMI_INDEPENDENT;
        if (v->causality == IB_FMI_INDEPENDENT && n_independent == 2)
            ib_fmi_find(reader, IB_FMI_AGAINST, IB1020, at(reader, v->place, "causality"),
                        "%.200s is the second independent variable", v->name);
        if (v->causality == IB_FMI_STRUCTURAL_PARAMETER && d->version == 2)
            ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1020, at(reader, v->place, "causality"),
                        "FMI 2 has no structural parameters");
    }
    /* Sizes and links need every variable's type and variability. */
    for (size_t i = 0; i < d->n_variables && !reader->no_memory; i++) {
        check_dimensions(reader, &d->variables[i]);
        check_links(reader, &d->variables[i]);
    }
}

/* True when every variable of FMI 2 has said of what type it is. */
static bool check_complete(ib_fmi_reader *reader) {
    const ib_fmi_description *d = reader->description;
    bool complete = true;
    for (size_t i = 0; i < d->n_variables; i++)
        if (d->variables[i].type == IB_FMI_TYPE_COUNT) {
            ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1022, d->variables[i].place,
                        "%.200s has no type: <Real>, <Integer>, <Boolean>, <String> or "
                        "<Enumeration>",
                        d->variables[i].name);
            complete = false;
        }
    return complete;
}

/* ---- the structure ------------------------------------------------------------------------- */

static const char *const structures[IB_FMI_STRUCTURES] = {
    [IB_FMI_OUTPUTS] = "output",
    [IB_FMI_DERIVATIVES] = "state derivative",
    [IB_FMI_CLOCKED_STATES] = "clocked state",
    [IB_FMI_INITIAL_UNKNOWNS] = "initial unknown",
    [IB_FMI_EVENT_INDICATORS] = "event indicator"};

/* Whether the variable belongs into the list. */
static bool belongs(const ib_fmi_variable *v, ib_fmi_structure structure) {
    switch (structure) {
    case IB_FMI_OUTPUTS:
        return v->causality == IB_FMI_OUTPUT;
    case IB_FMI_DERIVATIVES:
        return v->has_derivative && is_float(v->type);
    case IB_FMI_CLOCKED_STATES:
        return v->has_previous;
    case IB_FMI_EVENT_INDICATORS:
        return is_float(v->type);
    default:
        return true;
    }
}

/* Drops entries that name no variable; the others get its index. */
static void check_structure(ib_fmi_reader *reader, ib_fmi_structure structure, bool *listed) {
    ib_fmi_description *d = reader->description;
    ib_fmi_unknowns *list = &d->structure[structure];
    const char *name = d->version == 3 ? "valueReference" : "index";
    size_t kept = 0;
    memset(listed, 0, d->n_variables);
    for (size_t i = 0; i < list->n; i++) {
        ib_fmi_unknown *u = &list->list[i];
        u->variable = resolve(reader, u->reference, u->place, name);
        resolve_list(reader, u->dependencies, &u->n_dependencies, u->place, "dependencies");
        if (u->variable == SIZE_MAX)
            continue;
        const ib_fmi_variable *v = &d->variables[u->variable];
        if (listed[u->variable])
            ib_fmi_find(reader, IB_FMI_AGAINST, IB1026, at(reader, u->place, name),
                        "%.200s is listed twice as %s", v->name, structures[structure]);
        if (!belongs(v, structure))
            ib_fmi_find(reader, structure == IB_FMI_DERIVATIVES ? IB_FMI_UNUSABLE : IB_FMI_AGAINST,
                        IB1026, at(reader, u->place, name), "%.200s is no %s", v->name,
                        structures[structure]);
        listed[u->variable] = true;
        list->list[kept++] = *u;
    }
    list->n = kept;
    for (size_t i = 0; structure == IB_FMI_OUTPUTS && i < d->n_variables; i++)
        if (d->variables[i].causality == IB_FMI_OUTPUT && !listed[i] &&
            d->variables[i].type != IB_FMI_CLOCK)
            ib_fmi_find(reader, IB_FMI_AGAINST, IB1026, d->variables[i].place,
                        "the output %.200s is not listed in ModelStructure", d->variables[i].name);
}

static void check_structures(ib_fmi_reader *reader) {
    bool *listed = calloc(reader->description->n_variables + 1, sizeof *listed);
    for (int i = 0; listed && i < IB_FMI_STRUCTURES; i++)
        check_structure(reader, (ib_fmi_structure)i, listed);
    if (!listed)
        ib_fmi_no_memory(reader);
    free(listed);
}

/* ---- the file ------------------------------------------------------------------------------ */

static void check_experiment(ib_fmi_reader *reader) {
    const ib_fmi_description *d = reader->description;
    const ib_fmi_place file = {0};
    if (d->step <= 0)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1015, file,
                    "the default experiment's stepSize is not positive");
    if (d->tolerance <= 0)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1015, file,
                    "the default experiment's tolerance is not positive");
    const double start = d->start == d->start ? d->start : 0;
    if (d->stop <= start)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1015, file,
                    "the default experiment ends no later than it starts");
}

static bool check_file(ib_fmi_reader *reader) {
    const ib_fmi_description *d = reader->description;
    const ib_fmi_place file = {0};
    bool any = false;
    for (int i = 0; i < IB_FMU_KINDS; i++)
        any |= d->interfaces[i].exists;
    if (!any)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1025, file,
                    "the FMU offers neither Model Exchange nor Co-Simulation%s",
                    d->version == 3 ? " nor Scheduled Execution" : "");
    if (!reader->seen_variables)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1014, file, "there is no <ModelVariables>");
    if (!reader->seen_structure)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1014, file, "there is no <ModelStructure>");
    check_experiment(reader);
    return check_complete(reader);
}

void ib_fmi_check(ib_fmi_reader *reader) {
    if (!check_file(reader))
        return;
    ib_names *units = name_units(reader);
    ib_names *types = units ? name_types(reader, units) : NULL;
    if (types) {
        check_names(reader);
        check_references(reader);
        if (!reader->no_memory)
            check_variables(reader, units, types);
        if (!reader->no_memory)
            check_structures(reader);
    }
    ib_names_destroy(types);
    ib_names_destroy(units);
}
