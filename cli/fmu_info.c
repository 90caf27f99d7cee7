/* What an FMU is: for people, and as JSON. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

/* ---- for people ---------------------------------------------------------------------------- */

static void print_line(const char *name, const char *value) {
    if (*value)
        printf("%s: %s\n", name, value);
}

static void print_experiment(const ib_fmu_info *about) {
    const struct {
        const char *name;
        double value;
    } members[] = {{"start", about->start},
                   {"stop", about->stop},
                   {"step", about->step},
                   {"tolerance", about->tolerance}};
    char number[IB_NUMBER_SIZE];
    bool any = false;
    for (size_t i = 0; i < IB_COUNT(members); i++) {
        if (members[i].value != members[i].value)
            continue;
        printf("%s %s %s", any ? "," : "default experiment:", members[i].name,
               ib_number_text(members[i].value, number));
        any = true;
    }
    if (any)
        printf("\n");
}

/* Flags that are false, zero or empty are not worth a word. */
static void print_kind(const ib_fmu *fmu, ib_fmu_kind kind) {
    const char *name, *value;
    bool any = false;
    if (!ib_fmu_has_kind(fmu, kind)) {
        printf("%s: no\n", ib_fmu_kind_name(kind));
        return;
    }
    printf("%s: yes, %s", ib_fmu_kind_name(kind), ib_fmu_identifier(fmu, kind));
    for (size_t i = 0; ib_fmu_capability(fmu, kind, i, &name, &value); i++) {
        if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0 || !*value)
            continue;
        printf("%s%s", any ? ", " : " (", name);
        if (strcmp(value, "true") != 0)
            printf(" %s", value);
        any = true;
    }
    printf("%s\n", any ? ")" : "");
}

static void add_shape(ib_str *text, const ib_fmu_variable_info *v) {
    for (size_t i = 0; i < v->n_dimensions; i++)
        ib_str_printf(text, "%s%" PRIu64, i ? "," : "[", v->dimensions[i]);
    if (v->n_dimensions)
        ib_str_add_char(text, ']');
}

static void print_variable(const ib_fmu_variable_info *v) {
    ib_str type = {0};
    ib_str_add(&type, v->type);
    add_shape(&type, v);
    printf("  %-28s %-11s %-10s %-14s %-8s", v->name, v->causality, v->variability,
           type.failed ? v->type : type.data, v->unit);
    if (*v->start)
        printf(" %.40s%s", v->start, strlen(v->start) > 40 ? "..." : "");
    printf("\n");
    ib_str_free(&type);
}

void ib_print_fmu(const ib_fmu *fmu) {
    const ib_fmu_info about = ib_fmu_describe(fmu);
    printf("FMU: %s, FMI %s\n", about.name, about.fmi_version);
    print_line("description", about.description);
    print_line("author", about.author);
    print_line("version", about.version);
    print_line("license", about.license);
    print_line("made by", about.tool);
    print_line("made at", about.date);
    for (int kind = 0; kind < IB_FMU_KINDS; kind++)
        if (about.fmi == 3 || kind != IB_FMU_SCHEDULED_EXECUTION)
            print_kind(fmu, (ib_fmu_kind)kind);
    print_experiment(&about);
    printf("continuous states: %zu, event indicators: %zu\n", about.n_states,
           about.n_event_indicators);
    printf("variables (%zu):\n", about.n_variables);
    for (size_t i = 0; i < about.n_variables; i++) {
        const ib_fmu_variable_info v = ib_fmu_variable(fmu, i);
        print_variable(&v);
    }
}

/* ---- as JSON ------------------------------------------------------------------------------- */

static void add_text(ib_str *text, const char *name, const char *value) {
    ib_str_printf(text, "\"%s\": \"", name);
    ib_str_add_json(text, value);
    ib_str_add_char(text, '"');
}

static void add_number(ib_str *text, const char *name, double value) {
    char number[IB_NUMBER_SIZE];
    ib_str_printf(text, "\"%s\": %s", name,
                  value - value == 0 ? ib_number_text(value, number) : "null");
}

static void add_kind(ib_str *text, const ib_fmu *fmu, ib_fmu_kind kind) {
    const char *name, *value;
    ib_str_printf(text, "\n  \"%s\": ", ib_fmu_kind_name(kind));
    if (!ib_fmu_has_kind(fmu, kind)) {
        ib_str_add(text, "null");
        return;
    }
    ib_str_add_char(text, '{');
    add_text(text, "modelIdentifier", ib_fmu_identifier(fmu, kind));
    for (size_t i = 0; ib_fmu_capability(fmu, kind, i, &name, &value); i++)
        ib_str_printf(text, ", \"%s\": %s", name, *value ? value : "null");
    ib_str_add_char(text, '}');
}

static void add_variable(ib_str *text, const ib_fmu_variable_info *v) {
    const struct {
        const char *name, *value;
    } members[] = {{"name", v->name},           {"type", v->type},
                   {"causality", v->causality}, {"variability", v->variability},
                   {"initial", v->initial},     {"unit", v->unit},
                   {"start", v->start},         {"description", v->description}};
    ib_str_add_char(text, '{');
    for (size_t i = 0; i < IB_COUNT(members); i++) {
        add_text(text, members[i].name, members[i].value);
        ib_str_add(text, ", ");
    }
    ib_str_printf(text, "\"valueReference\": %" PRIu32 ", \"shape\": [", v->value_reference);
    for (size_t i = 0; i < v->n_dimensions; i++)
        ib_str_printf(text, "%s%" PRIu64, i ? ", " : "", v->dimensions[i]);
    ib_str_add(text, "]}");
}

static void add_fmu(ib_str *text, const ib_fmu *fmu) {
    const ib_fmu_info about = ib_fmu_describe(fmu);
    add_text(text, "name", about.name);
    ib_str_add(text, ", ");
    add_text(text, "fmi", about.fmi_version);
    ib_str_add(text, ", ");
    add_text(text, "description", about.description);
    ib_str_add(text, ", ");
    add_text(text, "tool", about.tool);
    ib_str_add(text, ",\n \"kinds\": {");
    for (int kind = 0; kind < IB_FMU_KINDS; kind++) {
        ib_str_add(text, kind ? "," : "");
        add_kind(text, fmu, (ib_fmu_kind)kind);
    }
    ib_str_add(text, "},\n \"default_experiment\": {");
    add_number(text, "start", about.start);
    ib_str_add(text, ", ");
    add_number(text, "stop", about.stop);
    ib_str_add(text, ", ");
    add_number(text, "step", about.step);
    ib_str_add(text, ", ");
    add_number(text, "tolerance", about.tolerance);
    ib_str_printf(text, "},\n \"states\": %zu, \"event_indicators\": %zu,\n \"variables\": [",
                  about.n_states, about.n_event_indicators);
    for (size_t i = 0; i < about.n_variables; i++) {
        const ib_fmu_variable_info v = ib_fmu_variable(fmu, i);
        ib_str_add(text, i ? ",\n  " : "\n  ");
        add_variable(text, &v);
    }
    ib_str_add(text, "\n ]");
}

void ib_print_fmu_json(const ib_fmu *fmu, const ib_diags *diags) {
    ib_str text = {0};
    ib_str_add(&text, "{\"kind\": \"fmu\", ");
    if (fmu)
        add_fmu(&text, fmu);
    ib_str_add(&text, fmu ? ",\n \"diagnostics\": " : "\"diagnostics\": ");
    ib_add_json_diags(&text, diags);
    ib_str_add(&text, "}\n");
    if (!text.failed)
        ib_print(text.data);
    ib_str_free(&text);
}
