/* Reading modelDescription.xml: text to elements, with places.
 *
 * The parser is expat. Document type declarations are refused where they begin, so no entity is
 * ever declared or expanded. UTF-16 is turned into UTF-8 first, so that bytes of the text have
 * places. Elements mean something only where the table of elements.c knows them; all others are
 * passed over, nested as deep as they like, at no cost but the parser's.
 */
#include "fmi/reader.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FINDINGS 10000

/* ---- findings ------------------------------------------------------------------------------ */

static ib_place diag_place(ib_fmi_reader *reader, ib_fmi_place place) {
    if (!reader->n_findings++ && reader->diags)
        ib_diags_source(reader->diags, reader->name, reader->text, reader->length);
    return (ib_place){reader->name, place.line, place.column, 1};
}

void ib_fmi_find(ib_fmi_reader *reader, ib_fmi_gravity gravity, ib_diag_id id, ib_fmi_place place,
                 const char *format, ...) {
    const bool error = gravity == IB_FMI_UNUSABLE ||
                       (gravity == IB_FMI_AGAINST && reader->rigour == IB_FMU_STRICT);
    reader->unusable |= error;
    if (reader->n_findings > MOST_FINDINGS)
        return;
    const ib_place at = diag_place(reader, place);
    if (reader->n_findings > MOST_FINDINGS) {
        ib_diags_add(reader->diags, IB_WARNING, IB0220, at, "more findings are not shown");
        return;
    }
    ib_str message = {0};
    char buffer[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    ib_str_add(&message, buffer);
    ib_diags_add(reader->diags, error ? IB_ERROR : IB_WARNING, id, at, "%s",
                 message.failed ? "a finding" : message.data);
    ib_str_free(&message);
}

void *ib_fmi_no_memory(ib_fmi_reader *reader) {
    if (!reader->no_memory)
        ib_diags_add(reader->diags, IB_ERROR, IB0103, IB_NO_PLACE, "out of memory: '%s'",
                     reader->name);
    reader->no_memory = true;
    return NULL;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Moves the place over the bytes up to `byte`. */
static ib_fmi_place move_place(const ib_fmi_reader *reader, ib_fmi_place place, size_t byte) {
    for (; place.byte < byte; place.byte++) {
        const unsigned char c = (unsigned char)reader->text[place.byte];
        if (c == '\n') {
            place.line++;
            place.column = 1;
        } else if ((c & 0xC0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

ib_fmi_place ib_fmi_attribute_place(const ib_fmi_reader *reader, ib_fmi_place place,
                                    const char *attribute) {
    const size_t length = strlen(attribute);
    const char *text = reader->text;
    char quote = 0;
    for (size_t i = place.byte; place.line && i + length + 2 < reader->length; i++) {
        const char c = text[i];
        if (quote) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '>') {
            break;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (is_blank(c) && strncmp(text + i + 1, attribute, length) == 0) {
            size_t end = i + 1 + length;
            while (end < reader->length && is_blank(text[end]))
                end++;
            if (end < reader->length && text[end] == '=')
                return move_place(reader, place, i + 1);
        }
    }
    return place;
}

/* ---- the parser's calls -------------------------------------------------------------------- */

typedef struct parse {
    ib_fmi_reader *reader;
    XML_Parser parser;
} parse;

static ib_fmi_place here(const parse *p) {
    const long byte = XML_GetCurrentByteIndex(p->parser);
    return (ib_fmi_place){(uint32_t)XML_GetCurrentLineNumber(p->parser),
                          (uint32_t)XML_GetCurrentColumnNumber(p->parser) + 1,
                          byte > 0 ? (size_t)byte : 0};
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
    parse *p = user;
    ib_fmi_reader *reader = p->reader;
    if (reader->skipped) {
        reader->skipped++;
        return;
    }
    reader->element = name;
    reader->attributes = attributes;
    reader->taken = 0;
    reader->place = here(p);
    const ib_fmi_context parent = reader->depth ? reader->stack[reader->depth - 1] : IB_FMI_IN_FILE;
    const ib_fmi_context inside = ib_fmi_read_element(reader, parent);
    if (inside == IB_FMI_IN_NOTHING || reader->depth == IB_FMI_DEEPEST)
        reader->skipped = 1;
    else
        reader->stack[reader->depth++] = inside;
    if (reader->no_memory || (!reader->description->version && reader->unusable))
        XML_StopParser(p->parser, XML_FALSE);
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
    ib_fmi_reader *reader = ((parse *)user)->reader;
    (void)name;
    if (reader->skipped)
        reader->skipped--;
    else if (reader->depth)
        reader->depth--;
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal) {
    parse *p = user;
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    ib_fmi_find(p->reader, IB_FMI_UNUSABLE, IB1011, here(p),
                "a document type declaration has no place in a description");
    XML_StopParser(p->parser, XML_FALSE);
}

/* ---- the text ------------------------------------------------------------------------------ */

static uint32_t unit_at(const unsigned char *text, size_t i, bool big) {
    return big ? (uint32_t)text[i] << 8 | text[i + 1] : (uint32_t)text[i + 1] << 8 | text[i];
}

static void add_utf8(ib_str *text, uint32_t c) {
    if (c < 0x80) {
        ib_str_add_char(text, (char)c);
        return;
    }
    if (c >= 0x10000)
        ib_str_add_char(text, (char)(0xF0 | c >> 18));
    if (c >= 0x800)
        ib_str_add_char(
            text, (char)((c >= 0x10000 ? 0x80 : 0xE0) | (c >> 12 & (c >= 0x10000 ? 0x3F : 0xF))));
    ib_str_add_char(text,
                    (char)((c >= 0x800 ? 0x80 : 0xC0) | (c >> 6 & (c >= 0x800 ? 0x3F : 0x1F))));
    ib_str_add_char(text, (char)(0x80 | (c & 0x3F)));
}

/* UTF-16 as UTF-8; a lone surrogate becomes U+FFFD. */
static void convert(const unsigned char *text, size_t length, bool big, ib_str *out) {
    for (size_t i = 2; i + 1 < length; i += 2) {
        uint32_t c = unit_at(text, i, big);
        if (c >= 0xD800 && c < 0xDC00 && i + 3 < length) {
            const uint32_t low = unit_at(text, i + 2, big);
            if (low >= 0xDC00 && low < 0xE000) {
                c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
                i += 2;
            }
        }
        add_utf8(out, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
    }
}

/* Decodes what is not a superset of ASCII; true when that was done. */
static bool decode(ib_fmi_reader *reader, ib_str *decoded) {
    const unsigned char *text = (const unsigned char *)reader->text;
    if (reader->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        reader->text += 3;
        reader->length -= 3;
        return false;
    }
    const bool big = reader->length >= 2 && text[0] == 0xFE && text[1] == 0xFF;
    if (!big && !(reader->length >= 2 && text[0] == 0xFF && text[1] == 0xFE))
        return false;
    convert(text, reader->length, big, decoded);
    reader->text = decoded->data ? decoded->data : "";
    reader->length = decoded->length;
    return true;
}

static void run_parser(ib_fmi_reader *reader, bool decoded) {
    XML_Parser parser = XML_ParserCreate(decoded ? "UTF-8" : NULL);
    if (!parser) {
        ib_fmi_no_memory(reader);
        return;
    }
    parse p = {reader, parser};
    XML_SetUserData(parser, &p);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    const bool huge = reader->length > INT32_MAX;
    const enum XML_Status status =
        huge ? XML_STATUS_ERROR : XML_Parse(parser, reader->text, (int)reader->length, XML_TRUE);
    const enum XML_Error error = XML_GetErrorCode(parser);
    if (status == XML_STATUS_ERROR && error == XML_ERROR_NO_MEMORY)
        ib_fmi_no_memory(reader);
    else if (status == XML_STATUS_ERROR && error != XML_ERROR_ABORTED)
        ib_fmi_find(reader, IB_FMI_UNUSABLE, IB1010, here(&p), "malformed XML: %s",
                    huge ? "the text is too long" : XML_ErrorString(error));
    XML_ParserFree(parser);
}

/* ---- the whole ----------------------------------------------------------------------------- */

void ib_fmi_description_destroy(ib_fmi_description *description) {
    if (!description)
        return;
    for (size_t i = 0; i < description->n_types; i++)
        free(description->types[i].items);
    for (size_t i = 0; i < description->n_variables; i++) {
        free(description->variables[i].dimensions);
        free(description->variables[i].starts);
    }
    for (size_t i = 0; i < IB_FMI_STRUCTURES; i++)
        free(description->structure[i].list);
    for (size_t i = 0; i < IB_FMU_KINDS; i++)
        free(description->interfaces[i].sources);
    free(description->units);
    free(description->display_units);
    free(description->types);
    free(description->categories);
    free(description->variables);
    free(description->aliases);
    free(description->by_reference);
    ib_names_destroy(description->names);
    ib_arena_destroy(description->arena);
    free(description);
}

static ib_fmi_description *create(void) {
    ib_fmi_description *description = calloc(1, sizeof *description);
    if (!description)
        return NULL;
    description->arena = ib_arena_create();
    description->names = ib_names_create();
    if (description->arena && description->names)
        return description;
    ib_fmi_description_destroy(description);
    return NULL;
}

ib_status ib_fmi_description_read(const char *name, const char *text, size_t length,
                                  ib_fmu_rigour rigour, ib_diags *diags,
                                  ib_fmi_description **description) {
    ib_fmi_reader reader = {
        .name = name, .text = text, .length = length, .rigour = rigour, .diags = diags};
    ib_str decoded = {0};
    *description = NULL;
    reader.description = create();
    if (!reader.description) {
        ib_fmi_no_memory(&reader);
        return IB_NO_MEMORY;
    }
    reader.arena = reader.description->arena;
    if (diags)
        reader.name = ib_diags_file(diags, name);
    const bool converted = decode(&reader, &decoded);
    if (decoded.failed)
        ib_fmi_no_memory(&reader);
    else
        run_parser(&reader, converted);
    if (!reader.no_memory && reader.description->version)
        ib_fmi_check(&reader);
    ib_str_free(&decoded);
    if (!reader.no_memory && !reader.unusable && reader.description->version) {
        *description = reader.description;
        return IB_OK;
    }
    ib_fmi_description_destroy(reader.description);
    return reader.no_memory ? IB_NO_MEMORY : IB_BAD_INPUT;
}
