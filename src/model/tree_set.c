/* tree_set: values from outside, by `--set NAME=VALUE`, put into the tree of a mission or a network
 * before it is read, so that they are checked like what the file says.
 *
 * A name is a path of keys and names, `vehicles.rocket.drag_area`; or short for one, as
 * PLANT.PARAMETER is for plants.PLANT.parameters.PARAMETER. A value counts as a file of its own
 * that is called after the option.
 */
#include "model/mission_internal.h"

#include <string.h>

/* One of them on its way through the tree. */
typedef struct setter {
    ib_mission_reader *m;
    const ib_set_language *language;
    const char *name; /* the path, in full */
    size_t at;        /* where its next segment begins */
    ib_yaml *key, *value;
    ib_place place;
} setter;

/* ---- the value as a tree ---- */

/* Nodes know that they are of another text. */
static void mark(ib_yaml *node, const ib_source *source) {
    node->source = source;
    for (size_t i = 0; i < node->n; i++)
        if (node->kind == IB_YAML_LIST) {
            mark(node->items[i], source);
        } else {
            mark(node->entries[i].key, source);
            mark(node->entries[i].value, source);
        }
}

/* Reads "NAME: VALUE"; false once it was said what is wrong. */
static bool open_value(ib_mission_reader *m, const ib_override *o, setter *s) {
    ib_loader *l = m->l;
    const char *file = ib_arena_printf(l->arena, "--set %s", o->name);
    const char *text = ib_arena_printf(l->arena, "%s: %s", o->name, o->value);
    ib_source *source = IB_ARENA_NEW(l->arena, ib_source);
    ib_yaml *root = NULL;
    if (!file || !text || !source ||
        !ib_source_create(l->arena, file, text, strlen(text), source)) {
        l->no_memory = true;
        return false;
    }
    ib_diags_source(l->diags, file, text, source->length);
    if (ib_yaml_parse(l->arena, source, l->diags, &root) != IB_OK)
        return false;
    mark(root, source);
    s->m = m;
    s->place = (ib_place){file, 1, 1, (uint32_t)strlen(o->name)};
    if (root->kind == IB_YAML_MAP && root->n == 1 &&
        strcmp(root->entries[0].key->text, o->name) == 0) {
        s->key = root->entries[0].key;
        s->value = root->entries[0].value;
        return true;
    }
    ib_report_place(l, IB0314, s->place, "'%s' is no path of names with points between", o->name);
    return false;
}

/* ---- the tree ---- */

static void *keep(setter *s, void *memory) {
    s->m->l->no_memory = s->m->l->no_memory || !memory;
    return memory;
}

/* A map of its own, with room for one entry more: aliases of the old one stay what they are. */
static ib_yaml *own_map(setter *s, const ib_yaml *old) {
    ib_arena *arena = s->m->l->arena;
    ib_yaml *map = keep(s, IB_ARENA_NEW(arena, ib_yaml));
    const bool is_map = old && old->kind == IB_YAML_MAP;
    const size_t n = is_map ? old->n : 0;
    ib_yaml_entry *entries = keep(s, IB_ARENA_ARRAY(arena, n + 1, ib_yaml_entry));
    if (!map || !entries)
        return NULL;
    *map = is_map ? *old : *s->key;
    if (n > 0)
        memcpy(entries, old->entries, n * sizeof *entries);
    map->kind = IB_YAML_MAP;
    map->entries = entries;
    map->n = n;
    return map;
}

/* The entry of that key, which is added when it is new; its node tells where the user wrote it. */
static ib_yaml_entry *entry_of(setter *s, ib_yaml *map, const char *key) {
    for (size_t i = 0; i < map->n; i++)
        if (strcmp(map->entries[i].key->text, key) == 0)
            return &map->entries[i];
    ib_yaml *node = keep(s, IB_ARENA_NEW(s->m->l->arena, ib_yaml));
    if (!node)
        return NULL;
    *node = *s->key;
    node->text = key;
    node->length = strlen(key);
    map->entries[map->n] = (ib_yaml_entry){node, s->value};
    return &map->entries[map->n++];
}

/* ---- the path ---- */

/* The next segment, which is passed; NULL at the end. */
static const char *next_segment(setter *s) {
    const char *from = s->name + s->at;
    const size_t n = strcspn(from, ".");
    if (n == 0)
        return NULL;
    s->at += n + (from[n] == '.');
    return keep(s, ib_arena_strndup(s->m->l->arena, from, n));
}

static bool ends(const setter *s) { return s->name[s->at] == '\0'; }

static bool refuse(setter *s, const char *what, const char *name, const ib_yaml *map) {
    ib_loader *l = s->m->l;
    const size_t n = map ? map->n : 0;
    const char **names = keep(s, IB_ARENA_ARRAY(l->arena, n + 1, const char *));
    if (!names || !ib_report_place(l, IB0314, s->place, "there is no %s '%s'", what, name))
        return false;
    for (size_t i = 0; i < n; i++)
        names[i] = map->entries[i].key->text;
    ib_suggest_name(l, name, names, n);
    return false;
}

