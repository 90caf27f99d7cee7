/* yaml: from libyaml's events to a tree of nodes with places.
 *
 * Iterative, with a stack of IB_YAML_DEPTH open collections. Aliases share the node that they name,
 * so a tree never takes more memory than its text deserves, and how many nodes they stand for is
 * counted and limited. Tags, keys that are not plain names and more than one document are refused.
 */
#include "model/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* An open list or map and what is in it so far: items, or keys and values in turn. */
typedef struct frame {
    ib_yaml *node;
    ib_yaml **children;
    size_t n, capacity;
} frame;

typedef struct builder {
    ib_arena *arena;
    const ib_source *source;
    ib_diags *diags;
    yaml_parser_t parser;
    /* Where libyaml's count of characters stands in the source. */
    size_t index, byte, line, line_start;
    frame frames[IB_YAML_DEPTH];
    size_t depth;
    ib_names *anchor_names;
    ib_yaml **anchors;
    size_t n_anchors, anchor_capacity;
    size_t n_aliased; /* nodes that aliases stand for */
    ib_yaml *root;
    bool has_document;
} builder;

ib_place ib_yaml_place(const ib_source *source, const ib_yaml *node) {
    return (ib_place){
        .file = source->file, .line = node->line, .column = node->column, .length = node->width};
}

ib_yaml *ib_yaml_get(const ib_yaml *map, const char *key) {
    for (size_t i = 0; i < map->n; i++) {
        if (strcmp(map->entries[i].key->text, key) == 0)
            return map->entries[i].value;
    }
    return NULL;
}

/* ---- marks: libyaml counts characters, the source is bytes ---- */

static bool continues(const ib_source *source, size_t byte) {
    return byte < source->length && ((unsigned char)source->text[byte] & 0xC0) == 0x80;
}

static void step_forward(builder *b) {
    if (ib_source_ends_line(b->source, b->byte)) {
        b->line++;
        b->line_start = b->index + 1;
    }
    b->byte++;
    while (continues(b->source, b->byte))
        b->byte++;
    b->index++;
}

static void step_back(builder *b) {
    b->byte--;
    while (b->byte > 0 && continues(b->source, b->byte))
        b->byte--;
    b->index--;
    if (ib_source_ends_line(b->source, b->byte)) {
        b->line--;
        size_t n = 0;
        for (size_t i = b->source->lines[b->line]; i < b->byte; i++)
            n += !continues(b->source, i);
        b->line_start = b->index - n;
    }
}

/* Moves the cursor to a mark; marks come almost in order. */
static void move_cursor(builder *b, size_t index) {
    while (b->index < index && b->byte < b->source->length)
        step_forward(b);
    while (b->index > index && b->byte > 0)
        step_back(b);
}

static void set_place(builder *b, ib_yaml *node, const yaml_event_t *event) {
    move_cursor(b, event->start_mark.index);
    node->start = b->byte;
    node->line = (uint32_t)(b->line + 1);
    node->column = (uint32_t)(b->index - b->line_start + 1);
    const size_t first = b->index;
    const size_t line = b->line;
    move_cursor(b, event->end_mark.index);
    node->end = b->byte;
    node->width = b->line == line && b->index > first ? (uint32_t)(b->index - first) : 1;
}

/* ---- trouble ---- */

static ib_status refuse(const builder *b, ib_diag_id id, const ib_yaml *node, const char *message) {
    ib_diags_add(b->diags, IB_ERROR, id, ib_yaml_place(b->source, node), "%s", message);
    return IB_BAD_INPUT;
}

/* The byte of the source that stands behind libyaml's complaint. */
static size_t problem_offset(builder *b) {
    if (b->parser.error == YAML_READER_ERROR)
        return b->parser.problem_offset;
    move_cursor(b, b->parser.problem_mark.index);
    return b->byte;
}

static ib_status syntax_failure(builder *b) {
    if (b->parser.error == YAML_MEMORY_ERROR)
        return IB_NO_MEMORY;
    /* A comma inside a value often ends in such a complaint: `{f: step(t, 0, 0, 1, 1, "hard")}`. */
    if (b->depth > 0 && b->parser.error != YAML_READER_ERROR) {
        frame *top = &b->frames[b->depth - 1];
        bool found = false;
        if (top->node->flow)
            top->n = ib_yaml_join_cut(b->source, b->diags, top->node->kind == IB_YAML_MAP, false,
                                      top->children, top->n, &found);
        if (found)
            return IB_BAD_INPUT;
    }
    size_t context = SIZE_MAX;
    const size_t offset = problem_offset(b);
    if (b->parser.context && b->parser.error != YAML_READER_ERROR) {
        move_cursor(b, b->parser.context_mark.index);
        context = b->byte;
    }
    ib_yaml_syntax_error(b->source, b->diags, b->parser.problem ? b->parser.problem : "", offset,
                         context);
    return IB_BAD_INPUT;
}

