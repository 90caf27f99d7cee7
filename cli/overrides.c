/* --set NAME=VALUE, and the options that stand for a setting of the simulation or for a key of a
 * mission. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Splits what an option was given at its equals sign; the name lies in `arena`. */
static ib_status split(const char *text, ib_option_id option, ib_arena *arena, ib_diags *diags,
                       ib_override *override) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        ib_usage_error(diags, ib_option_at(option)->command, "--%s '%s' is not of the form %s",
                       ib_option_at(option)->name, text, ib_option_at(option)->argument);
        return IB_BAD_INPUT;
    }
    override->name = ib_arena_strndup(arena, text, (size_t)(equals - text));
    override->value = equals + 1;
    return override->name ? IB_OK : ib_diags_no_memory(diags);
}

/* Adds simulation.NAME=VALUE for an option that is given. */
static void add_setting(const ib_arguments *given, ib_option_id option, const char *name,
                        ib_overrides *overrides) {
    const char *value = ib_arguments_value(given, option);
    if (value)
        overrides->list[overrides->n++] = (ib_override){name, value};
}

ib_status ib_overrides_open(const ib_arguments *given, ib_option_id set, ib_diags *diags,
                            ib_overrides *overrides) {
    size_t n = 0;
    const char **sets = ib_arguments_list(given, set, &n);
    *overrides = (ib_overrides){.arena = ib_arena_create()};
    overrides->list = calloc(given->n_given + 4, sizeof *overrides->list);
    ib_status status = IB_OK;
    if (!sets || !overrides->arena || !overrides->list)
        status = ib_diags_no_memory(diags);
    for (size_t i = 0; i < n && status == IB_OK; i++)
        status = split(sets[i], set, overrides->arena, diags, &overrides->list[overrides->n++]);
    free(sets);
    if (status == IB_OK && given->command == IB_COMMAND_run) {
        add_setting(given, IB_OPTION_run_solver, "simulation.solver", overrides);
        add_setting(given, IB_OPTION_run_rtol, "simulation.rtol", overrides);
        add_setting(given, IB_OPTION_run_step, "simulation.step", overrides);
    }
    return status;
}

/* --plant VEHICLE=NAME is the key vehicles.VEHICLE.plant. */
static ib_status add_choices(const ib_arguments *given, ib_option_id option, const char *key,
                             ib_diags *diags, ib_overrides *overrides) {
    size_t n = 0;
    const char **list = ib_arguments_list(given, option, &n);
    ib_status status = list ? IB_OK : ib_diags_no_memory(diags);
    for (size_t i = 0; i < n && status == IB_OK; i++) {
        ib_override *o = &overrides->list[overrides->n++];
        status = split(list[i], option, overrides->arena, diags, o);
        if (status == IB_OK)
            o->name = ib_arena_printf(overrides->arena, "vehicles.%s.%s", o->name, key);
        if (status == IB_OK && !o->name)
            status = ib_diags_no_memory(diags);
    }
    free(list);
    return status;
}

ib_status ib_overrides_open_mission(const ib_arguments *given, ib_diags *diags,
                                    ib_overrides *overrides) {
    ib_status status = ib_overrides_open(given, IB_OPTION_run_set, diags, overrides);
    if (status == IB_OK)
        status = add_choices(given, IB_OPTION_run_plant, "plant", diags, overrides);
    if (status == IB_OK)
        status =
            add_choices(given, IB_OPTION_run_flight_computer, "flight_computer", diags, overrides);
    return status;
}

void ib_overrides_close(ib_overrides *overrides) {
    free(overrides->list);
    ib_arena_destroy(overrides->arena);
}
