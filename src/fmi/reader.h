/* What the readers of a description's elements share. Private to the module. */
#ifndef IB_FMI_READER_H
#define IB_FMI_READER_H

#include "fmi/description.h"

/* What surrounds an element. */
typedef enum ib_fmi_context {
    IB_FMI_IN_FILE,
    IB_FMI_IN_MODEL,
    IB_FMI_IN_INTERFACE,
    IB_FMI_IN_SOURCES,
    IB_FMI_IN_UNITS,
    IB_FMI_IN_UNIT,
    IB_FMI_IN_TYPES,
    IB_FMI_IN_TYPE,
    IB_FMI_IN_ENUMERATION,
    IB_FMI_IN_CATEGORIES,
    IB_FMI_IN_VARIABLES,
    IB_FMI_IN_VARIABLE,
    IB_FMI_IN_STRUCTURE,
    IB_FMI_IN_OUTPUTS,
    IB_FMI_IN_DERIVATIVES,
    IB_FMI_IN_INITIAL_UNKNOWNS,
    IB_FMI_IN_LEAF,   /* nothing is known inside but annotations */
    IB_FMI_IN_NOTHING /* whatever is inside is passed over */
} ib_fmi_context;

/* How bad a finding is. */
typedef enum ib_fmi_gravity {
    IB_FMI_UNUSABLE, /* the FMU cannot be used: an error in any case */
    IB_FMI_AGAINST,  /* against the standard, with an obvious reading: an error to who is strict */
    IB_FMI_REMARK    /* a warning in any case */
} ib_fmi_gravity;

#define IB_FMI_DEEPEST 16 /* elements that mean something; what is passed over may nest freely */

typedef struct ib_fmi_reader {
    ib_fmi_description *description;
    ib_arena *arena; /* the description's */
    ib_diags *diags;
    const char *name; /* of the file, kept by the sink where there is one */
    const char *text; /* UTF-8 or the encoding that its declaration names */
    size_t length;
    ib_fmu_rigour rigour;
    size_t n_findings;
    bool unusable, no_memory;

    /* The element being read. */
    const char *element;
    const char **attributes; /* name, value, ..., NULL */
    uint64_t taken;          /* bit k: attribute k was looked at */
    ib_fmi_place place;
    bool seen_root;
    bool seen_variables, seen_structure;

    ib_fmi_context stack[IB_FMI_DEEPEST];
    size_t depth;
    size_t skipped;              /* how deep in elements that are passed over */
    ib_fmi_interface *interface; /* the one being read */
} ib_fmi_reader;

/* ---- reader.c ---- */

/* Reports a finding at a place (line 0: the file). */
void ib_fmi_find(ib_fmi_reader *reader, ib_fmi_gravity gravity, ib_diag_id id, ib_fmi_place place,
                 const char *format, ...) IB_PRINTF(5, 6);
/* The place of an attribute's value within the element at `place`; that place when there is none.
 */
ib_fmi_place ib_fmi_attribute_place(const ib_fmi_reader *reader, ib_fmi_place place,
                                    const char *attribute);
/* Notes that memory is out; returns NULL. */
void *ib_fmi_no_memory(ib_fmi_reader *reader);

/* ---- attributes.c: attributes of the present element ---- */

/* The value, borrowed from the parser, or NULL. */
const char *ib_fmi_attribute(ib_fmi_reader *reader, const char *name);
/* The value, kept; `absent` when there is none. */
const char *ib_fmi_text(ib_fmi_reader *reader, const char *name, const char *absent);
/* The same for one that must be there: reports when it is not, and gives "". */
const char *ib_fmi_required(ib_fmi_reader *reader, const char *name);
/* Values of other types; a malformed one is reported and `absent` taken. */
bool ib_fmi_bool(ib_fmi_reader *reader, const char *name, bool absent);
double ib_fmi_double(ib_fmi_reader *reader, const char *name, double absent);
int64_t ib_fmi_int(ib_fmi_reader *reader, const char *name, int64_t least, int64_t most,
                   int64_t absent, bool *given);
uint64_t ib_fmi_uint(ib_fmi_reader *reader, const char *name, uint64_t most, uint64_t absent,
                     bool *given);
/* The index of the value among `names` (n of them), or `absent`. */
int ib_fmi_choice(ib_fmi_reader *reader, const char *name, const char *const *names, int n,
                  int absent, bool *given);
/* A list of unsigned 32-bit numbers. NULL and *n = 0 when there is none. */
uint32_t *ib_fmi_references(ib_fmi_reader *reader, const char *name, size_t *n, bool *given);
/* Says that these attributes, separated by blanks, mean nothing to us. */
void ib_fmi_pass_over(ib_fmi_reader *reader, const char *names);
/* Reports the attributes that nobody looked at. */
void ib_fmi_report_unknown(ib_fmi_reader *reader);

/* ---- elements.c ---- */

/* Reads the present element, whose parent is `parent`; returns what its children stand in. */
ib_fmi_context ib_fmi_read_element(ib_fmi_reader *reader, ib_fmi_context parent);

/* ---- variables.c: elements of ModelVariables ---- */

ib_fmi_context ib_fmi_read_variable3(ib_fmi_reader *reader, ib_fmi_type type);
ib_fmi_context ib_fmi_read_variable2(ib_fmi_reader *reader);
void ib_fmi_read_variable2_type(ib_fmi_reader *reader, ib_fmi_type type);
void ib_fmi_read_dimension(ib_fmi_reader *reader);
void ib_fmi_read_start(ib_fmi_reader *reader);
void ib_fmi_read_alias(ib_fmi_reader *reader);
/* Attributes that a type definition and a variable share. */
ib_fmi_traits ib_fmi_read_traits(ib_fmi_reader *reader, ib_fmi_type type);
/* Attributes of a clock or of a clock's type. */
ib_fmi_clock ib_fmi_read_clock(ib_fmi_reader *reader);

/* ---- numbers.c: text of values ---- */

/* Whether the token [text, text + n) is a value of the type, in its range; writes it to `value` (of
 * the type's size; Boolean and Clock bool, Enumeration int64) unless that is NULL. Not for strings
 * and binaries. */
bool ib_fmi_parse_value(ib_fmi_type type, const char *text, size_t n, void *value);
/* The next token separated by white space at *cursor; NULL at the end. */
const char *ib_fmi_token(const char **cursor, size_t *length);
/* Bytes of a hexadecimal text; false when it is none. `bytes` holds half the length, or is NULL. */
bool ib_fmi_parse_hex(const char *text, size_t length, uint8_t *bytes);
size_t ib_fmi_type_size(ib_fmi_type type);

#endif
