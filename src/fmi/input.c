/* Inputs from a table: continuous ones are straight lines between rows, all others hold.
 *
 * Before the first row its values hold, behind the last row its own. Two rows at one time are a
 * jump: the first one's values come before it, the last one's after. Values keep their type all the
 * way; 64-bit integers never pass through a double. Binaries are written as hexadecimal digits.
 */
#include "fmi/reader.h"
#include "fmi/run.h"

#include <math.h> /* HUGE_VAL only */
#include <stdlib.h>
#include <string.h>

void ib_fmi_inputs_free(ib_fmi_inputs *inputs) {
    for (size_t i = 0; i < inputs->n_columns; i++)
        free(inputs->columns[i].cells);
    for (size_t i = 0; i < inputs->n_targets; i++)
        free(inputs->targets[i].values);
    free(inputs->columns);
    free(inputs->targets);
    free(inputs->times);
    *inputs = (ib_fmi_inputs){0};
}

/* ---- the table ----------------------------------------------------------------------------- */

static const ib_fmi_variable *variable_of(const ib_fmu_run *run,
                                          const ib_fmi_input_column *column) {
    return &run->description->variables[run->inputs.targets[column->target].variable];
}

static bool is_text(ib_fmi_type type) { return type == IB_FMI_STRING || type == IB_FMI_BINARY; }

static size_t cell_size(ib_fmi_type type) {
    return is_text(type) ? sizeof(const char *) : ib_fmi_value_size(type);
}

/* Texts at the start, where the table does not name every element. */
static void start_texts(const ib_fmi_variable *v, const char **values, size_t n) {
    for (size_t k = 0; k < n; k++)
        values[k] = k < v->n_starts && v->type == IB_FMI_STRING && v->starts ? v->starts[k] : "";
}

/* A cell of the table: a number, or the address of a text. */
static bool read_cell(ib_fmu_run *run, const ib_fmi_variable *v, const char *text, void *cell) {
    if (!is_text(v->type))
        return ib_fmi_read_value(run->description, v, text, strlen(text), cell);
    const bool good = v->type == IB_FMI_STRING || ib_fmi_parse_hex(text, strlen(text), NULL);
    const char *kept = good ? ib_fmi_keep_text(run, text) : NULL;
    memcpy(cell, &kept, sizeof(const char *));
    return kept;
}

static size_t find_target(ib_fmu_run *run, size_t variable) {
    ib_fmi_inputs *inputs = &run->inputs;
    const ib_fmi_variable *v = &run->description->variables[variable];
    for (size_t i = 0; i < inputs->n_targets; i++)
        if (inputs->targets[i].variable == variable)
            return i;
    if (!IB_VEC_RESERVE(inputs->targets, inputs->targets_capacity, inputs->n_targets))
        return SIZE_MAX;
    ib_fmi_input_target target = {.variable = variable, .n = run->n_values[variable]};
    target.values = calloc(target.n + 1, cell_size(v->type));
    if (!target.values)
        return SIZE_MAX;
    if (is_text(v->type))
        start_texts(v, (const char **)(void *)target.values, target.n);
    else
        ib_fmi_start_values(v, target.n, target.values);
    inputs->targets[inputs->n_targets] = target;
    return inputs->n_targets++;
}

static ib_status refuse(ib_diags *diags, ib_place place, const char *name, const char *why) {
    ib_diags_add(diags, IB_ERROR, IB0903, place, "'%.200s' %s", name, why);
    return IB_BAD_INPUT;
}

