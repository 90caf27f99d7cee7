/* The elements of a description: which stand where, and what each says. The one table is the
 * schema (FMI 3.0.2, sections 2.4, 3.4, 4.4, 5.4; FMI 2.0.5, sections 2.2, 3.3, 4.3). What is known
 * and means nothing to an importer (annotations, the tools of FMI 2) is passed over silently,
 * anything else with a finding.
 */
#include "fmi/reader.h"

#include <math.h> /* NAN only */
#include <string.h>

/* ---- lists --------------------------------------------------------------------------------- */

#define ADD(reader, list, n, capacity)                                                             \
    (IB_VEC_RESERVE(list, capacity, n) ? &(list)[(n)++] : ib_fmi_no_memory(reader))

/* ---- the root ------------------------------------------------------------------------------ */

static void read_version(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    d->version_text = ib_fmi_required(reader, "fmiVersion");
    const char *text = d->version_text;
    if (strcmp(text, "2.0") == 0)
        d->version = 2;
    else if (strncmp(text, "3.0", 3) == 0 && (!text[3] || text[3] == '.' || text[3] == '-'))
        d->version = 3;
    else if (ib_fmi_attribute(reader, "fmiVersion"))
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1012,
                    ib_fmi_attribute_place(reader, reader->place, "fmiVersion"),
                    "this is FMI '%.40s'; FMI 2.0 and 3.0 are supported", text);
}

static void read_root(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    reader->seen_root = true;
    d->start = d->stop = d->step = d->tolerance = NAN;
    read_version(reader);
    if (!d->version)
        return;
    d->name = ib_fmi_required(reader, "modelName");
    d->token = ib_fmi_required(reader, d->version == 3 ? "instantiationToken" : "guid");
    d->description = ib_fmi_text(reader, "description", "");
    d->author = ib_fmi_text(reader, "author", "");
    d->model_version = ib_fmi_text(reader, "version", "");
    d->copyright = ib_fmi_text(reader, "copyright", "");
    d->license = ib_fmi_text(reader, "license", "");
    d->tool = ib_fmi_text(reader, "generationTool", "");
    d->date = ib_fmi_text(reader, "generationDateAndTime", "");
    static const char *const conventions[] = {"flat", "structured"};
    ib_fmi_choice(reader, "variableNamingConvention", conventions, 2, 0, NULL);
    if (d->version == 2)
        d->said_event_indicators =
            ib_fmi_uint(reader, "numberOfEventIndicators", UINT32_MAX, 0, NULL);
}

/* ---- interfaces ---------------------------------------------------------------------------- */

static const struct {
    const char *names[2]; /* of FMI 2, 3 */
    bool kinds[IB_FMU_KINDS];
} flags[] = {
#define ROW(key, name3, name2, me, cs, se) {{name2, name3}, {me, cs, se}},
    IB_FMI_FLAGS(ROW)
#undef ROW
};

static bool is_identifier(const char *text) {
    if (!*text || (*text >= '0' && *text <= '9'))
        return false;
    for (; *text; text++)
        if (!((*text >= '0' && *text <= '9') || (*text >= 'A' && *text <= 'Z') ||
              (*text >= 'a' && *text <= 'z') || *text == '_'))
            return false;
    return true;
}

