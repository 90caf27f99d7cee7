/* Values for variables from outside: names, elements of arrays, values as text, and setting them.
 *
 * Everything is found wrong before a library is loaded: names that there are not, variables that
 * nobody may set, values that are none.
 */
#include "fmi/reader.h"
#include "fmi/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES ((uint64_t)1 << 28)

/* ---- names --------------------------------------------------------------------------------- */

uint64_t ib_fmi_dimension_size(const ib_fmu_run *run, const ib_fmi_variable *v, size_t k) {
    const ib_fmi_dimension *dimension = &v->dimensions[k];
    if (!dimension->by_reference)
        return dimension->size;
    const size_t source =
        ib_fmi_by_reference(run->description, IB_FMI_UINT64, dimension->reference);
    for (size_t i = 0; i < run->n_settings; i++)
        if (run->settings[i].variable == source) {
            uint64_t size;
            memcpy(&size, run->settings[i].values, sizeof size);
            return size;
        }
    return v->sizes[k];
}

/* The element that [1,3] means, counted from 0; false when it is none of the array. */
static bool find_index(const ib_fmu_run *run, const ib_fmi_variable *v, const char *text,
                       size_t *element) {
    size_t k = 0;
    *element = 0;
    for (; *text && *text != ']'; k++) {
        const size_t n = strcspn(text, ",]");
        uint64_t index;
        if (k == v->n_dimensions || !ib_fmi_parse_value(IB_FMI_UINT64, text, n, &index) || !index ||
            index > ib_fmi_dimension_size(run, v, k))
            return false;
        *element = *element * (size_t)ib_fmi_dimension_size(run, v, k) + (size_t)index - 1;
        text += n + (text[n] == ',');
    }
    return k == v->n_dimensions && text[0] == ']' && !text[1];
}

bool ib_fmi_find_element(const ib_fmu_run *run, const char *name, size_t *variable,
                         size_t *element) {
    *element = SIZE_MAX;
    *variable = ib_fmu_find(run->fmu, name);
    if (*variable != SIZE_MAX)
        return true;
    const char *bracket = strrchr(name, '[');
    if (!bracket)
        return false;
    ib_str base = {0};
    ib_str_add_n(&base, name, (size_t)(bracket - name));
    *variable = base.data && !base.failed ? ib_fmu_find(run->fmu, base.data) : SIZE_MAX;
    ib_str_free(&base);
    return *variable != SIZE_MAX &&
           find_index(run, &run->description->variables[*variable], bracket + 1, element);
}

void ib_fmi_complain_unknown(ib_diags *diags, const ib_fmi_description *d, const char *name,
                             const char *what) {
    const char **names = calloc(d->n_variables + 1, sizeof *names);
    for (size_t i = 0; names && i < d->n_variables; i++)
        names[i] = d->variables[i].name;
    const char *nearest = names ? ib_nearest_name(name, names, d->n_variables) : NULL;
    ib_diags_add(diags, IB_ERROR, IB1034, IB_NO_PLACE, "%s: the FMU has no variable '%.200s'", what,
                 name);
    if (nearest)
        ib_diags_suggest(diags, "did you mean '%s'?", nearest);
    free(names);
}

/* ---- values -------------------------------------------------------------------------------- */

bool ib_fmi_read_value(const ib_fmi_description *d, const ib_fmi_variable *v, const char *text,
                       size_t length, void *value) {
    if (ib_fmi_parse_value(v->type, text, length, value))
        return true;
    if (v->type != IB_FMI_ENUMERATION || !v->declared_type)
        return false;
    for (size_t i = 0; i < d->n_types; i++)
        for (size_t k = 0;
             strcmp(d->types[i].name, v->declared_type) == 0 && k < d->types[i].n_items; k++)
            if (strlen(d->types[i].items[k].name) == length &&
                strncmp(d->types[i].items[k].name, text, length) == 0) {
                memcpy(value, &d->types[i].items[k].value, sizeof(int64_t));
                return true;
            }
    return false;
}

void ib_fmi_start_values(const ib_fmi_variable *v, size_t n, void *values) {
    const size_t size = ib_fmi_value_size(v->type);
    const char *cursor = v->start, *token;
    size_t length, k = 0;
    uint8_t *bytes = values;
    memset(values, 0, n * size);
    while (k < n && cursor && (token = ib_fmi_token(&cursor, &length)))
        ib_fmi_parse_value(v->type, token, length, bytes + size * k++);
    /* One value stands for all elements. */
    for (size_t i = 1; v->n_starts == 1 && i < n; i++)
        memcpy(bytes + size * i, bytes, size);
}

