/* The tables of commands and options, made from commands.def and options.def. */
#include "cli.h"

static const ib_command commands[] = {
#define IB_COMMAND(key, arguments, least, most, summary, description)                              \
    {#key, arguments, least, most, summary, description, ib_command_##key},
#define IB_LATER_COMMAND(key, arguments, summary) {#key, arguments, 0, 0, summary, NULL, NULL},
#include "commands.def"
#undef IB_COMMAND
#undef IB_LATER_COMMAND
};

static const ib_option options[] = {
#define IB_OPTION(command, key, name, letter, argument, kind, help)                                \
    {IB_COMMAND_##command, name, letter, argument, IB_OPTION_##kind, help},
#include "options.def"
#undef IB_OPTION
};

const ib_command *ib_command_at(ib_command_id id) { return &commands[id]; }

const ib_option *ib_option_at(ib_option_id id) { return &options[id]; }
