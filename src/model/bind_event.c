/* bind_event: instants at which expressions cross zero. */
#include "model/model_internal.h"

#include <string.h>

static ib_yaml *find_list(ib_loader *l, ib_document *document) {
    ib_enter(l, document);
    ib_yaml *root = document->file->root;
    return root->kind == IB_YAML_MAP ? ib_yaml_get(root, "events") : NULL;
}

static void check_name(ib_loader *l, const ib_record *r, size_t index) {
    const ib_crossing *event = &l->model->events[index];
    for (size_t i = 0; i < index; i++)
        if (l->model->events[i].name && strcmp(l->model->events[i].name, event->name) == 0 &&
            ib_report(l, IB0301, r->given[IB_KEY_crossing_name], "the name '%s' is used twice",
                      event->name))
            ib_diags_note(l->diags, l->model->events[i].place, "first used here");
}

static void bind_event(ib_loader *l, ib_yaml *map, size_t index) {
    ib_crossing *event = &l->model->events[index];
    ib_record r;
    *event = (ib_crossing){.place = ib_node_place(l, map), .when = {.node = IB_NO_NODE}};
    if (!ib_record_open(l, IB_SECTION_crossing, NULL, map, &r))
        return;
    ib_record_read(l, &r, event);
    if (ib_record_has(&r, IB_KEY_crossing_name))
        check_name(l, &r, index);
    if (r.given[IB_KEY_crossing_when])
        ib_expression_read(l, "when", r.given[IB_KEY_crossing_when], IB_DIM_ANY, IB_USE_LAW, NULL,
                           -1, &event->when, NULL);
}

/* Of the model's own file; in an included one they would be names of nobody's. */
void ib_bind_events(ib_loader *l) {
    ib_model *m = l->model;
    for (size_t i = 1; i < l->n_documents; i++) {
        ib_yaml *list = find_list(l, l->documents[i]);
        if (list && !l->documents[i]->repeated)
            ib_report(l, IB0213, list, "events: in an included file they are not yet supported");
    }
    ib_yaml *list = find_list(l, l->documents[0]);
    if (!list || ib_is_null(list))
        return;
    if (list->kind != IB_YAML_LIST) {
        ib_report_kind(l, "events", list, "a list of maps");
        return;
    }
    m->events = IB_ARENA_ARRAY(l->arena, list->n + 1, ib_crossing);
    l->no_memory = l->no_memory || !m->events;
    m->n_events = m->events ? list->n : 0;
    for (size_t i = 0; i < m->n_events && ib_going_on(l); i++)
        bind_event(l, list->items[i], i);
}

int ib_find_event(ib_loader *l, ib_yaml *node) {
    const ib_model *m = l->model;
    const char *name = NULL;
    if (!ib_read_text(l, "release", node, &name))
        return -1;
    for (size_t i = 0; i < m->n_events; i++)
        if (m->events[i].name && strcmp(m->events[i].name, name) == 0)
            return (int)i;
    const char **names = IB_ARENA_ARRAY(l->arena, m->n_events + 1, const char *);
    for (size_t i = 0; names && i < m->n_events; i++)
        names[i] = m->events[i].name ? m->events[i].name : "";
    if (ib_report(l, IB0336, node, "release: there is no event '%s'", name) && names)
        ib_suggest_name(l, name, names, m->n_events);
    return -1;
}
