/* document: the files that a model is made of - its own and those that it includes.
 *
 * A file is read and parsed once; each time it is included it stands in the model as a document of
 * its own, with a prefix before its names, a placement, and values for its parameters. Documents
 * are found before anything in them is read, including ones after their includers; so this needs no
 * recursion, and one that includes itself is found by looking at its includers.
 */
#include "model/model_internal.h"

#include <stdlib.h>
#include <string.h>

#define DOCUMENT_LIMIT 1000
#define DEPTH_LIMIT 32 /* of files that include each other */

void ib_enter(ib_loader *l, ib_document *document) {
    l->document = document;
    l->source = document->file->source;
}

/* ---- one file ---- */

static bool starts_with(const char *text, size_t length, const char *bytes, size_t n) {
    return length >= n && memcmp(text, bytes, n) == 0;
}

/* Text of two bytes a character, with a byte order mark or without: every other byte of what begins
 * it is zero. */
static bool is_utf16(const char *text, size_t length) {
    if (starts_with(text, length, "\xFF\xFE", 2) || starts_with(text, length, "\xFE\xFF", 2))
        return true;
    size_t zeros[2] = {0, 0};
    const size_t n = length < 64 ? length / 2 * 2 : 64;
    for (size_t i = 0; i < n; i++)
        zeros[i % 2] += text[i] == '\0';
    return n >= 4 && (zeros[0] == 0) != (zeros[1] == 0) && 4 * (zeros[0] + zeros[1]) > n;
}

/* Takes UTF-8 text, without a byte order mark, as the file's source. */
static bool take_text(ib_loader *l, ib_model_file *file, const char *path, const char *text,
                      size_t length) {
    if (starts_with(text, length, "\xEF\xBB\xBF", 3)) {
        text += 3;
        length -= 3;
    }
    ib_diags_source(l->diags, path, text, length);
    if (!ib_source_create(l->arena, path, text, length, &file->source)) {
        l->no_memory = true;
        return false;
    }
    if (is_utf16(text, length)) {
        if (ib_report_place(l, IB0221, (ib_place){path, 1, 1, 1}, "the file is UTF-16 text"))
            ib_diags_suggest(l->diags, "save it as UTF-8");
        return false;
    }
    return true;
}

static ib_model_file *new_file(ib_loader *l) {
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    if (!IB_VEC_RESERVE(l->files, l->file_capacity, l->n_files)) {
        l->no_memory = true;
        return NULL;
    }
    ib_model_file *file = IB_ARENA_NEW(l->arena, ib_model_file);
    l->no_memory = l->no_memory || !file;
    if (file)
        l->files[l->n_files++] = file;
    return file;
}

/* The tree of a text; NULL once it was said what is wrong. */
static void parse(ib_loader *l, ib_model_file *file, const char *path, const char *text,
                  size_t length) {
    if (!take_text(l, file, path, text, length))
        return;
    const ib_status status = ib_yaml_parse(l->arena, &file->source, l->diags, &file->root);
    l->no_memory = l->no_memory || status == IB_NO_MEMORY;
    if (status != IB_OK)
        file->root = NULL;
}

/* The file at a path, read unless it was before; without a tree once it was said why not. */
static ib_model_file *read_file(ib_loader *l, const char *path, ib_place place) {
    for (size_t i = 0; i < l->n_files; i++) {
        const char *known = l->files[i]->source.file;
        if (known && (strcmp(known, path) == 0 || ib_file_same(known, path)))
            return l->files[i];
    }
    ib_model_file *file = new_file(l);
    size_t length = 0;
    if (!file)
        return NULL;
    file->source.file = path;
    const ib_status status =
        ib_file_read(path, IB_MODEL_FILE_LIMIT, l->diags, place, &file->text, &length);
    l->no_memory = l->no_memory || status == IB_NO_MEMORY;
    if (status == IB_OK)
        parse(l, file, path, file->text, length);
    return file;
}

/* ---- documents ---- */

static ib_document *new_document(ib_loader *l, ib_model_file *file) {
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    if (!IB_VEC_RESERVE(l->documents, l->document_capacity, l->n_documents)) {
        l->no_memory = true;
        return NULL;
    }
    ib_document *document = IB_ARENA_NEW(l->arena, ib_document);
    l->no_memory = l->no_memory || !document;
    if (!document)
        return NULL;
    *document = (ib_document){.file = file, .prefix = "", .orientation = {1, 0, 0, 0}};
    document->repeated = file->n_documents++ > 0;
    l->documents[l->n_documents++] = document;
    return document;
}

bool ib_document_open(ib_loader *l, const char *path, const char *text, size_t length) {
    ib_model_file *file = new_file(l);
    ib_document *document = file ? new_document(l, file) : NULL;
    if (!document)
        return false;
    l->document = document;
    parse(l, file, path, text, length);
    ib_enter(l, document);
    return file->root != NULL;
}

