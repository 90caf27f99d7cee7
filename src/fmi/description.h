/* What modelDescription.xml says (FMI 3.0.2, section 2.4; FMI 2.0.5, section 2.2), read once and
 * never changed. Everything lies in one arena. Private to the module.
 */
#ifndef IB_FMI_DESCRIPTION_H
#define IB_FMI_DESCRIPTION_H

#include "base/base.h"
#include "ironbird/fmu.h"

/* Types of values: the enumeration, the name in FMI 3, the bytes of one value (0: it varies). */
#define IB_FMI_TYPES(X)                                                                            \
    X(FLOAT32, "Float32", 4)                                                                       \
    X(FLOAT64, "Float64", 8)                                                                       \
    X(INT8, "Int8", 1)                                                                             \
    X(UINT8, "UInt8", 1)                                                                           \
    X(INT16, "Int16", 2)                                                                           \
    X(UINT16, "UInt16", 2)                                                                         \
    X(INT32, "Int32", 4)                                                                           \
    X(UINT32, "UInt32", 4)                                                                         \
    X(INT64, "Int64", 8)                                                                           \
    X(UINT64, "UInt64", 8)                                                                         \
    X(BOOLEAN, "Boolean", 1)                                                                       \
    X(STRING, "String", 0)                                                                         \
    X(BINARY, "Binary", 0)                                                                         \
    X(ENUMERATION, "Enumeration", 8)                                                               \
    X(CLOCK, "Clock", 1)

typedef enum ib_fmi_type {
#define IB_FMI_TYPE_NAME(key, name, bytes) IB_FMI_##key,
    IB_FMI_TYPES(IB_FMI_TYPE_NAME)
#undef IB_FMI_TYPE_NAME
        IB_FMI_TYPE_COUNT
} ib_fmi_type;

const char *ib_fmi_type_name(ib_fmi_type type);

typedef enum ib_fmi_causality {
    IB_FMI_LOCAL, /* the default */
    IB_FMI_INPUT,
    IB_FMI_OUTPUT,
    IB_FMI_PARAMETER,
    IB_FMI_CALCULATED_PARAMETER,
    IB_FMI_STRUCTURAL_PARAMETER,
    IB_FMI_INDEPENDENT,
    IB_FMI_CAUSALITIES
} ib_fmi_causality;

typedef enum ib_fmi_variability {
    IB_FMI_CONSTANT,
    IB_FMI_FIXED,
    IB_FMI_TUNABLE,
    IB_FMI_DISCRETE,
    IB_FMI_CONTINUOUS,
    IB_FMI_VARIABILITIES
} ib_fmi_variability;

typedef enum ib_fmi_initial {
    IB_FMI_NO_INITIAL,
    IB_FMI_EXACT,
    IB_FMI_APPROX,
    IB_FMI_CALCULATED,
    IB_FMI_INITIALS
} ib_fmi_initial;

const char *ib_fmi_causality_name(ib_fmi_causality causality);
const char *ib_fmi_variability_name(ib_fmi_variability variability);
const char *ib_fmi_initial_name(ib_fmi_initial initial); /* "" for none */

/* Where an element stands: a byte of the text and the line and column of its first character. */
typedef struct ib_fmi_place {
    uint32_t line, column;
    size_t byte;
} ib_fmi_place;

/* SI exponents of kg, m, s, A, K, mol, cd, rad; value in SI = factor * value + offset. */
typedef struct ib_fmi_unit {
    const char *name;
    bool has_base;
    int exponents[8];
    double factor, offset;
    ib_fmi_place place;
} ib_fmi_unit;

typedef struct ib_fmi_display_unit {
    const char *name;
    size_t unit; /* index of the unit it belongs to */
    double factor, offset;
    bool inverse;
} ib_fmi_display_unit;

/* What a type definition says and a variable may say itself. NULL and NaN where nothing is said. */
typedef struct ib_fmi_traits {
    const char *quantity, *unit, *display_unit;
    const char *min, *max, *nominal; /* as written */
    bool relative, unbounded;
} ib_fmi_traits;

typedef struct ib_fmi_item {
    const char *name;
    int64_t value;
} ib_fmi_item;

typedef struct ib_fmi_type_definition {
    const char *name;
    ib_fmi_type type;
    ib_fmi_traits traits;
    ib_fmi_item *items; /* of an enumeration */
    size_t n_items, items_capacity;
    ib_fmi_place place;
} ib_fmi_type_definition;

/* A fixed size, or the value of a structural parameter or constant. */
typedef struct ib_fmi_dimension {
    bool by_reference;
    uint64_t size; /* where fixed; else by the start value, filled in by the checks */
    uint32_t reference;
    ib_fmi_place place;
} ib_fmi_dimension;

