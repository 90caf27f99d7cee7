/* schema_text: the schema's table as the reference for people (Markdown).
 *
 * docs/model-reference.md is this text; a test compares them. Types and keys are links to small
 * models in docs/keys, which a test runs (test/docs/test_keys.py).
 */
#include "model/schema.h"

#include <string.h>

/* Text in a cell of a table, where '|' would end it. */
static void add_cell(ib_str *text, const char *cell) {
    for (; *cell != '\0'; cell++) {
        if (*cell == '|')
            ib_str_add_char(text, '\\');
        ib_str_add_char(text, *cell);
    }
}

/* A word that leads to the model which shows it: one for each type, or one for a section without
 * types. */
static void add_link(ib_str *text, const char *word, ib_section section, const char *type) {
    const char *many = ib_sections[section].many;
    if (ib_section_file(section) != IB_FILE_MODEL) {
        ib_str_printf(text, "`%s`", word);
        return;
    }
    ib_str_printf(text, "[`%s`](keys/%s%s%s.yaml)", word, many[0] ? many : "model", type ? "/" : "",
                  type ? type : "");
}

/* The first of the types that use a key; NULL in a section without types. */
static const char *first_type(const ib_key_def *key) {
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == key->section && !ib_types[i].later &&
            ((key->types >> ib_types[i].value) & 1))
            return ib_types[i].name;
    }
    return NULL;
}

static void add_types(ib_str *text, ib_section section) {
    ib_str_add(text, "\n| type | meaning |\n| --- | --- |\n");
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section != section || ib_types[i].later)
            continue;
        ib_str_add(text, "| ");
        add_link(text, ib_types[i].name, section, ib_types[i].name);
        ib_str_add(text, " | ");
        add_cell(text, ib_types[i].meaning);
        ib_str_add(text, " |\n");
    }
    size_t n = 0;
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == section && ib_types[i].later)
            ib_str_printf(text, "%s`%s`", n++ ? ", " : "\nNot yet: ", ib_types[i].name);
    }
    ib_str_add(text, n ? ".\n" : "");
}

/* "number (kg)", "`x`, `y` or `z`". */
static void add_kind(ib_str *text, const ib_key_def *key) {
    const char *values = key->values;
    const char *word;
    size_t length;
    bool later;
    size_t n = 0;
    if (key->kind == IB_KIND_RECORD || key->kind == IB_KIND_RECORDS || key->kind == IB_KIND_LIST) {
        ib_str_printf(text, "[%s](#%s)", ib_kind_text(key->kind), values);
        return;
    }
    while (key->kind == IB_KIND_CHOICE && ib_choice_next(&values, &word, &length, &later)) {
        if (!later)
            ib_str_printf(text, "%s`%.*s`", n++ ? ", " : "", (int)length, word);
    }
    if (n == 0)
        ib_str_add(text, ib_kind_text(key->kind));
    const char *unit = ib_dimension_unit(key->dimension);
    const bool has_unit = unit[0] != '\0' && key->kind != IB_KIND_SECTION;
    if (has_unit)
        ib_str_printf(text, " (%s)", unit);
}

/* The types that use a key, unless all do. */
static void add_used_by(ib_str *text, const ib_key_def *key) {
    size_t n_used = 0;
    size_t n_types = 0;
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section != key->section || ib_types[i].later)
            continue;
        n_types++;
        n_used += (key->types >> ib_types[i].value) & 1;
    }
    if (n_used == n_types)
        return;
    ib_str_add(text, "*");
    size_t n = 0;
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == key->section && !ib_types[i].later &&
            ((key->types >> ib_types[i].value) & 1))
            ib_str_printf(text, "%s%s", n++ ? ", " : "", ib_types[i].name);
    }
    ib_str_add(text, ":* ");
}

/* "required" when every type that uses the key must have it. */
static void add_default(ib_str *text, const ib_key_def *key) {
    if (key->required == key->types)
        ib_str_add(text, "required");
    else if (key->required)
        ib_str_add(text, key->fallback[0] ? key->fallback : "required by some types");
    else
        ib_str_add(text, key->fallback[0] ? key->fallback : "absent");
}

