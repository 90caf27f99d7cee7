/* Columns and rows: every number that a run can record, read with one call a type. */
#include "fmi/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ------------------------------------------------------------------------------- */

/* Addresses of texts mean nothing to another process. */
static bool is_recordable(const ib_fmu_run *run, const ib_fmi_variable *v) {
    if (run->options.isolate && (v->type == IB_FMI_STRING || v->type == IB_FMI_BINARY))
        return false;
    return v->causality != IB_FMI_INDEPENDENT && v->causality != IB_FMI_STRUCTURAL_PARAMETER &&
           v->type != IB_FMI_CLOCK;
}

static ib_fmu_value value_of(ib_fmi_type type) {
    if (type == IB_FMI_FLOAT32 || type == IB_FMI_FLOAT64)
        return IB_FMU_VALUE_DOUBLE;
    if (type == IB_FMI_STRING || type == IB_FMI_BINARY)
        return IB_FMU_VALUE_TEXT;
    return type == IB_FMI_UINT64 ? IB_FMU_VALUE_UINT : IB_FMU_VALUE_INT;
}

/* "m[1,3]", the last index running fastest. */
static const char *element_name(ib_fmu_run *run, size_t variable, size_t element) {
    const ib_fmi_variable *v = &run->description->variables[variable];
    size_t block = run->n_values[variable];
    if (!v->n_dimensions)
        return v->name;
    ib_str text = {0};
    ib_str_add(&text, v->name);
    for (size_t k = 0; k < v->n_dimensions; k++) {
        block /= (size_t)ib_fmi_dimension_size(run, v, k);
        ib_str_printf(&text, "%s%zu", k ? "," : "[", element / block + 1);
        element %= block;
    }
    ib_str_add_char(&text, ']');
    const char *name = text.failed ? NULL : ib_arena_strdup(run->arena, text.data);
    ib_str_free(&text);
    return name;
}

ib_status ib_fmi_make_columns(ib_fmu_run *run) {
    const ib_fmi_description *d = run->description;
    for (size_t i = 0; i < d->n_variables; i++) {
        const ib_fmi_variable *v = &d->variables[i];
        for (size_t k = 0; is_recordable(run, v) && k < run->n_values[i]; k++) {
            const char *name = element_name(run, i, k);
            if (!name || !IB_VEC_RESERVE(run->columns, run->columns_capacity, run->n_columns))
                return ib_diags_no_memory(run->diags);
            run->columns[run->n_columns++] =
                (ib_fmi_column){.variable = i,
                                .element = k,
                                .about = {.name = name,
                                          .unit = v->traits.unit ? v->traits.unit : "",
                                          .description = v->description,
                                          .value = value_of(v->type),
                                          .output = v->causality == IB_FMI_OUTPUT}};
        }
    }
    return IB_OK;
}

void ib_fmi_free_columns(ib_fmu_run *run) {
    free(run->columns);
    free(run->recorded);
}

/* ---- groups -------------------------------------------------------------------------------- */

/* Variables of a type of which an element is wanted, in order; their elements lie one behind the
 * other in the group's buffer. */
static bool fill_group(ib_fmu_run *run, ib_fmi_type type, const bool *wanted) {
    const ib_fmi_description *d = run->description;
    ib_fmi_group *group = &run->groups[run->n_groups];
    size_t last = SIZE_MAX, start = 0;
    group->type = type;
    group->references = IB_ARENA_ARRAY(run->arena, d->n_variables + 1, uint32_t);
    if (!group->references)
        return false;
    for (size_t i = 0; i < run->n_columns; i++) {
        ib_fmi_column *column = &run->columns[i];
        if (!wanted[i] || d->variables[column->variable].type != type)
            continue;
        if (column->variable != last) {
            start = group->n_values;
            group->references[group->n++] = d->variables[column->variable].reference;
            group->n_values += run->n_values[column->variable];
            last = column->variable;
        }
        column->group = run->n_groups;
        column->offset = start + column->element;
    }
    if (!group->n)
        return true;
    const bool binary = type == IB_FMI_BINARY;
    group->buffer = ib_arena_alloc(run->arena, group->n_values,
                                   binary ? sizeof(const char *) : ib_fmi_value_size(type));
    group->sizes = binary ? IB_ARENA_ARRAY(run->arena, group->n_values, size_t) : NULL;
    run->n_groups++;
    return group->buffer && (!binary || group->sizes);
}