typedef enum ib_fmi_interval {
    IB_FMI_NO_INTERVAL,
    IB_FMI_INTERVAL_CONSTANT,
    IB_FMI_INTERVAL_FIXED,
    IB_FMI_INTERVAL_TUNABLE,
    IB_FMI_INTERVAL_CHANGING,
    IB_FMI_INTERVAL_COUNTDOWN,
    IB_FMI_INTERVAL_TRIGGERED,
    IB_FMI_INTERVALS
} ib_fmi_interval;

typedef struct ib_fmi_clock {
    ib_fmi_interval interval;
    bool can_be_deactivated, supports_fraction;
    bool has_interval_decimal, has_priority;
    double interval_decimal, shift_decimal;
    uint64_t resolution, interval_counter, shift_counter;
    uint32_t priority;
} ib_fmi_clock;

typedef struct ib_fmi_variable {
    const char *name, *description; /* "" when there is none */
    const char *declared_type;      /* NULL when there is none */
    uint32_t reference;
    ib_fmi_type type;
    ib_fmi_causality causality;
    ib_fmi_variability variability;
    ib_fmi_initial initial;
    bool said_variability, said_initial;
    bool reinit, intermediate,
        single_set;       /* single_set: canHandleMultipleSetPerTimeInstant=false */
    ib_fmi_traits traits; /* after the checks: completed from the declared type */
    size_t unit;          /* index, or SIZE_MAX */

    const char *start;   /* as written; of strings and binaries NULL */
    const char **starts; /* of strings and binaries: [n_starts] */
    size_t n_starts, starts_capacity;
    size_t n_values; /* elements by the start values of structural parameters; 1: scalar */
    ib_fmi_dimension *dimensions; /* [n_dimensions] */
    size_t n_dimensions, dimensions_capacity;
    uint64_t *sizes; /* [n_dimensions], filled in by the checks */

    /* `derivative` is the variable whose derivative this one is, `previous` the one whose value at
     * the tick before this one has: as written until the checks, then indices of variables. */
    bool has_derivative, has_previous;
    uint32_t derivative, previous;
    uint32_t *clocks; /* [n_clocks], likewise */
    size_t n_clocks;
    const char *mime_type;
    size_t max_size;     /* of binaries; 0: not said */
    ib_fmi_clock *clock; /* of clocks, else NULL */
    ib_fmi_place place;
} ib_fmi_variable;

/* Another name of a variable (FMI 3). */
typedef struct ib_fmi_alias {
    const char *name, *description, *display_unit;
    size_t variable;
    ib_fmi_place place;
} ib_fmi_alias;

typedef enum ib_fmi_dependency {
    IB_FMI_DEPENDENT,
    IB_FMI_DEPENDENT_CONSTANT,
    IB_FMI_DEPENDENT_FIXED,
    IB_FMI_DEPENDENT_TUNABLE,
    IB_FMI_DEPENDENT_DISCRETE,
    IB_FMI_DEPENDENCIES
} ib_fmi_dependency;

/* An entry of ModelStructure. The file names variables by value reference (FMI 3) or by index from
 * 1 (FMI 2). */
typedef struct ib_fmi_unknown {
    uint32_t reference;     /* as written */
    size_t variable;        /* its index, filled in by the checks */
    bool said_dependencies; /* false: may depend on everything */
    uint32_t *dependencies; /* [n_dependencies]: as written until the checks, then indices */
    uint8_t *kinds;         /* [n_dependencies] of ib_fmi_dependency */
    size_t n_dependencies;
    ib_fmi_place place;
} ib_fmi_unknown;

typedef enum ib_fmi_structure {
    IB_FMI_OUTPUTS,
    IB_FMI_DERIVATIVES,
    IB_FMI_CLOCKED_STATES,
    IB_FMI_INITIAL_UNKNOWNS,
    IB_FMI_EVENT_INDICATORS,
    IB_FMI_STRUCTURES
} ib_fmi_structure;

typedef struct ib_fmi_unknowns {
    ib_fmi_unknown *list;
    size_t n, capacity;
} ib_fmi_unknowns;

/* Capability flags and their kinds: name in FMI 3, name in FMI 2 (NULL: none), whether ME, CS, SE
 * have it. A flag that is not given is false. */