ib_status ib_fmu_run_input(ib_fmu_run *run, const char *name, ib_place place, ib_diags *diags) {
    ib_fmi_inputs *inputs = &run->inputs;
    size_t variable, element;
    if (!ib_fmi_find_element(run, name, &variable, &element)) {
        ib_fmi_complain_unknown(diags, run->description, name, "--input");
        return IB_BAD_INPUT;
    }
    const ib_fmi_variable *v = &run->description->variables[variable];
    if (v->causality != IB_FMI_INPUT)
        return refuse(diags, place, name, "is no input of the FMU");
    if (v->type == IB_FMI_CLOCK && run->options.kind != IB_FMU_SCHEDULED_EXECUTION)
        return refuse(diags, place, name, "is a clock, which ticks in Scheduled Execution alone");
    if (v->type == IB_FMI_CLOCK && v->clock->interval != IB_FMI_INTERVAL_TRIGGERED)
        return refuse(diags, place, name, "is a clock that ticks by itself");
    if (element == SIZE_MAX && run->n_values[variable] != 1)
        return refuse(diags, place, name, "is an array: name its elements, as in x[1]");
    const size_t target = find_target(run, variable);
    if (target == SIZE_MAX ||
        !IB_VEC_RESERVE(inputs->columns, inputs->columns_capacity, inputs->n_columns))
        return ib_diags_no_memory(diags);
    element = element == SIZE_MAX ? 0 : element;
    for (size_t i = 0; i < inputs->n_columns; i++)
        if (inputs->columns[i].target == target && inputs->columns[i].element == element)
            return refuse(diags, place, name, "has two columns");
    inputs->columns[inputs->n_columns++] =
        (ib_fmi_input_column){.target = target, .element = element};
    return IB_OK;
}

ib_status ib_fmu_run_input_row(ib_fmu_run *run, double time, const char *const *fields,
                               ib_place place, ib_diags *diags) {
    ib_fmi_inputs *inputs = &run->inputs;
    if (inputs->n_rows && time < inputs->times[inputs->n_rows - 1]) {
        ib_diags_add(diags, IB_ERROR, IB0903, place,
                     "the time is earlier than that of the row before");
        return IB_BAD_INPUT;
    }
    if (!IB_VEC_RESERVE(inputs->times, inputs->times_capacity, inputs->n_rows))
        return ib_diags_no_memory(diags);
    for (size_t i = 0; i < inputs->n_columns; i++) {
        ib_fmi_input_column *column = &inputs->columns[i];
        const ib_fmi_variable *v = variable_of(run, column);
        const size_t size = cell_size(v->type);
        if (!ib_vec_reserve(&column->cells, &column->capacity, inputs->n_rows, size))
            return ib_diags_no_memory(diags);
        if (read_cell(run, v, fields[i], column->cells + inputs->n_rows * size))
            continue;
        ib_diags_add(diags, IB_ERROR, IB0903, place, "'%.80s' is no value of %.200s, of type %s",
                     fields[i], v->name, ib_fmi_type_name(v->type));
        return IB_BAD_INPUT;
    }
    inputs->times[inputs->n_rows++] = time;
    return IB_OK;
}

/* ---- times --------------------------------------------------------------------------------- */

/* Moves to the last row at or before the time; on the left side of a jump, to its first row. */
static size_t seek(ib_fmi_inputs *inputs, double time, bool left) {
    size_t row = inputs->row;
    while (row && inputs->times[row] > time)
        row--;
    while (row + 1 < inputs->n_rows && inputs->times[row + 1] <= time)
        row++;
    inputs->row = row;
    while (left && row && inputs->times[row] == time && inputs->times[row - 1] == time)
        row--;
    return row;
}

static bool same_row(const ib_fmu_run *run, const ib_fmi_input_column *column, size_t a, size_t b) {
    const size_t size = cell_size(variable_of(run, column)->type);
    return memcmp(column->cells + a * size, column->cells + b * size, size) == 0;
}

/* A row is an event when it stands at the time of the one before, or changes what holds. */
static bool is_event(const ib_fmu_run *run, size_t row) {
    const ib_fmi_inputs *inputs = &run->inputs;
    if (!row)
        return false;
    const bool jump = inputs->times[row] == inputs->times[row - 1];
    for (size_t i = 0; i < inputs->n_columns; i++) {
        const ib_fmi_input_column *column = &inputs->columns[i];
        if (!jump && variable_of(run, column)->variability == IB_FMI_CONTINUOUS)
            continue;
        if (!same_row(run, column, row, row - 1))
            return true;
    }
    return false;
}

double ib_fmi_next_input_event(const ib_fmu_run *run, double time) {
    const ib_fmi_inputs *inputs = &run->inputs;
    size_t row = inputs->row;
    while (row && inputs->times[row] > time)
        row--;
    for (; row < inputs->n_rows; row++)
        if (inputs->times[row] > time && is_event(run, row))
            return inputs->times[row];
    return HUGE_VAL;
}

