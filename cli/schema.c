/* `ironbird schema [KIND]`: the JSON schema of a kind of file. */
#include "cli.h"

#include "model/model.h"

#include <string.h>

static int refuse(const char *kind) {
    static const char *const later[] = {"board", "study"};
    ib_diags *diags = ib_new_diags();
    size_t printed = 0;
    bool known = false;
    for (size_t i = 0; i < IB_COUNT(later); i++)
        known = known || strcmp(kind, later[i]) == 0;
    if (known)
        ib_diags_add(diags, IB_ERROR, IB0902, IB_NO_PLACE,
                     "the schema of kind '%s' is not yet supported", kind);
    else
        ib_diags_add(diags, IB_ERROR, IB0906, IB_NO_PLACE,
                     "there is no kind of file '%s'; 'model', 'mission' and 'network' are", kind);
    ib_print_diags(diags, &printed, false);
    ib_diags_destroy(diags);
    return IB_EXIT_USAGE;
}

int ib_command_schema(const ib_arguments *given) {
    const char *kind = given->n_words ? given->words[0] : "model";
    const bool mission = strcmp(kind, "mission") == 0;
    const bool network = strcmp(kind, "network") == 0;
    if (!mission && !network && strcmp(kind, "model") != 0)
        return refuse(kind);
    ib_str text = {0};
    ib_status status = mission   ? ib_mission_schema_json(&text)
                       : network ? ib_network_schema_json(&text)
                                 : ib_schema_json(&text);
    if (status == IB_OK && text.failed)
        status = IB_NO_MEMORY;
    if (status == IB_OK)
        ib_print(text.data);
    ib_str_free(&text);
    return ib_exit_code(status);
}