static void read_interface(ib_fmi_reader *reader, ib_fmu_kind kind) {
    ib_fmi_interface *interface = &reader->description->interfaces[kind];
    const unsigned version = reader->description->version;
    if (interface->exists)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1016, reader->place, "<%s> is given twice",
                    reader->element);
    interface->exists = true;
    interface->place = reader->place;
    interface->identifier = ib_fmi_required(reader, "modelIdentifier");
    if (*interface->identifier && !is_identifier(interface->identifier))
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1024,
                    ib_fmi_attribute_place(reader, reader->place, "modelIdentifier"),
                    "modelIdentifier=\"%.80s\" is not an identifier of C", interface->identifier);
    for (size_t i = 0; i < IB_COUNT(flags); i++)
        if (flags[i].kinds[kind] && flags[i].names[version - 2])
            interface->flags[i] = ib_fmi_bool(reader, flags[i].names[version - 2], false);
    interface->fixed_step = NAN;
    if (kind == IB_FMU_CO_SIMULATION) {
        interface->output_derivatives =
            (unsigned)ib_fmi_uint(reader, "maxOutputDerivativeOrder", UINT32_MAX, 0, NULL);
        if (version == 3) {
            interface->fixed_step = ib_fmi_double(reader, "fixedInternalStepSize", NAN);
            interface->smoothness = (int)ib_fmi_int(
                reader, "recommendedIntermediateInputSmoothness", INT32_MIN, INT32_MAX, 0, NULL);
        }
    }
    reader->interface = interface;
}

static void read_source(ib_fmi_reader *reader) {
    ib_fmi_interface *interface = reader->interface;
    const char *name = ib_fmi_required(reader, "name");
    const char **place =
        ADD(reader, interface->sources, interface->n_sources, interface->sources_capacity);
    if (place)
        *place = name;
}

/* ---- units --------------------------------------------------------------------------------- */

static void read_unit(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    ib_fmi_unit *unit = ADD(reader, d->units, d->n_units, d->units_capacity);
    if (unit)
        *unit = (ib_fmi_unit){
            .name = ib_fmi_required(reader, "name"), .factor = 1, .place = reader->place};
}

static void read_base_unit(ib_fmi_reader *reader) {
    static const char *const bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    ib_fmi_description *d = reader->description;
    ib_fmi_unit *unit = &d->units[d->n_units - 1];
    unit->has_base = true;
    for (size_t i = 0; i < IB_COUNT(bases); i++)
        unit->exponents[i] = (int)ib_fmi_int(reader, bases[i], INT32_MIN, INT32_MAX, 0, NULL);
    unit->factor = ib_fmi_double(reader, "factor", 1);
    unit->offset = ib_fmi_double(reader, "offset", 0);
}

static void read_display_unit(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    ib_fmi_display_unit *unit =
        ADD(reader, d->display_units, d->n_display_units, d->display_units_capacity);
    if (!unit)
        return;
    *unit = (ib_fmi_display_unit){.name = ib_fmi_required(reader, "name"),
                                  .unit = d->n_units - 1,
                                  .factor = ib_fmi_double(reader, "factor", 1),
                                  .offset = ib_fmi_double(reader, "offset", 0)};
    if (d->version == 3)
        unit->inverse = ib_fmi_bool(reader, "inverse", false);
}

/* ---- types --------------------------------------------------------------------------------- */

static ib_fmi_type_definition *read_type(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    ib_fmi_type_definition *type = ADD(reader, d->types, d->n_types, d->types_capacity);
    if (!type)
        return NULL;
    *type = (ib_fmi_type_definition){
        .name = ib_fmi_required(reader, "name"), .type = IB_FMI_TYPE_COUNT, .place = reader->place};
    ib_fmi_pass_over(reader, "description");
    return type;
}

static ib_fmi_context read_type3(ib_fmi_reader *reader, ib_fmi_type kind) {
    ib_fmi_type_definition *type = read_type(reader);
    if (!type)
        return IB_FMI_IN_NOTHING;
    type->type = kind;
    type->traits = ib_fmi_read_traits(reader, kind);
    if (kind == IB_FMI_CLOCK)
        ib_fmi_read_clock(reader);
    if (kind == IB_FMI_BINARY)
        ib_fmi_pass_over(reader, "mimeType maxSize");
    return kind == IB_FMI_ENUMERATION ? IB_FMI_IN_ENUMERATION : IB_FMI_IN_LEAF;
}