ib_status ib_fmi_make_groups(ib_fmu_run *run, const bool *wanted) {
    run->groups = IB_ARENA_ARRAY(run->arena, IB_FMI_TYPE_COUNT + 1, ib_fmi_group);
    run->recorded = calloc(run->n_columns + 1, sizeof *run->recorded);
    run->row = IB_ARENA_ARRAY(run->arena, run->n_columns + 1, double);
    if (!run->groups || !run->recorded || !run->row)
        return ib_diags_no_memory(run->diags);
    for (int type = 0; type < IB_FMI_TYPE_COUNT; type++)
        if (!fill_group(run, (ib_fmi_type)type, wanted))
            return ib_diags_no_memory(run->diags);
    for (size_t i = 0; i < run->n_columns; i++)
        if (wanted[i])
            run->recorded[run->n_recorded++] = i;
    run->direct = run->n_groups == 1 && run->groups[0].type == IB_FMI_FLOAT64 &&
                  run->groups[0].n_values == run->n_recorded;
    return IB_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int64_t whole_at(ib_fmi_type type, const uint8_t *bytes, size_t i) {
    switch (type) {
    case IB_FMI_INT8:
        return ((const int8_t *)bytes)[i];
    case IB_FMI_UINT8:
        return bytes[i];
    case IB_FMI_INT16:
        return ((const int16_t *)(const void *)bytes)[i];
    case IB_FMI_UINT16:
        return ((const uint16_t *)(const void *)bytes)[i];
    case IB_FMI_INT32:
        return ((const int32_t *)(const void *)bytes)[i];
    case IB_FMI_UINT32:
        return ((const uint32_t *)(const void *)bytes)[i];
    case IB_FMI_BOOLEAN:
        return ((const bool *)bytes)[i];
    default:
        return ((const int64_t *)(const void *)bytes)[i];
    }
}

static void fill_row(ib_fmu_run *run) {
    for (size_t i = 0; i < run->n_recorded; i++) {
        const ib_fmi_column *column = &run->columns[run->recorded[i]];
        const ib_fmi_group *group = &run->groups[column->group];
        if (group->type == IB_FMI_FLOAT64) {
            run->row[i] = ((const double *)(const void *)group->buffer)[column->offset];
        } else if (column->about.value == IB_FMU_VALUE_TEXT) {
            memcpy(&run->row[i], group->buffer + column->offset * sizeof(const char *),
                   sizeof(const char *));
        } else if (group->type == IB_FMI_FLOAT32) {
            run->row[i] = (double)((const float *)(const void *)group->buffer)[column->offset];
        } else {
            const int64_t whole = whole_at(group->type, group->buffer, column->offset);
            memcpy(&run->row[i], &whole, sizeof whole);
        }
    }
}

/* Says of each column once that it is not finite. */
static ib_status check_finite(ib_fmu_run *run, const double *row, double time) {
    for (size_t i = 0; i < run->n_recorded; i++) {
        ib_fmi_column *column = &run->columns[run->recorded[i]];
        if (row[i] - row[i] == 0 || column->not_finite ||
            column->about.value != IB_FMU_VALUE_DOUBLE)
            continue;
        char number[IB_NUMBER_SIZE], value[IB_NUMBER_SIZE];
        column->not_finite = true;
        if (run->options.fail_on_nan)
            return ib_fmi_fail(run, IB1045, "%s is %s", column->about.name,
                               ib_number_text(row[i], value));
        ib_diags_add(run->diags, IB_WARNING, IB1045, IB_NO_PLACE, "%s: %s is %s at t = %s s",
                     run->description->name, column->about.name, ib_number_text(row[i], value),
                     ib_number_text(time, number));
    }
    return IB_OK;
}

static ib_status stamp_of(ib_fmu_run *run, double time, ib_time *stamp) {
    if (ib_time_from_seconds(time, stamp))
        return IB_OK;
    return ib_fmi_fail(run, IB1044, "the time is beyond what can be recorded");
}

/* Reads values of a type; texts are kept, so that their addresses stay. */
static ib_status read_group(ib_fmu_run *run, const ib_fmi_group *group) {
    const char **texts = (const char **)(void *)group->buffer;
    const bool binary = group->type == IB_FMI_BINARY;
    const ib_status status =
        binary ? ib_fmi_get_binary(run->instance, group->references, group->n, group->sizes,
                                   (const uint8_t **)(void *)group->buffer, group->n_values)
               : ib_fmi_get(run->instance, group->type, group->references, group->n, group->buffer,
                            group->n_values);
    if (status != IB_OK || (!binary && group->type != IB_FMI_STRING))
        return status;
    for (size_t k = 0; k < group->n_values; k++) {
        texts[k] = binary ? ib_fmi_keep_bytes(run, (const uint8_t *)texts[k], group->sizes[k])
                          : ib_fmi_keep_shown(run, texts[k] ? texts[k] : "");
        if (!texts[k])
            return ib_fmi_fail(run, IB0103, "the texts to record do not fit into memory");
    }
    return IB_OK;
}

/* Reads a row and hands it on. */
static ib_status push(ib_fmu_run *run, double time, ib_time stamp) {
    for (size_t i = 0; i < run->n_groups; i++) {
        const ib_status status = read_group(run, &run->groups[i]);
        if (status != IB_OK)
            return status;
    }
    const double *row = run->row;
    if (run->direct)
        row = (const double *)(const void *)run->groups[0].buffer;
    else
        fill_row(run);
    ib_status status = check_finite(run, row, time);
    if (status == IB_OK)
        status = run->sink.push(run->sink.context, stamp, row);
    if (status != IB_OK)
        return status;
    run->any_row = true;
    run->last_row = stamp;
    run->statistics.rows++;
    return IB_OK;
}

ib_status ib_fmi_record(ib_fmu_run *run, double time) {
    ib_time stamp;
    const ib_status status = run->sink.push ? stamp_of(run, time, &stamp) : IB_OK;
    if (!run->sink.push || status != IB_OK || (run->any_row && stamp <= run->last_row))
        return status;
    return push(run, time, stamp);
}

ib_status ib_fmi_record_again(ib_fmu_run *run, double time) {
    ib_time stamp;
    const ib_status status = run->sink.push ? stamp_of(run, time, &stamp) : IB_OK;
    if (!run->sink.push || status != IB_OK)
        return status;
    return push(run, time, run->any_row && stamp < run->last_row ? run->last_row : stamp);
}
