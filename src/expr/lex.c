/* Tokens of the expression language.
 *
 * Numbers as in C without a sign (1, .5, 2.2e-4); names of letters of any alphabet, digits, '_' and
 * '.'; text in single or double quotes; + - * / ^ ** < <= > >= == != ( ) ,. Whatever else people
 * write out of habit from other languages, or paste from a typeset page, becomes a BAD token that
 * knows what to write instead.
 */
#include "expr/language.h"

#include <math.h>
#include <string.h>

/* Operators, longer ones first. */
static const struct {
    const char *text;
    ib_op op;
    bool turned;
} operators[] = {
    {"**", IB_OP_POW, false}, {"<=", IB_OP_LE, false}, {">=", IB_OP_LE, true},
    {"==", IB_OP_EQ, false},  {"!=", IB_OP_NE, false}, {"+", IB_OP_ADD, false},
    {"-", IB_OP_SUB, false},  {"*", IB_OP_MUL, false}, {"/", IB_OP_DIV, false},
    {"^", IB_OP_POW, false},  {"<", IB_OP_LT, false},  {">", IB_OP_LT, true},
};

/* Strangers and what to write instead, longer ones first where one begins another. */
static const struct {
    const char *text, *message, *suggestion;
} strangers[] = {
    {"&&", "there is no '&&'", "conditions multiply as and: (a < b) * (b < c)"},
    {"&", "there is no '&'", "conditions multiply as and: (a < b) * (b < c)"},
    {"||", "there is no '||'", "for a or b write max(a, b), each condition in parentheses"},
    {"|", "there is no '|'", "for a or b write max(a, b), for a magnitude abs(x)"},
    {"=<", "there is no '=<'", "write <="},
    {"=>", "there is no '=>'", "write >="},
    {"=", "'=' does not compare", "write =="},
    {"!", "there is no '!'", "for not a write 1 - a, for different a != b"},
    {"?", "there is no '?'", "write if_else(condition, a, b)"},
    {":", "there is no ':'", "write if_else(condition, a, b)"},
    {"%", "there is no '%'", "write mod(a, b) for the remainder, or divide by 100"},
    {"[", "brackets do not group", "write parentheses: ( )"},
    {"]", "brackets do not group", "write parentheses: ( )"},
    {"{", "braces do not group", "write parentheses: ( )"},
    {"}", "braces do not group", "write parentheses: ( )"},
    {";", "';' has no meaning here", NULL},
    {"\xe2\x88\x92", "this is a typographic minus sign", "write the plain one: -"},
    {"\xe2\x80\x90", "this is a typographic hyphen", "write a plain minus: -"},
    {"\xe2\x80\x91", "this is a typographic hyphen", "write a plain minus: -"},
    {"\xe2\x80\x92", "this is a typographic dash", "write a plain minus: -"},
    {"\xe2\x80\x93", "this is a typographic dash", "write a plain minus: -"},
    {"\xe2\x80\x94", "this is a typographic dash", "write a plain minus: -"},
    {"\xc3\x97", "this is a typographic multiplication sign", "write *"},
    {"\xc2\xb7", "this is a typographic multiplication sign", "write *"},
    {"\xe2\x8b\x85", "this is a typographic multiplication sign", "write *"},
    {"\xe2\x88\x97", "this is a typographic asterisk", "write *"},
    {"\xc3\xb7", "this is a typographic division sign", "write /"},
    {"\xe2\x88\x95", "this is a typographic division sign", "write /"},
    {"\xe2\x81\x84", "this is a typographic division sign", "write /"},
    {"\xc2\xb2", "this is a superscript", "write ^2"},
    {"\xc2\xb3", "this is a superscript", "write ^3"},
    {"\xc2\xb0", "this is a degree sign", "angles are in radians: multiply by pi / 180"},
    {"\xe2\x89\xa4", "this is a typographic comparison", "write <="},
    {"\xe2\x89\xa5", "this is a typographic comparison", "write >="},
    {"\xe2\x89\xa0", "this is a typographic comparison", "write !="},
    {"\xe2\x88\x9a", "this is a typographic root sign", "write sqrt(x)"},
    {"\xcf\x80", "this is the Greek letter", "write pi"},
    {"\xc2\xa0", "this is a blank that does not break lines", "write a plain blank"},
    {"\xe2\x80\x89", "this is a typographic blank", "write a plain blank"},
    {"\xe2\x80\xaf", "this is a typographic blank", "write a plain blank"},
    {"\xe2\x80\x8b", "this is an invisible blank", "delete it"},
    {"\xef\xbb\xbf", "this is an invisible mark", "delete it"},
    {"\xe2\x80\x98", "this is a typographic quotation mark", "write plain quotes: \"cosine\""},
    {"\xe2\x80\x99", "this is a typographic quotation mark", "write plain quotes: \"cosine\""},
    {"\xe2\x80\x9c", "this is a typographic quotation mark", "write plain quotes: \"cosine\""},
    {"\xe2\x80\x9d", "this is a typographic quotation mark", "write plain quotes: \"cosine\""},
};

