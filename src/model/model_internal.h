/* Inside of the model module: what its files share while a model is being read.
 *
 * Reading goes on after every error, so that all of them are reported at once. A value that could
 * not be read leaves a placeholder behind and is marked bad; nothing is said about what follows
 * from it.
 */
#ifndef IB_MODEL_INTERNAL_H
#define IB_MODEL_INTERNAL_H

#include "model/model.h"
#include "model/schema.h"
#include "model/yaml.h"

#define IB_MODEL_FILE_LIMIT ((size_t)64 << 20)
#define IB_DATA_FILE_LIMIT ((size_t)256 << 20)
#define IB_TABLE_LIMIT ((size_t)10000000) /* points of a table */
#define IB_ERROR_LIMIT 100                /* errors reported for one file */

/* What a name in an expression can be. */
typedef enum ib_quantity_kind {
    IB_QUANTITY_PARAMETER,
    IB_QUANTITY_INPUT,
    IB_QUANTITY_MEASURE,
    IB_QUANTITY_MOTOR,
    IB_QUANTITY_SPLINE,
    IB_QUANTITY_TABLE
} ib_quantity_kind;

typedef struct ib_quantity {
    ib_quantity_kind kind;
    size_t index; /* among those of its kind */
    const char *name;
    ib_place place;
} ib_quantity;

/* A name with where it was declared. */
typedef struct ib_declared {
    const char *name;
    ib_place place;
} ib_declared;

/* Names of one kind. Items are numbered as they were added. */
typedef struct ib_registry {
    ib_names *names;
    const char **list; /* the same in an array, for suggestions */
    ib_declared *items;
    size_t n, list_capacity, capacity;
} ib_registry;

/* What an expression is for, which decides the names it may use. */
typedef enum ib_use {
    IB_USE_PARAMETER, /* parameters */
    IB_USE_CONSTANT,  /* parameters, splines, tables */
    IB_USE_LAW,       /* everything but accelerations */
    IB_USE_MOTION,    /* everything but measures and motors */
    IB_USE_OUTPUT     /* everything */
} ib_use;

/* A file, read and parsed once. `root` is NULL when that failed. */
typedef struct ib_model_file {
    ib_source source;
    char *text; /* malloc'ed; NULL for a text from elsewhere */
    ib_yaml *root;
    size_t n_documents;
} ib_model_file;

/* A file's part in the model: the model's own file, or one included under a prefix. */
typedef struct ib_document ib_document;
struct ib_document {
    ib_model_file *file;
    const char *prefix;  /* of its names: "" or "front." */
    ib_document *parent; /* the includer; NULL for the model's own file */
    ib_yaml *map, *as;   /* of the includer: its entry, and the value of `as` in it */
    unsigned depth;
    bool repeated; /* its file is another document already */
    bool placed;   /* somewhere else than where it says: */
    double position[3], orientation[4];
    ib_yaml *sections[IB_KEY_COUNT]; /* maps under the keys at the top; NULL when absent */
    size_t first[IB_KEY_COUNT];      /* where their entries begin among those of all documents */
    const char **own[2];             /* names that its constants and other expressions may use */
    size_t n_own[2];                 /* made when they are first wanted */
};

/* The entries of one section in all documents, those of the model's own file first. */
typedef struct ib_entries {
    ib_yaml_entry *entries; /* [n]; keys are full names */
    ib_document **documents;
    size_t n;
} ib_entries;

typedef struct ib_tracks ib_tracks; /* tracked.c */