/* True for files of other kinds, and what is no map. */
static bool is_no_model(ib_loader *l) {
    static const char *const kinds[] = {"mission", "network", "board", "study"};
    ib_yaml *root = l->document->file->root;
    if (root->kind != IB_YAML_MAP) {
        ib_report(l, IB0212, root,
                  "a model is a map with keys such as 'ironbird: 1' and 'bodies:'");
        return true;
    }
    for (size_t i = 0; i < root->n; i++) {
        ib_yaml *key = root->entries[i].key;
        for (size_t k = 0; k < IB_COUNT(kinds); k++) {
            if (strcmp(key->text, kinds[k]) == 0 && !ib_yaml_get(root, "bodies")) {
                if (k == 0) {
                    ib_report(l, IB0212, key, "this is a mission, and a model is wanted here");
                    return true;
                }
                ib_report(l, IB0213, key,
                          "this is a file of kind '%s', not a model; those are not yet supported",
                          key->text);
                return true;
            }
        }
    }
    return false;
}

/* ---- including ---- */

/* Says that a file includes itself, and through which others. */
static void report_circle(ib_loader *l, ib_yaml *node, const ib_document *again) {
    const ib_document *way[DEPTH_LIMIT + 1];
    ib_str chain = {0};
    size_t n = 0;
    for (const ib_document *d = l->document; d != again; d = d->parent)
        way[n++] = d;
    for (ib_str_add(&chain, again->file->source.file); n > 0; n--)
        ib_str_printf(&chain, " -> %s", way[n - 1]->file->source.file);
    ib_str_printf(&chain, " -> %s", again->file->source.file);
    if (chain.failed)
        l->no_memory = true;
    else
        ib_report(l, IB0320, node, "file: a file cannot be a part of itself: %s", chain.data);
    ib_str_free(&chain);
}

/* The document that includes this file, among the present one and its includers; or NULL. */
static const ib_document *find_includer(const ib_loader *l, const ib_model_file *file) {
    for (const ib_document *d = l->document; d; d = d->parent) {
        if (d->file == file)
            return d;
    }
    return NULL;
}

static bool is_too_much(ib_loader *l, ib_yaml *node) {
    if (l->document->depth >= DEPTH_LIMIT)
        ib_report(l, IB0320, node, "file: files include each other more than %d deep", DEPTH_LIMIT);
    else if (l->n_documents >= DOCUMENT_LIMIT)
        ib_report(l, IB0320, node, "file: a model includes at most %d files", DOCUMENT_LIMIT);
    else
        return false;
    return true;
}

/* Adds the document that an entry of the present one's `include` asks for; false when there is
 * none.
 */
static bool add_included(ib_loader *l, ib_yaml *map) {
    ib_record r;
    ib_include_spec spec = {0};
    ib_document *parent = l->document;
    if (!ib_record_open(l, IB_SECTION_include, NULL, map, &r))
        return false;
    ib_record_take(l, &r, IB_KEY_include_file, &spec.file);
    ib_record_take(l, &r, IB_KEY_include_as, &spec.as);
    ib_yaml *node = r.given[IB_KEY_include_file];
    if (!spec.file || !spec.as || is_too_much(l, node))
        return false;
    ib_check_name(l, r.given[IB_KEY_include_as], spec.as);
    const char *path = ib_path_beside(l->arena, parent->file->source.file, spec.file);
    l->no_memory = l->no_memory || !path;
    ib_model_file *file = path ? read_file(l, path, ib_node_place(l, node)) : NULL;
    if (!file || !file->root)
        return false;
    const ib_document *again = find_includer(l, file);
    if (again) {
        report_circle(l, node, again);
        return false;
    }
    ib_yaml full = *r.given[IB_KEY_include_as];
    full.text = ib_full_name(l, spec.as);
    if (!ib_registry_add(l, &l->prefixes, "name", &full))
        return false;
    ib_document *document = new_document(l, file);
    if (!document)
        return false;
    document->parent = parent;
    document->depth = parent->depth + 1;
    document->map = map;
    document->as = r.given[IB_KEY_include_as];
    document->prefix = ib_arena_printf(l->arena, "%s%s.", parent->prefix, spec.as);
    l->no_memory = l->no_memory || !document->prefix;
    return true;
}

