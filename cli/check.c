/* `ironbird check FILE...`: read, check and assemble models without running them. */
#include "cli.h"

#include <stdlib.h>

/* Loads the mission and everything that it names. */
static ib_status check_mission(const char *path, const ib_overrides *overrides, ib_diags *diags) {
    const ib_world_options options = {
        .overrides = overrides->list, .n_overrides = overrides->n, .guard = ib_guard};
    ib_world *world;
    const ib_status status = ib_world_create(path, &options, diags, &world);
    ib_world_destroy(world);
    return status;
}

/* Loads the network, and brings it to its start. */
static ib_status check_network(const char *path, const ib_overrides *overrides, ib_diags *diags) {
    const ib_network_options options = {.overrides = overrides->list, .n_overrides = overrides->n};
    ib_network *network;
    const ib_status status = ib_network_create(path, &options, diags, &network);
    ib_network_destroy(network);
    return status;
}

/* Loads the model and assembles its mechanism; what is wrong is left in `diags`. */
static ib_status check_file(const char *path, const ib_arguments *given, ib_diags *diags,
                            ib_model **model) {
    ib_system *system = NULL;
    ib_overrides overrides;
    *model = NULL;
    ib_status status = ib_overrides_open(given, IB_OPTION_check_set, diags, &overrides);
    if (status == IB_BAD_INPUT)
        status = IB_UNSUPPORTED; /* of the command line, not of the file */
    const bool network = ib_is_network(path);
    if (network || ib_is_mission(path)) {
        if (status == IB_OK)
            status = (network ? check_network : check_mission)(path, &overrides, diags);
        ib_overrides_close(&overrides);
        return status;
    }
    if (status == IB_OK)
        status = ib_check_kind(path, diags);
    if (status == IB_OK)
        status = ib_model_load(path, overrides.list, overrides.n, diags, model);
    ib_overrides_close(&overrides);
    if (status == IB_OK)
        status = ib_system_create(*model, diags, &system);
    ib_system_destroy(system);
    return status;
}

/* A failed check is the answer to the question; not being able to ask it is wrong usage. */
static int code_of(ib_status status) {
    switch (status) {
    case IB_OK:
        return IB_EXIT_DONE;
    case IB_IO_ERROR:
    case IB_UNSUPPORTED:
        return IB_EXIT_USAGE;
    case IB_NO_MEMORY:
    case IB_INTERNAL:
        return IB_EXIT_INTERNAL;
    default:
        return IB_EXIT_FAILED;
    }
}

static void add_json(ib_str *text, const char *path, ib_status status, const ib_diags *diags) {
    ib_str_add(text, text->length > 1 ? ",\n  {\"file\": \"" : "\n  {\"file\": \"");
    ib_str_add_json(text, path);
    ib_str_printf(text, "\", \"ok\": %s, \"diagnostics\": ", status == IB_OK ? "true" : "false");
    ib_add_json_diags(text, diags);
    ib_str_add_char(text, '}');
}

static void print_ok(const char *path, const ib_model *model) {
    if (!model) {
        printf("%s: ok (%s)\n", path, ib_is_network(path) ? "a network" : "a mission");
        return;
    }
    const size_t bodies = ib_model_body_count(model), joints = ib_model_joint_count(model);
    const size_t forces = ib_model_force_count(model);
    printf("%s: ok (%zu bod%s, %zu joint%s, %zu force%s)\n", path, bodies,
           bodies == 1 ? "y" : "ies", joints, joints == 1 ? "" : "s", forces,
           forces == 1 ? "" : "s");
}

/* A model; its object is added to the list of JSON in `text`. */
static int check_model(const char *path, const ib_arguments *given, bool quiet, ib_str *text) {
    ib_diags *diags = ib_new_diags();
    ib_model *model;
    size_t printed = 0;
    const ib_status status = check_file(path, given, diags, &model);
    ib_print_end(diags, &printed, ib_arguments_has(given, IB_OPTION_check_quiet), status);
    add_json(text, path, status, diags);
    if (status == IB_OK && !quiet)
        print_ok(path, model);
    ib_model_destroy(model);
    ib_diags_destroy(diags);
    return code_of(status);
}

int ib_command_check(const ib_arguments *given) {
    const bool json = ib_arguments_has(given, IB_OPTION_check_json);
    const bool quiet = ib_arguments_has(given, IB_OPTION_check_quiet) || json;
    ib_str text = {0};
    int code = IB_EXIT_DONE;
    for (size_t i = 0; i < given->n_words; i++) {
        const char *path = given->words[i];
        const int this_code =
            ib_is_fmu(path)
                ? ib_check_fmu(path, ib_arguments_has(given, IB_OPTION_check_quiet), json, &text)
                : check_model(path, given, quiet, &text);
        code = this_code > code ? this_code : code;
    }
    if (json && !text.failed) {
        printf("{\"ok\": %s, \"files\": [", code == IB_EXIT_DONE ? "true" : "false");
        ib_print(text.data);
        ib_print("\n]}\n");
    }
    ib_str_free(&text);
    return code;
}
