/* value: values by the kind of their key - texts, choices, vectors, points, names of other things.
 */
#include "model/model_internal.h"

#include <math.h>
#include <string.h>

bool ib_is_null(const ib_yaml *node) {
    double value;
    bool is_integer;
    return node->kind == IB_YAML_SCALAR &&
           ib_yaml_scalar_type(node, &value, &is_integer) == IB_YAML_NULL;
}

bool ib_read_text(ib_loader *l, const char *key, ib_yaml *node, const char **text) {
    if (node->kind != IB_YAML_SCALAR || ib_is_null(node) || node->length == 0) {
        ib_report_kind(l, key, node, "a text");
        return false;
    }
    *text = node->text;
    return !node->reported;
}

/* An id: any text, unique in the model; in an included file with its prefix. */
static bool read_id(ib_loader *l, const char *key, ib_yaml *node, const char **text) {
    if (!ib_read_text(l, key, node, text))
        return false;
    ib_yaml full = *node;
    full.text = *text = ib_full_name(l, *text);
    return ib_registry_add(l, &l->ids, "id", &full);
}

static bool read_bool(ib_loader *l, const char *key, ib_yaml *node, bool *value) {
    double number = 0;
    bool is_integer;
    if (node->kind != IB_YAML_SCALAR ||
        ib_yaml_scalar_type(node, &number, &is_integer) != IB_YAML_BOOL) {
        ib_report_kind(l, key, node, "true or false");
        return false;
    }
    *value = number > 0;
    return true;
}

/* ---- choices ---- */

static void report_choice(ib_loader *l, const ib_key_def *key, ib_yaml *node) {
    const char *names[16];
    size_t n = 0;
    const char *values = key->values;
    const char *word;
    size_t length;
    bool later;
    ib_str list = {0};
    while (ib_choice_next(&values, &word, &length, &later) && n < IB_COUNT(names)) {
        const char *name = ib_arena_strndup(l->arena, word, length);
        if (!name || later)
            continue;
        ib_str_printf(&list, "%s%s", n > 0 ? ", " : "", name);
        names[n++] = name;
    }
    if (ib_report(l, IB0215, node, "%s: '%s' is none of %s", key->name, node->text,
                  list.data ? list.data : ""))
        ib_suggest_name(l, node->text, names, n);
    ib_str_free(&list);
}

/* The number of the choice, in the order of the table. */
static bool read_choice(ib_loader *l, const ib_key_def *key, ib_yaml *node, int *value) {
    if (node->kind != IB_YAML_SCALAR || node->length == 0) {
        ib_report_kind(l, key->name, node, "a choice");
        return false;
    }
    const char *values = key->values;
    const char *word;
    size_t length;
    bool later;
    for (int i = 0; ib_choice_next(&values, &word, &length, &later); i++) {
        if (length != node->length || memcmp(word, node->text, length) != 0)
            continue;
        if (later)
            ib_report(l, IB0213, node, "%s: '%s' is not yet supported", key->name, node->text);
        *value = i;
        return !later;
    }
    report_choice(l, key, node);
    return false;
}

/* ---- vectors ---- */

bool ib_check_list(ib_loader *l, const char *key, ib_yaml *node, size_t n, const char *what) {
    if (node->kind == IB_YAML_LIST && node->n == n)
        return true;
    if (node->kind == IB_YAML_LIST)
        ib_report(l, IB0224, node, "%s: %s are wanted here, these are %zu", key, what, node->n);
    else
        ib_report(l, IB0212, node, "%s: a list of %s is wanted here, not %s", key, what,
                  ib_describe_node(node));
    return false;
}

bool ib_read_numbers(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension, size_t n,
                     double *values) {
    if (!ib_check_list(l, key, node, n, n == 4 ? "4 numbers" : "3 numbers"))
        return false;
    bool good = true;
    for (size_t i = 0; i < n; i++)
        good = ib_read_number(l, key, node->items[i], dimension, &values[i]) && good;
    return good;
}

