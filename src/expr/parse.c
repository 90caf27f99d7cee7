/* The parser of the expression language: text to a node of the graph.
 *
 *     expression  sum [comparison sum]            comparisons do not chain
 *     sum         product {+|- product}           left to right
 *     product     signed {*|/ signed}             left to right
 *     signed      {-|+} power                     -x^2 is -(x^2)
 *     power       value [^ signed-power]          2^3^2 is 2^(3^2); 2^-1 is allowed
 *     value       number | name | ( expression ) | name ( expression {, expression} )
 *
 * Operator precedence (Dijkstra's shunting yard) on two stacks of its own, so that neither a deep
 * nor a long expression uses the machine's stack. Where the text still makes sense after an error,
 * an unknown name for instance, parsing goes on and finds the next one.
 */
#include "expr/parser.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1000 };
enum { BINDS_COMPARISON = 1, BINDS_SUM, BINDS_PRODUCT, BINDS_SIGN, BINDS_POWER };

static unsigned precedence_of(ib_op op) {
    switch (op) {
    case IB_OP_ADD:
    case IB_OP_SUB:
        return BINDS_SUM;
    case IB_OP_MUL:
    case IB_OP_DIV:
        return BINDS_PRODUCT;
    case IB_OP_POW:
        return BINDS_POWER;
    default:
        return BINDS_COMPARISON;
    }
}

/* ---- the stacks ------------------------------------------------------------------------------ */

static void push_value(ib_parser *p, ib_node node, size_t offset, size_t end) {
    if (!IB_VEC_RESERVE(p->values, p->value_capacity, p->n_values)) {
        ib_complain_memory(p);
        return;
    }
    p->values[p->n_values++] = (ib_operand){node, offset, end};
}

static void push_pending(ib_parser *p, ib_pending pending) {
    if (!IB_VEC_RESERVE(p->pendings, p->pending_capacity, p->n_pendings)) {
        ib_complain_memory(p);
        return;
    }
    p->pendings[p->n_pendings++] = pending;
}

static ib_pending *top(ib_parser *p) {
    return p->n_pendings ? &p->pendings[p->n_pendings - 1] : NULL;
}

/* What stands for a value after an error. */
static ib_node placeholder(ib_parser *p) { return ib_graph_const(p->graph, 1.0); }

/* ---- building -------------------------------------------------------------------------------- */

/* A result made of constants alone that did not fold has no finite value. */
static void check_finite(ib_parser *p, const ib_token *at, ib_node result, const ib_node *arguments,
                         size_t n) {
    double value;
    if (p->wrong || result == IB_NO_NODE || ib_graph_is_const(p->graph, result, &value))
        return;
    for (size_t k = 0; k < n; k++)
        if (!ib_graph_is_const(p->graph, arguments[k], &value))
            return;
    ib_complain_not_finite(p, at, arguments, n);
}

/* Applies the operator on top of the stack to the values on top of theirs. */
static void apply(ib_parser *p) {
    const ib_pending pending = p->pendings[--p->n_pendings];
    ib_operand *right = &p->values[p->n_values - 1];
    if (pending.kind == IB_PENDING_SIGN) {
        right->node = ib_neg(p->graph, right->node);
        right->offset = pending.token.offset;
        return;
    }
    ib_operand *left = right - 1;
    const ib_node arguments[2] = {left->node, right->node};
    const bool turned = pending.token.turned;
    left->node =
        ib_graph_op(p->graph, pending.token.op, arguments[turned], arguments[!turned], IB_NO_NODE);
    left->end = right->end;
    p->n_values--;
    check_finite(p, &pending.token, left->node, arguments, 2);
}

/* Applies what binds at least as tightly as the precedence, back to the innermost parenthesis. */
static void reduce(ib_parser *p, unsigned precedence) {
    while (p->n_pendings && top(p)->kind != IB_PENDING_GROUP && top(p)->kind != IB_PENDING_CALL &&
           top(p)->precedence >= precedence)
        apply(p);
}