/* ---- characters ------------------------------------------------------------------------------ */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_ascii_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Bytes of the UTF-8 character at the offset and its code point; 0 when it is malformed. */
static size_t decode(const char *text, size_t length, size_t offset, uint32_t *point) {
    const unsigned char first = (unsigned char)text[offset];
    const size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (n == 0 || first > 0xf4 || n > length - offset)
        return 0;
    *point = n == 1 ? first : first & (0x7fU >> n);
    for (size_t k = 1; k < n; k++) {
        const unsigned char next = (unsigned char)text[offset + k];
        if ((next & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (next & 0x3fU);
    }
    return n;
}

static bool starts_with(const char *text, size_t length, size_t offset, const char *what) {
    size_t n = 0;
    while (what[n] && n < length - offset && text[offset + n] == what[n])
        n++;
    return !what[n];
}

/* Index among the strangers, or their number. */
static size_t stranger_at(const char *text, size_t length, size_t offset) {
    size_t k = 0;
    while (k < IB_COUNT(strangers) && !starts_with(text, length, offset, strangers[k].text))
        k++;
    return k;
}

/* Bytes of the letter beyond ASCII at the offset: any character that is no punctuation, symbol or
 * stranger; 0 when there is none. */
static size_t foreign_letter(const char *text, size_t length, size_t offset) {
    uint32_t point;
    const size_t n = decode(text, length, offset, &point);
    if (n < 2 || point < 0xc0 || (point >= 0x2000 && point < 0x2c00) ||
        (point >= 0x3000 && point < 0x3040) || (point >= 0xfe00 && point < 0x10000))
        return 0;
    return stranger_at(text, length, offset) < IB_COUNT(strangers) ? 0 : n;
}

bool ib_lex_starts_name(const char *text, size_t length, size_t offset) {
    return offset < length &&
           (is_ascii_letter(text[offset]) || foreign_letter(text, length, offset) > 0);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static size_t skip_blanks(const char *text, size_t length, size_t offset) {
    while (offset < length && (is_blank(text[offset]) || text[offset] == '#')) {
        if (text[offset] == '#')
            while (offset < length && text[offset] != '\n')
                offset++;
        else
            offset++;
    }
    return offset;
}

static ib_token bad(size_t offset, size_t length, ib_diag_id id, const char *message,
                    const char *suggestion) {
    return (ib_token){.kind = IB_TOKEN_BAD,
                      .offset = offset,
                      .length = length,
                      .id = id,
                      .message = message,
                      .suggestion = suggestion};
}

static ib_token lex_name(const char *text, size_t length, size_t offset) {
    size_t end = offset;
    while (end < length) {
        const bool plain = is_ascii_letter(text[end]) || is_digit(text[end]) || text[end] == '.';
        const size_t n = plain ? 1 : foreign_letter(text, length, end);
        if (n == 0)
            break;
        end += n;
    }
    return (ib_token){.kind = IB_TOKEN_NAME, .offset = offset, .length = end - offset};
}

/* True when an exponent was begun at the offset but has no digits. */
static bool is_torn_exponent(const char *text, size_t length, size_t offset) {
    if (offset >= length || (text[offset] != 'e' && text[offset] != 'E'))
        return false;
    offset++;
    if (offset < length && (text[offset] == '+' || text[offset] == '-'))
        return offset + 1 >= length || !is_digit(text[offset + 1]);
    return offset >= length || (!is_ascii_letter(text[offset]) && text[offset] != '.');
}

static ib_token lex_number(const char *text, size_t length, size_t offset) {
    double value = 0.0;
    const size_t n = ib_number_parse(text + offset, length - offset, &value), end = offset + n;
    if (n == 0)
        return bad(offset, 1, IB0402, "'.' stands alone", "a number has digits: 0.5");
    if (end < length && text[end] == '.')
        return bad(end, 1, IB0410, "a number has one decimal point", NULL);
    if (is_torn_exponent(text, length, end))
        return bad(offset, n + 1, IB0410, "the exponent of this number has no digits",
                   "for instance 1e-3");
    if (!isfinite(value))
        return bad(offset, n, IB0410, "this number is too large", "numbers go up to about 1.8e308");
    return (ib_token){.kind = IB_TOKEN_NUMBER, .offset = offset, .length = n, .value = value};
}

static ib_token lex_string(const char *text, size_t length, size_t offset) {
    const char *end = memchr(text + offset + 1, text[offset], length - offset - 1);
    if (!end)
        return bad(offset, 1, IB0405, "this quotation mark is not closed", NULL);
    return (ib_token){
        .kind = IB_TOKEN_STRING, .offset = offset, .length = (size_t)(end - text) + 1 - offset};
}

static ib_token lex_stranger(const char *text, size_t length, size_t offset) {
    const size_t k = stranger_at(text, length, offset);
    uint32_t point;
    const size_t n = decode(text, length, offset, &point);
    if (k < IB_COUNT(strangers))
        return bad(offset, strlen(strangers[k].text), IB0402, strangers[k].message,
                   strangers[k].suggestion);
    if (n == 0)
        return bad(offset, 1, IB0402, "this byte is not UTF-8 text", NULL);
    return bad(offset, n, IB0402, "this character does not belong in an expression", NULL);
}

ib_token ib_lex(const char *text, size_t length, size_t offset) {
    offset = skip_blanks(text, length, offset);
    ib_token token = {.kind = IB_TOKEN_END, .offset = offset};
    if (offset >= length)
        return token;
    const char c = text[offset];
    if (is_digit(c) || c == '.')
        return lex_number(text, length, offset);
    if (ib_lex_starts_name(text, length, offset))
        return lex_name(text, length, offset);
    if (c == '"' || c == '\'')
        return lex_string(text, length, offset);
    token.length = 1;
    token.kind = c == '(' ? IB_TOKEN_OPEN : c == ')' ? IB_TOKEN_CLOSE : IB_TOKEN_COMMA;
    if (c == '(' || c == ')' || c == ',')
        return token;
    for (size_t k = 0; k < IB_COUNT(operators); k++)
        if (starts_with(text, length, offset, operators[k].text))
            return (ib_token){.kind = IB_TOKEN_OPERATOR,
                              .offset = offset,
                              .length = strlen(operators[k].text),
                              .op = operators[k].op,
                              .turned = operators[k].turned};
    return lex_stranger(text, length, offset);
}