/* <Real .../> and the like inside <SimpleType>. */
static ib_fmi_context read_type2(ib_fmi_reader *reader, ib_fmi_type kind) {
    ib_fmi_description *d = reader->description;
    ib_fmi_type_definition *type = &d->types[d->n_types - 1];
    type->type = kind;
    type->traits = ib_fmi_read_traits(reader, kind);
    return kind == IB_FMI_ENUMERATION ? IB_FMI_IN_ENUMERATION : IB_FMI_IN_LEAF;
}

static void read_item(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    ib_fmi_type_definition *type = &d->types[d->n_types - 1];
    bool given;
    ib_fmi_item *item = ADD(reader, type->items, type->n_items, type->items_capacity);
    if (!item)
        return;
    const bool wide = d->version == 3;
    *item = (ib_fmi_item){ib_fmi_required(reader, "name"),
                          ib_fmi_int(reader, "value", wide ? INT64_MIN : INT32_MIN,
                                     wide ? INT64_MAX : INT32_MAX, 0, &given)};
    if (!given)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1014, reader->place,
                    "<Item> needs the attribute 'value'");
    ib_fmi_pass_over(reader, "description");
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void read_category(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    ib_fmi_category *category = ADD(reader, d->categories, d->n_categories, d->categories_capacity);
    if (category)
        *category = (ib_fmi_category){ib_fmi_required(reader, "name"),
                                      ib_fmi_text(reader, "description", "")};
}

static void read_experiment(ib_fmi_reader *reader) {
    ib_fmi_description *d = reader->description;
    d->start = ib_fmi_double(reader, "startTime", NAN);
    d->stop = ib_fmi_double(reader, "stopTime", NAN);
    d->tolerance = ib_fmi_double(reader, "tolerance", NAN);
    d->step = ib_fmi_double(reader, "stepSize", NAN);
}

static void read_kinds(ib_fmi_reader *reader, ib_fmi_unknown *unknown) {
    static const char *const names[IB_FMI_DEPENDENCIES] = {"dependent", "constant", "fixed",
                                                           "tunable", "discrete"};
    const char *value = ib_fmi_attribute(reader, "dependenciesKind"), *cursor = value, *token;
    const ib_fmi_place place = ib_fmi_attribute_place(reader, reader->place, "dependenciesKind");
    size_t length, n = 0;
    unknown->kinds = IB_ARENA_ARRAY(reader->arena, unknown->n_dependencies + 1, uint8_t);
    if (!unknown->kinds)
        ib_fmi_no_memory(reader);
    while (unknown->kinds && cursor && (token = ib_fmi_token(&cursor, &length))) {
        uint8_t kind = 0;
        while (kind < IB_FMI_DEPENDENCIES &&
               !(strlen(names[kind]) == length && strncmp(names[kind], token, length) == 0))
            kind++;
        if (kind == IB_FMI_DEPENDENCIES)
            ib_fmi_find(reader, IB_FMI_AGAINST, IB1015, place,
                        "there is no kind of dependency '%.*s'", (int)(length < 80 ? length : 80),
                        token);
        else if (n < unknown->n_dependencies)
            unknown->kinds[n] = kind;
        n++;
    }
    if (value && n != unknown->n_dependencies)
        ib_fmi_find(reader, IB_FMI_AGAINST, IB1026, place,
                    "dependencies lists %zu variables and dependenciesKind %zu words",
                    unknown->n_dependencies, n);
}

static void read_unknown(ib_fmi_reader *reader, ib_fmi_structure structure) {
    ib_fmi_unknowns *list = &reader->description->structure[structure];
    const char *name = reader->description->version == 3 ? "valueReference" : "index";
    ib_fmi_unknown *unknown = ADD(reader, list->list, list->n, list->capacity);
    if (!unknown)
        return;
    bool given;
    *unknown = (ib_fmi_unknown){.variable = SIZE_MAX, .place = reader->place};
    unknown->reference = (uint32_t)ib_fmi_uint(reader, name, UINT32_MAX, 0, &given);
    if (!given)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1014, reader->place, "<%s> needs the attribute '%s'",
                    reader->element, name);
    unknown->dependencies = ib_fmi_references(reader, "dependencies", &unknown->n_dependencies,
                                              &unknown->said_dependencies);
    read_kinds(reader, unknown);
}

