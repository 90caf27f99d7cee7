/* Ironbird: status codes and diagnostics, shared by every public header.
 *
 * Every function that can fail returns an ib_status; what went wrong, where, and what would be
 * right is left in a diagnostics sink that the caller owns. Nothing in the library prints or exits.
 */
#ifndef IRONBIRD_BASE_H
#define IRONBIRD_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one list of status codes: name, text. */
#define IB_STATUS_LIST(X)                                                                          \
    X(IB_OK, "done")                                                                               \
    X(IB_FAILED, "the check or comparison failed")                                                 \
    X(IB_BAD_INPUT, "the input is wrong")                                                          \
    X(IB_NO_MEMORY, "out of memory")                                                               \
    X(IB_IO_ERROR, "reading or writing failed")                                                    \
    X(IB_SIMULATION_FAILED, "the simulation failed")                                               \
    X(IB_INTERRUPTED, "interrupted")                                                               \
    X(IB_UNSUPPORTED, "not supported yet")                                                         \
    X(IB_INTERNAL, "internal error")

typedef enum ib_status {
#define IB_STATUS_NAME(name, text) name,
    IB_STATUS_LIST(IB_STATUS_NAME)
#undef IB_STATUS_NAME
} ib_status;

/* One line of English for a status; never NULL. */
const char *ib_status_text(ib_status status);

/* Time is an integer count of nanoseconds; nothing accumulates t += dt in floating point. */
typedef int64_t ib_time;
#define IB_SECOND INT64_C(1000000000)

typedef enum ib_severity { IB_NOTE, IB_WARNING, IB_ERROR } ib_severity;

/* A place in a user's file. Lines and columns count from 1, columns in characters (code points);
 * line 0 means "no place". `length` is the number of characters to underline (at least 1). */
typedef struct ib_place {
    const char *file; /* as the user named it; borrowed from the sink or the model; may be NULL */
    uint32_t line;
    uint32_t column;
    uint32_t length;
} ib_place;

typedef struct ib_diag_note {
    const char *message; /* for instance "declared here" */
    ib_place place;
} ib_diag_note;

typedef struct ib_diag {
    ib_severity severity;
    const char *id;          /* stable, "IB0312"; `ironbird explain IB0312` says more */
    const char *message;     /* one line, no trailing full stop */
    const char *suggestion;  /* what would be right, or NULL */
    const char *source_line; /* text of the place's line, or NULL */
    ib_place place;
    size_t n_notes;
    const ib_diag_note *notes;
} ib_diag;

/* A sink of diagnostics. Owned by the caller, used by one thread at a time. Everything reached
 * through it stays valid until it is cleared or destroyed. */
typedef struct ib_diags ib_diags;

ib_diags *ib_diags_create(void); /* NULL when out of memory */
void ib_diags_destroy(ib_diags *diags);
void ib_diags_clear(ib_diags *diags);
size_t ib_diags_count(const ib_diags *diags);
size_t ib_diags_errors(const ib_diags *diags); /* of severity IB_ERROR */
const ib_diag *ib_diags_at(const ib_diags *diags, size_t index);

/* Writes one diagnostic as a compiler would:
 *     file.yaml:12:8: error: body1: there is no body 'whel'; did you mean 'wheel'? [IB0312]
 * followed by the line and a caret, and the notes. Returns the length that the text needs without
 * the terminator, as snprintf does. */
size_t ib_diag_format(const ib_diag *diag, bool colour, char *buffer, size_t size);

/* The explanation behind a stable ID (its title, a line break, the text), or NULL when there is no
 * such ID. */
const char *ib_diag_explain(const char *id);

#ifdef __cplusplus
}
#endif

#endif