typedef struct ib_loader {
    ib_model *model;
    ib_arena *arena; /* the model's */
    ib_diags *diags;
    const ib_override *overrides;
    size_t n_overrides;
    ib_model_file **files; /* [n_files] */
    size_t n_files, file_capacity;
    ib_document **documents; /* [n_documents]; the model's own file first, includers first */
    size_t n_documents, document_capacity;
    ib_document *document; /* the one that is being read, and */
    ib_source source;      /* its text */
    ib_entries entries[IB_KEY_COUNT];
    ib_str scratch;      /* for names */
    ib_graph *constants; /* where constant expressions are worked out */
    ib_tracks *tracks;   /* and what they are over the parameters */
    ib_use constant_use; /* what they may use: parameters first, splines later */
    /* Names: elements are bodies, joints, forces, sensors, drivers and outputs together. */
    ib_registry elements, ids, bodies, measures, points, frames, prefixes, quantity_names,
        constant_names;
    ib_quantity *quantities; /* as quantity_names */
    size_t quantity_capacity;
    bool *parameter_bad; /* per parameter: no value, said already */
    double (*point_values)[3];
    bool *point_bad;
    double (*frame_values)[4];
    bool *frame_bad;
    bool *body_bad;           /* per body: its position could not be read */
    size_t *driver_of;        /* per measure: index of its driver, or SIZE_MAX */
    size_t n_errors_before;   /* in the sink, of other files */
    size_t suggestion_budget; /* names still to be compared for suggestions */
    size_t n_air_bound;       /* places where the air is asked for, numbered so far */
    size_t n_tanks_bound;     /* tanks, likewise */
    bool no_memory;
    bool truncated; /* IB_ERROR_LIMIT was reached */
} ib_loader;

/* ---- model.c: beginning and ending
 * ----------------------------------------------------------------
 */

/* An empty model of that file; NULL when out of memory. */
ib_model *ib_model_create(const char *file);
/* What a loader needs besides its model, arena and sink. False when out of memory. */
bool ib_loader_open(ib_loader *l);
void ib_loader_close(ib_loader *l);
/* What came of it. */
ib_status ib_loader_finish(ib_loader *l, ib_status status);
void ib_loader_no_memory(ib_diags *diags, const char *file);

/* ---- report.c: diagnostics ----------------------------------------------------------------------
 */

/* Errors at a node, once per node. True when one was added, to which suggestions may be made. */
bool ib_report(ib_loader *l, ib_diag_id id, ib_yaml *node, const char *format, ...) IB_PRINTF(4, 5);
/* The same at a part of a scalar's value. */
bool ib_report_part(ib_loader *l, ib_diag_id id, ib_yaml *node, size_t offset, size_t length,
                    const char *format, ...) IB_PRINTF(6, 7);
/* At a place, whatever was said there before. */
bool ib_report_place(ib_loader *l, ib_diag_id id, ib_place place, const char *format, ...)
    IB_PRINTF(4, 5);
/* "key: a number is wanted here, not a list". */
bool ib_report_kind(ib_loader *l, const char *key, ib_yaml *node, const char *wanted);
/* What a node is, for "not ...": "a list", "'true'", "nothing". */
const char *ib_describe_node(const ib_yaml *node);
/* Suggests the nearest of the registered names that the present document may use. */
void ib_suggest_known(ib_loader *l, const char *wanted, const ib_registry *registry);
/* Suggests the nearest of the names for the diagnostic added last, and returns it; NULL when none
 * is near. */
const char *ib_suggest_name(ib_loader *l, const char *wanted, const char *const *names, size_t n);
const ib_source *ib_node_source(const ib_loader *l, const ib_yaml *node);
ib_place ib_node_place(const ib_loader *l, const ib_yaml *node);
/* False once so many errors were reported that more would not help, or memory is out. */
bool ib_going_on(ib_loader *l);

/* ---- registry.c: names
 * ---------------------------------------------------------------------------- */

bool ib_registry_create(ib_registry *registry);
void ib_registry_destroy(ib_registry *registry);
/* Adds a name and reports one that is there already ("the name 'x' is used twice"). Returns whether
 * it was added. */
bool ib_registry_add(ib_loader *l, ib_registry *registry, const char *what, ib_yaml *name);
/* Checks the form of a name: a letter, then letters, digits and underscores. `text` is the name as
 * written. */
void ib_check_name(ib_loader *l, ib_yaml *name, const char *text);