/* ---- building ---- */

static ib_status attach(builder *b, ib_yaml *node) {
    if (b->depth == 0) {
        b->root = node;
        return IB_OK;
    }
    frame *top = &b->frames[b->depth - 1];
    if (!IB_VEC_RESERVE(top->children, top->capacity, top->n))
        return IB_NO_MEMORY;
    top->children[top->n++] = node;
    return IB_OK;
}

static ib_status remember_anchor(builder *b, const char *anchor, ib_yaml *node) {
    if (!anchor)
        return IB_OK;
    const char *name = ib_arena_strdup(b->arena, anchor);
    if (!name || !IB_VEC_RESERVE(b->anchors, b->anchor_capacity, b->n_anchors))
        return IB_NO_MEMORY;
    size_t index = SIZE_MAX;
    if (ib_names_add(b->anchor_names, name, &index)) {
        b->anchors[b->n_anchors++] = node;
    } else if (index == SIZE_MAX) {
        return IB_NO_MEMORY;
    } else {
        b->anchors[index] = node;
    }
    return IB_OK;
}

static ib_yaml *new_node(builder *b, ib_yaml_kind kind, const yaml_event_t *event) {
    ib_yaml *node = IB_ARENA_NEW(b->arena, ib_yaml);
    if (node) {
        node->kind = kind;
        node->text = "";
        node->n_expanded = 1;
        set_place(b, node, event);
    }
    return node;
}

static ib_yaml_style style_of(yaml_scalar_style_t style) {
    switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
        return IB_YAML_SINGLE;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        return IB_YAML_DOUBLE;
    case YAML_LITERAL_SCALAR_STYLE:
        return IB_YAML_LITERAL;
    case YAML_FOLDED_SCALAR_STYLE:
        return IB_YAML_FOLDED;
    default:
        return IB_YAML_PLAIN;
    }
}

/* libyaml lets an anchored scalar start at its anchor; here it starts at its text. */
static void skip_anchor(const ib_source *source, ib_yaml *node, const char *anchor) {
    size_t at = node->start;
    if (at < node->end && source->text[at] == '&')
        at += 1 + strlen(anchor);
    while (at < node->end && (source->text[at] == ' ' || source->text[at] == '\t'))
        at++;
    const size_t skipped = at - node->start;
    if (at >= node->end || source->text[at] == '\n' || source->text[at] == '\r' ||
        skipped >= node->width)
        return;
    node->start = at;
    node->column += (uint32_t)skipped;
    node->width -= (uint32_t)skipped;
}

static ib_status take_scalar(builder *b, const yaml_event_t *event) {
    ib_yaml *node = new_node(b, IB_YAML_SCALAR, event);
    if (!node)
        return IB_NO_MEMORY;
    if (event->data.scalar.anchor)
        skip_anchor(b->source, node, (const char *)event->data.scalar.anchor);
    node->style = style_of(event->data.scalar.style);
    node->length = event->data.scalar.length;
    node->text = ib_arena_strndup(b->arena, (const char *)event->data.scalar.value, node->length);
    if (!node->text)
        return IB_NO_MEMORY;
    if (event->data.scalar.tag)
        return refuse(b, IB0209, node, "tags such as '!!float' have no meaning here; leave it out");
    if (memchr(event->data.scalar.value, 0, node->length))
        return refuse(b, IB0221, node, "this text contains a NUL character");
    const ib_status status = remember_anchor(b, (const char *)event->data.scalar.anchor, node);
    return status == IB_OK ? attach(b, node) : status;
}

static ib_status take_alias(builder *b, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    const size_t index = ib_names_find(b->anchor_names, name);
    ib_yaml here = {0};
    set_place(b, &here, event);
    const ib_place place = ib_yaml_place(b->source, &here);
    if (index == SIZE_MAX) {
        ib_diags_add(b->diags, IB_ERROR, IB0206, place,
                     "there is no anchor '&%s' before this alias", name);
        return IB_BAD_INPUT;
    }
    ib_yaml *node = b->anchors[index];
    if (node->open) {
        ib_diags_add(b->diags, IB_ERROR, IB0206, place, "the alias '*%s' contains itself", name);
        return IB_BAD_INPUT;
    }
    b->n_aliased += node->n_expanded;
    if (b->n_aliased > IB_YAML_EXPANDED_LIMIT) {
        ib_diags_add(b->diags, IB_ERROR, IB0205, place,
                     "the aliases of this file stand for more than %d values",
                     IB_YAML_EXPANDED_LIMIT);
        return IB_BAD_INPUT;
    }
    return attach(b, node);
}