/* Puts the value where the rest of the path leads from this map; *slot becomes a map of its own. */
static bool put_in(setter *s, ib_section section, ib_yaml **slot);

/* An entry of a map of names: what it holds has to be there, but for topics, which need not be
 * written to exist. */
static bool put_named(setter *s, ib_section section, ib_yaml **slot) {
    ib_yaml *map = *slot = own_map(s, *slot);
    const char *name = map ? next_segment(s) : NULL;
    if (!name)
        return false;
    if (!ib_yaml_get(map, name) && section != IB_SECTION_topic)
        return refuse(s, ib_sections[section].one, name, map);
    ib_yaml_entry *entry = entry_of(s, map, name);
    if (!entry)
        return false;
    if (!ends(s))
        return put_in(s, section, &entry->value);
    entry->value = s->value;
    return true;
}

/* All that is left is one name. */
static bool put_rest(setter *s, ib_yaml **slot) {
    ib_yaml *map = *slot = own_map(s, *slot);
    ib_yaml_entry *entry = map ? entry_of(s, map, s->name + s->at) : NULL;
    if (entry)
        entry->value = s->value;
    return entry;
}

static bool put_in(setter *s, ib_section section, ib_yaml **slot) {
    const size_t start = s->at;
    ib_yaml *map = *slot = own_map(s, *slot);
    const char *name = map ? next_segment(s) : NULL;
    if (!name)
        return false;
    const ib_key key = ib_key_find(section, name);
    if (key == IB_KEY_COUNT &&
        section == IB_SECTION_device) { /* a parameter, perhaps with points */
        s->at = start;
        return put_rest(s, slot);
    }
    ib_yaml_entry *entry = entry_of(s, map, name);
    if (!entry)
        return false;
    if (ends(s)) {
        entry->value = s->value;
        return true;
    }
    if (key != IB_KEY_COUNT && ib_keys[key].kind == IB_KIND_RECORD)
        return put_in(s, ib_section_named(ib_keys[key].values), &entry->value);
    if (key != IB_KEY_COUNT && ib_keys[key].kind == IB_KIND_RECORDS)
        return put_named(s, ib_section_named(ib_keys[key].values), &entry->value);
    if (key != IB_KEY_COUNT &&
        (ib_keys[key].kind == IB_KIND_PASSED || ib_keys[key].kind == IB_KIND_SETTINGS ||
         ib_keys[key].kind == IB_KIND_WIRES))
        return put_rest(s, &entry->value);
    ib_report_place(s->m->l, IB0314, s->place, "%s '%s' has no parts that could be set",
                    key == IB_KEY_COUNT ? "the key" : "what is under", name);
    return false;
}

/* ---- short names ---- */

static bool holds(const ib_yaml *root, const char *section, const char *name) {
    const ib_yaml *map = ib_yaml_get(root, section);
    return map && map->kind == IB_YAML_MAP && ib_yaml_get(map, name);
}

/* The path in full; NULL once it was said what is wrong. */
static const char *full_path(setter *s, const ib_yaml *root, const char *name) {
    const ib_set_language *language = s->language;
    ib_loader *l = s->m->l;
    const size_t n = strcspn(name, ".");
    const char *first = keep(s, ib_arena_strndup(l->arena, name, n));
    if (!first || ib_key_find(language->root, first) != IB_KEY_COUNT)
        return first ? name : NULL;
    for (size_t i = 0; name[n] && i < language->n_shorts; i++)
        if (holds(root, language->shorts[i].map, first))
            return keep(s, ib_arena_printf(l->arena, "%s.%s.%s%s", language->shorts[i].map, first,
                                           language->shorts[i].part, name + n));
    if (!ib_report_place(l, IB0314, s->place, "a %s has no '%s' to set", language->what, name))
        return NULL;
    if (name[n] && language->longer && holds(root, language->longer, first))
        ib_diags_suggest(l->diags, "write %s.%s", language->longer, name);
    else
        ib_diags_suggest(l->diags, "names are %s", language->names);
    return NULL;
}

void ib_tree_set(ib_mission_reader *m, const ib_set_language *language,
                 const ib_override *overrides, size_t n) {
    ib_yaml **root = &m->l->document->file->root;
    if (!*root || (*root)->kind != IB_YAML_MAP)
        return;
    for (size_t i = 0; i < n && ib_going_on(m->l); i++) {
        setter s = {.language = language};
        if (!open_value(m, &overrides[i], &s))
            continue;
        s.name = full_path(&s, *root, overrides[i].name);
        if (s.name)
            put_in(&s, language->root, root);
    }
}
