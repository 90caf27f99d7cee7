/* schema_json: the schema's table as a JSON schema (draft 2020-12) for editors.
 *
 * schema/model.schema.json and its siblings are these texts; tests compare them. It says
 * which keys exist where, of which kind their values are, and which are required; names and physics
 * are left to the reader.
 */
#include "model/schema.h"

#include <string.h>

/* Values by kind. A number may always be a text: with a unit, or an expression. */
static const char *kind_schema(ib_kind kind) {
    switch (kind) {
    case IB_KIND_ID:
    case IB_KIND_TEXT:
    case IB_KIND_BODY:
    case IB_KIND_FRAME_OF:
    case IB_KIND_MEASURE:
        return "{\"type\": [\"string\", \"number\"]}";
    case IB_KIND_TEXTS:
        return "{\"type\": [\"string\", \"array\"], \"items\": {\"type\": \"string\"}}";
    case IB_KIND_BOOLEAN:
        return "{\"type\": \"boolean\"}";
    case IB_KIND_COUNT:
        return "{\"type\": [\"integer\", \"string\"], \"minimum\": 0}";
    case IB_KIND_NUMBER:
    case IB_KIND_DURATION:
    case IB_KIND_LENGTH_OR_INITIAL:
    case IB_KIND_OFFSET:
    case IB_KIND_EXPRESSION:
        return "{\"$ref\": \"#/$defs/number\"}";
    case IB_KIND_LAW:
        return "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": "
               "6, "
               "\"maxItems\": 6}]}";
    case IB_KIND_NUMBERS:
        return "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2}";
    case IB_KIND_COLUMNS:
        return "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, "
               "\"maxItems\": 2}";
    case IB_KIND_TABLE_COLUMNS:
        return "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 3, "
               "\"maxItems\": 5}";
    case IB_KIND_AXES:
        return "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"$ref\": "
               "\"#/$defs/number\"}, \"minItems\": 2}, \"minItems\": 2, \"maxItems\": 4}";
    case IB_KIND_GRID:
        return "{\"type\": \"array\", \"items\": {\"type\": \"array\"}, \"minItems\": 2}";
    case IB_KIND_EVENTS:
        return "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/event\"}}";
    case IB_KIND_INCLUDES:
        return "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/include\"}}";
    case IB_KIND_PASSED:
        return "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}";
    case IB_KIND_SETTINGS:
        return "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"number\", "
               "\"string\", \"boolean\"]}}";
    case IB_KIND_WIRES:
        return "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}}";
    case IB_KIND_VECTOR:
    case IB_KIND_GLOBAL_VECTOR:
    case IB_KIND_DIRECTION:
    case IB_KIND_TRIPLE:
        return "{\"$ref\": \"#/$defs/vector\"}";
    case IB_KIND_POINT:
        return "{\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/vector\"}]}";
    case IB_KIND_PLANE:
        return "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/vector\"}, \"minItems\": 2, "
               "\"maxItems\": 2}";
    case IB_KIND_ORIENTATION:
        return "{\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/frame\"}]}";
    case IB_KIND_INERTIA:
        return "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 3, "
               "\"maxItems\": 6}";
    case IB_KIND_LOCK:
        return "{\"type\": \"array\", \"items\": {\"enum\": [\"x\", \"y\", \"z\", \"rx\", \"ry\", "
               "\"rz\"]}, \"minItems\": 1, \"uniqueItems\": true}";
    case IB_KIND_FRICTION:
        return "{\"$ref\": \"#/$defs/friction\"}";
    case IB_KIND_SEED:
        return "{\"type\": [\"integer\", \"string\"], \"minimum\": 0}";
    case IB_KIND_RATE:
        return "{\"$ref\": \"#/$defs/number\"}";
    case IB_KIND_GRAVITY:
        return "{\"anyOf\": [{\"enum\": [\"none\", \"inverse_square\", \"j2\"]}, {\"$ref\": "
               "\"#/$defs/vector\"}]}";
    case IB_KIND_RECORD:
    case IB_KIND_RECORDS:
    case IB_KIND_LIST:
    case IB_KIND_SECTION:
    case IB_KIND_MAP:
    case IB_KIND_TYPE:
    case IB_KIND_CHOICE:
        break;
    }
    return "{}";
}