static void add_keys(ib_str *text, ib_section section) {
    ib_str_add(text, "\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        if (ib_keys[i].section != section)
            continue;
        ib_str_add(text, "| ");
        add_link(text, ib_keys[i].name, section, first_type(&ib_keys[i]));
        ib_str_add(text, " | ");
        add_kind(text, &ib_keys[i]);
        ib_str_add(text, " | ");
        add_default(text, &ib_keys[i]);
        ib_str_add(text, " | ");
        add_used_by(text, &ib_keys[i]);
        add_cell(text, ib_keys[i].meaning);
        ib_str_add(text, " |\n");
    }
    size_t n = 0;
    for (size_t i = 0; i < ib_later_key_count; i++) {
        if (ib_later_keys[i].section == section)
            ib_str_printf(text, "%s`%s`", n++ ? ", " : "\nNot yet: ", ib_later_keys[i].name);
    }
    ib_str_add(text, n ? ".\n" : "");
}

static const char introduction[] =
    "# The model language: every key\n\n"
    "This page is written from the one table that also reads models, `src/model/schema.def`. Every "
    "type and every key leads to a small model that uses it and runs: "
    "`ironbird run docs/keys/joints/gear.yaml`.\n\n"
    "A model is one YAML document with `ironbird: 1` at its top. Values are in SI units and "
    "radians; "
    "frames are right-handed. A number may be written with a unit (`\"10 ms\"`, `\"5 deg\"`, "
    "`\"2 N*s/m\"`) or as an expression of parameters (`\"rho * pi * r^2\"`). Points, directions "
    "and "
    "orientations are global at t = 0. Directions may have any length but zero. Names are a letter "
    "followed by letters, digits and `_`. Names of bodies, joints, forces, sensors, drivers and "
    "outputs "
    "differ from each other; so do those of parameters, inputs, measures, splines and tables.\n";

static const char units_text[] =
    "\n## Units\n\n"
    "A number, a space, and one of these, or several with `*`, `/` and whole exponents "
    "(`kg*m^2`, `m/s^2`):\n\n";

static void add_units(ib_str *text) {
    ib_str_add(text, units_text);
    const char *symbol;
    for (size_t i = 0; (symbol = ib_unit_symbol(i)) != NULL; i++)
        ib_str_printf(text, "%s`%s`", i > 0 ? ", " : "", symbol);
    ib_str_add(text, ".\n");
}

static const char mission_introduction[] =
    "# The mission language: every key\n\n"
    "This page is written from the one table that also reads missions, `src/model/mission.def`. "
    "The "
    "parameters of devices are in [device-reference.md](device-reference.md).\n\n"
    "A mission is one YAML document with `ironbird: 1` and `mission: NAME` at its top. "
    "`ironbird check` "
    "reads and checks it, `ironbird run` flies it. Values are in SI units and radians; a number "
    "may "
    "be written with a unit (`\"10 ms\"`, `\"5 deg\"`, `\"30 km\"`). Paths are relative to the "
    "mission's file. Names are a letter followed by letters, digits and `_`.\n";

static const char network_introduction[] =
    "# The network language: every key\n\n"
    "This page is written from the one table that also reads networks, `src/model/network.def`. "
    "How networks are advanced is told in [networks.md](networks.md).\n\n"
    "A network is one YAML document with `ironbird: 1` and `network: NAME` at its top. Paths are "
    "relative to the network's file. Names are a letter followed by letters, digits and `_`.\n";

/* The sections of a kind of file, by their ids. */
static void add_sections(ib_str *text, ib_file_kind kind) {
    for (int i = 0; i < IB_SECTION_COUNT; i++) {
        const ib_section section = (ib_section)i;
        if (ib_section_file(section) != kind)
            continue;
        ib_str_printf(text, "\n## %s\n\n%s\n", ib_sections[i].id, ib_sections[i].meaning);
        if (ib_section_has_types(section))
            add_types(text, section);
        add_keys(text, section);
    }
}

ib_status ib_mission_schema_markdown(ib_str *text) {
    ib_str_add(text, mission_introduction);
    add_sections(text, IB_FILE_MISSION);
    return text->failed ? IB_NO_MEMORY : IB_OK;
}

ib_status ib_network_schema_markdown(ib_str *text) {
    ib_str_add(text, network_introduction);
    add_sections(text, IB_FILE_NETWORK);
    return text->failed ? IB_NO_MEMORY : IB_OK;
}

ib_status ib_schema_markdown(ib_str *text) {
    ib_str_add(text, introduction);
    for (int i = 0; i < IB_SECTION_mission; i++) {
        const ib_section section = (ib_section)i;
        const char *many = ib_sections[i].many;
        ib_str_printf(text, "\n## %s%s%s\n\n%s\n", many[0] ? "`" : "", many[0] ? many : "The file",
                      many[0] ? "`" : "", ib_sections[i].meaning);
        if (ib_section_has_types(section))
            add_types(text, section);
        add_keys(text, section);
    }
    add_units(text);
    return text->failed ? IB_NO_MEMORY : IB_OK;
}