/* The next value in "[1, 2, 3]" or "1 2 3". */
static const char *next_part(const char **cursor, size_t *length) {
    const char *start = *cursor + strspn(*cursor, " \t,[]");
    *length = strcspn(start, " \t,[]");
    *cursor = start + *length;
    return *length ? start : NULL;
}

/* Reads all values of the text to `values` (n of them wanted). */
static bool read_values(const ib_fmu_run *run, const ib_fmi_variable *v, const char *text, size_t n,
                        uint8_t *values) {
    const char *part;
    size_t length, k = 0;
    while ((part = next_part(&text, &length))) {
        if (k == n || !ib_fmi_read_value(run->description, v, part, length,
                                         values + k * ib_fmi_value_size(v->type)))
            return false;
        k++;
    }
    return k == n;
}

/* ---- settings ------------------------------------------------------------------------------ */

/* Why the variable cannot be set, or NULL. */
static const char *why_not(const ib_fmi_variable *v) {
    if (v->causality == IB_FMI_INDEPENDENT)
        return "is the independent variable";
    if (v->variability == IB_FMI_CONSTANT)
        return "is constant";
    if (v->causality == IB_FMI_INPUT || v->initial == IB_FMI_EXACT || v->initial == IB_FMI_APPROX)
        return v->type == IB_FMI_CLOCK ? "is a clock" : NULL;
    return "is calculated by the FMU";
}

static ib_fmi_setting *setting_of(ib_fmu_run *run, size_t variable) {
    for (size_t i = 0; i < run->n_settings; i++)
        if (run->settings[i].variable == variable)
            return &run->settings[i];
    if (!IB_VEC_RESERVE(run->settings, run->settings_capacity, run->n_settings))
        return NULL;
    const ib_fmi_variable *v = &run->description->variables[variable];
    const size_t n = run->n_values[variable];
    ib_fmi_setting setting = {.variable = variable, .n = n};
    if (v->type != IB_FMI_STRING && v->type != IB_FMI_BINARY) {
        setting.values = ib_arena_alloc(run->arena, n + 1, ib_fmi_value_size(v->type));
        if (!setting.values)
            return NULL;
        ib_fmi_start_values(v, n, setting.values);
    }
    run->settings[run->n_settings] = setting;
    return &run->settings[run->n_settings++];
}

static ib_status complain_value(ib_fmu_run *run, const ib_fmu_set *set, const ib_fmi_variable *v,
                                size_t n) {
    if (n == 1)
        ib_diags_add(run->diags, IB_ERROR, IB1035, IB_NO_PLACE,
                     "--set %.200s: '%.200s' is no value of type %s", set->name, set->value,
                     ib_fmi_type_name(v->type));
    else
        ib_diags_add(run->diags, IB_ERROR, IB1035, IB_NO_PLACE,
                     "--set %.200s: '%.200s' is not %zu values of type %s", set->name, set->value,
                     n, ib_fmi_type_name(v->type));
    return IB_BAD_INPUT;
}

static ib_status read_text(ib_fmu_run *run, const ib_fmu_set *set, const ib_fmi_variable *v,
                           size_t element, ib_fmi_setting *setting) {
    setting->text = ib_arena_strdup(run->arena, set->value);
    if (!setting->text)
        return ib_diags_no_memory(run->diags);
    const bool hex =
        v->type == IB_FMI_STRING || ib_fmi_parse_hex(set->value, strlen(set->value), NULL);
    if (setting->n == 1 && hex && (element == SIZE_MAX || element == 0))
        return IB_OK;
    return complain_value(run, set, v, setting->n);
}

static ib_status read_setting(ib_fmu_run *run, const ib_fmu_set *set, size_t variable,
                              size_t element) {
    const ib_fmi_variable *v = &run->description->variables[variable];
    ib_fmi_setting *setting = setting_of(run, variable);
    if (!setting)
        return ib_diags_no_memory(run->diags);
    if (!setting->values)
        return read_text(run, set, v, element, setting);
    const size_t n = element == SIZE_MAX ? setting->n : 1;
    uint8_t *values = setting->values;
    if (element != SIZE_MAX)
        values += element * ib_fmi_value_size(v->type);
    return read_values(run, v, set->value, n, values) ? IB_OK : complain_value(run, set, v, n);
}

