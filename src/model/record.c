/* record: the keys of one map, sorted by the schema's table.
 *
 * What does not belong is reported here for every section alike: unknown keys with the nearest
 * spelling, keys of other types, keys and types of later versions, keys that are missing.
 */
#include "model/model_internal.h"

#include <string.h>

/* "joint 'hinge'", for messages. */
static const char *element_text(ib_loader *l, const ib_record *r) {
    const char *one = ib_sections[r->section].one;
    if (r->name[0] == '\0')
        return one;
    const char *text = ib_arena_printf(l->arena, "%s '%s'", one, r->name);
    return text ? text : one;
}

static uint32_t type_bit(const ib_record *r) {
    return r->type ? UINT32_C(1) << r->type->value : UINT32_MAX;
}

/* ---- the type ---- */

static void suggest_type(ib_loader *l, ib_section section, const char *wanted) {
    const char *names[64] = {NULL};
    size_t n = 0;
    for (size_t i = 0; i < ib_type_count && n < IB_COUNT(names); i++) {
        if (ib_types[i].section == section)
            names[n++] = ib_types[i].name;
    }
    if (ib_suggest_name(l, wanted, names, n))
        return;
    ib_str list = {0};
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == section && !ib_types[i].later)
            ib_str_printf(&list, "%s%s", list.length > 0 ? ", " : "", ib_types[i].name);
    }
    if (!list.failed && list.length > 0)
        ib_diags_suggest(l->diags, "the types are %s", list.data);
    ib_str_free(&list);
}

/* The type that a scalar names, or NULL after saying why not. */
static const ib_type_def *read_type(ib_loader *l, const ib_record *r, ib_yaml *node) {
    const char *one = ib_sections[r->section].one;
    if (node->kind != IB_YAML_SCALAR || node->length == 0) {
        ib_report_kind(l, "type", node, "the name of a type");
        return NULL;
    }
    const ib_type_def *type = ib_type_find(r->section, node->text);
    if (!type) {
        if (ib_report(l, IB0215, node, "type: there is no %s type '%s'", one, node->text))
            suggest_type(l, r->section, node->text);
        return NULL;
    }
    if (type->later) {
        ib_report(l, IB0213, node, "type: the %s type '%s' is not yet supported", one, type->name);
        return NULL;
    }
    return type;
}

/* ---- the keys ---- */

/* `mass` at the top, or `end` beside `simulation`: a key of another place. */
static bool suggest_section(ib_loader *l, const ib_record *r, const char *wanted) {
    ib_str list = {0};
    size_t n = 0;
    for (size_t i = 0; i < IB_SECTION_COUNT; i++) {
        const ib_section section = (ib_section)i;
        if (section == r->section || ib_section_file(section) != ib_section_file(r->section) ||
            ib_key_find(section, wanted) == IB_KEY_COUNT)
            continue;
        ib_str_printf(&list, "%s%s", n++ ? ", " : "", ib_sections[i].one);
    }
    const bool told = n > 0 && n <= 3 && !list.failed;
    if (told)
        ib_diags_suggest(l->diags, "it is a key of %s", list.data);
    ib_str_free(&list);
    return told;
}

static void suggest_key(ib_loader *l, ib_record *r, const char *wanted) {
    const char *names[IB_KEY_COUNT];
    size_t n = 0;
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        if (ib_keys[i].section == r->section && (ib_keys[i].types & type_bit(r)))
            names[n++] = ib_keys[i].name;
    }
    const char *nearest = ib_suggest_name(l, wanted, names, n);
    if (nearest) {
        r->meant[ib_key_find(r->section, nearest)] = true;
        return;
    }
    if (suggest_section(l, r, wanted))
        return;
    ib_str list = {0};
    for (size_t i = 0; i < n; i++)
        ib_str_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    if (!list.failed && n > 0)
        ib_diags_suggest(l->diags, "the keys here are %s", list.data);
    ib_str_free(&list);
}

/* `mass:1` is a key of its own to YAML. */
static bool suggest_space(ib_loader *l, ib_record *r, const char *wanted) {
    const char *colon = strchr(wanted, ':');
    const char *name = colon ? ib_arena_strndup(l->arena, wanted, (size_t)(colon - wanted)) : NULL;
    const ib_key key = name ? ib_key_find(r->section, name) : IB_KEY_COUNT;
    if (key == IB_KEY_COUNT)
        return false;
    r->meant[key] = true;
    ib_diags_suggest(l->diags, "a space is missing after the colon: '%s: %s'", name, colon + 1);
    return true;
}

static bool is_short(const ib_yaml *node) {
    return node->kind == IB_YAML_SCALAR && node->length < 30;
}

/* `axis` where an orientation is wanted: it is the direction of its z. */
static bool suggest_axis(ib_loader *l, ib_record *r, const char *wanted, const ib_yaml *value) {
    const ib_key key = ib_key_find(r->section, "orientation");
    const bool meant =
        strcmp(wanted, "axis") == 0 && key != IB_KEY_COUNT && (ib_keys[key].types & type_bit(r));
    if (!meant)
        return false;
    r->meant[key] = true;
    const bool plain = value->kind == IB_YAML_LIST && value->n == 3 && is_short(value->items[0]) &&
                       is_short(value->items[1]) && is_short(value->items[2]);
    if (plain)
        ib_diags_suggest(
            l->diags,
            "it turns about the z-axis of 'orientation': write orientation: {z: [%s, %s, %s]}",
            value->items[0]->text, value->items[1]->text, value->items[2]->text);
    else
        ib_diags_suggest(l->diags, "it turns about the z-axis of 'orientation': {z: [x, y, z]}");
    return true;
}

