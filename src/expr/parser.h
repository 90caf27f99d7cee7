/* Inside of the parser: its state, shared by parse.c (the grammar) and complain.c (the messages).
 */
#ifndef IB_EXPR_PARSER_H
#define IB_EXPR_PARSER_H

#include "expr/language.h"

/* A value that waits for an operator, with the text it came from. */
typedef struct ib_operand {
    ib_node node;
    size_t offset, end;
} ib_operand;

typedef enum ib_pending_kind {
    IB_PENDING_BINARY,
    IB_PENDING_SIGN,  /* a minus before its value */
    IB_PENDING_GROUP, /* ( */
    IB_PENDING_CALL   /* f( */
} ib_pending_kind;

/* An operator that waits for its right side, or an open parenthesis. */
typedef struct ib_pending {
    ib_pending_kind kind;
    unsigned precedence;
    ib_token token; /* the operator, the parenthesis, or the function's name */
    /* CALL */
    size_t open;                 /* offset of the parenthesis */
    const ib_function *function; /* NULL for a curve or table, and for a name that is unknown */
    const ib_curve *curve;
    const ib_table *table;
    size_t first_value; /* number of waiting values below its arguments */
    ib_step_shape shape;
} ib_pending;

typedef struct ib_parser {
    ib_graph *graph;
    const ib_scope *scope;
    const ib_text *text;
    ib_diags *diags;
    ib_token previous, token, next;
    ib_operand *values;
    size_t n_values, value_capacity;
    ib_pending *pendings;
    size_t n_pendings, pending_capacity, depth;
    char *name;           /* room for any name of the text */
    const ib_curve *bare; /* the expression is the name of a curve and nothing else */
    bool accepts_bare;
    bool wrong;   /* a diagnostic was added; what is built has no meaning any more */
    bool stopped; /* and the rest of the text cannot be understood */
} ib_parser;

/* ---- complain.c: each adds one diagnostic; those that say so stop the parser ------------------
 */

ib_place ib_parser_place(const ib_parser *p, size_t offset, size_t length);
/* A diagnostic at a stretch of the text; notes and suggestions may follow. */
void ib_complain(ib_parser *p, ib_diag_id id, size_t offset, size_t length, const char *format, ...)
    IB_PRINTF(5, 6);
void ib_complain_memory(ib_parser *p); /* stops */
/* The token under the parser is not what may stand there: a value was wanted. Stops. */
void ib_complain_no_value(ib_parser *p);
/* ... an operator was wanted. Stops. */
void ib_complain_no_operator(ib_parser *p);
void ib_complain_unclosed(ib_parser *p, const ib_pending *open); /* stops */
void ib_complain_comma(ib_parser *p);                            /* stops */
void ib_complain_chain(ib_parser *p, const ib_pending *first);   /* stops */
void ib_complain_string(ib_parser *p);
void ib_complain_unknown(ib_parser *p, const char *name, bool called);
/* A function, curve or table named without parentheses. */
void ib_complain_not_called(ib_parser *p, const ib_function *function, const ib_table *table);
/* A name that exists but has no value here. */
void ib_complain_refused(ib_parser *p, const char *reason);
void ib_complain_count(ib_parser *p, const ib_pending *call, size_t have);
/* An operation on constants has no finite value. */
void ib_complain_not_finite(ib_parser *p, const ib_token *at, const ib_node *arguments, size_t n);

#endif