/* Reads a setting when it is one of a structural parameter, or when it is none. */
static ib_status read_one(ib_fmu_run *run, const ib_fmu_set *set, bool structural) {
    size_t variable, element;
    const bool found = ib_fmi_find_element(run, set->name, &variable, &element);
    if (!found) {
        if (!structural)
            ib_fmi_complain_unknown(run->diags, run->description, set->name, "--set");
        return structural ? IB_OK : IB_BAD_INPUT;
    }
    const ib_fmi_variable *v = &run->description->variables[variable];
    if ((v->causality == IB_FMI_STRUCTURAL_PARAMETER) != structural)
        return IB_OK;
    const char *why = why_not(v);
    if (!why)
        return read_setting(run, set, variable, element);
    ib_diags_add(run->diags, IB_ERROR, IB1034, IB_NO_PLACE, "--set: %.200s %s and cannot be set",
                 set->name, why);
    return IB_BAD_INPUT;
}

/* Sizes by the structural parameters as they are set now. */
static ib_status resize(ib_fmu_run *run) {
    const ib_fmi_description *d = run->description;
    for (size_t i = 0; i < d->n_variables; i++) {
        const ib_fmi_variable *v = &d->variables[i];
        uint64_t n = 1;
        for (size_t k = 0; k < v->n_dimensions; k++) {
            const uint64_t size = ib_fmi_dimension_size(run, v, k);
            if (size > MOST_VALUES || n * size > MOST_VALUES) {
                ib_diags_add(run->diags, IB_ERROR, IB1023, IB_NO_PLACE,
                             "%.200s would have more than %llu elements", v->name,
                             (unsigned long long)MOST_VALUES);
                return IB_BAD_INPUT;
            }
            n *= size;
        }
        run->n_values[i] = (size_t)n;
    }
    return IB_OK;
}

ib_status ib_fmi_read_settings(ib_fmu_run *run, const ib_fmu_set *sets, size_t n) {
    ib_status result = IB_OK;
    for (int structural = 1; structural >= 0; structural--) {
        for (size_t i = 0; i < n; i++) {
            const ib_status status = read_one(run, &sets[i], structural);
            result = status == IB_OK ? result : status;
        }
        if (structural && result == IB_OK)
            result = resize(run);
        if (result != IB_OK && structural)
            return result;
    }
    return result;
}

/* ---- setting ------------------------------------------------------------------------------- */

static ib_status apply_one(ib_fmu_run *run, const ib_fmi_setting *setting) {
    const ib_fmi_variable *v = &run->description->variables[setting->variable];
    if (v->type == IB_FMI_STRING)
        return ib_fmi_set(run->instance, v->type, &v->reference, 1, &setting->text, 1);
    if (v->type != IB_FMI_BINARY)
        return ib_fmi_set(run->instance, v->type, &v->reference, 1, setting->values, setting->n);
    const size_t length = strlen(setting->text), size = length / 2;
    uint8_t *bytes = ib_arena_alloc(run->arena, size + 1, 1);
    if (!bytes || !ib_fmi_parse_hex(setting->text, length, bytes))
        return ib_diags_no_memory(run->diags);
    const uint8_t *values[] = {bytes};
    return ib_fmi_set_binary(run->instance, v->reference, 1, &size, values);
}

static ib_status apply_where(ib_fmu_run *run, bool structural) {
    ib_status status = IB_OK;
    for (size_t i = 0; i < run->n_settings && status == IB_OK; i++) {
        const ib_fmi_variable *v = &run->description->variables[run->settings[i].variable];
        if ((v->causality == IB_FMI_STRUCTURAL_PARAMETER) == structural)
            status = apply_one(run, &run->settings[i]);
    }
    return status;
}

static bool any_structural(const ib_fmu_run *run) {
    for (size_t i = 0; i < run->n_settings; i++)
        if (run->description->variables[run->settings[i].variable].causality ==
            IB_FMI_STRUCTURAL_PARAMETER)
            return true;
    return false;
}

ib_status ib_fmi_apply_settings(ib_fmu_run *run) {
    ib_status status = IB_OK;
    ib_fmi_instance *i = run->instance;
    if (any_structural(run)) {
        const ib_fmi_functions3 *f = &i->library.f3;
        if (!f->EnterConfigurationMode || !f->ExitConfigurationMode)
            return ib_fmi_after(i, "fmi3EnterConfigurationMode (missing)", IB_FMI_ERRED);
        status = IB_FMI_CALL(i, "fmi3EnterConfigurationMode",
                             (int)f->EnterConfigurationMode(i->component));
        if (status == IB_OK)
            status = apply_where(run, true);
        if (status == IB_OK)
            status = IB_FMI_CALL(i, "fmi3ExitConfigurationMode",
                                 (int)f->ExitConfigurationMode(i->component));
    }
    return status == IB_OK ? apply_where(run, false) : status;
}