static void report_unknown(ib_loader *l, ib_record *r, ib_yaml *key, const ib_yaml *value) {
    const ib_later_def *later = ib_later_find(r->section, key->text);
    if (later) {
        ib_report(l, IB0213, key, "the key '%s' is not yet supported: %s", key->text,
                  later->meaning);
        return;
    }
    if (ib_report(l, IB0210, key, "%s has no key '%s'", element_text(l, r), key->text) &&
        !suggest_space(l, r, key->text) && !suggest_axis(l, r, key->text, value))
        suggest_key(l, r, key->text);
}

/* A key of other types; those are suggested. */
static void report_misplaced(ib_loader *l, const ib_record *r, ib_key found, ib_yaml *key) {
    if (!ib_report(l, IB0214, key, "a %s of type %s does not use the key '%s'",
                   ib_sections[r->section].one, r->type->name, key->text))
        return;
    ib_str list = {0};
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == r->section && !ib_types[i].later &&
            (ib_keys[found].types & UINT32_C(1) << ib_types[i].value))
            ib_str_printf(&list, "%s%s", list.length > 0 ? ", " : "", ib_types[i].name);
    }
    if (!list.failed && list.length > 0)
        ib_diags_suggest(l->diags, "it belongs to %s", list.data);
    ib_str_free(&list);
}

static void sort_entry(ib_loader *l, ib_record *r, const ib_yaml_entry *entry) {
    const ib_key key = ib_key_find(r->section, entry->key->text);
    r->told = r->told || entry->key->reported;
    if (key == IB_KEY_COUNT)
        report_unknown(l, r, entry->key, entry->value);
    else if (!(ib_keys[key].types & type_bit(r)))
        report_misplaced(l, r, key, entry->key);
    else
        r->given[key] = entry->value;
}

/* Keys that are not there in any spelling. */
static void report_missing(ib_loader *l, const ib_record *r) {
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        if (ib_keys[i].section == r->section && (ib_keys[i].required & type_bit(r)) && !r->given[i])
            ib_record_need(l, r, ib_keys[i].name);
    }
}

void ib_record_only_with(ib_loader *l, ib_record *r, ib_key key, ib_key with) {
    if (r->given[key] && !r->given[with])
        ib_report(l, IB0214, r->given[key], "'%s' has a meaning only with '%s'", ib_keys[key].name,
                  ib_keys[with].name);
}

void ib_record_need(ib_loader *l, const ib_record *r, const char *needed) {
    const ib_key key = ib_key_find(r->section, needed);
    if (r->told || (key != IB_KEY_COUNT && r->meant[key]))
        return;
    if (key == IB_KEY_top_ironbird || key == IB_KEY_mission_ironbird ||
        key == IB_KEY_network_ironbird) {
        if (ib_report_place(l, IB0219, r->place, "the version of the language is missing"))
            ib_diags_suggest(l->diags, "begin the file with the line 'ironbird: 1'");
        return;
    }
    ib_report_place(l, IB0211, r->place, "%s needs '%s'", element_text(l, r), needed);
}

bool ib_record_open(ib_loader *l, ib_section section, const ib_yaml *key, ib_yaml *map,
                    ib_record *r) {
    *r = (ib_record){.section = section, .name = key ? key->text : ""};
    r->place = key ? ib_node_place(l, key)
               : section == IB_SECTION_top || section == IB_SECTION_mission ||
                       section == IB_SECTION_network
                   ? (ib_place){l->source.file, 1, 1, 1}
                   : ib_node_place(l, map);
    if (map->kind != IB_YAML_MAP) {
        ib_report_kind(l, key ? r->name : ib_sections[section].many, map, "a map");
        return false;
    }
    ib_yaml *type = ib_section_has_types(section) ? ib_yaml_get(map, "type") : NULL;
    const bool typed_by_default = section == IB_SECTION_spline || section == IB_SECTION_table;
    if (type) {
        r->type = read_type(l, r, type);
        if (!r->type)
            return false;
    } else if (ib_section_has_types(section) && !typed_by_default) {
        ib_record_need(l, r, "type");
        return false;
    }
    for (size_t i = 0; i < map->n && ib_going_on(l); i++)
        sort_entry(l, r, &map->entries[i]);
    report_missing(l, r);
    return true;
}

bool ib_record_take(ib_loader *l, ib_record *r, ib_key key, void *out) {
    if (!r->given[key] || r->bad[key])
        return false;
    r->bad[key] = !ib_read_value(l, &ib_keys[key], r->given[key], out);
    return !r->bad[key];
}

void ib_record_read(ib_loader *l, ib_record *r, void *target) {
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        if (r->given[i] && ib_keys[i].offset != IB_NOWHERE)
            ib_record_take(l, r, (ib_key)i, (char *)target + ib_keys[i].offset);
    }
}

bool ib_record_has(const ib_record *r, ib_key key) { return r->given[key] && !r->bad[key]; }

void ib_record_exclude(ib_loader *l, ib_record *r, ib_key kept, ib_key refused,
                       const char *reason) {
    if (!r->given[kept] || !r->given[refused])
        return;
    ib_report(l, IB0222, r->given[refused], "'%s' and '%s' exclude each other: %s",
              ib_keys[refused].name, ib_keys[kept].name, reason);
    r->bad[refused] = true;
}

void ib_check_positive(ib_loader *l, const ib_record *r, ib_key key, double value) {
    if (ib_record_has(r, key) && !(value > 0))
        ib_report(l, IB0607, r->given[key], "%s: %.6g is not greater than 0", ib_keys[key].name,
                  value);
}

void ib_check_not_negative(ib_loader *l, const ib_record *r, ib_key key, double value) {
    if (ib_record_has(r, key) && value < 0)
        ib_report(l, IB0607, r->given[key], "%s: %.6g is negative", ib_keys[key].name, value);
}