/* ---- document.c: the model's own file and those it includes
 * ------------------------------------------------------------------------------------------------
 */

/* Makes the model's own document from its text, which stays the caller's. False once it was said
 * why there is none. */
bool ib_document_open(ib_loader *l, const char *path, const char *text, size_t length);
/* Finds the documents that it includes, and what these include. False when one is missing, so that
 * names would be, too. */
bool ib_documents_include(ib_loader *l);
void ib_documents_close(ib_loader *l);
/* Names and places are those of this document from now on. */
void ib_enter(ib_loader *l, ib_document *document);
/* A name of the present document as the model knows it. */
const char *ib_full_name(ib_loader *l, const char *name);
/* Index of a name of the present document in a registry, or SIZE_MAX. */
size_t ib_find_name(ib_loader *l, const ib_registry *registry, const char *name);
/* The registered names that the present document may use, as it may use them. */
const char *const *ib_own_names(ib_loader *l, const ib_registry *registry, size_t *n);
/* Works out where a document stands, once its includer's parameters, points and frames are known.
 */
void ib_document_place(ib_loader *l, ib_document *document);
/* From the present document's axes to global ones. */
void ib_place_direction(ib_loader *l, double direction[3]);
void ib_place_point(ib_loader *l, double point[3]);
void ib_place_orientation(ib_loader *l, double q[4]);
/* The frame along a global axis: the document's own frame turned by the smallest rotation. */
void ib_frame_along(ib_loader *l, const double z[3], double q[4]);

/* ---- declare.c
 * ------------------------------------------------------------------------------------ */

/* Finds the sections at the top and gives every named thing its number, before anything is read. */
void ib_declare(ib_loader *l);
/* Of all documents together. */
size_t ib_section_size(const ib_loader *l, ib_key section);
/* An entry by that number; enters its document. */
const ib_yaml_entry *ib_section_entry(ib_loader *l, ib_key section, size_t index);

/* ---- record.c: the keys of one map
 * ---------------------------------------------------------------- */

typedef struct ib_record {
    ib_section section;
    const char *name;        /* of the element, or "" */
    ib_place place;          /* of the element's name */
    const ib_type_def *type; /* NULL where the section has none */
    ib_yaml *given[IB_KEY_COUNT];
    bool bad[IB_KEY_COUNT];   /* given, but not readable */
    bool meant[IB_KEY_COUNT]; /* given, but misspelt */
    bool told;                /* about a key that reached this map through an alias, too */
} ib_record;

/* Sorts the entries of a map into `given` and reports what does not belong. False when there is
 * nothing more to read: not a map, or of a type that is not known or not there yet. */
bool ib_record_open(ib_loader *l, ib_section section, const ib_yaml *key, ib_yaml *map,
                    ib_record *record);
/* Reads every given key that has a field into the section's struct. */
void ib_record_read(ib_loader *l, ib_record *record, void *target);
/* Reads one key, as its kind says, to `out`. False when it is absent or bad. */
bool ib_record_take(ib_loader *l, ib_record *record, ib_key key, void *out);
/* Given and readable. */
bool ib_record_has(const ib_record *record, ib_key key);
/* Reports that two keys exclude each other when both are given. */
void ib_record_exclude(ib_loader *l, ib_record *record, ib_key kept, ib_key refused,
                       const char *reason);
/* Reports a number that is not above zero, or below it. */
void ib_check_positive(ib_loader *l, const ib_record *record, ib_key key, double value);
void ib_check_not_negative(ib_loader *l, const ib_record *record, ib_key key, double value);
/* Reports a key that is given without the one that gives it a meaning. */
void ib_record_only_with(ib_loader *l, ib_record *record, ib_key key, ib_key with);
/* Reports that the element needs a key. */
void ib_record_need(ib_loader *l, const ib_record *record, const char *needed);

/* ---- number.c: numbers
 * ---------------------------------------------------------------------------- */