static ib_node call_function(ib_parser *p, const ib_pending *call, const ib_node *arguments,
                             size_t n) {
    const ib_function *function = call->function;
    const char *trouble = function->check ? function->check(p->graph, arguments) : NULL;
    if (trouble) {
        ib_complain(p, IB0409, call->token.offset, call->token.length, "%s", trouble);
        return placeholder(p);
    }
    return ib_function_call(p->graph, function, arguments, n, call->shape);
}

static ib_node call_value(ib_parser *p, const ib_pending *call, const ib_node *arguments,
                          size_t n) {
    const size_t own = call->table ? ib_table_arity(call->table) : 1;
    const size_t fewest = call->function ? call->function->min_arguments : own;
    const size_t most = call->function ? call->function->max_arguments : own;
    if (!call->function && !call->curve && !call->table) /* an unknown name, said so already */
        return placeholder(p);
    if (n < fewest || n > most) {
        const bool said = p->wrong && call->function && call->function->takes_shape;
        if (!said) /* a misplaced text argument was named already */
            ib_complain_count(p, call, n);
        return placeholder(p);
    }
    const ib_node result = call->function ? call_function(p, call, arguments, n)
                           : call->curve  ? ib_graph_curve(p->graph, call->curve, 0, arguments[0])
                                          : ib_graph_table(p->graph, call->table, 0, arguments);
    check_finite(p, &call->token, result, arguments, n);
    return result;
}

/* Closes the call on top of the stack over the values above it. */
static void finish_call(ib_parser *p) {
    const ib_pending call = p->pendings[--p->n_pendings];
    const size_t n = p->n_values - call.first_value;
    ib_node few[8];
    ib_node *arguments = n <= IB_COUNT(few) ? few : malloc(n * sizeof *arguments);
    if (!arguments) {
        ib_complain_memory(p);
        return;
    }
    for (size_t k = 0; k < n; k++)
        arguments[k] = p->values[call.first_value + k].node;
    p->n_values = call.first_value;
    push_value(p, call_value(p, &call, arguments, n), call.token.offset, p->token.offset + 1);
    if (arguments != few)
        free(arguments);
}

/* ---- where a value may stand ----------------------------------------------------------------- */

/* Counts an opening parenthesis; false, having said so, when there are too many. */
static bool go_deeper(ib_parser *p, size_t offset) {
    if (++p->depth <= DEEPEST)
        return true;
    p->stopped = true;
    ib_complain(p, IB0406, offset, 1, "parentheses are nested deeper than %d", DEEPEST);
    return false;
}

static void open_group(ib_parser *p) {
    if (go_deeper(p, p->token.offset))
        push_pending(p, (ib_pending){.kind = IB_PENDING_GROUP, .token = p->token});
}

/* The name of a function, curve or table with its parenthesis, which is consumed. */
static void open_call(ib_parser *p, const ib_function *function, const ib_symbol *symbol) {
    if (!go_deeper(p, p->next.offset))
        return;
    push_pending(p, (ib_pending){.kind = IB_PENDING_CALL,
                                 .token = p->token,
                                 .open = p->next.offset,
                                 .function = function,
                                 .curve = function ? NULL : symbol->curve,
                                 .table = function ? NULL : symbol->table,
                                 .first_value = p->n_values});
    p->token = p->next;
    p->next = ib_lex(p->text->text, p->text->length, p->token.offset + p->token.length);
}

/* The value of a name that is not called. */
static ib_node named_value(ib_parser *p, const char *name, const ib_symbol *symbol) {
    const bool is_time = strcmp(name, "t") == 0 || strcmp(name, "time") == 0;
    if (strcmp(name, "pi") == 0)
        return ib_graph_const(p->graph, 3.141592653589793);
    if (is_time && p->scope->time != IB_NO_NODE)
        return p->scope->time;
    if (is_time)
        ib_complain_refused(p, "this is a constant, known before time begins");
    else if (symbol->kind == IB_SYMBOL_NODE)
        return symbol->node;
    else if (symbol->kind == IB_SYMBOL_CURVE)
        ib_complain_not_called(p, NULL, NULL);
    else if (symbol->kind == IB_SYMBOL_TABLE)
        ib_complain_not_called(p, NULL, symbol->table);
    else if (ib_function_find(name))
        ib_complain_not_called(p, ib_function_find(name), NULL);
    else
        ib_complain_unknown(p, name, false);
    return placeholder(p);
}