/* ---- the table ----------------------------------------------------------------------------- */

typedef enum action {
    PASS,
    ROOT,
    INTERFACE,
    SOURCE,
    UNIT,
    BASE_UNIT,
    DISPLAY_UNIT,
    TYPE3,
    SIMPLE_TYPE,
    TYPE2,
    ITEM,
    CATEGORY,
    EXPERIMENT,
    VARIABLES,
    VARIABLE3,
    SCALAR_VARIABLE,
    VARIABLE2,
    DIMENSION,
    START,
    ALIAS,
    STRUCTURE,
    UNKNOWN,
    NONE
} action;

typedef struct row {
    unsigned versions; /* 2, 3, or 5 for both */
    ib_fmi_context parent;
    const char *name;
    action action;
    int detail; /* kind, type, or list */
    ib_fmi_context inside;
} row;

#define BOTH 5

static const row rows[] = {
    {BOTH, IB_FMI_IN_FILE, "fmiModelDescription", ROOT, 0, IB_FMI_IN_MODEL},
    {BOTH, IB_FMI_IN_MODEL, "ModelExchange", INTERFACE, IB_FMU_MODEL_EXCHANGE, IB_FMI_IN_INTERFACE},
    {BOTH, IB_FMI_IN_MODEL, "CoSimulation", INTERFACE, IB_FMU_CO_SIMULATION, IB_FMI_IN_INTERFACE},
    {3, IB_FMI_IN_MODEL, "ScheduledExecution", INTERFACE, IB_FMU_SCHEDULED_EXECUTION,
     IB_FMI_IN_INTERFACE},
    {BOTH, IB_FMI_IN_MODEL, "UnitDefinitions", PASS, 0, IB_FMI_IN_UNITS},
    {BOTH, IB_FMI_IN_MODEL, "TypeDefinitions", PASS, 0, IB_FMI_IN_TYPES},
    {BOTH, IB_FMI_IN_MODEL, "LogCategories", PASS, 0, IB_FMI_IN_CATEGORIES},
    {BOTH, IB_FMI_IN_MODEL, "DefaultExperiment", EXPERIMENT, 0, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_MODEL, "VendorAnnotations", NONE, 0, IB_FMI_IN_NOTHING},
    {BOTH, IB_FMI_IN_MODEL, "ModelVariables", VARIABLES, 0, IB_FMI_IN_VARIABLES},
    {BOTH, IB_FMI_IN_MODEL, "ModelStructure", STRUCTURE, 0, IB_FMI_IN_STRUCTURE},
    {2, IB_FMI_IN_INTERFACE, "SourceFiles", PASS, 0, IB_FMI_IN_SOURCES},
    {2, IB_FMI_IN_SOURCES, "File", SOURCE, 0, IB_FMI_IN_LEAF},
    {BOTH, IB_FMI_IN_UNITS, "Unit", UNIT, 0, IB_FMI_IN_UNIT},
    {BOTH, IB_FMI_IN_UNIT, "BaseUnit", BASE_UNIT, 0, IB_FMI_IN_LEAF},
    {BOTH, IB_FMI_IN_UNIT, "DisplayUnit", DISPLAY_UNIT, 0, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_TYPES, "SimpleType", SIMPLE_TYPE, 0, IB_FMI_IN_TYPE},
    {BOTH, IB_FMI_IN_ENUMERATION, "Item", ITEM, 0, IB_FMI_IN_LEAF},
    {BOTH, IB_FMI_IN_CATEGORIES, "Category", CATEGORY, 0, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_VARIABLES, "ScalarVariable", SCALAR_VARIABLE, 0, IB_FMI_IN_VARIABLE},
    {2, IB_FMI_IN_VARIABLE, "Real", VARIABLE2, IB_FMI_FLOAT64, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_VARIABLE, "Integer", VARIABLE2, IB_FMI_INT32, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_VARIABLE, "Boolean", VARIABLE2, IB_FMI_BOOLEAN, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_VARIABLE, "String", VARIABLE2, IB_FMI_STRING, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_VARIABLE, "Enumeration", VARIABLE2, IB_FMI_ENUMERATION, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_TYPE, "Real", TYPE2, IB_FMI_FLOAT64, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_TYPE, "Integer", TYPE2, IB_FMI_INT32, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_TYPE, "Boolean", TYPE2, IB_FMI_BOOLEAN, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_TYPE, "String", TYPE2, IB_FMI_STRING, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_TYPE, "Enumeration", TYPE2, IB_FMI_ENUMERATION, IB_FMI_IN_ENUMERATION},
    {3, IB_FMI_IN_VARIABLE, "Dimension", DIMENSION, 0, IB_FMI_IN_LEAF},
    {3, IB_FMI_IN_VARIABLE, "Start", START, 0, IB_FMI_IN_LEAF},
    {3, IB_FMI_IN_VARIABLE, "Alias", ALIAS, 0, IB_FMI_IN_LEAF},
    {3, IB_FMI_IN_STRUCTURE, "Output", UNKNOWN, IB_FMI_OUTPUTS, IB_FMI_IN_LEAF},
    {3, IB_FMI_IN_STRUCTURE, "ContinuousStateDerivative", UNKNOWN, IB_FMI_DERIVATIVES,
     IB_FMI_IN_LEAF},
    {3, IB_FMI_IN_STRUCTURE, "ClockedState", UNKNOWN, IB_FMI_CLOCKED_STATES, IB_FMI_IN_LEAF},
    {3, IB_FMI_IN_STRUCTURE, "InitialUnknown", UNKNOWN, IB_FMI_INITIAL_UNKNOWNS, IB_FMI_IN_LEAF},
    {3, IB_FMI_IN_STRUCTURE, "EventIndicator", UNKNOWN, IB_FMI_EVENT_INDICATORS, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_STRUCTURE, "Outputs", PASS, 0, IB_FMI_IN_OUTPUTS},
    {2, IB_FMI_IN_STRUCTURE, "Derivatives", PASS, 0, IB_FMI_IN_DERIVATIVES},
    {2, IB_FMI_IN_STRUCTURE, "InitialUnknowns", PASS, 0, IB_FMI_IN_INITIAL_UNKNOWNS},
    {2, IB_FMI_IN_OUTPUTS, "Unknown", UNKNOWN, IB_FMI_OUTPUTS, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_DERIVATIVES, "Unknown", UNKNOWN, IB_FMI_DERIVATIVES, IB_FMI_IN_LEAF},
    {2, IB_FMI_IN_INITIAL_UNKNOWNS, "Unknown", UNKNOWN, IB_FMI_INITIAL_UNKNOWNS, IB_FMI_IN_LEAF},
};

