/* An FMU as users see it: opened, described, closed. */
#include "fmi/fmu.h"

#include <math.h> /* NAN only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_DESCRIPTION ((size_t)1 << 30)

/* ---- opening ------------------------------------------------------------------------------- */

static ib_status no_memory(ib_diags *diags, const char *path) {
    ib_diags_add(diags, IB_ERROR, IB0103, IB_NO_PLACE, "out of memory: '%s'", path);
    return IB_NO_MEMORY;
}

static ib_status read_description(ib_fmu *fmu, ib_fmu_rigour rigour, ib_diags *diags) {
    ib_str file = {0}, name = {0};
    char *text = NULL;
    size_t length;
    ib_str_printf(&file, "%s/modelDescription.xml", fmu->folder.path);
    ib_str_printf(&name, "%s/modelDescription.xml", fmu->path);
    ib_status status = file.failed || name.failed ? no_memory(diags, fmu->path) : IB_OK;
    if (status == IB_OK && !ib_file_exists(file.data)) {
        ib_diags_add(diags, IB_ERROR, IB1001,
                     (ib_place){.file = diags ? ib_diags_file(diags, fmu->path) : fmu->path},
                     "there is no modelDescription.xml in the archive, so it is no FMU");
        status = IB_BAD_INPUT;
    }
    if (status == IB_OK)
        status = ib_file_read(file.data, LARGEST_DESCRIPTION, diags, IB_NO_PLACE, &text, &length);
    if (status == IB_OK)
        status = ib_fmi_description_read(name.data, text, length, rigour, diags, &fmu->description);
    free(text);
    ib_str_free(&file);
    ib_str_free(&name);
    return status;
}

ib_status ib_fmu_open(const char *path, ib_fmu_rigour rigour, ib_diags *diags, ib_fmu **result) {
    *result = NULL;
    ib_fmu *fmu = calloc(1, sizeof *fmu);
    if (!fmu)
        return no_memory(diags, path);
    fmu->folder.lock = -1;
    fmu->path = strdup(path);
    fmu->texts = ib_arena_create();
    ib_status status = fmu->path && fmu->texts ? IB_OK : no_memory(diags, path);
    if (status == IB_OK)
        status = ib_fmi_folder_open(diags, &fmu->folder);
    if (status == IB_OK)
        status = ib_fmi_unpack(path, fmu->folder.path, diags);
    if (status == IB_OK)
        status = read_description(fmu, rigour, diags);
    if (status == IB_OK)
        *result = fmu;
    else
        ib_fmu_close(fmu);
    return status;
}

void ib_fmu_close(ib_fmu *fmu) {
    if (!fmu)
        return;
    ib_fmi_folder_close(&fmu->folder);
    ib_fmi_description_destroy(fmu->description);
    for (size_t kind = 0; kind < IB_FMU_KINDS; kind++)
        free(fmu->roots[kind]);
    ib_arena_destroy(fmu->texts);
    free(fmu->path);
    free(fmu);
}

/* ---- describing ---------------------------------------------------------------------------- */

ib_fmu_info ib_fmu_describe(const ib_fmu *fmu) {
    const ib_fmi_description *d = fmu->description;
    return (ib_fmu_info){.name = d->name,
                         .description = d->description,
                         .author = d->author,
                         .version = d->model_version,
                         .copyright = d->copyright,
                         .license = d->license,
                         .tool = d->tool,
                         .date = d->date,
                         .token = d->token,
                         .fmi = d->version,
                         .fmi_version = d->version_text,
                         .start = d->start,
                         .stop = d->stop,
                         .step = d->step,
                         .tolerance = d->tolerance,
                         .n_variables = d->n_variables,
                         .n_states = d->structure[IB_FMI_DERIVATIVES].n,
                         .n_event_indicators = d->version == 2
                                                   ? (size_t)d->said_event_indicators
                                                   : d->structure[IB_FMI_EVENT_INDICATORS].n};
}

bool ib_fmu_has_kind(const ib_fmu *fmu, ib_fmu_kind kind) {
    return kind < IB_FMU_KINDS && fmu->description->interfaces[kind].exists;
}

const char *ib_fmu_kind_name(ib_fmu_kind kind) {
    static const char *const names[] = {"Model Exchange", "Co-Simulation", "Scheduled Execution"};
    return kind < IB_FMU_KINDS ? names[kind] : "";
}

const char *ib_fmu_identifier(const ib_fmu *fmu, ib_fmu_kind kind) {
    return ib_fmu_has_kind(fmu, kind) ? fmu->description->interfaces[kind].identifier : NULL;
}