/* A name with a parenthesis after it; true when it was taken for a call. */
static bool take_call(ib_parser *p, const char *name, const ib_symbol *symbol) {
    const ib_function *function = ib_function_find(name);
    if (p->next.kind != IB_TOKEN_OPEN || symbol->kind == IB_SYMBOL_NODE)
        return false;
    if (strcmp(name, "pi") == 0 || strcmp(name, "t") == 0 || strcmp(name, "time") == 0)
        return false;
    if (!function && symbol->kind == IB_SYMBOL_NONE)
        ib_complain_unknown(p, name, true);
    open_call(p, function, symbol);
    return true;
}

/* Returns true when a value is still wanted: the name opened a call. */
static bool take_name(ib_parser *p) {
    char *name = p->name;
    ib_symbol symbol = {.kind = IB_SYMBOL_NONE};
    memcpy(name, p->text->text + p->token.offset, p->token.length);
    name[p->token.length] = '\0';
    if (!ib_expr_reserved(name) && p->scope->find)
        symbol = p->scope->find(p->scope->context, name);
    if (symbol.kind != IB_SYMBOL_CURVE)
        symbol.curve = NULL;
    if (symbol.kind != IB_SYMBOL_TABLE)
        symbol.table = NULL;
    if (symbol.kind == IB_SYMBOL_REFUSED) {
        ib_complain_refused(p, symbol.reason);
        if (p->next.kind != IB_TOKEN_OPEN) {
            push_value(p, placeholder(p), p->token.offset, p->token.offset + p->token.length);
            return false;
        }
    }
    if (take_call(p, name, &symbol))
        return true;
    const bool alone = p->previous.kind == IB_TOKEN_END && p->next.kind == IB_TOKEN_END;
    if (symbol.kind == IB_SYMBOL_CURVE && alone && p->accepts_bare)
        p->bare = symbol.curve;
    else
        push_value(p, named_value(p, name, &symbol), p->token.offset,
                   p->token.offset + p->token.length);
    return false;
}

/* "cosine" or "hard" as the last argument of step. It leaves no value behind. */
static bool take_string(ib_parser *p) {
    const char *text = p->text->text + p->token.offset + 1;
    const size_t n = p->token.length - 2;
    ib_pending *call = top(p);
    const bool cosine = n == 6 && memcmp(text, "cosine", n) == 0;
    const bool hard = n == 4 && memcmp(text, "hard", n) == 0;
    const bool fits = call && call->kind == IB_PENDING_CALL && call->function &&
                      call->function->takes_shape && p->previous.kind == IB_TOKEN_COMMA &&
                      p->n_values - call->first_value == call->function->max_arguments &&
                      p->next.kind == IB_TOKEN_CLOSE;
    if (fits && (cosine || hard)) {
        call->shape = cosine ? IB_STEP_COSINE : IB_STEP_HARD;
        return false;
    }
    ib_complain_string(p);
    if (!fits || p->next.kind != IB_TOKEN_CLOSE)
        push_value(p, placeholder(p), p->token.offset, p->token.offset + p->token.length);
    return false;
}

/* f(): no arguments where some are wanted. */
static bool take_empty_call(ib_parser *p) {
    if (p->previous.kind != IB_TOKEN_OPEN || !p->n_pendings || top(p)->kind != IB_PENDING_CALL)
        return false;
    p->depth--;
    finish_call(p);
    return true;
}