/* A number of a dimension: plain, with a unit, or a constant expression. `key` names it in
 * messages. */
bool ib_read_number(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                    double *value);
bool ib_read_count(ib_loader *l, const char *key, ib_yaml *node, int *value);
/* A whole number up to 2^64 - 1. */
bool ib_read_seed(ib_loader *l, const char *key, ib_yaml *node, uint64_t *value);
/* A frequency, a period, or a plain number of Hz. */
bool ib_read_rate(ib_loader *l, const char *key, ib_yaml *node, ib_rate *rate);
/* True when the scalar is "number unit": then *good and *value say what came of it. */
bool ib_read_quantity(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                      double *value, bool *good);

/* ---- value.c, orientation.c: vectors, points, references
 * ------------------------------------------ */

/* Reports a node that is no list of n values; `what` names them: "3 numbers". */
bool ib_check_list(ib_loader *l, const char *key, ib_yaml *node, size_t n, const char *what);
bool ib_read_numbers(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension, size_t n,
                     double *values);
bool ib_read_point(ib_loader *l, const char *key, ib_yaml *node, double point[3]);
bool ib_read_direction(ib_loader *l, const char *key, ib_yaml *node, double direction[3]);
/* A quaternion, a frame's name, or a map with the keys of a frame. */
bool ib_read_orientation(ib_loader *l, const char *key, ib_yaml *node, double q[4]);
/* The same without names: what stands under `frames:`. */
bool ib_read_frame(ib_loader *l, const char *key, ib_yaml *node, double q[4]);
/* Turns global z into the unit vector z by the smallest rotation. */
void ib_orientation_from_z(ib_loader *l, const double z[3], double q[4]);
/* Three of x, y, z, no letter twice in a row. */
bool ib_is_sequence(const char *text);
/* A body's index or IB_GROUND. */
bool ib_read_body(ib_loader *l, const char *key, ib_yaml *node, int *body);
/* A value by the kind of its key. */
bool ib_read_value(ib_loader *l, const ib_key_def *key, ib_yaml *node, void *out);
/* True for a text scalar; *text is its value. */
/* An empty value, `~` or `null`. */
bool ib_is_null(const ib_yaml *node);
bool ib_read_text(ib_loader *l, const char *key, ib_yaml *node, const char **text);

/* ---- tracked.c: numbers as functions of the parameters
 * ------------------------------------------------------------------------------------------------
 */

ib_tracks *ib_tracks_create(void); /* NULL when out of memory */
void ib_tracks_destroy(ib_tracks *tracks);
/* Notes what a number is, over the parameters; IB_NO_NODE or a constant node: independent of them.
 */
void ib_track(ib_loader *l, const double *number, ib_node node);
ib_node ib_tracked_node(const ib_loader *l, const double *number);
/* Each computes numbers and what they are. Results may alias arguments. What they read has been
 * written by one of them, or by reading a number, or is no local variable: a place on the stack may
 * have been that of another number. */
void ib_tracked_copy(ib_loader *l, const double *from, double *to, int n);
/* The same for numbers that no parameter stands behind, whatever was at their address before. */
void ib_tracked_constant(ib_loader *l, const double *from, double *to, int n);
bool ib_tracked_unit(ib_loader *l, const double v[3], double out[3]);
void ib_tracked_add(ib_loader *l, const double a[3], double s, const double b[3], double out[3]);
void ib_tracked_distance(ib_loader *l, const double a[3], const double b[3], double *distance);
void ib_tracked_divide(ib_loader *l, double *number, double divisor);
/* x without its part along the unit vector z. */
void ib_tracked_reject(ib_loader *l, const double x[3], const double z[3], double out[3]);
void ib_tracked_cross(ib_loader *l, const double a[3], const double b[3], double out[3]);
void ib_tracked_rotate(ib_loader *l, const double q[4], const double v[3], double out[3]);
void ib_tracked_rotate_back(ib_loader *l, const double q[4], const double v[3], double out[3]);
void ib_tracked_quat_mul(ib_loader *l, const double a[4], const double b[4], double out[4]);
void ib_tracked_quat_normalize(ib_loader *l, double q[4]);
/* Sine and cosine of half the angle. */
void ib_tracked_half_turn(ib_loader *l, const double *angle, double *sine, double *cosine);
/* (1 + a.b, a x b): along the quaternion of the smallest rotation that takes a to b. */
void ib_tracked_between(ib_loader *l, const double a[3], const double b[3], double turn[4]);
/* The quaternion of the frame with these unit axes. */
void ib_tracked_from_axes(ib_loader *l, const double x[3], const double y[3], const double z[3],
                          double q[4]);

