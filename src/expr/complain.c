/* What the parser says when something is wrong: one sentence at the character, and what to write
 * instead.
 */
#include "expr/parser.h"

#include <stdio.h>
#include <string.h>

enum { QUOTE_SIZE = 64, LONGEST_QUOTE = 40 };

/* The text of a token for a message, shortened between characters. */
static const char *quote(const ib_parser *p, const ib_token *token, char buffer[QUOTE_SIZE]) {
    const char *text = p->text->text + token->offset;
    size_t n = token->length;
    if (n > LONGEST_QUOTE) {
        n = LONGEST_QUOTE;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    snprintf(buffer, QUOTE_SIZE, "%.*s%s", (int)n, text, n < token->length ? "..." : "");
    return buffer;
}

/* Line and column in the text itself. */
static ib_place place_in_text(const ib_text *text, size_t offset, size_t length) {
    ib_place place = {.line = 1, .column = 1, .length = 0};
    for (size_t k = 0; k < offset + length && k < text->length; k++) {
        const bool starts = ((unsigned char)text->text[k] & 0xc0) != 0x80;
        if (k >= offset) {
            place.length += starts;
        } else if (text->text[k] == '\n') {
            place.line++;
            place.column = 1;
        } else {
            place.column += starts;
        }
    }
    place.length = place.length ? place.length : 1;
    return place;
}

ib_place ib_parser_place(const ib_parser *p, size_t offset, size_t length) {
    if (p->text->place)
        return p->text->place(p->text->context, offset, length);
    return place_in_text(p->text, offset, length);
}

void ib_complain(ib_parser *p, ib_diag_id id, size_t offset, size_t length, const char *format,
                 ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    p->wrong = true;
    ib_diags_add(p->diags, IB_ERROR, id, ib_parser_place(p, offset, length ? length : 1), "%s",
                 message);
}

void ib_complain_memory(ib_parser *p) {
    p->stopped = true;
    ib_complain(p, IB0103, 0, 1, "out of memory");
}

/* ---- tokens that may not stand where they do ------------------------------------------------- */

static void complain_bad_token(ib_parser *p) {
    ib_complain(p, p->token.id, p->token.offset, p->token.length, "%s", p->token.message);
    if (p->token.suggestion)
        ib_diags_suggest(p->diags, "%s", p->token.suggestion);
}

static void complain_at_end(ib_parser *p) {
    char what[QUOTE_SIZE];
    const ib_token last = p->previous;
    if (last.kind == IB_TOKEN_END)
        ib_complain(p, IB0401, 0, 1, "the expression is empty");
    else if (last.kind == IB_TOKEN_OPEN)
        ib_complain_unclosed(p, &p->pendings[p->n_pendings - 1]);
    else
        ib_complain(p, IB0403, last.offset, last.length,
                    "the expression ends after '%s', where a value is missing",
                    quote(p, &last, what));
}

void ib_complain_no_value(ib_parser *p) {
    char here[QUOTE_SIZE], before[QUOTE_SIZE];
    const ib_token token = p->token, last = p->previous;
    p->stopped = true;
    if (token.kind == IB_TOKEN_BAD)
        complain_bad_token(p);
    else if (token.kind == IB_TOKEN_END)
        complain_at_end(p);
    else if (token.kind == IB_TOKEN_CLOSE && p->depth == 0)
        ib_complain(p, IB0405, token.offset, token.length, "no parenthesis is open here");
    else if (token.kind == IB_TOKEN_CLOSE && last.kind == IB_TOKEN_OPEN)
        ib_complain(p, IB0403, token.offset, token.length, "these parentheses are empty");
    else if (last.kind == IB_TOKEN_END)
        ib_complain(p, IB0403, token.offset, token.length, "a value is missing before '%s'",
                    quote(p, &token, here));
    else
        ib_complain(p, IB0403, token.offset, token.length,
                    "a value is missing between '%s' and '%s'", quote(p, &last, before),
                    quote(p, &token, here));
}

void ib_complain_no_operator(ib_parser *p) {
    char here[QUOTE_SIZE], before[QUOTE_SIZE];
    const ib_token token = p->token, last = p->previous;
    p->stopped = true;
    if (token.kind == IB_TOKEN_BAD) {
        complain_bad_token(p);
        return;
    }
    if (last.kind == IB_TOKEN_NAME && ib_function_find(p->name))
        return; /* "sin x": said at the name */
    quote(p, &last, before);
    quote(p, &token, here);
    ib_complain(p, IB0404, token.offset, token.length,
                "an operator is missing between '%s' and '%s'", before, here);
    if (last.kind == IB_TOKEN_NAME && token.kind == IB_TOKEN_OPEN)
        ib_diags_suggest(p->diags, "'%s' is a value, not a function; for a product write %s * (",
                         before, before);
    else if (last.kind == IB_TOKEN_NUMBER && token.kind == IB_TOKEN_NUMBER)
        ib_diags_suggest(p->diags, "digits are not grouped, and operators stand between values");
    else if (last.kind == IB_TOKEN_CLOSE)
        ib_diags_suggest(p->diags, "for a product write * between them");
    else
        ib_diags_suggest(p->diags, "for a product write %s * %s", before, here);
}

void ib_complain_unclosed(ib_parser *p, const ib_pending *open) {
    char name[QUOTE_SIZE];
    const size_t offset = open->kind == IB_PENDING_CALL ? open->open : open->token.offset;
    p->stopped = true;
    if (open->kind == IB_PENDING_CALL)
        ib_complain(p, IB0405, offset, 1, "the parenthesis of '%s(' is not closed",
                    quote(p, &open->token, name));
    else
        ib_complain(p, IB0405, offset, 1, "this parenthesis is not closed");
}

void ib_complain_comma(ib_parser *p) {
    p->stopped = true;
    ib_complain(p, IB0404, p->token.offset, 1,
                "a comma stands only between arguments of a function");
    if (p->previous.kind == IB_TOKEN_NUMBER && p->next.kind == IB_TOKEN_NUMBER)
        ib_diags_suggest(p->diags, "decimals are written with a point: %.*s.%.*s",
                         (int)p->previous.length, p->text->text + p->previous.offset,
                         (int)p->next.length, p->text->text + p->next.offset);
}

void ib_complain_chain(ib_parser *p, const ib_pending *first) {
    char here[QUOTE_SIZE], before[QUOTE_SIZE];
    quote(p, &p->token, here);
    quote(p, &first->token, before);
    p->stopped = true;
    ib_complain(p, IB0412, p->token.offset, p->token.length, "comparisons do not chain");
    ib_diags_suggest(p->diags, "write (a %s b) * (b %s c)", before, here);
}

void ib_complain_string(ib_parser *p) {
    char text[QUOTE_SIZE];
    const char *known[] = {"\"cosine\"", "\"hard\""};
    const char *nearest = ib_nearest_name(quote(p, &p->token, text), known, IB_COUNT(known));
    const ib_pending *top = p->n_pendings ? &p->pendings[p->n_pendings - 1] : NULL;
    const bool in_step =
        top && top->kind == IB_PENDING_CALL && top->function && top->function->takes_shape;
    if (!in_step)
        ib_complain(p, IB0409, p->token.offset, p->token.length,
                    "text in quotes is no value; only step takes one, as its sixth argument");
    else if (p->n_values - top->first_value != 5 || p->next.kind != IB_TOKEN_CLOSE)
        ib_complain(p, IB0409, p->token.offset, p->token.length,
                    "the text in quotes is the sixth and last argument of step");
    else
        ib_complain(p, IB0409, p->token.offset, p->token.length, "there is no step %s", text);
    if (in_step && nearest)
        ib_diags_suggest(p->diags, "did you mean %s?", nearest);
    else if (in_step)
        ib_diags_suggest(p->diags, "step is smooth without, \"cosine\" or \"hard\" with it");
}

/* ---- names and arguments --------------------------------------------------------------------- */

void ib_complain_unknown(ib_parser *p, const char *name, bool called) {
    const char *foreign = ib_function_foreign(name);
    const char *known = ib_function_nearest(name);
    const char *own = ib_nearest_name(name, p->scope->names, p->scope->n_names);
    const char *both[] = {own, known};
    const char *nearest = own && known ? ib_nearest_name(name, both, 2) : own ? own : known;
    char text[QUOTE_SIZE];
    ib_complain(p, IB0407, p->token.offset, p->token.length, "unknown %s '%s'",
                called ? "function" : "name", quote(p, &p->token, text));
    if (foreign)
        ib_diags_suggest(p->diags, "write %s", foreign);
    else if (nearest)
        ib_diags_suggest(p->diags, "did you mean '%s'?", nearest);
}

void ib_complain_refused(ib_parser *p, const char *reason) {
    char text[QUOTE_SIZE];
    ib_complain(p, IB0413, p->token.offset, p->token.length, "'%s' cannot be used here: %s",
                quote(p, &p->token, text), reason ? reason : "it has no value");
}

/* How a curve or table is called, or a function. */
static void suggest_call(ib_parser *p, const char *name, const ib_function *function,
                         const ib_table *table) {
    static const char *const arguments[] = {"x", "x, y", "x, y, z", "x, y, z, w"};
    if (function)
        ib_diags_suggest(p->diags, "write %s", function->signature);
    else
        ib_diags_suggest(p->diags, "write %s(%s)", name,
                         arguments[table ? ib_table_arity(table) - 1 : 0]);
}

void ib_complain_not_called(ib_parser *p, const ib_function *function, const ib_table *table) {
    char text[QUOTE_SIZE];
    quote(p, &p->token, text);
    ib_complain(p, IB0408, p->token.offset, p->token.length,
                "'%s' is a %s and needs its argument%s in parentheses", text,
                function ? "function"
                : table  ? "table"
                         : "spline",
                table ? "s" : "");
    suggest_call(p, text, function, table);
}

void ib_complain_count(ib_parser *p, const ib_pending *call, size_t have) {
    char text[QUOTE_SIZE];
    const ib_function *function = call->function;
    const unsigned own = call->table ? ib_table_arity(call->table) : 1;
    const unsigned want = function ? function->min_arguments : own;
    const bool open_ended = function && function->max_arguments > want;
    quote(p, &call->token, text);
    ib_complain(p, IB0409, call->token.offset, call->token.length,
                "'%s' takes %s%u argument%s, not %zu", text, open_ended ? "at least " : "", want,
                want == 1 ? "" : "s", have);
    suggest_call(p, text, function, call->table);
}

void ib_complain_not_finite(ib_parser *p, const ib_token *at, const ib_node *arguments, size_t n) {
    char text[QUOTE_SIZE], values[3][IB_NUMBER_SIZE] = {{0}};
    for (size_t k = 0; k < n && k < 3; k++) {
        double value = 0.0;
        ib_graph_is_const(p->graph, arguments[k], &value);
        ib_number_text(value, values[k]);
    }
    quote(p, at, text);
    const bool negative = values[0][0] == '-';
    if (at->kind == IB_TOKEN_OPERATOR)
        ib_complain(p, IB0411, at->offset, at->length, "%s%s%s %s %s has no finite value",
                    negative ? "(" : "", values[0], negative ? ")" : "", text, values[1]);
    else
        ib_complain(p, IB0411, at->offset, at->length, "%s(%s%s%s) has no finite value", text,
                    values[0], n > 1 ? ", " : "", values[1]);
}
