/* schema: the table of schema.def as data. Private to the model module. */
#ifndef IB_MODEL_SCHEMA_H
#define IB_MODEL_SCHEMA_H

#include "model/mission.h"
#include "model/model.h"
#include "model/network.h"
#include "model/units.h"

/* Structs that the keys of a section are read into, where model.h has none. */
typedef struct ib_top_spec {
    const char *name;
    double gravity[3];
} ib_top_spec;

typedef struct ib_frame_spec {
    double z[3], x[3];
    const char *sequence;
    double angles[3]; /* rad */
} ib_frame_spec;

typedef struct ib_include_spec {
    const char *file, *as;
    double at[3], orientation[4];
} ib_include_spec;

typedef struct ib_spline_spec {
    ib_element element;
    const char *file;
    int header_lines;
} ib_spline_spec;

typedef struct ib_table_spec {
    ib_element element;
    const char *file;
    int header_lines;
} ib_table_spec;

typedef struct ib_euler_spec {
    const char *sequence;
    double angles[3]; /* rad */
} ib_euler_spec;

typedef struct ib_do_spec {
    const char *mark;
    bool stop;
} ib_do_spec;

/* IB_KIND(name, how a value is written). */
#define IB_KIND_LIST(X)                                                                            \
    X(INCLUDES, "list of maps")                                                                    \
    X(EVENTS, "list of maps")                                                                      \
    X(MAP, "map")                                                                                  \
    X(PASSED, "map of numbers")                                                                    \
    X(SETTINGS, "map of numbers and texts")                                                        \
    X(WIRES, "map of texts")                                                                       \
    X(SECTION, "map")                                                                              \
    X(TYPE, "one of the types")                                                                    \
    X(ID, "text")                                                                                  \
    X(TEXT, "text")                                                                                \
    X(TEXTS, "list of texts")                                                                      \
    X(BOOLEAN, "true or false")                                                                    \
    X(COUNT, "whole number")                                                                       \
    X(NUMBER, "number")                                                                            \
    X(DURATION, "number")                                                                          \
    X(LENGTH_OR_INITIAL, "number or `initial`")                                                    \
    X(OFFSET, "number or `initial`")                                                               \
    X(NUMBERS, "list of numbers")                                                                  \
    X(COLUMNS, "list of 2 whole numbers")                                                          \
    X(TABLE_COLUMNS, "list of 3 to 5 whole numbers")                                               \
    X(AXES, "list of 2 to 4 lists of numbers")                                                     \
    X(GRID, "nested lists of numbers")                                                             \
    X(VECTOR, "[x, y, z]")                                                                         \
    X(GLOBAL_VECTOR, "[x, y, z]")                                                                  \
    X(DIRECTION, "[x, y, z]")                                                                      \
    X(POINT, "[x, y, z] or a point's name")                                                        \
    X(PLANE, "list of 2 vectors")                                                                  \
    X(ORIENTATION, "orientation or a frame's name")                                                \
    X(INERTIA, "list of 3 or 6 numbers")                                                           \
    X(FRICTION, "map with the keys of friction")                                                   \
    X(LOCK, "list of x y z rx ry rz")                                                              \
    X(CHOICE, "choice")                                                                            \
    X(BODY, "body's name")                                                                         \
    X(FRAME_OF, "`global` or a body's name")                                                       \
    X(MEASURE, "measure's name")                                                                   \
    X(EXPRESSION, "expression")                                                                    \
    X(LAW, "expression; of a bushing 6 or 6 x 6 numbers")                                          \
    X(TRIPLE, "list of 3 expressions")                                                             \
    X(RECORD, "map")                                                                               \
    X(RECORDS, "map of maps")                                                                      \
    X(LIST, "list of maps")                                                                        \
    X(SEED, "whole number")                                                                        \
    X(RATE, "frequency or period")                                                                 \
    X(GRAVITY, "`none`, `inverse_square`, `j2` or [x, y, z]")

typedef enum ib_kind {
#define IB_KIND_NAME(name, text) IB_KIND_##name,
    IB_KIND_LIST(IB_KIND_NAME)
#undef IB_KIND_NAME
} ib_kind;

typedef enum ib_section {
#define IB_SECTION(section, one, many, meaning) IB_SECTION_##section,
#include "model/schema.def"
    IB_SECTION_COUNT
} ib_section;

/* All keys, numbered through all sections. */
typedef enum ib_key {
#define IB_KEY(section, key, types, required, kind, dimension, fallback, values, field, meaning)   \
    IB_KEY_##section##_##key,
#define IB_KEY_HAND(section, key, types, required, kind, dimension, fallback, values, meaning)     \
    IB_KEY_##section##_##key,
#include "model/schema.def"
    IB_KEY_COUNT
} ib_key;

#define IB_NOWHERE SIZE_MAX

typedef struct ib_section_def {
    const char *id, *one, *many, *meaning;
} ib_section_def;

/* The kinds of files that the table describes: their sections follow each other. */
typedef enum ib_file_kind { IB_FILE_MODEL, IB_FILE_MISSION, IB_FILE_NETWORK } ib_file_kind;

typedef struct ib_key_def {
    ib_section section;
    const char *name;
    uint32_t types, required;
    ib_kind kind;
    ib_dimension dimension;
    const char *fallback; /* "" when there is none */
    const char *values;   /* of a choice, separated by spaces; a '?' marks those of later versions;
                           * of a map the section that its keys are those of */
    size_t offset;        /* in the section's struct, or IB_NOWHERE */
    const char *meaning;
} ib_key_def;

typedef struct ib_type_def {
    ib_section section;
    const char *name;
    int value;
    bool later;
    const char *meaning;
} ib_type_def;

typedef struct ib_later_def {
    ib_section section;
    const char *name, *meaning;
} ib_later_def;

extern const ib_section_def ib_sections[IB_SECTION_COUNT];
extern const ib_key_def ib_keys[IB_KEY_COUNT];
extern const ib_type_def ib_types[];
extern const size_t ib_type_count;
extern const ib_later_def ib_later_keys[];
extern const size_t ib_later_key_count;

const char *ib_kind_text(ib_kind kind);
/* The key of a section by name, or IB_KEY_COUNT. */
ib_key ib_key_find(ib_section section, const char *name);
/* The type of a section by name, or NULL. */
const ib_type_def *ib_type_find(ib_section section, const char *name);
const ib_later_def *ib_later_find(ib_section section, const char *name);
ib_file_kind ib_section_file(ib_section section);
/* The section that a key of kind RECORD, RECORDS or LIST holds. */
ib_section ib_section_named(const char *id);
/* True when the section has types. */
bool ib_section_has_types(ib_section section);

/* Steps through the words of a choice: false at the end. *word is not terminated. */
bool ib_choice_next(const char **values, const char **word, size_t *length, bool *later);

#endif