/* Takes what may begin a value. Returns true when a value is still wanted. */
static bool take_value(ib_parser *p) {
    const ib_token token = p->token;
    switch (token.kind) {
    case IB_TOKEN_NUMBER:
        push_value(p, ib_graph_const(p->graph, token.value), token.offset,
                   token.offset + token.length);
        return false;
    case IB_TOKEN_NAME:
        return take_name(p);
    case IB_TOKEN_STRING:
        return take_string(p);
    case IB_TOKEN_OPEN:
        open_group(p);
        return true;
    case IB_TOKEN_OPERATOR:
        if (token.op == IB_OP_SUB)
            push_pending(p, (ib_pending){IB_PENDING_SIGN, BINDS_SIGN, .token = token});
        else if (token.op != IB_OP_ADD)
            ib_complain_no_value(p);
        return true;
    case IB_TOKEN_CLOSE:
        if (take_empty_call(p))
            return false;
        ib_complain_no_value(p);
        return true;
    default:
        ib_complain_no_value(p);
        return true;
    }
}

/* ---- where an operator may stand ------------------------------------------------------------- */

static void take_binary(ib_parser *p) {
    const unsigned precedence = precedence_of(p->token.op);
    reduce(p, p->token.op == IB_OP_POW ? precedence + 1 : precedence + (precedence == 1));
    const ib_pending *before = top(p);
    if (precedence == BINDS_COMPARISON && before && before->kind == IB_PENDING_BINARY)
        ib_complain_chain(p, before);
    else
        push_pending(p, (ib_pending){IB_PENDING_BINARY, precedence, .token = p->token});
}

static void take_close(ib_parser *p) {
    reduce(p, 0);
    if (!p->n_pendings) {
        p->stopped = true;
        ib_complain(p, IB0405, p->token.offset, 1, "no parenthesis is open here");
        return;
    }
    p->depth--;
    if (top(p)->kind == IB_PENDING_CALL)
        finish_call(p);
    else
        p->n_pendings--;
}

/* Takes what may follow a value. Returns true when a value is wanted next. */
static bool take_operator(ib_parser *p) {
    switch (p->token.kind) {
    case IB_TOKEN_OPERATOR:
        take_binary(p);
        return true;
    case IB_TOKEN_COMMA:
        reduce(p, 0);
        if (!p->n_pendings || top(p)->kind != IB_PENDING_CALL)
            ib_complain_comma(p);
        return true;
    case IB_TOKEN_CLOSE:
        take_close(p);
        return false;
    case IB_TOKEN_END:
        reduce(p, 0);
        if (p->n_pendings)
            ib_complain_unclosed(p, top(p));
        return false;
    default:
        ib_complain_no_operator(p);
        return false;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void parse_tokens(ib_parser *p) {
    bool wants_value = true;
    p->next = ib_lex(p->text->text, p->text->length, 0);
    while (!p->stopped) {
        p->token = p->next;
        const bool at_end = p->token.kind == IB_TOKEN_END;
        if (!at_end)
            p->next = ib_lex(p->text->text, p->text->length, p->token.offset + p->token.length);
        wants_value = wants_value ? take_value(p) : take_operator(p);
        if (at_end)
            break;
        p->previous = p->token;
    }
}

ib_node ib_expr_parse(ib_graph *graph, const ib_scope *scope, const ib_text *text, ib_diags *diags,
                      const ib_curve **bare_curve) {
    char *name = malloc(text->length + 1);
    ib_parser p = {.graph = graph,
                   .scope = scope,
                   .text = text,
                   .diags = diags,
                   .accepts_bare = bare_curve != NULL,
                   .name = name};
    if (name)
        parse_tokens(&p);
    if (bare_curve)
        *bare_curve = p.wrong ? NULL : p.bare;
    if (!p.wrong && (!name || ib_graph_failed(graph)))
        ib_complain_memory(&p);
    const ib_node result = !p.wrong && p.n_values == 1 ? p.values[0].node : IB_NO_NODE;
    free(name);
    free(p.values);
    free(p.pendings);
    return result;
}
