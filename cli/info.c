/* `ironbird info FILE`: what is in a model, a network or in results; missions are info_mission.c.
 */
#include "info.h"

#include "model/model.h"
#include "results/results.h"

#include <math.h> /* HUGE_VAL only */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_JSON ((size_t)64 << 20)

/* ---- channels ------------------------------------------------------------------------------ */

/* Length of the name up to its last dot. */
static size_t stem_length(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static bool same_stem(const ib_channel_info *a, const ib_channel_info *b) {
    const size_t n = stem_length(a->name);
    return n && n == stem_length(b->name) && strncmp(a->name, b->name, n) == 0 &&
           strcmp(a->unit, b->unit) == 0;
}

/* Neighbours that differ in their last part share a line: wheel.position.{x,y,z}. */
static void print_channels(const ib_channel_list *all) {
    printf("channels (%zu):\n", all->n);
    for (size_t i = 0, next; i < all->n; i = next) {
        const ib_channel_info *first = &all->list[i];
        ib_str name = {0};
        for (next = i + 1; next < all->n && same_stem(first, &all->list[next]);)
            next++;
        const size_t stem = stem_length(first->name);
        if (next == i + 1) {
            ib_str_add(&name, first->name);
        } else {
            ib_str_add_n(&name, first->name, stem);
            for (size_t k = i; k < next; k++) {
                ib_str_add(&name, k == i ? ".{" : ",");
                ib_str_add(&name, all->list[k].name + stem + 1);
            }
            ib_str_add_char(&name, '}');
        }
        printf("  %-44s %s\n", name.data ? name.data : first->name, first->unit);
        ib_str_free(&name);
    }
}

void ib_info_json_text(ib_str *text, const char *name, const char *value) {
    ib_str_printf(text, "\"%s\": \"", name);
    ib_str_add_json(text, value ? value : "");
    ib_str_add_char(text, '"');
}

void ib_info_json_number(ib_str *text, const char *name, double value) {
    char number[IB_NUMBER_SIZE];
    ib_str_printf(text, "\"%s\": %s", name,
                  value - value == 0 ? ib_number_text(value, number) : "null");
}

void ib_info_json_channels(ib_str *text, const ib_channel_list *all) {
    ib_str_add(text, "\"channels\": [");
    for (size_t i = 0; i < all->n; i++) {
        ib_str_add(text, i ? ",\n  {" : "\n  {");
        ib_info_json_text(text, "name", all->list[i].name);
        ib_str_add(text, ", ");
        ib_info_json_text(text, "unit", all->list[i].unit);
        ib_str_add(text, ", ");
        ib_info_json_text(text, "description", all->list[i].description);
        ib_str_add_char(text, '}');
    }
    ib_str_add(text, "\n]");
}

/* ---- models -------------------------------------------------------------------------------- */

static bool channels_of_system(const ib_system *system, ib_channel_list *all) {
    const size_t n = ib_system_channel_count(system);
    all->list = calloc(n + 1, sizeof *all->list);
    for (size_t i = 0; all->list && i < n; i++)
        all->list[all->n++] = ib_system_channel_info(system, (ib_handle)i);
    return all->list;
}

static void print_names(const char *what, size_t n, const char *(*name)(const ib_model *, size_t),
                        const ib_model *model) {
    printf("%s (%zu)%s", what, n, n ? ":" : "");
    for (size_t i = 0; i < n; i++)
        printf("%s%s", i ? ", " : " ", name(model, i));
    printf("\n");
}

static const char *joint_name(const ib_model *model, size_t i) {
    return model->joints[i].element.name;
}

static const char *force_name(const ib_model *model, size_t i) {
    return model->forces[i].element.name;
}

static const char *output_name(const ib_model *model, size_t i) {
    return model->outputs[i].element.name;
}

static const char *driver_name(const ib_model *model, size_t i) {
    return model->drivers[i].element.name;
}

static void print_model(const ib_model *model, const ib_channel_list *all) {
    char end[IB_NUMBER_SIZE], step[IB_NUMBER_SIZE], value[IB_NUMBER_SIZE];
    printf("model: %s\n", ib_model_name(model));
    print_names("bodies", model->n_bodies, ib_model_body_name, model);
    print_names("joints", model->n_joints, joint_name, model);
    print_names("forces", model->n_forces, force_name, model);
    print_names("drivers", model->n_drivers, driver_name, model);
    print_names("outputs", model->n_outputs, output_name, model);
    print_names("inputs", model->n_inputs, ib_model_input_name, model);
    printf("parameters (%zu)%s", model->n_parameters, model->n_parameters ? ":" : "");
    for (size_t i = 0; i < model->n_parameters; i++)
        printf("%s%s = %s", i ? ", " : " ", ib_model_parameter_name(model, i),
               ib_number_text(ib_model_parameter_value(model, i), value));
    printf("\nsimulation: to %s s, a row every %s s\n",
           ib_number_text(ib_time_seconds(ib_model_end(model)), end),
           ib_number_text(ib_time_seconds(ib_model_output_step(model)), step));
    print_channels(all);
}

static void add_json_names(ib_str *text, const char *what, size_t n,
                           const char *(*name)(const ib_model *, size_t), const ib_model *model) {
    ib_str_printf(text, "\"%s\": [", what);
    for (size_t i = 0; i < n; i++) {
        ib_str_add(text, i ? ", \"" : "\"");
        ib_str_add_json(text, name(model, i));
        ib_str_add_char(text, '"');
    }
    ib_str_add(text, "],\n ");
}

static void print_model_json(const ib_model *model, const ib_channel_list *all) {
    ib_str text = {0};
    ib_str_add(&text, "{\"kind\": \"model\", ");
    ib_info_json_text(&text, "name", ib_model_name(model));
    ib_str_add(&text, ",\n ");
    add_json_names(&text, "bodies", model->n_bodies, ib_model_body_name, model);
    add_json_names(&text, "joints", model->n_joints, joint_name, model);
    add_json_names(&text, "forces", model->n_forces, force_name, model);
    add_json_names(&text, "drivers", model->n_drivers, driver_name, model);
    add_json_names(&text, "outputs", model->n_outputs, output_name, model);
    add_json_names(&text, "inputs", model->n_inputs, ib_model_input_name, model);
    ib_str_add(&text, "\"parameters\": {");
    for (size_t i = 0; i < model->n_parameters; i++) {
        ib_str_add(&text, i ? ", " : "");
        ib_info_json_number(&text, ib_model_parameter_name(model, i),
                            ib_model_parameter_value(model, i));
    }
    ib_str_add(&text, "},\n ");
    ib_info_json_number(&text, "end", ib_time_seconds(ib_model_end(model)));
    ib_str_add(&text, ", ");
    ib_info_json_number(&text, "output_step", ib_time_seconds(ib_model_output_step(model)));
    ib_str_add(&text, ",\n ");
    ib_info_json_channels(&text, all);
    ib_str_add(&text, "}\n");
    if (!text.failed)
        ib_print(text.data);
    ib_str_free(&text);
}

static ib_status info_model(const char *path, const ib_arguments *given, ib_diags *diags) {
    ib_model *model = NULL;
    ib_system *system = NULL;
    ib_channel_list all = {0};
    ib_overrides overrides;
    ib_status status = ib_overrides_open(given, IB_OPTION_info_set, diags, &overrides);
    if (status == IB_OK)
        status = ib_check_kind(path, diags);
    if (status == IB_OK)
        status = ib_model_load(path, overrides.list, overrides.n, diags, &model);
    ib_overrides_close(&overrides);
    if (status == IB_OK)
        status = ib_system_create(model, diags, &system);
    if (status == IB_OK && !channels_of_system(system, &all))
        status = IB_NO_MEMORY;
    if (status == IB_OK) {
        if (ib_arguments_has(given, IB_OPTION_info_json))
            print_model_json(model, &all);
        else
            print_model(model, &all);
    }
    free(all.list);
    ib_system_destroy(system);
    ib_model_destroy(model);
    return status;
}

/* ---- networks ------------------------------------------------------------------------------ */

static bool channels_of_network(const ib_network *network, ib_channel_list *all) {
    const size_t n = ib_network_channel_count(network);
    all->list = calloc(n + 1, sizeof *all->list);
    for (size_t i = 0; all->list && i < n; i++)
        all->list[all->n++] = ib_network_channel_info(network, (ib_handle)i);
    return all->list;
}

static void print_network(const ib_network *network, const ib_channel_list *all) {
    char end[IB_NUMBER_SIZE], step[IB_NUMBER_SIZE];
    printf("network: %s\ncomponents (%zu), in the order of their steps:", ib_network_name(network),
           ib_network_component_count(network));
    for (size_t i = 0; i < ib_network_component_count(network); i++)
        printf("%s%s", i ? ", " : " ",
               ib_network_component_name(network, ib_network_order(network, i)));
    printf("\ncoupling: %s, to %s s in steps of %s s\n", ib_network_statistics(network).solver,
           ib_number_text(ib_time_seconds(ib_network_end(network)), end),
           ib_number_text(ib_time_seconds(ib_network_period(network)), step));
    print_channels(all);
}

static void print_network_json(const ib_network *network, const ib_channel_list *all) {
    ib_str text = {0};
    ib_str_add(&text, "{\"kind\": \"network\", ");
    ib_info_json_text(&text, "name", ib_network_name(network));
    ib_str_add(&text, ", ");
    ib_info_json_text(&text, "method", ib_network_statistics(network).solver);
    ib_str_add(&text, ", \"components\": [");
    for (size_t i = 0; i < ib_network_component_count(network); i++) {
        ib_str_add(&text, i ? ", \"" : "\"");
        ib_str_add_json(&text, ib_network_component_name(network, ib_network_order(network, i)));
        ib_str_add_char(&text, '"');
    }
    ib_str_add(&text, "],\n ");
    ib_info_json_channels(&text, all);
    ib_str_add(&text, "}\n");
    if (!text.failed)
        ib_print(text.data);
    ib_str_free(&text);
}

static ib_status info_network(const char *path, const ib_arguments *given, bool json,
                              ib_diags *diags) {
    ib_network *network = NULL;
    ib_channel_list all = {0};
    ib_overrides overrides;
    ib_status status = ib_overrides_open(given, IB_OPTION_info_set, diags, &overrides);
    const ib_network_options options = {.overrides = overrides.list, .n_overrides = overrides.n};
    if (status == IB_OK)
        status = ib_network_create(path, &options, diags, &network);
    ib_overrides_close(&overrides);
    if (status == IB_OK && !channels_of_network(network, &all))
        status = IB_NO_MEMORY;
    if (status == IB_OK && json)
        print_network_json(network, &all);
    else if (status == IB_OK)
        print_network(network, &all);
    free(all.list);
    ib_network_destroy(network);
    return status;
}

/* ---- results ------------------------------------------------------------------------------- */

typedef struct span {
    double from, to;
    unsigned long long rows;
} span;

/* Looks at the times of all rows. */
static ib_status measure(ib_results *results, ib_diags *diags, span *all) {
    bool *nothing = calloc(ib_results_channel_count(results) + 1, sizeof *nothing);
    if (!nothing)
        return IB_NO_MEMORY;
    ib_results_select(results, nothing);
    free(nothing);
    *all = (span){0};
    for (;;) {
        const double *row;
        const ib_status status = ib_results_next(results, &row, diags);
        if (status != IB_OK || !row)
            return status;
        if (!all->rows++)
            all->from = row[0];
        all->to = row[0];
    }
}

/* What run.json says of the run, where there is one. */
static void print_run(const char *folder) {
    char *text = NULL;
    size_t length;
    ib_str path = {0};
    ib_arena *arena = ib_arena_create();
    ib_str_printf(&path, "%s/run.json", folder);
    const ib_json *run = NULL;
    if (arena && !path.failed &&
        ib_file_read(path.data, LARGEST_JSON, NULL, IB_NO_PLACE, &text, &length) == IB_OK)
        run = ib_json_parse(arena, path.data, text, length, NULL);
    const ib_json *numbers = ib_json_member(run, "statistics");
    const char *status = ib_json_string(run, "status"), *file = ib_json_string(run, "file");
    const char *solver = ib_json_string(numbers, "solver");
    const char *first = ib_json_string(numbers, "started_with");
    if (status && file)
        printf("run: %s, %s\n", file, status);
    if (solver)
        printf("solver: %s%s%s, %.0f steps, %.3g s for %.9g s\n", first ? first : "",
               first ? ", then " : "", solver, ib_json_number(numbers, "steps", 0),
               ib_json_number(run, "wall_time", 0), ib_json_number(run, "simulated_time", 0));
    free(text);
    ib_str_free(&path);
    ib_arena_destroy(arena);
}

static void print_results(const char *path, const ib_results *results, const span *all,
                          const ib_channel_list *list) {
    char from[IB_NUMBER_SIZE], to[IB_NUMBER_SIZE];
    printf("results: %s\n", ib_results_title(results));
    print_run(path);
    if (all->rows)
        printf("rows: %llu, from %s s to %s s\n", all->rows, ib_number_text(all->from, from),
               ib_number_text(all->to, to));
    else
        printf("rows: 0\n");
    print_channels(list);
}

static void print_results_json(const ib_results *results, const span *all,
                               const ib_channel_list *list) {
    ib_str text = {0};
    ib_str_add(&text, "{\"kind\": \"results\", ");
    ib_info_json_text(&text, "name", ib_results_title(results));
    ib_str_printf(&text, ", \"rows\": %llu, ", all->rows);
    ib_info_json_number(&text, "from", all->rows ? all->from : HUGE_VAL);
    ib_str_add(&text, ", ");
    ib_info_json_number(&text, "to", all->rows ? all->to : HUGE_VAL);
    ib_str_add(&text, ",\n ");
    ib_info_json_channels(&text, list);
    ib_str_add(&text, "}\n");
    if (!text.failed)
        ib_print(text.data);
    ib_str_free(&text);
}

static ib_status info_results(const char *path, bool json, ib_diags *diags) {
    ib_results *results;
    span all;
    ib_channel_list list = {0};
    ib_status status = ib_results_open(path, diags, &results);
    if (status != IB_OK)
        return status;
    const size_t n = ib_results_channel_count(results);
    list.list = calloc(n + 1, sizeof *list.list);
    for (size_t i = 0; list.list && i < n; i++)
        list.list[list.n++] = ib_results_channel_info(results, (ib_handle)i);
    status = list.list ? measure(results, diags, &all) : IB_NO_MEMORY;
    if (status == IB_OK) {
        if (json)
            print_results_json(results, &all, &list);
        else
            print_results(path, results, &all, &list);
    }
    free(list.list);
    ib_results_close(results);
    return status;
}

/* A folder or a table holds results. */
static bool holds_results(const char *path) {
    struct stat about;
    const size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".csv") == 0)
        return true;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int ib_command_info(const ib_arguments *given) {
    ib_diags *diags = ib_new_diags();
    size_t printed = 0;
    const char *path = given->words[0];
    if (ib_is_fmu(path)) {
        ib_diags_destroy(diags);
        return ib_info_fmu(path, ib_arguments_has(given, IB_OPTION_info_json), false);
    }
    const bool json = ib_arguments_has(given, IB_OPTION_info_json);
    const ib_status status = holds_results(path)   ? info_results(path, json, diags)
                             : ib_is_network(path) ? info_network(path, given, json, diags)
                             : ib_is_mission(path) ? ib_info_mission(path, given, diags)
                                                   : info_model(path, given, diags);
    const int code = ib_print_end(diags, &printed, false, status);
    fflush(stdout);
    ib_diags_destroy(diags);
    return code;
}
