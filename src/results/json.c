/* A reader of JSON (RFC 8259), for the files that Ironbird itself writes.
 *
 * Values become a tree in an arena. Nesting is limited to 100 levels. Numbers are doubles and keep
 * their text; a repeated member is kept, and the first one is found.
 */
#include "results/results.h"

#include <string.h>

#define DEEPEST 100

typedef struct reader {
    ib_arena *arena;
    const char *name, *text, *at, *end;
    ib_diags *diags;
} reader;

static ib_json *value(reader *r, unsigned depth);

/* Reports what is wrong at the present place and returns NULL. */
static ib_json *wrong(reader *r, const char *what) {
    ib_place place = {ib_diags_file(r->diags, r->name), 1, 1, 1};
    for (const char *t = r->text; t < r->at; t++) {
        place.column++;
        if (*t == '\n') {
            place.line++;
            place.column = 1;
        }
    }
    ib_diags_add(r->diags, IB_ERROR, IB0808, place, "%s", what);
    return NULL;
}

static ib_json *out_of_memory(reader *r) {
    ib_diags_no_memory(r->diags);
    return NULL;
}

static void skip_space(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

static bool take(reader *r, char c) {
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* ---- strings ------------------------------------------------------------------------------- */

/* Four hexadecimal digits, or -1. */
static int32_t hexadecimal(reader *r) {
    int32_t code = 0;
    if (r->end - r->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char c = *r->at++;
        const char *digits = "0123456789abcdefABCDEF", *found = c ? strchr(digits, c) : NULL;
        if (!found)
            return -1;
        const int digit = (int)(found - digits);
        code = 16 * code + (digit > 15 ? digit - 6 : digit);
    }
    return code;
}

static void put_utf8(char **out, int32_t code) {
    char *o = *out;
    if (code < 0x80) {
        *o++ = (char)code;
    } else if (code < 0x800) {
        *o++ = (char)(0xc0 | code >> 6);
        *o++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *o++ = (char)(0xe0 | code >> 12);
        *o++ = (char)(0x80 | (code >> 6 & 0x3f));
        *o++ = (char)(0x80 | (code & 0x3f));
    } else {
        *o++ = (char)(0xf0 | code >> 18);
        *o++ = (char)(0x80 | (code >> 12 & 0x3f));
        *o++ = (char)(0x80 | (code >> 6 & 0x3f));
        *o++ = (char)(0x80 | (code & 0x3f));
    }
    *out = o;
}

/* The character of \uXXXX, with its second half where it is a surrogate; -1 when malformed. */
static int32_t unicode_escape(reader *r) {
    const int32_t first = hexadecimal(r);
    if (first < 0xd800 || first > 0xdfff)
        return first;
    if (first > 0xdbff || r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
        return -1;
    r->at += 2;
    const int32_t second = hexadecimal(r);
    if (second < 0xdc00 || second > 0xdfff)
        return -1;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

/* Behind a backslash. */
static bool escape(reader *r, char **out) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end)
        return false;
    const char c = *r->at++;
    if (c == 'u') {
        const int32_t code = unicode_escape(r);
        if (code <= 0) /* a zero would end the text */
            return false;
        put_utf8(out, code);
        return true;
    }
    const char *letter = c ? strchr(letters, c) : NULL;
    if (!letter)
        return false;
    *(*out)++ = meanings[letter - letters];
    return true;
}

/* The text behind an opening quote, or NULL after a diagnostic. */
static const char *string(reader *r) {
    const char *close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    char *text = ib_arena_alloc(r->arena, (size_t)(close - r->at) + 1, 1), *out = text;
    if (!text) {
        out_of_memory(r);
        return NULL;
    }
    while (r->at < r->end && *r->at != '"') {
        const char c = *r->at++;
        if ((unsigned char)c < 0x20 || (c == '\\' && !escape(r, &out))) {
            wrong(r, c == '\\' ? "there is no such escape in a JSON string"
                               : "a control character stands in a JSON string");
            return NULL;
        }
        if (c != '\\')
            *out++ = c;
    }
    if (r->at == r->end) {
        wrong(r, "a JSON string is not closed");
        return NULL;
    }
    r->at++;
    return text;
}

/* ---- values -------------------------------------------------------------------------------- */

static ib_json *new_value(reader *r, ib_json_kind kind) {
    ib_json *json = IB_ARENA_NEW(r->arena, ib_json);
    if (!json)
        return out_of_memory(r);
    json->kind = kind;
    return json;
}

static ib_json *number(reader *r) {
    const size_t sign = *r->at == '-';
    double result;
    const size_t left = (size_t)(r->end - r->at);
    const char *digits = r->at + sign;
    const bool starts = sign < left && *digits >= '0' && *digits <= '9';
    const size_t length = starts ? ib_number_parse(digits, left - sign, &result) : 0;
    if (!length)
        return wrong(r, "a JSON value was expected here");
    ib_json *json = new_value(r, IB_JSON_NUMBER);
    if (!json)
        return NULL;
    json->number = sign ? -result : result;
    json->text = ib_arena_strndup(r->arena, r->at, sign + length);
    r->at += sign + length;
    return json->text ? json : out_of_memory(r);
}

/* A member's name and its colon, or NULL after a diagnostic. */
static const char *member_name(reader *r) {
    if (!take(r, '"')) {
        wrong(r, "the name of a member, in quotes, was expected here");
        return NULL;
    }
    const char *name = string(r);
    if (name && !take(r, ':')) {
        wrong(r, "a colon was expected here");
        return NULL;
    }
    return name;
}

/* Behind the opening bracket of an array or an object. */
static ib_json *container(reader *r, ib_json_kind kind, unsigned depth) {
    const char closing = kind == IB_JSON_ARRAY ? ']' : '}';
    ib_json *json = new_value(r, kind), **tail = json ? &json->first : NULL;
    if (!json)
        return NULL;
    if (depth == DEEPEST)
        return wrong(r, "the values are nested more than 100 deep");
    if (take(r, closing))
        return json;
    do {
        const char *name = kind == IB_JSON_OBJECT ? member_name(r) : NULL;
        if (kind == IB_JSON_OBJECT && !name)
            return NULL;
        ib_json *member = value(r, depth + 1);
        if (!member)
            return NULL;
        member->name = name;
        *tail = member;
        tail = &member->next;
        json->length++;
    } while (take(r, ','));
    if (!take(r, closing))
        return wrong(r, kind == IB_JSON_ARRAY ? "a comma or ] was expected here"
                                              : "a comma or } was expected here");
    return json;
}

static bool take_word(reader *r, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static ib_json *value(reader *r, unsigned depth) {
    skip_space(r);
    if (r->at == r->end)
        return wrong(r, "the JSON text ends too early");
    if (take(r, '{'))
        return container(r, IB_JSON_OBJECT, depth);
    if (take(r, '['))
        return container(r, IB_JSON_ARRAY, depth);
    if (take(r, '"')) {
        ib_json *json = new_value(r, IB_JSON_STRING);
        if (json)
            json->text = string(r);
        return json && json->text ? json : NULL;
    }
    if (take_word(r, "null"))
        return new_value(r, IB_JSON_NULL);
    if (take_word(r, "true"))
        return new_value(r, IB_JSON_TRUE);
    if (take_word(r, "false"))
        return new_value(r, IB_JSON_FALSE);
    return number(r);
}

const ib_json *ib_json_parse(ib_arena *arena, const char *name, const char *text, size_t length,
                             ib_diags *diags) {
    reader r = {arena, name, text, text, text + length, diags};
    const ib_json *json = value(&r, 0);
    skip_space(&r);
    if (json && r.at < r.end)
        return wrong(&r, "something follows the end of the JSON text");
    return json;
}

/* ---- use ----------------------------------------------------------------------------------- */

const ib_json *ib_json_member(const ib_json *object, const char *name) {
    if (!object || object->kind != IB_JSON_OBJECT)
        return NULL;
    for (const ib_json *member = object->first; member; member = member->next)
        if (strcmp(member->name, name) == 0)
            return member;
    return NULL;
}

const char *ib_json_string(const ib_json *object, const char *name) {
    const ib_json *member = ib_json_member(object, name);
    return member && member->kind == IB_JSON_STRING ? member->text : NULL;
}

double ib_json_number(const ib_json *object, const char *name, double absent) {
    const ib_json *member = ib_json_member(object, name);
    return member && member->kind == IB_JSON_NUMBER ? member->number : absent;
}

static void print_string(const char *text, ib_str *out) {
    ib_str_add_char(out, '"');
    ib_str_add_json(out, text);
    ib_str_add_char(out, '"');
}

static void print_indent(ib_str *out, unsigned depth) {
    ib_str_add_char(out, '\n');
    for (unsigned i = 0; i < depth; i++)
        ib_str_add(out, "  ");
}

/* Recursion is as deep as the reader allows. */
static void print_value(const ib_json *json, ib_str *out, unsigned depth) {
    static const char *const words[] = {
        [IB_JSON_NULL] = "null", [IB_JSON_FALSE] = "false", [IB_JSON_TRUE] = "true"};
    const bool object = json->kind == IB_JSON_OBJECT;
    if (json->kind <= IB_JSON_TRUE) {
        ib_str_add(out, words[json->kind]);
    } else if (json->kind == IB_JSON_NUMBER) {
        ib_str_add(out, json->text);
    } else if (json->kind == IB_JSON_STRING) {
        print_string(json->text, out);
    } else if (!json->first) {
        ib_str_add(out, object ? "{}" : "[]");
    } else {
        for (const ib_json *member = json->first; member; member = member->next) {
            ib_str_add_char(out, member != json->first ? ',' : object ? '{' : '[');
            print_indent(out, depth + 1);
            if (object) {
                print_string(member->name, out);
                ib_str_add(out, ": ");
            }
            print_value(member, out, depth + 1);
        }
        print_indent(out, depth);
        ib_str_add_char(out, object ? '}' : ']');
    }
}

void ib_json_print(const ib_json *json, ib_str *text) { print_value(json, text, 0); }
