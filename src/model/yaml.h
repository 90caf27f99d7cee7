/* yaml: a YAML text as a tree of nodes with places. Private to the model module.
 *
 * One document, YAML 1.2 core scalars, aliases shared rather than copied, merge keys resolved.
 * Knows nothing of models.
 */
#ifndef IB_MODEL_YAML_H
#define IB_MODEL_YAML_H

#include "base/base.h"

/* ---- source.c: text and places ----------------------------------------------------------------
 */

/* A text and the offsets at which its lines start. */
typedef struct ib_source {
    const char *file; /* as the user named it */
    const char *text; /* without byte order mark */
    size_t length;
    size_t *lines; /* [n_lines] */
    size_t n_lines;
} ib_source;

/* Finds the lines. The text and the name are borrowed. False when out of memory. */
bool ib_source_create(ib_arena *arena, const char *file, const char *text, size_t length,
                      ib_source *source);
/* True when a line ends with this byte. */
bool ib_source_ends_line(const ib_source *source, size_t byte);
/* The place of the bytes start .. end-1, as far as they lie on one line. */
ib_place ib_source_place(const ib_source *source, size_t start, size_t end);

/* ---- yaml.c: the tree ---------------------------------------------------------------------------
 */

#define IB_YAML_DEPTH 64               /* deepest nesting of lists and maps */
#define IB_YAML_EXPANDED_LIMIT 1000000 /* nodes that aliases may stand for, in all */

typedef enum ib_yaml_kind { IB_YAML_SCALAR, IB_YAML_LIST, IB_YAML_MAP } ib_yaml_kind;

typedef enum ib_yaml_style {
    IB_YAML_PLAIN,
    IB_YAML_SINGLE,
    IB_YAML_DOUBLE,
    IB_YAML_LITERAL,
    IB_YAML_FOLDED
} ib_yaml_style;

typedef struct ib_yaml ib_yaml;

typedef struct ib_yaml_entry {
    ib_yaml *key; /* a scalar */
    ib_yaml *value;
} ib_yaml_entry;

struct ib_yaml {
    ib_yaml_kind kind;
    ib_yaml_style style;     /* scalars */
    bool flow;               /* written with [] or {} */
    bool open;               /* not complete yet: an alias to it would never end */
    bool reported;           /* something was said about this node already */
    const ib_source *source; /* where it stands, when not in the text of its document */
    const char *text;        /* scalars: the decoded value, terminated, without NUL inside */
    size_t length;           /* bytes of text */
    size_t start, end;       /* bytes of the source */
    uint32_t line, column, width;
    size_t n_expanded; /* nodes below and including this one, aliases followed */
    size_t n;          /* items of a list, entries of a map */
    ib_yaml **items;
    ib_yaml_entry *entries;
};

/* Parses the source's one document. Everything lives in the arena. On IB_BAD_INPUT a diagnostic
 * tells why there is no tree. Duplicate keys and values cut in two by a comma are reported, too,
 * but leave a tree without them. */
ib_status ib_yaml_parse(ib_arena *arena, const ib_source *source, ib_diags *diags, ib_yaml **root);

/* The value of a key, or NULL. */
ib_yaml *ib_yaml_get(const ib_yaml *map, const char *key);
ib_place ib_yaml_place(const ib_source *source, const ib_yaml *node);

/* ---- cut.c: values cut in two by a comma inside braces ------------------------------------------
 */

/* How many more '(' than ')' the text has. */
int ib_yaml_open_parentheses(const char *text);
/* Reports and removes the pieces of `motion: step(t, 0, 0, 1, 1)` from the children of a {} or []
 * (keys and values alternate in a map). `whole` is false when the parser stopped inside. Returns
 * the number of children left, and whether a cut was found. */
size_t ib_yaml_join_cut(const ib_source *source, ib_diags *diags, bool is_map, bool whole,
                        ib_yaml **children, size_t n, bool *found);

/* ---- syntax.c: what libyaml complains about, in plain words -------------------------------------
 */

/* Adds the one diagnostic for a text that libyaml could not parse. `offset` is the byte of the
 * source where it stopped, `context` the byte where the construct began (or SIZE_MAX). */
void ib_yaml_syntax_error(const ib_source *source, ib_diags *diags, const char *problem,
                          size_t offset, size_t context);

/* ---- scalar.c: YAML 1.2 core schema
 * --------------------------------------------------------------- */

typedef enum ib_yaml_type {
    IB_YAML_NULL,
    IB_YAML_BOOL,
    IB_YAML_NUMBER,
    IB_YAML_NOT_FINITE, /* .nan, .inf, or a number beyond the range of a double */
    IB_YAML_TEXT
} ib_yaml_type;

/* What a plain scalar means; quoted and block scalars are always text. *value and *is_integer
 * (written without point or exponent) are set for numbers, *value as 0 or 1 for booleans. */
ib_yaml_type ib_yaml_scalar_type(const ib_yaml *scalar, double *value, bool *is_integer);

/* ---- marks.c: where each character of a value stands in the source
 * ------------------------------- */

/* Fills map[0 .. length]: the source offset of each byte of the scalar's value and of its end.
 * False when the source could not be followed (then the map is not usable). */
bool ib_marks_map(const ib_source *source, const ib_yaml *scalar, size_t *map);
/* The place of bytes offset .. offset+length-1 of a scalar's value; the scalar's own place when the
 * source cannot be followed or memory is out. */
ib_place ib_marks_place(const ib_source *source, const ib_yaml *scalar, size_t offset,
                        size_t length);
/* The same with a map that was made before; NULL or map[0] == SIZE_MAX: none could be made. */
ib_place ib_marks_place_by_map(const ib_source *source, const ib_yaml *scalar, const size_t *map,
                               size_t offset, size_t length);

#endif
