/* syntax: what libyaml complains about, in plain words with a hint.
 *
 * libyaml stops at its first complaint, so there is one of these for a text at most. A tab that
 * indents a line is looked for first: it is the usual cause and libyaml's words do not mention it.
 */
#include "model/yaml.h"

#include <string.h>

typedef struct complaint {
    const char *problem; /* part of libyaml's text */
    ib_diag_id id;
    const char *message;
    const char *suggestion; /* or NULL */
} complaint;

static const complaint complaints[] = {
    {"mapping values are not allowed", IB0201, "a ':' makes no sense here",
     "a text that contains ': ' needs quotes; otherwise check the indentation of this line"},
    {"did not find expected key", IB0201, "this line does not fit the lines above it",
     "keys of one map start in the same column"},
    {"did not find expected '-' indicator", IB0201, "this line does not fit the list above it",
     "items of one list start with '-' in the same column"},
    {"did not find expected ',' or '}'", IB0201, "a '}' or ',' is missing before this",
     "check that every '{' is closed"},
    {"did not find expected ',' or ']'", IB0201, "a ']' or ',' is missing before this",
     "check that every '[' is closed"},
    {"could not find expected ':'", IB0201, "a key without ': ' after it",
     "write 'key: value' with a space after the colon"},
    {"block sequence entries are not allowed", IB0201, "a '-' makes no sense here",
     "start the list on a line of its own"},
    {"block mapping", IB0201, "a map cannot start here", "check the indentation of this line"},
    {"found character that cannot start any token", IB0201, "this character cannot start a value",
     "put the value into quotes"},
    {"found unexpected end of stream", IB0201, "the file ends inside a quoted text",
     "close the quotes"},
    {"unexpected document indicator", IB0201, "'---' or '...' inside a quoted text", NULL},
    {"found unknown escape character", IB0201, "this backslash sequence means nothing in quotes",
     "use single quotes, or write '\\\\' for a backslash"},
    {"did not find expected hexdecimal number", IB0201, "hexadecimal digits are missing here",
     NULL},
    {"did not find expected node content", IB0201, "a value is missing here", NULL},
    {"did not find expected <document start>", IB0201, "this does not belong to the map above",
     "check the indentation of this line"},
    {"did not find expected alphabetic or numeric", IB0201,
     "a '&' or '*' must be followed by a name", "quote the text if it is not an anchor or alias"},
    {"control characters are not allowed", IB0221, "a control character stands here",
     "remove it; text files hold none"},
    {"invalid leading UTF-8 octet", IB0221, "the file is not UTF-8 text", NULL},
    {"invalid trailing UTF-8 octet", IB0221, "the file is not UTF-8 text", NULL},
    {"incomplete UTF-8 octet", IB0221, "the file is not UTF-8 text", NULL},
    {"invalid Unicode character", IB0221, "the file is not UTF-8 text", NULL},
    {"invalid length of a UTF-8", IB0221, "the file is not UTF-8 text", NULL},
    {"exceeded maximum nesting", IB0207, "lists and maps are nested too deep", NULL},
};

/* Offset of a tab among the blanks that start the line of `offset`, or SIZE_MAX. */
static size_t find_indenting_tab(const ib_source *source, size_t offset) {
    size_t start = offset < source->length ? offset : source->length;
    while (start > 0 && source->text[start - 1] != '\n')
        start--;
    for (; start < source->length; start++) {
        if (source->text[start] == '\t')
            return start;
        if (source->text[start] != ' ')
            break;
    }
    return SIZE_MAX;
}

static bool report_tab(const ib_source *source, ib_diags *diags, size_t offset) {
    const size_t tab = find_indenting_tab(source, offset);
    if (tab == SIZE_MAX)
        return false;
    ib_diags_add(diags, IB_ERROR, IB0202, ib_source_place(source, tab, tab + 1),
                 "a tab indents this line");
    ib_diags_suggest(diags, "YAML is indented with spaces");
    return true;
}

/* A value such as `"hard" + z`, of which YAML takes the quoted part alone. */
static bool report_after_quote(const ib_source *source, ib_diags *diags, size_t offset) {
    size_t before = offset < source->length ? offset : source->length;
    while (before > 0 && source->text[before - 1] == ' ')
        before--;
    if (before == 0 || (source->text[before - 1] != '"' && source->text[before - 1] != '\''))
        return false;
    ib_diags_add(diags, IB_ERROR, IB0201, ib_source_place(source, offset, offset + 1),
                 "the text goes on after the closing quote");
    ib_diags_suggest(diags, "quote the whole value; inside \" use ', and the other way round");
    return true;
}

void ib_yaml_syntax_error(const ib_source *source, ib_diags *diags, const char *problem,
                          size_t offset, size_t context) {
    const complaint *found = NULL;
    for (size_t i = 0; i < IB_COUNT(complaints) && !found; i++) {
        if (strstr(problem, complaints[i].problem))
            found = &complaints[i];
    }
    const bool is_form = !found || found->id == IB0201;
    const bool is_token = strstr(problem, "did not find expected") != NULL;
    if (is_form && (report_tab(source, diags, offset) ||
                    (context != SIZE_MAX && report_tab(source, diags, context))))
        return;
    if (is_token && report_after_quote(source, diags, offset))
        return;
    const ib_place place = ib_source_place(source, offset, offset + 1);
    ib_diags_add(diags, IB_ERROR, found ? found->id : IB0201, place, "%s",
                 found ? found->message : problem);
    if (context != SIZE_MAX && context < offset)
        ib_diags_note(diags, ib_source_place(source, context, context + 1),
                      "inside what starts here");
    if (found && found->suggestion)
        ib_diags_suggest(diags, "%s", found->suggestion);
}