bool ib_read_direction(ib_loader *l, const char *key, ib_yaml *node, double direction[3]) {
    double v[3];
    if (!ib_read_numbers(l, key, node, IB_DIM_ANY, 3, v))
        return false;
    /* Scaled first, so that neither tiny nor huge vectors lose their direction. */
    double largest = 0;
    for (int i = 0; i < 3; i++)
        largest = fabs(v[i]) > largest ? fabs(v[i]) : largest;
    if (!(largest > 0)) {
        ib_report(l, IB0605, node, "%s: a direction of zero length", key);
        return false;
    }
    for (int i = 0; i < 3; i++)
        ib_tracked_divide(l, &v[i], largest);
    ib_tracked_unit(l, v, direction);
    return true;
}

static bool read_own_point(ib_loader *l, const char *key, ib_yaml *node, double point[3]) {
    const bool good = ib_read_numbers(l, key, node, IB_DIM_LENGTH, 3, point);
    ib_place_point(l, point);
    return good;
}

bool ib_read_point(ib_loader *l, const char *key, ib_yaml *node, double point[3]) {
    if (node->kind != IB_YAML_SCALAR || ib_is_null(node))
        return read_own_point(l, key, node, point);
    const size_t index = ib_find_name(l, &l->points, node->text);
    if (index == SIZE_MAX) {
        if (ib_report(l, IB0310, node, "%s: there is no point '%s'", key, node->text))
            ib_suggest_known(l, node->text, &l->points);
        return false;
    }
    ib_tracked_copy(l, l->point_values[index], point, 3);
    return !l->point_bad[index];
}

static bool read_global_vector(ib_loader *l, const char *key, ib_yaml *node, ib_dimension dimension,
                               double vector[3]) {
    const bool good = ib_read_numbers(l, key, node, dimension, 3, vector);
    ib_place_direction(l, vector);
    return good;
}

static bool read_plane(ib_loader *l, const char *key, ib_yaml *node, double plane[2][3]) {
    if (!ib_check_list(l, key, node, 2, "2 vectors"))
        return false;
    const bool first = read_global_vector(l, key, node->items[0], IB_DIM_ANY, plane[0]);
    return read_global_vector(l, key, node->items[1], IB_DIM_ANY, plane[1]) && first;
}