static ib_status open_collection(builder *b, ib_yaml_kind kind, bool flow, const char *anchor,
                                 bool has_tag, const yaml_event_t *event) {
    ib_yaml *node = new_node(b, kind, event);
    if (!node)
        return IB_NO_MEMORY;
    node->flow = flow;
    node->open = true;
    node->width = 1;
    if (has_tag)
        return refuse(b, IB0209, node, "tags such as '!!map' have no meaning here; leave it out");
    if (b->depth == IB_YAML_DEPTH)
        return refuse(b, IB0207, node, "lists and maps are nested more than 64 deep");
    ib_status status = remember_anchor(b, anchor, node);
    if (status == IB_OK)
        status = attach(b, node);
    if (status == IB_OK) {
        b->frames[b->depth].node = node;
        b->frames[b->depth].n = 0;
        b->depth++;
    }
    return status;
}

/* ---- closing a collection ---- */

static bool is_merge(const ib_yaml *key) {
    return key->style == IB_YAML_PLAIN && strcmp(key->text, "<<") == 0;
}

/* The keys of a map under construction: a hash once there are many. */
typedef struct key_set {
    ib_yaml *map;
    ib_names *names; /* NULL for small maps */
    bool failed;
} key_set;

#define SMALL_MAP 8

/* Adds an entry unless its key is there; then the index of that is returned, else SIZE_MAX. */
static size_t add_entry(key_set *set, ib_yaml_entry entry) {
    ib_yaml *map = set->map;
    size_t index = SIZE_MAX;
    if (set->names) {
        if (!ib_names_add(set->names, entry.key->text, &index)) {
            set->failed = set->failed || index == SIZE_MAX;
            return index;
        }
    } else {
        for (size_t i = 0; i < map->n; i++) {
            if (strcmp(map->entries[i].key->text, entry.key->text) == 0)
                return i;
        }
    }
    map->entries[map->n++] = entry;
    return SIZE_MAX;
}

static void add_explicit(const builder *b, key_set *set, const frame *top) {
    for (size_t i = 0; i + 1 < top->n; i += 2) {
        const ib_yaml_entry entry = {top->children[i], top->children[i + 1]};
        if (is_merge(entry.key))
            continue;
        const size_t other = add_entry(set, entry);
        if (other == SIZE_MAX || entry.key->reported)
            continue;
        entry.key->reported = true;
        ib_diags_add(b->diags, IB_ERROR, IB0203, ib_yaml_place(b->source, entry.key),
                     "the key '%s' is given twice", entry.key->text);
        ib_diags_note(b->diags, ib_yaml_place(b->source, set->map->entries[other].key),
                      "first given here");
    }
}

static void merge_map(key_set *set, const ib_yaml *from) {
    for (size_t i = 0; i < from->n; i++)
        add_entry(set, from->entries[i]);
}

/* Entries that a merge value brings along, or SIZE_MAX when it is neither a map nor a list of maps.
 */
static size_t merge_size(const ib_yaml *value) {
    if (value->kind == IB_YAML_MAP)
        return value->n;
    size_t n = 0;
    for (size_t i = 0; i < value->n; i++) {
        if (value->items[i]->kind != IB_YAML_MAP)
            return SIZE_MAX;
        n += value->items[i]->n;
    }
    return value->kind == IB_YAML_LIST ? n : SIZE_MAX;
}

static void add_merged(key_set *set, const frame *top) {
    for (size_t i = 0; i + 1 < top->n; i += 2) {
        const ib_yaml *value = top->children[i + 1];
        if (!is_merge(top->children[i]))
            continue;
        if (value->kind == IB_YAML_MAP)
            merge_map(set, value);
        for (size_t j = 0; value->kind == IB_YAML_LIST && j < value->n; j++)
            merge_map(set, value->items[j]);
    }
}