/* Name of the flag for a kind and version, or NULL when they have it not. */
static const char *flag_name(unsigned version, ib_fmu_kind kind, size_t flag) {
    static const struct {
        const char *names[2];
        bool kinds[IB_FMU_KINDS];
    } table[] = {
#define ROW(key, name3, name2, me, cs, se) {{name2, name3}, {me, cs, se}},
        IB_FMI_FLAGS(ROW)
#undef ROW
    };
    return table[flag].kinds[kind] ? table[flag].names[version - 2] : NULL;
}

/* Flags that are numbers come behind the others. */
static bool number_flag(const ib_fmu *fmu, ib_fmu_kind kind, size_t index, const char **name,
                        const char **value) {
    const ib_fmi_interface *interface = &fmu->description->interfaces[kind];
    char number[IB_NUMBER_SIZE] = "";
    if (kind != IB_FMU_CO_SIMULATION || index > (fmu->description->version == 3 ? 1 : 0))
        return false;
    *name = index ? "fixedInternalStepSize" : "maxOutputDerivativeOrder";
    if (index == 0)
        snprintf(number, sizeof number, "%u", interface->output_derivatives);
    else if (interface->fixed_step == interface->fixed_step)
        ib_number_text(interface->fixed_step, number);
    *value = ib_arena_strdup(fmu->texts, number);
    return *value != NULL;
}

bool ib_fmu_capability(const ib_fmu *fmu, ib_fmu_kind kind, size_t index, const char **name,
                       const char **value) {
    if (!ib_fmu_has_kind(fmu, kind))
        return false;
    for (size_t flag = 0; flag < IB_FMI_FLAG_COUNT; flag++) {
        *name = flag_name(fmu->description->version, kind, flag);
        if (!*name || index--)
            continue;
        *value = fmu->description->interfaces[kind].flags[flag] ? "true" : "false";
        return true;
    }
    return number_flag(fmu, kind, index, name, value);
}

/* Start values of strings one behind the other, each in quotes where there are several. */
static const char *start_text(const ib_fmu *fmu, const ib_fmi_variable *v) {
    if (v->start || !v->n_starts)
        return v->start ? v->start : "";
    if (v->n_starts == 1)
        return v->starts[0];
    ib_str text = {0};
    for (size_t i = 0; i < v->n_starts; i++)
        ib_str_printf(&text, "%s\"%s\"", i ? " " : "", v->starts[i]);
    const char *kept = text.failed ? NULL : ib_arena_strdup(fmu->texts, text.data);
    ib_str_free(&text);
    return kept ? kept : "";
}

static const char *type_name(unsigned version, ib_fmi_type type) {
    if (version == 2 && type == IB_FMI_FLOAT64)
        return "Real";
    if (version == 2 && type == IB_FMI_INT32)
        return "Integer";
    return ib_fmi_type_name(type);
}

ib_fmu_variable_info ib_fmu_variable(const ib_fmu *fmu, size_t index) {
    const ib_fmi_description *d = fmu->description;
    if (index >= d->n_variables)
        return (ib_fmu_variable_info){"", "", "", "", "", "", "", "", 0, NULL, 0};
    const ib_fmi_variable *v = &d->variables[index];
    return (ib_fmu_variable_info){.name = v->name,
                                  .description = v->description,
                                  .type = type_name(d->version, v->type),
                                  .causality = ib_fmi_causality_name(v->causality),
                                  .variability = ib_fmi_variability_name(v->variability),
                                  .initial = ib_fmi_initial_name(v->initial),
                                  .unit = v->traits.unit ? v->traits.unit : "",
                                  .start = start_text(fmu, v),
                                  .n_dimensions = v->n_dimensions,
                                  .dimensions = v->sizes,
                                  .value_reference = v->reference};
}

size_t ib_fmu_find(const ib_fmu *fmu, const char *name) {
    const ib_fmi_description *d = fmu->description;
    const size_t index = ib_names_find(d->names, name);
    if (index == SIZE_MAX || index < d->n_variables)
        return index;
    return d->aliases[index - d->n_variables].variable;
}

bool ib_fmu_unit(const ib_fmu *fmu, const char *name, int exponents[8], double *factor,
                 double *offset) {
    const ib_fmi_description *d = fmu->description;
    for (size_t i = 0; i < d->n_units; i++) {
        const ib_fmi_unit *unit = &d->units[i];
        if (!unit->has_base || strcmp(unit->name, name) != 0)
            continue;
        memcpy(exponents, unit->exponents, sizeof unit->exponents);
        *factor = unit->factor;
        *offset = unit->offset;
        return true;
    }
    return false;
}