/* ---- output_unit.c: units of outputs and motors, when everything was read
 * ------------------------------------------------------------------------------------------------
 */

void ib_derive_units(ib_loader *l);

/* ---- constant.c: the numbers of elements that depend on parameters
 * ------------------------------------------------------------------------------------------------
 */

/* Lists them when everything was read. */
void ib_list_constants(ib_loader *l);
/* Value of a node of the constant graph at the model's own parameters; NaN when out of memory. */
double ib_constant_value(const ib_model *model, ib_node node);

/* ---- scope.c: expressions
 * ------------------------------------------------------------------------- */

/* A constant. *known is false when it depends on a parameter without a value, about which enough
 * was said; *value is then a placeholder. *tracked is what the value is over the parameters;
 * IB_NO_NODE when it names none. */
bool ib_constant_parse(ib_loader *l, const ib_text *text, double *value, bool *known,
                       ib_node *tracked);
/* An expression of the model's graph. `force` is the two-point force or torsion spring whose
 * `length` or `angle`, and `rate`, it may use, or NULL. A bare spline name is called with that
 * measure of the force's whose type is `bare`; -1: not allowed. *uses_measure (unless NULL) tells
 * whether it names a measure. */
bool ib_expression_read(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                        ib_use use, ib_force *force, int bare, ib_expr *expr, bool *uses_measure);

/* A scalar's value as text with places. */
typedef struct ib_node_context {
    ib_loader *l;
    ib_yaml *node;
    size_t *map; /* from bytes of the value to the source; made when a place is asked for */
} ib_node_context;

/* The context is borrowed by the text and must be closed after its last use. */
ib_text ib_node_text_open(ib_node_context *context);
void ib_node_text_close(ib_node_context *context);

/* ---- override.c: values from outside
 * ------------------------------------------------------------------------------------------------
 */

/* The key of the simulation that an override means, as in `simulation.rtol`; NULL for a parameter.
 */
const char *ib_override_setting(const ib_override *override);
/* Name and value as nodes with places of their own. False when out of memory. */
bool ib_override_entry(ib_loader *l, const ib_override *override, ib_yaml_entry *entry);
/* Says why an override means no parameter, and what to do. */
void ib_override_refuse(ib_loader *l, const ib_override *override);

/* ---- bind_*.c: the sections
 * ----------------------------------------------------------------------- */

void ib_bind_top(ib_loader *l);
void ib_bind_parameters(ib_loader *l);
void ib_bind_inputs(ib_loader *l);
void ib_bind_places(ib_loader *l); /* placements, points, frames */
void ib_bind_splines(ib_loader *l);
void ib_bind_tables(ib_loader *l);
void ib_bind_bodies(ib_loader *l);
void ib_bind_measures(ib_loader *l);
void ib_bind_events(ib_loader *l); /* before the joints */
void ib_bind_joints(ib_loader *l);
void ib_bind_air(ib_loader *l); /* before the forces */
void ib_bind_forces(ib_loader *l);
void ib_bind_drivers(ib_loader *l);
void ib_bind_outputs(ib_loader *l);
void ib_bind_sensors(ib_loader *l);
void ib_bind_simulation(ib_loader *l);