#define IB_FMI_FLAGS(X)                                                                            \
    X(NEEDS_EXECUTION_TOOL, "needsExecutionTool", "needsExecutionTool", 1, 1, 1)                   \
    X(ONCE_PER_PROCESS, "canBeInstantiatedOnlyOncePerProcess",                                     \
      "canBeInstantiatedOnlyOncePerProcess", 1, 1, 1)                                              \
    X(STATE, "canGetAndSetFMUState", "canGetAndSetFMUstate", 1, 1, 1)                              \
    X(SERIALIZE, "canSerializeFMUState", "canSerializeFMUstate", 1, 1, 1)                          \
    X(DIRECTIONAL, "providesDirectionalDerivatives", "providesDirectionalDerivative", 1, 1, 1)     \
    X(ADJOINT, "providesAdjointDerivatives", NULL, 1, 1, 1)                                        \
    X(PER_ELEMENT, "providesPerElementDependencies", NULL, 1, 1, 1)                                \
    X(COMPLETED_STEP, "needsCompletedIntegratorStep", NULL, 1, 0, 0)                               \
    X(NO_COMPLETED_STEP, NULL, "completedIntegratorStepNotNeeded", 1, 0, 0)                        \
    X(EVALUATE_DISCRETE, "providesEvaluateDiscreteStates", NULL, 1, 1, 0)                          \
    X(VARIABLE_STEP, "canHandleVariableCommunicationStepSize",                                     \
      "canHandleVariableCommunicationStepSize", 0, 1, 0)                                           \
    X(INTERPOLATE, NULL, "canInterpolateInputs", 0, 1, 0)                                          \
    X(ASYNCHRONOUS, NULL, "canRunAsynchronuously", 0, 1, 0)                                        \
    X(NO_MEMORY_FUNCTIONS, NULL, "canNotUseMemoryManagementFunctions", 1, 1, 0)                    \
    X(INTERMEDIATE, "providesIntermediateUpdate", NULL, 0, 1, 0)                                   \
    X(EARLY_RETURN, "mightReturnEarlyFromDoStep", NULL, 0, 1, 0)                                   \
    X(EARLY_INTERMEDIATE, "canReturnEarlyAfterIntermediateUpdate", NULL, 0, 1, 0)                  \
    X(EVENT_MODE, "hasEventMode", NULL, 0, 1, 0)

typedef enum ib_fmi_flag {
#define IB_FMI_FLAG_NAME(key, name3, name2, me, cs, se) IB_FMI_FLAG_##key,
    IB_FMI_FLAGS(IB_FMI_FLAG_NAME)
#undef IB_FMI_FLAG_NAME
        IB_FMI_FLAG_COUNT
} ib_fmi_flag;

typedef struct ib_fmi_interface {
    bool exists;
    const char *identifier;
    bool flags[IB_FMI_FLAG_COUNT];
    double fixed_step;           /* fixedInternalStepSize, s; NaN when not said */
    unsigned output_derivatives; /* maxOutputDerivativeOrder */
    int smoothness;              /* recommendedIntermediateInputSmoothness */
    const char **sources;        /* FMI 2: [n_sources] */
    size_t n_sources, sources_capacity;
    ib_fmi_place place;
} ib_fmi_interface;

typedef struct ib_fmi_category {
    const char *name, *description;
} ib_fmi_category;

/* Type (FMI 2 only) and value reference of a variable as one number. */
typedef struct ib_fmi_key {
    uint64_t key;
    size_t index;
} ib_fmi_key;

typedef struct ib_fmi_description {
    ib_arena *arena;
    unsigned version; /* 2 or 3 */
    const char *version_text;
    const char *name, *token, *description, *author, *model_version, *copyright, *license, *tool,
        *date;
    uint64_t said_event_indicators; /* FMI 2 */
    ib_fmi_interface interfaces[IB_FMU_KINDS];
    double start, stop, step, tolerance; /* NaN when not said */

    ib_fmi_unit *units;
    size_t n_units, units_capacity;
    ib_fmi_display_unit *display_units;
    size_t n_display_units, display_units_capacity;
    ib_fmi_type_definition *types;
    size_t n_types, types_capacity;
    ib_fmi_category *categories;
    size_t n_categories, categories_capacity;
    ib_fmi_variable *variables;
    size_t n_variables, variables_capacity;
    ib_fmi_alias *aliases;
    size_t n_aliases, aliases_capacity;
    ib_fmi_unknowns structure[IB_FMI_STRUCTURES];

    ib_names *names;          /* of variables and, behind them, aliases */
    ib_fmi_key *by_reference; /* [n_variables], ordered */
} ib_fmi_description;

/* Reads and checks the text of a modelDescription.xml. `name` stands for the file in messages. All
 * findings are reported. *description is NULL unless IB_OK is returned. */
ib_status ib_fmi_description_read(const char *name, const char *text, size_t length,
                                  ib_fmu_rigour rigour, ib_diags *diags,
                                  ib_fmi_description **description);
void ib_fmi_description_destroy(ib_fmi_description *description);

/* Index of the variable with the reference, or SIZE_MAX. In FMI 2 each type has references of its
 * own; the first of several is found. In FMI 3 the type is not looked at. */
size_t ib_fmi_by_reference(const ib_fmi_description *description, ib_fmi_type type,
                           uint32_t reference);

/* Completes what refers to other elements and reports what contradicts the standard; called by
 * ib_fmi_description_read. */
struct ib_fmi_reader;
void ib_fmi_check(struct ib_fmi_reader *reader);

#endif