/* Checks the keys and counts the entries there can be at most. */
static ib_status count_entries(const builder *b, const frame *top, size_t *n) {
    *n = 0;
    for (size_t i = 0; i + 1 < top->n; i += 2) {
        const ib_yaml *key = top->children[i];
        if (key->kind != IB_YAML_SCALAR)
            return refuse(b, IB0209, key, "a key must be a name, not a list or a map");
        size_t more = 1;
        if (is_merge(key)) {
            more = merge_size(top->children[i + 1]);
            if (more == SIZE_MAX)
                return refuse(b, IB0206, top->children[i + 1],
                              "'<<' takes a map, such as the alias *name, or a list of maps");
        }
        *n += more;
    }
    return IB_OK;
}

static ib_status finish_map(builder *b, frame *top) {
    ib_yaml *map = top->node;
    size_t n = 0;
    const ib_status status = count_entries(b, top, &n);
    if (status != IB_OK)
        return status;
    map->entries = IB_ARENA_ARRAY(b->arena, n, ib_yaml_entry);
    key_set set = {map, n > SMALL_MAP ? ib_names_create() : NULL, false};
    if (!map->entries || (n > SMALL_MAP && !set.names))
        return IB_NO_MEMORY;
    add_explicit(b, &set, top);
    add_merged(&set, top);
    ib_names_destroy(set.names);
    return set.failed ? IB_NO_MEMORY : IB_OK;
}

static ib_status finish_list(builder *b, const frame *top) {
    ib_yaml *list = top->node;
    list->n = top->n;
    list->items = IB_ARENA_ARRAY(b->arena, top->n, ib_yaml *);
    if (!list->items)
        return IB_NO_MEMORY;
    if (top->n > 0)
        memcpy(list->items, top->children, top->n * sizeof(*list->items));
    return IB_OK;
}

static ib_status close_collection(builder *b) {
    frame *top = &b->frames[--b->depth];
    ib_yaml *node = top->node;
    node->open = false;
    bool found = false;
    if (node->flow)
        top->n = ib_yaml_join_cut(b->source, b->diags, node->kind == IB_YAML_MAP, true,
                                  top->children, top->n, &found);
    for (size_t i = 0; i < top->n; i++)
        node->n_expanded += top->children[i]->n_expanded;
    return node->kind == IB_YAML_MAP ? finish_map(b, top) : finish_list(b, top);
}

/* ---- the loop over events ---- */

static ib_status start_document(builder *b, const yaml_event_t *event) {
    if (b->has_document) {
        ib_yaml here = {0};
        set_place(b, &here, event);
        return refuse(b, IB0208, &here, "a second document starts here; a file holds one");
    }
    b->has_document = true;
    return IB_OK;
}

static ib_status take_event(builder *b, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return start_document(b, event);
    case YAML_ALIAS_EVENT:
        return take_alias(b, event);
    case YAML_SCALAR_EVENT:
        return take_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(b, IB_YAML_LIST,
                               event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                               (const char *)event->data.sequence_start.anchor,
                               event->data.sequence_start.tag != NULL, event);
    case YAML_MAPPING_START_EVENT:
        return open_collection(b, IB_YAML_MAP,
                               event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                               (const char *)event->data.mapping_start.anchor,
                               event->data.mapping_start.tag != NULL, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_collection(b);
    default:
        return IB_OK;
    }
}

static ib_status build(builder *b) {
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&b->parser, &event))
            return syntax_failure(b);
        const bool at_end = event.type == YAML_STREAM_END_EVENT;
        const ib_status status = take_event(b, &event);
        yaml_event_delete(&event);
        if (status != IB_OK || at_end)
            return status;
    }
}

ib_status ib_yaml_parse(ib_arena *arena, const ib_source *source, ib_diags *diags, ib_yaml **root) {
    builder *b = calloc(1, sizeof(*b));
    if (!b || !yaml_parser_initialize(&b->parser)) {
        free(b);
        return IB_NO_MEMORY;
    }
    b->arena = arena;
    b->source = source;
    b->diags = diags;
    b->anchor_names = ib_names_create();
    yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b->parser, (const unsigned char *)source->text, source->length);
    ib_status status = b->anchor_names ? build(b) : IB_NO_MEMORY;
    if (status == IB_OK && !b->root) {
        ib_diags_add(diags, IB_ERROR, IB0208, (ib_place){source->file, 1, 1, 1},
                     "there is nothing in this file");
        status = IB_BAD_INPUT;
    }
    *root = status == IB_OK ? b->root : NULL;
    for (size_t i = 0; i < IB_YAML_DEPTH; i++)
        free(b->frames[i].children);
    free(b->anchors);
    ib_names_destroy(b->anchor_names);
    yaml_parser_delete(&b->parser);
    free(b);
    return status;
}
