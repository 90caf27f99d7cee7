/* What differs between two FMUs to those who use them: version, kinds and their flags, default
 * experiment, units, variables. What changes with every export (token, date, tool) does not count.
 */
#include "fmi/fmu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ib_fmu_diff {
    ib_arena *arena;
    ib_fmu_difference *list;
    size_t n, capacity;
    bool failed;
};

/* ---- gathering ----------------------------------------------------------------------------- */

/* Notes a difference; a or b NULL: it is not there. */
static void note(ib_fmu_diff *diff, const char *what, const char *name, const char *member,
                 const char *a, const char *b) {
    if (!IB_VEC_RESERVE(diff->list, diff->capacity, diff->n)) {
        diff->failed = true;
        return;
    }
    diff->list[diff->n++] = (ib_fmu_difference){what, name, member, a, b};
}

static void compare(ib_fmu_diff *diff, const char *what, const char *name, const char *member,
                    const char *a, const char *b) {
    a = a ? a : "";
    b = b ? b : "";
    if (strcmp(a, b) != 0)
        note(diff, what, name, member, a, b);
}

/* A text of the diff's own; "" when memory is out. */
static const char *print(ib_fmu_diff *diff, const char *format, ...) IB_PRINTF(2, 3);

static const char *print(ib_fmu_diff *diff, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = ib_arena_vprintf(diff->arena, format, arguments);
    va_end(arguments);
    diff->failed |= !text;
    return text ? text : "";
}

static const char *number(ib_fmu_diff *diff, double value) {
    char text[IB_NUMBER_SIZE];
    return value == value ? print(diff, "%s", ib_number_text(value, text)) : "";
}

/* ---- the whole and its kinds --------------------------------------------------------------- */

static void compare_whole(ib_fmu_diff *diff, const ib_fmu *a, const ib_fmu *b) {
    const ib_fmi_description *p = a->description, *q = b->description;
    compare(diff, "fmu", "", "FMI version", p->version_text, q->version_text);
    compare(diff, "fmu", "", "model name", p->name, q->name);
    compare(diff, "fmu", "", "version", p->model_version, q->model_version);
    compare(diff, "default experiment", "", "start", number(diff, p->start),
            number(diff, q->start));
    compare(diff, "default experiment", "", "stop", number(diff, p->stop), number(diff, q->stop));
    compare(diff, "default experiment", "", "step", number(diff, p->step), number(diff, q->step));
    compare(diff, "default experiment", "", "tolerance", number(diff, p->tolerance),
            number(diff, q->tolerance));
}

/* The value of a flag by its name, or NULL. */
static const char *find_flag(const ib_fmu *fmu, ib_fmu_kind kind, const char *wanted) {
    const char *name, *value;
    for (size_t i = 0; ib_fmu_capability(fmu, kind, i, &name, &value); i++)
        if (strcmp(name, wanted) == 0)
            return value;
    return NULL;
}

static void compare_kinds(ib_fmu_diff *diff, const ib_fmu *a, const ib_fmu *b) {
    const char *name, *value;
    for (int k = 0; k < IB_FMU_KINDS; k++) {
        const ib_fmu_kind kind = (ib_fmu_kind)k;
        const char *p = ib_fmu_identifier(a, kind), *q = ib_fmu_identifier(b, kind);
        if (p || q)
            compare(diff, "kind", ib_fmu_kind_name(kind), "modelIdentifier", p, q);
        if (!p || !q)
            continue;
        for (size_t i = 0; ib_fmu_capability(a, kind, i, &name, &value); i++) {
            const char *other = find_flag(b, kind, name);
            if (!other || strcmp(value, other) != 0)
                note(diff, "kind", ib_fmu_kind_name(kind), name, value, other);
        }
        for (size_t i = 0; ib_fmu_capability(b, kind, i, &name, &value); i++)
            if (!find_flag(a, kind, name))
                note(diff, "kind", ib_fmu_kind_name(kind), name, NULL, value);
    }
}

/* ---- units --------------------------------------------------------------------------------- */

static const ib_fmi_unit *find_unit(const ib_fmi_description *d, const char *name) {
    for (size_t i = 0; i < d->n_units; i++)
        if (strcmp(d->units[i].name, name) == 0)
            return &d->units[i];
    return NULL;
}

/* "kg m-1 s-2, factor 100000, offset 0" */
static const char *unit_text(ib_fmu_diff *diff, const ib_fmi_unit *unit) {
    static const char *const bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    const char *text = "";
    if (!unit->has_base)
        return "no base unit";
    for (size_t i = 0; i < IB_COUNT(bases); i++)
        if (unit->exponents[i])
            text = print(diff, "%s%s%d ", text, bases[i], unit->exponents[i]);
    return print(diff, "%sfactor %s offset %s", text, number(diff, unit->factor),
                 number(diff, unit->offset));
}