/* Reads what one document includes; false when something cannot be had. */
static bool include_from(ib_loader *l, ib_document *document) {
    ib_enter(l, document);
    if (is_no_model(l))
        return false;
    ib_yaml *list = ib_yaml_get(document->file->root, "include");
    if (!list || ib_is_null(list))
        return true;
    if (list->kind != IB_YAML_LIST)
        return ib_report_kind(l, "include", list, "a list of {file, as}"), false;
    bool good = true;
    for (size_t i = 0; i < list->n && ib_going_on(l); i++) {
        const bool is_map = list->items[i]->kind == IB_YAML_MAP;
        if (!is_map)
            ib_report_kind(l, "include", list->items[i], "a map with 'file' and 'as'");
        good = is_map && add_included(l, list->items[i]) && good;
    }
    return good;
}

bool ib_documents_include(ib_loader *l) {
    bool good = true;
    for (size_t i = 0; i < l->n_documents && ib_going_on(l); i++)
        good = include_from(l, l->documents[i]) && good;
    ib_enter(l, l->documents[0]);
    return good;
}

void ib_documents_close(ib_loader *l) {
    for (size_t i = 0; i < l->n_files; i++)
        free(l->files[i]->text);
    free(l->files);
    free(l->documents);
}

/* ---- names ---- */

const char *ib_full_name(ib_loader *l, const char *name) {
    if (!l->document || l->document->prefix[0] == '\0')
        return name;
    const char *full = ib_arena_printf(l->arena, "%s%s", l->document->prefix, name);
    l->no_memory = l->no_memory || !full;
    return full ? full : name;
}

size_t ib_find_name(ib_loader *l, const ib_registry *registry, const char *name) {
    const char *prefix = l->document ? l->document->prefix : "";
    if (prefix[0] == '\0')
        return ib_names_find(registry->names, name);
    ib_str_clear(&l->scratch);
    ib_str_printf(&l->scratch, "%s%s", prefix, name);
    l->no_memory = l->no_memory || l->scratch.failed;
    return l->scratch.failed ? SIZE_MAX : ib_names_find(registry->names, l->scratch.data);
}

/* The names that begin with the present document's prefix, without it. */
static const char **strip_names(ib_loader *l, const ib_registry *registry, size_t *n) {
    const char *prefix = l->document->prefix;
    const size_t length = strlen(prefix);
    const char **own = IB_ARENA_ARRAY(l->arena, registry->n, const char *);
    *n = 0;
    l->no_memory = l->no_memory || !own;
    for (size_t i = 0; own && i < registry->n; i++) {
        if (strncmp(registry->list[i], prefix, length) == 0)
            own[(*n)++] = registry->list[i] + length;
    }
    return own;
}

const char *const *ib_own_names(ib_loader *l, const ib_registry *registry, size_t *n) {
    ib_document *d = l->document;
    *n = registry->n;
    if (!d || d->prefix[0] == '\0')
        return registry->list;
    /* Each expression asks for one of these two. */
    const int kept = registry == &l->constant_names ? 0 : registry == &l->quantity_names ? 1 : -1;
    if (kept < 0)
        return strip_names(l, registry, n);
    if (!d->own[kept])
        d->own[kept] = strip_names(l, registry, &d->n_own[kept]);
    *n = d->n_own[kept];
    return d->own[kept];
}

/* ---- places ---- */

void ib_place_direction(ib_loader *l, double direction[3]) {
    if (l->document && l->document->placed)
        ib_tracked_rotate(l, l->document->orientation, direction, direction);
}

void ib_place_point(ib_loader *l, double point[3]) {
    if (!l->document || !l->document->placed)
        return;
    ib_tracked_rotate(l, l->document->orientation, point, point);
    ib_tracked_add(l, point, 1, l->document->position, point);
}

void ib_place_orientation(ib_loader *l, double q[4]) {
    if (!l->document || !l->document->placed)
        return;
    ib_tracked_quat_mul(l, l->document->orientation, q, q);
    ib_tracked_quat_normalize(l, q);
}

void ib_frame_along(ib_loader *l, const double z[3], double q[4]) {
    double own[3];
    ib_tracked_copy(l, z, own, 3);
    if (l->document && l->document->placed)
        ib_tracked_rotate_back(l, l->document->orientation, z, own);
    ib_orientation_from_z(l, own, q);
    ib_place_orientation(l, q);
}

void ib_document_place(ib_loader *l, ib_document *document) {
    ib_record r;
    if (!document->parent)
        return;
    ib_enter(l, document->parent);
    if (!ib_record_open(l, IB_SECTION_include, NULL, document->map, &r))
        return;
    /* What is not given is the includer's own place. */
    ib_place_point(l, document->position);
    ib_place_orientation(l, document->orientation);
    ib_record_take(l, &r, IB_KEY_include_at, document->position);
    ib_record_take(l, &r, IB_KEY_include_orientation, document->orientation);
    document->placed = document->parent->placed || r.given[IB_KEY_include_at] ||
                       r.given[IB_KEY_include_orientation];
}
