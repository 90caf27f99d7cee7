/* Inside of the parser of the user's language, shared by lex.c, functions.c and parse.c only. */
#ifndef IB_EXPR_LANGUAGE_H
#define IB_EXPR_LANGUAGE_H

#include "expr/expr.h"

/* ---- lex.c: text to tokens ------------------------------------------------------------------- */

typedef enum ib_token_kind {
    IB_TOKEN_END,
    IB_TOKEN_NUMBER,
    IB_TOKEN_NAME,
    IB_TOKEN_STRING, /* offset and length include the quotes */
    IB_TOKEN_OPEN,
    IB_TOKEN_CLOSE,
    IB_TOKEN_COMMA,
    IB_TOKEN_OPERATOR,
    IB_TOKEN_BAD /* what does not belong to the language */
} ib_token_kind;

typedef struct ib_token {
    ib_token_kind kind;
    size_t offset, length; /* bytes of the text */
    double value;          /* NUMBER */
    ib_op op;              /* OPERATOR */
    bool turned;           /* OPERATOR: > and >=, which are < and <= with the sides exchanged */
    ib_diag_id id;         /* BAD: what is wrong, and what would be right or NULL */
    const char *message, *suggestion;
} ib_token;

/* The first token at or after the offset; blanks, line ends and # comments are passed over. */
ib_token ib_lex(const char *text, size_t length, size_t offset);
/* True where a name may begin. */
bool ib_lex_starts_name(const char *text, size_t length, size_t offset);

/* ---- functions.c: the functions of the language ---------------------------------------------- */

/* How step goes from one value to the other. */
typedef enum ib_step_shape { IB_STEP_SMOOTH, IB_STEP_COSINE, IB_STEP_HARD } ib_step_shape;

typedef struct ib_function {
    const char *name;
    const char *signature;
    unsigned min_arguments, max_arguments;
    ib_op op; /* what it builds, once or between all arguments; IB_OP_COUNT: `build` does */
    ib_node (*build)(ib_graph *graph, const ib_node *arguments, ib_step_shape shape);
    /* What is wrong with constant arguments, or NULL. */
    const char *(*check)(const ib_graph *graph, const ib_node *arguments);
    bool takes_shape; /* a text in quotes as the last argument */
} ib_function;

const ib_function *ib_function_find(const char *name); /* NULL when there is none */
/* The value of a call; the number of arguments has been checked. */
ib_node ib_function_call(ib_graph *graph, const ib_function *function, const ib_node *arguments,
                         size_t n_arguments, ib_step_shape shape);
/* The reserved name nearest to a misspelt one, or NULL. */
const char *ib_function_nearest(const char *name);
/* What to write instead of a name from another language ("ln"), or NULL. */
const char *ib_function_foreign(const char *name);

#endif
