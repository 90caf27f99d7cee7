/* mission_value: forms that many sections of a mission share - maps of maps, lists of maps, texts.
 */
#include "model/mission_internal.h"

bool ib_mission_open(ib_mission_reader *m, ib_section section, ib_yaml *node, ib_record *record) {
    return ib_record_open(m->l, section, NULL, node, record);
}

void *ib_mission_entries(ib_mission_reader *m, const char *key, ib_yaml *node, bool named,
                         size_t item, size_t *n) {
    const ib_yaml_kind wanted = named ? IB_YAML_MAP : IB_YAML_LIST;
    *n = 0;
    if (!node || (ib_is_null(node) && named))
        return NULL;
    if (node->kind != wanted) {
        ib_report_kind(m->l, key, node, named ? "a map of names" : "a list of maps");
        return NULL;
    }
    for (size_t i = 0; named && i < node->n; i++)
        ib_check_name(m->l, node->entries[i].key, node->entries[i].key->text);
    void *items = ib_arena_alloc(m->l->arena, node->n + 1, item);
    m->l->no_memory = m->l->no_memory || !items;
    *n = items ? node->n : 0;
    return items;
}

void ib_mission_texts(ib_mission_reader *m, const char *key, ib_yaml *node, const char ***texts,
                      size_t *n) {
    *n = 0;
    if (!node)
        return;
    const size_t wanted = node->kind == IB_YAML_LIST ? node->n : 1;
    const char **list = IB_ARENA_ARRAY(m->l->arena, wanted + 1, const char *);
    m->l->no_memory = m->l->no_memory || !list;
    for (size_t i = 0; list && i < wanted; i++)
        if (ib_read_text(m->l, key, node->kind == IB_YAML_LIST ? node->items[i] : node, &list[*n]))
            (*n)++;
    *texts = list;
}

ib_place ib_mission_place(ib_mission_reader *m, const ib_record *record, ib_key key) {
    return record->given[key] ? ib_node_place(m->l, record->given[key]) : record->place;
}

const ib_override *ib_mission_passed(ib_mission_reader *m, const char *key, ib_yaml *node,
                                     size_t *n) {
    *n = 0;
    if (!node)
        return NULL;
    if (node->kind != IB_YAML_MAP) {
        ib_report_kind(m->l, key, node, "a map of names and values");
        return NULL;
    }
    ib_override *list = IB_ARENA_ARRAY(m->l->arena, node->n + 1, ib_override);
    m->l->no_memory = m->l->no_memory || !list;
    for (size_t i = 0; list && i < node->n; i++) {
        list[*n].name = node->entries[i].key->text;
        if (ib_read_text(m->l, list[*n].name, node->entries[i].value, &list[*n].value))
            (*n)++;
    }
    return list;
}