static void add_string(ib_str *text, const char *string) {
    ib_str_add(text, "\"");
    ib_str_add_json(text, string);
    ib_str_add(text, "\"");
}

static void add_choice(ib_str *text, const ib_key_def *key) {
    const char *values = key->values;
    const char *word;
    size_t length;
    bool later;
    size_t n = 0;
    ib_str_add(text, "{\"enum\": [");
    while (ib_choice_next(&values, &word, &length, &later)) {
        if (!later)
            ib_str_printf(text, "%s\"%.*s\"", n++ ? ", " : "", (int)length, word);
    }
    ib_str_add(text, "]}");
}

static void add_types(ib_str *text, ib_section section) {
    size_t n = 0;
    ib_str_add(text, "{\"enum\": [");
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == section && !ib_types[i].later)
            ib_str_printf(text, "%s\"%s\"", n++ ? ", " : "", ib_types[i].name);
    }
    ib_str_add(text, "]}");
}

/* What one entry of a section at the top may be. */
static void add_entry_schema(ib_str *text, const char *key) {
    if (strcmp(key, "simulation") == 0 || strcmp(key, "air") == 0) {
        ib_str_printf(text, "{\"$ref\": \"#/$defs/%s\"}", key);
        return;
    }
    ib_str_add(text, "{\"type\": \"object\", \"additionalProperties\": ");
    const char *one = NULL;
    for (size_t i = 0; i < IB_SECTION_COUNT; i++) {
        if (strcmp(ib_sections[i].many, key) == 0)
            one = ib_sections[i].one;
    }
    if (one && (strcmp(one, "input") == 0 || strcmp(one, "output") == 0))
        ib_str_printf(
            text, "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/%s\"}]}", one);
    else if (one)
        ib_str_printf(text, "{\"$ref\": \"#/$defs/%s\"}", one);
    else
        ib_str_add(text, strcmp(key, "points") == 0 ? "{\"$ref\": \"#/$defs/vector\"}"
                                                    : "{\"$ref\": \"#/$defs/number\"}");
    ib_str_add(text, "}");
}

static void add_property(ib_str *text, const ib_key_def *key) {
    ib_str_add(text, "\n        ");
    add_string(text, key->name);
    ib_str_add(text, ": {\"description\": ");
    add_string(text, key->meaning);
    ib_str_add(text, ", \"allOf\": [");
    if (strcmp(key->name, "ironbird") == 0)
        ib_str_add(text, "{\"const\": 1}");
    else if (key->kind == IB_KIND_SECTION)
        add_entry_schema(text, key->name);
    else if (key->kind == IB_KIND_MAP || key->kind == IB_KIND_RECORD)
        ib_str_printf(text, "{\"$ref\": \"#/$defs/%s\"}", key->values);
    else if (key->kind == IB_KIND_RECORDS)
        ib_str_printf(text,
                      "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
                      "\"#/$defs/%s\"}}",
                      key->values);
    else if (key->kind == IB_KIND_LIST)
        ib_str_printf(text, "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}}",
                      key->values);
    else if (key->kind == IB_KIND_TYPE)
        add_types(text, key->section);
    else if (key->kind == IB_KIND_CHOICE)
        add_choice(text, key);
    else
        ib_str_add(text, kind_schema(key->kind));
    ib_str_add(text, "]}");
}

static void add_required(ib_str *text, ib_section section, uint32_t types) {
    size_t n = 0;
    ib_str_add(text, "\"required\": [");
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        if (ib_keys[i].section == section && (ib_keys[i].required & types) == types)
            ib_str_printf(text, "%s\"%s\"", n++ ? ", " : "", ib_keys[i].name);
    }
    ib_str_add(text, "]");
}