/* Three or six entries of the tensor. */
static bool read_inertia(ib_loader *l, const char *key, ib_yaml *node, double inertia[6]) {
    memset(inertia, 0, 6 * sizeof(*inertia));
    if (node->kind != IB_YAML_LIST || (node->n != 3 && node->n != 6)) {
        if (ib_report(l, IB0224, node, "%s: 3 or 6 numbers are wanted here", key))
            ib_diags_suggest(l->diags, "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
        return false;
    }
    return ib_read_numbers(l, key, node, IB_DIM_INERTIA, node->n, inertia);
}

/* ---- names of other things ---- */

/* The nearest body, or the word that stands for none. */
static void suggest_body(ib_loader *l, const char *wanted, const char *word) {
    size_t n = 0;
    const char *const *own = ib_own_names(l, &l->bodies, &n);
    const char **names = IB_ARENA_ARRAY(l->arena, n + 1, const char *);
    l->no_memory = l->no_memory || !names || !own;
    if (l->no_memory)
        return;
    names[0] = word;
    for (size_t i = 0; i < n; i++)
        names[1 + i] = own[i];
    ib_suggest_name(l, wanted, names, n + 1);
}

bool ib_read_body(ib_loader *l, const char *key, ib_yaml *node, int *body) {
    const char *name = NULL;
    if (!ib_read_text(l, key, node, &name))
        return false;
    if (strcmp(name, "ground") == 0) {
        *body = IB_GROUND;
        return true;
    }
    const size_t index = ib_find_name(l, &l->bodies, name);
    if (index == SIZE_MAX) {
        if (ib_report(l, IB0312, node, "%s: there is no body '%s'", key, name))
            suggest_body(l, name, "ground");
        return false;
    }
    *body = (int)index;
    return true;
}

static bool read_frame_of(ib_loader *l, const char *key, ib_yaml *node, int *body) {
    const char *word = "global";
    if (node->kind == IB_YAML_SCALAR && strcmp(node->text, "global") == 0) {
        *body = IB_GROUND;
        return true;
    }
    const bool near = node->kind == IB_YAML_SCALAR && !node->reported &&
                      ib_find_name(l, &l->bodies, node->text) == SIZE_MAX &&
                      ib_nearest_name(node->text, &word, 1);
    if (!near)
        return ib_read_body(l, key, node, body);
    if (ib_report(l, IB0312, node, "%s: there is no body '%s'", key, node->text))
        suggest_body(l, node->text, word);
    return false;
}

static bool read_measure(ib_loader *l, const char *key, ib_yaml *node, int *measure) {
    const char *name = NULL;
    if (!ib_read_text(l, key, node, &name))
        return false;
    const size_t index = ib_find_name(l, &l->measures, name);
    if (index == SIZE_MAX) {
        if (ib_report(l, IB0313, node, "%s: there is no measure '%s'", key, name))
            ib_suggest_known(l, name, &l->measures);
        return false;
    }
    *measure = (int)index;
    return true;
}

/* ---- times and lengths ---- */

/* A positive time in whole nanoseconds. */
static bool read_duration(ib_loader *l, const char *key, ib_yaml *node, ib_time *time) {
    double seconds = 0;
    if (!ib_read_number(l, key, node, IB_DIM_TIME, &seconds))
        return false;
    if (!ib_time_from_seconds(seconds, time) || *time <= 0) {
        ib_report(l, IB0607, node, "%s: a time from 1 ns to 9.2e9 s is wanted here", key);
        return false;
    }
    return true;
}

/* A length, or NaN for `initial`. */
static bool read_free_length(ib_loader *l, const char *key, ib_yaml *node, double *length) {
    if (node->kind == IB_YAML_SCALAR && strcmp(node->text, "initial") == 0) {
        *length = (double)NAN;
        return true;
    }
    if (!ib_read_number(l, key, node, IB_DIM_LENGTH, length))
        return false;
    if (*length < 0) {
        ib_report(l, IB0607, node, "%s: a length cannot be negative", key);
        return false;
    }
    return true;
}

/* The axes of a frame's map are turned as a whole, when the frame is made of them. */
static bool read_key_direction(ib_loader *l, const ib_key_def *key, ib_yaml *node,
                               double direction[3]) {
    const bool good = ib_read_direction(l, key->name, node, direction);
    if (good && key->section != IB_SECTION_frame)
        ib_place_direction(l, direction);
    return good;
}

bool ib_read_value(ib_loader *l, const ib_key_def *key, ib_yaml *node, void *out) {
    const char *name = key->name;
    switch (key->kind) {
    case IB_KIND_ID:
        return read_id(l, name, node, out);
    case IB_KIND_TEXT:
        return ib_read_text(l, name, node, out);
    case IB_KIND_BOOLEAN:
        return read_bool(l, name, node, out);
    case IB_KIND_COUNT:
        return ib_read_count(l, name, node, out);
    case IB_KIND_NUMBER:
        return ib_read_number(l, name, node, key->dimension, out);
    case IB_KIND_DURATION:
        return read_duration(l, name, node, out);
    case IB_KIND_LENGTH_OR_INITIAL:
        return read_free_length(l, name, node, out);
    case IB_KIND_VECTOR:
        return ib_read_numbers(l, name, node, key->dimension, 3, out);
    case IB_KIND_GLOBAL_VECTOR:
        return read_global_vector(l, name, node, key->dimension, out);
    case IB_KIND_DIRECTION:
        return read_key_direction(l, key, node, out);
    case IB_KIND_POINT:
        return ib_read_point(l, name, node, out);
    case IB_KIND_PLANE:
        return read_plane(l, name, node, out);
    case IB_KIND_ORIENTATION:
        return ib_read_orientation(l, name, node, out);
    case IB_KIND_INERTIA:
        return read_inertia(l, name, node, out);
    case IB_KIND_CHOICE:
        return read_choice(l, key, node, out);
    case IB_KIND_BODY:
        return ib_read_body(l, name, node, out);
    case IB_KIND_FRAME_OF:
        return read_frame_of(l, name, node, out);
    case IB_KIND_MEASURE:
        return read_measure(l, name, node, out);
    case IB_KIND_RATE:
        return ib_read_rate(l, name, node, out);
    case IB_KIND_SEED:
        return ib_read_seed(l, name, node, out);
    default:
        return false; /* kinds without a field are read by their section */
    }
}