/* bind_event.c: the event that a name means; -1 after saying that there is none. */
int ib_find_event(ib_loader *l, ib_yaml *node);
/* bind_air.c: what is left of a force of these types once its keys were read. */
void ib_bind_aerodynamic(ib_loader *l, ib_record *record, ib_force *force);
void ib_bind_thrust(ib_loader *l, ib_record *record, ib_force *force);
/* What expressions call the nodes of ib_aerodynamic.flow. */
extern const char *const ib_flow_names[IB_FLOW_NAMES];

/* The name of a measure's type. */
const char *ib_measure_type_name(ib_measure_type type);
/* Where a body's centre of mass is at t = 0; the origin for the ground. */
void ib_body_point(ib_loader *l, int body, double point[3]);
/* Fills what every element has. */
ib_element ib_element_of(const ib_loader *l, const ib_yaml *key);
/* Reports body1 == body2. */
void ib_check_two_bodies(ib_loader *l, ib_record *record, int body1, int body2, ib_key key2);

/* ---- data_file.c: numbers in the columns of a file
 * ------------------------------------------------------------------------------------------------
 */

enum { IB_DATA_COLUMNS = 5 }; /* read from one file, at most */

/* Set the columns that are wanted, or n_wanted = 0 for all of them, `fewest` to `most`. */
typedef struct ib_data_file {
    int columns[IB_DATA_COLUMNS];
    size_t n_wanted, fewest, most;
    /* What was read: */
    double *values;  /* [n][n_wanted] */
    size_t n;        /* rows that could be read */
    size_t n_errors; /* rows that could not, and what was reported since */
    /* Private: */
    ib_loader *l;
    ib_source source;
    char *text;
    size_t n_columns; /* of the first row */
    bool stopped;     /* what is wrong is wrong in all rows */
    size_t *lines;    /* [n] where the rows stand in the file */
    size_t value_capacity, line_capacity;
} ib_data_file;

/* Reads the rows and reports those that are not of numbers. `place` is the file's name in the
 * model. False when the file cannot be read at all. To be closed in any case. */
bool ib_data_file_read(ib_loader *l, const char *file, ib_place place, int header_lines,
                       ib_data_file *data);
/* An error at a row that was read: at one of the wanted columns, or SIZE_MAX for the whole row. */
void ib_data_file_report(ib_data_file *data, ib_diag_id id, size_t row, size_t column,
                         const char *format, ...) IB_PRINTF(5, 6);
void ib_data_file_close(ib_data_file *data);

/* ---- table_data.c: a grid and its values
 * ------------------------------------------------------------------------------------------------
 */

typedef struct ib_table_data {
    unsigned n_arguments;
    size_t n[IB_TABLE_ARGUMENTS];
    double *axes[IB_TABLE_ARGUMENTS]; /* malloc'ed, [n[k]] */
    double *values;                   /* malloc'ed, the last argument running fastest */
} ib_table_data;

void ib_table_data_free(ib_table_data *data);
/* From nested lists. */
bool ib_table_data_lists(ib_loader *l, ib_yaml *axes, ib_yaml *values, ib_table_data *data);
/* From a text file; errors are placed at its rows. Without columns all of them count. */
bool ib_table_data_file(ib_loader *l, const char *file, ib_place place, int header_lines,
                        const int *columns, size_t n_columns, ib_table_data *data);

/* ---- spline_data.c: points of a spline
 * ------------------------------------------------------------ */

typedef struct ib_spline_data {
    double *x, *y; /* malloc'ed, [n] */
    size_t n;
} ib_spline_data;

/* From a text file; errors are placed at its rows. */
bool ib_spline_data_file(ib_loader *l, const char *file, ib_place place, int header_lines,
                         const int columns[2], ib_spline_data *data);
/* From the lists under x and y. */
bool ib_spline_data_lists(ib_loader *l, ib_record *record, ib_spline_data *data);

/* ---- check.c: what a body may be
 * ------------------------------------------------------------------ */

void ib_check_body(ib_loader *l, const ib_record *record, const ib_body *body);

#endif