double ib_fmi_next_input_row(const ib_fmu_run *run, double time) {
    const ib_fmi_inputs *inputs = &run->inputs;
    size_t row = inputs->row;
    while (row && inputs->times[row] > time)
        row--;
    while (row < inputs->n_rows && inputs->times[row] <= time)
        row++;
    return row < inputs->n_rows ? inputs->times[row] : HUGE_VAL;
}

bool ib_fmi_input_event_at(const ib_fmu_run *run, double time) {
    const ib_fmi_inputs *inputs = &run->inputs;
    for (size_t row = inputs->row; inputs->n_rows && inputs->times[row] == time; row--) {
        if (is_event(run, row))
            return true;
        if (!row)
            break;
    }
    return false;
}

/* ---- setting ------------------------------------------------------------------------------- */

static double weigh(const ib_fmi_inputs *inputs, size_t row, double time, double a, double b) {
    const double span = inputs->times[row + 1] - inputs->times[row];
    const double part = (time - inputs->times[row]) / span;
    return a + part * (b - a);
}

static void interpolate(const ib_fmu_run *run, const ib_fmi_input_column *column, size_t row,
                        double time, void *value) {
    const ib_fmi_inputs *inputs = &run->inputs;
    const ib_fmi_variable *v = variable_of(run, column);
    const size_t size = cell_size(v->type);
    memcpy(value, column->cells + row * size, size);
    const bool between = row + 1 < inputs->n_rows && time > inputs->times[row] &&
                         inputs->times[row + 1] > inputs->times[row];
    if (!between || v->variability != IB_FMI_CONTINUOUS)
        return;
    if (v->type == IB_FMI_FLOAT64) {
        double ends[2];
        memcpy(ends, column->cells + row * size, sizeof ends);
        const double result = weigh(inputs, row, time, ends[0], ends[1]);
        memcpy(value, &result, size);
    } else if (v->type == IB_FMI_FLOAT32) {
        float ends[2];
        memcpy(ends, column->cells + row * size, sizeof ends);
        const float result = (float)weigh(inputs, row, time, (double)ends[0], (double)ends[1]);
        memcpy(value, &result, size);
    }
}

static ib_status set_targets(ib_fmu_run *run) {
    ib_fmi_inputs *inputs = &run->inputs;
    ib_status status = IB_OK;
    for (size_t i = 0; i < inputs->n_targets && status == IB_OK; i++) {
        ib_fmi_input_target *target = &inputs->targets[i];
        const ib_fmi_variable *v = &run->description->variables[target->variable];
        if (target->changed && v->type == IB_FMI_BINARY)
            status = ib_fmi_set_hex(run->instance, v->reference,
                                    (const char *const *)(const void *)target->values, target->n);
        else if (target->changed)
            status =
                ib_fmi_set(run->instance, v->type, &v->reference, 1, target->values, target->n);
        target->sent |= target->changed;
        target->changed = false;
    }
    return status;
}

void ib_fmi_forget_inputs(ib_fmu_run *run) {
    for (size_t i = 0; i < run->inputs.n_targets; i++)
        run->inputs.targets[i].sent = false;
}

ib_status ib_fmi_apply_inputs(ib_fmu_run *run, double time, bool left, bool only_continuous) {
    ib_fmi_inputs *inputs = &run->inputs;
    if (!inputs->n_rows)
        return IB_OK;
    const size_t row = seek(inputs, time, left);
    for (size_t i = 0; i < inputs->n_columns; i++) {
        const ib_fmi_input_column *column = &inputs->columns[i];
        ib_fmi_input_target *target = &inputs->targets[column->target];
        const ib_fmi_variable *v = variable_of(run, column);
        const size_t size = cell_size(v->type);
        uint64_t value = 0;
        if ((only_continuous && v->variability != IB_FMI_CONTINUOUS) ||
            (run->within_step && !v->intermediate) || v->type == IB_FMI_CLOCK)
            continue;
        interpolate(run, column, row, time, &value);
        uint8_t *place = target->values + column->element * size;
        target->changed |= !target->sent || memcmp(place, &value, size) != 0;
        memcpy(place, &value, size);
    }
    return set_targets(run);
}