/* For each type: the keys that it uses and needs. */
static void add_conditions(ib_str *text, ib_section section) {
    bool first = true;
    ib_str_add(text, ",\n      \"allOf\": [");
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section != section || ib_types[i].later)
            continue;
        const uint32_t bit = UINT32_C(1) << ib_types[i].value;
        ib_str_printf(text,
                      "%s\n        {\"if\": {\"properties\": {\"type\": {\"const\": \"%s\"}}, "
                      "\"required\": [\"type\"]}, \"then\": {",
                      first ? "" : ",", ib_types[i].name);
        add_required(text, section, bit);
        ib_str_add(text, ", \"propertyNames\": {\"enum\": [");
        size_t n = 0;
        for (size_t k = 0; k < IB_KEY_COUNT; k++) {
            if (ib_keys[k].section == section && (ib_keys[k].types & bit))
                ib_str_printf(text, "%s\"%s\"", n++ ? ", " : "", ib_keys[k].name);
        }
        ib_str_add(text, "]}}}");
        first = false;
    }
    ib_str_add(text, "\n      ]");
}

/* The object of one section. */
static void add_object(ib_str *text, ib_section section) {
    bool first = true;
    /* A device has its parameters beside the keys of the table. */
    ib_str_printf(text,
                  "{\n      \"type\": \"object\",\n      \"additionalProperties\": %s,\n      ",
                  section == IB_SECTION_device ? "true" : "false");
    add_required(text, section, UINT32_MAX);
    ib_str_add(text, ",\n      \"description\": ");
    add_string(text, ib_sections[section].meaning);
    ib_str_add(text, ",\n      \"properties\": {");
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        if (ib_keys[i].section != section)
            continue;
        ib_str_add(text, first ? "" : ",");
        add_property(text, &ib_keys[i]);
        first = false;
    }
    ib_str_add(text, "\n      }");
    if (ib_section_has_types(section) && section != IB_SECTION_device)
        add_conditions(text, section);
    ib_str_add(text, "\n    }");
}

static const char head[] = "{\n"
                           "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                           "  \"title\": \"Ironbird %s\",\n"
                           "  \"$ref\": \"#/$defs/%s\",\n"
                           "  \"$defs\": {\n"
                           "    \"number\": {\"type\": [\"number\", \"string\"], \"description\": "
                           "\"A number, a number with a "
                           "unit, or an expression.\"},\n"
                           "    \"vector\": {\"type\": \"array\", \"items\": {\"$ref\": "
                           "\"#/$defs/number\"}, \"minItems\": 3, "
                           "\"maxItems\": 3}";

/* The sections of one kind of file. */
static ib_status add_file(ib_str *text, ib_file_kind kind, const char *name) {
    ib_str_printf(text, head, name, name);
    for (int i = 0; i < IB_SECTION_COUNT; i++) {
        const ib_section section = (ib_section)i;
        if (ib_section_file(section) != kind)
            continue;
        ib_str_printf(text, ",\n    \"%s\": ",
                      kind == IB_FILE_MODEL ? ib_sections[i].one : ib_sections[i].id);
        if (section == IB_SECTION_frame)
            ib_str_add(
                text,
                "{\"anyOf\": [{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
                "\"minItems\": 4, \"maxItems\": 4}, ");
        add_object(text, section);
        ib_str_add(text, section == IB_SECTION_frame ? "]}" : "");
    }
    ib_str_add(text, "\n  }\n}\n");
    return text->failed ? IB_NO_MEMORY : IB_OK;
}

ib_status ib_schema_json(ib_str *text) { return add_file(text, IB_FILE_MODEL, "model"); }

ib_status ib_mission_schema_json(ib_str *text) {
    return add_file(text, IB_FILE_MISSION, "mission");
}

ib_status ib_network_schema_json(ib_str *text) {
    return add_file(text, IB_FILE_NETWORK, "network");
}