static bool in_version(const row *r, unsigned version) {
    return r->versions == BOTH || r->versions == version;
}

static const row *find_row(const ib_fmi_reader *reader, ib_fmi_context parent) {
    for (size_t i = 0; i < IB_COUNT(rows); i++)
        if (rows[i].parent == parent && in_version(&rows[i], reader->description->version) &&
            strcmp(rows[i].name, reader->element) == 0)
            return &rows[i];
    return NULL;
}

/* The type of <Float64> among variables or <Float64Type> among types of FMI 3, else the count. */
static ib_fmi_type element_type(const char *element, const char *ending) {
    for (int i = 0; i < IB_FMI_TYPE_COUNT; i++) {
        const char *name = ib_fmi_type_name((ib_fmi_type)i);
        const size_t n = strlen(name);
        if (strncmp(element, name, n) == 0 && strcmp(element + n, ending) == 0)
            return (ib_fmi_type)i;
    }
    return IB_FMI_TYPE_COUNT;
}

static ib_fmi_context apply(ib_fmi_reader *reader, const row *r) {
    switch (r->action) {
    case ROOT:
        read_root(reader);
        /* What the elements of an unknown version mean, nobody can say. */
        return reader->description->version ? r->inside : IB_FMI_IN_NOTHING;
    case INTERFACE:
        read_interface(reader, (ib_fmu_kind)r->detail);
        break;
    case SOURCE:
        read_source(reader);
        break;
    case UNIT:
        read_unit(reader);
        break;
    case BASE_UNIT:
        read_base_unit(reader);
        break;
    case DISPLAY_UNIT:
        read_display_unit(reader);
        break;
    case SIMPLE_TYPE:
        return read_type(reader) ? r->inside : IB_FMI_IN_NOTHING;
    case TYPE2:
        return read_type2(reader, (ib_fmi_type)r->detail);
    case ITEM:
        read_item(reader);
        break;
    case CATEGORY:
        read_category(reader);
        break;
    case EXPERIMENT:
        read_experiment(reader);
        break;
    case VARIABLES:
        reader->seen_variables = true;
        break;
    case STRUCTURE:
        reader->seen_structure = true;
        break;
    case SCALAR_VARIABLE:
        return ib_fmi_read_variable2(reader);
    case VARIABLE2:
        ib_fmi_read_variable2_type(reader, (ib_fmi_type)r->detail);
        break;
    case DIMENSION:
        ib_fmi_read_dimension(reader);
        break;
    case START:
        ib_fmi_read_start(reader);
        break;
    case ALIAS:
        ib_fmi_read_alias(reader);
        break;
    case UNKNOWN:
        read_unknown(reader, (ib_fmi_structure)r->detail);
        break;
    default:
        break;
    }
    return r->inside;
}

