/* mission_event: what a mission does when an expression crosses zero. */
#include "model/mission_internal.h"

/* One thing to do: the one key that is given. */
static bool read_action(ib_mission_reader *m, ib_yaml *node, ib_action_spec *action) {
    static const struct {
        ib_key key;
        ib_action_kind kind;
        ib_section section; /* of its map; IB_SECTION_COUNT: none */
    } kinds[] = {
        {IB_KEY_action_mark, IB_DO_MARK, IB_SECTION_COUNT},
        {IB_KEY_action_stop, IB_DO_STOP, IB_SECTION_COUNT},
        {IB_KEY_action_transition, IB_DO_TRANSITION, IB_SECTION_transition},
        {IB_KEY_action_separate, IB_DO_SEPARATE, IB_SECTION_separate},
        {IB_KEY_action_start, IB_DO_START, IB_SECTION_engine},
        {IB_KEY_action_shutdown, IB_DO_SHUTDOWN, IB_SECTION_engine},
        {IB_KEY_action_set, IB_DO_SET, IB_SECTION_set},
    };
    ib_record r, inner;
    ib_do_spec plain = {0};
    size_t found = IB_COUNT(kinds), n = 0;
    const size_t before = ib_diags_errors(m->l->diags);
    if (!ib_mission_open(m, IB_SECTION_action, node, &r))
        return false;
    ib_record_read(m->l, &r, &plain);
    for (size_t i = 0; i < IB_COUNT(kinds); i++)
        if (r.given[kinds[i].key]) {
            found = i;
            n++;
        }
    if (n != 1) {
        if (ib_diags_errors(m->l->diags) == before)
            ib_report(m->l, IB0222, node, "do: each entry has one key, this has %zu", n);
        return false;
    }
    *action = (ib_action_spec){.kind = kinds[found].kind,
                               .mark = plain.mark,
                               .vehicle = "",
                               .to = "",
                               .place = ib_node_place(m->l, r.given[kinds[found].key])};
    if (kinds[found].section == IB_SECTION_COUNT)
        return true;
    if (!ib_mission_open(m, kinds[found].section, r.given[kinds[found].key], &inner))
        return false;
    ib_record_read(m->l, &inner, action);
    return true;
}

static void read_actions(ib_mission_reader *m, ib_yaml *node, ib_event_spec *event) {
    size_t n;
    ib_action_spec *list = ib_mission_entries(m, "do", node, false, sizeof *list, &n);
    event->actions = list;
    for (size_t i = 0; i < n; i++)
        event->n_actions += read_action(m, node->items[i], &list[event->n_actions]);
}

void ib_mission_events(ib_mission_reader *m, ib_yaml *node) {
    ib_record r;
    ib_event_spec *list =
        ib_mission_entries(m, "events", node, false, sizeof *list, &m->mission->n_events);
    m->mission->events = list;
    for (size_t i = 0; i < m->mission->n_events; i++) {
        list[i] = (ib_event_spec){.name = "", .place = ib_node_place(m->l, node->items[i])};
        if (!ib_mission_open(m, IB_SECTION_event, node->items[i], &r))
            continue;
        ib_record_read(m->l, &r, &list[i]);
        ib_yaml *when = r.given[IB_KEY_event_when];
        if (when && ib_read_text(m->l, "when", when, &list[i].when.text))
            list[i].when.place = ib_marks_place(ib_node_source(m->l, when), when, 0, when->length);
        read_actions(m, r.given[IB_KEY_event_do], &list[i]);
    }
}