static void compare_units(ib_fmu_diff *diff, const ib_fmi_description *p,
                          const ib_fmi_description *q) {
    for (size_t i = 0; i < p->n_units; i++) {
        const ib_fmi_unit *other = find_unit(q, p->units[i].name);
        if (other)
            compare(diff, "unit", p->units[i].name, "in base units", unit_text(diff, &p->units[i]),
                    unit_text(diff, other));
        else
            note(diff, "unit", p->units[i].name, "", unit_text(diff, &p->units[i]), NULL);
    }
    for (size_t i = 0; i < q->n_units; i++)
        if (!find_unit(p, q->units[i].name))
            note(diff, "unit", q->units[i].name, "", NULL, unit_text(diff, &q->units[i]));
}

/* ---- variables ----------------------------------------------------------------------------- */

static const char *shape(ib_fmu_diff *diff, const ib_fmu_variable_info *v) {
    const char *text = "";
    for (size_t i = 0; i < v->n_dimensions; i++)
        text = print(diff, "%s%s%" PRIu64, text, i ? "," : "", v->dimensions[i]);
    return text;
}

/* One line about a variable that only one of them has. */
static const char *summary(ib_fmu_diff *diff, const ib_fmu_variable_info *v) {
    return print(diff, "%s %s%s%s%s%s%s", v->causality, v->type, v->n_dimensions ? "[" : "",
                 shape(diff, v), v->n_dimensions ? "]" : "", *v->unit ? " " : "", v->unit);
}

static void compare_variable(ib_fmu_diff *diff, const ib_fmu *a, size_t i, const ib_fmu *b,
                             size_t k) {
    const ib_fmu_variable_info p = ib_fmu_variable(a, i), q = ib_fmu_variable(b, k);
    const ib_fmi_traits *s = &a->description->variables[i].traits,
                        *t = &b->description->variables[k].traits;
    const struct {
        const char *member, *a, *b;
    } members[] = {{"type", p.type, q.type},
                   {"shape", shape(diff, &p), shape(diff, &q)},
                   {"causality", p.causality, q.causality},
                   {"variability", p.variability, q.variability},
                   {"initial", p.initial, q.initial},
                   {"unit", p.unit, q.unit},
                   {"displayUnit", s->display_unit, t->display_unit},
                   {"quantity", s->quantity, t->quantity},
                   {"start", p.start, q.start},
                   {"min", s->min, t->min},
                   {"max", s->max, t->max},
                   {"nominal", s->nominal, t->nominal},
                   {"description", p.description, q.description}};
    for (size_t m = 0; m < IB_COUNT(members); m++)
        compare(diff, "variable", p.name, members[m].member, members[m].a, members[m].b);
    if (p.value_reference != q.value_reference)
        note(diff, "variable", p.name, "valueReference", print(diff, "%" PRIu32, p.value_reference),
             print(diff, "%" PRIu32, q.value_reference));
}

/* Index of the variable of just that name; aliases do not count. */
static size_t find_variable(const ib_fmu *fmu, const char *name) {
    const size_t i = ib_names_find(fmu->description->names, name);
    return i < fmu->description->n_variables ? i : SIZE_MAX;
}

static void compare_variables(ib_fmu_diff *diff, const ib_fmu *a, const ib_fmu *b) {
    for (size_t i = 0; i < a->description->n_variables; i++) {
        const ib_fmu_variable_info v = ib_fmu_variable(a, i);
        const size_t k = find_variable(b, v.name);
        if (k == SIZE_MAX)
            note(diff, "variable", v.name, "", summary(diff, &v), NULL);
        else
            compare_variable(diff, a, i, b, k);
    }
    for (size_t i = 0; i < b->description->n_variables; i++) {
        const ib_fmu_variable_info v = ib_fmu_variable(b, i);
        if (find_variable(a, v.name) == SIZE_MAX)
            note(diff, "variable", v.name, "", NULL, summary(diff, &v));
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

ib_status ib_fmu_diff_create(const ib_fmu *a, const ib_fmu *b, ib_diags *diags,
                             ib_fmu_diff **result) {
    ib_fmu_diff *diff = calloc(1, sizeof *diff);
    *result = NULL;
    if (diff)
        diff->arena = ib_arena_create();
    if (diff && diff->arena) {
        compare_whole(diff, a, b);
        compare_kinds(diff, a, b);
        compare_units(diff, a->description, b->description);
        compare_variables(diff, a, b);
    }
    if (!diff || !diff->arena || diff->failed) {
        ib_diags_no_memory(diags);
        ib_fmu_diff_destroy(diff);
        return IB_NO_MEMORY;
    }
    *result = diff;
    return IB_OK;
}

void ib_fmu_diff_destroy(ib_fmu_diff *diff) {
    if (!diff)
        return;
    ib_arena_destroy(diff->arena);
    free(diff->list);
    free(diff);
}

size_t ib_fmu_diff_count(const ib_fmu_diff *diff) { return diff->n; }

const ib_fmu_difference *ib_fmu_diff_at(const ib_fmu_diff *diff, size_t index) {
    return &diff->list[index];
}