static ib_fmi_context read_known(ib_fmi_reader *reader, ib_fmi_context parent, bool *known) {
    const bool three = reader->description->version == 3;
    *known = true;
    if (three && parent == IB_FMI_IN_VARIABLES) {
        const ib_fmi_type type = element_type(reader->element, "");
        if (type < IB_FMI_TYPE_COUNT)
            return ib_fmi_read_variable3(reader, type);
    } else if (three && parent == IB_FMI_IN_TYPES) {
        const ib_fmi_type type = element_type(reader->element, "Type");
        if (type < IB_FMI_TYPE_COUNT)
            return read_type3(reader, type);
    } else {
        const row *r = find_row(reader, parent);
        if (r)
            return apply(reader, r);
    }
    *known = false;
    return IB_FMI_IN_NOTHING;
}

ib_fmi_context ib_fmi_read_element(ib_fmi_reader *reader, ib_fmi_context parent) {
    bool known;
    if (strcmp(reader->element, "Annotations") == 0 && parent != IB_FMI_IN_FILE)
        return IB_FMI_IN_NOTHING;
    const ib_fmi_context inside = read_known(reader, parent, &known);
    if (!known) {
        /* A prefix belongs to another standard, layered on this one. */
        if (parent == IB_FMI_IN_FILE)
            ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1012, reader->place,
                        "the first element is <%.80s>, not <fmiModelDescription>", reader->element);
        else if (!strchr(reader->element, ':'))
            ib_fmi_find(reader, IB_FMI_AGAINST, IB1013, reader->place, "<%.80s> has no place here",
                        reader->element);
        return IB_FMI_IN_NOTHING;
    }
    if (inside != IB_FMI_IN_NOTHING && reader->description->version)
        ib_fmi_report_unknown(reader);
    return inside;
}
